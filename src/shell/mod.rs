//! Reads a command line and says what it would do, without running anything.
//!
//! Pure: no file, no environment, no process. What a table does not name is
//! [`Effect::Unknown`], never a read. What code does once it runs (a script, a test,
//! a Makefile) cannot be seen from here; the tree fence looks for that afterwards.
//! Whether an effect is open in a phase is the guards' business.

mod argv;
mod around;
mod braces;
mod call;
mod documents;
mod flow;
mod git;
mod known;
mod line;
mod own;
mod prelude;
mod programs;
mod recent;
mod scripts;
mod search;
mod seed;
mod shown;
mod simple;
mod stand;
mod streams;
mod sums;
mod syntax;
#[cfg(test)]
mod tests;
mod walk;
mod words;
mod wrap;

use std::sync::OnceLock;

use serde::Deserialize;

use recent::Recent;
use stand::Here;
use words::Term;

pub(crate) use argv::argv;
pub(crate) use line::{Line, Simple};
pub(crate) use simple::{behind_settings, printed_by_cat, simple};
pub(crate) use wrap::{as_one_command, quoted_word, unwrapped, wrapped};

#[doc(hidden)]
pub use known::known_commands;
pub(crate) use seed::agent_open;
pub use seed::{Program, SeedCommand, seed_command};
pub(crate) use seed::{can_be_handed_over, changes_something, seed_line, starts_programs};

/// The longest command line that is read, in bytes; a longer one is [`Effect::Unknown`].
pub const LONGEST: usize = 64 * 1024;

/// What a piece of a command line does, from harmless to unforeseeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Looks, and leaves everything as it is.
    Read,
    /// Runs code that the command line does not show: scripts, tests, builds.
    RunsCode,
    /// Changes files.
    Write,
    /// Changes refs, the index, the configuration or objects of a git repository.
    GitWrite,
    /// Talks to the network.
    Network,
    /// Changes something outside: a push, a release, a deployment, a posted form.
    Outward,
    /// Not foreseeable from the text.
    Unknown,
}

/// What else is known about a program, beside its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tag {
    /// Runs a project's tests.
    Test,
    /// Changes what a project depends on.
    PackageManager,
    /// Rewrites source files into one style.
    Formatter,
    /// What it does over the network is looking something up.
    Lookup,
    /// Runs with another user's rights.
    Elevated,
    /// Changes what later words of the line mean: `PATH=`, `GIT_DIR=`, an alias.
    Taint,
}

/// Flags of a git verb that guards ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GitFlag {
    /// `--amend`: replaces a commit.
    Amend,
    /// `--no-verify`, or `-n` where it means that.
    NoVerify,
    /// Overwrites what is there: `--force`, `-f`, `-B`, `+ref`.
    Force,
    /// Removes a ref or an entry.
    Delete,
    /// `--mirror`: every ref there is.
    Mirror,
    /// `--hard`, `--merge`, `--keep`: resets the work tree too.
    Hard,
    /// `--prune`: drops objects or refs.
    Prune,
    /// `-c core.hooksPath=…`, or the same through `git config`.
    HooksPath,
    /// Configuration or environment that bends what git does: `-c`, `GIT_DIR=` …
    Taint,
}

/// A verb of git with what matters about its use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitVerb {
    /// The verb as written: `commit`, `update-ref`; empty for plain `git --version`.
    pub verb: String,
    /// The words after the verb, quotes removed, expansions as written.
    pub args: Vec<String>,
    /// Flags of interest, sorted, each once.
    pub flags: Vec<GitFlag>,
}

impl GitVerb {
    /// Whether `flag` was given.
    pub(crate) fn has(&self, flag: GitFlag) -> bool {
        self.flags.contains(&flag)
    }
}

/// When a path of a line is a name that goes, or gets something else in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Always,
    /// Where it leads to a directory, things are put into that.
    UnlessDirectory,
}

