//! Runs of a job: reactivated, repeated, and taken up elsewhere.

use serde_json::json;

use super::world::World;

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
    for kept in ["id", "name", "objective", "plan_file", "interactions", "last_completed_at", "created_at"] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    let begun = json!([2, "pending", "idle", 0, false, 0, []]);
    let keys = ["run", "status", "phase", "cycle", "user_approval", "extension_cycles_added", "altered"];
    assert_eq!(json!(keys.map(|key| after[key].clone())), begun);
    // One run at a time, and one that is open begins none.
    world.changes_nothing(|| world.person(&command).refuses("pending"));
    assert!(!world.stops().is_silent(), "it waits in this worktree");

    world.seed(&format!("job activate {job}")).tells("phase advance");
    world.ends();
    world.starts().tells("a job is under way");
    assert_eq!(world.job(), job, "no small talk: the end of a session does not void it");
    world.to("plan");
    world.seed("plan set-plan-file other.md").ends(64, "decided already");
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
    assert_eq!(json!([after["run"], after["status"], after["phase"]]), json!([3, "pending", "idle"]));
    assert_eq!(scan(), json!([]), "what began is not due");

    // Its target is active, it is due alone, and nothing has the focus.
    world.seed(&format!("job activate {job}")).succeeds();
    world.person("job repeat 2 --active").succeeds();
    finishes(&world);
    world.hours(3);
    assert_eq!(scan()[0]["focused"], true);
    assert_eq!((world.job(), shown(&world, &job)["status"].clone()), (job, json!("active")));
}
