//! Commands that a person named for what changes: checkers for files that were edited, and
//! tests for the end of a turn.
//!
//! Rows of the rules. None is shipped, and none stops anything: what they print is told. A
//! row is split into words once and started without a shell, so no name of a file becomes
//! more than one argument; `shell = true` asks for one. Pure: the caller runs them.

use serde::Deserialize;

/// What stands for the file that was edited.
const PATH: &str = "{path}";

/// A checker: `[[check]]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    pub files: Vec<String>,
    pub run: String,
    #[serde(default)]
    pub shell: bool,
}

/// Tests: `[[tests]]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tests {
    pub when: Vec<String>,
    pub run: String,
    #[serde(default)]
    pub shell: bool,
}

/// Both, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    checks: Vec<Check>,
    tests: Vec<Tests>,
}

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("[[{table}]] row {row}: `{key}` {what}")]
pub struct BadCommand {
    pub table: &'static str,
    /// From 1.
    pub row: usize,
    pub key: &'static str,
    pub what: String,
}

/// One command that is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// As it is shown, and as a person would type it.
    pub line: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The program is a shell that reads the line.
    pub shell: bool,
}

impl Commands {
    /// The rows, if each can be used.
    pub(crate) fn new(checks: Vec<Check>, tests: Vec<Tests>) -> Result<Self, BadCommand> {
        for (n, row) in checks.iter().enumerate() {
            let bad = |key, what| BadCommand { table: "check", row: n + 1, key, what };
            patterns(&row.files).map_err(|what| bad("files", what))?;
            runs(&row.run).map_err(|what| bad("run", what))?;
        }
        for (n, row) in tests.iter().enumerate() {
            let bad = |key, what| BadCommand { table: "tests", row: n + 1, key, what };
            patterns(&row.when).map_err(|what| bad("when", what))?;
            runs(&row.run).map_err(|what| bad("run", what))?;
            if row.run.contains(PATH) {
                return Err(bad("run", format!("has `{PATH}`; tests run for all that changed")));
            }
        }
        Ok(Self { checks, tests })
    }

    pub(crate) fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    pub(crate) fn has_tests(&self) -> bool {
        !self.tests.is_empty()
    }

    /// The checkers of edited files, each command once.
    pub(crate) fn checks_of(&self, paths: &[String]) -> Vec<Command> {
        let mut found: Vec<Command> = Vec::new();
        for row in &self.checks {
            for path in
                paths.iter().filter(|path| row.files.iter().any(|pattern| fits(pattern, path)))
            {
                let command = command(&row.run, row.shell, path);
                if !found.contains(&command) {
                    found.push(command);
                }
            }
        }
        found
    }

    /// The tests of changed files, each command once.
    pub(crate) fn tests_of(&self, paths: &[String]) -> Vec<Command> {
        let mut found: Vec<Command> = Vec::new();
        for row in &self.tests {
            let wanted =
                paths.iter().any(|path| row.when.iter().any(|pattern| fits(pattern, path)));
            let command = command(&row.run, row.shell, "");
            if wanted && !found.contains(&command) {
                found.push(command);
            }
        }
        found
    }
}

fn patterns(patterns: &[String]) -> Result<(), String> {
    if patterns.is_empty() {
        return Err("names nothing".to_owned());
    }
    let odd = |pattern: &&String| {
        let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
        pattern.split('/').any(|part| matches!(part, "" | "." | ".."))
    };
    match patterns.iter().find(odd) {
        Some(pattern) => Err(format!(
            "has `{pattern}`; write *.rs, src/** or docs/, from the top of the work tree"
        )),
        None => Ok(()),
    }
}

fn runs(run: &str) -> Result<(), String> {
    if run.contains(['\n', '\r', '\0']) {
        return Err("is one line".to_owned());
    }
    match split(run) {
        None => Err("has a quotation mark without its end".to_owned()),
        Some(words)
            if words.first().is_none_or(|program| program.is_empty() || program.contains(PATH)) =>
        {
            Err("names no program".to_owned())
        }
        Some(_) => Ok(()),
    }
}

