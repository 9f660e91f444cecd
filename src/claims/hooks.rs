//! Which acts ask for a ruling of the gate first: a table of rows, and what they say of an act.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::event::{Act, Change, Hunk, UnixSeconds};
use crate::shell::{self, Effect, Found, GitFlag, Reading};
use crate::shipped::{self, shipped};
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// One row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hook {
    pub n: u32,
    pub name: Name,
    pub on: On,
    pub kind: HookKind,
    /// Verbs of git that it is about.
    #[serde(default)]
    pub git: Vec<String>,
    #[serde(default)]
    pub effects: Vec<Beyond>,
    /// Seconds that a ruling may be old.
    #[serde(default)]
    pub within: Option<i64>,
    /// A ruling for the work tree as it is counts at any age.
    #[serde(default)]
    pub tree: bool,
    /// Changed lines since the last ruling, beyond which an edit is large.
    #[serde(default)]
    pub lines: Option<u32>,
    /// Words that say something of a file.
    #[serde(default)]
    pub verbs: Vec<String>,
}

/// What a row does; each has its place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Name {
    Commit,
    Outward,
    LargeEdit,
    Subagent,
    Answer,
    Trace,
    Memory,
    Prompt,
    Compaction,
    SubagentEnd,
    Foreign,
    Attest,
    Ingress,
    Check,
    Tests,
}

impl Name {
    /// The word that tables and sentences have for it.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// The case of a refusal by this row; rows that only watch refuse nothing.
    fn case(self) -> Option<Case> {
        match self {
            Self::Commit => Some(Case::Commit),
            Self::Outward => Some(Case::Outward),
            Self::LargeEdit => Some(Case::LargeEdit),
            Self::Subagent => Some(Case::Subagent),
            Self::Answer => Some(Case::Answer),
            Self::Trace
            | Self::Memory
            | Self::Prompt
            | Self::Compaction
            | Self::SubagentEnd
            | Self::Foreign
            | Self::Attest
            | Self::Ingress
            | Self::Check
            | Self::Tests => None,
        }
    }
}

/// The event of a host or of git that a row listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum On {
    BeforeShell,
    BeforeEdit,
    BeforeSubagent,
    Stop,
    SessionStart,
    Prompt,
    BeforeCompaction,
    SubagentStop,
    AfterMcp,
    AfterCommit,
    AfterWeb,
    AfterEdit,
}

/// Whether a row may object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HookKind {
    Block,
    Observe,
}

/// What a command does beyond the work tree, or to work that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Beyond {
    /// Changes something outside this machine.
    Outward,
    /// Runs code that comes out of a pipe.
    Opaque,
    /// Throws work away.
    Destructive,
}

/// An act that a row may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed<'a> {
    Git {
        verb: &'a str,
        part: &'a str,
    },
    Beyond {
        how: Beyond,
        part: &'a str,
    },
    /// An edit of so many lines of the work.
    Edit {
        lines: u32,
    },
    Launch {
        agent: &'a str,
    },
}

/// The last ruling, and what has happened since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// There is one, and it let the claim stand.
    pub opens: bool,
    /// It was about what is done, and not about a question or a plan.
    pub act: bool,
    pub at: UnixSeconds,
    /// The work tree is not as it was then.
    pub touched: bool,
    /// The agent has edited the work since then.
    pub edited: bool,
    /// Lines of the work that edits changed since then.
    pub lines: u32,
}

/// A row that asks for a ruling first, and the piece of the act that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Objection {
    pub name: Name,
    pub part: String,
}

/// A table that does not hold.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum BadHooks {
    #[error("src/claims/hooks.toml does not read: {0}")]
    Toml(String),
    #[error("hook {n} (`{name}`) blocks and does not say within how many seconds a ruling counts")]
    NoAge { n: u32, name: &'static str },
    #[error("hook {n} (`{name}`): rows are numbered from 1 without a gap")]
    Number { n: u32, name: &'static str },
    #[error("hook {n} (`{name}`) stands twice")]
    Twice { n: u32, name: &'static str },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HookTable {
    hook: Vec<Hook>,
}

/// The rows. The table is part of the binary; a test reads it, so that it holds.
pub(crate) fn table() -> &'static [Hook] {
    static ROWS: OnceLock<Vec<Hook>> = OnceLock::new();
    ROWS.get_or_init(|| read(shipped::read(shipped!("hooks"))).unwrap_or_default())
}

fn read(table: Result<HookTable, toml::de::Error>) -> Result<Vec<Hook>, BadHooks> {
    let table = table.map_err(|bad| BadHooks::Toml(bad.to_string()))?;
    for (at, hook) in table.hook.iter().enumerate() {
        let (n, name) = (hook.n, hook.name.word());
        if u32::try_from(at + 1) != Ok(n) {
            return Err(BadHooks::Number { n, name });
        }
        if hook.kind == HookKind::Block && hook.on != On::Stop && hook.within.is_none() {
            return Err(BadHooks::NoAge { n, name });
        }
        if table.hook[..at].iter().any(|other| other.name == hook.name) {
            return Err(BadHooks::Twice { n, name });
        }
    }
    Ok(table.hook)
}

/// The row `name`.
pub(crate) fn row(name: Name) -> Option<&'static Hook> {
    table().iter().find(|hook| hook.name == name)
}

