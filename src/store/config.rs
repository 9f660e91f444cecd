//! Which files git reads its configuration from here, found without asking git.

use std::path::{Path, PathBuf};

use gix::config::file::SectionRef;

use super::Store;

/// How deep one configuration may include another.
const DEEPEST: usize = 5;

/// Files of configuration, there or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigFiles {
    /// Those of this repository.
    pub own: Vec<PathBuf>,
    /// Those of the person and the machine, and what any of them include.
    pub wider: Vec<PathBuf>,
    /// Where any of them lets git look for hooks, as it is spelled there.
    pub hooks: Vec<String>,
    /// Files that any of them names with patterns of what git ignores, or stores otherwise, as
    /// they are spelled there.
    pub patterns: Vec<String>,
    /// Files that the person's or the machine's name with the keys of who may sign a policy.
    pub signers: Vec<PathBuf>,
    /// One of the person's or the machine's may name such keys: it does, or does not read.
    pub policy_keys: bool,
    /// One may have git sign commits: it says so, or does not read.
    pub signs: bool,
    /// One of the person's or the machine's may say how git stores files: it does, or does not
    /// read.
    pub stores: bool,
    name: bool,
    email: bool,
}

/// Files of the machine that some gits read instead of `/etc/gitconfig`.
const OF_MACHINE: [&str; 2] = ["/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

/// What says how git stores files, below `core`.
const STORES: [&str; 10] = [
    "attributesFile",
    "autocrlf",
    "fileMode",
    "fsync",
    "fsyncObjectFiles",
    "ignoreCase",
    "precomposeUnicode",
    "sharedRepository",
    "splitIndex",
    "symlinks",
];

impl Store {
    /// The files that git would read, whatever a condition on an include says. `home` is the
    /// person's, `wider` are files that the environment names.
    pub(crate) fn config_files(&self, home: Option<&Path>, wider: &[PathBuf]) -> ConfigFiles {
        let own = vec![self.common_dir.join("config"), self.git_dir.join("config.worktree")];
        let mut files = ConfigFiles { own, ..ConfigFiles::default() };
        files.wider.extend(wider.iter().cloned());
        files.wider.extend(home.map(|home| home.join(".gitconfig")));
        files.wider.push(PathBuf::from("/etc/gitconfig"));
        for file in [files.own.clone(), files.wider.clone()].concat() {
            files.follow(&file, home, 0);
        }
        let git = self.children.as_ref().map(|children| children.git().to_owned());
        let git = git.filter(|git| git.is_absolute()).or_else(|| crate::world::on_path("git"));
        let beside_git = git.as_deref().and_then(|git| git.parent()?.parent());
        let of_git = beside_git.map(|dir| dir.join("etc/gitconfig"));
        for file in OF_MACHINE.iter().map(PathBuf::from).chain(of_git) {
            files.follow(&file, home, 0);
        }
        files
    }

    /// The value of a switch in this repository's configuration.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.repo.config_snapshot().boolean(key).unwrap_or(false)
    }

    /// A branch follows one of a remote's, or another one.
    pub(crate) fn has_upstream(&self, branch: &str) -> bool {
        self.repo.config_snapshot().string(format!("branch.{branch}.merge").as_str()).is_some()
    }

    /// The remote that a push goes to which names none.
    pub(crate) fn push_remote(&self) -> Option<String> {
        let config = self.repo.config_snapshot();
        let value = |key: &str| config.string(key).map(|name| name.to_string());
        // Without a branch, or where HEAD does not read, git takes what is set for all.
        let branch = self.branch().ok().flatten().unwrap_or_default();
        value(&format!("branch.{branch}.pushRemote"))
            .or_else(|| value("remote.pushDefault"))
            .or_else(|| value(&format!("branch.{branch}.remote")))
            .or_else(|| Some("origin".to_owned()))
    }

    /// The remote that a fetch asks which names none.
    pub(crate) fn fetch_remote(&self) -> String {
        let config = self.repo.config_snapshot();
        // As above.
        let branch = self.branch().ok().flatten().unwrap_or_default();
        let own = config.string(format!("branch.{branch}.remote").as_str());
        own.map_or_else(|| "origin".to_owned(), |name| name.to_string())
    }

    /// What the settings of the remote `name` make of a push: a mirror, and its refspecs.
    pub(crate) fn push_settings(&self, name: &str) -> (bool, Vec<String>) {
        let specs = self.repo.config_snapshot().plumbing().strings(&format!("remote.{name}.push"));
        let specs = specs.into_iter().flatten().map(|spec| spec.to_string()).collect();
        (self.is_set(&format!("remote.{name}.mirror")), specs)
    }

    /// What may begin a comment in a message that git cleans up here: the shipped sign, which
    /// other clones have and `auto` begins with, and those that are configured.
    pub(crate) fn comment_signs(&self) -> Vec<String> {
        let config = self.repo.config_snapshot();
        let set = ["core.commentChar", "core.commentString"].map(|key| config.string(key));
        let set = set.into_iter().flatten().map(|sign| sign.to_string());
        let own = set.filter(|sign| !sign.is_empty() && !sign.eq_ignore_ascii_case("auto"));
        std::iter::once("#".to_owned()).chain(own).collect()
    }

    /// Where this repository's configuration lets git look for hooks, as it is spelled there.
    pub(crate) fn hooks_path(&self) -> Option<String> {
        self.repo.config_snapshot().string("core.hooksPath").map(|path| path.to_string())
    }
}

