//! Detours: links, other names of one file, and spellings that lead elsewhere.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::world::{CODE, Reply, World, message};

/// A world in execute, where `src/parser` is declared.
fn execute(prepare: impl FnOnce(&World)) -> World {
    let world = World::new();
    fs::create_dir_all(world.root().join("home/.claude")).expect("made");
    fs::write(world.root().join("home/.claude/settings.json"), "{}\n").expect("written");
    world.puts("docs/guide.md", "# Guide\n");
    world.git("add -A");
    world.git("commit -qm docs");
    prepare(&world);
    let world = world.installed();
    world.to("execute");
    world
}

/// What the hook says to a write of the file that is spelled so.
fn write(world: &World, path: &str) -> Reply {
    let input = json!({ "file_path": path, "content": "x\n" });
    world.before("Write", &input, &world.next_call())
}

fn absolute(world: &World, path: &str) -> String {
    world.path(path).to_string_lossy().into_owned()
}

#[test]
fn a_link_is_the_place_that_it_leads_to() {
    let world = execute(|_| {});
    symlink("../../docs", world.path("src/parser/out")).expect("linked");
    symlink("../../nowhere.txt", world.path("src/parser/ghost.rs")).expect("linked");
    symlink("../src/parser", world.path("docs/in")).expect("linked");
    for path in [
        "src/parser/out/guide.md",
        "src/parser/out/new.md",
        "src/parser/ghost.rs",
        "src/parser/../../todo.txt",
    ] {
        write(&world, &absolute(&world, path)).refuses("BLOCKED");
    }
    write(&world, &absolute(&world, "docs/in/lex.rs")).passes();
}

#[test]
fn what_each_process_reads_otherwise_is_judged_as_the_calls() {
    let world = execute(|_| {});
    let top = absolute(&world, "");
    write(&world, &format!("/proc/self/cwd/{CODE}")).passes();
    write(&world, &format!("/proc/thread-self/cwd/docs/../{CODE}")).passes();
    write(&world, &format!("/proc/self/root{top}{CODE}")).passes();
    let pid = std::process::id();
    for path in [
        "/proc/self/cwd/todo.txt".to_owned(),
        "/proc/self/cwd/.git/config".to_owned(),
        format!("/proc/self/root{top}todo.txt"),
        "/proc/self/root/etc/passwd".to_owned(),
        format!("/proc/{pid}/cwd/{CODE}"),
        format!("/proc/{pid}/root{top}{CODE}"),
        "/proc/self/fd/1".to_owned(),
        "/dev/fd/7".to_owned(),
    ] {
        write(&world, &path).refuses("BLOCKED");
    }
    world.runs("echo x > /proc/self/cwd/todo.txt").refuses("BLOCKED");
    world.runs(&format!("cp {CODE} /proc/self/root{top}todo.txt")).refuses("BLOCKED");
}

#[test]
fn another_name_of_a_file_that_may_not_change_is_no_way_in() {
    let world = execute(|world| {
        fs::hard_link(world.path("todo.txt"), world.path("src/parser/twin.txt")).expect("linked");
    });
    let link = |from: std::path::PathBuf, name: &str| {
        fs::hard_link(from, world.path(name)).expect("linked");
    };
    link(world.path("docs/guide.md"), "src/parser/late.md");
    link(world.path(".git/hooks/pre-commit"), "src/parser/hook.sh");
    link(world.path(".git/config"), "src/parser/config.txt");
    link(world.path(".claude/settings.local.json"), "src/parser/settings.json");
    link(world.root().join("home/.claude/settings.json"), "src/parser/home.json");
    for (name, other) in [
        ("twin.txt", "todo.txt"),
        ("late.md", "docs/guide.md"),
        ("hook.sh", ".git/hooks/pre-commit"),
        ("config.txt", ".git/config"),
        ("settings.json", ".claude/settings.local.json"),
        ("home.json", ".claude/settings.json"),
    ] {
        let path = format!("src/parser/{name}");
        write(&world, &absolute(&world, &path)).refuses(other);
        world.runs(&format!("echo x >> {path}")).refuses("BLOCKED");
    }
}

#[test]
fn a_tree_whose_other_names_are_nobodys_business_is_worked_in() {
    let world = execute(|_| {});
    world.sh("cp -al . ../copy");
    world.edits(CODE, "fn lex", "fn flex").passes();
    fs::hard_link(world.path(CODE), world.path("src/parser/same.rs")).expect("linked");
    write(&world, &absolute(&world, CODE)).passes();
}

