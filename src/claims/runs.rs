//! Which command lines are runs of tests, and whether their end is heard.
//!
//! A receipt of a run says something only if the line is that run and nothing else, in the
//! foreground, with nothing that masks its exit status (`shell::simple` sees to that), and
//! if the flags let it run. What the runner does with a filter that fits no test is not in
//! the line; some end well then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::selection::{self, Part, Words};
use super::table::KINDS;
use super::{Counts, EvidenceType};
use crate::shell::{self, Effect, Simple, Tag};
use crate::shipped::{self, Rows};

/// What is wrong with rows of runs.
#[derive(Debug, Error)]
pub enum RunsError {
    #[error("claims/runs.toml: {0}")]
    Read(#[from] toml::de::Error),
    #[error("claims/runs.toml: {0}")]
    Row(String),
}

/// One way to run tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRow {
    pub name: String,
    pub runs: Vec<String>,
    pub backs: Vec<EvidenceType>,
    #[serde(default)]
    pub silent: Vec<String>,
    #[serde(default)]
    pub quiet: Vec<String>,
    #[serde(default)]
    pub valued: Vec<String>,
    #[serde(default)]
    pub needs: Vec<String>,
    #[serde(default)]
    pub between: Vec<String>,
    #[serde(default)]
    pub clusters: bool,
    #[serde(default)]
    pub words: Words,
    #[serde(default)]
    pub all: Vec<String>,
    #[serde(default)]
    pub part: Vec<String>,
    #[serde(default)]
    pub takes: Vec<String>,
    #[serde(default)]
    pub dirs: Vec<String>,
    #[serde(default)]
    pub usual: Vec<String>,
    #[serde(default)]
    pub here: bool,
    #[serde(default)]
    pub hushed: usize,
}

impl RunRow {
    /// Whether it is asked to be so quiet that it prints no closing lines.
    fn is_hushed(&self, words: &[&str]) -> bool {
        let asked = |word: &&str| match word.strip_prefix('-') {
            Some("-quiet") => 1,
            Some(flags) if !flags.is_empty() && flags.bytes().all(|flag| flag == b'q') => {
                flags.len()
            }
            _ => 0,
        };
        self.hushed > 0 && words.iter().map(asked).sum::<usize>() >= self.hushed
    }
}

/// Words that may stand before a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapper {
    wraps: Vec<String>,
    #[serde(default)]
    valued: Vec<String>,
    #[serde(default)]
    takes: usize,
    #[serde(default)]
    silent: Vec<String>,
    #[serde(default)]
    part: Vec<String>,
}

/// All rows. Most lines are no run by their words alone: only one that may be has them read.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Those of applied rules, which come first.
    more: Vec<RunRow>,
    known: OnceLock<Known>,
}

/// The rows, as they are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    silent: Vec<String>,
    #[serde(default)]
    places: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    system: Vec<String>,
    #[serde(default)]
    outputs: Vec<String>,
    #[serde(default)]
    patterns: Vec<String>,
    masking: Vec<String>,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    setups: Vec<String>,
    #[serde(default)]
    free_setups: Vec<String>,
    #[serde(default)]
    noops: Vec<String>,
    #[serde(default)]
    harmless: Vec<String>,
    #[serde(default)]
    variables: Vec<String>,
    #[serde(default)]
    selects: Vec<String>,
    #[serde(default)]
    beside: Vec<String>,
    #[serde(default)]
    build: Vec<String>,
    #[serde(default)]
    rewrites: Vec<String>,
    #[serde(default)]
    wrapper: Vec<Wrapper>,
    run: Vec<RunRow>,
}

/// What a command line is, as far as receipts go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// A run of tests whose end is the line's end.
    Run(String),
    /// A run of tests among commands behind `&&`, perhaps at the end of a list: if the line ended
    /// well, so did the run. `shows` says whether its closing lines can be nobody else's, `ends`
    /// that it alone makes the end of the line.
    Chained { run: String, shows: bool, ends: bool },
    /// A run of tests whose end the line hides, or that ends well without a test too, and whose
    /// closing lines it shows.
    Shown(String),
    /// A run of tests whose end the line does not tell, or that runs nothing.
    Masked(String),
    /// One other command, whose end is the line's end.
    Command,
    /// Several other commands behind `&&`: if the line ended well, so did each.
    Commands,
    /// Anything else.
    Unclear,
}

/// The places that a line goes to or names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Where it goes, each from the one before it; at the end of them its commands run.
    pub goes: Vec<String>,
    /// What is said to a flag of `places`, and words that stand for themselves, from there.
    pub named: Vec<String>,
    /// Those of them that are said to such a flag.
    pub given: Vec<String>,
    /// Those of them that a variable has code taken from.
    pub loaded: Vec<String>,
}

impl Recognised {
    /// The row's name, for [`super::Receipt::run`].
    pub fn run(&self) -> Option<&str> {
        match self {
            Self::Run(name)
            | Self::Chained { run: name, .. }
            | Self::Shown(name)
            | Self::Masked(name) => Some(name),
            Self::Command | Self::Commands | Self::Unclear => None,
        }
    }

    /// Whether the end of the line is that of its command, good or bad.
    pub(crate) fn tells(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Command)
    }

    /// What of the status that a host hears may stand in [`super::Receipt::status`].
    pub fn status(&self, heard: Option<i32>) -> Option<i32> {
        match self {
            Self::Run(_) | Self::Command | Self::Chained { ends: true, .. } => heard,
            // Which of them ended badly is not told.
            Self::Chained { .. } | Self::Commands => heard.filter(|status| *status == 0),
            Self::Shown(_) | Self::Masked(_) | Self::Unclear => None,
        }
    }

    /// Whether closing lines of a runner in what was printed are those of this run, so that they
    /// say how it ended where no status does: [`super::Receipt::shown`].
    pub fn shows(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Shown(_) | Self::Chained { shows: true, .. })
    }

    /// The run ended well, by its status or, where none is told, by its closing lines.
    pub(crate) fn is_passed(&self, heard: Option<i32>, counts: Option<Counts>) -> bool {
        match self.status(heard) {
            Some(status) => status == 0 && !counts.is_some_and(Counts::is_nothing),
            None => self.shows() && counts.is_some_and(Counts::are_all_good),
        }
    }
}

/// How the shipped runs begin.
static HEADS: Rows<RunRow> = shipped::rows!("runs.run");
static SHIPPED_HEADS: OnceLock<Heads> = OnceLock::new();

/// First words of patterns: each event of a shell asks several times whether a line has one.
#[derive(Debug, Default)]
struct Heads {
    plain: foldhash::HashSet<&'static str>,
    /// Those with a `*`.
    wild: Vec<&'static str>,
}

impl Heads {
    fn of(patterns: impl Iterator<Item = &'static str>) -> Self {
        let mut heads = Self::default();
        for one in patterns.flat_map(|pattern| head(pattern).split('|')) {
            if one.is_empty() || one.contains('*') {
                heads.wild.push(one);
            } else {
                heads.plain.insert(one);
            }
        }
        heads.wild.dedup();
        heads
    }

    /// Whether a pattern with one of these heads may begin with `word`, as [`is_headed`] says it.
    fn are_of(&self, word: &str) -> bool {
        let wild = |head: &&str| head.is_empty() || like(head, word);
        self.plain.contains(word) || self.wild.iter().any(wild)
    }
}

/// How the shipped builds and checks begin; no rules add any.
static BUILDERS: OnceLock<Builders> = OnceLock::new();

/// What of the table says that.
#[derive(Debug, Default, Deserialize)]
struct Builders {
    #[serde(borrow)]
    build: Vec<&'static str>,
}

impl Runs {
    /// The rows that git seed brings.
    pub fn shipped() -> Self {
        Self::default()
    }

    /// The same rows and `more`; a row with a known name takes the place of that one.
    ///
    /// # Errors
    ///
    /// Says which row is wrong.
    pub(crate) fn with(self, more: Vec<RunRow>) -> Result<Self, RunsError> {
        if more.is_empty() {
            return Ok(self);
        }
        let known = self.known().clone().with(more.clone())?;
        let more = more.into_iter().chain(self.more).collect();
        Ok(Self { more, known: OnceLock::from(known) })
    }

    fn known(&self) -> &Known {
        // A test reads the shipped rows; others came with `with`, which checked them.
        self.known.get_or_init(|| Known::shipped().unwrap_or_else(|bad| unreachable!("{bad}")))
    }

    /// Whether any word of these commands may begin a run, behind whatever wraps it.
    fn may_begin_in(&self, commands: &[Simple]) -> bool {
        let words = words_in(commands);
        let begins = |run: &String| words.iter().any(|word| is_headed(run, word));
        let shipped = SHIPPED_HEADS.get_or_init(|| Heads::of(HEADS.names()));
        words.iter().any(|word| shipped.are_of(word))
            || self.more.iter().flat_map(|row| &row.runs).any(begins)
    }

