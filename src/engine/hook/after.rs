//! After a tool: one journal line with what the call left behind.

use crate::claims::Ran;
use crate::engine::fence::fingerprint_diff::FingerprintDiff;
use crate::engine::fence::foreign_commits::ByHand;
use crate::engine::fence::looks::Window;
use crate::engine::quote::count_words;
use crate::engine::record::aftermath::ShellEffects;
use crate::engine::refs_moved::{self, MovedRefs};
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::text::merged;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, briefing, claims, fence, git_mark, hook, jobs, memory};
use crate::engine::{merge_mark, person, record, repeats};
use crate::event::{Act, Actor, Event, Outcome, ToolCall};
use crate::format::journal::{Counts, Gauge, ToldWords, What};
use crate::hosts::{Answer, Host};
use crate::jobs::shortword::SaidLane;
use crate::phases::activity::Left;
use crate::phases::pacing::Deed;
use crate::phases::place::Place;
use crate::phases::{gates, guard};
use crate::verdict::{Case, Refusal};
use crate::voice::Notice;
use crate::{shell, voice, world};

/// A call that has ended, as its event tells it.
#[derive(Clone, Copy)]
struct EndedCall<'a> {
    host: &'a Host,
    event: &'a Event,
    call: &'a ToolCall,
    outcome: &'a Outcome,
}

pub(crate) fn after(
    repo: &Repo,
    host: &Host,
    event: &Event,
    call: &ToolCall,
    outcome: &Outcome,
) -> Result<Answer> {
    // First: what is asked from here on is none of the call's time.
    let window = fence::looks::end_of(repo, event, call, outcome);
    let answered = git_mark::end(repo, call, outcome)?;
    merge_mark::keep(repo, answered.as_ref())?;
    hook::first_time::has_answered(repo, event, call);
    // What a person answers for is no call's own: the fence names it, and lays it to nobody.
    let window = window.filter(|_| answered.is_none());
    let ended = EndedCall { host, event, call, outcome };
    let focused = repo.focused().or_else(|why| refs_moved::named_in(repo, window.as_ref(), why))?;
    let Some(focused) = focused else {
        return without_focus(repo, &ended, window.as_ref());
    };
    if focused.activity.is_err() {
        return Ok(Answer::silence());
    }
    let failed = claims::receipts::failed_by_its_lines(repo, call, outcome);
    let outcome = failed.as_ref().unwrap_or(outcome);
    let ended = EndedCall { outcome, ..ended };
    // The call may have ended behind a rewrite of the branch: the job goes along first.
    let moved =
        if guard::looks(&call.act) { None } else { record::rewritten::relink_job(repo, &focused)? };
    let focused = moved.unwrap_or(focused);
    let known = claims::receipts::known_tree(repo, &focused);
    let effects = what_came(repo, &ended, window.as_ref(), &focused)?;
    let context = with_words_of_rules(repo, &focused, &ended, &effects);
    let followed = if answered.is_some() { jobs::lifecycle::follow_branch(repo)? } else { None };
    let context = merged(context, followed);
    let work = work_of(repo, &focused, &ended, &effects)?;
    let kept = kept_of_call(repo, &ended, &effects, known, &focused)?;
    let ran = kept.receipt.as_ref().is_some_and(|ran| ran.run.is_some());
    let (gauge, filling) =
        if work.guest { (None, None) } else { memory::compaction::filling(repo, &focused, event) };
    let context = merged(context, filling);
    let words = context.as_deref().map(count_words).unwrap_or_default();
    let grown = if work.guest { None } else { grown(repo, &focused, &ended)? };
    let vetoed = if work.guest { None } else { veto_of(repo, &focused, call)? };
    let news =
        write_line(repo, &focused, &ended, &effects, JournalEntry { work, kept, gauge, words })?;
    let reminded = memory::notes::note_reminder(repo, &focused, call, outcome, &effects.places)?;
    let asks = if ran { asks_now(repo, &ended)? } else { None };
    let context = merged(merged(context, reminded), asks);
    let to_person = merged(merged(told_to_person(repo, &focused, &effects, news)?, vetoed), grown);
    if let Act::Schedule { text } = &call.act {
        record::journal_line::note(repo, Some(&focused), |line| {
            line.what = What::Scheduled;
            line.call = text_hash(text);
        })?;
    }
    if let Act::Ask(_) = &call.act {
        return after_question(repo, &ended, context);
    }
    Ok(Answer { context, to_person, ..Answer::silence() })
}

