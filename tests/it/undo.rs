//! `git seed undo`, `redo` and `op log`: what was done is recorded, taken back and done again, and
//! nothing of the person's moves with it.

use std::collections::BTreeMap;
use std::fs;

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::{Value, json};

use super::killed::{Kept, Write, chosen, has_strace, time_goes_by, written};
use super::quick;
use super::sample::Extent;
use super::world::{CODE, World, message};

/// What the person has before them: HEAD, the index and the files.
fn persons(world: &World) -> (String, Vec<u8>, String) {
    let index = std::fs::read(world.path(".git/index")).unwrap_or_default();
    let files = world.sh("find . -path ./.git -prune -o -type f -print | sort | xargs sha256sum");
    (world.git("log -1 --format='%H %D'"), index, files)
}

fn ops(world: &World) -> Vec<Value> {
    world.json("op log -n 1000").as_array().expect("a list").clone()
}

/// Commands of the operations, the newest first; an undone one in brackets.
fn commands(world: &World) -> Vec<String> {
    let named = |op: &Value| {
        let command = op["command"].as_str().expect("a command");
        if op["undone"] == true { format!("({command})") } else { command.to_owned() }
    };
    ops(world).iter().map(named).collect()
}

#[test]
fn each_command_and_event_that_made_a_step_is_one_operation() {
    let world = World::seeded();
    assert_eq!(commands(&world), [] as [&str; 0]);
    world.prompt("Fix the lexer");
    let job = world.job();
    world.seed("status").succeeds();
    world.reads(CODE).passes();
    assert_eq!(commands(&world), ["prompt"], "a look is none, nor is a line of the journal");
    world.seed("phase advance").succeeds();
    world.seed("phase multiplier 1.0").succeeds();
    assert_eq!(commands(&world), ["phase multiplier", "phase advance", "prompt"]);
    let newest = &ops(&world)[0];
    let told = json!([&newest["worktree"], &newest["jobs"], &newest["undone"]]);
    assert_eq!(told, json!(["main", [job], false]));
    assert!(newest["at"].as_str().expect("a time").ends_with('Z'), "{newest}");
    world.person("op log").tells("phase multiplier");
}

#[test]
fn a_step_is_taken_back_and_done_again() {
    let world = World::prompted();
    assert_eq!(world.phase(), "idle");
    world.seed("phase advance").succeeds();
    world.seed("phase multiplier 1.0").succeeds();
    assert_eq!(world.phase(), "observe");
    let seen = persons(&world);
    let said = world.json("undo -n 2");
    assert_eq!(said["ops"].as_array().map(Vec::len), Some(2), "{said}");
    assert_eq!(said["left"], json!([]));
    assert_eq!(world.phase(), "idle");
    assert_eq!(commands(&world)[..2], ["undo", "(phase multiplier)"]);
    world.person("redo").tells("phase advance");
    assert_eq!(world.phase(), "observe");
    world.person("redo").tells("phase multiplier");
    world.person("redo").refuses("nothing left to redo");
    assert_eq!(persons(&world), seen);
    world.person("undo").succeeds();
    world.seed("phase multiplier 2.0").succeeds();
    world.person("redo").refuses("nothing left to redo");
}

#[test]
fn a_birth_is_withdrawn_and_comes_back() {
    let world = World::prompted();
    let job = world.job();
    world.person("undo").tells("prompt");
    assert_eq!(world.git("for-each-ref refs/seed/jobs"), "");
    assert_eq!(world.phase(), "none");
    world.person(&format!("job show {job}")).ends(64, "no job");
    world.person("undo").refuses("nothing left to undo");
    world.git("reflog expire --expire=now --all");
    world.git("gc -q --prune=now");
    world.person("redo").succeeds();
    assert_eq!(world.job(), job);
    world.seed("phase advance").succeeds();
    assert_eq!(world.phase(), "observe");
    let said = world.json("doctor");
    let bad: Vec<&Value> =
        said.as_array().expect("findings").iter().filter(|one| one["ok"] == false).collect();
    assert!(bad.is_empty(), "{bad:?}");
}

/// No file changes, so what a run showed of them it shows still: the card, the gate of verify and
/// the ruling on the question know of it alike.
#[test]
fn what_ran_is_known_behind_an_undo() {
    let world = quick::small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let advance = "phase advance -m 'keep escapes in quoted strings'";
    world.seed(advance).succeeds();
    assert_eq!(world.phase(), "condense");
    for _ in 0..2 {
        world.person("undo").succeeds();
        assert_eq!(world.phase(), "execute");
        world.seed(advance).succeeds();
        assert_eq!(world.phase(), "condense");
        world.seed("condense status").tells("1 run, last `cargo test`");
    }
    world.person("undo").succeeds();
    world.person("redo").succeeds();
    world.asks(&quick::done()).passes().answers("Approve completion").tells("closed");
}

