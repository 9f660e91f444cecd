//! Killed before any one of its writes, a command that condenses loses nothing: the next one
//! finishes it or repeats it. Where there is no `strace` the tests say so and pass.

#![expect(clippy::disallowed_macros, reason = "it tells how often it killed, or why it did not")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;

use super::sample::Extent;
use super::world::{CODE, PAGE, World, message};

/// A second page of the same job, so that a command can be stopped between the two.
const OTHER: &str = "src/parser/tests/CLAUDE.md";
/// What changes something that outlives the process.
pub(super) const WRITES: &str = "write,pwrite64,rename,renameat,renameat2,link,linkat,unlink,\
                                 unlinkat,mkdir,mkdirat,fsync,fdatasync,ftruncate,symlink,\
                                 symlinkat";
/// The most kills of one test: all of them where there are not more, else spread evenly.
const MOST: usize = 6;

pub(super) fn has_strace() -> bool {
    let mut tried = Command::new("strace");
    let done = tried.args(["-f", "-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let has = done.is_ok_and(|status| status.success());
    if !has {
        super::skip::not_here("strace that may trace");
    }
    has
}

/// A world whose two pages say `ours` and `others` below `---Ve---` where condense begins.
fn with_pages(ours: &str, others: &str) -> World {
    let world = World::seeded();
    world.to("plan");
    world.works("plan");
    world.reads(PAGE).passes();
    let page = super::world::page("# tests\n");
    world.writes(OTHER, &page).passes();
    world.leaves();
    world.enters("verify");
    world.opens();
    world.tests();
    world.notes("---Ve---", ours);
    world.tests();
    world.reads(OTHER).passes();
    world.edits(OTHER, "---Ve---\n", &format!("---Ve---\n\n{others}\n")).passes();
    world
}

/// The same in condense, opened.
fn condensing(ours: &str, others: &str) -> World {
    let world = with_pages(ours, others);
    world.leaves();
    world.opens();
    world.reads(PAGE).passes();
    world
}

/// All that a command may change, kept beside the repository.
pub(super) struct Kept<'w>(&'w World);

impl<'w> Kept<'w> {
    /// All folders of objects are made before: an object whose folder is not there costs a write
    /// more, and which ones are not there changes with their ids from run to run.
    pub(super) fn of(world: &'w World) -> Self {
        for folder in 0..=u8::MAX {
            let folder = world.path(&format!(".git/objects/{folder:02x}"));
            fs::create_dir_all(folder).expect("a folder of objects");
        }
        world.sh(
            "rm -rf ../kept && mkdir ../kept && cp -a . ../kept/repo && cp -a ../home ../kept/home",
        );
        Self(world)
    }

    pub(super) fn restore(&self) {
        self.0.sh("find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + && cp -a ../kept/repo/. . && \
                   rm -rf ../home && cp -a ../kept/home ../home");
    }
}

/// One write of a command: a system call, and how often the command has made it by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    pub call: String,
    pub nth: usize,
}

/// The writes that `line` makes of its own accord, in their order.
pub(super) fn writes_of(world: &World, line: &str, stdin: &str) -> Vec<Write> {
    let said =
        world.agents_shell(&format!("strace -qq -e trace={WRITES} -o ../trace {line}"), stdin);
    assert_eq!(said.code, 0, "{said:?}");
    written(&fs::read_to_string(world.root().join("trace")).expect("strace wrote it"))
}

/// The writes that a trace tells of.
pub(super) fn written(trace: &str) -> Vec<Write> {
    written_of(trace, WRITES)
}

/// Those of these calls that a trace tells of.
pub(super) fn written_of(trace: &str, of: &str) -> Vec<Write> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let calls = trace.lines().filter_map(|call| call.split_once('(')).map(|(call, _)| call);
    calls
        .filter(|call| of.split(',').any(|known| known == *call))
        .map(|call| {
            let nth = times.entry(call).or_default();
            *nth += 1;
            Write { call: call.to_owned(), nth: *nth }
        })
        .collect()
}

