//! Runs of tests that never began: the runner is not there, or finds nothing that it could run. And
//! which runners a repository's tests need, as far as its files say.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::Counts;
use super::counts::{any_like, last_lines};
use super::languages::shipped_languages;
use crate::shipped::{read, shipped};

/// The status with which a shell says that there is no such command.
const NO_COMMAND: i32 = 127;

/// What was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// The program that runs the tests.
    Runner,
    /// Anything that it could run.
    Tests,
}

impl Absent {
    /// What was not there for the run of the row `run`, which ended so.
    pub(crate) fn of(
        (run, line): (Option<&str>, &str),
        is_there: bool,
        counts: Option<Counts>,
        (status, printed): (Option<i32>, &str),
    ) -> Option<Self> {
        Ended { run: run?, line, is_there, status, counts, printed }.absent()
    }
}

/// The shipped table; `untested.toml` says what its keys mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Untested {
    starters: Vec<String>,
    parts: Vec<String>,
    places: Vec<String>,
    shells: Vec<String>,
    runners: Vec<String>,
    ended: Vec<String>,
    admits: Vec<String>,
    taken_back: Vec<String>,
    behind: Vec<String>,
    missing: Vec<Missing>,
    environment: Vec<Environment>,
    language: Vec<Kin>,
    by_name: Vec<ByName>,
}

/// Lines that say what was not there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Missing {
    what: Absent,
    lines: Vec<String>,
}

/// A file of a tool that runs tests from an environment of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Environment {
    file: String,
    program: String,
}

/// What the tests of a language run with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kin {
    name: String,
    programs: Vec<String>,
    #[serde(default)]
    usual: Vec<String>,
    runner: Option<String>,
}

/// What calls its tests by a name of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByName {
    name: String,
    runs: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    targets: Vec<String>,
}

fn untested() -> &'static Untested {
    static TABLE: LazyLock<Untested> = LazyLock::new(|| {
        // A test reads the same bytes; here they cannot differ.
        read(shipped!("untested")).unwrap_or_else(|error| unreachable!("untested.toml: {error}"))
    });
    &TABLE
}

impl Untested {
    /// Whether one of the lines says that `what` was not there.
    fn says(&self, what: Absent, lines: &[String]) -> bool {
        let mut rows = self.missing.iter().filter(|row| row.what == what);
        rows.any(|row| lines.iter().any(|line| any_like(&row.lines, line)))
    }
}

/// The program that runs tests from an environment of its own, of which `path` is a file.
pub(crate) fn environment(path: &str) -> Option<&'static str> {
    let row = untested().environment.iter().find(|row| row.file == path)?;
    Some(&row.program)
}

/// Where an environment of the repository puts programs.
pub(crate) fn places() -> &'static [String] {
    &untested().places
}

/// Whether what calls its tests by a name of its own has this one.
pub(crate) fn is_by_name(language: &str) -> bool {
    untested().by_name.iter().any(|row| row.name == language)
}

/// A run of tests as it ended: the row that knows it, its line, whether its program is there, and
/// what was heard and printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended<'a> {
    pub run: &'a str,
    pub line: &'a str,
    pub is_there: bool,
    pub status: Option<i32>,
    pub counts: Option<Counts>,
    pub printed: &'a str,
}

impl Ended<'_> {
    /// What was not there; none where the run began, or ended well.
    pub(crate) fn absent(&self) -> Option<Absent> {
        // That a run ended badly is counted as one test, where no status is told.
        let counted =
            |counts: Counts| !counts.is_nothing() && (counts.passed > 0 || !counts.at_least);
        let counted = self.counts.is_some_and(counted);
        if self.status == Some(0) || counted {
            return None;
        }
        let (table, lines) = (untested(), last_lines(self.printed));
        // Who sets where programs are looked for makes one missing.
        let sets = self.line.contains("PATH=") || self.line.contains("env -");
        let starts = table.starters.iter().any(|run| run == self.run)
            || lines.iter().any(|line| any_like(&table.parts, line));
        match self.missed(&lines) {
            true if !sets && self.is_there == starts => Some(Absent::Runner),
            true => Some(Absent::Tests),
            false => table.says(Absent::Tests, &lines).then_some(Absent::Tests),
        }
    }

    /// Whether the program that runs the tests was not there. A test that began may say the same of
    /// something else: with a status of its own, of no runner, or by a script of the repository.
    fn missed(&self, lines: &[String]) -> bool {
        let table = untested();
        let named: Vec<NotFound<'_>> =
            lines.iter().filter_map(|line| NotFound::read(line)).collect();
        let ended = self.status == Some(NO_COMMAND)
            || lines.iter().any(|line| any_like(&table.ended, line));
        if ended {
            return named.iter().all(|one| one.by_shell);
        }
        let first = self.line.split_whitespace().next().unwrap_or_default();
        let runs = |name: &str| {
            let languages = table.language.iter().flat_map(|kin| &kin.programs);
            let name = name.rsplit('/').next().unwrap_or(name);
            name == first || table.runners.iter().chain(languages).any(|runner| runner == name)
        };
        let told = named.iter().any(|one| one.by_shell && runs(one.program));
        told && named.iter().all(|one| one.by_shell) || table.says(Absent::Runner, lines)
    }
}

