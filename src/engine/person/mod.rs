//! What a person says, and what it does: prompts, short words, answers to questions.
//!
//! A grant is the person's alone: every way in asks [`sender`] who speaks.

pub(crate) mod allow_word;
pub(crate) mod answers;
pub(crate) mod ask;
pub(crate) mod at_terminal;
pub(crate) mod claimed;
mod closing;
mod granting;
pub(crate) mod landing_word;
pub(crate) mod lane_word;
pub(crate) mod mode_word;
pub(crate) mod prompt;
pub(crate) mod resume_word;
pub(crate) mod route;
pub(crate) mod sender;
pub(crate) mod short_words;
pub(crate) mod spoken;
pub(crate) mod track_word;
