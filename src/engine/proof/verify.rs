//! Verification: what anybody with the refs, git and a public key can find out.
//!
//! The store reads, `claims::audit` judges what was read, git judges signatures. Nothing
//! here writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::claims::audit::{self, Accepted, Findings, Link, Pinned, Standing};
use crate::claims::record::Record;
use crate::engine::proof;
use crate::engine::proof::legality;
use crate::engine::proof::rerun::Again;
use crate::engine::proof::texts::OfRecords;
use crate::engine::records::replay::{Replay, replay_rows};
use crate::engine::records::words;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::{claim, names, notes, sshsig};
use crate::store::{Checked, CommitId, Laid, Notes, Walked};
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
    /// Little of the history is here: what records say of other commits is left out.
    pub only_here: bool,
    /// Recorded commands of the range are run again, each for so long at most.
    pub rerun: Option<Duration>,
}

/// A link with what only this module asks of it.
struct Read {
    link: Link,
    key: Option<Vec<u8>>,
    ssh: bool,
    /// What its commit's note must carry.
    noted: Option<notes::Record>,
    /// The words that it names are not here.
    without_words: bool,
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
    let replay = replay_rows(repo)?;
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
    let notes = repo.store.all_notes()?;
    let bound = Bound { reads: &reads, notes: notes.as_ref(), whole, only_here: asked.only_here };
    let mut stray = bindings(repo, &bound, &mut chain);
    stray.extend(cut(repo, &mut chain)?);
    audit::vouched(&mut chain, upto, &why);
    // What joins two chains vouches for nothing, and says nothing that could be wrong but that.
    for link in chain.iter().filter(|link| !link.joins || link.is_broken()) {
        findings.add(&link.id, &link.standing);
    }
    for (what, standing) in &stray {
        findings.add(what, standing);
    }
    let of_records = findings.not_measured.len();
    legality::legality(repo, asked.range.as_deref(), notes.as_ref(), &mut findings)?;
    proof::texts::missing(repo, &named_by(&reads), &mut findings)?;
    findings.accept(accepted(&chain), of_records);
    if let Some((range, most)) = asked.range.as_deref().zip(asked.rerun) {
        let again = Again { range, most };
        let all = proof::rerun::rerun(repo, &again, notes.as_ref(), &mut findings)?;
        findings.rerun = Some(all);
    }
    Ok(findings.summed(&tell(Notice::NothingToVerify, &[])))
}

/// The texts that the records name.
fn named_by(reads: &[Read]) -> OfRecords<'_> {
    let mut found = OfRecords::default();
    for read in reads {
        let Ok(record) = &read.link.record else { continue };
        found.places.extend(claim::place(record));
        found.without.extend(read.without_words.then_some(record));
    }
    found
}

/// What the records accept; of several for one commit the newest.
fn accepted(chain: &[Link]) -> Vec<Accepted> {
    let mut all: Vec<Accepted> = Vec::new();
    for link in chain.iter().filter(|link| !link.is_broken()) {
        let Some((record, said)) =
            link.record.as_ref().ok().and_then(|record| Some((record, record.accepts.as_ref()?)))
        else {
            continue;
        };
        all.retain(|known| known.commit != said.commit);
        all.push(Accepted {
            commit: said.commit.clone(),
            by: said.by.clone(),
            why: said.why.clone(),
            at: rfc3339(record.at),
            vouched: link.standing.counts(),
        });
    }
    all
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
    let unvouched = if all.is_empty() { Notice::ChainUnvouched } else { Notice::ChainUnsigned };
    let first = all.iter().copied().find(|at| *at >= after && foreign(&reads[*at]));
    let (bad, why) = told_of(&said, after, first);
    if let Some((at, reason)) = bad {
        chain[at].found(Standing::Broken(reason));
    }
    Ok((good, why.unwrap_or_else(|| tell(unvouched, &[]))))
}

