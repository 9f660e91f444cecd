//! What several machines do to each other's jobs, seen from the one that does not expect it: a job
//! that another one took over, syncs that were killed, files that were cut, names that are none.

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::{Value, json};

use super::sync::{agreed, machine, merged, second, synced, synced_there, there};
use super::world::{CODE, World, message};

/// A machine whose job the second one, `b`, took over.
fn taken_over() -> (World, String) {
    let world = machine();
    takes_a_small_step(&world);
    let job = world.job();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let said = there(&world, "b", &format!("git seed job activate {job}"));
    assert_eq!(said.code, 0, "{said:?}");
    synced_there(&world, "b", "");
    (world, job)
}

/// The small lane, and a change that is not committed.
fn takes_a_small_step(world: &World) {
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
}

/// The same branch on both machines: to check it out, or to merge it into itself, leads nowhere.
#[test]
fn a_job_of_the_branch_that_is_checked_out_names_the_pull_or_the_merge() {
    let world = machine();
    takes_a_small_step(&world);
    let job = world.job();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    world.git("-c core.hooksPath=/dev/null push -q ../hub.git HEAD:refs/heads/main");
    synced(&world, "");
    synced_there(&world, "b", "");
    let activate = format!("git seed job activate {job}");
    let said = there(&world, "b", &activate);
    assert!(said.code == 2 && said.err.contains("Do: git pull, then"), "{said:?}");
    assert_eq!(there(&world, "b", "git fetch -q origin").code, 0);
    let said = there(&world, "b", &activate);
    assert!(said.code == 2 && said.err.contains("Do: git merge origin/main, then"), "{said:?}");
    let merged = there(&world, "b", "git merge -q origin/main");
    assert_eq!(merged.code, 0, "{merged:?}");
    let said = there(&world, "b", &activate);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_job_that_another_machine_took_over_is_let_go_and_can_be_taken_back() {
    let (world, job) = taken_over();
    let said = world.tries("git seed sync");
    assert!(said.code == 0 && said.err.contains("so this worktree let it go"), "{said:?}");
    let back = format!("git seed job activate {job}");
    assert!(said.err.contains(&back), "{said:?}");
    let status = world.tries("git seed status");
    assert!(status.out.contains("job      none") && status.err.contains(&back), "{status:?}");
    assert!(world.text(CODE).contains("escapes"), "uncommitted changes stay");
    // The turn may end, and the person hears it once.
    let told = world.stops();
    assert!(told.to_person().is_some_and(|told| told.contains(&back)), "{told:?}");
    assert!(world.stops().is_silent());
    // Their words become a new job.
    world.prompt("now look at the parser");
    let new = world.job();
    assert_ne!(new, job);
    let shown = world.json(&format!("job show {new}"));
    assert_eq!(shown["interactions"][0]["text"], "now look at the parser");
    synced(&world, "");
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
    world.person(&format!("job drop {new}")).succeeds();
    world.person(&format!("job activate {job}")).succeeds();
    assert_eq!(world.job(), job);
    synced(&world, "");
    let said = there(&world, "b", "git seed sync");
    assert!(said.code == 0 && said.err.contains(&back), "b lets it go: {said:?}");
}

/// A person's decision that falls with a sync is told where it falls and where it was made; a job
/// that ended elsewhere while an agent worked on it here is told once to both of them.
#[test]
fn what_a_sync_does_to_a_decision_is_told_on_both_machines() {
    let world = machine();
    let job = world.job();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let drops = |why: &str| {
        let said = there(&world, "b", &format!("git seed job drop {job} -m '{why}'"));
        assert_eq!(said.code, 0, "{said:?}");
    };
    drops("not needed");
    synced_there(&world, "b", "");
    world.seed("phase advance").succeeds();
    let said = world.tries("git seed sync");
    let fell = "the drop does not stand: another clone had gone on with the job meanwhile";
    let whole = format!("{fell}. The job is open.");
    assert!(said.code == 0 && said.out.contains(&whole), "{said:?}");
    world.sh("cp -r ../b ../c");
    let told = synced_there(&world, "c", "");
    assert_eq!(told["jobs"][0]["rejected"][0]["step"], "drop", "{told}");
    let said = there(&world, "b", "git seed sync");
    assert!(said.code == 0 && said.out.contains(&whole), "{said:?}");
    let said = there(&world, "b", "git seed sync");
    assert!(!said.out.contains(fell), "it is told once: {said:?}");
    // Once more, and this machine does nothing meanwhile.
    drops("really not");
    synced_there(&world, "b", "");
    let said = world.tries("git seed sync");
    let ended = format!("Job {job} was dropped in another clone");
    assert!(said.code == 0 && said.err.contains(&ended), "{said:?}");
    assert!(world.tries("git seed status").err.contains(&ended));
    let told = world.stops();
    assert!(told.to_person().is_some_and(|told| told.contains(&ended)), "{told:?}");
    assert!(world.stops().is_silent());
    assert!(!world.tries("git seed status").err.contains(&ended));
    world.person(&format!("job reactivate {job}")).succeeds();
}

#[test]
fn words_that_end_a_job_work_where_another_machine_took_it_over() {
    for word in ["[DROP] not here", "[PAUSE]", "[OFF] by hand"] {
        let (world, job) = taken_over();
        synced(&world, "");
        let told = world.prompt(word);
        assert!(!format!("{told:?}").contains("a person can take it over"), "{word}: {told:?}");
        assert_eq!(world.person("sync").succeeds().contains("aside"), false, "{word}");
        world.person(&format!("job drop {job} -m 'dropped here'")).succeeds();
    }
}

#[test]
fn what_was_recorded_over_another_machines_steps_is_kept_and_stops_no_sync() {
    let (world, job) = taken_over();
    world.reads(CODE);
    // A plain fetch brought the other machine's step below the journal of this one.
    let chain = format!("refs/seed/jobs/{job}");
    world.git(&format!("-c core.hooksPath=/dev/null fetch -q origin +{chain}:{chain}"));
    world.reads(CODE);
    let said = world.tries("git seed sync");
    assert!(said.code == 0 && !said.err.contains("set aside"), "{said:?}");
    let kept = world.text(&format!(".git/seed/left/{job}.jsonl"));
    assert!(kept.lines().count() > 0, "{kept}");
    assert!(world.tries("git seed status").out.contains("job      none"), "it is at rest");
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
}

#[test]
fn another_worktree_that_has_such_a_job_lets_it_go_when_it_syncs() {
    let (world, job) = taken_over();
    world.git("worktree add -q ../tree");
    let said = there(&world, "tree", "git seed sync");
    assert!(said.code == 1 && said.err.contains("sync there"), "{said:?}");
    synced(&world, "");
    let said = there(&world, "tree", "git seed sync");
    assert_eq!(said.code, 0, "{said:?}");
    let said = there(&world, "tree", &format!("git seed job show {job} --json"));
    let shown: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(shown["focused"], json!(false));
}

/// The operations of the clone in `dir`, newest first.
fn ops(world: &World, dir: &str) -> Vec<(String, usize)> {
    let said = there(world, dir, "git seed op log --json -n 100");
    let rows: Vec<Value> = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    let row = |row: &Value| {
        let jobs = row["jobs"].as_array().expect("a list").len();
        (row["command"].as_str().expect("a command").to_owned(), jobs)
    };
    rows.iter().map(row).collect()
}

/// A second machine that has a sync behind it of which no operation tells: a kill between the two.
fn synced_and_killed(before: &dyn Fn(&World)) -> World {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    before(&world);
    synced(&world, "");
    world.sh("cd ../b && git rev-parse refs/seed/ops > ../ops && git seed sync && \
              git update-ref refs/seed/ops $(cat ../ops)");
    world
}

#[test]
fn what_a_killed_sync_brought_is_undone_as_a_sync_is() {
    let makes = |world: &World| {
        world.sh("for n in 1 2 3; do git seed job create \"job $n\"; done");
    };
    let world = synced_and_killed(&makes);
    assert_eq!(ops(&world, "b")[0], ("sync".to_owned(), 3));
    assert_eq!(there(&world, "b", "git seed undo").code, 0);
    let here = merged(&world, ".");
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), here, "it came again, and nothing was voided");
    synced(&world, "");
    assert_eq!(merged(&world, "."), here);
}

