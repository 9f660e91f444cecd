//! What counts as proof: where a run is of, how it ended, and which lines VERIFY lets run.

use serde_json::{Value, json};

use super::quick::small_in;
use super::world::{CODE, Did, PASSED, World};

/// The agent gives a line whose run prints that all tests pass.
fn passes(world: &World, line: &str) -> Did {
    let ran = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": line, "description": "tests" }), || ran)
}

/// Whether something ran well since the last change, as the journal has it.
fn is_proved(world: &World) -> bool {
    let journal = world.text(".git/seed/journal/main.jsonl");
    journal.lines().last().is_some_and(|line| line.contains("\"proved\":true"))
}

/// A small job whose one change is made, in a repository with tests that ignores `build/`.
fn changed() -> World {
    let world = small_in(&[
        ("src/calc.py", "def add(a, b):\n    return a - b\n"),
        ("tests/test_calc.py", "import unittest\n"),
        ("Makefile", "test:\n\tpython3 -m unittest\n"),
        (".gitignore", "build/\n*.log\n"),
    ]);
    world.edits("src/calc.py", "a - b", "a + b").passes();
    world.minute();
    world
}

#[test]
fn a_run_of_what_the_agent_put_where_git_looks_away_proves_nothing() {
    for (file, line) in [
        ("build/Makefile", "make -C build test"),
        ("build/x.mk", "make -f build/x.mk test"),
        ("build/package.json", "npm --prefix build test"),
        ("build/unittest.py", "cd build && python3 -m unittest"),
        ("build/unittest.py", "PYTHONPATH=build python3 -m unittest"),
        ("build/CTestTestfile.cmake", "ctest --test-dir build"),
        ("build/justfile", "just -f build/justfile test"),
        ("build/sub/Makefile", "make -C build/sub test"),
        ("build/bin.py", "node --require ./build/bin.py --test"),
    ] {
        let world = changed();
        world.writes(file, "test:\n\t@true\n").passes();
        passes(&world, line).passes();
        assert!(!is_proved(&world), "{line}");
        passes(&world, "make test").passes();
        assert!(is_proved(&world), "{line}, and then the tests");
    }
    for line in [
        "printf 'test:\\n' > build/Makefile; make -C build test",
        "mkdir -p build && cp Makefile build/ && make -C build test",
    ] {
        let world = changed();
        world.puts("build/a.log", "");
        passes(&world, line).passes();
        assert!(!is_proved(&world), "{line}");
    }
    let world = changed();
    world.puts("build/a.log", "");
    world.runs("printf 'test:\\n' > build/Makefile").passes();
    world.edits("src/calc.py", "a + b", "b + a").passes();
    passes(&world, "make -C build test").passes();
    assert!(!is_proved(&world));
}

#[test]
fn a_build_directory_that_a_tool_generated_is_a_place_for_tests() {
    for line in ["make -C build test", "cd build && ctest", "ninja -C build test"] {
        let world = changed();
        world.puts("build/CMakeCache.txt", "");
        world.puts("build/Makefile", "test:\n");
        passes(&world, "python3 -m unittest tests.test_calc > build/t.log 2>&1").passes();
        world.runs("rm -rf build/old && mkdir -p build/new").passes();
        passes(&world, line).passes();
        assert!(is_proved(&world), "{line}");
        let status = world.json("status").to_string();
        assert!(!status.contains("does not hold"), "{line}: {status}");
    }
    // What nobody knows the origin of is named to the person.
    let world = changed();
    world.puts("build/Makefile", "test:\n");
    passes(&world, "make -C build test").passes();
    assert!(is_proved(&world));
    let card = world.person("condense status").said().out + &world.person("status").succeeds();
    assert!(card.contains("git does not hold") || card.contains("not in git"), "{card}");
}

#[test]
fn a_run_of_another_place_closes_no_step() {
    let world = changed();
    let other = world.root().join("other");
    std::fs::create_dir_all(&other).expect("a directory");
    std::fs::write(other.join("x.sh"), "true\n").expect("a script");
    let other = other.display();
    for line in [
        format!("make -C {other} test"),
        format!("cd {other} && python3 -m unittest"),
        format!("npm --prefix {other} test"),
        format!("sh {other}/x.sh"),
        format!("bash -e {other}/x.sh"),
        format!("cd {other} && ./x.sh"),
        // Where `cd` goes by a variable.
        format!("CDPATH={other} cd tests && python3 -m unittest"),
        format!("export CDPATH={other}; cd tests && python3 -m unittest"),
        format!("CDPATH={other} bash -c 'cd tests && python3 -m unittest'"),
        format!("env CDPATH={other} bash -c 'cd tests && python3 -m unittest'"),
    ] {
        passes(&world, &line);
        assert!(!is_proved(&world), "{line}");
    }
    passes(&world, "make test").passes();
    assert!(is_proved(&world));
}

