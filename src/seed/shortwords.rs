//! What a person's short word does, before the agent reads the prompt that it heads.
//!
//! The prompt hook alone comes here, and only with a prompt that it found to be a
//! person's: no command and no tool leads to any of this. Each word is kept with the job
//! as it was said, and the person hears in one line what it did.

use std::path::Path;

use super::boundary::Toward;
use super::questions::Heard;
use super::scene::{from_line, to_line};
use super::sessions::Word;
use super::steps::{By, Draft, Fold, TOUCHED};
use super::{Focused, Result, Seed};
use crate::event::{Actor, Event, Kind};
use crate::format::names;
use crate::format::state::{self, Driver, State};
use crate::hosts::{Answer, Host};
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword::{self, ShortWord};
use crate::jobs::{JobId, Status};
use crate::memory::scope::Scope;
use crate::phases::Write;
use crate::phases::place::Place;
use crate::rules::Unattended;
use crate::store::TreeEdit;
use crate::{jobs::questions, voice};

/// The track of the small lane.
const QUICK: &str = "quick";

/// A person's prompt as it came in.
pub struct Spoken<'a> {
    pub event: &'a Event,
    pub text: &'a str,
    pub word: Word,
    /// It was said in a session that does not drive the job.
    pub guest: bool,
}

impl Spoken<'_> {
    fn driver(&self) -> Driver {
        Driver { host: self.event.host.to_owned(), session: self.event.session.clone() }
    }
}

/// What a word did: a line for the person, and a fact for the agent where it matters.
struct Told {
    person: String,
    agent: Option<String>,
}

impl Told {
    fn person(text: impl Into<String>) -> Self {
        Self { person: text.into(), agent: None }
    }

    fn both(person: impl Into<String>, agent: impl Into<String>) -> Self {
        Self { person: person.into(), agent: Some(agent.into()) }
    }

    /// The answer that says this, and then what became of the words behind it.
    fn before(self, answer: Answer) -> Answer {
        let said = format!("git seed: {}", self.person);
        let agent = self.agent.map(|agent| format!("git seed: {agent}"));
        let joined = |first: Option<String>, then: Option<String>| match (first, then) {
            (Some(first), Some(then)) => Some(format!("{first}\n{then}")),
            (first, then) => first.or(then),
        };
        Answer {
            context: joined(agent, answer.context),
            to_person: joined(Some(said), answer.to_person),
            ..answer
        }
    }

    fn alone(self) -> Answer {
        self.before(Answer::silence())
    }
}

/// What became of a wish for the small lane.
pub enum Lane {
    /// A job was born on it.
    Born(Box<Focused>),
    /// The focused job, which had not begun, walks it now.
    Switched,
    /// Not now, for this reason.
    Closed(String),
}

impl Seed {
    /// Acts on the short word at the head of a person's prompt, and hands the prompt on.
    pub(super) fn short_word(
        &self,
        spoken: &Spoken<'_>,
        short: &ShortWord,
        rest: &str,
        focused: Option<&Focused>,
    ) -> Result<Answer> {
        if spoken.guest
            && let Some(focused) = focused
            && matches!(
                short,
                ShortWord::Quick | ShortWord::Allow(_) | ShortWord::Pause | ShortWord::Approve(None)
            )
        {
            let name = &focused.state.job.name;
            let told = format!("another session drives \"{name}\"; {short} counts here after [JOIN].");
            return Ok(Told::person(told).alone());
        }
        match short {
            ShortWord::Quick => self.quick_word(spoken, rest, focused),
            ShortWord::Allow(paths) => self.allow_word(spoken, paths, rest, focused),
            ShortWord::Pause => self.pause_word(spoken, focused),
            ShortWord::Off => self.off_word(spoken, rest, focused),
            ShortWord::On => {
                let told = Told::person("it is on already.");
                self.hand_on(spoken, rest, focused).map(|answer| told.before(answer))
            }
            ShortWord::Approve(None) => self.approve_word(spoken, focused),
            ShortWord::Approve(Some(job)) => self.approve_other(spoken, job, focused),
            ShortWord::Join => self.join_word(spoken, rest, focused),
        }
    }

