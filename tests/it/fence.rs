//! The tree fence: nothing hides a change from it, and each change is whose it is.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use super::world::{CODE, World, message};

/// A file changes while a command of the agent's runs, whose text shows nothing of it.
fn code_does(world: &World, act: impl FnOnce(&World)) -> super::world::Did {
    world.runs_and("cargo test", || act(world))
}

fn write(world: &World, path: &str, text: &str) {
    let file = world.path(path);
    fs::create_dir_all(file.parent().expect("below")).expect("a directory");
    fs::write(file, text).expect("it can be written");
}

fn committed(world: &World) -> String {
    world.git("log --name-only --format= main")
}

/// In execute, with the parser's directory declared.
fn in_execute() -> World {
    let world = World::seeded();
    world.to("execute");
    world
}

/// The boundary says which change has to go, and none of it is in the commit afterwards.
fn is_named_and_goes(world: &World, path: &str) {
    world.seed("fence status").tells(&format!("stray      {path}"));
    world.works("execute");
    world
        .seed("phase advance -F -")
        .stdin(&message("execute"))
        .refuses("Do: git seed fence restore");
    world.seed("fence restore").tells(&format!("{path} is as it was"));
    world.leaves();
    let files = committed(world);
    assert!(!files.lines().any(|file| file == path), "{files}");
}

#[test]
fn work_that_git_would_take_back_goes_the_way_that_keeps_it() {
    let world = World::seeded();
    let found = world.text(CODE);
    let theirs = format!("{found}// theirs\n");
    write(&world, CODE, &theirs);
    write(&world, "README.md", "theirs\n");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    // Git would put back what HEAD has, and the person's line would be gone.
    let way = format!("Do: git seed fence restore {CODE}");
    for line in [
        format!("git restore {CODE}"),
        format!("git checkout -- {CODE}"),
        format!("git checkout {CODE}"),
        format!("git checkout HEAD -- {CODE}"),
        "git restore --worktree --staged src".to_owned(),
        "cd src/parser && git restore .".to_owned(),
    ] {
        let no = world.runs(&line);
        no.refuses(&way);
        no.refuses("git keeps no copy");
    }
    // What it does not have from the agent, and what comes from elsewhere, is said as it is.
    world.runs("git restore README.md").refuses("README.md holds a change that you did not make");
    for line in [
        format!("git restore -s HEAD~1 {CODE}"),
        format!("git checkout HEAD~1 -- {CODE}"),
        "git restore Cargo.toml".to_owned(),
    ] {
        world.runs(&line).refuses("the files of the job change by edits");
    }
    for line in ["git checkout main", "git stash", "git restore --staged ."] {
        world.runs(line).refuses("you may not change branch, index or stash");
    }
    world.seed(&format!("fence restore {CODE}")).tells(&format!("{CODE} is as it was"));
    assert_eq!(world.text(CODE), theirs);
    assert_eq!(world.text("README.md"), "theirs\n");
}

#[test]
fn a_directory_that_hides_itself_is_named() {
    let world = in_execute();
    let did = code_does(&world, |world| {
        write(world, "sub/.gitignore", "*\n");
        write(world, "sub/rogue.sh", "echo\n");
    });
    did.after.tells("sub/rogue.sh");
    assert_eq!(world.git("status --porcelain"), "", "git shows nothing of it");
    world.seed("fence status").tells("stray      sub/.gitignore   (ignored now");
    is_named_and_goes(&world, "sub/rogue.sh");
    assert!(!world.path("sub").exists());
}

