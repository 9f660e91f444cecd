//! What the store keeps of a cycle, in bytes and files, and what is left of it afterwards.

#![expect(clippy::disallowed_macros, reason = "it tells how much a cycle leaves")]

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;

use super::world::{CODE, World};

/// What our refs hold, without the commits and trees of the person that they pin.
const OURS: &str = "git rev-list --objects --glob='refs/seed/jobs/*' refs/seed/meta \
                    refs/notes/seed | cut -d' ' -f1 | sort -u";
/// The objects that are files of their own.
const LOOSE: &str = "find .git/objects -type f -path '*/??/*' | sed 's|.*/\\(..\\)/|\\1|' | sort";

fn lines(world: &World, line: &str) -> BTreeSet<String> {
    world.sh(line).lines().map(str::to_owned).collect()
}

fn counted(world: &World, key: &str) -> u64 {
    let line = format!("git count-objects -v | sed -n 's/^{key}: //p'");
    let said = world.sh(&line);
    said.trim().parse().unwrap_or_else(|_| panic!("{key}: {said:?}"))
}

/// A cycle with a hundred calls, up to where the next one would begin.
fn cycle(world: &World) {
    for phase in ["observe", "plan", "execute", "verify", "condense"] {
        world.enters(phase);
        world.works(phase);
        for _ in 0..4 {
            world.runs("git seed status").passes();
        }
    }
    world.leaves();
}

/// The ids of loose objects that `act` leaves behind.
fn leaves(world: &World, act: impl FnOnce()) -> BTreeSet<String> {
    let before = lines(world, LOOSE);
    act();
    lines(world, LOOSE).difference(&before).cloned().collect()
}

/// Its state with the trees above it, and the operation: no text says that nothing happened.
#[test]
fn a_step_before_which_nothing_happened_writes_six_objects_and_no_text() {
    let world = World::prompted();
    world.prompt("fix the lexer");
    let says = |words: &str| {
        let words = format!("job update --objective '{words}'");
        world.person(&words).succeeds();
    };
    // The prompt and what its command brought along are of the step before.
    says("quoted strings keep their escapes");
    let texts = world.git("rev-parse refs/seed/texts");
    let trace_files =
        || world.git(&format!("ls-tree --name-only refs/seed/jobs/{} trace/", world.job()));
    let before = trace_files();
    let new = leaves(&world, || says("quoted strings keep each escape"));
    assert_eq!(new.len(), 6, "{new:?}");
    assert_eq!((world.git("rev-parse refs/seed/texts"), trace_files()), (texts, before));
    // Where something happened it is kept as before.
    world.reads(CODE).passes();
    says("quoted strings keep all escapes");
    assert!(world.traced(&world.job()).contains(CODE), "the call is in the trace");
}

#[test]
fn a_cycle_leaves_packs_and_uninstall_leaves_nothing_of_them() {
    let world = World::seeded();
    let persons = lines(&world, "git rev-list --objects HEAD | cut -d' ' -f1");
    cycle(&world);
    let first = counted(&world, "size-pack");
    assert_eq!((counted(&world, "packs"), counted(&world, "garbage")), (2, 0));
    cycle(&world);
    // Small ones are made one with those before.
    assert_eq!((counted(&world, "packs"), counted(&world, "garbage")), (2, 0));
    let second = counted(&world, "size-pack") - first;
    println!("a cycle leaves {first} KiB of packs, the next one {second} KiB");
    // Journal lines are salted and compressed by themselves, so that no text helps to guess
    // another: no deltas between them.
    assert!(second <= 27, "{second} KiB");
    let (ours, loose) = (lines(&world, OURS), lines(&world, LOOSE));
    let left: Vec<_> = ours.intersection(&loose).collect();
    assert!(left.len() <= 2, "of ours {} are loose: {left:?}", left.len());

    // The next cycle goes on from there.
    world.enters("plan");
    world.person("verify").succeeds();
    world.works("plan");
    world.leaves();

    let ours = lines(&world, OURS);
    world.person("uninstall").succeeds();
    let there = "git cat-file --batch-check --batch-all-objects --unordered | cut -d' ' -f1 | sort";
    let all = lines(&world, there);
    let held = "git rev-list --objects --all --reflog --indexed-objects | cut -d' ' -f1 | sort -u";
    let held = lines(&world, held);
    assert!(held.is_subset(&all), "nothing of the person's went");
    let left: Vec<_> = ours.intersection(&all).filter(|id| !held.contains(*id)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(persons.is_subset(&all), "what was there stays");
}
