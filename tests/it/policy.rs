//! A team's rules: signed by somebody whom the person's own configuration names, they tighten by
//! themselves and loosen nothing without the person.

use std::fs;
use std::process::Command;

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::json;

use super::world::{CODE, Reply, World};

const TIGHT: &str = "[claims]\npush = \"refuse\"\n";

/// A seeded world with a remote, a clone of it in which policies are written, and the keys of who
/// may sign them in the person's configuration.
fn team() -> Option<World> {
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        super::skip::not_here("ssh-keygen");
        return None;
    }
    let world = World::seeded();
    world.ends();
    world.sh(
        "for key in boss stranger; do ssh-keygen -q -t ed25519 -N '' -C '' -f ../$key; done; \
         printf 'boss@example.org %s\\n' \"$(cat ../boss.pub)\" > ../signers; \
         git clone -q --bare . ../hub && git remote add origin ../hub && git fetch -q origin && \
         git clone -q ../hub ../team",
    );
    // Counts the signatures that were looked at.
    world.puts("../checker", "#!/bin/sh\necho x >> \"$0.log\"\nexec ssh-keygen \"$@\"\n");
    world.sh("chmod +x ../checker");
    let root = world.root().display();
    world.puts(
        "../gitconfig",
        &format!(
            "[seed]\n\tpolicyKeys = {root}/signers\n[gpg \"ssh\"]\n\tprogram = {root}/checker\n"
        ),
    );
    Some(world)
}

/// How often a signature was checked.
fn checks(world: &World) -> usize {
    world.text("../checker.log").lines().count()
}

/// Somebody publishes a policy, signed with a key or not, and the person fetches it.
fn publishes(world: &World, text: &str, key: Option<&str>) {
    world.minute();
    world.puts("../team/seed.toml", text);
    let sign = key.map_or("commit -q".to_owned(), |key| {
        format!("-c gpg.format=ssh -c user.signingkey=../{key} commit -q -S")
    });
    world.sh(&format!(
        "cd ../team && git add seed.toml && git {sign} -m policy && git push -q origin HEAD:main"
    ));
    world.sh("git fetch -q origin");
}

/// The next session begins; what the person hears.
fn begins(world: &World) -> Reply {
    world.ends();
    world.session(&format!("s{}", checks(world)));
    world.starts()
}

fn hears(world: &World) -> String {
    begins(world).to_person().unwrap_or_default().to_owned()
}

fn in_force(world: &World, table: &str, key: &str) -> serde_json::Value {
    world.json("rules show")["in_force"][table][key].clone()
}

/// Rules as a sync brings them from the remote.
fn brings(world: &World, text: &str) {
    world.puts("../brought", text);
    let name = "refs/seed-remote/origin/rules";
    world.sh(&format!(
        "blob=$(git hash-object -w ../brought) && tree=$(printf '100644 blob %s\tseed.toml\n' \
         $blob | git mktree) && git update-ref {name} $(git commit-tree -m rules $tree)"
    ));
}

/// Writes into this clone's notes that the policy counted.
fn forges(world: &World) {
    let mut seen: serde_json::Value =
        serde_json::from_str(&world.text(".git/seed/policy.json")).expect("JSON");
    let commit = world.git("rev-parse origin/main");
    seen["branches"][0]["stands"] = json!({ "signed": { "commit": commit } });
    world.puts(".git/seed/policy.json", &seen.to_string());
}

/// The children of git that `act` starts in the agent's side, as a `git` before the real one sees
/// them.
fn children(world: &World, act: &dyn Fn()) -> String {
    let real = world.sh("command -v git").trim().to_owned();
    let path = world.sh("printf %s \"$PATH\"");
    let root = world.root().display().to_string();
    world.puts(
        "../bin/git",
        &format!("#!/bin/sh\necho \"$*\" >> '{root}/children'\nexec {real} \"$@\"\n"),
    );
    world.sh("chmod +x ../bin/git; : > ../children");
    world.host_has("PATH", &format!("{root}/bin:{path}"));
    act();
    world.host_has("PATH", &path);
    world.text("../children")
}

