//! Nobody's day is published: what leaves a clone has times by the day, and neither refusals nor
//! figures nor the journal of who works there, unless that person says `sync.detail = "full"`.

use std::path::Path;

use serde_json::json;

use super::sync::{agreed, machine, second, synced, synced_there, there};
use super::world::{CODE, World, question};

/// When a world begins: 2026-11-21T20:56:12Z.
const DAY: i64 = 1_795_219_200;

/// A day of somebody's: refusals, a pause, a question that waited, failing and passing runs, a
/// claim, an approval, a job that closes and one that stays open, all at their own minutes.
fn lived(rules: &str) -> World {
    let world = machine();
    world.minute();
    if !rules.is_empty() {
        world.puts("seed.toml", rules);
        world.person("rules apply").succeeds();
        std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
        world.minute();
        world.prompt("[DROP] once more");
        world.minute();
        world.prompt("Fix the lexer");
    }
    world.to("observe");
    for _ in 0..3 {
        world.minute();
        world.edits(CODE, "fn lex() {", "fn lex() { early();").refuses("BLOCKED");
    }
    let waiting =
        question("[WAITING] the staging host does not answer", &["It does now", "Go on without"]);
    let asked = world.asks(&waiting).passes();
    world.hours(1);
    asked.answers("It does now");
    world.does("observe");
    world.minute();
    world.leaves();
    world.enters("verify");
    world.opens();
    world.minute();
    world.does("verify");
    world.minute();
    world.leaves();
    world.opens();
    world.minute();
    world.does("condense");
    world.minute();
    world.approved();
    world.leaves();
    world.minute();
    let id = world.prompted_again("Now the parser");
    world.person("off -m \"a quiet hour\"").succeeds();
    world.hours(1);
    world.person("on").succeeds();
    world.person(&format!("job pause {id}")).said();
    world
}

impl World {
    /// The id of the job that a prompt creates.
    fn prompted_again(&self, text: &str) -> String {
        self.prompt(text);
        self.job()
    }
}

/// What a text gives away of a day: each moment of it, and each word of a refusal.
fn gives_away(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        if digits == 10 && !before.is_ascii_alphanumeric() {
            let number: i64 = text[at..at + 10].parse().expect("digits");
            if (DAY..DAY + 172_800).contains(&number) && number % 86_400 != 0 {
                found.push(number.to_string());
            }
        }
        at += digits.max(1);
    }
    // 2026-11-21T20:56:12Z, and the same in an id.
    for (at, _) in text.match_indices("2026-11-2") {
        let time = text.get(at + 10..at + 19).unwrap_or_default();
        let is_time = time.starts_with(['T', ' ']) && time.as_bytes().get(3) == Some(&b':');
        if is_time && !time.ends_with("00:00:00") {
            found.push(text[at..at + 19].to_owned());
        }
    }
    for (at, _) in text.match_indices("2026112") {
        let time = text.get(at + 8..at + 15).unwrap_or_default();
        if time.starts_with("t2") {
            found.push(text[at..at + 15].to_owned());
        }
    }
    for word in ["BLOCKED", "a quiet hour", "\"refusal\"", "held_up"] {
        found.extend(text.contains(word).then(|| word.to_owned()));
    }
    for count in ["refusals", "calls", "words_sent_back"] {
        for line in text.lines().filter(|line| line.starts_with(count)) {
            let told = line.strip_prefix(count).is_some_and(|rest| rest.starts_with(" = "));
            found.extend((told && !line.ends_with(" = 0")).then(|| line.to_owned()));
        }
    }
    found
}

/// Every object below the refs of ours in the repository `dir`, as text.
fn objects(world: &World, dir: &str) -> Vec<(String, String)> {
    let refs = "$(git -C {d} for-each-ref --format='%(refname)' refs/seed refs/notes \
                refs/heads/git-seed)";
    let list = format!("git -C {{d}} rev-list --objects {refs}").replace("{d}", dir);
    let lines = world.sh(&list);
    let mut found = Vec::new();
    for line in lines.lines() {
        let (id, path) = line.split_once(' ').unwrap_or((line, ""));
        let kind = world.sh(&format!("git -C {dir} cat-file -t {id}"));
        if kind.trim() == "tree" {
            continue;
        }
        let out = std::process::Command::new("git")
            .args(["-C", dir, "cat-file", kind.trim(), id])
            .current_dir(world.repo())
            .output()
            .expect("git runs");
        // A commit of the person's branch keeps git's own times.
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        if kind.trim() == "commit" && !text.contains("seed@git-seed.invalid") {
            continue;
        }
        found.push((format!("{id} {path}"), text));
    }
    found
}

fn given_away(world: &World, dir: &str) -> Vec<String> {
    let all = objects(world, dir);
    assert!(all.len() > 10, "there is something to look at: {}", all.len());
    let told = |(name, text): &(String, String)| {
        let found = gives_away(text);
        (!found.is_empty()).then(|| format!("{name}: {found:?}\n{text:.600}"))
    };
    all.iter().filter_map(told).collect()
}