/// What the agent changed stays its own where the person undoes a prompt, and it is told so.
#[test]
fn an_undone_prompt_leaves_the_agents_changes_its_own() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.prompt("and keep it short");
    world.person("undo").tells("prompt");
    world.reads(CODE).after.tells("git seed fence status says whose each change is");
    world.seed("fence status").tells(&format!("own        {CODE}"));
}

#[test]
fn an_undone_boundary_leaves_its_commit_and_the_agent_goes_on() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let head = world.git("rev-parse HEAD");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    let commit = world.git("rev-parse HEAD");
    assert_ne!(commit, head);
    let seen = persons(&world);
    let said = world.json("undo");
    let revert = format!("git revert {}", &commit[..12]);
    assert_eq!(said["left"], json!([revert]));
    assert_eq!(persons(&world), seen, "branch, index and files are as they were");
    assert_eq!(world.phase(), "execute");
    let note = world.git("notes --ref=seed show HEAD");
    assert!(note.contains("undone by a person") && note.contains("{\"kind\":\"undone\""), "{note}");
    let found = world.person("verify --json").said();
    let found: Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!((&found["undone"], &found["broken"]), (&json!([commit]), &json!([])), "{found}");
    // The agent hears it once, and what was committed is no forbidden change.
    world.reads(CODE).after.tells("the person undid `phase advance`");
    world.opens();
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

/// A small job whose first step the person undid: its commit is theirs, and is no part of it.
/// What a job cost was spent, and what the agent did in a stay was done.
#[test]
fn a_redo_finds_what_the_job_had_cost() {
    for times in [1, 2] {
        let world = World::seeded();
        world.prompt("[QUICK] fix the lexer");
        world.reads(CODE).passes();
        world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        world.stops().refuses("is open in execute");
        world.tests();
        let cost = world.json("status")["cost"].clone();
        assert_eq!(cost["refusals"], 1, "{cost}");
        for word in ["undo", "redo"].repeat(times) {
            world.person(word).succeeds();
        }
        assert_eq!(world.phase(), "execute");
        assert_eq!(world.json("status")["cost"], cost, "{times}");
        world.reads(CODE).after.tells("the person redid");
        let more = world.json("status")["cost"].clone();
        assert_eq!(more["calls"].as_u64(), cost["calls"].as_u64().map(|n| n + 1), "{more}");
        world.seed("phase advance -m 'keep escapes'").succeeds();
        assert_eq!(world.phase(), "condense");
    }
}

#[test]
fn what_lands_behind_an_undo_stands_for_what_stands() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    let works = |to: &str| {
        world.reads(CODE).passes();
        world.edits(CODE, "fn lex() {", to).passes();
        world.tests();
    };
    works("fn lex() { escapes();");
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.json("undo");
    world.git("revert --no-edit HEAD");
    works("fn lex() { quotes();");
    world.seed("phase checkpoint -m 'keep quotes'").succeeds();
    world.sh("git add todo.txt; echo mine >> todo.txt; git -c user.name=Else commit -qm 'my own' \
              todo.txt");
    works("fn lex() { numbers();");
    world.seed("phase advance -m 'read numbers'").succeeds();
    world.person("job approve").succeeds();
    let landed = world.json("land");
    let rows = landed["commits"].as_array().expect("rows").iter();
    let stand: Vec<usize> =
        rows.map(|row| row["stands_for"].as_array().expect("ids").len()).collect();
    assert_eq!(stand, [1, 0, 1], "{landed}");
    let said = world.person("verify main-landed").said();
    assert!(said.out.contains("it stands for 1 step of job"), "{said:?}");
    assert!(!said.out.contains(" steps of job"), "{said:?}");
    // All of it squashed stands for all that stands.
    world.sh("git checkout -q -b squashed main-landed~3 && git merge -q --squash main-landed && \
              git -c core.hooksPath=/dev/null commit -qm squashed");
    let said = world.person("verify squashed~1..squashed").said();
    assert!(said.out.contains("it stands for 2 steps of job"), "{said:?}");
    // A person may take away the commit of what they undid.
    let said = world.person("verify --json").said();
    assert!(!said.out.contains("not in this history"), "{said:?}");
}

