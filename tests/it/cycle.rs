//! One job, one cycle: gates, edges, the person in the middle, and who may approve.

use serde_json::json;

use super::world::{CODE, PAGE, PHASES, World, completion, message, page, question};

/// Goes once around and says that the person's things are where they were.
fn goes_around(world: &World) {
    world.to("condense");
    world.works("condense");
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none", "the focus is given up");
    assert!(world.stops().is_silent(), "the turn may end");
}

#[test]
fn a_cycle_ends_with_an_approval_and_makes_a_commit_for_each_phase() {
    let world = World::seeded();
    goes_around(&world);
    let steps = world.git("log --reverse --format='%(trailers:key=Seed-Step,valueonly)' HEAD~5..");
    let steps: Vec<&str> = steps.lines().filter(|line| !line.is_empty()).collect();
    let expected = [
        "observe -> plan",
        "plan -> execute",
        "execute -> verify",
        "verify -> condense",
        "condense -> idle",
    ];
    assert_eq!(steps, expected);
    assert!(world.git("status --porcelain").is_empty());
}

#[test]
#[expect(clippy::too_many_lines, reason = "one gate after the other, in one life")]
fn each_gate_that_says_no_changes_nothing() {
    type Spoil = fn(&World);
    // phase, what is missing, what is sent, what it says
    let cases: [(&str, Spoil, Option<&str>, &str); 14] = [
        ("observe", |_| {}, None, "a name and an objective"),
        (
            "observe",
            |world| {
                world.opens();
                world.seed("job update --name lexer --objective 'too short'").succeeds();
            },
            None,
            "objective",
        ),
        (
            "observe",
            |world| {
                world.opens();
                let objective = super::world::objective();
                world
                    .seed(&format!("job update --name lexer --objective '{objective}'"))
                    .succeeds();
            },
            None,
            "---Ob---",
        ),
        ("observe", |world| world.works("observe"), Some(""), "message"),
        ("observe", |world| world.works("observe"), Some("short\n"), "What I Observed"),
        (
            "observe",
            |world| world.works("observe"),
            Some(
                "x\n\n## What I Observed\na\n\n## Sources Consulted\nb\n\n## Questions Resolved\n\
                 c\n\n## Outstanding Items\n",
            ),
            "30 words",
        ),
        ("observe", |world| world.works("observe"), Some("more is left\n"), "Outstanding Items"),
        (
            "plan",
            |world| {
                world.opens();
                world.notes("---Pl---", "contract");
            },
            None,
            "set-plan-file",
        ),
        (
            "execute",
            |world| {
                world.works("execute");
                world.runs_and("cargo test", || write(world, "todo.txt", "stray\n"));
            },
            None,
            "todo.txt",
        ),
        ("execute", |world| world.works("execute"), Some("Seed-Id: 123456789abc\n"), "Seed-"),
        (
            "verify",
            |world| {
                world.opens();
            },
            None,
            "---Ve---",
        ),
        (
            "condense",
            |world| {
                world.opens();
                world.reads(PAGE).passes();
                world.edits(PAGE, "---Ob---\n", "---Ob---\n\n[KNOWLEDGE]{lexers}\n").passes();
            },
            None,
            "CLAUDE.md:",
        ),
        (
            "condense",
            |world| {
                world.opens();
                world.reads(PAGE).passes();
                world
                    .edits(PAGE, "# parser", "# parser\n\nEscapes need one character of lookahead.")
                    .passes();
            },
            None,
            "no session log",
        ),
        (
            "condense",
            |world| {
                world.opens();
                world.reads(PAGE).passes();
                world.seed("condense archive").succeeds();
                world
                    .edits(PAGE, "# parser", "# parser\n\nEscapes need one character of lookahead.")
                    .passes();
            },
            None,
            "footers",
        ),
    ];
    for (phase, spoil, sent, says) in cases {
        let world = World::seeded();
        world.enters(phase);
        world.opens();
        spoil(&world);
        world.is_heard();
        let whole = message(phase);
        // What is appended must not make the message shorter than it has to be.
        let text = match sent {
            Some(tail @ ("more is left\n" | "Seed-Id: 123456789abc\n")) => format!("{whole}{tail}"),
            Some(text) => text.to_owned(),
            None => whole,
        };
        world.changes_nothing(|| world.seed("phase advance -F -").stdin(&text).refuses(says));
        assert_eq!(world.phase(), phase, "{says}");
    }
}

