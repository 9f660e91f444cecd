//! Notes come to rest: what shows it is checked, what waits climbs, and a number means the
//! note that was shown.

use std::fs;

use serde_json::json;

use super::world::{CODE, PAGE, World, message};

/// In condense, with these lines below `---Ve---` of the job's page.
pub(super) fn with_notes(lines: &str) -> World {
    in_condense(World::seeded(), lines)
}

fn in_condense(world: World, lines: &str) -> World {
    world.enters("verify");
    world.opens();
    world.tests();
    world.notes("---Ve---", lines);
    world.leaves();
    world.opens();
    world
}

#[test]
fn each_note_is_listed_with_its_number_and_where_it_stands() {
    let world = with_notes(
        "it holds\n[KNOWLEDGE]{how escapes lex}\n- [PENDING-JOB]{cache-lies | dep:after}{looked, \
         not now}\n[RESOLVED:KNOWLEDGE]{nowhere.md}\n[CARRIED:DRAFT-TERM:2]{trivia | blanks | \
         src}{no home yet}",
    );
    let said = world.seed("note list").succeeds();
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows.len(), 5, "{said}");
    assert!(rows[4].starts_with("git seed job create-dependent <name> --note 2 "), "{said}");
    assert!(rows[0].starts_with("  1  src/parser/CLAUDE.md:"), "{said}");
    assert!(rows[0].ends_with("KNOWLEDGE  live  how escapes lex"), "{said}");
    assert!(rows[1].contains(
        "PENDING-JOB  handed-back  cache-lies | dep:after   (handed back: looked, not now)"
    ));
    assert!(rows[2].contains("KNOWLEDGE  live"), "an end that leads nowhere is none: {said}");
    assert!(
        rows[3].contains("DRAFT-TERM  carried  trivia | blanks | src   (3 cycles: no home yet)"),
        "{said}"
    );
    let json = world.json("note list");
    assert_eq!(
        (json[3]["carries"].as_u64(), json[3]["state"].as_str()),
        (Some(3), Some("carried"))
    );
    assert_eq!(
        (json[1]["extra"].as_str(), json[0]["extra"].as_str()),
        (Some("looked, not now"), None)
    );
}

fn knowledge(front: &str) -> String {
    format!(
        "---\nname: escapes\ndescription: How escapes lex\n{front}---\nOne\nTwo\nThree\nFour\n\
         Five\n"
    )
}

#[test]
fn a_breadcrumb_has_to_lead_somewhere() {
    let world = with_notes(
        "[KNOWLEDGE]{escapes} and more\n[PENDING-JOB]{cache-lies}\n\
         [AGENT-UPDATE]{mover | copies | look}",
    );
    world.puts(".claude/knowledge/INDEX.md", "# Knowledge\n");
    for (n, crumb) in [
        (1, ".claude/knowledge/INDEX.md"),
        (2, &*world.job()),
        (1, "in the body"),
        (1, "src/parser/CLAUDE.md"),
        (1, ".claude/knowledge/../../todo.txt"),
        (1, " "),
        (2, "20200101t000000-0000"),
        (3, "main"),
        (3, "0000000"),
        (3, ".git/config"),
    ] {
        let said = world.changes_nothing(|| {
            world
                .seed(&format!("note resolve {n} --breadcrumb '{crumb}'"))
                .refuses("does not show what became")
        });
        assert!(said.contains("Do: git seed note resolve <n> --breadcrumb <"), "{crumb}: {said}");
    }
    world.puts(
        ".claude/knowledge/escapes.md",
        "---\nname: escapes\ndescription: How escapes lex\n---\nOne\nTwo\nThree\nFour\nFive\n",
    );
    // A file without its front matter is no knowledge file yet.
    world
        .seed("note resolve 1 --breadcrumb .claude/knowledge/escapes.md")
        .refuses(".claude/knowledge/escapes.md:");
    world.puts(
        ".claude/knowledge/escapes.md",
        &knowledge("type: project\nlast_verified: 2026-11-20\n"),
    );
    world.seed("note resolve 1 --breadcrumb '`.claude/knowledge/escapes.md`.'").succeeds();
    let line = "- [escapes](escapes.md): How escapes lex\n";
    assert_eq!(world.text(".claude/knowledge/INDEX.md"), format!("# Knowledge\n{line}"));
    let job = world.seed("job create 'the cache lies'").succeeds();
    let job = job
        .split_whitespace()
        .find(|word| word.contains('t') && word.contains('-'))
        .expect("an id");
    world.seed(&format!("note resolve 2 --breadcrumb 'job {job} created'")).succeeds();
    let head = world.git("rev-parse --short=9 HEAD");
    world.seed(&format!("note resolve 3 --breadcrumb {}", head.trim())).succeeds();
    let page = world.text(PAGE);
    assert!(
        page.contains("[RESOLVED:KNOWLEDGE]{`.claude/knowledge/escapes.md`.} and more\n"),
        "{page}"
    );
    assert!(page.contains(&format!("[RESOLVED:PENDING-JOB]{{job {job} created}}\n")), "{page}");
    assert_eq!(world.json("condense status")["live"].as_u64(), Some(0));
    world.seed("note resolve 1 --breadcrumb todo.txt").refuses("already resolved");
    std::fs::remove_file(world.path(".claude/knowledge/escapes.md")).expect("ours");
    assert_eq!(world.json("condense status")["live"].as_u64(), Some(1), "what it led to is gone");
}

