//! Bytes as zlib streams, for objects, packs and texts.
//!
//! To set a compressor up costs ten times what it then does to an object of ours, so a thread
//! keeps those that it used, and an object that fits into one block of a disk is only framed.

use std::cell::RefCell;
use std::io;

use zlib_rs::{Deflate, DeflateFlush, Status};

/// As small as it gets, for what stays: packs.
pub(super) const BEST: i32 = 9;
/// Git's own choice.
pub(super) const USUAL: i32 = 6;

/// 32 KiB, which every reader of zlib knows.
const WINDOW: u8 = 15;
/// What a stream that compresses nothing begins with: deflate, a window of 32 KiB, level 0. Git
/// knows a loose object by it.
const HEAD: [u8; 2] = [0x78, 0x01];
/// What stands around the bytes of a stream that compresses nothing: two bytes of a head, five of
/// a block's, and a sum.
pub(super) const AROUND: usize = 11;
/// The most bytes that one block which is not compressed holds.
const BLOCK: usize = u16::MAX as usize;

thread_local! {
    static STREAMS: RefCell<Vec<(i32, Deflate)>> = const { RefCell::new(Vec::new()) };
}

/// `bytes` as one zlib stream.
pub(super) fn deflated(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    STREAMS.with_borrow_mut(|streams| {
        let at = streams.iter().position(|(of, _)| *of == level).unwrap_or_else(|| {
            streams.push((level, Deflate::new(level, true, WINDOW)));
            streams.len() - 1
        });
        let stream = &mut streams[at].1;
        stream.reset();
        let mut out = vec![0; zlib_rs::compress_bound(bytes.len())];
        match stream.compress(bytes, &mut out, DeflateFlush::Finish) {
            Ok(Status::StreamEnd) => {
                // It is no more than the bytes that were just made room for.
                out.truncate(usize::try_from(stream.total_out()).map_err(io::Error::other)?);
                Ok(out)
            }
            Ok(_) => Err(io::Error::other("the compressed bytes do not fit their bound")),
            Err(failed) => Err(io::Error::other(failed.as_str())),
        }
    })
}

/// These parts, one after the other, as a zlib stream that holds them as they are; `None` where
/// they are too long for one block of it.
pub(super) fn framed(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let len = u16::try_from(bytes).ok()?;
    let mut out = Vec::with_capacity(bytes + AROUND);
    out.extend(HEAD);
    out.push(1);
    out.extend(len.to_le_bytes());
    out.extend((!len).to_le_bytes());
    for part in parts {
        out.extend_from_slice(part);
    }
    let sum = parts.iter().fold(1, |sum, part| zlib_rs::adler32::adler32(sum, part));
    out.extend(sum.to_be_bytes());
    debug_assert!(bytes <= BLOCK);
    Some(out)
}

/// What [`framed`] made a stream of; `None` where it did not, or where a sum is another one.
pub(super) fn unframed(stream: &[u8]) -> Option<&[u8]> {
    let (head, rest) = stream.split_first_chunk::<7>()?;
    let (bytes, sum) = rest.split_last_chunk::<4>()?;
    let len = u16::try_from(bytes.len()).ok()?;
    let [l0, l1] = len.to_le_bytes();
    let whole = *head == [HEAD[0], HEAD[1], 1, l0, l1, !l0, !l1]
        && u32::from_be_bytes(*sum) == zlib_rs::adler32::adler32(1, bytes);
    whole.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(stream: &[u8]) -> Vec<u8> {
        let mut out = vec![0; 1 << 20];
        let (status, read, written) =
            gix::zlib::Inflate::default().once(stream, &mut out).expect("a stream");
        assert_eq!(status, gix::zlib::Status::StreamEnd);
        assert_eq!(read, stream.len(), "nothing is left over");
        out.truncate(written);
        out
    }

    proptest! {
        #[test]
        fn what_went_in_comes_out(
            texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4000), 1..6),
            level in 0..=9_i32,
        ) {
            for text in &texts {
                prop_assert_eq!(&back(&deflated(text, level).expect("deflates")), text);
                let (left, right) = text.split_at(text.len() / 2);
                let stream = framed(&[left, right]).expect("is short");
                prop_assert_eq!(&back(&stream), text);
                prop_assert_eq!(unframed(&stream), Some(text.as_slice()));
            }
        }
    }

    #[test]
    fn a_stream_knows_nothing_of_the_one_before() {
        let text = b"the same words, the same words, the same words".repeat(40);
        let first = deflated(&text, BEST).expect("deflates");
        deflated(&text.repeat(9), BEST).expect("deflates");
        assert_eq!(deflated(&text, BEST).expect("deflates"), first);
        let mut by_library =
            gix::zlib::stream::deflate::Write::new(Vec::new(), gix::zlib::Compression::BEST);
        io::Write::write_all(&mut by_library, &text).expect("writes");
        io::Write::flush(&mut by_library).expect("writes");
        assert_eq!(by_library.into_inner(), first);
    }

    #[test]
    fn what_does_not_compress_has_room() {
        let mut state = 7_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let noise: Vec<u8> = std::iter::repeat_with(next).take(1 << 20).collect();
        for level in [0, 1, BEST] {
            assert_eq!(back(&deflated(&noise, level).expect("deflates")), noise, "{level}");
        }
    }

    #[test]
    fn one_block_holds_so_much() {
        assert!(framed(&[&vec![b'x'; BLOCK]]).is_some());
        assert!(framed(&[&vec![b'x'; BLOCK], b"y"]).is_none());
        assert_eq!(back(&framed(&[]).expect("is short")), b"");
    }
}
