//! Criteria that a message says are met, and the runs that stand behind them. Pure.

/// A criterion that is said to be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Criterion {
    /// Its line, without the sign of a list.
    pub text: String,
    /// What stands in backticks there.
    pub quoted: Vec<String>,
}

/// The last run of a command on the work as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub command: String,
    /// It ended with 0, and nothing hides that.
    pub passed: bool,
    /// It is known as a run of tests.
    pub test: bool,
}

/// Why a criterion does not count as met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unshown {
    /// Nothing ran on the work as it is.
    Nothing { criterion: String },
    /// The command that it names did not run, or did not end well.
    Command { criterion: String, command: String },
    /// The last run of tests failed.
    Failing { command: String },
}

/// Words and signs of a criterion that is met, and of one that is not.
const MET: [&str; 16] = [
    "[x]",
    "pass",
    "passes",
    "passed",
    "met",
    "ok",
    "holds",
    "works",
    "succeeds",
    "succeeded",
    "yes",
    "green",
    "done",
    "fulfilled",
    "true",
    "satisfied",
];
const UNMET: [&str; 22] = [
    "fail",
    "fails",
    "failed",
    "failing",
    "not",
    "never",
    "no",
    "unproven",
    "unmet",
    "unverified",
    "untested",
    "unchecked",
    "skipped",
    "open",
    "missing",
    "partly",
    "partial",
    "blocked",
    "pending",
    "red",
    "unknown",
    "cannot",
];
const SIGNS: [char; 3] = ['✓', '✔', '✅'];
const CROSSES: [char; 4] = ['✗', '✘', '❌', '✖'];

/// The criteria of a section that are said to be met. Code blocks are none.
pub(crate) fn met(section: &str) -> Vec<Criterion> {
    let mut code = false;
    let mut met = Vec::new();
    for line in section.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            code = !code;
        } else if !code && is_met(line) {
            met.push(Criterion { text: shown(line).to_owned(), quoted: quoted(line) });
        }
    }
    met
}

/// What stands in backticks says nothing about the criterion itself.
fn is_met(line: &str) -> bool {
    let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    // A box or a check mark that begins the line says it, whatever the criterion is about.
    let lead = plain.trim_start_matches(|c: char| c.is_ascii_digit() || " |>*+-.)(".contains(c));
    if lead.starts_with("[x]") || lead.starts_with(SIGNS) {
        return true;
    }
    let open = plain.contains("[ ]") || plain.contains("n't") || plain.contains(CROSSES);
    let words = |known: &[&str]| {
        plain
            .split(|char: char| !(char.is_alphanumeric() || matches!(char, '[' | ']')))
            .any(|word| known.contains(&word))
    };
    !open && !words(&UNMET) && (words(&MET) || plain.contains(SIGNS))
}

/// The line without the sign of a list or a table.
fn shown(line: &str) -> &str {
    let line = line.trim_matches(|char: char| matches!(char, '|' | '-' | '*' | '+' | ' '));
    line.strip_prefix("[x]").or_else(|| line.strip_prefix("[X]")).unwrap_or(line).trim()
}

