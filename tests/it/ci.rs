//! `git seed verify --ci`: a range, checked where there is nothing but git and the binary.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, PAGE, Said, World, message};

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
        "git fetch -q --no-tags --prune origin '+refs/seed/*:refs/seed-remote/origin/*' \
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

/// The line of a printed workflow that fetches the records.
fn fetch_of(world: &World, forge: &str) -> String {
    let printed = world.person(&format!("verify --ci --workflow {forge}")).succeeds();
    let line = printed.lines().find(|line| line.contains("git fetch -q")).expect("a fetch");
    line.trim().trim_start_matches("- ").to_owned()
}

#[test]
fn where_records_travel_in_a_branch_the_workflow_fetches_it_and_ci_reads_it() {
    let world = World::seeded();
    super::servers::bare(world.root(), "remote");
    world.git("remote add origin ../remote");
    world.to("condense");
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    world.person("land").succeeds();
    world.git("-c core.hooksPath=/dev/null push -q origin main main-landed");
    let refs = fetch_of(&world, "github");
    assert!(refs.contains("'+refs/seed/*:") && !refs.contains("refs/heads"), "{refs}");
    let agreed = super::sync::agreed(&world);
    super::sync::synced(&world, &format!("{agreed} --transport branch"));
    let verifies = |arguments: &str| {
        let said = there(&world, &format!("git seed verify --ci {arguments} HEAD~2..HEAD --json"));
        let json: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        assert_eq!(json["broken"], json!([]), "{said:?}");
        json
    };
    let followed = |json: &Value| json["followed"].as_array().map(Vec::len);
    for forge in ["github", "gitlab"] {
        let fetch = fetch_of(&world, forge);
        assert!(!fetch.contains("refs/seed/*"), "{forge}: {fetch}");
        clones(&world, 3);
        let said = there(&world, &fetch);
        assert_eq!(said.code, 0, "{fetch}: {said:?}");
        let before = there(&world, "git for-each-ref").out;
        for arguments in ["--remote origin", ""] {
            let json = verifies(arguments);
            assert_eq!(followed(&json), Some(2), "{forge} {arguments}: {json}");
            assert_eq!(json["jobs"][0]["name"], "fix the lexer", "{json}");
            assert!(!json.to_string().contains("is not here"), "{json}");
        }
        assert_eq!(there(&world, "git for-each-ref").out, before, "it wrote nothing");
        assert!(!world.path("../ci/.git/seed").exists());
    }
    // Refs that a runner kept of an earlier time are older; the branch has what came later.
    let copy = "refs/seed-remote/origin/archive";
    let named = "git show refs/seed-remote/origin/branch:refs | sed -n 's, refs/seed/archive,,p'";
    there(&world, &format!("git update-ref {copy} $({named})~1"));
    assert_eq!(followed(&verifies("--remote origin")), Some(2));
    // Refs that are newer than the branch are not hidden by it.
    let other = "git -c user.name=a -c user.email=a@b commit-tree -m x HEAD^{tree}";
    there(&world, &format!("git update-ref refs/seed-remote/origin/rules $({other})"));
    there(&world, &format!("git update-ref {copy} $({named})"));
    assert_eq!(followed(&verifies("--remote origin")), Some(2));
    // A branch of somebody's own is none.
    there(&world, &format!("git update-ref -d {copy}"));
    there(&world, "git update-ref -d refs/seed-remote/origin/rules");
    there(&world, "git update-ref refs/seed-remote/origin/branch HEAD");
    let json = verifies("--remote origin");
    assert!(json.to_string().contains("is not here"), "{json}");
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
    let new = there(&world, "git rev-parse --short=12 HEAD").out;
    let said = there(&world, "git seed verify --ci HEAD~3..HEAD --require all --keys ../allowed");
    assert!(said.out.contains(&format!("asks for: `{}`", new.trim())), "{said:?}");
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
    // White space counts, though no commit of a phase is here.
    let line = there(&world, &format!("git diff -U0 HEAD~1 HEAD -- {CODE}")).out;
    let line = line.lines().rfind(|line| line.starts_with('+')).expect("a new line");
    let was = world.text(&format!("../ci/{CODE}"));
    let wide = was.replace(&line[1..], &line[1..].replacen(' ', "  ", 1));
    assert_ne!(was, wide);
    world.puts(&format!("../ci/{CODE}"), &wide);
    there(&world, "git commit -qa --amend --no-edit");
    let (code, found) = verified(&world, "HEAD~1..HEAD");
    assert_eq!((code, &found["plain"]), (0, &json!(1)), "a change of somebody's own: {found}");
}

