//! `git seed watch`: what goes on, as it changes.
//!
//! ```text
//! keys    what a key does: pure
//! screen  what is drawn: pure
//! ```
//!
//! Four threads: one sleeps until a key is pressed, one until a file of ours changes, one until a
//! signal ends it, and this one until any of them tells it. Nothing runs in between.

mod keys;
mod screen;

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecursiveMode, Watcher as _};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEvent, KeyEventKind,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::force_color_output;

use self::keys::{Act, Jobs, Mode, pressed};
use super::{Context, Outcome, refuse, report::Report};
use crate::engine::repo::Repo;
use crate::engine::setup::git_hooks::agent_is_above;
use crate::engine::story::watching::{self, Watching};
use crate::phases::commands;
use crate::voice::{Notice, tell};
use crate::world;

/// How long it lets changes gather, and the shortest time between two looks.
const GATHERS: Duration = Duration::from_millis(80);
const RESTS: Duration = Duration::from_millis(400);
/// How often it looks where the system does not tell of changes.
const UNTOLD: Duration = Duration::from_secs(2);

/// Watch what goes on: phase, scope, calls, refusals, tests and cost, as they change
///
/// Keys pause and drop the job, and open a path for the agent; they run `git seed job pause`, `git
/// seed job drop` and `git seed fence allow` in this terminal. Tab goes to the next worktree, `q`
/// ends it. It uses no processor time while nothing changes. With `--json` it prints what it would
/// show, once. It is for people and refused in an agent's session.
#[derive(Debug, clap::Args)]
pub(super) struct WatchArgs {}

pub(super) fn run(
    _: &WatchArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.own_repo()?;
    repo.require_seeded()?;
    if agent_is_above() {
        let refusal = commands::figures("watch", "git seed watch");
        return Ok(refuse(&repo, &refusal, out));
    }
    if out.is_json() {
        out.json(&watching::now(&repo)?);
        return Ok(Outcome::Yes);
    }
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        let refusal = commands::no_terminal("watch", "git seed watch");
        return Ok(refuse(&repo, &refusal, out));
    }
    force_color_output(out.has_colours());
    let mut live = Live::of(repo)?;
    let mut terminal = takes_the_screen()?;
    let ended = live.runs(&mut terminal);
    gives_it_back()?;
    ended.map(|()| Outcome::Yes)
}

/// Draws on the whole terminal from here on; what is pasted comes as a paste, not as keys.
fn takes_the_screen() -> io::Result<DefaultTerminal> {
    let terminal = ratatui::try_init()?;
    execute!(io::stdout(), EnableBracketedPaste)?;
    Ok(terminal)
}

fn gives_it_back() -> io::Result<()> {
    execute!(io::stdout(), DisableBracketedPaste)?;
    ratatui::try_restore()
}

/// What wakes it.
enum Heard {
    Key(KeyEvent),
    /// The terminal has another size, or came back to the front.
    Redraw,
    /// A file of ours changed.
    Changed,
    /// The terminal is gone, or a signal says to end.
    Gone,
}

/// The screen, and what it hears.
struct Live {
    repo: Repo,
    /// The worktree that it began in: git knows no way back to some.
    home: PathBuf,
    /// What was seen last, or why nothing was.
    seen: Result<Watching, String>,
    mode: Mode,
    tells: Sender<Heard>,
    hears: Receiver<Heard>,
    /// Lets one more key be read.
    goes_on: Sender<()>,
    /// Tells of changes while it lives; or why the system does not.
    watcher: Result<notify::RecommendedWatcher, String>,
}

impl Live {
    fn of(repo: Repo) -> crate::cli::Result<Self> {
        let (tells, hears) = channel();
        let (goes_on, reads) = channel();
        let keys = tells.clone();
        std::thread::Builder::new().spawn(move || read_keys(&reads, &keys))?;
        end_by_signal(&tells)?;
        let watcher = watcher(&repo, &tells);
        let (seen, home) = (look(&repo), repo.store.work_tree().to_owned());
        Ok(Self { repo, home, seen, mode: Mode::Looking, tells, hears, goes_on, watcher })
    }

    fn runs(&mut self, terminal: &mut DefaultTerminal) -> crate::cli::Result<()> {
        let (mut looked, mut due) = (Instant::now(), None::<Instant>);
        self.draw(terminal)?;
        // A thread that ended was told by `Gone`.
        let _ = self.goes_on.send(());
        loop {
            if self.watcher.is_err() {
                due = due.or(Some(looked + UNTOLD));
            }
            let heard = match due {
                Some(at) => self.hears.recv_timeout(at.saturating_duration_since(Instant::now())),
                None => self.hears.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match heard {
                Ok(Heard::Changed) => {
                    due = due.or(Some((Instant::now() + GATHERS).max(looked + RESTS)));
                    continue;
                }
                Ok(Heard::Key(key)) => {
                    if self.acts(key, terminal)? {
                        return Ok(());
                    }
                    let _ = self.goes_on.send(());
                }
                Ok(Heard::Redraw) => {
                    let _ = self.goes_on.send(());
                }
                Ok(Heard::Gone) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    (looked, due) = (Instant::now(), None);
                    self.seen = look(&self.repo);
                }
            }
            self.draw(terminal)?;
        }
    }

