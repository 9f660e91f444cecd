//! Judges a boundary: which step it is, whether the job stands at home, what the gates say.
//!
//! Gathers a [`Crossing`] and asks; nothing is written here.

use std::collections::BTreeSet;

use crate::claims::empty;
use crate::engine::boundary::draft::{CHECKPOINT, step_name};
use crate::engine::boundary::step::{Adds, Judged};
use crate::engine::fence::survey::Survey;
use crate::engine::jobs::birth::QUICK;
use crate::engine::record::step::TOUCHED;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, claims, fence, jobs, judge, lost_pages, memory, merge_mark, record};
use crate::format::fold::JournalLines;
use crate::hosts;
use crate::jobs::Naming;
use crate::memory::seen::Seen;
use crate::memory::words;
use crate::phases::criteria::{Criterion, Ground, Shown};
use crate::phases::gates::{self, Crossing, Instead};
use crate::phases::message::Message;
use crate::phases::pacing::{Deed, Demand, Stay};
use crate::phases::place::Place;
use crate::phases::review::{Ending, Review};
use crate::phases::{Move, Phase, PhaseKind, PhaseName, Position, Write};
use crate::store::TreeId;
use crate::verdict::{Refusal, STATE, Verdict};

/// The most paths that are named one by one.
pub(crate) const NAMED: usize = 5;

