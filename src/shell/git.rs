//! Finds the verb of a `git` command, and what bends its meaning on the way: global
//! options, `-c key=value`, and environment variables.
//!
//! A verb without a row may be an alias, so it is unknown. Keys and variables are rows
//! of `taints.toml`; a key that no row calls harmless counts as one that runs a program.

use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::shipped::{self, shipped};

use super::own;
use super::programs::{self, Args};
use super::words::Term;
use super::{Effect, Found, GitFlag, GitVerb};

/// A `git` command, taken apart.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub verb: String,
    /// The words after the verb.
    pub words: &'a [Term],
    /// What the global options do by themselves.
    pub effect: Effect,
    /// The directories of `-C`, each from the one before.
    pub directories: Vec<Term>,
    /// Values of `-c` that git may run, as a shell reads them.
    pub runs: Vec<String>,
    /// It sets what may run another program, or change what git does.
    pub sets: bool,
    flags: Vec<GitFlag>,
}

/// What the words after `git` are.
#[derive(Debug)]
pub(super) enum Parsed<'a> {
    Call(Call<'a>),
    /// It only asks git about itself.
    Asks,
    /// The verb is not in the text, or an option is not known.
    Unclear,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taints {
    /// Variables, in order; the first that fits decides.
    variable: Vec<Taint>,
    /// Configuration keys that are fine with any, or with these values.
    key: Vec<Taint>,
    /// [`Unmoved`] reads it.
    #[serde(rename = "unmoved")]
    _unmoved: IgnoredAny,
}

/// The part of the table that each line is asked about; most lines set nothing.
#[derive(Debug, Default, Deserialize)]
struct Unmoved {
    /// Programs that read no variable but those of the rows.
    #[serde(borrow)]
    unmoved: Vec<&'static str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taint {
    /// Names; one that ends in `*` stands for all that begin so.
    names: Vec<String>,
    #[serde(default)]
    effect: Option<Effect>,
    /// Values that do nothing.
    #[serde(default)]
    harmless: Vec<String>,
    /// Taking the variable away does something: what reads it falls back to the place it is in.
    #[serde(default)]
    missed: bool,
}

/// The value of a variable that is taken away.
pub(super) const GONE: &str = "\u{0}";

impl Taint {
    fn fits(&self, name: &str) -> bool {
        self.names.iter().any(|known| {
            known.strip_suffix('*').map_or(known == name, |start| name.starts_with(start))
        })
    }

    fn allows(&self, value: &Term) -> bool {
        value.is_literal() && self.harmless.contains(&value.text)
    }
}

/// The shipped table; one that does not parse calls nothing harmless.
fn taints() -> &'static Taints {
    static TABLE: OnceLock<Taints> = OnceLock::new();
    TABLE.get_or_init(|| {
        shipped::read(shipped!("taints")).unwrap_or(Taints {
            variable: Vec::new(),
            key: Vec::new(),
            _unmoved: IgnoredAny,
        })
    })
}

/// What setting the variable `name` does to the commands after it; `None` for nothing.
///
/// A variable of the shell alone is free where no row names it. One that is `given` to
/// programs is read by nobody knows which, so there the rows are a list of what is known.
pub(super) fn taint(name: &str, value: &Term, given: bool) -> Option<Effect> {
    let Some(row) = taints().variable.iter().find(|row| row.fits(name)) else {
        return given.then_some(Effect::Unknown);
    };
    if value.text == GONE {
        return row.effect.filter(|_| row.missed);
    }
    if row.allows(value) { None } else { row.effect }
}

/// Whether a variable of git's does more than say where things lie, or what is traced.
pub(super) fn bends_git(name: &str) -> bool {
    let places = [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
    ];
    name.starts_with("GIT_") && !name.starts_with("GIT_TRACE") && !places.contains(&name)
}

