//! A prompt, where no job is kept: short words, and what it says of paths and of git.

use crate::engine::bypasses::{self, Bypass};
use crate::engine::modes::session;
use crate::engine::person::spoken::{Spoken, Told};
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::text::merged;
use crate::engine::repo::{Repo, Result};
use crate::engine::{closed_paths, git_mark, person, record};
use crate::event::{Actor, Event};
use crate::format::watched::Happened;
use crate::hosts::{Answer, Host};
use crate::jobs::mode::Mode;
use crate::jobs::shortword::ShortWord;
use crate::phases::git_acts;
use crate::phases::said_scope::{Said, SaidOfPaths};
use crate::voice::{Notice, tell};

pub(crate) fn prompt(
    repo: &Repo,
    host: &Host,
    event: &Event,
    text: &str,
    automation: bool,
) -> Result<Answer> {
    repo.require_seeded()?;
    let lines = record::watched::all(repo)?;
    let hash = text_hash(text);
    let known = |what: Happened| lines.iter().any(|line| line.what == what && line.call == hash);
    // What a host gives back as a prompt was said by us: it is nobody's word.
    if host.echoes(text) || known(Happened::Words) {
        return Ok(Answer::silence());
    }
    let word = person::sender::word(repo, host, event)?;
    session::keep_base(repo, &event.session)?;
    record::watched::keep(repo, Happened::Prompt, |line| {
        line.session.clone_from(&event.session);
        line.call.clone_from(&hash);
    })?;
    let person = word.is_somebody()
        && !automation
        && event.by == Actor::Main
        && !known(Happened::Scheduled)
        && !person::short_words::was_ever_scheduled(repo, text)?;
    if !person {
        return Ok(Answer::silence());
    }
    // What a person opened for git lasts until their next prompt.
    git_mark::close(repo)?;
    let Some((short, rest)) = repo.rules.short_word(text) else {
        let heard = hear(repo, event, text, repo.rules.mode)?;
        let to_person = merged(person::short_words::nearly(text), heard.to_person);
        return Ok(Answer { to_person, ..heard });
    };
    if !word.is_persons() && !matches!(short, ShortWord::Ok { .. }) {
        return Ok(Answer::to_person(tell(Notice::WordOfUntoldSession, &[])));
    }
    let spoken = Spoken { event, text, word, guest: false };
    let answer = short_word(repo, &spoken, &short, rest)?;
    let to_person = merged(answer.to_person, person::short_words::behind(repo, rest));
    let answer = Answer { to_person, ..answer };
    let mode = if let ShortWord::Mode(mode) = short { mode } else { repo.rules.mode };
    let answer = if mode == Mode::Watch { only_to_person(answer) } else { answer };
    if short.takes_a_reason() || mode.keeps_jobs() {
        return Ok(answer);
    }
    let heard = hear(repo, event, rest, mode)?;
    let to_person = merged(answer.to_person, heard.to_person);
    Ok(Answer { to_person, ..answer })
}

/// Whoever only watches stands in nobody's way.
pub(crate) fn only_to_person(answer: Answer) -> Answer {
    Answer { to_person: answer.to_person, ..Answer::silence() }
}

/// What a person's short word does here.
fn short_word(repo: &Repo, spoken: &Spoken<'_>, short: &ShortWord, rest: &str) -> Result<Answer> {
    match short {
        ShortWord::Mode(mode) => person::mode_word::mode_word(repo, spoken, *mode, rest, None),
        ShortWord::Ok { command, code } => {
            person::at_terminal::hear(repo, spoken, (command, code), rest, None)
        }
        ShortWord::Off => person::short_words::switched_off(repo, rest),
        ShortWord::On => Ok(Told::person(tell(Notice::OnAlready, &[])).alone()),
        ShortWord::AllowGit(line) => person::allow_word::allow_git(repo, spoken, line, rest, None),
        ShortWord::Allow(paths) => allow(repo, spoken.event, paths),
        ShortWord::Allows { paths, lines } => {
            let told = person::allow_word::open_first(repo, lines, None)?;
            let answer = match paths.as_slice() {
                [] => Answer::silence(),
                paths => allow(repo, spoken.event, paths)?,
            };
            Ok(told.into_iter().rev().fold(answer, |answer, told| told.before(answer)))
        }
        ShortWord::Quick
        | ShortWord::Full
        | ShortWord::Track(_)
        | ShortWord::Pause
        | ShortWord::Resume(_)
        | ShortWord::Drop(_)
        | ShortWord::Approve(_)
        | ShortWord::Join => {
            let (word, mode) = (short.to_string(), repo.rules.mode.word());
            let told = tell(Notice::ModeWordNot, &[("word", &word), ("mode", mode)]);
            Ok(Told::person(told).alone())
        }
    }
}

/// Opens paths for the rest of the session.
fn allow(repo: &Repo, event: &Event, paths: &[String]) -> Result<Answer> {
    if paths.is_empty() {
        return Ok(Told::person(tell(Notice::AllowAlone, &[])).alone());
    }
    let (mut open, mut shut) = (Vec::new(), Vec::new());
    for path in paths {
        match person::allow_word::place_to_open(repo, path, &event.cwd, None) {
            Ok(line) => open.push(line.trim_end_matches('/').to_owned()),
            Err(why) => shut.push(format!("{path} ({why})")),
        }
    }
    let shut = shut.join(", ");
    if open.is_empty() {
        return Ok(Told::person(tell(Notice::AllowedNothing, &[("shut", &shut)])).alone());
    }
    let opened = open.join(", ");
    let words = format!("[ALLOW {opened}]");
    let said = vec![SaidOfPaths { kind: Said::Allow, paths: open, words }];
    if let Some(told) = closed_paths::keep(repo, &event.session, &said)? {
        return Ok(Told::person(told).alone());
    }
    // It is open by now: where the record does not take it, it lacks it.
    let _ = bypasses::keep(repo, Bypass::Allow, &opened);
    let not = || tell(Notice::AllowedNotAll, &[("shut", &shut)]);
    let but = if shut.is_empty() { String::new() } else { not() };
    let agent = tell(Notice::FenceOpenedToAgent, &[("paths", &opened)]);
    let person = tell(Notice::FenceOpened, &[("paths", &opened), ("but", &but)]);
    Ok(Told::both(person, agent).alone())
}

/// Keeps what the words of a prompt close, and tells the person how they were read.
fn hear(repo: &Repo, event: &Event, text: &str, mode: Mode) -> Result<Answer> {
    let said = closed_paths::of_prompt(repo, (event, &event.session), text)?;
    let git = git_acts::sentences_of(text);
    if !git.is_empty() {
        let git =
            git.into_iter().map(|sentence| sentence.chars().take(LETTERS).collect::<String>());
        record::said::change(repo, &event.session, |said| said.git.extend(git))?;
    }
    if said.is_empty() {
        return Ok(Answer::silence());
    }
    let full = closed_paths::keep(repo, &event.session, &said)?;
    if mode == Mode::Watch {
        return Ok(Answer::silence());
    }
    let lines = || said.iter().map(closed_paths::in_session).collect();
    let told: Vec<String> = full.map_or_else(lines, |full| vec![full]);
    Ok(Told::person(told.join("\n")).alone())
}

/// The most letters of a sentence that is kept.
const LETTERS: usize = 300;
