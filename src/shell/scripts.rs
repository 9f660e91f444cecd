//! The small languages inside command lines: sed scripts, awk programs, tar's letters.
//!
//! Each reader knows what it understands and calls the rest unknown.

use super::around::Around;
use super::own;
use super::programs::{self, Args, ProgramRow, Special};
use super::words::Term;
use super::{Effect, Found};

/// What the script of a `sed`, `awk` or `tar` command adds to its flags.
pub(super) fn judge(
    row: &ProgramRow,
    args: &Args<'_>,
    words: &[Term],
    around: &Around,
) -> Vec<Found> {
    match row.special {
        Some(Special::Sed) => programs_of(args, &["-e", "--expression"])
            .iter()
            .flat_map(shown)
            .filter_map(|code| of_sed(&code, around))
            .collect(),
        Some(Special::Awk) => {
            awk_programs(args).iter().filter_map(|code| of_awk(code, &around.part)).collect()
        }
        Some(Special::Tar) => of_tar(args, words, around).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The programs of an `awk` command.
pub(super) fn awk_programs(args: &Args<'_>) -> Vec<Term> {
    programs_of(args, &["-e", "--source"])
}

/// The scripts in flags, or the first operand if there are none.
fn programs_of(args: &Args<'_>, flags: &[&str]) -> Vec<Term> {
    let from_file = args.has("--file") || args.flags.iter().any(|flag| flag.name == "-f");
    let inline: Vec<Term> = args
        .flags
        .iter()
        .filter(|flag| flags.contains(&flag.name.as_str()))
        .filter_map(|flag| flag.value.clone())
        .collect();
    if inline.is_empty() && !from_file {
        return args.operands.first().map(|(_, term)| (*term).clone()).into_iter().collect();
    }
    inline
}

/// A script with what the line gives its variables, where that is all they can hold.
fn shown(code: &Term) -> Vec<Term> {
    match code.values.as_slice() {
        [] => vec![code.clone()],
        values => values.iter().map(|value| Term::literal(value)).collect(),
    }
}

fn of_sed(code: &Term, around: &Around) -> Option<Found> {
    let text = code.with_numbers();
    // Seds differ in whether `[/]` ends a pattern, so a script is read both ways.
    let mut aware = Sed { rest: &text, brackets: true, files: Vec::new() };
    let mut plain = Sed { rest: &text, brackets: false, files: Vec::new() };
    let effect =
        aware.effect().unwrap_or(Effect::Unknown).max(plain.effect().unwrap_or(Effect::Read));
    // What comes out of a command is code wherever it stands in a script.
    let open = code.flaggy || (code.expands && !code.digits);
    let effect = if open { Effect::Unknown } else { effect };
    let mut found = Found::new(effect, &around.part);
    let files: Vec<Term> = aware.files.iter().map(|file| Term::literal(file)).collect();
    let files: Vec<&Term> = files.iter().collect();
    // A number stands where the script has a variable, so a file's name is not the real one.
    if code.is_literal() {
        programs::writes(&files, &around.here, &mut found);
    } else {
        found.dynamic = !files.is_empty();
    }
    let changes = effect >= Effect::Write;
    found.own_state =
        files.iter().any(|file| own::touches(own::reach(file, false), changes, false));
    (effect > Effect::Read || found.own_state).then_some(found)
}

/// Reads a sed script command by command; `None` means not understood.
struct Sed<'a> {
    rest: &'a str,
    /// A delimiter inside `[…]` is a plain character.
    brackets: bool,
    /// Files that it reads or writes by name.
    files: Vec<String>,
}

impl Sed<'_> {
    fn effect(&mut self) -> Option<Effect> {
        let mut worst = Effect::Read;
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
            if self.rest.is_empty() {
                return Some(worst);
            }
            self.addresses()?;
            self.rest = self.rest.trim_start_matches([' ', '\t', '!']);
            worst = worst.max(self.command()?);
        }
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    /// The rest of the line, which names a file.
    fn file(&mut self) {
        let (file, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.files.push(file.trim().to_owned());
        self.rest = rest;
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next()? {
                '0'..='9' | '$' | ',' | '~' | '+' | ' ' => {
                    self.next();
                }
                '/' => {
                    self.next();
                    self.pattern('/')?;
                    self.rest = self.rest.trim_start_matches(['I', 'M']);
                }
                '\\' => {
                    self.next();
                    let delimiter = self.next()?;
                    self.pattern(delimiter)?;
                }
                _ => return Some(()),
            }
        }
    }

    fn delimited(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                char if char == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    /// A pattern up to its delimiter.
    fn pattern(&mut self, delimiter: char) -> Option<()> {
        if !self.brackets {
            return self.delimited(delimiter);
        }
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                char if char == delimiter => return Some(()),
                '[' => {
                    self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
                    self.rest = self.rest.strip_prefix(']').unwrap_or(self.rest);
                    self.rest = self.rest.split_once(']')?.1;
                }
                _ => {}
            }
        }
    }

    fn command(&mut self) -> Option<Effect> {
        match self.next()? {
            'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' | 'F'
            | '{' | '}' => Some(Effect::Read),
            'q' | 'Q' | 'l' | 'L' => {
                self.rest = self
                    .rest
                    .trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
                Some(Effect::Read)
            }
            'r' | 'R' => {
                self.file();
                Some(Effect::Read)
            }
            'a' | 'i' | 'c' | '#' => {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
                Some(Effect::Read)
            }
            'b' | 't' | 'T' | ':' => {
                self.rest = self
                    .rest
                    .trim_start_matches(|char: char| char != ';' && char != '\n' && char != '}');
                Some(Effect::Read)
            }
            'y' => {
                self.substitution()?;
                Some(Effect::Read)
            }
            's' => {
                self.substitution()?;
                self.substitution_flags()
            }
            'w' | 'W' => {
                self.file();
                Some(Effect::Write)
            }
            'e' => Some(Effect::Unknown),
            _ => None,
        }
    }

    fn substitution(&mut self) -> Option<()> {
        let delimiter = self.next()?;
        self.pattern(delimiter)?;
        self.delimited(delimiter)
    }

    fn substitution_flags(&mut self) -> Option<Effect> {
        let mut worst = Effect::Read;
        loop {
            match self.rest.chars().next() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                Some('e') => return Some(Effect::Unknown),
                Some('w') => {
                    self.next();
                    self.file();
                    worst = Effect::Write;
                }
                None | Some(' ' | ';' | '\n' | '}') => return Some(worst),
                Some(_) => return None,
            }
        }
    }
}

