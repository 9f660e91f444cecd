//! Odd repositories, odd paths, odd pages: each has a named outcome.
//!
//! What a person's repository may look like, git seed works in it or says in a sentence
//! why not; and what it says no to, it leaves as it was.

use std::fs;
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, PAGE, Reply, Said, World, message, objective, page};

/// Once around, with the work tree as it was but for the phase commits.
fn goes_around(world: &World) {
    world.to("condense");
    world.works("condense");
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none", "the job is closed");
}

/// Code that the agent runs writes a file.
fn code_writes(world: &World, path: &str, text: &str) {
    let file = world.path(path);
    fs::create_dir_all(file.parent().expect("a directory")).expect("it can be made");
    fs::write(file, text).expect("the file can be written");
}

// ---- paths

#[cfg(target_os = "linux")]
#[test]
fn names_of_any_bytes_are_committed_byte_for_byte() {
    use std::os::unix::ffi::OsStrExt as _;
    const NAMES: [(&[u8], &str); 9] = [
        (b"\xff\xfe.rs", r#""src/parser/\377\376.rs""#),
        (b"two\nlines", r#""src/parser/two\nlines""#),
        (b"q\"uo'te", r#""src/parser/q\"uo'te""#),
        (b"back\\slash", r#""src/parser/back\\slash""#),
        (b"a b ", "src/parser/a b "),
        (b"-rf", "src/parser/-rf"),
        (b":(top)x", "src/parser/:(top)x"),
        (b"*", "src/parser/*"),
        (b"\xc3\xa9", r#""src/parser/\303\251""#),
    ];
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let did = world.runs_and("cargo test", || {
        for (name, _) in NAMES {
            let file = world.path("src/parser").join(std::ffi::OsStr::from_bytes(name));
            fs::write(file, name).expect("Linux takes any name");
        }
    });
    did.passes();
    world.tests();
    world.leaves();
    let listed = world.git("ls-tree -r --name-only HEAD src/parser");
    for (_, quoted) in NAMES {
        assert!(listed.lines().any(|line| line == quoted), "{quoted} is missing:\n{listed}");
    }
    assert!(world.git("status --porcelain").is_empty());
    world.works("verify");
    world.leaves();
}

#[test]
fn tools_may_write_odd_names_in_scope_and_not_out_of_it() {
    let world = World::seeded();
    world.enters("execute");
    world.seed("phase multiplier 1").succeeds();
    let mut names = vec!["-n", "two words.rs", "ünï.rs", "it's.rs", "--", "#x", "~", "$(x)"];
    if cfg!(unix) {
        names.extend(["two\nlines.rs", "\"quoted\".rs", "a:b"]);
    }
    for (n, name) in names.into_iter().enumerate() {
        if n % 3 == 0 {
            // A note, and a piece for somebody else: so much by hand is not how it is done.
            world.launches("execute-writer");
            world.notes("---Ex---", &format!("from name {n} on"));
        }
        world.writes(&format!("src/parser/{name}"), "x\n").passes();
        world.writes(name, "x\n").refuses("BLOCKED");
    }
    world.launches("execute-writer");
    world.notes("---Ex---", "each of them");
    world.works("execute");
    world.leaves();
    assert!(world.git("status --porcelain").is_empty(), "all of them are committed");
}

#[test]
fn a_path_with_nul_is_judged_where_it_would_be() {
    let world = World::seeded();
    world.to("execute");
    let call = |path: String| {
        let input = json!({ "file_path": path, "content": "x" });
        world.before("Write", &input, &world.next_call())
    };
    call(format!("{}/a\u{0}b", world.repo().display())).refuses("BLOCKED");
    call(format!("{}/src/parser/../../todo.txt\u{0}", world.repo().display())).refuses("BLOCKED");
    world.works("execute");
    world.leaves();
}

// ---- pages

#[test]
fn anchors_in_code_blocks_are_text() {
    let world = World::new();
    let body = "# parser\n\n```md\n---Ob---\n\nthis is how a footer looks\n\n---Pl---\n```\n";
    world.puts(PAGE, &page(body));
    world.git("add -A");
    world.git("commit -qm page");
    let world = world.installed();
    world.to("observe");
    world.edits(PAGE, "this is how", "that is how").refuses("body");
    world.reads(CODE).passes();
    world.edits(PAGE, "```\n\n---Ob---\n", "```\n\n---Ob---\n\nseen\n").passes();
    world.works_on_name();
    world.leaves();
    assert!(world.text(PAGE).starts_with(body), "the block is as it was:\n{}", world.text(PAGE));
}

#[test]
fn a_page_in_disorder_is_left_to_a_person() {
    let cases = [
        ("twice", page("# parser\n").replace("---Ve---", "---Ob---\n\n---Ve---")),
        ("disordered", "# parser\n\n---Pl---\n\n---Ob---\n\n---Ex---\n\n---Ve---\n".to_owned()),
    ];
    for (what, broken) in cases {
        let world = World::new();
        world.puts(PAGE, &broken);
        world.git("add -A");
        world.git("commit -qm page");
        let world = world.installed();
        world.to("observe");
        let did = world.edits(PAGE, "# parser\n\n---", "# parser\n\n\n---");
        assert!(did.before.refusal().is_some(), "{what}: {did:?}");
        let did = world.writes(PAGE, &page("# parser\n"));
        assert!(did.before.refusal().is_some(), "{what}, put in order: {did:?}");
        assert_eq!(world.text(PAGE), broken, "{what}: git seed does not guess");
    }
}

#[test]
fn a_page_that_a_person_mends_or_edits_meanwhile_goes_on() {
    for before in
        [page("# parser\n").replace("---Ve---", "---Ob---\n\n---Ve---"), page("# old title\n")]
    {
        let world = World::new();
        world.puts(PAGE, &before);
        world.git("add -A");
        world.git("commit -qm page");
        let world = world.installed();
        world.to("observe");
        world.puts(PAGE, &page("# parser\n"));
        world.works("observe");
        world.person(&format!("fence accept {PAGE}")).succeeds();
        world.seed(&format!("fence accept {PAGE}")).refuses("only a person may run");
        world.works("observe");
        world.leaves();
        assert_eq!(world.phase(), "plan");
        assert!(world.text(PAGE).starts_with("# parser\n"), "the person's words stand");
    }
}

/// A seeded world whose page is committed, in execute.
fn with_page() -> World {
    let world = World::seeded();
    world.to("execute");
    assert!(!world.git(&format!("ls-tree HEAD {PAGE}")).is_empty());
    world
}

#[test]
fn a_page_that_a_person_takes_away_is_named_and_stays_away() {
    let world = with_page();
    world.works("execute");
    fs::remove_file(world.path("CLAUDE.md")).expect("it was there");
    let told = world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert!(told.contains("CLAUDE.md changed, and no call accounts for it"), "{told}");
    assert_eq!(world.git("status --porcelain"), " D CLAUDE.md", "it is theirs to take away");
    world.works("verify");
    world.leaves();
}

#[test]
fn a_page_that_code_takes_away_comes_back() {
    let world = with_page();
    world.works("execute");
    world.runs_and("cargo test", || fs::remove_file(world.path(PAGE)).expect("it was there"));
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses(PAGE)
    });
    world.seed("fence restore").tells(PAGE);
    assert!(world.path(PAGE).is_file());
    world.tests();
    world.notes("---Ex---", "looked ahead one character");
    world.leaves();
    assert!(world.git("status --porcelain").is_empty());
}

/// Whoever takes a page of the cycle away, wherever to: no boundary passes over its footers.
#[test]
fn a_declared_page_that_vanished_is_named_and_comes_back() {
    type Takes = fn(&World);
    let ways: [(&str, Takes); 3] = [
        ("deleted", |world| fs::remove_file(world.path(PAGE)).expect("it was there")),
        ("renamed", |world| drop(world.git(&format!("mv {PAGE} notes.md")))),
        ("its directory moved", |world| drop(world.sh("mv src/parser ../aside"))),
    ];
    for (way, takes) in ways {
        for phase in ["plan", "execute", "verify"] {
            let world = World::seeded();
            world.to(phase);
            let before = world.text(PAGE);
            takes(&world);
            world.changes_nothing(|| {
                let told = world.seed("phase advance -F -").stdin(&message(phase)).refuses(PAGE);
                let command = format!("Do: git seed fence restore {PAGE}");
                assert!(told.contains(&command), "{way} in {phase}: {told}");
            });
            world.seed(&format!("fence restore {PAGE}")).tells("is as it was");
            assert_eq!(world.text(PAGE), before, "{way} in {phase}");
            world.sh(
                "mv ../aside/lex.rs src/parser/ 2>/dev/null; git rm -qf --ignore-unmatch notes.md",
            );
            world.works(phase);
            world.leaves();
            assert_ne!(world.phase(), phase, "{way}");
        }
    }
}

#[test]
fn a_person_says_that_a_page_is_gone_on_purpose() {
    for way in ["accept", "commit"] {
        let world = with_page();
        let said = world.git(&format!("show HEAD:{PAGE}"));
        assert!(said.contains("the lexer drops escapes"), "{said}");
        fs::remove_file(world.path(PAGE)).expect("it was there");
        world.changes_nothing(|| {
            let asked = world.seed("phase advance -F -").stdin(&message("execute"));
            asked.refuses("a person says so: git seed fence accept")
        });
        // A step back is free, and the way forward still knows.
        world.seed("phase back plan -m 'the contract lacks what becomes of the page here'").said();
        if way == "accept" {
            world.person(&format!("fence accept {PAGE}")).succeeds();
        } else {
            world.git(&format!("commit -qm 'no page here' {PAGE}"));
        }
        assert!(!world.path(PAGE).exists(), "{way}");
        let asked = world.seed("phase advance -F -").stdin(&message("execute")).said();
        assert!(!asked.err.contains("fence restore"), "{way}: {asked:?}");
        let history = world.git(&format!("log -p --format=%h -- {PAGE}"));
        assert!(history.contains("the lexer drops escapes"), "its words are in the history");
    }
}

#[test]
fn a_page_that_became_a_directory_is_put_back() {
    let world = with_page();
    world.works("execute");
    world.runs_and("cargo test", || {
        fs::remove_file(world.path(PAGE)).expect("it was there");
        code_writes(&world, &format!("{PAGE}/x/y"), "x\n");
    });
    world.reads(CODE).passes();
    world.seed("phase advance -F -").stdin(&message("execute")).refuses(PAGE);
    world.seed("fence restore").said();
    assert!(world.path(PAGE).is_file(), "the page is a file again");
    world.notes("---Ex---", "looked ahead one character");
    world.leaves();
    assert!(world.git("status --porcelain").is_empty());
}

#[test]
fn a_directory_of_a_pages_name_is_no_page() {
    let world = World::new();
    world.puts("docs/CLAUDE.md/readme.txt", "x\n");
    world.git("add -A");
    world.git("commit -qm odd");
    let world = world.installed();
    goes_around(&world);
    assert_eq!(world.text("docs/CLAUDE.md/readme.txt"), "x\n");
}

#[cfg(unix)]
#[test]
fn a_page_that_is_a_link_is_its_target() {
    let world = World::new();
    world.sh("git mv CLAUDE.md AGENTS.md && ln -s AGENTS.md CLAUDE.md");
    world.git("add -A");
    world.git("commit -qm linked");
    let world = world.installed();
    world.to("observe");
    assert!(world.path("CLAUDE.md").is_symlink(), "the link stays a link");
    assert!(!world.text("AGENTS.md").contains("---Ob---"), "anchors come with the first edit");
    let end = "# Root\n\n---Ob---\n\nseen\n";
    world.reads(CODE).passes();
    world.edits("AGENTS.md", "# Root\n", end).passes();
    for (name, word) in [("CLAUDE.md", "seen by one name"), ("AGENTS.md", "seen by the other")] {
        world.reads(CODE).passes();
        world.edits(name, "---Ob---\n", &format!("---Ob---\n\n{word}\n")).passes();
        world.edits(name, "# Root", "# Another").refuses("body");
        world.writes(name, "no anchors\n").refuses("BLOCKED");
    }
    world.works_on_name();
    world.leaves();
    let files = world.files_of_head();
    assert_eq!(files, ["AGENTS.md"], "the commit holds the target: {files:?}");
    assert!(world.git("ls-tree HEAD CLAUDE.md").starts_with("120000"));
    world.notes_in("AGENTS.md", "---Pl---", "contract\nscope: .");
    world.seed("plan set-plan-file false").succeeds();
    world.leaves();
    world.opens();
    world.writes("AGENTS.md", "no anchors, all gone\n").refuses("BLOCKED");
}

// ---- repositories

#[test]
fn an_ignored_claude_folder_works() {
    let world = World::new();
    world.puts(".gitignore", ".claude/\n");
    world.git("add -A");
    world.git("commit -qm ignore");
    let world = world.installed();
    goes_around(&world);
    assert!(world.git("ls-tree -r --name-only HEAD .claude").is_empty());
    world.person("doctor").succeeds();
}

#[test]
fn the_doctor_says_that_ignored_memory_does_not_travel() {
    let world = World::new();
    world.puts(".gitignore", ".claude/\n");
    let world = world.installed();
    let told = world.person("doctor").said();
    assert!(told.out.contains("is not shared"), "{told:?}");
}

/// A line that makes an origin with a past.
const ORIGIN: &str = "git init -q -b main ../origin && cd ../origin && git config \
    uploadpack.allowFilter true && for n in 1 2 3; do echo past $n > past.txt; git add -A; git \
    commit -qm past-$n; done && cd ../repo";

#[test]
fn a_shallow_clone_carries_a_cycle() {
    let line = format!("{ORIGIN} && git clone -q --depth 1 file://$PWD/../origin .");
    let world = World::with(&line).installed();
    assert_eq!(world.git("rev-parse --is-shallow-repository"), "true");
    goes_around(&world);
    assert_eq!(world.git("rev-list --count HEAD"), "7");
}

#[test]
fn a_partial_clone_carries_a_cycle_without_its_origin() {
    let line = format!("{ORIGIN} && git clone -q --filter=blob:none file://$PWD/../origin .");
    let world = World::with(&line).installed();
    let missing = || world.git("rev-list --objects --all --missing=print | grep -c '^?'");
    assert_eq!(missing(), "2", "two old blobs stayed behind");
    world.sh("rm -rf ../origin");
    goes_around(&world);
    assert_eq!(missing(), "2", "and nobody asked for them");
}

#[test]
fn verify_reads_what_a_partial_clone_left_with_its_remote() {
    let world = World::seeded();
    world.to("verify");
    world.sh("git clone -q --bare . ../bare && git -C ../bare fetch -q $PWD \
              'refs/seed/*:refs/seed/*' 'refs/notes/*:refs/notes/*' && \
              git -C ../bare config uploadpack.allowFilter true && \
              git -C ../bare config uploadpack.allowAnySHA1InWant true");
    for filter in ["tree:0", "blob:none", "blob:limit=1"] {
        world.sh(&format!(
            "rm -rf ../part && git clone -q --filter={filter} file://$PWD/../bare ../part && \
             git -C ../part fetch -q origin 'refs/seed/*:refs/seed/*' 'refs/notes/*:refs/notes/*'"
        ));
        let missing = "cd ../part && git rev-list --all --objects --missing=print | grep -c '^?'";
        assert_ne!(world.sh(missing).trim(), "0");
        let said = world.tries("cd ../part && git seed verify");
        assert_eq!(said.code, 0, "{filter}: {said:?}");
        assert!(said.out.contains("0 broken"), "{filter}: {said:?}");
    }
    world.sh("rm -rf ../part && git clone -q --filter=tree:0 file://$PWD/../bare ../part && \
              cd ../part && git fetch -q origin 'refs/seed/*:refs/seed/*' \
              'refs/notes/*:refs/notes/*' && rm -rf ../bare");
    let said = world.tries("cd ../part && git seed verify");
    assert_eq!(said.code, 1, "its remote is gone: {said:?}");
    assert!(said.err.contains("is missing in this partial clone"), "{said:?}");
}

#[test]
fn a_page_that_leads_to_a_file_of_another_name_keeps_its_words() {
    for target in ["src/parser/NOTES.md", "docs/AI.md", "docs/agents/parser.txt"] {
        let world = World::new();
        world.puts(target, "# parser\n");
        world.sh(&format!("ln -s ../../{target} {PAGE} && git add -A && git commit -qm pages"));
        let world = world.installed();
        world.to("observe");
        world.seed(&format!("job update --name lexer --objective '{}'", objective())).succeeds();
        world.reads(PAGE).passes();
        let noted = page("# parser\n").replace("---Ob---\n", "---Ob---\n\nescapes are dropped\n");
        world.writes(PAGE, &noted).passes();
        world.leaves();
        assert_eq!(world.phase(), "plan", "{target}");
        assert!(world.files_of_head().contains(&target.to_owned()), "{target}");
        assert!(world.text(target).contains("escapes are dropped"), "{target}");
        assert!(world.path(PAGE).is_symlink(), "{target}");
    }
}

#[test]
fn a_link_that_the_cycle_did_not_find_makes_no_page_of_a_file() {
    let world = World::new();
    world.puts("docs/AI.md", &page("# parser\n"));
    world.git("add -A");
    world.git("commit -qm pages");
    let world = world.installed();
    world.to("observe");
    world.seed(&format!("job update --name lexer --objective '{}'", objective())).succeeds();
    world.sh(&format!("ln -s ../../docs/AI.md {PAGE} && git add {PAGE}"));
    world.reads(PAGE).passes();
    let noted = page("# parser\n").replace("---Ob---\n", "---Ob---\n\nescapes are dropped\n");
    world.writes(PAGE, &noted).passes();
    world.minute();
    let step = world.seed("phase advance -F -");
    step.stdin(&message("observe")).refuses("docs/AI.md");
}

#[test]
fn a_nested_repository_without_commits_stops_nothing() {
    let world = World::new();
    world.sh("git init -q scratch && echo x > scratch/x");
    let world = world.installed();
    goes_around(&world);
    assert!(world.path("scratch/.git").is_dir());
    assert_eq!(world.text("scratch/x"), "x\n");
}

#[test]
fn a_submodule_stays_at_its_commit() {
    let world = World::new();
    world.sh(&format!(
        "{ORIGIN} && git -c protocol.file.allow=always submodule --quiet add ../origin lib"
    ));
    world.git("commit -qm submodule");
    let world = world.installed();
    world.puts("lib/past.txt", "the person works there\n");
    let before = world.git("ls-tree HEAD lib");
    goes_around(&world);
    assert_eq!(world.git("ls-tree HEAD lib"), before);
    assert_eq!(world.text("lib/past.txt"), "the person works there\n");
}

#[test]
fn two_worktrees_hold_two_jobs() {
    let world = World::seeded();
    world.git("worktree add -q -b side ../linked");
    world.to("execute");
    let side = Elsewhere { world: &world, dir: "../linked" };
    side.starts();
    side.observes();
    let said = side.seed("phase advance -F -", &message("observe"));
    assert_eq!(said.code, 0, "{said:?}");
    let focused = side.seed("job focused", "").out;
    assert_ne!(focused.trim(), world.job(), "each has its own");
    assert_eq!(world.phase(), "execute", "and neither moves the other");
    assert_eq!(world.git("log -1 --format=%s side").split(':').next(), Some("observe"));
    world.works("execute");
    world.leaves();
    assert_eq!(world.json("job list").as_array().map(Vec::len), Some(2));
}

#[test]
fn a_repository_with_blanks_and_accents_in_its_path_is_like_any_other() {
    let world = World::new();
    let dir = "../mein 'Projekt' – ünï";
    world.sh(&format!("git clone -q . {}", quoted(dir)));
    let there = Elsewhere { world: &world, dir };
    let said = world.tries(&format!("cd {} && git seed init", quoted(dir)));
    assert_eq!(said.code, 0, "{said:?}");
    let doctor = world.tries(&format!("cd {} && git seed doctor", quoted(dir)));
    assert_eq!(doctor.code, 0, "the hook line is found and answers: {doctor:?}");
    there.starts();
    there.observes();
    there.writes(CODE, "x").refuses("BLOCKED");
    let said = there.seed("phase advance -F -", &message("observe"));
    assert!(said.code == 0 && said.out.starts_with("observe -> plan"), "{said:?}");
}

/// A world in which `side` and main disagree about a file.
fn at_odds() -> World {
    let world = World::new();
    world.git("checkout -q -b side");
    world.puts("todo.txt", "theirs\n");
    world.git("commit -qam theirs");
    world.git("checkout -q main");
    world.puts("todo.txt", "ours\n");
    world.git("commit -qam ours");
    world.installed()
}

#[test]
fn what_git_is_in_the_middle_of_is_waited_for() {
    for (verb, named, begin) in [
        ("cherry-pick", "cherry-pick", "cherry-pick side"),
        ("revert", "revert", "revert --no-edit side"),
    ] {
        let world = at_odds();
        world.to("execute");
        world.works("execute");
        world.tries(&format!("git {begin}"));
        world.changes_nothing(|| {
            world.seed("phase advance -F -").stdin(&message("execute")).refuses(named)
        });
        world.reads(CODE).passes();
        world.git(&format!("{verb} --abort"));
        world.leaves();
        assert_eq!(world.phase(), "verify", "{verb}");
    }
}

#[test]
fn a_rebase_is_waited_for() {
    let world = at_odds();
    world.to("execute");
    world.tries("git rebase side");
    world.is_heard();
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("rebase")
    });
    world.edits(CODE, "fn lex", "fn flex").refuses("BLOCKED");
    world.reads(CODE).passes();
    world.git("rebase --abort");
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

// ---- state from elsewhere

/// Writes another `format` into the focused job.
fn newer_job(world: &World) {
    let chain = format!("refs/seed/jobs/{}", world.job());
    world.sh(&format!("git show {chain}:job.toml | sed 's/^format = 2$/format = 99/' > ../newer"));
    let blob = world.git("hash-object -w ../newer");
    let tree = world.sh(&format!(
        "git ls-tree {chain} | sed 's/blob [0-9a-f]*\\tjob.toml/blob {blob}\\tjob.toml/' | git \
         mktree"
    ));
    let commit = world.git(&format!("commit-tree {} -p {chain} -m newer", tree.trim()));
    world.git(&format!("update-ref {chain} {commit}"));
}

#[test]
fn a_job_that_a_newer_binary_wrote_is_left_to_it() {
    let world = World::seeded();
    world.to("execute");
    newer_job(&world);
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).fails("newer");
    });
    let input = json!({ "file_path": world.path(CODE), "content": "x" });
    let reply = world.before("Write", &input, &world.next_call());
    let told = reply.to_person().map(str::to_owned).or(reply.refusal().map(str::to_owned));
    assert!(
        told.is_some_and(|told| told.contains("newer")),
        "it is said, not passed over: {reply:?}"
    );
}

