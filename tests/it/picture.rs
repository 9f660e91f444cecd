//! The picture in the README: a part of what the tour prints, drawn as SVG.
//!
//! The lines and their colours are those of the binary. Ids of commits differ from tour to tour,
//! so each is replaced by one that is made from the commit's subject.
//! `UPDATE_PICTURE=1 cargo test --test it picture` draws it anew: look at the difference.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::tour::told;

const FILE: &str = "docs/images/tour.svg";
/// The most bytes that the picture may have.
const MOST: usize = 60_000;
/// Letters in a line; longer lines go on below.
const COLUMNS: usize = 92;
/// Pixels of a letter, of a line, and around them all.
const LETTER: f64 = 8.43;
const LINE: usize = 20;
const EDGE: usize = 18;

/// Parts of the tour, each from the line that begins so up to the line that begins so.
const PARTS: [(&str, &str); 5] = [
    ("\"Fixed and tested\"", "  the person writes [QUICK]"),
    ("  the agent edits src/quote.sh and runs no test", "  git seed phase advance"),
    ("  the agent says the very same", "  the person can see the record"),
    ("OBSERVE:", "  git seed phase advance"),
    ("  the side door:", "  the agent writes what it saw"),
];
/// The last part is the history, below the graph.
const HISTORY: &str = "What stays: the history in git";

const STYLE: &str = "\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;\
fill:#1f2328;white-space:pre}.page{fill:#f6f8fa;stroke:#d1d9e0}.dim{fill:#59636e}\
.good{fill:#116329}.bad{fill:#b3162c}.bold{font-weight:700}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117;stroke:#3d444d}\
.dim{fill:#9198a1}.good{fill:#4ac26b}.bad{fill:#ff7b72}}";

/// Letters in one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    class: &'static str,
    text: String,
}

/// A line of a terminal as spans.
fn spans(line: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut class = "";
    for (n, part) in line.split("\x1b[").enumerate() {
        let (code, text) = if n == 0 { ("0", part) } else { part.split_once('m').expect("a tint") };
        class = match code {
            "0" => "",
            "1" => "bold",
            "2" => "dim",
            "31" => "bad",
            "32" => "good",
            other => panic!("the picture has no colour for {other}"),
        };
        if !text.is_empty() {
            found.push(Span { class, text: text.to_owned() });
        }
    }
    let _ = class;
    found
}

fn plain(line: &str) -> String {
    spans(line).into_iter().map(|span| span.text).collect()
}

/// Cuts a line at its columns, between words; what goes on stands below its last column of text.
fn folded(line: &[Span]) -> Vec<Vec<Span>> {
    let whole: String = line.iter().map(|span| span.text.as_str()).collect();
    let hang = match whole.trim_start() {
        text if text.starts_with("Do: ") => 18,
        text if text.starts_with("sent back") => 16,
        _ => 14,
    };
    let mut rows = vec![Vec::new()];
    let mut at = 0;
    for span in line {
        for word in span.text.split_inclusive(' ') {
            let long = word.trim_end().chars().count();
            if at + long > COLUMNS && at > hang {
                rows.push(vec![Span { class: "", text: " ".repeat(hang) }]);
                at = hang;
            }
            at += word.chars().count();
            let row = rows.last_mut().expect("there is one");
            row.push(Span { class: span.class, text: word.to_owned() });
        }
    }
    rows
}

/// An id that is the same each time.
fn id_of(subject: &str) -> String {
    let hash = subject.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")[..7].to_owned()
}