/// One thing that a command line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub effect: Effect,
    /// The piece of the command line that shows it.
    pub part: String,
    /// Paths it writes, those that code shows among them, or names of git seed's state that it
    /// uses. Always resolved text,
    /// never a `$x` or a `*`; relative ones begin where the line began, whatever `cd`
    /// stands between. One that ends in `/` stands for something below that directory.
    /// Behind a `cd` that may have failed, both places are named.
    pub paths: Vec<String>,
    /// What is meant of those that end in `/`, each as a pattern from there; it may be all where
    /// there is none.
    pub meant: Vec<(String, String)>,
    /// Those of them that are changed as names: what a link there leads to stays as it is.
    pub named: Vec<(String, Named)>,
    /// What it writes is not all in the text. Every path that ends in `/` comes with
    /// this; without such a path nobody knows where.
    pub dynamic: bool,
    /// What kind of program it is, where that matters.
    pub tag: Option<Tag>,
    /// The git verb, for a `git` command.
    pub git: Option<GitVerb>,
    /// It names git seed's own state, git's hooks, or a host's hook settings.
    pub own_state: bool,
    /// It is a `git seed` command.
    pub seed: bool,
    /// It is a `git seed` command that is not the agent's to give.
    pub persons: bool,
    /// It is such a command because git seed has none of this name.
    pub no_command: bool,
    /// It is a `git seed` command that changes nothing.
    pub looks: bool,
    /// It may be git, and bends what it does, or does not show it: `git $(echo push)`.
    pub bends_git: bool,
    /// `git seed exec` runs it: what it writes outside the scope does not come about.
    pub confined: bool,
}

impl Found {
    /// All that it writes is named, and is plain files and directories: it puts no link anywhere,
    /// behind which what comes after it in the line would write elsewhere.
    pub fn writes_plain_files(&self) -> bool {
        const PROGRAMS: [&str; 6] = ["dd", "mkdir", "sort", "tee", "touch", "truncate"];
        let first = self.part.split(' ').next().unwrap_or_default();
        let plain = self.part.starts_with(['>', '&']) || PROGRAMS.contains(&first);
        plain && self.effect == Effect::Write && !self.dynamic && !self.paths.is_empty()
    }

    /// It sets a variable that is not git's for what stands behind it, or enters a file that only
    /// puts programs on `PATH`.
    pub(crate) fn stands_before_a_run(&self) -> bool {
        let bare = self.part.strip_prefix("export ").unwrap_or(&self.part);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let sets = bare.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && !name.starts_with("GIT_") && name.chars().all(plain)
        });
        let mut words = self.part.split(' ');
        let enters = matches!(words.next(), Some("." | "source"))
            && words.next().is_some_and(prelude::is_entered)
            && words.next().is_none();
        let code = matches!(self.effect, Effect::RunsCode | Effect::Unknown);
        code && !self.own_state && (self.tag == Some(Tag::Taint) && sets || enters)
    }

    fn new(effect: Effect, part: &str) -> Self {
        Self {
            effect,
            part: part.to_owned(),
            paths: Vec::new(),
            meant: Vec::new(),
            named: Vec::new(),
            dynamic: false,
            tag: None,
            git: None,
            own_state: false,
            seed: false,
            persons: false,
            no_command: false,
            looks: false,
            bends_git: false,
            confined: false,
        }
    }

    /// Whether `path`, one of its paths, is changed as a name, `leads_to_dir` where a link of that
    /// name leads to a directory. Where the line also writes it otherwise, it is not.
    pub(crate) fn takes_name(&self, path: &str, leads_to_dir: bool) -> bool {
        let mut as_name = self.named.iter().filter(|(named, _)| named == path).peekable();
        as_name.peek().is_some() && as_name.all(|(_, how)| *how == Named::Always || !leads_to_dir)
    }

    /// Adds `path`, told from where the line began.
    fn add_path(&mut self, path: &str, here: &Here) {
        let paths = if path.is_empty() { Vec::new() } else { here.paths(path) };
        self.dynamic |= paths.is_empty() && !path.is_empty();
        self.paths.extend(paths);
    }

    /// Something below `directory`, of which `meant` says what: nothing, where it may be all.
    fn add_below(&mut self, directory: &str, meant: &[String], here: &Here) {
        let paths = if directory.is_empty() { Vec::new() } else { here.paths(directory) };
        for path in &paths {
            // Of one place that is named twice, once as a whole, it may be all.
            let whole = meant.is_empty()
                || self.paths.contains(path) && !self.meant.iter().any(|(of, _)| of == path);
            if whole {
                self.meant.retain(|(of, _)| of != path);
            } else {
                self.meant.extend(meant.iter().map(|one| (path.clone(), one.clone())));
            }
        }
        self.add_path(directory, here);
    }

    /// Leaves each path once, where it came first.
    fn settle_paths(&mut self) {
        let mut seen = std::collections::HashSet::with_capacity(self.paths.len());
        let mut once: Vec<bool> =
            self.paths.iter().map(|path| seen.insert(path.as_str())).collect();
        once.reverse();
        self.paths.retain(|_| once.pop().unwrap_or(true));
    }

    /// Says that `words` name git seed's own state.
    fn name_state(&mut self, words: &[&Term]) {
        self.own_state |= !words.is_empty();
        let shown = words
            .iter()
            .filter(|word| word.is_literal() && !word.text.contains(['*', '?']))
            .map(|word| word.text.trim_end_matches('/').to_owned());
        let new: Vec<String> = shown.filter(|path| !self.paths.contains(path)).collect();
        self.paths.extend(new);
    }
}