/// Whether a program does the same whatever variables without a row it is given.
pub(super) fn is_unmoved(program: &str) -> bool {
    static TABLE: OnceLock<Unmoved> = OnceLock::new();
    // As above.
    let table = TABLE.get_or_init(|| shipped::read(shipped!("taints")).unwrap_or_default());
    table.unmoved.contains(&program)
}

/// Whether a row of the table names that variable.
pub(super) fn is_named(name: &str) -> bool {
    taints().variable.iter().any(|row| row.fits(name))
}

/// Global options that neither take a value nor bend anything.
const HARMLESS: &[&str] = &[
    "-P",
    "--no-pager",
    "-p",
    "--paginate",
    "--no-replace-objects",
    "--no-optional-locks",
    "--no-lazy-fetch",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--bare",
];

impl<'a> Call<'a> {
    /// Skips the global options of `words`.
    pub(crate) fn of(words: &'a [Term]) -> Parsed<'a> {
        let mut call = Self {
            verb: String::new(),
            words: &[],
            effect: Effect::Read,
            directories: Vec::new(),
            runs: Vec::new(),
            sets: false,
            flags: Vec::new(),
        };
        let mut at = 0;
        while let Some(word) = words.get(at) {
            if !word.text.starts_with('-') {
                return call.at_verb(word, &words[at + 1..]);
            }
            match call.option(word, words.get(at + 1)) {
                Some(taken) => at += taken,
                None if matches!(
                    word.text.as_str(),
                    "--version" | "--help" | "-h" | "-v" | "--exec-path"
                ) =>
                {
                    return Parsed::Asks;
                }
                None => return Parsed::Unclear,
            }
        }
        Parsed::Asks
    }

    fn at_verb(mut self, verb: &Term, words: &'a [Term]) -> Parsed<'a> {
        if !verb.is_literal() {
            return Parsed::Unclear;
        }
        self.verb.clone_from(&verb.text);
        self.words = words;
        Parsed::Call(self)
    }

    /// How many words the option takes; `None` if it is not known.
    fn option(&mut self, word: &Term, next: Option<&Term>) -> Option<usize> {
        if word.flaggy {
            return None;
        }
        let (name, attached) = word
            .text
            .split_once('=')
            .map_or((word.text.as_str(), None), |(name, value)| (name, Some(value)));
        match (name, attached) {
            ("-c", None) => {
                self.configure(next?);
                Some(2)
            }
            ("-C", None) => {
                let directory = next?;
                if own::reach(directory, false) >= own::Reach::Hooks {
                    self.bends(Effect::Unknown);
                }
                self.directories.push(directory.clone());
                Some(2)
            }
            (
                "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--attr-source",
                attached,
            ) => {
                if name == "--work-tree" {
                    self.directories.push(Term::arriving(false));
                }
                if name == "--git-dir" || name == "--namespace" {
                    self.bends(Effect::Unknown);
                }
                Some(if attached.is_some() { 1 } else { 2 })
            }
            ("--config-env" | "--exec-path", Some(_)) => {
                self.bends(Effect::Unknown);
                self.sets = true;
                Some(1)
            }
            (name, None) if HARMLESS.contains(&name) => Some(1),
            _ => None,
        }
    }

    fn bends(&mut self, effect: Effect) {
        self.effect = self.effect.max(effect);
        self.flags.push(GitFlag::Taint);
    }

    fn configure(&mut self, setting: &Term) {
        let (key, value) = match setting.text.split_once('=') {
            Some((key, _)) => (key, setting.behind(key.len() + 1)),
            None => (setting.text.as_str(), Term::literal("true")),
        };
        let key = key.to_ascii_lowercase();
        if key == "core.hookspath" {
            self.flags.push(GitFlag::HooksPath);
        }
        let row = taints().key.iter().find(|row| row.fits(&key));
        let fine = row.is_some_and(|row| row.harmless.is_empty() || row.allows(&value));
        if !fine || setting.text.starts_with('$') {
            self.bends(Effect::Unknown);
            self.sets = true;
            if value.is_literal() {
                let alias = key.starts_with("alias.");
                let code = value.text.strip_prefix('!');
                let git = || format!("git {}", value.text);
                self.runs.push(match code {
                    Some(code) => code.to_owned(),
                    None if alias => git(),
                    None => value.text.clone(),
                });
            }
        }
    }

    /// Puts the verb with its flags of interest on the first of `found`.
    pub(crate) fn describe(&self, taints: &[GitFlag], found: &mut [Found]) {
        let Some(first) = found.first_mut() else { return };
        let mut flags = self.flags.clone();
        flags.extend(taints);
        if let Some(row) = programs::git_verb(&self.verb) {
            let args = Args::of(row, self.words, false);
            let given =
                row.interest.iter().filter(|(_, names)| names.iter().any(|name| args.has(name)));
            flags.extend(given.map(|(&flag, _)| flag));
            flags.extend(
                args.operands.iter().filter_map(|(_, operand)| self.operand_flags(operand)),
            );
        }
        flags.sort_unstable();
        flags.dedup();
        let args = self.words.iter().map(|word| word.text.clone()).collect();
        first.git = Some(GitVerb { verb: self.verb.clone(), args, flags });
    }

    /// The row of the program that does to the files what this call does: `git mv` and `git rm` of
    /// paths as they stand there. What git takes for a pattern may mean other files.
    pub(super) fn as_program(&self) -> Option<&'static programs::ProgramRow> {
        let row = programs::git_verb(&self.verb).filter(|row| !row.as_program.is_empty())?;
        let args = Args::of(row, self.words, false);
        let known = |name: &str| row.as_program.split(' ').any(|flag| flag == name);
        let plain = |term: &Term| {
            let text = term.text.as_str();
            term.is_literal() && !text.starts_with(':') && !text.contains(['*', '?', '[', '\\'])
        };
        let bent = self.effect > Effect::Read || !self.flags.is_empty() || self.sets;
        let is_it = !bent
            && !args.flaggy
            && !args.operands.is_empty()
            && args.flags.iter().all(|flag| flag.value.is_none() && known(&flag.name))
            && args.operands.iter().all(|(_, term)| plain(term));
        programs::program(&self.verb).filter(|_| is_it)
    }

    fn operand_flags(&self, operand: &Term) -> Option<GitFlag> {
        match self.verb.as_str() {
            "push" if operand.text.starts_with('+') => Some(GitFlag::Force),
            "push" if operand.text.starts_with(':') => Some(GitFlag::Delete),
            "config" if operand.text.eq_ignore_ascii_case("core.hooksPath") => {
                Some(GitFlag::HooksPath)
            }
            "notes" | "stash" if matches!(operand.text.as_str(), "remove" | "drop" | "clear") => {
                Some(GitFlag::Delete)
            }
            "reflog" if matches!(operand.text.as_str(), "expire" | "delete" | "drop") => {
                Some(GitFlag::Prune)
            }
            "remote" | "worktree" if operand.text == "prune" => Some(GitFlag::Prune),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TOML lends no words.
    #[derive(Deserialize)]
    struct Whole {
        unmoved: Vec<String>,
    }

    #[test]
    fn the_shipped_taints_say_the_same_in_both_forms() {
        let written = toml::from_str::<Taints>(include_str!("taints.toml")).expect("it parses");
        let built: Taints = shipped::read(shipped!("taints")).expect("it reads");
        assert_eq!(format!("{written:?}"), format!("{built:?}"));
        let written = toml::from_str::<Whole>(include_str!("taints.toml")).expect("it parses");
        let built: Unmoved = shipped::read(shipped!("taints")).expect("it reads");
        assert_eq!(written.unmoved, built.unmoved);
        assert!(is_unmoved("grep") && !is_unmoved("git"));
    }
}
