//! Puts our hook lines into a host's settings, and takes them out byte for byte.
//!
//! Settings are the person's: the text is never written anew, pieces are put between its
//! bytes. `add` returns a record of the pieces; while they stand as they were put, `remove`
//! cuts exactly them. Where someone rewrote them it takes out our lines by structure, and
//! then what held nothing else, except what the record says was there before. A line is
//! ours if it runs a program called `git-seed` with `hook <host>`. Reading and writing
//! files, and keeping the record, is the caller's.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::document::{
    Document, Edit, Member, NO_COMMENTS, Node, Shape, Style, applied, comments, is_blank, newline,
    value_of,
};
use super::{Form, Host};

pub(crate) use super::document::BadSettings;

/// What settings become with our lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Installed {
    /// The new text.
    pub text: String,
    /// Whether it differs.
    pub changed: bool,
    /// Lines to append to the record that [`remove`] reads; empty when nothing was put in.
    /// A changed binary needs no new record.
    pub undo: String,
}

/// What settings become without our lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Removed {
    /// The new text; `None` if the file was ours alone and should go.
    pub text: Option<String>,
    /// Whether anything of ours was there.
    pub changed: bool,
}

/// Settings text with a line of ours for every event of the host's row, each there once.
///
/// `binary` is an absolute path or a bare name. Lines that name another binary are changed
/// in place.
pub(crate) fn add(
    existing: Option<&str>,
    host: &Host,
    binary: &str,
) -> Result<Installed, BadSettings> {
    if let Some(script) = host.script() {
        return add_script(existing, host, binary, script);
    }
    let text = existing.unwrap_or_default();
    let lines = HookLines { host, binary };
    let edits = if is_blank(text) {
        vec![lines.whole_file(text, existing.is_some())]
    } else {
        let settings = Document::parse(text)?;
        if !host.settings.comments {
            settings.refuse_comments(NO_COMMENTS)?;
        }
        let mut edits = lines.renamed(&settings);
        edits.extend(lines.missing(&settings)?);
        edits
    };
    let undo = edits.iter().filter_map(|edit| lines.record(edit)).collect();
    let new = applied(text, edits);
    Ok(Installed { changed: existing != Some(new.as_str()), text: new, undo })
}

/// Settings text without any line of ours. `undo` is what [`add`] returned, all of it in order.
pub(crate) fn remove(text: &str, host: &Host, undo: Option<&str>) -> Result<Removed, BadSettings> {
    if is_blank(text) {
        return Ok(Removed { text: Some(text.to_owned()), changed: false });
    }
    if host.script().is_some() {
        return Ok(remove_script(text, host, undo));
    }
    let record = Record::read(undo);
    let programs = Document::parse(text)?.programs(host);
    let mut rest = text.to_owned();
    for piece in record.pieces.iter().rev() {
        let key = host.install.line_key();
        rest = piece.cut_from(&rest, &programs, key).unwrap_or(rest);
    }
    while let Some(cut) = next_of_ours(&rest, host, &record)? {
        rest.replace_range(cut.at, &cut.text);
    }
    let changed = rest != text;
    let ours_alone = changed && record.file_is_ours(undo) && holds_nothing(&rest, host);
    Ok(Removed { text: (!ours_alone).then_some(rest), changed })
}

// --- a program of ours in the host's language ---------------------------------------------

/// The line of a program that says which binary it calls.
const PROGRAM_LINE: &str = "const SEED = ";

/// The program whole, over an older one of ours or over nothing.
fn add_script(
    existing: Option<&str>,
    host: &Host,
    binary: &str,
    script: &str,
) -> Result<Installed, BadSettings> {
    let text = filled(script, binary);
    let old = existing.filter(|old| !is_blank(old));
    if old.is_some_and(|old| program_of_script(old, host).is_none()) {
        let why = "this file is not git seed's".to_owned();
        return Err(BadSettings { line: 1, column: 1, why });
    }
    let changed = existing != Some(text.as_str());
    let into = if existing.is_none() { "file" } else { "blank" };
    let before = existing.filter(|old| is_blank(old)).map(str::to_owned);
    let piece =
        Piece { into: into.to_owned(), program: binary.to_owned(), text: text.clone(), before };
    let undo = if changed { format!("{}\n", json!(piece)) } else { String::new() };
    Ok(Installed { text, changed, undo })
}

