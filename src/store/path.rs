//! [`RepoPath`]: a path inside the repository, as git writes it.
//!
//! Bytes with `/` between components, relative to the top of the work tree, never
//! empty, never leaving it. Git allows any bytes, so this does too.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// A path inside the repository, lossless.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

/// A path that is not inside a repository.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a path inside the work tree")]
pub struct NotInside(String);

impl RepoPath {
    /// Takes `path` if every component is an ordinary name.
    pub(crate) fn new(path: impl Into<Vec<u8>>) -> Result<Self, NotInside> {
        let path = path.into();
        if path.split(|byte| *byte == b'/').all(ordinary) && !path.contains(&0) {
            return Ok(Self(path));
        }
        Err(NotInside(String::from_utf8_lossy(&path).into_owned()))
    }

    /// The bytes as git has them.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text, if it is UTF-8.
    pub(crate) fn to_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Where the path lies below `work_tree`.
    pub(crate) fn below(&self, work_tree: &Path) -> Result<PathBuf, NotInside> {
        gix::path::from_byte_slice(&self.0)
            .map(|path| work_tree.join(path))
            .map_err(|_| NotInside(self.to_string()))
    }
}

/// A component that names something below the directory it stands in.
fn ordinary(component: &[u8]) -> bool {
    !matches!(component, b"" | b"." | b"..") && !component.eq_ignore_ascii_case(b".git")
}

impl fmt::Display for RepoPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&match self.to_str() {
            Some(text) => Cow::Borrowed(text),
            None => String::from_utf8_lossy(&self.0),
        })
    }
}

impl TryFrom<&str> for RepoPath {
    type Error = NotInside;

    fn try_from(path: &str) -> Result<Self, NotInside> {
        Self::new(path)
    }
}

/// Paths as git's `-z` options read and write them.
pub(super) fn nul_terminated(paths: &[RepoPath]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside() {
        let cases: [(&[u8], bool); 10] = [
            (b"a", true),
            (b"a b/\xff.txt", true),
            (b".gitignore", true),
            (b"", false),
            (b"/etc", false),
            (b"a/", false),
            (b"a//b", false),
            (b"a/../b", false),
            (b".GIT/config", false),
            (b"a\0b", false),
        ];
        for (path, inside) in cases {
            assert_eq!(RepoPath::new(path).is_ok(), inside, "{}", String::from_utf8_lossy(path));
        }
    }
}
