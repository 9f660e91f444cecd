//! `git seed verify --rerun`: recorded runs of tests, run again where nobody of the job was.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::quick::done;
use super::world::{CODE, Said, World};

/// A run that only this repository knows, and its rules.
const RULES: &str =
    "[[run]]\nname = \"checks\"\nruns = [\"sh checks.sh\"]\nbacks = [\"unit_test\"]\n";
/// It passes where the lexer keeps escapes, and nothing of the environment gets through.
const CHECKS: &str = "grep -q 'escapes();' src/parser/lex.rs && test -z \"$SECRET\" && \
                      test -z \"$(ls -A \"$HOME\" | grep .)\"\n";
/// The same, as the agent runs it: its home is not empty.
const TRIED: &str = "grep -q 'escapes();' src/parser/lex.rs\n";

/// A small job in which the agent ran `lines`, on a branch behind a base that knows the checks.
fn worked(checks: &str, lines: &[&str]) -> World {
    let world = World::seeded();
    world.puts("seed.toml", RULES);
    world.puts("checks.sh", checks);
    world.sh("git add -A && git -c core.hooksPath=/dev/null commit -qm checks");
    world.person("rules apply").succeeds();
    world.prompt("[QUICK] fix the lexer").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    for line in lines {
        world.runs(line).passes();
    }
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
    publishes(&world, "HEAD");
    world
}

fn publishes(world: &World, what: &str) {
    world.sh(&format!(
        "rm -rf ../remote ../ci && git init -q --bare ../remote && git -c core.hooksPath=/dev/null \
         push -q ../remote {what}:refs/heads/main refs/seed/archive refs/notes/seed && git clone \
         -q --depth 3 -b main \
         \"file://$PWD/../remote\" ../ci && git -C ../ci fetch -q --no-tags origin \
         '+refs/seed/*:refs/seed-remote/origin/*' \
         '+refs/notes/seed*:refs/seed-remote/origin/notes*' && mkdir -p ../tmp"
    ));
}

fn there(world: &World, line: &str) -> Said {
    world.tries(&format!("cd ../ci && export TMPDIR=$PWD/../tmp SECRET=1 && {line}"))
}

fn again(world: &World, more: &str) -> (i32, Value) {
    let said = there(world, &format!("git seed verify --ci HEAD~1..HEAD --rerun --json {more}"));
    let found: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    // Nothing is left of it.
    assert_eq!(there(world, "ls -A ../tmp").out, "");
    assert_eq!(there(world, "git status --porcelain").out, "");
    (said.code, found)
}

/// What became of each command, in their order.
fn outcomes(found: &Value) -> Vec<(String, String)> {
    let text = |one: &Value, key: &str| one[key].as_str().expect("text").to_owned();
    let all = found["rerun"].as_array().unwrap_or_else(|| panic!("{found}"));
    all.iter().map(|one| (text(one, "command"), text(one, "outcome"))).collect()
}

fn said(found: &Value, kind: &str) -> String {
    let all = found[kind].as_array().expect("a list");
    all.iter().map(|one| format!("{}\n", one["reason"].as_str().expect("why"))).collect()
}

fn passed(command: &str) -> Vec<(String, String)> {
    vec![(command.to_owned(), "same".to_owned())]
}

#[test]
fn a_recorded_run_ends_as_recorded_in_a_clone() {
    let world = worked(TRIED, &["sh checks.sh"]);
    let (code, found) = again(&world, "");
    assert_eq!((code, outcomes(&found)), (0, passed("sh checks.sh")), "{found}");
    let (plain, _) = again(&world, "--remote origin");
    assert_eq!(plain, 0);
    let told = there(&world, "git seed verify --ci HEAD~1..HEAD --rerun");
    assert!(told.out.contains("- 1 of 1 recorded commands ended as recorded"), "{told:?}");
    // In the repository itself, too; and without it nothing runs.
    let said = world.tries("git seed verify HEAD~1..HEAD --rerun");
    assert!(said.code != 2 && said.out.contains("1 of 1 recorded commands"), "{said:?}");
    let quiet = there(&world, "git seed verify --ci HEAD~1..HEAD --json");
    assert!(!quiet.out.contains("\"rerun\""), "{quiet:?}");
}

/// One byte of the code, as a rewritten branch has it: the tree of then is nowhere.
#[test]
fn a_run_that_ends_otherwise_is_broken() {
    let world = worked(TRIED, &["sh checks.sh"]);
    world.sh(&format!(
        "git checkout -q -b other && sed -i.x 's/escapes();//' {CODE} && rm {CODE}.x && git -c \
         core.hooksPath=/dev/null commit -qa --amend --no-edit"
    ));
    publishes(&world, "other");
    let (code, found) = again(&world, "");
    assert_eq!(code, 2, "{found}");
    assert!(said(&found, "broken").contains("exit 1; recorded: exit 0"), "{found}");
    assert_eq!(found["rerun"][0]["outcome"], "other");
    let head = there(&world, "git rev-parse HEAD").out;
    assert_eq!(found["rerun"][0]["commit"], head.trim(), "{found}");
    // It backs the one commit that names its step, and a commit of another step is none.
    let told = there(&world, "git seed verify --ci HEAD~1..HEAD --rerun");
    assert_eq!(told.code, 2);
    assert!(told.out.contains("- broken `"), "{told:?}");
    assert!(told.out.contains("- 0 of 1 recorded commands"), "{told:?}");
}

