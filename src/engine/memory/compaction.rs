//! Compaction files of the focused job, and how full the context is.
//!
//! A file is opened by a session's first append or first boundary (`feed`) and carries the Prior
//! Summary of the one before. It stands in the job's tree; the boundary that closes a cycle writes
//! it to disk and commits it. What left a file stays in the steps of the job.

use strum::VariantArray as _;

use crate::engine::memory::context::gauge;
use crate::engine::memory::session_ledger::{FILE, Mark};
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::meant_files::{self, Becomes, MeantFile, Recorded};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{memory, record};
use crate::event::{Actor, Event};
use crate::format::journal::{Gauge, What};
use crate::format::state::{Compaction, Prep};
use crate::format::{names, short_hash};
use crate::memory::compaction::{File, Fill, Sealed, Section, Stamp, Unsealed};
use crate::phases::commands;
use crate::phases::room::{self, Closed, Room, Tiers};
use crate::secrets::Masked;
use crate::store::TreeEdit;
use crate::verdict::{Case, Refusal};
use crate::voice::{self, Notice, tell};

/// Seconds in which counts of tokens are stale after a clear, a compaction or a seal.
const GRACE: i64 = 300;

/// How many steps back phase commits are looked for.
const STEPS: usize = 1_000;

/// What was written to a compaction file.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Below the work tree, or as `git seed show` takes it.
    pub path: String,
    pub words: usize,
    pub fill: Fill,
    /// It was opened now.
    pub opened: bool,
    /// Somebody else had written in it; their words stand in it still.
    pub foreign: bool,
    /// Words that left the section; the step before this one keeps them.
    pub left: usize,
}

/// A compaction file as it is shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub path: String,
    pub file: File,
}

/// Adds `text` to a section of the session's file, or puts it in the section's place.
pub(crate) fn compact_append(
    repo: &Repo,
    section: Section,
    text: &str,
    anew: bool,
) -> Answered<Written> {
    let focused = repo.require_focused()?;
    if let Some(no) = is_out_of_place(repo, &focused) {
        return Ok(Err(no));
    }
    if text.trim().is_empty() {
        return Err(EngineError::Usage(tell(Notice::NothingToAdd, &[])));
    }
    // The file lies in the work tree with condense's commit.
    let text = &*Masked::new(text);
    let (stand, opened) = to_write_in(repo, &focused)?;
    let (mut file, foreign) = if opened {
        (begun(repo, &focused)?, false)
    } else {
        compaction_now(repo, &focused, &stand)?
    };
    let before = file.text(section).split_whitespace().count();
    if anew {
        file.put(section, text);
    } else {
        file.append(section, text);
    }
    file.list_commits(&commits_since(repo, &focused, &stand.since)?);
    let subject = format!("{} of compaction {}", section.title(), stand.seq);
    let kept = Kept { step: "compact append", subject, foreign };
    let stand = keep_compaction(repo, &focused, &file, stand, &kept)?;
    Ok(Ok(Written {
        path: compaction_path(repo, &focused, &stand),
        words: stand.words,
        fill: Fill::of(stand.words, repo.rules.compaction.words),
        opened,
        foreign,
        left: if anew { before } else { 0 },
    }))
}

