//! Bytes and types: what git seed writes, and how it reads it back.
//!
//! The format version stands in `job.toml` and in `refs/seed/meta`; an older version
//! is upgraded by one function each ([`state::read`]), a newer one is refused with a
//! sentence. `fixtures/format/` holds a frozen sample of each, and none is ever
//! edited. A repository is written in the format that `refs/seed/meta` says; in format 2 the texts
//! lie beside the chains ([`texts`]).

pub(crate) mod archive;
pub(crate) mod claim;
pub(crate) mod context;
pub(crate) mod days;
pub(crate) mod evidence;
pub(crate) mod files;
pub(crate) mod fold;
pub(crate) mod interaction;
pub(crate) mod journal;
pub(crate) mod landing;
pub(crate) mod looks;
pub(crate) mod merge;
pub(crate) mod meta;
pub(crate) mod names;
pub(crate) mod notes;
pub(crate) mod ops;
pub(crate) mod prints;
pub(crate) mod reread;
pub(crate) mod shown;
pub(crate) mod sshsig;
pub(crate) mod state;
pub(crate) mod summary;
pub(crate) mod sync;
pub(crate) mod texts;
pub(crate) mod tokens;
pub(crate) mod trailers;
pub(crate) mod transition;
pub(crate) mod watched;

use sha2::{Digest, Sha256};

/// The format that this binary writes.
pub(crate) const FORMAT: u32 = 2;

/// The first `digits` hex digits of the SHA-256 over `bytes`.
pub(crate) fn short_hash(bytes: &[u8], digits: usize) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(digits + 1);
    for byte in Sha256::digest(bytes) {
        if hex.len() >= digits {
            break;
        }
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex.truncate(digits);
    hex
}

/// The id of a step: a chain over job, step before and step, so that a replay is noticed; and the
/// clone that took it, so that two clones never give one id to two steps. Steps of format 1 name
/// none.
pub(crate) fn seed_id(job: &str, before: Option<&str>, step: &str, clone: Option<&str>) -> String {
    let mut lines = format!("{job}\n{}\n{step}\n", before.unwrap_or_default());
    if let Some(clone) = clone {
        lines.push_str(clone);
        lines.push('\n');
    }
    short_hash(lines.as_bytes(), 12)
}

/// The head and the text of a file that begins with lines `key: value` between two `---`.
fn headed(file: &str) -> Option<(Head<'_>, &str)> {
    let (lines, text) = file.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some((Head(lines), text.strip_suffix('\n').unwrap_or(text)))
}

/// The lines between them.
struct Head<'a>(&'a str);

impl<'a> Head<'a> {
    fn value(&self, key: &str) -> Option<&'a str> {
        self.0.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_twelve_digits_and_chain() {
        let first = seed_id("20261121t205612-7f3a", None, "birth", None);
        // printf '20261121t205612-7f3a\n\nbirth\n' | sha256sum
        assert_eq!(first.len(), 12);
        let second = seed_id("20261121t205612-7f3a", Some(&first), "idle -> observe", None);
        assert_ne!(first, second);
        let there = seed_id("20261121t205612-7f3a", None, "birth", Some("1f2e"));
        // printf '20261121t205612-7f3a\n\nbirth\n1f2e\n' | sha256sum
        assert_eq!((first.as_str(), there.as_str()), ("0cadab147510", "1d9bcefbb03d"));
        assert_eq!(short_hash(b"", 12), "e3b0c44298fc");
    }
}