#[test]
fn a_stay_begins_with_the_word_on_its_size() {
    for phase in PHASES {
        let world = World::seeded();
        world.enters(phase);
        let did = world.delegates("reviewer", || json!({}));
        did.before.refuses(&format!("set the multiplier of {phase} first"));
        world.changes_nothing(|| {
            world
                .seed("phase advance -F -")
                .stdin(&message(phase))
                .refuses(&format!("set the multiplier of {phase} first"))
        });
        world.seed("phase multiplier 7").ends(64, "0.5");
        world.seed("phase multiplier 2").succeeds();
        world.changes_nothing(|| world.seed("phase multiplier 3").refuses("BLOCKED"));
    }
}

#[test]
fn anchors_that_git_seed_put_in_do_not_count_as_work_that_nobody_watched() {
    let world = World::prompted();
    world.to("observe");
    world.seed("phase back idle -m 'the person wants to talk first'").succeeds();
}

/// Code that the agent runs writes a file.
fn write(world: &World, path: &str, text: &str) {
    std::fs::write(world.path(path), text).expect("the file can be written");
}

#[test]
fn a_plan_that_names_a_document_wants_it_before_execute_ends_and_unedited_by_verify() {
    let world = World::seeded();
    world.to("plan");
    world.notes("---Pl---", "contract\nscope: src/parser/tests");
    world.seed("plan set-plan-file plan.md").succeeds();
    world.leaves();
    world.works("execute");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("plan")
    });
    let plan = format!(".claude/jobs/{}/plan.md", world.job());
    world.writes(&plan, "---\ntotal_cycles: 2\n---\n\n# Plan\n").passes();
    world.leaves();
    assert_eq!(world.phase(), "verify");
    world.works("verify");
    world.edits(&plan, "# Plan", "# The plan").passes();
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("verify")).refuses("plan")
    });
}

#[test]
fn every_backward_edge_keeps_the_cycle() {
    let cases = [
        ("plan", "observe"),
        ("execute", "plan"),
        ("execute", "observe"),
        ("verify", "execute"),
        ("verify", "plan"),
        ("verify", "observe"),
    ];
    for (from, to) in cases {
        let world = World::seeded();
        world.to(from);
        let head = world.git("rev-parse HEAD");
        let out = world.seed(&format!("phase back {to} -m 'something was missed'")).succeeds();
        assert!(out.starts_with(&format!("{from} -> {to}\n")), "{out}");
        assert_eq!(world.phase(), to);
        assert_eq!(world.json("phase cycle"), 1, "{from} -> {to}");
        assert_eq!(world.git("rev-parse HEAD"), head, "nothing to commit, no commit");
        world.to("condense");
    }
}

#[test]
fn a_step_back_commits_what_is_there_to_commit() {
    let world = World::seeded();
    world.to("verify");
    world.works("verify");
    world.seed("phase back -m 'escapes still get lost'").tells("verify -> execute   commit");
    assert_eq!(world.trailer("Seed-Step"), "verify -> execute");
    assert_eq!(world.files_of_head(), [PAGE]);
}

#[test]
fn no_other_edge_goes_back() {
    for (from, to) in
        [("observe", "plan"), ("plan", "verify"), ("execute", "verify"), ("condense", "verify")]
    {
        let world = World::seeded();
        world.to(from);
        world.changes_nothing(|| world.seed(&format!("phase back {to} -m x")).refuses("BLOCKED"));
    }
}

#[test]
fn leaving_the_work_does_not_use_up_the_cycle() {
    let world = World::prompted();
    world.to("observe").is_heard();
    assert_eq!(world.json("phase cycle"), 1);
    world.seed("phase back idle -m 'the person wants to talk first'").succeeds();
    assert_eq!(world.phase(), "idle");
    world.to("observe");
    assert_eq!(world.json("phase cycle"), 1, "the cycle was not used up");
}

#[test]
fn no_step_makes_an_empty_commit() {
    let world = World::prompted();
    goes_around(&world);
    let commits = world.git("log --format=%H");
    for commit in commits.lines() {
        let files = world.git(&format!("show --format= --name-only {commit}"));
        assert!(!files.is_empty(), "{commit} is empty");
    }
    world.prompt("another one");
    world.to("execute");
    world.checkpoint("nothing was done").ends(2, "nothing to checkpoint");
}

