//! The comparison with and without git seed (`bench/ab`): its tasks hold what they promise, and its
//! figures are those of the sessions. A scripted model plays; what a real one does is not known.

use std::process::Command;

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::world::World;

fn script() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/bench/ab/run.py").to_owned()
}

fn has_python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    if !there {
        super::skip::not_here("python3");
    }
    there
}

#[test]
fn each_task_fails_as_it_is_passes_solved_and_fails_where_it_only_looks_so() {
    if has_python() {
        let world = World::empty("git init -q");
        let said = world.sh(&format!("python3 -B {} --check", script()));
        assert_eq!(said, "20 tasks, 0 that do not hold\n");
    }
}

#[test]
fn the_figures_are_those_of_the_sessions() {
    if !has_python() {
        return;
    }
    let world = World::empty("git init -q");
    let line = "--model scripted --tasks 2 --runs 3 --out ../runs.jsonl";
    let binary = super::world::seed_binary();
    let run = format!("python3 -B {} {line} --git-seed {}", script(), binary.display());
    let said = world.persons_terminal(&run, "");
    assert_eq!(said.code, 0, "{said:?}");
    let text = world.text("../runs.jsonl");
    let runs: Vec<Value> = text.lines().map(|line| line.parse().expect("JSON")).collect();
    assert_eq!(runs.len(), 12, "two tasks, two arms, three runs");
    let of = |arm: &str, key: &str| {
        let of_arm = runs.iter().filter(|run| run["arm"] == arm);
        of_arm.filter(|run| run[key] == Value::Bool(true)).count()
    };
    // Every third run writes what only looks right, and without a hook it says that it is done.
    assert_eq!((of("without", "passed"), of("without", "false_done")), (4, 2), "{text}");
    assert!(said.out.contains("| hidden tests pass | 67% [30%, 90%] |"), "{}", said.out);
    assert!(said.out.contains("| says done and is not | 33% [10%, 70%] |"), "{}", said.out);
    let strays: Vec<&Value> = runs.iter().filter(|run| run["run"] == 2).collect();
    for run in strays {
        let outside = run["outside"].as_array().expect("a list");
        let wanted = usize::from(run["arm"] == "without");
        assert_eq!(outside.len(), wanted, "a file that nobody named: {run}");
    }
    assert!(runs.iter().all(|run| run["tokens"].as_u64() > Some(0)), "{text}");
    assert!(said.out.contains("It says nothing about what git seed buys."), "{}", said.out);
}
