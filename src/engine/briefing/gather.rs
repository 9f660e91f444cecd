//! Gathers what the agent is told when a phase opens. Reads only; what cannot be read is not told:
//! the step that opens the phase is taken already, and the next act that needs what does not read
//! is refused with its name, which `git seed doctor` tells, too.

use crate::engine::briefing::said;
use crate::engine::briefing::text::{Asked, Back, Clause, Opening};
use crate::engine::repo::{self, LoadedJob, Repo};
use crate::engine::{jobs, judge, memory, record, voices};
use crate::format::interaction::Interaction;
use crate::format::names;
use crate::format::state::State;
use crate::format::trailers::{self, StepTrailers};
use crate::jobs::questions;
use crate::jobs::routing::InteractionKind;
use crate::memory::condense::Stage;
use crate::memory::{footers, pages, scope as declared};
use crate::phases::{Class, PhaseKind, Write};
use crate::voice::{Notice, tell};

/// How far back the step that sent a job back is looked for.
const STEPS: usize = 200;

/// The most pages that a contract is quoted from.
const PAGES: usize = 8;

/// The text that opens the phase where `focused` stands.
pub(crate) fn entry_text(repo: &Repo, focused: &LoadedJob) -> String {
    entry(repo, focused).text()
}

/// The text after a step out of the phase `left`. Whoever has just ended one phase with a message
/// knows the command that ends the next.
pub(crate) fn next_text(repo: &Repo, focused: &LoadedJob, left: &str) -> String {
    let mut opening = entry(repo, focused);
    let mut rows = repo.map(&focused.state.stand).phases();
    opening.again = rows.any(|row| row.name.as_str() == left && !row.sections.is_empty());
    // Whoever declared a directory just now has written in its page.
    if opening.again {
        let dirs = &opening.dirs;
        let declared = |page: &str| dirs.contains(&repo::rows::to_line(pages::dir_of(page)));
        opening.recall.pages.retain(|near| !declared(&near.path));
    }
    opening.text()
}

pub(crate) fn entry<'a>(repo: &'a Repo, focused: &'a LoadedJob) -> Opening<'a> {
    let (state, map) = (&focused.state, repo.map(&focused.state.stand));
    let mut opening = opening(repo, focused);
    let row = opening.row;
    opening.back = sent_back(repo, focused, row.kind);
    // Small work needs nobody.
    if map.lane.is_none() && row.opens(Class::Delegate) {
        opening.subagents = repo.roster(focused);
    }
    // What the text quotes and cannot read it leaves out, here and below: the phase has begun,
    // and a text without a quotation opens it better than none. `doctor` asks git what is lost.
    opening.from_plan =
        jobs::plan::entry_from_plan(repo, focused, &opening.dirs).unwrap_or_default();
    if row.name == map.start && state.stand.cycle > 1 {
        opening.plan_found = state.plan.accepted.as_ref().and_then(|accepted| accepted.found);
        opening.document = document(repo, state);
    }
    if row.name == map.start {
        opening.asked = asked(repo, focused);
        // As above.
        opening.learned = jobs::next_run::learned(repo, focused).unwrap_or_default();
        opening.logs = jobs::next_run::earlier_logs(repo, focused);
    }
    if let Some(settles) = map.contract_of(row) {
        let anchors = repo.rules.maps.anchors();
        let rank = settles.rank(&anchors);
        opening.contract =
            rank.map(|rank| contract(repo, focused, &anchors, rank)).unwrap_or_default();
        opening.document = document(repo, state);
    }
    if row.kind == PhaseKind::Consolidation {
        // Only named here: the gate counts them anew, and says which page does not read.
        opening.live = memory::pages::live_notes(repo, focused).unwrap_or_default();
        opening.last = jobs::completion::eligible(repo, focused);
        // A hint, as what is quoted.
        opening.held_up = record::refused::most_often(repo, focused).unwrap_or_default();
        if map.lane.is_none() {
            // As above: no phase waits for a history that does not read.
            opening.waiting = memory::waiting::waiting(repo, focused).unwrap_or_default();
        }
        // A row with sections says itself what is settled before it; where it has none, and notes
        // are left, nothing is told of the question.
        let settled = || memory::condense::condense_stage(repo, focused) == Stage::Ready;
        if opening.last && (!row.sections.is_empty() || settled()) {
            about_the_question(repo, focused, &mut opening);
        }
    }
    if row.is_in_cycle() {
        opening.said = said::said(repo, focused);
        let words = &opening.said.prompts;
        opening.recall = memory::recall::recall(repo, focused, row.kind, &opening.dirs, words);
    }
    opening
}

