//! Landing a job: which of its commits become one, what that one says, and when it may not be.
//!
//! Pure: the caller brings the commits of the branch as what they are to the job, and the subjects
//! of the commits before it. No word of the phases gets into what is written here.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Job, JobId, Status};
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// Subjects that a style is learned from.
pub(crate) const SUBJECTS: usize = 50;
/// Fewer of them show no style.
const FEWEST: usize = 4;
/// Types of conventional commits, and the words at the head of a name that speak for one.
const TYPES: [(&str, &[&str]); 10] = [
    ("feat", &["add", "allow", "implement", "introduce", "offer", "support"]),
    ("fix", &["correct", "fix", "handle", "mend", "prevent", "repair", "stop"]),
    ("docs", &["describe", "document", "explain"]),
    ("refactor", &["clean", "extract", "inline", "move", "refactor", "rename", "simplify"]),
    ("test", &["cover", "test"]),
    ("perf", &["cache", "optimize", "speed"]),
    ("build", &["build", "bump", "update", "upgrade"]),
    ("ci", &["ci"]),
    ("style", &["format", "reformat"]),
    ("chore", &["drop", "remove"]),
];

/// What became of the question whether an approved job lands at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offer {
    /// It is not to be asked.
    #[default]
    None,
    /// It may be asked, until the person has answered or the job landed.
    Open,
    /// The person lets it land like this, once.
    Granted(Lands),
    /// The person leaves it as it is.
    Left,
}

/// What a landing is to be, as a person was shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lands {
    pub branch: String,
    /// The subject of its first commit.
    pub subject: String,
}

impl Offer {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// The first name for the branch that a job of `own` lands on which is not `taken`.
pub(crate) fn free_branch<E>(
    own: &str,
    mut taken: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let mut n = 1_u32;
    loop {
        let branch = if n == 1 { format!("{own}-landed") } else { format!("{own}-landed-{n}") };
        if !taken(&branch)? {
            return Ok(branch);
        }
        n += 1;
    }
}

/// What a commit of the branch is to the job that lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// A step of the job made it, in this cycle of this run.
    Lab { run: u32, cycle: u32 },
    /// Somebody else.
    Other,
}

/// What becomes of commits that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// These become one.
    Clean(Range<usize>),
    /// This one stays as it is.
    Kept(usize),
}

/// How commits of the branch, oldest first, are cut.
pub(crate) fn pieces(made: &[Made], per_cycle: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, one) in made.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| made[before]);
        match (pieces.last_mut(), one) {
            (_, Made::Other) => pieces.push(Piece::Kept(at)),
            (Some(Piece::Clean(range)), _) if !per_cycle || before == Some(*one) => {
                range.end = at + 1;
            }
            _ => pieces.push(Piece::Clean(at..at + 1)),
        }
    }
    pieces
}

// ---- subjects

/// How the persons of a repository write subjects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// `fix: …`; the type that is used most.
    pub(super) kind: Option<&'static str>,
    /// The types that are used, and the scopes behind them.
    pub(super) kinds: Vec<&'static str>,
    pub(super) scopes: Vec<String>,
    /// The scope that nearly all of them have.
    pub(super) scope: Option<String>,
    /// How a ticket stands at the head: what is before and behind it.
    pub(super) ticket: Option<(&'static str, &'static str)>,
    /// The first letter is large, or small.
    pub(super) large: Option<bool>,
}

/// `fix(parser)!: words` taken apart: the type and the words.
pub(super) fn conventional(subject: &str) -> Option<(&'static str, &str)> {
    let (head, words) = subject.split_once(": ")?;
    let head = head.strip_suffix('!').unwrap_or(head);
    let kind = head.split_once('(').map_or(Some(head), |(kind, scope)| {
        scope.strip_suffix(')').filter(|scope| !scope.is_empty()).map(|_| kind)
    })?;
    let known = TYPES.iter().map(|(name, _)| *name).chain(["revert"]).find(|name| *name == kind);
    known.map(|kind| (kind, words))
}

/// The scope of a conventional subject.
fn scope_of(subject: &str) -> Option<&str> {
    conventional(subject)?;
    let (head, _) = subject.split_once(": ")?;
    head.split_once('(')
        .and_then(|(_, scope)| scope.strip_suffix('!').unwrap_or(scope).strip_suffix(')'))
}

