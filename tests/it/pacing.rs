//! Pacing, as a session meets it: what is enough, what comes first, and what is never said.

#![expect(clippy::disallowed_macros, reason = "it prints what the shortest honest session took")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Did, PAGE, PHASES, Reply, World, completion, message, objective, page};

/// A world with more to read, and the files that `more` writes, all of it committed.
fn roomy(more: &[(&str, &str)]) -> World {
    let world = World::new();
    for n in 0..30 {
        world.puts(&file(n), "fn part() {}\n");
    }
    for (path, text) in more {
        world.puts(path, text);
    }
    world.git("add -A");
    world.git("commit -qm more");
    world.installed()
}

fn file(n: usize) -> String {
    format!("src/parser/part{n}.rs")
}

/// The job is in `phase` at this multiplier.
fn opened(world: &World, phase: &str, multiplier: &str) {
    world.enters(phase);
    world.seed(&format!("phase multiplier {multiplier}")).succeeds();
}

/// A boundary message that is long enough at every multiplier.
fn long_message(phase: &str) -> String {
    let sentence = "This was done with care, and here is the sentence that tells it.";
    message(phase).replace(sentence, &[sentence; 4].join(" "))
}

fn leaves(world: &World) {
    world.seed("phase advance -F -").stdin(&long_message(&world.phase())).succeeds();
}

/// The step forward is refused, in these words among others.
fn stays(world: &World, says: &str) -> String {
    let phase = world.phase();
    let text = long_message(&phase);
    world.changes_nothing(|| world.seed("phase advance -F -").stdin(&text).refuses(says))
}

fn searches(world: &World, pattern: &str) -> Did {
    world.tool(
        "Grep",
        &json!({ "pattern": pattern, "path": world.repo() }),
        || json!({ "numFiles": 1 }),
    )
}

fn named(world: &World) {
    let objective = objective().repeat(3);
    world.seed(&format!("job update --name 'fix the lexer' --objective '{objective}'")).succeeds();
}

/// A call of a subagent, whole.
fn sub(world: &World, tool: &str, input: &Value) -> Reply {
    let mut fields = json!({
        "tool_name": tool, "tool_input": input, "tool_use_id": world.next_call(),
        "agent_id": "a45b89ee0ce47fd7a", "agent_type": "observe-x",
    });
    let before = world.event("PreToolUse", &fields);
    if before.refusal().is_none() {
        fields["tool_response"] = json!({ "type": "text" });
        fields["duration_ms"] = json!(3);
        world.event("PostToolUse", &fields).passes();
    }
    before
}

// ---- what is enough

/// What a session did, told apart.
#[derive(Default)]
struct Taken {
    calls: usize,
    seed: usize,
    questions: usize,
    /// Calls of the phase, each of which is made once.
    phase: BTreeSet<String>,
    /// Code that ran, over the whole job.
    runs: BTreeSet<String>,
}

impl Taken {
    fn act(&mut self, what: &str, did: &Did) {
        did.passes();
        self.calls += 1;
        assert!(self.phase.insert(what.to_owned()), "twice in one phase: {what}");
    }

    fn run(&mut self, world: &World, line: &str) {
        assert!(self.runs.insert(line.to_owned()), "it ran before: {line}");
        self.act(line, &world.runs_and(line, || {}));
    }

    fn seed(&mut self, world: &World, arguments: &str) {
        let did = world.runs(&format!("git seed {arguments}"));
        did.passes();
        let said = did.said.expect("it ran");
        assert_eq!(said.code, 0, "{said:?}");
        (self.calls, self.seed) = (self.calls + 1, self.seed + 1);
    }

    fn opens(&mut self) {
        self.phase.clear();
    }

    /// The step forward; `head` stands above the message.
    fn leaves(&mut self, world: &World, from: &str, options: &str, head: &str) {
        assert_eq!(world.phase(), from);
        let message = message(from);
        self.seed(world, &format!("phase advance {options} -F - <<'END'\n{head}{message}END"));
    }
}

