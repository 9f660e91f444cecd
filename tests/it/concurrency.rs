//! Many at once, and killed at any moment: no line, no step and no word is lost.

use std::fs;
use std::time::Instant;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, PAGE, Said, World, completion, message, objective, page, question};

const SESSION: &str = "e2fc06a6-4aaf-49f6-8712-117cd08f9339";

/// The name and the exit code of each program that ran.
fn codes(said: &Said) -> Vec<i32> {
    said.out.lines().filter_map(|line| line.strip_prefix("exit ")?.parse().ok()).collect()
}

/// Runs `lines` of the agent's shell at once and waits for all.
fn at_once(world: &World, lines: &[String]) -> Said {
    let jobs: Vec<String> =
        lines.iter().map(|line| format!("( {line}; echo exit $? ) &")).collect();
    let said = world.agents_shell(&format!("{}\nwait", jobs.join("\n")), "");
    assert!(!said.err.contains("panicked"), "{said:?}");
    said
}

/// Keeps a payload in a file beside the repository.
fn payload(world: &World, name: &str, fields: Value) {
    let mut payload = json!({ "session_id": SESSION, "cwd": world.repo() });
    for (key, value) in fields.as_object().expect("fields are an object") {
        payload[key] = value.clone();
    }
    fs::write(world.path(&format!("../{name}.json")), payload.to_string())
        .expect("it can be written");
}

/// Every line of the journal of the main worktree.
fn journal(world: &World) -> String {
    world.sh("cat .git/seed/journal/*.jsonl")
}

fn steps_of_chain(world: &World) -> Vec<String> {
    let job = world.job();
    let ids = world.git(&format!(
        "log --format='%(trailers:key=Seed-Id,valueonly,separator=)' refs/seed/jobs/{job}"
    ));
    ids.lines().map(str::to_owned).collect()
}

/// The doctor finds the journal and the store in order.
fn is_sound(world: &World) {
    let found: Value = world.json("doctor");
    for one in found.as_array().expect("a list") {
        let sound = one["ok"] == true
            || !["journal", "job", "objects"].contains(&one["check"].as_str().unwrap_or(""));
        assert!(sound, "{one}");
    }
}

#[test]
fn twenty_hooks_at_once_lose_no_line() {
    let world = World::seeded();
    world.to("execute");
    let before = world.json("status")["cost"]["calls"].as_u64().expect("a number");
    let lines: Vec<String> = (0..20)
        .map(|n| {
            payload(
                &world,
                &format!("after-{n}"),
                json!({
                    "hook_event_name": "PostToolUse", "tool_name": "Read",
                    "tool_use_id": format!("toolu_many_{n}"),
                    "tool_input": { "file_path": world.path(CODE) },
                    "tool_response": { "type": "text" },
                    "duration_ms": 3,
                }),
            );
            format!("git-seed hook claude PostToolUse < ../after-{n}.json")
        })
        .collect();
    assert_eq!(codes(&at_once(&world, &lines)), [0; 20]);
    let text = journal(&world);
    for n in 0..20 {
        assert_eq!(text.matches(&format!("\"toolu_many_{n}\"")).count(), 1, "call {n}");
    }
    is_sound(&world);
    assert_eq!(
        world.json("status")["cost"]["calls"].as_u64(),
        Some(before + 20),
        "each is counted"
    );
    // After so much reading something is written down first.
    world.notes("---Ex---", "read it twenty times");
    world.works("execute");
    world.leaves();
}

