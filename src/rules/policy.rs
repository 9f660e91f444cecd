//! A policy: a text of rules that speaks only of the keys that it names. What it would make of the
//! rules in force, and how much of that only tightens them.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::direction::{Direction, is_of_map};
use super::{BadRules, Change, Rules, RulesTable};

/// Keys that earlier policies put into force, with the values that they gave them.
pub(crate) type Held = BTreeMap<String, String>;

impl Rules {
    /// The keys that a text names.
    ///
    /// # Errors
    ///
    /// It does not hold.
    pub(crate) fn named(text: &str) -> Result<BTreeSet<String>, BadRules> {
        Ok(leaves(&table(text)?).into_iter().collect())
    }

    /// The rules in force as `policy` would have them: keys that it does not name stay. Those of
    /// `held` are the shipped ones again where it does not, as long as they are as they were put.
    ///
    /// # Errors
    ///
    /// One of the texts does not hold.
    pub(crate) fn under_policy(
        applied: Option<&str>,
        policy: &str,
        held: &Held,
    ) -> Result<String, BadRules> {
        let own = table(policy)?;
        let mut all = table(applied.unwrap_or_default())?;
        for gone in Self::dropped(applied, policy, held)? {
            if !is_rows(&gone) {
                take(&mut all, &gone);
            }
        }
        // Of rows each by itself, where the policy names other ones by now.
        for (key, value) in held.iter().filter(|(key, _)| is_rows(key)) {
            if holds(&all, key, value) {
                take_rows(&mut all, key, value);
            }
        }
        lay(&mut all, &own);
        let text = written(&all)?;
        Self::with(&text)?;
        // Where nothing else is in force, the text with its comments says the same.
        Ok(if Self::changes(Some(&text), policy)?.is_empty() { policy.to_owned() } else { text })
    }

    /// Keys that `policy` does not name and that come back as shipped with it.
    ///
    /// # Errors
    ///
    /// One of the texts does not hold.
    pub(crate) fn dropped(
        applied: Option<&str>,
        policy: &str,
        held: &Held,
    ) -> Result<Vec<String>, BadRules> {
        let (all, named) = (table(applied.unwrap_or_default())?, Self::named(policy)?);
        let left = held.iter().filter(|(key, _)| !named.contains(*key));
        let as_put = left.filter(|(key, value)| holds(&all, key, value));
        Ok(as_put.map(|(key, _)| key.clone()).collect())
    }

    /// What is held once `policy` changed the keys `changed` of the rules in force: those, and what
    /// was held before, as long as it has its value.
    ///
    /// # Errors
    ///
    /// One of the texts does not hold.
    pub(crate) fn held_by(
        applied: Option<&str>,
        policy: &str,
        changed: &[String],
        mut held: Held,
    ) -> Result<Held, BadRules> {
        let (all, own) = (table(applied.unwrap_or_default())?, table(policy)?);
        held.retain(|key, value| holds(&all, key, value));
        let rows = changed.iter().any(|key| is_of_map(key) && !key.contains(": lane: "));
        for key in leaves(&own) {
            let put = changed.contains(&key) || (is_rows(&key) && rows);
            if let Some(value) = said(&own, &key).filter(|value| put && holds(&all, &key, value)) {
                held.insert(key, value);
            }
        }
        Ok(held)
    }

    /// What of `wanted`, beside the rules in force, only tightens these: the whole of it, or the
    /// keys that do. `None` where there is none.
    ///
    /// # Errors
    ///
    /// One of the texts does not hold.
    pub(crate) fn only_tighter(
        applied: Option<&str>,
        wanted: &str,
    ) -> Result<Option<String>, BadRules> {
        // Rules in force that do not hold cannot be compared.
        applied.map(Self::with).transpose()?;
        let tightens = |change: &Change| change.direction() == Direction::Tightens;
        let changes = Self::changes(applied, wanted)?;
        if changes.is_empty() {
            return Ok(None);
        }
        if changes.iter().all(tightens) {
            return Ok(Some(wanted.to_owned()));
        }
        let (from, mut all) = (table(wanted)?, table(applied.unwrap_or_default())?);
        let of_map = changes.iter().filter(|change| is_of_map(&change.key));
        // Rows of phases are taken as they are, or not at all.
        if of_map.clone().all(tightens) {
            copy(&mut all, &from, "phase");
            copy(&mut all, &from, "track");
        }
        for change in changes.iter().filter(|change| !is_of_map(&change.key) && tightens(change)) {
            copy(&mut all, &from, &change.key);
        }
        let text = written(&all)?;
        let left = Self::changes(applied, &text)?;
        Ok((!left.is_empty() && left.iter().all(tightens)).then_some(text))
    }

