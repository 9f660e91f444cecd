//! The fence's look after a call that may have written, and what it makes of what was proved.

use std::collections::BTreeSet;

use crate::engine::fence::looks::Window;
use crate::engine::fence::survey::Judged;
use crate::engine::record::aftermath::ShellEffects;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{fence, record, unclaimed};
use crate::format::fold::JournalLines;
use crate::format::journal::What;
use crate::format::looks::FirstLook;
use crate::format::state::State;
use crate::memory::scope::Scope;
use crate::phases::place::Place;
use crate::store::{Changed, RepoPath, TreeId};
use crate::world;

/// Compares the tree after a call that may have written; `window` is what the look before
/// it knew, where it was had. A call that only `looks` changed nothing.
pub(crate) fn after_shell(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    (window, looks): (Option<&Window>, bool),
) -> Result<ShellEffects> {
    let mut after = ShellEffects::default();
    let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(after) };
    let (index, lens) = (repo.private_index(), fence::tree::lens(repo, Some(focused))?);
    repo.store.indexes_are_plain(&index)?;
    let build = |path: &RepoPath| fence::tree::build_dir(repo, path);
    let mut changed = repo.store.changes_since(&index, &before, &lens, &build)?;
    if changed.is_empty() {
        return Ok(after);
    }
    after.moved = true;
    let row = repo.row(Some(focused));
    let touched = fence::survey::touched(repo, focused, since)?;
    let judged = Judged {
        persons: fence::tree::persons(repo, focused)?,
        unclaimed: unclaimed::named(&focused.state, since),
        touched: BTreeSet::new(),
        scope: repo.scope(focused)?,
        row,
        state: &focused.state,
        chain: &focused.chain,
        tree: None,
    };
    let running = focused.activity.as_ref().is_ok_and(|counts| counts.activity.has_running());
    let known = Known {
        judged,
        before,
        touched,
        others: fence::looks::calls_not_over(repo),
        running,
        window,
        looks,
    };
    let mut waiting = Vec::new();
    for change in &changed {
        if place_change(repo, &known, change, &mut after)? == Placed::Waits {
            waiting.push(change.path.clone());
        }
    }
    changed.retain(|change| !waiting.contains(&change.path));
    repo.store.catch_up(&index, &lens, &changed)?;
    Ok(after)
}

/// What is known when a call ends, and tells whose a change is.
struct Known<'a> {
    judged: Judged<'a>,
    /// The work tree at the last boundary.
    before: TreeId,
    /// Paths that the agent touched in this stay.
    touched: BTreeSet<String>,
    /// Looks of other calls that did not end.
    others: Vec<FirstLook>,
    /// A background command or a subagent of the agent's may still write.
    running: bool,
    window: Option<&'a Window>,
    /// The call only looked: whatever changed came before it, or beside it.
    looks: bool,
}

impl Known<'_> {
    /// Whether `change`, which nothing accounts for yet, is that of a call whose own second look
    /// will tell.
    fn is_told_later(&self, repo: &Repo, change: &Changed) -> bool {
        let now = world::now_ms();
        let mut looks = self.others.iter().filter(|look| look.is_short(now, None));
        looks.any(|look| fence::looks::has_moved(repo, look, &change.path))
    }

    /// Whether the file at `shown` changed since the call before, and no call can have made it: no
    /// edit named it, none is known that did not end, and nothing runs in the background. That is a
    /// person's work, or that of a tool of theirs.
    fn came_between_calls(&self, repo: &Repo, change: &Changed, shown: &str) -> Result<bool> {
        let had_changed = |window: &Window| window.look.had_changed(shown);
        let seen = self.looks || self.window.is_some_and(had_changed);
        let mut others = self.others.iter();
        let nobodys = seen
            && !self.running
            && !self.touched.contains(shown)
            && !self.judged.persons.contains(shown)
            && !others.any(|look| fence::looks::has_moved(repo, look, &change.path));
        let open = || fence::foreign_commits::in_no_commit(repo, &[shown.to_owned()]);
        // What the person committed or pulled is in no way of the agent's next change.
        Ok(nobodys && !open()?.is_empty())
    }
}

/// Whether a change is told of now.
#[derive(PartialEq, Eq)]
enum Placed {
    Told,
    /// Another call may have made it: its own second look tells.
    Waits,
}