/// The answer that ends a small job takes a step in a process of its own, between two of the hook.
#[test]
fn what_a_hook_does_in_the_small_lane_is_recorded_as_it_was_done() {
    let world = quick::small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let id = world.job();
    let told = |before: &[&str]| {
        let opened = ["phase advance", "prompt"];
        let all = commands(&world);
        assert_eq!(all, [before, &opened].concat());
    };
    told(&[]);
    let closes = || {
        world.asks(&quick::done()).passes().answers("Approve completion").tells("closed");
        assert_eq!(world.phase(), "none");
    };
    closes();
    told(&["tool call", "phase advance"]);
    let over = moment(&world);
    world.json("undo");
    assert_eq!(world.phase(), "condense", "it goes back, behind the step before the answer");
    world.json("undo");
    assert_eq!(world.phase(), "execute");
    world.json("redo -n 2");
    assert_eq!(moment(&world), over);
    // Approved again behind its closing, it lands like any other.
    world.json("undo");
    closes();
    let way = ["tool call", "undo", "redo", "undo", "undo", "(tool call)", "phase advance"];
    told(&way);
    let landed = world.json(&format!("land {id}"));
    assert_eq!(landed["commits"][0]["stands_for"].as_array().map(Vec::len), Some(1), "{landed}");
    assert_eq!(landed["product_identical"], true);
}

#[test]
fn only_a_person_takes_anything_back() {
    let world = World::prompted();
    world.changes_nothing(|| {
        world.seed("undo").refuses("only a person may run");
        world.seed("redo").refuses("only a person may run");
        world.seed("op log").succeeds();
    });
    world.person("undo --to 0123456789").ends(64, "no operation");
    world.person("undo -n 0").ends(64, "0");
}

/// A job that a person approved and whose only cycle is closed.
fn closed() -> (World, String) {
    let world = World::seeded();
    world.to("condense");
    let id = world.job();
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert_eq!(world.phase(), "none");
    (world, id)
}

/// What `undo` says it leaves, of a landing on `main-landed` that it takes back.
fn left_of_landing(world: &World) -> Vec<String> {
    let said = world.json("undo");
    assert_eq!(world.git("branch --list main-landed"), "");
    let left = said["left"].as_array().expect("a list").iter();
    left.map(|one| one.as_str().expect("words").to_owned()).collect()
}

#[test]
fn undo_says_what_a_remote_still_has_of_a_landing() {
    let (world, _) = closed();
    world.sh("git init -q --bare ../remote && git remote add origin ../remote");
    let pushes = |what: &str| {
        world.git(&format!("-c core.hooksPath=/dev/null push -q origin {what}"));
    };
    pushes("main");
    let none: [&str; 0] = [];
    world.person("land").succeeds();
    assert_eq!(left_of_landing(&world), none, "nobody else has it");
    world.person("redo").succeeds();
    pushes("main-landed");
    let tip = world.git("rev-parse --short=12 main-landed").trim().to_owned();
    let own = format!(
        "origin/main-landed still has the landed commit {tip}: git push origin --delete main-landed"
    );
    assert_eq!(left_of_landing(&world), std::slice::from_ref(&own));
    // What it says does it.
    world.git("-c core.hooksPath=/dev/null push -q origin --delete main-landed");
    world.person("redo").succeeds();
    assert_eq!(left_of_landing(&world), none);
    // On a branch of others it is reverted, both commits of it.
    world.person("redo").succeeds();
    pushes("main-landed main-landed:release");
    let below = world.git("rev-parse --short=12 main-landed~1").trim().to_owned();
    let other = format!(
        "origin/release still has the landed commit {tip}: on that branch, git revert {tip} {below}"
    );
    assert_eq!(left_of_landing(&world), [own, other]);
}

#[test]
fn a_closed_job_is_live_again_and_an_approval_is_a_word_taken_back() {
    let (world, id) = closed();
    let seen = persons(&world);
    world.json("undo");
    let job = world.json(&format!("job show {id}"));
    let told = json!([&job["status"], &job["focused"], &job["user_approval"], &job["phase"]]);
    assert_eq!(told, json!(["completed", true, true, "condense"]));
    // The answer of the person was the operation before.
    world.json("undo");
    let job = world.json(&format!("job show {id}"));
    let told = json!([&job["status"], &job["user_approval"], &job["phase"]]);
    assert_eq!(told, json!(["active", false, "condense"]));
    assert_eq!(persons(&world), seen);
    let listed = world.person("job list").succeeds();
    assert!(!listed.contains("more job"), "it is counted once: {listed}");
    world.json("redo -n 2");
    assert_eq!(world.phase(), "none");
    assert_eq!(world.git("for-each-ref refs/seed/jobs"), "");
    let job = world.json(&format!("job show {id}"));
    assert_eq!(json!([&job["status"], &job["user_approval"]]), json!(["completed", true]));
    let found = world.person("verify --json").said();
    let found: Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!((&found["undone"], &found["broken"]), (&Value::Null, &json!([])), "{found}");
}

