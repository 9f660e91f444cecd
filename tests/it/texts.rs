//! What was said lies beside the chains: no chain holds a word of it, an older repository is
//! carried over, and a person takes words away for good.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, World, question};

/// Words that stand nowhere else.
pub(super) const SAID: &str = "teach the walrus to count backwards from eleven";

/// The places of all texts.
fn keys(world: &World) -> Vec<String> {
    let list = world.git("ls-tree -r --name-only refs/seed/texts");
    list.lines().map(str::to_owned).collect()
}

/// What `verify` finds; where there are no records it measures nothing, which is no failure here.
fn verified(world: &World) -> Value {
    let said = world.person("verify --json").said();
    assert!([0, 3].contains(&said.code), "{said:?}");
    serde_json::from_str(&said.out).expect("it is JSON")
}

/// All that the chains hold of it, subjects and bodies of their commits among it.
pub(super) fn chains(world: &World) -> String {
    let list = "git rev-list --objects --glob='refs/seed/jobs/*' --glob='refs/seed/archive*' \
                --glob=refs/seed/archive | cut -d' ' -f1 | git cat-file --batch";
    String::from_utf8_lossy(&world.beside("sh").args(["-c", list]).output().expect("runs").stdout)
        .into_owned()
}

/// Every object of the repository and every file of git seed's, compressed texts opened.
pub(super) fn everything(world: &World) -> Vec<u8> {
    let all = "git cat-file --batch-all-objects --batch; find .git/seed -type f | xargs cat";
    let mut bytes = world.beside("sh").args(["-c", all]).output().expect("runs").stdout;
    bytes.extend(world.texts().concat());
    bytes
}

pub(super) fn holds(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|part| part == words.as_bytes())
}

pub(super) fn interactions(world: &World, job: &str) -> Vec<Value> {
    let shown = world.json(&format!("job show {job}"));
    shown["interactions"].as_array().expect("a list").clone()
}

/// A repository that an older git seed wrote: its format says so.
pub(super) fn of_format_1() -> World {
    let world = World::seeded();
    let meta = "format = 1\\nmin-reader = 1\\nmin-writer = 1\\n";
    world.sh(&format!(
        "blob=$(printf '{meta}' | git hash-object -w --stdin) && \
         tree=$(printf '100644 blob %s\\tmeta.toml\\n' $blob | git mktree) && \
         git update-ref refs/seed/meta $(git commit-tree -m meta $tree)"
    ));
    world
}

/// The Seed-Ids of a job's steps, and their dates.
fn steps(world: &World, chain: &str) -> String {
    world
        .git(&format!("log --first-parent --format='%(trailers:key=Seed-Id,valueonly)%ct' {chain}"))
}

#[test]
fn no_chain_holds_a_word_that_was_said() {
    let world = World::seeded();
    world.prompt(&format!("Please {SAID}, and test it"));
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    let held = chains(&world);
    assert!(!held.contains("walrus"), "{held}");
    assert!(held.contains("sha256:") && held.contains("kind = \"prompt\""), "{held}");
    let end = &job[job.len() - 4..];
    assert!(held.contains(&format!("birth: job {end}\n")), "{held}");
    assert!(held.contains(&format!("name = \"job {end}\"")), "{held}");
    let entry = &interactions(&world, &job)[0];
    assert_eq!(entry["text"], format!("Please {SAID}, and test it"));
    assert_eq!(entry["kind"], "prompt");
    let name = world.json("status")["job"]["name"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("Please teach the walrus"), "the name is computed: {name}");
    assert!(world.traced(&job).contains(CODE), "journal lines come back");
    assert_eq!(world.git("rev-list --count refs/seed/texts"), "1");
    let said = world.git(&format!("log -1 --format=%B refs/seed/jobs/{job}"));
    assert!(said.contains("Seed-Clone: "), "{said}");
    let found = verified(&world);
    assert_eq!((&found["redacted"], &found["withheld"]), (&json!(0), &json!(0)));
}

/// All that a push or a sync takes along without texts.
fn what_travels(world: &World) -> String {
    let list = "git rev-list --objects --glob='refs/seed/jobs/*' --glob='refs/seed/archive*' \
                --glob='refs/seed/claims*' --glob='refs/notes/*' --glob='refs/heads/*' \
                | cut -d' ' -f1 | git cat-file --batch";
    String::from_utf8_lossy(&world.beside("sh").args(["-c", list]).output().expect("runs").stdout)
        .into_owned()
}