/// The words of a command line. Quotation marks hold words together; nothing else is special.
fn split(run: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in run.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The command that a row makes for the file `path`. No path reads as an option, and none is
/// taken apart.
fn command(run: &str, shell: bool, path: &str) -> Command {
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let line = run.replace(PATH, &path);
    if shell {
        let words = ["sh", "-c", &run.replace(PATH, &quoted(&path))];
        return Command { line, words: words.map(str::to_owned).into(), shell };
    }
    let words = split(run).unwrap_or_default();
    let words = words.into_iter().map(|word| word.replace(PATH, &path)).collect();
    Command { line, words, shell }
}

/// One word of a shell, whatever it holds.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether `pattern` names the file `path`: a pattern without a slash by the file's name,
/// one with a slash at its end by the directory, any other from the top. `*` stands for
/// letters of one part, `**` for any number of parts.
fn fits(pattern: &str, path: &str) -> bool {
    if let Some(dir) = pattern.strip_suffix('/') {
        return path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    }
    if !pattern.contains('/') {
        return part_fits(pattern, path.rsplit('/').next().unwrap_or(path));
    }
    let (pattern, path): (Vec<&str>, Vec<&str>) =
        (pattern.split('/').collect(), path.split('/').collect());
    parts_fit(&pattern, &path)
}

/// Goes back to the last `**` where what follows does not fit: the time stays a product of
/// both lengths.
fn parts_fit(pattern: &[&str], path: &[&str]) -> bool {
    let (mut p, mut s, mut back) = (0, 0, None);
    while s < path.len() {
        if pattern.get(p) == Some(&"**") {
            back = Some((p, s));
            p += 1;
        } else if pattern.get(p).is_some_and(|part| part_fits(part, path[s])) {
            (p, s) = (p + 1, s + 1);
        } else if let Some((star, at)) = back {
            (p, s) = (star + 1, at + 1);
            back = Some((star, at + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|part| *part == "**")
}

fn part_fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_name_files() {
        let cases = [
            ("*.rs", "src/deep/lex.rs", true),
            ("*.rs", "lex.rs", true),
            ("*.rs", "lex.rst", false),
            ("Cargo.toml", "a/Cargo.toml", true),
            ("src/**", "src/a/b.c", true),
            ("src/**", "src", true),
            ("src/**", "source/a", false),
            ("src/**/*.rs", "src/lex.rs", true),
            ("src/**/*.rs", "src/a/b/lex.rs", true),
            ("src/**/*.rs", "src/a/b/lex.py", false),
            ("**/tests/*.py", "a/tests/x.py", true),
            ("**/a/**/b/c", "x/a/a/y/b/b/c", true),
            ("src/*.rs", "src/a/lex.rs", false),
            ("src/*", "src/lex.rs", true),
            ("docs/", "docs/a/b.md", true),
            ("docs/", "docs.md", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("a*a", "a", false),
        ];
        for (pattern, path, wanted) in cases {
            assert_eq!(fits(pattern, path), wanted, "{pattern} {path}");
        }
    }

    fn words(run: &str, shell: bool, path: &str) -> Vec<String> {
        command(run, shell, path).words
    }

    #[test]
    fn a_path_is_one_word_and_no_option() {
        let plain = |run: &str, path: &str| words(run, false, path);
        assert_eq!(plain("rustfmt --check {path}", "a b.rs"), ["rustfmt", "--check", "a b.rs"]);
        assert_eq!(plain("lint --file={path}", "$(x);'y"), ["lint", "--file=$(x);'y"]);
        assert_eq!(plain("lint {path}", "-rf"), ["lint", "./-rf"]);
        assert_eq!(plain("lint 'one word' \"\" x", ""), ["lint", "one word", "", "x"]);
        assert_eq!(
            words("cat {path} | wc", true, "it's $x"),
            ["sh", "-c", "cat 'it'\\''s $x' | wc"]
        );
        assert_eq!(command("lint {path}", false, "a.rs").line, "lint a.rs");
    }

    #[test]
    fn each_command_is_run_once() {
        let row = |files: &str, run: &str| Check {
            files: vec![files.into()],
            run: run.into(),
            shell: false,
        };
        let rows = vec![row("*.ts", "tsc --noEmit"), row("*.rs", "rustfmt --check {path}")];
        let tests =
            vec![Tests { when: vec!["src/".into()], run: "make test".into(), shell: false }];
        let commands = Commands::new(rows, tests).expect("they hold");
        let of = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let lines = |found: Vec<Command>| found.into_iter().map(|one| one.line).collect::<Vec<_>>();
        let found = lines(commands.checks_of(&of(&["a.ts", "b.ts", "c.rs", "d.rs", "e.py"])));
        assert_eq!(found, ["tsc --noEmit", "rustfmt --check c.rs", "rustfmt --check d.rs"]);
        assert_eq!(lines(commands.tests_of(&of(&["src/a", "src/b"]))), ["make test"]);
        assert!(commands.tests_of(&of(&["docs/a"])).is_empty());
    }

    #[test]
    fn what_is_wrong_with_a_row_is_said() {
        let said = |files: &[&str], run: &str| {
            let patterns: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let check = Check { files: patterns.clone(), run: run.into(), shell: false };
            let tests = Tests { when: patterns, run: run.into(), shell: false };
            let said = |done: Result<Commands, BadCommand>| done.err().map(|bad| bad.to_string());
            (said(Commands::new(vec![check], vec![])), said(Commands::new(vec![], vec![tests])))
        };
        let cases: [(&[&str], &str, &str); 7] = [
            (&[], "x", "names nothing"),
            (&["../x"], "x", "has `../x`"),
            (&["/etc/**"], "x", "has `/etc/**`"),
            (&["*"], "", "`run` names no program"),
            (&["*"], "{path} x", "`run` names no program"),
            (&["*"], "x 'y", "`run` has a quotation mark"),
            (&["*"], "x\ny", "`run` is one line"),
        ];
        for (files, run, expected) in cases {
            let (check, tests) = said(files, run);
            for said in [check, tests] {
                assert!(
                    said.as_ref().is_some_and(|said| said.contains(expected)),
                    "{run}: {said:?}"
                );
            }
        }
        let (check, tests) = said(&["*"], "x {path}");
        assert_eq!(check, None);
        assert_eq!(
            tests.as_deref(),
            Some("[[tests]] row 1: `run` has `{path}`; tests run for all that changed")
        );
    }

    proptest! {
        #[test]
        fn any_pattern_ends(pattern in "[a*/]{0,16}", path in "[a/]{0,16}") {
            let _ = fits(&pattern, &path);
        }

        #[test]
        fn any_line_splits_or_does_not(run in any::<String>(), path in any::<String>()) {
            if runs(&run).is_ok() {
                let program = words(&run, false, "").first().cloned();
                prop_assert_eq!(words(&run, false, &path).first().cloned(), program);
            }
        }
    }
}
