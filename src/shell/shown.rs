//! What code in another language shows of its writes: calls with literal arguments.
//!
//! Never the whole truth, and never a reason to call code harmless: it only adds files
//! and commands that stand there for everyone to read. The calls are rows of
//! `calls.toml`.

use std::collections::HashMap;

use serde::Deserialize;

use crate::shipped::{Rows, rows};

/// Most words of code that are looked at.
const MOST: usize = 4_000;

/// Files that code changes, and command lines that it runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub files: Vec<String>,
    pub commands: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallRow {
    #[cfg_attr(not(test), expect(dead_code, reason = "the index leads here by it"))]
    names: Vec<String>,
    #[serde(default)]
    files: Vec<usize>,
    #[serde(default)]
    mode: Option<usize>,
    #[serde(default)]
    command: Option<usize>,
    #[serde(default)]
    method: Vec<String>,
}

/// A row that does not read knows no call, which a test forbids.
static CALLS: Rows<CallRow> = rows!("calls.call");

#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A name with the dots in it.
    Name(String),
    Text(String),
    Sign(char),
}

/// Reads `code` of Python, JavaScript, Perl, Ruby or the like.
pub(super) fn in_code(code: &str) -> Shown {
    let tokens = tokens(code);
    let aliases = Aliases::of(&tokens);
    let mut shown = Shown::default();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let (before, behind) =
            (tokens.get(..at).unwrap_or_default(), tokens.get(at + 1..).unwrap_or_default());
        let mut rows: Vec<_> = named(name).collect();
        // Where it is taken in, it is no call.
        if rows.is_empty() && behind.first() == Some(&Token::Sign('(')) {
            rows.extend(aliases.meant(name, before).iter().flat_map(|name| named(name)));
        }
        for row in rows {
            if row.method.is_empty() {
                row.takes(&arguments(behind), &mut shown);
            } else if let Some(file) = constructed(&row.method, before, &aliases) {
                shown.files.push(file.to_owned());
            }
        }
    }
    shown
}

/// What code calls a name of a module by: `import subprocess as s`, `from os import system`,
/// `const {execSync: run} = require('child_process')`, `run = subprocess.run`.
#[derive(Debug, Default)]
struct Aliases {
    names: HashMap<String, String>,
    /// Modules all of whose names are taken in: `from os import *`.
    all_of: Vec<String>,
}

impl Aliases {
    fn of(tokens: &[Token]) -> Self {
        let mut aliases = Self::default();
        // The module whose names a `from … import` takes in, up to the end of the line.
        let mut from: Option<&str> = None;
        for at in 0..tokens.len() {
            let mut behind = tokens[at..].iter().map(Some).chain(std::iter::repeat(None));
            let four = [behind.next(), behind.next(), behind.next(), behind.next()];
            match four.map(Option::flatten) {
                [
                    Some(Token::Name(word)),
                    Some(Token::Name(module)),
                    Some(Token::Name(import)),
                    more,
                ] if word == "from" && import == "import" => {
                    if more == Some(&Token::Sign('*')) {
                        aliases.all_of.push(module.clone());
                    }
                    from = Some(module);
                }
                [Some(Token::Sign(';' | '\n')), ..] => from = None,
                [Some(Token::Name(name)), Some(Token::Name(word)), Some(Token::Name(alias)), _]
                    if word == "as" =>
                {
                    aliases.add(alias, from, name);
                }
                [Some(Token::Name(name)), Some(Token::Sign(':')), Some(Token::Name(alias)), _] => {
                    aliases.add(alias, None, name);
                }
                [
                    Some(Token::Name(alias)),
                    Some(Token::Sign('=')),
                    Some(Token::Name(name)),
                    more,
                ] if more != Some(&Token::Sign('(')) => {
                    aliases.add(alias, None, name);
                }
                [Some(Token::Name(name)), ..] if from.is_some() => aliases.add(name, from, name),
                _ => {}
            }
            if let Some((alias, name)) = member_of_required(&tokens[at..]) {
                aliases.add(alias, None, name);
            }
        }
        aliases
    }

    fn add(&mut self, alias: &str, module: Option<&str>, name: &str) {
        let name = name.trim_start_matches('.');
        let whole = module.map_or_else(|| name.to_owned(), |module| format!("{module}.{name}"));
        let whole = self.renamed(&whole).unwrap_or(whole);
        // The other name of `run as r`, read once more by itself.
        let is_known = module.is_some() && alias == name && self.names.contains_key(alias);
        if !is_known && self.names.len() < MOST && whole != alias {
            self.names.insert(alias.to_owned(), whole);
        }
    }

