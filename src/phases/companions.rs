//! Files that tools write beside the work: companions and build directories.
//!
//! A lock file or a snapshot is rewritten by the tool that works on its source, wherever
//! the plan's directories end. It follows its source into scope, and only while a source of
//! it lies in a declared directory. A build directory is free where git ignores it, a cache
//! wherever nothing in it is tracked. All are rows; rules add further ones. What lies on the
//! disk is the caller's to ask.

use serde::Deserialize;

use crate::shipped;

/// The shipped rows.
pub(crate) const SHIPPED: &str = include_str!("companions.toml");

/// Files that follow their source into scope.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Companion {
    /// File names of sources, such as `Cargo.toml` or `*.rs`.
    pub of: Vec<String>,
    /// File names of what a tool rewrites.
    pub files: Vec<String>,
    /// The directory below the source's where they lie; `None` for beside or above it.
    #[serde(default)]
    pub below: Option<String>,
}

/// Directories that a tool makes where it works.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Build {
    /// File names that tell that the tool works in a directory.
    pub beside: Vec<String>,
    /// Names of the directories it makes there.
    pub dirs: Vec<String>,
}

/// Directories that tools fill with what they can make anew.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cache {
    /// Their names, wherever they lie.
    pub dirs: Vec<String>,
}

/// All rows in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Companions {
    #[serde(default)]
    companion: Vec<Companion>,
    #[serde(default)]
    build: Vec<Build>,
    #[serde(default)]
    cache: Vec<Cache>,
}

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCompanion {
    #[error("[[{table}]] row {row}: `{key}` names nothing")]
    Empty { table: &'static str, row: usize, key: &'static str },
    #[error("[[{table}]] row {row}: `{name}` in `{key}` is no single file or directory name")]
    Name { table: &'static str, row: usize, key: &'static str, name: String },
}

impl Companions {
    /// The shipped rows.
    pub(crate) fn shipped() -> Result<Self, toml::de::Error> {
        shipped::read(shipped::shipped!("companions"))
    }

    /// These rows and no others, checked.
    pub(crate) fn new(
        companion: Vec<Companion>,
        build: Vec<Build>,
        cache: Vec<Cache>,
    ) -> Result<Self, BadCompanion> {
        for (at, row) in companion.iter().enumerate() {
            names("companion", at, "of", &row.of, true)?;
            names("companion", at, "files", &row.files, true)?;
            if let Some(below) = &row.below {
                names("companion", at, "below", std::slice::from_ref(below), false)?;
            }
        }
        for (at, row) in build.iter().enumerate() {
            names("build", at, "beside", &row.beside, true)?;
            names("build", at, "dirs", &row.dirs, false)?;
        }
        for (at, row) in cache.iter().enumerate() {
            names("cache", at, "dirs", &row.dirs, false)?;
        }
        Ok(Self { companion, build, cache })
    }

    /// The same with the rows of `more` behind.
    #[must_use]
    pub(crate) fn and(mut self, more: &Self) -> Self {
        self.companion.extend(more.companion.iter().cloned());
        self.build.extend(more.build.iter().cloned());
        self.cache.extend(more.cache.iter().cloned());
        self
    }

    /// Whether `path` could be a companion at all; spares asking the disk.
    pub(crate) fn is_candidate(&self, path: &str) -> bool {
        let (dir, file) = split(path);
        self.rows_of(dir, file).next().is_some()
    }

    /// Whether `path` is what a tool writes down beside its manifest: a companion that lies in no
    /// directory of its own.
    pub(crate) fn is_lock(&self, path: &str) -> bool {
        let (dir, file) = split(path);
        self.rows_of(dir, file).any(|row| row.below.is_none())
    }

