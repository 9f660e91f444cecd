//! The branch that a job lives on: a step is taken there, and a job is taken up there.

use crate::verdict::{Case, Refusal, Verdict, Wants};

/// Git operations that move nothing of a job's: on its branch a step may be taken while one is
/// under way.
const HARMLESS: [&str; 1] = ["bisect"];

const BY: &str = "home";

fn no(case: Case) -> Refusal {
    Refusal::new(BY, Wants::Home).case(case)
}

/// The branch of a job, where HEAD is on another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away<'a> {
    /// Its full name.
    pub branch: &'a str,
    /// There is no such branch any more: nobody can switch back to it.
    pub is_gone: bool,
}

impl Away<'_> {
    /// What `by` says of it.
    pub(crate) fn refusal(self, by: &'static str) -> Refusal {
        let case = if self.is_gone { Case::BranchGone } else { Case::Branch };
        Refusal::new(by, Wants::Home).case(case).with("branch", self.branch)
    }
}

/// Where HEAD is, as a step finds it.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The branch of the job, where HEAD is on another one.
    pub away: Option<Away<'a>>,
    /// The git operation that is under way.
    pub doing: Option<&'a str>,
    /// The files of a merge that the agent was allowed to begin, and that it may end.
    pub merging: Option<&'a [String]>,
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
    // In the middle of a rebase or a bisect HEAD is on no branch: it is that which has to end.
    let nowhere = here.away.is_some() || here.branch.is_empty();
    let stops = |doing: &&str| nowhere || !HARMLESS.contains(doing);
    if let Some(doing) = here.doing.filter(stops) {
        return Err(match here.merging {
            Some(files) => no(Case::OperationMerge).with("paths", files.join(" ")),
            None => no(Case::Operation).with("what", doing),
        });
    }
    if let Some(away) = here.away {
        return Err(away.refusal(BY));
    }
    if holds_last() { Ok(()) } else { Err(no(Case::History).with("branch", here.branch)) }
}

/// A job that has a branch is taken up on one: in the middle of an operation that took HEAD off it
/// it would lose it.
pub(crate) fn finds_a_branch(doing: Option<&str>, on_a_branch: bool) -> Verdict {
    match doing.filter(|_| !on_a_branch) {
        Some(doing) => Err(no(Case::Operation).with("what", doing)),
        None => Ok(()),
    }
}

/// A job moves to where HEAD is, unless an operation of git put HEAD there for as long as it
/// lasts: commits that are made there belong to no branch afterwards.
pub(crate) fn moves(doing: Option<&str>, on_a_branch: bool) -> Verdict {
    match doing {
        Some(doing) if !(on_a_branch && HARMLESS.contains(&doing)) => {
            Err(no(Case::OperationMoves).with("what", doing))
        }
        _ => Ok(()),
    }
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
    /// The same, and no branch here has it but one of a remote.
    OfRemote,
    /// This clone does not have it.
    Absent,
    /// The same, and HEAD is on the branch where it was made, which follows one of a remote.
    Behind,
}

/// A job is taken up where HEAD builds on its last commit; `branch` is where that was made, or the
/// branch of a remote that has it.
pub(crate) fn takes_up(last: LastCommit, branch: &str, id: &str) -> Verdict {
    let case = match last {
        LastCommit::None | LastCommit::Below => return Ok(()),
        LastCommit::Beside => Case::ResumeBranch,
        LastCommit::OfRemote => Case::ResumeMerge,
        LastCommit::Absent => Case::ResumeFetch,
        LastCommit::Behind => Case::ResumePull,
    };
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    Err(no(case).with("branch", branch).with("id", id))
}

/// A commit that one of two histories has alone, and the ids of steps that its message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub commit: String,
    pub ids: Vec<String>,
}

/// A step whose commit another one stands for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rewritten {
    pub id: String,
    pub old: String,
    pub new: String,
}

/// Where the commits of a job are, seen from HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trail {
    /// HEAD builds on the last one.
    Whole,
    /// HEAD does not, and each step stands in a commit that it does build on, oldest first.
    Rewritten(Vec<Rewritten>),
    /// These steps stand in none.
    Gone(Vec<String>),
}