/// The lines that are drawn.
fn lines(told: &str) -> Vec<String> {
    let all: Vec<&str> = told.lines().collect();
    let mut found = vec!["$ git seed tour".to_owned()];
    let mut at = 0;
    for (first, after) in PARTS {
        let begins = |line: &&str, start: &str| plain(line).starts_with(start);
        let from = at + all[at..].iter().position(|line| begins(line, first)).expect(first);
        let to = from + all[from..].iter().position(|line| begins(line, after)).expect(after);
        if from > at && at > 0 {
            found.push("\x1b[2m  …\x1b[0m".to_owned());
        }
        found.extend(all[from..to].iter().filter(|line| !line.is_empty()).map(|&line| line.into()));
        at = to;
    }
    let tail = at + all[at..].iter().position(|line| plain(line) == HISTORY).expect(HISTORY);
    let log = tail + all[tail..].iter().position(|line| line.is_empty()).expect("below the graph");
    found.push("\x1b[2m  …\x1b[0m".to_owned());
    found.push("$ git log --oneline".to_owned());
    let mut ids = Vec::new();
    for line in all[log + 1..].iter().take_while(|line| !line.is_empty()) {
        let (id, subject) = line.trim().split_once(' ').expect("an id and a subject");
        assert!(id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
        ids.push((id.to_owned(), id_of(subject)));
        found.push((*line).to_owned());
    }
    assert!(ids.len() > 5, "{ids:?}");
    let named = |line: String| ids.iter().fold(line, |line, (id, made)| line.replace(id, made));
    found.into_iter().map(named).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One row: each span stands where a terminal has it, whatever the width of the reader's font.
fn drawn(row: &[Span], y: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    let mut joined: Vec<(usize, Span)> = Vec::new();
    for span in row {
        match joined.last_mut() {
            Some((_, last)) if last.class == span.class => last.text += &span.text,
            _ => joined.push((column, span.clone())),
        }
        column += span.text.chars().count();
    }
    for (start, Span { class, text: said }) in joined {
        let shown = said.trim_start();
        let start = start + said.chars().count() - shown.chars().count();
        let x = LETTER * f64::from(u32::try_from(start).expect("few"));
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        if !shown.is_empty() {
            let shown = escaped(shown.trim_end());
            let x = x + f64::from(u32::try_from(EDGE).expect("few"));
            let _ = writeln!(text, "<text x=\"{x:.0}\" y=\"{y}\"{class}>{shown}</text>");
        }
    }
    text
}

fn picture(told: &str) -> String {
    let rows: Vec<Vec<Span>> =
        lines(told).iter().flat_map(|line| folded(&spans(line))).collect::<Vec<_>>();
    let width = 2 * EDGE + 780;
    let height = rows.len() * LINE + 2 * EDGE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>What git seed tour prints, in parts</title>\n<style>{STYLE}</style>\n\
         <rect class=\"page\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
        width - 1,
        height - 1,
    );
    for (n, row) in rows.iter().enumerate() {
        text += &drawn(row, EDGE + n * LINE + 14);
    }
    text + "</svg>\n"
}

#[test]
fn the_picture_shows_what_the_tour_prints() {
    let made = picture(told());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("UPDATE_PICTURE").is_some() {
        fs::create_dir_all(file.parent().expect("docs/images")).expect("a directory");
        fs::write(&file, &made).expect("the picture can be written");
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == made,
        "{FILE} is old: UPDATE_PICTURE=1 cargo test --test it picture\n{made}"
    );
}

/// A reader's browser draws it, inside a page that loads nothing else.
#[test]
fn the_picture_is_small_and_carries_all_it_needs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let text = fs::read_to_string(file).expect("it is there");
    assert!(text.len() < MOST, "{} bytes", text.len());
    assert!(text.contains("prefers-color-scheme:dark"), "it has no dark form");
    for word in ["<script", "href", "url(", "@import", "<image", "<foreignObject", "onload"] {
        assert!(!text.contains(word), "{word}");
    }
    assert_eq!(text.matches("http").count(), 1, "the name of its format alone");
    // What is shown is text, one row below the other, and no letter of it is read as markup.
    let mut rows = 0;
    for line in text.lines().filter(|line| line.starts_with("<text ")) {
        let (_, rest) = line.split_once('>').expect("a tag");
        let shown = rest.strip_suffix("</text>").expect("text alone");
        assert!(!shown.contains(['<', '>', '"']), "{line}");
        for part in shown.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|name| part.starts_with(name)));
        }
        rows += 1;
    }
    assert!(rows > 25, "{rows}");
    for said in ["sent back", "refused", "Fixed and tested", "condense: "] {
        assert!(text.contains(said), "{said}");
    }
}

#[test]
fn a_line_is_cut_between_words() {
    let line = spans(&format!("  \x1b[31mrefused\x1b[0m {}", "word ".repeat(30)));
    let rows = folded(&line);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let words = |row: &[Span]| row.iter().map(|span| span.text.as_str()).collect::<String>();
    assert_eq!(words(&rows[1]).trim_start().split(' ').next(), Some("word"));
    assert_eq!(rows[0][2].class, "bad");
    assert_eq!(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
}
