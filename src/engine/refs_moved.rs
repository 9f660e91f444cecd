//! Refs that moved while a call ran: which are worth a word, whose it is, what puts them back.
//!
//! Named is what takes something away or swaps it: a branch, a tag or notes that went or no
//! longer hold what they held, entries of the stash, every replace ref, and our own refs
//! where they went, left their history or hold what git seed did not write; notes that grew and
//! lost a line all the same; a focus that no operation of ours moved. What only grows is not:
//! commits are named by the log of HEAD, and a branch that begins takes nothing from anybody.
//! Nothing is held for it: objects are read without replace refs, and a person may have wanted the
//! rest.

use crate::engine::fence;
use crate::engine::fence::looks::Window;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::looks::RefMove;
use crate::format::names::{COMMIT_NOTES, FOCUS, META, OPS, RULES};
use crate::phases::Class;
use crate::store::Store;
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
    /// The ref went that says that git seed lives here: from now on no hook says or holds
    /// anything.
    off: bool,
}

impl MovedRefs {
    pub(crate) fn to_agent(&self) -> Option<String> {
        let told = (self.by_call && !self.told.is_empty()).then(|| self.told.join("\n"));
        told.map(|refs| tell(Notice::RefsNoticed, &[("refs", &refs)]))
    }

    pub(crate) fn to_person(&self) -> Option<String> {
        let of = match (self.off, self.by_call) {
            (true, _) => Notice::RefsOff,
            (false, true) => Notice::RefsOfAgent,
            (false, false) => Notice::RefsUnclaimed,
        };
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
        window.refs.iter().filter(|one| is_named(repo, one, window, git_is_open)).collect();
    // What all the rest rests on is among those that are named.
    moved.sort_by_key(|one| one.name != META);
    if let Some(focused) = focused {
        // Two calls at once see the same: it is told once.
        let since = repo.read_since(focused)?;
        let lines = || since.lines.iter().flat_map(|linked| &linked.line.refs);
        moved.retain(|one| lines().all(|known| *known != kept(one)));
    }
    if moved.is_empty() {
        return Ok(MovedRefs::default());
    }
    let tied = |one: &&RefMove| window.is_tied_to(&repo.store.place_of_ref(&one.name));
    let by_call = fence::looks::calls_under_way(repo).is_empty() && moved.iter().all(tied);
    let mut told: Vec<String> = moved.iter().take(NAMED).map(|one| in_words(one)).collect();
    if moved.len() > NAMED {
        told.push(tell(Notice::RefsMore, &[("count", &(moved.len() - NAMED).to_string())]));
    }
    let off = moved.iter().any(|one| one.name == META && one.new.is_empty());
    Ok(MovedRefs { kept: moved.iter().map(|one| kept(one)).collect(), told, by_call, off })
}

/// Says `why`, where a call took away what the state is read from, with the refs that went and
/// what puts them back.
pub(crate) fn named_in<T>(repo: &Repo, window: Option<&Window>, why: EngineError) -> Result<T> {
    // What else stands in the way is said by `why`, or not at all.
    let moved = moved_in(repo, None, window).unwrap_or_default();
    if moved.told.is_empty() || !why.is_damage() {
        return Err(why);
    }
    Err(EngineError::Taken { why: Box::new(why), refs: moved.told.join("\n") })
}

fn kept(one: &RefMove) -> String {
    format!("{} {} {}", one.name, one.old, one.new)
}

/// `git_is_open` says that the phase's way of working moves refs.
fn is_named(repo: &Repo, one: &RefMove, window: &Window, git_is_open: bool) -> bool {
    let (name, begins) = (one.name.as_str(), one.old.is_empty() && !one.new.is_empty());
    if name.starts_with("refs/replace/") {
        return true;
    }
    if name.starts_with("refs/seed/") {
        return is_not_ours(repo, one);
    }
    if name == FOCUS {
        // Whoever of us moves it says so in the same breath; this process does before it ends.
        let told = window.refs.iter().any(|other| other.name == OPS);
        return !told && !Store::moved_in().contains(repo.store.work_tree());
    }
    if !name.starts_with("refs/") {
        // A merge or a pick that a line of git asked for was judged before the call.
        return begins && !git_is_open && !window.moves_head(repo);
    }
    if begins {
        return false;
    }
    if repo.store.descends(&one.new, &one.old) {
        return name == COMMIT_NOTES && !keeps_its_lines(repo, one);
    }
    name == COMMIT_NOTES || !git_is_open
}

/// A ref below `refs/seed/` that went, left its history, or holds what git seed did not write.
/// Rules in force are a person's to move: no call of an agent does it, whoever wrote them.
fn is_not_ours(repo: &Repo, one: &RefMove) -> bool {
    let RefMove { name, old, new, .. } = one;
    if new.is_empty() {
        return !repo.store.is_kept_by_own_refs(old);
    }
    if name == RULES || !repo.store.is_own_step(name, new) {
        return true;
    }
    !old.is_empty() && !repo.store.descends(new, old) && !repo.store.is_kept_by_own_refs(old)
}

/// Notes that do not read keep nothing.
fn keeps_its_lines(repo: &Repo, one: &RefMove) -> bool {
    let (Ok(old), Ok(new)) = (one.old.parse(), one.new.parse()) else { return false };
    repo.store.notes_keep(&old, &new).unwrap_or(false)
}

/// One ref with the command that puts it back.
fn in_words(one: &RefMove) -> String {
    let RefMove { name, old, new, words } = one;
    let gone = new.is_empty();
    let (notice, line) = match name.strip_prefix("refs/heads/") {
        _ if name == FOCUS => {
            let line = match old.strip_prefix("ref: ") {
                Some(chain) => format!("git symbolic-ref {name} {chain}"),
                None => format!("git symbolic-ref -d {name}"),
            };
            let is = if old.is_empty() { Notice::RefNew } else { Notice::RefElsewhere };
            (if gone { Notice::RefGone } else { is }, line)
        }
        _ if !name.starts_with("refs/") => {
            (Notice::RefNew, format!("rm \"$(git rev-parse --git-path {name})\""))
        }
        _ if old.is_empty() && gone => (Notice::RefLost, String::new()),
        _ if old.is_empty() && new.starts_with("ref:") => {
            (Notice::RefNew, format!("git symbolic-ref -d {name}"))
        }
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
    fn where_git_seed_is_off_the_person_hears_that_first() {
        for (off, by_call, words) in [
            (true, true, "holds nothing here"),
            (true, false, "holds nothing here"),
            (false, true, "This blocks nothing"),
            (false, false, "no call accounts for it"),
        ] {
            let told = vec!["refs/seed/meta was deleted".to_owned()];
            let said = MovedRefs { kept: Vec::new(), told, by_call, off }.to_person();
            let said = said.expect("it is told");
            assert!(said.contains(words) && said.ends_with("was deleted"), "{said}");
        }
    }

    #[test]
    fn each_kind_is_told_with_what_puts_it_back() {
        for (name, old, new, words, line) in [
            ("refs/heads/a/b", "1", "", "", "git branch a/b 1"),
            ("refs/heads/a", "1", "2", "", "git update-ref refs/heads/a 1 2"),
            ("refs/tags/v1", "1", "", "", "git update-ref refs/tags/v1 1"),
            ("refs/tags/v1", "1", "2", "", "git update-ref refs/tags/v1 1 2"),
            ("refs/replace/1", "", "2", "", "git update-ref -d refs/replace/1 2"),
            ("refs/seed/meta", "1", "", "", "git update-ref refs/seed/meta 1"),
            ("refs/seed/claims", "", "ref: x", "", "git symbolic-ref -d refs/seed/claims"),
            (FOCUS, "ref: a", "", "", "git symbolic-ref refs/worktree/seed/focus a"),
            ("MERGE_HEAD", "", "x", "", "--git-path MERGE_HEAD"),
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
