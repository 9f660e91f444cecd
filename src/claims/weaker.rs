//! Tests that a difference weakens without taking them away: by the runner's configuration, by
//! marks, by checks that became fewer, by expected values that changed.
//!
//! What switches tests off is a test that is gone; what only may do so is named.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::languages::{CodeLine, Definition, Language, Languages, RunnerRow, Sort};
use super::runs::{Runs, like};
use super::truth::Piece;
use super::{Gone, TestGone};

/// What one file of the difference weakens.
#[derive(Debug, Default)]
pub(super) struct Weaker {
    pub off: Vec<TestGone>,
    /// What is named, one line each.
    pub named: Vec<String>,
}

impl Weaker {
    /// What `piece` weakens; `before` and `after` are the definitions of its two sides.
    pub(super) fn of(
        piece: &Piece,
        (before, after): (&[Definition], &[Definition]),
        by_path: bool,
        languages: &Languages,
    ) -> Self {
        let mut weaker = Self::default();
        let path = piece.path.as_str();
        let text = |side: &Option<Vec<u8>>| {
            side.as_deref().map(|text| String::from_utf8_lossy(text).into_owned())
        };
        let (old, new) = match (text(&piece.before), text(&piece.after)) {
            (Some(old), Some(new)) => (old, new),
            (None, Some(new)) => {
                for row in languages.runners(path) {
                    weaker.take_new_runner(row, path, &new);
                }
                return weaker;
            }
            (_, None) => return weaker,
        };
        for row in languages.runners(path) {
            weaker.take_runner(row, path, &old, &new);
        }
        weaker.take_script(path, &old, &new);
        weaker.named.extend(lowered(&old, &new).map(|line| format!("{path}: {line}")));
        if languages.is_expected(path) {
            weaker.named.push(path.to_owned());
        }
        let Some(language) = languages.of(path) else { return weaker };
        weaker.take_definitions((language, languages), path, before, after);
        if by_path {
            weaker.take_marks(languages, path, &old, &new);
            weaker.take_calls((language, languages), path, (&old, &new), (before, after));
        }
        weaker
    }

    /// Lines of a runner's configuration that came or went.
    fn take_runner(&mut self, row: &RunnerRow, path: &str, old: &str, new: &str) {
        let (before, after) = (row.lines_of(old), row.lines_of(new));
        let came = after.iter().filter(|line| !before.contains(*line));
        let went = before.iter().filter(|line| !after.contains(*line));
        let is = |list: &[String], line: &str| list.iter().any(|one| like(one, line));
        for line in came.clone().filter(|line| is(&row.off, line)) {
            self.off.push(TestGone {
                path: path.to_owned(),
                name: line.clone(),
                how: Gone::Disabled,
            });
        }
        if self.off.is_empty() {
            let other = came.chain(went).filter(|line| is(&row.lines, line));
            self.named.extend(other.map(|line| format!("{path}: {line}")));
        }
    }

