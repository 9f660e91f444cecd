//! The pinned patterns, asked without git.
//!
//! One list of patterns from the top of the work tree, the last one that matches decides: what
//! `git ls-files --exclude-from` does with the file that [`super::super::pins`] compiles. The
//! steps are git's own (`dir.c`), the prefix that is cut off before the wildcards included,
//! because it changes what `**` means. Case counts; a repository where it does not is git's.

use gix::bstr::ByteSlice as _;
use gix::glob::wildmatch::Mode;

/// Bytes that begin a wildcard.
const SPECIAL: &[u8] = b"*?[\\";
/// The most stars of a pattern: the library gives up beyond some depth, and git does not.
const STARS: usize = 24;

/// A list of patterns, weakest first.
#[derive(Debug, Default)]
pub(in crate::store) struct Excludes {
    patterns: Vec<Pattern>,
}

/// One line of such a list. Attributes have the same patterns, and none that is negative.
#[derive(Debug)]
pub(super) struct Pattern {
    text: Vec<u8>,
    /// How many bytes of the text stand before the first wildcard.
    literal: usize,
    negative: bool,
    /// Only directories match.
    dir: bool,
    /// It has no slash and is matched with the last part of a path.
    base: bool,
    /// A star and nothing special behind it.
    ends_with: bool,
}

impl Excludes {
    /// Reads the lines of an exclude file; `None` where one has more stars than are followed.
    pub(in crate::store) fn of(file: &[u8]) -> Option<Self> {
        let lines = file.split(|byte| *byte == b'\n');
        let patterns: Vec<Pattern> = lines.filter_map(Pattern::of).collect();
        patterns.iter().all(Pattern::is_followed).then_some(Self { patterns })
    }

    /// Whether the patterns hide `path`, where nothing above it is hidden.
    pub(super) fn hide(&self, path: &[u8], is_dir: bool) -> bool {
        self.meant(path, is_dir) == Some(true)
    }

    /// Whether the last pattern that matches `path` means it; `None` where none matches.
    pub(in crate::store) fn meant(&self, path: &[u8], is_dir: bool) -> Option<bool> {
        let base = path.rfind_byte(b'/').map_or(path, |slash| &path[slash + 1..]);
        let found = self.patterns.iter().rev().find(|pattern| pattern.fits(path, base, is_dir));
        found.map(|pattern| !pattern.negative)
    }
}

impl Pattern {
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        if line.starts_with(b"#") {
            return None;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.split(|byte| *byte == 0).next().unwrap_or(line);
        let line = super::super::pins::without_trailing_spaces(line);
        let (negative, given) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (dir, text) = given.strip_suffix(b"/").map_or((false, given), |rest| (true, rest));
        if text.is_empty() {
            return None;
        }
        let base = !text.contains(&b'/');
        let first_special = |text: &[u8]| text.find_byteset(SPECIAL).unwrap_or(text.len());
        let ends_with = text[0] == b'*' && first_special(&text[1..]) == text.len() - 1;
        // A slash at the beginning only anchors.
        let text = if base { text } else { text.strip_prefix(b"/").unwrap_or(text) };
        let literal = first_special(text);
        Some(Self { text: text.to_vec(), literal, negative, dir, base, ends_with })
    }

    /// Whether the pattern has no more stars than are followed.
    pub(super) fn is_followed(&self) -> bool {
        memchr::memchr_iter(b'*', &self.text).count() <= STARS
    }

    /// Whether it means `path`, whose last part is `base`.
    pub(super) fn fits(&self, path: &[u8], base: &[u8], is_dir: bool) -> bool {
        (is_dir || !self.dir) && if self.base { self.fits_base(base) } else { self.fits_path(path) }
    }

    fn fits_base(&self, base: &[u8]) -> bool {
        if self.literal == self.text.len() {
            self.text == base
        } else if self.ends_with {
            base.ends_with(&self.text[1..])
        } else {
            gix::glob::wildmatch(self.text.as_bstr(), base.as_bstr(), Mode::empty())
        }
    }

    fn fits_path(&self, path: &[u8]) -> bool {
        let (literal, wild) = self.text.split_at(self.literal);
        let Some(rest) = path.strip_prefix(literal) else { return false };
        if wild.is_empty() {
            return rest.is_empty();
        }
        gix::glob::wildmatch(wild.as_bstr(), rest.as_bstr(), Mode::NO_MATCH_SLASH_LITERAL)
    }
}
