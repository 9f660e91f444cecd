//! Judges one tool call inside a phase.
//!
//! Reads nothing and writes nothing: the caller brings the [`Scene`]. The same
//! call on the same scene always gets the same verdict, which is what lets a
//! host ask twice and a test ask a thousand times.

use super::git_acts::{GitAct, Ruling};
use super::home::Away;
use super::pacing::{Deed, Stay};
use super::place::{Lock, Place, SETTINGS};
use super::room::{Closed, Room};
use super::said_scope::Shut;
use super::secrets;
use super::{Class, FirstStep, Phase, PhaseKind, PhaseName, Reads, Write};
use crate::event::{Act, Actor, PageChange};
use crate::secrets::Line;
use crate::shell;
use crate::verdict::{Case, Refusal, STATE, Verdict, Wants};

/// Whom a guard binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binds {
    /// Everyone: fences.
    Everyone,
    /// The main session only: pacing and rituals.
    Main,
}

/// One guard: a name and a pure function.
pub struct Guard {
    pub name: &'static str,
    pub binds: Binds,
    check: fn(&Scene<'_>) -> Result<(), Refusal>,
}

/// Every guard there is, in the order they are asked.
pub const GUARDS: &[Guard] = &[
    Guard { name: "state", binds: Binds::Everyone, check: state_is_left_alone },
    Guard { name: "person", binds: Binds::Everyone, check: persons_commands_are_theirs },
    Guard { name: "driver", binds: Binds::Everyone, check: a_guest_only_looks },
    Guard { name: "subagent", binds: Binds::Everyone, check: a_subagent_takes_no_steps },
    Guard { name: "home", binds: Binds::Everyone, check: work_happens_at_home },
    Guard { name: "summary", binds: Binds::Main, check: the_instruction_is_summed_up },
    Guard { name: "git", binds: Binds::Everyone, check: a_person_answers_for_git },
    Guard { name: "question", binds: Binds::Main, check: questions_have_their_shape },
    Guard { name: "run", binds: Binds::Everyone, check: somebody_answers_for_it },
    Guard { name: "act", binds: Binds::Everyone, check: the_act_is_open },
    Guard { name: "reads", binds: Binds::Everyone, check: the_read_is_open },
    Guard { name: "place", binds: Binds::Everyone, check: the_place_is_open },
    Guard { name: "section", binds: Binds::Everyone, check: the_section_is_its_own },
    Guard { name: "dial", binds: Binds::Main, check: the_dial_is_set },
    Guard { name: "lane", binds: Binds::Everyone, check: the_work_stays_small },
    Guard { name: "room", binds: Binds::Main, check: there_is_room },
    Guard { name: "look-first", binds: Binds::Main, check: looking_comes_before_writing },
    Guard { name: "footer", binds: Binds::Everyone, check: footers_are_archived_first },
    Guard { name: "write-down", binds: Binds::Main, check: what_was_seen_is_written_down },
    Guard { name: "dispatch", binds: Binds::Everyone, check: a_note_is_given_word_for_word },
    Guard { name: "in-flight", binds: Binds::Main, check: few_subagents_at_once },
    Guard { name: "delegation", binds: Binds::Main, check: pieces_are_delegated },
    Guard { name: "claims", binds: Binds::Everyone, check: a_ruling_stands_behind_it },
];

/// All that a guard may look at.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The anchors of pages, in rank order.
    pub anchors: Vec<&'a str>,
    /// The row in force.
    pub phase: &'a Phase,
    /// How the job may take its first step, where it has not.
    pub first: FirstStep,
    /// Nothing was opened of the directory that the call would change, and the step onto the small
    /// lane asks for that.
    pub unread: bool,
    pub cycle: u32,
    pub by: &'a Actor,
    /// The multiplier of this stay is set.
    pub dial_set: bool,
    /// File name of pages.
    pub page: &'a str,
    /// Another session drives the job.
    pub guest: bool,
    /// The branch where the job lives, when HEAD is elsewhere.
    pub away: Option<Away<'a>>,
    /// Commits of the job are not in HEAD's history any more.
    pub gone: bool,
    /// The stay so far, as pacing sees it.
    pub stay: Stay,
    /// The host can launch subagents at all.
    pub delegates: bool,
    /// The person looked at the finished work, and said what else they want.
    pub reviewed: bool,
    /// Where nothing is delegated: something of the work is not committed.
    pub uncommitted: bool,
    /// The subagent that the row names for a part of the work, where the host finds it; asked for
    /// only once the balance is spent.
    pub helper: Option<&'a str>,
    /// The room that context and compaction file leave.
    pub room: Room,
    /// Prompts and answers are to be summed up first.
    pub unsummed: bool,
    /// What the call would do.
    pub call: Call<'a>,
}

/// A tool call, as far as guards care.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The tool's name as the host spells it.
    pub tool: &'a str,
    /// The classes of act in it, each with the piece that shows it.
    pub classes: Vec<(Class, String)>,
    /// The file that a read opens.
    pub read: Option<(String, Place)>,
    /// The files that it would change.
    pub changes: Vec<FileChange>,
    /// Those that a line names where the phase opens no line that writes: its act is refused, and
    /// not its place.
    pub named: Vec<FileChange>,
    /// It touches git seed's own state or pipes into its hooks; the piece that shows it.
    pub own_state: Option<String>,
    /// A command that is a person's; the piece that shows it.
    pub persons: Option<String>,
    /// That command is none of git seed's.
    pub no_command: bool,
    /// A command of git seed that moves the job; the piece that shows it.
    pub moves: Option<String>,
    /// What becomes of the acts of git in it, where the phase does not open them by itself.
    pub git: Option<(Vec<GitAct>, Ruling)>,
    /// What is closed in it would be open if the kernel confined it, which it can here.
    pub confinable: bool,
    /// Questions to the person that no gate let through: what is wrong with them.
    pub question: Option<Refusal>,
    /// The code in it is runs of tests and nothing else.
    pub tests: bool,
    /// A subagent that acts on notes, launched without one: what is wrong.
    pub dispatch: Option<Refusal>,
    /// An act that waits for a ruling on the claim behind it: what is wanted.
    pub unproven: Option<Refusal>,
    /// A file of the small lane that it would change unseen: there no page is written first.
    pub unseen: Option<String>,
    /// Nobody has answered yet for code that would run where one only looks.
    pub untried: Option<Untried>,
    /// The file with which it would make the work larger than its small lane takes.
    pub outgrows: Option<String>,
}

/// What a person answers for once, and has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untried {
    /// The host puts this question to them.
    Asked(String),
    /// Nobody can be asked.
    Refused(Refusal),
}

impl Untried {
    /// Nobody can be asked about the first run of tests.
    pub fn run(line: &str) -> Self {
        Self::Refused(no(Wants::Looking).case(Case::Untried).with("what", line))
    }

    /// Nobody can be asked about the first call of a server.
    pub(crate) fn server(name: &str) -> Self {
        Self::Refused(no(Wants::Looking).case(Case::Server).with("server", name))
    }
}

impl Call<'_> {
    /// The directory of the work that it is about, as far as it names one.
    pub(crate) fn dir(&self) -> Option<&str> {
        self.changes.iter().chain(&self.named).find_map(|change| match &change.place {
            Place::Project { dir } | Place::Page { dir } => Some(dir.as_str()),
            _ => None,
        })
    }

    /// The phase opens no line that writes: what it names of the work is kept apart.
    pub(crate) fn refuses_its_act(&mut self) {
        let stays = |change: &FileChange| {
            matches!(change.place, Place::OwnState | Place::Git | Place::Surface { .. })
        };
        let (changes, named) = std::mem::take(&mut self.changes).into_iter().partition(stays);
        (self.changes, self.named) = (changes, named);
    }
}

