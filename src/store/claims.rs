//! The chain of the gate's records: one commit per record, signed where the person signs.
//!
//! An unsigned record is appended under the lock, as every chain is. A signature takes
//! another program, and no lock is held while one runs: so a signed record is made on top
//! of the tip that is seen, and moved in by compare-and-swap; whoever comes late signs
//! again. When others keep winning, or two seconds are over, the record goes in unsigned
//! and says why: the next signature vouches for all before it.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use gix::ObjectId;

use super::error::StoreError;
use super::object::Draft;
use super::{CommitId, Store, Tip, TreeEdit, UnixSeconds};
use crate::claims::record::Signed;
use crate::format::names;

/// The longest that signing one record may take, tries and all.
const PATIENCE: Duration = Duration::from_secs(2);
/// Tries at a signature before it is left to a later record.
const SIGNED_TRIES: u32 = 4;
/// Tries under the lock. Others of ours wait for it; only a foreign hand moves the ref then.
const TRIES: u32 = 20;

/// What a record's commit holds.
#[derive(Clone, Debug)]
pub struct NewRecord {
    /// Files of its tree.
    pub files: Vec<(&'static str, Vec<u8>)>,
    pub message: String,
}

/// How a record is about to be signed, for the record itself to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealing {
    pub signed: Signed,
    /// Why it is not.
    pub why: String,
}

/// Gives the record that goes on top of a tip, signed in this way.
pub type Make<'m, E> = dyn FnMut(Option<&Tip>, &Sealing) -> Result<NewRecord, E> + 'm;

/// Whether the person signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signing {
    /// As git is configured; the key where git would not find the person's by itself.
    By(Signed, Option<String>),
    /// They did not ask for it, or what they asked for cannot be.
    No(String),
}

impl Store {
    /// How the person signs, by git's configuration.
    pub fn signing(&self) -> Result<Signing, StoreError> {
        let config = self.signing_config()?;
        let value = |key: &str| config.get(key).map(String::as_str).filter(|value| !value.is_empty());
        let asked =
            value("commit.gpgsign").is_some_and(|value| !matches!(value, "false" | "no" | "off" | "0"));
        if !asked && value("user.signingkey").is_none() {
            return Ok(Signing::No("no signing key is configured".to_owned()));
        }
        let key = value("user.signingkey");
        Ok(match value("gpg.format").unwrap_or("openpgp") {
            "ssh" => Signing::By(Signed::Ssh, None),
            // Git would look for a key of git seed's own name.
            format @ ("openpgp" | "x509") => match (key, value("user.email")) {
                (None, None) => Signing::No("neither user.signingkey nor user.email is set".to_owned()),
                (None, Some(email)) => Signing::By(gpg(format), Some(email.to_owned())),
                (Some(_), _) => Signing::By(gpg(format), None),
            },
            other => Signing::No(format!("gpg.format is `{other}`, which git does not know")),
        })
    }

    /// What git's configuration says of signing. A hook reads only the repository's own;
    /// the person's lies mostly in their home, so git is asked there.
    fn signing_config(&self) -> Result<BTreeMap<String, String>, StoreError> {
        const KEYS: [&str; 4] = ["user.signingkey", "user.email", "commit.gpgsign", "gpg.format"];
        if self.repo.open_options().permissions.config.user {
            let config = self.repo.config_snapshot();
            let value = |key: &str| Some((key.to_owned(), config.string(key)?.to_string()));
            return Ok(KEYS.into_iter().filter_map(value).collect());
        }
        let asked =
            ["config", "-z", "--get-regexp", r"^(user\.(signingkey|email)|commit\.gpgsign|gpg\.format)$"];
        let outcome = self.git(asked).outcome()?;
        if !matches!(outcome.code, Some(0 | 1)) {
            return Err(outcome.failed());
        }
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let pair = |record: &str| {
            record.split_once('\n').map_or((record.to_owned(), "true".to_owned()), |(key, value)| {
                (key.to_owned(), value.to_owned())
            })
        };
        Ok(text.split('\0').filter(|record| !record.is_empty()).map(pair).collect())
    }