    /// `s.run` as `subprocess.run`, where `s` is another name of that module.
    fn renamed(&self, name: &str) -> Option<String> {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let whole = self.names.get(first)?;
        Some(if rest.is_empty() { whole.clone() } else { format!("{whole}.{rest}") })
    }

    /// What else a name may be, with what stands before it.
    fn meant(&self, name: &str, before: &[Token]) -> Vec<String> {
        let mut meant: Vec<String> = self.renamed(name).into_iter().collect();
        if !name.contains('.') {
            meant.extend(self.all_of.iter().map(|module| format!("{module}.{name}")));
        }
        if let [.., Token::Name(takes), Token::Sign('('), Token::Text(module), Token::Sign(')')] =
            before
            && name.starts_with('.')
            && REQUIRES.contains(&takes.as_str())
        {
            meant.push(format!("{module}{name}"));
        }
        meant
    }
}

/// Calls that give a module by its name.
const REQUIRES: [&str; 4] = ["require", "__import__", "importlib.import_module", "import_module"];

/// `run = require('child_process').execSync`, not called yet.
fn member_of_required(tokens: &[Token]) -> Option<(&str, &str)> {
    match tokens {
        [
            Token::Name(alias),
            Token::Sign('='),
            Token::Name(takes),
            Token::Sign('('),
            Token::Text(_),
            Token::Sign(')'),
            Token::Name(name),
            more @ ..,
        ] if REQUIRES.contains(&takes.as_str()) && more.first() != Some(&Token::Sign('(')) => {
            Some((alias, name))
        }
        _ => None,
    }
}

/// Reads an awk program: what it prints into files and commands, and what it runs.
pub(super) fn in_awk(code: &str) -> Shown {
    let tokens = tokens(code);
    let mut shown = Shown::default();
    let (mut prints, mut depth) = (false, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        let text = match tokens.get(at + 1) {
            Some(Token::Text(text)) => Some(text.clone()),
            _ => None,
        };
        match token {
            Token::Name(name) if name == "print" || name == "printf" => (prints, depth) = (true, 0),
            Token::Name(name) if name == "system" => {
                shown
                    .commands
                    .extend(arguments(&tokens[at + 1..]).into_iter().next().flatten().map(joined));
            }
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            Token::Sign(';' | '}' | '\n') => prints = false,
            Token::Sign('>') if prints && depth == 0 => shown.files.extend(text),
            Token::Sign('|') if prints => shown.commands.extend(text),
            Token::Text(command) if tokens.get(at + 1) == Some(&Token::Sign('|')) => {
                shown.commands.push(command.clone());
            }
            _ => {}
        }
    }
    shown
}

/// Rows for a name as written, or for its last parts.
fn named(name: &str) -> impl Iterator<Item = &'static CallRow> + use<> {
    let plain =
        |name: &str| !name.contains('.') && !name.contains(|char: char| char.is_ascii_uppercase());
    let name = name.trim_start_matches('.').to_owned();
    let starts: Vec<usize> =
        std::iter::once(0).chain(name.match_indices('.').map(|(at, _)| at + 1)).collect();
    let whole = starts.len();
    starts.into_iter().enumerate().flat_map(move |(nth, start)| {
        let tail = name[start..].to_owned();
        // `list.remove`, `text.replace`: a common name behind a dot is somebody else's.
        let common = nth > 0 && nth + 1 == whole && plain(&tail);
        CALLS.named(&tail).filter(move |row| !common || !row.method.is_empty())
    })
}

impl CallRow {
    fn takes(&self, arguments: &[Option<Vec<String>>], shown: &mut Shown) {
        let text =
            |at: usize| arguments.get(at).cloned().flatten().filter(|words| words.len() == 1);
        let mode = self.mode.map(|at| text(at).unwrap_or_default().concat());
        // `open F, ">x"` of Perl: the mode stands before the name, or in an argument of its own.
        let perl = |word: &String| word.starts_with('>') || word.starts_with("+<");
        if self.mode.is_some() {
            let words: Vec<String> = arguments.iter().flatten().flatten().cloned().collect();
            if let Some(at) = words.iter().position(perl) {
                let attached = words[at].trim_start_matches(['>', '+', '<', ' ']);
                let apart = words.get(at + 1).map_or("", String::as_str);
                shown.files.push(
                    if attached.is_empty() || attached.starts_with(':') { apart } else { attached }
                        .to_owned(),
                );
                return;
            }
        }
        let changes = mode.is_none_or(|mode| mode.len() < 5 && mode.contains(['w', 'a', 'x', '+']));
        if changes {
            shown.files.extend(self.files.iter().filter_map(|&at| text(at)).flatten());
        }
        let given = self.command.and_then(|at| arguments.get(at).cloned().flatten());
        // A name that stands there without a call runs nothing.
        if let Some(words) = given.filter(|words| !words.is_empty()) {
            let list = words.len() > 1;
            let rest = arguments.iter().skip(1).flatten().flatten();
            // `spawnSync("rm", ["x"])`: the words stand in a list of their own.
            let all: Vec<String> = words.iter().chain(rest.filter(|_| !list)).cloned().collect();
            shown.commands.push(joined(all));
        }
    }
}

