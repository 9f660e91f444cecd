//! Where a host reads hook lines from: in a linked worktree some go to the main checkout, too.

use std::path::{Path, PathBuf};

use super::{Host, Linked};

/// A settings file from which a host reads hook lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// As the work tree names it; whole where it lies in the main checkout.
    pub shown: String,
    pub path: PathBuf,
}

impl Place {
    pub(crate) fn below(top: &Path, name: &str) -> Self {
        Self { shown: name.to_owned(), path: top.join(name) }
    }

    pub(crate) fn in_main(main: &Path, name: &str) -> Self {
        let path = main.join(name);
        Self { shown: path.display().to_string(), path }
    }
}

impl Host {
    /// The files from which this host reads hook lines in the work tree `top`, whether they are
    /// there or not; the shared one first. `main` is the checkout that a worktree was linked to.
    pub(crate) fn places(&self, top: &Path, main: Option<&Path>) -> Vec<Place> {
        let (team, own) = (self.settings.shared.as_str(), self.settings.local.as_str());
        let names: &[&str] = if team == own { &[own] } else { &[team, own] };
        let here = names.iter().map(|name| Place::below(top, name));
        match (self.settings.linked, main) {
            (Linked::Main, Some(_)) if !top.join(self.settings.dir()).is_dir() => Vec::new(),
            (Linked::Main, Some(main)) => {
                names.iter().map(|name| Place::in_main(main, name)).collect()
            }
            (Linked::Both, Some(main)) => here.chain([Place::in_main(main, own)]).collect(),
            (_, _) => here.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::hosts::row;

    #[test]
    fn each_row_says_where_a_linked_worktree_has_its_lines() {
        let dir = tempfile::tempdir().expect("a directory");
        let (top, main) = (dir.path().join("side"), dir.path().join("main"));
        let read = |name: &str, linked: bool| {
            let places = row(name).expect("a sound row").places(&top, linked.then_some(&*main));
            let below = |path: &std::path::Path| {
                path.strip_prefix(dir.path()).expect("it lies there").display().to_string()
            };
            places.iter().map(|place| below(&place.path)).collect::<Vec<_>>()
        };
        let settings = ".claude/settings";
        let own = [format!("side/{settings}.json"), format!("side/{settings}.local.json")];
        assert_eq!(read("claude", false), own);
        let both = [&own[..], &[format!("main/{settings}.local.json")]].concat();
        assert_eq!(read("claude", true), both);
        assert_eq!(read("gemini", true), ["side/.gemini/settings.json"]);
        assert_eq!(read("codex", false), ["side/.codex/hooks.json"]);
        assert_eq!(read("codex", true), [""; 0]);
        std::fs::create_dir_all(top.join(".codex")).expect("made");
        assert_eq!(read("codex", true), ["main/.codex/hooks.json"]);
    }
}
