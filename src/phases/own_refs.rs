//! Whether a push would take git seed's own refs along: they hold what a person said, and a
//! remote's copy of them is nobody's to move with a push.

use crate::shell::{GitFlag, GitVerb};

/// Our own refs as prefixes of full names.
const OWN: [&str; 2] = ["refs/seed/", "refs/notes/seed"];

/// How the same are written short: `seed/x` alone may be a person's branch.
const SHORT: [&str; 7] = [
    "seed/jobs/",
    "seed/keep/",
    "seed/archive",
    "seed/rules",
    "seed/claims",
    "seed/meta",
    "notes/seed",
];

/// Verbs that send refs to a remote.
const SENDING: [&str; 3] = ["push", "send-pack", "http-push"];

/// Whether the words of a git command send or move our own refs. What configuration adds to
/// them is the caller's to know.
pub(crate) fn are_sent_by(git: &GitVerb) -> bool {
    if !SENDING.contains(&git.verb.as_str()) {
        return false;
    }
    // The first is the remote, wherever options stand.
    let mut specs = git.args.iter().filter(|arg| !arg.starts_with('-')).skip(1);
    git.has(GitFlag::Mirror) || specs.any(|spec| are_in(spec))
}

/// Whether one side of a refspec names one of ours, or a pattern in it takes them in.
pub(crate) fn are_in(spec: &str) -> bool {
    let spec = spec.strip_prefix('+').unwrap_or(spec);
    spec.split(':').any(|side| match side.split_once('*') {
        // What is taken out again by `^` sends nothing.
        _ if side.starts_with('^') => false,
        Some((before, _)) => {
            OWN.iter().any(|own| own.starts_with(before) || before.starts_with(own))
                || SHORT.iter().any(|short| before.starts_with(short))
        }
        None => OWN.iter().chain(&SHORT).any(|own| side.starts_with(own)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn a_push_takes_them_along_by_a_name_a_pattern_or_as_a_mirror() {
        for (line, taken) in [
            ("git push", false),
            ("git push origin HEAD", false),
            ("git push --all origin", false),
            ("git push --tags origin", false),
            ("git push --prune origin 'refs/heads/*'", false),
            ("git push origin 'refs/heads/*:refs/heads/*'", false),
            ("git push origin 'refs/tags/*' main", false),
            ("git push origin seed/lexer", false),
            ("git push origin refs/heads/seed/rules", false),
            ("git push origin refs/notes/commits", false),
            ("git fetch origin 'refs/*:refs/*'", false),
            ("git push --mirror", true),
            ("git push --mirror origin", true),
            ("git push --mir origin", true),
            ("git push origin 'refs/*:refs/*'", true),
            ("git push origin '+refs/*'", true),
            ("git push origin 'refs/s*:refs/heads/*'", true),
            ("git push --prune origin '+refs/*:refs/*'", true),
            ("git push origin 'refs/seed/*'", true),
            ("git push origin 'refs/seed/jobs/a*'", true),
            ("git push origin main 'refs/notes/*:refs/notes/*'", true),
            ("git push origin main:refs/seed/jobs/x", true),
            ("git push origin :refs/seed/meta", true),
            ("git push -d origin refs/seed/archive", true),
            ("git push origin refs/notes/seed", true),
            ("git push origin seed/jobs/x:refs/heads/x", true),
            ("git push -o ci.skip origin notes/seed", true),
            ("git send-pack --mirror ../x.git", true),
        ] {
            let reading = shell::read(line);
            let git = reading.git_verbs().next().unwrap_or_else(|| panic!("{line}"));
            assert_eq!(are_sent_by(git), taken, "{line}");
        }
    }
}