/// Where to kill: before every write if there are few; else before each that gives a file its
/// name, as far as they fit, and others between.
pub(super) fn chosen(writes: &[Write]) -> Vec<&Write> {
    spread_over(writes, MOST, &["rename", "link"])
}

/// At most `most` of these writes: half of them such that begin with one of `first`, as far as
/// there are any, and others between.
pub(super) fn spread_over<'w>(writes: &'w [Write], most: usize, first: &[&str]) -> Vec<&'w Write> {
    let spread = |of: Vec<usize>, most: usize| {
        let most = most.min(of.len());
        (0..most)
            .map(|n| of[n * (of.len() - 1) / most.saturating_sub(1).max(1)])
            .collect::<Vec<_>>()
    };
    let is_first = |n: &usize| first.iter().any(|call| writes[*n].call.starts_with(call));
    let (chosen, others) = (0..writes.len()).partition::<Vec<_>, _>(is_first);
    let chosen = spread(chosen, most / 2);
    let others = spread(others, most - chosen.len());
    let points: BTreeSet<usize> = chosen.into_iter().chain(others).collect();
    points.into_iter().map(|n| &writes[n]).collect()
}

/// Runs `line` until right before this write; says whether it came that far, for a run may
/// write less often than the last one did. Nobody else holds a lock that it leaves: time goes
/// by until that shows.
pub(super) fn killed_at(
    world: &World,
    Write { call, nth }: &Write,
    line: &str,
    stdin: &str,
) -> bool {
    let inject =
        format!("strace -qq -e trace={call} -e inject={call}:signal=KILL:when={nth} -o ../trace");
    let dead = world.agents_shell(&format!("{inject} {line}"), stdin);
    if dead.code == 0 {
        return false;
    }
    assert_eq!(dead.code, 137, "killed at {call} {nth}: {dead:?}");
    time_goes_by(world);
    true
}

/// Nobody else holds a lock that a dead process left, which shows after a while.
pub(super) fn time_goes_by(world: &World) {
    world.sh("rm -f .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock");
    world.sh("find .git/refs -name '*.lock' -exec touch -d '1 minute ago' {} +");
}

/// What the job's tree has of the session log, and what the work tree has.
fn logs(world: &World) -> (String, String) {
    let job = world.job();
    let file = "run-1/session-log-1.md";
    let kept = world
        .tries(&format!("git show $(git for-each-ref --format='%(refname)' | grep {job}$):{file}"));
    // What a note said when it was resolved stands in the message of that step.
    let told = world.git(&format!(
        "log --format=%B --grep 'Seed-Step: note' $(git for-each-ref --format='%(refname)' | grep \
         {job}$)"
    ));
    (kept.out + &told, world.text(&format!(".claude/jobs/{job}/{file}")))
}

fn unsettled(world: &World) -> BTreeSet<String> {
    world.git("status --porcelain -uall").lines().map(str::to_owned).collect()
}

