//! `git seed land`: a closed job as clean commits on a branch to hand in, proved by its tree.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::killed::{Kept, chosen, has_strace, killed_at, writes_of};
use super::world::{CODE, PAGE, World, message};

/// A job that a person approved and whose only cycle is closed, and its id.
fn closed() -> (World, String) {
    let world = World::seeded();
    let id = closes(&world);
    (world, id)
}

/// Leads the job, or a new one, to its end.
fn closes(world: &World) -> String {
    world.to("condense");
    ends(world)
}

/// From condense to the end.
fn ends(world: &World) -> String {
    let id = world.job();
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert_eq!(world.phase(), "none");
    id
}

fn rev(world: &World, name: &str) -> String {
    world.git(&format!("rev-parse {name}")).trim().to_owned()
}

fn lands(world: &World, arguments: &str) -> Value {
    let said = world.person(&format!("land {arguments} --json")).succeeds();
    serde_json::from_str(&said).expect("JSON")
}

/// Subjects below `name`, newest first, down to where the project began.
fn subjects(world: &World, name: &str) -> Vec<String> {
    world.git(&format!("log --format=%s {name}")).lines().map(str::to_owned).collect()
}

/// What a person has before them: HEAD, the index and the files.
fn before_a_person(world: &World) -> (String, String, String) {
    let tree = world.git("write-tree");
    (rev(world, "HEAD"), tree, world.git("status --porcelain -uall"))
}

