//! Who answers for what git does in a call, and for a tool that publishes: gathers what the rule of
//! `phases::git_acts` looks at, and words the question that the host puts to the person.

use crate::engine::repo::sessions::speaks_for;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{git_mark, merge_mark, record};
use crate::event::{Act, Actor, Event, ToolCall};
use crate::format::shown;
use crate::hosts::Host;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword;
use crate::phases::git_acts::{self, GitAct, Moment, Opened, Ruling, Somebody};
use crate::phases::git_reach::{self, Said};
use crate::phases::own_refs;
use crate::phases::place::Place;
use crate::phases::{Class, Phase};
use crate::shell::{self, Reading};
use crate::voice::{Notice, tell};
use crate::world;

/// The most refs that a question spells out.
const SPELLED: usize = 12;
/// And a refusal, which the agent reads.
const IN_A_REFUSAL: usize = 3;

/// What becomes of the acts of git in a line; nothing where there are none, or where the phase
/// opens them by itself.
pub(crate) fn ruling(
    repo: &Repo,
    (host, event, call): (&Host, &Event, &ToolCall),
    phase: &Phase,
    focused: Option<&LoadedJob>,
    reading: &Reading,
) -> Result<Option<(Vec<GitAct>, Ruling)>> {
    let mut acts = git_acts::acts(reading);
    for act in acts.iter_mut().filter(|act| act.is_gits() && act.verb() == "push") {
        let said = git_reach::said(&act.words);
        act.own |= is_widened(repo, &said);
        act.within &= repo.store.pushes_to_upstream();
    }
    if phase.opens(Class::ShellGit) {
        // Git is open there, but for what is open nowhere.
        acts.retain(|act| act.own);
    }
    if acts.is_empty() {
        return Ok(None);
    }
    let line = one_line(call);
    let free = !repo.rules.mode.keeps_jobs();
    let stays = |line: &shell::Line| free && stays_here(repo, (host, event, call), line);
    if line.as_ref().is_none_or(|line| !line.dirs.is_empty() && !stays(line)) {
        // Where it runs is not where the row says.
        for act in &mut acts {
            act.within = false;
        }
    }
    for act in acts.iter_mut().filter(|act| !act.within) {
        // What talks to no remote reaches none.
        act.reach = reach(repo, act, IN_A_REFUSAL).map(told_in_a_refusal).unwrap_or_default();
    }
    // A person opened one command, and nothing before or behind it.
    let alone = line.is_some_and(|line| line.whole && line.dirs.is_empty());
    answered_for(repo, (host, event, call), (phase, focused), acts, alone)
}

/// What becomes of a call of an MCP server that leaves this machine; nothing where it does not, or
/// where the phase opens git by itself.
pub(crate) fn ruling_of_tool(
    repo: &Repo,
    said: (&Host, &Event, &ToolCall),
    phase: &Phase,
    focused: Option<&LoadedJob>,
) -> Result<Option<(Vec<GitAct>, Ruling)>> {
    let call = said.2;
    let Some(leaving) = repo.rules.outward(call).filter(|_| !phase.opens(Class::ShellGit)) else {
        return Ok(None);
    };
    let act = GitAct::of_tool(leaving.name, &call.tool, leaving.row);
    answered_for(repo, said, (phase, focused), vec![act], true)
}

/// The rule on `acts`, with all that it looks at.
fn answered_for(
    repo: &Repo,
    (host, event, call): (&Host, &Event, &ToolCall),
    (phase, focused): (&Phase, Option<&LoadedJob>),
    acts: Vec<GitAct>,
    alone: bool,
) -> Result<Option<(Vec<GitAct>, Ruling)>> {
    let free = !repo.rules.mode.keeps_jobs();
    let prompts = match focused {
        Some(focused) => prompts(repo, focused)?,
        None if free => record::said::of(repo, &event.session)?.git,
        None => Vec::new(),
    };
    let opened = git_mark::read(repo)?.filter(|mark| alone && !mark.opened.is_empty());
    let opened = opened.map(|mark| {
        let used = !mark.call.is_empty() && mark.call != git_mark::id_of(call);
        Opened { words: mark.opened, used }
    });
    let closing = focused.is_some_and(|focused| focused.state.is_closing());
    let merging = merge_mark::under_way(repo)?;
    let moment = Moment {
        at_work: phase.is_in_cycle() && !closing,
        checkpoints: phase.checkpoints,
        free,
        prompts: &prompts,
        somebody: somebody(repo, host, event, &parts(&acts))?,
        opened: opened.as_ref(),
        merging: merging.as_ref(),
        has_commits: focused.is_some_and(|focused| !focused.state.home.commit.is_empty()),
    };
    Ok(git_acts::rule(&acts, &moment).map(|ruling| (acts, ruling)))
}