/// Takes the program out where it is as it was put in; one that somebody changed since is theirs.
fn remove_script(text: &str, host: &Host, undo: Option<&str>) -> Removed {
    let record = Record::read(undo);
    let recorded = record.pieces.iter().any(|piece| piece.text == text);
    let shipped = || {
        let binary = program_of_script(text, host)?;
        Some(filled(host.script()?, &binary) == text)
    };
    let ours = recorded || shipped() == Some(true);
    // A file that was there with nothing in it is there again.
    let before = || record.pieces.iter().find_map(|piece| piece.before.clone());
    Removed { text: if ours { before() } else { Some(text.to_owned()) }, changed: ours }
}

fn filled(script: &str, binary: &str) -> String {
    script.replace("@SEED@", &inside_quotes(binary))
}

/// The binary that a program of ours calls for `host`.
pub(super) fn program_of_script(text: &str, host: &Host) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(PROGRAM_LINE))?;
    let ours = text.contains(&format!("[\"hook\", \"{}\", event]", host.name));
    serde_json::from_str(line).ok().filter(|_| ours)
}

/// Nothing, or an object that is empty but for the version of its form.
fn holds_nothing(text: &str, host: &Host) -> bool {
    let versions = usize::from(host.install.version.is_some());
    let bare = |settings: Document<'_>| {
        let all = settings.root.items().len();
        all == 0 || all == versions && settings.root.member("version").is_some()
    };
    let silent = comments(text).is_empty();
    is_blank(text) || silent && Document::parse(text).is_ok_and(bare)
}

// --- the record -----------------------------------------------------------------------

/// One piece that was put in: a line of the record, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Piece {
    /// `file` (made by us), `blank` (an empty file), `root`, `hooks`, or an event's name.
    into: String,
    /// The program as the piece spells it inside a JSON string.
    program: String,
    text: String,
    /// What was in the file of a program that had nothing in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

impl Piece {
    /// `text` without this piece, if it stands there once and leaves JSON behind.
    fn cut_from(&self, text: &str, programs: &[String], key: &str) -> Option<String> {
        let spellings = std::iter::once(&self.program).chain(programs);
        spellings.map(|program| self.spelled(program, key)).find_map(|piece| {
            let (before, after) = text.split_once(&piece)?;
            let rest = format!("{before}{after}");
            let sound = is_blank(&rest) || Document::parse(&rest).is_ok();
            (sound && !after.contains(&piece)).then_some(rest)
        })
    }

    /// The piece as it reads once a newer binary took over its lines.
    fn spelled(&self, program: &str, key: &str) -> String {
        let command = |gap: &str, program: &str| format!("\"{key}\":{gap}\"{program}");
        ["", " "].iter().fold(self.text.clone(), |text, gap| {
            text.replace(&command(gap, &self.program), &command(gap, program))
        })
    }
}

/// What was put in, in order; a line that cannot be read is passed over.
struct Record {
    pieces: Vec<Piece>,
}

impl Record {
    fn read(undo: Option<&str>) -> Self {
        let lines = undo.unwrap_or_default().lines();
        Self { pieces: lines.filter_map(|line| serde_json::from_str(line).ok()).collect() }
    }

    fn put_into(&self, place: &str) -> bool {
        self.pieces.iter().any(|piece| piece.into == place)
    }

    /// Without a record a file that holds nothing else counts as ours.
    fn file_is_ours(&self, undo: Option<&str>) -> bool {
        undo.is_none() || self.put_into("file")
    }

    /// The object `hooks` was there before us.
    fn keeps_hooks(&self) -> bool {
        let made = ["file", "blank", "root"].iter().any(|place| self.put_into(place));
        !made && !self.pieces.is_empty()
    }

    /// The list of this event was there before us.
    fn keeps_event(&self, event: &str) -> bool {
        self.put_into(event)
    }
}

// --- our lines --------------------------------------------------------------------------

/// The hook lines of one host, running one binary.
struct HookLines<'h> {
    host: &'h Host,
    binary: &'h str,
}

