//! What tracks of a repository's own hold elsewhere and later: in another clone, before a merge,
//! once the rules drop them, and on the larger track that a job goes on.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::servers::bare;
use super::sync::{agreed, second, synced, synced_there, there};
use super::tracks::{BUGFIX, DOCS, GUIDE, RESEARCH, done, ruled};
use super::world::{CODE, World};

const README: &str = "README.md";

/// A project with a published branch, where a person has put `rules` into force.
fn published(rules: &str) -> World {
    let world = ruled(rules);
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    world.git("-c core.hooksPath=/dev/null push -q origin HEAD:refs/heads/main");
    world
}

/// A job on the track for documentation, in the phase where it writes.
fn writing(world: &World) {
    world.prompt("[DOCS] say in the guide when escapes are kept");
    world.reads(GUIDE).passes();
    world.seed("phase advance -m 'look at the guide'").tells("idle -> look");
    world.reads(GUIDE).passes();
    world.seed("phase advance --scope docs -m 'say when escapes are kept'").tells("look -> write");
    world.edits(GUIDE, "are kept.", "are kept in quoted strings.").passes();
}

/// The same job to its end.
fn closes(world: &World) {
    writing(world);
    world.seed("phase advance -m 'say when escapes are kept'").tells("write -> settle");
    let asked = world.asks(&done("say in the guide when escapes are kept")).passes();
    asked.answers("Approve completion").tells("closed");
}

fn broken(verified: &str) -> Value {
    let found: Value = serde_json::from_str(verified).unwrap_or_else(|_| panic!("{verified}"));
    found["broken"].clone()
}

#[test]
fn another_clone_takes_an_open_job_of_a_track_that_its_rules_lack() {
    for rules in [DOCS, BUGFIX] {
        let world = published(rules);
        if rules == DOCS {
            writing(&world);
        } else {
            world.prompt("[BUGFIX] fix the lexer");
            world.reads(CODE).passes();
            world.seed("phase advance -m 'look at the lexer'").tells("idle -> observe");
            world.reads(CODE).passes();
            let declared = "phase advance --scope src/parser -m 'the lexer drops escapes'";
            world.seed(declared).tells("observe -> reproduce");
        }
        let job = world.job();
        let first = synced(&world, &agreed(&world));
        assert_eq!(first["jobs"], json!([{"id": job, "result": "pushed", "rejected": []}]));
        second(&world, "b", "hub.git");
        let came = synced_there(&world, "b", "");
        assert_eq!(came["jobs"][0]["result"], "new", "{came}");
        assert_eq!(broken(&there(&world, "b", "git seed verify --json").out), json!([]));
    }
}

#[test]
fn another_clone_takes_the_archive_with_jobs_of_such_tracks() {
    let world = published(DOCS);
    closes(&world);
    let first = synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let came = synced_there(&world, "b", "");
    assert_eq!(came["state"], first["state"], "{came}");
    assert!(!world.git("-C ../b for-each-ref refs/seed/archive").is_empty(), "{came}");
    assert_eq!(broken(&there(&world, "b", "git seed verify --json").out), json!([]));
    // Nothing here can say it where the rules did not come along.
    world.sh("cd ../b && git update-ref -d refs/seed-remote/origin/rules");
    assert_eq!(broken(&there(&world, "b", "git seed verify --json").out), json!([]));
}