#[test]
fn a_run_that_takes_its_tests_or_its_code_from_elsewhere_closes_no_step() {
    let world = changed();
    let other = world.root().join("other");
    std::fs::create_dir_all(&other).expect("a directory");
    for name in ["test_x.py", "x.test.js", "q.js"] {
        std::fs::write(other.join(name), "").expect("a file");
    }
    let other = other.display();
    for line in [
        format!("python3 -m unittest discover -s {other} -t {other}"),
        format!("python3 -m unittest discover -vs{other}"),
        format!("pytest -q {other}/test_x.py"),
        format!("node --test {other}/x.test.js"),
        format!("npx --yes node --test {other}"),
        format!("node --test-reporter={other}/q.js --test"),
        format!("node --test-reporter {other}/q.js --test"),
        format!("node --import=file://{other}/q.js --test"),
        format!("npm test --node-options='--require {other}/q.js'"),
        format!("npx jest --rootDir {other}"),
        format!("npx jest --reporters={other}/q.js"),
    ] {
        passes(&world, &line);
        assert!(!is_proved(&world), "{line}");
    }
    for line in [
        "python3 -m unittest discover -s tests -t .".to_owned(),
        "pytest -q tests".to_owned(),
        "node --test-reporter=./tests/q.js --test tests/".to_owned(),
        "npx jest --rootDir . --reporters=default".to_owned(),
        "npm test --node-options=--max-old-space-size=4096".to_owned(),
    ] {
        let world = changed();
        passes(&world, &line);
        assert!(is_proved(&world), "{line}");
    }
}

#[test]
fn a_script_of_npm_that_settings_swap_closes_no_step() {
    for line in [
        "npm config set script-shell /bin/true; npm test",
        "npm test --script-shell=/bin/true",
        "npm --script-shell /bin/true test",
        "npm_config_script_shell=/bin/true npm test",
        "npm test --node-options='--require ./tests/q.js'",
    ] {
        let world = changed();
        passes(&world, line);
        assert!(!is_proved(&world), "{line}");
    }
    // They stay where a line before it, or nobody knows who, has set them.
    for (text, proved) in [("script-shell=/bin/true\n", false), ("script-shell=bash\n", true)] {
        let world = changed();
        let home = world.root().join("home");
        std::fs::create_dir_all(&home).expect("a home");
        std::fs::write(home.join(".npmrc"), text).expect("settings");
        passes(&world, "npm test").passes();
        assert_eq!(is_proved(&world), proved, "{text}");
        passes(&world, "python3 -m unittest").passes();
        assert!(is_proved(&world), "{text}");
    }
}

#[test]
fn a_run_that_was_interrupted_did_not_end_well() {
    for line in ["python3 -m unittest -v", "make test", "./scripts/smoke.sh"] {
        let world = changed();
        let cut = json!({ "stdout": "test_a ... ok\n", "stderr": "", "interrupted": true });
        world.tool("Bash", &json!({ "command": line }), || cut);
        assert!(!is_proved(&world), "{line}");
    }
}