/// A run that has just shown the work of a small job: how its end is asked for.
fn asks_now(repo: &Repo, ended: &EndedCall<'_>) -> Result<Option<String>> {
    if ended.event.by != Actor::Main || !matches!(ended.call.act, Act::Shell { .. }) {
        return Ok(None);
    }
    let Some(focused) = repo.focused()? else { return Ok(None) };
    let map = repo.map(&focused.state.stand);
    if !map.asks_ahead(repo.row(Some(&focused))) || repo.is_guest(&focused, ended.event)? {
        return Ok(None);
    }
    let proved = focused.activity.as_ref().is_ok_and(|counts| counts.activity.proved == Some(true));
    let last = repo.read_since(&focused)?;
    let is_last = last.lines.last().is_some_and(|last| last.line.call == ended.call.id);
    if !proved || !is_last || !boundary::ahead::is_next(repo, &focused)? {
        return Ok(None);
    }
    let told = briefing::gather::question_text(repo, &focused);
    record::journal_line::count_injected(repo, &focused, &told)?;
    Ok(Some(told))
}

/// What a hook of the person's refused while this call of git seed ran, for the person.
fn veto_of(repo: &Repo, focused: &LoadedJob, call: &ToolCall) -> Result<Option<String>> {
    if !repeats::speaks_to_seed(call) {
        return Ok(None);
    }
    let since = repo.read_since(focused)?;
    let last = since.lines.last().and_then(|last| last.line.refusal.as_ref());
    Ok(last.filter(|last| last.by == gates::VETO).map(|last| {
        let refusal = Refusal { by: gates::VETO, wants: last.wants, facts: last.facts.clone() };
        let said = voice::say(&refusal, &last.phase);
        voice::tell(Notice::HookVetoed, &[("why", &said.why), ("do", &said.do_)])
    }))
}

/// The call led a small job up, onto the track of all phases: for the person, unless they led it.
fn grown(repo: &Repo, focused: &LoadedJob, ended: &EndedCall<'_>) -> Result<Option<String>> {
    let (state, map) = (&focused.state, repo.map(&focused.state.stand));
    let (stand, entry) = (&state.stand, &state.stand.entry);
    let up = map.lane.is_none()
        && stand.phase == map.start
        && !entry.backwards
        && !map.rests(&entry.from);
    if !up || state.said_lane == SaidLane::Full || !repeats::speaks_to_seed(ended.call) {
        return Ok(None);
    }
    // The call that took the step is the first that ends behind it; a multiplier is another step.
    let first = entry.multiplier.is_none();
    let first =
        first && repo.read_since(focused)?.lines.iter().all(|linked| linked.line.counts.calls == 0);
    let facts = [("job", state.job.name.as_str())];
    Ok(first.then(|| voice::tell(Notice::Grown, &facts)))
}

/// Where no job is in focus, fingerprints are compared all the same.
fn without_focus(repo: &Repo, ended: &EndedCall<'_>, window: Option<&Window>) -> Result<Answer> {
    let prints = prints_after(repo, ended.event, ended.call, window, None)?;
    claims::loose::keep_at_rest(repo, ended.event, ended.call, ended.outcome)?;
    let refs = refs_moved::moved_in(repo, None, window)?;
    if !repeats::speaks_to_seed(ended.call) {
        repeats::calm_without_focus(repo)?;
    }
    // The job that asked may have come to rest meanwhile.
    if matches!(ended.call.act, Act::Ask(_)) && repo.is_seeded()? {
        return after_question(repo, ended, None);
    }
    let to_person = merged(prints.to_person(), refs.to_person());
    Ok(Answer { context: refs.to_agent(), to_person, ..Answer::silence() })
}

/// What came of the call in words, and what the rules for knowledge, tests and plans say of it.
fn with_words_of_rules(
    repo: &Repo,
    focused: &LoadedJob,
    ended: &EndedCall<'_>,
    effects: &CallEffects,
) -> Option<String> {
    let EndedCall { event, call, outcome, .. } = *ended;
    let places = &effects.places;
    let said = [
        memory::lint::word_on_knowledge(repo, focused, call, places),
        claims::checkers::word_on_checks(repo, call, outcome, places),
        claims::checkers::word_on_tests(repo, focused, event),
        if effects.plan_edits > 0 { jobs::plan::word_on_plan(repo, focused) } else { None },
    ];
    said.into_iter().fold(effects.context.clone(), merged)
}

