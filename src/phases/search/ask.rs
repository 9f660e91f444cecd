//! What a state leads to: acts that the guards let pass, commands and steps that the gates do.

use super::Around;
use super::state::{At, Plan, Since, lenses, writes_work};
use crate::event::{Actor, PageChange};
use crate::phases::criteria::{Criterion, Ground, Shown};
use crate::phases::gates::{self, Crossing};
use crate::phases::guard::{self, Call, FileChange, Scene};
use crate::phases::message::{Message, OUTSTANDING};
use crate::phases::orchestrator::{Entry, Move, Position};
use crate::phases::place::Place;
use crate::phases::room::Room;
use crate::phases::{Class, FirstStep, Map, Phase, PhaseName, commands};
use crate::verdict::Refusal;

/// The one criterion of every plan.
const CRITERION: &str = "escapes survive in quoted strings";
/// Words of the objective.
const TOLD: u32 = 300;
/// The question that ends a job.
const COMPLETION: &str = "JOB-COMPLETE";

/// What comes of one act, command or step.
pub(super) struct Came {
    pub by: String,
    pub to: Vec<At>,
    /// It is the end of a cycle.
    pub ends: bool,
}

/// One map, and what is asked of it.
pub(super) struct Asks<'a> {
    map: &'a Map,
    rows: Vec<&'a Phase>,
    anchors: Vec<&'a str>,
    around: Around,
    shown: Vec<Shown>,
    contract: Vec<Criterion>,
}

/// A tool call, by what guards can tell of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Read,
    ReadPage,
    Edit,
    Page,
    Memory,
    Run,
    FailedRun,
    Document,
    Delegate,
    Ask,
}

const ACTS: [(Act, &str); 10] = [
    (Act::Read, "read a file"),
    (Act::ReadPage, "read a page"),
    (Act::Edit, "edit a declared file"),
    (Act::Page, "edit the page"),
    (Act::Memory, "shorten a footer"),
    (Act::Run, "run the tests: they pass"),
    (Act::FailedRun, "run the tests: one fails"),
    (Act::Document, "write the plan document"),
    (Act::Delegate, "launch a subagent"),
    (Act::Ask, "ask for completion"),
];