#[test]
fn the_work_becomes_one_commit_and_memory_another() {
    let (world, id) = closed();
    let seen = before_a_person(&world);
    let labs = world.git("log --format=%H --grep='^Seed-Id: ' HEAD");
    let landed = lands(&world, "");
    assert_eq!(before_a_person(&world), seen, "HEAD, index and files stay");

    let (tip, head) = (rev(&world, "main-landed"), rev(&world, "HEAD"));
    assert_eq!(rev(&world, "main-landed^{tree}"), rev(&world, "HEAD^{tree}"));
    assert_eq!(
        subjects(&world, "main-landed"),
        ["memory: fix the lexer", "fix the lexer", "start"]
    );
    let shown = json!([&landed["job"], &landed["branch"], &landed["tip"], &landed["memory"]]);
    assert_eq!(shown, json!([id, "main-landed", tip, true]));
    assert_eq!(landed["product_identical"], true);
    assert_eq!(landed["base"], rev(&world, "main-landed~2"));
    assert_eq!(landed["tree"], rev(&world, "HEAD^{tree}"));
    let product = world.git("diff --name-only main-landed~2 main-landed~1");
    assert_eq!(product.trim(), CODE, "no memory in it");
    // Each commit of the job is stood for.
    let stood: Vec<&str> = (landed["commits"].as_array().expect("rows").iter())
        .flat_map(|row| row["stands_for"].as_array().expect("ids"))
        .map(|id| id.as_str().expect("an id"))
        .collect();
    for lab in labs.lines() {
        assert!(stood.contains(&lab), "{lab} is not stood for: {landed}");
    }
    assert!(stood.contains(&head.as_str()));

    let text = world.git("log -1 --format=%B main-landed~1");
    for word in ["Seed-Phase", "Seed-Cycle", "Seed-Step", "observe", "condense", "checkpoint"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert!(text.contains("quoted strings keep their escapes"), "{text}");
    let trailers = world.git("log -1 --format='%(trailers:only)' main-landed~1");
    assert_eq!(trailers.trim().lines().count(), 2, "{trailers}");
    assert!(trailers.starts_with(&format!("Seed-Job: {id}\nSeed-Id: ")), "{trailers}");
    let note = world.git("notes --ref=seed show main-landed");
    assert!(note.contains("landed: stands for") && note.contains("{\"kind\":\"land\""), "{note}");

    // The chain tells of it, and the job is in the archive again.
    let steps = world.json(&format!("log {id}"));
    let said = json!([&steps[0]["step"], &steps[0]["subject"]]);
    assert_eq!(said, json!(["land", "commits on main-landed: 2"]));
    assert_eq!(world.git("for-each-ref refs/seed/jobs"), "");
    world.git("cat-file -e HEAD");
    world.person("land").refuses("no commits left to land");
    world.person(&format!("land {id} --branch again")).refuses("no commits left to land");
}

#[test]
fn what_landed_on_a_branch_that_is_gone_lands_again() {
    let (world, id) = closed();
    lands(&world, "");
    world.git("branch -qD main-landed");
    let again = lands(&world, &format!("{id} --branch other -m 'My own words\n\nand why'"));
    assert_eq!(again["branch"], "other");
    assert_eq!(rev(&world, "other^{tree}"), rev(&world, "HEAD^{tree}"));
    let text = world.git("log -1 --format=%B other~1");
    assert!(text.starts_with("My own words\n\nand why\n\nSeed-Job: "), "{text}");
}

#[test]
fn a_dry_run_shows_it_and_changes_nothing() {
    let (world, _) = closed();
    let refs = world.git("for-each-ref");
    let told = world.person("land --dry-run").succeeds();
    for said in ["fix the lexer", "memory: fix the lexer", "main-landed", "nothing was changed"] {
        assert!(told.contains(said), "{said}: {told}");
    }
    let shown = lands(&world, "--dry-run");
    assert_eq!(json!([&shown["tip"], &shown["commits"][0]["commit"]]), json!([null, null]));
    assert_eq!(world.git("for-each-ref"), refs);
    let made = lands(&world, "");
    assert_eq!(json!([&shown["tree"], &shown["base"]]), json!([&made["tree"], &made["base"]]));
}

#[test]
fn memory_stays_as_it_was_where_a_person_wants_it_so() {
    let (world, _) = closed();
    let landed = lands(&world, "--without-memory");
    assert_eq!(json!([&landed["memory"], &landed["product_identical"]]), json!([false, true]));
    assert_eq!(subjects(&world, "main-landed"), ["fix the lexer", "start"]);
    let differs = world.git("diff --name-only main-landed HEAD");
    assert!(differs.lines().all(|path| path == PAGE || path.starts_with(".claude/")), "{differs}");
    assert!(differs.contains(PAGE), "{differs}");
}

/// A commit of a person's between the job's stays as it is: what it holds of memory is named.
#[test]
fn memory_in_a_commit_of_a_persons_is_named_where_none_was_to_land() {
    let world = World::seeded();
    world.to("execute");
    world.sh("echo 'Mine.' >> CLAUDE.md && mkdir -p .claude/knowledge && \
         echo k > .claude/knowledge/k.md && echo d >> todo.txt && \
         git add -A CLAUDE.md .claude/knowledge todo.txt && \
         git -c core.hooksPath=/dev/null commit -qm mine");
    for phase in ["execute", "verify", "condense"] {
        world.works(phase);
        if phase == "condense" {
            world.approved();
        }
        world.leaves();
    }
    assert_eq!(world.phase(), "none");
    let told = world.person("land --dry-run --without-memory").succeeds();
    let line = "CLAUDE.md: in commits of others";
    assert!(told.contains("k.md") && told.contains(line), "{told}");
    assert!(!world.person("land --dry-run").succeeds().contains("in commits of others"));
    let landed = lands(&world, "--without-memory");
    let kept = json!([".claude/knowledge/k.md", "CLAUDE.md"]);
    assert_eq!((&landed["memory_kept"], &landed["memory"]), (&kept, &json!(false)));
    world.git("cat-file -e main-landed:.claude/knowledge/k.md");
}

/// Two cycles, with a person's commit in the second.
fn two_cycles() -> (World, String) {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.leaves();
    world.enters("execute");
    world.works("execute");
    world.checkpoint("more of it").succeeds();
    world.sh("git add todo.txt; echo mine >> todo.txt; git -c user.name=Else commit -qm 'my own' \
              todo.txt");
    world.seed("fence accept todo.txt").said();
    world.person("fence accept todo.txt").said();
    world.edits(CODE, "fn lex() {", "fn lex() { again();").passes();
    world.tests();
    world.enters("condense");
    let id = ends(&world);
    (world, id)
}

#[test]
fn a_persons_commit_between_stays_as_it_is() {
    let (world, _) = two_cycles();
    let own = world.git("log -1 --format=%H --grep='^my own$' HEAD");
    let landed = lands(&world, "");
    assert_eq!(rev(&world, "main-landed^{tree}"), rev(&world, "HEAD^{tree}"));
    assert_eq!(
        subjects(&world, "main-landed"),
        ["memory: fix the lexer", "fix the lexer (2)", "my own", "fix the lexer", "start"]
    );
    let (was, is) = (own.trim(), "main-landed~2");
    for form in ["%an %ae %ad %cn %cd %B", "%b"] {
        let said = |name: &str| world.git(&format!("log -1 --format='{form}' {name}"));
        assert_eq!(said(was), said(is));
    }
    let change = |name: &str| world.git(&format!("diff {name}^ {name} -- todo.txt"));
    assert_eq!(change(was), change(is));
    assert_eq!(landed["commits"][1]["stands_for"], json!([]));
}

#[test]
fn each_of_several_commits_says_what_it_holds() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.seed("phase checkpoint -m 'keep escapes'").succeeds();
    world.sh("git add todo.txt; echo mine >> todo.txt; git -c user.name=Else commit -qm 'my own' \
              todo.txt");
    world.reads(CODE).passes();
    world.edits(CODE, "escapes();", "escapes(); numbers();").passes();
    world.tests();
    world.seed("phase advance -m 'read numbers'").succeeds();
    world.person("job approve").succeeds();
    lands(&world, "");
    let all = subjects(&world, "main-landed");
    assert_eq!(all[..3], ["read numbers", "my own", "keep escapes"]);
    // Words of one's own are those of all of them.
    world.git("branch -qD main-landed");
    lands(&world, "--branch other -m mine");
    assert_eq!(subjects(&world, "other")[..3], ["mine (2)", "my own", "mine"]);
}

