//! A person's command at a terminal that does not tell who types: it waits for the person's word
//! in a session that lives here.
//!
//! Each command that waits has a file below `.git/seed/words`, named by its process: the command
//! writes it, hooks change it under the lock, the command takes it away and acts. What a command
//! that was killed left behind means nothing and goes with the next look. The word is good once,
//! for this command line, in this worktree, while the job stands where it stood.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::bypasses::{self, Bypass};
use crate::engine::own_state;
use crate::engine::person::spoken::Spoken;
use crate::engine::repo::sessions::{Sender, is_running};
use crate::engine::repo::text::merged;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{person, record};
use crate::event::{Event, EventKind};
use crate::hosts::Answer;
use crate::jobs::code::{self, Heard, Waiting};
use crate::jobs::routing::InteractionKind;
use crate::rules::Unattended;
use crate::secrets::Masked;
use crate::voice::{Notice, tell};
use crate::world::{self, Process};

/// How long a command waits for its word, in milliseconds.
const PATIENCE: i64 = 120_000;
/// How often it looks.
const LOOK: Duration = Duration::from_millis(100);
/// So many looks without any session that lives: a context that is cleared ends one and begins
/// another right after it.
const ALONE: u32 = 20;
/// How long it lets the hook say its sentence first, in looks.
const SENTENCE: u32 = 50;

/// A command that waits, as its file has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Request {
    code: String,
    /// The last word of the command's name.
    word: String,
    /// The command line, and what it does.
    line: String,
    does: String,
    worktree: String,
    /// The focused job and where it stood, and the terminal; `tip` moves on with the word.
    chain: String,
    tip: String,
    terminal: i64,
    process: Process,
    made_ms: i64,
    until_ms: i64,
    #[serde(default)]
    wrong: u32,
    stands: Stands,
    /// The hook that heard the word.
    #[serde(default)]
    heard_by: Option<Process>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stands {
    Waits,
    Said,
    /// The agent has seen the code.
    Burnt,
    /// Wrong codes were said too often.
    Ended,
    /// The word was said, and the job stands elsewhere than when the command was given.
    Moved,
}

/// A command of a person's, as it was given.
pub(crate) struct GivenCommand<'a> {
    /// Its name, such as `job approve`.
    pub name: &'a str,
    /// The whole line, and its help.
    pub line: String,
    pub does: String,
}

/// Waits until a person says the word for `command` in a session. `shows` prints it. Gives why
/// the command may not act, if it may not.
pub(crate) fn wait_for_word(
    repo: &Repo,
    command: &GivenCommand<'_>,
    mut shows: impl FnMut(&str),
) -> Result<Option<String>> {
    let code = world::new_code()?;
    let mut words = command.name.rsplit(' ').filter(|word| !word.starts_with('-'));
    let word = words.next().unwrap_or(command.name).to_owned();
    let process = world::myself();
    let file = words_dir(repo).join(format!("{}.toml", process.pid));
    let made_ms = world::system_ms();
    let chain = focus(repo);
    let request = Request {
        code: code.clone(),
        line: Masked::new(&command.line).into_string(),
        does: command.does.clone(),
        worktree: repo.store.worktree_name(),
        tip: tip(repo, &chain),
        chain,
        terminal: world::own_terminal(),
        process,
        made_ms,
        until_ms: made_ms + world::patience_ms(PATIENCE),
        wrong: 0,
        stands: Stands::Waits,
        heard_by: None,
        word: word.clone(),
    };
    write(&file, &request)?;
    shows(&tell(Notice::WordWanted, &[("word", &format!("[OK {word} {code}]"))]));
    let why = wait(repo, &file, &request);
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::remove_dir(words_dir(repo));
    let why = why?;
    if why.is_none() {
        // It is open by now: where the record does not take it, it lacks it.
        let _ = bypasses::keep(repo, Bypass::Ok, &request.line);
    }
    Ok(why.map(|why| tell(why, &[])))
}

/// Looks at the file until it says how it ends; gives why the command may not act.
fn wait(repo: &Repo, file: &Path, asked: &Request) -> Result<Option<Notice>> {
    let mut alone = 0;
    loop {
        let Some(now) = own_state::from_toml::<Request>(file)? else {
            return Ok(Some(Notice::WordGone));
        };
        match now.stands {
            Stands::Burnt => return Ok(Some(Notice::WordSeen)),
            Stands::Ended => return Ok(Some(Notice::WordWrong)),
            Stands::Moved => return Ok(Some(Notice::WordMoved)),
            Stands::Said => return Ok(take(repo, file, asked, &now)),
            Stands::Waits => {}
        }
        if world::system_ms() >= asked.until_ms {
            return Ok(Some(Notice::WordLate));
        }
        alone = if repo.hosted().is_empty() { alone + 1 } else { 0 };
        if alone >= ALONE {
            return Ok(Some(Notice::WordSessionEnded));
        }
        std::thread::sleep(LOOK);
    }
}