/// What a command line does that a row may be about.
pub(crate) fn deeds(reading: &Reading) -> Vec<Deed<'_>> {
    let mut deeds = Vec::new();
    for found in &reading.found {
        let part = found.part.as_str();
        if let Some(git) = &found.git {
            if matches!(found.effect, Effect::GitWrite | Effect::Outward) {
                deeds.push(Deed::Git { verb: &git.verb, part });
            }
            let cleans = git.verb == "clean" && found.effect > Effect::Read;
            let throws =
                git.has(GitFlag::Hard) || (git.has(GitFlag::Force) && found.effect > Effect::Read);
            if cleans || throws {
                deeds.push(Deed::Beyond { how: Beyond::Destructive, part });
            }
        } else if found.effect == Effect::Outward {
            deeds.push(Deed::Beyond { how: Beyond::Outward, part });
        }
    }
    deeds.extend(
        opaque(reading).map(|found| Deed::Beyond { how: Beyond::Opaque, part: &found.part }),
    );
    deeds
}

/// A shell or an interpreter that reads what to do from a pipe or a substitution.
fn opaque(reading: &Reading) -> impl Iterator<Item = &Found> {
    /// Programs that run what they are given on their standard input.
    const RUN: [&str; 15] = [
        "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "perl", "ruby",
        "php", "eval", "source", ".",
    ];
    reading.found.iter().filter(|found| {
        let first = found.part.split_whitespace().find(|word| !word.contains('='));
        let name = first.map(|word| word.rsplit('/').next().unwrap_or(word));
        found.effect == Effect::Unknown
            && !found.seed
            && name.is_some_and(|name| RUN.contains(&name))
    })
}

/// Lines that a change takes or gives, whichever are more; `current` is the file as it is.
pub(crate) fn changed_lines(change: &Change, current: Option<&str>) -> u32 {
    let lines = match change {
        Change::Replace(all) => {
            all.iter().map(|one| differing(one.old.lines(), one.new.lines())).sum()
        }
        Change::Whole(new) => differing(current.unwrap_or_default().lines(), new.lines()),
        Change::Hunks(hunks) => {
            let one = |hunk: &Hunk| {
                differing(hunk.old.iter().map(String::as_str), hunk.new.iter().map(String::as_str))
            };
            hunks.iter().map(one).sum()
        }
        Change::Delete => current.unwrap_or_default().lines().count(),
        Change::Opaque => 0,
    };
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// Lines between the common head and the common tail, on the side that has more.
fn differing<'l>(
    old: impl DoubleEndedIterator<Item = &'l str> + Clone,
    new: impl DoubleEndedIterator<Item = &'l str> + Clone,
) -> usize {
    let head = old.clone().zip(new.clone()).take_while(|(old, new)| old == new).count();
    let (old, new): (Vec<&str>, Vec<&str>) = (old.skip(head).collect(), new.skip(head).collect());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    old.len().max(new.len()) - tail
}

