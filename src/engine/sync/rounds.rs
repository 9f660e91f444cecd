//! One sync with a remote: look, fetch, join, push; again after a lost race.
//!
//! What is there is fetched below `refs/seed-remote` and decided on by [`join`]. A race is lost
//! when somebody pushed between our look and our push: three rounds, then the person decides. The
//! server's own no is told at once. All rounds share one time box.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::sync::carrier::{Carrier, Odd, There, Transport};
use crate::engine::sync::join::{self, Came, Joined, JoinedJob, Published, Served};
use crate::engine::sync::own::{self, RulesAre};
use crate::engine::sync::remote::{self, First};
use crate::engine::texts;
use crate::format::{names, sync};
use crate::jobs::syncing;
use crate::store::{CommitId, Copies, Pushed, RefPush};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world::progress;

/// How often it is tried where somebody else is always first.
const ROUNDS: u32 = 3;

/// What a person asks for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub remote: Option<String>,
    pub transport: Option<Transport>,
    /// Owners that the person agrees to.
    pub owners: Vec<String>,
    pub time: Duration,
    pub dry_run: bool,
}

/// What came of it: `sync --json`.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Synced {
    pub remote: String,
    pub transport: &'static str,
    pub owner: String,
    pub rounds: u32,
    pub jobs: Vec<JoinedJob>,
    pub texts: bool,
    pub rules: RulesAre,
    /// Equal in two clones where they have the same.
    pub state: String,
    /// A pack that git made holds words that were taken away.
    #[serde(skip)]
    pub packed: bool,
    /// What lies there and was left there.
    #[serde(skip)]
    pub aside: Vec<Odd>,
}