#[test]
fn a_cycle_may_be_added_in_condense() {
    let world = World::seeded();
    world.to("observe");
    let early = || world.seed("phase advance --add-cycle 'nested quotes' -F -");
    world.changes_nothing(|| {
        early()
            .stdin(&message("observe"))
            .refuses("only condense can add a cycle, and this is observe")
    });
    world.to("condense");
    world.works("condense");
    world
        .seed("phase advance --add-cycle 'nested quotes' -F -")
        .stdin(&message("condense"))
        .succeeds();
    assert_eq!(world.phase(), "idle");
    world.stops().refuses("phase advance");
    world.seed("phase advance").succeeds();
    assert_eq!(world.json("phase cycle"), 2);
    // The step is called by the cycle that it begins.
    let log = world.json("log");
    let begun = log.as_array().into_iter().flatten().find(|row| row["step"] == "idle -> observe");
    let begun = begun.expect("the step that began it");
    let subject = begun["subject"].as_str().unwrap_or_default();
    assert!(begun["cycle"] == 2 && subject.ends_with("(cycle 2)"), "{begun}");
}

// ---- the person's hooks, commits and files

fn with_hook(name: &str, script: &str) -> World {
    let world = World::new();
    world.sh(&format!("printf '%s' '{script}' > .git/hooks/{name} && chmod +x .git/hooks/{name}"));
    world.installed()
}

#[test]
fn a_persons_hook_that_refuses_leaves_everything_as_it_was() {
    for hook in ["pre-commit", "commit-msg"] {
        let world =
            with_hook(hook, "#!/bin/sh\ntest ! -e ../veto || { echo not today; exit 1; }\n");
        world.to("execute");
        world.works("execute");
        world.sh("touch ../veto");
        let said = world.changes_nothing(|| {
            world.seed("phase advance -F -").stdin(&message("execute")).fails("not today")
        });
        assert!(said.contains("phase, index and tree are as they were"), "{said}");
        assert!(said.contains(&format!("(the {hook} hook)")), "{said}");
        assert_eq!(world.phase(), "execute");
        let line = "git seed phase advance -F - <<'END'\n".to_owned() + &message("execute") + "END";
        let told = world.runs(&line).after.to_person().unwrap_or_default().to_owned();
        let (status, why) = (world.seed("status").succeeds(), world.seed("why").succeeds());
        for said in [&told, &status, &why] {
            assert!(said.contains(&format!("the {hook} hook")), "{hook}: {said}");
            assert!(said.contains("not today"), "{hook}: {said}");
            assert_eq!(
                said.contains("begin the message with a first line"),
                hook == "commit-msg",
                "{said}"
            );
        }
        world.sh("rm ../veto");
        world.leaves();
        assert_eq!(world.phase(), "verify", "{hook}");
        assert!(!world.seed("status").succeeds().contains("not today"));
    }
}

#[test]
fn a_step_back_is_taken_although_a_hook_refuses_its_commit() {
    let world = with_hook("pre-commit", "#!/bin/sh\ntest ! -e ../veto\n");
    world.to("verify");
    world.works("verify");
    world.sh("touch ../veto");
    let head = world.git("rev-parse HEAD");
    world.seed("phase back execute -m 'it fails'").succeeds();
    assert_eq!((world.phase().as_str(), world.git("rev-parse HEAD")), ("execute", head));
    world.sh("rm ../veto");
    world.works("execute");
    world.leaves();
    assert!(world.text(PAGE).contains("ran it"), "its page edits belong to the next commit");
    assert!(world.git("status --porcelain").is_empty());
}

#[test]
fn a_hook_that_formats_files_gets_its_way() {
    let format = "#!/bin/sh\nf=src/parser/lex.rs\nsed -i s/escapes\\(\\)/escapes_formatted\\(\\)/ \
        $f && git add $f\n";
    let world = with_hook("pre-commit", format);
    world.to("execute");
    world.works("execute");
    world.leaves();
    assert!(
        world.git(&format!("show HEAD:{CODE}")).contains("escapes_formatted"),
        "the commit holds its work"
    );
    assert!(world.git("status --porcelain").is_empty(), "and so do index and work tree");
    world.works("verify");
    world.leaves();
    assert_eq!(world.phase(), "condense", "the next boundary finds nothing odd");
}