#[test]
fn shells_that_end_at_once_are_all_heard() {
    let world = World::seeded();
    world.to("execute");
    // Named on the line: whoever is slow here, the change is the agent's.
    let input = json!({ "command": "sh fix.sh todo.txt" });
    for n in 0..6 {
        world.before("Bash", &input, &format!("toolu_shell_{n}")).passes();
    }
    fs::write(world.path("todo.txt"), "stray\n").expect("it can be written");
    let lines: Vec<String> = (0..6)
        .map(|n| {
            payload(
                &world,
                &format!("after-{n}"),
                json!({
                    "hook_event_name": "PostToolUse", "tool_name": "Bash",
                    "tool_use_id": format!("toolu_shell_{n}"),
                    "tool_input": input, "tool_response": { "stdout": "", "stderr": "" },
                    "duration_ms": 5000,
                }),
            );
            format!("git-seed hook claude PostToolUse < ../after-{n}.json")
        })
        .collect();
    let said = at_once(&world, &lines);
    assert!(!said.out.contains("git seed: `git"), "no hook is in trouble: {said:?}");
    let text = journal(&world);
    for n in 0..6 {
        let of_call = |line: &&str| line.contains(&format!("\"toolu_shell_{n}\""));
        assert_eq!(text.lines().filter(of_call).count(), 1, "call {n}: {said:?}");
    }
    world.seed("fence restore").tells("todo.txt");
}

#[test]
fn steps_at_once_are_all_taken() {
    let world = World::seeded();
    world.to("observe");
    let before = steps_of_chain(&world).len();
    let lines: Vec<String> = (0..8)
        .map(|n| format!("git-seed job update --name 'name {n}' --objective '{}'", objective()))
        .collect();
    assert_eq!(codes(&at_once(&world, &lines)), [0; 8]);
    let mut ids = steps_of_chain(&world);
    assert_eq!(ids.len(), before + 8, "no step was written over another");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), before + 8, "and each has its own name");
    is_sound(&world);
}

#[test]
fn what_may_be_said_once_is_said_once() {
    let world = World::seeded();
    world.enters("observe");
    let lines = vec!["git-seed phase multiplier 3".to_owned(); 4];
    let mut codes = codes(&at_once(&world, &lines));
    codes.sort_unstable();
    assert_eq!(codes, [0, 2, 2, 2]);
}

/// Of prompts that come at once where no job is one bears it, and the others are said to it.
#[test]
fn prompts_at_once_bear_one_job() {
    for word in ["", "[QUICK] "] {
        let world = World::seeded();
        let prompts: Vec<Value> = (0..4)
            .map(|n| json!({ "prompt": format!("{word}change the greeting in {n} places") }))
            .collect();
        let told = world.hears_at_once("claude", "UserPromptSubmit", &prompts).join("\n");
        let jobs = world.json("job list");
        assert_eq!(jobs.as_array().map(Vec::len), Some(1), "{word}: {jobs}");
        assert_eq!(jobs[0]["focused"], json!(true), "{word}: {jobs}");
        let shown = world.json("job show");
        assert_eq!(shown["interactions"].as_array().map(Vec::len), Some(4), "{word}: {shown}");
        if word.is_empty() {
            assert_eq!(told.matches("a new job").count(), 1, "{told}");
        }
        is_sound(&world);
    }
}

#[test]
fn two_boundaries_at_once_are_one() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let head = world.git("rev-parse HEAD");
    fs::write(world.path("../message"), message("execute")).expect("it can be written");
    let lines = vec!["git-seed phase advance -F ../message".to_owned(); 2];
    let said = at_once(&world, &lines);
    let yes = codes(&said).iter().filter(|code| **code == 0).count();
    assert!(yes <= 1, "one at most is told yes: {said:?}");
    if world.phase() == "execute" {
        world.leaves();
    }
    assert_eq!(world.phase(), "verify");
    assert_eq!(world.git("rev-parse HEAD~1"), head, "one commit, not two");
    assert_eq!(world.trailer("Seed-Step"), "execute -> verify");
    is_sound(&world);
    world.works("verify");
    world.leaves();
}

