//! The words of a phase commit, and another form of its subject where a hook of the person's wants
//! one.
//!
//! The rules say how a subject is written. Where the commit-msg hook takes none like it, the forms
//! that people use here are put before that hook, and the first one that it takes is used from then
//! on: rules are a person's to apply, and the work does not wait for that. Words of the agent that
//! stand alone are among these forms, so it can always write what the hook asks for.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::landing::trailers::own_trailers;
use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::format::state::State;
use crate::format::trailers::{self, StepTrailers};
use crate::jobs::landing::{self, Style};
use crate::jobs::wording::SubjectForm;
use crate::phases::commit_text::{Form, commit_text};
use crate::phases::message::Message;
use crate::store::{CommitFailed, Made};
use crate::world;

/// So many forms are put before a hook: one may take a second to answer.
const TRIED: usize = 8;

/// What a phase commit is to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worded<'a> {
    pub state: &'a State,
    /// It is no end of a phase.
    pub checkpoint: bool,
    pub message: &'a Message,
    /// Files that hold changes of the person's, too.
    pub mixed: &'a [String],
    pub step: &'a StepTrailers,
}

/// A form that the hook took, as long as the rules want what it refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Taken {
    instead_of: String,
    form: SubjectForm,
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("subject.toml")
}

/// What the work of a cycle is called where its message does not say it: each cycle otherwise.
pub(crate) fn called(name: &str, cycle: u32) -> String {
    match cycle {
        0 | 1 => name.to_owned(),
        cycle => format!("{name} (cycle {cycle})"),
    }
}

/// The form that the rules say, or the one that the hook took in its place.
///
/// # Errors
///
/// What was kept of that does not read.
pub(crate) fn in_use(repo: &Repo) -> Result<SubjectForm> {
    let taken: Option<Taken> = own_state::from_toml(&file(repo))?;
    let ours = &repo.rules.subject;
    let taken = taken.filter(|taken| taken.instead_of == *ours).map(|taken| taken.form);
    Ok(taken.unwrap_or_else(|| SubjectForm { template: ours.clone(), large: None }))
}

/// Whether the hook that judges messages refused the commit.
pub(crate) fn is_about_words(made: &std::result::Result<Made, CommitFailed>) -> bool {
    matches!(made, Err(CommitFailed::Refused { by_hook: Some(hook), .. }) if hook == "commit-msg")
}

/// The message in the first form that the hook takes, where it took not the one in `refused`.
///
/// # Errors
///
/// The hook does not start, or what it took cannot be kept.
pub(crate) fn another(
    repo: &Repo,
    worded: &Worded<'_>,
    refused: &str,
    pending: &str,
) -> Result<Option<String>> {
    let head = repo.store.head()?.commit;
    let said = head.map(|head| repo.store.own_subjects(&head, landing::SUBJECTS)).transpose()?;
    let style = Style::learned(said.iter().flatten().map(String::as_str));
    let (job, home) = (&worded.state.job, &worded.state.home);
    let own = worded.message.subject().unwrap_or_default();
    let forms = style.forms(own, &[&home.branch, &job.name, &job.objective]);
    let texts = forms.into_iter().map(|form| (worded.text(repo, &form), form));
    for (text, form) in texts.filter(|(text, _)| text != refused).take(TRIED) {
        // What it makes of the message is made again as git commits.
        if repo.store.through_commit_msg(&text, pending)?.is_ok() {
            let taken = Taken { instead_of: repo.rules.subject.clone(), form };
            // Words that fit by chance are no form.
            if taken.form.template.contains("{phase}") {
                world::write_whole(&file(repo), toml::to_string(&taken)?.as_bytes())?;
            }
            return Ok(Some(text));
        }
    }
    Ok(None)
}

impl Worded<'_> {
    /// The message of the commit, with its trailers.
    pub(crate) fn text(&self, repo: &Repo, form: &SubjectForm) -> String {
        let signs = repo.store.comment_signs();
        let template = if self.checkpoint && !form.is_bare() {
            form.template.replace("{subject}", "[intermediate] {subject}")
        } else {
            form.template.clone()
        };
        let phase = self.state.stand.phase.as_str();
        let fallback = &called(&self.state.job.kept_name(), self.state.stand.cycle);
        let written = Form { template: &template, phase, fallback, signs: &signs };
        let text = form.cased(&commit_text(self.message, &written), &template, phase);
        let text = trailers::with_own(&text, &own_trailers(repo));
        let text = trailers::append(&text, self.step);
        if self.mixed.is_empty() {
            return text;
        }
        let mixed: Vec<String> =
            self.mixed.iter().map(|path| format!("Seed-Mixed: {path}")).collect();
        format!("{text}{}\n", mixed.join("\n"))
    }
}