/// Every directory that the line changes to is one of this work tree.
fn stays_here(
    repo: &Repo,
    (host, event, call): (&Host, &Event, &ToolCall),
    line: &shell::Line,
) -> bool {
    let Act::Shell { cwd, .. } = &call.act else { return false };
    let mut dir = cwd.as_deref().unwrap_or(&event.cwd).to_owned();
    line.dirs.iter().all(|to| {
        let Some(to) = to else { return false };
        dir.push(to);
        let place = repo.place(host, event, &dir, None).place;
        !matches!(place, Place::Outside | Place::Git | Place::OwnState | Place::Scratch)
    })
}

/// Whether git's settings make a push that names no refs take git seed's own along.
fn is_widened(repo: &Repo, said: &Said) -> bool {
    let remote = said.remote.clone().or_else(|| repo.store.push_remote());
    let Some(remote) = remote else { return false };
    let (mirror, specs) = repo.store.push_settings(&remote);
    mirror || said.specs.is_empty() && specs.iter().any(|spec| own_refs::are_in(spec))
}

/// Where an act that talks to a remote goes, and which refs, `most` of them by name.
fn reach(repo: &Repo, act: &GitAct, most: usize) -> Option<(String, String)> {
    let sends = act.verb() == "push";
    if !act.is_gits() || !(sends || matches!(act.verb(), "pull" | "fetch")) {
        return None;
    }
    let (said, store) = (git_reach::said(&act.words), &repo.store);
    let remote = said.remote.or_else(|| if sends { store.push_remote() } else { None });
    let remote = remote.unwrap_or_else(|| store.fetch_remote());
    let urls = if sends { store.pushes_to(&remote) } else { vec![store.fetch_url(&remote)] };
    let shown = |url: &String| shown::on_one_line(&git_reach::without_login(url)).into_owned();
    let urls: Vec<String> = urls.iter().map(shown).collect();
    let mut refs: Vec<String> =
        said.specs.into_iter().flat_map(|spec| store.spelled(spec)).collect();
    if sends && said.branches {
        refs.extend(store.ref_names("refs/heads/"));
    }
    if sends && said.tags {
        refs.extend(store.ref_names("refs/tags/"));
    } else if refs.is_empty() {
        refs = if sends { store.pushed_refs(&remote) } else { store.fetched_refs(&remote) };
    }
    if sends && (said.follows || store.is_set("push.followTags")) {
        refs.push(tell(Notice::GitAskedTags, &[]));
    }
    let more = refs.len().saturating_sub(most);
    refs.truncate(most);
    if more > 0 {
        refs.push(tell(Notice::GitAskedMore, &[("count", &more.to_string())]));
    }
    Some((urls.join(" "), refs.join(" ")))
}

/// The same in brackets, for a refusal.
fn told_in_a_refusal((url, refs): (String, String)) -> String {
    let to = tell(Notice::GitAskedRemote, &[("url", &url)]);
    let refs = told_refs(&refs);
    format!(" ({}{refs})", to.trim_start_matches("; "))
}

fn told_refs(refs: &str) -> String {
    if refs.is_empty() { String::new() } else { tell(Notice::GitAskedRefs, &[("refs", refs)]) }
}

/// The commands of the call's line, where they all stand in the open.
fn one_line(call: &ToolCall) -> Option<shell::Line> {
    match &call.act {
        Act::Shell { command, .. } => shell::simple(command),
        _ => None,
    }
}

/// What the person said to the job, in their own words.
fn prompts(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let mut said = Vec::new();
    for n in 1..=focused.state.job.interactions {
        let words = record::interactions::interaction(repo, &focused.chain, n)?;
        let words = words.filter(|words| words.kind == InteractionKind::Prompt);
        // A short word opens what it says itself, and names nothing beyond it.
        said.extend(words.map(|words| match shortword::read(&words.text) {
            Some((_, rest)) => rest.to_owned(),
            None => words.text.into_string(),
        }));
    }
    Ok(said)
}

fn parts(acts: &[GitAct]) -> Vec<&str> {
    acts.iter().map(|act| act.part.as_str()).collect()
}

