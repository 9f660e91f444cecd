//! The words of a step: what its caller decided, who took it, how it treats the journal, what
//! came of it.

use crate::engine::repo::LoadedJob;
use crate::format::state::State;
use crate::format::trailers::StepTrailers;
use crate::store::{CommitId, TreeEdit};

/// Who took a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum By {
    Agent,
    Person,
    Hook,
}

impl By {
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// What the caller of a step decided.
#[derive(Clone, Debug)]
pub struct StepDraft {
    /// `observe -> plan`, `checkpoint`, `multiplier`: the value of `Seed-Step`.
    pub step: String,
    /// One line that says what happened.
    pub subject: String,
    pub body: String,
    pub by: By,
    /// The phase that the step was taken in.
    pub phase: String,
    /// The cycle that it was taken in.
    pub cycle: u32,
    /// The phase commit that it made.
    pub commit: Option<CommitId>,
    /// The Seed-Id in that commit's message.
    pub carries: Option<String>,
    /// Files of the job's tree that change with it.
    pub edits: Vec<TreeEdit>,
    /// Texts that it takes away.
    pub redacts: Redacting,
}

/// Texts that a step takes away.
#[derive(Clone, Debug, Default)]
pub struct Redacting {
    pub keys: Vec<String>,
    /// Those that it would write itself, too.
    pub own: bool,
}

impl StepDraft {
    /// A step taken in the phase where `state` stands.
    pub fn new(state: &State, step: impl Into<String>, subject: impl Into<String>, by: By) -> Self {
        Self {
            step: step.into(),
            subject: subject.into(),
            body: String::new(),
            by,
            phase: state.stand.phase.to_string(),
            cycle: state.stand.cycle,
            commit: None,
            carries: None,
            edits: Vec::new(),
            redacts: Redacting::default(),
        }
    }

    #[must_use]
    pub(crate) fn with(mut self, edit: TreeEdit) -> Self {
        self.edits.push(edit);
        self
    }
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    pub focused: LoadedJob,
    pub trailers: StepTrailers,
}

/// How a step treats the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journaling {
    /// It belongs to this job: fold it in.
    Read,
    /// It is another job's, or broken: begin a new one.
    Restart,
    /// The job is not focused in this worktree: leave the journal here alone.
    Skip,
}
