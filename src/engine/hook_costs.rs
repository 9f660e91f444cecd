//! What git hooks of the person's make of a phase commit: whether their commit-msg hook takes the
//! message, and what they cost at each boundary.
//!
//! A commit-msg hook is tried, since it sees a message and nothing else. Any other may change
//! files, so of those the last phase commit tells.

use crate::engine::finding::Finding;
use crate::engine::hook_times;
use crate::engine::repo::Repo;
use crate::format::shown;
use crate::format::trailers::{self, StepTrailers};
use crate::githooks::{self, Record, Trial};
use crate::phases::commit_text::{Form, commit_text};
use crate::phases::message::Message;
use crate::voice::{Found, Notice, tell};

/// A message of observe, as an agent sends it.
const SENT: &str =
    "settle how quoted strings lex\n\n## What I Observed\n\nThe lexer drops escapes.\n";
/// The most characters of what a hook said.
const SAID: usize = 160;

/// Asks the person's commit-msg hook about a message as the rules of this clone write it.
pub(crate) fn try_message(repo: &Repo, record: &Record) -> std::result::Result<Trial, String> {
    let trial = githooks::try_commit_msg(&repo.hook_repo(), Some(record), &message(repo));
    trial.map_err(|error| error.to_string())
}

fn message(repo: &Repo) -> String {
    let signs = repo.store.comment_signs();
    let template = &repo.rules.subject;
    let form = Form { template, phase: "observe", fallback: "observe", signs: &signs };
    let text = commit_text(&Message::new(SENT), &form);
    let (job, id) = ("20261121t205612-7f3a".to_owned(), "3f9c2d1a0b77".to_owned());
    let (phase, step) = ("observe".to_owned(), "observe -> plan".to_owned());
    let step = StepTrailers { job, run: 1, cycle: 1, phase, step, id, ..StepTrailers::default() };
    trailers::append(&text, &step)
}

/// What the trial showed, for a person; whether the hook takes the message.
pub(crate) fn told(repo: &Repo, trial: &Trial) -> (bool, String) {
    if trial.accepted {
        return (true, tell(Notice::TrialAccepts, &[("ms", &trial.took_ms.to_string())]));
    }
    let example = "[commit] subject = \"chore({phase}): {subject}\"";
    let refused = message(repo);
    // A message has a first line.
    let subject = refused.lines().next().unwrap_or_default();
    let said = trial.output.lines().map(str::trim).find(|line| !line.is_empty());
    let said: String = shown::on_one_line(said.unwrap_or_default()).chars().take(SAID).collect();
    let facts = [("example", example), ("subject", subject), ("said", &*said)];
    (false, tell(Notice::TrialRefuses, &facts))
}

/// The person's hooks that run at each boundary, and what they took in the last one; nothing where
/// there are none.
pub(crate) fn cost(repo: &Repo, record: &Record) -> Option<String> {
    let names = githooks::at_each_commit(&repo.hook_repo(), record);
    if names.is_empty() {
        return None;
    }
    // Where the figures do not read, the next commit writes them anew.
    let last = hook_times::read(repo).ok().flatten().unwrap_or_default();
    let took = last.hook.iter().filter(|one| names.contains(&one.name));
    let took: Vec<String> = took.map(|one| format!("{} {} ms", one.name, one.ms)).collect();
    let told = if took.is_empty() { Notice::HooksCostUnknown } else { Notice::HooksCost };
    let (names, took) = (names.join(", "), took.join(", "));
    Some(tell(told, &[("names", &names), ("took", &took)]))
}

/// What `doctor` says of it. The hook is the repository's own code, so only a person has it tried.
pub(crate) fn findings(repo: &Repo, record: &Record) -> Vec<Finding> {
    let mut found = Vec::new();
    let names = githooks::at_each_commit(&repo.hook_repo(), record);
    if names.iter().any(|name| name == "commit-msg") {
        found.push(if repo.is_person().is_err() {
            Finding::of(Found::CommitMsgUntried, &[])
        } else {
            match try_message(repo, record) {
                Ok(trial) => {
                    let (accepted, said) = told(repo, &trial);
                    let key =
                        if accepted { Found::CommitMsgAccepts } else { Found::CommitMsgRefuses };
                    Finding::of(key, &[("said", &said)])
                }
                Err(why) => Finding::trouble(Found::CommitMsgTrouble, &why),
            }
        });
    }
    found.extend(cost(repo, record).map(|said| Finding::of(Found::HooksCost, &[("said", &said)])));
    found
}
