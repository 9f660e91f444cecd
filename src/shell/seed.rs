//! `git seed` commands: which are the agent's to give, and the one strict form that is
//! granted without asking the person.
//!
//! The strict form is read by a lexer of its own, not by the shell grammar: a grant must
//! not hang on two readers agreeing. Everything a shell could expand, join or redirect
//! makes it no strict form. In particular `cd … && git seed …` and `cat … | git seed …`
//! are not; they are ordinary command lines, which the host may ask about.
//! Whether a program by path is this binary is for the caller.

use serde::Deserialize;

use crate::shipped::{Rows, rows};

use super::own;
use super::words::Term;
use super::{Effect, Found, LONGEST};

/// How the command names the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// `git seed …`
    GitSeed,
    /// `git-seed …`
    Bare,
    /// An absolute path that ends in `/git-seed`.
    Path(String),
}

/// One literal `git seed` command that is the agent's to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedCommand {
    pub program: Program,
    /// The words after `git seed`, quotes removed.
    pub args: Vec<String>,
    /// The body of the quoted here-document, with its last newline.
    pub stdin: Option<String>,
}

impl SeedCommand {
    /// The files that it reads a text from.
    pub(crate) fn files(&self) -> Vec<&str> {
        let mut files = Vec::new();
        let mut words = self.args.iter();
        while let Some(word) = words.next() {
            let behind = ["--file=", "-F="].iter().find_map(|flag| word.strip_prefix(flag));
            let joined = word.strip_prefix("-F").filter(|rest| !rest.is_empty());
            match behind.or(joined) {
                Some(file) => files.push(file),
                None if matches!(word.as_str(), "-F" | "--file") => {
                    files.extend(words.next().map(String::as_str));
                }
                None => {}
            }
        }
        files.retain(|file| *file != "-");
        files
    }
}

/// Commands of git seed in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeedLine {
    pub commands: Vec<SeedCommand>,
    /// Programs that a pipe leads into.
    pub filters: Vec<String>,
    /// Errors of one go with its output.
    pub joined: bool,
}

impl SeedLine {
    /// None of them changes anything.
    pub(crate) fn looks(&self) -> bool {
        self.commands.iter().all(|command| {
            let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
            looks(&args)
        })
    }
}

/// One command of git seed, and whose it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandRow {
    name: String,
    /// The agent may give it in every form.
    #[serde(default)]
    open: bool,
    /// Subcommands that the agent may give.
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    looks: Looks,
    /// It is a person's or a host's, whatever follows.
    #[serde(default)]
    person: bool,
    /// Subcommands that are a person's.
    #[serde(default)]
    theirs: Vec<String>,
    /// Flags with which it changes something.
    #[serde(default)]
    changes: Vec<String>,
    /// Flags with which it is not the agent's.
    #[serde(default)]
    persons: Vec<String>,
    /// Subcommands that change nothing, and keep objects of what they see below `.git`.
    #[serde(default)]
    keeps: Vec<String>,
    /// Subcommands that may start programs of the repository, such as git hooks.
    #[serde(default)]
    starts: Vec<String>,
    /// It runs the command behind `--`: it is never granted, and that command decides.
    #[serde(default)]
    wraps: bool,
}

/// Which forms of a command change nothing.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Looks {
    /// All, or none.
    Always(bool),
    /// Those with one of these subcommands.
    Verbs(Vec<String>),
}

impl Default for Looks {
    fn default() -> Self {
        Self::Always(false)
    }
}

impl CommandRow {
    /// Whether its form with the subcommand `verb` and these words is the agent's to give.
    fn is_open(&self, verb: Option<&str>, args: &[&str]) -> bool {
        let persons = |arg: &&str| self.persons.iter().any(|flag| arg.starts_with(flag.as_str()));
        let open =
            self.open || verb.is_some_and(|verb| self.verbs.iter().any(|known| known == verb));
        open && !args.iter().any(persons)
    }

    /// Whether there is a command of this name with this subcommand, whosever it is.
    fn is_known(&self, verb: Option<&str>) -> bool {
        let mut verbs = self.verbs.iter().chain(&self.theirs);
        self.open || self.person || verb.is_some_and(|verb| verbs.any(|known| known == verb))
    }

