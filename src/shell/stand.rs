//! Where a command of the line runs, and which values its variables hold there, as far
//! as the line itself shows.
//!
//! Paths are relative to where the line began. What cannot be told is left open, never
//! guessed: a directory that is not in the text makes every relative path unknown.

use std::collections::HashMap;

use super::words::{Target, Term};

/// How many directories one place may stand for before it counts as unknown.
const DIRECTORIES: usize = 4;
/// How many values of one variable are kept.
const VALUES: usize = 8;

/// The directories in which a command may run; none means that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Here(Vec<String>);

impl Default for Here {
    fn default() -> Self {
        Self(vec![String::new()])
    }
}

impl Here {
    /// A place that the text does not name.
    pub(crate) fn unknown() -> Self {
        Self(Vec::new())
    }

    /// Where `cd to` leads from here.
    pub(crate) fn moved(&self, to: &Term) -> Self {
        let Target::Files(directories) = to.target() else { return Self::unknown() };
        if directories.iter().any(|directory| directory.is_empty() || directory.starts_with('-')) {
            return Self::unknown();
        }
        let joined = self.0.iter().flat_map(|here| directories.iter().map(|to| descend(here, to)));
        Self(Vec::new()).with(joined)
    }

    /// Here or there: a `cd` that may have failed, or may not have been reached.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.0.is_empty() || other.0.is_empty() {
            return Self::unknown();
        }
        self.with(other.0)
    }

    fn with(mut self, more: impl IntoIterator<Item = String>) -> Self {
        for directory in more {
            if !self.0.contains(&directory) {
                self.0.push(directory);
            }
        }
        if self.0.len() > DIRECTORIES { Self::unknown() } else { self }
    }

    /// What `path` is called where the line began; empty if nobody knows.
    pub(crate) fn paths(&self, path: &str) -> Vec<String> {
        if path.starts_with('/') {
            return vec![path.to_owned()];
        }
        self.0.iter().map(|here| join(here, path)).collect()
    }
}

fn join(here: &str, path: &str) -> String {
    match (here, path) {
        ("", _) => path.to_owned(),
        (_, ".") => here.to_owned(),
        (_, "./") => format!("{here}/"),
        ("/", _) => format!("/{path}"),
        _ => format!("{here}/{path}"),
    }
}

/// As `cd` does, `..` takes back a name, wherever links lead.
fn descend(here: &str, to: &str) -> String {
    let root = if to.starts_with('/') || here.starts_with('/') { "/" } else { "" };
    let start = if to.starts_with('/') { "" } else { here };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(to.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if root == "/" => {}
            _ => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

/// The values that the line gives its variables; `None` for one that is not in the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Values(HashMap<String, Option<Vec<String>>>);

impl Values {
    /// `name` gets `value`, beside what it was given before.
    pub(crate) fn set(&mut self, name: &str, value: &Term) {
        let Target::Files(new) = value.target() else { return self.hide(name) };
        let known = self.0.entry(name.to_owned()).or_insert_with(|| Some(Vec::new()));
        let Some(values) = known else { return };
        values.extend(new.into_iter().filter(|new| !values.contains(new)).collect::<Vec<_>>());
        if values.len() > VALUES {
            *known = None;
        }
    }

    /// A loop gives `name` new values, whatever it had.
    pub(crate) fn restart(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// `name` gets a value that the text does not show.
    pub(crate) fn hide(&mut self, name: &str) {
        self.0.insert(name.to_owned(), None);
    }

    /// Whether the line gives `name` a value, seen or not.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&[String]> {
        self.0.get(name)?.as_deref()
    }

    /// Forgets the values that were given where they may not last, as in a subshell.
    pub(crate) fn back_to(&mut self, before: &Self) {
        for (name, values) in &mut self.0 {
            if before.0.get(name) != Some(values) {
                *values = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_where_the_line_began() {
        let cases: &[(&[&str], &str, &[&str])] = &[
            (&[], "x", &["x"]),
            (&["src/parser"], "x", &["src/parser/x"]),
            (&["src", "../lib/"], "x", &["lib/x"]),
            (&["/a", "b"], "x", &["/a/b/x"]),
            (&["a"], "/x", &["/x"]),
            (&["a"], ".", &["a"]),
            (&["../.."], "x", &["../../x"]),
            (&["-"], "x", &[]),
            (&["-"], "/x", &["/x"]),
        ];
        for (moves, path, expected) in cases {
            let here =
                moves.iter().fold(Here::default(), |here, to| here.moved(&Term::literal(to)));
            assert_eq!(here.paths(path), *expected, "{moves:?} {path}");
        }
    }

    #[test]
    fn a_doubtful_cd_leaves_both_places() {
        let here = Here::default().or(Here::default().moved(&Term::literal("a")));
        assert_eq!(here.paths("x"), ["x", "a/x"]);
        assert!(here.or(Here::unknown()).paths("x").is_empty());
    }
}
