//! What git says to a remote: which refs it has, and refs fetched and pushed by their names.
//!
//! All children of one [`Wire`] share one time box; one that is not back in time is ended with all
//! that it started. None asks anybody: a passphrase, a password or an unknown host is an error. No
//! refspec, tag, mirror or hook of the person's configuration takes part. Nothing here locks.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::StoreError;
use super::git::{Child, Outcome};
use super::{CommitId, Store};
use crate::format::names;
use crate::secrets;
use crate::world;
use crate::world::config_lock::{self, Naming};

/// A remote, or a bundle, that is spoken to until a time.
#[derive(Debug)]
pub(crate) struct Wire<'s> {
    store: &'s Store,
    remote: String,
    ends: Instant,
    time: Duration,
}

/// The refs of a remote that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Ours, by their names there.
    pub ours: BTreeMap<String, CommitId>,
    /// The branch in which refs travel where a server takes only branches.
    pub carrier: Option<CommitId>,
    /// A branch there beside which git can keep no [`Listed::carrier`].
    pub below_carrier: Option<String>,
    /// It has a branch besides.
    pub has_branch: bool,
    /// A job is in focus there.
    pub is_worked_in: bool,
}

/// A ref that is to move there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefPush {
    pub name: String,
    /// Where it was seen; `None` for one that was not there.
    pub seen: Option<CommitId>,
    /// Where it is to be; `None` where it goes.
    pub to: Option<CommitId>,
    /// What it is to be does not descend from what was seen.
    pub replaces: bool,
}

/// How what is fetched is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Come {
    AsGitLikes,
    /// Each object by itself, so that one can be taken away again.
    Loose,
}

/// What is known of the copies of what a remote has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    /// They were made to say what it has, right before.
    Brought,
    /// They may be of another day.
    Old,
}

/// What came of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    Done,
    /// Somebody else was first, as far as git's words tell.
    Raced {
        name: String,
        why: String,
    },
    /// The server does not take it, whoever comes first.
    Refused {
        name: String,
        why: String,
    },
}

/// What git is asked to push, and where copies are to be behind it.
#[derive(Debug, Default)]
struct Out {
    specs: Vec<String>,
    /// What is to be where it was seen, besides.
    leases: Vec<String>,
    done: Vec<(String, Option<CommitId>)>,
    failed: Vec<(String, Option<CommitId>)>,
}

/// What is looked for at a remote: our refs, and what git can keep none of ours beside.
const OURS_THERE: [&str; 5] =
    ["refs/seed/*", "refs/seed", names::COMMIT_NOTES, "refs/notes/seed/*", "refs/notes"];

/// The ref of a job that goes, below another name.
fn at(below: &str, job: &RefPush) -> String {
    format!("{below}{}", job.name.strip_prefix(names::JOBS).unwrap_or(&job.name))
}

/// Refs below `refs/seed-remote` say what a remote has: after a power cut they are fetched again,
/// so git need not wait for the disk once for each.
const UNSYNCED: &str = "-reference";
/// Git keeps a pack that has at least so many objects.
const LOOSE: &str = "fetch.unpackLimit=2000000000";

/// How git names a ref that somebody else moved since it was seen.
const RACED: [&str; 9] = [
    "fetch first",
    "non-fast-forward",
    "stale info",
    "needs force",
    "incorrect old value",
    "cannot lock ref",
    "failed to update ref",
    "already exists",
    "failed to lock",
];

/// How it names the others of a push that is all or nothing.
const BESIDE: [&str; 3] =
    ["atomic push failed", "atomic transaction failed", "transaction aborted"];

/// Settings of ours, as `git config --get-regexp` takes them.
const OWN_SETTINGS: &str =
    r"^(seed\.(owner|synconpush(to)?|mergepages)|remote\..*\.seedtransport|merge\.seed-pages\..*)$";

impl Store {
    /// Speaks to `remote` for at most `time`, all in all.
    pub(crate) fn wire(&self, remote: &str, time: Duration) -> Wire<'_> {
        Wire { store: self, remote: remote.to_owned(), ends: Instant::now() + time, time }
    }
}