    /// Says whether `path` follows a source into scope: one of `dirs`, the declared
    /// directories, holds a file that it goes with. `holds` asks the disk whether a
    /// directory has a file of that name (`*` stands for any letters).
    pub(crate) fn follows<'a>(
        &self,
        path: &str,
        dirs: impl Iterator<Item = &'a str> + Clone,
        holds: impl Fn(&str, &str) -> bool,
    ) -> bool {
        let (dir, file) = split(path);
        self.rows_of(dir, file).any(|row| {
            let is_source = |declared: &str| row.of.iter().any(|name| holds(declared, name));
            match &row.below {
                Some(_) => {
                    dirs.clone().any(|declared| declared == split(dir).0 && is_source(declared))
                }
                None => dirs
                    .clone()
                    .any(|declared| is_at_or_below(declared, dir) && is_source(declared)),
            }
        })
    }

    /// The rows that `file` in `dir` could be a companion by.
    fn rows_of<'s>(&'s self, dir: &'s str, file: &'s str) -> impl Iterator<Item = &'s Companion> {
        self.companion.iter().filter(move |row| {
            row.below.as_ref().is_none_or(|below| split(dir).1 == below)
                && row.files.iter().any(|name| fits(name, file))
        })
    }

    /// The companions that a source in `dir` may have, where `holds` says what it holds: a
    /// directory (that of the companions, or `None` for `dir` and all above it) and names.
    pub(crate) fn beside<'s>(
        &'s self,
        dir: &'s str,
        holds: impl Fn(&str, &str) -> bool + 's,
    ) -> impl Iterator<Item = (Option<String>, &'s [String])> {
        let rows =
            self.companion.iter().filter(move |row| row.of.iter().any(|name| holds(dir, name)));
        rows.map(move |row| {
            let below = row.below.as_ref().map(|below| join(dir, below));
            (below, row.files.as_slice())
        })
    }

    /// The build or cache directory that `path` lies in, as a path: the outermost one by its
    /// name. Whether git ignores it is the caller's to ask.
    pub(crate) fn build_dir<'p>(&self, path: &'p str) -> Option<&'p str> {
        let is_build = |name: &str| {
            self.build.iter().any(|row| row.dirs.iter().any(|dir| dir == name))
                || self.is_cache(name)
        };
        let mut end = 0;
        for part in path.split('/') {
            end += part.len();
            // The last part is a file, which is no directory whatever it is called.
            if is_build(part) && end < path.len() {
                return Some(&path[..end]);
            }
            end += 1;
        }
        None
    }

    /// Whether the directory `dir` is a cache by its name.
    pub(crate) fn is_cache(&self, dir: &str) -> bool {
        let (_, name) = split(dir);
        self.cache.iter().any(|row| row.dirs.iter().any(|dir| dir == name))
    }

    /// Build directories of tools that work in `dir`, as paths.
    pub(crate) fn builds_in<'s>(
        &'s self,
        dir: &'s str,
        holds: impl Fn(&str, &str) -> bool + 's,
    ) -> impl Iterator<Item = String> {
        let rows =
            self.build.iter().filter(move |row| row.beside.iter().any(|name| holds(dir, name)));
        rows.flat_map(move |row| row.dirs.iter().map(move |name| join(dir, name)))
    }
}

fn names(
    table: &'static str,
    at: usize,
    key: &'static str,
    names: &[String],
    pattern: bool,
) -> Result<(), BadCompanion> {
    let row = at + 1;
    if names.is_empty() {
        return Err(BadCompanion::Empty { table, row, key });
    }
    let is_name = |name: &String| {
        let plain = !name.is_empty()
            && !name.contains(['/', '\\', '?', '['])
            && name != "."
            && name != "..";
        plain
            && (pattern || !name.contains('*'))
            && !name.eq_ignore_ascii_case(".git")
            && name != "*"
    };
    match names.iter().find(|name| !is_name(name)) {
        Some(name) => Err(BadCompanion::Name { table, row, key, name: name.clone() }),
        None => Ok(()),
    }
}

