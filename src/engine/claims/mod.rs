//! What is said of the work, and what it rests on: receipts, rulings, records, verification.

pub(crate) mod checkers;
pub mod export;
pub(crate) mod gate;
pub(crate) mod legality;
pub(crate) mod receipts;
pub mod records;
pub(crate) mod required;
pub(crate) mod turn;
pub mod verify;
