//! What a person said to a job: kept with the job, in full or by hash, as the rules want it.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::texts::{Entry, Of};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::interaction::{self, Interaction};
use crate::format::names;
use crate::format::state::State;
use crate::jobs::routing::InteractionKind;
use crate::jobs::summary;
use crate::rules::Prompts;
use crate::secrets::Masked;
use crate::store::TreeEdit;

/// What a job keeps of a prompt.
pub(crate) fn kept_of(repo: &Repo, text: &str) -> Masked {
    let masked = Masked::new(text);
    match repo.rules.prompts {
        Prompts::Text => masked,
        Prompts::Hash => Masked::new(&interaction::unworded(&masked)),
    }
}

/// How a step of `chain` treats the journal of this worktree: it belongs to the focused job.
pub(crate) fn fold_for(repo: &Repo, chain: &str) -> Result<Journaling> {
    Ok(if repo.store.focus()?.as_deref() == Some(chain) {
        Journaling::Read
    } else {
        Journaling::Skip
    })
}

/// Adds words to a job's standing instruction.
pub(crate) fn add_interaction(
    repo: &Repo,
    chain: &str,
    kind: InteractionKind,
    text: &str,
    word: Sender,
    subject: &str,
) -> Result<()> {
    keep_words(repo, chain, &Said { kind, text, sender: word, subject }, |_| {})
}

/// Words to a job, and whoever said them.
pub(crate) struct Said<'a> {
    pub(crate) kind: InteractionKind,
    pub(crate) text: &'a str,
    pub(crate) sender: Sender,
    /// What the step that keeps them says of itself.
    pub(crate) subject: &'a str,
}

/// Keeps words with a job; the step that does so makes a further change of its state.
pub(crate) fn keep_words(
    repo: &Repo,
    chain: &str,
    said: &Said<'_>,
    mut also: impl FnMut(&mut State),
) -> Result<()> {
    let Said { kind, text, sender, subject } = *said;
    let by = if sender.is_somebody() { By::Person } else { By::Hook };
    let text =
        if kind == InteractionKind::Question { Masked::new(text) } else { kept_of(repo, text) };
    let interaction =
        Interaction { kind, at: repo.now, provenance: sender.text().to_owned(), text };
    let step = record::step::step(repo, chain, fold_for(repo, chain)?, |state, _| {
        also(state);
        if kind == InteractionKind::Prompt && sender.is_persons() {
            state.own_taken = 0;
        }
        let n = state.job.interactions + 1;
        state.job.interactions = n;
        if !state.is_closing() {
            // What is said to a closing job bears the next one.
            state.summed.heard(n, summary::words_said(&interaction.text), repo.rules.summary);
        }
        let bytes = interaction.write().into_bytes();
        let put = TreeEdit::Put { path: names::interaction(n), bytes };
        Ok(Ok(StepDraft::new(state, kind.word(), subject, by).with(put)))
    })?;
    debug_assert!(step.is_ok(), "words are never refused");
    Ok(())
}

/// The `n`-th words that a job keeps; absent where they do not read.
pub(crate) fn interaction(repo: &Repo, chain: &str, n: u32) -> Result<Option<Interaction>> {
    let Some((tip, id)) = repo.store.tip(chain)?.zip(names::job_of(chain)) else {
        return Ok(None);
    };
    let entry = repo.entry(Of { id: &id, tip: &tip }, n)?;
    Ok(entry.filter(|entry| entry.gone.is_none()).map(|entry| entry.said))
}

/// The person's last prompt is a question to the agent; what it asked back meanwhile is not one.
pub(crate) fn only_asked(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    for n in (1..=focused.state.job.interactions).rev() {
        let Some(Entry { said, gone, .. }) = repo.counted_entry(focused, n)? else { continue };
        if said.kind == InteractionKind::Question && gone.is_some() {
            // What it said is not here: it may have been an answer.
            continue;
        }
        if said.kind != InteractionKind::Question || !said.text.contains(summary::ANSWER) {
            return Ok(said.kind == InteractionKind::Question);
        }
    }
    Ok(false)
}

/// The number at the end of a trace file's name.
pub(crate) fn trace_number(name: &str) -> u32 {
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    stem.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}
