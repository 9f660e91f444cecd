//! The words of a line, as the reader claims to know them and as bash has them.
//!
//! Random lines out of a grammar of quotes, escapes, `$'…'`, braces, here-documents and
//! expansions go to one bash and to the reader. Where the reader says what a word is, bash
//! must have the same word at the same place of the same command. What the reader does not
//! know costs a refusal; what it knows wrongly lets a write pass as a look.
//!
//! `FUZZ_SECONDS` makes it longer, `FUZZ_SEED` another one.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "it starts bash, and says how much it tried"
)]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git_seed::shell::known_commands;

use super::skip;

/// Lines that one bash reads.
const BATCH: usize = 3_000;
/// Of a hundred commands, so many words at least are claimed: else nothing is compared.
const CLAIMED: usize = 40;

const READER: &str = r#"
set -f
V=val E=
probe() { printf 'C\0'; for word in "$@"; do printf 'A%s\0' "$word"; done; }
command_not_found_handle() { :; }
while IFS= read -r -d '' line; do
    eval "$line" 2>/dev/null
    printf 'S%d\0' $?
done
"#;

/// Numbers that look random and are the same for a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }

    fn some(&mut self, most: usize, mut piece: impl FnMut(&mut Self) -> String) -> String {
        (0..=self.roll(most)).map(|_| piece(self)).collect()
    }

    fn word(&mut self) -> String {
        self.some(4, |dice| dice.piece(2))
    }

    fn piece(&mut self, depth: usize) -> String {
        match self.roll(14) {
            0 => format!("'{}'", self.some(3, |dice| dice.one(IN_SINGLE).to_owned())),
            1 => format!("\"{}\"", self.some(3, |dice| dice.one(IN_DOUBLE).to_owned())),
            2 => format!("$'{}'", self.some(3, |dice| dice.one(IN_ANSI).to_owned())),
            3 => self.one(ESCAPES).to_owned(),
            4 | 5 if depth > 0 => {
                let parts: Vec<String> = (0..=self.roll(3))
                    .map(|_| self.some(2, |dice| dice.piece(depth - 1)))
                    .collect();
                format!("{{{}}}", parts.join(","))
            }
            6 => self.one(SEQUENCES).to_owned(),
            7 => self.one(EXPANSIONS).to_owned(),
            8 => self.one(ODD).to_owned(),
            _ => self.one(PLAIN).to_owned(),
        }
    }

    fn command(&mut self) -> String {
        let mut line = "probe".to_owned();
        for _ in 0..=self.roll(3) {
            line += self.one(BETWEEN);
            line += &self.word();
        }
        line
    }

    fn document(&mut self) -> String {
        let (open, end) = ENDS[self.roll(ENDS.len())];
        let mut text = format!("probe {open}");
        if self.roll(3) == 0 {
            text += " ";
            text += &self.word();
        }
        text += "\n";
        for _ in 0..self.roll(4) {
            text += self.one(BODIES);
            text += "\n";
        }
        format!("{text}{end}\n{}", self.command())
    }

    fn line(&mut self) -> String {
        let mut line = if self.roll(5) == 0 { self.document() } else { self.command() };
        for _ in 0..self.roll(3) {
            line += self.one(&["; ", " ;", "\n", " && ", "\n\n", " # x\n", ";\n"]);
            line += &if self.roll(8) == 0 { self.document() } else { self.command() };
        }
        line
    }
}

const PLAIN: &[&str] = &[
    "a", "b", "-", "o", "-o", "--x", "=", "/", ".", "1", ":", "@", "%", "+", "_", "^", "!", "x#y",
    "é", "delete",
];
const IN_SINGLE: &[&str] =
    &["a", "\"", "\\", "$", "{", ",", "}", " ", "\n", "-", "`", "#", "$V", "\\n", ".."];
