//! `git-seed merge-pages`: what git calls to merge pages and knowledge.

use std::path::PathBuf;

use super::failure::While as _;
use super::{Context, Outcome, Report};
use crate::engine::memory;
use crate::memory::merge::Versions;
use crate::world;

/// Merge three versions of a page or a knowledge file (called by git, as a merge driver)
#[derive(Debug, clap::Args)]
pub(super) struct MergePagesArgs {
    /// The version that both come from
    base: PathBuf,
    /// Our version; it is overwritten
    ours: PathBuf,
    /// Their version
    theirs: PathBuf,
    /// Length of the markers of a conflict
    #[arg(default_value_t = 7)]
    marker: usize,
}

/// git takes 1 for a conflict whose markers are in place: an error ends otherwise, and the driver
/// then has git merge by lines.
pub(super) fn run(args: &MergePagesArgs, context: &Context, out: &mut Report) -> Outcome {
    merge(args, context).unwrap_or_else(|error| {
        out.error(&error);
        Outcome::Refused
    })
}

fn merge(args: &MergePagesArgs, context: &Context) -> crate::cli::Result<Outcome> {
    let read = |file: &PathBuf| std::fs::read(file).at(|| file.display().to_string());
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let of = Versions { base: &*base, ours: &*ours, theirs: &*theirs };
    let (merged, conflicts) = memory::joining::join(&context.cwd, of, args.marker);
    world::write_whole(&args.ours, &merged).at(|| args.ours.display().to_string())?;
    Ok(if conflicts == 0 { Outcome::Yes } else { Outcome::Failed })
}