    /// Adds a record on top of the chain. `make` is asked for it with the tip it goes on and
    /// how it is signed, again for each try.
    pub fn append_record<E: From<StoreError>>(
        &self,
        at: UnixSeconds,
        signing: &Signing,
        make: &mut Make<'_, E>,
    ) -> Result<CommitId, E> {
        let why = match signing {
            Signing::No(why) => why.clone(),
            Signing::By(signed, key) => match self.append_signed(at, *signed, key.as_deref(), make)? {
                Ok(id) => return Ok(id),
                Err(why) => why,
            },
        };
        self.append_unsigned(at, why, make)
    }

    fn append_unsigned<E: From<StoreError>>(
        &self,
        at: UnixSeconds,
        why: String,
        make: &mut Make<'_, E>,
    ) -> Result<CommitId, E> {
        let sealing = Sealing { signed: Signed::Unsigned, why };
        let _lock = self.lock_for_long()?;
        let mut turn = 0;
        loop {
            turn += 1;
            let tip = self.tip(names::CLAIMS)?;
            let new = make(tip.as_ref(), &sealing)?;
            let draft = Draft::new(self);
            let tree = self.record_tree(&draft, &new)?;
            let parents = parent(tip.as_ref())?;
            let commit = draft.commit(tree, &parents, &new.message, at, names::CLAIMS)?;
            draft.settle()?;
            match self.swing(names::CLAIMS, parents.first().copied(), commit, first_line(&new.message), at) {
                Err(StoreError::Moved { .. } | StoreError::Held { .. }) if turn < TRIES => {
                    sleep(Duration::from_millis(u64::from(turn)));
                }
                done => return Ok(done.map(|()| commit.into())?),
            }
        }
    }

    /// Appends a signed record; the inner error says why there is no signature.
    fn append_signed<E: From<StoreError>>(
        &self,
        at: UnixSeconds,
        signed: Signed,
        key: Option<&str>,
        make: &mut Make<'_, E>,
    ) -> Result<Result<CommitId, String>, E> {
        let sealing = Sealing { signed, why: String::new() };
        let ends = Instant::now() + PATIENCE;
        for _ in 0..SIGNED_TRIES {
            let tip = self.tip(names::CLAIMS)?;
            let new = make(tip.as_ref(), &sealing)?;
            let draft = Draft::new(self);
            let tree = self.record_tree(&draft, &new)?;
            draft.settle()?;
            let parents = parent(tip.as_ref())?;
            let commit = match self.signed_commit(tree, &parents, &new.message, at, key, ends)? {
                Ok(commit) => commit,
                Err(why) => return Ok(Err(why)),
            };
            draft.adopt(commit);
            draft.settle()?;
            let _lock = self.lock_for_long()?;
            match self.swing(names::CLAIMS, parents.first().copied(), commit, first_line(&new.message), at) {
                Err(StoreError::Moved { .. } | StoreError::Held { .. }) => {}
                done => return Ok(Ok(done.map(|()| commit.into())?)),
            }
        }
        Ok(Err("others kept writing; a later signature vouches for it".to_owned()))
    }

    fn record_tree(&self, draft: &Draft<'_>, new: &NewRecord) -> Result<ObjectId, StoreError> {
        let put = |(path, bytes): &(&str, Vec<u8>)| TreeEdit::Put {
            path: (*path).to_owned(),
            bytes: bytes.clone(),
        };
        let edits: Vec<TreeEdit> = new.files.iter().map(put).collect();
        self.edited(draft, None, &edits, names::CLAIMS)
    }

    /// A commit that git signs with the person's key, without any prompt; the inner error
    /// says why not.
    fn signed_commit(
        &self,
        tree: ObjectId,
        parents: &[ObjectId],
        message: &str,
        at: UnixSeconds,
        key: Option<&str>,
        ends: Instant,
    ) -> Result<Result<ObjectId, String>, StoreError> {
        let mut args = vec!["commit-tree".to_owned(), tree.to_string()];
        for parent in parents {
            args.extend(["-p".to_owned(), parent.to_string()]);
        }
        args.push(format!("-S{}", key.unwrap_or_default()));
        let (name, email) = super::object::WRITER;
        let date = format!("@{at} +0000");
        let outcome = self
            .git(args)
            .envs([("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", email), ("GIT_AUTHOR_DATE", &date)])
            .envs([
                ("GIT_COMMITTER_NAME", name),
                ("GIT_COMMITTER_EMAIL", email),
                ("GIT_COMMITTER_DATE", &date),
            ])
            .without_prompts()
            .input(message.as_bytes().to_vec())
            .outcome_until(ends)?;
        let Some(outcome) = outcome else {
            return Ok(Err("signing took longer than two seconds".to_owned()));
        };
        let said = String::from_utf8_lossy(&outcome.stdout).trim().to_owned();
        match ObjectId::from_hex(said.as_bytes()) {
            Ok(id) if outcome.code == Some(0) => Ok(Ok(id)),
            _ => Ok(Err(reason(&outcome.stderr))),
        }
    }