fn below(anchor: &str, text: &str) -> (String, String) {
    (format!("{anchor}\n"), format!("{anchor}\n\n{text}\n"))
}

#[test]
fn a_small_fix_takes_little_and_nothing_twice() {
    let world = World::seeded();
    let start = world.git("rev-parse HEAD");
    let mut taken = Taken::default();
    let note = |taken: &mut Taken, anchor: &str, text: &str| {
        let (old, new) = below(anchor, text);
        taken.act("page", &world.edits(PAGE, &old, &new));
    };
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    taken.seed(&world, "phase advance");

    taken.opens();
    taken.act("read code", &world.reads(CODE));
    let first = page("# parser\n")
        .replace("---Ob---", "---Ob---\n\nthe lexer drops escapes inside strings");
    taken.act("page", &world.writes(PAGE, &first));
    let head = format!("name: fix the lexer\nobjective: {}\n\n", objective());
    taken.leaves(&world, "observe", "--multiplier 3", &head);

    taken.opens();
    taken.act("read page", &world.reads(PAGE));
    note(&mut taken, "---Pl---", "contract: keep escapes, in this one line");
    taken.seed(&world, "plan set-plan-file false --multiplier 3");
    taken.leaves(&world, "plan", "", "");

    taken.opens();
    taken.seed(&world, "phase multiplier 3");
    taken.act("edit code", &world.edits(CODE, "fn lex() {", "fn lex() { escapes();"));
    taken.run(&world, "cargo run -- 'a quoted string'");
    note(&mut taken, "---Ex---", "looked ahead one character");
    taken.leaves(&world, "execute", "", "");

    taken.opens();
    taken.run(&world, "cargo test");
    note(&mut taken, "---Ve---", "ran it on a quoted string: escapes survive");
    taken.leaves(&world, "verify", "--multiplier 3", "");

    taken.opens();
    taken.act("read page", &world.reads(PAGE));
    taken.seed(&world, "condense archive --multiplier 3");
    taken.act("page", &world.writes(PAGE, &page("Escapes need one character of lookahead.\n")));
    let asked = world.asks(&completion()).passes();
    asked.answers("Approve completion");
    (taken.calls, taken.questions) = (taken.calls + 1, taken.questions + 1);
    let cost = world.json("status")["cost"].clone();
    taken.leaves(&world, "condense", "", "");

    assert_eq!(world.phase(), "none", "it is done");
    assert_eq!(cost["refusals"], 0, "every boundary passed at once");
    assert_eq!(cost["commits"], 4, "{cost}");
    // The first step and the prompt came before the cycle began to count; the last step comes
    // after.
    let calls = cost["calls"].as_u64().expect("a number");
    assert!(calls.abs_diff(taken.calls as u64) <= 2, "{cost}, not {}", taken.calls);
    let commits = world.git(&format!("rev-list --count {start}..HEAD"));
    let files = world.git(&format!("diff --name-only {start} HEAD"));
    assert_eq!(commits, "5");
    let (log, kept): (Vec<_>, Vec<_>) =
        files.lines().partition(|file| file.starts_with(".claude/jobs/"));
    assert_eq!((log.len(), kept), (3, vec![PAGE, CODE]), "{files}");
    println!(
        "one-line fix on opevc: {} agent calls, {} of them git seed, {} injected words, {} \
         question, {commits} commits, {} files",
        taken.calls,
        taken.seed,
        cost["words"],
        taken.questions,
        files.lines().count()
    );
}

