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
    let all: Vec<&str> =
        rules.iter().map(|rule| rule["commandRegex"].as_str().expect("a text")).collect();
    assert!(all.iter().all(|rule| rule.starts_with('/')), "by the path alone: {all:?}");
    assert!(all.iter().any(|rule| rule.contains("|phase advance|")), "{all:?}");
    assert!(!all.iter().any(|rule| rule.contains("|exec") || rule.contains("|off")));
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

/// Says of each line, as the host hands it to its rules, whether one of them grants it.
const MATCH: &str = r#"
import json, re, sys
rules = json.load(open(sys.argv[1]))
nested = re.compile(r"\([^)]*[*+?{].*\)[*+?{]")
for line in json.load(open(sys.argv[2])):
    args = {"command": line, "dir_path": "src"}
    args = json.dumps(args, separators=(",", ":"), ensure_ascii=False)
    patterns = ['"command":"' + rule for rule in rules]
    assert not any(nested.search(one) or len(one) > 2048 for one in patterns), "the host takes none"
    print("granted" if any(re.search(one, args) for one in patterns) else "asked")
"#;

/// What the rules say of these lines, behind the path of the program; none where no engine is here
/// that reads them.
fn ruled(world: &World, lines: &[&str]) -> Option<Vec<String>> {
    let rules: toml::Table =
        fs::read_to_string(policy(world)).expect("it is there").parse().expect("TOML");
    let rules = rules["rule"].as_array().expect("rules").iter();
    let rules: Vec<&str> = rules.map(|rule| rule["commandRegex"].as_str().expect("one")).collect();
    let granted = rules[0].split(" (?:").next().expect("the program").replace('\\', "");
    let lines: Vec<String> = lines.iter().map(|line| format!("{granted}{line}")).collect();
    world.puts("../match.py", MATCH);
    world.puts("../rules.json", &serde_json::json!(rules).to_string());
    world.puts("../lines.json", &serde_json::json!(lines).to_string());
    if world.tries("python3 -c 'import re'").code != 0 {
        super::skip::not_here("python3");
        return None;
    }
    let said = world.sh("python3 ../match.py ../rules.json ../lines.json");
    Some(said.lines().map(str::to_owned).collect())
}

#[test]
fn no_option_that_leads_elsewhere_is_granted_in_whatever_way_it_is_written() {
    let world = with_gemini();
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    let well = [
        " status",
        " status --json",
        " phase advance",
        " phase advance -F -",
        " phase advance --scope=src --scope='src/parser' -m \"say beta, as it should\"",
        " phase checkpoint -m 'one line\n\n- a read-only point\n- another'",
        " why --color=never",
        " job show 20261121t205612-7f3a",
    ];
    let badly = [
        " phase advance -C /other/repo -F -",
        " phase advance -C/other/repo",
        " status --multiplier 3",
        " status --multiplier=3",
        " status -\"C\" /other/repo",
        " status \"-C\" /other/repo",
        " status '-C' /other/repo",
        " status \\-C /other/repo",
        " status -\\C /other/repo",
        " status ''-C /other/repo",
        " status \t-C /other/repo",
        " status \\\n-C /other/repo",
        " status $'-C' /other/repo",
        " status $(echo -C) /other/repo",
        " status {-C,/other/repo}",
        " status -{C,x}",
        " status `echo -C` /other/repo",
        " status --mul'ti'plier 3",
        " status --mul\\tiplier 3",
        " status '--multiplier' 3",
        " status -qC /other/repo",
        " status *",
        " status [-]C..",
        " status -?..",
        " status \u{2028} -C /other/repo",
        " status\u{2028}-C /other/repo",
        " phase advance\u{2028} -C /other/repo",
        "-C /other/repo status",
        " -C /other/repo status",
        " exec true",
        " off -m x",
        " job approve",
        " statusx",
    ];
    let Some(ruled) = ruled(&world, &[&well[..], &badly[..]].concat()) else { return };
    for (line, said) in well.iter().chain(&badly).zip(&ruled) {
        assert_eq!(said, if well.contains(line) { "granted" } else { "asked" }, "{line}");
    }
    assert_eq!(ruled.len(), well.len() + badly.len());
}

/// Another repository of the same person, with the same rule.
fn another(world: &World) {
    world.sh("git clone -q . ../other && cd ../other && git seed init --host gemini");
    let told = world.persons_terminal("cd ../other && git seed init --host gemini --grant", "y\n");
    assert!(told.code == 0 && told.out.contains("it is there already"), "{told:?}");
}

#[test]
fn the_rule_goes_with_the_last_repository_that_it_serves() {
    let world = with_gemini();
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    another(&world);
    let other = |line: &str| world.sh(&format!("cd ../other && {line}"));
    for plan in [world.person("uninstall --check").succeeds(), other("git seed uninstall --check")]
    {
        assert!(plan.contains("it serves other repositories of yours"), "{plan}");
    }
    let told = world.person("uninstall").succeeds();
    assert!(told.contains("it serves other repositories of yours"), "{told}");
    assert!(policy(&world).is_file());
    assert!(other("git seed uninstall --check").contains("would take out"));
    other("git seed uninstall");
    assert!(!policy(&world).exists());
    assert!(!policy(&world).parent().expect("a directory").exists(), "nobody had it before");
}