impl Wire<'_> {
    /// Our refs there, and whether it has a branch.
    pub(crate) fn list(&self) -> Result<Listed, StoreError> {
        let args = ["ls-remote", "--refs", "--", &self.remote];
        let ours = OURS_THERE.into_iter().chain(["refs/heads/*", names::FOCUS]);
        let said = self.heard(args.into_iter().chain(ours).map(OsString::from), Vec::new())?;
        if said.code != Some(0) {
            return Err(self.failed("ls-remote", said));
        }
        let mut listed = Listed::default();
        for line in String::from_utf8_lossy(&said.stdout).lines() {
            let Some((id, name)) = line.split_once('\t') else { continue };
            let Ok(id) = id.parse::<CommitId>() else { continue };
            if name == names::CARRIER {
                listed.carrier = Some(id);
            } else if name == names::FOCUS {
                listed.is_worked_in = true;
            } else if let Some(branch) = name.strip_prefix("refs/heads/") {
                listed.has_branch = true;
                let below = name.strip_prefix(names::CARRIER);
                if below.is_some_and(|rest| rest.starts_with('/')) {
                    listed.below_carrier = Some(branch.to_owned());
                }
            } else if name.starts_with("refs/seed/")
                || name.starts_with("refs/notes/seed/")
                || OURS_THERE.contains(&name)
            {
                listed.ours.insert(name.to_owned(), id);
            }
        }
        Ok(listed)
    }

    /// Fetches refs by their names there to names of ours; `false` where one has gone meanwhile.
    pub(crate) fn fetch(&self, specs: &[(String, String)], come: Come) -> Result<bool, StoreError> {
        if specs.is_empty() {
            return Ok(true);
        }
        let unsynced = self.store.unsynced();
        let options = [
            "-c",
            &unsynced,
            "fetch",
            "--quiet",
            "--no-tags",
            "--refmap=",
            "--no-prune",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--no-show-forced-updates",
        ];
        let mut args: Vec<OsString> = options.iter().map(OsString::from).collect();
        if come == Come::Loose {
            args.splice(0..0, ["-c", LOOSE].map(OsString::from));
        }
        if self.store.is_partial() {
            args.push("--no-filter".into());
        }
        args.extend(["--stdin".into(), "--".into(), OsString::from(&self.remote)]);
        let lines: String =
            specs.iter().map(|(there, here)| format!("+{there}:{here}\n")).collect();
        let said = self.heard(args, lines.into_bytes())?;
        if said.code == Some(0) {
            return Ok(true);
        }
        let gone = String::from_utf8_lossy(&said.stderr).contains("find remote ref");
        if gone { Ok(false) } else { Err(self.failed("fetch", said)) }
    }

    /// Moves refs there: all or none, where the server can.
    pub(crate) fn push(&self, pushes: &[RefPush], copies: Copies) -> Result<Pushed, StoreError> {
        let all: Vec<&RefPush> = pushes.iter().collect();
        if let Some(pushed) = self.push_some(&all, true, copies)? {
            return Ok(pushed);
        }
        // What goes may go only once what takes its place has come.
        let (goes, comes): (Vec<&RefPush>, Vec<&RefPush>) =
            pushes.iter().partition(|push| push.to.is_none());
        for some in [comes, goes].into_iter().filter(|some| !some.is_empty()) {
            match self.push_some(&some, false, copies)? {
                Some(Pushed::Done) | None => {}
                Some(other) => return Ok(other),
            }
        }
        Ok(Pushed::Done)
    }

    /// One push; `None` where it was to be all or nothing and the server does not know how.
    fn push_some(
        &self,
        pushes: &[&RefPush],
        atomic: bool,
        copies: Copies,
    ) -> Result<Option<Pushed>, StoreError> {
        let mut args: Vec<OsString> = Vec::new();
        if self.store.push_settings(&self.remote).0 {
            args.extend(["-c".into(), format!("remote.{}.mirror=false", self.remote).into()]);
        }
        let options = ["-c", "push.pushOption=", "push", "--porcelain", "--no-verify"];
        let quiet = ["--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
        args.extend(options.into_iter().chain(quiet).map(OsString::from));
        args.extend(atomic.then(|| "--atomic".into()));
        let leased = pushes.iter().filter(|push| push.replaces || push.to.is_none());
        args.extend(leased.map(|push| {
            let seen = push.seen.as_ref().map_or("", CommitId::as_str);
            format!("--force-with-lease={}:{seen}", push.name).into()
        }));
        let out = self.out(pushes, copies)?;
        args.extend(out.leases.iter().map(|lease| format!("--force-with-lease={lease}").into()));
        args.extend(["--".into(), OsString::from(&self.remote)]);
        args.extend(out.specs.into_iter().map(OsString::from));
        let said = self.heard(args, Vec::new());
        let done = said.as_ref().is_ok_and(|said| said.code == Some(0));
        self.store.set_copies(if done { &out.done } else { &out.failed })?;
        let said = said?;
        if said.code == Some(0) {
            return Ok(Some(Pushed::Done));
        }
        let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
        if atomic && stderr.contains("does not support --atomic") {
            return Ok(None);
        }
        match judged(&String::from_utf8_lossy(&said.stdout), &stderr) {
            Some(end) => Ok(Some(end)),
            None => Err(self.failed("push", said)),
        }
    }

    /// What git is asked to push. Git compares each name with every ref of the repository, so
    /// many jobs go by one pattern, each at the commit that was decided on: the copies of what is
    /// there are set to what is to be there. Killed then, they are set right by the next look.
    /// Where most of the copies are to stay, those that move stand below a name of their own.
    fn out(&self, pushes: &[&RefPush], known: Copies) -> Result<Out, StoreError> {
        const MANY: usize = 32;
        // Git compares each lease with each ref of the remote.
        const LEASES: usize = 64;
        let one = |push: &&RefPush| {
            let to = push.to.as_ref().map_or("", CommitId::as_str);
            format!("{to}:{}", push.name)
        };
        let is_job = |push: &&RefPush| push.name.starts_with(names::JOBS) && !push.replaces;
        let (jobs, named): (Vec<&RefPush>, Vec<&RefPush>) =
            pushes.iter().partition(|push| is_job(push) && push.to.is_some());
        if jobs.len() < MANY {
            return Ok(Out { specs: pushes.iter().map(one).collect(), ..Out::default() });
        }
        let copies = names::fetched(&self.remote, names::JOBS);
        let stand: BTreeMap<String, CommitId> = self.store.chains(&copies)?.into_iter().collect();
        let go: BTreeSet<String> = jobs.iter().map(|job| at(&copies, job)).collect();
        let stay: Vec<_> = stand.iter().filter(|(name, _)| !go.contains(*name)).collect();
        let apart = known == Copies::Old || stay.len() > LEASES.min(jobs.len());
        let below = if apart {
            let salt = world::new_salt(self.remote.as_bytes())?;
            format!("{}{}/out-{salt}/", names::FETCHED, self.remote)
        } else {
            copies
        };
        let set: Vec<_> = jobs.iter().map(|job| (at(&below, job), job.to.clone())).collect();
        self.store.set_copies(&set)?;
        let before = |(name, _)| {
            let was = stand.get(&name).cloned();
            (name, was)
        };
        let failed: Vec<_> = set.into_iter().map(before).collect();
        let mut specs: Vec<String> = named.iter().map(one).collect();
        specs.push(format!("{below}*:{}*", names::JOBS));
        let done = if apart { failed.clone() } else { Vec::new() };
        // One that stays is not to come back where somebody took it away meanwhile.
        let lease = |(name, seen): (&String, &CommitId)| {
            format!("{}{}:{seen}", names::JOBS, name.rsplit('/').next().unwrap_or(name))
        };
        let leases = stay.into_iter().filter(|_| !apart).map(lease).collect();
        Ok(Out { specs, leases, done, failed })
    }

    /// Runs git for this remote with what is left of the time.
    fn heard(
        &self,
        args: impl IntoIterator<Item = OsString>,
        input: Vec<u8>,
    ) -> Result<Outcome, StoreError> {
        let child = self.store.git(args).without_prompts().env("GCM_INTERACTIVE", "never");
        let child = self.quiet_ssh(child).env("LC_ALL", "C").input(input);
        let late =
            || StoreError::Late { remote: self.remote.clone(), seconds: self.time.as_secs() };
        child.outcome_until(self.ends)?.ok_or_else(late)
    }

    /// ssh is told to ask nothing, where it is an ssh that can be told so.
    fn quiet_ssh(&self, child: Child) -> Child {
        let config = self.store.config_text("core.sshCommand");
        let program =
            match (world::variable("GIT_SSH_COMMAND").or(config), world::variable("GIT_SSH")) {
                (Some(command), _) => command,
                // It is a program and no line of a shell's, which git starts as it is.
                (None, Some(_)) => return child,
                (None, None) => "ssh".to_owned(),
            };
        let first = program.split_whitespace().next().unwrap_or_default();
        let named = first.rsplit('/').next().unwrap_or_default();
        let variant = self.store.config_text("ssh.variant").unwrap_or_default();
        let is_open_ssh = named == "ssh" && matches!(variant.as_str(), "" | "auto" | "ssh");
        let line = if is_open_ssh { format!("{program} -o BatchMode=yes") } else { program };
        child.env("GIT_SSH_COMMAND", line)
    }

    /// The error of a child: what it says, without hints and without what a URL may hold.
    fn failed(&self, verb: &str, said: Outcome) -> StoreError {
        let said = [said.stderr, said.stdout].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("hint:")).collect();
        let output = secrets::mask(lines.join("\n").trim()).into_owned();
        StoreError::Git { command: format!("git {verb} {}", self.remote), output }
    }
}

