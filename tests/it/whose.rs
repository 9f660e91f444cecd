//! Whose a file is that both sides may write: over a time when git seed was off, between two calls,
//! and where the person has work of their own beside a small job.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, World, question};

const OTHER: &str = "src/parser/other.rs";
/// Said of a change that no call accounts for.
const LEADS_ON: &str = "another edit of the file takes it along";

/// A repository with tests and a page, in which a small job in `dir` has begun.
fn begun(dir: &str, person: impl FnOnce(&World)) -> World {
    let world = World::new();
    world.puts("tests/escapes.rs", "#[test]\nfn keeps() {}\n");
    world.puts("docs/use.md", "# Use\n\nold\n");
    world.puts(OTHER, "fn other() {}\n");
    world.sh("git add -A && git commit -qm tests");
    let world = world.installed();
    person(&world);
    world.prompt("[QUICK] mend it");
    world.reads(CODE).passes();
    world.reads("docs/use.md").passes();
    world.reads(OTHER).passes();
    world.seed(&format!("phase advance --scope {dir} -m 'what was seen'")).succeeds();
    world
}

/// The same with the change of the lexer made.
fn lexer() -> World {
    let world = begun("src/parser", |_| ());
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world
}

fn done() -> serde_json::Value {
    let text = "[JOB-COMPLETE] mend it: the work that was asked for is made as the prompt said, \
                the file was looked at after the change, and nothing else was touched by \
                it.\n\n## Outstanding Items\n";
    question(text, &["Review", "Approve completion"])
}

fn own(world: &World) -> serde_json::Value {
    world.json("fence status")["own"].clone()
}

fn closes(world: &World) -> String {
    let asked = world.asks(&done()).passes();
    asked.answers("Approve completion").tells("closed");
    world.git("show --format=%B --name-only HEAD")
}

#[test]
fn the_agents_work_stays_its_own_while_git_seed_is_off() {
    for by_word in [true, false] {
        let world = lexer();
        if by_word {
            world.prompt("[OFF] a moment");
            world.prompt("[ON]");
        } else {
            world.person("off -m 'a moment'").succeeds();
            world.person("on").succeeds();
        }
        assert_eq!(own(&world), json!([CODE]), "{by_word}");
        world.tests();
        assert!(world.card().contains("1 file, +1 -1"), "{}", world.card());
        let commit = closes(&world);
        assert!(commit.contains(CODE) && !commit.contains("Seed-Mixed"), "{commit}");
        assert_eq!(world.git("status --porcelain").trim(), "");
    }
}

#[test]
fn what_changed_while_git_seed_was_off_is_the_persons() {
    let world = lexer();
    world.tests();
    world.prompt("[OFF]");
    world.puts(OTHER, "fn other() { mine(); }\n");
    world.puts("src/parser/new.rs", "// mine\n");
    world.prompt("[ON]");
    assert_eq!(own(&world), json!([CODE]));
    // Tests that ran before show nothing of the tree as it is.
    world.asks(&done()).refuses("nothing is proved");
    world.tests();
    let commit = closes(&world);
    assert!(!commit.contains(OTHER) && !commit.contains("new.rs"), "{commit}");
    assert_eq!(world.text(OTHER), "fn other() { mine(); }\n");
}

#[test]
fn a_file_of_both_sides_is_committed_and_said_to_be_mixed() {
    let world = lexer();
    world.prompt("[OFF]");
    let both = format!("{}// mine\n", world.text(CODE));
    world.puts(CODE, &both);
    world.prompt("[ON]");
    assert_eq!(world.json("fence status")["mixed"], json!([CODE]));
    world.tests();
    assert!(closes(&world).contains("Seed-Mixed: src/parser/lex.rs"));
}

#[test]
fn what_the_person_committed_while_git_seed_was_off_is_no_work_of_the_agents() {
    let world = lexer();
    world.prompt("[OFF]");
    world.puts(OTHER, "fn other() { mine(); }\n");
    world.git(&format!("commit -qm mine --no-verify -- {OTHER}"));
    world.prompt("[ON]");
    assert_eq!(own(&world), json!([CODE]));
    world.tests();
    let commit = closes(&world);
    assert!(!commit.contains(OTHER), "{commit}");
}

/// A person's switch to another branch takes the dirty file along.
#[test]
fn a_job_that_moves_to_another_branch_keeps_its_work() {
    let world = lexer();
    world.puts("todo.txt", "mine\n");
    world.git("switch -qc elsewhere");
    world.person("job move").succeeds();
    assert_eq!(own(&world), json!([CODE]));
    world.tests();
    let commit = closes(&world);
    assert!(commit.contains(CODE) && !commit.contains("todo.txt"), "{commit}");
}