#[test]
fn a_persons_own_commit_in_the_middle_stays_where_it_is() {
    let world = World::seeded();
    world.to("execute");
    world.puts("todo.txt", "mine\n");
    world.git("commit -qam 'my own commit'");
    let own = world.git("rev-parse HEAD");
    world.works("execute");
    world.leaves();
    assert_eq!(world.git("rev-parse HEAD~1"), own);
    assert_eq!(world.files_of_head(), [PAGE, CODE]);
    world.to("condense");
}

#[test]
fn a_file_that_a_person_edits_meanwhile_is_named_and_left_alone() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.puts("todo.txt", "the person was here\n");
    let out = world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert!(out.contains("todo.txt changed, and no call accounts for it"), "{out}");
    assert!(!world.files_of_head().contains(&"todo.txt".to_owned()));
    assert_eq!(world.json("status")["fence"]["unclaimed"], json!(["todo.txt"]));
    let note = world.git("notes --ref=seed show HEAD");
    assert!(note.contains(r#""unclaimed":[{"path":"todo.txt","blob":""#), "{note}");
    world.to("condense");
    world.works("condense");
    let asked = world.asks(&completion()).passes();
    let told = asked.reply.to_person().expect("a word to the person").to_owned();
    let named = told.contains("todo.txt (") && told.contains("no call accounts for the change");
    assert!(named, "{told}");
    asked.answers("Approve completion");
    world.leaves();
    assert_eq!(world.git("status --porcelain"), " M todo.txt");
    assert_eq!(world.text("todo.txt"), "the person was here\n");
}

#[test]
fn what_the_agents_code_strays_into_stops_the_boundary_until_it_is_put_back() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let did = world.runs_and("cargo test", || write(&world, "todo.txt", "stray\n"));
    did.after.tells("todo.txt");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("todo.txt")
    });
    let told = world.seed("fence restore").tells("todo.txt is as it was");
    assert_eq!(world.text("todo.txt"), "a\nb\nc\n");
    let kept = told.trim_end().rsplit(' ').next().expect("where it is kept").to_owned();
    assert_eq!(world.git(&format!("show {kept}")), "stray", "what was taken away is kept");
    world.tests();
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn restoring_touches_the_agents_changes_and_nothing_else() {
    let world = World::seeded();
    world.to("execute");
    let before = world.text(CODE);
    world.works("execute");
    world.puts("todo.txt", "the person was here\n");
    world.puts("src/parser/by_hand.rs", "// the person's\n");
    for path in ["todo.txt", "src/parser/by_hand.rs", PAGE] {
        let said = world.seed(&format!("fence restore {path}")).said();
        assert!(said.code == 1 && said.out.contains("is left as it is"), "{path}: {said:?}");
    }
    assert_eq!(world.text("todo.txt"), "the person was here\n");
    // What it did in scope goes only where it is named.
    world.seed("fence restore").tells("Nothing to restore");
    let after = world.text(CODE);
    assert!(after != before && after.contains("escapes"), "{after}");
    let new = "src/parser/new.rs";
    world.writes(new, "fn new() {}\n").passes();
    world.tests();
    let told = world.seed(&format!("fence restore {new} {CODE}")).succeeds();
    assert!(!world.path(new).exists(), "{told}");
    assert_eq!(world.text(CODE), before);
    for (path, held) in [(new, "fn new() {}"), (CODE, after.trim_end())] {
        let line = told.lines().find(|line| line.starts_with(path)).expect("it is told");
        let kept = line.rsplit(' ').next().expect("where it is kept");
        assert_eq!(world.git(&format!("show {kept}")), held, "what was taken away is kept");
    }
    // One that it deleted comes back.
    world.runs_and(&format!("rm {CODE}"), || drop(std::fs::remove_file(world.path(CODE))));
    world.seed(&format!("fence restore {CODE}")).tells("is as it was");
    assert_eq!(world.text(CODE), before);
}

#[test]
fn a_persons_file_that_the_agent_edits_in_scope_is_named_in_the_commit() {
    let world = World::seeded();
    world.puts(CODE, "fn lex() { /* half done */ }\n");
    world.to("execute");
    world.works("execute");
    world.leaves();
    assert_eq!(world.trailer("Seed-Mixed"), CODE);
    assert_eq!(world.trailer("Seed-Step"), "execute -> verify", "still one paragraph of trailers");
}

