//! Judges one tool call inside a phase.
//!
//! Reads nothing and writes nothing: the caller brings the [`Scene`]. The same
//! call on the same scene always gets the same verdict, which is what lets a
//! host ask twice and a test ask a thousand times.

use super::place::Place;
use super::{Class, Map, Phase, Reads, Write};
use crate::event::{Actor, PageChange};
use crate::verdict::{Refusal, Verdict, Wants};

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
    Guard { name: "home", binds: Binds::Everyone, check: work_happens_at_home },
    Guard { name: "dial", binds: Binds::Main, check: the_dial_is_set },
    Guard { name: "commit", binds: Binds::Everyone, check: commits_are_made_by_seed },
    Guard { name: "question", binds: Binds::Main, check: questions_have_their_shape },
    Guard { name: "act", binds: Binds::Everyone, check: the_act_is_open },
    Guard { name: "reads", binds: Binds::Everyone, check: the_read_is_open },
    Guard { name: "place", binds: Binds::Everyone, check: the_place_is_open },
    Guard { name: "section", binds: Binds::Everyone, check: the_section_is_its_own },
];

/// All that a guard may look at.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    pub map: &'a Map,
    /// The row in force.
    pub phase: &'a Phase,
    pub cycle: u32,
    pub by: &'a Actor,
    /// The multiplier of this stay is set.
    pub dial_set: bool,
    /// File name of pages.
    pub page: &'a str,
    /// Another session drives the job.
    pub guest: bool,
    /// The branch where the job lives, when HEAD is elsewhere.
    pub away: Option<&'a str>,
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
    /// It touches git seed's own state or pipes into its hooks; the piece that shows it.
    pub own_state: Option<String>,
    /// A command that is a person's; the piece that shows it.
    pub persons: Option<String>,
    /// A `git commit` or the like by hand; the verb.
    pub git_verb: Option<String>,
    /// Questions to the person that no gate let through: what is wrong with them.
    pub question: Option<Refusal>,
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
    /// For pages: what the edit does to it. `None` when the payload does not show it.
    pub page: Option<PageChange>,
}

/// Says whether the call of `scene` may go ahead; the first guard that objects answers.
pub fn judge(scene: &Scene<'_>) -> Verdict {
    let binding = |guard: &&Guard| guard.binds == Binds::Everyone || *scene.by == Actor::Main;
    for guard in GUARDS.iter().filter(binding) {
        (guard.check)(scene).map_err(|refusal| Refusal { by: guard.name, ..refusal })?;
    }
    Ok(())
}

fn no(wants: Wants) -> Refusal {
    Refusal::new("guard", wants)
}

/// Acts that change nothing and cost nothing: open even where work has to wait.
fn only_looks(scene: &Scene<'_>) -> bool {
    let looks = [Class::Read, Class::Search, Class::ShellRead, Class::Ask, Class::Housekeeping, Class::Seed];
    scene.call.classes.iter().all(|(class, _)| looks.contains(class))
}

fn state_is_left_alone(scene: &Scene<'_>) -> Result<(), Refusal> {
    if let Some(part) = &scene.call.own_state {
        return Err(no(Wants::HandsOff).with("case", "state").with("path", part.as_str()));
    }
    let all = scene.phase.write.contains(&Write::All);
    for change in &scene.call.changes {
        let case = match change.place {
            Place::OwnState => "state",
            Place::Git => "git",
            Place::Surface if !all => "surface",
            _ => continue,
        };
        return Err(no(Wants::HandsOff).with("case", case).with("path", change.path.as_str()));
    }
    match &scene.call.read {
        Some((path, Place::OwnState)) => {
            Err(no(Wants::HandsOff).with("case", "state").with("path", path.as_str()))
        }
        _ => Ok(()),
    }
}

fn persons_commands_are_theirs(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.persons {
        Some(part) => Err(no(Wants::Person).with("case", "command").with("command", part.as_str())),
        None => Ok(()),
    }
}

fn a_guest_only_looks(scene: &Scene<'_>) -> Result<(), Refusal> {
    if scene.guest && !only_looks(scene) { Err(no(Wants::Driver)) } else { Ok(()) }
}

fn work_happens_at_home(scene: &Scene<'_>) -> Result<(), Refusal> {
    match scene.away {
        Some(branch) if !only_looks(scene) => Err(no(Wants::Home).with("branch", branch)),
        _ => Ok(()),
    }
}

fn the_dial_is_set(scene: &Scene<'_>) -> Result<(), Refusal> {
    let only_seed = scene.call.classes.iter().all(|(class, _)| *class == Class::Seed);
    if scene.phase.dial && !scene.dial_set && !only_seed { Err(no(Wants::Dial)) } else { Ok(()) }
}

fn commits_are_made_by_seed(scene: &Scene<'_>) -> Result<(), Refusal> {
    match &scene.call.git_verb {
        Some(verb) if !scene.phase.opens(Class::ShellGit) && scene.phase.is_in_cycle() => {
            let case = if verb == "commit" && scene.phase.checkpoints { "commit" } else { "git" };
            Err(no(Wants::Checkpoint).with("case", case).with("verb", verb.as_str()))
        }
        _ => Ok(()),
    }
}

fn questions_have_their_shape(scene: &Scene<'_>) -> Result<(), Refusal> {
    scene.call.question.clone().map_or(Ok(()), Err)
}

