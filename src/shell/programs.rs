//! What programs do, as rows of data, and how a row judges its words.
//!
//! `programs.toml` and `git.toml` hold the rows; the shape of one is [`ProgramRow`]. A program
//! without a row is not judged here: the walker calls it unknown.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::shipped::{Rows, rows};

use super::around::Around;
use super::own;
use super::stand::Here;
use super::words::{Target, Term};
use super::{Effect, Found, GitFlag, Named, Tag};

/// How a program or a verb of one behaves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ProgramRow {
    pub names: Vec<String>,
    /// What it does where no narrower entry says otherwise.
    pub effect: Effect,
    /// What it does beside that.
    #[serde(default)]
    pub also: Vec<Effect>,
    #[serde(default)]
    pub tag: Option<Tag>,
    /// Flags with which the tag does not hold.
    #[serde(default)]
    pub untag: Vec<String>,
    /// Which operands are the files it writes.
    #[serde(default)]
    pub writes: Writes,
    /// Which operands it changes as the names that they are, whatever a link there leads to.
    #[serde(default)]
    pub links: Links,
    /// Flags with which such a target is one also where it leads to a directory.
    #[serde(default)]
    pub bare_with: Vec<String>,
    /// Flags beside which the first operand says what is done to the others; any other says it.
    #[serde(default)]
    pub modeless: Vec<String>,
    /// Flags that take the next word. `-i?` takes only what is attached to it.
    #[serde(default)]
    pub values: Vec<String>,
    /// Flags that do more. An entry that ends in `=` names an operand, as in `of=FILE`.
    #[serde(default)]
    pub flags: BTreeMap<Effect, Vec<String>>,
    /// Values with which such a flag does nothing more.
    #[serde(default)]
    pub harmless: BTreeMap<String, Vec<String>>,
    /// The only flags that are known where it reads; another one makes it unknown. `-#` stands
    /// for numbers, and help and version are always known. One text: the lists are long, and
    /// most lines need none of them.
    #[serde(default)]
    pub only: String,
    /// The only flags with which a verb of git does to the files that it names what the program of
    /// its name does, and to the index what the next commit of them does.
    #[serde(default)]
    pub as_program: String,
    /// How operands begin that do nothing; another one makes it unknown.
    #[serde(default)]
    pub operand_starts: Option<String>,
    /// How operands begin that do more.
    #[serde(default)]
    pub operand_not: Option<String>,
    /// First operands and what they do; an empty one stands for none.
    #[serde(default)]
    pub verbs: BTreeMap<Effect, Vec<String>>,
    /// First operands that have rows of their own.
    #[serde(default)]
    pub sub: Vec<ProgramRow>,
    /// When it only reads, whatever `effect` says.
    #[serde(default)]
    pub reads: Option<Reads>,
    /// How many leading operands are text and no paths: patterns, messages.
    #[serde(default)]
    pub prose: usize,
    /// Flags whose values are text and no paths.
    #[serde(default)]
    pub prose_flags: Vec<String>,
    /// Flags that guards ask for.
    #[serde(default)]
    pub interest: BTreeMap<GitFlag, Vec<String>>,
    /// Flags with the words of a command behind them, up to `;`, `+` or the end.
    #[serde(default)]
    pub exec: Vec<String>,
    /// Long flags begin with one dash, and letters do not cluster.
    #[serde(default)]
    pub single_dash: bool,
    /// It descends into what it is given.
    #[serde(default)]
    pub descends: bool,
    /// Flags with which it descends.
    #[serde(default)]
    pub descends_with: Vec<String>,
    /// It puts its sources into its last operand where that is a directory.
    #[serde(default)]
    pub into: bool,
    /// Its sources change with its target, as hard links do: with one of `with`, or without
    /// all of `without`.
    #[serde(default)]
    pub shares: Option<Shares>,
    /// When its output names git seed's refs or objects.
    #[serde(default)]
    pub lists: Option<Lists>,
    /// The files that its output names: below its operands from this one on.
    #[serde(default)]
    pub prints_files: Option<Prints>,
    /// It unpacks below the directory that one of these flags names, or where it runs.
    #[serde(default)]
    pub unpacks: Vec<String>,
    /// It searches below its operands, by patterns.
    #[serde(default)]
    pub searches: bool,
    /// Its words are looked up among refs too.
    #[serde(default)]
    pub revisions: bool,
    /// What its output is made of.
    #[serde(default)]
    pub output: Output,
    /// Flags with which it prints names instead.
    #[serde(default)]
    pub names_with: Vec<String>,
    /// Flags with which it prints text.
    #[serde(default)]
    pub text_with: Vec<String>,
    /// Its words are evaluated once more as arithmetic or names.
    #[serde(default)]
    pub evaluates: bool,
    /// How its words are read, where a row cannot say it.
    #[serde(default)]
    pub special: Option<Special>,
    /// Wrappers: operands before the command.
    #[serde(default)]
    pub skip: usize,
    /// Wrappers: `NAME=value` words may stand before the command.
    #[serde(default)]
    pub assignments: bool,
    /// Wrappers: flags that name the directory to run the command in.
    #[serde(default)]
    pub chdir: Vec<String>,
    /// Wrappers: the words are joined and read by a shell.
    #[serde(default)]
    pub joins: bool,
    /// Wrappers: words from standard input are added to the command.
    #[serde(default)]
    pub appends: bool,
    /// Wrappers: a command without a row is code of the project.
    #[serde(default)]
    pub foreign: bool,
    /// Flags whose value is code: of a shell for wrappers, of itself for interpreters.
    #[serde(default)]
    pub code: Vec<String>,
    /// Its operands are addresses; with one of these flags it may ask others.
    #[serde(default)]
    pub leads_away: Vec<String>,
}

