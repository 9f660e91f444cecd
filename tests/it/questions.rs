//! What the agent may put before the person, and what the literal answer does.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{PHASES, World, completion, question};

/// A hundred words and some.
fn words() -> String {
    "the build is broken by a generated file outside the declared directories ".repeat(10)
}

fn gmode() -> Value {
    question(&format!("[GMODE] fix the lexer: {}", words()), &["Enter gmode", "Stay in phase"])
}

fn waiting() -> Value {
    question("[WAITING] the staging host does not answer", &["It does now", "Go on without"])
}

fn access() -> Value {
    question("[JOB-APPROVE-PLUGIN] the hooks need a case", &["Approve plugin access", "Decline"])
}

fn creation() -> Value {
    let text = "[JOB-APPROVE-CREATION] mend the hooks\n\n## Proposed Objective\n\
                The hooks know it.\n\n## Plugins to Touch\nhooks\n\n## Why Now\nIt blocks.\n\n\
                ## Risk Surface\nSmall.\n";
    question(text, &["Approve job creation", "Redirect", "Reject"])
}

fn repeating(text: &str) -> Value {
    question(text, &["Hourly", "Daily", "Weekly", "Keep one-shot"])
}

#[test]
fn inside_a_job_every_question_is_registered() {
    for phase in PHASES.iter().chain(&["idle"]) {
        let world = World::seeded();
        if *phase == "idle" {
            world.to("observe");
            world.is_heard();
            world.seed("phase back idle -m 'not now'").succeeds();
        } else {
            world.to(phase);
        }
        let plain = question("Which colour?", &["red", "blue"]);
        world.asks(&plain).refuses("[WAITING]");
        world.asks(&waiting()).passes().answers("It does now");
        let both = json!({ "questions": [waiting(), plain] });
        world.before("AskUserQuestion", &both, &world.next_call()).refuses("[WAITING]");
        let none = json!({ "questions": [] });
        world.before("AskUserQuestion", &none, &world.next_call()).refuses("[WAITING]");
        let input = json!({ "questions": [waiting()], "answers": { "x": "It does now" } });
        world
            .before("AskUserQuestion", &input, &world.next_call())
            .refuses("without an answer in the call");
        let said = world.json("job show")["interactions"].to_string();
        assert!(said.contains("[WAITING]") && said.contains("It does now"), "{phase}: {said}");
    }
}

#[test]
fn before_the_first_step_any_words_may_be_asked_and_the_side_lane_may_open() {
    let world = World::prompted();
    world.asks(&question("Which colour?", &["red", "blue"])).passes().answers("red");
    let repeat = question("[REPEAT-JOB] every 2", &["Hourly", "Daily", "Weekly", "Keep one-shot"]);
    world.asks(&repeat).passes().answers("Daily").tells("does not count");
    assert_eq!(world.json("job show")["repeating_interval"].as_u64().unwrap_or_default(), 0);
    world.asks(&gmode()).passes().answers("Enter gmode");
    assert_eq!(world.phase(), "gmode", "the one tag that the row names does what it says");
}

#[test]
fn a_subagent_is_not_held_to_the_prefixes_and_its_answer_grants_nothing() {
    let world = World::seeded();
    world.to("execute");
    let input = json!({ "questions": [gmode()] });
    let call = world.next_call();
    let fields = |event: &Value| {
        let mut fields = json!({
            "tool_name": "AskUserQuestion", "tool_use_id": call,
            "agent_id": "a1", "agent_type": "general-purpose",
        });
        for (key, value) in event.as_object().expect("fields") {
            fields[key] = value.clone();
        }
        fields
    };
    let plain = json!({ "questions": [question("Which colour?", &["red", "blue"])] });
    world.event("PreToolUse", &fields(&json!({ "tool_input": plain }))).passes();
    world.event("PreToolUse", &fields(&json!({ "tool_input": input }))).passes();
    let text = gmode()["question"].as_str().expect("a text").to_owned();
    let response = json!({ "questions": [gmode()], "answers": { text: "Enter gmode" } });
    world.event("PostToolUse", &fields(&json!({ "tool_input": input, "tool_response": response })));
    assert_eq!(world.phase(), "execute");
}