#[test]
fn a_carried_note_keeps_its_words_and_says_why() {
    let world = with_notes(
        "  - [DRAFT-TERM]{trivia \\} | blanks | src}\n[KNOWLEDGE]\n[CARRIED:KNOWLEDGE:x]{y}{z}",
    );
    world.seed("note carry 1 --why 'the glossary } is not there yet'").succeeds();
    let page = world.text(PAGE);
    let line =
        "\n[CARRIED:DRAFT-TERM:1]{trivia \\} | blanks | src}{the glossary \\} is not there yet}\n";
    assert!(page.contains(line), "{page}");
    world.changes_nothing(|| world.seed("note carry 1 --why again").refuses("already carried"));
    world.changes_nothing(|| world.seed("note carry 2 --why later").refuses("has no text"));
    world.seed("note carry 3 --why 'its count was no number'").succeeds();
    assert!(world.text(PAGE).contains("[CARRIED:KNOWLEDGE:1]{y}{its count was no number}\n"));
    world.seed("note carry 9 --why x").ends(64, "there is no note 9");
}

#[test]
fn notes_that_say_the_same_climb_once_in_a_cycle() {
    let same = "[CARRIED:DRAFT-TERM:1]{x}{y}\n[CARRIED:DRAFT-TERM:2]{x}{y}\n[DRAFT-TERM]{x}\n\
        [DRAFT-TERM]{z}";
    let world = with_notes(same);
    world.seed("note list").succeeds();
    for n in [3, 4] {
        world.seed(&format!("note carry {n} --why later")).succeeds();
    }
    let page = world.text(PAGE);
    let counts = "[CARRIED:DRAFT-TERM:2]{x}{y}\n[CARRIED:DRAFT-TERM:3]{x}{y}\n\
                  [CARRIED:DRAFT-TERM:1]{x}{later}\n[CARRIED:DRAFT-TERM:1]{z}{later}\n";
    assert!(page.contains(counts), "{page}");
}

#[test]
fn a_number_means_the_note_that_was_shown() {
    let world = with_notes("[DRAFT-TERM]{one}\n[DRAFT-TERM]{two}");
    world.seed("note list").tells("  1  ");
    // A person adds one above while the agent thinks.
    let page = world.text(PAGE);
    world.puts(PAGE, &page.replace("[DRAFT-TERM]{one}", "[DRAFT-TERM]{zero}\n[DRAFT-TERM]{one}"));
    let said = world
        .changes_nothing(|| world.seed("note carry 1 --why later").refuses("numbers may be wrong"));
    assert!(said.contains("Do: git seed note list"), "{said}");
    world.seed("note list").tells("zero");
    world.seed("note carry 2 --why later").succeeds();
    assert!(world.text(PAGE).contains("[CARRIED:DRAFT-TERM:1]{one}{later}"));
    // What it did itself moves no number.
    world.seed("note carry 3 --why later").succeeds();
}

#[test]
fn notes_rest_in_condense_only() {
    let world = World::seeded();
    world.to("verify");
    world.tests();
    world.notes("---Ve---", "[DRAFT-TERM]{one}");
    world.seed("note list").tells("DRAFT-TERM  live  one");
    let said = world.changes_nothing(|| {
        world.seed("note carry 1 --why later").refuses("only condense ends notes")
    });
    assert!(said.contains("Do: git seed phase current"), "{said}");
}