    /// The one word that is heard while discipline is off.
    pub(super) fn heard_while_off(&self, host: &Host, event: &Event) -> Result<Answer> {
        let Kind::Prompt { text, automation: false } = &event.kind else { return Ok(Answer::silence()) };
        let Some((ShortWord::On, rest)) = shortword::read(text) else { return Ok(Answer::silence()) };
        if event.by != Actor::Main || !self.is_seeded()? {
            return Ok(Answer::silence());
        }
        self.require_seeded()?;
        let word = self.word(host, event)?;
        if !word.is_somebody() || self.was_ever_scheduled(text)? {
            return Ok(Answer::silence());
        }
        self.switch_on()?;
        let focused = self.focused()?;
        let guest = focused.as_ref().is_some_and(|focused| self.is_guest(focused, event));
        let spoken = Spoken { event, text, word, guest };
        let told = match &focused {
            Some(focused) if !guest && !focused.state.stand.is_talk() => {
                let agent = format!("git seed is on again in this worktree.\n{}", self.entry_text(focused));
                self.count_injected(focused, &agent)?;
                Told::both("on again; what changed meanwhile counts as yours.", agent)
            }
            _ => Told::person("on again; what changed meanwhile counts as yours."),
        };
        self.hand_on(&spoken, rest, focused.as_ref()).map(|answer| told.before(answer))
    }

    /// Some job's agent gave this text to a scheduling tool, whichever job is focused now.
    pub(super) fn was_ever_scheduled(&self, text: &str) -> Result<bool> {
        let open = self.jobs()?.iter().any(|job| self.was_scheduled(job, text));
        Ok(open || self.closed_scheduled(&super::hook::text_hash(text))?)
    }

    /// The words behind a short word go where a prompt goes. Without any, the prompt is
    /// kept with the job and bears nothing.
    fn hand_on(&self, spoken: &Spoken<'_>, rest: &str, focused: Option<&Focused>) -> Result<Answer> {
        if spoken.guest {
            return Ok(Answer::silence());
        }
        let open = focused.is_some_and(|focused| focused.state.job.status.is_open());
        if rest.is_empty() && !open {
            if let Some(focused) = focused {
                self.keep_word(spoken, focused)?;
            }
            return Ok(Answer::silence());
        }
        self.route_prompt(spoken.event, spoken.text.to_owned(), spoken.word, true, focused)
    }

    /// Keeps the whole prompt with a job.
    fn keep_word(&self, spoken: &Spoken<'_>, job: &Focused) -> Result<()> {
        self.add_interaction(&job.chain, InteractionKind::Prompt, spoken.text, spoken.word, "a short word")
    }

    fn quick_word(&self, spoken: &Spoken<'_>, rest: &str, focused: Option<&Focused>) -> Result<Answer> {
        if rest.is_empty() && focused.is_none_or(|focused| !focused.state.job.status.is_open()) {
            let told = "[QUICK] stands before what is to be done: [QUICK] fix the typo in README.md";
            return Ok(Told::person(told).alone());
        }
        match self.begin_quick(spoken, focused)? {
            Lane::Born(born) => {
                let agent =
                    format!("this prompt is a new job on the small lane.\n{}", self.entry_text(&born));
                self.count_injected(&born, &agent)?;
                Ok(Told::both("a small job; it asks you once, at its end.", agent).alone())
            }
            Lane::Switched => {
                let now = self.focused()?;
                let opens = now.as_ref().map(|now| self.entry_text(now)).unwrap_or_default();
                let agent = format!("the person put this job on the small lane.\n{opens}");
                let told = Told::both("the job goes the small lane.", agent);
                self.hand_on(spoken, rest, now.as_ref().or(focused)).map(|answer| told.before(answer))
            }
            Lane::Closed(why) => {
                let told = Told::person(format!("[QUICK] is not possible now: {why}"));
                self.hand_on(spoken, rest, focused).map(|answer| told.before(answer))
            }
        }
    }