/// What the lines of a push that failed come to; nothing where it did not get so far.
fn judged(porcelain: &str, stderr: &str) -> Option<Pushed> {
    let rejected = porcelain.lines().filter_map(|line| line.strip_prefix("!\t"));
    let (mut raced, mut refused, mut beside) = (None, None, None);
    for line in rejected {
        let mut fields = line.split('\t');
        let name = fields.next().and_then(|spec| spec.rsplit(':').next()).unwrap_or_default();
        let why = fields.next().unwrap_or_default();
        if RACED.iter().any(|known| why.contains(known)) {
            raced.get_or_insert((name.to_owned(), why.to_owned()));
        } else if BESIDE.iter().any(|known| why.contains(known)) {
            beside.get_or_insert((name.to_owned(), why.to_owned()));
        } else {
            refused.get_or_insert((name.to_owned(), why.to_owned()));
        }
    }
    // Where all of them say that others failed, only the server's words say why.
    if raced.is_none() && refused.is_none() {
        let told = RACED.iter().any(|known| stderr.contains(known));
        (raced, refused) = if told { (beside, None) } else { (None, beside) };
    }
    if let Some((name, why)) = refused {
        let said = stderr.lines().filter_map(|line| line.strip_prefix("remote: "));
        let said = said.map(str::trim).find(|line| !line.is_empty());
        let why = match (why.split_once('('), said) {
            (_, Some(said)) if why.contains("hook declined") => said.to_owned(),
            (Some((_, why)), _) => why.trim_end_matches(')').to_owned(),
            (None, _) => why,
        };
        return Some(Pushed::Refused { name, why: secrets::mask(&why).into_owned() });
    }
    raced.map(|(name, why)| {
        let told = why.split_once('(').map_or(&*why, |(_, why)| why.trim_end_matches(')'));
        Pushed::Raced { name, why: secrets::mask(told).into_owned() }
    })
}

