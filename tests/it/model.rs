//! No dead ends: the decision core, searched state by state.
//!
//! The search walks every state that a job can reach on each map, as far as a rule can tell
//! states apart, and tries every act, command and event in it. What decides is the library
//! itself: [`Position`], the gates over a [`Crossing`], the guards over a [`Scene`], the rules of
//! commands and of the turn's end, the questions, the status machine, the command table of the
//! shell. What is left here is in which order the joint asks them, and what acts do to a state;
//! each such place names its original, and [`walks`] compares both on real repositories.
//!
//! What a rule cannot tell apart is one state: counts of acts are `none`, `enough` and
//! `full`; whatever the phase in hand does not look at is forgotten, and comes back with
//! every value it might have where a phase begins to look at it. So the search sees more
//! states than there are, never fewer.

mod walks;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use git_seed::claims::hooks;
use git_seed::event::{self, Actor, PageChange, Question};
use git_seed::jobs::questions::{self, APPROVE, Ahead, Grant, Locks, Moment, Opened, REVIEW};
use git_seed::jobs::routing::Route;
use git_seed::jobs::shortword::{self, Moment as Worktree, SaidLane, SizeWords};
use git_seed::jobs::{Job, Status, routing};
use git_seed::memory::dispatch::{self, Live};
use git_seed::memory::lock::{Loss, Unarchived};
use git_seed::memory::notes::Kinds;
use git_seed::phases::activity::{Activity, Left};
use git_seed::phases::criteria::{Criterion, Ground, Shown};
use git_seed::phases::gates::{self, Crossing, PlanStanding};
use git_seed::phases::git_acts::{self, Ruling};
use git_seed::phases::guard::{self, Call, FileChange, Lost, Scene};
use git_seed::phases::home::{self, Away, Here};
use git_seed::phases::lane::Opening;
use git_seed::phases::message::{Message, OUTSTANDING, is_settled};
use git_seed::phases::next::{self, Loose, Next, Standing};
use git_seed::phases::orchestrator::Entry;
use git_seed::phases::pacing::{Acts, CORE_LENSES, Demand, Stay};
use git_seed::phases::place::{Lock, Place};
use git_seed::phases::review::{Ending, Reply, Review};
use git_seed::phases::room::Room;
use git_seed::phases::stop::{self, Turn};
use git_seed::phases::{
    Class, Map, Move, Multiplier, Phase, PhaseKind, PhaseName, Position, Write, commands, deeds,
};
use git_seed::rules::{Idle, Rules};
use git_seed::verdict::Refusal;
use git_seed::voice::{self, Way};
use git_seed::{plans, shell};

use super::sample::Extent;

/// Where the job lives, while HEAD is elsewhere.
const MAIN: Away<'_> = Away { branch: "main", is_gone: false };

/// The most commands of git seed on the way out of any state; one more puts a stray back.
const MOST: u8 = 3;
/// The most refusals in a row that a sentence may lead through.
const DETOURS: u8 = 3;
/// As many jobs that wait as a rule can tell from one.
const MANY: u8 = 2;
/// Tags of the questions that are tried in every shape.
const COMPLETE: &str = "[JOB-COMPLETE]";
/// What git seed counted of the work, in one line.
const CARD: &str = "Seen by git seed: 1 file, +1 -1; 2 runs, last `cargo test` exit 0.";
const SIDE: &str = "[GMODE]";
const DROP: &str = "[JOB-DROP]";
/// The one criterion of every plan.
const CRITERION: &str = "escapes survive in quoted strings";
/// An objective in the shape that a job may ask for.
const TOLD: &str = "## Users\neverybody\n";

// ---- states

/// The word on how small the stay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Dial {
    Unset,
    Half,
    Three,
}

/// What was looked at since a page was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Since {
    Nothing,
    Enough,
    Full,
}

/// The plan pointer, and the document that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Plan {
    Undecided,
    /// No document, or one that is there and reads.
    Settled,
    Missing,
    /// It is there and has no total.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Life {
    Active,
    Completed,
    Pending,
    /// It rests until a person approves it.
    Awaiting,
    /// It is over, and no job has the focus.
    Over,
}

impl Life {
    /// The job is out of focus.
    fn rests(self) -> bool {
        matches!(self, Self::Pending | Self::Awaiting | Self::Over)
    }
}

/// A job and the tree around it, as far as a rule can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent answers, each asked by another rule"
)]
struct State {
    /// Number of the row in its map.
    phase: usize,
    /// The row that the side lane returns to.
    aside: Option<usize>,
    /// A first step was taken; before it, it is all talk.
    begun: bool,
    /// In the second cycle or a later one.
    later: bool,
    /// The next start continues the cycle that was left.
    again: bool,
    life: Life,
    dial: Dial,
    /// A page was written in this stay.
    page: bool,
    /// The stay was entered by a step back.
    back: bool,
    since: Since,
    /// The acts of the stay are worth enough at any multiplier.
    worth: bool,
    /// Nothing is left of the balance.
    spent: bool,
    /// As many subagents are under way as may be.
    crowded: bool,
    plan: Plan,
    /// The plan document was edited in this stay.
    edited: bool,
    /// The plan document counts already and was not read in this stay.
    unread: bool,
    /// A directory with a page is declared.
    declared: bool,
    /// Something is there to commit.
    own: bool,
    proved: bool,
    checkpoint: bool,
    /// The name was given.
    named: bool,
    /// The objective is told.
    told: bool,
    /// The objective lacks a part of the shape that the job declared.
    shapeless: bool,
    /// A note is live in a footer.
    notes: bool,
    /// The footers did not shrink yet.
    heavy: bool,
    /// The session log does not hold what the footers say.
    unkept: bool,
    /// A note was not given to the subagent that acts on it.
    ungiven: bool,
    /// The work is large, and nobody else has looked at it.
    unlooked: bool,
    /// What the session wrote down for the next one is not sealed.
    unsealed: bool,
    /// The plan has cycles left.
    left: bool,
    /// The job waits for another one.
    waits: bool,
    /// The lenses of [`lenses`] that the stay was looked at through, from the first on.
    seen: usize,
    /// The agent changed something outside the fence; in the side lane, something uncommitted.
    stray: bool,
    /// The work is larger than its lane takes.
    outgrown: bool,
    /// The side lane was prepared, and nothing came in between.
    prepared: bool,
    /// In the side lane, a note names the root cause.
    caused: bool,
    /// Between cycles, and the last one closed without an answer.
    finished: bool,
    /// What became of the question for completion.
    review: Review,
    /// Jobs that wait in this worktree; two are as many as any.
    queue: u8,
    /// Nobody is there who could answer.
    alone: bool,
    /// The job was taken up by its name: it is work before its first step.
    queued: bool,
    /// Without a focus: a person has yet to approve a job that rests.
    others: bool,
}

impl State {
    /// All of it in one number: the search looks states up by the million.
    fn packed(&self) -> u64 {
        let parts = [
            (self.phase as u64, 4),
            (self.aside.map_or(0, |from| from as u64 + 1), 4),
            (u64::from(self.begun), 1),
            (u64::from(self.later), 1),
            (u64::from(self.again), 1),
            (self.life as u64, 3),
            (self.dial as u64, 2),
            (u64::from(self.page), 1),
            (u64::from(self.back), 1),
            (self.since as u64, 2),
            (u64::from(self.worth), 1),
            (u64::from(self.spent), 1),
            (u64::from(self.crowded), 1),
            (self.plan as u64, 2),
            (u64::from(self.edited), 1),
            (u64::from(self.unread), 1),
            (u64::from(self.declared), 1),
            (u64::from(self.own), 1),
            (u64::from(self.proved), 1),
            (u64::from(self.checkpoint), 1),
            (u64::from(self.named), 1),
            (u64::from(self.told), 1),
            (u64::from(self.shapeless), 1),
            (u64::from(self.notes), 1),
            (u64::from(self.heavy), 1),
            (u64::from(self.unkept), 1),
            (u64::from(self.ungiven), 1),
            (u64::from(self.unlooked), 1),
            (u64::from(self.unsealed), 1),
            (u64::from(self.left), 1),
            (u64::from(self.waits), 1),
            (self.seen as u64, 4),
            (u64::from(self.stray), 1),
            (u64::from(self.outgrown), 1),
            (u64::from(self.prepared), 1),
            (u64::from(self.caused), 1),
            (u64::from(self.finished), 1),
            (self.review as u64, 2),
            (u64::from(self.queue), 2),
            (u64::from(self.alone), 1),
            (u64::from(self.queued), 1),
            (u64::from(self.others), 1),
        ];
        // Not folded: without optimization an iterator over it takes most of the search's time.
        let (mut all, mut at) = (0, 0);
        while at < parts.len() {
            all = (all << parts[at].1) | parts[at].0;
            at += 1;
        }
        all
    }
}

impl std::hash::Hash for State {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.packed());
    }
}

/// What is so beside the job; a person or the host may change it at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Around {
    Nothing,
    /// Another session drives the job.
    Guest,
    /// HEAD is on another branch.
    Away,
    /// The host launches no subagents.
    Alone,
    /// The journal does not hold.
    Broken,
    /// A hook of the person's refuses every commit.
    Vetoed,
    /// A subagent acts, not the main session.
    Below,
    /// What was said is to be summed up.
    Unsummed,
    /// Acts wait for a ruling on the claim behind them.
    Unruled,
    /// Nobody has let tests run here, and nobody can be asked.
    Untried,
    /// The host's hooks do not fire.
    Silent,
    /// Any change would make the work larger than its small lane takes.
    Large,
}

const AROUND: [Around; 12] = [
    Around::Nothing,
    Around::Guest,
    Around::Away,
    Around::Alone,
    Around::Broken,
    Around::Vetoed,
    Around::Below,
    Around::Unsummed,
    Around::Unruled,
    Around::Untried,
    Around::Silent,
    Around::Large,
];

// ---- acts and commands

/// A tool call, by what guards can tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Act {
    ReadProject,
    ReadPage,
    ReadKnowledge,
    ReadPlan,
    ReadState,
    ReadHostMemory,
    Search,
    Web,
    EditDeclared,
    EditElsewhere,
    PageOwn,
    /// Words of a footer go.
    PageShorter,
    PageEarlier,
    PageBody,
    PageElsewhere,
    PageNew,
    PageOpaque,
    PageLost,
    PageGone,
    PageDisorder,
    PageIncomplete,
    Knowledge,
    AgentDefinition,
    PlanDocument,
    JobFile,
    Surface,
    SurfaceTest,
    GitFile,
    OwnState,
    Outside,
    Scratch,
    ShellLook,
    ShellRun,
    ShellTest,
    ShellWrite,
    ShellWriteElsewhere,
    Commit,
    Stash,
    Network,
    Outward,
    ShellUnknown,
    Delegate,
    /// A subagent that acts on notes, launched without one.
    DelegateUnquoted,
    Ask,
    AskWaiting,
    AskWaitingBare,
    AskRepeat,
    AskComplete,
    AskCompleteShort,
    AskCompleteOutstanding,
    AskCompleteBare,
    AskCompleteOptions,
    AskCompleteNameless,
    AskCompleteCardless,
    AskSide,
    AskSideShort,
    AskSideBeside,
    Housekeeping,
    Schedule,
    Foreign,
    Unknown,
    /// A command of git seed that only looks.
    SeedLooks,
    /// A command of git seed that moves the job.
    SeedMoves,
    /// A command that is a person's.
    Persons,
    AskDrop,
    AskDropBare,
}

const ACTS: [Act; 66] = {
    use Act::*;
    [
        ReadProject,
        ReadPage,
        ReadKnowledge,
        ReadPlan,
        ReadState,
        ReadHostMemory,
        Search,
        Web,
        EditDeclared,
        EditElsewhere,
        PageOwn,
        PageShorter,
        PageEarlier,
        PageBody,
        PageElsewhere,
        PageNew,
        PageOpaque,
        PageLost,
        PageGone,
        PageDisorder,
        PageIncomplete,
        Knowledge,
        AgentDefinition,
        PlanDocument,
        JobFile,
        Surface,
        SurfaceTest,
        GitFile,
        OwnState,
        Outside,
        Scratch,
        ShellLook,
        ShellRun,
        ShellTest,
        ShellWrite,
        ShellWriteElsewhere,
        Commit,
        Stash,
        Network,
        Outward,
        ShellUnknown,
        Delegate,
        DelegateUnquoted,
        Ask,
        AskWaiting,
        AskWaitingBare,
        AskRepeat,
        AskComplete,
        AskCompleteShort,
        AskCompleteOutstanding,
        AskCompleteBare,
        AskCompleteOptions,
        AskCompleteNameless,
        AskCompleteCardless,
        AskSide,
        AskSideShort,
        AskSideBeside,
        Housekeeping,
        Schedule,
        Foreign,
        Unknown,
        SeedLooks,
        SeedMoves,
        Persons,
        AskDrop,
        AskDropBare,
    ]
};

/// What a boundary's message is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Text {
    Whole,
    None,
    Short,
    Bare,
    Unsettled,
    Forged,
    /// One line, with `-m`.
    Line,
    /// Whole, but for its answer to the plan's criterion: there is none, it is not met, or it is
    /// not shown.
    Unanswered,
    Unmet,
    Unshown,
}

/// A command of git seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Cmd {
    /// One of those that only show.
    Show,
    Fix,
    Restore,
    Advance {
        to: Option<usize>,
        text: Text,
        add: bool,
        scope: bool,
    },
    Back {
        to: Option<usize>,
        said: bool,
    },
    Checkpoint {
        said: bool,
    },
    Multiplier(Dial),
    Update {
        objective: bool,
    },
    /// `again`: what is said was said before.
    Decide {
        document: bool,
        again: bool,
    },
    Exit,
    /// `git seed gmode prep`; said with enough words or not, sure or not.
    Prep {
        sure: bool,
        said: bool,
    },
    /// `git seed phase advance --up`.
    Up {
        said: bool,
    },
    /// `git seed phase advance --small --scope`; a file there was read or not.
    Small {
        said: bool,
        looked: bool,
    },
    /// `git seed phase advance --review`.
    Review,
    Reflect {
        thin: bool,
    },
    /// `git seed summary submit`.
    SumUp,
    /// `git seed condense archive`.
    Archive,
    /// `git seed compact seal`.
    Seal,
    /// `git seed plan read`.
    ReadPlan,
    Pause,
    /// Another job takes the focus.
    Focus,
    /// The job itself, after a pause.
    Activate,
    Create,
    Unlink,
    /// `git seed job move` and its like.
    Persons,
}

/// Commands that must be open whatever happens, besides the way back and out.
const RECOVERY: [&str; 12] = [
    "git seed status",
    "git seed why",
    "git seed doctor",
    "git seed doctor --fix",
    "git seed fence status",
    "git seed fence restore",
    "git seed phase current",
    "git seed phase list",
    "git seed gmode exit",
    "git seed phase back -m why",
    "git seed job show",
    "git seed job pause",
];