#[test]
fn each_cycle_may_be_a_commit_of_its_own() {
    let (world, _) = two_cycles();
    lands(&world, "--per-cycle --branch cycles");
    assert_eq!(rev(&world, "cycles^{tree}"), rev(&world, "HEAD^{tree}"));
    let subjects = subjects(&world, "cycles");
    assert_eq!(subjects[0], "memory: fix the lexer");
    assert_eq!(subjects[1..3], ["more is to be seen (2)", "my own"]);
    assert_eq!(subjects[3..], ["more is to be seen", "fix the lexer", "start"]);
}

#[test]
fn what_cannot_be_landed_is_refused_and_changes_nothing() {
    let world = World::seeded();
    world.person("land").ends(2, "no closed job");
    world.to("execute");
    let open = world.job();
    world.changes_nothing(|| world.person(&format!("land {open}")).refuses("only a closed job"));
    world.person("land 20991231t235959-ffff").ends(64, "no job");
    world.enters("condense");
    let id = ends(&world);
    let refs = world.git("for-each-ref");
    world.seed("land").refuses("only a person may run");
    world.runs("git seed land").refuses("only a person may run");
    world.person("land --branch a..b").ends(64, "name of a branch");
    world.person("land --onto nowhere").ends(64, "no commit here");
    world.person("land -m ' '").ends(64, "message is empty");
    world.person("land --one --per-cycle").ends(64, "cannot be used with");
    world.git("branch main-landed HEAD~1");
    world.person("land").refuses("the branch main-landed exists already");
    world.git("branch -qD main-landed");
    world.sh("git checkout -q -b side HEAD~1; echo x > todo.txt; git -c core.hooksPath=/dev/null \
              commit -qam side; git checkout -q main; git merge -q --no-commit --no-ff side; true");
    world.person(&format!("land {id}")).refuses("a merge is in progress");
    world.git("merge --abort");
    world.git("branch -qD side");
    assert_eq!(world.git("for-each-ref"), refs);
    assert!(!world.path(".git/seed/landing").read_dir().is_ok_and(|mut dir| dir.next().is_some()));
    lands(&world, "");
}

#[test]
fn the_persons_hook_and_key_are_asked() {
    let (world, _) = closed();
    let hook = |script: &str| {
        world.sh("mkdir -p ../hooks && git config core.hooksPath $PWD/../hooks");
        world.puts("../hooks/commit-msg", &format!("#!/bin/sh\n{script}\n"));
        world.sh("chmod +x ../hooks/commit-msg");
    };
    hook("grep -q '^ABC-1' $1 || { echo 'a ticket is missing'; exit 1; }");
    let said = world.person("land").refuses("a ticket is missing");
    assert!(said.contains("git seed land"), "{said}");
    assert!(world.tries("git rev-parse -q --verify main-landed").code != 0);
    hook("printf '\\nTicket: ABC-1\\n' >> $1");
    lands(&world, "");
    let said = world.git("log -1 --format='%(trailers:only)' main-landed~1");
    assert!(said.contains("Ticket: ABC-1"), "{said}");

    if std::process::Command::new("ssh-keygen").arg("-?").output().is_err() {
        return super::skip::not_here("ssh-keygen");
    }
    world.git("branch -qD main-landed");
    world.sh("ssh-keygen -q -t ed25519 -N '' -C '' -f ../key; git config gpg.format ssh; \
              git config user.signingkey $PWD/../key; git config commit.gpgSign true");
    lands(&world, "");
    for name in ["main-landed", "main-landed~1"] {
        let raw = world.git(&format!("cat-file commit {name}"));
        assert!(raw.contains("gpgsig "), "{raw}");
    }
}

#[test]
fn it_is_put_onto_another_commit_or_collides_there() {
    let (world, _) = closed();
    let begins = rev(&world, &world.git("log --format=%H --grep='^start$'"));
    world.sh(&format!(
        "git checkout -q -b other {begins}; echo x > elsewhere.txt; git add elsewhere.txt; \
         git -c core.hooksPath=/dev/null commit -qm elsewhere; git checkout -q -b odd {begins}; \
         echo 'fn lex() {{ nothing }}' > {CODE}; git -c core.hooksPath=/dev/null commit -qam odd; \
         git checkout -q main"
    ));
    let seen = before_a_person(&world);
    let said = world.person("land --onto odd").refuses("conflict with odd");
    assert!(said.contains(CODE), "{said}");
    // What it names has room where the usual name is taken.
    world.git("branch main-landed HEAD");
    let said = world.person("land --onto odd --branch b").refuses("conflict with odd");
    assert!(said.contains(" --branch b\n"), "{said}");
    world.git("branch -qD main-landed");
    let landed = lands(&world, "--onto other");
    assert_eq!(before_a_person(&world), seen);
    assert_eq!(json!([&landed["product_identical"], &landed["memory"]]), json!([true, true]));
    assert_eq!(
        subjects(&world, "main-landed"),
        ["memory: fix the lexer", "fix the lexer", "elsewhere", "start"]
    );
    assert_eq!(world.git("diff --name-only main-landed main").trim(), "elsewhere.txt");
}

