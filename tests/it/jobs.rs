//! Jobs: how they are born, whose words they keep, when a turn may end, who has the focus.

use serde_json::{Value, json};

use super::world::{CODE, PAGE, World, completion, message, question};

/// The kinds of what was said to the focused job.
fn kinds(world: &World) -> Vec<String> {
    let shown = world.json("job show");
    let said = shown["interactions"].as_array().expect("a list");
    said.iter().filter_map(|one| one["kind"].as_str()).map(str::to_owned).collect()
}

fn names(jobs: &Value) -> Vec<(String, String)> {
    let text = |job: &Value, key: &str| job[key].as_str().unwrap_or_default().to_owned();
    jobs.as_array()
        .expect("a list")
        .iter()
        .map(|job| (text(job, "name"), text(job, "status")))
        .collect()
}

/// A question in the middle of the work is answered, and the turn ends; the next prompt wants work
/// again.
#[test]
fn a_name_that_no_step_could_hold_is_none() {
    let world = World::seeded();
    let long = "x".repeat(401);
    world.person(&format!("job create {long}")).ends(64, "at most 400 bytes; this one has 401");
    world.person("job create 'two\nlines'").ends(64, "stands on one line");
    world.person(&format!("job create {}", &long[1..])).succeeds();
    world.prompt("the lexer is odd");
    world.person(&format!("job update --name {long}")).ends(64, "at most 400 bytes");
}

#[test]
fn a_question_frees_the_stop_for_its_turn() {
    let world = World::seeded();
    world.to("execute");
    world.stops().refuses("is open in execute");
    world.prompt("? what does the lexer do with quotes");
    assert!(world.stops().is_silent());
    // What the agent asks back is part of the turn.
    let which = question("[WAITING] Which quotes do you mean?", &["Single", "Double"]);
    world.asks_bare(&which).passes().answers("Double");
    assert!(world.stops().is_silent());
    world.prompt("and now go on");
    world.stops().refuses("is open in execute");
}

#[test]
fn a_prompt_bears_a_job_and_further_prompts_are_kept_with_it() {
    let world = World::seeded();
    world.prompt("Fix the lexer").tells("git seed phase advance");
    world.prompt("and mind the tabs");
    world.prompt("? what is a lexer");
    world.prompt("<task-notification>done</task-notification>");
    assert_eq!(kinds(&world), ["prompt", "prompt", "question", "automation"]);
    assert_eq!(names(&world.json("job list")), [("Fix the lexer".to_owned(), "active".to_owned())]);
}

#[test]
fn words_that_are_no_task_bear_no_job() {
    let world = World::seeded();
    for text in
        ["? how does it work", "/clear", "!ls", "# remember this", "<task-notification>x", "   "]
    {
        world.prompt(text);
        assert_eq!(world.json("job list"), json!([]), "{text:?}");
    }
    world.reads(CODE).passes();
    world.writes(CODE, "x").refuses("their next prompt becomes a job");
}

#[test]
fn small_talk_may_look_and_stop_and_leaves_nothing_behind() {
    let world = World::prompted();
    world.reads(CODE).passes();
    world.runs("git log --oneline").passes();
    world.changes_nothing(|| world.writes(CODE, "x").refuses("git seed phase advance"));
    world.runs("sed -i s/fn/pub/ src/parser/lex.rs").refuses("BLOCKED");
    assert!(world.stops().is_silent());
    world.ends();
    assert_eq!(world.json("status")["job"], Value::Null);
    assert_eq!(names(&world.json("job list"))[0].1, "voided");
    assert!(world.git("status --porcelain").is_empty());
}

#[test]
fn a_turn_may_not_end_while_the_job_is_open_and_may_at_the_fourth_try() {
    for phase in ["observe", "plan", "execute", "verify", "condense"] {
        let world = World::seeded();
        world.to(phase);
        world.stops().refuses(phase);
        world.stops().refuses("BLOCKED, as before. Do: ");
        world.stops().refuses("BLOCKED, as before. Do: ");
        let yields = world.stops();
        yields.passes();
        assert!(
            yields.to_person().is_some_and(|told| told.contains("git seed status")),
            "{yields:?}"
        );
        let job = world.job();
        let left = world.git(&format!("ls-tree -r --name-only refs/seed/jobs/{job} summaries/"));
        assert!(left.starts_with("summaries/hand-off-"), "a hand-off is kept: {left:?}");
        // It ends again, until somebody speaks or something is done.
        assert!(world.stops().is_silent(), "{phase}");
        world.prompt("go on");
        world.stops().refuses(phase);
    }
}

