//! Gathers what guards may look at, for one tool call. Reads only.

use std::path::Path;
use std::rc::Rc;

use crate::engine::acts_of_line::{
    class_in, class_of, is_confinable, is_scratch, programs_first, show, shown,
};
use crate::engine::hook::changes;
use crate::engine::repo::paths::Resolved;
use crate::engine::repo::rows::to_line;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, claims, fence, git_consent, git_hooks, hook, jobs, judge, memory};
use crate::engine::{named_dirs, own_dir, person, record, rewrite};
use crate::event::{Act, Event, ToolCall};
use crate::hosts::Host;
use crate::jobs::shortword;
use crate::memory::scope::Scope;
use crate::phases::guard::{self, Call, FileChange, Scene};
use crate::phases::place::Place;
use crate::phases::{Class, FirstStep, Phase, mcp, said_scope};
use crate::rules::ClaimMode;
use crate::shell::{self, Effect};
use crate::verdict::Refusal;

/// The scene of `call`.
pub(crate) fn scene<'a>(
    repo: &'a Repo,
    host: &Host,
    event: &'a Event,
    call: &'a ToolCall,
    focused: Option<&'a LoadedJob>,
    guest: bool,
) -> Result<Scene<'a>> {
    let phase = if guest { repo.rules.maps.home().none() } else { repo.row(focused) };
    let stand = focused.map(|focused| &focused.state.stand);
    let mut acts = call_of(&Setting { repo, host, event, phase, focused, call }, call)?;
    let dial_set = stand.is_some_and(|stand| stand.entry.multiplier.is_some());
    if let Act::Shell { command, .. } = &call.act
        && (phase.dial && !dial_set || !phase.opens(Class::ShellCode))
        && acts.classes.iter().any(|(class, _)| *class == Class::ShellCode)
    {
        acts.tests = repo.rules.runs().runs_here(command);
    }
    let away = focused.and_then(|focused| repo.away(focused));
    let stay = focused.map(|focused| record::activity::stay(repo, focused)).unwrap_or_default();
    let spent = phase.pace.as_ref().filter(|pace| pace.is_spent(&stay, host.delegates()));
    let helper = spent.map(|pace| pace.helper.as_str());
    let first = focused.map_or(FirstStep::Whole, |job| repo.first_step(&job.state));
    let begins = focused.filter(|job| job.state.stand.is_talk() && first != FirstStep::Whole);
    Ok(Scene {
        unread: match begins {
            Some(job) => is_unread(repo, job, &acts)?,
            None => false,
        },
        helper: helper.filter(|name| repo.has_subagent(host, name)),
        anchors: repo.rules.maps.anchors(),
        phase,
        first,
        cycle: stand.map_or(0, |stand| stand.cycle),
        by: &event.by,
        dial_set,
        page: repo.rules.page_name(),
        guest,
        stay,
        delegates: host.delegates(),
        reviewed: focused.is_some_and(|focused| focused.state.review.opens_a_cycle().is_ok()),
        uncommitted: match focused {
            Some(focused) if !host.delegates() => fence::survey::is_uncommitted(repo, focused)?,
            _ => false,
        },
        unsummed: focused.is_some_and(|focused| jobs::summary::is_wanted(&focused.state)),
        room: focused
            .filter(|_| !guest)
            .map(|focused| memory::compaction::room(repo, focused, event))
            .unwrap_or_default(),
        away,
        gone: away.is_none()
            && !guard::looks_only(&acts)
            && focused.is_some_and(|focused| record::rewritten::is_gone(repo, focused)),
        call: acts,
    })
}

/// What the acts of one event are judged in.
struct Setting<'a> {
    repo: &'a Repo,
    host: &'a Host,
    event: &'a Event,
    phase: &'a Phase,
    focused: Option<&'a LoadedJob>,
    call: &'a ToolCall,
}

