//! Memory notes, commands for what changes, prompts that are not kept, and what
//! `init --governance` writes.

use serde_json::Value;

use super::world::{CODE, World, tree_of};

const CHECK: &str = "[[check]]\nfiles = [\"*.rs\"]\nrun = \"sh check.sh {path}\"\n";
const TESTS: &str = "[[tests]]\nwhen = [\"src/parser/**\"]\nrun = \"sh tests.sh\"\n";

/// A job in execute, under rules that a person applied.
fn under(rules: &str) -> World {
    let world = World::new();
    world.puts("check.sh", "! grep -n bad \"$1\"\n");
    world.puts("tests.sh", "echo ran >> ../ran\necho 1 test\n! grep -q bad src/parser/lex.rs\n");
    world.puts("seed.toml", rules);
    world.git("add -A");
    world.git("commit -qm rules");
    let world = world.installed();
    world.person("rules apply").succeeds();
    world.to("execute");
    world.opens();
    world
}

/// The receipts in the job's tree.
fn receipts(world: &World) -> Vec<Value> {
    let chain = format!("refs/seed/jobs/{}", world.job().trim());
    let files = world.git(&format!("ls-tree -r --name-only {chain} evidence/"));
    let ids = files.lines().filter_map(|file| file.rsplit('/').next()?.strip_suffix(".toml"));
    ids.map(|id| world.json(&format!("show {id}"))).collect()
}

#[test]
fn memory_notes_are_checked_where_they_lie() {
    let world = World::new();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let project: String = world.repo().to_string_lossy().chars().map(plain).collect();
    let home = world.root().join("home/.claude/projects").join(project).join("memory");
    let note = |name: &str, more: &str| {
        format!(
            "---\nname: {name}\ndescription: x\nmetadata:\n  type: user\n{more}---\n\n1\n2\n3\n4\n\
             5\n"
        )
    };
    std::fs::create_dir_all(&home).expect("a directory");
    let put = |name: &str, text: &str| std::fs::write(home.join(name), text).expect("written");
    put("MEMORY.md", "- [good](good.md)\n");
    put("good.md", &note("good", "linked: [[travels]]\n"));
    world.puts(".claude/memory/travels.md", &note("travels", "last_verified: 2026-11-20\n"));
    world.puts("seed.toml", "[memory]\nnotes = [\".claude/memory\"]\n");
    let world = world.installed();
    let before = world.seed("doctor --memory").said();
    assert_eq!(before.code, 1, "{before:?}");
    assert!(
        before.out.contains("good.md:6  linked         [[travels]] is no memory note"),
        "{before:?}"
    );
    world.person("rules apply").succeeds();
    world.seed("doctor --memory").prints("memory notes are in order\n");
    assert!(world.starts().context().is_none(), "nothing is wrong");

    put("bad_one.md", &note("other", "last_verified: soon\n"));
    put("old.md", &note("old", "").replace("user", "project"));
    let found: Value =
        serde_json::from_str(&world.seed("doctor --memory --json").said().out).expect("JSON");
    let rows: Vec<[&str; 2]> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            assert!(
                one["file"].as_str().is_some_and(|file| file.contains("/memory/"))
                    && one["line"].is_u64()
            );
            assert!(one["what"].is_string(), "{one}");
            [one["rule"].as_str().expect("a word"), one["level"].as_str().expect("a word")]
        })
        .collect();
    let expected = [["name", "error"], ["last-verified", "error"], ["last-verified", "warning"]];
    assert_eq!(rows, expected);
    let told = world.starts();
    told.tells(
        "2 errors in memory notes: bad_one.md:2 name, bad_one.md:6 last-verified. git seed doctor \
         --memory",
    );
    assert!(told.context().is_some_and(|told| told.split_whitespace().count() <= 60));
}

#[test]
fn a_checker_is_heard_after_an_edit_and_refuses_nothing() {
    let world = under(CHECK);
    world.edits(CODE, "fn lex", "fn good").passes();
    let did = world.edits(CODE, "fn good", "fn bad");
    did.after.tells("`sh check.sh src/parser/lex.rs` ended with 1");
    let told = did.after.context().expect("it is told");
    assert!(told.contains("\n> 1:fn bad() {}"), "{told}");
    assert!(did.before.refusal().is_none() && did.after.refusal().is_none());
    assert_eq!(
        world.writes("src/parser/notes.txt", "bad\n").after.context(),
        None,
        "no row is for it"
    );

    // A fetch brings other rules: nobody here applied them.
    world.sh("git cat-file -p refs/seed/rules:seed.toml | sed 's/check.sh/tests.sh/' > ../foreign");
    let blob = world.git("hash-object -w ../foreign");
    let tree =
        world.sh(&format!("printf '100644 blob {}\\tseed.toml\\n' | git mktree", blob.trim()));
    let commit = world.git(&format!("commit-tree -p refs/seed/rules -m foreign {}", tree.trim()));
    world.git(&format!("update-ref refs/seed/rules {}", commit.trim()));
    assert_eq!(world.edits(CODE, "fn bad", "fn bad_").after.context(), None);
    assert!(!world.root().join("ran").exists());
    let doctor = world.seed("doctor").said();
    assert!(
        doctor.out.contains("NO  commands") && doctor.out.contains("came from elsewhere"),
        "{doctor:?}"
    );
}

#[test]
fn a_proposal_runs_nothing() {
    let world = under("");
    world.puts("seed.toml", &format!("{CHECK}{TESTS}"));
    world.edits(CODE, "fn lex", "fn bad").passes();
    assert!(world.stops().to_person().is_none_or(|told| !told.contains("tests")));
    assert!(!world.root().join("ran").exists());
}

