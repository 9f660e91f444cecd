//! What `git seed watch` draws.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

use super::keys::{Jobs, Mode};
use crate::cli::report::{clock, seconds};
use crate::cli::status::counted;
use crate::cli::width::wrapped;
use crate::engine::report::WhyRow;
use crate::engine::story::watching::{CallShown, Watching};
use crate::voice::{Notice, tell};

/// Where what is said stands, behind its label.
const BESIDE: usize = 10;
/// From so many columns on, calls and refusals stand beside each other.
const WIDE: u16 = 90;
/// The least lines of calls that stay when what stands above has many.
const LEAST: u16 = 5;

/// Draws what was seen.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    seen: &Result<Watching, String>,
    mode: &Mode,
    unwatched: Option<&str>,
) {
    let whole = frame.area();
    let [above, keys] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(whole);
    match seen {
        Ok(seen) => watching(frame, above, seen),
        Err(error) => frame.render_widget(Paragraph::new(plain(error, above)), above),
    }
    let said = match unwatched {
        Some(error) if *mode == Mode::Looking => {
            let said = tell(Notice::WatchUnwatched, &[("error", error)]);
            format!("{} · {said}", hint(seen, mode))
        }
        _ => hint(seen, mode),
    };
    let style = Style::new().add_modifier(Modifier::DIM);
    frame.render_widget(Paragraph::new(Line::styled(said, style)), keys);
}

/// What the keys do now.
fn hint(seen: &Result<Watching, String>, mode: &Mode) -> String {
    let jobs = seen.as_ref().map(Jobs::of).unwrap_or_default();
    match (mode, jobs.focused) {
        (Mode::Dropping(typed), Some(job)) => {
            tell(Notice::WatchDrop, &[("job", &visible(&job.name)), ("typed", typed)])
        }
        (Mode::Allowing(path), Some(_)) => tell(Notice::WatchAllow, &[("path", path)]),
        (_, Some(_)) => tell(Notice::WatchKeys, &[]),
        (_, None) => match jobs.paused {
            Some(job) => tell(Notice::WatchKeysPaused, &[("job", &visible(&job.name))]),
            None => tell(Notice::WatchKeysNoJob, &[]),
        },
    }
}

fn watching(frame: &mut Frame<'_>, area: Rect, seen: &Watching) {
    let state = state(seen, usize::from(area.width));
    let runs = runs(seen, usize::from(area.width));
    let most = area.height.saturating_sub(LEAST + height(&runs) + 1);
    let heights = [
        Constraint::Length((height(&state) + 1).min(most.max(1))),
        Constraint::Length(if runs.is_empty() { 0 } else { height(&runs) + 1 }),
        Constraint::Min(0),
    ];
    let [top, middle, below] = Layout::vertical(heights).areas(area);
    let name = seen.status.job.as_ref().map_or("", |job| job.name.as_str());
    let title = if name.is_empty() { " git seed ".to_owned() } else { format!(" {name} ") };
    let place = format!(" {} ", seen.worktree.display());
    let block = headed(&title).title_top(Line::from(place).right_aligned());
    frame.render_widget(Paragraph::new(state).block(block), top);
    if !runs.is_empty() {
        frame.render_widget(Paragraph::new(runs).block(headed(" tests ")), middle);
    }
    let both = [Constraint::Fill(1), Constraint::Fill(1)];
    let [calls, refusals] = if area.width >= WIDE {
        Layout::horizontal(both).spacing(1).areas(below)
    } else {
        Layout::vertical(both).areas(below)
    };
    let lines: Vec<_> = seen.calls.iter().map(called).collect();
    frame.render_widget(Paragraph::new(lines).block(headed(" calls ")), calls);
    let width = usize::from(refusals.width);
    let lines: Vec<_> = seen.refusals.iter().flat_map(|row| refused(row, width)).collect();
    frame.render_widget(Paragraph::new(lines).block(headed(" refusals ")), refusals);
}

fn height(lines: &[Line<'_>]) -> u16 {
    u16::try_from(lines.len()).unwrap_or(u16::MAX)
}

fn headed(title: &str) -> Block<'_> {
    Block::new().borders(Borders::TOP).title_top(title)
}

