//! Index files, read without git, and whether one can be copied as it is.
//!
//! A copied index spares git reading every file again, because it knows their times.
//! But it also brings the person's marks (assume-unchanged, skip-worktree, intent to
//! add) and may lean on a second file. Such an index is not copied; git then starts
//! from a tree and reads the files. Format: gitformat-index(5).
//!
//! The fence's own index is read here for its look ([`super::look`]): [`Plain`] gives each entry
//! without copying it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::SystemTime;

/// Bytes of an entry before its object id: times, device, inode, mode, owner, size.
const STAT: usize = 40;

/// What an entry's length field says of a name that is at least this long: it ends at its NUL.
const LONG: usize = 0xfff;

/// In an entry's flags: two more bytes of them follow.
const EXTENDED: u8 = 0x40;

/// Those bytes of an entry that is left out of the work tree.
const SKIPPED: [u8; 2] = [0x40, 0];

/// In the first of them: the entry is to be added.
const INTENDED: u8 = 0x20;

/// In an entry's flags: it is not looked at, or one side of a conflict.
const ASSUMED_OR_STAGED: u8 = 0xb0;

/// Extensions that say the entries are elsewhere or stand for whole directories.
const NOT_SELF_CONTAINED: [&[u8]; 2] = [b"link", b"sdir"];

/// Whether the index in `bytes` is of version 2, holds all its entries and marks none.
///
/// Later versions exist to hold marks or to shorten names; those are not looked into.
pub(super) fn is_plain_index(bytes: &[u8], id_length: usize) -> bool {
    let Some((header, body)) = bytes.split_at_checked(12) else { return false };
    let Some(body) = body.len().checked_sub(id_length).map(|length| &body[..length]) else {
        return false;
    };
    if &header[..4] != b"DIRC" || number(&header[4..8]) != Some(2) {
        return false;
    }
    let entries = number(&header[8..12]).unwrap_or_default();
    after_unmarked_entries(body, entries, id_length).is_some_and(is_self_contained)
}

/// A plain index as it was read, with the place of each entry in it.
pub(super) struct Plain {
    bytes: Vec<u8>,
    places: Vec<u32>,
    /// Where the entries end.
    end: usize,
    id_length: usize,
}

/// The time of an index, as entries count it; the beginning of all times where it has none that
/// they could hold.
pub(super) fn time_of(time: SystemTime) -> (u32, u32) {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs()).map_or((0, 0), |seconds| (seconds, since.subsec_nanos()))
}

/// How many numbers an entry holds of a file: times, device, inode, mode, owner, size.
pub(super) const NUMBERS: usize = STAT / 4;

/// Where the mode stands among them.
const MODE: usize = 6;

/// What entries become, by their paths; `None` where one goes.
pub(super) type Changes = BTreeMap<Vec<u8>, Option<([u32; NUMBERS], gix::ObjectId)>>;