/// A small job that a prompt bore, at work, and the question that ends it with its name in it.
fn small_of_a_walrus(prompt: &str) -> (World, Value) {
    let world = World::seeded();
    world.prompt(prompt);
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let name = world.json("status")["job"]["name"].as_str().expect("a name").to_owned();
    assert!(name.contains("walrus"), "{name}");
    let text = format!(
        "[JOB-COMPLETE] {name}: the lexer keeps the escapes of quoted strings now, which one run \
         of its own tests shows, and nothing else of it was touched by this change at \
         all.\n\n## Outstanding Items\n"
    );
    (world, question(&text, &["Review", "Approve completion"]))
}

fn holds_no_walrus(world: &World) {
    let held = what_travels(world);
    let at = held.find("walrus").map(|at| held[at.saturating_sub(200)..].chars().take(400));
    assert_eq!(at.map(Iterator::collect::<String>), None);
}

/// The head of a prompt is no name that a chain, a note or a commit shows, whoever takes the step.
#[test]
fn no_step_that_a_person_takes_shows_the_head_of_a_prompt() {
    let prompt = format!("[QUICK] {SAID}");
    // The answer closes the job.
    let (world, ends) = small_of_a_walrus(&prompt);
    world.tests();
    world.asks(&ends).passes().answers("Approve completion").tells("closed");
    holds_no_walrus(&world);
    // It lands under what its commit says.
    world.person("land").succeeds();
    holds_no_walrus(&world);
    // They look, and say more.
    let (world, ends) = small_of_a_walrus(&prompt);
    world.tests();
    world.asks(&ends).passes().answers("Review").tells("wants to look");
    world.prompt("the walrus should be called by its name");
    world.seed("phase advance --review").succeeds();
    holds_no_walrus(&world);
    let said = world.json("job show")["extension_contexts"].clone();
    assert_eq!(said, json!(["the walrus should be called by its name"]), "the job keeps them");
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    world.tests();
    world.asks(&ends).passes().answers("Approve completion").tells("closed");
    holds_no_walrus(&world);
    // They lead it up.
    let (world, _) = small_of_a_walrus(&prompt);
    world.prompt("[FULL] and the walrus needs a page of its own").tells("observe");
    holds_no_walrus(&world);
}

#[test]
fn no_step_that_the_agent_takes_shows_the_head_of_a_prompt() {
    // Without words of its own.
    let world = World::seeded();
    world.prompt(&format!("[QUICK] {SAID}"));
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let objective = "the lexer keeps the escapes of quoted strings";
    world.seed(&format!("job update --objective '{objective}'")).succeeds();
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    holds_no_walrus(&world);
    // A name that somebody gave is no prompt.
    world.seed("job update --name 'feed the walrus'").succeeds();
    assert!(what_travels(&world).contains("the job is \"feed the walrus\""));
}

#[test]
fn elsewhere_a_job_is_named_by_its_id_and_its_words_are_withheld() {
    let world = World::seeded();
    world.prompt(SAID);
    let job = world.job();
    world.git("update-ref -d refs/seed/texts");
    let entry = &interactions(&world, &job)[0];
    assert_eq!((&entry["text"], &entry["redacted"]), (&Value::Null, &Value::Null));
    let name = format!("job {}", &job[job.len() - 4..]);
    assert_eq!(world.json("status")["job"]["name"], name);
    assert_eq!(verified(&world)["withheld"], 1);
    world.person("verify").tells("withheld");
    world.seed("phase advance").succeeds();
}

#[test]
fn a_text_whose_step_never_came_goes_with_the_next_one() {
    let world = World::prompted();
    let job = world.job();
    let chain = format!("refs/seed/jobs/{job}");
    let before = world.git(&format!("rev-parse {chain}"));
    let had = keys(&world);
    world.reads(CODE).passes();
    world.sh("cp .git/seed/journal/main.jsonl ../journal");
    world.seed("phase advance").succeeds();
    let left: Vec<String> = keys(&world).into_iter().filter(|key| !had.contains(key)).collect();
    assert!(!left.is_empty());
    // As a kill between the texts and the job leaves it.
    world.git(&format!("update-ref {chain} {before}"));
    world.sh("cp ../journal .git/seed/journal/main.jsonl");
    world.prompt("and the parser, too");
    let now = keys(&world);
    assert!(now.len() > had.len() && left.iter().all(|key| !now.contains(key)), "{left:?} {now:?}");
}

