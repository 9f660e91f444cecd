//! Stores of every released format, as the git seed of that time wrote them, and what this one does
//! with them: it reads and verifies them, takes a whole cycle in the format that `meta` says,
//! carries them over and back.
//!
//! A frozen store is never written anew: `fixtures/format/<format>/store/` holds a bundle of the
//! branch and of all refs of ours, and what lies beside them in `.git/seed` (the clone's id, the
//! journal). In `mixed` an older and a newer git seed took the steps of one cycle by turns.

use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, World};

/// What each frozen store is of: the format, and the closed job's cycle.
const STORES: [(&str, u64); 3] = [("v1", 1), ("v2", 2), ("mixed", 1)];

fn frozen(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/format").join(name).join("store")
}

/// The store, in a clone of its own, with a session that has started.
pub(super) fn thawed(name: &str) -> World {
    let world = World::empty("git init -q -b main . && git config maintenance.auto false");
    let dir = frozen(name);
    let bundle = dir.join("refs.bundle").display().to_string();
    world.git(&format!("fetch -q --update-head-ok {bundle} '+refs/*:refs/*'"));
    world.git("reset -q --hard");
    world.sh(&format!("mkdir -p .git/seed && cp -R {}/seed/. .git/seed/", dir.display()));
    let jobs = world.git("for-each-ref --format='%(refname)' refs/seed/jobs");
    world.git(&format!("symbolic-ref refs/worktree/seed/focus {jobs}"));
    world.hours(24 * 30);
    world.person("init").succeeds();
    world.starts();
    world
}

fn meta(world: &World) -> Value {
    let text = world.git("show refs/seed/meta:meta.toml");
    let number = |line: &str| line.strip_prefix("format = ")?.trim().parse::<u64>().ok();
    json!(text.lines().find_map(number).expect("a format"))
}

/// Nothing of it is broken.
fn holds(world: &World) {
    let said = world.person("verify --json").said();
    assert!([0, 3].contains(&said.code), "{said:?}");
    let found: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(found["broken"], json!([]), "{found}");
    for line in ["status", "log", "job list --all", "stats", "audit show", "report -o - --all"] {
        world.person(line).succeeds();
    }
}

/// The format that each job's newest state says.
fn formats(world: &World) -> Vec<String> {
    let refs = world.git("for-each-ref --format='%(refname)' refs/seed/jobs");
    let state = |chain: &str| world.git(&format!("show {chain}:job.toml"));
    let first = |chain| state(chain).lines().next().unwrap_or_default().to_owned();
    refs.lines().map(first).collect()
}

/// From wherever the open job stands to its approval, and to rest.
fn goes_on_to_the_end(world: &World) -> String {
    let job = world.job();
    if world.phase() != "condense" {
        world.enters("condense");
    }
    world.works("condense");
    world.approved();
    world.leaves();
    let closed = world.json(&format!("job show {job}"));
    assert_eq!(closed["status"], json!("completed"), "{closed}");
    job
}

#[test]
fn each_released_format_goes_through_an_upgrade_a_cycle_and_back() {
    for (name, format) in STORES {
        let world = thawed(name);
        assert_eq!(meta(&world), json!(format), "{name}");
        holds(&world);
        let refs = || world.git("for-each-ref refs/seed/jobs refs/seed/archive");
        let old = refs();
        if format == 2 {
            world.person("upgrade").tells("already");
            world.person("upgrade --back").ends(2, "nothing of an older one is kept");
            assert_eq!(refs(), old, "{name}");
        } else {
            let said = world.person("upgrade --dry-run").succeeds();
            assert!(said.contains("format 1") && refs() == old, "{name}: {said}");
            world.person("upgrade").tells("Carried over to format 2");
            assert_eq!(meta(&world), json!(2), "{name}");
            holds(&world);
            world.person("upgrade --back").tells("is of format 1 again");
            assert_eq!(
                (meta(&world), refs()),
                (json!(1), old),
                "{name}: the very chains of before"
            );
        }
        // A whole cycle, in the format that meta says and not in the newest.
        goes_on_to_the_end(&world);
        assert_eq!(meta(&world), json!(format), "{name}");
        holds(&world);
        world.prompt("And now the printer");
        world.reads(CODE).passes();
        assert_eq!(formats(&world), [format!("format = {format}")], "{name}");
        if format == 1 {
            world.person("upgrade").tells("Carried over to format 2");
            goes_on_to_the_end(&world);
            assert_eq!(meta(&world), json!(2), "{name}");
            world.changes_nothing(|| {
                world.person("upgrade --back").ends(2, "has steps in the newer");
            });
            holds(&world);
        }
    }
}