/// The person's git knows the keys; the tests' usual one has no configuration.
fn is_untouched(world: &World) {
    assert_eq!(in_force(world, "claims", "push"), json!("warn"));
    assert_eq!(world.tries("git rev-parse -q --verify refs/seed/rules").code, 1);
}

#[test]
fn what_tightens_comes_into_force_as_a_session_begins() {
    let Some(world) = team() else { return };
    assert_eq!(hears(&world), "");
    publishes(&world, TIGHT, Some("boss"));
    is_untouched(&world);
    let told = hears(&world);
    assert!(told.contains("the policy of origin") && told.contains("claims.push"), "{told}");
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
    assert_eq!(world.git("show refs/seed/rules:seed.toml"), TIGHT.trim_end());
    assert!(world.git("log -1 --format=%s refs/seed/rules").contains("policy of origin"));
    // Nothing is left to say, and the signature was looked at once.
    let once = checks(&world);
    assert_eq!(hears(&world), "");
    assert_eq!(checks(&world), once);
    assert_eq!(world.json("status").get("policy"), None);
    // Later commits that leave the file alone change nothing, whoever made them.
    world.sh("cd ../team && git commit -q --allow-empty -m other && git push -q origin HEAD:main");
    world.sh("git fetch -q origin");
    assert_eq!(hears(&world), "");
    assert_eq!(checks(&world), once);
    // A person who loosens it again does so until the next session.
    world.puts("seed.toml", "");
    world.person("rules apply").succeeds();
    assert_eq!(in_force(&world, "claims", "push"), json!("warn"));
    assert!(hears(&world).contains("claims.push"));
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
}

#[test]
fn what_loosens_waits_for_the_person() {
    let Some(world) = team() else { return };
    publishes(&world, TIGHT, Some("boss"));
    assert!(hears(&world).contains("claims.push"));
    let loose = "surfaces = []\n[lane]\nfiles = 2\n[[check]]\nfiles = [\"*.rs\"]\nrun = \"x\"\n";
    publishes(&world, loose, Some("boss"));
    let told = hears(&world);
    assert!(told.contains("tightened the rules in force: lane.files"), "{told}");
    let waits = "the policy of origin waits for you: claims.push loosens, surfaces loosens, \
        check changes. See git seed rules diff --from origin, then git seed rules apply --from \
        origin";
    assert!(told.contains(waits), "{told}");
    assert_eq!(in_force(&world, "lane", "files"), json!(2));
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
    // It is said until it is in force.
    assert_eq!(hears(&world), waits);
    assert_eq!(world.json("status")["policy"], json!([waits]));
    world.person("status").tells("waits for you");
    assert!(world.person("doctor").said().out.contains("the policy of origin waits for you"));
    let shown = world.person("rules diff --from origin").tells("+surfaces = []");
    let apart = "though the policy of origin does not name them, because this clone noted that an \
        earlier policy set them: claims.push";
    for line in ["surfaces  ", "claims.push  \"refuse\" -> \"warn\"  loosens", apart] {
        assert!(shown.contains(line), "{shown}");
    }
    // Not the agent.
    world.seed("rules apply --from origin").refuses("only a person may run");
    world.runs("git seed rules apply --from origin").refuses("only a person may run");
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
    world.person("rules apply --from origin").tells("the policy of origin is in force");
    assert_eq!(in_force(&world, "claims", "push"), json!("warn"));
    assert_eq!(in_force(&world, "surfaces", ""), json!(null));
    assert_eq!(world.json("rules show")["in_force"]["surfaces"], json!([]));
    assert_eq!(hears(&world), "");
    world.person("rules diff --from origin").tells("equals the rules in force");
}

