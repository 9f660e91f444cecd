//! A company's commits: signed where that needs no hand, with the trailers that it wants, and
//! handed in without a word of git seed where it wants none.

use std::process::Command;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, World, completion};

/// Far more than the box, far less than a hand.
const SOON: Duration = Duration::from_secs(25);

/// A project in which git is set up to sign with an SSH key, before `init`.
fn signing(config: &str) -> Option<World> {
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        super::skip::not_here("ssh-keygen");
        return None;
    }
    let world = World::new();
    world.sh("ssh-keygen -q -t ed25519 -N '' -C '' -f ../own; \
         ssh-keygen -q -t ed25519 -N 'a secret of hers' -C '' -f ../locked; \
         printf '#!/bin/sh\\nexec sleep 600\\n' > ../hangs; chmod +x ../hangs; \
         git config commit.gpgsign true; git config gpg.format ssh; \
         git config user.signingkey $PWD/../own");
    world.sh(config);
    Some(world)
}

/// A small job up to its commit, as the agent does it; what the last command said.
fn small(world: &World) -> String {
    begin(world);
    world.seed("phase advance -m 'lex more'").succeeds()
}

fn begin(world: &World) {
    world.prompt("[QUICK] fix the lexer").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'one more'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { more();").passes();
    world.tests();
}

/// Ends the job, and lands it with these words of the command; the branch that holds it.
fn lands(world: &World, more: &str) -> &'static str {
    let job = world.job();
    world.prompt("[DROP] enough");
    world.person(&format!("land {job} {more}")).succeeds();
    "main-landed"
}

fn is_signed(world: &World, commit: &str) -> bool {
    world.git(&format!("cat-file commit {commit}")).contains("\ngpgsig ")
}

fn message(world: &World, commit: &str) -> String {
    world.git(&format!("log -1 --format=%B {commit}"))
}

#[test]
fn a_signature_that_needs_a_hand_is_left_out_and_made_up_by_land() {
    for (config, why) in [
        ("git config gpg.ssh.program $PWD/../hangs", "signing took longer than 3 seconds"),
        ("git config user.signingkey $PWD/../locked", "incorrect passphrase"),
    ] {
        let Some(world) = signing(config) else { return };
        let begun = Instant::now();
        let told = world.person("init").succeeds();
        assert!(told.contains("phase commits are not signed") && told.contains(why), "{told}");
        world.starts();
        let told = small(&world);
        assert!(begun.elapsed() < SOON, "{config}: {:?}", begun.elapsed());
        assert!(told.contains("phase commits are not signed"), "said at the first one: {told}");
        assert!(!is_signed(&world, "HEAD"), "{config}");
        assert!(message(&world, "HEAD").contains("Seed-Id: "));
        let told = world.person("doctor").said().out;
        assert!(told.contains("phase commits are not signed"), "{told}");
        // It is said once.
        world.prompt("[DROP] enough");
        let begun = Instant::now();
        let told = small(&world);
        assert!(!told.contains("not signed"), "{told}");
        assert!(begun.elapsed() < SOON, "no second trial: {:?}", begun.elapsed());
        // The person hands it in, with the key in their hand.
        world.tries("git config --unset gpg.ssh.program; git config user.signingkey $PWD/../own");
        assert!(is_signed(&world, lands(&world, "")));
    }
}

#[test]
fn a_landing_that_cannot_be_signed_says_so_and_names_the_way_without() {
    let Some(world) = signing("git config user.signingkey $PWD/../nowhere") else { return };
    world.person("init").succeeds();
    world.starts();
    small(&world);
    let job = world.job();
    world.prompt("[DROP] enough");
    let refs = world.git("for-each-ref");
    let said =
        world.person(&format!("land {job}")).refuses("set up to sign commits, and could not");
    assert!(said.contains("nowhere"), "{said}");
    assert!(said.contains(&format!("git -c commit.gpgSign=false seed land {job}")), "{said}");
    assert_eq!(world.git("for-each-ref"), refs, "nothing is half done");
    world.sh(&format!("git -c commit.gpgSign=false seed land {job}"));
    assert!(!is_signed(&world, "main-landed"));
}

#[test]
fn where_no_hand_is_needed_phase_commits_are_signed() {
    let Some(world) = signing("true") else { return };
    let told = world.person("init").succeeds();
    assert!(told.contains("phase commits are signed"), "{told}");
    world.starts();
    assert!(!small(&world).contains("not signed"));
    assert!(is_signed(&world, "HEAD"));
    world.prompt("[DROP] enough");
    // A setup that needs a hand from now on is found out at the boundary, and one that does not
    // any more as well.
    world.sh("git config gpg.ssh.program $PWD/../hangs");
    assert!(small(&world).contains("phase commits are not signed"));
    assert!(!is_signed(&world, "HEAD"));
    world.prompt("[DROP] enough");
    world.sh("git config --unset gpg.ssh.program");
    assert!(!small(&world).contains("not signed"));
    assert!(is_signed(&world, "HEAD"));
}

