//! `git seed verify` never says more than it saw: what was taken away, edited or cut is named,
//! and nothing at all is never a plain yes.

#![expect(clippy::disallowed_macros, reason = "it prints its table")]

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::audit::Dice;
use super::sample::Extent;
use super::world::{CODE, World};

/// What verify answers.
struct Verified {
    code: i32,
    json: Value,
}

impl Verified {
    fn of(world: &World) -> Self {
        let said = world.person("verify --json").said();
        let json = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        Self { code: said.code, json }
    }

    /// What is named under `list`: record and reason.
    fn named(&self, list: &str) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let rows = self.json[list].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| (text(&row["record"]), text(&row["reason"]))).collect()
    }

    #[track_caller]
    fn names(&self, list: &str, record: &str, reason: &str) {
        let named = self.named(list);
        let fits = |(id, why): &(String, String)| id == record && why.contains(reason);
        assert!(named.iter().any(fits), "no {record} ({reason}) in {list}: {}", self.json);
    }
}

/// A job in verify with a checkpoint and a ruling that its last steps saw.
fn in_verify() -> World {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.runs("cargo test").passes();
    let claim = "claim verify --evidence 'cargo test' --type unit_test -m 'Fixed the escapes'";
    world.seed(&format!("{claim} --tested {CODE} --affected {CODE}")).said();
    assert!(!world.git("rev-parse refs/seed/claims").is_empty());
    world.checkpoint("escapes survive").succeeds();
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    world
}

#[test]
fn what_is_whole_is_broken_nowhere_and_nothing_is_no_yes() {
    let world = in_verify();
    let whole = Verified::of(&world);
    assert_eq!(whole.named("broken"), [], "{}", whole.json);
    let unsigned = world.git("rev-list refs/seed/claims");
    for (record, reason) in whole.named("not_measured") {
        assert!(unsigned.contains(&record), "{record}: {reason}");
    }
    assert_eq!(whole.code, 3, "nobody signed the records");
    assert_eq!(whole.json["ok"], Value::Null);
    let bare = World::new().installed();
    let nothing = Verified::of(&bare);
    assert_eq!(nothing.code, 3);
    nothing.names("not_measured", "HEAD", "no records or job steps");
}

#[test]
fn refs_that_are_gone_are_named() {
    let world = in_verify();
    let head = world.git("rev-parse refs/seed/claims");
    let (first, notes) =
        (world.git("rev-parse refs/seed/claims~1 || true"), world.git("rev-parse refs/notes/seed"));
    world.git("update-ref -d refs/seed/claims");
    let gone = Verified::of(&world);
    assert_eq!(gone.code, 2);
    gone.names("broken", head.trim(), "recorded");
    if first.len() >= 40 && !first.contains("refs/") {
        world.git(&format!("update-ref refs/seed/claims {}", first.trim()));
        let cut = Verified::of(&world);
        assert_eq!(cut.code, 2, "{}", cut.json);
        cut.names("broken", head.trim(), "recorded");
    }
    world.git(&format!("update-ref refs/seed/claims {}", head.trim()));
    world.git("update-ref -d refs/notes/seed");
    let gone = Verified::of(&world);
    assert_eq!(gone.code, 3, "{}", gone.json);
    gone.names("not_measured", "refs/notes/seed", "no notes");
    // All that is left are the commits on the branch.
    world.git("symbolic-ref -d refs/worktree/seed/focus");
    world.git("update-ref -d refs/seed/claims");
    world.sh("git for-each-ref --format='delete %(refname)' refs/seed/jobs refs/seed/keep | \
         git update-ref --stdin");
    let gone = Verified::of(&world);
    assert_eq!(gone.code, 3, "{}", gone.json);
    let commit = world.git("rev-parse HEAD");
    gone.names("not_measured", commit.trim(), "is not here");
    world.git(&format!("update-ref refs/notes/seed {}", notes.trim()));
    assert_ne!(Verified::of(&world).code, 0);
}

#[test]
fn commits_without_their_trailers_go_by_what_they_change() {
    let world = in_verify();
    let made = world.git("rev-parse HEAD");
    // The same tree, on the same parent; then on another one; then with another change.
    let amend = "git -c core.hooksPath=/dev/null commit -q --amend --allow-empty -m";
    world.sh(&format!("{amend} plain"));
    let plain = Verified::of(&world);
    let now = world.git("rev-parse HEAD");
    plain.names("followed", now.trim(), "trailers are missing");
    assert_eq!(plain.named("broken"), [], "{}", plain.json);

    world.git("reset -q --hard HEAD~1");
    world.sh("echo more > elsewhere.txt && git add elsewhere.txt && \
              git -c core.hooksPath=/dev/null commit -qm elsewhere");
    world.git(&format!("cherry-pick -n {}", made.trim()));
    world.sh("git -c core.hooksPath=/dev/null commit -qm picked");
    let now = world.git("rev-parse HEAD");
    let picked = Verified::of(&world);
    picked.names("followed", now.trim(), "trailers are missing");

    world.sh(&format!("echo changed >> {CODE} && git add {CODE} && {amend} changed"));
    let changed = Verified::of(&world);
    assert_eq!(changed.code, 3, "{}", changed.json);
    changed.names("not_measured", made.trim(), "not in this history");
    assert_eq!(changed.named("followed"), [], "{}", changed.json);
}

