//! Killed before any one of its writes, what a person says is done whole or not at all, and what
//! they said before is not lost. Where there is no `strace` the tests say so and pass.

#![expect(clippy::disallowed_macros, reason = "it tells how often it killed")]

use std::fs;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::killed::{Kept, WRITES, Write, chosen, has_strace, time_goes_by, written};
use super::world::{CODE, World, completion, message};

/// What is killed: an event of the host, or a command of the person or the agent.
#[derive(Clone, Copy)]
enum Act<'a> {
    Event(&'a str, &'a Value),
    Command { line: &'a str, stdin: &'a str },
}

impl Act<'_> {
    /// Does it under `strace` with these options; its exit code and what was traced. The tracer
    /// runs beside it (`-D`), so that the host is still who calls the hook.
    fn traced(self, world: &World, options: &str) -> (i32, String) {
        let file = world.root().join("trace");
        drop(fs::remove_file(&file));
        let strace = format!("exec strace -D -q {options} -o '{}'", file.display());
        let code = match self {
            Act::Event(name, fields) => {
                world.hooks_run_by(&format!("{strace} \"$1\" hook claude \"$2\"\n"));
                let code = world.sends(name, world.payload(name, fields).as_bytes()).code;
                world.hooks_run_by("");
                code
            }
            Act::Command { line, stdin } => {
                world.agents_shell(&format!("{strace} {line}"), stdin).code
            }
        };
        // The tracer may end a little later.
        for _ in 0..500 {
            let trace = fs::read_to_string(&file).unwrap_or_default();
            if trace.contains("+++ ") {
                return (code, trace);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the tracer did not end");
    }

    /// Kills it before each of its writes, and has `check` look at what is left each time.
    fn killed(self, world: &World, check: impl Fn(&World, &Write)) {
        self.killed_at(world, chosen, check);
    }

    /// The same, before the writes that `choose` takes.
    fn killed_at(
        self,
        world: &World,
        choose: impl Fn(&[Write]) -> Vec<&Write>,
        check: impl Fn(&World, &Write),
    ) {
        let kept = Kept::of(world);
        let (code, trace) = self.traced(world, &format!("-e trace={WRITES}"));
        assert_eq!(code, 0, "{trace}");
        let writes = written(&trace);
        let points = choose(&writes);
        eprintln!("{} writes, killed before {} of them", writes.len(), points.len());
        let mut killed = 0;
        for write in &points {
            kept.restore();
            let Write { call, nth } = write;
            let inject = format!("-e trace={call} -e inject={call}:signal=KILL:when={nth}");
            if self.traced(world, &inject).0 == 0 {
                continue;
            }
            killed += 1;
            time_goes_by(world);
            check(world, write);
            world.git("fsck --strict --no-dangling");
        }
        assert!(killed * 2 > points.len(), "only {killed} of {points:?} were reached");
    }
}

/// The job that the prompt begins has the focus from the next event on, or there is none.
#[test]
fn the_first_prompt_that_is_killed_is_a_job_in_focus_or_none() {
    if !has_strace() {
        return;
    }
    let fields = json!({ "prompt": "Teach the lexer escapes" });
    Act::Event("UserPromptSubmit", &fields).killed(&World::seeded(), |world, write| {
        world.reads(CODE);
        let jobs = world.json("job list --all");
        let jobs = jobs.as_array().expect("a list");
        assert!(jobs.len() < 2, "killed at {write:?}: {jobs:?}");
        assert!(jobs.iter().all(|job| job["focused"] == json!(true)), "at {write:?}: {jobs:?}");
        world.prompt("Teach the lexer escapes");
        assert_eq!(world.json("job list --all").as_array().map(Vec::len), Some(1), "{write:?}");
        assert_eq!(world.tries("ls .git/seed/turning 2>/dev/null").out, "", "{write:?}");
    });
}

fn ready() -> World {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world
}

/// Approved and completed, or neither; and from there the job ends.
fn approval_is_whole(world: &World, write: &Write) {
    let shown = world.json("job show");
    let approved = shown["user_approval"] == json!(true);
    assert_eq!(approved, shown["status"] == json!("completed"), "killed at {write:?}: {shown}");
    if !approved {
        world.person("job approve").succeeds();
    }
    world.leaves();
    assert_eq!(world.phase(), "none", "killed at {write:?}");
    let jobs = world.json("job list --all");
    assert_eq!(jobs[0]["status"], json!("completed"), "killed at {write:?}: {jobs}");
}

/// A world in which a finished job rests until somebody is there.
fn defers() -> World {
    let world = World::new();
    world.puts("seed.toml", "approval = \"defer\"\n");
    let world = world.installed();
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    world
}

#[test]
fn an_approval_by_answer_that_is_killed_is_whole_or_not_there() {
    if !has_strace() {
        return;
    }
    let world = ready();
    let sent = world.asks(&completion()).passes();
    let answers = json!({ sent.text(): "Approve completion" });
    let input = json!({ "questions": [sent.asked], "answers": answers });
    let fields = json!({
        "tool_name": "AskUserQuestion", "tool_input": input, "tool_response": input,
        "tool_use_id": sent.call, "duration_ms": 2000,
    });
    Act::Event("PostToolUse", &fields).killed(&world, approval_is_whole);
}

#[test]
fn an_approval_by_short_word_that_is_killed_is_whole_or_not_there() {
    if !has_strace() {
        return;
    }
    let fields = json!({ "prompt": "[APPROVE]" });
    Act::Event("UserPromptSubmit", &fields).killed(&ready(), approval_is_whole);
}

#[test]
fn an_approval_by_command_that_is_killed_is_whole_or_not_there() {
    if !has_strace() {
        return;
    }
    let line = "env GIT_SEED_TEST_PERSON=1 git-seed job approve";
    Act::Command { line, stdin: "" }.killed(&ready(), approval_is_whole);
}

/// A small job behind its work, where the approval closes the cycle as well.
fn small_ready() -> World {
    let world = super::quick::small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(world.phase(), "condense");
    world
}

/// Approved and over, or neither: the agent has nothing left to do.
fn approval_is_carried_on(world: &World, write: &Write) {
    let job = world.json("job list --all")[0].clone();
    let (id, status) = (job["id"].as_str().expect("an id"), job["status"].clone());
    if status != json!("completed") {
        assert_eq!(world.phase(), "condense", "killed at {write:?}: {job}");
        world.person("job approve").succeeds();
    }
    let shown = world.json(&format!("job show {id}"));
    assert_eq!(shown["user_approval"], json!(true), "killed at {write:?}");
    assert_eq!(world.phase(), "none", "killed at {write:?}: {shown}");
    assert!(world.stops().is_silent(), "killed at {write:?}");
    let left = world.tries("ls .git/seed/approving 2>/dev/null").out;
    assert_eq!(left, "", "killed at {write:?}");
    // A lock that was left goes with the next write.
    world.prompt("And now teach it comments");
}

#[test]
fn an_approval_that_closes_a_small_job_is_carried_on_by_the_next_command() {
    if !has_strace() {
        return;
    }
    let line = "env GIT_SEED_TEST_PERSON=1 git-seed job approve";
    Act::Command { line, stdin: "" }.killed(&small_ready(), approval_is_carried_on);
}

#[test]
fn an_approval_that_closes_a_small_job_is_carried_on_by_the_next_event() {
    if !has_strace() {
        return;
    }
    let fields = json!({ "prompt": "[APPROVE]" });
    Act::Event("UserPromptSubmit", &fields).killed(&small_ready(), |world, write| {
        world.stops();
        approval_is_carried_on(world, write);
    });
    let world = small_ready();
    let sent = world.asks(&super::quick::done()).passes();
    let answers = json!({ sent.text(): "Approve completion" });
    let input = json!({ "questions": [sent.asked], "answers": answers });
    let fields = json!({
        "tool_name": "AskUserQuestion", "tool_input": input, "tool_response": input,
        "tool_use_id": sent.call, "duration_ms": 2000,
    });
    Act::Event("PostToolUse", &fields).killed(&world, |world, write| {
        world.stops();
        approval_is_carried_on(world, write);
    });
}

/// What a killed commit was prepared in goes with the next step; who lives keeps its own.
#[test]
fn what_a_killed_step_prepared_goes_with_the_next_one() {
    if !has_strace() {
        return;
    }
    let world = super::quick::small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let line = "git-seed phase advance -m 'keep escapes in quoted strings'";
    let stages = |world: &World| world.tries("ls -d .git/seed/stage-* 2>/dev/null").out;
    Act::Command { line, stdin: "" }.killed(&world, |world, write| {
        if world.phase() != "condense" {
            world.agents_shell(line, "");
        }
        assert_eq!(world.phase(), "condense", "killed at {write:?}");
        assert_eq!(stages(world), "", "killed at {write:?}");
        world.prompt("go on");
    });
}

#[test]
fn many_jobs_that_are_dropped_and_killed_are_dropped_by_the_next_word() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    for name in ["one", "two", "three"] {
        world.person(&format!("job create '{name}'")).succeeds();
    }
    let line = "env GIT_SEED_TEST_PERSON=1 git-seed job drop --pending -m 'never mind'";
    Act::Command { line, stdin: "" }.killed(&world, |world, write| {
        world.person("job drop --pending -m 'never mind'").succeeds();
        let all = world.json("job list --all");
        let voided = all.as_array().into_iter().flatten().filter(|job| job["status"] == "voided");
        assert_eq!(voided.count(), 3, "killed at {write:?}: {all}");
        world.prompt("And now something else");
        assert_eq!(world.tries("ls .git/seed/closing 2>/dev/null").out, "", "{write:?}");
    });
}