/// One file that a call would change.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Relative to the work tree, or absolute outside it.
    pub path: String,
    pub place: Place,
    /// Its directory is declared.
    pub declared: bool,
    /// The file is there now.
    pub exists: bool,
    /// It is the plan document that was decided on, and it is not there or does not read.
    pub missed: bool,
    /// For pages: what the edit does to it. `None` when the payload does not show it.
    pub page: Option<PageChange>,
    /// For pages where footers are condensed: what the edit takes that no session log has.
    pub lost: Option<Lost>,
    /// Lines of the work that it changes.
    pub lines: u32,
    /// Where no job is kept: what closes the path.
    pub shut: Option<Shut>,
    /// For memory: a likely secret in a line that it adds.
    pub secret: Option<Line>,
}

/// What an edit would take from a footer for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The note's line, or words.
    pub what: String,
    /// The line of the page that has it.
    pub line: usize,
    pub note: bool,
    /// The page is not one that this cycle altered, so no log will hold it.
    pub elsewhere: bool,
}

/// Says whether the call of `scene` may go ahead; the first guard that objects answers.
///
/// # Errors
///
/// The refusal of the first guard that objects, by its name.
pub fn judge(scene: &Scene<'_>) -> Verdict {
    let binding = |guard: &&Guard| guard.binds == Binds::Everyone || *scene.by == Actor::Main;
    for guard in GUARDS.iter().filter(binding) {
        (guard.check)(scene)
            .map_err(|refusal| scene.phase.names.put_in(Refusal { by: guard.name, ..refusal }))?;
    }
    Ok(())
}

/// What only phases ask: a call that changes something waits for the job's first step. `talk` is
/// the row before it.
pub(crate) fn waits_for_a_step(scene: &Scene<'_>, talk: &Phase) -> Verdict {
    let changes = |class: Class| matches!(class, Class::Edit | Class::ShellWrite);
    let closed = |(class, _): &&(Class, String)| changes(*class) && !talk.opens(*class);
    match scene.call.classes.iter().find(closed) {
        Some((_, part)) if !keeps_to_own_memory(scene) => {
            let refusal = no(Wants::Begin).case(Case::TalkEither).with("what", part.as_str());
            Err(Refusal { by: "first-step", ..refusal.with("dir", dir_of_work(scene)) })
        }
        _ => Ok(()),
    }
}

fn no(wants: Wants) -> Refusal {
    Refusal::new("guard", wants)
}

/// The classes of acts that change nothing and cost nothing.
const LOOKS: [Class; 6] =
    [Class::Read, Class::Search, Class::ShellRead, Class::Ask, Class::Housekeeping, Class::Seed];

/// Such acts are open even where work has to wait.
fn only_looks(scene: &Scene<'_>) -> bool {
    looks_only(&scene.call)
}

/// The same, of a call by itself.
pub(crate) fn looks_only(call: &Call<'_>) -> bool {
    call.classes.iter().all(|(class, _)| LOOKS.contains(class))
}

fn state_is_left_alone(scene: &Scene<'_>) -> Result<(), Refusal> {
    if let Some(part) = &scene.call.own_state {
        return Err(no(Wants::HandsOff).case(Case::State).with("path", part.as_str()));
    }
    for change in &scene.call.changes {
        let refusal =
            |case: Case| no(Wants::HandsOff).case(case).with("path", change.path.as_str());
        match &change.place {
            Place::OwnState => return Err(refusal(Case::State)),
            Place::Git => return Err(refusal(Case::Git)),
            Place::Surface { name, test, lock }
                if !scene.phase.writes(&change.place, spot(scene, change)) =>
            {
                let case = locked(scene.phase, name, *test, *lock);
                return Err(refusal(case).with("surface", name.as_str()));
            }
            _ => {}
        }
    }
    match &scene.call.read {
        Some((path, Place::OwnState)) => {
            Err(no(Wants::HandsOff).case(Case::State).with("path", path.as_str()))
        }
        _ => Ok(()),
    }
}

/// The case of a path of a surface that is locked here.
fn locked(phase: &Phase, name: &str, test: bool, lock: Lock) -> Case {
    let all = phase.write.contains(&Write::All);
    match lock {
        _ if name == SETTINGS || !(all || phase.is_in_cycle()) => Case::Surface,
        Lock::Open => Case::SurfaceElsewhere,
        Lock::Ajar => Case::SurfaceTest,
        Lock::Closed if all && test => Case::SurfaceFirst,
        Lock::Closed => Case::SurfaceNamed,
    }
}

fn spot(scene: &Scene<'_>, change: &FileChange) -> Spot {
    let FileChange { declared, exists, missed, .. } = *change;
    Spot { cycle: scene.cycle, declared, exists, missed }
}

fn persons_commands_are_theirs(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.persons {
        Some(part) if scene.call.no_command => {
            Err(no(Wants::Edge).case(Case::NoCommand).with("command", part.as_str()))
        }
        Some(part) => Err(no(Wants::Person).case(Case::Command).with("command", part.as_str())),
        None => Ok(()),
    }
}

fn a_guest_only_looks(scene: &Scene<'_>) -> Result<(), Refusal> {
    let moves = scene.call.moves.is_some() || !only_looks(scene);
    if scene.guest && moves { Err(no(Wants::Driver)) } else { Ok(()) }
}

/// A subagent works for the session that drives the job; where the job goes is that session's.
fn a_subagent_takes_no_steps(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.moves {
        Some(part) if *scene.by != Actor::Main && takes_a_step(part) => {
            Err(no(Wants::Driver).case(Case::Subagent).with("command", part.as_str()))
        }
        _ => Ok(()),
    }
}

/// A sentence names a command that takes a step.
pub(crate) fn names_a_step(sentence: &str) -> bool {
    let mut commands = sentence
        .split("git seed ")
        .skip(1)
        .map(|behind| behind.split_whitespace().take(2).collect::<Vec<_>>().join(" "));
    commands.any(|command| takes_a_step(&command))
}

/// The command takes the job from one place to another; making a job that waits does not.
/// So does one that sets the multiplier, whatever it is.
pub(crate) fn takes_a_step(part: &str) -> bool {
    if part.split_whitespace().any(|word| word.starts_with("--multiplier")) {
        return true;
    }
    let words = part.split_whitespace();
    let mut words = words.skip_while(|word| !matches!(*word, "phase" | "gmode" | "job" | "plan"));
    let named = (words.next(), words.next());
    !matches!(named, (Some("job"), Some("create" | "create-dependent")) | (None, _))
}

fn work_happens_at_home(scene: &Scene<'_>) -> Result<(), Refusal> {
    match scene.away {
        Some(away) if !only_looks(scene) => Err(away.refusal("home")),
        None if scene.gone && !only_looks(scene) => Err(no(Wants::Home).case(Case::History)),
        _ => Ok(()),
    }
}

/// Looks, runs of tests, questions, the web and memory are open before it: it is said of the work
/// that follows.
fn the_dial_is_set(scene: &Scene<'_>) -> Result<(), Refusal> {
    let keeps =
        |place: &Place| place.is_memory() || matches!(place, Place::HostMemory | Place::Scratch);
    let open = |class: Class| match class {
        Class::Web => true,
        Class::Edit => scene.call.changes.iter().all(|change| keeps(&change.place)),
        Class::ShellCode => scene.call.tests,
        class => LOOKS.contains(&class),
    };
    let waits = !scene.call.classes.iter().all(|(class, _)| open(*class));
    if scene.phase.dial && !scene.dial_set && waits { Err(no(Wants::Dial)) } else { Ok(()) }
}

fn a_person_answers_for_git(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.git {
        Some((_, Ruling::Refused(refusal))) => Err(refusal.clone()),
        Some((_, Ruling::Opened | Ruling::Asked(_))) | None => Ok(()),
    }
}

fn questions_have_their_shape(scene: &Scene<'_>) -> Result<(), Refusal> {
    scene.call.question.clone().map_or(Ok(()), Err)
}

/// The host's own memory and scratch places are open in every state.
fn keeps_to_own_memory(scene: &Scene<'_>) -> bool {
    let own = |place: &Place| matches!(place, Place::HostMemory | Place::Scratch);
    let touched = scene
        .call
        .changes
        .iter()
        .map(|change| &change.place)
        .chain(scene.call.read.iter().map(|(_, place)| place));
    let mut touched = touched.peekable();
    let file_tool =
        scene.call.classes.iter().all(|(class, _)| matches!(class, Class::Edit | Class::Read));
    file_tool && touched.peek().is_some() && touched.all(own)
}