#[test]
fn no_exclude_hides_what_is_written_after_it() {
    for hide in ["info", "global", "config", "scope"] {
        let world = in_execute();
        let root = world.root().to_owned();
        let did = code_does(&world, |world| {
            match hide {
                "info" => write(world, ".git/info/exclude", "rogue.sh\n"),
                "global" => {
                    fs::create_dir_all(root.join("home/.config/git")).expect("a directory");
                    fs::write(root.join("home/.config/git/ignore"), "rogue.sh\n").expect("written");
                }
                "config" => {
                    fs::write(root.join("mine"), "rogue.sh\n").expect("written");
                    world.git(&format!("config core.excludesFile {}", root.join("mine").display()));
                }
                _ => write(world, "src/parser/.gitignore", "*.tmp\n"),
            }
            let path = if hide == "scope" { "docs/x.tmp" } else { "rogue.sh" };
            write(world, path, "echo\n");
        });
        let path = if hide == "scope" { "docs/x.tmp" } else { "rogue.sh" };
        did.after.tells(path);
        is_named_and_goes(&world, path);
    }
}

#[test]
fn what_the_agent_ignores_in_scope_is_its_own_and_in_no_commit() {
    let world = in_execute();
    code_does(&world, |world| {
        write(world, "src/parser/.gitignore", "local.env\n");
        write(world, "src/parser/local.env", "x\n");
    })
    .passes();
    world.seed("fence status").tells("hidden     src/parser/local.env");
    world.works("execute");
    world.leaves();
    let files = committed(&world);
    assert!(files.contains("src/parser/.gitignore") && !files.contains("local.env"), "{files}");
}

#[test]
fn what_is_ignored_no_longer_may_be_committed() {
    let world = World::new();
    world.puts(".gitignore", "*.gen\n");
    world.puts("src/parser/.gitignore", "*.out\n");
    world.git("add -A");
    world.git("commit -qm ignores");
    let world = world.installed();
    world.to("execute");
    code_does(&world, |world| {
        write(world, "src/parser/.gitignore", "!kept.gen\n");
        write(world, "src/parser/kept.gen", "x\n");
        write(world, "src/parser/other.gen", "x\n");
    })
    .passes();
    world.works("execute");
    world.leaves();
    let files = committed(&world);
    assert!(files.contains("src/parser/kept.gen") && !files.contains("other.gen"), "{files}");
}

#[test]
fn settings_and_old_dates_hide_nothing() {
    let world = World::new();
    world.puts("same.txt", "aaaa\n");
    world.git("add -A");
    world.git("commit -qm same");
    let world = world.installed();
    world.to("execute");
    let did = code_does(&world, |world| {
        for setting in [
            "core.trustctime false",
            "core.checkStat minimal",
            "core.ignoreStat true",
            "core.fileMode false",
            "status.showUntrackedFiles no",
            "core.fsmonitor true",
            "core.untrackedCache true",
        ] {
            world.git(&format!("config {setting}"));
        }
        let file = world.path("same.txt");
        let when = file.metadata().and_then(|data| data.modified()).expect("a time");
        fs::write(&file, "bbbb\n").expect("written");
        fs::File::options()
            .append(true)
            .open(&file)
            .expect("opens")
            .set_modified(when)
            .expect("set");
        world.git("update-index --assume-unchanged same.txt");
        let todo = world.path("todo.txt");
        fs::set_permissions(&todo, fs::Permissions::from_mode(0o755)).expect("ours");
        write(world, "new.txt", "x\n");
    });
    did.after.tells("same.txt");
    let said = world.seed("fence status").succeeds();
    for path in ["same.txt", "todo.txt", "new.txt"] {
        assert!(said.contains(&format!("stray      {path}")), "{path}: {said}");
    }
    world.seed("fence restore").tells("todo.txt is as it was");
    let mode = world.path("todo.txt").metadata().expect("there").permissions().mode();
    assert_eq!((mode & 0o111, world.text("same.txt").as_str()), (0, "aaaa\n"));
    assert!(!world.path("new.txt").exists());
}

