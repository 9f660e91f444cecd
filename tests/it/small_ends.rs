//! How small work ends in ways that are not the straight one: called off, put back, asked too
//! early, pushed in the same turn, reviewed and called by what it changed.

use serde_json::json;

use super::quick::{done, small, small_in, small_with_a_hook};
use super::world::{CODE, Reply, World, question};

/// The turn wants to end with these words.
fn ends(world: &World, said: &str) -> Reply {
    let fields = json!({ "stop_hook_active": false, "last_assistant_message": said,
        "background_tasks": [], "session_crons": [] });
    world.event("Stop", &fields)
}

/// A change of a line, and a run of the tests.
fn works(world: &World) {
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
}

fn begins(world: &World) {
    let opens = "lex() drops escapes; lex() keeps escapes; cargo test";
    world.seed(&format!("phase advance --scope src/parser -m '{opens}'")).succeeds();
}

#[test]
fn a_push_behind_the_approval_shows_that_it_was_pushed() {
    let world = small();
    world.sh("git init -q --bare ../up.git && git remote add origin ../up.git");
    world.sh("git push -q -u origin HEAD");
    begins(&world);
    works(&world);
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
    let said = "lex() keeps escapes. The commit is pushed to origin.";
    ends(&world, said).refuses("no command of this turn shows it");
    world.runs("git push origin HEAD").before.passes();
    assert!(ends(&world, said).refusal().is_none());
    // It is no push of the next job's.
    world.prompt("[QUICK] now the parser");
    ends(&world, "The parser is pushed to origin.").refuses("no command of this turn shows it");
}

#[test]
fn work_that_is_called_off_is_not_asked_for_again() {
    for said in [
        "No, undo that, I changed my mind. Leave it as it was.",
        "please revert the changes",
        "Actually, never mind",
    ] {
        let world = small();
        begins(&world);
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        world.prompt(said);
        world.edits(CODE, "fn lex() { escapes();", "fn lex() {").passes();
        assert!(world.json("status")["next"].to_string().contains("[JOB-DROP]"), "{said}");
        ends(&world, "It is as it was.").refuses("[JOB-DROP]");
        let text =
            "[JOB-DROP] fix the lexer: the person called it off, and nothing is left of it now.";
        let drop = question(text, &["Drop the job", "Keep the job"]);
        world.asks(&drop).passes().answers("Drop the job");
        assert!(ends(&world, "It is as it was.").refusal().is_none(), "{said}");
    }
}

#[test]
fn a_cycle_in_which_nothing_had_to_change_ends_without_another_run() {
    for changes in [false, true] {
        let world = small();
        begins(&world);
        works(&world);
        world.asks(&done()).passes().answers("Review");
        world.prompt("looks good");
        let no = ends(&world, "I go on.");
        no.refuses("if the person wants nothing more, ask one [JOB-COMPLETE] question");
        no.refuses("is open in condense.");
        world.seed("phase advance --review").succeeds();
        if changes {
            world.edits(CODE, "escapes();", "escapes(1);").passes();
            world.asks(&done()).refuses("nothing is proved");
        } else {
            world.asks(&done()).passes().answers("Approve completion").tells("closed");
        }
    }
}

/// A question of the agent's that only tells the person what the work waits for.
fn waits(why: &str) -> serde_json::Value {
    question(&format!("[WAITING] {why}"), &["I see to it", "Leave it"])
}

#[test]
fn what_only_the_person_can_mend_lets_the_turn_go_once_they_know() {
    let world = small_with_a_hook();
    begins(&world);
    works(&world);
    world.puts("../hook", "echo main is protected >&2; exit 1\n");
    world.asks(&done()).passes().answers("Approve completion").tells("main is protected");
    let next = || world.json("status")["next"].to_string();
    assert!(
        next().contains("one [WAITING] question") && next().contains("[ALLOW git"),
        "{}",
        next()
    );
    ends(&world, "The hook protects main.").refuses("one [WAITING] question");
    world.asks(&waits("the hook protects main: may I have a branch?")).passes().answers("Leave it");
    assert!(world.json("status")["vetoed"].to_string().contains("main is protected"));
    ends(&world, "I wait for you.").passes();
    // Their next words are work again, and so is a file that changed.
    world.prompt("go on with it");
    assert!(!next().contains("[WAITING]"), "{}", next());
    world.stops().refuses("is open in execute");
    world.asks(&done()).passes().answers("Approve completion").tells("main is protected");
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    assert!(!next().contains("[WAITING]"), "{}", next());
}