/// What the output of a program is made of, for those that take it for their words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Output {
    /// Whatever somebody wrote.
    #[default]
    Text,
    /// It prints nothing.
    Nothing,
    /// Numbers.
    Numbers,
    /// A number, or one before the name of each file.
    Counts,
    /// Names that it finds, ids, numbers.
    Names,
    /// Names that are built of its operands.
    Operands,
    /// Lines that fit a pattern, or the names of files that hold one.
    Matches,
    /// What arrives, or the text of its files.
    Passes,
}

/// Which operands a program writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Writes {
    #[default]
    None,
    /// All of them.
    Operands,
    /// The first one.
    First,
    /// The last one.
    Last,
    /// The second one.
    Second,
    /// All but the first.
    Rest,
    /// All but the first, which says what to do with them, unless a flag does (`chmod -x`).
    AfterMode,
    /// Those after `--`.
    AfterDashes,
}

/// Which operands are changed as names: a link there goes, or something takes its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Links {
    #[default]
    None,
    /// All of them.
    Operands,
    /// The one that the others are put at, or into.
    Target,
}

/// When a listing holds what is git seed's.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    /// Flags of which one is needed; none if it does so by itself.
    #[serde(default)]
    pub with: Vec<String>,
    /// Flags with which it does not.
    #[serde(default)]
    pub without: Vec<String>,
    /// An operand says which part is meant.
    #[serde(default)]
    pub narrowed: bool,
}

/// When the lines that a program prints are names of files.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prints {
    /// Flags of which one is needed; none if it does so by itself.
    #[serde(default)]
    pub with: Vec<String>,
    /// The names stand without the directory that was asked for, as `ls` prints them.
    #[serde(default)]
    pub bare: bool,
}

/// When two names come to stand for one file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shares {
    /// Flags of which one is needed; none if it is so by itself.
    #[serde(default)]
    pub with: Vec<String>,
    /// Flags of which none may be given.
    #[serde(default)]
    pub without: Vec<String>,
}

/// When a program that can write only reads.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Reads {
    /// One of these flags is enough, if the others are among `flags`.
    #[serde(default)]
    pub with: Vec<String>,
    /// Nothing but these flags.
    #[serde(default)]
    pub alone: Vec<String>,
    /// Flags that change nothing.
    #[serde(default)]
    pub flags: Vec<String>,
    /// One of these as first operand is enough.
    #[serde(default)]
    pub first: Vec<String>,
    /// So many operands, or fewer, are enough.
    #[serde(default)]
    pub operands: Option<usize>,
    /// It looks at another machine then: it does what the row says, and nothing beside that.
    #[serde(default)]
    pub afar: bool,
}

impl Prints {
    /// What stands for the names that come out for the operand `file`.
    fn named(&self, file: &str) -> String {
        // A pathspec may hold wildcards that no shell expands.
        if let Some(wild) = file.find(['*', '?', '[']) {
            let directory = file[..wild].rsplit_once('/').map_or("", |(directory, _)| directory);
            return if directory.is_empty() { "./".to_owned() } else { with_slash(directory) };
        }
        let bare = file.trim_end_matches('/');
        let (directory, name) = bare.rsplit_once('/').unwrap_or(("", bare));
        let looks_like_a_file = name.trim_start_matches('.').contains('.');
        if looks_like_a_file {
            file.to_owned()
        } else if !self.bare {
            with_slash(file)
        } else if directory.is_empty() || file.ends_with('/') {
            "./".to_owned()
        } else {
            with_slash(directory)
        }
    }
}

/// Programs whose words need more than a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Special {
    Alias,
    Assign,
    Awk,
    Eval,
    Export,
    Git,
    GitSeed,
    Interpreter,
    Patch,
    PlainShell,
    Sed,
    Set,
    Shell,
    Shopt,
    Tar,
    Trap,
    Wrap,
}

/// The row of a program, by its name without directories. One that does not read makes it
/// unknown; a test reads them all.
pub(super) fn program(name: &str) -> Option<&'static ProgramRow> {
    PROGRAMS.named(name).next()
}

/// The row of a git verb.
pub(super) fn git_verb(name: &str) -> Option<&'static ProgramRow> {
    GIT_VERBS.named(name).next()
}

static PROGRAMS: Rows<ProgramRow> = rows!("programs.program");
static GIT_VERBS: Rows<ProgramRow> = rows!("git.program");

/// The words of a program, told apart by its row.
#[derive(Debug, Default)]
pub(super) struct Args<'a> {
    pub flags: Vec<Flag>,
    /// Operands with their place among the words.
    pub operands: Vec<(usize, &'a Term)>,
    /// Operands before this index stand before `--`.
    pub dashes: Option<usize>,
    /// Commands behind `-exec` and its like.
    pub commands: Vec<Command>,
    /// A word could turn into a flag that is not shown.
    pub flaggy: bool,
}

/// A command behind a flag.
#[derive(Debug)]
pub(super) struct Command {
    pub words: Vec<Term>,
    /// It runs where the file was found: `-execdir`.
    pub elsewhere: bool,
}

