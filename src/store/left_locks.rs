//! Locks of refs that a killed git seed left: whoever takes its lock next knows them, and frees
//! them at once.
//!
//! Git does not write into a lock of a ref who made it, and somebody's own git may hold one at any
//! time. So a ref is named in the file of git seed's own lock before it is moved, with what it is
//! to become. The kernel gives that lock to nobody while its holder lives. Names that are left in
//! it were a dead program's, and so is a lock of a ref that says what the names say. One that says
//! nothing (of a ref that goes, or a moment before it is written) was made right behind the name
//! and stays as it is for a while: no git that lives keeps one so.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use gix::refs::Target;
use gix::refs::transaction::{Change, RefEdit};

use super::error::StoreError;
use super::refs::PACKED;
use super::{Store, stale};
use crate::world::{read_plain, remove_if_there};

/// What stands for a ref that goes.
const GOES: &str = "-";
/// How soon behind its name a lock is made, on a slow machine.
const SOON: Duration = Duration::from_secs(2);
/// What no git that lives takes between two writes.
const QUIET: Duration = Duration::from_secs(1);
/// What no fetch takes between the first ref that it locks and the last one.
const QUIET_FETCH: Duration = Duration::from_secs(3);

/// A lock that may be left.
struct Left<'a> {
    lock: PathBuf,
    holds: Holds<'a>,
}

/// What is in it if it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds<'a> {
    /// This, or the beginning of it.
    Text(&'a str),
    Nothing,
    /// The packed refs, as far as they were written.
    Packed,
    /// What a child of a sync wrote.
    Fetched,
}

impl Store {
    /// The line that names a ref which `edit` is about to move.
    pub(super) fn line_of(&self, name: &str, edit: &RefEdit) -> String {
        let file = self.ref_file(name);
        let place = file.strip_prefix(&self.common_dir).unwrap_or(&file).display();
        match &edit.change {
            Change::Update { new: Target::Object(id), .. } => format!("{place} {id}\n"),
            Change::Update { new: Target::Symbolic(to), .. } => {
                format!("{place} ref: {}\n", to.as_bstr())
            }
            Change::Delete { .. } => format!("{place} {GOES}\n"),
        }
    }

    /// Frees what the dead holder of `file` left locked, and forgets its names.
    pub(super) fn free_what_was_left(&self, file: &mut File) -> Result<(), StoreError> {
        let named = file.metadata()?.modified()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let (mut left, mut is_ref) = (Vec::new(), false);
        for line in text.lines() {
            if let Some((place, to)) = line.split_once(' ') {
                let lock = lock_of(&self.common_dir.join(place));
                let holds = if to == GOES { Holds::Nothing } else { Holds::Text(to) };
                left.push(Left { lock, holds });
                is_ref = true;
            } else {
                // A sync: its children lock what they fetch.
                let mut locks = Vec::new();
                stale::locks(&self.common_dir.join(line), &mut locks);
                left.extend(locks.into_iter().map(|lock| Left { lock, holds: Holds::Fetched }));
            }
        }
        if is_ref {
            // Refs that were packed are locked before the one that moves.
            let lock = lock_of(&self.common_dir.join(PACKED));
            left.push(Left { lock, holds: Holds::Packed });
        }
        free(left, named)?;
        file.set_len(0)?;
        file.rewind()?;
        Ok(())
    }
}

fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Removes those of these locks that were made by whoever wrote the names at `named`.
fn free(left: Vec<Left<'_>>, named: SystemTime) -> io::Result<()> {
    let mut doubted = Vec::new();
    let mut quiet = Duration::ZERO;
    for Left { lock, holds } in left {
        let Ok(made) = made_at(&lock) else { continue };
        let text = read_plain(&lock)?;
        let behind = made.duration_since(named).ok();
        let soon = behind.is_some_and(|behind| behind <= SOON);
        let may_be = match holds {
            Holds::Text(to) if text.trim_ascii_end() == to.as_bytes() => {
                remove_if_there(&lock)?;
                continue;
            }
            Holds::Text(to) => soon && to.as_bytes().starts_with(&text),
            Holds::Nothing => soon && text.is_empty(),
            Holds::Packed => soon,
            Holds::Fetched => behind.is_some(),
        };
        if may_be {
            quiet = quiet.max(if holds == Holds::Fetched { QUIET_FETCH } else { QUIET });
            doubted.push((lock, made, text));
        }
    }
    if doubted.is_empty() {
        return Ok(());
    }
    sleep(quiet);
    for (lock, made, text) in doubted {
        if made_at(&lock).is_ok_and(|now| now == made) && read_plain(&lock)? == text {
            remove_if_there(&lock)?;
        }
    }
    Ok(())
}