#[test]
fn two_versions_took_the_steps_of_one_cycle_by_turns() {
    let world = thawed("mixed");
    holds(&world);
    // The newer one names the rules that a step was judged by; the older one knew of none.
    let steps = world.git(
        "log --format='%(trailers:key=Seed-Rules,valueonly,separator=)|%s' \
                           $(git log --format=%P refs/seed/archive | tr ' ' '\n' | \
                           while read c; do git cat-file -e $c:job.toml 2>/dev/null && echo $c; \
                           done)",
    );
    let of_newer = steps.lines().filter(|line| !line.starts_with('|') && line.contains(" -> "));
    let of_older = steps.lines().filter(|line| line.starts_with('|') && line.contains(" -> "));
    assert!(of_newer.count() >= 2 && of_older.count() >= 2, "{steps}");
    assert_eq!(world.git("for-each-ref refs/seed/texts"), "", "both wrote the format of meta");
}

#[test]
fn a_format_that_is_newer_is_refused_with_the_way_on_and_left_alone() {
    let world = thawed("v2");
    let text = "format = 3\\nmin-reader = 3\\nmin-writer = 3\\n";
    world.sh(&format!(
        "blob=$(printf '{text}' | git hash-object -w --stdin) && \
         tree=$(printf '100644 blob %s\\tmeta.toml\\n' $blob | git mktree) && \
         git update-ref refs/seed/meta $(git commit-tree -p refs/seed/meta -m meta $tree)"
    ));
    let before = world.git("for-each-ref");
    for line in ["status", "log", "upgrade", "upgrade --back", "sync --to ../x", "job list"] {
        let said = world.person(line).said();
        let told = format!("{}{}", said.out, said.err);
        assert!(said.code != 0 && told.contains("newer git-seed"), "{line}: {said:?}");
        assert!(told.contains("use that one"), "{line}: {told}");
    }
    world.prompt("Fix it anyway");
    world.stops();
    assert_eq!(world.git("for-each-ref"), before);
}

/// Writes a store for `fixtures/format`: run with the binary of that time in the place of this
/// one's. `FREEZE` names the directory, `OTHER` a second binary that takes every other step.
#[test]
#[ignore = "a frozen store is never written anew"]
fn freezes_a_store() {
    let to = PathBuf::from(std::env::var_os("FREEZE").expect("a directory"));
    let world = World::with("git init -q -b main . && git config maintenance.auto false");
    world.person("init").succeeds();
    world.starts();
    let own = super::world::seed_binary();
    let pair = std::env::var_os("OTHER").map(|other| {
        let kept = own.with_extension("kept");
        std::fs::copy(&own, &kept).expect("copies");
        [kept, PathBuf::from(other)]
    });
    let turn = |n: usize| {
        if let Some(pair) = &pair {
            std::fs::remove_file(&own).expect("goes");
            std::fs::copy(&pair[n % 2], &own).expect("copies");
        }
    };
    world.prompt("Fix the lexer");
    for (n, phase) in ["observe", "plan", "execute", "verify", "condense"].iter().enumerate() {
        turn(n + 1);
        world.enters(phase);
        world.opens();
    }
    world.does("condense");
    world.approved();
    turn(1);
    world.leaves();
    turn(0);
    world.prompt("Now the parser");
    world.to("execute");
    let dir = to.display();
    world.sh(&format!(
        "mkdir -p {dir}/seed/journal && cp .git/seed/clone {dir}/seed/ && \
         cp .git/seed/journal/*.jsonl {dir}/seed/journal/ && \
         git bundle create -q {dir}/refs.bundle main $(git for-each-ref \
         --format='%(refname)' refs/seed refs/notes)"
    ));
}
