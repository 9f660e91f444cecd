//! Before a tool: gather, judge, answer. A call that passes writes nothing.

use crate::engine::person;
use crate::engine::quote::count_words;
use crate::engine::record;
use crate::engine::repeats::RepeatedRefusal;
use crate::engine::repo::{self, LoadedJob, Repo, Result, UnwrittenRefusal};
use crate::engine::{claims, fence, git_consent, guests, hook, jobs, judge, memory};
use crate::engine::{merge_mark, other_line, repeats, rewrite};
use crate::event::{Act, Actor, Event, ToolCall};
use crate::format::journal::{Counts, Refused, ToldWords, What};
use crate::hosts::{self, Answer, Host};
use crate::jobs::questions::Grant;
use crate::phases::guard::{self, Scene};
use crate::phases::place::Place;
use crate::shell::{self, Program, SeedCommand};
use crate::verdict::{Case, Refusal, Verdict, Wants};
use crate::voice::{self, Way};
use crate::world;

pub(crate) fn before(repo: &Repo, host: &Host, event: &Event, call: &ToolCall) -> Result<Answer> {
    let mut focused = repo.focused_at_opening()?;
    // A prompt whose hook was killed may have left a job without its focus.
    if focused.is_none() && jobs::turning::finish(repo)? {
        focused = repo.focused()?;
    }
    if let (Act::Ask { .. }, Some(job)) = (&call.act, &mut focused) {
        // A question names its job; nothing else that is judged does.
        repo.name_in(&mut job.state, &job.tip)?;
    }
    if focused.is_none() && !repo.is_seeded()? {
        return Ok(Answer::silence());
    }
    // What it does cannot be told.
    if call.tool.is_empty() {
        let refusal = guard::unjudged(&"it names no tool");
        return Ok(refuse_unjudged(repo, focused.as_ref(), call, refusal));
    }
    let focused = focused.as_ref();
    let guest = focused.map_or(Ok(false), |focused| repo.is_guest(focused, event))?;
    // A launch that went to the host is one launch, however often its event comes.
    if matches!(call.act, Act::Delegate { .. })
        && record::journal_line::is_noted(repo, What::Launched, event, call)
    {
        return Ok(Answer::silence());
    }
    let mut scene = hook::scene::scene(repo, host, event, call, focused, guest)?;
    let verdict = match journal_holds(focused, call) {
        Ok(()) => merge_mark::judge(repo, call, &mut scene)?,
        Err(refusal) => Err(refusal),
    };
    let Err(refusal) = verdict else {
        return let_through(repo, host, event, (call, &scene), focused.filter(|_| !guest));
    };
    if refusal.wants == Wants::Section
        && let Some((with, text)) = rewrite::anchored(repo, event, call, focused)
    {
        let anchored = hook::scene::scene(repo, host, event, &with, focused, guest)?;
        // Whatever else stands in its way, the anchor does not.
        if let Err(refusal) = guard::judge(&anchored) {
            return refuse(repo, focused, event, &with, &anchored, &refusal);
        }
        let focused = focused.filter(|_| !guest);
        let answer = let_through(repo, host, event, (&with, &anchored), focused)?;
        return Ok(Answer { rewrite: Some(text), ..answer });
    }
    refuse(repo, focused, event, call, &scene, &refusal)
}