    /// Bears the prompt's job on the small lane, or moves a job there that has not begun.
    pub fn begin_quick(&self, spoken: &Spoken<'_>, focused: Option<&Focused>) -> Result<Lane> {
        let closed = |why: String| Ok(Lane::Closed(why));
        if !self.rules.maps.names().contains(&QUICK) {
            return closed("there is no track `quick` among the maps of this git-seed.".to_owned());
        }
        let Some(focused) = focused.filter(|focused| focused.state.job.status.is_open()) else {
            if focused.is_some_and(|focused| focused.state.is_closing()) {
                return closed(
                    "the finished job is still closing; the next one goes the small lane.".to_owned(),
                );
            }
            let prompt = self.as_prompt(spoken.text.to_owned(), spoken.word);
            let born = self.bear_from_prompt(&prompt, &spoken.driver(), QUICK)?;
            return Ok(Lane::Born(Box::new(self.open_lane(born)?)));
        };
        let stand = &focused.state.stand;
        if stand.track == QUICK {
            return closed("the job goes the small lane already.".to_owned());
        }
        if !stand.phase.is_idle() {
            return closed(format!("\"{}\" is under way in {}.", focused.state.job.name, stand.phase));
        }
        let switched = self.step(&focused.chain, Fold::In, |state, _| {
            QUICK.clone_into(&mut state.stand.track);
            Ok(Ok(Draft::new(state, "track", "the job goes the small lane", By::Person)))
        })?;
        debug_assert!(switched.is_ok(), "a person's track is never refused");
        if let Ok(switched) = switched {
            self.open_lane(switched.focused)?;
        }
        Ok(Lane::Switched)
    }

    /// The prompt opens the first phase of a lane.
    pub(super) fn open_lane(&self, job: Focused) -> Result<Focused> {
        if self.map(&job.state.stand).lane.is_none() {
            return Ok(job);
        }
        let on = Toward::Forward { to: None, add_cycle: None, scope: Vec::new() };
        Ok(match self.cross(&on, &job.state.job.name, By::Person)? {
            Ok(crossed) => crossed.focused,
            // Away from home or in the middle of a merge: the first step is the agent's, later.
            Err(_) => job,
        })
    }

    /// The track that a person's kept prompt asks for.
    pub(super) fn track_of(&self, prompt: &str) -> &str {
        match shortword::read(prompt) {
            Some((ShortWord::Quick, _)) if self.rules.maps.names().contains(&QUICK) => QUICK,
            _ => self.rules.maps.home_name(),
        }
    }

    fn allow_word(
        &self,
        spoken: &Spoken<'_>,
        paths: &[String],
        rest: &str,
        focused: Option<&Focused>,
    ) -> Result<Answer> {
        if paths.is_empty() {
            let told = Told::person("[ALLOW] names what it opens: [ALLOW src/main.rs docs/]");
            return self.hand_on(spoken, rest, focused).map(|answer| told.before(answer));
        }
        let open = |focused: &&Focused| focused.state.job.status.is_open();
        if let Some(focused) = focused.filter(open) {
            let told = self.allow(spoken, focused, paths)?;
            return self.hand_on(spoken, rest, Some(focused)).map(|answer| told.before(answer));
        }
        // The prompt bears the job that the paths are opened for.
        let answer = self.hand_on(spoken, rest, focused)?;
        let told = match self.focused()?.as_ref().filter(open) {
            Some(born) => self.allow(spoken, born, paths)?,
            None => Told::person("[ALLOW] opened nothing: no job is under way here."),
        };
        Ok(told.before(answer))
    }

    /// Opens `paths` for the cycle; what may not be opened is told with its reason.
    fn allow(&self, spoken: &Spoken<'_>, focused: &Focused, paths: &[String]) -> Result<Told> {
        let mut lines: Vec<String> = Vec::new();
        let mut kept_shut = Vec::new();
        for path in paths {
            match self.place_to_open(path, &spoken.event.cwd, &focused.state) {
                Ok(line) => lines.push(line),
                Err(why) => kept_shut.push(format!("{path} ({why})")),
            }
        }
        let shut = kept_shut.join(", ");
        if lines.is_empty() {
            return Ok(Told::person(format!("opened nothing: {shut}.")));
        }
        self.widen(&focused.chain, &lines)?;
        let opened = lines.join(", ");
        let map = self.map(&focused.state.stand);
        let writes = map.phases().find(|row| row.write.contains(&Write::Scope));
        let here = self.row(Some(focused)).write.contains(&Write::Scope);
        let effect = match writes {
            Some(row) if !here => format!("; {} may write there", row.name),
            _ => String::new(),
        };
        let but = if shut.is_empty() { String::new() } else { format!("; not opened: {shut}") };
        let agent = format!("the person opened {opened} until this cycle is closed{effect}.");
        self.count_injected(focused, &agent)?;
        Ok(Told::both(format!("opened {opened} until this cycle is closed{effect}{but}."), agent))
    }