#[test]
fn each_question_has_its_phases() {
    let world = World::seeded();
    for phase in PHASES {
        world.to(phase);
        let last = phase == "condense";
        for (asked, open) in
            [(creation(), last), (repeating("[REPEAT-JOB] again"), last), (access(), true)]
        {
            let reply = world.asks(&asked).reply;
            assert_eq!(
                reply.refusal().is_none(),
                open,
                "{} in {phase}: {reply:?}",
                asked["question"]
            );
        }
        if !last {
            world.asks(&completion()).refuses("only condense may ask");
            world.asks(&creation()).refuses(&format!("questions are not allowed in {phase}"));
        }
    }
    let world = World::seeded();
    world.to("execute");
    world.asks(&gmode()).passes().answers("Enter gmode");
    for asked in [access(), creation(), gmode()] {
        world.asks(&asked).refuses("questions are not allowed in gmode");
    }
    world.asks(&waiting()).passes();
}

#[test]
fn a_job_may_be_let_near_protected_surfaces_once_and_for_good() {
    let world = World::seeded();
    world.to("plan");
    world
        .asks(&access())
        .passes()
        .answers("approve plugin access")
        .tells("keeps protected surfaces locked");
    assert_eq!(
        world.json("job show")["plugin_lock_approval"],
        false,
        "another case is another answer"
    );
    world.asks(&access()).passes().answers("Approve plugin access").tells("[PLUGIN-LOCK]");
    assert_eq!(world.json("job show")["plugin_lock_approval"], true);
    world.asks(&access()).refuses("already");
}

#[test]
fn an_approved_creation_is_a_pending_job_that_may_unlock() {
    let world = World::seeded();
    world.to("condense");
    world.asks(&creation()).passes().answers("Redirect").tells("no job was created");
    world.asks(&creation()).passes().answers("Approve job creation").tells("git seed job activate");
    let jobs = world.json("job list");
    let made = jobs.as_array().expect("a list").iter().find(|job| job["name"] == "mend the hooks");
    let id = made.expect("it was made")["id"].as_str().expect("an id").to_owned();
    let job = world.json(&format!("job show {id}"));
    assert_eq!((&job["status"], &job["plugin_lock_approval"]), (&json!("pending"), &json!(true)));
    assert_eq!(job["objective"], "The hooks know it.");
    assert_eq!(world.json("job show")["name"], "fix the lexer", "the focus stays");
}

#[test]
fn a_repeat_is_the_chosen_unit_times_the_number_in_the_text() {
    let world = World::seeded();
    world.to("condense");
    let hours = || world.json("job show")["repeating_interval"].clone();
    world
        .asks(&repeating("[REPEAT-JOB] look again"))
        .passes()
        .answers("Keep one-shot")
        .tells("does not repeat");
    assert!(hours().is_null());
    world
        .asks(&repeating("[REPEAT-JOB] look again every 2"))
        .passes()
        .answers("Weekly")
        .tells("336 hours");
    assert_eq!(hours(), 336);
}

#[test]
fn an_answer_belongs_to_the_very_text_that_went_out() {
    let world = World::seeded();
    world.to("execute");
    let asked = world.asks(&gmode()).passes();
    let other = format!("[GMODE] something else: {}", words());
    let response = json!({ "answers": { other.as_str(): "Enter gmode" } });
    let input = json!({ "questions": [question(&other, &["Enter gmode", "Stay in phase"])],
            "answers": response["answers"] });
    let mut full = response.clone();
    full["questions"] = input["questions"].clone();
    world.after("AskUserQuestion", &input, &asked.call, &full, 2000).tells("does not count");
    assert_eq!(world.phase(), "execute");
}

// ---- the side lane

/// What the lane is for, in twenty words and some.
const FOR: &str = "the build is broken by a generated file outside the declared directories, the \
                   generator has to be mended there, and no phase of this cycle may touch it";