#[test]
fn a_line_of_a_note_is_the_chains_or_it_is_named() {
    let world = in_verify();
    let commit = world.git("rev-parse HEAD");
    let (commit, note) = (commit.trim(), world.git("notes --ref=seed show HEAD"));
    for (from, to) in [("\"cycle\":1", "\"cycle\":2"), ("\"at\":", "\"at\":1"), ("}", ",\"x\":1}")]
    {
        let edited: String = note
            .lines()
            .map(|line| {
                let ours = line.contains("\"kind\":\"step\"");
                if ours { line.replacen(from, to, 1) } else { line.to_owned() }
            })
            .collect::<Vec<_>>()
            .join("\n");
        assert_ne!(edited, note.trim_end());
        world.puts("../note", &edited);
        world.sh("git notes --ref=seed add -f -F ../note HEAD");
        let found = Verified::of(&world);
        assert_eq!(found.code, 2, "{from}: {}", found.json);
        found.names("broken", commit, "differently");
    }
    world.git("notes --ref=seed remove HEAD");
    let gone = Verified::of(&world);
    assert_ne!(gone.code, 0);
    gone.names("not_measured", commit, "does not name its step");
    world.puts("../note", &note);
    world.sh("git notes --ref=seed add -f -F ../note HEAD");
    assert_eq!(Verified::of(&world).named("broken"), []);
}

// ---- a thousand tamperings

const TAMPERINGS: usize = 1000;

/// What somebody does to a history; `at` and `roll` are drawn.
const KINDS: [&str; 9] = [
    "refs are deleted",
    "a step's line in a note is edited",
    "a note is taken away",
    "trailers are taken out of a commit",
    "a trailer is edited",
    "the chain of records is cut",
    "a record is edited, and .git/config names a program that calls each signature good",
    "the allowed signers are others",
    "a commit is taken out of the branch",
];

/// A job with signed records whose steps, notes and commits belong together.
fn signed() -> Option<World> {
    let has = std::process::Command::new("ssh-keygen").arg("-?").output().is_ok();
    if !has {
        super::skip::not_here("ssh-keygen");
        return None;
    }
    let world = World::seeded();
    world.sh("for key in own other; do ssh-keygen -q -t ed25519 -N '' -C '' -f ../$key; done; \
         printf 'a@b %s\\n' \"$(cat ../own.pub)\" > ../allowed; cp ../allowed ../allowed.own; \
         printf 'a@b %s\\n' \"$(cat ../other.pub)\" > ../allowed.other; \
         printf '#!/bin/sh\\necho \"Good \\\\\"git\\\\\" signature for a@b with key x\"\\n' \
         > ../liar; \
         chmod +x ../liar; \
         git config gpg.format ssh; git config user.signingkey $PWD/../own; \
         git config gpg.ssh.allowedSignersFile $PWD/../allowed");
    world.to("execute");
    world.works("execute");
    for n in 0..3 {
        let claim = "claim verify --evidence 'cargo test' --type unit_test -m 'Fixed the escapes'";
        world.seed(&format!("{claim} --tested {CODE} --affected {CODE}")).said();
        world.writes(CODE, &format!("fn lex() {{ keep({n}) }}\n")).passes();
        world.checkpoint("escapes survive").succeeds();
    }
    world.leaves();
    let whole = Verified::of(&world);
    assert_eq!(whole.named("broken"), [], "{}", whole.json);
    Some(world)
}

/// Rewrites the branch: the message of the commit `back` from HEAD goes through `edit` (sed), or
/// the commit is left out; those above it stand on what comes of it.
fn rewrites(world: &World, back: usize, edit: Option<&str>) {
    let edit = edit.map_or_else(
        || "parent=$(git rev-parse HEAD~BACK^)".to_owned(),
        |edit| {
            format!(
                "git log -1 --format=%B HEAD~BACK | sed -E {edit} > ../message; \
                 parent=$(git commit-tree HEAD~BACK^{{tree}} -p HEAD~BACK^ -F ../message)"
            )
        },
    );
    let script = format!(
        "{edit}; for one in $(git rev-list --reverse HEAD~BACK..HEAD); do \
         git log -1 --format=%B $one > ../message; \
         parent=$(git commit-tree $one^{{tree}} -p $parent -F ../message); done; \
         git update-ref refs/heads/main $parent"
    );
    world.sh(&script.replace("BACK", &back.to_string()));
}