#[test]
fn what_a_person_wrote_between_two_calls_is_named_and_not_committed() {
    let world = lexer();
    world.puts(OTHER, "fn other() { mine(); }\n");
    world.runs("cargo test").after.tells("other.rs changed, and no call of yours");
    let status = world.person("status").succeeds();
    assert!(status.contains("other.rs changed, and no call accounts for it"), "{status}");
    assert_eq!(own(&world), json!([CODE]));
    world.tests();
    assert!(world.card().contains("1 file, +1 -1"), "{}", world.card());
    assert!(world.card().contains("1 point"), "{}", world.card());
    let asked = world.asks(&done()).passes();
    let card = asked.reply.to_person().expect("a card").to_owned();
    assert!(card.contains("no call accounts for the change: src/parser/other.rs"), "{card}");
    assert!(card.contains(LEADS_ON), "{card}");
    asked.answers("Approve completion").tells("closed");
    assert_eq!(world.files_of_head(), [CODE]);
    assert_eq!(world.text(OTHER), "fn other() { mine(); }\n");
}

/// Nothing tells it from a person's change: what names it says what leads on.
#[test]
fn an_edit_whose_hook_was_killed_is_named_and_another_one_takes_it_along() {
    let world = lexer();
    let input = json!({
        "file_path": world.path(OTHER), "old_string": "fn other() {}",
        "new_string": "fn other() { first(); }",
    });
    world.before("Edit", &input, &world.next_call()).passes();
    world.puts(OTHER, "fn other() { first(); }\n");
    world.runs("cargo test").after.tells(LEADS_ON);
    let status = world.person("status").succeeds();
    assert!(status.contains("other.rs changed") && status.contains(LEADS_ON), "{status}");
    world.reads(OTHER).passes();
    world.edits(OTHER, "first()", "second()").passes();
    world.tests();
    let commit = closes(&world);
    assert!(commit.contains(CODE) && commit.contains(OTHER), "{commit}");
}

/// A call that only looks cannot have changed it, and who looks in between takes nothing away.
#[test]
fn what_a_person_wrote_stays_theirs_whatever_looks_at_it_first() {
    type Looks = fn(&World);
    let looks: [(&str, Looks); 8] = [
        ("cat", |world| drop(world.runs(&format!("cat {CODE}")))),
        ("git status", |world| drop(world.runs("git status --short"))),
        ("status", |world| drop(world.runs("git seed status"))),
        ("fence status", |world| drop(world.runs("git seed fence status"))),
        ("condense status", |world| drop(world.runs("git seed condense status"))),
        ("a person looks", |world| drop(world.person("fence status").succeeds())),
        ("a question", |world| {
            world.asks(&done()).refuses("nothing is proved");
        }),
        ("a stop", |world| {
            world.stops().refuses("BLOCKED");
        }),
    ];
    for (named, looks) in looks {
        let world = lexer();
        world.puts(OTHER, "fn other() { mine(); }\n");
        world.puts("src/parser/new.rs", "// mine\n");
        looks(&world);
        world.tests();
        assert_eq!(own(&world), json!([CODE]), "{named}");
        assert!(world.card().contains("1 file, +1 -1"), "{named}: {}", world.card());
        let commit = closes(&world);
        assert!(!commit.contains(OTHER) && !commit.contains("new.rs"), "{named}: {commit}");
    }
    // What only looks tells it at once.
    let world = lexer();
    world.puts(OTHER, "fn other() { mine(); }\n");
    world.runs("git status --short").after.tells("other.rs changed, and no call of yours");
    // What an edit of the agent's changed is its own, whatever looks at it.
    let world = lexer();
    world.edits(OTHER, "fn other() {", "fn other() { more();").passes();
    world.runs("git diff").passes();
    assert_eq!(own(&world), json!([CODE, OTHER]));
}

/// The same over the phases of opevc: runs of VERIFY count with it as it was handed over.
#[test]
fn what_a_person_wrote_in_execute_holds_up_no_phase() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.puts("src/parser/extra.rs", "// mine\n");
    world.tests();
    world.leaves();
    assert_eq!(world.phase(), "verify");
    let files = world.files_of_head();
    assert!(!files.iter().any(|file| file.ends_with("extra.rs")), "{files:?}");
    world.works("verify");
    world.leaves();
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_file_that_a_call_changes_after_the_person_is_mixed() {
    for seen_before in [true, false] {
        let world = lexer();
        world.puts(OTHER, "fn other() { mine(); }\n");
        if seen_before {
            world.runs("cargo test").after.tells("other.rs");
        }
        let both = || world.puts(OTHER, "fn other() { mine(); theirs(); }\n");
        world.runs_and(&format!("sed -i s/mine/theirs/ {OTHER}"), both).passes();
        world.tests();
        assert_eq!(world.json("fence status")["mixed"], json!([OTHER]), "{seen_before}");
        assert!(closes(&world).contains("Seed-Mixed: src/parser/other.rs"), "{seen_before}");
    }
}

