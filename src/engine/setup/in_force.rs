//! Puts rules into force: those that the work tree proposes, and single keys that `init` is asked
//! for, in a text of which every other byte stays.

use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::setup::own_record::{Told, read_if_there};
use crate::engine::{claims, jobs, record, sync};
use crate::format::names;
use crate::jobs::mode::Mode;
use crate::rules::{BadRules, Rules};
use crate::voice::{Notice, tell};

/// The rules that the work tree proposes.
pub(crate) fn proposed_rules(repo: &Repo) -> Result<String> {
    let file = repo.store.work_tree().join("seed.toml");
    read_if_there(&file)?.ok_or(EngineError::NoProposal)
}

/// The rules that a sync brought from `remote`.
pub(crate) fn fetched_rules(repo: &Repo, remote: &str) -> Result<String> {
    let not_yet = || EngineError::not_now(Notice::RulesNoneFetched, &[("remote", remote)]);
    let none = || sync::remote::which(repo, Some(remote)).err().unwrap_or_else(not_yet);
    let name = names::fetched(remote, names::RULES);
    let tip = repo.store.tip(&name)?.ok_or_else(none)?;
    let bytes = repo.store.file(&tip, "seed.toml")?.ok_or_else(none)?;
    String::from_utf8(bytes).map_err(|bad| EngineError::Proposal(format!("{name}: {bad}")))
}

/// Checks rules that the work tree proposes.
pub(crate) fn check_rules(text: &str) -> Result<()> {
    let sound = Rules::with(text);
    sound.map(drop).map_err(|bad| EngineError::Proposal(bad.told("seed.toml", text)))
}

/// Puts rules into force, if they are sound.
///
/// # Errors
///
/// The rules are not sound; then those that were in force stay. Or the ref cannot be moved.
pub fn apply_rules(repo: &Repo, text: &str) -> Result<()> {
    check_rules(text)?;
    // A job that is open does not go on where the new mode keeps none.
    let mode = Rules::with(text).map_or(repo.rules.mode, |rules| rules.mode);
    jobs::modes::rest_for(repo, mode)?;
    let _lock = repo.store.lock()?;
    record::rules::record(repo, text, record::rules::APPLIED)?;
    claims::checkers::remember_applied(repo, text)
}

/// Puts the track of all jobs into force; the other rules that are in force stay.
pub(crate) fn apply_usual_track(repo: &Repo, track: &str) -> Result<Vec<Told>> {
    let _lock = repo.store.lock()?;
    let applied = repo.applied_rules()?;
    let before = applied.clone().unwrap_or_default();
    let bad = |bad: BadRules| EngineError::Proposal(bad.told("the applied rules", &before));
    let now = if applied.is_none() { Rules::shipped() } else { Rules::with(&before) };
    let is_so = now.map_err(bad)?.usual_track() == track;
    let what = format!("default = \"{track}\"");
    if is_so {
        return Ok(vec![Told::new("left", what, tell(Notice::TrackSaysSo, &[]))]);
    }
    let text = Rules::with_usual_track(&before, track).map_err(bad)?;
    claims::checkers::put_in_force(repo, applied.is_none(), &text, "init --track")?;
    let mut told = vec![Told::new("wrote", what, tell(Notice::TrackApplied, &[]))];
    let proposed = read_if_there(&repo.store.work_tree().join("seed.toml"))?;
    // A proposal that does not read is named where it is applied.
    if proposed.and_then(|text| Rules::with(&text).ok()).is_some_and(|it| it.usual_track() != track)
    {
        told.push(Told::new("note", "seed.toml", tell(Notice::TrackProposed, &[])));
    }
    Ok(told)
}

/// Puts the mode of the clone into force; the other rules that are in force stay.
pub(crate) fn apply_mode(repo: &Repo, mode: Mode) -> Result<Vec<Told>> {
    let what = format!("[mode] default = \"{}\"", mode.word());
    let Some(moved) = jobs::modes::put(repo, mode, "init --mode")? else {
        return Ok(vec![Told::new("left", what, tell(Notice::TrackSaysSo, &[]))]);
    };
    let applied = if mode.keeps_jobs() { Notice::ModeAppliedFull } else { Notice::ModeApplied };
    let mut told = vec![Told::new("wrote", what, tell(applied, &[]))];
    if let Some(rests) = &moved.rests {
        told.push(Told::new("note", &rests.state.job.name, jobs::modes::told_of_rest(rests)));
    }
    Ok(told)
}
