//! The rows of a map, in their order. One of a shipped map is read when it is asked for: a hook
//! needs two or three of them.

use std::sync::OnceLock;

use serde::Deserialize;

use super::{Names, Pacing, Phase, PhaseName};
use crate::shipped::Rows;

#[derive(Clone, Debug)]
pub(super) struct Shelf {
    rows: Vec<Row>,
    /// Where rows come from that nobody asked for yet.
    shipped: Option<&'static Rows<Phase>>,
    /// How the rules pace them.
    pacing: Option<Pacing>,
}

#[derive(Clone, Debug)]
struct Row {
    head: Head,
    phase: OnceLock<Phase>,
}

/// What is asked of rows that are not read.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Head {
    name: PhaseName,
    #[serde(default)]
    anchor: Option<String>,
}

impl Shelf {
    pub(super) fn of(phases: Vec<Phase>) -> Self {
        let row = |phase: Phase| Row {
            head: Head { name: phase.name.clone(), anchor: phase.anchor.clone() },
            phase: phase.into(),
        };
        Self { rows: phases.into_iter().map(row).collect(), shipped: None, pacing: None }
    }

    /// The rows of a list that has these heads.
    pub(super) fn shipped(heads: Vec<Head>, rows: &'static Rows<Phase>) -> Self {
        let row = |head| Row { head, phase: OnceLock::new() };
        Self { rows: heads.into_iter().map(row).collect(), shipped: Some(rows), pacing: None }
    }

    /// All of them are paced so, also those that are read later.
    pub(super) fn pace(&mut self, pacing: &Pacing) {
        self.rows.iter_mut().filter_map(|row| row.phase.get_mut()).for_each(|row| row.pace(pacing));
        self.pacing = Some(pacing.clone());
    }

    /// All rows say with their refusals what their track calls its phases; of a shipped map, which
    /// reads rows later, that is nothing.
    pub(super) fn name(&mut self, names: &Names) {
        for phase in self.rows.iter_mut().filter_map(|row| row.phase.get_mut()) {
            phase.names = names.clone();
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Phase> {
        (0..self.rows.len()).map(|at| self.at(at))
    }

    pub(super) fn named(&self, name: &str) -> Option<&Phase> {
        let at = self.rows.iter().position(|row| row.head.name.as_str() == name)?;
        Some(self.at(at))
    }

    /// The row at that place, which a row has.
    pub(super) fn at(&self, at: usize) -> &Phase {
        let row = &self.rows[at];
        row.phase.get_or_init(|| {
            let read = self.shipped.and_then(|rows| rows.read(at).ok());
            // A test reads all rows. On one that does not read nothing is open.
            let name = row.head.name.clone();
            let mut phase = read.unwrap_or_else(|| Phase { name, ..Phase::default() });
            if let Some(pacing) = &self.pacing {
                phase.pace(pacing);
            }
            phase
        })
    }

    /// The anchors of pages, in rank order.
    pub(super) fn anchors(&self) -> Vec<&str> {
        self.rows.iter().filter_map(|row| row.head.anchor.as_deref()).collect()
    }
}
