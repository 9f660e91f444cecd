//! Which of the tests a run's line selects: all of them, or a part.
//!
//! Rows of runs.toml say what a runner's words and flags select. A word that no row explains
//! is taken for one that selects: a part proves less, never more.

use serde::{Deserialize, Serialize};

use super::runs::RunRow;

/// The most words of a line that are kept.
const KEPT: usize = 16;

/// What a word of a runner's line selects that is no flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Words {
    /// Files and directories of tests.
    Paths,
    /// Tests by their names, or by patterns of them.
    #[default]
    Names,
    /// What to do, and not which tests.
    Tasks,
}

/// A part of the tests that a run's line selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The words that select it, as the line has them.
    pub by: Vec<String>,
    /// Files and directories of the line that are all that selects it, from where it runs;
    /// `*` at the end means the files of a directory and not what lies deeper. Empty where
    /// anything else selects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl Part {
    /// Whether each of `tests`, told from where the run was, lies in this part.
    pub(crate) fn holds_all<'t>(&self, mut tests: impl Iterator<Item = &'t str>) -> bool {
        !self.paths.is_empty() && tests.all(|test| self.paths.iter().any(|path| holds(path, test)))
    }

    /// Whether it is nothing but directories that are called after tests: where the tests of a
    /// repository cannot be listed, they hold them all.
    pub fn is_of_all_tests(&self) -> bool {
        let all = |path: &String| {
            let path = path.trim_start_matches("./").trim_end_matches('/');
            let (dir, rest) = path.split_once('/').unwrap_or((path, ""));
            matches!(dir, "tests" | "test" | "spec") && (rest.is_empty() || rest.starts_with('*'))
        };
        !self.paths.is_empty() && self.paths.iter().all(all)
    }

    /// A part, and what else selects beside it.
    pub(super) fn with(by: Vec<String>, part: Option<Self>) -> Option<Self> {
        if by.is_empty() {
            return part;
        }
        let more = part.map(|part| part.by).unwrap_or_default();
        let by = by.into_iter().chain(more).take(KEPT).collect();
        Some(Self { by, paths: Vec::new() })
    }

    /// The part in a few words, for people.
    pub(crate) fn told(&self) -> String {
        self.by.join(" ")
    }
}

fn holds(path: &str, test: &str) -> bool {
    let path = path.trim_start_matches("./");
    if path.strip_suffix('*').unwrap_or(path).contains('*') {
        return super::runs::like(path, test);
    }
    if let Some(dir) = path.strip_suffix('*') {
        return test.rsplit_once('/').map_or("", |(dir, _)| dir) == dir.trim_end_matches('/');
    }
    let dir = path.trim_end_matches('/');
    test.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        || dir.is_empty()
        || dir == "."
}

/// What the words of a line that `row` recognised select: `head` are those that its `runs` took.
/// A flag that no row explains selects where it is called as one of `selects`. None where they
/// select everything.
pub(super) fn part(row: &RunRow, selects: &[String], head: &[&str], rest: &[&str]) -> Option<Part> {
    let like = |list: &[String], word: &str| list.iter().any(|one| super::runs::like(one, word));
    let mut part = Part { by: in_head(row, head), paths: Vec::new() };
    let mut only_paths = part.by.is_empty();
    let mut words = rest.iter().peekable();
    // Behind `--` a runner of tasks gives them words of theirs.
    let mut handed = false;
    while let Some(&word) = words.next() {
        if word == "--" {
            handed = row.words == Words::Tasks;
            continue;
        }
        let setting = !word.starts_with('-') && word.contains('=');
        if setting || word.starts_with('-') {
            if row.dirs.iter().any(|flag| flag == word) {
                let dir = words.next().copied().unwrap_or(".");
                part.by.extend([word.to_owned(), dir.to_owned()]);
                part.paths.push(of_dir(dir));
            } else if chooses(row, selects, word, handed) {
                // `-k lexer`: what follows belongs to the flag, and says the same.
                let takes = !word.contains('=') && row.part.contains(&format!("{word}*"));
                let value = if takes { words.next() } else { None };
                if value.is_none_or(|value| !row.usual.iter().any(|usual| usual == value)) {
                    part.by.extend(
                        [Some(&word), value].into_iter().flatten().map(ToString::to_string),
                    );
                    only_paths = false;
                }
            } else if row.takes.iter().chain(&row.valued).any(|flag| flag == word) {
                words.next();
            }
            continue;
        }
        if like(&row.all, word) {
            // `discover tests`: the directory stands behind the word without a flag.
            let takes_one = row.dirs.iter().any(|one| one == word);
            if let Some(dir) = words.next_if(|next| takes_one && !next.starts_with('-')) {
                part.by.push((*dir).to_owned());
                part.paths.push(of_dir(dir));
            }
            continue;
        }
        match row.words {
            Words::Tasks if !handed && !like(&row.part, word) => {}
            words if is_place(words, word) => {
                part.by.push(word.to_owned());
                part.paths.push(of_dir(word));
            }
            _ => {
                part.by.push(word.to_owned());
                only_paths = false;
            }
        }
    }
    closed(part, row, rest, only_paths)
}

