//! The journal of one worktree: lines appended between two steps of a job.
//!
//! A file in `<common dir>/seed/journal`, one opaque line per record. The last complete
//! line is found from the end, however long the file is. A last line without a newline
//! was torn by a crash: readers do not see it and the next append cuts it off.
//! Writers hold the journal's own kernel lock, a sibling file, for one append; a fold
//! holds it for reading everything and starting anew.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::error::StoreError;
use super::lock::hold;
use super::{SEED_DIR, Store};
use crate::world::{Whole, open_plain, open_unblocked, read_plain};

/// How much is read at a time, from the end.
const BLOCK: u64 = 8 * 1024;

/// How far back a line is looked for that may be there already.
const RECENT: u64 = 64 * 1024;

/// The journal of one worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    path: PathBuf,
}

/// The end of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// There is no file.
    Absent,
    /// There is a file without a complete line.
    Empty,
    /// The last complete line, without its newline.
    Line(Vec<u8>),
}

/// A journal nobody else can write to now.
#[derive(Debug)]
pub(crate) struct OpenJournal<'journal> {
    journal: &'journal Journal,
    _lock: File,
}

impl Store {
    /// The journal of this worktree.
    pub(crate) fn journal(&self) -> Journal {
        self.journal_of(&self.worktree_name())
    }

    /// The journal of the worktree of this name.
    pub(crate) fn journal_of(&self, worktree: &str) -> Journal {
        let name = format!("{worktree}.jsonl");
        Journal { path: self.common_dir.join(SEED_DIR).join("journal").join(name) }
    }
}

impl Journal {
    /// The journal kept in the file `path`.
    #[cfg(test)]
    pub(crate) fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The last complete line. Waits for nobody and writes nothing.
    pub(crate) fn tail(&self) -> io::Result<Tail> {
        // Of anything but a file the end cannot be told, so it is not asked what it is.
        match open_unblocked(OpenOptions::new().read(true), &self.path) {
            Ok(mut file) => Ok(last_line(&mut file)?.1),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Tail::Absent),
            Err(err) => Err(err),
        }
    }

    /// Every complete line, oldest first. Waits for nobody.
    pub(crate) fn all(&self) -> io::Result<Vec<Vec<u8>>> {
        match read_plain(&self.path) {
            Ok(bytes) => Ok(complete_lines(&bytes)),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(err) => Err(err),
        }
    }

    /// Appends the line that `next` makes of the last one, and gives it back.
    pub(crate) fn append(
        &self,
        next: impl FnOnce(Option<&[u8]>) -> Vec<u8>,
    ) -> Result<Vec<u8>, StoreError> {
        self.with_lock(|open| Ok(open.append(next)?))
    }

    /// The same, unless one of the last lines is `known`; true where the line was appended.
    pub(crate) fn append_unless(
        &self,
        known: impl Fn(&[u8]) -> bool,
        next: impl FnOnce(Option<&[u8]>) -> Vec<u8>,
    ) -> Result<bool, StoreError> {
        self.with_lock(|open| {
            if open.recent()?.iter().any(|line| known(line)) {
                return Ok(false);
            }
            open.append(next).map(|_| true).map_err(StoreError::from)
        })
    }

    /// The last complete lines, as many as lie within the last [`RECENT`] bytes.
    pub(crate) fn recent(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut file = match open_plain(OpenOptions::new().read(true), &self.path) {
            Ok(file) => file,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(err) => return Err(err),
        };
        let end = file.seek(SeekFrom::End(0))?;
        let from = end.saturating_sub(RECENT);
        let bytes = read_at(&mut file, from, end - from)?;
        let mut lines = complete_lines(&bytes);
        if from > 0 && !lines.is_empty() {
            // Its beginning may be missing.
            lines.remove(0);
        }
        Ok(lines)
    }

    /// Starts anew with `first` as the only line, or with none.
    pub(crate) fn restart(&self, first: Option<&[u8]>) -> Result<(), StoreError> {
        self.with_lock(|open| Ok(open.restart(first)?))
    }

    /// Runs `work` while nobody else can write.
    pub(crate) fn with_lock<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut OpenJournal<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let lock = hold(&self.path.with_extension("lock"))?;
        work(&mut OpenJournal { journal: self, _lock: lock })
    }
}

impl OpenJournal<'_> {
    /// See [`Journal::all`].
    pub(crate) fn all(&self) -> io::Result<Vec<Vec<u8>>> {
        self.journal.all()
    }

    /// See [`Journal::recent`].
    fn recent(&self) -> io::Result<Vec<Vec<u8>>> {
        self.journal.recent()
    }

    /// See [`Journal::append`].
    pub(crate) fn append(
        &mut self,
        next: impl FnOnce(Option<&[u8]>) -> Vec<u8>,
    ) -> io::Result<Vec<u8>> {
        let path = &self.journal.path;
        let mut file = open_plain(
            OpenOptions::new().create(true).truncate(false).read(true).write(true),
            path,
        )?;
        let (end, tail) = last_line(&mut file)?;
        let mut line = match &tail {
            Tail::Line(last) => next(Some(last)),
            Tail::Absent | Tail::Empty => next(None),
        };
        refuse_newline(&line)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        line.push(b'\n');
        file.write_all(&line)?;
        line.pop();
        Ok(line)
    }

    /// See [`Journal::restart`]. Readers see the old file or the new one.
    pub(crate) fn restart(&mut self, first: Option<&[u8]>) -> io::Result<()> {
        let mut fresh = Vec::new();
        if let Some(line) = first {
            refuse_newline(line)?;
            fresh.extend_from_slice(line);
            fresh.push(b'\n');
        }
        Whole::private().write(&self.journal.path, &fresh)
    }
}