    /// Whether that form, with these words, changes nothing.
    fn looks(&self, verb: Option<&str>, args: &[&str]) -> bool {
        let changes = |arg: &&str| {
            let flags = self.changes.iter().map(String::as_str).chain([MULTIPLIER]);
            flags.into_iter().any(|flag| arg.starts_with(flag))
        };
        let looks = match &self.looks {
            Looks::Always(always) => *always,
            Looks::Verbs(verbs) => verb.is_some_and(|verb| verbs.iter().any(|known| known == verb)),
        };
        looks && !args.iter().any(changes)
    }
}

/// The option of every command that sets the multiplier of the stay.
const MULTIPLIER: &str = "--multiplier";

static COMMANDS: Rows<CommandRow> = rows!("seed.command");

/// The row of a command and its subcommand, past the options that any command takes.
fn row_of<'a>(args: &[&'a str]) -> Option<(&'static CommandRow, Option<&'a str>)> {
    let mut words = Vec::new();
    let mut rest = args.iter();
    while let Some(&word) = rest.next() {
        match word {
            "--color" | "-C" | MULTIPLIER => {
                rest.next();
            }
            word if word == "--json" || word.starts_with("--color=") => {}
            word if word.strip_prefix(MULTIPLIER).is_some_and(|value| value.starts_with('=')) => {}
            word => words.push(word),
        }
    }
    let name = words.first()?;
    let row = COMMANDS.named(name).next()?;
    Some((row, words.get(1).copied()))
}

/// Beginnings of commands that are an agent's whatever follows, each by its words after `git seed`,
/// and whether it changes nothing then.
pub(crate) fn agent_open() -> Vec<(String, bool)> {
    let mut found = Vec::new();
    // What runs other commands is never granted, nor what a flag makes a person's.
    for row in COMMANDS.all().filter(|row| !row.wraps && row.persons.is_empty()) {
        let looks = |verb: Option<&str>| row.changes.is_empty() && row.looks(verb, &[]);
        if row.open {
            found.push((row.name.clone(), looks(None)));
        }
        let named =
            row.verbs.iter().map(|verb| (format!("{} {verb}", row.name), looks(Some(verb))));
        found.extend(named.filter(|_| !row.open));
    }
    found
}

/// Whether the agent may give the command with these words; what no row names is a person's.
fn is_open(args: &[&str]) -> bool {
    row_of(args).is_some_and(|(row, verb)| row.is_open(verb, args))
}

/// Whether the `git seed` command with these words, those after `git seed`, changes
/// nothing: it shows a state, or explains itself.
#[cfg(test)]
pub(crate) fn only_looks(args: &[String]) -> bool {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    looks(&args)
}

fn looks(args: &[&str]) -> bool {
    asks_for_help(args) || row_of(args).is_some_and(|(row, verb)| row.looks(verb, args))
}

/// Whether the words after `git seed` are a command that is the agent's to give, that changes
/// something or keeps what it sees, and that runs where this process runs: one that a hook can run
/// in its place.
pub(crate) fn can_be_handed_over(args: &[String]) -> bool {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let elsewhere = args.iter().any(|word| word.starts_with("-C"));
    let wraps = row_of(&args).is_some_and(|(row, _)| row.wraps);
    let keeps = row_of(&args).is_some_and(|(row, verb)| {
        verb.is_some_and(|verb| row.keeps.iter().any(|known| known == verb))
    });
    !elsewhere && !wraps && is_open(&args) && (keeps || !looks(&args)) && !asks_for_help(&args)
}

/// Whether the words after `git seed` are a command that is the agent's to give and that changes
/// something itself; `exec` judges what it wraps.
pub(crate) fn changes_something(args: &[String]) -> bool {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let wraps = row_of(&args).is_some_and(|(row, _)| row.wraps);
    let dial = args.iter().any(|arg| arg.starts_with(MULTIPLIER));
    !wraps && is_open(&args) && (dial || !looks(&args)) && !asks_for_help(&args)
}

/// Whether that command may start programs of the repository, such as git hooks.
pub(crate) fn starts_programs(args: &[String]) -> bool {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    row_of(&args).is_some_and(|(row, verb)| {
        verb.is_some_and(|verb| row.starts.iter().any(|known| known == verb))
    })
}

