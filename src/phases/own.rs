//! Tracks of a repository's own: `[[track]]` rows of rules, each with its rows of phases.
//!
//! A track begins with the rooms that every map has, or with all phases of a shipped track, of
//! which it leaves some out (`without`). A row may begin as a shipped phase (`like`) under a name
//! of its own. What comes out is read and checked like a shipped map; here is only what must hold
//! of a track beside that, so that no track lets more pass than a job may do.

use serde::Deserialize;
use serde_json::{Value, json};

use super::overlay::{PhaseRow, is_named, lay_over, name_of};
use super::{BadMap, Class, LaneRows, Map, Phase, PhaseKind, PhaseName, Write};

/// The shipped track whose phases a row may be like, where its own begins with none.
pub(crate) const MODEL: &str = "opevc";
/// The longest name of a track: a person types it.
const LONGEST_NAME: usize = 16;
/// The question that ends a job, and the gate that wants it.
const COMPLETION: (&str, &str) = ("JOB-COMPLETE", "asked");

/// A `[[track]]` row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrackRow {
    /// Small letters; a person says it in capitals and brackets.
    pub name: String,
    /// The shipped track whose phases it begins with; only with the rooms between them without it.
    #[serde(default)]
    pub from: Option<String>,
    /// Phases of that track that it leaves out.
    #[serde(default)]
    pub without: Vec<PhaseName>,
    /// Where its cycles begin; its first row where it does not say.
    #[serde(default)]
    pub start: Option<PhaseName>,
    /// The only paths that its jobs may declare; a prompt that names no others chooses it.
    #[serde(default)]
    pub paths: Vec<String>,
    /// How large its work may be, where that is bounded.
    #[serde(default)]
    pub lane: Option<TrackLane>,
}

/// The size of a track's work: what is larger goes on on another track.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrackLane {
    #[serde(default)]
    pub beyond: Option<String>,
    #[serde(default)]
    pub files: Option<usize>,
    #[serde(default)]
    pub lines: Option<usize>,
    #[serde(default)]
    pub directories: Option<usize>,
    #[serde(default)]
    pub question: Option<usize>,
}

impl TrackLane {
    pub(super) fn rows(&self) -> LaneRows {
        let Self { files, lines, directories, question, .. } = *self;
        LaneRows { files, lines, directories, question }
    }
}

/// What of a directory a job may open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    Whole,
    /// These files alone; none where the track is for nothing in it.
    Files(Vec<String>),
}

/// A track's table, and what it was before its own rows.
pub(super) struct Laid {
    pub table: Value,
    pub known: Value,
    /// Shipped phases, each with the one that was made of it.
    pub likes: Vec<(PhaseName, PhaseName)>,
}

impl TrackRow {
    fn bad<T>(&self, key: &'static str, what: impl Into<String>) -> Result<T, BadMap> {
        Err(BadMap::OwnTrack { track: self.name.clone(), key, what: what.into() })
    }

