//! Whose a change is: only what a look before a call and a look after it prove is the agent's.
//!
//! No test here waits, and none sets the time of a file: a person and an agent may act in the
//! same millisecond.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Reply, World, message};

/// In execute, with its work done.
fn at_work() -> World {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world
}

fn write(world: &World, path: &str, text: &str) {
    let file = world.path(path);
    fs::create_dir_all(file.parent().expect("below")).expect("a directory");
    fs::write(file, text).expect("it can be written");
}

/// All that a person does here between two events.
fn person_acts(world: &World) {
    write(world, "todo.txt", "the person's list\n");
    write(world, "docs/new.txt", "the person's file\n");
    write(world, "src/parser/extra.rs", "// the person's\n");
    world.git("commit -q --allow-empty --no-verify -m 'my own commit'");
    world.git("remote add upstream https://example.org/x.git");
    world.git("config alias.st status");
    write(world, ".git/info/exclude", "*.log\n");
    write(world, ".git/hooks/post-checkout", "#!/bin/sh\n");
    fs::set_permissions(world.path(".git/hooks/post-checkout"), fs::Permissions::from_mode(0o755))
        .expect("ours");
}

/// All of it is still there.
#[track_caller]
fn persons_acts_stand(world: &World) {
    assert_eq!(world.text("todo.txt"), "the person's list\n");
    assert_eq!(world.text("docs/new.txt"), "the person's file\n");
    assert_eq!(world.text("src/parser/extra.rs"), "// the person's\n");
    assert_eq!(world.text(".git/info/exclude"), "*.log\n");
    assert_eq!(world.git("remote"), "upstream");
    assert_eq!(world.git("config alias.st"), "status");
    assert!(world.path(".git/hooks/post-checkout").exists());
    assert!(world.git("log --format=%s").contains("my own commit"));
}

/// A call that writes in scope, as a script does that a line does not show.
fn agent_writes(world: &World) -> Reply {
    world.runs_and("cargo test", || write(world, "src/parser/made.rs", "// made\n")).after
}

/// One call of the agent's shell that took `took` milliseconds by the host's word.
fn lasted(world: &World, line: &str, took: u64, act: impl FnOnce()) -> Reply {
    let (input, call) = (json!({ "command": line }), world.next_call());
    world.before("Bash", &input, &call).passes();
    act();
    world.after("Bash", &input, &call, &json!({ "stdout": "", "stderr": "" }), took)
}

#[track_caller]
fn strays(world: &World) -> Value {
    world.json("fence status")["strays"].clone()
}

#[track_caller]
fn blames_nobody(reply: &Reply, what: &str) {
    let told = reply.context().unwrap_or_default();
    for blame in
        ["that command changed", "that call changed", "committed by hand", "your call changed"]
    {
        assert!(!told.contains(blame), "{what}: {told}");
    }
    let heard = reply.to_person().unwrap_or_default();
    assert!(!heard.contains("a call of the agent changed"), "{what}: {heard}");
}

#[test]
fn a_person_is_never_blamed_whenever_they_act() {
    for moment in ["a read", "a prompt", "before the call", "after the call"] {
        let world = at_work();
        if moment == "after the call" {
            blames_nobody(&agent_writes(&world), moment);
        }
        person_acts(&world);
        match moment {
            "a read" => world.reads(CODE).passes(),
            "a prompt" => drop(world.prompt("go on")),
            _ => {}
        }
        if moment != "after the call" {
            blames_nobody(&agent_writes(&world), moment);
        }
        blames_nobody(&world.runs("git log -1").after, moment);
        assert_eq!(strays(&world), json!([]), "{moment}");
        world.seed("fence restore").said();
        world.seed("fence restore todo.txt docs/new.txt .git/config").said();
        persons_acts_stand(&world);
        world.tests();
        world.leaves();
        assert_eq!(world.phase(), "verify", "{moment}");
        persons_acts_stand(&world);
        let files = world.files_of_head();
        assert!(files.contains(&"src/parser/made.rs".to_owned()), "{moment}: {files:?}");
        assert!(
            !files.iter().any(|file| file == "todo.txt" || file == "docs/new.txt"),
            "{moment}: {files:?}"
        );
    }
}

