//! How an operation that can be refused is answered.

use crate::engine::repo::Result;
use crate::verdict::Refusal;

/// Either it was done, or a rule said no.
pub(crate) type Answered<T> = Result<std::result::Result<T, Refusal>>;

/// What came of an answer, in words for the agent.
pub(crate) enum PersonReply {
    /// Not a question that git seed acts upon; it was kept with the job.
    Kept,
    /// It was acted upon; this is what is true now.
    Done(String),
    /// It was not acted upon, for this reason.
    NotCounted(String),
}
