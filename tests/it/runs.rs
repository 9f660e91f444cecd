//! Runs of a job: reactivated, repeated, and taken up elsewhere.

use serde_json::json;

use super::world::{CODE, PAGE, World, message, page};

/// Lives the focused job from where it is to the end of its run.
fn finishes(world: &World) {
    world.to("condense");
    world.works("condense");
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none");
}

/// A job that was lived to its end.
fn finished() -> (World, String) {
    let world = World::prompted();
    let job = world.job();
    finishes(&world);
    (world, job)
}

/// `job show --json` of the job.
fn shown(world: &World, job: &str) -> serde_json::Value {
    world.json(&format!("job show {job}"))
}

#[test]
fn a_completed_job_begins_its_next_run_where_a_person_says_so() {
    let (world, job) = finished();
    let before = shown(&world, &job);
    let command = format!("job reactivate {job}");
    world.changes_nothing(|| world.seed(&command).refuses("person"));
    world.seed(&format!("job activate {job}")).refuses("reactivate");
    world.minute();
    world.person(&command).tells("run 2");
    let after = shown(&world, &job);
    for kept in
        ["id", "name", "objective", "plan_file", "interactions", "last_completed_at", "created_at"]
    {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    let begun = json!([2, "pending", "idle", 0, false, 0, []]);
    let keys =
        ["run", "status", "phase", "cycle", "user_approval", "extension_cycles_added", "altered"];
    assert_eq!(json!(keys.map(|key| after[key].clone())), begun);
    // One run at a time, and one that is open begins none.
    world.changes_nothing(|| world.person(&command).refuses("pending"));
    assert!(!world.stops().is_silent(), "it waits in this worktree");

    world.seed(&format!("job activate {job}")).tells("phase advance");
    world.ends();
    world.starts().tells("a job is active");
    assert_eq!(world.job(), job, "no small talk: the end of a session does not void it");
    world.to("plan");
    world.seed("plan set-plan-file other.md").ends(2, "decided already");
    world.works("plan");
    finishes(&world);
    let done = shown(&world, &job);
    assert_eq!((&done["run"], &done["status"]), (&json!(2), &json!("completed")));
    assert_ne!(done["last_completed_at"], before["last_completed_at"]);
    assert!(world.path(&format!(".claude/jobs/{job}/run-2/session-log-1.md")).exists());
    assert_eq!(world.trailer("Seed-Run").trim(), "2");

    world.person(&format!("{command} --active")).tells("active");
    assert_eq!(world.job(), job);
}

#[test]
fn a_due_job_begins_its_next_run_once() {
    let (world, job) = finished();
    world.person(&format!("job reactivate {job} --active")).succeeds();
    world.person("job repeat 2").succeeds();
    finishes(&world);
    let scan = || world.json("job scan-due");
    assert_eq!(scan(), json!([]));
    world.person("job scan-due").prints("");
    world.hours(3);
    // A clock that jumped back makes nothing due.
    let early = world.sh("GIT_SEED_TEST_CLOCK=1000 git seed job scan-due --json");
    assert_eq!(early.trim(), "[]");
    // Two at once: the run begins once. Neither has a terminal, or a worktree to stand in.
    let both = "top=$PWD; (cd / && git -C $top seed job scan-due </dev/null >$top/../one & \
                git seed job scan-due </dev/null >../two; wait); cat ../one ../two";
    let said = world.agents_shell(both, "");
    assert_eq!((said.code, said.out.lines().count()), (0, 1), "{said:?}");
    let after = shown(&world, &job);
    assert_eq!(
        json!([after["run"], after["status"], after["phase"]]),
        json!([3, "pending", "idle"])
    );
    assert_eq!(scan(), json!([]), "what began is not due");

    // Its target is active, it is due alone, and nothing has the focus.
    world.seed(&format!("job activate {job}")).succeeds();
    world.person("job repeat 2 --active").succeeds();
    finishes(&world);
    world.hours(3);
    assert_eq!(scan()[0]["focused"], true);
    assert_eq!((world.job(), shown(&world, &job)["status"].clone()), (job, json!("active")));
}

/// The events of the ledger of a run, with the session of each, as the job has them.
fn ledger(world: &World, job: &str, run: u32) -> Vec<(String, String)> {
    let file = format!("run-{run}/sessions.jsonl");
    let open = world.tries(&format!("git show refs/seed/jobs/{job}:{file}"));
    let kept = world.text(&format!(".claude/jobs/{job}/{file}"));
    let text = if open.code == 0 { open.out } else { kept };
    let line = |line: &str| {
        let read: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert!(
            ["ts", "phase"].iter().all(|key| read[key].is_string()) && read["seq"].is_u64(),
            "{line}"
        );
        let said = |key: &str| read[key].as_str().unwrap_or_default().to_owned();
        (said("event"), said("session_id"))
    };
    text.lines().map(line).collect()
}

#[test]
fn the_ledger_tells_which_session_was_there() {
    let world = World::prompted();
    let job = world.job();
    let file = format!(".claude/jobs/{job}/run-1/sessions.jsonl");
    world.to("observe").works("observe");
    assert!(!world.path(&file).exists(), "no boundary yet");
    world.changes_nothing(|| world.seed("phase advance -m x").refuses("BLOCKED"));
    world.leaves();
    let first = || ledger(&world, &job, 1)[0].1.clone();
    assert_eq!(ledger(&world, &job, 1), [("FOCUS".to_owned(), first())]);
    assert!(!world.path(&file).exists(), "it enters the tree when the cycle closes");

    world.event("SessionStart", &json!({ "source": "clear" }));
    world.opens();
    world.works("plan");
    for section in
        ["forward-state", "open-threads", "assumptions", "process-insight", "prior-summary"]
    {
        world.seed(&format!("compact append {section} -m 'what {section} has to say'")).succeeds();
    }
    world.minute();
    world.seed("compact seal").succeeds();
    let events = || ledger(&world, &job, 1).into_iter().map(|(event, _)| event).collect::<Vec<_>>();
    assert_eq!(events(), ["FOCUS", "INJECT", "SEAL"]);

    world.ends();
    world.session("another");
    world.starts();
    world.prompt("go on");
    world.leaves();
    assert_eq!(events(), ["FOCUS", "INJECT", "SEAL", "FOCUS"]);
    assert_eq!(ledger(&world, &job, 1)[3].1, "another");
    world.to("condense").works("condense");
    world.leaves();
    assert!(world.files_of_head().contains(&file));
    assert_eq!(world.text(&file).lines().count(), 4);
}

#[test]
fn a_job_goes_on_in_another_clone_and_brings_no_grants() {
    let world = World::prompted();
    world.to("plan").works("plan");
    world.person("job approve-plugin").succeeds();
    world.leaves();
    let job = world.job();
    world.git("init -q --bare -b main ../hub.git");
    world.git("push -q ../hub.git main 'refs/seed/jobs/*:refs/seed/jobs/*'");
    world.git("clone -q ../hub.git ../other");
    world.session("on another machine");
    let world = world.elsewhere("other");
    world.git("fetch -q origin 'refs/seed/jobs/*:refs/seed/jobs/*'");
    let world = world.installed();

    // Fetched, it is data: it holds up no stop, and no agent takes it up.
    assert!(world.stops().is_silent());
    let command = format!("job activate {job}");
    world.changes_nothing(|| world.seed(&command).refuses("person"));
    world.git("checkout -q -b old HEAD~1");
    world.changes_nothing(|| world.person(&command).refuses("check out main"));
    world.git("checkout -q main");
    world.puts("todo.txt", "the person's\n");
    let told = world.person(&command).succeeds();
    for part in [
        "execute",
        "not granted here: access",
        "> contract: keep escapes",
        "src/parser",
        "belong to the person",
    ] {
        assert!(told.contains(part), "lacks {part:?}:\n{told}");
    }
    assert_eq!(world.json("job show")["plugin_lock_approval"], false);
    world.prompt("go on");
    finishes(&world);
    assert_eq!(ledger(&world, &job, 1).last().map(|(event, _)| event.as_str()), Some("WRAP"));
    assert_eq!(world.git("status --porcelain"), " M todo.txt", "never committed, never touched");
}

#[test]
fn a_job_that_rests_goes_on_in_another_worktree() {
    let world = World::prompted();
    world.to("execute");
    let job = world.job();
    world.person("job pause").succeeds();
    world.git("worktree add -q -b side ../linked");
    let world = world.elsewhere("linked");
    world.starts();
    world.seed(&format!("job activate {job}")).tells("execute · cycle 1");
    world.prompt("go on");
    world.enters("verify");
    assert_eq!(world.git("log -1 --format=%D"), "HEAD -> side");
    let said = world.agents_shell(&format!("cd ../repo && git seed job activate {job}"), "");
    assert_eq!((said.code, said.err.contains("linked")), (2, true), "{said:?}");

    // A fetch brought steps of another clone over the job in focus: it is data from then on.
    world.puts("../repo/.git/seed/clone", "this one, of another id\n");
    world.seed("phase back execute -m again").ends(2, "no job is focused");
    world.changes_nothing(|| world.seed(&format!("job activate {job}")).refuses("person"));
    world.person(&format!("job activate {job}")).tells("verify · cycle 1");
    world.is_heard();
    world.seed("phase back execute -m again").succeeds();
}

#[test]
fn a_later_run_is_told_what_earlier_ones_left_and_reads_their_summary() {
    let world = World::prompted();
    let job = world.job();
    world.to("condense").works("condense");
    world.minute();
    let add = "phase advance --add-cycle 'the error paths were left out of the plan' -F -";
    world.seed(add).stdin(&super::world::message("condense")).succeeds();
    world.to("condense").works("condense");
    world.seed("compact append prior-summary -m 'escapes are kept now'").succeeds();
    world.approved();
    let close =
        || world.seed("phase advance -F -").stdin(&super::world::message("condense")).said();
    let said = world.changes_nothing(close);
    assert!(said.code == 2 && said.err.contains("compact seal"), "{said:?}");
    for section in ["forward-state", "open-threads", "assumptions", "process-insight"] {
        world.seed(&format!("compact append {section} -m 'what {section} has to say'")).succeeds();
    }
    world.seed("compact seal").succeeds();
    assert_eq!(close().code, 0);

    world.person(&format!("job reactivate {job} --active")).succeeds();
    world.prompt("once more");
    let told = world.seed("phase advance").tells("Plan for them now");
    assert!(told.contains("> run 1: the error paths were left out of the plan"), "{told}");
    assert_eq!(
        shown(&world, &job)["extension_contexts"],
        json!(["the error paths were left out of the plan"])
    );
    world.opens();
    world.seed("compact append open-threads -m 'none yet'").succeeds();
    let first = world.git(&format!("show refs/seed/jobs/{job}:run-2/compaction-1.md"));
    assert!(
        first.contains("escapes are kept now") && !first.contains("what open-threads"),
        "{first}"
    );
}

/// What another job committed while one rested is none of its changes: it is not asked to put
/// that back, and nothing that was settled is undone.
#[test]
fn a_job_that_rested_keeps_what_another_one_committed_meanwhile() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { begun();").passes();
    let first = world.job();
    world.person("job pause").succeeds();
    world.prompt("Tell the next reader how the parser treats numbers");
    world.to("condense");
    world.reads(PAGE).passes();
    world.seed("condense archive").succeeds();
    world.writes(PAGE, &page("Numbers have no sign of their own.\n")).passes();
    world.approved();
    world.leaves();

    world.seed(&format!("job activate {first}")).succeeds();
    world.works("execute");
    world.seed("fence restore").tells("Nothing to restore");
    let out = world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert!(!out.contains("by hand"), "{out}");
    assert!(world.text(PAGE).contains("Numbers have no sign"), "{}", world.text(PAGE));
    assert_eq!(world.files_of_head(), [PAGE, CODE]);
}