/// What goes with a call that passes, and the look before it.
pub(crate) fn let_through(
    repo: &Repo,
    host: &Host,
    event: &Event,
    (call, scene): (&ToolCall, &Scene<'_>),
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    hook::handed::keep(repo, host, event, call)?;
    let mut answer = pass(repo, event, call, scene, focused)?;
    if let Some(ruled) = &scene.call.git {
        let closing = focused.is_some_and(|focused| focused.state.is_closing());
        answer.ask = git_consent::let_through(repo, call, ruled, scene.phase, closing)?;
    }
    if let Some(guard::Untried::Asked(question)) = &scene.call.untried {
        answer.ask.get_or_insert_with(|| question.clone());
    }
    fence::looks::look_first(repo, event, call, answer.rewrite.is_some(), focused)?;
    Ok(answer)
}

pub(crate) fn refuse(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    event: &Event,
    call: &ToolCall,
    scene: &Scene<'_>,
    refusal: &Refusal,
) -> Result<Answer> {
    let phase = scene.phase.name.as_str();
    let refusal = scene.phase.names.put_in(refusal.clone());
    let refusal = &heard_by(&event.by, beside_a_pause(repo, refusal), phase);
    let mut text = repo.say(focused, refusal, phase);
    let words = count_words(&text);
    let mut paths: Vec<String> =
        scene.call.changes.iter().map(|change| change.path.clone()).collect();
    if let (true, Some((path, _))) = (paths.is_empty(), &scene.call.read) {
        paths.push(path.clone());
    }
    let mut storm = RepeatedRefusal::default();
    if !scene.guest
        && !record::journal_line::is_noted(repo, What::Refused, event, call)
        && let Some(mut counts) = record::journal_line::counts_now(repo, focused)
    {
        storm = counted(&mut counts, refusal, phase, words);
    }
    repo.unwritten.replace(Some(UnwrittenRefusal {
        focused: focused.cloned(),
        call: call.clone(),
        paths,
        refusal: refusal.clone(),
        phase: phase.to_owned(),
        words,
    }));
    if let Some(example) = &storm.example {
        text = format!("{text}\n{example}");
    }
    let to_person = storm.is_news.then(|| repeats::line(refusal, phase));
    Ok(Answer { to_person, ..Answer::refuse(text) })
}

/// A refusal for want of a job, where the person paused one here: its word goes on.
fn beside_a_pause(repo: &Repo, refusal: Refusal) -> Refusal {
    let is_none = refusal.wants == Wants::Begin && refusal.facts.case() == Some("none");
    // Jobs that do not read are named elsewhere.
    let paused = || jobs::birth::newest_paused_here(repo).unwrap_or_default();
    match is_none.then(paused).flatten() {
        Some(job) => refusal.case(Case::Paused).with("job", job.state.job.name.as_str()),
        None => refusal,
    }
}

/// A refusal as `by` is to hear it.
pub(crate) fn heard_by(by: &Actor, refusal: Refusal, phase: &str) -> Refusal {
    if *by != Actor::Main && is_for_the_main_session(&refusal, phase) {
        refusal.with(voice::REPORTS, "yes")
    } else {
        refusal
    }
}

/// What a refusal says to do is not open to a subagent: it takes no step of the job, asks nobody
/// and launches none.
fn is_for_the_main_session(refusal: &Refusal, phase: &str) -> bool {
    let said = voice::say(refusal, phase);
    let ways = [Way::Question, Way::Person, Way::Delegate];
    let step = |command: &str| {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        shell::can_be_handed_over(&words) && guard::takes_a_step(command)
    };
    said.way.is_some_and(|way| ways.contains(&way)) || said.do_.split("git seed ").skip(1).any(step)
}

fn counted(
    counts: &mut Counts,
    refusal: &Refusal,
    phase: &str,
    words: ToldWords,
) -> RepeatedRefusal {
    counts.refusals += 1;
    counts.tell(words);
    let mut storm = repeats::refused(counts, refusal, phase);
    storm.is_news = repeats::is_news(counts);
    storm
}

/// Refuses a call that cannot be judged, for a reason that the agent can put there.
pub(crate) fn refuse_unjudged(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    call: &ToolCall,
    refusal: Refusal,
) -> Answer {
    let text = voice::say(&refusal, "").text();
    let words = count_words(&text);
    repo.unwritten.replace(Some(UnwrittenRefusal {
        // Where it does not read the line stands over none.
        focused: focused.cloned().or_else(|| repo.focused().ok().flatten()),
        call: call.clone(),
        paths: Vec::new(),
        refusal,
        phase: String::new(),
        words,
    }));
    Answer::refuse(text)
}

/// Writes down the refusal that was said: the host has it, whatever keeps the journal.
pub(crate) fn write_down(repo: &Repo, event: &Event) {
    let Some(said) = repo.unwritten.take() else { return };
    if event.session == hosts::CANARY {
        // A trial of doctor's is no work.
        return;
    }
    let about = (What::Refused, event, &said.call);
    let guest = guests::is_one(repo, said.focused.as_ref(), event);
    // A no stays a no where its line cannot be written: a full disk opens nothing.
    let _ = record::journal_line::note_once(repo, said.focused.as_ref(), about, |line| {
        line.paths.clone_from(&said.paths);
        line.refusal = Some(Refused::of(&said.refusal, &said.phase));
        line.guest = guest;
        if !guest {
            counted(&mut line.counts, &said.refusal, &said.phase, said.words);
        }
    });
}

/// A call that passes: silence, but for what has to be remembered or granted.
fn pass(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    scene: &Scene<'_>,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let mut to_person = None;
    let mut context = None;
    // Before the first step there is no work that a ruling could stand behind.
    if let Some(focused) = focused.filter(|focused| !focused.state.stand.is_talk())
        && let Some(refusal) = claims::required::advised(repo, call, &scene.call.changes, focused)
    {
        context = claims::required::advise(repo, &event.session, focused, &refusal)?;
    }
    if let (Act::Ask(questions), Actor::Main) = (&call.act, &event.by)
        // The scene has asked the same, and refused the call where it could not be answered.
        && let Ok(admitted) = person::ask::ask(repo, questions, repo.row(focused), focused)
        && let Some(asked) = admitted.into_iter().find(|one| one.row.decides())
    {
        record::journal_line::note_once(repo, focused, (What::Asked, event, call), |line| {
            line.paths = person::answers::asked(&asked);
        })?;
        if let (Some(focused), Grant::Complete) = (focused, asked.row.grants) {
            let ruled = person::ask::ruled(repo, &asked, focused)?;
            to_person = Some(judge::card::shown(repo, focused, ruled.as_ref())?);
        }
    }
    if let (Act::Delegate { agent, prompt }, Some(focused)) = (&call.act, focused) {
        let bound = memory::note_agents::dispatch(repo, focused, agent, prompt)?.ok().flatten();
        let note = bound.map(|bound| (bound.note, bound.times)).unwrap_or_default();
        let about = (What::Launched, event, call);
        record::journal_line::note_once(repo, Some(focused), about, |line| {
            line.counts.activity.launched(call, agent, note, repo.now);
        })?;
    }
    if let Act::Shell { command, background: false, .. } = &call.act
        && is_own_line(repo, event, command)
    {
        return Ok(Answer {
            rewrite: other_line::proving_line(repo, event, call),
            ..Answer::grant()
        });
    }
    let rewrite = rewrite::confined_line(repo, event, call, focused);
    Ok(Answer { context, to_person, rewrite, ..Answer::silence() })
}

/// The journal must hold before anything is written or run.
fn journal_holds(focused: Option<&LoadedJob>, call: &ToolCall) -> Verdict {
    let trouble = focused.and_then(|focused| focused.activity.as_ref().err());
    guard::journal_holds(trouble.map(|trouble| trouble as &dyn std::fmt::Display), &call.act)
}

/// Literal commands of git seed that are the agent's, and that run this very binary; what a pipe
/// leads into is no program of the repository. Where the host only plans, they change nothing.
fn is_own_line(repo: &Repo, event: &Event, command: &str) -> bool {
    let Some(line) = shell::seed_line(command) else { return false };
    let top = repo::paths::real(repo.store.work_tree());
    let foreign = |name: &String| world::on_path(name).is_some_and(|path| !path.starts_with(&top));
    // A text that it reads is kept with the job: it is one of this repository, or scratch.
    let near = |file: &&str| {
        let place = repo.resolve(std::path::Path::new(file), &event.cwd, None, &[]).place;
        !matches!(place, Place::Outside | Place::Git | Place::OwnState | Place::HostMemory)
    };
    (!event.plans || line.looks())
        && line.commands.iter().flat_map(SeedCommand::files).all(|file| near(&file))
        && line.commands.iter().all(|command| is_own(&command.program))
        && line.filters.iter().all(foreign)
}

fn is_own(program: &Program) -> bool {
    let own = world::own_binary();
    match program {
        Program::Path(path) => crate::world::real(path).is_ok_and(|path| path == own),
        Program::Bare | Program::GitSeed => {
            world::on_path("git-seed").is_some_and(|path| path == own)
        }
    }
}