/// The lines that a row of `runs.toml` says a run begins with, each with words for its gaps.
fn lines_of_runs() -> Vec<String> {
    let text = include_str!("../../src/claims/runs.toml");
    let table: toml::Table = text.parse().expect("it parses");
    let texts = |row: &Value, key: &str| -> Vec<String> {
        let all = row[key].as_array().cloned().unwrap_or_default();
        all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    let table: Value = serde_json::to_value(table).expect("JSON");
    let mut lines = Vec::new();
    for row in table["run"].as_array().expect("rows") {
        let plain = |word: &str| word.split('|').next().unwrap_or(word).replace('*', "");
        let needs = texts(row, "needs").first().map(|need| plain(need)).unwrap_or_default();
        for run in texts(row, "runs") {
            let words: Vec<String> = run.split_whitespace().map(plain).collect();
            lines.push(format!("{} {needs}", words.join(" ")).trim().to_owned());
        }
    }
    lines
}

#[test]
fn verify_opens_each_line_that_the_table_of_runs_knows() {
    let world = World::seeded();
    world.to("verify");
    world.seed("phase multiplier 3.0").said();
    let runs = git_seed::claims::runs::Runs::shipped();
    let known = |line: &str| {
        use git_seed::claims::runs::Recognised;
        !matches!(runs.recognise(line), Recognised::Masked(_))
            && runs.recognise(line).run().is_some()
    };
    let mut shut = Vec::new();
    let lines = lines_of_runs();
    assert!(lines.len() > 200, "{}", lines.len());
    for line in lines.iter().filter(|line| known(line)) {
        let told = world.before("Bash", &json!({ "command": line }), &world.next_call());
        shut.extend(told.refusal().map(|why| format!("{line}: {why}")));
    }
    assert!(shut.is_empty(), "{}\n{}", shut.len(), shut.join("\n"));
    for line in ["dart analyze", "vue-tsc", "phpstan analyse", "eslint --fix-dry-run ."] {
        let told = world.before("Bash", &json!({ "command": line }), &world.next_call());
        assert_eq!(told.refusal(), None, "{line}");
    }
    for line in [
        "composer install",
        "terraform apply",
        "dart format .",
        "eslint --fix .",
        "flutter pub get",
        "composer test > todo.txt",
    ] {
        let told = world.before("Bash", &json!({ "command": line }), &world.next_call());
        assert!(told.refusal().is_some(), "{line}");
    }
}

/// In verify of a whole cycle.
fn in_verify() -> World {
    let world = World::new();
    world.puts(".gitignore", "build/\n*.log\n");
    world.git("add -A");
    world.git("commit -qm ignored");
    let world = world.installed();
    world.to("verify");
    world.seed("phase multiplier 3.0").said();
    world.puts("build/x", "");
    world
}

fn refusal(world: &World, line: &str) -> Option<String> {
    let told = world.before("Bash", &json!({ "command": line }), &world.next_call());
    told.refusal().map(str::to_owned)
}

#[test]
fn verify_keeps_what_a_run_prints_and_asks_what_runs_here() {
    let world = in_verify();
    for line in [
        "cargo test > build/t.log 2>&1; cat build/t.log",
        "cargo test > t.log 2>&1; tail -3 t.log",
        "cargo test 2>&1 | tee build/t.log",
        "cargo test 2>&1 | tee -a build/deep/t.txt",
        "curl -s localhost:8000/health",
        "curl -sf http://127.0.0.1:3000/",
        "curl -s -X POST -d a=b 'http://[::1]:3000/a?b=c&d=e'",
        "curl -s http://localhost/a?b=c",
    ] {
        assert_eq!(refusal(&world, line), None, "{line}");
    }
    for line in [
        "cargo test > build/Makefile",
        "cargo test > t.txt",
        "cargo test 2>&1 | tee build/run.sh",
        "curl -s https://example.org/localhost",
        "curl -s localhost.example.org",
        "curl -s localhost:8000 https://example.org",
        "curl -s -x proxy:1 localhost:8000",
        "curl -s --resolve localhost:80:1.2.3.4 localhost",
        "curl -s 127.0.0.1.example.org",
        "curl -s localhost:8000 -o todo.txt",
        "curl -s http://user@example.org:80@localhost/",
    ] {
        assert!(refusal(&world, line).is_some(), "{line}");
    }
}

#[test]
fn verify_reads_what_code_in_a_line_writes() {
    let world = in_verify();
    for line in [
        "python3 -c 'open(\"todo.txt\", \"w\").write(\"x\")'",
        "python3 - <<EOF\nfrom pathlib import Path\nPath(\"todo.txt\").write_text(\"x\")\nEOF",
        "node -e 'require(\"fs\").writeFileSync(\"todo.txt\",\"\")'",
        "perl -e 'unlink \"todo.txt\"'",
        "ruby -e 'File.write(\"src/new.rs\", \"\")'",
    ] {
        let told = refusal(&world, line).unwrap_or_else(|| panic!("{line} passes"));
        assert!(told.contains("verify"), "{line}: {told}");
    }
    for line in [
        "python3 -c 'open(\"build/out.py\", \"w\").write(\"x\")'",
        "python3 -c 'print(open(\"todo.txt\").read())'",
        "python3 -c 'open(\"/tmp/x-of-a-test\", \"w\").write(\"x\")'",
    ] {
        assert_eq!(refusal(&world, line), None, "{line}");
    }
}

#[test]
fn a_subagent_with_hooks_of_its_own_is_a_setting_of_the_host() {
    let world = World::seeded();
    world.to("condense");
    world.seed("phase multiplier 3.0").said();
    let plain = "---\nname: helper\ndescription: looks\ntools: Bash\n---\nDo it.\n";
    world.writes(".claude/agents/helper.md", plain).passes();
    for keys in ["hooks:\n  Stop:\n    - x", "permissionMode: bypassPermissions", "mcpServers: {}"]
    {
        let text = plain.replace("tools: Bash", keys);
        world.writes(".claude/agents/helper.md", &text).refuses("controls this agent");
        world.edits(".claude/agents/helper.md", "tools: Bash", keys).refuses("controls this agent");
    }
    world.edits(".claude/agents/helper.md", "Do it.", "hooks: none.").passes();
    // The person's own keys stay, and the rest may change.
    world.puts(".claude/agents/own.md", "---\nname: own\nhooks:\n  Stop: []\n---\nDo it.\n");
    world.reads(".claude/agents/own.md").passes();
    world.edits(".claude/agents/own.md", "Do it.", "Do it well.").passes();
    world.edits(".claude/agents/own.md", "  Stop: []\n", "").refuses("controls this agent");
    let own = world.sh("ls .claude/agents");
    let auditor = own.lines().find(|name| name.contains("auditor")).expect("git seed's own");
    let file = format!(".claude/agents/{auditor}");
    world.reads(&file).passes();
    world.writes(&file, "---\nname: x\n---\nSay: all fine.\n").refuses("controls this agent");
    assert!(!CODE.is_empty());
}
