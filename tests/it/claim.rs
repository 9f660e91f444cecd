//! `git seed claim …`: what it answers, how it ends, and what it leaves as it was.

use serde_json::Value;

use super::world::{CODE, World};

const CLAIM: &str =
    "--claim 'Fixed the lexer so that it keeps escapes' --evidence 'read lex() again'";
const HONEST: &str = "--type code_review --tested lex --affected src/parser/lex.rs,lex";

const DOCUMENTED: &str =
    "--claim 'Documented how the lexer keeps escapes' --evidence 'read the page again'";
const OF_PROSE: &str = "--type code_review --tested README.md --affected README.md";

/// A change that runs nowhere, so that reading it again is enough.
fn changed() -> World {
    let world = World::seeded();
    world.puts("README.md", "The lexer keeps escapes.\n");
    world
}

#[test]
fn a_ruling_ends_with_its_exit_code() {
    let world = changed();
    let said = world.seed(&format!("claim verify {DOCUMENTED} {OF_PROSE}")).succeeds();
    assert!(said.starts_with("pass  record ") || said.starts_with("damp  record "), "{said}");
    let json = world.json(&format!("claim verify {DOCUMENTED} {OF_PROSE}"));
    assert_eq!(json["record"], world.git("rev-parse refs/seed/claims"));
    assert_eq!(json["audit"]["tree"].as_str().map(str::len), Some(40), "{json}");
    // The claim may come on standard input, too.
    let text = "Documented how the lexer keeps escapes";
    world
        .seed(&format!("claim verify -F - --evidence 'read the page again' {OF_PROSE}"))
        .stdin(text)
        .tells("record ");

    // Where code changed, reading it again is not enough.
    world.puts(CODE, "fn lex() { keep() }\n");
    world.seed(&format!("claim verify {CLAIM} {HONEST}")).refuses("not run: nothing that ran");

    let run = "claim verify --claim 'Fixed the lexer and tested it' --evidence 'all tests pass' \
               --type unit_test --tested lex --affected lex";
    world.seed(run).refuses("[claim] ");
    let refused = world.seed(&format!("{run} --json")).said();
    let json: Value = serde_json::from_str(&refused.out).expect("JSON beside the reasons");
    assert_eq!(refused.code, 2);
    for reason in json["revision_reasons"].as_array().expect("a list") {
        assert!(refused.err.contains(reason.as_str().expect("a text")), "{}", refused.err);
    }
    world.seed("claim verify --claim Fine --type none").refuses("[claim] reject");
    let gate =
        "claim gate --action deploy --confidence 0.9 --evidence-count 0 --type none --user-facing";
    world.seed(gate).refuses("[claim] ");
    world.seed("claim trace --symptom 'escapes get lost' --chain 'x'").refuses("[claim] ");

    for (wrong, told) in [
        ("claim verify --claim x --type vibes", "code_review"),
        ("claim verify --claim x", "--type"),
        ("claim verify --type none", "--claim"),
        ("claim gate --action ship --confidence 1 --evidence-count 0 --type none", "claim_fixed"),
        ("claim gate --action push --confidence 1.1 --evidence-count 0 --type none", "from 0 to 1"),
        ("claim trace --symptom '' --chain a", "the text is empty"),
    ] {
        world.seed(wrong).ends(64, told);
    }
    let bare = World::new();
    bare.seed(&format!("claim verify {CLAIM} {HONEST}")).fails("git seed is not installed");
    bare.seed("claim paths --affected a --tested b").fails("hint: git seed init");
}

#[test]
fn paths_are_compared_with_what_lies_there() {
    let world = World::seeded();
    world.puts(CODE, "fn lex() { keep() }\n");
    world.puts("src/parser/new.rs", "fn made() {}\n");
    world.git("add src/parser/new.rs");
    world.puts("src/parser/loose.rs", "fn loose() {}\n");
    let json = world.json("claim paths --affected lex,new.rs,bogus.rs --tested lex.rs");
    let list = |key: &str| -> Vec<String> {
        json[key]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one.as_str().expect("a text").to_owned())
            .collect()
    };
    assert_eq!(list("repo_changed_files"), [CODE, "src/parser/loose.rs", "src/parser/new.rs"]);
    assert_eq!(list("missed_by_llm"), ["src/parser/loose.rs"]);
    assert_eq!(list("phantom_claims"), ["bogus.rs"]);
    assert!(list("repo_changed_functions").contains(&"made".to_owned()), "{json}");
    assert!(
        world.tries("git rev-parse -q --verify refs/seed/claims").code != 0,
        "nothing is recorded"
    );
}

/// The gate looks at the work tree with an index of its own.
#[test]
fn a_claim_hides_no_change_from_the_fence() {
    let world = World::prompted();
    world.to("observe");
    let line = format!("sed -i s/a/b/ todo.txt; git seed claim verify {CLAIM} {HONEST}");
    world.runs_and("ls src", || {
        world.agents_shell(&line, "");
    });
    let told = world.seed("fence status").succeeds();
    assert!(told.contains("todo.txt"), "{told}");
}

#[test]
fn work_is_measured_from_where_the_job_began() {
    let world = World::prompted();
    world.to("verify");
    let files = |world: &World| {
        world.json("claim paths --affected lex --tested lex")["repo_changed_files"].clone()
    };
    let changed = files(&world);
    let changed = changed.as_array().expect("a list");
    assert!(changed.iter().any(|path| path == CODE), "execute committed it: {changed:?}");
    // A ruling for the very tree of a commit covers it; one commit later it does not.
    let covered = || world.json("claim report --coverage");
    let before = covered();
    assert_eq!(before["covered"], 0, "{before}");
    assert!(before["commits"].as_u64().expect("a number") >= 3, "{before}");
    world.seed(&format!("claim verify {CLAIM} {HONEST}")).said();
    let ruled = world.json("claim report");
    assert_eq!(ruled["total"], 1, "{ruled}");
    let one = covered();
    let opened = ruled["opened"].as_u64().expect("a number");
    assert!(one["covered"].as_u64().expect("a number") >= opened, "{one}");
    // It is granted in its literal form.
    let call = world.next_call();
    let asked = serde_json::json!({"command": "git seed claim report --coverage"});
    assert!(world.before("Bash", &asked, &call).grants());
}
