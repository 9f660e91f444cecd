//! A job as far as the gates and guards of a map can tell states apart.

use crate::phases::gates::PlanStanding;
use crate::phases::pacing::{Acts, CORE_LENSES, Stay};
use crate::phases::review::{Ending, Review};
use crate::phases::{Multiplier, Phase, PhaseKind, Write};

/// What was looked at since a page was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Since {
    Nothing,
    Enough,
    Full,
}

/// The plan pointer and its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Plan {
    Undecided,
    Missing,
    Settled,
}

impl Plan {
    pub(super) fn standing(self) -> PlanStanding {
        match self {
            Self::Undecided => PlanStanding::Undecided,
            Self::Missing => PlanStanding::Missing,
            Self::Settled => PlanStanding::Settled,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "independent answers, each asked by one gate")]
pub(super) struct At {
    /// Number of the row in its map.
    pub phase: usize,
    pub begun: bool,
    pub dial: bool,
    pub back: bool,
    pub page: bool,
    pub since: Since,
    pub worth: bool,
    pub spent: bool,
    pub plan: Plan,
    pub edited: bool,
    pub declared: bool,
    pub proved: bool,
    pub failed: bool,
    pub checkpoint: bool,
    pub named: bool,
    pub told: bool,
    pub notes: bool,
    pub heavy: bool,
    pub unkept: bool,
    pub ungiven: bool,
    pub unlooked: bool,
    pub asked: bool,
    pub seen: usize,
}

impl At {
    /// A job that a prompt bore, in the row of that number.
    pub(super) fn born(phase: usize) -> Self {
        Self {
            phase,
            begun: false,
            dial: false,
            back: false,
            page: false,
            since: Since::Nothing,
            worth: false,
            spent: false,
            plan: Plan::Undecided,
            edited: false,
            declared: false,
            proved: false,
            failed: false,
            checkpoint: false,
            named: false,
            told: false,
            notes: false,
            heavy: false,
            unkept: false,
            ungiven: false,
            unlooked: false,
            asked: false,
            seen: 0,
        }
    }

    /// The states in which the stay in `row` may begin behind this one: with the least that it may
    /// find, and with the most.
    pub(super) fn entered(&self, phase: usize, row: &Phase, back: bool) -> Vec<Self> {
        let fresh = Self {
            phase,
            begun: true,
            back,
            plan: self.plan,
            declared: self.declared,
            named: self.named,
            told: self.told,
            proved: self.proved,
            ..Self::born(phase)
        };
        let most =
            Self { notes: true, heavy: true, unkept: true, ungiven: true, unlooked: true, ..fresh };
        let mut all = vec![fresh.forget(row), most.forget(row)];
        all.dedup();
        all
    }

    /// The same without what the row does not look at.
    pub(super) fn forget(mut self, row: &Phase) -> Self {
        let asks = |gate: &str| row.exit.iter().any(|name| name == gate);
        let paced = row.pace.is_some();
        self.dial &= row.dial;
        if !paced {
            (self.since, self.worth, self.spent) = (Since::Enough, false, false);
        }
        self.page &= asks("page");
        self.edited &= asks("plan-unedited");
        self.failed &= asks("failed-run");
        self.notes &= asks("notes") || row.measures;
        self.heavy &= asks("deflation");
        self.unkept &= asks("archive");
        self.ungiven &= asks("consumption");
        self.unlooked &= asks("audit");
        self.asked &= asks("asked");
        self.checkpoint &= paced;
        self.seen = if asks("reflection") && row.reflects { self.seen } else { 0 };
        self
    }

    /// Counts of acts that say what the state says.
    pub(super) fn stay(&self, row: &Phase) -> Stay {
        let pace = row.pace.clone().unwrap_or_default();
        let acts = |pairs: &[(&str, u32)]| {
            pairs.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect::<Acts>()
        };
        let edits = u32::from(self.page);
        Stay {
            acts: if self.worth {
                acts(&[("page", 40), ("read", 40)])
            } else {
                acts(&[("page", edits), ("read", edits)])
            },
            since: match self.since {
                Since::Nothing => Acts::new(),
                Since::Enough => acts(&[("read", 1), ("recall", 1), ("search", 1)]),
                Since::Full => acts(&[("read", 30), ("recall", 30)]),
            },
            backwards: self.back,
            multiplier: self.multiplier(),
            direct: if self.spent { pace.budget } else { 0 },
            grants: 0,
            checkpoints: 0,
            in_flight: 0,
            launches: Acts::new(),
            reflections: lenses(row).into_iter().take(self.seen).map(|lens| (lens, 1)).collect(),
            draw: 2,
        }
    }

    /// The last cycle closes once the person was asked.
    pub(super) fn ending(&self, row: &Phase) -> Ending {
        let asks = !self.asked && row.kind == PhaseKind::Consolidation;
        if asks { Ending::Asks(Review::Unasked) } else { Ending::Free }
    }

    pub(super) fn multiplier(&self) -> Option<Multiplier> {
        // Of the six there are, the one under which least is too much.
        self.dial.then(|| Multiplier::try_from(Multiplier::TENTHS[0]).ok()).flatten()
    }
}

/// The lenses that open an exit, in the order in which the search looks through them.
pub(super) fn lenses(row: &Phase) -> Vec<String> {
    let pace = row.pace.clone().unwrap_or_default();
    let core = CORE_LENSES.iter().map(|lens| (*lens).to_owned());
    core.chain(pace.lenses.into_iter().take(3)).chain(pace.reflectors.into_iter().take(1)).collect()
}

/// The row may change files of the project.
pub(super) fn writes_work(row: &Phase) -> bool {
    row.kind == PhaseKind::Work && row.write.contains(&Write::Scope)
}
