//! All maps that the rules know, by the name of their track.
//!
//! A job walks the map of its own track. The map of the rules' track and those that rules
//! lay rows over are read at once, the others when a job asks for them, and of a shipped one
//! each row by itself: a hook pays for what it uses.

use std::sync::OnceLock;

use serde_json::Value;

use super::overlay::{self, PhaseRow};
use super::own::{self, TrackRow, Within};
use super::{BadMap, LaneRows, Map, Move, Pacing, Phase, PhaseKind, PhaseName, Position};
use crate::shipped::{self, Rows, Table, rows, shipped};
use crate::verdict::Refusal;

/// The tracks that are shipped.
static SHIPPED: [Shipped; 2] = [
    Shipped { name: "opevc", table: shipped!("opevc"), rows: rows!("opevc.phase") },
    Shipped { name: "quick", table: shipped!("quick"), rows: rows!("quick.phase") },
];

#[derive(Debug)]
struct Shipped {
    name: &'static str,
    table: Table,
    rows: Rows<Phase>,
}

impl Shipped {
    fn map(&'static self) -> Result<Map, BadMap> {
        Map::shipped(self.table, &self.rows)
    }
}

/// The shipped map of that name.
#[cfg(test)]
pub(super) fn shipped(name: &str) -> Result<Map, BadMap> {
    SHIPPED.iter().find(|shipped| shipped.name == name).expect("it is shipped").map()
}

/// The track whose anchors every page bears, whichever track a job walks.
const PAGES: &str = "opevc";

/// The phase of shipped tracks that works memory through.
const CONDENSE: &str = "condense";

/// The maps in force.
#[derive(Clone, Debug)]
pub struct Maps {
    home: String,
    known: Vec<Known>,
    /// Those of the repository's own, as its rules name them.
    own: Vec<TrackRow>,
    pacing: Pacing,
    lane: LaneRows,
}

#[derive(Clone, Debug)]
struct Known {
    name: String,
    /// Where it is read from that nobody asked for yet; one of a repository's own is there.
    shipped: Option<&'static Shipped>,
    map: OnceLock<Option<Map>>,
}

impl Known {
    fn get(&self, pacing: &Pacing, lane: LaneRows) -> Option<&Map> {
        let read = || Some(self.shipped?.map().ok()?.paced(pacing).sized(lane));
        self.map.get_or_init(read).as_ref()
    }
}

impl Maps {
    /// The shipped maps with `rows` laid over them, and `lane` over what makes a track small, and
    /// beside them the tracks of the repository's `own`; jobs are born on `home`.
    ///
    /// # Errors
    ///
    /// Names the tracks that there are, or what is wrong with a map that was read.
    pub(crate) fn with(
        home: &str,
        own: Vec<TrackRow>,
        rows: &[PhaseRow],
        lane: LaneRows,
        pacing: Pacing,
    ) -> Result<Self, BadMap> {
        let mut known: Vec<Known> = SHIPPED
            .iter()
            .map(|shipped| Known {
                name: shipped.name.to_owned(),
                shipped: Some(shipped),
                map: OnceLock::new(),
            })
            .collect();
        for track in &own {
            let taken: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
            track.check(&taken)?;
            let name = track.name.clone();
            known.push(Known { name, shipped: None, map: OnceLock::new() });
        }
        let maps = Self { home: home.to_owned(), known, own, pacing, lane };
        maps.are_known(home, rows)?;
        for known in &maps.known {
            if let Some(map) = maps.read(known, rows)? {
                let _ = known.map.set(Some(map));
            }
        }
        maps.lanes_lead_on()?;
        if !maps.own.is_empty() || rows.iter().any(|row| row.keys.contains_key("anchor")) {
            maps.pages_bear_all_anchors()?;
        }
        Ok(maps)
    }

    /// The map of `known`, where it is needed at once.
    fn read(&self, known: &Known, rows: &[PhaseRow]) -> Result<Option<Map>, BadMap> {
        let rows = rows_of(&known.name, &self.home, rows);
        let track = self.own.iter().find(|track| track.name == known.name);
        let map = match (known.shipped, track) {
            (Some(shipped), _) if rows.is_empty() => {
                if known.name != self.home {
                    return Ok(None);
                }
                shipped.map()?
            }
            (Some(shipped), _) => overlay::read(shipped.table, &rows)?,
            (None, Some(track)) => return self.read_own(track, &rows).map(Some),
            (None, None) => return Ok(None),
        };
        Ok(Some(map.paced(&self.pacing).sized(self.lane)))
    }