/// The word was said: the sentence of the hook comes first, and all has to be as it was.
fn take(repo: &Repo, file: &Path, asked: &Request, now: &Request) -> Option<Notice> {
    for _ in 0..SENTENCE {
        if !now.heard_by.as_ref().is_some_and(world::is_running) {
            break;
        }
        std::thread::sleep(LOOK);
    }
    let same = now.code == asked.code
        && now.line == asked.line
        && now.worktree == repo.store.worktree_name()
        && now.terminal == world::own_terminal();
    if !same || std::fs::remove_file(file).is_err() {
        return Some(Notice::WordGone);
    }
    let moved = focus(repo) != asked.chain || tip(repo, &asked.chain) != now.tip;
    moved.then_some(Notice::WordMoved)
}

/// A person says `[OK <word> <code>]`.
pub(crate) fn hear(
    repo: &Repo,
    spoken: &Spoken<'_>,
    (word, code): (&str, &str),
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let _lock = repo.store.lock()?;
    let judged = judge(repo, spoken, word, code)?;
    let before = focused.map(|focused| tip(repo, &focused.chain));
    let answer = keep(repo, spoken, rest, focused)?;
    if let (Some(focused), Some(before)) = (focused, before) {
        follow(repo, &focused.chain, &before)?;
    }
    let (told, agent) = match judged {
        Ok((file, request)) => {
            let facts = [("line", &*request.line), ("does", &*request.does)];
            let told = tell(Notice::WordActs, &facts);
            let agent = tell(Notice::WordActsToAgent, &facts[..1]);
            let (stands, heard_by) = (Stands::Said, Some(world::myself()));
            let tip = tip(repo, &request.chain);
            write(&file, &Request { tip, stands, heard_by, ..request })?;
            (told, Some(format!("git seed: {agent}")))
        }
        Err(why) => (tell(why, &[("word", word)]), None),
    };
    Ok(Answer {
        to_person: merged(Some(format!("git seed: {told}")), answer.to_person),
        context: merged(agent, answer.context),
        ..answer
    })
}

/// The command that is meant, or why the word does nothing. Wrong ones are counted.
fn judge(
    repo: &Repo,
    spoken: &Spoken<'_>,
    word: &str,
    code: &str,
) -> Result<std::result::Result<(PathBuf, Request), Notice>> {
    let all = waiting(repo);
    if all.is_empty() {
        return Ok(Err(Notice::WordForNothing));
    }
    let waits = all.iter().map(|(_, request)| Waiting {
        word: &request.word,
        code: &request.code,
        wrong: request.wrong,
        burnt: request.stands == Stands::Burnt,
    });
    let heard = code::heard(word, code, &waits.collect::<Vec<_>>());
    let mut told = Notice::WordUnknown;
    for ((file, request), heard) in all.into_iter().zip(heard) {
        match heard {
            Heard::Meant if request.stands != Stands::Waits => return Ok(Err(Notice::WordGone)),
            Heard::Meant => {
                let against = may_say(repo, spoken, &request)?;
                if against == Some(Notice::WordMoved) {
                    write(&file, &Request { stands: Stands::Moved, ..request.clone() })?;
                }
                return Ok(against.map_or(Ok((file, request)), Err));
            }
            Heard::Burnt => told = Notice::WordSeen,
            Heard::Wrong { left } if request.stands == Stands::Waits => {
                let stands = if left == 0 { Stands::Ended } else { Stands::Waits };
                let wrong = request.wrong + 1;
                write(&file, &Request { wrong, stands, ..request })?;
            }
            Heard::Other | Heard::Wrong { .. } => {}
        }
    }
    Ok(Err(told))
}