#[test]
fn a_shallow_clone_says_what_brings_the_commits_that_it_lacks() {
    let (world, id) = closed();
    world.sh("git init -q --bare ../remote && git -c core.hooksPath=/dev/null push -q ../remote \
              main refs/seed/archive && git clone -q -b main --depth 2 \"file://$PWD/../remote\" \
              ../shallow && cd ../shallow && \
              git fetch -q origin refs/seed/archive:refs/seed/archive");
    let world = world.elsewhere("shallow");
    world.person("init").succeeds();
    let told = "is not here, because this clone is shallow";
    let said = world.person(&format!("land {id}")).ends(1, told);
    assert!(said.contains("git fetch --deepen="), "{said}");
    assert!(!said.contains("fsck") && !said.contains("doctor"), "{said}");
}

#[test]
fn where_memory_alone_conflicts_the_ways_past_it_are_named() {
    let (world, id) = closed();
    let begins = rev(&world, &world.git("log --format=%H --grep='^start$'"));
    world.sh(&format!(
        "git checkout -q -b odd {begins}; printf '# parser\n\n## Findings\n\nTabs.\n' > {PAGE}; \
         git add {PAGE}; git -c core.hooksPath=/dev/null commit -qm odd; git checkout -q -b both; \
         echo 'fn lex() {{ nothing }}' > {CODE}; git -c core.hooksPath=/dev/null commit -qam both; \
         git checkout -q main"
    ));
    let said = world.person("land --onto odd --branch out").refuses("only memory of");
    assert!(said.contains(PAGE) && said.contains("git seed init --merge-pages"), "{said}");
    let way = format!("land {id} --onto odd --branch out --without-memory");
    assert!(said.contains(&way), "{said}");
    // Where the product conflicts as well, that is no way past it.
    let said = world.person("land --onto both").refuses("conflict with both");
    assert!(!said.contains("--without-memory"), "{said}");
    let landed: Value =
        serde_json::from_str(&world.person(&format!("{way} --json")).succeeds()).expect("JSON");
    let told = json!([&landed["branch"], &landed["product_identical"], &landed["memory"]]);
    assert_eq!(told, json!(["out", true, false]));
    assert_eq!(world.git(&format!("diff --name-only odd out -- {PAGE}")), "");
    // The other way.
    world.person("undo").succeeds();
    world.person("init --merge-pages").succeeds();
    let landed = lands(&world, "--onto odd --branch out");
    assert_eq!(landed["memory"], true);
    assert!(world.git(&format!("show out:{PAGE}")).contains("Tabs."));
}

#[test]
fn the_jobs_own_branch_is_replaced_where_nobody_else_has_it() {
    let (world, id) = closed();
    world.sh("echo later >> todo.txt; git commit -qam 'later on'");
    let seen = before_a_person(&world);
    let head = rev(&world, "HEAD");
    world.person("land --branch main --without-memory").refuses("must keep all its commits");
    world.person("land --branch main --onto HEAD~1").refuses("must keep all its commits");
    world.sh("git init -q --bare ../remote && git remote add origin ../remote && \
              git push -q origin main && git fetch -q");
    world.person("land --branch main").refuses("a remote has commits");
    world.sh("git remote remove origin");
    let tree = rev(&world, "main^{tree}");
    let dry = world.person("land --branch main --dry-run").succeeds();
    assert!(dry.contains("the files are those of the branch as it was"), "{dry}");
    assert!(dry.contains(&format!("tree {}", &tree[..7])), "{dry}");
    let landed = lands(&world, "--branch main");
    assert_eq!(landed["product_identical"], true);
    let now = before_a_person(&world);
    assert_ne!(now.0, seen.0);
    assert_eq!((now.1, now.2), (seen.1, seen.2), "index and files are as they were");
    assert_eq!(
        subjects(&world, "main"),
        ["later on", "memory: fix the lexer", "fix the lexer", "start"]
    );
    // What was replaced is kept, over a gc.
    world.sh("git reflog expire --expire=now --all && git gc -q --prune=now");
    world.git(&format!("cat-file -e {head}"));
    assert_eq!(world.json(&format!("log {id}"))[0]["step"], "land");
    // And the next job goes on from there.
    world.prompt("Something else");
    world.seed("phase advance").succeeds();
}

