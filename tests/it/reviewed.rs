//! "Let me look first": the person looks at finished work before they approve it, and the end of a
//! job that nobody approved.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, World, completion, message, question};

/// A job that the person looks at.
fn looked_at() -> World {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.asks(&completion()).passes().answers("Review").tells("End the turn");
    world
}

fn next(world: &World) -> String {
    world.json("status")["next"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_turn_ends_while_the_person_looks_and_their_words_open_a_small_cycle() {
    let world = looked_at();
    let job = world.job();
    assert!(world.stops().is_silent(), "they look");
    world.changes_nothing(|| world.seed("phase advance --review").refuses("has not answered yet"));
    world.changes_nothing(|| {
        world
            .seed("phase advance -F -")
            .stdin(&message("condense"))
            .refuses("is reviewing the work")
    });
    let head = world.git("rev-parse HEAD");
    world.prompt("rename lex to lexer").tells("git seed phase advance --review");
    let more = "git seed phase advance --review; if the person wants nothing more, ask one";
    assert!(next(&world).starts_with(more), "{}", next(&world));
    world.stops().refuses("git seed phase advance --review");
    // Two calls and one commit.
    let said = world.seed("phase advance --review").succeeds();
    assert!(said.contains("condense -> idle") && said.contains("observe -> execute"), "{said}");
    assert_eq!((world.job(), world.phase().as_str()), (job, "execute"));
    let status = world.json("status");
    assert_eq!((&status["track"], &status["cycle"]), (&json!("quick"), &json!(2)));
    let shown = world.json("job show");
    assert_eq!(shown["extension_cycles_added"], 1);
    assert_eq!(shown["extension_contexts"], json!(["rename lex to lexer"]));
    let between = world.git("rev-parse HEAD");
    world.reads(CODE).passes();
    world.edits(CODE, "lex()", "lexer()").passes();
    world.tests();
    world.seed("phase advance -m 'rename lex to lexer'").tells("verify -> condense");
    let commits = world.git(&format!("rev-list --count {}..HEAD", between.trim()));
    assert_eq!(commits.trim(), "1");
    // What condense had written is committed with the words of its question.
    let closed = world.git(&format!("log --format=%s {}..{}", head.trim(), between.trim()));
    assert!(closed.starts_with("condense: fix the lexer"), "{closed}");
    world.asks(&completion()).passes().answers("Approve completion").tells("closed");
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent());
    // The record of the question is signed by nobody: all else holds.
    let verified = world.person("verify").said();
    assert!(verified.code == 3 && verified.out.contains("0 broken"), "{verified:?}");
}

#[test]
fn who_wants_nothing_more_is_asked_again() {
    let world = looked_at();
    world.prompt("it is fine as it is");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("condense")).refuses("--review")
    });
    world.asks(&completion()).passes().answers("Approve completion");
    world.leaves();
    assert_eq!(world.phase(), "none");
}

#[test]
fn a_question_of_the_persons_leaves_them_looking() {
    let world = looked_at();
    world.prompt("? how long did it take");
    assert!(world.stops().is_silent());
    world.changes_nothing(|| world.seed("phase advance --review").refuses("has not answered yet"));
}

#[test]
fn a_typed_answer_approves_nothing_and_is_what_they_want() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let told = world.asks(&completion()).passes().answers("yes, approve it");
    let person = told.to_person().expect("the person is told");
    assert!(
        person.contains("yes, approve it") && person.contains("Approve completion"),
        "{person}"
    );
    assert_eq!(world.json("status")["job"]["status"], "active");
    world.seed("phase advance --review").succeeds();
    assert_eq!(world.json("job show")["extension_contexts"], json!(["yes, approve it"]));
}

#[test]
fn the_literal_counts_with_spaces_around_it() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.asks(&completion()).passes().answers("  Approve completion\n");
    assert_eq!(world.json("status")["job"]["status"], "completed");
}

#[test]
fn review_is_for_what_was_asked() {
    for phase in ["observe", "execute", "condense"] {
        let world = World::seeded();
        world.to(phase);
        world.changes_nothing(|| world.seed("phase advance --review").refuses("nobody was"));
    }
}

#[test]
fn a_question_that_nobody_answered_lets_the_job_rest() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    // The person closed the question: no answer ever comes.
    world.asks(&completion()).passes();
    assert_eq!(next(&world), "git seed phase advance -F -");
    world.leaves();
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent());
    let status = world.json("status");
    assert_eq!(status["awaiting"][0]["id"], json!(job));
    // The only one that waits needs no name.
    let told = world.prompt("[APPROVE]");
    assert!(
        told.to_person().is_some_and(|told| told.contains("approved and completed")),
        "{told:?}"
    );
    assert_eq!(world.json(&format!("job show {job}"))["status"], "completed");
}

#[test]
fn a_person_ends_it_at_a_terminal_without_naming_it() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.asks(&completion()).passes();
    world.leaves();
    world.person("job complete").tells("approved and completed");
    assert_eq!(world.json(&format!("job show {job}"))["status"], "completed");
}