impl Store {
    /// The names of the remotes.
    pub(crate) fn remotes(&self) -> Vec<String> {
        self.repo.remote_names().iter().map(ToString::to_string).collect()
    }

    /// The remote that the branch, or all of them, are set to push to or follow.
    pub(crate) fn set_remote(&self) -> Option<String> {
        // Where HEAD does not read, what is set for all counts.
        let branch = self.branch().ok().flatten().unwrap_or_default();
        let keys = [format!("branch.{branch}.pushRemote"), "remote.pushDefault".to_owned()];
        let keys = keys.into_iter().chain([format!("branch.{branch}.remote")]);
        keys.filter_map(|key| self.config_text(&key)).find(|name| name != ".")
    }

    /// The URLs that a push to `remote` goes to: as they are written, and as git makes them.
    pub(crate) fn push_urls(&self, remote: &str) -> Result<Vec<String>, StoreError> {
        let written = |key: &str| self.config_texts(&format!("remote.{remote}.{key}"));
        let mut urls = written("pushUrl");
        if urls.is_empty() {
            urls = written("url");
        }
        let printed = self.git(["remote", "get-url", "--push", "--all", "--", remote]).run()?;
        for url in String::from_utf8_lossy(&printed).lines() {
            if urls.iter().all(|known| known != url) {
                urls.push(url.to_owned());
            }
        }
        Ok(urls)
    }