/// The newest closed job may have landed, or be another clone's, whose commits are not here.
#[test]
fn without_an_id_the_newest_job_that_has_commits_to_land_is_meant() {
    let (world, id) = closed();
    let newer = one_more(&world);
    assert_eq!(lands(&world, "--dry-run")["job"], json!(newer));
    assert_eq!(lands(&world, &newer)["job"], json!(newer));
    let landed = lands(&world, "--branch older");
    assert_eq!(landed["job"], json!(id));
}

/// A job of the small lane behind the last one.
fn one_more(world: &World) -> String {
    world.prompt("[QUICK] fix the lexer");
    let id = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer lacks a call'").succeeds();
    let code = world.text(CODE);
    world.edits(CODE, &code, &format!("{code}fn more() {{}}\n")).passes();
    world.tests();
    world.asks(&super::quick::done()).passes().answers("Approve completion");
    id
}

/// Two small jobs, one behind the other.
fn two_jobs() -> (World, String, String) {
    let world = World::seeded();
    let first = one_more(&world);
    let second = one_more(&world);
    (world, first, second)
}

/// The line behind `git seed` that a refusal names first.
fn named(said: &str) -> String {
    let line = said.lines().find_map(|line| line.strip_prefix("Do: git seed "));
    line.unwrap_or_else(|| panic!("no command: {said}")).to_owned()
}

/// A job begins where the branch stood, so the second one stands on the step of the first.
#[test]
fn a_step_of_another_job_below_a_landing_is_named_and_each_way_on_leads_on() {
    let (world, first, second) = two_jobs();
    let step = rev(&world, "HEAD~1");
    let landed = lands(&world, "--dry-run");
    assert_eq!(landed["job"], json!(second));
    assert_eq!(landed["below"], json!({ "commit": step, "job": first, "landed": null }));
    let said = world.person("land").succeeds();
    let line = format!("git seed land {first} --branch main-landed-2");
    assert!(said.contains("a step of \"fix the lexer\" as it was made"), "{said}");
    assert!(said.contains(&line), "{said}");
    // What is on the branch that is there holds the first one's change.
    let said = world.person(&format!("land {first}")).refuses("main-landed exists already");
    assert!(said.contains("leaves main-landed as it is"), "{said}");
    let onto = format!("land {first} --branch other --onto main-landed");
    let said = world.person(&onto).refuses("main-landed holds the changes of");
    assert_eq!(named(&said), format!("land {first} --branch other"));
    let landed = lands(&world, &named(&said)["land ".len()..]);
    assert_eq!((&landed["below"], &landed["base"]), (&Value::Null, &json!(rev(&world, "HEAD~2"))));
}

#[test]
fn a_job_on_a_step_of_one_that_landed_is_led_onto_what_landed() {
    let (world, first, second) = two_jobs();
    lands(&world, &first);
    let said = world.person("land").refuses("landed there, and");
    let line = format!("land {second} --onto main-landed --branch main-landed-2");
    assert_eq!(named(&said), line);
    // Without it the step is handed in, and the way back leads on as well.
    let landed = lands(&world, "--branch plain");
    assert_eq!(landed["below"]["landed"], json!("main-landed"), "{landed}");
    world.git("branch -qD plain");
    let said = world.person("land --branch plain").succeeds();
    let back = format!("git branch -D plain && git seed land {second} --onto main-landed");
    assert!(said.contains(&back), "{said}");
    world.git("branch -qD plain");
    assert_eq!(lands(&world, &line["land ".len()..])["below"], Value::Null);
    assert_eq!(rev(&world, "main-landed-2~1"), rev(&world, "main-landed"));
}

/// A landing that is gone opens nothing of what another one has.
#[test]
fn what_landed_twice_lands_again_where_neither_is_there() {
    let (world, _, second) = two_jobs();
    for _ in 0..2 {
        lands(&world, &second);
        for line in ["", " --branch other", " --onto HEAD~2 --branch other"] {
            let said = world.person(&format!("land {second}{line}")).refuses("landed as main-land");
            assert!(said.contains("no commits left to land"), "{said}");
        }
        world.git("branch -qD main-landed");
    }
    lands(&world, &second);
}

