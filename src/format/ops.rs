//! `refs/seed/ops`: what was done in this clone, one commit per operation.
//!
//! An operation is a command, or an event that made a step. Its tree has one place for each ref and
//! focus as they stood after it, so what an operation did is what differs from the tree before. A
//! ref stands there as git names a commit of another repository: by its id, which holds nothing. So
//! a job's chain is held by its own ref; a tip that no ref has any more is a further parent.
//!
//! The message says the command and the worktree, never a path, a host or a process. Operations of
//! a worktree form a tree of their own: each was done where the one before left things, and `undo`,
//! `redo` and `--to` walk in it from where the worktree stands. Nothing is ever cut off: a new
//! operation after an undo begins another branch of it. Each says which one it was done behind, so
//! that who takes back the newest ones reads no others, however many there are.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Spent, State};
use super::trailers::{StepTrailers, Trailers};
use super::{archive, names};
use crate::jobs::{JobId, Status, UnixSeconds};

/// The directory of the focuses.
const FOCUS: &str = "focus/";
const RULES: &str = "rules";
const ARCHIVE: &str = "archive";
/// How `Seed-Stands` says that nothing is before it.
const START: &str = "start";

/// The most stays that a job remembers what they came to.
const SPENT: usize = 3;

/// Where the ref `chain` stands in the tree of an operation; none for what operations do not tell.
pub(crate) fn place(chain: &str) -> Option<String> {
    match chain {
        names::RULES => Some(RULES.to_owned()),
        names::ARCHIVE => Some(ARCHIVE.to_owned()),
        _ => names::job_of(chain).map(|id| archive::place(&id)),
    }
}

/// Where the focus of a worktree stands there.
pub(crate) fn focus_place(worktree: &str) -> String {
    format!("{FOCUS}{worktree}")
}

/// The ref of a place; none where it is a focus.
pub(crate) fn chain_of(place: &str) -> Option<String> {
    match place {
        RULES => Some(names::RULES.to_owned()),
        ARCHIVE => Some(names::ARCHIVE.to_owned()),
        _ => job_of(place).map(|id| names::job_chain(&id)),
    }
}

/// The job of a place.
pub(crate) fn job_of(place: &str) -> Option<JobId> {
    let (fan, id) = place.split_once('/')?;
    if format!("{fan}/") == FOCUS { None } else { id.parse().ok() }
}

/// The worktree whose focus stands in a place.
pub(crate) fn worktree_of(place: &str) -> Option<&str> {
    place.strip_prefix(FOCUS)
}

/// What a focus on `chain` says there.
pub(crate) fn of_focus(chain: &str) -> String {
    chain.strip_prefix(names::JOBS).unwrap_or(chain).to_owned()
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    /// The commit that tells of it.
    pub id: String,
    pub at: UnixSeconds,
    pub command: String,
    /// Where it was done; empty for what was there before the first one.
    pub worktree: String,
    pub behind: Behind,
    /// An undo or a redo, and where it led.
    pub walked: Option<Walked>,
}

/// Which operation of its worktree an operation was done behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behind {
    /// It does not say: the one before it in the chain that its worktree then stood behind.
    #[default]
    Unsaid,
    Start,
    Op(String),
}

/// Where an undo or a redo led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walked {
    /// The operation that the worktree stands behind; none is the start.
    pub to: Option<String>,
    /// As far as `redo` leads from there.
    pub ahead: Option<String>,
}

impl Op {
    /// The whole message of its commit.
    pub(crate) fn message(
        command: &str,
        worktree: &str,
        behind: &Behind,
        walked: Option<&Walked>,
    ) -> String {
        let mut text = format!("{command}\n\nSeed-Worktree: {worktree}\n");
        match behind {
            Behind::Unsaid => {}
            Behind::Start => text.push_str(&format!("Seed-Behind: {START}\n")),
            Behind::Op(id) => text.push_str(&format!("Seed-Behind: {id}\n")),
        }
        if let Some(walked) = walked {
            for (key, id) in [("Seed-Stands", &walked.to), ("Seed-Redo", &walked.ahead)] {
                let id = id.as_deref().unwrap_or(START);
                text.push_str(&format!("{key}: {id}\n"));
            }
        }
        text
    }

