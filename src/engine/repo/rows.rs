//! The row of the phase in which a job stands, its map, and the scope that is declared.

use std::path::Path;

use crate::claims::languages::shipped_languages;
use crate::engine::repo::paths::Resolved;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::said_file;
use crate::event::Event;
use crate::format::names;
use crate::format::state::{State, read_lines};
use crate::hosts::Host;
use crate::memory::scope::{Scope, of_below};
use crate::phases::home::Away;
use crate::phases::place::Place;
use crate::phases::said_scope::Shut;
use crate::phases::{FirstStep, Map, Phase, Position, Within, Write};

/// A directory as a line of the `scope` file; the root is written as a dot.
pub(crate) fn to_line(dir: &str) -> String {
    if dir.is_empty() { ".".to_owned() } else { dir.to_owned() }
}

pub(crate) fn from_line(line: &str) -> String {
    if line == "." { String::new() } else { line.to_owned() }
}

/// True when the directory of `place` is declared, or its file at `path` open by itself.
pub(crate) fn declared(path: &str, place: &Place, scope: &Scope) -> bool {
    match place {
        Place::Page { dir } => scope.declares(dir),
        Place::Project { dir } => {
            let tests = || shipped_languages().test_root(path);
            scope.declares(dir)
                || scope.covers(dir)
                || scope.holds(path)
                || (scope.has_tests() && tests().is_some_and(|root| scope.takes_tests_of(root)))
                || (scope.has_tests() && is_test_below(dir, path, scope))
        }
        _ => false,
    }
}

/// A file that is a test by its name, in a directory right below a declared one.
fn is_test_below(dir: &str, path: &str, scope: &Scope) -> bool {
    let above = dir.rsplit_once('/').map_or("", |(above, _)| above);
    !dir.is_empty() && scope.declares(above) && shipped_languages().is_test_path(path)
}

impl Repo {
    /// The row of a state, as [`Repo::row`] gives it for a focused job.
    pub(crate) fn row_of(&self, state: &State) -> &Phase {
        state.stand.row(self.map(&state.stand), self.rules.idle == crate::rules::Idle::Closed)
    }

    /// The row that judges `focused`, or the row for nobody's work.
    pub(crate) fn row(&self, focused: Option<&LoadedJob>) -> &Phase {
        match focused {
            Some(focused) => self.row_of(&focused.state),
            None if !self.rules.mode.keeps_jobs() => crate::phases::fence_row(),
            None => self.rules.maps.home().none(),
        }
    }

    /// The map that `stand` walks on.
    pub(crate) fn map(&self, stand: &Position) -> &Map {
        self.rules.maps.get(&stand.track)
    }

    /// How the job may take its first step; what comes after that is no first step.
    pub(crate) fn first_step(&self, state: &State) -> FirstStep {
        self.rules.first_step_on(&state.stand.track, state.said_lane)
    }

    /// The job stands between cycles.
    pub(crate) fn rests(&self, stand: &Position) -> bool {
        self.map(stand).rests(&stand.phase)
    }

    /// The job stands in a side lane.
    pub(crate) fn is_aside(&self, stand: &Position) -> bool {
        self.map(stand).is_aside(&stand.phase)
    }

    /// The branch where the job lives, when HEAD is elsewhere.
    pub(crate) fn away<'a>(&self, focused: &'a LoadedJob) -> Option<Away<'a>> {
        let home = focused.state.home.branch.as_str();
        if home.is_empty() || focused.state.stand.is_talk() {
            return None;
        }
        // Without a HEAD that reads nothing is said of the branch: the step itself reads HEAD.
        let here = self.store.branch().ok()?.unwrap_or_default();
        // One that cannot be looked for is not said to be gone.
        let is_gone = || matches!(self.store.stands_at(&format!("refs/heads/{home}")), Ok(None));
        (here != home).then(|| Away { branch: home, is_gone: is_gone() })
    }

    /// Where a path of `event` lies.
    pub(crate) fn place(
        &self,
        host: &Host,
        event: &Event,
        path: &Path,
        focused: Option<&LoadedJob>,
    ) -> Resolved {
        let state = focused.map(|focused| &focused.state);
        let mut resolved = self.resolve(path, &event.cwd, state, &host.memory);
        if resolved.place == Place::Outside && repo::paths::is_plan(&resolved.real, &host.plans) {
            // Scratch that the host's row names: nobody's work, in every phase.
            resolved.place = Place::Scratch;
        }
        resolved
    }

    /// The declared directories, read only where the phase asks for them.
    pub(crate) fn scope_for(&self, phase: &Phase, focused: Option<&LoadedJob>) -> Result<Scope> {
        let asks =
            phase.write.iter().any(|write| matches!(write, Write::Scope | Write::ScopedPage));
        focused.filter(|_| asks).map_or_else(|| Ok(Scope::default()), |focused| self.scope(focused))
    }

    /// The declared directories of the cycle, and what a person opened beside them.
    pub(crate) fn scope(&self, focused: &LoadedJob) -> Result<Scope> {
        let lines = |file| -> Result<Vec<String>> {
            // A job that declared nothing has no such file.
            let bytes = self.store.file(&focused.tip, file)?.unwrap_or_default();
            Ok(read_lines(&bytes).into_iter().map(|line| self.composed(line)).collect())
        };
        let (mut scope, deep) = (Scope::default(), self.rules.deep_scope);
        for line in lines(names::SCOPE)? {
            match (self.within(&focused.state.stand, &line), of_below(&line)) {
                (Within::Files(files), _) => files.into_iter().for_each(|file| scope.open(file)),
                (Within::Whole, Some(dir)) => drop(deep && scope.declare_below(from_line(dir))),
                (Within::Whole, None) => scope.name(from_line(&line)),
            }
        }
        for line in lines(names::ALLOWED)? {
            match line.strip_suffix('/') {
                Some(dir) => drop(scope.declare(from_line(dir))),
                None => scope.open(line),
            }
        }
        if self.map(&focused.state.stand).lane.is_some() {
            scope.take_tests();
        }
        said_file::into_scope(&self.store, &focused.chain, &mut scope)?;
        Ok(scope)
    }

    /// What the track of the job lets it open of the directory of a line in its scope.
    pub(crate) fn within(&self, stand: &Position, line: &str) -> Within {
        let is_dir = |path: &str| self.store.work_tree().join(path).is_dir();
        self.rules.maps.within(stand.bounds(), line, is_dir)
    }

    /// Whether the track of the job keeps `path` shut, however its phases go.
    pub(crate) fn shut_by_track(&self, stand: &Position, path: &str, dir: &str) -> Option<Shut> {
        let Within::Files(open) = self.within(stand, &to_line(dir)) else { return None };
        let paths = || self.rules.maps.paths_of(stand.bounds()).join(", ");
        (!open.iter().any(|file| file == path)).then(|| Shut::Rule(paths()))
    }

    /// True when `place` is in scope, or `path` follows a source in scope: what a tool
    /// rewrites beside the work. The disk is asked for candidates only.
    pub(crate) fn is_declared(&self, path: &str, place: &Place, scope: &Scope) -> bool {
        let shut = matches!(place, Place::Project { .. }) && scope.closed_by(path).is_some();
        let (companions, top) = (self.rules.companions(), self.store.work_tree());
        let holds = |dir: &str, name: &str| repo::paths::holds(top, dir, name);
        let follows =
            || companions.is_candidate(path) && companions.follows(path, scope.dirs(), holds);
        !shut
            && (declared(path, place, scope) || matches!(place, Place::Project { .. }) && follows())
    }
}
