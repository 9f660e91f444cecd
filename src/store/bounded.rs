//! Files of lines that stay below a size: what is oldest goes.
//!
//! Writers hold the file's own kernel lock, a sibling file, for one line; readers wait for nobody.
//! A last line without its end was torn by a crash and is not read. Whoever shortens the file
//! writes it whole, so that a reader finds the old lines or the new ones.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::error::StoreError;
use super::lock::hold;
use super::{SEED_DIR, Store};
use crate::world::{Whole, open_plain, open_unblocked, read_if_there};

/// What is read first of a file that is read at one go.
const FIRST: usize = 4096;

/// A file of lines, and the most bytes that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundedLines {
    path: PathBuf,
    most: usize,
}

impl Store {
    /// The lines of this clone below that name.
    pub(crate) fn bounded_lines(&self, name: &str, most: usize) -> BoundedLines {
        BoundedLines { path: self.common_dir.join(SEED_DIR).join(name), most }
    }
}

impl BoundedLines {
    /// Every complete line, oldest first.
    pub(crate) fn all(&self) -> io::Result<Vec<Vec<u8>>> {
        let bytes = read_if_there(&self.path)?.unwrap_or_default();
        Ok(complete(&bytes).map(<[u8]>::to_vec).collect())
    }

    /// Every complete line, in one piece.
    pub(super) fn whole(&self) -> io::Result<Vec<u8>> {
        let mut bytes = read_if_there(&self.path)?.unwrap_or_default();
        bytes.truncate(memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1));
        Ok(bytes)
    }

    /// The bytes at one go, for who may ask little of the kernel; what else lies there reads as
    /// nothing of ours, or not at all.
    pub(super) fn at_once(&self) -> io::Result<Vec<u8>> {
        let mut file = open_unblocked(OpenOptions::new().read(true), &self.path)?;
        // Most such files are short, and each page of memory that is touched costs a fault.
        let mut bytes = vec![0; FIRST.min(self.most)];
        let mut count = file.read(&mut bytes)?;
        if count == bytes.len() && count < self.most {
            bytes.resize(self.most, 0);
            count += file.read(&mut bytes[count..])?;
        }
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Whether `part` stands anywhere in them.
    pub(crate) fn hold(&self, part: &str) -> io::Result<bool> {
        let bytes = read_if_there(&self.path)?.unwrap_or_default();
        Ok(!part.is_empty() && memchr::memmem::find(&bytes, part.as_bytes()).is_some())
    }

    /// Appends a line. Where the file would grow beyond its size the older half of it goes, and
    /// `dropped` stands in its place.
    pub(crate) fn append(
        &self,
        line: &[u8],
        dropped: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), StoreError> {
        self.append_unless(line, |_| false, dropped)
    }

    /// The same, where no line is `known`.
    pub(crate) fn append_unless(
        &self,
        line: &[u8],
        known: impl Fn(&[u8]) -> bool,
        dropped: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), StoreError> {
        if line.contains(&b'\n') || line.len() > self.most / 4 {
            let why = "a line that cannot be kept: it is too long, or holds a newline";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
        }
        if let Some(dir) = self.path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        let _lock = hold(&self.path.with_extension("lock"))?;
        if self.all()?.iter().any(|line| known(line)) {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let mut file =
            open_plain(options.create(true).truncate(false).read(true).write(true), &self.path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let whole = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(line.len() + 1);
        if whole <= self.most {
            // One that was torn ends here; it is no line of ours any more.
            let torn = length > 0 && !ends_with_newline(&mut file, length)?;
            file.seek(SeekFrom::End(0))?;
            let mut bytes = Vec::with_capacity(line.len() + 2);
            bytes.extend(torn.then_some(b'\n'));
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
            return Ok(file.write_all(&bytes)?);
        }
        drop(file);
        let bytes = read_if_there(&self.path)?.unwrap_or_default();
        let lines: Vec<&[u8]> = complete(&bytes).collect();
        let mut kept = 0;
        let newest = lines.iter().rev().take_while(|line| {
            kept += line.len() + 1;
            kept <= self.most / 2
        });
        let from = lines.len() - newest.count();
        self.write([dropped().as_slice()].into_iter().chain(lines[from..].iter().copied()), line)
    }

    /// Keeps the lines that `keep` says.
    pub(crate) fn retain(&self, keep: impl Fn(&[u8]) -> bool) -> Result<(), StoreError> {
        if read_if_there(&self.path)?.is_none() {
            return Ok(());
        }
        let _lock = hold(&self.path.with_extension("lock"))?;
        let bytes = read_if_there(&self.path)?.unwrap_or_default();
        let kept: Vec<&[u8]> = complete(&bytes).filter(|line| keep(line)).collect();
        let text = kept.iter().flat_map(|line| [*line, b"\n"]).collect::<Vec<_>>().concat();
        Ok(Whole::private().write(&self.path, &text)?)
    }

    fn write<'a>(
        &self,
        lines: impl Iterator<Item = &'a [u8]>,
        last: &'a [u8],
    ) -> Result<(), StoreError> {
        let mut text = Vec::with_capacity(self.most);
        for line in lines.chain([last]).filter(|line| !line.is_empty()) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        Ok(Whole::private().write(&self.path, &text)?)
    }
}

fn complete(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    bytes[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn ends_with_newline(file: &mut std::fs::File, length: u64) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    io::Read::read_exact(file, &mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(most: usize) -> (tempfile::TempDir, BoundedLines) {
        let dir = tempfile::tempdir().expect("a place");
        let path = dir.path().join("below/lines.jsonl");
        (dir, BoundedLines { path, most })
    }

    fn told(lines: &BoundedLines) -> Vec<String> {
        let all = lines.all().expect("they read");
        all.into_iter().map(|line| String::from_utf8(line).expect("text")).collect()
    }

    #[test]
    fn the_file_stays_below_its_size_and_the_newest_lines_stay() {
        let (_dir, lines) = lines(400);
        assert_eq!(told(&lines), [""; 0], "nothing is there");
        for n in 0..200 {
            lines.append(format!("line {n}").as_bytes(), || b"dropped".to_vec()).expect("kept");
            let size = std::fs::metadata(&lines.path).expect("there").len();
            assert!(size <= 400, "{size}");
        }
        let all = told(&lines);
        assert_eq!(all.last().map(String::as_str), Some("line 199"));
        assert_eq!(all[0], "dropped", "what went is told");
        assert_eq!(all.iter().filter(|line| *line == "dropped").count(), 1, "{all:?}");
        assert!(
            lines.hold("line 199").expect("it reads") && !lines.hold("line 3").expect("it reads")
        );
        lines.append(&[b'x'; 200], Vec::new).expect_err("it is too long");
        lines.append(b"a\nb", Vec::new).expect_err("two lines");
    }

    #[test]
    fn a_torn_line_is_none_and_lines_can_be_taken_out() {
        let (_dir, lines) = lines(400);
        lines.append(b"one", Vec::new).expect("kept");
        let torn = std::fs::read(&lines.path).expect("there");
        std::fs::write(&lines.path, [&torn[..], b"tor"].concat()).expect("written");
        assert_eq!(told(&lines), ["one"]);
        lines.append(b"two", Vec::new).expect("kept");
        assert_eq!(told(&lines), ["one", "tor", "two"], "no line is put behind half a one");
        lines.retain(|line| line != b"tor").expect("taken out");
        assert_eq!(told(&lines), ["one", "two"]);
    }
}