    fn read_own(&self, track: &TrackRow, rows: &[&PhaseRow]) -> Result<Map, BadMap> {
        let read = || {
            let laid = track.lay(Self::begins_with(track)?, rows)?;
            let map = overlay::read_table(laid.table, rows, &laid.known)?;
            own::check(&map)?;
            Ok(Map { bound: !track.paths.is_empty(), ..map.named(&laid.likes) })
        };
        let map: Map = read().map_err(|bad: BadMap| bad.of_track(&track.name))?;
        let own = track.lane.as_ref().map(own::TrackLane::rows).unwrap_or_default();
        Ok(map.paced(&self.pacing).sized(self.lane).sized(own))
    }

    /// The table of the shipped track that `track` begins with, or of the model of its rows.
    fn begins_with(track: &TrackRow) -> Result<Value, BadMap> {
        let from = track.from.as_deref().unwrap_or(own::MODEL);
        if let Some(shipped) = SHIPPED.iter().find(|shipped| shipped.name == from) {
            return Ok(shipped::read(shipped.table)?);
        }
        let known: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
        let what = format!("`{from}` is no shipped track; shipped: {}", known.join(", "));
        Err(BadMap::OwnTrack { track: track.name.clone(), key: "from", what })
    }

    /// Work that outgrows a track of the repository's own has one where it goes on.
    fn lanes_lead_on(&self) -> Result<(), BadMap> {
        for track in &self.own {
            let Some(lane) = self.get(&track.name).lane.as_ref() else { continue };
            let is_larger = |known: &&Known| {
                let map = known.get(&self.pacing, self.lane);
                map.is_some_and(|map| map.lane.is_none())
            };
            // A hook reads one map for it, not all.
            let mut beyond = self.known.iter().filter(|known| known.name == lane.beyond);
            if !beyond.any(|known| is_larger(&known)) {
                let all = self.known.iter().filter(is_larger);
                let larger: Vec<&str> = all.map(|known| known.name.as_str()).collect();
                let what = format!(
                    "goes on on `{}`, which is no track without a size; such tracks: {}",
                    lane.beyond,
                    larger.join(", ")
                );
                return Err(BadMap::OwnTrack { track: track.name.clone(), key: "lane", what });
            }
        }
        Ok(())
    }

    /// The step off the lane where `stand` is, onto the larger track that the lane names.
    ///
    /// # Errors
    ///
    /// Refuses outside a lane, and where the job is not at work.
    pub fn upward(&self, stand: &Position) -> Result<Move, Refusal> {
        let map = self.get(&stand.track);
        let beyond = map.lane.as_ref().map_or(map, |lane| self.get(&lane.beyond));
        stand.upward(map, beyond)
    }

    /// The step from where `stand` is onto the small lane `lane`, which a person asks for.
    ///
    /// # Errors
    ///
    /// Refuses on a lane, where the job is not at work, and where only memory is left to settle.
    pub(crate) fn downward(&self, stand: &Position, lane: &str) -> Result<Move, Refusal> {
        stand.downward(self.get(&stand.track), self.get(lane))
    }

    fn are_known(&self, home: &str, rows: &[PhaseRow]) -> Result<(), BadMap> {
        let is_known = |track: &str| self.known.iter().any(|known| known.name == track);
        let known = self.names().join(", ");
        if !is_known(home) {
            let known = format!("auto, {known}");
            return Err(BadMap::Track { track: home.to_owned(), known });
        }
        for row in rows {
            if let Some(track) = row.track.as_deref().filter(|track| !is_known(track)) {
                let what = format!("track `{track}` is not known; known tracks: {known}");
                return Err(BadMap::row(&row.name, "track", what));
            }
        }
        Ok(())
    }

    /// A phase whose anchor no page has could never write.
    fn pages_bear_all_anchors(&self) -> Result<(), BadMap> {
        let anchors = self.anchors();
        // Shipped maps that nothing was laid over have those.
        for phase in self.read_so_far().flat_map(Map::phases) {
            if let Some(anchor) = phase.anchor.as_deref().filter(|anchor| !anchors.contains(anchor))
            {
                let what = format!(
                    "pages have no `{anchor}`; they have those of `{PAGES}`: {}",
                    anchors.join(", ")
                );
                return Err(BadMap::row(&phase.name, "anchor", what));
            }
        }
        Ok(())
    }

    /// The tables of all maps with `rows` laid over them, by track; for those who look.
    ///
    /// # Errors
    ///
    /// Names the row of which it cannot be said where it stands.
    pub(crate) fn tables(&self, rows: &[PhaseRow]) -> Result<Value, BadMap> {
        let mut tables = serde_json::Map::new();
        for Shipped { name, table, .. } in &SHIPPED {
            let mut table = overlay::lay(*table, &rows_of(name, &self.home, rows))?;
            lay_size(&mut table, self.lane);
            tables.insert((*name).to_owned(), table);
        }
        for track in &self.own {
            let rows = rows_of(&track.name, &self.home, rows);
            let mut table = track.lay(Self::begins_with(track)?, &rows)?.table;
            lay_size(&mut table, self.lane);
            lay_size(&mut table, track.lane.as_ref().map(own::TrackLane::rows).unwrap_or_default());
            table["paths"] = serde_json::json!(track.paths);
            tables.insert(track.name.clone(), table);
        }
        Ok(Value::Object(tables))
    }

