//! The tour, as a person plays it: it ends well, tells its story in order, and leaves nothing.

use std::fs;
use std::sync::OnceLock;

use super::world::World;

/// What is told, in this order. The lie comes first: sent back, then proved, then on record.
const STORY: [&str; 17] = [
    "\"Fixed and tested\"",
    "sent back ",
    "so it runs the tests: FAILED",
    "and runs them again: ok",
    "the agent says the very same in its one question",
    "pass  ",
    "ran      sh tests/quote.sh\n",
    "ended    exit status 0\n",
    " verified · 0 broken · 0 not measured",
    "the side door: sed -i in a shell\n      refused ",
    "and says that 3 of 3 criteria hold\n      refused ",
    "verify: 3 of 3 criteria hold",
    "CONDENSE: memory gets smaller",
    "still half staged, byte for byte",
    "The way out",
    "take quotes off",
    "git seed uninstall --check",
];

/// What the tour prints where colours are on; it is played once.
pub fn told() -> &'static str {
    static TOLD: OnceLock<String> = OnceLock::new();
    TOLD.get_or_init(|| {
        let world = World::new();
        let place = world.root().join("tmp");
        fs::create_dir(&place).expect("it is ours");
        let line =
            format!("TMPDIR='{}' git seed tour --fast --all --color always", place.display());
        let told = world.sh(&line);
        let left: Vec<_> = fs::read_dir(&place).expect("it is there").flatten().collect();
        assert!(left.is_empty(), "{left:?}");
        told
    })
}

/// `text` without its colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn the_tour_plays_to_its_end_and_leaves_nothing_behind() {
    let told = without_colours(told());
    let mut rest = told.as_str();
    for part in STORY {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("no {part:?} in\n{rest}"));
        rest = after;
    }
}

/// What the short tour tells, in this order.
const SHORT: [&str; 8] = [
    "sent back ",
    "and runs them again: ok",
    "the side door: sed -i in a shell\n      refused ",
    "named   ",
    "verify: 3 of 3 criteria hold",
    "still half staged, byte for byte",
    "take quotes off",
    "git seed tour --all",
];

#[cfg(unix)]
#[test]
fn a_terminal_gets_a_hundred_lines_and_a_pause_at_each_scene() {
    let world = World::new();
    let place = world.root().join("tmp");
    fs::create_dir(&place).expect("ours");
    let line = format!("TMPDIR='{}' git seed tour", place.display());
    // What is typed stands ready: one Enter for each scene but the first.
    let told = super::widths::typed(&world, &line, 100, &"\n".repeat(40));
    let pauses = told.matches("Enter goes on").count();
    let told: Vec<&str> =
        told.lines().filter(|line| !line.is_empty() && !line.contains("Enter goes on")).collect();
    assert!(told.len() <= 100, "{} lines:\n{}", told.len(), told.join("\n"));
    let all = told.join("\n");
    let mut rest = all.as_str();
    for part in SHORT {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("no {part:?} in\n{rest}"));
        rest = after;
    }
    assert!(pauses >= 10, "{pauses} pauses");
    // A pipe gets the same without a pause.
    let piped = world.sh(&line);
    assert!(!piped.contains("Enter goes on") && piped.lines().count() <= 100, "{piped}");
    // Whoever has seen enough leaves it, and nothing stays.
    let left = super::widths::typed(&world, &line, 100, "q\n");
    assert!(left.contains("Enter goes on") && !left.contains("CONDENSE"), "{left}");
    let stays: Vec<_> = fs::read_dir(&place).expect("it is there").flatten().collect();
    assert!(stays.is_empty(), "{stays:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_tour_and_takes_its_directory() {
    let world = World::new();
    let place = world.root().join("tmp");
    fs::create_dir(&place).expect("ours");
    // Nobody presses Enter: it stands at its first pause, and the signal comes there.
    let line = format!(
        "export TMPDIR='{}'; (n=0; until ls $TMPDIR/git-seed-tour-*/project/.git || \
         [ $((n += 1)) -gt 300 ]; do sleep 0.1; done; sleep 1; kill -INT $$) >/dev/null 2>&1 & \
         exec git-seed tour",
        place.display()
    );
    let told = super::widths::typed(&world, &line, 100, "");
    assert!(!told.contains("CONDENSE"), "{told}");
    let stays: Vec<_> = fs::read_dir(&place).expect("it is there").flatten().collect();
    assert!(stays.is_empty(), "{stays:?}");
}