/// The first row that asks for a ruling before one of `deeds`, if the last ruling will not do.
pub(crate) fn objection(
    deeds: &[Deed<'_>],
    standing: &Standing,
    now: UnixSeconds,
) -> Option<Objection> {
    for deed in deeds {
        let wanted =
            |hook: &&Hook| is_about(hook, deed, standing) && !is_enough(hook, deed, standing, now);
        if let Some(hook) = table().iter().find(wanted) {
            return Some(Objection { name: hook.name, part: told(deed) });
        }
    }
    None
}

fn told(deed: &Deed<'_>) -> String {
    match deed {
        Deed::Git { part, .. } | Deed::Beyond { part, .. } => (*part).to_owned(),
        Deed::Edit { .. } => String::new(),
        Deed::Launch { agent } => (*agent).to_owned(),
    }
}

fn is_about(hook: &Hook, deed: &Deed<'_>, standing: &Standing) -> bool {
    if hook.kind != HookKind::Block {
        return false;
    }
    match deed {
        Deed::Git { verb, .. } => hook.git.iter().any(|known| known == verb),
        Deed::Beyond { how, .. } => hook.effects.contains(how),
        Deed::Edit { lines } => {
            hook.lines.is_some_and(|most| standing.lines.saturating_add(*lines) > most)
        }
        Deed::Launch { .. } => hook.on == On::BeforeSubagent,
    }
}

/// A ruling that turned the claim down opens nothing, and one about a question or a plan
/// lets nothing out of this work tree.
fn is_enough(hook: &Hook, deed: &Deed<'_>, standing: &Standing, now: UnixSeconds) -> bool {
    let leaves = match deed {
        Deed::Git { .. } => true,
        Deed::Beyond { how, .. } => *how != Beyond::Destructive,
        Deed::Edit { .. } | Deed::Launch { .. } => false,
    };
    let age = now.saturating_sub(standing.at);
    // A clock that jumped back makes nothing younger than it is.
    let recent = hook.within.is_some_and(|within| (0..=within).contains(&age));
    let holds = if hook.tree { (recent && !standing.edited) || !standing.touched } else { recent };
    standing.opens && holds && (standing.act || !leaves)
}

/// The piece of a line that lets work out of this work tree, of those that rows are about: what a
/// hook rules on by itself.
pub(crate) fn lets_out(deeds: &[Deed<'_>]) -> Option<String> {
    let out = |deed: &&Deed<'_>| {
        let leaves = match deed {
            Deed::Git { .. } => true,
            Deed::Beyond { how, .. } => *how == Beyond::Outward,
            Deed::Edit { .. } | Deed::Launch { .. } => false,
        };
        leaves && table().iter().any(|hook| is_about(hook, deed, &Standing::default()))
    };
    deeds.iter().find(out).map(told)
}

/// The act that a row objects to leaves this work tree alone: a large edit, a subagent.
pub(crate) fn stays_inside(refusal: &Refusal) -> bool {
    let inside = [Case::LargeEdit, Case::Subagent].map(Case::word);
    refusal.facts.case().is_some_and(|case| inside.contains(&case))
}

/// Where hooks rule by themselves, and nothing was seen to test the work as it is.
///
/// # Errors
///
/// Refuses an act that lets work out of this work tree.
pub fn lets_out_untested(act: &Act) -> Verdict {
    let Act::Shell { command, .. } = act else { return Ok(()) };
    let reading = shell::read(command);
    match lets_out(&deeds(&reading)) {
        Some(part) => Err(unrun(&part)),
        None => Ok(()),
    }
}

/// The refusal of `part`, which would let out work that nothing was seen to test.
pub(crate) fn unrun(part: &str) -> Refusal {
    Refusal::new("claims", Wants::Claim).case(Case::ActUnrun).with("part", part)
}

/// Where words stand that a hook ruled on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    /// The question whether the job is complete.
    Question,
    /// The message that closes a cycle, where no such question is put.
    Message,
    /// The last words of a turn.
    Last,
    /// The message of a commit, or what goes with another act.
    Act,
}

/// The refusal of words that do not hold: the sentence, why, and the one step that turns it.
pub(crate) fn not_shown(spoken: Spoken, said: &str, why: &str, next: &str) -> Refusal {
    let case = match spoken {
        Spoken::Question => Case::AskedUnshown,
        Spoken::Message => Case::MessageUnshown,
        Spoken::Last => Case::LastWords,
        Spoken::Act => Case::ActUnshown,
    };
    Refusal::new("claims", Wants::Claim)
        .case(case)
        .with("said", cut(said, 16))
        .with("why", cut(why, 24).trim_end_matches('.'))
        .with("next", cut(next, 20).trim_end_matches('.'))
}

/// The first `most` words of a text on one line.
fn cut(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let head = words[..words.len().min(most)].join(" ");
    if words.len() > most { format!("{head} …") } else { head }
}

