//! A repository that was moved or copied since `init`: what `doctor` says of it, that what `init`
//! wrote is found again, and that two copies never give one id to two steps.

use pretty_assertions::{assert_eq, assert_ne};

use super::world::{CODE, World};

const SETTINGS: &str = ".claude/settings.local.json";

fn doctor(world: &World) -> String {
    world.tries("git seed doctor").out
}

/// Each Seed-Id of the jobs here.
fn ids(world: &World) -> Vec<String> {
    let said = world.sh("git for-each-ref --format='%(refname)' refs/seed/jobs | \
                         xargs git log --format='%(trailers:key=Seed-Id,valueonly)'");
    said.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn a_repository_that_was_moved_is_one_and_uninstall_finds_what_init_wrote() {
    let world = World::prompted();
    let job = world.job();
    world.sh("cd .. && mkdir up && mv repo up/repo");
    let world = world.elsewhere("up/repo");
    let said = doctor(&world);
    assert!(said.contains("was moved here from ") && !said.contains("another worktree"), "{said}");
    assert!(said.contains("a forbidden call was refused through .claude/"), "{said}");
    // The directory above it has another name now.
    let said = world.tries(
        "cd ../.. && mv up down && cd down/repo && git seed doctor; \
                            cd ../.. && mv down up",
    );
    assert!(said.out.contains("was moved here from ") && !said.out.contains("NO  "), "{said:?}");
    assert_eq!(world.job(), job);
    world.seed("phase advance").succeeds();
    // The next init writes down where it lies.
    world.person("init").succeeds();
    let said = doctor(&world);
    assert!(!said.contains("moved here") && !said.contains("NO  "), "{said}");
    world.person("uninstall").succeeds();
    assert_eq!(world.git("status --porcelain --ignored"), "");
    assert!(!world.path(SETTINGS).exists());
}

#[test]
fn so_is_one_whose_record_is_from_before_places_were_written_down() {
    let world = World::seeded();
    world.sh("sed -i '/^\\[tops\\]/,$d' .git/seed/install.toml && cd .. && mv repo there");
    let world = world.elsewhere("there");
    let said = doctor(&world);
    assert!(said.contains("was moved here from ") && !said.contains("another worktree"), "{said}");
    world.person("uninstall").succeeds();
    assert_eq!(world.git("status --porcelain --ignored"), "");
}

#[test]
fn a_linked_worktree_that_was_moved_by_hand_is_told_with_what_repairs_it() {
    let world = World::linked();
    world.prompt("Fix the lexer");
    let job = world.job();
    world.sh("cd .. && mv linked aside");
    let world = world.elsewhere("aside");
    let said = doctor(&world);
    assert!(
        said.contains("git looks for it in ") && said.contains("git worktree repair"),
        "{said}"
    );
    assert_eq!(world.job(), job, "its job is in focus here");
    world.seed("phase advance").succeeds();
    world.git("worktree repair");
    let said = doctor(&world);
    assert!(!said.contains("git worktree repair"), "{said}");
    assert_eq!(world.job(), job);
}

#[test]
fn a_copy_gets_a_clone_id_of_its_own_and_leaves_its_original_alone() {
    let world = World::prompted();
    let (job, before) = (world.job(), ids(&world));
    let clone = |world: &World| world.text(".git/seed/clone");
    let first = clone(&world);
    world.sh("cd .. && cp -a repo copy && cp -a repo other");
    world.seed("phase advance").succeeds();
    let taken = ids(&world);
    let settings = world.text(SETTINGS);
    assert!(!doctor(&world).contains("is a copy of"), "nobody copied the original");
    // By doctor.
    let world = world.elsewhere("copy");
    let said = world.tries("git seed doctor");
    assert!(said.code != 0 && said.out.contains("is a copy of "), "{said:?}");
    let said = world.tries("git seed doctor --fix").out;
    assert!(said.contains("has a clone id of its own"), "{said}");
    assert!(!doctor(&world).contains("is a copy of"), "once");
    assert_ne!(clone(&world), first);
    // The job is that of the original until it is taken over.
    world.person(&format!("job activate {job}")).succeeds();
    world.seed("phase advance").succeeds();
    let own = ids(&world);
    let new = |all: &[String]| -> Vec<String> {
        all.iter().filter(|id| !before.contains(id)).cloned().collect()
    };
    assert!(new(&own).iter().all(|id| !taken.contains(id)), "{own:?} {taken:?}");
    assert!(!new(&own).is_empty() && !new(&taken).is_empty(), "{own:?} {taken:?}");
    world.person("uninstall").succeeds();
    assert!(!world.path(SETTINGS).exists());
    // By init.
    let world = world.elsewhere("other");
    world.person("init").tells("it has a clone id of its own now");
    assert_ne!(clone(&world), first);
    assert!(!doctor(&world).contains("is a copy of"));
    let world = world.elsewhere("repo");
    assert_eq!((clone(&world), world.text(SETTINGS)), (first, settings));
    world.reads(CODE).passes();
    // The original is gone: what is left of it was moved.
    world.sh("cd .. && cp -a repo last && rm -rf repo");
    let world = world.elsewhere("last");
    assert!(doctor(&world).contains("was moved here from "));
}

#[test]
fn a_linked_worktree_whose_repository_was_moved_says_what_repairs_it() {
    let world = World::seeded();
    world.sh("git worktree add -q -b side ../linked && cd .. && mv repo there");
    let world = world.elsewhere("linked");
    let said = world.tries("git-seed status");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("the repository of this worktree is no longer at"), "{said:?}");
    assert!(said.err.contains("git worktree repair '"), "{said:?}");
    world.sh("cd ../there && git worktree repair ../linked");
    assert_eq!(world.tries("git-seed status").code, 0);
}
