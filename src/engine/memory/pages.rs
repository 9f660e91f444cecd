//! The cycle's pages at a boundary: what they declare, how long their footers are, which
//! notes in them are live, and the anchors that git seed puts in.
//!
//! What a page *is* stands in `memory`; here it is read from the work tree and written to it.

use crate::engine::record::draft::StepDraft;
use crate::engine::repo::rows::to_line;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{memory, record};
use crate::format::state::State;
use crate::format::{names, short_hash};
use crate::memory::notes::{Note, Standing};
use crate::memory::{footers, scope};
use crate::phases::Phase;
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};

/// A note on one of the cycle's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoteAt {
    /// Its number among the cycle's notes, from 1; it stays while no note comes or goes.
    pub n: usize,
    pub page: String,
    pub note: Note,
}

impl NoteAt {
    /// `page:line`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.page, self.note.line)
    }
}

/// The work tree has something by this path.
pub(crate) fn is_there(repo: &Repo, path: &str) -> bool {
    repo.store.work_tree().join(path).symlink_metadata().is_ok()
}

/// Directories that `scope:` lines of declared pages name, below the anchor of `row`;
/// or what is wrong with one of them.
pub(crate) fn scope_lines(
    repo: &Repo,
    declared: &[String],
    row: &Phase,
) -> std::result::Result<Vec<String>, String> {
    let anchors = repo.rules.maps.anchors();
    let Some(rank) = row.rank(&anchors) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for dir in declared {
        let text = repo.page_text(dir).map_err(|unread| unread.to_string())?;
        let Some(text) = text else { continue };
        let Some(section) = footers::layout(&text, &anchors).section(rank).map(str::to_owned)
        else {
            continue;
        };
        for line in scope::declared(&section, &|path| is_there(repo, path)) {
            let line = line.map_err(|bad| format!("{}: {bad}", repo.page_path(dir)))?;
            let dir = to_line(&line.dir);
            found.extend((line.below && repo.rules.deep_scope).then(|| scope::below_line(&dir)));
            found.push(dir);
        }
    }
    Ok(found)
}

/// Kinds of notes that `note:` lines of declared pages bring, below the anchor of `row`; or
/// the line that names none.
pub(crate) fn kinds_brought(
    repo: &Repo,
    declared: &[String],
    row: &Phase,
) -> std::result::Result<Vec<String>, String> {
    /// What a job remembers is small.
    const MOST: usize = 8;
    let anchors = repo.rules.maps.anchors();
    let Some(rank) = row.rank(&anchors) else { return Ok(Vec::new()) };
    let mut kinds = Vec::new();
    for dir in declared {
        let text = repo.page_text(dir).map_err(|unread| unread.to_string())?;
        let Some(text) = text else { continue };
        let section = footers::layout(&text, &anchors).section(rank).map(str::to_owned);
        for kind in crate::memory::notes::brought(&section.unwrap_or_default()) {
            let kind = kind.map_err(|bad| format!("{}: {bad}", repo.page_path(dir)))?;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    match kinds.get(MOST) {
        Some(more) => {
            Err(tell(Notice::KindsTooMany, &[("kind", more.as_str()), ("most", &MOST.to_string())]))
        }
        None => Ok(kinds),
    }
}

/// Every note in the footers of the cycle's pages, page by page. An end that proves
/// nothing is none: its note is still live.
pub(crate) fn notes(repo: &Repo, focused: &LoadedJob) -> Result<Vec<NoteAt>> {
    let mut dirs = repo.lines(&focused.chain, names::SCOPE)?;
    // Until memory is settled, a page belongs to the cycle from its first edit on.
    if !repo.row(Some(focused)).measures {
        for page in repo.read_since(focused)?.touched().filter(|path| repo.is_page(path)) {
            let dir = dir_line(page);
            if !dirs.contains(&dir) {
                dirs.push(dir);
            }
        }
    }
    notes_in(repo, &dirs, &focused.state)
}

pub(crate) fn notes_of(repo: &Repo, chain: &str, state: &State) -> Result<Vec<NoteAt>> {
    notes_in(repo, &repo.lines(chain, names::SCOPE)?, state)
}

fn notes_in(repo: &Repo, dirs: &[String], state: &State) -> Result<Vec<NoteAt>> {
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(state));
    let mut found = Vec::new();
    for dir in dirs {
        let Some(text) = repo.page_text(dir)? else { continue };
        let page = repo.page_path(dir);
        for mut note in kinds.in_footer(&text, &anchors) {
            let kind = kinds.get(&note.kind);
            if note.standing == Standing::Resolved
                && !kind.is_some_and(|kind| {
                    memory::breadcrumb::leads_somewhere(repo, state, kind, &note.crumb)
                })
            {
                note.standing = Standing::Live;
            }
            found.push(NoteAt { n: found.len() + 1, page: page.clone(), note });
        }
    }
    Ok(found)
}

/// Live notes in the footers of the cycle's pages, as `page:line`.
pub(crate) fn live_notes(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let notes = notes(repo, focused)?;
    Ok(notes.iter().filter(|one| one.note.standing.is_live()).map(NoteAt::place).collect())
}

/// Open notes of a root cause, below the anchors of all pages of the work tree.
pub(crate) fn root_cause_notes(repo: &Repo) -> Result<usize> {
    let anchors = repo.rules.maps.anchors();
    let mut open = 0;
    for file in repo.store.files()?.iter().filter(|file| repo.is_page(&file.to_string())) {
        let Ok(path) = file.below(repo.store.work_tree()) else { continue };
        // A second name for a page is not a second page.
        if !path.symlink_metadata().is_ok_and(|data| data.is_file()) {
            continue;
        }
        let text = String::from_utf8_lossy(&repo::paths::bytes_of(&path)?).into_owned();
        open += repo.rules.kinds().open(&text, &anchors, "PENDING-JOB");
    }
    Ok(open)
}

/// Keeps the bytes of pages that get their anchors now, as they were.
pub(crate) fn keep_unhealed(
    repo: &Repo,
    mut draft: StepDraft,
    steps: u32,
    pages: &[(String, String)],
) -> StepDraft {
    for (page, _) in pages {
        // Pages that are healed were read a moment ago; one that went since has nothing to keep.
        let Ok(bytes) = repo::paths::bytes_of(repo.store.work_tree().join(page)) else { continue };
        let path = format!("heals/{}-{}", steps + 1, short_hash(page.as_bytes(), 8));
        let head = format!("{page}\n").into_bytes();
        draft.edits.push(TreeEdit::Put { path, bytes: [head, bytes].concat() });
    }
    draft
}

pub(crate) fn write_healed(repo: &Repo, pages: &[(String, String)]) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    for (page, text) in pages {
        record::replace::replace_file(repo, &repo.store.work_tree().join(page), text.as_bytes())?;
        remarks.push(tell(Notice::RemarkAnchors, &[("page", page)]));
    }
    Ok(remarks)
}

/// The line of the scope that `--scope <dir>` means.
pub(crate) fn declared_dir(dir: &str) -> std::result::Result<Option<String>, String> {
    let said = scope::declared(&format!("scope: {dir}\n"), &|_| true).pop();
    let dir = said.transpose().map_err(|bad| bad.to_string())?;
    Ok(dir.map(|line| to_line(&line.dir)))
}

pub(crate) fn dir_line(page: &str) -> String {
    to_line(crate::memory::pages::dir_of(page))
}