#[test]
fn a_killed_sync_beside_work_of_ones_own_voids_nothing_of_others() {
    let makes = |world: &World| {
        world.sh("git seed job create theirs");
        world.sh("cd ../b && git seed job create ours");
    };
    let world = synced_and_killed(&makes);
    assert_eq!(there(&world, "b", "git seed job create later").code, 0);
    for _ in 0..2 {
        assert_eq!(there(&world, "b", "git seed undo").code, 0);
    }
    synced_there(&world, "b", "");
    let listed = world.tries("cd ../b && git seed job list --all").out;
    let theirs = listed.lines().find(|line| line.ends_with("theirs")).expect("it is there");
    assert!(!theirs.contains("voided"), "{listed}");
}

#[test]
fn a_job_that_a_killed_sync_closed_is_live_again_without_a_step() {
    let closes = |world: &World| {
        let job = world.job();
        world.person(&format!("job drop {job} -m 'not any more'")).succeeds();
    };
    let world = synced_and_killed(&closes);
    assert_eq!(ops(&world, "b")[0].0, "sync");
    assert_eq!(there(&world, "b", "git seed undo").code, 0);
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
}

#[test]
fn verify_reads_copies_that_a_partial_clone_left_with_its_remote() {
    let world = machine();
    world.to("condense");
    let base = world.git("rev-list --max-parents=0 HEAD");
    synced(&world, &agreed(&world));
    world.git("-c core.hooksPath=/dev/null push -q origin HEAD:refs/heads/main");
    world.git("-C ../hub.git config uploadpack.allowFilter true");
    world.git("-C ../hub.git config uploadpack.allowAnySHA1InWant true");
    let fetch = "git fetch -q origin '+refs/seed/*:refs/seed-remote/origin/*' \
                 '+refs/notes/seed*:refs/seed-remote/origin/notes*'";
    // Each in a directory of its own: git's upkeep may still write into the one before.
    let clone = |filter: &str, dir: &str| {
        world.sh(&format!(
            "cd .. && git clone -q --filter={filter} file://$PWD/hub.git {dir} && cd {dir} && \
             {fetch}"
        ));
    };
    for (n, filter) in ["blob:none", "tree:0", "blob:limit=1"].into_iter().enumerate() {
        let (whole, alone) = (format!("part-{n}"), format!("alone-{n}"));
        clone(filter, &whole);
        let said = there(&world, &whole, &format!("git seed verify --ci {base}..HEAD"));
        assert!(said.code == 0 && said.out.contains("0 broken"), "{filter}: {said:?}");
        // Whose remote is gone measures nothing, and calls nothing broken.
        clone(filter, &alone);
        world.sh("mv ../hub.git ../gone.git");
        let said = there(&world, &alone, &format!("git seed verify --ci {base}..HEAD"));
        assert_eq!(said.code, 1, "{filter}: {said:?}");
        world.sh("mv ../gone.git ../hub.git");
    }
}