impl Plain {
    /// `None` where [`is_plain_index`] says no, or where the entries are not in order.
    pub(super) fn of(bytes: Vec<u8>, id_length: usize) -> Option<Self> {
        let body = &bytes[..bytes.len().checked_sub(id_length).filter(|end| *end >= 12)?];
        if &body[..4] != b"DIRC" || number(&body[4..8]) != Some(2) {
            return None;
        }
        u32::try_from(bytes.len()).ok()?;
        let entries = number(&body[8..12])?;
        // As many as it says there are may be more than it can hold.
        let room = body.len() / (STAT + id_length);
        let (mut at, mut places) = (12, Vec::with_capacity(entries.min(room)));
        let mut before: &[u8] = b"";
        for _ in 0..entries {
            places.push(u32::try_from(at).ok()?);
            let start = at + STAT + id_length + 2;
            let flags: [u8; 2] = body.get(start - 2..start)?.try_into().ok()?;
            let said = usize::from(u16::from_be_bytes(flags)) & LONG;
            let length = memchr::memchr(0, &body[start..])?;
            let name = &body[start..start + length];
            let marked = flags[0] & ASSUMED_OR_STAGED != 0;
            if marked || name <= before || said != length.min(LONG) {
                return None;
            }
            before = name;
            at += ((STAT + id_length + 2 + length) / 8 + 1) * 8;
            if at > body.len() {
                return None;
            }
        }
        is_self_contained(&body[at..]).then_some(())?;
        Some(Self { bytes, places, end: at, id_length })
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn at(&self, entry: usize) -> usize {
        self.places[entry] as usize
    }

    /// The path of an entry.
    pub(super) fn name(&self, entry: usize) -> &[u8] {
        self.name_at(self.at(entry))
    }

    fn name_at(&self, place: usize) -> &[u8] {
        let start = place + STAT + self.id_length + 2;
        let length =
            usize::from(u16::from_be_bytes([self.bytes[start - 2], self.bytes[start - 1]]));
        let length = match length & LONG {
            LONG => memchr::memchr(0, &self.bytes[start..]).unwrap_or_default(),
            length => length,
        };
        &self.bytes[start..start + length]
    }

    /// The entry with this path, or where it would stand.
    pub(super) fn find(&self, path: &[u8]) -> Result<usize, usize> {
        self.places.binary_search_by(|place| self.name_at(*place as usize).cmp(path))
    }

    pub(super) fn id(&self, entry: usize) -> &[u8] {
        let start = self.at(entry) + STAT;
        &self.bytes[start..start + self.id_length]
    }

    /// One of what [`Plain::numbers`] gives.
    pub(super) fn number(&self, entry: usize, place: usize) -> u32 {
        let at = self.at(entry) + 4 * place;
        let bytes = &self.bytes[at..at + 4];
        u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// What the entry knows of its file, in git's order.
    pub(super) fn numbers(&self, entry: usize) -> [u32; NUMBERS] {
        let start = self.at(entry);
        std::array::from_fn(|place| {
            let at = start + 4 * place;
            let bytes = &self.bytes[at..at + 4];
            u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        })
    }

    /// Whether the file of an entry would show it if it had changed after the moment `time`, in
    /// seconds and nanoseconds.
    ///
    /// The time of the inode alone counts: nobody can set it, and every change of a file moves
    /// it. A file system that keeps no fractions may count in steps of two seconds.
    pub(super) fn is_settled(&self, entry: usize, time: (u32, u32)) -> bool {
        let (second, nanos) = (self.number(entry, 0), self.number(entry, 1));
        match nanos {
            0 => second.saturating_add(2) < time.0,
            _ => (second, nanos) < time,
        }
    }

    /// The entry knows its file by these numbers from now on.
    pub(super) fn put(&mut self, entry: usize, numbers: [u32; NUMBERS]) {
        let start = self.at(entry);
        for (place, number) in numbers.into_iter().enumerate() {
            let at = start + 4 * place;
            self.bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
        }
    }

    pub(super) fn id_length(&self) -> usize {
        self.id_length
    }

    /// Where an entry begins; the end of all where there is none of that number.
    fn begin(&self, entry: usize) -> usize {
        match self.places.get(entry) {
            Some(place) => *place as usize,
            None => self.end,
        }
    }

    /// The bytes of entries that follow each other.
    pub(super) fn entries(&self, entries: Range<usize>) -> &[u8] {
        &self.bytes[self.begin(entries.start)..self.begin(entries.end)]
    }

    /// Adds an entry to the bytes of an index.
    pub(super) fn write_entry(
        bytes: &mut Vec<u8>,
        numbers: &[u32; NUMBERS],
        id: &[u8],
        name: &[u8],
    ) {
        let begin = bytes.len();
        bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        bytes.extend(id);
        let length = u16::try_from(name.len().min(LONG)).unwrap_or_default();
        bytes.extend(length.to_be_bytes());
        bytes.extend(name);
        let length = bytes.len() - begin;
        bytes.resize(begin + (length / 8 + 1) * 8, 0);
    }

    /// The index with these changes: without extensions, and with no checksum yet.
    pub(super) fn with(&self, changes: &Changes) -> Option<Self> {
        let mut new = Self {
            bytes: Vec::with_capacity(self.bytes.len() + 100 * changes.len()),
            places: Vec::with_capacity(self.len() + changes.len()),
            end: 0,
            id_length: self.id_length,
        };
        new.bytes.extend(&self.bytes[..12]);
        let mut next = 0;
        for (path, change) in changes {
            let (at, known) = match self.find(path) {
                Ok(at) => (at, true),
                Err(at) => (at, false),
            };
            new.take_over(self, next..at)?;
            next = at + usize::from(known);
            if let Some((numbers, id)) = change {
                new.places.push(u32::try_from(new.bytes.len()).ok()?);
                Self::write_entry(&mut new.bytes, numbers, id.as_slice(), path);
            }
        }
        new.take_over(self, next..self.len())?;
        let entries = u32::try_from(new.len()).ok()?;
        new.bytes[8..12].copy_from_slice(&entries.to_be_bytes());
        new.end = new.bytes.len();
        new.bytes.resize(new.end + new.id_length, 0);
        u32::try_from(new.bytes.len()).is_ok().then_some(new)
    }

    /// Adds entries of another index.
    fn take_over(&mut self, other: &Self, entries: Range<usize>) -> Option<()> {
        let (from, to) = (other.begin(entries.start), self.bytes.len());
        self.bytes.extend(other.entries(entries.clone()));
        for place in &other.places[entries] {
            self.places.push(u32::try_from(*place as usize - from + to).ok()?);
        }
        Some(())
    }

    /// The first of the entries from `range` on that has another beginning.
    pub(super) fn end_of(&self, range: Range<usize>, beginning: &[u8]) -> usize {
        let begins = |place: &u32| self.name_at(*place as usize).starts_with(beginning);
        range.start + self.places[range].partition_point(begins)
    }

    /// The names of its extensions; `None` where they do not read.
    pub(super) fn extensions(&self) -> Option<Vec<&[u8]>> {
        let mut rest = &self.unsealed()[self.end..];
        let mut names = Vec::new();
        while !rest.is_empty() {
            let (header, after) = rest.split_at_checked(8)?;
            rest = after.get(number(&header[4..8])?..)?;
            names.push(&header[..4]);
        }
        Some(names)
    }

    /// The header and the entries, for who adds extensions.
    pub(super) fn into_entries(mut self) -> Vec<u8> {
        self.bytes.truncate(self.end);
        self.bytes
    }

    /// What an extension holds.
    pub(super) fn extension(&self, name: [u8; 4]) -> Option<&[u8]> {
        let mut rest = &self.unsealed()[self.end..];
        while let Some((header, after)) = rest.split_at_checked(8) {
            let (part, after) = after.split_at_checked(number(&header[4..8])?)?;
            if header[..4] == name {
                return Some(part);
            }
            rest = after;
        }
        None
    }

    /// The whole file with a mark at each entry of which `is_skipped` says so, for git alone: an
    /// index of version 3, without the checksum that ends it.
    pub(super) fn with_skipped(&self, is_skipped: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let mut bytes = self.bytes[..12].to_vec();
        bytes[7] = 3;
        for entry in 0..self.len() {
            let name = self.name(entry);
            if !is_skipped(name) {
                bytes.extend(self.entries(entry..entry + 1));
                continue;
            }
            let (begin, flags) = (bytes.len(), self.at(entry) + STAT + self.id_length);
            bytes.extend(&self.bytes[self.at(entry)..flags + 2]);
            let marked = bytes.len() - 2;
            bytes[marked] |= EXTENDED;
            bytes.extend(SKIPPED);
            bytes.extend(name);
            let length = bytes.len() - begin;
            bytes.resize(begin + (length / 8 + 1) * 8, 0);
        }
        bytes.extend(&self.unsealed()[self.end..]);
        bytes
    }

    /// The whole file, without the checksum that ends it.
    pub(super) fn unsealed(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - self.id_length]
    }

    /// The whole file as it was read, or as [`Plain::seal`] left it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Ends the file with this checksum.
    pub(super) fn seal(&mut self, checksum: &[u8]) {
        let end = self.bytes.len() - self.id_length;
        self.bytes[end..].copy_from_slice(checksum);
    }
}

/// The ids of the trees that git keeps with the index in `bytes`, the top one first; `None`
/// where a directory changed since they were written, or the index is not plain.
pub(super) fn trees_of(bytes: &[u8], id_length: usize) -> Option<Vec<&[u8]>> {
    let body = bytes.get(12..bytes.len().checked_sub(id_length)?)?;
    let entries = number(&bytes[8..12])?;
    if &bytes[..4] != b"DIRC" || number(&bytes[4..8]) != Some(2) {
        return None;
    }
    let mut extensions = after_unmarked_entries(body, entries, id_length)?;
    if !is_self_contained(extensions) {
        return None;
    }
    while let Some((header, rest)) = extensions.split_at_checked(8) {
        let (part, rest) = rest.split_at_checked(number(&header[4..8])?)?;
        if &header[..4] == b"TREE" {
            return kept_trees(part, entries, id_length);
        }
        extensions = rest;
    }
    None
}

/// The tree that git keeps with the index in `bytes` for all of it; `None` where it keeps none, or
/// the index is of another version than 2 and 3, or leans on another file.
pub(super) fn top_tree(bytes: &[u8], id_length: usize) -> Option<&[u8]> {
    let body = bytes.get(12..bytes.len().checked_sub(id_length)?)?;
    let entries = number(&bytes[8..12])?;
    if &bytes[..4] != b"DIRC" || !matches!(number(&bytes[4..8]), Some(2 | 3)) {
        return None;
    }
    let mut rest = body;
    for _ in 0..entries {
        let flags = rest.get(STAT + id_length..STAT + id_length + 2)?;
        let name = STAT + id_length + if flags[0] & EXTENDED == 0 { 2 } else { 4 };
        let length = name + memchr::memchr(0, rest.get(name..)?)?;
        rest = rest.get((length / 8 + 1) * 8..)?;
    }
    if !is_self_contained(rest) {
        return None;
    }
    while let Some((header, after)) = rest.split_at_checked(8) {
        let (part, after) = after.split_at_checked(number(&header[4..8])?)?;
        if &header[..4] == b"TREE" {
            let end = memchr::memchr(b'\n', part)?;
            let (covers, _) = std::str::from_utf8(part.get(1..end)?).ok()?.split_once(' ')?;
            let covers: usize = covers.parse().ok()?;
            return part.get(end + 1..end + 1 + id_length).filter(|_| covers == entries);
        }
        rest = after;
    }
    None
}

/// The trees of the extension in `part`: each a name, how many entries it covers (none that
/// counts where it is out of date) and how many trees stand below it, and its id.
fn kept_trees(mut part: &[u8], entries: usize, id_length: usize) -> Option<Vec<&[u8]>> {
    let mut trees = Vec::new();
    let mut announced = 1_usize;
    while !part.is_empty() {
        let name = memchr::memchr(0, part)?;
        let end = name + memchr::memchr(b'\n', &part[name..])?;
        let (covers, below) = std::str::from_utf8(&part[name + 1..end]).ok()?.split_once(' ')?;
        let covers: usize = covers.parse().ok()?;
        if trees.is_empty() && covers != entries {
            return None;
        }
        announced = announced.checked_add(below.parse().ok()?)?;
        let (id, rest) = part[end + 1..].split_at_checked(id_length)?;
        trees.push(id);
        part = rest;
    }
    (trees.len() == announced).then_some(trees)
}

/// What follows the entries; `None` if one is marked or does not fit.
fn after_unmarked_entries(mut body: &[u8], entries: usize, id_length: usize) -> Option<&[u8]> {
    for _ in 0..entries {
        let flags = body.get(STAT + id_length..STAT + id_length + 2)?;
        let (is_assumed_unchanged, stage) = (flags[0] & 0x80 != 0, flags[0] & 0x30);
        if is_assumed_unchanged || stage != 0 {
            return None;
        }
        let name = STAT + id_length + 2;
        let length = name + memchr::memchr(0, body.get(name..)?)?;
        // One to eight NULs pad an entry to a multiple of eight bytes.
        body = body.get((length / 8 + 1) * 8..)?;
    }
    Some(body)
}

/// Names of the entries in `bytes` that were the file `inode` of `device` when they were
/// looked at last; git keeps the lower halves of both. Empty where the index does not read.
pub(super) fn names_of(bytes: &[u8], id_length: usize, device: u64, inode: u64) -> Vec<Vec<u8>> {
    let wanted = [device & 0xffff_ffff, inode & 0xffff_ffff];
    let mut found = Vec::new();
    let _ = each_entry(bytes, id_length, |entry| {
        if [entry.number(16), entry.number(20)] == wanted {
            found.push(entry.name.to_vec());
        }
    });
    found
}

/// What an index knows of one file.
pub(super) struct Entry<'b> {
    stat: &'b [u8],
    id: &'b [u8],
    name: &'b [u8],
    flags: u8,
    more: u8,
}