/// The end of a session voids small talk; not what it cannot read.
#[test]
fn a_session_that_ends_leaves_a_newer_job_alone() {
    let world = World::prompted();
    newer_job(&world);
    let refs = || world.git("for-each-ref refs/seed refs/notes");
    let before = refs();
    for reason in ["other", "clear", "logout"] {
        world.event("SessionEnd", &json!({ "reason": reason }));
        assert_eq!(refs(), before, "{reason}");
    }
}

#[test]
fn the_doctor_does_not_mend_what_a_newer_binary_wrote() {
    let world = World::seeded();
    world.to("execute");
    newer_job(&world);
    world.changes_nothing(|| world.seed("doctor --fix").said());
}

#[test]
fn a_payload_of_almost_the_whole_allowance_is_judged() {
    let world = World::seeded();
    world.to("observe");
    let huge = "x\n".repeat(5 * 1024 * 1024);
    let write = |path: &str| {
        let input = json!({ "file_path": world.path(path), "content": huge });
        world.before("Write", &input, &world.next_call())
    };
    write(CODE).refuses("BLOCKED");
    write(PAGE).refuses("BLOCKED");
    world.works("observe");
    world.leaves();
}

// ---- the person's things

#[test]
fn flags_of_the_persons_index_are_hers() {
    let world = World::new();
    world.puts("skipped.txt", "s\n");
    world.git("add -A");
    world.git("commit -qm more");
    world.puts("meant.txt", "not yet\n");
    world.git("add -N meant.txt");
    world.git("update-index --assume-unchanged todo.txt");
    world.git("update-index --skip-worktree skipped.txt");
    world.puts("todo.txt", "hers\n");
    world.puts("skipped.txt", "hers too\n");
    let world = world.installed();
    let files = ["meant.txt", "todo.txt", "skipped.txt"];
    let seen = || {
        (
            world.git("ls-files -v --stage --debug -- meant.txt todo.txt skipped.txt"),
            files.map(|file| world.text(file)),
        )
    };
    let before = seen();
    goes_around(&world);
    assert_eq!(before, seen());
    assert_eq!(
        world.git("log --format= --name-only HEAD~5.. -- meant.txt todo.txt skipped.txt"),
        ""
    );
}