/// What comes of a command.
#[derive(Clone, Debug)]
enum Came {
    /// It is done, and the job goes on here.
    Done(Vec<State>),
    /// It led into a phase, by [`Search::entries`].
    Enters { into: usize, on: bool },
    /// It led on, to nowhere that the search has not been.
    On,
    /// A rule said no.
    No(usize),
    /// It failed, and a rule was not asked.
    Fails(&'static str),
}

/// Where a sentence leads, read from what it says.
#[derive(Clone, Debug)]
struct Remedy {
    commands: Vec<Cmd>,
    way: Option<Way>,
    said: String,
    by: &'static str,
    case: String,
}

/// What the rules look at in a row's phase.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one answer for each part of a state")]
struct Looks {
    inside: bool,
    idle: bool,
    side: bool,
    consolidates: bool,
    paced: bool,
    spends: bool,
    crowds: bool,
    document: bool,
    edited: bool,
    unread: bool,
    scoped: bool,
    checkpoints: bool,
    proof: bool,
    ahead: bool,
    proof_pays: bool,
    checkpoint_pays: bool,
    named: bool,
    told: bool,
    shapeless: bool,
    notes: bool,
    heavy: bool,
    unkept: bool,
    ungiven: bool,
    unlooked: bool,
    unsealed: bool,
    dial: bool,
    reflects: bool,
    outgrows: bool,
}

impl Looks {
    fn of(row: &Phase, map: &Map) -> Self {
        let asks = |gate: &str| row.exit.iter().any(|name| name == gate);
        let writes = |write: Write| row.write.contains(&write);
        let pace = row.pace.clone().unwrap_or_default();
        Self {
            inside: row.is_in_cycle(),
            idle: row.name.is_idle(),
            side: row.kind == PhaseKind::Side,
            consolidates: row.kind == PhaseKind::Consolidation,
            paced: row.pace.is_some(),
            spends: pace.budget > 0 && !pace.spends.is_empty(),
            crowds: pace.in_flight > 0,
            document: writes(Write::PlanNew) || writes(Write::PlanEdit) || asks("document"),
            edited: asks("plan-unedited"),
            unread: asks("read-back"),
            scoped: writes(Write::Scope) || writes(Write::ScopedPage) || asks("declared"),
            checkpoints: row.checkpoints,
            proof: asks("proof") || asks("criteria") || map.asks_ahead(row),
            ahead: map.asks_ahead(row),
            proof_pays: pace.demands.contains_key(&Demand::Proof),
            checkpoint_pays: pace.demands.contains_key(&Demand::Checkpoint),
            named: asks("name"),
            told: asks("objective"),
            shapeless: asks("shape"),
            notes: asks("notes"),
            heavy: asks("deflation"),
            unkept: asks("archive"),
            ungiven: asks("consumption"),
            unlooked: asks("audit"),
            unsealed: asks("sealed"),
            dial: row.dial,
            reflects: row.reflects && asks("reflection"),
            outgrows: map.lane.is_some() && row.kind == PhaseKind::Work,
        }
    }
}

/// Where a way out of a state leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lead {
    /// On: a forward step, the return from the side lane, the job's end.
    On,
    /// An act, which takes no command.
    Free(usize),
    /// A command that may end in any of these.
    Told(Vec<usize>),
    /// The same of what the next command does, too.
    Along(Vec<usize>),
    /// A command into a phase, which may begin in any of these ways.
    Into(usize),
}

/// Where the next step of a job leads, before states are numbered.
enum Led {
    /// On: a forward step, or the job's end.
    On,
    /// To any of these.
    To(Vec<State>),
}

/// The end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    /// It rests until a person approves it; else it is over.
    rests: bool,
    /// Nobody was there.
    alone: bool,
}

/// What the guards say to each act.
type Verdicts = Rc<Vec<(Act, Option<usize>)>>;

/// One map, searched.
struct Search<'a> {
    rules: &'a Rules,
    map: &'a Map,
    rows: Vec<&'a Phase>,
    /// The row that judges in each phase, before a first step and after it.
    in_force: Vec<[&'a Phase; 2]>,
    messages: HashMap<(usize, usize, Text), Message>,
    strays: Vec<String>,
    /// A run of the tests on the work as it is.
    shown: Vec<Shown>,
    /// What the plan asks.
    contract: Vec<Criterion>,
    notes: Vec<String>,
    looks: Vec<Looks>,
    remedies: Vec<Rc<Remedy>>,
    known: HashMap<String, usize>,
    entries: Vec<Vec<State>>,
    entered: HashMap<State, usize>,
    judged: HashMap<(State, Around), Verdicts>,
    crossed: HashMap<(State, Cmd, bool), Result<(), usize>>,
    objections: BTreeSet<String>,
    /// Entries that a step on a lane was carried on from, and how many of them it left.
    walked: HashSet<(usize, Text)>,
    walks: usize,
    /// Jobs that left the lane: in a later cycle, without a plan decided.
    risen: BTreeSet<(bool, bool)>,
    /// How jobs came to their end.
    ended: BTreeSet<End>,
    seen_ends: BTreeSet<End>,
    /// The most commands on the way out of any state.
    most: u8,
    transitions: usize,
    checked: usize,
    detours: usize,
}

/// So many states, the nearest to a job's begin, are in every part.
const NEAR: usize = 600;

impl<'a> Search<'a> {
    fn new(rules: &'a Rules, map: &'a Map) -> Self {
        Self {
            rules,
            map,
            rows: map.phases().collect(),
            in_force: map
                .phases()
                .map(|phase| {
                    [0, 1].map(|cycle| {
                        // A side lane was entered from somewhere.
                        let side_from = (phase.kind == PhaseKind::Side).then(|| map.start.clone());
                        let phase = phase.name.clone();
                        Position { phase, cycle, side_from, ..Position::new(&map.name) }
                            .row(map, rules.idle == Idle::Closed)
                    })
                })
                .collect(),
            messages: HashMap::new(),
            strays: vec!["todo.txt".to_owned()],
            shown: vec![Shown {
                command: "cargo test".to_owned(),
                passed: true,
                heard: true,
                run: Some("cargo-test".to_owned()),
                whole: true,
                fresh: true,
            }],
            contract: vec![Criterion {
                text: CRITERION.to_owned(),
                number: None,
                named: vec!["cargo test".to_owned()],
            }],
            notes: vec!["CLAUDE.md:9".to_owned()],
            looks: map.phases().map(|row| Looks::of(row, map)).collect(),
            remedies: Vec::new(),
            known: HashMap::new(),
            entries: Vec::new(),
            entered: HashMap::new(),
            judged: HashMap::new(),
            crossed: HashMap::new(),
            objections: BTreeSet::new(),
            walked: HashSet::new(),
            walks: 0,
            risen: BTreeSet::new(),
            ended: BTreeSet::new(),
            seen_ends: BTreeSet::new(),
            most: MOST,
            transitions: 0,
            checked: 0,
            detours: 0,
        }
    }

    fn number(&self, name: &str) -> usize {
        let found = self.rows.iter().position(|row| row.name.as_str() == name);
        found.unwrap_or_else(|| panic!("{} has no phase {name}", self.map.name))
    }

    /// A job as a prompt bears it.
    fn born(&self) -> State {
        State {
            phase: self.number("idle"),
            aside: None,
            begun: false,
            later: false,
            again: false,
            life: Life::Active,
            dial: Dial::Unset,
            page: false,
            back: false,
            since: Since::Nothing,
            worth: false,
            spent: false,
            crowded: false,
            plan: Plan::Undecided,
            edited: false,
            unread: false,
            declared: false,
            own: false,
            proved: false,
            checkpoint: false,
            named: false,
            told: false,
            shapeless: false,
            notes: false,
            heavy: false,
            unkept: false,
            ungiven: false,
            unlooked: false,
            unsealed: false,
            left: false,
            waits: false,
            seen: 0,
            stray: false,
            outgrown: false,
            prepared: false,
            caused: false,
            finished: false,
            review: Review::Unasked,
            queue: 0,
            alone: false,
            queued: false,
            others: false,
        }
    }

    // ---- from a state to what the rules are asked

    fn stand(&self, state: &State) -> Position {
        let phase = self.rows[state.phase].name.clone();
        let cycle = u32::from(state.begun) + u32::from(state.begun && state.later);
        let entry = Entry {
            phase: phase.clone(),
            cycle,
            from: PhaseName::idle(),
            backwards: state.back,
            multiplier: multiplier(state.dial),
            page_edits: u32::from(state.page),
            plan_edits: u32::from(state.edited),
            plan_reads: 0,
            changed: 0,
            checkpoints: u32::from(state.checkpoint),
            acts: Acts::new(),
            since: Acts::new(),
            direct: 0,
            grants: 0,
            launches: Acts::new(),
            reflections: Acts::new(),
        };
        Position {
            track: self.map.name.clone(),
            bound: None,
            phase,
            cycle,
            side_from: state.aside.map(|from| self.rows[from].name.clone()),
            same_cycle: state.again,
            entry,
            shelved: Vec::new(),
        }
    }

