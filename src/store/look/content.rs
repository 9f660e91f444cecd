//! Entries that only their content can settle, and the index that keeps what was found.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

use gix::hash::Hasher;
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::super::Store;
use super::super::index::{NUMBERS, Plain, time_of};
use super::super::own::{Own, checksum};
use super::super::pins::Lens;
use super::attributes::{Attributes, Content};
use super::walk::{Compared, Found, Ground, compare, numbers_of};

/// How much of a file is read at once.
const AT_ONCE: usize = 64 * 1024;
/// Where the mode stands among an entry's numbers.
const MODE: usize = 6;

/// An index on the disk, as it was when it was read.
pub(super) struct Kept {
    /// Its own time, in seconds and nanoseconds.
    pub(super) time: (u32, u32),
    pub(super) modified: SystemTime,
    pub(super) identity: [i64; 6],
    /// What entries are to know from now on, and the moment before their files were read.
    settled: Vec<(usize, [u32; NUMBERS])>,
    draft: Option<(Own, SystemTime)>,
}

/// What a file turned out to be.
enum Told {
    Same([u32; NUMBERS]),
    Modified,
    Gone,
}

impl Kept {
    /// `None` where no plain index lies there.
    pub(super) fn read(store: &Store, index: &Path) -> Option<(Self, Plain)> {
        let mut file = File::open(index).ok()?;
        let data = file.metadata().ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(data.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        let plain = Plain::of(bytes, store.repo.object_hash().len_in_bytes())?;
        let (modified, identity) = (data.modified().ok()?, identity(&data));
        let time = time_of(modified);
        let kept = Self { time, modified, identity, settled: Vec::new(), draft: None };
        Some((kept, plain))
    }

    /// Reads the files of `doubted` entries; those that changed are added to `found`.
    pub(super) fn tell(
        &mut self,
        store: &Store,
        lens: &Lens,
        ground: &Ground<'_>,
        doubted: Vec<usize>,
        found: &mut Found,
    ) -> Option<()> {
        let index = store.seed_dir().join("look-again");
        let draft = Own::beside(store, &index).ok()?;
        let now = draft.now().ok()?;
        self.draft = Some((draft, now));
        let mut attributes = Attributes::of(store, lens, ground.index)?;
        for entry in doubted {
            match told(store, ground, entry, &mut attributes)? {
                Told::Same(numbers) => self.settled.push((entry, numbers)),
                Told::Gone => found.gone.push(entry),
                Told::Modified => {
                    // It must not look like what it was once the index has a later time.
                    let mut numbers = [0; NUMBERS];
                    numbers[MODE] = ground.index.numbers(entry)[MODE];
                    self.settled.push((entry, numbers));
                    found.modified.push(entry);
                }
            }
        }
        Some(())
    }

    /// Writes what was settled, where anything was. An index that another look has written
    /// meanwhile stays, and so does one that cannot be written: the next look reads again.
    pub(super) fn write(mut self, store: &Store, index: &Path, mut plain: Plain) {
        let differs = self.settle(&mut plain);
        let Some((draft, now)) = &self.draft else { return };
        if differs {
            let Some(checksum) = checksum(store.repo.object_hash(), plain.unsealed()) else {
                return;
            };
            plain.seal(&checksum);
        }
        let same = || index.metadata().is_ok_and(|data| identity(&data) == self.identity);
        let _ = draft.write(plain.bytes(), *now).map(|()| same() && draft.put(index).is_ok());
    }

    /// The index knows what was settled; says whether that is news to it.
    pub(super) fn settle(&mut self, plain: &mut Plain) -> bool {
        let mut differs = false;
        for (entry, mut numbers) in self.settled.drain(..) {
            let known = plain.numbers(entry);
            numbers[MODE] = known[MODE];
            differs |= known != numbers;
            plain.put(entry, numbers);
        }
        differs
    }

    /// The directory to write in, where there is one already.
    pub(super) fn into_draft(self) -> Option<Own> {
        self.draft.map(|(own, _)| own)
    }

    /// The moment before files were read, where any was.
    pub(super) fn moment(&self) -> Option<SystemTime> {
        self.draft.as_ref().map(|(_, now)| *now)
    }
}

/// What tells one index on the disk from a later one in its place.
pub(super) fn identity(data: &fs::Metadata) -> [i64; 6] {
    let numbers = [data.ino(), data.size()].map(u64::cast_signed);
    let times = [data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec()];
    [numbers[0], numbers[1], times[0], times[1], times[2], times[3]]
}

/// Reads the file of one entry and compares it.
fn told(
    store: &Store,
    ground: &Ground<'_>,
    entry: usize,
    attributes: &mut Attributes<'_>,
) -> Option<Told> {
    let path = ground.index.name(entry);
    let at = store.work_tree.join(gix::path::from_byte_slice(path).ok()?);
    let stat = match rustix::fs::statat(rustix::fs::CWD, &at, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Some(Told::Gone),
        Err(_) => return None,
    };
    if compare(ground, entry, &stat)? == Compared::Modified {
        return Some(Told::Modified);
    }
    let hasher = gix::hash::hasher(store.repo.object_hash());
    let is_link = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink();
    let id = if is_link {
        let to = rustix::fs::readlinkat(rustix::fs::CWD, &at, Vec::new()).ok()?;
        blob(hasher, to.as_bytes())
    } else {
        let (id, content) = match hash(hasher, &at, &stat) {
            Ok(read) => read,
            // Git cannot compare it, and takes it for another one.
            Err(Errno::ACCESS) => return Some(Told::Modified),
            Err(_) => return None,
        };
        attributes.keep_as_it_is(path, content)?;
        id
    };
    let same = id.is_some_and(|id| id.as_slice() == ground.index.id(entry));
    Some(if same { Told::Same(numbers_of(&stat)) } else { Told::Modified })
}

fn blob(mut hasher: Hasher, bytes: &[u8]) -> Option<gix::ObjectId> {
    hasher.update(format!("blob {}\0", bytes.len()).as_bytes());
    hasher.update(bytes);
    hasher.try_finalize().ok()
}

/// The id of the file's bytes as a blob, if it is still the one of `stat`.
fn hash(
    mut hasher: Hasher,
    at: &Path,
    stat: &Stat,
) -> Result<(Option<gix::ObjectId>, Content), Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(at, flags, Mode::empty())?);
    let mut content = Content::default();
    if numbers_of(&rustix::fs::fstat(&file)?) != numbers_of(stat) {
        return Err(Errno::AGAIN);
    }
    hasher.update(format!("blob {}\0", stat.st_size).as_bytes());
    let (mut part, mut length) = (vec![0; AT_ONCE], 0);
    loop {
        let read = match file.read(&mut part) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        };
        hasher.update(&part[..read]);
        content.has_return |= memchr::memchr(b'\r', &part[..read]).is_some();
        content.has_dollar |= memchr::memchr(b'$', &part[..read]).is_some();
        length += read as u64;
    }
    // One that grows while it is read is not what the entry knew.
    let whole = u64::try_from(stat.st_size).is_ok_and(|size| size == length);
    Ok((whole.then(|| hasher.try_finalize().ok()).flatten(), content))
}
