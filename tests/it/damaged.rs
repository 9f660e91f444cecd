//! Files below `.git/seed` that are there and do not read: broken is not empty.

use std::fs;
use std::path::Path;

use super::world::{PAGE, World, message};

/// Does to a file what a full disk, a torn write or another program may leave.
const DAMAGE: [fn(&Path); 3] = [
    |file| fs::write(file, "{ cut o").expect("written"),
    |file| fs::write(file, b"\xff\xfe").expect("written"),
    |file| {
        fs::remove_file(file).expect("it is there");
        fs::create_dir(file).expect("made");
    },
];

/// The first file of `dir` with this ending.
fn file_in(world: &World, dir: &str, ending: &str) -> std::path::PathBuf {
    let files =
        fs::read_dir(world.path(dir)).expect("a directory").flatten().map(|file| file.path());
    let found = files.into_iter().find(|file| file.extension().is_some_and(|end| end == ending));
    found.expect("one with this ending")
}

#[test]
fn fingerprints_that_do_not_read_refuse_code_and_boundaries() {
    for damage in DAMAGE {
        let world = World::new().installed();
        world.to("execute");
        let prints = file_in(&world, ".git/seed/prints", "json");
        damage(&prints);
        world.reads("README.md").passes();
        world.runs("cargo test").refuses("git seed doctor --fix");
        world.seed("phase advance -F -").stdin(&message("execute")).fails("does not read");
        let said = world.seed("doctor").said();
        assert!(said.code == 1 && said.out.contains("does not read"), "{said:?}");
        assert!(world.person("doctor --fix").said().out.contains("it is kept as"));
        assert!(!prints.exists(), "set aside");
        world.starts();
        world.runs("cargo test").passes();
    }
}

fn lose(world: &World) {
    fs::remove_dir_all(world.path(".git/seed")).expect("it was there");
}

fn tamper(world: &World) {
    let files = fs::read_dir(world.path(".git/seed/journal")).expect("a directory").flatten();
    let file = files.map(|file| file.path()).find(|file| file.is_file()).expect("a journal");
    fs::write(&file, "{}\tx\ty\n").expect("written");
}

/// All calls but looks are refused, so whoever asks what is wrong is told, and led on.
#[test]
fn a_journal_that_is_gone_or_changed_is_named_where_people_look() {
    for phase in ["idle", "execute"] {
        for (damage, what) in [(lose as fn(&World), "missing"), (tamper, "changed by hand")] {
            let world = World::new().installed();
            world.prompt("Fix the lexer");
            if phase != "idle" {
                world.to(phase);
            }
            damage(&world);
            world.runs("cargo test").refuses(what);
            let status = world.json("status");
            assert_eq!(status["next"], "git seed doctor --fix", "{phase}: {status}");
            assert!(!status["allowed"].to_string().contains("write in"), "{status}");
            assert!(status["missing"][0].as_str().is_some_and(|text| text.contains(what)));
            let why = world.person("why").tells("do: git seed doctor --fix");
            assert!(why.contains(what), "{phase}: {why}");
            world.person("doctor --fix").said();
            let status = world.person("status").succeeds();
            assert!(!status.contains("doctor --fix"), "{phase} {what}: {status}");
            assert!(!world.person("why").succeeds().contains(what));
        }
    }
}

#[test]
fn a_record_of_the_installation_that_does_not_read_is_not_written_over() {
    for damage in DAMAGE {
        let world = World::new().installed();
        damage(&world.path(".git/seed/install.toml"));
        world.person("init").fails("install.toml does not read");
        world.person("uninstall").fails("git seed doctor --fix");
        world.person("off for a while").said();
        let said = world.person("doctor --fix").said();
        assert!(said.out.contains("install.toml.unread"), "{said:?}");
        world.person("init").succeeds();
    }
}

#[test]
fn what_is_under_way_and_does_not_read_is_not_forgotten() {
    for dir in ["pending", "behind", "meant"] {
        let world = World::new().installed();
        world.to("execute");
        let name = file_in(&world, ".git/seed/prints", "json").with_extension("toml");
        let seed = world.path(".git/seed").join(dir);
        let file = seed.join(name.file_name().expect("a name"));
        fs::create_dir_all(&seed).expect("made");
        fs::write(&file, "id = ").expect("written");
        world.seed("status").fails("does not read");
        assert!(file.exists(), "kept for a person");
        assert!(world.person("doctor --fix").said().out.contains("it is kept as"), "{dir}");
        world.seed("status").succeeds();
    }
}

#[test]
fn a_page_that_does_not_read_is_not_without_notes() {
    let world = World::new().installed();
    world.to("condense");
    world.seed("note list").succeeds();
    // A directory in its place is a page that is gone, which the fence names.
    DAMAGE[1](&world.path(PAGE));
    world.seed("note list").fails(&format!("{PAGE} does not read"));
    let said = world.seed("phase advance -F -").stdin(&message("condense")).said();
    assert!(said.code == 1 && said.err.contains("hint: fix the file"), "{said:?}");
    assert_eq!(world.phase(), "condense");
}

