//! How wide the reader's terminal is, and text that fits it.
//!
//! Everything that is printed for people at a terminal goes through [`folded`]: lines end between
//! words. What stands alone on a line that is too long is one thing that somebody may copy: a path,
//! an id, a command of git seed. A pipe gets lines as they are.

use std::io::{IsTerminal, stderr, stdout};

#[cfg(unix)]
use std::os::fd::AsFd as Stream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Stream;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Columns where nobody says how many there are.
const USUAL: usize = 80;
/// Narrower than this a table is no table, and wider than this a line is hard to read.
const LEAST: usize = 50;
pub(super) const MOST: usize = 100;
/// Below this no text is folded further.
const FLOOR: usize = 20;
/// What ends a text that is cut.
const CUT: &str = "\u{2026}";
/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// The columns of the terminal that is printed to, or those of `COLUMNS`.
pub(super) fn columns() -> usize {
    at_terminal().or_else(told).unwrap_or(USUAL).clamp(LEAST, MOST)
}

/// The columns of the terminal at standard output, where there is one.
pub(super) fn at_terminal() -> Option<usize> {
    of_reader(&stdout())
}

/// The rows of the terminal that is printed to, where it tells them.
pub(super) fn rows() -> Option<usize> {
    terminal_size::terminal_size_of(stdout())
        .map(|(_, rows)| usize::from(rows.0))
        .filter(|rows| *rows > 0)
}

/// The columns of the terminal behind standard error.
pub(super) fn at_error() -> Option<usize> {
    of_reader(&stderr())
}

/// What `COLUMNS` says.
fn told() -> Option<usize> {
    crate::world::variable("COLUMNS").and_then(|columns| columns.parse().ok())
}

/// Where the system does not say it, lines stay as they are.
fn of_reader(stream: &(impl IsTerminal + Stream)) -> Option<usize> {
    let of_terminal = || {
        let (columns, _) = terminal_size::terminal_size_of(stream)?;
        Some(usize::from(columns.0)).filter(|columns| *columns > 0)
    };
    stream.is_terminal().then(|| told().or_else(of_terminal)).flatten()
}

/// The columns that `text` takes; colours take none.
pub(super) fn width(text: &str) -> usize {
    scanned(text).1
}

/// `text` with as many spaces behind it as make it `columns` wide.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The cells of a row and the text behind them; below them where a terminal has no room for it
/// beside them.
pub(super) fn row(cells: &str, text: &str) -> String {
    row_in(cells, text, at_terminal())
}

fn row_in(cells: &str, text: &str, columns: Option<usize>) -> String {
    let whole = format!("{cells}  {text}");
    let is_tight = |columns: usize| width(cells) + LEAST / 2 > columns && width(&whole) > columns;
    if columns.is_some_and(is_tight) {
        return format!("{}\n    {text}", cells.trim_end());
    }
    whole.trim_end().to_owned()
}

/// `text` in at most `columns`; an ellipsis says that some of it is left out.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.graphemes(true) {
        if kept.width() + letter.width() + CUT.width() > columns {
            break;
        }
        kept.push_str(letter);
    }
    format!("{}{CUT}", kept.trim_end())
}

/// The end of `text` in at most `columns`; an ellipsis says that some of it is left out.
pub(super) fn end_of(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut kept = Vec::new();
    let mut room = columns.saturating_sub(CUT.width());
    for letter in text.graphemes(true).rev() {
        let Some(left) = room.checked_sub(letter.width()) else { break };
        room = left;
        kept.push(letter);
    }
    kept.push(CUT);
    kept.into_iter().rev().collect()
}

/// `text` in lines of at most `columns`, cut between words; a longer word stands alone.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.is_empty() { Vec::new() } else { lines(&one_line, columns, Some(0)) }
}

/// A name and what is said of it, beside it from column `at` on.
pub(super) fn beside(name: &str, text: &str, at: usize, columns: usize) -> String {
    let lines = wrapped(text, columns.saturating_sub(at).max(LEAST / 2));
    let mut rows = String::new();
    for (n, line) in lines.iter().enumerate() {
        let first = if n == 0 { name } else { "" };
        rows += &format!("  {}{line}\n", padded(first, at.saturating_sub(2)));
    }
    rows
}