impl Setting<'_> {
    fn place(&self, path: &Path) -> Resolved {
        self.repo.place(self.host, self.event, path, self.focused)
    }

    fn by(&self) -> changes::By<'_> {
        let Setting { repo, host, event, phase, focused, .. } = *self;
        changes::By { repo, host, event, phase, focused }
    }

    /// A directory of git's below which git seed's state lies: a search there comes up with it.
    fn holds_state(&self, found: &Resolved) -> bool {
        let store = &self.repo.store;
        let holds = |dir: &Path| {
            let dir = crate::world::real(dir).unwrap_or_else(|_| dir.to_owned());
            dir.join("seed").starts_with(&found.real)
        };
        found.place == Place::Git && (holds(store.git_dir()) || holds(store.common_dir()))
    }

    fn scope(&self) -> Result<Scope> {
        self.repo.scope_for(self.phase, self.focused)
    }
}

/// A call of which nothing is known yet but its tool and the class of its act.
fn blank(call: &ToolCall, class: Option<Class>) -> Call<'_> {
    Call {
        tool: &call.tool,
        classes: class.map(|class| (class, call.tool.clone())).into_iter().collect(),
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
    }
}

/// The tool only looks, by its name, where the phase opens the web and not every server.
fn looks_up(setting: &Setting<'_>, server: &str, tool: &str) -> bool {
    let Setting { repo, phase, .. } = *setting;
    !phase.opens(Class::Foreign)
        && phase.opens(Class::Web)
        && repo.rules.tool_of(server, tool) != mcp::Tool::Acts
}

/// The class of an act that is one thing; a shell line shows its classes piece by piece.
fn class_of_act(setting: &Setting<'_>, call: &ToolCall) -> Option<Class> {
    Some(match &call.act {
        Act::Read { .. } => Class::Read,
        Act::Search { .. } => Class::Search,
        Act::Web { .. } => Class::Web,
        Act::Edit(_) => Class::Edit,
        Act::Shell { .. } => return None,
        // Where nothing is delegated, what only looks is a search like any other.
        Act::Delegate { agent, .. }
            if !setting.phase.opens(Class::Delegate) && setting.host.lookers.contains(agent) =>
        {
            Class::Search
        }
        Act::Delegate { .. } => Class::Delegate,
        Act::Ask(_) => Class::Ask,
        Act::Housekeeping => Class::Housekeeping,
        Act::Schedule { .. } => Class::Schedule,
        Act::Foreign { server, .. }
            if setting.repo.is_own_server(setting.host, server, &call.tool) =>
        {
            Class::Seed
        }
        // What a server lets be looked up is open wherever the web is.
        Act::Foreign { server, .. } if looks_up(setting, server, &call.tool) => Class::Web,
        // What leaves this machine is answered for as the same act of a line is.
        Act::Foreign { server, .. } if setting.repo.rules.leaves(server, &call.tool).is_some() => {
            Class::ShellGit
        }
        Act::Foreign { .. } => Class::Foreign,
        Act::Unknown => Class::Unknown,
    })
}

