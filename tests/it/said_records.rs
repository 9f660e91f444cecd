//! Records of what was said name its words and hold none: they lie among the texts of the job, stay
//! where those stay, and go with them.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::sync::{agreed, second, synced, synced_there, there};
use super::texts::{chains, everything, holds};
use super::world::{CODE, World, question};

/// A word of the question, which stands nowhere else.
const WORD: &str = "walrus";

/// A job whose completion question was asked and answered: what it asked was ruled on.
fn asked() -> (World, String) {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let words = format!("the {WORD} counts backwards and a run of its own shows it ").repeat(12);
    let text = format!("[JOB-COMPLETE] fix the lexer: {words}\n\n## Outstanding Items\n");
    let job = world.job();
    let asked = world.asks(&question(&text, &["Review", "Approve completion"]));
    asked.passes().answers("Approve completion");
    (world, job)
}

/// The records, oldest first, as the chain has them.
fn kept(world: &World) -> Vec<Value> {
    let all = world.git("rev-list --reverse refs/seed/claims");
    let one = |id: &str| world.git(&format!("cat-file blob {id}:record.json"));
    all.lines().map(|id| serde_json::from_str(&one(id)).expect("a record")).collect()
}

/// All objects that the chain of records leads to.
fn chain(world: &World, dir: &str) -> String {
    world.sh(&format!(
        "cd {dir} && git rev-list --objects refs/seed/claims | cut -d' ' -f1 | \
         git cat-file --batch | tr -d '\\000'"
    ))
}

fn verified(world: &World) -> Value {
    let said = world.person("verify --json").said();
    serde_json::from_str(&said.out).expect("it is JSON")
}

#[test]
fn a_record_names_the_words_of_a_message_and_reads_as_if_it_held_them() {
    let (world, _) = asked();
    let records = kept(&world);
    let said: Vec<&Value> = records.iter().filter(|one| one["text"].is_string()).collect();
    assert!(!said.is_empty(), "{records:?}");
    for one in &said {
        assert_eq!((&one["format"], &one["inquiry"]), (&json!(2), &Value::Null), "{one}");
        assert!(one["directive"].is_string() && one["tree"].is_string(), "{one}");
    }
    assert!(!chain(&world, ".").contains(WORD));
    // Here all of it is read, and ruled on again.
    assert!(world.person("audit show").succeeds().contains(WORD));
    assert_eq!(world.person("audit replay --json").said().code, 0);
    let found = verified(&world);
    assert_eq!((&found["broken"], &found["withheld"]), (&json!([]), &json!(0)), "{found}");
    // A claim that an agent files is made to be shown: it stays in its record.
    let filed = "--claim 'Fixed the lexer' --evidence 'read lex() again' --type code_review";
    let of = format!("--tested lex --affected {CODE},lex");
    world.prompt("and a word more about the lexer");
    world.seed(&format!("claim verify {filed} {of}")).said();
    let last = kept(&world).pop().expect("a record");
    assert_eq!((&last["format"], &last["text"]), (&json!(1), &Value::Null), "{last}");
}

#[test]
fn elsewhere_the_ruling_stands_without_the_words() {
    let (world, _) = asked();
    world.sh("git init -q --bare -b main ../hub.git");
    world.git("remote add origin ../hub.git");
    world.git("-c core.hooksPath=/dev/null push -q origin HEAD:refs/heads/main");
    synced(&world, &agreed(&world));
    assert!(!chain(&world, "../hub.git").contains(WORD));
    let all = "cat-file --batch-all-objects --batch | grep -ac walrus";
    assert_eq!(world.tries(&format!("git -C ../hub.git {all}")).out.trim(), "0");
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let said = there(&world, "b", "git seed verify --json");
    let found: Value = serde_json::from_str(&said.out).expect("it is JSON");
    assert_eq!(found["broken"], json!([]), "{found}");
    assert!(found["withheld"].as_u64() > Some(0), "{found}");
    let said = there(&world, "b", "git seed audit show");
    assert!(said.code == 0 && said.out.contains("its words are not here"), "{said:?}");
    let said = there(&world, "b", "git seed audit replay");
    assert!(said.code == 3 && said.out.contains("its words are not here"), "{said:?}");
}

#[test]
fn redacted_words_are_in_no_record_and_in_no_object() {
    let (world, job) = asked();
    assert!(holds(&everything(&world), WORD));
    let done = world.json(&format!("job redact {job}"));
    let places = done["left"].as_array().expect("a list");
    assert!(places.iter().all(|one| one["where"] != "refs/seed/claims"), "{done}");
    assert!(!holds(&everything(&world), WORD), "a word is left");
    let found = verified(&world);
    assert_eq!((&found["broken"], &found["withheld"]), (&json!([]), &json!(0)), "{found}");
    assert!(found["redacted"].as_u64() > Some(0), "{found}");
}

#[test]
fn the_words_of_one_interaction_go_out_of_the_record_that_quotes_them() {
    let (world, job) = asked();
    let shown = world.json(&format!("job show {job}"));
    let all = shown["interactions"].as_array().expect("a list");
    let quotes = |one: &&Value| one["text"].as_str().is_some_and(|text| text.contains(WORD));
    for one in all.iter().filter(quotes) {
        world.json(&format!("job redact {job} {}", one["n"]));
    }
    assert!(!chain(&world, ".").contains(WORD));
    let texts = world
        .sh("git ls-tree -r refs/seed/texts | cut -f1 | cut -d' ' -f3 | git cat-file --batch | \
         tr -d '\\000'");
    assert!(!texts.contains(WORD), "a text holds it: {texts}");
    assert!(!world.person("audit show").succeeds().contains(WORD));
}

/// A record that does not read keeps nobody from taking words away, and is named as a place.
#[test]
fn words_go_beside_a_record_that_does_not_read() {
    let (world, job) = asked();
    world.sh("blob=$(printf '{' | git hash-object -w --stdin) && \
         tree=$(printf '100644 blob %s\\trecord.json\\n' $blob | git mktree) && \
         tip=$(git commit-tree -p refs/seed/claims -m odd $tree) && \
         git update-ref refs/seed/claims $tip");
    let done = world.json(&format!("job redact {job}"));
    let places = done["left"].as_array().expect("a list");
    assert!(places.iter().any(|one| one["where"] == "refs/seed/claims"), "{done}");
    assert!(!holds(&everything(&world), WORD), "a word is left");
}

/// A text whose record did not come goes with the next one that is written.
#[test]
fn words_whose_record_never_came_go_with_the_next_text() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    // Somebody holds the ref: the text lies there by then.
    world.puts(".git/refs/seed/claims.lock", "");
    let asked = world.asks(&super::world::completion()).passes();
    asked.answers("Approve completion");
    assert_eq!(world.git("for-each-ref refs/seed/claims"), "", "no record came");
    std::fs::remove_file(world.path(".git/refs/seed/claims.lock")).expect("it goes");
    world.prompt("and a word more about the lexer");
    let named = chains(&world);
    let texts = world.git("ls-tree -r --name-only refs/seed/texts");
    for place in texts.lines() {
        let key = place.rsplit('/').next().expect("a name");
        assert!(named.contains(key), "nothing names {place}");
    }
}
