//! Lays the rows of applied rules over a shipped map.
//!
//! A row whose name the map knows replaces the keys of that row, one by one. Another name
//! is a new phase, and its row must be whole. Nothing here knows what a key means: the
//! map that comes out is read and checked like a shipped one.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Map as Keys, Value};

use super::{BadMap, Map, MapTable, Phase, PhaseName};
use crate::shipped::{self, Table};

/// A `[[phase]]` row of rules: some keys of a phase, or all of a new one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PhaseRow {
    /// The phase that it speaks of.
    pub name: PhaseName,
    /// The map that it belongs to; that of new jobs where it says nothing.
    pub track: Option<String>,
    /// The shipped phase that it begins as, in a track of the repository's own.
    pub like: Option<PhaseName>,
    /// The row that it stands behind. Without one, a new row stands behind those that lead to it.
    pub after: Option<PhaseName>,
    /// All other keys, as the rows of a map have them.
    #[serde(flatten)]
    pub keys: Keys<String, Value>,
}

/// The table of a shipped map, with `rows` laid over it.
///
/// # Errors
///
/// Names the row of which it cannot be said where it stands.
pub(crate) fn lay(table: Table, rows: &[&PhaseRow]) -> Result<Value, BadMap> {
    if let Some(row) = rows.iter().find(|row| row.like.is_some()) {
        let what = "is for the rows of a track of your own, which a [[track]] row names";
        return Err(BadMap::row(&row.name, "like", what));
    }
    lay_over(shipped::read(table)?, rows)
}

/// The same over any table.
pub(super) fn lay_over(mut table: Value, rows: &[&PhaseRow]) -> Result<Value, BadMap> {
    let mut phases = match table.get_mut("phase").map(Value::take) {
        Some(Value::Array(phases)) => phases,
        _ => Vec::new(),
    };
    let mut fresh = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        if rows[..n].iter().any(|earlier| earlier.name == row.name) {
            return Err(BadMap::row(&row.name, "name", "it has two rows; make them one"));
        }
        let known = phases.iter().position(|phase| is_named(phase, &row.name));
        let Some(known) = known else {
            fresh.push((*row, whole(row)));
            continue;
        };
        if let Some(phase) = phases[known].as_object_mut() {
            phase.extend(row.keys.clone());
        }
        if row.after.is_some() {
            fresh.push((*row, phases.remove(known)));
        }
    }
    place(&mut phases, fresh)?;
    mend_start(&mut table, &phases);
    table["phase"] = Value::Array(phases);
    Ok(table)
}

/// Reads and checks a shipped map with `rows` laid over it.
///
/// # Errors
///
/// Names the row and the key that are wrong, and the names that are known.
pub(super) fn read(shipped: Table, rows: &[&PhaseRow]) -> Result<Map, BadMap> {
    read_table(lay(shipped, rows)?, rows, &shipped::read(shipped)?)
}

/// Reads and checks the table that `rows` were laid over; `known` is what it was before.
pub(super) fn read_table(
    mut table: Value,
    rows: &[&PhaseRow],
    known: &Value,
) -> Result<Map, BadMap> {
    let mut phases = Vec::new();
    if let Some(Value::Array(list)) = table.get_mut("phase").map(Value::take) {
        for value in list {
            phases.push(phase(value, rows, known)?);
        }
    }
    let lane = table.get_mut("lane").map(Value::take).map(serde_json::from_value).transpose();
    let lane = lane.map_err(|bad| BadMap::Toml(toml::de::Error::custom(bad)))?;
    let text = |key: &str| table[key].as_str().unwrap_or_default().to_owned();
    Map::checked(MapTable {
        map: text("map"),
        start: text("start").as_str().into(),
        lane,
        phase: phases,
    })
}