#[test]
fn what_a_person_did_is_named_and_what_the_agent_did_beside_it_goes() {
    let world = at_work();
    person_acts(&world);
    let reply = world.runs_and("cargo test", || write(&world, "docs/stray.txt", "x\n")).after;
    reply.tells("that command changed docs/stray.txt");
    reply.tells("docs/new.txt changed, and no call");
    reply.tells("Also: src/parser/extra.rs, todo.txt");
    let heard = reply.to_person().unwrap_or_default();
    assert!(heard.contains(".git/config") && heard.contains("no call accounts for it"), "{heard}");
    assert_eq!(strays(&world), json!(["docs/stray.txt"]));
    world.seed("fence restore").tells("docs/stray.txt is as it was");
    persons_acts_stand(&world);
    world.tests();
    world.leaves();
}

#[test]
fn what_a_person_has_committed_is_not_told_as_in_no_commit() {
    let world = at_work();
    write(&world, "docs/new.txt", "theirs\n");
    write(&world, "docs/open.txt", "theirs, too\n");
    world.sh("git add docs/new.txt && git -c core.hooksPath=/dev/null commit -qm 'docs: mine'");
    let told = world.runs("cargo test").after.context().unwrap_or_default().to_owned();
    assert!(told.contains("docs/open.txt changed, and no call"), "{told}");
    assert!(!told.contains("docs/new.txt"), "{told}");
    // It stays the person's: what the agent's line then does to it is no stray of the agent's own.
    world.runs_and("cargo test", || write(&world, "docs/new.txt", "theirs, again\n"));
    assert_eq!(strays(&world), json!([]));
}

#[test]
fn a_long_call_claims_only_what_its_line_names() {
    let world = at_work();
    let reply = lasted(&world, "sh fix.sh todo.txt", 5000, || {
        write(&world, "todo.txt", "fixed\n");
        write(&world, "docs/other.txt", "somebody's\n");
        world.git("config alias.st status");
        world.git("commit -q --allow-empty --no-verify -m meanwhile");
    });
    reply.tells("that command changed todo.txt");
    reply.tells("docs/other.txt changed, and no call of yours");
    let told = reply.context().unwrap_or_default();
    assert!(!told.contains("committed by hand") && !told.contains(".git/config"), "{told}");
    let heard = reply.to_person().unwrap_or_default();
    assert!(
        heard.contains("meanwhile") && heard.contains(".git/config changed, and no call"),
        "{heard}"
    );
    assert_eq!(strays(&world), json!(["todo.txt"]));
    world.seed("fence restore").tells("todo.txt is as it was");
    assert_eq!(world.text("docs/other.txt"), "somebody's\n");
    world.tests();
    world.leaves();
    assert!(!world.files_of_head().contains(&"docs/other.txt".to_owned()));
    assert_eq!(world.git("config alias.st"), "status");
}

#[test]
fn a_call_that_nobody_looked_before_claims_nothing() {
    let world = at_work();
    write(&world, "todo.txt", "x\n");
    world.git("config alias.st status");
    let input = json!({ "command": "cargo test" });
    let reply = world.after("Bash", &input, &world.next_call(), &json!({ "stdout": "" }), 3);
    blames_nobody(&reply, "no look");
    reply.tells("todo.txt changed, and no call");
    assert_eq!(strays(&world), json!([]));
}

#[test]
fn what_a_person_wrote_is_not_taken_away_because_the_agent_wrote_there_too() {
    for named_before in [false, true] {
        let world = at_work();
        write(&world, "todo.txt", "the person's list\n");
        if named_before {
            world.runs_and("cargo test", || ()).after.tells("todo.txt changed, and no call");
        }
        let append = || write(&world, "todo.txt", "the person's list\nand a line of a script\n");
        world.runs_and("cargo test", append).after.tells("todo.txt changed, and no call");
        world.seed("fence restore todo.txt").said();
        assert!(world.text("todo.txt").contains("the person's list"), "{named_before}");
        world.tests();
        world.leaves();
        assert!(!world.files_of_head().contains(&"todo.txt".to_owned()));
    }
}

