//! How wide the reader's terminal is, and text that fits it.

use std::io::IsTerminal as _;

/// Columns where nobody says how many there are.
const USUAL: usize = 80;
/// Narrower than this a table is no table, and wider than this a line is hard to read.
const LEAST: usize = 50;
const MOST: usize = 100;

/// The columns of the terminal that is printed to, or those of `COLUMNS`.
pub(super) fn columns() -> usize {
    let told = crate::world::variable("COLUMNS").and_then(|columns| columns.parse().ok());
    let columns = if std::io::stdout().is_terminal() { told.or_else(of_terminal) } else { told };
    columns.unwrap_or(USUAL).clamp(LEAST, MOST)
}

#[cfg(unix)]
fn of_terminal() -> Option<usize> {
    // Where the system does not say it, the usual width is taken.
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

#[cfg(not(unix))]
fn of_terminal() -> Option<usize> {
    None
}

/// `text` in lines of at most `columns`, cut between words; a longer word stands alone.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A name and what is said of it, beside it from column `at` on.
pub(super) fn beside(name: &str, text: &str, at: usize, columns: usize) -> String {
    let lines = wrapped(text, columns.saturating_sub(at).max(LEAST / 2));
    let mut rows = String::new();
    for (n, line) in lines.iter().enumerate() {
        let first = if n == 0 { name } else { "" };
        let before = at.saturating_sub(2);
        rows += &format!("  {first:<before$}{line}\n");
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_between_words_at_every_width() {
        let text = "Show the state of the job: its phase, what it may do, what is missing, and \
            averyveryveryveryveryveryveryveryveryverylongwordthatnobodycuts at the end";
        for columns in [50, 80, 200] {
            let lines = wrapped(text, columns);
            assert_eq!(lines.join(" "), text, "no word is broken or lost");
            for line in &lines {
                let fits = line.chars().count() <= columns;
                assert!(fits || !line.contains(' '), "{columns}: {line}");
            }
        }
        assert_eq!(wrapped("", 50), Vec::<String>::new());
        assert_eq!(beside("log", "a b", 8, 50), "  log   a b\n");
        let two = beside("log", &"word ".repeat(12), 8, 50);
        assert_eq!(two.lines().nth(1).map(|line| line.starts_with("        word")), Some(true));
    }
}