/// Judges a `git seed` command that stands anywhere in a line.
pub(super) fn judge(words: &[Term], part: &str) -> Found {
    let args: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let all_literal = words.iter().all(Term::is_literal);
    let row = row_of(&args);
    // Behind a command that is open in every form, any word may follow.
    let restores = matches!(args.as_slice(), ["fence", "restore", ..]);
    let deciding = match row {
        Some((row, _)) if row.open && row.persons.is_empty() => 1,
        // Any of its words could be a flag with which it is a person's.
        Some((row, _)) if row.open => words.len(),
        _ if restores => 2,
        _ => 3,
    };
    let literal = words.iter().take(deciding).all(Term::is_literal);
    let open = literal && (is_open(&args) || asks_for_help(&args));
    let mut found = Found::new(if open { Effect::Read } else { Effect::Unknown }, part);
    found.seed = true;
    found.persons = !open;
    // What is no command does nothing, but who meant another one does not learn it from a person.
    let known = asks_for_help(&args) || row.is_some_and(|(row, verb)| row.is_known(verb));
    found.no_command = literal && !known;
    let wraps = row.is_some_and(|(row, _)| row.wraps);
    found.looks = open && ((all_literal && looks(&args)) || wraps);
    // What the fence is to put back may be a hook; naming it reads nothing.
    let reaches =
        |word: &&Term| !(restores && all_literal) && own::is_ours(own::reach(word, false));
    let state: Vec<&Term> = words.iter().filter(reaches).collect();
    found.name_state(&state);
    found
}

/// The command that `git seed exec` runs, if these words are such a command.
pub(super) fn wrapped(words: &[Term]) -> Option<&[Term]> {
    let args: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let (row, _) = row_of(&args)?;
    let name = args.iter().position(|arg| *arg == row.name).filter(|_| row.wraps)?;
    let rest = words.get(name + 1..)?;
    let start = match rest.iter().position(|word| word.text == "--") {
        Some(dashes) => dashes + 1,
        None => rest.iter().position(|word| !word.text.starts_with('-') || word.flaggy)?,
    };
    rest.get(start..).filter(|command| !command.is_empty())
}

/// `--help` where no command can take it for a value: behind a command, or behind a
/// subcommand.
fn asks_for_help(args: &[&str]) -> bool {
    let help = |word: &str| matches!(word, "--help" | "-h");
    match args {
        [] | ["--version" | "-V"] | ["help", ..] => true,
        [name] => help(name),
        [name, flag] if !name.starts_with('-') => help(flag),
        [name, verb, flag] => {
            help(flag)
                && COMMANDS.named(name).any(|row| !row.verbs.is_empty())
                && !verb.starts_with('-')
        }
        _ => false,
    }
}

/// Reads `command` as one strict, agent-open `git seed` command; `None` for anything else.
///
/// Strict means: the program is `git seed`, `git-seed` or an absolute path to `git-seed`;
/// every word is literal; nothing stands before, behind or beside it but one here-document
/// with a quoted delimiter.
pub fn seed_command(command: &str) -> Option<SeedCommand> {
    let SeedLine { mut commands, filters, joined } = seed_line(command)?;
    commands.pop().filter(|_| commands.is_empty() && filters.is_empty() && !joined)
}

/// Reads `command` as agent-open commands of git seed, each as [`seed_command`] has it, joined by
/// `&&`; each may end in `2>&1` and in a pipe into one program that only shows a part.
pub(crate) fn seed_line(command: &str) -> Option<SeedLine> {
    if command.len() > LONGEST || command.contains(['\0', '\r']) {
        return None;
    }
    let mut lexer = Lexer { rest: command.trim(), pieces: vec![Piece::default()], delimiter: None };
    lexer.line()?;
    let mut stdin = match &lexer.delimiter {
        Some((_, delimiter)) => Some(body(lexer.rest, delimiter)?),
        None => None,
    };
    let at = lexer.delimiter.as_ref().map(|(at, _)| *at);
    let joined = lexer.pieces.iter().any(|piece| piece.joined);
    let filters = lexer.pieces.iter().filter_map(|piece| piece.filter.as_deref());
    let filters = filters.map(filter).collect::<Option<Vec<String>>>()?;
    let commands = lexer.pieces.into_iter().enumerate().map(|(n, piece)| {
        let stdin = if at == Some(n) { stdin.take() } else { None };
        open_command(piece.words, stdin)
    });
    Some(SeedLine { commands: commands.collect::<Option<Vec<_>>>()?, filters, joined })
}

