//! Verification: what anybody with the refs, git and a public key can find out.
//!
//! The store reads, `claims::audit` judges what was read, git judges signatures. Nothing
//! here writes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::claims::audit::{self, Findings, Link, Pinned, Standing};
use crate::claims::record::Record;
use crate::engine::claims::records::Replay;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::{claims, record};
use crate::format::trailers::StepTrailers;
use crate::format::{claim, names, seed_id, sshsig};
use crate::jobs::JobId;
use crate::phases::PhaseName;
use crate::store::{Checked, CommitId, Laid, Step, Walked};
use crate::voice::{Notice, tell};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The commits to look at, as git writes ranges; all of HEAD's when absent.
    pub range: Option<String>,
    /// A head of the records that was written down elsewhere.
    pub expect: Option<CommitId>,
    /// Allowed signers; those of git's configuration when absent.
    pub keys: Option<PathBuf>,
}

/// A link with what only this module asks of it.
struct Read {
    link: Link,
    key: Option<Vec<u8>>,
    ssh: bool,
    /// The line that its commit's note must carry.
    line: Option<String>,
}

/// The steps of a job: what each was, by its id.
struct Steps {
    by_id: BTreeMap<String, StepTrailers>,
    /// Steps that took a commit made for them under another id, by the id that it carries.
    by_carried: BTreeMap<String, StepTrailers>,
    /// The first step that does not follow.
    broken: Option<String>,
}

/// Checks the chain of records, what vouches for it, what it is bound to, and the steps
/// that commits name.
///
/// # Errors
///
/// The chain cannot be walked, or the store does not read. What does not hold is a finding, not
/// an error.
pub fn verify(repo: &Repo, asked: &Asked) -> Result<Findings> {
    let tip = repo.store.stands_at(names::CLAIMS)?;
    let replay = claims::records::replay_rows(repo)?;
    let each = |laid: Laid<'_>| read(&laid, &replay);
    let walked = match &tip {
        Some(tip) => repo.store.walk_records(tip, &each)?,
        None => Walked { links: Vec::new(), ended: None },
    };
    let mut findings = Findings::default();
    if let Some((id, why)) = &walked.ended {
        findings.add(id.as_str(), &Standing::Broken(why.clone()));
    }
    let (reads, whole) = (walked.links, walked.ended.is_none());
    let mut chain: Vec<Link> = reads.iter().map(|read| read.link.clone()).collect();
    audit::links(&mut chain, whole);
    audit::backings(&mut chain);
    let (upto, why) = vouching(repo, asked, &reads, &mut chain, &mut findings)?;
    let stray = bindings(repo, &reads, &mut chain, whole)?;
    audit::vouched(&mut chain, upto, &why);
    for link in &chain {
        findings.add(&link.id, &link.standing);
    }
    for (what, standing) in &stray {
        findings.add(what, standing);
    }
    legality(repo, asked, &mut findings)?;
    let open = !chain.is_empty() && upto != chain.len().checked_sub(1);
    Ok(findings.summed(open))
}

// ---- what vouches

/// Up to which record something outside the chain vouches for it, and why for no more.
fn vouching(
    repo: &Repo,
    asked: &Asked,
    reads: &[Read],
    chain: &mut [Link],
    findings: &mut Findings,
) -> Result<(Option<usize>, String)> {
    let (mut upto, why) = signed_upto(repo, asked, reads, chain)?;
    for (what, pin) in pins_of(repo, asked)? {
        let below: Vec<String> =
            repo.store.ids_from(&pin).iter().map(CommitId::to_string).collect();
        match audit::pinned(chain, pin.as_str(), &below) {
            Pinned::Holds(at) => upto = upto.max(Some(at)),
            Pinned::Parts { upto: same, first, why } => {
                upto = upto.max(same);
                let standing = Standing::Broken(format!("{why} ({what})"));
                match chain.iter_mut().find(|link| link.id == first) {
                    Some(link) => link.found(standing),
                    None => findings.add(&first, &standing),
                }
            }
        }
    }
    Ok((upto, why))
}

/// Heads that were written down, and by whom.
fn pins_of(repo: &Repo, asked: &Asked) -> Result<Vec<(String, CommitId)>> {
    let mut pins: Vec<(String, CommitId)> =
        asked.expect.iter().map(|pin| ("expected".to_owned(), pin.clone())).collect();
    pins.extend(repo.store.fetched_records()?);
    Ok(pins)
}