#[test]
fn attributes_of_the_agents_making_hide_nothing() {
    let world = World::new();
    world.puts("marked.txt", "$Id$\n");
    world.git("add -A");
    world.git("commit -qm marked");
    let world = world.installed();
    world.to("execute");
    // With `ident`, git takes every text between these signs for the same.
    let did = code_does(&world, |world| {
        write(world, ".gitattributes", "* ident\n");
        write(world, "marked.txt", "$Id: rogue words $\n");
    });
    did.after.tells(".gitattributes");
    world.seed("fence status").tells("stray      marked.txt");
    world.seed("fence restore").succeeds();
    assert_eq!(world.text("marked.txt"), "$Id$\n");
}

#[test]
fn the_fences_own_files_are_mended() {
    let world = in_execute();
    let did = code_does(&world, |world| {
        write(world, ".git/seed/excludes/main", "*\n");
        fs::remove_file(world.path(".git/seed/index/main")).expect("it was there");
        write(world, "rogue.sh", "echo\n");
    });
    did.after.tells("rogue.sh");
    let did = code_does(&world, |world| {
        write(world, "todo.txt", "stray\n");
        world
            .sh("GIT_INDEX_FILE=.git/seed/index/main git update-index --assume-unchanged todo.txt");
    });
    did.after.tells("todo.txt");
}

#[test]
fn what_a_tool_builds_is_free_where_git_ignores_it() {
    let world = in_execute();
    world.puts("src/parser/Cargo.toml", "[package]\n");
    let did = code_does(&world, |world| {
        write(world, "src/parser/.gitignore", "target/\n");
        for file in ["target/debug/lex", "target/debug/deps/a", "target/CACHEDIR.TAG"] {
            write(world, &format!("src/parser/{file}"), "x\n");
        }
        write(world, ".pytest_cache/.gitignore", "*\n");
        write(world, ".pytest_cache/v/cache", "x\n");
        write(world, ".venv/.gitignore", "*\n");
        write(world, ".venv/lib/deep/x.py", "x\n");
        write(world, "dist/rogue.js", "x\n");
    });
    let told = did.after.context().expect("one is a stray").to_owned();
    assert!(told.contains("dist/rogue.js") && !told.contains("target"), "{told}");
    assert!(!told.contains(".pytest_cache") && !told.contains(".venv"), "{told}");
    is_named_and_goes(&world, "dist/rogue.js");
    let files = committed(&world);
    assert!(files.contains("src/parser/.gitignore") && !files.contains("target"), "{files}");
}

#[test]
fn a_build_before_its_exclude_is_free_from_then_on() {
    let world = in_execute();
    code_does(&world, |world| write(world, "src/parser/target/x", "x\n"))
        .after
        .tells("src/parser/target/x");
    code_does(&world, |world| write(world, "src/parser/.gitignore", "target/\n"));
    world.works("execute");
    world.leaves();
    assert!(!committed(&world).contains("target"));
}

#[test]
fn repositories_inside_this_one_count_by_their_commit() {
    let world = World::new();
    world.sh("git init -q -b main ../other && git -C ../other commit -q --allow-empty -m one && \
        git -C ../other commit -q --allow-empty -m two");
    world.git("-c protocol.file.allow=always submodule --quiet add ../other lib");
    world.git("commit -qm sub");
    let world = world.installed();
    world.to("execute");
    let head = world.git("-C lib rev-parse HEAD");
    let did = code_does(&world, |world| {
        world.git("config submodule.lib.ignore all");
        world.git("-C lib checkout -q --detach HEAD~1");
    });
    did.after.tells("lib");
    world.seed("fence restore").tells("lib is as it was");
    assert_eq!(world.git("-C lib rev-parse HEAD"), head);
    for (name, commit) in [("bare", false), ("full", true)] {
        let did = code_does(&world, |world| {
            world.git(&format!("init -q {name}"));
            if commit {
                world.git(&format!("-C {name} commit -q --allow-empty -m x"));
            }
        });
        did.after.tells(name);
        world.seed("fence status").tells(&format!("stray      {name}"));
    }
    world.works("execute");
    world.seed("phase advance -F -").stdin(&message("execute")).refuses("bare and 1 more");
    world.sh("rm -rf bare full");
    world.leaves();
}