/// The program of a pipe's end that shows a part of what it reads, and nothing else: it has no
/// operand but a count.
fn filter(words: &[String]) -> Option<String> {
    let (program, args) = words.split_first()?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let counts = match args {
        [] => true,
        [flag, count] => matches!(flag.as_str(), "-n" | "-c") && number(count),
        [flag] => ["-n", "-c", "-", "--lines=", "--bytes="]
            .iter()
            .any(|start| flag.strip_prefix(start).is_some_and(number)),
        _ => false,
    };
    let shows = match program.as_str() {
        "head" | "tail" => counts,
        "cat" => args.is_empty(),
        _ => false,
    };
    shows.then(|| program.clone())
}

/// One agent-open command with these words.
fn open_command(words: Vec<String>, stdin: Option<String>) -> Option<SeedCommand> {
    let mut words = words.into_iter();
    let program = match words.next()?.as_str() {
        "git" if words.next().as_deref() == Some("seed") => Program::GitSeed,
        "git-seed" => Program::Bare,
        path if path.starts_with('/') && path.ends_with("/git-seed") => {
            Program::Path(path.to_owned())
        }
        _ => return None,
    };
    let args: Vec<String> = words.collect();
    let shown: Vec<&str> = args.iter().map(String::as_str).collect();
    let elsewhere = shown.iter().any(|word| word.starts_with("-C"));
    let wraps = row_of(&shown).is_some_and(|(row, _)| row.wraps);
    (!elsewhere && !wraps && is_open(&shown)).then_some(SeedCommand { program, args, stdin })
}

/// The here-document in `rest` up to its delimiter, with nothing behind it.
fn body(rest: &str, delimiter: &str) -> Option<String> {
    let mut body = String::new();
    let mut lines = rest.split('\n');
    for line in lines.by_ref() {
        if line == delimiter {
            return lines.all(|line| line.trim().is_empty()).then_some(body);
        }
        body.push_str(line);
        body.push('\n');
    }
    None
}

/// One command of a line, and what its pipe leads into.
#[derive(Clone, Debug, Default)]
struct Piece {
    words: Vec<String>,
    /// Something but words stands behind it: its errors go with its output.
    joined: bool,
    filter: Option<Vec<String>>,
}

/// Reads the one line of strict commands; every method gives up with `None`.
struct Lexer<'a> {
    rest: &'a str,
    pieces: Vec<Piece>,
    /// The command that reads the here-document, and its delimiter.
    delimiter: Option<(usize, String)>,
}