/// Kills `line` before each of its writes and lets `check` look at what is left each time;
/// then the command itself and `after` must lead to the same pages, logs and files as they do
/// where nobody was killed.
fn killing(world: &World, line: &str, stdin: &str, mended_by: &[&str], settles: impl Fn(&World)) {
    let kept = Kept::of(world);
    let before: Vec<String> = [PAGE, OTHER].map(|page| world.text(page)).to_vec();
    let writes = writes_of(world, line, stdin);
    for step in mended_by {
        world.agents_shell(step, stdin);
    }
    let end = |world: &World| {
        ([PAGE, OTHER].map(|page| world.text(page)), logs(world).1, unsettled(world))
    };
    let calm = end(world);
    let points = chosen(&writes);
    eprintln!("{line}: {} writes, killed before {} of them", writes.len(), points.len());
    let mut killed = 0;
    for (n, write) in points.iter().enumerate() {
        kept.restore();
        if !killed_at(world, write, line, stdin) {
            continue;
        }
        killed += 1;
        let (recorded, on_disk) = logs(world);
        for (page, text) in [PAGE, OTHER].iter().zip(&before) {
            let now = world.text(page);
            for said in text.lines().filter(|line| !line.trim().is_empty()) {
                let stands = [&now, &recorded, &on_disk].iter().any(|text| text.contains(said));
                let climbs = said.starts_with("[CARRIED:");
                assert!(
                    stands || climbs,
                    "killed at {write:?}: {said:?} is nowhere\n{now}\n{recorded}"
                );
            }
        }
        let mut last = None;
        for step in mended_by {
            last = Some(world.agents_shell(step, stdin));
        }
        let after = end(world);
        assert_eq!(after, calm, "killed at {write:?}\nthen {last:?}");
        world.git("fsck --strict --no-dangling");
        // Closing takes a while: at the first, the last and some between.
        if n == points.len() / 2 || n + 1 == points.len() {
            settles(world);
        }
    }
    assert!(killed * 2 > points.len(), "only {killed} of {points:?} were reached");
}

/// The cycle closes, with both pages in its commit.
fn closes(world: &World) {
    world.works("condense");
    world.reads(CODE).passes();
    world.writes(OTHER, &super::world::page("# tests\n")).passes();
    world.minute();
    world.approved();
    let said = world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert_eq!(world.phase() == "condense", false, "{said}");
    let files = world.files_of_head();
    assert!(
        files.iter().any(|file| file == PAGE) && files.iter().any(|file| file == OTHER),
        "{files:?}"
    );
    assert_eq!(unsettled(world), BTreeSet::new());
}

const TAGGED: &str = "[DURABLE] It lasts.\n\n[EPHEMERAL] scratch of the day";

#[test]
fn an_archive_that_is_killed_at_any_write_is_finished_by_the_next() {
    if !has_strace() {
        return;
    }
    let world = condensing(TAGGED, "[DURABLE] Tests last too.\n\nuntagged words");
    killing(&world, "git-seed condense archive", "", &["git-seed condense archive"], |world| {
        world.seed("condense verify").tells("contains the footers");
        closes(world);
    });
}

#[test]
fn an_absorb_that_is_killed_at_any_write_is_finished_by_the_next() {
    if !has_strace() {
        return;
    }
    let world = condensing(TAGGED, "[DURABLE] Tests last too.\n\nuntagged words");
    world.seed("condense archive").succeeds();
    killing(&world, "git-seed condense absorb", "", &["git-seed condense absorb"], |world| {
        let body = |page| world.text(page).split("---Ob---").next().unwrap_or_default().to_owned();
        assert!(body(PAGE).contains("It lasts.") && body(OTHER).contains("Tests last too."));
        closes(world);
    });
}

#[test]
fn a_drop_that_is_killed_at_any_write_is_finished_by_the_next() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let id = world.job();
    let kept = Kept::of(&world);
    let line = "env GIT_SEED_TEST_PERSON=1 git-seed job drop -m 'no more'";
    let writes = writes_of(&world, line, "");
    let points = chosen(&writes);
    let mut killed = 0;
    for (n, write) in points.iter().enumerate() {
        kept.restore();
        if !killed_at(&world, write, line, "") {
            continue;
        }
        killed += 1;
        // Said again, or not: the next prompt is work.
        if n % 2 == 0 {
            world.person(&format!("job drop {id} -m 'no more'")).said();
            let status = world.json(&format!("job show {id}"))["status"].clone();
            assert_eq!(status, "voided", "killed at {write:?}");
            world.stops().passes();
        } else {
            world.prompt("[DROP]");
        }
        world.prompt("Something else");
        assert_ne!(world.job(), id, "killed at {write:?}");
        world.seed("phase advance").succeeds();
        world.git("fsck --strict --no-dangling");
    }
    assert!(killed * 2 > points.len(), "only {killed} of {points:?} were reached");
}

