//! What git seed saw of a session's stays: lines below the list of commits of its compaction file.
//!
//! They are written by git seed alone, one for each stay that ends, so that a session which wrote
//! nothing down leaves something all the same. A program that does not know the heading reads them
//! as text of the section. Pure.

/// The heading above the lines.
const HEADING: &str = "### Seen by git seed";

/// The lines have at most this part of what the whole file may have; older ones are counted.
const SHARE: usize = 8;

/// The most words of what a message says, and how many things of a kind are named.
const SAID: usize = 30;
const FILES: usize = 5;
const OTHERS: usize = 2;

/// What the line of the stays that went ends with.
const EARLIER: &str = " earlier phases; git seed log shows them";

/// What was seen of one stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub phase: String,
    pub cycle: u32,
    /// What its message says first.
    pub said: String,
    /// Paths that it committed.
    pub files: Vec<String>,
    /// Runs of tests and how they ended, oldest first.
    pub runs: Vec<String>,
    /// Why something was refused, and how often; most often first.
    pub refused: Vec<(String, usize)>,
}

impl Seen {
    /// The stay in one line.
    pub(crate) fn line(&self) -> String {
        let mut parts = vec![sentence(&cut(&self.said))];
        if !self.files.is_empty() {
            let more = self.files.len().saturating_sub(FILES);
            let mut shown: Vec<String> = self.files.iter().take(FILES).cloned().collect();
            shown.extend((more > 0).then(|| format!("{more} more")));
            parts.push(format!("Changed: {}.", shown.join(", ")));
        }
        let runs: Vec<String> =
            self.runs.iter().rev().take(OTHERS).rev().map(|run| one(run)).collect();
        if !runs.is_empty() {
            parts.push(format!("Ran: {}.", runs.join("; ")));
        }
        let refused = self.refused.iter().take(OTHERS);
        let refused: Vec<String> =
            refused.map(|(why, times)| format!("{} ({times} times)", one(why))).collect();
        if !refused.is_empty() {
            parts.push(format!("Refused: {}.", refused.join("; ")));
        }
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("- {}, cycle {}: {}", self.phase, self.cycle, parts.join(" "))
    }
}

/// On one line, without the stop at its end.
fn one(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_end_matches('.').to_owned()
}

fn sentence(text: &str) -> String {
    let ends = text.is_empty() || text.ends_with(['.', '!', '?', '…', ':']);
    if ends { text.to_owned() } else { format!("{text}.") }
}

fn cut(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let more = if words.len() > SAID { " …" } else { "" };
    format!("{}{more}", words[..words.len().min(SAID)].join(" "))
}

/// The list of commits in the text of its section, and the lines below the heading.
pub(super) fn parts(text: &str) -> (&str, &str) {
    match text.find(HEADING).filter(|at| *at == 0 || text[..*at].ends_with('\n')) {
        Some(at) => (text[..at].trim_end(), text[at + HEADING.len()..].trim()),
        None => (text, ""),
    }
}

/// Both as one text.
pub(super) fn joined(commits: &str, seen: &str) -> String {
    match (commits.is_empty(), seen.is_empty()) {
        (_, true) => commits.to_owned(),
        (true, false) => format!("{HEADING}\n\n{seen}"),
        (false, false) => format!("{commits}\n\n{HEADING}\n\n{seen}"),
    }
}

/// `seen` with one more line; the oldest ones make room, and are counted.
pub(super) fn with(seen: &str, line: &str, ceiling: usize) -> String {
    let mut lines: Vec<&str> = seen.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut gone = lines.first().and_then(|line| earlier(line)).unwrap_or(0);
    if gone > 0 {
        lines.remove(0);
    }
    lines.push(line);
    let words =
        |lines: &[&str]| lines.iter().map(|line| line.split_whitespace().count()).sum::<usize>();
    while lines.len() > 1 && words(&lines) > ceiling / SHARE {
        lines.remove(0);
        gone += 1;
    }
    let first = (gone > 0).then(|| format!("- {gone}{EARLIER}"));
    let rest = lines.into_iter().map(str::to_owned);
    first.into_iter().chain(rest).collect::<Vec<_>>().join("\n")
}

fn earlier(line: &str) -> Option<usize> {
    line.strip_prefix("- ")?.strip_suffix(EARLIER)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stay_is_one_line() {
        let seen = Seen {
            phase: "execute".to_owned(),
            cycle: 2,
            said: "The line\nis changed".to_owned(),
            files: (0..7).map(|n| format!("src/{n}.rs")).collect(),
            runs: vec![
                "make a".to_owned(),
                "cargo test: 8 passed".to_owned(),
                "make b: failed".to_owned(),
            ],
            refused: vec![("src/x.rs was not opened.".to_owned(), 3)],
        };
        assert_eq!(
            seen.line(),
            "- execute, cycle 2: The line is changed. Changed: src/0.rs, src/1.rs, src/2.rs, \
             src/3.rs, src/4.rs, 2 more. Ran: cargo test: 8 passed; make b: failed. Refused: \
             src/x.rs was not opened (3 times)."
        );
        let long = Seen { said: "word ".repeat(40), ..Seen::default() };
        assert!(long.line().ends_with("word …"), "{}", long.line());
        assert_eq!(long.line().matches("word").count(), SAID);
        assert_eq!(
            Seen { phase: "plan".to_owned(), ..Seen::default() }.line(),
            "- plan, cycle 0: "
        );
    }

    #[test]
    fn old_lines_make_room_and_are_counted() {
        let mut seen = String::new();
        for n in 0..9 {
            seen = with(&seen, &format!("- execute, cycle {n}: three words more."), 170);
        }
        assert_eq!(
            seen,
            "- 6 earlier phases; git seed log shows them\n- execute, cycle 6: three words more.\n\
             - execute, cycle 7: three words more.\n- execute, cycle 8: three words more."
        );
        assert_eq!(with("", &seen, 1), seen, "the newest one stays whatever it takes");
        for (commits, lines) in [("", ""), ("- a", ""), ("", "- b"), ("- a\n- c", "- b\n- d")] {
            assert_eq!(parts(&joined(commits, lines)), (commits, lines));
        }
        let inside = "- a commit about ### Seen by git seed";
        assert_eq!(parts(inside), (inside, ""));
    }
}
