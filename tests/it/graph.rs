//! What stands between jobs: the archive of closed ones, lists, and who waits for whom.

use serde_json::Value;

use super::notes::with_notes;
use super::world::{PAGE, World, completion, message};

/// The refs of git seed, by name.
fn refs(world: &World) -> Vec<String> {
    let all = world.git("for-each-ref --format='%(refname)' refs/seed");
    all.lines().map(str::to_owned).collect()
}

/// Lives a whole cycle and closes its job, whose id is given.
fn closed(world: &World) -> String {
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    job
}

/// What git says of the commits of the job is what its card says.
fn the_card_has_the_diffstat(world: &World, job: &str, changed: &Value) {
    let log = world.json(&format!("log {job} -n 99"));
    let commits: Vec<&str> =
        log.as_array().expect("rows").iter().filter_map(|row| row["commit"].as_str()).collect();
    let (last, first) = (commits[0], commits[commits.len() - 1]);
    let git = world.git(&format!("diff --numstat --no-renames {first}~ {last}"));
    let rows = changed.as_array().expect("rows").iter().map(|one| {
        let path = one["path"].as_str().expect("a path");
        format!("{}\t{}\t{path}", one["added"], one["removed"])
    });
    assert_eq!(rows.collect::<Vec<_>>(), git.lines().collect::<Vec<_>>());
    let card = world.seed(&format!("show {job}")).succeeds();
    assert!(card.contains("changed  ") && card.contains("prompt   "), "{card}");
    for line in git.lines() {
        let path = line.rsplit('\t').next().expect("a path");
        assert!(
            card.lines().any(|row| row.contains(path) && row.contains(" | ")),
            "{path}: {card}"
        );
    }
    // Later commits of others are no work of the job.
    world.puts("later.txt", "x\n");
    world.git("add later.txt");
    world.git("commit -q -m later");
    assert!(!world.seed(&format!("show {job}")).succeeds().contains("later.txt"));
    world.git("reset -q --hard HEAD~");
}

fn the_log_is_like_gits(world: &World, log: &[Value]) {
    let of = |arguments: &str| world.seed(&format!("log -n 99 {arguments}")).succeeds();
    let rows = log.iter().filter_map(|row| Some((row["commit"].as_str()?, row)));
    for (commit, row) in rows.clone() {
        let (step, subject) = (&row["step"], &row["subject"]);
        let line = format!(
            "{} {}: {}",
            &commit[..7],
            step.as_str().expect("a step"),
            subject.as_str().expect("a subject")
        );
        assert!(of("--oneline").lines().any(|one| one == line), "{line}");
    }
    assert_eq!(of("--oneline").lines().count(), log.len());
    // Multipliers and notes stand in the line of their step, unless each is asked for.
    let folds = log.iter().filter(|row| row["step"] == "multiplier" || row["step"] == "note");
    let folds = folds.count();
    assert!(folds > 0, "{log:?}");
    assert_eq!(of("--graph").lines().count(), log.len() - folds);
    assert_eq!(of("--graph --all").lines().count(), log.len());
    assert!(of("--graph").contains(" \u{b7} this phase uses"), "{}", of("--graph"));
    // A time as git reads it: what is older than the newest step is left out.
    let newest = log[0]["at"].as_str().expect("a time");
    let since = world.json(&format!("log -n 99 --since '{newest}'"));
    let wanted: Vec<&Value> =
        log.iter().filter(|row| row["at"].as_str().is_some_and(|at| at >= newest)).collect();
    assert!(wanted.len() < log.len() && !wanted.is_empty(), "{newest}");
    assert_eq!(since.as_array().expect("a list").iter().collect::<Vec<_>>(), wanted);
    assert_eq!(of("--since 2099-01-01T00:00:00Z"), "");
    assert_eq!(of("--since '20 years ago'"), of(""));
    // Each step's difference, letter by letter git's.
    for (commit, _) in rows {
        let patch = world.git(&format!("show --format= --patch {commit}"));
        assert!(of("-p").contains(patch.trim()), "{patch}");
        let json = world.json("log -n 99 -p");
        let found = json.as_array().expect("a list").iter().find(|row| row["commit"] == *commit);
        let found = found.and_then(|row| row["patch"].as_str()).unwrap_or_default();
        assert_eq!(found.trim(), patch.trim());
    }
    world.seed("log --all").ends(64, "--graph");
}

