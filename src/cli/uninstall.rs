//! `git seed uninstall`

use super::{Context, Outcome, report::Report};
use crate::engine::setup;
use crate::voice::{self, Notice};

/// Remove git seed from this repository, byte for byte°
///
/// First saves every step and note in a bundle outside the repository. Then removes what init
/// and the hooks wrote. Pages, knowledge and commits stay, because they are yours.
#[derive(Debug, clap::Args)]
pub(super) struct UninstallArgs {
    /// Show what would be removed, without removing it
    #[arg(long)]
    pub(super) check: bool,
    /// Keep refs/seed and the notes, instead of saving them in a bundle
    #[arg(long)]
    keep_history: bool,
}

pub(super) fn run(
    args: &UninstallArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    if args.check {
        repo.require_seeded()?;
        super::init::tell(&setup::uninstall::removal_plan(&repo)?, out);
        name_man_pages(out);
        return Ok(Outcome::Yes);
    }
    let bundle = crate::engine::setup::init::bundle_file(repo.store.work_tree(), repo.now);
    let told = setup::uninstall::remove(&repo, !args.keep_history, Some(&bundle))?;
    super::init::tell(&told, out);
    name_man_pages(out);
    Ok(Outcome::Yes)
}

/// Other repositories may use them, so they go by a command of their own.
fn name_man_pages(out: &mut Report) {
    for dir in super::man::installed() {
        let dir = dir.display().to_string();
        out.line(format_args!("left      {}", voice::tell(Notice::ManPagesStay, &[("dir", &dir)])));
    }
}