/// The newest record with a good signature. A bad one after it is broken.
fn signed_upto(
    repo: &Repo,
    asked: &Asked,
    reads: &[Read],
    chain: &mut [Link],
) -> Result<(Option<usize>, String)> {
    let known = match &asked.keys {
        Some(keys) => {
            let unread = |why| EngineError::Usage(format!("no keys in {}: {why}", keys.display()));
            sshsig::allowed(&String::from_utf8_lossy(&std::fs::read(keys).map_err(unread)?))
        }
        None => None,
    };
    let foreign = |read: &Read| match (&known, &read.key) {
        (Some(known), Some(key)) => !known.contains(key),
        (Some(_), None) => read.ssh,
        (None, _) => false,
    };
    let signed = |at: &usize| reads[*at].link.signed && reads[*at].link.record.is_ok();
    let all: Vec<usize> = (0..reads.len()).filter(signed).collect();
    let candidates: Vec<usize> = all.iter().copied().filter(|at| !foreign(&reads[*at])).collect();
    let mut said: BTreeMap<usize, Checked> = BTreeMap::new();
    let good = audit::last_good(&candidates, |at| -> Result<bool> {
        let id = chain[at].id.parse().map_err(|_| EngineError::OnDisk(chain[at].id.clone()))?;
        // Without a key for the newest there is none for the others.
        let checked = match said.values().find(|checked| matches!(checked, Checked::Unmeasured(_)))
        {
            Some(unmeasured) => unmeasured.clone(),
            None => repo.store.check_signature(&id, asked.keys.as_deref())?,
        };
        let good = checked == Checked::Good;
        said.insert(at, checked);
        Ok(good)
    })?;
    let after = good.map_or(0, |good| good + 1);
    let mut why = if all.is_empty() {
        tell(Notice::ChainUnvouched, &[])
    } else {
        tell(Notice::ChainUnsigned, &[])
    };
    let mut bad: Option<(usize, String)> = all
        .iter()
        .find(|at| **at >= after && foreign(&reads[**at]))
        .map(|at| (*at, tell(Notice::ChainForeignKey, &[])));
    for (at, checked) in said.iter().filter(|(at, _)| **at >= after) {
        match checked {
            Checked::Bad(reason) if bad.as_ref().is_none_or(|(first, _)| at < first) => {
                bad = Some((*at, tell(Notice::ChainBadSignature, &[("why", reason)])));
            }
            Checked::Unmeasured(reason) => {
                why = tell(Notice::ChainNoKey, &[("why", reason)]);
            }
            Checked::Bad(_) | Checked::Good => {}
        }
    }
    if let Some((at, reason)) = bad {
        chain[at].found(Standing::Broken(reason));
    }
    Ok((good, why))
}

// ---- what it is bound to

/// Records against the commits that they attest and against notes, and notes against
/// records. What belongs to no link is handed back.
fn bindings(
    repo: &Repo,
    reads: &[Read],
    chain: &mut [Link],
    whole: bool,
) -> Result<Vec<(String, Standing)>> {
    let mut stray = Vec::new();
    let notes = repo.store.all_notes()?;
    for (read, link) in reads.iter().zip(chain.iter_mut()) {
        let Ok(record) = &read.link.record else { continue };
        let Some(attest) = &record.attest else { continue };
        link.found(landed(repo, record));
        let Some(notes) = &notes else { continue };
        let said = notes.get(&attest.commit).and_then(|lines| lines.as_ref().ok());
        let has = |lines: &Vec<String>| lines.iter().any(|line| Some(line) == read.line.as_ref());
        if !said.is_some_and(has) {
            let commit = &attest.commit;
            link.found(Standing::Broken(tell(Notice::NoteWithoutLine, &[("commit", commit)])));
        }
    }
    let attests = reads.iter().any(|read| read.line.is_some());
    let Some(notes) = notes else {
        if attests {
            let why = tell(Notice::NotesNotHere, &[]);
            stray.push((names::COMMIT_NOTES.to_owned(), Standing::NotMeasured(why)));
        }
        return Ok(stray);
    };
    let known: BTreeMap<&str, &Read> =
        reads.iter().map(|read| (read.link.id.as_str(), read)).collect();
    for (commit, lines) in &notes {
        match lines {
            Err(why) => stray.push((commit.clone(), Standing::Broken(format!("its note: {why}")))),
            Ok(lines) => {
                for line in lines {
                    stray.extend(judge_note(commit, line, &known, whole));
                }
            }
        }
    }
    Ok(stray)
}

/// Whether the commit that a record attests has the tree that it says.
pub(crate) fn landed(repo: &Repo, record: &Record) -> Standing {
    let Some(attest) = &record.attest else { return Standing::Verified };
    let commit = &attest.commit;
    let Ok(id) = commit.parse() else {
        return Standing::Broken(format!("`{commit}` names no commit"));
    };
    match repo.store.intact_tree(&id) {
        Ok(Some(tree)) if tree == attest.tree => Standing::Verified,
        Ok(Some(_)) => Standing::Broken(tell(Notice::AttestOtherTree, &[("commit", commit)])),
        Ok(None) => Standing::NotMeasured(format!("commit {commit} is not here")),
        Err(why) => Standing::Broken(why),
    }
}