    /// The rows, where any word of this command may begin a build or a check.
    fn builders_of(&self, command: &Simple) -> Option<&Known> {
        // A test reads the shipped rows.
        let read = || shipped::read::<Builders>(shipped::shipped!("runs")).unwrap_or_default();
        let words = words_in(std::slice::from_ref(command));
        let begins = |one: &&str| words.iter().any(|word| is_headed(one, word));
        BUILDERS.get_or_init(read).build.iter().any(begins).then(|| self.known())
    }

    /// No row at all.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        let known = r#"{"silent": [], "masking": [], "run": []}"#;
        let known: Known = serde_json::from_str(known).expect("rows");
        Self { more: Vec::new(), known: OnceLock::from(known) }
    }

    /// The names of all rows.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.known().run.iter().map(|row| row.name.as_str())
    }

    /// Which evidence each run backs.
    pub(super) fn backs(&self) -> BTreeMap<String, Vec<EvidenceType>> {
        self.known().run.iter().map(|row| (row.name.clone(), row.backs.clone())).collect()
    }

    /// Says what `line` is.
    pub fn recognise(&self, line: &str) -> Recognised {
        let Some(read) = shell::behind_settings(line) else { return Recognised::Unclear };
        let run = self.may_begin_in(&read.commands).then(|| self.known().run_in(&read)).flatten();
        run.unwrap_or_else(|| other(line, &read))
    }

    /// Whether `line` runs tests, or builds or checks: what may run where one only looks, held by
    /// the kernel. Only tests prove anything.
    pub(crate) fn runs_here(&self, line: &str) -> bool {
        let Some(read) = shell::behind_settings(line) else { return false };
        self.may_begin_in(&read.commands) && self.known().run_on(&read).is_some()
            || read.commands.iter().any(|command| self.builds(command))
    }

    /// Whether a command builds or checks, and changes no sources by its flags.
    fn builds(&self, command: &Simple) -> bool {
        self.builders_of(command).is_some_and(|known| known.builds(command))
    }

    /// What a line does, where the table of programs knows less of it than the rows of runs: a run
    /// of tests, a build or a check runs code of the repository, whatever its program can do.
    pub(crate) fn reread(&self, mut reading: shell::Reading) -> shell::Reading {
        for found in &mut reading.found {
            let more = matches!(
                found.effect,
                Effect::Write | Effect::Network | Effect::Outward | Effect::Unknown
            );
            let bare = found.paths.is_empty()
                && found.git.is_none()
                && !(found.persons || found.own_state || found.bends_git)
                && (!found.seed || found.confined);
            if more && bare && self.runs_only(&found.part) {
                found.effect = Effect::RunsCode;
                found.tag = Some(Tag::Test);
                found.dynamic = false;
            }
        }
        reading
    }

    /// Whether a piece of a line is nothing but a run, a build or a check that rows know.
    fn runs_only(&self, part: &str) -> bool {
        let Some(read) = shell::behind_settings(part) else { return false };
        let known = |one: &Simple| {
            let run =
                self.may_begin_in(std::slice::from_ref(one)).then(|| self.known().run_of(one));
            run.flatten().is_some_and(|fit| fit.runs) || self.builds(one)
        };
        !read.commands.is_empty() && read.commands.iter().all(known)
    }

    /// The row that knows a program with its arguments as a run of tests that really runs, by the
    /// words it begins with: nothing stands before them.
    pub(super) fn knows(&self, words: &[String]) -> Option<&str> {
        let words: Vec<&str> = words.iter().map(|word| program(word)).collect();
        let known = self.known();
        let fit = known.run.iter().find_map(|row| known.fits(row, &words))?;
        fit.runs.then_some(fit.row.name.as_str())
    }

    /// Whether the line throws away what its run prints, or lets it print no closing lines: that it
    /// ended well then says nothing of tests.
    pub(crate) fn hides(&self, line: &str) -> bool {
        self.on(line, |run| run.hidden).unwrap_or(false)
    }

    /// Whether the run of a line ends well where it finds no test, too, by what stands in the line.
    pub(crate) fn may_find_none(&self, line: &str) -> bool {
        self.on(line, |run| run.lenient).unwrap_or(false)
    }

    /// The part of the tests that a line selects; none where it selects all of them, or is no
    /// run of tests.
    pub fn part(&self, line: &str) -> Option<Part> {
        self.on(line, |run| run.part).flatten()
    }

    /// What `tell` says of the run of a line; none where it is no run.
    fn on<T>(&self, line: &str, tell: impl FnOnce(Fit<'_>) -> T) -> Option<T> {
        let read = shell::behind_settings(line).filter(|read| self.may_begin_in(&read.commands))?;
        self.known().run_on(&read).map(|(run, _)| tell(run))
    }

    /// Whether the settings of npm in `text`, those of an `.npmrc`, make scripts another thing.
    pub(crate) fn swaps_scripts(&self, text: &str) -> bool {
        self.known().swaps_scripts(text)
    }

    /// The places that a line goes to or names.
    pub(crate) fn places(&self, line: &str) -> Places {
        self.known().places(line)
    }
}

/// What a line is that is no run of tests.
fn other(line: &str, read: &shell::Line) -> Recognised {
    let here = read.dirs.iter().all(Option::is_some);
    let Some(simple) = shell::simple(line) else { return Recognised::Unclear };
    match (simple.whole, simple.chained && here) {
        (true, _) => Recognised::Command,
        (false, true) => Recognised::Commands,
        (false, false) => Recognised::Unclear,
    }
}

impl Known {
    fn shipped() -> Result<Self, RunsError> {
        let runs: Self = shipped::read(shipped::shipped!("runs"))?;
        runs.check()?;
        Ok(runs)
    }

    /// Reads rows from TOML.
    #[cfg(test)]
    fn parse(toml: &str) -> Result<Self, RunsError> {
        let runs: Self = toml::from_str(toml)?;
        runs.check()?;
        Ok(runs)
    }

    fn with(mut self, more: Vec<RunRow>) -> Result<Self, RunsError> {
        for row in more {
            self.run.retain(|known| known.name != row.name);
            self.run.insert(0, row);
        }
        self.check()?;
        Ok(self)
    }

    fn check(&self) -> Result<(), RunsError> {
        let mut seen = BTreeSet::new();
        let known = || KINDS.map(super::table::word).join(", ");
        for row in &self.run {
            let name = &row.name;
            let plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
            let fault = if name.is_empty() || !name.chars().all(plain) {
                Some("a name has small letters, digits, `-` and `_`".to_owned())
            } else if !seen.insert(name) {
                Some(format!(
                    "stands twice; known: {}",
                    seen.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
                ))
            } else if row.runs.is_empty() || row.runs.iter().any(|run| run.trim().is_empty()) {
                Some("`runs` says how such a line begins".to_owned())
            } else if row.backs.is_empty() || row.backs.contains(&EvidenceType::None) {
                Some(format!("`backs` names evidence types: {}", known()))
            } else {
                None
            };
            if let Some(fault) = fault {
                return Err(RunsError::Row(format!("run {name}: {fault}")));
            }
        }
        let empty = self.wrapper.iter().any(|row| row.wraps.is_empty());
        if empty {
            Err(RunsError::Row("wrapper: `wraps` says how it begins".to_owned()))
        } else {
            Ok(())
        }
    }

    /// What a line with a run of tests in it is.
    fn run_in(&self, read: &shell::Line) -> Option<Recognised> {
        let here = read.dirs.iter().all(Option::is_some);
        let (fit, heard) = self.run_on(read)?;
        let run = fit.row.name.clone();
        let sets_up = read.commands.iter().any(|command| self.sets_up(command));
        if !fit.runs || !here || sets_up {
            return Some(Recognised::Masked(run));
        }
        // The closing line of a part may not stand for a run of all.
        let shows = self.is_alone(read) && self.are_alike(&read.commands);
        Some(if read.whole && !fit.quiet {
            Recognised::Run(run)
        } else if heard && !fit.quiet {
            Recognised::Chained { run, shows, ends: read.ends }
        } else if read.shown && shows {
            Recognised::Shown(run)
        } else {
            Recognised::Masked(run)
        })
    }

    /// Whether a command changes in files of the person's what runs behind it are.
    fn sets_up(&self, command: &Simple) -> bool {
        let words: Vec<&str> = command.words.iter().map(|word| program(word)).collect();
        let valued = ["--location", "-L", "--prefix", "--loglevel"].map(str::to_owned);
        let (mut rest, mut around) = (words.as_slice(), Around::default());
        loop {
            let mut known = self.setups.iter();
            if let Some(taken) = known.find_map(|pattern| begins(pattern, rest, &valued)) {
                let what = rest[taken.len..].iter().find(|word| !word.starts_with('-'));
                let name = what.map_or("", |what| setting(what).0);
                return !self.free_setups.iter().any(|free| like(free, name));
            }
            let Some(behind) = self.unwrapped(rest, &mut around) else { return false };
            rest = behind;
        }
    }