pub(crate) fn judge(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    toward: &Transition,
    message: Message,
) -> Result<std::result::Result<Judged, Refusal>> {
    let (stand, review) = (&focused.state.stand, focused.state.review_after(since));
    let step = step_toward(repo, focused, since, toward);
    let step = match step.and_then(|step| merge_mark::stands_at_home(repo, focused).map(|()| step))
    {
        Ok(step) => step,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let row = repo.row(Some(focused));
    if let Err(refusal) = may_be_sent(repo, row, toward, &message) {
        return Ok(Err(refusal));
    }
    let sent = message.text().to_owned();
    let (naming, message) = named(row, stand.cycle, message)?;
    let message = message.titled(row.titles());
    if let Err(refusal) =
        boundary::declare::scope_is_sound(repo, focused, row, toward, step.as_ref())?
    {
        return Ok(Err(refusal));
    }
    let survey = match surveyed(repo, focused, since, (row, toward))? {
        Ok(survey) => survey,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (step, outgrown) = within_the_lane(repo, focused, toward, step, &survey)?;
    let toward = if outgrown { &Transition::Up } else { toward };
    if let Err(refusal) = nothing_else_wrote(repo, focused, since, &survey)? {
        return Ok(Err(refusal));
    }
    let to = leads_to(stand, step.as_ref());
    let (strays, unclaimed) = (&*survey.strays, &*survey.unclaimed_paths());
    let asked = Asked { to, message: &message, naming: &naming, strays, unclaimed };
    if let Err(refusal) = ask_gates(repo, focused, since, toward, &asked, &survey)? {
        return Ok(Err(refusal));
    }
    let name = step_name(stand.phase.as_str(), step.as_ref());
    let at = (stand.phase.clone(), stand.cycle);
    let closes = matches!(toward, Transition::Forward { add_cycle: None, .. })
        && repo.map(stand).ends_cycle(step.as_ref());
    if let Err(refusal) =
        says_what_is_shown(repo, focused, (row, toward, closes), (&sent, &survey))?
    {
        return Ok(Err(refusal));
    }
    let rests = closes && jobs::unattended::would_rest(repo, focused, review);
    let last = closes && jobs::completion::eligible(repo, focused);
    let adds = Adds::default();
    Ok(Ok(Judged { survey, step, name, message, naming, sent, at, rests, last, adds }))
}

/// The hooks heard what changed, and no call that is under way writes now.
fn nothing_else_wrote(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    survey: &Survey,
) -> Result<Verdict> {
    // Asked of the job where the tree changed alone.
    let heard = !survey.changed || !hooked(focused) || since.heard() || was_heard(repo, focused)?;
    if let Err(refusal) = gates::hooks_fire(survey.changed, heard, !survey.strays.is_empty()) {
        return Ok(Err(refusal));
    }
    let runs = focused.activity.as_ref().is_ok_and(|counts| counts.activity.has_running());
    let known = &focused.state.fence.unclaimed;
    let new = survey.unclaimed.iter().find(|one| !known.contains(one)).map(|one| one.path.as_str());
    Ok(gates::nobody_writes_now(new, runs))
}

/// The message of work, of its proof, and of what closes its cycle is read in `git log` for years:
/// it says what is shown, as last words do. Where no hooks are there for a question, that which
/// closes the cycle is the claim. A person's step says what git seed or they say.
fn says_what_is_shown(
    repo: &Repo,
    focused: &LoadedJob,
    (row, toward, closes): (&Phase, &Transition, bool),
    (said, survey): (&str, &Survey),
) -> Result<Verdict> {
    let onward = matches!(toward, Transition::Forward { .. } | Transition::Checkpoint);
    let works = row.kind == PhaseKind::Work && (row.checkpoints || row.proves());
    let judged = onward && (works || row.kind == PhaseKind::Consolidation);
    // A commit that was left by a kill was judged before it was made: what ran since then says
    // nothing of it, and its step must not be lost.
    if record::pending_file::pending(repo)?.is_some() {
        return Ok(Ok(()));
    }
    if closes && !hooked(focused) {
        return judge::closing::holds(repo, focused, said);
    }
    if judged {
        judge::closing::is_shown(repo, focused, said, survey.tree.as_ref())
    } else {
        Ok(Ok(()))
    }
}

/// The message is long enough where no section is asked for, and holds no likely secret.
fn may_be_sent(repo: &Repo, row: &Phase, toward: &Transition, message: &Message) -> Verdict {
    let in_between = *toward == Transition::Checkpoint;
    if in_between || matches!(toward, Transition::Back { .. }) {
        gates::says_enough(row, in_between, message)?;
    }
    boundary::secrets::in_message(repo, "message", message.text())
}

/// What changed, where nothing that the fence depends on did, no page of the cycle is gone, and no
/// memory file would carry a likely secret into the commit.
fn surveyed(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    (row, toward): (&Phase, &Transition),
) -> Result<std::result::Result<Survey, Refusal>> {
    let back = matches!(toward, Transition::Back { .. });
    if let Some(refusal) = lost_pages::stop(repo, focused)?.filter(|_| !back) {
        return Ok(Err(refusal));
    }
    if let Err(refusal) = fence::fingerprint_restore::prints_hold(repo)? {
        return Ok(Err(refusal));
    }
    let survey = fence::survey::survey(repo, focused, since, row)?;
    let memory = boundary::secrets::in_memory(repo, focused, &survey)?;
    Ok(memory.map(|()| survey))
}

/// What was seen of the stay that the step leaves; nothing where no work is left, and where the
/// cycle closes: its own files are written out as they are then.
pub(crate) fn seen(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    judged: &Judged,
) -> Result<Option<Seen>> {
    let stand = &focused.state.stand;
    let idle = stand.is_talk() || repo.rests(stand);
    if idle || repo.map(stand).ends_cycle(judged.step.as_ref()) {
        return Ok(None);
    }
    let said = judged.message.subject().unwrap_or_default().to_owned();
    let files = judged.survey.committed(repo, &focused.state);
    Ok(Some(Seen { said, files, ..memory::feed::seen(repo, focused, since)? }))
}

/// What the head of the message calls the job, where its row asks for that, and the rest.
fn named(row: &Phase, cycle: u32, message: Message) -> Result<(Naming, Message)> {
    if !gates::names_the_job(row, cycle) {
        return Ok((Naming::default(), message));
    }
    let (naming, rest) = Naming::at_head(message.text()).map_err(jobs::lifecycle::usage)?;
    Ok((naming, Message::new(rest)))
}

/// The step that `toward` means, if the map has it; absent where the phase stays.
fn step_toward(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    toward: &Transition,
) -> std::result::Result<Option<Move>, Refusal> {
    let stand = &focused.state.stand;
    match toward {
        Transition::Forward { to, .. } => stand.forward(repo.map(stand), to.as_ref()).map(Some),
        Transition::Back { to } => {
            boundary::review::back(repo, focused, since, to.as_ref()).map(Some)
        }
        Transition::Small => Ok(Some(Move::Forward(repo.rules.maps.get(QUICK).start.clone()))),
        Transition::Up => repo.rules.maps.upward(stand).map(Some),
        Transition::Down => repo.rules.maps.downward(stand, QUICK).map(Some),
        Transition::Review => boundary::review::closes(repo, focused, since).map(Some),
        Transition::Checkpoint => gates::has_checkpoints(repo.row(Some(focused))).map(|()| None),
    }
}

/// The phase where the job stands after `step`.
fn leads_to<'a>(stand: &'a Position, step: Option<&'a Move>) -> &'a PhaseName {
    match step {
        Some(Move::Forward(to) | Move::Back(to) | Move::Onto { to, .. }) => to,
        _ => &stand.phase,
    }
}

/// The host of the session that drives runs hooks; one that no row names might.
fn hooked(focused: &LoadedJob) -> bool {
    hosts::row(&focused.state.driver.host).map_or(true, hosts::Host::runs_hooks)
}

/// Acts of an earlier step of this stay were heard, so the hooks do fire: a change, or a run.
fn was_heard(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    if has_touched(repo, focused)? {
        return Ok(true);
    }
    let stay = claims::receipts::stay_of(&focused.state);
    Ok(claims::receipts::ran(repo, focused)?.iter().any(|(_, ran)| ran.stay == stay))
}

/// Earlier steps of this stay hold paths that calls changed.
fn has_touched(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    Ok(!repo.lines(&focused.chain, TOUCHED)?.is_empty())
}

/// The boundary that gates are asked about.
struct Asked<'a> {
    /// The phase that it leads to.
    to: &'a PhaseName,
    message: &'a Message,
    /// What its head calls the job.
    naming: &'a Naming,
    /// Paths that the agent changed outside the fence.
    strays: &'a [String],
    /// Paths that differ from what is committed, and that no call claims.
    unclaimed: &'a [String],
}

/// What gates look at and a [`Crossing`] borrows.
struct Gathered {
    live_notes: Vec<String>,
    unarchived: Option<Refusal>,
    unsealed: Option<String>,
    stay: Stay,
    /// Where the plan document lies, and what is wrong with it.
    plan: (String, Option<String>),
}

impl Gathered {
    fn of(repo: &Repo, focused: &LoadedJob, review: Review) -> Result<Self> {
        Ok(Self {
            live_notes: memory::pages::live_notes(repo, focused)?,
            unarchived: memory::condense::lacks_archive(repo, focused)?,
            unsealed: boundary::seal::open_at_the_end(repo, focused, review),
            stay: record::activity::stay(repo, focused),
            plan: repo.plan_fault(&focused.state)?,
        })
    }
}

/// Asks the gates of the way that is taken.
fn ask_gates(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    toward: &Transition,
    asked: &Asked<'_>,
    survey: &Survey,
) -> Result<std::result::Result<(), Refusal>> {
    let gathered = Gathered::of(repo, focused, focused.state.review_after(since))?;
    let crossing = crossing(repo, focused, since, Some(toward), asked, &gathered)?;
    let found = match toward {
        Transition::Forward { .. } => Answerable::of(repo, focused, survey)?,
        _ => Answerable::default(),
    };
    let by_word = |key: &str| judge::criteria::counts_by_word(&focused.state, key);
    let row_of = |line: &str| repo.rules.runs().recognise(line).run().map(str::to_owned);
    let instead = stands_for_tests(repo, focused, &crossing)?;
    let criteria = Ground {
        contract: &found.contract,
        shown: &found.shown,
        by_word: &by_word,
        row_of: &row_of,
        speaks_of_all: &judge::criteria::speaks_of_all,
        may_show: &empty::may_show,
        instead: instead.as_ref(),
    };
    let changed = files_of_stay(repo, focused, survey)?;
    let uncommitted = !survey.own.is_empty();
    let (lines, waiting) = (found.lines, found.waiting);
    let crossing = Crossing { changed, uncommitted, criteria, lines, waiting, ..crossing };
    Ok(match toward {
        Transition::Forward { .. } | Transition::Small => gates::forward(&crossing),
        Transition::Back { .. } => gates::backward(&crossing),
        Transition::Up => gates::upward(&crossing),
        Transition::Down => gates::downward(&crossing),
        Transition::Review => gates::reviewed(&crossing),
        Transition::Checkpoint => gates::checkpoint(&crossing),
    })
}

/// How many files this step and the checkpoints of the stay before it commit, each counted once.
fn files_of_stay(repo: &Repo, focused: &LoadedJob, survey: &Survey) -> Result<usize> {
    let state = &focused.state;
    let entry = &state.stand.entry;
    let mut files: BTreeSet<String> = survey.committed(repo, state).into_iter().collect();
    if entry.checkpoints == 0 {
        return Ok(files.len());
    }
    let steps = record::history::log(repo, focused, usize::MAX)?;
    let own = steps.iter().filter(|step| step.step == CHECKPOINT && step.rejected.is_none());
    for commit in own.take(entry.checkpoints as usize).filter_map(|step| step.commit.as_deref()) {
        let Some((before, after)) = repo.store.trees_around(commit)? else {
            // Of one that is not here only the count is known.
            return Ok(files.len() + entry.changed as usize);
        };
        let paths = repo.store.paths_between(&before, &after, usize::MAX)?;
        let is_work = |path: &String| fence::survey::place_of(repo, path, state) != Place::JobFile;
        files.extend(paths.into_iter().filter(is_work));
    }
    Ok(files.len())
}

fn crossing<'a>(
    repo: &'a Repo,
    focused: &'a LoadedJob,
    since: &JournalLines,
    toward: Option<&Transition>,
    asked: &Asked<'a>,
    gathered: &'a Gathered,
) -> Result<Crossing<'a>> {
    let state = &focused.state;
    // No line since the last step: nothing is counted yet.
    let counts = since.lines.last().map(|last| last.line.counts.clone()).unwrap_or_default();
    let objective = asked.naming.objective.as_deref().unwrap_or(&state.job.objective);
    let proved = counts.activity.proved.unwrap_or(state.proved);
    let declared = !boundary::declare::open_lines(repo, focused)?.is_empty()
        || matches!(toward, Some(Transition::Forward { scope, .. }) if !scope.is_empty());
    Ok(Crossing {
        phase: repo.row(Some(focused)),
        to: asked.to,
        message: asked.message,
        cycle: state.stand.cycle,
        multiplier: state.stand.entry.multiplier,
        changed: 0,
        page_edits: state.stand.entry.page_edits + counts.page_edits,
        plan_edits: state.stand.entry.plan_edits + counts.plan_edits,
        named: !state.job.provisional || asked.naming.name.is_some(),
        objective_words: u32::try_from(words::count(objective)).unwrap_or(u32::MAX),
        shapeless: gates::shapeless(&state.job.shape, objective),
        plan: repo.plan_standing(focused)?,
        plan_path: gathered.plan.0.as_str(),
        plan_fault: gathered.plan.1.clone(),
        unread: repo.unread_plan(focused),
        live_notes: &gathered.live_notes,
        unconsumed: memory::note_agents::unconsumed(repo, focused)?,
        unarchived: gathered.unarchived.as_ref(),
        unsealed: gathered.unsealed.as_deref(),
        ending: match toward {
            Some(Transition::Forward { add_cycle: Some(_), .. }) => Ending::Free,
            _ => jobs::ending::ending(repo, focused, state.review_after(since)),
        },
        deflation: memory::condense::deflation(repo, focused)?
            .map(|deflation| (deflation.remaining, deflation.max_words())),
        strays: asked.strays,
        declared,
        stay: &gathered.stay,
        checkpoints: state.stand.entry.checkpoints,
        failed: wants_a_failed_run(repo.row(Some(focused)))
            && judge::criteria::last_failed(repo, focused, false)?.is_some(),
        unsummed: jobs::summary::is_wanted(state),
        uncommitted: since.touched().next().is_some() || has_touched(repo, focused)?,
        proved,
        broke: judge::criteria::last_failed(repo, focused, proved)?,
        instead: if proved { None } else { instead(repo, focused, toward, asked.message)? },
        uncommitted_by_nobody: uncommitted_by_nobody(repo, focused, asked.unclaimed)?,
        criteria: Ground::default(),
        lines: 0,
        waiting: 0,
        audited: was_audited(focused, &gathered.stay),
        auditor: auditor(repo, focused),
    })
}

