//! Notes at work: what proves that one was acted on, the commands that bring one to rest, and
//! the carried ones that climb.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::engine::memory::breadcrumb::words_of;
use crate::engine::memory::pages::NoteAt;
use crate::engine::record::draft::{By, Journaling, StepDraft, Taken};
use crate::engine::record::meant_files::{self, Becomes, MeantFile, Recorded};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, memory, record};
use crate::event::{Act, Change, Outcome, ToolCall};
use crate::format::journal::What;
use crate::format::state::State;
use crate::format::{names, short_hash};
use crate::memory::notes::{self, Crumb, Kinds, Note, NoteKind, Standing};
use crate::memory::{knowledge, words};
use crate::phases::place::Place;
use crate::store::{RepoPath, TreeEdit};
use crate::verdict::{Facts, Refusal};
use crate::voice::{self, Notice, tell};

/// The name under which a list of notes that was shown is kept in the journal.
const SHOWN: &str = "notes ";

/// The notes that condense found when it began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Found {
    #[serde(default, rename = "note")]
    pub notes: Vec<Seen>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub page: String,
    pub kind: String,
    #[serde(default)]
    pub content: String,
    /// 0 for a live one.
    #[serde(default)]
    pub carries: u32,
}

/// The cycle's notes, for whoever will name one by its number: which they were is kept, so
/// that a number never means another note than the one that was shown.
pub(crate) fn show_notes(repo: &Repo, focused: &LoadedJob) -> Result<Vec<NoteAt>> {
    // A look does not fail for what it cannot remember: in a sandbox `.git` may be read-only.
    let remembers = repo.store.is_writable();
    if remembers {
        climb(repo, focused)?;
    }
    let notes = memory::pages::notes(repo, focused)?;
    if remembers {
        remember_shown(repo, focused, &notes)?;
    }
    Ok(notes)
}

fn remember_shown(repo: &Repo, focused: &LoadedJob, notes: &[NoteAt]) -> Result<()> {
    let known = print(notes);
    record::journal_line::note(repo, Some(focused), |line| {
        line.what = What::Looked;
        "session".clone_into(&mut line.tool);
        line.call = format!("{SHOWN}{known}");
    })
}

/// Whether the notes are others than those that were shown last in this stay.
fn notes_moved(repo: &Repo, focused: &LoadedJob, notes: &[NoteAt]) -> Result<bool> {
    let since = repo.read_since(focused)?;
    let shown = since.lines.iter().rev().find_map(|linked| linked.line.call.strip_prefix(SHOWN));
    Ok(shown.is_some_and(|shown| !same_notes(shown, &print(notes))))
}

/// Writes the end of note `n` in place: done, and `crumb` leads to what shows it.
pub(crate) fn note_resolve(repo: &Repo, n: usize, crumb: &str) -> Answered<NoteAt> {
    let crumb = crumb.trim().to_owned();
    let focused = repo.require_focused()?;
    let known = memory::pages::notes(repo, &focused)?.into_iter().nth(n.wrapping_sub(1));
    if let Some(marked) =
        known.filter(|one| one.note.standing == Standing::Resolved && one.note.crumb == crumb)
    {
        return Ok(Ok(marked));
    }
    end_note(repo, n, |state, marked, kind| {
        let leads = memory::breadcrumb::leads_somewhere(repo, state, kind, &crumb);
        let fault = knowledge_of(repo, kind, &crumb).filter(|_| leads).and_then(|file| {
            let fault = memory::lint::front_fault(repo, &file)?;
            Some((format!("{file}:{}", fault.line), fault.detail))
        });
        notes::proves(kind, &crumb, leads, fault)?;
        Ok(End {
            line: notes::resolved(&marked.note.kind, &crumb),
            shown_by: knowledge_of(repo, kind, &crumb),
        })
    })
}

/// What becomes of a note.
struct End {
    /// The line that stands in its place.
    line: String,
    /// A knowledge file that shows it: it gets a line in the index.
    shown_by: Option<String>,
}