    /// Whether the settings of npm in `text`, those of an `.npmrc`, have scripts run in another
    /// program than a shell, or have node load other code.
    fn swaps_scripts(&self, text: &str) -> bool {
        text.lines().filter_map(|line| line.split_once('=')).any(|(name, value)| {
            let bare = |word: &str| word.trim().trim_matches(['"', '\'']).to_owned();
            let (name, value) = (bare(name), bare(value));
            match name.trim_end_matches("[]") {
                "script-shell" => !self.is_shell(&value),
                "node-options" => self.is_masking(&format!("NODE_OPTIONS={value}")),
                _ => false,
            }
        })
    }

    /// A shell, by its name or where programs of the system are.
    fn is_shell(&self, program: &str) -> bool {
        const SHELLS: [&str; 9] =
            ["", "null", "sh", "bash", "dash", "zsh", "ksh", "pwsh", "powershell"];
        let (dir, name) = program.rsplit_once(['/', '\\']).unwrap_or(("", program));
        let windows = dir.contains(':');
        let system = ["", "/bin"].contains(&dir)
            || windows
            || self.system.iter().any(|system| dir.starts_with(system.as_str()));
        let name = name.strip_suffix(".exe").unwrap_or(name);
        system && !dir.contains("..") && (SHELLS.contains(&name) || windows && name == "cmd")
    }

    /// The run of a line and whether the end of the line tells its own: one of those at its end,
    /// else any.
    fn run_on(&self, read: &shell::Line) -> Option<(Fit<'_>, bool)> {
        let last = read.heard.and_then(|from| self.run_among(&read.commands[from..]));
        let heard = last.map(|fit| (fit, true));
        heard.or_else(|| Some((self.run_among(&read.commands)?, read.chained)))
    }

    /// Of several runs the first that really runs all tests, else that runs.
    fn run_among(&self, commands: &[Simple]) -> Option<Fit<'_>> {
        let fits = commands.iter().filter_map(|command| self.run_of(command));
        fits.min_by_key(|fit| (!fit.runs, fit.part.is_some()))
    }

    /// Whether all runs of a line are of all tests, or none is.
    fn are_alike(&self, commands: &[Simple]) -> bool {
        let mut parts =
            commands.iter().filter_map(|one| self.run_of(one)).map(|fit| fit.part.is_some());
        let first = parts.next();
        parts.all(|part| Some(part) == first)
    }

    /// Whether nothing else on the line prints what it likes.
    fn is_alone(&self, read: &shell::Line) -> bool {
        read.commands.iter().filter(|command| !command.filters).all(|command| {
            let words: Vec<&str> = command.words.iter().map(|word| program(word)).collect();
            command.literal
                && (self.beside.iter().any(|pattern| begins(pattern, &words, &[]).is_some())
                    || self.run_of(command).is_some())
        })
    }

    /// Whether a command builds or checks, and changes no sources by its flags.
    fn builds(&self, command: &Simple) -> bool {
        let words: Vec<&str> = command.words.iter().map(|word| program(word)).collect();
        let (mut rest, mut around) = (words.as_slice(), Around::default());
        let rewrites = |word: &&str| self.rewrites.iter().any(|flag| like(flag, word));
        while !self.build.iter().any(|pattern| begins(pattern, rest, &[]).is_some()) {
            let Some(behind) = self.unwrapped(rest, &mut around) else { return false };
            rest = behind;
        }
        command.literal && !around.silent && !words.iter().any(rewrites)
    }

    fn places(&self, line: &str) -> Places {
        let Some(read) = shell::behind_settings(line) else { return Places::default() };
        let mut all = Places::default();
        // Where the others work says nothing of the run.
        let is_run = |command: &&Simple| self.run_of(command).is_some();
        let runs: Vec<&Simple> = read.commands.iter().filter(is_run).collect();
        let goes = |words: &[String]| {
            let bare = words.iter().position(|word| word != "command" && word != "builtin");
            bare.is_some_and(|at| matches!(words[at].as_str(), "cd" | "pushd" | "popd"))
        };
        let commands: Vec<&Simple> = if runs.is_empty() {
            read.commands.iter().collect()
        } else {
            read.commands.iter().filter(|one| is_run(one) || goes(&one.words)).collect()
        };
        let goes_to: Vec<String> = read.dirs.iter().flatten().chain(&read.later).cloned().collect();
        for command in commands {
            // Where it goes is said from the place before, and not from the last one.
            let is_way = |word: &str| goes(&command.words) && goes_to.iter().any(|dir| dir == word);
            let sets = command.sets.iter().chain(&command.words);
            all.loaded.extend(sets.flat_map(|set| self.loads(set)));
            self.name_places(command, &is_way, &mut all);
        }
        all.named.extend(all.given.iter().chain(&all.loaded).cloned());
        Places { goes: goes_to, ..all }
    }

    /// Adds the places that the words of a command name; those that are a way are where it goes.
    fn name_places(&self, command: &Simple, is_way: &dyn Fn(&str) -> bool, all: &mut Places) {
        let run = self.run_of(command);
        // Behind the words of a run nothing is a program that starts it.
        let starts = run.as_ref().map_or(usize::MAX, |fit| command.words.len() - fit.behind);
        let name = command.words.first().map(String::as_str).unwrap_or_default();
        let labels = LABELS.contains(&name);
        // What is told to a container is a place in there.
        let run = run.filter(|_| !CONTAINERS.contains(&program(name)));
        let mut before = "";
        for (at, word) in command.words.iter().enumerate().skip(1) {
            let last = before;
            before = if word.contains('=') { "" } else { word };
            let short = self.places.iter().filter(|place| !place.starts_with("--"));
            let mut short = short.filter_map(|place| word.strip_prefix(place.as_str()));
            if let Some(place) = short.find(|rest| rest.starts_with(['/', '.'])) {
                all.given.push(place.to_owned());
                continue;
            }
            let joined = word.split_once('=').filter(|_| word.starts_with('-'));
            let joined = attached(word).or(joined);
            let (flag, value) = joined.unwrap_or((last, word.as_str()));
            // `//...` is a label, and a program called by its path no place.
            let label = labels && value == word && value.starts_with("//");
            let called = at < starts && program(value) != value;
            let place = (!called && !is_way(value) && !label).then_some(value);
            if self.places.iter().any(|place| place == flag) {
                let ways = place.map(ways_out).unwrap_or_default();
                let plain = place.filter(|_| ways.is_empty()).map(str::to_owned);
                all.given.extend(ways.into_iter().chain(plain));
            } else if !(word.starts_with('-') || last.starts_with('-')) {
                all.named.extend(place.map(str::to_owned));
            } else if let Some(fit) = run.as_ref().filter(|_| place.is_some())
                && !self.is_apart(fit.row, (flag, joined.is_some()), value)
            {
                all.named.extend(ways_out(value));
            }
        }
    }

    /// Whether the value of a flag is no place that tests or code come from: a run writes there, it
    /// is a pattern, or a program of the system; `joined` is one that stands in one word with it.
    fn is_apart(&self, row: &RunRow, (flag, joined): (&str, bool), value: &str) -> bool {
        let is_output = |flag: &str, joined: bool| {
            self.outputs.iter().any(|one| match one.strip_suffix('=') {
                Some(open) => joined && like(open, flag),
                None => one == flag,
            })
        };
        let (name, is_set) = value.split_once('=').map_or(("", false), |(name, _)| (name, true));
        let writes = is_output(flag, joined) && (joined || !is_set) || is_output(name, false);
        // A letter of its own stands alone elsewhere, and what follows it is an operand.
        let takes = || flag.len() > 2 || row.part.contains(&format!("{flag}*"));
        let pattern = || self.patterns.iter().any(|one| like(one, flag)) && takes();
        let system = || {
            let mut known = self.system.iter().map(String::as_str).chain(["/bin/"]);
            let below = known.any(|dir| value.starts_with(dir));
            below && program(value) != value && !value.contains("..")
        };
        writes || pattern() || system()
    }

    /// The places that `NAME=value` has a run take code from; one in the person's home is told
    /// as the root, since it lies outside wherever that is.
    fn loads<'s>(&'s self, set: &'s str) -> impl Iterator<Item = String> + 's {
        let (name, value) = setting(set);
        let value = if self.paths.iter().any(|known| known == name) { value } else { "" };
        let is_system = |place: &str| {
            let below = |dir: &String| place.starts_with(dir.as_str());
            self.system.iter().any(below) && !place.contains("..")
        };
        let places = value.split(':');
        places.filter(move |place| !place.is_empty() && !is_system(place)).map(|place| {
            let home = ["~", "$HOME", "${HOME}"].iter().any(|home| place.starts_with(home));
            if home { "/".to_owned() } else { place.to_owned() }
        })
    }

    /// The row of a command, and whether it really runs.
    fn run_of(&self, command: &Simple) -> Option<Fit<'_>> {
        let words: Vec<&str> = command.words.iter().map(|word| program(word)).collect();
        let mut rest = words.as_slice();
        // Each wrapper takes at least one word.
        let mut around =
            Around { sets: command.sets.iter().map(String::as_str).collect(), ..Around::default() };
        loop {
            if let Some(mut found) = self.run.iter().find_map(|row| self.fits(row, rest)) {
                let masked = around.sets.iter().any(|set| self.is_masking(set));
                found.runs &= !around.silent && command.literal && !masked;
                found.hidden = command.thrown || found.row.is_hushed(rest);
                let chosen = around.sets.iter().filter(|set| self.is_selecting(set));
                around.part.extend(chosen.map(|set| (*set).to_owned()));
                found.part = Part::with(around.part, found.part);
                return Some(found);
            }
            rest = self.unwrapped(rest, &mut around)?;
        }
    }

    /// The words behind a wrapper, at least one fewer.
    fn unwrapped<'w>(
        &self,
        words: &'w [&'w str],
        around: &mut Around<'w>,
    ) -> Option<&'w [&'w str]> {
        // `pnpm exec` is more than `pnpm`.
        let fits = self.wrapper.iter().filter_map(|row| {
            let fits = row.wraps.iter().filter_map(|wraps| begins(wraps, words, &row.valued));
            Some((row, fits.max_by_key(|taken| taken.len)?))
        });
        fits.max_by_key(|(_, taken)| taken.len).map(|(row, wraps)| {
            let mut rest = &words[wraps.len..];
            let mut takes = row.takes;
            for word in &words[..wraps.len] {
                around.silent |= self.silent.iter().any(|flag| like(flag, word));
                around.select(row, word);
            }
            while let Some(word) = rest.first() {
                let named = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
                let set = word.split_once('=').is_some_and(|(name, _)| named(name));
                if *word == "--" {
                    return &rest[1..];
                }
                around.silent |= self.silent.iter().chain(&row.silent).any(|flag| like(flag, word));
                around.select(row, word);
                if row.valued.iter().any(|flag| flag == word) {
                    rest = rest.get(2..).unwrap_or_default();
                } else if word.starts_with('-') {
                    rest = &rest[1..];
                } else if set {
                    around.sets.push(word);
                    rest = &rest[1..];
                } else if takes > 0 {
                    takes -= 1;
                    rest = &rest[1..];
                } else {
                    break;
                }
            }
            rest
        })
    }

    /// Whether `NAME=value` makes a run another one.
    fn is_masking(&self, set: &str) -> bool {
        let (name, value) = setting(set);
        let masks = self.masking.iter().any(|pattern| like(pattern, name));
        // As it stands there: what a shell would make of it is not looked at.
        let plain = |c: char| c.is_ascii_alphanumeric() || "=:._/+,-".contains(c);
        // Of several options each has to be one that does no harm.
        let harmless = |option: &str| {
            let bare = format!("{name}={option}");
            option.chars().all(plain) && self.harmless.iter().any(|known| like(known, &bare))
        };
        masks && !value.split(' ').all(harmless) || self.does_nothing(set)
    }

    /// Whether `NAME=value` chooses some of the tests; a plain yes or no mostly does not.
    fn is_selecting(&self, set: &str) -> bool {
        let (name, value) = setting(set);
        let plain = ["", "0", "1", "true", "false", "yes", "no", "on", "off"];
        let off = ["", "0", "false", "no", "off"];
        let set = !plain.contains(&value) || name.contains("SKIP") && !off.contains(&value);
        set && self.variables.iter().any(|pattern| like(pattern, name))
    }

    /// Whether `NAME=value` names a program that does nothing where one that runs tests is meant.
    fn does_nothing(&self, set: &str) -> bool {
        let (name, value) = setting(set);
        let mut words = value.split_whitespace().map(|word| word.rsplit('/').next());
        self.programs.iter().any(|pattern| like(pattern, name))
            && words.next().flatten().is_some_and(|word| self.noops.iter().any(|noop| noop == word))
    }

    fn fits<'r>(&self, row: &'r RunRow, words: &[&str]) -> Option<Fit<'r>> {
        let found = row.runs.iter().find_map(|run| begins(run, words, &row.valued))?;
        let rest = &words[found.len..];
        let is_value = |at: usize| at > 0 && row.valued.iter().any(|flag| flag == rest[at - 1]);
        let needed = row.needs.is_empty()
            || rest
                .iter()
                .enumerate()
                .filter(|(at, word)| !word.starts_with('-') && !is_value(*at))
                .any(|(_, word)| row.needs.iter().any(|need| like(need, word)))
            || rest
                .iter()
                .any(|word| row.needs.iter().any(|need| need.starts_with('-') && like(need, word)));
        needed.then(|| Fit {
            row,
            runs: !self.is_silent(row, words, rest),
            behind: rest.len(),
            quiet: words.iter().any(|word| row.quiet.iter().any(|flag| like(flag, word))),
            lenient: words
                .iter()
                .filter(|word| word.starts_with('-'))
                .any(|word| row.quiet.iter().any(|one| one.starts_with('-') && like(one, word))),
            hidden: false,
            part: selection::part(row, &self.selects, &words[..found.len], rest),
        })
    }

    fn is_silent(&self, row: &RunRow, words: &[&str], rest: &[&str]) -> bool {
        let silent = || self.silent.iter().chain(&row.silent);
        let flag = |word: &str| {
            silent().any(|one| one.starts_with('-') && (like(one, word) || valued(one, word)))
        };
        let letter = |word: &str| {
            let mut letters = selection::letters(row, word);
            letters.any(|letter| silent().any(|one| one.chars().eq(['-', letter])))
        };
        let named = |word: &&str| silent().any(|one| !one.starts_with('-') && like(one, word));
        let head = words.len() - rest.len();
        let first = rest.iter().find(|word| !word.starts_with('-'));
        // Flags, and settings like `SHELL=…`, which `make` takes among its words.
        let setting = |word: &&str| silent().any(|one| one.contains("=*") && like(one, word));
        // What npm hands node is judged as the variable that it sets for it.
        let handed = |(at, word): (usize, &&str)| {
            let joined = word.strip_prefix("--node-options=");
            let apart = || words.get(at + 1).copied().filter(|_| *word == "--node-options");
            let value = joined.or_else(apart);
            value.is_some_and(|value| self.is_masking(&format!("NODE_OPTIONS={value}")))
        };
        // What the run is to do is given to it, and stands in no file.
        let given = |word: &&str| *word == "-" || word.contains("/dev/") || word.contains("/proc/");
        words.iter().any(|word| flag(word) || letter(word) || setting(word))
            || words.iter().enumerate().any(handed)
            || rest.iter().any(|word| given(word) || self.does_nothing(word))
            || words[..head]
                .iter()
                .any(|word| named(word) || row.between.iter().any(|one| like(one, word)))
            || first.is_some_and(named)
    }
}