#[test]
fn a_dropped_job_and_the_edges_to_it_come_back() {
    let world = World::seeded();
    world.to("condense");
    let id = world.job();
    world.seed("job create-dependent 'write the manual'").succeeds();
    let edges = |world: &World| world.json(&format!("job show {id}"))["depends_on"].clone();
    let other = edges(&world)[0].as_str().expect("it waits for the new one").to_owned();
    world.person(&format!("job drop {other} -m 'never mind'")).succeeds();
    assert_eq!(edges(&world), json!([]));
    let said = world.json("undo");
    assert_eq!(said["jobs"].as_array().map(Vec::len), Some(2), "{said}");
    assert_eq!(edges(&world), json!([&other]));
    let status = |world: &World| world.json(&format!("job show {other}"))["status"].clone();
    assert_eq!(status(&world), "pending");
    world.reads(CODE).passes();
    world.json("redo");
    assert_eq!((edges(&world), status(&world)), (json!([]), json!("voided")));
    world.person("job drop -m 'nor that'").succeeds();
    assert_eq!(world.phase(), "none");
    world.json("undo");
    assert_eq!((world.job(), world.phase()), (id, "condense".to_owned()));
    world.reads(CODE).passes();
}

#[test]
fn rules_are_those_of_then() {
    let world = World::prompted();
    let own = |world: &World| world.person("rules show").succeeds().contains("own = 7");
    assert!(!own(&world));
    world.puts("seed.toml", "[nights]\nown = 7\n");
    world.person("rules apply").succeeds();
    assert!(own(&world));
    world.json("undo");
    assert!(!own(&world));
    assert_eq!(world.text("seed.toml"), "[nights]\nown = 7\n", "a file is the person's");
    world.json("redo");
    assert!(own(&world));
}

#[test]
fn the_branch_of_a_landing_goes_if_it_is_where_land_left_it() {
    let (world, id) = closed();
    world.person("land").succeeds();
    let landed = world.git("rev-parse main-landed");
    assert_eq!(world.json("undo")["left"], json!([]));
    assert!(world.tries("git rev-parse -q --verify main-landed").code != 0, "it is gone");
    world.json("redo");
    assert_eq!(world.git("rev-parse main-landed"), landed);
    world.git("switch -q main-landed");
    let left = world.json("undo")["left"].clone();
    assert!(left.to_string().contains("is checked out"), "{left}");
    world.git("switch -q main");
    world.git("branch -qD main-landed");
    world.person(&format!("land {id} --branch main")).succeeds();
    let squashed = world.git("rev-parse main");
    let seen = (world.git("write-tree"), world.git("status --porcelain"));
    world.json("undo");
    assert_ne!(world.git("rev-parse main"), squashed, "the commits of the phases are back");
    assert_eq!((world.git("write-tree"), world.git("status --porcelain")), seen);
    world.json("redo");
    assert_eq!(world.git("rev-parse main"), squashed);
    // Somebody works on it.
    world.git("commit -q --allow-empty -m 'on top'");
    let top = world.git("rev-parse main");
    let left = world.json("undo")["left"].clone();
    assert!(left.to_string().contains("changed since"), "{left}");
    assert_eq!(world.git("rev-parse main"), top);
}

/// Two small jobs of one branch, closed; their ids.
fn two_small_jobs(world: &World) -> Vec<String> {
    ["one();", "two();"]
        .map(|call| {
            world.prompt("[QUICK] fix the lexer");
            let id = world.job();
            world.reads(CODE).passes();
            world.seed("phase advance --scope src/parser -m 'the lexer lacks a call'").succeeds();
            world.edits(CODE, "fn lex() {", &format!("fn lex() {{ {call}")).passes();
            world.tests();
            world.asks(&super::quick::done()).passes().answers("Approve completion");
            assert_eq!(world.phase(), "none");
            id
        })
        .to_vec()
}

/// What undo turns, without what only grows.
fn turned(world: &World) -> (Moment, Vec<String>, String) {
    let jobs = world.json("job list --all");
    let keys = ["id", "status", "phase", "cycle"];
    let row = |job: &Value| keys.iter().map(|key| job[*key].to_string()).collect::<String>();
    let rows = jobs.as_array().expect("a list").iter().map(row).collect();
    (moment(world), rows, world.git("for-each-ref refs/heads"))
}