fn refuse_newline(line: &[u8]) -> io::Result<()> {
    if line.contains(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a journal line holds a newline"));
    }
    Ok(())
}

fn complete_lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut start = 0;
    let line = |end| bytes[std::mem::replace(&mut start, end + 1)..end].to_vec();
    memchr::memchr_iter(b'\n', bytes).map(line).collect()
}

/// Where the last complete line ends, its newline included, and the line.
fn last_line(file: &mut File) -> io::Result<(u64, Tail)> {
    let mut start = file.seek(SeekFrom::End(0))?;
    let mut end = Vec::new();
    while start > 0 {
        let from = start.saturating_sub(BLOCK);
        end = [read_at(file, from, start - from)?, end].concat();
        start = from;
        let Some(newline) = end.iter().rposition(|byte| *byte == b'\n') else { continue };
        let before = end[..newline].iter().rposition(|byte| *byte == b'\n');
        if before.is_some() || start == 0 {
            let line = end[before.map_or(0, |at| at + 1)..newline].to_vec();
            return Ok((start + newline as u64 + 1, Tail::Line(line)));
        }
    }
    Ok((0, Tail::Empty))
}

fn read_at(file: &mut File, from: u64, count: u64) -> io::Result<Vec<u8>> {
    let mut block = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
    file.seek(SeekFrom::Start(from))?;
    (&*file).take(count).read_to_end(&mut block)?;
    Ok(block)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn journal(bytes: &[u8]) -> (tempfile::TempDir, Journal) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let journal = Journal::at(dir.path().join("main.jsonl"));
        std::fs::write(&journal.path, bytes).expect("writes");
        (dir, journal)
    }

    fn line(text: &str) -> Tail {
        Tail::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn the_tail_is_the_last_complete_line() {
        let long = "x".repeat(20_000);
        let cases = [
            (String::new(), Tail::Empty),
            ("torn".to_owned(), Tail::Empty),
            (format!("torn{long}"), Tail::Empty),
            ("a\n".to_owned(), line("a")),
            ("a\nb\n".to_owned(), line("b")),
            ("a\nb\ntorn".to_owned(), line("b")),
            (format!("a\n{long}\n"), line(&long)),
            (format!("{long}\nb\n{long}"), line("b")),
        ];
        for (bytes, tail) in cases {
            let (_dir, journal) = journal(bytes.as_bytes());
            assert_eq!(journal.tail().expect("reads"), tail, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn an_absent_journal_is_no_error_and_is_born_by_an_append() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let journal = Journal::at(dir.path().join("seed/journal/main.jsonl"));
        assert_eq!(journal.tail().expect("looks"), Tail::Absent);
        assert_eq!(journal.all().expect("looks"), Vec::<Vec<u8>>::new());
        journal
            .append(|last| {
                assert_eq!(last, None);
                b"first".to_vec()
            })
            .expect("appends");
        assert_eq!(journal.tail().expect("reads"), line("first"));
    }

    #[test]
    fn a_torn_line_is_cut_off_by_the_next_append() {
        let (_dir, journal) = journal(b"one\ntwo\n{\"torn\":");
        journal.append(|last| [last.expect("two"), b"+"].concat()).expect("appends");
        assert_eq!(std::fs::read(&journal.path).expect("reads"), b"one\ntwo\ntwo+\n");
    }

    #[test]
    fn a_line_with_a_newline_is_refused_and_nothing_is_written() {
        let (_dir, journal) = journal(b"one\ntorn");
        assert!(journal.append(|_| b"a\nb".to_vec()).is_err());
        assert!(journal.restart(Some(b"a\nb")).is_err());
        assert_eq!(std::fs::read(&journal.path).expect("reads"), b"one\ntorn");
    }

    #[test]
    fn a_fold_excludes_appends_and_starts_anew() {
        let (_dir, journal) = journal(b"one\ntwo\n");
        std::thread::scope(|scope| {
            let folded = journal.with_lock(|open| {
                scope.spawn(|| {
                    journal.append(|last| [last.expect("folded"), b"+late"].concat()).map(drop)
                });
                let lines = open.all()?;
                std::thread::sleep(std::time::Duration::from_millis(20));
                open.restart(Some(b"folded"))?;
                Ok::<_, StoreError>(lines)
            });
            assert_eq!(folded.expect("folds"), [b"one".to_vec(), b"two".to_vec()]);
        });
        assert_eq!(journal.all().expect("reads"), [b"folded".to_vec(), b"folded+late".to_vec()]);
        journal.restart(None).expect("starts anew");
        assert_eq!(journal.tail().expect("reads"), Tail::Empty);
    }

    #[test]
    fn appenders_at_once_see_every_line() {
        let (_dir, journal) = journal(b"0\n");
        let count = |last: Option<&[u8]>| -> Vec<u8> {
            let last: u32 = std::str::from_utf8(last.expect("a line"))
                .expect("text")
                .parse()
                .expect("a number");
            (last + 1).to_string().into_bytes()
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..20).for_each(|_| drop(journal.append(count).expect("appends"))));
            }
        });
        assert_eq!(journal.tail().expect("reads"), line("60"));
        assert_eq!(journal.all().expect("reads").len(), 61);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_have_the_tail_of_their_lines(bytes in proptest::collection::vec(
            prop_oneof![Just(b'\n'), any::<u8>()], 0..300)) {
            let (_dir, journal) = journal(&bytes);
            let lines = journal.all().expect("reads");
            let tail = lines.last().map_or(Tail::Empty, |last| Tail::Line(last.clone()));
            prop_assert_eq!(journal.tail().expect("reads"), tail);
        }
    }
}
