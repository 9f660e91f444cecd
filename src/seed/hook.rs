//! Answers one event of a host.
//!
//! Before a tool: gather, judge, answer; a call that passes writes nothing, but for what the
//! fence keeps of its look before one that may write. After it: one journal line, and the
//! tree fence after a shell call. What breaks in here never
//! refuses by accident: the act goes ahead, loudly, to the person. Only state that is
//! there and does not hold makes writes and code wait, with the command that mends it.

use super::byhand::ByHand;
use super::fence::Aftermath;
use super::looks::Window;
use super::prints::Compared;
use super::questions::Heard;
use super::sessions::Word;
use super::shortwords::Spoken;
use super::steps::{By, Draft, Fold};
use super::storms::{self, Storm};
use super::{Focused, Result, Seed, SeedError};
use super::{pacing, rulings};
use crate::claims::Ran;
use crate::event::{Act, Actor, Event, Kind, Outcome, ToolCall};
use crate::format::interaction::{self, Interaction};
use crate::format::journal::{Counts, Refused, What};
use crate::format::names;
use crate::format::state::{Driver, State};
use crate::hosts::{Answer, Host};
use crate::jobs::questions::Grant;
use crate::jobs::routing::{self, InteractionKind, Route};
use crate::jobs::shortword;
use crate::jobs::summary::words_said;
use crate::jobs::{Job, Status};
use crate::phases::activity::Left;
use crate::phases::gates;
use crate::phases::guard::{self, Scene};
use crate::phases::pacing::Deed;
use crate::phases::place::Place;
use crate::phases::stop::{self, Turn};
use crate::rules::{ClaimMode, Prompts};
use crate::shell::{self, Program};
use crate::store::TreeEdit;
use crate::verdict::{Refusal, Verdict};
use crate::{voice, world};

/// Stops in a row that are refused before the turn is let go.
const STOPS: u32 = 3;
/// The most characters of a prompt that are kept with a job.
const PROMPT: usize = 256 * 1024;

impl Seed {
    /// Answers `event`.
    pub fn answer(&self, host: &Host, event: &Event) -> Answer {
        if !self.is_on() {
            return self.heard_while_off(host, event).unwrap_or_else(|error| self.in_trouble(event, &error));
        }
        let answered = match &event.kind {
            Kind::Before(call) => self.before(host, event, call),
            Kind::After { call, outcome } => {
                let given = as_given(call);
                self.after(host, event, given.as_ref().unwrap_or(call), outcome)
            }
            Kind::Prompt { text, automation } => self
                .prompt(host, event, text, *automation)
                .and_then(|answer| self.prompted(event, text, answer)),
            Kind::SessionStart { source } => self.session_start(event, source).map(|answer| {
                let context = merged(answer.context, self.word_on_notes(host));
                Answer { context, ..answer }
            }),
            Kind::SessionEnd { .. } => self.session_end(event),
            Kind::Stop { waiting, commands, .. } => {
                self.commands_ended(event, *commands).and_then(|()| {
                    // First: a stop that is let go may close what tests belong to.
                    let tests = self.tests_of_turn(host, event, *waiting);
                    // What goes wrong with them lets no turn go.
                    let tests = tests.unwrap_or_else(|error| Some(format!("git seed: tests: {error}")));
                    let answer = self.stop(event, *waiting)?;
                    Ok(Answer { to_person: merged(tests, answer.to_person), ..answer })
                })
            }
            Kind::SubagentStart { id, agent } => self.subagent(|counts| counts.activity.began(id, agent)),
            Kind::SubagentStop { id, agent, .. } => self.subagent_ends(event, id, agent).and_then(|answer| {
                if answer.refuse.is_none() {
                    self.attest_subagent(event, id, agent)?;
                }
                Ok(answer)
            }),
            Kind::Compact { done: false } => self
                .keep_standing(event)
                .and_then(|()| self.before_compaction(event))
                .map(|told| match told {
                    Some(told) => Answer::to_person(told),
                    None => Answer::silence(),
                }),
            Kind::Compact { done: true } | Kind::Other => Ok(Answer::silence()),
        };
        answered.unwrap_or_else(|error| self.in_trouble(event, &error))
    }

    /// What is answered when git seed itself could not.
    fn in_trouble(&self, event: &Event, error: &SeedError) -> Answer {
        let told = format!("git seed: {error}");
        let refusal = Refusal::broken("state", error);
        match &event.kind {
            _ if !error.is_damage() => {
                let focused = self.focused().ok().flatten();
                let _ = self.note(focused.as_ref(), |line| line.what = What::Trouble);
                Answer::to_person(format!("{told}\nhint: git seed doctor"))
            }
            Kind::Before(call) if !guard::looks(&call.act) => Answer::refuse(voice::say(&refusal, "").text()),
            Kind::Stop { .. } => Answer::refuse(voice::say(&refusal, "").text()),
            Kind::Before(_) => Answer::silence(),
            _ => Answer::to_person(format!("{told}\nhint: git seed doctor --fix")),
        }
    }