/// All prompts that any job keeps.
fn prompts(world: &World) -> Vec<String> {
    let jobs = world.json("job list --all");
    let ids = jobs.as_array().into_iter().flatten().filter_map(|job| job["id"].as_str());
    let shown = ids.map(|id| world.json(&format!("job show {id}")));
    let texts = shown.flat_map(|job| {
        let said = job["interactions"].as_array().cloned().unwrap_or_default();
        said.into_iter().filter_map(|one| one["text"].as_str().map(str::to_owned))
    });
    texts.collect()
}

#[test]
fn prompts_that_wait_for_a_job_to_close_outlive_a_kill() {
    if !has_strace() {
        return;
    }
    let world = ready();
    world.approved();
    world.prompt("Now teach it comments");
    world.prompt("And numbers with an underscore");
    world.minute();
    let sent = message("condense");
    let act = Act::Command { line: "git-seed phase advance -F -", stdin: &sent };
    act.killed(&world, |world, write| {
        if world.phase() == "condense" {
            world.seed("phase advance -F -").stdin(&sent).succeeds();
        }
        // Whatever was done of it: the next event finishes it.
        world.stops();
        let kept = prompts(world);
        for said in ["Now teach it comments", "And numbers with an underscore"] {
            let times = kept.iter().filter(|text| text.contains(said)).count();
            assert!(times >= 1, "killed at {write:?}: {said:?} is nowhere in {kept:?}");
        }
        let shown = world.json("job show");
        let of_it = shown["interactions"].as_array().map_or(0, Vec::len);
        assert_eq!(of_it, 2, "killed at {write:?}: {shown}");
        world.seed("phase advance").succeeds();
        assert_eq!(world.phase(), "observe", "killed at {write:?}");
    });
}