fn of_awk(code: &Term, part: &str) -> Option<Found> {
    let Some(bare) = without_literals(&code.text) else {
        let mut found = Found::new(Effect::Unknown, part);
        found.own_state = own::code_mentions(&code.text);
        return Some(found);
    };
    // `@f("id")` calls whatever name the variable holds.
    let indirect = bare.replace("@load", "").replace("@include", "").contains('@');
    let runs = ["system", "@load", "@include", "getline"].iter().any(|word| bare.contains(word))
        || bare.replace("||", "").contains('|');
    let composed = code.composed && !code.digits;
    let effect = if code.flaggy || indirect || composed {
        Effect::Unknown
    } else if runs {
        Effect::RunsCode
    } else if prints_to_file(&bare) {
        Effect::Write
    } else {
        return None;
    };
    let mut found = Found::new(effect, part);
    found.dynamic = true;
    found.own_state = own::code_mentions(&code.text);
    Some(found)
}

/// What stands for a string that names a place which keeps nothing.
const SINK: char = '\u{2}';

/// The program without its comments and the insides of its strings and patterns, each
/// statement on one line; `None` where it is not sure where one of them ends.
fn without_literals(code: &str) -> Option<String> {
    let code = code.replace("\\\n", " ");
    let mut bare = String::with_capacity(code.len());
    let mut chars = code.chars();
    while let Some(char) = chars.next() {
        let char = if char == '#' {
            if chars.by_ref().all(|char| char != '\n') {
                break;
            }
            '\n'
        } else {
            char
        };
        match char {
            '"' => {
                let text = literal(&mut chars, '"')?;
                bare.push(if own::is_sink(&text) && text != "-" { SINK } else { '"' });
            }
            // `i++ / 2`, or a pattern behind two signs.
            '/' if ["++", "--"].iter().any(|sign| bare.trim_end().ends_with(sign)) => return None,
            '/' if begins_a_pattern(&bare) => {
                let pattern = literal(&mut chars, '/')?;
                // Awks differ in whether a slash ends a pattern inside of brackets.
                if !brackets_close(&pattern) {
                    return None;
                }
                bare.push('/');
            }
            // Behind these, a statement goes on in the next line.
            '\n' if bare.trim_end_matches(' ').ends_with([',', '&', '|']) => bare.push(' '),
            _ => bare.push(char),
        }
    }
    Some(bare)
}