/// `text` whose lines fit into `columns`. What a line goes on with stands below its last column
/// in the left half, or where `hang` says.
pub(super) fn folded(text: &str, columns: usize, hang: Option<usize>) -> String {
    let mut all = Vec::new();
    for line in text.split('\n') {
        all.extend(lines(line, columns.max(FLOOR), hang));
    }
    all.join("\n")
}

/// One line as lines of at most `columns`.
fn lines(line: &str, columns: usize, hang: Option<usize>) -> Vec<String> {
    let found = words(line);
    if found.iter().map(|word| word.gap + word.width).sum::<usize>() <= columns {
        return vec![line.to_owned()];
    }
    let found = commands_whole(found);
    let hang = hang.unwrap_or_else(|| hangs(&found, columns));
    let parts = found.into_iter().flat_map(parts);
    let mut all: Vec<String> = Vec::new();
    let (mut now, mut at) = (String::new(), 0);
    for part in parts {
        let first = now.is_empty() && all.is_empty();
        let fits = at + part.gap + part.width <= columns;
        let gap = if first || fits {
            part.gap
        } else {
            all.push(std::mem::take(&mut now));
            at = 0;
            hang.min(columns.saturating_sub(part.width))
        };
        now += &format!("{}{}", " ".repeat(gap), part.text);
        at += gap + part.width;
    }
    all.push(now);
    all
}

/// A word with the space before it.
#[derive(Debug)]
struct Word {
    gap: usize,
    text: String,
    width: usize,
}

/// The words of one line, by its spaces.
fn words(line: &str) -> Vec<Word> {
    scanned(line).0
}

/// The same, and the columns that the line takes with the space at its end.
fn scanned(line: &str) -> (Vec<Word>, usize) {
    let mut found: Vec<Word> = Vec::new();
    let (mut at, mut gap, mut in_colour, mut open) = (0, 0, false, false);
    for letter in line.graphemes(true) {
        let wide = match letter {
            " " | "\t" if !in_colour => {
                let wide = if letter == " " { 1 } else { TAB - at % TAB };
                (at, gap, open) = (at + wide, gap + wide, false);
                continue;
            }
            "\u{1b}" => {
                in_colour = true;
                0
            }
            "m" if in_colour => {
                in_colour = false;
                0
            }
            _ if in_colour => 0,
            letter => letter.width(),
        };
        if !open {
            found.push(Word { gap: std::mem::take(&mut gap), text: String::new(), width: 0 });
            open = true;
        }
        if let Some(word) = found.last_mut() {
            word.text += letter;
            word.width += wide;
        }
        at += wide;
    }
    (found, at)
}

/// Where a line goes on: behind the sign of a list, else below the last column that begins in
/// the left half, else where the line itself begins.
fn hangs(words: &[Word], columns: usize) -> usize {
    let Some(first) = words.first() else { return 0 };
    let number = first.text.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok());
    let sign = matches!(first.text.as_str(), "-" | "*" | "\u{2022}") || number;
    let (mut at, mut hang) = (0, first.gap);
    for (n, word) in words.iter().enumerate() {
        at += word.gap;
        let column = word.gap > 1 || (n == 1 && sign);
        if n > 0 && column && at <= columns / 2 {
            hang = at;
        }
        at += word.width;
    }
    hang
}

/// The parts of a word between which a line may end: ideographs, kana and emoji have no spaces
/// between them. Paths and addresses stay whole.
fn parts(word: Word) -> Vec<Word> {
    if word.text.contains('/') || word.text.is_ascii() || word.text.contains('\u{1b}') {
        return vec![word];
    }
    let mut found: Vec<Word> = Vec::new();
    let mut last = "";
    for letter in word.text.graphemes(true) {
        match found.last_mut() {
            Some(part) if !ends_between(last, letter) => {
                part.text += letter;
                part.width += letter.width();
            }
            _ => {
                let gap = if found.is_empty() { word.gap } else { 0 };
                found.push(Word { gap, text: letter.to_owned(), width: letter.width() });
            }
        }
        last = letter;
    }
    found
}

