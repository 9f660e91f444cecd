//! All printing: text for people, JSON where it is asked for, refusals and errors on stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use similar::TextDiff;

use super::failure::Failure;
use super::{Outcome, pager, width};
use crate::format::shown;
use crate::jobs::UnixSeconds;
use crate::verdict::Refusal;
use crate::voice::{self, Notice};
use crate::world::progress;

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

/// Where a command prints to.
#[derive(Debug)]
pub(crate) struct Report {
    json: bool,
    colour: bool,
    /// What lines have to fit, where a terminal is printed to.
    columns: Option<usize>,
    /// What is longer than the terminal is shown in git's pager.
    pages: bool,
    out: Vec<u8>,
}

/// Where the value of a pair begins.
const VALUES: usize = 9;

/// A verdict's colour.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tint {
    Good,
    Bad,
    Dim,
    Bold,
}

impl Report {
    pub(crate) fn new(json: bool, colour: Colour) -> Self {
        let colour = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => !is_plain() && io::stdout().is_terminal(),
        };
        Self { json, colour, columns: width::at_terminal(), pages: false, out: Vec::new() }
    }

    /// What is longer than the terminal is shown in git's pager.
    pub(crate) fn page(&mut self) {
        self.pages = !self.json;
    }

    /// True when JSON was asked for.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// True where colours are on.
    pub(crate) fn has_colours(&self) -> bool {
        self.colour
    }

    /// A line of this width fits the terminal.
    pub(crate) fn fits(&self, width: usize) -> bool {
        self.columns.is_none_or(|columns| width <= columns)
    }

    /// One line of text, or several; nothing in JSON mode.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) {
        self.hung(text, None);
    }

    /// A line of Markdown whose words of others [`super::markdown`] has made harmless: the signs of
    /// no width that it put among them stay.
    pub(crate) fn markdown(&mut self, text: &str) {
        if !self.json {
            let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            self.put(format_args!("{text}\n"));
        }
    }

    /// `key      value` lines up with others of its kind.
    pub(crate) fn pair(&mut self, key: &str, value: impl std::fmt::Display) {
        let before = VALUES - 1;
        self.hung(format_args!("{key:<before$} {value}"), Some(VALUES));
    }

    /// A line that is longer than the terminal goes on in the column `hang`.
    pub(crate) fn hung(&mut self, text: impl std::fmt::Display, hang: Option<usize>) {
        if !self.json {
            let text = text.to_string();
            let text = plain(&text, self.colour);
            let text = fitting(&text, self.columns, hang);
            self.put(format_args!("{text}\n"));
        }
    }

    /// A line behind the signs of a graph; `below` stands before what it goes on with.
    pub(crate) fn drawn(&mut self, sign: &str, below: &str, text: &str) {
        let room = self.columns.map(|columns| columns.saturating_sub(width::width(below)));
        let text = fitting(text.trim_end(), room, None).into_owned();
        for (n, line) in text.split('\n').enumerate() {
            let sign = if n == 0 { sign } else { below };
            self.verbatim(format_args!("{sign}{line}").to_string().trim_end());
        }
    }

    /// Text that somebody may copy, line by line as it is; nothing in JSON mode.
    pub(crate) fn verbatim(&mut self, text: impl std::fmt::Display) {
        if !self.json {
            let text = text.to_string();
            self.put(format_args!("{}\n", plain(&text, self.colour)));
        }
    }

    /// One JSON value; nothing in text mode.
    pub(crate) fn json(&mut self, value: &impl Serialize) {
        if self.json {
            let text =
                serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("\"{error}\""));
            self.put(format_args!("{text}\n"));
        }
    }

    /// Text as it is, in either mode.
    pub(crate) fn raw(&mut self, text: &str) {
        self.put(format_args!("{text}"));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        let _ = self.out.write_fmt(text);
    }

    /// Prints what was collected, at once; for commands that tell as they go.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        progress::end();
        let mut stdout = io::stdout().lock();
        stdout.write_all(&self.out)?;
        self.out.clear();
        stdout.flush()
    }

    /// The last word; a closed pipe counts as heard.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        progress::end();
        if self.pages && pager::shows(&self.out)? {
            return Ok(());
        }
        match self.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }

    /// What was to be printed went nowhere.
    pub(crate) fn unheard(&mut self, error: &io::Error) {
        self.out.clear();
        let why = voice::tell(Notice::PrintedNowhere, &[("error", &error.to_string())]);
        told_aside(&format!("error: {why}\n"));
    }

    /// A refusal, in the words that its phase has for it.
    pub(crate) fn refusal(&mut self, refusal: &Refusal, phase: &str) -> Outcome {
        self.refused(&voice::say(refusal, phase).text())
    }

    /// A refusal that was put into words already.
    pub(crate) fn refused(&mut self, text: &str) -> Outcome {
        let _ = self.flush();
        told_aside(&format!("{text}\n"));
        Outcome::Refused
    }

    /// One more line for whoever was refused.
    pub(crate) fn aside(&mut self, line: &str) {
        progress::end();
        told_aside(&format!("{line}\n"));
    }

    /// An error with its causes and, where one is known, the next step.
    pub(crate) fn error(&mut self, error: &Failure) {
        let _ = self.flush();
        let mut text = format!("error: {error}\n");
        for cause in error.causes() {
            if !text.contains(&cause) {
                text.push_str(&format!("caused by: {cause}\n"));
            }
        }
        if let Some(hint) = hint(error) {
            text.push_str(&format!("hint: {hint}\n"));
        }
        told_aside(&text);
    }

    pub(crate) fn version(&mut self, version: &str) -> Outcome {
        self.json(&serde_json::json!({ "version": version, "format": crate::format::FORMAT }));
        self.line(format_args!("git-seed {version}"));
        Outcome::Yes
    }

    /// A unified diff, line by line as it is, as [`unified_diff`] makes it.
    pub(crate) fn diff(&mut self, text: &str) {
        for line in text.lines() {
            let tint = match line.as_bytes().first() {
                Some(b'+') => Tint::Good,
                Some(b'-') => Tint::Bad,
                Some(b'@') => Tint::Dim,
                _ => {
                    self.verbatim(line);
                    continue;
                }
            };
            let line = self.tint(tint, line);
            self.verbatim(line);
        }
    }

    /// `text` in a colour, where colours are on.
    pub(crate) fn tint(&self, tint: Tint, text: impl std::fmt::Display) -> String {
        let code = match tint {
            Tint::Good => "32",
            Tint::Bad => "31",
            Tint::Dim => "2",
            Tint::Bold => "1",
        };
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// Help, or what is wrong with a command line, where clap prints it.
pub(super) fn help(error: &clap::Error) {
    let (columns, terminal) = if error.use_stderr() {
        (width::at_error(), io::stderr().is_terminal())
    } else {
        (width::at_terminal(), io::stdout().is_terminal())
    };
    let Some(columns) = columns.filter(|_| terminal) else {
        // A closed pipe is no reason to fail here.
        let _ = error.print();
        return;
    };
    let text = error.render();
    let text = if is_plain() { text.to_string() } else { text.ansi().to_string() };
    let text = width::folded(&text, columns.min(width::MOST), None);
    let _ = if error.use_stderr() {
        io::stderr().write_all(text.as_bytes())
    } else {
        io::stdout().write_all(text.as_bytes())
    };
}

/// Nobody wants colours.
fn is_plain() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Text on standard error; nobody hears where that is closed.
fn told_aside(text: &str) {
    let text = plain(text, false);
    let text = fitting(&text, width::at_error(), None);
    let _ = io::stderr().write_all(text.as_bytes());
}

/// `text` in the columns of a terminal, where one is printed to.
fn fitting(text: &str, columns: Option<usize>, hang: Option<usize>) -> Cow<'_, str> {
    columns.map_or(Cow::Borrowed(text), |columns| width::folded(text, columns, hang).into())
}