#[test]
fn a_gc_in_the_middle_takes_nothing_that_is_needed() {
    let world = World::new();
    world.puts("mine.txt", "not in git\n");
    let world = world.installed();
    world.to("execute");
    world.works("execute");
    world.puts("mine-too.txt", "nor this\n");
    world.git("reflog expire --expire=now --all");
    world.git("gc -q --prune=now");
    let did = world.runs_and("cargo test", || code_writes(&world, "todo.txt", "stray\n"));
    did.after.tells("todo.txt");
    world.git("gc -q --prune=now");
    world.seed("fence restore").tells("todo.txt");
    assert_eq!(world.text("todo.txt"), "a\nb\nc\n");
    world.tests();
    world.leaves();
    world.works("verify");
    world.git("gc -q --prune=now");
    world.leaves();
    assert_eq!(world.text("mine.txt"), "not in git\n");
    assert_eq!(world.git("status --porcelain"), "?? mine-too.txt\n?? mine.txt");
}

#[test]
fn without_a_home_everything_works() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let payload = |path: &str| {
        json!({
            "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
            "hook_event_name": "PreToolUse", "tool_use_id": world.next_call(), "tool_name": "Write",
            "tool_input": { "file_path": world.path(path), "content": "x" },
        })
        .to_string()
    };
    let hook = |path: &str| {
        let said =
            world.agents_shell("unset HOME; git-seed hook claude PreToolUse", &payload(path));
        assert_eq!(said.code, 0, "{said:?}");
        Reply::read(&said.out)
    };
    hook("todo.txt").refuses("BLOCKED");
    hook(CODE).passes();
    let said = world.agents_shell("unset HOME; git seed phase advance -F -", &message("execute"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(world.phase(), "verify");
}

#[test]
fn line_ends_that_git_translates_leave_the_tree_clean() {
    let world = World::new();
    world.git("config core.autocrlf true");
    world.puts("windows.txt", "a\r\nb\r\n");
    world.git("add -A");
    world.git("commit -qm crlf");
    let world = world.installed();
    goes_around(&world);
    assert!(world.git("status --porcelain").is_empty());
    assert_eq!(world.text("windows.txt"), "a\r\nb\r\n");
}

/// A program that signs as gpg does, or does not.
fn signs(world: &World, script: &str) {
    world.puts("../gpg", &format!("#!/bin/sh\n{script}\n"));
    world.sh("chmod +x ../gpg && git config gpg.program \"$PWD/../gpg\" && git config \
        commit.gpgsign true");
}

#[cfg(unix)]
#[test]
fn phase_commits_are_signed_where_commits_are() {
    let world = World::seeded();
    signs(
        &world,
        "cat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D 1 8 00 1 F\\n' >&2\n\
         printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nZmFrZQ==\\n-----END PGP \
         SIGNATURE-----\\n'",
    );
    goes_around(&world);
    for commit in world.git("log --format=%H HEAD~5..").lines() {
        assert!(world.git(&format!("cat-file commit {commit}")).contains("gpgsig"), "{commit}");
    }
}

#[cfg(unix)]
#[test]
fn a_signature_that_fails_changes_nothing() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    // By rule nothing goes unsigned; without it the commit is made, and `land` signs.
    world.puts("seed.toml", "[commit]\nsign = \"always\"\n");
    world.person("rules apply").succeeds();
    world.sh("rm seed.toml");
    signs(&world, "cat > /dev/null; echo 'no secret key' >&2; exit 2");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("could not sign")
    });
    world.puts("seed.toml", "");
    world.person("rules apply").succeeds();
    world.sh("rm seed.toml");
    world.leaves();
}

