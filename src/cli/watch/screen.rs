//! What `git seed watch` draws.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

use super::keys::{Jobs, Mode};
use crate::cli::report::{clock, seconds};
use crate::cli::width::{end_of, shortened, wrapped};
use crate::engine::report::WhyRow;
use crate::engine::story::watching::{CallShown, Watching};
use crate::event::UnixSeconds;
use crate::format::shown;
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
    let said = match unwatched {
        Some(error) if *mode == Mode::Looking => {
            let said = tell(Notice::WatchUnwatched, &[("error", error)]);
            format!("{} · {said}", hint(seen, mode))
        }
        _ => hint(seen, mode),
    };
    let whole = frame.area();
    let style = Style::new().add_modifier(Modifier::DIM);
    let said = rows(&said, usize::from(whole.width));
    let said: Vec<_> = said.into_iter().map(|row| Line::styled(row, style)).collect();
    let heights = [Constraint::Min(0), Constraint::Length(height(&said))];
    let [above, keys] = Layout::vertical(heights).areas(whole);
    match seen {
        Ok(seen) => watching(frame, above, seen),
        Err(error) => frame.render_widget(Paragraph::new(plain(error, above)), above),
    }
    frame.render_widget(Paragraph::new(said), keys);
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
    let (title, place) = titles(seen, usize::from(area.width));
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
    let width = usize::from(calls.width);
    let lines: Vec<_> = seen.calls.iter().flat_map(|call| called(call, width)).collect();
    frame.render_widget(Paragraph::new(lines).block(headed(" calls ")), calls);
    let width = usize::from(refusals.width);
    let lines: Vec<_> = seen.refusals.iter().flat_map(|row| refused(row, width)).collect();
    frame.render_widget(Paragraph::new(lines).block(headed(" refusals ")), refusals);
}

/// The job and the directory, which share a line: the name has its beginning there, and the
/// directory its end.
fn titles(seen: &Watching, width: usize) -> (String, String) {
    /// The spaces around both, and a sign of the line between them.
    const AROUND: usize = 5;
    let name = seen.status.job.as_ref().map_or("git seed", |job| job.name.as_str());
    let room = width.saturating_sub(AROUND);
    let name = shortened(&visible(name), room / 2);
    let left = room.saturating_sub(crate::cli::width::width(&name));
    let place = end_of(&visible(&seen.worktree.display().to_string()), left);
    (format!(" {name} "), format!(" {place} "))
}

/// `text` in lines of so many columns. What is longer and has no space in it is cut, and an
/// ellipsis says so.
fn rows(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(BESIDE);
    let rows = wrapped(&visible(text), columns);
    rows.into_iter().map(|row| shortened(&row, columns)).collect()
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
    say("cost", &status.cost.told(), plain);
    say("next", &status.next.to_person(), plain);
    lines
}

/// A label, and what is said beside it, in lines that fit.
fn labelled(label: &'static str, text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let rows = rows(text, width.saturating_sub(BESIDE));
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
        let rows = rows(&run.told(), width.saturating_sub(2));
        rows.into_iter().map(move |row| Line::styled(format!(" {row}"), style))
    };
    seen.runs.iter().flat_map(line).collect()
}

fn called(call: &CallShown, width: usize) -> Vec<Line<'static>> {
    let style = match &call.by {
        Some(_) => Style::new().fg(Color::Red),
        None => Style::new(),
    };
    let by = call.by.as_ref().map_or_else(String::new, |by| format!(" · refused by {by}"));
    timed(call.seconds, &format!("{}{by}", call.told), width, style)
}

/// What happened, beside its time, in lines that fit.
fn timed(at: UnixSeconds, text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let line = |(n, row): (usize, String)| {
        let time = if n == 0 { clock(at) } else { String::new() };
        Line::styled(format!(" {time:<BESIDE$}{row}"), style)
    };
    let rows = rows(text, width.saturating_sub(BESIDE + 1));
    rows.into_iter().enumerate().map(line).collect()
}

fn refused(row: &WhyRow, width: usize) -> Vec<Line<'static>> {
    let what = format!("{} {}", row.tool, shown::all_on_one_line(&row.paths, " "));
    let what = if what.trim().is_empty() { row.event.clone() } else { what.trim().to_owned() };
    let head = timed(seconds(&row.at), &what, width, Style::new().fg(Color::Red));
    let rows = rows(&row.why, width.saturating_sub(BESIDE + 1));
    let why = rows.into_iter().map(|row| Line::raw(format!("{:11}{row}", "")));
    head.into_iter().chain(why).collect()
}

fn plain(text: &str, area: Rect) -> Vec<Line<'static>> {
    rows(text, usize::from(area.width)).into_iter().map(Line::raw).collect()
}