fn phase(value: Value, rows: &[&PhaseRow], known: &Value) -> Result<Phase, BadMap> {
    let name: PhaseName = name_of(&value).into();
    serde_json::from_value(value).map_err(|error| {
        let said = error.to_string();
        let Some(row) = rows.iter().find(|row| row.name == name) else {
            return BadMap::whole_row(&name, said);
        };
        let shipped = known["phase"].as_array().map_or(&[][..], Vec::as_slice);
        if said.starts_with("missing field") {
            let known = names(shipped);
            return BadMap::whole_row(
                &name,
                format!(
                    "{said}; none of the known phases has this name, so its row must be whole \
                    ({known})"
                ),
            );
        }
        // The key that spoils a sound row when it alone is laid over it.
        let spoils = |key: &&String| {
            let mut sound = shipped.first().cloned().unwrap_or_default();
            sound[key.as_str()] = row.keys[key.as_str()].clone();
            serde_json::from_value::<Phase>(sound).is_err()
        };
        match row.keys.keys().find(spoils) {
            Some(key) if said.starts_with("unknown field") => {
                BadMap::row(&name, key, format!("{said}, `track`, `after`, `like`"))
            }
            Some(key) => BadMap::row(&name, key, said),
            None => BadMap::whole_row(&name, said),
        }
    })
}

/// Puts new rows where they say, or behind the last row that leads to them.
fn place(phases: &mut Vec<Value>, mut fresh: Vec<(&PhaseRow, Value)>) -> Result<(), BadMap> {
    let known = names(phases);
    while !fresh.is_empty() {
        let spot = |(row, _): &(&PhaseRow, Value)| match &row.after {
            Some(after) => phases.iter().position(|phase| is_named(phase, after)),
            None => phases.iter().rposition(|phase| leads_to(phase, &row.name)),
        };
        let ready = fresh.iter().enumerate().find_map(|(n, new)| Some((n, spot(new)?)));
        if let Some((n, at)) = ready {
            let (_, value) = fresh.remove(n);
            phases.insert(at + 1, value);
        } else if let Some(n) = fresh.iter().position(|(row, _)| row.after.is_none()) {
            let (_, value) = fresh.remove(n);
            phases.push(value);
        } else {
            return Err(nowhere(fresh[0].0, &fresh, &known));
        }
    }
    Ok(())
}

fn nowhere(row: &PhaseRow, fresh: &[(&PhaseRow, Value)], known: &str) -> BadMap {
    let after = row.after.clone().unwrap_or_default();
    if fresh.iter().any(|(other, _)| other.name == after) {
        return BadMap::row(&row.name, "after", "it would stand behind itself");
    }
    BadMap::row(&row.name, "after", format!("`{after}` is no phase; known phases: {known}"))
}

/// Cycles begin where idle leads; a start that it no longer leads to is the first of those.
fn mend_start(table: &mut Value, phases: &[Value]) {
    let idle = PhaseName::idle();
    let ahead = phases
        .iter()
        .find(|phase| is_named(phase, &idle))
        .and_then(|phase| phase["next"].as_array());
    if let Some(first) =
        ahead.filter(|next| !next.contains(&table["start"])).and_then(|next| next.first())
    {
        table["start"] = first.clone();
    }
}

/// The row of a new phase.
fn whole(row: &PhaseRow) -> Value {
    let mut keys = Keys::new();
    keys.insert("name".to_owned(), row.name.as_str().into());
    keys.extend(row.keys.clone());
    Value::Object(keys)
}

pub(super) fn name_of(phase: &Value) -> &str {
    phase["name"].as_str().unwrap_or_default()
}

pub(super) fn is_named(phase: &Value, name: &PhaseName) -> bool {
    name_of(phase) == name.as_str()
}

fn leads_to(phase: &Value, name: &PhaseName) -> bool {
    phase["next"].as_array().is_some_and(|next| next.iter().any(|to| to == name.as_str()))
}

fn names(phases: &[Value]) -> String {
    phases.iter().map(name_of).collect::<Vec<_>>().join(", ")
}