impl Lexer<'_> {
    /// All words up to the end, or to the newline before the here-document's body.
    fn line(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            if let Some(rest) = self.rest.strip_prefix("\\\n") {
                self.rest = rest;
            } else if let Some(rest) = self.rest.strip_prefix('\n') {
                self.rest = rest;
                return self.delimiter.is_some().then_some(());
            } else if self.rest.is_empty() {
                return self.delimiter.is_none().then_some(());
            } else if let Some(rest) = self.rest.strip_prefix("<<") {
                self.rest = rest;
                self.here_document()?;
            } else if !self.operator()? {
                let word = self.word()?;
                let piece = self.pieces.last_mut()?;
                // Behind `2>&1` only an operator may stand.
                match &mut piece.filter {
                    Some(filter) => filter.push(word),
                    None if piece.joined => return None,
                    None => piece.words.push(word),
                }
            }
        }
    }

    /// Reads `&&`, `2>&1` or the `|` of a pipe, where one stands here.
    fn operator(&mut self) -> Option<bool> {
        let piece = self.pieces.last_mut()?;
        if let Some(rest) = self.rest.strip_prefix("&&") {
            self.rest = rest;
            self.pieces.push(Piece::default());
        } else if let Some(rest) = self.rest.strip_prefix("2>&1") {
            let ends = rest.is_empty() || rest.starts_with([' ', '\t', '\n', '|']);
            if !ends || piece.joined || piece.filter.is_some() {
                return None;
            }
            self.rest = rest;
            piece.joined = true;
        } else if let Some(rest) = self.rest.strip_prefix('|') {
            if rest.starts_with(['|', '&']) || piece.filter.is_some() {
                return None;
            }
            self.rest = rest;
            piece.filter = Some(Vec::new());
        } else {
            return Some(false);
        }
        Some(true)
    }

    fn here_document(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let quoted = self.rest.starts_with(['\'', '"', '\\']);
        let word = self.word().filter(|word| quoted && !word.is_empty() && !word.contains('\n'))?;
        let at = self.pieces.len() - 1;
        // What a pipe leads into reads what the command prints.
        let reads = self.pieces[at].filter.is_none();
        (reads && self.delimiter.replace((at, word)).is_none()).then_some(())
    }

    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(char) = self.rest.chars().next() {
            if matches!(char, ' ' | '\t' | '\n' | '|') || self.rest.starts_with("&&") {
                break;
            }
            self.rest = &self.rest[char.len_utf8()..];
            match char {
                '\'' => word.push_str(self.until('\'')?),
                '"' => self.double_quoted(&mut word)?,
                // The grammar that reads all other lines takes the last two for a quote of their
                // own; what two readers read differently is not granted.
                '\\' if self.rest.starts_with("$'") || self.rest.starts_with("$\"") => return None,
                '\\' => self.escaped(&mut word)?,
                '#' | '~' | '!' if word.is_empty() => return None,
                '$' | '`' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | '{' | '}' | '*' | '?'
                | '[' | ']' => {
                    return None;
                }
                _ if char.is_control() => return None,
                _ => word.push(char),
            }
        }
        Some(word)
    }

    fn until(&mut self, end: char) -> Option<&str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn escaped(&mut self, word: &mut String) -> Option<()> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        word.extend((char != '\n').then_some(char));
        Some(())
    }

    fn double_quoted(&mut self, word: &mut String) -> Option<()> {
        loop {
            let char = self.rest.chars().next()?;
            self.rest = &self.rest[char.len_utf8()..];
            match char {
                '"' => return Some(()),
                '$' | '`' => return None,
                '\\' if self.rest.starts_with(['$', '`', '"', '\\', '\n']) => self.escaped(word)?,
                _ => word.push(char),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_granted_behind_an_assignment() {
        for before in ["HOME=/tmp/x", "env X=y", "env -i", "PATH=/x:$PATH", "GIT_DIR=x", "A= "] {
            for program in ["git seed", "git-seed", "/usr/bin/git-seed"] {
                assert!(seed_command(&format!("{program} status")).is_some(), "{program}");
                let line = format!("{before} {program} status");
                assert!(seed_command(&line).is_none(), "{line}");
            }
        }
    }

    fn parsed(command: &str) -> Option<(Program, Vec<String>, Option<String>)> {
        seed_command(command).map(|seed| (seed.program, seed.args, seed.stdin))
    }

    #[test]
    fn the_strict_form_is_one_literal_command() {
        let cases: &[(&str, Program, &[&str], Option<&str>)] = &[
            ("git seed status", Program::GitSeed, &["status"], None),
            ("  git seed status --json \n", Program::GitSeed, &["status", "--json"], None),
            ("git-seed phase current", Program::Bare, &["phase", "current"], None),
            (
                "/opt/bin/git-seed status",
                Program::Path("/opt/bin/git-seed".into()),
                &["status"],
                None,
            ),
            (
                "git seed phase checkpoint -m 'it''s $HOME'",
                Program::GitSeed,
                &["phase", "checkpoint", "-m", "its $HOME"],
                None,
            ),
            (
                "git seed phase back plan -m \"a \\\"b\\\" c\"",
                Program::GitSeed,
                &["phase", "back", "plan", "-m", "a \"b\" c"],
                None,
            ),
            (
                "git seed phase back plan \\\n  -m why",
                Program::GitSeed,
                &["phase", "back", "plan", "-m", "why"],
                None,
            ),
            (
                "git seed phase advance -F - <<'EOF'\na $(b)\n\nc\nEOF\n",
                Program::GitSeed,
                &["phase", "advance", "-F", "-"],
                Some("a $(b)\n\nc\n"),
            ),
            (
                "git seed phase advance -F - << \"E F\"\nx\nE F",
                Program::GitSeed,
                &["phase", "advance", "-F", "-"],
                Some("x\n"),
            ),
            (
                "git seed phase advance <<\\EOF -F -\nEOF",
                Program::GitSeed,
                &["phase", "advance", "-F", "-"],
                Some(""),
            ),
        ];
        for (command, program, args, stdin) in cases {
            let args = args.iter().map(ToString::to_string).collect();
            assert_eq!(
                parsed(command),
                Some((program.clone(), args, stdin.map(str::to_owned))),
                "{command}"
            );
        }
    }

    #[test]
    fn anything_more_or_less_is_not_the_strict_form() {
        let cases = [
            "",
            "git status",
            "git -c a.b=c seed status",
            "git -C x seed status",
            "git --no-pager seed status",
            "A=b git seed status",
            "sudo git seed status",
            "./git-seed status",
            "~/bin/git-seed status",
            "git seed $X",
            "git seed status; rm x",
            "git seed status && git seed status",
            "git seed status | cat",
            "git seed status &",
            "git seed status > x",
            "git seed status 2>&1",
            "git seed status < x",
            "(git seed status)",
            "git seed status\nrm x",
            "git seed status # why",
            "git seed show *",
            "git seed show {a,b}",
            "git seed phase checkpoint -m \"$(id)\"",
            "git seed phase checkpoint -m \"`id`\"",
            "git seed phase checkpoint -m 'open",
            "git seed phase checkpoint -m $'a'",
            "git seed phase advance -F - <<EOF\nx\nEOF",
            "git seed phase advance -F - <<-'EOF'\nx\nEOF",
            "git seed phase advance -F - <<'EOF'\nx",
            "git seed phase advance -F - <<'EOF'\nx\nEOF\nrm x",
            "git seed phase advance -F - <<'EOF' | sh\nx\nEOF",
            "git seed phase advance -F - <<'EOF' <<'EOF'\nx\nEOF\ny\nEOF",
            "git seed phase advance 3<<'EOF'\nx\nEOF",
            "git seed status \\",
            "git seed init",
            "git seed hook claude",
            "git seed exec -- ls",
            "git seed job approve",
            "git seed gmode enter",
            "git seed status -C /tmp/x",
            "git seed job list -C/tmp/x",
            "git seed man --to man",
            "git seed tour",
            "git seed phase --help",
            "git seed help",
            // Not commands of the binary.
            "git seed claim sign",
            "git seed mcp",
            "git seed job reactivate j",
            "git seed job repeat 2",
            "git seed plan approve",
            "git seed land",
            "git seed rules apply",
            "git seed unheard-of",
            "git seed",
        ];
        for command in cases {
            assert_eq!(parsed(command), None, "{command:?}");
        }
    }

    #[test]
    fn looking_is_told_from_changing() {
        let cases = [
            ("", true),
            ("status", true),
            ("--json status", true),
            ("--color never log -n 3", true),
            ("show 1234", true),
            ("why --last 2", true),
            ("version", true),
            ("man", true),
            ("completions bash", true),
            ("help", true),
            ("help phase", true),
            ("phase --help", true),
            ("job complete --help", true),
            ("init -h", true),
            ("--version", true),
            ("job list", true),
            ("job --json focused", true),
            ("phase current", true),
            ("plan total", true),
            ("fence status", true),
            ("condense status", true),
            ("rules check", true),
            ("rules diff", true),
            ("doctor", true),
            ("doctor --fix", false),
            ("man --to x", false),
            ("job create x", false),
            ("job", false),
            ("phase advance", false),
            ("plan set-plan-file false", false),
            ("fence restore", false),
            ("gmode exit", false),
            ("gmode prep 90", false),
            ("rules apply", false),
            ("init", false),
            ("off -m --help", false),
            ("githook pre-commit --help", false),
            ("unheard-of", false),
        ];
        for (line, expected) in cases {
            let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            assert_eq!(only_looks(&args), expected, "{line}");
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Commands {
        command: Vec<CommandRow>,
    }

    #[test]
    fn the_shipped_commands_say_the_same_in_both_forms_and_stand_once() {
        let written = toml::from_str::<Commands>(include_str!("seed.toml")).expect("it parses");
        let built = COMMANDS.whole().unwrap_or_else(|bad| panic!("{bad}"));
        assert_eq!(format!("{:?}", written.command), format!("{built:?}"));
        for row in &built {
            assert_eq!(COMMANDS.named(&row.name).count(), 1, "{}", row.name);
        }
    }
}