/// The first record from `after` on whose signature is none of an allowed key, and why none could
/// be checked; `foreign` is the first that says by itself that it is not.
fn told_of(
    said: &BTreeMap<usize, Checked>,
    after: usize,
    foreign: Option<usize>,
) -> (Option<(usize, String)>, Option<String>) {
    let mut bad = foreign.map(|at| (at, tell(Notice::ChainForeignKey, &[])));
    let mut why = None;
    for (at, checked) in said.iter().filter(|(at, _)| **at >= after) {
        match checked {
            Checked::Bad(reason) if bad.as_ref().is_none_or(|(first, _)| at < first) => {
                bad = Some((*at, tell(Notice::ChainBadSignature, &[("why", reason)])));
            }
            Checked::Foreign if bad.as_ref().is_none_or(|(first, _)| at < first) => {
                bad = Some((*at, tell(Notice::ChainForeignKey, &[])));
            }
            Checked::Unmeasured(reason) => {
                why = Some(tell(Notice::ChainNoKey, &[("why", reason)]));
            }
            Checked::Bad(_) | Checked::Foreign | Checked::Good => {}
        }
    }
    (bad, why)
}

// ---- what it is bound to

/// What records are compared with.
#[derive(Clone, Copy)]
struct Bound<'a> {
    reads: &'a [Read],
    notes: Option<&'a Notes>,
    /// The chain was read to its first record.
    whole: bool,
    only_here: bool,
}

/// Records against the commits that they attest and against notes, and notes against
/// records. What belongs to no link is handed back.
fn bindings(repo: &Repo, bound: &Bound<'_>, chain: &mut [Link]) -> Vec<(String, Standing)> {
    let Bound { reads, notes, only_here, .. } = *bound;
    let mut stray = Vec::new();
    for (read, link) in reads.iter().zip(chain.iter_mut()) {
        let Ok(record) = &read.link.record else { continue };
        let Some(attest) = &record.attest else { continue };
        if only_here && !repo.store.has_object(&attest.commit) {
            continue;
        }
        link.found(landed(repo, record));
        let Some(notes) = notes else { continue };
        let said = notes.get(&attest.commit).and_then(|lines| lines.as_ref().ok());
        let has =
            |lines: &Vec<String>| lines.iter().any(|line| notes::Record::read(line) == read.noted);
        if !said.is_some_and(has) {
            let commit = &attest.commit;
            link.found(Standing::Broken(tell(Notice::NoteWithoutLine, &[("commit", commit)])));
        }
    }
    let attests = reads.iter().any(|read| read.noted.is_some());
    let Some(notes) = notes else {
        if attests {
            let why = tell(Notice::NotesNotHere, &[]);
            stray.push((names::COMMIT_NOTES.to_owned(), Standing::NotMeasured(why)));
        }
        return stray;
    };
    let known: BTreeMap<&str, &Read> =
        reads.iter().map(|read| (read.link.id.as_str(), read)).collect();
    let mut carried = Vec::new();
    for (commit, lines) in notes {
        match lines {
            Err(why) => stray.push((commit.clone(), Standing::Broken(format!("its note: {why}")))),
            Ok(lines) => {
                for line in lines {
                    stray.extend(judge_note((commit, line), &mut carried, &known, bound));
                }
            }
        }
    }
    stray.extend(of_other_content(repo, &carried));
    stray
}