/// `-n` and `--to` come to what as many single ones come to: past births, over landings of one
/// branch in whatever order, and where a landing's branch is another one's beginning.
#[test]
fn many_at_once_are_as_many_one_by_one() {
    let each: [&[(usize, &str)]; 4] = [
        &[],
        &[(1, "main"), (0, "main")],
        &[(0, "out"), (1, "later")],
        &[(0, "main"), (1, "main")],
    ];
    for lands in each {
        let world = World::seeded();
        let ids = two_small_jobs(&world);
        for (job, branch) in lands {
            world.person(&format!("land {} --branch {branch}", ids[*job])).succeeds();
        }
        let full = turned(&world);
        let all = commands(&world).len();
        for count in [lands.len(), all - 1, all] {
            if count == 0 {
                continue;
            }
            for _ in 0..count {
                world.person("undo").succeeds();
            }
            let single = turned(&world);
            for _ in 0..count {
                world.person("redo").succeeds();
            }
            assert_eq!(turned(&world), full, "{lands:?}, {count}");
            let told = world.person(&format!("undo -n {count}")).succeeds();
            assert_eq!(turned(&world), single, "{lands:?}, {count}: {told}");
            world.person(&format!("redo -n {count}")).succeeds();
            assert_eq!(turned(&world), full, "{lands:?}, {count}");
        }
    }
}

#[test]
fn a_landing_whose_branch_a_person_deleted_is_undone_and_done_again_with_a_word_of_it() {
    let (world, id) = closed();
    world.person("land").succeeds();
    let landed = world.git("rev-parse main-landed");
    let gone = || world.tries("git rev-parse -q --verify main-landed").code != 0;
    world.git("branch -qD main-landed");
    let undone = world.json("undo");
    assert!(undone["left"].to_string().contains("main-landed was deleted before"), "{undone}");
    assert!(gone() && undone["branches"] == json!([]), "{undone}");
    let redone = world.json("redo");
    let turned = json!([{ "branch": "main-landed", "from": null, "to": landed }]);
    assert_eq!((&redone["branches"], &redone["left"]), (&turned, &json!([])));
    assert_eq!(world.git("rev-parse main-landed"), landed);
    let told = world.person("undo").succeeds();
    assert!(told.contains(&format!("main-landed is gone; it was at {}", &landed[..12])), "{told}");
    // Git has removed its commits meanwhile: nothing points at them any more.
    world.git("reflog expire --expire=now --all");
    world.git("gc -q --prune=now");
    let redone = world.json("redo");
    if gone() {
        assert!(redone["left"].to_string().contains("git has removed its commits"), "{redone}");
        world.person("undo").succeeds();
    } else {
        assert_eq!(world.git("rev-parse main-landed"), landed);
        world.person("undo").succeeds();
        assert!(gone());
    }
    // One that was there before the landing is not made again where a person deleted it.
    world.git("switch -q -c elsewhere");
    world.person(&format!("land {id} --branch main")).succeeds();
    world.git("branch -qD main");
    for word in ["undo", "redo"] {
        let said = world.json(word);
        assert!(said["left"].to_string().contains("main was deleted before"), "{word}: {said}");
        assert!(world.tries("git rev-parse -q --verify main").code != 0, "{word}");
    }
}

#[test]
fn what_a_worktree_changed_that_is_gone_is_told_as_such() {
    let world = World::prompted();
    let id = world.job();
    world.seed("phase advance").succeeds();
    world.seed("job pause").succeeds();
    world.git("worktree add -q ../side");
    let line = format!("cd ../side && git seed job activate {id} && git seed job pause");
    assert_eq!(world.persons_terminal(&line, "").code, 0);
    world.person("undo").refuses("the worktree side changed");
    world.git("worktree remove --force ../side");
    let said = world.person("undo").refuses("the worktree side, which is gone, changed");
    assert!(
        said.contains("undo no longer reaches it") && !said.contains("undo it there"),
        "{said}"
    );
}

#[test]
fn each_worktree_takes_back_its_own_and_no_job_that_moved_elsewhere() {
    let world = World::prompted();
    let id = world.job();
    world.seed("phase advance").succeeds();
    world.seed("job pause").succeeds();
    world.git("worktree add -q ../side");
    let at = |line: &str| world.persons_terminal(&format!("cd ../side && git seed {line}"), "");
    assert_eq!(at("undo").code, 2, "nothing was done there");
    let said = at(&format!("job activate {id}"));
    assert_eq!(said.code, 0, "{said:?}");
    world.changes_nothing(|| world.person("undo").refuses("the worktree side changed"));
    let said = at("job pause");
    assert_eq!(said.code, 0, "{said:?}");
    world.changes_nothing(|| world.person("undo").refuses("the worktree side changed"));
    let newest = ops(&world)[0]["id"].as_str().expect("an id").to_owned();
    world.person(&format!("undo --to {newest}")).refuses("belongs to the worktree side");
    let said = at("undo -n 2");
    assert_eq!(said.code, 0, "{said:?}");
    // It is as it was left here: nothing stands in the way any more.
    world.person("undo").succeeds();
    assert_eq!(world.job(), id);
}

