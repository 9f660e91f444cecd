//! What was done in this clone, and taking it back.
//!
//! * **Recorded** is what moved: the store remembers each ref of ours that this process moves, and
//!   [`settle`] writes one operation when a command or an event is over, behind its answer. So no
//!   command knows of operations, and one that moved nothing costs nothing: a decision before a
//!   tool asks one empty list. A step costs one commit and two trees more, written once for a
//!   whole command.
//! * **Missing** operations are made again: a kill between a step and its operation leaves a ref
//!   that is not where the newest operation has it. The next operation that moves that ref, and
//!   each `undo`, `redo` and `op log`, first writes down what was found.
//! * **Undone** is by steps: a job gets the state of then, without its log, by a step `undo` or
//!   `redo` on its chain ([`crate::engine::record::led_back`]). A birth is withdrawn, or dropped
//!   where commits, the archive or a remote name the job. A closed job gets its ref back, and one
//!   that was closed then is put away again. Rules get a commit with the text of then. The focus
//!   is turned. A branch that `land` made goes if it is where `land` left it.
//! * **A sync** is undone by its refs alone: they go back to where they stood, without a step, and
//!   the next sync brings in again what came.
//! * **At once.** [`plan`] writes all commits, then [`carry`] what is meant into one file below
//!   `.git/seed/undoing`, then turns one ref after the other. Killed before the file, nothing has
//!   happened; killed later, the next command or event turns the rest.
//! * **Whose.** An operation is taken back in the worktree where it was done, and only where no
//!   other worktree moved the same refs since.

pub(crate) mod brought;
pub(crate) mod carry;
pub(crate) mod log;
pub(crate) mod meant;
pub(crate) mod plan;
mod redacted;
pub(crate) mod settle;
pub(crate) mod told;
pub(crate) mod turn;
mod want;