#[test]
fn without_an_identity_a_boundary_says_so_and_changes_nothing() {
    // The session's git runs in the environment that its first hook saw.
    let world = World::new();
    world.has_no_identity();
    world.git("config user.name Ada");
    world.git("config user.email ada@example.org");
    let world = world.installed();
    world.to("execute");
    world.works("execute");
    world.git("config user.useConfigOnly true");
    world.git("config --unset user.email");
    let line = "git seed phase advance -F -";
    let said = world.changes_nothing(|| world.agents_shell(line, &message("execute")));
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("user.email") && !said.err.contains("panicked"), "{said:?}");
    assert_eq!(world.phase(), "execute");
    // No hook is blamed for it.
    let status = world.seed("status").succeeds();
    assert!(status.contains("git itself refused the commit, and no hook did"), "{status}");
    world.git("config user.email ada@example.org");
    world.leaves();
}

#[test]
fn a_template_for_commits_is_not_in_phase_commits() {
    let world = World::seeded();
    world.puts("../template", "TICKET: \n\n# please fill in\n");
    world.git("config commit.template ../template");
    world.git("config commit.verbose true");
    world.git("config commit.cleanup scissors");
    goes_around(&world);
    assert!(!world.git("log --format=%B HEAD~5..").contains("TICKET"));
    assert_eq!(world.trailer("Seed-Step"), "condense -> idle");
}

