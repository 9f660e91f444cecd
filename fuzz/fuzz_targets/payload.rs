//! Any bytes as a payload of any host: read or refused, and every answer to it is JSON
//! within the host's limits.

#![no_main]

use git_seed::hosts::{Answer, names, read, reply, row};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in names() {
        let Ok(host) = row(name) else { panic!("{name} is listed and has no row") };
        for argument in [None, Some("PreToolUse"), Some("BeforeTool"), Some("Stop"),
            Some("no event")] {
            let Ok(event) = read(host, bytes, argument) else { continue };
            let answers =
                [Answer::silence(), Answer::refuse("no"), Answer::context("x"),
                    Answer::to_person("x"), Answer::grant()];
            for answer in &answers {
                if let Some(value) = reply(host, &event, answer) {
                    assert!(value.is_object(), "{name}: {value}");
                }
            }
        }
    }
});