    /// What the commit `id` tells of.
    pub(crate) fn read(id: String, message: &str, at: UnixSeconds) -> Self {
        let trailers = Trailers::of(message);
        let named = |key: &str| trailers.get(key).map(|id| (id != START).then(|| id.to_owned()));
        let walked = match (named("Seed-Stands"), named("Seed-Redo")) {
            (Some(to), Some(ahead)) => Some(Walked { to, ahead }),
            _ => None,
        };
        let command = message.lines().next().unwrap_or_default().to_owned();
        let worktree = trailers.get("Seed-Worktree").unwrap_or_default().to_owned();
        let behind = match named("Seed-Behind") {
            None => Behind::Unsaid,
            Some(id) => id.map_or(Behind::Start, Behind::Op),
        };
        Self { id, at, command, worktree, behind, walked }
    }

    /// Whether undo and redo count it; else they step over it.
    pub(crate) fn counts(&self) -> bool {
        !STEPPED_OVER.contains(&self.command.as_str())
    }

    /// Whether it took words away for good.
    pub(crate) fn redacts(&self) -> bool {
        self.command == REDACTED
    }

    /// What the next operation of its worktree is done behind.
    pub(crate) fn leaves(&self) -> Behind {
        match &self.walked {
            None => Behind::Op(self.id.clone()),
            Some(Walked { to, .. }) => to.clone().map_or(Behind::Start, Behind::Op),
        }
    }
}

/// What undo and redo step over: words that `job redact` took away stay away, so taking it back
/// would change nothing, and what a journal held stays recorded.
const STEPPED_OVER: [&str; 2] = [REDACTED, KEPT];
const REDACTED: &str = "job redact";

/// The operation of a sync that made a step of what the journal held, before it looked at what is
/// there. Nobody asked for it.
pub(crate) const KEPT: &str = "records kept";

/// Where a worktree stands among its operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stands {
    at: Option<String>,
    ahead: Option<String>,
}

/// The newest operations, or all, and where each worktree stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The one that each was done behind; undo and redo are no operations in this sense. Of those
    /// that were read only some may be known: the one before an operation that does not say it may
    /// be older than all of these.
    before: BTreeMap<String, Option<String>>,
    of: BTreeMap<String, String>,
    stands: BTreeMap<String, Stands>,
    /// Those that do not count on the way.
    over: BTreeSet<String>,
    /// Nothing is older than what was read.
    whole: bool,
}

/// The answer lies with operations that are older than those that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Older;

/// Why there is no way over so many operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoWay {
    /// So many are there.
    Fewer(usize),
    Older,
}

impl From<Older> for NoWay {
    fn from(_: Older) -> Self {
        Self::Older
    }
}

/// A way between two operations of a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Way {
    /// Undone on it, the newest first.
    pub back: Vec<String>,
    /// Done again on it, the oldest first.
    pub on: Vec<String>,
    pub walked: Option<Walked>,
}