/// Heads of a name that speak for a type only where that is used.
const AMBIGUOUS: [&str; 9] =
    ["cache", "clean", "cover", "drop", "move", "remove", "stop", "update", "upgrade"];

/// What somebody asks for, without the words by which they ask.
fn asked_for(name: &str) -> &str {
    const ASKS: [&str; 14] = [
        "please",
        "kindly",
        "hey",
        "hi",
        "can you",
        "could you",
        "would you",
        "will you",
        "can we",
        "could we",
        "i want you to",
        "i'd like you to",
        "i would like you to",
        "you should",
    ];
    let mut rest = name.trim_end_matches(['?', '!', '.', ' ']);
    let without = |rest: &str| {
        ASKS.iter().find_map(|ask| {
            let head = rest.get(..ask.len()).filter(|head| head.eq_ignore_ascii_case(ask))?;
            let behind = &rest[head.len()..];
            let ends = behind.starts_with(|c: char| c == ',' || c.is_whitespace());
            ends.then(|| rest.len() - behind.trim_start_matches([',', ' ']).len())
        })
    };
    while let Some(at) = without(rest) {
        rest = &rest[at..];
    }
    let polite = ["please", "Please"].into_iter().find_map(|end| rest.strip_suffix(end));
    let rest = polite.map_or(rest, |rest| rest.trim_end_matches([',', ' ']));
    // A name that is nothing else stays as it is.
    if rest.is_empty() { name } else { rest }
}

/// A ticket at the head of a name, and the words behind it.
fn headed(name: &str) -> Option<(&str, &str)> {
    let ticket = ticket_in(name)?;
    let bare = name.trim_start_matches(['[', '(']).strip_prefix(ticket)?;
    let words = bare.trim_start_matches([']', ')', ':', '-', ' ']);
    // What goes on in the same word, as in `ABC-1-lexer`, or as the subject of a sentence does.
    let goes_on = bare.starts_with(|c: char| c == '-' || c.is_alphanumeric());
    let tells = ["is ", "was ", "has ", "in ", "of "].iter().any(|verb| words.starts_with(verb));
    (!words.is_empty() && !goes_on && !tells).then_some((ticket, words))
}

/// Names with a number that are no tickets.
const STANDARDS: [&str; 6] = ["CVE", "ISO", "MD", "RFC", "SHA", "UTF"];

/// The first ticket in a text, such as `ABC-12`.
pub(super) fn ticket_in(text: &str) -> Option<&str> {
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    text.split(ends).find_map(|word| {
        let (project, rest) = word.split_once('-')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let letters = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
        let fits = project.len() >= 2
            && !STANDARDS.contains(&project)
            && project.starts_with(|c: char| c.is_ascii_uppercase())
            && project.bytes().all(letters)
            && digits > 0
            && rest[digits..].chars().next().is_none_or(|c| c == '-');
        fits.then(|| &word[..project.len() + 1 + digits])
    })
}

/// A ticket at the head of a subject: its form, and the words behind it.
pub(super) fn ticketed(subject: &str) -> Option<((&'static str, &'static str), &str)> {
    const FORMS: [(&str, &str); 5] = [("[", "] "), ("(", ") "), ("", ": "), ("", " - "), ("", " ")];
    let ticket = ticket_in(subject)?;
    FORMS.into_iter().find_map(|(open, close)| {
        let words = subject.strip_prefix(open)?.strip_prefix(ticket)?.strip_prefix(close)?;
        Some(((open, close), words))
    })
}

/// What is found most, where more than half of `all` have one at all.
fn most<T: Ord + Copy>(found: impl Iterator<Item = T>, all: usize) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for one in found {
        *counts.entry(one).or_default() += 1;
    }
    let sum: usize = counts.values().sum();
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(one, _)| one);
    most.filter(|_| sum * 2 > all)
}

