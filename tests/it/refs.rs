//! Refs that code of a call moves: what goes or is swapped is named, with what puts it back.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, World};

/// In execute, with its work done.
fn at_work() -> World {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world
}

/// Every ref and every entry of the stash.
fn refs(world: &World) -> Vec<String> {
    let refs = world.git("for-each-ref --format='%(objectname) %(refname)'");
    let stash = world.git("stash list --format='%H %gs'");
    let own = |line: &&str| !line.ends_with("refs/stash");
    let mut all: Vec<String> =
        refs.lines().filter(own).chain(stash.lines()).map(str::to_owned).collect();
    all.sort();
    all
}

#[test]
fn what_a_call_takes_from_the_refs_is_named_with_what_puts_it_back() {
    // In one stay so many runs would have to be written down.
    for part in 0..PARTS {
        is_named_with_what_puts_it_back(part);
    }
}

const PARTS: usize = 6;

fn is_named_with_what_puts_it_back(part: usize) {
    let world = at_work();
    world.sh("git branch side && git branch deep/er && git branch packed && git tag v1");
    world.sh("git tag -a -m 'a version' v2");
    world.sh("git notes --ref=review add -m fine && git pack-refs --all && git branch loose");
    for words in ["one", "it is two", "three"] {
        world.sh(&format!("git stash store -m '{words}' $(git stash create '{words}')"));
    }
    let other = "$(git commit-tree -m other HEAD^{tree})";
    let keep = world.git("for-each-ref --format='%(refname)' refs/seed/keep").trim().to_owned();
    for (n, (line, name)) in [
        ("git branch -D side".to_owned(), "refs/heads/side was deleted"),
        ("git branch -D loose".to_owned(), "refs/heads/loose was deleted"),
        (
            "git branch -D deep/er && git pack-refs --all".to_owned(),
            "refs/heads/deep/er was deleted",
        ),
        (format!("git update-ref refs/heads/packed {other}"), "refs/heads/packed was moved"),
        ("git tag -f v1 HEAD^{tree}".to_owned(), "refs/tags/v1 was moved"),
        ("git tag -d v2".to_owned(), "refs/tags/v2 was deleted"),
        ("git stash drop -q 'stash@{1}'".to_owned(), "an entry of refs/stash was dropped"),
        (format!("git replace HEAD {other}"), "is new"),
        ("git update-ref -d refs/notes/review".to_owned(), "refs/notes/review was deleted"),
        ("git update-ref -d refs/notes/seed".to_owned(), "refs/notes/seed was deleted"),
        (format!("git update-ref -d {keep}"), "was deleted"),
        (format!("git update-ref {keep} {other}"), "was moved"),
        ("git notes --ref=seed remove HEAD".to_owned(), "refs/notes/seed was moved"),
        ("git notes --ref=seed add -f -m mine HEAD".to_owned(), "refs/notes/seed was moved"),
        ("git update-ref refs/seed/claims HEAD".to_owned(), "refs/seed/claims is new"),
        ("git update-ref refs/seed/archive HEAD".to_owned(), "refs/seed/archive is new"),
        ("git update-ref refs/seed/policy HEAD".to_owned(), "refs/seed/policy is new"),
        (format!("git update-ref {keep}x HEAD"), "is new"),
        (
            format!("git update-ref {keep} $(git commit-tree -p {keep} -m x {keep}^{{tree}})"),
            "was moved",
        ),
        ("git symbolic-ref refs/seed/x refs/heads/main".to_owned(), "refs/seed/x is new"),
        ("rm -f .git/refs/worktree/seed/focus".to_owned(), "refs/worktree/seed/focus was deleted"),
        ("git rev-parse HEAD > .git/MERGE_HEAD".to_owned(), "MERGE_HEAD is new"),
    ]
    .into_iter()
    .enumerate()
    {
        if n % PARTS != part {
            continue;
        }
        let before = refs(&world);
        let did = world.runs_and("cargo test", || drop(world.sh(&line)));
        let told = did.after.context().unwrap_or_else(|| panic!("{line}: {did:?}"));
        assert!(told.contains("NOTICED") && told.contains(name), "{line}: {told}");
        let heard = did.after.to_person().unwrap_or_default();
        assert!(heard.contains("a call of the agent") && heard.contains(name), "{line}: {heard}");
        let said = told.lines().find(|said| said.contains(name)).expect("one line");
        let (_, back) = said.split_once(": ").expect("a command");
        world.sh(back);
        assert_eq!(refs(&world), before, "{line}: {back}");
    }
    world.notes("---Ex---", "what a call does to refs");
    // What begins, grows or is only stored in another way takes nothing from anybody.
    for line in [
        "git branch begun",
        "git update-ref refs/heads/packed $(git commit-tree -p packed -m more HEAD^{tree})",
        "git pack-refs --all --prune",
        "git notes --ref=seed append -m 'a word of the person' HEAD",
        "git update-ref refs/remotes/origin/x HEAD && git update-ref -d refs/remotes/origin/x",
    ] {
        let did = world.runs_and("cargo test", || drop(world.sh(line)));
        let said = [did.after.context(), did.after.to_person()].map(Option::unwrap_or_default);
        assert!(!said.concat().contains("refs"), "{line}: {said:?}");
    }
    // A person between two calls is nobody's business.
    world.sh("git branch -D begun && git stash clear");
    let did = world.runs_and("cargo test", || {});
    assert!(!did.after.to_person().unwrap_or_default().contains("refs"), "{did:?}");
    world.leaves();
    world.person("verify").succeeds();
}

