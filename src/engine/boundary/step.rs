//! The words of a boundary: where it goes, what was judged, what came of it.

use crate::engine::fence::survey::Survey;
use crate::engine::repo::LoadedJob;
use crate::format::trailers::StepTrailers;
use crate::jobs::Naming;
use crate::memory::seen::Seen;
use crate::phases::message::Message;
use crate::phases::{Move, PhaseName};
use crate::store::{CommitId, TreeEdit};

/// A boundary that was crossed.
#[derive(Clone, Debug)]
pub(crate) struct Transitioned {
    pub focused: LoadedJob,
    pub trailers: StepTrailers,
    pub commit: Option<CommitId>,
    /// Worth telling the agent, one line each: pages mended, changes left alone.
    pub remarks: Vec<String>,
    /// The job reached idle completed, and focus was given up.
    pub closed: bool,
    /// A prompt that had waited became the next job.
    pub created: Option<LoadedJob>,
    /// The job rests until a person approves it, and focus was given up.
    pub rests: bool,
    /// A job that waited in this worktree took the focus of one that rests.
    pub next: Option<LoadedJob>,
}

/// What the first half of a boundary found out.
pub(crate) struct Judged {
    pub(crate) survey: Survey,
    pub(crate) step: Option<Move>,
    pub(crate) name: String,
    pub(crate) message: Message,
    /// What its head called the job.
    pub(crate) naming: Naming,
    /// The message as it was sent, head and all: what is judged again after a kill.
    pub(crate) sent: String,
    /// Phase and cycle that it was judged in.
    pub(crate) at: (PhaseName, u32),
    /// The job is finished, and rests with this step until a person approves it.
    pub(crate) rests: bool,
    /// The last planned cycle closes with this step.
    pub(crate) last: bool,
    /// What is found out behind the judgement.
    pub(crate) adds: Adds,
}

/// What a boundary's step holds besides, found out once it may be crossed.
#[derive(Default)]
pub(crate) struct Adds {
    /// The ledger of sessions, where this boundary adds to it.
    pub(crate) ledger: Option<TreeEdit>,
    /// What was seen of the stay that ends, for the record of the session.
    pub(crate) seen: Option<Seen>,
    /// What the commits of the cycle hold, where this boundary closes it.
    pub(crate) made: Option<TreeEdit>,
    /// Its commit is the first one without a signature, though git is set up to sign.
    pub(crate) unsigned: Option<String>,
}