#[test]
fn strays_of_every_kind_are_put_back_and_kept() {
    let world = World::new();
    for file in ["gone", "mode", "retyped", "a/dir/x", "plain"] {
        world.puts(&format!("docs/{file}"), "old\n");
    }
    world.sh("ln -s plain docs/link");
    world.git("add -A");
    world.git("commit -qm docs");
    let world = world.installed();
    world.to("execute");
    let before = world.git("ls-files -s docs");
    let odd = std::ffi::OsStr::from_bytes(b"docs/odd-\xff\xfe");
    code_does(&world, |world| {
        fs::remove_file(world.path("docs/gone")).expect("ours");
        fs::set_permissions(world.path("docs/mode"), fs::Permissions::from_mode(0o755))
            .expect("ours");
        fs::remove_file(world.path("docs/retyped")).expect("ours");
        symlink("plain", world.path("docs/retyped")).expect("a link");
        fs::remove_file(world.path("docs/link")).expect("ours");
        fs::create_dir(world.path("docs/link")).expect("a directory");
        write(world, "docs/link/inside", "new\n");
        fs::remove_dir_all(world.path("docs/a/dir")).expect("ours");
        write(world, "docs/a/dir", "a file now\n");
        fs::remove_file(world.path("docs/plain")).expect("ours");
        symlink("a", world.path("docs/plain")).expect("a link");
        write(world, "docs/new/deep/file", "new\n");
        fs::write(world.repo().join(odd), "new\n").expect("written");
    });
    let told = world.seed("fence restore").succeeds();
    assert!(told.contains("docs/a/dir is as it was   kept as refs/seed/jobs/"), "{told}");
    assert!(!told.contains("is as before"), "{told}");
    let kept = told
        .lines()
        .find(|line| line.starts_with("docs/a/dir "))
        .and_then(|line| line.split(" as ").last());
    assert_eq!(world.git(&format!("show {}", kept.expect("a name"))), "a file now");
    assert_eq!(world.git("status --porcelain --untracked-files=all -- docs"), "");
    assert_eq!(world.git("ls-files -s docs"), before);
    assert!(!world.repo().join(odd).exists() && !world.path("docs/new").exists());
    world.seed("fence status").tells("Clean.");
}

#[test]
fn a_directory_in_a_strays_place_loses_nothing_of_anyone_elses() {
    let world = World::new();
    world.puts(".gitignore", "*.keep\n");
    world.puts("docs/file", "old\n");
    world.git("add -A");
    world.git("commit -qm docs");
    let world = world.installed();
    world.to("execute");
    code_does(&world, |world| {
        fs::remove_file(world.path("docs/file")).expect("ours");
        write(world, "docs/file/mine.keep", "precious\n");
        write(world, "docs/file/stray", "x\n");
    });
    let said = world.seed("fence restore").said();
    assert!(said.out.contains("docs/file is left as it is"), "{said:?}");
    assert_eq!(world.text("docs/file/mine.keep"), "precious\n");
}