impl HookLines<'_> {
    /// The program as it stands in a line's `command`.
    fn program(&self) -> String {
        match self.host.install.form {
            Form::Program => self.binary.to_owned(),
            Form::Line | Form::Script => shell_word(self.binary),
        }
    }

    fn record(&self, edit: &Edit) -> Option<String> {
        let into = edit.into.clone()?;
        let program = inside_quotes(&self.program());
        let line = json!(Piece { into, program, text: edit.text.clone(), before: None });
        Some(format!("{line}\n"))
    }

    /// An entry of an event's list.
    fn entry(&self, event: &str) -> Value {
        let row = &self.host.install;
        let mut line = serde_json::Map::new();
        line.insert("type".to_owned(), json!("command"));
        line.extend(row.also.iter().map(|(key, value)| (key.clone(), json!(value))));
        match row.form {
            Form::Program => {
                line.insert("command".to_owned(), json!(self.program()));
                line.insert("args".to_owned(), json!(["hook", self.host.name, event]));
            }
            Form::Line | Form::Script => {
                let command = format!("{} hook {} {event}", self.program(), self.host.name);
                line.insert(row.line_key().to_owned(), json!(command));
            }
        }
        let timeout = row.timeouts.get(event).unwrap_or(&row.timeout);
        line.insert(row.timeout_key().to_owned(), json!(timeout));
        if row.flat { Value::Object(line) } else { json!({ "hooks": [line] }) }
    }

    /// A member of `hooks`: an event and its list.
    fn member(&self, event: &str) -> (Option<String>, Value) {
        (Some(event.to_owned()), json!([self.entry(event)]))
    }

    /// The member that names the version of the file's form, where it has one.
    fn version(&self) -> Option<(Option<String>, Value)> {
        Some((Some("version".to_owned()), json!(self.host.install.version?)))
    }

    fn all(&self) -> (Option<String>, Value) {
        let members = self
            .host
            .install
            .events
            .iter()
            .map(|event| (event.clone(), json!([self.entry(event)])));
        (Some("hooks".to_owned()), Value::Object(members.collect()))
    }

    fn whole_file(&self, text: &str, exists: bool) -> Edit {
        let style = Style { newline: newline(text), unit: "  ".to_owned(), compact: false };
        let members = self.version().into_iter().chain([self.all()]);
        let named = members.filter_map(|(name, value)| Some((name?, value)));
        let file = Value::Object(named.collect());
        let into = if exists { "blank" } else { "file" };
        let text_of_file = format!("{}{}", style.spelled(&file, ""), style.newline);
        Edit { at: text.len()..text.len(), text: text_of_file, into: Some(into.to_owned()) }
    }

    /// Changes that make lines of ours run this binary.
    fn renamed(&self, settings: &Document<'_>) -> Vec<Edit> {
        let new = self.program();
        let rename = |line: &Node| {
            let value = settings.value(line);
            let old = program(&value, self.host)?;
            let command = line.member(self.host.install.line_key())?;
            let tail = settings.value(command).as_str()?.strip_prefix(old)?.to_owned();
            let text = json!(format!("{new}{tail}")).to_string();
            (old != new).then(|| Edit { at: command.span.clone(), text, into: None })
        };
        settings.lines(self.host).into_iter().filter_map(|place| rename(place.line)).collect()
    }

    /// Pieces to put in for events without a line of ours.
    fn missing(&self, settings: &Document<'_>) -> Result<Vec<Edit>, BadSettings> {
        let root = settings.object(&settings.root, "the settings")?;
        let Some(hooks) = root.member("hooks") else {
            let version = self.version().filter(|_| root.member("version").is_none());
            let members: Vec<_> = version.into_iter().chain([self.all()]).collect();
            return Ok(vec![settings.put(root, &members, "root")]);
        };
        let hooks = settings.object(hooks, "`hooks`")?;
        let mut edits = Vec::new();
        let mut members = Vec::new();
        for event in &self.host.install.events {
            match hooks.member(event) {
                None => members.push(self.member(event)),
                Some(list) if !matches!(list.shape, Shape::Array(_)) => {
                    return Err(settings.bad(list, format!("`hooks.{event}` is not a list")));
                }
                Some(list) if settings.has_ours(list, self.host) => {}
                Some(list) => edits.push(settings.put(list, &[(None, self.entry(event))], event)),
            }
        }
        if !members.is_empty() {
            edits.push(settings.put(hooks, &members, "hooks"));
        }
        Ok(edits)
    }
}

/// The events of the row for which these settings have no line of ours that every call of the
/// event runs.
pub(crate) fn missing_events<'h>(text: &str, host: &'h Host) -> Vec<&'h str> {
    if host.script().is_some() {
        return Vec::new();
    }
    let settings = value_of(text, host.settings.comments).unwrap_or_default();
    let has = |event: &str| {
        let lists = settings.get("hooks").and_then(|hooks| hooks.get(event)?.as_array());
        lists.into_iter().flatten().any(|entry| {
            let lines = entry.get("hooks").and_then(Value::as_array);
            let mut inner = lines.into_iter().flatten();
            takes_all(entry)
                && (inner.any(|line| program(line, host).is_some())
                    || host.install.flat && program(entry, host).is_some())
        })
    };
    host.install.events.iter().map(String::as_str).filter(|event| !has(event)).collect()
}