    /// The lock, waited for as long as a crowd of writers may take.
    fn lock_for_long(&self) -> Result<super::Lock, StoreError> {
        match self.lock() {
            Err(StoreError::Held { .. }) => self.lock(),
            done => done,
        }
    }
}

fn gpg(format: &str) -> Signed {
    if format == "x509" { Signed::X509 } else { Signed::Gpg }
}

fn parent(tip: Option<&Tip>) -> Result<Vec<ObjectId>, StoreError> {
    tip.map(|tip| tip.commit.object()).into_iter().collect()
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// What the signing program complained of, in one short line.
fn reason(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr).into_owned();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("git could not sign");
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;

    const AT: UnixSeconds = 1_790_000_000;

    fn add(store: &Store, name: &str, signing: &Signing) -> CommitId {
        let make: &mut Make<'_, StoreError> = &mut |tip, sealing| {
            let before = tip.map_or_else(|| "none".to_owned(), |tip| tip.commit.to_string());
            let text = format!("{name} after {before} {sealing:?}");
            Ok(NewRecord { files: vec![("record.json", text.into_bytes())], message: format!("{name}\n") })
        };
        store.append_record(AT, signing, make).expect("appends")
    }

    fn no() -> Signing {
        Signing::No("nobody signs".to_owned())
    }

    #[test]
    fn eight_writers_of_a_hundred_records_each_lose_none() {
        let bed = Testbed::new();
        bed.git(&["config", "core.fsync", "none"]);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let bed = &bed;
                scope.spawn(move || {
                    let store = bed.store();
                    for turn in 0..100 {
                        add(&store, &format!("{writer} {turn}"), &no());
                    }
                });
            }
        });
        let steps = bed.store().history(names::CLAIMS, usize::MAX).expect("reads");
        let mut kept: Vec<&str> = steps.iter().map(|step| step.message.trim()).collect();
        kept.sort_unstable();
        kept.dedup();
        println!("8 writers x 100 records at once: {} kept, {:?}", kept.len(), begun.elapsed());
        assert_eq!((kept.len(), steps.len()), (800, 800));
    }

    #[test]
    fn whether_a_person_signs_is_git_s_to_say() {
        let bed = Testbed::new();
        let set = |key: &str, value: &str| bed.git(&["config", key, value]);
        assert!(matches!(bed.store().signing().expect("asks"), Signing::No(_)));
        set("commit.gpgsign", "true");
        let person = Some("person@example.invalid".to_owned());
        assert_eq!(bed.store().signing().expect("asks"), Signing::By(Signed::Gpg, person));
        set("user.signingkey", "ABCD");
        assert_eq!(bed.store().signing().expect("asks"), Signing::By(Signed::Gpg, None));
        set("gpg.format", "ssh");
        assert_eq!(bed.store().signing().expect("asks"), Signing::By(Signed::Ssh, None));
        set("gpg.format", "runes");
        assert!(matches!(bed.store().signing().expect("asks"), Signing::No(why) if why.contains("runes")));
    }

    #[cfg(unix)]
    #[test]
    fn a_signature_that_does_not_come_is_not_waited_for() {
        let bed = Testbed::new();
        for (script, said) in [("exec sleep 60", "two seconds"), ("echo no card >&2; exit 1", "no card")] {
            bed.hook("signer", script);
            let program = bed.path().join(".git/hooks/signer");
            bed.git(&["config", "gpg.format", "ssh"]);
            bed.git(&["config", "gpg.ssh.program", program.to_str().expect("UTF-8")]);
            bed.git(&["config", "user.signingkey", "key::ssh-ed25519 AAAA"]);
            let begun = Instant::now();
            let id = add(&bed.store(), "one", &Signing::By(Signed::Ssh, None));
            assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
            let text = bed.git(&["cat-file", "blob", &format!("{id}:record.json")]);
            assert!(text.contains(said) && text.contains("Unsigned"), "{text}");
        }
        bed.is_sound();
    }
}