#[test]
fn what_nobody_who_may_signed_is_not_applied_and_told() {
    let Some(world) = team() else { return };
    for (key, why) in [
        (None, "is not signed by a key of seed.policyKeys"),
        (Some("stranger"), "its key is not an allowed one"),
    ] {
        publishes(&world, &format!("# {key:?}\n{TIGHT}"), key);
        let told = hears(&world);
        assert!(
            told.contains("seed.toml of origin is not applied") && told.contains(why),
            "{told}"
        );
        is_untouched(&world);
        assert!(world.json("status")["policy"][0].as_str().is_some_and(|line| line.contains(why)));
        world.person("rules diff --from origin").ends(2, why);
        // What a sync brought from there is no way around it, nor what the agent's side writes.
        brings(&world, "[claims]\nmode = \"off\"\n");
        for command in ["rules diff --from origin", "rules apply --from origin"] {
            world.person(command).ends(2, why);
        }
        world.git("update-ref -d refs/seed-remote/origin/rules");
        forges(&world);
        world.person("rules apply --from origin").ends(2, why);
        world.sh("rm .git/seed/policy.json");
    }
    // A signed commit on top vouches for its own changes alone.
    world.sh("cd ../team && git -c gpg.format=ssh -c user.signingkey=../boss commit -q -S \
         --allow-empty -m other && git push -q origin HEAD:main");
    world.sh("git fetch -q origin");
    assert!(hears(&world).contains("is not applied"));
    is_untouched(&world);
    // Where the history is cut off, that commit looks like the one that brought the file.
    world.sh("git fetch -q --depth 1 \"file://$PWD/../hub\" main && rm .git/seed/policy.json");
    let told = hears(&world);
    assert!(told.contains("is not applied"), "{told}");
    assert!(told.contains("is not the commit that changed it"), "{told}");
    is_untouched(&world);
}

#[test]
fn keys_that_an_agent_could_set_count_for_nothing() {
    let Some(world) = team() else { return };
    let root = world.root().display().to_string();
    let mine = fs::read_to_string(world.path("../gitconfig")).expect("written");
    publishes(&world, TIGHT, Some("stranger"));
    // The repository's own configuration.
    world.sh("printf 'x@y %s\\n' \"$(cat ../stranger.pub)\" > ../strangers");
    world.git(&format!("config seed.policyKeys {root}/strangers"));
    let told = hears(&world);
    assert!(told.contains("repository's configuration counts for nothing"), "{told}");
    assert!(told.contains("its key is not an allowed one"), "{told}");
    assert!(world.person("doctor").said().out.contains("counts for nothing"));
    is_untouched(&world);
    world.git("config --unset seed.policyKeys");
    // A file where the agent works.
    world.sh("cp ../strangers signers");
    world.puts("../gitconfig", &mine.replace("/signers", "/repo/signers"));
    let told = hears(&world);
    assert!(told.contains("could write it"), "{told}");
    is_untouched(&world);
    world.puts("../gitconfig", &mine);
    fs::remove_file(world.path("signers")).expect("it is there");
    assert!(hears(&world).contains("not an allowed one"));
    // The agent sets it with git, or code of its own does.
    world.to("execute");
    let line = format!("git config --global seed.policyKeys {root}/strangers");
    assert!(world.runs(&line).before.refusal().is_some(), "it is refused");
    for file in ["../gitconfig", "../signers"] {
        let was = fs::read_to_string(world.path(file)).expect("there");
        let strange = fs::read_to_string(world.path("../strangers")).expect("there");
        let did = world.runs_and("cargo test", || {
            let text = if file == "../signers" {
                strange.clone()
            } else {
                was.replace("/signers", "/strangers")
            };
            world.puts(file, &text);
        });
        assert!(did.after.context().is_some_and(|told| told.contains("NOTICED")), "{file} {did:?}");
        let told = hears(&world);
        assert!(told.contains("is not applied while an agent's changes stand"), "{told}");
        is_untouched(&world);
        world.puts(file, &was);
        assert!(hears(&world).contains("not an allowed one"), "{file}");
    }
    is_untouched(&world);
}

#[test]
fn a_value_that_git_cannot_read_turns_nothing_off() {
    let Some(world) = team() else { return };
    world.sh("mkdir -p ../home && cp ../signers ../home/");
    world.puts("../gitconfig", "[seed]\n\tpolicyKeys = ~/signers\n");
    world.git("config seed.policyKeys '~nobody-of-that-name/keys'");
    publishes(&world, TIGHT, Some("boss"));
    let told = hears(&world);
    assert!(told.contains("repository's configuration counts for nothing"), "{told}");
    assert!(told.contains("claims.push"), "{told}");
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
}