/// Whether a slash behind `bare` cannot divide.
fn begins_a_pattern(bare: &str) -> bool {
    let before = bare.trim_end();
    let word = before.rsplit(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let word = word.into_iter().next().unwrap_or_default();
    matches!(word, "print" | "printf" | "return" | "in" | "else" | "do" | "case")
        || matches!(
            before.chars().last(),
            None | Some(
                '~' | '('
                    | ','
                    | '!'
                    | '&'
                    | '|'
                    | '{'
                    | '}'
                    | ';'
                    | '='
                    | '<'
                    | '>'
                    | '?'
                    | ':'
                    | '+'
                    | '-'
                    | '*'
                    | '%'
                    | '^'
            )
        )
        || bare.ends_with('\n')
        || is_behind_a_condition(before)
}

/// `if (x) /y/`: behind a condition a slash divides nothing.
fn is_behind_a_condition(before: &str) -> bool {
    let mut depth = 0_usize;
    let opening =
        before.char_indices().rev().filter(|_| before.ends_with(')')).find(|(_, char)| {
            match char {
                ')' => depth += 1,
                '(' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
    opening.is_some_and(|(at, _)| {
        let word = before[..at].trim_end();
        ["if", "while", "for"].iter().any(|known| word.ends_with(known))
    })
}

fn brackets_close(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '[' => {
                let rest = chars.as_str();
                let rest = rest.strip_prefix('^').unwrap_or(rest);
                let rest = rest.strip_prefix(']').unwrap_or(rest);
                let Some((_, behind)) = rest.split_once(']') else { return false };
                chars = behind.chars();
            }
            _ => {}
        }
    }
    true
}

/// The text up to `end`, which is taken; `None` where it does not come on this line.
fn literal(chars: &mut std::str::Chars<'_>, end: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\\' => text.extend(['\\', chars.next()?]),
            '\n' => return None,
            char if char == end => return Some(text),
            char => text.push(char),
        }
    }
}

/// `print > "file"`; a `>` before the statement, or in parentheses, compares.
fn prints_to_file(bare: &str) -> bool {
    bare.match_indices("print").any(|(at, _)| {
        let statement = bare[at..].split([';', '}', '\n']).next().unwrap_or_default();
        let mut depth = 0_usize;
        let opens = statement.char_indices().find(|(_, char)| {
            match char {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            *char == '>' && depth == 0
        });
        opens.is_some_and(|(at, _)| {
            let target = statement[at..].trim_start_matches('>').trim();
            target.chars().ne([SINK])
        })
    })
}

/// What `tar` is to take out of the archive; nothing where that may be all, or is put elsewhere.
fn members<'t>(args: &Args<'t>, letters: &str) -> Vec<&'t Term> {
    const MOVES: [&str; 8] = [
        "--strip-components",
        "--transform",
        "--wildcards",
        "--files-from",
        "-T",
        "-s",
        "-P",
        "--strip",
    ];
    let taken = usize::from(!letters.is_empty()) + usize::from(letters.contains('f'));
    let odd =
        letters.contains(['b', 'C', 'T', 'X', 'P']) || MOVES.iter().any(|flag| args.has(flag));
    let members = args.operands.iter().skip(taken).map(|(_, term)| *term);
    if odd { Vec::new() } else { members.collect() }
}

