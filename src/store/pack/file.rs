//! The bytes of a pack and of its index, for SHA-1 and SHA-256 alike.
//!
//! Format: `gitformat-pack(5)`: pack version 2, index version 2.

use std::io;

use gix::ObjectId;
use gix::hash::Kind as HashKind;
use gix::objs::Kind;

use crate::store::deflate;

/// Packs are joined up to this many bytes: it is read and written in one step.
pub(super) const MOST: usize = 256 << 20;

/// An object's place in a pack.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub id: ObjectId,
    pub offset: usize,
    pub crc: u32,
}

/// What is written instead of the whole object.
pub(super) struct Delta<'d> {
    pub bytes: &'d [u8],
    /// Where in the same pack the base begins.
    pub base: usize,
}

/// A pack on its way.
pub(super) struct Draft {
    hash: HashKind,
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// A pack and its index.
pub(super) struct Packed {
    /// The checksum, which its name holds.
    pub name: String,
    pub pack: Vec<u8>,
    pub index: Vec<u8>,
}

/// Bytes of the head: `PACK`, version, count.
pub(super) const HEAD: usize = 12;

impl Draft {
    pub(super) fn new(hash: HashKind) -> Self {
        Self { hash, bytes: vec![0; HEAD], places: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where the next object begins.
    pub(super) fn end(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn push(&mut self, id: ObjectId, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let number = match kind {
            Kind::Commit => 1,
            Kind::Tree => 2,
            Kind::Blob => 3,
            Kind::Tag => 4,
        };
        self.entry(id, number, bytes, None)
    }

    pub(super) fn push_delta(&mut self, id: ObjectId, delta: &Delta<'_>) -> io::Result<()> {
        self.entry(id, 6, delta.bytes, Some(delta.base))
    }

    /// Takes in all entries of another pack: `body` is what stands between head and checksum.
    /// Deltas name their base by distance, so they lead to it here too.
    pub(super) fn adopt(&mut self, body: &[u8], places: Vec<Place>) {
        let moved = self.bytes.len() - HEAD;
        self.bytes.extend_from_slice(body);
        self.places.extend(
            places.into_iter().map(|place| Place { offset: place.offset + moved, ..place }),
        );
    }

    fn entry(
        &mut self,
        id: ObjectId,
        number: u8,
        bytes: &[u8],
        base: Option<usize>,
    ) -> io::Result<()> {
        let offset = self.bytes.len();
        let mut size = bytes.len() >> 4;
        let more = |size: usize| if size > 0 { 0x80 } else { 0 };
        self.bytes.push(more(size) | number << 4 | byte(bytes.len() & 0xf));
        while size > 0 {
            let low = byte(size & 0x7f);
            size >>= 7;
            self.bytes.push(more(size) | low);
        }
        if let Some(base) = base {
            self.bytes.extend(distance(offset - base));
        }
        self.bytes.extend(deflated(bytes)?);
        let crc = zlib_rs::crc32::crc32(0, &self.bytes[offset..]);
        self.places.push(Place { id, offset, crc });
        Ok(())
    }

    /// The pack and its index; `None` where an object stands in it twice, which git refuses.
    pub(super) fn finish(mut self) -> io::Result<Option<Packed>> {
        let count = u32::try_from(self.places.len()).map_err(io::Error::other)?;
        self.bytes[..4].copy_from_slice(b"PACK");
        self.bytes[4..8].copy_from_slice(&2_u32.to_be_bytes());
        self.bytes[8..HEAD].copy_from_slice(&count.to_be_bytes());
        let checksum = sum(self.hash, &self.bytes)?;
        self.bytes.extend_from_slice(checksum.as_bytes());
        self.places.sort_unstable_by_key(|place| place.id);
        if self.places.windows(2).any(|pair| pair[0].id == pair[1].id) {
            return Ok(None);
        }
        let index = index(self.hash, &self.places, &checksum)?;
        Ok(Some(Packed { name: checksum.to_string(), pack: self.bytes, index }))
    }
}

/// What a pack holds of these bytes.
pub(super) fn deflated(bytes: &[u8]) -> io::Result<Vec<u8>> {
    deflate::deflated(bytes, deflate::BEST)
}

fn index(hash: HashKind, places: &[Place], pack: &ObjectId) -> io::Result<Vec<u8>> {
    let mut out = b"\xfftOc\0\0\0\x02".to_vec();
    for first in 0..=u8::MAX {
        let upto = places.partition_point(|place| place.id.as_bytes()[0] <= first);
        out.extend(u32::try_from(upto).map_err(io::Error::other)?.to_be_bytes());
    }
    for place in places {
        out.extend_from_slice(place.id.as_bytes());
    }
    for place in places {
        out.extend(place.crc.to_be_bytes());
    }
    for place in places {
        // The highest bit would mean a table of longer offsets.
        let offset = i32::try_from(place.offset).map_err(io::Error::other)?;
        out.extend(offset.to_be_bytes());
    }
    out.extend_from_slice(pack.as_bytes());
    let own = sum(hash, &out)?;
    out.extend_from_slice(own.as_bytes());
    Ok(out)
}

fn sum(hash: HashKind, bytes: &[u8]) -> io::Result<ObjectId> {
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(bytes);
    hasher.try_finalize().map_err(io::Error::other)
}

/// How far back a base lies: seven bits at a time, the highest first, and no value twice.
pub(super) fn distance(mut back: usize) -> Vec<u8> {
    let mut out = vec![byte(back & 0x7f)];
    back >>= 7;
    while back > 0 {
        back -= 1;
        out.push(0x80 | byte(back & 0x7f));
        back >>= 7;
    }
    out.reverse();
    out
}

fn byte(of: usize) -> u8 {
    u8::try_from(of).unwrap_or(u8::MAX)
}