    /// What the row says is sound by itself; `taken` are the other tracks.
    pub(super) fn check(&self, taken: &[&str]) -> Result<(), BadMap> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let begins = self.name.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins || !self.name.chars().all(plain) || self.name.len() > LONGEST_NAME {
            let what = format!(
                "a name is a small letter, then small letters, digits or `-`, {LONGEST_NAME} at \
                 most"
            );
            return self.bad("name", what);
        }
        if self.name == "auto" || taken.contains(&self.name.as_str()) {
            let what = format!("the name is taken; taken: auto, {}", taken.join(", "));
            return self.bad("name", what);
        }
        let odd = |path: &&String| {
            let parts = path.trim_end_matches('/');
            parts.split('/').any(|part| matches!(part, "" | "." | ".."))
                || path.contains(['*', '?', '\n'])
        };
        if let Some(path) = self.paths.iter().find(odd) {
            let what = format!(
                "has `{path}`; name paths from the top of the work tree, such as docs/, without \
                 patterns"
            );
            return self.bad("paths", what);
        }
        if self.from.is_none() && !self.without.is_empty() {
            return self.bad("without", "leaves phases out of the track that `from` names");
        }
        match self.lane.as_ref().map(TrackLane::rows) {
            Some(LaneRows { files: None, lines: None, directories: None, .. }) => {
                self.bad("lane", "bounds nothing; give `files`, `lines` or `directories`")
            }
            _ => Ok(()),
        }
    }

    /// True for a path that its jobs may change.
    pub(super) fn takes(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths.is_empty()
            || self.paths.iter().map(|own| own.trim_end_matches('/')).any(|own| {
                path == own || path.strip_prefix(own).is_some_and(|rest| rest.starts_with('/'))
            })
    }

    /// What its jobs may open of the directory of a line in a scope: where it is not for all of it,
    /// the files that it names there. `is_dir` asks the disk.
    pub(super) fn within(&self, line: &str, is_dir: impl Fn(&str) -> bool) -> Within {
        if self.takes(line) {
            return Within::Whole;
        }
        let dir = if line == "." { "" } else { line };
        let above = |path: &str| path.rsplit_once('/').map_or(String::new(), |(dir, _)| dir.into());
        let named =
            |path: &&String| above(path) == dir && !path.ends_with('/') && !is_dir(path.as_str());
        Within::Files(self.paths.iter().filter(named).cloned().collect())
    }

    /// Its table: what it begins with, and `rows` laid over. `whole` is the table of the shipped
    /// track that it begins with, or the model of its rows.
    pub(super) fn lay(&self, whole: Value, rows: &[&PhaseRow]) -> Result<Laid, BadMap> {
        let all = whole["phase"].as_array().cloned().unwrap_or_default();
        let mut phases = all.clone();
        if self.from.is_none() {
            phases.retain(is_room);
        }
        for name in &self.without {
            let Some(at) = phases.iter().position(|phase| is_named(phase, name)) else {
                return self.bad(
                    "without",
                    format!("has `{name}`, which is no phase of it; {}", listed(&phases)),
                );
            };
            if is_room(&phases[at]) {
                return self.bad("without", format!("has `{name}`, which every track needs"));
            }
            phases.remove(at);
        }
        let likes = put_likes(&mut phases, &all, rows)?;
        let names: Vec<String> = phases
            .iter()
            .map(|phase| name_of(phase).to_owned())
            .chain(rows.iter().map(|row| row.name.as_str().to_owned()))
            .collect();
        let edges = Edges { all: &all, names: &names, likes: &likes };
        for phase in &mut phases {
            edges.mend(phase);
        }
        let start = self.begins(&whole, rows, &edges);
        for phase in phases.iter_mut().filter(|phase| name_of(phase) == "idle") {
            phase["next"] = json!([start]);
        }
        let mut known = json!({ "map": self.name, "start": start, "phase": phases });
        if self.from.is_some() && !whole["lane"].is_null() {
            known["lane"] = whole["lane"].clone();
        }
        if let Some(lane) = &self.lane {
            known["lane"] = json!({ "beyond": lane.beyond.as_deref().unwrap_or(MODEL) });
        }
        let table = lay_over(known.clone(), rows)?;
        Ok(Laid { table, known, likes })
    }

    fn begins(&self, whole: &Value, rows: &[&PhaseRow], edges: &Edges<'_>) -> String {
        if let Some(start) = &self.start {
            return start.to_string();
        }
        let first = rows.iter().map(|row| row.name.as_str());
        let own = first.filter(|name| !["none", "talk", "idle", "gmode"].contains(name));
        let shipped = edges.ahead(whole["start"].as_str().unwrap_or_default());
        match self.from {
            Some(_) => shipped.into_iter().next(),
            None => own.map(str::to_owned).next(),
        }
        .unwrap_or_default()
    }
}

/// A row that every map has.
fn is_room(phase: &Value) -> bool {
    ["none", "talk", "idle", "gmode"].contains(&name_of(phase))
}

fn listed(phases: &[Value]) -> String {
    let work = phases.iter().filter(|phase| !is_room(phase)).map(name_of);
    format!("its phases: {}", work.collect::<Vec<_>>().join(", "))
}

/// Puts rows that are like a shipped phase where that one stands, else before the side lane.
fn put_likes(
    phases: &mut Vec<Value>,
    all: &[Value],
    rows: &[&PhaseRow],
) -> Result<Vec<(PhaseName, PhaseName)>, BadMap> {
    let mut likes: Vec<(PhaseName, PhaseName)> = Vec::new();
    for row in rows {
        let Some(like) = &row.like else { continue };
        let Some(source) = all.iter().find(|phase| is_named(phase, like)) else {
            let what = format!("`{like}` is no shipped phase; {}", listed(all));
            return Err(BadMap::row(&row.name, "like", what));
        };
        let mut made = source.clone();
        made["name"] = row.name.as_str().into();
        let first = !likes.iter().any(|(known, _)| known == like);
        let stands = phases.iter().position(|phase| is_named(phase, like)).filter(|_| first);
        if let Some(at) = stands {
            phases[at] = made;
        } else {
            let side = phases.iter().position(|phase| name_of(phase) == "gmode");
            phases.insert(side.unwrap_or(phases.len()), made);
        }
        if first {
            likes.push((like.clone(), row.name.clone()));
        }
    }
    Ok(likes)
}

/// What the steps of shipped rows lead to in a track that lacks or renames some of them.
struct Edges<'a> {
    all: &'a [Value],
    names: &'a [String],
    likes: &'a [(PhaseName, PhaseName)],
}