fn call_of<'a>(setting: &Setting<'_>, call: &'a ToolCall) -> Result<Call<'a>> {
    let Setting { repo, host, phase, focused, .. } = *setting;
    let mut out = blank(call, class_of_act(setting, call));
    let (mut reading, mut edits) = (None, Vec::new());
    match &call.act {
        Act::Read { path } => {
            let resolved = setting.place(path);
            out.read = Some((resolved.shown, resolved.place));
        }
        Act::Search { path } => {
            let found = path.as_deref().map(|path| setting.place(path));
            out.read = found
                .filter(|found| found.place == Place::OwnState || setting.holds_state(found))
                .map(|found| (found.shown, Place::OwnState));
        }
        Act::Edit(files) => {
            let scope = setting.scope()?;
            for file in files {
                let resolved = changes::edited(&setting.by(), file);
                edits.push((resolved.shown.clone(), &file.change));
                out.changes.extend(changes::of_file(repo, resolved, file, &scope, focused)?);
            }
        }
        Act::Shell { command, cwd, .. } => {
            reading = Some(shell(setting, command, cwd.as_deref(), &mut out)?);
        }
        Act::Delegate { agent, prompt } => {
            // Where the pages do not read, no launch can be for a note of theirs.
            out.dispatch = focused.and_then(|focused| {
                match memory::note_agents::dispatch(repo, focused, agent, prompt) {
                    Ok(bound) => bound.err(),
                    Err(error) => Some(Refusal::broken("state", &error)),
                }
            });
        }
        Act::Ask(questions) => {
            out.question = person::ask::unfit(repo, host, questions, (phase, focused));
        }
        Act::Schedule { text } => {
            // No tool makes a person's short word.
            out.persons =
                shortword::read(text).map(|(word, _)| format!("a prompt that begins with {word}"));
        }
        Act::Foreign { server, .. } => {
            foreign(setting, server, &mut out)?;
            touched(setting, &mut out)?;
        }
        Act::Web { .. } | Act::Housekeeping | Act::Unknown => {}
    }
    let mentioned = || call.mentions.iter().find(|text| shell::names_state(text)).cloned();
    out.own_state = out.own_state.take().or_else(mentioned);
    named_dirs::leave_free(repo, (phase, focused), &call.act, &mut out.changes)?;
    shut_paths(setting, &mut out.changes)?;
    if let Some(focused) = focused {
        out.outgrows = boundary::size::outgrown_by(repo, focused, &edits, &out.changes)?;
        out.unseen = unseen(repo, focused, &out.changes)?;
    }
    out.unproven = unproven(setting, call, &out, reading.as_deref())?;
    Ok(out)
}

/// Who answers for a tool of a server: for the first look of one, and for what leaves this machine.
fn foreign(setting: &Setting<'_>, server: &str, out: &mut Call<'_>) -> Result<()> {
    let Setting { repo, host, event, phase, focused, call } = *setting;
    if looks_up(setting, server, &call.tool) {
        out.untried = hook::first_time::of_server(repo, (host, event), server, call)?;
    } else if shown(&out.classes, Class::ShellGit).is_some() {
        out.git = git_consent::ruling_of_tool(repo, (host, event, call), phase, focused)?;
    }
    Ok(())
}

/// What a tool of a server names on this machine: its paths as an edit's, its command as a line of
/// the shell. Where nothing says that the command is one, it counts as far as it shows what it
/// changes.
fn touched(setting: &Setting<'_>, out: &mut Call<'_>) -> Result<()> {
    let Setting { repo, host, event, phase, focused, call } = *setting;
    if shown(&out.classes, Class::Seed).is_some() {
        return Ok(());
    }
    let touches = repo.rules.touches(call);
    let named = changes::named(&setting.by(), &touches, &setting.scope()?)?;
    out.changes.extend(named);
    if touches.command.is_empty() {
        return Ok(());
    }
    let cwd = touches.dir.map(|dir| event.cwd.join(dir));
    let act = Act::Shell { command: touches.command.clone(), cwd: cwd.clone(), background: false };
    let line = ToolCall { act, ..call.clone() };
    let mut told = blank(&line, None);
    let setting = Setting { repo, host, event, phase, focused, call: &line };
    shell(&setting, &touches.command, cwd.as_deref(), &mut told)?;
    let guess = [Class::ShellUnknown, Class::ShellCode, Class::ShellRead, Class::Web, Class::Seed];
    told.classes.retain(|(class, _)| touches.shell || !guess.contains(class));
    out.classes.extend(told.classes);
    out.changes.extend(told.changes);
    out.own_state = out.own_state.take().or(told.own_state);
    out.git = out.git.take().or(told.git);
    (out.persons, out.no_command, out.moves) = (told.persons, told.no_command, told.moves);
    Ok(())
}