#[cfg(unix)]
#[test]
fn tracked_hooks_run_and_stay_byte_for_byte() {
    let world = World::new();
    let script = "#!/bin/sh\necho ran >> \"$(git rev-parse --git-common-dir)/husky-ran\"\n";
    world.puts(".husky/pre-commit", script);
    world
        .sh("chmod +x .husky/pre-commit && git config core.hooksPath .husky && git add -A && git \
        commit -qm husky");
    let world = world.installed();
    goes_around(&world);
    assert_eq!(
        world.text(".husky/pre-commit"),
        script,
        "a tracked hook is only touched with --shared"
    );
    assert!(world.git("status --porcelain").is_empty());
    assert_eq!(
        world.text(".git/husky-ran").lines().count(),
        6,
        "five phase commits and the one before"
    );
}

// ---- disks and owners

/// The payload of a write that no phase but execute opens.
fn forbidden(world: &World) -> String {
    json!({
        "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
        "hook_event_name": "PreToolUse", "tool_use_id": world.next_call(), "tool_name": "Write",
        "tool_input": { "file_path": world.path(CODE), "content": "x" },
    })
    .to_string()
}

#[cfg(unix)]
#[test]
fn a_full_disk_opens_nothing() {
    let world = World::seeded();
    world.to("observe");
    world.works("observe");
    let full = "trap '' XFSZ; ulimit -f 0;";
    let said =
        world.agents_shell(&format!("{full} git-seed hook claude PreToolUse"), &forbidden(&world));
    Reply::read(&said.out).refuses("BLOCKED");
    let said = world.changes_nothing(|| {
        world.agents_shell(&format!("{full} git seed phase advance -F -"), &message("observe"))
    });
    assert!(said.code == 1 && !said.err.contains("panicked"), "{said:?}");
    world.leaves();
    assert_eq!(world.phase(), "plan", "with room again it goes on");
}