#[test]
fn a_rule_that_wants_each_commit_signed_refuses_the_step_within_the_box() {
    let Some(world) = signing("git config gpg.ssh.program $PWD/../hangs") else { return };
    world.person("init").succeeds();
    world.puts("seed.toml", "[commit]\nsign = \"always\"\n");
    world.person("rules apply").succeeds();
    world.sh("rm seed.toml");
    world.starts();
    begin(&world);
    let (begun, head) = (Instant::now(), world.git("rev-parse HEAD"));
    let said = world.seed("phase advance -m 'lex more'").refuses("git could not sign within three");
    assert!(said.contains("signing took longer than 3 seconds"), "{said}");
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(world.git("rev-parse HEAD"), head);
    // It signs where git is not set up to, too.
    world.sh("git config --unset gpg.ssh.program; git config --unset commit.gpgsign");
    world.seed("phase advance -m 'lex more'").succeeds();
    assert!(is_signed(&world, "HEAD"));
    assert!(is_signed(&world, lands(&world, "")));
}

#[test]
fn a_phase_commit_and_a_landed_one_have_the_trailers_that_rules_want() {
    let world = World::new();
    let rows = "trailers = [\"Signed-off-by\", \"Co-authored-by: Claude <c@example.org>\"]";
    world.puts("seed.toml", &format!("[commit]\n{rows}\n"));
    world.git("add -A");
    world.git("commit -qm rules");
    let world = world.installed();
    world.person("rules apply").succeeds();
    small(&world);
    let wanted = "\nSigned-off-by: Ada <ada@example.org>\nCo-authored-by: Claude <c@example.org>\n";
    let said = message(&world, "HEAD");
    assert!(said.contains(&format!("\n{wanted}Seed-Job: ")), "{said}");
    let keys = world.git("log -1 --format='%(trailers:keyonly)'");
    for key in ["Signed-off-by", "Co-authored-by", "Seed-Id"] {
        assert_eq!(keys.lines().filter(|line| *line == key).count(), 1, "{keys}");
    }
    let landed = message(&world, lands(&world, ""));
    assert!(landed.contains(wanted), "{landed}");
    assert_eq!(landed.matches("Signed-off-by").count(), 1, "{landed}");
    // Nothing of it is broken.
    let found = world.json("verify");
    assert_eq!(found["broken"], json!([]), "{found}");
    // What is no trailer is no rule.
    for row in ["Seed-Id: 1", "Co-authored-by", "two words: x", "A: b\\nC: d", ""] {
        world.puts("seed.toml", &format!("[commit]\ntrailers = [\"{row}\"]\n"));
        world.person("rules check").ends(1, "`commit.trailers` has `");
    }
}

#[test]
fn a_landing_without_a_word_of_git_seed_is_followed_by_its_content() {
    let world = World::seeded();
    small(&world);
    let job = world.job();
    let landed = message(&world, lands(&world, "--no-seed"));
    assert!(!landed.contains("Seed-") && !landed.contains("\n\n\n"), "{landed}");
    for range in ["verify", "verify --ci"] {
        let said = world.tries(&format!("git seed {range} main~1..main-landed --json"));
        let found: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(found["broken"], json!([]), "{found}");
        let id = world.git("rev-parse main-landed");
        let is_it = |one: &serde_json::Value| one["record"].as_str() == Some(&id);
        assert!(found["followed"].as_array().is_some_and(|all| all.iter().any(is_it)), "{found}");
    }
    // It landed, so it does not land again.
    world.person(&format!("land {job} --branch again")).ends(2, "");
}

#[test]
fn each_way_past_the_rules_is_on_record_and_counted() {
    let world = World::seeded();
    let counted = |world: &World| {
        let said = world.person("verify --json").said().out;
        let found: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        found["bypasses"].clone()
    };
    assert_eq!(counted(&world), json!({}));
    assert!(!world.person("verify").said().out.contains("past the rules"));
    begin(&world);
    assert_eq!(counted(&world), json!({ "quick": 1 }));
    world.prompt("[ALLOW docs/] and say so in the docs");
    world.prompt("[ALLOW git tag v1] tag it");
    world.prompt("[OFF] I do it by hand");
    world.person("on").succeeds();
    world.person("off -m 'by hand again'").succeeds();
    world.person("on").succeeds();
    world.puts("seed.toml", "idle = \"closed\"\n");
    world.person("rules apply").succeeds();
    world.sh("rm seed.toml");
    let mut terminal = world.new_terminal("git seed off -m 'from tmux'", "k7m2qx");
    assert!(terminal.says().contains("[OK off k7m2qx]"));
    world.prompt("[OK off k7m2qx]");
    assert_eq!(terminal.ends().code, 0);
    world.person("on").succeeds();
    let all = json!({
        "allow": 1, "allow-git": 1, "off": 3, "ok": 1, "quick": 1, "rules-apply": 1,
    });
    assert_eq!(counted(&world), all);
    let told = "a person went past the rules 8 times: allow 1 · allow-git 1 · off 3 · ok 1 · \
        quick 1 · rules-apply 1";
    assert!(world.person("verify").said().out.contains(told));
    let said = world.git("log --format=%s refs/seed/bypasses");
    assert!(
        said.contains("off: by hand again") && said.contains("allow-git: git tag v1"),
        "{said}"
    );
    // What a person took over, and an approval that nobody gave.
    world.puts("README.md", "by nobody\n");
    world.tries("git seed fence accept README.md");
    let accepted = counted(&world)["accept"].as_u64().unwrap_or_default();
    let steps = world.git(&format!("log --format=%s refs/seed/jobs/{}", world.job()));
    let taken = steps.lines().filter(|line| line.starts_with("accept: ")).count();
    assert_eq!(accepted, u64::try_from(taken).expect("few"), "{steps}");
}