#[test]
fn without_keys_nothing_is_asked_or_read() {
    let Some(world) = team() else { return };
    publishes(&world, TIGHT, Some("boss"));
    let policy = ["policyKeys", "rev-list -1", "verify-commit"];
    let asked = children(&world, &|| drop(begins(&world)));
    assert!(policy.iter().all(|word| asked.contains(word)), "{asked}");
    assert!(world.path(".git/seed/policy.json").exists());
    // What was put into force stays.
    world.puts("../gitconfig", "[user]\n\tname = Ada\n");
    let asked = children(&world, &|| drop(begins(&world)));
    assert!(!policy.iter().any(|word| asked.contains(word)), "{asked}");
    assert!(!world.path(".git/seed/policy.json").exists());
    assert_eq!(world.json("status").get("policy"), None);
    // Then a proposal is what a sync brought, as ever.
    brings(&world, "idle = \"closed\"\n");
    world.person("rules diff --from origin").tells("+idle");
}

#[test]
fn a_partial_clone_fetches_nothing_as_a_session_begins() {
    let Some(world) = team() else { return };
    world.sh("git -C ../hub config uploadpack.allowFilter true");
    world.git("config remote.origin.promisor true");
    world.git("config remote.origin.partialclonefilter blob:none");
    publishes(&world, TIGHT, Some("boss"));
    let missing = "GIT_NO_LAZY_FETCH=1 git cat-file -e origin/main:seed.toml";
    assert_ne!(world.tries(missing).code, 0, "the clone left it with its remote");
    let told = hears(&world);
    assert!(told.contains("its text is not in this partial clone"), "{told}");
    assert_ne!(world.tries(missing).code, 0, "nothing fetched it");
    is_untouched(&world);
    // Whoever looks at it has it.
    world.sh("git show origin/main:seed.toml");
    let told = hears(&world);
    assert!(told.contains("claims.push"), "{told}");
}

#[test]
fn a_branch_that_had_a_policy_is_told_beside_another_one_that_counts() {
    let Some(world) = team() else { return };
    publishes(&world, TIGHT, Some("boss"));
    world.sh("git clone -q --bare ../hub ../fork && git remote add fork ../fork && \
         git fetch -q fork");
    hears(&world);
    assert_eq!(hears(&world), "");
    publishes(&world, "[lane]\nfiles = 2\n", None);
    for _ in 0..2 {
        let told = hears(&world);
        assert!(told.contains("seed.toml of origin is not applied"), "{told}");
    }
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
}

#[test]
fn rows_that_wait_together_are_all_told() {
    let Some(world) = team() else { return };
    let rows = "[[phase]]\nname = \"verify\"\nwords = 200\nexit = []\n";
    publishes(&world, rows, Some("boss"));
    let told = hears(&world);
    for part in ["phase verify: words tightens", "phase verify: exit loosens"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_policy_that_is_gone_is_missed() {
    let Some(world) = team() else { return };
    publishes(&world, TIGHT, Some("boss"));
    hears(&world);
    world.git("update-ref -d refs/remotes/origin/main");
    world.tries("git symbolic-ref -d refs/remotes/origin/HEAD");
    let gone = "the policy of origin was at refs/remotes/origin/main, which is gone";
    assert!(world.json("status")["policy"][0].as_str().is_some_and(|line| line.contains(gone)));
    assert!(hears(&world).contains(gone));
    // What it tightened stays.
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
    world.sh("git fetch -q origin");
    assert_eq!(hears(&world), "");
}

#[test]
fn a_key_itself_may_be_named_and_a_policy_that_does_not_hold_is_told() {
    let Some(world) = team() else { return };
    let key = world.text("../boss.pub");
    world.puts("../gitconfig", &format!("[seed]\n\tpolicyKeys = {}\n", key.trim()));
    publishes(&world, "[claims]\npush = \"loudly\"\n", Some("boss"));
    let told = hears(&world);
    assert!(told.contains("the policy of origin is not applied: seed.toml:2: "), "{told}");
    is_untouched(&world);
    publishes(&world, TIGHT, Some("boss"));
    assert!(hears(&world).contains("tightened"));
    assert_eq!(in_force(&world, "claims", "push"), json!("refuse"));
}

#[test]
fn whoever_only_watches_is_told_and_the_agent_hears_nothing() {
    let Some(world) = team() else { return };
    world.person("init --mode watch").succeeds();
    publishes(&world, TIGHT, Some("boss"));
    let reply = begins(&world);
    assert!(reply.to_person().is_some_and(|told| told.contains("claims.push")), "{reply:?}");
    assert_eq!(reply.context(), None);
    // Of the mode the policy says nothing.
    assert_eq!(world.json("status")["mode"], "watch");
}

#[test]
fn a_repository_is_checked_against_a_policy() {
    let world = World::seeded();
    world.puts("../policy.toml", "[claims]\npush = \"refuse\"\n[lane]\nfiles = 3\n");
    let check = |world: &World| world.person("rules check --policy ../policy.toml").said();
    let said = check(&world);
    assert!(said.code == 2 && said.out.contains("claims.push"), "{said:?}");
    world.puts("seed.toml", "surfaces = []\n[claims]\npush = \"refuse\"\n[lane]\nfiles = 2\n");
    let said = check(&world);
    assert!(said.code == 0 && said.out.contains("lane.files  3 -> 2  tightens"), "{said:?}");
    world.puts("seed.toml", "[claims]\npush = \"refuse\"\n[lane]\nfiles = 5\n");
    let said = check(&world);
    assert!(said.code == 2 && said.out.contains("lane.files  3 -> 5  loosens"), "{said:?}");
    let told = world.tries("git seed rules check --policy ../policy.toml --json").out;
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&told["ok"], &told["changes"][0]["way"]), (&json!(false), &json!("loosens")));
    world.person("rules check --policy ../nowhere").ends(64, "no rules in");
}

