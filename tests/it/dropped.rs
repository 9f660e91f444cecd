//! "Never mind": a job that its person drops is over at once, wherever it stands.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, PAGE, PHASES, World, question};

/// The status of the job `id`, and the reason of the step that it took last.
fn ended(world: &World, id: &str) -> (String, String) {
    let jobs = world.json("job list");
    let row = jobs.as_array().into_iter().flatten().find(|row| row["id"] == id);
    let status = row.and_then(|row| row["status"].as_str()).unwrap_or("gone").to_owned();
    let steps = world.json(&format!("log {id}"));
    (status, steps[0]["subject"].as_str().unwrap_or("none").to_owned())
}

/// Nothing of the job holds anybody up, and the tree is as it was.
#[track_caller]
fn is_over(world: &World, id: &str, why: &str) {
    assert_eq!(ended(world, id), ("voided".to_owned(), why.to_owned()));
    assert_eq!(world.phase(), "none");
    world.stops().passes();
}

#[test]
fn a_persons_word_drops_the_job_in_every_phase() {
    for phase in ["talk"].into_iter().chain(PHASES) {
        let world = World::prompted();
        if phase != "talk" {
            world.to(phase);
            world.works(phase);
        }
        let id = world.job();
        let (head, text) = (world.git("rev-parse HEAD"), world.text(PAGE));
        world.stops();
        let reply = world.prompt("[DROP] 2 days\n\nof it were   enough");
        assert!(reply.refusal().is_none(), "{phase}: {reply:?}");
        assert!(reply.to_person().is_some_and(|told| told.contains("is dropped")), "{reply:?}");
        is_over(&world, &id, "the person dropped the job");
        assert_eq!((head, text), (world.git("rev-parse HEAD"), world.text(PAGE)), "{phase}");
        // The next prompt is work like any other, and what lies there is the person's.
        world.prompt("Something else");
        assert_ne!(world.job(), id, "{phase}");
        world.seed("phase advance").succeeds();
        world.seed("fence status").succeeds();
    }
}

#[test]
fn a_person_drops_it_at_a_terminal_and_an_agent_does_not() {
    let world = World::seeded();
    world.to("execute");
    let id = world.job();
    world.changes_nothing(|| {
        world.seed("job drop").refuses("only a person may run");
        world.runs("git seed job drop -m 'too hard'").refuses("only a person may run");
    });
    world.person("job drop -m 'not worth it'").tells("is dropped");
    is_over(&world, &id, "not worth it");
    world.person(&format!("job drop {id}")).refuses("already voided");
    world.person("job drop 20991231t235959-ffff").ends(64, "no job");
    world.person("job drop").ends(2, "no job is focused");
}

#[test]
fn what_was_dropped_comes_back() {
    let world = World::seeded();
    world.to("plan");
    let id = world.job();
    world.prompt("[DROP]");
    is_over(&world, &id, "the person dropped the job");
    world.person(&format!("job activate {id}")).refuses("git seed job reactivate");
    world.person(&format!("job reactivate {id} --active")).tells("starts run 2");
    assert_eq!((world.job(), world.phase().as_str()), (id, "idle"));
    world.to("observe");
    // It was left in plan, and begins where runs do: its steps follow.
    let found = world.json("verify");
    assert_eq!(found["broken"], serde_json::json!([]), "{found}");
}

#[test]
fn an_agent_may_ask_in_every_phase() {
    let options = ["Drop the job", "Keep the job"];
    for phase in PHASES {
        let world = World::seeded();
        world.to(phase);
        let id = world.job();
        let asks = |text: &str| world.asks(&question(text, &options));
        asks("[JOB-DROP] too short")
            .reply
            .refuses("the reason after [JOB-DROP], in at least 10 words");
        let text = "[JOB-DROP] the upstream release of yesterday has the same fix as we planned";
        asks(text).passes().answers("Keep the job").tells("the person keeps the job");
        assert_eq!(world.phase(), phase);
        asks(text).passes().answers("Drop the job").tells("do not finish it");
        let why = "the upstream release of yesterday has the same fix as we planned";
        is_over(&world, &id, why);
    }
}

#[test]
fn jobs_that_wait_are_dropped_by_name_and_all_at_once() {
    let world = World::seeded();
    let create = |name: &str| world.person(&format!("job create '{name}'")).succeeds();
    for name in ["one", "two", "three"] {
        create(name);
    }
    let ids: Vec<String> = world
        .json("job list")
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids.len(), 3);
    world.stops().refuses("waits");
    let reply = world.prompt(&format!("[DROP] {} no longer", ids[0]));
    let waits = "still waiting here: 2";
    assert!(reply.to_person().is_some_and(|told| told.contains(waits)), "{reply:?}");
    assert_eq!(
        ended(&world, &ids[0]),
        ("voided".to_owned(), "the person dropped the job".to_owned())
    );
    let reply = world.prompt("[DROP] 20260101t000000-0000");
    assert!(reply.to_person().is_some_and(|told| told.contains("there is no job")), "{reply:?}");
    world.person("job drop --pending -m 'another year'").tells("is dropped");
    for id in &ids[1..] {
        assert_eq!(ended(&world, id), ("voided".to_owned(), "another year".to_owned()));
    }
    world.stops().passes();
    world.person("job drop --pending").tells("No pending job here");
}