fn hint(error: &Failure) -> Option<String> {
    error.kind::<crate::engine::repo::EngineError>()?.hint()
}

/// What makes `after` of `before`, with three lines around each change; empty where they are
/// the same. `names` stand in its head.
pub(crate) fn unified_diff(before: &str, after: &str, names: (&str, &str)) -> String {
    TextDiff::from_lines(before, after).unified_diff().header(names.0, names.1).to_string()
}

/// A time of JSON in seconds.
pub(super) fn seconds(at: &str) -> i64 {
    time::OffsetDateTime::parse(at, &time::format_description::well_known::Rfc3339)
        .map_or(0, time::OffsetDateTime::unix_timestamp)
}

/// The time of day for people, in their own zone where the system tells it.
pub(crate) fn clock(at: UnixSeconds) -> String {
    let time =
        time::OffsetDateTime::from_unix_timestamp(at).unwrap_or(time::OffsetDateTime::UNIX_EPOCH);
    let offset = time::UtcOffset::local_offset_at(time).unwrap_or(time::UtcOffset::UTC);
    let time = time.to_offset(offset);
    format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

/// `text` without what would move a terminal's cursor or name its window: claims, paths and
/// commands are others' words. With `tints` the colours of this page stay.
fn plain(text: &str, tints: bool) -> Cow<'_, str> {
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || shown::hides(c, ' ', None);
    if !text.chars().any(odd) {
        return text.into();
    }
    let is_tint = |rest: &str| {
        let code =
            rest.strip_prefix('[').and_then(|rest| rest.split_once('m')).map(|(code, _)| code);
        tints && matches!(code, Some("0" | "1" | "2" | "31" | "32"))
    };
    let mut seen = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match c {
            '\n' | '\t' => seen.push(c),
            '\x1b' if is_tint(rest) => seen.push(c),
            c if c.is_control() => seen.push(' '),
            c if shown::hides(c, before, rest.chars().next()) => seen.extend(c.escape_unicode()),
            c => seen.push(c),
        }
        before = c;
    }
    seen.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_others_do_not_steer_the_terminal() {
        for (text, tints, wanted) in [
            ("a\tb\nc é", false, "a\tb\nc é"),
            ("a\x1b[2Jb\x1b]0;x\x07c\rd", true, "a [2Jb ]0;x c d"),
            ("\u{9b}2J", true, " 2J"),
            ("\x1b[32mok\x1b[0m", true, "\x1b[32mok\x1b[0m"),
            ("\x1b[32mok\x1b[0m", false, " [32mok [0m"),
            ("\x1b", true, " "),
            ("c\u{202e}yp.c", true, "c\\u{202e}yp.c"),
            ("\u{1f468}\u{200d}\u{1f469}", true, "\u{1f468}\u{200d}\u{1f469}"),
        ] {
            assert_eq!(plain(text, tints), wanted, "{text:?}");
        }
    }
}