/// What the agent is told of the question for completion where it may ask it before the phase that
/// admits it.
pub(crate) fn question_text(repo: &Repo, focused: &LoadedJob) -> String {
    let mut opening = opening(repo, focused);
    about_the_question(repo, focused, &mut opening);
    opening.asks()
}

fn about_the_question(repo: &Repo, focused: &LoadedJob, opening: &mut Opening<'_>) {
    // Without it the gate quotes the line.
    opening.card = judge::card::line(repo, focused).unwrap_or_default();
    let lane = repo.map(&focused.state.stand).lane.as_ref().map(|lane| lane.question);
    opening.question = questions::completion_words(lane);
}

/// The plan document, where it is there.
fn document(repo: &Repo, state: &State) -> Option<String> {
    let path = state.plan.pointer.path(&state.job.id.to_string());
    path.filter(|path| repo.store.work_tree().join(path).is_file())
}

/// The text for a session that begins inside a phase; one that is resumed remembers what
/// it left.
pub(crate) fn wake_text(repo: &Repo, focused: &LoadedJob, resumed: bool) -> String {
    let mut opening = entry(repo, focused);
    opening.woken = if resumed { None } else { memory::compaction::woken(repo, focused) };
    // Most often nothing was.
    opening.handed_on = memory::recall::handed_on(repo, focused).unwrap_or_default();
    opening.faults = memory::lint::faulty_knowledge(repo);
    opening.text()
}

/// The text for a stay that goes on after a commit in between.
pub(crate) fn stay_text(repo: &Repo, focused: &LoadedJob) -> String {
    opening(repo, focused).short()
}

/// The text for a subagent that begins to work for the job.
pub(crate) fn subagent_text(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    let row = repo.row(Some(focused));
    let mut opening = opening(repo, focused);
    if !row.is_in_cycle() {
        return None;
    }
    opening.dirs = shortened(opening.dirs);
    opening.files = shortened(opening.files);
    let map = repo.map(&focused.state.stand);
    let anchors = repo.rules.maps.anchors();
    if let Some(rank) = map.contract_of(row).and_then(|phase| phase.rank(&anchors)) {
        opening.contract = contract(repo, focused, &anchors, rank);
    }
    Some(opening.for_subagent().trim_end().to_owned())
}