    /// The line of the list that `written` means, or why it stays shut.
    fn place_to_open(&self, written: &str, cwd: &Path, state: &State) -> std::result::Result<String, String> {
        let top = self.store.work_tree();
        let is_there = |base: &Path| base.join(written).symlink_metadata().is_ok();
        let base = if !is_there(top) && is_there(cwd) { cwd } else { top };
        let found = self.resolve(Path::new(written), base, Some(state), &[]);
        let no = |why: &str| Err(why.to_owned());
        match &found.place {
            _ if written.starts_with('~') => no("it lies outside the work tree"),
            Place::Outside | Place::HostMemory | Place::Scratch => no("it lies outside the work tree"),
            Place::Git => no("only git writes there"),
            Place::OwnState => no("it is git seed's own state"),
            Place::Surface { .. } => no("it governs the agent, so only you change it"),
            Place::Page { dir } => Err(format!("a page goes with its directory: [ALLOW {}]", to_line(dir))),
            Place::Knowledge | Place::AgentDefinition | Place::Plan { .. } | Place::JobFile => {
                no("it is memory, which has its own phases")
            }
            Place::Project { .. } if found.real.is_dir() || (written.ends_with('/') && !found.exists) => {
                Ok(format!("{}/", to_line(&found.shown)))
            }
            Place::Project { .. } if !found.exists && written.contains(['*', '?']) => {
                no("it is a pattern; name each path")
            }
            Place::Project { .. } => Ok(found.shown),
        }
    }

    /// Adds `lines` to what is open. Changes of the agent's that lie there now belong to
    /// its work, and no longer stand outside the fence.
    fn widen(&self, chain: &str, lines: &[String]) -> Result<()> {
        let mut allowed = self.lines(chain, names::ALLOWED)?;
        allowed.extend(lines.iter().cloned());
        let mut scope = self.lines(chain, names::SCOPE)?;
        let known = scope.len();
        scope.extend(lines.iter().filter_map(|line| line.strip_suffix('/')).map(str::to_owned));
        let mut open: Scope = scope[known..].iter().map(|line| from_line(line)).collect();
        lines.iter().filter(|line| !line.ends_with('/')).for_each(|file| open.open(file.as_str()));
        let touched_before = self.lines(chain, TOUCHED)?;
        let put = |path: &str, lines: &[String]| TreeEdit::Put {
            path: path.to_owned(),
            bytes: state::write_lines(lines.iter().map(String::as_str)).into_bytes(),
        };
        let widened = self.step(chain, Fold::In, |state, since| {
            let subject = format!("the person opened {}", lines.join(", "));
            let mut draft =
                Draft::new(state, "allow", subject, By::Person).with(put(names::ALLOWED, &allowed));
            if !state.stand.phase.is_idle() && scope.len() > known {
                draft = draft.with(put(names::SCOPE, &scope));
            }
            let (inside, strays) = state.fence.strays.drain(..).partition(|path| open.holds(path));
            let inside: Vec<String> = inside;
            state.fence.strays = strays;
            state.fence.unclaimed.retain(|unclaimed| !open.holds(&unclaimed.path));
            if !inside.is_empty() {
                let mut touched = touched_before.clone();
                touched.extend(since.touched().map(str::to_owned));
                touched.extend(inside);
                draft = draft.with(put(TOUCHED, &touched));
            }
            Ok(Ok(draft))
        })?;
        debug_assert!(widened.is_ok(), "a person's word is never refused");
        Ok(())
    }

    /// Directories that a person opened before the cycle began, as lines of the scope.
    pub(super) fn opened_dirs(&self, chain: &str) -> Result<Vec<String>> {
        let lines = self.lines(chain, names::ALLOWED)?;
        Ok(lines.iter().filter_map(|line| line.strip_suffix('/')).map(str::to_owned).collect())
    }

    fn pause_word(&self, spoken: &Spoken<'_>, focused: Option<&Focused>) -> Result<Answer> {
        let Some(focused) = focused else { return Ok(Told::person("no job is under way here.").alone()) };
        self.keep_word(spoken, focused)?;
        let job = &focused.state.job;
        if job.status != Status::Active {
            let told = format!("\"{}\" is {} and does not pause.", job.name, job.status.word());
            return Ok(Told::person(told).alone());
        }
        self.pause_job(By::Person)?;
        let person = format!("\"{}\" rests; git seed job activate {} goes on.", job.name, job.id);
        let agent = "the person paused the job. It waits where it stands, and the turn may end; until another prompt only looking and answering are open.";
        Ok(Told::both(person, agent).alone())
    }