    fn before(&self, host: &Host, event: &Event, call: &ToolCall) -> Result<Answer> {
        // A call without a name is a broken payload, not an act.
        if call.tool.is_empty() {
            return Ok(Answer::silence());
        }
        let focused = self.focused_at_opening()?;
        if focused.is_none() && !self.is_seeded()? {
            return Ok(Answer::silence());
        }
        let focused = focused.as_ref();
        let guest = focused.is_some_and(|focused| self.is_guest(focused, event));
        let scene = self.scene(host, event, call, focused, guest);
        let verdict = journal_holds(focused, call).and_then(|()| guard::judge(&scene));
        if let Err(refusal) = verdict {
            return self.refuse(focused, event, call, &scene, &refusal);
        }
        let focused = focused.filter(|_| !guest);
        let answer = self.pass(event, call, &scene, focused)?;
        self.look_first(event, call, answer.rewrite.is_some(), focused);
        Ok(answer)
    }

    fn refuse(
        &self,
        focused: Option<&Focused>,
        event: &Event,
        call: &ToolCall,
        scene: &Scene<'_>,
        refusal: &Refusal,
    ) -> Result<Answer> {
        let phase = scene.phase.name.as_str();
        let mut text = self.say(focused, refusal, phase);
        let words = count_words(&text);
        let mut storm = Storm::default();
        // A no stays a no where its line cannot be written: a full disk opens nothing.
        let _ = self.note(focused, |line| {
            line.what = What::Refused;
            line.session.clone_from(&event.session);
            line.tool.clone_from(&call.tool);
            line.call.clone_from(&call.id);
            line.paths = scene.call.changes.iter().map(|change| change.path.clone()).collect();
            if let (true, Some((path, _))) = (line.paths.is_empty(), &scene.call.read) {
                line.paths.push(path.clone());
            }
            line.refusal = Some(Refused::of(refusal, phase));
            line.counts.refusals += 1;
            line.counts.words += words;
            storm = storms::refused(&mut line.counts, refusal, phase);
            storm.is_news = storms::is_news(&mut line.counts);
        });
        if let Some(example) = &storm.example {
            text = format!("{text}\n{example}");
        }
        let to_person = storm.is_news.then(|| storms::line(refusal, phase));
        Ok(Answer { to_person, ..Answer::refuse(text) })
    }

    /// Keeps a refusal of a command for `why`. Gives an example where the same one came
    /// again and again; the person hears of it at the next event.
    pub fn remember_refusal(&self, focused: Option<&Focused>, refusal: &Refusal) -> Result<Option<String>> {
        let phase = self.row(focused).name.to_string();
        let words = count_words(&self.say(focused, refusal, &phase));
        let mut storm = Storm::default();
        self.note(focused, |line| {
            line.what = What::Refused;
            line.refusal = Some(Refused::of(refusal, &phase));
            line.counts.refusals += 1;
            line.counts.words += words;
            storm = storms::refused(&mut line.counts, refusal, &phase);
        })?;
        Ok(storm.example)
    }

    /// A call that passes: silence, but for what has to be remembered or granted.
    fn pass(
        &self,
        event: &Event,
        call: &ToolCall,
        scene: &Scene<'_>,
        focused: Option<&Focused>,
    ) -> Result<Answer> {
        let mut to_person = None;
        let mut context = None;
        if let (ClaimMode::Advise, Some(focused)) = (self.rules.claims, focused)
            && let Some(refusal) = self.lacks_ruling(call, &scene.call.changes, focused)
        {
            context = self.advise(&event.session, focused, &refusal)?;
        }
        if let (Act::Ask(questions), Some(focused), Actor::Main) = (&call.act, focused, &event.by)
            && let Ok(admitted) = self.ask(questions, self.row(Some(focused)), Some(focused))
            && let Some(asked) = admitted.into_iter().find(|one| one.row.decides())
        {
            self.note(Some(focused), |line| {
                line.what = What::Asked;
                line.session.clone_from(&event.session);
                line.tool.clone_from(&call.tool);
                line.call.clone_from(&call.id);
                line.paths = super::questions::asked(&asked);
            })?;
            if asked.row.grants == Grant::Complete {
                to_person = Some(self.seen_of(focused)?);
            }
        }
        if let (Act::Delegate { agent, prompt }, Some(focused)) = (&call.act, focused) {
            let bound = self.dispatch(focused, agent, prompt)?.ok().flatten();
            let note = bound.map(|bound| (bound.note, bound.times)).unwrap_or_default();
            self.note(Some(focused), |line| {
                line.what = What::Launched;
                line.session.clone_from(&event.session);
                line.tool.clone_from(&call.tool);
                line.call.clone_from(&call.id);
                line.counts.activity.launched(call, agent, note, self.now);
            })?;
        }
        if let Act::Shell { command, background: false, .. } = &call.act
            && is_own_command(command)
        {
            return Ok(Answer { rewrite: self.proving_line(event, call), ..Answer::grant() });
        }
        let rewrite = self.confined_line(event, call, focused);
        Ok(Answer { context, to_person, rewrite, ..Answer::silence() })
    }

