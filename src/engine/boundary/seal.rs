//! The last step of a cycle asks for the compaction file that is still open.

use crate::engine::repo::{LoadedJob, Repo};
use crate::engine::{jobs, memory};
use crate::format::names;

/// The open file of a job that ends with this step, or rests until a person ends it.
pub(crate) fn open_at_the_end(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    let ends = focused.state.is_closing() || jobs::unattended::would_rest(repo, focused);
    let open = memory::context::compaction_of(focused).filter(|stand| ends && !stand.sealed);
    open.map(|stand| names::compaction(stand.seq))
}