impl ConfigFiles {
    /// They are seen to name who commits; git knows more ways.
    pub(crate) fn name_somebody(&self) -> bool {
        self.name && self.email
    }

    fn follow(&mut self, file: &Path, home: Option<&Path>, depth: usize) {
        if !file.is_file() {
            return;
        }
        let read =
            gix::config::File::from_path_no_includes(file.to_owned(), gix::config::Source::Api);
        // What does not read here may read for git.
        let Ok(config) = read else {
            (self.policy_keys, self.signs, self.stores) = (true, true, true);
            return;
        };
        let is_own = self.own.iter().any(|own| own == file);
        for section in config.sections() {
            let name = section.header().name().to_string().to_ascii_lowercase();
            let values = |key: &str| {
                let values = section.values(key).into_iter();
                values.map(|value| value.to_string()).collect::<Vec<_>>()
            };
            if name == "core" {
                self.hooks.extend(values("hooksPath"));
                self.patterns.extend(values("excludesFile"));
                self.patterns.extend(values("attributesFile"));
            }
            self.stores |=
                !is_own && (name == "attr" || (name == "core" && says_of_files(&section)));
            // Whether an include counts is git's to tell.
            let of_person = is_own || home.is_some_and(|home| home.join(".gitconfig") == file);
            if name == "user"
                && depth == 0
                && of_person
                && section.header().subsection_name().is_none()
            {
                self.name |= says_who(&section, "name");
                self.email |= says_who(&section, "email");
            }
            let off = |value: &String| {
                matches!(&*value.to_ascii_lowercase(), "false" | "no" | "off" | "0")
            };
            if name == "commit" && section.contains_value_name("gpgSign") {
                let said = values("gpgSign");
                self.signs |= said.is_empty() || !said.iter().all(off);
            }
            if name == "seed" && !is_own {
                self.policy_keys |= section.contains_value_name("policyKeys");
                let paths = values("policyKeys").into_iter().filter_map(|value| {
                    let below = value.strip_prefix("~/").zip(home);
                    let path = below.map_or(PathBuf::from(&value), |(rest, home)| home.join(rest));
                    path.is_absolute().then_some(path)
                });
                self.signers.extend(paths);
            }
            if name == "include" || name == "includeif" {
                self.include(&values("path"), file, home, depth);
            }
        }
    }

    /// Follows what `file` includes.
    fn include(&mut self, values: &[String], file: &Path, home: Option<&Path>, depth: usize) {
        for value in values {
            // Git finds more than is followed here.
            let elsewhere = value.starts_with('~') && !value.starts_with("~/");
            self.stores |= elsewhere || value.starts_with("%(") || depth >= DEEPEST;
            let path = match (value.strip_prefix("~/"), home) {
                (Some(below), Some(home)) => home.join(below),
                _ => file.parent().unwrap_or(Path::new("/")).join(value),
            };
            if depth < DEEPEST && !self.own.contains(&path) && !self.wider.contains(&path) {
                self.wider.push(path.clone());
                self.follow(&path, home, depth + 1);
            }
        }
    }
}

/// Whether a section `user` names somebody at `key`.
fn says_who(section: &SectionRef<'_>, key: &str) -> bool {
    let last = section.values(key).pop();
    last.is_some_and(|value| value.iter().any(u8::is_ascii_alphanumeric))
}