/// What stands for tests, where the row asks what shows each criterion.
fn stands_for_tests(
    repo: &Repo,
    focused: &LoadedJob,
    crossing: &Crossing<'_>,
) -> Result<Option<Instead>> {
    match &crossing.instead {
        None if crossing.phase.criteria.is_some() => {
            claims::proving::instead(repo, focused, crossing.message.text())
        }
        known => Ok(known.clone()),
    }
}

/// What stands for a run, where the row asks for one and the step is one forward.
fn instead(
    repo: &Repo,
    focused: &LoadedJob,
    toward: Option<&Transition>,
    message: &Message,
) -> Result<Option<Instead>> {
    if !matches!(toward, None | Some(Transition::Forward { .. })) {
        return Ok(None);
    }
    let row = repo.row(Some(focused));
    let pays = row.pace.as_ref().is_some_and(|pace| pace.demands.contains_key(&Demand::Proof));
    if !pays && !row.exit.iter().any(|gate| gate == "proof") {
        return Ok(None);
    }
    // Who only asks where the job stands waits for no look at the work tree.
    if toward.is_none() && claims::proving::needs_a_run(repo, focused)? {
        return Ok(None);
    }
    claims::proving::instead(repo, focused, message.text())
}

/// A declared file of the project among `unclaimed`, where the row wants to see runs and writes no
/// work: they ran with it, and what is committed is something else. One that was so when the phase
/// began is named by the step that led here.
fn uncommitted_by_nobody(
    repo: &Repo,
    focused: &LoadedJob,
    unclaimed: &[String],
) -> Result<Option<String>> {
    let row = repo.row(Some(focused));
    if unclaimed.is_empty() || !row.proves() || row.write.contains(&Write::Scope) {
        return Ok(None);
    }
    let scope = repo.scope(focused)?;
    let Some(head) = repo.store.head()?.commit else { return Ok(None) };
    let began = focused.state.fence.tree.parse::<TreeId>();
    let trees = [Some(repo.store.tree_of_commit(&head)?), began.ok()];
    // What is remembered may have been committed or put back since.
    let is_open = |tree, path: &str| fence::tree::is_still_changed(repo, tree, path);
    let differs = |path: &&String| trees.iter().flatten().all(|tree| is_open(tree, path));
    let is_work = |path: &&String| fence::after_call::is_work(repo, path, &scope, &focused.state);
    Ok(unclaimed.iter().filter(differs).find(is_work).cloned())
}

