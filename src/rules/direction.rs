//! Whether a change of the rules tightens or loosens them, key by key.
//!
//! One table says it of every key and of every kind of rows; a test asks the reader of rules for
//! all of them. What is in no row, or cannot be compared, counts as looser.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Change;

/// What a change of one key means to whoever relies on the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    /// Less is open, or more is asked for.
    Tightens,
    /// More is open, or less is asked for.
    Loosens,
    /// Neither can be said of it.
    Changes,
}

impl Direction {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tightens => "tightens",
            Self::Loosens => "loosens",
            Self::Changes => "changes",
        }
    }
}

/// Which way a key is tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tight {
    /// A switch, or a text: it is tight where it is there.
    On,
    /// It is tight where it is not.
    Off,
    /// A number; none is the loosest.
    Lower,
    Higher,
    /// A list, or rows, in any order.
    Fewer,
    More,
    /// Words, the loosest first. Between two of one place there is no way.
    Words(&'static [&'static [&'static str]]),
    /// Paths that alone are open; none for all.
    Bounds,
    /// Rows of surfaces, by their names.
    Surfaces,
    /// It opens something in some way: every change counts as looser.
    Never,
    /// A matter of taste, of size or of language; or commands, which run only where a person
    /// applied them.
    Taste,
}

use Tight::{Bounds, Fewer, Higher, Lower, More, Never, Off, On, Surfaces, Taste, Words};

/// Every key of the rules, every kind of rows, and the keys of a map and of its phases.
const TABLE: &[(&str, Tight)] = &[
    ("idle", Words(&[&["open"], &["closed"]])),
    ("pages", Taste),
    ("surfaces", More),
    ("scratch", Fewer),
    // A full one keeps a job and its walls, the fence alone its scope: neither holds the other.
    ("mode.default", Words(&[&["watch"], &["fence", "full"]])),
    ("fence.scope", Bounds),
    ("tracks.default", Words(&[&["quick"], &["auto"], &["opevc"]])),
    ("lane.files", Lower),
    ("lane.lines", Lower),
    ("lane.directories", Lower),
    ("lane.question", Higher),
    ("scope.deep", Off),
    ("commit.subject", Taste),
    ("commit.land", Taste),
    ("commit.sign", Words(&[&["auto"], &["always"]])),
    ("commit.trailers", Taste),
    ("approval.mode", Words(&[&["defer"], &["ask"]])),
    ("approval.unattended", Words(&[&["count"], &["refuse"]])),
    ("nights.own", Lower),
    ("trust.refs", Fewer),
    ("condense.share", Taste),
    ("condense.heading", Taste),
    ("condense.consumption", Taste),
    ("memory.root", Taste),
    ("memory.page", Taste),
    ("memory.plan", Taste),
    ("memory.knowledge", Taste),
    ("memory.notes", Taste),
    ("memory.raw", Taste),
    ("memory.keep", Taste),
    ("compaction.words", Taste),
    ("compaction.soft", Lower),
    ("compaction.read", Lower),
    ("compaction.edit", Lower),
    ("summary.tokens", Taste),
    ("claims.mode", Words(&[&["off"], &["advise"], &["judge", "enforce"]])),
    ("claims.push", Words(&[&["warn"], &["refuse"]])),
    ("pacing.profile", Taste),
    ("pacing.reflection", Off),
    ("pacing.delegation", On),
    ("gmode.prep", Taste),
    ("shell.confine", Words(&[&["off"], &["auto"]])),
    ("shell.caches", Fewer),
    ("shell.hides", More),
    ("shell.drops", More),
    ("privacy.prompts", Words(&[&["text"], &["hash"]])),
    ("privacy.allow", Fewer),
    ("sync.prompts", Off),
    ("sync.detail", Words(&[&["full"], &["day"]])),
    // Rows.
    ("surface", Surfaces),
    ("run", Never),
    ("check", Taste),
    ("tests", Taste),
    ("companion", Fewer),
    ("build", Fewer),
    ("cache", Fewer),
    ("mcp", Never),
    ("note", More),
    // Maps, as rows of phases make them.
    ("map.start", Taste),
    ("map.phases", Never),
    ("map.paths", Never),
    ("map.lane.beyond", Taste),
    ("map.lane.files", Lower),
    ("map.lane.lines", Lower),
    ("map.lane.directories", Lower),
    ("map.lane.question", Higher),
    ("phase.kind", Never),
    ("phase.next", Never),
    ("phase.back", Never),
    ("phase.side", Taste),
    ("phase.anchor", Taste),
    ("phase.acts", Fewer),
    ("phase.confined", Fewer),
    ("phase.reproduces", Off),
    ("phase.reads", Words(&[&["all"], &["memory"], &["none"]])),
    ("phase.questions", Fewer),
    ("phase.write", Fewer),
    ("phase.dial", On),
    ("phase.declares", Never),
    ("phase.freezes", On),
    ("phase.checkpoints", Never),
    ("phase.measures", On),
    ("phase.births", Off),
    ("phase.unlinks", Off),
    ("phase.decides", Taste),
    ("phase.exit", More),
    ("phase.return", More),
    ("phase.sections", More),
    ("phase.criteria", On),
    ("phase.contract", On),
    ("phase.audit", Never),
    ("phase.words", Higher),
    ("phase.sections_to", Never),
    ("phase.pace", Taste),
    ("phase.work", Taste),
    ("phase.purpose", Taste),
];

impl Change {
    /// Whether it tightens or loosens.
    pub(crate) fn direction(&self) -> Direction {
        let key = table_key(&self.key);
        let Some((_, tight)) = TABLE.iter().find(|(known, _)| *known == key) else {
            return Direction::Loosens;
        };
        let value = |text: &Option<String>| {
            // A key of the rules is as its table has it; the names of a map's phases are words.
            text.as_deref().map_or(Value::Null, |text| {
                serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
            })
        };
        tight.compare(&value(&self.was), &value(&self.now))
    }
}

/// The key of the table for one of [`super::flat`]'s.
fn table_key(key: &str) -> String {
    let Some((_, below)) = key.split_once(": ") else { return key.to_owned() };
    match below.split_once(": ") {
        Some(("lane", key)) => format!("map.lane.{key}"),
        Some((_, key)) => format!("phase.{key}"),
        None => format!("map.{below}"),
    }
}

/// Whether the key stands for what the rows of phases and the size of a lane make of a map.
pub(super) fn is_of_map(key: &str) -> bool {
    key.contains(": ")
}

impl Tight {
    fn compare(self, was: &Value, now: &Value) -> Direction {
        let by = |tighter: Option<bool>| match tighter {
            Some(true) => Direction::Tightens,
            Some(false) => Direction::Loosens,
            None => Direction::Changes,
        };
        match self {
            Self::On => by(differ(is_on(was), is_on(now))),
            Self::Off => by(differ(is_on(now), is_on(was))),
            Self::Lower => by(differ(number(now, u64::MAX), number(was, u64::MAX))),
            Self::Higher => by(differ(number(was, 0), number(now, 0))),
            Self::Fewer => by(grows(now, was)),
            Self::More => by(grows(was, now)),
            Self::Words(places) => match (rank(places, was), rank(places, now)) {
                (Some(was), Some(now)) => by(differ(was, now)),
                _ => Direction::Loosens,
            },
            Self::Bounds => by(Some(bounds(was, now))),
            Self::Surfaces => surfaces(was, now),
            Self::Never => Direction::Loosens,
            Self::Taste => Direction::Changes,
        }
    }
}

/// True where `more` is the greater one.
fn differ<T: Ord>(less: T, more: T) -> Option<bool> {
    (less != more).then(|| less < more)
}

fn is_on(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(on) => *on,
        _ => true,
    }
}