/// However many they are, the archive takes them in at once, and who waited for them is told of.
#[test]
fn many_that_wait_are_dropped_together() {
    let world = World::seeded();
    world.to("condense");
    let parent = world.job();
    let ids: Vec<String> = (0..12)
        .map(|n| {
            world.person(&format!("job create 'later {n}'")).succeeds();
            let jobs = world.json("job list");
            let named = format!("later {n}");
            let mut rows = jobs.as_array().into_iter().flatten();
            let new = rows.rfind(|row| row["name"] == named.as_str());
            new.and_then(|row| row["id"].as_str()).expect("it is there").to_owned()
        })
        .collect();
    world.person(&format!("job add-dependency {} {}", ids[1], ids[0])).succeeds();
    world.person(&format!("job add-dependency {parent} {}", ids[2])).succeeds();
    let archived = || world.tries("git rev-list --count --first-parent refs/seed/archive").out;
    let before: usize = archived().trim().parse().unwrap_or(0);
    let told = world.person("job drop --pending -m 'another year'").succeeds();
    assert_eq!(told.matches("is dropped").count(), 12, "{told}");
    assert_eq!(told.matches("No longer waiting for it").count(), 1, "{told}");
    let after: usize = archived().trim().parse().expect("a number");
    assert!(after <= before + 2, "the archive has {after} commits after {before}");
    for id in &ids {
        assert_eq!(ended(&world, id), ("voided".to_owned(), "another year".to_owned()));
    }
    assert_eq!(world.json(&format!("job show {parent}"))["depends_on"], serde_json::json!([]));
    assert_eq!(world.tries("ls .git/seed/closing").out, "");
    let back = world.person(&format!("job reactivate {}", ids[1])).succeeds();
    assert!(back.contains("later 1"), "{back}");
}

#[test]
fn who_waited_for_it_waits_no_longer_and_is_named() {
    let world = World::seeded();
    world.to("condense");
    let parent = world.job();
    world.seed("job create-dependent 'the tests'").succeeds();
    let shown = world.json("job show");
    let child = shown["depends_on"][0].as_str().expect("it waits").to_owned();
    world.person(&format!("job drop {child}")).tells("\"fix the lexer\"");
    assert_eq!(world.json("job show")["depends_on"], json!([]));
    assert_eq!(world.job(), parent);
}

/// `[APPROVE]` stands among the words that act where it would: not while another job is open.
#[test]
fn a_word_that_would_be_refused_is_not_named() {
    let world = World::seeded();
    world.to("condense").works("condense");
    let approves = || {
        let words = world.json("status")["words"].to_string();
        assert!(words.contains("[PAUSE]"), "{words}");
        words.contains("[APPROVE]")
    };
    assert!(approves());
    world.seed("job create-dependent 'the tests'").succeeds();
    let child = world.json("job show")["depends_on"][0].as_str().expect("it waits").to_owned();
    assert!(!approves());
    world.prompt("[APPROVE]");
    assert_eq!(world.json("job show")["status"], json!("active"));
    world.person(&format!("job drop {child}")).succeeds();
    assert!(approves());
}

#[test]
fn over_a_journal_that_does_not_read_it_is_dropped_all_the_same() {
    for by_prompt in [true, false] {
        let world = World::seeded();
        world.to("execute");
        let id = world.job();
        fs::write(world.path(".git/seed/journal/main.jsonl"), "no line of ours\n").expect("ours");
        world.reads(CODE);
        if by_prompt {
            world.prompt("[DROP] all of it");
        } else {
            world.person("job drop -m 'all of it'").succeeds();
        }
        is_over(&world, &id, "all of it");
    }
}

#[test]
fn a_closed_job_is_not_dropped_and_one_that_closes_is() {
    let world = World::seeded();
    world.to("condense");
    let id = world.job();
    world.works("condense");
    world.approved();
    assert_eq!(world.json("status")["job"]["status"], "completed");
    world.prompt("[DROP] no more of this");
    is_over(&world, &id, "the person dropped the job");
}

/// The job is gone, or there was none: words that end something end nothing, and none is born.
#[test]
fn words_that_would_end_something_create_no_job() {
    let world = World::prompted();
    let id = world.job();
    world.prompt("[DROP]");
    for said in ["drop it", "never mind, stop that", "vergiss es, danke", "laisse tomber", "算了"]
    {
        let reply = world.prompt(said);
        assert!(reply.refusal().is_none(), "{said}: {reply:?}");
        assert_eq!((world.phase().as_str(), world.json("status")["job"].is_null()), ("none", true));
    }
    assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1));
    is_over(&world, &id, "the person dropped the job");
    world.prompt("drop the unused table from schema.sql");
    assert_eq!(world.json("status")["job"]["name"], "drop the unused table from schema.sql");
    // With a job at work they belong to it.
    let job = world.job();
    world.prompt("stop it");
    assert_eq!(world.job(), job);
    // Where a job rests it may be what they mean: the person is asked.
    world.prompt("[PAUSE]");
    let asked = world.prompt("drop it");
    assert!(asked.to_person().is_some_and(|told| told.contains("paused")), "{asked:?}");
}

/// Nothing leads to a closed job without a commit, and it is no empty history.
#[test]
fn what_was_dropped_before_its_first_commit_is_verified() {
    let world = World::prompted();
    let verified = || -> Value {
        let said = world.person("verify --json").said();
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
    };
    world.person("job drop -m 'not wanted'").succeeds();
    let found = verified();
    assert_eq!((&found["verified"], &found["ok"]), (&json!(1), &json!(true)), "{found}");
    // A job whose commit was taken away vouches for nothing.
    world.prompt("Fix the lexer");
    world.to("plan");
    world.person("job drop -m 'not wanted'").succeeds();
    world.sh("git reset -q --hard HEAD~1 && git update-ref -d refs/notes/seed");
    let found = verified();
    assert_eq!((&found["verified"], &found["ok"]), (&json!(1), &json!(true)), "{found}");
    world.sh("git update-ref -d refs/seed/archive");
    let found = verified();
    assert_eq!((&found["verified"], &found["ok"]), (&json!(0), &Value::Null), "{found}");
}
