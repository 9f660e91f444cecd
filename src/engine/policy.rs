//! A team's rules: `seed.toml` on the default branch of a remote, where somebody signed it whom the
//! person's own git configuration names.
//!
//! What of it only tightens the rules in force is put into force when a session begins; the rest
//! waits for the person. No network: branches are taken as they were fetched last. Git is asked
//! about a signature once for each text, and what came of it is kept in `.git/seed/policy.json`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::engine::{claims, fence};
use crate::format::short_hash;
use crate::rules::Rules;
use crate::rules::policy::Held;
use crate::store::{Behind, CommitId, Here, RemoteBranch, RepoPath};
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
    /// Keys that policies put into force here, and how.
    #[serde(default)]
    held: Held,
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
    /// An earlier text of this branch counted.
    #[serde(default)]
    once: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stands {
    Signed { commit: String },
    Unsigned { commit: String },
    Foreign { commit: String, why: String },
    Untold { why: String },
}

impl Judged {
    fn counts(&self) -> bool {
        matches!(self.stands, Stands::Signed { .. })
    }
}

/// A policy that counts, and what it asks for.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub remote: String,
    pub commit: String,
    /// The rules in force as it would have them.
    pub wanted: String,
    /// Keys that it does not name and that come back as shipped, by what this clone noted.
    pub dropped: Vec<String>,
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
    if !keys.set {
        forget(repo)?;
        return Ok(Looked { told, applied: false });
    }
    let before = seen(repo)?;
    let seen = look(repo, &keys, before.clone())?;
    told.extend(keys.wrong.iter().cloned());
    let mut looked = Looked { told, applied: false };
    let mut kept = seen.clone();
    if let Some((judged, commit)) = chosen(&seen) {
        put(repo, judged, commit, &mut kept.held, &mut looked)?;
    }
    looked.told.extend(untrusted(&seen));
    looked.told.extend(gone(repo, &kept));
    if kept != before {
        world::write_whole(&file(repo), &serde_json::to_vec(&kept)?)?;
    }
    Ok(looked)
}

/// How the policy stands by what was seen of it when the last session began; no program is asked.
pub(crate) fn standing(repo: &Repo) -> Result<Vec<String>> {
    let mut told = own_setting(repo);
    if !may_have_keys(repo) {
        return Ok(told);
    }
    let seen = seen(repo)?;
    if let Some((judged, commit)) = chosen(&seen) {
        match wanted(repo, judged, commit, &seen.held) {
            Ok(policy) => told.extend(waits(repo, &policy)?),
            Err(line) => told.push(line),
        }
    }
    told.extend(untrusted(&seen));
    told.extend(gone(repo, &seen));
    Ok(told)
}

/// The policy of a remote, looked at anew; the line that says why it does not count, where there is
/// one that does not. Nothing is written, and what was seen before is no proof of anything.
pub(crate) fn of_remote(
    repo: &Repo,
    remote: &str,
) -> Result<std::result::Result<Policy, Option<String>>> {
    let keys = Keys::of(repo)?;
    if !keys.set {
        return Ok(Err(None));
    }
    if keys.signers.trim().is_empty() {
        let there = files(repo)?.iter().any(|(branch, _)| branch.remote == remote);
        let none = || tell(Notice::PolicyKeysNone, &[("remote", remote)]);
        return Ok(Err(there.then(|| keys.wrong.into_iter().next().unwrap_or_else(none))));
    }
    let mut seen = look(repo, &keys, Seen { branches: Vec::new(), ..seen(repo)? })?;
    seen.branches.retain(|judged| judged.remote == remote);
    Ok(match chosen(&seen) {
        Some((judged, commit)) => wanted(repo, judged, commit, &seen.held).map_err(Some),
        None => Err(untrusted(&seen).into_iter().next()),
    })
}

// ---- looking

/// Who may sign, in one text as git reads it.
#[derive(Debug, Default)]
struct Keys {
    /// The setting is there.
    set: bool,
    signers: String,
    /// Values that cannot be used.
    wrong: Vec<String>,
}