#[test]
fn a_closed_job_moves_to_the_archive_and_every_reader_still_finds_it() {
    let world = World::seeded();
    let job = closed(&world);
    let (live, keep) = (format!("refs/seed/jobs/{job}"), format!("refs/seed/keep/{job}"));
    let now = refs(&world);
    assert!(!now.contains(&live) && !now.contains(&keep), "{now:?}");
    assert!(now.iter().any(|name| name == "refs/seed/archive"), "{now:?}");
    assert!(now.iter().any(|name| name == "refs/seed/keep/closed"), "{now:?}");
    world.git("reflog expire --expire=now --all");
    world.git("gc -q --prune=now");

    let shown = world.json(&format!("job show {job}"));
    assert_eq!((&shown["status"], &shown["phase"]), (&"completed".into(), &"idle".into()));
    assert_eq!(shown["altered"].as_array().map(Vec::len), Some(2), "{shown}");
    let mut whole = world.json(&format!("show {job}"));
    whole.as_object_mut().and_then(|keys| keys.remove("raw"));
    let changed = whole.as_object_mut().and_then(|keys| keys.remove("changed"));
    assert_eq!(whole, shown, "beside the files of its runs and what it changed");
    the_card_has_the_diffstat(&world, &job, &changed.expect("what it changed"));
    let log = world.json(&format!("log {job} -n 99"));
    let steps: Vec<&str> =
        log.as_array().expect("a list").iter().filter_map(|row| row["step"].as_str()).collect();
    assert_eq!((steps.first(), steps.last()), (Some(&"condense -> idle"), Some(&"birth")));
    assert_eq!(world.json("log -n 99"), log, "without a focus it is the newest job's");
    the_log_is_like_gits(&world, log.as_array().expect("a list"));
    let listed = world.json("job list");
    assert_eq!(listed[0]["id"].as_str(), Some(job.as_str()));
    assert_eq!(
        (&listed[0]["status"], &listed[0]["focused"]),
        (&"completed".into(), &Value::Bool(false))
    );

    for command in ["activate", "focus"] {
        let said = world.seed(&format!("job {command} {job}")).refuses("closed");
        assert!(said.contains(&format!("job reactivate {job}")), "{said}");
    }
    assert_eq!(refs(&world), now, "a refusal opens nothing");

    // Stopped between the archive's commit and the ref: the next one finishes it.
    let written = world.git(
        "show refs/seed/archive:index/$(git ls-tree -r --name-only \
        refs/seed/archive index | grep -E '/[0-9]+/' | sed 's,index/,,')",
    );
    let row: Value = serde_json::from_str(written.trim()).expect("one line");
    world.git(&format!("update-ref {live} {}", row["tip"].as_str().expect("its tip")));
    assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1));
    let said = world.person("doctor").said();
    assert!(said.out.contains("1 job closed but not archived"), "{said:?}");
    world.person("doctor --fix").tells("1 closed job moved to the archive");
    assert_eq!(refs(&world), now);

    // An index that does not read is named, and written anew from what the archive holds.
    let listed = world.json("job list");
    world.sh("set -e; export GIT_INDEX_FILE=$(git rev-parse --absolute-git-dir)/other
         git read-tree refs/seed/archive; blob=$(echo '{' | git hash-object -w --stdin)
         for file in $(git ls-files index | grep /20); do
           git update-index --cacheinfo 100644,$blob,$file
         done
         odd=$(git commit-tree -m odd -p refs/seed/archive $(git write-tree))
         git update-ref refs/seed/archive $odd
         rm $GIT_INDEX_FILE");
    world.seed("job list").ends(1, "git seed doctor --fix rebuilds it");
    world.person("doctor --fix").tells("the index of the archive was rebuilt: 1 job");
    assert_eq!(world.json("job list"), listed);

    // Small talk ends in the archive too, and nothing of it stays behind.
    world.prompt("hello there");
    world.ends();
    assert_eq!(refs(&world), now);
    assert_eq!(world.json("job list")[1]["status"], "voided");
}

