//! What git knows below a directory, and what it ignored when a cycle began.

use std::collections::BTreeSet;
use std::fs;

use gix::bstr::ByteSlice as _;
use gix::glob::wildmatch::Mode;

use super::look::excludes::Excludes;
use super::{Store, StoreError};

impl Store {
    /// The files below `dir`, the top where it is empty, that git tracks, or that are there and
    /// not hidden by `excludes`, patterns that were kept; by their paths. A repository inside this
    /// one is a path that ends in `/`. Nothing is started for it, unless the patterns are such as
    /// are not followed here.
    pub(crate) fn files_below(
        &self,
        dir: &str,
        excludes: &[u8],
    ) -> Result<BTreeSet<String>, StoreError> {
        let Some(patterns) = Excludes::of(excludes) else { return self.asked_below(dir) };
        let index = self
            .repo
            .index_or_empty()
            .map_err(|err| StoreError::unreadable("the index".to_owned(), &err))?;
        let begin = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let tracked = index.entries().iter().map(|entry| entry.path(&index));
        let tracked = tracked.filter(|path| path.starts_with(begin.as_bytes()));
        let mut files: BTreeSet<String> =
            tracked.map(|path| path.to_str_lossy().into_owned()).collect();
        let hides = |path: &str, is_dir| patterns.meant(path.as_bytes(), is_dir) == Some(true);
        let mut above = begin.match_indices('/').map(|(at, _)| &begin[..at]);
        let mut ahead = if above.any(|above| hides(above, true)) { vec![] } else { vec![begin] };
        while let Some(begin) = ahead.pop() {
            for entry in fs::read_dir(self.work_tree().join(&begin))? {
                let entry = entry?;
                let path = format!("{begin}{}", entry.file_name().to_string_lossy());
                let is_dir = entry.file_type()?.is_dir();
                if entry.file_name() == ".git" || hides(&path, is_dir) {
                    continue;
                }
                if !is_dir {
                    files.insert(path);
                } else if entry.path().join(".git").exists() {
                    files.insert(format!("{path}/"));
                } else {
                    ahead.push(format!("{path}/"));
                }
            }
        }
        Ok(files)
    }

    /// The same as git says it now.
    fn asked_below(&self, dir: &str) -> Result<BTreeSet<String>, StoreError> {
        let dir = if dir.is_empty() { "." } else { dir };
        let known = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let printed = self.git(known.into_iter().chain(["--deduplicate", "--", dir])).run()?;
        let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// The paths of the person's index.
    pub(crate) fn indexed_paths(&self) -> Result<Vec<String>, StoreError> {
        let index = self
            .repo
            .index_or_empty()
            .map_err(|err| StoreError::unreadable("the index".to_owned(), &err))?;
        let paths = index.entries().iter().map(|entry| entry.path(&index));
        Ok(paths.map(|path| path.to_str_lossy().into_owned()).collect())
    }

    /// The paths with changes that no commit has, as git says it; those that git does not know are
    /// among them.
    pub(crate) fn uncommitted_paths(&self) -> Result<Vec<String>, StoreError> {
        let asked = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
        let printed = self.git(asked).run()?;
        let records = printed.split(|byte| *byte == 0).filter_map(|record| record.get(3..));
        Ok(records.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
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
