//! What hooks and wrappers make of a phase commit, compared with the tree that was judged.

use super::world::{CODE, World, checkpoint, completion};

/// A world in execute, with work done and a pre-commit hook of the person's.
fn with_hook(body: &str) -> World {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    hook(&world, body);
    world
}

fn hook(world: &World, body: &str) {
    let file = world.git("rev-parse --git-path hooks/pre-commit");
    world.sh(&format!(
        "mkdir -p \"$(dirname {file})\"; printf '#!/bin/sh\\n%s\\n' '{body}' > {file}; \
         chmod +x {file}"
    ));
}

/// The line of a commit in between.
fn checkpoint_line() -> String {
    format!("git seed {}", checkpoint("escapes survive"))
}

/// Work on the small lane, tested, that a formatter among the repository's hooks will change.
fn formatted() -> World {
    let world = World::seeded();
    world.puts(
        ".git/hooks/pre-commit",
        "#!/bin/sh\nfor f in $(git diff --cached --name-only -- '*.rs'); do\n\
         sed -i 's/escapes( )/escapes()/' $f && git add $f\ndone\n",
    );
    world.sh("chmod +x .git/hooks/pre-commit");
    world.person("init").succeeds();
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes( );").passes();
    world.tests();
    world
}

/// Where the approval comes before the commit, what keeps its steps is said, and it counts once
/// that is done.
#[test]
fn an_approval_that_a_formatter_holds_up_says_what_is_missing() {
    let world = formatted();
    let told = world.asks(&completion()).passes().answers("Approve completion");
    told.tells("the answer does not count yet");
    told.tells("no run has succeeded since the last change");
    assert_eq!(world.phase(), "verify");
    world.tests();
    world.seed("phase advance -m 'the lexer keeps escapes'").succeeds();
    world.asks(&completion()).passes().answers("Approve completion");
    assert_eq!(world.phase(), "none");
}

