//! What stands between jobs: the archive of closed ones, lists, and who waits for whom.

use serde_json::Value;

use super::world::{World, message};

/// The refs of git seed, by name.
fn refs(world: &World) -> Vec<String> {
    let all = world.git("for-each-ref --format='%(refname)' refs/seed");
    all.lines().map(str::to_owned).collect()
}

/// Lives a whole cycle and closes its job, whose id is given.
fn closed(world: &World) -> String {
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    job
}

#[test]
fn a_closed_job_moves_to_the_archive_and_every_reader_still_finds_it() {
    let world = World::seeded();
    let job = closed(&world);
    let (live, keep) = (format!("refs/seed/jobs/{job}"), format!("refs/seed/keep/{job}"));
    let now = refs(&world);
    assert!(!now.contains(&live) && !now.contains(&keep), "{now:?}");
    assert!(now.iter().any(|name| name == "refs/seed/archive"), "{now:?}");
    assert!(now.iter().any(|name| name == "refs/seed/keep/closed"), "{now:?}");
    world.git("reflog expire --expire=now --all");
    world.git("gc -q --prune=now");

    let shown = world.json(&format!("job show {job}"));
    assert_eq!((&shown["status"], &shown["phase"]), (&"completed".into(), &"idle".into()));
    assert_eq!(shown["altered"].as_array().map(Vec::len), Some(2), "{shown}");
    assert_eq!(world.json(&format!("show {job}")), shown);
    let log = world.json(&format!("log {job} -n 99"));
    let steps: Vec<&str> =
        log.as_array().expect("a list").iter().filter_map(|row| row["step"].as_str()).collect();
    assert_eq!((steps.first(), steps.last()), (Some(&"condense -> idle"), Some(&"birth")));
    assert_eq!(world.json("log -n 99"), log, "without a focus it is the newest job's");
    let listed = world.json("job list");
    assert_eq!(listed[0]["id"].as_str(), Some(job.as_str()));
    assert_eq!((&listed[0]["status"], &listed[0]["focused"]), (&"completed".into(), &Value::Bool(false)));

    for command in ["activate", "focus"] {
        let said = world.seed(&format!("job {command} {job}")).refuses("closed");
        assert!(said.contains(&format!("job reactivate {job}")), "{said}");
    }
    assert_eq!(refs(&world), now, "a refusal opens nothing");

    // Stopped between the archive's commit and the ref: the next one finishes it.
    let written = world.git("show refs/seed/archive:index/$(git ls-tree -r --name-only refs/seed/archive index | grep -E '/[0-9]+/' | sed 's,index/,,')");
    let row: Value = serde_json::from_str(written.trim()).expect("one line");
    world.git(&format!("update-ref {live} {}", row["tip"].as_str().expect("its tip")));
    assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1));
    let said = world.person("doctor").said();
    assert!(said.out.contains("1 job closed and not in the archive"), "{said:?}");
    world.person("doctor --fix").tells("1 closed job went into the archive");
    assert_eq!(refs(&world), now);

    // Small talk ends in the archive too, and nothing of it stays behind.
    world.prompt("hello there");
    world.ends();
    assert_eq!(refs(&world), now);
    assert_eq!(world.json("job list")[1]["status"], "voided");
}