fn the_act_is_open(scene: &Scene<'_>) -> Result<(), Refusal> {
    if keeps_to_own_memory(scene) {
        return Ok(());
    }
    for (class, part) in &scene.call.classes {
        // Where a file change has a place, the place says it better.
        let shown = *class == Class::Edit && scene.phase.is_in_cycle();
        // A person answers for it.
        let answered = *class == Class::ShellGit && scene.call.git.is_some();
        if !scene.phase.opens(*class) && !shown && !answered {
            return Err(closed(scene, *class, part));
        }
    }
    Ok(())
}

fn somebody_answers_for_it(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.untried {
        Some(Untried::Refused(refusal)) => Err(refusal.clone()),
        Some(Untried::Asked(_)) | None => Ok(()),
    }
}

fn closed(scene: &Scene<'_>, class: Class, part: &str) -> Refusal {
    let (wants, case) = match scene.phase.kind {
        _ if scene.call.confinable && class == Class::ShellCode => (Wants::Looking, Case::Run),
        // Each room without work has words of its own.
        PhaseKind::Outside if scene.phase.name.is_talk() => (
            Wants::Begin,
            match scene.first {
                FirstStep::Whole => Case::Talk,
                _ if scene.unread => Case::Unread,
                FirstStep::Either => Case::TalkEither,
                FirstStep::Small => Case::TalkSmall,
            },
        ),
        PhaseKind::Outside => (Wants::Begin, Case::None),
        PhaseKind::Rest => (Wants::Begin, Case::Idle),
        _ if scene.phase.leaves_memory_alone()
            && matches!(class, Class::ShellWrite | Class::ShellOutward) =>
        {
            (Wants::Looking, Case::Later)
        }
        // A phase that runs tests itself does not send anybody elsewhere for them.
        _ if scene.call.tests && class == Class::ShellCode && scene.phase.reproduces => {
            (Wants::Looking, Case::Beside)
        }
        _ if scene.call.tests && class == Class::ShellCode && !scene.phase.back.is_empty() => {
            (Wants::Looking, Case::Reproduce)
        }
        _ if scene.call.confinable => (Wants::Looking, Case::Confine),
        _ => (Wants::Looking, case_of(class)),
    };
    let back = scene.phase.back.first().map_or("", PhaseName::as_str);
    no(wants).case(case).with("what", part).with("dir", dir_of_work(scene)).with("back", back)
}

/// The directory that the call would change something in, for a command to be copied.
fn dir_of_work<'a>(scene: &'a Scene<'_>) -> &'a str {
    match scene.call.dir() {
        None => "<dir>",
        Some("") => ".",
        Some(dir) => dir,
    }
}

fn case_of(class: Class) -> Case {
    match class {
        Class::Read | Class::Search => Case::Search,
        Class::Web | Class::ShellNetwork => Case::Web,
        Class::Edit => Case::Edit,
        Class::ShellRead | Class::ShellUnknown => Case::Shell,
        Class::ShellCode => Case::Code,
        Class::ShellWrite => Case::ShellWrite,
        Class::ShellGit => Case::Git,
        Class::ShellOutward => Case::Outward,
        Class::Delegate => Case::Delegate,
        Class::Ask
        | Class::Housekeeping
        | Class::Schedule
        | Class::Seed
        | Class::Foreign
        | Class::Unknown => Case::Tool,
    }
}

fn the_read_is_open(scene: &Scene<'_>) -> Result<(), Refusal> {
    let Some((path, place)) = &scene.call.read else { return Ok(()) };
    let memory = matches!(
        place,
        Place::Page { .. } | Place::Knowledge | Place::Plan { .. } | Place::JobFile
    );
    if keeps_to_own_memory(scene) {
        return Ok(());
    }
    let open = match scene.phase.reads {
        Reads::All => true,
        Reads::Memory => memory || *place == Place::AgentDefinition,
        Reads::None => false,
    };
    if open { Ok(()) } else { Err(no(Wants::Looking).case(Case::Read).with("path", path.as_str())) }
}

fn the_place_is_open(scene: &Scene<'_>) -> Result<(), Refusal> {
    for change in &scene.call.changes {
        place_is_open(scene, change)?;
    }
    Ok(())
}

fn place_is_open(scene: &Scene<'_>, change: &FileChange) -> Result<(), Refusal> {
    if matches!(change.place, Place::HostMemory | Place::Scratch) {
        return Ok(());
    }
    if scene.phase.writes(&change.place, spot(scene, change)) {
        return Ok(());
    }
    // A second directory that the small lane has no room for is not opened by declaring it.
    let declared = Spot { declared: true, ..spot(scene, change) };
    let opens = scene.phase.writes(&change.place, declared)
        || (scene.phase.declares && matches!(change.place, Place::Project { .. }));
    // What is closed for good is opened by no larger lane.
    let opens = opens && change.shut.is_none();
    match &scene.call.outgrows {
        // Of one declared directory and one beside it the second is what there is no room for.
        Some(path) if opens && !scene.phase.declares => {
            Err(no(Wants::Lane).case(Case::LaneBeside).with("path", path))
        }
        Some(path) if opens => Err(grown(scene, path)),
        _ => Err(out_of_place(scene, change)),
    }
}

/// The step up leads from where the work is done with a commit, and from before it without one.
fn grown(scene: &Scene<'_>, path: &str) -> Refusal {
    let case = if scene.phase.declares { Case::LaneAhead } else { Case::LaneSize };
    no(Wants::Lane).case(case).with("path", path)
}

impl Phase {
    /// May a file in `place` be changed here at all? What an edit does to a page's
    /// sections is a second question.
    pub(crate) fn writes(&self, place: &Place, at: Spot) -> bool {
        self.write.iter().any(|write| lies_in(*write, place, at))
    }
}

/// What matters about one file, beside its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub cycle: u32,
    /// Its directory is declared.
    pub declared: bool,
    /// It was there before.
    pub exists: bool,
    /// It is the plan document that was decided on, and it was not there or did not read.
    pub missed: bool,
}

fn lies_in(write: Write, place: &Place, at: Spot) -> bool {
    let Spot { cycle, declared, exists, missed } = at;
    match (write, place) {
        (Write::All, Place::Surface { test, lock, .. }) => !test || *lock == Lock::Open,
        (Write::Surface | Write::Tree, Place::Surface { lock, .. }) => *lock == Lock::Open,
        (Write::All, place) => !matches!(place, Place::Outside | Place::Git | Place::OwnState),
        (Write::Page, Place::Page { .. })
        | (Write::Memory, Place::Page { .. } | Place::Knowledge | Place::AgentDefinition) => true,
        (Write::ScopedPage, Place::Page { .. }) => declared && exists,
        (Write::Scope, Place::Project { .. }) => declared,
        (Write::Tree, place) => {
            declared && !matches!(place, Place::Outside | Place::Git | Place::OwnState)
        }
        // One that does not read was not written yet: without it no step would lead on.
        (Write::PlanNew, Place::Plan { own: true }) => missed || (cycle == 1 && !exists),
        (Write::PlanEdit, Place::Plan { own: true }) => cycle == 1 && exists,
        _ => false,
    }
}

