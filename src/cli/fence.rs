//! `git seed fence …`

use crate::engine::{boundary, fence, jobs, lost_pages};
use crate::format::shown;
use crate::voice::{self, Notice};
use std::collections::BTreeSet;
use std::path::Path;

use clap::Subcommand;

use super::{Context, Outcome, report::Report};
use crate::engine::fence::restore::Restored;
use crate::engine::fence::survey::Survey;
use crate::engine::person::allow_word;
use crate::engine::repo::{EngineError, LoadedJob, Repo};

#[derive(Debug, Subcommand)]
pub(super) enum FenceCommand {
    /// List changes outside the fence: those of the agent, and those by someone else
    ///
    /// A change is outside the fence when the phase does not allow it. Changes of the agent are
    /// marked `stray`; changes that cannot be shown to be the agent's are marked `unclaimed`.
    Status,
    /// Undo the agent's changes outside the fence, or any that are named
    ///
    /// Files are as they were at the last step that made a commit. Only changes of the agent are
    /// undone, in scope only those that are named. The job keeps what is taken away, and the
    /// command prints where. Pages and files of the job are left to edits, but for a page of the
    /// cycle that is gone: it comes back as the last commit has it.
    Restore {
        /// Paths to restore; all changes outside the fence when omitted
        paths: Vec<String>,
    },
    /// Open paths for the agent until the cycle is closed°
    ///
    /// As `[ALLOW <path>]` in a prompt does. Pages and knowledge stay as the phase has them.
    Allow {
        /// Paths, relative to the working directory or to the top of the work tree
        #[arg(required = true)]
        paths: Vec<String>,
    },
    /// Accept changes outside the fence as your own°
    Accept {
        /// Paths, relative to the top of the work tree
        #[arg(required = true)]
        paths: Vec<String>,
    },
}

pub(super) fn run(
    command: &FenceCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    // Fingerprints are compared with or without a job; the tree has nothing to say without one.
    let focused = repo.focused()?;
    match command {
        FenceCommand::Status => {
            show(&repo, focused.as_ref(), out)?;
            Ok(Outcome::Yes)
        }
        FenceCommand::Allow { paths } => {
            let focused = repo.require_focused()?;
            let paths: Vec<String> =
                paths.iter().map(|path| as_typed(&repo, &context.cwd, path)).collect();
            let opening = allow_word::open_paths(&repo, &focused, &paths, &context.cwd)?;
            out.json(&serde_json::json!({ "opened": opening.opened, "shut": opening.shut }));
            out.line(&opening.told.person);
            Ok(if opening.opened.is_empty() { Outcome::Failed } else { Outcome::Yes })
        }
        FenceCommand::Accept { paths } => {
            accept(&repo, focused.as_ref(), paths, out)?;
            Ok(Outcome::Yes)
        }
        FenceCommand::Restore { paths } => {
            let person = repo.is_person().is_ok();
            let restored = restore(&repo, focused.is_some(), paths, person)?;
            out.json(&serde_json::json!({ "restored": restored.kept, "left": restored.left }));
            for (path, kept) in &restored.kept {
                let kept =
                    if kept.is_empty() { String::new() } else { format!("   kept as {kept}") };
                out.line(format_args!("{} is as it was{kept}", shown::on_one_line(path)));
            }
            for path in &restored.left {
                out.line(voice::tell(Notice::FenceAsBefore, &[("path", path)]));
            }
            if restored.kept.is_empty() && restored.left.is_empty() {
                out.line("Nothing to restore.");
            }
            Ok(if restored.left.is_empty() { Outcome::Yes } else { Outcome::Failed })
        }
    }
}

/// Takes `paths` over as the person's. What a hook adds is in the next commit all the same.
fn accept(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    paths: &[String],
    out: &mut Report,
) -> Result<(), EngineError> {
    let mut rest = fence::fingerprint_restore::accept_prints(repo, paths)?;
    let tried = match focused {
        Some(focused) => boundary::hooked::stands(repo, focused)?,
        None => None,
    };
    if focused.is_none() {
        rest = jobs::left::accept(repo, &rest)?;
    }
    if !rest.is_empty() {
        fence::restore::accept(repo, &rest)?;
    }
    out.json(&serde_json::json!({ "accepted": paths }));
    let by_hook = |path: &&String| {
        tried.as_ref().is_some_and(|tried| boundary::hooked::has_added(tried, path))
    };
    let (hooked, own): (Vec<_>, Vec<_>) = paths.iter().partition(by_hook);
    for (paths, notice) in [(own, Notice::FenceAccepted), (hooked, Notice::FenceAcceptedHooked)] {
        if !paths.is_empty() {
            let shown = shown::all_on_one_line(&paths, ", ");
            out.line(voice::tell(notice, &[("paths", &shown)]));
        }
    }
    Ok(())
}