/// Whether a person would answer a question of the host's now.
pub(crate) fn somebody(
    repo: &Repo,
    host: &Host,
    event: &Event,
    parts: &[&str],
) -> Result<Somebody> {
    let value = host.attended.as_deref().and_then(world::variable);
    let there = host.is_attended(value.as_deref()) == Some(true);
    if event.by != Actor::Main || !there {
        return Ok(Somebody::Nobody);
    }
    let session = repo.session(&event.session)?;
    let persons = session.is_some_and(|known| {
        !known.nested && known.untold.is_empty() && speaks_for(&known, &world::ancestors())
    });
    if !persons {
        return Ok(Somebody::Nobody);
    }
    if !event.puts_questions {
        return Ok(Somebody::Unasked);
    }
    let setting = host.permission_files().iter().find_map(|file| {
        let path = repo.host_place(file)?;
        // A file that does not read lets nothing pass: the host does not read it, either.
        let settings = serde_json::from_slice(&crate::world::read_plain(&path).ok()?).ok()?;
        parts.iter().find_map(|part| host.lets_pass(&settings, part))
    });
    Ok(setting.map_or(Somebody::There, Somebody::Settings))
}

/// The call is let through: it is written down, and the person is asked where nothing opened it.
pub(crate) fn let_through(
    repo: &Repo,
    call: &ToolCall,
    (acts, ruling): &(Vec<GitAct>, Ruling),
    phase: &Phase,
    closing: bool,
) -> Result<Option<String>> {
    let verbs = acts.iter().map(|act| act.verb().to_owned()).collect();
    let by_word = *ruling == Ruling::Opened;
    let marked =
        || git_mark::read(repo).map(|mark| mark.is_some_and(|mark| !mark.opened.is_empty()));
    if by_word && !repo.rules.mode.keeps_jobs() && !marked()? {
        // Nobody was asked: it is the agent's own.
        return Ok(None);
    }
    git_mark::begin(repo, call, verbs, by_word)?;
    let Ruling::Asked(asked) = ruling else { return Ok(None) };
    let mut lines: Vec<String> = asked.iter().map(|act| question(repo, act)).collect();
    if phase.is_in_cycle() && !closing {
        lines.push(tell(Notice::GitAskedAtWork, &[("phase", phase.name.as_str())]));
    }
    Ok(Some(lines.join("\n")))
}

/// One act in the words of the question; beyond its bounds with all that it reaches.
fn question(repo: &Repo, act: &GitAct) -> String {
    let line = act.part.clone();
    let (says, upstream) = says(repo, act);
    if act.within {
        return tell(Notice::GitAsked, &[("line", &line), ("says", &says)]);
    }
    // As above.
    let (to, refs) = reach(repo, act, SPELLED).unwrap_or_default();
    let to = if to.is_empty() { to } else { tell(Notice::GitAskedRemote, &[("url", &to)]) };
    let (to, refs) = (upstream + &to, told_refs(&refs));
    tell(Notice::GitAskedWide, &[("line", &line), ("says", &says), ("to", &to), ("refs", &refs)])
}

/// What an act does, and beyond its bounds where the upstream of this branch is: its row speaks
/// of a line that names no remote.
fn says(repo: &Repo, act: &GitAct) -> (String, String) {
    let by_row = act.row.map_or("", |row| row.says.as_str()).to_owned();
    let sends = act.verb() == "push";
    if !act.is_gits() || !(sends || act.verb() == "pull") {
        return (by_row, String::new());
    }
    let (said, upstream) = (git_reach::said(&act.words), repo.store.upstream_shown());
    let plain = said.remote.is_none() && said.specs.is_empty() && !said.branches && !said.tags;
    if act.within || sends && plain && repo.store.pushes_to_upstream() {
        let Some(upstream) = upstream.filter(|_| sends) else { return (by_row, String::new()) };
        return (tell(Notice::GitAskedPush, &[("upstream", &upstream)]), String::new());
    }
    let remote = said.remote.or_else(|| if sends { repo.store.push_remote() } else { None });
    let remote = remote.unwrap_or_else(|| repo.store.fetch_remote());
    let remote = shown::on_one_line(&git_reach::without_login(&remote)).into_owned();
    let notice = if sends { Notice::GitAskedPushTo } else { Notice::GitAskedPullFrom };
    let known = match upstream {
        Some(upstream) => tell(Notice::GitAskedUpstream, &[("upstream", &upstream)]),
        None => tell(Notice::GitAskedNoUpstream, &[]),
    };
    (tell(notice, &[("remote", &remote)]), known)
}