#[test]
fn a_lock_file_follows_its_source_and_nothing_else() {
    let world = World::new();
    for (file, text) in [
        ("Cargo.toml", "[workspace]\n"),
        ("Cargo.lock", "1\n"),
        ("src/parser/Cargo.toml", "[package]\n"),
        ("other/Cargo.lock", "1\n"),
        ("src/parser/snapshots/lex.snap", "1\n"),
        ("other/snapshots/lex.snap", "1\n"),
        ("package-lock.json", "1\n"),
    ] {
        world.puts(file, text);
    }
    world.git("add -A");
    world.git("commit -qm workspace");
    let world = world.installed();
    world.to("observe");
    world.writes("Cargo.lock", "2\n").refuses("");
    world.enters("execute");
    world.opens();
    world.writes("Cargo.lock", "2\n").passes();
    world.writes("package-lock.json", "2\n").refuses("package-lock.json");
    code_does(&world, |world| {
        write(world, "src/parser/snapshots/lex.snap", "2\n");
        write(world, "other/snapshots/lex.snap", "2\n");
        write(world, "other/Cargo.lock", "2\n");
    })
    .after
    .tells("other/");
    let said = world.seed("fence status").succeeds();
    for told in [
        "own        Cargo.lock   (it changes with its source)",
        "own        src/parser/snapshots/lex.snap   (it changes with its source)",
        "stray      other/Cargo.lock",
        "stray      other/snapshots/lex.snap",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    world.seed("fence restore").succeeds();
    world.works("execute");
    world.leaves();
    let files = committed(&world);
    assert!(
        files.contains("Cargo.lock") && files.contains("lex.snap") && !files.contains("other/lex"),
        "{files}"
    );
    world.opens();
    world.writes("Cargo.lock", "3\n").refuses("");
    code_does(&world, |world| write(world, "Cargo.lock", "3\n")).after.tells("Cargo.lock");
    world.seed("fence restore").tells("Cargo.lock is as it was");
}

#[test]
fn a_lock_file_without_its_source_in_scope_stays_closed() {
    let world = World::new();
    world.puts("Cargo.toml", "[workspace]\n");
    world.puts("Cargo.lock", "1\n");
    world.git("add -A");
    world.git("commit -qm workspace");
    let world = world.installed();
    world.to("execute");
    world.writes("Cargo.lock", "2\n").refuses("Cargo.lock");
    world.agents_shell("printf '2\\n' > Cargo.lock; git add Cargo.lock", "");
    let said = world.agents_shell("git commit -qm lock", "");
    assert!(said.code != 0 && said.err.contains("Cargo.lock"), "{said:?}");
}

/// Starts a command that goes on in the background, and gives the id of its call.
fn in_the_background(world: &World) -> String {
    let input = json!({ "command": "cargo test", "run_in_background": true });
    let call = world.next_call();
    world.before("Bash", &input, &call).passes();
    world.after("Bash", &input, &call, &json!({ "backgroundTaskId": "b1" }), 3).passes();
    call
}

/// A server need never end, so the step is taken; what still runs is said with it.
#[test]
fn a_step_out_of_the_work_says_what_still_runs() {
    for runs in [true, false] {
        let world = in_execute();
        world.works("execute");
        if runs {
            in_the_background(&world);
        }
        world.tests();
        let said = world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
        assert_eq!(said.contains("still runs in the background"), runs, "{said}");
        assert_eq!(world.phase(), "verify");
    }
}

#[test]
fn a_boundary_waits_for_what_a_background_command_may_have_changed() {
    for end in ["stop", "told", "session"] {
        let world = in_execute();
        world.works("execute");
        let call = in_the_background(&world);
        write(&world, "todo.txt", "late\n");
        write(&world, "src/parser/late.rs", "late\n");
        let did = code_does(&world, |_| ());
        did.after.tells("todo.txt changed, and no call");
        world.tests();
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("todo.txt");
        let running = json!({
            "stop_hook_active": false, "last_assistant_message": "", "session_crons": [],
            "background_tasks": [{ "id": "b1", "type": "shell", "status": "running" }],
        });
        world.event("Stop", &running);
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("wait for it");
        match end {
            "stop" => drop(world.stops()),
            "told" => {
                let text = format!(
                    "<task-notification>\n<task-id>b1</task-id>\n\
                     <tool-use-id>{call}</tool-use-id>\n<status>completed</status>\n\
                     </task-notification>"
                );
                drop(world.prompt(&text));
            }
            _ => drop(world.starts()),
        }
        world.opens();
        world.tests();
        world.leaves();
        let files = committed(&world);
        assert!(files.contains("src/parser/late.rs"), "what lies in scope is the agent's: {files}");
        assert!(!world.git("log --name-only --format= -1").contains("todo.txt"));
        assert_eq!(world.json("fence status")["unclaimed"], json!(["todo.txt"]), "{end}");
        let said = world.seed("fence restore todo.txt").said();
        assert!(said.code == 1 && said.out.contains("todo.txt is left as it is"), "{said:?}");
        world.person("fence restore todo.txt").tells("todo.txt is as it was");
    }
}

#[test]
fn a_file_that_was_the_persons_is_mixed_and_a_half_staged_one_stays_so() {
    let world = World::seeded();
    world.puts(CODE, "fn lex() {}\n// the person's\n");
    world.puts("todo.txt", "a\nb staged\nc\n");
    world.git("add todo.txt");
    world.puts("todo.txt", "a\nb staged\nc not\n");
    world.puts("plans.txt", "untracked\n");
    let half = (world.git("diff --cached todo.txt"), world.git("diff todo.txt"));
    world.to("execute");
    world.works("execute");
    world
        .seed("fence status")
        .tells(&format!("own        {CODE}   (the person had already changed it)"));
    world.leaves();
    assert!(world.git("log -1 --format=%B").contains(&format!("Seed-Mixed: {CODE}")));
    world.enters("condense");
    assert_eq!((world.git("diff --cached todo.txt"), world.git("diff todo.txt")), half);
    let files = committed(&world);
    assert!(!files.contains("plans.txt"), "{files}");
    assert_eq!(world.json("fence status")["persons"], json!(["plans.txt", CODE, "todo.txt"]));
}

#[test]
fn what_the_person_marked_as_unchanged_is_still_theirs() {
    let world = World::seeded();
    world.git("update-index --assume-unchanged todo.txt");
    world.puts("todo.txt", "marked\n");
    world.to("execute");
    assert_eq!(world.json("fence status")["persons"], json!(["todo.txt"]));
}

#[test]
fn a_commit_that_code_makes_is_named_on_whatever_branch_it_lies() {
    let world = in_execute();
    let rogue = [
        ("git commit -q --allow-empty --no-verify -m plain", "plain"),
        (
            "git checkout -q -b side; git commit -q --allow-empty --no-verify -m aside; git \
             checkout -q main",
            "aside",
        ),
        (
            "GIT_COMMITTER_DATE=2001-01-01T00:00:00Z git commit -q --allow-empty --amend \
             --no-verify -m amended",
            "amended",
        ),
        ("git -c core.hooksPath=/dev/null commit -q --allow-empty -m unhooked", "unhooked"),
    ];
    for (line, subject) in rogue {
        let did = world.runs_and("cargo test", || drop(world.agents_shell(line, "")));
        did.after.tells(&format!("\"{subject}\" was committed by hand."));
        let person = did.after.to_person().unwrap_or_default();
        assert!(person.contains(subject), "{person}");
    }
    // What was named is not named again where nothing new came.
    assert_eq!(world.runs_and("cargo test", || ()).after.context(), None);
}

#[test]
fn a_call_is_short_however_much_it_wrote() {
    // A change at a call's very start is the call's, however long the fence takes to see it.
    let world = in_execute();
    let input = json!({ "command": "cargo test" });
    let call = world.next_call();
    world.before("Bash", &input, &call).passes();
    write(&world, "todo.txt", "stray\n");
    for n in 0..600 {
        write(&world, &format!("src/parser/many/{n}"), "x\n");
    }
    world.after("Bash", &input, &call, &json!({ "stdout": "" }), 40).tells("");
    let status = world.json("fence status");
    assert!(
        status["strays"].as_array().expect("a list").contains(&json!("todo.txt")),
        "{status:#}"
    );
}

/// The children of the hook, by their git verb, as a `git` before the real one counts them.
#[test]
fn the_hook_after_a_shell_call_starts_few_children() {
    let world = in_execute();
    let count = |act: &dyn Fn(&World)| {
        let log = world.root().join("children");
        let _ = fs::remove_file(&log);
        let real = world.sh("command -v git").trim().to_owned();
        let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec {real} \"$@\"\n", log.display());
        let bin = world.root().join("bin");
        fs::create_dir_all(&bin).expect("a directory");
        fs::write(bin.join("git"), script).expect("written");
        fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).expect("ours");
        let path = world.sh("printf %s \"$PATH\"");
        let input = json!({ "command": "cargo test" });
        let call = world.next_call();
        world.before("Bash", &input, &call).passes();
        act(&world);
        world.host_has("PATH", &format!("{}:{path}", bin.display()));
        world.after("Bash", &input, &call, &json!({ "stdout": "" }), 50);
        world.host_has("PATH", &path);
        let told = fs::read_to_string(&log).unwrap_or_default();
        let verbs = ["ls-files", "update-index", "check-ignore", "write-tree"];
        told.lines()
            .map(|line| {
                verbs.into_iter().find(|verb| line.contains(verb)).unwrap_or(line).to_owned()
            })
            .collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(count(&|_| ()), none, "nothing changed");
    let changed = count(&|world| write(world, CODE, "fn lex() { 2 }\n"));
    assert_eq!(changed, none, "a receipt of code names its tree, which is made in process");
    assert_eq!(count(&|_| ()), none, "nothing changed again");
    // What attributes convert is git's to say.
    world.git("config filter.up.clean cat");
    write(&world, ".gitattributes", "*.rs filter=up\n");
    let asked = count(&|world| write(world, CODE, "fn lex() { 3 }\n"));
    assert!(asked.contains(&"update-index".to_owned()), "{asked:?}");
}