/// Why this session's word does not count, if it does not: no tool makes a prompt, but an agent
/// could start a session that begins with one.
fn may_say(repo: &Repo, spoken: &Spoken<'_>, request: &Request) -> Result<Option<Notice>> {
    let counts = match spoken.word {
        Sender::Untold | Sender::Nobody => return Ok(Some(Notice::WordOfUntold)),
        Sender::Unattended => repo.rules.unattended == Unattended::Count,
        Sender::Attended | Sender::Unknown => true,
    };
    if !counts {
        return Ok(Some(Notice::WordUnattended));
    }
    let session = repo.session(&spoken.event.session)?;
    let young = session.is_none_or(|session| session.since_ms > request.made_ms);
    if young {
        return Ok(Some(Notice::WordOfYounger));
    }
    Ok((request.tip != tip(repo, &request.chain)).then_some(Notice::WordMoved))
}

/// Keeps the prompt with the job; words behind the short one go where a prompt goes.
fn keep(
    repo: &Repo,
    spoken: &Spoken<'_>,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let focused = focused.filter(|focused| focused.activity.is_ok() && !spoken.guest);
    match focused {
        Some(focused) => record::interactions::add_interaction(
            repo,
            &focused.chain,
            InteractionKind::Prompt,
            spoken.text,
            spoken.word,
            "a short word",
        )
        .map(|()| Answer::silence()),
        None if rest.is_empty() || spoken.guest || !repo.is_on() => Ok(Answer::silence()),
        None => {
            let text = spoken.text.to_owned();
            person::route::route_prompt(repo, spoken.event, text, spoken.word, true, None)
        }
    }
}

/// The prompt itself was kept with the job: for those that wait the job stands where it stood.
fn follow(repo: &Repo, chain: &str, before: &str) -> Result<()> {
    let now = tip(repo, chain);
    for (file, request) in waiting(repo) {
        if request.chain == chain && request.tip == before && now != before {
            write(&file, &Request { tip: now.clone(), ..request })?;
        }
    }
    Ok(())
}

/// A command waits for its word.
pub(crate) fn is_any_waited_for(repo: &Repo) -> bool {
    all(repo).iter().any(|(_, one)| one.stands == Stands::Waits && lives(one))
}

/// A code that stands in what the agent said, asked or saw is good for nothing any more.
pub(crate) fn burn(repo: &Repo, event: &Event, payload: &[u8]) {
    let persons = matches!(event.kind, EventKind::Prompt { automation: false, .. });
    if persons || !words_dir(repo).exists() {
        return;
    }
    // What cannot be read or written waits for nobody's word: it ends with its time.
    let burnt = || -> Result<()> {
        let _lock = repo.store.lock()?;
        for (file, request) in waiting(repo) {
            if request.stands == Stands::Waits && code::stands_in(payload, &request.code) {
                write(&file, &Request { stands: Stands::Burnt, ..request })?;
            }
        }
        Ok(())
    };
    let _ = burnt();
}

/// The commands that wait; what those left behind that are gone is taken away.
fn waiting(repo: &Repo) -> Vec<(PathBuf, Request)> {
    let (wait, gone): (Vec<_>, Vec<_>) = all(repo).into_iter().partition(|(_, one)| lives(one));
    for (file, _) in gone {
        let _ = std::fs::remove_file(file);
    }
    wait
}

fn lives(request: &Request) -> bool {
    world::system_ms() <= request.until_ms && is_running(Some(&request.process))
}

fn all(repo: &Repo) -> Vec<(PathBuf, Request)> {
    // Where no command ever waited there is no such directory.
    let Ok(files) = std::fs::read_dir(words_dir(repo)) else { return Vec::new() };
    let read = |file: PathBuf| {
        // One that does not read, as the draft of a command that was killed, waits for nothing.
        let request = own_state::from_toml::<Request>(&file).ok().flatten()?;
        Some((file, request))
    };
    files.flatten().filter_map(|file| read(file.path())).collect()
}

/// The focused job of this worktree; none where that does not read.
fn focus(repo: &Repo) -> String {
    // `git seed off` works over a focus that does not read, and it is none now and then.
    repo.store.focus().ok().flatten().unwrap_or_default()
}

/// Where the job on `chain` stands; a chain that does not read stands nowhere, now and then.
fn tip(repo: &Repo, chain: &str) -> String {
    // As above.
    let tip = (!chain.is_empty()).then(|| repo.store.tip(chain).ok().flatten()).flatten();
    tip.map_or_else(String::new, |tip| tip.commit.to_string())
}

fn words_dir(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("words")
}

fn write(file: &Path, request: &Request) -> Result<()> {
    let text = toml::to_string(request)?;
    Ok(world::Whole::private().write(file, text.as_bytes())?)
}
