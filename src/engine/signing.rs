//! Signing of phase commits: a boundary never waits for a hand.
//!
//! Where git is set up to sign, one commit is signed for a trial, in a box of time in which nobody
//! can be asked. What cannot be signed so is left out of phase commits until `git seed init` tries
//! again, or git is set up otherwise; `land` signs in the person's own hands. The rule
//! `[commit] sign = "always"` refuses the boundary in its place.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::engine::{fence, record};
use crate::phases::gates;
use crate::rules::Signing;
use crate::store::Sign;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world;

/// The longest that a signature is waited for.
const BOX: Duration = Duration::from_secs(3);

/// A setup with which a signature needs a hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NeedsHand {
    setup: String,
    why: String,
    /// The agent's side was told at a boundary.
    told: bool,
}

/// How the commit of a boundary is signed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signed {
    pub sign: Sign,
    /// It is left out for the first time.
    pub remark: Option<String>,
}

/// Finds out how the next commit of a boundary is signed; refused where the rules want a signature
/// that is not to be had.
pub(crate) fn how(repo: &Repo) -> Result<std::result::Result<Signed, Refusal>> {
    let always = repo.rules.signing == Signing::Always;
    // Mostly no file says so, and git need not be asked.
    if !always && !fence::fingerprints::configs(repo).signs {
        return Ok(Ok(Signed::default()));
    }
    let setup = repo.store.signing_setup()?;
    if !setup.on && !always {
        return Ok(Ok(Signed::default()));
    }
    let known = needs_hand(repo).filter(|known| known.setup == setup.hash && !always);
    let known = match known {
        Some(known) => known,
        None => match tried(repo)? {
            Ok(()) => {
                let sign = if always { Sign::Always } else { Sign::Configured };
                return Ok(Ok(Signed { sign, remark: None }));
            }
            Err(why) if always => return Ok(Err(gates::unsigned(&why))),
            Err(why) => {
                let known = NeedsHand { setup: setup.hash, why, told: false };
                keep(repo, &known)?;
                known
            }
        },
    };
    let remark = (!known.told).then(|| left_out(&known.why));
    Ok(Ok(Signed { sign: Sign::Never, remark }))
}

/// The remark of a step that is on record by now; later steps do not have it.
pub(crate) fn tell_once(repo: &Repo, remark: Option<&str>) -> Option<String> {
    let remark = remark?;
    if let Some(known) = needs_hand(repo) {
        // Where this is not kept, the next step says it again.
        let _ = keep(repo, &NeedsHand { told: true, ..known });
    }
    Some(remark.to_owned())
}

/// That phase commits are not signed as git is set up now, where a trial found it out.
pub(crate) fn standing(repo: &Repo) -> Result<Option<String>> {
    let Some(known) = needs_hand(repo).filter(|_| repo.rules.signing != Signing::Always) else {
        return Ok(None);
    };
    let setup = repo.store.signing_setup()?;
    Ok((setup.on && setup.hash == known.setup).then(|| left_out(&known.why)))
}

/// The trial of `git seed init`: what is told of it, where git is set up to sign. The label says
/// whether it went well.
pub(crate) fn at_init(repo: &Repo) -> Result<Option<(bool, String)>> {
    let setup = repo.store.signing_setup()?;
    let always = repo.rules.signing == Signing::Always;
    if !setup.on && !always {
        return Ok(None);
    }
    Ok(Some(match tried(repo)? {
        Ok(()) => {
            world::remove_if_there(file(repo))?;
            (true, tell(Notice::SignsCommits, &[]))
        }
        Err(why) if always => (false, tell(Notice::SignsNot, &[("why", &why)])),
        Err(why) => {
            let told = left_out(&why);
            keep(repo, &NeedsHand { setup: setup.hash, why, told: false })?;
            (false, told)
        }
    }))
}

fn tried(repo: &Repo) -> Result<std::result::Result<(), String>> {
    let known = if repo.is_person().is_err() { record::identity::known(repo) } else { None };
    Ok(repo.store.try_signing(known.as_ref(), BOX)?)
}

fn left_out(why: &str) -> String {
    tell(Notice::SignsLeftOut, &[("why", why)])
}

/// What is kept of a trial. What does not read is tried again.
fn needs_hand(repo: &Repo) -> Option<NeedsHand> {
    // As said above.
    own_state::from_toml(&file(repo)).ok().flatten()
}

fn keep(repo: &Repo, known: &NeedsHand) -> Result<()> {
    Ok(world::write_whole(&file(repo), toml::to_string(known)?.as_bytes())?)
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("signing.toml")
}