fn out_of_place(scene: &Scene<'_>, change: &FileChange) -> Refusal {
    let dir = match &change.place {
        Place::Page { dir } | Place::Project { dir } => dir.as_str(),
        _ => "",
    };
    let (dir, page) = match dir {
        "" => (".".to_owned(), scene.page.to_owned()),
        dir => (dir.to_owned(), format!("{dir}/{}", scene.page)),
    };
    if let Some(shut) = &change.shut {
        return shut_by(no(Wants::Declaration), shut, &change.path);
    }
    let scoped = scene.phase.write.contains(&Write::Scope);
    let alone = scene.phase.leaves_memory_alone();
    let (wants, case) = match &change.place {
        Place::Outside => (Wants::Notes, Case::Outside),
        Place::Plan { own: true } => (Wants::Notes, Case::PlanLater),
        Place::Plan { own: false } => (Wants::Notes, Case::PlanElse),
        Place::JobFile => (Wants::Notes, Case::JobFile),
        Place::Project { .. } if scene.reviewed => (Wants::Notes, Case::FileReviewed),
        Place::Project { .. } if alone && scoped => (Wants::Declaration, Case::FileLater),
        Place::Page { .. } | Place::Knowledge | Place::AgentDefinition if alone => {
            (Wants::Notes, Case::MemoryLater)
        }
        _ if alone => (Wants::Notes, Case::FileLater),
        Place::Page { .. } if scoped && !change.exists => (Wants::Declaration, Case::NewPage),
        Place::Page { .. } if scene.phase.write.contains(&Write::ScopedPage) => {
            (Wants::Declaration, Case::Page)
        }
        Place::Project { .. } if scoped => (Wants::Declaration, Case::File),
        Place::Knowledge | Place::AgentDefinition => (Wants::Notes, Case::Knowledge),
        _ => (Wants::Notes, Case::File),
    };
    // The top of the work tree has no name of its own.
    let path = if change.path.is_empty() { "." } else { change.path.as_str() };
    no(wants).case(case).with("path", path).with("dir", dir).with("page", page)
}

/// A path that words of a person, or rules, close where no job is kept.
fn shut_by(refusal: Refusal, shut: &Shut, path: &str) -> Refusal {
    let (case, key, said) = match shut {
        Shut::Said(said) => (Case::ShutSaid, "said", said),
        Shut::Beside(said) => (Case::ShutBeside, "said", said),
        Shut::Rule(scope) => (Case::ShutRule, "scope", scope),
    };
    refusal.case(case).with("path", path).with(key, said.as_str())
}

fn the_section_is_its_own(scene: &Scene<'_>) -> Result<(), Refusal> {
    for change in &scene.call.changes {
        if let Some(secret) = &change.secret {
            return Err(secrets::in_file("section", &change.path, secret));
        }
        if matches!(change.place, Place::Page { .. }) {
            section_is_own(scene, change)?;
        }
    }
    Ok(())
}

/// On the small lane what would make the work larger than it takes waits for the step up.
fn the_work_stays_small(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.outgrows {
        Some(path) => Err(grown(scene, path)),
        None => Ok(()),
    }
}

fn section_is_own(scene: &Scene<'_>, change: &FileChange) -> Result<(), Refusal> {
    // Where no job is kept a page is a file like any other.
    if scene.phase.write.iter().any(|write| matches!(write, Write::All | Write::Tree)) {
        return Ok(());
    }
    let named = |refusal: Refusal| refusal.with("path", change.path.as_str());
    let anchors =
        |case: Case, anchor: &str| Err(named(no(Wants::Anchors).case(case).with("anchor", anchor)));
    match &change.page {
        None => Err(named(no(Wants::Section).case(Case::Opaque))),
        Some(PageChange::Nothing | PageChange::DoesNotApply) => Ok(()),
        Some(PageChange::Gone) => anchors(Case::Gone, ""),
        Some(PageChange::Incomplete { missing }) => anchors(Case::Incomplete, &missing.join(" ")),
        Some(PageChange::AnchorLost { anchor }) => anchors(Case::Lost, anchor),
        Some(PageChange::Disorder { anchor }) => anchors(Case::Disorder, anchor),
        Some(_) if scene.phase.write.contains(&Write::Memory) => Ok(()),
        Some(PageChange::Body) => {
            let anchor = scene.phase.anchor.as_deref().unwrap_or_default();
            Err(named(no(Wants::Section).case(Case::Body).with("anchor", anchor)))
        }
        Some(PageChange::Below { first_rank }) => match scene.phase.rank(&scene.anchors) {
            Some(own) if *first_rank >= own => Ok(()),
            _ => {
                let earlier =
                    scene.anchors.get(*first_rank).copied().unwrap_or_default().to_owned();
                Err(named(no(Wants::Section).case(Case::Earlier).with("earlier", earlier)))
            }
        },
    }
}

/// Where the exit asks for it, nothing else goes on; git seed's commands do, for they hold the way
/// out.
fn the_instruction_is_summed_up(scene: &Scene<'_>) -> Result<(), Refusal> {
    let asks = scene.phase.exit.iter().any(|gate| gate == "summary");
    let open = |class: &Class| matches!(class, Class::Seed | Class::Housekeeping);
    if !(scene.unsummed && asks) || scene.call.classes.iter().all(|(class, _)| open(class)) {
        return Ok(());
    }
    Err(no(Wants::Summary).case(Case::Instruction))
}

fn there_is_room(scene: &Scene<'_>) -> Result<(), Refusal> {
    let Room { closed, by_file } = scene.room;
    let memory = |change: &FileChange| {
        matches!(change.place, Place::Page { .. } | Place::Knowledge | Place::AgentDefinition)
    };
    // Where memory is settled, a long file must not keep it from being settled.
    let changes = &scene.call.changes;
    let settles = scene.phase.write.contains(&Write::Memory)
        && !changes.is_empty()
        && changes.iter().all(memory);
    let shut = |class: &Class| match class {
        Class::Seed | Class::Ask | Class::Housekeeping => false,
        Class::Read => closed >= Closed::Reads,
        Class::Edit => closed == Closed::Edits || (closed == Closed::All && !settles),
        _ => closed == Closed::All,
    };
    match scene.call.classes.iter().find(|(class, _)| shut(class)) {
        Some((class, what)) => {
            let case = match class {
                _ if by_file && closed == Closed::All => Case::FileFull,
                _ if by_file => Case::FileLong,
                Class::Edit => Case::ContextFull,
                _ => Case::ContextRead,
            };
            Err(no(Wants::Summary).case(case).with("what", what.as_str()))
        }
        None => Ok(()),
    }
}

/// Nothing goes from a footer before the session log holds it; moving and adding is free.
fn footers_are_archived_first(scene: &Scene<'_>) -> Result<(), Refusal> {
    let lost = scene.call.changes.iter().find_map(|change| Some((change, change.lost.as_ref()?)));
    let Some((change, lost)) = lost.filter(|_| !scene.phase.write.contains(&Write::All)) else {
        return Ok(());
    };
    let case = match lost {
        Lost { elsewhere: true, .. } => Case::Elsewhere,
        Lost { note: true, .. } => Case::Note,
        Lost { .. } => Case::Footer,
    };
    let refusal = no(Wants::Archive).case(case).with("path", change.path.as_str());
    Err(refusal.with("line", lost.line.to_string()).with("what", lost.what.as_str()))
}

/// The page edits of a call that are a synthesis of the phase's own.
fn writes_a_page<'a>(scene: &'a Scene<'_>) -> Option<&'a FileChange> {
    let own = scene.phase.is_in_cycle();
    scene.call.changes.iter().find(|change| own && matches!(change.place, Place::Page { .. }))
}

fn looking_comes_before_writing(scene: &Scene<'_>) -> Result<(), Refusal> {
    if let Some(path) = &scene.call.unseen {
        return Err(no(Wants::Depth).case(Case::Unseen).with("path", path.as_str()));
    }
    let Some(pace) = &scene.phase.pace else { return Ok(()) };
    match writes_a_page(scene) {
        Some(change) if pace.is_early(&scene.stay, scene.phase.profile) => {
            Err(no(Wants::Depth).case(Case::Early).with("path", change.path.as_str()))
        }
        _ => Ok(()),
    }
}

