//! Notes come to rest: what shows it is checked, what waits climbs, and a number means the
//! note that was shown.

use super::world::{PAGE, World};

/// In condense, with these lines below `---Ve---` of the job's page.
fn with_notes(lines: &str) -> World {
    let world = World::seeded();
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
        "it holds\n[KNOWLEDGE]{how escapes lex}\n- [PENDING-JOB]{cache-lies | dep:after}{looked, not now}\n\
         [RESOLVED:KNOWLEDGE]{nowhere.md}\n[CARRIED:DRAFT-TERM:2]{trivia | blanks | src}{no home yet}",
    );
    let said = world.seed("note list").succeeds();
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows.len(), 4, "{said}");
    assert!(rows[0].starts_with("  1  src/parser/CLAUDE.md:"), "{said}");
    assert!(rows[0].ends_with("KNOWLEDGE  live  how escapes lex"), "{said}");
    assert!(
        rows[1].contains("PENDING-JOB  handed-back  cache-lies | dep:after   (handed back: looked, not now)")
    );
    assert!(rows[2].contains("KNOWLEDGE  live"), "an end that leads nowhere is none: {said}");
    assert!(
        rows[3].contains("DRAFT-TERM  carried  trivia | blanks | src   (3 cycles: no home yet)"),
        "{said}"
    );
    let json = world.json("note list");
    assert_eq!((json[3]["carries"].as_u64(), json[3]["state"].as_str()), (Some(3), Some("carried")));
    assert_eq!((json[1]["extra"].as_str(), json[0]["extra"].as_str()), (Some("looked, not now"), None));
}

#[test]
fn a_breadcrumb_has_to_lead_somewhere() {
    let world = with_notes(
        "[KNOWLEDGE]{escapes} and more\n[PENDING-JOB]{cache-lies}\n[AGENT-UPDATE]{mover | copies | look}",
    );
    for (n, crumb) in [
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
            world.seed(&format!("note resolve {n} --breadcrumb '{crumb}'")).refuses("leads nowhere")
        });
        assert!(said.contains("Do: git seed note resolve <n> --breadcrumb <"), "{crumb}: {said}");
    }
    world.puts(
        ".claude/knowledge/escapes.md",
        "---\nname: escapes\ndescription: How escapes lex\n---\nOne\nTwo\nThree\nFour\nFive\n",
    );
    world.seed("note resolve 1 --breadcrumb .claude/knowledge/escapes.md").succeeds();
    let job = world.seed("job create 'the cache lies'").succeeds();
    let job = job.split_whitespace().find(|word| word.contains('t') && word.contains('-')).expect("an id");
    world.seed(&format!("note resolve 2 --breadcrumb 'job {job} created'")).succeeds();
    let head = world.git("rev-parse --short=9 HEAD");
    world.seed(&format!("note resolve 3 --breadcrumb {}", head.trim())).succeeds();
    let page = world.text(PAGE);
    assert!(page.contains("[RESOLVED:KNOWLEDGE]{.claude/knowledge/escapes.md} and more\n"), "{page}");
    assert!(page.contains(&format!("[RESOLVED:PENDING-JOB]{{job {job} created}}\n")), "{page}");
    assert_eq!(world.json("condense status")["live"].as_u64(), Some(0));
    world.seed("note resolve 1 --breadcrumb todo.txt").refuses("resolved already");
    std::fs::remove_file(world.path(".claude/knowledge/escapes.md")).expect("ours");
    assert_eq!(world.json("condense status")["live"].as_u64(), Some(1), "what it led to is gone");
}

#[test]
fn a_carried_note_keeps_its_words_and_says_why() {
    let world =
        with_notes("  - [DRAFT-TERM]{trivia \\} | blanks | src}\n[KNOWLEDGE]\n[CARRIED:KNOWLEDGE:x]{y}{z}");
    world.seed("note carry 1 --why 'the glossary } is not there yet'").succeeds();
    let page = world.text(PAGE);
    let line = "\n[CARRIED:DRAFT-TERM:1]{trivia \\} | blanks | src}{the glossary \\} is not there yet}\n";
    assert!(page.contains(line), "{page}");
    world.changes_nothing(|| world.seed("note carry 1 --why again").refuses("carried already"));
    world.changes_nothing(|| world.seed("note carry 2 --why later").refuses("says nothing"));
    world.seed("note carry 3 --why 'its count was no number'").succeeds();
    assert!(world.text(PAGE).contains("[CARRIED:KNOWLEDGE:1]{y}{its count was no number}\n"));
    world.seed("note carry 9 --why x").ends(64, "there is no note 9");
}

#[test]
fn a_number_means_the_note_that_was_shown() {
    let world = with_notes("[DRAFT-TERM]{one}\n[DRAFT-TERM]{two}");
    world.seed("note list").tells("  1  ");
    // A person adds one above while the agent thinks.
    let page = world.text(PAGE);
    world.puts(PAGE, &page.replace("[DRAFT-TERM]{one}", "[DRAFT-TERM]{zero}\n[DRAFT-TERM]{one}"));
    let said = world.changes_nothing(|| world.seed("note carry 1 --why later").refuses("may mean another"));
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
    let said =
        world.changes_nothing(|| world.seed("note carry 1 --why later").refuses("come to rest in condense"));
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
    world.notes("---Ve---", "[FLAKY-TEST]{lexes_twice}\n[LEGAL-QUESTION]{the font}\n[OTHER-WORD]{x}");
    world.leaves();
    world.opens();
    let said = world.seed("note list").succeeds();
    assert!(
        said.contains("FLAKY-TEST  live  lexes_twice") && said.contains("LEGAL-QUESTION  live"),
        "{said}"
    );
    assert!(!said.contains("OTHER-WORD"), "{said}");
    world.seed("note resolve 1 --breadcrumb src/parser/lexer.rs").refuses("leads nowhere");
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