/// A world whose rules want the side lane prepared, with a job in execute.
fn strict() -> World {
    let world = World::seeded();
    world.puts("seed.toml", "[gmode]\nprep = true\n");
    world.git("add seed.toml");
    world.git("commit -qm rules");
    world.person("rules apply").succeeds();
    world.to("execute");
    world
}

#[test]
fn where_the_rules_want_it_the_side_lane_is_prepared_right_before_it_is_asked_for() {
    let world = strict();
    world.asks(&gmode()).refuses("git seed gmode prep");
    let prep = format!("git seed gmode prep 85 -m '{FOR}'");
    world.changes_nothing(|| world.seed(&format!("gmode prep 79 -m '{FOR}'")).refuses("sure"));
    world.changes_nothing(|| world.seed("gmode prep 90 -m 'a blocker'").refuses("20 words"));
    let acts: [&dyn Fn(); 3] = [&|| world.is_heard(), &|| world.runs("ls").passes(), &|| {
        world.runs("git seed status; ls").passes();
    }];
    for act in acts {
        world.runs(&prep).passes();
        world.asks(&gmode()).passes();
        act();
        world.asks(&gmode()).refuses("git seed gmode prep");
    }
    world.runs(&prep).passes();
    world.runs("git seed status").passes();
    world.runs("git seed phase current && git seed status").passes();
    world.asks(&gmode()).passes().answers("Stay in phase");
    world.asks(&gmode()).refuses("git seed gmode prep");
    world.runs(&format!("ls && {prep}")).passes();
    world.asks(&gmode()).passes().answers("Enter gmode");
    assert_eq!(world.phase(), "gmode");
    world.seed(&format!("gmode prep 85 -m '{FOR}'")).refuses("cannot start from here");
    world.person("gmode exit").succeeds();
    world.asks(&gmode()).refuses("git seed gmode prep");
}

#[test]
fn readiness_does_not_outlive_a_step() {
    let world = strict();
    world.runs(&format!("git seed gmode prep 100 -m '{FOR}'")).passes();
    world.runs("git seed job update --name 'fix the lexer'").passes();
    world.asks(&gmode()).refuses("git seed gmode prep");
}

#[test]
fn gmode_from_idle_is_left_with_a_new_note_of_the_cause_too() {
    let world = World::seeded();
    world.puts("docs/CLAUDE.md", &super::world::page("[PENDING-JOB]{in the body}\n"));
    world.puts(
        "old/CLAUDE.md",
        "# old\n\n---Ob---\n\n[PENDING-JOB]{an old one}\n\n---Pl---\n\n---Ex---\n\n---Ve---\n",
    );
    world.git("add -A");
    world.git("commit -qm pages");
    world.to("observe");
    world.is_heard();
    world.seed("phase back idle -m 'not now'").succeeds();
    world.asks(&gmode()).passes().answers("Enter gmode");
    assert_eq!(world.phase(), "gmode");
    world.changes_nothing(|| world.seed("gmode exit").refuses("[PENDING-JOB]{<root cause>}"));
    // One that is only moved about, or says nothing, is no new one.
    world.edits("docs/CLAUDE.md", "---Ob---\n", "---Ob---\n\n[PENDING-JOB]{}\n").passes();
    world.runs("git commit -qam note").passes();
    world.seed("gmode exit").refuses("[PENDING-JOB]");
    world.edits("docs/CLAUDE.md", "[PENDING-JOB]{}", "[PENDING-JOB]{the generator}").passes();
    world.runs("git commit -qam note").passes();
    world.seed("gmode exit").succeeds();
    assert_eq!(world.phase(), "idle");
}

#[test]
fn a_person_leaves_gmode_with_a_clean_tree_alone() {
    let world = World::seeded();
    world.to("execute");
    world.asks(&gmode()).passes().answers("Enter gmode");
    world.edits("todo.txt", "a\n", "A\n").passes();
    world.person("gmode exit").refuses("todo.txt");
    world.git("commit -qam 'by hand'");
    assert_eq!(world.git("log -1 --format=%s"), "by hand", "the prefix is the agent's");
    world.person("gmode exit").succeeds();
    assert_eq!(world.phase(), "execute");
}
