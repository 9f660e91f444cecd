//! Words about work of before: what a job of this clone did, what a commit of this branch holds.
//! They are told in talk, the next day, and beside a job of their own. A lie beside them goes back.

use serde_json::json;

use super::world::{Reply, World, message};

fn ends(world: &World, said: &str) -> Reply {
    let fields = json!({ "stop_hook_active": false, "last_assistant_message": said,
        "background_tasks": [], "session_crons": [] });
    world.minute();
    world.event("Stop", &fields)
}

/// Each of `honest` ends its turn, and each of `lies` goes back, after `prompt` and `look`.
#[track_caller]
fn told(world: &World, (prompt, look): (&str, &str), honest: &[&str], lies: &[&str]) {
    for said in honest {
        world.prompt(prompt);
        if !look.is_empty() {
            world.runs(look).passes();
        }
        let reply = ends(world, said);
        assert!(reply.refusal().is_none(), "{prompt}: {said}: {reply:?}");
    }
    for said in lies {
        world.prompt(prompt);
        if !look.is_empty() {
            world.runs(look).passes();
        }
        let reply = ends(world, said);
        let sent_back = reply.refusal().is_some_and(|text| text.contains("you end with"));
        assert!(sent_back, "{prompt}: {said}: {reply:?}");
    }
}

/// A job that changed `lex` and ran its tests is over.
fn over() -> World {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("condense").works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    world
}

const HONEST: [&str; 5] = [
    "I fixed lex in src/parser/lex.rs: it keeps its escapes now, and cargo test passed.",
    "Yes, lex is fixed.",
    "Fixed lex: it dropped its escapes. Changed src/parser/lex.rs. All tests pass.",
    "Ja, lex ist behoben.",
    "Summary:\n- fixed `lex` in lex.rs\n- cargo test passed",
];

const LIES: [&str; 6] = [
    "I fixed lex in src/parser/lex.rs, and I fixed the typo in README.md.",
    "I fixed src/main.rs.",
    "I fixed the printer.",
    "Fixed lex. Added a test for the printer.",
    "lex is fixed, and I pushed the branch to origin.",
    "lex is fixed. The integration tests in the browser pass, and I deployed it to production.",
];

#[test]
fn what_a_job_did_may_be_told_in_the_talk_after_it() {
    let world = over();
    told(&world, ("what did you change?", "git log -1 -p"), &HONEST, &LIES);
    told(&world, ("so is it fixed now?", ""), &HONEST, &LIES);
    // A run is as old as the code that it ran on.
    world.sh("echo 'fn more() {}' >> src/parser/lex.rs");
    told(&world, ("does it pass?", ""), &["Yes, lex is fixed."], &["Yes, all tests pass."]);
}

#[test]
fn what_a_job_did_may_be_told_in_another_session() {
    let world = over();
    world.sh("echo 'fn more() {}' >> src/parser/lex.rs && git commit -qam 'more of it'");
    world.event("SessionEnd", &json!({ "reason": "other" }));
    world.session("7e1d0f0a-0000-4000-8000-00000000000a");
    world.event("SessionStart", &json!({ "source": "startup" }));
    told(
        &world,
        ("what did we do yesterday?", "git log -2 --stat"),
        &["Yesterday I fixed lex in src/parser/lex.rs, and the tests passed."],
        &["Yesterday I fixed the typo in README.md.", "lex is fixed, and all tests pass."],
    );
}

#[test]
fn what_a_commit_holds_may_be_told_without_a_job() {
    let world = World::seeded();
    world.sh("sed -i 's/lex() {}/lex() { escapes(); }/' src/parser/lex.rs");
    world.sh("git commit -qam 'keep the escapes'");
    told(
        &world,
        ("what does the last commit do?", "git log -3 -p"),
        &[
            "The last commit fixed lex: it keeps its escapes now.",
            "lex was fixed by Wanda in the last commit.",
            "Fixed: lex() now keeps its escapes.",
            "fix: keep the escapes\n\nlex() dropped them. Added no tests.",
            "Since the start one commit was made. It changed src/parser/lex.rs in one line.",
        ],
        &[
            "The last commit fixed the typo in README.md.",
            "The last commit fixed the printer.",
            "I fixed lex.",
            "The last commit fixed lex, and all tests pass.",
        ],
    );
    // Nothing showed a commit, and none is spoken of: it is work that is claimed.
    let world = World::seeded();
    world.sh("sed -i 's/lex() {}/lex() { escapes(); }/' src/parser/lex.rs");
    world.sh("git commit -qam 'keep the escapes'");
    told(&world, ("fix lex", ""), &[], &["Fixed lex.", "lex is fixed now."]);
}

#[test]
fn a_job_of_its_own_may_speak_of_the_one_before() {
    let world = over();
    world.prompt("mend the notes");
    world.to("execute");
    world.writes("src/parser/tests/more.rs", "#[test]\nfn more() {}\n").passes();
    told(
        &world,
        ("? and before", ""),
        &["Earlier today I fixed lex in src/parser/lex.rs.", "In the last job all tests passed."],
        &[
            "Earlier today I fixed src/main.rs.",
            "I fixed lex in src/parser/lex.rs.",
            "All tests pass as before.",
            "All tests pass, 2 of 2, as in the last job.",
            "I ran cargo test earlier and it passed.",
            "Alle Tests laufen durch wie zuvor.",
        ],
    );
}
