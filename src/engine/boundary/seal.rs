//! The last step of a cycle asks for the compaction file that is still open.

use crate::engine::repo::{LoadedJob, Repo};
use crate::engine::{jobs, memory};
use crate::format::names;
use crate::phases::review::Review;

/// The open file of a job that ends with this step, or rests until a person ends it.
pub(crate) fn open_at_the_end(repo: &Repo, focused: &LoadedJob, review: Review) -> Option<String> {
    let rests = jobs::unattended::would_rest(repo, focused, review);
    let ends = focused.state.is_closing() || rests;
    let open = memory::context::compaction_of(focused).filter(|stand| ends && !stand.sealed);
    open.map(|stand| names::compaction(stand.seq))
}