fn joined(words: Vec<String>) -> String {
    match <[String; 1]>::try_from(words) {
        Ok([line]) => line,
        Err(words) => {
            let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
            words.iter().map(quoted).collect::<Vec<_>>().join(" ")
        }
    }
}

/// The arguments behind a name, each as its literal texts; `None` where one is more than that.
fn arguments(tokens: &[Token]) -> Vec<Option<Vec<String>>> {
    let parenthesised = tokens.first() == Some(&Token::Sign('('));
    let mut arguments = vec![Some(Vec::new())];
    let mut depth = 0_usize;
    for token in tokens.iter().skip(usize::from(parenthesised)).take(60) {
        match token {
            Token::Sign(')') if depth == 0 => break,
            Token::Sign(';' | '\n' | '}') if !parenthesised => break,
            Token::Sign('[') => depth += 1,
            Token::Sign(']') => depth = depth.saturating_sub(1),
            Token::Sign('(') => {
                depth += 1;
                spoils(&mut arguments);
            }
            Token::Sign(')') => depth -= 1,
            Token::Sign(',') if depth == 0 => arguments.push(Some(Vec::new())),
            Token::Sign(',' | '=' | '\n' | ' ') => {}
            Token::Text(text) => {
                if let Some(Some(words)) = arguments.last_mut() {
                    words.push(text.clone());
                }
            }
            Token::Name(name) if name == "mode" || name == "encoding" => {}
            Token::Name(_) | Token::Sign(_) => spoils(&mut arguments),
        }
    }
    arguments
}

fn spoils(arguments: &mut [Option<Vec<String>>]) {
    if let Some(last) = arguments.last_mut() {
        *last = None;
    }
}

/// The text in `Path("x")` at the end of `before`.
fn constructed<'t>(names: &[String], before: &'t [Token], aliases: &Aliases) -> Option<&'t str> {
    match before {
        [.., Token::Name(name), Token::Sign('('), Token::Text(text), Token::Sign(')')] => {
            let name = aliases.renamed(name).unwrap_or_else(|| name.clone());
            let last = name.rsplit('.').next().unwrap_or_default();
            names.iter().any(|known| known == last).then_some(text)
        }
        _ => None,
    }
}