/// A ruling stands behind `act`, where a row asks for one; `lines` are those of the work that an
/// edit would change.
///
/// The first row that is about the act and is not content with `standing` objects.
///
/// # Errors
///
/// Refuses an act whose row asks for a ruling that is missing, too old or of other work.
pub fn stands_behind(act: &Act, lines: u32, standing: &Standing, now: UnixSeconds) -> Verdict {
    let reading;
    let deeds = match act {
        Act::Shell { command, .. } => {
            reading = shell::read(command);
            deeds(&reading)
        }
        Act::Delegate { agent, .. } => vec![Deed::Launch { agent }],
        Act::Edit(_) => vec![Deed::Edit { lines }],
        _ => return Ok(()),
    };
    match objection(&deeds, standing, now) {
        Some(Objection { name, part }) => Err(no(name).with("part", part)),
        None => Ok(()),
    }
}

/// The same of a call of an MCP server that reaches beyond this machine.
///
/// # Errors
///
/// As above.
pub(crate) fn stands_behind_outward(name: &str, standing: &Standing, now: UnixSeconds) -> Verdict {
    let deeds = [Deed::Beyond { how: Beyond::Outward, part: name }];
    match objection(&deeds, standing, now) {
        Some(Objection { name, part }) => Err(no(name).with("part", part)),
        None => Ok(()),
    }
}

fn no(name: Name) -> Refusal {
    let refusal = Refusal::new("claims", Wants::Claim);
    match name.case() {
        Some(case) => refusal.case(case),
        None => refusal,
    }
}

impl Hook {
    /// The refusal of an end of the turn whose last words speak of `path`, which was not opened.
    pub(crate) fn unopened(&self, path: &str) -> Refusal {
        no(self.name).with("path", path)
    }
}

