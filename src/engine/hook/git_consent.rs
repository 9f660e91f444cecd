//! Who answers for what git does in a call: gathers what the rule of `phases::git_acts` looks at,
//! and words the question that the host puts to the person.

use crate::engine::record::{self, git_mark};
use crate::engine::repo::sessions::speaks_for;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{git_mark, record};
use crate::event::{Act, Actor, Event, ToolCall};
use crate::hosts::Host;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword;
use crate::phases::git_acts::{self, GitAct, Moment, Opened, Ruling, Somebody};
use crate::phases::own_refs;
use crate::phases::place::Place;
use crate::phases::{Class, Phase};
use crate::shell::{self, Reading};
use crate::voice::{Notice, tell};
use crate::world;

/// The most refs that a question spells out.
const SPELLED: usize = 12;

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
    for act in acts.iter_mut().filter(|act| act.verb() == "push") {
        act.own |= is_widened(repo, act);
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
    let prompts = match focused {
        Some(focused) => prompts(repo, focused)?,
        None if free => record::said::of(repo, &event.session)?.git,
        None => Vec::new(),
    };
    // A person opened one command, and nothing before or behind it.
    let alone = line.is_some_and(|line| line.whole && line.dirs.is_empty());
    let opened = git_mark::read(repo)?.filter(|mark| alone && !mark.opened.is_empty());
    let opened = opened.map(|mark| {
        let used = !mark.call.is_empty() && mark.call != git_mark::id_of(call);
        Opened { words: mark.opened, used }
    });
    let closing = focused.is_some_and(|focused| focused.state.is_closing());
    let moment = Moment {
        at_work: phase.is_in_cycle() && !closing,
        checkpoints: phase.checkpoints,
        free,
        prompts: &prompts,
        somebody: somebody(repo, host, event, &parts(&acts))?,
        opened: opened.as_ref(),
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
fn is_widened(repo: &Repo, act: &GitAct) -> bool {
    let operands = operands(act);
    let remote = operands.first().map(|name| (*name).to_owned());
    let Some(remote) = remote.or_else(|| repo.store.push_remote()) else { return false };
    let (mirror, specs) = repo.store.push_settings(&remote);
    mirror || operands.len() < 2 && specs.iter().any(|spec| own_refs::are_in(spec))
}

fn operands(act: &GitAct) -> Vec<&str> {
    let words = act.words.iter().skip(2).map(String::as_str);
    words.filter(|word| !word.starts_with('-')).collect()
}

/// The refs that an option of a push stands for, by name.
fn refs_of_options(repo: &Repo, act: &GitAct) -> Vec<String> {
    let has = |name: &str| {
        act.words.iter().any(|word| word == name || word.len() > 4 && name.starts_with(word))
    };
    let mut found = Vec::new();
    if act.verb() == "push" && (has("--all") || has("--branches")) {
        found.extend(repo.store.ref_names("refs/heads/"));
    }
    if act.verb() == "push" && has("--tags") {
        found.extend(repo.store.ref_names("refs/tags/"));
    }
    let more = found.len().saturating_sub(SPELLED);
    found.truncate(SPELLED);
    if more > 0 {
        found.push(tell(Notice::GitAskedMore, &[("count", &more.to_string())]));
    }
    found
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
        let path = match file.strip_prefix("~/") {
            Some(rest) => repo.persons_home()?.join(rest),
            None => repo.store.work_tree().join(file),
        };
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
    let says = act.row.map_or("", |row| row.says.as_str());
    if act.within {
        return tell(Notice::GitAsked, &[("line", &line), ("says", says)]);
    }
    let operands = operands(act);
    let remote = operands.first().map(|name| (*name).to_owned());
    let by_default = || (act.verb() == "push").then(|| repo.store.push_remote()).flatten();
    let remote = remote.or_else(by_default).and_then(|name| {
        let url = repo.store.remote_url(&name);
        url.or_else(|| name.contains([':', '/']).then_some(name))
    });
    let to = remote.map_or_else(String::new, |url| {
        tell(Notice::GitAskedRemote, &[("url", &without_login(&url))])
    });
    let spelled = operands.iter().skip(1).map(|name| (*name).to_owned());
    let refs = spelled.chain(refs_of_options(repo, act)).collect::<Vec<_>>().join(" ");
    let refs = if refs.is_empty() || to.is_empty() {
        String::new()
    } else {
        tell(Notice::GitAskedRefs, &[("refs", &refs)])
    };
    tell(Notice::GitAskedWide, &[("line", &line), ("says", says), ("to", &to), ("refs", &refs)])
}

/// A URL without the name and the password in it.
fn without_login(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..end].rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{}", &rest[end..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_login;

    #[test]
    fn a_url_shows_no_login() {
        for (url, shown) in [
            ("https://me:secret@example.org/a/b.git", "https://example.org/a/b.git"),
            ("https://example.org/a@b", "https://example.org/a@b"),
            ("git@example.org:a/b.git", "git@example.org:a/b.git"),
            ("/srv/git/a.git", "/srv/git/a.git"),
        ] {
            assert_eq!(without_login(url), shown);
        }
    }
}
