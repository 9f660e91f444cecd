//! `git seed init --grant`: a rule of Gemini's that a person said yes to, and out again.

use std::fs;
use std::path::PathBuf;

use super::world::World;

fn policy(world: &World) -> PathBuf {
    world.root().join("home/.gemini/policies/git-seed.toml")
}

fn with_gemini() -> World {
    let world = World::new();
    world.person("init --host gemini").succeeds();
    world
}

#[test]
fn a_person_who_says_yes_gets_a_rule_that_uninstall_takes_out() {
    let world = with_gemini();
    fs::create_dir_all(world.root().join("home/.gemini")).expect("a directory");
    let asked = world.person("init --host gemini --grant").stdin("y\n").said();
    assert_eq!(asked.code, 0, "{asked:?}");
    assert!(asked.err.contains("May Gemini CLI run git seed's commands"), "{asked:?}");
    let text = fs::read_to_string(policy(&world)).expect("it was written");
    let rules: toml::Table = text.parse().expect("TOML");
    let rules = rules["rule"].as_array().expect("rules");
    let all: Vec<&str> = rules
        .iter()
        .flat_map(|rule| rule["commandPrefix"].as_array().expect("a list"))
        .map(|prefix| prefix.as_str().expect("a text"))
        .collect();
    assert!(all.iter().all(|prefix| prefix.starts_with('/')), "by the path alone: {all:?}");
    assert!(all.iter().any(|prefix| prefix.ends_with("/git-seed phase advance")), "{all:?}");
    assert!(!all.iter().any(|prefix| prefix.contains(" exec") || prefix.contains(" off")));
    world.prompt("x");
    assert!(world.person("doctor").said().out.contains("runs git seed's commands unasked"));
    let again = world.person("init --host gemini --grant").stdin("y\n").said();
    assert!(again.out.contains("it is there already"), "{again:?}");
    assert!(world.person("uninstall --check").succeeds().contains("git-seed.toml"));
    let gone = world.person("uninstall").succeeds();
    assert!(gone.contains("git-seed.toml"), "{gone}");
    assert!(!policy(&world).exists());
    assert!(!policy(&world).parent().expect("a directory").exists(), "nobody had it before");
    assert!(world.root().join("home/.gemini").is_dir(), "that was there");
}

#[test]
fn without_a_yes_nothing_is_written_and_no_agent_asks_for_it() {
    let world = with_gemini();
    for answer in ["n\n", "", "maybe\n", "\n"] {
        world.person("init --host gemini --grant").stdin(answer).succeeds();
        assert!(!policy(&world).exists(), "{answer:?}");
    }
    let said = world.seed("init --host gemini --grant").stdin("y\n").said();
    assert_eq!(said.code, 2, "{said:?}");
    let new = World::new();
    let said = new.seed("init --host gemini --grant").stdin("y\n").said();
    assert_eq!(said.code, 2, "also where git seed is not installed yet: {said:?}");
    assert!(!policy(&world).exists() && !policy(&new).exists());
}

#[test]
fn what_somebody_wrote_there_stays() {
    let world = with_gemini();
    let file = policy(&world);
    fs::create_dir_all(file.parent().expect("a directory")).expect("it is made");
    fs::write(&file, "# mine\n").expect("it is written");
    let told = world.person("init --host gemini --grant").stdin("y\n").said();
    assert!(told.out.contains("a file of another content is there"), "{told:?}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "# mine\n");
    fs::remove_file(&file).expect("it goes");
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    let text = fs::read_to_string(&file).expect("it was written");
    fs::write(&file, format!("{text}# and mine\n")).expect("it is written");
    let found = world.person("doctor").said();
    assert!(found.out.contains("is not as init --grant wrote it"), "{found:?}");
    let gone = world.person("uninstall").succeeds();
    assert!(gone.contains("left") && file.is_file(), "{gone}");
}

#[test]
fn hosts_without_such_rules_say_so() {
    let world = World::new();
    let told = world.person("init --host codex --grant").stdin("y\n").succeeds();
    assert!(told.contains("Codex CLI takes no rule of this kind"), "{told}");
}
