//! The footers when a cycle closes: measured, archived, made shorter.
//!
//! What condense takes out of a page stands in the session log first. Nothing here is a
//! flag: whether the log holds the footers is read from both, whenever it is asked, so
//! that a page or a log that somebody changed in between is never taken for what it was.

use crate::engine::record::draft::{By, StepDraft};
use crate::engine::record::meant_files::{self, Becomes, MeantFile, Recorded};
use crate::engine::record::own_files::OwnFile;
use crate::engine::record::session_log::unread;
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, memory, record};
use crate::format::names;
use crate::format::state::State;
use crate::memory::absorb::{self, Absorbed};
use crate::memory::archive::{self, Capture, Footer};
use crate::memory::condense::{Baseline, Deflation, Stage};
use crate::memory::lock::{self, Held, Unarchived};
use crate::memory::{footers, words};
use crate::phases::{PhaseKind, commands};
use crate::store::TreeEdit;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// What `condense archive` did.
#[derive(Clone, Debug)]
pub(crate) struct Archived {
    /// The session log, from the top of the work tree.
    pub path: String,
    /// Pages whose footers it holds.
    pub pages: Vec<String>,
    /// Captures in it; none where there was nothing to keep.
    pub captures: usize,
    /// This call added one.
    pub added: bool,
}

/// What `condense absorb` did with one page.
#[derive(Clone, Debug)]
pub(crate) struct PageAbsorbed {
    pub page: String,
    pub before: String,
    pub absorbed: Absorbed,
    /// Somebody changed the page meanwhile: it was left alone.
    pub left_alone: bool,
}

/// Entering a phase that measures takes the footers' word counts, and what they say.
pub(crate) fn measure(
    repo: &Repo,
    chain: &str,
    state: &mut State,
    draft: &mut StepDraft,
) -> Result<()> {
    if !repo.row_of(state).measures {
        state.baseline = None;
        return Ok(());
    }
    if state.baseline.is_some() {
        return Ok(());
    }
    let dirs = repo.lines(chain, names::SCOPE)?;
    let baseline = footers_now(repo, &dirs)?;
    state.baseline = Some(baseline.total());
    let footers = archive::begin(&state.job.id.to_string(), state.job.run, state.stand.cycle);
    let footers =
        archive::add(&footers, &footers_of(repo, &pages_of(repo, &dirs)?)).map_err(unread)?;
    draft
        .edits
        .push(TreeEdit::Put { path: names::FOOTERS.to_owned(), bytes: footers.into_bytes() });
    let text = toml::to_string(&baseline)?;
    draft.edits.push(TreeEdit::Put { path: names::BASELINE.to_owned(), bytes: text.into_bytes() });
    draft.edits.push(memory::notes::found_notes(repo, chain, state)?);
    Ok(())
}

/// Footer words of the pages of these directories, as they are on disk.
fn footers_now(repo: &Repo, dirs: &[String]) -> Result<Baseline> {
    let anchors = repo.rules.maps.anchors();
    let mut baseline = Baseline::default();
    for dir in dirs {
        if let Some(text) = repo.page_text(dir)? {
            baseline.per_page.insert(repo.page_path(dir), words::footer_words(&text, &anchors));
        }
    }
    Ok(baseline)
}

/// Where the footers stand against the count taken when condense began.
pub(crate) fn deflation(repo: &Repo, focused: &LoadedJob) -> Result<Option<Deflation>> {
    let Some(baseline) = focused.state.baseline else { return Ok(None) };
    let remaining = footers_now(repo, &repo.lines(&focused.chain, names::SCOPE)?)?.total();
    Ok(Some(Deflation { baseline, remaining, share: repo.rules.share }))
}

/// How far condense has come; trouble reading the pages keeps it from being ready.
pub(crate) fn condense_stage(repo: &Repo, focused: &LoadedJob) -> Stage {
    if !has_begun(repo, focused) {
        return Stage::Address;
    }
    match (memory::pages::live_notes(repo, focused), deflation(repo, focused)) {
        (Ok(notes), _) if !notes.is_empty() => Stage::Address,
        (Ok(_), Ok(None)) => Stage::Ready,
        _ if !is_archived(repo, focused) => Stage::Archive,
        (Ok(_), Ok(Some(deflation))) if deflation.holds() => Stage::Ready,
        _ => Stage::Deflate,
    }
}

/// The job stands where memory is condensed.
pub(crate) fn has_begun(repo: &Repo, focused: &LoadedJob) -> bool {
    repo.row(Some(focused)).kind == PhaseKind::Consolidation
}

/// The session log holds what the footers say, or there is nothing for it to hold.
pub(crate) fn is_archived(repo: &Repo, focused: &LoadedJob) -> bool {
    unarchived(repo, focused).is_ok_and(|unarchived| unarchived.is_none())
}