#[test]
fn a_job_brings_kinds_of_its_own() {
    let world = World::seeded();
    world.to("plan");
    world.works("plan");
    world.notes("---Pl---", "note: FLAKY-TEST\n- note: `LEGAL-QUESTION`");
    world.leaves();
    world.enters("verify");
    world.opens();
    world.tests();
    world.notes(
        "---Ve---",
        "[FLAKY-TEST]{lexes_twice}\n[LEGAL-QUESTION]{the font}\n[OTHER-WORD]{x}",
    );
    world.leaves();
    world.opens();
    let said = world.seed("note list").succeeds();
    assert!(
        said.contains("FLAKY-TEST  live  lexes_twice") && said.contains("LEGAL-QUESTION  live"),
        "{said}"
    );
    assert!(!said.contains("OTHER-WORD"), "{said}");
    world
        .seed("note resolve 1 --breadcrumb src/parser/lexer.rs")
        .refuses("does not show what became");
    world.seed("note resolve 1 --breadcrumb todo.txt").succeeds();
}

#[test]
fn a_kind_that_cannot_be_one_is_named_where_it_is_declared() {
    let world = World::seeded();
    world.to("plan");
    world.works("plan");
    world.notes("---Pl---", "note: flaky");
    world.minute();
    world.seed("phase advance -F -").stdin(&super::world::message("plan")).refuses("note: flaky");
}

/// A launch of `agent` with this prompt; its answers before and after.
fn launch(world: &World, agent: &str, prompt: &str, act: impl FnOnce()) -> super::world::Did {
    let input = json!({ "subagent_type": agent, "description": "a note", "prompt": prompt });
    world.tool("Agent", &input, || {
        act();
        json!({ "status": "completed", "content": [] })
    })
}

#[test]
fn a_subagent_is_given_one_live_note_of_its_kind_word_for_word() {
    let world = with_notes(
        "[KNOWLEDGE]{escapes}\n[PENDING-JOB]{cache-lies}\n\
         - [KNOWLEDGE]{lexers}{looked: which one?}\n[KNOWLEDGE]{lexers}",
    );
    let extractor = "knowledge-extractor";
    for (agent, prompt, said) in [
        (extractor, "Extract what the page says about escapes.", "quotes no open note"),
        (extractor, "[KNOWLEDGE]{escape}", "quotes no open note"),
        (extractor, "[KNOWLEDGE] {escapes}", "quotes no open note"),
        (extractor, "Take [KNOWLEDGE]{escapes} and [KNOWLEDGE]{lexers}.", "more than one"),
        (extractor, "Take [PENDING-JOB]{cache-lies}.", "is not a KNOWLEDGE"),
        ("job-creator", "Take [KNOWLEDGE]{escapes}.", "is not a PENDING-JOB"),
        ("voice-updater", "Take [KNOWLEDGE]{escapes}.", "is not a VOICE-UPDATE"),
        ("voice-updater", "Do what is needed.", "no VOICE-UPDATE note is open"),
    ] {
        let did = world.changes_nothing(|| launch(&world, agent, prompt, || ()));
        did.refuses(said);
        did.refuses("Do: git seed note list");
    }
    // One that was handed back holds the words of the one it was, and is quoted whole.
    launch(&world, extractor, "Take [KNOWLEDGE]{lexers}{looked: which one?} from the page.", || ())
        .passes();
    launch(&world, "mover", "Look at src/parser/CLAUDE.md.", || ()).passes();
}

#[test]
fn what_ended_by_hand_is_looked_over_even_where_absorb_took_it() {
    let world = World::seeded();
    world.adopts("knowledge-extractor");
    let world = in_condense(world, "[KNOWLEDGE]{escapes}\n[KNOWLEDGE]{lookahead}");
    let (file, agent) = (".claude/knowledge/lexers.md", "knowledge-extractor");
    world.puts(
        file,
        "---\nname: lexers\ndescription: How they look ahead\ntype: user\n---\nOne\nTwo\nThree\n\
         Four\nFive\n",
    );
    for n in [1, 2] {
        world.seed(&format!("note resolve {n} --breadcrumb {file}")).succeeds();
    }
    // Two that ended alike are quoted by the same words.
    let prompt = format!("Look over [RESOLVED:KNOWLEDGE]{{{file}}}.");
    launch(&world, agent, &prompt, || ()).passes();
    world.works("condense");
    world.minute();
    let sent = message("condense");
    world.seed("phase advance -F -").stdin(&sent).refuses("not every KNOWLEDGE note");
    launch(&world, agent, "Look over [RESOLVED:KNOWLEDGE]{other.md}.", || ())
        .refuses("no KNOWLEDGE note");
    launch(&world, agent, &prompt, || ()).passes();
    world.leaves();
    assert_ne!(world.phase(), "condense");
}