#[test]
fn hooks_and_steps_at_once_do_not_lose_each_other() {
    let world = World::seeded();
    world.to("observe");
    let mut lines = Vec::new();
    for n in 0..6 {
        payload(
            &world,
            &format!("after-{n}"),
            json!({
                "hook_event_name": "PostToolUse", "tool_name": "Read",
                "tool_use_id": format!("toolu_mixed_{n}"),
                "tool_input": { "file_path": world.path(CODE) },
                "tool_response": { "type": "text" },
            }),
        );
        lines.push(format!("git-seed hook claude PostToolUse < ../after-{n}.json"));
        lines.push(format!("git-seed job update --name 'name {n}' --objective '{}'", objective()));
    }
    assert_eq!(codes(&at_once(&world, &lines)), [0; 12]);
    let traced = world.traced(&world.job());
    let all = format!("{traced}{}", journal(&world));
    for n in 0..6 {
        assert_eq!(
            all.matches(&format!("\"toolu_mixed_{n}\"")).count(),
            1,
            "call {n} is kept, once"
        );
    }
    is_sound(&world);
}

// ---- killed

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A world whose commits take a moment, in execute.
fn slow() -> World {
    let world = World::new();
    world.puts(".git/hooks/pre-commit", "#!/bin/sh\nsleep 0.1\n");
    world.sh("chmod +x .git/hooks/pre-commit");
    let world = world.installed();
    world.to("execute");
    world
}

/// Locks of seed refs, which nobody but git seed may leave or remove.
fn seed_locks(world: &World) -> String {
    world.sh("find .git/refs .git/worktrees -name '*.lock' 2>/dev/null || true")
}

/// One round from execute to verify, killed on its way by `kill`, and back.
fn round(world: &World, n: usize, kill: impl Fn(u64) -> String, took: u64, dice: &mut Dice) {
    world.opens();
    world.edits(CODE, "fn lex() {", &format!("fn lex() {{ step{n}();")).passes();
    world.tests();
    world.edits(PAGE, "---Ex---\n", &format!("---Ex---\n\nround {n}\n")).passes();
    world.minute();
    let millis = dice.below(took + took / 4) + 1;
    world.agents_shell(&kill(millis), &message("execute"));
    // What git itself leaves when it is killed is git's.
    world.sh("rm -f .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock");
    // A seed ref's lock counts as left behind after a while; let it go by.
    world.sh("find .git/refs/seed -name '*.lock' -exec touch -d '1 minute ago' {} +");
    // These have tests of their own, below.
    world.sh("rm -f .git/seed/index/*.lock .git/refs/notes/seed.lock");
    let status = world.seed("status").said();
    assert_eq!(status.code, 0, "round {n}, killed after {millis} ms: {status:?}");
    let mut last = None;
    for _ in 0..2 {
        if world.phase() == "execute" {
            last = Some(world.seed("phase advance -F -").stdin(&message("execute")).said());
        }
    }
    assert_eq!(world.phase(), "verify", "round {n}, killed after {millis} ms: {last:?}");
    let steps = world.git("log --format='%(trailers:key=Seed-Step,valueonly,separator=)'");
    let made = steps.lines().filter(|step| *step == "execute -> verify").count();
    assert_eq!(
        made,
        n + 1,
        "round {n}, killed after {millis} ms: one commit for each step\n{steps}"
    );
    assert_eq!(seed_locks(world), "", "round {n}, killed after {millis} ms");
    world.git("fsck --strict --no-dangling");
    world.seed("phase back execute -m 'once more'").succeeds();
}

/// How long an undisturbed boundary takes, in milliseconds.
fn calm_round(world: &World) -> u64 {
    let began = Instant::now();
    round(world, 0, |_| "git-seed phase advance -F -".to_owned(), 1, &mut Dice(1));
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).min(900)
}