#[test]
fn what_git_cannot_take_does_not_blind_the_fence() {
    let world = World::new();
    for file in ["docs/dist/x", "docs/shut/x", "docs/secret"] {
        world.puts(file, "old\n");
    }
    world.puts(".gitignore", "moved\n");
    world.git("add -A");
    world.git("commit -qm docs");
    let world = world.installed();
    world.to("execute");
    let did = code_does(&world, |world| {
        write(world, "odd/.GIT/x", "new\n");
        write(world, "git~1", "new\n");
        fs::rename(world.path("docs/dist"), world.path("docs/moved")).expect("ours");
        symlink("moved", world.path("docs/dist")).expect("a link");
        write(world, "docs/dist/x", "behind a link\n");
        fs::set_permissions(world.path("docs/secret"), fs::Permissions::from_mode(0o0))
            .expect("ours");
        fs::set_permissions(world.path("docs/shut"), fs::Permissions::from_mode(0o0))
            .expect("ours");
        write(world, "rogue.sh", "x\n");
    });
    did.after.tells("NOTICED");
    let said = world.seed("fence status").succeeds();
    for path in ["odd", "git~1", "docs/dist", "rogue.sh"] {
        assert!(said.contains(&format!("stray      {path}\n")), "{path}: {said}");
    }
    world.seed("fence restore").said();
    fs::set_permissions(world.path("docs/shut"), fs::Permissions::from_mode(0o755)).expect("ours");
    world
        .sh("rm -rf odd 'git~1'; rm -f docs/dist docs/secret; rm -rf docs/moved; git checkout -q \
        -- docs");
    world.seed("fence status").tells("Clean.");
}