/// Programs whose words may be labels such as `//core/...`.
const LABELS: [&str; 6] = ["bazel", "bazelisk", "buck", "buck2", "pants", "please"];

/// Programs that start others in a place of its own, with paths of its own.
const CONTAINERS: [&str; 4] = ["docker", "docker-compose", "podman", "podman-compose"];

/// A flag of few letters and the path that stands in one word with it: `-s/x`.
fn attached(word: &str) -> Option<(&str, &str)> {
    let letters = word.strip_prefix('-')?;
    let len = letters.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (flag, rest) = word.split_at(len + 1);
    let is_path = rest.starts_with(['/', '~']) || rest.starts_with("..");
    ((1..=3).contains(&len) && is_path).then_some((flag, rest))
}

/// What of a flag's value may lead out of the directory of its run: paths from the root or a home,
/// and those with `..`. Code that stands in the value itself is told as the root, as a home is.
fn ways_out(value: &str) -> Vec<String> {
    let parts = |c: char| c.is_whitespace() || "=,;\"'{}[]()".contains(c);
    let pieces = value.split(parts).flat_map(|piece| match piece.split_once("://") {
        Some(("file", path)) => vec![path],
        Some(_) => Vec::new(),
        None if piece.starts_with("data:") => vec!["/"],
        None => piece.split(':').collect(),
    });
    let bare = pieces.map(|piece| attached(piece).map_or(piece, |(_, path)| path));
    let homes = ["~", "$HOME", "${HOME}"];
    let ways = bare.filter_map(|piece| {
        let home = homes.iter().any(|home| piece.starts_with(home));
        // Files may lie in shared memory, which is below there, too.
        let device = ["null", "stdin", "stdout", "stderr", "tty"];
        let device = piece.strip_prefix("/dev/").is_some_and(|name| device.contains(&name));
        let rooted = piece.starts_with('/') && !device && !piece.starts_with("/dev/fd/");
        let climbs = piece.split('/').any(|part| part == "..");
        if home { Some("/") } else { (rooted || climbs).then_some(piece) }
    });
    ways.map(str::to_owned).collect()
}

/// What stands around a run on its line.
#[derive(Default)]
struct Around<'w> {
    /// Variables, as `NAME=value`.
    sets: Vec<&'w str>,
    /// A wrapper does something else than to start what stands behind it.
    silent: bool,
    /// Words of wrappers that leave tests out.
    part: Vec<String>,
}

impl Around<'_> {
    fn select(&mut self, row: &Wrapper, word: &str) {
        if row.part.iter().any(|flag| like(flag, word)) {
            self.part.push(word.to_owned());
        }
    }
}

