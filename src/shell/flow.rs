//! What the output of a command is made of, for the commands that take it for their words.
//!
//! Words that nobody on the line composed (names, ids, numbers) cannot be the flag that
//! changes a command. Whatever a file, a message or another word of the line says can be one.

use super::around::{Flow, Input};
use super::git;
use super::programs::{self, Args, Output, ProgramRow, Special};
use super::words::Term;

/// What comes out of the command `argv`.
pub(super) fn of(argv: &[Term], input: &Input) -> Flow {
    let Some((program, words)) = argv.split_first() else { return input.flow };
    let name = program.text.rsplit('/').next().unwrap_or_default();
    match name {
        "echo" => return of_words(words),
        "printf" => return of_printf(words),
        "git" => return of_git(words, input),
        _ => {}
    }
    let Some(row) = programs::program(name).filter(|_| program.is_literal()) else {
        return Flow::Text;
    };
    match row.special {
        Some(Special::Wrap) => of_wrapped(row, words, input),
        _ => of_row(row, name, words, input),
    }
}

fn of_row(row: &ProgramRow, name: &str, words: &[Term], input: &Input) -> Flow {
    let args = Args::of(row, words, false);
    let given = |flags: &[String]| flags.iter().any(|flag| args.has(flag));
    if row.composes(words) || given(&row.text_with) {
        return Flow::Text;
    }
    if !args.commands.is_empty() {
        let flows = args.commands.iter().map(|command| of(&command.words, &Input::default()));
        return flows.max().unwrap_or(Flow::Text).max(Flow::Names);
    }
    let plain = |term: &Term| !is_composed(term);
    let files: Vec<&Term> = row.files_of(&args).filter(|term| term.text != "-").collect();
    match row.output {
        Output::Text | Output::Passes if given(&row.names_with) => Flow::Names,
        Output::Nothing | Output::Numbers => Flow::Numbers,
        Output::Counts if files.is_empty() => Flow::Numbers,
        Output::Counts => Flow::Tallied,
        Output::Names => Flow::Names,
        Output::Operands if args.operands.iter().all(|(_, term)| plain(term)) => Flow::Names,
        Output::Operands | Output::Text => Flow::Text,
        Output::Matches => {
            let bare = name == "rg" && args.has("-I");
            of_matches(&args, &files, input, given(&row.names_with), bare)
        }
        Output::Passes if !files.is_empty() => Flow::Text,
        Output::Passes => head_end(name, &args).map_or(input.flow, |end| input.flow.heads(end)),
    }
}

/// `grep`: names where only these are asked for, else lines.
fn of_matches(args: &Args<'_>, files: &[&Term], input: &Input, names: bool, bare: bool) -> Flow {
    let has = |flags: &[&str]| flags.iter().any(|flag| args.has(flag));
    let one = match files {
        [] => input.arrives() && !has(&["-r", "-R", "--recursive"]),
        [file] => file.is_literal() && !has(&["-r", "-R", "-d", "--recursive", "--directories"]),
        _ => false,
    };
    let alone = one && !has(&["-H", "--with-filename"]);
    match () {
        () if names => Flow::Names,
        () if has(&["-c", "--count"]) && alone => Flow::Numbers,
        () if has(&["-c", "--count"]) => Flow::Names,
        () if has(&["-o", "--only-matching", "-A", "-B", "-C", "--context"]) => Flow::Text,
        () if has(&["--after-context", "--before-context"]) => Flow::Text,
        () if args.flags.iter().any(|flag| flag.name[1..].bytes().all(|b| b.is_ascii_digit())) => {
            Flow::Text
        }
        () if has(&["-n", "--line-number"]) && alone => Flow::Counted,
        () if (bare || has(&["-h", "--no-filename"])) && !alone => Flow::Text,
        () if !one => Flow::Headed,
        () if files.is_empty() => input.flow,
        () => Flow::Text,
    }
}

/// What ends the first word of a line, where the command prints nothing but those:
/// `cut -d: -f1`, `awk '{print $1}'`.
fn head_end(name: &str, args: &Args<'_>) -> Option<char> {
    let value = |flag: &str| {
        let found = args.flags.iter().find(|given| given.name == flag);
        found.and_then(|found| found.value.as_ref()).map(|value| value.text.as_str())
    };
    let only = |known: &[&str]| args.flags.iter().all(|flag| known.contains(&&*flag.name));
    let end = |given: Option<&str>| match given {
        Some(":") => Some(':'),
        Some(" ") => Some(' '),
        _ => None,
    };
    let script = args.operands.first().map_or("", |(_, term)| term.text.trim());
    match name {
        "cut" if value("-f") == Some("1") && only(&["-d", "-f"]) => end(value("-d")),
        "awk" | "gawk" | "mawk" | "nawk" if only(&["-F"]) => {
            let first = matches!(script, "{print $1}" | "{ print $1 }" | "{print$1}");
            end(value("-F").or(Some(" "))).filter(|_| first)
        }
        "sed" | "gsed" if args.flags.is_empty() => match script {
            "s/:.*//" | "s/:.*$//" => Some(':'),
            "s/ .*//" | "s/ .*$//" => Some(' '),
            _ => None,
        },
        _ => None,
    }
}