/// Closes the newest file of the run.
pub(crate) fn compact_seal(repo: &Repo) -> Answered<(Written, Sealed)> {
    let focused = repo.require_focused()?;
    if let Some(no) = is_out_of_place(repo, &focused) {
        return Ok(Err(no));
    }
    let Some(stand) = memory::context::compaction_of(&focused).cloned() else {
        let (file, at) = (File::default(), String::new());
        let stamp = Stamp { at: &at, phase: "", ceiling: repo.rules.compaction.words };
        let lacks = file.seal(stamp).err().unwrap_or(Unsealed::Empty(Vec::new()));
        return Ok(Err(lacks.refusal(&file)));
    };
    let (mut file, foreign) = compaction_now(repo, &focused, &stand)?;
    file.list_commits(&commits_since(repo, &focused, &stand.since)?);
    let (at, phase) = (rfc3339(repo.store.dated(repo.now)), focused.state.phase().to_string());
    let ceiling = repo.rules.compaction.words;
    let (file, sealed) = match file.seal(Stamp { at: &at, phase: &phase, ceiling }) {
        Ok(done) => done,
        Err(unsealed) => return Ok(Err(unsealed.refusal(&file))),
    };
    let subject = format!("compaction {}, version {}", stand.seq, file.front.version);
    let kept = Kept { step: "compact seal", subject, foreign };
    let stand = keep_compaction(repo, &focused, &file, stand, &kept)?;
    let (path, words) = (compaction_path(repo, &focused, &stand), stand.words);
    let written =
        Written { path, words, fill: Fill::of(words, ceiling), opened: false, foreign, left: 0 };
    Ok(Ok((written, sealed)))
}

/// The newest file of the job, of whatever run.
pub(crate) fn compact_shown(repo: &Repo) -> Result<Option<Shown>> {
    let focused = repo.require_focused()?;
    let Some((run, seq)) = compactions(repo, &focused)?.pop() else { return Ok(None) };
    let stand = Compaction { run, seq, ..Compaction::default() };
    let ours = run == focused.state.job.run;
    let file = if ours {
        compaction_now(repo, &focused, &stand)?.0
    } else {
        compaction_file(repo, &focused, &stand)?
    };
    Ok(Some(Shown { path: compaction_path(repo, &focused, &stand), file }))
}

/// Small talk has nothing to leave behind, and a file belongs to the job's branch.
fn is_out_of_place(repo: &Repo, focused: &LoadedJob) -> Option<Refusal> {
    commands::hands_over(focused.state.stand.is_talk(), repo.away(focused)).err()
}

/// The file that this session writes in, and whether it is opened now.
pub(crate) fn to_write_in(repo: &Repo, focused: &LoadedJob) -> Result<(Compaction, bool)> {
    let session = short_hash(focused.state.driver.session.as_bytes(), 12);
    match memory::context::compaction_of(focused) {
        Some(stand) if stand.session == session => Ok((stand.clone(), false)),
        last => {
            let mut seq = last.map_or(0, |last| last.seq) + 1;
            // What lies there already is somebody else's.
            while record::own_files::own_file_on_disk(repo, &focused.state, &names::compaction(seq))
                .is_some()
            {
                seq += 1;
            }
            let (run, since) = (focused.state.job.run, focused.state.step.clone());
            let fed = focused.state.compaction.as_ref().map_or(0, |last| last.fed);
            let stand = Compaction { run, seq, session, since, fed, ..Compaction::default() };
            Ok((stand, true))
        }
    }
}

/// A file that is opened: it carries the Prior Summary of the last one that was sealed.
pub(crate) fn begun(repo: &Repo, focused: &LoadedJob) -> Result<File> {
    let mut file = File::default();
    if let Some((_, last)) = last_sealed(repo, focused)? {
        file.put(Section::PriorSummary, last.text(Section::PriorSummary));
    }
    Ok(file)
}

/// The newest file that was ever sealed.
fn last_sealed(repo: &Repo, focused: &LoadedJob) -> Result<Option<(Compaction, File)>> {
    for (run, seq) in compactions(repo, focused)?.into_iter().rev() {
        let stand = Compaction { run, seq, ..Compaction::default() };
        let file = compaction_file(repo, focused, &stand)?;
        if file.front.version > 0 {
            return Ok(Some((stand, file)));
        }
    }
    Ok(None)
}

/// Run and number of each file, oldest first.
pub(crate) fn compactions(repo: &Repo, focused: &LoadedJob) -> Result<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    for run in 1..=focused.state.job.run {
        let files = repo.store.names(&focused.tip, &format!("run-{run}"))?;
        let number =
            |name: &String| name.strip_prefix("compaction-")?.strip_suffix(".md")?.parse().ok();
        let mut numbers: Vec<u32> = files.iter().filter_map(number).collect();
        numbers.sort_unstable();
        found.extend(numbers.into_iter().map(|seq| (run, seq)));
    }
    Ok(found)
}