/// What of the call is work of the session that drives the job.
fn work_of(
    repo: &Repo,
    focused: &LoadedJob,
    ended: &EndedCall<'_>,
    effects: &CallEffects,
) -> Result<Work> {
    let EndedCall { host, event, call, outcome } = *ended;
    // A command that fails has run all the same: what it showed may be written down.
    let ran = outcome.ok || matches!(call.act, Act::Shell { .. });
    // What a guest does is no work of the session that drives.
    let guest = repo.is_guest(focused, event)?;
    let counted = event.by == Actor::Main && ran && !guest;
    let mut deeds = if counted {
        let deeds = record::activity::deeds(repo, focused, call, &effects.places);
        if host.reads_by_shell { as_reads(repo, event, call, deeds) } else { deeds }
    } else {
        Vec::new()
    };
    if counted && !matches!(call.act, Act::Edit(_)) && effects.after.page_edits > 0 {
        deeds.push(Deed::Page);
    }
    Ok(Work { guest, counted, deeds })
}

/// Where agents read by the shell, a line that only looks and names files reads them.
fn as_reads(repo: &Repo, event: &Event, call: &ToolCall, deeds: Vec<Deed>) -> Vec<Deed> {
    if deeds != [Deed::Shell] {
        return deeds;
    }
    let opened = claims::turn::opened_by(repo, call, event, &[]);
    let pages = opened.iter().filter(|path| repo.is_page(path)).count();
    match opened.len() {
        0 => deeds,
        n if n == pages => vec![Deed::Recall],
        _ => vec![Deed::Read],
    }
}

/// Writes the journal's line of the call. True where it says something of a refusal that
/// the person has not heard.
fn write_line(
    repo: &Repo,
    focused: &LoadedJob,
    ended: &EndedCall<'_>,
    effects: &CallEffects,
    entry: JournalEntry,
) -> Result<bool> {
    let EndedCall { event, call, .. } = *ended;
    let own = repeats::speaks_to_seed(call);
    let mut news = false;
    // A read leaves no trace among the paths that a boundary commits.
    let what = if matches!(call.act, Act::Read { .. }) { What::Looked } else { What::After };
    record::journal_line::note_once(repo, Some(focused), (what, event, call), |line| {
        line.paths.clone_from(&effects.after.paths);
        line.strays.clone_from(&effects.after.strays);
        line.unclaimed = effects.after.all_unclaimed();
        line.prints.clone_from(&effects.prints.strays);
        line.refs.clone_from(&effects.refs.kept);
        add_up(&mut line.counts, repo, focused, ended, effects, &entry);
        (line.ran, line.opened, line.source) =
            (entry.kept.receipt, entry.kept.opened, entry.kept.source);
        if own {
            // A boundary's refusal reaches the person with the end of its command.
            news = repeats::is_news(&mut line.counts);
        } else {
            repeats::calm(&mut line.counts);
        }
    })?;
    Ok(news)
}

