//! What another clone published, and what this one has: joined ref by ref.
#![cfg_attr(not(test), expect(dead_code, reason = "the command that fetches and pushes calls it"))]

pub(crate) mod join;
