//! All maps that the rules know, by the name of their track.
//!
//! A job walks the map of its own track. The map of the rules' track is read at once,
//! the others when a job asks for them: a hook pays for the map that it uses.

use std::sync::OnceLock;

use super::{BadMap, Map, Pacing};

/// Reads a map.
type Read = fn() -> Result<Map, BadMap>;

/// The tracks that are shipped, with the reader of each.
const SHIPPED: [(&str, Read); 1] = [("opevc", Map::opevc)];

/// The track whose anchors every page bears, whichever track a job walks.
const PAGES: &str = "opevc";

/// The maps in force.
#[derive(Clone, Debug)]
pub struct Maps {
    home: String,
    known: Vec<Known>,
    pacing: Pacing,
}

#[derive(Clone, Debug)]
struct Known {
    name: String,
    read: Read,
    map: OnceLock<Option<Map>>,
}

impl Known {
    fn get(&self, pacing: &Pacing) -> Option<&Map> {
        self.map.get_or_init(|| Some((self.read)().ok()?.paced(pacing))).as_ref()
    }
}

impl Maps {
    /// The shipped maps; jobs are born on `home`.
    ///
    /// # Errors
    ///
    /// Names the tracks that there are, or what is wrong with the map of `home`.
    pub fn shipped(home: &str, pacing: Pacing) -> Result<Self, BadMap> {
        let known = SHIPPED.map(|(name, read)| Known { name: name.to_owned(), read, map: OnceLock::new() });
        let maps = Self { home: home.to_owned(), known: known.into(), pacing };
        let Some(own) = maps.known.iter().find(|known| known.name == home) else {
            return Err(BadMap::Track { track: home.to_owned(), known: maps.names().join(", ") });
        };
        let map = (own.read)()?.paced(&maps.pacing);
        let _ = own.map.set(Some(map));
        Ok(maps)
    }

    /// The names of all tracks.
    pub fn names(&self) -> Vec<&str> {
        self.known.iter().map(|known| known.name.as_str()).collect()
    }

    /// The track that jobs are born on.
    pub fn home_name(&self) -> &str {
        &self.home
    }

    /// The map that jobs are born on.
    pub fn home(&self) -> &Map {
        self.get(&self.home)
    }

    /// The map of `track`; a track that is known no more leads back to the one of new jobs.
    pub fn get(&self, track: &str) -> &Map {
        static NONE: OnceLock<Map> = OnceLock::new();
        let named = |name: &str| self.known.iter().find(|known| known.name == name)?.get(&self.pacing);
        // The map of new jobs was read when the rules were: it is there.
        named(track).or_else(|| named(&self.home)).unwrap_or_else(|| NONE.get_or_init(Map::empty))
    }

    /// The anchors of pages, in rank order.
    pub fn anchors(&self) -> Vec<&str> {
        self.get(PAGES).anchors()
    }
}