#[test]
fn to_reaches_what_a_new_operation_cut_off_from_redo() {
    let world = World::prompted();
    world.seed("phase advance").succeeds();
    let far = ops(&world)[0]["id"].as_str().expect("an id").to_owned();
    world.json("undo");
    world.seed("job update --objective 'something else'").succeeds();
    world.person(&format!("redo --to {far}")).refuses("redo does not lead to");
    let said = world.json(&format!("undo --to {}", &far[..8]));
    assert_eq!(said["ops"].as_array().map(Vec::len), Some(2), "{said}");
    assert_eq!(world.phase(), "observe");
    assert_ne!(world.json("job show")["objective"], "something else");
    world.person(&format!("undo --to {far}")).refuses("nothing left");
}

#[test]
fn an_operation_that_a_kill_lost_is_made_again() {
    let world = World::prompted();
    world.git("update-ref -d refs/seed/ops");
    assert_eq!(commands(&world), ["before the first operation"]);
    world.seed("phase advance").succeeds();
    let before = world.git("rev-parse refs/seed/ops");
    world.seed("phase multiplier 1.0").succeeds();
    world.git(&format!("update-ref refs/seed/ops {before}"));
    world.seed("job update --objective 'say it'").succeeds();
    let told = commands(&world);
    let all = ["job update", "not recorded", "phase advance", "before the first operation"];
    assert_eq!(told, all);
    world.json("undo -n 3");
    assert_eq!(world.phase(), "idle");
    world.person("undo").refuses("nothing left to undo");
}

/// That a job follows its branch is nothing that anybody did: undo takes back what came before it,
/// and redo still leads on.
#[test]
fn a_rewritten_branch_is_no_operation_to_take_back() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    world.sh("GIT_EDITOR='sed -i 1s/:/:_/' git commit -q --amend");
    world.seed("status").succeeds();
    let followed = |world: &World| {
        let all = commands(world);
        all.iter().filter(|one| *one == "followed the rewritten branch").count()
    };
    assert_eq!(followed(&world), 1, "{:?}", commands(&world));
    for _ in 0..2 {
        world.person("undo").tells("phase advance");
        assert_eq!(world.phase(), "execute");
        world.person("redo").tells("phase advance");
        assert_eq!(world.phase(), "verify");
    }
    assert!(!commands(&world).contains(&"not recorded".to_owned()), "{:?}", commands(&world));
    world.person("redo").refuses("nothing left to redo");
    world.person("undo -n 2").succeeds();
    assert_eq!(world.phase(), "execute");
}

#[test]
fn uninstall_leaves_no_operation_behind() {
    let world = World::prompted();
    world.seed("phase advance").succeeds();
    world.json("undo");
    world.person("uninstall").succeeds();
    assert_eq!(world.git("for-each-ref refs/seed"), "");
    assert!(!world.path(".git/seed").exists());
}

// ---- killed at any write

/// Runs `line` as a person until right before a write; says whether it came that far.
pub(super) fn kills(world: &World, Write { call, nth }: &Write, line: &str) -> bool {
    let inject =
        format!("strace -qq -e trace={call} -e inject={call}:signal=KILL:when={nth} -o ../trace");
    let dead = world.persons_terminal(&format!("{inject} {line}"), "");
    if dead.code == 0 {
        return false;
    }
    assert_eq!(dead.code, 137, "killed at {call} {nth}: {dead:?}");
    time_goes_by(world);
    true
}

/// Where the job stands, who has the focus, what is in the archive and what the branches are.
fn state(world: &World, id: &str) -> String {
    let job = world.json(&format!("job show {id}"));
    let keys = ["status", "focused", "phase", "cycle", "user_approval", "depends_on"];
    let told: Vec<String> = keys.iter().map(|key| job[*key].to_string()).collect();
    format!("{} {} {}", told.join(" "), world.phase(), world.git("branch --format='%(refname)'"))
}

fn killing(world: &World, id: &str, line: &str, newest: &str, extent: Extent) {
    let kept = Kept::of(world);
    let before = state(world, id);
    let traced = format!("strace -qq -e trace={} -o ../trace {line}", super::killed::WRITES);
    let said = world.persons_terminal(&traced, "");
    assert_eq!(said.code, 0, "{said:?}");
    let writes = written(&fs::read_to_string(world.root().join("trace")).expect("a trace"));
    let after = state(world, id);
    assert_ne!(before, after);
    let points: Vec<&Write> =
        if extent == Extent::Whole { writes.iter().collect() } else { chosen(&writes) };
    let mut met = BTreeMap::new();
    for write in points {
        kept.restore();
        if !kills(world, write, line) {
            continue;
        }
        world.seed("status").succeeds();
        let now = state(world, id);
        assert!(now == before || now == after, "killed at {write:?}\n{now}\n{before}\n{after}");
        *met.entry(now == after).or_insert(0) += 1;
        let told = commands(world);
        assert_eq!(told[0] == newest, now == after, "killed at {write:?}: {told:?}");
        if now == before {
            let said = world.persons_terminal(line, "");
            assert_eq!(said.code, 0, "killed at {write:?}: {said:?}");
        }
        assert_eq!(state(world, id), after, "killed at {write:?}");
        world.git("fsck --strict --no-dangling");
    }
    assert!(met.len() == 2, "killed before it began and behind: {met:?}");
}

