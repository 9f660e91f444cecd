//! `git seed verify --ci`: a range, checked where there is nothing but git and the binary.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Said, World, message};

/// A job that landed and was pushed with its signed records, and a machine's clone of it, `depth`
/// deep; none where nothing signs.
fn cloned(depth: usize) -> Option<World> {
    if std::process::Command::new("ssh-keygen").arg("-?").output().is_err() {
        super::skip::not_here("ssh-keygen");
        return None;
    }
    let world = World::seeded();
    world.sh("ssh-keygen -q -t ed25519 -N '' -C '' -f ../key && git config gpg.format ssh && \
         git config user.signingkey $PWD/../key && \
         printf 'a@b %s\\n' \"$(cat ../key.pub)\" > ../allowed");
    world.to("condense");
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    world.person("land").succeeds();
    world.sh("git init -q --bare ../remote && git -c core.hooksPath=/dev/null push -q ../remote \
         main-landed refs/seed/archive refs/seed/claims refs/notes/seed");
    clones(&world, depth);
    Some(world)
}

fn clones(world: &World, depth: usize) {
    world.sh(&format!(
        "rm -rf ../ci && git clone -q --depth {depth} -b main-landed \"file://$PWD/../remote\" \
         ../ci"
    ));
}

/// The steps of a workflow that run a script, as the file has them.
fn scripts(printed: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = printed.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start() == "run: |" || line.trim_start() == "- run: |" {
            let mut script = String::new();
            while let Some(line) = lines.next_if(|line| line.starts_with("          ")) {
                script.push_str(line.trim_start());
                script.push('\n');
            }
            found.push(script);
        }
    }
    found
}

/// A line in the machine's clone.
fn there(world: &World, line: &str) -> Said {
    world.tries(&format!("cd ../ci && {line}"))
}

fn verified(world: &World, arguments: &str) -> (i32, Value) {
    let said = there(world, &format!("git seed verify --ci {arguments} --keys ../allowed --json"));
    let json = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    (said.code, json)
}