    /// Runs of tests that a script called, where calling that script is a run of tests.
    fn take_script(&mut self, path: &str, old: &str, new: &str) {
        static RUNS: OnceLock<Runs> = OnceLock::new();
        let runs = RUNS.get_or_init(Runs::shipped);
        let name = format!("./{path}");
        let plain = name.bytes().all(|byte| byte.is_ascii_graphic());
        if !plain || runs.recognise(&name).run() != Some("script") {
            return;
        }
        let run_lines = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim);
            lines.filter(|line| runs.recognise(line).run().is_some()).map(str::to_owned).collect()
        };
        let (before, after) = (run_lines(old), run_lines(new));
        let went = before.iter().filter(|line| !after.contains(*line));
        if after.is_empty() {
            self.off.extend(went.map(|line| TestGone {
                path: path.to_owned(),
                name: line.clone(),
                how: Gone::Disabled,
            }));
            return;
        }
        let hides = ["exit 0", "exit", "set +e", "true", ":"];
        let ends = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim);
            lines.filter(|line| hides.contains(line)).map(str::to_owned).collect()
        };
        let known = ends(old);
        let came = ends(new).into_iter().filter(|line| !known.contains(line));
        let changed =
            went.cloned().chain(after.iter().filter(|line| !before.contains(*line)).cloned());
        self.named.extend(changed.chain(came).map(|line| format!("{path}: {line}")));
    }

    /// Lines of a runner's new configuration by which tests may not run. Nothing ran before
    /// them, so none is gone.
    fn take_new_runner(&mut self, row: &RunnerRow, path: &str, new: &str) {
        let off = |line: &String| row.off.iter().any(|one| like(one, line));
        let lines = row.lines_of(new).into_iter().filter(off);
        self.named.extend(lines.map(|line| format!("{path}: {line}")));
    }

    /// Tests of both sides that check less, or other values.
    fn take_definitions(
        &mut self,
        (language, languages): (&Language, &Languages),
        path: &str,
        before: &[Definition],
        after: &[Definition],
    ) {
        for new in after.iter().filter(|new| new.sort == Sort::Test) {
            let same = |old: &&Definition| old.whole == new.whole && old.sort == Sort::Test;
            let Some(old) = before.iter().find(same) else { continue };
            if old.live && new.live && language.is_flipped(&old.text, &new.text) {
                self.off.push(TestGone {
                    path: path.to_owned(),
                    name: new.name.clone(),
                    how: Gone::Disabled,
                });
            } else if (new.live && new.checks < old.checks)
                || has_other_values(language, &old.text, &new.text)
                || asks_less(language, languages, (&old.text, &new.text))
                || languages.idle_checks(language, &old.text)
                    < languages.idle_checks(language, &new.text)
            {
                self.named.push(format!("{} ({path})", new.name));
            }
        }
    }

    /// Marks by which a test may not run.
    fn take_marks(&mut self, languages: &Languages, path: &str, old: &str, new: &str) {
        let marked = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim);
            lines.filter(|line| languages.may_be_off(line)).map(str::to_owned).collect()
        };
        let before = marked(old);
        let came = marked(new).into_iter().filter(|line| !before.contains(line));
        self.named.extend(came.map(|line| format!("{path}: {line}")));
    }

    /// Tests of a hand-written runner that nothing calls any more, and its checks.
    fn take_calls(
        &mut self,
        (language, languages): (&Language, &Languages),
        path: &str,
        (old, new): (&str, &str),
        (before, after): (&[Definition], &[Definition]),
    ) {
        let whole = (old.as_bytes(), new.as_bytes());
        let softer = || {
            asks_less(language, languages, whole) || has_other_values(language, whole.0, whole.1)
        };
        let (old, new) = (language.code_lines(old.as_bytes()), language.code_lines(new.as_bytes()));
        for test in after.iter().filter(|test| test.sort == Sort::Test) {
            let known = before.iter().any(|other| other.whole == test.whole);
            let calls =
                |lines: &[CodeLine<'_>]| lines.iter().filter(|line| line.has(&test.name)).count();
            if known && calls(&old) > 1 && calls(&new) == 1 {
                self.off.push(TestGone {
                    path: path.to_owned(),
                    name: test.name.clone(),
                    how: Gone::Disabled,
                });
            }
        }
        let checks = |lines: &[CodeLine<'_>]| lines.iter().filter(|line| line.checks).count();
        // Checks that stand in no test.
        let fewer = checks(&new) < checks(&old);
        if !before.iter().any(|test| test.live) && (fewer || softer()) {
            self.named.push(path.to_owned());
        }
    }
}

/// Whether a check went, and one came that asks hardly more than that something is there.
fn asks_less(language: &Language, languages: &Languages, (old, new): (&[u8], &[u8])) -> bool {
    let checks = |text: &[u8]| -> BTreeSet<String> {
        let lines = language.code_lines(text);
        let checks = lines.iter().filter(|line| line.checks);
        checks.map(|line| String::from_utf8_lossy(line.raw).trim().to_owned()).collect()
    };
    let (before, after) = (checks(old), checks(new));
    let strict = |line: &String| !languages.is_weak(line);
    let went = before.difference(&after).any(strict);
    went && after.difference(&before).any(|line| languages.is_weak(line))
}

/// Whether a check of both sides is the same but for what it expects.
fn has_other_values(language: &Language, old: &[u8], new: &[u8]) -> bool {
    if old == new {
        return false;
    }
    let checks = |text: &[u8]| -> Vec<(Vec<u8>, Vec<u8>)> {
        let lines = language.code_lines(text);
        let checks = lines.iter().filter(|line| line.checks);
        checks.map(|line| (line.masked(), line.raw.to_vec())).collect()
    };
    let (before, after) = (checks(old), checks(new));
    let said: BTreeSet<&[u8]> = after.iter().map(|(_, raw)| raw.as_slice()).collect();
    let known: BTreeSet<&[u8]> = before.iter().map(|(_, raw)| raw.as_slice()).collect();
    let went = |shape: &[u8]| {
        before.iter().any(|(masked, raw)| masked == shape && !said.contains(raw.as_slice()))
    };
    after.iter().any(|(shape, raw)| !known.contains(raw.as_slice()) && went(shape))
}

/// Words in the key of a limit that a check holds to.
const LIMITS: [&str; 10] = [
    "threshold",
    "coverage",
    "fail_under",
    "fail-under",
    "minimum",
    "branches",
    "statements",
    "functions",
    "lines",
    "mincoverage",
];

/// Lines of limits whose numbers fell, and nothing else of them changed.
fn lowered<'t>(old: &'t str, new: &'t str) -> impl Iterator<Item = String> + 't {
    let bare = |line: &str| -> String {
        line.chars().filter(|c| !(c.is_ascii_digit() || *c == '.')).collect()
    };
    let numbers = |line: &str| -> Vec<f64> {
        let parts = line.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    let is_limit = |line: &str| {
        let line = line.to_lowercase();
        LIMITS.iter().any(|word| line.contains(word))
    };
    new.lines().map(str::trim).filter(move |line| is_limit(line)).filter_map(move |line| {
        let was = old.lines().map(str::trim).filter(|was| *was != line && bare(was) == bare(line));
        let mut fell = was.filter(|was| {
            let (before, after) = (numbers(was), numbers(line));
            before.len() == after.len() && before.iter().zip(&after).any(|(was, is)| is < was)
        });
        fell.next().map(|was| format!("{was} → {line}"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::languages::shipped_languages;
    use super::super::truth::{Piece, read};
    use super::super::{Gone, How};

    fn found(path: &str, before: &str, after: &str) -> (Vec<String>, Vec<String>) {
        let piece = Piece {
            path: path.to_owned(),
            how: How::Modified,
            before: Some(before.as_bytes().to_vec()),
            after: Some(after.as_bytes().to_vec()),
            ..Piece::default()
        };
        let truth = read("", "", &[piece], shipped_languages());
        let off = truth.tests_gone.into_iter().filter(|gone| gone.how == Gone::Disabled);
        (off.map(|gone| gone.name).collect(), truth.tests_weaker)
    }

    #[test]
    fn what_switches_tests_off_is_a_test_that_is_gone() {
        let make = "test: build\n\t./build/test_a\n";
        let c = "void test_a(void) {\n    assert(f() == 1);\n}\n\nvoid test_b(void) {\n    \
                 assert(g() == 1);\n}\n\nint main(void) {\n    test_a();\n    test_b();\n    \
                 return 0;\n}\n";
        let rust = "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n";
        let py = "def test_t():\n    x = f()\n    assert x == 1\n";
        let node = "test('adds', () => {\n  assert.equal(f(), 1);\n});\n";
        for (path, before, after) in [
            ("package.json", "{\n  \"test\": \"jest\"\n}\n", "{\n  \"test\": \"exit 0\"\n}\n"),
            (
                "package.json",
                "{\n  \"test\": \"jest\"\n}\n",
                "{\n  \"test\": \"jest || true\"\n}\n",
            ),
            ("package.json", "{\n  \"test\": \"jest\"\n}\n", "{\n  \"test\": \"echo ok\"\n}\n"),
            (
                "package.json",
                "{\"scripts\": {\"lint\":\"x\",\"test\": \"jest\"}}\n",
                "{\"scripts\": {\"lint\":\"x\",\"test\":\"true\"}}\n",
            ),
            (
                "web/package.json",
                "{ \"scripts\": { \"test\": \"jest, \\\"{\\\"\" } }\n",
                "{ \"scripts\": { \"test\" : \"echo 5 passing\" } }\n",
            ),
            (
                "composer.json",
                "{\"scripts\": {\"test\": [\"phpunit\"]}}\n",
                "{\"scripts\": {\"test\": \"true\"}}\n",
            ),
            ("Makefile", make, "test: ; @true\n"),
            ("scripts/check.sh", "#!/bin/sh\ncargo test\n", "#!/bin/sh\necho 'Ran 2 tests'\n"),
            ("run-tests.sh", "set -e\nnpm test\n", "set -e\nexit 0\n"),
            ("Makefile", make, "test:\n\t@true\n"),
            ("Makefile", make, "test: build\n\t-./build/test_a\n"),
            ("sub/Makefile", make, "test: build\n\t./build/test_a || true\n"),
            ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = --ignore=tests/slow\n"),
            ("pyproject.toml", "", "[tool.pytest.ini_options]\naddopts = \"-q --deselect a::b\"\n"),
            ("conftest.py", "import os\n", "import os\ncollect_ignore = ['test_a.py']\n"),
            (
                "jest.config.js",
                "module.exports = {\n};\n",
                "module.exports = {\n  testPathIgnorePatterns: ['a.test.js'],\n};\n",
            ),
            (
                "vitest.config.ts",
                "export default {\n};\n",
                "export default {\n  exclude: ['a.test.ts'],\n};\n",
            ),
            ("Cargo.toml", "[lib]\n", "[lib]\ntest = false\n"),
            ("pom.xml", "<a>\n</a>\n", "<a>\n<skipTests>true</skipTests>\n</a>\n"),
            ("tests/a.c", c, &c.replace("    test_b();\n", "")),
            ("tests/a.c", c, &c.replace("    test_b();\n", "    // test_b();\n")),
            ("src/a.rs", rust, "#[test]\n#[should_panic]\nfn t() {\n    assert_eq!(f(), 1);\n}\n"),
            (
                "tests/test_a.py",
                py,
                "def test_t():\n    x = f()\n    pytest.skip('later')\n    assert x == 1\n",
            ),
            (
                "a_test.go",
                "func TestT(t *testing.T) {\n\tx := f()\n\tcheck(t, x)\n}\n",
                "func TestT(t *testing.T) {\n\tx := f()\n\tt.Skip()\n\tcheck(t, x)\n}\n",
            ),
            ("test/a.js", node, &node.replace("'adds', ", "'adds', { skip: true }, ")),
            ("test/a.js", node, &node.replace("'adds', ", "'adds', { todo: true }, ")),
            ("test/a.js", node, &node.replace("'adds', ", "'adds', { skip: 'flaky' }, ")),
        ] {
            let (off, _) = found(path, before, after);
            assert_eq!(off.len(), 1, "{path}: {off:?}\n{after}");
            assert_eq!(found(path, before, before), (vec![], vec![]), "{path}");
        }
    }

    #[test]
    fn what_may_weaken_tests_is_named() {
        let py = "def test_t():\n    assert f() == 1\n    assert g() == 2\n";
        for (path, before, after) in [
            ("tests/test_a.py", py, "def test_t():\n    assert f() == 1\n"),
            ("tests/test_a.py", py, "def test_t():\n    assert f() == 1\n    assert g() == 3\n"),
            ("tests/test_a.py", py, &format!("@pytest.mark.skipif(CI, reason='x')\n{py}")),
            (
                "tests/a.rs",
                "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                "#[cfg(feature = \"slow\")]\n#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
            ),
            (
                "tests/A.cs",
                "class A\n{\n    [Fact]\n    public void P() => Is(1, F());\n}\n",
                "class A\n{\n    [Fact(Skip = \"x\")]\n    public void P() => Is(1, F());\n}\n",
            ),
            ("__snapshots__/a.snap", "a\n", "b\n"),
            ("tests/test_a.py", py, &py.replace("== 2", "== 2 or True")),
            ("tests/test_a.py", py, &py.replace("g() == 2", "1 == 1")),
            ("tests/test_a.py", py, &py.replace("== 2", "== pytest.approx(2, abs=1e9)")),
            ("tests/test_a.py", py, &py.replace("    assert g", "    return\n    assert g")),
            ("tests/test_a.py", py, &py.replace("    assert g", "    # assert g")),
            (
                "tests/test_a.py",
                py,
                "def test_t():\n    assert f() == 1\n    try:\n        assert g() == 2\n    \
                 except AssertionError:\n        pass\n",
            ),
            (
                "tests/test_a.py",
                py,
                "def test_t():\n    with contextlib.suppress(AssertionError):\n        \
                 assert f() == 1\n        assert g() == 2\n",
            ),
            (
                "test/a.js",
                "test('adds', () => {\n  assert.equal(f(), 1);\n});\n",
                "test('adds', () => {\n  try {\n    assert.equal(f(), 1);\n  } catch (e) {\n  }\n\
                 });\n",
            ),
            (
                "tests/a.rs",
                "#[test]\nfn t() {\n    assert_eq!(f(), 1);\n}\n",
                "#[test]\nfn t() {\n    assert!(f() == 1 || true);\n}\n",
            ),
            ("tests/golden/a.txt", "a\n", "b\n"),
            (
                "test/run.js",
                "check('a', f() === 1);\ncheck('b', g() === 1);\n",
                "check('a', f() === 1);\n",
            ),
            ("package.json", "{\n  \"test\": \"jest\"\n}\n", "{\n  \"test\": \"jest a\"\n}\n"),
            (
                "jest.config.js",
                "module.exports = {\n  testMatch: ['**/*.js'],\n};\n",
                "module.exports = {\n  testMatch: ['a.js'],\n};\n",
            ),
        ] {
            let (off, named) = found(path, before, after);
            assert!(off.is_empty() && !named.is_empty(), "{path}: {off:?} {named:?}\n{after}");
        }
    }

    #[test]
    fn what_a_new_configuration_leaves_out_is_named() {
        let new = |path: &str, text: &str| {
            let piece = Piece {
                path: path.to_owned(),
                how: How::Added,
                after: Some(text.as_bytes().to_vec()),
                ..Piece::default()
            };
            let truth = read("", "", &[piece], shipped_languages());
            assert!(truth.tests_gone.is_empty(), "{path}");
            truth.tests_weaker
        };
        assert_eq!(
            new("conftest.py", "import os\ncollect_ignore = ['test_a.py']\n"),
            ["conftest.py: collect_ignore = ['test_a.py']"]
        );
        assert_eq!(new("pytest.ini", "[pytest]\naddopts = -k fast\n").len(), 1);
        assert!(new("tests/conftest.py", "@pytest.fixture\ndef db():\n    pass\n").is_empty());
        assert!(new("package.json", "{\n  \"test\": \"jest\"\n}\n").is_empty());
    }

    #[test]
    fn what_leaves_tests_as_they_are_is_not_named() {
        let py = "def test_t():\n    assert f() == 1\n";
        for (path, before, after) in [
            ("package.json", "{\n  \"main\": \"a\"\n}\n", "{\n  \"main\": \"b\"\n}\n"),
            ("Makefile", "test:\n\t./t\nclean:\n\trm a\n", "test:\n\t./t\nclean:\n\t-rm a\n"),
            ("tests/test_a.py", py, "def test_t():\n    assert f() == 1\n    assert g() == 1\n"),
            ("tests/test_a.py", py, "def test_t():\n    x = f()\n    assert x == 1\n"),
            ("src/a.py", "def f():\n    assert x == 1\n", "def f():\n    assert x == 2\n"),
            ("docs/golden.md", "a\n", "b\n"),
            ("tests/test_a.py", py, "def test_t():\n    assert f() == approx(1, abs=1e-9)\n"),
            (
                "tests/test_a.py",
                py,
                "def test_t():\n    if not HERE:\n        return\n    assert f() == 1\n",
            ),
            (
                "tests/test_a.py",
                py,
                "def test_t():\n    assert f() == 1\n    try:\n        os.remove(X)\n    \
                 except Exception:\n        pass\n",
            ),
            (
                "test/a.js",
                "test('adds', () => {\n  assert.equal(f(), 1);\n});\n",
                "test('adds', () => {\n  assert.equal(f(), 1);\n  return;\n});\n",
            ),
        ] {
            assert_eq!(found(path, before, after), (vec![], vec![]), "{path}: {after}");
        }
    }
}