/// A machine that checks a merge request has the shipped rules, and perhaps no chain of the job.
#[test]
fn a_merge_request_of_such_a_track_is_not_measured_and_not_broken() {
    let world = published(DOCS);
    let base = world.git("rev-parse HEAD");
    closes(&world);
    let push = "-c core.hooksPath=/dev/null push -q origin HEAD:refs/heads/docs";
    world.git(&format!("{push} refs/seed/archive refs/notes/seed"));
    world.sh("cd .. && git clone -q -b docs hub.git ci");
    let verify = format!("git seed verify --ci {}..HEAD --json", base.trim());
    for fetched in [false, true] {
        if fetched {
            let refs = "'+refs/seed/*:refs/seed-remote/origin/*' \
                        '+refs/notes/seed*:refs/seed-remote/origin/notes*'";
            world.sh(&format!("cd ../ci && git fetch -q --no-tags origin {refs}"));
        }
        let said = there(&world, "ci", &verify);
        assert_eq!(broken(&said.out), json!([]), "{said:?}");
        assert!([0, 3].contains(&said.code), "{said:?}");
    }
    // What a commit says of a step that no rules have is broken as before.
    let trailers = "Seed-Job: 20261121t205612-7f3a\nSeed-Run: 1\nSeed-Cycle: 1\n\
        Seed-Phase: observe\nSeed-Step: observe -> condense\nSeed-Id: 0123456789abcdef";
    world.puts("../forged", &format!("forged\n\n{trailers}\n"));
    world.sh(
        "cd ../ci && git -c user.name=a -c user.email=a@b commit -q --allow-empty -F ../forged",
    );
    let said = there(&world, "ci", &verify);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.out.contains("is not a step of the map"), "{said:?}");
}

#[test]
fn a_job_goes_on_from_a_track_that_is_gone_and_nothing_breaks() {
    let world = ruled(RESEARCH);
    world.prompt("[RESEARCH] when does the lexer drop escapes?");
    world.seed("phase advance").tells("idle -> explore");
    world.puts("seed.toml", "idle = \"open\"\n");
    world.person("rules apply").tells("is gone");
    assert_eq!(broken(&world.seed("verify --json").said().out), json!([]));
    world.reads(CODE).passes();
    world.seed("phase advance -m 'go on'").tells("explore -> observe");
    assert_eq!(broken(&world.seed("verify --json").said().out), json!([]));
    world.seed("verify").tells("0 broken · 0 not measured");
}

#[test]
fn the_paths_of_a_track_go_along_onto_the_larger_one() {
    let world = ruled(DOCS);
    writing(&world);
    world.seed("phase advance --up -m 'it is more than I thought'").tells("write -> observe");
    assert_eq!(world.json("status")["track"], "opevc");
    world.reads(CODE).passes();
    let outside = "src/parser is outside the paths of the track docs (docs/, README.md); only a \
        person can lift that, with [FULL]";
    let declare = "phase advance --scope src/parser -m 'the lexer'";
    assert!(world.seed(declare).said().err.contains(outside));
    // The next session and the person's other words change nothing of it.
    world.prompt("go on");
    assert!(world.seed(declare).said().err.contains(outside));
    let told = world.prompt("[FULL] the lexer belongs to it");
    let told = told.to_person().unwrap_or_default().to_owned();
    assert!(told.contains("may declare any directory"), "{told}");
    assert!(!world.seed(declare).said().err.contains("outside the paths"));
}

#[test]
fn a_person_frees_a_job_that_is_still_on_its_lane() {
    let world = ruled(DOCS);
    writing(&world);
    world.prompt("[FULL] the lexer belongs to it");
    assert_eq!(world.json("status")["track"], "opevc");
    let declare = "phase advance --scope src/parser -m 'the lexer'";
    assert!(!world.seed(declare).said().err.contains("outside the paths"));
}

#[test]
fn a_file_among_the_paths_of_a_track_is_declared_by_its_name() {
    let world = ruled(DOCS);
    world.puts(README, "# Lexer\n");
    world.puts("NEWS.md", "# News\n");
    world.git("add -A");
    world.git("commit -qm readme");
    world.prompt("[DOCS] say what the lexer does");
    world.reads(README).passes();
    world.seed("phase advance -m 'look at it'").tells("idle -> look");
    world.reads(README).passes();
    world.seed("phase advance --scope src -m no").refuses("src is outside the paths of the track");
    let opening =
        world.seed("phase advance --scope README.md -m 'say what it does'").tells("look -> write");
    assert!(opening.contains("Declared: README.md."), "{opening}");
    // What the track is not for is opened by no step back, and the refusal names none.
    let beyond = world.writes("src/beyond.rs", "x\n").before;
    let beyond = beyond.refusal().expect("refused");
    assert!(beyond.contains("(docs/, README.md)") && beyond.contains("[ALLOW src/beyond.rs]"));
    assert!(!beyond.contains("phase back"), "{beyond}");
    world.seed("status").tells("write in README.md");
    world.edits("NEWS.md", "# News", "# New").refuses("[phase_write] BLOCKED");
    world.edits(GUIDE, "are kept", "stay").refuses("[phase_write] BLOCKED");
    world.edits(README, "# Lexer", "# The lexer").passes();
    world.seed("phase advance -m 'say what it does'").tells("write -> settle");
    assert_eq!(world.files_of_head(), [README]);
}