/// The first thing that the session log of this cycle lacks.
pub(crate) fn unarchived(repo: &Repo, focused: &LoadedJob) -> Result<Option<Unarchived>> {
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(&focused.state));
    let pages = pages_of(repo, &repo.lines(&focused.chain, names::SCOPE)?)?;
    let log = record::session_log::session_log(repo, focused)?;
    if let Some(gone) = gone(repo, focused, &pages, &log)? {
        return Ok(Some(gone));
    }
    for (page, text) in &pages {
        // Where there is no log, a carried note alone is nothing that could get lost.
        let asks = !log.is_empty() || lock::says_something(text, &anchors, &kinds);
        let held = Held::of(&log, page, &anchors);
        if let Some(loss) = lock::unheld(text, &anchors, &kinds, &held).filter(|_| asks) {
            return Ok(Some(Unarchived::Words { page: page.clone(), loss }));
        }
    }
    let name = names::session_log(focused.state.stand.cycle);
    let recorded = record::own_files::own_file(repo, focused, &name)?;
    let lost =
        recorded.is_some() && recorded != memory::raw::own_file_as_read(repo, focused, &name)?;
    Ok(lost.then(|| Unarchived::Log { path: record::own_files::own_path(&focused.state, &name) }))
}

/// What the gate says where the log lacks something, in a phase that measures.
pub(crate) fn lacks_archive(repo: &Repo, focused: &LoadedJob) -> Result<Option<Refusal>> {
    if !repo.row(Some(focused)).measures {
        return Ok(None);
    }
    Ok(unarchived(repo, focused)?.map(|lacks| lacks.refusal("gate")))
}

/// What a footer said when condense began and neither it nor the log says now.
fn gone(
    repo: &Repo,
    focused: &LoadedJob,
    pages: &[(String, String)],
    log: &[Capture],
) -> Result<Option<Unarchived>> {
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(&focused.state));
    for footer in &footers_at_entry(repo, focused)? {
        let now = pages
            .iter()
            .find(|(page, _)| *page == footer.page)
            .map_or("", |(_, text)| text.as_str());
        let held = Held::of(log, &footer.page, &anchors);
        if let Some(loss) =
            lock::gone(&lock::as_page(footer, &anchors), now, &anchors, &kinds, &held)
        {
            let (page, strays) =
                (footer.page.clone(), fence::shown::fence_shown(repo, focused)?.strays);
            let by_fence = strays.contains(&page);
            return Ok(Some(Unarchived::Gone { page, loss, by_fence }));
        }
    }
    Ok(None)
}

/// What the footers said when condense began.
fn footers_at_entry(repo: &Repo, focused: &LoadedJob) -> Result<Capture> {
    let bytes = repo.store.file(&focused.tip, names::FOOTERS)?;
    let Some(bytes) = bytes.filter(|_| focused.state.baseline.is_some()) else {
        return Ok(Capture::new());
    };
    let captures = archive::read(&String::from_utf8_lossy(&bytes)).map_err(unread)?;
    Ok(captures.into_iter().flatten().collect())
}

/// The pages of these directories that are there, with their texts.
fn pages_of(repo: &Repo, dirs: &[String]) -> Result<Vec<(String, String)>> {
    let page = |dir: &String| {
        let text = repo.page_text(dir)?;
        Ok(text.map(|text| (repo.page_path(dir), text)))
    };
    dirs.iter().map(page).filter_map(Result::transpose).collect()
}

fn footers_of(repo: &Repo, pages: &[(String, String)]) -> Capture {
    let anchors = repo.rules.maps.anchors();
    let footer = |(page, text): &(String, String)| {
        let text = footers::layout(text, &anchors).footer().to_owned();
        Footer { page: page.clone(), text }
    };
    pages.iter().map(footer).filter(|footer| !footer.text.trim().is_empty()).collect()
}