#[test]
fn an_older_repository_is_carried_over_once() {
    let world = of_format_1();
    world.prompt(SAID);
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    assert!(chains(&world).contains("walrus"), "format 1 is written as it was");
    assert_eq!(world.git("for-each-ref refs/seed/texts"), "");
    let chain = format!("refs/seed/jobs/{job}");
    let (old, seen) = (world.git(&format!("rev-parse {chain}")), steps(&world, &chain));
    let shown = interactions(&world, &job);
    let dry = world.json("upgrade --dry-run");
    assert_eq!((&dry["from"], &dry["to"], &dry["jobs"]), (&json!(1), &json!(2), &json!(1)));
    assert_eq!(world.git(&format!("rev-parse {chain}")), old, "nothing moved");
    world.seed("upgrade").refuses("person");
    let told = world.person("upgrade").tells("Carried over to format 2");
    assert!(told.contains("format 1"), "{told}");
    assert_eq!(steps(&world, &chain), seen, "the same steps, ids and dates");
    assert!(!chains(&world).contains("walrus"), "{}", chains(&world));
    assert_eq!(interactions(&world, &job), shown);
    let kept = format!("refs/seed/keep/format-1/jobs/{job}");
    assert_eq!(world.git(&format!("rev-parse {kept}")), old);
    assert!(world.git("show refs/seed/meta:meta.toml").contains("min-reader = 2"));
    world.person("upgrade").tells("already");
    // Old steps and new ones stand in one chain.
    world.seed("phase multiplier 1.0").succeeds();
    assert_eq!(verified(&world)["broken"], json!([]));
    world.json("undo");
    assert_eq!(verified(&world)["broken"], json!([]));
    let said = world.git(&format!("log --first-parent --format=%B {chain}"));
    assert!(said.contains("Seed-Clone: ") && said.contains("undo: "), "{said}");
}

#[test]
fn the_way_back_is_open_until_a_step_is_taken_in_the_newer_format() {
    let world = of_format_1();
    world.prompt(SAID);
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    let refs = || world.git("for-each-ref refs/seed/jobs refs/seed/archive");
    let (old, shown) = (refs(), interactions(&world, &job));
    world.person("upgrade --back").ends(2, "nothing of an older one is kept");
    world.person("upgrade").succeeds();
    let newer = refs();
    assert_ne!(newer, old);
    world.seed("upgrade --back").refuses("person");
    world.person("upgrade --back --dry-run").tells("would be of format 1 again: 1 job");
    assert_eq!(refs(), newer, "nothing moved");
    world.person("upgrade --back").tells("is of format 1 again: 1 job");
    assert_eq!(refs(), old, "the very chains of before");
    assert_eq!(interactions(&world, &job), shown);
    let left = "for-each-ref refs/seed/texts refs/seed/ops refs/seed/keep/format-1";
    assert_eq!(world.git(left), "");
    assert!(world.git("show refs/seed/meta:meta.toml").contains("min-reader = 1"));
    assert_eq!(verified(&world)["broken"], json!([]));
    // The work goes on there, and another time over.
    world.seed("phase multiplier 1.0").succeeds();
    assert!(world.git("for-each-ref refs/seed/texts").is_empty());
    world.person("upgrade").tells("Carried over to format 2");
    // A step that the older format does not know closes the way.
    world.reads(CODE).passes();
    world.person("job create 'another one'").succeeds();
    world.changes_nothing(|| world.person("upgrade --back").ends(2, "has steps in the newer"));
    assert_eq!(verified(&world)["broken"], json!([]));
}

#[test]
fn a_carry_over_keeps_the_times_that_this_clone_knows() {
    let world = of_format_1();
    world.prompt(SAID);
    let job = world.job();
    world.enters("condense");
    world.works("condense");
    world.approved();
    world.leaves();
    let done = || {
        let shown = world.person(&format!("job show {job}")).succeeds();
        let line = shown.lines().find(|line| line.starts_with("done "));
        line.expect("it was done").to_owned()
    };
    let before = done();
    assert!(!before.contains("T00:00:00Z"), "{before}");
    world.person("upgrade").succeeds();
    assert_eq!(done(), before);
    world.person("upgrade --back").succeeds();
    assert_eq!(done(), before);
}