#[test]
fn a_lock_that_a_killed_git_left_is_named_and_taken_away() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let lock = format!("refs/seed-remote/origin/jobs/{}.lock", world.job());
    let make = |age: &str| {
        world.sh(&format!(
            "cd ../b && mkdir -p .git/$(dirname {lock}) && touch -d '{age}' .git/{lock}"
        ));
    };
    make("now");
    let said = there(&world, "b", "git seed sync");
    assert!(said.code == 1 && said.err.contains(&lock), "{said:?}");
    assert!(said.err.contains("git seed doctor --fix"), "{said:?}");
    let said = there(&world, "b", "git seed doctor --fix");
    assert!(said.out.contains("NO  ref locks"), "a fresh one is left: {said:?}");
    make("2 minutes ago");
    let said = there(&world, "b", "git seed doctor");
    assert!(said.code == 1 && said.out.contains("no sync gets past it"), "{said:?}");
    let said = there(&world, "b", "git seed doctor --fix");
    assert!(said.out.contains(&format!(".git/{lock} was removed")), "{said:?}");
    make("2 minutes ago");
    synced_there(&world, "b", "");
    for other in ["refs/seed/claims.lock", "refs/notes/seed.lock", "refs/seed/jobs/x.lock"] {
        world.sh(&format!("cd ../b && touch -d '1 hour ago' .git/{other}"));
        synced_there(&world, "b", "");
        assert!(!world.path(&format!("../b/.git/{other}")).exists(), "{other}");
    }
}