/// What a formatter among the repository's hooks made of the work no run has seen: the lane waits
/// in verify for one, and what is said of it then passes.
#[test]
fn work_that_a_hook_formats_is_tested_once_more() {
    let world = formatted();
    let said = world.seed("phase advance -m 'the lexer keeps escapes'").succeeds();
    assert!(said.contains("as a hook of the repository changed it"), "{said}");
    assert_eq!(world.phase(), "verify", "{said}");
    world.tests();
    world.seed("phase advance -m 'the lexer keeps escapes; the tests pass'").succeeds();
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_path_that_a_hook_adds_outside_the_scope_takes_the_commit_back() {
    let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
    let head = world.git("rev-parse HEAD");
    let said = world.checkpoint("escapes survive").refuses("foreign.txt");
    assert!(said.contains("pre-commit") && said.contains("[ALLOW foreign.txt]"), "{said}");
    assert_eq!(world.git("rev-parse HEAD"), head, "taken back");
    assert_eq!(world.git("diff --cached --name-only"), "", "the index is as it was");
    assert!(world.path("foreign.txt").exists(), "files stay");
    world.seed("why").tells("foreign.txt");
    assert_eq!(world.phase(), "execute");
    // Again, and then by the person's word.
    world.checkpoint("escapes survive").refuses("foreign.txt");
    world.prompt("[ALLOW foreign.txt]");
    world.checkpoint("escapes survive").succeeds();
    assert!(world.files_of_head().contains(&"foreign.txt".to_owned()));
}

#[test]
fn what_the_person_accepted_passes_in_a_hooks_commit() {
    let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
    world.checkpoint("escapes survive").refuses("foreign.txt");
    world.person("fence accept foreign.txt").succeeds();
    world.checkpoint("escapes survive").succeeds();
    assert!(world.files_of_head().contains(&"foreign.txt".to_owned()));
}

#[test]
fn the_persons_own_dirty_file_is_no_part_of_a_hooks_commit() {
    let world = World::new();
    world.puts("todo.txt", "a\nb\nmine\n");
    let world = world.installed();
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    hook(&world, "git add -A");
    world.checkpoint("escapes survive").refuses("todo.txt");
    world.git("diff --quiet HEAD -- CLAUDE.md");
    assert_eq!(world.text("todo.txt"), "a\nb\nmine\n");
}

#[test]
fn a_hook_that_deletes_or_changes_outside_the_scope_is_refused_too() {
    for body in ["git rm -q --cached todo.txt", "echo y >> todo.txt; git add todo.txt"] {
        let world = with_hook(body);
        let head = world.git("rev-parse HEAD");
        world.checkpoint("escapes survive").refuses("todo.txt");
        assert_eq!(world.git("rev-parse HEAD"), head, "{body}");
    }
}

#[test]
fn where_head_went_on_nothing_is_taken_back_and_the_job_waits() {
    let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
    let post = world.git("rev-parse --git-path hooks/post-commit");
    world.sh(&format!(
        "printf '#!/bin/sh\\ntest -e ../once && exit 0; touch ../once\\n\
         git commit -q --no-verify --allow-empty -m more\\n' > {post}; chmod +x {post}"
    ));
    let before = world.git("rev-parse HEAD");
    world.checkpoint("escapes survive").refuses("git seed does not undo it");
    let head = world.git("rev-parse HEAD");
    assert_ne!(head, before);
    world.checkpoint("escapes survive").refuses("git seed does not undo it");
    assert_eq!(world.git("rev-parse HEAD"), head);
    world.prompt("[ALLOW foreign.txt]");
    world.checkpoint("escapes survive").succeeds();
    assert_eq!(world.git("rev-parse HEAD"), head, "the commit that stands is the step's");
}

#[test]
fn what_a_remote_has_is_not_taken_back() {
    let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
    let post = world.git("rev-parse --git-path hooks/post-commit");
    world.sh(&format!(
        "printf '#!/bin/sh\\ngit update-ref refs/remotes/origin/main HEAD\\n' > {post}; \
         chmod +x {post}"
    ));
    let before = world.git("rev-parse HEAD");
    world.checkpoint("escapes survive").refuses("git seed does not undo it");
    assert_ne!(world.git("rev-parse HEAD"), before);
}

/// The person's word is a step of its own, so the step that takes the commit has another id than
/// the commit carries: the chain says which.
#[test]
fn a_commit_that_waited_is_vouched_for_once_its_step_took_it() {
    let back = "phase back plan -m 'the contract was wrong'".to_owned();
    for step in [checkpoint("escapes survive"), back] {
        let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
        let post = world.git("rev-parse --git-path hooks/post-commit");
        world.sh(&format!(
            "printf '#!/bin/sh\\ngit update-ref refs/remotes/origin/main HEAD\\n' > {post}; \
             chmod +x {post}"
        ));
        world.checkpoint("escapes survive").refuses("git seed does not undo it");
        let made = world.git("rev-parse HEAD");
        world.prompt("[ALLOW foreign.txt]");
        world.prompt("go on");
        world.seed(&step).succeeds();
        assert_eq!(world.git("rev-parse HEAD"), made, "{step}");
        let broken = || {
            let said = world.person("verify --json").said();
            serde_json::from_str::<serde_json::Value>(&said.out).expect("JSON")["broken"].clone()
        };
        assert_eq!(broken(), serde_json::json!([]), "{step}");
        // An amend keeps the id that the commit carries.
        world.git("update-ref -d refs/remotes/origin/main");
        world.git("commit -q --amend --no-verify --no-edit --date=2026-01-01T00:00:00Z");
        assert_ne!(world.git("rev-parse HEAD"), made);
        world.seed("status").succeeds();
        assert_eq!(broken(), serde_json::json!([]), "{step}, amended");
    }
}

#[test]
fn what_a_hook_formats_in_scope_is_the_base_of_what_follows() {
    let format = format!("sed -i s/escapes/unescape/ {CODE}; git add {CODE}");
    for path in ["advance", "checkpoint"] {
        let world = with_hook(&format);
        world.tests();
        world.notes("---Ex---", "looked ahead one character");
        if path == "checkpoint" {
            world.checkpoint("escapes survive").tells("as a hook");
        } else {
            world.leaves();
        }
        assert!(world.git(&format!("show HEAD:{CODE}")).contains("unescape"));
        world.seed("fence status").tells("Clean.");
        assert_eq!(world.json("fence status")["unclaimed"], serde_json::json!([]));
        world.seed("fence restore").tells("Nothing");
        assert!(world.text(CODE).contains("unescape"), "nobody un-formats it");
        assert_eq!(world.git("status --porcelain"), "");
    }
}

#[test]
fn the_environment_of_the_agents_shell_reaches_no_git_of_a_boundary() {
    let evil = "mkdir -p ../x/hooks ../x/git ../x/bin; \
        printf '#!/bin/sh\\necho x > foreign.txt; git add -f foreign.txt\\n' \
        > ../x/hooks/pre-commit; \
        printf '[core]\\n\\thooksPath = %s/../x/hooks\\n' \"$PWD\" > ../x/.gitconfig; \
        cp ../x/.gitconfig ../x/git/config; \
        printf '#!/bin/sh\\ntouch ../wrapped\\nexec %s \"$@\"\\n' \"$(command -v git)\" \
        > ../x/bin/git; \
        chmod +x ../x/hooks/pre-commit ../x/bin/git";
    let seed = format!("git-seed {}", checkpoint("escapes survive"));
    for set in [
        "unset GIT_CONFIG_GLOBAL; HOME=$PWD/../x",
        "unset GIT_CONFIG_GLOBAL; XDG_CONFIG_HOME=$PWD/../x",
        "GIT_CONFIG_GLOBAL=$PWD/../x/.gitconfig",
        "GIT_CONFIG_SYSTEM=$PWD/../x/.gitconfig GIT_CONFIG_NOSYSTEM=0",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=$PWD/../x/hooks",
        "PATH=$PWD/../x/bin:$PATH",
        "GIT_EXEC_PATH=$PWD/../x/bin",
        "GIT_INDEX_FILE=$PWD/../x/index",
        "GIT_TEMPLATE_DIR=$PWD/../x GIT_AUTHOR_NAME=Mallory",
    ] {
        let world = with_hook("exit 0");
        world.git("config --unset-all core.hooksPath || true");
        world.sh(evil);
        let said = world.agents_shell(&format!("{} {seed}", set.replace("; ", "; env ")), "");
        assert_eq!(said.code, 0, "{set}: {said:?}");
        assert!(!world.path("foreign.txt").exists(), "{set}");
        assert!(!world.path("../wrapped").exists(), "{set}");
        assert_eq!(world.git("log -1 --format=%an"), "Ada", "{set}");
        assert_eq!(world.git("status --porcelain"), "", "{set}: the index is the person's");
    }
    let world = with_hook("exit 0");
    world.agents_shell(&checkpoint_line(), "");
    assert_eq!(world.git("log -1 --format=%an"), "Ada");
}

/// Where the directory leads to no repository, what the environment names is the agent's no more.
#[test]
fn from_a_place_without_a_repository_an_agent_brings_no_git_of_its_own() {
    let wrapped = "mkdir -p ../x/bin; \
        printf '#!/bin/sh\\ntouch %s/../wrapped\\nexec %s \"$@\"\\n' \
        \"$PWD\" \"$(command -v git)\" > ../x/bin/git; chmod +x ../x/bin/git";
    let seed = format!("git-seed {}", checkpoint("escapes survive"));
    for (go, vars) in [
        ("mkdir ../out; cd ../out", "GIT_DIR=$TOP/.git GIT_WORK_TREE=$TOP"),
        ("mkdir ../out; git init -q ../out; cd ../out", "GIT_DIR=$TOP/.git GIT_WORK_TREE=$TOP"),
        ("mkdir -p lib/y/.git/HEAD; cd lib/y", "A=1"),
    ] {
        let world = with_hook("exit 0");
        world.git("config --unset-all core.hooksPath || true");
        world.sh(wrapped);
        let line = format!("TOP=$PWD; {go}; env {vars} PATH=$TOP/../x/bin:$PATH {seed}");
        let said = world.agents_shell(&line, "");
        assert_ne!(said.code, 0, "{go}: {said:?}");
        assert!(!world.path("../wrapped").exists(), "{go}: {said:?}");
    }
}

/// `init` and `doctor` try a phase message on the person's commit-msg hook, and on no other hook,
/// and say what the hooks cost at each boundary.
#[test]
fn doctor_tries_a_phase_message_and_tells_what_the_hooks_cost() {
    let world = World::new();
    world.puts(
        ".git/hooks/commit-msg",
        "#!/bin/sh\n[ -z \"$GIT_SEED_TRIAL\" ] || echo tried >>../tried\n\
         grep -q '^chore' \"$1\" || { echo 'type must be chore'; exit 1; }\n",
    );
    world.puts(".git/hooks/pre-commit", "#!/bin/sh\necho ran >>../ran\nsleep 0.06\n");
    world.sh("chmod +x .git/hooks/commit-msg .git/hooks/pre-commit");
    let tried = || world.sh("cat ../tried 2>/dev/null | wc -l").trim().to_owned();
    let both = "pre-commit, commit-msg of yours run at each commit of a step";
    let refuses = "refuses `observe: settle how quoted strings lex` (type must be chore)";
    let told = world.person("init").succeeds();
    assert!(told.contains(refuses) && told.contains(both), "{told}");
    world.starts();

    let rows = |world: &World| -> Vec<serde_json::Value> {
        let said = world.person("doctor --json").said();
        let rows: serde_json::Value = serde_json::from_str(&said.out).expect("a list");
        let rows = rows.as_array().expect("a list").iter();
        rows.filter(|row| row["check"] == "git hooks").cloned().collect()
    };
    let row = |world: &World, words: &str| {
        let rows = rows(world);
        let found =
            rows.iter().find(|row| row["detail"].as_str().is_some_and(|d| d.contains(words)));
        found.unwrap_or_else(|| panic!("lacks {words:?}: {rows:#?}")).clone()
    };
    let no = row(&world, refuses);
    assert_eq!((&no["ok"], &no["fix"]), (&false.into(), &"git seed rules apply".into()), "{no}");
    row(&world, &format!("{both}; git seed doctor says what they cost after the first one"));
    // An agent's doctor starts no code of the repository.
    let before = tried();
    let said = world.seed("doctor").said();
    assert!(said.out.contains("commit-msg hook was not tried on a phase message"), "{said:?}");
    assert_eq!(tried(), before);

    // It is tried as the rules write it.
    world.puts("seed.toml", "[commit]\nsubject = \"chore({phase}): {subject}\"\n");
    world.person("rules apply").succeeds();
    assert_eq!(row(&world, "accepts phase messages (")["ok"], true);
    assert!(!world.root().join("ran").exists(), "no trial runs a hook that may change files");
    world.to("plan");
    let cost = row(&world, both)["detail"].as_str().expect("words").to_owned();
    let figure = cost.split("the last one took pre-commit ").nth(1).expect("a figure");
    let ms: u64 = figure.split(' ').next().and_then(|ms| ms.parse().ok()).expect("a number");
    assert!(ms >= 60 && cost.contains(" ms, commit-msg "), "{cost}");
}

/// What only the person can open is what comes next, and the turn in which they are asked may end.
#[test]
fn a_boundary_that_a_hook_spoilt_is_asked_of_the_person_and_not_tried_again() {
    let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
    world.tests();
    world.checkpoint("escapes survive").refuses("foreign.txt");
    let next = world.json("status")["next"].to_string();
    assert!(next.contains("[ALLOW foreign.txt]"), "{next}");
    assert!(world.stops().refusal().is_none(), "it asks the person");
    let told = world.person("fence accept foreign.txt").succeeds();
    assert!(told.contains("The next step commits it") && told.contains("foreign.txt"), "{told}");
    let next = world.json("status")["next"].to_string();
    assert!(!next.contains("[ALLOW"), "{next}");
    world.stops().refuses("BLOCKED");
    world.checkpoint("escapes survive").succeeds();
    assert!(world.files_of_head().contains(&"foreign.txt".to_owned()));
    // Where the work went on, the step is tried again; and so it is behind a word of the person's.
    for more in [true, false] {
        let world = with_hook("echo x > foreign.txt; git add -f foreign.txt");
        world.checkpoint("escapes survive").refuses("foreign.txt");
        if more {
            world.edits(CODE, "escapes();", "escapes(); quotes();").passes();
        } else {
            world.prompt("I have mended the hook, go on");
        }
        let next = world.json("status")["next"].to_string();
        assert!(!next.contains("[ALLOW"), "{more}: {next}");
        world.stops().refuses("BLOCKED");
    }
    // What no hook added stays out of the commits, as it is told.
    let world = with_hook("exit 0");
    world.puts("foreign.txt", "mine\n");
    world.runs("cargo test").after.tells("foreign.txt");
    let told = world.person("fence accept foreign.txt").succeeds();
    assert!(told.contains("not committed in this cycle: foreign.txt"), "{told}");
}
