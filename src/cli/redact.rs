//! `git seed job redact`

use super::{Outcome, report::Report};
use crate::engine::repo::{EngineError, Repo};
use crate::engine::texts::redact::{self, Asked};
use crate::jobs::BadJobId;
use crate::voice::{self, Notice};

#[derive(Debug, clap::Args)]
pub(super) struct RedactArgs {
    /// Id of the job, open or closed
    id: String,
    /// Numbers of prompts and answers, as `git seed job show` has them; all words when omitted
    #[arg(value_name = "n")]
    numbers: Vec<u32>,
    /// Show what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl RedactArgs {
    /// Nothing is changed, so anybody may ask.
    pub(super) fn only_shows(&self) -> bool {
        self.dry_run
    }
}

pub(super) fn run(args: &RedactArgs, repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let job = args.id.parse().map_err(|bad: BadJobId| EngineError::Usage(bad.to_string()))?;
    let asked = Asked { job, numbers: args.numbers.clone(), dry_run: args.dry_run };
    let done = redact::redact(repo, &asked)?;
    out.json(&done);
    let texts = done.texts.to_string();
    let facts = [("texts", texts.as_str()), ("job", done.name.as_str())];
    out.line(voice::tell(
        if done.dry_run { Notice::RedactDry } else { Notice::RedactDone },
        &facts,
    ));
    for left in &done.left {
        out.pair("left", format_args!("{}: {}", left.place, left.what));
    }
    Ok(Outcome::Yes)
}
