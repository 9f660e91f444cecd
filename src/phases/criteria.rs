//! Criteria of a contract, what a message answers to each of them, and the runs behind that. Pure.
//!
//! A contract is the list below a title of an earlier message and of the plan document. Each of
//! its criteria is answered as met, not met or not shown; what is said to be met needs a run that
//! was seen, or a person's word.

mod answer;
mod contract;

pub(crate) use answer::{Answer, Answered, answers};
pub(crate) use contract::{contract, quoted_by, wholly_below};

use std::fmt;

use super::gates::Instead;
use super::message::Message;
use crate::shell::{self, Effect, Tag};

/// One criterion of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// Its words on one line, without the sign of a list.
    pub text: String,
    /// Its number, where its list is numbered.
    pub number: Option<String>,
    /// What stands in backticks or brackets there, and where the contract says how it is tested.
    pub named: Vec<String>,
}

/// The last run of a command in this stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub command: String,
    /// It ended with 0, nothing hides that, and it tested something.
    pub passed: bool,
    /// How it ended is known.
    pub heard: bool,
    /// The row that knows it as a run of tests.
    pub run: Option<String>,
    /// It was all of the tests.
    pub whole: bool,
    /// Nothing of the work changed since.
    pub fresh: bool,
}

/// What a message is held against.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub contract: &'a [Criterion],
    /// Runs of this stay, oldest first.
    pub shown: &'a [Shown],
    /// Whether a person counts a criterion as met, by its [`key`].
    pub by_word: &'a dyn Fn(&str) -> bool,
    /// The row that knows a command as a run of tests.
    pub row_of: &'a dyn Fn(&str) -> Option<String>,
    /// Whether words speak of all tests, so that a part of them shows nothing.
    pub speaks_of_all: &'a dyn Fn(&str) -> bool,
    /// Whether a command may show what words say, where no test can.
    pub may_show: &'a dyn Fn(&str, &str) -> bool,
    /// What stands for tests, where none could show the work.
    pub instead: Option<&'a Instead>,
}

impl Default for Ground<'_> {
    fn default() -> Self {
        Self {
            contract: &[],
            shown: &[],
            by_word: &|_| false,
            row_of: &|_| None,
            speaks_of_all: &|_| false,
            may_show: &|_, _| true,
            instead: None,
        }
    }
}

impl fmt::Debug for Ground<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Ground").field(&self.contract).field(&self.shown).finish()
    }
}

/// Why a message about criteria does not lead on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A criterion has no answer.
    Unanswered { criterion: String },
    /// A criterion is not met.
    Unmet { criterion: String },
    /// None is met.
    NoneMet,
    /// Nothing known as a run of tests passed on the work as it is.
    Nothing { criterion: String },
    /// It speaks of all tests, and only a part of them ran.
    Part { criterion: String },
    /// The command that it names did not run, or did not end well.
    Command { criterion: String, command: String },
    /// The last run of tests failed.
    Failing { command: String },
    /// It is not shown, and the run that was named for it was not tried.
    Untried { criterion: String, command: String },
    /// Nothing has looked at this file since it changed, where a look is what shows the work.
    Unlooked { path: String, gone: bool },
    /// No test can run, and no command that ran is named for it, or nobody is told that none ran.
    Untestable { criterion: String, why: String },
}

/// The name of a criterion in state: its words, however they are spaced and marked.
pub(crate) fn key(criterion: &str) -> String {
    answer::words(criterion).join(" ")
}

/// Checks what `message` answers, also below `section` to what no contract names.
pub(crate) fn check(message: &Message, section: &str, ground: &Ground<'_>) -> Result<(), Lack> {
    let answered = answers(message, section, ground.contract);
    let brief = |text: &str| brief(text);
    for (n, criterion) in ground.contract.iter().enumerate() {
        if !answered.iter().any(|one| one.of == Some(n)) {
            return Err(Lack::Unanswered { criterion: brief(&criterion.text) });
        }
    }
    if let Some(bad) = answered.iter().find(|one| one.answer == Answer::NotMet) {
        return Err(Lack::Unmet { criterion: brief(&bad.text) });
    }
    let of_contract = |one: &&Answered| one.of.is_some() || ground.contract.is_empty();
    let mut of_contract = answered.iter().filter(of_contract);
    if !of_contract.clone().any(|one| one.answer == Answer::Met) {
        // Where no test can run, that may be all there is to say.
        match (ground.instead, of_contract.next()) {
            (Some(Instead::Word { said: true, .. }), Some(_)) => {}
            (Some(Instead::Word { why, .. }), Some(one)) => return Err(untestable(one, why)),
            _ => return Err(Lack::NoneMet),
        }
    }
    for one in &answered {
        let criterion = one.of.map(|n| &ground.contract[n]);
        match one.answer {
            Answer::Met => is_shown(one, criterion, ground)?,
            Answer::NotShown => was_tried(one, criterion, ground)?,
            Answer::NotMet => {}
        }
    }
    Ok(())
}

