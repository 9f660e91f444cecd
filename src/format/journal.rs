//! Lines of the journal: what happened since the last step.
//!
//! Each line is JSON, linked to the one before by a hash, and carries running counts
//! by class of act; so the last line is enough to decide. It holds counts of acts and
//! never a score. The step that folds the journal names its last hash in `job.toml`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::short_hash;
use crate::claims::Directive;
use crate::claims::Ran;
use crate::claims::hooks::Standing;
use crate::event::{Act, ToolCall};
use crate::jobs::UnixSeconds;
use crate::phases::activity::Activity;
use crate::secrets;
use crate::verdict::{Facts, Refusal, Wants};

/// Digits of a link.
const LINK: usize = 16;

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Seed-Id of the step that the job stood at; empty without a job.
    pub base: String,
    pub at: UnixSeconds,
    pub session: String,
    pub what: What,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The host's id of the tool call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// Paths that the act touched, as far as is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Paths that it changed outside the fence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strays: Vec<String>,
    /// Paths that changed without a call that claims them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unclaimed: Vec<String>,
    /// Fingerprinted files that it changed, as they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prints: Vec<String>,
    /// Refs that moved with the call and that are worth a word: name, old and new value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Letters of a prompt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub length: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refused>,
    /// A session was refused that does not drive the job: no cost of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// Files that were opened, as far as is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// Where something came from outside: an address, the words of a search, a server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The receipt of a command that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<Ran>,
    pub counts: Counts,
}

/// What a line tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A step was taken; the journal begins anew.
    #[default]
    Step,
    /// A tool ran.
    After,
    /// A tool ran that only looked; its paths are pages that were read.
    Looked,
    /// A guard or gate said no.
    Refused,
    /// The agent scheduled a prompt; `call` is the hash of its text.
    Scheduled,
    /// A registered question went to the host.
    Asked,
    /// A subagent launch went to the host, a subagent began, or it ended.
    Launched,
    /// A session began, or went on after its context was cleared.
    Session,
    /// A prompt came; `call` is the hash of its text, and nothing of the text stands here.
    Prompt,
    /// The turn was not let go.
    Kept,
    /// Work changed after code had run well, and nobody was heard to change it.
    Late,
    /// Something broke inside git seed; the act went ahead.
    Trouble,
    /// A commit went through our hook.
    Commit,
    /// Git seed ran a command itself; the line holds its receipt.
    Ran,
    /// The gate ruled on a claim, or was told where the work stands; `call` is the record.
    Claimed,
    /// An act went on without a ruling, and the agent was told.
    Advised,
    /// The context is about to be compacted; the line says where the gate stands.
    Compacting,
    /// A subagent ended: `tool` is its type, `call` its run, `source` the hash of its last words.
    Attested,
}

/// Running counts since the last step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Tool calls that ran.
    pub calls: u32,
    /// Words of git seed's own that were put before the agent.
    pub words: u32,
    /// Words of the person, of pages and of knowledge that it quoted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub quoted: u32,
    pub refusals: u32,
    pub page_edits: u32,
    pub plan_edits: u32,
    /// Times that the plan document was read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plan_reads: u32,
    /// Stops refused in a row, without an act in between.
    pub stops: u32,
    /// Refusals of the last kind in a row, without an accepted act in between.
    pub repeats: u32,
    /// That kind: who spoke, and which work was wanted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The person was told of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// Calls of the main session that gave commands of git seed and did nothing else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub own: u32,
    /// Acts of the main session, and what they proved.
    #[serde(flatten)]
    pub activity: Activity,
    /// The work tree as a receipt took it, and a mark of the index that it was taken from; empty
    /// where something changed since, absent where that is as the job has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What is known of the context since then; absent where nothing new is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauge: Option<Gauge>,
    /// The gate's last ruling and what happened since; absent where that is as the job has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Ruled>,
}

/// What tells a call from another one in a line of this kind: the host's id, or else, before the
/// call, what it does; of one whose doing is not known each is another. What comes after it finds
/// what was asked by the id, and by none where the host has none.
pub(crate) fn name_of(what: What, call: &ToolCall) -> String {
    let untold = matches!(call.act, Act::Unknown | Act::Foreign { .. });
    if untold || !matches!(what, What::Refused | What::Launched) || !call.id.is_empty() {
        return call.id.clone();
    }
    format!("~{}", short_hash(format!("{} {:?}", call.tool, call.act).as_bytes(), 16))
}