    fn draw(&self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        let unwatched = self.watcher.as_ref().err().map(String::as_str);
        terminal.draw(|frame| screen::draw(frame, &self.seen, &self.mode, unwatched)).map(drop)
    }

    /// Does what a key says; true where it is to end.
    fn acts(&mut self, key: KeyEvent, terminal: &mut DefaultTerminal) -> crate::cli::Result<bool> {
        let jobs = self.seen.as_ref().map(Jobs::of).unwrap_or_default();
        let (mode, act) = pressed(std::mem::take(&mut self.mode), key, jobs);
        self.mode = mode;
        match act {
            None => {}
            Some(Act::Quit) => return Ok(true),
            Some(Act::Next) => self.goes_to_the_next_worktree()?,
            Some(Act::Runs(words)) => {
                let now = look(&self.repo);
                let same = matches!((&self.seen, &now), (Ok(seen), Ok(now))
                    if Jobs::of(seen).are_those_of(now));
                self.seen = now;
                // A key is meant for the job that was drawn; another one has the focus by now.
                if same {
                    self.types(&words, terminal)?;
                    self.seen = look(&self.repo);
                }
            }
        }
        Ok(false)
    }

    fn goes_to_the_next_worktree(&mut self) -> crate::cli::Result<()> {
        let mut all = self.repo.store.worktrees()?;
        let here = self.repo.store.work_tree();
        if !all.contains(&self.home) {
            all.push(self.home.clone());
        }
        let same = |dir: &PathBuf| crate::world::real(dir).is_ok_and(|dir| dir == *here);
        let at = all.iter().position(|dir| dir == here || same(dir)).unwrap_or(0);
        let next = all.iter().cycle().skip(at + 1).take(all.len());
        // One in which git seed is not installed, or that does not open, has nothing to show.
        let ours = |repo: &Repo| {
            repo.store.common_dir() == self.repo.store.common_dir()
                && repo.is_seeded().unwrap_or(false)
        };
        let opens = |dir: &PathBuf| open(dir).filter(ours);
        if let Some(repo) = next.into_iter().find_map(opens) {
            self.watcher = watcher(&repo, &self.tells);
            self.seen = look(&repo);
            self.repo = repo;
        }
        Ok(())
    }

    /// Runs a command of ours as if it was typed here, and comes back when it was read.
    fn types(&self, words: &[String], terminal: &mut DefaultTerminal) -> crate::cli::Result<()> {
        gives_it_back()?;
        let mut out = io::stdout();
        writeln!(out, "$ git seed {}", words.join(" "))?;
        let mut command = Command::new(world::own_binary());
        let ended = command.arg("-C").arg(self.repo.store.work_tree()).args(words).status();
        if let Err(error) = ended {
            writeln!(out, "{error}")?;
        }
        write!(out, "{} ", tell(Notice::WatchBack, &[]))?;
        out.flush()?;
        io::stdin().lock().read_until(b'\n', &mut Vec::new())?;
        // Entering it clears the screen, and a new terminal draws all of it.
        *terminal = takes_the_screen()?;
        Ok(())
    }
}

/// Reads a key whenever it is let.
fn read_keys(reads: &Receiver<()>, tells: &Sender<Heard>) {
    while reads.recv().is_ok() {
        let heard = loop {
            match event::read() {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => break Heard::Key(key),
                Ok(Event::Resize(..) | Event::FocusGained) => break Heard::Redraw,
                Ok(_) => {}
                Err(_) => break Heard::Gone,
            }
        };
        if tells.send(heard).is_err() {
            return;
        }
    }
}

/// Ends it where a signal says so: the terminal is given back then.
#[cfg(unix)]
fn end_by_signal(tells: &Sender<Heard>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let tells = tells.clone();
    let waits = move || {
        for _ in signals.forever() {
            if tells.send(Heard::Gone).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().spawn(waits).map(drop)
}

#[cfg(not(unix))]
fn end_by_signal(_: &Sender<Heard>) -> io::Result<()> {
    Ok(())
}

/// Has the system tell of changes in what is shown.
fn watcher(repo: &Repo, tells: &Sender<Heard>) -> Result<notify::RecommendedWatcher, String> {
    let tells = tells.clone();
    let heard = move |event: notify::Result<notify::Event>| {
        // What is only read is no change; our own looks read.
        if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
            // Who no longer listens wants to know nothing.
            let _ = tells.send(Heard::Changed);
        }
    };
    // A link that lies there leads anywhere.
    let config = notify::Config::default().with_follow_symlinks(false);
    let mut watcher =
        notify::RecommendedWatcher::new(heard, config).map_err(|error| error.to_string())?;
    for place in watching::changes_in(repo) {
        let begun = watcher.watch(&place, RecursiveMode::Recursive);
        begun.map_err(|error| error.to_string())?;
    }
    Ok(watcher)
}

/// The worktree at `dir`. What others began there is left to them.
fn open(dir: &Path) -> Option<Repo> {
    Repo::open_for_command(dir).ok()
}

/// Looks at a worktree afresh: rules and jobs may be others by now.
fn look(repo: &Repo) -> Result<Watching, String> {
    let repo = Repo::open_for_command(repo.store.work_tree());
    repo.and_then(|repo| watching::now(&repo)).map_err(|error| error.to_string())
}