    fn after(&self, host: &Host, event: &Event, call: &ToolCall, outcome: &Outcome) -> Result<Answer> {
        let own = storms::speaks_to_seed(call);
        // First: what is asked from here on is none of the call's time.
        let window = self.end_of(event, call, outcome);
        let Some(focused) = self.focused()? else {
            let prints = self.prints_after(event, call, window.as_ref(), None)?;
            if !own {
                self.calm_without_focus()?;
            }
            return Ok(Answer { to_person: prints.to_person(), ..Answer::silence() });
        };
        if focused.since.is_err() {
            return Ok(Answer::silence());
        }
        let known = self.known_tree(&focused);
        let Came { after, plan_edits, places, lines, prints, by_hand, context } =
            self.what_came(host, event, call, outcome, window.as_ref(), &focused)?;
        let context = merged(context, self.word_on_knowledge(&focused, call, &places));
        let context = merged(context, self.word_on_checks(call, outcome, &places));
        let context = merged(context, self.word_on_tests(&focused, event));
        let context = merged(context, if plan_edits > 0 { self.word_on_plan(&focused) } else { None });
        let mut news = false;
        // A read leaves no trace among the paths that a boundary commits.
        let looked = matches!(call.act, Act::Read { .. });
        // A command that fails has run all the same: what it showed may be written down.
        let ran = outcome.ok || matches!(call.act, Act::Shell { .. });
        // Nor is what a guest looks at any work of the session that drives.
        let guest = self.is_guest(&focused, event);
        let counted = event.by == Actor::Main && ran && !guest;
        let mut deeds = if counted { self.deeds(&focused, call, &places) } else { Vec::new() };
        if counted && !matches!(call.act, Act::Edit(_)) && after.page_edits > 0 {
            deeds.push(Deed::Page);
        }
        let spends = self.row(Some(&focused)).pace.as_ref().map_or(&[][..], |pace| &pace.spends);
        let kept = self.kept_of_call(host, event, call, outcome, (&after, &places, known), &focused)?;
        let (gauge, filling) = if guest { (None, None) } else { self.filling(&focused, event) };
        let context = merged(context, filling);
        let words = context.as_deref().map_or(0, count_words);
        let acts = !matches!(call.act, Act::Read { .. } | Act::Search { .. } | Act::Housekeeping);
        self.note(Some(&focused), |line| {
            line.what = if looked { What::Looked } else { What::After };
            line.session.clone_from(&event.session);
            line.tool.clone_from(&call.tool);
            line.call.clone_from(&call.id);
            let counts = &mut line.counts;
            counts.calls += 1;
            counts.words += words;
            counts.gauge = gauge.or(counts.gauge);
            counts.page_edits += after.page_edits;
            counts.plan_edits += plan_edits;
            if counted {
                counts.plan_reads += u32::from(looked && read_plan(&places));
                if only_seed(&call.act, counts.calls == 1) {
                    counts.own += u32::try_from(deeds.len()).unwrap_or(u32::MAX);
                }
                counts.activity.count(&call.act, &deeds, &places, spends);
            }
            let left = Left { outcome, changed: after.changed, late: after.late, places: &places };
            counts.activity.prove(&call.act, &left, pacing::tells);
            counts.tree = kept.tree.or(counts.tree.take());
            rulings::count(counts, &focused.state.gate, after.moved, lines);
            (line.ran, line.opened, line.source) = (kept.receipt, kept.opened, kept.source);
            if matches!(call.act, Act::Delegate { .. }) {
                counts.activity.returned(call, outcome);
            }
            if matches!(&call.act, Act::Shell { background, .. } if *background || outcome.background)
                && !guest
            {
                counts.activity.detached(call);
            }
            line.paths = after.paths;
            line.strays = after.strays;
            line.unclaimed = after.unclaimed;
            line.prints.clone_from(&prints.strays);
            if acts && !guest {
                counts.stops = 0;
            }
            if own {
                // A boundary's refusal reaches the person with the end of its command.
                news = storms::is_news(counts);
            } else {
                storms::calm(counts);
            }
        })?;
        let context = merged(context, self.note_reminder(&focused, call, outcome, &places)?);
        let to_person = if news { self.storm_line(&focused)? } else { None };
        let committed = (!by_hand.is_empty()).then(|| format!("git seed: {}", by_hand.join("\n")));
        let told: Vec<String> = prints.to_person().into_iter().chain(to_person).chain(committed).collect();
        let to_person = (!told.is_empty()).then(|| told.join("\n"));
        if let Act::Schedule { text } = &call.act {
            self.note(Some(&focused), |line| {
                line.what = What::Scheduled;
                line.call = text_hash(text);
            })?;
        }
        if let Act::Ask(_) = &call.act {
            return self.after_question(host, event, call, outcome, context);
        }
        Ok(Answer { context, to_person, ..Answer::silence() })
    }