/// The entry is for every tool, not for those alone that it names.
fn takes_all(entry: &Value) -> bool {
    let matcher = entry.get("matcher").and_then(Value::as_str).unwrap_or_default();
    matches!(matcher, "" | "*" | ".*")
}

/// How long the host waits for our line of `event`, as its settings say.
pub(crate) fn time_out(text: &str, host: &Host, event: &str) -> Option<Duration> {
    if host.script().is_some() {
        return program_of_script(text, host).map(|_| host.time_of(event));
    }
    let settings = value_of(text, host.settings.comments)?;
    let entries = settings.get("hooks")?.get(event)?.as_array()?;
    let inner = entries.iter().filter_map(|entry| entry.get("hooks")?.as_array()).flatten();
    let lines = inner.chain(entries.iter().filter(|_| host.install.flat));
    let ours = lines.filter(|line| program(line, host).is_some());
    let key = host.install.timeout_key();
    let times = ours.filter_map(|line| line.get(key)?.as_u64()).min()?;
    Some(host.in_time(times))
}

/// The program of a hook line, if the line is ours.
fn program<'v>(line: &'v Value, host: &Host) -> Option<&'v str> {
    let command = line.get(host.install.line_key())?.as_str()?;
    let program = if let Some(args) = line.get("args") {
        let ours = args.get(0)? == "hook" && args.get(1)? == host.name.as_str();
        ours.then_some(command)?
    } else {
        let (program, rest) = command.split_once(&format!(" hook {}", host.name))?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(program)?
    };
    let file = program.rsplit(['/', '\\']).next()?.trim_matches(['\'', '"']);
    matches!(file, "git-seed" | "git-seed.exe").then_some(program)
}

