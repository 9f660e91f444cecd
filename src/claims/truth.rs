//! What a difference between two trees says: which files, which functions, which tests are
//! not run any more.
//!
//! Both sides of a file are read whole, so a function is named by where it lies and not by
//! how a diff happened to cut it, and a test that moved is not one that went.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::languages::{Definition, Languages, Outline, Sort, words_of};
use super::renamed::Names;
use super::turned::{self, Moved};
use super::weaker::Weaker;
use super::{ChangedFile, Gone, How, TestGone, Truth};

/// Of a hundred parts that two texts have, so many in common make them one; git's number.
pub(crate) const ALIKE: usize = 50;
/// A file brings no more names than this into a record.
const MOST_NAMES: usize = 400;
/// Pairs of tests that are compared for being one under two names.
const MOST_PAIRS: usize = 20_000;

/// One file of a difference, with its text where it is text that can be had: not for a
/// submodule, nor for what is very long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    pub path: String,
    /// Where it lay before, if it was renamed.
    pub was: Option<String>,
    pub how: How,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

/// The lines of a text, for telling how much of it two texts share.
pub(crate) struct Lines<'t> {
    counted: HashMap<&'t [u8], usize>,
    size: usize,
}

impl<'t> Lines<'t> {
    /// Counts the lines of `text`.
    pub(crate) fn of(text: &'t [u8]) -> Self {
        let mut counted = HashMap::new();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            *counted.entry(line.trim_ascii()).or_insert(0) += 1;
        }
        counted.remove(&b""[..]);
        let size = counted.iter().map(|(line, count)| line.len() * count).sum();
        Self { counted, size }
    }

    /// Of a hundred parts of the longer text, how many stand in the other one, too.
    pub(crate) fn alike(&self, other: &Self) -> usize {
        let most = self.size.max(other.size);
        if most == 0 || self.size.min(other.size) * 100 < most * ALIKE {
            return 0;
        }
        let (few, many) =
            if self.counted.len() < other.counted.len() { (self, other) } else { (other, self) };
        let shared = few.counted.iter().map(|(line, count)| {
            line.len() * many.counted.get(line).map_or(0, |there| *there.min(count))
        });
        shared.sum::<usize>() * 100 / most
    }
}

/// One file, read on both sides.
struct Read<'p> {
    piece: &'p Piece,
    before: Outline,
    after: Outline,
    by_path: bool,
}

/// What `pieces` say; `base` and `tree` are what they lie between.
pub fn read(base: &str, tree: &str, pieces: &[Piece], languages: &Languages) -> Truth {
    let sides: Vec<Read<'_>> = pieces.iter().map(|piece| read_piece(piece, languages)).collect();
    let files = sides.iter().map(|read| changed_file(read, languages)).collect();
    let mut tests_gone = tests_gone(&sides);
    let mut tests_weaker = Vec::new();
    for read in &sides {
        let sides = (read.before.definitions.as_slice(), read.after.definitions.as_slice());
        let weaker = Weaker::of(read.piece, sides, read.by_path, languages);
        let known = |off: &TestGone| {
            tests_gone.iter().any(|gone| gone.path == off.path && gone.name == off.name)
        };
        let off: Vec<TestGone> = weaker.off.into_iter().filter(|off| !known(off)).collect();
        tests_gone.extend(off);
        tests_weaker.extend(weaker.named);
    }
    tests_weaker.dedup();
    tests_weaker.truncate(MOST_NAMES);
    let moved: Vec<Moved<'_>> = pieces.iter().map(Moved::of).collect();
    Truth {
        base: base.to_owned(),
        tree: tree.to_owned(),
        files,
        tests_gone,
        tests_weaker,
        brought: brought(pieces, languages),
        figures: super::figures::changed(&moved),
        turned: turned::values(&moved, languages),
        gone: turned::gone(&moved, languages),
        held: Vec::new(),
        still: Vec::new(),
        not_in_tests: Vec::new(),
        commits: None,
    }
}