#[cfg(unix)]
#[test]
fn a_plan_document_that_does_not_read_is_not_missing() {
    let world = World::new().installed();
    world.to("plan");
    world.opens();
    world.notes("---Pl---", "contract: the lexer keeps escapes");
    world.seed("plan set-plan-file plan_x.yaml").succeeds();
    world.seed("plan validate").said();
    let home = world.path(&format!(".claude/jobs/{}", world.job()));
    let _ = fs::rename(&home, home.with_extension("aside"));
    fs::create_dir_all(home.parent().expect("a directory")).expect("made");
    std::os::unix::fs::symlink(&home, &home).expect("a circle");
    world.seed("plan total").fails("plan.yaml does not read");
    world.seed("plan validate").fails("plan.yaml does not read");
    world.seed("phase advance -F -").stdin(&message("plan")).fails("plan.yaml does not read");
    world.reads(PAGE).passes();
    fs::remove_file(&home).expect("it is there");
    world.seed("plan total").prints("none\n");
}

#[test]
fn settings_that_do_not_read_are_not_without_our_lines() {
    for damage in [DAMAGE[1], DAMAGE[2]] {
        let world = World::new();
        world.person("init --mcp").succeeds();
        damage(&world.path(".claude/settings.local.json"));
        let said = world.seed("doctor").said();
        let line = said.out.lines().find(|line| line.contains("settings.local.json does not read"));
        assert!(line.is_some_and(|line| line.contains("host")), "{said:?}");
        assert!(said.out.contains("a person fixes the file, then git seed init"), "{said:?}");
    }
}

#[test]
fn servers_settings_that_do_not_read_are_not_without_our_server() {
    for damage in [DAMAGE[1], DAMAGE[2]] {
        let world = World::new();
        world.person("init --mcp").succeeds();
        let said = world.seed("doctor").said();
        assert!(said.out.contains("finds the server seed in"), "{said:?}");
        damage(&world.root().join("home/.claude.json"));
        let said = world.seed("doctor").said();
        let line = said.out.lines().find(|line| line.contains(".claude.json does not read"));
        assert!(line.is_some_and(|line| line.contains("mcp")), "{said:?}");
    }
}

#[test]
fn a_job_whose_lists_are_lost_goes_back_to_its_newest_step_that_has_them() {
    let world = World::new().installed();
    world.to("execute");
    world.loses(&format!("refs/seed/jobs/{}:scope", world.job()));
    world.starts();
    world.runs("cargo test").refuses("git seed doctor --fix");
    assert!(world.seed("doctor").said().out.contains("fix: git seed doctor --fix"));
    let agents = world.seed("doctor --fix").said();
    assert!(agents.out.contains("only a person can reset the job"), "{agents:?}");
    let persons = world.person("doctor --fix").said();
    assert!(persons.out.contains("its newest readable step"), "{persons:?}");
    assert_eq!(world.phase(), "plan");
    world.seed("status").succeeds();
    world.starts();
    world.reads(PAGE).passes();
}

/// A ref that was cut off, overwritten, or names no job: every command that needs it says so, and
/// `doctor --fix` sets it back to its newest step, or takes it away where there is none.
#[test]
fn a_job_ref_that_names_no_job_is_mended() {
    type Damage = fn(&World, &str);
    let ways: [(&str, Damage); 4] = [
        ("empty", |world, chain| {
            std::fs::write(world.path(&format!(".git/{chain}")), "").expect("cut");
        }),
        ("garbage", |world, chain| {
            std::fs::write(world.path(&format!(".git/{chain}")), "no id\n").expect("written");
        }),
        ("a blob", |world, chain| drop(world.git(&format!("update-ref {chain} HEAD:todo.txt")))),
        ("an empty tree", |world, chain| {
            let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
            world.sh("git hash-object -t tree -w /dev/null");
            let commit = world.git(&format!("commit-tree -m nothing {tree}"));
            world.git(&format!("update-ref {chain} {}", commit.trim()));
        }),
    ];
    for (way, damages) in ways {
        for logged in [true, false] {
            let world = World::seeded();
            world.person("job create 'another one'").succeeds();
            let other = world.json("job list")[0]["id"].as_str().expect("an id").to_owned();
            world.to("execute");
            let chain = format!("refs/seed/jobs/{other}");
            let log = world.path(&format!(".git/logs/{chain}"));
            if !logged {
                // Where nobody kept a log of it there is nothing to go back to.
                let _ = std::fs::remove_file(&log);
            }
            damages(&world, &chain);
            if !logged {
                let _ = std::fs::remove_file(&log);
            }
            let found = world.person("doctor").said();
            assert!(
                format!("{}{}", found.out, found.err).contains("git seed doctor --fix"),
                "{way}: {found:?}"
            );
            let mended = world.person("doctor --fix").said();
            assert!(mended.out.contains(&chain), "{way} {logged}: {mended:?}");
            let jobs = world.json("job list").to_string();
            assert_eq!(jobs.contains(&other), logged, "{way}: {jobs}");
            // The job in focus goes on.
            world.prompt("go on");
            assert_eq!(world.phase(), "execute", "{way} {logged}");
            world.works("execute");
            world.leaves();
        }
    }
}