/// A line that says of a program that it is not there.
struct NotFound<'l> {
    program: &'l str,
    /// Who says so is a shell, or what starts programs as one does.
    by_shell: bool,
}

impl<'l> NotFound<'l> {
    /// `sh: 1: jest: not found`, `zsh: command not found: go`, or what a program in Go says.
    fn read(line: &'l str) -> Option<Self> {
        const SAID: [&str; 3] = ["not found", "command not found", "No such file or directory"];
        if let Some((_, rest)) = line.split_once("exec: \"")
            && let Some((program, "executable file not found in $PATH")) = rest.split_once("\": ")
        {
            return Some(Self { program, by_shell: true });
        }
        let parts: Vec<&str> = line.trim().split(": ").collect();
        let program = match parts.as_slice() {
            [_, .., program, said] if SAID.contains(said) => program,
            [_, "command not found", program] => program,
            _ => return None,
        };
        let who = parts[0].trim_start_matches("error ").trim_start_matches("npm ");
        // The shells of a system lie outside of the work tree.
        let name = match who.rsplit_once('/') {
            Some((dir, name)) if dir.starts_with('/') => name,
            Some(_) => return Some(Self { program, by_shell: false }),
            None => who,
        };
        let name = name.split(['[', ' ']).next().unwrap_or(name);
        let by_shell = parts.len() > 2 && untested().shells.iter().any(|shell| shell == name);
        Some(Self { program, by_shell })
    }
}

/// A run of tests that found no runner: its row, its line, and whether its own program was there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tried<'a> {
    pub run: &'a str,
    pub line: &'a str,
    pub is_there: bool,
}