fn an_undo_is_killed(extent: Extent) {
    if !has_strace() {
        return;
    }
    let (world, id) = closed();
    world.person("land").succeeds();
    killing(&world, &id, "git-seed undo -n 3", "undo", extent);
    killing(&world, &id, "git-seed redo -n 3", "redo", extent);
}

#[test]
fn an_undo_that_is_killed_at_any_write_is_done_or_not_begun() {
    an_undo_is_killed(Extent::Part);
}

#[test]
#[ignore = "minutes"]
fn an_undo_that_is_killed_at_any_write_is_done_or_not_begun_whole() {
    an_undo_is_killed(Extent::Whole);
}

// ---- everything, there and back

/// What must be as it was: the states of open jobs without their log, the focus, the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    jobs: BTreeMap<String, BTreeMap<String, String>>,
    focus: String,
    rules: String,
    /// Branches that a landing made.
    landed: String,
}

/// What of `job.toml` is a log, or says how the work tree is now.
fn without_log(text: &str) -> String {
    let mut state: toml::Table = toml::from_str(text).expect("a state");
    let logged = [
        "step",
        "steps",
        "folded",
        "turn",
        "claims",
        "driver",
        "flights",
        "running",
        "scheduled",
        "answered",
        "gauge",
        "proved",
        "gate",
        "spent",
    ];
    for key in logged {
        state.remove(key);
    }
    let inside = [("job", "updated_at"), ("fence", "tree"), ("fence", "seen"), ("home", "logged")];
    for (table, key) in inside {
        if let Some(table) = state.get_mut(table).and_then(toml::Value::as_table_mut) {
            table.remove(key);
        }
    }
    state.to_string()
}

pub(super) fn moment(world: &World) -> Moment {
    let mut jobs = BTreeMap::new();
    for name in world.git("for-each-ref --format='%(refname)' refs/seed/jobs").lines() {
        let mut files = BTreeMap::new();
        for line in world.git(&format!("ls-tree -r {name}")).lines() {
            let (entry, path) = line.split_once('\t').expect("an entry");
            if path == "job.toml" {
                let text = world.git(&format!("cat-file blob {name}:job.toml"));
                files.insert(path.to_owned(), without_log(&text));
            } else if !path.starts_with("trace/")
                && !path.starts_with("evidence/")
                && path != "touched"
            {
                files.insert(path.to_owned(), entry.to_owned());
            }
        }
        jobs.insert(name.to_owned(), files);
    }
    let focus = world.tries("git symbolic-ref -q refs/worktree/seed/focus").out;
    let rules = world.tries("git show refs/seed/rules:seed.toml 2>/dev/null").out;
    let landed =
        world.git("for-each-ref --format='%(refname) %(objectname)' 'refs/heads/*-landed*'");
    Moment { jobs, focus, rules, landed }
}

/// A sequence of numbers that is always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(self.0 >> 33).expect("it fits") % most
    }
}

fn ids(world: &World, all: bool) -> Vec<String> {
    let list = world.json(if all { "job list --all" } else { "job list" });
    let jobs = list.as_array().expect("a list");
    jobs.iter().map(|job| job["id"].as_str().expect("an id").to_owned()).collect()
}

/// One command or event; most may be refused, and change nothing then.
fn act(world: &World, random: &mut Random, n: usize) {
    let some = |random: &mut Random, all: bool| {
        let ids = ids(world, all);
        if ids.is_empty() {
            "20991231t235959-ffff".to_owned()
        } else {
            ids[random.below(ids.len())].clone()
        }
    };
    world.minute();
    match random.below(16) {
        0 => drop(world.prompt(&format!("Look at number {n}, please"))),
        1 | 2 => drop(world.seed("phase advance").said()),
        3 => drop(world.seed(&format!("phase multiplier {}", 1 + n % 3)).said()),
        4 => drop(world.person(&format!("job create 'number {n}'")).said()),
        5 => drop(world.seed(&format!("job create-dependent 'behind {n}'")).said()),
        6 => drop(world.person(&format!("job drop {} -m no", some(random, false))).said()),
        7 => drop(world.person(&format!("job reactivate {}", some(random, true))).said()),
        8 => drop(world.seed(&format!("job activate {}", some(random, false))).said()),
        9 => drop(world.seed("job pause").said()),
        10 => drop(world.seed(&format!("job update --objective 'say {n}'")).said()),
        11 => {
            world.puts("seed.toml", &format!("[nights]\nown = {}\n", 1 + random.below(5)));
            drop(world.person("rules apply").said());
        }
        12 => drop(world.stops()),
        13 => drop(world.reads(CODE)),
        14 => drop(world.seed("phase back idle -m 'looked enough for now'").said()),
        _ => {
            let phase = world.phase();
            drop(world.seed("phase advance -F -").stdin(&message(&phase)).said());
        }
    }
}