/// What `verify` counts of ways past the rules, and what they were.
fn past_the_rules(world: &World) -> (serde_json::Value, String) {
    let said = world.person("verify --json").said().out;
    let found: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let kept = world.tries("git log --format=%s refs/seed/bypasses");
    (found["bypasses"].clone(), kept.out)
}

#[test]
fn paths_that_open_without_a_job_are_on_record_where_any_opened() {
    let world = World::new();
    world.person("init --mode fence").succeeds();
    world.starts();
    for nothing in ["[ALLOW]", "[ALLOW ../outside]", "[ALLOW .git/config]"] {
        world.prompt(nothing);
        assert_eq!(past_the_rules(&world), (json!({}), String::new()), "{nothing}");
    }
    world.prompt("[ALLOW docs/ todo.txt]");
    world.prompt("[ALLOW ../outside src/]");
    let (counted, kept) = past_the_rules(&world);
    assert_eq!(counted, json!({ "allow": 2 }));
    assert_eq!(kept, "allow: src\nallow: docs, todo.txt\n");
    // It stays in this clone.
    assert!(!world.git("ls-remote . 'refs/seed/bypasses*'").is_empty());
}

#[test]
fn a_word_for_paths_is_on_record_with_the_job_that_its_prompt_creates() {
    let world = World::seeded();
    for nothing in ["[ALLOW]", "[ALLOW todo.txt]"] {
        world.prompt(nothing);
        assert_eq!(past_the_rules(&world), (json!({}), String::new()), "{nothing}");
    }
    world.prompt("[ALLOW todo.txt] tick the first of the list");
    let (counted, kept) = past_the_rules(&world);
    assert_eq!((counted, kept.as_str()), (json!({ "allow": 1 }), ""), "a step says it");
    let steps = world.git(&format!("log --format=%s refs/seed/jobs/{}", world.job()));
    assert!(steps.contains("allow: the person opened todo.txt"), "{steps}");
}

/// A session of nobody's, whose answers and words count or do not.
fn without_anybody(counts: &str) -> World {
    let world = World::new();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.person("init").succeeds();
    world.puts("seed.toml", &format!("[approval]\nunattended = \"{counts}\"\n"));
    world.person("rules apply").succeeds();
    world.sh("rm seed.toml");
    world.starts();
    world.minute();
    world
}

#[test]
fn an_answer_of_nobodys_that_comes_late_is_on_record_where_it_counts() {
    let world = without_anybody("count");
    world.to("condense");
    world.does("condense");
    let asked = world.asks(&completion()).passes();
    // The agent closes the cycle beside the open question: the job rests, and awaits its person.
    world.minute();
    world.seed("phase advance -F -").stdin(&super::world::message("condense")).succeeds();
    assert_eq!(past_the_rules(&world).0, json!({ "rules-apply": 1 }));
    asked.answers("Approve completion");
    assert_eq!(world.json("job list --all")[0]["status"], json!("completed"));
    let (counted, kept) = past_the_rules(&world);
    assert_eq!(counted, json!({ "rules-apply": 1, "unattended": 1 }));
    assert_eq!(kept, "unattended: Approve completion\n");
}

#[test]
fn a_word_of_nobodys_that_comes_late_is_on_record_where_it_counts() {
    for (counts, status, counted) in [
        ("count", "completed", json!({ "rules-apply": 1, "unattended": 1 })),
        ("refuse", "awaiting you", json!({ "rules-apply": 1 })),
    ] {
        let world = without_anybody(counts);
        world.to("condense");
        world.does("condense");
        let job = world.job();
        if counts == "count" {
            world.asks(&completion()).passes();
        }
        world.minute();
        world.seed("phase advance -F -").stdin(&super::world::message("condense")).succeeds();
        world.minute();
        world.prompt(&format!("[APPROVE] {job}"));
        assert_eq!(world.json("job list --all")[0]["status"], json!(status), "{counts}");
        assert_eq!(past_the_rules(&world).0, counted, "{counts}");
    }
}