fn fetches(world: &World) {
    let said = there(
        world,
        "git fetch -q --no-tags origin '+refs/seed/*:refs/seed-remote/origin/*' \
         '+refs/notes/seed*:refs/seed-remote/origin/notes*'",
    );
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn the_printed_workflow_checks_a_merge_request_in_a_shallow_clone() {
    let Some(world) = cloned(3) else { return };
    let printed = world.person("verify --ci --workflow github").succeeds();
    let [depth, fetch, verify] = &scripts(&printed)[..] else { panic!("{printed}") };
    for (n, script) in [depth, fetch, verify].into_iter().enumerate() {
        world.puts(&format!("../script-{n}"), script);
        let said = there(
            &world,
            &format!(
                "git config gpg.ssh.allowedSignersFile $PWD/../allowed; export COMMITS=2 \
                 GITHUB_OUTPUT=../output GITHUB_STEP_SUMMARY=../summary; sh ../script-{n}"
            ),
        );
        assert_eq!(said.code, 0, "{script}: {said:?}");
    }
    assert_eq!(world.text("../output"), "depth=3\n");
    let summary = world.text("../summary");
    assert!(summary.starts_with("**git seed**: "), "{summary}");
    assert!(summary.contains("2 followed") && summary.contains("0 broken"), "{summary}");
    assert!(summary.contains("job \"fix the lexer\""), "{summary}");
    assert!(summary.contains("approved by a person"), "{summary}");
    assert!(summary.lines().count() <= 20, "{summary}");
    // It wrote nothing.
    assert!(!world.path("../ci/.git/seed").exists());
    let refs = there(&world, "git for-each-ref --format='%(refname)'").out;
    assert!(!refs.contains("refs/seed/"), "{refs}");
    let other = world.person("verify --ci --workflow gitlab").succeeds();
    assert!(other.contains("CI_MERGE_REQUEST_DIFF_BASE_SHA") && other.contains("GIT_DEPTH"));
}

#[test]
fn what_landed_is_followed_and_a_changed_byte_is_not() {
    let Some(world) = cloned(3) else { return };
    fetches(&world);
    let (code, found) = verified(&world, "HEAD~2..HEAD");
    assert_eq!((code, &found["broken"], &found["plain"]), (0, &json!([]), &json!(0)), "{found}");
    assert_eq!(found["followed"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(found["jobs"][0]["name"], "fix the lexer");
    let (code, _) = verified(&world, "HEAD~2..HEAD --require all");
    assert_eq!(code, 0);
    // One byte.
    let amend = "-c user.name=a -c user.email=a@b commit -qa --amend --no-edit";
    there(&world, &format!("printf x >> {CODE} && git {amend}"));
    let (code, found) = verified(&world, "HEAD~2..HEAD");
    assert_eq!((code, &found["broken"]), (3, &json!([])), "{found}");
    let why = found["not_measured"][0]["reason"].as_str().expect("why");
    assert!(why.contains("its content is that of no step"), "{found}");
    for what in ["proof", "all"] {
        let (code, _) = verified(&world, &format!("HEAD~2..HEAD --require {what}"));
        assert_eq!(code, 2, "{what}");
    }
    // A commit of nobody's job is no finding, but no evidence either.
    there(&world, "git reset -q --hard origin/main-landed && echo x > new && git add new");
    there(&world, "git -c user.name=a -c user.email=a@b commit -qm new");
    let (code, found) = verified(&world, "HEAD~3..HEAD");
    assert_eq!((code, &found["plain"]), (0, &json!(1)), "{found}");
    assert_eq!(verified(&world, "HEAD~3..HEAD --require proof").0, 0);
    assert_eq!(verified(&world, "HEAD~3..HEAD --require all").0, 2);
}

/// The clone has no commit of a phase, and the job never landed: its chain says what it made.
#[test]
fn a_squash_of_a_job_that_never_landed_is_followed_from_its_chain() {
    let Some(world) = cloned(3) else { return };
    // The chain as it was before the landing.
    let id = world.git("log -1 --format='%(trailers:key=Seed-Job,valueonly)' main");
    world.person(&format!("log {}", id.trim())).tells("land");
    world.sh("git update-ref refs/seed/archive refs/seed/archive~1 && \
         git -c core.hooksPath=/dev/null push -qf ../remote refs/seed/archive && \
         git checkout -q -b squashed main~5 && git merge -q --squash main > ../told && \
         git -c core.hooksPath=/dev/null commit -qm plain && \
         git -c core.hooksPath=/dev/null push -q ../remote squashed");
    world.sh("rm -rf ../ci && git clone -q --depth 2 -b squashed \"file://$PWD/../remote\" ../ci");
    fetches(&world);
    let (code, found) = verified(&world, "HEAD~1..HEAD");
    assert_eq!((code, &found["plain"]), (0, &json!(0)), "{found}");
    assert_eq!(found["followed"][0]["by"], "tree", "{found}");
    // On other ground it is the change.
    there(&world, "git checkout -q -b other HEAD~1 && echo x > elsewhere && git add elsewhere");
    there(&world, "git config user.name a && git config user.email a@b");
    there(&world, "git commit -qm elsewhere && git cherry-pick origin/squashed");
    let (code, found) = verified(&world, "HEAD~1..HEAD");
    assert_eq!((code, &found["plain"]), (0, &json!(0)), "{found}");
    assert_eq!(found["followed"][0]["by"], "patch-id", "{found}");
}

#[test]
fn a_range_that_is_cut_off_is_never_verified() {
    let Some(world) = cloned(2) else { return };
    fetches(&world);
    for range in ["HEAD~2..HEAD", "HEAD..HEAD~2"] {
        let said = there(&world, &format!("git seed verify --ci {range}"));
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("git fetch --deepen="), "{said:?}");
    }
    assert_eq!(verified(&world, "HEAD~1..HEAD").0, 0);
    // History that ends where the clone was cut, and not at the base.
    let orphan = there(&world, "git commit-tree -m other HEAD^{tree}").out;
    let orphan = orphan.trim();
    if !orphan.is_empty() {
        let said = there(&world, &format!("git seed verify --ci {orphan}..HEAD"));
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("is cut off at"), "{said:?}");
    }
    for (range, told) in [
        ("", "--ci checks a range"),
        ("HEAD", "--ci checks a range"),
        ("HEAD~1...HEAD", "--ci checks a range"),
    ] {
        let said = there(&world, &format!("git seed verify --ci {range}"));
        assert_eq!(said.code, 64, "{said:?}");
        assert!(said.err.contains(told), "{said:?}");
    }
    let said = world.tries("git seed verify --ci nowhere..HEAD");
    assert_eq!(said.code, 64, "{said:?}");
}

#[test]
fn without_chains_edges_are_judged_and_the_rest_is_not_measured() {
    let Some(world) = cloned(3) else { return };
    let (code, found) = verified(&world, "HEAD~2..HEAD");
    assert_eq!((code, &found["broken"]), (3, &json!([])), "{found}");
    assert_eq!(found["jobs"][0]["name"], Value::Null);
    let text = |step: &str| {
        format!(
            "x\n\nSeed-Job: 20261121t205612-7f3a\nSeed-Run: 1\nSeed-Cycle: 1\nSeed-Phase: \
             observe\nSeed-Step: {step}\nSeed-Id: 0123456789ab\n"
        )
    };
    for (step, code) in [("observe -> plan", 3), ("observe -> condense", 2), ("plan -> execute", 2)]
    {
        world.puts("../text", &text(step));
        there(
            &world,
            "git reset -q --hard origin/main-landed && git -c user.name=a -c user.email=a@b commit \
             -q --allow-empty -F ../text",
        );
        let (found, json) = verified(&world, "HEAD~1..HEAD");
        assert_eq!(found, code, "{step}: {json}");
    }
}

#[test]
fn refs_that_a_fork_brings_are_not_believed() {
    let Some(world) = cloned(3) else { return };
    fetches(&world);
    // The fork has an archive of its own, which is none.
    there(&world, "git update-ref refs/seed/archive HEAD && git update-ref refs/seed/claims HEAD");
    assert_eq!(verified(&world, "HEAD~2..HEAD").0, 2, "a commit of its own is no record");
    let (code, found) = verified(&world, "HEAD~2..HEAD --remote origin");
    assert_eq!((code, &found["broken"]), (0, &json!([])), "{found}");
}