impl Entry<'_> {
    fn number(&self, at: usize) -> u64 {
        number(&self.stat[at..at + 4]).unwrap_or_default() as u64
    }

    /// The second of the inode's last change.
    pub(super) fn changed_second(&self) -> u64 {
        self.number(0)
    }

    pub(super) fn name(&self) -> &[u8] {
        self.name
    }

    pub(super) fn id(&self) -> &[u8] {
        self.id
    }

    pub(super) fn mode(&self) -> u32 {
        u32::from_be_bytes([self.stat[24], self.stat[25], self.stat[26], self.stat[27]])
    }

    /// It stands for all files of a directory.
    pub(super) fn is_directory(&self) -> bool {
        self.mode() >> 12 == 0o4
    }

    /// It is marked as left out of the work tree.
    pub(super) fn is_skipped(&self) -> bool {
        self.more & SKIPPED[0] != 0
    }

    /// It is marked otherwise: git does not look at it, it is to be added, or conflicts.
    pub(super) fn hides(&self) -> bool {
        self.flags & ASSUMED_OR_STAGED != 0 || self.more & INTENDED != 0
    }

    /// Whether git would take the file for what it was though its inode changed since: git
    /// compares whole seconds, unless it was built otherwise.
    #[cfg(unix)]
    pub(super) fn looks_the_same(&self, file: &std::fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt;
        let half = |number: u64| number & 0xffff_ffff;
        let seconds = [file.ctime(), file.mtime()].map(i64::cast_unsigned);
        let known = [self.number(0), self.number(8), self.number(36)];
        known == [seconds[0], seconds[1], file.size()].map(half)
            && self.number(4) != file.ctime_nsec().cast_unsigned()
    }

    #[cfg(not(unix))]
    pub(super) fn looks_the_same(&self, _: &std::fs::Metadata) -> bool {
        false
    }

    /// The entry for `git update-index --index-info`, which knows no times of it.
    pub(super) fn timeless(&self) -> Vec<u8> {
        let mut line = format!("{:o} ", self.number(24)).into_bytes();
        line.extend(self.id.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()));
        [line.as_slice(), b"\t", self.name].concat()
    }
}

