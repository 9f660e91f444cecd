//! `git seed watch` on a pseudo-terminal, as a person sees it.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use pretty_assertions::assert_eq;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::world::World;

/// The longest that anything is waited for; far more than anything takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A terminal with `git seed watch` in it.
pub(super) struct Screen {
    child: Child,
    keys: File,
    hears: Receiver<String>,
    /// What was drawn since the last look at it.
    drawn: String,
    held: Option<File>,
}

impl Screen {
    pub(super) fn of(world: &World, columns: u16, rows: u16) -> Self {
        let master: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("it opens");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("it has a size");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("UTF-8");
        let open = || File::options().read(true).write(true).open(&name).expect("its other side");
        let held = open();
        let mut command = world.beside("sh");
        command.args(["-c", "git seed watch"]).env("GIT_SEED_TEST_PERSON", "1");
        command.env("TERM", "xterm").stdin(open()).stdout(open()).stderr(open());
        let child = command.spawn().expect("it starts");
        drop(command);
        let keys = File::from(master);
        let mut from = keys.try_clone().expect("a second one");
        let (tells, hears) = channel();
        std::thread::spawn(move || {
            let mut room = [0; 4096];
            // A terminal whose other side is closed reads as an error.
            while let Ok(read @ 1..) = from.read(&mut room) {
                if tells.send(String::from_utf8_lossy(&room[..read]).into_owned()).is_err() {
                    return;
                }
            }
        });
        Self { child, keys, hears, drawn: String::new(), held: Some(held) }
    }

    /// Waits until this is drawn; what is drawn for it counts as looked at.
    fn shows(&mut self, wanted: &str) {
        while !words(&self.drawn).contains(wanted) {
            let Ok(more) = self.hears.recv_timeout(PATIENCE) else {
                panic!("{wanted:?} is not in {}", words(&self.drawn))
            };
            self.drawn.push_str(&more);
        }
        self.drawn.clear();
    }

    /// All that the terminal gets until this is drawn, and what follows at once.
    pub(super) fn drawn_until(&mut self, wanted: &str) -> String {
        while !words(&self.drawn).contains(wanted) {
            let more = self.hears.recv_timeout(PATIENCE).expect("something more is drawn");
            self.drawn.push_str(&more);
        }
        while let Ok(more) = self.hears.recv_timeout(Duration::from_secs(1)) {
            self.drawn.push_str(&more);
        }
        std::mem::take(&mut self.drawn)
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it is typed");
    }

    /// Waits for its end, and returns how it ended and what it wrote last.
    fn ends(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().expect("it ends");
        drop(self.held.take());
        while let Ok(more) = self.hears.recv_timeout(Duration::from_millis(100)) {
            self.drawn.push_str(&more);
        }
        (status, std::mem::take(&mut self.drawn))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
    }
}