fn wants_a_failed_run(row: &Phase) -> bool {
    row.exit.iter().any(|gate| gate == "failed-run")
}

/// What criteria are held against, the size of the work, and what waits in messages, where the row
/// asks for them.
#[derive(Default)]
struct Answerable {
    contract: Vec<Criterion>,
    shown: Vec<Shown>,
    lines: usize,
    waiting: usize,
}

impl Answerable {
    fn of(repo: &Repo, focused: &LoadedJob, survey: &Survey) -> Result<Self> {
        let row = repo.row(Some(focused));
        let tree = survey.tree.as_ref();
        let lines = match tree.filter(|_| row.audit.is_some()) {
            Some(tree) => {
                boundary::size::changed(repo, focused, tree)?.iter().map(|(_, lines)| lines).sum()
            }
            None => 0,
        };
        let settles = row.kind == PhaseKind::Consolidation && !row.sections.is_empty();
        let waiting = if settles { memory::waiting::owed(repo, focused)? } else { 0 };
        if row.criteria.is_none() {
            return Ok(Self { lines, waiting, ..Self::default() });
        }
        let shown = match tree {
            Some(tree) => judge::criteria::shown(repo, focused, tree)?,
            None => Vec::new(),
        };
        let contract = judge::criteria::contract(repo, focused, row)?;
        Ok(Self { contract, shown, lines, waiting })
    }
}

