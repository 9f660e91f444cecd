//! What people read fits their terminal: every command that prints for them, from 50 to 200
//! columns, with words of all widths.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Write as _};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use unicode_width::UnicodeWidthStr as _;

use super::world::{CODE, World};

const WIDTHS: [u16; 6] = [50, 60, 80, 100, 120, 200];

/// Each prints the same to a pipe, where lines stay as they are.
const COMMANDS: &[&str] = &[
    "status",
    "log",
    "log --graph",
    "log --graph --all",
    "log --oneline",
    "log --graph --oneline -n 4",
    "log --since 2026-01-01",
    "log -p -n 6",
    "log --graph -p -n 6",
    "why",
    "show {job}",
    "show HEAD",
    "job show",
    "job list",
    "job list --all",
    "job list --graph",
    "phase current",
    "phase list",
    "plan show",
    "fence show",
    "note list",
    "condense status",
    "summary show",
    "compact status",
    "stats",
    "stats --would",
    "doctor",
    "verify",
    "audit list",
    "audit verify",
    "audit replay",
    "claim log",
    "claim report",
    "claim coverage",
    "op log",
    "memory lint",
    "agents",
    "rules show",
    "rules check",
    "init",
    "uninstall --check",
    "undo --check",
    "help",
    "help phase advance",
    "help job",
    "help init",
    "help verify",
    "nonsense",
    "phase advance -m x",
    "phase back observe",
    "job show 20000101t000000-0000",
    "show nothing-of-this-name",
    "fence accept src/解析器/引号.rs",
    "land --onto nowhere",
];

/// What `line` shows on a terminal that is so wide.
fn at_terminal(world: &World, line: &str, columns: u16) -> String {
    typed(world, line, columns, "")
}

/// The same where this is typed ahead.
pub(super) fn typed(world: &World, line: &str, columns: u16, keys: &str) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("it opens");
    let size = Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).expect("it has a size");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("UTF-8");
    let open = || File::options().read(true).write(true).open(&name).expect("its other side");
    let mut command = world.beside("sh");
    command.args(["-c", line]).env("GIT_SEED_TEST_PERSON", "1").env("TERM", "dumb");
    command.env("GIT_PAGER", "cat").stdin(open()).stdout(open()).stderr(open());
    let mut child = command.spawn().expect("it starts");
    drop(command);
    let mut said = Vec::new();
    let mut room = [0; 4096];
    let mut master = File::from(master);
    master.write_all(keys.as_bytes()).expect("it is typed");
    // A terminal whose other side is closed reads as an error.
    while let Ok(read @ 1..) = master.read(&mut room) {
        said.extend_from_slice(&room[..read]);
    }
    child.wait().expect("it ends");
    without_colours(&String::from_utf8_lossy(&said)).replace('\r', "")
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// A job with a history, refusals and rulings, and others whose names have wide letters.
fn lived_in() -> World {
    let world = World::seeded();
    // What is asked at a terminal only finds the program as this process does.
    let dir = super::world::seed_binary();
    let path = format!("PATH={}:$PATH\n", dir.parent().expect("a directory").display());
    for profile in [".profile", ".bash_profile", ".zprofile"] {
        world.puts(&format!("../home/{profile}"), &path);
    }
    world.to("observe");
    world.edits(CODE, "fn lex() {", "fn lex() { x();").before.refuses("observe");
    world.writes("src/解析器/引号转义的问题与嵌套的字符串.rs", "x").before.refuses("observe");
    world.to("plan");
    world.seed("phase back observe -m 'quoted strings lose their escape when nested'").succeeds();
    world.to("verify");
    world.tests();
    world.to("condense");
    for name in [
        "修复词法分析器中引号转义的问题，并为嵌套的字符串补充测试（包括日本語とかな）と記録を残す",
        "e\u{301}te\u{301} nai\u{308}ve 👩\u{200d}💻 emoji 🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉",
        "한국어 이름은 낱말 사이에 빈칸이 있으므로 낱말 안에서 줄을 바꾸지 않는다 그리고 길다",
        "a name of many words that goes on and on until no terminal of fifty columns holds it",
    ] {
        world.minute();
        world.person(&format!("job create '{name}'")).succeeds();
    }
    world
}

/// The part of a line that does not fit is one thing that somebody may copy.
fn stands_alone(line: &str) -> bool {
    let line = line.trim();
    let first = line.trim_start_matches(['`', '"', '\'', '(']);
    !line.contains(' ') || first.starts_with("git seed ") || first.starts_with("git-seed ")
}

/// The letters of a text, without its space and the line that a graph draws.
fn letters(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "|").collect()
}

/// Some figures are others when one looks again.
fn unnumbered(text: &str) -> String {
    text.replace(|c: char| c.is_ascii_digit(), "0")
}

fn is_wide(word: &str) -> bool {
    word.chars().count() < word.width() || word.contains('\u{200d}')
}

/// Checks one command at one width against what a pipe gets.
fn look(line: &str, shown: &str, piped: &str, columns: u16, wrong: &mut Vec<String>) {
    let room = usize::from(columns);
    // git folds no line of a difference, and neither do we.
    let patch = |row: &str| line.contains(" -p") && row.starts_with(['+', '-', ' ', '@', 'd']);
    let over = |row: &&str| row.width() > room && !stands_alone(row) && !patch(row);
    for row in shown.lines().filter(over) {
        wrong.push(format!("{line}: {columns} columns, {}: {row}", row.width()));
    }
    let known: BTreeSet<&str> = piped.split_whitespace().collect();
    for word in shown.split_whitespace().filter(|word| !known.contains(word) && !is_wide(word)) {
        wrong.push(format!("{line}: {columns} columns, no word of it is {word:?}"));
    }
    // A refusal that comes again brings an example along.
    let (here, there) = (letters(shown), letters(piped));
    if !here.starts_with(&there) && !there.starts_with(&here) {
        wrong.push(format!("{line}: {columns} columns, not what a pipe gets:\n{shown}\n{piped}"));
    }
}

#[test]
fn whatever_people_read_fits_their_terminal() {
    let world = lived_in();
    let job = world.job();
    let mut wrong = Vec::new();
    for line in COMMANDS {
        let line = format!("git seed {}", line.replace("{job}", &job));
        for columns in WIDTHS {
            let shown = unnumbered(&at_terminal(&world, &line, columns));
            let piped = unnumbered(&world.tries(&format!("{line} 2>&1")).out);
            look(&line, &shown, &piped, columns, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