    /// The row in force, by [`Position::row`]. Without a focus it is the row for nobody's work.
    fn row(&self, state: &State) -> &'a Phase {
        if state.life.rests() {
            return self.map.none();
        }
        self.in_force[state.phase][usize::from(state.begun)]
    }

    /// Concrete counts of acts that say what the state says: `record::activity::stay`.
    fn stay(state: &State, row: &Phase) -> Stay {
        let pace = row.pace.clone().unwrap_or_default();
        let acts = |pairs: &[(&str, u32)]| {
            pairs.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect()
        };
        let since = match state.since {
            Since::Nothing => Acts::new(),
            Since::Enough => acts(&[("read", 1), ("recall", 1), ("search", 1)]),
            Since::Full => acts(&[("read", 30), ("recall", 30)]),
        };
        let done = match (state.worth, state.page) {
            // More than three times what was called for is answered for.
            (true, _) if state.dial == Dial::Three => acts(&[("page", 5), ("read", 5)]),
            (true, _) => acts(&[("page", 40), ("read", 40)]),
            (false, true) => acts(&[("page", 1), ("read", 1)]),
            (false, false) => Acts::new(),
        };
        Stay {
            acts: done,
            since,
            backwards: state.back,
            multiplier: multiplier(state.dial),
            direct: if state.spent { pace.budget } else { 0 },
            grants: 0,
            checkpoints: 0,
            in_flight: if state.crowded { pace.in_flight } else { 0 },
            launches: Acts::new(),
            reflections: lenses(row).into_iter().take(state.seen).map(|lens| (lens, 1)).collect(),
            // The most lenses that a stay may draw.
            draw: 2,
        }
    }

    fn job(state: &State) -> Job {
        let mut job = Job::created("j".parse().expect("an id"), "fix the lexer", 0);
        job.provisional = !state.named;
        job.status = match state.life {
            Life::Active => Status::Active,
            Life::Completed => Status::Completed,
            Life::Pending => Status::Pending,
            Life::Awaiting => Status::Awaiting,
            Life::Over => Status::Voided,
        };
        job
    }

    /// The one place that asks about questions: `person::ask::ask`.
    fn ask(
        &self,
        state: &State,
        row: &Phase,
        text: &str,
        options: &[&str],
        beside: bool,
    ) -> Option<Refusal> {
        let job = Self::job(state);
        let one = Question {
            text: text.to_owned(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            multiple: false,
            answered: false,
        };
        let questions = if beside { vec![one.clone(), one] } else { vec![one] };
        let ahead = match (state.notes, state.unkept, state.heavy) {
            (true, ..) => "address",
            (false, true, _) => "archive",
            (false, false, true) => "deflate",
            (false, false, false) => "ready",
        };
        let plan = plans::Plan {
            pointer: plans::Pointer::Markdown("plan.md".to_owned()),
            ..plans::Plan::default()
        };
        let total = if state.left { 9 } else { 1 };
        let completes = text.starts_with("[JOB-COMPLETE]");
        let before = if completes { self.asks_ahead(state, row) } else { Ahead::No };
        let moment = Moment {
            job: (!state.life.rests()).then_some(&job),
            admits: &row.questions,
            stage: ahead,
            ready: ahead == "ready" || matches!(before, Ahead::Met),
            ahead: before,
            eligible: questions::may_be_last(self.map.decides(), || plan.eligible(1, Some(total))),
            finished: state.finished,
            prepared: questions::is_prepared(self.rules.asks_prep(), state.prepared, false),
            fewest: self.map.lane.as_ref().map(|lane| lane.question),
            waits: state.waits.then(waits),
            unseen: Vec::new(),
            lands: false,
            card: CARD.to_owned(),
            section: |text, title| Message::new(text).section(title),
            settled: is_settled,
        };
        questions::admit(&questions, &moment).err()
    }

    /// `boundary::ahead::ahead`, but for the judgement at its end, which asks nothing more here.
    fn asks_ahead(&self, state: &State, row: &Phase) -> Ahead {
        if !self.map.asks_ahead(row) || state.outgrown || state.aside.is_some() {
            return Ahead::No;
        }
        let message = Message::new("");
        let missing = |state: &State| {
            self.at_boundary(state, state.phase, &message, false, |at| gates::missing(&at))
        };
        if let Some(first) = missing(state).into_iter().next() {
            return Ahead::Lacks(first);
        }
        let mut further = *state;
        while let Some(next) = self.row(&further).next.first() {
            further.phase = self.number(next.as_str());
            if let Some(first) = gates::missing_ahead(missing(&further)).next() {
                return Ahead::Lacks(first);
            }
            if self.row(&further).kind == PhaseKind::Consolidation {
                break;
            }
        }
        Ahead::Met
    }

    fn question(&self, state: &State, row: &Phase, act: Act) -> Option<Refusal> {
        let (text, options) = asked(act)?;
        self.ask(state, row, &text, options, act == Act::AskSideBeside)
    }

    /// The call of an act: `Repo::call` and `hook::scene::shell`.
    #[expect(clippy::too_many_lines, reason = "one arm for each act")]
    fn call(&self, state: &State, row: &'a Phase, act: Act) -> Call<'static> {
        let mut call = Call {
            tool: "Tool",
            classes: Vec::new(),
            read: None,
            changes: Vec::new(),
            named: Vec::new(),
            own_state: None,
            persons: None,
            no_command: false,
            moves: None,
            git: None,
            confinable: false,
            tests: false,
            unseen: None,
            untried: None,
            question: self.question(state, row, act),
            unproven: None,
            outgrows: None,
            dispatch: (act == Act::DelegateUnquoted && row.measures).then(unquoted),
        };
        let src = || "src/parser".to_owned();
        let project = || Place::Project { dir: src() };
        let page = || Place::Page { dir: src() };
        let surface = |test| Place::Surface { name: "hooks".to_owned(), test, lock: Lock::Closed };
        let mut class = |class: Class| call.classes = vec![(class, "x".to_owned())];
        let read = |place: Place, path: &str| Some((path.to_owned(), place));
        let file = |place: Place, declared: bool, exists: bool, page: Option<PageChange>| {
            vec![FileChange {
                path: "src/parser/x".to_owned(),
                place,
                declared,
                exists,
                missed: false,
                page,
                lost: None,
                lines: 0,
                shut: None,
                secret: None,
            }]
        };
        let anchors = self.rules.maps.anchors();
        let own = match row.rank(&anchors) {
            Some(first_rank) => PageChange::Below { first_rank },
            None => PageChange::Body,
        };
        let on_page = |change: PageChange| file(page(), state.declared, true, Some(change));
        let there = state.plan == Plan::Broken || state.plan == Plan::Settled;
        match act {
            Act::ReadProject
            | Act::ReadPage
            | Act::ReadKnowledge
            | Act::ReadPlan
            | Act::ReadState
            | Act::ReadHostMemory => {
                class(Class::Read);
                call.read = match act {
                    Act::ReadProject => read(project(), "src/parser/lex.rs"),
                    Act::ReadPage => read(page(), "src/parser/CLAUDE.md"),
                    Act::ReadKnowledge => read(Place::Knowledge, ".claude/knowledge/x.md"),
                    Act::ReadPlan => read(Place::Plan { own: true }, ".claude/jobs/j/plan.md"),
                    Act::ReadState => read(Place::OwnState, ".git/seed/x"),
                    _ => read(Place::HostMemory, "/home/u/x"),
                };
            }
            Act::Search => class(Class::Search),
            Act::Web => class(Class::Web),
            Act::ShellLook => class(Class::ShellRead),
            Act::ShellRun | Act::ShellTest => class(Class::ShellCode),
            Act::ShellWrite | Act::ShellWriteElsewhere => {
                class(Class::ShellWrite);
                // As in `hook::scene::shell`: where writers are closed, the act says it, not the
                // place.
                if row.opens(Class::ShellWrite) {
                    call.changes =
                        file(project(), act == Act::ShellWrite && state.declared, true, None);
                }
            }
            Act::Commit | Act::Stash => {
                class(Class::ShellGit);
                let line = if act == Act::Commit { "git commit -m x" } else { "git stash" };
                let moment = git_acts::Moment {
                    merging: None,
                    checkpoints: row.checkpoints,
                    free: false,
                    at_work: row.is_in_cycle()
                        && !routing::is_closing(&Self::job(state), row.name.is_idle()),
                    prompts: &[],
                    somebody: git_acts::Somebody::Nobody,
                    opened: None,
                    has_commits: true,
                };
                let acts = git_acts::acts(&shell::read(line));
                let ruled: Option<Ruling> = git_acts::rule(&acts, &moment);
                call.git = ruled.filter(|_| !row.opens(Class::ShellGit)).map(|ruled| (acts, ruled));
            }
            Act::Network => class(Class::ShellNetwork),
            Act::Outward => class(Class::ShellOutward),
            Act::ShellUnknown => class(Class::ShellUnknown),
            Act::Delegate | Act::DelegateUnquoted => class(Class::Delegate),
            Act::Ask
            | Act::AskWaiting
            | Act::AskWaitingBare
            | Act::AskRepeat
            | Act::AskComplete
            | Act::AskCompleteShort
            | Act::AskCompleteOutstanding
            | Act::AskCompleteBare
            | Act::AskCompleteOptions
            | Act::AskCompleteNameless
            | Act::AskCompleteCardless
            | Act::AskSide
            | Act::AskSideShort
            | Act::AskSideBeside
            | Act::AskDrop
            | Act::AskDropBare => class(Class::Ask),
            Act::Housekeeping => class(Class::Housekeeping),
            Act::Schedule => class(Class::Schedule),
            Act::Foreign => class(Class::Foreign),
            Act::Unknown => class(Class::Unknown),
            Act::SeedLooks => class(Class::Seed),
            Act::SeedMoves => {
                class(Class::Seed);
                call.moves = Some("git seed phase advance".to_owned());
            }
            Act::Persons => {
                class(Class::ShellUnknown);
                call.persons = Some("git seed off".to_owned());
            }
            _ => {
                class(Class::Edit);
                call.changes = match act {
                    Act::EditDeclared => file(project(), state.declared, true, None),
                    Act::EditElsewhere => file(project(), false, true, None),
                    Act::PageOwn => on_page(own),
                    Act::PageShorter => {
                        let mut shorter = on_page(own);
                        shorter[0].lost = (row.measures && state.unkept).then(|| Lost {
                            what: "words that nobody kept".to_owned(),
                            line: 5,
                            note: false,
                            elsewhere: false,
                        });
                        shorter
                    }
                    Act::PageEarlier => on_page(PageChange::Below { first_rank: 0 }),
                    Act::PageBody => on_page(PageChange::Body),
                    Act::PageElsewhere => file(page(), false, true, Some(own)),
                    Act::PageNew => file(page(), state.declared, false, Some(own)),
                    Act::PageOpaque => file(page(), state.declared, true, None),
                    Act::PageLost => {
                        on_page(PageChange::AnchorLost { anchor: "---Pl---".to_owned() })
                    }
                    Act::PageGone => on_page(PageChange::Gone),
                    Act::PageDisorder => {
                        on_page(PageChange::Disorder { anchor: "---Pl---".to_owned() })
                    }
                    Act::PageIncomplete => {
                        on_page(PageChange::Incomplete { missing: vec!["---Pl---".to_owned()] })
                    }
                    Act::Knowledge => file(Place::Knowledge, false, true, None),
                    Act::AgentDefinition => file(Place::AgentDefinition, false, true, None),
                    Act::PlanDocument => {
                        let missed = matches!(state.plan, Plan::Missing | Plan::Broken);
                        let mut document = file(Place::Plan { own: true }, false, there, None);
                        document[0].missed = missed;
                        document
                    }
                    Act::JobFile => file(Place::JobFile, false, true, None),
                    Act::Surface => file(surface(false), false, true, None),
                    Act::SurfaceTest => file(surface(true), false, true, None),
                    Act::GitFile => file(Place::Git, false, true, None),
                    Act::OwnState => file(Place::OwnState, false, true, None),
                    Act::Outside => file(Place::Outside, false, true, None),
                    _ => file(Place::Scratch, false, true, None),
                };
            }
        }
        call
    }

    // ---- verdicts

    /// Keeps a refusal with what is said for it, once.
    fn keep(&mut self, refusal: &Refusal, phase: &str) -> usize {
        let key = format!("{phase} {refusal:?}");
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let said = voice::say(refusal, phase);
        let case = format!("{}/{}", refusal.wants.word(), refusal.facts.get("case").unwrap_or("-"));
        let commands = self.commands_in(&said.do_, &format!("{case} in {phase}"));
        if commands.is_empty() && said.way.is_none() {
            self.objections.insert(format!("no way on is named: {case} in {phase}: {}", said.do_));
        }
        // A fact that is empty leaves a hole in its sentence.
        for text in [&said.why, &said.do_, &said.then] {
            if [" ;", " ,", " . ", " :", "``"].iter().any(|hole| text.contains(hole))
                || text.ends_with(' ')
            {
                self.objections.insert(format!("a fact is empty: {case} in {phase}: {text}"));
            }
        }
        let remedy = Remedy { commands, way: said.way, said: said.do_, by: refusal.by, case };
        self.remedies.push(Rc::new(remedy));
        self.known.insert(key, self.remedies.len() - 1);
        self.remedies.len() - 1
    }

    /// The state with what no guard looks at forgotten.
    fn seen_by_guards(&self, state: &State) -> State {
        // Where the question is asked ahead, what lies between counts.
        let ahead = self.looks[state.phase].ahead;
        let dial = if state.dial == Dial::Unset { Dial::Unset } else { Dial::Three };
        State {
            dial,
            page: false,
            worth: false,
            stray: ahead && state.stray,
            proved: ahead && state.proved,
            checkpoint: false,
            own: false,
            named: false,
            told: false,
            shapeless: false,
            unread: false,
            unlooked: false,
            waits: state.finished && state.waits,
            seen: 0,
            outgrown: ahead && state.outgrown,
            caused: false,
            review: Review::Unasked,
            queue: 0,
            alone: false,
            queued: false,
            others: false,
            ..*state
        }
    }

    /// What the guards say to every act: `hook::before::before` over `hook::scene::scene`.
    fn verdicts(&mut self, state: &State, around: Around) -> Verdicts {
        let key = (self.seen_by_guards(state), around);
        if let Some(known) = self.judged.get(&key) {
            return Rc::clone(known);
        }
        let below = Actor::Subagent { id: "a".to_owned(), agent: "x".to_owned() };
        let guest = around == Around::Guest;
        let row = if guest { self.rules.maps.home().none() } else { self.row(state) };
        let stand = self.stand(state);
        let mut all = Vec::with_capacity(ACTS.len());
        for act in ACTS {
            let mut call = self.call(state, row, act);
            if around == Around::Unruled {
                call.unproven = unruled(&call);
            }
            if around == Around::Untried && row.reproduces && act == Act::ShellTest {
                call.untried = Some(guard::Untried::run("cargo test"));
            }
            let file = call.changes.first().map(|change| change.path.clone());
            let confined = self.map.lane.is_some() && row.freezes;
            call.outgrows = file.filter(|_| around == Around::Large && confined);
            let journal = match around {
                Around::Broken => guard::journal_holds(Some(&"the journal"), &event_of(act)),
                _ => Ok(()),
            };
            let scene = Scene {
                reviewed: false,
                anchors: self.rules.maps.anchors(),
                phase: row,
                first: self.rules.first_step(SaidLane::Unsaid),
                unread: false,
                cycle: stand.cycle,
                by: if around == Around::Below { &below } else { &Actor::Main },
                dial_set: state.dial != Dial::Unset,
                page: "CLAUDE.md",
                guest,
                gone: false,
                away: (around == Around::Away && state.begun).then_some(MAIN),
                stay: Self::stay(state, row),
                delegates: around != Around::Alone,
                uncommitted: around == Around::Alone && state.edited,
                helper: None,
                room: Room::default(),
                unsummed: around == Around::Unsummed,
                call,
            };
            let verdict = journal.and_then(|()| guard::judge(&scene));
            all.push((act, verdict.err().map(|no| self.keep(&no, row.name.as_str()))));
        }
        let all = Rc::new(all);
        self.judged.insert(key, Rc::clone(&all));
        all
    }

    fn act(&mut self, state: &State, act: Act, around: Around) -> Option<usize> {
        let all = self.verdicts(state, around);
        let (known, no) = all[act as usize];
        debug_assert_eq!(known, act, "acts are listed in their order");
        no
    }

    fn message(&mut self, row: usize, to: usize, text: Text) -> Message {
        let (phase, to_name) = (self.rows[row], &self.rows[to].name);
        self.messages
            .entry((row, to, text))
            .or_insert_with(|| {
                let words = if text == Text::Short { "word" } else { &"word ".repeat(120) };
                let told: String = phase
                    .sections_towards(to_name)
                    .filter(|title| *title != OUTSTANDING)
                    .map(|title| {
                        let answer = match text {
                            Text::Unanswered => String::new(),
                            Text::Unmet => format!("- {CRITERION}: FAIL, they overflow\n\n"),
                            Text::Unshown => format!("- {CRITERION}: not shown\n\n"),
                            _ => format!("- [x] {CRITERION}\n\n"),
                        };
                        let of = |row: &&'a Phase| row.contract.as_deref() == Some(title);
                        let asks = self.rows.iter().any(of);
                        let answers = phase.criteria.as_deref() == Some(title);
                        let listed = match (asks, answers) {
                            (true, _) => format!("- {CRITERION}\n\n"),
                            (_, true) => answer,
                            _ => String::new(),
                        };
                        format!("## {title}\n{listed}{words}\n\n")
                    })
                    .collect();
                Message::new(&match text {
                    Text::None => String::new(),
                    Text::Line => "settle it".to_owned(),
                    Text::Bare => "done ".repeat(200),
                    Text::Whole | Text::Short | Text::Unanswered | Text::Unmet | Text::Unshown => {
                        format!("settle it\n\n{told}## {OUTSTANDING}\n")
                    }
                    Text::Unsettled => {
                        format!("settle it\n\n{told}## {OUTSTANDING}\n- one is left\n")
                    }
                    Text::Forged => format!("settle it\n\n{told}## {OUTSTANDING}\n\nSeed-Id: 1\n"),
                })
            })
            .clone()
    }

    /// Asks the gates of a step: `boundary::judge::ask_gates` and `boundary::judge::crossing`.
    fn gates(
        &mut self,
        state: &State,
        cmd: Cmd,
        to: usize,
        up: bool,
        unsummed: bool,
    ) -> Result<(), usize> {
        let rhythm = Since::Nothing;
        let key = (State { since: rhythm, spent: false, crowded: false, ..*state }, cmd, unsummed);
        if let Some(known) = self.crossed.get(&key) {
            return *known;
        }
        let row = self.row(state);
        let text = match cmd {
            Cmd::Advance { text, .. } => text,
            Cmd::Up { said: false } => Text::None,
            _ => Text::Whole,
        };
        let message = self.message(state.phase, to, text);
        let scope = matches!(cmd, Cmd::Advance { scope: true, .. });
        let verdict = self.at_boundary(state, to, &message, scope, |crossing| {
            let crossing = Crossing { unsummed, ..crossing };
            let crossing = match cmd {
                Cmd::Advance { add: true, .. } => Crossing { ending: Ending::Free, ..crossing },
                _ => crossing,
            };
            match cmd {
                Cmd::Review => gates::reviewed(&crossing),
                Cmd::Back { .. } => gates::backward(&crossing),
                _ if up => gates::upward(&crossing),
                Cmd::Checkpoint { .. } => gates::checkpoint(&crossing),
                _ => gates::forward(&crossing),
            }
        });
        // Last of all, in `boundary::hooked::untaken`.
        let forged = if text == Text::Forged { &["Seed-Id: 1"][..] } else { &[] };
        let verdict = verdict.and_then(|()| guard::claims_no_step(forged));
        let name = row.name.to_string();
        let verdict = verdict.map_err(|no| self.keep(&no, &name));
        self.crossed.insert(key, verdict);
        verdict
    }

    /// What gates look at: `boundary::judge::crossing`. `scope` declares a directory.
    fn at_boundary<T>(
        &self,
        state: &State,
        to: usize,
        message: &Message,
        scope: bool,
        ask: impl FnOnce(Crossing<'_>) -> T,
    ) -> T {
        let row = self.row(state);
        let stay = Self::stay(state, row);
        let none: &[String] = &[];
        let loss = Loss { line: 5, what: "words".to_owned(), note: false };
        let unarchived =
            Unarchived::Words { page: "src/CLAUDE.md".to_owned(), loss }.refusal("gate");
        ask(Crossing {
            broke: None,
            instead: None,
            phase: row,
            to: &self.rows[to].name,
            message,
            cycle: self.stand(state).cycle,
            changed: 0,
            multiplier: multiplier(state.dial),
            page_edits: u32::from(state.page),
            plan_edits: u32::from(state.edited),
            named: state.named,
            objective_words: if state.told { 300 } else { 0 },
            shapeless: gates::shapeless(
                &["Users".to_owned()],
                if state.shapeless { "" } else { TOLD },
            ),
            plan: match state.plan {
                Plan::Undecided => PlanStanding::Undecided,
                Plan::Settled => PlanStanding::Settled,
                Plan::Missing | Plan::Broken => PlanStanding::Missing,
            },
            plan_path: ".claude/jobs/j/plan.md",
            plan_fault: (state.plan == Plan::Broken)
                .then(|| "plan.md:1:1: it has no total".to_owned()),
            unread: state.unread,
            live_notes: if state.notes { &self.notes } else { none },
            unconsumed: state
                .ungiven
                .then(|| ("KNOWLEDGE".to_owned(), "knowledge-extractor".to_owned())),
            unarchived: state.unkept.then_some(&unarchived),
            unsealed: (state.unsealed && state.life == Life::Completed)
                .then_some("compaction-1.md"),
            ending: Self::ending(state, row),
            deflation: row.measures.then_some(if state.heavy { (9, 1) } else { (1, 1) }),
            strays: if state.stray { &self.strays } else { none },
            declared: state.declared || scope,
            stay: &stay,
            checkpoints: u32::from(state.checkpoint),
            uncommitted: state.own,
            proved: state.proved,
            uncommitted_by_nobody: None,
            // No shipped row asks.
            failed: true,
            unsummed: false,
            criteria: Ground {
                contract: &self.contract,
                shown: if state.proved { &self.shown } else { &[] },
                ..Ground::default()
            },
            lines: usize::MAX,
            waiting: 0,
            audited: !state.unlooked,
            auditor: None,
        })
    }

    fn ends(&mut self, state: &State, cmd: Cmd, rests: bool) -> Came {
        if cmd != Cmd::Review {
            self.ended.insert(End { rests, alone: state.alone });
        }
        Came::On
    }

    /// Where jobs leave the worktree that came to an end in a new way.
    fn new_ends(&mut self) -> Vec<State> {
        let ended = std::mem::take(&mut self.ended).into_iter();
        let new: Vec<End> = ended.filter(|end| self.seen_ends.insert(*end)).collect();
        new.into_iter().flat_map(|end| self.after(end)).collect()
    }

    /// `jobs::unattended::would_rest`, where the last cycle closes.
    fn would_rest(state: &State) -> bool {
        state.life == Life::Active && (state.review == Review::Unanswered || state.alone)
    }

    /// `jobs::completion::ending`.
    fn ending(state: &State, row: &Phase) -> Ending {
        let settles = row.kind == PhaseKind::Consolidation;
        let last = settles && state.life == Life::Active && !state.left;
        // `jobs::unattended::defers`.
        if last && !state.waits && !state.alone { Ending::Asks(state.review) } else { Ending::Free }
    }

    // ---- what the joint does

    /// A command: the guards over its line, then what `cli` and `Seed` do.
    fn command(&mut self, state: &State, cmd: Cmd, around: Around) -> Came {
        let act = match cmd {
            Cmd::Show => Act::SeedLooks,
            Cmd::Persons => Act::Persons,
            _ => Act::SeedMoves,
        };
        if let Some(no) = self.act(state, act, around) {
            return Came::No(no);
        }
        let stays = || Came::Done(vec![*state]);
        match (cmd, around) {
            (Cmd::Show | Cmd::Fix | Cmd::SumUp, _) => return stays(),
            (_, Around::Broken) => {
                return Came::Fails("the journal does not hold: git seed doctor --fix");
            }
            _ => {}
        }
        if state.life.rests() {
            return match cmd {
                Cmd::Activate => self.taken_up(state),
                _ => Came::Fails("no job is focused"),
            };
        }
        // A step between the preparation and the question undoes the first: `steps`.
        let state = &State { prepared: false, ..*state };
        match cmd {
            // `boundary::review::reopen`, between cycles.
            Cmd::Review if row_rests(self.row(state)) => match state.review.opens_a_cycle() {
                Ok(()) => Came::On,
                Err(no) => self.no(state, no),
            },
            // `boundary::small::open`. The search walks each track by itself: where the lane opens,
            // it goes on as behind the plain first step; tests/it/quick.rs goes over to the lane.
            Cmd::Small { said, looked } => {
                let (row, dirs) = (self.row(state), ["src/parser".to_owned()]);
                let on_lane = self.map.lane.is_some();
                let opening = Opening {
                    too_many: None,
                    phase: &row.name,
                    begins: (!state.begun && state.aside.is_none())
                        || (on_lane && row.name == self.map.start),
                    on_lane,
                    first: self.rules.first_step(SaidLane::Unsaid),
                    dirs: &dirs,
                    unseen: (!looked).then_some("src/parser"),
                    added_up: None,
                    says: said,
                };
                match opening.judge() {
                    Ok(()) => {
                        let scope = state.begun;
                        let on = Cmd::Advance { to: None, text: Text::Line, add: false, scope };
                        self.cross(state, on, around)
                    }
                    Err(no) => self.no(state, no),
                }
            }
            Cmd::Advance { .. }
            | Cmd::Back { .. }
            | Cmd::Checkpoint { .. }
            | Cmd::Up { .. }
            | Cmd::Review => self.cross(state, cmd, around),
            _ => self.other(state, cmd),
        }
    }

    fn no(&mut self, state: &State, refusal: Refusal) -> Came {
        let name = self.row(state).name.to_string();
        Came::No(self.keep(&refusal, &name))
    }

    /// The order of `boundary::cross::cross`, `boundary::judge::judge` and
    /// `boundary::draft::draft`; `--add-cycle` is asked before them.
    fn cross(&mut self, state: &State, cmd: Cmd, around: Around) -> Came {
        let stand = self.stand(state);
        let row = self.row(state);
        let name = |to: Option<usize>| to.map(|to| self.rows[to].name.clone());
        let step = match cmd {
            Cmd::Advance { to, add, .. } => {
                let open = Self::job(state).status.is_open();
                if let (true, Err(no)) = (add, gates::adds_cycle(row, &stand.phase, open)) {
                    return self.no(state, no);
                }
                stand.forward(self.map, name(to).as_ref()).map(Some)
            }
            // `boundary::review::back`.
            Cmd::Back { to, .. }
                if matches!(state.review, Review::Looking | Review::Spoken)
                    && row.kind == PhaseKind::Consolidation
                    && !(state.page || state.own) =>
            {
                stand.back_to_work(self.map, name(to).as_ref()).map(Some)
            }
            Cmd::Back { to, .. } => stand.backward(self.map, name(to).as_ref()).map(Some),
            // `boundary::review::closes`.
            Cmd::Review => match state.review.opens_a_cycle() {
                Ok(()) => stand.forward(self.map, None).map(Some),
                Err(no) => Err(no),
            },
            Cmd::Up { .. } => self.rules.maps.upward(&stand).map(Some),
            _ => gates::has_checkpoints(row).map(|()| None),
        };
        let step = match step {
            Ok(step) => step,
            Err(refusal) => return self.no(state, refusal),
        };
        let away = (around == Around::Away && state.begun).then_some(MAIN);
        let here = Here { away, doing: None, merging: None, branch: "refs/heads/main" };
        if let Err(no) = home::takes_steps(here, || true) {
            return self.no(state, no);
        }
        if let Cmd::Back { said, .. } | Cmd::Checkpoint { said } = cmd {
            let message = Message::new(&if said { "why ".repeat(20) } else { String::new() });
            let in_between = matches!(cmd, Cmd::Checkpoint { .. });
            if let Err(no) = gates::says_enough(row, in_between, &message) {
                return self.no(state, no);
            }
        }
        let dir = matches!(cmd, Cmd::Advance { scope: true, .. }).then_some("src/parser");
        if let Err(no) = gates::declares(row, dir) {
            return self.no(state, no);
        }
        // `boundary::judge::within_the_lane`.
        let onward = matches!(cmd, Cmd::Advance { .. } | Cmd::Checkpoint { .. });
        let confined = onward && self.map.confines(row).is_some();
        let step = match self.rules.maps.upward(&stand) {
            Ok(up) if confined && state.outgrown => Some(up),
            _ => step,
        };
        if around == Around::Silent
            && let Err(no) = gates::hooks_fire(state.own, false, state.stray)
        {
            return self.no(state, no);
        }
        let up = matches!(step, Some(Move::Onto { .. }));
        let to = match &step {
            Some(Move::Forward(to) | Move::Back(to)) => self.number(to.as_str()),
            _ => state.phase,
        };
        if let Err(no) = self.gates(state, cmd, to, up, around == Around::Unsummed) {
            return Came::No(no);
        }
        let commits = state.own || (row.is_in_cycle() && state.page);
        if around == Around::Vetoed && commits && !matches!(cmd, Cmd::Back { .. }) {
            return Came::Fails("the person's hook says why");
        }
        let Some(step) = step else {
            return if commits {
                Came::Done(vec![self.forget(State { checkpoint: true, own: false, ..*state })])
            } else {
                Came::Fails("nothing to checkpoint")
            };
        };
        let after = stand.take(self.map, &step);
        if up {
            self.risen.insert((state.later, state.plan == Plan::Undecided));
            return Came::On;
        }
        let forward = matches!(step, Move::Forward(_));
        let settles = row.kind == PhaseKind::Consolidation && !state.left;
        let adds = matches!(cmd, Cmd::Advance { add: true, .. });
        let rests = settles && !adds && Self::would_rest(state);
        let ends = state.life == Life::Completed || rests;
        // What a person's words open goes on elsewhere.
        if forward && after.phase.is_idle() && (ends || cmd == Cmd::Review) {
            return self.ends(state, cmd, rests);
        }
        let finished = forward && after.phase.is_idle() && settles && !adds;
        let state = &State { finished, ..*state };
        let (into, known) = (self.enter(state, &after), self.walked.len());
        if let Cmd::Advance { text, .. } = cmd
            && self.walked.insert((into, text))
            && self.walked.len() > known
            && self.walks_on(into, text)
        {
            self.walks += 1;
        }
        Came::Enters { into, on: forward }
    }

    fn walks_on(&mut self, into: usize, text: Text) -> bool {
        let states = self.entries[into].clone();
        let mut walked = false;
        for state in states {
            let on = self.goes_on(&state, text);
            walked |= matches!(on, Some(Came::Enters { .. } | Came::On));
        }
        walked
    }

    /// `boundary::cross::goes_on`: a step forward on a lane goes on through what is met already.
    fn goes_on(&mut self, state: &State, text: Text) -> Option<Came> {
        let row = self.row(state);
        let on = Cmd::Advance { to: None, text, add: false, scope: false };
        self.map.walks_through(row).then(|| self.cross(state, on, Around::Nothing))
    }

    /// Commands that cross no boundary.
    fn other(&mut self, state: &State, cmd: Cmd) -> Came {
        let (row, stand) = (self.row(state), self.stand(state));
        let done = |to: State| Came::Done(vec![to]);
        match cmd {
            // `fence::restore::restore_strays`.
            Cmd::Restore => {
                if row.kind == PhaseKind::Side {
                    return done(*state);
                }
                // What was taken back may have been what was too much.
                let back = State { stray: false, ..*state };
                let small = State { outgrown: back.outgrown && !state.stray, ..back };
                Came::Done(unique(vec![back, small]))
            }
            // `jobs::lifecycle::set_multiplier`.
            Cmd::Multiplier(dial) => {
                match commands::multiplier(row, &row.name, state.dial != Dial::Unset) {
                    Ok(()) => Came::Done(self.dialled(state, dial)),
                    Err(no) => self.no(state, no),
                }
            }
            // `jobs::lifecycle::update_job`.
            Cmd::Update { objective } => {
                let (told, shapeless) = (state.told || objective, state.shapeless && !objective);
                done(self.forget(State { named: true, told, shapeless, ..*state }))
            }
            // `jobs::lifecycle::set_plan`.
            Cmd::Decide { document, again } => {
                let decided = state.plan != Plan::Undecided;
                let (cycle, again) = (1 + u32::from(state.later), again && decided);
                if let Err(no) = commands::plan_decision(row, cycle, decided, again) {
                    return self.no(state, no);
                }
                if again {
                    return done(*state);
                }
                if decided {
                    return Came::Fails("the plan document was decided already");
                }
                let plan = if document { Plan::Missing } else { Plan::Settled };
                done(self.forget(State { plan, ..*state }))
            }
            // `person::answers::leave_side`.
            Cmd::Exit => {
                let step = match stand.home() {
                    Ok(step) => step,
                    Err(refusal) => return self.no(state, refusal),
                };
                let clean = commands::side_is_clean(state.stray.then_some("x"));
                let caused = || commands::names_the_root_cause(Some(0), usize::from(state.caused));
                if let Err(no) = clean.and_then(|()| caused()) {
                    return self.no(state, no);
                }
                // The stay goes on as it was left: a state of its phase which the search has
                // anyway.
                let _ = stand.take(self.map, &step);
                Came::On
            }
            // `person::answers::prepare_side`.
            Cmd::Prep { sure, said } => {
                let what = if said { "what it is for ".repeat(5) } else { String::new() };
                let prepares = || questions::prepares(if sure { 90 } else { 10 }, &what);
                match stand.aside(self.map).and_then(|_| prepares()) {
                    Ok(()) => done(State { prepared: self.rules.asks_prep(), ..*state }),
                    Err(no) => self.no(state, no),
                }
            }
            // `jobs::lifecycle::reflect`.
            Cmd::Reflect { thin } => {
                let text = if thin { "thin".to_owned() } else { "seen ".repeat(30) };
                let says =
                    commands::reflects(row).and_then(|_| commands::reflection("scope", &text));
                if let Err(no) = says {
                    return self.no(state, no);
                }
                let seen = (state.seen + 1).min(lenses(row).len());
                done(self.forget(State { seen, ..*state }))
            }
            // `memory::condense::archive`.
            Cmd::Archive => {
                match commands::condenses(row, state.notes.then_some("src/CLAUDE.md:5"), "archive")
                {
                    Ok(()) => done(self.forget(State { unkept: false, ..*state })),
                    Err(no) => self.no(state, no),
                }
            }
            Cmd::Seal => done(self.forget(State { unsealed: false, ..*state })),
            // `jobs::plan::read_plan`.
            Cmd::ReadPlan if state.plan == Plan::Settled => {
                done(self.forget(State { unread: false, ..*state }))
            }
            Cmd::ReadPlan => Came::Fails("the job has no plan document to read"),
            // `jobs::lifecycle::pause_job`.
            Cmd::Pause if state.life == Life::Completed => Came::Done(Vec::new()),
            Cmd::Pause => match Self::job(state).become_(Status::Pending, 1) {
                Ok(()) => Came::Done(self.paused(state)),
                Err(_) => Came::Fails("the job does not become pending"),
            },
            // `jobs::focus::focus_in_the_way`.
            Cmd::Focus | Cmd::Create | Cmd::Unlink => {
                let busy = (!stand.phase.is_idle()).then_some(&row.name);
                let verdict = match cmd {
                    Cmd::Focus => commands::focus("k", None, busy),
                    // By an agent.
                    Cmd::Create => commands::births(row, &row.name),
                    _ => commands::unlinks(row, &row.name),
                };
                match verdict {
                    // The one that loses the focus waits from then on.
                    Ok(()) if cmd == Cmd::Focus && state.queue > 0 => done(self.next_job(state)),
                    Ok(()) => done(*state),
                    Err(no) => self.no(state, no),
                }
            }
            _ => done(*state),
        }
    }

    /// A finished job that nobody was there to approve: `jobs::unattended::rest`.
    fn awaiting(&self) -> State {
        State { life: Life::Awaiting, ..self.born() }
    }

    /// The job, paused; how many others wait was not looked at in the middle of a cycle.
    fn paused(&self, state: &State) -> Vec<State> {
        let looked = self.looks[state.phase].idle;
        let paused = State { life: Life::Pending, alone: state.alone, ..self.born() };
        let queues = if looked { state.queue..=state.queue } else { 0..=MANY };
        queues.map(|queue| State { queue, ..paused }).collect()
    }

    /// Another job of the queue, as it has the focus: `jobs::resume::resume_job`.
    fn next_job(&self, state: &State) -> State {
        State { queued: true, queue: state.queue, alone: state.alone, ..self.born() }
    }

    /// Without a focus a job is taken up by its name.
    fn taken_up(&self, state: &State) -> Came {
        let queue = state.queue.saturating_sub(1);
        match state.life {
            Life::Over | Life::Awaiting if state.queue > 0 => {
                Came::Done(vec![State { queue, ..self.next_job(state) }])
            }
            _ => match Self::job(state).become_(Status::Active, 1) {
                Ok(()) => Came::On,
                Err(_) => Came::Fails("no job waits"),
            },
        }
    }

    /// Where the worktree stands once a job came to its end: `jobs::unattended::rest` and
    /// `boundary::cross::close`. How many jobs wait was not looked at until then.
    fn after(&self, end: End) -> Vec<State> {
        let End { rests, alone } = end;
        let mut to = Vec::new();
        for queue in 0..=MANY {
            let others = rests;
            let over = State { life: Life::Over, alone, queue, others, ..self.born() };
            match (rests, queue) {
                // The next one goes on, or could not.
                (true, 1..) => to.extend([
                    State { queue: queue - 1, ..self.next_job(&over) },
                    State { life: Life::Awaiting, others: false, ..over },
                ]),
                (true, 0) => to.push(State { life: Life::Awaiting, others: false, ..over }),
                // A prompt that waited is the next one.
                (false, _) => to.extend([
                    over,
                    State { others: true, ..over },
                    State { queue, ..self.born() },
                ]),
            }
        }
        to
    }

    /// What proof and commits the stay has when its size is said: any.
    fn dialled(&self, state: &State, dial: Dial) -> Vec<State> {
        let mut to = Vec::new();
        for (proved, checkpoint) in [(false, false), (false, true), (true, false), (true, true)] {
            to.push(self.forget(State { dial, proved, checkpoint, ..*state }));
        }
        unique(to)
    }

    /// The states in which a phase may begin: `Position::open`, `boundary::draft::draft`, and every
    /// value of
    /// what earlier phases did not look at.
    fn enter(&mut self, state: &State, after: &Position) -> usize {
        let decided = state.plan != Plan::Undecided;
        let fresh = State {
            phase: self.number(after.phase.as_str()),
            begun: after.cycle > 0,
            later: after.cycle > 1,
            again: after.same_cycle,
            life: state.life,
            named: state.named,
            told: state.told,
            back: after.entry.backwards,
            plan: if decided { Plan::Settled } else { Plan::Undecided },
            finished: state.finished,
            waits: state.finished && state.waits,
            ..self.born()
        };
        if let Some(known) = self.entered.get(&fresh) {
            return *known;
        }
        let mut to = Vec::new();
        if self.looks[fresh.phase].inside {
            self.begin(fresh, &mut to);
        } else {
            // Idle after a whole cycle: the next one is a later one.
            let idle = State { later: fresh.later || !fresh.again, ..fresh };
            for (queue, alone) in (0..=MANY).flat_map(|queue| [(queue, false), (queue, true)]) {
                to.push(self.forget(State { queue, alone, ..idle }));
            }
        }
        self.entries.push(unique(to));
        self.entered.insert(fresh, self.entries.len() - 1);
        self.entries.len() - 1
    }

    fn begin(&self, fresh: State, to: &mut Vec<State>) {
        if self.looks[fresh.phase].consolidates && !fresh.alone {
            self.begin(State { alone: true, ..fresh }, to);
        }
        let all = [Plan::Settled, Plan::Missing, Plan::Broken];
        let plans = if fresh.plan == Plan::Undecided { &[Plan::Undecided][..] } else { &all };
        // A stay of this cycle that was left backwards goes on with its word and its worth.
        for (dial, worth) in [
            (Dial::Unset, false),
            (Dial::Half, false),
            (Dial::Half, true),
            (Dial::Three, false),
            (Dial::Three, true),
        ] {
            let whole = lenses(self.rows[fresh.phase]).len();
            for (plan, seen) in plans.iter().flat_map(|plan| [(plan, 0), (plan, 2), (plan, whole)])
            {
                for bits in 0..if self.map.lane.is_some() { 256_u16 } else { 128 } {
                    let bit = |n: u16| bits & (1 << n) != 0;
                    to.push(self.forget(State {
                        dial,
                        worth,
                        plan: *plan,
                        seen,
                        crowded: bit(0),
                        declared: bit(1),
                        proved: bit(2),
                        notes: bit(3),
                        heavy: bit(4),
                        unkept: bit(4),
                        ungiven: bit(3),
                        unlooked: bit(3),
                        unsealed: bit(3),
                        left: bit(5),
                        unread: bit(5),
                        waits: bit(6),
                        shapeless: bit(6),
                        outgrown: bit(7),
                        ..fresh
                    }));
                }
            }
        }
    }

    /// Forgets what the row does not look at.
    fn forget(&self, state: State) -> State {
        let looks = self.looks[state.phase];
        if !looks.inside {
            let undecided = state.plan == Plan::Undecided && (looks.idle || state.aside.is_some());
            return State {
                phase: state.phase,
                aside: state.aside,
                begun: state.begun,
                later: state.later,
                again: state.again,
                life: state.life,
                plan: if undecided { Plan::Undecided } else { Plan::Settled },
                named: state.named,
                told: state.told && !state.later,
                stray: state.stray && looks.side,
                caused: state.caused && looks.side,
                prepared: state.prepared && !looks.side,
                finished: state.finished && looks.idle,
                waits: state.finished && looks.idle && state.waits,
                review: if looks.side || state.finished { state.review } else { Review::Unasked },
                queue: if looks.idle { state.queue } else { 0 },
                alone: looks.idle && state.alone,
                queued: looks.idle && state.queued && !state.begun,
                others: state.others && state.life == Life::Over,
                ..self.born()
            };
        }
        let mut kept = state;
        if !looks.dial {
            kept.dial = Dial::Unset;
        }
        if kept.back || kept.dial == Dial::Unset {
            kept.worth = false;
        }
        let most = if kept.back { CORE_LENSES.len() } else { usize::MAX };
        kept.seen = if looks.reflects { kept.seen.min(most) } else { 0 };
        let open = !kept.back && kept.dial != Dial::Unset && !kept.worth;
        if !looks.paced || (kept.back && kept.since == Since::Nothing) {
            kept.since = Since::Enough;
        }
        if !looks.document && kept.plan != Plan::Undecided {
            kept.plan = Plan::Settled;
        }
        kept.spent &= looks.spends;
        kept.crowded &= looks.crowds;
        kept.edited &= looks.edited;
        kept.unread &= looks.unread && kept.later && kept.plan == Plan::Settled;
        kept.declared |= !looks.scoped;
        kept.own &= looks.checkpoints;
        kept.proved &= looks.proof || (looks.proof_pays && open);
        kept.checkpoint &= looks.checkpoint_pays && open;
        kept.outgrown &= looks.outgrows;
        kept.caused = false;
        kept.named |= !looks.named;
        kept.told |= kept.later || !looks.told;
        kept.shapeless &= looks.shapeless && !kept.later;
        kept.notes &= looks.notes;
        kept.heavy &= looks.heavy;
        kept.unkept &= looks.unkept;
        kept.ungiven &= looks.ungiven;
        kept.unlooked &= looks.unlooked;
        kept.unsealed &= looks.unsealed;
        kept.left &= looks.consolidates;
        kept.waits &= looks.consolidates;
        kept.later |= looks.consolidates;
        kept.finished = false;
        kept.alone &= looks.consolidates;
        (kept.queue, kept.queued, kept.others) = (0, false, false);
        if !looks.consolidates && !looks.ahead {
            kept.review = Review::Unasked;
        }
        kept
    }

    // ---- what acts do

    /// The states after an act that passed: `hook::after::after` and the counting in
    /// `engine::record::activity`.
    fn effects(&self, state: &State, act: Act) -> Vec<State> {
        let row = self.row(state);
        if row.kind == PhaseKind::Side {
            let stray = match act {
                Act::Commit => false,
                Act::EditElsewhere | Act::ShellRun | Act::PageOwn => true,
                _ => return Vec::new(),
            };
            let caused = state.caused || act == Act::PageOwn;
            return vec![State { stray, caused, ..*state }];
        }
        if act == Act::AskSide && state.life == Life::Active {
            // `person::answers::enter_side`, once the person said so.
            let stand = self.stand(state);
            let Ok(step) = stand.aside(self.map) else { return Vec::new() };
            let phase = self.number(stand.take(self.map, &step).phase.as_str());
            return vec![self.forget(State {
                phase,
                aside: Some(state.phase),
                stray: false,
                prepared: false,
                ..*state
            })];
        }
        // Whatever is done comes between the preparation and the question.
        let state = &State { prepared: false, ..*state };
        if act == Act::AskComplete && (row.is_in_cycle() || state.finished) && !state.waits {
            return self.asked_for_completion(state);
        }
        if !row.is_in_cycle() {
            return vec![*state];
        }
        let spends = |word: &str| {
            row.pace.iter().flat_map(|pace| &pace.spends).any(|deed| deed.word() == word)
        };
        let mut to = Vec::new();
        match act {
            Act::PageOwn => {
                let since = Since::Nothing;
                let own = State { page: true, own: true, since, ..*state };
                to.extend([
                    own,
                    State { worth: true, ..own },
                    State { notes: false, ..own },
                    // Words are added that no log holds yet, and a note among them.
                    State { notes: true, heavy: true, unkept: true, ungiven: true, ..own },
                ]);
            }
            Act::PageShorter => {
                to.push(State {
                    page: true,
                    own: true,
                    since: Since::Nothing,
                    heavy: false,
                    ..*state
                });
            }
            Act::ReadProject => to = looked(state, spends("read")),
            Act::EditDeclared | Act::ShellWrite => {
                let spent = act == Act::EditDeclared && spends("edit");
                for state in self.unproved(state) {
                    to.extend(looked(&State { own: true, ..state }, spent));
                }
                if self.looks[state.phase].outgrows {
                    to.extend(to.clone().iter().map(|to| State { outgrown: true, ..*to }));
                }
            }
            Act::ShellRun | Act::ShellTest => {
                to = looked(&State { proved: true, ..*state }, false);
                for state in self.unproved(state) {
                    to.extend(self.strayed(&state));
                }
            }
            Act::PlanDocument => {
                let edited = state.plan != Plan::Missing;
                for plan in [Plan::Settled, Plan::Broken] {
                    to.push(State { plan, edited, ..*state });
                }
            }
            Act::ReadPlan => to = looked(&State { unread: false, ..*state }, false),
            Act::Delegate => {
                let own = State { spent: false, unlooked: false, ..*state };
                to = looked(&State { spent: false, ..*state }, false);
                to.extend(looked(&State { ungiven: false, ..own }, false));
                to.push(State { crowded: true, ..*state });
            }
            Act::ReadPage
            | Act::Search
            | Act::Web
            | Act::ShellLook
            | Act::AskWaiting
            | Act::Knowledge => {
                to = looked(state, false);
            }
            _ => {}
        }
        unique(to.into_iter().map(|to| self.forget(to)).collect())
    }

    /// `person::answers::not_granted`, and a question that nobody answered.
    fn asked_for_completion(&self, state: &State) -> Vec<State> {
        let mut to = vec![State { review: state.review.asked(), ..*state }];
        if state.alone {
            return to.into_iter().map(|to| self.forget(to)).collect();
        }
        // `boundary::ahead::take`: an answer takes the steps up to the question's own phase.
        let settles = self.rows.iter().position(|row| row.kind == PhaseKind::Consolidation);
        let state = &match settles.filter(|_| self.map.asks_ahead(self.row(state))) {
            Some(phase) => self.forget(State { phase, own: false, ..*state }),
            None => *state,
        };
        for reply in [Reply::Look, Reply::Words] {
            to.push(State { review: Review::Unasked.asked().answered(reply), ..*state });
        }
        // `person::answers::approve`, once the person said so. Between cycles that is all.
        let mut job = Self::job(state);
        if self.row(state).is_in_cycle() && job.become_(Status::Completed, 1).is_ok() {
            let (life, review) = (Life::Completed, Review::Unasked);
            to.push(State { life, review, ..*state });
        }
        unique(to.into_iter().map(|to| self.forget(to)).collect())
    }

    /// The last run was before this. What it was worth may have been what was still missing.
    fn unproved(&self, state: &State) -> Vec<State> {
        let now = State { proved: false, ..*state };
        let pays = state.proved && state.worth && self.looks[state.phase].proof_pays;
        if pays { vec![now, State { worth: false, ..now }] } else { vec![now] }
    }

    /// What happens by itself: subagents come back; one of them leaves something behind.
    fn happens(&self, state: &State) -> Vec<State> {
        let mut to = Vec::new();
        if self.row(state).is_in_cycle() && !state.life.rests() {
            to = self.strayed(state);
        }
        // The job that a finished one waits for comes to its end.
        if state.finished && state.waits {
            to.push(self.forget(State { waits: false, ..*state }));
        }
        // The person says something.
        let ahead = self.looks[state.phase].ahead;
        let review = if ahead { Review::Unasked } else { state.review.heard() };
        to.push(self.forget(State { review, ..*state }));
        to.extend(self.persons(state));
        unique(to.into_iter().map(|to| self.forget(to)).collect())
    }

    /// What a person does to the jobs of a worktree.
    fn persons(&self, state: &State) -> Vec<State> {
        let job = Self::job(state);
        let looks = self.looks[state.phase];
        // They go to bed, and get up.
        let mut to = vec![State { alone: !state.alone, ..*state }];
        if looks.idle {
            // `git seed job create`, and `git seed job drop --pending`.
            to.push(State { queue: (state.queue + 1).min(MANY), ..*state });
            to.push(State { queue: 0, ..*state });
        }
        let over = State { life: Life::Over, queue: state.queue, ..self.born() };
        if !state.life.rests() || state.life == Life::Pending {
            // `[DROP]`, with whatever else waits.
            let queues = if looks.idle { state.queue..=state.queue } else { 0..=MANY };
            to.extend(queues.map(|queue| State { queue, ..over }));
            return to;
        }
        // `[APPROVE]`, and `git seed job approve`.
        if state.life == Life::Awaiting || state.others {
            to.push(State { others: false, ..over });
        }
        if routing::route("fix it", true, Some(&job), false) == Route::Bear {
            to.push(State { queue: state.queue, ..self.born() });
        }
        to
    }

    /// What a stray may make of a state: it counts for the size of the work as well.
    fn strayed(&self, state: &State) -> Vec<State> {
        let outgrows = state.outgrown || self.looks[state.phase].outgrows;
        let stray = State { stray: true, ..*state };
        unique(vec![stray, State { outgrown: outgrows, ..stray }])
    }

    fn commands(&self, state: &State) -> Vec<Cmd> {
        let row = self.rows[state.phase];
        let mut all = vec![
            Cmd::Show,
            Cmd::Fix,
            Cmd::Restore,
            Cmd::Checkpoint { said: true },
            Cmd::Checkpoint { said: false },
            Cmd::Multiplier(Dial::Half),
            Cmd::Multiplier(Dial::Three),
            Cmd::Update { objective: false },
            Cmd::Update { objective: true },
            Cmd::Decide { document: false, again: false },
            Cmd::Decide { document: true, again: false },
            Cmd::Decide { document: true, again: true },
            Cmd::Exit,
            Cmd::Prep { sure: true, said: true },
            Cmd::Prep { sure: false, said: true },
            Cmd::Prep { sure: true, said: false },
            Cmd::Up { said: true },
            Cmd::Up { said: false },
            Cmd::Small { said: true, looked: true },
            Cmd::Small { said: true, looked: false },
            Cmd::Small { said: false, looked: true },
            Cmd::Review,
            Cmd::Reflect { thin: false },
            Cmd::Reflect { thin: true },
            Cmd::Archive,
            Cmd::Seal,
            Cmd::ReadPlan,
            Cmd::Focus,
            Cmd::Activate,
            Cmd::Create,
            Cmd::Unlink,
            Cmd::Persons,
        ];
        let plain = |to, text| Cmd::Advance { to, text, add: false, scope: false };
        for text in [
            Text::Whole,
            Text::None,
            Text::Short,
            Text::Bare,
            Text::Unsettled,
            Text::Forged,
            Text::Line,
        ] {
            all.push(plain(None, text));
        }
        if row.criteria.is_some() {
            let texts = [Text::Unanswered, Text::Unmet, Text::Unshown];
            all.extend(texts.map(|text| plain(None, text)));
        }
        all.push(Cmd::Advance { to: None, text: Text::Whole, add: true, scope: false });
        all.push(Cmd::Advance { to: None, text: Text::Whole, add: false, scope: true });
        all.extend(
            row.next.iter().skip(1).map(|to| plain(Some(self.number(to.as_str())), Text::Whole)),
        );
        // A step that no map has.
        all.push(plain(Some(self.number("none")), Text::Whole));
        for to in row.back.iter().map(|to| self.number(to.as_str())).chain([self.number("none")]) {
            all.push(Cmd::Back { to: Some(to), said: true });
        }
        all.push(Cmd::Back { to: None, said: true });
        all.push(Cmd::Back { to: None, said: false });
        all
    }

    // ---- sentences

    /// The commands of git seed that `text` names, as they would be given.
    fn commands_in(&mut self, text: &str, row: &str) -> Vec<Cmd> {
        let mut found = Vec::new();
        // What stands between quotes is for the agent to say.
        let text =
            text.split('"').enumerate().map(|(n, part)| if n % 2 == 0 { part } else { "\"x\"" });
        let text: String = text.collect();
        for (at, mark) in text.match_indices("git seed ") {
            let rest = &text[at + mark.len()..];
            let ends = [
                "   ", ", ", "; ", ". ", " with ", " then ", " to ", " and ", " lists ", " shows ",
                " names ", "(",
            ];
            let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
            let line = rest[..end].trim_end_matches(['.', ')', ',', ';', '`']);
            found.push(self.command_of(line, row));
        }
        found
    }

    fn command_of(&mut self, line: &str, row: &str) -> Cmd {
        let words: Vec<&str> = line.split_whitespace().collect();
        let has = |flag: &str| words.contains(&flag);
        let to = |at: usize| {
            let name = words.get(at)?;
            self.rows.iter().position(|row| row.name.as_str() == *name)
        };
        let cmd = match words.as_slice() {
            ["status" | "why" | "log" | "claim", ..]
            | ["doctor"]
            | ["fence" | "condense", "status"]
            | ["note", "list"]
            | ["phase", "current" | "list" | "cycle"]
            | ["plan", "show" | "total" | "validate"]
            | ["summary", "show"]
            | ["job", "show" | "list"]
            | ["job", "list", "--graph"] => Cmd::Show,
            ["doctor", "--fix"] => Cmd::Fix,
            ["fence", "restore"] => Cmd::Restore,
            ["phase", "advance", "--review"] => Cmd::Review,
            ["phase", "advance", "--up", ..] => Cmd::Up { said: has("-m") || has("-F") },
            ["phase", "advance", "--small", ..] => Cmd::Small { said: has("-m"), looked: true },
            ["phase", "advance", ..] => Cmd::Advance {
                to: words.iter().position(|word| *word == "--to").and_then(|at| to(at + 1)),
                text: match (has("-F"), has("-m")) {
                    (true, _) => Text::Whole,
                    (_, true) => Text::Line,
                    _ => Text::None,
                },
                add: has("--add-cycle"),
                scope: has("--scope"),
            },
            ["phase", "back", name, ..] if !name.starts_with(['-', '<']) && to(2).is_none() => {
                self.objections.insert(format!("{}: {row}: no such phase: {line}", self.map.name));
                Cmd::Show
            }
            ["phase", "back", ..] => Cmd::Back { to: to(2), said: has("-m") },
            ["phase", "checkpoint", ..] => Cmd::Checkpoint { said: has("-m") },
            ["phase", "multiplier", ..] => Cmd::Multiplier(Dial::Three),
            ["plan", "read"] => Cmd::ReadPlan,
            ["plan", "set-plan-file", ..] => Cmd::Decide { document: false, again: false },
            ["gmode", "exit"] => Cmd::Exit,
            ["gmode", "prep", ..] => Cmd::Prep { sure: true, said: has("-m") },
            ["job", "update", ..] => Cmd::Update { objective: has("--objective") },
            ["job", "pause"] => Cmd::Pause,
            ["job", "activate", ..] => Cmd::Activate,
            ["job", "remove-dependency", ..] => Cmd::Unlink,
            ["job", "move"] => Cmd::Persons,
            ["reflect", ..] => Cmd::Reflect { thin: false },
            ["condense", "archive"] => Cmd::Archive,
            ["summary", "submit", ..] => Cmd::SumUp,
            ["compact", "seal"] => Cmd::Seal,
            _ => {
                self.objections
                    .insert(format!("{row}: the search does not know `git seed {line}`"));
                Cmd::Show
            }
        };
        let given = line
            .replace("<0.5|1|1.5|2|2.5|3>", "3")
            .replace("<0-100>", "90")
            .replace("<name>", "plan")
            .replace(['<', '>'], "");
        let given = given.replace('|', "-");
        let document = if has("-F") { " <<'EOF'\nx\nEOF" } else { "" };
        let open = shell::seed_command(&format!("git seed {given}{document}")).is_some();
        if open == (cmd == Cmd::Persons) {
            self.objections.insert(format!("{row}: whose is `git seed {given}`?"));
        }
        cmd
    }

    /// Is what the sentence says to do possible here? Else, why not.
    fn follows(
        &mut self,
        state: &State,
        no: usize,
        around: Around,
        deep: u8,
    ) -> Result<(), String> {
        let remedy = Rc::clone(&self.remedies[no]);
        for cmd in &remedy.commands {
            if *cmd == Cmd::Persons && remedy.way == Some(Way::Person) {
                continue;
            }
            match self.command(state, *cmd, around) {
                Came::Done(_) | Came::Enters { .. } | Came::On => {}
                // Over a broken journal the failure names the command that mends it; a person's
                // hook speaks for itself; where nothing is to commit, git has nothing either.
                Came::Fails(_) if matches!(around, Around::Broken | Around::Vetoed) => {}
                Came::Fails(_) if matches!(cmd, Cmd::Checkpoint { .. }) && remedy.by == "git" => {}
                Came::Fails(why) => return Err(format!("{cmd:?} fails: {why}")),
                Came::No(next) => self.around_it(state, next, around, deep, &format!("{cmd:?}"))?,
            }
        }
        let any = |search: &mut Self, acts: &[Act]| {
            let refused: Vec<usize> =
                acts.iter().filter_map(|act| search.act(state, *act, around)).collect();
            match refused.first() {
                Some(first) if refused.len() == acts.len() => {
                    search.around_it(state, *first, around, deep, &format!("{:?}", acts[0]))
                }
                _ => Ok(()),
            }
        };
        match remedy.way {
            None | Some(Way::GoOn | Way::Wait | Way::Person) => Ok(()),
            Some(Way::PageEdit) => any(self, &[Act::PageOwn]),
            Some(Way::Look) => any(self, &[Act::ShellLook, Act::Search, Act::ReadProject]),
            Some(Way::Read) => any(self, &[Act::ReadPage]),
            Some(Way::Run) => any(self, &[Act::ShellTest]),
            Some(Way::Edit) => any(self, &[Act::EditDeclared]),
            Some(Way::Document) => any(self, &[Act::PlanDocument]),
            Some(Way::Commit) => any(self, &[Act::Commit]),
            Some(Way::Delegate) => any(self, &[Act::Delegate]),
            Some(Way::Question) => {
                any(self, &[Act::AskComplete, Act::AskSide, Act::AskWaiting, Act::AskRepeat])
            }
            Some(Way::Message) => {
                let cmd = Cmd::Advance { to: None, text: Text::Whole, add: false, scope: false };
                match self.command(state, cmd, around) {
                    Came::Done(_) | Came::Enters { .. } | Came::On => Ok(()),
                    Came::Fails(why) => Err(format!("the whole message fails: {why}")),
                    Came::No(next) => {
                        self.around_it(state, next, around, deep, "the whole message")
                    }
                }
            }
        }
    }

    /// Rules that a sentence may run into, because their own sentence leads straight on: the
    /// rhythm of looking and writing, the balance, the word that opens a stay, a stray before
    /// a boundary, a page that no directory declares, notes before the archive.
    fn around_it(
        &mut self,
        state: &State,
        no: usize,
        around: Around,
        deep: u8,
        what: &str,
    ) -> Result<(), String> {
        let remedy = Rc::clone(&self.remedies[no]);
        let Remedy { by, case, said, .. } = remedy.as_ref();
        let known = [
            "look-first",
            "write-down",
            "delegation",
            "in-flight",
            "dial",
            "clean",
            "home",
            "state",
            "root-cause",
            "proof",
            "criteria",
            "audit",
            "claims",
            // `git seed doctor` says why they do not fire.
            "hooks",
            // The session that it works for takes the step.
            "subagent",
        ]
        .contains(by)
            || (*by == "place" && case.starts_with("declaration/"))
            || (*by == "archive" && case == "settled/notes");
        if !known || deep >= DETOURS {
            return Err(format!("{what} is refused by {by} ({case}): {said}"));
        }
        self.detours += 1;
        self.follows(state, no, around, deep + 1).map_err(|why| format!("{what}, by {by}: {why}"))
    }

    fn object(&mut self, state: &State, around: Around, no: usize, why: &str) {
        let Remedy { by, case, said, .. } = self.remedies[no].as_ref();
        let phase = &self.rows[state.phase].name;
        // One example is enough for each kind.
        let kind =
            format!("{}: {phase} ({around:?}): {by} {case}: do `{said}`: {why}", self.map.name);
        if !self.objections.iter().any(|known| known.starts_with(&kind)) {
            self.objections.insert(format!("{kind}\n    for example in {state:?}"));
        }
    }

    // ---- the search

    /// Jobs of a lane that were too large for it go on here.
    fn rise(&mut self, risen: &BTreeSet<(bool, bool)>) -> Vec<State> {
        let mut all = Vec::new();
        for (later, undecided) in risen {
            for named in [false, true] {
                let plan = if *undecided { Plan::Undecided } else { Plan::Settled };
                let phase = self.number(self.map.start.as_str());
                let fresh = State { phase, begun: true, later: *later, named, plan, ..self.born() };
                self.begin(fresh, &mut all);
            }
        }
        unique(all)
    }

    /// Does what each of these refusals says.
    fn follow(&mut self, state: &State, refused: BTreeSet<usize>) {
        for no in refused {
            self.checked += 1;
            if let Err(why) = self.follows(state, no, Around::Nothing, 0) {
                self.object(state, Around::Nothing, no, &why);
            }
        }
    }

    /// Nothing is left to do but a person's `git seed job approve`.
    fn is_done(state: &State) -> bool {
        let approved = || Self::job(state).become_(Status::Completed, 1).is_ok();
        match state.life {
            Life::Over => state.queue == 0,
            Life::Awaiting => true,
            _ => state.finished && !state.waits && approved(),
        }
    }

    /// A part is judged as far as refusals go: only of a whole map is it known where all lead.
    fn run(&mut self, risen: &BTreeSet<(bool, bool)>, extent: Extent) -> usize {
        let mut states = vec![self.born()];
        states.extend(self.paused(&self.born()));
        states.push(self.awaiting());
        states.extend(self.rise(risen));
        let mut numbers: HashMap<State, usize> = states.iter().copied().zip(0..).collect();
        // Per state, where each way out leads; per entry, the states that it may come to.
        let (mut ways, mut begun): (Vec<Vec<Lead>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < states.len() {
            let state = states[at];
            if at > NEAR && !extent.takes(at) {
                ways.push(Vec::new());
                at += 1;
                continue;
            }
            let unprepared = State { prepared: false, ..state };
            let twin =
                numbers.get(&unprepared).copied().filter(|twin| state.prepared && *twin < at);
            if let Some(twin) = twin {
                // Only the question for the side lane can tell them apart.
                let to = self.differs(&state, &unprepared);
                states.extend(to.into_iter().filter(|to| !numbers.contains_key(to)));
                for (n, state) in states.iter().enumerate().skip(numbers.len()) {
                    numbers.insert(*state, n);
                }
                ways.push(ways[twin].clone());
                at += 1;
                continue;
            }
            let mut own = Vec::new();
            let mut reach = |to: &[State]| -> Vec<usize> {
                to.iter()
                    .map(|to| {
                        *numbers.entry(*to).or_insert_with(|| {
                            states.push(*to);
                            states.len() - 1
                        })
                    })
                    .collect()
            };
            let mut refused: BTreeSet<usize> = BTreeSet::new();
            for around in [Around::Nothing, Around::Alone] {
                for (act, no) in self.verdicts(&state, around).iter() {
                    match no {
                        Some(no) => {
                            refused.insert(*no);
                        }
                        None => {
                            for to in reach(&self.effects(&state, *act)) {
                                self.transitions += 1;
                                let persons = matches!(act, Act::AskSide | Act::AskComplete);
                                if to != at && !persons && around == Around::Nothing {
                                    own.push(Lead::Free(to));
                                }
                            }
                        }
                    }
                }
            }
            if state.crowded {
                let landed = self.forget(State { crowded: false, ..state });
                own.push(Lead::Free(reach(&[landed])[0]));
            }
            own.extend(Self::is_done(&state).then_some(Lead::On));
            reach(&self.happens(&state));
            for cmd in self.commands(&state) {
                match self.command(&state, cmd, Around::Nothing) {
                    Came::No(no) => {
                        refused.insert(no);
                    }
                    Came::Fails(_) => {}
                    Came::On => own.push(Lead::On),
                    Came::Done(to) => {
                        let to = reach(&to);
                        self.transitions += to.len();
                        match cmd {
                            _ if to == [at] => {}
                            // The next command brings it along: `--multiplier`.
                            Cmd::Multiplier(_) => own.push(Lead::Along(to)),
                            _ => own.push(Lead::Told(to)),
                        }
                    }
                    Came::Enters { into, on } => {
                        self.transitions += self.entries[into].len();
                        while begun.len() < self.entries.len() {
                            begun.push(reach(&self.entries[begun.len()]));
                        }
                        own.push(if on { Lead::On } else { Lead::Into(into) });
                    }
                }
            }
            reach(&self.new_ends());
            refused.extend(self.events(&state));
            self.follow(&state, refused);
            own.sort();
            own.dedup();
            ways.push(own);
            at += 1;
        }
        if extent == Extent::Whole {
            self.all_was_seen(&states, &ways, &begun, &numbers);
        }
        states.len()
    }

    /// Every phase and its side lane was reached, and no state is shut in.
    fn all_was_seen(
        &mut self,
        states: &[State],
        ways: &[Vec<Lead>],
        begun: &[Vec<usize>],
        numbers: &HashMap<State, usize>,
    ) {
        self.all_move_on(states, ways, begun);
        self.next_leads_on(states, numbers);
        self.nights_end(states);
        for (n, row) in
            self.rows.iter().enumerate().filter(|(_, row)| row.kind != PhaseKind::Outside)
        {
            assert!(states.iter().any(|state| state.phase == n), "{} was not reached", row.name);
            let aside = states.iter().any(|state| state.aside == Some(n));
            assert!(row.side.is_none() || aside, "the side lane of {} was not reached", row.name);
        }
        let mut seen = HashSet::new();
        for state in states {
            if seen.insert(self.seen_by_guards(state)) {
                self.is_never_shut_in(state);
            }
        }
    }

    /// Follows what is refused after the preparation alone; where the question leads then.
    fn differs(&mut self, state: &State, before: &State) -> Vec<State> {
        let refused =
            |all: &Verdicts| all.iter().filter_map(|(_, no)| *no).collect::<BTreeSet<usize>>();
        let known = refused(&self.verdicts(before, Around::Nothing));
        for no in refused(&self.verdicts(state, Around::Nothing)).difference(&known) {
            self.checked += 1;
            if let Err(why) = self.follows(state, *no, Around::Nothing, 0) {
                self.object(state, Around::Nothing, *no, &why);
            }
        }
        match self.act(state, Act::AskSide, Around::Nothing) {
            None => self.effects(state, Act::AskSide),
            Some(_) => Vec::new(),
        }
    }

    /// Refusals of events, and of answers.
    fn events(&mut self, state: &State) -> Vec<usize> {
        let mut refused: Vec<usize> = self.stop(state).into_iter().collect();
        if self.admits_locks(state) {
            refused.extend(self.locks(state));
        }
        refused
    }

    /// What comes next, in words.
    fn next(&self, state: &State) -> String {
        if state.life.rests() {
            return format!("{:?}", Self::loose(state));
        }
        match self.standing(state) {
            Next::Command(command) => command.to_owned(),
            Next::Mend(refusal) => voice::say(&refusal, self.row(state).name.as_str()).do_,
            Next::Work(work) => work,
            Next::Approval => "tell the person".to_owned(),
        }
    }

    /// Without a focus: `report::next_without_job`.
    fn loose(state: &State) -> Loose {
        let waits = state.life == Life::Pending || state.queue > 0;
        next::without_job(next::Waiting {
            queued: waits,
            awaiting: state.life == Life::Awaiting || state.others,
            ..next::Waiting::default()
        })
    }

    /// `report::next`.
    fn standing(&self, state: &State) -> Next {
        let row = self.row(state);
        let message = Message::default();
        let missing = match row.next.first() {
            Some(to) => {
                let to = self.number(to.as_str());
                self.at_boundary(state, to, &message, false, |crossing| gates::missing(&crossing))
            }
            None => Vec::new(),
        };
        let standing = Standing {
            row,
            aside: row.kind == PhaseKind::Side,
            rests: row_rests(row),
            lane: self.map.lane.is_some(),
            finished: state.finished,
            review: state.review,
            waits: state.waits.then(waits),
            missing: &missing,
        };
        next::next(&standing)
    }

    /// Where what comes next leads to, one step of it; the states are not numbered yet.
    fn led(&mut self, state: &State) -> Vec<Led> {
        if state.life.rests() {
            return match Self::loose(state) {
                Loose::Activate => self.led_by_commands(state, &[Cmd::Activate], 0),
                // The person's, and the turn may end.
                Loose::Resume | Loose::Approve | Loose::Land | Loose::Prompt => {
                    match self.stop(state) {
                        None => vec![Led::On],
                        Some(no) => self.led_by(state, no, 0),
                    }
                }
            };
        }
        let name = self.row(state).name.to_string();
        match self.standing(state) {
            Next::Approval => vec![Led::On],
            Next::Mend(refusal) => {
                let no = self.keep(&refusal, &name);
                self.led_by(state, no, 0)
            }
            Next::Command(text) => {
                let commands = self.commands_in(text, &name);
                self.led_by_commands(state, &commands, 0)
            }
            Next::Work(text) => {
                let commands = self.commands_in(&text, &name);
                let mut led = self.led_by_commands(state, &commands, 0);
                let acts = [Act::ReadProject, Act::EditDeclared, Act::ShellTest, Act::AskComplete];
                led.extend(self.led_by_acts(state, &acts, 0));
                led
            }
        }
    }

    /// Where it leads to do what a refusal says.
    fn led_by(&mut self, state: &State, no: usize, deep: u8) -> Vec<Led> {
        let remedy = Rc::clone(&self.remedies[no]);
        let mut led = self.led_by_commands(state, &remedy.commands, deep);
        let acts: &[Act] = match remedy.way {
            // What the person says, or does elsewhere.
            Some(Way::Person) => {
                let review = state.review.heard();
                led.push(Led::To(vec![self.forget(State { review, ..*state })]));
                &[]
            }
            Some(Way::PageEdit) => &[Act::PageOwn, Act::PageShorter],
            Some(Way::Look) => &[Act::ReadProject, Act::ReadPage, Act::Search, Act::ShellLook],
            Some(Way::GoOn) => {
                &[Act::ReadProject, Act::ReadPage, Act::PageOwn, Act::EditDeclared, Act::ShellTest]
            }
            Some(Way::Read) => &[Act::ReadPage, Act::ReadPlan],
            Some(Way::Run) => &[Act::ShellTest],
            Some(Way::Edit) => &[Act::EditDeclared],
            Some(Way::Document) => &[Act::PlanDocument],
            Some(Way::Commit) => &[Act::PageOwn, Act::Commit],
            Some(Way::Delegate) => &[Act::Delegate],
            Some(Way::Question) => &[Act::AskComplete],
            Some(Way::Message) => {
                let cmd = Cmd::Advance { to: None, text: Text::Whole, add: false, scope: false };
                led.extend(self.led_by_commands(state, &[cmd], deep));
                &[]
            }
            Some(Way::Wait) => {
                let crowded = false;
                led.push(Led::To(vec![self.forget(State { crowded, ..*state })]));
                &[]
            }
            // The list names the notes, and they are settled on their pages.
            None if remedy.case == "settled/notes" => &[Act::PageOwn],
            // The list names the other job, which comes to its end.
            None if remedy.case == "settled/dependencies" => {
                led.push(Led::To(vec![self.forget(State { waits: false, ..*state })]));
                &[]
            }
            None => &[],
        };
        led.extend(self.led_by_acts(state, acts, deep));
        led
    }

    fn led_by_acts(&mut self, state: &State, acts: &[Act], deep: u8) -> Vec<Led> {
        let mut led = Vec::new();
        for act in acts {
            match self.act(state, *act, Around::Nothing) {
                None => {
                    let to = self.effects(state, *act).into_iter();
                    led.extend(to.map(|to| Led::To(vec![to])));
                }
                Some(no) if deep < DETOURS => led.extend(self.led_by(state, no, deep + 1)),
                Some(_) => {}
            }
        }
        led
    }

    fn led_by_commands(&mut self, state: &State, commands: &[Cmd], deep: u8) -> Vec<Led> {
        let mut led = Vec::new();
        for cmd in commands {
            match self.command(state, *cmd, Around::Nothing) {
                Came::Done(to) => led.extend(to.into_iter().map(|to| Led::To(vec![to]))),
                Came::Enters { on: true, .. } | Came::On => led.push(Led::On),
                Came::Enters { into, .. } => led.push(Led::To(self.entries[into].clone())),
                Came::No(no) if deep < DETOURS => led.extend(self.led_by(state, no, deep + 1)),
                Came::No(_) | Came::Fails(_) => {}
            }
        }
        led
    }

    /// The turn wants to end: `hook::stop::stop`.
    fn stop(&mut self, state: &State) -> Option<usize> {
        let next = self.next(state);
        let row = self.row(state);
        let job = Self::job(state);
        let turn = Turn {
            called_off: None,
            row,
            job: &job.name,
            // `State::is_small_talk`.
            talk: !(state.begun || state.aside.is_some() || state.queued),
            open: job.status.is_open(),
            closing: routing::is_closing(&job, self.rows[state.phase].name.is_idle()),
            looking: state.review == Review::Looking,
            // A person's question lets any turn end; the search asks whether the others do.
            asked: false,
            unasked: (state.review == Review::Unanswered || state.alone).then_some("nobody is"),
            running: false,
            next: &next,
            whole: false,
        };
        match (state.life, stop::may_end(&turn)) {
            (Life::Pending, _) => Some(self.keep(&stop::waits(&job.name, "j"), "idle")),
            (Life::Awaiting | Life::Over, _) if state.queue > 0 => {
                Some(self.keep(&stop::waits("another", "k"), "idle"))
            }
            // Nothing keeps the turn open.
            (Life::Awaiting | Life::Over, _) | (_, Ok(())) => None,
            (_, Err(no)) => {
                let name = self.rows[state.phase].name.to_string();
                Some(self.keep(&no, &name))
            }
        }
    }

    fn admits_locks(&self, state: &State) -> bool {
        self.row(state).questions.iter().any(|word| word == "PLUGIN-LOCK")
    }

    /// What is answered about protected surfaces: `fence::surfaces::lock_may_open`, and
    /// `fence::surfaces::check_surface`
    /// at a boundary and at the side lane's end.
    fn locks(&mut self, state: &State) -> Vec<usize> {
        let row = self.row(state);
        let name = row.name.to_string();
        let side = row.kind == PhaseKind::Side;
        let data = Opened { surface: "data", test: None, has: true };
        let none = Opened { has: false, ..data };
        let tested = Opened { test: Some("b.sh"), ..data };
        let mut all = vec![gates::surface_check_failed("hooks", "it broke")];
        for access in [side, true] {
            for open in [None, Some(data), Some(none), Some(tested)] {
                for (grants, name) in [
                    (Grant::Surface, "hooks"),
                    (Grant::Surface, "nothing"),
                    (Grant::SurfaceTest, "a.sh"),
                ] {
                    let locks = Locks { known: &["hooks", "data"], access, open };
                    all.extend(questions::lock_may_open(grants, name, &locks).err());
                }
            }
        }
        all.iter().map(|no| self.keep(no, &name)).collect()
    }

    /// From every state a forward step, the return from the side lane or the job's end is at most
    /// [`Search::most`] commands away, whatever comes of a command that may end in several ways.
    fn all_move_on(&mut self, states: &[State], ways: &[Vec<Lead>], begun: &[Vec<usize>]) {
        let mut far = vec![u8::MAX; states.len()];
        loop {
            let mut moved = false;
            let worst =
                |to: &[usize], far: &[u8]| to.iter().map(|to| far[*to]).max().unwrap_or(u8::MAX);
            let into: Vec<u8> = begun.iter().map(|to| worst(to, &far)).collect();
            for (at, own) in ways.iter().enumerate().rev() {
                let best = own.iter().map(|lead| match lead {
                    Lead::On => 1,
                    Lead::Free(to) => far[*to],
                    Lead::Along(to) => worst(to, &far),
                    Lead::Told(to) => worst(to, &far).saturating_add(1),
                    Lead::Into(entry) => into[*entry].saturating_add(1),
                });
                let best = best.min().unwrap_or(u8::MAX);
                if best < far[at] {
                    far[at] = best;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        let mut told: BTreeMap<(u8, usize), usize> = BTreeMap::new();
        for (at, state) in states
            .iter()
            .enumerate()
            .filter(|(at, state)| far[*at] > self.most + u8::from(state.stray))
        {
            if *told.entry((far[at], state.phase)).and_modify(|n| *n += 1).or_insert(1) <= 2 {
                let phase = &self.rows[state.phase].name;
                let text = format!(
                    "{}: {phase}: {} commands lead on from {state:?}",
                    self.map.name, far[at]
                );
                self.objections.insert(text);
            }
        }
    }

    /// Whoever does what comes next, again and again, comes to a forward step or the job's end.
    fn next_leads_on(&mut self, states: &[State], numbers: &HashMap<State, usize>) {
        let mut nexts: Vec<Vec<Lead>> = Vec::new();
        for state in states {
            // A state that the search did not come to leads nowhere.
            let numbered = |to: &State| numbers.get(to).copied();
            let lead = |led: Led| match led {
                Led::On => Some(Lead::On),
                Led::To(to) => to.iter().map(numbered).collect::<Option<_>>().map(Lead::Told),
            };
            nexts.push(self.led(state).into_iter().filter_map(lead).collect());
        }
        let mut ends = vec![false; states.len()];
        loop {
            let mut moved = false;
            for (at, own) in
                nexts.iter().enumerate().rev().filter(|(at, _)| !ends[*at]).collect::<Vec<_>>()
            {
                let leads = own.iter().any(|lead| match lead {
                    Lead::Along(to) | Lead::Told(to) => to.iter().all(|to| ends[*to]),
                    _ => true,
                });
                ends[at] = leads;
                moved |= leads;
            }
            if !moved {
                break;
            }
        }
        let mut told = BTreeSet::new();
        for (_, state) in states.iter().enumerate().filter(|(at, _)| !ends[*at]) {
            let (phase, next) = (&self.rows[state.phase].name, self.next(state));
            let text =
                format!("{}: {phase}: doing what is next leads nowhere: {next}", self.map.name);
            if told.insert(text.clone()) {
                self.objections.insert(format!("{text}\n    from {state:?}"));
            }
        }
    }

    /// While nobody is there, a job that nobody approved rests at its end, and each that is taken
    /// up leaves fewer that wait: so a night ends, with every job approved or resting.
    fn nights_end(&mut self, states: &[State]) {
        for end in [End { rests: true, alone: true }, End { rests: false, alone: true }] {
            assert!(self.seen_ends.contains(&end), "{}: no job came to {end:?}", self.map.name);
        }
        for state in states.iter().filter(|state| state.life.rests() && state.queue > 0) {
            let Came::Done(to) = self.command(state, Cmd::Activate, Around::Nothing) else {
                continue;
            };
            if to.iter().any(|to| to.queue >= state.queue || to.life != Life::Active) {
                self.objections.insert(format!("the queue does not grow shorter from {state:?}"));
            }
        }
        for state in states {
            let moment = match state.life {
                Life::Pending | Life::Awaiting | Life::Over => Worktree::NoJob {
                    rests: false,
                    waits: state.life == Life::Pending || state.queue > 0,
                    awaits: state.life == Life::Awaiting || state.others,
                },
                Life::Completed => continue,
                Life::Active if !state.begun && state.aside.is_none() => {
                    Worktree::Talk { awaits: false }
                }
                Life::Active => Worktree::Work {
                    ends: state.finished && !state.waits,
                    size: SizeWords::default(),
                },
            };
            let words = shortword::acting(moment);
            let ends = match state.life {
                Life::Active if state.finished && !state.waits => "[APPROVE]",
                Life::Active => "[DROP]",
                Life::Awaiting => "[APPROVE]",
                _ if state.others => "[APPROVE]",
                _ if state.queue > 0 => "[DROP] <id>",
                _ => "[QUICK]",
            };
            if !words.contains(&ends) {
                self.objections.insert(format!("no {ends} among {words:?} in {state:?}"));
            }
        }
    }

    /// Whatever is so around it: the commands that show and mend pass, refusals are followed,
    /// and a person can pause. Switching off asks nothing of the job:
    /// `jobs::lifecycle::switch_off`.
    fn is_never_shut_in(&mut self, state: &State) {
        for around in AROUND {
            // A guest only looks, by design, and a subagent takes no step.
            let open: &[Act] = if matches!(around, Around::Guest | Around::Below) {
                &[Act::SeedLooks]
            } else {
                &[Act::SeedLooks, Act::SeedMoves]
            };
            for act in open {
                if let Some(no) = self.act(state, *act, around) {
                    self.object(state, around, no, "a command that mends is refused");
                }
            }
            // The agent may always ask whether the job is to be given up, once it has said how
            // much the stay needs and what was told is summed up.
            let asks = matches!(state.dial, Dial::Half | Dial::Three) || !self.row(state).dial;
            let heard = !matches!(around, Around::Guest | Around::Broken | Around::Unsummed);
            if let Some(no) = self.act(state, Act::AskDrop, around)
                && asks
                && heard
                && !state.life.rests()
            {
                self.object(state, around, no, "the question that gives the job up is refused");
            }
            let back = Cmd::Back { to: None, said: true };
            let leaves = self.row(state).kind == PhaseKind::Side;
            let clean = State { stray: false, caused: true, ..*state };
            // Where no hook fires nobody watched the work: `git seed doctor` comes first.
            let shut = [Around::Guest, Around::Away, Around::Broken, Around::Silent, Around::Below];
            let cross = !shut.contains(&around);
            if cross && !state.life.rests() {
                if leaves && !matches!(self.command(&clean, Cmd::Exit, around), Came::On) {
                    self.objections.insert(format!("gmode exit is shut in {state:?}"));
                }
                let has_back = !self.row(state).back.is_empty();
                if has_back && !matches!(self.command(&clean, back, around), Came::Enters { .. }) {
                    self.objections.insert(format!("phase back is shut in {state:?}"));
                }
            }
            if around != Around::Nothing {
                let refused: BTreeSet<usize> =
                    self.verdicts(state, around).iter().filter_map(|(_, no)| *no).collect();
                for no in refused {
                    self.checked += 1;
                    if let Err(why) = self.follows(state, no, around, 0) {
                        self.object(state, around, no, &why);
                    }
                }
            }
        }
        if !state.life.rests()
            && let Came::Fails(why) = self.other(state, Cmd::Pause)
        {
            self.objections
                .insert(format!("a person cannot pause: {why}, for example in {state:?}"));
        }
    }
}

fn row_rests(row: &Phase) -> bool {
    row.kind == PhaseKind::Rest
}

/// Why a job that waits for another one does not end.
fn waits() -> Refusal {
    let other = ("k".parse().expect("an id"), "other".to_owned(), Status::Active.word());
    questions::dependencies_hold(&[other]).expect_err("it is open")
}

/// The lenses that open an exit, in the order in which the search looks through them.
fn lenses(row: &Phase) -> Vec<String> {
    let pace = row.pace.clone().unwrap_or_default();
    let core = CORE_LENSES.iter().map(|lens| (*lens).to_owned());
    core.chain(pace.lenses.into_iter().take(3)).chain(pace.reflectors.into_iter().take(1)).collect()
}

fn multiplier(dial: Dial) -> Option<Multiplier> {
    match dial {
        Dial::Unset => None,
        Dial::Half => "0.5".parse().ok(),
        Dial::Three => "3".parse().ok(),
    }
}

/// What looking or doing may lead to: some more seen, much more seen, worth more.
fn looked(state: &State, spends: bool) -> Vec<State> {
    let mut to = Vec::new();
    for since in [state.since.max(Since::Enough), Since::Full] {
        for worth in [state.worth, true] {
            for spent in [state.spent, state.spent || spends] {
                to.push(State { since, worth, spent, ..*state });
            }
        }
    }
    unique(to)
}

fn unique(states: Vec<State>) -> Vec<State> {
    let mut seen = HashSet::new();
    states.into_iter().filter(|state| seen.insert(*state)).collect()
}

/// The counts of acts that stand for `nothing`, `enough` and `full` mean that on every row.
#[test]
fn the_counts_of_the_search_mean_what_they_say() {
    let rules = Rules::shipped().expect("the shipped rules are sound");
    for name in rules.maps.names() {
        let search = Search::new(&rules, rules.maps.get(name));
        for row in search.rows.iter().filter(|row| row.is_in_cycle()) {
            let Some(pace) = &row.pace else { continue };
            let stay = |since| Search::stay(&State { since, ..search.born() }, row);
            let early = |since| pace.is_early(&stay(since), row.profile);
            let full = |since| pace.is_full(&stay(since), row.profile);
            assert_eq!(early(Since::Nothing), pace.least > 0, "{name} {}", row.name);
            assert!(!early(Since::Enough) && !full(Since::Enough), "{name} {}", row.name);
            assert_eq!(full(Since::Full), pace.most > 0, "{name} {}", row.name);
            let worth =
                Search::stay(&State { worth: true, dial: Dial::Half, ..search.born() }, row);
            assert!(row.lack(&worth, &[], &[]).is_none(), "{name} {}", row.name);
        }
    }
}

#[test]
fn the_commands_that_mend_are_the_agents_to_give() {
    for line in RECOVERY {
        assert!(shell::seed_command(line).is_some(), "{line}");
        assert!(shell::read(line).found.iter().all(|found| found.seed && !found.persons), "{line}");
    }
}

/// Searches every map under these rules; `lenses` are the reflections that an exit may take,
/// `silent` the guards and gates that have nothing to say under them: every other one must.
#[expect(clippy::disallowed_macros, reason = "a test may tell what it saw")]
fn has_no_dead_end(rules: &Rules, lenses: u8, silent: &[&str], extent: Extent) {
    let mut objections = BTreeSet::new();
    let mut quiet: BTreeSet<&str> = guard::GUARDS.iter().map(|guard| guard.name).collect();
    let mut spoke: BTreeSet<&str> = BTreeSet::new();
    let mut names = rules.maps.names();
    // A lane leads to a larger track, so it is searched first.
    names.sort_by_key(|name| rules.maps.get(name).lane.is_none());
    let mut risen = BTreeSet::new();
    for name in names {
        let mut search = Search::new(rules, rules.maps.get(name));
        search.most += lenses;
        let states = search.run(&risen, extent);
        risen.append(&mut search.risen);
        println!(
            "{name}: {states} states, {} transitions, {} steps that walked on; {} refusals in {} \
             wordings followed, {} through another one",
            search.transitions,
            search.walks,
            search.checked,
            search.remedies.len(),
            search.detours,
        );
        objections.append(&mut search.objections);
        quiet.extend(search.rows.iter().flat_map(|row| row.exit.iter().map(String::as_str)));
        spoke.extend(search.remedies.iter().map(|remedy| remedy.by));
    }
    quiet.retain(|name| !spoke.contains(name));
    if extent == Extent::Whole {
        assert_eq!(quiet.into_iter().collect::<Vec<_>>(), silent, "a rule was never heard");
    }
    let text: Vec<&str> = objections.iter().map(String::as_str).collect();
    assert!(objections.is_empty(), "{} dead ends:\n{}", text.len(), text.join("\n"));
}

#[test]
fn no_state_is_a_dead_end_and_every_refusal_names_a_way_that_is_open() {
    has_no_dead_end(
        &Rules::shipped().expect("the shipped rules are sound"),
        0,
        &["reflection", "room"],
        Extent::Whole,
    );
}

/// The tracks of fixtures/tracks are ones of a repository's own: their sentences name their phases.
#[test]
fn nor_has_a_track_to_copy_one() {
    for (name, text) in [
        ("docs", include_str!("../../fixtures/tracks/docs.toml")),
        ("research", include_str!("../../fixtures/tracks/research.toml")),
        ("bugfix", include_str!("../../fixtures/tracks/bugfix.toml")),
    ] {
        let rules = Rules::with(text).unwrap_or_else(|bad| panic!("{name}: {bad}"));
        let mut search = Search::new(&rules, rules.maps.get(name));
        let states = search.run(&BTreeSet::new(), Extent::Part);
        let told: Vec<&str> = search.objections.iter().map(String::as_str).collect();
        assert!(states > 100 && told.is_empty(), "{name}, {states}:\n{}", told.join("\n"));
    }
}

#[test]
fn nor_is_any_where_reflection_opens_the_exit() {
    has_no_dead_end(&rhythm(), 6, &["pace", "room"], Extent::Part);
}

#[test]
#[ignore = "a minute"]
fn nor_is_a_single_one_where_reflection_opens_the_exit() {
    has_no_dead_end(&rhythm(), 6, &["pace", "room"], Extent::Whole);
}

fn rhythm() -> Rules {
    Rules::with("[pacing]\nprofile = \"rhythm\"").expect("the rules are sound")
}

/// What the gate is asked for where no ruling counts: an edit may be large, a launch is one.
fn unruled(call: &Call<'_>) -> Option<Refusal> {
    let work = call.changes.iter().any(|change| change.place.is_direct(&change.path));
    let launch = call.classes.iter().any(|(class, _)| *class == Class::Delegate);
    let none =
        hooks::Standing { opens: false, act: false, at: 0, touched: true, edited: false, lines: 0 };
    let out = call
        .classes
        .iter()
        .find(|(class, _)| matches!(class, Class::ShellGit | Class::ShellOutward));
    if let Some((_, command)) = out {
        let (command, cwd) = (command.clone(), None);
        let act = event::Act::Shell { command, cwd, background: false };
        return hooks::lets_out_untested(&act).err();
    }
    let act = match (launch, work) {
        (true, _) => event::Act::Delegate { agent: "x".to_owned(), prompt: String::new() },
        (false, true) => event::Act::Edit(Vec::new()),
        (false, false) => return None,
    };
    hooks::stands_behind(&act, u32::MAX, &none, 1).err()
}

/// What an act asks the person, and the options that it offers.
fn asked(act: Act) -> Option<(String, &'static [&'static str])> {
    const COMPLETION: &[&str] = &[REVIEW, APPROVE];
    let words = "what was done is shown by a run ".repeat(20);
    let whole = format!("{COMPLETE} fix the lexer {words}\n{CARD}\n\n## {OUTSTANDING}\n");
    let side: &[&str] = &["Enter gmode", "Stay in phase"];
    let there: &[&str] = &["It is there now"];
    Some(match act {
        Act::AskComplete => (whole, COMPLETION),
        Act::AskCompleteShort => {
            (format!("{COMPLETE} fix the lexer\n\n## {OUTSTANDING}\n"), COMPLETION)
        }
        Act::AskCompleteOutstanding => (format!("{whole}- one is left\n"), COMPLETION),
        Act::AskCompleteBare => (format!("{COMPLETE} fix the lexer {words}"), COMPLETION),
        Act::AskCompleteOptions => (whole, &["yes", "no"]),
        Act::AskCompleteNameless => (whole.replace("fix the lexer", "it"), COMPLETION),
        Act::AskCompleteCardless => (whole.replace(CARD, ""), COMPLETION),
        Act::AskSide | Act::AskSideBeside => (format!("{SIDE} {words}"), side),
        Act::AskSideShort => (SIDE.to_owned(), side),
        Act::Ask => ("Which colour?".to_owned(), &["red", "blue"]),
        Act::AskWaiting => ("[WAITING] the key is missing".to_owned(), there),
        Act::AskWaitingBare => ("[WAITING]".to_owned(), there),
        Act::AskRepeat => {
            ("[REPEAT-JOB] every 2".to_owned(), &["Hourly", "Daily", "Weekly", "Keep one-shot"])
        }
        Act::AskDrop => (format!("{DROP} {words}"), &["Drop the job", "Keep the job"]),
        Act::AskDropBare => (DROP.to_owned(), &["Drop the job", "Keep the job"]),
        _ => return None,
    })
}

/// A launch of a subagent that acts on notes, with a prompt that quotes none of them.
fn unquoted() -> Refusal {
    let kinds = Kinds::shipped().expect("the shipped rows are sound");
    let agent = "knowledge-extractor";
    let notes = kinds.read("[KNOWLEDGE]{the lexer keeps spans}");
    let live = |note| Live { note, mark: String::new(), text: Some("[KNOWLEDGE]".to_owned()) };
    let live: Vec<Live<'_>> = notes.iter().map(live).collect();
    let kind = kinds.of_consumer(agent).expect("it acts on notes");
    let bound = dispatch::bind((agent, "do it", kind), &live, &[], || Ok::<_, ()>(Vec::new()));
    bound.expect("nothing is read").expect_err("no note is quoted")
}

/// An act as a host's call gives it, as far as a broken journal tells calls apart.
fn event_of(act: Act) -> event::Act {
    use event::Act as Of;
    let shell =
        |command: &str| Of::Shell { command: command.to_owned(), cwd: None, background: false };
    match act {
        Act::ReadProject
        | Act::ReadPage
        | Act::ReadKnowledge
        | Act::ReadPlan
        | Act::ReadState
        | Act::ReadHostMemory => Of::Read { path: "x".into() },
        Act::Search => Of::Search { path: None },
        Act::Web => Of::Web { what: String::new() },
        Act::ShellLook => shell("git log -1"),
        Act::ShellRun => shell("python3 x.py"),
        Act::ShellTest => shell("cargo test"),
        Act::ShellWrite | Act::ShellWriteElsewhere => shell("rm x"),
        Act::Commit => shell("git commit -m x"),
        Act::Stash => shell("git stash"),
        Act::Network => shell("curl https://example.org"),
        Act::Outward => shell("npm publish"),
        Act::ShellUnknown => shell("$(x)"),
        Act::SeedLooks => shell("git seed status"),
        Act::SeedMoves => shell("git seed phase back -m why"),
        Act::Persons => shell("git seed off -m x"),
        Act::Delegate | Act::DelegateUnquoted => {
            Of::Delegate { agent: "x".to_owned(), prompt: String::new() }
        }
        Act::Ask
        | Act::AskWaiting
        | Act::AskWaitingBare
        | Act::AskRepeat
        | Act::AskComplete
        | Act::AskCompleteShort
        | Act::AskCompleteOutstanding
        | Act::AskCompleteBare
        | Act::AskCompleteOptions
        | Act::AskCompleteNameless
        | Act::AskCompleteCardless
        | Act::AskSide
        | Act::AskSideShort
        | Act::AskSideBeside
        | Act::AskDrop
        | Act::AskDropBare => Of::Ask(Vec::new()),
        Act::Housekeeping => Of::Housekeeping,
        Act::Schedule => Of::Schedule { text: String::new() },
        Act::Foreign => Of::Foreign { server: String::new(), said: Vec::new(), named: Vec::new() },
        Act::Unknown => Of::Unknown,
        _ => Of::Edit(Vec::new()),
    }
}

/// What the search says of an act by its class is what the rule says of the act itself, and an act
/// counts as the deeds that [`Search::effects`] takes it for.
#[test]
fn the_acts_of_the_search_are_what_they_stand_for() {
    let rules = Rules::shipped().expect("the shipped rules are sound");
    let search = Search::new(&rules, rules.maps.home());
    let state = search.born();
    for act in ACTS {
        let call = search.call(&state, search.map.none(), act);
        let looks = call.classes.iter().all(|(class, _)| {
            use Class::{Ask, Housekeeping, Read, Search, Seed, ShellRead, Web};
            matches!(class, Read | Search | Housekeeping | Ask | Web | Seed | ShellRead)
        });
        assert_eq!(guard::looks(&event_of(act)), looks, "{act:?}");
    }
    let tells = |_: &str| true;
    for (act, proved) in [
        (Act::ShellTest, Some(true)),
        (Act::ShellRun, Some(true)),
        (Act::EditDeclared, Some(false)),
        (Act::PageOwn, None),
        (Act::ShellLook, None),
    ] {
        let places: Vec<(String, Place)> = search
            .call(&state, search.map.none(), act)
            .changes
            .iter()
            .map(|change| (change.path.clone(), change.place.clone()))
            .collect();
        let outcome = event::Outcome { ok: true, ..event::Outcome::default() };
        let left = Left {
            outcome: &outcome,
            changed: false,
            late: false,
            places: &places,
            unstarted: false,
        };
        let mut counted = Activity::default();
        let act = event_of(act);
        counted.prove(&act, &left, &tells);
        assert_eq!(counted.proved, proved, "{act:?}");
        counted.count(&act, &deeds::deeds(&act, &places, |_| true), &places, &[]);
        assert_eq!(counted.acts.values().sum::<u32>(), 1, "{act:?}");
    }
}