/// Hands each entry to `each`, and gives what follows them; `None` where one does not fit.
pub(super) fn each_entry(
    bytes: &[u8],
    id_length: usize,
    mut each: impl FnMut(&Entry<'_>),
) -> Option<&[u8]> {
    let (header, mut body) = bytes.split_at_checked(12)?;
    let (version, entries) = (number(&header[4..8])?, number(&header[8..12])?);
    if &header[..4] != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..entries {
        let flags = body.get(STAT + id_length..STAT + id_length + 2)?;
        let extended = version > 2 && flags[0] & 0x40 != 0;
        let mut at = STAT + id_length + if extended { 4 } else { 2 };
        let more = if extended { *body.get(at - 2)? } else { 0 };
        let marks = flags[0];
        let (stat, id) = (body.get(..STAT)?, body.get(STAT..STAT + id_length)?);
        if version == 4 {
            // As many bytes of the name before are dropped as this number says.
            let mut byte = *body.get(at)?;
            let mut drop = usize::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                at += 1;
                byte = *body.get(at)?;
                drop = (drop.checked_add(1)?.checked_mul(128)?)
                    .checked_add(usize::from(byte & 0x7f))?;
            }
            at += 1;
            name.truncate(name.len().checked_sub(drop)?);
        } else {
            name.clear();
        }
        let length = memchr::memchr(0, body.get(at..)?)?;
        name.extend(&body[at..at + length]);
        each(&Entry { stat, id, name: &name, flags: marks, more });
        let end = if version == 4 { at + length + 1 } else { ((at + length) / 8 + 1) * 8 };
        body = body.get(end..)?;
    }
    body.get(..body.len().checked_sub(id_length)?)
}