/// One flag: its name without value, and the value if it has one.
#[derive(Debug)]
pub(super) struct Flag {
    pub name: String,
    pub value: Option<Term>,
    /// Its place among the words.
    pub at: usize,
}

impl<'a> Args<'a> {
    /// Tells flags from operands. With `leading`, stops at the first operand.
    pub(crate) fn of(row: &ProgramRow, words: &'a [Term], leading: bool) -> Self {
        let mut args = Self::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let is_flag =
                args.dashes.is_none() && word.text.starts_with('-') && word.text.len() > 1;
            if is_flag && word.text == "--" {
                args.dashes = Some(args.operands.len());
            } else if is_flag {
                args.flaggy |= word.flaggy;
                at = args.flag(row, words, at);
                continue;
            } else {
                args.flaggy |= word.flaggy && args.dashes.is_none();
                args.operands.push((at, word));
                if leading {
                    return args;
                }
            }
            at += 1;
        }
        args
    }

    /// Takes the flag at `at`, and whatever belongs to it; returns where to go on.
    fn flag(&mut self, row: &ProgramRow, words: &[Term], at: usize) -> usize {
        let next = self.read_flag(row, words, at);
        // A value that comes out as several words brings others along.
        let more = words.get(at + 1..next).unwrap_or_default();
        self.flaggy |=
            self.commands.is_empty() && more.iter().any(|word| word.flaggy && word.splits);
        next
    }

    fn read_flag(&mut self, row: &ProgramRow, words: &[Term], at: usize) -> usize {
        let word = &words[at];
        if row.exec.contains(&word.text) {
            return self.command(row, words, at);
        }
        if row.single_dash || word.text.starts_with("--") {
            return self.long(row, words, at);
        }
        for (index, letter) in word.text.char_indices().skip(1) {
            let name = format!("-{letter}");
            if row.exec.contains(&name) {
                return self.command(row, words, at);
            }
            let attached = &word.text[index + letter.len_utf8()..];
            let only_attached =
                row.values.iter().any(|value| value.strip_suffix('?') == Some(&name));
            if only_attached || row.values.contains(&name) {
                let taken = attached.is_empty() && !only_attached;
                let value = if taken {
                    words.get(at + 1).cloned()
                } else {
                    (!attached.is_empty()).then(|| word.behind(index + letter.len_utf8()))
                };
                self.flags.push(Flag { name, value, at });
                return at + 1 + usize::from(taken);
            }
            self.flags.push(Flag { name, value: None, at });
        }
        at + 1
    }

    fn long(&mut self, row: &ProgramRow, words: &[Term], at: usize) -> usize {
        let word = &words[at];
        if let Some((name, _)) = word.text.split_once('=') {
            let value = Some(word.behind(name.len() + 1));
            if row.exec.iter().any(|exec| exec == name) {
                self.commands.push(Command { words: vec![Term::arriving(true)], elsewhere: true });
            }
            self.flags.push(Flag { name: name.to_owned(), value, at });
            return at + 1;
        }
        let taken = row.values.contains(&word.text);
        let value = if taken { words.get(at + 1).cloned() } else { None };
        self.flags.push(Flag { name: word.text.clone(), value, at });
        at + 1 + usize::from(taken)
    }

    fn command(&mut self, row: &ProgramRow, words: &[Term], at: usize) -> usize {
        let rest = &words[at + 1..];
        let length =
            rest.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(rest.len());
        let mut command = rest[..length].to_vec();
        // `+` puts many files into one command.
        let many = rest.get(length).is_some_and(|end| end.text == "+");
        let roots = self.roots();
        for word in command.iter_mut().filter(|word| word.text.contains("{}")) {
            if word.text == "{}" && roots.is_some() {
                *word = Term::found_below(roots.clone().unwrap_or_default());
                let others = words.iter().any(|word| OTHERWISE.contains(&word.text.as_str()));
                word.meant.push(if others { "**".to_owned() } else { self.searched() });
            } else {
                word.hide();
            }
            word.splits |= many;
        }
        if roots.is_none() || !row.searches {
            command.push(Term::arriving(false));
        }
        // The file that was found is the same one from wherever it is named.
        let found = command.iter().any(|word| matches!(word.target(), Target::Below(_)));
        let elsewhere = words[at].text.ends_with("dir") && !found;
        self.commands.push(Command { words: command, elsewhere });
        at + 1 + length + 1
    }

    /// Where a search begins, each directory with its slash; `None` if the text does not say.
    pub(crate) fn roots(&self) -> Option<Vec<String>> {
        let named = self.operands.iter().map(|(_, term)| *term);
        let named = named.filter(|term| !matches!(term.text.as_str(), "!" | "(" | ")" | ","));
        let mut roots = Vec::new();
        for term in named {
            match term.target() {
                Target::Files(files) => roots.extend(files.iter().map(|file| with_slash(file))),
                Target::Below(below) => roots.extend(below),
                Target::Hidden => return None,
            }
        }
        if roots.is_empty() {
            roots.push("./".to_owned());
        }
        Some(roots)
    }

    /// What a search finds below its roots, as a pattern from there; none where it may be more than
    /// one name says.
    fn searched(&self) -> String {
        let flags = self.flags.iter().map(|flag| flag.name.as_str());
        let operands = self.operands.iter().map(|(_, term)| term.text.as_str());
        let others = flags.chain(operands).any(|word| OTHERWISE.contains(&word));
        let names = self.flags.iter().filter(|flag| flag.name == "-name");
        let mut names = names.filter_map(|flag| flag.value.as_ref());
        let plain = |name: &&Term| !others && name.is_literal() && !name.text.contains('/');
        names
            .next()
            .filter(plain)
            .map_or_else(|| "**".to_owned(), |name| format!("**/{}", name.text))
    }

    /// Whether the flag of that name, or an abbreviation of it, is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| is_flag(name, &flag.name))
    }
}