pub(crate) fn compaction_file(
    repo: &Repo,
    focused: &LoadedJob,
    stand: &Compaction,
) -> Result<File> {
    let path = names::of_run(stand.run, &names::compaction(stand.seq));
    let bytes = repo.counted_file(focused, &path)?;
    Ok(File::read(&String::from_utf8_lossy(&bytes)))
}

fn compaction_path(repo: &Repo, focused: &LoadedJob, stand: &Compaction) -> String {
    let file = names::of_run(stand.run, &names::compaction(stand.seq));
    repo.rules.raw.named(focused.state.job.id.as_str(), &file)
}

/// The phase commits since the step `since`, oldest first.
fn commits_since(repo: &Repo, focused: &LoadedJob, since: &str) -> Result<Vec<String>> {
    let rows = record::history::log(repo, focused, STEPS)?;
    let rows = rows.iter().take_while(|row| row.id != since);
    let rows = rows.filter(|row| row.rejected.is_none());
    let line = |commit: &str, phase: &str, subject: &str| {
        let short: String = commit.chars().take(7).collect();
        format!("{short} {phase}: {subject}")
    };
    let commits =
        rows.filter_map(|row| Some(line(row.commit.as_deref()?, &row.phase, &row.subject)));
    let mut commits: Vec<String> = commits.collect();
    commits.reverse();
    Ok(commits)
}

/// The step that keeps a file.
struct Kept {
    step: &'static str,
    subject: String,
    /// The words of somebody else, which lie on disk, were taken in.
    foreign: bool,
}

/// One step that keeps the file; with it the file on disk, where somebody else wrote in that.
fn keep_compaction(
    repo: &Repo,
    focused: &LoadedJob,
    file: &File,
    mut stand: Compaction,
    kept: &Kept,
) -> Result<Compaction> {
    let mut file = file.clone();
    file.front.gmode_prepped = focused.state.prep != Prep::None;
    (stand.words, stand.sealed) = (file.words(), file.is_sealed());
    let bytes = file.write().into_bytes();
    let name = names::compaction(stand.seq);
    let path = names::of_run(stand.run, &name);
    let now = repo.now;
    let sealed = stand.sealed.then_some(Mark::Seal);
    let ledger = match sealed {
        Some(_) => memory::session_ledger::ledger(repo, focused, sealed, stand.seq)?,
        None => None,
    };
    let meant = kept.foreign.then(|| {
        let path = record::own_files::own_path(&focused.state, &name);
        MeantFile::new(repo, path, Becomes::Own)
    });
    meant_files::around(
        repo,
        focused,
        Recorded::Step(kept.step),
        meant.into_iter().collect(),
        || {
            let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
                state.compaction = Some(stand.clone());
                if stand.sealed {
                    state.gauge.fresh = now;
                }
                let put = TreeEdit::Put { path: path.clone(), bytes: bytes.clone() };
                let mut draft =
                    StepDraft::new(state, kept.step, kept.subject.clone(), By::Agent).with(put);
                let path = names::of_run(state.job.run, FILE);
                draft.edits.extend(ledger.clone().map(|bytes| TreeEdit::Put { path, bytes }));
                Ok(Ok(draft))
            })?;
            let taken = taken.map_err(|refusal| EngineError::Refused(refusal.wants))?;
            if kept.foreign {
                record::own_files::put_own_file(repo, &taken.focused, &name, &bytes)?;
            }
            Ok(())
        },
    )?;
    Ok(stand)
}

