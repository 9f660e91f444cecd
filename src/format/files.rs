//! Which files the tree of a job may have. What comes from another clone has no others.

use super::names;

/// The most bytes of one of them.
pub(crate) const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// The longest path.
const MOST_PATH: usize = 300;

/// Files beside the directories.
const FILES: [&str; 15] = [
    names::STATE,
    names::FENCE,
    names::SCOPE,
    names::ALLOWED,
    names::PERSONS,
    names::ACCEPTED,
    names::TOUCHED,
    names::EXCLUDES,
    names::ATTRIBUTES,
    names::BASELINE,
    names::PLAN,
    names::INJECTION,
    names::JOB_RULES,
    names::NOTES,
    names::FOOTERS,
];

/// Directories, each with how deep its files lie and how they end.
const DIRS: [(&str, usize, &str); 8] = [
    ("interactions", 1, ".md"),
    ("summaries", 1, ".md"),
    ("contexts", 1, ".md"),
    (names::TRACE, 1, ".jsonl"),
    (names::EVIDENCE, 2, ".toml"),
    (names::MADE, 1, ".json"),
    (names::LANDED, 1, ".json"),
    ("taken", 1, ""),
];

/// Files, and directories with a trailing `/`, for the test of the page that explains them.
#[cfg(test)]
pub(crate) fn names() -> Vec<String> {
    let dirs = DIRS.iter().map(|(dir, ..)| format!("{dir}/"));
    FILES.iter().map(|file| (*file).to_owned()).chain(dirs).collect()
}

/// The path is one that git seed writes.
pub(crate) fn is_known(path: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    let parts: Vec<&str> = path.split('/').collect();
    let sound = path.len() <= MOST_PATH
        && !path.contains(char::is_control)
        && parts.iter().all(|part| plain(part));
    let [top, below @ ..] = parts.as_slice() else { return false };
    sound
        && match below {
            [] => FILES.contains(top),
            _ if top.strip_prefix("run-").is_some_and(|n| n.parse::<u32>().is_ok()) => {
                below.len() == 1
            }
            _ => DIRS
                .iter()
                .any(|(dir, deep, end)| dir == top && below.len() == *deep && path.ends_with(end)),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_git_seed_writes_is_known() {
        for path in [
            "job.toml",
            "interactions/0001.md",
            "summaries/hand-off-2.md",
            "trace/1-observe-12.jsonl",
            "evidence/0f/0f3a.toml",
            "run-2/session-log-1.md",
            "taken/12-0123456789ab",
            "made/0001-0002.json",
        ] {
            assert!(is_known(path), "{path}");
        }
        for path in [
            "",
            "job.toml/x",
            "../job.toml",
            ".git/config",
            "interactions/../../x.md",
            "interactions/a/b.md",
            "run-x/a",
            "run-1/.git",
            "run-1/a\nb",
            "evidence/a.toml",
            "hooks/pre-push",
        ] {
            assert!(!is_known(path), "{path:?}");
        }
    }
}