/// Words with which a search finds more than what the names among its words say, or other things.
const OTHERWISE: [&str; 7] = ["-o", "-or", "!", "-not", ",", "(", ")"];

/// Whether `given` is the flag `name`, or short for it as getopt allows.
fn is_flag(name: &str, given: &str) -> bool {
    name == given || (given.len() > 2 && given.starts_with("--") && name.starts_with(given))
}

impl ProgramRow {
    /// The row of a first operand, if it has one.
    pub(crate) fn sub(&self, verb: &str) -> Option<&ProgramRow> {
        self.sub.iter().find(|row| row.names.iter().any(|name| name == verb))
    }

    /// What the words make of this row, `around` what stands around them.
    ///
    /// The first entry is the program itself, the others what its flags add.
    pub(crate) fn judge(&self, args: &Args<'_>, around: &Around) -> Vec<Found> {
        let part = around.part.as_str();
        let mut base = Found::new(self.base(args), part);
        let mut found = Vec::new();
        let looks = base.effect == Effect::Read || self.looks_afar();
        if !looks || !self.reads_only(args) {
            found.extend(self.also.iter().map(|&effect| self.beside(effect, args, around)));
        }
        self.name_writes(args, &around.here, &mut base);
        found.extend(self.flag_effects(args, around));
        let writes =
            base.effect == Effect::Write || found.iter().any(|found| found.effect == Effect::Write);
        base.tag = self.tag.filter(|&tag| match tag {
            Tag::Formatter => writes,
            Tag::PackageManager => base.effect > Effect::Read,
            Tag::Lookup => base.effect == Effect::Network,
            _ => true,
        });
        if self.untag.iter().any(|flag| args.has(flag)) {
            base.tag = None;
        }
        if self.is_unsure(args, base.effect) {
            found.push(Found::new(Effect::Unknown, part));
        }
        found.insert(0, base);
        if self.stays_here(args) {
            let afar = |one: &&mut Found| matches!(one.effect, Effect::Network | Effect::Outward);
            found.iter_mut().filter(afar).for_each(|one| one.effect = Effect::RunsCode);
        }
        self.name_own_state(args, &mut found);
        found
    }

    /// Whether all that it asks is this machine: what answers there was started here.
    fn stays_here(&self, args: &Args<'_>) -> bool {
        let is_here = |term: &Term| !term.expands && is_loopback(&term.text);
        !self.leads_away.is_empty()
            && !args.flaggy
            && !args.operands.is_empty()
            && args.operands.iter().all(|(_, term)| is_here(term))
            && !self.leads_away.iter().any(|flag| args.has(flag))
    }

    fn beside(&self, effect: Effect, args: &Args<'_>, around: &Around) -> Found {
        let mut found = Found::new(effect, &around.part);
        self.name_writes(args, &around.here, &mut found);
        found
    }

    fn base(&self, args: &Args<'_>) -> Effect {
        if asks_for_help(args) || self.reads_only(args) && !self.looks_afar() {
            return Effect::Read;
        }
        let verb = args.operands.first().map(|(_, term)| *term);
        match verb {
            Some(verb) if !self.verbs.is_empty() && !verb.is_literal() => Effect::Unknown,
            _ => {
                self.verb_effect(verb.map_or("", |verb| verb.text.as_str())).unwrap_or(self.effect)
            }
        }
    }

    fn verb_effect(&self, verb: &str) -> Option<Effect> {
        self.verbs
            .iter()
            .find(|(_, verbs)| verbs.iter().any(|known| known == verb))
            .map(|(&effect, _)| effect)
    }

    fn looks_afar(&self) -> bool {
        self.reads.as_ref().is_some_and(|reads| reads.afar)
    }

    fn reads_only(&self, args: &Args<'_>) -> bool {
        let Some(reads) = &self.reads else { return false };
        let known = |flag: &Flag| {
            reads.flags.contains(&flag.name)
                || reads.with.contains(&flag.name)
                || (is_number(&flag.name) && reads.flags.iter().any(|flag| flag == "-#"))
        };
        let first = args.operands.first();
        // `uniq $x` is `uniq a b` where x is `a b`, and so may `uniq *.txt` be.
        let many = args.operands.iter().any(|(_, term)| term.is_many());
        let alone = args.operands.is_empty()
            && !args.flags.is_empty()
            && args.flags.iter().all(|flag| reads.alone.contains(&flag.name));
        if alone && !args.flaggy {
            return true;
        }
        let enough = args.flags.iter().any(|flag| reads.with.contains(&flag.name))
            || first
                .is_some_and(|(_, first)| first.is_literal() && reads.first.contains(&first.text))
            || reads.operands.is_some_and(|most| args.operands.len() <= most && !many);
        enough && !args.flaggy && args.flags.iter().all(known)
    }