/// The knowledge file that a breadcrumb of this kind leads to.
fn knowledge_of(repo: &Repo, kind: &NoteKind, crumb: &str) -> Option<String> {
    let asks = kind.crumbs.contains(&Crumb::Knowledge);
    let file = |word: &&str| {
        !knowledge::is_index(word) && memory::breadcrumb::is_file(repo, word, knowledge::HOME)
    };
    let found = words_of(crumb).find(|word| asks && file(word))?;
    Some(found.to_owned())
}

/// Writes the other end of note `n`: it waits for another cycle.
pub(crate) fn note_carry(repo: &Repo, n: usize, why: &str) -> Answered<NoteAt> {
    if why.trim().is_empty() {
        return Err(EngineError::Usage(tell(Notice::CarrySaysWhy, &[])));
    }
    end_note(repo, n, |_, marked, _| {
        let note = &marked.note;
        notes::may_wait(note, &marked.place())?;
        // One that was carried before, and whose end lost its words, goes on counting.
        let line = notes::carried(&note.kind, note.carries.max(1), &note.content, why);
        Ok(End { line, shown_by: None })
    })
}

fn end_note(
    repo: &Repo,
    n: usize,
    end: impl Fn(&State, &NoteAt, &NoteKind) -> std::result::Result<End, Refusal>,
) -> Answered<NoteAt> {
    /// The name of the step.
    const STEP: &str = "note";
    let (focused, marked) = match open_note(repo, n)? {
        Ok(open) => open,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let kinds = repo.kinds(&focused.state);
    let Some(kind) = kinds.get(&marked.note.kind) else { return Ok(Err(notes::moved())) };
    let End { line, shown_by } = match end(&focused.state, &marked, kind) {
        Ok(end) => end,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let file = repo.store.work_tree().join(&marked.page);
    let page = repo::paths::text_of(&file)?;
    let Some(text) = with_line(&page, &marked.note, &line) else { return Ok(Err(notes::moved())) };
    // The step first: it keeps the note's words, whatever comes in between.
    let old = page[marked.note.range.clone()].trim().to_owned();
    let mut files = vec![MeantFile::of(marked.page.clone(), &page, Becomes::Note(text))];
    if let Some(index) = shown_by.map(|file| memory::lint::index_with(repo, &file)).transpose()? {
        let listed = |text| MeantFile::new(repo, knowledge::INDEX.to_owned(), Becomes::Note(text));
        files.extend(index.map(listed));
    }
    let meant = files.clone();
    let ended = meant_files::around(repo, &focused, Recorded::Step(STEP), files, || {
        let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
            let mut draft = StepDraft::new(state, STEP, line.clone(), By::Agent);
            draft.body = format!("{}: {old}", marked.page);
            Ok(Ok(draft))
        })?;
        let Ok(Taken { focused, .. }) = taken else { return Ok(taken.map(|taken| taken.focused)) };
        for one in &meant {
            if !meant_files::put_page(repo, &focused, one)? {
                return Ok(Err(notes::moved()));
            }
        }
        Ok(Ok(focused))
    })?;
    let focused = match ended {
        Ok(focused) => focused,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let notes = memory::pages::notes(repo, &focused)?;
    remember_shown(repo, &focused, &notes)?;
    Ok(Ok(notes.into_iter().nth(n - 1).unwrap_or(marked)))
}

/// The note `n` that is not at rest yet, and the job whose cycle has it.
fn open_note(repo: &Repo, n: usize) -> Answered<(LoadedJob, NoteAt)> {
    let focused = repo.require_focused()?;
    if !repo.row(Some(&focused)).measures {
        return Ok(Err(notes::later()));
    }
    climb(repo, &focused)?;
    let notes = memory::pages::notes(repo, &focused)?;
    if notes_moved(repo, &focused, &notes)? {
        return Ok(Err(notes::moved()));
    }
    let Some(marked) = n.checked_sub(1).and_then(|at| notes.get(at)).cloned() else {
        let facts = [("n", &*n.to_string()), ("count", &*notes.len().to_string())];
        let text = tell(Notice::NoteUnknown, &facts);
        return Err(EngineError::Usage(text));
    };
    if let Err(refusal) = notes::may_end(&marked.note, &marked.place()) {
        return Ok(Err(refusal));
    }
    Ok(Ok((focused, marked)))
}

/// What a job that is made of note `n` is told: the note, where it stood and among what,
/// and the job that wrote it.
pub(crate) fn note_for_birth(repo: &Repo, n: usize) -> Answered<String> {
    let (focused, marked) = match open_note(repo, n)? {
        Ok(open) => open,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let kinds = repo.kinds(&focused.state);
    if !kinds.get(&marked.note.kind).is_some_and(|kind| kind.crumbs.contains(&Crumb::Job)) {
        let facts = [("n", &*n.to_string()), ("kind", marked.note.kind.as_str())];
        return Err(EngineError::not_now(Notice::NoteMakesNoJob, &facts));
    }
    let page = repo::paths::text_of(repo.store.work_tree().join(&marked.page))?;
    let job = &focused.state.job;
    let around = paragraph(&page, marked.note.line);
    let quoted: Vec<String> = around.iter().map(|line| format!("> {line}")).collect();
    let head = tell(
        Notice::MadeOfNote,
        &[
            ("job", job.id.as_str()),
            ("name", &job.name),
            ("run", &job.run.to_string()),
            ("cycle", &focused.state.stand.cycle.to_string()),
            ("place", &marked.place()),
        ],
    );
    Ok(Ok(format!("{head}\n\n{}", quoted.join("\n"))))
}

/// What condense found when it began, for the job's tree.
pub(crate) fn found_notes(repo: &Repo, chain: &str, state: &State) -> Result<TreeEdit> {
    let notes = memory::pages::notes_of(repo, chain, state)?;
    let open = notes.into_iter().filter(|one| one.note.standing != Standing::Resolved);
    let seen = |NoteAt { page, note, .. }: NoteAt| {
        let carries = if note.standing == Standing::Carried { note.carries } else { 0 };
        Seen { page, kind: note.kind, content: note.content, carries }
    };
    let found = Found { notes: open.map(seen).collect() };
    let text = toml::to_string(&found)?;
    Ok(TreeEdit::Put { path: names::NOTES.to_owned(), bytes: text.into_bytes() })
}

/// What [`Self::found_notes`] kept.
pub(crate) fn notes_at_entry(repo: &Repo, focused: &LoadedJob) -> Result<Vec<Seen>> {
    let Some(bytes) = repo.store.file(&focused.tip, names::NOTES)? else { return Ok(Vec::new()) };
    let text = String::from_utf8_lossy(&bytes);
    let found: Found =
        toml::from_str(&text).map_err(|error| EngineError::OnDisk(error.to_string()))?;
    Ok(found.notes)
}

/// Carries every note once more that was carried when condense began and has not climbed
/// since. Done with the step that begins condense; whoever comes after a killed one does it
/// again, and never twice.
pub(crate) fn climb(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    if !repo.row(Some(focused)).measures {
        return Ok(Vec::new());
    }
    let seen = notes_at_entry(repo, focused)?;
    if seen.iter().all(|one| one.carries == 0) {
        return Ok(Vec::new());
    }
    let persons = fence::tree::persons(repo, focused)?;
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(&focused.state));
    let mut climbed = Vec::new();
    let pages: BTreeMap<&str, Vec<&Seen>> = seen.iter().fold(BTreeMap::new(), |mut pages, one| {
        pages.entry(one.page.as_str()).or_insert_with(Vec::new).push(one);
        pages
    });
    for (page, seen) in pages {
        let file = repo.store.work_tree().join(page);
        // Who reads the pages of the cycle has named one that does not read; no count of it climbs.
        let Ok(text) = repo::paths::text_of(&file) else { continue };
        if persons.contains(page) {
            continue;
        }
        let notes = kinds.in_footer(&text, &anchors);
        let same = |note: &Note| climbs(note, &notes, &seen);
        if let Some(on) = kinds.carried_on(&text, &anchors, same) {
            record::replace::replace_file(repo, &file, on.as_bytes())?;
            climbed.push(page.to_owned());
        }
    }
    if !climbed.is_empty() {
        fence::tree::snapshot(repo)?;
    }
    Ok(climbed)
}

/// A word on how notes are written, where an edit changed what looks like one: once for an
/// edit, and never an objection.
pub(crate) fn note_reminder(
    repo: &Repo,
    focused: &LoadedJob,
    call: &ToolCall,
    outcome: &Outcome,
    places: &[(String, Place)],
) -> Result<Option<String>> {
    /// Letters of the line that are shown.
    const SHOWN: usize = 60;
    let Act::Edit(files) = &call.act else { return Ok(None) };
    let (row, anchors) = (repo.row(Some(focused)), repo.rules.maps.anchors());
    if !outcome.ok || !row.is_in_cycle() {
        return Ok(None);
    }
    for (file, (path, place)) in files.iter().zip(places) {
        if !matches!(place, Place::Page { .. }) {
            continue;
        }
        // Only a word on style: a page that went or does not read gets none.
        let Ok(new) = repo::paths::text_of(repo.store.work_tree().join(path)) else { continue };
        let undone = undone(&file.change, &new);
        let of_boundary = undone.is_none();
        let old = match undone {
            Some(old) => old,
            None => page_at_boundary(repo, focused, path)?,
        };
        let mut differing = notes::differing(&old, &new);
        if of_boundary {
            // What commands brought to rest since the boundary, and took out of the page once it
            // was archived, is no news of this edit. A log that does not read explains nothing.
            let log = record::session_log::session_log(repo, focused).unwrap_or_default();
            let held = log.iter().flatten().filter(|footer| footer.page == *path);
            let held: Vec<&str> = held.flat_map(|footer| footer.text.lines()).collect();
            forget_rested(&mut differing, &held, &repo.kinds(&focused.state));
        }
        let kinds = repo.kinds(&focused.state);
        if let Some((line, counts)) = kinds.to_mention(&differing, &new, &anchors) {
            let line: String = line.chars().take(SHOWN).collect();
            let mut facts = Facts::default();
            facts.set("line", line);
            facts.set("kinds", kinds.names());
            let told = if counts { voice::Line::NoteCounts } else { voice::Line::NoteShape };
            return Ok(Some(voice::open(told, row.name.as_str(), &facts)));
        }
    }
    Ok(None)
}

/// What a page said at the last boundary.
fn page_at_boundary(repo: &Repo, focused: &LoadedJob, path: &str) -> Result<String> {
    let (Ok(tree), Ok(path)) = (focused.state.fence.tree.parse(), RepoPath::try_from(path)) else {
        return Ok(String::new());
    };
    // A page that is new said nothing.
    let bytes = repo.store.blob_at(&tree, &path)?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text before an edit whose outcome is `new`, as far as the edit shows it.
fn undone(change: &Change, new: &str) -> Option<String> {
    let back = |text: String, old: &str, new: &str, all: bool| match new {
        "" => None,
        new if all => Some(text.replace(new, old)),
        new => text.contains(new).then(|| text.replacen(new, old, 1)),
    };
    match change {
        Change::Replace(all) => all
            .iter()
            .rev()
            .try_fold(new.to_owned(), |text, one| back(text, &one.old, &one.new, one.all)),
        Change::Hunks(all) => all.iter().rev().try_fold(new.to_owned(), |text, hunk| {
            back(text, &hunk.old.join("\n"), &hunk.new.join("\n"), false)
        }),
        Change::Whole(_) | Change::Delete | Change::Opaque => None,
    }
}

/// Whether `note`, one of its page's `notes`, still counts as it did when condense began, by
/// what was `seen` on the page then. Two notes may say the same and differ by one in their
/// counts: all that say the same have climbed where one of them counts what none did then.
fn climbs(note: &Note, notes: &[Note], seen: &[&Seen]) -> bool {
    let says_same = |kind: &str, content: &str| kind == note.kind && content == note.content;
    let then = |carries: u32| {
        carries > 0
            && seen.iter().any(|one| one.carries == carries && says_same(&one.kind, &one.content))
    };
    let carried =
        |one: &&Note| one.standing == Standing::Carried && says_same(&one.kind, &one.content);
    let mut now = notes.iter().filter(carried).map(|one| one.carries);
    then(note.carries)
        && !now.clone().any(|carries| !then(carries) && then(carries.saturating_sub(1)))
        && now.any(|carries| then(carries) && !then(carries - 1))
}

/// Takes out of `lines` notes that came to rest, and as many live ones of their kinds, which they
/// were before; `held` are lines of the log, where others rest.
fn forget_rested(lines: &mut Vec<&str>, held: &[&str], kinds: &Kinds) {
    let read = |line: &str| kinds.read(line).into_iter().next();
    let all: BTreeSet<&str> = lines.iter().chain(held).map(|line| line.trim()).collect();
    let rests = all.into_iter().filter_map(read).filter(|note| !note.standing.is_live());
    let mut rested: Vec<String> = rests.map(|note| note.kind).collect();
    lines.retain(|line| match read(line) {
        Some(note) if note.standing.is_live() => {
            let was = rested.iter().position(|kind| *kind == note.kind);
            was.map(|at| rested.swap_remove(at)).is_none()
        }
        note => note.is_none(),
    });
}

/// Which notes these are, and in which order: for each its place and kind, and what it says
/// while it waits. How one ended is left out, so that ends move no numbers.
fn print(notes: &[NoteAt]) -> String {
    let short = |text: String| short_hash(text.as_bytes(), 8);
    let one = |one: &NoteAt| {
        let said = match one.note.standing {
            Standing::Resolved => String::new(),
            _ => short(one.note.content.clone()),
        };
        format!("{}:{said}", short(format!("{}\n{}", one.page, one.note.kind)))
    };
    notes.iter().map(one).collect::<Vec<_>>().join(",")
}

/// Whether the notes of two prints are the same, but for those that ended in between.
fn same_notes(shown: &str, now: &str) -> bool {
    let notes = |print: &str| print.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (shown, now) = (notes(shown), notes(now));
    shown.len() == now.len()
        && shown.iter().zip(&now).all(|(old, new)| {
            let (old, new) =
                (old.split_once(':').unwrap_or_default(), new.split_once(':').unwrap_or_default());
            old.0 == new.0 && (old.1 == new.1 || old.1.is_empty() || new.1.is_empty())
        })
}

/// The lines around the `line`-th, from blank line to blank line, and not many.
fn paragraph(page: &str, line: usize) -> Vec<&str> {
    const EACH_WAY: usize = 6;
    let lines: Vec<&str> = page.lines().collect();
    let at = line.saturating_sub(1).min(lines.len());
    let said = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with("---");
    let (above, below) = lines.split_at(at);
    let mut around: Vec<&str> =
        above.iter().rev().take(EACH_WAY).take_while(said).copied().collect();
    around.reverse();
    around.extend(below.iter().take(EACH_WAY).take_while(said).copied());
    around
}

/// The page with `line` in the place of the note; `None` where the note is not there any more.
/// Words before the note and behind it stay; what made a line that begins with it a list item or
/// code goes.
fn with_line(page: &str, note: &Note, line: &str) -> Option<String> {
    let old = page.get(note.range.clone())?;
    let tail = page.get(note.span.end..note.range.end)?;
    if !page.get(note.span.clone())?.starts_with('[') || words::count(old) == 0 {
        return None;
    }
    let tail = tail.trim().trim_matches('`').trim();
    let start = note.span.start.checked_sub(note.range.start)?;
    let head = notes::before(old, start).trim_end();
    let pieces = [head, line, tail].into_iter().filter(|piece| !piece.is_empty());
    let line = pieces.collect::<Vec<_>>().join(" ");
    let mut text = page.to_owned();
    text.replace_range(note.range.clone(), &line);
    Some(text)
}
