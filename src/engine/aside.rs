//! What a step writes of words: out of the chain, into the texts that the chain names.

use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::format::state::{self, BadState, State};
use crate::format::texts::{self, NewText, Stub, Written};
use crate::jobs::JobId;
use crate::store::{self, CommitId, NewStep, Store, TextsEdit, TreeEdit};
use crate::world;

/// Puts a stub in the place of each text that `edits` write, and gives the texts. `at` is the time
/// of the step.
pub(crate) fn take_out(
    store: &Store,
    id: &JobId,
    edits: &mut [TreeEdit],
    at: i64,
) -> Result<Vec<NewText>> {
    let mut out = Vec::new();
    for edit in edits {
        let TreeEdit::Put { path, bytes } = edit else { continue };
        if !names::is_text(path) || Stub::read(bytes).is_some() {
            continue;
        }
        let (stub, text) = taken_out(store, id, path, bytes, at)?;
        *bytes = stub;
        out.push(text);
    }
    Ok(out)
}

/// The same, where texts lie apart; in a repository of format 1 they stay where they are.
pub(crate) fn taken_by(repo: &Repo, id: &JobId, edits: &mut [TreeEdit]) -> Result<Vec<NewText>> {
    if !repo.keeps_texts_apart()? {
        return Ok(Vec::new());
    }
    take_out(&repo.store, id, edits, repo.now)
}

/// The stub of the text at `path`, and the text.
pub(crate) fn taken_out(
    store: &Store,
    id: &JobId,
    path: &str,
    file: &[u8],
    at: i64,
) -> Result<(Vec<u8>, NewText)> {
    let (mut head, text) = texts::apart(path, file, at);
    let by_day = store.dates_by_the_day();
    // How long a journal is tells how much was done.
    let words = if by_day && texts::is_deflated(path) {
        0
    } else {
        text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
    };
    let mut salted = format!("{id}/{path}\n").into_bytes();
    salted.extend_from_slice(text);
    let salt = world::new_salt(&salted)?;
    let new = if texts::is_deflated(path) {
        NewText::new(&salt, &store::deflated(text)?)
    } else {
        NewText::new(&salt, text)
    };
    if let Some(said) = head.get("at").and_then(toml::Value::as_integer).filter(|_| by_day) {
        store.keep_moment(&new.key, said)?;
        head.insert("at".to_owned(), store.dated(said).into());
    }
    let stub = Stub { head, words: words as u64, key: new.key.clone() };
    Ok((stub.write().into_bytes(), new))
}

/// Adds a step to the chain of the job `id`, and before it the texts that the step names. What a
/// killed step left there goes with it.
pub(crate) fn append(
    repo: &Repo,
    id: &JobId,
    after: Option<&CommitId>,
    step: &NewStep<'_>,
    new: &[NewText],
) -> Result<CommitId> {
    let chain = names::job_chain(id);
    if new.is_empty() {
        return Ok(repo.store.append(&chain, after, step.edits, step.message, step.at)?);
    }
    let said = Written {
        job: id.to_string(),
        after: after.map(ToString::to_string).unwrap_or_default(),
        op: last_op(repo)?,
        of_record: false,
        keys: new.iter().map(|text| text.key.clone()).collect(),
    };
    let drop = left_behind(repo)?;
    let edit = TextsEdit { job: id.as_str(), add: new, drop: &drop, said: Some(said) };
    Ok(repo.store.append_with_texts(&chain, after, step, &edit)?)
}

/// Puts the text that a record of the job names beside its others. The record goes on top of
/// `after` next, under the same lock.
pub(crate) fn before_record(
    repo: &Repo,
    job: &str,
    new: &NewText,
    after: Option<&CommitId>,
) -> Result<()> {
    let said = Written {
        job: job.to_owned(),
        after: after.map(ToString::to_string).unwrap_or_default(),
        op: last_op(repo)?,
        of_record: true,
        keys: vec![new.key.clone()],
    };
    let drop = left_behind(repo)?;
    let add = std::slice::from_ref(new);
    Ok(repo.store.edit_texts(&TextsEdit { job, add, drop: &drop, said: Some(said) }, repo.now)?)
}

/// The last operation. Nothing where none is written down.
fn last_op(repo: &Repo) -> Result<String> {
    Ok(repo.store.stands_at(names::OPS)?.map(|at| at.to_string()).unwrap_or_default())
}

/// The places of texts whose step or record never came: the newest write says where the chain
/// stood before it, and it stands there still.
fn left_behind(repo: &Repo) -> Result<Vec<String>> {
    let Some(message) = repo.store.texts_message()? else { return Ok(Vec::new()) };
    let Some(last) = Written::read(&message) else { return Ok(Vec::new()) };
    // Of a job that this git seed cannot name nothing is known to be left.
    let Ok(id) = last.job.parse::<JobId>() else { return Ok(Vec::new()) };
    let chain = if last.of_record { names::CLAIMS.to_owned() } else { names::job_chain(&id) };
    let stands = repo.store.stands_at(&chain)?;
    let stands = stands.map(|at| at.to_string()).unwrap_or_default();
    let places = || last.keys.iter().map(|key| texts::place(&id, key)).collect();
    if last.of_record {
        return Ok(if stands == last.after { places() } else { Vec::new() });
    }
    // A job that has no ref was never born, or was taken back since: that is an operation.
    if stands != last.after || stands.is_empty() && last.op != last_op(repo)? {
        return Ok(Vec::new());
    }
    if stands.is_empty() && repo.archived_row(&id)?.is_some() {
        return Ok(Vec::new());
    }
    Ok(places())
}

/// A `job.toml` as it travels, and what would make it too long. A name that is the head of a prompt
/// is not in it where texts lie apart.
pub(crate) fn written(
    repo: &Repo,
    state: &State,
) -> Result<std::result::Result<(String, Option<String>), BadState>> {
    let mut kept = state.clone();
    kept.format = repo.format_to_write()?;
    if repo.keeps_texts_apart()? {
        kept.job.name = state.job.kept_name();
    }
    repo.store.keep_exact(&mut kept)?;
    Ok(state::write_short(&kept))
}