/// What filter-repo does where it is not told which refs to rewrite: all commits get other ids.
#[test]
fn closed_jobs_are_indexed_again_after_a_tool_wrote_all_refs_anew() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&super::world::message("condense")).succeeds();
    let job = world.json("job list --all")[0]["id"].as_str().expect("an id").to_owned();
    assert!(!world.tries("git seed doctor").out.contains("lies nowhere"));
    world.sh("git fast-export --all --signed-tags=strip > ../all && \
         sed -i 's/^committer /committer A /' ../all && \
         git for-each-ref --format='delete %(refname)' refs/seed | git update-ref --stdin && \
         git fast-import --force --quiet < ../all && git reset -q --hard && \
         git reflog expire --expire=now --all && git gc -q --prune=now");
    let said = world.tries("git seed doctor");
    let told = format!("{job} lies nowhere");
    assert!(said.code != 0 && said.out.contains(&told), "{said:?}");
    let said = world.tries("git seed doctor --fix");
    assert!(said.out.contains("the index of the archive was rebuilt: 1 job"), "{said:?}");
    assert!(!world.tries("git seed doctor").out.contains("lies nowhere"));
    assert_eq!(world.json(&format!("job show {job}"))["status"], "completed");
    world.prompt("Fix the lexer once more");
    world.seed("phase advance").succeeds();
}

/// A world with a closed job and one that is in focus.
fn with_two_jobs() -> World {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    world.prompt("Fix the lexer once more");
    world.seed("phase advance").succeeds();
    world
}

/// The object that the ref `name` has is nowhere.
fn gone(world: &World, name: &str) {
    fs::write(world.path(&format!(".git/{name}")), format!("{}\n", "1".repeat(40)))
        .expect("written");
}

#[test]
fn a_ref_of_its_own_that_was_cut_off_is_put_back() {
    let shared = ["seed/meta", "notes/seed", "seed/ops", "seed/archive", "seed/texts"];
    let names = shared.map(|name| format!("refs/{name}"));
    let focus = "refs/worktree/seed/focus".to_owned();
    for name in names.iter().chain([&focus]) {
        let world = with_two_jobs();
        let (job, jobs) = (world.job(), world.json("job list --all"));
        let stood = world.git(&format!("rev-parse {name}"));
        fs::write(world.path(&format!(".git/{name}")), "").expect("cut off");
        let found = world.person("doctor").said();
        assert!(found.out.contains("fix: git seed doctor --fix"), "{name}: {found:?}");
        // Without a focus that reads, doctor's own try of the hooks says so as well.
        let leads = *name != focus && found.out.contains("fix: git seed init");
        assert!(!leads, "{name}: {found:?}");
        assert!(!found.out.contains("hint:"), "{name}: {found:?}");
        let mended = world.person("doctor --fix").said();
        let told = if *name == focus { "is focused again" } else { "newest readable value" };
        assert!(mended.out.contains(told), "{name}: {mended:?}");
        // Nothing of it is lost.
        world.git(&format!("merge-base --is-ancestor {stood} {name}"));
        assert_eq!(world.job(), job, "{name}");
        assert_eq!(world.json("job list --all"), jobs, "{name}");
        let found = world.person("doctor").said();
        assert!(!found.out.contains("doctor --fix"), "{name}: {found:?}");
    }
}

#[test]
fn a_ref_of_its_own_whose_object_is_gone_has_the_value_before_it() {
    for name in [
        "refs/seed/meta",
        "refs/notes/seed",
        "refs/seed/ops",
        "refs/seed/archive",
        "refs/seed/texts",
    ] {
        let world = with_two_jobs();
        gone(&world, name);
        let mended = world.person("doctor --fix").said();
        let told = format!("{name} was unreadable and was reset to ");
        assert!(mended.out.contains(&told), "{name}: {mended:?}");
        world.person("job list --all").succeeds();
        world.person("doctor --fix").said();
        world.person("status").succeeds();
    }
}

#[test]
fn no_ref_is_left_out_of_what_uninstall_saves() {
    for name in ["refs/seed/archive", "refs/notes/seed"] {
        let world = with_two_jobs();
        fs::write(world.path(&format!(".git/{name}")), "").expect("cut off");
        for line in ["uninstall --check", "uninstall"] {
            world.person(line).refuses(&format!("{name} is unreadable"));
        }
        world.person("doctor --fix").said();
        world.person("uninstall").tells("every step and note");
    }
}

#[test]
fn a_job_whose_object_is_gone_is_not_named_for_deletion() {
    let world = World::seeded();
    world.to("execute");
    world.loses(&format!("refs/seed/jobs/{}", world.job()));
    let found = world.person("doctor").said();
    assert!(found.out.contains("fix: git seed doctor --fix"), "{found:?}");
    assert!(!found.out.contains("update-ref -d"), "{found:?}");
}