#[test]
fn work_in_between_makes_the_stops_count_anew() {
    let world = World::seeded();
    world.to("execute");
    for n in 0..4 {
        world.stops().refuses("BLOCKED: job");
        world.stops().refuses("as before");
        world.edits(CODE, "fn lex() {", &format!("fn lex() {{ step{n}();")).passes();
    }
    world.stops().refuses("execute");
}

#[test]
fn reading_is_no_work_that_a_stop_would_count() {
    let world = World::seeded();
    world.to("execute");
    for _ in 0..3 {
        world.stops().refuses("execute");
        world.reads(CODE).passes();
    }
    world.stops().passes();
}

#[test]
fn a_turn_that_waits_for_its_own_background_work_may_end() {
    let world = World::seeded();
    world.to("execute");
    let task = |status: &str| {
        json!({ "stop_hook_active": false,
            "background_tasks": [{ "id": "b1", "status": status }] })
    };
    assert!(world.event("Stop", &task("running")).is_silent());
    world.event("Stop", &task("completed")).refuses("execute");
}

#[test]
fn a_prompt_for_a_job_that_is_closing_waits_and_bears_the_next() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.approved();
    world.prompt("Now the parser").tells("becomes the next job");
    world.stops().refuses("git seed phase advance");
    let out = world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert!(out.contains("Now the parser"), "{out}");
    assert_eq!(world.json("status")["job"]["name"], "Now the parser");
    assert_eq!(world.phase(), "idle");
}

#[test]
fn a_second_session_is_a_guest() {
    let world = World::seeded();
    world.to("execute");
    world.session("7e1d0f0a-0000-4000-8000-000000000002");
    world.starts().tells("another session drives the job");
    world.reads(CODE).passes();
    world.changes_nothing(|| world.edits(CODE, "fn lex", "fn flex").refuses("BLOCKED"));
    world.changes_nothing(|| world.prompt("do my bidding"));
    assert!(world.stops().is_silent(), "a guest may stop");
}

#[test]
fn two_jobs_take_turns_and_each_keeps_its_place() {
    let world = World::seeded();
    world.to("execute");
    let first = world.job();
    world.seed("job pause").tells(&format!("git seed job activate {first}"));
    world.seed("job focused").prints("none\n");
    world.stops().refuses(&format!("git seed job activate {first}"));
    world.prompt("Something else");
    let second = world.job();
    assert_ne!(first, second);
    world.seed(&format!("job activate {first}")).succeeds();
    assert_eq!((world.job(), world.phase().as_str()), (first.clone(), "execute"));
    world.changes_nothing(|| world.seed(&format!("job focus {second}")).refuses("execute"));
    world.edits(CODE, "fn lex", "fn flex").passes();
}

/// A job between cycles may give the focus to another one; it is work still, and is not lost.
#[test]
fn a_job_that_the_focus_left_waits_like_any_other() {
    let world = World::seeded();
    world.to("condense").works("condense");
    let first = world.job();
    let add = "phase advance --add-cycle 'one more' -F -";
    world.seed(add).stdin(&super::world::message("condense")).succeeds();
    world.minute();
    let said = world.person("job create 'the second one'").succeeds();
    let second = said.split_whitespace().nth(1).expect("its id").to_owned();
    world.seed(&format!("job activate {second}")).succeeds();
    world.prompt("[DROP] not now");
    let line = format!("git seed job activate {first}");
    assert_eq!(world.json("status")["next"], json!(line));
    world.stops().refuses(&line);
    world.seed(&line["git seed ".len()..]).succeeds();
    world.seed("phase advance").succeeds();
    assert_eq!((world.job(), world.phase().as_str()), (first, "observe"));
}

/// Words that were said before a first step are no work, wherever the focus went.
#[test]
fn small_talk_that_the_focus_left_holds_no_turn() {
    let world = World::prompted();
    let said = world.person("job create 'the second one'").succeeds();
    let second = said.split_whitespace().nth(1).expect("its id").to_owned();
    world.seed(&format!("job activate {second}")).succeeds();
    world.prompt("[DROP] not now");
    world.stops().passes();
}