impl History {
    /// Reads operations, the oldest first; `whole` says that none is older than these.
    pub(crate) fn of<'a>(ops: impl IntoIterator<Item = &'a Op>, whole: bool) -> Self {
        let mut all = Self { whole, ..Self::default() };
        for op in ops {
            let stood = all.stands.get(&op.worktree);
            let stands = if let Some(walked) = &op.walked {
                Stands { at: walked.to.clone(), ahead: walked.ahead.clone() }
            } else {
                let before = match (&op.behind, stood) {
                    (Behind::Op(id), _) => Some(Some(id.clone())),
                    (Behind::Start, _) => Some(None),
                    (Behind::Unsaid, Some(stood)) => Some(stood.at.clone()),
                    (Behind::Unsaid, None) => whole.then_some(None),
                };
                all.before.extend(before.map(|before| (op.id.clone(), before)));
                all.of.insert(op.id.clone(), op.worktree.clone());
                if !op.counts() {
                    all.over.insert(op.id.clone());
                }
                Stands { at: Some(op.id.clone()), ahead: Some(op.id.clone()) }
            };
            all.stands.insert(op.worktree.clone(), stands);
        }
        all
    }

    /// The operation and those that it was done behind, the newest first.
    fn line(&self, from: Option<&str>) -> impl Iterator<Item = Result<String, Older>> {
        let mut at = Ok(from.map(str::to_owned));
        std::iter::from_fn(move || {
            let id = match std::mem::replace(&mut at, Ok(None)) {
                Ok(id) => id?,
                Err(older) => return Some(Err(older)),
            };
            if !self.whole && !self.of.contains_key(&id) {
                return Some(Err(Older));
            }
            at = match self.before.get(&id) {
                Some(before) => Ok(before.clone()),
                None if self.whole => Ok(None),
                None => Err(Older),
            };
            Some(Ok(id))
        })
    }

    fn whole_line(&self, from: Option<&str>) -> Result<Vec<String>, Older> {
        self.line(from).collect()
    }

    /// Those of the operations that were read that are undone.
    pub(crate) fn undone(&self) -> BTreeSet<&str> {
        // A line leads to older ones only: where it leaves these, it does not come back.
        let lines = self.stands.values().flat_map(|one| self.line(one.at.as_deref()).flatten());
        let live: BTreeSet<String> = lines.collect();
        self.of.keys().map(String::as_str).filter(|id| !live.contains(*id)).collect()
    }

    /// The worktree that an operation was done in; none where there is no such operation.
    pub(crate) fn worktree(&self, id: &str) -> Option<&str> {
        self.of.get(id).map(String::as_str)
    }

    fn stands(&self, worktree: &str) -> Result<Stands, Older> {
        match self.stands.get(worktree) {
            Some(stands) => Ok(stands.clone()),
            None if self.whole => Ok(Stands::default()),
            None => Err(Older),
        }
    }

    /// Whether undo and redo count an operation.
    fn counts(&self, id: &str) -> bool {
        !self.over.contains(id)
    }

    /// The way back over `count` operations, and those between them that do not count.
    pub(crate) fn back(&self, worktree: &str, count: usize) -> Result<Way, NoWay> {
        let Stands { at, ahead } = self.stands(worktree)?;
        let (mut back, mut counted) = (Vec::new(), 0);
        let mut line = self.line(at.as_deref());
        while counted < count {
            let id = line.next().ok_or(NoWay::Fewer(counted))??;
            counted += usize::from(self.counts(&id));
            back.push(id);
        }
        // It need not be read: only its id is said.
        let to = match back.last() {
            Some(last) => self.before(last)?,
            None => at.clone(),
        };
        Ok(Way { back, on: Vec::new(), walked: Some(Walked { to, ahead }) })
    }

    fn before(&self, id: &str) -> Result<Option<String>, Older> {
        match self.before.get(id) {
            Some(before) => Ok(before.clone()),
            None if self.whole => Ok(None),
            None => Err(Older),
        }
    }

    /// The operations that `redo` leads over, the next one first; none where where it stands is
    /// not on the line.
    fn ahead(&self, worktree: &str) -> Result<Vec<String>, Older> {
        let Stands { at, ahead } = self.stands(worktree)?;
        let mut line = Vec::new();
        for id in self.line(ahead.as_deref()) {
            let id = id?;
            if at.as_ref() == Some(&id) {
                line.reverse();
                return Ok(line);
            }
            line.push(id);
        }
        line.reverse();
        Ok(if at.is_none() { line } else { Vec::new() })
    }

    /// The way on over `count` operations that were undone last, and those behind each that do not
    /// count.
    pub(crate) fn on(&self, worktree: &str, count: usize) -> Result<Way, NoWay> {
        let ahead = self.ahead(worktree)?;
        let counted = ahead.iter().filter(|id| self.counts(id)).count();
        if counted < count {
            return Err(NoWay::Fewer(counted));
        }
        let mut seen = 0;
        let end = ahead.iter().position(|id| {
            seen += usize::from(self.counts(id));
            seen > count
        });
        let on = &ahead[..end.unwrap_or(ahead.len())];
        let to = on.last().cloned().or(self.stands(worktree)?.at);
        let walked = Some(Walked { to, ahead: self.stands(worktree)?.ahead });
        Ok(Way { back: Vec::new(), on: on.to_vec(), walked })
    }

    /// The way on to `id`, if `redo` leads there.
    pub(crate) fn on_to(&self, worktree: &str, id: &str) -> Option<Way> {
        let ahead = self.ahead(worktree).ok()?;
        let on = ahead[..=ahead.iter().position(|one| one == id)?].to_vec();
        let walked =
            Some(Walked { to: on.last().cloned(), ahead: self.stands(worktree).ok()?.ahead });
        Some(Way { back: Vec::new(), on, walked })
    }

    /// The way to right behind `id`, wherever it is; none where the worktree stands there. All
    /// operations have to be read.
    pub(crate) fn to(&self, worktree: &str, id: &str) -> Option<Way> {
        let Stands { at, ahead } = self.stands(worktree).ok()?;
        let here = self.whole_line(at.as_deref()).ok()?;
        let there = self.whole_line(Some(id)).ok()?;
        let beyond = |line: &[String], other: &[String]| -> Vec<String> {
            let other: BTreeSet<&String> = other.iter().collect();
            line.iter().take_while(|one| !other.contains(one)).cloned().collect()
        };
        let (back, mut on) = (beyond(&here, &there), beyond(&there, &here));
        on.reverse();
        let on_line = self.line(ahead.as_deref()).flatten().any(|one| one == id);
        let ahead = if on_line { ahead } else { Some(id.to_owned()) };
        let walked = Some(Walked { to: Some(id.to_owned()), ahead });
        (!back.is_empty() || !on.is_empty()).then_some(Way { back, on, walked })
    }
}

