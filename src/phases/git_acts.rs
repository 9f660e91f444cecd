//! What an agent may do with git beside looking, and who answers for it.
//!
//! Rows of `git_acts.toml` say which verbs a person is asked about, what lies within the bounds of
//! each, and by which words of a prompt a person names it. Whether somebody can be asked, what the
//! prompts say and what a person opened is the caller's to bring: [`rule`] is a function of these
//! alone. A phase whose row opens `shell-git` (gmode) needs none of it.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::phases::{mcp, own_refs};
use crate::secrets::mask;
use crate::shell::{self, Effect, Found, GitFlag, Reading};
use crate::shipped;
use crate::verdict::{Case, Refusal, Wants};

/// The shipped rows.
#[cfg(test)]
pub(crate) const SHIPPED: &str = include_str!("git_acts.toml");

/// How far an act reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// It leaves everything in this clone.
    Local,
    /// It talks to a remote.
    Publishing,
}

/// One kind of act.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The verbs, with a first operand where it belongs to them.
    pub verbs: Vec<String>,
    #[serde(default = "git")]
    program: Vec<String>,
    pub kind: Reach,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    pub options: Vec<String>,
    pub operands: usize,
    pub words: Vec<String>,
    pub says: String,
}

impl Row {
    /// The row of tools that publish, wherever their names come from.
    pub(crate) fn of_tool(words: Vec<String>, says: String) -> Self {
        Self {
            verbs: Vec::new(),
            program: Vec::new(),
            kind: Reach::Publishing,
            needs: Vec::new(),
            never: Vec::new(),
            options: Vec::new(),
            operands: 0,
            words,
            says,
        }
    }
}

fn git() -> Vec<String> {
    vec!["git".to_owned()]
}

/// Verbs of other programs that move branches or tags of a remote: nobody is asked about them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closed {
    program: Vec<String>,
    verbs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    act: Vec<Row>,
    closed: Vec<Closed>,
}

/// Options of these rows that take the word behind them.
const VALUES: &[&str] = &[
    "-m",
    "--message",
    "-F",
    "--file",
    "-c",
    "--create",
    "-b",
    "-t",
    "--title",
    "--body",
    "--body-file",
    "--description",
    "-s",
    "--source",
];
/// Of these verbs the same letters stand alone.
const ALONE: &[(&str, &[&str])] = &[
    ("add", &["-m", "-t", "-b", "-s", "-c"]),
    ("commit", &["-s", "-b", "-t"]),
    ("fetch", &["-t", "-m"]),
    ("tag", &["-s"]),
    ("restore", &["-m"]),
];

/// The rows in force.
pub(crate) fn rows() -> &'static [Row] {
    &table().act
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        shipped::read(shipped::shipped!("git_acts"))
            .unwrap_or_else(|bad| unreachable!("git_acts.toml: {bad}"))
    })
}

/// One act of git in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitAct {
    /// Its words, the program first, without quotes.
    pub words: Vec<String>,
    /// The piece of the line that shows it.
    pub part: String,
    /// What it is; `None` for a verb that nobody is asked about.
    pub row: Option<&'static Row>,
    /// Nothing in it goes beyond the row.
    pub within: bool,
    /// It bends hooks, settings or what the words mean.
    pub bends: bool,
    /// It takes commits away that are there, or puts others in their place.
    pub takes: bool,
    /// It sends git seed's own refs to a remote, or moves them there.
    pub own: bool,
    /// Where it goes and with which refs, for a refusal; empty within the bounds.
    pub reach: String,
}

impl GitAct {
    /// A call of a tool that publishes, `name` as a person opens it.
    pub(crate) fn of_tool(name: String, tool: &str, row: &'static Row) -> Self {
        Self {
            words: vec![name],
            part: tool.to_owned(),
            row: Some(row),
            within: true,
            bends: false,
            takes: false,
            own: false,
            reach: String::new(),
        }
    }

    /// The word behind the program, as `push`; of a tool its name.
    pub(crate) fn verb(&self) -> &str {
        self.words.get(1).or(self.words.first()).map_or("", String::as_str)
    }

