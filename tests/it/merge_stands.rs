//! What stands after a sync and what is left where it is: an approval, the end of a job, refs of
//! the remote that hold something else.

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::{Value, json};

use super::sync::{agreed, machine, merged, second, synced, synced_there, there};
use super::world::{CODE, PAGE, World, page};

/// A machine whose small job waits for the person's word, and the second one, which has it.
fn waits_for_a_word() -> (World, String) {
    let world = machine();
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'the lexer keeps escapes'").succeeds();
    let job = world.job();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    world.git("-c core.hooksPath=/dev/null push -q ../b HEAD:refs/heads/came");
    world.git("-C ../b -c core.hooksPath=/dev/null reset -q --hard came");
    synced_there(&world, "b", "");
    (world, job)
}

/// The line of the person's works at the second machine.
fn works_there(world: &World, line: &str) {
    let said = there(world, "b", line);
    assert_eq!(said.code, 0, "{line}: {said:?}");
}

/// How the job stands at both machines.
fn stands(world: &World, job: &str) -> [Value; 2] {
    let line = format!("git seed job show {job} --json");
    [world.tries(&line), there(world, "b", &line)].map(|said| {
        let shown: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        shown["status"].clone()
    })
}

#[test]
fn an_approval_stands_where_the_other_clone_only_looked() {
    type Acts = fn(&World);
    let acts: [(&str, Acts, bool); 5] = [
        ("nothing", |_| {}, true),
        ("looks", |world| world.reads(CODE).passes(), true),
        ("a look in a shell", |world| world.runs("ls src").passes(), true),
        ("a change", |world| world.writes(PAGE, &page("Escapes look ahead.\n")).passes(), false),
        ("words", |world| drop(world.prompt("also keep the tabs")), false),
    ];
    for (what, act, approval) in acts {
        let (world, job) = waits_for_a_word();
        act(&world);
        works_there(&world, &format!("git seed job activate {job}"));
        works_there(&world, "git seed job approve");
        synced_there(&world, "b", "");
        let told = synced(&world, "");
        let fell = told["jobs"][0]["rejected"].as_array().expect("a list").len();
        assert_eq!(fell == 0, approval, "{what}: {told}");
        let there = synced_there(&world, "b", "");
        let status = if approval { "completed" } else { "active" };
        assert_eq!(stands(&world, &job), [json!(status), json!(status)], "{what}");
        if approval {
            assert_eq!(there["state"], told["state"], "{what}");
        }
        assert_eq!(merged(&world, "../b"), merged(&world, "."), "{what}");
    }
}

/// What another clone is shown is all that was done here by then: what a journal holds goes out
/// with the sync, and is no operation that anybody has to undo.
#[test]
fn an_approval_knows_what_the_other_clone_did_before_its_own_sync() {
    type Acts = fn(&World);
    let acts: [(&str, Acts); 3] = [
        ("looks", |world| world.reads(CODE).passes()),
        ("a change", |world| world.writes(PAGE, &page("Escapes look ahead.\n")).passes()),
        ("a change taken back", |world| {
            world.writes(PAGE, &page("Escapes look ahead.\n")).passes();
            world.sh("git clean -qfd .");
        }),
    ];
    for (what, act) in acts {
        let (world, job) = waits_for_a_word();
        act(&world);
        let before = world.json("log").as_array().map(Vec::len);
        let told = synced(&world, "");
        assert_eq!(told["jobs"][0]["result"], "pushed", "{what}: {told}");
        assert_ne!(world.json("log").as_array().map(Vec::len), before, "{what}");
        let operations = world.json("op log -n 1");
        assert_eq!(operations[0]["command"], "records kept", "{what}: {operations}");
        assert_eq!(synced(&world, "")["jobs"][0]["result"], "same", "{what}: it is told once");
        synced_there(&world, "b", "");
        works_there(&world, &format!("git seed job activate {job}"));
        works_there(&world, "git seed job approve");
        let there = synced_there(&world, "b", "");
        let told = synced(&world, "");
        assert_eq!(told["jobs"][0]["result"], "pulled", "{what}: {told}");
        assert_eq!(told["jobs"][0]["rejected"], json!([]), "{what}: {told}");
        assert_eq!(stands(&world, &job), [json!("completed"), json!("completed")], "{what}");
        assert_eq!(told["state"], there["state"], "{what}: after A, B, A both have the same");
    }
}