/// True where a line may end between two letters of one word.
fn ends_between(before: &str, after: &str) -> bool {
    const OPENS: &str = "([{<\"'`\u{201c}\u{2018}\u{201e}（「『【〈《";
    const CLOSES: &str = ")]}>\"'`,.:;!?%\u{201d}\u{2019}\u{2026}、。，．！\
        ？：；）」』】〉》・ー\
        っゃゅょッャュョ";
    let alone = |letter: &str| {
        let hangul = letter.chars().any(|c| matches!(c, '\u{1100}'..='\u{11ff}' | '가'..='힣'));
        letter.width() == 2 && !hangul
    };
    (alone(before) || alone(after)) && !OPENS.contains(before) && !CLOSES.contains(after)
}

/// A command of git seed is copied as a whole: its words become one.
fn commands_whole(words: Vec<Word>) -> Vec<Word> {
    let opens =
        |text: &str, name: &str| text.trim_start_matches(['`', '"', '\'', '(', '\u{201c}']) == name;
    let mut found: Vec<Word> = Vec::new();
    let mut ahead: Option<Ahead> = None;
    let next: Vec<String> = words.iter().skip(1).map(|word| word.text.clone()).collect();
    for (n, word) in words.into_iter().enumerate() {
        let next = next.get(n).map_or("", String::as_str);
        if let (Some(open), Some(last)) = (&mut ahead, found.last_mut())
            && word.gap == 1
            && open.takes(&word.text, next)
        {
            last.text += &format!(" {}", word.text);
            last.width += 1 + word.width;
            continue;
        }
        let begins = opens(&word.text, "git-seed") || (opens(&word.text, "git") && next == "seed");
        ahead = begins.then(Ahead::new);
        found.push(word);
    }
    found
}

/// What may come next in a command of git seed.
struct Ahead {
    /// The command up to here; none once its arguments began.
    command: Option<clap::Command>,
    /// The sign that ends the argument which is open.
    quote: Option<char>,
    /// The word before was an option.
    option: bool,
    ended: bool,
}

impl Ahead {
    fn new() -> Self {
        Self { command: Some(super::definition()), quote: None, option: false, ended: false }
    }

    /// Whether `word`, with `next` behind it, belongs to the command.
    fn takes(&mut self, word: &str, next: &str) -> bool {
        const ENDS: [char; 8] = [',', '.', ';', ':', ')', '`', '\u{201d}', '!'];
        if self.ended {
            return false;
        }
        let bare = word.trim_end_matches(ENDS);
        let option = std::mem::take(&mut self.option);
        if let Some(quote) = self.quote {
            if bare.ends_with(quote) {
                self.quote = None;
                self.ended = bare != word;
            }
            return true;
        }
        let below = self.command.as_ref().and_then(|command| command.find_subcommand(bare));
        if bare == "seed" {
            return true;
        }
        if let Some(below) = below.cloned() {
            (self.command, self.ended) = (Some(below), bare != word);
            return true;
        }
        // The argument of a command that options follow.
        let first = self.command.take().is_some() && next.starts_with('-');
        let quote = bare.chars().next().filter(|first| matches!(first, '"' | '\'' | '<' | '['));
        let ends = quote.map(|quote| match quote {
            '<' => '>',
            '[' => ']',
            quote => quote,
        });
        self.quote = ends
            .filter(|ends| bare.len() == 1 || !bare.trim_end_matches('\u{2026}').ends_with(*ends));
        let dashed = bare.starts_with('-');
        self.option = dashed && bare.len() == 2;
        let id = bare.len() > 3 && bare.starts_with(|first: char| first.is_ascii_digit());
        let argument = (dashed && (bare != "-" || option)) || quote.is_some() || id;
        let argument = argument || first || bare.contains('/') || (option && bare.is_ascii());
        self.ended = bare != word && self.quote.is_none();
        argument
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        assert_eq!(beside("引", "a b", 8, 50), "  引    a b\n");
        let two = beside("log", &"word ".repeat(12), 8, 50);
        assert_eq!(two.lines().nth(1).map(|line| line.starts_with("        word")), Some(true));
    }