/// Whether `name`, in which `*` stands for any letters, is that of `file`.
pub(crate) fn fits(name: &str, file: &str) -> bool {
    match name.split_once('*') {
        None => name == file,
        Some((head, tail)) => {
            let rest = file.strip_prefix(head);
            rest.is_some_and(|rest| {
                (0..=rest.len()).any(|at| rest.is_char_boundary(at) && fits(tail, &rest[at..]))
            })
        }
    }
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

fn is_at_or_below(dir: &str, top: &str) -> bool {
    top.is_empty() || dir == top || dir.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with these files.
    fn disk<'f>(files: &'f [&'f str]) -> impl Fn(&str, &str) -> bool + 'f {
        move |dir, name| files.iter().any(|file| split(file).0 == dir && fits(name, split(file).1))
    }

    #[test]
    fn the_shipped_rows_hold() {
        let shipped = Companions::shipped().expect("the table reads");
        let again: Companions = toml::from_str(SHIPPED).expect("so does its source");
        assert_eq!(shipped, again);
        Companions::new(shipped.companion.clone(), shipped.build, shipped.cache)
            .expect("every row holds");
        assert!(!shipped.companion.is_empty());
    }

    #[test]
    fn a_companion_follows_a_declared_source_and_nothing_else() {
        let rows = Companions::shipped().expect("the table reads");
        let files = [
            "Cargo.toml",
            "crates/a/Cargo.toml",
            "crates/a/src/x.rs",
            "web/package.json",
            "web/x.test.ts",
        ];
        for (path, declared, follows) in [
            ("Cargo.lock", &["crates/a"][..], true),
            ("crates/Cargo.lock", &["crates/a"], true),
            ("crates/a/Cargo.lock", &["crates/a"], true),
            ("crates/b/Cargo.lock", &["crates/a"], false),
            ("Cargo.lock", &["crates/a/src"], false),
            ("Cargo.lock", &[""], true),
            ("Cargo.lock", &["web"], false),
            ("package-lock.json", &["web"], true),
            ("web/__snapshots__/x.test.ts.snap", &["web"], true),
            ("web/sub/__snapshots__/x.test.ts.snap", &["web"], false),
            ("crates/a/src/snapshots/y.snap", &["crates/a/src"], true),
            ("crates/a/src/snapshots/y.snap", &["crates/a"], false),
            ("crates/a/src/snapshots/y.rs", &["crates/a/src"], false),
            ("Cargo.toml", &["crates/a"], false),
            ("Cargo.lock", &[], false),
        ] {
            let found = rows.follows(path, declared.iter().copied(), disk(&files));
            assert_eq!(found, follows, "{path} for {declared:?}");
            assert!(!follows || rows.is_candidate(path), "{path}");
        }
        assert!(!rows.is_candidate("src/main.rs"));
    }

    #[test]
    fn what_goes_with_a_directory_is_told() {
        let rows = Companions::shipped().expect("the table reads");
        let files = ["a/Cargo.toml", "a/x.rs"];
        let beside: Vec<_> =
            rows.beside("a", disk(&files)).map(|(dir, names)| (dir, names.join(" "))).collect();
        assert_eq!(
            beside,
            [
                (None, "Cargo.lock".to_owned()),
                (Some("a/snapshots".to_owned()), "*.snap".to_owned())
            ]
        );
        assert_eq!(rows.builds_in("a", disk(&files)).collect::<Vec<_>>(), ["a/target"]);
        assert_eq!(rows.builds_in("", disk(&["Cargo.toml"])).collect::<Vec<_>>(), ["target"]);
    }

    #[test]
    fn a_build_directory_is_known_by_its_name() {
        let rows = Companions::shipped().expect("the table reads");
        for (path, dir) in [
            ("target/debug/x", Some("target")),
            ("a/node_modules/b/target/c", Some("a/node_modules")),
            ("target", None),
            ("src/targets/x", None),
            ("a/.pytest_cache/v/x", Some("a/.pytest_cache")),
            ("a/__pycache__/x.pyc", Some("a/__pycache__")),
        ] {
            assert_eq!(rows.build_dir(path), dir, "{path}");
        }
        assert!(rows.is_cache("a/__pycache__") && rows.is_cache("node_modules"));
        assert!(!rows.is_cache("dist") && !rows.is_cache("a/target"), "they may hold work");
    }

    #[test]
    fn a_row_that_names_no_name_is_told() {
        let companion = |of: &[&str], files: &[&str], below: Option<&str>| Companion {
            of: of.iter().map(|name| (*name).to_owned()).collect(),
            files: files.iter().map(|name| (*name).to_owned()).collect(),
            below: below.map(str::to_owned),
        };
        for (row, said) in [
            (companion(&[], &["x"], None), "[[companion]] row 1: `of` names nothing"),
            (
                companion(&["a/b"], &["x"], None),
                "[[companion]] row 1: `a/b` in `of` is no single file or directory name",
            ),
            (
                companion(&["a"], &["*"], None),
                "[[companion]] row 1: `*` in `files` is no single file or directory name",
            ),
            (
                companion(&["a"], &["x"], Some("..")),
                "[[companion]] row 1: `..` in `below` is no single file or directory name",
            ),
        ] {
            assert_eq!(
                Companions::new(vec![row], Vec::new(), Vec::new())
                    .expect_err("it is bad")
                    .to_string(),
                said
            );
        }
        let build = Build { beside: vec!["a".to_owned()], dirs: vec![".GIT".to_owned()] };
        assert!(Companions::new(Vec::new(), vec![build], Vec::new()).is_err());
        let cache = Cache { dirs: vec!["a/b".to_owned()] };
        assert!(Companions::new(Vec::new(), Vec::new(), vec![cache]).is_err());
    }
}