#[cfg(unix)]
#[test]
fn a_read_only_repository_opens_nothing() {
    let world = World::seeded();
    world.to("observe");
    world.works("observe");
    world.sh("chmod -R a-w .git");
    let writable = world.tries("touch .git/x").code == 0;
    if !writable {
        let said = world.agents_shell("git-seed hook claude PreToolUse", &forbidden(&world));
        Reply::read(&said.out).refuses("BLOCKED");
        let said = world.seed("phase advance -F -").stdin(&message("observe")).said();
        assert!(said.code == 1 && !said.err.contains("panicked"), "{said:?}");
    }
    world.sh("chmod -R u+w .git; rm -f .git/x");
    world.leaves();
}

#[cfg(unix)]
#[test]
fn a_repository_of_somebody_else_is_not_read() {
    let world = World::seeded();
    world.to("observe");
    if world.tries("chown -R 1 .").code != 0 || world.tries("test \"$(id -u)\" = 0").code != 0 {
        return;
    }
    let git = world.tries("git status");
    let said = world.seed("status").said();
    let hook = world.agents_shell("git-seed hook claude PreToolUse", &forbidden(&world));
    world.sh("chown -R 0 .");
    if git.code == 0 {
        return;
    }
    assert!(said.code == 1 && said.err.contains("belongs to another user"), "{said:?}");
    assert!(
        hook.code == 0 && Reply::read(&hook.out).refusal().is_none(),
        "nothing of it is read: {hook:?}"
    );
}

