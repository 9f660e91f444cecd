//! `git seed`: a disciplined working life for coding agents inside an ordinary git repository.
pub mod event;
pub mod verdict;