/// What `init` brought asks for no launch, also where somebody changed it; a rule that a person
/// applied does.
#[test]
fn subagents_that_init_brought_are_launched_where_one_likes() {
    let file = ".claude/knowledge/lexers.md";
    for rule in ["auto", "launch"] {
        let world = World::seeded();
        world.puts("seed.toml", &format!("[condense]\nconsumption = \"{rule}\"\n"));
        world.person("rules apply").succeeds();
        fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
        let world = in_condense(world, "[KNOWLEDGE]{escapes}");
        let changed = world.text(".claude/agents/knowledge-extractor.md") + "Be brief.\n";
        world.puts(".claude/agents/knowledge-extractor.md", &changed);
        world.puts(
            file,
            "---\nname: lexers\ndescription: How they look ahead\ntype: user\n---\nOne\nTwo\n\
             Three\nFour\nFive\n",
        );
        world.seed(&format!("note resolve 1 --breadcrumb {file}")).succeeds();
        world.works("condense");
        world.minute();
        if rule == "launch" {
            let sent = message("condense");
            world.seed("phase advance -F -").stdin(&sent).refuses("not every KNOWLEDGE note");
        } else {
            world.leaves();
            assert_ne!(world.phase(), "condense");
        }
    }
}

#[test]
fn a_run_ends_when_its_note_has_changed() {
    let world = with_notes("[KNOWLEDGE]{escapes}\n[DRAFT-TERM]{x}");
    let run = |event: &str, id: &str| {
        world.event(event, &json!({ "agent_id": id, "agent_type": "knowledge-extractor" }))
    };
    let prompt = "Act on [KNOWLEDGE]{escapes} in src/parser/CLAUDE.md.";
    let input =
        json!({ "subagent_type": "knowledge-extractor", "description": "x", "prompt": prompt });
    world.before("Agent", &input, "call-1").passes();
    // The same note, and a second launch of the same sort that nobody could tell apart.
    world.before("Agent", &input, "call-2").refuses("already working on this note");
    run("SubagentStart", "run-1").passes();
    run("SubagentStop", "run-1")
        .refuses("you have not changed your note yet, at src/parser/CLAUDE.md:");
    // White space is no answer.
    let page = world.text(PAGE);
    world.puts(PAGE, &page.replace("[KNOWLEDGE]{escapes}", "  - [KNOWLEDGE]{ escapes }"));
    run("SubagentStop", "run-1").refuses("appending {<why>}");
    world.puts(
        PAGE,
        &page.replace("[KNOWLEDGE]{escapes}", "[KNOWLEDGE]{escapes}{no finding in it}"),
    );
    run("SubagentStop", "run-1").passes();
    // It is still live, and may be given on again.
    assert_eq!(world.json("condense status")["live"].as_u64(), Some(2));
    let prompt = "Act on [KNOWLEDGE]{escapes}{no finding in it}.";
    let input =
        json!({ "subagent_type": "knowledge-extractor", "description": "x", "prompt": prompt });
    world.before("Agent", &input, "call-3").passes();
    run("SubagentStart", "run-2").passes();
    for _ in 0..3 {
        run("SubagentStop", "run-2").refuses("you have not changed your note");
    }
    let reply = run("SubagentStop", "run-2");
    assert!(reply.refusal().is_none(), "{reply:?}");
    assert!(reply.to_person().is_some_and(|told| told.contains("is still live")), "{reply:?}");
}

#[test]
fn two_subagents_at_once_are_told_apart() {
    let world = with_notes("[KNOWLEDGE]{escapes}\n[KNOWLEDGE]{lexers}\n[PENDING-JOB]{cache-lies}");
    let input = |agent: &str, note: &str| {
        json!({
        "subagent_type": agent, "description": "x", "prompt": note })
    };
    let run = |event: &str, id: &str, agent: &str| {
        world.event(event, &json!({ "agent_id": id, "agent_type": agent }))
    };
    world.before("Agent", &input("knowledge-extractor", "[KNOWLEDGE]{escapes}"), "c1").passes();
    let second = input("knowledge-extractor", "[KNOWLEDGE]{lexers}");
    world.before("Agent", &second, "c2").refuses("was launched and has not started");
    world.before("Agent", &input("job-creator", "[PENDING-JOB]{cache-lies}"), "c3").passes();
    run("SubagentStart", "a", "knowledge-extractor").passes();
    world.before("Agent", &second, "c2").passes();
    run("SubagentStart", "b", "knowledge-extractor").passes();
    run("SubagentStart", "c", "job-creator").passes();
    world.puts(PAGE, &world.text(PAGE).replace("[KNOWLEDGE]{lexers}", "[KNOWLEDGE]{lexers}{none}"));
    run("SubagentStop", "a", "knowledge-extractor").refuses("[KNOWLEDGE]{escapes}");
    run("SubagentStop", "b", "knowledge-extractor").passes();
    run("SubagentStop", "c", "job-creator").refuses("[PENDING-JOB]{cache-lies}");
}

