//! What the agent hears of a job that has not begun: how it may begin.

use crate::engine::repo::Repo;
use crate::format::state::State;
use crate::phases::FirstStep;
use crate::voice::{Notice, tell};

/// The text with the prompt that a job is born of.
pub(crate) fn text(repo: &Repo, state: &State) -> String {
    tell(
        match repo.first_step(state) {
            FirstStep::Whole => Notice::PromptIsJob,
            FirstStep::Either => Notice::PromptIsJobEither,
            FirstStep::Small => Notice::PromptIsJobSmall,
        },
        &[],
    )
}