    /// A setting of git's, as it counts here.
    pub(crate) fn config_text(&self, key: &str) -> Option<String> {
        self.repo.config_snapshot().string(key).map(|value| value.to_string())
    }

    /// All values of a setting.
    pub(crate) fn config_texts(&self, key: &str) -> Vec<String> {
        let values = self.repo.config_snapshot().plumbing().strings(key);
        values.into_iter().flatten().map(|value| value.to_string()).collect()
    }

    /// Puts a setting into this repository's configuration, beside the values that it has or in
    /// their place.
    pub(crate) fn set_config(
        &self,
        key: &str,
        value: &str,
        beside: bool,
    ) -> Result<(), StoreError> {
        let how = if beside { "--add" } else { "--replace-all" };
        let _naming = self.names_config()?;
        self.git(["config", "--local", how, key, value]).run().map(drop)
    }

    /// Whoever is killed while git writes there leaves no lock that stays.
    fn names_config(&self) -> Result<Naming, StoreError> {
        Ok(config_lock::name(&self.seed_dir(), &self.common_dir.join("config"))?)
    }

    /// Takes out of this repository's configuration all that [`Store::set_config`] put in.
    pub(crate) fn forget_config(&self) -> Result<(), StoreError> {
        let printed = self
            .git(["config", "--local", "--name-only", "--get-regexp", OWN_SETTINGS])
            .outcome()?
            .stdout;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let _naming = self.names_config()?;
        for key in printed.lines().collect::<std::collections::BTreeSet<_>>() {
            self.git(["config", "--local", "--unset-all", key]).run()?;
        }
        Ok(())
    }

    /// What git syncs, less refs.
    fn unsynced(&self) -> String {
        let asked = self.config_text("core.fsync").filter(|asked| !asked.is_empty());
        let syncs = asked.map_or_else(String::new, |asked| format!("{asked},"));
        format!("core.fsync={syncs}{UNSYNCED}")
    }

    /// Sets refs below `refs/seed-remote`, which are git seed's own copies of what others have.
    pub(crate) fn set_copies(
        &self,
        moves: &[(String, Option<CommitId>)],
    ) -> Result<(), StoreError> {
        let line = |(name, to): &(String, Option<CommitId>)| match to {
            Some(to) => format!("update {name} {to}\n"),
            None => format!("delete {name}\n"),
        };
        let lines: String = moves.iter().map(line).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let args = ["-c", &self.unsynced(), "update-ref", "-m", "git seed sync", "--stdin"];
        self.git(args).input(lines.into_bytes()).run().map(drop)
    }