    /// What `own` has otherwise than `policy`, of the keys that this one names.
    ///
    /// # Errors
    ///
    /// One of the texts does not hold.
    pub(crate) fn beside_policy(own: &str, policy: &str) -> Result<Vec<Change>, BadRules> {
        Self::changes(Some(&Self::under_policy(Some(own), policy, &Held::new())?), own)
    }
}

/// A text of rules as a table in which each key has one spelling.
fn table(text: &str) -> Result<Table, BadRules> {
    RulesTable::with(text)?;
    let mut table: Table = text.parse()?;
    if let Some(Value::String(_)) = table.get("track")
        && let Some(track) = table.remove("track")
    {
        lay_at(&mut table, "tracks.default", track);
    }
    if let Some(Value::String(_)) = table.get("approval")
        && let Some(mode) = table.remove("approval")
    {
        lay_at(&mut table, "approval.mode", mode);
    }
    Ok(table)
}

fn written(table: &Table) -> Result<String, BadRules> {
    use serde::de::Error as _;
    toml::to_string(table).map_err(|error| BadRules::Toml(toml::de::Error::custom(error)))
}

/// The ways to all keys that hold no table.
fn leaves(table: &Table) -> Vec<String> {
    let each = |(key, value): (&String, &Value)| match value {
        Value::Table(below) => {
            leaves(below).into_iter().map(|rest| format!("{key}.{rest}")).collect()
        }
        _ => vec![key.clone()],
    };
    table.iter().flat_map(each).collect()
}

fn lay(under: &mut Table, over: &Table) {
    for key in leaves(over) {
        match over.get(&key) {
            Some(Value::Array(rows)) if is_rows(&key) => lay_rows(under, &key, rows),
            _ => copy(under, over, &key),
        }
    }
}

/// The key holds rows of maps, each of which speaks of itself alone.
fn is_rows(key: &str) -> bool {
    matches!(key, "phase" | "track")
}

/// The two rows are of the same phase, or of the same track.
fn is_same_row(one: &Value, other: &Value) -> bool {
    ["name", "track"].iter().all(|key| one.get(key) == other.get(key))
}

/// Lays rows over those that there are, each over its own; further ones stand behind them.
fn lay_rows(under: &mut Table, key: &str, over: &[Value]) {
    let mut rows = super::rows_in(under, key);
    for row in over {
        match (rows.iter_mut().find(|known| is_same_row(known, row)), row) {
            (Some(Value::Table(known)), Value::Table(row)) => known.extend(row.clone()),
            _ => rows.push(row.clone()),
        }
    }
    under.insert(key.to_owned(), Value::Array(rows));
}