    /// What the journal keeps of a call besides its counts.
    fn kept_of_call(
        &self,
        host: &Host,
        event: &Event,
        call: &ToolCall,
        outcome: &Outcome,
        (after, places, known): (&Aftermath, &[(String, Place)], Option<String>),
        focused: &Focused,
    ) -> Result<KeptOfCall> {
        let opens = outcome.ok && !self.is_guest(focused, event);
        let shown: Vec<String> = places.iter().filter(|_| opens).map(|(path, _)| path.clone()).collect();
        let receipt = self.receipt(event, call, outcome, (after, known), focused)?;
        // What an edit tool changed is seen by the fence's next look only.
        let edited = matches!(call.act, Act::Edit(_)).then(String::new);
        Ok(KeptOfCall {
            tree: receipt.as_ref().map(|ran| self.seen_tree(ran)).or(edited),
            receipt,
            opened: if opens { self.opened_by(call, event, &shown) } else { Vec::new() },
            source: self.source_of(host, call),
        })
    }

    /// Looks at what a call left behind: its files, what the fence finds, the fingerprints.
    fn what_came(
        &self,
        host: &Host,
        event: &Event,
        call: &ToolCall,
        outcome: &Outcome,
        window: Option<&Window>,
        focused: &Focused,
    ) -> Result<Came> {
        let prints = self.prints_after(event, call, window, Some(focused))?;
        let mut context = None;
        let mut by_hand = ByHand::default();
        let mut after = Aftermath::default();
        let mut plan_edits = 0;
        let mut places = self.places(host, event, call, focused);
        let mut lines = if outcome.ok { self.lines_of_work(call, &places, focused) } else { None };
        match &call.act {
            Act::Edit(_) if outcome.ok => {
                // A page that says what it said at the last boundary was not updated.
                places.retain(|(path, place)| {
                    !matches!(place, Place::Page { .. }) || self.says_something_new(focused, path)
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
                let since = self.read_since(focused)?;
                after = self.after_shell(focused, &since, window)?;
                after.strays.retain(|stray| !prints.strays.contains(stray));
                lines = after.late.then_some(0);
                context = self.name_changes(focused, &after);
                by_hand = self.commits_of_call(focused, window)?;
            }
            _ => {}
        }
        let told = if by_hand.by_call { by_hand.commits.as_slice() } else { &[] };
        let told = self.name_paths(focused, "commit", told);
        context = merged(context, told);
        let context = self.with_prints(focused, &prints, context);
        Ok(Came { after, plan_edits, places, lines, prints, by_hand: by_hand.commits, context })
    }

    /// Compares the fingerprints after a call that may have run code, or that wrote to what
    /// no tool writes to.
    fn prints_after(
        &self,
        event: &Event,
        call: &ToolCall,
        window: Option<&Window>,
        focused: Option<&Focused>,
    ) -> Result<Compared> {
        let mut edited = Vec::new();
        let may = match &call.act {
            Act::Shell { .. } | Act::Foreign { .. } | Act::Unknown => true,
            Act::Edit(files) => files.iter().any(|file| {
                let state = focused.map(|focused| &focused.state);
                let resolved = self.resolve(&file.path, &event.cwd, state, &[]);
                edited.push(resolved.real);
                matches!(resolved.place, Place::Surface { .. } | Place::Git | Place::Outside)
            }),
            _ => false,
        };
        if !may || !self.is_seeded()? {
            return Ok(Compared::default());
        }
        // What cannot be compared must not cost the journal its line.
        Ok(self
            .compare_prints(focused, &event.session, window, &edited)
            .unwrap_or_else(|error| Compared { trouble: Some(error.to_string()), ..Compared::default() }))
    }

    /// What the agent is told of a call, and of the fingerprints that it changed.
    fn with_prints(&self, focused: &Focused, prints: &Compared, told: Option<String>) -> Option<String> {
        let case = if prints.stuck { "print-person" } else { "print-shell" };
        let named = self.name_paths(focused, case, &prints.strays);
        let all: Vec<String> = told.into_iter().chain(named).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// The files of a call, and where they lie.
    fn places(&self, host: &Host, event: &Event, call: &ToolCall, focused: &Focused) -> Vec<(String, Place)> {
        let place = |path: &std::path::Path| {
            let resolved = self.place(host, event, path, Some(focused));
            (resolved.shown, resolved.place)
        };
        match &call.act {
            Act::Edit(files) => files.iter().map(|file| place(&file.path)).collect(),
            Act::Read { path } => vec![place(path)],
            _ => Vec::new(),
        }
    }

    fn says_something_new(&self, focused: &Focused, page: &str) -> bool {
        let before = focused.state.fence.tree.parse();
        before.map_or(true, |before| self.is_still_changed(&before, page))
    }

    /// A subagent begins or ends.
    fn subagent(&self, change: impl FnOnce(&mut Counts)) -> Result<Answer> {
        if let Some(focused) = self.focused()? {
            self.note(Some(&focused), |line| {
                line.what = What::Launched;
                change(&mut line.counts);
            })?;
        }
        Ok(Answer::silence())
    }

    fn after_question(
        &self,
        host: &Host,
        event: &Event,
        call: &ToolCall,
        outcome: &Outcome,
        context: Option<String>,
    ) -> Result<Answer> {
        Ok(match self.hear_answers(host, event, call, &outcome.answers)? {
            Heard::Kept => context.map_or_else(Answer::silence, Answer::context),
            Heard::Done(text) => Answer::context(format!("git seed: {text}.")),
            Heard::NotCounted(why) => {
                let text = format!("git seed: {why}.");
                Answer { to_person: Some(text.clone()), ..Answer::context(text) }
            }
        })
    }

    /// Names what changed outside the fence, at once: by a shell call, and by nobody known.
    fn name_changes(&self, focused: &Focused, after: &Aftermath) -> Option<String> {
        let told = [
            self.name_paths(focused, "shell", &after.strays),
            self.name_paths(focused, "unclaimed", &after.unclaimed),
        ];
        told.into_iter().flatten().reduce(|all, more| format!("{all}\n{more}"))
    }

    /// One notice about `paths`: it has happened, and what follows from it.
    fn name_paths(&self, focused: &Focused, case: &str, paths: &[String]) -> Option<String> {
        let first = paths.first()?;
        let refusal = gates::changed(case, first);
        let said = voice::say(&refusal, self.row(Some(focused)).name.as_str());
        let more = match paths.len() {
            1 => String::new(),
            n => format!("\nAlso: {}", paths[1..n.min(6)].join(", ")),
        };
        Some(said.text().replacen("BLOCKED", "NOTICED", 1) + &more)
    }

    /// No more than `commands` of the background are under way, the host says.
    fn commands_ended(&self, event: &Event, commands: u32) -> Result<()> {
        let Some(focused) = self.focused()? else { return Ok(()) };
        let running = focused.since.as_ref().map_or(0, |counts| counts.activity.running.len());
        let over = running.saturating_sub(commands as usize);
        if over > 0 && !self.is_guest(&focused, event) {
            self.note(Some(&focused), |line| {
                line.what = What::Launched;
                line.session.clone_from(&event.session);
                let running = &mut line.counts.activity.running;
                running.drain(..over.min(running.len()));
            })?;
        }
        Ok(())
    }

    /// A text that the host wrote itself tells of a background command that it names.
    fn command_told(&self, focused: &Focused, text: &str) -> Result<()> {
        let told = |call: &String| !call.is_empty() && text.contains(call.as_str());
        if focused.since.as_ref().is_ok_and(|counts| counts.activity.running.iter().any(told)) {
            self.note(Some(focused), |line| {
                line.what = What::Launched;
                line.counts.activity.running.retain(|call| !told(call));
            })?;
        }
        Ok(())
    }

    fn session_start(&self, event: &Event, source: &str) -> Result<Answer> {
        if !self.is_seeded()? {
            return Ok(Answer::silence());
        }
        self.require_seeded()?;
        self.begin_session(event)?;
        let Some(focused) = self.focused()? else { return self.good_morning() };
        if focused.state.is_small_talk() {
            return Ok(Answer::silence());
        }
        let guest = self.is_guest(&focused, event);
        if guest {
            return Ok(Answer::context(
                "git seed: another session drives the job in this worktree; here you may look and answer.",
            ));
        }
        self.note(Some(&focused), |line| {
            line.what = What::Session;
            line.session.clone_from(&event.session);
            source.clone_into(&mut line.tool);
            // What was read is out of mind after a clear; subagents ended with their session.
            line.counts.activity.settle();
            line.counts.activity.flights.clear();
            line.counts.activity.running.clear();
            super::compact::begins(&mut line.counts, super::compact::gauge(&focused), source, self.now);
        })?;
        let told = self.wake_text(&focused, source == "resume");
        let mut text = format!("git seed: a job is under way.\n{told}");
        if let Some(filling) = self.filling_at_start(&focused, event)? {
            text = format!("{text}{filling}\n");
        }
        self.count_injected(&focused, &text)?;
        Ok(Answer::context(text))
    }

    /// Counts words that are put before the agent.
    pub fn count_injected(&self, focused: &Focused, text: &str) -> Result<()> {
        let words = count_words(text);
        self.note(Some(focused), |line| {
            line.what = What::After;
            "session".clone_into(&mut line.tool);
            line.counts.words += words;
        })
    }

    /// Small talk ends with its session; anything that began goes on with the next one.
    fn session_end(&self, event: &Event) -> Result<Answer> {
        if !self.is_seeded()? {
            return Ok(Answer::silence());
        }
        let focused = self.focused()?.filter(|_| self.is_own_session(event));
        if focused.as_ref().is_some_and(|focused| focused.state.driver.session == event.session) {
            self.commands_ended(event, 0)?;
        }
        if let Some(focused) = focused.filter(|focused| focused.state.driver.session == event.session)
            && focused.state.is_small_talk()
            && focused.state.job.status == Status::Active
        {
            self.void(&focused, "the session ended before the work began")?;
        }
        self.end_session(event)?;
        Ok(Answer::silence())
    }

    /// Parks a job for good and gives up its focus.
    fn void(&self, focused: &Focused, why: &str) -> Result<()> {
        let now = self.now;
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            let draft = Draft::new(state, "void", why, By::Hook);
            state.job.become_(Status::Voided, now).map_err(|bad| SeedError::Usage(bad.to_string()))?;
            Ok(Ok(draft))
        })?;
        if taken.is_ok() {
            self.store.clear_focus()?;
            self.store.journal().restart(None)?;
            self.put_away(&focused.state.job.id)?;
        }
        Ok(())
    }

    fn prompt(&self, host: &Host, event: &Event, text: &str, automation: bool) -> Result<Answer> {
        if !self.is_seeded()? {
            return Ok(Answer::silence());
        }
        self.require_seeded()?;
        let word = self.word(host, event)?;
        let focused = self.focused()?;
        if let Some(focused) = &focused {
            focused.since.clone()?;
        }
        let guest = focused.as_ref().is_some_and(|focused| self.is_guest(focused, event));
        if let Some(focused) = focused.as_ref().filter(|_| automation && !guest) {
            self.command_told(focused, text)?;
        }
        let scheduled = focused.as_ref().is_some_and(|focused| self.was_scheduled(focused, text));
        let person = word.is_somebody() && !automation && !scheduled && event.by == Actor::Main;
        let text: String = text.chars().take(PROMPT).collect();
        if let Some((short, rest)) = shortword::read(&text).filter(|_| person)
            && !self.was_ever_scheduled(&text)?
        {
            let spoken = Spoken { event, text: &text, word, guest };
            return self.short_word(&spoken, &short, rest, focused.as_ref());
        }
        if guest {
            return Ok(Answer::silence());
        }
        self.route_prompt(event, text, word, person, focused.as_ref())
    }

    /// A prompt in the session that drives goes its ordinary way.
    pub(super) fn route_prompt(
        &self,
        event: &Event,
        text: String,
        word: Word,
        person: bool,
        focused: Option<&Focused>,
    ) -> Result<Answer> {
        let job = focused.map(|focused| &focused.state.job);
        let closing = focused.is_some_and(|focused| focused.state.is_closing());
        let route = routing::route(&text, person, job, closing);
        let driver = Driver { host: event.host.to_owned(), session: event.session.clone() };
        match (route, focused) {
            (Route::Bear, _) => {
                let interaction = self.as_prompt(text, word);
                let born = self.bear_from_prompt(&interaction, &driver, self.rules.maps.home_name())?;
                let told = "git seed: this prompt is a new job. You may look and answer freely; before the first change run git seed phase advance.";
                self.count_injected(&born, told)?;
                Ok(Answer::context(told))
            }
            (Route::Append(kind), Some(focused)) => {
                self.add_prompt(&focused.chain, kind, &text, word)?;
                if person {
                    self.take_over(&focused.chain, &driver)?;
                }
                Ok(Answer::silence())
            }
            (Route::Keep, Some(focused)) => {
                self.keep_prompt(focused, &text, word)?;
                Ok(Answer::context(
                    "git seed: the finished job is still closing; this prompt becomes the next job once git seed phase advance has closed the cycle.",
                ))
            }
            _ => Ok(Answer::silence()),
        }
    }

    /// A person's prompt, to be kept.
    pub(super) fn as_prompt(&self, text: String, word: Word) -> Interaction {
        let provenance = word.text().to_owned();
        let text = self.kept_of(&text);
        Interaction { kind: InteractionKind::Prompt, at: self.now, provenance, text }
    }

    /// What a job keeps of a prompt.
    pub(super) fn kept_of(&self, text: &str) -> String {
        match self.rules.prompts {
            Prompts::Text => text.to_owned(),
            Prompts::Hash => interaction::unworded(text),
        }
    }

    /// Logs a prompt by hash and length, and tells the agent what waited for it.
    fn prompted(&self, event: &Event, text: &str, mut answer: Answer) -> Result<Answer> {
        if !self.is_seeded()? {
            return Ok(answer);
        }
        let focused = self.focused()?;
        self.note(focused.as_ref(), |line| {
            line.what = What::Prompt;
            line.session.clone_from(&event.session);
            line.call = text_hash(text);
            line.length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        })?;
        if let Some(focused) = focused.filter(|_| answer.refuse.is_none())
            && let Some(told) = self.word_on_tests(&focused, event)
        {
            self.count_injected(&focused, &told)?;
            answer.context = merged(answer.context, Some(told));
        }
        Ok(answer)
    }

    /// The agent itself gave this text to a scheduling tool, so no person wrote it.
    pub(super) fn was_scheduled(&self, focused: &Focused, text: &str) -> bool {
        let hash = text_hash(text);
        let since = self.read_since(focused).unwrap_or_default();
        focused.state.scheduled.contains(&hash) || since.scheduled().any(|known| known == hash)
    }

    /// A job is born from a person's prompt: active, focused, in idle, cycle 0 of `track`.
    pub fn bear_from_prompt(&self, prompt: &Interaction, driver: &Driver, track: &str) -> Result<Focused> {
        let salt = format!("{}{}{}", driver.session, prompt.text, self.store.worktree_name());
        let mut id = world::new_job_id(self.now, &salt);
        for n in 1..100 {
            if !self.knows(&id)? {
                break;
            }
            id = world::new_job_id(self.now, &format!("{salt}{n}"));
        }
        let job = Job::from_prompt(id, &prompt.text, self.now);
        let subject = format!("\"{}\"", job.name);
        let mut state = State::new(job, track, &self.store.worktree_name());
        state.driver = driver.clone();
        state.summed.heard(1, words_said(&prompt.text), self.rules.summary);
        let bytes = prompt.write().into_bytes();
        let edits = vec![TreeEdit::Put { path: names::interaction(1), bytes }];
        Ok(self.bear(state, &subject, By::Person, edits, true)?.focused)
    }

    fn keep_prompt(&self, focused: &Focused, text: &str, word: Word) -> Result<()> {
        self.add_interaction(&focused.chain, InteractionKind::Prompt, text, word, "words for the next job")?;
        let step = self.step(&focused.chain, Fold::In, |state, _| {
            // The first one bears the job; close() gives it the ones that came after.
            let n = state.job.interactions;
            state.job.kept_prompt.get_or_insert(n);
            Ok(Ok(Draft::new(state, "keep", "the prompt waits for idle", By::Hook)))
        })?;
        debug_assert!(step.is_ok(), "keeping words is never refused");
        Ok(())
    }

    /// The session whose person speaks drives the job from now on.
    pub(super) fn take_over(&self, chain: &str, driver: &Driver) -> Result<()> {
        let Some(focused) = self.focused()? else { return Ok(()) };
        if focused.state.driver == *driver {
            return Ok(());
        }
        let step = self.step(chain, Fold::In, |state, _| {
            state.driver = driver.clone();
            Ok(Ok(Draft::new(state, "driver", "another session drives the job", By::Person)))
        })?;
        debug_assert!(step.is_ok(), "a driver is never refused");
        Ok(())
    }

    /// Another session drives the job, and its host still runs.
    pub(super) fn is_guest(&self, focused: &Focused, event: &Event) -> bool {
        let driver = &focused.state.driver.session;
        !driver.is_empty() && !event.session.is_empty() && *driver != event.session && self.is_live(driver)
    }

    fn stop(&self, event: &Event, waiting: u32) -> Result<Answer> {
        let Some(focused) = self.focused()? else { return self.stop_without_focus(event) };
        focused.since.clone()?;
        let state = &focused.state;
        if waiting > 0 || self.is_guest(&focused, event) {
            return Ok(Answer::silence());
        }
        let turn = Turn {
            row: self.row(Some(&focused)),
            job: state.job.name.as_str(),
            talk: state.is_small_talk(),
            open: state.job.status.is_open(),
            closing: state.is_closing(),
        };
        match stop::may_end(&turn) {
            Ok(()) => self.last_words(&focused, event),
            Err(refusal) => self.keep_on(&focused, event, &refusal),
        }
    }

    /// The turn may end; its last words may still speak of what it did not open.
    fn last_words(&self, focused: &Focused, event: &Event) -> Result<Answer> {
        let Some(refusal) = self.ungrounded(event, focused)?.filter(|_| event.by == Actor::Main) else {
            return Ok(Answer::silence());
        };
        if self.rules.claims == ClaimMode::Enforce {
            return self.keep_on(focused, event, &refusal);
        }
        // A stop has no room for a word to the agent: the person hears it, once in a session.
        let told = self.advise(&event.session, focused, &refusal)?;
        let path = refusal.facts.get("path").unwrap_or_default();
        let told = told
            .map(|_| format!("git seed: the answer speaks of {path}, which was not opened in this turn."));
        Ok(told.map_or_else(Answer::silence, Answer::to_person))
    }

    /// The job that rests in this worktree and waits: pending, or with its last cycle open.
    pub(super) fn waiting_here(&self) -> Result<Option<Focused>> {
        let here = self.store.worktree_name();
        let rests = |state: &State| state.job.status == Status::Pending || state.is_closing();
        let waits = |job: &Focused| rests(&job.state) && self.waits_in(&job.state, &here);
        let mut waiting: Vec<Focused> = self.jobs()?.into_iter().filter(waits).collect();
        // One that waits for nobody is named first.
        let mut free = None;
        for (at, job) in waiting.iter().enumerate() {
            if self.unmet(&job.state)?.is_empty() {
                free = Some(at);
                break;
            }
        }
        Ok((!waiting.is_empty()).then(|| waiting.swap_remove(free.unwrap_or(0))))
    }

    /// Without a focus, a job that rests in this worktree still waits.
    fn stop_without_focus(&self, _event: &Event) -> Result<Answer> {
        if !self.is_seeded()? {
            return Ok(Answer::silence());
        }
        let Some(job) = self.waiting_here()? else { return Ok(Answer::silence()) };
        if self.loose_stops() >= STOPS {
            return Ok(Answer::to_person(format!(
                "git seed: job \"{}\" is still pending here.",
                job.state.job.name
            )));
        }
        let refusal = stop::waits(&job.state.job.name, job.state.job.id.as_str());
        let text = voice::say(&refusal, "idle").text();
        self.note(None, |line| {
            line.what = What::Kept;
            line.counts.stops += 1;
            line.refusal = Some(Refused::of(&refusal, "idle"));
        })?;
        Ok(Answer::refuse(text))
    }

    /// Stops refused in a row while no job is focused.
    fn loose_stops(&self) -> u32 {
        use crate::format::journal::Linked;
        let lines = self.store.journal().all().unwrap_or_default();
        let last = lines.last().and_then(|line| Linked::read(line).ok());
        last.filter(|last| last.line.base.is_empty()).map_or(0, |last| last.line.counts.stops)
    }

    /// Refuses the stop, or yields after the third in a row without work in between.
    fn keep_on(&self, focused: &Focused, event: &Event, refusal: &Refusal) -> Result<Answer> {
        let stops = focused.since.as_ref().map_or(0, |counts| counts.stops);
        let phase = focused.state.stand.phase.as_str();
        if stops >= STOPS {
            return self.hand_off(focused, refusal);
        }
        let text = self.say(Some(focused), refusal, phase);
        let words = count_words(&text);
        self.note(Some(focused), |line| {
            line.what = What::Kept;
            line.session.clone_from(&event.session);
            line.refusal = Some(Refused::of(refusal, phase));
            line.counts.activity.landed(0);
            line.counts.stops += 1;
            line.counts.refusals += 1;
            line.counts.words += words;
        })?;
        Ok(Answer::refuse(text))
    }

    /// Lets the turn end with the work open, and leaves a hand-off for whoever comes next.
    fn hand_off(&self, focused: &Focused, refusal: &Refusal) -> Result<Answer> {
        let said = voice::say(refusal, focused.state.stand.phase.as_str());
        let step = self.step(&focused.chain, Fold::In, |state, _| {
            let text = format!(
                "# Hand-off\n\nThe turn ended in {}, cycle {}, with the job open.\n\nNext: {}\n",
                state.stand.phase, state.stand.cycle, said.do_
            );
            let path = format!("summaries/hand-off-{}.md", state.steps + 1);
            let put = TreeEdit::Put { path, bytes: text.into_bytes() };
            Ok(Ok(Draft::new(state, "yield", "the turn ended with the job open", By::Hook).with(put)))
        })?;
        debug_assert!(step.is_ok(), "a hand-off is never refused");
        Ok(Answer::to_person(format!(
            "git seed: the turn ends although \"{}\" is open in {}. A hand-off is kept: git seed status",
            focused.state.job.name, focused.state.stand.phase
        )))
    }
}

/// The plan document of the job is among the files of a read.
fn read_plan(places: &[(String, Place)]) -> bool {
    places.iter().any(|(_, place)| matches!(place, Place::Plan { own: true }))
}

/// What the agent is told of both.
fn merged(one: Option<String>, other: Option<String>) -> Option<String> {
    one.into_iter().chain(other).reduce(|one, other| format!("{one}\n{other}"))
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
struct Came {
    after: Aftermath,
    plan_edits: u32,
    /// Its files, and where they lie.
    places: Vec<(String, Place)>,
    /// Lines of the work that it changed; absent where it changed none of it.
    lines: Option<u32>,
    prints: Compared,
    /// Commits that came while it ran and that git seed did not make, in words.
    by_hand: Vec<String>,
    /// What the agent is told of it.
    context: Option<String>,
}

/// The call with the line that the agent gave, where the hook had put it into another.
fn as_given(call: &ToolCall) -> Option<ToolCall> {
    let Act::Shell { command, cwd, background } = &call.act else { return None };
    let std::borrow::Cow::Owned(command) = shell::unwrapped(&world::own_binary().to_string_lossy(), command)
    else {
        return None;
    };
    let act = Act::Shell { command, cwd: cwd.clone(), background: *background };
    Some(ToolCall { tool: call.tool.clone(), id: call.id.clone(), act })
}

/// The journal must hold before anything is written or run.
fn journal_holds(focused: Option<&Focused>, call: &ToolCall) -> Verdict {
    let trouble = focused.and_then(|focused| focused.since.as_ref().err());
    guard::journal_holds(trouble.map(|trouble| trouble as &dyn std::fmt::Display), &call.act)
}

/// True for a shell call that gives commands of git seed and nothing else. The call that
/// prepared the side lane, the first to end after that step, may have held more.
fn only_seed(act: &Act, first: bool) -> bool {
    let Act::Shell { command, .. } = act else { return false };
    let found = shell::read(command).found;
    let is_prep = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        words.windows(2).any(|pair| pair == ["gmode", "prep"])
    };
    let prepared = first && found.iter().any(|found| found.seed && is_prep(&found.part));
    prepared || (!found.is_empty() && found.iter().all(|found| found.seed))
}

/// A single literal command of git seed that is the agent's, and that runs this very binary.
fn is_own_command(command: &str) -> bool {
    let Some(seed) = shell::seed_command(command) else { return false };
    let own = world::own_binary();
    match seed.program {
        Program::Path(path) => std::fs::canonicalize(path).is_ok_and(|path| path == own),
        Program::Bare | Program::GitSeed => world::on_path("git-seed").is_some_and(|path| path == own),
    }
}

/// What a scheduled text is known by.
pub(super) fn text_hash(text: &str) -> String {
    crate::format::short_hash(text.trim().as_bytes(), 16)
}

pub(super) fn count_words(text: &str) -> u32 {
    u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX)
}