    /// The commits among `tips` that are not in the history of `of`.
    pub(crate) fn tips_outside(
        &self,
        tips: &[CommitId],
        of: Option<&CommitId>,
    ) -> Result<Vec<CommitId>, StoreError> {
        let Some(of) = of else { return Ok(tips.to_vec()) };
        let not = format!("^{of}");
        let lines = tips.iter().map(CommitId::as_str).chain([not.as_str()]);
        let lines: String = lines.flat_map(|line| [line, "\n"]).collect();
        let printed = self.git(["rev-list", "--stdin"]).input(lines.into_bytes()).run()?;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let missing: std::collections::HashSet<&str> = printed.lines().collect();
        Ok(tips.iter().filter(|tip| missing.contains(tip.as_str())).cloned().collect())
    }

    /// The commits with a line `Seed-Job` that `tips` reach and `remote` is not known to have, with
    /// their messages.
    pub(crate) fn going_out(
        &self,
        tips: &[CommitId],
        remote: &str,
    ) -> Result<Vec<(CommitId, String)>, StoreError> {
        let there = |tip: &&CommitId| tip.as_str().bytes().any(|digit| digit != b'0');
        let tips: Vec<&str> = tips.iter().filter(there).map(CommitId::as_str).collect();
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let known = format!("--remotes={remote}");
        let args = ["log", "-z", "--no-show-signature", "--grep=^[[:space:]]*Seed-Job: "];
        let args = args.into_iter().chain(["--format=%H%n%B"]).chain(tips);
        let printed = self.git(args.chain(["--not", &known, "--"])).run()?;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let records = text.split('\0').filter_map(|record| record.split_once('\n'));
        let read =
            |(id, message): (&str, &str)| Some((id.trim().parse().ok()?, message.to_owned()));
        Ok(records.filter_map(read).collect())
    }

    /// Writes these refs into a bundle.
    pub(crate) fn bundle_of(&self, file: &Path, refs: &[String]) -> Result<(), StoreError> {
        let args = ["bundle", "create", "-q"].map(OsString::from);
        let args = args.into_iter().chain([file.as_os_str().to_owned()]);
        self.git(args.chain(refs.iter().map(OsString::from))).run().map(drop)
    }

    /// Whether git can take this bundle in; the error is what it says.
    pub(crate) fn checks_bundle(&self, file: &Path) -> Result<(), StoreError> {
        let args = ["bundle", "verify", "-q"].map(OsString::from);
        self.git(args.into_iter().chain([file.as_os_str().to_owned()])).run().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_race_is_told_from_a_servers_own_no() {
        let line = |name: &str, why: &str| format!("!\tx:{name}\t{why}\n");
        let raced = [
            "[rejected] (fetch first)",
            "[rejected] (stale info)",
            "[remote rejected] (incorrect old value provided)",
            "[remote rejected] (cannot lock ref 'refs/seed/claims': is at 1 but expected 2)",
        ];
        for why in raced {
            let lines = line("refs/seed/claims", why)
                + &line("refs/seed/archive", "[rejected] (atomic push failed)");
            let told = judged(&lines, "");
            let raced =
                |end| matches!(end, Pushed::Raced { name, .. } if name == "refs/seed/claims");
            assert!(told.is_some_and(raced), "{why}");
        }
        let no = |why: &str| Some(Pushed::Refused { name: "refs/a".into(), why: why.into() });
        let hidden = line("refs/a", "[remote rejected] (deny updating a hidden ref)");
        assert_eq!(judged(&hidden, ""), no("deny updating a hidden ref"));
        let hook = line("refs/a", "[remote rejected] (pre-receive hook declined)");
        assert_eq!(judged(&hook, ""), no("pre-receive hook declined"));
        assert_eq!(
            judged(&hook, "remote: \nremote: only branches here  \n"),
            no("only branches here")
        );
        assert_eq!(
            judged(&(hidden + &line("refs/b", raced[0])), ""),
            no("deny updating a hidden ref")
        );
        let all = line("refs/a", "[remote rejected] (atomic transaction failed)");
        let locked = "remote: error: cannot lock ref 'refs/a': reference already exists\n";
        assert!(matches!(judged(&all, locked), Some(Pushed::Raced { .. })));
        assert_eq!(judged(&all, ""), no("atomic transaction failed"));
        assert_eq!(judged("To nowhere\n", "fatal: unable to access\n"), None);
    }
}