/// The name and the value of `NAME=value` or `NAME+=value`.
fn setting(set: &str) -> (&str, &str) {
    let (name, value) = set.split_once('=').unwrap_or((set, ""));
    (name.trim_end_matches('+'), value.trim_matches(['"', '\'']))
}

/// A command that a row recognised.
struct Fit<'r> {
    row: &'r RunRow,
    /// Its tests really run, and its end is theirs.
    runs: bool,
    /// How many words stand behind those that it begins with.
    behind: usize,
    /// It ends well where it finds no test, too.
    quiet: bool,
    /// It says so by a flag: its script by itself may find some.
    lenient: bool,
    /// What it prints is thrown away.
    hidden: bool,
    part: Option<Part>,
}

/// How many words a pattern took.
struct Taken {
    len: usize,
}

/// Whether `words` begin as `pattern` says; flags may stand between, with values where
/// `valued` says so.
fn begins(pattern: &str, words: &[&str], valued: &[String]) -> Option<Taken> {
    if words.first().is_some_and(|word| !is_headed(pattern, word)) {
        return None;
    }
    let mut at = 0;
    for (nth, wanted) in pattern.split(' ').filter(|wanted| !wanted.is_empty()).enumerate() {
        loop {
            let word = words.get(at)?;
            if wanted.split('|').any(|one| like(one, word)) {
                break;
            }
            let flag = nth > 0 && word.starts_with(['-', '+']);
            if !flag {
                return None;
            }
            at += if valued.iter().any(|flag| flag == word) { 2 } else { 1 };
        }
        at += 1;
    }
    Some(Taken { len: at })
}

/// The first word of a pattern.
fn head(pattern: &str) -> &str {
    pattern.split(' ').next().unwrap_or_default()
}

/// Whether `word` is one that a pattern begins with.
fn is_headed(pattern: &str, word: &str) -> bool {
    let bytes = pattern.as_bytes();
    let head = &bytes[..memchr::memchr(b' ', bytes).unwrap_or(bytes.len())];
    // All patterns are held against each word of a line, and nearly all of them end here.
    if head.first().is_some_and(|first| word.as_bytes().first() != Some(first))
        && memchr::memchr2(b'|', b'*', head).is_none()
    {
        return false;
    }
    head.is_empty() || self::head(pattern).split('|').any(|one| like(one, word))
}

/// The words of these commands as programs are called by their names.
fn words_in(commands: &[Simple]) -> Vec<&str> {
    commands.iter().flat_map(|one| &one.words).map(|word| program(word)).collect()
}

/// Whether `words` begin as `pattern` says; flags may stand between.
pub(super) fn begins_with(pattern: &str, words: &[&str]) -> bool {
    let valued = ["-C", "-c", "--context", "--namespace", "-n", "--repo", "-R"].map(str::to_owned);
    begins(pattern, words, &valued).is_some()
}