#[test]
fn a_review_that_is_killed_at_any_write_goes_on_with_the_next() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.asks(&super::world::completion()).passes().answers("Review");
    world.prompt("rename lex to lexer");
    let kept = Kept::of(&world);
    let line = "git-seed phase advance --review";
    let writes = writes_of(&world, line, "");
    let points = chosen(&writes);
    let mut killed = 0;
    for write in &points {
        kept.restore();
        if !killed_at(&world, write, line, "") {
            continue;
        }
        killed += 1;
        // Whatever was done of it, what is next leads on; in the end the cycle is open once.
        for _ in 0..3 {
            let next = world.json("status")["next"].as_str().unwrap_or_default().to_owned();
            if world.phase() == "execute" {
                break;
            }
            // Behind a semicolon stands what a person who wants nothing more has.
            let next = next.split(';').next().unwrap_or_default();
            let line = match world.phase().as_str() {
                "observe" => "phase advance -m 'rename lex to lexer'",
                _ => next.strip_prefix("git seed ").expect("a command"),
            };
            world.seed(line).succeeds();
        }
        let at = (world.phase(), world.json("phase cycle"));
        assert_eq!(at, ("execute".to_owned(), serde_json::json!(2)), "killed at {write:?}");
        let shown = world.json("job show");
        assert_eq!(shown["extension_cycles_added"], 1, "killed at {write:?}");
        world.git("fsck --strict --no-dangling");
    }
    assert!(killed * 2 > points.len(), "only {killed} of {points:?} were reached");
}

const NOTES: &str = "[KNOWLEDGE]{how escapes lex}\n[DRAFT-TERM]{trivia}";

/// A knowledge file that shows the first note; both have their numbers.
fn knows_lexers(world: &World) {
    world.puts(
        ".claude/knowledge/lexers.md",
        "---\nname: lexers\ndescription: How they lex\ntype: user\n---\nOne\nTwo\nThree\nFour\n\
         Five\n",
    );
    world.seed("note list").tells("  2  ");
}

#[test]
fn a_note_that_is_resolved_or_carried_is_not_lost_by_a_kill() {
    if !has_strace() {
        return;
    }
    let world = condensing(NOTES, "words of the tests");
    knows_lexers(&world);
    let resolve = "git-seed note resolve 1 --breadcrumb .claude/knowledge/lexers.md";
    killing(&world, resolve, "", &[resolve], |_| ());
    let carry = "git-seed note carry 2 --why later";
    killing(&world, carry, "", &[carry], |_| ());
    assert_eq!(world.text(PAGE).matches("[CARRIED:DRAFT-TERM:1]{trivia}{later}").count(), 1);
}

/// Kills `line` before each of its writes. The next command, which only looks, leaves pages, logs
/// and files either as they were, if nothing was recorded, or as the command leaves them.
fn finishes_itself_at_the_next(world: &World, line: &str) {
    let kept = Kept::of(world);
    let end = |world: &World| {
        ([PAGE, OTHER].map(|page| world.text(page)), logs(world).1, unsettled(world))
    };
    let edits = |world: &World| world.json("status")["cost"].clone();
    let steps = |world: &World| world.json("log").as_array().map_or(0, Vec::len);
    let (before, stood) = (end(world), steps(world));
    let writes = writes_of(world, line, "");
    world.agents_shell("git-seed status", "");
    let (calm, stands, cost) = (end(world), steps(world), edits(world));
    assert_ne!(before, calm, "{line} does something");
    let mut finished = 0;
    for write in chosen(&writes) {
        kept.restore();
        if !killed_at(world, write, line, "") {
            continue;
        }
        world.agents_shell("git-seed status", "");
        let after = end(world);
        let recorded = steps(world) > stood;
        assert!(after == calm || (after == before && !recorded), "killed at {write:?}: {after:?}");
        if after == calm {
            finished += 1;
            assert_eq!(steps(world), stands, "killed at {write:?}");
            assert_eq!(edits(world), cost, "killed at {write:?}");
            world.seed("fence status").tells("Clean.");
            assert!(!world.path(".git/seed/meant/main.toml").exists());
        }
    }
    assert!(finished > 0, "{line}: none was finished");
    kept.restore();
}

