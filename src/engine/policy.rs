//! A team's rules: `seed.toml` on the default branch of a remote, where somebody signed it whom the
//! person's own git configuration names.
//!
//! What of it only tightens the rules in force is put into force when a session begins; the rest
//! waits for the person. No network: branches are taken as they were fetched last. Git is asked
//! about a signature once for each text, and what came of it is kept in `.git/seed/policy.json`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::repo::{Repo, Result, own_state};
use crate::engine::{claims, fence};
use crate::format::short_hash;
use crate::rules::Rules;
use crate::rules::direction::Direction;
use crate::store::{Behind, CommitId, RemoteBranch, RepoPath};
use crate::voice::{Notice, tell};
use crate::world::{self, Scratch};

/// Git's setting that names who may sign a policy.
const KEYS: &str = "seed.policyKeys";
/// The file that is one.
const FILE: &str = "seed.toml";
/// The longest that git may look at one branch, twice.
const MOST: Duration = Duration::from_secs(2);

/// What was seen of policies in this clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    /// A hash of the keys that were allowed.
    keys: String,
    branches: Vec<Judged>,
    /// Keys that policies named which were put into force here.
    #[serde(default)]
    held: BTreeSet<String>,
}

/// The file of one branch, and who stands behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Judged {
    remote: String,
    name: String,
    tip: String,
    text: String,
    /// When its last commit was made.
    at: i64,
    stands: Stands,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stands {
    Signed { commit: String },
    Unsigned { commit: String },
    Foreign { commit: String, why: String },
    Untold { why: String },
}

/// A policy that counts, and what it asks for.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub remote: String,
    pub commit: String,
    /// The rules in force as it would have them.
    pub wanted: String,
}

/// What came of looking at policies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looked {
    /// Lines for the person.
    pub told: Vec<String>,
    /// Other rules are in force now.
    pub applied: bool,
}

// ---- when a session begins, and afterwards

/// Looks at the policy as a session begins, and puts what tightens into force.
pub(crate) fn begin(repo: &Repo) -> Result<Looked> {
    let (mut told, keys) = (own_setting(repo), Keys::of(repo)?);
    let before = seen(repo)?;
    let seen = look(repo, &keys, before.clone())?;
    told.extend(keys.wrong.iter().cloned());
    let mut looked = Looked { told, applied: false };
    let mut kept = seen.clone();
    match chosen(&seen) {
        Some((judged, commit)) => put(repo, judged, commit, &mut kept.held, &mut looked)?,
        None => looked.told.extend(untrusted(&seen)),
    }
    looked.told.extend(gone(repo, &kept));
    if kept != before {
        world::write_whole(&file(repo), &serde_json::to_vec(&kept)?)?;
    }
    Ok(looked)
}

/// How the policy stands by what was seen of it when the last session began; no program is asked.
pub(crate) fn standing(repo: &Repo) -> Result<Vec<String>> {
    let (mut told, seen) = (own_setting(repo), seen(repo)?);
    match chosen(&seen) {
        Some((judged, commit)) => match wanted(repo, judged, commit, &seen.held) {
            Ok(policy) => told.extend(waits(repo, &policy)?),
            Err(line) => told.push(line),
        },
        None => told.extend(untrusted(&seen)),
    }
    told.extend(gone(repo, &seen));
    Ok(told)
}

/// The policy of a remote, looked at anew; the line that says why it does not count, where there is
/// one that does not. Nothing is written.
pub(crate) fn of_remote(
    repo: &Repo,
    remote: &str,
) -> Result<std::result::Result<Policy, Option<String>>> {
    let mut seen = look(repo, &Keys::of(repo)?, seen(repo)?)?;
    seen.branches.retain(|judged| judged.remote == remote);
    Ok(match chosen(&seen) {
        Some((judged, commit)) => wanted(repo, judged, commit, &seen.held).map_err(Some),
        None => Err(untrusted(&seen)),
    })
}

// ---- looking

/// Who may sign, in one text as git reads it.
#[derive(Debug, Default)]
struct Keys {
    signers: String,
    /// Values that cannot be used.
    wrong: Vec<String>,
}

impl Keys {
    fn of(repo: &Repo) -> Result<Self> {
        let mut keys = Self::default();
        // Without a file to judge there is nothing to ask git for.
        if files(repo)?.is_empty() && seen(repo)? == Seen::default() {
            return Ok(keys);
        }
        for value in repo.store.wider_settings(KEYS)? {
            match signers(repo, &value) {
                Ok(text) => keys.signers.push_str(&format!("{}\n", text.trim_end())),
                Err(why) => {
                    let facts = [("value", value.as_str()), ("why", why.as_str())];
                    keys.wrong.push(tell(Notice::PolicyKeysWrong, &facts));
                }
            }
        }
        Ok(keys)
    }
}

