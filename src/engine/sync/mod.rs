//! What another clone published, and what this one has: joined ref by ref.

pub(crate) mod join;