/// Whether a line could name that call. Most lines are of other calls, and reading one takes its
/// hash; an id that JSON would spell in another way is looked for in every line.
pub(crate) fn may_name(bytes: &[u8], call: &str) -> bool {
    let plain = call.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"~-_.:".contains(&byte));
    !call.is_empty() && (!plain || memchr::memmem::find(bytes, call.as_bytes()).is_some())
}

/// So near to each other that an event may have come twice.
pub(crate) fn is_at_once(one: UnixSeconds, other: UnixSeconds) -> bool {
    (one - other).abs() <= 1
}

impl Line {
    /// The line is of this kind, and about `call`. Two calls without an id are one where they do
    /// the same at once: two registrations of one host hand each event over twice.
    pub(crate) fn is_about(
        &self,
        what: What,
        session: &str,
        call: &ToolCall,
        now: UnixSeconds,
    ) -> bool {
        (self.what, &*self.call, &*self.tool, &*self.session)
            == (what, &*name_of(what, call), &*call.tool, session)
            && (!call.id.is_empty() || is_at_once(self.at, now))
    }
}

/// Words that a text puts before the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToldWords {
    /// Git seed's own.
    pub own: u32,
    /// Those of others, which stand on lines that begin with `> `.
    pub quoted: u32,
}

impl Counts {
    /// Counts words that are put before the agent.
    pub fn tell(&mut self, words: ToldWords) {
        self.words = self.words.saturating_add(words.own);
        self.quoted = self.quoted.saturating_add(words.quoted);
    }

    /// Takes words out again that were counted and wait to be told.
    pub(crate) fn untell(&mut self, words: ToldWords) {
        self.words = self.words.saturating_sub(words.own);
        self.quoted = self.quoted.saturating_sub(words.quoted);
    }
}

/// The gate's last ruling, and what has happened since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruled {
    /// Its record; empty where there was none yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub record: String,
    /// It let the claim stand.
    #[serde(default)]
    pub opens: bool,
    /// It was about what is done, and not about a question or a plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub act: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<Directive>,
    #[serde(default)]
    pub at: UnixSeconds,
    /// The work tree that it ruled on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tree: String,
    /// The work tree changed since.
    #[serde(default)]
    pub touched: bool,
    /// The agent edited the work since.
    #[serde(default)]
    pub edited: bool,
    /// Lines of the work that edits changed since.
    #[serde(default)]
    pub lines: u32,
    /// Acts of the job that went on without a ruling.
    #[serde(default)]
    pub without: u32,
    /// The session that was told of them, and the kinds that it was told of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
}

impl Ruled {
    /// Nothing is known.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// What counts of it for an act that asks for a ruling first.
    pub(crate) fn standing(&self) -> Standing {
        let Self { opens, act, at, touched, edited, lines, .. } = *self;
        // Without a ruling nothing is as it was then.
        let touched = touched || self.record.is_empty();
        Standing { opens, act, at, touched, edited, lines }
    }

    /// Adds what a call changed: something, or so many lines of the work.
    pub(crate) fn moved_on(&mut self, lines: Option<u32>) {
        self.touched = true;
        if let Some(lines) = lines {
            self.edited = true;
            self.lines = self.lines.saturating_add(lines);
        }
    }
}

/// How full the context was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauge {
    /// The last tier that the session was told of.
    #[serde(default)]
    pub told: u64,
    /// When the context was cleared or the compaction file sealed last; counts are stale
    /// for a while after that.
    #[serde(default)]
    pub fresh: UnixSeconds,
}

impl Gauge {
    /// Nothing is known.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Counts {
    /// Adds to the gate's last ruling, as these counts or else the job `known` it, what a call
    /// changed since.
    pub(crate) fn moved_on(&mut self, known: &Ruled, touched: bool, lines: Option<u32>) {
        if touched || lines.is_some() {
            self.gate.get_or_insert_with(|| known.clone()).moved_on(lines);
        }
    }

