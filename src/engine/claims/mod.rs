//! What is said of the work, and what it rests on: receipts and rulings.

pub(crate) mod checkers;
mod earlier;
pub(crate) mod gate;
pub(crate) mod loose;
pub(crate) mod places;
pub(crate) mod proving;
pub(crate) mod receipts;
pub(crate) mod required;
pub(crate) mod started;
pub(crate) mod swapped;
pub(crate) mod turn;
pub(crate) mod turned_tests;