/// Names and versions on lines of manifests that came or went, but for those that a package says
/// of itself.
fn brought(pieces: &[Piece], languages: &Languages) -> Vec<String> {
    let text = |side: &Option<Vec<u8>>| {
        side.as_deref().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
    };
    let mut found = BTreeSet::new();
    for piece in pieces.iter().filter(|piece| languages.is_manifest(&piece.path)) {
        let (before, after) = (text(&piece.before), text(&piece.after));
        let known: BTreeSet<&str> = before.lines().map(str::trim).collect();
        let own = |line: &str| line.trim_start_matches(['"', '<', '\'']).starts_with("version");
        let now: BTreeSet<&str> = after.lines().map(str::trim).collect();
        let moved = known.symmetric_difference(&now).copied().filter(|line| !own(line));
        for line in moved {
            let mut name = "";
            let word = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '@' | '/'));
            for word in line.split(word).filter(|word| !word.is_empty()) {
                let (before, version) = word.rsplit_once(['@', '/']).unwrap_or((name, word));
                let version = version.trim_start_matches(['v', 'V', '-']).trim_end_matches('.');
                let is_one =
                    version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit());
                if is_one {
                    let name = before.rsplit(['/', '@']).next().unwrap_or(before);
                    found.insert(format!("{} {version}", name.to_lowercase()));
                } else if name.is_empty() && word.starts_with(char::is_alphabetic) {
                    name = word;
                }
            }
        }
    }
    found.into_iter().take(MOST_NAMES).collect()
}

fn read_piece<'p>(piece: &'p Piece, languages: &Languages) -> Read<'p> {
    let outline = |path: &str, text: &Option<Vec<u8>>| {
        let text = text.as_deref().filter(|text| !is_binary(text));
        let language = languages.of(path);
        let (Some(language), Some(text)) = (language, text) else { return Outline::default() };
        language.outline(text, languages.is_test_path(path))
    };
    let was = piece.was.as_deref().unwrap_or(&piece.path);
    Read {
        piece,
        before: outline(was, &piece.before),
        after: outline(&piece.path, &piece.after),
        by_path: languages.is_test_path(&piece.path),
    }
}

/// As git tells it: a NUL near the beginning.
fn is_binary(text: &[u8]) -> bool {
    text.iter().take(8000).any(|byte| *byte == 0)
}

fn changed_file(read: &Read<'_>, languages: &Languages) -> ChangedFile {
    let (before, after) = (texts(&read.before), texts(&read.after));
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    let mut tests = 0;
    for definition in read.after.definitions.iter().chain(&read.before.definitions) {
        let whole = definition.whole.as_str();
        if !seen.insert(whole) || before.get(whole) == after.get(whole) {
            continue;
        }
        tests += usize::from(definition.sort == Sort::Test || is_in_tests(definition));
        if names.len() < MOST_NAMES && !names.contains(&definition.name) {
            names.push(definition.name.clone());
        }
    }
    // Tests may live beside the code: then the change is one of tests if nothing else changed.
    let all_tests = tests > 0
        && tests == seen.iter().filter(|whole| before.get(*whole) != after.get(*whole)).count();
    ChangedFile {
        path: read.piece.path.clone(),
        was: read.piece.was.clone(),
        how: read.piece.how,
        functions: names,
        prose: languages.is_prose(&read.piece.path),
        test: read.by_path || all_tests,
        layout: is_layout(read.piece, languages),
        earlier: false,
    }
}

/// Whether both sides are the same program.
fn is_layout(piece: &Piece, languages: &Languages) -> bool {
    let (Some(before), Some(after)) = (&piece.before, &piece.after) else { return false };
    let Some(language) = languages.of(&piece.path) else { return false };
    let moved = piece.was.as_ref().is_some_and(|was| *was != piece.path);
    !moved
        && !is_binary(before)
        && !is_binary(after)
        && language.bare(before) == language.bare(after)
}

/// A module of tests, or something in one.
fn is_in_tests(definition: &Definition) -> bool {
    definition.sort == Sort::Group
        || definition.whole.split("::").any(|part| part == "tests" || part == "test")
}

/// The text of every definition; several of one name count together.
fn texts(outline: &Outline) -> BTreeMap<&str, Vec<u8>> {
    let mut found: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for definition in &outline.definitions {
        found.entry(definition.whole.as_str()).or_default().extend(&definition.text);
    }
    found
}

/// A test on one side of the difference.
#[derive(Clone, Copy)]
struct Case<'r> {
    definition: &'r Definition,
    /// It checks as much as nothing where it checked something.
    hollow: bool,
}

