//! Gathers what guards may look at, for one tool call. Reads only.

use std::path::Path;

use super::paths::Resolved;
use super::{Focused, Seed};
use crate::event::{Act, Change, Event, FileEdit, ToolCall};
use crate::format::names;
use crate::hosts::Host;
use crate::jobs::questions::{self, Admitted, Moment};
use crate::jobs::shortword;
use crate::memory::edit;
use crate::memory::scope::Scope;
use crate::phases::gates::PlanStanding;
use crate::phases::guard::{Call, FileChange, Lost, Scene};
use crate::phases::message::Message;
use crate::phases::place::Place;
use crate::phases::{Class, Map, Phase, Stand, Write};
use crate::rules::ClaimMode;
use crate::shell::{self, Effect};
use crate::verdict::Refusal;

/// The longest file that a page edit is simulated on, in bytes.
const LONGEST_PAGE: u64 = 16 * 1024 * 1024;

impl Seed {
    /// The row that judges `focused`, or the row for nobody's work.
    pub fn row(&self, focused: Option<&Focused>) -> &Phase {
        match focused {
            Some(focused) => self.row_of(&focused.state),
            None => self.rules.maps.home().none(),
        }
    }

    /// The map that `stand` walks on.
    pub fn map(&self, stand: &Stand) -> &Map {
        self.rules.maps.get(&stand.track)
    }