/// Adds the call to what runs on from line to line.
fn add_up(
    counts: &mut Counts,
    repo: &Repo,
    focused: &LoadedJob,
    ended: &EndedCall<'_>,
    effects: &CallEffects,
    entry: &JournalEntry,
) {
    let EndedCall { call, outcome, .. } = *ended;
    let (after, places) = (&effects.after, &effects.places);
    let Work { guest, counted, deeds } = &entry.work;
    counts.calls += 1;
    counts.tell(entry.words);
    counts.gauge = entry.gauge.or(counts.gauge);
    counts.page_edits += after.page_edits;
    counts.plan_edits += effects.plan_edits;
    if *counted {
        let looked = matches!(call.act, Act::Read { .. });
        counts.plan_reads += u32::from(looked && reads_plan(places));
        if only_seed(&call.act, counts.calls == 1) {
            counts.own += u32::try_from(deeds.len()).unwrap_or(u32::MAX);
        }
        let spends = repo.row(Some(focused)).pace.as_ref().map_or(&[][..], |pace| &pace.spends);
        counts.activity.count(&call.act, deeds, places, spends);
    }
    let unstarted = entry.kept.receipt.as_ref().is_some_and(|ran| ran.absent.is_some());
    let left = Left { outcome, changed: after.changed, late: after.late, places, unstarted };
    let printed = outcome.printed.as_str();
    let dir = match &call.act {
        Act::Shell { cwd: Some(dir), .. } => dir,
        _ => &ended.event.cwd,
    };
    let tells = |line: &str| {
        record::activity::tells(repo.rules.runs(), line, printed)
            && claims::proving::may_stand(repo, focused, (line, dir), (ended.event, outcome))
    };
    // What runs where one only looks shows what happens, and proves nothing.
    if !repo.row(Some(focused)).reproduces {
        counts.activity.prove(&call.act, &left, &tells);
    }
    counts.tree = entry.kept.tree.clone().or(counts.tree.take());
    claims::required::count(counts, &focused.state.gate, after.moved, effects.lines);
    if matches!(call.act, Act::Delegate { .. }) {
        counts.activity.returned(call, outcome);
    }
    if matches!(&call.act, Act::Shell { background, .. } if *background || outcome.background)
        && !guest
    {
        counts.activity.detached(call);
    }
    if !guest && !matches!(call.act, Act::Read { .. } | Act::Search { .. } | Act::Housekeeping) {
        counts.stops = 0;
    }
}

/// What the person hears: fingerprints, a refusal that repeats, commits made by hand.
fn told_to_person(
    repo: &Repo,
    focused: &LoadedJob,
    effects: &CallEffects,
    news: bool,
) -> Result<Option<String>> {
    let refused = if news { repeats::storm_line(repo, focused)? } else { None };
    let by_hand = &effects.by_hand;
    let committed = (!by_hand.is_empty()).then(|| format!("git seed: {}", by_hand.join("\n")));
    let told: Vec<String> =
        [effects.prints.to_person(), effects.refs.to_person(), refused, committed]
            .into_iter()
            .flatten()
            .collect();
    Ok((!told.is_empty()).then(|| told.join("\n")))
}

/// What the journal keeps of a call besides its counts.
fn kept_of_call(
    repo: &Repo,
    ended: &EndedCall<'_>,
    effects: &CallEffects,
    known: Option<String>,
    focused: &LoadedJob,
) -> Result<KeptOfCall> {
    let EndedCall { host, event, call, outcome } = *ended;
    let opens = outcome.ok && !repo.is_guest(focused, event)?;
    let shown: Vec<String> =
        effects.places.iter().filter(|_| opens).map(|(path, _)| path.clone()).collect();
    let receipt =
        claims::receipts::receipt(repo, event, call, outcome, (&effects.after, known), focused)?;
    if receipt.as_ref().is_some_and(|ran| ran.run.is_some()) {
        record::answered::keep_run(repo);
    }
    // What an edit tool changed is seen by the fence's next look only.
    let edited = matches!(call.act, Act::Edit(_)).then(String::new);
    Ok(KeptOfCall {
        tree: receipt.as_ref().map(|ran| claims::receipts::seen_tree(repo, ran)).or(edited),
        receipt,
        opened: if opens { claims::turn::opened_by(repo, call, event, &shown) } else { Vec::new() },
        source: claims::turn::source_of(repo, host, call),
    })
}