// ---- another work tree than the world's own

/// A repository, or a work tree, beside the world's own one.
struct Elsewhere<'a> {
    world: &'a World,
    /// Relative to the world's repository.
    dir: &'static str,
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl Elsewhere<'_> {
    fn top(&self) -> PathBuf {
        self.world.path(self.dir).canonicalize().expect("it is there")
    }

    fn seed(&self, arguments: &str, stdin: &str) -> Said {
        self.world.minute();
        self.world.agents_shell(&format!("cd {} && git seed {arguments}", quoted(self.dir)), stdin)
    }

    fn event(&self, name: &str, mut fields: Value) -> Reply {
        fields["cwd"] = json!(self.top());
        fields["session_id"] = json!("7e1d0f0a-0000-4000-8000-00000000000e");
        self.world.event(name, &fields)
    }

    fn starts(&self) {
        self.event("SessionStart", json!({ "source": "startup" }));
    }

    fn writes(&self, path: &str, text: &str) -> Reply {
        let file = self.top().join(path);
        let input = json!({ "file_path": file, "content": text });
        let call = self.world.next_call();
        let before = self.event(
            "PreToolUse",
            json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": call }),
        );
        if before.refusal().is_none() {
            fs::create_dir_all(file.parent().expect("a directory")).expect("it can be made");
            fs::write(&file, text).expect("it can be written");
            let response = json!({ "type": "create", "filePath": file, "content": text });
            self.event(
                "PostToolUse",
                json!({
                    "tool_name": "Write", "tool_input": input, "tool_use_id": call,
                    "tool_response": response, "duration_ms": 2,
                }),
            );
        }
        before
    }

    fn reads(&self, path: &str) {
        let (call, input) = (self.world.next_call(), json!({ "file_path": self.top().join(path) }));
        let fields = json!({ "tool_name": "Read", "tool_input": input, "tool_use_id": call });
        self.event("PreToolUse", fields.clone()).passes();
        let mut after = fields;
        after["tool_response"] = json!({ "type": "text" });
        self.event("PostToolUse", after).passes();
    }

    /// A job is born and observe is ready to be left.
    fn observes(&self) {
        self.event("UserPromptSubmit", json!({ "prompt": "Mend something else" })).tells("new job");
        let name = format!("job update --name elsewhere --objective '{}'", objective());
        for (arguments, stdin) in
            [("phase advance", ""), ("phase multiplier 3", ""), (name.as_str(), "")]
        {
            let said = self.seed(arguments, stdin);
            assert_eq!(said.code, 0, "{said:?}");
        }
        let note = page("# parser\n").replace("---Ob---", "---Ob---\n\nthe lexer drops escapes");
        self.reads(CODE);
        self.writes(PAGE, &note).passes();
    }
}