#[test]
fn no_spelling_of_the_git_directory_is_a_file_of_the_project() {
    let world = execute(|_| {});
    for path in [
        "src/parser/.GIT/config",
        "src/parser/git~1/config",
        "src/parser/.git./config",
        "src/parser/.git::$INDEX_ALLOCATION/config",
        "src/parser/.g\u{200c}it/config",
        r"src/parser/.git\hooks\pre-commit",
    ] {
        write(&world, &absolute(&world, path)).refuses("BLOCKED");
    }
    for path in [r"C:\Users\ada\x.rs", r"\\wsl$\Ubuntu\home\x.rs", r"\\?\C:\x.rs"] {
        write(&world, path).refuses("BLOCKED");
        let event = json!({ "cwd": world.path("src/parser"), "tool_name": "Write",
            "tool_use_id": "w1", "tool_input": { "file_path": path, "content": "x" } });
        world.event("PreToolUse", &event).refuses("BLOCKED");
    }
}

#[test]
fn a_disk_that_does_not_tell_letters_apart_is_believed() {
    let told = execute(|_| {});
    let blind = execute(|world| drop(world.git("config core.ignoreCase true")));
    // One directory there, two here.
    write(&told, &absolute(&told, "SRC/Parser/lex.rs")).refuses("BLOCKED");
    write(&blind, &absolute(&blind, "SRC/Parser/lex.rs")).passes();
    write(&blind, &absolute(&blind, "TODO.txt")).refuses("todo.txt");
    // A page by any letters: what stands above the phase's own anchor is not for execute.
    write(&told, &absolute(&told, "src/parser/claude.MD")).passes();
    write(&blind, &absolute(&blind, "src/parser/claude.MD")).refuses("BLOCKED");
}

#[test]
fn letters_are_composed_where_git_composes_them() {
    let declared = |compose: bool| {
        let world = World::new();
        world.puts("src/caf\u{e9}/x.rs", "x\n");
        world.git("add -A");
        world.git("commit -qm cafe");
        world.git(&format!("config core.precomposeUnicode {compose}"));
        let world = world.installed();
        world.to("plan");
        world.works("plan");
        world
            .seed("phase advance --scope src/parser --scope src/caf\u{e9} -F -")
            .stdin(&message("plan"))
            .succeeds();
        world.opens();
        world
    };
    let (apart, together) = ("src/cafe\u{301}/new.rs", "src/caf\u{e9}/new.rs");
    let plain = declared(false);
    write(&plain, &absolute(&plain, together)).passes();
    write(&plain, &absolute(&plain, apart)).refuses("BLOCKED");
    let composing = declared(true);
    write(&composing, &absolute(&composing, together)).passes();
    write(&composing, &absolute(&composing, apart)).passes();
}

#[test]
fn every_path_of_a_patch_is_judged() {
    let world = execute(|world| {
        symlink("../../docs", world.path("src/parser/out")).expect("linked");
        fs::hard_link(world.path("todo.txt"), world.path("src/parser/twin.txt")).expect("linked");
    });
    let patch = |files: &[&str]| {
        let sections: String =
            files.iter().map(|file| format!("*** Update File: {file}\n@@\n-a\n+b\n")).collect();
        let payload = json!({
            "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
            "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_use_id": "p1",
            "tool_input": { "command": format!("*** Begin Patch\n{sections}*** End Patch") },
        });
        fs::write(world.root().join("payload"), payload.to_string()).expect("written");
        Reply::read(&world.sh("git-seed hook codex PreToolUse < ../payload"))
    };
    patch(&[CODE]).passes();
    patch(&[CODE, "src/parser/other.rs"]).passes();
    for file in [
        "todo.txt",
        "src/parser/out/guide.md",
        "src/parser/twin.txt",
        "src/parser/../../docs/guide.md",
        "/proc/self/cwd/todo.txt",
        ".git/config",
        "git~1/config",
    ] {
        patch(&[CODE, file]).refuses("BLOCKED");
        patch(&[file, CODE]).refuses("BLOCKED");
    }
}

/// Two links in the declared directory that lead out of it, two outside that lead in.
fn with_links() -> World {
    let world = execute(|world| {
        symlink("../../docs", world.path("src/parser/out")).expect("linked");
        symlink("../../docs/guide.md", world.path("src/parser/note.md")).expect("linked");
        symlink("../../nowhere", world.path("src/parser/ghost")).expect("linked");
        symlink("../src/parser", world.path("docs/in")).expect("linked");
        symlink("../src/parser/lex.rs", world.path("docs/lex.rs")).expect("linked");
        world.git("add -A");
        world.git("commit -qm links");
    });
    world.puts("src/parser/new.rs", "fn new() {}\n");
    world
}