/// Follows the commits that HEAD has `lost` to those that are `here` instead; both newest first.
pub(crate) fn follow(lost: &[Named], here: &[Named]) -> Trail {
    if lost.is_empty() {
        return Trail::Whole;
    }
    let (mut moved, mut gone): (Vec<Rewritten>, Vec<String>) = Default::default();
    for old in lost.iter().rev() {
        for id in &old.ids {
            match here.iter().find(|new| new.ids.contains(id)) {
                Some(new) => moved.push(Rewritten {
                    id: id.clone(),
                    old: old.commit.clone(),
                    new: new.commit.clone(),
                }),
                None => gone.push(id.clone()),
            }
        }
    }
    if gone.is_empty() { Trail::Rewritten(moved) } else { Trail::Gone(gone) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(verdict: Verdict) -> String {
        verdict
            .map_or_else(|no| no.facts.get("case").unwrap_or("-").to_owned(), |()| "yes".to_owned())
    }

    #[test]
    fn a_step_wants_quiet_then_the_branch_then_the_history() {
        let main = "refs/heads/main";
        let away = |is_gone| Some(Away { branch: "main", is_gone });
        for (away, doing, holds, expected) in [
            (None, None, true, "yes"),
            (None, Some("bisect"), true, "yes"),
            (None, Some("merge"), true, "operation"),
            (None, None, false, "history"),
            (away(false), Some("rebase"), false, "operation"),
            (away(false), Some("bisect"), false, "operation"),
            (away(false), None, false, "branch"),
            (away(true), None, false, "branch-gone"),
        ] {
            let here = Here { away, doing, merging: None, branch: main };
            assert_eq!(case(takes_steps(here, || holds)), expected, "{here:?}");
        }
        // What began in a bisect stands on no branch.
        let here = |doing| Here { away: None, doing, merging: None, branch: "" };
        assert_eq!(case(takes_steps(here(Some("bisect")), || true)), "operation");
        assert_eq!(case(takes_steps(here(None), || true)), "yes");
    }

    #[test]
    fn nothing_moves_to_where_an_operation_put_head() {
        for (doing, on_a_branch, move_to, take_up) in [
            (None, true, "yes", "yes"),
            (None, false, "yes", "yes"),
            (Some("bisect"), true, "yes", "yes"),
            (Some("bisect"), false, "operation-moves", "operation"),
            (Some("rebase"), false, "operation-moves", "operation"),
            (Some("merge"), true, "operation-moves", "yes"),
        ] {
            let said = [moves(doing, on_a_branch), finds_a_branch(doing, on_a_branch)].map(case);
            assert_eq!(said, [move_to, take_up], "{doing:?} {on_a_branch}");
        }
    }

    #[test]
    fn a_job_is_taken_up_on_top_of_its_last_commit() {
        for (last, expected) in [
            (LastCommit::None, "yes"),
            (LastCommit::Below, "yes"),
            (LastCommit::Beside, "resume-branch"),
            (LastCommit::OfRemote, "resume-merge"),
            (LastCommit::Absent, "resume-fetch"),
            (LastCommit::Behind, "resume-pull"),
        ] {
            let verdict = takes_up(last, "refs/heads/main", "j");
            assert_eq!(case(verdict.clone()), expected);
            let branch = verdict.err().and_then(|no| no.facts.get("branch").map(str::to_owned));
            assert!(branch.is_none_or(|branch| branch == "main"));
        }
    }

    #[test]
    fn a_step_is_followed_by_its_id() {
        let side = |commits: &[(&str, &[&str])]| -> Vec<Named> {
            let named = |(commit, ids): &(&str, &[&str])| Named {
                commit: (*commit).to_owned(),
                ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            };
            commits.iter().map(named).collect()
        };
        let told = |trail: Trail| match trail {
            Trail::Whole => "whole".to_owned(),
            Trail::Rewritten(moved) => {
                moved.iter().map(|one| format!("{} {}>{};", one.id, one.old, one.new)).collect()
            }
            Trail::Gone(ids) => format!("gone {}", ids.join(" ")),
        };
        for (lost, here, expected) in [
            (side(&[]), side(&[("x", &[])]), "whole"),
            (side(&[("b", &["2"])]), side(&[("c", &["2"])]), "2 b>c;"),
            // Two squashed into one, and somebody's own commit between.
            (
                side(&[("b", &["2"]), ("p", &[]), ("a", &["1"])]),
                side(&[("c", &["1", "2"]), ("u", &[])]),
                "1 a>c;2 b>c;",
            ),
            (side(&[("b", &["2"]), ("a", &["1"])]), side(&[("c", &["2"])]), "gone 1"),
            (side(&[("b", &["2"])]), side(&[]), "gone 2"),
            (side(&[("p", &[])]), side(&[("q", &[])]), ""),
        ] {
            assert_eq!(told(follow(&lost, &here)), expected, "{lost:?}");
        }
    }
}