#[test]
fn a_large_stay_wants_more_of_the_same_work_and_gets_through_with_it() {
    let world = roomy(&[]);
    opened(&world, "observe", "0.5");
    world.reads(CODE).passes();
    world.notes("---Ob---", "the lexer drops escapes");
    named(&world);
    let said = stays(&world, "observe has not looked at enough");
    assert!(said.contains("read or search what else the job affects"), "{said}");
    assert!(!said.contains(|c: char| c.is_ascii_digit()), "no figures: {said}");
    // What a person is told, and an agent is not.
    let facts = &world.json("why --last 1")[0]["facts"];
    for (fact, value) in [
        ("acts", "page 1, read 1"),
        ("met", "objective archive deflation"),
        ("multiplier", "0.5"),
        ("worth", "17.0 of 100"),
    ] {
        assert_eq!(facts[fact], value, "{facts}");
    }
    // Whoever only wants to know what to do reads no raw facts.
    let why = world.person("why --last 1").succeeds();
    assert!(why.contains("do: ") && !why.contains("acts=") && !why.contains("worth"), "{why}");
    let why = world.seed("why --last 1").succeeds();
    assert!(
        why.contains("not looked at enough") && !why.contains("acts=") && !why.contains("worth"),
        "{why}"
    );
    world.seed("why --json").refuses("BLOCKED");

    for round in 0..7 {
        world.launches("explorer");
        for n in 0..3 {
            world.reads(&file(round * 3 + n)).passes();
        }
        world.notes("---Ob---", &format!("part {round} does not look ahead"));
    }
    leaves(&world);
    assert_eq!(world.phase(), "plan");
}

#[test]
fn a_run_that_fails_may_be_written_down_and_proves_nothing() {
    let world = World::seeded();
    opened(&world, "execute", "3");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let fails = |world: &World| {
        let mut fields = json!({
            "tool_name": "Bash", "tool_input": { "command": "cargo test" },
            "tool_use_id": world.next_call(),
        });
        world.event("PreToolUse", &fields).passes();
        fields["error"] = json!("Exit code 101\ntest result: FAILED");
        world.event("PostToolUseFailure", &fields).passes();
    };
    fails(&world);
    world.notes("---Ex---", "the first try fails");
    stays(&world, "no run has succeeded since the last change");
    world.tests();
    leaves(&world);
    world.opens();
    fails(&world);
    world.notes("---Ve---", "now and then it fails");
    stays(&world, "no run has succeeded");
}

#[test]
fn where_only_words_changed_a_look_is_the_proof_that_a_phase_asks_for() {
    let world = World::seeded();
    opened(&world, "execute", "2");
    let guide = "src/parser/guide.md";
    world.writes(guide, "# Guide\n\nEscapes survive.\n").passes();
    world.notes("---Ex---", "the guide is written");
    stays(&world, "nothing has looked at src/parser/guide.md since it changed");
    world.runs("grep -n survive src/parser/guide.md").passes();
    world.reads(CODE).passes();
    // A note about it changes nothing of it.
    world.notes("---Ex---", "the guide says that escapes survive");
    let missing = world.json("status")["missing"].to_string();
    assert!(!missing.contains("nothing has looked"), "{missing}");
    // What was seen before the change shows nothing of it.
    let world = World::seeded();
    opened(&world, "execute", "2");
    world.writes(guide, "# Guide\n\nEscapes survive.\n").passes();
    world.runs("cat src/parser/guide.md").passes();
    world.edits(guide, "survive", "do survive").passes();
    world.notes("---Ex---", "the guide is written");
    stays(&world, "nothing has looked at src/parser/guide.md since it changed");
    // In verify no more runs are asked for where only words changed.
    let world = World::seeded();
    opened(&world, "execute", "3");
    world.writes(guide, "# Guide\n\nEscapes survive.\n").passes();
    world.runs("grep -n survive src/parser/guide.md").passes();
    world.notes("---Ex---", "the guide is written");
    world.checkpoint("the guide says that escapes survive").succeeds();
    leaves(&world);
    world.seed("phase multiplier 1").succeeds();
    world.runs("grep -n survive src/parser/guide.md").passes();
    world.notes("---Ve---", "it says so");
    let said = stays(&world, "the work is not looked at enough yet");
    assert!(!said.contains("run more tests"), "{said}");
}