#[test]
fn half_a_bundle_is_an_error_however_much_of_it_is_here() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced(&world, "--to ../whole");
    world.sh(
        "cd .. && printf '# v2 git bundle\n' > header && printf '# v2 git bundle\n\n' > none \
              && head -c 40 whole > forty && head -c -9 whole > tail && head -c -900 whole > pack \
              && git -C repo bundle create -q ../other HEAD",
    );
    for known in [false, true] {
        for (file, why) in [
            ("header", "its header is cut off"),
            ("none", "it holds no ref"),
            ("forty", "its header is cut off"),
            ("tail", "its pack is cut off or damaged"),
            ("pack", "its pack is cut off or damaged"),
            ("other", "it holds no job of git seed"),
        ] {
            let said = there(&world, "b", &format!("git seed sync --from ../{file}"));
            assert!(said.code == 1 && said.err.contains(why), "{file}, {known}: {said:?}");
        }
        let came = synced_there(&world, "b", "--from ../whole");
        assert_eq!(came["jobs"][0]["result"], if known { "same" } else { "new" });
        assert_eq!(there(&world, "b", "git seed job create mine").code, 0);
    }
    let came = synced_there(&world, "b", "--from ../whole");
    let results: Vec<&Value> =
        came["jobs"].as_array().expect("a list").iter().map(|one| &one["result"]).collect();
    assert!(results.iter().all(|result| **result == "same"), "nothing is pushed: {results:?}");
}

#[test]
fn a_branch_of_somebodys_own_is_not_written_over() {
    let files = ["echo hi > refs", "mkdir d && echo x > d/refs", "echo x > refs && echo y > more"];
    for made in files {
        let world = machine();
        world.sh(&format!(
            "cd .. && git init -q own && cd own && {made} && git add -A && git commit -qm own && \
             git push -q ../hub.git HEAD:refs/heads/git-seed"
        ));
        let tip = world.git("-C ../hub.git rev-parse git-seed");
        let said = world
            .person(&format!("sync --transport branch {}", agreed(&world)))
            .ends(2, "holds something else than refs of git seed");
        assert!(said.contains("git seed sync origin --transport refs"), "{said}");
        assert_eq!(world.git("-C ../hub.git rev-parse git-seed"), tip, "{made}");
    }
}

#[test]
fn a_branch_that_leaves_no_room_for_the_one_of_refs_is_named() {
    let world = machine();
    world.git("push -q ../hub.git HEAD:refs/heads/git-seed/foo");
    let said = world
        .person(&format!("sync --transport branch {}", agreed(&world)))
        .ends(2, "has a branch git-seed/foo");
    assert!(said.contains("git seed sync origin --transport refs"), "{said}");
    world.person(&format!("sync --transport refs {}", agreed(&world))).succeeds();
}

#[test]
fn a_job_with_a_name_that_no_job_may_have_stays_where_it_is() {
    let world = machine();
    synced(&world, &agreed(&world));
    let job = world.job();
    let names = [r"EVIL\n\n# 0 broken", r"red \u001b[31m", r"bell \u0007"];
    for name in names {
        let name = name.replace('\\', r"\\");
        world.sh(&format!(
            "cd ../hub.git && C=refs/seed/jobs/{job} && git show $C:job.toml > ../t && \
             sed -i 's|^name = .*|name = \"{name}\"|' ../t && \
             grep -q EVIL\\\\\\|red\\\\\\|bell ../t && \
             B=$(git hash-object -w ../t) && export GIT_INDEX_FILE=$PWD/../ix && \
             git read-tree $C && git update-index --add --cacheinfo 100644,$B,job.toml && \
             git log -1 --format=%B $C > ../m && \
             N=$(git commit-tree $(git write-tree) -F ../m) && git update-ref $C $N"
        ));
        world.sh("rm -rf ../b");
        second(&world, "b", "hub.git");
        let said = there(&world, "b", "git seed sync");
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("as no job may be named"), "{said:?}");
        assert!(!said.err.contains('\u{1b}') && !said.err.contains("# 0"), "{said:?}");
        assert!(!merged(&world, "../b").iter().any(|line| line.contains("/jobs/")));
        let chain = format!("refs/seed/jobs/{job}");
        world.git(&format!("-c core.hooksPath=/dev/null push -q -f origin {chain}:{chain}"));
    }
}

