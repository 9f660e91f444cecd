//! `git seed upgrade`

use super::{Context, Outcome, refuse, report::Report};
use crate::engine::repo::Repo;
use crate::engine::repo::text::count;
use crate::engine::texts::{back, carry};
use crate::format::FORMAT;
use crate::voice::{self, Notice};

/// Carry an older repository over to the format of this git seed°
///
/// The words of prompts, answers and journals leave the chains of the jobs and are kept beside them
/// in `refs/seed/texts`, so that chains can be sent without them. Steps, ids and dates stay. The
/// first `git seed job redact` or sync does the same by itself.
#[derive(Debug, clap::Args)]
pub(super) struct UpgradeArgs {
    /// Show what would be carried over, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Go back to the format before, while no step was taken in the newer one
    #[arg(long)]
    back: bool,
}

impl UpgradeArgs {
    /// Nothing is changed, so anybody may ask.
    pub(super) fn only_shows(&self) -> bool {
        self.dry_run
    }
}

pub(super) fn run(
    args: &UpgradeArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    if args.back {
        return back(&repo, args.dry_run, out);
    }
    let to = FORMAT.to_string();
    let Some(done) = carry::carry_over(&repo, args.dry_run)? else {
        out.json(&serde_json::json!({ "from": FORMAT, "to": FORMAT, "dry_run": args.dry_run }));
        out.line(voice::tell(Notice::UpgradeNothing, &[("to", &to)]));
        return Ok(Outcome::Yes);
    };
    out.json(&done);
    let numbers = [done.from.to_string(), done.steps.to_string(), done.texts.to_string()];
    let [from, steps, texts] = numbers.each_ref().map(String::as_str);
    let facts = [("to", to.as_str()), ("steps", steps), ("texts", texts)];
    out.line(voice::tell(
        if done.dry_run { Notice::UpgradeDry } else { Notice::UpgradeDone },
        &facts,
    ));
    out.pair("older", voice::tell(Notice::UpgradeOlder, &[("from", from)]));
    if let Some(kept) = done.kept {
        out.pair("kept", voice::tell(Notice::UpgradeKept, &[("ref", kept)]));
    }
    Ok(Outcome::Yes)
}

fn back(repo: &Repo, dry_run: bool, out: &mut Report) -> crate::cli::Result<Outcome> {
    let done = match back::go_back(repo, dry_run)? {
        Ok(done) => done,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    out.json(&done);
    let (to, open) = (done.to.to_string(), count(done.jobs, "job"));
    let closed = done.archive.then(|| voice::tell(Notice::UpgradeBackArchive, &[("jobs", &open)]));
    let jobs = closed.unwrap_or(open);
    let notice = if dry_run { Notice::UpgradeBackDry } else { Notice::UpgradeBack };
    out.line(voice::tell(notice, &[("to", &to), ("jobs", &jobs)]));
    Ok(Outcome::Yes)
}