    /// The main session did something besides git seed's commands.
    pub(crate) fn has_acts(&self) -> bool {
        self.activity.acts.values().sum::<u32>() > self.own
    }
}

/// A refusal as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub by: String,
    pub wants: Wants,
    /// The phase that it was said in.
    pub phase: String,
    pub facts: Facts,
}

impl Refused {
    /// Takes likely secrets out of what was refused, and the way to what lies outside.
    pub(super) fn mask(&mut self) {
        self.facts.each(kept_fact);
    }

    pub(crate) fn of(refusal: &Refusal, phase: &str) -> Self {
        let (by, wants) = (refusal.by.to_owned(), refusal.wants);
        Self { by, wants, phase: phase.to_owned(), facts: refusal.facts.clone() }
    }
}

/// A line of the journal that does not hold.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum Broken {
    #[error("a journal line is not what git seed writes")]
    Unreadable,
    #[error("a journal line was changed after it was written")]
    Changed,
}

/// A line read back, with its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    pub line: Line,
    /// Hash of the line before.
    pub prev: String,
    pub hash: String,
}

impl Line {
    /// What the session that drives the job was refused; nothing of what a guest was.
    pub(crate) fn own_refusal(&self) -> Option<&Refused> {
        self.refusal.as_ref().filter(|_| !self.guest)
    }

    /// The bytes of the line after a line whose hash is `prev`, without a newline. There is no
    /// other way to bytes, so no line holds a likely secret or a path outside the work tree.
    pub(crate) fn link(mut self, prev: &str) -> Vec<u8> {
        self.mask();
        // A struct of strings and numbers always has a JSON form.
        let body = serde_json::to_string(&self).unwrap_or_default();
        let hash = short_hash(format!("{prev}\n{body}").as_bytes(), LINK);
        format!("{body}\t{prev}\t{hash}").into_bytes()
    }
}

impl Linked {
    /// Reads one line and checks that it says what it said when it was written.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Broken> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| Broken::Unreadable)?.trim_end_matches('\n');
        let mut parts = text.rsplitn(3, '\t');
        let (Some(hash), Some(prev), Some(body)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(Broken::Unreadable);
        };
        if short_hash(format!("{prev}\n{body}").as_bytes(), LINK) != hash {
            return Err(Broken::Changed);
        }
        let line = serde_json::from_str(body).map_err(|_| Broken::Unreadable)?;
        Ok(Self { line, prev: prev.to_owned(), hash: hash.to_owned() })
    }

    /// Checks that each of `lines` follows the one before.
    pub(crate) fn chain(lines: &[Vec<u8>]) -> Result<Vec<Self>, Broken> {
        let linked = lines.iter().map(|line| Self::read(line)).collect::<Result<Vec<_>, _>>()?;
        let holds = linked.windows(2).all(|pair| pair[0].hash == pair[1].prev);
        if holds { Ok(linked) } else { Err(Broken::Changed) }
    }
}

impl Line {
    /// Takes likely secrets out of what others said, and the way to what lies outside.
    fn mask(&mut self) {
        let Self { paths, opened, refusal, source, ran, refs, .. } = self;
        paths.iter_mut().chain(opened).for_each(kept_path);
        refs.iter_mut().for_each(secrets::mask_in);
        secrets::mask_in(source);
        if let Some(refused) = refusal {
            refused.mask();
        }
        if let Some(ran) = ran {
            ran.mask();
        }
    }
}

/// A path as it is kept: from the top of the work tree, or `<outside>/name`. `~/…` stays, which
/// names no person: by it a file that holds the fence up is restored.
pub(crate) fn kept_path(path: &mut String) {
    let bytes = path.as_bytes();
    let of_windows = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    if path.starts_with('/') || of_windows || path.starts_with("\\\\") {
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
        *path = format!("{OUTSIDE}{name}");
    }
    secrets::mask_in(path);
}

/// What stands in front of the name of a file outside the work tree.
const OUTSIDE: &str = "<outside>/";

/// A fact of a refusal: a path, several of them, or words.
fn kept_fact(fact: &mut String) {
    if !fact.contains(['\n', ' ']) || fact.split(", ").all(|part| !part.contains([' ', '\n'])) {
        let paths = fact.split(", ").map(|path| {
            let mut path = path.to_owned();
            kept_path(&mut path);
            path
        });
        *fact = paths.collect::<Vec<_>>().join(", ");
    } else {
        secrets::mask_in(fact);
    }
}