/// A job on the branch `main` that is closed, with its card.
fn closed() -> (World, String) {
    let world = World::prompted();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    (world, job)
}

#[test]
fn commits_that_are_in_another_clone_are_named_and_not_called_none() {
    let (world, job) = closed();
    super::servers::bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    let pushes = |to: &str| world.git(&format!("-c core.hooksPath=/dev/null push -q origin {to}"));
    // The first commits of the job are there, the last is not: half of a job is none.
    for begun in ["main~5", "main~1"] {
        pushes(&format!("+{begun}:refs/heads/main"));
        synced(&world, &agreed(&world));
        world.sh("rm -rf ../b");
        second(&world, "b", "hub.git");
        synced_there(&world, "b", "");
        for line in ["land", &format!("land {job}")] {
            let said = there(&world, "b", &format!("git seed {line}"));
            assert_eq!(said.code, 2, "{begun}: {said:?}");
            let told = said.err.contains("are not in this clone");
            assert!(told && said.err.contains("Do: git fetch origin"), "{begun}: {said:?}");
            assert!(said.err.contains("push main from the clone"), "{begun}: {said:?}");
        }
    }
    // Where no remote is, it names no remote.
    there(&world, "b", "git remote rename origin gone && git remote remove gone");
    let said = there(&world, "b", "git seed land");
    assert!(said.code == 2 && said.err.contains("git fetch <the clone that has"), "{said:?}");
    there(&world, "b", "git remote add origin ../hub.git");
    // What it says to do is what helps.
    pushes("main");
    let said = there(&world, "b", "git fetch -q origin && git seed land");
    assert_eq!(said.code, 0, "{said:?}");
    let trees = "git rev-parse main-landed^{tree} origin/main^{tree} | sort -u | wc -l";
    assert_eq!(there(&world, "b", trees).out.trim(), "1");
    // What has landed is what it was called.
    let said = there(&world, "b", "git seed land");
    assert!(said.code == 2 && said.err.contains("no commits left to land"), "{said:?}");
}

#[test]
fn a_branch_that_hides_another_is_no_name_to_land_on() {
    let (world, job) = closed();
    for name in ["HEAD", "@", "refs/heads/x", "-x", "a..b", "x.lock"] {
        let said = world.person(&format!("land {job} --branch={name}")).said();
        assert_eq!(said.code, 64, "{name}: {said:?}");
        assert!(said.err.contains("cannot be the name of a branch"), "{name}: {said:?}");
    }
    // What is there in the place of it is told, and a name that has room.
    world.git("branch main-landed/x");
    let said = world.person(&format!("land {job}")).ends(2, "main-landed/x exists already");
    let next = "--branch main-landed-2";
    assert!(said.contains(next), "{said}");
    world.git("branch deep");
    let said = world.person(&format!("land {job} --branch deep/er")).ends(2, "deep exists already");
    assert!(said.contains("--branch deep-er-landed"), "{said}");
    world.person(&format!("land {job} {next}")).succeeds();
}

#[test]
fn a_hook_that_empties_the_message_refuses_the_landing() {
    let (world, job) = closed();
    let hook = world.git("rev-parse --git-path hooks/commit-msg");
    for body in [": > \"$1\"", "sed -i '/^Seed-/!d' \"$1\"", "printf '\\n\\n' > \"$1\""] {
        world.puts(&hook, &format!("#!/bin/sh\n{body}\n"));
        world.sh(&format!("chmod +x {hook}"));
        world.person(&format!("land {job}")).ends(2, "leaves no word of the message");
        assert_eq!(world.git("branch --list '*-landed'"), "", "{body}");
    }
}