#[test]
fn the_question_is_not_asked_ahead_over_a_phase_that_writes() {
    let rules = format!(
        "{}\n[[phase]]\ntrack = \"docs\"\nname = \"polish\"\nlike = \"execute\"\nafter = \
         \"write\"\nnext = [\"settle\"]\nback = [\"write\"]\nfreezes = false\n",
        DOCS.replace("like = \"execute\"\n", "like = \"execute\"\nnext = [\"polish\"]\n")
    );
    let world = ruled(&rules);
    writing(&world);
    world.asks(&done("say in the guide when escapes are kept")).refuses("");
    world.seed("phase advance -m 'say when escapes are kept'").tells("write -> polish");
    assert_eq!(world.phase(), "polish");
}

#[test]
fn every_command_that_a_track_names_is_one() {
    for rules in [DOCS, RESEARCH, BUGFIX] {
        let world = World::seeded();
        world.puts("seed.toml", rules);
        world.person("rules apply").succeeds();
        let maps = world.json("rules show")["in_force"]["maps"].clone();
        let mut named: Vec<String> = Vec::new();
        for row in maps
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(_, map)| map["phase"].as_array().cloned().unwrap_or_default())
        {
            for text in [&row["work"], &row["purpose"]].into_iter().filter_map(Value::as_str) {
                for said in text.split("git seed ").skip(1) {
                    let verb = said.split(|c: char| !c.is_ascii_lowercase()).next();
                    named.extend(verb.map(str::to_owned));
                }
            }
        }
        named.sort();
        named.dedup();
        assert!(named.contains(&"condense".to_owned()), "{named:?}");
        for verb in named {
            world.seed(&format!("{verb} --help")).succeeds();
        }
    }
}

#[test]
fn a_lane_that_leads_round_is_refused() {
    let world = World::seeded();
    let ring = BUGFIX.replace("\nnext = [\"reproduce\"]", "\nnext = [\"reproduce\", \"verify\"]");
    let ring = ring.replace("next = [\"execute\"]", "next = [\"observe\", \"execute\"]");
    world.puts("seed.toml", &ring);
    world.seed("rules check").fails("the first way on leads round and never to the end");
    let shipped = "[[phase]]\ntrack = \"quick\"\nname = \"verify\"\nnext = [\"execute\", \
                   \"condense\"]\n";
    world.puts("seed.toml", shipped);
    world.seed("rules check").fails("the first way on leads round and never to the end");
}

#[test]
fn whatever_closes_a_cycle_asks_the_person() {
    let world = World::seeded();
    let second = "\n[[phase]]\ntrack = \"docs\"\nname = \"drop\"\nlike = \"condense\"\n\
        exit = [\"message\", \"clean\"]\n";
    let lead =
        DOCS.replace("like = \"execute\"\n", "like = \"execute\"\nnext = [\"settle\", \"drop\"]\n");
    world.puts("seed.toml", &format!("{lead}{second}"));
    world.seed("rules check").fails("phase `drop`, `exit`: lacks gate `asked`");
    let leaves =
        DOCS.replace("like = \"execute\"\n", "like = \"execute\"\nnext = [\"settle\", \"idle\"]\n");
    world.puts("seed.toml", &leaves);
    world.seed("rules check").fails("phase `write`, `questions`: a job ends with the question");
    world.puts("seed.toml", DOCS);
    world.seed("rules check").succeeds();
}