/// The allowed signers that one value names: a key, or the path of a file.
fn signers(repo: &Repo, value: &str) -> std::result::Result<String, String> {
    let key = value.strip_prefix("key::").unwrap_or(value);
    if ["ssh-", "ecdsa-", "sk-"].iter().any(|kind| key.starts_with(kind)) {
        return Ok(format!("* {key}"));
    }
    let path = Path::new(value);
    if !path.is_absolute() {
        return Err(tell(Notice::PolicyKeysRelative, &[]));
    }
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    let own = [repo.store.work_tree().to_owned(), repo.store.common_dir().to_owned()];
    // Where an agent works it could write it.
    let inside = |place: &PathBuf| place.canonicalize().is_ok_and(|place| real.starts_with(place));
    if own.iter().any(inside) {
        return Err(tell(Notice::PolicyKeysInside, &[]));
    }
    let bytes = world::read_if_there(&real).map_err(|error| error.to_string())?;
    String::from_utf8(bytes.unwrap_or_default()).map_err(|error| error.to_string())
}

/// The file of each default branch that has one.
fn files(repo: &Repo) -> Result<Vec<(RemoteBranch, String)>> {
    let path = path();
    let mut found = Vec::new();
    for branch in repo.store.named_default_branches()? {
        let tree = repo.store.tree_of_commit(&branch.commit)?;
        if let Some(bytes) = repo.store.blob_at(&tree, &path)? {
            found.push((branch, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(found)
}

fn path() -> RepoPath {
    RepoPath::try_from(FILE).unwrap_or_else(|bad| unreachable!("a file at the top: {bad}"))
}

/// Judges the files that were not judged before. Without keys there is no policy.
fn look(repo: &Repo, keys: &Keys, before: Seen) -> Result<Seen> {
    if keys.signers.trim().is_empty() {
        return Ok(Seen::default());
    }
    let hash = short_hash(keys.signers.as_bytes(), 32);
    let known = if before.keys == hash { before.branches } else { Vec::new() };
    let mut seen = Seen { keys: hash, branches: Vec::new(), held: before.held };
    for (branch, text) in files(repo)? {
        let of = |one: &&Judged| one.remote == branch.remote && one.name == branch.name;
        let same = |one: &&Judged| {
            // A text that counted once counts in whatever commit it comes again.
            let signed = matches!(one.stands, Stands::Signed { .. });
            one.text == text && (signed || one.tip == branch.commit.as_str())
        };
        seen.branches.push(match known.iter().find(of).filter(same) {
            Some(known) => Judged { tip: branch.commit.to_string(), ..known.clone() },
            None => judge(repo, &branch, text, &keys.signers)?,
        });
    }
    // What counted once and is not there any more stays known by its name.
    for lost in known.into_iter().filter(|one| matches!(one.stands, Stands::Signed { .. })) {
        if !seen.branches.iter().any(|one| one.remote == lost.remote && one.name == lost.name) {
            seen.branches.push(Judged { tip: String::new(), ..lost });
        }
    }
    Ok(seen)
}

fn judge(repo: &Repo, branch: &RemoteBranch, text: String, signers: &str) -> Result<Judged> {
    let own = [repo.store.work_tree().to_owned(), repo.store.common_dir().to_owned()];
    let scratch = Scratch::outside_of(&own)?;
    let keys = scratch.dir().join("signers");
    world::write_whole(&keys, signers.as_bytes())?;
    let behind = repo.store.behind(&branch.commit, &path(), &keys, MOST)?;
    let at = |commit: &CommitId| repo.store.committed_at(commit);
    let (at, stands) = match behind {
        Behind::Signed(commit) => (at(&commit)?, Stands::Signed { commit: commit.to_string() }),
        Behind::Unsigned(commit) => (at(&commit)?, Stands::Unsigned { commit: commit.to_string() }),
        Behind::Foreign(commit, why) => {
            (at(&commit)?, Stands::Foreign { commit: commit.to_string(), why })
        }
        Behind::Untold(why) => (0, Stands::Untold { why }),
    };
    let (remote, name) = (branch.remote.clone(), branch.name.clone());
    Ok(Judged { remote, name, tip: branch.commit.to_string(), text, at, stands })
}

/// The newest one that counts: a fork that lags behind does not outweigh the others.
fn chosen(seen: &Seen) -> Option<(&Judged, &str)> {
    let signed = seen.branches.iter().rev().filter_map(|one| match &one.stands {
        Stands::Signed { commit } if !one.tip.is_empty() => Some((one, commit.as_str())),
        _ => None,
    });
    signed.max_by_key(|(one, _)| one.at)
}

/// Why the first file that is there does not count.
fn untrusted(seen: &Seen) -> Option<String> {
    let one = seen.branches.iter().find(|one| !one.tip.is_empty())?;
    let (notice, commit, why) = match &one.stands {
        Stands::Signed { .. } => return None,
        Stands::Unsigned { commit } => (Notice::PolicyUnsigned, commit.as_str(), ""),
        Stands::Foreign { commit, why } => (Notice::PolicyForeign, commit.as_str(), why.as_str()),
        Stands::Untold { why } => (Notice::PolicyUntold, "", why.as_str()),
    };
    let facts = [("remote", one.remote.as_str()), ("commit", &short(commit)), ("why", why)];
    Some(tell(notice, &facts))
}

/// A policy counted here once, and its branch is not there any more.
fn gone(repo: &Repo, seen: &Seen) -> Vec<String> {
    // A ref that does not read is not there for anybody.
    let there = |name: &str| repo.store.commit_of_ref(name).ok().flatten().is_some();
    let lost = seen.branches.iter().filter(|one| one.tip.is_empty() || !there(&one.name));
    let told =
        |one: &Judged| tell(Notice::PolicyGone, &[("remote", &one.remote), ("name", &one.name)]);
    lost.map(told).collect()
}

// ---- putting it into force

/// The rules in force as the file would have them; else the line that says what is wrong with it.
fn wanted(
    repo: &Repo,
    judged: &Judged,
    commit: &str,
    held: &BTreeSet<String>,
) -> std::result::Result<Policy, String> {
    let unsound = |why: &dyn std::fmt::Display| {
        tell(
            Notice::PolicyUnsound,
            &[("remote", judged.remote.as_str()), ("why", &why.to_string())],
        )
    };
    let applied = repo.applied_rules().map_err(|error| unsound(&error))?;
    let wanted = Rules::under_policy(applied.as_deref(), &judged.text, held);
    let wanted = wanted.map_err(|bad| unsound(&bad.told(FILE, &judged.text)))?;
    Ok(Policy { remote: judged.remote.clone(), commit: commit.to_owned(), wanted })
}

fn put(
    repo: &Repo,
    judged: &Judged,
    commit: &str,
    held: &mut BTreeSet<String>,
    looked: &mut Looked,
) -> Result<()> {
    let policy = match wanted(repo, judged, commit, held) {
        Ok(policy) => policy,
        Err(line) => {
            looked.told.push(line);
            return Ok(());
        }
    };
    let strays = fence::fingerprint_restore::print_strays(repo)?;
    if !strays.is_empty() {
        let facts = [("remote", policy.remote.as_str()), ("paths", &strays.join(", "))];
        looked.told.push(tell(Notice::PolicyHeld, &facts));
        return Ok(());
    }
    looked.told.extend(tighten(repo, &policy, &mut looked.applied)?);
    looked.told.extend(waits(repo, &policy)?);
    let named = Rules::named(&judged.text)?;
    match left(repo, &policy)? {
        0 => *held = named,
        _ => held.extend(named),
    }
    Ok(())
}

/// Puts what only tightens into force, and says which keys that are.
fn tighten(repo: &Repo, policy: &Policy, done: &mut bool) -> Result<Option<String>> {
    let _lock = repo.store.lock()?;
    let applied = repo.applied_rules()?;
    let Some(text) = Rules::only_tighter(applied.as_deref(), &policy.wanted)? else {
        return Ok(None);
    };
    let changes = Rules::changes(applied.as_deref(), &text)?;
    let mut keys: Vec<&str> = changes.iter().map(|change| change.key.as_str()).collect();
    // What a key makes of a map is said by the key.
    keys.retain(|key| !key.contains(": lane: "));
    let facts =
        [("remote", policy.remote.as_str()), ("commit", &short(&policy.commit)), ("keys", "")];
    let why = tell(Notice::SubjectPolicy, &facts[..2]);
    claims::checkers::put_in_force(repo, applied.is_none(), &text, &why)?;
    *done = true;
    Ok(Some(tell(Notice::PolicyApplied, &[facts[0], facts[1], ("keys", &keys.join(", "))])))
}

/// How many keys of the policy are not in force.
fn left(repo: &Repo, policy: &Policy) -> Result<usize> {
    Ok(Rules::changes(repo.applied_rules()?.as_deref(), &policy.wanted)?.len())
}

/// What waits for the person, in one line.
fn waits(repo: &Repo, policy: &Policy) -> Result<Option<String>> {
    let changes = Rules::changes(repo.applied_rules()?.as_deref(), &policy.wanted)?;
    let waiting = changes.iter().filter(|one| one.direction() != Direction::Tightens);
    let keys: Vec<String> = waiting
        .filter(|change| !change.key.contains(": lane: "))
        .map(|change| format!("{} {}", change.key, change.direction().word()))
        .collect();
    let facts = [("remote", policy.remote.as_str()), ("keys", &keys.join(", "))];
    Ok((!keys.is_empty()).then(|| tell(Notice::PolicyWaits, &facts)))
}

// ---- small things

/// A value in the repository's own configuration counts for nothing, and is said.
fn own_setting(repo: &Repo) -> Vec<String> {
    let set = repo.store.sets_itself("seed", "policyKeys");
    set.then(|| tell(Notice::PolicyKeysOwn, &[])).into_iter().collect()
}

fn short(commit: &str) -> String {
    commit.chars().take(12).collect()
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("policy.json")
}

/// What was seen last. What does not read is looked at anew: it grants nothing.
fn seen(repo: &Repo) -> Result<Seen> {
    // As said above.
    Ok(own_state::from_json(&file(repo)).unwrap_or_default().unwrap_or_default())
}