fn what_was_seen_is_written_down(scene: &Scene<'_>) -> Result<(), Refusal> {
    let Some(pace) = &scene.phase.pace else { return Ok(()) };
    // Pages can always be read: an edit tool may ask for it first. Questions, the host's own
    // lists and git seed's commands are no part of the rhythm.
    let rereads = matches!(scene.call.read, Some((_, Place::Page { .. })));
    let aside = |class: &Class| matches!(class, Class::Ask | Class::Housekeeping | Class::Seed);
    let free =
        scene.call.classes.iter().all(|(class, _)| aside(class)) || keeps_to_own_memory(scene);
    if rereads
        || free
        || writes_a_page(scene).is_some()
        || !pace.is_full(&scene.stay, scene.phase.profile)
    {
        return Ok(());
    }
    let anchor = scene.phase.anchor.as_deref().unwrap_or_default();
    let case = if anchor.is_empty() { Case::FullMemory } else { Case::Full };
    Err(no(Wants::Page).case(case).with("anchor", anchor))
}

fn a_ruling_stands_behind_it(scene: &Scene<'_>) -> Result<(), Refusal> {
    scene.call.unproven.clone().map_or(Ok(()), Err)
}

fn a_note_is_given_word_for_word(scene: &Scene<'_>) -> Result<(), Refusal> {
    scene.call.dispatch.clone().map_or(Ok(()), Err)
}

fn few_subagents_at_once(scene: &Scene<'_>) -> Result<(), Refusal> {
    let Some(pace) = &scene.phase.pace else { return Ok(()) };
    let launches = scene.call.classes.iter().any(|(class, _)| *class == Class::Delegate);
    if launches && pace.is_crowded(&scene.stay) {
        return Err(no(Wants::Delegation).case(Case::Crowded));
    }
    Ok(())
}

fn pieces_are_delegated(scene: &Scene<'_>) -> Result<(), Refusal> {
    let Some(pace) = &scene.phase.pace else { return Ok(()) };
    let delegates = scene.delegates && scene.phase.opens(Class::Delegate);
    let commits = scene.phase.checkpoints && scene.uncommitted;
    if !(delegates || commits) || !pace.is_spent(&scene.stay, delegates) {
        return Ok(());
    }
    match direct(scene).find(|(deed, _)| pace.spends.contains(deed)) {
        Some((_, path)) => {
            let refusal = no(Wants::Delegation).with("path", path);
            Err(match scene.helper {
                _ if !delegates => refusal.case(Case::Uncommitted),
                _ if pace.is_crowded(&scene.stay) => refusal.case(Case::Crowded),
                Some(agent) => refusal.case(Case::SpentNamed).with("agent", agent),
                None => refusal.case(Case::Spent),
            })
        }
        None => Ok(()),
    }
}

/// The acts of a call on project files, outside memory and the host's own folder.
fn direct<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = (Deed, &'a str)> {
    let read = scene.call.read.iter().map(|(path, place)| (Deed::Read, path.as_str(), place));
    let edits =
        scene.call.changes.iter().map(|change| (Deed::Edit, change.path.as_str(), &change.place));
    let all = read.chain(edits).filter(|(_, path, place)| place.is_direct(path));
    all.map(|(deed, path, _)| (deed, path))
}

/// Nothing is written or run over a journal that does not hold; `trouble` says why it does not.
///
/// # Errors
///
/// Refuses an act that does more than look while there is `trouble`.
pub fn journal_holds(trouble: Option<&dyn std::fmt::Display>, act: &Act) -> Verdict {
    match trouble {
        Some(trouble) if !looks(act) => Err(Refusal::broken(STATE, trouble)),
        _ => Ok(()),
    }
}

/// A call that cannot be judged for a reason that the agent can put there.
pub(crate) fn unjudged(why: &dyn std::fmt::Display) -> Refusal {
    Refusal::broken(STATE, why).case(Case::Unjudged)
}

/// The refusal of what changes something where the rules, the state or the format of a repository
/// are not this binary's to read.
pub(crate) fn beyond(why: &dyn std::fmt::Display) -> Refusal {
    Refusal::broken("state", why).case(Case::Beyond)
}

/// True for acts that only look, and for git seed's own commands.
pub fn looks(act: &Act) -> bool {
    looks_as(act, |command| shell::read(command).into())
}

/// The same, where somebody has read the command line already.
pub(crate) fn looks_as(act: &Act, read: impl FnOnce(&str) -> std::rc::Rc<shell::Reading>) -> bool {
    match act {
        Act::Read { .. }
        | Act::Search { .. }
        | Act::Housekeeping
        | Act::Ask(_)
        | Act::Web { .. } => true,
        Act::Shell { command, .. } => {
            let harmless = |found: &shell::Found| {
                (found.seed && !found.persons) || found.effect == shell::Effect::Read
            };
            read(command).found.iter().all(harmless)
        }
        _ => false,
    }
}

/// A path that stands in a commit made by hand or by another tool, where it could be written
/// now: where it is, and whether a surface's check put it back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Staged<'a> {
    pub path: &'a str,
    pub place: &'a Place,
    pub cycle: u32,
    pub declared: bool,
    pub put_back: bool,
    /// As in [`FileChange::shut`].
    pub shut: Option<&'a Shut>,
}

/// A commit holds what the row writes, and nothing else. Whether a file was there before, and
/// whether the plan document is missed, is past telling: what either would open is open.
pub(crate) fn is_committed(row: &Phase, staged: &Staged<'_>) -> Verdict {
    let Staged { path, place, cycle, declared, put_back, shut } = *staged;
    let writes = |exists| row.writes(place, Spot { cycle, declared, exists, missed: true });
    if put_back || writes(true) || writes(false) {
        return Ok(());
    }
    if let (Some(shut), false) = (shut, matches!(place, Place::Surface { .. })) {
        return Err(staged_shut(shut, path));
    }
    let (wants, case) = match place {
        Place::Surface { .. } => (Wants::HandsOff, Case::Surface),
        // No phase is on whose step could take it.
        _ if row.kind == PhaseKind::Outside => (Wants::Checkpoint, Case::StagedOutside),
        _ => (Wants::Checkpoint, Case::Staged),
    };
    Err(Refusal::new("pre-commit", wants).case(case).with("path", path))
}

/// What is staged is no longer left as it was by leaving it alone: it leaves the index.
fn staged_shut(shut: &Shut, path: &str) -> Refusal {
    let case = match shut {
        Shut::Said(_) => Case::StagedSaid,
        Shut::Beside(_) => Case::StagedBeside,
        Shut::Rule(_) => Case::StagedRule,
    };
    let refusal = shut_by(Refusal::new("pre-commit", Wants::Declaration), shut, path);
    refusal.case(case).with(STAGED, shell::quoted_word(path))
}

/// The fact of such a refusal that names what leaves the index.
const STAGED: &str = "staged";

/// The same refusal, of `paths` that it all holds for: they leave the index at once.
pub(crate) fn all_staged(mut refusal: Refusal, paths: &[String]) -> Refusal {
    /// A fact is cut behind so many characters, and a command may not be.
    const MOST: usize = 200;
    let mut words = String::new();
    for word in paths.iter().map(|path| shell::quoted_word(path)) {
        if words.len() + word.len() >= MOST && !words.is_empty() {
            break;
        }
        let between = if words.is_empty() { "" } else { " " };
        words = format!("{words}{between}{word}");
    }
    if refusal.facts.get(STAGED).is_some() {
        refusal.facts.set(STAGED, words);
    }
    refusal
}

/// What a person lets the agent commit in the middle of its work is the person's own: `path` is
/// not.
pub(crate) fn staged_by_agent(path: &str) -> Refusal {
    Refusal::new("pre-commit", Wants::Checkpoint).case(Case::Staged).with("path", path)
}

/// A commit made by hand has no trailers of git seed's, but those of the commit that it
/// replaces: `claimed` are the lines in its message that begin with `Seed-`, `known` those of
/// HEAD's. The first that is new is named.
pub(crate) fn trailers_are_ours(claimed: &[&str], known: &[&str]) -> Verdict {
    let forged = claimed.iter().find(|line| !known.contains(line));
    forged.map_or(Ok(()), |line| {
        Err(Refusal::new("commit-msg", Wants::Message).case(Case::Forged).with("line", *line))
    })
}