#[test]
fn a_half_staged_file_survives_a_cycle_byte_for_byte() {
    let world = World::seeded();
    world.puts("todo.txt", "a\nB\nc\n");
    world.git("add todo.txt");
    world.puts("todo.txt", "a\nB\nC\n");
    // Whoever writes the index takes the size from an entry that is as young as the index: git
    // then reads that file again. It says nothing of what is staged.
    let entry = || {
        let shown = world.git("ls-files --stage --debug todo.txt");
        shown
            .lines()
            .filter(|line| !line.trim_start().starts_with("size:"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let before = (entry(), world.text("todo.txt"), world.git("diff --cached todo.txt"));
    goes_around(&world);
    assert_eq!(before, (entry(), world.text("todo.txt"), world.git("diff --cached todo.txt")));
    assert_eq!(
        world.git("log --format= --name-only HEAD~5.. -- todo.txt"),
        "",
        "nothing of it is in a commit"
    );
    assert_eq!(world.git("stash list"), "");
}

#[test]
fn pages_with_crlf_keep_it() {
    let world = World::new();
    world.puts("CLAUDE.md", "# Root\r\n\r\nWords.\r\n");
    world.puts(PAGE, &page("# parser\n").replace('\n', "\r\n"));
    world.git("add -A");
    world.git("commit -qm crlf");
    let world = world.installed();
    world.prompt("fix it");
    world.to("observe");
    world.works("observe");
    world.leaves();
    for path in ["CLAUDE.md", PAGE] {
        let text = world.text(path);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{path}: {text:?}");
    }
}

// ---- where a job lives

#[test]
fn on_another_branch_the_job_waits() {
    let world = World::seeded();
    world.to("execute");
    world.git("checkout -q -b other");
    world.edits(CODE, "fn lex", "fn flex").refuses("main");
    world.reads(CODE).passes();
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("main")
    });
    world.git("checkout -q main");
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_branch_that_lost_the_jobs_commits_waits_until_a_person_moves_the_job() {
    let world = World::seeded();
    world.to("execute");
    world.git("reset -q --hard HEAD~2");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("history")
    });
    world.seed("job move").refuses("");
    world.person("job move").succeeds();
    world.seed("phase back plan -m 'the commits are gone'").succeeds();
}

#[test]
fn a_merge_in_progress_is_waited_for() {
    let world = World::seeded();
    world.git("checkout -q -b side");
    world.puts("side.txt", "side\n");
    world.git("add -A");
    world.git("commit -qm side");
    world.git("checkout -q main");
    world.to("execute");
    world.works("execute");
    world.git("merge -q --no-ff --no-commit side");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("merge")
    });
    world.git("merge --abort || git reset -q --merge");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

/// Before the first step as well: the job would be led to a step that is refused.
#[test]
fn what_is_under_way_is_named_before_the_first_step() {
    for (begins, ends, what) in [
        ("git merge -q --no-ff --no-commit side", "git merge --abort", "a merge is in"),
        ("git rebase -q -x false side", "git rebase --abort", "a rebase is in"),
        ("git bisect start HEAD HEAD~1", "git bisect reset", "a bisect is in"),
    ] {
        let world = World::seeded();
        world.sh(&format!(
            "git checkout -q -b side; echo side > side.txt; git add -A; \
             git -c core.hooksPath=/dev/null commit -qm side; git checkout -q main; \
             git -c core.hooksPath=/dev/null commit -q --allow-empty -m two; {begins} || true"
        ));
        world.prompt("Fix the lexer");
        let status = world.json("status");
        assert!(status["missing"].to_string().contains(what), "{what}: {status}");
        assert!(status["next"].to_string().contains("ask the person to finish"), "{status}");
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses(what);
        world.seed("phase advance").refuses(what);
        world.sh(ends);
        let status = world.json("status");
        assert_eq!(
            (&status["missing"], &status["next"]),
            (&json!([]), &json!("git seed phase advance"))
        );
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("has not started");
        world.seed("phase advance").succeeds();
    }
}