/// Whether the tests of `language` cannot run: one tried, and what they need is not `there`. What a
/// file of targets or a script calls a test is tried by its own name.
pub(crate) fn cannot_run(
    language: &str,
    tried: &[Tried<'_>],
    there: &dyn Fn(&str) -> bool,
) -> bool {
    let table = untested();
    if let Some(row) = table.by_name.iter().find(|row| row.name == language) {
        return tried.iter().any(|tried| row.runs.iter().any(|run| run == tried.run));
    }
    let Some(kin) = table.language.iter().find(|kin| kin.name == language) else { return false };
    let own = |line: &str| {
        let line = line.split_once(" exec -- ").map_or(line, |(_, inner)| inner).trim();
        let begins = |known: &String| {
            let rest = line.strip_prefix(known.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        (kin.programs.iter().any(begins), kin.usual.iter().any(begins))
    };
    let none = !kin.programs.iter().any(|program| there(program));
    tried.iter().any(|tried| match own(tried.line) {
        (named, usual) if none => named || usual,
        // The runner is missing, or what the repository calls its tests began without it.
        (_, true) => kin.runner.as_ref().map_or(tried.is_there, |runner| !there(runner)),
        _ => false,
    })
}

/// Letters of a sentence that says why, besides.
const WHY: usize = 10;

/// Whether a message says that nothing was tested, and why: `Not tested: <why>`, or a sentence
/// that says as much.
pub(crate) fn admits(text: &str) -> bool {
    // A point within a word ends no sentence: `no v1.2 of it`.
    let ends = |text: &str| text.replace(['!', '?', '。', ';'], ". ").replace('\n', ". ");
    let (text, letters) = (format!("{} ", ends(&text.to_lowercase())), |text: &str| {
        text.chars().filter(|letter| letter.is_alphanumeric()).count()
    });
    text.split(". ").map(str::trim).any(|sentence| {
        let found =
            untested().admits.iter().find_map(|said| Some((said, sentence.find(said.as_str())?)));
        let Some((said, at)) = found else { return false };
        let (lead, behind) = (&sentence[..at], &sentence[at + said.len()..]);
        let lead = lead.rsplit([',', ':', '(']).next().unwrap_or(lead);
        let words = lead.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        let words: Vec<&str> = words.collect();
        // What is a reason for it stands in another clause.
        let mut own = words.rsplit(|word| untested().behind.iter().any(|one| one == word));
        let back = |word: &&str| untested().taken_back.iter().any(|one| one == word);
        if own.next().is_some_and(|own| own.iter().any(back)) {
            return false;
        }
        // Behind the words themselves anything is a reason.
        let told = lead.trim_matches(|c: char| !c.is_alphanumeric()).is_empty()
            && behind.trim_start().starts_with([':', '：']);
        let why = if sentence.is_ascii() { WHY } else { WHY / 3 };
        told && letters(behind) > 1 || letters(sentence) >= letters(said) + why
    })
}

/// The language whose tests the file at `path` shows to be there; `text` reads it, and a script is
/// one that runs them when it is called by its path.
pub(crate) fn shown_by(
    path: &str,
    text: &dyn Fn() -> String,
    is_script: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let has = |targets: &[String]| {
        text().lines().any(|line| {
            let names = line.split_once(':').map(|(names, _)| names);
            names.is_some_and(|names| names.split(' ').any(|one| targets.iter().any(|t| t == one)))
        })
    };
    let by_name = untested().by_name.iter().find(|row| row.files.iter().any(|file| file == name));
    match name {
        _ if path.matches('/').count() < 2 && is_script(path) => Some("script"),
        "Cargo.toml" => Some("rust"),
        "package.json" => {
            let read: serde_json::Value = serde_json::from_str(&text()).ok()?;
            let script = read.pointer("/scripts/test")?.as_str()?;
            // What `npm init` writes where there is no test.
            (!script.contains("no test specified")).then_some("javascript")
        }
        _ if by_name.is_some() => {
            by_name.filter(|row| has(&row.targets)).map(|row| row.name.as_str())
        }
        _ if shipped_languages().is_collected(path) => {
            shipped_languages().of(path).map(|row| row.name.as_str())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::Runs;
    use super::*;

    #[test]
    fn the_rows_name_languages_and_runs_that_are_known() {
        let table = untested();
        for row in &table.language {
            let known = shipped_languages().names().any(|name| name == row.name);
            assert!(known, "languages.toml has no {}", row.name);
            let own = row.runner.iter().chain(&row.programs);
            assert!(own.clone().all(|program| !program.contains(' ')), "{row:?}");
        }
        let runs = Runs::shipped();
        let known: Vec<&str> = runs.names().collect();
        let named = table.by_name.iter().flat_map(|row| &row.runs).chain(&table.starters);
        for run in named {
            assert!(known.contains(&run.as_str()), "runs.toml has no {run}");
        }
        for what in [Absent::Runner, Absent::Tests] {
            assert!(table.missing.iter().any(|row| row.what == what), "{what:?}");
        }
        assert!(table.admits.iter().all(|said| *said == said.to_lowercase()));
    }

    #[test]
    fn what_never_began_is_told_from_what_failed() {
        let (runner, tests) = (Some(Absent::Runner), Some(Absent::Tests));
        for (run, line, is_there, status, printed, wanted) in [
            ("go", "go test ./...", false, Some(127), "bash: go: command not found", runner),
            ("go", "go test ./...", false, None, "bash: line 1: go: command not found", runner),
            ("go", "PATH=/x go test ./...", true, Some(127), "bash: go: command not found", tests),
            ("go", "go test ./...", true, Some(127), "", tests),
            (
                "pytest",
                "python -m pytest",
                true,
                Some(1),
                "/bin/python: No module named pytest",
                runner,
            ),
            ("npm", "npm test", true, Some(127), "sh: 1: jest: not found", runner),
            ("npm", "yarn test", false, Some(127), "bash: yarn: command not found", tests),
            (
                "npm",
                "npm test",
                true,
                Some(254),
                "npm error enoent Could not read package.json",
                tests,
            ),
            (
                "make",
                "make check",
                true,
                Some(2),
                "make: *** No rule to make target 'check'.  Stop.",
                tests,
            ),
            (
                "make",
                "make check",
                true,
                Some(2),
                "make: *** [Makefile:2: check] Error 127",
                runner,
            ),
            ("npm", "npm test", true, Some(1), "Error: find 7: not found", None),
            ("npm", "npm test", true, None, "  Error: user: not found\n1 failing", None),
            ("npm", "npm test", true, Some(1), "cat: data.txt: No such file or directory", None),
            (
                "make",
                "make test",
                true,
                Some(2),
                "bin/greet: 3: trr: not found\nmake: *** Error 127",
                None,
            ),
            ("make", "make test", true, None, "./bin/greet: line 3: trr: command not found", None),
            ("npm", "npm test", true, Some(1), "sh: 1: trr: not found\n1 failing", None),
            (
                "go",
                "go test ./...",
                true,
                Some(1),
                "exec: \"trr\": executable file not found in $PATH",
                None,
            ),
            (
                "npm",
                "pnpm test",
                true,
                Some(1),
                "sh: 1: vitest: not found\n ELIFECYCLE  Test failed.",
                runner,
            ),
            (
                "make",
                "make test",
                true,
                None,
                "make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127",
                runner,
            ),
            ("go", "go test ./...", false, None, "zsh: command not found: go", runner),
            (
                "pytest",
                "python3 tests.py",
                true,
                Some(2),
                "python3: can't open file '/w/tests.py': [Errno 2] No such file or directory",
                tests,
            ),
            ("pytest", "pytest -q", true, Some(5), "no tests ran in 0.01s", tests),
            ("pytest", "pytest -q", true, Some(1), "1 failed in 0.01s", None),
            ("go", "go test ./...", true, Some(1), "FAIL\texample.org/store", None),
            ("go", "go test ./...", true, Some(0), "ok", None),
        ] {
            let ended = Ended { run, line, is_there, status, counts: None, printed };
            assert_eq!(ended.absent(), wanted, "{line}: {printed}");
        }
    }

    #[test]
    fn a_language_cannot_run_where_what_its_tests_need_is_missing() {
        for (language, line, is_there, there, wanted) in [
            ("go", "go test ./...", false, &[][..], true),
            ("go", "git seed exec -- go test ./...", false, &[], true),
            ("go", "gotestsum", false, &["go"], false),
            ("go", "pytest", false, &[], false),
            ("rust", "cargo test", false, &["cargo"], false),
            ("python", "pytest -q", false, &["python3"], true),
            ("python", "pytest -q", false, &["python3", "pytest"], false),
            ("python", "tox", false, &["python3"], false),
            ("python", "go test", false, &["python3"], false),
            ("javascript", "npm test", true, &["npm"], true),
            ("javascript", "yarn test", false, &["npm"], false),
            ("javascript", "npm run test:e2e", true, &["npm"], false),
            ("lua", "busted", false, &[], false),
        ] {
            let tried = [Tried { run: "", line, is_there }];
            let there = |name: &str| there.contains(&name);
            assert_eq!(cannot_run(language, &tried, &there), wanted, "{language}: {line}");
        }
        let tried = |run| [Tried { run, line: "make check", is_there: true }];
        assert!(cannot_run("make", &tried("make"), &|_| true));
        assert!(!cannot_run("make", &tried("go"), &|_| false));
    }

    #[test]
    fn who_did_not_test_says_so_and_why() {
        for (text, wanted) in [
            ("Get returns ?. Not tested: the go toolchain is not installed.", true),
            ("go is not installed here, so no test was run", true),
            ("I could not run the tests, as go is missing here", true),
            ("Nicht getestet, weil go hier fehlt", true),
            ("未测试：没有安装 go", true),
            ("Get returns ?. Not tested.", false),
            ("Not tested: no pytest", true),
            ("not tested: no v1.2 of it is here", true),
            ("Nothing could be tested, there are no tests", true),
            ("No tests were run here, as the toolchain is missing", true),
            ("no branch of it is left untested, every case was tried by hand", false),
            ("It would be wrong to say that it is not tested: all of it is covered", false),
            ("by no means untested, since the whole module was exercised", false),
            ("nothing is untested, for each was seen", false),
            ("one run of its own tests shows it, and nothing else was touched", false),
            ("all tests pass; the run took a second", false),
            ("", false),
        ] {
            assert_eq!(admits(text), wanted, "{text}");
        }
    }

    #[test]
    fn files_show_that_there_are_tests() {
        for (path, text, wanted) in [
            ("store/store_test.go", "", Some("go")),
            ("Cargo.toml", "", Some("rust")),
            ("package.json", r#"{"scripts":{"test":"jest"}}"#, Some("javascript")),
            ("package.json", r#"{"scripts":{"test":"echo \"Error: no test specified\""}}"#, None),
            ("package.json", "{}", None),
            ("Makefile", "all: x\n\ncheck: all\n\t./x\n", Some("make")),
            ("Makefile", "html:\n\tsphinx\n", None),
            ("README.md", "test: x", None),
            ("src/a.go", "", None),
            ("check.sh", "", Some("script")),
        ] {
            let shown = shown_by(path, &|| text.to_owned(), &|path| path == "check.sh");
            assert_eq!(shown, wanted, "{path}: {text}");
        }
    }
}