/// What the hook made of the message is what is told; what leads to a job is git seed's to write.
#[test]
fn what_a_hook_made_of_the_message_is_told() {
    let (world, job) = closed();
    let hook = world.git("rev-parse --git-path hooks/commit-msg");
    let hooked = |body: &str| {
        world.puts(&hook, &format!("#!/bin/sh\n{body}\n"));
        world.sh(&format!("chmod +x {hook}"));
    };
    for body in [
        "echo 'Seed-Job: evil' >> \"$1\"",
        "echo 'seed-id: 0123456789ab' >> \"$1\"",
        "sed -i 's/^Seed-Id: .*/Seed-Id: 0123456789ab/' \"$1\"",
        "sed -n 's/^Seed-Id:.*/&/p' \"$1\" > ../ids; cat ../ids >> \"$1\"",
    ] {
        hooked(body);
        world.person(&format!("land {job}")).ends(2, "which only git seed writes");
        assert_eq!(world.git("branch --list '*-landed'"), "", "{body}");
    }
    for (body, subject, lost) in [
        ("echo hi > \"$1\"", "hi", json!(["Seed-Job", "Seed-Id"])),
        ("sed -i /Seed-Id/d \"$1\"", "", json!(["Seed-Id"])),
        ("sed -i '1s/^/ABC-1: /' \"$1\"", "ABC-1: ", Value::Null),
    ] {
        hooked(body);
        let landed = world.json(&format!("land {job}"));
        for (row, name) in
            landed["commits"].as_array().expect("rows").iter().zip(["main-landed~1", "main-landed"])
        {
            let made = world.git(&format!("log -1 --format=%s {name}"));
            assert_eq!(row["subject"].as_str().expect("words"), made.trim(), "{body}");
            assert!(made.starts_with(subject), "{made}");
            assert_eq!(row["lost"], lost, "{body}");
        }
        // The note leads there all the same.
        let found = world.person("verify main-landed~2..main-landed --json").said();
        let found: Value = serde_json::from_str(&found.out).expect("JSON");
        assert_eq!(found["broken"], json!([]), "{found}");
        world.git("branch -qD main-landed");
        let text = world.person(&format!("land {job}")).succeeds();
        let told = text.contains("its note still leads to the job");
        assert_eq!(told, lost != Value::Null, "{text}");
        world.git("branch -qD main-landed");
    }
}

/// A revision that names nothing is a slip of the person's, whoever takes it.
#[test]
fn what_names_no_commits_is_a_wrong_argument() {
    let (world, _) = closed();
    for line in [
        "verify nosuch",
        "verify nosuch..HEAD",
        "verify HEAD..nosuch",
        "verify HEAD:src",
        "verify HEAD~99",
        "verify --rerun nosuch..HEAD",
        "verify --ci nosuch..HEAD",
        "claim report --coverage --range nosuch..HEAD",
    ] {
        let said = world.person(line).said();
        assert_eq!(said.code, 64, "{line}: {said:?}");
        assert!(!said.err.contains("fatal"), "{line}: {said:?}");
    }
    for line in ["verify HEAD", "verify HEAD~1..HEAD", "verify HEAD^!", "verify HEAD~1..."] {
        let said = world.person(line).said();
        assert!([0, 3].contains(&said.code), "{line}: {said:?}");
    }
}

#[test]
fn git_seed_tells_what_it_can_do_with_odd_arguments() {
    let world = machine();
    synced(&world, &agreed(&world));
    world.person("op log -n 0").ends(64, "0");
    world.person("sync --to -").ends(64, "`-` is no file");
    let said = world.person("sync --to '../j b.bundle'").succeeds();
    assert!(said.contains("git seed sync --from '"), "{said}");
    for remote in ["../x", "a b", "-r"] {
        let said = world.tries(&format!("git seed verify --ci HEAD~0..HEAD '--remote={remote}'"));
        assert_eq!(said.code, 64, "{remote}: {said:?}");
    }
    world.person("job create another").succeeds();
    world.person("undo").succeeds();
    let ops = world.json("op log -n 1");
    let id = ops[0]["id"].as_str().expect("an id");
    world.person(&format!("undo --to {id}")).ends(64, "is an undo or a redo itself");
}