/// Writes the record of `from` anew as that of `to`, through `sed`, as a fetch could bring it.
fn recorded(world: &World, from: &str, to: &str, sed: &str) {
    world.sh(&format!(
        "set -e; export GIT_INDEX_FILE=$(git rev-parse --absolute-git-dir)/other
         git read-tree refs/seed/jobs/{from}
         blob=$(git show refs/seed/jobs/{from}:job.toml | sed '{sed}' | git hash-object -w --stdin)
         git update-index --cacheinfo 100644,$blob,job.toml
         commit=$(git commit-tree -m rewritten $(git write-tree)); rm $GIT_INDEX_FILE
         git update-ref refs/seed/jobs/{to} $commit"
    ));
}

fn pending(world: &World, name: &str) -> String {
    let said = world.person(&format!("job create '{name}'")).succeeds();
    let mut words = said.split_whitespace();
    words.find(|word| word.starts_with("2026") && word.contains('t')).expect("an id").to_owned()
}

fn waits_for(world: &World, job: &str) -> Vec<String> {
    let shown = world.json(&format!("job show {job}"));
    let ids = shown["depends_on"].as_array().expect("a list");
    ids.iter().filter_map(|id| id.as_str()).map(str::to_owned).collect()
}

#[test]
fn two_worktrees_that_add_edges_at_once_never_close_a_circle() {
    const TRIES: usize = 12;
    let world = World::seeded();
    world.to("condense");
    let (one, other) = (world.job(), "20261121t205700-bbbb");
    recorded(&world, &one, other, &format!("s/{one}/{other}/"));
    world.git("worktree add -q -b side ../linked");
    let said = world.agents_shell(&format!("cd ../linked && git seed job activate {other}"), "");
    assert_eq!(said.code, 0, "{said:?}");
    let told = world.sh(&format!(
        "set -e; mkdir ../saved; cp -a .git/seed ../saved/seed; cp -a .git/refs/seed ../saved/refs
         for n in $(seq {TRIES}); do
           rm -rf .git/seed .git/refs/seed
           cp -a ../saved/seed .git/seed; cp -a ../saved/refs .git/refs/seed
           (git seed job add-dependency {one} {other} >../o1 2>&1 && echo 0 >../c1 ||
             echo $? >../c1) &
           (cd ../linked
             git seed job add-dependency {other} {one} >../o2 2>&1 && echo 0 >../c2 ||
             echo $? >../c2) &
           wait
           edges=$(git show refs/seed/jobs/{one}:job.toml refs/seed/jobs/{other}:job.toml |
             grep -c 'depends_on = ..2026')
           echo $(cat ../c1) $(cat ../c2) $edges
         done; cat ../o1 ../o2"
    ));
    let rounds: Vec<&str> = told.lines().take(TRIES).collect();
    assert!(rounds.iter().all(|round| ["0 2 1", "2 0 1"].contains(round)), "{told}");
    assert!(told.contains("would wait for each other"), "{told}");
    assert!(told.contains(" > "), "the circle is named: {told}");
}

