//! Killed before any one of its writes, `sync`, `upgrade` and `job redact` leave a repository with
//! which work goes on, and the same command leads to the same end.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::killed::{Kept, Write, chosen, has_strace, written};
use super::sample::Extent;
use super::sync::{agreed, machine, merged, second, synced, synced_there, there};
use super::texts::{SAID, chains, everything, holds, interactions, of_format_1};
use super::undo::kills;
use super::world::{CODE, World};

/// The writes of a person's command, of its own accord.
fn writes_of(world: &World, line: &str) -> Vec<Write> {
    let traced = format!("strace -qq -e trace={} -o ../trace {line}", super::killed::WRITES);
    let said = world.persons_terminal(&traced, "");
    assert_eq!(said.code, 0, "{said:?}");
    written(&fs::read_to_string(world.root().join("trace")).expect("a trace"))
}

/// Kills `line` at its writes, each time where `restore` leads; `mended` is asked what holds
/// then. Gives how often it was killed.
fn killing(
    world: &World,
    line: &str,
    extent: Extent,
    restore: &dyn Fn(),
    mended: &dyn Fn(&Write),
) -> usize {
    let writes = writes_of(world, line);
    let points: Vec<&Write> =
        if extent == Extent::Whole { writes.iter().collect() } else { chosen(&writes) };
    let mut killed = 0;
    for write in points {
        restore();
        if !kills(world, write, line) {
            continue;
        }
        killed += 1;
        world.git("fsck --strict --no-dangling --connectivity-only");
        world.seed("status").succeeds();
        mended(write);
        world.git("fsck --strict --no-dangling --connectivity-only");
    }
    killed
}

fn a_sync_is_killed(extent: Extent) {
    if !has_strace() {
        return;
    }
    let world = machine();
    let owner = agreed(&world);
    synced(&world, &owner);
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    // One job grew on both sides, and each side has one that the other has not.
    let job = world.job();
    for (dir, name) in [("repo", "here"), ("b", "there")] {
        let line = format!("git seed job create {name} -m 'a job that was made {name}'");
        assert_eq!(there(&world, dir, &line).code, 0);
    }
    let said = there(&world, "b", &format!("git seed job drop {job} -m 'not any more'"));
    assert_eq!(said.code, 0, "{said:?}");
    world.seed("phase advance").succeeds();
    synced_there(&world, "b", "");
    let kept = Kept::of(&world);
    world.sh("cp -a ../hub.git ../kept/hub.git");
    let restore = || {
        kept.restore();
        world.sh("rm -rf ../hub.git && cp -a ../kept/hub.git ../hub.git");
    };
    let whole = synced(&world, "");
    let result = |id: &str| {
        let jobs = whole["jobs"].as_array().expect("a list");
        jobs.iter().find(|one| one["id"] == id).map(|one| one["result"].clone())
    };
    assert_eq!(result(&job), Some(json!("merged")), "{whole}");
    let end = &whole["state"];
    restore();
    let killed = killing(&world, "git-seed sync", extent, &restore, &|write| {
        // The agent's work goes on whether or not anybody syncs again.
        assert_eq!(world.job(), job, "killed at {write:?}");
        let again = synced(&world, "");
        assert_eq!(&again["state"], end, "killed at {write:?}: {again}");
        assert_eq!(merged(&world, "../hub.git"), merged(&world, "."), "killed at {write:?}");
        let verified = world.person("verify --json").said();
        let verified: Value = serde_json::from_str(&verified.out).expect("JSON");
        assert_eq!(verified["broken"], json!([]), "killed at {write:?}");
    });
    assert!(killed > 3, "{killed}");
}

#[test]
fn a_sync_that_is_killed_at_any_write_is_done_by_the_next() {
    a_sync_is_killed(Extent::Part);
}

#[test]
#[ignore = "minutes"]
fn a_sync_that_is_killed_at_any_write_is_done_by_the_next_whole() {
    a_sync_is_killed(Extent::Whole);
}

fn an_upgrade_is_killed(extent: Extent) {
    if !has_strace() {
        return;
    }
    let world = of_format_1();
    world.prompt(SAID);
    let first = world.job();
    world.person(&format!("job drop {first} -m 'another time'")).succeeds();
    world.prompt(SAID);
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    let shown = interactions(&world, &job);
    let kept = Kept::of(&world);
    let killed = killing(&world, "git-seed upgrade", extent, &|| kept.restore(), &|write| {
        // Begun, it was ended by whatever came first; not begun, it begins anew.
        world.person("upgrade").succeeds();
        assert!(!chains(&world).contains("walrus"), "killed at {write:?}");
        for id in [&first, &job] {
            assert_eq!(interactions(&world, id)[0]["text"], SAID, "killed at {write:?}");
        }
        assert_eq!(interactions(&world, &job), shown, "killed at {write:?}");
        let meta = world.git("show refs/seed/meta:meta.toml");
        assert!(meta.contains("format = 2") && !meta.contains("carrying"), "{write:?}: {meta}");
        world.seed("phase multiplier 1.0").succeeds();
        let verified = world.person("verify --json").said();
        let verified: Value = serde_json::from_str(&verified.out).expect("JSON");
        let told = json!([verified["broken"], verified["withheld"]]);
        assert_eq!(told, json!([[], 0]), "killed at {write:?}");
    });
    assert!(killed > 3, "{killed}");
}

#[test]
fn an_upgrade_that_is_killed_at_any_write_is_ended_by_whatever_comes_next() {
    an_upgrade_is_killed(Extent::Part);
}

#[test]
#[ignore = "minutes"]
fn an_upgrade_that_is_killed_at_any_write_is_ended_by_whatever_comes_next_whole() {
    an_upgrade_is_killed(Extent::Whole);
}

fn a_redaction_is_killed(extent: Extent) {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.prompt(SAID);
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    world.prompt("and then the walrus should rest for a while, please");
    let line = format!("git-seed job redact {job}");
    let kept = Kept::of(&world);
    let killed = killing(&world, &line, extent, &|| kept.restore(), &|write| {
        world.person(&format!("job redact {job}")).succeeds();
        assert!(!holds(&everything(&world), "walrus"), "killed at {write:?}: a word is left");
        for entry in interactions(&world, &job) {
            assert_eq!(entry["text"], Value::Null, "killed at {write:?}");
        }
        world.seed("phase multiplier 1.0").succeeds();
    });
    assert!(killed > 3, "{killed}");
}

#[test]
fn a_redaction_that_is_killed_at_any_write_takes_every_word_the_next_time() {
    a_redaction_is_killed(Extent::Part);
}

#[test]
#[ignore = "minutes"]
fn a_redaction_that_is_killed_at_any_write_takes_every_word_the_next_time_whole() {
    a_redaction_is_killed(Extent::Whole);
}