/// Where no job is kept, what closes the paths of a call: words of the person, and the rules.
fn shut_paths(setting: &Setting<'_>, changes: &mut [FileChange]) -> Result<()> {
    let Setting { repo, event, .. } = *setting;
    if changes.is_empty() || repo.rules.mode.keeps_jobs() {
        return Ok(());
    }
    let said = record::said::of(repo, &event.session)?;
    for change in changes {
        if !matches!(change.place, Place::HostMemory | Place::Scratch | Place::Outside) {
            change.shut = said_scope::shut(&change.path, &said.paths, &repo.rules.fence_scope);
        }
        change.declared = change.shut.is_none();
    }
    Ok(())
}

/// A file of the project that a call on the small lane would change, and that this context has not
/// seen. What tools write by themselves is nobody's to read.
fn unseen(repo: &Repo, focused: &LoadedJob, changes: &[FileChange]) -> Result<Option<String>> {
    let confined = repo.map(&focused.state.stand).confines(repo.row(Some(focused))).is_some();
    let work = |change: &&FileChange| {
        matches!(change.place, Place::Project { .. })
            && change.exists
            && !repo.rules.companions().is_lock(&change.path)
    };
    let mut old = changes.iter().filter(work).peekable();
    if !confined || old.peek().is_none() {
        return Ok(None);
    }
    let seen = claims::turn::seen_in_context(repo, focused)?;
    Ok(old.find(|change| !seen.contains(&change.path)).map(|change| change.path.clone()))
}

/// Whether the small lane would not open where `call` writes, since nothing there was opened.
fn is_unread(repo: &Repo, focused: &LoadedJob, call: &Call<'_>) -> Result<bool> {
    let Some(dir) = call.dir().map(to_line) else { return Ok(false) };
    let opened = claims::turn::opened_in_job(repo, focused)?;
    Ok(boundary::small::unseen(repo, &[dir], &opened).is_some())
}

/// What nothing shows of the work that a call lets out, or of a call that wants a ruling first.
fn unproven(
    setting: &Setting<'_>,
    call: &ToolCall,
    out: &Call<'_>,
    reading: Option<&shell::Reading>,
) -> Result<Option<Refusal>> {
    let Setting { repo, focused, .. } = *setting;
    Ok(match (repo.rules.claims, focused, reading, &call.act) {
        (ClaimMode::Enforce, Some(focused), ..) => {
            claims::required::lacks_ruling(repo, call, &out.changes, focused)
        }
        (ClaimMode::Judge, Some(focused), Some(reading), Act::Shell { command, cwd, .. }) => {
            let dir = cwd.as_deref().unwrap_or(&setting.event.cwd);
            judge::closing::act(repo, (command, dir, reading), focused, out.git.as_ref())?
        }
        (ClaimMode::Judge, Some(focused), _, Act::Foreign { .. }) => {
            let outward = repo.rules.outward(call);
            let ruled = |outward| judge::closing::tool(repo, outward, focused, out.git.as_ref());
            outward.map(ruled).transpose()?.flatten()
        }
        (ClaimMode::Judge | ClaimMode::Enforce, None, _, Act::Foreign { .. })
            if !repo.rules.mode.keeps_jobs() =>
        {
            let (outward, session) = (repo.rules.outward(call), &setting.event.session);
            let ruled =
                |outward| judge::words::tool_of_session(repo, outward, session, out.git.as_ref());
            outward.map(ruled).transpose()?.flatten()
        }
        (
            ClaimMode::Judge | ClaimMode::Enforce,
            None,
            Some(reading),
            Act::Shell { command, cwd, .. },
        ) if !repo.rules.mode.keeps_jobs() => {
            let dir = cwd.as_deref().unwrap_or(&setting.event.cwd);
            let (line, session) = ((command.as_str(), dir, reading), &setting.event.session);
            judge::words::act_of_session(repo, line, session, out.git.as_ref())?
        }
        _ => None,
    })
}