/// The rows that `said` gives.
fn rows_of(said: &str) -> Vec<Value> {
    // It was written by this program; what does not read names no row.
    let table: Table = format!("rows = {said}").parse().unwrap_or_default();
    table.get("rows").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The key has that value; of rows, those of the value say what they say there.
fn holds(table: &Table, key: &str, value: &str) -> bool {
    if !is_rows(key) {
        return said(table, key).is_some_and(|now| now == value);
    }
    let (rows, all) = (rows_of(value), table.get(key).and_then(Value::as_array));
    let says = |row: &Value| {
        let known = all.and_then(|all| all.iter().find(|known| is_same_row(known, row)));
        let keys = row.as_table();
        known.is_some_and(|known| {
            keys.is_some_and(|keys| keys.iter().all(|(key, value)| known.get(key) == Some(value)))
        })
    };
    !rows.is_empty() && rows.iter().all(says)
}

/// Takes away what the rows of `value` say; a row that says nothing more is gone.
fn take_rows(table: &mut Table, key: &str, value: &str) {
    let gone = rows_of(value);
    let mut rows = super::rows_in(table, key);
    rows.retain_mut(|row| {
        let Some(said) = gone.iter().find(|gone| is_same_row(gone, row)) else { return true };
        let (Some(row), Some(said)) = (row.as_table_mut(), said.as_table()) else { return true };
        let named = |key: &str| matches!(key, "name" | "track");
        row.retain(|key, _| named(key) || !said.contains_key(key));
        row.keys().any(|key| !named(key))
    });
    if !rows.is_empty() {
        table.insert(key.to_owned(), Value::Array(rows));
    }
}

fn at<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let mut below = Some(table);
    let mut found = None;
    for part in key.split('.') {
        found = below.and_then(|table| table.get(part));
        below = found.and_then(Value::as_table);
    }
    found
}

/// The value of a key as a text.
fn said(table: &Table, key: &str) -> Option<String> {
    at(table, key).map(Value::to_string)
}

/// Makes the key of `under` what it is in `over`, where it may be missing.
fn copy(under: &mut Table, over: &Table, key: &str) {
    match at(over, key) {
        Some(value) => lay_at(under, key, value.clone()),
        None => take(under, key),
    }
}

fn lay_at(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((first, rest)) => {
            let below = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
            if let Some(below) = below.as_table_mut() {
                lay_at(below, rest, value);
            }
        }
    }
}

