//! Files of git seed's that are lost while the rest is there: the clone's id, all of `.git/seed`,
//! the refs.

use std::fs;

use super::world::World;

/// What `init` puts in is still there.
fn traces(world: &World) -> Vec<String> {
    let of_git = world.git("config --local --list");
    let keys = of_git.lines().filter(|line| line.starts_with("notes.")).map(str::to_owned);
    let names = [
        ".git/hooks/pre-commit",
        ".git/hooks/commit-msg",
        ".git/hooks/post-commit",
        ".git/hooks/post-rewrite",
        ".git/hooks/pre-push",
        ".claude",
        ".git/seed",
    ];
    let files =
        names.iter().filter(|name| world.path(name).exists()).map(|name| (*name).to_owned());
    let excluded = world.text(".git/info/exclude");
    let lines = excluded.lines().filter(|line| line.starts_with("/.claude")).map(str::to_owned);
    keys.chain(files).chain(lines).collect()
}

#[test]
fn a_clone_without_its_id_does_not_let_its_job_go() {
    for lost in [".git/seed/clone", ".git/seed"] {
        let world = World::new().installed();
        world.to("execute");
        let job = world.job();
        let path = world.path(lost);
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }
            .expect("it was there");
        let said = world.stops();
        assert!(said.refusal().is_some(), "{lost}: {said:?}");
        world.person("doctor --fix").said();
        assert_eq!(world.job(), job, "{lost}");
        world.seed("status").tells("execute");
        assert!(world.stops().refusal().is_some(), "{lost}: the job is still open");
    }
}

#[test]
fn what_lies_here_is_taken_out_without_a_record_of_it() {
    for mended in [false, true] {
        let world = World::new().installed();
        world.to("execute");
        fs::remove_dir_all(world.path(".git/seed")).expect("it was there");
        if mended {
            let said = world.person("doctor --fix").said();
            assert!(said.out.contains("was written again from what lies here"), "{said:?}");
        } else {
            world.person("init").succeeds();
        }
        world.person("uninstall").succeeds();
        assert_eq!(traces(&world), Vec::<String>::new(), "mended: {mended}");
        world.person("uninstall").fails("not installed");
    }
}

#[test]
fn uninstall_begins_with_what_is_there() {
    let world = World::new().installed();
    world.to("execute");
    fs::remove_dir_all(world.path(".git/seed")).expect("it was there");
    world.person("uninstall").tells("told by their content");
    assert_eq!(traces(&world), Vec::<String>::new());
}

fn without_refs() -> World {
    let world = World::new().installed();
    world.to("execute");
    for name in world.git("for-each-ref --format='%(refname)' refs/seed").lines() {
        world.git(&format!("update-ref -d {name}"));
    }
    world
}

#[test]
fn a_focus_without_its_job_is_no_ring() {
    let world = without_refs();
    world.person("init").tells("the job that it named is gone");
    world.seed("status").succeeds();
    let world = without_refs();
    let said = world.person("doctor --fix").said();
    assert!(said.out.contains("the focused job no longer exists"), "{said:?}");
    let world = without_refs();
    world.person("off -m looking").succeeds();
    world.person("uninstall").succeeds();
    assert_eq!(traces(&world), Vec::<String>::new());
}

#[test]
fn drafts_of_killed_writers_go_with_the_rest() {
    let world = World::new().installed();
    let drafts = [".git/hooks/.git-seed-aB3dE6", ".git/info/.git-seed-000000"];
    for draft in drafts {
        world.puts(draft, "half");
    }
    world.puts(".git/hooks/.git-seed-mine", "a person's");
    world.person("uninstall").succeeds();
    assert!(drafts.iter().all(|draft| !world.path(draft).exists()));
    assert!(world.path(".git/hooks/.git-seed-mine").exists());
}

#[test]
fn the_focused_job_moves_by_its_id_too() {
    let world = World::new().installed();
    world.to("execute");
    world.git("checkout -q --detach");
    let job = world.job();
    world.person(&format!("job move {job}")).tells("Moved ");
    let said = world.seed("status").succeeds();
    assert!(!said.contains("HEAD is not"), "{said}");
}

#[test]
fn a_worktree_whose_disk_is_away_is_named_by_uninstall() {
    let world = World::new().installed();
    world.sh("git worktree add -q -b side ../side && cd ../side && git seed init");
    world.sh("git worktree lock ../side && mv ../side ../away");
    world.person("uninstall --check").tells("git seed uninstall there");
    world.person("uninstall").tells("git seed uninstall there");
    world.sh("mv ../away ../side && cd ../side && git seed uninstall && ! test -e .claude/agents");
}