/// Without them no hook says or holds anything: that is no change that blocks nothing.
#[test]
fn a_call_that_takes_all_refs_of_git_seed_is_told_as_its_end() {
    let world = at_work();
    let line = "git for-each-ref --format='delete %(refname)' refs/seed | git update-ref --stdin \
                && git symbolic-ref -d refs/worktree/seed/focus";
    let did = world.runs_and("cargo test", || drop(world.sh(line)));
    let heard = did.after.to_person().unwrap_or_default();
    assert!(heard.contains("holds nothing here") && !heard.contains("blocks nothing"), "{heard}");
    assert!(heard.contains("refs/seed/meta was deleted; to put it back"), "{heard}");
}

/// The state is read from it: the damage is told with what puts it back.
#[test]
fn a_call_that_takes_the_ref_of_the_job_is_told_with_what_puts_it_back() {
    let world = at_work();
    let chain = format!("refs/seed/jobs/{}", world.job());
    let tip = world.git(&format!("rev-parse {chain}"));
    let line = format!("git update-ref -d {chain}");
    let did = world.runs_and("cargo test", || drop(world.sh(&line)));
    let heard = did.after.to_person().unwrap_or_default();
    let back = format!("git update-ref {chain} {tip}");
    assert!(heard.contains("is missing") && heard.contains(&back), "{heard}");
    world.sh(&back);
    assert_eq!(world.phase(), "execute");
}

#[test]
fn a_replace_ref_hides_no_change_from_a_boundary() {
    let world = at_work();
    let lines = [
        format!("git replace $(git rev-parse HEAD:{CODE}) $(git hash-object -w {CODE})"),
        "GIT_INDEX_FILE=.git/apart git add -A".to_owned(),
        "GIT_INDEX_FILE=.git/apart git write-tree > .git/apart.tree".to_owned(),
        "git replace HEAD^{tree} $(cat .git/apart.tree)".to_owned(),
        "git replace HEAD $(git commit-tree -m x $(cat .git/apart.tree))".to_owned(),
        "rm .git/apart .git/apart.tree".to_owned(),
    ];
    let head = world.git("rev-parse HEAD").trim().to_owned();
    let did = world.runs_and("cargo test", || drop(world.sh(&lines.join(" && "))));
    did.after.tells("refs/replace/");
    world.leaves();
    world.sh("git replace -d $(git replace -l)");
    let changed = world.git(&format!("diff --name-only {head} HEAD"));
    assert!(changed.lines().any(|path| path == CODE), "{changed}");
    world.person("verify").succeeds();
}

/// Records of the gate that do not read rule on no words: the turn is held for it once, and the
/// person hears why. `doctor` names the ref, and takes it for one of ours in no case.
#[test]
fn records_that_do_not_read_let_no_turn_end_unseen() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    let ends = |again: bool| {
        let fields = json!({ "stop_hook_active": again, "background_tasks": [],
            "session_crons": [], "last_assistant_message": "Fixed the lexer and all tests pass." });
        world.minute();
        world.event("Stop", &fields)
    };
    let named = || world.person("doctor").said().out.contains("which git seed did not write");
    assert!(!named());
    world.git("update-ref refs/seed/claims HEAD");
    assert!(named());
    let held = ends(false);
    let why = held.refusal().unwrap_or_else(|| panic!("{held:?}"));
    assert!(why.contains("is not a record"), "{why}");
    assert!(held.to_person().unwrap_or_default().contains("is not a record"), "{held:?}");
    assert!(ends(true).refusal().is_none(), "a host that asks again is let go");
    world.git("update-ref -d refs/seed/claims");
    assert!(!named());
}

/// A push of somebody else's tool can leave thousands: five are named with what removes them, and
/// the rest is counted until those are gone.
#[test]
fn many_refs_that_are_not_ours_are_counted() {
    let world = World::seeded();
    let refs = || {
        let name = |n: u32| format!("refs/seed/jobs/2025{:02}01t000000-{n:04x}", n % 12 + 1);
        (0..7).map(name).collect::<Vec<_>>()
    };
    for name in refs() {
        world.git(&format!("update-ref {name} HEAD"));
    }
    let told = world.person("doctor").said().out;
    assert_eq!(told.matches("which git seed did not write").count(), 5, "{told}");
    assert!(told.contains("2 more refs below refs/seed"), "{told}");
    for line in told.lines().filter_map(|line| line.trim().strip_prefix("fix: git update-ref")) {
        world.git(&format!("update-ref{line}"));
    }
    let told = world.person("doctor").said().out;
    assert_eq!(told.matches("which git seed did not write").count(), 2, "{told}");
    assert!(!told.contains("more refs below"), "{told}");
}
