//! Tests that cannot run here are counted, so that nobody takes a green run for a whole one.
//!
//! Each leaves a small file; `tests/skipped.rs`, which runs after these, prints and clears them.
#![expect(clippy::disallowed_macros, reason = "what was not tried is said")]

use std::fs;
use std::path::Path;

/// Says that the running test is not tried, because `what` is not here.
pub fn not_here(what: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test").replace("::", ".");
    println!("skipped: {what}");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    fs::create_dir_all(&dir).expect("a directory of the build's own");
    fs::write(dir.join(test), what).expect("a file of the build's own");
}
