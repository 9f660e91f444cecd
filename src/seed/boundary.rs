//! Boundaries: the steps on the map, with their gates and their phase commit.
//!
//! Judge, prepare the commit, leave word of it in `pending`, let `git commit` run,
//! then lock and write the step on what the job is by then. No lock is held while git or a hook of
//! the person runs. A failing gate, and a failing hook, change nothing. Killed in
//! between, `pending` says what was meant: the next command finishes the step if HEAD
//! is exactly that commit, and forgets it otherwise.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::fence::{Beginning, Survey};
use super::pending::Pending;
use super::sessions::Word;
use super::steps::{By, Draft, Fold, Since, TOUCHED};
use super::{Focused, Result, Seed, SeedError};
use crate::format::interaction::Interaction;
use crate::format::state::{self, State};
use crate::format::trailers::{self, StepTrailers};
use crate::format::{names, notes, seed_id, short_hash};
use crate::jobs::Status;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword::{self, ShortWord};
use crate::memory::words;
use crate::phases::criteria::Shown;
use crate::phases::gates::{self, Crossing};
use crate::phases::home::{self, Here};
use crate::phases::message::Message;
use crate::phases::pacing::Stay;
use crate::phases::{Kind, Move, Phase, PhaseName, Size, Stand};
use crate::store::CommitFailed;
use crate::store::{CommitId, TreeEdit, TreeId};
use crate::verdict::Refusal;

/// The most paths that are named one by one.
const NAMED: usize = 5;

/// Which way a boundary is crossed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Toward {
    Forward {
        to: Option<PhaseName>,
        /// Why another cycle is added, if one is.
        add_cycle: Option<String>,
        /// Directories declared with the step.
        scope: Vec<String>,
    },
    Back {
        to: Option<PhaseName>,
    },
    /// Off the small lane, onto the larger track.
    Up,
    /// A commit in between; the phase stays.
    Checkpoint,
}

/// A boundary that was crossed.
#[derive(Clone, Debug)]
pub struct Crossed {
    pub focused: Focused,
    pub trailers: StepTrailers,
    pub commit: Option<CommitId>,
    /// Worth telling the agent, one line each: pages mended, changes left alone.
    pub remarks: Vec<String>,
    /// The job reached idle completed, and focus was given up.
    pub closed: bool,
    /// A prompt that had waited became the next job.
    pub born: Option<Focused>,
    /// The job rests until a person approves it, and focus was given up.
    pub rests: bool,
    /// A job that waited in this worktree took the focus of one that rests.
    pub next: Option<Focused>,
}

/// What the first half of a boundary found out.
pub(super) struct Judged {
    pub(super) survey: Survey,
    pub(super) step: Option<Move>,
    pub(super) name: String,
    pub(super) message: Message,
    /// Phase and cycle that it was judged in.
    pub(super) at: (PhaseName, u32),
    /// The job is finished, and rests with this step until a person approves it.
    pub(super) rests: bool,
    /// The ledger of sessions, where this boundary adds to it.
    pub(super) ledger: Option<TreeEdit>,
}