/// Scratch is nobody's: a line that writes there alone is open in every phase, as an edit is.
#[test]
fn a_line_that_writes_scratch_alone_is_open() {
    let world = World::seeded();
    let write = |line: &str| world.runs_and(line, || ());
    world.prompt("look at it");
    write("echo x > /tmp/git-seed-scratch.txt").passes();
    world.to("observe");
    write("mkdir -p /tmp/git-seed && cat src/parser/lex.rs > /tmp/git-seed/lex.rs").passes();
    write("grep -rn lex src 2> /tmp/err | tee -a /tmp/found | head -3").passes();
    // A link that the line puts there, in whatever round, leads out of scratch.
    for line in [
        "for f in link file; do cp -P $f /tmp/x; done",
        "find . -exec cp -P {} /tmp/x \\;",
        "cat list | xargs -I{} cp -P {} /tmp/x",
        "tar xf a.tar -C /tmp/x && echo x > /tmp/x/lex.rs",
    ] {
        write(line).refuses("through the shell");
    }
    // A link that the line itself makes leads out of scratch.
    write("ln -s $PWD/src/parser /tmp/git-seed-d && cp x /tmp/git-seed-d/lex.rs")
        .refuses("through the shell");
    // Nor does one that was there before keep anything in scratch.
    let link = format!("/tmp/git-seed-it-{}", std::process::id());
    symlink(world.path("src/parser"), &link).expect("a link");
    let through = write(&format!("cp x {link}/lex.rs"));
    fs::remove_file(&link).expect("ours");
    through.refuses("through the shell");
    write("D=/tmp/$(date +%s)/../../etc; cp x $D/y").refuses("through the shell");
    write("cp src/parser/lex.rs /tmp/x && cp /tmp/x src/parser/lex.rs")
        .refuses("src/parser/lex.rs");
    write("echo x | tee /tmp/x src/parser/new.rs").refuses("through the shell");
    write("cp src/parser/lex.rs /tmp/../etc/x").refuses("through the shell");
}

