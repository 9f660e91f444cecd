//! How children of ours start programs of the repository, where a kernel is to confine them.

use std::path::{Path, PathBuf};

use crate::shell::quoted_word;

/// The keys of a filter that name programs.
const PROGRAMS: [&str; 3] = ["clean", "smudge", "process"];

/// How children start programs of the repository.
pub(super) struct Confined {
    binary: PathBuf,
    settings: Vec<String>,
    /// The scripts that stand for hooks; they go with this.
    _scripts: tempfile::TempDir,
}

impl Confined {
    /// `settings` as they are given to git, with the filters among them confined by `binary`.
    pub(super) fn new(binary: &Path, settings: &[String], scripts: tempfile::TempDir) -> Self {
        let bare = Self { binary: binary.to_owned(), settings: Vec::new(), _scripts: scripts };
        let held = settings.iter().map(|one| bare.held(one).unwrap_or_else(|| one.clone()));
        Self { settings: held.collect(), ..bare }
    }

    /// The settings that each git gets.
    pub(super) fn settings(&self) -> &[String] {
        &self.settings
    }

    /// A setting of a git's own, with its filter confined.
    pub(super) fn held(&self, setting: &str) -> Option<String> {
        let (key, line) = setting.strip_prefix("filter.")?.split_once('=')?;
        let (_, program) = key.rsplit_once('.')?;
        let runs = PROGRAMS.contains(&program) && !line.is_empty();
        runs.then(|| format!("filter.{key}={}", held_line(&self.binary, line)))
    }
}

/// A filter's line that runs `line` confined; the path that git puts into it stays a word.
fn held_line(binary: &Path, line: &str) -> String {
    let start = format!("{} exec --bare -- sh -c", quoted_word(&binary.to_string_lossy()));
    if line.contains("%f") {
        format!("{start} {} filter %f", quoted_word(&line.replace("%f", "\"$1\"")))
    } else {
        format!("{start} {}", quoted_word(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_keeps_its_words_and_the_path_of_its_file() {
        let binary = Path::new("/opt/git seed/git-seed");
        let start = "'/opt/git seed/git-seed' exec --bare -- sh -c";
        assert_eq!(held_line(binary, "tr a-z A-Z"), format!("{start} 'tr a-z A-Z'"));
        let line = held_line(binary, "it's %f");
        assert_eq!(line, format!(r#"{start} 'it'\''s "$1"' filter %f"#));
    }
}