impl Edges<'_> {
    /// The name of a shipped phase here; where it is left out, those that came after it.
    fn ahead(&self, shipped: &str) -> Vec<String> {
        let mut seen = Vec::new();
        let mut found = Vec::new();
        let mut ahead = vec![shipped.to_owned()];
        while let Some(name) = ahead.pop() {
            if seen.contains(&name) {
                continue;
            }
            if let Some(own) = self.own(&name) {
                found.push(own);
            } else if let Some(row) = self.all.iter().find(|row| name_of(row) == name) {
                ahead.extend(texts(&row["next"]).rev());
            }
            seen.push(name);
        }
        found
    }

    fn own(&self, shipped: &str) -> Option<String> {
        let like = self.likes.iter().find(|(like, _)| like.as_str() == shipped);
        let renamed = like.map(|(_, own)| own.to_string());
        renamed.or_else(|| self.names.iter().find(|name| *name == shipped).cloned())
    }

    fn mend(&self, phase: &mut Value) {
        let own = name_of(phase).to_owned();
        let once = |names: Vec<String>| {
            let mut kept: Vec<String> = Vec::new();
            for name in names {
                if name != own && !kept.contains(&name) {
                    kept.push(name);
                }
            }
            kept
        };
        let ahead: Vec<String> = texts(&phase["next"]).flat_map(|to| self.ahead(&to)).collect();
        let behind: Vec<String> = texts(&phase["back"]).filter_map(|to| self.own(&to)).collect();
        for (key, names) in [("next", once(ahead)), ("back", once(behind))] {
            if !phase[key].is_null() {
                phase[key] = json!(names);
            }
        }
        if let Some(Value::Object(further)) = phase.get_mut("sections_to").map(Value::take) {
            let kept = further
                .into_iter()
                .filter_map(|(to, titles)| Some((self.own(&to)?, self.titled(&titles))));
            phase["sections_to"] = Value::Object(kept.collect());
        }
        if !phase["sections"].is_null() {
            phase["sections"] = self.titled(&phase["sections"]);
        }
        for key in ["work", "purpose"] {
            if let Some(text) = phase[key].as_str() {
                phase[key] = self.worded(text).into();
            }
        }
        // An index of a value that lacks a key makes one.
        if let Some(keys) = phase.as_object_mut() {
            keys.retain(|_, value| !value.is_null());
        }
    }

    /// Titles of a shipped row that name a phase: by its name here, and none of one that is left
    /// out.
    fn titled(&self, titles: &Value) -> Value {
        let title = |title: String| {
            let words = title.split(' ').map(|word| {
                let shipped = word.to_lowercase();
                if !["verify", "execute"].contains(&shipped.as_str()) {
                    return Some(word.to_owned());
                }
                let own = self.own(&shipped)?;
                Some(match word {
                    _ if own == shipped => word.to_owned(),
                    _ if word == shipped.to_uppercase() => own.to_uppercase(),
                    _ => own[..1].to_uppercase() + &own[1..],
                })
            });
            words.collect::<Option<Vec<_>>>().map(|words| words.join(" "))
        };
        texts(titles).filter_map(title).collect::<Vec<_>>().into()
    }

    /// The words of a shipped row, with the names of this track. A command keeps its own.
    fn worded(&self, text: &str) -> String {
        let named = |word: &str| ["observe", "execute", "condense"].contains(&word);
        let mut said = String::with_capacity(text.len());
        for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            let is_phase = named(word) && !said.ends_with("git seed ");
            let own = is_phase.then(|| self.ahead(word).into_iter().next()).flatten();
            said.push_str(own.as_deref().unwrap_or(word));
            said.push_str(&part[word.len()..]);
        }
        said
    }
}

fn texts(value: &Value) -> std::vec::IntoIter<String> {
    let list = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    list.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// What must hold of a track of a repository's own beside what holds of every map: it ends with the
/// person's answer, and nothing but the side lane does what no phase may do.
pub(super) fn check(map: &Map) -> Result<(), BadMap> {
    let (question, gate) = COMPLETION;
    if !map.phases().any(|row| row.kind == PhaseKind::Consolidation) {
        return Err(BadMap::Endless { track: map.name.clone() });
    }
    // Whatever ends a cycle asks the person.
    let ends = |row: &&Phase| {
        let leaves = row.next.iter().any(PhaseName::is_idle);
        row.kind == PhaseKind::Consolidation || (row.is_in_cycle() && leaves)
    };
    for last in map.phases().filter(ends) {
        if !last.questions.iter().any(|word| word == question || word == "*") {
            let what = format!("a job ends with the question `{question}`, and nothing asks it");
            return Err(BadMap::row(&last.name, "questions", what));
        }
        if !last.exit.iter().any(|name| name == gate) {
            let what =
                format!("lacks gate `{gate}`: a job would close without the person's answer");
            return Err(BadMap::row(&last.name, "exit", what));
        }
    }
    for row in map.phases().filter(|row| row.is_in_cycle()) {
        if let Some(write) =
            row.write.iter().find(|write| matches!(write, Write::All | Write::Tree))
        {
            let word = if *write == Write::All { "all" } else { "tree" };
            let what = format!("`{word}` is for rows outside the cycle; use `scope`");
            return Err(BadMap::row(&row.name, "write", what));
        }
        if row.opens(Class::ShellGit) {
            let what = "`shell-git` is for the side lane; git seed makes the commits of a phase";
            return Err(BadMap::row(&row.name, "acts", what));
        }
        if row.opens(Class::ShellWrite) && !row.write.contains(&Write::Scope) {
            let what = "`shell-write` wants `scope` in `write`: nothing else says where";
            return Err(BadMap::row(&row.name, "acts", what));
        }
    }
    Ok(())
}