/// `tar tf x` lists, with or without a dash; every other letter writes.
fn of_tar(args: &Args<'_>, words: &[Term], around: &Around) -> Option<Found> {
    let old_style = words.first().filter(|first| !first.text.starts_with('-'));
    let letters = old_style.map_or("", |first| first.text.as_str());
    let short = |letter: &str| {
        letters.contains(letter) || args.flags.iter().any(|flag| flag.name == format!("-{letter}"))
    };
    let changes = ["x", "c", "r", "u", "A"].iter().any(|letter| short(letter))
        || ["--extract", "--get", "--create", "--append", "--update", "--delete", "--concatenate"]
            .iter()
            .any(|name| args.has(name));
    // Without a dash, too, `I` and `F` take a program.
    if !letters.chars().all(|letter| "tvzjJaZfCXTpkOhPSmwWnRibxcruAB".contains(letter)) {
        return Some(Found::new(Effect::Unknown, &around.part));
    }
    // To its output alone.
    let out = short("O") || args.has("--to-stdout");
    let only_out = out
        && !["c", "r", "u", "A"].iter().any(|letter| short(letter))
        && !["--create", "--append", "--update", "--delete", "--concatenate"]
            .iter()
            .any(|name| args.has(name));
    if only_out || !changes && (short("t") || args.has("--list")) {
        return None;
    }
    let mut found = Found::new(Effect::Write, &around.part);
    let value = |names: [&str; 2]| {
        args.flags
            .iter()
            .find(|flag| names.contains(&flag.name.as_str()))
            .and_then(|flag| flag.value.clone())
    };
    if short("x") || args.has("--extract") || args.has("--get") {
        let into = value(["-C", "--directory"]).unwrap_or_else(|| Term::literal("."));
        let targets = programs::unpacked(&into, &members(args, letters));
        programs::writes(&targets.iter().collect::<Vec<_>>(), &around.here, &mut found);
        found.dynamic = true;
    } else if let Some(archive) = value(["-f", "--file"])
        .or_else(|| letters.contains('f').then(|| words.get(1).cloned()).flatten())
    {
        programs::writes(&[&archive], &around.here, &mut found);
    } else {
        found.dynamic = true;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sed_script_reads_unless_it_names_a_file_or_a_command() {
        let cases = [
            ("1,5p", Effect::Read),
            ("/a\\/b/,$d", Effect::Read),
            ("s/a/b/g;s|c|d|", Effect::Read),
            ("s/[/]/x/", Effect::Read),
            ("s/[^/]*$//", Effect::Read),
            ("s/a/[/;w out ]/", Effect::Write),
            ("/x/!{s/a/b/;p}", Effect::Read),
            ("$!N;P;D", Effect::Read),
            (":a;N;$!ba;s/\\n/ /g", Effect::Read),
            ("y/abc/def/", Effect::Read),
            ("s/a/b/w out", Effect::Write),
            ("/x/w out", Effect::Write),
            ("s/a/b/e", Effect::Unknown),
            ("1e id", Effect::Unknown),
            ("s/a", Effect::Unknown),
        ];
        for (script, effect) in cases {
            let found = of_sed(&Term::literal(script), &Around::default())
                .map_or(Effect::Read, |found| found.effect);
            assert_eq!(found, effect, "{script}");
        }
    }

    #[test]
    fn an_awk_program_reads_unless_it_prints_into_a_file_or_runs_something() {
        let cases = [
            ("{print $1}", Effect::Read),
            ("/a|b/ && $2 ~ /x>y/ {print}", Effect::Read),
            ("$3 > 5 {print $1}", Effect::Read),
            ("{if ($1 > 2 || $2) print \"a > b | c\"}", Effect::Read),
            ("{print > \"out\"}", Effect::Write),
            ("{print \"a\" \\\n > \"out\"}", Effect::Write),
            ("{print \"a\",\n \"b\" > \"out\"}", Effect::Write),
            ("{print \"a\", # \"\n \"b\" > \"out\"}", Effect::Write),
            ("{print > \"/dev/stderr\"}", Effect::Read),
            ("{print > \"/dev/stderr\" \"x\"}", Effect::Write),
            ("BEGIN{print /a\\/\"/ > \"out\"; x=\"\"}", Effect::Write),
            ("BEGIN{if (1) /\"/; print \"x\" > \"out\"; y=\"\"}", Effect::Write),
            ("{x++ / 2; print \"/\" > \"out\"; y=\"/\"}", Effect::Unknown),
            ("/\"name\":/ {gsub(/\"/, \"\"); print $2}", Effect::Read),
            ("BEGIN{if(/[/\"]/)x; print \"x\" > \"out\"; y=\"\"}", Effect::Unknown),
            ("/[0-9]+[/]/ {print}", Effect::Unknown),
            ("/^[^#]+/ {print $1/$2, \"x\"}", Effect::Read),
            ("{print | \"sh\"}", Effect::RunsCode),
            ("BEGIN{system(\"id\")}", Effect::RunsCode),
            ("BEGIN{f=\"system\"; @f(\"id\")}", Effect::Unknown),
            ("$0 ~ /a@b/ {print \"@\"}", Effect::Read),
        ];
        for (program, effect) in cases {
            let found =
                of_awk(&Term::literal(program), "").map_or(Effect::Read, |found| found.effect);
            assert_eq!(found, effect, "{program}");
        }
    }
}