#[test]
fn a_carry_over_that_was_stopped_is_ended_by_the_next_command() {
    let world = of_format_1();
    world.prompt(SAID);
    let job = world.job();
    world.seed("phase advance").succeeds();
    let meta = "format = 2\\nmin-reader = 2\\nmin-writer = 2\\ncarrying = true\\n";
    world.sh(&format!(
        "blob=$(printf '{meta}' | git hash-object -w --stdin) && \
         tree=$(printf '100644 blob %s\\tmeta.toml\\n' $blob | git mktree) && \
         git update-ref refs/seed/meta $(git commit-tree -p refs/seed/meta -m meta $tree)"
    ));
    assert!(chains(&world).contains("walrus"));
    world.person("status").succeeds();
    assert!(!chains(&world).contains("walrus"), "{}", chains(&world));
    assert_eq!(interactions(&world, &job)[0]["text"], SAID);
    assert!(!world.git("show refs/seed/meta:meta.toml").contains("carrying"));
}

#[test]
fn closed_jobs_are_carried_over_in_the_archive() {
    let world = of_format_1();
    world.prompt(SAID);
    let job = world.job();
    world.person(&format!("job drop {job} -m 'another time'")).succeeds();
    assert!(world.git("for-each-ref refs/seed/archive").contains("archive"));
    let row = world.json("job list --all");
    world.person("upgrade").tells("Carried over");
    assert!(!chains(&world).contains("walrus"), "{}", chains(&world));
    assert_eq!(world.json("job list --all"), row);
    assert_eq!(interactions(&world, &job)[0]["text"], SAID);
    world.person("doctor").said();
    assert_eq!(verified(&world)["broken"], json!([]));
    world.person(&format!("job reactivate {job}")).succeeds();
}

#[test]
fn no_chain_names_a_place_outside_a_machine_or_a_process() {
    let world = World::seeded();
    world.prompt(SAID);
    world.to("condense");
    world.seed("compact append forward-state -m 'archive what was learned'").succeeds();
    let held = chains(&world);
    assert!(held.contains("condense"), "{held}");
    let machine = world.sh("uname -n");
    let places = [world.root().display().to_string(), machine.trim().to_owned()];
    for word in places.iter().map(String::as_str).chain(["\npid", "\"pid\""]) {
        assert!(!held.contains(word), "{word}: {held}");
    }
}

/// Redacts the whole job and says that no word is left anywhere.
fn redacts(world: &World, job: &str) {
    assert!(holds(&everything(world), "walrus"), "the words were there");
    let dry = world.json(&format!("job redact {job} --dry-run"));
    assert!(holds(&everything(world), "walrus"), "a dry run changes nothing");
    let done = world.json(&format!("job redact {job}"));
    assert_eq!((&done["job"], &done["redacted"]), (&json!(job), &dry["redacted"]));
    let places = done["left"].as_array().expect("a list");
    assert!(places.iter().all(|one| one["where"].is_string() && one["what"].is_string()), "{done}");
    assert!(!holds(&everything(world), "walrus"), "a word is left");
    for entry in interactions(world, job) {
        assert_eq!((&entry["text"], &entry["redacted"]), (&Value::Null, &json!(true)));
    }
    let found = verified(world);
    assert!(found["redacted"].as_u64().is_some_and(|count| count > 0), "{found}");
    assert_eq!((&found["withheld"], &found["broken"]), (&json!(0), &json!([])));
}