/// What a person paused holds no turn, and what waits beside it does: `status` says the same.
#[test]
fn what_holds_the_turn_is_next_beside_a_paused_job() {
    let world = World::seeded();
    world.to("observe");
    world.prompt("[PAUSE]");
    let next = |world: &World| world.json("status")["next"].as_str().map(str::to_owned);
    assert!(next(&world).is_some_and(|next| next.contains("[RESUME]")));
    world.stops().passes();
    world.minute();
    let said = world.person("job create 'the second one'").succeeds();
    let line = format!("git seed job activate {}", said.split_whitespace().nth(1).expect("an id"));
    world.stops().refuses(&line);
    assert_eq!(next(&world), Some(line));
}

#[test]
fn two_worktrees_never_focus_the_same_job() {
    let world = World::prompted();
    let job = world.job();
    world.git("worktree add -q -b side ../linked");
    let said = world.agents_shell(&format!("cd ../linked && git seed job activate {job}"), "");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("a job is active in one worktree only"), "{said:?}");
    assert!(said.err.contains("active in the worktree main"), "{said:?}");
    let none = world.agents_shell("cd ../linked && git seed job focused", "");
    assert_eq!(none.out, "none\n");
}

#[test]
fn a_job_that_waits_for_another_cannot_be_completed() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.seed("job create-dependent 'write the docs'").tells("created, pending");
    world.asks(&completion()).answers("Approve completion");
    assert_eq!(world.json("job show")["user_approval"], false);
    assert_eq!(world.json("job show")["depends_on"].as_array().map(Vec::len), Some(1));
}

/// A command whose answer was lost is given again.
#[test]
fn what_an_agent_asks_for_twice_is_made_once() {
    let world = World::seeded();
    world.to("condense");
    let create = |more: &str| {
        let said = world.seed(&format!("job create 'write the docs' {more}")).succeeds();
        said.split_whitespace().nth(1).expect("an id").to_owned()
    };
    let first = create("-m 'the lexer'");
    assert_eq!(create("-m 'the lexer'"), first);
    assert_ne!(create("-m 'the printer'"), first, "it is another one");
    world.seed("job create-dependent 'write the docs' -m 'the lexer'").tells(&first);
    world.seed("job create-dependent 'write the docs' -m 'the lexer'").tells(&first);
    assert_eq!(world.json("job show")["depends_on"], json!([first]));
    for _ in 0..2 {
        world.seed("compact append open-threads -m 'why are escapes lost'").succeeds();
    }
    let kept = world.seed("compact read").succeeds();
    assert_eq!(kept.matches("why are escapes lost").count(), 1, "{kept}");
}

/// What closes the cycle, holds the turn and `status` name one thing, and it leads to the end.
#[test]
fn a_finished_job_that_waits_leads_to_the_job_that_it_waits_for() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.seed("job create-dependent 'write the docs'").succeeds();
    let docs = world.json("job show")["depends_on"][0].as_str().expect("an id").to_owned();
    let closed = world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    let activates = format!("git seed job activate {docs}");
    assert!(closed.contains(&activates) && !closed.contains("phase advance"), "{closed}");
    assert_eq!(world.json("status")["next"], json!(activates));
    let held = world.stops();
    let said = held.refusal().expect("the turn goes on");
    assert!(
        said.contains(&format!("Do: {activates}")) && !said.contains("phase advance"),
        "{said}"
    );
    world.seed(&format!("job activate {docs}")).succeeds();
    world.person("job drop -m 'not needed'").succeeds();
    world.seed(&format!("job activate {job}")).succeeds();
    let next = world.json("status")["next"].to_string();
    assert!(!next.contains(&docs), "nothing holds it up any more: {next}");
}

#[test]
fn jobs_are_created_in_condense_only() {
    for phase in ["observe", "plan", "execute", "verify"] {
        let world = World::seeded();
        world.to(phase);
        world.changes_nothing(|| world.seed("job create later").refuses("condense"));
    }
}

