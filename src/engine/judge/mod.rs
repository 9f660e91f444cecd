//! What is said of the work, held against what was seen, without a command of the agent: the card,
//! criteria, words, the message that closes a cycle.

pub(crate) mod acceptance;
pub(crate) mod card;
mod carried;
pub(crate) mod ci;
pub(crate) mod ci_cards;
pub(crate) mod closing;
pub(crate) mod cost;
mod counted;
pub(crate) mod criteria;
pub(crate) mod judged_by;
mod last_claim;
mod past;
pub(crate) mod shown;
pub(crate) mod words;