/// Reads a shell line: its acts, and what it would change.
fn shell(
    setting: &Setting<'_>,
    command: &str,
    cwd: Option<&Path>,
    out: &mut Call<'_>,
) -> Result<Rc<shell::Reading>> {
    let Setting { repo, event, phase, .. } = *setting;
    let reading = repo.line(command);
    let scope = setting.scope()?;
    let cwd = cwd.unwrap_or(&event.cwd);
    out.own_state = own_dir::named(repo, command, cwd, &|path| setting.place(path))
        .or_else(|| own_dir::program_in(&reading, command, cwd));
    let confines = rewrite::confines(repo, event, phase, &reading);
    let said = (setting.host, event, setting.call);
    out.git = git_hooks::ruling(repo, said, phase, setting.focused, &reading)?;
    let of_git = |found: &shell::Found| {
        out.git.iter().flat_map(|(acts, _)| acts).any(|act| act.part == found.part)
    };
    let git: Vec<bool> = reading.found.iter().map(of_git).collect();
    let reproduces = |reading: &shell::Reading, found: &shell::Found, confined: bool| {
        hook::first_time::reproduces(repo, phase, (reading, found), confined)
    };
    let mut by_code = Vec::new();
    for (found, of_git) in reading.found.iter().zip(git) {
        let stands_before = hook::first_time::stands_before_a_run(repo, &reading, found);
        let class = class_in(phase, found, of_git, stands_before);
        // Confined it can change nothing that a phase keeps, so it looks.
        let held = (confines || found.confined) && phase.confined.contains(&class);
        let tried = class == Class::ShellCode && reproduces(&reading, found, confines);
        if tried && out.untried.is_none() {
            out.untried = hook::first_time::of_run(repo, (setting.host, event), &found.part)?;
        }
        let writes = matches!(found.effect, Effect::Write | Effect::Network | Effect::RunsCode)
            || found.git.as_ref().is_some_and(|git| git.verb == "stash");
        let written =
            if writes { changes::written(&setting.by(), found, cwd, &scope)? } else { Vec::new() };
        let log = class == Class::ShellWrite && named_dirs::is_log(repo, phase, found, &written)?;
        let scratch = class == Class::ShellWrite && is_scratch(found, &written);
        let looks = held || tried || scratch || log;
        let part = if stands_before { shell::as_one_command(command) } else { found.part.clone() };
        out.classes.push((if looks { Class::ShellRead } else { class }, part));
        show(found, out);
        if class == Class::ShellCode && !looks {
            by_code.extend(written.iter().cloned());
        }
        out.changes.extend(written.into_iter().filter(|_| !log));
    }
    out.classes = programs_first(command, &reading, std::mem::take(&mut out.classes));
    confinable(setting, &reading, out)?;
    // A writer that the phase does not open at all says so by its act, not by its place.
    if !phase.opens(Class::ShellWrite) {
        out.refuses_its_act();
        // Code is open, and what it shows that it changes is not: that has a place.
        out.changes.extend(named_dirs::of_the_work(repo, by_code)?);
    }
    Ok(reading)
}

/// Whether what is closed in a line would be open if the kernel confined it, and who then answers
/// for the run of tests in it.
fn confinable(setting: &Setting<'_>, reading: &shell::Reading, out: &mut Call<'_>) -> Result<()> {
    let Setting { repo, event, phase, host, .. } = *setting;
    let tests = || {
        let code = reading.found.iter().filter(|found| class_of(found) == Class::ShellCode);
        code.into_iter().all(|found| hook::first_time::is_run(repo, reading, found))
    };
    out.confinable = is_confinable(phase, &out.classes, &tests);
    if out.confinable
        && let Some((_, run)) = shown(&out.classes, Class::ShellCode)
    {
        out.untried = hook::first_time::of_run(repo, (host, event), run)?;
    }
    Ok(())
}
