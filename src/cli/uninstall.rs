//! `git seed uninstall`

use super::man_places::{self, Leaving, Put, User};
use super::{Context, Outcome, report::Report};
use crate::engine::repo::EngineError;
use crate::engine::repo::text::count;
use crate::engine::setup::own_record::Told;
use crate::engine::{self, setup};
use crate::voice::{self, Notice};

/// Remove git seed from this repository, byte for byte°
///
/// First saves every step and note in a bundle outside the repository. Then removes what init
/// and the hooks wrote. Pages, knowledge and commits stay, because they are yours. The man pages go
/// with the last repository that has git seed.
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
    let repo = context.repo_over_damage()?;
    // What does not read goes, too.
    if !engine::traces::are_here(&repo)? {
        return Err(EngineError::NotSeeded.into());
    }
    if args.check {
        if !args.keep_history {
            engine::own_refs::all_read(&repo)?;
        }
        let mut plan = setup::uninstall::removal_plan(&repo)?;
        plan.extend(man_pages("would take out", &man_places::leaving(&User::leaving(&repo))?));
        super::init::tell(&plan, out);
        return Ok(Outcome::Yes);
    }
    // What lies outside of it would go first, and nobody hears of what stays.
    if !repo.store.is_writable() {
        return Err(EngineError::not_now(Notice::LeavesNotNow, &[]).into());
    }
    let bundle = setup::init::bundle_file(repo.store.work_tree(), repo.now);
    let user = User::leaving(&repo);
    let mut told = setup::uninstall::remove(&repo, !args.keep_history, Some(&bundle))?;
    told.extend(man_pages("took out", &man_places::leave(&user)?));
    told.push(setup::uninstall::remove_last(&repo, !args.keep_history)?);
    super::init::tell(&told, out);
    Ok(Outcome::Yes)
}

/// Man pages go with the last repository that needs them.
fn man_pages(verb: &'static str, leaving: &Leaving) -> Vec<Told> {
    let pages = |put: &Put| count(put.pages, "man page");
    let going = leaving.going.iter().map(|put| Told::new(verb, put.shown(), pages(put)));
    let stay = voice::tell(Notice::ManPagesStay, &[]);
    let staying = leaving.staying.iter().map(|put| Told::new("left", put.shown(), &*stay));
    going.chain(staying).collect()
}