/// Looks at what a call left behind: its files, what the fence finds, the fingerprints.
fn what_came(
    repo: &Repo,
    ended: &EndedCall<'_>,
    window: Option<&Window>,
    focused: &LoadedJob,
) -> Result<CallEffects> {
    let EndedCall { host, event, call, outcome } = *ended;
    let prints = prints_after(repo, event, call, window, Some(focused))?;
    let mut context = None;
    let mut by_hand = ByHand::default();
    let mut after = ShellEffects::default();
    let mut plan_edits = 0;
    let mut places = places(repo, host, event, call, focused);
    let before = outcome.before.as_deref();
    after.mixed = fence::before_edit::changed_before(repo, focused, before, &places)?;
    merge_mark::leave_out(repo, &call.act, &mut places)?;
    let lines = || claims::required::lines_of_work(repo, call, &places, focused);
    let mut lines = outcome.ok.then(lines).flatten();
    match &call.act {
        Act::Edit(_) if outcome.ok => {
            // A page that says what it said at the last boundary was not updated.
            places.retain(|(path, place)| {
                !matches!(place, Place::Page { .. }) || says_something_new(repo, focused, path)
            });
            for (path, place) in &places {
                after.page_edits += u32::from(matches!(place, Place::Page { .. }));
                plan_edits += u32::from(matches!(place, Place::Plan { own: true }));
                after.paths.push(path.clone());
            }
        }
        // Only pages: a page that was looked at gets its anchors at the next entry.
        Act::Read { .. } => {
            let pages = places.iter().filter(|(_, place)| matches!(place, Place::Page { .. }));
            after.paths.extend(pages.map(|(path, _)| path.clone()));
        }
        Act::Shell { .. } | Act::Foreign { .. } | Act::Unknown => {
            let since = repo.read_since(focused)?;
            let seen = (window, fence::looks::only_looks(repo, call));
            after = fence::after_call::after_shell(repo, focused, &since, seen)?;
            after.strays.retain(|stray| !prints.strays.contains(stray));
            lines = after.late.then_some(0);
            context = name_changes(repo, focused, &after)?;
            if !after.paths.is_empty() && boundary::size::is_outgrown(repo, focused, &after.paths)?
            {
                context = merged(context, Some(voice::tell(Notice::RemarkOutgrown, &[])));
            }
            by_hand = fence::foreign_commits::commits_of_call(repo, focused, window)?;
        }
        _ => {}
    }
    let told = if by_hand.by_call { by_hand.commits.as_slice() } else { &[] };
    let told = name_paths(repo, focused, Case::Commit, told);
    context = merged(context, told);
    let refs = refs_moved::moved_in(repo, Some(focused), window)?;
    let context = merged(with_prints(repo, focused, &prints, context), refs.to_agent());
    let by_hand = by_hand.commits;
    Ok(CallEffects { after, plan_edits, places, lines, prints, refs, by_hand, context })
}

/// Compares the fingerprints after a call that may have run code, or that wrote to what
/// no tool writes to.
pub(crate) fn prints_after(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    window: Option<&Window>,
    focused: Option<&LoadedJob>,
) -> Result<FingerprintDiff> {
    let mut edited = Vec::new();
    let may = match &call.act {
        Act::Shell { .. } | Act::Foreign { .. } | Act::Unknown => true,
        Act::Edit(files) => files.iter().any(|file| {
            let state = focused.map(|focused| &focused.state);
            let resolved = repo.resolve(&file.path, &event.cwd, state, &[]);
            edited.push(resolved.real);
            matches!(resolved.place, Place::Surface { .. } | Place::Git | Place::Outside)
        }),
        _ => false,
    };
    if !may || !repo.is_seeded()? {
        return Ok(FingerprintDiff::default());
    }
    // What cannot be compared must not cost the journal its line.
    Ok(fence::fingerprint_diff::compare_prints(repo, focused, &event.session, window, &edited)
        .unwrap_or_else(|error| FingerprintDiff {
            trouble: Some(error.to_string()),
            ..FingerprintDiff::default()
        }))
}