/// The command behind a wrapper; what `xargs` adds to it are operands of it.
fn of_wrapped(row: &ProgramRow, words: &[Term], input: &Input) -> Flow {
    let leading = Args::of(row, words, true);
    let Some(&(start, _)) = leading.operands.first() else {
        return if row.appends { input.flow } else { Flow::Text };
    };
    let mut at = start + row.skip;
    while row.assignments && words.get(at).is_some_and(|word| word.text.contains('=')) {
        at += 1;
    }
    let mut command = words.get(at..).unwrap_or_default().to_vec();
    if row.joins || command.is_empty() {
        return Flow::Text;
    }
    if row.appends {
        command.push(Term::arriving(input.flow.is_open()));
    }
    let given = |flag: &str| leading.flags.iter().any(|known| known.name == flag);
    if row.appends && (given("-a") || given("--arg-file")) {
        command.push(Term::arriving(true));
    }
    of(&command, if row.appends { &NOTHING } else { input })
}

static NOTHING: Input = Input::nothing();

/// What words of the line are, taken for output.
pub(super) fn of_words(words: &[Term]) -> Flow {
    match () {
        () if words.iter().any(is_composed) => Flow::Text,
        () if words.iter().all(Term::is_number) => Flow::Numbers,
        () => Flow::Names,
    }
}

fn of_printf(words: &[Term]) -> Flow {
    let format = words.first().map_or("", |word| word.text.as_str());
    // A conversion may come out as nothing, and leave what stands behind it alone.
    if format.contains('%') && format.contains('-') {
        return Flow::Text;
    }
    of_words(words)
}

/// Whether a flag may stand in a word, or in one of those it is split into.
fn is_composed(word: &Term) -> bool {
    let begins = |text: &str| {
        text.contains('\\')
            || text.contains("/-")
            || text.split(char::is_whitespace).any(|part| part.starts_with('-'))
    };
    word.flaggy || word.loose || begins(&word.text) || begins(&word.told)
}

fn of_git(words: &[Term], input: &Input) -> Flow {
    let git::Parsed::Call(call) = git::Call::of(words) else { return Flow::Text };
    let Some(row) = programs::git_verb(&call.verb) else { return Flow::Text };
    let args = Args::of(row, call.words, false);
    let given = |flags: &[String]| flags.iter().any(|flag| args.has(flag));
    if row.composes(call.words) || given(&row.text_with) {
        return Flow::Text;
    }
    let format = args
        .flags
        .iter()
        .rev()
        .find(|flag| matches!(flag.name.as_str(), "--format" | "--pretty"))
        .map(|flag| flag.value.as_ref().map_or("", |value| value.text.as_str()));
    let ids = format.is_some_and(is_ids);
    match row.output {
        _ if format.is_some() && !ids => Flow::Text,
        Output::Operands => {
            let composed = args.operands.iter().any(|(_, term)| is_composed(term));
            if composed { Flow::Text } else { Flow::Names }
        }
        Output::Numbers | Output::Counts | Output::Names | Output::Nothing => Flow::Names,
        Output::Matches if given(&row.names_with) => Flow::Names,
        Output::Matches => Flow::Headed,
        Output::Passes => input.flow,
        Output::Text if call.verb.starts_with("diff") && given(&row.names_with) => Flow::Names,
        Output::Text if ids && (given(&row.names_with) || call.verb == "log") => Flow::Names,
        Output::Text if ids && (args.has("-s") || args.has("--no-patch")) => Flow::Names,
        Output::Text if args.has("--oneline") && call.verb == "log" && !args.has("--graph") => {
            Flow::Listed
        }
        Output::Text => Flow::Text,
    }
}

/// Whether a format prints ids, dates and names of refs, and no text of anybody's.
fn is_ids(format: &str) -> bool {
    let format = format.trim_start_matches("tformat:").trim_start_matches("format:");
    let mut rest = format;
    while let Some((before, behind)) = rest.split_once('%') {
        if before.contains(['-', '\\']) {
            return false;
        }
        let known = ["ct", "at", "cs", "as", "ci", "ai", "cI", "aI", "H", "h", "T", "t", "P", "p"];
        let fields = ["(refname", "(objectname", "(objecttype", "(upstream", "(HEAD", "(path"];
        let dates = ["(committerdate", "(authordate", "(creatordate", "(taggerdate"];
        if let Some(plain) = known.iter().find(|field| behind.starts_with(**field)) {
            rest = &behind[plain.len()..];
        } else if let Some(behind) = behind.strip_prefix('n') {
            rest = behind;
        } else if fields.iter().chain(&dates).any(|field| behind.starts_with(field)) {
            rest = behind.split_once(')').map_or("", |(_, rest)| rest);
        } else {
            return false;
        }
    }
    // A name such as `oneline` or `fuller` is a format with the text of messages.
    !rest.contains(['-', '\\']) && (rest.is_empty() || format.contains('%'))
}