/// The state of a job as it was, for a step that takes it there. What is no state but a log goes
/// on: the number of the step, who drives, what still runs, what was answered. What the work tree
/// proves is as it is now, for files do not change. So is what the fence looks from: `fence` is
/// the newest tree that a boundary of the job left, for what was committed by then is nobody's
/// change of the phase that opens again.
pub(crate) fn as_it_was(now: &State, then: &State, fence: &str) -> State {
    let mut state = then.clone();
    state.step.clone_from(&now.step);
    (state.steps, state.turn) = (now.steps, now.turn);
    state.folded.clone_from(&now.folded);
    state.claims.clone_from(&now.claims);
    state.driver.clone_from(&now.driver);
    state.flights.clone_from(&now.flights);
    state.running.clone_from(&now.running);
    state.scheduled.clone_from(&now.scheduled);
    state.answered.clone_from(&now.answered);
    // What it cost was spent, and what was done in a stay was done: a redo that leads back to the
    // same step finds both as the undo left them.
    state.spent.clone_from(&now.spent);
    state.spent.retain(|spent| spent.step != now.step);
    let (step, cost) = (now.step.clone(), now.cost.clone());
    state.spent.push(Spent { step, cost, entry: now.stand.entry.clone() });
    let old = state.spent.len().saturating_sub(SPENT);
    state.spent.drain(..old);
    if let Some(spent) = now.spent.iter().find(|spent| spent.step == then.step) {
        state.cost.clone_from(&spent.cost);
        state.stand.entry.clone_from(&spent.entry);
    }
    state.gauge = now.gauge;
    state.proved = now.proved;
    state.gate.clone_from(&now.gate);
    state.fence.seen.clone_from(&now.fence.seen);
    state.fence.loose |= now.fence.loose;
    // Before the first step of a cycle nothing is looked from.
    if !then.fence.tree.is_empty() && !fence.is_empty() {
        fence.clone_into(&mut state.fence.tree);
    }
    state.home.clone.clone_from(&now.home.clone);
    state.home.logged = then.home.logged.max(now.home.logged);
    state.unlocked = then.unlocked.clone().filter(|one| now.unlocked.as_ref() == Some(one));
    state.put_back = then.put_back.clone().filter(|one| now.put_back.as_ref() == Some(one));
    state
}

/// The state of a job whose birth is undone, and that other things still name.
pub(crate) fn withdrawn(now: &State, first: &State) -> State {
    let mut state = as_it_was(now, first, "");
    state.job.status = Status::Voided;
    state.home.worktree.clear();
    state
}

/// Which steps of a chain stand, by their Seed-Id, where some led back: `said` are the trailers of
/// all, the oldest first. Behind a step that led back stands what stood where it led.
pub(crate) fn standing<'a>(
    said: impl IntoIterator<Item = &'a StepTrailers>,
    up_to: Option<&str>,
) -> BTreeSet<String> {
    let mut before: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut last: Option<&str> = None;
    for step in said {
        let follows = step.back.as_deref().filter(|back| before.contains_key(back)).or(last);
        before.insert(&step.id, follows);
        last = Some(&step.id);
    }
    let mut stand = BTreeSet::new();
    let mut at = up_to.or(last);
    while let Some(id) = at {
        if !stand.insert(id.to_owned()) {
            break;
        }
        at = before.get(id).copied().flatten();
    }
    stand
}

#[cfg(test)]
mod tests {
    use super::*;

