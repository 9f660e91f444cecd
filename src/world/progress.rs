//! What a long command is doing, as a person at a terminal sees it.
//!
//! Who works says what it does and how far it is; that is a number or two, which nobody reads in a
//! hook, a pipe or a test. [`show`] begins a line on standard error, where that is a terminal. It
//! is drawn once the command took [`PATIENCE`], and is gone before the command prints anything.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What a person waits for without being told.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it is drawn.
const TICK: Duration = Duration::from_millis(100);
/// A line: what is done, and how far; [`BARE`] where nobody knows how far it goes.
const COUNTED: &str = "{spinner} {msg} [{bar:24}] {pos}/{len}";
const BARE: &str = "{spinner} {msg}";

/// What is done now.
static WHAT: Mutex<String> = Mutex::new(String::new());
/// How much of it is done, and how much there is; 0 where nobody knows.
static DONE: AtomicU64 = AtomicU64::new(0);
static ALL: AtomicU64 = AtomicU64::new(0);
/// The line of this process.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

/// Says what is done from now on, in `all` parts; 0 where nobody knows how many.
pub(crate) fn begin(what: &str, all: usize) {
    of(all);
    DONE.store(0, Ordering::Relaxed);
    if let Ok(mut known) = WHAT.lock() {
        what.clone_into(&mut known);
    }
}

/// How many parts there are, where that shows only later.
pub(crate) fn of(all: usize) {
    ALL.store(u64::try_from(all).unwrap_or(0), Ordering::Relaxed);
}

/// One part is done.
pub(crate) fn step() {
    DONE.fetch_add(1, Ordering::Relaxed);
}

/// A line that a thread of its own draws.
struct Line {
    ends: Arc<(Mutex<bool>, Condvar)>,
    drawn: JoinHandle<()>,
}

/// Begins the line with `what`, on a terminal that can move its cursor.
pub(crate) fn show(what: &str) {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if dumb || !std::io::stderr().is_terminal() {
        return;
    }
    begin(what, 0);
    let ends = Arc::new((Mutex::new(false), Condvar::new()));
    let heard = Arc::clone(&ends);
    // Without a thread there is no line; the command does what it does.
    let drawn = std::thread::Builder::new().spawn(move || draw(&heard));
    if let (Ok(drawn), Ok(mut line)) = (drawn, LINE.lock()) {
        *line = Some(Line { ends, drawn });
    }
}

/// Ends the line and takes it off the terminal. Without one it does nothing.
pub(crate) fn end() {
    let Some(Line { ends, drawn }) = LINE.lock().ok().and_then(|mut line| line.take()) else {
        return;
    };
    if let Ok(mut over) = ends.0.lock() {
        *over = true;
    }
    ends.1.notify_all();
    // It ends by itself, at the latest with its next tick.
    let _ = drawn.join();
}

fn draw(ends: &(Mutex<bool>, Condvar)) {
    let mut bar: Option<ProgressBar> = None;
    let Ok(mut over) = ends.0.lock() else { return };
    while !*over {
        let wait = if bar.is_none() { PATIENCE } else { TICK };
        let Ok((now, waited)) = ends.1.wait_timeout(over, wait) else { return };
        over = now;
        if waited.timed_out() && !*over {
            let bar = bar.get_or_insert_with(|| {
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
            });
            redraw(bar);
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn redraw(bar: &ProgressBar) {
    let all = ALL.load(Ordering::Relaxed);
    let style = ProgressStyle::with_template(if all == 0 { BARE } else { COUNTED });
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    if let Ok(what) = WHAT.lock() {
        bar.set_message(what.clone());
    }
    if all > 0 {
        bar.set_length(all);
    }
    bar.set_position(DONE.load(Ordering::Relaxed).min(all));
    bar.tick();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_has_a_form_that_reads() {
        for form in [COUNTED, BARE] {
            assert!(ProgressStyle::with_template(form).is_ok(), "{form}");
        }
    }
}