#[test]
fn a_detached_head_carries_a_cycle() {
    let world = World::seeded();
    world.git("checkout -q --detach");
    goes_around(&world);
    assert_eq!(world.git("rev-parse main~0"), world.git("rev-parse HEAD~5"), "main stays behind");
    assert_eq!(world.git("rev-parse --abbrev-ref HEAD"), "HEAD");
}

#[test]
fn an_unborn_branch_carries_a_cycle() {
    let world = World::empty("git init -q -b main .");
    world.puts(CODE, "fn lex() {}\n");
    let world = world.installed();
    goes_around(&world);
    assert_eq!(world.git("symbolic-ref HEAD"), "refs/heads/main");
}

/// The card of work in a repository without commits counts it.
#[test]
fn the_first_commit_to_be_is_counted_on_the_card() {
    let world = World::empty("git init -q -b main .");
    world.puts(CODE, "fn lex() {}\n");
    let world = world.installed();
    world.prompt("write the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'no tokens; adds them'").succeeds();
    world.writes("src/parser/token.rs", "struct Token;\n").passes();
    world.tests();
    let status = world.json("status").to_string();
    assert!(status.contains("[JOB-COMPLETE]"), "{status}");
    assert!(world.card().contains("1 file, +1"), "{}", world.card());
}

/// A bisect puts HEAD where no branch keeps a commit.
#[test]
fn in_a_bisect_no_job_is_moved_and_the_bisect_is_named() {
    let world = World::seeded();
    world.sh(
        "for n in 1 2 3; do git -c core.hooksPath=/dev/null commit -q --allow-empty -m $n; done",
    );
    world.to("execute");
    world.sh("git bisect start HEAD HEAD~3");
    let status = world.person("status").succeeds();
    assert!(status.contains("a bisect is in progress"), "{status}");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("a bisect is in");
        world.person("job move").refuses("finish or abort the bisect");
    });
    world.sh("git bisect reset");
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    // On a branch of its own a job moves while one is under way elsewhere, or nothing is.
    world.sh("git checkout -q -b other");
    world.person("job move").succeeds();
}

#[test]
fn a_linked_worktree_carries_a_cycle() {
    let world = World::linked();
    goes_around(&world);
    assert_eq!(world.git("rev-parse --abbrev-ref HEAD"), "side");
}

#[test]
fn a_sha256_repository_carries_a_cycle() {
    let world = World::with("git init -q -b main --object-format=sha256 .").installed();
    goes_around(&world);
}

#[test]
fn a_job_goes_on_with_the_next_session() {
    let world = World::seeded();
    world.to("execute");
    world.ends();
    world.session("7e1d0f0a-0000-4000-8000-000000000002");
    world.starts().tells("a job is active");
    world.prompt("go on");
    goes_around(&world);
}

// ---- approval

/// A job in condense with settled memory.
fn ready() -> World {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world
}

fn is_approved(world: &World) -> bool {
    world.json("job show")["user_approval"].as_bool().expect("a flag")
}

#[test]
fn only_the_literal_answer_approves() {
    let world = ready();
    for answer in
        ["Review", "approve completion", "Approve", "yes", "Approve completion, but", "", "Other"]
    {
        world.asks(&completion()).passes().answers(answer);
        assert!(!is_approved(&world), "{answer:?}");
    }
    world.stops().refuses("condense");
    world.approved();
    assert!(is_approved(&world));
}

#[test]
fn a_question_of_another_shape_is_not_put() {
    let world = ready();
    let whole = completion();
    let text = whole["question"].as_str().expect("a text").to_owned();
    let literal = ["Review", "Approve completion"];
    let mut multiple = whole.clone();
    multiple["multiSelect"] = json!(true);
    let cases = [
        (question(&text, &["Yes", "No"]), "literal"),
        (question(&text, &["Review", "Approve completion", "Later"]), "literal"),
        (question(&text, &["Approve completion"]), "literal"),
        (multiple, "alone"),
        (
            question("[JOB-COMPLETE] fix the lexer", &literal),
            "at least 100 words; an empty section",
        ),
        (question(&text.replace("fix the lexer", "something"), &literal), "name the job"),
        (question(&text.replace("## Outstanding Items", ""), &literal), "Outstanding Items"),
        (question(&format!("{text}nested quotes\n"), &literal), "Outstanding Items"),
    ];
    for (question, says) in cases {
        world.asks(&question).refuses(says);
    }
    let input = json!({ "questions": [whole, question("Which colour?", &["red", "blue"])] });
    world.before("AskUserQuestion", &input, &world.next_call()).refuses("alone");
}