#[test]
fn words_beside_a_paused_job_outlive_a_kill() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let paused = world.job();
    world.prompt("[PAUSE]");
    world.prompt("Now teach it comments");
    let fields = json!({ "prompt": "And numbers with an underscore" });
    Act::Event("UserPromptSubmit", &fields).killed(&world, |world, write| {
        let kept = prompts(world);
        assert!(kept.iter().any(|text| text == "Now teach it comments"), "{write:?}: {kept:?}");
        // The prompt that was killed is the host's to send again; the person just goes on.
        world.prompt("Numbers, too");
        let shown = world.json("job show");
        assert_ne!(shown["id"], json!(paused), "killed at {write:?}");
        let said = shown["interactions"].to_string();
        for words in ["Now teach it comments", "Numbers, too"] {
            assert_eq!(said.matches(words).count(), 1, "killed at {write:?}: {said}");
        }
        world.person(&format!("job activate {paused}")).succeeds();
        assert_eq!(world.phase(), "execute", "killed at {write:?}");
    });
}

#[test]
fn words_behind_a_short_word_and_what_they_close_outlive_a_kill() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.reads(CODE);
    let said = "also change todo.txt; never touch src/parser/lex.rs";
    let fields = json!({ "prompt": format!("[ALLOW todo.txt] {said}") });
    Act::Event("UserPromptSubmit", &fields).killed(&world, |world, write| {
        world.reads("todo.txt");
        let opened = world.seed("log").succeeds().contains("the person opened todo.txt");
        let kept = prompts(world).iter().filter(|text| text.contains(said)).count();
        assert!(kept == 1 || kept == 0 && !opened, "killed at {write:?}: {kept} {opened}");
        if kept == 1 {
            world.edits(CODE, "fn lex() {", "fn lex() { more();").refuses("never touch");
        }
        assert_eq!(world.tries("ls .git/seed/hearing 2>/dev/null").out, "", "at {write:?}");
    });
}

#[test]
fn a_short_word_that_is_killed_before_its_act_is_told() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    for word in ["[OFF] by hand", "[DROP] no more of it"] {
        let fields = json!({ "prompt": word });
        Act::Event("UserPromptSubmit", &fields).killed(&world, |world, write| {
            let told = world.reads(CODE).after;
            let said = prompts(world).iter().any(|text| text == word);
            let status = world.json("status");
            let done = status["enabled"] == json!(false) || status["job"].is_null();
            let head = word.split(' ').next().unwrap_or_default();
            let hears = told.to_person().is_some_and(|told| told.contains(head));
            assert_eq!(hears, said && !done, "killed at {write:?}: {told:?}");
        });
    }
}

