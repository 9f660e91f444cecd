//! Which of the changed files an agent has to declare, and which it has to test.

use super::arithmetic;
use super::items::ends;
use super::table::GateTable;
use super::{ChangedFile, Truth};

/// What a changed file is to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SurfaceKind {
    /// Runs, and has to be declared and tested.
    Code,
    /// Is run by a run of the tests.
    Test,
    /// Configuration and data: a run covers it.
    Passive,
    /// Nothing that runs.
    Prose,
}

/// The surface of a change: its code; where there is none, its tests, then its data, then
/// its prose. What lies beside the surface is named, and held against nobody.
#[derive(Debug)]
pub(super) struct Surface {
    kinds: Vec<SurfaceKind>,
    /// What the surface is made of.
    of: Option<SurfaceKind>,
    /// Nothing in the change runs.
    pub only_prose: bool,
}

impl Surface {
    pub(crate) fn of(truth: &Truth, table: &GateTable) -> Self {
        let kinds: Vec<SurfaceKind> = truth.files.iter().map(|file| kind(file, table)).collect();
        let of = kinds.iter().copied().min();
        Self { of, only_prose: of == Some(SurfaceKind::Prose), kinds }
    }

    /// Whether the file belongs to the surface.
    pub(crate) fn holds(&self, at: usize) -> bool {
        self.kinds.get(at).copied() == self.of
    }

    /// Something of the change runs, or tests what runs.
    pub(crate) fn has_code(&self) -> bool {
        matches!(self.of, Some(SurfaceKind::Code | SurfaceKind::Test))
    }

    /// Whether a run of the tests covers the file without anybody naming it.
    pub(crate) fn is_quiet(&self, at: usize) -> bool {
        self.kinds.get(at).is_some_and(|kind| *kind > SurfaceKind::Code)
    }

    pub(crate) fn is_prose(&self, at: usize) -> bool {
        self.kinds.get(at) == Some(&SurfaceKind::Prose)
    }

    fn members(&self) -> impl Iterator<Item = usize> {
        (0..self.kinds.len()).filter(|&at| self.holds(at))
    }

    pub(crate) fn size(&self) -> usize {
        self.members().count()
    }

    /// The share of the surface that was declared; of no change, all of it.
    pub(crate) fn declared(&self, declared: &[bool]) -> f64 {
        arithmetic::share(self.members().filter(|&at| declared[at]).count(), self.size(), 1.0)
    }

    /// The paths of the surface that were not declared.
    pub(crate) fn missed(&self, declared: &[bool], truth: &Truth) -> Vec<String> {
        self.members().filter(|&at| !declared[at]).map(|at| truth.files[at].path.clone()).collect()
    }

    /// The paths of the surface that nothing tested; prose is not tested.
    pub(crate) fn untested(&self, covered: &dyn Fn(usize) -> bool, truth: &Truth) -> Vec<String> {
        let members = self.members().filter(|&at| !self.is_prose(at) && !covered(at));
        members.map(|at| truth.files[at].path.clone()).collect()
    }

    /// What changed beside the surface and was not declared; prose needs no word.
    pub(crate) fn warnings(&self, declared: &[bool], truth: &Truth) -> Vec<String> {
        let beside = (0..self.kinds.len())
            .filter(|&at| !self.holds(at) && !self.is_prose(at) && !declared[at]);
        beside.map(|at| format!("changed as well: {}", truth.files[at].path)).collect()
    }
}

fn kind(file: &ChangedFile, table: &GateTable) -> SurfaceKind {
    if file.prose {
        SurfaceKind::Prose
    } else if file.test {
        SurfaceKind::Test
    } else if file.functions.is_empty() && ends(&file.path, &table.files.passive) {
        SurfaceKind::Passive
    } else {
        SurfaceKind::Code
    }
}
