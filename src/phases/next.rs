//! What comes next for a job in focus: one answer for `status`, for the stop gate and for what
//! refuses a step.

use super::review::{Ending, Review};
use super::{Phase, PhaseKind, gates};
use crate::verdict::{Refusal, Wants};

/// A job in focus, as far as its next step hangs on it.
#[derive(Clone, Debug)]
pub struct Standing<'a> {
    /// The row where it stands.
    pub row: &'a Phase,
    /// It stands in the side lane.
    pub aside: bool,
    /// It stands between cycles.
    pub rests: bool,
    /// Its map is a small lane: the row says all that there is to do.
    pub lane: bool,
    /// Between cycles, and the last one was closed without an answer.
    pub finished: bool,
    /// What became of the question for completion.
    pub review: Review,
    /// Why the jobs that it waits for forbid its end.
    pub waits: Option<Refusal>,
    /// What stands between here and the step forward, in the order of the gates.
    pub missing: &'a [Refusal],
}

/// The step forward on a small lane.
pub(crate) const LANE_FORWARD: &str = "git seed phase advance -m \"<what was done>\"";

/// The step forward on every other map.
pub(crate) const FORWARD: &str = "git seed phase advance -F -";

/// The step that opens a cycle for what a person said of finished work.
pub(crate) const REVIEW: &str = "git seed phase advance --review";

impl Standing<'_> {
    /// Where nothing is missing, nothing of the row is left to do: what it is for shows by its
    /// gates.
    fn is_done(&self) -> bool {
        self.row.kind == PhaseKind::Consolidation || self.row.proves()
    }
}

/// What comes next.
#[derive(Clone, Debug)]
pub enum Next {
    /// A command of git seed.
    Command(&'static str),
    /// What this refusal would say to do.
    Mend(Refusal),
    /// The work of the row.
    Work(String),
    /// Only the person's approval is left.
    Approval,
}

/// The next step of a job in focus.
pub fn next(standing: &Standing<'_>) -> Next {
    if standing.aside {
        return Next::Command("git seed gmode exit");
    }
    if standing.review.opens_a_cycle().is_ok() {
        let stops = |no: &&Refusal| no.wants == Wants::Home || gates::OF_REVIEW.contains(&no.by);
        let open = standing.missing.iter().find(stops);
        let reopens = || Next::Command(REVIEW);
        return open.map_or_else(reopens, |refusal| Next::Mend(refusal.clone()));
    }
    if standing.finished {
        let asks = || Ending::Asks(standing.review).may_close().err();
        return standing.waits.clone().or_else(asks).map_or(Next::Approval, Next::Mend);
    }
    if standing.rests {
        // The step looks at nothing but where HEAD is.
        let stops = standing.missing.iter().find(|no| no.wants == Wants::Home);
        let begins = || Next::Command("git seed phase advance");
        return stops.map_or_else(begins, |refusal| Next::Mend(refusal.clone()));
    }
    match standing.missing.first() {
        Some(refusal) => Next::Mend(refusal.clone()),
        None if standing.lane && standing.is_done() => Next::Command(LANE_FORWARD),
        None if standing.lane => Next::Work(standing.row.work.clone()),
        None => Next::Command(FORWARD),
    }
}

/// What comes next in a worktree where no job has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loose {
    /// A job that waits here is taken up.
    Activate,
    /// The person goes on with a job that they paused.
    Resume,
    /// The person approves a job that rests.
    Approve,
    /// The person lands a job that they approved.
    Land,
    /// The person says what is to be done.
    Prompt,
}

/// What waits in a worktree where no job has the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// A job may be taken up.
    pub queued: bool,
    /// A person paused one.
    pub paused: bool,
    /// One rests until it is approved.
    pub awaiting: bool,
    /// One was approved, and its person is asked whether it lands.
    pub landing: bool,
}

/// The next step without a focus: what keeps a turn open comes before what is the person's.
pub fn without_job(waiting: Waiting) -> Loose {
    match waiting {
        Waiting { queued: true, .. } => Loose::Activate,
        Waiting { paused: true, .. } => Loose::Resume,
        Waiting { awaiting: true, .. } => Loose::Approve,
        Waiting { landing: true, .. } => Loose::Land,
        _ => Loose::Prompt,
    }
}