impl Style {
    /// The style that more than half of these subjects have; none where they are few.
    pub(crate) fn learned<'a>(subjects: impl Iterator<Item = &'a str>) -> Self {
        let subjects: Vec<&str> = subjects.take(SUBJECTS).collect();
        let all = subjects.len();
        if all < FEWEST {
            return Self::default();
        }
        let ticket = most(subjects.iter().filter_map(|one| Some(ticketed(one)?.0)), all);
        let bare = |subject: &'a str| ticketed(subject).map_or(subject, |(_, words)| words);
        let kind = most(subjects.iter().filter_map(|one| Some(conventional(bare(one))?.0)), all);
        let mut kinds: Vec<&str> =
            subjects.iter().filter_map(|one| Some(conventional(bare(one))?.0)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut scopes: Vec<String> =
            subjects.iter().filter_map(|one| Some(scope_of(bare(one))?.to_owned())).collect();
        scopes.sort_unstable();
        let scope = scopes.chunk_by(|one, next| one == next).max_by_key(|group| group.len());
        let scope = scope.filter(|group| group.len() * 2 > all).map(|group| group[0].clone());
        scopes.dedup();
        let words = |subject: &'a str| conventional(bare(subject)).map_or(bare(subject), |it| it.1);
        let first = |subject: &&'a str| words(subject).chars().next().filter(|c| c.is_alphabetic());
        let firsts: Vec<char> = subjects.iter().filter_map(first).collect();
        let large = [true, false].into_iter().find(|large| {
            firsts.iter().filter(|first| first.is_uppercase() == *large).count() * 2 > all
        });
        Self { kind, kinds, scopes, scope, ticket, large }
    }

    /// The type that the words of a name speak for, where it is one that is used here, or that
    /// needs no custom to be understood.
    fn kind_of(&self, name: &str, first: &str, usual: &'static str) -> &'static str {
        const DOCUMENTS: [&str; 6] =
            ["changelog", "docs", "documentation", "handbook", "manual", "readme"];
        let used = |kind: &str| self.kinds.contains(&kind);
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        if used("docs") && words.any(|word| DOCUMENTS.contains(&word.to_lowercase().as_str())) {
            return "docs";
        }
        let known = |(kind, heads): &&(&str, &[&str])| {
            heads.contains(&first) && (!AMBIGUOUS.contains(&first) || used(kind))
        };
        TYPES.iter().find(known).map_or(usual, |(kind, _)| kind)
    }

    /// The scope that a name speaks of, or the one that all have.
    fn scope_in(&self, name: &str) -> Option<&str> {
        let said: Vec<String> =
            name.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_lowercase).collect();
        let named = self.scopes.iter().find(|scope| said.contains(&scope.to_lowercase()));
        named.or(self.scope.as_ref()).map(String::as_str)
    }

    /// The subject for a job of this name; a ticket that it has not got is looked for in `about`.
    pub(crate) fn subject(&self, name: &str, about: &[&str]) -> String {
        let name = asked_for(name.trim().trim_end_matches('.'));
        let at_head = self.ticket.and_then(|_| headed(name));
        let name = at_head.map_or(name, |(_, words)| words);
        let mut words = name.to_owned();
        let mut kind = "";
        if let (Some(usual), None) = (self.kind, conventional(name)) {
            let first = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let first = first.to_lowercase();
            kind = self.kind_of(name, &first, usual);
            if first == kind {
                // The type has said it.
                let rest = name[first.len()..].trim_start();
                words = if rest.is_empty() { words } else { rest.to_owned() };
            }
        }
        if let (Some(large), Some(first)) = (self.large, words.chars().next())
            && !words.chars().nth(1).is_some_and(char::is_uppercase)
        {
            let rest = &words[first.len_utf8()..];
            let first = if large {
                first.to_uppercase().to_string()
            } else {
                first.to_lowercase().to_string()
            };
            words = format!("{first}{rest}");
        }
        if !kind.is_empty() {
            words = match self.scope_in(name) {
                Some(scope) => format!("{kind}({scope}): {words}"),
                None => format!("{kind}: {words}"),
            };
        }
        let ticket = at_head.map(|(ticket, _)| ticket);
        let ticket = ticket.or_else(|| about.iter().copied().find_map(ticket_in));
        match (self.ticket, ticket) {
            (Some((open, close)), Some(ticket)) if ticket_in(name).is_none() => {
                format!("{open}{ticket}{close}{words}")
            }
            _ => words,
        }
    }
}

/// The subject of the commit that holds the memory of a job.
pub(crate) fn memory_subject(name: &str) -> String {
    format!("memory: {}", name.trim().trim_end_matches('.'))
}