#[test]
fn verify_reviews_open_dependencies_and_a_list_shows_who_waits() {
    let world = World::seeded();
    world.to("verify");
    let job = world.job();
    let [docs, index, done] =
        ["write the docs", "build the index", "mend the lexer"].map(|name| pending(&world, name));
    let nowhere = "20261121t205700-dead";
    recorded(&world, &done, &done, "s/^status = .*/status = \"completed\"/");
    world.person("doctor --fix").tells("1 closed job moved to the archive");
    let ids = [&docs, &index, &done, nowhere].map(|id| format!("\"{id}\"")).join(", ");
    recorded(&world, &job, &job, &format!("s/^depends_on = .*/depends_on = [{ids}]/"));

    let listed = world.seed("job list").succeeds();
    assert!(listed.contains(&format!("waits for {docs}, {index}, {nowhere}")), "{listed}");
    let drawn = world.seed("job list --graph").succeeds();
    let lines: Vec<&str> = drawn.lines().collect();
    assert!(lines[0].starts_with(&format!("{job}  active")), "{drawn}");
    let below = [
        format!("  {docs}  pending  write the docs"),
        format!("  {index}  pending  build the index"),
        format!("  {done}  completed  mend the lexer"),
        format!("  {nowhere}  found nowhere"),
    ];
    assert_eq!(lines[1..], below, "{drawn}");

    world.changes_nothing(|| {
        world.seed(&format!("job remove-dependency {done}")).refuses("nothing waits for it")
    });
    world.changes_nothing(|| {
        world.seed(&format!("job void-dependency {nowhere}")).refuses("remove-dependency")
    });
    world.seed(&format!("job remove-dependency {nowhere}")).succeeds();
    world.git("worktree add -q -b side ../linked");
    let said = world.agents_shell(&format!("cd ../linked && git seed job activate {docs}"), "");
    assert_eq!(said.code, 0, "{said:?}");
    let said = world.changes_nothing(|| {
        world.seed(&format!("job void-dependency {docs}")).refuses("worktree linked")
    });
    assert!(said.contains(&format!("git seed job remove-dependency {docs}")), "{said}");
    world.seed(&format!("job remove-dependency {docs}")).succeeds();
    world.seed(&format!("job void-dependency {index}")).succeeds();
    assert_eq!(waits_for(&world, &job), [done]);
    assert_eq!(world.json(&format!("job show {index}"))["status"], "voided");
    assert!(
        !refs(&world).contains(&format!("refs/seed/jobs/{index}")),
        "what is voided is put away"
    );
    world.changes_nothing(|| {
        world.seed(&format!("job add-dependency {job} {docs}")).refuses("condense")
    });
}

#[test]
fn a_note_becomes_a_job_that_knows_where_it_came_from_and_holds_up_its_parent() {
    let world = with_notes(
        "the cache holds names\n[PENDING-JOB]{cache-lies | dep:before}\nfrom before the rename\n\n\
         [PENDING-JOB]{later}",
    );
    let job = world.job();
    let listed = world.seed("note list").succeeds();
    assert!(listed.contains("git seed job create-dependent <name> --note 1"), "{listed}");
    world.seed("job create-dependent 'the cache lies' --note 1").tells("is now resolved");
    let born = &waits_for(&world, &job)[0];
    let page = world.text(PAGE);
    assert!(page.contains(&format!("[RESOLVED:PENDING-JOB]{{job {born}}}")), "{page}");
    let shown = world.json(&format!("job show {born}"));
    let said = shown["interactions"][0]["text"].as_str().expect("words");
    for part in [
        &*job,
        PAGE,
        "> the cache holds names",
        "> [PENDING-JOB]{cache-lies | dep:before}",
        "> from before",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(shown["interactions"][0]["kind"], "automation");
    assert!(!said.contains("later"), "only what stands around it: {said}");
    let head = world.git("rev-parse HEAD");
    world.seed(&format!("note resolve 2 --breadcrumb 'declined: {head}'")).succeeds();

    world.works("condense");
    let refused = world.asks(&completion());
    refused.refuses(&format!("{born} the cache lies (pending)"));
    recorded(&world, born, born, "s/^status = .*/status = \"voided\"/");
    world.person("doctor --fix").succeeds();
    world.asks(&completion()).answers("Approve completion");
    assert_eq!(
        world.json("job show")["user_approval"],
        true,
        "a dependency in the archive holds up nothing"
    );
}

#[test]
fn what_comes_next_is_said_when_a_job_is_closed() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    let [held, first, second] =
        ["hold the line", "write the docs", "build the index"].map(|name| pending(&world, name));
    let mut order = [&first, &second];
    order.sort();
    recorded(&world, &held, &held, &format!("s/^depends_on = .*/depends_on = [\"{second}\"]/"));
    world.approved();
    let told = world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert!(told.contains(&format!("Next: git seed job activate {}", order[0])), "{told}");
    assert!(told.contains(&format!("\"hold the line\" waits for {second}")), "{told}");
}