#[test]
fn words_after_a_question_that_was_closed_open_a_cycle_too() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.asks(&completion()).passes();
    world.prompt("rename lex first").tells("--review");
    world.seed("phase advance --review").tells("observe -> execute");
    assert_eq!(world.json("phase cycle"), json!(2));
}

#[test]
fn a_small_job_goes_back_to_its_work_while_nothing_was_settled() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.changes_nothing(|| world.seed("phase back -m 'look again'").refuses("BLOCKED"));
    world.asks(&completion()).passes().answers("Review");
    world.seed("phase back execute -m 'the person wants it renamed'").tells("execute");
    assert_eq!((world.phase().as_str(), world.json("phase cycle")), ("execute", json!(1)));
}

/// Where the person's rebase made a run an old one, the refused question leads to a new one.
#[test]
fn a_question_on_rebased_work_leads_to_where_tests_run() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    let text = "[JOB-COMPLETE] fix the lexer: the lexer keeps the escapes of quoted strings now; \
                cargo test ran at the end and all of its tests passed, and nothing else was \
                touched by this change.\n\n## Outstanding Items\n";
    let told = || question(text, &["Review", "Approve completion"]);
    world.asks(&told()).passes().answers("Review");
    world.sh(
        "git branch topic HEAD~1 && git switch -q topic && echo n > NOTES && git add NOTES && \
         git commit -qm notes && git switch -q main && git rebase -q topic",
    );
    world.prompt("fine, that is all");
    let asked = world.asks(&told());
    asked.refuses("git seed phase back execute -m");
    world.seed("phase back execute -m 'the tests run once more'").succeeds();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.asks(&told()).passes().answers("Approve completion").tells("closed");
}

#[test]
fn status_says_what_is_next_and_which_words_act_where_no_job_is_focused() {
    const GIT: &str = "[ALLOW git <words>]";
    let world = World::seeded();
    let told = |next: &str, words: &[&str]| {
        let status = world.json("status");
        assert!(status["next"].as_str().is_some_and(|said| said.contains(next)), "{status}");
        assert_eq!(status["words"], json!(words));
    };
    told("send a prompt", &["[QUICK]", "[FULL]", GIT, "[OFF]", "?"]);
    world.person("job create 'rename lex'").succeeds();
    told("git seed job activate ", &["[QUICK]", "[FULL]", "[DROP] <id>", GIT, "[OFF]", "?"]);
    world.person("job drop --pending").succeeds();
    world.person("off -m 'by hand'").succeeds();
    told("git seed on", &["[ON]"]);
    world.person("on").succeeds();
    world.prompt("fix the lexer");
    told(
        "git seed phase advance",
        &["[QUICK]", "[FULL]", "[ALLOW <path>]", GIT, "[PAUSE]", "[DROP]", "[OFF]", "?"],
    );
    world.to("condense");
    world.works("condense");
    told(
        "[JOB-COMPLETE]",
        &["[APPROVE]", "[ALLOW <path>]", GIT, "[PAUSE]", "[DROP]", "[OFF]", "?"],
    );
    world.asks(&completion()).passes();
    world.leaves();
    told("git seed job approve ", &["[QUICK]", "[FULL]", "[APPROVE]", "[DROP]", GIT, "[OFF]", "?"]);
}

#[test]
fn an_answer_that_comes_after_the_cycle_was_closed_still_approves() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    let asked = world.asks(&completion()).passes();
    // Beside the open question, in the same batch of calls.
    world.leaves();
    assert_eq!(world.json("status")["awaiting"][0]["id"], json!(job));
    asked.answers("Approve completion").tells("approved and completed");
    assert_eq!(world.json(&format!("job show {job}"))["status"], "completed");
}

/// A job that rests: its cycle was closed beside the open question.
fn resting() -> (World, String) {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.asks(&completion()).passes();
    world.leaves();
    (world, job)
}

/// A question about the work bears a job of its own, which has nothing to approve.
#[test]
fn an_approval_beside_talk_is_for_the_job_that_awaits() {
    let (world, job) = resting();
    world.prompt("what did you change exactly?");
    let status = world.json("status");
    assert_ne!(status["job"]["id"], json!(job));
    assert!(status["words"].to_string().contains("[APPROVE]"), "{status}");
    world.prompt("[APPROVE]");
    assert_eq!(world.json(&format!("job show {job}"))["status"], "completed");
}

#[test]
fn an_approval_is_for_the_job_that_asked_and_not_for_one_that_awaits() {
    let (world, first) = resting();
    world.prompt("fix the lexer again");
    let second = world.job();
    assert_ne!(first, second);
    world.to("condense");
    world.works("condense");
    world.asks(&completion()).passes().answers("Approve completion");
    let status = |id: &str| world.json(&format!("job show {id}"))["status"].clone();
    assert_eq!((status(&first), status(&second)), (json!("awaiting you"), json!("completed")));
}