fn the_act_is_open(scene: &Scene<'_>) -> Result<(), Refusal> {
    for (class, part) in &scene.call.classes {
        // Where a file change has a place, the place says it better.
        let shown = *class == Class::Edit && scene.phase.is_in_cycle();
        if !scene.phase.opens(*class) && !shown {
            return Err(closed(scene, *class, part));
        }
    }
    Ok(())
}

fn closed(scene: &Scene<'_>, class: Class, part: &str) -> Refusal {
    let (wants, case) = match scene.phase.name.as_str() {
        "none" => (Wants::Begin, "none"),
        "talk" => (Wants::Begin, "talk"),
        "idle" => (Wants::Begin, "idle"),
        _ => (Wants::Looking, class_word(class)),
    };
    no(wants).with("case", case).with("what", part)
}

fn class_word(class: Class) -> &'static str {
    match class {
        Class::Read | Class::Search => "search",
        Class::Web | Class::ShellNetwork => "web",
        Class::Edit => "edit",
        Class::ShellRead | Class::ShellUnknown => "shell",
        Class::ShellCode => "code",
        Class::ShellWrite => "shell-write",
        Class::ShellGit => "git",
        Class::ShellOutward => "outward",
        Class::Delegate => "delegate",
        Class::Ask
        | Class::Housekeeping
        | Class::Schedule
        | Class::Seed
        | Class::Foreign
        | Class::Unknown => "tool",
    }
}

fn the_read_is_open(scene: &Scene<'_>) -> Result<(), Refusal> {
    let Some((path, place)) = &scene.call.read else { return Ok(()) };
    let memory = matches!(
        place,
        Place::Page { .. } | Place::Knowledge | Place::Plan { .. } | Place::HostMemory | Place::JobFile
    );
    let open = match scene.phase.reads {
        Reads::All => true,
        Reads::Memory => memory || matches!(place, Place::AgentDefinition | Place::Scratch),
        Reads::None => *place == Place::HostMemory,
    };
    if open { Ok(()) } else { Err(no(Wants::Looking).with("case", "read").with("path", path.as_str())) }
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
    if scene.phase.write.iter().any(|write| lies_in(*write, scene.cycle, change)) {
        return Ok(());
    }
    Err(out_of_place(scene, change))
}

fn lies_in(write: Write, cycle: u32, change: &FileChange) -> bool {
    match (write, &change.place) {
        (Write::All, place) => !matches!(place, Place::Outside | Place::Git | Place::OwnState),
        (Write::Page, Place::Page { .. })
        | (Write::Memory, Place::Page { .. } | Place::Knowledge | Place::AgentDefinition) => true,
        (Write::ScopedPage, Place::Page { .. }) => change.declared && change.exists,
        (Write::Scope, Place::Project { .. }) => change.declared,
        (Write::PlanNew, Place::Plan { own: true }) => cycle == 1 && !change.exists,
        (Write::PlanEdit, Place::Plan { own: true }) => cycle == 1 && change.exists,
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
    let scoped = scene.phase.write.contains(&Write::Scope);
    let (wants, case) = match &change.place {
        Place::Outside => (Wants::Notes, "outside"),
        Place::Plan { .. } | Place::JobFile => (Wants::Notes, "job-file"),
        Place::Page { .. } if scoped && !change.exists => (Wants::Declaration, "new-page"),
        Place::Page { .. } if scene.phase.write.contains(&Write::ScopedPage) => (Wants::Declaration, "page"),
        Place::Project { .. } if scoped => (Wants::Declaration, "file"),
        Place::Knowledge | Place::AgentDefinition => (Wants::Notes, "knowledge"),
        _ => (Wants::Notes, "file"),
    };
    no(wants).with("case", case).with("path", change.path.as_str()).with("dir", dir).with("page", page)
}

fn the_section_is_its_own(scene: &Scene<'_>) -> Result<(), Refusal> {
    for change in &scene.call.changes {
        if matches!(change.place, Place::Page { .. }) {
            section_is_own(scene, change)?;
        }
    }
    Ok(())
}

fn section_is_own(scene: &Scene<'_>, change: &FileChange) -> Result<(), Refusal> {
    if scene.phase.write.contains(&Write::All) {
        return Ok(());
    }
    let named = |refusal: Refusal| refusal.with("path", change.path.as_str());
    let anchors =
        |case: &str, anchor: &str| Err(named(no(Wants::Anchors).with("case", case).with("anchor", anchor)));
    match &change.page {
        None => Err(named(no(Wants::Section).with("case", "opaque"))),
        Some(PageChange::Nothing | PageChange::DoesNotApply) => Ok(()),
        Some(PageChange::Gone) => anchors("gone", ""),
        Some(PageChange::Incomplete { missing }) => anchors("incomplete", &missing.join(" ")),
        Some(PageChange::AnchorLost { anchor }) => anchors("lost", anchor),
        Some(PageChange::Disorder { anchor }) => anchors("disorder", anchor),
        Some(_) if scene.phase.write.contains(&Write::Memory) => Ok(()),
        Some(PageChange::Body) => Err(named(no(Wants::Section).with("case", "body"))),
        Some(PageChange::Below { first_rank }) => match scene.map.rank(scene.phase) {
            Some(own) if *first_rank >= own => Ok(()),
            _ => {
                let earlier = scene.map.anchors().get(*first_rank).copied().unwrap_or_default().to_owned();
                Err(named(no(Wants::Section).with("case", "earlier").with("earlier", earlier)))
            }
        },
    }
}