/// Whether a section `core` says how git stores files.
fn says_of_files(section: &SectionRef<'_>) -> bool {
    let mut said = STORES.iter().filter(|key| section.contains_value_name(key));
    let ends = section.values("autocrlf");
    let as_they_are = !ends.is_empty() && ends.iter().all(|value| *value == "false");
    said.any(|key| *key != "autocrlf" || !as_they_are)
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn what_a_config_includes_is_read_with_it() {
        let bed = Testbed::new();
        let home = bed.path().join("home");
        bed.write(
            "home/.gitconfig",
            "[include]\n\tpath = more\n[includeIf \"gitdir:/no/\"]\n\tpath = ~/deep\n",
        );
        let more =
            "[core]\n\thooksPath = ~/hooks\n\texcludesfile = ~/mine\n[include]\n\tpath = more\n";
        let keys = "[seed]\n\tpolicyKeys = ~/keys\n\tpolicyKeys = ssh-ed25519 AAAA\n";
        bed.write("home/more", &format!("{more}{keys}"));
        bed.git(&["config", "core.hooksPath", "mine"]);
        bed.git(&["config", "seed.policyKeys", "/own"]);
        let found = bed.store().config_files(Some(&home), &[]);
        assert_eq!(found.own[0], bed.path().join(".git/config"));
        for file in [".gitconfig", "more", "deep"] {
            assert!(found.wider.contains(&home.join(file)), "{file}: {found:?}");
        }
        assert_eq!(found.hooks, ["mine", "~/hooks"]);
        assert_eq!(found.patterns, ["~/mine"]);
        assert_eq!(found.signers, [home.join("keys")]);
    }

    #[test]
    fn a_file_that_says_how_git_stores_files_is_told_from_one_that_does_not() {
        let bed = Testbed::new();
        let wider = bed.path().join("wider");
        let found = |text: &str| {
            std::fs::write(&wider, text).expect("written");
            bed.store().config_files(None, std::slice::from_ref(&wider))
        };
        for (text, stores) in [
            ("[user]\n\tname = Ada\n[core]\n\teditor = vi\n", false),
            ("[core]\n\tautocrlf = false\n", false),
            ("[core]\n\tautocrlf = input\n", true),
            ("[Core]\n\tAttributesFile = ~/mine\n", true),
            ("[core]\n\tautocrlf = false\n\tignorecase = true\n", true),
            ("[attr]\n\ttree = HEAD\n", true),
            ("[core\n", true),
        ] {
            assert_eq!(found(text).stores, stores, "{text}");
        }
        for (include, stores) in [("more", false), ("~ada/more", true), ("%(prefix)/more", true)] {
            let text = format!("[include]\n\tpath = {include}\n");
            assert_eq!(found(&text).stores, stores, "{include}");
        }
        let again = format!("[include]\n\tpath = {}\n", wider.display());
        for deep in 0..8 {
            bed.write(&format!("deep{deep}"), &format!("[include]\n\tpath = deep{}\n", deep + 1));
        }
        assert!(!found(&again).stores, "a circle");
        assert!(found("[include]\n\tpath = deep0\n").stores, "too deep");
    }

    #[test]
    fn somebody_is_named_where_the_repository_or_the_persons_own_file_names_them() {
        let bed = Testbed::new();
        bed.git(&["config", "--unset", "user.email"]);
        let (home, wider) = (bed.path().join("home"), bed.path().join("wider"));
        let whole = "[user]\n\tname = Ada\n\temail = a@b\n";
        for (text, named) in [
            ("[user]\n\tname = Ada\n", false),
            ("[user \"x\"]\n\tname = Ada\n\temail = a@b\n", false),
            ("[user]\n\tname = Ada\n\temail =\n", false),
            ("[include]\n\tpath = ../wider\n", false),
            (whole, true),
        ] {
            bed.write("home/.gitconfig", text);
            bed.write("wider", whole);
            let found = bed.store().config_files(Some(&home), std::slice::from_ref(&wider));
            assert_eq!(found.name_somebody(), named, "{text}");
        }
        bed.git(&["config", "user.email", "a@b"]);
        assert!(bed.store().config_files(None, &[]).name_somebody());
    }

    #[test]
    fn a_file_that_says_nothing_of_signing_or_keys_is_told_from_one_that_may() {
        let bed = Testbed::new();
        let wider = bed.path().join("wider");
        let found = |text: &str| {
            std::fs::write(&wider, text).expect("written");
            let found = bed.store().config_files(None, std::slice::from_ref(&wider));
            (found.signs, found.policy_keys)
        };
        assert_eq!(found("[user]\n\tname = Ada\n"), (false, false));
        assert_eq!(found("[commit]\n\tgpgSign = off\n"), (false, false));
        assert_eq!(found("[commit]\n\tgpgsign\n"), (true, false));
        assert_eq!(found("[commit]\n\tgpgSign = true\n"), (true, false));
        assert_eq!(found("[seed]\n\tpolicykeys = ssh-ed25519 AAAA\n"), (false, true));
        bed.git(&["config", "seed.policyKeys", "/keys"]);
        bed.git(&["config", "commit.gpgSign", "yes"]);
        assert_eq!(found(""), (true, false), "the repository's own keys are none");
    }
}