    fn off_word(&self, spoken: &Spoken<'_>, rest: &str, focused: Option<&Focused>) -> Result<Answer> {
        if let Some(focused) = focused {
            self.keep_word(spoken, focused)?;
        }
        self.switch_off(if rest.is_empty() { "by prompt" } else { rest })?;
        let agent = "the person switched git seed off in this worktree; nothing is judged or recorded until they switch it on.";
        Ok(Told::both(
            "off in this worktree; a prompt with [ON], or git seed on, goes on where it stood.",
            agent,
        )
        .alone())
    }

    fn join_word(&self, spoken: &Spoken<'_>, rest: &str, focused: Option<&Focused>) -> Result<Answer> {
        let Some(job) = focused.filter(|_| spoken.guest) else {
            let told = match focused {
                Some(job) => format!("this session drives \"{}\" already.", job.state.job.name),
                None => "there is no job to join.".to_owned(),
            };
            return self.hand_on(spoken, rest, focused).map(|answer| Told::person(told).before(answer));
        };
        self.keep_word(spoken, job)?;
        self.take_over(&job.chain, &spoken.driver())?;
        let agent = format!(
            "the person gave this session the job; the one that drove it is a guest now.\n{}",
            self.entry_text(job)
        );
        self.count_injected(job, &agent)?;
        let person = format!("this session drives \"{}\" now; the other one is a guest.", job.state.job.name);
        Ok(Told::both(person, agent).alone())
    }

    fn approve_word(&self, spoken: &Spoken<'_>, focused: Option<&Focused>) -> Result<Answer> {
        let Some(job) = focused else {
            let waiting = self.awaiting()?;
            let told = match waiting.first() {
                Some(job) => format!(
                    "approved nothing: no job is focused. \"{}\" awaits you: [APPROVE] {}",
                    job.state.job.name, job.state.job.id
                ),
                None => "approved nothing: no job is focused here.".to_owned(),
            };
            return Ok(Told::person(told).alone());
        };
        self.keep_word(spoken, job)?;
        if let Some(told) = self.does_not_count(spoken.word) {
            return Ok(told.alone());
        }
        let moment = self.completion_moment(job);
        if let Some(refusal) = questions::too_soon(&moment) {
            let said = voice::say(&refusal, self.row(Some(job)).name.as_str());
            let person = format!("approved nothing yet: {}", said.why);
            let agent = format!("the person would approve the job, but {} Do: {}", said.why, said.do_);
            return Ok(Told::both(person, agent).alone());
        }
        Ok(match self.approve(&job.chain)? {
            Heard::Done(text) => {
                let name = &job.state.job.name;
                Told::both(format!("\"{name}\" is approved; the agent closes its cycle."), format!("{text}."))
            }
            Heard::NotCounted(why) => Told::both(format!("approved nothing: {why}"), why),
            Heard::Kept => Told::person("approved nothing."),
        }
        .alone())
    }

    fn approve_other(&self, spoken: &Spoken<'_>, written: &str, focused: Option<&Focused>) -> Result<Answer> {
        let job = written.parse::<JobId>().ok().and_then(|id| self.job(&id).ok());
        let Some(job) = job else {
            let told = format!("approved nothing: there is no job {written}; git seed job list shows them.");
            return Ok(Told::person(told).alone());
        };
        if focused.is_some_and(|focused| focused.chain == job.chain) {
            if spoken.guest {
                let told = "approved nothing: another session drives this job; start with [JOIN].";
                return Ok(Told::person(told).alone());
            }
            return self.approve_word(spoken, focused);
        }
        // A closed job takes no words any more; end_awaiting says what it is.
        if !job.archived {
            self.keep_word(spoken, &job)?;
        }
        if let Some(told) = self.does_not_count(spoken.word) {
            return Ok(told.alone());
        }
        let told = match self.end_awaiting(&job)? {
            Heard::Done(text) => text,
            Heard::NotCounted(why) => format!("approved nothing: {why}"),
            Heard::Kept => "approved nothing.".to_owned(),
        };
        Ok(Told::person(told).alone())
    }

    /// Why an approval of this provenance does not count, if it does not.
    fn does_not_count(&self, word: Word) -> Option<Told> {
        (word == Word::Unattended && self.rules.unattended == Unattended::Refuse).then(|| {
            Told::person(
                "nobody sat there, so the approval is kept but does not count; git seed job approve at a terminal does.",
            )
        })
    }
}