impl Keys {
    fn of(repo: &Repo) -> Result<Self> {
        let mut keys = Self::default();
        // Without any there is nothing to ask git for, and nothing to read.
        if !may_have_keys(repo) {
            return Ok(keys);
        }
        for value in repo.store.wider_settings(KEYS)? {
            keys.set = true;
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

/// A file of the person's or the machine's configuration names keys, for all that is seen here.
fn may_have_keys(repo: &Repo) -> bool {
    fence::fingerprints::configs(repo).policy_keys
}

/// The allowed signers that one value names: a key, or the path of a file.
fn signers(repo: &Repo, value: &str) -> std::result::Result<String, String> {
    let key = value.strip_prefix("key::").unwrap_or(value);
    if ["ssh-", "ecdsa-", "sk-"].iter().any(|kind| key.starts_with(kind)) {
        return Ok(format!("* {key}"));
    }
    let home = value.strip_prefix("~/").zip(world::variable("HOME"));
    let path = home.map_or(PathBuf::from(value), |(rest, home)| Path::new(&home).join(rest));
    if !path.is_absolute() {
        return Err(tell(Notice::PolicyKeysRelative, &[]));
    }
    let real = crate::world::real(path).map_err(|error| error.to_string())?;
    let own = [repo.store.work_tree().to_owned(), repo.store.common_dir().to_owned()];
    // Where an agent works it could write it.
    let inside =
        |place: &PathBuf| crate::world::real(place).is_ok_and(|place| real.starts_with(place));
    if own.iter().any(inside) {
        return Err(tell(Notice::PolicyKeysInside, &[]));
    }
    let bytes = world::read_if_there(&real).map_err(|error| error.to_string())?;
    String::from_utf8(bytes.unwrap_or_default()).map_err(|error| error.to_string())
}

/// The file of each default branch that has one, or may have one that is not here.
fn files(repo: &Repo) -> Result<Vec<(RemoteBranch, Option<String>)>> {
    let path = path();
    let mut found = Vec::new();
    for branch in repo.store.named_default_branches()? {
        match repo.store.here_at(&branch.commit, &path)? {
            Here::Bytes(bytes) => {
                found.push((branch, Some(String::from_utf8_lossy(&bytes).into_owned())));
            }
            Here::Missing => found.push((branch, None)),
            Here::None => {}
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
            let here = text.as_ref() == Some(&one.text);
            here && (one.counts() || one.tip == branch.commit.as_str())
        };
        let before = known.iter().find(of);
        let once = before.is_some_and(|one| one.once || one.counts());
        let judged = match (before.filter(same), text.clone()) {
            (Some(known), _) => Judged { tip: branch.commit.to_string(), ..known.clone() },
            (None, Some(text)) => judge(repo, &branch, text, &keys.signers)?,
            (None, None) => not_here(&branch),
        };
        seen.branches.push(Judged { once, ..judged });
    }
    // What counted once and is not there any more stays known by its name.
    for lost in known.into_iter().filter(Judged::counts) {
        if !seen.branches.iter().any(|one| one.remote == lost.remote && one.name == lost.name) {
            seen.branches.push(Judged { tip: String::new(), ..lost });
        }
    }
    Ok(seen)
}

/// A file that the clone left with its remote; nothing fetches it as a session begins.
fn not_here(branch: &RemoteBranch) -> Judged {
    let (remote, name) = (branch.remote.clone(), branch.name.clone());
    let stands = Stands::Untold { why: tell(Notice::PolicyNotHere, &[]) };
    Judged {
        remote,
        name,
        tip: branch.commit.to_string(),
        text: String::new(),
        at: 0,
        stands,
        once: false,
    }
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
    Ok(Judged { remote, name, tip: branch.commit.to_string(), text, at, stands, once: false })
}

/// The newest one that counts: a fork that lags behind does not outweigh the others.
fn chosen(seen: &Seen) -> Option<(&Judged, &str)> {
    let signed = seen.branches.iter().rev().filter_map(|one| match &one.stands {
        Stands::Signed { commit } if !one.tip.is_empty() => Some((one, commit.as_str())),
        _ => None,
    });
    signed.max_by_key(|(one, _)| one.at)
}

/// Why files that are there do not count: the first one where none does, and each one of a branch
/// that had a policy before.
fn untrusted(seen: &Seen) -> Vec<String> {
    let none = chosen(seen).is_none();
    let there = seen.branches.iter().filter(|one| !one.tip.is_empty()).enumerate();
    let told = there.filter(|(n, one)| one.once || (none && *n == 0));
    told.filter_map(|(_, one)| why_not(one)).collect()
}

fn why_not(one: &Judged) -> Option<String> {
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
    held: &Held,
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
    let dropped = Rules::dropped(applied.as_deref(), &judged.text, held);
    let dropped = dropped.map_err(|bad| unsound(&bad.told(FILE, &judged.text)))?;
    Ok(Policy { remote: judged.remote.clone(), commit: commit.to_owned(), wanted, dropped })
}

fn put(
    repo: &Repo,
    judged: &Judged,
    commit: &str,
    held: &mut Held,
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
    let changed = tighten(repo, &policy, looked)?;
    looked.told.extend(waits(repo, &policy)?);
    let (applied, before) = (repo.applied_rules()?, std::mem::take(held));
    *held = Rules::held_by(applied.as_deref(), &judged.text, &changed, before)?;
    Ok(())
}

/// Puts what only tightens into force; which keys that are.
fn tighten(repo: &Repo, policy: &Policy, looked: &mut Looked) -> Result<Vec<String>> {
    let _lock = repo.store.lock()?;
    let applied = repo.applied_rules()?;
    let Some(text) = Rules::only_tighter(applied.as_deref(), &policy.wanted)? else {
        return Ok(Vec::new());
    };
    let changes = Rules::changes(applied.as_deref(), &text)?;
    let moved: Vec<String> = changes.into_iter().map(|change| change.key).collect();
    // What a key makes of a map is said by the key.
    let keys = moved.iter().map(String::as_str).filter(|key| !key.contains(": lane: "));
    let keys = keys.collect::<Vec<_>>().join(", ");
    let facts = [("remote", policy.remote.as_str()), ("commit", &short(&policy.commit))];
    let why = tell(Notice::SubjectPolicy, &facts);
    claims::checkers::put_in_force(repo, applied.is_none(), &text, &why)?;
    looked.applied = true;
    let said = [facts[0], facts[1], ("keys", keys.as_str())];
    looked.told.push(tell(Notice::PolicyApplied, &said));
    Ok(moved)
}

/// What waits for the person, in one line: all that is not in force, whichever way it goes.
fn waits(repo: &Repo, policy: &Policy) -> Result<Option<String>> {
    let changes = Rules::changes(repo.applied_rules()?.as_deref(), &policy.wanted)?;
    let keys: Vec<String> = changes
        .iter()
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

/// Without keys nothing is known of any policy.
fn forget(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// What was seen last. What does not read is looked at anew. Whoever writes the file puts what only
/// tightens into force as a session begins; for what loosens, git is asked anew.
fn seen(repo: &Repo) -> Result<Seen> {
    // As said above.
    Ok(own_state::from_json(&file(repo)).unwrap_or_default().unwrap_or_default())
}