/// `subject`, told apart from those before it that say the same.
pub(crate) fn told_apart(subject: &str, before: &[String]) -> String {
    let numbered = |n: usize| if n == 1 { subject.to_owned() } else { format!("{subject} ({n})") };
    // One of so many is not among them.
    let mut all = (1..=before.len() + 1).map(numbered);
    let free = all.find(|subject| !before.contains(subject));
    free.unwrap_or_else(|| subject.to_owned())
}

/// Lines at the end of messages that hooks write anew, and that no commit may share.
const ANEW: [&str; 1] = ["change-id"];

/// The message of a landed commit: `text`, the other trailers of what it stands for once each, and
/// the two that lead back, where it is to have these.
pub(crate) fn message(
    text: &str,
    others: &[(String, String)],
    back: Option<(&JobId, &str)>,
) -> String {
    let mut lines: Vec<String> = Vec::new();
    let ours = |key: &str| key.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("seed-"));
    for (key, value) in others {
        let line = format!("{key}: {value}");
        let goes = ours(key) || ANEW.contains(&key.to_ascii_lowercase().as_str());
        if !goes && !lines.contains(&line) && !text.lines().any(|known| known.trim() == line) {
            lines.push(line);
        }
    }
    if let Some((job, id)) = back {
        lines.push(format!("Seed-Job: {job}"));
        lines.push(format!("Seed-Id: {id}"));
    }
    let text = text.trim_end();
    if lines.is_empty() {
        return format!("{text}\n");
    }
    let tail = text.rsplit_once("\n\n").map_or("", |(_, tail)| tail);
    let joins = !tail.is_empty() && tail.lines().all(is_trailer);
    format!("{text}{}{}\n", if joins { "\n" } else { "\n\n" }, lines.join("\n"))
}

/// The lines of a message that would lead to a job, wherever they stand.
fn leads(message: &str) -> Vec<&str> {
    let ours = |line: &&str| line.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("seed-"));
    let is = |line: &&str| ours(line) && line.contains(':');
    message.lines().map(str::trim).filter(is).collect()
}

/// The first such line of `made` that `meant` has not, or has fewer times.
pub(crate) fn added(meant: &str, made: &str) -> Option<String> {
    let mut left = leads(meant);
    leads(made).into_iter().find_map(|line| match left.iter().position(|known| *known == line) {
        Some(at) => {
            left.remove(at);
            None
        }
        None => Some(line.to_owned()),
    })
}