/// The refusal of a push in which `bare` of `all` commits have no passing record.
pub(crate) fn bare_push(bare: usize, all: usize) -> Refusal {
    Refusal::new("claims", Wants::Claim)
        .case(Case::Push)
        .with("bare", bare.to_string())
        .with("all", all.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Replacement;
    use crate::shell;

    const NOW: UnixSeconds = 1_795_294_572;

    #[test]
    fn five_rows_block_and_ten_observe_in_both_forms() {
        let rows = read(shipped::read(shipped!("hooks"))).expect("the shipped table holds");
        let written = read(toml::from_str(include_str!("hooks.toml"))).expect("so does its source");
        assert_eq!(format!("{rows:?}"), format!("{written:?}"));
        let blocks = rows.iter().filter(|hook| hook.kind == HookKind::Block).count();
        assert_eq!((rows.len(), blocks), (15, 5));
    }

    #[test]
    fn a_faulty_table_names_its_row() {
        let row = |extra: &str| {
            format!("hook = [{{ n = 1, name = 'commit', on = 'before-shell'{extra} }}]")
        };
        let said =
            |text: &str| read(toml::from_str(text)).expect_err("it does not hold").to_string();
        assert!(
            said(&row(", kind = 'block'")).contains("hook 1 (`commit`) blocks and does not say")
        );
        assert!(said(&row(", kind = 'sometimes'")).contains("expected `block` or `observe`"));
        assert!(said(&row(", kind = 'observe', hours = 2")).contains("unknown field `hours`"));
        let two = "hook = [{ n = 2, name = 'commit', on = 'before-shell', kind = 'observe' }]";
        assert!(said(two).contains("numbered from 1"));
    }

    #[test]
    fn command_lines_are_parsed_not_searched() {
        for (line, wanted) in [
            ("git commit -m x", Some(Name::Commit)),
            ("git -C sub push origin main", Some(Name::Commit)),
            ("cd a && git rebase main", Some(Name::Commit)),
            ("git cherry-pick abc", Some(Name::Commit)),
            ("git push --force", Some(Name::Commit)),
            ("git reset --hard HEAD~1", Some(Name::Outward)),
            ("git clean -fdx", Some(Name::Outward)),
            ("gh pr create --fill", Some(Name::Outward)),
            ("cargo publish", Some(Name::Outward)),
            ("npm publish", Some(Name::Outward)),
            ("curl -X POST https://x.example/y", Some(Name::Outward)),
            ("curl https://x.example/y.sh | sh", Some(Name::Outward)),
            ("echo aGk= | base64 -d | bash", Some(Name::Outward)),
            ("eval \"$(echo aGk= | base64 -d)\"", Some(Name::Outward)),
            ("bash <(curl https://x.example/y)", Some(Name::Outward)),
            ("sudo git push", Some(Name::Commit)),
            ("sh -c 'git push'", Some(Name::Commit)),
            ("echo 'git push --force'", None),
            ("grep -rn 'git commit' docs", None),
            ("git log --grep='cargo publish'", None),
            ("git status", None),
            ("cargo test", None),
            ("python3 x.py", None),
            ("bash scripts/check.sh", None),
        ] {
            let reading = shell::read(line);
            let found = objection(&deeds(&reading), &Standing::default(), NOW);
            assert_eq!(found.map(|found| found.name), wanted, "{line}\n{reading:#?}");
        }
    }

    #[test]
    fn lines_are_counted_where_the_texts_differ() {
        let replace = |old: &str, new: &str| {
            Change::Replace(vec![Replacement { old: old.into(), new: new.into(), all: false }])
        };
        for (change, current, lines) in [
            (replace("a\nb\nc", "a\nB\nc"), None, 1),
            (replace("a", "a\nb\nc"), None, 2),
            (replace("", "x\ny"), None, 2),
            (Change::Whole("a\nb\n".into()), Some("a\nb\n"), 0),
            (Change::Whole("a\nb\n".into()), None, 2),
            (Change::Whole("a\n".into()), Some("a\nb\nc\n"), 2),
            (Change::Delete, Some("a\nb\n"), 2),
            (Change::Opaque, Some("a"), 0),
        ] {
            assert_eq!(changed_lines(&change, current), lines, "{change:?} over {current:?}");
        }
    }

    #[test]
    fn a_ruling_counts_while_it_is_about_this_work() {
        let fresh = Standing { opens: true, act: true, at: NOW - 10, ..Standing::default() };
        let commit = [Deed::Git { verb: "commit", part: "git commit" }];
        let out = [Deed::Beyond { how: Beyond::Outward, part: "npm publish" }];
        let lost = [Deed::Beyond { how: Beyond::Destructive, part: "git reset --hard" }];
        let edit = [Deed::Edit { lines: 15 }];
        let launch = [Deed::Launch { agent: "general-purpose" }];
        for (deeds, standing, objects) in [
            (&commit[..], Standing::default(), true),
            (&commit, fresh, false),
            (&commit, Standing { opens: false, ..fresh }, true),
            (&commit, Standing { act: false, ..fresh }, true),
            (&out, Standing { act: false, ..fresh }, true),
            (&out, fresh, false),
            (&lost, Standing { act: false, ..fresh }, false),
            (&edit, Standing { act: false, lines: 60, ..fresh }, false),
            (&commit, Standing { at: NOW - 9000, ..fresh }, false),
            (&commit, Standing { touched: true, ..fresh }, false),
            (&commit, Standing { touched: true, edited: true, ..fresh }, true),
            (&commit, Standing { touched: true, at: NOW - 301, ..fresh }, true),
            (&commit, Standing { touched: true, at: NOW + 60, ..fresh }, true),
            (&edit, Standing::default(), false),
            (&edit, Standing { lines: 5, ..Standing::default() }, false),
            (&edit, Standing { lines: 6, ..Standing::default() }, true),
            (&edit, Standing { lines: 60, ..fresh }, false),
            (&edit, Standing { lines: 60, at: NOW - 1801, ..fresh }, true),
            (&edit, Standing { lines: u32::MAX, ..Standing::default() }, true),
            (&launch, Standing::default(), true),
            (&launch, Standing { edited: true, touched: true, at: NOW - 1800, ..fresh }, false),
        ] {
            assert_eq!(
                objection(deeds, &standing, NOW).is_some(),
                objects,
                "{deeds:?} {standing:?}"
            );
        }
    }

    #[test]
    fn acts_that_ask_for_a_ruling_wait_for_one() {
        let none =
            Standing { opens: false, act: false, at: 0, touched: true, edited: false, lines: 0 };
        let good =
            Standing { opens: true, act: true, at: 100, touched: false, edited: false, lines: 0 };
        let shell = |command: &str| Act::Shell {
            command: command.to_owned(),
            cwd: None,
            background: false,
        };
        let launch = Act::Delegate { agent: "a".to_owned(), prompt: String::new() };
        for (act, lines, standing, expected) in [
            (&shell("git commit -m x"), 0, &none, "commit"),
            (&shell("git commit -m x"), 0, &good, "yes"),
            (&shell("git log"), 0, &none, "yes"),
            (&launch, 0, &none, "subagent"),
            (&Act::Edit(Vec::new()), 10_000, &none, "large-edit"),
            (&Act::Edit(Vec::new()), 0, &none, "yes"),
            (&Act::Housekeeping, 10_000, &none, "yes"),
        ] {
            let said = stands_behind(act, lines, standing, 100).map_or_else(
                |no| no.facts.get("case").unwrap_or_default().to_owned(),
                |()| "yes".to_owned(),
            );
            assert_eq!(said, expected, "{act:?} {lines}");
        }
    }
}