#[test]
fn a_command_that_writes_pages_is_finished_by_whatever_comes_next() {
    if !has_strace() {
        return;
    }
    let world = condensing(&format!("{NOTES}\n\n{TAGGED}"), "[DURABLE] Tests last too.");
    knows_lexers(&world);
    let resolve = "git-seed note resolve 1 --breadcrumb .claude/knowledge/lexers.md";
    finishes_itself_at_the_next(&world, resolve);
    world.agents_shell(resolve, "");
    let carry = "git-seed note carry 2 --why later";
    finishes_itself_at_the_next(&world, carry);
    world.agents_shell(carry, "");
    finishes_itself_at_the_next(&world, "git-seed condense archive");
    world.seed("condense archive").succeeds();
    finishes_itself_at_the_next(&world, "git-seed condense absorb");
}

/// Who changed the page meanwhile is heard: nothing is written over them.
#[test]
fn a_page_that_changed_after_the_kill_is_left_as_it_is() {
    if !has_strace() {
        return;
    }
    let world = condensing(NOTES, "words of the tests");
    world.seed("note list").tells("  2  ");
    let carry = "git-seed note carry 2 --why later";
    let kept = Kept::of(&world);
    let writes = writes_of(&world, carry, "");
    for write in chosen(&writes) {
        kept.restore();
        if !killed_at(&world, write, carry, "") {
            continue;
        }
        let edited = world.text(PAGE).replace("lex", "scan");
        world.puts(PAGE, &edited);
        world.agents_shell("git-seed status", "");
        assert_eq!(world.text(PAGE), edited, "killed at {write:?}");
        assert!(!world.path(".git/seed/meant/main.toml").exists());
    }
}

#[test]
fn carried_notes_climb_once_however_often_condense_begins() {
    if !has_strace() {
        return;
    }
    let carried = "[CARRIED:DRAFT-TERM:1]{trivia}{later}\n[CARRIED:DRAFT-TERM:2]{trivia}{later}";
    let world = with_pages(carried, "[CARRIED:KNOWLEDGE:4]{lexers}{no time}");
    world.minute();
    let sent = message("verify");
    let advance = "sh -c '[ \"$(git-seed phase current --json | grep verify)\" ] && exec git-seed \
        phase advance -F -'";
    let again =
        [advance, "git-seed phase multiplier 3", "git-seed note list", "git-seed note list"];
    killing(&world, "git-seed phase advance -F -", &sent, &again, |world| {
        let climbed =
            "[CARRIED:DRAFT-TERM:2]{trivia}{later}\n[CARRIED:DRAFT-TERM:3]{trivia}{later}\n";
        assert!(world.text(PAGE).contains(climbed), "{}", world.text(PAGE));
        assert!(world.text(OTHER).contains("[CARRIED:KNOWLEDGE:5]{lexers}{no time}"));
        world.reads(PAGE).passes();
        world.seed("condense archive").succeeds();
        let page = super::world::page("Escapes need one character of lookahead.\n");
        world.writes(PAGE, &format!("{page}{climbed}")).passes();
        world.leaves();
        let files = world.files_of_head();
        assert!(files.iter().any(|file| file == OTHER), "what climbed is committed: {files:?}");
        assert_eq!(unsettled(world), BTreeSet::new());
    });
}