    /// Says whether `rows`, which these maps have laid over them, only tighten what `old` says.
    ///
    /// # Errors
    ///
    /// Names the row and the key that would loosen something.
    pub(crate) fn only_tighten(&self, old: &Self, rows: &[PhaseRow]) -> Result<(), BadMap> {
        for track in self.names() {
            let own = rows_of(track, &self.home, rows);
            if !own.is_empty() {
                super::tighten::only_tightens(old.get(track), self.get(track), &own)?;
            }
        }
        Ok(())
    }

    /// The names of all tracks.
    pub fn names(&self) -> Vec<&str> {
        self.known.iter().map(|known| known.name.as_str()).collect()
    }

    /// The names of the tracks of the repository's own.
    pub(crate) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|track| track.name.as_str())
    }

    /// The track is one of the repository's own.
    pub(crate) fn is_own(&self, track: &str) -> bool {
        self.own_names().any(|name| name == track)
    }

    /// The track of the repository's own that is for all of `paths`, where one is that is for some
    /// paths only; the first of several.
    pub(crate) fn for_paths(&self, paths: &[&str]) -> Option<&str> {
        let mut bound = self.own.iter().filter(|track| !track.paths.is_empty());
        let own = bound.find(|track| paths.iter().all(|path| track.takes(path)));
        own.filter(|_| !paths.is_empty()).map(|track| track.name.as_str())
    }

    /// Some track of the repository's own is for some paths only.
    pub(crate) fn bounds_some(&self) -> bool {
        self.own.iter().any(|track| !track.paths.is_empty())
    }

    /// The paths that jobs of `track` are bound to; none where they are not.
    pub(crate) fn paths_of(&self, track: &str) -> &[String] {
        self.own.iter().find(|own| own.name == track).map_or(&[], |own| &own.paths)
    }

    /// The rules have a track of that name.
    pub(crate) fn has(&self, track: &str) -> bool {
        self.known.iter().any(|known| known.name == track)
    }

    /// What jobs of `track` may open of the directory that a line of a scope names.
    pub(crate) fn within(&self, track: &str, line: &str, is_dir: impl Fn(&str) -> bool) -> Within {
        let own = self.own.iter().find(|own| own.name == track);
        own.map_or(Within::Whole, |own| own.within(line, is_dir))
    }

    /// The maps that were read; the others are shipped ones that nothing was laid over.
    pub(crate) fn read_so_far(&self) -> impl Iterator<Item = &Map> {
        self.known.iter().filter_map(|known| known.map.get()?.as_ref())
    }

    /// The track that jobs are born on.
    pub(crate) fn home_name(&self) -> &str {
        &self.home
    }

    /// The track of all phases: that of new jobs, or the one beyond its lane.
    pub(crate) fn whole_name(&self) -> &str {
        self.home().lane.as_ref().map_or(&self.home, |lane| &lane.beyond)
    }

    /// The map that jobs are born on.
    pub fn home(&self) -> &Map {
        self.get(&self.home)
    }

    /// The map of `track`; a track that is known no more leads back to the one of new jobs.
    pub fn get(&self, track: &str) -> &Map {
        static NONE: OnceLock<Map> = OnceLock::new();
        let named = |name: &str| {
            self.known.iter().find(|known| known.name == name)?.get(&self.pacing, self.lane)
        };
        // The map of new jobs was read when the rules were: it is there.
        named(track).or_else(|| named(&self.home)).unwrap_or_else(|| NONE.get_or_init(Map::empty))
    }

    /// Memory is worked through in the phase of that name, on some track. The shipped name says so
    /// of commits that other rules judged.
    pub(crate) fn settles(&self, phase: &str) -> bool {
        let name = PhaseName::from(phase);
        let settles = |track: &str| {
            self.get(track).phase(&name).is_some_and(|row| row.kind == PhaseKind::Consolidation)
        };
        phase == CONDENSE || self.names().into_iter().any(settles)
    }

    /// The anchors of pages, in rank order.
    pub fn anchors(&self) -> Vec<&str> {
        self.get(PAGES).anchors()
    }
}

/// What the rules say of the size of a lane, laid over a table.
fn lay_size(table: &mut Value, rows: LaneRows) {
    let rows = serde_json::to_value(rows).unwrap_or_default();
    if let (Some(lane), Value::Object(rows)) =
        (table.get_mut("lane").and_then(Value::as_object_mut), rows)
    {
        lane.extend(rows);
    }
}

fn rows_of<'a>(track: &str, home: &str, rows: &'a [PhaseRow]) -> Vec<&'a PhaseRow> {
    rows.iter().filter(|row| row.track.as_deref().unwrap_or(home) == track).collect()
}
