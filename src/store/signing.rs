//! Whether git can sign a commit here without a hand: one trial, in a box of time, in which nobody
//! can be asked.

use std::time::{Duration, Instant};

use gix::ObjectId;

use super::error::StoreError;
use super::{Identity, Store};
use crate::format::short_hash;

/// How a commit is to be signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sign {
    /// As git is configured.
    #[default]
    Configured,
    /// Whatever git's configuration says.
    Always,
    /// It needs a hand, which is not waited for.
    Never,
}

impl Sign {
    /// What `git commit` is told.
    pub(super) fn argument(self) -> Option<&'static str> {
        match self {
            Self::Configured => None,
            Self::Always => Some("--gpg-sign"),
            Self::Never => Some("--no-gpg-sign"),
        }
    }
}

/// What git's configuration says of signing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SigningSetup {
    /// `commit.gpgSign`.
    pub on: bool,
    /// A hash of all that it says.
    pub hash: String,
}

impl Store {
    pub(crate) fn signing_setup(&self) -> Result<SigningSetup, StoreError> {
        let keys = r"^(commit\.gpgsign|user\.(signingkey|email)|gpg\..*)$";
        let outcome = self.plain_git(["config", "-z", "--get-regexp", keys]).outcome()?;
        if !matches!(outcome.code, Some(0 | 1)) {
            return Err(outcome.failed());
        }
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let said = |record: &str| {
            let (key, value) = record.split_once('\n').unwrap_or((record, "true"));
            (key == "commit.gpgsign").then(|| value.to_ascii_lowercase())
        };
        let last = text.split('\0').filter_map(said).next_back();
        let on = last.is_some_and(|value| !matches!(&*value, "false" | "no" | "off" | "0" | ""));
        Ok(SigningSetup { on, hash: short_hash(text.as_bytes(), 32) })
    }

    /// Signs a commit that no ref gets, as git is set up to. The inner error says why there is no
    /// signature after `most` at the latest.
    pub(crate) fn try_signing(
        &self,
        known: Option<&Identity>,
        most: Duration,
    ) -> Result<Result<(), String>, StoreError> {
        let tree = ObjectId::empty_tree(self.repo.object_hash()).to_string();
        let args = self.naming(known).into_iter();
        let args = args.chain(["commit-tree".to_owned(), "-S".to_owned(), tree]);
        let child = self.plain_git(args).input(b"a trial of signing\n".to_vec());
        let ends = Instant::now() + most;
        let Some(outcome) = child.without_prompts().outcome_until(ends)? else {
            return Ok(Err(format!("signing took longer than {} seconds", most.as_secs())));
        };
        if outcome.code == Some(0) {
            return Ok(Ok(()));
        }
        Ok(Err(first_line(&outcome.stderr)))
    }
}

/// The first line that git printed which could not sign.
pub(super) fn first_line(printed: &[u8]) -> String {
    let said = String::from_utf8_lossy(printed);
    let line = said.lines().map(str::trim).find(|line| !line.is_empty());
    let line: String = line.unwrap_or("git could not sign").chars().take(160).collect();
    line.trim_start_matches("error: ").trim_start_matches("fatal: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;

    #[test]
    fn what_is_set_up_is_read_as_git_reads_it() {
        let bed = Testbed::new();
        assert!(!bed.store().signing_setup().expect("asks").on);
        let before = bed.store().signing_setup().expect("asks").hash;
        for (value, on) in [("true", true), ("no", false), ("1", true), ("off", false)] {
            bed.git(&["config", "commit.gpgSign", value]);
            assert_eq!(bed.store().signing_setup().expect("asks").on, on, "{value}");
        }
        bed.git(&["config", "gpg.ssh.program", "/nowhere"]);
        assert_ne!(bed.store().signing_setup().expect("asks").hash, before);
    }

    #[cfg(unix)]
    #[test]
    fn a_trial_waits_for_nobody() {
        let bed = Testbed::new();
        bed.git(&["config", "gpg.format", "ssh"]);
        bed.git(&["config", "user.signingkey", "key::ssh-ed25519 AAAA"]);
        // One that hangs, one that asks at the terminal or with a program, one that says no.
        for (script, why) in [
            ("exec sleep 60", "took longer than 1 seconds"),
            ("read -r answer < /dev/tty; exit 1", ""),
            ("test \"$SSH_ASKPASS\" = false && echo 'no passphrase' >&2; exit 1", "no passphrase"),
            ("echo 'no card' >&2; exit 1", "no card"),
        ] {
            bed.hook("signer", script);
            let program = bed.path().join(".git/hooks/signer");
            bed.git(&["config", "gpg.ssh.program", program.to_str().expect("UTF-8")]);
            let begun = Instant::now();
            let tried = bed.store().try_signing(None, Duration::from_secs(1)).expect("it is tried");
            assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
            let said = tried.expect_err(script);
            assert!(said.contains(why), "{script}: {said}");
        }
        bed.is_sound();
    }
}