    /// The program and the verb.
    fn plain(&self) -> String {
        self.words.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// It is one of git itself, not of a program beside it.
    pub(crate) fn is_gits(&self) -> bool {
        self.words.first().is_some_and(|program| program == "git")
    }

    /// The act as a line, for a person to read and to say again.
    pub(crate) fn line(&self) -> String {
        let plain = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:=@+,%^~".contains(&b))
        };
        let quoted = |word: &String| {
            if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
        };
        self.words.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// The acts of git in a line that change something; looking is none.
pub fn acts(reading: &Reading) -> Vec<GitAct> {
    let mut acts: Vec<GitAct> = Vec::new();
    for found in reading.found.iter().filter(|found| !found.seed) {
        let moves = |other: &Found| other.part == found.part && other.effect != Effect::Network;
        let afar = found.effect == Effect::Network && !reading.found.iter().any(moves);
        let act = act(found, afar);
        if let Some(act) = act.filter(|act| acts.iter().all(|known| known.part != act.part)) {
            acts.push(act);
        }
    }
    acts
}

/// `afar` says that it only looks at another machine.
fn act(found: &Found, afar: bool) -> Option<GitAct> {
    if found.effect == Effect::Read {
        return None;
    }
    if found.bends_git || is_closed(found) {
        return Some(unlisted(found));
    }
    let words = plain_words(&found.part);
    let row = words.as_ref().filter(|_| !afar).and_then(|words| row_of(words));
    let by_row = row.is_some() || found.effect == Effect::GitWrite;
    let outward = found.effect == Effect::Outward && found.git.is_some();
    let bent = found.git.as_ref().is_some_and(|git| git.has(GitFlag::Taint));
    if !(by_row || outward || bent) || (found.git.is_none() && row.is_none()) {
        return None;
    }
    let has = |flag: GitFlag| found.git.as_ref().is_some_and(|git| git.has(flag));
    let bends = has(GitFlag::NoVerify) || has(GitFlag::HooksPath) || has(GitFlag::Taint);
    let within = row.zip(words.as_deref()).is_some_and(|(row, words)| is_within(row, words));
    Some(GitAct {
        takes: found.git.as_ref().is_some_and(takes),
        own: found.git.as_ref().is_some_and(own_refs::are_sent_by),
        bends: bends || words.is_none(),
        words: words.or_else(|| Some(vec!["git".to_owned(), found.git.as_ref()?.verb.clone()]))?,
        part: found.part.clone(),
        row,
        within,
        reach: String::new(),
    })
}

/// An act that no row names: what does not show it bends it.
fn unlisted(found: &Found) -> GitAct {
    let words = plain_words(&found.part).filter(|_| !found.bends_git);
    let shown = || found.part.split_whitespace().map(str::to_owned).collect();
    GitAct {
        words: words.unwrap_or_else(shown),
        part: found.part.clone(),
        row: None,
        within: false,
        bends: found.bends_git,
        takes: false,
        own: false,
        reach: String::new(),
    }
}

/// Whether another program than git moves branches or tags there.
fn is_closed(found: &Found) -> bool {
    let words: Vec<&str> = found.part.split_whitespace().collect();
    let Some(program) = words.first().map(|word| word.rsplit('/').next().unwrap_or(word)) else {
        return false;
    };
    let names = |verb: &String| {
        let verb: Vec<&str> = verb.split(' ').collect();
        words[1..].windows(verb.len()).any(|window| window == verb)
    };
    found.effect == Effect::Outward
        && table().closed.iter().any(|closed| {
            closed.program.iter().any(|known| known == program) && closed.verbs.iter().any(names)
        })
}

/// The words of a piece that is one plain command, the verb right behind the program.
fn plain_words(part: &str) -> Option<Vec<String>> {
    let mut line = shell::simple(part)?;
    let only = line.commands.pop().filter(|_| line.commands.is_empty())?;
    let verb = only.words.get(1)?;
    (only.literal && only.sets.is_empty() && !verb.starts_with('-')).then_some(only.words)
}

/// It would take away commits that are there.
fn takes(git: &shell::GitVerb) -> bool {
    let moves = || git.args.iter().any(|arg| !arg.starts_with('-') && arg != "HEAD");
    match git.verb.as_str() {
        "rebase" | "filter-branch" | "filter-repo" | "update-ref" | "replace" | "gc" | "prune" => {
            true
        }
        "reset" => git.has(GitFlag::Hard) || (moves() && !git.args.iter().any(|arg| arg == "--")),
        "commit" => git.has(GitFlag::Amend),
        "branch" | "checkout" | "switch" => git.has(GitFlag::Force),
        "reflog" => git.has(GitFlag::Prune),
        "pull" => git.args.iter().any(|arg| arg == "-r" || arg.starts_with("--rebase")),
        _ => false,
    }
}

fn row_of(words: &[String]) -> Option<&'static Row> {
    let (program, verb) = (words.first()?.as_str(), words.get(1)?.as_str());
    let operand = words.get(2).filter(|word| !word.starts_with('-'));
    let both = operand.map(|operand| format!("{verb} {operand}"));
    let rows = || rows().iter().filter(move |row| row.program.iter().any(|known| known == program));
    let named = |row: &&Row, name: &str| row.verbs.iter().any(|known| known == name);
    // Where an operand belongs to the verb, another operand makes another act.
    let longer = rows()
        .flat_map(|row| &row.verbs)
        .any(|known| known.split_once(' ').is_some_and(|(first, _)| first == verb));
    let fits = |row: &&'static Row| {
        let given = options(row, words);
        let has = |list: &[String]| given.iter().any(|one| list.contains(one));
        (row.needs.is_empty() || has(&row.needs)) && !has(&row.never)
    };
    match both {
        Some(both) if longer => rows().filter(|row| named(row, &both)).find(fits),
        _ => rows().filter(|row| named(row, verb)).find(fits),
    }
}

/// The options of an act, those that stand in one word each for itself.
fn options(row: &Row, words: &[String]) -> Vec<String> {
    read(row, words).0
}

/// Options and operands of an act.
fn read(row: &Row, words: &[String]) -> (Vec<String>, usize) {
    let (options, operands) = parted(row, words);
    (options, operands.len())
}

/// Its operands.
fn operands(row: &Row, words: &[String]) -> Vec<String> {
    parted(row, words).1
}