/// A small job, and what the range of its commit is said of by `verify --rules base`.
fn judged(world: &World) -> (i32, serde_json::Value) {
    world.prompt("[QUICK] fix the lexer").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'one more'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { more();").passes();
    world.tests();
    world.seed("phase advance -m 'lex more'").succeeds();
    rules_of(world, "")
}

fn rules_of(world: &World, more: &str) -> (i32, serde_json::Value) {
    let said =
        world.tries(&format!("git seed verify --ci HEAD~1..HEAD --rules base {more} --json"));
    let found: serde_json::Value =
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    (said.code, found["rules"].clone())
}

#[test]
fn steps_that_looser_rules_judged_are_listed() {
    let world = World::new();
    world.puts("seed.toml", TIGHT);
    world.git("add seed.toml");
    world.git("commit -qm rules");
    let world = world.installed();
    // The proposal is not in force: the shipped rules judge.
    let (code, rules) = judged(&world);
    assert_eq!((code, &rules[0]["keys"]), (3, &json!(["claims.push"])), "{rules}");
    assert_eq!(rules[0]["rules"], "shipped");
    assert!(rules[0]["steps"].as_array().is_some_and(|steps| steps.len() >= 2), "{rules}");
    assert_eq!(rules_of(&world, "--strict").0, 2);
    let told = world.tries("git seed verify --ci HEAD~1..HEAD --rules base").out;
    assert!(told.contains("- looser rules: ") && told.contains(": claims.push"), "{told}");
}

#[test]
fn steps_that_the_rules_of_the_base_judged_or_tighter_ones_are_not_listed() {
    let world = World::new();
    world.puts("seed.toml", TIGHT);
    world.git("add seed.toml");
    world.git("commit -qm rules");
    let world = world.installed();
    world.puts("seed.toml", &format!("[lane]\nfiles = 2\n{TIGHT}"));
    world.person("rules apply").succeeds();
    world.git("checkout -q seed.toml");
    let (_, rules) = judged(&world);
    assert_eq!(rules, json!([]));
    // A text that is not here is not called as tight.
    let id = world.git("rev-parse refs/seed/rules:seed.toml");
    world.puts("seed.toml", "");
    world.person("rules apply").succeeds();
    world.loses(&id);
    let (code, rules) = rules_of(&world, "");
    assert_eq!((code, &rules[0]["keys"]), (3, &json!([])), "{rules}");
    assert!(rules[0]["untold"].as_str().is_some_and(|why| why.contains("is not here")), "{rules}");
}