impl Seed {
    /// Crosses a boundary of the focused job.
    pub fn cross(
        &self,
        toward: &Toward,
        text: &str,
        by: By,
    ) -> Result<std::result::Result<Crossed, Refusal>> {
        self.require_focused()?;
        self.finish_pending()?;
        self.forget_stale_proof()?;
        let focused = self.require_focused()?;
        // A killed step may have left them behind; what leaves condense has climbed.
        self.climb(&focused)?;
        let message = Message::new(text);
        let since = self.read_since(&focused)?;
        focused.since.clone()?;
        let mut judged = match self.judge(&focused, &since, toward, message.clone())? {
            Ok(judged) => judged,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if focused.state.unlocked.is_some() {
            if let Err(refusal) = self.check_surface(&focused)? {
                return Ok(Err(refusal));
            }
            // The check is a program like any other: what it left behind is judged too.
            judged = match self.judge(&focused, &since, toward, message)? {
                Ok(judged) => judged,
                Err(refusal) => return Ok(Err(refusal)),
            };
        }
        let ledger = self.put_ledger(&focused, toward, &mut judged)?;
        let commit = self.phase_commit(&focused, toward, &judged);
        if commit.is_err() {
            self.take_back_ledger(&focused, ledger, &mut judged)?;
        }
        let commit = match commit {
            Err(SeedError::Vetoed { .. }) if matches!(toward, Toward::Back { .. }) => None,
            done => done?,
        };
        if commit.is_none() && *toward == Toward::Checkpoint {
            return Err(SeedError::Usage(
                "nothing to checkpoint: no declared file differs from HEAD".to_owned(),
            ));
        }
        self.record(&focused.chain, toward, judged, commit, by)
    }

    pub(super) fn judge(
        &self,
        focused: &Focused,
        since: &Since,
        toward: &Toward,
        message: Message,
    ) -> Result<std::result::Result<Judged, Refusal>> {
        let stand = &focused.state.stand;
        let step = match toward {
            Toward::Forward { to, .. } => stand.forward(self.map(stand), to.as_ref()).map(Some),
            Toward::Back { to } => stand.backward(self.map(stand), to.as_ref()).map(Some),
            Toward::Up => self.upward(stand).map(Some),
            Toward::Checkpoint => gates::has_checkpoints(self.row(Some(focused))).map(|()| None),
        };
        let step = match step.and_then(|step| self.stands_at_home(focused).map(|()| step)) {
            Ok(step) => step,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if matches!(toward, Toward::Back { .. } | Toward::Checkpoint)
            && let Err(refusal) = gates::says_why(&message)
        {
            return Ok(Err(refusal));
        }
        let row = self.row(Some(focused));
        if let Err(refusal) = self.scope_is_sound(focused, row, toward, step.as_ref())? {
            return Ok(Err(refusal));
        }
        if let Err(refusal) = self.prints_hold() {
            return Ok(Err(refusal));
        }
        let survey = self.survey(focused, since, row)?;
        let (step, outgrown) = self.within_the_lane(focused, toward, step, &survey)?;
        let toward = if outgrown { &Toward::Up } else { toward };
        // Asked of the job where the tree changed alone.
        let heard = !survey.changed || since.heard() || self.was_heard(focused)?;
        if let Err(refusal) = gates::hooks_fire(survey.changed, heard, !survey.strays.is_empty()) {
            return Ok(Err(refusal));
        }
        let runs = focused.since.as_ref().is_ok_and(|counts| counts.activity.has_running());
        let known = &focused.state.fence.unclaimed;
        let new = survey.unclaimed.iter().find(|one| !known.contains(one)).map(|one| one.path.as_str());
        if let Err(refusal) = gates::nobody_writes_now(new, runs) {
            return Ok(Err(refusal));
        }
        if let Err(refusal) = self.ask_gates(focused, since, toward, step.as_ref(), &message, &survey)? {
            return Ok(Err(refusal));
        }
        let name = step_name(stand.phase.as_str(), step.as_ref());
        let at = (stand.phase.clone(), stand.cycle);
        let closes = matches!(toward, Toward::Forward { add_cycle: None, .. })
            && step == Some(Move::Forward(PhaseName::idle()));
        let rests = closes && self.would_rest(focused);
        Ok(Ok(Judged { survey, step, name, message, at, rests, ledger: None }))
    }

    /// Acts of an earlier step of this stay were heard, so the hooks do fire.
    fn was_heard(&self, focused: &Focused) -> Result<bool> {
        Ok(!self.lines(&focused.chain, TOUCHED)?.is_empty())
    }

    fn stands_at_home(&self, focused: &Focused) -> std::result::Result<(), Refusal> {
        let home = &focused.state.home;
        let away = self.away(focused);
        let here = Here { away, doing: self.store.in_progress(), branch: home.branch.as_str() };
        let last = home.commit.parse::<CommitId>().ok();
        home::takes_steps(here, || last.is_none_or(|commit| self.store.contains(&commit).unwrap_or(false)))
    }

    fn ask_gates(
        &self,
        focused: &Focused,
        since: &Since,
        toward: &Toward,
        step: Option<&Move>,
        message: &Message,
        survey: &Survey,
    ) -> Result<std::result::Result<(), Refusal>> {
        let to = match step {
            Some(Move::Forward(to) | Move::Back(to) | Move::Up { to, .. }) => to.clone(),
            _ => focused.state.stand.phase.clone(),
        };
        let live_notes = self.live_notes(focused)?;
        let unarchived = self.lacks_archive(focused)?;
        let unsealed = self.open_at_the_end(focused);
        let stay = self.stay(focused);
        let plan = self.plan_fault(&focused.state);
        let crossing = self.crossing(
            focused,
            since,
            Some(toward),
            &to,
            message,
            &live_notes,
            &survey.strays,
            &stay,
            &plan,
        )?;
        let shown = self.shown(focused, survey, message)?;
        let crossing = Crossing {
            shown: &shown,
            uncommitted: !survey.own.is_empty(),
            unarchived: unarchived.as_ref(),
            unsealed: unsealed.as_deref(),
            ..crossing
        };
        Ok(match toward {
            Toward::Forward { .. } => gates::forward(&crossing),
            Toward::Back { .. } => gates::backward(&crossing),
            Toward::Up => gates::upward(&crossing),
            Toward::Checkpoint => gates::checkpoint(&crossing),
        })
    }

    #[expect(clippy::too_many_arguments, reason = "what a gate may look at, gathered by two callers")]
    fn crossing<'a>(
        &'a self,
        focused: &'a Focused,
        since: &Since,
        toward: Option<&Toward>,
        to: &'a PhaseName,
        message: &'a Message,
        live_notes: &'a [String],
        strays: &'a [String],
        stay: &'a Stay,
        plan: &'a (String, Option<String>),
    ) -> Result<Crossing<'a>> {
        let state = &focused.state;
        let counts = since.lines.last().map(|last| last.line.counts.clone()).unwrap_or_default();
        let objective_words = u32::try_from(words::count(&state.job.objective)).unwrap_or(u32::MAX);
        let declared = !self.lines(&focused.chain, names::SCOPE)?.is_empty()
            || matches!(toward, Some(Toward::Forward { scope, .. }) if !scope.is_empty());
        Ok(Crossing {
            phase: self.row(Some(focused)),
            to,
            message,
            cycle: state.stand.cycle,
            multiplier: state.stand.entry.multiplier,
            page_edits: state.stand.entry.page_edits + counts.page_edits,
            plan_edits: state.stand.entry.plan_edits + counts.plan_edits,
            named: !state.job.provisional,
            objective_words,
            shapeless: gates::shapeless(&state.job.shape, &state.job.objective),
            plan: self.plan_standing(focused),
            plan_path: plan.0.as_str(),
            plan_fault: plan.1.clone(),
            unread: self.unread_plan(focused),
            live_notes,
            unconsumed: self.unconsumed(focused)?,
            unarchived: None,
            unsealed: None,
            deflation: self.deflation(focused)?.map(|deflation| (deflation.remaining, deflation.max_words())),
            strays,
            declared,
            stay,
            checkpoints: state.stand.entry.checkpoints,
            unsummed: super::summary::is_wanted(state),
            uncommitted: since.touched().next().is_some() || self.was_heard(focused)?,
            proved: counts.activity.proved.unwrap_or(state.proved),
            shown: &[],
        })
    }