    fn did(id: &str, worktree: &str) -> Op {
        let (id, worktree, command) = (id.to_owned(), worktree.to_owned(), "phase".to_owned());
        Op { id, at: 7, command, worktree, behind: Behind::Unsaid, walked: None }
    }

    fn walked(id: &str, to: Option<&str>, ahead: Option<&str>) -> Op {
        let [to, ahead] = [to, ahead].map(|id| id.map(str::to_owned));
        Op { command: "undo".to_owned(), walked: Some(Walked { to, ahead }), ..did(id, "main") }
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        for op in [did("a", "main"), walked("b", None, Some("a")), walked("c", Some("a"), None)] {
            for behind in [Behind::Unsaid, Behind::Start, Behind::Op("z".to_owned())] {
                let op = Op { behind, ..op.clone() };
                let (at, walked) = (&op.behind, op.walked.as_ref());
                let message = Op::message(&op.command, &op.worktree, at, walked);
                assert_eq!(Op::read(op.id.clone(), &message, 7), op);
            }
        }
    }

    #[test]
    fn a_place_says_what_stands_there() {
        let chain = "refs/seed/jobs/20261121t205612-7f3a";
        let job = place(chain).expect("a place");
        assert_eq!(chain_of(&job).as_deref(), Some(chain));
        assert_eq!(job_of(&job).map(|id| names::job_chain(&id)).as_deref(), Some(chain));
        assert_eq!(worktree_of(&job), None);
        let focus = focus_place("side");
        assert_eq!((chain_of(&focus), job_of(&focus)), (None, None));
        assert_eq!(worktree_of(&focus), Some("side"));
        assert_eq!(chain_of(&place(names::RULES).expect("a place")).as_deref(), Some(names::RULES));
        for other in [names::CLAIMS, names::META, names::OPS, "refs/seed/keep/j"] {
            assert_eq!(place(other), None, "{other}");
        }
    }

    #[test]
    fn undo_and_redo_walk_and_a_new_operation_begins_a_branch() {
        let mut ops = vec![did("a", "main"), did("x", "side"), did("b", "main"), did("c", "main")];
        let history = History::of(&ops, true);
        let way = history.back("main", 2).expect("two are there");
        assert_eq!(way.back, ids(&["c", "b"]));
        assert_eq!(history.back("main", 4), Err(NoWay::Fewer(3)));
        assert_eq!(history.on("main", 1), Err(NoWay::Fewer(0)), "nothing was undone");
        ops.push(walked("u", Some("a"), Some("c")));
        let history = History::of(&ops, true);
        assert_eq!(history.undone(), BTreeSet::from(["b", "c"]));
        assert_eq!(history.on("main", 2).expect("two").on, ids(&["b", "c"]));
        assert_eq!(history.on("main", 3), Err(NoWay::Fewer(2)));
        let way = history.on_to("main", "b").expect("redo leads there");
        assert_eq!(way.walked.as_ref().and_then(|way| way.ahead.as_deref()), Some("c"));
        ops.push(did("d", "main"));
        let history = History::of(&ops, true);
        assert_eq!(history.on("main", 1), Err(NoWay::Fewer(0)), "a new one empties redo");
        assert_eq!(history.undone(), BTreeSet::from(["b", "c"]));
        let way = history.to("main", "c").expect("a way");
        assert_eq!((way.back, way.on), (ids(&["d"]), ids(&["b", "c"])));
        let way = history.to("main", "a").expect("a way");
        assert_eq!((way.back, way.on), (ids(&["d"]), ids(&[])));
        assert_eq!(history.to("main", "d"), None, "it stands there");
        assert_eq!((history.worktree("x"), history.worktree("u")), (Some("side"), None));
        ops.push(walked("v", None, Some("d")));
        let history = History::of(&ops, true);
        assert_eq!(history.back("main", 1), Err(NoWay::Fewer(0)), "it stands at the start");
        assert_eq!(history.on("main", 2).expect("two").on, ids(&["a", "d"]));
    }