#[test]
fn a_redaction_that_undo_steps_over_is_not_undone() {
    let world = machine();
    let job = world.job();
    world.person("job create another").succeeds();
    let said = world.person(&format!("job redact {job} 1")).succeeds();
    assert!(said.contains("Gone from this clone: 1 text of "), "{said}");
    world.person("undo").succeeds();
    let ops = world.json("op log");
    let rows = ops.as_array().expect("a list").iter();
    let redacts: Vec<&Value> = rows.filter(|row| row["command"] == "job redact").collect();
    assert_eq!(redacts.len(), 1, "{ops}");
    assert_eq!(redacts[0]["undone"], json!(false), "{ops}");
}

#[test]
fn the_summary_shows_hostile_words_and_they_do_nothing() {
    let world = World::prompted();
    let name = "see [x](http://evil.example) @ada <img src=x> `rm` a|b #1";
    let base = world.git("rev-parse HEAD");
    world.to("plan");
    world.seed(&format!("job update --name '{name}'")).succeeds();
    world.to("condense");
    let summary = world.tries(&format!("git seed verify --ci {base}..HEAD")).out;
    let card = summary.lines().find(|line| line.contains("job \"")).expect("a card");
    // What is escaped is shown as it is; the rest of the line is what Markdown reads.
    let mut letters = card.chars();
    let mut read = String::new();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else {
            read.push(letter);
        }
    }
    for does in ["](", "[x", "@ada", "<img", "`rm", "a|b", "#1", "://"] {
        assert!(!read.contains(does), "{does}: {card}");
    }
    assert!(card.contains("rm") && card.contains("ada"), "it is shown: {card}");
    assert!(card.contains("@\u{2060} ada") || card.contains("@\u{2060}"), "{card}");
    assert!(!summary.contains("u{2060}"), "signs of no width are not spelt out: {summary}");
    assert!(card.contains("lines +") && card.contains("test run"), "{card}");
    assert!(card.contains("criteria: 1 met, 0 not met, 0 not shown"), "{card}");
    assert!(summary.lines().count() <= 20, "{summary}");
}

#[test]
fn what_became_of_a_signature_between_the_jobs_commits_is_said() {
    if std::process::Command::new("ssh-keygen").arg("-?").output().is_err() {
        return super::skip::not_here("ssh-keygen");
    }
    for (commits_signed, own, said) in [
        (false, false, "without the signature of Bob"),
        // A rebase would sign as well, but as another committer.
        (true, false, "without the signature of Bob"),
        (true, true, "signed with your key in the place of the signature it had"),
    ] {
        let world = World::prompted();
        world.sh("ssh-keygen -q -t ed25519 -N '' -C '' -f ../key");
        world.git("config gpg.format ssh");
        world.git("config user.signingkey $PWD/../key");
        world.to("execute");
        let bob = "GIT_COMMITTER_NAME=Bob GIT_COMMITTER_EMAIL=bob@example.org";
        let who = if own { "" } else { bob };
        world.sh(&format!(
            "echo x > theirs.txt && git add theirs.txt && \
             env {who} git -c core.hooksPath=/dev/null commit -S -qm theirs"
        ));
        if commits_signed {
            world.git("config commit.gpgsign true");
        }
        world.to("condense");
        world.works("condense");
        world.approved();
        world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
        let told = world.person("land").succeeds();
        let line = told.lines().find(|line| line.contains("theirs")).expect("a commit");
        assert!(line.contains(said), "{told}");
        let theirs = world.git("log -1 --format=%H --grep='^theirs' main-landed");
        let object = world.git(&format!("cat-file -p {theirs}"));
        assert_eq!(object.contains("gpgsig"), own, "{object}");
    }
}