fn tokens(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = code;
    let mut formats = false;
    while let Some(char) = rest.chars().next().filter(|_| tokens.len() < MOST) {
        let name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
        if matches!(char, '"' | '\'' | '`') {
            let (text, behind) = literal(rest, char);
            // Languages differ in what they put in: such a text is not known.
            let filled = std::mem::take(&mut formats) && text.contains('{');
            let open = filled || (char != '\'' && text.contains('$')) || text.contains("#{");
            tokens.push(if open { Token::Sign('$') } else { Token::Text(text) });
            rest = behind;
        } else if name(char) {
            let end = rest.find(|char| !name(char)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            // r"…", f"…", b"…" are texts with a letter before them.
            if behind.starts_with(['"', '\'']) && word.len() <= 2 {
                formats = word.contains(['f', 'F']);
            } else {
                tokens.push(Token::Name(word.to_owned()));
            }
            rest = behind;
        } else {
            if !matches!(char, ' ' | '\t' | '\r') {
                tokens.push(Token::Sign(char));
            }
            rest = &rest[char.len_utf8()..];
        }
    }
    tokens
}

/// The text of a literal that begins with `quote`, and what stands behind it.
fn literal(code: &str, quote: char) -> (String, &str) {
    let triple: String = [quote; 3].iter().collect();
    if let Some((text, rest)) = code.strip_prefix(&triple).and_then(|rest| rest.split_once(&triple))
    {
        return (text.to_owned(), rest);
    }
    let mut text = String::new();
    let mut chars = code.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, other)) => text.push(other),
                None => {}
            },
            _ if char == quote => return (text, &code[at + char.len_utf8()..]),
            _ => text.push(char),
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Calls {
        call: Vec<CallRow>,
    }

    #[test]
    fn the_shipped_calls_say_the_same_in_both_forms() {
        let written = toml::from_str::<Calls>(include_str!("calls.toml")).expect("it parses");
        let built = CALLS.whole().unwrap_or_else(|bad| panic!("{bad}"));
        assert_eq!(format!("{:?}", written.call), format!("{built:?}"));
        for name in built.iter().flat_map(|row| &row.names) {
            let known: Vec<_> = built.iter().filter(|row| row.names.contains(name)).collect();
            let found: Vec<_> = CALLS.named(name).collect();
            assert_eq!(format!("{found:?}"), format!("{known:?}"), "{name}");
        }
    }

    #[test]
    fn literal_arguments_show_files_and_commands() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("open('a','w').write('x')", &["a"], &[]),
            ("open(\"a\", mode=\"a+\")", &["a"], &[]),
            ("open('a').read()", &[], &[]),
            ("open('a', encoding='utf-8')", &[], &[]),
            ("open(name, 'w')", &[], &[]),
            ("open(f'{x}', 'w'); open(\"$x\", 'w'); fs.rmSync(`${x}`)", &[], &[]),
            ("import os; os.remove('a'); os.rename('b', 'c')", &["a", "b", "c"], &[]),
            ("shutil.copy('a', 'b')", &["b"], &[]),
            ("pathlib.Path('a').write_text('x')", &["a"], &[]),
            ("Path('a').read_text().replace('b', 'c')", &[], &[]),
            ("'abc'.replace('b', 'c'); l.remove('x')", &[], &[]),
            ("require('fs').writeFileSync('a', 'x')", &["a"], &[]),
            ("fs.renameSync('a', 'b')", &["a", "b"], &[]),
            ("open F, '>a'; print F 1", &["a"], &[]),
            ("open(my $f, '>', 'a')", &["a"], &[]),
            ("unlink 'a', $b", &["a"], &[]),
            ("os.system('rm a')", &[], &["rm a"]),
            ("subprocess.run(['rm', 'a b'])", &[], &["'rm' 'a b'"]),
            ("spawnSync('rm', ['a'])", &[], &["'rm' 'a'"]),
            ("import subprocess as s; s.run(['rm', 'a'])", &[], &["'rm' 'a'"]),
            ("import sys, os as o\no.system('rm a')", &[], &["rm a"]),
            ("from subprocess import run; run(['rm', 'a'])", &[], &["'rm' 'a'"]),
            ("from subprocess import PIPE, run as r\nr('rm a')", &[], &["rm a"]),
            ("from os import *; remove('a')", &["a"], &[]),
            ("import subprocess as s; r = s.run; r('rm a')", &[], &["rm a"]),
            ("__import__('subprocess').run('rm a')", &[], &["rm a"]),
            ("from pathlib import Path as P; P('a').unlink()", &["a"], &[]),
            ("const {execSync:x}=require('child_process'); x('rm a')", &[], &["rm a"]),
            ("import {execSync as x} from 'child_process'; x('rm a')", &[], &["rm a"]),
            ("const x=require('child_process').execSync; x('rm a')", &[], &["rm a"]),
            ("from mine import run; run(['rm', 'a'])", &[], &[]),
            ("import mine as m; m.run('rm a'); s.run('rm b')", &[], &[]),
            ("print('x')", &[], &[]),
            ("print(1 > 2, 'a' if b else 'c')", &[], &[]),
        ];
        for (code, files, commands) in cases {
            let shown = in_code(code);
            assert_eq!(
                (shown.files.as_slice(), shown.commands.as_slice()),
                (owned(files).as_slice(), owned(commands).as_slice()),
                "{code}"
            );
        }
    }

    #[test]
    fn awk_prints_into_files_and_commands() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("{print > \"a\"}", &["a"], &[]),
            ("{print $1, $2 >> \"a\"}", &["a"], &[]),
            ("{print | \"sort > a\"}", &[], &["sort > a"]),
            ("BEGIN{system(\"rm a\")}", &[], &["rm a"]),
            ("BEGIN{\"date\" | getline d; print d}", &[], &["date"]),
            ("$3 > \"2024\" {print}", &[], &[]),
            ("{print ($1 > \"x\")}", &[], &[]),
            ("{if ($1 > \"x\") print $2}", &[], &[]),
            ("{print \"a > b\"}", &[], &[]),
        ];
        for (code, files, commands) in cases {
            let shown = in_awk(code);
            assert_eq!(
                (shown.files.as_slice(), shown.commands.as_slice()),
                (owned(files).as_slice(), owned(commands).as_slice()),
                "{code}"
            );
        }
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }
}