fn quoted(line: &str) -> Vec<String> {
    line.split('`')
        .skip(1)
        .step_by(2)
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Checks the criteria of a section against the runs, which come oldest first; `is_run` says
/// whether a quotation is a command that runs code.
pub(crate) fn check(
    section: &str,
    runs: &[Shown],
    is_run: impl Fn(&str) -> bool,
) -> Result<(), Unshown> {
    let met = met(section);
    for criterion in &met {
        for command in criterion.quoted.iter().filter(|text| is_run(text)) {
            let last = runs.iter().rev().find(|run| is_same(&run.command, command));
            if !last.is_some_and(|run| run.passed) {
                let (criterion, command) = (criterion.text.clone(), command.clone());
                return Err(Unshown::Command { criterion, command });
            }
        }
    }
    let Some(first) = met.first() else { return Ok(()) };
    if let Some(run) = runs.iter().rev().find(|run| run.test).filter(|run| !run.passed) {
        return Err(Unshown::Failing { command: run.command.clone() });
    }
    if runs.iter().any(|run| run.passed) {
        return Ok(());
    }
    Err(Unshown::Nothing { criterion: first.text.clone() })
}

/// The same command, also behind a `cd` or confined.
fn is_same(ran: &str, named: &str) -> bool {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (ran, named) = (words(ran), words(named));
    let behind = ran.strip_suffix(&named).map(str::trim_end);
    behind.is_some_and(|lead| lead.is_empty() || lead.ends_with("&&") || lead.ends_with("--"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_says_whether_its_criterion_is_met() {
        for (line, met) in [
            ("- [x] escapes survive", true),
            ("- [X] escapes survive", true),
            ("* ✓ escapes survive", true),
            ("1. escapes survive: pass", true),
            ("| escapes survive | PASSED |", true),
            ("escapes survive: yes (`cargo test lex`)", true),
            ("- [x] the parser does not fail on no input", true),
            ("  * [X] missing escapes are never open", true),
            ("1) ✅ it doesn't crash", true),
            ("> - [x] no panic", true),
            ("| ✓ | not a panic |", true),
            ("- [ ] it does not fail: pass", false),
            ("- [ ] escapes survive", false),
            ("- escapes survive: FAIL", false),
            ("- escapes survive: not shown, pass later", false),
            ("- it doesn't pass", false),
            ("- ❌ escapes pass", false),
            ("- escapes survive", false),
            ("- escapes survive: `pass`", false),
            ("- passport numbers", false),
            ("", false),
        ] {
            assert_eq!(!super::met(line).is_empty(), met, "{line}");
        }
        assert!(met("```\n- [x] a\n```\n").is_empty(), "code");
        assert_eq!(met("- [x] a: `cargo test`")[0].text, "a: `cargo test`");
    }

    fn run(command: &str, passed: bool) -> Shown {
        Shown { command: command.to_owned(), passed, test: command.contains("test") }
    }

    #[test]
    fn what_is_met_was_seen_to_run() {
        let is_run = |text: &str| text.starts_with("cargo") || text.starts_with("python3");
        let section = "- [x] escapes survive\n- [ ] numbers";
        let told = |section: &str, runs: &[Shown]| check(section, runs, is_run);
        assert_eq!(told(section, &[run("cargo test", true)]), Ok(()));
        assert_eq!(told(section, &[run("python3 show.py", true)]), Ok(()));
        assert!(matches!(told(section, &[]),
                Err(Unshown::Nothing { criterion }) if criterion == "escapes survive"));
        assert!(matches!(told(section, &[run("cargo test", false)]), Err(Unshown::Failing { .. })));
        assert_eq!(told(section, &[run("cargo test a", false), run("cargo test", true)]), Ok(()));
        let later = [run("cargo test", true), run("cargo test a", false)];
        assert!(matches!(told(section, &later),
                Err(Unshown::Failing { command }) if command == "cargo test a"));
        assert_eq!(told("- [ ] escapes survive", &[]), Ok(()), "nothing is said to be met");
        let named = "- [x] escapes survive: `cargo test lex`";
        assert!(matches!(told(named, &[run("cargo test", true)]), Err(Unshown::Command { .. })));
        for command in
            ["cargo test lex", "cd a && cargo  test lex", "git seed exec -- cargo test lex"]
        {
            assert_eq!(told(named, &[run(command, true)]), Ok(()), "{command}");
        }
        assert!(told(named, &[run("echo cargo test lex", true)]).is_err());
        assert_eq!(
            told("- [x] `lex()` keeps them", &[run("cargo test", true)]),
            Ok(()),
            "no command"
        );
    }

    proptest! {
        #[test]
        fn any_section_is_read(text in "(?s).{0,300}") {
            let _ = check(&text, &[], |_| true);
        }
    }
}