/// The refusal of a boundary whose message has `claimed`, trailers that git seed writes.
///
/// # Errors
///
/// Refuses the first of them.
pub fn claims_no_step(claimed: &[&str]) -> Verdict {
    claimed.first().map_or(Ok(()), |line| {
        Err(Refusal::new("message", Wants::Message).case(Case::ForgedStep).with("line", *line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{Map, OPEVC};

    fn map() -> Map {
        Map::read(OPEVC).expect("the shipped map is sound")
    }

    fn scene<'a>(map: &'a Map, phase: &str, by: &'a Actor) -> Scene<'a> {
        let call = Call {
            tool: "Tool",
            classes: Vec::new(),
            read: None,
            changes: Vec::new(),
            named: Vec::new(),
            own_state: None,
            persons: None,
            no_command: false,
            moves: None,
            git: None,
            confinable: false,
            tests: false,
            unseen: None,
            untried: None,
            question: None,
            dispatch: None,
            unproven: None,
            outgrows: None,
        };
        let phase = map.phases().find(|row| row.name.as_str() == phase).expect("a phase");
        Scene {
            unsummed: false,
            anchors: map.anchors(),
            phase,
            first: FirstStep::Whole,
            unread: false,
            cycle: 1,
            by,
            dial_set: true,
            page: "CLAUDE.md",
            guest: false,
            gone: false,
            away: None,
            // Enough was looked at to write something down.
            stay: Stay {
                since: [("test".to_owned(), 1), ("read".to_owned(), 1)].into(),
                ..Stay::default()
            },
            delegates: true,
            reviewed: false,
            uncommitted: true,
            helper: None,
            room: Room::default(),
            call,
        }
    }

    fn acts(class: Class) -> Vec<(Class, String)> {
        vec![(class, "x".to_owned())]
    }

    fn file(place: Place, declared: bool) -> FileChange {
        FileChange {
            path: "src/a".to_owned(),
            place,
            declared,
            exists: true,
            missed: false,
            page: None,
            lost: None,
            lines: 0,
            shut: None,
            secret: None,
        }
    }

    fn project() -> Place {
        Place::Project { dir: "src".to_owned() }
    }

    fn surface(test: bool, lock: Lock) -> Place {
        Place::Surface { name: "hooks".to_owned(), test, lock }
    }

    fn page() -> Place {
        Place::Page { dir: "src".to_owned() }
    }

    fn said(verdict: Verdict) -> String {
        verdict.map_or_else(|no| format!("{} {}", no.by, no.wants.word()), |()| "passes".to_owned())
    }

    /// Which classes of act each row opens; one line a class, one letter a phase.
    #[test]
    fn each_phase_opens_its_acts_and_no_other() {
        let map = map();
        let phases =
            ["none", "talk", "idle", "observe", "plan", "execute", "verify", "condense", "gmode"];
        let cases = [
            (Class::Read, "yy.yyyyyy"),
            (Class::Search, "yy.y.yyyy"),
            (Class::Web, "yy.y..y.y"),
            (Class::ShellRead, "yy.yyyyyy"),
            (Class::ShellCode, ".....yy.y"),
            (Class::ShellWrite, ".....y..y"),
            (Class::ShellGit, "........y"),
            (Class::ShellNetwork, ".....y..y"),
            (Class::ShellOutward, ".....y..y"),
            (Class::ShellUnknown, ".....y..y"),
            (Class::Delegate, "...yyyyyy"),
            (Class::Ask, "yyyyyyyyy"),
            (Class::Housekeeping, "yyyyyyyyy"),
            (Class::Schedule, ".....y..y"),
            (Class::Foreign, ".....y..y"),
            (Class::Unknown, ".....y..y"),
            (Class::Seed, "yyyyyyyyy"),
        ];
        for (class, open) in cases {
            for (phase, open) in phases.iter().zip(open.chars()) {
                let mut scene = scene(&map, phase, &Actor::Main);
                scene.call.classes = acts(class);
                assert_eq!(judge(&scene).is_ok(), open == 'y', "{class:?} in {phase}");
            }
        }
    }

    /// Which places each row lets be changed: declared or not.
    #[test]
    fn each_phase_writes_in_its_places_and_no_other() {
        let map = map();
        let phases =
            ["none", "talk", "idle", "observe", "plan", "execute", "verify", "condense", "gmode"];
        let cases = [
            (project(), true, ".....y..y"),
            (project(), false, "........y"),
            (Place::Knowledge, false, ".......yy"),
            (Place::AgentDefinition, false, ".......yy"),
            (Place::Plan { own: true }, false, "......y.y"),
            (Place::Plan { own: false }, false, "........y"),
            (Place::JobFile, false, "........y"),
            (surface(false, Lock::Closed), true, "........y"),
            (surface(false, Lock::Open), true, ".....y..y"),
            (surface(true, Lock::Closed), true, "........."),
            (surface(true, Lock::Ajar), true, "........."),
            (surface(true, Lock::Open), true, ".....y..y"),
            (Place::Git, true, "........."),
            (Place::OwnState, true, "........."),
            (Place::HostMemory, false, "yyyyyyyyy"),
            (Place::Scratch, false, "yyyyyyyyy"),
            (Place::Outside, false, "........."),
        ];
        for (place, declared, open) in cases {
            for (phase, open) in phases.iter().zip(open.chars()) {
                let mut scene = scene(&map, phase, &Actor::Main);
                scene.call.classes = acts(Class::Edit);
                scene.call.changes = vec![file(place.clone(), declared)];
                assert_eq!(
                    judge(&scene).is_ok(),
                    open == 'y',
                    "{place:?} in {phase}: {}",
                    said(judge(&scene))
                );
            }
        }
    }

    #[test]
    fn a_page_is_written_below_the_own_anchor_only() {
        let map = map();
        let below = |first_rank| PageChange::Below { first_rank };
        let lost = || PageChange::AnchorLost { anchor: "---Pl---".to_owned() };
        let cases = [
            ("observe", below(0), "passes"),
            ("observe", below(3), "passes"),
            ("plan", below(0), "section section"),
            ("plan", below(1), "passes"),
            ("execute", below(1), "section section"),
            ("execute", below(2), "passes"),
            ("verify", below(2), "section section"),
            ("verify", below(3), "passes"),
            ("observe", PageChange::Body, "section section"),
            ("condense", PageChange::Body, "passes"),
            ("condense", below(0), "passes"),
            ("condense", lost(), "section anchors"),
            ("observe", lost(), "section anchors"),
            ("gmode", lost(), "passes"),
            ("condense", PageChange::Gone, "section anchors"),
            (
                "observe",
                PageChange::Incomplete { missing: vec!["---Ve---".to_owned()] },
                "section anchors",
            ),
            ("observe", PageChange::Disorder { anchor: "---Ob---".to_owned() }, "section anchors"),
            ("observe", PageChange::Nothing, "passes"),
            ("observe", PageChange::DoesNotApply, "passes"),
        ];
        for (phase, change, expected) in cases {
            let mut scene = scene(&map, phase, &Actor::Main);
            scene.call.classes = acts(Class::Edit);
            scene.call.changes =
                vec![FileChange { page: Some(change.clone()), ..file(page(), true) }];
            assert_eq!(said(judge(&scene)), expected, "{change:?} in {phase}");
        }
        let mut opaque = scene(&map, "observe", &Actor::Main);
        opaque.call.changes = vec![file(page(), true)];
        assert_eq!(
            said(judge(&opaque)),
            "section section",
            "what nobody can see is not let through"
        );
    }

    #[test]
    fn every_file_of_a_patch_is_judged() {
        let map = map();
        let mut scene = scene(&map, "execute", &Actor::Main);
        scene.call.classes = acts(Class::Edit);
        scene.call.changes = vec![file(project(), true), file(project(), false)];
        assert_eq!(said(judge(&scene)), "place declaration");
    }

    #[test]
    fn the_dial_comes_before_the_first_act_that_is_no_look() {
        let map = map();
        let sub = Actor::Subagent { id: "a".to_owned(), agent: "general".to_owned() };
        for (phase, by, class, tests, expected) in [
            ("observe", &Actor::Main, Class::Read, false, "passes"),
            ("observe", &Actor::Main, Class::Seed, false, "passes"),
            ("observe", &Actor::Main, Class::Web, false, "passes"),
            ("observe", &Actor::Main, Class::Delegate, false, "dial dial"),
            ("observe", &Actor::Main, Class::ShellWrite, false, "act looking"),
            ("execute", &Actor::Main, Class::ShellWrite, false, "dial dial"),
            ("execute", &Actor::Main, Class::ShellCode, false, "dial dial"),
            ("verify", &Actor::Main, Class::ShellCode, false, "dial dial"),
            ("verify", &Actor::Main, Class::ShellCode, true, "passes"),
            ("observe", &sub, Class::Read, false, "passes"),
            ("observe", &sub, Class::ShellWrite, false, "act looking"),
            ("execute", &sub, Class::ShellWrite, false, "passes"),
        ] {
            let mut scene = Scene { dial_set: false, ..scene(&map, phase, by) };
            scene.call.classes = acts(class);
            scene.call.tests = tests;
            assert_eq!(said(judge(&scene)), expected, "{phase} {by:?} {class:?}");
        }
        for (place, expected) in [
            (Place::Page { dir: "src".to_owned() }, "passes"),
            (Place::Scratch, "passes"),
            (Place::Project { dir: "src".to_owned() }, "dial dial"),
        ] {
            let mut scene = Scene { dial_set: false, ..scene(&map, "execute", &Actor::Main) };
            scene.call.classes = acts(Class::Edit);
            let page = matches!(place, Place::Page { .. });
            let page = page.then_some(PageChange::Below { first_rank: 2 });
            scene.call.changes = vec![FileChange { page, ..file(place, true) }];
            assert_eq!(said(judge(&scene)), expected);
        }
    }

    #[test]
    fn guests_and_strangers_to_the_branch_only_look() {
        let map = map();
        for class in [
            Class::Read,
            Class::Search,
            Class::ShellRead,
            Class::Ask,
            Class::Edit,
            Class::ShellCode,
        ] {
            let looks = !matches!(class, Class::Edit | Class::ShellCode);
            let mut guest = Scene { guest: true, ..scene(&map, "execute", &Actor::Main) };
            guest.call.classes = acts(class);
            assert_eq!(said(judge(&guest)) == "driver driver", !looks, "{class:?} as a guest");
            let mut moving = Scene { guest: true, ..scene(&map, "execute", &Actor::Main) };
            moving.call.classes = acts(Class::Seed);
            assert_eq!(said(judge(&moving)), "passes", "a guest may ask where things stand");
            moving.call.moves = Some("git seed phase advance".to_owned());
            assert_eq!(said(judge(&moving)), "driver driver", "and not move the job");
            let sub = Actor::Subagent { id: "a".to_owned(), agent: "general".to_owned() };
            let mut below = scene(&map, "execute", &sub);
            below.call.classes = acts(Class::Seed);
            for (command, moves) in [
                ("git seed phase advance -F -", true),
                ("git-seed -C . job pause", true),
                ("git seed gmode exit", true),
                ("git seed job create 'one more' -m why", false),
                ("git seed note resolve 1 --breadcrumb x", false),
            ] {
                below.call.moves = Some(command.to_owned());
                assert_eq!(said(judge(&below)) == "subagent driver", moves, "{command}");
            }
            let main = Away { branch: "main", is_gone: false };
            let mut away = Scene { away: Some(main), ..scene(&map, "execute", &Actor::Main) };
            away.call.classes = acts(class);
            assert_eq!(said(judge(&away)) == "home home", !looks, "{class:?} on another branch");
        }
    }

    #[test]
    fn the_state_the_hooks_and_the_persons_commands_are_off_limits_everywhere() {
        let map = map();
        for phase in map.phases().filter(|phase| phase.name.as_str() != "none") {
            let fresh = || scene(&map, phase.name.as_str(), &Actor::Main);
            let mut state = fresh();
            state.call.own_state = Some(".git/seed".to_owned());
            assert_eq!(said(judge(&state)), "state hands-off", "{}", phase.name);
            let mut read = fresh();
            read.call.read = Some((".git/seed/x".to_owned(), Place::OwnState));
            assert_eq!(said(judge(&read)), "state hands-off", "{}", phase.name);
            let mut person = fresh();
            person.call.persons = Some("git seed off".to_owned());
            assert_eq!(said(judge(&person)), "person person", "{}", phase.name);
        }
    }

    #[test]
    fn a_locked_surface_says_what_opens_it() {
        let map = map();
        let settings =
            || Place::Surface { name: SETTINGS.to_owned(), test: false, lock: Lock::Closed };
        for (phase, place, case) in [
            ("execute", settings(), "surface"),
            ("talk", surface(false, Lock::Closed), "surface"),
            ("execute", surface(false, Lock::Closed), "surface-named"),
            ("plan", surface(false, Lock::Open), "surface-elsewhere"),
            ("execute", surface(true, Lock::Ajar), "surface-test"),
            ("gmode", surface(true, Lock::Closed), "surface-first"),
            ("gmode", surface(true, Lock::Ajar), "surface-test"),
        ] {
            let mut scene = scene(&map, phase, &Actor::Main);
            scene.call.classes = acts(Class::Edit);
            scene.call.changes = vec![file(place.clone(), true)];
            let no = judge(&scene).expect_err("it is locked");
            assert_eq!(
                (no.by, no.facts.get("case")),
                ("state", Some(case)),
                "{place:?} in {phase}"
            );
        }
    }

    #[test]
    fn plan_reads_memory_and_observe_reads_anything() {
        let map = map();
        for (phase, place, expected) in [
            ("plan", project(), "reads looking"),
            ("plan", page(), "passes"),
            ("plan", Place::Knowledge, "passes"),
            ("plan", Place::Plan { own: true }, "passes"),
            ("plan", Place::HostMemory, "passes"),
            ("idle", Place::HostMemory, "passes"),
            ("idle", page(), "act begin"),
            ("observe", project(), "passes"),
        ] {
            let mut scene = scene(&map, phase, &Actor::Main);
            scene.call.classes = acts(Class::Read);
            scene.call.read = Some(("x".to_owned(), place.clone()));
            assert_eq!(said(judge(&scene)), expected, "{place:?} in {phase}");
        }
    }

    /// A ruling that lets it pass opens the act, and nothing else of the line.
    #[test]
    fn a_person_answers_for_what_git_does() {
        let map = map();
        let refused = Ruling::Refused(no(Wants::Git).case(Case::Nobody));
        for phase in ["none", "talk", "idle", "observe", "execute"] {
            let mut scene = scene(&map, phase, &Actor::Main);
            scene.call.classes = acts(Class::ShellGit);
            for (git, expected) in [
                (Ruling::Opened, "passes"),
                (Ruling::Asked(Vec::new()), "passes"),
                (refused.clone(), "git git"),
            ] {
                scene.call.git = Some((Vec::new(), git));
                assert_eq!(said(judge(&scene)), expected, "{phase}");
            }
            scene.call.git = Some((Vec::new(), Ruling::Opened));
            scene.call.classes.push((Class::Delegate, "x".to_owned()));
            let closed = ["none", "talk", "idle"].contains(&phase);
            assert_eq!(judge(&scene).is_err(), closed, "{phase}");
        }
    }

    /// One letter for each of nothing, reads, edits and all that is closed.
    #[test]
    fn a_full_context_or_file_closes_acts_and_never_the_way_out() {
        let map = map();
        let sub = Actor::Subagent { id: "a".to_owned(), agent: "general".to_owned() };
        let levels = [Closed::Nothing, Closed::Reads, Closed::Edits, Closed::All];
        let cases = [
            ("execute", Class::Read, project(), "y..."),
            ("execute", Class::Edit, project(), "yy.."),
            ("execute", Class::ShellCode, project(), "yyy."),
            ("execute", Class::Delegate, project(), "yyy."),
            ("execute", Class::Seed, project(), "yyyy"),
            ("execute", Class::Ask, project(), "yyyy"),
            ("execute", Class::Housekeeping, project(), "yyyy"),
            ("condense", Class::Edit, Place::Knowledge, "yy.y"),
        ];
        for (phase, class, place, open) in cases {
            for (closed, open) in levels.into_iter().zip(open.chars()) {
                for by in [&Actor::Main, &sub] {
                    let room = Room { closed, by_file: closed == Closed::All };
                    let mut scene = Scene { room, ..scene(&map, phase, by) };
                    scene.call.classes = acts(class);
                    if class == Class::Edit {
                        scene.call.changes = vec![file(place.clone(), true)];
                    }
                    let expected = open == 'y' || *by != Actor::Main;
                    assert_eq!(
                        judge(&scene).is_ok(),
                        expected,
                        "{class:?} in {phase}, {closed:?}, {by:?}"
                    );
                }
            }
        }
        for (class, room, case) in [
            (Class::Read, Room { closed: Closed::Edits, by_file: false }, "context-read"),
            (Class::Edit, Room { closed: Closed::Edits, by_file: false }, "context-full"),
            (Class::Read, Room { closed: Closed::Reads, by_file: true }, "file-long"),
            (Class::ShellCode, Room { closed: Closed::All, by_file: true }, "file-full"),
        ] {
            let mut scene = Scene { room, ..scene(&map, "execute", &Actor::Main) };
            scene.call.classes = acts(class);
            let no = judge(&scene).expect_err("it is closed");
            assert_eq!((no.by, no.facts.get("case")), ("room", Some(case)), "{class:?} {room:?}");
        }
    }

    #[test]
    fn pages_are_not_born_in_execute_and_the_plan_only_in_cycle_one() {
        let map = map();
        let mut born = scene(&map, "execute", &Actor::Main);
        let new = FileChange {
            exists: false,
            page: Some(PageChange::Below { first_rank: 3 }),
            ..file(page(), true)
        };
        born.call.changes = vec![new];
        assert_eq!(said(judge(&born)), "place declaration");
        for (cycle, exists, missed, expected) in [
            (1, false, false, "passes"),
            (1, true, false, "place notes"),
            (2, false, false, "place notes"),
            (1, true, true, "passes"),
            (2, false, true, "passes"),
        ] {
            let mut plan = Scene { cycle, ..scene(&map, "execute", &Actor::Main) };
            plan.call.changes =
                vec![FileChange { exists, missed, ..file(Place::Plan { own: true }, false) }];
            assert_eq!(
                said(judge(&plan)),
                expected,
                "cycle {cycle}, exists {exists}, missed {missed}"
            );
        }
    }

    #[test]
    fn over_a_broken_journal_only_looking_goes_on() {
        let shell = |command: &str| Act::Shell {
            command: command.to_owned(),
            cwd: None,
            background: false,
        };
        for (act, open) in [
            (Act::Read { path: "a".into() }, true),
            (Act::Search { path: None }, true),
            (Act::Housekeeping, true),
            (Act::Ask(Vec::new()), true),
            (Act::Web { what: String::new() }, true),
            (shell("git log"), true),
            (shell("git seed doctor --fix"), true),
            (shell("git seed off -m x"), false),
            (shell("cargo test"), false),
            (shell("rm a"), false),
            (Act::Edit(Vec::new()), false),
            (Act::Unknown, false),
        ] {
            assert_eq!(journal_holds(Some(&"it was changed"), &act).is_ok(), open, "{act:?}");
            assert_eq!(journal_holds(None, &act), Ok(()), "{act:?}");
        }
    }

    #[test]
    fn a_commit_by_hand_holds_what_the_row_writes() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let project = Place::Project { dir: "src".to_owned() };
        let surface = Place::Surface { name: "hooks".to_owned(), test: false, lock: Lock::Closed };
        for (phase, place, declared, put_back, expected) in [
            ("execute", &project, true, false, "yes"),
            ("execute", &project, false, false, "checkpoint staged"),
            ("observe", &project, true, false, "checkpoint staged"),
            ("observe", &project, false, true, "yes"),
            ("execute", &surface, false, false, "hands-off surface"),
            ("execute", &surface, false, true, "yes"),
        ] {
            let row = map.phase(&phase.into()).expect("a phase");
            let staged = Staged { path: "src/a", place, cycle: 1, declared, put_back, shut: None };
            let said = is_committed(row, &staged).map_or_else(
                |no| format!("{} {}", no.wants.word(), no.facts.get("case").unwrap_or_default()),
                |()| "yes".to_owned(),
            );
            assert_eq!(said, expected, "{phase} {staged:?}");
        }
    }

    #[test]
    fn trailers_stand_in_our_commits_and_in_what_replaces_them() {
        for (claimed, known, ours) in [
            (&["a"][..], &["a", "b"][..], None),
            (&["a", "c", "d"], &["a", "b"], Some("c")),
            (&["a"], &[], Some("a")),
            (&[], &["a"], None),
            (&[], &[], None),
        ] {
            let said = trailers_are_ours(claimed, known).err();
            let line = said.as_ref().and_then(|no| no.facts.get("line"));
            assert_eq!(line, ours, "{claimed:?} {known:?}");
        }
    }

    #[test]
    fn where_no_job_is_kept_the_tree_is_open_but_for_what_is_shut() {
        type Row<'a> = (FileChange, Option<(&'a str, Case)>);
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let row = crate::phases::fence_row();
        let shut = |shut: Shut| FileChange { shut: Some(shut), ..file(project(), false) };
        let said = || "never touch src".to_owned();
        let cases: [Row<'_>; 11] = [
            (file(project(), true), None),
            (file(page(), true), None),
            (file(Place::Knowledge, true), None),
            (file(Place::Plan { own: false }, true), None),
            (file(Place::Scratch, false), None),
            (file(Place::Outside, true), Some(("place", Case::Outside))),
            (file(Place::OwnState, true), Some(("state", Case::State))),
            (file(surface(false, Lock::Closed), true), Some(("state", Case::Surface))),
            (shut(Shut::Said(said())), Some(("place", Case::ShutSaid))),
            (shut(Shut::Beside(said())), Some(("place", Case::ShutBeside))),
            (shut(Shut::Rule(said())), Some(("place", Case::ShutRule))),
        ];
        for (change, no) in cases {
            let place = change.place.clone();
            let subagent = Actor::Subagent { id: String::new(), agent: String::new() };
            for by in [&Actor::Main, &subagent] {
                let mut scene = Scene { phase: row, ..scene(&map, "none", by) };
                scene.call.classes = acts(Class::Edit);
                scene.call.changes = vec![change.clone()];
                let heard = judge(&scene).err();
                let told = heard.as_ref().map(|no| (no.by, no.facts.case().map(str::to_owned)));
                let expected = no.map(|(by, case)| (by, Some(Case::word(case).to_owned())));
                assert_eq!(told, expected, "{place:?}");
            }
        }
        for class in [Class::ShellCode, Class::Delegate, Class::Foreign, Class::Unknown, Class::Web]
        {
            let mut scene = Scene { phase: row, ..scene(&map, "none", &Actor::Main) };
            scene.call.classes = acts(class);
            assert!(judge(&scene).is_ok(), "{class:?}");
        }
    }

    #[test]
    fn only_a_change_waits_for_a_first_step() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        for (class, place, waits) in [
            (Class::Edit, project(), true),
            (Class::Edit, Place::Scratch, false),
            (Class::ShellWrite, project(), true),
            (Class::ShellCode, project(), false),
            (Class::Read, project(), false),
        ] {
            let phase = crate::phases::fence_row();
            let mut scene = Scene { phase, ..scene(&map, "none", &Actor::Main) };
            scene.call.classes = acts(class);
            scene.call.changes = vec![file(place.clone(), true)];
            assert_eq!(waits_for_a_step(&scene, map.talk()).is_err(), waits, "{class:?} {place:?}");
        }
    }
}