/// What the agent is told of a call, and of the fingerprints that it changed.
fn with_prints(
    repo: &Repo,
    focused: &LoadedJob,
    prints: &FingerprintDiff,
    told: Option<String>,
) -> Option<String> {
    let case = if prints.stuck { Case::PrintPerson } else { Case::PrintShell };
    let named = name_paths(repo, focused, case, &prints.strays);
    let all: Vec<String> = told.into_iter().chain(named).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// The files of a call, and where they lie.
pub(crate) fn places(
    repo: &Repo,
    host: &Host,
    event: &Event,
    call: &ToolCall,
    focused: &LoadedJob,
) -> Vec<(String, Place)> {
    let place = |path: &std::path::Path| {
        let resolved = repo.place(host, event, path, Some(focused));
        (resolved.shown, resolved.place)
    };
    match &call.act {
        Act::Edit(files) => files.iter().map(|file| place(&file.path)).collect(),
        Act::Read { path } => vec![place(path)],
        _ => Vec::new(),
    }
}

fn says_something_new(repo: &Repo, focused: &LoadedJob, page: &str) -> bool {
    let before = focused.state.fence.tree.parse();
    before.map_or(true, |before| fence::tree::is_still_changed(repo, &before, page))
}

fn after_question(repo: &Repo, ended: &EndedCall<'_>, context: Option<String>) -> Result<Answer> {
    let EndedCall { host, event, call, outcome } = *ended;
    let answers = outcome.answers.as_slice();
    let heard = match person::landing_word::hear(repo, host, event, call, answers)? {
        Some(heard) => heard,
        None => person::answers::hear_answers(repo, host, event, call, answers)?,
    };
    Ok(match heard {
        PersonReply::Kept => context.map_or_else(Answer::silence, Answer::context),
        PersonReply::Done(text) => {
            Answer::context(format!("git seed: {}.", text.trim_end_matches('.')))
        }
        PersonReply::NotCounted(why) => {
            let text = format!("git seed: {why}.");
            Answer { to_person: Some(text.clone()), ..Answer::context(text) }
        }
    })
}

/// Names what changed outside the fence, at once: by a shell call, and by nobody known.
fn name_changes(repo: &Repo, focused: &LoadedJob, after: &ShellEffects) -> Result<Option<String>> {
    let strays = name_paths(repo, focused, Case::Shell, &after.strays);
    let open = fence::foreign_commits::in_no_commit(repo, &after.unclaimed)?;
    let open = name_paths(repo, focused, Case::Unclaimed, &open);
    Ok(strays.into_iter().chain(open).reduce(|all, more| format!("{all}\n{more}")))
}

/// One notice about `paths`: it has happened, and what follows from it.
fn name_paths(repo: &Repo, focused: &LoadedJob, case: Case, paths: &[String]) -> Option<String> {
    let first = paths.first()?;
    let row = repo.row(Some(focused));
    let said = voice::say(&row.names.put_in(gates::changed(case, first)), row.name.as_str());
    let more = match paths.len() {
        1 => String::new(),
        n => format!("\nAlso: {}", paths[1..n.min(6)].join(", ")),
    };
    Some(said.text().replacen("BLOCKED", "NOTICED", 1) + &more)
}

/// The plan document of the job is among the files of a read.
fn reads_plan(places: &[(String, Place)]) -> bool {
    places.iter().any(|(_, place)| matches!(place, Place::Plan { own: true }))
}

/// What of a call is work of the session that drives the job.
struct Work {
    /// It came from a session that does not drive the job.
    guest: bool,
    /// It is an act of that session's main agent, and it ran.
    counted: bool,
    deeds: Vec<Deed>,
}

/// What the journal's line says of a call besides what it left behind.
struct JournalEntry {
    work: Work,
    kept: KeptOfCall,
    /// How full the context was found.
    gauge: Option<Gauge>,
    /// Words that are put before the agent with it.
    words: ToldWords,
}

/// What the journal keeps of a call besides its counts.
struct KeptOfCall {
    receipt: Option<Ran>,
    opened: Vec<String>,
    source: String,
    /// The work tree as it is known now; empty where an edit has made it another one.
    tree: Option<String>,
}

/// What a call left behind.
struct CallEffects {
    after: ShellEffects,
    plan_edits: u32,
    /// Its files, and where they lie.
    places: Vec<(String, Place)>,
    /// Lines of the work that it changed; absent where it changed none of it.
    lines: Option<u32>,
    prints: FingerprintDiff,
    /// Refs that moved while it ran.
    refs: MovedRefs,
    /// Commits that came while it ran and that git seed did not make, in words.
    by_hand: Vec<String>,
    /// What the agent is told of it.
    context: Option<String>,
}

/// The call with the line that the agent gave, where the hook had put it into another.
pub(crate) fn as_given(call: &ToolCall) -> Option<ToolCall> {
    let Act::Shell { command, cwd, background } = &call.act else { return None };
    let std::borrow::Cow::Owned(command) =
        shell::unwrapped(&world::own_binary().to_string_lossy(), command)
    else {
        return None;
    };
    let act = Act::Shell { command, cwd: cwd.clone(), background: *background };
    Some(ToolCall { act, mentions: Vec::new(), ..call.clone() })
}

/// True for a shell call that gives commands of git seed and nothing else. The call that
/// prepared the side lane, the first to end after that step, may have held more.
pub(crate) fn only_seed(act: &Act, first: bool) -> bool {
    let Act::Shell { command, .. } = act else { return false };
    let found = shell::read(command).found;
    let is_prep = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        words.windows(2).any(|pair| pair == ["gmode", "prep"])
    };
    let prepared = first && found.iter().any(|found| found.seed && is_prep(&found.part));
    prepared || (!found.is_empty() && found.iter().all(|found| found.seed))
}
