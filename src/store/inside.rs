//! What git knows below a directory, and what it ignored when a cycle began.

use gix::bstr::ByteSlice as _;
use gix::glob::wildmatch::Mode;

use super::look::excludes::Excludes;
use super::{Store, StoreError};

impl Store {
    /// The files below `dir`, the top where it is empty, that git tracks, or that are there and
    /// not ignored, by their paths. A repository inside this one is a path that ends in `/`.
    pub(crate) fn files_below(&self, dir: &str) -> Result<Vec<String>, StoreError> {
        let dir = if dir.is_empty() { "." } else { dir };
        let known = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let printed = self.git(known.into_iter().chain(["--deduplicate", "--", dir])).run()?;
        let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Whether `excludes`, patterns that were kept, hide `path` or a directory above it, and the
    /// person's index holds nothing there.
    pub(crate) fn was_ignored(
        &self,
        excludes: &[u8],
        path: &str,
        is_dir: bool,
    ) -> Result<bool, StoreError> {
        // Patterns that are not followed here hide nothing for certain.
        let Some(patterns) = Excludes::of(excludes) else { return Ok(false) };
        let hides = |end: usize, is_dir: bool| {
            patterns.meant(&path.as_bytes()[..end], is_dir) == Some(true)
        };
        let mut above = path.match_indices('/').map(|(at, _)| at);
        if !(above.any(|end| hides(end, true)) || hides(path.len(), is_dir)) {
            return Ok(false);
        }
        let index = self
            .repo
            .index_or_empty()
            .map_err(|err| StoreError::unreadable("the index".to_owned(), &err))?;
        let below = format!("{path}/");
        Ok(index.entry_by_path(path.into()).is_none()
            && index.prefixed_entries_range(below.as_bytes().into()).is_none())
    }
}

/// Whether `pattern`, as tools expand it, means the file at `path`: a star stops at `/`, two of
/// them do not.
pub(crate) fn means(pattern: &str, path: &str) -> bool {
    let mode = Mode::NO_MATCH_SLASH_LITERAL;
    gix::glob::wildmatch(pattern.as_bytes().as_bstr(), path.as_bytes().as_bstr(), mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_files_as_tools_expand_it() {
        for (pattern, path, meant) in [
            ("lib/**/*.js", "lib/a.js", true),
            ("lib/**/*.js", "lib/a/b/c.js", true),
            ("lib/**/*.js", "lib/a.css", false),
            ("lib/*.js", "lib/a.js", true),
            ("lib/*.js", "lib/a/b.js", false),
            ("lib/**", "lib/a/b.js", true),
        ] {
            assert_eq!(means(pattern, path), meant, "{pattern} {path}");
        }
    }
}
