//! Directories and patterns that a line names as what it writes in, and what git ignores.

use serde_json::json;

use super::world::{CODE, PAGE, Reply, World};

/// What the hook says before a line.
fn before(world: &World, line: &str) -> Reply {
    world.before("Bash", &json!({ "command": line }), &world.next_call())
}

#[track_caller]
fn pass(world: &World, lines: &[&str]) {
    for line in lines {
        let said = before(world, line);
        assert_eq!(said.refusal(), None, "{line}");
    }
}

#[track_caller]
fn is_refused(world: &World, line: &str, names: &str, opens: &str) {
    let said = before(world, line);
    let told = said.refusal().unwrap_or_else(|| panic!("{line} passes"));
    assert!(
        told.contains(&format!("{names} is outside the declared directories")),
        "{line}: {told}"
    );
    assert!(told.contains(opens), "{line}: {told}");
}

/// A repository with these files beside the usual ones, all committed.
fn with(files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.puts(path, text);
    }
    world.git("add -A");
    world.git("commit -qm more");
    world.installed()
}

/// A small job that declares `lib`.
fn small(files: &[(&str, &str)]) -> World {
    let world = with(files);
    world.prompt("[QUICK] pad from the left");
    world.reads("lib/pad.js").passes();
    world.seed("phase advance --scope lib -m 'pad drops the first letter'").succeeds();
    world
}

#[test]
fn a_declared_directory_may_be_named_as_a_whole() {
    let ignored = (".gitignore", "node_modules/\n");
    let world = small(&[("lib/pad.js", "pad()\n"), ("web/a/x.js", "a()\n"), ignored]);
    world.puts("lib/node_modules/p/index.js", "p()\n");
    let lines = [
        "npx eslint lib --fix",
        "npx eslint ./lib/ --fix",
        "npx prettier --write lib",
        "npx biome check --write lib",
        "black lib",
        "isort lib",
        "ruff check --fix lib",
        "chmod -R u+w lib",
        "cd lib && npx prettier --write ../lib",
        "npx prettier --write 'lib/**/*.js'",
        "npx prettier --write 'lib/**/*.{js,css}'",
        "npx prettier --write 'lib/*.js'",
        "cp todo.txt lib",
        "mkdir -p web lib/new",
    ];
    pass(&world, &lines);
    for line in ["npx eslint web --fix", "npx prettier --write 'web/**/*.js'"] {
        is_refused(&world, line, "web/a/x.js", "--scope web/a ");
    }
    is_refused(&world, "npx prettier --write 'w?b/none/*.js'", "*", "--scope . ");
    is_refused(&world, "npx prettier --write 'web/**/*.css'", "web/*", "--scope web ");
    is_refused(&world, "black .", ".gitignore", "--scope . ");
    is_refused(&world, "cp todo.txt web", "web/*", "--scope web ");
    // Declared directories are exact.
    world.puts("lib/sub/x.js", "x()\n");
    for line in &lines[..11] {
        is_refused(&world, line, "lib/sub/x.js", "--scope lib/sub ");
    }
    pass(&world, &lines[11..]);
    pass(&world, &["npx prettier --write 'lib/**/*.css'"]);
}

#[test]
fn a_page_of_a_directory_stands_in_the_way_of_what_takes_it_alone() {
    let world = World::seeded();
    world.to("execute");
    pass(&world, &["black src/parser", "chmod -R u+w src/parser", "black src"]);
    assert!(world.path(PAGE).exists());
    let told = before(&world, "rm -rf src/parser");
    assert!(told.refusal().is_some_and(|told| told.contains(PAGE)), "{told:?}");
    world.puts("src/x/y.rs", "fn y() {}\n");
    is_refused(&world, "black src", "src/x/y.rs", "src/x");
    is_refused(&world, "rm -rf src", "src/x/y.rs", "src/x");
    is_refused(&world, "mv src/x src/parser", "src/x/y.rs", "src/x");
}

#[test]
fn what_git_ignores_is_free_in_execute() {
    let rows = ".pytest_cache/\n__pycache__/\n.venv/\nnode_modules/\n*.log\n.claude/\nkept/\n";
    let world = with(&[(".gitignore", rows)]);
    world.puts("kept/file", "1\n");
    world.git("add -f kept/file");
    world.git("commit -qm kept");
    world.to("observe");
    let told = before(&world, "rm -rf .pytest_cache");
    assert!(told.refusal().is_some(), "observe changes nothing");
    world.writes(".venv/pyvenv.cfg", "x\n").refuses("BLOCKED");
    let world = {
        let again = with(&[(".gitignore", rows)]);
        again.puts("kept/file", "1\n");
        again.git("add -f kept/file");
        again.git("commit -qm kept");
        again.to("execute");
        again
    };
    for there in [false, true] {
        if there {
            for file in [".pytest_cache/v/x", "node_modules/y/z", ".venv/cfg", "src/__pycache__/a"]
            {
                world.puts(file, "1\n");
            }
        }
        pass(
            &world,
            &[
                "rm -rf .pytest_cache",
                "rm -r .pytest_cache/v",
                "rm -rf ./.pytest_cache/ src/__pycache__",
                "rm -rf node_modules && npm ci",
                "rm -rf .venv",
                "touch .pytest_cache/x",
                "echo x > node_modules/y2",
                "rm -f build.log",
            ],
        );
    }
    world.writes(".venv/pyvenv.cfg", "x\n").passes();
    is_refused(&world, "rm -rf kept", "kept/file", "kept");
    is_refused(&world, "echo 2 > kept/file", "kept/file", "kept");
    for line in ["rm -rf .claude", "rm -rf .claude/jobs", "echo 1 > .claude/x", "rm -rf .git"] {
        let told = before(&world, line);
        assert!(told.refusal().is_some(), "{line}");
    }
    // What came to be ignored meanwhile was somebody's work when the cycle began.
    world.puts(".git/info/exclude", "docs/\n");
    is_refused(&world, "touch docs/x", "docs/x", "docs");
    is_refused(&world, "echo 1 > todo.txt", "todo.txt", "scope: .");
    assert!(world.edits(CODE, "fn lex() {", "fn lex() { more();").before.refusal().is_none());
}
