//! The directories that a plan declares, the files that a person opened beside them, and
//! the exact match against both.
//!
//! A declared directory opens its own files and nothing else: neither the directories
//! below it nor those above. There are no patterns, so a reader of the plan sees every
//! place that execute may write to. Where the rule `scope.deep` holds, `scope: <dir>/` opens the
//! files of the directories below as well; their pages stay what they are, since nobody would
//! condense them.

use std::collections::BTreeSet;

use super::pages;

/// Sorted sets of exact directories, where the empty string is the root, and of exact files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    dirs: BTreeSet<String>,
    /// Directories among them that open those below.
    deep: BTreeSet<String>,
    files: BTreeSet<String>,
    tests: bool,
    words: Vec<Word>,
}

/// What a person said of paths; of each, all below it is meant as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub kind: Turn,
    pub paths: Vec<String>,
    /// As they said it.
    pub said: String,
}

/// What such a word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Closes,
    /// It closes all else.
    ClosesElse,
    /// What was said before is over.
    Opens,
}

/// What stands behind a directory in the list of a job that opens those below it.
const BELOW: &str = "/**";

/// The line of a job's list that opens the directories below `line`, one that names a directory.
pub(crate) fn below_line(line: &str) -> String {
    format!("{line}{BELOW}")
}

/// The line of the directory, where `line` opens what is below one.
pub(crate) fn of_below(line: &str) -> Option<&str> {
    line.strip_suffix(BELOW)
}

impl Scope {
    /// Adds `dir`; says whether it is new.
    pub(crate) fn declare(&mut self, dir: impl Into<String>) -> bool {
        self.dirs.insert(dir.into())
    }

    /// Adds what a line of a plan names: a directory, or a file, there or to come. Nobody is asked
    /// which of them it is.
    pub(crate) fn name(&mut self, named: String) {
        self.files.insert(named.clone());
        self.dirs.insert(named);
    }

    /// Opens the directories below `dir`; says whether that is new.
    pub(crate) fn declare_below(&mut self, dir: impl Into<String>) -> bool {
        self.deep.insert(dir.into())
    }