#[test]
fn the_question_holds_the_line_that_says_what_was_seen() {
    let world = ready();
    let card = world.card();
    assert!(card.starts_with("Seen by git seed: 1 file, +"), "{card}");
    assert!(card.split_whitespace().count() <= 25, "{card}");
    // The refusal quotes the line.
    world.asks_bare(&completion()).refuses(&card);
    // In bold, in a quotation and over two lines it is the same line.
    let text = completion()["question"].as_str().expect("a text").to_owned();
    let broken = card.replacen("; ", ";\n> ", 1);
    let bold = text.replace("## Out", &format!("> **{broken}**\n\n## Out"));
    let literal = ["Review", "Approve completion"];
    // A rosier one is not.
    let more = text.replace("## Out", &format!("{}\n\n## Out", card.replace("1 file", "9 files")));
    world.asks_bare(&question(&more, &literal)).refuses(&card);
    world.asks_bare(&question(&bold, &literal)).passes();
    let status = world.person("status").succeeds();
    assert!(status.contains("changed  1 file, +"), "{status}");
    assert!(status.contains("claim    none was submitted"), "{status}");
}

#[test]
fn a_question_that_brings_its_answer_is_refused() {
    let world = ready();
    let question = completion();
    let text = question["question"].as_str().expect("a text").to_owned();
    let input = json!({ "questions": [question], "answers": { text: "Approve completion" } });
    world.before("AskUserQuestion", &input, &world.next_call()).refuses("alone");
    assert!(!is_approved(&world));
}

#[test]
fn completion_is_not_asked_for_before_condense() {
    for phase in PHASES.iter().filter(|phase| **phase != "condense") {
        let world = World::seeded();
        world.to(phase);
        world.asks(&completion()).refuses("condense");
    }
}

#[test]
fn an_answer_that_nobody_gave_does_not_count() {
    let answer = |world: &World| {
        let asked = world.asks(&completion()).passes();
        asked.answers("Approve completion")
    };
    let world = ready();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    answer(&world).tells("does not count");
    assert!(!is_approved(&world), "nobody sat there");
    // Another answer frees no turn either, and does not say so.
    world.asks(&completion()).passes().answers("Review").tells("does not count");
    world.stops().refuses("condense");

    let world = ready();
    let asked = world.asks(&completion()).passes();
    let text = asked.text().to_owned();
    let timed = json!({ "answers": { text: "Approve completion" }, "afkTimeoutMs": 60000 });
    asked.answered_with(&timed).tells("timer");
    assert!(!is_approved(&world), "a timer answered");

    let world = ready();
    let mut asked =
        world.asks(&question("[JOB-COMPLETE] short", &["Review", "Approve completion"]));
    asked.call = world.next_call();
    asked.answers("Approve completion");
    assert!(!is_approved(&world), "the question never went out");

    let world = ready();
    let mut asked = world.asks(&completion()).passes();
    asked.call = world.next_call();
    asked.answers("Approve completion").tells("does not count");
    assert!(!is_approved(&world), "another call's answer");

    let world = ready();
    let asked = world.asks(&completion()).passes();
    world.another_process_speaks();
    asked.answers("Approve completion").tells("does not count");
    assert!(!is_approved(&world), "another process answered");
}

#[test]
fn a_session_that_starts_again_is_still_the_persons() {
    for source in ["resume", "compact", "clear"] {
        let world = ready();
        world.event("SessionStart", &json!({ "source": source }));
        world.approved();
        assert!(is_approved(&world), "after {source}");
    }
}

#[test]
fn an_attended_answer_counts() {
    let world = ready();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    world.approved();
    assert!(is_approved(&world));
}

#[test]
fn a_prompt_of_another_process_bears_no_job() {
    let world = World::seeded();
    world.another_process_speaks();
    world.prompt("do something else");
    assert_eq!(world.json("job list"), json!([]));
}

#[test]
fn a_prompt_of_another_process_is_automation_to_a_job() {
    let world = World::prompted();
    world.another_process_speaks();
    world.prompt("approve it");
    let said = world.json("job show")["interactions"].clone();
    let kinds: Vec<&str> =
        said.as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str()).collect();
    assert_eq!(kinds, ["prompt", "automation"]);
}
