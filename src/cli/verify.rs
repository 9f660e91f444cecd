//! `git seed verify`

use crate::engine::proof;
use std::path::PathBuf;

use super::{Context, Outcome, report::Report};
use crate::claims::audit::{Finding, Findings};
use crate::engine::proof::verify::Asked;
use crate::engine::repo::EngineError;
use crate::store::NotAnId;

/// Check the records, their signatures, the commits bound to them, and the steps of jobs
///
/// Works in any clone that has the refs, with only git and a public key. There are three
/// results: verified; broken, with the first bad record; and not measured, which never counts
/// as verified. A commit that lost its trailers but makes the same changes as a step is
/// followed, and listed.
///
/// Exit code 0: everything is verified, and a good signature or a pinned head vouches for the
/// newest record. 2: something is broken. 3: nothing is broken, but something was not measured;
/// it is listed. 1: the check could not run.
#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// Commits to check, as a git range; all commits of HEAD when omitted
    range: Option<String>,
    /// Id of a record that you wrote down elsewhere; it must still be in the chain
    #[arg(long, value_name = "id")]
    expect: Option<String>,
    /// Allowed signers file, as ssh-keygen reads it; when omitted, the one in git's configuration
    #[arg(long, value_name = "file")]
    keys: Option<PathBuf>,
}

pub(super) fn run(
    args: &VerifyArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    // What is checked is not touched: no boundary is finished first.
    let mut repo = crate::engine::repo::Repo::open_for_command(&context.cwd)?;
    if repo.store.fetch_ours().map_err(EngineError::from)? {
        repo = crate::engine::repo::Repo::open_for_command(&context.cwd)?;
    }
    let usage = |error: NotAnId| EngineError::Usage(error.to_string());
    let expect = args.expect.as_deref().map(str::parse).transpose().map_err(usage)?;
    let keys = args.keys.as_ref().map(|keys| context.cwd.join(keys));
    let findings =
        proof::verify::verify(&repo, &Asked { range: args.range.clone(), expect, keys })?;
    Ok(told(&findings, out))
}

/// Prints an answer.
pub(super) fn told(findings: &Findings, out: &mut Report) -> Outcome {
    /// As many of one kind as a person reads.
    const SHOWN: usize = 20;
    out.json(findings);
    let list = |out: &mut Report, what: &str, some: &[Finding]| {
        // Neighbours for which the same is said stand on one line.
        let mut alike = some.chunk_by(|one, next| one.reason == next.reason);
        for group in alike.by_ref().take(SHOWN) {
            let [first, more @ ..] = group else { continue };
            let id: String = first.record.chars().take(20).collect();
            let more =
                if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
            out.line(format_args!("{what:<14}{id:<21} {}{more}", first.reason));
        }
        let left: usize = alike.map(<[Finding]>::len).sum();
        if left > 0 {
            out.line(format_args!("{what:<14}and {left} more"));
        }
    };
    list(out, "broken", &findings.broken);
    list(out, "followed", &findings.followed);
    list(out, "not measured", &findings.not_measured);
    out.line(format_args!(
        "{} verified · {} broken · {} not measured",
        findings.verified,
        findings.broken.len(),
        findings.not_measured.len()
    ));
    match findings.ok {
        Some(true) => Outcome::Yes,
        Some(false) => Outcome::Refused,
        None => Outcome::Open,
    }
}