/// A forge makes one commit of two jobs, and their branches go: what the second one stood on is
/// known by its name alone.
#[test]
fn a_squash_of_two_landed_jobs_is_followed_where_no_commit_of_them_is() {
    let (world, first) = closed();
    let second = one_more(&world);
    lands(&world, &first);
    lands(&world, &format!("{second} --onto main-landed --branch both"));
    let start = rev(&world, "main-landed~2");
    world.sh(&format!(
        "git log --reverse --format='* %s%n%n%b' {start}..both >../said && \
         git branch squash $(git commit-tree 'both^{{tree}}' -p {start} -F ../said)"
    ));
    world.sh(
        "git init -q --bare ../remote && git -c core.hooksPath=/dev/null push -q ../remote squash \
         refs/seed/archive refs/seed/claims refs/notes/seed && \
         git clone -q -b squash \"file://$PWD/../remote\" ../ci && cd ../ci && \
         git fetch -q origin '+refs/seed/*:refs/seed/*' '+refs/notes/seed:refs/notes/seed'",
    );
    let there = |line: &str| world.tries(&format!("cd ../ci && {line}"));
    assert_ne!(there(&format!("git cat-file -e {}", rev(&world, "main-landed"))).code, 0);
    let said = there("git seed verify HEAD~1..HEAD");
    let squash = rev(&world, "squash");
    let followed = said
        .out
        .lines()
        .any(|line| line.trim_start().starts_with("followed") && line.contains(&squash[..12]));
    assert!(followed, "{said:?}");
    // With a byte of somebody's it is that of nobody.
    there("echo more >> src/parser/lex.rs && git commit -qa --amend --no-edit --no-verify");
    let said = there("git seed verify HEAD~1..HEAD");
    assert!(!said.out.contains("followed  "), "{said:?}");
}

#[test]
fn the_next_run_lands_what_is_new() {
    let (world, id) = closed();
    lands(&world, "");
    world.person(&format!("job reactivate {id} --active")).succeeds();
    world.enters("condense");
    assert_eq!(ends(&world), id);
    let landed = lands(&world, &format!("{id} --onto main-landed --branch second"));
    assert_eq!(landed["product_identical"], true);
    assert_eq!(rev(&world, "second^{tree}"), rev(&world, "main^{tree}"));
    let subjects = subjects(&world, "second");
    assert_eq!(subjects.len(), 5, "{subjects:?}");
    assert_eq!(
        world.git("log --format=%H -1 main-landed"),
        world.git("log --format=%H -1 second~2")
    );
}

#[test]
fn a_job_of_a_detached_head_is_told_how_its_branch_gets_a_name() {
    let world = World::seeded();
    world.git("checkout -q --detach");
    let id = closes(&world);
    world.changes_nothing(|| {
        let told = world.person("land").refuses("has no branch of its own");
        assert!(told.contains(&format!("git seed land {id} --branch <name>")), "{told}");
    });
    world.person(&format!("land {id} --branch named")).succeeds();
}

/// A sync may reject a step whose commit stays on the branch of the person.
#[test]
fn a_commit_that_is_no_step_any_more_is_named_where_it_is_left_out() {
    let (world, id) = closed();
    world.sh(&format!(
        "git -c core.hooksPath=/dev/null commit -q --allow-empty \
         -m 'add: three numbers' -m 'Seed-Job: {id}\nSeed-Id: 0123456789ab'"
    ));
    world.sh("git -c core.hooksPath=/dev/null commit -q --allow-empty -m 'the person goes on'");
    let told = world.person("land --dry-run").succeeds();
    assert!(told.contains("add: three numbers   no step of the job any more"), "{told}");
    let landed = lands(&world, "");
    assert_eq!(landed["left_out"].as_array().map(Vec::len), Some(1), "{landed}");
    assert_eq!(landed["left_out"][0]["subject"], "add: three numbers");
    assert_eq!(landed["left_out"][0]["commit"], rev(&world, "HEAD~1"));
}

