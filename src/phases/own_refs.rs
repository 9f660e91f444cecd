//! Whether a push would take git seed's own refs along: they hold what a person said, and a
//! remote's copy of them is nobody's to move with a push.

use crate::shell::{GitFlag, GitVerb};
use crate::verdict::{Case, Refusal, Wants};

/// Our own refs as prefixes of full names.
const OWN: [&str; 3] = ["refs/seed/", "refs/notes/seed", "refs/worktree/seed"];

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

/// The refusal of a push that takes ours along, by what git tells its hook: lines of a local ref,
/// its commit, the ref there, and what it was. `tips` are the commits where ours stand.
pub(crate) fn refused_push(pushed: &str, tips: &[String]) -> Option<Refusal> {
    let taken = |line: &&str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let named = [0, 2].iter().filter_map(|at| fields.get(*at)).any(|name| are_in(name));
        named || fields.get(1).is_some_and(|commit| tips.iter().any(|tip| tip == commit))
    };
    let line = pushed.lines().find(taken)?;
    let spec = line.split(' ').step_by(2).take(2).collect::<Vec<_>>().join(":");
    let refusal = Refusal::new("guard", Wants::Git).case(Case::OwnRefs);
    Some(refusal.with("verb", "push").with("line", format!("git push {spec}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn what_git_tells_of_a_push_names_ours_by_either_end_or_by_the_commit() {
        let tips = ["aaaa".to_owned()];
        for (told, refused) in [
            ("refs/heads/main cccc refs/heads/main dddd", false),
            (
                "refs/heads/main cccc refs/heads/main dddd\nrefs/seed/meta bbbb refs/seed/meta 0",
                true,
            ),
            ("HEAD cccc refs/seed/jobs/x 0", true),
            ("refs/notes/seed bbbb refs/heads/x 0", true),
            ("(delete) 0 refs/seed/meta bbbb", true),
            ("aaaa aaaa refs/heads/x 0", true),
            ("refs/worktree/seed/focus bbbb refs/heads/y 0", true),
            ("refs/heads/seed/meta cccc refs/heads/seed/meta 0", false),
            ("", false),
        ] {
            assert_eq!(refused_push(told, &tips).is_some(), refused, "{told}");
        }
    }

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
