//! What a command prints names commands: none of them is refused where it was said.

use std::collections::BTreeSet;

use super::killed::Kept;
use super::world::{PHASES, Said, World};

/// Commands whose texts name others, in forms that an agent gives.
const ASKED: [&str; 22] = [
    "condense status",
    "condense verify",
    "condense archive",
    "condense absorb --dry-run",
    "plan validate",
    "plan show",
    "plan read",
    "plan total",
    "plan restore",
    "note list",
    "compact read",
    "compact seal",
    "summary show",
    "memory lint",
    "fence status",
    "job focused",
    "job list",
    "phase current",
    "phase list",
    "rules check",
    "reflect nothing -m 'what was seen here does not say enough about what is to change'",
    "gmode exit",
];

/// The commands in what was said that can be given as they stand: without a place for words of
/// one's own, which is a command of another form, and without one that is a person's.
fn named(said: &Said) -> BTreeSet<String> {
    let text = format!("{}\n{}", said.out, said.err);
    let mut found = BTreeSet::new();
    for rest in text.split("git seed ").skip(1) {
        let ends = rest.find(['\n', '`', ',', ';', '(', ')', '"', '|', '·']).unwrap_or(rest.len());
        let words = rest[..ends].trim_end_matches(['.', ':', ' ']);
        // Behind the words of a command a sentence may go on.
        let words: Vec<&str> = words
            .split_whitespace()
            .take_while(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            .take(3)
            .collect();
        let line = words.join(" ");
        if !rest[..ends].contains(['<', '-', '…']) && !line.is_empty() {
            found.insert(line);
        }
    }
    found
}

/// A command of this many words there is: what stands behind it is the sentence.
fn known(world: &World, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    (1..=words.len()).rev().map(|n| words[..n].join(" ")).find(|line| {
        let said = world.seed(&format!("{line} --help")).said();
        said.code == 0 && said.out.contains(&format!("git-seed {line}"))
            || said.out.contains(&format!("git seed {line}"))
    })
}

#[test]
fn a_command_that_a_text_names_is_not_refused_where_it_was_said() {
    let mut seen = 0;
    for phase in PHASES {
        let world = World::seeded();
        world.to(phase);
        let kept = Kept::of(&world);
        for asked in ASKED {
            kept.restore();
            let said = world.seed(asked).said();
            for line in named(&said) {
                // What a person gives is theirs to give, and the step itself waits for the work.
                if ["phase advance", "off", "on", "undo", "land", "init"].contains(&line.as_str()) {
                    continue;
                }
                let Some(line) = known(&world, &line) else { continue };
                if line == asked {
                    continue;
                }
                kept.restore();
                world.seed(asked).said();
                let done = world.seed(&line).said();
                assert!(
                    !matches!(done.code, 2 | 64),
                    "in {phase}, `git seed {asked}` names `git seed {line}`: {said:?}\n{done:?}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "only {seen} were tried");
}

#[test]
fn a_plan_that_is_undecided_is_told_as_the_phase_can_take_it() {
    for (phase, way) in [("observe", "git seed plan show"), ("plan", "plan set-plan-file false")] {
        let world = World::seeded();
        world.to(phase);
        world.seed("plan validate").ends(2, way);
    }
    let world = World::seeded();
    world.to("execute");
    let said = world.seed("plan validate").ends(2, "no plan document");
    assert!(!said.contains("set-plan-file"), "{said}");
}

#[test]
fn before_condense_nobody_is_sent_to_archive() {
    for phase in ["plan", "execute", "verify"] {
        let world = World::seeded();
        world.to(phase);
        let status = world.seed("condense status").succeeds();
        assert!(!status.contains("git seed condense archive"), "{phase}: {status}");
        assert!(status.contains("condense archives them"), "{phase}: {status}");
        let said = world.seed("condense verify").said();
        assert!(!said.err.contains("git seed condense archive"), "{phase}: {said:?}");
    }
    let world = World::seeded();
    world.to("condense");
    world.seed("condense status").tells("git seed condense archive");
    world.seed("condense verify").fails("git seed condense archive");
}