#[test]
fn dependencies_never_close_a_circle() {
    let world = World::seeded();
    world.to("condense");
    let job = world.job();
    world.seed(&format!("job add-dependency {job} {job}")).refuses("wait for each other");
}

#[test]
fn a_persons_commands_are_refused_to_an_agent() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    for command in [
        "uninstall",
        "off -m x",
        "on",
        "job approve",
        "job complete",
        "job move",
        "job approve-plugin",
        "job repeat 24",
        "rules apply",
        "land",
        "undo",
        "redo",
        "gmode enter -m x",
    ] {
        world.changes_nothing(|| world.seed(command).refuses("BLOCKED"));
        let line = format!("git seed {command}");
        let did = world.changes_nothing(|| world.runs(&line));
        assert!(!did.before.grants(), "{line} is never granted");
        assert!(
            did.before.refusal().is_some() || did.said.as_ref().is_some_and(|said| said.code == 2),
            "{did:?}"
        );
    }
    assert_eq!(world.json("job show")["user_approval"], false);
}

#[test]
fn a_persons_commands_act_at_a_terminal() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.person("job approve").tells("is approved; the agent closes its cycle");
    assert_eq!(world.json("job show")["user_approval"], true);
    world.person("off -m 'by hand for a while'").succeeds();
    world.edits(CODE, "fn lex", "fn flex").passes();
    assert_eq!(world.json("status")["enabled"], false);
    world.person("on").succeeds();
    world.edits(CODE, "fn flex", "fn lex").refuses("BLOCKED");
}

#[test]
fn own_commands_are_granted_and_nothing_else_is() {
    let world = World::seeded();
    world.to("execute");
    let granted = |line: &str| {
        let input = json!({ "command": line, "description": "scripted command" });
        world.before("Bash", &input, &world.next_call()).grants()
    };
    for line in [
        "git seed status",
        "git-seed status",
        "git seed phase checkpoint -m 'half of it'",
        "git seed phase advance -F - <<'END'\nsettled\n\n## Evidence\nx; rm -rf /\nEND",
        "git seed status && git seed phase current",
        "git seed status 2>&1 | head -20",
        "git seed phase checkpoint -m half && git seed status | tail -n 3",
    ] {
        assert!(granted(line), "{line}");
    }
    // A program of the repository's that a pipe leads into is not one that only shows a part.
    world.puts("bin/head", "#!/bin/sh\nid > stolen\n");
    world.sh("chmod +x bin/head");
    let path = world.sh("printf %s \"$PATH\"");
    world.host_has("PATH", &format!("{}:{path}", world.path("bin").display()));
    assert!(granted("git seed status") && !granted("git seed status | head -5"));
    world.host_has("PATH", &path);
    // Where the host only plans, what changes something is asked for.
    let planning = |line: &str| {
        let fields = json!({
            "tool_name": "Bash", "tool_input": { "command": line },
            "tool_use_id": world.next_call(), "permission_mode": "plan",
        });
        world.event("PreToolUse", &fields).grants()
    };
    assert!(planning("git seed status") && planning("git seed log | head -5"));
    assert!(!planning("git seed phase checkpoint -m 'half of it'"));
    assert!(!planning("git seed status && git seed phase checkpoint -m half"));
    for line in [
        "git seed status; ls",
        "git seed status | cat out",
        "git seed status > out",
        "FOO=1 git seed status",
        "git -c alias.seed=!ls seed status",
        "git -C .. seed status",
        "git seed -C .. status",
        "git seed phase advance -m \"$(date)\"",
        "git seed job approve",
        "git seed off -m x",
        "git seed uninstall",
        "git seed init",
        "/tmp/git-seed status",
        "git status",
        "ls",
    ] {
        assert!(!granted(line), "{line}");
    }
}