// ---- what commits name

/// Each commit of the range that names a step, and the chains of the jobs.
fn legality(repo: &Repo, asked: &Asked, findings: &mut Findings) -> Result<()> {
    let range = match &asked.range {
        Some(range) => range.as_str(),
        None if repo.store.head()?.commit.is_none() => return Ok(()),
        None => "HEAD",
    };
    let commits = repo.store.seed_commits(range)?;
    let mut jobs: BTreeMap<String, Option<Steps>> = BTreeMap::new();
    for (chain, tip) in repo.store.chains(names::JOBS)? {
        if let Some(id) = names::job_of(&chain) {
            jobs.insert(id.to_string(), Some(steps_of(repo, &id, &tip)?));
        }
    }
    let mut judged = Vec::new();
    for (commit, message) in &commits {
        let Some(said) = StepTrailers::read(message) else {
            let why = tell(Notice::StepHalfNamed, &[]);
            judged.push((commit, Standing::NotMeasured(why)));
            continue;
        };
        if !jobs.contains_key(&said.job) {
            jobs.insert(said.job.clone(), archived_steps(repo, &said.job)?);
        }
        judged.push((commit, named_step(repo, commit, &said, jobs[&said.job].as_ref())));
    }
    for (job, steps) in &jobs {
        let standing = match steps.as_ref().map(|steps| &steps.broken) {
            Some(Some(why)) => Standing::Broken(why.clone()),
            Some(None) => Standing::Verified,
            // Its commits say so.
            None => continue,
        };
        findings.add(job, &standing);
    }
    for (commit, standing) in judged {
        findings.add(commit.as_str(), &standing);
    }
    Ok(())
}

fn archived_steps(repo: &Repo, job: &str) -> Result<Option<Steps>> {
    let Ok(id) = job.parse::<JobId>() else { return Ok(None) };
    let Some(row) = repo.archived_row(&id)? else { return Ok(None) };
    match row.tip.parse() {
        Ok(tip) => Ok(Some(steps_of(repo, &id, &tip)?)),
        Err(_) => Ok(None),
    }
}

/// Whether a commit's trailers are those of the step that its job's chain has.
fn named_step(
    repo: &Repo,
    commit: &CommitId,
    said: &StepTrailers,
    steps: Option<&Steps>,
) -> Standing {
    let Some(steps) = steps else {
        return Standing::NotMeasured(format!("job {} is not here", said.job));
    };
    let waited = steps.by_carried.get(&said.id).filter(|_| was_meant(steps, said));
    let Some(step) = steps.by_id.get(&said.id).or(waited) else {
        let pending = match record::pending_file::pending(repo) {
            Ok(pending) => pending,
            // It may name this very step, so nothing is said against the commit.
            Err(error) => return Standing::NotMeasured(error.to_string()),
        };
        if pending.is_some_and(|pending| pending.id == said.id) {
            return Standing::NotMeasured(tell(Notice::StepNotTaken, &[]));
        }
        return Standing::Broken(format!("job {} has no step {}", said.job, said.id));
    };
    // One that waited may have been taken by another kind of step of its phase.
    let name = |step: &StepTrailers| waited.is_none().then(|| step.step.clone());
    let same = |step: &StepTrailers| (step.run, step.cycle, step.phase.clone(), name(step));
    if same(step) != same(said) {
        return Standing::Broken(tell(Notice::StepSaidOtherwise, &[("step", &said.id)]));
    }
    match step.commit.as_deref() {
        Some(named) if named == commit.as_str() => Standing::Verified,
        Some(named) => rewritten(repo, commit, named),
        None => Standing::Broken(format!("step {} made no commit", said.id)),
    }
}

/// Whether a step of the chain was the one before that which a commit was made for.
fn was_meant(steps: &Steps, said: &StepTrailers) -> bool {
    steps.by_id.keys().any(|before| seed_id(&said.job, Some(before), &said.step) == said.id)
}

/// A commit in the place of the one that its step made: content alone vouches for it.
fn rewritten(repo: &Repo, commit: &CommitId, named: &str) -> Standing {
    let was = tell(Notice::StepRewritten, &[("commit", named)]);
    let same = match named.parse::<CommitId>() {
        Ok(old) if repo.store.has_object(named) => repo.store.says_the_same(&old, commit),
        _ => return Standing::NotMeasured(was),
    };
    match same {
        Ok(true) => Standing::Followed(tell(Notice::StepFollowed, &[("was", &was)])),
        Ok(false) => Standing::NotMeasured(tell(Notice::StepDiffers, &[("was", &was)])),
        Err(error) => Standing::NotMeasured(format!("{was}: {error}")),
    }
}