/// The keys of such lines of `meant` that `made` lacks.
pub(crate) fn lost(meant: &str, made: &str) -> Vec<String> {
    let there = leads(made);
    let gone = leads(meant).into_iter().filter(|line| !there.contains(line));
    gone.filter_map(|line| line.split_once(':')).map(|(key, _)| key.to_owned()).collect()
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| {
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

// ---- when it may not be

fn refused(case: Case, job: &Job) -> Refusal {
    Refusal::new("land", Wants::Edge)
        .case(case)
        .with("id", job.id.as_str())
        .with("job", job.name.as_str())
}

/// Only a job that is over is landed. `closing` is whether its last cycle is open, `doing` what the
/// person is in the middle of.
pub(crate) fn may_land(job: &Job, closing: bool, doing: Option<&str>) -> Verdict {
    let over = match job.status {
        Status::Completed => !closing,
        Status::Voided => true,
        Status::Pending | Status::Active | Status::Awaiting => false,
    };
    match doing {
        _ if !over => Err(refused(Case::LandOpen, job).with("status", job.status.word())),
        Some(doing) => Err(refused(Case::LandBusy, job).with("doing", doing)),
        None => Ok(()),
    }
}

/// No job is there that could be landed: `said` says why, `next` what does it now.
pub(crate) fn no_job(said: String, next: String) -> Refusal {
    let refusal = Refusal::new("land", Wants::Edge).case(Case::NotNow);
    refusal.with("said", said).with("next", next)
}

/// It was done where HEAD is on no branch, so none gives the new one its name.
pub(crate) fn no_branch(job: &Job) -> Refusal {
    refused(Case::LandNoBranch, job)
}

/// Nothing of the job is left to land.
pub(crate) fn nothing_left(job: &Job) -> Refusal {
    refused(Case::LandNothing, job)
}

/// What there was landed as `there`, which is here still; `land` with `line` lands it again once
/// it is gone.
pub(crate) fn landed(job: &Job, there: &str, line: &str) -> Refusal {
    refused(Case::LandDone, job).with("there", there).with("line", line)
}

/// The commit that it was to be put onto holds all of it.
pub(crate) fn holds_it(job: &Job, onto: &str, line: &str) -> Refusal {
    refused(Case::LandHeld, job).with("onto", onto).with("line", line)
}

/// The last commit of a job that another clone has.
pub(crate) struct Away<'a> {
    pub commit: &'a str,
    /// The branch of the job; empty where it had none.
    pub branch: &'a str,
}

/// Its commits are not in this clone; they may be fetched from the remote `from`.
pub(crate) fn away(job: &Job, at: &Away<'_>, from: Option<&str>) -> Refusal {
    let branch = if at.branch.is_empty() { "the commit" } else { at.branch };
    let short: String = at.commit.chars().take(12).collect();
    let case = if from.is_some() { Case::LandAway } else { Case::LandAwayAlone };
    refused(case, job)
        .with("commit", short)
        .with("branch", branch)
        .with("remote", from.unwrap_or_default())
}

/// A branch is there that leaves no room for the one that is wanted; `land` with `line` has room.
pub(crate) fn name_taken(job: &Job, branch: &str, line: &str) -> Refusal {
    refused(Case::LandTaken, job).with("branch", branch).with("line", line)
}

/// The same, where the work may be put onto that branch.
pub(crate) fn name_taken_beside(job: &Job, branch: &str, line: &str) -> Refusal {
    refused(Case::LandTakenBeside, job).with("branch", branch).with("line", line)
}

/// The same, where the branch has landed the job `other`, on a step of which this one stands.
pub(crate) fn name_taken_below(job: &Job, branch: &str, line: &str, other: &str) -> Refusal {
    refused(Case::LandTakenBelow, job)
        .with("branch", branch)
        .with("line", line)
        .with("other", other)
}

/// Another process lands the same job.
pub(crate) fn under_way(job: &Job) -> Refusal {
    refused(Case::LandTwice, job)
}

/// What the job's own branch is replaced by has to have the files that are there.
pub(crate) fn not_whole(job: &Job, branch: &str) -> Refusal {
    refused(Case::LandWhole, job).with("branch", branch)
}

/// Somebody else has the commits that were to be replaced: `remote` is the ref that has them.
pub(crate) fn published(job: &Job, branch: &str, line: &str) -> Refusal {
    refused(Case::LandPublished, job).with("branch", branch).with("line", line)
}

/// A commit of the job holds something else than its step recorded, and the person who let the job
/// land was not shown it.
pub(crate) fn unlike(job: &Job, commit: &str, recorded: &str) -> Refusal {
    let short = |id: &str| id.chars().take(12).collect::<String>();
    refused(Case::LandUnlike, job).with("commit", short(commit)).with("recorded", short(recorded))
}

/// A commit behind the job takes its work back, and nobody has shown it to the person.
pub(crate) fn reverted(job: &Job, commit: &str, paths: &[String]) -> Refusal {
    /// As many paths as fit a refusal.
    const NAMED: usize = 2;
    let commit: String = commit.chars().take(12).collect();
    let mut named = paths.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > NAMED {
        named.push_str(", …");
    }
    refused(Case::LandReverted, job).with("commit", commit).with("paths", named)
}

/// The branch moved while its commits were made.
pub(crate) fn moved(job: &Job, branch: &str, line: &str) -> Refusal {
    refused(Case::LandMoved, job).with("branch", branch).with("line", line)
}

/// The change does not fit onto another commit.
pub(crate) fn collides(job: &Job, onto: &str, paths: &[String], line: &str) -> Refusal {
    let paths = paths.join(", ");
    refused(Case::LandConflict, job).with("onto", onto).with("paths", paths).with("line", line)
}

/// Only its memory does not: `land` with `line` lands the rest. `merged` is whether git merges
/// pages by item already.
pub(crate) fn memory_collides(
    job: &Job,
    onto: &str,
    paths: &[String],
    line: &str,
    merged: bool,
) -> Refusal {
    let case = if merged { Case::LandMemoryMerged } else { Case::LandMemory };
    let paths = paths.join(", ");
    refused(case, job).with("onto", onto).with("paths", paths).with("line", line)
}

/// The person's hook takes no such message.
pub(crate) fn vetoed(job: &Job, subject: &str, output: &str, line: &str) -> Refusal {
    const MOST: usize = 160;
    let said = output.lines().map(str::trim).find(|line| line.chars().any(char::is_alphabetic));
    let said: String = crate::secrets::mask(said.unwrap_or("nothing")).chars().take(MOST).collect();
    refused(Case::LandVetoed, job).with("subject", subject).with("said", said).with("line", line)
}

/// git is set up to sign commits, and could not.
pub(crate) fn unsigned(job: &Job, said: &str, line: &str) -> Refusal {
    refused(Case::LandUnsigned, job).with("said", said.trim_end_matches('.')).with("line", line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn lab(run: u32, cycle: u32) -> Made {
        Made::Lab { run, cycle }
    }

    #[test]
    fn what_nobody_broke_becomes_one_commit() {
        use Made::Other;
        let made = [lab(1, 1), lab(1, 1), lab(1, 2), Other, Other, lab(1, 2), lab(2, 1)];
        let one = pieces(&made, false);
        let kept = [Piece::Kept(3), Piece::Kept(4)];
        assert_eq!(one[0], Piece::Clean(0..3));
        assert_eq!(one[1..3], kept);
        assert_eq!(one[3..], [Piece::Clean(5..7)]);
        let cycles = pieces(&made, true);
        assert_eq!(cycles[..2], [Piece::Clean(0..2), Piece::Clean(2..3)]);
        assert_eq!(cycles[2..4], kept);
        assert_eq!(cycles[4..], [Piece::Clean(5..6), Piece::Clean(6..7)]);
        assert_eq!(pieces(&[], false), []);
    }

    #[test]
    fn subjects_are_written_as_the_person_writes_them() {
        /// Subjects, and what becomes of names after them.
        type History<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);
        let histories: [History<'_>; 6] = [
            (
                &["fix: the lexer", "feat(cli): colours", "fix!: no panic", "start"],
                &[
                    ("Fix the lexer", "fix: the lexer"),
                    ("teach calc to subtract", "fix: teach calc to subtract"),
                    ("Add colours.", "feat: add colours"),
                    ("docs: say why", "docs: say why"),
                    ("fix", "fix: fix"),
                ],
            ),
            (
                &["Fix the lexer", "Add colours", "Mend it", "start"],
                &[("fix the lexer", "Fix the lexer"), ("iOS builds", "iOS builds")],
            ),
            (
                &["parser: fix", "parser: more", "start", "lexer: go"],
                &[("Fix the lexer", "fix the lexer"), ("HTTP works", "HTTP works")],
            ),
            (
                &["ABC-1: Fix it", "ABC-22: Add it", "XY-3: Go", "ABC-4: More"],
                &[("fix the lexer", "ABC-77: Fix the lexer"), ("ABC-9 is done", "ABC-9 is done")],
            ),
            (
                &["[ABC-1] fix: it", "[ABC-2] fix: b", "[ABC-2] feat: c", "x"],
                &[("fix the lexer", "[ABC-77] fix: the lexer")],
            ),
            (&["Fix: it"], &[("fix the lexer", "fix the lexer")]),
        ];
        for (history, names) in histories {
            let style = Style::learned(history.iter().copied());
            for (name, subject) in names {
                let said = style.subject(name, &["feature/ABC-77-lexer"]);
                assert_eq!(said, *subject, "{name}, after {history:?}");
            }
        }
        let histories: [History<'_>; 4] = [
            (
                &["fix: a", "feat: b", "fix: c", "docs: d"],
                &[
                    ("update the docs", "docs: update the docs"),
                    ("Update the parser", "fix: update the parser"),
                    ("Please can you make the lexer faster?", "fix: make the lexer faster"),
                    ("could you please add colours, please", "feat: add colours"),
                    ("Please", "fix: please"),
                    ("rename the lexer", "refactor: rename the lexer"),
                ],
            ),
            (
                &["fix(parser): a", "feat(parser): b", "fix(parser)!: c", "fix(cli): d"],
                &[
                    ("Fix the lexer", "fix(parser): the lexer"),
                    ("add colours to the CLI", "feat(cli): add colours to the CLI"),
                    ("docs: say why", "docs: say why"),
                ],
            ),
            (
                &["fix(a): a", "feat(b): b", "fix: c", "build(c): d"],
                &[("update the lexer", "build: update the lexer"), ("fix b", "fix(b): b")],
            ),
            (
                &["ABC-1: a", "ABC-2: b", "ABC-3: c", "ABC-4: d"],
                &[
                    ("ABC-77 fix", "ABC-77: fix"),
                    ("[ABC-78] Fix it", "ABC-78: fix it"),
                    ("ABC-79: fix", "ABC-79: fix"),
                    ("mend ABC-80", "mend ABC-80"),
                ],
            ),
        ];
        for (history, names) in histories {
            let style = Style::learned(history.iter().copied());
            for (name, subject) in names {
                assert_eq!(style.subject(name, &["main"]), *subject, "{name}, after {history:?}");
            }
        }
        let style = Style::learned(["ABC-1 a", "ABC-2 b", "ABC-3 c", "ABC-4 d"].into_iter());
        assert_eq!(style.subject("go on", &["main"]), "go on", "no ticket is known");
    }

    #[test]
    fn tickets_are_found_and_look_alikes_are_not() {
        for (text, ticket) in [
            ("feature/ABC-12-lexer", Some("ABC-12")),
            ("ABC-12", Some("ABC-12")),
            ("[X1-3] a", Some("X1-3")),
            ("UTF-8 names", None),
            ("AB-8x", None),
            ("a-12 A-1 ABC- -12", None),
        ] {
            assert_eq!(ticket_in(text), ticket, "{text}");
        }
    }

    #[test]
    fn a_message_ends_with_what_leads_back() {
        let job: JobId = "20261121t205612-7f3a".parse().expect("an id");
        let ends = "Seed-Job: 20261121t205612-7f3a\nSeed-Id: 0123456789ab\n";
        let others = [
            ("Co-authored-by", "A <a@b>"),
            ("Seed-Phase", "observe"),
            ("Change-Id", "I1"),
            ("Co-authored-by", "A <a@b>"),
            ("Signed-off-by", "P <p@x>"),
        ];
        let others = others.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let said =
            message("Fix it\n\nWhy: so.\nMore words\n", &others, Some((&job, "0123456789ab")));
        let wanted = "Fix it\n\nWhy: so.\nMore words\n\nCo-authored-by: A <a@b>\n\
                      Signed-off-by: P <p@x>\n";
        assert_eq!(said, format!("{wanted}{ends}"));
        let own =
            message("Fix it\n\nSigned-off-by: P <p@x>", &others[4..], Some((&job, "0123456789ab")));
        assert_eq!(own, format!("Fix it\n\nSigned-off-by: P <p@x>\n{ends}"));
        let back = Some((&job, "0123456789ab"));
        assert_eq!(message("a: b", &[], back), format!("a: b\n\n{ends}"));
        // Nothing leads back where that is not wanted.
        assert_eq!(message("a: b", &[], None), "a: b\n");
        let own = message("Fix it\n\nSigned-off-by: P <p@x>", &others[4..], None);
        assert!(!own.contains("Seed-") && own.starts_with("Fix it\n\nSigned-off-by: "), "{own}");
    }

    #[test]
    fn equal_subjects_are_numbered() {
        let mut said: Vec<String> = Vec::new();
        for subject in ["a", "a", "b", "a"] {
            let told = told_apart(subject, &said);
            said.push(told);
        }
        assert_eq!(said, ["a", "a (2)", "b", "a (3)"]);
    }

    #[test]
    fn only_what_is_over_is_landed() {
        let id: JobId = "20261121t205612-7f3a".parse().expect("an id");
        let case = |status, closing, doing| {
            let job = Job { status, ..Job::created(id.clone(), "a job", 0) };
            let verdict = may_land(&job, closing, doing);
            verdict.map_or_else(|no| no.facts.case().unwrap_or("-").to_owned(), |()| "yes".into())
        };
        for (status, closing, said) in [
            (Status::Completed, false, "yes"),
            (Status::Voided, false, "yes"),
            (Status::Completed, true, "land-open"),
            (Status::Awaiting, false, "land-open"),
            (Status::Active, false, "land-open"),
            (Status::Pending, false, "land-open"),
        ] {
            assert_eq!(case(status, closing, None), said, "{status:?}");
        }
        assert_eq!(case(Status::Completed, false, Some("merge")), "land-busy");
    }
}