/// Kills `line`, which the host tells the hooks of, before writes from its commit on, as many as
/// `extent` takes; the next command, which only looks, has then taken the step, and what stands on
/// the branch and in the chains is sound.
fn finishes_itself(world: &World, line: &str, stdin: &str, extent: Extent) {
    let kept = Kept::of(world);
    let (job, before) = (world.job(), world.git("rev-parse HEAD"));
    let writes = writes_of(world, line, stdin);
    // The host tells of the end of the call; a prompt comes first; or the host was killed as well.
    let kills = |write: &Write, heard: bool| {
        kept.restore();
        let mut killed = false;
        if heard {
            world.runs_and(line, || killed = killed_at(world, write, line, stdin));
        } else if write.nth.is_multiple_of(2) {
            killed = killed_at(world, write, line, stdin);
            world.prompt("And then teach it numbers");
            world.stops();
        } else {
            let input = serde_json::json!({ "command": line, "description": "scripted command" });
            world.before("Bash", &input, &world.next_call());
            killed = killed_at(world, write, line, stdin);
            world.another_process_speaks();
            world.session("6a7d1c7e-1d9c-4b0e-8f57-0d6a6b1b2c3d");
            world.starts();
        }
        killed && world.git("rev-parse HEAD") != before
    };
    let first = writes.partition_point(|write| !kills(write, true));
    let behind = &writes[first..];
    let (mut killed, mut trouble) = (0, Vec::new());
    let points = match extent {
        Extent::Whole => behind.iter().collect(),
        Extent::Part => chosen(behind),
    };
    for (n, write) in points.into_iter().enumerate() {
        if !kills(write, n % 2 == 0) {
            continue;
        }
        killed += 1;
        let said = [world.seed("status").said(), world.seed("verify").said()];
        // A prompt that came in between is a step of its own, or of a job of its own where this one
        // is over.
        let (log, head) = (world.json(&format!("log {job}")), world.git("rev-parse HEAD"));
        let taken = log.as_array().is_some_and(|log| log.iter().any(|step| step["commit"] == head));
        let noted = !said[1].out.contains("its note does not name its step");
        if !taken || !noted || said[0].code != 0 || said[1].code == 2 {
            trouble.push(format!("killed at {write:?}: {said:?}"));
        }
    }
    kept.restore();
    eprintln!("{line}: {} writes behind its commit, killed before {killed}", behind.len());
    assert!(trouble.is_empty(), "{} of {killed}\n{}", trouble.len(), trouble.join("\n"));
    assert!(killed > 0, "none of {} was reached", behind.len());
}

fn the_last_step_of_a_cycle_finishes_itself(extent: Extent) {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.minute();
    world.approved();
    finishes_itself(&world, "git-seed phase advance -F -", &message("condense"), extent);
}

#[test]
fn other_steps_that_are_killed_finish_themselves() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.minute();
    finishes_itself(&world, "git-seed phase advance -F -", &message("execute"), Extent::Part);
    let world = World::seeded();
    world.prompt("[QUICK] mend the lexer");
    world.reads(CODE).passes();
    let lines = "saw the lexer; will mend it; cargo test shows it";
    world.seed(&format!("phase advance --scope src/parser -m '{lines}'")).succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { step();").passes();
    world.tests();
    world.minute();
    finishes_itself(&world, "git-seed phase advance -m done", "", Extent::Part);
}

/// A world whose `git-seed phase advance` was killed in git's own hook, between the record of the
/// commit and the line of its note that leads there.
fn killed_between_record_and_line(world: &World, line: &str, stdin: &str) {
    let hook = ".git/hooks/post-commit";
    let before = world.text(hook);
    let killing = format!(
        "#!/bin/sh\nnotes=$(git rev-parse -q --verify refs/notes/seed)\n\
         sh -c '{}' post-commit \"$@\"\n\
         git update-ref refs/notes/seed ${{notes:-$(printf '%040d' 0)}}\n\
         above=$(awk '{{ print $4 }}' /proc/$PPID/stat)\nkill -9 $above $PPID\n",
        "exec .git/hooks/ours \"$@\""
    );
    world.puts(".git/hooks/ours", &before);
    world.puts(hook, &killing);
    world.sh(&format!("chmod +x .git/hooks/ours {hook}"));
    let head = world.git("rev-parse HEAD");
    let said = world.agents_shell(line, stdin);
    assert!(said.code != 0, "{said:?}");
    world.puts(hook, &before);
    world.sh("rm .git/hooks/ours");
    assert!(world.git("rev-parse HEAD") != head, "the commit is there");
}