fn parted(row: &Row, words: &[String]) -> (Vec<String>, Vec<String>) {
    let verb = words.get(1).map_or("", String::as_str);
    let alone = ALONE.iter().find(|(known, _)| *known == verb).map_or(&[][..], |(_, list)| list);
    let takes_value = |name: &str| VALUES.contains(&name) && !alone.contains(&name);
    let mut rest = words.iter().skip(2);
    if row.verbs.iter().any(|name| {
        name.split_once(' ')
            .is_some_and(|(_, second)| words.get(2).is_some_and(|word| word == second))
    }) {
        rest.next();
    }
    let (mut options, mut operands, mut dashes) = (Vec::new(), Vec::new(), false);
    while let Some(word) = rest.next() {
        if dashes || !word.starts_with('-') || word == "-" {
            operands.push(word.clone());
        } else if word == "--" {
            dashes = true;
            options.push(word.clone());
        } else if let Some(long) = word.strip_prefix("--") {
            let name = format!("--{}", long.split('=').next().unwrap_or(long));
            if takes_value(&name) && !word.contains('=') {
                rest.next();
            }
            options.push(name);
        } else {
            let letters: Vec<char> = word.chars().skip(1).collect();
            for (at, letter) in letters.iter().enumerate() {
                let name = format!("-{letter}");
                let value = takes_value(&name);
                options.push(name);
                if value {
                    // The value stands right behind the letter, or is the next word.
                    if at + 1 == letters.len() {
                        rest.next();
                    }
                    break;
                }
            }
        }
    }
    (options, operands)
}

fn is_within(row: &Row, words: &[String]) -> bool {
    let (options, operands) = read(row, words);
    operands <= row.operands && options.iter().all(|one| row.options.contains(one))
}

/// What an act puts into the index, or past it into a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stages {
    /// The files and directories that it names; none for all.
    of: Vec<String>,
    /// Files that git does not know yet, too.
    pub new: bool,
}

impl Stages {
    /// Whether it takes the file at `path`. What a pattern or another directory means is not known
    /// here: it may be that file.
    pub(crate) fn takes(&self, path: &str) -> bool {
        let fits = |named: &String| {
            let named = named.trim_start_matches("./").trim_end_matches('/');
            let below = || path.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'));
            named.is_empty()
                || named == "."
                || named.contains(['*', '?', '[', ':'])
                || named.starts_with("..")
                || path == named
                || below()
        };
        self.of.is_empty() || self.of.iter().any(fits)
    }
}

/// What `act` stages: `git add`, and a commit that takes more than the index.
pub(crate) fn stages(act: &GitAct) -> Option<Stages> {
    let row = act.row?;
    let (given, _) = read(row, &act.words);
    let has = |names: [&str; 2]| given.iter().any(|one| names.contains(&one.as_str()));
    let of: Vec<String> = operands(row, &act.words);
    match act.verb() {
        "add" | "stage" => Some(Stages { of, new: !has(["-u", "--update"]) }),
        "commit" if has(["-a", "--all"]) => Some(Stages { of: Vec::new(), new: false }),
        "commit" if !of.is_empty() => Some(Stages { of, new: false }),
        _ => None,
    }
}

/// What an act writes into files of the work tree, out of the index or a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PutsBack {
    /// The files and directories that it names.
    pub paths: Vec<String>,
    /// It takes them from elsewhere than the index or HEAD.
    pub other: bool,
    /// They are no branch.
    pub sure: bool,
}

/// What `act` puts back: `git restore <file>`, `git checkout [<commit>] -- <file>`.
pub(crate) fn puts_back(act: &GitAct) -> Option<PutsBack> {
    const STAGED: [&str; 2] = ["--staged", "-S"];
    let given = act.words.get(2..).filter(|_| act.is_gits())?;
    let dashes = given.iter().position(|word| word == "--");
    let (front, behind) = dashes.map_or((given, &[][..]), |at| (&given[..at], &given[at + 1..]));
    let has = |names: &[&str]| front.iter().any(|word| names.contains(&word.as_str()));
    let plain = |word: &&String| !word.starts_with('-');
    match act.verb() {
        "restore" if !has(&STAGED) || has(&["--worktree", "-W", "-SW", "-WS"]) => {
            let takes = |word: &String| matches!(word.as_str(), "-s" | "--source");
            let from = front.iter().position(takes).map(|at| at + 1);
            let source = from.and_then(|at| front.get(at)).map(String::as_str);
            let joined = front.iter().find_map(|word| {
                word.strip_prefix("--source=").or_else(|| word.strip_prefix("-s"))
            });
            let source = source.or(joined).unwrap_or("HEAD");
            let words = front.iter().enumerate().filter(|(at, _)| Some(*at) != from);
            let mut paths: Vec<String> =
                words.map(|(_, word)| word).filter(plain).cloned().collect();
            paths.extend(behind.iter().cloned());
            Some(PutsBack { paths, other: source != "HEAD", sure: true })
        }
        "checkout" if !has(&["-b", "-B", "--orphan", "-t", "--track", "--detach", "-d"]) => {
            let mut front = front.iter().filter(plain);
            match (dashes, behind) {
                (Some(_), []) | (None, _) if front.clone().next().is_none() => None,
                // Without the dashes a word may be a branch: only the first can be one.
                (None, _) => {
                    let first = front.next().filter(|word| *word != "HEAD").cloned();
                    let rest: Vec<String> = front.cloned().collect();
                    let paths = if rest.is_empty() { first.into_iter().collect() } else { rest };
                    Some(PutsBack { paths, other: false, sure: false })
                }
                (Some(_), paths) => {
                    let other = front.next().is_some_and(|commit| commit != "HEAD");
                    Some(PutsBack { paths: paths.to_vec(), other, sure: true })
                }
            }
        }
        _ => None,
    }
}

/// Whether a person is there to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Somebody {
    /// The host puts the question to a person who is there.
    There,
    /// Nobody is known to be there.
    Nobody,
    /// Somebody is there, and in this mode the host puts no question.
    Unasked,
    /// A setting of the host would answer in the person's place: the setting.
    Settings(String),
}

/// One call of exactly these words that a person opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    pub words: Vec<String>,
    /// Another call has begun with it.
    pub used: bool,
}

