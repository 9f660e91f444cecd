//! Prints how many tests could not run here, and why. Runs after `it`, whose tests leave word.
#![expect(clippy::disallowed_macros, reason = "this is what it is for")]

use std::fs;
use std::path::Path;

fn main() {
    // A list or a filter asks for tests; there is none here.
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let mut found: Vec<(String, String)> = fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| {
            let why = fs::read_to_string(file.path()).unwrap_or_default();
            (file.file_name().to_string_lossy().replace('.', "::"), why)
        })
        .collect();
    found.sort();
    println!("\ntests that could not run here: {}", found.len());
    for (test, why) in &found {
        println!("  {test}: {why}");
    }
    println!();
    let _ = fs::remove_dir_all(&dir);
}
