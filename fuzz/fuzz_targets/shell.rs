//! Reading any text as a command line: it ends, soon, and says what holds for all lines.

#![no_main]

use std::time::{Duration, Instant};

use git_seed::shell::{self, Effect, LONGEST, Program};
use libfuzzer_sys::fuzz_target;

/// Far beyond what a reading takes, even with a sanitizer's instruments in it.
const SLOW: Duration = Duration::from_secs(2);

fuzz_target!(|text: &str| {
    let began = Instant::now();
    let reading = shell::read(text);
    assert!(began.elapsed() < SLOW, "{} bytes took {:?}", text.len(), began.elapsed());
    assert_eq!(reading, shell::read(text), "the same text is read in the same way");

    // A path is text that a file could have, and where there are more, it is said.
    for found in &reading.found {
        for path in found.paths.iter().filter(|path| path.ends_with('/') && path.len() > 1) {
            assert!(found.dynamic, "{path} stands for something below it, and nothing says so");
        }
        assert!(!found.looks || (found.seed && !found.persons),
            "only its own commands look: {found:?}");
    }
    // Blanks around a line do not change what a shell does, unless its end is escaped.
    if !text.ends_with('\\') && text.len() + 2 <= LONGEST && reading.worst() == Effect::Read {
        let padded = shell::read(&format!("{text} "));
        let here_document = text.contains("<<");
        assert!(here_document || padded.worst() == Effect::Read, "a space made it {:?}",
            padded.worst());
    }
    // What is read first is not forgotten behind a harmless line.
    if text.len() + 3 <= LONGEST && !text.contains('\0') {
        let behind = shell::read(&format!("ls\n{text}"));
        assert!(behind.worst() >= reading.worst() || reading.worst() == Effect::Unknown,
            "a line before hid it");
    }
    // What is granted is one command of git seed for the reader too. Whether a program by
    // its path is this binary is not the reader's to say.
    let granted = shell::seed_command(text)
        .is_some_and(|seed| !matches!(seed.program, Program::Path(_)));
    if granted {
        assert!(reading.found.iter().all(|found| found.seed && !found.persons), "{reading:?}");
        assert!(reading.worst() == Effect::Read);
    }
});