impl Opened {
    /// The words of `act` are those that were opened, which are kept without likely secrets.
    fn opens(&self, act: &GitAct) -> bool {
        let same = |(kept, word): (&String, &String)| *mask(kept) == *mask(word);
        self.words.len() == act.words.len() && self.words.iter().zip(&act.words).all(same)
    }
}

/// A merge that a person let the agent begin, and that is not over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merging {
    /// The files that conflicted.
    pub files: Vec<String>,
    /// One of them that still has both sides in it.
    pub marked: Option<String>,
}

impl Merging {
    /// Whether `act` ends the merge, or stages what conflicted: it belongs to the same permission.
    fn ends_with(&self, act: &GitAct) -> bool {
        let rest = act.words.get(2..).unwrap_or_default();
        let stages = |word: &String| {
            word == "--" || self.files.iter().any(|file| file == word.trim_start_matches("./"))
        };
        act.is_gits()
            && match act.verb() {
                "add" => !rest.is_empty() && rest.iter().all(stages),
                "merge" => matches!(rest, [only] if only == "--continue" || only == "--abort"),
                "commit" => act.row.is_some_and(|row| {
                    let (options, operands) = read(row, &act.words);
                    operands == 0 && options.iter().all(|one| CONCLUDES.contains(&one.as_str()))
                }),
                _ => false,
            }
    }
}

impl Merging {
    /// The file that keeps `act`, the commit of the merge, from being made.
    fn forbids(&self, act: &GitAct) -> Option<&str> {
        self.marked.as_deref().filter(|_| act.is_gits() && commits(act))
    }
}

/// Options of the commit that ends a merge.
const CONCLUDES: [&str; 6] = ["--no-edit", "-m", "--message", "-F", "--file", "-q"];

/// Whether an act makes the commit of a merge.
fn commits(act: &GitAct) -> bool {
    act.verb() == "commit" || act.verb() == "merge" && act.words.iter().any(|it| it == "--continue")
}

/// What the rule looks at beside the acts.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    /// The job is in a phase of its cycle, and not approved yet.
    pub at_work: bool,
    /// Commits in between are that phase's way of working.
    pub checkpoints: bool,
    /// No job is kept: acts that stay in this clone are the agent's own, within the bounds.
    pub free: bool,
    /// What the person said to the job, oldest first; their own words alone.
    pub prompts: &'a [String],
    pub somebody: Somebody,
    pub opened: Option<&'a Opened>,
    pub merging: Option<&'a Merging>,
    /// Steps of the job are committed: what takes commits away would take these.
    pub has_commits: bool,
}

impl Moment<'_> {
    /// At work no prompt names it. Whether anybody is asked later is as it is now.
    fn unnamed(&self) -> Case {
        if self.somebody == Somebody::There { Case::Unnamed } else { Case::UnnamedUnasked }
    }

    /// At work a step commits, and what moves the branch or the stash waits.
    fn not_here(&self, act: &GitAct) -> Case {
        let ours = act.verb() == "commit" && self.checkpoints;
        if ours { Case::Commit } else { Case::Git }
    }

    /// How the rule refuses `act` also where its line is a plain one.
    fn closes(&self, act: &GitAct) -> Option<Case> {
        // Of a line with options before the verb the verb alone is known.
        let row = act.row.or_else(|| row_of(&act.words));
        let row = row.filter(|row| self.at_work && row.kind == Reach::Local)?;
        let is_opened = self.opened.as_ref().is_some_and(|opened| opened.opens(act));
        let unnamed = !is_opened && naming(self.prompts, &row.words) == Naming::Unnamed;
        (unnamed && !(self.free && act.within)).then(|| self.not_here(act))
    }

    fn ends_a_merge(&self, act: &GitAct) -> bool {
        self.merging.is_some_and(|merging| merging.ends_with(act))
    }

    /// What is staged is in no commit yet; the rest a person is asked about who is there.
    fn on_its_end(&self, act: &GitAct) -> Ruling {
        let asks = self.somebody == Somebody::There && act.verb() != "add";
        if asks { Ruling::Asked(Vec::new()) } else { Ruling::Opened }
    }
}

/// What becomes of the acts of git in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// A person opened it.
    Opened,
    /// The host asks the person about these, each with what it does.
    Asked(Vec<GitAct>),
    Refused(Refusal),
}

/// Rules on the acts of git in one call; the first that is refused decides.
pub fn rule(acts: &[GitAct], moment: &Moment<'_>) -> Option<Ruling> {
    let mut asked = Vec::new();
    for act in acts {
        match rule_one(act, moment) {
            Ruling::Opened => {}
            Ruling::Asked(_) => asked.push(act.clone()),
            refused @ Ruling::Refused(_) => return Some(refused),
        }
    }
    match (acts.is_empty(), asked.is_empty()) {
        (true, _) => None,
        (false, true) => Some(Ruling::Opened),
        (false, false) => Some(Ruling::Asked(asked)),
    }
}

