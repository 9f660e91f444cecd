//! What makes one object out of another: git's delta, copies out of a base and inserted bytes.
//!
//! Format: `gitformat-pack(5)`, "Deltified representation".

use std::collections::HashMap;

/// Bytes that are looked up in the base at once; a shorter likeness is not found.
const BLOCK: usize = 16;
/// Places of the base that are known start this far apart.
const STRIDE: usize = 4;
/// The most bytes of one insertion.
const INSERT: usize = 0x7f;
/// The most bytes of one copy: what two bytes of size can say.
const COPY: usize = 0xffff;

/// The delta from `base` to `target`; `None` where it would not be shorter than that. Whether it is
/// shorter once both are deflated is the caller's to ask.
pub(super) fn between(base: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    if base.len() < BLOCK || target.len() < BLOCK || u32::try_from(base.len()).is_err() {
        return None;
    }
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    for at in (0..=base.len() - BLOCK).step_by(STRIDE) {
        // Of blocks that are alike the first counts.
        places.entry(&base[at..at + BLOCK]).or_insert(at);
    }
    let mut out = Vec::new();
    size(&mut out, base.len());
    size(&mut out, target.len());
    let (mut at, mut fresh) = (0, 0);
    while at < target.len() {
        if out.len() + (at - fresh) >= target.len() {
            return None;
        }
        let found = target.get(at..at + BLOCK).and_then(|block| places.get(block));
        let Some(&place) = found else {
            at += 1;
            continue;
        };
        let alike = |(a, b): &(&u8, &u8)| a == b;
        let before = base[..place].iter().rev().zip(target[fresh..at].iter().rev());
        let before = before.take_while(alike).count();
        let after = base[place..].iter().zip(&target[at..]).take_while(alike).count();
        insert(&mut out, &target[fresh..at - before]);
        copy(&mut out, place - before, before + after);
        at += after;
        fresh = at;
    }
    insert(&mut out, &target[fresh..]);
    (out.len() < target.len()).then_some(out)
}

/// A size, seven bits at a time, the lowest first.
fn size(out: &mut Vec<u8>, mut size: usize) {
    while size > 0x7f {
        out.push(low(size) | 0x80);
        size >>= 7;
    }
    out.push(low(size));
}

fn insert(out: &mut Vec<u8>, bytes: &[u8]) {
    for part in bytes.chunks(INSERT) {
        out.push(low(part.len()));
        out.extend_from_slice(part);
    }
}

/// One byte tells which bytes of offset and size follow; those that are 0 do not.
fn copy(out: &mut Vec<u8>, mut from: usize, mut count: usize) {
    while count > 0 {
        let part = count.min(COPY);
        let head = out.len();
        out.push(0x80);
        let offset = (0..4).map(|n| (from >> (8 * n)) & 0xff);
        let size = (0..2).map(|n| (part >> (8 * n)) & 0xff);
        for (bit, byte) in offset.chain(size).enumerate() {
            if byte != 0 {
                out[head] |= 1 << bit;
                out.push(u8::try_from(byte).unwrap_or(u8::MAX));
            }
        }
        from += part;
        count -= part;
    }
}

/// The lowest seven bits.
fn low(of: usize) -> u8 {
    u8::try_from(of & 0x7f).unwrap_or(0x7f)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::between;

    /// What git makes of a delta, by its documentation.
    fn applied(base: &[u8], delta: &[u8]) -> Vec<u8> {
        let mut bytes = delta.iter().copied();
        let mut size = || {
            let (mut value, mut shift) = (0_usize, 0);
            loop {
                let byte = bytes.next().expect("a size");
                value |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    return value;
                }
            }
        };
        assert_eq!(size(), base.len());
        let wanted = size();
        let mut out = Vec::new();
        while let Some(word) = bytes.next() {
            if word & 0x80 == 0 {
                assert_ne!(word, 0, "reserved");
                out.extend((0..word).map(|_| bytes.next().expect("inserted bytes")));
                continue;
            }
            let mut value = |bits: std::ops::Range<u32>| {
                bits.clone().filter(|bit| word & (1 << bit) != 0).fold(0_usize, |sum, bit| {
                    let byte = usize::from(bytes.next().expect("a part of a copy"));
                    sum | byte << (8 * (bit - bits.start))
                })
            };
            let (from, count) = (value(0..4), value(4..7));
            let count = if count == 0 { 0x10000 } else { count };
            out.extend_from_slice(&base[from..from + count]);
        }
        assert_eq!(out.len(), wanted);
        out
    }

    proptest! {
        #[test]
        fn a_delta_makes_the_target(
            base in proptest::collection::vec(0_u8..4, 0..600),
            cut in 0_usize..600,
            put in proptest::collection::vec(any::<u8>(), 0..80),
            gone in 0_usize..80,
        ) {
            let cut = cut.min(base.len());
            let rest = (cut + gone).min(base.len());
            let target = [&base[..cut], &put, &base[rest..]].concat();
            if let Some(delta) = between(&base, &target) {
                prop_assert!(delta.len() < target.len());
                prop_assert_eq!(applied(&base, &delta), target);
            }
        }
    }

    #[test]
    fn long_likeness_is_a_few_copies_and_none_is_no_delta() {
        let base: Vec<u8> = (0..200_000_u32).flat_map(u32::to_be_bytes).collect();
        let target = [b"new".as_slice(), &base[8..], b"end"].concat();
        let delta = between(&base, &target).expect("they are alike");
        assert!(delta.len() < 150, "{}", delta.len());
        assert_eq!(applied(&base, &delta), target);
        assert_eq!(between(&[7; 100], &(0..100).collect::<Vec<u8>>()), None);
        assert_eq!(between(b"short", b"short"), None);
    }
}
