//! When things were, for this clone alone: `.git/seed/moments`.
//!
//! A commit of a chain that travels has the day as its date, and so have times in its files. What
//! they were to the second stands here, a line each: a key, and the seconds. A key is the id of a
//! commit, of a text, of a receipt, or of a job with a word. Lines that are missing, as in another
//! clone, leave the day. Read once, and only by who meets a day.

use super::error::StoreError;
use super::{Store, UnixSeconds};
use crate::format::days::{day, is_day};
use crate::format::names;

/// The file, below `.git/seed`.
const FILE: &str = "moments";
/// The most bytes that it has; what is oldest goes, and is known by the day from then on.
const MOST: usize = 2 << 20;

impl Store {
    /// From here on chains that travel have exact times, or the day alone.
    pub(crate) fn date_by_the_day(&self, by_day: bool) {
        self.days.set(by_day);
    }

    pub(crate) fn dates_by_the_day(&self) -> bool {
        self.days.is_set()
    }

    /// `at`, as what travels may have it.
    pub(crate) fn dated(&self, at: UnixSeconds) -> UnixSeconds {
        if self.days.is_set() { day(at) } else { at }
    }

    /// `at`, as a commit of `chain` may have it. What never leaves this clone has it exactly.
    pub(super) fn dated_in(&self, chain: &str, at: UnixSeconds) -> UnixSeconds {
        if names::travels(chain) { self.dated(at) } else { at }
    }

    /// Keeps when `key` was, where its file or commit has the day alone.
    pub(crate) fn keep_moment(&self, key: &str, at: UnixSeconds) -> Result<(), StoreError> {
        if !self.days.is_set() || is_day(at) {
            return Ok(());
        }
        self.days.learn(key, at);
        let line = format!("{key} {at}");
        self.bounded_lines(FILE, MOST).append(line.as_bytes(), Vec::new)
    }

    /// When `key` was, whose file or commit says `said`.
    pub(crate) fn moment(&self, key: &str, said: UnixSeconds) -> UnixSeconds {
        if !is_day(said) || said == 0 {
            return said;
        }
        // A memory and no truth: without it the day is what is known.
        let read = || self.bounded_lines(FILE, MOST).whole().unwrap_or_default();
        let known = self.days.of(key, read);
        known.filter(|at| day(*at) == said).unwrap_or(said)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::super::{Store, TreeEdit};

    const JOB: &str = "refs/seed/jobs/20261121t205612-7f3a";
    const AT: i64 = 1_795_294_572;
    const DAY: i64 = 1_795_219_200;

    fn step(store: &Store, chain: &str) -> String {
        let edits = [TreeEdit::Put { path: "a".to_owned(), bytes: b"1".to_vec() }];
        store.append(chain, None, &edits, "open", AT).expect("opens").to_string()
    }

    fn date(bed: &Testbed, commit: &str) -> String {
        bed.git(&["log", "-1", "--format=%at %ct", commit])
    }

    #[test]
    fn a_chain_that_travels_has_the_day_and_this_clone_the_second() {
        let bed = Testbed::new();
        let store = bed.store();
        store.date_by_the_day(true);
        for chain in [JOB, "refs/seed/rules", "refs/seed/meta"] {
            let commit = step(&store, chain);
            assert_eq!(date(&bed, &commit), format!("{DAY} {DAY}"), "{chain}");
            for reader in [&store, &bed.store()] {
                assert_eq!(reader.history(chain, 9).expect("reads")[0].at, AT, "{chain}");
            }
        }
        std::fs::remove_file(store.seed_dir().join(super::FILE)).expect("it is there");
        assert_eq!(bed.store().history(JOB, 9).expect("reads")[0].at, DAY);
    }

    #[test]
    fn what_stays_here_has_the_second_in_its_commit() {
        let bed = Testbed::new();
        let store = bed.store();
        store.date_by_the_day(true);
        for chain in ["refs/seed/ops", "refs/seed/bypasses", "refs/seed/keep/x"] {
            let commit = step(&store, chain);
            assert_eq!(date(&bed, &commit), format!("{AT} {AT}"), "{chain}");
        }
    }

    #[test]
    fn whoever_says_full_dates_by_the_second() {
        let bed = Testbed::new();
        let store = bed.store();
        let commit = step(&store, JOB);
        assert_eq!(date(&bed, &commit), format!("{AT} {AT}"));
        assert!(!store.seed_dir().join(super::FILE).exists());
    }

    #[test]
    fn a_line_that_says_another_day_or_nothing_is_passed_over() {
        let bed = Testbed::new();
        let store = bed.store();
        store.date_by_the_day(true);
        store.keep_moment("k", AT - 86_400).expect("keeps");
        assert_eq!((store.moment("k", DAY), store.moment("x", DAY)), (DAY, DAY));
        store.keep_moment("k", AT).expect("keeps");
        let file = store.seed_dir().join(super::FILE);
        let text = std::fs::read(&file).expect("reads");
        std::fs::write(&file, [b"\xff\xfe 1\nk\nk x\n", &*text].concat()).expect("writes");
        assert_eq!(bed.store().moment("k", DAY), AT);
        assert_eq!(bed.store().moment("k", AT + 7), AT + 7, "what is exact stands");
    }
}