#[test]
fn a_clock_that_jumps_back_makes_no_job_younger_and_no_id_twice() {
    let world = World::prompted();
    let updated = || world.json("job show")["updated_at"].as_str().expect("a time").to_owned();
    let before = updated();
    world.sh("GIT_SEED_TEST_CLOCK=1000000000 git seed job update --name 'fix the lexer'");
    assert_eq!(updated(), before);
    let create = || {
        let said = world.sh("GIT_SEED_TEST_CLOCK=1000000000 git seed job create 'the same name'");
        said.split_whitespace().find(|word| word.starts_with("2001")).expect("an id").to_owned()
    };
    let first = create();
    assert_ne!(create(), first);
    recorded(&world, &first, &first, "s/^status = .*/status = \"voided\"/");
    world.person("doctor --fix").succeeds();
    let third = create();
    assert_ne!(third, first, "an id in the archive is taken");
    let known = world.json("job list");
    let ids: std::collections::BTreeSet<_> =
        known.as_array().expect("a list").iter().map(|row| row["id"].to_string()).collect();
    assert_eq!(ids.len(), 4, "{known}");
}

#[test]
fn show_alone_shows_the_job_in_focus_else_head() {
    let world = World::seeded();
    world.to("execute");
    world.git("commit -q --allow-empty -m persons");
    let said = world.agents_shell("git-seed show HEAD", "");
    assert!(said.code != 0 && said.err.contains("git seed job list"), "{said:?}");

    let world = World::seeded();
    world.to("execute");
    let job = world.job();
    let card = world.seed("show").succeeds();
    assert_eq!(card, world.seed(&format!("show {job}")).succeeds());
    world.to("condense");
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    let step = world.seed("show").succeeds();
    assert_eq!(step, world.seed("show HEAD").succeeds());
    assert!(step.contains(&job), "{step}");
}

/// A command in the linked worktree, where the agent works on another job.
fn linked(world: &World, command: &str) -> super::world::Said {
    world.agents_shell(&format!("cd ../linked && git seed {command}"), "")
}

#[test]
fn any_open_job_of_this_clone_can_be_made_to_wait() {
    let world = World::seeded();
    world.to("condense");
    let [docs, index, done, far] =
        ["write the docs", "build the index", "mend the lexer", "a far one"]
            .map(|name| pending(&world, name));
    recorded(&world, &done, &done, "s/^status = .*/status = \"completed\"/");
    world.person("doctor --fix").succeeds();
    recorded(&world, &far, &far, "s/^clone = .*/clone = \"another\"/");

    world.seed(&format!("job add-dependency {docs} {index}")).tells("write the docs now waits");
    assert_eq!(waits_for(&world, &docs).as_slice(), std::slice::from_ref(&index));
    for (job, dependency, why) in [
        (&index, &docs, "wait for each other"),
        (&done, &index, "closed"),
        (&far, &index, "another clone"),
    ] {
        let line = format!("job add-dependency {job} {dependency}");
        world.changes_nothing(|| world.seed(&line).ends(if *job == far { 1 } else { 2 }, why));
    }
    world.seed(&format!("job add-dependency 20261121t205700-dead {index}")).ends(64, "no job");

    // One that another worktree works on: its journal goes on behind the step, here and where
    // a job that it waits for is dropped.
    world.git("worktree add -q -b side ../linked");
    let said = linked(&world, &format!("job activate {index}"));
    assert_eq!(said.code, 0, "{said:?}");
    let [first, last] = ["one more", "the last"].map(|name| pending(&world, name));
    for dependency in [&first, &last] {
        world.seed(&format!("job add-dependency {index} {dependency}")).succeeds();
        let said = linked(&world, "job update --name 'build an index'");
        assert_eq!(said.code, 0, "{said:?}");
    }
    world.person(&format!("job drop {first} -m 'not wanted'")).tells("No longer waiting for it");
    let said = linked(&world, "job update --name 'build the index'");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(waits_for(&world, &index), [last]);
}

#[test]
fn a_person_adds_a_dependency_at_any_time() {
    let world = World::seeded();
    world.to("execute");
    let [docs, index] = ["write the docs", "build the index"].map(|name| pending(&world, name));
    let line = format!("job add-dependency {docs} {index}");
    world.changes_nothing(|| world.seed(&line).refuses("condense"));
    world.person(&line).succeeds();
    assert_eq!(waits_for(&world, &docs), [index]);
}