fn tests_gone(sides: &[Read<'_>]) -> Vec<TestGone> {
    let mut gone: Vec<(usize, &Definition, Gone)> = Vec::new();
    for (at, read) in sides.iter().enumerate() {
        let mut runs: BTreeMap<&str, bool> = BTreeMap::new();
        for case in cases(read) {
            *runs.entry(case.definition.whole.as_str()).or_default() |=
                case.definition.live && !case.hollow;
        }
        let there: BTreeSet<&str> =
            read.after.definitions.iter().map(|new| new.whole.as_str()).collect();
        let said = words_of(&read.after.comments);
        for old in read.before.definitions.iter().filter(|old| old.live) {
            let how = match runs.get(old.whole.as_str()) {
                Some(true) => continue,
                Some(false) => Gone::Disabled,
                // It stands there and is no test any more, or only as a comment.
                None if there.contains(old.whole.as_str()) => Gone::Disabled,
                None if is_said(&old.name, &said, &read.after.comments) => Gone::Disabled,
                None => Gone::Deleted,
            };
            gone.push((at, old, how));
        }
    }
    without_moved(&mut gone, &came(sides), sides);
    named(sides, gone)
}

/// Names of what the two sides define beside tests.
fn names_of<'r>(sides: &'r [Read<'_>]) -> Names<'r> {
    fn named(outline: &Outline) -> impl Iterator<Item = &str> {
        let others = outline.definitions.iter().filter(|one| one.sort != Sort::Test);
        others.map(|one| one.name.as_str())
    }
    let (before, after) =
        (sides.iter().map(|read| &read.before), sides.iter().map(|read| &read.after));
    Names::of(before.flat_map(named), after.flat_map(named))
}

/// Takes out what stands elsewhere under its name, or in its file under another one.
fn without_moved(
    gone: &mut Vec<(usize, &Definition, Gone)>,
    came: &[(usize, &Definition)],
    sides: &[Read<'_>],
) {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, (_, new)) in came.iter().enumerate().rev() {
        by_name.entry(new.name.as_str()).or_default().push(index);
    }
    let mut taken = BTreeSet::new();
    gone.retain(|(_, old, how)| {
        let elsewhere =
            (*how == Gone::Deleted).then(|| by_name.get_mut(old.name.as_str())?.pop()).flatten();
        elsewhere.is_none_or(|index| !taken.insert(index))
    });
    if gone.len().saturating_mul(came.len() - taken.len()) > MOST_PAIRS {
        return;
    }
    let names = names_of(sides);
    let mut left: Vec<(usize, &Definition, Lines<'_>)> = Vec::new();
    let free = came.iter().enumerate().filter(|(index, _)| !taken.contains(index));
    left.extend(free.map(|(_, (place, new))| (*place, *new, Lines::of(&new.text))));
    gone.retain(|(at, old, how)| {
        if *how != Gone::Deleted {
            return true;
        }
        let lines = Lines::of(&old.text);
        let renamed = left.iter().position(|(place, new, there)| {
            place == at && (lines.alike(there) >= ALIKE || names.rename(old, new))
        });
        renamed.is_none_or(|index| {
            left.swap_remove(index);
            false
        })
    });
}

/// Tests that run after the change and did not before.
fn came<'r>(sides: &'r [Read<'_>]) -> Vec<(usize, &'r Definition)> {
    let mut found = Vec::new();
    for (at, read) in sides.iter().enumerate() {
        let known: BTreeSet<&str> = read
            .before
            .definitions
            .iter()
            .filter(|old| old.live)
            .map(|old| old.whole.as_str())
            .collect();
        let new = cases(read).into_iter().filter(|case| case.definition.live && !case.hollow);
        found.extend(
            new.map(|case| case.definition)
                .filter(|new| !known.contains(new.whole.as_str()))
                .map(|new| (at, new)),
        );
    }
    found
}

/// The tests of the later side, with what became of their checks.
fn cases<'r>(read: &'r Read<'_>) -> Vec<Case<'r>> {
    let mut before: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for old in &read.before.definitions {
        let known = before.entry(old.whole.as_str()).or_insert((0, false));
        *known = (known.0 + old.checks, known.1 || old.full);
    }
    let tests = read.after.definitions.iter().filter(|new| new.sort == Sort::Test);
    tests
        .map(|definition| {
            let (checks, full) = before.get(definition.whole.as_str()).copied().unwrap_or_default();
            let hollow = (checks > 0 && definition.checks == 0) || (full && !definition.full);
            Case { definition, hollow }
        })
        .collect()
}

/// Whether a comment speaks of the test: by its name, or by the words of its title.
fn is_said(name: &str, words: &BTreeSet<&[u8]>, comments: &[u8]) -> bool {
    if name.contains(' ') {
        return memchr::memmem::find(comments, name.as_bytes()).is_some();
    }
    words.contains(name.as_bytes())
}

/// Whole files are named as such.
fn named(sides: &[Read<'_>], gone: Vec<(usize, &Definition, Gone)>) -> Vec<TestGone> {
    let mut found = Vec::new();
    for (at, read) in sides.iter().enumerate() {
        let here: Vec<_> = gone.iter().filter(|(place, _, _)| *place == at).collect();
        let tests = read.before.definitions.iter().filter(|old| old.live).count();
        let path = &read.piece.path;
        let file = path.rsplit('/').next().unwrap_or(path);
        if read.piece.how == How::Deleted && !here.is_empty() && here.len() == tests {
            found.push(TestGone { path: path.clone(), name: file.to_owned(), how: Gone::Deleted });
            continue;
        }
        let one = |(_, old, how): &(usize, &Definition, Gone)| TestGone {
            path: path.clone(),
            name: old.name.clone(),
            how: *how,
        };
        found.extend(here.into_iter().map(one));
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::languages::shipped_languages;
    use super::*;

    fn piece(path: &str, before: Option<&str>, after: Option<&str>) -> Piece {
        let how = match (before, after) {
            (None, _) => How::Added,
            (_, None) => How::Deleted,
            _ => How::Modified,
        };
        let text = |side: Option<&str>| side.map(|side| side.as_bytes().to_vec());
        Piece { path: path.to_owned(), was: None, how, before: text(before), after: text(after) }
    }

    fn truth(pieces: &[Piece]) -> Truth {
        read("", "", pieces, shipped_languages())
    }

    fn functions(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<String> {
        truth(&[piece(path, before, after)]).files.remove(0).functions
    }

    fn gone(path: &str, before: &str, after: &str) -> Vec<(String, Gone)> {
        let found = truth(&[piece(path, Some(before), Some(after))]).tests_gone;
        found.into_iter().map(|gone| (gone.name, gone.how)).collect()
    }

    #[test]
    fn every_definition_of_a_new_file_is_named() {
        let cases = [
            (
                "a.rs",
                "pub(crate) async fn one<T>(x: T) {}\nimpl<T> Show for Two<T> {\n    const fn \
                 three() {}\n}\nmacro_rules! four {\n}\n",
                "one Two three four",
            ),
            (
                "a.py",
                "class One(Base):\n    x = 1\n\n    async def two(self):\n        pass\n\n@wraps\n\
                 def three(): pass\n\nLIMIT = 3\n",
                "One two three LIMIT",
            ),
            (
                "a.ts",
                "export default async function one<T>(x: T) {\n}\n\
                 export class Two {\n  private three(x: number): void {\n    if (x) {\n    }\n  \
                 }\n}\nconst four = async (x) => {\n};\nexports.five = function () {\n};\n",
                "one Two three four five",
            ),
            (
                "a.go",
                "func One(x int) {\n}\n\nfunc (s *Server) Two() error {\n}\n\n\
                 type Three struct {\n}\n",
                "One Two Three",
            ),
            (
                "a.c",
                "#include <x.h>\nstatic int one(int a,\n               int b)\n{\n\treturn a;\n}\n\
                 \nstruct two {\n\tint x;\n};\n\nchar *three(void) {\n}\nint four(int);\n",
                "one two three",
            ),
            (
                "A.java",
                "public final class One {\n    @Override\n    public List<String> two(int x) \
                 {\n        return foo(x);\n    }\n\n    One(int x) {\n    }\n}\n",
                "One two",
            ),
            (
                "A.cs",
                "namespace N\n{\n    class One\n    {\n        public async Task<int> Two(int \
                 x)\n        {\n        }\n    }\n}\n",
                "N One Two",
            ),
            (
                "a.rb",
                "module One\n  class Two\n    def self.three(x)\n    end\n\
                 \n    def four?\n    end\n  end\nend\n",
                "One Two three four?",
            ),
            (
                "a.php",
                "<?php\nclass One {\n    public static function two($x) {\n    }\n}\n",
                "One two",
            ),
            ("a.kt", "data class One(val x: Int)\nsuspend fun String.two(): Int = 1\n", "One two"),
            ("a.swift", "struct One {\n    mutating func two() {\n    }\n}\n", "One two"),
            ("a.sh", "set -e\none() {\n  echo\n}\nfunction two {\n}\n", "one two"),
            (
                "a.ex",
                "defmodule One.Two do\n  def three(x) do\n  end\n\n  defp four, do: 1\nend\n",
                "One.Two three four",
            ),
            ("a.pl", "sub one {\n}\n", "one"),
            ("a.lua", "local function one()\nend\nfunction M.two()\nend\n", "one two"),
            ("a.strange", "function one()\n", "one"),
            ("a.json", "{\"function one()\": 1}\n", ""),
            ("a.md", "function one()\n", ""),
        ];
        for (path, text, wanted) in cases {
            assert_eq!(functions(path, None, Some(text)).join(" "), wanted, "{path}");
        }
    }

    #[test]
    fn only_what_changed_is_named() {
        let rust = "use a;\n\n/// One.\nfn one() {\n    1\n}\n\n/// Two.\n#[inline]\n\
            fn two() {\n    2\n}\n";
        let cases = [
            ("a.rs", rust, rust.replace("    2", "    3"), "two"),
            ("a.rs", rust, rust.replace("/// Two.", "/// Two!"), "two"),
            ("a.rs", rust, rust.replace("use a;", "use b;"), ""),
            ("a.rs", rust, rust.replace("}\n\n///", "}\n\nuse c;\n\n///"), ""),
            ("a.rs", rust, rust.replace("fn two", "fn three"), "three two"),
            (
                "a.py",
                "class A:\n    def f(self,\n          x\n    ) -> int:\n        return 1\n\
                 \n    def g(self):\n        return 2\n",
                "class A:\n    def f(self,\n          x\n    ) -> int:\n        return 3\n\
                 \n    def g(self):\n        return 2\n"
                    .to_owned(),
                "f",
            ),
            (
                "a.c",
                "int a(void)\n{\n#if X\n\tb();\n#endif\nout:\n\treturn 1;\n}\n",
                "int a(void)\n{\n#if X\n\tb();\n#endif\nout:\n\treturn 2;\n}\n".to_owned(),
                "a",
            ),
        ];
        for (path, before, after, wanted) in cases {
            assert_eq!(
                functions(path, Some(before), Some(&after)).join(" "),
                wanted,
                "{path}: {after}"
            );
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn tests_that_are_switched_off_are_named() {
        let cases = [
            (
                "src/a.rs",
                "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                vec![
                    "#[test]\n#[ignore]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                    "#[test]\n#[ignore = \"slow\"]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                    "fn t() {\n    assert_eq!(f(), 1);\n}\n",
                    "// #[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                    "// #[test]\n// fn t() {\n//     assert_eq!(f(), 1);\n// }\n",
                    "/*\n#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n*/\n",
                    "#[test]\nfn t() {\n    return;\n    assert_eq!(f(), 1);\n}\n",
                    "#[test]\nfn t() {\n}\n",
                    "#[test]\nfn t() {}\n",
                    "#[test]\nfn t() {\n    // assert_eq!(f(), 1);\n}\n",
                    "#[test]\nfn t() {\n    f();\n}\n",
                    "#[test]\nfn t() {\n    assert!(true);\n}\n",
                    "#[test]\nfn t() {\n    let _ = f();\n    assert_eq!(1, 1);\n}\n",
                    "#[test]\nfn t() {\n    if false {\n        assert_eq!(f(), 1);\n    }\n}\n",
                    "#[cfg(any())]\n#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                ],
            ),
            (
                "tests/test_a.py",
                "import pytest\n\ndef test_t():\n    assert f() == 1\n",
                vec![
                    "import pytest\n\n@pytest.mark.skip\ndef test_t():\n    assert f() == 1\n",
                    "import pytest\n\n@pytest.mark.skip(reason='x')\n\
                     def test_t():\n    assert f() == 1\n",
                    "import pytest\n\n@pytest.mark.xfail\ndef test_t():\n    assert f() == 1\n",
                    "import pytest\n\n@unittest.skip('x')\ndef test_t():\n    assert f() == 1\n",
                    "import pytest\n\ndef test_t():\n    \"\"\"Says.\"\"\"\n    \
                     pytest.skip('x')\n    assert f() == 1\n",
                    "import pytest\npytestmark = pytest.mark.skip\n\n\
                     def test_t():\n    assert f() == 1\n",
                    "import pytest\n\ndef test_t():\n    pass\n",
                    "import pytest\n\ndef test_t():\n    assert True\n",
                    "import pytest\n\ndef test_t():\n    f()\n",
                    "import pytest\n\n# def test_t():\n#     assert f() == 1\n",
                    "import pytest\n\n\"\"\"\ndef test_t():\n    assert f() == 1\n\"\"\"\n\
                     # test_t\n",
                ],
            ),
            (
                "a.spec.ts",
                "describe('a', () => {\n  it('adds', () => {\n    expect(f()).toBe(1);\n  });\n  \
                 it('other', () => {\n    expect(g()).toBe(1);\n  });\n});\n",
                vec![
                    "describe('a', () => {\n  it.skip('adds', () => {\n    \
                     expect(f()).toBe(1);\n  });\n  it('other', () => {\n    \
                     expect(g()).toBe(1);\n  });\n});\n",
                    "describe('a', () => {\n  xit('adds', () => {\n    expect(f()).toBe(1);\n  \
                     });\n  it('other', () => {\n    expect(g()).toBe(1);\n  });\n});\n",
                    "describe('a', () => {\n  test.todo('adds');\n  it('other', () => {\n    \
                     expect(g()).toBe(1);\n  });\n});\n",
                    "describe('a', () => {\n  it('adds', () => {\n    expect(f()).toBe(1);\n  \
                     });\n  it.only('other', () => {\n    expect(g()).toBe(1);\n  });\n});\n",
                    "describe('a', () => {\n  it('adds', () => {\n    expect(true).toBe(true);\n  \
                     });\n  it('other', () => {\n    expect(g()).toBe(1);\n  });\n});\n",
                    "describe('a', () => {\n  it('adds', () => {});\n  it('other', () => {\n    \
                     expect(g()).toBe(1);\n  });\n});\n",
                ],
            ),
            (
                "a_test.go",
                "func TestT(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
                vec![
                    "func TestT(t *testing.T) {\n\tt.Skip(\"flaky\")\n\tif f() != 1 {\n\
                     \t\tt.Fatal(\"no\")\n\t}\n}\n",
                    "func TestT(t *testing.T) {\n\treturn\n\tif f() != 1 {\n\t\tt.Fatal(\"no\")\n\
                     \t}\n}\n",
                    "func TestT(t *testing.T) {\n\t_ = f()\n}\n",
                    "//go:build ignore\n\nfunc TestT(t *testing.T) {\n\tif f() != 1 {\n\
                     \t\tt.Fatal(\"no\")\n\t}\n}\n",
                    "func disabledTestT(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal(\"no\")\n\
                     \t}\n}\n",
                ],
            ),
            (
                "src/test/java/ATest.java",
                "class ATest {\n    @Test\n    void adds() {\n        assertEquals(1, f());\n    \
                 }\n}\n",
                vec![
                    "class ATest {\n    @Test\n    @Disabled(\"x\")\n    void adds() {\n        \
                     assertEquals(1, f());\n    }\n}\n",
                    "@Disabled\nclass ATest {\n    @Test\n    void adds() {\n        \
                     assertEquals(1, f());\n    }\n}\n",
                    "class ATest {\n    void adds() {\n        assertEquals(1, f());\n    }\n}\n",
                    "class ATest {\n    @Test\n    void adds() {\n        assertTrue(true);\n    \
                     }\n}\n",
                ],
            ),
            (
                "ATests.cs",
                "class ATests\n{\n    [Fact]\n    public void Adds()\n    {\n        \
                 Assert.Equal(1, F());\n    }\n}\n",
                vec![
                    "class ATests\n{\n    [Fact(Skip = \"x\")]\n    public void Adds()\n    \
                     {\n        Assert.Equal(1, F());\n    }\n}\n",
                    "class ATests\n{\n    [Fact]\n    [Ignore]\n    public void Adds()\n    \
                     {\n        Assert.Equal(1, F());\n    }\n}\n",
                ],
            ),
            (
                "spec/a_spec.rb",
                "describe A do\n  it \"adds\" do\n    expect(f).to eq(1)\n  end\nend\n",
                vec![
                    "describe A do\n  xit \"adds\" do\n    expect(f).to eq(1)\n  end\nend\n",
                    "describe A do\n  it \"adds\" do\n    skip\n    expect(f).to eq(1)\n  end\n\
                     end\n",
                ],
            ),
            (
                "test/a.bats",
                "@test \"adds\" {\n  run f\n  [ \"$status\" -eq 0 ]\n}\n",
                vec!["@test \"adds\" {\n  skip\n  run f\n  [ \"$status\" -eq 0 ]\n}\n"],
            ),
        ];
        for (path, before, afters) in cases {
            for after in afters {
                let found = gone(path, before, after);
                let one = found.len() == 1 && found[0].1 != Gone::Deleted;
                let renamed = after.contains("disabledTestT");
                assert!(one || (renamed && found.len() == 1), "{path}: {found:?}\n{after}");
            }
            assert_eq!(gone(path, before, before), []);
        }
    }

    #[test]
    fn what_only_looks_so_is_left_alone() {
        let cases = [
            (
                "a.rs",
                "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                "#[test]\nfn t() {\n    // #[ignore]\n    let s = \"#[ignore]\\n#[test]\";\n    \
                 assert_eq!(f(s), 1);\n}\n",
            ),
            (
                "a.rs",
                "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                "#[test]\nfn other() {\n    assert_eq!(f(), 1);\n}\n",
            ),
            (
                "a.rs",
                "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                "#[test]\nfn t() {\n    check(f(), 1);\n}\n",
            ),
            (
                "a.rs",
                "#[test]\nfn t() {\n    assert_eq!(\n        f(),\n        1\n    );\n}\n",
                "#[test]\nfn t() {\n    assert_eq!(\n        f(),\n        2\n    );\n}\n",
            ),
            (
                "test_a.py",
                "def test_t():\n    assert f() == 1\n",
                "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\n\
                 def test_t():\n    assert f() == 1\n",
            ),
            (
                "test_a.py",
                "def test_t():\n    assert f() == 1\n",
                "@pytest.mark.parametrize(\n    'x',\n    [1],\n)\n\
                 def test_t(x):\n    assert f(x) == 1\n",
            ),
            (
                "a_test.go",
                "func TestT(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
                "func TestT(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"long\")\n\t}\n\
                 \tif f() != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
            ),
            (
                "a.test.js",
                "it('a', () => {\n  return f().then((x) => expect(x).toBe(1));\n});\n",
                "it('a', () => {\n  return g().then((x) => expect(x).toBe(1));\n});\n",
            ),
            ("main.js", "function a() {\n  it.x();\n}\n", "function a() {\n  x.skip('a');\n}\n"),
        ];
        for (path, before, after) in cases {
            assert_eq!(gone(path, before, after), [], "{path}: {after}");
        }
    }

    #[test]
    fn comments_and_white_space_are_told_from_code() {
        let layout = |path: &str, before: &str, after: &str| {
            truth(&[piece(path, Some(before), Some(after))]).files[0].layout
        };
        for (path, before, after) in [
            ("a.rs", "fn f() { 1 }\n", "// says\nfn f()  {\n    1\n}\n"),
            ("a.rs", "fn f() { a+b }\n", "/// Says.\nfn f() { a + b /* c */ }\n"),
            ("a.py", "x = 1\n", "x  =  1  # one\n"),
            ("a.py", "def f():\n    return 1\n", "# says\n\ndef f():\n\n    return 1\n"),
            ("a.go", "package a\n", "// Package a says.\npackage a\n"),
            ("a.c", "int a;\n", "int  a; /* b */\n"),
            ("a.js", "f( 1 );\n", "f(1);\n"),
            ("A.java", "class A { int x; }\n", "class A {\n  int x;\n}\n"),
        ] {
            assert!(layout(path, before, after), "{path}: {after}");
        }
        for (path, before, after) in [
            ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
            ("a.py", "x = 1\n-y\n", "x = 1 -y\n"),
            ("a.rs", "f(\"a - b\");\n", "f(\"a-b\");\n"),
            ("a.rs", "let ab;\n", "let a b;\n"),
            ("a.c", "#define A 1\nint b;\n", "#define A 1 int b;\n"),
            ("a.js", "return\nx\n", "return x\n"),
            ("a.sh", "a # b\nc\n", "a # b c\n"),
            ("a.toml", "a = 1 # b\n", "a = 1\n"),
            ("a.rs", "// f();\n", "f();\n"),
        ] {
            assert!(!layout(path, before, after), "{path}: {after}");
        }
    }

    #[test]
    fn what_moved_did_not_go() {
        let test = "def test_t():\n    assert f() == 1\n";
        let moved = [
            piece("tests/test_a.py", Some(test), None),
            piece("tests/test_b.py", None, Some(test)),
        ];
        assert_eq!(truth(&moved).tests_gone, []);
        let deleted = truth(&[piece("tests/test_a.py", Some(test), None)]).tests_gone;
        assert_eq!(
            deleted,
            [TestGone {
                path: "tests/test_a.py".into(),
                name: "test_a.py".into(),
                how: Gone::Deleted
            }]
        );
        let two = "def test_t():\n    assert f() == 1\n\ndef test_u():\n    assert \
            entirely(different) == body\n";
        assert_eq!(gone("tests/test_a.py", two, test), [("test_u".to_owned(), Gone::Deleted)]);
    }

    #[test]
    fn files_are_sorted_by_what_they_are() {
        let table = shipped_languages();
        for path in
            ["README.md", "docs/a.rst", "LICENSE-MIT", "CHANGELOG", "a/notes.txt", "AUTHORS"]
        {
            assert!(table.is_prose(path), "{path}");
        }
        for path in [
            "requirements.txt",
            "CMakeLists.txt",
            "src/a.rs",
            "Makefile",
            "history.py",
            "security.go",
            "news/mod.rs",
        ] {
            assert!(!table.is_prose(path), "{path}");
        }
        for path in [
            "tests/a.rs",
            "a/b_test.go",
            "test_x.py",
            "x.spec.ts",
            "FooTest.java",
            "spec/x_spec.rb",
            "a/__tests__/x.js",
            "t.bats",
            "conftest.py",
        ] {
            assert!(table.is_test_path(path), "{path}");
        }
        for path in [
            "src/latest.py",
            "src/contest.go",
            "src/a.rs",
            "attest.ts",
            "protest.c",
            "src/Latest.java",
            "test_plan.md",
        ] {
            assert!(!table.is_test_path(path), "{path}");
        }
    }

    #[test]
    fn much_is_read_quickly() {
        let began = std::time::Instant::now();
        let line = "x".repeat(64 * 1024);
        let many: String = (0..10_000).map(|n| format!("fn f{n}() {{\n    {n}\n}}\n")).collect();
        let tests: String = (0..4_000)
            .map(|n| format!("#[test]\nfn t{n}() {{\n    assert_eq!(f({n}), 1);\n}}\n"))
            .collect();
        let deep: String = (0..1_000).map(|n| format!("{}fn f{n}() {{\n", " ".repeat(n))).collect();
        let other = many.replace("    ", "        ");
        let pieces = [
            piece("a.rs", Some(&line), Some(&many)),
            piece("b.rs", Some(&many), Some(&other)),
            piece("c.rs", Some(&tests), Some("")),
            piece("d.rs", Some(&deep), None),
            piece("e.js", None, Some(&"`".repeat(64 * 1024))),
            piece("f.js", None, Some(&"it('".repeat(64 * 1024))),
            piece("g.py", None, Some(&"(\n@".repeat(64 * 1024))),
            piece("h.c", None, Some(&"/*".repeat(64 * 1024))),
        ];
        let truth = truth(&pieces);
        assert_eq!(truth.tests_gone.len(), 4_000);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn any_bytes_can_be_read(before: Vec<u8>, after: Vec<u8>,
            name in "[a-z]{1,4}\\.(rs|py|ts|go|c|java|cs|rb|php|sh|ex|xyz|md)") {
            let piece = Piece { path: name, was: None, how: How::Modified, before: Some(before),
                after: Some(after) };
            read("", "", &[piece], shipped_languages());
        }

        #[test]
        fn any_code_can_be_read(words in prop::collection::vec(0..32_usize, 0..60),
            name in "[a-z]{1,4}_test\\.(rs|py|ts|go|c|java|cs|rb|php|sh|ex)") {
            const WORDS: [&str; 32] = ["fn ", "def ", "it('a', ", "#[test]\n", "{", "}", "\n",
                "\n    ", "\n\t", "'", "\"", "`", "//", "#", "/*", "*/", "func (", ")", "(", "=> ",
                "= ", "class A", "impl<", ">", "r#\"", "\\", "@", "[", "]", "\u{fc}", "test",
                "describe.skip(\"x\""];
            let text: String = words.iter().map(|word| WORDS[*word]).collect();
            let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            let piece = piece(&name, Some(&text), Some(&text[half..]));
            read("", "", &[piece], shipped_languages());
        }
    }
}