#[test]
fn a_checkpoint_is_asked_for_where_there_is_something_to_commit() {
    let world = World::seeded();
    opened(&world, "execute", "2");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.notes("---Ex---", "looked ahead one character");
    stays(&world, "git seed phase checkpoint");
    world.checkpoint("escapes survive").succeeds();
    // In a stay that is not small, work that is demanded anyway is not most of it.
    stays(&world, "too little of the plan");
    world.edits(CODE, "escapes();", "escapes(); more();").passes();
    world.notes("---Ex---", "and once more");
    world.tests();
    leaves(&world);
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_multiplier_that_was_far_off_is_answered_for() {
    let world = roomy(&[]);
    opened(&world, "observe", "3");
    for n in 0..36 {
        world.reads(&file(n % 30)).passes();
        if n % 6 == 5 {
            world.notes("---Ob---", &format!("part {n} does not look ahead"));
        }
    }
    named(&world);
    let said = stays(&world, "took far more work than its multiplier said");
    assert!(said.contains("## What I Misjudged") && tells(&said).is_none(), "{said}");
    let answer = "the parts were nine and not one, which a listing of the directory would have \
                  shown before anything was said of how small the work is";
    let message = format!("{}\n## What I Misjudged\n{answer}\n", long_message("observe"));
    world.seed("phase advance -F -").stdin(&message).succeeds();
    assert_eq!(world.phase(), "plan");
}

// ---- steps back

#[test]
fn what_was_done_in_a_stay_counts_on_when_it_is_entered_again() {
    let world = World::seeded();
    opened(&world, "verify", "2");
    world.tests();
    world.notes("---Ve---", "ran it");
    stays(&world, "the work is not tested enough");
    world.seed("phase back execute -m 'one more case fails'").succeeds();
    // Entered backwards: one update of the page and the message are all it takes.
    world.seed("phase multiplier 0.5").succeeds();
    stays(&world, "---Ex---");
    world.edits(PAGE, "looked ahead one character", "looked ahead two characters").passes();
    leaves(&world);
    assert_eq!(world.phase(), "verify");
    assert_eq!(world.json("phase current")["entry"]["multiplier"], 2.0, "the stay goes on");
    world.tests();
    world.notes("---Ve---", "ran it again");
    leaves(&world);
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_stay_that_was_left_for_the_plan_keeps_its_acts() {
    let world = World::seeded();
    opened(&world, "execute", "2");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.notes("---Ex---", "looked ahead one character");
    stays(&world, "BLOCKED");
    world.seed("phase back plan -m 'the contract lacks a case'").succeeds();
    world.seed("phase multiplier 0.5").succeeds();
    stays(&world, "---Pl---");
    world.edits(PAGE, "contract: keep escapes", "contract: keep all escapes").passes();
    leaves(&world);
    assert_eq!(world.phase(), "execute");
    world.edits(CODE, "escapes();", "all_escapes();").passes();
    world.tests();
    world.notes("---Ex---", "and the other case");
    leaves(&world);
    assert_eq!(world.phase(), "verify");
}

// ---- what comes first

#[test]
fn looking_comes_before_writing() {
    for phase in PHASES {
        let world = World::seeded();
        world.to(phase);
        let text = page("# parser\n");
        let did = match phase {
            "observe" | "condense" => world.writes(PAGE, &text),
            _ => world.edits(PAGE, "---Ve---\n", "---Ve---\n\nfrom memory\n"),
        };
        // What the cycle has seen counts for the contract, and for what is settled at its end.
        if matches!(phase, "plan" | "condense") {
            let no = did.before.refusal().unwrap_or_default();
            assert!(!no.contains("read something new"), "{phase}: {no}");
            continue;
        }
        did.refuses("read something new");
        if phase == "observe" {
            world.reads(CODE).passes();
            world.writes(PAGE, &text.replace("---Ob---", "---Ob---\n\nseen")).passes();
        }
    }
}

#[test]
fn what_was_seen_in_talk_counts_before_the_first_page() {
    for looks in [true, false] {
        let world = World::seeded();
        world.prompt("Fix the lexer: quoted strings lose their escapes");
        if looks {
            world.reads(CODE).passes();
        }
        world.seed("phase advance").succeeds();
        let did = world.writes(PAGE, &page("# parser\n").replace("---Ob---", "---Ob---\n\nseen"));
        if looks {
            did.passes();
        } else {
            did.refuses("read something new");
        }
    }
}

#[test]
fn every_command_brings_the_multiplier_along_once() {
    let world = World::seeded();
    world.enters("plan");
    world.seed("status --multiplier 7").ends(64, "0.5");
    world.seed("note list --multiplier=2").succeeds();
    assert_eq!(world.json("phase current")["entry"]["multiplier"], 2.0);
    let line = "plan set-plan-file false --multiplier";
    world.changes_nothing(|| world.seed(&format!("{line} 3")).refuses("without --multiplier"));
    // What was refused, for instance, is given again as it was.
    world.seed(&format!("{line} 2")).succeeds();
    let world = World::seeded();
    world.enters("verify");
    world.agents_shell("git-seed exec --multiplier 3 -- true", "");
    assert_eq!(world.json("phase current")["entry"]["multiplier"], 3.0, "before what it runs");
    // A subagent sets none, by whatever command.
    let world = World::seeded();
    world.enters("execute");
    let line = json!({ "command": "git seed status --multiplier 3", "description": "x" });
    world
        .event(
            "PreToolUse",
            &json!({ "tool_name": "Bash", "tool_input": line, "tool_use_id": "sub",
                "agent_id": "a1", "agent_type": "general" }),
        )
        .refuses("subagent");
}

#[test]
fn a_subagent_hears_where_it_works() {
    let world = World::seeded();
    world.to("execute");
    let told = world.event("SubagentStart", &json!({ "agent_id": "a", "agent_type": "execute-a" }));
    let text = told.context().expect("a text").to_owned();
    for piece in ["execute · cycle 1", "You are a subagent", "Declared: src/parser", "keep escapes"]
    {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    assert!(text.chars().count() <= 600, "{text}");
}

#[test]
fn what_was_seen_is_written_down_before_more_is_looked_at() {
    let world = World::seeded();
    world.to("observe");
    let passed = (0..40)
        .take_while(|n| searches(&world, &format!("lex{n}")).before.refusal().is_none())
        .count();
    assert!((5..40).contains(&passed), "{passed}");
    searches(&world, "one more").refuses("you have seen much since you last wrote");
    world.reads(CODE).refuses("below ---Ob---");
    // Pages can always be read: an edit may want it first. And git seed's own words are no act.
    world.reads("CLAUDE.md").passes();
    world.runs("git seed status").passes();
    world.notes("---Ob---", "searched for every token");
    searches(&world, "one more").passes();
}

#[test]
fn so_much_is_changed_by_hand_and_the_rest_is_delegated() {
    let world = roomy(&[]);
    spends(&world);
    renames(&world, 5).refuses("Do: launch execute-contractor for it.");
    // Those that init brought are no roster of the repository's: any subagent counts.
    world.launches("general-purpose");
    renames(&world, 5).passes();
}

#[test]
fn reading_takes_from_no_balance() {
    let world = roomy(&[]);
    world.to("observe");
    for n in 0..8 {
        world.reads(&file(n)).passes();
    }
}

/// The main session changes as many files as its balance allows, and launches somebody.
fn spends(world: &World) {
    opened(world, "execute", "1");
    for n in 0..5 {
        world.reads(&file(n)).passes();
        world.notes("---Ex---", &format!("part {n} is renamed"));
        renames(world, n).passes();
    }
}

fn renames(world: &World, n: usize) -> Did {
    world.edits(&file(n), "fn part() {}", "fn piece() {}")
}

#[test]
fn what_init_brought_is_named_only_where_it_is_there() {
    let world = roomy(&[]);
    std::fs::remove_file(world.path(".claude/agents/execute-contractor.md")).expect("it was there");
    spends(&world);
    renames(&world, 5).refuses("Do: launch a subagent for it, one made for execute");
}

#[test]
fn a_definition_that_init_brought_counts_once_it_is_committed() {
    // Changed, it is still not the repository's: whoever changes it switches nothing on or off.
    let world = roomy(&[]);
    world.puts(".claude/agents/execute-contractor.md", "---\nname: execute-contractor\n---\nx\n");
    spends(&world);
    world.launches("general-purpose");
    renames(&world, 5).passes();
    let world = roomy(&[]);
    world.adopts("execute-contractor");
    spends(&world);
    world.launches("general-purpose");
    renames(&world, 5).refuses("launch execute-contractor");
    world.launches("execute-contractor");
    renames(&world, 5).passes();
}

#[test]
fn where_the_phase_has_its_own_subagents_they_are_the_ones_that_count() {
    let world = roomy(&[(".claude/agents/execute-x.md", "---\nname: execute-x\n---\nDo.\n")]);
    spends(&world);
    world.launches("general-purpose");
    renames(&world, 5).refuses("launch execute-contractor");
    world.launches("execute-x");
    renames(&world, 5).passes();
}

#[test]
fn what_a_phase_does_not_spend_is_free_of_the_balance() {
    let world = roomy(&[]);
    world.to("execute");
    for n in 0..6 {
        world.reads(&file(n)).passes();
    }
    world.edits(CODE, "fn lex", "pub fn lex").passes();
}

#[test]
fn a_third_subagent_waits_until_one_of_two_is_back() {
    let world = World::seeded();
    world.to("execute");
    let launch = |call: &str| {
        let input = json!({ "subagent_type": "execute-a", "description": "x", "prompt": "Build." });
        (world.before("Agent", &input, call), input)
    };
    let lands = |call: &str, input: &Value, response: Value| {
        world.after("Agent", input, call, &response, 9).passes();
    };
    let about = |name: &str, id: &str| {
        world.event(
            name,
            &json!({ "agent_id": id, "agent_type": "execute-a", "stop_hook_active": false }),
        )
    };
    let (first, input) = launch("call-1");
    first.passes();
    lands(
        "call-1",
        &input,
        json!({ "isAsync": true, "status": "async_launched", "agentId": "run-1" }),
    );
    about("SubagentStart", "run-1").passes();
    launch("call-2").0.passes();
    let crowded = "enough subagents are running";
    launch("call-3").0.refuses(crowded);
    about("SubagentStop", "run-1").passes();
    launch("call-4").0.passes();
    launch("call-5").0.refuses(crowded);
    // In the foreground it is back when its call is.
    lands("call-2", &input, json!({ "status": "completed", "content": [] }));
    launch("call-6").0.passes();
}

#[test]
fn a_subagents_own_calls_neither_count_nor_are_paced() {
    let world = roomy(&[]);
    world.to("observe");
    for n in 0..30 {
        sub(&world, "Read", &json!({ "file_path": world.path(&file(n)) })).passes();
    }
    let early = page("# parser\n").replace("---Ob---", "---Ob---\n\nseen by somebody else");
    world.writes(PAGE, &early).refuses("read something new before you edit src/parser/CLAUDE.md.");
    let input = json!({ "file_path": world.path("src/CLAUDE.md"), "content": page("# src\n") });
    sub(&world, "Write", &input).passes();
    for n in 0..5 {
        world.reads(&file(n)).passes();
    }
    world.writes(PAGE, &early).passes();
}

// ---- the other profile

/// A world whose person wants no multiplier.
fn in_rhythm() -> World {
    let world = roomy(&[("seed.toml", "[pacing]\nprofile = \"rhythm\"\n")]);
    world.person("rules apply").succeeds();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    world.seed("phase advance").succeeds();
    world
}

const SEEN: &str = "what was noted follows from what was read, the callers were looked at too, \
    and nothing else in this directory depends on how escapes are kept";

#[test]
fn in_rhythm_nobody_is_asked_for_a_multiplier_and_reflection_opens_the_exit() {
    let world = in_rhythm();
    world.reads(CODE).passes();
    let first = page("# parser\n").replace("---Ob---", "---Ob---\n\nthe lexer drops escapes");
    world.writes(PAGE, &first).refuses("read something new");
    searches(&world, "escape").passes();
    searches(&world, "quote").passes();
    world.writes(PAGE, &first).passes();
    named(&world);

    let reflect = |lens: &str| world.seed(&format!("reflect {lens} -m '{SEEN}'")).succeeds();
    stays(&world, "git seed reflect quality-self-assessment");
    world.seed("reflect quality-self-assessment -m 'all good'").refuses("too short");
    world.seed("reflect nonesuch -m 'x'").ends(64, "assumptions");
    reflect("quality-self-assessment");
    stays(&world, "git seed reflect voice-update-scan");
    reflect("voice-update-scan");
    let mut further = 0;
    for lens in ["assumptions", "blind-spots", "sources", "scope"] {
        let said =
            world.seed("phase advance -F -").stdin(&long_message("observe")).refuses("BLOCKED");
        if !said.contains("through another lens") {
            break;
        }
        further += 1;
        reflect(lens);
    }
    assert!((1..=3).contains(&further), "{further}");
    stays(&world, "observe-blindspot-finder");
    world.launches("observe-blindspot-finder");
    leaves(&world);
    assert_eq!(world.phase(), "plan");
}

#[test]
fn in_rhythm_each_kind_of_act_has_its_ceiling() {
    let world = in_rhythm();
    for n in 0..12 {
        searches(&world, &format!("lex{n}")).passes();
    }
    searches(&world, "one more").refuses("you have seen much");
    world.notes("---Ob---", "searched for every token");
    searches(&world, "one more").passes();
}

#[test]
fn in_rhythm_a_stay_entered_backwards_reflects_through_two_lenses() {
    let world = in_rhythm();
    searches(&world, "escape").passes();
    searches(&world, "quote").passes();
    searches(&world, "string").passes();
    world.notes("---Ob---", "the lexer drops escapes");
    named(&world);
    let through = |lenses: &[&str]| {
        for lens in lenses {
            world.seed(&format!("reflect {lens} -m '{SEEN}'")).succeeds();
        }
    };
    through(&[
        "quality-self-assessment",
        "voice-update-scan",
        "assumptions",
        "blind-spots",
        "sources",
    ]);
    through(&["observe-blindspot-finder"]);
    leaves(&world);
    world.seed("phase back observe -m 'a caller was missed'").succeeds();
    world.edits(PAGE, "drops escapes", "drops all escapes").passes();
    stays(&world, "quality-self-assessment");
    through(&["quality-self-assessment", "voice-update-scan"]);
    leaves(&world);
    assert_eq!(world.phase(), "plan");
}

// ---- what is never said

const UNSAID: [&str; 10] = [
    "points",
    "score",
    "scores",
    "threshold",
    "budget",
    "quota",
    "worth",
    "balance",
    "drawn",
    "dice",
];

/// A word of the arithmetic in `text`, if there is one.
fn tells(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphabetic());
    words.find(|word| UNSAID.contains(word)).map(str::to_owned)
}

#[expect(clippy::too_many_lines, reason = "one session, read to its end")]
#[test]
fn an_agent_never_hears_of_the_arithmetic() {
    let world = roomy(&[(".claude/agents/observe-x.md", "---\nname: observe-x\n---\nLook.\n")]);
    let mut refused: Vec<String> = Vec::new();
    let mut no = |did: &Reply, says: &str| {
        did.refuses(says);
        refused.push(did.refusal().unwrap_or_default().to_owned());
    };
    // observe: too early, too much by hand, too much at once
    opened(&world, "observe", "2");
    no(&world.writes(PAGE, &page("# parser\n\n")).before, "read something new");
    for n in 0..9 {
        world.reads(&file(n)).passes();
    }
    no(&searches(&world, "lex").before, "you have seen much");
    world.notes("---Ob---", "the lexer drops escapes");
    named(&world);
    leaves(&world);
    // plan
    opened(&world, "plan", "1");
    world.reads(PAGE).passes();
    world.edits(PAGE, "---Pl---\n", "---Pl---\n\ncontract: keep escapes\n").passes();
    world.seed("plan set-plan-file false").succeeds();
    let mut gates = vec![stays(&world, "does not say enough")];
    for n in 0..6 {
        world.reads(PAGE).passes();
        world.edits(PAGE, "keep escapes", &format!("keep escapes, case {n}")).passes();
    }
    leaves(&world);
    // execute: no proof, no checkpoint, too little, too much by hand, too many subagents
    opened(&world, "execute", "1");
    let launch = |call: &str| {
        world.before("Agent", &json!({ "subagent_type": "execute-a", "prompt": "Build." }), call)
    };
    launch("a").passes();
    launch("b").passes();
    no(&launch("c"), "enough subagents");
    world.event("Stop", &json!({ "stop_hook_active": false, "background_tasks": [] }));
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.reads(CODE).passes();
    world.notes("---Ex---", "looked ahead one character");
    gates.push(stays(&world, "no run has succeeded"));
    world.tests();
    gates.push(stays(&world, "git seed phase checkpoint"));
    world.checkpoint("escapes survive").succeeds();
    gates.push(stays(&world, "too little of the plan"));
    for n in 0..4 {
        world.edits(CODE, "escapes();", &format!("escapes(); step{n}();")).passes();
        world.tests();
        world.notes("---Ex---", &format!("step {n}"));
    }
    no(&world.edits(CODE, "escapes();", "escapes(); more();").before, "launch execute-contractor");
    leaves(&world);
    // verify
    opened(&world, "verify", "1");
    world.tests();
    world.notes("---Ve---", "it holds");
    gates.push(stays(&world, "not tested enough"));
    for n in 0..5 {
        world.tests();
        world.notes("---Ve---", &format!("it holds in case {n}"));
    }
    leaves(&world);
    // condense
    opened(&world, "condense", "1");
    let lost = "no session log holds it";
    world.writes(PAGE, &page("Escapes need lookahead.\n")).refuses(lost);
    world.reads(PAGE).passes();
    world.seed("condense archive").succeeds();
    world.writes(PAGE, &page("Escapes need lookahead.\n")).passes();
    gates.push(stays(&world, "memory is not worked through"));
    for command in [
        "git seed status",
        "git seed status --json",
        "git seed why --last 50",
        "git seed why --json",
        "git seed phase current",
        "git seed phase current --json",
        "git seed phase list --json",
        "git seed job show --json",
        "git seed log -n 100",
        "git seed condense status",
        "git seed condense status --json",
        "git seed --help",
        "git seed reflect --help",
        "git seed phase --help",
        "git seed rules show",
        "git seed rules show --json",
        "git log --notes='*' --format='%B%N'",
    ] {
        world.agents_shell(command, "");
    }

    for text in world.shown() {
        assert_eq!(tells(&text), None, "{text}");
    }
    let man = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    // The page on rules is for the person who writes them.
    let for_agents = |entry: &fs::DirEntry| entry.file_name() != "git-seed-rules.5";
    for entry in fs::read_dir(man).expect("the manual is there").flatten().filter(for_agents) {
        let text = fs::read_to_string(entry.path()).expect("a page");
        assert_eq!(tells(&text), None, "{}", entry.path().display());
    }
    for text in refused.iter().chain(&gates) {
        // Names of files may hold any figure.
        let bare = text.replace("part5.rs", "");
        assert!(!bare.contains(|c: char| c.is_ascii_digit()), "no figures: {text}");
    }
    // A person sees what an agent does not.
    let rows = world.json("why --last 50");
    let paced = |row: &Value| row["by"] == "pace" && row["facts"]["worth"].is_string();
    assert_eq!(
        rows.as_array().expect("rows").iter().filter(|row| paced(row)).count(),
        gates.len(),
        "{rows}"
    );
}

#[test]
fn a_page_that_is_written_as_it_was_is_no_update() {
    let world = World::seeded();
    world.to("plan");
    world.reads(PAGE).passes();
    let same = world.text(PAGE);
    world.writes(PAGE, &same).passes();
    world.seed("plan set-plan-file false").succeeds();
    world.seed("phase advance -F -").stdin(&super::world::message("plan")).refuses("---Pl---");
}