/// The branch to hand in begins at the job's own commits: it has again what a person took back.
#[test]
fn a_commit_that_takes_the_work_back_is_named() {
    let (world, id) = closed();
    let quiet = "git -c core.hooksPath=/dev/null";
    world.sh(&format!("{quiet} commit -q --allow-empty -m 'the person goes on'"));
    let dry = |world: &World| lands(world, "--dry-run");
    assert_eq!(dry(&world)["reverted"], Value::Null);
    let work = world.git(&format!("log -1 --format=%H -- {CODE}"));
    world.sh(&format!(
        "{quiet} checkout -q {work}~1 -- {CODE} && {quiet} commit -qm 'Take the work back'"
    ));
    let told = world.person("land --dry-run").succeeds();
    assert!(told.contains(&format!("takes back the job's work in {CODE}")), "{told}");
    let shown = dry(&world);
    assert_eq!(shown["reverted"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(shown["reverted"][0]["commit"], rev(&world, "HEAD"));
    assert_eq!(shown["reverted"][0]["paths"], json!([CODE]));
    // On the job's own branch it stands behind the work, as it does now.
    let own = lands(&world, &format!("{id} --branch main --dry-run"));
    assert_eq!(own["reverted"], Value::Null, "{own}");
    world.sh(&format!("{quiet} revert --no-edit HEAD"));
    assert_eq!(dry(&world)["reverted"], Value::Null, "it was taken back in turn");
}

#[test]
fn subjects_follow_the_style_of_those_before() {
    let world = World::seeded();
    world.sh("for n in 1 2 3 4; do git -c core.hooksPath=/dev/null commit -q --allow-empty \
              -m \"feat: number $n\"; done");
    // A robot has a style of its own, however much it commits.
    for robot in ["dependabot[bot]", "Renovate Bot", "ci-bot"] {
        world.sh(&format!(
            "for n in 1 2 3 4; do GIT_AUTHOR_NAME='{robot}' git -c core.hooksPath=/dev/null \
             commit -q --allow-empty -m \"Bump lex from $n\"; done"
        ));
    }
    assert!(world.git("log -1 --format=%an").contains("ci-bot"));
    closes(&world);
    lands(&world, "");
    assert_eq!(subjects(&world, "main-landed")[..2], ["memory: fix the lexer", "fix: the lexer"]);
}

#[test]
fn a_landing_that_is_killed_at_any_write_is_finished_by_the_next() {
    if !has_strace() {
        return;
    }
    let (world, id) = closed();
    let kept = Kept::of(&world);
    let line = "env GIT_SEED_TEST_PERSON=1 git-seed land";
    let writes = writes_of(&world, line, "");
    let points = chosen(&writes);
    let mut killed = 0;
    for write in &points {
        kept.restore();
        if !killed_at(&world, write, line, "") {
            continue;
        }
        killed += 1;
        // Said again it lands, or has landed.
        let again = world.person("land").said();
        let landed = again.code == 0 || again.err.contains("no commits left");
        assert!(landed, "killed at {write:?}: {again:?}");
        assert_eq!(rev(&world, "main-landed^{tree}"), rev(&world, "HEAD^{tree}"), "{write:?}");
        let steps = world.json(&format!("log {id}"));
        let taken = steps.as_array().expect("steps").iter().filter(|one| one["step"] == "land");
        assert_eq!(taken.count(), 1, "killed at {write:?}");
        let note = world.git("notes --ref=seed show main-landed");
        assert_eq!(note.matches("{\"kind\":\"land\"").count(), 1, "killed at {write:?}: {note}");
        let left = fs::read_dir(world.path(".git/seed/landing")).expect("it is there");
        let left: Vec<_> = left
            .flatten()
            .filter(|one| one.path().extension().is_some_and(|ending| ending == "json"))
            .collect();
        assert!(left.is_empty(), "killed at {write:?}: {left:?}");
        assert_eq!(world.git("for-each-ref refs/seed/jobs"), "", "killed at {write:?}");
        world.git("fsck --strict --no-dangling");
    }
    assert!(killed * 2 > points.len(), "only {killed} of {points:?} were reached");
}

/// Leads the job in focus to its end, where `change` is its work.
fn leads(world: &World, name: &str, from: &str, change: impl Fn(&World)) {
    let phases = ["observe", "plan", "execute", "verify", "condense"];
    for phase in phases.into_iter().skip_while(|phase| *phase != from) {
        assert_eq!(world.phase(), phase);
        match phase {
            "observe" => {
                world.opens();
                world.looks();
                let told = super::world::objective();
                world.seed(&format!("job update --name '{name}' --objective '{told}'")).succeeds();
            }
            "execute" => {
                world.opens();
                change(world);
                world.tests();
                world.notes("---Ex---", "it was a small thing");
            }
            "condense" => {
                world.works(phase);
                let mut asked = super::world::completion();
                let text = asked["question"].as_str().expect("a text");
                asked["question"] = json!(text.replace("fix the lexer", name));
                world.asks(&asked).passes().answers("Approve completion");
            }
            _ => world.works(phase),
        }
        world.seed("phase advance -F -").stdin(&message(phase)).succeeds();
    }
    assert_eq!(world.phase(), "none", "{name} is over");
}

/// A plan of two jobs: one agent begins the first and queues the second, another one in a worktree
/// of its own takes that up; both end, and land one onto the other.
#[test]
fn two_agents_in_two_worktrees_finish_two_jobs_and_land_them_one_after_the_other() {
    let world = World::seeded();
    world.git("worktree add -q -b side ../linked");
    world.to("execute");
    let first = world.job();
    let said = world.person("job create 'add a reader'").succeeds();
    let second = said.split_whitespace().nth(1).expect("an id").to_owned();

    let world = world.elsewhere("linked");
    world.session("7e1d0f0a-0000-4000-8000-00000000000e");
    world.starts();
    world.seed(&format!("job activate {second}")).succeeds();
    assert_eq!(world.job(), second);
    world.seed("phase advance").succeeds();
    leads(&world, "add a reader", "observe", |world| {
        world.writes("src/parser/read.rs", "fn read() {}\n").passes();
    });

    let world = world.elsewhere("repo");
    world.session("e2fc06a6-4aaf-49f6-8712-117cd08f9339");
    assert_eq!((world.job(), world.phase().as_str()), (first.clone(), "execute"));
    leads(&world, "fix the lexer", "execute", |world| {
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    });

    let one = lands(&world, &format!("{first} --branch one"));
    let two = lands(&world, &format!("{second} --onto one --branch both --without-memory"));
    assert_eq!(
        (&one["product_identical"], &two["product_identical"]),
        (&json!(true), &json!(true))
    );
    let said = subjects(&world, "both");
    assert_eq!(said, ["add a reader", "memory: fix the lexer", "fix the lexer", "start"]);
    let files = world.git("ls-tree -r --name-only both");
    assert!(files.contains(CODE) && files.contains("src/parser/read.rs"), "{files}");
    let found = world.person("verify one~2..both --json").said();
    let found: Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!((&found["broken"], &found["plain"]), (&json!([]), &json!(0)), "{found}");
}

/// Amends the job's last commit that changed the product by a file that nobody judged, below the
/// commits behind it, as whoever can push to the branch does.
fn amended(world: &World) {
    let execute = world.git("log --format=%H --grep='Seed-Step: execute -> verify' main");
    let execute = execute.trim();
    world.sh(&format!(
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null && \
         old=$(git rev-parse main) && git checkout -q --detach {execute} && \
         echo evil > evil.txt && git add evil.txt && git commit -q --amend --no-edit && \
         git cherry-pick {execute}..$old > /dev/null && git branch -q -f main && git switch -q main"
    ));
}

#[test]
fn a_commit_that_somebody_amended_lands_as_what_nobody_judged() {
    let (world, _) = closed();
    amended(&world);
    let base = rev(&world, "main~5");
    let found = |range: &str, tip: &str| -> String {
        let said = world.person(&format!("verify {range} --json")).said();
        let found: Value = serde_json::from_str(&said.out).expect("JSON");
        let open = found["not_measured"].as_array().expect("a list").iter();
        open.filter(|row| row["record"] == tip).map(|row| row["reason"].to_string()).collect()
    };
    let forged = world.git("log --format=%H --grep='Seed-Step: execute -> verify' main");
    let forged = forged.trim();
    assert!(found(&format!("{base}..main"), forged).contains("with a different change"));
    let said = world.person("land").succeeds();
    assert!(said.contains("is not what its step recorded"), "{said}");
    assert!(said.contains("evil.txt") && !said.contains("the files are those"), "{said}");
    // Neither what landed nor the commit that was forged is vouched for, nor a squash of either.
    assert!(found(&format!("{base}..main"), forged).contains("with a different change"));
    let product = rev(&world, "main-landed~1");
    let why = found(&format!("{base}..main-landed"), &product);
    assert!(why.contains("its content is that of no step"), "{why}");
    for tree in ["main", "main-landed"] {
        world.sh(&format!(
            "git log -1 --format=%B main-landed > ../words && \
             git branch -f squash $(git commit-tree {tree}^{{tree}} -p {base} -F ../words)"
        ));
        let why = found(&format!("{base}..squash"), &rev(&world, "squash"));
        assert!(why.contains("its content is that of no step"), "{tree}: {why}");
    }
    // The person has looked.
    world.person(&format!("verify --accept {product} -m seen")).succeeds();
    assert_eq!(found(&format!("{base}..main-landed"), &product), "");
}

#[test]
fn a_branch_that_was_rebased_lands_with_its_proof() {
    let (world, _) = closed();
    world.sh(
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null && \
         git switch -qc up main~5 && echo up > up.txt && git add up.txt && git commit -qm up && \
         git switch -q main && git rebase -q up",
    );
    let landed = lands(&world, "");
    assert_eq!(landed["product_identical"], true, "{landed}");
    assert_eq!(landed.get("differs"), None, "{landed}");
    let followed = |range: &str| {
        let said = world.person(&format!("verify {range} --json")).said();
        let found: Value = serde_json::from_str(&said.out).expect("JSON");
        found["followed"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(followed("up..main-landed"), 2);
    // Squashed on a forge, it is the job's change.
    world.sh("git log -1 --format=%B main-landed > ../words && \
              git branch squash $(git commit-tree main-landed^{tree} -p up -F ../words)");
    assert_eq!(followed("up..squash"), 1);
}

/// What a killed landing left locked is named with what removes it, and not in git's words.
#[test]
fn a_branch_that_is_locked_is_told_with_what_helps() {
    let (world, job) = closed();
    world.sh(": > .git/refs/heads/main-landed.lock");
    let said = world.person(&format!("land {job}")).fails("git seed doctor --fix");
    assert!(said.contains("refs/heads/main-landed.lock") && !said.contains("update-ref"), "{said}");
    world.sh("touch -d '2 minutes ago' .git/refs/heads/main-landed.lock");
    world.tries("git seed doctor --fix");
    world.person(&format!("land {job}")).succeeds();
}