/// The steps of a chain, and the first that does not follow from the one before.
fn steps_of(repo: &Repo, job: &JobId, tip: &CommitId) -> Result<Steps> {
    let mut steps = Steps { by_id: BTreeMap::new(), by_carried: BTreeMap::new(), broken: None };
    let history = match repo.store.history_from(tip, usize::MAX) {
        Ok(history) => history,
        Err(error) => return Ok(Steps { broken: Some(error.to_string()), ..steps }),
    };
    let (mut before, mut stands): (Option<String>, Option<String>) = (None, None);
    for step in history.iter().rev() {
        let Some(said) = StepTrailers::read(&step.message) else {
            steps.broken.get_or_insert_with(|| format!("a step has no trailers: {}", step.commit));
            continue;
        };
        let why = follows(repo, job, step, &said, before.as_deref(), stands.as_deref());
        steps.broken = steps.broken.take().or(why);
        if let Some((_, to)) = said.step.split_once(" -> ") {
            stands = Some(to.to_owned());
        }
        before = Some(said.id.clone());
        if let Some(carried) = &said.carries {
            steps.by_carried.insert(carried.clone(), said.clone());
        }
        steps.by_id.insert(said.id.clone(), said);
    }
    Ok(steps)
}

pub(crate) fn follows(
    repo: &Repo,
    job: &JobId,
    step: &Step,
    said: &StepTrailers,
    before: Option<&str>,
    stands: Option<&str>,
) -> Option<String> {
    let named = format!("step {} ({})", said.id, step.commit);
    if said.job != job.to_string() {
        return Some(format!("{named} is of job {}", said.job));
    }
    if said.id != seed_id(&said.job, before, &said.step) {
        return Some(tell(Notice::StepNotFollowing, &[("step", &named)]));
    }
    let (from, to) = said.step.split_once(" -> ")?;
    if stands.is_some_and(|stands| stands != from) {
        return Some(tell(Notice::StepFromElsewhere, &[("step", &named), ("from", from)]));
    }
    (!is_edge(repo, from, to))
        .then(|| tell(Notice::StepOffMap, &[("step", &named), ("from", from), ("to", to)]))
}

/// True where a map of the rules has this step: on, back, aside and home again, or from
/// a lane to where a larger map begins.
fn is_edge(repo: &Repo, from: &str, to: &str) -> bool {
    let (from, to) = (PhaseName::from(from), PhaseName::from(to));
    let maps: Vec<_> =
        repo.rules.maps.names().into_iter().map(|name| repo.rules.maps.get(name)).collect();
    let begins = maps.iter().any(|map| map.start == to);
    maps.iter().any(|map| map.is_aside(&from))
        || maps.iter().any(|map| {
            let row = map.phase(&from);
            let has = row.is_some_and(|row| {
                row.next.contains(&to) || row.back.contains(&to) || row.side.as_ref() == Some(&to)
            });
            has || (map.lane.is_some() && row.is_some() && begins)
        })
}

/// What is kept of a record that was read.
fn read(laid: &Laid<'_>, replay: &Replay) -> Read {
    let bytes = laid.record.as_ref().map_err(Clone::clone);
    let record = bytes.and_then(|bytes| claim::read(bytes).map_err(|bad| bad.to_string()));
    let standing = match &record {
        Ok(record) => replay.again(record, laid.table.as_ref()),
        Err(_) => Standing::Verified,
    };
    let id = laid.id.to_string();
    let note = record.as_ref().ok().and_then(|record| claim::note_line(&id, record));
    let parents = laid.parents.iter().map(CommitId::to_string).collect();
    let signed = laid.signature.is_some();
    let link = Link { id, parents, record, signed, standing };
    let ssh = laid.signature.is_some_and(|text| text.contains("SSH SIGNATURE"));
    Read { link, key: laid.signature.and_then(sshsig::key), ssh, line: note }
}

/// A note's line against the record that it names.
fn judge_note(
    commit: &str,
    line: &str,
    known: &BTreeMap<&str, &Read>,
    whole: bool,
) -> Option<(String, Standing)> {
    let id = claim::noted(line)?;
    let standing = match known.get(id) {
        None if !whole => {
            Standing::NotMeasured(tell(Notice::NoteOfTornChain, &[("commit", commit)]))
        }
        None => Standing::Broken(tell(Notice::NoteOfNoRecord, &[("commit", commit)])),
        Some(read) if read.line.as_deref() != Some(line) => {
            Standing::Broken(tell(Notice::NoteSaysOtherwise, &[("commit", commit)]))
        }
        Some(read) => {
            let record = read.link.record.as_ref().ok()?;
            if record.attest.as_ref()?.commit == commit {
                return None;
            }
            Standing::NotMeasured(tell(Notice::NoteCarried, &[("commit", commit)]))
        }
    };
    Some((id.to_owned(), standing))
}
