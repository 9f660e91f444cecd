//! Nights: jobs that wait are worked on one after the other while nobody is there, and rest until
//! a person approves them.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, World};

/// A host, and its names of a prompt, of the events before and after a tool, of a stop, and of the
/// tool that runs a line.
const HOSTS: [[&str; 6]; 3] = [
    ["claude", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Bash"],
    ["codex", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Bash"],
    ["gemini", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "run_shell_command"],
];

pub(super) struct Night {
    pub(super) world: World,
    names: [&'static str; 6],
}

impl Night {
    /// Finished jobs rest here, and the way is short.
    fn at(names: [&'static str; 6]) -> Self {
        let world = World::new();
        world.person(&format!("init --host {}", names[0])).succeeds();
        world.puts("seed.toml", "track = \"quick\"\napproval = \"defer\"\n");
        world.person("rules apply").succeeds();
        std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
        world.hears(names[0], "SessionStart", &json!({ "source": "startup" }));
        Self { world, names }
    }

    pub(super) fn of_claude() -> Self {
        Self::at(HOSTS[0])
    }

    fn next(&self) -> String {
        self.world.json("status")["next"].as_str().expect("a next").to_owned()
    }

    fn awaiting(&self) -> usize {
        self.world.json("status")["awaiting"].as_array().map_or(0, Vec::len)
    }

    fn stops(&self) -> Option<String> {
        let reply = self.world.hears(
            self.names[0],
            self.names[4],
            &json!({
            "stop_hook_active": false, "last_assistant_message": "All done." }),
        );
        reply.refusal().map(str::to_owned)
    }

    /// The agent runs a line in the host's own shell tool.
    fn runs(&self, line: &str) -> String {
        let [host, _, before, after, _, tool] = self.names;
        let call = self.world.next_call();
        let mut fields = json!({ "tool_name": tool, "tool_use_id": call,
            "tool_input": { "command": line } });
        let reply = self.world.hears(host, before, &fields);
        assert_eq!(reply.refusal(), None, "{host}: {line}");
        let said = self.world.agents_shell(line, "");
        fields["tool_response"] = match host {
            "claude" => json!({ "stdout": said.out, "stderr": said.err, "interrupted": false }),
            "codex" => json!(format!("{}{}", said.out, said.err)),
            _ => json!({ "llmContent": format!("{}{}", said.out, said.err) }),
        };
        fields["duration_ms"] = json!(40);
        self.world.hears(host, after, &fields);
        format!("{}{}", said.out, said.err)
    }

    /// One job as the agent does it: each `next` of the way, and the work between.
    pub(super) fn works(&self, n: usize) -> usize {
        let before = self.awaiting();
        for turn in 0..12 {
            if self.awaiting() > before {
                return turn;
            }
            let next = self.next();
            let line = if next.contains("git seed phase advance") && self.world.phase() == "idle" {
                "git seed phase advance".to_owned()
            } else if self.world.phase() == "observe" {
                self.runs(&format!("cat {CODE}"));
                format!("git seed phase advance --scope src/parser -m 'part {n} of the lexer'")
            } else if self.world.phase() == "condense" {
                assert!(next.contains("git seed phase advance"), "{next}");
                // Nobody can be asked, so nobody is told to ask.
                let kept = self.stops().expect("its cycle is open");
                let why = ["this host cannot ask: the person approves", "without a question"];
                assert!(why.iter().any(|why| kept.contains(why)), "{kept}");
                assert!(!kept.contains("JOB-COMPLETE"), "{kept}");
                format!("git seed phase advance -m 'part {n} is done'")
            } else {
                self.runs(&format!("echo 'fn part_{n}() {{}}' >> {CODE}"));
                self.runs("make test");
                format!("git seed phase advance -m 'part {n} is done'")
            };
            let said = self.runs(&line);
            assert!(!said.contains("BLOCKED"), "{}: {n}: {next}: {line}: {said}", self.names[0]);
        }
        panic!("{}: job {n} does not end: {}", self.names[0], self.next());
    }
}

impl Night {
    /// A job as far as the end of condense.
    fn works_until_condense(&self, n: usize) {
        self.runs("git seed phase advance");
        self.runs(&format!("cat {CODE}"));
        self.runs(&format!("git seed phase advance --scope src/parser -m 'part {n}'"));
        self.runs(&format!("echo 'fn part_{n}() {{}}' >> {CODE}"));
        self.runs("make test");
        self.runs(&format!("git seed phase advance -m 'part {n} is done'"));
        assert_eq!(self.world.phase(), "condense");
    }
}

fn ids(list: &Value) -> Vec<String> {
    let jobs = list.as_array().expect("a list");
    jobs.iter().map(|job| job["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_night_of_five_ends_with_five_that_await_you() {
    for names in HOSTS {
        let night = Night::at(names);
        let world = &night.world;
        world.puts("Makefile", "test:\n\t@echo ok\n");
        world.sh("git add -A && git commit -qm make");
        for n in 1..=5 {
            world.minute();
            world.person(&format!("job create 'part {n} of the lexer'")).succeeds();
        }
        let mut queue = ids(&world.json("job list"));
        queue.sort();
        world.person(&format!("job activate {}", queue[0])).succeeds();
        // What waits holds the turn before its first step, and no session's end takes it away.
        assert!(night.stops().is_some(), "{}: activated, and not begun", names[0]);
        world.hears(names[0], "SessionEnd", &json!({ "reason": "clear" }));
        world.hears(names[0], "SessionStart", &json!({ "source": "clear" }));
        assert_eq!(world.json("status")["job"]["id"], json!(queue[0]), "{}", names[0]);
        for n in 1..=5 {
            let name = format!("part {n} of the lexer");
            assert_eq!(world.json("status")["job"]["name"], json!(name), "{}", names[0]);
            assert!(night.stops().is_some(), "{}: job {n} is open", names[0]);
            night.works(n);
            assert_eq!(night.awaiting(), n, "{}", names[0]);
        }
        assert_eq!(night.stops(), None, "{}: the queue is empty", names[0]);
        // Of five nobody can say which one is meant; the last one is the one that is.
        let drops = || world.hears(names[0], names[1], &json!({ "prompt": "[DROP] not that" }));
        let told = drops();
        assert!(told.to_person().is_some_and(|told| told.contains("[DROP] <id>")), "{told:?}");
        assert_eq!(night.awaiting(), 5, "{}", names[0]);
        for id in &queue[1..] {
            world.person(&format!("job approve {id}")).succeeds();
        }
        let words = world.json("status")["words"].to_string();
        assert!(words.contains("\"[DROP]\""), "{words}");
        let told = drops();
        assert!(told.to_person().is_some_and(|told| told.contains("is dropped")), "{told:?}");
        assert_eq!(night.awaiting(), 0);
        world.person("verify").succeeds();
    }
}

/// Jobs that the agent made are worked on, too, so many in a row; more wait for the person.
#[test]
fn of_its_own_jobs_an_agent_works_on_so_many_as_the_rules_say() {
    let night = Night::at(HOSTS[0]);
    let world = &night.world;
    world.puts("Makefile", "test:\n\t@echo ok\n");
    world.sh("git add -A && git commit -qm make");
    world.hears("claude", "UserPromptSubmit", &json!({ "prompt": "Mend the lexer" }));
    night.works_until_condense(0);
    for n in 1..=5 {
        world.minute();
        night.runs(&format!("git seed job create 'own {n}'"));
    }
    night.runs("git seed phase advance -m 'it is mended'");
    for n in 1..=3 {
        assert_eq!(world.json("status")["job"]["name"], json!(format!("own {n}")));
        assert!(night.stops().is_some(), "own {n} is open");
        night.works(n);
    }
    assert_eq!(night.stops(), None, "three of its own are enough");
    let status = world.json("status");
    assert_eq!(status["queued"].as_array().map(Vec::len), Some(2), "{status}");
    world.person("status").tells("own 5");
    let told = world.hears("claude", "SessionStart", &json!({ "source": "startup" }));
    assert!(told.to_person().is_some_and(|told| told.contains("own 4")), "{told:?}");
    // A person takes it up, and then it is theirs.
    let id = status["queued"][0]["id"].as_str().expect("an id").to_owned();
    world.person(&format!("job activate {id}")).succeeds();
    night.works(4);
    assert_eq!(
        world.json("status")["job"]["name"],
        json!("own 5"),
        "a person spoke: it counts anew"
    );
}

/// A job that was made by a command is kept when a session ends before its first step; one that a
/// prompt bore is small talk.
#[test]
fn a_sessions_end_takes_small_talk_away_and_nothing_else() {
    for reason in ["clear", "logout", "other"] {
        let night = Night::at(HOSTS[0]);
        let world = &night.world;
        let ends = || world.hears("claude", "SessionEnd", &json!({ "reason": reason }));
        world.hears("claude", "UserPromptSubmit", &json!({ "prompt": "Mend the lexer" }));
        let talk = world.job();
        ends();
        assert_eq!(world.json(&format!("job show {talk}"))["status"], "voided", "{reason}");
        world.person("job create 'a queued one'").succeeds();
        let id =
            ids(&world.json("job list")).into_iter().find(|id| *id != talk).expect("it is there");
        for taken in ["job activate", "job focus"] {
            world.hears("claude", "SessionStart", &json!({ "source": "startup" }));
            world.person(&format!("{taken} {id}")).succeeds();
            world.hears("claude", "UserPromptSubmit", &json!({ "prompt": "go on with it" }));
            assert!(night.stops().is_some(), "{reason}: it is work");
            ends();
            assert_eq!(world.json(&format!("job show {id}"))["status"], "active", "{reason}");
        }
    }
}

/// No job is in focus then; what no commit has is named until a person takes it over, puts it back
/// or commits it, and before they approve the work.
#[test]
fn what_nobody_claims_is_named_while_the_job_awaits_you() {
    for end in ["approve", "accept", "restore", "commit"] {
        let night = Night::of_claude();
        let world = &night.world;
        world.puts("Makefile", "test:\n\t@echo ok\n");
        world.sh("git add -A && git commit -qm make");
        world.person("job create 'part 1 of the lexer'").succeeds();
        let id = ids(&world.json("job list")).remove(0);
        world.person(&format!("job activate {id}")).succeeds();
        night.works_until_condense(1);
        world.puts("todo.txt", "late\n");
        night.runs("git seed phase advance -m 'part 1 is done'");
        assert_eq!(night.awaiting(), 1);
        let unclaimed = || world.json("status")["fence"]["unclaimed"].clone();
        assert_eq!(unclaimed(), json!(["todo.txt"]));
        assert_eq!(world.json("fence status")["unclaimed"], json!(["todo.txt"]));
        let shown = || world.json(&format!("job show {id}"))["unclaimed"].clone();
        assert_eq!(shown()[0]["path"], json!("todo.txt"));
        world.seed("fence restore todo.txt").ends(2, "no job is focused");
        match end {
            "approve" => {
                world.person("job approve").tells("todo.txt changed, and no call accounts for it");
            }
            "commit" => drop(world.sh("git commit -qam mine")),
            _ => drop(world.person(&format!("fence {end} todo.txt")).succeeds()),
        }
        assert_eq!(unclaimed(), json!([]), "{end}");
        let late = std::fs::read_to_string(world.path("todo.txt")).expect("it is there");
        assert_eq!(late == "late\n", end != "restore");
        if end != "approve" {
            assert_eq!(shown(), Value::Null, "{end}");
            world.person("fence accept todo.txt").ends(2, "no job is focused");
            let told = world.person(&format!("job approve {id}")).succeeds();
            assert!(!told.contains("todo.txt"), "{told}");
        }
        world.person("verify").succeeds();
    }
}

/// What the person says of finished work where nobody is asked opens a small cycle of the same job;
/// where it wants no change the cycle closes as before.
#[test]
fn words_on_finished_work_are_worked_on_where_nobody_is_asked() {
    for names in HOSTS {
        let [host, prompt, ..] = names;
        for wants_more in [true, false] {
            let night = Night::at(names);
            let world = &night.world;
            world.puts("Makefile", "test:\n\t@echo ok\n");
            world.sh("git add -A && git commit -qm make");
            world.hears(host, prompt, &json!({ "prompt": "Mend the lexer" }));
            night.works_until_condense(1);
            assert!(!night.next().contains("--review"), "{host}: {}", night.next());
            let said = if wants_more { "no, call it value" } else { "fine, thanks" };
            let told = world.hears(host, prompt, &json!({ "prompt": said }));
            told.tells("git seed phase advance --review opens a small cycle");
            let kept = night.stops().expect("its cycle is open");
            for told in [night.next(), kept] {
                assert!(told.contains("git seed phase advance --review; if not"), "{told}");
                assert!(!told.contains("JOB-COMPLETE"), "{host}: {told}");
            }
            if wants_more {
                night.runs("git seed phase advance --review");
                assert_eq!(world.phase(), "execute", "{host}");
                assert_eq!(world.json("status")["job"]["name"], json!("Mend the lexer"));
                night.runs(&format!("echo 'fn value() {{}}' >> {CODE}"));
                night.runs("make test");
                night.runs("git seed phase advance -m 'it is called value'");
                assert!(!night.next().contains("--review"), "{host}: {}", night.next());
            }
            night.runs("git seed phase advance -m 'it is mended'");
            assert_eq!(night.awaiting(), 1, "{host}: {}", night.next());
            world.person("verify").succeeds();
        }
    }
}

/// On a host that cannot ask, the person hears what approves a finished job, and words that only
/// approve start no other one.
#[test]
fn a_person_who_cannot_be_asked_hears_what_approves() {
    let night = Night::at(HOSTS[1]);
    let world = &night.world;
    let [host, prompt, _, _, stop, _] = night.names;
    world.puts("Makefile", "test:\n\t@echo ok\n");
    world.sh("git add -A && git commit -qm make");
    world.hears(host, prompt, &json!({ "prompt": "Mend the lexer" }));
    night.works_until_condense(1);
    assert_eq!(world.json("condense status")["ask"], Value::Null);
    night.runs("git seed phase advance -m 'it is mended'");
    assert_eq!(night.awaiting(), 1);
    let ends = || {
        let said = json!({ "stop_hook_active": false, "last_assistant_message": "All done." });
        let reply = world.hears_at_a_terminal(host, stop, &said);
        reply.to_person().map(str::to_owned)
    };
    let told = ends().expect("a word to the person");
    assert!(told.contains("[APPROVE] at the start of a prompt"), "{told}");
    for words in ["looks good", "Approve completion", "approve", "I approve."] {
        let told = world.hears(host, prompt, &json!({ "prompt": words }));
        let person = told.to_person().unwrap_or_default();
        assert!(person.contains("approved nothing. [APPROVE]"), "{words}: {told:?}");
        assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1), "{words}");
        let again = ends().unwrap_or_default();
        assert!(!again.contains("[APPROVE] at the start"), "{words}: {again}");
    }
    world.person("job approve").succeeds();
    assert_eq!(night.awaiting(), 0);
}