#[track_caller]
fn nothing(found: &[String]) {
    assert!(found.is_empty(), "{}\n\n{}", found.len(), found.join("\n---\n"));
}

#[test]
fn a_remote_learns_of_the_day_and_no_more() {
    let world = lived("");
    synced(&world, &agreed(&world));
    nothing(&given_away(&world, "../hub.git"));
}

#[test]
fn words_that_travel_leave_the_journal_here() {
    let world = lived("[sync]\nprompts = true\n");
    synced(&world, &agreed(&world));
    assert!(world.git("-C ../hub.git for-each-ref").contains("refs/seed/texts"));
    nothing(&given_away(&world, "../hub.git"));
    // Bytes that were compressed are journal lines.
    let places = world.git("-C ../hub.git ls-tree -r --name-only refs/seed/texts");
    let kept = world.git("ls-tree -r --name-only refs/seed/texts");
    assert!(!places.is_empty() && places.lines().count() < kept.lines().count());
    assert_eq!(synced(&world, "")["rounds"], json!(1), "nothing is left to do");
    let before = world.git("-C ../hub.git rev-parse refs/seed/texts");
    synced(&world, "");
    assert_eq!(world.git("-C ../hub.git rev-parse refs/seed/texts"), before);
}

#[test]
fn a_branch_that_carries_refs_says_no_more() {
    let world = lived("");
    synced(&world, &format!("--transport branch {}", agreed(&world)));
    nothing(&given_away(&world, "../hub.git"));
}

#[test]
fn a_bundle_says_no_more() {
    let world = lived("");
    world.person("sync --to ../jobs.bundle").succeeds();
    world.sh("cd .. && git init -q --bare out.git && cd out.git && \
              git fetch -q ../jobs.bundle '+refs/*:refs/*'");
    nothing(&given_away(&world, "../out.git"));
}

#[test]
fn a_report_and_an_export_say_no_more() {
    let world = lived("");
    let closed = world.sh("git ls-tree -r --name-only refs/seed/archive | grep job.toml");
    let closed = closed.trim().rsplit('/').nth(1).expect("a closed job").to_owned();
    for line in [
        format!("report -o - {closed}"),
        format!("report --json {closed}"),
        "report -o - --all".to_owned(),
        "report --json --all".to_owned(),
        "audit export".to_owned(),
        "audit export --format agent-trace".to_owned(),
    ] {
        let said = world.person(&line).succeeds();
        let found = gives_away(&said);
        assert!(found.is_empty(), "{line}: {found:?}");
    }
    let said = world.person(&format!("report -o - {closed}")).succeeds();
    assert!(said.contains("Refusals, pauses and figures are left out"), "{said}");
    // What reads this clone alone tells all of it.
    let stats = world.json("stats");
    assert!(stats["total"]["refusals"].as_u64() >= Some(3), "{stats}");
    let log = world.json(&format!("log {closed}"));
    assert!(!gives_away(&log.to_string()).is_empty(), "{log}");
}

#[test]
fn whoever_says_full_publishes_all_of_it() {
    let world = lived("[sync]\ndetail = \"full\"\n");
    synced(&world, &agreed(&world));
    let found = given_away(&world, "../hub.git").join("\n");
    for needle in ["committer git seed", "job.toml", "refusals = ", "interactions/"] {
        assert!(found.contains(needle), "{needle}");
    }
    let said = world.person("report --json --all").succeeds();
    assert!(said.contains("held_up") && !gives_away(&said).is_empty());
}

#[test]
fn each_person_says_it_for_their_own_steps() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "second", "hub.git");
    there(
        &world,
        "second",
        "printf '[sync]\\ndetail = \"full\"\\n' > seed.toml && \
           git seed rules apply && rm seed.toml",
    );
    synced_there(&world, "second", "");
    world.minute();
    world.edits(CODE, "fn lex() {", "fn lex() { early();").refuses("BLOCKED");
    world.to("observe");
    synced(&world, "");
    synced_there(&world, "second", "");
    nothing(
        &given_away(&world, "../hub.git")
            .into_iter()
            .filter(|one| !one.contains("rules"))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_clone_that_lost_its_moments_goes_on() {
    let world = lived("");
    let seed = world.path(".git/seed");
    for gone in ["moments", "exact"] {
        let path: &Path = &seed.join(gone);
        assert!(path.exists(), "{gone}");
        if path.is_dir() {
            std::fs::remove_dir_all(path).expect("goes");
        } else {
            std::fs::remove_file(path).expect("goes");
        }
    }
    world.person("verify").said();
    for line in ["status", "log", "job list", "stats", "report --all -o -", "doctor"] {
        let said = world.person(line).said();
        assert!(said.code == 0 || line == "doctor", "{line}: {said:?}");
    }
    world.minute();
    world.prompt("And the printer");
    let said = world.person("verify").said();
    assert!(said.code == 3 && said.out.contains(" 0 broken"), "{said:?}");
}