/// Everything that a command line does, in the order it was met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub found: Vec<Found>,
}

impl Reading {
    /// The worst effect; a line that does nothing reads.
    pub fn worst(&self) -> Effect {
        self.found.iter().map(|found| found.effect).max().unwrap_or(Effect::Read)
    }

    /// The first piece that shows the worst effect.
    #[cfg(test)]
    pub(crate) fn why(&self) -> Option<&Found> {
        let worst = self.worst();
        self.found.iter().find(|found| found.effect == worst)
    }

    /// The paths it writes, as [`Found::paths`] has them; `dynamic` says that there are more.
    #[cfg(test)]
    pub(crate) fn writes(&self) -> impl Iterator<Item = &str> {
        self.found
            .iter()
            .filter(|found| matches!(found.effect, Effect::Write | Effect::GitWrite))
            .flat_map(|found| found.paths.iter().map(String::as_str))
    }

    /// Every git verb, those that only read among them.
    pub(crate) fn git_verbs(&self) -> impl Iterator<Item = &GitVerb> {
        self.found.iter().filter_map(|found| found.git.as_ref())
    }

    /// The first piece that names git seed's own state or a command that is a person's.
    #[cfg(test)]
    pub(crate) fn forbidden(&self) -> Option<&Found> {
        self.found.iter().find(|found| found.own_state || found.persons)
    }

    /// Whether a part of the line carries `tag`.
    pub(crate) fn is(&self, tag: Tag) -> bool {
        self.found.iter().any(|found| found.tag == Some(tag))
    }
}

/// Whether the line runs a project's tests.
#[cfg(test)]
pub(crate) fn is_test_run(reading: &Reading) -> bool {
    reading.is(Tag::Test)
}

/// Whether a word, or an address of a file, names git seed's own state.
pub(crate) fn names_state(word: &str) -> bool {
    let path = word.strip_prefix("file://").unwrap_or(word);
    own::reach(&Term::literal(path), false) == own::Reach::State
}

/// Says whether a path is that of this very program, which may lie anywhere.
static OWN: OnceLock<fn(&str) -> bool> = OnceLock::new();

/// From now on `is` says which path is that of this program. Until then none is, but for one in a
/// directory of the system.
pub(crate) fn knows_itself_by(is: fn(&str) -> bool) {
    // The first word holds for as long as the program runs.
    let _ = OWN.set(is);
}

fn is_own(path: &str) -> bool {
    OWN.get().is_some_and(|is| is(path))
}

thread_local! {
    /// What depends on the line alone, once the program knows itself.
    static READ: Recent<Reading> = const { Recent::new() };
}

/// Says what `command` would do if a shell ran it.
///
/// Never panics. A line that is too long, holds a NUL byte, nests too deep or does not
/// parse is [`Effect::Unknown`].
pub fn read(command: &str) -> Reading {
    READ.with(|read| read.answer(command, || read_anew(command)))
}

fn read_anew(command: &str) -> Reading {
    let mut reading = walk::read(command);
    if let Some(last) = reading.found.last_mut() {
        last.own_state |= own::hands_on_state(command);
    }
    reading
}
