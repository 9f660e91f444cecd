//! How chains that travel are dated, and which exact times were read.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::event::UnixSeconds;
use crate::format::days::Exact;
use crate::jobs::JobId;

#[derive(Debug, Default)]
pub(super) struct Days {
    /// They have the day as their dates.
    by_day: Cell<bool>,
    /// What is known of moments by their keys; nothing until somebody asks.
    known: RefCell<Option<Moments>>,
}

/// The lines of the file, read once.
#[derive(Debug)]
struct Moments {
    bytes: Vec<u8>,
    asked: u32,
    /// Made for whoever asks for many.
    by_key: Option<HashMap<Vec<u8>, UnixSeconds>>,
}

/// So many are looked for from the end, where most stand that are asked for; a map of all takes
/// longer to make than that.
const FEW: u32 = 64;

impl Days {
    pub(super) fn set(&self, by_day: bool) {
        self.by_day.set(by_day);
    }

    pub(super) fn is_set(&self) -> bool {
        self.by_day.get()
    }

    /// Takes in one that was written, where they were read.
    pub(super) fn learn(&self, key: &str, at: UnixSeconds) {
        if let Some(known) = self.known.borrow_mut().as_mut() {
            known.bytes.extend(format!("{key} {at}\n").bytes());
            if let Some(by_key) = &mut known.by_key {
                by_key.insert(key.as_bytes().to_vec(), at);
            }
        }
    }

    /// When `key` was; `read` gives the lines of all of them, the first time.
    pub(super) fn of(&self, key: &str, read: impl FnOnce() -> Vec<u8>) -> Option<UnixSeconds> {
        let mut known = self.known.borrow_mut();
        known.get_or_insert_with(|| Moments { bytes: read(), asked: 0, by_key: None }).of(key)
    }
}

impl Moments {
    fn of(&mut self, key: &str) -> Option<UnixSeconds> {
        if self.asked < FEW && self.by_key.is_none() {
            self.asked += 1;
            let found = sought(&self.bytes, key);
            // One that is not here is looked for through all of them.
            self.asked += if found.is_none() { FEW / 8 } else { 0 };
            return found;
        }
        let all = || lines(&self.bytes).filter_map(read).collect();
        let by_key = self.by_key.get_or_insert_with(all);
        by_key.get(key.as_bytes()).copied()
    }
}

/// The line that was asked for or written last: a command asks for that of one step many times.
#[derive(Debug, Default)]
pub(super) struct LastExact(RefCell<Option<(JobId, Exact)>>);

impl LastExact {
    pub(super) fn of(&self, id: &JobId, step: &str) -> Option<Exact> {
        let last = self.0.borrow();
        last.as_ref()
            .filter(|(of, last)| of == id && last.step == step)
            .map(|(_, last)| last.clone())
    }

    pub(super) fn keep(&self, id: &JobId, exact: &Exact) {
        self.0.replace(Some((id.clone(), exact.clone())));
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n')
}

/// A line: its key, and when that was. A line of another hand is passed over.
fn read(line: &[u8]) -> Option<(Vec<u8>, UnixSeconds)> {
    let at = memchr::memrchr(b' ', line)?;
    Some((line[..at].to_vec(), number(&line[at + 1..])?))
}

/// What the last line of `key` says that reads.
fn sought(bytes: &[u8], key: &str) -> Option<UnixSeconds> {
    let head = format!("{key} ");
    memchr::memmem::rfind_iter(bytes, &head).find_map(|at| {
        let begins = at == 0 || bytes[at - 1] == b'\n';
        let said = lines(&bytes[at + head.len()..]).next()?;
        number(said).filter(|_| begins)
    })
}

fn number(bytes: &[u8]) -> Option<UnixSeconds> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whoever asks for few and whoever asks for many hear the same.
        #[test]
        fn looking_and_a_map_say_the_same(
            given in prop::collection::vec("[ab]{0,2}( [ab]{1,2})? ?[0-9x]{0,2}", 0..12),
            more in prop::collection::vec(("[ab]{1,2}", 0..99_i64), 0..3),
            key in "[ab]{0,2}( [ab])?",
        ) {
            let text: String = given.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            let days = Days::default();
            let first = days.of(&key, || text.clone().into_bytes());
            let all: HashMap<_, _> = lines(text.as_bytes()).filter_map(read).collect();
            prop_assert_eq!(first, all.get(key.as_bytes()).copied());
            for (key, at) in &more {
                days.learn(key, *at);
            }
            let few = days.of(&key, Vec::new);
            for _ in 0..FEW {
                days.of("a", Vec::new);
            }
            prop_assert_eq!(days.of(&key, Vec::new), few);
            days.learn(&key, 7);
            prop_assert_eq!(days.of(&key, Vec::new), Some(7));
        }
    }
}