    /// The last run of each command on the work as it is, where the row has criteria and the
    /// message speaks of them. Pages and other memory may have changed since.
    fn shown(&self, focused: &Focused, survey: &Survey, message: &Message) -> Result<Vec<Shown>> {
        let row = self.row(Some(focused));
        let asked = row.criteria.as_deref().is_some_and(|title| message.section(title).is_some());
        let Some(tree) = survey.tree.as_ref().filter(|_| asked) else { return Ok(Vec::new()) };
        let is_work = |path: &String| self.place_of(path, &focused.state).is_direct(path);
        let mut last: Vec<Shown> = Vec::new();
        for receipt in self.receipts(tree)? {
            last.retain(|shown| shown.command != receipt.command);
            if !receipt.stale && !receipt.changed_since.iter().any(is_work) {
                let (passed, test) = (receipt.status == Some(0), receipt.run.is_some());
                last.push(Shown { command: receipt.command, passed, test });
            }
        }
        Ok(last)
    }

    /// Takes the step that `toward` means; on a small lane it goes on through every phase whose
    /// exit is met. All boundaries that were crossed, in order.
    pub fn advance(
        &self,
        toward: &Toward,
        text: &str,
        by: By,
    ) -> Result<std::result::Result<Vec<Crossed>, Refusal>> {
        let first = match self.cross(toward, text, by)? {
            Ok(crossed) => crossed,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut crossed = vec![first];
        let on = Toward::Forward { to: None, add_cycle: None, scope: Vec::new() };
        while let Some(last) = crossed.last()
            && matches!(toward, Toward::Forward { .. })
            && self.goes_on(&last.focused)?
        {
            match self.cross(&on, text, by)? {
                Ok(next) => crossed.push(next),
                Err(_) => break,
            }
        }
        Ok(Ok(crossed))
    }

    /// The job walks a lane, and the exit of the phase that it came to is met already. What
    /// is written in first, and what a person decides, is never walked through.
    fn goes_on(&self, focused: &Focused) -> Result<bool> {
        let (stand, row) = (&focused.state.stand, self.row(Some(focused)));
        let walks = self.map(stand).lane.is_some() && row.kind == Kind::Work && !row.freezes;
        Ok(walks && stand.phase != self.map(stand).start && self.missing(focused)?.is_empty())
    }

    fn upward(&self, stand: &Stand) -> std::result::Result<Move, Refusal> {
        let map = self.map(stand);
        let beyond = map.lane.as_ref().map_or(map, |lane| self.rules.maps.get(&lane.beyond));
        stand.upward(map, beyond)
    }

    /// Work that has outgrown its lane goes on where there is room for it.
    fn within_the_lane(
        &self,
        focused: &Focused,
        toward: &Toward,
        step: Option<Move>,
        survey: &Survey,
    ) -> Result<(Option<Move>, bool)> {
        let stand = &focused.state.stand;
        let Some(lane) = &self.map(stand).lane else { return Ok((step, false)) };
        let onward = matches!(toward, Toward::Forward { .. } | Toward::Checkpoint);
        let (Some(tree), true) = (&survey.tree, onward && self.row(Some(focused)).kind == Kind::Work) else {
            return Ok((step, false));
        };
        if !lane.is_outgrown(self.size(focused, tree)?) {
            return Ok((step, false));
        }
        match self.upward(stand) {
            Ok(up) => Ok((Some(up), true)),
            Err(_) => Ok((step, false)),
        }
    }

    /// What the cycle has changed so far, besides pages and what is the person's.
    fn size(&self, focused: &Focused, tree: &TreeId) -> Result<Size> {
        let Ok(began) = focused.state.fence.began.parse::<TreeId>() else { return Ok(Size::default()) };
        let persons = self.persons(focused)?;
        let mut size = Size::default();
        let mut directories = BTreeSet::new();
        for (path, lines) in self.store.lines_changed(&began, tree)? {
            let path = path.to_string();
            if persons.contains(&path) || self.is_page(&path) {
                continue;
            }
            size.files += 1;
            size.lines = size.lines.saturating_add(lines);
            directories.insert(path.rsplit_once('/').map_or(String::new(), |(dir, _)| dir.to_owned()));
        }
        size.directories = directories.len();
        Ok(size)
    }

    /// What stands between the focused job and its next step, but for the message.
    pub fn missing(&self, focused: &Focused) -> Result<Vec<Refusal>> {
        let since = self.read_since(focused)?;
        let row = self.row(Some(focused));
        let Some(to) = row.next.first() else { return Ok(Vec::new()) };
        let strays = self.fence_shown(focused)?.strays;
        let live_notes = self.live_notes(focused)?;
        let message = Message::default();
        let stay = self.stay(focused);
        let plan = self.plan_fault(&focused.state);
        let crossing =
            self.crossing(focused, &since, None, to, &message, &live_notes, &strays, &stay, &plan)?;
        let (unarchived, unsealed) = (self.lacks_archive(focused)?, self.open_at_the_end(focused));
        let crossing =
            Crossing { unarchived: unarchived.as_ref(), unsealed: unsealed.as_deref(), ..crossing };
        Ok(self.prints_hold().err().into_iter().chain(gates::missing(&crossing)).collect())
    }

    /// Makes the phase commit; `None` when there is nothing to commit.
    fn phase_commit(&self, focused: &Focused, toward: &Toward, judged: &Judged) -> Result<Option<CommitId>> {
        if judged.survey.own.is_empty() {
            return Ok(None);
        }
        let Some(staged) = self.store.stage(&judged.survey.own).map_err(vetoed)? else { return Ok(None) };
        let trailers = self.trailers(&focused.state, &judged.name);
        let message = self.commit_message(focused, toward, judged, &trailers);
        let pending = Pending {
            id: trailers.id.clone(),
            before: focused.state.step.clone(),
            head: self.store.head()?.commit.as_ref().map(ToString::to_string).unwrap_or_default(),
            tree: staged.tree().to_string(),
            message: short_hash(message.as_bytes(), 32),
            chain: focused.chain.clone(),
            toward: toward.clone(),
            text: judged.message.text().to_owned(),
            owner: crate::world::myself(),
        };
        self.write_pending(focused, &pending)?;
        match self.store.commit_staged(&staged, message.as_bytes(), &pending.id) {
            Ok(made) => Ok(Some(made.commit)),
            Err(failed) => {
                // A git that outlived its killed caller may have made this very commit first.
                if let Some(head) = self.store.head()?.commit
                    && self.is_meant(&pending, &head)?
                {
                    return Ok(Some(head));
                }
                self.forget_pending()?;
                Err(vetoed(failed))
            }
        }
    }

    fn trailers(&self, state: &State, step: &str) -> StepTrailers {
        let before = Some(state.step.as_str()).filter(|step| !step.is_empty());
        StepTrailers {
            job: state.job.id.to_string(),
            run: state.job.run,
            cycle: state.stand.cycle,
            phase: state.stand.phase.to_string(),
            step: step.to_owned(),
            id: seed_id(&state.job.id.to_string(), before, step),
            commit: None,
            by: None,
        }
    }

    fn commit_message(
        &self,
        focused: &Focused,
        toward: &Toward,
        judged: &Judged,
        step: &StepTrailers,
    ) -> String {
        let phase = focused.state.stand.phase.as_str();
        let template = match toward {
            Toward::Checkpoint => self.rules.subject.replace("{subject}", "[intermediate] {subject}"),
            _ => self.rules.subject.clone(),
        };
        let text = judged.message.commit(&template, phase, &focused.state.job.name);
        let mixed: Vec<String> =
            judged.survey.mixed.iter().map(|path| format!("Seed-Mixed: {path}")).collect();
        let text = trailers::append(&text, step);
        if mixed.is_empty() { text } else { format!("{text}{}\n", mixed.join("\n")) }
    }

    /// The second half: lock, write the step, then what follows from it.
    pub(super) fn record(
        &self,
        chain: &str,
        toward: &Toward,
        judged: Judged,
        commit: Option<CommitId>,
        by: By,
    ) -> Result<std::result::Result<Crossed, Refusal>> {
        let pages = self.pages_to_heal(&judged, chain)?;
        let begins = matches!(&judged.step, Some(Move::Forward(_))) && {
            let focused = self.require_focused()?;
            focused.state.stand.phase.is_idle()
        };
        let start = if begins { Some(self.begin_fence()?) } else { None };
        let by_hand = self.commits_by_hand(chain)?;
        if let Some(commit) = &commit
            && let Some(id) = names::job_of(chain)
        {
            self.store.keep(&names::keep_chain(&id), commit, self.now)?;
        }
        // Nothing else holds the fence's tree against a gc.
        let tree = start.as_ref().and_then(|start| start.tree.parse().ok());
        if let (Some(tree), Some(id)) = (tree.or(judged.survey.tree.clone()), names::job_of(chain)) {
            self.store.keep_tree(&names::keep_chain(&id), &tree, self.now)?;
        }
        let taken = self.step(chain, Fold::In, |state, _| {
            let draft = self.draft(chain, state, toward, &judged, commit.as_ref(), start.as_ref(), by)?;
            Ok(draft.map(|draft| self.keep_unhealed(draft, state.steps, &pages)))
        })?;
        let taken = match taken {
            Ok(taken) => taken,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.forget_pending()?;
        if let Some(commit) = &commit {
            self.store.note_add(
                commit,
                &notes::step_line(&taken.trailers, &taken.focused.state.fence.unclaimed, self.now),
                self.now,
            )?;
        }
        let mut remarks = self.write_healed(&pages)?;
        let climbed = self.climb(&taken.focused)?;
        remarks.extend(climbed.iter().map(|page| format!("{page}: its carried notes count one cycle more.")));
        if let Some(start) = start.as_ref().filter(|start| !start.persons.is_empty()) {
            remarks.push(format!(
                "{} changed before this cycle: left to the person, in no commit.",
                count(start.persons.len(), "path")
            ));
        }
        remarks.extend(by_hand);
        if let Some(Move::Up { track, .. }) = &judged.step {
            remarks.push(format!("The work goes on on the track {track}; what was done is kept."));
        }
        let unclaimed = &taken.focused.state.fence.unclaimed;
        if let Some(more) = unclaimed.len().checked_sub(NAMED).filter(|more| *more > 0) {
            remarks.push(format!("{} more changed likewise: git seed fence status.", count(more, "path")));
        }
        for unclaimed in unclaimed.iter().take(NAMED) {
            remarks
                .push(format!("{} changed, claimed by no call: left alone, in no commit.", unclaimed.path));
        }
        let closes = judged.step == Some(Move::Forward(PhaseName::idle()))
            && taken.focused.state.job.status == Status::Completed;
        let born = if closes { self.close(&taken.focused)? } else { None };
        let rests = taken.focused.state.job.status == Status::Awaiting;
        let next = if rests { self.rest(&taken.focused)? } else { None };
        // The index of the fence was taken in the survey; only anchors came after it.
        if !closes && !rests && !pages.is_empty() {
            self.snapshot()?;
        }
        let Taken { focused, trailers } = taken.into();
        Ok(Ok(Crossed { focused, trailers, commit, remarks, closed: closes, born, rests, next }))
    }

    #[expect(clippy::too_many_arguments, reason = "what the second half of a boundary knows, read once")]
    fn draft(
        &self,
        chain: &str,
        state: &mut State,
        toward: &Toward,
        judged: &Judged,
        commit: Option<&CommitId>,
        start: Option<&Beginning>,
        by: By,
    ) -> Result<std::result::Result<Draft, Refusal>> {
        if judged.at != (state.stand.phase.clone(), state.stand.cycle) {
            // Another process took this step, or another one: what was judged is no longer so.
            return Err(crate::store::StoreError::Moved { chain: chain.to_owned() }.into());
        }
        let now = self.trailers(state, &judged.name);
        let subject = judged.message.subject().unwrap_or(&state.job.name).to_owned();
        let mut draft = Draft { commit: commit.cloned(), ..Draft::new(state, now.step, subject, by) };
        judged.message.text().clone_into(&mut draft.body);
        draft.edits.extend(judged.ledger.clone());
        let row = self.row_of(state).clone();
        self.declare(chain, state, &row, toward, judged, &mut draft)?;
        if let Some(step) = &judged.step {
            let begins = state.stand.phase.is_idle();
            let cycle = state.stand.cycle;
            if *step == Move::Forward(PhaseName::idle()) {
                self.accept_plan(state, &mut draft);
            }
            state.stand = state.stand.take(self.map(&state.stand), step);
            if begins {
                // The step that begins a cycle is the first of that cycle.
                draft.cycle = state.stand.cycle;
                if state.stand.cycle != cycle {
                    self.look_at_plan(state, &mut draft);
                }
            }
            if *step == Move::Forward(PhaseName::idle()) && !self.lines(chain, names::ALLOWED)?.is_empty() {
                draft.edits.push(TreeEdit::Put { path: names::ALLOWED.to_owned(), bytes: Vec::new() });
            }
            if judged.rests && state.job.status == Status::Active {
                let became = state.job.become_(Status::Awaiting, self.now);
                became.map_err(|bad| SeedError::Usage(bad.to_string()))?;
            }
        }
        state.unlocked = None;
        state.put_back = None;
        let head = self.store.head()?;
        state.home.branch = head.branch.unwrap_or_default();
        state.home.logged = self.store.head_log_length();
        if let Some(commit) = commit {
            state.home.commit = commit.to_string();
            state.cost.commits += 1;
            state.stand.entry.checkpoints += u32::from(*toward == Toward::Checkpoint);
        }
        if let Some(tree) = &judged.survey.tree {
            state.fence.tree = tree.to_string();
            state.fence.seen = None;
            state.fence.strays.clone_from(&judged.survey.strays);
            state.fence.unclaimed.clone_from(&judged.survey.unclaimed);
            state.fence.loose = judged.survey.loose;
            draft.edits.push(TreeEdit::Put { path: TOUCHED.to_owned(), bytes: Vec::new() });
        }
        if let Some(Beginning { tree, persons, pins }) = start {
            state.fence = state::Fence { tree: tree.clone(), began: tree.clone(), ..state::Fence::default() };
            for (file, bytes) in [(names::EXCLUDES, &pins.excludes), (names::ATTRIBUTES, &pins.attributes)] {
                draft.edits.push(TreeEdit::Put { path: file.to_owned(), bytes: bytes.clone() });
            }
            state.proved = false;
            if state.stand.cycle <= 1 || state.home.base.is_empty() {
                state.home.base = head.commit.as_ref().map(ToString::to_string).unwrap_or_default();
            }
            state.home.worktree = self.store.worktree_name();
            let bytes = state::write_lines(persons.iter().map(String::as_str)).into_bytes();
            draft.edits.push(TreeEdit::Put { path: names::PERSONS.to_owned(), bytes });
            draft.edits.push(TreeEdit::Put { path: TOUCHED.to_owned(), bytes: Vec::new() });
            if state.stand.entry.from.is_idle() && state.stand.shelved.is_empty() {
                let opened = self.opened_dirs(chain)?;
                let bytes = state::write_lines(opened.iter().map(String::as_str)).into_bytes();
                draft.edits.push(TreeEdit::Put { path: names::SCOPE.to_owned(), bytes });
                state.cost = state::Cost::default();
            }
        }
        if let Toward::Forward { add_cycle: Some(why), .. } = toward {
            draft.edits.push(super::runs::add_cycle(state, judged.at.1, why));
        }
        self.measure(chain, state, &mut draft)?;
        Ok(Ok(draft))
    }

    /// The row of a state, as [`Seed::row`] gives it for a focused job.
    pub(super) fn row_of(&self, state: &State) -> &Phase {
        state.stand.row(self.map(&state.stand), self.rules.idle == crate::rules::Idle::Closed)
    }

    /// Gives up the focus of a job that is completed and idle; a prompt that waited becomes the
    /// next job, and then the closed one is put away.
    fn close(&self, focused: &Focused) -> Result<Option<Focused>> {
        self.store.clear_focus()?;
        self.store.journal().restart(None)?;
        let born = self.bear_what_waited(focused)?;
        self.put_away(&focused.state.job.id)?;
        Ok(born)
    }

    fn bear_what_waited(&self, focused: &Focused) -> Result<Option<Focused>> {
        let Some(n) = focused.state.job.kept_prompt else { return Ok(None) };
        let mut kept = self.kept_prompts(focused, n)?.into_iter();
        let Some(first) = kept.next() else { return Ok(None) };
        let driver = focused.state.driver.clone();
        let born = self.bear_from_prompt(&first, &driver, self.track_of(&first.text))?;
        for more in kept {
            let subject = "words for the job";
            self.add_interaction(&born.chain, more.kind, &more.text, Word::read(&more.provenance), subject)?;
        }
        let born = self.require_focused()?;
        self.open_lane(born).map(Some)
    }
}

impl Seed {
    /// The prompts that a closing job keeps for the next one, from the `n`-th on; short
    /// words said meanwhile did their work already.
    fn kept_prompts(&self, focused: &Focused, n: u32) -> Result<Vec<Interaction>> {
        let mut kept = Vec::new();
        for n in n..=focused.state.job.interactions {
            let bytes = self.store.file(&focused.tip, &names::interaction(n))?.unwrap_or_default();
            let Some(read) = Interaction::read(&String::from_utf8_lossy(&bytes)) else { continue };
            let bears = match shortword::read(&read.text) {
                None => true,
                Some((ShortWord::Pause | ShortWord::Off | ShortWord::Approve(_), _)) => false,
                Some((_, rest)) => !rest.is_empty(),
            };
            if read.kind == InteractionKind::Prompt && bears {
                kept.push(read);
            }
        }
        Ok(kept)
    }
}

/// What a step leaves behind, apart.
struct Taken {
    focused: Focused,
    trailers: StepTrailers,
}

impl From<super::steps::Taken> for Taken {
    fn from(taken: super::steps::Taken) -> Self {
        Self { focused: taken.focused, trailers: taken.trailers }
    }
}

fn step_name(from: &str, step: Option<&Move>) -> String {
    match step {
        None => "checkpoint".to_owned(),
        Some(Move::Forward(to) | Move::Back(to) | Move::Up { to, .. }) => format!("{from} -> {to}"),
        Some(Move::Aside) => format!("{from} -> gmode"),
        Some(Move::Return) => "gmode exit".to_owned(),
    }
}

fn vetoed(failed: CommitFailed) -> SeedError {
    match failed {
        CommitFailed::Refused { output, by_hook } => {
            let hook = by_hook.map(|hook| format!(" (the {hook} hook)")).unwrap_or_default();
            SeedError::Vetoed { hook, output }
        }
        CommitFailed::Busy(what) => {
            SeedError::Usage(format!("a {what} is under way; finish or abort it first"))
        }
        CommitFailed::Store(error) => error.into(),
    }
}

/// `1 path`, `2 paths`.
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
