//! What a sparse checkout takes in: the patterns of `info/sparse-checkout`, asked without git.

use std::cell::RefCell;

use super::look::excludes::Excludes;

/// What a sparse checkout takes in. As with git, the last pattern that matches a path decides;
/// where none does, the one for the nearest directory above it.
#[derive(Debug)]
pub(super) struct Cone {
    patterns: Excludes,
    /// The directory that was asked for last, and its answer: many files lie in one.
    dir: RefCell<(Vec<u8>, bool)>,
}

impl Cone {
    /// Reads the lines of `info/sparse-checkout`; `None` where they are not followed here.
    pub(super) fn of(file: &[u8]) -> Option<Self> {
        let patterns = Excludes::of(file)?;
        let top = RefCell::new((Vec::new(), false));
        Some(Self { patterns, dir: top })
    }

    /// Whether the checkout has the file at `path`.
    pub(super) fn takes(&self, path: &[u8]) -> bool {
        if let Some(meant) = self.patterns.meant(path, false) {
            return meant;
        }
        let Some(slash) = memchr::memrchr(b'/', path) else { return false };
        let dir = &path[..slash];
        if self.dir.borrow().0 != dir {
            let taken = self.takes_dir(dir);
            *self.dir.borrow_mut() = (dir.to_vec(), taken);
        }
        self.dir.borrow().1
    }

    fn takes_dir(&self, mut dir: &[u8]) -> bool {
        loop {
            if let Some(meant) = self.patterns.meant(dir, true) {
                return meant;
            }
            let Some(slash) = memchr::memrchr(b'/', dir) else { return false };
            dir = &dir[..slash];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pattern_decides_and_then_the_nearest_directory() {
        let cone = "/*\n!/*/\n/src/\n/a/\n!/a/*/\n/a/b/\n";
        // The star means what lies in `many`, too: git says so.
        let loose = "*\n!/many/\n!*.bin\n/many/kept/\n";
        for (patterns, path, taken) in [
            (cone, "top", true),
            (cone, "src/x/y", true),
            (cone, "many/1/a", false),
            (cone, "a/file", true),
            (cone, "a/c/file", false),
            (cone, "a/b/c/file", true),
            (loose, "x/y", true),
            (loose, "many/1/a", true),
            (loose, "many/kept/a", true),
            (loose, "x/y.bin", false),
            ("", "x", false),
        ] {
            let read = Cone::of(patterns.as_bytes()).expect("it reads");
            assert_eq!(read.takes(path.as_bytes()), taken, "{path} by {patterns:?}");
        }
    }
}