#[test]
fn the_side_lane_opens_on_a_persons_answer_and_closes_clean() {
    let world = World::seeded();
    world.to("execute");
    let words =
        "the build is broken by a generated file outside the declared directories ".repeat(10);
    let ask = |options: &[&str]| question(&format!("[GMODE] fix the lexer: {words}"), options);
    world.asks(&ask(&["Enter gmode", "Stay in phase"])).passes().answers("Stay in phase");
    assert_eq!(world.phase(), "execute");
    world.asks(&ask(&["Enter gmode", "Stay in phase"])).passes().answers("Enter gmode");
    assert_eq!(world.phase(), "gmode");
    world.edits("todo.txt", "a\n", "A\n").passes();
    // What it names is open here; a step that commits is not.
    world.changes_nothing(|| {
        let refused = world.checkpoint("mend the build").refuses("with git commit");
        assert!(refused.contains("Then: git seed gmode exit"), "{refused}");
        assert!(!refused.contains("phase advance"), "{refused}");
    });
    world.changes_nothing(|| world.seed("gmode exit").refuses("todo.txt"));
    world.runs("git commit -qam 'mend the build'").passes();
    assert_eq!(world.git("log -1 --format=%s"), "gmode: mend the build");
    world.changes_nothing(|| world.seed("gmode exit").refuses("[PENDING-JOB]"));
    world.notes("---Ex---", "[PENDING-JOB]{the generator writes outside its directory}");
    world.changes_nothing(|| world.seed("gmode exit").refuses(PAGE));
    world.runs("git commit -qam 'gmode: note the cause'").passes();
    assert_eq!(world.git("log -1 --format=%s"), "gmode: note the cause");
    world.seed("gmode exit").succeeds();
    assert_eq!(world.phase(), "execute");
    world.works("execute");
    world.leaves();
}

#[test]
fn a_person_lets_a_job_repeat_and_ask_for_protected_surfaces() {
    let world = World::prompted();
    world.person("job approve-plugin").tells("protected surfaces");
    world.person("job repeat 24").tells("every 24 h");
    let job = world.json("job show");
    assert_eq!(
        (job["plugin_lock_approval"].as_bool(), job["repeating_interval"].as_u64()),
        (Some(true), Some(24))
    );
    world.person("job repeat 0").tells("one-shot");
}

/// Texts come as they are typed, from a file, or from standard input: no shell reads them.
#[test]
fn an_objective_comes_without_quoting() {
    let world = World::seeded();
    world.prompt("Fix the lexer");
    world.seed("phase advance").succeeds();
    world.seed("phase multiplier 3").succeeds();
    let odd = "`lex` costs $5 more; \"quoted\" and 'quoted'";
    let said = world.seed("job update --objective -F -").stdin(odd).succeeds();
    assert!(said.contains("The objective has 7 words"), "{said}");
    assert_eq!(world.json("job show")["objective"], odd);
    world.puts("objective.txt", "from a file");
    world.seed("job update --name 'keep escapes' -F objective.txt").succeeds();
    assert_eq!(world.json("job show")["objective"], "from a file");
    world.seed("job update -m 'as a message'").succeeds();
    assert_eq!(world.json("job show")["objective"], "as a message");
    world.changes_nothing(|| world.seed("job update --objective a -m b").ends(64, "twice"));
    world.changes_nothing(|| world.seed("job update --objective").ends(64, "no text"));
    world.person("job create 'another' -F -").stdin(odd).succeeds();
    let jobs = world.json("job list");
    let id = jobs.as_array().expect("a list").iter().find(|job| job["name"] == "another");
    let id = id.expect("it is there")["id"].as_str().expect("an id");
    assert_eq!(world.json(&format!("job show {id}"))["objective"], odd);
}

/// The reason for another cycle is a text like any other: behind the option, or in the message.
#[test]
fn a_reason_for_another_cycle_comes_without_quoting() {
    let reasons = |world: &World| world.json("job show")["extension_contexts"].clone();
    let odd = "`lex` costs $5 more; \"quoted\" and 'quoted'";
    let whole = super::world::message("condense");
    let sections = &whole[whole.find("## ").expect("a section")..];
    let world = World::seeded();
    world.to("condense").works("condense");
    let bare = "phase advance --add-cycle -F -";
    world.changes_nothing(|| world.seed(bare).stdin(sections).ends(64, "needs the reason"));
    world.seed(bare).stdin(&format!("{odd}\nand more\n\n{sections}")).succeeds();
    assert_eq!(reasons(&world), json!([format!("{odd}\nand more")]));
    world.to("condense").works("condense");
    world.puts(".git/said", &format!("from a file\n\n{sections}"));
    world.seed("phase advance -F .git/said --add-cycle").succeeds();
    world.to("condense").works("condense");
    world.seed("phase advance --add-cycle 'as ever' -F -").stdin(&whole).succeeds();
    assert_eq!(reasons(&world), json!([format!("{odd}\nand more"), "from a file", "as ever"]));
}

