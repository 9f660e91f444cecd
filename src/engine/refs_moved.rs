//! Refs that moved while a call ran: which are worth a word, whose it is, what puts them back.
//!
//! Named is what takes something away or swaps it: a branch, a tag or notes that went or no
//! longer hold what they held, entries of the stash, every replace ref, and our own refs
//! where they went or left their history. What only grows is not: commits are named by the
//! log of HEAD, and a branch that begins takes nothing from anybody. Nothing is held for it:
//! objects are read without replace refs, and a person may have wanted the rest.

use crate::engine::fence;
use crate::engine::fence::looks::Window;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::looks::RefMove;
use crate::format::names::COMMIT_NOTES;
use crate::phases::Class;
use crate::store::refs::STASH;
use crate::voice::{Notice, tell};

/// The most that are named at once.
const NAMED: usize = 8;

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MovedRefs {
    /// The journal's words: name, what it held, what it holds.
    pub(crate) kept: Vec<String>,
    /// Each with the command that puts it back.
    told: Vec<String>,
    by_call: bool,
}

impl MovedRefs {
    pub(crate) fn to_agent(&self) -> Option<String> {
        let told = (self.by_call && !self.told.is_empty()).then(|| self.told.join("\n"));
        told.map(|refs| tell(Notice::RefsNoticed, &[("refs", &refs)]))
    }

    pub(crate) fn to_person(&self) -> Option<String> {
        let of = if self.by_call { Notice::RefsOfAgent } else { Notice::RefsUnclaimed };
        (!self.told.is_empty()).then(|| tell(of, &[("refs", &self.told.join("\n"))]))
    }
}

/// What of the refs that moved between the two looks of a call is worth a word.
pub(crate) fn moved_in(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    window: Option<&Window>,
) -> Result<MovedRefs> {
    let Some(window) = window.filter(|window| !window.refs.is_empty()) else {
        return Ok(MovedRefs::default());
    };
    let git_is_open = repo.row(focused).opens(Class::ShellGit);
    let mut moved: Vec<&RefMove> =
        window.refs.iter().filter(|one| is_named(repo, one, git_is_open)).collect();
    if let Some(focused) = focused {
        // Two calls at once see the same: it is told once.
        let since = repo.read_since(focused)?;
        let lines = || since.lines.iter().flat_map(|linked| &linked.line.refs);
        moved.retain(|one| lines().all(|known| *known != kept(one)));
    }
    if moved.is_empty() {
        return Ok(MovedRefs::default());
    }
    let tied = |one: &&RefMove| window.is_tied_to(&repo.store.common_dir().join(&one.name));
    let by_call = fence::looks::calls_under_way(repo).is_empty() && moved.iter().all(tied);
    let mut told: Vec<String> = moved.iter().take(NAMED).map(|one| in_words(one)).collect();
    if moved.len() > NAMED {
        told.push(tell(Notice::RefsMore, &[("count", &(moved.len() - NAMED).to_string())]));
    }
    Ok(MovedRefs { kept: moved.iter().map(|one| kept(one)).collect(), told, by_call })
}

fn kept(one: &RefMove) -> String {
    format!("{} {} {}", one.name, one.old, one.new)
}

/// `git_is_open` says that the phase's way of working moves refs.
fn is_named(repo: &Repo, one: &RefMove, git_is_open: bool) -> bool {
    if one.name.starts_with("refs/replace/") {
        return true;
    }
    if one.old.is_empty() && !one.new.is_empty() || repo.store.descends(&one.new, &one.old) {
        return false;
    }
    if one.name.starts_with("refs/seed/") {
        return !repo.store.is_kept_by_own_refs(&one.old);
    }
    one.name == COMMIT_NOTES || !git_is_open
}

/// One ref with the command that puts it back.
fn in_words(one: &RefMove) -> String {
    let RefMove { name, old, new, words } = one;
    let gone = new.is_empty();
    let (notice, line) = match name.strip_prefix("refs/heads/") {
        _ if old.is_empty() && gone => (Notice::RefLost, String::new()),
        _ if old.is_empty() => (Notice::RefNew, format!("git update-ref -d {name} {new}")),
        _ if name == STASH => {
            let words = words.replace('\'', "'\\''");
            (Notice::RefStash, format!("git stash store -m '{words}' {old}"))
        }
        Some(branch) if gone => (Notice::RefGone, format!("git branch {branch} {old}")),
        _ if gone => (Notice::RefGone, format!("git update-ref {name} {old}")),
        _ => (Notice::RefElsewhere, format!("git update-ref {name} {old} {new}")),
    };
    tell(notice, &[("ref", name.as_str()), ("line", &line)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_with_what_puts_it_back() {
        for (name, old, new, words, line) in [
            ("refs/heads/a/b", "1", "", "", "git branch a/b 1"),
            ("refs/heads/a", "1", "2", "", "git update-ref refs/heads/a 1 2"),
            ("refs/tags/v1", "1", "", "", "git update-ref refs/tags/v1 1"),
            ("refs/tags/v1", "1", "2", "", "git update-ref refs/tags/v1 1 2"),
            ("refs/replace/1", "", "2", "", "git update-ref -d refs/replace/1 2"),
            ("refs/seed/meta", "1", "", "", "git update-ref refs/seed/meta 1"),
            (STASH, "1", "", "it's mine", "git stash store -m 'it'\\''s mine' 1"),
            ("refs/heads/a", "", "", "", "git fsck --lost-found"),
        ] {
            let one = RefMove {
                name: name.to_owned(),
                old: old.to_owned(),
                new: new.to_owned(),
                words: words.to_owned(),
            };
            let told = in_words(&one);
            assert!(told.contains(name) && told.contains(line), "{told}");
        }
    }
}
