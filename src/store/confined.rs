//! Programs of the repository that git starts for us, each confined by the kernel: hooks and
//! filters, for a command that an agent's sandbox handed to a hook outside of it.
//!
//! git is told of a directory in which each hook is a script of ours, which starts theirs by
//! `git-seed exec --bare`; filters are named so on the command line of each git. What git itself
//! does is not confined: it writes the repository.

use std::path::Path;

use super::error::StoreError;
use super::held::Confined;
use super::{Store, stages};
use crate::shell::quoted_word;
use crate::world::{Whole, system};

/// Begins the name of the directory of scripts; what a kill leaves is swept with it.
const STAGE: &str = "stage-hooks-";

impl Store {
    /// From here on hooks and filters that children start are confined by `binary`, as
    /// `git seed exec` confines.
    ///
    /// # Errors
    ///
    /// git does not say where its hooks are, or the scripts cannot be written.
    pub(crate) fn confine_programs(&mut self, binary: &Path) -> Result<(), StoreError> {
        let hooks = self.git(["rev-parse", "--git-path", "hooks"]).run()?;
        let hooks = String::from_utf8_lossy(&hooks);
        let hooks = self.work_tree.join(hooks.trim_end_matches('\n'));
        let scripts = stages::make(&self.seed_dir(), STAGE)?;
        for entry in std::fs::read_dir(&hooks).into_iter().flatten().flatten() {
            let theirs = entry.path();
            if system::is_runnable(&theirs) {
                let script = scripts.path().join(entry.file_name());
                let text = format!(
                    "#!/bin/sh\nexec {} exec --bare -- {} \"$@\"\n",
                    quoted_word(&binary.to_string_lossy()),
                    quoted_word(&theirs.to_string_lossy()),
                );
                Whole::new().mode(0o700).write(&script, text.as_bytes())?;
            }
        }
        let mut settings = vec![
            format!("core.hooksPath={}", scripts.path().display()),
            "core.fsmonitor=false".to_owned(),
        ];
        let asked = ["config", "--null", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"];
        // It ends with 1 where there are none.
        let found = self.git(asked).outcome()?;
        let found = String::from_utf8_lossy(&found.stdout).into_owned();
        let filters = found.split('\0').filter_map(|setting| setting.split_once('\n'));
        settings.extend(filters.map(|(key, line)| format!("{key}={line}")));
        self.confined = Some(Confined::new(binary, &settings, scripts));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use crate::store::testbed::Testbed;

    #[test]
    fn hooks_and_filters_are_started_by_the_binary() {
        let bed = Testbed::new();
        let at = |name: &str| bed.path().join(name);
        std::fs::write(at("told"), "#!/bin/sh\necho \"$@\" >> \"$0.log\"\nshift 3\nexec \"$@\"\n")
            .expect("written");
        std::fs::create_dir_all(at(".git/hooks")).expect("made");
        std::fs::write(at(".git/hooks/pre-commit"), "#!/bin/sh\n: > ran\n").expect("written");
        for script in ["told", ".git/hooks/pre-commit"] {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(at(script), mode).expect("set");
        }
        bed.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
        std::fs::write(at(".gitattributes"), "*.txt filter=up\n").expect("written");
        std::fs::write(at("a.txt"), "small\n").expect("written");
        let mut store = bed.store();
        std::fs::create_dir_all(store.seed_dir()).expect("made");
        store.confine_programs(&at("told")).expect("it is told");
        store.git(["add", "a.txt"]).run().expect("added");
        store.plain_git(["commit", "-qm", "a"]).run().expect("committed");
        assert_eq!(bed.git(&["show", "HEAD:a.txt"]), "SMALL");
        assert!(at("ran").exists(), "the hook ran");
        let log = std::fs::read_to_string(at("told.log")).expect("it was told");
        assert!(log.contains("sh -c tr a-z A-Z") && log.contains("pre-commit"), "{log}");
        drop(store);
        let left = std::fs::read_dir(bed.path().join(".git/seed")).expect("reads").flatten();
        assert!(left.count() == 0, "the scripts go");
    }
}