/// A word that a shell reads as itself.
fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@%,=".contains(letter);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A text as it stands between the quotes of a JSON string.
fn inside_quotes(text: &str) -> String {
    let quoted = json!(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The change that takes out one more line of ours and what it leaves empty; `None` when none is
/// left.
fn next_of_ours(text: &str, host: &Host, record: &Record) -> Result<Option<Edit>, BadSettings> {
    if is_blank(text) {
        return Ok(None);
    }
    let settings = Document::parse(text)?;
    let Some(place) = settings.lines(host).into_iter().next() else { return Ok(None) };
    let alone = |holder: &Node| holder.items().len() == 1;
    // From the line outwards, as long as the holder holds nothing else.
    let mut cut = (place.group_lines, place.line_at);
    if alone(cut.0) {
        cut = (place.list, place.group_at);
        if alone(cut.0) && !record.keeps_event(place.event) {
            cut = (place.hooks, place.event_at);
            if alone(cut.0) && !record.keeps_hooks() {
                cut = (&settings.root, place.hooks_at);
            }
        }
    }
    Ok(Some(settings.cut(cut.0, cut.1)))
}

/// A line of ours, and everything it stands in.
struct Place<'d> {
    hooks: &'d Node,
    hooks_at: usize,
    event: &'d str,
    event_at: usize,
    list: &'d Node,
    group_at: usize,
    group_lines: &'d Node,
    line: &'d Node,
    line_at: usize,
}

impl Document<'_> {
    /// Every line of ours, in the order they stand.
    fn lines(&self, host: &Host) -> Vec<Place<'_>> {
        let mut places = Vec::new();
        let hooks_members =
            self.root.members().iter().enumerate().filter(|(_, member)| member.name == "hooks");
        for (hooks_at, Member { value: hooks, .. }) in hooks_members {
            for (event_at, Member { name: event, value: list, .. }) in
                hooks.members().iter().enumerate()
            {
                if host.install.flat {
                    let lines = list.elements().iter().enumerate();
                    let ours = lines.filter(|(_, line)| program(&self.value(line), host).is_some());
                    places.extend(ours.map(|(line_at, line)| Place {
                        hooks,
                        hooks_at,
                        event,
                        event_at,
                        list,
                        group_at: line_at,
                        group_lines: list,
                        line,
                        line_at,
                    }));
                    continue;
                }
                for (group_at, group) in list.elements().iter().enumerate() {
                    let Some(group_lines) = group.member("hooks") else { continue };
                    let lines = group_lines.elements().iter().enumerate();
                    let ours = lines.filter(|(_, line)| program(&self.value(line), host).is_some());
                    places.extend(ours.map(|(line_at, line)| Place {
                        hooks,
                        hooks_at,
                        event,
                        event_at,
                        list,
                        group_at,
                        group_lines,
                        line,
                        line_at,
                    }));
                }
            }
        }
        places
    }

    fn has_ours(&self, list: &Node, host: &Host) -> bool {
        self.lines(host).iter().any(|place| place.list.span == list.span)
    }

    /// The programs that lines of ours run, as they stand inside JSON strings.
    fn programs(&self, host: &Host) -> Vec<String> {
        let values = self.lines(host).into_iter().map(|place| self.value(place.line));
        let mut programs: Vec<String> =
            values.filter_map(|line| program(&line, host).map(inside_quotes)).collect();
        programs.dedup();
        programs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::document::BOM;
    use crate::hosts::row;
    use proptest::prelude::*;

    const BINARY: &str = "/opt/seed/bin/git-seed";

    fn host(name: &str) -> &'static Host {
        row(name).expect("the row loads")
    }

    /// Hosts whose settings hold hook lines.
    fn names() -> impl Iterator<Item = &'static str> {
        crate::hosts::names().filter(|name| host(name).script().is_none())
    }

    #[test]
    fn a_program_is_put_in_whole_and_taken_out_while_it_is_ours() {
        let host = host("opencode");
        let put = installed(None, "opencode");
        assert!(put.changed && put.text.contains(&format!("const SEED = \"{BINARY}\"\n")));
        assert_eq!(program_of_script(&put.text, host).as_deref(), Some(BINARY));
        let again = installed(Some(&put.text), "opencode");
        assert_eq!((again.changed, again.undo.as_str()), (false, ""));
        assert_eq!(removed(&put.text, "opencode", Some(&put.undo)), None);
        assert_eq!(removed(&put.text, "opencode", None), None);
        // One of another binary is renewed; an older program of ours goes by its record.
        let other = add(Some(&put.text), host, "/a \"b\"/git-seed").expect("it is ours");
        assert_eq!(program_of_script(&other.text, host).as_deref(), Some("/a \"b\"/git-seed"));
        let older = put.text.replace("10_000", "9_000");
        assert_eq!(removed(&older, "opencode", None).as_deref(), Some(older.as_str()));
        let record = put.undo.replace("10_000", "9_000");
        assert_eq!(removed(&older, "opencode", Some(&record)), None);
        let problem = add(Some("export const Other = 1\n"), host, BINARY).expect_err("theirs");
        assert_eq!(problem.why, "this file is not git seed's");
        assert_eq!(time_out(&put.text, host, "session.idle"), Some(Duration::from_secs(75)));
    }

    #[test]
    fn a_program_is_short_enough_to_be_read() {
        for (name, text) in crate::hosts::SCRIPTS {
            assert!(text.lines().count() <= 90, "{name}: {} lines", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{name}");
        }
    }

    fn installed(text: Option<&str>, name: &str) -> Installed {
        add(text, host(name), BINARY).unwrap_or_else(|problem| panic!("{text:?}: {problem}"))
    }

    fn removed(text: &str, name: &str, undo: Option<&str>) -> Option<String> {
        remove(text, host(name), undo).unwrap_or_else(|problem| panic!("{text}: {problem}")).text
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text.trim_start_matches(BOM))
            .unwrap_or_else(|problem| panic!("{text}: {problem}"))
    }

    const SETTINGS: [&str; 15] = [
        "{}",
        "{}\n",
        "{\n}\n",
        "{  }",
        "",
        "\n",
        "\u{feff}{\"a\":1}",
        "{\"a\":1,\"hooks\":{}}",
        "{ \"a\": [1, 2], \"b\": {} }",
        "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\"]\n  }\n}",
        "{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {\r\n\t}\r\n}\r\n",
        "{\n    \"hooks\": {\n        \"Stop\": []\n    },\n    \"z\": \"{\\\"hooks\\\": \\\\\"\n\
         }\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \
         \"command\": \"say done\"}]}\n    ],\n    \"Mine\": []\n  }\n}\n",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\
         \"command\":\"check\"}]}],\"Stop\":[ ]}}",
        "{\n  \"a\": 1, \"hooks\": { \"BeforeTool\": [ { \"hooks\": [] }, { \"hooks\": [] } ] }\n}",
    ];

    #[test]
    fn what_is_put_in_comes_out_byte_for_byte() {
        for name in names() {
            for text in SETTINGS {
                let with = installed(Some(text), name);
                assert!(with.changed && with.text.contains(BINARY), "{name} {text}");
                assert_eq!(
                    removed(&with.text, name, Some(&with.undo)).as_deref(),
                    Some(text),
                    "{name}: {}",
                    with.text
                );
            }
            let fresh = installed(None, name);
            assert_eq!(
                removed(&fresh.text, name, Some(&fresh.undo)),
                None,
                "{name}: the file was ours alone"
            );
            assert_eq!(removed(&fresh.text, name, None), None, "{name}: also without a record");
        }
    }

    #[test]
    fn every_event_of_the_row_gets_one_line_beside_what_is_there() {
        for name in names() {
            for text in SETTINGS {
                let with = value(&installed(Some(text), name).text);
                for event in &host(name).install.events {
                    let list = with["hooks"][event]
                        .as_array()
                        .unwrap_or_else(|| panic!("{name} {event} {with}"));
                    let lines = list.iter().flat_map(|group| match group["hooks"].as_array() {
                        Some(lines) => lines.iter().collect::<Vec<_>>(),
                        None => vec![group],
                    });
                    assert_eq!(
                        lines.filter(|line| program(line, host(name)).is_some()).count(),
                        1,
                        "{event} {with}"
                    );
                }
            }
        }
    }

    /// As long as the settings say, in whatever unit, and not what a newer row would write.
    #[test]
    fn a_host_waits_as_long_as_its_settings_say() {
        for (host, event, seconds) in [
            ("claude", "Stop", 75),
            ("claude", "PostToolUse", 60),
            ("claude", "PreToolUse", 10),
            ("codex", "Stop", 10),
            ("gemini", "AfterAgent", 75),
            ("gemini", "AfterTool", 60),
            ("gemini", "BeforeTool", 10),
        ] {
            let host = row(host).expect("it loads");
            let text = add(None, host, "/a b/git-seed").expect("it installs").text;
            assert_eq!(time_out(&text, host, event), Some(Duration::from_secs(seconds)), "{event}");
        }
        let claude = row("claude").expect("it loads");
        let text = add(None, claude, "git-seed").expect("it installs").text.replace("75", "10");
        assert_eq!(time_out(&text, claude, "Stop"), Some(Duration::from_secs(10)));
        assert_eq!(time_out("{}", claude, "Stop"), None);
    }

    #[test]
    fn a_hook_line_is_what_the_host_expects() {
        let cases = [
            (
                "claude",
                "Stop",
                json!({"type": "command", "command": "/a b/git-seed",
                    "args": ["hook", "claude", "Stop"], "timeout": 75}),
            ),
            (
                "claude",
                "SessionEnd",
                json!({"type": "command", "command": "/a b/git-seed",
                    "args": ["hook", "claude", "SessionEnd"], "timeout": 3}),
            ),
            (
                "codex",
                "Stop",
                json!({"type": "command", "command": "'/a b/git-seed' hook codex Stop",
                    "timeout": 10}),
            ),
            (
                "gemini",
                "AfterAgent",
                json!({"type": "command", "name": "git-seed",
                    "command": "'/a b/git-seed' hook gemini AfterAgent", "timeout": 75000}),
            ),
        ];
        for (name, event, line) in cases {
            let with = value(&add(None, host(name), "/a b/git-seed").expect("it installs").text);
            assert_eq!(with["hooks"][event], json!([{"hooks": [line]}]), "{name}");
        }
    }

    #[test]
    fn the_layout_is_that_of_the_file() {
        let text = "{\n    \"hooks\": {\n        \"Stop\": []\n    }\n}\n";
        let with = installed(Some(text), "gemini").text;
        let wanted = "\n        \"SessionStart\": [\n            {\n                \"hooks\": \
            [\n                    {\n                        \"type\": \"command\",\n";
        assert!(with.contains(wanted), "{with}");
        let one_line = installed(Some("{\"a\":1}"), "claude").text;
        assert!(
            !one_line.contains('\n')
                && one_line.starts_with("{\"a\":1,\"hooks\":{\"SessionStart\":[{"),
            "{one_line}"
        );
    }

    #[test]
    fn a_second_time_changes_nothing() {
        for name in names() {
            for text in SETTINGS {
                let once = installed(Some(text), name);
                let twice = installed(Some(&once.text), name);
                assert_eq!(
                    (twice.text, twice.changed, twice.undo.as_str()),
                    (once.text, false, ""),
                    "{name} {text}"
                );
            }
        }
    }

    #[test]
    fn a_new_binary_takes_over_in_place_and_still_comes_out() {
        for name in names() {
            for text in SETTINGS {
                for binary in ["git-seed", "/else where/git-seed", "C:\\bin\\git-seed.exe"] {
                    let old = installed(Some(text), name);
                    let new = add(Some(&old.text), host(name), binary).expect("it installs");
                    assert!(
                        new.changed && new.undo.is_empty() && !new.text.contains(BINARY),
                        "{name} {}",
                        new.text
                    );
                    let back = removed(&new.text, name, Some(&old.undo));
                    assert_eq!(back.as_deref(), Some(text), "{name} {binary} {}", new.text);
                }
            }
        }
    }

    #[test]
    fn a_later_row_with_more_events_comes_out_too() {
        for text in SETTINGS {
            let mut older = Host::parse("claude", include_str!("claude.toml")).expect("it loads");
            older.install.events.truncate(4);
            let first = add(Some(text), &older, BINARY).expect("it installs");
            let second = add(Some(&first.text), host("claude"), "git-seed").expect("it installs");
            let undo = format!("{}{}", first.undo, second.undo);
            assert_eq!(
                removed(&second.text, "claude", Some(&undo)).as_deref(),
                Some(text),
                "{}",
                second.text
            );
        }
    }

    #[test]
    fn what_the_person_changed_meanwhile_stays() {
        let text = "{\n  \"model\": \"a\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n";
        let with = installed(Some(text), "claude");
        let edited = with
            .text
            .replace("\"a\"", "\"b\"")
            .replace("\"Stop\": [", "\"Mine\": [1],\n    \"Stop\": [");
        let wanted = text
            .replace("\"a\"", "\"b\"")
            .replace("\"Stop\": [", "\"Mine\": [1],\n    \"Stop\": [");
        assert_eq!(removed(&edited, "claude", Some(&with.undo)).as_deref(), Some(wanted.as_str()));
    }

    #[test]
    fn settings_that_were_laid_out_anew_lose_our_lines_only() {
        let cases = [
            ("{\"a\":1}", "{\"a\":1}"),
            ("{\"hooks\":{}}", "{\"hooks\":{}}"),
            ("{\"hooks\":{\"Stop\":[]}}", "{\"hooks\":{\"Stop\":[]}}"),
            (
                "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"x\"}]}]}}",
                "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"x\"}]}]}}",
            ),
        ];
        for (text, wanted) in cases {
            let with = installed(Some(text), "claude");
            let anew = format!("{:#}", value(&with.text));
            let without = removed(&anew, "claude", Some(&with.undo)).expect("the file stays");
            assert_eq!(value(&without), value(wanted), "{without}");
        }
        let own = format!("{:#}", value(&installed(None, "codex").text));
        assert_eq!(
            removed(
                &own,
                "codex",
                Some("{\"into\":\"file\",\"program\":\"\",\"text\":\"gone\"}\nnot JSON")
            ),
            None
        );
    }

    #[test]
    fn a_line_of_ours_in_a_group_of_theirs_leaves_the_group() {
        let line = "{\"command\": \"/x/git-seed\", \"args\": [\"hook\", \"claude\", \"Stop\"]}";
        let text = format!(
            "{{\"hooks\": {{\"Stop\": [{{\"matcher\": \"a\", \"hooks\": [{{\"command\": \
             \"theirs\"}}, {line}]}}]}}}}"
        );
        let wanted = text.replace(&format!(", {line}"), "");
        assert_eq!(removed(&text, "claude", None).as_deref(), Some(wanted.as_str()));
    }

    #[test]
    fn only_lines_that_run_us_for_this_host_are_ours() {
        let cases = [
            (json!({"command": "git-seed", "args": ["hook", "claude", "Stop"]}), true),
            (json!({"command": "/a b/git-seed", "args": ["hook", "claude"]}), true),
            (json!({"command": "git-seed hook claude Stop"}), true),
            (json!({"command": "'/a b/git-seed' hook claude"}), true),
            (json!({"command": "git-seed", "args": ["hook", "codex", "Stop"]}), false),
            (json!({"command": "git-seed", "args": ["status"]}), false),
            (json!({"command": "my-git-seed hook claude"}), false),
            (json!({"command": "git-seed hook claudette"}), false),
            (json!({"command": ["git-seed", "hook", "claude"]}), false),
            (json!("git-seed hook claude"), false),
        ];
        for (line, ours) in cases {
            assert_eq!(program(&line, host("claude")).is_some(), ours, "{line}");
        }
    }

    #[test]
    fn settings_that_cannot_be_read_are_named_by_their_place() {
        let cases = [
            ("{\n  \"a\": 1,\n}", "line 3, column 1: trailing comma"),
            (
                "{\n  // why\n}",
                "line 2, column 3: a comment, which the host does not read in this file: \
              take it out",
            ),
            ("[]", "line 1, column 1: the settings must be an object"),
            ("{\n  \"hooks\": null\n}", "line 2, column 12: `hooks` must be an object"),
            ("{\"hooks\": {\"Stop\": 1}}", "line 1, column 20: `hooks.Stop` is not a list"),
        ];
        for (text, wanted) in cases {
            let problem = add(Some(text), host("claude"), BINARY).expect_err(text);
            assert_eq!(problem.to_string(), wanted, "{text}");
        }
    }

    #[test]
    fn settings_without_a_line_of_ours_stay_as_they_are() {
        for text in SETTINGS {
            let unchanged = Removed { text: Some(text.to_owned()), changed: false };
            assert_eq!(remove(text, host("claude"), None), Ok(unchanged), "{text}");
        }
    }

    /// Any JSON value of modest size.
    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\{},:é \n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[a-z\"]{0,3}", inner), 0..3)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    /// Settings as people have them: hooks of others, empty hooks, none at all.
    fn any_settings() -> impl Strategy<Value = Value> {
        let group = prop_oneof![
            Just(json!({"hooks": [{"command": "theirs"}]})),
            Just(json!({})),
            any_value()
        ];
        let list = prop::collection::vec(group, 0..3).prop_map(Value::from);
        let event = prop_oneof![Just("Stop"), Just("PreToolUse"), Just("AfterTool"), Just("Mine")];
        let hooks = prop::collection::btree_map(event, list, 0..4).prop_map(|events| {
            events.into_iter().map(|(key, list)| (key.to_owned(), list)).collect::<Value>()
        });
        let others = prop::collection::vec(("[a-z]{1,4}", any_value()), 0..3).boxed();
        (others.clone(), prop::option::of(hooks), others).prop_map(|(before, hooks, after)| {
            let hooks = hooks.map(|hooks| ("hooks".to_owned(), hooks));
            before.into_iter().chain(hooks).chain(after).collect()
        })
    }

    /// Writes JSON with a gap of its own choice before each token.
    fn laid_out(value: &Value, depth: usize, gaps: &[&str], out: &mut String) {
        let gap = |out: &mut String, depth: usize| {
            let gap = gaps[(out.len() + depth) % gaps.len()];
            out.push_str(gap);
            if gap.ends_with('\n') {
                out.push_str(&"\t".repeat(depth));
            }
        };
        let (open, close, items): (_, _, Vec<(Option<&String>, &Value)>) = match value {
            Value::Object(members) => {
                ('{', '}', members.iter().map(|(key, value)| (Some(key), value)).collect())
            }
            Value::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            plain => return out.push_str(&plain.to_string()),
        };
        out.push(open);
        for (at, (key, item)) in items.into_iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            gap(out, depth + 1);
            if let Some(key) = key {
                out.push_str(&json!(key).to_string());
                out.push(':');
            }
            laid_out(item, depth + 1, gaps, out);
        }
        gap(out, depth);
        out.push(close);
    }

    fn any_layout() -> impl Strategy<Value = &'static [&'static str]> {
        prop_oneof![
            Just(&[""][..]),
            Just(&[" "][..]),
            Just(&["\n"][..]),
            Just(&["\r\n"][..]),
            Just(&["", " ", "\n", "\n\n"][..]),
        ]
    }

    proptest! {
        #[test]
        fn any_settings_come_back_byte_for_byte(
            settings in any_settings(), gaps in any_layout(), bom in any::<bool>(),
            end in "\n|\r\n||  ",
            at in 0..3usize, binary in "git-seed|/a/git-seed|/a b/é/git-seed",
        ) {
            let name = names().nth(at).expect("there are three");
            let mut text = if bom { BOM.to_string() } else { String::new() };
            laid_out(&settings, 0, gaps, &mut text);
            text.push_str(&end);

            let with = installed(Some(&text), name);
            prop_assert!(with.changed);
            let parsed = value(&with.text);
            for (key, theirs) in settings.as_object().expect("an object") {
                prop_assert!(key == "hooks" || &parsed[key] == theirs);
            }
            prop_assert_eq!(removed(&with.text, name, Some(&with.undo)), Some(text.clone()));

            let moved = add(Some(&with.text), host(name), &binary).expect("it installs");
            prop_assert_eq!(removed(&moved.text, name, Some(&with.undo)), Some(text));

            let anew = format!("{parsed:#}");
            let without = removed(&anew, name, Some(&with.undo)).expect("the file stays");
            prop_assert_eq!(value(&without), settings);
        }

        #[test]
        fn any_text_gets_an_answer(text in "[\\[\\]{}\",:0-9a-z\\\\ \n]{0,24}") {
            let _ = add(Some(&text), host("claude"), BINARY);
            let _ = remove(&text, host("claude"), Some(&text));
        }
    }
}