#[test]
fn an_edit_that_touches_a_note_is_told_how_notes_are_written() {
    let world = World::seeded();
    world.to("verify");
    world.tests();
    world.notes("---Ve---", "it holds");
    let page = |old: &str, new: &str| {
        world.tests();
        let did = world.edits(PAGE, old, new);
        did.before.passes();
        did.after.context().unwrap_or_default().to_owned()
    };
    let told = page("it holds", "it holds\n[KNOWLEGE]{escapes}\n[TODO] later");
    assert!(
        told.contains("touched `[KNOWLEGE]{escapes}`")
            && told.contains("PENDING-JOB, VOICE-UPDATE"),
        "{told}"
    );
    assert!(
        told.contains("[CARRIED:KIND:n]{<content>}{<why>}") && told.contains("[DURABLE]"),
        "{told}"
    );
    assert_eq!(told.matches("NOTICED").count(), 1);
    assert_eq!(page("it holds", "it holds so far"), "", "no note was touched");
    assert!(page("KNOWLEGE", "KNOWLEDGE").contains("NOTICED"));
    assert_eq!(
        page("it holds so far", "it holds\n[DURABLE] it does\n- [x] done\n[see](README.md)"),
        ""
    );
    let text = world.text(PAGE).replace("[TODO] later\n", "");
    world.tests();
    world.writes(PAGE, &text).after.tells("touched");
}

/// A small job has no page: what its messages note waits for the next condense of the branch, once.
#[test]
fn notes_in_messages_of_small_jobs_reach_the_next_condense() {
    let world = super::quick::small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let said = "keep escapes in quoted strings\n\nEscapes are bytes, not chars. \
                [KNOWLEDGE]{escapes | bytes}\n[RESOLVED:KNOWLEDGE]{src}\n";
    let told = world.seed("phase advance -F -").stdin(said).succeeds();
    assert!(!told.contains("Said in messages"), "a small job works no memory through: {told}");
    world.asks(&super::quick::done()).passes().answers("Approve completion").tells("closed");
    let commit = world.git("rev-parse --short=7 HEAD").trim().to_owned();
    // Somebody else's branch is only named; the person's clone did not make this one.
    let other = world.git(
        "commit-tree HEAD^{tree} -p HEAD -m 'execute: x [KNOWLEDGE]{theirs}\n\nSeed-Job: \
         20261101t000000-aaaa\nSeed-Run: 1\nSeed-Cycle: 1\nSeed-Phase: execute\nSeed-Step: execute \
         -> verify\nSeed-Id: 0123456789ab'",
    );
    world.git(&format!("update-ref refs/remotes/o/side {}", other.trim()));
    world.git("remote add o /nowhere");
    world.git(&format!("merge -q --ff-only {}", other.trim()));
    let other: String = other.trim().chars().take(7).collect();
    world.to("verify");
    world.works("verify");
    let told = world.seed("phase advance -F -").stdin(&message("verify")).succeeds();
    let waits = format!(
        "Said in messages, and on no page. Keep what a later job needs in .claude/knowledge; `## \
         Markers Consumed` lists what became of each:\n> Escapes are bytes, not chars. \
         [KNOWLEDGE]{{escapes | bytes}} ({commit})\n"
    );
    assert!(told.contains(&waits) && told.contains(&other), "{told}");
    assert!(!told.contains("theirs") && !told.contains("RESOLVED"), "{told}");
    world.works("condense");
    world.approved();
    world.minute();
    world.changes_nothing(|| {
        let unanswered = world.seed("phase advance -F -").stdin(&message("condense"));
        unanswered.refuses("messages hold notes (2) that no page has")
    });
    let answers = "## Markers Consumed\n- escapes are bytes: of no use later\n- of the other one \
                   nothing is known\n";
    let said = message("condense").replace("## Markers Consumed\n", answers);
    world.seed("phase advance -F -").stdin(&said).succeeds();
    world.to("verify");
    world.works("verify");
    let told = world.seed("phase advance -F -").stdin(&message("verify")).succeeds();
    assert!(!told.contains("Said in messages"), "a condense has run since: {told}");
}