    /// An unlisted flag, or a word that could turn into one that matters.
    fn is_unsure(&self, args: &Args<'_>, base: Effect) -> bool {
        let picky = !self.flags.is_empty() || !self.only.is_empty() || !self.exec.is_empty();
        let known = |name: &str| self.only.split(' ').any(|flag| flag == name);
        let numbers = known("-#");
        let asks = ["--help", "--version"];
        let listed = |flag: &Flag| {
            known(&flag.name)
                || asks.contains(&flag.name.as_str())
                || (numbers && is_number(&flag.name))
        };
        let lists = !self.only.is_empty() && base == Effect::Read;
        let ends = |term: &Term| {
            self.operand_not.as_ref().is_some_and(|not| term.text.starts_with(not.as_str()))
        };
        let starts = |term: &Term| {
            self.operand_starts
                .as_ref()
                .is_none_or(|start| !term.flaggy && term.text.starts_with(start.as_str()))
        };
        (picky && args.flaggy && self.effect < Effect::Write)
            || args.operands.iter().any(|(_, term)| self.may_be_named(term))
            || (lists && !args.flags.iter().all(listed))
            || !args.operands.iter().all(|(_, term)| starts(term) && !ends(term))
            || (self.evaluates
                && args
                    .operands
                    .iter()
                    .any(|(_, word)| word.quoted && !word.expands && runs_inside(&word.text)))
    }

    /// Whether an operand may turn out to be one of those that are written `name=value`.
    fn may_be_named(&self, term: &Term) -> bool {
        let named = self.flags.values().flatten().any(|name| name.ends_with('='));
        let open = !term.is_literal() && term.values.is_empty();
        named && open && !term.begins_with_a_name()
    }

    fn flag_effects(&self, args: &Args<'_>, around: &Around) -> Vec<Found> {
        let mut found = Vec::new();
        for (&effect, names) in &self.flags {
            for name in names {
                let values = args
                    .flags
                    .iter()
                    .filter(|flag| is_flag(name, &flag.name))
                    .map(|flag| flag.value.clone());
                for value in values.chain(operand_values(name, args)) {
                    found.extend(self.flag_effect(effect, name, value, args, around));
                }
            }
        }
        found
    }

    fn flag_effect(
        &self,
        effect: Effect,
        name: &str,
        value: Option<Term>,
        args: &Args<'_>,
        around: &Around,
    ) -> Option<Found> {
        let mut found = Found::new(effect, &around.part);
        // What is attached to `-i.bak` is no file.
        let attached = self.values.iter().any(|known| known.strip_suffix('?') == Some(name));
        let Some(value) = value.filter(|_| !attached) else {
            if effect == Effect::Write {
                self.name_operands(args, &around.here, &mut found);
            }
            return Some(found);
        };
        let harmless = self.harmless.get(name).is_some_and(|values| values.contains(&value.text));
        if harmless && value.is_literal() {
            return None;
        }
        if effect == Effect::Write && value.text.split("::").next() == Some("inplace") {
            // A library of awk's that writes back what it reads.
            self.name_operands(args, &around.here, &mut found);
            return Some(found);
        }
        if effect == Effect::Write {
            return writes(&[&value], &around.here, &mut found).then_some(found);
        }
        Some(found)
    }

    /// A flag such as `-i` or `--fix` turns what is read into what is written.
    fn name_operands(&self, args: &Args<'_>, here: &Here, found: &mut Found) {
        if self.searches {
            found.dynamic = true;
            let mut roots = args.roots().map(Term::found_below);
            if let Some(roots) = &mut roots {
                roots.meant.push(args.searched());
            }
            writes(&roots.iter().collect::<Vec<_>>(), here, found);
            return;
        }
        let operands: Vec<&Term> =
            args.operands.iter().skip(self.prose_of(args)).map(|(_, term)| *term).collect();
        let named = writes(&operands, here, found);
        found.dynamic |= !named || !self.exec.is_empty();
    }

    /// How many operands are text; a flag that brings the script or pattern leaves none.
    fn prose_of(&self, args: &Args<'_>) -> usize {
        let brings = ["-e", "-f", "--expression", "--regexp", "--file", "--source", "--from-file"];
        let brought =
            self.prose == 1 && args.flags.iter().any(|flag| brings.contains(&flag.name.as_str()));
        if brought { 0 } else { self.prose }
    }

    fn name_writes(&self, args: &Args<'_>, here: &Here, base: &mut Found) {
        if !matches!(base.effect, Effect::Write | Effect::GitWrite) {
            return;
        }
        let written = self.written(args);
        if !writes(&written.iter().collect::<Vec<_>>(), here, base) && !written.is_empty() {
            base.effect = Effect::Read;
        }
        base.dynamic |=
            written.is_empty() && (base.effect == Effect::Write || self.writes != Writes::None);
        self.name_links(args, here, base);
    }

    /// Says which of the paths are changed as names. With a slash at its end a name stands for what
    /// it leads to, and so does one of which the text shows only the directory.
    fn name_links(&self, args: &Args<'_>, here: &Here, found: &mut Found) {
        let operands: Vec<&Term> = args.operands.iter().map(|(_, term)| *term).collect();
        let (sources, target) = match operands.as_slice() {
            [sources @ .., target] if self.into && into_flag(args).is_none() => {
                (sources, Some(*target).filter(|_| !sources.is_empty()))
            }
            all => (all, None),
        };
        let bare = self.bare_with.iter().any(|flag| args.has(flag));
        let named = |term: &Term| match term.target() {
            Target::Files(files) => files,
            Target::Below(_) | Target::Hidden => Vec::new(),
        };
        let mut add = |term: &Term, how: Named| {
            let files = named(term).into_iter().filter(|file| !is_directory(file));
            let paths = files.flat_map(|file| here.paths(&file));
            found.named.extend(paths.map(|path| (path, how)));
        };
        if self.links == Links::Operands {
            for source in sources {
                add(source, Named::Always);
            }
        }
        if let Some(target) = target.filter(|_| self.links != Links::None) {
            // Several are put into a directory, whatever leads there.
            let how = if bare { Named::Always } else { Named::UnlessDirectory };
            add(target, how);
        }
    }