#[test]
fn a_person_opens_paths_at_the_terminal_and_no_agent_does() {
    let world = World::seeded();
    world.enters("execute");
    world.seed("phase multiplier 3").succeeds();
    world.writes("docs/open.md", "open\n").refuses("docs");
    world.runs("git seed fence allow docs/open.md").refuses("fence allow");
    let said = world.person("fence allow docs/open.md ../beyond").said();
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("opened docs/open.md") && said.out.contains("../beyond"), "{said:?}");
    world.writes("docs/open.md", "open\n").passes();
    let said = world.person("fence allow /etc/passwd .git/config").said();
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("opened nothing"), "{said:?}");
    let said = world.person("fence allow").said();
    assert_eq!(said.code, 64, "{said:?}");
    // As a shell means it: the working directory comes first.
    world.sh("mkdir -p docs/deep && touch docs/deep/README.md");
    for (typed, opened) in
        [(".", "docs/deep/"), ("new.md", "docs/deep/new.md"), ("README.md", "docs/deep/README.md")]
    {
        let line = format!("cd docs/deep && git seed fence allow {typed}");
        let said = world.persons_terminal(&line, "");
        assert!(said.out.contains(&format!("opened {opened} ")), "{typed}: {said:?}");
    }
}

/// A prompt makes a step between two boundaries: what nobody claims is named all the same, until a
/// person takes it over or puts it back.
#[test]
fn what_nobody_claims_is_named_over_a_prompt() {
    for (end, line) in [("accept", "fence accept todo.txt"), ("restore", "fence restore todo.txt")]
    {
        let world = in_execute();
        world.works("execute");
        write(&world, "todo.txt", "late\n");
        drop(code_does(&world, |_| ()));
        let unclaimed = || world.json("status")["fence"]["unclaimed"].clone();
        assert_eq!(unclaimed(), json!(["todo.txt"]));
        world.prompt("please name the test after the bug");
        assert_eq!(unclaimed(), json!(["todo.txt"]), "{end}");
        assert_eq!(unclaimed(), world.json("fence status")["unclaimed"]);
        world.person(line).succeeds();
        assert_eq!(unclaimed(), json!([]), "{end}");
        world.prompt("and keep it short");
        assert_eq!(unclaimed(), json!([]), "{end}");
        assert_eq!(unclaimed(), world.json("fence status")["unclaimed"]);
    }
}