    /// The scene of `call`.
    pub fn scene<'a>(
        &'a self,
        host: &Host,
        event: &'a Event,
        call: &'a ToolCall,
        focused: Option<&'a Focused>,
        guest: bool,
    ) -> Scene<'a> {
        let phase = if guest { self.rules.maps.home().none() } else { self.row(focused) };
        let stand = focused.map(|focused| &focused.state.stand);
        Scene {
            anchors: self.rules.maps.anchors(),
            phase,
            cycle: stand.map_or(0, |stand| stand.cycle),
            by: &event.by,
            dial_set: stand.is_some_and(|stand| stand.entry.multiplier.is_some()),
            page: self.rules.page_name(),
            guest,
            stay: focused.map(|focused| self.stay(focused)).unwrap_or_default(),
            delegates: host.delegates(),
            unsummed: focused.is_some_and(|focused| super::summary::is_wanted(&focused.state)),
            room: focused.filter(|_| !guest).map(|focused| self.room(focused, event)).unwrap_or_default(),
            away: focused.and_then(|focused| self.away(focused)),
            call: self.call(host, event, call, phase, focused),
        }
    }

    /// The branch where the job lives, when HEAD is elsewhere.
    pub fn away<'a>(&self, focused: &'a Focused) -> Option<&'a str> {
        let home = focused.state.home.branch.as_str();
        if home.is_empty() || focused.state.stand.is_talk() {
            return None;
        }
        let here = self.store.branch().ok()?.unwrap_or_default();
        (here != home).then_some(home)
    }

    fn call<'a>(
        &self,
        host: &Host,
        event: &Event,
        call: &'a ToolCall,
        phase: &Phase,
        focused: Option<&Focused>,
    ) -> Call<'a> {
        let mut out = Call {
            tool: &call.tool,
            classes: Vec::new(),
            read: None,
            changes: Vec::new(),
            own_state: None,
            persons: None,
            moves: None,
            git_verb: None,
            confinable: false,
            question: None,
            dispatch: None,
            unproven: None,
        };
        let place = |path: &Path| self.place(host, event, path, focused);
        let one = |class: Class| vec![(class, call.tool.clone())];
        match &call.act {
            Act::Read { path } => {
                let resolved = place(path);
                out.classes = one(Class::Read);
                out.read = Some((resolved.shown, resolved.place));
            }
            Act::Search { path } => {
                out.classes = one(Class::Search);
                out.read = path.as_deref().map(place).and_then(|found| match found.place {
                    Place::OwnState => Some((found.shown, found.place)),
                    _ => None,
                });
            }
            Act::Web { .. } => out.classes = one(Class::Web),
            Act::Edit(files) => {
                out.classes = one(Class::Edit);
                let scope = self.scope_for(phase, focused);
                let changes = |file: &FileEdit| self.changes(place(&file.path), file, &scope, focused);
                out.changes = files.iter().flat_map(changes).collect();
            }
            Act::Shell { command, cwd, .. } => {
                self.shell(host, event, command, cwd.as_deref(), phase, focused, &mut out);
            }
            Act::Delegate { agent, prompt } => {
                out.classes = one(Class::Delegate);
                // Where the pages do not read, no launch can be for a note of theirs.
                out.dispatch = focused.and_then(|focused| match self.dispatch(focused, agent, prompt) {
                    Ok(bound) => bound.err(),
                    Err(error) => Some(Refusal::broken("state", &error)),
                });
            }
            Act::Ask(questions) => {
                out.classes = one(Class::Ask);
                out.question = self.ask(questions, phase, focused).err();
            }
            Act::Housekeeping => out.classes = one(Class::Housekeeping),
            Act::Schedule { text } => {
                out.classes = one(Class::Schedule);
                // No tool makes a person's short word.
                out.persons =
                    shortword::read(text).map(|(word, _)| format!("a prompt that begins with {word}"));
            }
            Act::Foreign { server } if self.is_own_server(host, server, &call.tool) => {
                out.classes = one(Class::Seed);
            }
            Act::Foreign { .. } => out.classes = one(Class::Foreign),
            Act::Unknown => out.classes = one(Class::Unknown),
        }
        if self.rules.claims == ClaimMode::Enforce {
            out.unproven = focused.and_then(|focused| self.lacks_ruling(call, &out.changes, focused));
        }
        out
    }

    /// Where a path of `event` lies.
    pub fn place(&self, host: &Host, event: &Event, path: &Path, focused: Option<&Focused>) -> Resolved {
        self.resolve(path, &event.cwd, focused.map(|focused| &focused.state), &host.memory)
    }

    /// The declared directories, read only where the phase asks for them.
    fn scope_for(&self, phase: &Phase, focused: Option<&Focused>) -> Scope {
        let asks = phase.write.iter().any(|write| matches!(write, Write::Scope | Write::ScopedPage));
        focused.filter(|_| asks).map(|focused| self.scope(focused)).unwrap_or_default()
    }

    /// The declared directories of the cycle, and what a person opened beside them.
    pub fn scope(&self, focused: &Focused) -> Scope {
        let lines = |file| {
            let bytes = self.store.file(&focused.tip, file).ok().flatten().unwrap_or_default();
            let lines = crate::format::state::read_lines(&bytes);
            lines.into_iter().map(|line| self.composed(line)).collect::<Vec<String>>()
        };
        let mut scope: Scope = lines(names::SCOPE).iter().map(|line| from_line(line)).collect();
        for line in lines(names::ALLOWED) {
            match line.strip_suffix('/') {
                Some(dir) => drop(scope.declare(from_line(dir))),
                None => scope.open(line),
            }
        }
        scope
    }

    /// The change of a file, and of every other name that it is known to have: a hard link
    /// carries it to places that may not change.
    fn changes(
        &self,
        resolved: Resolved,
        file: &FileEdit,
        scope: &Scope,
        focused: Option<&Focused>,
    ) -> Vec<FileChange> {
        let twins = self.twins(&resolved, focused.map(|focused| &focused.state));
        let (place, given) = (resolved.place.clone(), resolved.shown.clone());
        let mut changes = vec![self.change(resolved, file, scope, focused)];
        for twin in twins.into_iter().filter(|twin| twin.place != place) {
            let mut change = self.change(twin, file, scope, focused);
            change.path = format!("{} (a hard link to {given})", change.path);
            changes.push(change);
        }
        changes
    }

    /// True when `place` is in scope, or `path` follows a source in scope: what a tool
    /// rewrites beside the work. The disk is asked for candidates only.
    pub fn is_declared(&self, path: &str, place: &Place, scope: &Scope) -> bool {
        let companions = self.rules.companions();
        let follows = || {
            let holds = |dir: &str, name: &str| super::paths::holds(self.store.work_tree(), dir, name);
            companions.is_candidate(path) && companions.follows(path, scope.dirs(), holds)
        };
        declared(path, place, scope) || (matches!(place, Place::Project { .. }) && follows())
    }

    fn change(
        &self,
        resolved: Resolved,
        file: &FileEdit,
        scope: &Scope,
        focused: Option<&Focused>,
    ) -> FileChange {
        let own_plan = resolved.place == Place::Plan { own: true };
        let page = matches!(resolved.place, Place::Page { .. }).then(|| self.page_change(&resolved, file));
        let lost =
            page.is_some().then(|| focused.and_then(|focused| self.page_loss(&resolved, file, focused)));
        let work = self.rules.claims != ClaimMode::Off && resolved.place.is_direct(&resolved.shown);
        let lines = if work { super::rulings::lines_of(&file.change, &resolved.real) } else { 0 };
        FileChange {
            declared: self.is_declared(&resolved.shown, &resolved.place, scope),
            path: resolved.shown,
            place: resolved.place,
            exists: resolved.exists,
            missed: focused
                .is_some_and(|focused| own_plan && self.plan_standing(focused) == PlanStanding::Missing),
            page: page.flatten(),
            lost: lost.flatten(),
            lines,
        }
    }

    /// What an edit would take from the footers of a page, where they are condensed.
    fn page_loss(&self, resolved: &Resolved, file: &FileEdit, focused: &Focused) -> Option<Lost> {
        if !self.row(Some(focused)).measures || !resolved.exists {
            return None;
        }
        let old = String::from_utf8(super::paths::bytes_of(&resolved.real).ok()?).ok()?;
        let new = edit::apply(Some(&old), &file.change).ok()?.unwrap_or_default();
        let page = self.cycle_page(focused, &resolved.shown, &resolved.real);
        let loss = self.would_lose(focused, page.as_deref().unwrap_or_default(), &old, &new)?;
        Some(Lost { what: loss.what, line: loss.line, note: loss.note, elsewhere: page.is_none() })
    }

    fn page_change(&self, resolved: &Resolved, file: &FileEdit) -> Option<crate::event::PageChange> {
        if file.change == Change::Opaque {
            return None;
        }
        let long = resolved.real.metadata().is_ok_and(|data| data.len() > LONGEST_PAGE);
        let current = if resolved.exists && !long {
            Some(String::from_utf8(super::paths::bytes_of(&resolved.real).ok()?).ok()?)
        } else if long {
            return None;
        } else {
            None
        };
        Some(edit::judge(current.as_deref(), &file.change, &self.rules.maps.anchors()))
    }

    #[expect(clippy::too_many_arguments, reason = "the pieces of one event, read once")]
    fn shell(
        &self,
        host: &Host,
        event: &Event,
        command: &str,
        cwd: Option<&Path>,
        phase: &Phase,
        focused: Option<&Focused>,
        out: &mut Call<'_>,
    ) {
        let reading = shell::read(command);
        let scope = self.scope_for(phase, focused);
        let cwd = cwd.unwrap_or(&event.cwd);
        let confines = self.confines(event, phase, &reading);
        for found in &reading.found {
            let class = class_of(found);
            // Confined it can change nothing that a phase keeps, so it looks.
            let looks = (confines || found.confined) && phase.confined.contains(&class);
            out.classes.push((if looks { Class::ShellRead } else { class }, found.part.clone()));
            if found.persons && out.persons.is_none() {
                out.persons = Some(found.part.clone());
            }
            if found.seed && !found.looks && out.moves.is_none() {
                out.moves = Some(found.part.clone());
            }
            if found.own_state && out.own_state.is_none() {
                out.own_state = Some(found.part.clone());
            }
            if let Some(git) = found.git.as_ref().filter(|_| found.effect == Effect::GitWrite) {
                out.git_verb.get_or_insert_with(|| git.verb.clone());
            }
            if matches!(found.effect, Effect::Write | Effect::Network | Effect::RunsCode) {
                for path in &found.paths {
                    let state = focused.map(|focused| &focused.state);
                    // A trailing slash means somewhere below: judged as a file of that directory.
                    let below = path.strip_suffix('/').map(|dir| format!("{dir}/*"));
                    let path = below.as_ref().unwrap_or(path);
                    let resolved = self.resolve(Path::new(path), cwd, state, &host.memory);
                    let file = FileEdit { path: path.into(), change: Change::Opaque };
                    out.changes.extend(self.changes(resolved, &file, &scope, focused));
                }
            }
        }
        out.confinable = self.is_confinable(phase, &out.classes);
        // A writer that the phase does not open at all says so by its act, not by its place.
        if !phase.opens(Class::ShellWrite) {
            out.changes.retain(|change| {
                matches!(change.place, Place::OwnState | Place::Git | Place::Surface { .. })
            });
        }
    }

    /// Whether these acts would all be open if the kernel confined them, and are not now.
    fn is_confinable(&self, phase: &Phase, classes: &[(Class, String)]) -> bool {
        let mut closed =
            classes.iter().map(|(class, _)| class).filter(|class| !phase.opens(**class)).peekable();
        closed.peek().is_some()
            && closed.all(|class| phase.confined.contains(class))
            && crate::confine::check().is_ok()
    }

    /// Checks the questions of one call; those that are let through, where any of them counts.
    pub fn ask<'q>(
        &self,
        questions: &'q [crate::event::Question],
        phase: &Phase,
        focused: Option<&Focused>,
    ) -> Result<Vec<Admitted<'q>>, Refusal> {
        let decides = |question: &crate::event::Question| {
            questions::Registered::of(&question.text).is_some_and(questions::Registered::decides)
        };
        // Where the notes and footers stand is read from disk, and only where it is asked about.
        let asks = questions.iter().any(decides);
        // Other jobs matter to the question for completion alone.
        let closes = |question: &crate::event::Question| {
            questions::Registered::of(&question.text)
                .is_some_and(|row| row.grants == questions::Grant::Complete)
        };
        let closes = questions.iter().any(closes);
        let admitted = questions::admit(questions, &self.moment(phase, focused, asks, closes))?;
        if let ([one], Some(focused)) = (admitted.as_slice(), focused) {
            self.lock_may_open(one.row.grants, one.name, focused)?;
        }
        Ok(admitted)
    }

    /// What decides whether `focused` could be completed now.
    pub(super) fn completion_moment<'a>(&'a self, focused: &'a Focused) -> Moment<'a> {
        self.moment(self.row(Some(focused)), Some(focused), true, true)
    }

    fn moment<'a>(
        &'a self,
        phase: &'a Phase,
        focused: Option<&'a Focused>,
        asks: bool,
        closes: bool,
    ) -> Moment<'a> {
        let lane = focused.and_then(|focused| self.map(&focused.state.stand).lane.as_ref());
        Moment {
            job: focused.map(|focused| &focused.state.job),
            admits: &phase.questions,
            stage: focused.filter(|_| asks).map_or("", |focused| self.condense_stage(focused)),
            eligible: focused.filter(|_| asks).is_some_and(|focused| self.eligible(focused)),
            prepared: focused.is_some_and(|focused| self.is_prepared(focused)),
            fewest: lane.map(|lane| lane.question),
            waits: focused.filter(|_| closes).and_then(|focused| self.held_up(&focused.state)),
            unseen: if closes { self.unseen_jobs() } else { Vec::new() },
            section: |text, title| Message::new(text).section(title),
        }
    }
}

/// A directory as a line of the `scope` file; the root is written as a dot.
pub fn to_line(dir: &str) -> String {
    if dir.is_empty() { ".".to_owned() } else { dir.to_owned() }
}

pub(super) fn from_line(line: &str) -> String {
    if line == "." { String::new() } else { line.to_owned() }
}

/// True when the directory of `place` is declared, or its file at `path` open by itself.
pub fn declared(path: &str, place: &Place, scope: &Scope) -> bool {
    match place {
        Place::Page { dir } => scope.declares(dir),
        Place::Project { dir } => scope.declares(dir) || scope.holds(path),
        _ => false,
    }
}

fn class_of(found: &shell::Found) -> Class {
    match found.effect {
        _ if found.seed && !found.persons => Class::Seed,
        Effect::Read => Class::ShellRead,
        Effect::RunsCode => Class::ShellCode,
        Effect::Write => Class::ShellWrite,
        Effect::GitWrite => Class::ShellGit,
        Effect::Network => Class::ShellNetwork,
        Effect::Outward => Class::ShellOutward,
        Effect::Unknown => Class::ShellUnknown,
    }
}