/// The first of many names, as many as a short text holds; `git seed status` lists all of them.
fn shortened(names: Vec<String>) -> Vec<String> {
    const MOST: usize = 120;
    let mut left = MOST;
    let fits = |name: &&String| {
        let length = name.chars().count();
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let shown = names.iter().take_while(fits).count();
    let more = names.len() - shown;
    let rest = (more > 0).then(|| format!("{more} more (git seed status)"));
    names.into_iter().take(shown).chain(rest).collect()
}

fn opening<'a>(repo: &'a Repo, focused: &'a LoadedJob) -> Opening<'a> {
    // The text lists where one may write; guards read it afresh, and refuse where it does not read.
    let scope = repo.scope(focused).unwrap_or_default();
    let told = |dir: &str| {
        let line = repo::rows::to_line(dir);
        if scope.deep().any(|deep| deep == dir) { declared::below_line(&line) } else { line }
    };
    // A file is open because a person said so, or because it is all that the track is for there.
    let allowed = repo.lines(&focused.chain, names::ALLOWED).unwrap_or_default();
    let (files, named): (Vec<String>, Vec<String>) =
        scope.files().map(str::to_owned).partition(|file| allowed.contains(file));
    // A file has no page of its own.
    let writes = repo.row(Some(focused)).write.contains(&Write::Scope);
    let is_file = |path: &str| repo.store.work_tree().join(path).is_file();
    let named = named.into_iter().filter(|file| writes && !scope.declares(file));
    let dirs = scope.dirs().filter(|dir| writes || !is_file(dir)).map(told).chain(named).collect();
    let rests = jobs::unattended::defers(repo, &focused.state);
    let unread = repo.unread_plan(focused);
    let voices = voices::voices(repo);
    let row = repo.row(Some(focused));
    let page = repo.rules.page_name().to_owned();
    let map = repo.map(&focused.state.stand);
    let freezes = row.next.iter().any(|to| map.phase(to).is_some_and(|to| to.freezes));
    let deep = freezes && repo.rules.deep_scope;
    Opening { dirs, files, deep, unread, rests, voices, page, ..Opening::new(row, &focused.state) }
}

/// The step back that led into this stay.
pub(crate) fn sent_back(repo: &Repo, focused: &LoadedJob, kind: PhaseKind) -> Option<Back> {
    let entry = &focused.state.stand.entry;
    if !entry.backwards || kind == PhaseKind::Side {
        return None;
    }
    let step = format!("{} -> {}", entry.from, entry.phase);
    // A quotation, as in [`entry`].
    let steps = repo.store.history(&focused.chain, STEPS).ok()?;
    let sent = steps.iter().find(|taken| {
        StepTrailers::read(&taken.message).is_some_and(|trailers| trailers.step == step)
    })?;
    let commit = sent.commit.to_string().chars().take(12).collect();
    Some(Back {
        from: entry.from.to_string(),
        why: trailers::body(&sent.message).to_owned(),
        commit,
    })
}

/// What the job is about, in its own words.
fn asked(repo: &Repo, focused: &LoadedJob) -> Asked {
    let state = &focused.state;
    let added = state.stand.cycle > 1 && state.plan.extension_cycles_added > 0;
    let why = if added { jobs::next_run::last_context(repo, focused) } else { None };
    let begun = said::entry(repo, focused, 1);
    let made = |first: &Interaction| first.kind == InteractionKind::Automation;
    Asked {
        // Quotations, as in [`entry`], here and below: no words, and none are told.
        origin: begun
            .clone()
            .filter(made)
            .map(|first| first.text.into_string())
            .unwrap_or_default(),
        why: why.map(|why| why.text.into_string()).unwrap_or_default(),
        // As above.
        first: begun.and_then(said::prompt).unwrap_or_default(),
    }
}

/// What stands below the contract's anchor in the pages of the declared directories.
fn contract(repo: &Repo, focused: &LoadedJob, anchors: &[&str], rank: usize) -> Vec<Clause> {
    // Quotations: a page or a scope that does not read is named by the gate that wants it.
    let dirs = repo.lines(&focused.chain, names::SCOPE).unwrap_or_default();
    let clause = |dir: &String| {
        // As above.
        let page = repo.page_text(dir).ok()??;
        let text = footers::layout(&page, anchors).section(rank)?.trim().to_owned();
        if text.is_empty() {
            return None;
        }
        let file = repo.page_path(dir);
        // An author who is not known is not named.
        let author = repo.store.last_author(&file).ok().flatten();
        Some(Clause { anchor: anchors[rank].to_owned(), file, text, author })
    };
    dirs.iter().filter_map(clause).take(PAGES).collect()
}

/// Where a job stands, for one that takes it up: the text of its phase, or, between cycles, what it
/// is about and the next command.
pub(crate) fn where_it_stands(repo: &Repo, focused: &LoadedJob) -> String {
    if !repo.rests(&focused.state.stand) {
        return wake_text(repo, focused, false);
    }
    let opening = Opening { asked: asked(repo, focused), ..entry(repo, focused) };
    format!("{}\n{}", opening.text().trim_end(), tell(Notice::NextAdvance, &[]))
}