/// A path as a shell means it: in the working directory, unless it is there only below the top.
fn as_typed(repo: &Repo, cwd: &Path, path: &str) -> String {
    let is_there = |base: &Path| base.join(path).symlink_metadata().is_ok();
    let from_the_top = path.starts_with('~') || !is_there(cwd) && is_there(repo.store.work_tree());
    if from_the_top { path.to_owned() } else { cwd.join(path).to_string_lossy().into_owned() }
}

/// Puts fingerprinted files back, then what the tree fence knows.
fn restore(
    repo: &Repo,
    focused: bool,
    paths: &[String],
    person: bool,
) -> Result<Restored, EngineError> {
    let (mut restored, mut rest) = fence::fingerprint_restore::restore_prints(repo, paths)?;
    if !focused && person {
        let put_back = jobs::left::restore(repo, &rest)?;
        rest.retain(|path| put_back.kept.iter().all(|(kept, _)| kept != path));
        restored.kept.extend(put_back.kept);
    }
    let done = !restored.kept.is_empty() || !restored.left.is_empty();
    if (paths.is_empty() || !rest.is_empty()) && (focused || !done) {
        let in_tree = fence::restore::restore_strays(repo, &rest, person)?;
        restored.kept.extend(in_tree.kept);
        let pages = lost_pages::put_back(repo, &repo.require_focused()?, &in_tree.left)?;
        restored.left.extend(in_tree.left.into_iter().filter(|path| !pages.contains(path)));
        restored.kept.extend(pages.into_iter().map(|page| (page, String::new())));
    }
    Ok(restored)
}

/// What the fence holds now: of the work tree, and of what is watched beside it.
fn surveyed(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    prints: Vec<String>,
) -> crate::cli::Result<Survey> {
    let mut survey = if let Some(focused) = focused {
        let (since, row) = (repo.read_since(focused)?, repo.row(Some(focused)));
        fence::survey::survey(repo, focused, &since, row)?
    } else {
        let mut survey = Survey::default();
        for job in jobs::unattended::awaiting(repo)? {
            survey.unclaimed.extend(jobs::left::unclaimed(repo, &job)?);
        }
        survey
    };
    survey.strays.extend(prints);
    survey.strays.sort();
    survey.strays.dedup();
    Ok(survey)
}

/// The agent's changes outside the fence first: they have to go. Then what stands in the way of
/// nothing, and last what the next commit holds besides the plain work.
fn show(repo: &Repo, focused: Option<&LoadedJob>, out: &mut Report) -> crate::cli::Result<()> {
    let prints = fence::fingerprint_restore::print_strays(repo)?;
    let survey = surveyed(repo, focused, prints)?;
    if focused.is_none() && survey.strays.is_empty() && survey.unclaimed.is_empty() {
        repo.require_focused()?;
    }
    let persons =
        focused.map(|focused| fence::tree::persons(repo, focused)).transpose()?.unwrap_or_default();
    let unclaimed: Vec<&str> = survey.unclaimed.iter().map(|one| one.path.as_str()).collect();
    let outside = survey.strays.iter().map(String::as_str).chain(unclaimed.iter().copied());
    let mut hidden = fence::survey::hidden_now(repo, &survey, outside)?;
    hidden.extend(survey.hidden.iter().cloned());
    let hidden: BTreeSet<String> = hidden.into_iter().collect();
    let own: Vec<String> = survey.own.iter().map(ToString::to_string).collect();
    out.json(&serde_json::json!({
        "strays": survey.strays, "unclaimed": unclaimed, "hidden": hidden, "own": own,
        "mixed": survey.mixed, "companions": survey.companions, "persons": persons,
    }));
    let mut line = |what: &str, path: &str, told: &[(bool, Notice)]| {
        let ignored = [(hidden.contains(path), Notice::FenceIgnored)];
        let told: Vec<String> = told
            .iter()
            .chain(&ignored)
            .filter(|(holds, _)| *holds)
            .map(|(_, told)| voice::tell(*told, &[]))
            .collect();
        let told =
            if told.is_empty() { String::new() } else { format!("   ({})", told.join("; ")) };
        out.line(format_args!("{what:<9}  {}{told}", shown::on_one_line(path)));
    };
    for path in &survey.strays {
        line("stray", path, &[]);
    }
    for path in &unclaimed {
        line("unclaimed", path, &[]);
    }
    for path in survey.hidden.iter().filter(|path| !own.contains(path)) {
        line("hidden", path, &[]);
    }
    for path in &own {
        let is = |list: &[String]| list.contains(path);
        let told = [
            (is(&survey.mixed), Notice::FenceMixed),
            (is(&survey.companions), Notice::FenceCompanion),
        ];
        line("own", path, &told);
    }
    if !survey.strays.is_empty() {
        out.line(voice::tell(Notice::FenceHintStrays, &[]));
    } else if unclaimed.is_empty() {
        out.line("Clean.");
    } else {
        out.line(voice::tell(Notice::FenceHintUnclaimed, &[]));
    }
    Ok(())
}
