//! Killed between any two of its calls, a command leaves no lock of a ref that the next one has to
//! wait for. Where there is no `strace` the tests say so and pass.

use pretty_assertions::assert_eq;

use super::killed::{Kept, Write, has_strace, spread_over, written_of};
use super::world::{CODE, World};

/// What changes something that outlives the process, and what makes a lock.
const CALLS: &str = "openat,write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,fsync,\
                     fdatasync,ftruncate";

/// The most kills that one test makes.
const MOST: usize = 24;

/// The calls of `line`, from before its first ref is locked to behind the last one.
fn around_locks(world: &World, line: &str) -> Vec<Write> {
    let said =
        world.tries(&format!("strace -qq -e trace={CALLS},close -o ../trace {line} > /dev/null"));
    assert_eq!(said.code, 0, "{said:?}");
    let trace = world.sh("cat ../trace");
    let lines: Vec<&str> = trace.lines().collect();
    let locks = |line: &&str| line.contains(".lock\"") && !line.contains("index.lock");
    let first = lines.iter().position(locks).expect("a lock");
    let last = lines.iter().rposition(locks).expect("a lock");
    let calls = |lines: &[&str]| written_of(&lines.join("\n"), CALLS);
    let before = calls(&lines[..first.saturating_sub(2)]).len();
    let until = calls(&lines[..(last + 4).min(lines.len())]).len();
    let all = &calls(&lines)[before..until];
    // Those that give a file its name or take it away, and some between.
    spread_over(all, MOST, &["rename", "unlink"]).into_iter().cloned().collect()
}

/// Kills `line` at each of these calls; the next time it ends well each time.
fn killing(world: &World, line: &str) {
    let kept = Kept::of(world);
    let calls = around_locks(world, line);
    assert!(calls.len() > 10, "{calls:?}");
    let mut locked = 0;
    for Write { call, nth } in &calls {
        kept.restore();
        let inject = format!(
            "strace -qq -e trace={call} -e inject={call}:signal=KILL:when={nth} -o ../trace"
        );
        let dead = world.tries(&format!("{inject} {line} > /dev/null"));
        if dead.code == 0 {
            continue;
        }
        let left = world.sh("find .git -name '*.lock'");
        locked += usize::from(!left.is_empty());
        let again = world.tries(line);
        // What was done whole before it was killed is not to be done once more.
        assert!([0, 2].contains(&again.code), "killed at {call} {nth}, left {left:?}: {again:?}");
        let next = world.tries("git-seed job create 'the next one'");
        assert_eq!(next.code, 0, "killed at {call} {nth}, left {left:?}: {next:?}");
        assert_eq!(
            world.sh("find .git/refs .git/packed-refs.lock -name '*.lock' 2>&1 | \
                             grep -v 'No such file' || true"),
            "",
            "killed at {call} {nth}"
        );
    }
    assert!(locked > 2, "{locked} of {} left a lock", calls.len());
}

#[test]
fn a_step_that_is_killed_leaves_no_lock_in_the_way() {
    if !has_strace() {
        return;
    }
    let world = World::prompted();
    world.reads(CODE).passes();
    killing(&world, "git-seed job update --name 'what the lexer does'");
}

/// Also what moves while no step does: a commit that is kept, a note.
#[test]
fn a_kill_before_a_lock_of_a_kept_commit_becomes_its_ref_leaves_none_in_the_way() {
    if !has_strace() {
        return;
    }
    let world = World::prompted();
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let line = "git-seed phase advance --up -m 'the parser drops them as well'";
    let (kept, calls) = (Kept::of(&world), "rename,renameat,renameat2");
    let said = world.tries(&format!("strace -qq -e trace={calls} -o ../trace {line} > /dev/null"));
    assert_eq!(said.code, 0, "{said:?}");
    let trace = world.sh("cat ../trace");
    let renames: Vec<&str> = trace.lines().filter(|line| line.starts_with("rename")).collect();
    let at = renames.iter().position(|line| line.contains("refs/seed/keep/")).expect("it is kept");
    let call = renames[at].split('(').next().expect("a call");
    let nth = renames[..=at].iter().filter(|line| line.split('(').next() == Some(call)).count();
    kept.restore();
    let inject = format!("strace -qq -e trace={call} -e inject={call}:signal=KILL:when={nth}");
    let dead = world.tries(&format!("{inject} -o ../trace {line} > /dev/null"));
    assert!(dead.code != 0, "{dead:?}");
    let locks = "find .git/refs -name '*.lock'";
    assert!(world.sh(locks).contains("refs/seed/keep/"), "{}", world.sh(locks));
    world.person("status").succeeds();
    assert_eq!(world.sh(locks), "");
}

#[test]
fn a_drop_of_a_packed_job_that_is_killed_leaves_no_lock_in_the_way() {
    if !has_strace() {
        return;
    }
    let world = World::prompted();
    world.git("pack-refs --all");
    killing(&world, "git-seed job drop -m 'nobody wants it'");
}

/// The lock of git's configuration that a dead git seed named is its own, however old; any other is
/// left alone.
#[test]
fn a_lock_of_the_configuration_that_a_dead_git_seed_left_is_removed() {
    let world = World::seeded();
    let lock = world.sh("realpath .git/config").trim().to_owned() + ".lock";
    let leave = |named: &str| {
        world.sh(&format!("printf %s '{named}' > .git/seed/config-lock && : > .git/config.lock"));
        world.sh("touch -d '2 hours ago' .git/seed/config-lock .git/config.lock");
    };
    leave(&lock);
    let said = world.tries("git seed doctor");
    assert!(said.out.contains("was left by a git seed that was killed"), "{said:?}");
    let said = world.tries("git seed doctor --fix");
    assert!(said.out.contains("config.lock was removed"), "{said:?}");
    world.git("config user.nick x");
    leave(&lock);
    world.person("init").succeeds();
    world.tries("git seed doctor --fix");
    world.git("config user.nick y");
    leave("");
    world.tries("git seed doctor --fix");
    assert!(world.tries("git config user.nick z").code != 0, "nobody knows whose it is");
    world.sh("rm .git/config.lock");
}