fn made_at(lock: &Path) -> io::Result<SystemTime> {
    fs::symlink_metadata(lock)?.modified()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;
    use crate::store::{CommitId, TreeEdit};

    const JOB: &str = "refs/seed/jobs/j";
    const AT: i64 = 1_790_000_000;

    fn append(store: &Store, on: Option<&CommitId>, text: &str) -> Result<CommitId, StoreError> {
        let edit = TreeEdit::Put { path: "a".to_owned(), bytes: text.as_bytes().to_vec() };
        store.append(JOB, on, &[edit], "next", AT)
    }

    /// Names as a killed program leaves them.
    fn named(store: &Store, lines: &str) {
        fs::create_dir_all(store.seed_dir()).expect("made");
        fs::write(store.seed_dir().join("lock"), lines).expect("written");
    }

    #[test]
    fn a_lock_that_a_dead_program_named_is_free_at_once() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = append(&store, None, "1").expect("opens");
        let lock = lock_of(&store.ref_file(JOB));
        let of = "1111111111111111111111111111111111111111";
        // Written whole, in part, not at all; a ref that goes.
        for (to, text) in [(of, format!("{of}\n")), (of, of[..9].to_owned()), (of, String::new())]
            .into_iter()
            .chain([(GOES, String::new())])
        {
            named(&store, &format!("{JOB} {to}\n"));
            fs::write(&lock, &text).expect("written");
            let held = store.lock().expect("its holder is dead");
            assert!(!lock.exists(), "{to} {text:?}");
            drop(held);
            let length = store.seed_dir().join("lock").metadata().expect("it is there").len();
            assert_eq!(length, 0, "nothing is named any more");
        }
        append(&store, Some(&first), "2").expect("nothing is in the way");
    }

    #[test]
    fn a_lock_of_somebody_else_is_left_alone() {
        let bed = Testbed::new();
        let store = bed.store();
        append(&store, None, "1").expect("opens");
        let lock = lock_of(&store.ref_file(JOB));
        let of = "1111111111111111111111111111111111111111";
        let other = "2222222222222222222222222222222222222222\n";
        let packed = lock_of(&bed.path().join(".git/packed-refs"));
        // Nobody named it, another ref was named, it says something else, it came later.
        let moves = format!("{JOB} {of}\n");
        let beside = format!("refs/seed/jobs/k {of}\n");
        let goes = format!("{JOB} {GOES}\n");
        let cases =
            [("", ""), (&*beside, ""), (&*moves, other), (&*goes, other), (&*moves, "late")];
        for (lines, text) in cases {
            let late = text == "late";
            named(&store, lines);
            fs::write(&lock, if late { "" } else { text }).expect("written");
            fs::write(&packed, "").expect("written");
            for lock in [&lock, &packed] {
                let at = crate::world::system_now() + if late { 4 * SOON } else { Duration::ZERO };
                File::options().write(true).open(lock).and_then(|f| f.set_modified(at)).expect("");
            }
            drop(store.lock().expect("it is free"));
            assert!(lock.exists(), "{lines:?} {text:?}");
            assert_eq!(packed.exists(), lines.is_empty() || late, "{lines:?} {text:?}");
        }
    }

    #[test]
    fn a_lock_that_is_written_meanwhile_is_alive() {
        let bed = Testbed::new();
        let store = bed.store();
        append(&store, None, "1").expect("opens");
        let lock = lock_of(&store.ref_file(JOB));
        named(&store, &format!("{JOB} {GOES}\n"));
        fs::write(&lock, "").expect("written");
        let writer = std::thread::spawn({
            let lock = lock.clone();
            move || {
                sleep(QUIET / 4);
                fs::write(lock, "it lives\n").expect("written");
            }
        });
        drop(store.lock().expect("it is free"));
        writer.join().expect("it wrote");
        assert!(lock.exists());
    }

    #[test]
    fn what_a_dead_sync_fetched_into_is_free_and_another_sync_waits_for_nothing() {
        let bed = Testbed::new();
        let store = bed.store();
        let dir = bed.path().join(".git/refs/seed-remote/origin/jobs");
        fs::create_dir_all(&dir).expect("made");
        let lock = dir.join("j.lock");
        let alone = store.syncs_alone().expect("nobody syncs");
        fs::write(&lock, "").expect("written");
        drop(alone);
        drop(store.syncs_alone().expect("nobody syncs"));
        assert!(lock.exists(), "that sync ended by itself: somebody else locked it");
        let old = crate::world::system_now() - Duration::from_mins(10);
        File::options().write(true).open(&lock).and_then(|f| f.set_modified(old)).expect("set");
        fs::write(store.seed_dir().join("syncing"), "refs/seed-remote/\n").expect("written");
        drop(store.syncs_alone().expect("nobody syncs"));
        assert!(lock.exists(), "it was there before that sync began");
        fs::write(store.seed_dir().join("syncing"), "refs/seed-remote/\n").expect("written");
        fs::write(&lock, "").expect("written");
        drop(store.syncs_alone().expect("nobody syncs"));
        assert!(!lock.exists());
    }
}