/// The subagent that the row names for a look from outside, where the host finds it.
fn auditor<'a>(repo: &'a Repo, focused: &LoadedJob) -> Option<&'a str> {
    let agent = repo.row(Some(focused)).audit.as_ref()?.agent.as_str();
    let host = hosts::row(&focused.state.driver.host).ok()?;
    repo.has_subagent(host, agent).then_some(agent)
}

/// A subagent of the phase's own was launched in this stay, and none of them is under way.
fn was_audited(focused: &LoadedJob, stay: &Stay) -> bool {
    let launched = stay.acts.get(Deed::Launch.word()).is_some_and(|times| *times > 0);
    let runs = focused.activity.as_ref().is_ok_and(|counts| counts.activity.has_running());
    launched && !runs
}

/// Work that has outgrown its lane goes on where there is room for it.
pub(crate) fn within_the_lane(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    step: Option<Move>,
    survey: &Survey,
) -> Result<(Option<Move>, bool)> {
    let stand = &focused.state.stand;
    let onward = matches!(toward, Transition::Forward { .. } | Transition::Checkpoint);
    // Where a person said `[QUICK]` the size does not bind; the card says it.
    let lane = boundary::size::binds(repo, focused).filter(|_| onward);
    let (Some(lane), Some(tree)) = (lane, &survey.tree) else { return Ok((step, false)) };
    if !lane.is_outgrown(boundary::size::of_tree(repo, focused, tree, &survey.unclaimed)?) {
        return Ok((step, false));
    }
    match repo.rules.maps.upward(stand) {
        Ok(up) => Ok((Some(up), true)),
        Err(_) => Ok((step, false)),
    }
}