impl<'a> Asks<'a> {
    pub(super) fn new(map: &'a Map, anchors: &[&'a str], around: Around) -> Self {
        let run = "cargo test".to_owned();
        let shown = Shown {
            command: run.clone(),
            passed: true,
            heard: true,
            run: Some("cargo-test".to_owned()),
            whole: true,
            fresh: true,
        };
        let criterion = Criterion { text: CRITERION.to_owned(), number: None, named: vec![run] };
        Self {
            map,
            rows: map.phases().collect(),
            anchors: anchors.to_vec(),
            around,
            shown: vec![shown],
            contract: vec![criterion],
        }
    }

    pub(super) fn born(&self) -> At {
        At::born(self.of(&PhaseName::idle()))
    }

    /// The number of a row that a checked map has.
    fn of(&self, name: &PhaseName) -> usize {
        self.rows.iter().position(|row| row.name == *name).unwrap_or_default()
    }

    pub(super) fn phase(&self, state: &At) -> &'a Phase {
        self.rows[state.phase]
    }

    pub(super) fn is_at_work(&self, state: &At) -> bool {
        self.phase(state).is_in_cycle()
    }

    /// The step from `from` to `to` is one forward.
    pub(super) fn is_further(&self, from: &At, to: &At) -> bool {
        self.phase(from).next.contains(&self.phase(to).name)
    }

    /// Phases of the cycle in which none of `states` is.
    pub(super) fn phases_beside(&self, states: &[At]) -> Vec<PhaseName> {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| row.is_in_cycle());
        let never = rows.filter(|(at, _)| !states.iter().any(|state| state.phase == *at));
        never.map(|(_, row)| row.name.clone()).collect()
    }

    /// Everything that may be done in `state`.
    pub(super) fn from(&self, state: &At) -> Vec<Came> {
        let mut all = self.steps(state);
        if self.is_at_work(state) {
            all.extend(self.acts(state));
            all.extend(self.commands(state));
        }
        all
    }

    /// What refuses the steps forward, whatever the message says.
    pub(super) fn refused(&self, state: &At) -> Vec<Refusal> {
        let row = self.phase(state);
        let refused = |to: &PhaseName| self.gates(state, row, to, gates::forward).err();
        row.next.iter().filter_map(refused).collect()
    }

    /// How far the exit of the phase is met: its first gate that refuses, by its place.
    pub(super) fn passed(&self, state: &At) -> usize {
        let row = self.phase(state);
        let place = |no: &Refusal| row.exit.iter().position(|gate| gate == no.by);
        self.refused(state).iter().filter_map(place).max().unwrap_or(row.exit.len())
    }

    // ---- steps

    fn steps(&self, state: &At) -> Vec<Came> {
        let row = self.phase(state);
        let stand = self.stand(state);
        let mut all = Vec::new();
        for to in &row.next {
            let is_edge = matches!(stand.forward(self.map, Some(to)), Ok(Move::Forward(_)));
            if !is_edge || self.gates(state, row, to, gates::forward).is_err() {
                continue;
            }
            let at = self.of(to);
            let by = format!("git seed phase advance: {} -> {to}", row.name);
            if self.map.rests(to) {
                all.push(Came { by, to: Vec::new(), ends: true });
                continue;
            }
            // Where a row declares, the step may.
            let declared = state.declared || row.declares;
            let state = At { declared, ..*state };
            all.push(Came { by, to: state.entered(at, self.rows[at], false), ends: false });
        }
        for to in row.back.iter().filter(|to| !self.map.rests(to)) {
            let is_edge = matches!(stand.backward(self.map, Some(to)), Ok(Move::Back(_)));
            if is_edge && self.gates(state, row, to, gates::backward).is_ok() {
                let at = self.of(to);
                let by = format!("git seed phase back: {} -> {to}", row.name);
                all.push(Came { by, to: state.entered(at, self.rows[at], true), ends: false });
            }
        }
        all
    }

    fn stand(&self, state: &At) -> Position {
        let phase = self.phase(state).name.clone();
        let entry = Entry { phase: phase.clone(), ..Position::new(&self.map.name).entry };
        let cycle = u32::from(state.begun);
        Position { phase, cycle, entry, ..Position::new(&self.map.name) }
    }

    /// A message with all that the row asks for.
    fn message(&self, row: &Phase, to: &PhaseName) -> Message {
        let words = "word ".repeat(120);
        let titles = row.sections_towards(to).filter(|title| *title != OUTSTANDING);
        let told: String = titles
            .map(|title| {
                let contract = self.rows.iter().any(|row| row.contract.as_deref() == Some(title));
                let list = match (contract, row.criteria.as_deref() == Some(title)) {
                    (true, _) => format!("- {CRITERION}\n\n"),
                    (_, true) => format!("- [x] {CRITERION}\n\n"),
                    _ => String::new(),
                };
                format!("## {title}\n{list}{words}\n\n")
            })
            .collect();
        Message::new(&format!("settle it\n\n{told}## {OUTSTANDING}\n"))
    }

    fn gates(
        &self,
        state: &At,
        row: &Phase,
        to: &PhaseName,
        ask: fn(&Crossing<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (message, stay) = (self.message(row, to), state.stay(row));
        let notes = ["CLAUDE.md:9".to_owned()];
        let lost = commands::condenses(row, None, "archive").err();
        let unarchived =
            lost.unwrap_or_else(|| Refusal::new("archive", crate::verdict::Wants::Archive));
        let answered = self.contract_of(row);
        ask(&Crossing {
            phase: row,
            to,
            message: &message,
            cycle: 1,
            changed: 0,
            multiplier: state.multiplier(),
            page_edits: u32::from(state.page),
            plan_edits: u32::from(state.edited),
            named: state.named,
            objective_words: if state.told { TOLD } else { 0 },
            shapeless: None,
            plan: state.plan.standing(),
            plan_path: ".claude/jobs/j/plan.md",
            plan_fault: None,
            unread: false,
            live_notes: if state.notes { &notes } else { &[] },
            unconsumed: state
                .ungiven
                .then(|| ("KNOWLEDGE".to_owned(), "knowledge-extractor".to_owned())),
            unarchived: state.unkept.then_some(&unarchived),
            unsealed: None,
            ending: state.ending(row),
            deflation: row.measures.then_some(if state.heavy { (9, 1) } else { (1, 1) }),
            strays: &[],
            declared: state.declared || row.declares,
            stay: &stay,
            checkpoints: u32::from(state.checkpoint),
            uncommitted: false,
            proved: state.proved,
            broke: None,
            instead: None,
            uncommitted_by_nobody: None,
            failed: state.failed,
            unsummed: false,
            criteria: Ground {
                contract: answered,
                shown: if state.proved { &self.shown } else { &[] },
                ..Ground::default()
            },
            lines: usize::MAX,
            waiting: 0,
            audited: !state.unlooked,
            auditor: None,
        })
    }

    /// What the row answers: where no phase writes such a section, nothing.
    fn contract_of(&self, row: &Phase) -> &[Criterion] {
        let Some(title) = row.contract.as_deref() else { return &[] };
        let writes = |row: &&&Phase| row.titles().any(|own| own == title);
        if self.rows.iter().find(writes).is_some() { &self.contract } else { &[] }
    }

    // ---- acts

    fn acts(&self, state: &At) -> Vec<Came> {
        let row = self.phase(state);
        let mut all = Vec::new();
        for (act, by) in ACTS {
            if let Some(call) = self.call(state, row, act)
                && guard::judge(&self.scene(state, row, call)).is_ok()
            {
                let to = self.effects(state, row, act);
                let to = to.into_iter().map(|to| to.forget(row)).collect();
                all.push(Came { by: format!("{by} in {}", row.name), to, ends: false });
            }
        }
        all
    }

    fn scene<'s>(&'s self, state: &At, row: &'s Phase, call: Call<'s>) -> Scene<'s> {
        Scene {
            anchors: self.anchors.clone(),
            phase: row,
            first: FirstStep::Whole,
            unread: false,
            cycle: 1,
            by: &Actor::Main,
            dial_set: state.dial,
            page: "CLAUDE.md",
            guest: false,
            away: None,
            gone: false,
            stay: state.stay(row),
            delegates: self.around.delegates,
            reviewed: false,
            uncommitted: false,
            helper: None,
            room: Room::default(),
            unsummed: false,
            call,
        }
    }

    /// The call of an act; none where the row could not even ask the question.
    fn call(&self, state: &At, row: &Phase, act: Act) -> Option<Call<'static>> {
        let place = |place: Place| Some(("src/parser/x".to_owned(), place));
        let dir = || "src/parser".to_owned();
        let (class, read) = match act {
            Act::Read => (Class::Read, place(Place::Project { dir: dir() })),
            Act::ReadPage => (Class::Read, place(Place::Page { dir: dir() })),
            Act::Edit | Act::Page | Act::Memory | Act::Document => (Class::Edit, None),
            Act::Run | Act::FailedRun => (Class::ShellCode, None),
            Act::Delegate => (Class::Delegate, None),
            Act::Ask => (Class::Ask, None),
        };
        let may = row.questions.iter().any(|word| word == COMPLETION || word == "*");
        let ready = !(state.notes || state.unkept || state.heavy);
        if act == Act::Ask && !(may && ready) {
            return None;
        }
        Some(Call {
            tool: "Tool",
            classes: vec![(class, "x".to_owned())],
            read,
            changes: self.change(state, row, act).into_iter().collect(),
            named: Vec::new(),
            own_state: None,
            persons: None,
            no_command: false,
            moves: None,
            git: None,
            confinable: false,
            question: None,
            tests: false,
            dispatch: None,
            unproven: None,
            unseen: None,
            untried: None,
            outgrows: None,
        })
    }

    /// The file that an act changes.
    fn change(&self, state: &At, row: &Phase, act: Act) -> Option<FileChange> {
        let dir = "src/parser".to_owned();
        let own = match row.rank(&self.anchors) {
            Some(first_rank) => PageChange::Below { first_rank },
            None => PageChange::Body,
        };
        let settled = state.plan == Plan::Settled;
        let (place, declared, page) = match act {
            Act::Edit => (Place::Project { dir }, state.declared, None),
            Act::Page | Act::Memory => {
                (Place::Page { dir }, state.declared || row.declares, Some(own))
            }
            Act::Document => (Place::Plan { own: true }, false, None),
            _ => return None,
        };
        let missing = act == Act::Document && !settled;
        Some(FileChange {
            path: "src/parser/x".to_owned(),
            place,
            declared,
            exists: !missing,
            missed: missing,
            page,
            lost: None,
            lines: 0,
            shut: None,
            secret: None,
        })
    }

    fn effects(&self, state: &At, row: &Phase, act: Act) -> Vec<At> {
        let looked = |state: At| {
            let since = state.since.max(Since::Enough);
            let far = At { since: Since::Full, worth: true, ..state };
            vec![At { since, ..state }, At { since, worth: true, ..state }, far]
        };
        match act {
            Act::Read | Act::ReadPage => looked(*state),
            Act::Edit => {
                let spent = state.spent || row.pace.as_ref().is_some_and(|pace| pace.budget > 0);
                let changed = At { proved: false, failed: false, ..*state };
                let mut all = looked(changed);
                all.extend(looked(At { spent, ..changed }));
                all
            }
            Act::Page => vec![At { page: true, since: Since::Nothing, notes: false, ..*state }],
            Act::Memory => {
                let heavy = state.heavy && state.unkept;
                vec![At { page: true, since: Since::Nothing, heavy, ..*state }]
            }
            Act::Run => looked(At { proved: true, failed: false, ..*state }),
            // What has not begun to fail is not there to fail: somebody wrote a test.
            Act::FailedRun if writes_work(row) || row.opens(Class::ShellCode) => {
                looked(At { proved: false, failed: true, ..*state })
            }
            Act::FailedRun => Vec::new(),
            Act::Document => {
                let edited = state.plan == Plan::Settled;
                vec![At { plan: Plan::Settled, edited: state.edited || edited, ..*state }]
            }
            Act::Delegate => looked(At { spent: false, ungiven: false, unlooked: false, ..*state }),
            Act::Ask => vec![At { asked: true, ..*state }],
        }
    }

    // ---- commands that cross no boundary

    fn commands(&self, state: &At) -> Vec<Came> {
        let row = self.phase(state);
        let mut all = Vec::new();
        let mut did = |command: &str, to: At| {
            let by = format!("git seed {command} in {}", row.name);
            all.push(Came { by, to: vec![to.forget(row)], ends: false });
        };
        if commands::multiplier(row, &row.name, state.dial).is_ok() {
            did("phase multiplier", At { dial: true, ..*state });
        }
        did("job update", At { named: true, told: true, ..*state });
        if commands::plan_decision(row, 1, state.plan != Plan::Undecided, false).is_ok()
            && state.plan == Plan::Undecided
        {
            did("plan set-plan-file false", At { plan: Plan::Settled, ..*state });
            did("plan set-plan-file plan.md", At { plan: Plan::Missing, ..*state });
        }
        if commands::condenses(row, state.notes.then_some("CLAUDE.md:9"), "archive").is_ok() {
            did("condense archive", At { unkept: false, ..*state });
        }
        if gates::has_checkpoints(row).is_ok() {
            did("phase checkpoint", At { checkpoint: true, ..*state });
        }
        if commands::reflects(row).is_ok() && state.seen < lenses(row).len() {
            did("reflect", At { seen: state.seen + 1, ..*state });
        }
        all
    }
}