/// The file as it is to be written on, and whether somebody else wrote in it: their words
/// count. One that is only older than ours, or gone, does not.
fn compaction_now(repo: &Repo, focused: &LoadedJob, stand: &Compaction) -> Result<(File, bool)> {
    let kept = compaction_file(repo, focused, stand)?;
    let name = names::compaction(stand.seq);
    let Some(bytes) = record::own_files::own_file_on_disk(repo, &focused.state, &name) else {
        return Ok((kept, false));
    };
    let path = compaction_path(repo, focused, stand);
    let Ok(text) = String::from_utf8(bytes) else {
        let text = tell(Notice::CompactionNoText, &[("path", &path)]);
        return Err(EngineError::OnDisk(text));
    };
    let found = File::read(&text);
    if found == kept {
        return Ok((kept, false));
    }
    let file = names::of_run(stand.run, &name);
    let old = was_ours(repo, focused, &file, &found)?;
    Ok(if old { (kept, false) } else { (found, true) })
}

/// An earlier step of the job kept `found` as `file`.
fn was_ours(repo: &Repo, focused: &LoadedJob, file: &str, found: &File) -> Result<bool> {
    for step in repo.store.history(&focused.chain, STEPS)? {
        let old = repo.store.file_of_commit(&step.commit, file)?;
        if old.is_some_and(|old| File::read(&String::from_utf8_lossy(&old)) == *found) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The run's files that are to be written out, by name: those that differ from what lies on disk,
/// unless somebody else wrote that.
pub(crate) fn to_write_out(repo: &Repo, focused: &LoadedJob) -> Result<Vec<(String, Vec<u8>)>> {
    let run = focused.state.job.run;
    let mut out = Vec::new();
    for (_, seq) in compactions(repo, focused)?.into_iter().filter(|(of, _)| *of == run) {
        let name = names::compaction(seq);
        let path = names::of_run(run, &name);
        let bytes = repo.counted_file(focused, &path)?;
        let ours = match record::own_files::own_file_on_disk(repo, &focused.state, &name) {
            None => true,
            Some(there) if there == bytes => continue,
            Some(there) => {
                let found = File::read(&String::from_utf8_lossy(&there));
                was_ours(repo, focused, &path, &found)?
            }
        };
        out.extend(ours.then_some((name, bytes)));
    }
    Ok(out)
}

// ---- waking

/// What the last session left, for one that begins.
pub(crate) fn woken(repo: &Repo, focused: &LoadedJob) -> Option<Woken> {
    let run = focused.state.job.run;
    let open = memory::context::compaction_of(focused).filter(|stand| !stand.sealed);
    let unsealed = open.map(|stand| names::compaction(stand.seq));
    // Told where a session begins: what cannot be read is not told, and refused where it counts.
    let seen = seen(repo, focused).unwrap_or_default();
    // As above.
    let Some((stand, file)) = last_sealed(repo, focused).ok()? else {
        return Some(Woken { unsealed, seen, ..Woken::default() });
    };
    let prior = file.text(Section::PriorSummary).to_owned();
    // Of a run that is over only the summary goes on.
    let sections = Section::VARIANTS.iter().copied().filter(|section| match section {
        Section::PriorSummary => stand.seq < 2 && stand.run == run,
        _ => stand.run == run,
    });
    let shown = sections.filter(|section| !file.text(*section).is_empty());
    let text: Vec<String> =
        shown.map(|section| format!("## {}\n{}", section.title(), file.text(section))).collect();
    let prior = if stand.seq >= 2 || stand.run != run { prior } else { String::new() };
    let name = names::compaction(stand.seq);
    // What the text holds already is not told twice.
    let seen = seen.filter(|(newest, _)| *newest != name);
    Some(Woken { name, prior, text: text.join("\n"), unsealed, seen })
}

/// The newest file of the run and what was seen in its session.
fn seen(repo: &Repo, focused: &LoadedJob) -> Result<Option<(String, String)>> {
    let Some(stand) = memory::context::compaction_of(focused) else { return Ok(None) };
    let text = compaction_file(repo, focused, stand)?.seen().to_owned();
    Ok(Some((names::compaction(stand.seq), text)).filter(|(_, text)| !text.is_empty()))
}

/// A word to the person before the host compacts over words that are not sealed.
pub(crate) fn before_compaction(repo: &Repo, event: &Event) -> Result<Option<String>> {
    let Some(focused) = repo.focused()? else { return Ok(None) };
    if repo.is_guest(&focused, event)? {
        return Ok(None);
    }
    let open = memory::context::compaction_of(&focused).filter(|stand| !stand.sealed);
    Ok(open.map(|stand| {
        let name = names::compaction(stand.seq);
        tell(Notice::CompactionUnsealed, &[("file", &name)])
    }))
}

/// What a closing job carries on, where it has a compaction file.
pub(crate) fn carried_on(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    let stand = memory::context::compaction_of(focused)?;
    let name = names::compaction(stand.seq);
    // A word to a person; the step itself reads the file and says what is wrong with it.
    match last_sealed(repo, focused).ok()? {
        Some(_) => Some(tell(Notice::CompactionCarried, &[("file", &name)])),
        // What git seed itself noted asks nobody for anything.
        None if stand.sealed => None,
        None => Some(tell(Notice::CompactionNotCarried, &[("file", &name)])),
    }
}

// ---- room

/// The room that context and file leave for a call of `event`.
pub(crate) fn room(repo: &Repo, focused: &LoadedJob, event: &Event) -> Room {
    let context = repo.rules.compaction.tiers.closes(tokens(repo, focused, event));
    let words = memory::context::compaction_of(focused).map_or(0, |stand| stand.words);
    let file = match Fill::of(words, repo.rules.compaction.words) {
        Fill::Free | Fill::Filling => Closed::Nothing,
        Fill::Long => Closed::Reads,
        Fill::Full => Closed::All,
    };
    Room::of(context, file)
}

/// How many tokens the context holds, where the host says so and the count is not stale.
pub(crate) fn tokens(repo: &Repo, focused: &LoadedJob, event: &Event) -> Option<u64> {
    let age = repo.now.saturating_sub(gauge(focused).fresh);
    event.tokens.filter(|_| !(0..GRACE).contains(&age))
}

/// A word to the agent whose context has come to a new tier, and what to keep of that.
pub(crate) fn filling(
    repo: &Repo,
    focused: &LoadedJob,
    event: &Event,
) -> (Option<Gauge>, Option<String>) {
    let tokens = tokens(repo, focused, event).filter(|_| event.by == Actor::Main);
    let Some(tokens) = tokens else { return (None, None) };
    let (known, tier) = (gauge(focused), Tiers::of(tokens));
    let news = (tier != known.told).then_some(Gauge { told: tier, ..known });
    let tells = repo.rules.compaction.tiers.tells(tokens, known.told);
    (news, tells.then(|| notice(repo, focused, Case::Filling)))
}

/// The same for a session that begins with a context already.
pub(crate) fn filling_at_start(
    repo: &Repo,
    focused: &LoadedJob,
    event: &Event,
) -> Result<Option<String>> {
    let Some(now) = repo.focused()?.filter(|now| now.chain == focused.chain) else {
        return Ok(None);
    };
    let (gauge, told) = filling(repo, &now, event);
    if gauge.is_some() {
        record::journal_line::note(repo, Some(&now), |line| {
            line.what = What::Session;
            line.session.clone_from(&event.session);
            line.counts.gauge = gauge;
        })?;
    }
    Ok(told)
}

fn notice(repo: &Repo, focused: &LoadedJob, case: Case) -> String {
    let said = voice::say(&room::notice(case), repo.row(Some(focused)).name.as_str());
    said.text().replacen("BLOCKED", "NOTICED", 1)
}

/// What compaction files say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Woken {
    /// The file that was sealed last.
    pub name: String,
    /// Its Prior Summary, where sessions came before it.
    pub prior: String,
    /// What else it says.
    pub text: String,
    /// The file that was not sealed since words were added.
    pub unsealed: Option<String>,
    /// The newest file, and what git seed itself wrote there of the session's stays.
    pub seen: Option<(String, String)>,
}