/// What stands between the focused job and its next step, but for the message.
pub(crate) fn missing(repo: &Repo, focused: &LoadedJob) -> Result<Vec<Refusal>> {
    let mut missing = missing_with(repo, focused, "")?;
    // Every call but a look is refused for it, so whatever else is missing can wait.
    let trouble = focused.activity.as_ref().err();
    missing.splice(..0, trouble.map(|trouble| Refusal::broken(STATE, trouble)));
    Ok(missing)
}

/// The same of a step whose message is `text`: its words may stand for a run that cannot be had.
pub(crate) fn missing_with(repo: &Repo, focused: &LoadedJob, text: &str) -> Result<Vec<Refusal>> {
    let since = repo.read_since(focused)?;
    let row = repo.row(Some(focused));
    let Some(to) = row.next.first() else {
        // Before the first step there is nothing else to look at.
        return Ok(merge_mark::stands_at_home(repo, focused).err().into_iter().collect());
    };
    let shown = fence::shown::fence_shown(repo, focused)?;
    let (strays, unclaimed) = (shown.strays.as_slice(), shown.unclaimed.as_slice());
    let message = Message::new(text);
    let gathered = Gathered::of(repo, focused, focused.state.review_after(&since))?;
    let naming = Naming::default();
    let asked = Asked { to, message: &message, naming: &naming, strays, unclaimed };
    let crossing = crossing(repo, focused, &since, None, &asked, &gathered)?;
    Ok(merge_mark::stands_at_home(repo, focused)
        .err()
        .into_iter()
        .chain(fence::fingerprint_restore::prints_hold(repo)?.err())
        .chain(gates::missing(&crossing))
        .collect())
}