/// So is what a claim says, and the symptom that a chain explains.
#[test]
fn a_claim_and_a_symptom_come_without_quoting() {
    let world = World::prompted();
    let odd = "`lex` costs $5 more; \"quoted\" and 'quoted'";
    world.puts(".git/said", odd);
    let judged = |line: &str| world.seed(&format!("{line} --json")).stdin(odd).said();
    for (words, most) in
        [("claim verify --type none", "--claim"), ("claim trace --chain 'a->b'", "--symptom")]
    {
        let option = judged(&format!("{words} {most} '{}'", odd.replace('\'', "'\\''")));
        for text in ["-F -", "-F .git/said"] {
            let said = judged(&format!("{words} {text}"));
            assert_eq!((said.code, said.err), (option.code, option.err.clone()), "{words} {text}");
        }
        let said = judged(&format!("{words} -m '{}'", odd.replace('\'', "'\\''")));
        assert_eq!((said.code, said.err), (option.code, option.err.clone()), "{words} -m");
        world.changes_nothing(|| world.seed(words).ends(64, "required"));
    }
}

#[test]
fn a_subagent_takes_no_step() {
    let world = World::seeded();
    world.to("observe");
    let call = |line: &str| {
        world.event(
            "PreToolUse",
            &json!({ "tool_name": "Bash", "tool_input": { "command": line },
                "tool_use_id": line, "agent_id": "a1", "agent_type": "general" }),
        )
    };
    for line in ["git seed phase advance -F -", "git seed phase back -m why", "git seed job pause"]
    {
        call(line).refuses("only the main session may run it, not a subagent");
    }
    for line in ["git seed status", "git seed phase current", "git seed job create more -m why"] {
        let reply = call(line);
        assert!(reply.refusal().is_none_or(|no| !no.contains("not a subagent")), "{reply:?}");
    }
}

#[test]
fn an_approval_that_comes_too_early_says_one_way_on() {
    let world = World::seeded();
    world.to("observe");
    let said = world.person("job approve").refuses("the work is not done");
    assert_eq!(said.matches("Do: ").count(), 1, "{said}");
    // What a person tries is none of what the agent cost.
    assert_eq!(world.json("status")["cost"]["refusals"], 0);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_told() {
    let world = World::seeded();
    world.to("observe");
    for command in ["status", "stats", "job list", "log"] {
        let said = world.tries(&format!("git seed {command} > /dev/full"));
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("what was found cannot be printed"), "{said:?}");
    }
}

/// A job whose worktree is gone waits wherever its person looks, and each word on it leads there.
#[test]
fn a_job_whose_worktree_is_gone_is_offered_elsewhere() {
    let world = World::seeded();
    world.git("worktree add -q -b side ../side");
    let there = |line: &str| world.persons_terminal(&format!("cd ../side && git seed {line}"), "");
    let said = there("job create 'the side'");
    assert_eq!(said.code, 0, "{said:?}");
    let id = world.json("job list")[0]["id"].as_str().expect("an id").to_owned();
    let said = there(&format!("job activate {id}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!world.seed("status").succeeds().contains(&id), "it is at work over there");
    let refused = world.person(&format!("job approve {id}"));
    refused.refuses(&format!("git seed job activate {id}"));
    world.git("worktree remove --force ../side");
    world.seed("status").tells(&format!("next     git seed job activate {id}"));
    world.person(&format!("job activate {id}")).succeeds();
    assert_eq!(world.job(), id);
}

/// A person at a terminal reads whose turn it is; the agent reads what it does.
#[test]
fn status_says_to_a_person_what_the_agent_does_next() {
    let world = World::seeded();
    world.to("execute");
    let next = world.json("status")["next"].as_str().expect("text").to_owned();
    let mark = "   (the agent does this)";
    world.person("status").tells(&format!("next     {next}{mark}"));
    let told = world.seed("status").tells(&format!("next     {next}"));
    assert!(!told.contains(mark), "{told}");
    world.prompt("[PAUSE]");
    let told = world.person("status").tells("next     enter [RESUME]");
    assert!(!told.contains(mark), "{told}");
}
