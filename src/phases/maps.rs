//! All maps that the rules know, by the name of their track.
//!
//! A job walks the map of its own track. The map of the rules' track and those that rules
//! lay rows over are read at once, the others when a job asks for them, and of a shipped one
//! each row by itself: a hook pays for what it uses.

use std::sync::OnceLock;

use serde_json::Value;

use super::overlay::{self, PhaseRow};
use super::{BadMap, LaneRows, Map, Move, Pacing, Phase, Position};
use crate::shipped::{Rows, Table, rows, shipped};
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

/// The maps in force.
#[derive(Clone, Debug)]
pub struct Maps {
    home: String,
    known: Vec<Known>,
    pacing: Pacing,
    lane: LaneRows,
}

#[derive(Clone, Debug)]
struct Known {
    name: &'static str,
    shipped: &'static Shipped,
    map: OnceLock<Option<Map>>,
}

impl Known {
    fn get(&self, pacing: &Pacing, lane: LaneRows) -> Option<&Map> {
        let read = || Some(self.shipped.map().ok()?.paced(pacing).sized(lane));
        self.map.get_or_init(read).as_ref()
    }
}

impl Maps {
    /// The shipped maps with `rows` laid over them, and `lane` over what makes a track small; jobs
    /// are born on `home`.
    ///
    /// # Errors
    ///
    /// Names the tracks that there are, or what is wrong with a map that was read.
    pub(crate) fn with(
        home: &str,
        rows: &[PhaseRow],
        lane: LaneRows,
        pacing: Pacing,
    ) -> Result<Self, BadMap> {
        let known = SHIPPED.each_ref().map(|shipped| Known {
            name: shipped.name,
            shipped,
            map: OnceLock::new(),
        });
        let maps = Self { home: home.to_owned(), known: known.into(), pacing, lane };
        maps.are_known(home, rows)?;
        for known in &maps.known {
            let own = rows_of(known.name, home, rows);
            let map = match own.as_slice() {
                [] if known.name == home => known.shipped.map()?,
                [] => continue,
                own => overlay::read(known.shipped.table, own)?,
            };
            let _ = known.map.set(Some(map.paced(&maps.pacing).sized(lane)));
        }
        if rows.iter().any(|row| row.keys.contains_key("anchor")) {
            maps.pages_bear_all_anchors()?;
        }
        Ok(maps)
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
        for phase in self
            .known
            .iter()
            .filter_map(|known| known.get(&self.pacing, self.lane))
            .flat_map(Map::phases)
        {
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
            if let Some(lane) = table.get_mut("lane").and_then(Value::as_object_mut) {
                let Value::Object(own) = serde_json::to_value(self.lane).unwrap_or_default() else {
                    continue;
                };
                lane.extend(own);
            }
            tables.insert((*name).to_owned(), table);
        }
        Ok(Value::Object(tables))
    }

    /// Says whether `rows`, which these maps have laid over them, only tighten what `old` says.
    ///
    /// # Errors
    ///
    /// Names the row and the key that would loosen something.
    pub(crate) fn only_tighten(&self, old: &Self, rows: &[PhaseRow]) -> Result<(), BadMap> {
        let tracks: Vec<&str> = self.known.iter().map(|known| known.name).collect();
        for track in tracks {
            let own = rows_of(track, &self.home, rows);
            if !own.is_empty() {
                super::tighten::only_tightens(old.get(track), self.get(track), &own)?;
            }
        }
        Ok(())
    }

    /// The names of all tracks.
    pub fn names(&self) -> Vec<&str> {
        self.known.iter().map(|known| known.name).collect()
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

    /// The anchors of pages, in rank order.
    pub fn anchors(&self) -> Vec<&str> {
        self.get(PAGES).anchors()
    }
}

fn rows_of<'a>(track: &str, home: &str, rows: &'a [PhaseRow]) -> Vec<&'a PhaseRow> {
    rows.iter().filter(|row| row.track.as_deref().unwrap_or(home) == track).collect()
}
