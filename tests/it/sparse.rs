//! A sparse checkout of 200,000 files goes through a whole cycle, and what that costs beside the
//! same cycle in a small repository.

#![expect(clippy::disallowed_macros, reason = "it tells what it measured")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::world::{PAGE, World};

const PHASES: [&str; 5] = ["observe", "plan", "execute", "verify", "condense"];

/// A project beside `files` more, of which only the project itself is checked out.
fn vast(files: usize) -> World {
    narrowed(files, "set --cone src .claude")
}

/// The same with a checkout of another kind.
fn narrowed(files: usize, how: &str) -> World {
    let world = World::new();
    let mut stream = String::from("blob\nmark :1\ndata 5\nsame\n\n");
    stream.push_str("commit refs/heads/main\ncommitter Ada <ada@example.org> 1790000000 +0000\n");
    stream.push_str("data 4\nmany\nfrom refs/heads/main^0\n");
    for file in 0..files {
        let _ = writeln!(stream, "M 100644 :1 many/{}/{}/{file}.txt", file / 10_000, file / 100);
    }
    world.puts("../stream", &stream);
    world.sh("git fast-import --quiet < ../stream");
    world.git(&format!("sparse-checkout {how}"));
    world.git("reset -q --hard");
    assert!(!world.path("many").exists(), "it is not checked out");
    assert_eq!(world.git("ls-files many").lines().count(), files);
    world
}

/// Lives a job to its end; how long each phase took, its steps included.
fn cycle(world: &World) -> Vec<Duration> {
    let took = cycle_with(world, &|_| {});
    assert!(!world.path("many").exists(), "nobody checked it out");
    took
}

/// The same; before each phase something else happens.
fn cycle_with(world: &World, happens: &dyn Fn(&str)) -> Vec<Duration> {
    world.person("init").succeeds();
    world.starts();
    world.prompt("fix the lexer");
    world.seed("phase advance").succeeds();
    let took = |phase: &&str| {
        happens(phase);
        let begins = Instant::now();
        world.works(phase);
        if *phase == "condense" {
            world.approved();
        }
        world.leaves();
        begins.elapsed()
    };
    let took = PHASES.iter().map(took).collect();
    assert_eq!(world.phase(), "none");
    assert!(world.text(PAGE).contains("one character of lookahead"));
    assert_eq!(world.git("status --porcelain"), "");
    took
}

/// What is not checked out was deleted by nobody: no claim is measured against it.
#[test]
fn what_a_sparse_checkout_leaves_out_is_no_change_of_the_job() {
    let world = vast(300);
    cycle(&world);
    let records = world.json("audit show").to_string();
    assert!(records.contains("src/parser"), "{records}");
    assert!(!records.contains("many/0/"), "{records}");
    let told = world.git("log --format=%B --name-only");
    assert_eq!(told.matches("many/").count(), 300, "they came, and nothing took them away");
}

/// The commits of the cycle name nothing of what was left out, and git seed leaves as it came.
fn leaves_the_rest_alone(world: &World, files: usize, kind: &str) {
    let told = world.git("log --format=%B --name-only");
    assert_eq!(told.matches("many/").count(), files, "{kind}: they came, and nothing else");
    assert_eq!(world.git("ls-files many").lines().count(), files, "{kind}");
    let claims = world.git("log --format=%B -p refs/seed/claims");
    assert!(!claims.contains("many/0/"), "{kind}: {claims}");
    world.person("uninstall").succeeds();
    // The page loses its empty anchors.
    assert!(!world.git("status --porcelain").contains("many"), "{kind}");
    assert_eq!(world.git("ls-files many").lines().count(), files, "{kind}");
}

#[test]
fn a_sparse_index_goes_through_a_cycle() {
    let world = narrowed(120, "set --cone --sparse-index src .claude");
    cycle(&world);
    leaves_the_rest_alone(&world, 120, "sparse index");
}

#[test]
fn a_checkout_that_grows_and_shrinks_in_a_cycle_is_nobodys_change() {
    let world = narrowed(300, "set --cone src .claude");
    cycle_with(&world, &|phase| {
        let how = match phase {
            "plan" => "add many/0/1",
            "execute" => "disable",
            "verify" => "set --cone src .claude many/0/2",
            _ => "",
        };
        if !how.is_empty() {
            world.git(&format!("sparse-checkout {how}"));
        }
    });
    assert!(world.path("many/0/2").exists() && !world.path("many/0/1").exists());
    leaves_the_rest_alone(&world, 300, "grown");
}

#[test]
fn the_word_of_a_worktree_goes_with_it() {
    let world = narrowed(300, "set --cone src .claude");
    world.git("worktree add -q --detach ../linked");
    let words = world.repo().join(".git/seed/left-out");
    std::fs::create_dir_all(&words).expect("ours");
    for name in ["linked", "gone"] {
        std::fs::write(words.join(name), "a word\n").expect("ours");
    }
    let names = || {
        let names = std::fs::read_dir(&words).into_iter().flatten().flatten();
        let mut names: Vec<_> = names.map(|name| name.file_name()).collect();
        names.sort();
        names
    };
    cycle(&world);
    assert_eq!(names(), ["linked", "main"]);
}

fn millis(took: Duration) -> u128 {
    took.as_millis()
}

#[test]
#[ignore = "a minute"]
fn a_sparse_checkout_of_200_000_files_goes_through_a_cycle() {
    let small = cycle(&World::new());
    let world = vast(200_000);
    let status = || {
        let begins = Instant::now();
        world.git("status --porcelain");
        begins.elapsed()
    };
    status();
    let status = status();
    let large = cycle(&world);
    println!("git status --porcelain: {} ms", millis(status));
    for ((phase, small), large) in PHASES.iter().zip(&small).zip(&large) {
        println!("{phase:<9} {:>6} ms, in the small one {} ms", millis(*large), millis(*small));
    }
}