fn take(table: &mut Table, key: &str) {
    match key.split_once('.') {
        None => drop(table.remove(key)),
        Some((first, rest)) => {
            if let Some(below) = table.get_mut(first).and_then(Value::as_table_mut) {
                take(below, rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(from: Option<&str>, to: &str) -> Vec<String> {
        let all = Rules::changes(from, to).expect("they hold");
        all.into_iter().map(|one| format!("{} {}", one.key, one.direction().word())).collect()
    }

    #[test]
    fn a_policy_speaks_of_the_keys_that_it_names_alone() {
        let own = "[mode]\ndefault = \"watch\"\n[claims]\nmode = \"off\"\n";
        let policy = "# ours\nclaims.mode = \"judge\"\n";
        let under = Rules::under_policy(Some(own), policy, &Held::new()).expect("they hold");
        assert_eq!(changed(Some(own), &under), ["claims.mode tightens"]);
        // Alone it is put into force as it is.
        assert_eq!(Rules::under_policy(None, policy, &Held::new()).expect("it holds"), policy);
        // What it no longer names is as shipped, where the policy before named it.
        let before = "[lane]\nfiles = 2\n[claims]\nmode = \"judge\"\n";
        let put = ["lane.files".to_owned(), "claims.push".to_owned()];
        let held = Rules::held_by(Some(before), before, &put, Held::new()).expect("they hold");
        assert_eq!(held.keys().collect::<Vec<_>>(), ["lane.files"], "what was put, and no more");
        let under = Rules::under_policy(Some(before), policy, &held).expect("they hold");
        let loosens = ["lane.files loosens", "quick: lane: files loosens"];
        assert_eq!(changed(Some(before), &under), loosens);
        assert_eq!(Rules::dropped(Some(before), policy, &held).expect("hold"), ["lane.files"]);
        // What a person made of it since is theirs.
        let own = before.replace("files = 2", "files = 1");
        let under = Rules::under_policy(Some(&own), policy, &held).expect("they hold");
        assert_eq!(changed(Some(&own), &under), [""; 0]);
        assert_eq!(Rules::held_by(Some(&own), policy, &[], held).expect("hold"), Held::new());
        let under = Rules::under_policy(Some(before), policy, &Held::new()).expect("they hold");
        assert_eq!(changed(Some(before), &under), [""; 0]);
    }

    /// Rows of phases and tracks are laid over each by itself, and taken away so.
    #[test]
    fn a_policy_leaves_the_rows_that_it_does_not_name() {
        let own = "[[track]]\nname = \"docs\"\nfrom = \"quick\"\n\n\
            [[phase]]\ntrack = \"docs\"\nname = \"verify\"\nwords = 9\n\n\
            [[phase]]\ntrack = \"opevc\"\nname = \"verify\"\nwords = 80\ndial = false\n\n\
            [[phase]]\ntrack = \"opevc\"\nname = \"plan\"\nwords = 90\n";
        let policy = "[[phase]]\ntrack = \"opevc\"\nname = \"verify\"\nwords = 200\n";
        let under = Rules::under_policy(Some(own), policy, &Held::new()).expect("they hold");
        assert_eq!(changed(Some(own), &under), ["opevc: phase verify: words tightens"]);
        let changes = ["opevc: phase verify: words".to_owned()];
        let held = Rules::held_by(Some(&under), policy, &changes, Held::new()).expect("they hold");
        assert_eq!(held.keys().collect::<Vec<_>>(), ["phase"]);
        // It names them no longer: what it put is gone, and what the repository said is there.
        let without = Rules::under_policy(Some(&under), "", &held).expect("they hold");
        assert_eq!(changed(Some(&under), &without), ["opevc: phase verify: words loosens"]);
        // A row that a person changed since is theirs.
        let theirs = under.replace("words = 200", "words = 300");
        let kept = Rules::under_policy(Some(&theirs), "", &held).expect("they hold");
        assert_eq!(changed(Some(&theirs), &kept), [""; 0]);
        // A track of the policy's own stands beside that of the repository.
        let policy = "[[track]]\nname = \"notes\"\nfrom = \"quick\"\n";
        let under = Rules::under_policy(Some(own), policy, &Held::new()).expect("they hold");
        let rules = Rules::with(&under).expect("they hold");
        assert_eq!(rules.maps.own_names().collect::<Vec<_>>(), ["docs", "notes"]);
    }

    #[test]
    fn of_a_policy_that_tightens_and_loosens_the_tighter_keys_are_taken() {
        let own = "track = \"auto\"\napproval = \"ask\"\n[lane]\nfiles = 3\n";
        let wanted = "surfaces = []\n[tracks]\ndefault = \"opevc\"\n[approval]\nmode = \"defer\"\n\
            [lane]\nfiles = 2\n[[phase]]\nname = \"verify\"\nwords = 200\n";
        let taken = Rules::only_tighter(Some(own), wanted).expect("they hold").expect("some");
        let mut said = changed(Some(own), &taken);
        said.sort();
        assert_eq!(
            said,
            [
                "lane.files tightens",
                "opevc: phase verify: words tightens",
                "quick: lane: files tightens",
                "tracks.default tightens",
            ]
        );
        let mut rest = changed(Some(&taken), wanted);
        rest.sort();
        assert_eq!(rest, ["approval.mode loosens", "surfaces loosens"]);
        assert_eq!(Rules::only_tighter(Some(&taken), wanted).expect("they hold"), None);
        // Rows that loosen one phase wait with all rows.
        let rows = "[[phase]]\nname = \"verify\"\nwords = 200\nexit = []\n[lane]\nfiles = 1\n";
        let taken = Rules::only_tighter(None, rows).expect("they hold").expect("the lane");
        let said = changed(None, &taken);
        assert_eq!(said, ["lane.files tightens", "quick: lane: files tightens"]);
    }

    #[test]
    fn a_repository_may_tighten_what_a_policy_names_and_has_the_rest_to_itself() {
        let policy = "[claims]\npush = \"refuse\"\n[lane]\nfiles = 2\n";
        let said = |own: &str| -> Vec<String> {
            let all = Rules::beside_policy(own, policy).expect("they hold");
            all.into_iter().map(|one| format!("{} {}", one.key, one.direction().word())).collect()
        };
        assert_eq!(said(policy), [""; 0]);
        assert_eq!(
            said("surfaces = []\n[claims]\npush = \"refuse\"\n[lane]\nfiles = 1\n"),
            ["lane.files tightens", "quick: lane: files tightens"]
        );
        assert_eq!(
            said("[lane]\nfiles = 2\n"),
            ["claims.push loosens"],
            "what it leaves out is as shipped"
        );
    }
}