/// What is said to be met was seen, or a person said so.
fn is_shown(
    one: &Answered,
    criterion: Option<&Criterion>,
    ground: &Ground<'_>,
) -> Result<(), Lack> {
    let full = criterion.map_or(one.text.as_str(), |criterion| criterion.text.as_str());
    if (ground.by_word)(&key(full)) {
        return Ok(());
    }
    let fresh = || ground.shown.iter().filter(|run| run.fresh);
    let passes = |command: &str| {
        let last = fresh().rev().find(|run| is_same(&run.command, command));
        // All tests of a runner hold any part of them.
        let row = (ground.row_of)(command);
        let whole = |run: &Shown| run.passed && run.whole && row.is_some() && run.run == row;
        last.map_or_else(|| fresh().any(whole), |run| run.passed)
    };
    let named = named(one, criterion, ground);
    if let Some(command) = named.iter().find(|command| !passes(command)) {
        let (criterion, command) = (brief(&one.text), (*command).clone());
        return Err(Lack::Command { criterion, command });
    }
    let tests = || fresh().filter(|run| run.run.is_some());
    if let Some(run) = tests().next_back().filter(|run| run.heard && !run.passed) {
        return Err(Lack::Failing { command: run.command.clone() });
    }
    let criterion = brief(&one.text);
    let all = (ground.speaks_of_all)(full) || (ground.speaks_of_all)(&one.text);
    let may_show = |command: &&String| (ground.may_show)(command, full);
    if !tests().any(|run| run.passed) {
        return match ground.instead {
            Some(Instead::Seen) if !all => Ok(()),
            Some(Instead::Word { said: true, .. }) if named.iter().any(may_show) => Ok(()),
            Some(Instead::Word { why, .. }) => Err(untestable(one, why)),
            Some(Instead::Look { path, gone }) => {
                Err(Lack::Unlooked { path: path.clone(), gone: *gone })
            }
            Some(Instead::Seen) | None => Err(Lack::Nothing { criterion }),
        };
    }
    if all && !tests().any(|run| run.passed && run.whole) {
        return Err(Lack::Part { criterion });
    }
    Ok(())
}

fn untestable(one: &Answered, why: &str) -> Lack {
    Lack::Untestable { criterion: brief(&one.text), why: why.to_owned() }
}

/// The run that was named for what is not shown was tried in this stay.
fn was_tried(
    one: &Answered,
    criterion: Option<&Criterion>,
    ground: &Ground<'_>,
) -> Result<(), Lack> {
    let tried = |command: &str| {
        let row = (ground.row_of)(command);
        let whole = |run: &Shown| run.whole && row.is_some() && run.run == row;
        ground.shown.iter().any(|run| is_same(&run.command, command) || whole(run))
    };
    match named(one, criterion, ground).into_iter().find(|command| !tried(command)) {
        Some(command) => {
            let (criterion, command) = (brief(&one.text), command.clone());
            Err(Lack::Untried { criterion, command })
        }
        None => Ok(()),
    }
}

/// The commands that an answer and its criterion name.
fn named<'a>(
    one: &'a Answered,
    criterion: Option<&'a Criterion>,
    ground: &Ground<'_>,
) -> Vec<&'a String> {
    let of_contract = criterion.into_iter().flat_map(|criterion| &criterion.named);
    let is_run = |text: &&String| runs_code(text) || (ground.row_of)(text).is_some();
    one.named.iter().chain(of_contract).filter(is_run).collect()
}

/// A quotation that is a command, and not a name or a value.
fn runs_code(text: &str) -> bool {
    let reading = shell::read(text);
    text.contains(' ') && (reading.is(Tag::Test) || reading.worst() == Effect::RunsCode)
}

/// The same command, also behind a `cd` or confined.
fn is_same(ran: &str, named: &str) -> bool {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (ran, named) = (words(ran), words(named));
    let behind = ran.strip_suffix(&named).map(str::trim_end);
    behind.is_some_and(|lead| lead.is_empty() || lead.ends_with("&&") || lead.ends_with("--"))
}

/// The head of a criterion, as a refusal quotes it.
fn brief(text: &str) -> String {
    const WORDS: usize = 10;
    let words: Vec<&str> = text.split_whitespace().collect();
    let head = words[..words.len().min(WORDS)].join(" ");
    if words.len() > WORDS { format!("{head} …") } else { head }
}

#[cfg(test)]
mod tests;
