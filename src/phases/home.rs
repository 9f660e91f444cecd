//! The branch that a job lives on: a step is taken there, and a job is taken up there.

use crate::verdict::{Case, Refusal, Verdict, Wants};

/// Git operations that move nothing of a job's: a step may be taken while one is under way.
const HARMLESS: [&str; 1] = ["bisect"];

fn no(case: Case) -> Refusal {
    Refusal::new("home", Wants::Home).case(case)
}

/// Where HEAD is, as a step finds it.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The branch of the job, where HEAD is on another one.
    pub away: Option<&'a str>,
    /// The git operation that is under way.
    pub doing: Option<&'a str>,
    /// Full name of the branch that the job lives on.
    pub branch: &'a str,
}

/// A step is taken on the job's branch, with nothing under way, on top of its last commit.
/// `holds_last` looks for that commit in HEAD's history; it is asked last, as it walks.
///
/// # Errors
///
/// Refuses on another branch, in the middle of an operation of git, and where the last commit is
/// not in the history of HEAD.
pub fn takes_steps(here: Here<'_>, holds_last: impl FnOnce() -> bool) -> Verdict {
    if let Some(branch) = here.away {
        return Err(no(Case::Branch).with("branch", branch));
    }
    if let Some(doing) = here.doing.filter(|doing| !HARMLESS.contains(doing)) {
        return Err(no(Case::Operation).with("what", doing));
    }
    if holds_last() { Ok(()) } else { Err(no(Case::History).with("branch", here.branch)) }
}

/// The last commit of a job that is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastCommit {
    /// It has none.
    None,
    /// HEAD builds on it.
    Below,
    /// It is here, and HEAD does not build on it.
    Beside,
    /// This clone does not have it.
    Absent,
}

/// A job is taken up where HEAD builds on its last commit; `branch` is where that was made.
pub(crate) fn takes_up(last: LastCommit, branch: &str, id: &str) -> Verdict {
    let case = match last {
        LastCommit::None | LastCommit::Below => return Ok(()),
        LastCommit::Beside => Case::ResumeBranch,
        LastCommit::Absent => Case::ResumeFetch,
    };
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    Err(no(case).with("branch", branch).with("id", id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(verdict: Verdict) -> String {
        verdict
            .map_or_else(|no| no.facts.get("case").unwrap_or("-").to_owned(), |()| "yes".to_owned())
    }

    #[test]
    fn a_step_wants_the_branch_then_quiet_then_the_history() {
        let main = "refs/heads/main";
        for (away, doing, holds, expected) in [
            (None, None, true, "yes"),
            (None, Some("bisect"), true, "yes"),
            (None, Some("merge"), true, "operation"),
            (None, None, false, "history"),
            (Some("main"), Some("merge"), false, "branch"),
        ] {
            let here = Here { away, doing, branch: main };
            assert_eq!(case(takes_steps(here, || holds)), expected, "{here:?}");
        }
    }

    #[test]
    fn a_job_is_taken_up_on_top_of_its_last_commit() {
        for (last, expected) in [
            (LastCommit::None, "yes"),
            (LastCommit::Below, "yes"),
            (LastCommit::Beside, "resume-branch"),
            (LastCommit::Absent, "resume-fetch"),
        ] {
            let verdict = takes_up(last, "refs/heads/main", "j");
            assert_eq!(case(verdict.clone()), expected);
            let branch = verdict.err().and_then(|no| no.facts.get("branch").map(str::to_owned));
            assert!(branch.is_none_or(|branch| branch == "main"));
        }
    }
}