/// What others wrote, in one line and without what moves a cursor.
fn visible(text: &str) -> String {
    shown::on_one_line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::engine::fence::tree::FenceShown;
    use crate::engine::judge::cost::Cost;
    use crate::engine::judge::shown::RunShown;
    use crate::engine::report::next::NextStep;
    use crate::engine::report::{JobHead, Status};
    use crate::format::journal::What;

    /// Words of people who write in other letters; each is a name, a call and a reason here.
    const SAID: [&str; 5] = [
        "fix the lexer so that quoted strings keep the escapes that stand in them",
        "die Zeichenkettenzerlegung repariert geschachtelte Anführungszeichen zuverlässig",
        "修复词法分析器中引号转义的\
         问题，并为嵌套的字符串补充测试",
        "e\u{301}te\u{301} apre\u{300}s l'e\u{301}chec 👩\u{200d}💻 pre\u{301}fe\u{301}re des essais",
        "исправить разбор строк в кавычках и сохранить экранирование внутри них",
    ];

    fn seen(said: &str) -> Watching {
        let job = JobHead {
            id: "20261121t205612-7f3a".to_owned(),
            name: said.to_owned(),
            status: "active",
            run: 1,
        };
        let status = Status {
            enabled: false,
            mode: "full",
            track: None,
            usual_track: "auto".to_owned(),
            lane: None,
            job: Some(job.clone()),
            phase: "execute".to_owned(),
            cycle: 1,
            cycles: Some(2),
            allowed: vec![said.to_owned(), "run anything".to_owned()],
            missing: vec![said.to_owned()],
            vetoed: Some(said.to_owned()),
            next: NextStep::Agents("git seed phase advance -F - <message>".to_owned()),
            guest: None,
            policy: Vec::new(),
            unsynced: 0,
            cost: Cost { calls: 9, words: 410, quoted: 3, refusals: 2, commits: 1 },
            fence: FenceShown::default(),
            awaiting: vec![job],
            queued: Vec::new(),
            elsewhere: Vec::new(),
            card: Vec::new(),
            words: Vec::new(),
        };
        let call = |by: Option<&str>| CallShown {
            at: "2026-11-21T20:58:12Z".to_owned(),
            event: What::Prompt,
            tool: "Edit".to_owned(),
            paths: Vec::new(),
            by: by.map(str::to_owned),
            told: format!("Edit {said}"),
            seconds: 1_795_294_692,
        };
        let refused = WhyRow {
            at: "2026-11-21T20:58:12Z".to_owned(),
            event: "pre-tool".to_owned(),
            tool: "Edit".to_owned(),
            paths: vec!["src/parser/strings/escapes/nested.rs".to_owned()],
            by: "place".to_owned(),
            wants: "place",
            why: said.to_owned(),
            do_: String::new(),
            then: String::new(),
            facts: crate::verdict::Facts::default(),
            ran: None,
        };
        let run = RunShown {
            receipt: "0123456789ab".to_owned(),
            command: "cargo test --workspace".to_owned(),
            status: Some(0),
            counts: None,
            part: None,
        };
        Watching {
            worktree: "/home/somebody/work/of/theirs/repo".into(),
            status,
            paused: Vec::new(),
            calls: vec![call(Some("place")), call(None)],
            refusals: vec![refused],
            runs: vec![run],
        }
    }

    /// What a terminal of so many columns shows, in rows of its cells.
    fn drawn(seen: &Result<Watching, String>, mode: &Mode, columns: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(columns, 60)).expect("a terminal");
        terminal.draw(|frame| draw(frame, seen, mode, Some("too many files"))).expect("a frame");
        let buffer = terminal.backend().buffer();
        let row = |y| {
            let mut text = String::new();
            let mut x = 0;
            while x < columns {
                let letter = buffer[(x, y)].symbol();
                text += letter;
                // Behind a wide letter there is a cell that nothing stands in.
                x += u16::try_from(crate::cli::width::width(letter)).unwrap_or(1).max(1);
            }
            text
        };
        (0..60).map(row).collect()
    }

    /// Each word of a frame is one that was to be drawn, or ends or begins with an ellipsis.
    #[test]
    fn no_word_is_cut_at_any_width() {
        let modes =
            [Mode::Looking, Mode::Dropping("dr".to_owned()), Mode::Allowing("s".to_owned())];
        for said in SAID {
            for mode in &modes {
                let seen = Ok(seen(said));
                let wide = drawn(&seen, mode, 400).join(" ");
                let known: Vec<&str> = wide.split_whitespace().collect();
                for columns in [50, 60, 80, 89, 90, 100, 120, 200] {
                    let rows = drawn(&seen, mode, columns);
                    for word in rows.iter().flat_map(|row| row.split_whitespace()) {
                        let word = word.trim_matches('\u{2500}');
                        let cut = word.ends_with('\u{2026}') || word.starts_with('\u{2026}');
                        // Ideographs have no spaces between words.
                        let whole = known.contains(&word) || said.starts_with('修');
                        assert!(whole || cut || word.is_empty(), "{columns}: {word}\n{rows:#?}");
                    }
                    let all: String = rows.concat().split_whitespace().collect();
                    assert!(
                        ["refused", "by", "place"].iter().all(|word| all.contains(word)),
                        "{columns}: {rows:#?}"
                    );
                    let last = said.chars().rev().find(|c| !c.is_whitespace()).expect("one");
                    assert!(all.contains(last), "{columns}: {rows:#?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_in_lines() {
        let rows = drawn(
            &Err("the journal does not read at line three hundred".into()),
            &Mode::Looking,
            50,
        );
        assert!(rows.concat().contains("three hundred"), "{rows:#?}");
    }
}