    /// The words that name what it writes.
    fn written(&self, args: &Args<'_>) -> Vec<Term> {
        let operands: Vec<&Term> = args.operands.iter().map(|(_, term)| *term).collect();
        if !self.unpacks.is_empty() {
            let into = args.flags.iter().find(|flag| self.unpacks.contains(&flag.name));
            let into = into.map_or_else(|| Some(Term::literal(".")), |flag| flag.value.clone());
            let into = into.unwrap_or_else(|| Term::arriving(false));
            let moves = args.has("-j") || args.has("-x");
            let members = operands.get(1..).filter(|_| !moves).unwrap_or_default();
            return unpacked(&into, members);
        }
        if self.into && !operands.is_empty() {
            return self.written_into(args, &operands);
        }
        let written = match self.writes {
            Writes::None => &[],
            Writes::Operands => operands.as_slice(),
            Writes::First => operands.get(..1).unwrap_or_default(),
            Writes::Last => {
                operands.split_last().map_or(&[][..], |_| &operands[operands.len() - 1..])
            }
            Writes::Second => operands.get(1..2).unwrap_or_default(),
            Writes::Rest => operands.get(1..).unwrap_or_default(),
            Writes::AfterMode => {
                let mode = |flag: &Flag| !self.modeless.contains(&flag.name);
                operands.get(usize::from(!args.flags.iter().any(mode))..).unwrap_or_default()
            }
            Writes::AfterDashes => {
                args.dashes.and_then(|dashes| operands.get(dashes..)).unwrap_or_default()
            }
        };
        written.iter().map(|&term| term.clone()).collect()
    }