#[test]
fn tests_run_when_a_turn_ends_and_leave_receipts() {
    let world = under(TESTS);
    let runs =
        || std::fs::read_to_string(world.root().join("ran")).map_or(0, |ran| ran.lines().count());
    let done = runs();
    world.edits(CODE, "fn lex", "fn bad").passes();
    let reply = world.stops();
    assert!(reply.refusal().is_some(), "the job is open, whatever its tests say");
    let told = reply.to_person().expect("the person hears of them").to_owned();
    assert!(told.contains("`sh tests.sh` ended with 1") && told.contains("\n> 1 test"), "{told}");
    assert_eq!(runs(), done + 1);
    assert!(world.stops().to_person().is_none(), "nothing changed since");
    assert_eq!(runs(), done + 1);

    let did = world.edits(CODE, "fn bad", "fn lexer");
    did.after.tells("tests at the end of the turn: `sh tests.sh` ended with 1");
    assert_eq!(world.reads(CODE).after.context(), None, "it is told once");
    world.session("5d1c0b6e-0000-4000-8000-000000000002");
    assert!(world.stops().to_person().is_none(), "a guest's turn tests nothing");
    world.session("e2fc06a6-4aaf-49f6-8712-117cd08f9339");
    let told = world.stops();
    assert!(told.to_person().is_some_and(|told| told.contains("`sh tests.sh` passed")), "{told:?}");
    world.prompt("go on").tells("`sh tests.sh` passed");

    world.checkpoint("keep escapes in quoted strings").succeeds();
    let mut ended: Vec<Option<i64>> = receipts(&world)
        .iter()
        .filter(|one| one["command"] == "sh tests.sh" && one["tree_after"].is_string())
        .map(|one| one["status"].as_i64())
        .collect();
    ended.sort_unstable();
    assert_eq!(ended, [Some(0), Some(1)]);

    world.person("off -m rest").succeeds();
    world.edits(CODE, "fn lexer", "fn bad").passes();
    world.stops();
    assert_eq!(runs(), done + 2, "off is off");

    // Lines of an earlier git seed wait for ten seconds: tests are given less, and doctor tells.
    let doctor = || world.seed("doctor").said().out;
    let waits = "Claude Code does not wait long enough for tests at the end of a turn";
    assert!(!doctor().contains(waits));
    world.sh("sed -i.old 's/\"timeout\": 75/\"timeout\": 10/' .claude/settings.local.json");
    assert!(
        doctor().contains("Claude Code does not wait long enough for tests at the end of a turn"),
        "{}",
        doctor()
    );
}

#[test]
fn prompts_are_kept_by_hash_where_the_rules_say_so() {
    let world = World::new();
    world.puts("seed.toml", "[privacy]\nprompts = \"hash\"\n");
    let world = world.installed();
    world.person("rules apply").succeeds();
    world.prompt("mend the xyzzy lexer, please");
    let shown = world.json("job show");
    let name = shown["job"]["name"].as_str().or(shown["name"].as_str()).expect("a name").to_owned();
    assert!(name.starts_with("Prompt ") && name.ends_with(", 28 characters"), "{shown}");
    assert!(shown.to_string().contains("Its words are not kept"), "{shown}");
    let entry = world.seed("phase advance").succeeds();
    assert!(entry.contains(", 28 characters"), "{entry}");
    world.prompt("and xyzzy again");
    world.seed("summary show").succeeds();
    let kept = world
        .sh("git log -p --all | cat; cat .git/seed/journal/*; git seed job show; git seed status");
    assert!(kept.contains(", 15 characters") && !kept.contains("xyzzy"), "{kept}");
    assert_eq!(world.tries("grep -rl xyzzy . --exclude-dir=objects").out, "");
    // The log of prompts has hash and length in any case.
    let log = world.sh("cat .git/seed/journal/*");
    assert!(log.contains("\"what\":\"prompt\"") && log.contains("\"length\":15"), "{log}");
}

#[test]
fn advice_is_written_where_nobody_wrote_and_goes_as_it_came() {
    let world = World::new();
    world.puts(".claude/rules/seed-security.md", "# Ours\n");
    world.git("add -A -f");
    world.git("commit -qm theirs");
    let all = || tree_of(world.repo(), &|path| path.starts_with(".git/objects"));
    let before = all();
    let told = world.person("init --governance").succeeds();
    assert!(
        told.contains(".claude/rules/") && told.contains("4 rule texts, advice only"),
        "{told}"
    );
    assert!(told.contains("left      .claude/rules/seed-security.md"), "{told}");
    assert_eq!(world.git("status --porcelain"), "");
    assert_eq!(world.text(".claude/rules/seed-security.md"), "# Ours\n");
    let skill = ".claude/skills/seed-self-governance/SKILL.md";
    assert!(world.text(skill).contains("git seed claim verify"));
    let reviewer = world.text(".claude/agents/diff-reviewer.md");
    assert!(reviewer.contains("tools: Read, Grep, Glob, Bash(git diff *)"), "{reviewer}");
    world.person("init --governance").succeeds();

    world.puts(skill, "# Mine now\n");
    let told = world.person("uninstall").succeeds();
    assert!(told.contains(skill) && told.contains("you changed it: yours now"), "{told}");
    let mut after = all();
    after.retain(|path, _| !path.contains("seed-self-governance"));
    assert!(after.remove(".claude/skills").is_some(), "what is theirs keeps its folder");
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}