#[cfg(target_os = "linux")]
#[test]
fn killed_with_its_git_at_any_moment_a_boundary_is_whole_or_was_not() {
    let world = slow();
    let took = calm_round(&world);
    let mut dice = Dice(20_261_121);
    for n in 1..=20 {
        let kill = |millis| {
            format!(
                "timeout -s KILL {}.{:03} git-seed phase advance -F -",
                millis / 1000,
                millis % 1000
            )
        };
        round(&world, n, kill, took, &mut dice);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn killed_alone_at_any_moment_a_boundary_is_whole_or_was_not() {
    let world = slow();
    let took = calm_round(&world);
    let mut dice = Dice(205_612);
    for n in 1..=10 {
        // Git goes on for a while without the program that called it.
        let kill = |millis| {
            format!(
                "timeout --foreground -s KILL {}.{:03} git-seed phase advance -F -; sleep 0.5",
                millis / 1000,
                millis % 1000
            )
        };
        round(&world, n, kill, took, &mut dice);
    }
}

/// The head of the message names the job; what is judged again after the kill has it, too.
#[cfg(target_os = "linux")]
#[test]
fn a_name_in_the_message_outlives_a_killed_boundary() {
    let world = World::seeded();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    world.seed("phase advance").succeeds();
    world.reads(CODE).passes();
    let seen = page("# parser\n").replace("---Ob---", "---Ob---\n\nescapes are dropped");
    world.writes(PAGE, &seen).passes();
    world.puts(".git/hooks/pre-commit", "#!/bin/sh\ntouch ../at-it\nsleep 1\n");
    let head = format!("name: keep escapes\nobjective: {}\n\n", objective());
    let text = format!("{head}{}", message("observe"));
    fs::write(world.path("../message"), text).expect("it can be written");
    world.agents_shell(
        "git-seed phase advance --multiplier 3 -F ../message & pid=$!; n=0; while [ ! -e \
         ../at-it ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n + 1)); done; kill -9 $pid",
        "",
    );
    assert!(world.path("../at-it").exists(), "git had come to the hook");
    world.sh("sleep 1.5");
    let status = world.json("status");
    assert_eq!(
        (&status["phase"], &status["job"]["name"]),
        (&json!("plan"), &json!("keep escapes"))
    );
    assert_eq!(world.json("job show")["objective"], objective().trim());
    assert!(!world.git("log -1 --format=%B").contains("name: keep"), "the head is no message");
}

#[cfg(target_os = "linux")]
#[test]
fn a_commit_that_outlives_the_killed_program_is_the_steps_own() {
    for finisher in ["status", "phase advance -F -"] {
        let world = slow();
        world.works("execute");
        let head = world.git("rev-parse HEAD");
        // The pre-commit hook says when git is at it; then only git seed is killed.
        world.puts(".git/hooks/pre-commit", "#!/bin/sh\ntouch ../at-it\nsleep 1\n");
        fs::write(world.path("../message"), message("execute")).expect("it can be written");
        world.agents_shell(
            "git-seed phase advance -F ../message & pid=$!; n=0; while [ ! -e ../at-it ] && [ $n \
             -lt 500 ]; do sleep 0.02; n=$((n + 1)); done; kill -9 $pid",
            "",
        );
        assert!(world.path("../at-it").exists(), "git had come to the hook");
        let said = world.seed(finisher).stdin(&message("execute")).said();
        world.sh("sleep 1.5");
        for _ in 0..2 {
            if world.phase() == "execute" {
                world.seed("phase advance -F -").stdin(&message("execute")).said();
            }
        }
        assert_eq!(world.phase(), "verify", "{finisher}");
        assert_eq!(world.git("rev-parse HEAD~1"), head, "{finisher}: one commit for the step");
        let log = world.json("log");
        let step = &log.as_array().expect("a list")[0];
        assert_eq!(
            step["commit"].as_str(),
            Some(world.git("rev-parse HEAD").as_str()),
            "{finisher}: {step} {said:?}"
        );
    }
}

/// A boundary of which only git seed is killed, while the person's own hook runs, and which git
/// commits all the same; `meanwhile` is what that hook does besides. What `git status` said before.
#[cfg(target_os = "linux")]
fn killed_in_the_persons_hook(meanwhile: &str) -> (World, String) {
    let world = slow();
    world.works("execute");
    world.writes("src/parser/new.rs", "fn new() {}\n").passes();
    world.tests();
    // Half of what the person does to a file of theirs is staged.
    world.sh("printf 'a\\nb\\nc\\nd\\n' > todo.txt && git add todo.txt && echo e >> todo.txt");
    let staged = world.git("ls-files -s todo.txt");
    world.puts(
        ".git/hooks/pre-commit",
        &format!("#!/bin/sh\n[ -e ../at-it ] && exit 0\ntouch ../at-it\nsleep 1\n{meanwhile}\n"),
    );
    fs::write(world.path("../message"), message("execute")).expect("it can be written");
    let before = world.git("rev-parse HEAD");
    world.agents_shell(
        "git-seed phase advance -F ../message & pid=$!; n=0; while [ ! -e ../at-it ] && [ $n -lt \
         500 ]; do sleep 0.02; n=$((n + 1)); done; kill -9 $pid",
        "",
    );
    for _ in 0..200 {
        if world.git("rev-parse HEAD") != before {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Git's own hooks behind the commit have ended, too.
    world.sh("sleep 1");
    assert_ne!(world.git("rev-parse HEAD"), before, "git has made the commit");
    (world, staged)
}

/// Nothing of the agent's is staged for deletion, and the half-staged file is as it was.
#[cfg(target_os = "linux")]
fn index_has_followed(world: &World, staged: &str) {
    assert_eq!(world.git("status --porcelain"), "MM todo.txt");
    assert_eq!(world.git("ls-files -s todo.txt"), staged);
}

#[cfg(target_os = "linux")]
#[test]
fn the_index_follows_a_commit_whose_maker_was_killed_in_the_persons_hook() {
    let (world, staged) = killed_in_the_persons_hook("");
    index_has_followed(&world, &staged);
    world.seed("status").succeeds();
    assert_eq!(world.phase(), "verify");
    index_has_followed(&world, &staged);
}

#[cfg(target_os = "linux")]
#[test]
fn an_index_that_another_git_held_follows_at_the_next_command() {
    let (world, staged) = killed_in_the_persons_hook("touch .git/index.lock");
    assert!(world.git("status --porcelain").contains("D  src/parser/new.rs"));
    world.seed("status").succeeds();
    world.sh("rm .git/index.lock");
    world.seed("status").succeeds();
    index_has_followed(&world, &staged);
    assert_eq!(world.sh("find .git/seed/behind -type f"), "");
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_staged_after_the_kill_stays_staged() {
    let (world, staged) = killed_in_the_persons_hook("touch .git/index.lock");
    world.sh("rm .git/index.lock && echo 'fn mine() {}' > src/parser/new.rs");
    world.git("add src/parser/new.rs");
    let mine = world.git("ls-files -s src/parser/new.rs");
    world.seed("status").said();
    assert_eq!(world.git("ls-files -s src/parser/new.rs"), mine);
    assert_eq!(world.git("ls-files -s todo.txt"), staged);
    assert_eq!(world.git("status --porcelain"), "M  src/parser/new.rs\nMM todo.txt");
}

#[cfg(target_os = "linux")]
#[test]
fn a_persons_next_commit_takes_no_file_of_a_killed_boundary_away() {
    for (commit, left) in [("commit -qm mine", " M todo.txt"), ("commit -qam mine", "")] {
        let (world, _) = killed_in_the_persons_hook("touch .git/index.lock");
        world.sh("rm .git/index.lock");
        world.git(commit);
        assert_eq!(world.files_of_head(), ["todo.txt"], "{commit}");
        world.seed("status").said();
        assert_eq!(world.git("status --porcelain"), left, "{commit}");
    }
}

#[test]
fn an_index_in_use_at_a_boundary_follows_later() {
    let world = slow();
    world.works("execute");
    world.sh("touch .git/index.lock");
    world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert_ne!(world.git("status --porcelain"), "", "it is behind");
    world.sh("rm .git/index.lock");
    world.seed("status").succeeds();
    assert_eq!(world.git("status --porcelain"), "");
}

#[test]
fn a_lock_that_a_killed_git_left_on_our_index_stops_nothing() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let index = world.sh("find .git/seed/index -type f | head -1");
    world.sh(&format!("touch {}.lock", index.trim()));
    world.runs("cargo test").passes();
    world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_lock_that_a_killed_git_seed_left_on_its_notes_stops_nothing() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.sh("touch -d '1 minute ago' .git/refs/notes/seed.lock");
    world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert_eq!(world.phase(), "verify");
    assert!(!world.git("notes --ref=seed show HEAD").is_empty(), "it has its note");
}

// ---- said twice

#[test]
fn an_event_that_comes_twice_does_nothing_twice() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let asked = world.asks(&completion()).passes();
    asked.answers("Approve completion");
    let job = world.json("job show");
    assert_eq!((&job["user_approval"], &job["status"]), (&json!(true), &json!("completed")));
    asked.answers("Approve completion").passes();
    let again = world.json("job show");
    assert_eq!((&again["user_approval"], &again["status"]), (&json!(true), &json!("completed")));
    world.leaves();
    asked.answers("Approve completion").passes();
    assert_eq!(world.phase(), "none");
}

#[test]
fn an_edit_that_is_told_twice_is_committed_once() {
    let world = World::seeded();
    world.to("execute");
    let (call, input) = (
        world.next_call(),
        json!({ "file_path": world.path(CODE), "old_string": "fn lex",
            "new_string": "pub fn lex" }),
    );
    world.before("Edit", &input, &call).passes();
    world.before("Edit", &input, &call).passes();
    fs::write(world.path(CODE), "pub fn lex() {}\n").expect("it can be written");
    let response = json!({ "filePath": world.path(CODE) });
    world.after("Edit", &input, &call, &response, 3);
    world.after("Edit", &input, &call, &response, 3);
    world.tests();
    world.notes("---Ex---", "looked ahead");
    world.leaves();
    assert_eq!(world.files_of_head(), [PAGE, CODE]);
    is_sound(&world);
}

#[test]
fn an_answer_opens_the_side_lane_once() {
    let world = World::seeded();
    world.to("execute");
    let words =
        "the build is broken by a generated file outside the declared directories ".repeat(10);
    let asked = world
        .asks(&question(
            &format!("[GMODE] fix the lexer: {words}"),
            &["Enter gmode", "Stay in phase"],
        ))
        .passes();
    asked.answers("Enter gmode");
    asked.answers("Enter gmode");
    assert_eq!(world.phase(), "gmode");
    world.person("gmode exit").succeeds();
    asked.answers("Enter gmode");
    assert_eq!(world.phase(), "execute", "an answer that was used is used up");
}

/// A payload of `host`, in its own words; ids that it does not give are not in it.
fn as_spelled(world: &World, host: &str, event: &str, fields: &Value) -> Value {
    let names: &[(&str, &str)] = match host {
        "gemini" => &[("tool_use_id", "")],
        "cursor" => &[("session_id", "conversation_id"), ("prompt_id", "generation_id")],
        "copilot" => &[
            ("session_id", "sessionId"),
            ("hook_event_name", ""),
            ("tool_name", "toolName"),
            ("tool_input", "toolArgs"),
            ("tool_response", "toolResult"),
            ("tool_use_id", ""),
        ],
        "vscode" => &[("session_id", "sessionId"), ("hook_event_name", "hookEventName")],
        "droid" => &[("prompt_id", "message_id"), ("tool_use_id", "")],
        _ => &[],
    };
    let mut payload = json!({ "session_id": SESSION, "cwd": world.repo(),
        "hook_event_name": event });
    for (key, value) in fields.as_object().expect("fields are an object") {
        payload[key] = value.clone();
    }
    let all = payload.as_object_mut().expect("an object");
    for (usual, own) in names {
        if let Some(value) = all.remove(*usual).filter(|_| !own.is_empty()) {
            all.insert((*own).to_owned(), value);
        }
    }
    payload
}

/// Two registrations of one host: each event comes twice at the same instant, from a line that
/// the team shares and from one of this clone's. It is answered twice alike and recorded once.
#[test]
fn an_event_that_comes_twice_is_recorded_once() {
    // (host, its prompt's event, before and after a tool, its stop, the tool that runs a line)
    for (host, prompt, before, after, stop, tool) in [
        ("claude", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Bash"),
        ("codex", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Bash"),
        ("gemini", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "run_shell_command"),
        (
            "opencode",
            "chat.message",
            "tool.execute.before",
            "tool.execute.after",
            "session.idle",
            "bash",
        ),
        ("cursor", "beforeSubmitPrompt", "preToolUse", "postToolUse", "stop", "Shell"),
        ("copilot", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop", "bash"),
        ("vscode", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "run_in_terminal"),
        ("droid", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Execute"),
    ] {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let twice = |event: &str, fields: serde_json::Value| {
            let payload = as_spelled(&world, host, event, &fields);
            fs::write(world.path("../twice.json"), payload.to_string()).expect("written");
            let line = format!("git-seed hook {host} {event} < ../twice.json");
            let script = format!("{line} >../one & {line} >../two & wait");
            fs::write(world.root().join("host.sh"), "eval \"$1\"\nexit 0\n").expect("written");
            world.agents_shell(&format!("sh ../host.sh '{script}'"), "");
            let read = |name: &str| fs::read_to_string(world.root().join(name)).expect("there");
            let (one, two) = (read("one"), read("two"));
            assert_eq!(one, two, "{host} {event}: both are answered alike");
            world.minute();
            one
        };
        let lower = ["cursor", "copilot"].contains(&host);
        let start = if lower { "sessionStart" } else { "SessionStart" };
        twice(start, json!({ "source": "startup" }));
        let told = twice(prompt, json!({ "prompt": "Fix the lexer", "prompt_id": "p1" }));
        // These two read nothing that is said to a prompt.
        assert_eq!(told.contains("a new job"), !lower, "{host}: {told}");
        let shown = world.json("job show");
        assert_eq!(shown["interactions"].as_array().map(Vec::len), Some(1), "{host}: {shown}");
        assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1), "{host}");
        // A prompt with the same words later is another one.
        twice(prompt, json!({ "prompt": "Fix the lexer", "prompt_id": "p2" }));
        let shown = world.json("job show");
        assert_eq!(shown["interactions"].as_array().map(Vec::len), Some(2), "{host}: {shown}");
        let call = |name: &str, line: &str, id: &str| {
            twice(
                name,
                json!({ "tool_name": tool, "tool_use_id": id, "call_id": id,
                    "tool_input": { "command": line }, "tool_response": { "stdout": "a" } }),
            )
        };
        let calls = || world.json("status")["cost"]["calls"].as_u64().expect("a number");
        let refusals = || world.json("status")["cost"]["refusals"].as_u64().expect("a number");
        let known = calls();
        call(before, "ls src", "t1");
        call(after, "ls src", "t1");
        assert_eq!(calls(), known + 1, "{host}");
        let known = refusals();
        let told = call(before, "echo x > src/parser/lex.rs", "t2");
        assert!(told.contains("BLOCKED"), "{host}: {told}");
        // Without an id of the host's the same call at once is the same call.
        assert_eq!(refusals(), known + 1, "{host}");
        // The work begins; the stop is held three times, and yields at the fourth.
        world.seed("phase advance").succeeds();
        for n in 1..=4 {
            let told = twice(stop, json!({ "stop_hook_active": n > 1 }));
            let held = told.contains("BLOCKED");
            assert_eq!(held, n < 4, "{host}: stop {n}: {told}");
        }
    }
}

#[test]
fn a_prompt_that_comes_twice_at_once_bears_one_job() {
    let world = World::seeded();
    payload(
        &world,
        "prompt",
        json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Fix the lexer",
            "prompt_id": "p1" }),
    );
    // The host's own shell line, twice: once from the user's settings, once from the project's.
    let script = "git-seed hook claude UserPromptSubmit < ../prompt.json";
    world.agents_shell(&format!("{script} & {script} & wait"), "");
    world.prompt("Fix the lexer");
    let jobs = world.json("job list");
    assert_eq!(jobs.as_array().map(Vec::len), Some(1), "{jobs}");
}
