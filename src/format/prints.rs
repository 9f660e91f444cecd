//! Prints: how the files that hold the fence up looked when the session began.
//!
//! One file per worktree holds them, beside the sessions. A file is known by a hash of its
//! bytes, the bits that let it run, and where it leads if it is a link; what the system
//! says of it (size, times, inode) only decides whether it is worth reading again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What a printed file is to the fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Settings of an agent host.
    Settings,
    /// Something that git runs as a hook.
    Hook,
    /// Git's configuration of this repository.
    Config,
    /// Git's configuration of the person or the machine.
    Wider,
    /// `info/exclude` and `info/attributes`.
    Info,
    /// The program itself.
    Binary,
}

/// What lies at a path; nothing where `sum` is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sum: String,
    /// All permission bits, for putting it back; of a hook those that let it run count.
    #[serde(default)]
    pub mode: u32,
    /// Where it leads, if it is a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The name under which its bytes are kept; empty where they are not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kept: String,
}

impl Content {
    pub(crate) fn is_there(&self) -> bool {
        !self.sum.is_empty()
    }

    /// True when both are the same thing for the fence.
    pub(crate) fn is_same(&self, other: &Self, role: Role) -> bool {
        let runs =
            |content: &Self| content.is_there() && role == Role::Hook && content.mode & 0o111 != 0;
        self.sum == other.sum && self.link == other.link && runs(self) == runs(other)
    }
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Print {
    pub path: String,
    /// How people and agents are told of it: from the work tree, `~/…` or `.git/…`.
    pub shown: String,
    pub role: Role,
    /// How it was, and may be.
    pub was: Content,
    /// What the system said of it when it was looked at last.
    pub seen: String,
    /// What a call of the agent made of it, until that is put back or accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stray: Option<Content>,
}

/// What a look at one file came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is as it was when it was looked at last.
    Same,
    /// It is again as it was in the beginning.
    Back,
    /// It is something else than before.
    Changed,
}

impl Print {
    /// Compares what lies there `now` with what is known.
    pub(crate) fn look(&self, now: &Content) -> Look {
        match &self.stray {
            Some(stray) if stray.is_same(now, self.role) => Look::Same,
            Some(_) if self.was.is_same(now, self.role) => Look::Back,
            None if self.was.is_same(now, self.role) => Look::Same,
            _ => Look::Changed,
        }
    }

    /// True where the bytes that were there are held, or nothing was there.
    pub(crate) fn can_be_put_back(&self) -> bool {
        !self.was.is_there() || !self.was.kept.is_empty()
    }

    /// True when `word` means this file.
    pub(crate) fn is_named(&self, word: &str) -> bool {
        self.shown == word || self.path == word
    }
}

/// All prints of a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Prints {
    /// When they were taken.
    pub taken: i64,
    /// Directories whose files git runs as hooks.
    #[serde(default)]
    pub dirs: Vec<String>,
    pub files: Vec<Print>,
}

impl Prints {
    pub(crate) fn strays(&self) -> impl Iterator<Item = &Print> {
        self.files.iter().filter(|print| print.stray.is_some())
    }
}

/// The bytes of git configuration that count: which branch tracks which is written by
/// ordinary commands (`push -u`, `switch --track`, `branch -d`) and opens nothing while it names
/// a remote of this repository; an address in its place is where the next push would go.
pub(crate) fn tame(config: &[u8]) -> Vec<u8> {
    const HARMLESS: [&str; 2] = ["merge", "rebase"];
    let text = String::from_utf8_lossy(config);
    let remote =
        |line: &str| Some(line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]")?.to_owned());
    let remotes: BTreeSet<String> = text.lines().filter_map(remote).collect();
    let mut left = String::with_capacity(text.len());
    let mut branch = None;
    let mut goes_on = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let continued = std::mem::replace(&mut goes_on, bare.ends_with('\\'));
        let header = bare.starts_with('[');
        if header && !continued {
            let plain = bare.starts_with("[branch \"") && bare.ends_with("\"]");
            branch = (plain && bare.matches('[').count() == 1).then_some(line);
            if branch.is_none() {
                left.push_str(line);
            }
            continue;
        }
        let (key, value) = bare.split_once('=').unwrap_or((bare, ""));
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        let named = || value == "." || remotes.contains(value);
        let harmless = HARMLESS.iter().any(|known| key.eq_ignore_ascii_case(known))
            || key.eq_ignore_ascii_case("remote") && named();
        let passed = bare.is_empty() || harmless && bare.contains('=');
        if branch.is_some() && passed && !continued && !goes_on {
            continue;
        }
        // What else stands in such a section counts, and so does the section then.
        left.extend(branch.take());
        left.push_str(line);
    }
    left.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(sum: &str, mode: u32) -> Content {
        Content { sum: sum.to_owned(), mode, ..Content::default() }
    }

    #[test]
    fn a_look_tells_what_became_of_a_file() {
        let (was, other, third, gone) =
            (content("a", 0o644), content("b", 0o644), content("c", 0o644), Content::default());
        for (stray, now, look) in [
            (None, &was, Look::Same),
            (None, &other, Look::Changed),
            (None, &gone, Look::Changed),
            (Some(&other), &other, Look::Same),
            (Some(&other), &was, Look::Back),
            (Some(&other), &third, Look::Changed),
            (Some(&gone), &gone, Look::Same),
        ] {
            let print = Print {
                path: "/r/.git/config".to_owned(),
                shown: ".git/config".to_owned(),
                role: Role::Config,
                was: was.clone(),
                seen: String::new(),
                stray: stray.cloned(),
            };
            assert_eq!(print.look(now), look, "{stray:?} {now:?}");
        }
    }

    #[test]
    fn the_bits_that_let_it_run_count_for_a_hook_alone() {
        for (role, a, b, same) in [
            (Role::Hook, 0o755, 0o644, false),
            (Role::Hook, 0o755, 0o700, true),
            (Role::Settings, 0o755, 0o644, true),
        ] {
            assert_eq!(
                content("a", a).is_same(&content("a", b), role),
                same,
                "{role:?} {a:o} {b:o}"
            );
        }
    }

    #[test]
    fn only_what_a_branch_tracks_is_passed_over() {
        let core = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = u\n";
        let told =
            |rest: &str| String::from_utf8(tame(format!("{core}{rest}").as_bytes())).expect("text");
        for passed in [
            "",
            "[branch \"a\"]\n\tremote = origin\n\tmerge = refs/heads/a\n",
            "[branch \"a\"]\n",
            "[branch \"a\"]\n\trebase = true\n[branch \"b\"]\n\tremote = .\n",
        ] {
            assert_eq!(told(passed), core, "{passed}");
        }
        for counts in [
            "\thooksPath = x\n",
            "[branch \"a\"]\n\tmergeOptions = --no-verify\n",
            "[branch \"a\"] [core]\n\thooksPath = x\n",
            "[branch \"a\"][core \"b\"]\n\tmerge = x\n",
            "[branch \"a\"] hooksPath = x\n",
            "[alias]\n\tx = !true\\\n[branch \"a\"]\n\tremote = x\n",
            "[branch \"a\"]\n\tremote = x\\\n[core]\n\thooksPath = x\n",
            "[include]\n\tpath = x\n",
            "[branch \"a\"]\n\tremote = ../other.git\n\tmerge = refs/heads/a\n",
            "[branch \"a\"]\n\tremote = fork\n",
            "[branch \"a\"]\n\tremote = origin ; x\n",
            "[branch \"a\"]\n\tremote\n",
        ] {
            assert_ne!(told(counts), core, "{counts}");
        }
    }
}