    /// The operands that are files it reads.
    pub(crate) fn files_of<'t>(&self, args: &Args<'t>) -> impl Iterator<Item = &'t Term> {
        args.operands.iter().skip(self.prose_of(args)).map(|(_, term)| *term)
    }

    /// Whether its output names git seed's refs or objects.
    pub(crate) fn lists_state(&self, args: &Args<'_>) -> bool {
        // In full: `--batch` is no short form of `--batch-all-objects`.
        let given = |flags: &[String]| args.flags.iter().any(|flag| flags.contains(&flag.name));
        self.lists.as_ref().is_some_and(|lists| {
            let asked = lists.with.is_empty() || given(&lists.with);
            let spared = given(&lists.without) || (lists.narrowed && !args.operands.is_empty());
            asked && !spared
        })
    }

    /// The files, or with a slash the directories around them, that its output names.
    pub(crate) fn printed_files(&self, words: &[Term]) -> Option<Vec<String>> {
        let prints = self.prints_files.as_ref()?;
        let args = Args::of(self, words, false);
        if !prints.with.is_empty() && !prints.with.iter().any(|flag| args.has(flag)) {
            return None;
        }
        let mut files = Vec::new();
        for (_, term) in args.operands.iter().skip(self.prose_of(&args)) {
            match term.target() {
                Target::Files(named) => files.extend(named.iter().map(|file| prints.named(file))),
                Target::Below(below) => files.extend(below),
                Target::Hidden => return None,
            }
        }
        if files.is_empty() {
            files.push("./".to_owned());
        }
        Some(files)
    }

    /// Whether a format, a script or a label among its words puts a dash where a word may
    /// begin: what takes its output for words would take a flag from it.
    pub(crate) fn composes(&self, words: &[Term]) -> bool {
        let args = Args::of(self, words, false);
        let scripts = if self.special.is_some() { self.prose } else { 0 };
        let script = args.operands.iter().take(scripts).map(|(_, term)| *term);
        let times = args.operands.iter().map(|(_, term)| *term);
        let times = times.filter(|_| self.operand_starts.is_some());
        let values = args.flags.iter().filter(|flag| COMPOSING.contains(&flag.name.as_str()));
        let values = values.filter_map(|flag| flag.value.as_ref());
        script.chain(times).chain(values).any(|term| term.loose || begins_a_flag(&term.text))
    }

    fn shares(&self, args: &Args<'_>) -> bool {
        let given = |flags: &[String]| flags.iter().any(|flag| args.has(flag));
        self.shares.as_ref().is_some_and(|shares| {
            (shares.with.is_empty() || given(&shares.with)) && !given(&shares.without)
        })
    }

    /// The sources where they are moved, and what they are called at their target.
    fn written_into(&self, args: &Args<'_>, operands: &[&Term]) -> Vec<Term> {
        let given = into_flag(args).and_then(|flag| flag.value.clone());
        let (sources, target, must) = match (given, operands) {
            (Some(target), sources) => (sources, target, true),
            (None, [sources @ .., target]) => (sources, (*target).clone(), sources.len() > 1),
            (None, []) => return Vec::new(),
        };
        let moved: &[&Term] =
            if self.writes == Writes::Operands || self.shares(args) { sources } else { &[] };
        let mut written: Vec<Term> = moved.iter().map(|&term| term.clone()).collect();
        match target.target() {
            Target::Files(files) if must || files.iter().any(|file| is_directory(file)) => {
                for directory in &files {
                    written.extend(sources.iter().map(|source| put_into(source, directory)));
                }
                if sources.is_empty() {
                    written.push(target);
                }
            }
            _ => written.push(target),
        }
        written
    }

    /// Marks words that name git seed's own state, except where words are prose.
    fn name_own_state(&self, args: &Args<'_>, found: &mut [Found]) {
        let changes = found.iter().any(|found| found.effect >= Effect::Write);
        let descends = self.descends
            || !args.commands.is_empty()
            || self.descends_with.iter().any(|flag| args.has(flag));
        let operands = args.operands.iter().skip(self.prose_of(args)).map(|(_, term)| *term);
        let values = args
            .flags
            .iter()
            .filter(|flag| !self.prose_flags.contains(&flag.name))
            .filter_map(|flag| flag.value.as_ref());
        let notes = args.flags.iter().filter(|flag| self.revisions && is_our_notes(flag));
        let notes = notes.filter_map(|flag| flag.value.as_ref());
        let named: Vec<&Term> = operands
            .chain(values)
            .filter(|term| own::touches(own::reach(term, self.revisions), changes, descends))
            .chain(notes)
            .collect();
        if let Some(first) = found.first_mut() {
            first.name_state(&named);
            let before = args.operands.iter().take(args.dashes.unwrap_or(args.operands.len()));
            let looks = self.revisions && self.effect == Effect::Read;
            first.own_state |=
                looks && before.into_iter().any(|(_, term)| own::searches_every_ref(term));
            first.own_state |= self.prints_every_ref(args);
        }
    }

    /// `git log --all -p` and the like print the files of our chains too, without a word of
    /// their name. The list of commits alone is an ordinary question.
    fn prints_every_ref(&self, args: &Args<'_>) -> bool {
        const CONTENTS: [&str; 18] = [
            "-p",
            "-u",
            "-U",
            "-W",
            "-c",
            "-L",
            "--patch",
            "--patch-with-stat",
            "--patch-with-raw",
            "--unified",
            "--function-context",
            "--cc",
            "--dd",
            "--remerge-diff",
            "--diff-merges",
            "--binary",
            "--color-words",
            "--word-diff",
        ];
        // None of these names takes only the commits of one kind of ref.
        let kinds = ["heads", "tags", "remotes", "refs/heads", "refs/tags", "refs/remotes"];
        let every = |flag: &Flag| match (flag.name.as_str(), &flag.value) {
            ("--all" | "--reflog", _) | ("--glob", None) => true,
            ("--glob", Some(glob)) => {
                !glob.is_literal() || !kinds.iter().any(|kind| glob.text.starts_with(kind))
            }
            _ => false,
        };
        let shown = |name: &str| self.names.iter().any(|known| known == name);
        if !self.revisions || !args.flags.iter().any(every) {
            return false;
        }
        let listed = [
            "-s",
            "--no-patch",
            "--stat",
            "--shortstat",
            "--name-only",
            "--name-status",
            "--numstat",
        ];
        let asked = CONTENTS.iter().any(|flag| args.has(flag));
        match () {
            () if shown("show") => asked || !listed.iter().any(|flag| args.has(flag)),
            // They write each of them into one file.
            () if ["fast-export", "bundle", "pack-objects"].into_iter().any(shown) => true,
            () => asked && ["log", "reflog", "whatchanged"].into_iter().any(shown),
        }
    }
}

/// Flags whose values come out again: formats, scripts, labels, what stands between columns.
const COMPOSING: [&str; 26] = [
    "-printf",
    "-c",
    "--printf",
    "--format",
    "--pretty",
    "-f",
    "-o",
    "-r",
    "--replace",
    "-s",
    "--separator",
    "--output-delimiter",
    "--label",
    "--time-style",
    "--suffix",
    "-e",
    "--expression",
    "--source",
    "-d",
    "-S",
    "--line-prefix",
    "--src-prefix",
    "--dst-prefix",
    "--relative-to",
    "--field-match-separator",
    "--context-separator",
];

/// Whether a word of what comes out of this format may begin with a dash.
fn begins_a_flag(format: &str) -> bool {
    // A character by its number may be one.
    // And what a link leads to is anybody's text.
    let numbered = ["\\0", "\\1", "\\x", "\\o", "\\d", "\\u", "%x", "%c", "%l", "%N"];
    let mut before = None;
    format.chars().any(|char| {
        let begins =
            char == '-' && !before.is_some_and(|before: char| before.is_ascii_alphanumeric());
        before = Some(char);
        begins
    }) || format.contains("\\n-")
        || format.contains("\\t-")
        || numbered.iter().any(|sign| format.contains(sign))
}

/// The flag that names the directory to put things into.
fn into_flag<'f>(args: &'f Args<'_>) -> Option<&'f Flag> {
    args.flags.iter().find(|flag| flag.name == "-t" || flag.name == "--target-directory")
}

