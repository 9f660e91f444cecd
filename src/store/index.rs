//! Whether an index file can be copied as it is.
//!
//! A copied index spares git reading every file again, because it knows their times.
//! But it also brings the person's marks (assume-unchanged, skip-worktree, intent to
//! add) and may lean on a second file. Such an index is not copied; git then starts
//! from a tree and reads the files. Format: gitformat-index(5).

/// Bytes of an entry before its object id: times, device, inode, mode, owner, size.
const STAT: usize = 40;

/// Extensions that say the entries are elsewhere or stand for whole directories.
const NOT_SELF_CONTAINED: [&[u8]; 2] = [b"link", b"sdir"];

/// Whether the index in `bytes` is of version 2, holds all its entries and marks none.
///
/// Later versions exist to hold marks or to shorten names; those are not looked into.
pub(super) fn is_plain_index(bytes: &[u8], id_length: usize) -> bool {
    let Some((header, body)) = bytes.split_at_checked(12) else { return false };
    let Some(body) = body.len().checked_sub(id_length).map(|length| &body[..length]) else { return false };
    if &header[..4] != b"DIRC" || number(&header[4..8]) != Some(2) {
        return false;
    }
    let entries = number(&header[8..12]).unwrap_or_default();
    after_unmarked_entries(body, entries, id_length).is_some_and(is_self_contained)
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
        let length = name + body.get(name..)?.iter().position(|byte| *byte == 0)?;
        // One to eight NULs pad an entry to a multiple of eight bytes.
        body = body.get((length / 8 + 1) * 8..)?;
    }
    Some(body)
}

fn is_self_contained(mut extensions: &[u8]) -> bool {
    while let Some((header, rest)) = extensions.split_at_checked(8) {
        if NOT_SELF_CONTAINED.contains(&&header[..4]) {
            return false;
        }
        let length = number(&header[4..8]).unwrap_or(usize::MAX);
        extensions = rest.get(length..).unwrap_or_default();
    }
    true
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

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200), entries in 0_u8..4) {
            let header = [b"DIRC\0\0\0\x02\0\0\0".as_slice(), &[entries]].concat();
            is_plain_index(&[header, bytes].concat(), 20);
        }
    }
}