#[test]
fn redacted_words_are_in_no_object_and_in_no_file() {
    let world = World::seeded();
    world.prompt(SAID);
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    world.prompt("and then the walrus should rest for a while, please");
    world.seed(&format!("job redact {job}")).refuses("person");
    redacts(&world, &job);
    let said = world.git(&format!("log -1 --format=%B refs/seed/jobs/{job}"));
    assert!(said.contains("redact: ") && said.contains("\nSeed-Redacts: "), "{said}");
    // The job goes on. An undo steps over it: it takes back what was done before, here the prompt,
    // and brings nothing back.
    let undone = world.json("undo");
    let last = world.json("op log")[2].clone();
    assert_eq!((&last["command"], &last["undone"]), (&json!("prompt"), &json!(true)));
    assert_eq!(undone["ops"], json!([last["id"]]));
    // Whoever wanted the last one back hears that it is another one.
    let over = world.json("op log")[1].clone();
    assert_eq!((&over["command"], &over["stepped_over"]), (&json!("job redact"), &json!(true)));
    let id = &over["id"].as_str().expect("an id")[..12];
    let said = format!("job redact ({id}) was stepped over and is not undone");
    let left = undone["left"].as_array().expect("a list");
    assert!(left.iter().any(|one| one.to_string().contains(&said)), "{undone}");
    assert_eq!(last["stepped_over"], json!(false));
    let log = world.person("op log").succeeds();
    let row = log.lines().find(|line| line.starts_with(id)).expect("a row");
    assert!(row.ends_with("undo steps over it"), "{row}");
    assert!(!holds(&everything(&world), "walrus"));
    assert_eq!(interactions(&world, &job).len(), 1);
    assert_eq!(interactions(&world, &job)[0]["redacted"], true);
    world.json("redo");
    assert_eq!(interactions(&world, &job).len(), 2);
    assert_eq!(interactions(&world, &job)[1]["redacted"], true);
    assert!(!holds(&everything(&world), "walrus"));
    assert_eq!(verified(&world)["broken"], json!([]));
    world.person("job show").tells("these words were redacted");
}

#[test]
fn stepping_over_a_redaction_leaves_the_job_that_it_was_of() {
    let world = World::prompted();
    let job = world.job();
    world.person("job create other -m 'another thing to do'").succeeds();
    let all = world.git("for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs");
    let other = all.lines().find(|id| **id != job).expect("two jobs").to_owned();
    world.seed("phase advance").succeeds();
    world.person(&format!("job redact {other}")).succeeds();
    let tip = || world.git(&format!("rev-parse refs/seed/jobs/{other}"));
    let redacted = tip();
    world.person("undo").tells("left     job redact (");
    assert_eq!(world.json("op log")[2]["command"], "phase advance");
    assert_eq!(world.json("op log")[2]["undone"], true);
    assert_eq!(world.phase(), "idle");
    assert_eq!(world.json("redo")["jobs"], json!([job]));
    assert_eq!(tip(), redacted);
}

#[test]
fn one_answer_is_redacted_and_the_others_stay() {
    let world = World::seeded();
    world.prompt("mend the lexer of this project");
    let job = world.job();
    world.prompt(SAID);
    let done = world.json(&format!("job redact {job} 2"));
    assert_eq!(done["redacted"], json!([2]));
    assert!(!holds(&everything(&world), "walrus"));
    let all = interactions(&world, &job);
    assert_eq!(all[0]["text"], "mend the lexer of this project");
    assert_eq!((&all[1]["text"], &all[1]["redacted"]), (&Value::Null, &json!(true)));
    world.person(&format!("job redact {job} 7")).ends(64, "no interaction 7");
}

/// What a redaction leaves of a job's words is named with its place.
#[test]
fn a_redaction_names_each_place_that_it_leaves() {
    let world = World::prompted();
    let job = world.job();
    world.reads(CODE).passes();
    world
        .seed("phase advance --small --scope src/parser -m 'the lexer drops the walrus'")
        .succeeds();
    let left = |places: &[&str]| {
        let done = world.json(&format!("job redact {job}"));
        let told = done["left"].to_string();
        for place in places {
            assert!(told.contains(place), "{place}: {told}");
        }
        done
    };
    left(&[&format!("refs/seed/jobs/{job}"), "phase advance -m"]);
    world.person(&format!("job drop {job} -m 'the walrus was wrong'")).succeeds();
    let done = left(&["refs/seed/archive", "job drop -m"]);
    let named = done["left"].as_array().expect("a list");
    assert!(named.iter().all(|one| one["where"] != "refs/notes/seed"), "it has none: {done}");
    let log = world.git("log --format=%B refs/seed/archive^2");
    assert!(log.contains("walrus was wrong"), "it is there, as it says: {log}");
}

#[test]
fn words_of_an_older_record_and_of_a_closed_job_go_as_well() {
    let world = of_format_1();
    world.prompt(SAID);
    let job = world.job();
    world.person(&format!("job drop {job} -m 'another time'")).succeeds();
    redacts(&world, &job);
    assert_eq!(world.git("for-each-ref refs/seed/keep/format-1"), "");
    assert_eq!(world.git("for-each-ref refs/seed/jobs"), "", "it is put away again");
    assert_eq!(world.json(&format!("job show {job}"))["status"], "voided");
}