/// What is drawn, without what moves the cursor or colours.
fn words(drawn: &str) -> String {
    let mut plain = String::new();
    let mut rest = drawn.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        if rest.next() == Some('[') {
            let _ = rest.by_ref().find(|c| ('@'..='~').contains(c));
        }
        plain.push(' ');
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn it_shows_what_goes_on_while_it_goes_on_and_leaves_the_terminal_as_it_was() {
    let world = World::seeded();
    let mut screen = Screen::of(&world, 100, 30);
    screen.shows("cost");
    world.enters("execute");
    screen.shows("execute");
    world.writes("docs/outside.md", "out\n").refuses("docs/outside.md");
    screen.shows("docs/outside.md");
    world.runs("cargo test").passes();
    screen.shows("cargo test");
    screen.types("q");
    let (status, last) = screen.ends();
    assert!(status.success(), "{status:?}");
    assert!(last.contains("\u{1b}[?1049l"), "{last:?}");
}

fn status(world: &World) -> String {
    world.json("status")["job"]["status"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn keys_pause_allow_and_drop_as_a_person_would_at_this_terminal() {
    let world = World::seeded();
    world.enters("observe");
    let mut screen = Screen::of(&world, 100, 30);
    screen.shows("pause");
    screen.types("p");
    screen.shows("Enter goes back");
    assert_eq!(status(&world), "none");
    screen.types("\r");
    screen.shows("continue");
    screen.types("p");
    screen.shows("Enter goes back");
    assert_eq!(status(&world), "active");
    screen.types("\r");
    screen.shows("pause");
    screen.types("asrc/lexer.rs\r");
    screen.shows("opened src/lexer.rs");
    screen.types("\r");
    screen.shows("drop");
    screen.types("d");
    screen.shows("Type drop");
    screen.types("y\r");
    screen.shows("pause");
    assert_eq!(status(&world), "active");
    // What is pasted into the wrong window is no key.
    screen.types("\u{1b}[200~pddrop\r\u{1b}[201~d");
    screen.shows("Type drop");
    assert_eq!(status(&world), "active");
    screen.types("drop\r");
    screen.shows("Enter goes back");
    screen.types("\r");
    screen.shows("next worktree");
    screen.types("\u{3}");
    assert!(screen.ends().0.success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_it_and_gives_the_terminal_back() {
    let world = World::seeded();
    let mut screen = Screen::of(&world, 80, 24);
    screen.shows("cost");
    let ours = process(&screen).expect("git seed");
    world.sh(&format!("kill -TERM {ours}"));
    let (status, last) = screen.ends();
    assert!(status.success(), "{status:?}");
    assert!(last.contains("\u{1b}[?1049l"), "{last:?}");
}

#[cfg(target_os = "linux")]
/// The process that draws: below the shell and git.
fn process(screen: &Screen) -> Option<String> {
    let below = |id: &str| {
        let said = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
        said.split_whitespace().last().map(str::to_owned)
    };
    let mut at = screen.child.id().to_string();
    while let Some(next) = below(&at) {
        at = next;
    }
    Some(at)
}

#[test]
fn it_goes_to_the_next_worktree_and_hears_of_it() {
    let world = World::seeded();
    // What stands already is not drawn again: none of these letters stands where `repo` ends, nor
    // in the random name before it.
    world.git("worktree add -q ../__five");
    let mut screen = Screen::of(&world, 60, 24);
    screen.shows("next worktree");
    screen.types("\t");
    screen.shows("__five");
    screen.types("\t");
    screen.shows("/repo");
    screen.types("q");
    assert!(screen.ends().0.success());
}

#[test]
fn without_a_terminal_or_for_an_agent_it_says_what_to_do_instead() {
    let world = World::seeded();
    let said = world.persons_terminal("git seed watch", "");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("git seed status"), "{said:?}");
    let shown = world.persons_terminal("git seed watch --json", "").out;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    for key in ["worktree", "status", "calls", "refusals", "runs"] {
        assert!(!shown[key].is_null(), "{key}: {shown}");
    }
}

/// Nothing runs while nothing changes: each of its threads waits.
#[cfg(target_os = "linux")]
#[test]
fn it_waits_where_nothing_changes() {
    let world = World::seeded();
    let mut screen = Screen::of(&world, 80, 24);
    screen.shows("cost");
    let ours = process(&screen).expect("git seed");
    let switched = || -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{ours}/task")).expect("threads");
        let times = |task: std::io::Result<std::fs::DirEntry>| {
            let status = std::fs::read_to_string(task.expect("one").path().join("status"));
            let status = status.unwrap_or_default();
            let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"));
            line.and_then(|line| line.split_whitespace().last()?.parse::<u64>().ok()).unwrap_or(0)
        };
        tasks.map(times).sum()
    };
    // What it still draws or hears of its own start comes first.
    let mut before = switched();
    while screen.hears.recv_timeout(Duration::from_millis(700)).is_ok() || switched() != before {
        before = switched();
    }
    assert!(screen.hears.recv_timeout(Duration::from_millis(1500)).is_err());
    assert_eq!(switched(), before, "a thread woke up");
    screen.types("q");
    assert!(screen.ends().0.success());
}
