//! What a key does.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::engine::report::JobHead;
use crate::engine::story::watching::Watching;

/// What is typed to drop a job.
const DROP: &str = "drop";

/// What keys mean now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    Looking,
    /// The word that drops the job is typed: one key alone, or what was meant for another window,
    /// must not do it.
    Dropping(String),
    /// A path is typed.
    Allowing(String),
}

/// The jobs that keys act on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jobs<'a> {
    pub(super) focused: Option<&'a JobHead>,
    /// One that was paused here, where none is focused.
    pub(super) paused: Option<&'a JobHead>,
}

impl<'a> Jobs<'a> {
    pub(super) fn of(seen: &'a Watching) -> Self {
        let focused = seen.status.job.as_ref();
        Self { focused, paused: seen.paused.first().filter(|_| focused.is_none()) }
    }

    /// Whether keys act on the same jobs there.
    pub(super) fn are_those_of(&self, seen: &Watching) -> bool {
        let ids =
            |jobs: &Jobs<'_>| [jobs.focused, jobs.paused].map(|job| job.map(|job| job.id.clone()));
        ids(self) == ids(&Jobs::of(seen))
    }
}

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Quit,
    /// The next worktree.
    Next,
    /// A command of git seed, as a person would type it.
    Runs(Vec<String>),
}

fn runs(words: &[&str]) -> Option<Act> {
    Some(Act::Runs(words.iter().map(|word| (*word).to_owned()).collect()))
}

/// What `key` does in `mode`, with these jobs here.
pub(super) fn pressed(mode: Mode, key: KeyEvent, jobs: Jobs<'_>) -> (Mode, Option<Act>) {
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return (Mode::Looking, Some(Act::Quit));
    }
    match (mode, jobs.focused) {
        (Mode::Looking, _) => looking(key, jobs),
        (Mode::Dropping(typed), Some(job)) => typing(typed, key, Mode::Dropping, |typed| {
            if typed == DROP { runs(&["job", "drop", &job.id]) } else { None }
        }),
        (Mode::Allowing(path), Some(_)) => typing(path, key, Mode::Allowing, |path| {
            if path.is_empty() { None } else { runs(&["fence", "allow", "--", path]) }
        }),
        // The job is gone meanwhile.
        (Mode::Dropping(_) | Mode::Allowing(_), None) => (Mode::Looking, None),
    }
}

fn looking(key: KeyEvent, jobs: Jobs<'_>) -> (Mode, Option<Act>) {
    let looking = |act| (Mode::Looking, act);
    match (key.code, jobs.focused) {
        (KeyCode::Char('q') | KeyCode::Esc, _) => looking(Some(Act::Quit)),
        (KeyCode::Tab, _) => looking(Some(Act::Next)),
        (KeyCode::Char('p'), Some(_)) => looking(runs(&["job", "pause"])),
        (KeyCode::Char('p'), None) => {
            looking(jobs.paused.and_then(|job| runs(&["job", "activate", &job.id])))
        }
        (KeyCode::Char('d'), Some(_)) => (Mode::Dropping(String::new()), None),
        (KeyCode::Char('a'), Some(_)) => (Mode::Allowing(String::new()), None),
        _ => looking(None),
    }
}

/// A line is typed: Enter ends it, and Esc leaves it.
fn typing(
    mut typed: String,
    key: KeyEvent,
    mode: impl FnOnce(String) -> Mode,
    ended: impl FnOnce(&str) -> Option<Act>,
) -> (Mode, Option<Act>) {
    match key.code {
        KeyCode::Esc => return (Mode::Looking, None),
        KeyCode::Enter => return (Mode::Looking, ended(typed.trim())),
        KeyCode::Backspace => drop(typed.pop()),
        KeyCode::Char(one) => typed.push(one),
        _ => {}
    }
    (mode(typed), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(status: &'static str) -> JobHead {
        JobHead { id: "j-1".to_owned(), name: "fix it".to_owned(), status, run: 1 }
    }

    /// What these keys ask for, one after the other.
    fn typed(keys: &[KeyCode], jobs: Jobs<'_>) -> (Mode, Vec<Act>) {
        let (mut mode, mut acts) = (Mode::Looking, Vec::new());
        for key in keys {
            let (next, act) = pressed(mode, KeyEvent::new(*key, KeyModifiers::NONE), jobs);
            mode = next;
            acts.extend(act);
        }
        (mode, acts)
    }

    fn said(acts: &[Act]) -> String {
        let words = |act: &Act| match act {
            Act::Quit => "quit".to_owned(),
            Act::Next => "next".to_owned(),
            Act::Runs(words) => words.join(" "),
        };
        acts.iter().map(words).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn keys_run_the_commands_that_a_person_would_type() {
        use KeyCode::{Backspace, Char, Enter, Esc, Tab};
        let (active, other) = (job("active"), job("paused"));
        let active = Jobs { focused: Some(&active), paused: None };
        let paused = Jobs { focused: None, paused: Some(&other) };
        let none = Jobs::default();
        for (keys, jobs, expected) in [
            (&[Char('p')][..], active, "job pause"),
            (&[Char('p')], paused, "job activate j-1"),
            (&[Char('p'), Char('d'), Char('a'), Char('x'), Enter], none, ""),
            (
                &[Char('d'), Char('d'), Char('r'), Char('o'), Char('p'), Enter],
                active,
                "job drop j-1",
            ),
            (&[Char('d'), Enter], active, ""),
            (&[Char('s'), Char('t'), Char('u'), Char('d'), Char('y'), Enter], active, ""),
            (&[Char('d'), Char('q'), Esc], active, ""),
            (&[Char('a'), Char('s'), Char('x'), Backspace, Enter], active, "fence allow -- s"),
            (&[Char('a'), Char('q'), Esc], active, ""),
            (&[Char('a'), Char(' '), Enter], active, ""),
            (&[Tab, Char('z'), Char('q')], none, "next, quit"),
            (&[Esc], active, "quit"),
        ] {
            let (mode, acts) = typed(keys, jobs);
            assert_eq!((mode, said(&acts).as_str()), (Mode::Looking, expected), "{keys:?}");
        }
        let interrupt = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
        for mode in [Mode::Looking, Mode::Dropping(String::new()), Mode::Allowing("a".to_owned())] {
            assert_eq!(pressed(mode, interrupt, active).1, Some(Act::Quit));
        }
    }

    #[test]
    fn a_job_that_went_meanwhile_takes_its_questions_along() {
        let mode = Mode::Allowing("src".to_owned());
        let key = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(pressed(mode, key, Jobs::default()), (Mode::Looking, None));
    }
}