#[test]
fn another_branch_lets_the_turn_go_once_the_person_knows() {
    let world = small();
    begins(&world);
    works(&world);
    world.git("switch -q -c feature");
    ends(&world, "HEAD is on feature.").refuses("one [WAITING] question");
    world.asks(&waits("HEAD is on feature: will you switch back?")).passes().answers("Leave it");
    ends(&world, "I wait for you.").passes();
}

#[test]
fn work_that_is_to_rest_lets_the_turn_go() {
    for said in ["let's stop here for today, we'll continue tomorrow", "pause please", "wait"] {
        let world = small();
        begins(&world);
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        world.stops().refuses("is open in execute");
        let told = world.prompt(said);
        told.tells("only the person pauses it, with [PAUSE]");
        let person = told.to_person().unwrap_or_default();
        assert!(person.contains("[PAUSE] pauses the job"), "{said}: {person}");
        ends(&world, "I stop here.").passes();
        // What they say next goes on with it.
        world.prompt("go on with it");
        world.stops().refuses("is open in execute");
    }
    // It is no task where nothing is at work.
    let world = World::seeded();
    world.prompt("let's stop here for today");
    assert_eq!(world.phase(), "none");
}

#[test]
fn a_question_about_the_work_lets_the_turn_go_where_nothing_followed_it() {
    let world = small();
    begins(&world);
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.prompt("what did you change so far?");
    ends(&world, "I changed one line.").passes();
    // Work behind it is open work again.
    world.edits(CODE, "fn lex() { escapes();", "fn lex() { escapes(); more();").passes();
    world.stops().refuses("is open in execute");
    world.prompt("can you also keep the blanks?");
    world.stops().refuses("is open in execute");
}

/// Behind a job that is done the same words are work: it has to be put back.
#[test]
fn to_put_a_finished_job_back_is_work() {
    let world = small();
    begins(&world);
    works(&world);
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
    world.prompt("undo that");
    assert_eq!(world.json("status")["job"]["name"], "undo that");
    world.reads(CODE).passes();
    let opens = "lex() keeps escapes; lex() drops escapes again; cargo test";
    world.seed(&format!("phase advance --small --scope src/parser -m '{opens}'")).succeeds();
    assert!(!world.json("status")["next"].to_string().contains("[JOB-DROP]"));
    world.edits(CODE, "fn lex() { escapes();", "fn lex() {").passes();
    // Said again behind it, they call that off.
    world.prompt("undo that");
    world.stops().refuses("[JOB-DROP]");
}

#[test]
fn what_was_put_back_may_end_without_a_run() {
    let world = small();
    begins(&world);
    works(&world);
    world.edits(CODE, "fn lex() { escapes();", "fn lex() {").passes();
    let next = world.json("status")["next"].to_string();
    assert!(next.contains("if nothing has to change"), "{next}");
    let said = "The lexer keeps escapes already: a test for it passed at once, and I took it \
                out again. Nothing was changed.";
    ends(&world, said).refuses("Do: make the change");
    let text = format!("[JOB-COMPLETE] fix the lexer: {said} {said}\n\n## Outstanding Items\n");
    let asked = question(&text, &["Review", "Approve completion"]);
    world.asks(&asked).passes().answers("Approve completion").tells("closed");
    assert_eq!(world.phase(), "none");
    // Where something did change, a run is asked for as before.
    let world = small();
    begins(&world);
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.asks(&asked).refuses("nothing is proved");
}

/// The card's own line says that nothing was changed, and that is no word of who asks.
#[test]
fn a_question_that_tells_of_a_change_where_there_is_none_goes_back() {
    let world = small();
    begins(&world);
    world.tests();
    let asked = |said: &str| {
        let text = format!(
            "[JOB-COMPLETE] fix the lexer: {said} cargo test ran as a command of its own and \
             passed in this session.\n\n## Outstanding Items\n"
        );
        question(&text, &["Review", "Approve completion"])
    };
    for said in [
        "src/parser/lex.rs now keeps escapes instead of dropping them.",
        "The lexer keeps escapes now, in the code and in its test.",
        "Escapes are no longer lost by the lexer, wherever they stand.",
        "The new case has now been added to the tests of the lexer.",
    ] {
        world.asks(&asked(said)).refuses("say that nothing was changed");
    }
    world.asks(&asked("The lexer keeps escapes already, so nothing was changed.")).passes();
    // Where it is true, it is no matter.
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.asks(&asked("src/parser/lex.rs now keeps escapes instead of dropping them.")).passes();
}