/// A job in execute with a claim on record, so that commits are bound to records.
fn with_records() -> World {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let claim = format!(
        "claim verify --claim 'the lexer keeps escapes' --evidence 'the tests ran' \
         --type unit_test --tested {CODE} --affected {CODE}"
    );
    world.seed(&claim).succeeds();
    world.git("rev-parse -q --verify refs/seed/claims");
    world
}

#[cfg(target_os = "linux")]
#[test]
fn a_note_that_a_kill_left_without_the_line_of_its_record_gets_it() {
    let world = with_records();
    killed_between_record_and_line(&world, "git-seed phase advance -F -", &message("execute"));
    let record = world.git("rev-parse --short=12 refs/seed/claims");
    let note = |world: &World| world.tries("git notes --ref=seed show HEAD").out;
    assert!(!note(&world).contains(record.trim()), "{}", note(&world));
    world.seed("status").succeeds();
    assert!(note(&world).contains(record.trim()), "{}", note(&world));
    let mended = world.person("verify").said();
    assert!(mended.code != 2 && !mended.out.contains("missing its line"), "{mended:?}");
}

#[test]
fn doctor_writes_the_line_of_a_record_that_a_note_lacks() {
    let world = with_records();
    world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    let record = world.git("rev-parse --short=12 refs/seed/claims");
    world.sh(&format!(
        "git notes --ref=seed show HEAD | grep -v {} > ../note && \
         git notes --ref=seed add -f -F ../note HEAD",
        record.trim()
    ));
    let broken = world.person("verify").said();
    assert!(broken.code == 2 && broken.out.contains("missing its line"), "{broken:?}");
    let said = world.person("doctor --fix").said();
    assert!(said.out.contains("1 line of notes that lead to records"), "{said:?}");
    let mended = world.person("verify").said();
    assert!(mended.code != 2 && !mended.out.contains("missing its line"), "{mended:?}");
}

#[test]
fn the_last_step_of_a_cycle_that_is_killed_finishes_itself() {
    the_last_step_of_a_cycle_finishes_itself(Extent::Part);
}

#[test]
#[ignore = "long: every write behind the commit"]
fn the_last_step_of_a_cycle_that_is_killed_anywhere_finishes_itself() {
    the_last_step_of_a_cycle_finishes_itself(Extent::Whole);
}

/// A step of which nobody heard, since its command was killed, is told by whoever comes next; a way
/// back without a destination, said again, is not taken a second time.
#[test]
fn a_step_that_nobody_heard_of_is_told_and_a_way_back_is_taken_once() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("verify");
    world.works("verify");
    world.minute();
    let line = "git-seed phase back -m 'escapes at the end of a string are lost'";
    let kept = Kept::of(&world);
    let writes = writes_of(&world, line, "");
    let (mut killed, mut told) = (0, 0);
    for (n, write) in chosen(&writes).into_iter().enumerate() {
        kept.restore();
        let (mut dead, mut heard) = (false, String::new());
        if n % 2 == 0 {
            let did = world.runs_and(line, || dead = killed_at(&world, write, line, ""));
            heard = did.after.context().unwrap_or_default().to_owned();
        } else {
            dead = killed_at(&world, write, line, "");
        }
        if !dead {
            continue;
        }
        killed += 1;
        let taken = world.phase() == "execute";
        if n % 2 == 0 && taken {
            assert!(heard.contains("Its step was taken: verify -> execute"), "{write:?}: {heard}");
            assert!(heard.contains("escapes at the end of a string are lost"), "{heard}");
            told += 1;
        }
        let again = world.agents_shell(line, "");
        assert_eq!(again.code, 0, "killed at {write:?}: {again:?}");
        assert!(again.out.contains("verify -> execute"), "killed at {write:?}: {again:?}");
        assert_eq!(again.out.contains("was taken already"), taken, "at {write:?}: {again:?}");
        assert_eq!(world.phase(), "execute", "killed at {write:?}");
    }
    assert!(killed > 2 && told > 0, "{killed} of {} writes, {told} told", writes.len());
    // A destination that was not the one of the killed command is another step.
    world.seed("phase back plan -m 'escapes at the end of a string are lost'").succeeds();
    assert_eq!(world.phase(), "plan");
}