    #[test]
    fn behind_a_step_that_led_back_stands_what_stood_where_it_led() {
        let step = |id: &str, back: Option<&str>| StepTrailers {
            id: id.to_owned(),
            back: back.map(str::to_owned),
            ..StepTrailers::default()
        };
        let mut chain = vec![step("1", None), step("2", None), step("3", None)];
        let stand = |chain: &[StepTrailers]| standing(chain, None).into_iter().collect::<Vec<_>>();
        assert_eq!(stand(&chain), ["1", "2", "3"]);
        chain.push(step("4", Some("1")));
        assert_eq!(stand(&chain), ["1", "4"]);
        chain.push(step("5", Some("3")));
        assert_eq!(stand(&chain), ["1", "2", "3", "5"]);
        chain.push(step("6", Some("4")));
        chain.push(step("7", None));
        assert_eq!(stand(&chain), ["1", "4", "6", "7"]);
        let up_to = standing(&chain, Some("5")).into_iter().collect::<Vec<_>>();
        assert_eq!(up_to, ["1", "2", "3", "5"]);
    }

    #[test]
    fn words_that_went_are_stepped_over() {
        let redact = |id: &str| Op { command: STEPPED_OVER[0].to_owned(), ..did(id, "main") };
        let mut ops = vec![did("a", "main"), did("b", "main"), redact("r"), redact("s")];
        let history = History::of(&ops, true);
        let way = history.back("main", 1).expect("one is there");
        assert_eq!(way.back, ids(&["s", "r", "b"]));
        assert_eq!(history.back("main", 3), Err(NoWay::Fewer(2)));
        ops.push(Op { walked: way.walked, ..walked("u", None, None) });
        let history = History::of(&ops, true);
        assert_eq!(history.on("main", 1).expect("it leads there").on, ids(&["b", "r", "s"]));
        assert_eq!(history.on("main", 2), Err(NoWay::Fewer(1)));
        let only = [redact("r")];
        assert_eq!(History::of(&only, true).back("main", 1), Err(NoWay::Fewer(0)));
    }

    /// Operations as three worktrees would write them, each saying what it was done behind.
    fn written(acts: &[(u8, u8)]) -> Vec<Op> {
        let mut ops: Vec<Op> = Vec::new();
        for (number, (worktree, act)) in acts.iter().enumerate() {
            let worktree = ["main", "side", "far"][usize::from(worktree % 3)];
            let newest = ops.iter().rev().find(|op| op.worktree == worktree);
            let behind = newest.map_or(Behind::Start, Op::leaves);
            let history = History::of(&ops, true);
            let walked = match act % 4 {
                0 => history.back(worktree, 1).ok(),
                1 => history.on(worktree, 1).ok(),
                _ => None,
            };
            let walked = walked.and_then(|way| way.walked);
            let behind = if walked.is_some() { Behind::Unsaid } else { behind };
            let id = format!("{number:03}");
            let op = Op { behind, walked, ..did(&id, worktree) };
            let message = Op::message(&op.command, worktree, &op.behind, op.walked.as_ref());
            ops.push(Op::read(id, &message, 7));
        }
        ops
    }

    proptest::proptest! {
        #[test]
        fn a_part_says_what_all_say_or_asks_for_older_ones(
            acts in proptest::collection::vec((0..3_u8, 0..4_u8), 1..40),
            from in 0..40_usize,
            count in 1..5_usize,
        ) {
            let ops = written(&acts);
            let silent: Vec<Op> =
                ops.iter().map(|op| Op { behind: Behind::Unsaid, ..op.clone() }).collect();
            let all = History::of(&ops, true);
            for ops in [&ops, &silent] {
                let whole = History::of(ops, true);
                let part = History::of(&ops[from.min(ops.len())..], false);
                let newer: BTreeSet<&str> =
                    ops.iter().skip(from).map(|op| op.id.as_str()).collect();
                let undone: BTreeSet<&str> =
                    all.undone().into_iter().filter(|id| newer.contains(id)).collect();
                proptest::prop_assert_eq!(part.undone(), undone);
                for worktree in ["main", "side", "far"] {
                    for (says, said, knows) in [
                        (part.back(worktree, count), whole.back(worktree, count),
                            all.back(worktree, count)),
                        (part.on(worktree, count), whole.on(worktree, count),
                            all.on(worktree, count)),
                    ] {
                        proptest::prop_assert_eq!(&said, &knows);
                        proptest::prop_assert!(says == knows || says == Err(NoWay::Older));
                    }
                }
            }
        }

        #[test]
        fn one_worktree_reads_no_more_than_it_takes_back(
            acts in proptest::collection::vec((0..1_u8, 2..4_u8), 5..40),
            count in 1..5_usize,
        ) {
            let ops = written(&acts);
            let part = History::of(&ops[ops.len() - count..], false);
            proptest::prop_assert!(part.back("main", count).is_ok());
        }
    }
}