/// The index in `bytes`, of a version that can mark entries, without its marks as a plain one, with
/// the trees that git keeps with it; and the names of all its extensions. `marked` hears of each
/// entry that is left out. `None` where entries stand for directories, or hide more.
pub(super) fn unmarked(
    bytes: &[u8],
    id_length: usize,
    mut marked: impl FnMut(&[u8]),
) -> Option<(Plain, Vec<&[u8]>)> {
    let (mut is_followed, mut before) = (true, Vec::new());
    let mut plain =
        Plain { bytes: b"DIRC\0\0\0\x02".to_vec(), places: Vec::new(), end: 0, id_length };
    plain.bytes.reserve(bytes.len());
    plain.bytes.extend(bytes.get(8..12)?);
    let mut rest = each_entry(bytes, id_length, |entry| {
        is_followed &= !entry.is_directory() && !entry.hides() && entry.name > before.as_slice();
        before.clear();
        before.extend(entry.name);
        let mut numbers = [0; NUMBERS];
        if entry.is_skipped() {
            numbers[MODE] = entry.mode();
            marked(entry.name);
        } else {
            for (number, bytes) in numbers.iter_mut().zip(entry.stat.chunks_exact(4)) {
                *number = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        // The last one's end is looked at below.
        plain.places.push(u32::try_from(plain.bytes.len()).unwrap_or(u32::MAX));
        Plain::write_entry(&mut plain.bytes, &numbers, entry.id, entry.name);
    })?;
    plain.end = plain.bytes.len();
    let mut names = Vec::new();
    while !rest.is_empty() {
        let (header, after) = rest.split_at_checked(8)?;
        let (part, after) = after.split_at_checked(number(&header[4..8])?)?;
        if &header[..4] == b"TREE" {
            plain.bytes.extend(header);
            plain.bytes.extend(part);
        }
        names.push(&header[..4]);
        rest = after;
    }
    plain.bytes.resize(plain.bytes.len() + id_length, 0);
    let fits = u32::try_from(plain.bytes.len()).is_ok();
    (is_followed && fits && is_self_contained_by(&names)).then_some((plain, names))
}

pub(super) fn is_self_contained(mut extensions: &[u8]) -> bool {
    while let Some((header, rest)) = extensions.split_at_checked(8) {
        if NOT_SELF_CONTAINED.contains(&&header[..4]) {
            return false;
        }
        let length = number(&header[4..8]).unwrap_or(usize::MAX);
        extensions = rest.get(length..).unwrap_or_default();
    }
    true
}

fn is_self_contained_by(names: &[&[u8]]) -> bool {
    !names.iter().any(|name| NOT_SELF_CONTAINED.contains(name))
}

fn number(bytes: &[u8]) -> Option<usize> {
    bytes.try_into().ok().and_then(|bytes| usize::try_from(u32::from_be_bytes(bytes)).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::testbed::Testbed;

    #[test]
    fn only_an_index_that_hides_nothing_is_plain() {
        let cases: [(&str, &[&[&str]], bool); 7] = [
            ("fresh", &[], true),
            ("staged", &[&["add", "-A"]], true),
            ("assumed", &[&["update-index", "--assume-unchanged", "a name"]], false),
            ("skipped", &[&["update-index", "--skip-worktree", "a name"]], false),
            ("intended", &[&["add", "-N", "new"]], false),
            ("split", &[&["update-index", "--split-index"]], false),
            ("version 4", &[&["update-index", "--index-version", "4"]], false),
        ];
        for format in ["sha1", "sha256"] {
            for (name, commands, plain) in cases {
                let bed = Testbed::with_format(format);
                for file in ["a name", "dir/b", "dir/with a longer name", "exactly8"] {
                    bed.commit(file, "1");
                }
                bed.write("new", "1");
                for command in commands {
                    bed.git(command);
                }
                let bytes = std::fs::read(bed.path().join(".git/index")).expect("reads");
                let id_length = if format == "sha1" { 20 } else { 32 };
                assert_eq!(is_plain_index(&bytes, id_length), plain, "{name} {format}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn entries_are_found_by_device_and_inode() {
        use std::os::unix::fs::MetadataExt;
        for version in ["2", "3", "4"] {
            let bed = Testbed::new();
            for file in ["a name", "dir/b", "dir/with a longer name", "dir2/x"] {
                bed.commit(file, "1");
            }
            std::fs::hard_link(bed.path().join("dir/b"), bed.path().join("dir2/twin"))
                .expect("linked");
            bed.git(&["add", "-A"]);
            if version == "3" {
                bed.git(&["update-index", "--skip-worktree", "a name"]);
            } else {
                bed.git(&["update-index", "--index-version", version]);
            }
            let bytes = std::fs::read(bed.path().join(".git/index")).expect("reads");
            for (file, names) in [("dir/b", vec!["dir/b", "dir2/twin"]), ("dir2/x", vec!["dir2/x"])]
            {
                let data = bed.path().join(file).metadata().expect("there");
                let found = names_of(&bytes, 20, data.dev(), data.ino());
                let found: Vec<_> =
                    found.into_iter().map(|name| String::from_utf8(name).expect("text")).collect();
                assert_eq!(found, names, "version {version}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200),
            entries in 0_u8..4, version in 2_u8..5) {
            let header = [b"DIRC\0\0\0".as_slice(), &[version, 0, 0, 0, entries]].concat();
            is_plain_index(&[header.clone(), bytes.clone()].concat(), 20);
            names_of(&[header, bytes].concat(), 20, 0, 0);
        }
    }
}