/// What a fold keeps: the lines without their links, which recompute.
pub(crate) fn fold(lines: &[Arc<Linked>]) -> String {
    let texts = lines.iter().filter(|linked| linked.line.what != What::Step);
    texts.filter_map(|linked| serde_json::to_string(&linked.line).ok()).fold(
        String::new(),
        |mut all, line| {
            all.push_str(&line);
            all.push('\n');
            all
        },
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_changed_line_is_noticed() {
        let line = Line { session: "s".into(), ..Line::default() };
        let bytes = line.clone().link("0000");
        assert_eq!(Linked::read(&bytes).map(|linked| linked.line), Ok(line));
        let mut forged = bytes.clone();
        let at = forged.iter().position(|b| *b == b'0').expect("a count");
        forged[at] = b'9';
        assert!(Linked::read(&forged).is_err());
        let again = Line::default().link("ffff");
        assert_eq!(Linked::chain(&[bytes, again]), Err(Broken::Changed));
    }

    #[test]
    fn no_line_tells_a_secret_or_the_way_to_what_lies_outside() {
        let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
        let mut facts = Facts::default();
        facts.set("path", "/home/me/notes/a.md");
        facts.set("paths", "src/a.rs, /home/me/b.md");
        facts.set("said", format!("run it with {token} in /tmp/x"));
        let refused =
            Refused { by: "place".into(), wants: Wants::Notes, phase: String::new(), facts };
        let line = Line {
            paths: vec!["/home/me/a".into(), "src/b.rs".into(), format!("src/{token}")],
            opened: vec![r"C:\\Users\\me\\c.txt".into()],
            source: format!("https://x/?t={token}"),
            ran: Some(Ran { command: format!("TOKEN={token} cargo test"), ..Ran::default() }),
            refusal: Some(refused),
            ..Line::default()
        };
        let line = Linked::read(&line.link("0000")).expect("it reads").line;
        assert_eq!(line.paths, ["<outside>/a", "src/b.rs", "src/<secret: github token>"]);
        assert_eq!(line.opened, ["<outside>/c.txt"]);
        assert_eq!(line.source, "https://x/?t=<secret: github token>");
        let ran = line.ran.expect("it is kept");
        assert_eq!(ran.command, "TOKEN=<secret: github token> cargo test");
        assert_eq!(ran.line(), "TOKEN=secret cargo test");
        let facts = line.refusal.expect("it is kept").facts;
        let said = ["path", "paths", "said"].map(|key| facts.get(key).unwrap_or_default());
        let masked = "run it with <secret: github token> in /tmp/x";
        assert_eq!(said, ["<outside>/a.md", "src/a.rs, <outside>/b.md", masked]);
    }

    #[test]
    fn what_a_call_changed_is_added_to_the_last_ruling() {
        let known = Ruled { record: "r".to_owned(), opens: true, lines: 3, ..Ruled::default() };
        // touched, lines; touched, edited and lines since, where anything is kept
        for (touched, lines, kept) in [
            (false, None, None),
            (true, None, Some((true, false, 3))),
            (false, Some(4), Some((true, true, 7))),
            (true, Some(u32::MAX), Some((true, true, u32::MAX))),
        ] {
            let mut counts = Counts::default();
            counts.moved_on(&known, touched, lines);
            let since = counts.gate.map(|gate| (gate.touched, gate.edited, gate.lines));
            assert_eq!(since, kept, "{touched} {lines:?}");
        }
        assert!(Ruled::default().standing().touched, "without a ruling nothing is as it was");
        assert!(!known.standing().touched);
    }

    proptest! {
        #[test]
        fn any_bytes_read_or_do_not(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Linked::read(&bytes);
        }

        #[test]
        fn any_words_survive(tool in any::<String>(), path in any::<String>(),
            prev in "[0-9a-f]{16}") {
            let mut line = Line { tool, paths: vec![path], ..Line::default() };
            let linked = Linked::read(&line.clone().link(&prev)).expect("it reads");
            line.mask();
            prop_assert_eq!((linked.line, linked.prev), (line, prev));
        }
    }
}