/// What a call leaves that is still under way, or that the person broke off, is nobody else's.
#[test]
fn what_a_call_may_have_written_that_did_not_end_stays_in_the_work() {
    let world = lexer();
    let broken_off = json!({ "command": "cargo run --example writes" });
    world.before("Bash", &broken_off, &world.next_call());
    world.puts(OTHER, "fn other() { made(); }\n");
    world.minute();
    world.tests();
    assert_eq!(own(&world), json!([CODE, OTHER]));
}

#[test]
fn what_the_person_committed_is_not_said_to_be_in_no_commit() {
    let world = lexer();
    world.puts("LICENSE", "MIT\n");
    world.runs("cargo test").after.tells("LICENSE changed, and no call");
    world.git("add LICENSE");
    world.git("commit -qm licence --no-verify -- LICENSE");
    let status = world.person("status").succeeds();
    assert!(!status.contains("LICENSE"), "{status}");
    assert_eq!(world.json("status")["fence"]["unclaimed"], json!([]));
    world.tests();
    assert!(!world.card().contains("open"), "{}", world.card());
}

/// A word in a page asks for a look, whatever code the person has beside it.
#[test]
fn code_of_the_persons_asks_a_job_for_pages_for_no_run() {
    type Acts = fn(&World);
    let nothing: Acts = |_| ();
    let dirty: Acts = |world| world.puts(CODE, "fn lex() {}\n// mine\n");
    let new: Acts = |world| world.puts("src/parser/new.rs", "// mine\n");
    let committed: Acts = |world| {
        world.puts(OTHER, "fn other() { mine(); }\n");
        world.git(&format!("commit -qm mine --no-verify -- {OTHER}"));
    };
    for (n, (before, during)) in
        [(dirty, nothing), (new, nothing), (nothing, committed), (nothing, dirty)]
            .into_iter()
            .enumerate()
    {
        let world = begun("docs", before);
        during(&world);
        world.edits("docs/use.md", "old", "new").passes();
        world.runs("git diff").passes();
        world.reads("docs/use.md").passes();
        let commit = closes(&world);
        assert!(commit.contains("docs/use.md") && !commit.contains(".rs"), "{n}: {commit}");
    }
    // The agent's own code asks for one.
    let world = lexer();
    world.runs("git diff").passes();
    world.asks(&done()).refuses("nothing is proved");
}

/// What only one worktree has is named where the job leaves it, and where it is taken up.
#[test]
fn what_a_worktree_has_uncommitted_is_named_where_the_job_goes_to_another() {
    for by_word in [true, false] {
        let world = lexer();
        let job = world.job();
        let said = if by_word {
            world.prompt("[PAUSE] over there").to_person().expect("a word").to_owned()
        } else {
            world.person("job pause").succeeds()
        };
        assert!(said.contains("in this worktree alone: src/parser/lex.rs"), "{said}");
        world.sh("git worktree add -q ../there -b side");
        let there = world.elsewhere("there");
        let said = there.person(&format!("job activate {job}")).succeeds();
        assert!(said.contains("and not in this worktree: src/parser/lex.rs"), "{said}");
        assert!(said.contains("Not committed in /"), "{said}");
    }
    // Where all is committed nothing is said of it.
    let world = begun("src/parser", |_| ());
    let said = world.person("job pause").succeeds();
    assert!(!said.contains("worktree"), "{said}");
}

/// No look comes between two edits: the host's own text of before shows what came between them.
#[test]
fn what_the_person_wrote_before_the_first_edit_of_a_file_is_named_in_its_commit() {
    let world = lexer();
    world.sh(&format!("printf '// mine\\n' >> {OTHER}"));
    world.edits(OTHER, "fn other() {}", "fn other() { more() }").passes();
    assert_eq!(world.json("fence status")["mixed"], json!([OTHER]));
    world.tests();
    assert!(closes(&world).contains(&format!("Seed-Mixed: {OTHER}")));
    // What the agent wrote itself, and what the person committed, is in nobody's way.
    let world = lexer();
    world.edits(OTHER, "fn other() {}", "fn other() { one() }").passes();
    world.edits(OTHER, "one()", "two()").passes();
    world.edits("tests/escapes.rs", "fn keeps() {}", "fn keeps() { }").refuses("");
    assert_eq!(world.json("fence status")["mixed"], json!([]));
    let world = lexer();
    world.sh(&format!("printf '// mine\\n' >> {OTHER}"));
    world.git(&format!("commit -q --no-verify -m mine -- {OTHER}"));
    world.edits(OTHER, "fn other() {}", "fn other() { more() }").passes();
    assert_eq!(world.json("fence status")["mixed"], json!([]));
}