/// Captures the footers of the cycle's pages in the session log, and proves it by reading
/// the log back. Without anything new it only puts back a log that was lost.
pub(crate) fn archive(repo: &Repo, by: By) -> Result<std::result::Result<Archived, Refusal>> {
    let focused = repo.require_focused()?;
    focused.activity.clone()?;
    memory::notes::climb(repo, &focused)?;
    if let Err(refusal) = may_condense(repo, &focused, "archive")? {
        return Ok(Err(refusal));
    }
    let name = names::session_log(focused.state.stand.cycle);
    let path = memory::raw::own_name(repo, &focused.state, &name);
    let captures = record::session_log::session_log(repo, &focused)?;
    let unarchived = unarchived(repo, &focused)?;
    let mut earlier = Capture::new();
    let done = |captures: &[Capture], added| {
        let pages =
            captures.last().into_iter().flatten().map(|footer| footer.page.clone()).collect();
        Ok(Ok(Archived { path: path.clone(), pages, captures: captures.len(), added }))
    };
    match unarchived {
        None => return done(&captures, false),
        // Words that somebody else took are kept as they were when condense began; a note
        // has to come to its end first.
        Some(Unarchived::Gone { ref loss, by_fence: false, .. }) if !loss.note => {
            earlier = footers_at_entry(repo, &focused)?;
        }
        Some(gone @ Unarchived::Gone { .. }) => return Ok(Err(gone.refusal("archive"))),
        Some(Unarchived::Log { .. }) => {
            let path = names::of_run(focused.state.job.run, &name);
            let recorded = repo.counted_file(&focused, &path)?;
            record::own_files::put_own_file(repo, &focused, &name, &recorded)?;
            return done(&captures, false);
        }
        Some(Unarchived::Words { .. }) => {}
    }
    let state = &focused.state;
    let mut log = match record::own_files::own_file(repo, &focused, &name)? {
        Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        None => archive::begin(&state.job.id.to_string(), state.job.run, state.stand.cycle),
    };
    let now = footers_of(repo, &pages_of(repo, &repo.lines(&focused.chain, names::SCOPE)?)?);
    let mut capture = Capture::new();
    for one in [earlier, now].into_iter().filter(|one| !one.is_empty()) {
        log = archive::add(&log, &one).map_err(unread)?;
        capture = one;
    }
    let bytes = log.into_bytes();
    let subject = format!("archive the footers of {}", repo::text::count(capture.len(), "page"));
    let file = OwnFile { name: &name, bytes, step: "archive", subject, by };
    let focused = record::own_files::write_own_file(repo, &focused, file)?;
    // What does not read there does not hold the capture, which is said just below.
    let kept = memory::raw::own_file_as_read(repo, &focused, &name)?.unwrap_or_default();
    let kept = archive::read(&String::from_utf8_lossy(&kept)).map_err(unread)?;
    if kept.last() != Some(&capture) {
        return Err(EngineError::OnDisk(tell(Notice::CaptureNotHeld, &[("path", &path)])));
    }
    done(&kept, true)
}

/// A phase that condenses, with every note at rest.
fn may_condense(
    repo: &Repo,
    focused: &LoadedJob,
    by: &'static str,
) -> Result<std::result::Result<(), Refusal>> {
    let row = repo.row(Some(focused));
    // Pages are read where the row asks for it alone.
    let live = if row.measures { memory::pages::live_notes(repo, focused)? } else { Vec::new() };
    Ok(commands::condenses(row, live.first().map(String::as_str), by))
}

/// Takes out of the cycle's pages what their tags say, page by page. A page that is not
/// what the log holds any more, or that changes meanwhile, is left alone.
pub(crate) fn absorb(
    repo: &Repo,
    dry: bool,
) -> Result<std::result::Result<Vec<PageAbsorbed>, Refusal>> {
    let focused = repo.require_focused()?;
    focused.activity.clone()?;
    if let Err(refusal) = may_condense(repo, &focused, "absorb")? {
        return Ok(Err(refusal));
    }
    if let Some(unarchived) = unarchived(repo, &focused)? {
        return Ok(Err(unarchived.refusal("absorb")));
    }
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(&focused.state));
    let log = record::session_log::session_log(repo, &focused)?;
    let mut done = Vec::new();
    let mut writes = Vec::new();
    for (page, before) in pages_of(repo, &repo.lines(&focused.chain, names::SCOPE)?)? {
        let absorbed = absorb::absorb(&before, &anchors, &kinds, &repo.rules.heading);
        let mut absorbed =
            absorbed.map_err(|disorder| EngineError::OnDisk(format!("{page}: {disorder}")))?;
        if absorbed.text != before {
            absorbed.text = repo.rules.raw.led(&absorbed.text, &anchors);
        }
        let held = Held::of(&log, &page, &anchors);
        let left_alone = lock::unheld(&before, &anchors, &kinds, &held)
            .is_some_and(|_| lock::says_something(&before, &anchors, &kinds));
        if !dry && !left_alone && absorbed.text != before {
            let becomes = Becomes::Page(absorbed.text.clone());
            writes.push((done.len(), MeantFile::of(page.clone(), &before, becomes)));
        }
        done.push(PageAbsorbed { page, before, absorbed, left_alone });
    }
    let files = writes.iter().map(|(_, meant)| meant.clone()).collect();
    meant_files::around(repo, &focused, Recorded::Already, files, || {
        for (at, meant) in &writes {
            done[*at].left_alone = !meant_files::put_page(repo, &focused, meant)?;
        }
        Ok(())
    })?;
    Ok(Ok(done))
}