/// The agent that saw no answer gives its command again.
#[test]
fn a_job_whose_making_was_killed_is_made_once_and_waited_for_once() {
    if !has_strace() {
        return;
    }
    let world = ready();
    let line = "git-seed job create-dependent 'split the parser' -m 'It has to be one module.'";
    Act::Command { line, stdin: "" }.killed(&world, |world, write| {
        let said = world.agents_shell(line, "");
        assert_eq!(said.code, 0, "killed at {write:?}: {said:?}");
        let jobs = world.json("job list --all");
        let made = |job: &&Value| job["name"] == json!("split the parser");
        let made: Vec<Value> =
            jobs.as_array().into_iter().flatten().filter(made).cloned().collect();
        assert_eq!(made.len(), 1, "killed at {write:?}: {jobs}");
        let waits = world.json("job show")["depends_on"].clone();
        assert_eq!(waits, json!([made[0]["id"]]), "killed at {write:?}");
    });
}

/// In focus is a job at work, or none: after a kill as well.
fn focus_is_sound(world: &World, job: &str, rests_as: &str, write: &Write) -> bool {
    let status = world.json("status");
    let shown = world.json(&format!("job show {job}"));
    let rests = shown["status"] == json!(rests_as);
    let wanted = if rests { Value::Null } else { json!(job) };
    assert_eq!(status["job"]["id"], wanted, "killed at {write:?}: {status}");
    rests
}

#[test]
fn a_pause_that_is_killed_is_whole_or_not_there() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let job = world.job();
    let fields = json!({ "prompt": "[PAUSE]" });
    Act::Event("UserPromptSubmit", &fields).killed(&world, |world, write| {
        if focus_is_sound(world, &job, "pending", write) {
            world.stops().passes();
            world.person(&format!("job activate {job}")).succeeds();
        }
        assert_eq!(world.phase(), "execute", "killed at {write:?}");
        world.leaves();
    });
}

/// The last writes that give a file its name or take it: where one job gives the focus to another.
fn last(writes: &[Write]) -> Vec<&Write> {
    const LAST: usize = 9;
    let names = |call: &str| ["rename", "link", "unlink"].iter().any(|of| call.starts_with(of));
    let all: Vec<&Write> = writes.iter().filter(|write| names(&write.call)).collect();
    all[all.len().saturating_sub(LAST)..].to_vec()
}

/// How often a job was made active.
fn activations(world: &World, job: &str) -> usize {
    let log = world.git(&format!("log --format=%s refs/seed/jobs/{job}"));
    log.lines().filter(|line| line.starts_with("activate: ")).count()
}

/// A pending job of the person's.
fn queued(world: &World, name: &str) -> String {
    world.minute();
    let said = world.person(&format!("job create '{name}'")).succeeds();
    said.split_whitespace().nth(1).expect("its id").to_owned()
}

/// The next job is active, in focus and activated once, or nothing has happened to it.
fn next_is_whole(world: &World, next: &str, write: &Write) -> bool {
    let status = world.json("status");
    let shown = world.json(&format!("job show {next}"));
    let active = shown["status"] == json!("active");
    assert_eq!(active, shown["focused"] == json!(true), "killed at {write:?}: {shown}");
    assert_eq!(active, status["job"]["id"] == json!(next), "killed at {write:?}: {status}");
    assert_eq!(activations(world, next), usize::from(active), "killed at {write:?}");
    active
}

/// The job that has the focus can be worked on.
fn works_on(world: &World, next: &str, write: &Write) {
    assert!(next_is_whole(world, next, write), "killed at {write:?}");
    assert!(world.stops().refusal().is_some(), "killed at {write:?}: it is work");
    world.seed("phase advance").succeeds();
    assert_eq!(world.phase(), "observe", "killed at {write:?}");
}

fn a_night_goes_on(world: &World, act: Act<'_>, sent: &str, next: &str) {
    let job = world.job();
    act.killed_at(world, last, |world, write| {
        // Whatever comes next finishes what was begun, and a host's stop is one of them.
        world.stops();
        let status = world.json("status");
        if status["job"]["id"] == json!(job) {
            world.seed("phase advance -F -").stdin(sent).succeeds();
        }
        let rests = world.json(&format!("job show {job}"));
        assert_eq!(rests["status"], json!("awaiting you"), "killed at {write:?}");
        works_on(world, next, write);
        world.person(&format!("job approve {job}")).succeeds();
    });
}