fn rule_one(act: &GitAct, moment: &Moment<'_>) -> Ruling {
    let no = |wants: Wants, case: Case| Ruling::Refused(refused(act, wants, case));
    if act.own {
        return no(Wants::Git, Case::OwnRefs);
    }
    if act.bends {
        // One that no plain line would open either is told what leads on.
        return match moment.closes(act) {
            Some(case) => no(Wants::Checkpoint, case),
            None => no(Wants::Git, Case::Bends),
        };
    }
    if act.takes && moment.has_commits {
        return no(Wants::Git, Case::Takes);
    }
    if let Some(path) = moment.merging.and_then(|merging| merging.forbids(act)) {
        return Ruling::Refused(marked(path));
    }
    match moment.opened {
        Some(opened) if opened.opens(act) && opened.used => {
            return no(Wants::Git, Case::Used);
        }
        Some(opened) if opened.opens(act) => return Ruling::Opened,
        _ => {}
    }
    if moment.ends_a_merge(act) {
        return moment.on_its_end(act);
    }
    let Some(row) = act.row else {
        return if moment.at_work {
            no(Wants::Checkpoint, Case::Git)
        } else {
            no(Wants::Git, Case::Unlisted)
        };
    };
    match naming(moment.prompts, &row.words) {
        Naming::Forbidden(said) => {
            let refusal = refused(act, Wants::Git, Case::Forbidden);
            return Ruling::Refused(refusal.with("said", said));
        }
        _ if moment.free && row.kind == Reach::Local && act.within => return Ruling::Opened,
        Naming::Unnamed if moment.at_work && row.kind == Reach::Local => {
            return no(Wants::Checkpoint, moment.not_here(act));
        }
        Naming::Unnamed if moment.at_work => return no(Wants::Git, moment.unnamed()),
        Naming::Unnamed | Naming::Named => {}
    }
    let case = match &moment.somebody {
        Somebody::There => return Ruling::Asked(Vec::new()),
        Somebody::Nobody => Case::Nobody,
        Somebody::Unasked => Case::Unasked,
        Somebody::Settings(setting) => {
            let refusal = refused(act, Wants::Git, Case::Settings);
            return Ruling::Refused(refusal.with("setting", setting.as_str()));
        }
    };
    no(Wants::Git, case)
}

/// The refusal of `act`, with what its sentences say of it.
fn refused(act: &GitAct, wants: Wants, case: Case) -> Refusal {
    let refusal = Refusal::new("guard", wants).case(case);
    let refusal = refusal.with("verb", act.verb()).with("line", act.line());
    refusal.with("plain", act.plain()).with("reach", act.reach.as_str())
}

/// Whether a person's words name an act.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Naming {
    Unnamed,
    Named,
    /// They forbid it: the sentence.
    Forbidden(String),
}

/// The refusal of an act that writes into files, told as `case`; `was` is how the rule refused it.
pub(crate) fn told_as(was: &Refusal, case: Case) -> Refusal {
    let fact = |name: &str| was.facts.get(name).unwrap_or_default();
    let refusal = Refusal::new("guard", Wants::Checkpoint).case(case);
    refusal.with("verb", fact("verb")).with("line", fact("line"))
}

/// The refusal of a commit of a merge in which `path` still has both sides.
pub(crate) fn marked(path: &str) -> Refusal {
    Refusal::new("guard", Wants::Git).case(Case::Marked).with("path", path)
}

/// The refusal of a commit at work that would take `path` along, no change of the person's.
pub(crate) fn takes_along(path: &str) -> Refusal {
    Refusal::new("guard", Wants::Checkpoint).case(Case::CommitTakes).with("path", path)
}

/// What is written down of acts that a person is asked about.
pub(crate) fn is_asked(acts: &[GitAct]) -> Refusal {
    let line = acts.first().map(GitAct::line).unwrap_or_default();
    let refusal = Refusal::new("git", Wants::Git).case(Case::AskFirst);
    refusal.with("line", line)
}