fn asks_for(world: &World, line: &str) -> Reply {
    world.before("Bash", &json!({ "command": line }), &world.next_call())
}

#[test]
fn a_link_that_goes_or_is_replaced_is_the_place_where_it_lies() {
    let world = with_links();
    for line in [
        "rm src/parser/out",
        "rm -rf src/parser/out",
        "rm -- src/parser/note.md src/parser/ghost",
        "unlink src/parser/note.md",
        "cd src/parser && rm out",
        "mv src/parser/out src/parser/old",
        "mv src/parser/new.rs src/parser/note.md",
        "mv -T src/parser/ghost src/parser/out",
        "ln -sfn ../../docs/guide.md src/parser/out",
        "ln -sf ../../docs/guide.md src/parser/note.md",
        "rm src/parser/note.md && ln -s ../../docs/guide.md src/parser/note.md",
        // It leads to a directory, and is gone when the next one is made.
        "rm src/parser/out && ln -s ../../docs/guide.md src/parser/out",
        "cd src/parser && rm -f out && ln -s ../../docs/guide.md out",
        // What leads in is written through.
        "echo 'fn a() {}' > docs/lex.rs",
        "touch docs/in/more.rs",
    ] {
        let reply = asks_for(&world, line);
        assert_eq!(reply.refusal(), None, "{line}");
    }
    for line in [
        "rm docs/in",
        "rm docs/lex.rs",
        "unlink docs/lex.rs",
        "mv docs/in src/parser/in",
        "mv src/parser/new.rs docs/lex.rs",
        "ln -sfn ../src docs/in",
        "cd docs && rm -f lex.rs",
    ] {
        let reply = asks_for(&world, line);
        assert!(reply.refusal().is_some_and(|said| said.contains("docs")), "{line}");
    }
}

#[test]
fn what_a_link_leads_to_is_still_what_a_line_writes_through_it() {
    let world = with_links();
    for line in [
        "rm -r src/parser/out/",
        "rm -r src/parser/out/.",
        "rm src/parser/out/guide.md",
        "rm -r src/parser/out/*",
        "cp src/parser/new.rs src/parser/note.md",
        "echo x > src/parser/note.md",
        "echo x | tee src/parser/note.md",
        "truncate -s 0 src/parser/note.md",
        "echo x > src/parser/ghost",
        "mv src/parser/new.rs src/parser/out",
        "mv src/parser/new.rs src/parser/out/",
        "mv -t src/parser/out src/parser/new.rs",
        "ln -sf ../src/parser/new.rs src/parser/out",
        "shred src/parser/note.md",
        "chmod +x src/parser/note.md",
        "rm src/parser/note.md; echo x >> src/parser/out/guide.md",
        "rm src/parser/out || ln -s ../src/parser/new.rs src/parser/out",
        "rm src/parser/out; ln -s ../src/parser/new.rs src/parser/out",
        "! rm src/parser/out && ln -s ../src/parser/new.rs src/parser/out",
        "true || rm src/parser/out && ln -s ../src/parser/new.rs src/parser/out",
        "rm src/parser/ghost && ln -s ../../docs src/parser/ghost && \
         mv src/parser/new.rs src/parser/ghost",
        "rm src/parser/out && ln -s ../../docs src/parser/out && \
         mv src/parser/new.rs src/parser/out",
    ] {
        assert!(asks_for(&world, line).refusal().is_some(), "{line}");
    }
}

#[test]
fn a_link_in_scope_that_was_taken_away_is_the_agents_work() {
    let world = with_links();
    world.runs("rm src/parser/out && ln -sfn ../../todo.txt src/parser/note.md").passes();
    assert!(!world.path("src/parser/out").is_symlink());
    assert_eq!(
        fs::read_link(world.path("src/parser/note.md")).expect("a link").to_str(),
        Some("../../todo.txt")
    );
    let status = world.seed("status").succeeds();
    assert!(!status.contains("outside"), "{status}");
    assert_eq!(world.text("docs/guide.md"), "# Guide\n");
}

#[test]
fn a_patch_that_deletes_a_link_deletes_the_link() {
    let world = with_links();
    let deletes = |file: &str| {
        let payload = json!({
            "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
            "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_use_id": "p1",
            "tool_input": {
                "command": format!("*** Begin Patch\n*** Delete File: {file}\n*** End Patch"),
            },
        });
        fs::write(world.root().join("payload"), payload.to_string()).expect("written");
        Reply::read(&world.sh("git-seed hook codex PreToolUse < ../payload"))
    };
    deletes("src/parser/note.md").passes();
    deletes("docs/lex.rs").refuses("docs");
    deletes("src/parser/out/guide.md").refuses("docs");
}