#[test]
fn what_landed_is_what_a_run_backs() {
    let world = worked(TRIED, &["sh checks.sh"]);
    world.person("land").succeeds();
    publishes(&world, "main-landed");
    assert_eq!(again(&world, "").0, 0);
    world.sh(&format!(
        "git checkout -q main-landed && sed -i.x 's/escapes();//' {CODE} && rm {CODE}.x && git -c \
         core.hooksPath=/dev/null commit -qa --amend --no-edit"
    ));
    publishes(&world, "main-landed");
    let (code, found) = again(&world, "");
    assert_eq!((code, &found["rerun"][0]["outcome"]), (2, &json!("other")), "{found}");
}

/// A forge squashed it and wrote its own message: content alone leads to the job.
#[test]
fn a_squash_that_content_alone_follows_has_the_card_and_the_runs_of_its_job() {
    let world = worked(TRIED, &["sh checks.sh"]);
    world.sh("git checkout -q -b squashed main~1 && git merge -q --squash main > ../told && \
              git -c core.hooksPath=/dev/null commit -qm 'Merge request 9'");
    publishes(&world, "squashed");
    let (code, found) = again(&world, "");
    assert_eq!((code, outcomes(&found)), (0, passed("sh checks.sh")), "{found}");
    assert_eq!(found["jobs"][0]["commits"], json!(1), "{found}");
    assert_eq!(found["followed"][0]["by"], json!("tree"), "{found}");
    let why = found["followed"][0]["reason"].as_str().expect("why");
    assert!(why.contains("it has the same files as step"), "{why}");
    let summary = there(&world, "git seed verify --ci HEAD~1..HEAD").out;
    assert!(summary.contains("- job \"") && summary.contains("1 commit · lines +1"), "{summary}");
    // On other ground it is the change.
    world.sh("git checkout -q -b other main~1 && echo x > elsewhere && git add elsewhere && \
              git -c core.hooksPath=/dev/null commit -qm elsewhere && \
              git -c core.hooksPath=/dev/null cherry-pick squashed > ../told");
    publishes(&world, "other");
    let (_, found) = again(&world, "");
    let why = found["followed"][0]["reason"].as_str().expect("why");
    assert!(why.contains("it makes the same change as step"), "{found}");
    assert_eq!(found["jobs"][0]["commits"], json!(1), "{found}");
}

#[test]
fn nothing_of_the_surroundings_reaches_a_run() {
    // It passes with an empty home and without the variable, and it was recorded as it was.
    let world = worked(TRIED, &["sh checks.sh"]);
    world.sh("git checkout -q -b clean");
    world.puts("checks.sh", CHECKS);
    world.sh("git -c core.hooksPath=/dev/null commit -qa --amend --no-edit");
    publishes(&world, "clean");
    let (code, found) = again(&world, "");
    assert_eq!(outcomes(&found), passed("sh checks.sh"), "{found}");
    assert!(code != 2, "{found}");
}

#[test]
fn a_run_that_takes_too_long_is_not_measured() {
    let world = worked(TRIED, &["sh checks.sh"]);
    world.sh("git checkout -q -b slow");
    world.puts("checks.sh", "sleep 600 & sleep 600\n");
    world.sh("git -c core.hooksPath=/dev/null commit -qa --amend --no-edit");
    publishes(&world, "slow");
    let (code, found) = again(&world, "--timeout 0");
    assert_eq!((code, &found["rerun"][0]["outcome"]), (3, &json!("not-run")), "{found}");
    assert!(said(&found, "not_measured").contains("it ran longer than 0 s"), "{found}");
}

#[test]
fn what_cannot_be_run_again_is_named() {
    let lines = [
        "sh checks.sh",
        "SECRET= sh checks.sh",
        "cd src && sh ../checks.sh",
        "sh checks.sh && true",
        "sh -c 'sh checks.sh'",
    ];
    let world = worked(TRIED, &lines);
    let (code, found) = again(&world, "");
    assert_eq!(code, 3, "{found}");
    let all = outcomes(&found);
    assert_eq!(all.iter().filter(|(_, outcome)| outcome == "same").count(), 1, "{found}");
    let open = said(&found, "not_measured");
    for line in &lines[1..4] {
        let told = format!("`{line}` was not run again: only a shell can run this line");
        assert!(open.contains(&told), "{line}: {open}");
    }
    let told = "`sh -c 'sh checks.sh'` was not run again: it is no test run of the shipped rows";
    assert!(open.contains(told), "{open}");
    // Rows of the head count for nothing.
    let range = "git seed verify --ci HEAD~2..HEAD --rerun --json";
    let without: Value = serde_json::from_str(&there(&world, range).out).expect("JSON");
    assert!(
        said(&without, "not_measured").contains("`sh checks.sh` was not run again: it is no test"),
        "the base has no such row: {without}"
    );
}