    #[test]
    fn a_line_goes_on_below_its_last_column() {
        let at = |line: &str, columns, hang| folded(line, columns, hang);
        assert_eq!(at("short", 20, None), "short");
        assert_eq!(
            at("ok  host         a call was refused by it", 34, None),
            "ok  host         a call was\n                 refused by it"
        );
        assert_eq!(at("- one two three four", 20, None), "- one two three four");
        assert_eq!(at("- one two three four five", 20, None), "- one two three four\n  five");
        assert_eq!(
            at("job      a name   an-id-of-it", 20, Some(9)),
            "job      a name\n         an-id-of-it"
        );
        assert_eq!(
            at("\x1b[31mone two three\x1b[0m four", 20, None),
            "\x1b[31mone two three\x1b[0m four"
        );
        // A path that does not fit there begins as far right as it can.
        let path = "src/parser/lexer.rs";
        assert_eq!(at(&format!("key      {path}"), 22, Some(9)), format!("key\n   {path}"));
        assert_eq!(at("a\tb", 20, None), "a\tb", "what fits stays as it is");
    }

    #[test]
    fn commands_and_paths_stay_whole() {
        for (line, whole) in [
            (
                "say git seed job approve 20261121t205612-7f3a",
                "git seed job approve 20261121t205612-7f3a",
            ),
            (
                "undo with `git seed phase back observe -m \"what was missed\"` then",
                "git seed phase back observe -m \"what was missed\"",
            ),
            (
                "the next step is git seed phase advance -F - <the message>",
                "git seed phase advance -F - <the message>",
            ),
            ("look at src/解析器/引号.rs and then go", "src/解析器/引号.rs"),
        ] {
            for columns in 20..60 {
                let said = folded(line, columns, None);
                assert!(said.contains(whole), "{columns}: {said}");
            }
        }
        let said =
            folded("git seed is a subcommand, and git seed man --remove removes them", 22, None);
        assert_eq!(said, "git seed is a\nsubcommand, and\ngit seed man --remove\nremoves them");
    }

    #[test]
    fn wide_letters_take_two_columns_and_no_letter_is_cut() {
        let text = "修复词法分析器、引号「转」";
        for columns in 20..26 {
            for line in folded(text, columns, None).lines() {
                assert!(width(line) <= columns, "{line}");
                assert!(!line.starts_with(['、', '」']), "{line}");
                assert!(!line.ends_with('「'), "{line}");
            }
        }
        let family = "👩\u{200d}👩\u{200d}👧";
        let said = folded(&family.repeat(15), 20, None);
        assert!(said.lines().all(|line| line.starts_with('👩') && width(line) <= 20), "{said}");
        let korean = "한국어 낱말은 자르지 않는다";
        let said = folded(korean, 20, None);
        assert!(
            said.lines().count() > 1 && said.split_whitespace().eq(korean.split(' ')),
            "{said}"
        );
        assert_eq!(width("e\u{301}\x1b[31m引\x1b[0m "), 4);
        assert_eq!(padded("引", 4), "引  ");
        let (cells, text) = ("execute  execute-contractor  git seed's", "Carries out one contract");
        assert_eq!(row_in(cells, text, Some(50)), format!("{cells}\n    {text}"));
        for columns in [None, Some(64)] {
            assert_eq!(row_in(cells, text, columns), format!("{cells}  {text}"));
        }
        assert_eq!(row_in("a", "b", Some(10)), "a  b", "it fits");
        assert_eq!(row_in("a  ", "", Some(50)), "a");
        assert_eq!(shortened("引号转", 4), "引\u{2026}");
        assert_eq!(end_of("/home/me/repo", 6), "\u{2026}/repo");
    }

    proptest! {
        /// Nothing is lost, and what is longer than the terminal stands alone.
        #[test]
        fn any_text_fits(
            text in "([a-z一-丠😀-😐e\u{301}]{0,30} {0,3}){0,12}",
            columns in 20usize..80,
        ) {
            let said = folded(&text, columns, None);
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(letters(&said), letters(&text));
            for line in said.lines() {
                let alone = !line.trim().contains(' ');
                prop_assert!(width(line.trim_end()) <= columns || alone, "{}", line);
            }
        }
    }
}
