//! What is told where the person wants the work to rest for a while.

use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::hosts::Answer;
use crate::voice::{Notice, tell};

/// Both hear how the work does rest, and that the turn may end.
pub(crate) fn told(repo: &Repo) -> Result<Answer> {
    let told = tell(Notice::RestAgent, &[]);
    // As the step of the prompt left it.
    if let Some(now) = repo.focused()? {
        record::journal_line::count_injected(repo, &now, &told)?;
    }
    let to_person = Some(tell(Notice::RestPerson, &[]));
    Ok(Answer { to_person, ..Answer::context(told) })
}