/// Whether `word` is `pattern`, where `*` stands for anything.
pub(super) fn like(pattern: &str, word: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(first) = pieces.next() else { return word.is_empty() };
    let Some(mut rest) = word.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(before) = last.replace(piece) {
            let before: &str = before;
            let Some(at) = rest.find(before) else { return false };
            rest = &rest[at + before.len()..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// `--flag=value` of a flag that has no `=` of its own.
fn valued(flag: &str, word: &str) -> bool {
    flag.starts_with("--")
        && word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=') && rest != "=false")
}

/// A program by its name, where it was called in a directory of programs.
fn program(word: &str) -> &str {
    if word.starts_with('-') || word.contains('=') {
        return word;
    }
    let (dir, name) = word.rsplit_once('/').unwrap_or(("", word));
    let last = dir.rsplit('/').next().unwrap_or(dir);
    let vendor = dir.ends_with("vendor/bin") || matches!(dir, "bin" | "./bin");
    if matches!(last, "bin" | ".bin" | "Scripts") && !vendor { name } else { word }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What `line` is by the shipped rows.
    fn recognise(line: &str) -> Recognised {
        static RUNS: std::sync::OnceLock<Runs> = std::sync::OnceLock::new();
        RUNS.get_or_init(Runs::shipped).recognise(line)
    }

    fn said(line: &str) -> String {
        match recognise(line) {
            Recognised::Run(name) => name,
            Recognised::Masked(name) => format!("masked {name}"),
            Recognised::Shown(name) => format!("shown {name}"),
            Recognised::Chained { run, shows: true, ends: true } => format!("last {run}"),
            Recognised::Chained { run, shows: true, .. } => format!("chained {run}"),
            Recognised::Chained { run, .. } => format!("chained {run} beside printers"),
            Recognised::Command => "command".to_owned(),
            Recognised::Commands => "commands".to_owned(),
            Recognised::Unclear => "unclear".to_owned(),
        }
    }

    #[test]
    fn builds_and_checks_run_where_tests_do_and_are_no_tests() {
        let runs = Runs::shipped();
        for line in [
            "cargo check",
            "cargo +nightly clippy --all-targets -- -D warnings",
            "cargo build --locked",
            "cargo doc --no-deps",
            "RUSTFLAGS='-D warnings' cargo build",
            "go vet ./...",
            "go build ./...",
            "tsc --noEmit",
            "npx tsc -p .",
            "npx eslint src",
            "npx prettier --check .",
            "npm run lint",
            "npm run typecheck",
            "npm run build",
            "pnpm lint",
            "ruff check src",
            "uv run mypy src",
            "pyright",
            "python -m flake8",
            "pylint lib",
            "golangci-lint run",
            "make -n",
            "make lint",
            "cd sub && cargo check",
            "python3 -m compileall -q src",
            "eslint --fix-dry-run .",
        ] {
            assert!(runs.runs_here(line), "{line}");
            assert_eq!(runs.recognise(line).run(), None, "{line}");
        }
        for line in ["cargo test", "pytest -q", "source .venv/bin/activate && pytest -q"] {
            assert!(runs.runs_here(line), "{line}");
        }
        for line in [
            "cargo run",
            "cargo install x",
            "cargo clippy --fix",
            "cargo publish",
            "npx eslint --fix src",
            "npx prettier --write .",
            "npm install",
            "npm run deploy",
            "ruff check --fix",
            "ruff format",
            "go generate ./...",
            "make install",
            "make deploy",
            "rubocop -A",
            "python x.py",
            "tsc --watch",
            "python3 -m compileall -q -f --invalidation-mode unchecked-hash src",
            "python3 -m compileall --invalidation-mode=unchecked-hash src",
        ] {
            assert!(!runs.runs_here(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_swaps_the_program_proves_nothing() {
        for line in [
            "make --eval='test:;@true' test",
            "make -E 'test:;@true' test",
            "make --eva 'test:;@true' test",
            "make -f - test",
            "make -f /dev/stdin test",
            "make --makefile=/dev/fd/3 check",
            "make test PYTEST=true",
            "make test CARGO=/bin/true",
            "make check CC=:",
            "PYTEST='echo 5 passed' make test",
            "env GO=true make test",
            "CARGO_HOME=/tmp/fake cargo test",
            "MAKEFILES=/tmp/m make test",
            "just --justfile /dev/stdin test",
            "pytest --suppress-tests-failed-exit-code",
            "mvn test -DskipUnitTests=true",
            "dotnet test -p:IsTestProject=false",
            "rake --execute 'exit 0' test",
        ] {
            assert!(said(line).starts_with("masked "), "{line}: {}", said(line));
        }
        for (line, wanted) in [
            ("CI=true make test", "make"),
            ("make test VERBOSE=true V=1", "make"),
            ("PYTHON=python3.12 make test", "make"),
            ("PYTHONUNBUFFERED=true pytest", "pytest"),
            ("RUN_SLOW=true pytest -q", "pytest"),
            ("TEST_RUNNER=nextest make check", "make"),
            ("CTEST_OUTPUT_ON_FAILURE=true make test", "make"),
            ("CC=clang make -j8 check", "make"),
            ("DRY_RUN=false npm test", "npm"),
            ("pytest -q > /dev/null", "pytest"),
        ] {
            assert_eq!(said(line), wanted, "{line}");
        }
    }

    #[test]
    fn runs_of_tests_are_known() {
        for (line, wanted) in [
            ("cargo test", "cargo"),
            ("cargo t -p core", "cargo"),
            ("cargo +nightly --locked test --lib jobs::", "cargo"),
            ("cargo --manifest-path a/Cargo.toml test", "cargo"),
            ("cargo nextest run --no-fail-fast", "cargo"),
            ("RUST_BACKTRACE=1 cargo test 2>&1", "cargo"),
            ("cd crates/a && cargo test", "cargo"),
            ("(cd a && cargo test -- --nocapture)", "cargo"),
            ("bash -lc 'cargo test'", "cargo"),
            ("git seed exec -- cargo test", "cargo"),
            ("git seed exec --multiplier 3 -- cargo test", "cargo"),
            ("git seed --multiplier 3 exec -- cargo test", "cargo"),
            ("/opt/bin/git-seed exec -- cargo test", "cargo"),
            ("git seed exec -- bash -c 'cargo test'", "command"),
            ("~/.cargo/bin/cargo test", "masked cargo"),
            ("/root/.cargo/bin/cargo test", "cargo"),
            ("./cargo test", "command"),
            ("dbt test", "other"),
            ("terraform test -verbose", "other"),
            ("npx elm-test", "other"),
            ("Rscript -e 'testthat::test_dir(\"tests\")'", "other"),
            ("julia --project=. -e 'using Pkg; Pkg.test()'", "other"),
            ("pytest", "pytest"),
            ("pytest -x tests/test_a.py::test_b", "pytest"),
            (".venv/bin/pytest -q", "pytest"),
            ("python -m pytest tests/*.py", "pytest"),
            ("python3.12 -W error -m pytest", "pytest"),
            ("uv run pytest", "pytest"),
            ("uv run --with pytest pytest -q", "pytest"),
            ("poetry run python -m pytest", "pytest"),
            ("PYTHONPATH=src python3 -m unittest discover", "unittest"),
            ("python manage.py test", "unittest"),
            ("tox -e py312", "tox"),
            ("nox", "tox"),
            ("npm test", "npm"),
            ("npm --prefix web test", "npm"),
            ("npm run test:unit -- --reporter=dot", "npm"),
            ("yarn test", "npm"),
            ("pnpm -F web test", "npm"),
            ("npx vitest run", "jest"),
            ("pnpm exec vitest run src/components/Dialog", "jest"),
            ("npx --yes jest src/a.test.ts", "jest"),
            ("node_modules/.bin/jest", "jest"),
            ("npx playwright test", "browser"),
            ("npx cypress run", "browser"),
            ("node --test", "node"),
            ("node --import tsx --test test/", "node"),
            ("deno test -A", "node"),
            ("bun test", "node"),
            ("go test ./...", "go"),
            ("go test -run TestA -count=1 ./pkg", "go"),
            ("timeout 60 go test ./...", "go"),
            ("timeout -k 5 60 go test ./...", "go"),
            ("make test", "make"),
            ("make -C build -j4 check", "make"),
            ("just test", "tasks"),
            ("rake test", "rake"),
            ("bundle exec rake spec", "rake"),
            ("ctest --test-dir build -V", "ctest"),
            ("mvn -q test", "jvm"),
            ("./gradlew :app:test --info", "jvm"),
            ("gradle test", "jvm"),
            ("dotnet test", "dotnet"),
            ("bundle exec rspec spec/a_spec.rb", "ruby"),
            ("bin/rails test", "rails"),
            ("mix test", "elixir"),
            ("vendor/bin/phpunit", "php"),
            ("swift test", "native"),
            ("zig build test", "native"),
            ("bats tests/", "bats"),
            ("env CI=1 cargo test", "cargo"),
            ("time cargo test", "cargo"),
            ("make -C test check", "make"),
            ("make V=1 test", "make"),
            ("make -d test", "make"),
            ("bin/rails test -v", "rails"),
            ("ruby -Itest test/a_test.rb", "minitest"),
            ("env -u X -C web npm test", "npm"),
            ("pytest -p no:cacheprovider -c setup.cfg", "pytest"),
        ] {
            assert_eq!(said(line), wanted, "{line}");
        }
    }

    /// Anybody may print a closing line.
    #[test]
    fn what_others_print_shows_no_end() {
        for line in [
            "cargo test | tail -5 && echo 'test result: ok. 9 passed; 0 failed'",
            "set -n; cargo test 2>&1 | tail -20",
            "set +e; cargo test; true",
            "cargo test | tail -5; echo '9 passed'",
            "cargo test | tail -5; cat ok.log",
            "cargo test; echo \"pass $?\"",
            "cargo test; echo \"ok (cached)\"",
            "cargo test || cat ok.log",
            "cargo test a::b | tail -5; cargo test --nonsense | tail -5",
            "cargo() { echo; }; cargo test",
            "alias cargo=true; cargo test",
            "command alias cargo=true; cargo test",
            "command exit 0; cargo test",
            "printf -v PATH /tmp/x; cargo test",
            "read PATH <<< /tmp/x; cargo test",
            ": $((IFS = 1)); cargo test",
            ": ${BASH_ENV:=/tmp/x}; cargo test",
            "cargo test --nonsense | tail -5; echo 'All tests passed'",
            "PATH=/tmp/x; cargo test",
            "pushd /x; cargo test",
            "exit 0; cargo test",
            "exit $?; cargo test",
            "if true; then alias cargo=true; fi; cargo test",
            "$X; cargo test",
            "cargo test | tail -5 ok.log",
            "cargo test | cat ok.log",
            "cargo test > a.log 2>&1; tail -5 b.log",
            "cargo test > a.log 2>&1; echo '9 passed'; tail -5 a.log",
            "cargo test > a.log 2>&1; echo 'ok' > a.log; tail -5 a.log",
            "cargo test >> a.log 2>&1; tail -5 a.log",
            "cargo test > a.log; tail -5 a.log",
            "cargo test > a.log 2>&1; cp b.log a.log; tail -5 a.log",
            "cargo test > a.log 2>&1 &",
            "cargo test | grep ok",
            "cargo test | grep -v 'passed|failed'",
            "cargo test | grep -m1 'test result'",
            "cargo test | grep 'test result' ok.log",
            "cargo test | head -5",
            "cargo test | tail -f",
            "cargo test | (tail -5)",
            "cargo test | tail -5 <<<x",
            "cargo test | tail -5 <ok.log",
            "cargo test | tail -5 0<&3",
            "cat ok.log | cargo test",
            "! cargo test | tail -5",
            "cargo test | tail -5 &",
        ] {
            assert_eq!(said(line), "masked cargo", "{line}");
        }
    }

    #[test]
    fn what_hides_an_end_may_show_it() {
        for (line, wanted) in [
            ("cargo test | tail -5", "shown cargo"),
            ("cargo test 2>&1 | tail -n 30 | cat", "shown cargo"),
            ("cargo test --offline 2>&1 | tail -5", "shown cargo"),
            ("cargo test 2>&1 | tee out.log | tail -3", "shown cargo"),
            ("set -o pipefail && npm run build && npm test 2>&1 | tail -20", "shown npm"),
            ("set -o pipefail; cargo test 2>&1 | tail -20", "shown cargo"),
            ("set -euo pipefail\ncargo test 2>&1 | tail -20", "shown cargo"),
            ("npm test --workspaces --if-present", "shown npm"),
            ("npx jest --passWithNoTests", "shown jest"),
            ("cargo build && cargo test", "chained cargo"),
            ("cargo test a && cargo test", "chained cargo beside printers"),
            ("cmake --build b && cd b && ctest --output-on-failure", "chained ctest"),
            ("yarn jest --ci", "jest"),
            ("pnpm turbo run lint test --force", "monorepo"),
            ("composer run ci", "shown php"),
            ("npm run ci", "shown npm"),
            ("bash scripts/ci.sh", "shown script"),
            ("cargo test 2>&1 | grep -E '^test result|Running'", "shown cargo"),
            (
                "cargo test > /tmp/t.log 2>&1; echo \"exit=$?\"; tail -n 30 /tmp/t.log",
                "shown cargo",
            ),
            ("npm test &> out.txt || true; tail -20 out.txt", "masked npm"),
            ("npm test &> out.txt; tail -20 out.txt", "shown npm"),
            ("make test >log 2>&1 && cat log", "shown make"),
            ("npx jest 2>&1 | grep -iE 'passed|failed'", "shown jest"),
            ("TZ=a npx jest && TZ=b npx jest", "chained jest"),
            ("source .venv/bin/activate && pytest -q", "chained pytest"),
            (". venv/bin/activate && pytest -q 2>&1 | tail -5", "shown pytest"),
            ("export PATH=/tmp/x && cargo test", "masked cargo"),
            ("set -n && cargo test", "masked cargo"),
            ("trap 'exit 0' EXIT && cargo test", "masked cargo"),
            ("eval \"$x\" && cargo test", "masked cargo"),
            (". ./fake.sh && cargo test", "masked cargo"),
            ("exit 0 && cargo test", "masked cargo"),
            ("hash -p /tmp/x cargo && cargo test", "masked cargo"),
            ("export PATH=/tmp/x && npm publish", "unclear"),
            ("echo hi && cargo test", "chained cargo"),
            ("cat x && cargo test", "chained cargo beside printers"),
            ("cargo test && true", "chained cargo"),
            ("cargo test; true", "shown cargo"),
            ("cargo test || true", "shown cargo"),
            ("cargo test; echo \"exit=$?\"", "shown cargo"),
            ("cargo test 2>&1 | tail -5; echo \"${PIPESTATUS[0]}\"", "shown cargo"),
            ("cargo test 2>&1 | tail -5; echo done", "shown cargo"),
            ("cargo test 2>&1 | tail -5; exit ${PIPESTATUS[0]}", "shown cargo"),
            ("cabal build 2>&1 | tail -3 && cabal test 2>&1 | tail -4", "shown native"),
            ("cabal run liar && cabal test 2>&1 | tail -4", "masked native"),
            ("cargo run -q; cargo test --nonsense | tail -4", "masked cargo"),
            ("terraform init >/dev/null && terraform test 2>&1 | tail -9", "shown other"),
            ("cargo fmt; cargo test | tail -3; git status", "shown cargo"),
            ("cargo build; cargo test", "last cargo"),
            ("cat x; cargo test", "chained cargo beside printers"),
            ("bash -lc 'cargo audit; cargo test'", "last cargo"),
            ("npm start & sleep 2; npm test", "last npm"),
            ("cargo fmt\ncargo test", "last cargo"),
            ("cargo fmt; cargo build && cargo test", "chained cargo"),
            ("cargo test || true; cargo test", "last cargo"),
            ("cargo test; cargo test a", "chained cargo beside printers"),
            ("npm run test --if-present", "shown npm"),
            ("python3 -m doctest src/a.py", "shown doctest"),
            ("cargo nextest run --no-tests=pass", "shown cargo"),
            ("docker compose run -d web pytest", "masked pytest"),
        ] {
            assert_eq!(said(line), wanted, "{line}");
        }
    }

    #[test]
    fn what_masks_a_run_or_runs_nothing_proves_nothing() {
        for (line, wanted) in [
            ("docker compose run --rm web pytest", "pytest"),
            ("docker compose -f dev.yml exec -T web python -m pytest -q", "pytest"),
            ("./gradlew :feed:testDebugUnitTest :feed:lintDebug", "jvm"),
            ("cargo test &", "masked cargo"),
            ("! cargo test", "masked cargo"),
            ("cargo build && cargo test || cat x", "masked cargo"),
            ("cargo build && pushd x && cargo test", "masked cargo"),
            ("cargo build && cd - && cargo test", "masked cargo"),
            ("cargo build && cargo test --no-run", "masked cargo"),
            ("cargo build && ! cargo test", "masked cargo"),
            ("(cargo build && cargo test) || ls", "masked cargo"),
            ("echo $(cargo test)", "unclear"),
            ("if cargo test; then echo ok; fi", "unclear"),
            ("cargo test --no-run", "masked cargo"),
            ("cargo test -- --list", "masked cargo"),
            ("cargo test --help", "masked cargo"),
            ("cargo test $X", "masked cargo"),
            ("PATH=/tmp/x cargo test", "masked cargo"),
            ("env PATH=/tmp/x cargo test", "masked cargo"),
            ("LD_PRELOAD=x.so cargo test", "masked cargo"),
            ("FOO=1 npm test", "npm"),
            ("env X=1 cargo test", "cargo"),
            ("export FOO=1 && npm test", "chained npm"),
            ("NODE_OPTIONS=--test-reporter=tap node --test", "node"),
            ("NODE_OPTIONS='--no-warnings --experimental-vm-modules' npx jest", "jest"),
            ("NODE_OPTIONS='--no-warnings --require=/x.js' npx jest", "masked jest"),
            ("NODE_OPTIONS=--test-reporter=./x.js node --test", "masked node"),
            ("NODE_OPTIONS=--require=/x.js node --test", "masked node"),
            ("MAKEFLAGS='-j4 -s' make test", "make"),
            ("MAKEFLAGS='-j4 -n' make test", "masked make"),
            ("PYTEST_ADDOPTS=--co pytest", "masked pytest"),
            ("pytest --collect-only", "masked pytest"),
            ("pytest --co -q", "masked pytest"),
            ("make -n test", "masked make"),
            ("make -kn test", "masked make"),
            ("make -i check", "masked make"),
            ("npm test -- --listTests", "masked npm"),
            ("npx vitest list", "masked jest"),
            ("npm run test:watch", "masked npm"),
            ("go test -list . ./...", "masked go"),
            ("go test -c", "masked go"),
            ("ctest -N", "masked ctest"),
            ("mvn test -DskipTests", "masked jvm"),
            ("gradle build -x test", "masked jvm"),
            ("tox -l", "masked tox"),
            ("dotnet test --list-tests", "masked dotnet"),
            ("cd \"$OTHER\" && cargo test", "masked cargo"),
            ("cd - && cargo test", "masked cargo"),
            ("cargo -V test", "masked cargo"),
            ("cargo --explain=E0308 test", "masked cargo"),
            ("cargo --config target.x.runner='\"true\"' test", "masked cargo"),
            ("command -v cargo test", "masked cargo"),
            ("env --version cargo test", "masked cargo"),
            ("env -Strue cargo test", "masked cargo"),
            ("timeout --help 5 cargo test", "masked cargo"),
            ("npx -v jest", "masked jest"),
            ("uv run -V pytest", "masked pytest"),
            ("pytest -V", "masked pytest"),
            ("python -V -m pytest", "masked pytest"),
            ("python -cpass -m pytest", "masked pytest"),
            ("pytest --fixtures-per-test", "masked pytest"),
            ("tox -e lint", "masked tox"),
            ("npm -v test", "masked npm"),
            ("npm test --script-shell=/bin/true", "masked npm"),
            ("node -e0 --test", "masked node"),
            ("go test -list=. ./...", "masked go"),
            ("go test -exec true ./...", "masked go"),
            ("go test -exec=true ./...", "masked go"),
            ("go test -count=0 ./...", "masked go"),
            ("ginkgo version", "masked go"),
            ("make --touch test", "masked make"),
            ("make --just test", "masked make"),
            ("make SHELL=/bin/true test", "masked make"),
            ("make -o test test", "masked make"),
            ("make -C tests clean", "command"),
            ("make -C test", "command"),
            ("mvn -pl test compile", "command"),
            ("git checkout test", "command"),
            ("cat test", "command"),
            ("md5sum test", "command"),
            ("some-tool test", "command"),
            ("sudo rm -r test", "command"),
            ("dbt compile test", "command"),
            ("gradle help --task test", "masked jvm"),
            ("rspec --failure-exit-code 0", "masked ruby"),
            ("ruby -Itest -c test/a.rb", "masked minitest"),
            ("mix test --exit-status 0", "masked elixir"),
            ("stack test --no-run-tests", "masked native"),
            ("cargo build", "command"),
            ("make", "command"),
            ("npm run build", "command"),
            ("echo cargo test", "command"),
            ("git commit -m 'cargo test passes'", "command"),
            ("cargo build && ls", "commands"),
            ("", "unclear"),
            ("cargo 'test", "unclear"),
        ] {
            assert_eq!(said(line), wanted, "{line}");
        }
    }

    #[test]
    fn what_leads_cd_or_sets_up_later_runs_proves_nothing() {
        for (line, wanted) in [
            ("CDPATH=/x cd a && cargo test", "masked cargo"),
            ("CDPATH=/x cd a; cargo test", "masked cargo"),
            ("CDPATH+=:/x cd a && cargo test 2>&1 | tail -5", "masked cargo"),
            ("bash -c 'CDPATH=/x cd a && cargo test'", "masked cargo"),
            ("export CDPATH=/x; cd a && cargo test", "masked cargo"),
            ("CDPATH=/x; cd a && cargo test", "masked cargo"),
            ("HOME=/x cd a && cargo test", "masked cargo"),
            ("CI=1 cd a && cargo test", "chained cargo"),
            ("npm --script-shell /bin/true test", "masked npm"),
            ("npm test --userconfig ./x.npmrc", "masked npm"),
            ("npm exec --script-shell=/bin/true -- jest", "masked jest"),
            ("npm test --node-options='--require ./q.js'", "masked npm"),
            ("npm --node-options --test-reporter=./q.js test", "masked npm"),
            ("npm test --node-options=--max-old-space-size=4096", "npm"),
            ("npm config set script-shell /bin/true; npm test", "masked npm"),
            ("npm config set script-shell=/bin/true && npm test", "masked npm"),
            ("npm set node-options='--require ./q.js'; npm test", "masked npm"),
            ("pnpm config set -g script-shell /bin/true && pnpm test", "masked npm"),
            ("npm --location user c set script-shell /bin/true; npm test", "masked npm"),
            ("command npm config set script-shell /bin/true; npm test", "masked npm"),
            ("go env -w GOFLAGS=-exec=true && go test ./...", "masked go"),
            ("npm config set registry https://x.org && npm test", "chained npm"),
        ] {
            assert_eq!(said(line), wanted, "{line}");
        }
    }

    #[test]
    fn a_line_says_where_it_goes_and_what_places_it_names() {
        for (line, dirs, named) in [
            ("cargo test", &[][..], &["test"][..]),
            ("cd /b && cargo test", &["/b"], &["test"]),
            ("cd b && cd .. && cargo test", &["b", ".."], &["test"]),
            ("cd b && cd .. && make -C .. test", &["b", ".."], &["..", "test"]),
            ("bash -c 'cd /b && (cd c && cargo test)'", &["/b", "c"], &["test"]),
            ("cargo --manifest-path /b/Cargo.toml test", &[], &["/b/Cargo.toml", "test"]),
            ("cargo --manifest-path=/b/Cargo.toml test", &[], &["/b/Cargo.toml", "test"]),
            ("cargo test --target-dir /b", &[], &["test"]),
            ("make -C /b test", &[], &["/b", "test"]),
            ("make -C/b test", &[], &["/b"]),
            ("timeout 60 /b/bin/cargo test", &[], &["60", "test"]),
            ("env -C /b pytest", &[], &["/b", "pytest"]),
            ("pytest -q --junitxml=/b/x.xml ../a", &[], &["../a"]),
            ("pytest /b/test_a.py > /c", &[], &["/b/test_a.py"]),
            // What is loaded from elsewhere.
            ("PYTHONPATH=/b:src pytest", &[], &["/b", "src"]),
            ("PYTHONPATH=~/b pytest", &[], &["/"]),
            ("PYTHONPATH=/usr/lib/python3:. pytest", &[], &["."]),
            ("PYTHONPATH=/usr/../tmp/b pytest", &[], &["/usr/../tmp/b"]),
            ("export NODE_PATH=../b; node --test", &[], &["../b"]),
            ("CI=/b pytest", &[], &[]),
            ("pytest -c /b/pytest.ini", &[], &["/b/pytest.ini"]),
            ("node --require /b/x.js --test", &[], &["/b/x.js"]),
            ("node --import=/b/x.js --test", &[], &["/b/x.js"]),
            ("pytest -p no:cacheprovider", &[], &["no:cacheprovider"]),
            // Whatever a flag means by it, a path that leads away may be where tests come from.
            ("python3 -m unittest discover -s /b -t /c", &[], &["/b", "/c", "discover"]),
            ("python3 -m unittest discover -vs/b", &[], &["/b", "discover"]),
            ("python3 -m unittest discover --start=/b", &[], &["/b", "discover"]),
            ("pytest -q /b/test_a.py", &[], &["/b/test_a.py"]),
            ("pytest -q ../b", &[], &["../b"]),
            ("pytest /b/bin/test_a.py", &[], &["/b/bin/test_a.py"]),
            ("pytest -o pythonpath=/b", &[], &["/b"]),
            ("node --test /b/a.test.js", &[], &["/b/a.test.js"]),
            ("npx --yes node --test ../b", &[], &["../b"]),
            ("node --test-reporter=/b/q.js --test", &[], &["/b/q.js"]),
            ("node --test-reporter /b/q.js --test", &[], &["/b/q.js"]),
            ("node --import=file:///b/q.js --test", &[], &["/b/q.js"]),
            ("node --test --test-reporter=data:text/javascript,0", &[], &["/"]),
            ("npm test --node-options='--require /b/q.js'", &[], &["/b/q.js", "test"]),
            ("npx jest --rootDir /b", &[], &["/b", "jest"]),
            ("npx jest --reporters=default,/b/r.js", &[], &["/b/r.js", "jest"]),
            ("npx jest --config='{\"rootDir\":\"/b\"}'", &[], &["/b", "jest"]),
            ("go test -v /b/pkg", &[], &["/b/pkg", "test"]),
            ("go test -C /b ./...", &[], &["/b", "./...", "test"]),
            // What it writes, patterns, and programs of the system are no such place.
            ("go test -coverprofile=/b/c.out ./...", &[], &["./...", "test"]),
            ("npx jest --coverageDirectory=/b -t '/users'", &[], &["jest"]),
            ("pytest -o cache_dir=/b -q --basetemp /b/t", &[], &[]),
            ("pytest --cov-report xml:/b/c.xml --log-file=/b/l", &[], &[]),
            ("ruby -Itest test/a.rb -n /adds/", &[], &[]),
            ("ruby -Ilib/x test/a.rb", &[], &[]),
            ("uv run --python /usr/bin/python3 pytest", &[], &["pytest", "run"]),
            ("cargo nextest run -E 'test(/a/)'", &[], &["nextest", "run"]),
            ("docker exec -w /app web pytest -q", &[], &["exec", "pytest", "web"]),
        ] {
            let places = Runs::shipped().places(line);
            let sorted = |mut all: Vec<String>| {
                all.sort_unstable();
                all
            };
            assert_eq!(places.goes, list(dirs), "{line}");
            assert_eq!(sorted(places.named), sorted(list(named)), "{line}");
        }
    }

    #[test]
    fn settings_of_npm_that_swap_what_scripts_are_are_seen() {
        let runs = Runs::shipped();
        for (text, swaps) in [
            ("script-shell=/bin/true\n", true),
            ("registry=https://x.org\n script-shell = \"/tmp/x/sh\"\n", true),
            ("script-shell=/usr/../tmp/bash\n", true),
            ("node-options=--require ./q.js\n", true),
            ("script-shell=bash\nfund=false\n", false),
            ("script-shell=/usr/bin/zsh\n", false),
            ("script-shell=C:\\Program Files\\Git\\bin\\bash.exe\n", false),
            ("node-options=--max-old-space-size=4096\n", false),
            ("//registry.npmjs.org/:_authToken=x\n# script-shell=/bin/true\n", false),
            ("", false),
        ] {
            assert_eq!(runs.swaps_scripts(text), swaps, "{text}");
        }
    }

    #[test]
    fn a_run_by_another_configuration_is_one_of_a_part() {
        let runs = Runs::shipped();
        for line in ["pytest -c other.ini", "pytest --config-file=x.ini", "pytest -o addopts=-kx"] {
            assert!(runs.part(line).is_some(), "{line}");
        }
        for line in ["pytest", "pytest --color=no", "pytest -p no:cacheprovider", "pytest -rA"] {
            assert!(runs.part(line).is_none(), "{line}");
        }
    }

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn rows_can_be_added_and_bad_ones_are_named() {
        let row = RunRow {
            name: "frob".into(),
            runs: vec!["frob verify".into()],
            backs: vec![EvidenceType::UnitTest],
            ..RunRow::default()
        };
        let runs = Runs::shipped().with(vec![row.clone()]).expect("sound");
        assert_eq!(runs.recognise("frob -v verify all"), Recognised::Run("frob".into()));
        let error = runs
            .clone()
            .with(vec![RunRow { backs: Vec::new(), ..row.clone() }])
            .expect_err("no backs")
            .to_string();
        assert!(error.contains("run frob") && error.contains("unit_test"), "{error}");
        let error =
            runs.with(vec![RunRow { name: "A b".into(), ..row }]).expect_err("a name").to_string();
        assert!(error.contains("run A b"), "{error}");
        let error = Known::parse(
            "silent = []\nmasking = []\n[[run]]\nname = \"x\"\nruns = [\"x\"]\nbacks = [\"guess\"]",
        )
        .expect_err("bad")
        .to_string();
        assert!(error.contains("guess") && error.contains("unit_test"), "{error}");
        let toml = Known::parse(include_str!("runs.toml")).expect("the TOML");
        assert_eq!(toml, Known::shipped().expect("the form"));
    }

    #[test]
    fn each_run_is_known_for_one_before_its_row_is_read() {
        let runs = Runs::shipped();
        let wraps = ["", "npx ", "timeout 3 ", "bundle exec ", "A=b env ", "cd a && ", "./bin/"];
        for pattern in runs.known().run.iter().flat_map(|row| &row.runs) {
            let first = |word: &str| word.split('|').next().unwrap_or(word).replace('*', "x");
            let line: Vec<String> = pattern.split_whitespace().map(first).collect();
            for wrap in wraps {
                let line = format!("{wrap}{}", line.join(" "));
                let read = shell::behind_settings(&line).expect("it reads");
                let is_run = runs.known().run_on(&read).is_some();
                assert!(!is_run || runs.may_begin_in(&read.commands), "{line}");
            }
        }
        let read = shell::behind_settings("cat a.rs | head -3; ls -la src").expect("it reads");
        assert!(!runs.may_begin_in(&read.commands));
    }

    #[test]
    fn a_row_is_told_from_a_line_by_how_both_begin() {
        for (pattern, word, may) in [
            ("cargo test", "cargo", true),
            ("cargo test", "carg", false),
            ("cargo test", "test", false),
            ("gradle|gradlew test", "gradlew", true),
            ("gradle|gradlew test", "gradle|gradlew", false),
            ("python* -m", "pytest", false),
            ("python* -m", "python3", true),
            (" a", "b", true),
            ("", "b", true),
        ] {
            assert_eq!(is_headed(pattern, word), may, "{pattern}: {word}");
        }
        for word in ["cargo", "go", "python3", "pytest", "./tests/a", "test/x.sh", "cat", "", "g"] {
            let one = HEADS.names().any(|pattern| is_headed(pattern, word));
            assert_eq!(Heads::of(HEADS.names()).are_of(word), one, "{word}");
        }
        let none: [&str; 0] = [];
        assert!(begins("cargo test", &none, &[]).is_none());
        assert!(begins("cargo|c test", &["c", "-q", "test"], &[]).is_some());
        assert!(begins("car*|x test", &["cargo", "test"], &[]).is_some());
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "\\PC{0,80}") {
            recognise(&line);
        }

        #[test]
        fn no_line_of_shell_words_panics(
            words in prop::collection::vec(
                "cargo|test|-[a-z]|--|&&|;|\\||\\(|\\)|env|X=1|timeout|5|'|\"|\\$x|cd|bash|-c",
                0..12)) {
            recognise(&words.join(" "));
        }
    }
}