/// Adds one change to what the call left behind: as its own, as a stray, as nobody's.
fn place_change(
    repo: &Repo,
    known: &Known<'_>,
    change: &Changed,
    after: &mut ShellEffects,
) -> Result<Placed> {
    let Known { judged, touched, window, .. } = known;
    let state = judged.state;
    let shown = change.path.to_string();
    let file = change.path.below(repo.store.work_tree()).unwrap_or_default();
    let moved =
        window.is_none_or(|window| fence::looks::has_moved(repo, &window.look, &change.path));
    let place = fence::survey::place_of(repo, &shown, state);
    let allowed = fence::survey::is_allowed_at(repo, judged, &change.path, &place, &known.before)?;
    let work = is_work_at(&shown, &place, &judged.scope);
    let by_call = window.is_some_and(|window| {
        let open = || window.look.confined && allowed;
        window.look.tree.is_some() && moved && (window.is_tied_to(&file) || open())
    });
    // What was unclaimed once may hold a person's work: no later call makes it the agent's.
    let first = touched.contains(&shown)
        || !(judged.unclaimed.contains(&shown)
            || window.is_some_and(|window| window.look.had_changed(&shown)));
    let between = known.came_between_calls(repo, change, &shown)?;
    let written_down = is_written_down(repo, known, &shown, &file);
    after.changed |= moved && !written_down && (by_call || work);
    after.late |= work;
    let page = matches!(place, Place::Page { .. });
    match (by_call, allowed) {
        (true, true) => {
            after.page_edits += u32::from(page);
            after.mixed.extend((between && work).then(|| shown.clone()));
            after.paths.push(shown);
        }
        // One that the repository never had is nobody's: named to the person, in no commit, and no
        // step waits for it.
        (true, false) if written_down && !repo.store.holds_path(&known.before, &change.path)? => {
            after.unclaimed.push(shown);
        }
        (true, false) if first => after.strays.push(shown),
        (false, _) if touched.contains(&shown) || judged.persons.contains(&shown) => {}
        (false, true) if between && work && (known.looks || !moved) => after.unclaimed.push(shown),
        (false, true) => {}
        (false, false) if known.is_told_later(repo, change) => return Ok(Placed::Waits),
        (_, false) => after.unclaimed.push(shown),
    }
    Ok(Placed::Told)
}

/// Whether a tool wrote the file down beside what it was called for: a lock file that the line
/// does not name (`cargo test` writes `Cargo.lock`). What ran, ran with it.
fn is_written_down(repo: &Repo, known: &Known<'_>, shown: &str, file: &std::path::Path) -> bool {
    let named = known.window.is_none_or(|window| window.names(file));
    !named && !known.touched.contains(shown) && repo.rules.companions().is_lock(shown)
}

/// Forgets that code ran well where declared work changed after it: by a command that
/// went on in the background, or by somebody else. Called before the fence's index is
/// brought up to date, which is what tells such a change from one that was proved.
pub(crate) fn forget_stale_proof(repo: &Repo) -> Result<()> {
    let (focused, index) = (repo.require_focused()?, repo.private_index());
    // A journal that does not hold is asked for right below.
    let proved = focused.activity.as_ref().ok().and_then(|counts| counts.activity.proved);
    if focused.activity.is_err() || !proved.unwrap_or(focused.state.proved) || !index.exists() {
        return Ok(());
    }
    let lens = fence::tree::lens(repo, Some(&focused))?;
    let build = |path: &RepoPath| fence::tree::build_dir(repo, path);
    let changed = repo.store.changes_since_index(&index, &lens, &build)?;
    let scope = repo.scope(&focused)?;
    if changed.iter().any(|change| is_work(repo, &change.path.to_string(), &scope, &focused.state))
    {
        record::journal_line::note(repo, Some(&focused), |line| {
            line.what = What::Late;
            line.counts.activity.proved = Some(false);
        })?;
    }
    Ok(())
}

/// A declared file of the project: what a proof is about.
pub(crate) fn is_work(repo: &Repo, path: &str, scope: &Scope, state: &State) -> bool {
    is_work_at(path, &fence::survey::place_of(repo, path, state), scope)
}

fn is_work_at(path: &str, place: &Place, scope: &Scope) -> bool {
    place.is_direct(path) && repo::rows::declared(path, place, scope)
}