#[test]
fn a_repository_that_is_gone_keeps_no_rule() {
    let world = with_gemini();
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    another(&world);
    world.sh("rm -rf .git/seed");
    world.sh("cd ../other && git seed uninstall");
    assert!(!policy(&world).exists());
    assert!(!policy(&world).parent().expect("a directory").exists());
}

#[test]
fn the_rule_that_a_person_asked_for_is_no_change_by_nobody() {
    let world = with_gemini();
    let gemini = |event: &str, fields: serde_json::Value| {
        world.hears("gemini", event, &fields).json().to_string()
    };
    gemini("SessionStart", serde_json::json!({ "source": "startup" }));
    gemini("BeforeAgent", serde_json::json!({ "prompt": "Fix the lexer" }));
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    let call = serde_json::json!({ "tool_name": "run_shell_command",
        "tool_input": { "command": "ls" }, "tool_response": { "llmContent": "src" } });
    let said = gemini("BeforeTool", call.clone()) + &gemini("AfterTool", call);
    assert!(!said.contains("git-seed.toml"), "{said}");
    assert_eq!(world.json("fence status")["strays"], serde_json::json!([]));
    world.person("uninstall").succeeds();
}

/// What Gemini CLI is told at an event.
fn told(world: &World, event: &str, fields: serde_json::Value) -> String {
    let said = world.hears("gemini", event, &fields).json().clone();
    said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// The path of the program, as the rule has it.
fn program(world: &World) -> String {
    let rules = fs::read_to_string(policy(world)).expect("it is there");
    let (_, rest) = rules.split_once("commandRegex = \"").expect("a rule");
    rest.split(" (?:").next().expect("the program").replace('\\', "")
}

#[test]
fn where_the_rule_is_in_force_openings_name_the_program_by_its_path() {
    let world = with_gemini();
    let says = |world: &World, prompt: &str| {
        let said = told(world, "BeforeAgent", serde_json::json!({ "prompt": prompt }));
        world.person("job drop -m 'next'").succeeds();
        said
    };
    let by_name = says(&world, "Fix the lexer");
    assert!(by_name.contains("\nAnything larger: git seed phase advance"), "{by_name}");
    assert!(!by_name.contains("without a question"), "{by_name}");
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    let program = program(&world);
    let by_path = says(&world, "Fix the parser");
    let whole = by_name.replace("git seed phase", &format!("{program} phase"));
    let how = format!("Write `git seed` as {program} here: so it runs without a question.");
    assert_eq!(by_path, format!("{}\n{how}", whole.trim_end()));
    // A session that finds a job: what others wrote stays as it was written.
    told(&world, "BeforeAgent", serde_json::json!({ "prompt": "Say what git seed status shows" }));
    world.agents_shell("git seed phase advance", "");
    told(&world, "BeforeAgent", serde_json::json!({ "prompt": "And what git seed log says" }));
    let wakes = told(&world, "SessionStart", serde_json::json!({ "source": "startup" }));
    assert!(wakes.contains(&format!("To end it: {program} phase advance")), "{wakes}");
    assert!(wakes.contains("job \"Say what git seed status shows\""), "{wakes}");
    assert!(wakes.contains("> And what git seed log says") && wakes.ends_with(&how), "{wakes}");
    // One that somebody changed grants nothing that is known.
    let text = fs::read_to_string(policy(&world)).expect("it is there");
    fs::write(policy(&world), format!("{text}# and mine\n")).expect("it is written");
    let changed = told(&world, "SessionStart", serde_json::json!({ "source": "startup" }));
    assert!(changed.contains("To end it: git seed phase advance"), "{changed}");
    fs::remove_file(policy(&world)).expect("it goes");
    let gone = told(&world, "SessionStart", serde_json::json!({ "source": "resume" }));
    assert!(gone.contains("To end it: git seed phase advance"), "{gone}");
}

/// The rule lets the host run it; the hook must know it, too, wherever it lies.
#[test]
fn a_command_by_the_path_of_the_program_is_judged_as_one_by_its_name() {
    let world = with_gemini();
    world.person("init --host gemini --grant").stdin("y\n").succeeds();
    let program = program(&world);
    assert!(!program.starts_with("/usr/"), "it lies where a person put it: {program}");
    told(&world, "BeforeAgent", serde_json::json!({ "prompt": "Fix the lexer" }));
    let refused = |line: &str| {
        let call = serde_json::json!({ "tool_name": "run_shell_command",
            "tool_input": { "command": line } });
        world.hears("gemini", "BeforeTool", &call).json()["decision"] == "deny"
    };
    for words in ["status", "phase advance", "why --json", "log | head -3"] {
        assert!(!refused(&format!("{program} {words}")), "{words}");
    }
    for line in [
        format!("{program} off -m x"),
        format!("{program} job approve"),
        format!("{program}s status"),
        "/opt/elsewhere/git-seed status".to_owned(),
        "./git-seed status".to_owned(),
        "../bin/git-seed phase advance".to_owned(),
    ] {
        assert!(refused(&line), "{line}");
    }
    // A link could lead elsewhere by the time that the shell follows it.
    world.sh(&format!("ln -s {program} ../git-seed"));
    let link = world.root().join("git-seed").display().to_string();
    assert!(refused(&format!("{link} status")));
}