fn number(value: &Value, none: u64) -> u64 {
    value.as_u64().unwrap_or(none)
}

fn items(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().map(Value::to_string).collect()
}

/// True where the second list has all of the first and more; nothing where they hold the same.
fn grows(less: &Value, more: &Value) -> Option<bool> {
    let (less, more) = (items(less), items(more));
    (less != more).then(|| less.is_subset(&more))
}

fn rank(places: &[&[&str]], value: &Value) -> Option<usize> {
    let word = value.as_str()?;
    places.iter().position(|place| place.contains(&word))
}

fn bounds(was: &Value, now: &Value) -> bool {
    let paths = |value: &Value| -> Vec<String> {
        let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(|path| format!("{}/", path.trim_end_matches('/'))).collect()
    };
    let (was, now) = (paths(was), paths(now));
    let within = |path: &String| was.iter().any(|open| open == "./" || path.starts_with(open));
    !now.is_empty() && (was.is_empty() || now.iter().all(within))
}

/// What a row of a surface no longer protects loosens; a command that it names is run, so that a
/// new one is no matter of tight or loose.
fn surfaces(was: &Value, now: &Value) -> Direction {
    let rows = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (was, now) = (rows(was), rows(now));
    let of = |rows: &[Value], name: &Value| rows.iter().find(|row| row["name"] == *name).cloned();
    let lost = was.iter().any(|row| {
        let Some(kept) = of(&now, &row["name"]) else { return true };
        ["paths", "tests"].iter().any(|key| !items(&row[key]).is_subset(&items(&kept[key])))
    });
    if lost {
        return Direction::Loosens;
    }
    let check =
        |rows: &[Value], row: &Value| of(rows, &row["name"]).map(|row| row["check"].clone());
    let same = now.iter().all(|row| match check(&was, row) {
        Some(before) => before == row["check"],
        None => row["check"].is_null(),
    });
    // In another order they say the same.
    let grown = now.iter().any(|row| !was.contains(row));
    if same && grown { Direction::Tightens } else { Direction::Changes }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::super::{RulesTable, lay};
    use super::*;
    use crate::phases::{Lane, Phase};

    /// The keys that a reader knows: it names them where it meets one that it does not.
    fn known<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: Value) -> Vec<String> {
        let said = serde_json::from_value::<T>(value).expect_err("no such key").to_string();
        let Some((_, list)) = said.split_once("expected ") else { panic!("{said}") };
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// Every key of the rules, by the reader's own word.
    fn all() -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for key in known::<RulesTable>(json!({ "?": 1 })) {
            // A table names its own keys; anything else is a key, or rows.
            let told = serde_json::from_value::<RulesTable>(json!({ &key: { "?": 1 } }));
            let said = told.expect_err("no such key").to_string();
            match said.split_once("unknown field `?`, expected ") {
                Some((_, list)) => {
                    let below = list.split('`').skip(1).step_by(2);
                    all.extend(below.map(|below| format!("{key}.{below}")));
                }
                None => drop(all.insert(key)),
            }
        }
        // The older name of `tracks.default`, and rows that are read as maps.
        assert!(all.remove("track") && all.remove("phase"), "{all:?}");
        let keys = |value| known::<Phase>(value);
        all.extend(keys(json!({ "?": 1 })).into_iter().map(|key| format!("phase.{key}")));
        all.remove("phase.name");
        all.extend(known::<Lane>(json!({ "?": 1 })).iter().map(|key| format!("map.lane.{key}")));
        all.extend(["map.start", "map.phases", "map.paths"].map(str::to_owned));
        all
    }

    #[test]
    fn every_key_and_every_kind_of_rows_stands_in_the_table() {
        let table: BTreeSet<String> = TABLE.iter().map(|(key, _)| (*key).to_owned()).collect();
        assert_eq!(table.len(), TABLE.len(), "no key stands twice");
        let all = all();
        let missing: Vec<_> = all.difference(&table).collect();
        assert!(missing.is_empty(), "say in TABLE which way these are tight: {missing:?}");
        let gone: Vec<_> = table.difference(&all).collect();
        assert!(gone.is_empty(), "no rule has these keys: {gone:?}");
        // What tables of rules and maps hold when they are flattened is among them.
        for (key, _) in super::super::flat(&crate::rules::Rules::in_force(None).expect("shipped")) {
            assert!(table.contains(&table_key(&key)), "{key}");
        }
    }

    #[test]
    fn words_of_the_table_are_those_that_rules_take() {
        for (key, tight) in TABLE.iter().filter(|(key, _)| !key.starts_with("phase.")) {
            let Tight::Words(places) = tight else { continue };
            for word in places.iter().copied().flatten() {
                let value = key.rsplit('.').fold(json!(word), |below, part| json!({ part: below }));
                let mut table = json!({});
                lay(&mut table, value);
                serde_json::from_value::<RulesTable>(table).unwrap_or_else(|bad| {
                    panic!("{key} = {word}: {bad}");
                });
            }
        }
    }

    #[test]
    fn each_way_of_being_tight_is_told() {
        use Direction::{Changes, Loosens, Tightens};
        let hooks = json!([{ "name": "hooks", "paths": ["hooks/"] }]);
        let more = json!([{ "name": "hooks", "paths": ["hooks/", "bin/"] }]);
        let checked = json!([{ "name": "hooks", "paths": ["hooks/"], "check": "sh x" }]);
        for (key, was, now, told) in [
            ("claims.mode", json!("off"), json!("judge"), Tightens),
            ("claims.mode", json!("judge"), json!("advise"), Loosens),
            ("claims.mode", json!("judge"), json!("enforce"), Changes),
            ("mode.default", json!("watch"), json!("fence"), Tightens),
            ("mode.default", json!("fence"), json!("full"), Changes),
            ("mode.default", json!("full"), json!("watch"), Loosens),
            ("tracks.default", json!("auto"), json!("ours"), Loosens),
            ("lane.files", json!(3), json!(2), Tightens),
            ("lane.files", json!(3), json!(4), Loosens),
            ("quick: lane: files", json!(3), json!(4), Loosens),
            ("lane.question", json!(25), json!(30), Tightens),
            ("scope.deep", json!(false), json!(true), Loosens),
            ("scope.deep", json!(true), json!(false), Tightens),
            ("memory.raw", json!("tree"), json!("ref"), Changes),
            ("memory.keep", json!("90 days"), json!("1 job"), Changes),
            ("surfaces", json!(["a"]), json!(["a", "b"]), Tightens),
            ("surfaces", json!(["a", "b"]), json!(["b", "c"]), Loosens),
            ("surfaces", json!(["a", "b"]), json!(["b", "a"]), Changes),
            ("shell.caches", json!(["a", "b"]), json!(["b"]), Tightens),
            ("fence.scope", json!([]), json!(["src"]), Tightens),
            ("fence.scope", json!(["src"]), json!(["src/a"]), Tightens),
            ("fence.scope", json!(["src/a"]), json!(["src/ab"]), Loosens),
            ("fence.scope", json!(["src"]), json!([]), Loosens),
            ("companion", Value::Null, json!([{ "of": ["a"], "files": ["b"] }]), Loosens),
            ("mcp", Value::Null, json!([{ "server": "a", "changes": ["b"] }]), Loosens),
            ("surface", Value::Null, hooks.clone(), Tightens),
            ("surface", hooks.clone(), more.clone(), Tightens),
            ("surface", more, hooks.clone(), Loosens),
            ("surface", hooks.clone(), Value::Null, Loosens),
            ("surface", hooks.clone(), checked.clone(), Changes),
            ("surface", Value::Null, checked, Changes),
            ("check", Value::Null, json!([{ "files": ["a"], "run": "b" }]), Changes),
            ("sync.prompts", json!(false), json!(true), Loosens),
            ("pacing.delegation", json!(true), json!(false), Loosens),
            ("opevc: phase plan: exit", json!(["clean"]), json!(["clean", "page"]), Tightens),
            ("opevc: phase plan: exit", json!(["clean"]), json!([]), Loosens),
            ("opevc: phase plan: acts", json!(["read"]), json!(["read", "edit"]), Loosens),
            ("opevc: phase plan: words", Value::Null, json!(40), Tightens),
            ("opevc: phases", json!("a b"), json!("a b c"), Loosens),
            ("what.nobody.knows", json!(1), json!(2), Loosens),
        ] {
            let text = |value: &Value| (!value.is_null()).then(|| value.to_string());
            let change = Change { key: key.to_owned(), was: text(&was), now: text(&now) };
            assert_eq!(change.direction(), told, "{change:?}");
        }
    }
}
