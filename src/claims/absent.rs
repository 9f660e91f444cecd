//! Runs of tests that never began: the runner is not there, or finds nothing that it could run. And
//! which runners a repository's tests need, as far as its files say.

use serde::{Deserialize, Serialize};

use super::Counts;
use super::counts::{any_like, last_lines};
use super::languages::shipped_languages;

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

/// What a runner, or what starts it, prints where a program is missing.
const NO_RUNNER: [&str; 6] = [
    "*No module named pytest*",
    "*: command not found",
    "*: not found",
    "*exec: *: executable file not found*",
    "*JAVA_HOME is not set and no 'java' command could be found*",
    "*Error 127",
];
/// What it prints where it has nothing to run.
const NO_TESTS: [&str; 9] = [
    "*No rule to make target *",
    "*No targets*makefile found*",
    "*Could not read package.json*",
    "*ENOENT*package.json*",
    "*Missing script: *",
    "*no tests ran*",
    "*could not find `Cargo.toml`*",
    "*go.mod file not found*",
    "*No such file or directory",
];
/// Rows whose program may be there, while what it starts is not.
const STARTERS: [&str; 9] =
    ["npm", "make", "tasks", "rake", "monorepo", "tox", "jvm", "script", "helper"];

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
        let lines = last_lines(self.printed);
        let says = |known: &[&str]| {
            let known: Vec<String> = known.iter().map(|one| (*one).to_owned()).collect();
            lines.iter().any(|line| any_like(&known, line))
        };
        // Who sets where programs are looked for makes one missing.
        let sets = self.line.contains("PATH=") || self.line.contains("env -");
        let starts = STARTERS.contains(&self.run) || says(&NO_RUNNER[..1]);
        let missing = self.status == Some(NO_COMMAND) || says(&NO_RUNNER);
        match missing {
            true if !sets && self.is_there == starts => Some(Absent::Runner),
            true => Some(Absent::Tests),
            false => says(&NO_TESTS).then_some(Absent::Tests),
        }
    }
}

/// What the tests of a language run with.
struct Kin {
    language: &'static str,
    /// Programs of which one is enough, whatever was tried.
    programs: &'static [&'static str],
    /// How the usual run begins, whose runner may be missing while those programs are there.
    usual: &'static [&'static str],
}

/// A language that has no row here has tests, and nobody knows what is missing.
const KINS: [Kin; 11] = [
    Kin { language: "rust", programs: &["cargo"], usual: &[] },
    Kin { language: "go", programs: &["go"], usual: &[] },
    Kin {
        language: "python",
        programs: &["python", "python3", "pytest", "uv", "tox", "nox"],
        usual: &["pytest", "python -m pytest", "python3 -m pytest"],
    },
    Kin {
        language: "javascript",
        programs: &["node", "npm", "yarn", "pnpm", "bun", "deno"],
        usual: &["npm test", "npm t", "npm run test", "yarn test", "pnpm test"],
    },
    Kin { language: "java", programs: &["mvn", "gradle", "java"], usual: &[] },
    Kin { language: "kotlin", programs: &["mvn", "gradle", "java"], usual: &[] },
    Kin { language: "csharp", programs: &["dotnet"], usual: &[] },
    Kin { language: "ruby", programs: &["ruby"], usual: &[] },
    Kin { language: "php", programs: &["php"], usual: &[] },
    Kin { language: "elixir", programs: &["mix", "elixir"], usual: &[] },
    Kin { language: "swift", programs: &["swift"], usual: &[] },
];

/// What calls its tests by a name of its own, and the rows of such runs.
const BY_NAME: [(&str, [&str; 2]); 2] =
    [("make", ["make", "tasks"]), ("script", ["script", "helper"])];

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
    if let Some((_, rows)) = BY_NAME.iter().find(|(name, _)| *name == language) {
        return tried.iter().any(|tried| rows.contains(&tried.run));
    }
    let Some(kin) = KINS.iter().find(|kin| kin.language == language) else { return false };
    let own = |line: &str| {
        let line = line.split_once(" exec -- ").map_or(line, |(_, inner)| inner).trim();
        let begins = |known: &&&str| {
            let rest = line.strip_prefix(**known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        (kin.programs.iter().any(|known| begins(&known)), kin.usual.iter().any(|one| begins(&one)))
    };
    let none = !kin.programs.iter().any(|program| there(program));
    tried.iter().any(|tried| match own(tried.line) {
        (named, usual) if none => named || usual,
        // What the repository calls its tests was started, and what it starts is missing.
        (_, true) if language == "javascript" => tried.is_there,
        (_, true) => !there("pytest"),
        _ => false,
    })
}

/// How a message says, in small letters, that nothing was tested.
const ADMITS: [&str; 24] = [
    "not tested",
    "untested",
    "no test was run",
    "no test ran",
    "no tests ran",
    "no tests were run",
    "tests were not run",
    "tests not run",
    "not run the tests",
    "not run any test",
    "cannot run the tests",
    "nothing was tested",
    "nicht getestet",
    "ungetestet",
    "keine tests",
    "no probado",
    "sin probar",
    "non testé",
    "pas testé",
    "não testado",
    "не тестировал",
    "не протестирован",
    "未测试",
    "テストしていません",
];
/// Letters of a sentence that says why, besides.
const WHY: usize = 10;

/// Whether a message says that nothing was tested, and why.
pub(crate) fn admits(text: &str) -> bool {
    let sentences = text.split(['.', '!', '?', '\n', '。']);
    sentences.map(str::to_lowercase).any(|sentence| {
        let said = ADMITS.iter().find(|said| sentence.contains(**said));
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).count();
        // A sign of these scripts is a word.
        let why = if sentence.is_ascii() { WHY } else { WHY / 3 };
        said.is_some_and(|said| letters(&sentence) >= letters(said) + why)
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
    let has = |targets: [&str; 3]| {
        text().lines().any(|line| {
            let names = line.split_once(':').map(|(names, _)| names);
            names.is_some_and(|names| names.split(' ').any(|one| targets.contains(&one)))
        })
    };
    match name {
        _ if path.matches('/').count() < 2 && is_script(path) => Some("script"),
        "Cargo.toml" => Some("rust"),
        "package.json" => {
            let read: serde_json::Value = serde_json::from_str(&text()).ok()?;
            let script = read.pointer("/scripts/test")?.as_str()?;
            // What `npm init` writes where there is no test.
            (!script.contains("no test specified")).then_some("javascript")
        }
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" => {
            has(["test", "tests", "check"]).then_some("make")
        }
        _ if shipped_languages().is_collected(path) => {
            shipped_languages().of(path).map(|row| row.name.as_str())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