/// One tampering of a kind.
fn tampers(world: &World, kind: usize, dice: &mut Dice) {
    let made = world.git("rev-list --count --grep=^Seed-Id HEAD");
    let back = dice.roll(made.trim().parse().expect("a number"));
    match kind {
        0 => {
            let refs = ["refs/seed/claims", "refs/notes/seed", "refs/seed/jobs", "refs/seed/keep"];
            let chosen = 1 + dice.roll((1 << refs.len()) - 1);
            for (n, prefix) in refs.iter().enumerate().filter(|(n, _)| chosen >> n & 1 == 1) {
                // What pins commits alone says nothing of them.
                let with = if *prefix == "refs/seed/keep" && chosen == 1 << n {
                    " refs/notes"
                } else {
                    ""
                };
                world.sh(&format!(
                    "git for-each-ref --format='delete %(refname)' {prefix}{with} | \
                     git update-ref --stdin"
                ));
            }
        }
        1 => {
            let edit =
                ["s/\"run\":1/\"run\":2/", "s/\"phase\":\"/&x/", "s/\"at\":/&1/"][dice.roll(3)];
            world.sh(&format!(
                "git notes --ref=seed show HEAD~{back} | sed '/kind...step/{edit}' > ../note; \
                 git notes --ref=seed add -f -F ../note HEAD~{back}"
            ));
        }
        2 => drop(world.git(&format!("notes --ref=seed remove HEAD~{back}"))),
        3 => rewrites(world, back, Some("'/^ *Seed-/d'")),
        4 => {
            let edit = [
                "'s/^(Seed-Phase: ).*/\\1gmode/'",
                "'s/^(Seed-Cycle: ).*/\\17/'",
                "'s/^(Seed-Id: ).{3}/\\1fff/'",
                "'/^Seed-Run/d'",
            ][dice.roll(4)];
            rewrites(world, back, Some(edit));
        }
        5 => {
            let count = world.git("rev-list --count refs/seed/claims");
            let back = 1 + dice.roll(count.trim().parse::<usize>().expect("a number") - 1);
            world.git(&format!("update-ref refs/seed/claims refs/seed/claims~{back}"));
        }
        6 => {
            world.sh("git config gpg.ssh.program $PWD/../liar; \
                 blob=$(git cat-file blob refs/seed/claims:record.json | \
                 sed 's/\"n\":/\"x\":1,&/' | git hash-object -w --stdin); \
                 tree=$(git ls-tree refs/seed/claims | \
                 sed \"s/[0-9a-f]*\\(\\trecord.json\\)/$blob\\1/\" | git mktree); \
                 commit=$(git cat-file commit refs/seed/claims | sed \"s/^tree .*/tree $tree/\" | \
                 git hash-object -t commit -w --stdin); git update-ref refs/seed/claims $commit");
        }
        7 => drop(world.sh("cp ../allowed.other ../allowed")),
        _ => rewrites(world, back, None),
    }
}

#[test]
fn tamperings_are_broken_followed_or_not_measured_and_named() {
    tamperings(Extent::Part);
}

#[test]
#[ignore = "minutes"]
fn a_thousand_tamperings_are_broken_followed_or_not_measured_and_named() {
    tamperings(Extent::Whole);
}

fn tamperings(extent: Extent) {
    let Some(world) = signed() else { return };
    let whole = Verified::of(&world);
    let refs = world
        .git("for-each-ref --format='%(refname) %(objectname)' refs/seed refs/notes refs/heads");
    let config = world.text(".git/config");
    let mut made = [0; KINDS.len()];
    let count = if extent == Extent::Whole { TAMPERINGS } else { TAMPERINGS / 3 };
    for number in (0..count).filter(|&number| extent.takes(number)) {
        let kind = number % KINDS.len();
        tampers(&world, kind, &mut Dice(number as u64));
        let found = Verified::of(&world);
        let told = |list| {
            found.named(list).into_iter().filter(|one| !whole.named(list).contains(one)).count()
        };
        let named = ["broken", "followed", "not_measured"].map(told);
        assert!(named.iter().sum::<usize>() > 0, "{} ({number}): {}", KINDS[kind], found.json);
        // What only moved, with all that it says, may be a plain yes and is named all the same.
        assert!(found.code != 0 || named[1] > 0, "{} ({number}): {}", KINDS[kind], found.json);
        assert!(
            kind == 3 || kind == 8 || found.code >= 2,
            "{} ({number}): {}",
            KINDS[kind],
            found.json
        );
        made[kind] += 1;
        world.puts(".git/config", &config);
        let back: String = refs
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(name, id)| format!("update {name} {id}\n"))
            .collect();
        world.puts("../refs", &back);
        world.sh("cp ../allowed.own ../allowed; git update-ref --stdin < ../refs");
    }
    for (kind, made) in KINDS.iter().zip(made) {
        println!("{made:>5} {kind}");
    }
    assert_eq!(Verified::of(&world).json, whole.json, "it is as it was");
}