/// What stands among the words of `runs` may be a task of its own (`npm run test:unit`).
fn in_head(row: &RunRow, head: &[&str]) -> Vec<String> {
    let like = |list: &[String], word: &str| list.iter().any(|one| super::runs::like(one, word));
    let mut by = Vec::new();
    // Words that the row's own `runs` have are how such a line begins.
    let own = |word: &str| {
        row.runs
            .iter()
            .any(|run| run.split([' ', '|']).any(|one| one == word && one.starts_with('-')))
    };
    for (at, word) in head.iter().enumerate() {
        // What stands before a script is its interpreter's.
        let other = word.starts_with('-') && row.part.iter().any(|flag| flag == "--*");
        let named = if at == 0 { word.contains('/') } else { !own(word) && !other };
        if named && !like(&row.all, word) && like(&row.part, word) {
            // A flag among them takes its value along.
            let value = head.get(at + 1).filter(|_| row.valued.iter().any(|flag| flag == word));
            by.extend([Some(word), value].into_iter().flatten().map(|one| (*one).to_owned()));
        }
    }
    by
}

/// Whether a flag or a setting leaves tests out; `handed` is one that a runner of tasks hands on.
fn chooses(row: &RunRow, selects: &[String], word: &str, handed: bool) -> bool {
    let like = |list: &[String]| list.iter().any(|one| super::runs::like(one, word));
    let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
    let explained = || [&row.takes, &row.valued].into_iter().flatten().any(|one| one == flag);
    let unexplained = || !word.starts_with('-') && row.words == Words::Tasks;
    // A value of several words brings flags of its own.
    let many = word.split_once('=').is_some_and(|(_, value)| value.contains(char::is_whitespace));
    let all = like(&row.all) && !(many && unexplained());
    !all && (like(&row.part)
        || like(selects) && !explained()
        || picks(row, word)
        || unexplained()
        || handed && is_short(word))
}

/// The letters of flags that stand behind one dash (`-xk`), up to one that takes what follows.
pub(super) fn letters<'w>(row: &'w RunRow, word: &'w str) -> impl Iterator<Item = char> + 'w {
    let cluster = word.strip_prefix('-').filter(|rest| row.clusters && !rest.starts_with('-'));
    let takes = |letter: char| {
        let flags = row.takes.iter().chain(&row.valued);
        flags.filter_map(|flag| flag.strip_prefix('-')).any(|flag| flag.chars().eq([letter]))
    };
    let letters = cluster.unwrap_or_default().chars();
    letters.take_while(move |letter| letter.is_alphabetic() && !takes(*letter))
}

/// A flag among such letters that leaves tests out.
fn picks(row: &RunRow, word: &str) -> bool {
    let part = |letter: char| row.part.iter().any(|flag| *flag == format!("-{letter}*"));
    letters(row, word).any(part)
}

/// `-k`, `-t`, `-g`: flags of this form choose tests by name.
fn is_short(word: &str) -> bool {
    matches!(word.as_bytes(), [b'-', b'k' | b't' | b'g' | b'm' | b'n' | b'e' | b'o', ..])
        && !word.starts_with("--")
}