/// Whoever can write the chain of a job can write receipts; these lead nowhere.
#[test]
fn forged_receipts_run_nothing_else_and_are_caught() {
    let world = worked(TRIED, &["sh checks.sh"]);
    let id = world.git("log -1 --format='%(trailers:key=Seed-Job,valueonly)'");
    let id = id.trim();
    let tree = world.git("rev-parse HEAD^{tree}");
    let gone = "7".repeat(40);
    let forged = [
        ("sh checks.sh", "", 1, tree.as_str()),
        ("sh checks.sh", "", 0, gone.as_str()),
        ("sh checks.sh ../../pwned", "", 0, tree.as_str()),
        ("/bin/sh checks.sh", "", 0, tree.as_str()),
        ("sh checks.sh", "../..", 0, tree.as_str()),
        ("sh checks.sh", "no/where", 0, tree.as_str()),
        ("sh checks.sh\\ntouch ../pwned", "", 0, tree.as_str()),
        ("sh checks.sh $(touch ../pwned)", "", 0, tree.as_str()),
        ("make -C / test", "", 0, tree.as_str()),
    ];
    world.sh("git read-tree --index-output=../index refs/seed/archive");
    for (n, (command, dir, status, tree)) in forged.iter().enumerate() {
        let name = format!("{n:016x}");
        let text = format!(
            "at = {n}\nsession = \"s\"\ncommand = \"{command}\"\ndir = \"{dir}\"\nrun = \
             \"checks\"\nstatus = {status}\ntree_before = \"{tree}\"\ntree_after = \"{tree}\"\n"
        );
        world.puts("../receipt", &text);
        world.sh(&format!(
            "blob=$(git hash-object -w ../receipt) && place=$(git ls-tree -r --name-only \
             refs/seed/archive | grep '{id}/job.toml' | sed 's,job.toml,evidence/00/{name}.toml,') \
             && GIT_INDEX_FILE=../index git update-index --add --cacheinfo 100644,$blob,$place"
        ));
    }
    world.sh(
        "tree=$(GIT_INDEX_FILE=../index git write-tree) && commit=$(git commit-tree -m forged -p \
         refs/seed/archive $tree) && git update-ref refs/seed/archive $commit && git -c \
         core.hooksPath=/dev/null push -q ../remote refs/seed/archive && git -C ../ci fetch -q \
         origin '+refs/seed/*:refs/seed-remote/origin/*'",
    );
    let (code, found) = again(&world, "");
    assert_eq!(code, 2, "{found}");
    let broken = said(&found, "broken");
    assert!(broken.contains("ended otherwise than recorded: exit 0; recorded: exit 1"), "{broken}");
    assert_eq!(broken.lines().count(), 1, "{broken}");
    let open = said(&found, "not_measured");
    for told in [
        "the files that it ran on are not here",
        "it names a place outside of the repository",
        "its directory no/where is not among the files",
        "only a shell can run this line",
    ] {
        assert!(open.contains(told), "{told}: {open}");
    }
    assert_eq!(outcomes(&found).iter().filter(|(_, outcome)| outcome == "same").count(), 1);
    for place in ["../pwned", "../../pwned", "../ci/pwned", "../tmp/pwned"] {
        assert!(!world.path(place).exists(), "{place}");
    }
}

#[test]
fn an_agent_has_nothing_run() {
    let world = worked(TRIED, &["sh checks.sh"]);
    let line = "git seed verify HEAD~1..HEAD --rerun";
    let said = world.agents_shell(line, "");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("never for an agent"), "{said:?}");
    let said = world.agents_shell("git seed verify --ci HEAD~1..HEAD --rerun", "");
    assert_eq!(said.code, 2, "{said:?}");
    for line in ["git seed verify", "git seed verify --rerun", "git seed verify HEAD --rerun=x"] {
        let call = json!({ "command": line, "description": "look" });
        let reply = world.before("Bash", &call, &world.next_call());
        assert_eq!(reply.grants(), line == "git seed verify", "{line}: {reply:?}");
    }
    for range in ["HEAD", "HEAD~1...HEAD", "..HEAD"] {
        let said = world.tries(&format!("git seed verify {range} --rerun"));
        assert_eq!(said.code, 64, "{range}: {said:?}");
    }
}