    /// Says whether `dir` lies below a directory that opens those below it.
    pub(crate) fn covers(&self, dir: &str) -> bool {
        let above = |deep: &String| {
            deep.is_empty()
                || dir.strip_prefix(deep.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.deep.iter().any(above)
    }

    /// Directories that open those below them, sorted.
    pub(crate) fn deep(&self) -> impl Iterator<Item = &str> {
        self.deep.iter().map(String::as_str)
    }

    /// Adds one file that is open by itself.
    pub(crate) fn open(&mut self, file: impl Into<String>) {
        self.files.insert(file.into());
    }

    /// Takes what a person said of paths after all that it knows.
    pub(crate) fn hear(&mut self, word: Word) {
        self.words.push(word);
    }

    /// The word of a person that keeps `path` closed, whatever is declared; the last one about it
    /// decides.
    pub(crate) fn closed_by(&self, path: &str) -> Option<&Word> {
        let lies_in = |path: &str, held: &str| {
            path.strip_prefix(held).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // What a pattern may take is told by the directory that it begins in.
        let (path, pattern) = match path.find(['*', '?', '[']) {
            Some(at) => (path[..at].rsplit_once('/').map_or("", |(dir, _)| dir), true),
            None => (path, false),
        };
        let mut only: Option<(bool, &Word)> = None;
        for word in self.words.iter().rev() {
            let holds = word.paths.iter().any(|held| held.is_empty() || lies_in(path, held));
            let below = |held: &str| lies_in(held, path) || pattern && path.is_empty();
            let takes = || word.paths.iter().any(|held| below(held));
            match word.kind {
                Turn::Opens if holds => break,
                Turn::Closes if holds || takes() => return Some(word),
                Turn::ClosesElse if only.is_none() => only = Some((holds, word)),
                Turn::Opens | Turn::Closes | Turn::ClosesElse => {}
            }
        }
        only.filter(|(holds, _)| !holds).map(|(_, word)| word)
    }

    /// Paths that a person closed and that are closed still.
    pub(crate) fn closed(&self) -> impl Iterator<Item = &str> {
        let closing = self.words.iter().filter(|word| word.kind == Turn::Closes);
        let paths = closing.flat_map(|word| word.paths.iter().map(String::as_str));
        paths.filter(|path| self.closed_by(path).is_some())
    }

    /// Tests of what lies in its directories are open, too.
    pub(crate) fn take_tests(&mut self) {
        self.tests = true;
    }

    /// Says whether tests are open that lie elsewhere.
    pub(crate) fn has_tests(&self) -> bool {
        self.tests
    }

    /// Says whether tests in a tree of their own below `root` belong to a declared directory: it
    /// lies there, too.
    pub(crate) fn takes_tests_of(&self, root: &str) -> bool {
        let below = |dir: &str| {
            root.is_empty()
                || dir
                    .strip_prefix(root)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.tests && self.dirs().any(below)
    }

    /// Says whether `dir` itself is declared.
    pub(crate) fn declares(&self, dir: &str) -> bool {
        self.dirs.contains(dir)
    }

    /// Says whether `file` lies directly in a declared directory, or is open by itself.
    pub(crate) fn holds(&self, file: &str) -> bool {
        self.declares(pages::dir_of(file)) || self.files.contains(file)
    }

    /// Every directory, sorted.
    pub(crate) fn dirs(&self) -> impl Iterator<Item = &str> + Clone {
        self.dirs.iter().map(String::as_str)
    }

    /// Every file that is open by itself, sorted.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }
}

impl<D: Into<String>> FromIterator<D> for Scope {
    fn from_iter<I: IntoIterator<Item = D>>(dirs: I) -> Self {
        Self { dirs: dirs.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// A `scope:` line that names no exact directory of this repository.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadScope {
    #[error("a scope line names no directory; the root is `scope: .`")]
    Empty,
    #[error("scope `{0}` is absolute; name the directory from the root of the repository")]
    Absolute(String),
    #[error("`{0}` lies inside .git, which only git writes")]
    Git(String),
    #[error("scope `{0}` leaves its place with `..`; name the directory itself")]
    Parent(String),
    #[error("scope `{0}` is a pattern; name each directory on a line of its own")]
    Pattern(String),
    #[error("scope `{0}` has a backslash or a control character; directories are parted by `/`")]
    Character(String),
}

/// What a `scope:` line declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub dir: String,
    /// It ends in `/`: where the rules say so, it means the directories below as well.
    pub below: bool,
}

/// Reads every `scope: <dir>` line of a section, in order; `is_there` says whether the work tree
/// has something by a path.
///
/// A list marker before the word, backticks around the directory, a leading `./` and several
/// directories in one line are tolerated.
pub(crate) fn declared(
    section: &str,
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<Result<Declared, BadScope>> {
    let lines = section.lines().filter_map(scope_line);
    lines.flat_map(|line| listed(line, is_there)).map(directory).collect()
}

/// The directories that one word for directories names: commas part them, and spaces where each
/// part is there. What is there by the whole word is meant by it.
pub(crate) fn listed<'a>(written: &'a str, is_there: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let bare = |part: &'a str| part.trim_matches('`').trim();
    if written.contains(['{', '}']) || is_there(bare(written)) {
        return vec![written];
    }
    let parts = |signs: &[char]| -> Vec<&'a str> {
        written.split(signs).map(str::trim).filter(|part| !part.is_empty()).collect()
    };
    let by_commas = parts(&[',']);
    if by_commas.len() > 1 {
        return by_commas;
    }
    let by_spaces = parts(&[' ', '\t', ',']);
    if by_spaces.len() > 1 && by_spaces.iter().all(|part| is_there(bare(part))) {
        return by_spaces;
    }
    vec![written]
}

fn scope_line(line: &str) -> Option<&str> {
    let line = line.trim();
    let bare =
        ["- ", "* ", "+ "].iter().find_map(|marker| line.strip_prefix(marker)).unwrap_or(line);
    bare.trim_start().strip_prefix("scope:").map(str::trim)
}

fn directory(written: &str) -> Result<Declared, BadScope> {
    let dir = written.trim_matches('`').trim();
    let named = |bad: fn(String) -> BadScope| Err(bad(dir.to_owned()));
    if dir.is_empty() {
        return Err(BadScope::Empty);
    }
    if dir.starts_with(['/', '~']) || has_drive(dir) {
        return named(BadScope::Absolute);
    }
    // Brackets are no pattern here: `app/[id]` is a directory that frameworks ask for.
    if dir.contains(['*', '?', '{', '}']) {
        return named(BadScope::Pattern);
    }
    if dir.contains(|c: char| c == '\\' || c.is_control()) {
        return named(BadScope::Character);
    }
    let parts: Vec<&str> = dir.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return named(BadScope::Parent);
    }
    if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
        return named(BadScope::Git);
    }
    Ok(Declared { dir: parts.join("/"), below: dir.ends_with('/') })
}

fn has_drive(dir: &str) -> bool {
    matches!(dir.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_word_about_a_path_decides() {
        let word =
            |kind, path: &str| Word { kind, paths: vec![path.to_owned()], said: path.to_owned() };
        let closes = |path| word(Turn::Closes, path);
        let opens = |path| word(Turn::Opens, path);
        let only = |path| word(Turn::ClosesElse, path);
        for (words, path, closed) in [
            (vec![closes("src/a.py")], "src/a.py", true),
            (vec![closes("src/a.py")], "src/b.py", false),
            (vec![closes("src/a.py")], "src/a.pyx", false),
            (vec![closes("src")], "src/deep/a.py", true),
            (vec![closes("src/a.py")], "src", true),
            (vec![closes("src/a.py")], "src/*.py", true),
            (vec![closes("src/a.py")], "*", true),
            (vec![closes("src/a.py")], "docs/*", false),
            (vec![closes("src"), opens("src/a.py")], "src/a.py", false),
            (vec![closes("src"), opens("src/a.py")], "src/b.py", true),
            (vec![opens("src/a.py"), closes("src")], "src/a.py", true),
            (vec![only("src/a.py")], "src/a.py", false),
            (vec![only("src/a.py")], "src/b.py", true),
            (vec![only("src/a.py"), opens("src/b.py")], "src/b.py", false),
            (vec![only("src/a.py"), only("docs")], "src/a.py", true),
        ] {
            let mut scope = Scope::default();
            words.iter().cloned().for_each(|word| scope.hear(word));
            assert_eq!(scope.closed_by(path).is_some(), closed, "{path}: {words:?}");
        }
    }

    #[test]
    fn scope_lines_name_exact_directories() {
        let cases = [
            ("scope: src/parser", Ok("src/parser")),
            ("scope: src/parser/", Ok("src/parser")),
            ("scope: ./src//parser/.", Ok("src/parser")),
            ("  - scope: `src/my dir/`\r", Ok("src/my dir")),
            ("scope: .", Ok("")),
            ("scope: app/[id]", Ok("app/[id]")),
            ("scope:", Err(BadScope::Empty)),
            ("scope: ``", Err(BadScope::Empty)),
            ("scope: /etc", Err(BadScope::Absolute("/etc".into()))),
            ("scope: ~/x", Err(BadScope::Absolute("~/x".into()))),
            ("scope: C:/x", Err(BadScope::Absolute("C:/x".into()))),
            ("scope: src/../x", Err(BadScope::Parent("src/../x".into()))),
            ("scope: src/**", Err(BadScope::Pattern("src/**".into()))),
            ("scope: {a,b}", Err(BadScope::Pattern("{a,b}".into()))),
            ("scope: src\\a", Err(BadScope::Character("src\\a".into()))),
        ];
        for (line, expected) in cases {
            let read: Vec<_> =
                declared(line, &|_| false).into_iter().map(|one| one.map(|one| one.dir)).collect();
            assert_eq!(read, vec![expected.map(str::to_owned)], "{line}");
        }
    }

    #[test]
    fn several_directories_in_one_line_are_several() {
        let there = ["src", "tests", "my dir", "a, b", "src/lib.rs"];
        for (line, expected) in [
            ("scope: src,tests", vec!["src", "tests"]),
            ("scope: src/, `new`,", vec!["src", "new"]),
            ("scope: `src`, `tests`", vec!["src", "tests"]),
            ("scope: src tests", vec!["src", "tests"]),
            ("scope: my dir", vec!["my dir"]),
            ("scope: a, b", vec!["a, b"]),
            // A directory to come may have a space in its name.
            ("scope: src new", vec!["src new"]),
            ("scope: ,", vec![","]),
        ] {
            let read = declared(line, &|path| there.contains(&path));
            let read: Vec<String> = read.into_iter().map(|one| one.expect("reads").dir).collect();
            assert_eq!(read, expected, "{line}");
        }
        let read = declared("scope: src, ../tests", &|_| false);
        assert!(read[0].is_ok() && read[1] == Err(BadScope::Parent("../tests".into())), "{read:?}");
    }

    #[test]
    fn a_slash_at_the_end_means_what_is_below() {
        for (line, below) in [
            ("scope: src/parser/", true),
            ("- scope: `src/parser/`", true),
            ("scope: ./", true),
            ("scope: src/parser", false),
            ("scope: .", false),
            ("scope: src/.", false),
        ] {
            let read = declared(line, &|_| false).pop().expect("a line").expect("a directory");
            assert_eq!(read.below, below, "{line}");
        }
        let line = below_line("src/a");
        assert_eq!(
            (line.as_str(), of_below(&line), of_below("src/a")),
            ("src/a/**", Some("src/a"), None)
        );
        let mut scope: Scope = ["src/a", "src/b"].into_iter().collect();
        assert!(scope.declare_below("src/a"));
        for (dir, covered) in [
            ("src/a/x", true),
            ("src/a/x/y", true),
            ("src/a", false),
            ("src/ab", false),
            ("src/b/x", false),
            ("src", false),
            ("", false),
        ] {
            assert_eq!(scope.covers(dir), covered, "{dir}");
            assert_eq!(scope.declares(dir), ["src/a", "src/b"].contains(&dir), "{dir}");
        }
        assert!(scope.declare_below("") && scope.covers("docs") && scope.covers("src"));
    }

    #[test]
    fn prose_about_scope_declares_nothing() {
        for line in ["Scope: the parser", "the scope: src", "scope src", "scopes: src", ""] {
            assert!(declared(line, &|_| false).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_declared_directory_opens_neither_children_nor_parents() {
        let scope: Scope = ["", "src/a"].into_iter().collect();
        let cases = [
            ("Cargo.toml", true),
            ("src/a/x.rs", true),
            ("src/x.rs", false),
            ("src/a/b/x.rs", false),
            ("src/ab/x.rs", false),
            ("src/a", false),
        ];
        for (file, held) in cases {
            assert_eq!(scope.holds(file), held, "{file}");
        }
    }

    #[test]
    fn a_file_that_a_person_opened_opens_itself_alone() {
        let mut scope: Scope = ["src/a"].into_iter().collect();
        scope.open("src/b/x.rs");
        for (file, held) in
            [("src/b/x.rs", true), ("src/b/y.rs", false), ("src/b/x.rs/z", false), ("src/b", false)]
        {
            assert_eq!(scope.holds(file), held, "{file}");
        }
        assert!(!scope.declares("src/b"));
    }

    #[test]
    fn tests_in_a_tree_of_their_own_belong_to_what_lies_beside_them() {
        let mut scope: Scope = ["packages/a/src/lexer"].into_iter().collect();
        assert!(!scope.takes_tests_of(""), "only where they ride along");
        scope.take_tests();
        for (root, taken) in [
            ("", true),
            ("packages/a", true),
            ("packages/a/src/lexer", true),
            ("packages/ab", false),
            ("packages/b", false),
            ("packages/a/src/lex", false),
        ] {
            assert_eq!(scope.takes_tests_of(root), taken, "{root}");
        }
    }

    proptest! {
        #[test]
        fn a_scope_holds_exactly_the_files_of_its_directories(
            dirs in proptest::collection::vec("[ab]{0,2}(/[ab]{1,2}){0,2}", 0..4),
            dir in "[ab]{0,2}(/[ab]{1,2}){0,2}",
            name in "[a-z]{1,3}",
        ) {
            let scope: Scope = dirs.iter().cloned().collect();
            let file = pages::page_of_dir(&dir, &name);
            prop_assert_eq!(scope.holds(&file), dirs.contains(&dir));
        }

        #[test]
        fn reading_scope_lines_never_panics(section in "\\PC*") {
            for dir in declared(&section, &|_| false).into_iter().flatten() {
                let Declared { dir, .. } = dir;
                prop_assert!(!dir.starts_with('/') && !dir.split('/').any(|part| part == ".."));
                prop_assert!(of_below(&dir).is_none());
            }
        }
    }
}
