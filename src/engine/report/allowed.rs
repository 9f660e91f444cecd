//! What a row opens, in words, for `status`.

use crate::engine::jobs::birth::QUICK;
use crate::engine::person;
use crate::engine::repo::{LoadedJob, Repo};
use crate::jobs::shortword::{self, Moment};
use crate::phases::{Class, Phase, Reads, Write};
use crate::voice::{Notice, tell};

/// The short words that would act now, those of the repository's own tracks behind the one for all
/// phases.
pub(super) fn acting(repo: &Repo, moment: Moment, focused: Option<&LoadedJob>) -> Vec<String> {
    let mode = repo.rules.mode;
    let moment = if mode.keeps_jobs() { moment } else { Moment::Mode(mode) };
    let moment = if repo.is_on() { moment } else { Moment::Off };
    let known = |word: &&str| *word != "[QUICK]" || repo.rules.maps.names().contains(&QUICK);
    let waits = person::at_terminal::is_any_waited_for(repo).then_some("[OK <command> <code>]");
    let words = waits.into_iter().chain(shortword::acting(moment).into_iter().filter(known));
    let unheard = person::sender::is_nobody_heard(repo);
    let counts = |word: &&str| *word != "[APPROVE]" || !unheard;
    let mut all: Vec<String> = words.filter(counts).map(str::to_owned).collect();
    // Under way a job keeps its track.
    let begins = matches!(moment, Moment::NoJob { .. } | Moment::Talk { .. });
    if let Some(at) = all.iter().position(|word| word == "[FULL]").filter(|_| begins) {
        let rest = all.split_off(at + 1);
        all.extend(repo.rules.maps.own_names().map(shortword::word_of));
        all.extend(rest);
    }
    if repo.is_on() && focused.is_some_and(|focused| has_guest(repo, focused)) {
        all.push("[JOIN]".to_owned());
    }
    all
}

/// Another session than the one that drives the job is open in this worktree.
fn has_guest(repo: &Repo, focused: &LoadedJob) -> bool {
    let (driver, here) = (&focused.state.driver.session, repo.store.worktree_name());
    let there: Vec<_> = repo.recorded().filter(|one| one.worktree == here).collect();
    let runs =
        |is_driver: bool| there.iter().any(|one| (one.id == *driver) == is_driver && one.runs());
    runs(true) && runs(false)
}

/// What is left of it where the work cannot go on, for HEAD is not where the job is.
pub(super) fn looks(row: &Phase) -> Vec<String> {
    let some = Phase { write: Vec::new(), checkpoints: false, ..row.clone() };
    let mut said = allowed(&some, &[]);
    said.retain(|word| !word.starts_with("run "));
    said.push(LOOK.to_owned());
    said
}

/// What a shell may do in each phase.
const LOOK: &str = "run commands that look";

/// What a row opens, in words.
pub(super) fn allowed(row: &Phase, scope: &[String]) -> Vec<String> {
    let mut said = Vec::new();
    if row.opens(Class::Read) {
        said.push(
            if row.reads == Reads::Memory { "read memory pages" } else { "read anything" }
                .to_owned(),
        );
    }
    if row.opens(Class::Web) {
        said.push("search the web".to_owned());
    }
    if let Some(anchor) = row.anchor.as_deref().filter(|_| row.write.contains(&Write::Page)) {
        said.push(tell(Notice::MayBelowAnchor, &[("anchor", anchor)]));
    }
    if row.write.contains(&Write::Scope) {
        let dirs = if scope.is_empty() { "no directory yet".to_owned() } else { scope.join(", ") };
        said.push(format!("write in {dirs}"));
    } else if let Some(anchor) =
        row.anchor.as_deref().filter(|_| row.write.contains(&Write::ScopedPage))
    {
        said.push(format!("write results below {anchor}"));
    }
    if row.write.contains(&Write::Memory) {
        said.push(tell(Notice::MayMemory, &[]));
    }
    if row.write.contains(&Write::All) {
        said.push("write anything".to_owned());
    }
    if row.write.contains(&Write::Tree) {
        let dirs = if scope.is_empty() { "the work tree".to_owned() } else { scope.join(", ") };
        said.push(format!("write in {dirs}"));
    }
    if row.opens(Class::ShellWrite) {
        said.push("run anything".to_owned());
    } else if row.opens(Class::ShellCode) {
        said.push("run tests and scripts".to_owned());
    } else if row.opens(Class::ShellRead) {
        said.push(LOOK.to_owned());
    }
    if row.checkpoints {
        said.push("checkpoint".to_owned());
    }
    if said.is_empty() {
        said.push(tell(Notice::MayAskAlone, &[]));
    }
    said
}