/// Syncs with a remote. `agrees` is asked before the first time.
pub(crate) fn sync(
    repo: &Repo,
    asked: &Asked,
    agrees: &mut dyn FnMut(&First) -> Result<bool>,
) -> Answered<Synced> {
    repo.require_seeded()?;
    let remote = match remote::which(repo, asked.remote.as_deref())? {
        Ok(remote) => remote,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let owners = if asked.dry_run && asked.owners.is_empty() {
        // Nothing goes out.
        remote::owners(repo, &repo.store.push_urls(&remote)?)?
    } else {
        match remote::agree(repo, &remote, &asked.owners, agrees)? {
            Ok(owners) => owners,
            Err(refusal) => return Ok(Err(refusal)),
        }
    };
    if !asked.dry_run {
        // No word of a prompt goes out in a chain.
        texts::carry::carry_over(repo, false)?;
    }
    let transport = remote::transport(repo, &remote, asked.transport);
    let wire = repo.store.wire(&remote, asked.time);
    let copies = Copies::Brought;
    let carrier = Carrier { repo, wire: &wire, remote: &remote, transport, copies };
    // Another sync would set the copies back that a push goes from.
    let _alone = repo.store.syncs_alone()?;
    // What a sync that was killed left locked nobody else would free.
    repo.store.drop_old_ref_locks()?;
    let mut synced = Synced {
        remote: remote.clone(),
        transport: transport.word(),
        owner: owners.join(", "),
        texts: travels_with_texts(repo, transport),
        ..Synced::default()
    };
    if let Some(refusal) = rounds(&carrier, asked.dry_run, &mut synced)? {
        return Ok(Err(refusal));
    }
    if !asked.dry_run {
        remote::remember(repo, &remote, transport)?;
    }
    synced.state = state(repo)?;
    Ok(Ok(synced))
}

/// Rounds until one is done; gives the refusal of one that refused.
fn rounds(carrier: &Carrier<'_>, dry_run: bool, synced: &mut Synced) -> Result<Option<Refusal>> {
    let mut lost: Option<Lost> = None;
    while synced.rounds < ROUNDS {
        synced.rounds += 1;
        match round(carrier, dry_run, synced)? {
            Round::Done => return Ok(None),
            Round::Refused(refusal) => return Ok(Some(refusal)),
            Round::Lost(now) => {
                // Where nothing moved since the last one, nobody else pushed.
                if lost.as_ref().is_some_and(|before| before.there == now.there)
                    && let Some(no) = now.no
                {
                    return Err(no);
                }
                lost = Some(now);
            }
        }
    }
    let rounds = ROUNDS.to_string();
    let facts = [("remote", carrier.remote), ("rounds", rounds.as_str())];
    Err(EngineError::Remote(tell(Notice::SyncLost, &facts)))
}

/// Words go along where a rule says so; a branch would never forget them.
fn travels_with_texts(repo: &Repo, transport: Transport) -> bool {
    repo.rules.syncs_prompts && transport == Transport::Refs
}

/// How a round ended.
enum Round {
    Done,
    /// Somebody else was first.
    Lost(Lost),
    Refused(Refusal),
}

/// A round that somebody else seems to have been first in.
struct Lost {
    /// What was there.
    there: BTreeMap<String, CommitId>,
    /// What it is where nobody was.
    no: Option<EngineError>,
}

fn round(carrier: &Carrier<'_>, dry_run: bool, synced: &mut Synced) -> Result<Round> {
    let (repo, remote) = (carrier.repo, carrier.remote);
    progress::begin(&tell(Notice::DoesFetch, &[("remote", remote)]), 0);
    let mut there = carrier.look()?;
    if let Some(refusal) = unfit(&there, remote) {
        return Ok(Round::Refused(refusal));
    }
    let looked = there.refs.clone();
    let gone = || Lost { there: looked.clone(), no: None };
    if !synced.texts {
        there.refs.remove(names::TEXTS);
        there.odd.retain(|odd| !join::is_below(&odd.name, names::TEXTS));
    }
    // The format first: nothing of a newer one is taken.
    if !carrier.bring(&mut there, &|name| name == names::META)? {
        return Ok(Round::Lost(gone()));
    }
    if let Some(meta) = there.refs.get(names::META)
        && let Some(refusal) = own::newer(repo, remote, meta)?
    {
        return Ok(Round::Refused(refusal));
    }
    // A dry run takes no words in: it would leave those here that are to be nowhere.
    if !carrier.bring(&mut there, &|name| !(dry_run && name == names::TEXTS))? {
        return Ok(Round::Lost(gone()));
    }
    carrier.forget(&there)?;
    there.odd = there.odd.into_iter().map(|odd| carrier.odd(odd)).collect();
    let published = published(&there);
    let joined = join::join(repo, &published, Served::Server, dry_run)?;
    let mut pushes: Vec<RefPush> =
        joined.moves.iter().filter_map(|push| going(push, synced.texts)).collect();
    let (rules, own) = own_refs(carrier, &published, &there, dry_run)?;
    pushes.extend(own);
    let left = left(carrier, &there, &joined)?;
    take_in(synced, joined, left, rules);
    if dry_run || pushes.is_empty() {
        return Ok(Round::Done);
    }
    progress::begin(&tell(Notice::DoesPush, &[("remote", remote)]), 0);
    Ok(match carrier.send(&there, &pushes)? {
        Pushed::Done => Round::Done,
        Pushed::Raced { name, why } => {
            let no = EngineError::Remote(servers_no(remote, &name, &why));
            Round::Lost(Lost { there: looked, no: Some(no) })
        }
        Pushed::Refused { name, why } => {
            let said = servers_no(remote, &name, &why);
            // Where objects could not be stored there, another name of the ref is no help.
            let stored = !why.contains("unpack");
            return Err(match carrier.transport {
                Transport::Refs if stored => EngineError::TakesNoRefs(said),
                Transport::Refs | Transport::Branch => EngineError::Remote(said),
            });
        }
    })
}

/// Why nobody can sync with what is there.
fn unfit(there: &There, remote: &str) -> Option<Refusal> {
    match there {
        There { has_branch: false, .. } => Some(syncing::empty(remote)),
        There { is_taken: true, .. } => Some(syncing::branch_taken(remote)),
        There { below: Some(branch), .. } => Some(syncing::branch_below(remote, branch)),
        There { is_worked_in: true, .. } => Some(syncing::worked_in(remote)),
        _ => None,
    }
}

/// What is to be pushed of rules and meta.
fn own_refs(
    carrier: &Carrier<'_>,
    published: &Published,
    there: &There,
    dry_run: bool,
) -> Result<(RulesAre, Vec<RefPush>)> {
    let at = |name: &str| there.refs.get(name);
    let is_free = |name: &str| published.in_the_way(name).is_none();
    let (mut rules, mut pushes) = (RulesAre::Same, Vec::new());
    if is_free(names::RULES) {
        let (are, push) = own::rules(carrier.repo, at(names::RULES), dry_run)?;
        rules = are;
        pushes.extend(push);
    }
    if is_free(names::META) {
        pushes.extend(own::meta(carrier.repo, at(names::META), dry_run)?);
    }
    Ok((rules, pushes))
}

/// What was left there or here, each once.
fn left(carrier: &Carrier<'_>, there: &There, joined: &Joined) -> Result<Vec<Odd>> {
    let jobs = joined.jobs.iter().filter(|job| job.result == Came::SetAside);
    let told: BTreeSet<String> = jobs.map(|job| format!("{}{}", names::JOBS, job.id)).collect();
    let mut left: Vec<Odd> =
        there.odd.iter().filter(|odd| !told.contains(&odd.name)).cloned().collect();
    for (name, why) in own::odd(carrier.repo, &there.refs)? {
        let why = carrier.broken(&name, &why);
        left.push(Odd { name, why });
    }
    left.extend(aside(joined, Some(carrier)));
    Ok(left)
}

/// The server does not take the ref `name`.
fn servers_no(remote: &str, name: &str, why: &str) -> String {
    tell(Notice::SyncServerNo, &[("remote", remote), ("ref", name), ("why", why)])
}

/// What is merged, of what is there.
pub(crate) fn published(there: &There) -> Published {
    let merged = |name: &str| names::is_merged(name) || name == names::TEXTS;
    let refs = there.refs.iter().filter(|(name, _)| merged(name));
    let refs = refs.map(|(name, id)| (name.clone(), id.clone())).collect();
    Published { refs, odd: there.odd.clone() }
}

/// A move as git is to push it.
fn going(push: &join::Push, texts: bool) -> Option<RefPush> {
    let is_texts = push.name == names::TEXTS;
    let (name, seen, to) = (push.name.clone(), push.seen.clone(), push.to.clone());
    (!is_texts || texts).then_some(RefPush { name, seen, to, replaces: is_texts })
}

/// Adds what this round did; of a job, what an earlier round merged stays said.
fn take_in(synced: &mut Synced, joined: Joined, aside: Vec<Odd>, rules: RulesAre) {
    synced.aside = aside;
    synced.packed |= joined.packed;
    for job in joined.jobs {
        match synced.jobs.iter_mut().find(|known| known.id == job.id) {
            Some(known) => {
                let quiet = |came: Came| matches!(came, Came::Same | Came::Pushed);
                if !quiet(job.result) || quiet(known.result) {
                    known.result = job.result;
                }
                known.rejected.extend(job.rejected);
                known.aside = job.aside;
            }
            None => synced.jobs.push(job),
        }
    }
    synced.jobs.sort_by(|a, b| a.id.cmp(&b.id));
    synced.rules = if synced.rules == RulesAre::Pushed { RulesAre::Pushed } else { rules };
}

/// What was left alone, with the reason; what is at fault at the remote of `carrier`, with what a
/// person can do.
pub(crate) fn aside(joined: &Joined, carrier: Option<&Carrier<'_>>) -> Vec<Odd> {
    let shared = joined.aside.iter().map(|left| {
        let why = match carrier.filter(|_| left.theirs) {
            Some(carrier) => carrier.broken(&left.name, &left.why),
            None => left.why.clone(),
        };
        Odd { name: left.name.clone(), why }
    });
    let jobs = joined.jobs.iter().filter(|job| job.result == Came::SetAside);
    let jobs = jobs.map(|job| (job.id.clone(), job.aside.clone().unwrap_or_default()));
    shared.chain(jobs.map(|(name, why)| Odd { name, why })).collect()
}

/// The hash over what is merged, as it stands here.
pub(crate) fn state(repo: &Repo) -> Result<String> {
    let refs = merged_here(repo)?;
    Ok(sync::state(refs.iter().map(|(name, id)| (name.as_str(), id.as_str()))))
}

/// The refs that are merged, as they stand here.
pub(crate) fn merged_here(repo: &Repo) -> Result<Vec<(String, String)>> {
    let mut refs: Vec<(String, String)> = Vec::new();
    for (name, id) in repo.store.chains(names::JOBS)? {
        refs.push((name, id.to_string()));
    }
    for name in [names::ARCHIVE, names::CLAIMS, names::COMMIT_NOTES] {
        refs.extend(repo.store.stands_at(name)?.map(|id| (name.to_owned(), id.to_string())));
    }
    refs.retain(|(name, _)| names::is_merged(name));
    Ok(refs)
}