/// Heads of this chain that steps of jobs saw, and that are not in it: it was cut, or is gone. They
/// vouch for nothing, since who can write the one can write the other.
fn cut(repo: &Repo, chain: &mut [Link]) -> Result<Vec<(String, Standing)>> {
    let mut stray = Vec::new();
    for (job, head) in legality::seen_heads(repo)? {
        let below: Vec<String> =
            repo.store.ids_from(&head).iter().map(CommitId::to_string).collect();
        let Pinned::Parts { first, .. } = audit::pinned(chain, head.as_str(), &below) else {
            continue;
        };
        let facts = [("job", job.as_str()), ("head", head.as_str())];
        let standing = Standing::Broken(tell(Notice::ChainCut, &facts));
        match chain.iter_mut().find(|link| link.id == first) {
            Some(link) => link.found(standing),
            None => stray.push((first, standing)),
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

/// What is kept of a record that was read.
fn read(laid: &Laid<'_>, replay: &Replay) -> Read {
    let read = words::read(laid);
    let standing = match &read {
        Ok(words::Read::Whole(record)) => replay.again(record, laid.table.as_ref()),
        // That they are elsewhere, or were taken away, is no finding; nor is what does not read
        // one of the ruling.
        Ok(words::Read::WithoutWords(_)) | Err(_) => Standing::Verified,
    };
    let without_words = matches!(read, Ok(words::Read::WithoutWords(_)));
    let record = read.map(words::Read::record);
    let id = laid.id.to_string();
    // What does not read is a finding of its own.
    let noted = record.as_ref().ok().and_then(|record| claim::note_of(&id, record));
    let parents = laid.parents.iter().map(CommitId::to_string).collect();
    let signed = laid.signature.is_some();
    let link = Link { id, parents, record, signed, joins: laid.joins, standing };
    let ssh = laid.signature.is_some_and(|text| text.contains("SSH SIGNATURE"));
    Read { link, key: laid.signature.and_then(sshsig::key), ssh, noted, without_words }
}

/// A note of a record that lies on another commit than the one which the record attests.
struct Carried {
    record: String,
    attested: String,
    commit: String,
}

/// Those of them that lie on a commit of other content. Git carries notes along with what it writes
/// anew: where tree or change are the same, the commit is followed.
fn of_other_content(repo: &Repo, carried: &[Carried]) -> Vec<(String, Standing)> {
    let id = |text: &str| text.parse::<CommitId>().ok();
    // What is not here, or does not read, cannot be compared, and stays not measured.
    let tree = |text: &str| id(text).and_then(|commit| repo.store.tree_of_commit(&commit).ok());
    let same_tree = |one: &&Carried| {
        let attested = tree(&one.attested);
        attested.is_some() && attested == tree(&one.commit)
    };
    let left: Vec<&Carried> = carried.iter().filter(|one| !same_tree(one)).collect();
    let here = |text: &&str| repo.store.has_object(text);
    let both = left.iter().flat_map(|one| [one.attested.as_str(), one.commit.as_str()]);
    let both: Vec<CommitId> = both.filter(here).filter_map(id).collect();
    // As above.
    let changes = repo.store.known_changes(&both, &repo.without_memory()).unwrap_or_default();
    let change = |text: &str| id(text).and_then(|commit| changes.get(&commit));
    let same = |one: &Carried| {
        change(&one.attested).is_some_and(|it| !it.is_empty() && Some(it) == change(&one.commit))
    };
    let told = |one: &Carried| tell(Notice::NoteCarried, &[("commit", &one.commit)]);
    let left = left.into_iter().filter(|one| !same(one));
    left.map(|one| (one.record.clone(), Standing::NotMeasured(told(one)))).collect()
}

/// A note's line against the record that it names.
fn judge_note(
    (commit, line): (&str, &str),
    carried: &mut Vec<Carried>,
    known: &BTreeMap<&str, &Read>,
    bound: &Bound<'_>,
) -> Option<(String, Standing)> {
    let id = claim::noted(line)?;
    let said = notes::Record::read(line);
    let standing = match known.get(id.as_str()) {
        None if !bound.whole => {
            Standing::NotMeasured(tell(Notice::NoteOfTornChain, &[("commit", commit)]))
        }
        // A push may have taken the note along and not the record.
        None if bound.only_here => {
            Standing::NotMeasured(tell(Notice::NoteOfRecordElsewhere, &[("commit", commit)]))
        }
        None => Standing::Broken(tell(Notice::NoteOfNoRecord, &[("commit", commit)])),
        Some(read) if read.noted != said => {
            Standing::Broken(tell(Notice::NoteSaysOtherwise, &[("commit", commit)]))
        }
        Some(read) => {
            let record = read.link.record.as_ref().ok()?;
            let attested = &record.attest.as_ref()?.commit;
            if attested != commit {
                let (attested, commit) = (attested.clone(), commit.to_owned());
                carried.push(Carried { record: id.clone(), attested, commit });
            }
            return None;
        }
    };
    Some((id, standing))
}