#[test]
fn nobody_is_asked_whether_talk_is_complete() {
    let world = World::seeded();
    world.prompt("how many files are there?");
    world.asks(&done()).refuses("nothing has begun");
    assert!(ends(&world, "There are three files.").refusal().is_none());
}

#[test]
fn a_person_who_approves_too_early_hears_what_is_so() {
    let world = small();
    begins(&world);
    let not_done = "the work is not done";
    world.person("job approve").refuses(not_done);
    works(&world);
    // A question that nobody answered, as where the client ended, leaves the work as it is.
    let unasked = "the work is done and not committed";
    for asked in [false, true] {
        if asked {
            world.asks(&done()).passes();
        }
        let before = world.json("status")["cost"].clone();
        world.person("job approve").refuses(unasked);
        let told = world.prompt("[APPROVE]");
        told.tells("the agent asks one [JOB-COMPLETE] question");
        let person = told.to_person().unwrap_or_default();
        assert!(person.contains(&format!("approved nothing yet: {unasked}")), "{person}");
        assert_eq!(world.json("status")["cost"]["refusals"], before["refusals"]);
    }
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
}

#[test]
fn condense_status_shows_the_question_where_it_is_asked_ahead() {
    let world = small();
    begins(&world);
    works(&world);
    let said = world.seed("condense status").succeeds();
    assert!(said.contains("ask      Ask one [JOB-COMPLETE] question (25 words or more)"), "{said}");
    assert!(said.contains("card     Seen by git seed: 1 file, +1 -1;"), "{said}");
    assert!(!said.contains("footers"), "{said}");
}

#[test]
fn a_page_that_is_gone_is_looked_at_by_a_listing() {
    for (look, shows) in [("git status", true), ("ls docs", true), ("echo gone", false)] {
        let world = small_in(&[("docs/a.md", "a\n"), ("docs/b.md", "b\n")]);
        world.runs_and("rm docs/a.md", || drop(world.sh("rm docs/a.md"))).passes();
        world.asks(&done()).refuses("for example with: git status");
        world.runs_and(look, || {}).passes();
        if shows {
            world.asks(&done()).passes();
        } else {
            world.asks(&done()).refuses("nothing has looked at docs/a.md");
        }
    }
}

#[test]
fn a_review_keeps_its_ruling_and_the_landing_says_what_the_job_is_about() {
    let world = small();
    world.is_heard();
    begins(&world);
    works(&world);
    world.asks(&done()).passes().answers("Review");
    let records = world.seed("audit show").succeeds();
    assert!(records.contains("verify_claim"), "{records}");
    world.prompt("Call it lexer");
    world.seed("phase advance --review").succeeds();
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    world.tests();
    let text = "[JOB-COMPLETE] fix the lexer: the lexer is called as you asked for it. The fix \
                itself did not change, and its own tests pass after the new name in it.\n\n\
                ## Outstanding Items\n";
    let asked = question(text, &["Review", "Approve completion"]);
    // Its card tells of this question, and not of what was said of other work.
    let card = world.asks(&asked).passes();
    let told = card.reply.to_person().unwrap_or_default();
    assert!(told.contains("pass: this question"), "{told}");
    card.answers("Approve completion").tells("closed");
    let message = world.git("log -1 --format=%B");
    let subject = "execute: the lexer is called as you asked for it\n\nThe fix itself";
    assert!(message.starts_with(subject), "{message}");
    world.person("land").succeeds();
    assert_eq!(world.git("log -1 --format=%s main-landed").trim(), "lex() keeps escapes");
    // What the person said of the work opened a cycle, and is on no branch that is handed in.
    world.person("undo").succeeds();
    world.person("land --per-cycle --branch cycles").succeeds();
    let landed = world.git("log --format=%s%n%b main..cycles");
    assert!(landed.starts_with("the lexer is called as you asked for it\n"), "{landed}");
    assert!(!landed.contains("Call it lexer"), "{landed}");
}