/// The text of a phase is told, too, where the step that opened it was killed; said again by a
/// client whose hooks do not run, the command tells it.
#[test]
fn a_phase_that_a_killed_step_opened_is_told() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.minute();
    let (line, sent) = ("git-seed phase advance -F -", message("execute"));
    let kept = Kept::of(&world);
    let writes = writes_of(&world, line, &sent);
    // It prints at its end; a run may write less often than the last one did.
    let last: Vec<&Write> = writes.iter().rev().filter(|w| w.call == "write").take(3).collect();
    let dies = || {
        let mut tries = last.iter();
        tries.any(|write| {
            killed_at(&world, write, line, &sent) || {
                kept.restore();
                false
            }
        })
    };
    let opens = "The message lists each criterion";
    kept.restore();
    let mut dead = false;
    let did = world.runs_and(line, || dead = dies());
    assert!(dead, "killed at one of {last:?}");
    let heard = did.after.context().unwrap_or_default().to_owned();
    assert!(heard.contains("Its step was taken: execute -> verify   commit"), "{heard}");
    assert!(heard.contains(opens), "{heard}");
    // Once.
    let heard = world.reads(CODE).after.context().unwrap_or_default().to_owned();
    assert!(!heard.contains("Its step was taken"), "{heard}");

    kept.restore();
    assert!(dies(), "killed at one of {last:?}");
    let again = world.agents_shell(line, &sent);
    assert_eq!(again.code, 2, "verify has no multiplier yet: {again:?}");
    let said = again.out.clone() + &again.err;
    assert!(said.contains("Its step was taken: execute -> verify   commit"), "{said}");
    assert!(said.contains(opens), "{said}");
    // A lock that the kill left on a ref goes with the next step.
    world.prompt("go on");
}

/// The ledger of sessions lies in the work tree before the commit that holds it: whoever comes
/// behind a kill knows it as git seed's own.
#[test]
fn what_a_killed_closing_step_wrote_is_nobody_elses() {
    if !has_strace() {
        return;
    }
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.minute();
    world.approved();
    let (line, sent) = ("git-seed phase advance -F -", message("condense"));
    let kept = Kept::of(&world);
    let head = world.git("rev-parse HEAD");
    let writes = writes_of(&world, line, &sent);
    let mut left = 0;
    for write in spread_over(&writes[..writes.len().min(48)], 12, &["rename"]) {
        kept.restore();
        let (mut dead, mut lies) = (false, false);
        let did = world.runs_and(line, || {
            dead = killed_at(&world, write, line, &sent);
            lies = world.git("status --porcelain -uall").contains("/sessions.jsonl");
        });
        if !dead || world.git("rev-parse HEAD") != head {
            continue;
        }
        let told = did.after.context().unwrap_or_default().to_owned();
        assert!(!told.contains("sessions.jsonl"), "killed at {write:?}: {told}");
        if lies {
            left += 1;
        }
        if !world.path(".git/seed/pending/main.toml").exists() {
            let lies = unsettled(&world).iter().any(|line| line.ends_with("/sessions.jsonl"));
            assert!(!lies, "killed at {write:?}");
        }
        let again = world.agents_shell(line, &sent);
        assert_eq!(again.code, 0, "killed at {write:?}: {again:?}");
        assert!(!again.out.contains("left alone"), "killed at {write:?}: {again:?}");
        assert_eq!(unsettled(&world), BTreeSet::new(), "killed at {write:?}");
    }
    assert!(left > 0, "no kill left the ledger of {} writes", writes.len());
}