/// A person is asked about what they get: a commit whose step a sync rejected is none of it.
#[test]
fn a_card_names_the_commits_that_no_landing_takes() {
    let (world, job) = waits_for_a_word();
    let open = |world: &World| {
        let status = world.tries("git seed status").out;
        let lines = status.lines().filter(|line| line.starts_with("open "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(open(&world), [] as [&str; 0]);
    let puts = |id: &str| {
        world.sh(&format!(
            "echo more > more.txt && git add more.txt && git -c core.hooksPath=/dev/null \
             commit -q --allow-empty -m 'lexer: numbers, too' -m 'Seed-Job: {job}\nSeed-Id: {id}'"
        ));
    };
    puts("0123456789ab");
    let short = world.git("rev-parse --short=7 HEAD");
    let named = format!(
        "open     no landing takes these commits, because their steps fell in a sync or were \
         undone: {} lexer: numbers, too",
        short.trim()
    );
    assert_eq!(open(&world), [named]);
    let status = world.tries("git seed status").out;
    assert!(status.contains("changed  1 file, +1 -1"), "{status}");
    let card = world.json("condense status")["card"].to_string();
    assert!(card.contains("1 point open"), "{card}");
    // One of the job's own on top of it brings it along.
    let own = world.git("log '--format=%(trailers:key=Seed-Id,valueonly)' -1 HEAD~1");
    puts(own.trim());
    assert_eq!(open(&world), [] as [&str; 0]);
}

#[test]
fn a_file_of_a_sync_holds_what_was_done_by_then() {
    let (world, job) = waits_for_a_word();
    world.writes(PAGE, &page("Escapes look ahead.\n")).passes();
    world.person("sync --to ../jobs.bundle").succeeds();
    works_there(&world, "git seed sync --from ../jobs.bundle");
    works_there(&world, &format!("git seed job activate {job}"));
    works_there(&world, "git seed job approve && git seed sync --to ../back.bundle");
    world.person("sync --from ../back.bundle").succeeds();
    assert_eq!(stands(&world, &job), [json!("completed"), json!("completed")]);
}

#[test]
fn an_undo_of_what_came_before_a_sync_steps_over_the_records_that_it_kept() {
    let (world, job) = waits_for_a_word();
    world.prompt("also keep the tabs");
    world.writes(PAGE, &page("Escapes look ahead.\n")).passes();
    synced(&world, "");
    let told = world.person("undo").succeeds();
    assert!(!told.contains("records kept"), "{told}");
    let undone: Vec<Value> = world.json("op log -n 4").as_array().expect("a list").clone();
    let of = |row: &&Value| row["undone"] == json!(true);
    let commands: Vec<&Value> = undone.iter().filter(of).map(|row| &row["command"]).collect();
    assert_eq!(commands, ["prompt"], "{undone:?}");
    synced(&world, "");
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
    assert_eq!(stands(&world, &job), [json!("active"), json!("active")]);
}

#[test]
fn a_job_that_ended_elsewhere_leaves_focus_and_ref_with_one_sync() {
    let (world, job) = waits_for_a_word();
    works_there(&world, &format!("git seed job activate {job}"));
    synced_there(&world, "b", "");
    let said = world.tries("git seed sync");
    assert!(said.err.contains("so this worktree let it go"), "{said:?}");
    world.person(&format!("job activate {job}")).succeeds();
    world.person("job approve").succeeds();
    // It was taken back, and it is closed: nothing says any more that it continued elsewhere.
    for _ in 0..2 {
        let said = world.tries("git seed status");
        assert!(!said.err.contains("let it go"), "{said:?}");
    }
    let told = synced(&world, "");
    let said = there(&world, "b", "git seed sync --json");
    assert!(said.code == 0 && !said.err.contains("let it go"), "{said:?}");
    let state: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(state["state"], told["state"], "after A, B, A both have the same");
    let left = world.git("-C ../b for-each-ref refs/seed/jobs refs/worktree");
    assert_eq!(left, "", "neither ref nor focus is left");
    assert_eq!(synced(&world, "")["state"], told["state"]);
}

#[test]
fn a_job_that_was_taken_back_and_left_again_is_not_said_to_be_elsewhere() {
    let (world, job) = waits_for_a_word();
    works_there(&world, &format!("git seed job activate {job}"));
    synced_there(&world, "b", "");
    synced(&world, "");
    world.person(&format!("job activate {job}")).succeeds();
    world.person("job pause").succeeds();
    let said = world.tries("git seed status");
    assert!(!said.err.contains("let it go"), "{said:?}");
    // Elsewhere it ends, and nobody is asked to take it back.
    let (world, job) = waits_for_a_word();
    works_there(&world, &format!("git seed job activate {job}"));
    synced_there(&world, "b", "");
    synced(&world, "");
    assert!(world.tries("git seed status").err.contains("let it go"));
    works_there(&world, &format!("git seed job drop {job} -m 'not wanted'"));
    synced_there(&world, "b", "");
    synced(&world, "");
    let said = world.tries("git seed status");
    assert!(!said.err.contains("let it go"), "{said:?}");
}

/// A machine with a closed job, and a second one that never synced.
fn closed_and_new() -> World {
    let world = machine();
    world.person(&format!("job drop {} -m 'not wanted'", world.job())).succeeds();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    world
}

/// Moves a ref of the remote to a commit of the branch.
fn puts_there(world: &World, name: &str) {
    world.git(&format!("-C ../hub.git update-ref {name} main"));
}

#[test]
fn a_shared_ref_that_holds_something_else_is_set_aside_by_every_clone() {
    for name in ["archive", "claims", "rules", "meta"].map(|name| format!("refs/seed/{name}")) {
        let world = closed_and_new();
        puts_there(&world, &name);
        for (dir, option) in [("b", "--dry-run"), ("b", ""), ("repo", ""), ("repo", "")] {
            let said = there(&world, dir, &format!("git seed sync {option}"));
            assert_eq!(said.code, 1, "{name} {dir} {option}: {said:?}");
            assert!(said.err.contains(&format!("set aside  {name}: ")), "{said:?}");
            assert!(!said.err.contains("doctor --fix"), "{said:?}");
            let goes = |line: &str| line.starts_with("pushed") || line.contains("proposal");
            assert!(!said.out.lines().any(goes), "{said:?}");
        }
        if name != "refs/seed/meta" && name != "refs/seed/rules" {
            let here = world.git(&format!("-C ../b for-each-ref {name}"));
            assert_eq!(here, "", "nothing of it was taken");
        }
        // What the sentence names works.
        world.git(&format!("push -q origin --delete {name}"));
        synced(&world, "");
        synced_there(&world, "b", "");
        assert_eq!(merged(&world, "../b"), merged(&world, "."), "{name}");
        assert_eq!(merged(&world, ".").len(), merged(&world, "../hub.git").len(), "{name}");
    }
}

#[test]
fn notes_that_hold_something_else_are_set_aside() {
    let world = closed_and_new();
    puts_there(&world, "refs/notes/seed");
    let said = there(&world, "b", "git seed sync");
    assert!(said.code == 1 && said.err.contains("set aside  refs/notes/seed: "), "{said:?}");
}

#[test]
fn an_archive_whose_index_was_cut_is_set_aside_and_one_that_lost_a_job_gets_it_back() {
    let world = closed_and_new();
    let hub = "GIT_DIR=../hub.git GIT_INDEX_FILE=$PWD/../index";
    let says = |edit: &str| {
        world.sh(&format!(
            "export {hub} && A=refs/seed/archive && git read-tree $A && {edit} && \
             git update-ref $A $(git commit-tree -p $A -m edited $(git write-tree))"
        ));
    };
    let blob = "git update-index --add --cacheinfo 100644,$(printf '0\\n' | git hash-object -w \
                --stdin),index/count";
    let kept = world.git("-C ../hub.git rev-parse refs/seed/archive");
    // The count says another number than there are lines.
    says(blob);
    for dir in ["b", "repo"] {
        let said = there(&world, dir, "git seed sync");
        let why = "index/count of its index does not read";
        assert!(said.code == 1 && said.err.contains(why), "{dir}: {said:?}");
    }
    // It grew out of ours, holds nothing, and says so.
    world.git(&format!("-C ../hub.git update-ref refs/seed/archive {kept}"));
    says(&format!("git rm -rq --cached . && {blob}"));
    let rows = |world: &World| world.json("job list --all").to_string().contains("voided");
    assert!(rows(&world), "{}", world.json("job list --all"));
    let told = synced(&world, "");
    assert!(rows(&world), "it is here as before: {told}");
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
    assert_eq!(merged(&world, ".").len(), merged(&world, "../hub.git").len());
}