const IN_DOUBLE: &[&str] = &[
    "a", "'", "\\\\", "\\$", "\\`", "\\\"", "\\n", "\\a", "\\{", "{", ",", "}", " ", "\n", "-",
    "\\\n", "#", "..", "$", "$'", "!", "$V", "${V}", "{a,b}",
];
const IN_ANSI: &[&str] = &[
    "a",
    "\\n",
    "\\t",
    "\\x2d",
    "\\x6",
    "\\055",
    "\\7",
    "\\101x",
    "\\u002d",
    "\\U0000002d",
    "\\e",
    "\\'",
    "\\\\",
    "\\\"",
    "\\?",
    "\\q",
    "\\cA",
    "\"",
    "{",
    ",",
    "}",
    "-",
    "$V",
    "`",
    " ",
    "\\x",
    "\\u",
    "\\0",
    "\\400",
    "\\xe9",
    "\\u00e9",
];
const ESCAPES: &[&str] = &[
    "\\a", "\\\\", "\\'", "\\\"", "\\$", "\\`", "\\{", "\\}", "\\,", "\\ ", "\\-", "\\\n", "\\;",
    "\\&", "\\#", "\\~", "\\*",
];
const SEQUENCES: &[&str] = &[
    "{1..3}",
    "{3..1}",
    "{a..c}",
    "{c..a}",
    "{1..9..2}",
    "{01..3}",
    "{-1..1}",
    "{a..3}",
    "{A..c}",
    "{1..}",
    "{..}",
    "{\"1\"..2}",
    "{1..\\2}",
    "{1...3}",
    "{a..cc}",
    "{+1..3}",
    "{1..2}{a,b}",
    "{1..3,x}",
    "{é..z}",
];
const EXPANSIONS: &[&str] = &[
    "$V",
    "${V}",
    "\"$V\"",
    "$E",
    "\"$E\"",
    "${V:-x}",
    "${E:-{a,b}}",
    "$((1+2))",
    "$(printf %s x)",
    "`printf %s x`",
    "\"$(printf '%s' \"y\")\"",
    "${V#v}",
    "$#",
    "$?",
    "$\"a\"",
    "${V/a/,}",
    "$[1+1]",
    "\"${V:-'a'}\"",
    "${V:-\"}\"}",
];
const ODD: &[&str] = &[
    "{", "}", ",", "..", "$", "{}", "{,}", "''", "\"\"", "~", "=~", "[", "]", "*", "?", "{a", "b}",
    "#", "{{", "}}", "$}",
];
const BETWEEN: &[&str] = &[" ", "  ", "\t", " \\\n", " ", " "];
/// How a document opens, and a line that may end it.
const ENDS: &[(&str, &str)] = &[
    ("<<EOF", "EOF"),
    ("<<'EOF'", "EOF"),
    ("<<\"EOF\"", "EOF"),
    ("<<\\EOF", "EOF"),
    ("<< EOF", "EOF"),
    ("<<-EOF", "\tEOF"),
    ("<<-'EOF'", "\t\tEOF"),
    ("<<E'O'F", "EOF"),
    ("<<\"E\"OF", "EOF"),
    ("<<E\\OF", "EOF"),
    ("<<$'EOF'", "EOF"),
    ("<<'E F'", "E F"),
    ("<<EOF <<X", "EOF\nx\nX"),
    ("<<a-b", "a-b"),
    ("<<EOF", "EOF "),
    ("<<'EOF'", " EOF"),
    ("<<EOF", "x"),
    ("<<''", ""),
    ("<<$V", "$V"),
    ("<<{a,b}", "{a,b}"),
];
const BODIES: &[&str] = &[
    "x",
    "EOF",
    "EOF ",
    " EOF",
    "\tEOF",
    "EO\\\nF",
    "foo\\",
    "foo\\\\",
    "probe z",
    "$V",
    "'",
    "\"",
    "\\`",
    "$(probe x)",
    "X",
    "",
    "EOFx",
    "EOF)",
    "$'x'",
    "}",
    "# EOF",
    "\\EOF",
    "E F",
    "a-b",
];

/// What bash made of one line: its commands, or nothing where it did not understand it.
type Heard = Option<Vec<Vec<String>>>;