/// The values of an operand that is written `name=value`, as `dd` has them.
fn operand_values(name: &str, args: &Args<'_>) -> Vec<Option<Term>> {
    if !name.ends_with('=') {
        return Vec::new();
    }
    let value = |term: &Term| {
        term.text.strip_prefix(name)?;
        Some(Some(term.behind(name.len())))
    };
    let shown = |term: &Term| {
        let values = term.values.iter().filter_map(|value| value.strip_prefix(name));
        values.map(|value| Some(Term::literal(value))).collect::<Vec<_>>()
    };
    let written = args.operands.iter().filter_map(|(_, term)| value(term));
    written.chain(args.operands.iter().flat_map(|(_, term)| shown(term))).collect()
}

/// Adds what is really written to `found`; `false` if nothing is.
pub(super) fn writes(targets: &[&Term], here: &Here, found: &mut Found) -> bool {
    let mut any = false;
    for target in targets {
        match target.target() {
            Target::Files(files) => {
                for file in files.iter().filter(|file| !own::is_sink(file)) {
                    any = true;
                    let bare = file.trim_end_matches('/');
                    found.add_path(if bare.is_empty() { file } else { bare }, here);
                }
            }
            Target::Below(directories) => {
                any = true;
                found.dynamic = true;
                for directory in &directories {
                    found.add_below(directory, &target.meant(directory), here);
                }
            }
            Target::Hidden => {
                any = true;
                found.dynamic = true;
            }
        }
    }
    found.settle_paths();
    any
}

/// What an archive puts into `directory`: `members`, or whatever lies there.
pub(super) fn unpacked(directory: &Term, members: &[&Term]) -> Vec<Term> {
    let plain = |term: &&&Term| term.is_literal() && !term.text.contains(['*', '?', '[', '\\']);
    match directory.target() {
        Target::Files(into) if !members.is_empty() && members.iter().all(|term| plain(&term)) => {
            let put = |into: &String, term: &&Term| {
                Term::literal(&format!("{}{}", with_slash(into), term.text.trim_start_matches('/')))
            };
            into.iter().flat_map(|into| members.iter().map(move |term| put(into, term))).collect()
        }
        _ => vec![below(directory)],
    }
}

/// Whatever lies below `directory`.
pub(super) fn below(directory: &Term) -> Term {
    match directory.target() {
        Target::Files(files) => {
            Term::found_below(files.iter().map(|file| with_slash(file)).collect())
        }
        Target::Below(below) => Term::found_below(below),
        Target::Hidden => Term::arriving(false),
    }
}

fn with_slash(directory: &str) -> String {
    if directory.ends_with('/') { directory.to_owned() } else { format!("{directory}/") }
}

/// A path that can only be a directory.
fn is_directory(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("" | "." | ".."))
}

/// Whether an address is one of this machine's own.
fn is_loopback(address: &str) -> bool {
    let rest = ["http://", "https://", "ws://"].iter().find_map(|way| address.strip_prefix(way));
    let rest = rest.unwrap_or(address);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:[]-".contains(c);
    let name = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((name, _)) => name,
        None => host.split(':').next().unwrap_or_default(),
    };
    let bytes = |name: &str| name.split('.').count() == 4 && name.split('.').all(is_byte);
    host.chars().all(plain)
        && (matches!(name, "localhost" | "::1" | "0.0.0.0")
            || name.starts_with("127.") && bytes(name))
}

fn is_byte(text: &str) -> bool {
    text.parse::<u8>().is_ok()
}

/// What `source` is called inside `directory`.
fn put_into(source: &Term, directory: &str) -> Term {
    let directory = with_slash(directory);
    match source.target() {
        Target::Files(files) if files.len() == 1 && !base_name(&files[0]).is_empty() => {
            Term::literal(&format!("{directory}{}", base_name(&files[0])))
        }
        _ => Term::found_below(vec![directory]),
    }
}

/// The last name of a path; empty if it has none of its own.
fn base_name(path: &str) -> &str {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if matches!(name, "." | "..") { "" } else { name }
}

/// `git notes --ref=seed`, `git log --notes='*'`: refs below `refs/notes/`.
fn is_our_notes(flag: &Flag) -> bool {
    let names = matches!(flag.name.as_str(), "--ref" | "--notes" | "--show-notes");
    let ours = |value: &Term| {
        value.text.starts_with("seed") || !value.is_literal() || value.text.contains('*')
    };
    names && flag.value.as_ref().is_some_and(ours)
}

fn asks_for_help(args: &Args<'_>) -> bool {
    let lone = args.flags.len() == 1 && args.operands.len() <= 1;
    lone && !args.flaggy && matches!(args.flags[0].name.as_str(), "--help" | "--version")
}

fn is_number(flag: &str) -> bool {
    flag.len() > 1 && flag[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text would run something if it were expanded once more.
pub(super) fn runs_inside(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Programs {
        program: Vec<ProgramRow>,
    }

    #[test]
    fn the_shipped_tables_say_the_same_in_both_forms() {
        for (toml, rows) in
            [(include_str!("programs.toml"), &PROGRAMS), (include_str!("git.toml"), &GIT_VERBS)]
        {
            let written = toml::from_str::<Programs>(toml).expect("the table parses").program;
            let built = rows.whole().unwrap_or_else(|bad| panic!("{bad}"));
            assert_eq!(format!("{written:?}"), format!("{built:?}"));
            for row in &written {
                for name in &row.names {
                    let found: Vec<_> = rows.named(name).collect();
                    assert_eq!(format!("{found:?}"), format!("{:?}", [row]), "{name}");
                }
            }
        }
    }
}