/// Content vouches for the product alone: whose words came into memory beside it is told, where
/// commits of the job are here and where none is.
#[test]
fn memory_that_is_not_the_jobs_is_named_in_a_squash() {
    let Some(world) = cloned(3) else { return };
    fetches(&world);
    let squashes = |from: &str, onto: &str| {
        format!(
            "git checkout -q -B other {onto} && echo x > elsewhere && git add elsewhere && git \
             commit -qm elsewhere && git merge -q --squash {from} && git commit -qm squashed"
        )
    };
    let adds = format!(
        "mkdir -p .claude/knowledge && echo 'So they say.' | tee -a {PAGE} > \
         .claude/knowledge/said.md && git add -f {PAGE} .claude/knowledge && git commit -q \
         --amend --no-edit"
    );
    let foreign = json!([".claude/knowledge/said.md", PAGE]);
    let is_followed = |found: &Value, differs: &Value| {
        let (all, one) = (&found["followed"], &found["followed"][0]);
        assert_eq!((all.as_array().map(Vec::len), &one["by"]), (Some(1), &json!("patch-id")));
        // Where no commit of the job is here, nothing shows which of its own files are its own.
        let paths = found["differs"][0]["paths"].as_array().cloned().unwrap_or_default();
        let is_own = |path: &&Value| path.as_str().is_some_and(|it| it.starts_with(".claude/jobs"));
        let paths: Vec<&Value> = paths.iter().filter(|path| !is_own(path)).collect();
        assert_eq!(json!(paths), *differs, "{found}");
        let reason = one["reason"].as_str().expect("why");
        assert_eq!(reason.contains("not shown to be the job's"), *differs != json!([]), "{found}");
    };
    // Where none is here.
    there(&world, "git config user.name a && git config user.email a@b");
    there(&world, &squashes("origin/main-landed", "HEAD~2"));
    is_followed(&verified(&world, "HEAD~1..HEAD").1, &json!([]));
    there(&world, &adds);
    is_followed(&verified(&world, "HEAD~1..HEAD").1, &foreign);
    let said = there(&world, "git seed verify --ci HEAD~1..HEAD --keys ../allowed");
    assert!(said.out.contains("not shown to be the job's"), "{said:?}");
    // Where they are.
    world.sh("git config core.hooksPath /dev/null");
    world.sh(&squashes("main", "main~5"));
    let (_, found) = lists(&world, "HEAD~1..HEAD");
    is_followed(&found, &json!([]));
    world.sh(&adds);
    let (_, found) = lists(&world, "HEAD~1..HEAD");
    is_followed(&found, &foreign);
    let reason = found["followed"][0]["reason"].as_str().expect("why");
    assert!(reason.contains(&format!("the job's: .claude/knowledge/said.md, {PAGE}")), "{reason}");
    assert_eq!(found["differs"][0]["commit"], world.git("rev-parse HEAD").trim());
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

/// What is said of jobs without a signed approval.
fn unapproved(world: &World, arguments: &str) -> (i32, String) {
    let (code, found) = verified(world, arguments);
    let all = found["unapproved"].as_array().unwrap_or_else(|| panic!("{found}")).clone();
    (code, all.iter().map(|one| format!("{}\n", one["reason"].as_str().expect("why"))).collect())
}

#[test]
fn an_approval_counts_where_a_known_key_signed_it() {
    let Some(world) = cloned(3) else { return };
    fetches(&world);
    let own = "--require approval=../allowed";
    let range = "HEAD~2..HEAD";
    assert_eq!(unapproved(&world, &format!("{range} {own}")), (0, String::new()));
    // The keys of `--keys` do as well, and one demand does not take the place of another.
    assert_eq!(unapproved(&world, &format!("{range} --require approval")).0, 0);
    assert_eq!(unapproved(&world, &format!("{range} --require proof {own}")).0, 0);
    let said = there(&world, &format!("git seed verify --ci {range} --require approval=nowhere"));
    assert_eq!(said.code, 64, "{said:?}");
    let said = there(&world, &format!("git seed verify --ci {range} --require what"));
    assert!(said.code == 64 && said.err.contains("approval=<file"), "{said:?}");
    // One byte more than what was approved.
    let amend = "-c user.name=a -c user.email=a@b commit -qa --amend --no-edit";
    there(&world, &format!("printf x >> {CODE} && git {amend}"));
    let (code, why) = unapproved(&world, &format!("{range} {own}"));
    assert!(code == 2 && why.contains("holds what was approved"), "{code} {why}");
    there(&world, "git reset -q --hard origin/main-landed");
    // Somebody else's key.
    world.sh("ssh-keygen -q -t ed25519 -N '' -C '' -f ../other && \
         printf 'a@b %s\n' \"$(cat ../other.pub)\" > ../others");
    let (code, why) = unapproved(&world, &format!("{range} --require approval=../others"));
    assert!(code == 2 && why.contains("a key that is not among the allowed ones"), "{code} {why}");
    let told = there(&world, &format!("git seed verify --ci {range} --require approval=../others"));
    assert!(told.out.contains("- not approved: job `"), "{told:?}");
    // A chain in which the same step stands at another commit.
    there(&world, "git update-ref refs/seed-remote/origin/kept refs/seed-remote/origin/claims");
    there(&world, "git update-ref -d refs/seed-remote/origin/claims");
    let (code, why) = unapproved(&world, &format!("{range} {own}"));
    assert_eq!((code, why.as_str()), (2, "its approval is not signed\n"));
    there(&world, "git update-ref -d refs/seed-remote/origin/archive");
    let (code, why) = unapproved(&world, &format!("{range} {own}"));
    assert!(code == 2 && why.contains("its chain is not here"), "{why}");
}

#[test]
fn what_comes_after_an_approval_changes_memory_alone() {
    let Some(world) = cloned(3) else { return };
    let publishes = |world: &World| {
        world.sh(
            "git -c core.hooksPath=/dev/null push -qf ../remote HEAD:refs/heads/lab && rm -rf \
             ../ci && git clone -q -b lab \"file://$PWD/../remote\" ../ci",
        );
        fetches(world);
    };
    world.sh("git checkout -q -b lab main");
    publishes(&world);
    let range = "HEAD~1..HEAD --require approval=../allowed";
    assert_eq!(unapproved(&world, range), (0, String::new()));
    world.sh("echo x > smuggled && git add smuggled && git -c core.hooksPath=/dev/null commit -q \
         --amend --no-edit");
    publishes(&world);
    let (code, why) = unapproved(&world, range);
    assert!(code == 2 && why.contains("changes files after its approval"), "{code} {why}");
}

#[test]
fn a_job_that_nobody_approved_is_named() {
    let Some(world) = cloned(3) else { return };
    world.prompt("[QUICK] fix the lexer again").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'one more'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { more();").passes();
    world.tests();
    world.seed("phase advance -m 'lex more'").succeeds();
    let said =
        world.tries("git seed verify --ci HEAD~1..HEAD --require approval=../allowed --json");
    let found: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    assert_eq!(said.code, 2, "{found}");
    let why = found["unapproved"][0]["reason"].as_str().expect("why");
    assert_eq!(why, "no person has approved run 1 of it");
}

/// One byte more than any step has, as a conflict is resolved in a squash merge.
fn resolved(world: &World) {
    world.sh(&format!(
        "git checkout -q main-landed && printf x >> {CODE} && git -c core.hooksPath=/dev/null \
         commit -qa --amend --no-edit"
    ));
}

fn lists(world: &World, range: &str) -> (i32, Value) {
    let said = world.tries(&format!("git seed verify {range} --keys ../allowed --json"));
    (said.code, serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}")))
}

#[test]
fn a_person_accepts_what_nothing_vouches_for() {
    let Some(world) = cloned(3) else { return };
    resolved(&world);
    let range = "HEAD~2..HEAD";
    let (code, found) = lists(&world, range);
    assert_eq!((code, found["accepted"].is_null()), (3, true), "{found}");
    let accept = "verify --accept HEAD -m 'the conflict in lex.rs was  mine'";
    world.changes_nothing(|| world.seed(accept).refuses("only a person may run"));
    world.changes_nothing(|| world.person("verify --accept HEAD").ends(64, "say why with -m"));
    world.changes_nothing(|| world.person("verify -m why").ends(64, "--accept"));
    world.changes_nothing(|| world.person("verify --accept nowhere -m x").ends(64, "nowhere"));
    world.person("verify --accept HEAD~1 -m x").refuses("nothing to accept");
    world.person(accept).tells("accepted by Ada <ada@example.org>, signed");
    let (code, found) = lists(&world, range);
    let head = world.git("rev-parse HEAD");
    let one = &found["accepted"][0];
    assert_eq!((code, &one["commit"]), (0, &json!(head)), "{found}");
    assert_eq!(one["why"], "the conflict in lex.rs was mine");
    assert_eq!((&one["by"], &one["vouched"]), (&json!("Ada <ada@example.org>"), &json!(true)));
    let told = world.tries("git seed verify HEAD~2..HEAD --keys ../allowed").out;
    let line = "the conflict in lex.rs was mine (Ada, ada@example.org)";
    assert!(told.contains("accepted      ") && told.contains(line), "{told}");
    world.person(accept).refuses("nothing to accept");
    // A machine believes it, because a known key signed it.
    world.sh("git -c core.hooksPath=/dev/null push -qf ../remote main-landed refs/seed/claims");
    clones(&world, 3);
    fetches(&world);
    let (code, found) = verified(&world, "HEAD~2..HEAD --require proof");
    assert_eq!((code, &found["accepted"][0]["commit"]), (0, &json!(head)), "{found}");
    // Another byte is another commit.
    resolved(&world);
    assert_eq!(lists(&world, range).0, 3);
}

#[test]
fn no_word_accepts_what_is_broken_and_an_unsigned_one_proves_nothing() {
    let Some(world) = cloned(3) else { return };
    world.sh("git config --unset user.signingkey && git config --unset gpg.format");
    resolved(&world);
    world.person("verify --accept HEAD -m 'mine'").tells("not signed");
    let (code, found) = lists(&world, "HEAD~2..HEAD");
    assert_eq!((code, &found["accepted"][0]["vouched"]), (3, &json!(false)), "{found}");
    world.sh("git -c core.hooksPath=/dev/null push -qf ../remote main-landed refs/seed/claims");
    clones(&world, 3);
    fetches(&world);
    assert_eq!(verified(&world, "HEAD~2..HEAD --require proof").0, 2);
    // A commit that says of its step what the step was not.
    world.sh("git checkout -q -b lies main && git log -1 --format=%B | sed \
         's/^Seed-Cycle: 1/Seed-Cycle: 7/' > ../text && git -c core.hooksPath=/dev/null commit -q \
         --amend -F ../text");
    assert_eq!(lists(&world, "HEAD~1..HEAD").0, 2);
    world.person("verify --accept HEAD -m 'fine'").refuses("is broken");
    assert_eq!(lists(&world, "HEAD~1..HEAD").0, 2);
    // Nor does a record of the gate become another by a word.
    let record = world.git("rev-parse refs/seed/claims");
    world.person(&format!("verify --accept {record} -m 'fine'")).said();
    let (_, found) = lists(&world, "HEAD~1..HEAD");
    assert!(!found["accepted"].to_string().contains(&record), "{found}");
}

/// A remote that is not there is wrong usage, and no jobs that are missing.
#[test]
fn a_remote_that_is_not_there_is_wrong_usage() {
    let world = World::seeded();
    world.enters("plan");
    let ends = |remote: &str, words: &str| {
        let line = format!("verify --ci HEAD~1..HEAD --remote {remote}");
        world.seed(&line).ends(64, words);
        world.person(&line).ends(64, words);
    };
    ends("nowhere", "there is no remote `nowhere`");
    ends("nowhere", "known remotes: none");
    world.git("remote add origin ../remote");
    world.git("remote add team/main ../other");
    ends("orign", "known remotes: origin, team/main");
    ends("team", "known remotes: origin, team/main");
    // Git knows it, or something came from it.
    let known = world.seed("verify --ci HEAD~1..HEAD --remote team/main").said();
    assert_ne!(known.code, 64, "{known:?}");
    world.git("update-ref refs/seed-remote/gone/archive HEAD");
    let known = world.seed("verify --ci HEAD~1..HEAD --remote gone").said();
    assert_ne!(known.code, 64, "{known:?}");
}