/// Where the work stands, as `git seed status` says it.
fn state(seen: &Watching, width: usize) -> Vec<Line<'static>> {
    let status = &seen.status;
    let mut lines = Vec::new();
    let mut say = |label: &'static str, text: &str, style: Style| {
        lines.extend(labelled(label, text, width, style));
    };
    let plain = Style::new();
    if !status.enabled {
        say("switch", &tell(Notice::StatusOff, &[]), Style::new().fg(Color::Yellow));
    }
    let cycle = match status.cycles {
        Some(cycles) => format!("cycle {} of {cycles}", status.cycle),
        None => format!("cycle {}", status.cycle),
    };
    let rests = status.job.as_ref().filter(|job| job.status != "active");
    let rests = rests.map_or_else(String::new, |job| format!(" · {}", job.status));
    let phase = format!("{} · {cycle}{rests}", status.phase);
    say("phase", &phase, Style::new().add_modifier(Modifier::BOLD));
    for job in &status.awaiting {
        say("awaits", &job.name, Style::new().fg(Color::Yellow));
    }
    say("may", &status.allowed.join(" · "), plain);
    for missing in &status.missing {
        say("missing", missing, plain);
    }
    if let Some(vetoed) = &status.vetoed {
        say("hook", vetoed, Style::new().fg(Color::Red));
    }
    let outside: Vec<&str> =
        status.fence.strays.iter().chain(&status.fence.unclaimed).map(String::as_str).collect();
    if outside.is_empty() {
        say("fence", "clean", plain);
    } else {
        say("fence", &outside.join(" · "), Style::new().fg(Color::Red));
    }
    say("cost", &counted(&status.cost), plain);
    say("next", &status.next, plain);
    lines
}

/// A label, and what is said beside it, in lines that fit.
fn labelled(label: &'static str, text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let rows = wrapped(&visible(text), width.saturating_sub(BESIDE).max(BESIDE));
    let line = |(n, row): (usize, String)| {
        let label = if n == 0 { label } else { "" };
        Line::from(vec![Span::raw(format!(" {label:<9}")), Span::styled(row, style)])
    };
    rows.into_iter().enumerate().map(line).collect()
}

fn runs(seen: &Watching, width: usize) -> Vec<Line<'static>> {
    let line = |run: &crate::engine::judge::shown::RunShown| {
        let style = match run.status {
            Some(0) => Style::new().fg(Color::Green),
            Some(_) => Style::new().fg(Color::Red),
            None => Style::new(),
        };
        let rows = wrapped(&visible(&run.told()), width.saturating_sub(2).max(BESIDE));
        rows.into_iter().map(move |row| Line::styled(format!(" {row}"), style))
    };
    seen.runs.iter().flat_map(line).collect()
}

fn called(call: &CallShown) -> Line<'static> {
    let style = match &call.by {
        Some(_) => Style::new().fg(Color::Red),
        None => Style::new(),
    };
    let by = call.by.as_ref().map_or_else(String::new, |by| format!("   refused by {by}"));
    Line::styled(format!(" {}  {}{by}", clock(call.seconds), visible(&call.told)), style)
}

fn refused(row: &WhyRow, width: usize) -> Vec<Line<'static>> {
    let what = format!("{} {}", row.tool, row.paths.join(" "));
    let what = if what.trim().is_empty() { row.event.clone() } else { what.trim().to_owned() };
    let head = format!(" {}  {}", clock(seconds(&row.at)), visible(&what));
    let rows = wrapped(&visible(&row.why), width.saturating_sub(BESIDE + 1).max(BESIDE));
    let why = rows.into_iter().map(|row| Line::raw(format!("{:11}{row}", "")));
    [Line::styled(head, Style::new().fg(Color::Red))].into_iter().chain(why).collect()
}

fn plain(text: &str, area: Rect) -> Vec<Line<'static>> {
    let rows = wrapped(&visible(text), usize::from(area.width).max(BESIDE));
    rows.into_iter().map(Line::raw).collect()
}

/// What others wrote, in one line and without what moves a cursor.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