/// The sentences of a prompt that name an act of git, or forbid one.
pub(crate) fn sentences_of(prompt: &str) -> Vec<String> {
    let names = |sentence: &&str| {
        let tokens = tokens(sentence);
        let rows = rows().iter().chain(mcp::shipped().rows());
        rows.flat_map(|row| &row.words).any(|name| place_of(&tokens, name).is_some())
    };
    let sentences = prompt.split(['\n', '.', '!', '?', ';']).filter(names);
    sentences.map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Words that turn round what stands behind them in a sentence.
const NOT: &[&str] = &[
    "not",
    "no",
    "never",
    "don't",
    "dont",
    "doesn't",
    "won't",
    "can't",
    "cannot",
    "mustn't",
    "shouldn't",
    "without",
    "nothing",
    "avoid",
    "instead",
];
/// Behind one of those, it says the opposite again.
const BUT: &[&str] = &["forget", "only", "hesitate", "but", "then"];

/// What `prompts` say of an act that `words` name: the last sentence that does decides.
fn naming(prompts: &[String], words: &[String]) -> Naming {
    let mut naming = Naming::Unnamed;
    let sentences = prompts.iter().flat_map(|text| text.split(['\n', '.', '!', '?', ';']));
    for sentence in sentences {
        let tokens = tokens(sentence);
        let places: Vec<usize> = words.iter().filter_map(|name| place_of(&tokens, name)).collect();
        let Some(first) = places.into_iter().min() else { continue };
        let turned = tokens[..first]
            .iter()
            .rev()
            .find(|token| NOT.contains(&token.as_str()) || BUT.contains(&token.as_str()));
        naming = match turned {
            Some(token) if NOT.contains(&token.as_str()) => {
                Naming::Forbidden(sentence.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            _ => Naming::Named,
        };
    }
    naming
}

fn tokens(sentence: &str) -> Vec<String> {
    let letters = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '’' || c == '_');
    let words = sentence.split(letters).filter(|word| !word.is_empty());
    words.map(|word| word.to_lowercase().replace('’', "'")).collect()
}

/// Where `name`, of one word or several, stands among `tokens`.
fn place_of(tokens: &[String], name: &str) -> Option<usize> {
    let name: Vec<&str> = name.split(' ').collect();
    tokens.windows(name.len()).position(|window| window.iter().zip(&name).all(|(a, b)| a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_at_a_remote_is_no_act() {
        for line in ["git fetch --dry-run", "git fetch --dry-run -v origin", "git ls-remote"] {
            assert_eq!(acts(&shell::read(line)), [], "{line}");
        }
        for line in ["git fetch", "git fetch --dry-run --depth 1", "git fetch --prune"] {
            assert_eq!(only(line).verb(), "fetch", "{line}");
        }
    }

    #[test]
    fn what_git_writes_into_files_is_known() {
        for (line, paths, other, sure) in [
            ("git restore a b", vec!["a", "b"], false, true),
            ("git restore --staged --worktree a", vec!["a"], false, true),
            ("git restore -s HEAD~1 a", vec!["a"], true, true),
            ("git restore --source=main -- a", vec!["a"], true, true),
            ("git restore --source HEAD a", vec!["a"], false, true),
            ("git checkout -- a", vec!["a"], false, true),
            ("git checkout HEAD -- a", vec!["a"], false, true),
            ("git checkout main -- a", vec!["a"], true, true),
            ("git checkout a", vec!["a"], false, false),
        ] {
            let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
            assert_eq!(puts_back(&only(line)), Some(PutsBack { paths, other, sure }), "{line}");
        }
        for line in ["git restore --staged a", "git checkout -b a", "git switch a", "git stash"] {
            assert_eq!(puts_back(&only(line)), None, "{line}");
        }
    }

    fn only(line: &str) -> GitAct {
        let acts = acts(&shell::read(line));
        assert_eq!(acts.len(), 1, "{line}: {acts:?}");
        acts.into_iter().next().expect("there is one")
    }

    #[test]
    fn each_row_names_known_things_and_stays_within_itself() {
        let table: Table = toml::from_str(SHIPPED).expect("the table parses");
        assert_eq!((&*table.act, &table.closed), (rows(), &super::table().closed));
        for closed in &table.closed {
            for verb in &closed.verbs {
                let line = format!("{} {verb} -X POST x", closed.program[0]);
                assert_eq!(only(&line).row, None, "{line}");
            }
        }
        for row in rows() {
            assert!(!row.words.is_empty() && !row.says.is_empty(), "{:?}", row.verbs);
            for name in &row.words {
                assert_eq!(*name, name.to_lowercase(), "{:?}", row.verbs);
            }
            let operand = if row.operands == 1 { " x" } else { "" };
            let need = row.needs.first().map_or(operand.to_owned(), |need| format!(" {need} x"));
            for verb in &row.verbs {
                let line = format!("{} {verb}{need}", row.program[0]);
                assert_eq!(only(&line).row, Some(row), "{line}");
            }
        }
    }

    #[test]
    fn the_document_tells_each_row() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/git.md");
        let text = std::fs::read_to_string(path).expect("it is there");
        let told: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| line.starts_with("| `"))
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        assert_eq!(told.len(), rows().len());
        for (row, told) in rows().iter().zip(told) {
            let need = row.needs.first().map_or(String::new(), |need| format!(" {need}"));
            let names = row.program.iter().zip(row.verbs.iter().cycle());
            let told_as = |program: &str, verb: &str| format!("`{program} {verb}{need}`");
            let first: Vec<String> = if row.program.len() == 1 {
                row.verbs.iter().map(|verb| told_as(&row.program[0], verb)).collect()
            } else {
                names.map(|(program, verb)| told_as(program, verb)).collect()
            };
            for name in &first {
                let name = name.replace("checkout -c", "checkout -b");
                assert!(told[0].contains(&name), "{name}: {}", told[0]);
            }
            assert_eq!((told[1], told[2]), (row.says.as_str(), row.words.join(", ").as_str()));
        }
    }

    /// What each line is: a verb's row, and whether it is within (`y`), beyond (`+`), without a
    /// row (`-`), bent (`!`) or takes commits away (`x`).
    #[test]
    fn lines_are_read_by_their_rows() {
        let cases = [
            ("git add -A", 'y'),
            ("git add src 'a b.rs'", 'y'),
            ("git add -f target/x", '+'),
            ("git commit -m 'add the lexer'", 'y'),
            ("git commit -am lexer", 'y'),
            ("git commit --amend --no-edit", 'x'),
            ("git commit --no-verify -m x", '!'),
            ("git commit -nm x", '!'),
            ("git -c core.hooksPath=/dev/null commit -m x", '!'),
            ("GIT_DIR=/x git commit -m x", '!'),
            ("git -C ../other push", '!'),
            ("git push", 'y'),
            ("git push origin HEAD", '+'),
            ("git push --force", '+'),
            ("git push -u origin feature", '+'),
            ("git push origin :gone", '+'),
            ("git push $REMOTE", '!'),
            ("git pull", 'y'),
            ("git pull --ff-only", 'y'),
            ("git pull --rebase", 'x'),
            ("git pull origin main", '+'),
            ("git fetch", 'y'),
            ("git fetch origin main:main", '+'),
            ("git switch -c feature", 'y'),
            ("git checkout -b feature", 'y'),
            ("git switch -c feature origin/main", '+'),
            ("git switch main", '-'),
            ("git checkout -- src", '-'),
            ("git checkout -B main origin/main", 'x'),
            ("git restore --staged src", 'y'),
            ("git restore src", '-'),
            ("git restore --staged --worktree src", '-'),
            ("git stash", 'y'),
            ("git stash push -m 'half done'", 'y'),
            ("git stash pop", 'y'),
            ("git stash drop", '-'),
            ("git tag v1.2", 'y'),
            ("git tag -d v1.2", '-'),
            ("git merge main", '-'),
            ("git rebase main", 'x'),
            ("git reset --hard HEAD~1", 'x'),
            ("git reset HEAD~1", 'x'),
            ("git reset -- src", '-'),
            ("git branch -D old", 'x'),
            ("gh pr create --fill", 'y'),
            ("gh pr create --repo other/project", '+'),
            ("glab mr create --fill --yes", 'y'),
        ];
        for (line, expected) in cases {
            let act = only(line);
            let is = match &act {
                GitAct { bends: true, .. } => '!',
                GitAct { takes: true, .. } => 'x',
                GitAct { row: None, .. } => '-',
                GitAct { within: true, .. } => 'y',
                _ => '+',
            };
            assert_eq!(is, expected, "{line}: {act:?}");
        }
        for line in ["git status", "git log", "git stash list", "gh pr view", "git tag -l", "ls"] {
            assert_eq!(acts(&shell::read(line)), [], "{line}");
        }
        let all =
            acts(&shell::read("cd a && git add -A && git commit -m x 2>&1 | tail -3; git push"));
        let verbs: Vec<&str> = all.iter().map(GitAct::verb).collect();
        assert_eq!(verbs, ["add", "commit", "push"]);
    }

    /// A line in which git is not all shown, or is bent by a setting, passes in no phase that
    /// does not open git.
    #[test]
    fn git_that_is_not_all_in_the_text_is_an_act() {
        let hidden = [
            "V=push; git $V --mirror",
            "git $(echo push) --mirror",
            "git $(echo commit) --no-verify",
            "jobs -x git push --mirror",
            "$(which git) push",
            "$(which git) update-ref -d refs/seed/meta",
            "\"$(command -v git)\" push origin refs/seed/meta",
            "G=git; $G push --mirror",
            "$X push --mirror",
            "f(){ git \"$@\"; }; f push --mirror",
            "echo push --mirror | xargs git",
            "xargs git <<< 'push --mirror'",
            "find . -maxdepth 0 -exec git {} \\;",
            "cat <<< 'git push --mirror' | bash",
            "/usr/lib/git-core/git-push --mirror",
            "git-send-pack origin refs/seed/meta",
            "git-push --mirror",
            "git -c help.autocorrect=immediate psh",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.pp GIT_CONFIG_VALUE_0=push git pp",
            "export GIT_CONFIG_PARAMETERS=\"'alias.pp=push'\"; git pp",
            "GIT_CONFIG_COUNT=1 bash -c 'git pp'",
            "GIT_SSH_COMMAND='touch P' git fetch",
            "strace -f git push --mirror",
            "script -qc 'git push --mirror' /dev/null",
            "ltrace -o /dev/null git push origin main",
            "make -f - <<< $'x:\\n\\tgit push --mirror'",
            "git remote update",
            "git remote update --prune",
            "git ls-remote --upload-pack='touch P; git-upload-pack' .",
            "git archive --remote=. --exec='touch P' HEAD",
            "git -c protocol.ext.allow=always ls-remote 'ext::sh -c touch% P'",
            "git -c core.hooksPath=/tmp status",
            "git -c include.path=/tmp/x status",
            "git -c core.attributesFile=/tmp/x diff",
            "git -c core.worktree=/tmp status",
            "git --config-env=core.pager=X log",
            "hub push origin main",
            "gh pr merge 3 --squash",
            "gh repo sync",
            "gh api -X POST /repos/a/b/git/refs",
            "git lfs push origin main",
        ];
        let open = |line: &&&str| {
            let acts = acts(&shell::read(line));
            let talk = Moment {
                at_work: true,
                checkpoints: true,
                free: false,
                prompts: &[],
                somebody: Somebody::There,
                opened: None,
                merging: None,
                has_commits: true,
            };
            !matches!(rule(&acts, &talk), Some(Ruling::Refused(_)))
        };
        let passed: Vec<&&str> = hidden.iter().filter(open).collect();
        assert!(passed.is_empty(), "{passed:#?}");
        let plain = [
            "git -C $DIR status",
            "git show $x",
            "git -c color.ui=always log",
            "git -c user.name=a -c user.email=b log",
            "for r in a b; do git log -1 $r; done",
            "V=status; git $V",
            "GIT_PAGER=cat git log",
            "GIT_DIR=/tmp/x/.git git log",
            "unset GIT_DIR; git status",
            "strace -c git status",
            "cargo run -- git status",
            "npm install git",
            "gh pr view 3",
            "gh pr comment 3 --body x",
            "$PYTHON x.py",
            "$HOME/git/project/run.sh test",
            "make push-button",
        ];
        let acting: Vec<_> =
            plain.iter().filter(|line| !acts(&shell::read(line)).is_empty()).collect();
        assert!(acting.is_empty(), "{acting:#?}");
    }

    #[test]
    fn the_last_sentence_that_names_an_act_decides() {
        let words = ["push".to_owned(), "publish".to_owned()];
        let cases = [
            ("fix the lexer", "unnamed"),
            ("fix the lexer, commit and push", "named"),
            ("Push it when the tests are green!", "named"),
            ("do not push", "forbidden"),
            ("never ever push to main", "forbidden"),
            ("fix it without pushing", "unnamed"),
            ("fix it. Don't push. Tell me when done", "forbidden"),
            ("don’t push yet", "forbidden"),
            ("don't forget to push", "named"),
            ("not only commit but push", "named"),
            ("do not push\nwell, push it now", "named"),
            ("push it\nno, do not push", "forbidden"),
            ("the pushdown automaton", "unnamed"),
        ];
        for (prompt, expected) in cases {
            let is = match naming(&[prompt.to_owned()], &words) {
                Naming::Unnamed => "unnamed",
                Naming::Named => "named",
                Naming::Forbidden(said) => {
                    assert!(prompt.contains(&said), "{said}");
                    "forbidden"
                }
            };
            assert_eq!(is, expected, "{prompt}");
        }
    }

    fn ruled(line: &str, moment: &Moment<'_>) -> String {
        match rule(&acts(&shell::read(line)), moment) {
            None => "none".to_owned(),
            Some(Ruling::Opened) => "opened".to_owned(),
            Some(Ruling::Asked(acts)) => format!("asked {}", acts.len()),
            Some(Ruling::Refused(no)) => {
                format!("{} {}", no.wants.word(), no.facts.case().unwrap_or_default())
            }
        }
    }

    #[test]
    fn who_answers_for_an_act_goes_by_room_prompt_and_word() {
        let prompts = ["commit and push".to_owned()];
        let opened = Opened { words: only("git push origin HEAD").words, used: false };
        let used = Opened { used: true, ..opened.clone() };
        let talk = Moment {
            at_work: false,
            checkpoints: false,
            free: false,
            prompts: &[],
            somebody: Somebody::There,
            opened: None,
            merging: None,
            has_commits: false,
        };
        let work = Moment { at_work: true, checkpoints: true, has_commits: true, ..talk.clone() };
        let looking = Moment { checkpoints: false, ..work.clone() };
        let named = Moment { prompts: &prompts, ..work.clone() };
        let alone = Moment { somebody: Somebody::Nobody, ..talk.clone() };
        let planning = Moment { somebody: Somebody::Unasked, ..talk.clone() };
        let settled =
            Moment { somebody: Somebody::Settings("Bash(git:*)".to_owned()), ..talk.clone() };
        let by_word = Moment { opened: Some(&opened), ..alone.clone() };
        let worked = Moment { opened: Some(&opened), somebody: Somebody::Nobody, ..work.clone() };
        let mirror = Opened { words: only("git push origin refs/seed/meta").words, used: false };
        let by_mirror = Moment { opened: Some(&mirror), ..talk.clone() };
        let gone = Moment { opened: Some(&used), ..alone.clone() };
        let cases = [
            ("git status", &talk, "none"),
            ("git push", &talk, "asked 1"),
            ("git add -A && git commit -m x && git push", &talk, "asked 3"),
            ("git merge main", &talk, "git unlisted"),
            ("git push --no-verify", &talk, "git bends"),
            ("git push --mirror", &talk, "git own-refs"),
            ("git push origin main 'refs/*:refs/*'", &named, "git own-refs"),
            ("git push origin refs/seed/meta", &by_mirror, "git own-refs"),
            ("git push --all origin", &talk, "asked 1"),
            ("git push --tags origin", &named, "asked 1"),
            ("git push", &alone, "git nobody"),
            ("git push", &settled, "git settings"),
            ("git push", &planning, "git unasked"),
            ("git push", &work, "git unnamed"),
            ("git push", &named, "asked 1"),
            ("git commit -m x", &work, "checkpoint commit"),
            ("git commit -m x", &looking, "checkpoint git"),
            ("git commit -m x", &named, "asked 1"),
            ("git stash", &named, "checkpoint git"),
            ("git merge main", &named, "checkpoint git"),
            ("git rebase main", &named, "git takes"),
            ("git rebase main", &talk, "git unlisted"),
            ("git push origin HEAD", &by_word, "opened"),
            ("git push origin HEAD", &worked, "opened"),
            ("git push origin HEAD", &gone, "git used"),
            ("git push origin HEAD:main", &by_word, "git nobody"),
            ("git push origin HEAD --force", &by_word, "git nobody"),
        ];
        for (line, moment, expected) in cases {
            assert_eq!(ruled(line, moment), expected, "{line} {moment:?}");
        }
    }

    #[test]
    fn a_line_reads_back_as_its_words() {
        for line in ["git push origin HEAD", "git commit -m 'it'\\''s done'", "git tag 'v 1'"] {
            let act = only(line);
            assert_eq!(only(&act.line()).words, act.words, "{line}");
        }
    }

    #[test]
    fn where_no_job_is_kept_acts_that_stay_here_are_the_agents_own_within_the_bounds() {
        let prompts = vec!["Never stash anything".to_owned()];
        let moment = Moment {
            at_work: false,
            checkpoints: false,
            free: true,
            prompts: &prompts,
            somebody: Somebody::Nobody,
            opened: None,
            merging: None,
            has_commits: false,
        };
        for (line, open) in [
            ("git add -A", true),
            ("git commit -m x", true),
            ("git switch -c topic", true),
            ("git tag v1", true),
            ("git stash", false),
            ("git commit --amend -m x", false),
            ("git commit --no-verify -m x", false),
            ("git reset --hard HEAD", false),
            ("git push", false),
            ("git push --force", false),
            ("gh pr create --fill", false),
        ] {
            let ruled = rule(&acts(&shell::read(line)), &moment);
            assert_eq!(ruled == Some(Ruling::Opened), open, "{line}: {ruled:?}");
        }
        let there = Moment { somebody: Somebody::There, ..moment };
        let asked = rule(&acts(&shell::read("git push")), &there);
        assert!(matches!(asked, Some(Ruling::Asked(_))), "what leaves the clone is asked about");
    }

    #[test]
    fn sentences_that_name_an_act_are_kept_for_later() {
        let kept = sentences_of("Fix it. Do not push! Then commit;\nread docs");
        assert_eq!(kept, ["Do not push", "Then commit"]);
    }
}
