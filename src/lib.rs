//! `git seed`: a disciplined working life for coding agents inside an ordinary git repository.
//!
//! Who may use whom, from top to bottom:
//!
//! ```text
//! cli           one command per file: parse, one call, print; report.rs holds all printing
//! mcp           the same functions for claims, over the Model Context Protocol
//! tour          the whole story in a throw-away repository, through real commands
//! engine        the joint: gather, ask, record, in rooms
//! store         the one door to git           hosts     payload -> Event, answer -> reply
//! githooks      our hooks beside theirs       rules     shipped tables and applied ones
//! world         clock, ids, environment       voice     wanted work -> sentences
//! confine       a process that writes to few places
//! format        bytes <-> types
//! jobs phases memory plans claims             domains: pure, and they do not know each other
//! shell         a command line -> what it would do
//! verdict event the words that everything speaks; front_matter: where a file's own begins and ends
//! secrets       likely secrets in a text, and the text without them
//! html          text on its way into HTML, escaped by its type
//! ```
//!
//! A test reads the `use crate::` lines against this table (`tests/it/house.rs`).

pub mod claims;
pub mod cli;
pub mod confine;
pub mod engine;
pub mod event;
pub mod format;
mod front_matter;
mod githooks;
pub mod hosts;
mod html;
pub mod jobs;
mod mcp;
pub mod memory;
pub mod phases;
pub mod plans;
pub mod rules;
mod secrets;
pub mod shell;
mod shipped;
#[expect(clippy::disallowed_types, reason = "the one door to git")]
pub mod store;
mod tour;
pub mod verdict;
pub mod voice;
pub mod world;

/// The shapes that ARCHITECTURE.md shows, compiled.
#[cfg(doctest)]
#[doc = include_str!("../ARCHITECTURE.md")]
struct Architecture;