/// A file or directory; a pattern of files is one for every runner.
fn is_place(words: Words, word: &str) -> bool {
    let is_pattern = word.contains('/') && word.contains('*');
    !word.contains("::") && (words == Words::Paths || is_pattern)
}

/// The part without what it only seems to be.
fn closed(mut part: Part, row: &RunRow, rest: &[&str], only_paths: bool) -> Option<Part> {
    let like = |list: &[String], word: &str| list.iter().any(|one| super::runs::like(one, word));
    if part.by.is_empty() && row.here && !rest.iter().any(|word| like(&row.all, word)) {
        part.by.push(".".to_owned());
        part.paths.push("*".to_owned());
    }
    if !only_paths {
        part.paths.clear();
    }
    part.by.truncate(KEPT);
    // A cut list of paths would hold fewer than the line has: that is the safe side.
    part.paths.truncate(KEPT);
    (!part.by.is_empty()).then_some(part)
}

/// `./a/...` is what lies below a; a word without one may be a directory or a file.
fn of_dir(word: &str) -> String {
    word.strip_suffix("/...").unwrap_or(word).trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod tests {
    use crate::claims::runs::Runs;

    #[test]
    fn a_directory_behind_a_flag_is_a_path() {
        let runs = Runs::shipped();
        for (line, paths) in [
            ("python3 -m unittest discover -s tests", vec!["tests"]),
            ("python3 -m unittest discover -v -s ./tests/", vec!["tests/"]),
            ("python3 -m unittest discover -s tests -p 'test_a*'", vec![]),
            ("python3 -m unittest discover tests", vec!["tests"]),
            ("python3 -m unittest discover ./tests/unit -v", vec!["tests/unit"]),
            ("coverage run -m unittest discover tests", vec!["tests"]),
            ("python3 -m unittest discover tests test_a.py", vec![]),
            ("python3 -m unittest discover -s tests tests.test_a", vec![]),
        ] {
            assert_eq!(runs.part(line).expect("a part").paths, paths, "{line}");
        }
    }

    #[test]
    fn a_line_selects_all_tests_or_a_part() {
        let runs = Runs::shipped();
        for (line, by) in [
            ("cargo test", ""),
            ("python3 -m unittest discover -v", ""),
            ("cargo test --workspace --all-features --locked -j 4", ""),
            ("cargo test -- --nocapture --test-threads 1", ""),
            ("cargo test --lib", "--lib"),
            ("cargo test --lib parser", "--lib parser"),
            ("cargo test lexer::tests", "lexer::tests"),
            ("cargo test -p core", "-p core"),
            ("mix cmd --app ingest mix test", "--app ingest"),
            ("cargo test -- --skip slow", "--skip slow"),
            ("cargo test --test=cli", "--test=cli"),
            ("cargo nextest run", ""),
            ("cargo nextest run -E 'test(x)'", "-E test(x)"),
            ("pytest", ""),
            ("pytest -q -n 4 --tb short", ""),
            ("python -m pytest -x --cov src", ""),
            ("pytest tests/test_a.py", "tests/test_a.py"),
            ("pytest tests/test_a.py::test_b", "tests/test_a.py::test_b"),
            ("pytest -k lexer", "-k lexer"),
            ("pytest -klexer", "-klexer"),
            ("pytest --deselect tests/a.py::b", "--deselect tests/a.py::b"),
            ("pytest --ignore=tests/slow", "--ignore=tests/slow"),
            ("pytest --lf", "--lf"),
            ("pytest -m 'not slow'", "-m not slow"),
            ("python -m unittest", ""),
            ("python -m unittest discover -v", ""),
            ("python -m unittest tests.test_a", "tests.test_a"),
            ("python -m unittest -v tests.test_a", "tests.test_a"),
            ("python manage.py test -v 2", ""),
            ("python3 -m unittest discover -s tests/unit", "-s tests/unit"),
            ("npm test", ""),
            ("npm run test", ""),
            ("npm run test:unit", "test:unit"),
            ("npm test -- -t adds", "-t adds"),
            ("npm test -- src/a.test.js", "src/a.test.js"),
            ("npm test --workspace=core", "--workspace=core"),
            ("npx jest", ""),
            ("npx jest --coverage -w 2", ""),
            ("npx jest src/a.test.ts", "src/a.test.ts"),
            ("npx vitest run", ""),
            ("npx vitest run -t adds", "-t adds"),
            ("npx mocha --grep adds", "--grep adds"),
            ("node --test", ""),
            ("node --test --test-reporter tap", ""),
            ("node --test test/a.test.js", "test/a.test.js"),
            ("node --test --test-name-pattern=adds", "--test-name-pattern=adds"),
            ("go test ./...", ""),
            ("go test -race -count 1 ./...", ""),
            ("go test ./pkg/...", "./pkg/..."),
            ("go test", "."),
            ("go test -run TestX ./...", "-run TestX"),
            ("go test -short ./...", "-short"),
            ("make test", ""),
            ("make -j 4 check V=1", ""),
            ("make test-unit", "test-unit"),
            ("make test TESTS=a", "TESTS=a"),
            ("make test PYTEST_ARGS='-k x'", "PYTEST_ARGS=-k x"),
            ("ctest --test-dir build -j 4", ""),
            ("ctest -R lexer", "-R lexer"),
            ("mvn -q test", ""),
            ("mvn test -Dtest=FooTest", "-Dtest=FooTest"),
            ("mvn -pl core test", "-pl core"),
            ("./gradlew test --tests Foo", "--tests Foo"),
            ("./gradlew :app:test", ":app:test"),
            ("./gradlew clean check", ""),
            ("dotnet test --filter Name~x", "--filter Name~x"),
            ("dotnet test -c Release", ""),
            ("bundle exec rspec", ""),
            ("rspec spec/a_spec.rb -e adds", "spec/a_spec.rb -e adds"),
            ("phpunit --testsuite unit", "--testsuite unit"),
            ("vendor/bin/phpunit", ""),
            ("mix test test/a_test.exs", "test/a_test.exs"),
            ("bats test", "test"),
            ("bats test/a.bats", "test/a.bats"),
            ("bazel test //...", ""),
            ("bazel test //core:all", "//core:all"),
            ("npx jest --testMatch=**/a.test.js", "--testMatch=**/a.test.js"),
            ("npx jest --testRegex=a", "--testRegex=a"),
            ("npx jest --roots=src/a", "--roots=src/a"),
            ("npx vitest run --testNamePattern=x --coverage", "--testNamePattern=x"),
            ("npx jest --coveragePathIgnorePatterns=x --testTimeout=5", ""),
            ("ctest --exclude-tests-matching=x", "--exclude-tests-matching=x"),
            ("tox -e py312", "-e py312"),
            ("tox", ""),
        ] {
            let part = runs.part(line);
            assert_eq!(part.map(|part| part.told()).unwrap_or_default(), by, "{line}");
        }
    }

    #[test]
    fn paths_hold_what_lies_below_them() {
        let runs = Runs::shipped();
        for (line, tests, holds) in [
            ("pytest tests", &["tests/a.py", "tests/b/c.py"][..], true),
            ("pytest tests/", &["tests/a.py"], true),
            ("pytest ./tests", &["tests/a.py", "lib/test_b.py"], false),
            ("pytest tests/a.py", &["tests/a.py"], true),
            ("pytest tests/a", &["tests/a.py"], false),
            ("pytest tests/a.py::b", &["tests/a.py"], false),
            ("pytest tests -k b", &["tests/a.py"], false),
            ("go test", &["a_test.go"], true),
            ("go test", &["a_test.go", "b/b_test.go"], false),
            ("go test ./b/...", &["b/b_test.go", "b/c/c_test.go"], true),
            ("node --test test/a.js test/b.js", &["test/a.js", "test/b.js"], true),
        ] {
            let part = runs.part(line).expect("a part");
            assert_eq!(part.holds_all(tests.iter().copied()), holds, "{line} {tests:?}");
        }
    }
}