fn done(world: &World) -> usize {
    world.tries("git rev-list --first-parent --count refs/seed/ops").out.trim().parse().unwrap_or(0)
}

fn everything_there_and_back(acts: usize, seed: u64) {
    let world = World::seeded();
    let mut random = Random(seed);
    let mut moments = vec![(0, moment(&world))];
    for n in 0..acts {
        // Two boundaries with commits come first.
        match n {
            0 => drop(world.prompt("Fix the lexer, please")),
            1 => drop(world.seed("phase advance").succeeds()),
            2 | 4 => world.works(&world.phase()),
            3 | 5 => world.leaves(),
            _ => act(&world, &mut random, n),
        }
        let count = done(&world);
        if count > moments.last().expect("the first").0 {
            moments.push((count, moment(&world)));
        }
    }
    assert!(moments.len() * 2 > acts / 2, "too little was done: {}", moments.len());
    let theirs = persons(&world);
    let notes = world.tries("git notes --ref=seed list").out;
    let mut tips: BTreeMap<String, String> = BTreeMap::new();
    let grows = |tips: &mut BTreeMap<String, String>| {
        let format = "--format='%(refname) %(objectname)'";
        for line in
            world.git(&format!("for-each-ref {format} refs/seed/jobs refs/seed/rules")).lines()
        {
            let (name, tip) = line.split_once(' ').expect("a ref");
            let before = tips.insert(name.to_owned(), tip.to_owned());
            let grew = before.is_none_or(|before| {
                world.tries(&format!("git merge-base --is-ancestor {before} {tip}")).code == 0
            });
            assert!(grew, "{name} lost a step");
        }
    };
    grows(&mut tips);
    for pair in moments.windows(2).rev() {
        let [(before, then), (after, _)] = pair else { continue };
        world.json(&format!("undo -n {}", after - before));
        assert_eq!(moment(&world), *then, "undone to {before} of {}", moments.len());
        grows(&mut tips);
    }
    world.person("undo").refuses("nothing left to undo");
    assert_eq!(persons(&world), theirs, "nothing of the person's moved");
    for pair in moments.windows(2) {
        let [(before, _), (after, then)] = pair else { continue };
        world.json(&format!("redo -n {}", after - before));
        assert_eq!(moment(&world), *then, "redone to {after}");
        grows(&mut tips);
    }
    world.person("redo").refuses("nothing left to redo");
    assert_eq!(persons(&world), theirs, "nothing of the person's moved");
    let now = world.tries("git notes --ref=seed list").out;
    let of = |text: &str| {
        text.lines().filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect::<Vec<_>>()
    };
    assert!(of(&notes).iter().all(|commit| of(&now).contains(commit)), "{notes}\n{now}");
    let found: Value =
        serde_json::from_str(&world.person("verify --json").said().out).expect("JSON");
    assert_eq!(found["broken"], json!([]), "{found}");
    assert_eq!(found["undone"], Value::Null, "{found}");
}

#[test]
fn all_of_many_operations_is_undone_and_redone() {
    everything_there_and_back(40, 7);
}

#[test]
#[ignore = "minutes"]
fn all_of_five_hundred_operations_is_undone_and_redone() {
    everything_there_and_back(500, 11);
}

#[test]
fn what_the_agent_left_uncommitted_is_the_persons_where_the_phase_forbids_it() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { half();").passes();
    let seen = persons(&world);
    world.json("undo -n 2");
    assert_eq!(world.phase(), "plan");
    assert_eq!(persons(&world), seen);
    // It is named as the person's, and stops no boundary.
    world.is_heard();
    world.leaves();
    assert_eq!(world.phase(), "execute");
    assert!(world.text(CODE).contains("half()"));
    assert!(!world.files_of_head().contains(&CODE.to_owned()));
}

#[test]
fn the_job_that_is_told_is_the_one_under_the_rules_that_are_back() {
    let world = World::seeded();
    world.to("execute");
    let job = world.job();
    world.person("init --mode watch").succeeds();
    let said = world.person("undo").succeeds();
    let told = said.lines().find(|line| line.starts_with("job ")).expect("a job is told");
    assert!(told.contains("execute"), "{said}");
    assert_eq!(world.job(), job);
}