#[test]
fn the_next_job_of_a_night_has_the_focus_in_spite_of_a_kill() {
    if !has_strace() {
        return;
    }
    let world = defers();
    world.to("condense");
    world.works("condense");
    let next = queued(&world, "the next one");
    let sent = message("condense");
    let act = Act::Command { line: "git-seed phase advance -F -", stdin: &sent };
    a_night_goes_on(&world, act, &sent, &next);
}

#[test]
fn so_it_has_where_a_question_was_not_answered() {
    if !has_strace() {
        return;
    }
    let world = ready();
    let next = queued(&world, "the next one");
    world.asks(&completion()).passes();
    let sent = message("condense");
    let act = Act::Command { line: "git-seed phase advance -F -", stdin: &sent };
    a_night_goes_on(&world, act, &sent, &next);
}

#[test]
fn a_job_that_is_activated_has_the_focus_or_waits_in_spite_of_a_kill() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    let next = queued(&world, "the next one");
    let line = format!("git-seed job activate {next}");
    Act::Command { line: &line, stdin: "" }.killed_at(&world, last, |world, write| {
        if !next_is_whole(world, &next, write) {
            world.stops().refuses(&format!("git seed job activate {next}"));
            world.seed(&format!("job activate {next}")).succeeds();
        }
        works_on(world, &next, write);
    });
}

#[test]
fn so_it_has_where_another_job_gives_the_focus_away() {
    if !has_strace() {
        return;
    }
    let world = ready();
    let add = "phase advance --add-cycle 'one more' -F -";
    world.seed(add).stdin(&message("condense")).succeeds();
    let (job, next) = (world.job(), queued(&world, "the next one"));
    let line = format!("git-seed job activate {next}");
    Act::Command { line: &line, stdin: "" }.killed_at(&world, last, |world, write| {
        // A host's stop finishes it too.
        world.stops();
        if !next_is_whole(world, &next, write) {
            assert_eq!(world.json("status")["job"]["id"], json!(job), "killed at {write:?}");
            world.seed(&format!("job activate {next}")).succeeds();
        }
        works_on(world, &next, write);
    });
}

#[test]
fn a_drop_that_is_killed_leaves_the_next_job_to_be_taken_up() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let (job, next) = (world.job(), queued(&world, "the next one"));
    let fields = json!({ "prompt": "[DROP] enough of it" });
    Act::Event("UserPromptSubmit", &fields).killed(&world, |world, write| {
        if !focus_is_sound(world, &job, "voided", write) {
            world.person("job drop -m enough").succeeds();
        }
        world.stops().refuses(&format!("git seed job activate {next}"));
        world.seed(&format!("job activate {next}")).succeeds();
        works_on(world, &next, write);
    });
}

#[test]
fn a_job_that_comes_to_rest_gives_up_its_focus_in_spite_of_a_kill() {
    if !has_strace() {
        return;
    }
    let world = defers();
    world.to("condense");
    world.works("condense");
    world.minute();
    let job = world.job();
    let sent = message("condense");
    let act = Act::Command { line: "git-seed phase advance -F -", stdin: &sent };
    act.killed(&world, |world, write| {
        if !focus_is_sound(world, &job, "awaiting you", write) {
            world.seed("phase advance -F -").stdin(&sent).succeeds();
            assert!(focus_is_sound(world, &job, "awaiting you", write), "killed at {write:?}");
        }
        world.stops().passes();
        world.person(&format!("job approve {job}")).succeeds();
        let shown = world.json(&format!("job show {job}"));
        assert_eq!(shown["status"], json!("completed"), "killed at {write:?}");
    });
}

/// A job that nobody has in focus is closed and put away as one: whatever stopped it in between,
/// the next command goes on.
#[test]
fn a_job_whose_closing_was_killed_is_put_away_by_the_next_command() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.prompt("the one at work");
    let job = queued(&world, "the one that is dropped");
    let line = format!("env GIT_SEED_TEST_PERSON=1 git-seed job drop {job} -m 'no more'");
    Act::Command { line: &line, stdin: "" }.killed(&world, |world, write| {
        world.tries("git seed status");
        let shown = world.json(&format!("job show {job}"));
        let chain = world.git(&format!("for-each-ref refs/seed/jobs/{job}"));
        assert_eq!(shown["status"] == "voided", chain.is_empty(), "killed at {write:?}: {chain}");
        assert_eq!(world.sh("ls .git/seed/closing 2>/dev/null; true"), "", "killed at {write:?}");
    });
}