/// What a stay misjudged is put before condense like a note of the job's own.
#[test]
fn what_was_misjudged_reaches_condense() {
    let world = World::seeded();
    world.to("observe");
    world.works("observe");
    let answer = "the parts were nine and not one, which a listing of the directory shows";
    let said = format!("{}\n\n## What I Misjudged\n{answer}\n", message("observe"));
    world.seed("phase advance -F -").stdin(&said).succeeds();
    world.to("verify");
    world.works("verify");
    let said = format!("it holds [KNOWLEDGE]{{lexing}}\n\n{}", message("verify"));
    let told = world.seed("phase advance -F -").stdin(&said).succeeds();
    assert!(told.contains(&format!("> misjudged in observe: {answer}\n")), "{told}");
    assert!(told.contains("\n> it holds [KNOWLEDGE]{lexing}\n"), "{told}");
    assert_eq!(told.matches("[KNOWLEDGE]{lexing}").count(), 1, "{told}");
    world.works("condense");
    world.approved();
    world.changes_nothing(|| {
        let unanswered = world.seed("phase advance -F -").stdin(&message("condense"));
        unanswered.refuses("messages hold notes (1) that no page has")
    });
}

/// An edit that takes words away is told of no note that a command brought to rest before it.
#[test]
fn a_note_that_was_carried_before_an_edit_is_not_laid_to_it() {
    let prose = "the cache holds names\n";
    let footer = format!("{prose}[KNOWLEDGE]{{cache}}\n\n[PENDING-JOB]{{later}}");
    for whole in [false, true] {
        let world = with_notes(&footer);
        world.seed("note carry 1 --why 'the next cycle needs it'").succeeds();
        world.seed("note carry 2 --why 'the next cycle needs it, too'").succeeds();
        world.seed("condense archive").succeeds();
        world.reads(PAGE).passes();
        let text = world.text(PAGE);
        assert!(text.contains("[CARRIED:KNOWLEDGE:1]{cache}"), "{text}");
        let did = if whole {
            world.writes(PAGE, &text.replace(prose, ""))
        } else {
            world.edits(PAGE, prose, "")
        };
        did.passes();
        let told = did.after.context().unwrap_or_default();
        assert!(!told.contains("looks like a note"), "whole {whole}: {told}");
        assert!(world.text(PAGE).contains("[CARRIED:KNOWLEDGE:1]{cache}"));
    }
    // One that the edit wrote in another form is.
    let world = with_notes(&footer);
    world.reads(PAGE).passes();
    let did = world.edits(PAGE, "[KNOWLEDGE]{cache}", "[KNOWLEDGE] cache");
    let told = did.after.context().unwrap_or_default().to_owned()
        + did.before.refusal().unwrap_or_default();
    assert!(told.contains("note"), "{told}");
}

/// A note that reads as one is told of as one, and is listed from the edit that wrote it on.
#[test]
fn a_correct_note_is_no_slip_of_the_pen() {
    let world = World::seeded();
    world.to("observe");
    for _ in 0..3 {
        world.reads(CODE).passes();
        world.runs("git log -1").passes();
    }
    world.seed("note list").tells("have no notes");
    let text = "---Ob---\n\ntext\n[KNOWLEDGE]{slugify keeps separators}\n";
    let did = world.writes("tools/CLAUDE.md", text);
    did.before.passes();
    let told = did.after.context().unwrap_or_default();
    assert!(told.contains("it counts as a note") && !told.contains("looks like a note"), "{told}");
    let listed = world.seed("note list").tells("slugify keeps separators");
    assert!(listed.contains("tools/CLAUDE.md:4") && !listed.contains("have no notes"), "{listed}");
    // The one that does not count is spoken of first.
    for _ in 0..3 {
        world.reads(CODE).passes();
        world.runs("git log -1").passes();
    }
    let more = text.to_owned() + "[KNOWLEDGE]{wrap}\n[KNOWLEGE]{slug}\n";
    let did = world.writes("tools/CLAUDE.md", &more);
    did.before.passes();
    let told = did.after.context().unwrap_or_default();
    assert!(told.contains("`[KNOWLEGE]{slug}`, which looks like a note"), "{told}");
}