/// What bash made of each line; one that ends bash itself is one that it did not understand.
fn in_bash(lines: &[String]) -> Vec<Heard> {
    let mut heard = Vec::new();
    while heard.len() < lines.len() {
        heard.extend(in_one_bash(&lines[heard.len()..]));
        if heard.len() < lines.len() {
            heard.push(None);
        }
    }
    heard
}

fn in_one_bash(lines: &[String]) -> Vec<Heard> {
    let mut bash = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", READER])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("bash starts");
    let mut stdin = bash.stdin.take().expect("a pipe");
    let text: String = lines.iter().map(|line| format!("{line}\0")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = bash.wait_with_output().expect("bash ends");
    // The pipe breaks where a line ended bash.
    let _ = writer.join().expect("the writer ends");
    let mut heard = Vec::new();
    let mut commands: Vec<Vec<String>> = Vec::new();
    for record in output.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
        let text = String::from_utf8_lossy(&record[1..]).into_owned();
        match record[0] {
            b'C' => commands.push(Vec::new()),
            b'A' => commands.last_mut().expect("a command").push(text),
            _ => heard.push((text == "0").then(|| std::mem::take(&mut commands))),
        }
        if record[0] == b'S' {
            commands.clear();
        }
    }
    heard
}

/// How many words of `line` the reader claims, and whether bash has them all.
fn compare(line: &str, heard: &Heard) -> Result<usize, String> {
    let (Some(heard), Some(all)) = (heard, known_commands(line)) else { return Ok(0) };
    // Lines of a body that is one for neither of them are commands of no known name, which do
    // well in this bash, or of no word at all.
    let ours = |words: &Vec<Option<String>>| {
        words.first().is_some_and(|word| word.as_deref().is_none_or(|word| word == "probe"))
    };
    // A word like `%1` is a job, of which there is none: what stands behind it does not run.
    let is_job = |words: &Vec<Option<String>>| {
        words.first().is_some_and(|word| word.as_deref().is_some_and(|word| word.starts_with('%')))
    };
    if all.iter().any(is_job) {
        return Ok(0);
    }
    let known: Vec<_> = all.into_iter().filter(ours).collect();
    let told = |why: &str| Err(format!("{line:?}: {why}\n  reader {known:?}\n  bash   {heard:?}"));
    if known.len() != heard.len() {
        // Bash leaves out a command with a word that it cannot expand.
        let whole = known.iter().flatten().all(Option::is_some);
        return if whole { told("other commands") } else { Ok(0) };
    }
    let mut claimed = 0;
    for (known, heard) in known.iter().zip(heard) {
        // The first word is `probe` itself.
        let mut words = known.iter().skip(1);
        for (at, word) in words.by_ref().enumerate() {
            let Some(word) = word else { break };
            if heard.get(at) != Some(word) {
                return told(&format!("word {at}"));
            }
            claimed += 1;
        }
        if known.iter().all(Option::is_some) && known.len() - 1 != heard.len() {
            return told("more words");
        }
    }
    Ok(claimed)
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn the_reader_claims_no_word_that_bash_has_otherwise() {
    if Command::new("bash").arg("--version").output().is_err() {
        return skip::not_here("bash");
    }
    let seed = number("FUZZ_SEED", 0x5eed);
    let most = Duration::from_secs(number("FUZZ_SECONDS", 10));
    let (began, mut dice) = (Instant::now(), Dice(seed.wrapping_mul(2) + 1));
    let (mut lines, mut claimed, mut wrong) = (0, 0, Vec::new());
    while began.elapsed() < most && wrong.len() < 20 {
        let batch: Vec<String> = (0..BATCH).map(|_| dice.line()).collect();
        let heard = in_bash(&batch);
        for (line, heard) in batch.iter().zip(&heard) {
            match compare(line, heard) {
                Ok(words) => claimed += words,
                Err(one) => wrong.push(one),
            }
        }
        lines += batch.len();
    }
    println!("{lines} lines, {claimed} words claimed, seed {seed}");
    assert!(wrong.is_empty(), "{} of {lines} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(claimed * 100 >= lines * CLAIMED, "{claimed} words claimed in {lines} lines");
}