/// The run that every text asks for must not stand in its own way: where no lock file is kept,
/// the runner writes one.
#[test]
fn a_lock_file_that_a_run_leaves_holds_up_nothing() {
    for (lock, line) in [
        ("Cargo.lock", "cargo test"),
        ("uv.lock", "uv run pytest"),
        ("sub/Gemfile.lock", "bundle exec rspec"),
    ] {
        let world = at_work();
        let reply = lasted(&world, line, 40, || write(&world, lock, "# made by a tool\n"));
        assert!(reply.refusal().is_none(), "{lock}: {reply:?}");
        assert_eq!(strays(&world), json!([]), "{lock}");
        world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
        assert_eq!(world.phase(), "verify", "{lock}");
        // It is named to the person, and in no commit.
        assert!(world.seed("status").succeeds().contains(lock), "{lock}");
        assert!(!world.files_of_head().contains(&lock.to_owned()), "{lock}");
        fs::remove_file(world.path(lock)).expect("it stayed");
    }
    // One that the repository keeps, or that the line names, is a change like any other.
    let world = World::seeded();
    world.puts("Cargo.lock", "# kept\n");
    world.sh("git add Cargo.lock && git commit -qm 'a lock file'");
    world.to("execute").works("execute");
    lasted(&world, "cargo test", 40, || write(&world, "Cargo.lock", "# other\n"));
    assert_eq!(strays(&world), json!(["Cargo.lock"]));
    let world = at_work();
    lasted(&world, "python3 make.py Cargo.lock", 40, || write(&world, "Cargo.lock", "# x\n"));
    assert_eq!(strays(&world), json!(["Cargo.lock"]));
}

#[test]
fn touching_what_a_person_changed_is_no_change() {
    let world = at_work();
    write(&world, "todo.txt", "the person's list\n");
    let again = || write(&world, "todo.txt", "the person's list\n");
    let reply = world.runs_and("cargo test", again).after;
    blames_nobody(&reply, "touched");
    assert_eq!(strays(&world), json!([]));
}

#[test]
fn a_remote_of_the_persons_outlives_what_is_put_back() {
    let world = at_work();
    world.git("remote add upstream https://example.org/x.git");
    let reply = world.runs_and("cargo test", || drop(world.git("config alias.evil '!true'"))).after;
    reply.tells("that call changed .git/config");
    world.seed("fence restore .git/config").tells(".git/config is as it was");
    assert_eq!(world.git("remote"), "upstream");
    assert_eq!(world.tries("git config alias.evil").code, 1);
    world.leaves();
}

#[test]
fn a_change_is_left_to_the_call_that_is_under_way() {
    let world = at_work();
    let (input, call) = (json!({ "command": "sh x.sh todo.txt" }), world.next_call());
    world.before("Bash", &input, &call).passes();
    write(&world, "todo.txt", "stray\n");
    world.git("config alias.evil '!true'");
    // One that only looks ends meanwhile: it takes nothing over.
    let reply = world.runs("git log -1").after;
    assert!(reply.context().is_none() && reply.to_person().is_none(), "{reply:?}");
    let reply = world.after("Bash", &input, &call, &json!({ "stdout": "" }), 3);
    reply.tells("that command changed todo.txt");
    reply.tells("that call changed .git/config");
    world.seed("fence restore").succeeds();
    assert_eq!(world.text("todo.txt"), "a\nb\nc\n");
}

#[test]
fn tests_prove_although_a_person_wrote_just_before_them() {
    let world = at_work();
    world.edits(CODE, "escapes();", "escapes(); more();").passes();
    write(&world, "src/parser/extra.rs", "// the person's\n");
    write(&world, "todo.txt", "the person's list\n");
    world.tests();
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn looks_are_gone_when_their_calls_are() {
    let world = at_work();
    let kept = || world.sh("find .git/seed/looks -type f | wc -l").trim().to_owned();
    world.runs_and("cargo test", || ()).passes();
    world.runs("git log -1").passes();
    world.reads(CODE).passes();
    assert_eq!(kept(), "0");
    // The person refuses each of these: no event follows.
    for _ in 0..70 {
        world.before("Bash", &json!({ "command": "cargo test" }), &world.next_call());
    }
    assert!(kept().parse::<u32>().expect("a number") <= 64, "{}", kept());
}
