//! A merge that a person let the agent begin, and that stopped in conflicts: what ends it belongs
//! to the same permission.
//!
//! The file lies beside that of [`crate::engine::git_mark`], one for each worktree. It counts while
//! the merge that it names is under way, and for no other.

use std::io;

use serde::{Deserialize, Serialize};

use crate::engine::git_mark::GitMark;
use crate::engine::own_state;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Act, ToolCall};
use crate::phases::Class;
use crate::phases::git_acts::Merging;
use crate::phases::guard::{self, FileChange, Scene};
use crate::phases::home::{self, Here};
use crate::phases::place::Place;
use crate::store::CommitId;
use crate::verdict::{Refusal, Wants};
use crate::world;

/// The acts that may leave a merge behind.
const BEGIN: [&str; 2] = ["merge", "pull"];

/// A merge with conflicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct MergeMark {
    /// What is merged, as git names it.
    head: String,
    /// The files that conflicted.
    files: Vec<String>,
}

fn file(repo: &Repo) -> std::path::PathBuf {
    let name = format!("{}-merge.toml", repo.store.worktree_name());
    repo.store.seed_dir().join("consent").join(name)
}

/// What is being merged now; none where no merge is under way.
fn merged_now(repo: &Repo) -> Option<String> {
    (repo.store.in_progress() == Some("merge")).then_some(())?;
    // One that cannot be read is no merge that anybody let begin.
    std::fs::read_to_string(repo.store.git_dir().join("MERGE_HEAD")).ok()
}

/// A call that a person answered for has ended: a merge that it left is written down.
pub(crate) fn keep(repo: &Repo, answered: Option<&GitMark>) -> Result<()> {
    let began = answered.is_some_and(|mark| mark.verbs.iter().any(|verb| BEGIN.contains(&&**verb)));
    let Some(head) = began.then(|| merged_now(repo)).flatten() else { return Ok(()) };
    if under_way(repo)?.is_some() {
        return Ok(());
    }
    let mark = MergeMark { head, files: repo.store.unmerged()? };
    let text = toml::to_string(&mark).map_err(io::Error::other)?;
    let file = file(repo);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(world::write_whole(&file, text.as_bytes())?)
}

/// The merge that is under way, where a person let the agent begin it: the files that conflicted,
/// and one of them that still has both sides in it.
pub(crate) fn under_way(repo: &Repo) -> Result<Option<Merging>> {
    // Most often there is none.
    let Some(mark) = own_state::from_toml::<MergeMark>(&file(repo))? else { return Ok(None) };
    let is_on = merged_now(repo).is_some_and(|head| head == mark.head);
    Ok(is_on.then(|| {
        let top = repo.store.work_tree();
        // A file that is gone has no sides.
        let has_both =
            |path: &&String| std::fs::read(top.join(path)).is_ok_and(|bytes| holds_a_sign(&bytes));
        let marked = mark.files.iter().find(has_both).cloned();
        Merging { files: mark.files, marked }
    }))
}

/// Whether a step may be taken where HEAD is.
pub(crate) fn stands_at_home(repo: &Repo, focused: &LoadedJob) -> std::result::Result<(), Refusal> {
    let home = &focused.state.home;
    let away = repo.away(focused);
    // Where that does not read the person is asked to end it.
    let merging = under_way(repo).ok().flatten();
    let merging = merging.as_ref().map(|merging| merging.files.as_slice());
    let doing = repo.store.in_progress();
    let here = Here { away, doing, merging, branch: home.branch.as_str() };
    // Empty before the first phase commit. A commit that cannot be found is not in HEAD's history.
    let last = home.commit.parse::<CommitId>().ok();
    home::takes_steps(here, || {
        last.is_none_or(|commit| repo.store.contains(&commit).unwrap_or(false))
    })
}

/// Whether a text that conflicted still has any sign of git's in it: one alone is a conflict that
/// was ended by half.
pub(crate) fn holds_a_sign(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    // `conflict-marker-size` makes them longer or shorter.
    let sign = |line: &[u8], letter: u8| {
        let count = line.iter().take_while(|byte| **byte == letter).count();
        count >= 5 && line.get(count) == Some(&b' ')
    };
    lines.any(|line| sign(line, b'<') || sign(line, b'>') || sign(line, b'|'))
}

/// The verdict on a call, where an edit of files that conflicted is open wherever the job stands:
/// nobody could end the merge otherwise. Whether a merge is under way is asked only of what would
/// be refused.
fn judge_in_a_merge(
    repo: &Repo,
    call: &ToolCall,
    scene: &mut Scene<'_>,
) -> Result<std::result::Result<(), Refusal>> {
    let verdict = guard::judge(scene);
    if verdict.is_ok() || scene.guest || !matches!(call.act, Act::Edit(_)) {
        return Ok(verdict);
    }
    let Some(merging) = under_way(repo)? else { return Ok(verdict) };
    let open = |place: &Place| {
        matches!(place, Place::Project { .. } | Place::Page { .. } | Place::Knowledge)
    };
    let acts = &mut scene.call;
    let is_open = |one: &FileChange| open(&one.place) && merging.files.contains(&one.path);
    if acts.changes.is_empty() || !acts.changes.iter().all(is_open) {
        return Ok(verdict);
    }
    acts.changes.clear();
    acts.classes = vec![(Class::Housekeeping, call.tool.clone())];
    (acts.unseen, acts.outgrows, acts.unproven) = (None, None, None);
    (scene.unread, scene.gone) = (false, false);
    Ok(guard::judge(scene))
}

/// The verdict on a call; where it leads to a step that cannot be taken now, that is what it says.
pub(crate) fn judge(
    repo: &Repo,
    call: &ToolCall,
    scene: &mut Scene<'_>,
) -> Result<std::result::Result<(), Refusal>> {
    let verdict = judge_in_a_merge(repo, call, scene)?;
    let Err(refusal) = &verdict else { return Ok(verdict) };
    Ok(stops_the_step(repo, refusal, scene.guest)?.map_or(verdict, Err))
}

/// Why the step that `refusal` names cannot be taken now: a job that has not begun would be led to
/// it, back to the edit, and to it again.
fn stops_the_step(repo: &Repo, refusal: &Refusal, guest: bool) -> Result<Option<Refusal>> {
    if refusal.wants != Wants::Begin || guest || repo.store.in_progress().is_none() {
        return Ok(None);
    }
    let Some(focused) = repo.focused()? else { return Ok(None) };
    Ok(stands_at_home(repo, &focused).err())
}

/// What an edit changed of such files is part of the merge, and no work of the job's.
pub(crate) fn leave_out(repo: &Repo, act: &Act, places: &mut Vec<(String, Place)>) -> Result<()> {
    if matches!(act, Act::Edit(_))
        && let Some(merging) = under_way(repo)?
    {
        places.retain(|(path, _)| !merging.files.contains(path));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::holds_a_sign;

    #[test]
    fn a_text_with_a_sign_of_a_conflict_is_told_from_one_without() {
        assert!(holds_a_sign(b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> feature\n"));
        assert!(!holds_a_sign(b"a <<<<<<< b\n"));
        assert!(!holds_a_sign(b""));
        assert!(holds_a_sign(b"b\n=======\nc\n>>>>>>> feature\n"));
        assert!(holds_a_sign(b"<<<<<<<<< HEAD\nb\n"));
        assert!(!holds_a_sign(b"Title\n=======\n\n>>>>>>>\n> > quoted\nx >>>>>>> y\n"));
    }
}