impl World {
    /// The job's name and objective, where observe's notes are already written.
    fn works_on_name(&self) {
        self.seed(&format!("job update --name 'fix the lexer' --objective '{}'", objective()))
            .succeeds();
    }

    /// Writes below an anchor of another page than the usual one.
    fn notes_in(&self, path: &str, anchor: &str, text: &str) {
        self.opens();
        self.reads(path).passes();
        self.edits(path, &format!("{anchor}\n"), &format!("{anchor}\n\n{text}\n")).passes();
    }
}

/// A pipe that nobody writes to would hold a reader for ever; hooks and commands answer all
/// the same.
#[cfg(unix)]
#[test]
fn a_pipe_in_a_files_place_holds_nobody_up() {
    let world = World::seeded();
    world.to("execute");
    for path in [PAGE, CODE] {
        let kept = world.text(path);
        world.runs_and("./rebuild.sh", || {
            world.sh(&format!("rm {path} && mkfifo {path}"));
        });
        let input = json!({ "file_path": world.path(path), "content": "x\n" });
        world.before("Write", &input, &world.next_call());
        world.seed("status").succeeds();
        world.seed("note list").succeeds();
        world.seed("fence status").succeeds();
        assert_eq!(world.seed("phase advance -m x").said().code, 2);
        world.sh(&format!("rm {path}"));
        world.puts(path, &kept);
    }
}

/// Settings of hosts and of git name the place as text.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_whose_name_is_no_text_is_named() {
    let world = World::new();
    let line = "d=$(printf '../caf\\351') && git init -q \"$d\" && cd \"$d\" && git seed init";
    let said = world.tries(line);
    assert!(said.code == 2 && said.err.contains("is not UTF-8"), "{said:?}");
    assert!(said.err.contains("/caf") && said.err.contains("rename that directory"), "{said:?}");
    world.sh("d=$(printf '../caf\\351') && ! test -e \"$d/.claude\" && rm -rf \"$d\"");
}
