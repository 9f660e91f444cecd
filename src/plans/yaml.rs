//! Plan documents in YAML: a list of cycles, each with words for the texts of its phases.
//!
//! The events of a parser become a small tree of tables, lists and words. What lets a
//! document mean more than it shows (anchors, aliases, tags, merge keys, several documents
//! in one, a key that stands twice) is refused where it stands, before anything of it is
//! expanded; so is what lies too deep. Pure.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};

use super::document::{Document, Expected, Fault, MOST_FAULTS, Mode, Voice, Words, fault};

/// How deep tables and lists may lie in each other.
const DEPTH: usize = 8;
/// The most rows of a list, and keys of a table.
const PIECES: usize = 1_000;
const TOP: [&str; 4] = ["job", "job_name", "plan_file", "cycles"];
const CYCLE: [&str; 2] = ["cycle", "phases"];
const ENTRY: [&str; 2] = ["mode", "text"];

/// One piece of a document, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    line: usize,
    column: usize,
    kind: NodeKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum NodeKind {
    /// Text; `plain` where it stands without quotes on one line.
    Word {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Table(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    key: String,
    line: usize,
    column: usize,
    value: Node,
}

impl Node {
    fn fault(&self, what: impl Into<String>) -> Fault {
        fault(self.line, self.column, what)
    }

    fn kind_word(&self) -> &'static str {
        match &self.kind {
            NodeKind::Word { text, plain: true }
                if text.is_empty() || text == "~" || text == "null" =>
            {
                "nothing"
            }
            NodeKind::Word { .. } => "a text",
            NodeKind::List(_) => "a list",
            NodeKind::Table(_) => "a table",
        }
    }

    /// The text of a word that says something.
    fn word(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Word { text, .. } if self.kind_word() != "nothing" => Some(text),
            _ => None,
        }
    }
}

impl Entry {
    fn fault(&self, what: impl Into<String>) -> Fault {
        fault(self.line, self.column, what)
    }
}

/// What `text` says, as a plan document of the name `name`.
pub(super) fn document(text: &str, name: &str, expected: Expected<'_>) -> Document {
    let mut reading = Reading { name, expected, document: Document::default() };
    match tree(text) {
        Ok(top) => reading.top(&top),
        Err(fault) => reading.document.faults.push(fault),
    }
    reading.document
}

// ---- the tree

fn tree(text: &str) -> Result<Node, Fault> {
    let mut events =
        Events { parser: Parser::new_from_str(text.trim_start_matches('\u{feff}')), end: (1, 1) };
    let empty = |events: &Events<'_>| fault(events.end.0, events.end.1, "the document is empty");
    loop {
        match events.next()? {
            Some((Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _)) => {}
            Some((Event::StreamEnd | Event::DocumentEnd, _)) | None => return Err(empty(&events)),
            Some((event, span)) => {
                let node = events.node(event, span, 1)?;
                events.is_over()?;
                return Ok(node);
            }
        }
    }
}

struct Events<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    /// Where the last event ended.
    end: (usize, usize),
}

fn place(at: Marker) -> (usize, usize) {
    (at.line(), at.col() + 1)
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Fault> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok((event, span))) => {
                self.end = place(span.end);
                Ok(Some((event, span)))
            }
            Some(Err(bad)) => {
                let (line, column) = place(*bad.marker());
                Err(fault(line, column, format!("this is no YAML: {}", bad.info())))
            }
        }
    }

    /// The piece that `event` begins.
    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Fault> {
        let (line, column) = place(span.start);
        let no = |what: &str| Err(fault(line, column, what));
        if depth > DEPTH {
            return no("this lies too deep; a plan document has at most eight levels");
        }
        let kind = match event {
            Event::Alias(_) => return no("aliases (`*name`) are not read; write the words out"),
            Event::Scalar(text, style, anchor, tag) => {
                plain_piece(line, column, anchor, tag.as_deref())?;
                NodeKind::Word { text: text.into_owned(), plain: style == ScalarStyle::Plain }
            }
            Event::SequenceStart(anchor, tag) => {
                plain_piece(line, column, anchor, tag.as_deref())?;
                self.list(depth)?
            }
            Event::MappingStart(anchor, tag) => {
                plain_piece(line, column, anchor, tag.as_deref())?;
                self.table(depth)?
            }
            _ => return no("something is missing here"),
        };
        Ok(Node { line, column, kind })
    }

    fn list(&mut self, depth: usize) -> Result<NodeKind, Fault> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Some((Event::SequenceEnd, _)) => return Ok(NodeKind::List(items)),
                Some((_, span)) if items.len() >= PIECES => return Err(too_many(&span)),
                Some((event, span)) => items.push(self.node(event, span, depth + 1)?),
                None => return Err(fault(self.end.0, self.end.1, "a list does not end")),
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<NodeKind, Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let (event, span) = match self.next()? {
                Some((Event::MappingEnd, _)) => return Ok(NodeKind::Table(entries)),
                Some((_, span)) if entries.len() >= PIECES => return Err(too_many(&span)),
                Some(next) => next,
                None => return Err(fault(self.end.0, self.end.1, "a table does not end")),
            };
            let node = self.node(event, span, depth + 1)?;
            let Node { line, column, ref kind } = node;
            let NodeKind::Word { text: key, plain } = kind else {
                return Err(node.fault("a key is one word, not a list or a table"));
            };
            if *plain && key == "<<" {
                return Err(node.fault("merge keys (`<<`) are not read; write the words out"));
            }
            if let Some(first) = entries.iter().find(|first| first.key == *key) {
                return Err(
                    node.fault(format!("`{key}` stands twice; line {} has it first", first.line))
                );
            }
            let Some((event, span)) = self.next()? else {
                return Err(node.fault(format!("`{key}` has no value")));
            };
            let value = self.node(event, span, depth + 1)?;
            entries.push(Entry { key: key.clone(), line, column, value });
        }
    }

    /// Nothing stands behind the one document.
    fn is_over(&mut self) -> Result<(), Fault> {
        loop {
            match self.next()? {
                None | Some((Event::StreamEnd, _)) => return Ok(()),
                Some((Event::DocumentEnd | Event::Nothing, _)) => {}
                Some((_, span)) => {
                    let (line, column) = place(span.start);
                    return Err(fault(
                        line,
                        column,
                        "a second document begins here; a plan is one document",
                    ));
                }
            }
        }
    }
}

fn too_many(at: &Span) -> Fault {
    let (line, column) = place(at.start);
    fault(line, column, format!("this is one too many; {PIECES} is the most in one place"))
}

fn plain_piece(line: usize, column: usize, anchor: usize, tag: Option<&Tag>) -> Result<(), Fault> {
    if anchor != 0 {
        return Err(fault(line, column, "anchors (`&name`) are not read; write the words out"));
    }
    match tag {
        Some(_) => Err(fault(line, column, "tags (`!name`) are not read; leave them out")),
        None => Ok(()),
    }
}

// ---- what the tree says

struct Reading<'a> {
    name: &'a str,
    expected: Expected<'a>,
    document: Document,
}

impl Reading<'_> {
    fn wrong(&mut self, fault: Fault) {
        self.document.faults.push(fault);
    }

    /// The entries of a table, of which only the known ones are read.
    fn entries<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Vec<&'n Entry> {
        let NodeKind::Table(entries) = &node.kind else {
            self.wrong(node.fault(format!(
                "{what} is a table ({}), not {}",
                known.join(", "),
                node.kind_word()
            )));
            return Vec::new();
        };
        let unknown = entries.iter().filter(|entry| !known.contains(&entry.key.as_str()));
        for entry in unknown.take(MOST_FAULTS.saturating_sub(self.document.faults.len())) {
            let lead = if entry.key == "total_cycles" {
                "`total_cycles` is not said here: `cycles` has one row for each".to_owned()
            } else {
                format!("{what} has no key `{}`", entry.key)
            };
            self.wrong(entry.fault(lead + &suggestion(&entry.key, known)));
        }
        entries.iter().filter(|entry| known.contains(&entry.key.as_str())).collect()
    }

    fn top(&mut self, top: &Node) {
        let entries = self.entries(top, "a plan document", &TOP);
        let (job, name) = (self.expected.job, self.name);
        for entry in &entries {
            let own = match entry.key.as_str() {
                "job" => job,
                "plan_file" => name,
                _ => continue,
            };
            if entry.value.word() != Some(own) {
                let said = entry.value.word().unwrap_or_default();
                let what = format!("`{}: {said}` is not this one; here it is `{own}`", entry.key);
                self.wrong(entry.value.fault(what));
            }
        }
        match entries.iter().find(|entry| entry.key == "cycles") {
            Some(entry) => self.cycles(entry),
            None if matches!(top.kind, NodeKind::Table(_)) => {
                self.wrong(
                    top.fault("the document has no `cycles`; it wants one row for each cycle"),
                );
            }
            None => {}
        }
    }

    fn cycles(&mut self, entry: &Entry) {
        let rows = match &entry.value.kind {
            NodeKind::List(rows) if !rows.is_empty() => rows,
            _ => {
                let what = format!(
                    "`cycles` is a list with a row for each cycle, not {}",
                    entry.value.kind_word()
                );
                return self.wrong(entry.fault(what));
            }
        };
        let mut known: Vec<(u32, usize)> = Vec::new();
        for row in rows {
            let entries = self.entries(row, "a row of `cycles`", &CYCLE);
            let Some(number) = entries.iter().find(|entry| entry.key == "cycle") else {
                if matches!(row.kind, NodeKind::Table(_)) {
                    self.wrong(row.fault("this row has no `cycle: <n>`"));
                }
                continue;
            };
            let Some(cycle) = self.number(number, rows.len()) else { continue };
            if let Some((_, line)) = known.iter().find(|(n, _)| *n == cycle) {
                self.wrong(
                    number.fault(format!("cycle {cycle} stands twice; line {line} has it first")),
                );
                continue;
            }
            known.push((cycle, number.line));
            if let Some(phases) = entries.iter().find(|entry| entry.key == "phases") {
                self.phases(cycle, phases);
            }
        }
        self.document.total = u32::try_from(rows.len()).ok();
    }

    /// A cycle's number, one of 1 to `rows`: each once, so that the last is the total.
    fn number(&mut self, entry: &Entry, rows: usize) -> Option<u32> {
        let plain = matches!(entry.value.kind, NodeKind::Word { plain: true, .. });
        let said = entry.value.word().unwrap_or_default();
        let number =
            said.parse::<u32>().ok().filter(|_| plain && said.chars().all(|c| c.is_ascii_digit()));
        match number {
            Some(n) if n >= 1 && usize::try_from(n).is_ok_and(|n| n <= rows) => Some(n),
            _ => {
                let what =
                    format!("`cycle: {said}` is none of 1 to {rows}; each of them stands once");
                self.wrong(entry.value.fault(what));
                None
            }
        }
    }

    fn phases(&mut self, cycle: u32, phases: &Entry) {
        let voices = self.expected.voices;
        let names: Vec<&str> = voices.phases.iter().map(|(name, _)| name.as_str()).collect();
        for entry in self.entries(&phases.value, "`phases`", &names) {
            let Some((phase, known)) = voices.phases.iter().find(|(name, _)| *name == entry.key)
            else {
                continue;
            };
            let ids: Vec<&str> = known.iter().map(|voice| voice.id.as_str()).collect();
            for words in self.entries(&entry.value, phase, &ids) {
                let Some(voice) = known.iter().find(|voice| voice.id == words.key) else {
                    continue;
                };
                if let Some(read) = self.words(words, voice) {
                    let key = (cycle, phase.clone(), voice.id.clone());
                    self.document.words.insert(key, read);
                }
            }
        }
    }

    fn words(&mut self, entry: &Entry, voice: &Voice) -> Option<Words> {
        let (mode, text) = match &entry.value.kind {
            NodeKind::Table(_) => self.with_mode(&entry.value, voice)?,
            _ => (Mode::Append, &entry.value),
        };
        let Some(said) = text.word().filter(|said| !said.trim().is_empty()) else {
            let what = format!(
                "`{}` wants words, or a table of mode and text, not {}",
                entry.key,
                text.kind_word()
            );
            self.wrong(text.fault(what));
            return None;
        };
        let mut sound = true;
        for name in variables(said)
            .into_iter()
            .filter(|name| !voice.variables.iter().any(|own| own == name))
        {
            let known: Vec<&str> = voice.variables.iter().map(String::as_str).collect();
            let what = format!("`{}` has no variable `{name}`", voice.id);
            self.wrong(text.fault(what + &suggestion(name, &known)));
            sound = false;
        }
        sound.then(|| Words { mode, text: said.to_owned() })
    }

    fn with_mode<'n>(&mut self, node: &'n Node, voice: &Voice) -> Option<(Mode, &'n Node)> {
        let entries = self.entries(node, "words with a mode", &ENTRY);
        let get = |key: &str| entries.iter().find(|entry| entry.key == key).copied();
        let Some(text) = get("text") else {
            self.wrong(node.fault("there is a mode here and no `text`"));
            return None;
        };
        let Some(entry) = get("mode") else { return Some((Mode::Append, &text.value)) };
        let said = entry.value.word().unwrap_or_default();
        let Some((_, mode)) = Mode::ALL.iter().find(|(word, _)| *word == said) else {
            let known = Mode::ALL.map(|(word, _)| word);
            self.wrong(
                entry.value.fault(format!("`{said}` is no mode") + &suggestion(said, &known)),
            );
            return None;
        };
        if *mode == Mode::Replace && !voice.replaceable {
            let what = "a refusal keeps its own words: append or prepend to it";
            self.wrong(entry.value.fault(what));
            return None;
        }
        Some((*mode, &text.value))
    }
}

// ---- variables, and names that were meant

/// The names between `{{` and `}}` in `text`.
fn variables(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, from)) = rest.split_once("{{") {
        let Some((name, behind)) = from.split_once("}}") else { break };
        found.push(name.trim());
        rest = behind;
    }
    found
}

/// `text` with its variables filled in; one that nobody knows stays as it stands.
pub(crate) fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("{{") {
        let Some((name, behind)) = from.split_once("}}") else { break };
        out.push_str(before);
        match value(name.trim()) {
            Some(value) => out.push_str(&value),
            None => out.push_str(&rest[before.len()..rest.len() - behind.len()]),
        }
        rest = behind;
    }
    out + rest
}

/// The most names that are listed beside one that nobody knows.
const LISTED: usize = 12;

/// What may have been meant by `said`, and all that there is, or where it is listed.
fn suggestion(said: &str, known: &[&str]) -> String {
    let near = |name: &&&str| distance(said, name) <= (name.chars().count() / 3).max(1);
    let meant = known.iter().filter(near).min_by_key(|name| distance(said, name));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    if known.is_empty() {
        return format!("{meant}; there is none");
    }
    if known.len() > LISTED {
        return format!("{meant}; git seed plan validate --keys lists what is known");
    }
    format!("{meant}; known: {}", known.join(", "))
}

/// How many letters have to go, come, change or trade places.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = match (i, j) {
                (0, n) | (n, 0) => n,
                _ => {
                    let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let best = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    let traded = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if traded { best.min(rows[i - 2][j - 2] + 1) } else { best }
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Pointer;
    use super::super::document::Voices;
    use super::*;

    fn voices() -> Voices {
        let voice = |id: &str, replaceable: bool| Voice {
            id: id.to_owned(),
            variables: vec!["job".to_owned(), "cycle".to_owned()],
            replaceable,
        };
        let texts =
            || vec![voice("entry", true), voice("stop", true), voice("page.section", false)];
        Voices { phases: vec![("observe".to_owned(), texts()), ("plan".to_owned(), texts())] }
    }

    fn read(text: &str) -> Document {
        let voices = voices();
        let expected = Expected { job: "j1", voices: &voices };
        Document::read(&Pointer::Yaml("plan_x.yaml".into()), text.as_bytes(), expected)
    }

    const WHOLE: &str = "\
job: j1
plan_file: plan_x.yaml
cycles:
  - cycle: 1
    phases:
      observe:
        entry: Look at {{job}} first.
        stop: {mode: replace, text: \"go on\"}
  - cycle: 3
  - cycle: 2
    phases:
      plan:
        page.section:
          mode: prepend
          text: |
            Two lines
            of it.
";

    #[test]
    fn a_whole_document_declares_its_cycles_and_their_words() {
        let document = read(WHOLE);
        assert_eq!((document.faults.as_slice(), document.sound()), (&[][..], Some(3)));
        let first: Vec<_> = document.words_for(1, "observe").collect();
        let words = |mode: Mode, text: &str| Words { mode, text: text.to_owned() };
        let (entry, stop) =
            (words(Mode::Append, "Look at {{job}} first."), words(Mode::Replace, "go on"));
        assert_eq!(first, [("entry", &entry), ("stop", &stop)]);
        let second: Vec<_> = document.words_for(2, "plan").collect();
        assert_eq!(second, [("page.section", &words(Mode::Prepend, "Two lines\nof it.\n"))]);
        assert_eq!(
            document.words_for(2, "observe").count() + document.words_for(3, "plan").count(),
            0
        );
    }

    fn told(text: &str) -> String {
        let document = read(text);
        assert_eq!(document.sound(), None, "{text}");
        document.faults.iter().map(|fault| format!("{fault}\n")).collect()
    }

    /// What a document may not hold is named where it stands.
    #[test]
    fn what_means_more_than_it_shows_is_refused_where_it_stands() {
        let bomb = format!(
            "a: &a [x]\n{}",
            ('b'..'j')
                .map(|c| format!("{c}: [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"))
                .collect::<String>()
        );
        let deep = format!("cycles: {}1{}", "[".repeat(9), "]".repeat(9));
        for (text, says) in [
            ("", "1:1: the document is empty"),
            ("# nothing\n", "the document is empty"),
            (bomb.as_str(), "1:4: anchors"),
            ("job: *a\n", "1:6: "),
            ("job: !!str j1\n", "tags"),
            ("<<: {job: j1}\n", "1:1: merge keys"),
            ("job: j1\njob: j1\n", "2:1: `job` stands twice; line 1 has it first"),
            ("job: j1\n---\njob: j1\n", "2:1: a second document"),
            (deep.as_str(), "lies too deep"),
            ("? [a]\n: b\n", "1:3: a key is one word"),
            ("job: [\n", "no YAML"),
            ("cycles:\n\t- cycle: 1\n", "2:"),
        ] {
            let told = told(text);
            assert!(told.contains(says), "{text:?}: {told}");
        }
    }

    #[test]
    fn each_fault_of_the_shape_has_its_line_its_column_and_the_known_names() {
        let row = |phases: &str| format!("cycles:\n  - cycle: 1\n    phases:\n      {phases}\n");
        for (text, says) in [
            (
                "- a\n".to_owned(),
                "1:1: a plan document is a table (job, job_name, plan_file, cycles), not a list",
            ),
            (
                "job: j2\ncycles: [{cycle: 1}]".to_owned(),
                "1:6: `job: j2` is not this one; here it is `j1`",
            ),
            (
                "plan_file: p.yaml\ncycles: [{cycle: 1}]".to_owned(),
                "1:12: `plan_file: p.yaml` is not",
            ),
            ("job: j1\n".to_owned(), "1:1: the document has no `cycles`"),
            (
                "cycle: []\n".to_owned(),
                "1:1: a plan document has no key `cycle`; did you mean `cycles`?",
            ),
            ("total_cycles: 3\n".to_owned(), "1:1: `total_cycles` is not said here"),
            ("cycles: []\n".to_owned(), "1:1: `cycles` is a list with a row for each cycle"),
            ("cycles: 3\n".to_owned(), "1:1: `cycles` is a list"),
            ("cycles: [{cycle: 2}]\n".to_owned(), "1:18: `cycle: 2` is none of 1 to 1"),
            ("cycles: [{cycle: \"1\"}]\n".to_owned(), "is none of 1 to 1"),
            ("cycles: [{cycle: -1}]\n".to_owned(), "is none of 1 to 1"),
            ("cycles: [{cycle: 1.5}]\n".to_owned(), "is none of 1 to 1"),
            ("cycles: [{phases: {}}]\n".to_owned(), "has no `cycle: <n>`"),
            (
                "cycles:\n- cycle: 1\n- cycle: 1\n".to_owned(),
                "3:3: cycle 1 stands twice; line 2 has it first",
            ),
            (
                row("obsrve: {}"),
                "4:7: `phases` has no key `obsrve`; did you mean `observe`?; known: observe, plan",
            ),
            (
                row("observe: {entri: x}"),
                "has no key `entri`; did you mean `entry`?; known: entry, stop, page",
            ),
            (row("observe: {entry: }"), "`entry` wants words"),
            (row("observe: {entry: [x]}"), "not a list"),
            (row("observe: {entry: {mode: append}}"), "a mode here and no `text`"),
            (
                row("observe: {entry: {mode: add, text: x}}"),
                "`add` is no mode; known: append, prepend, replace",
            ),
            (row("observe: {entry: {text: x, mod: y}}"), "no key `mod`; did you mean `mode`?"),
            (
                row("observe: {page.section: {mode: replace, text: x}}"),
                "a refusal keeps its own words",
            ),
            (
                row("observe: {entry: 'of {{jbo}}'}"),
                "no variable `jbo`; did you mean `job`?; known: job, cycle",
            ),
        ] {
            let told = told(&text);
            assert!(told.contains(says), "{text}\nlacks {says}\n{told}");
        }
    }

    /// As much as a document may hold of one thing: refused, and at once.
    #[test]
    fn much_of_one_thing_takes_no_longer_than_reading_it() {
        let began = std::time::Instant::now();
        for unit in [
            "[", "{", "- ", "a: ", "? ", "&a ", "!a ", "*a ", "\"", "'", "#\n", "a\n", "- a\n",
            "[a,",
        ] {
            let text = unit.repeat(super::super::document::MOST_BYTES / unit.len());
            assert_eq!(read(&text).sound(), None, "{unit:?}");
        }
        let keys: String = (0..30_000).map(|n| format!("k{n}:\n")).collect();
        assert!(told(&keys).contains("1001:1: this is one too many"));
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    #[test]
    fn variables_are_filled_once_and_only_those_that_are_known() {
        let value = |name: &str| (name == "job").then(|| "{{cycle}}".to_owned());
        assert_eq!(
            fill("a {{job}} b {{ job }} {{no}} {{", value),
            "a {{cycle}} b {{cycle}} {{no}} {{"
        );
    }

    proptest! {
        /// Whatever comes in, an answer comes out, and every fault has its place.
        #[test]
        fn any_text_is_read_or_refused(text in "([-a-z:{}\\[\\]&*!|>\"'#? ]|\n\
            |  ){0,120}|\\PC{0,60}") {
            let document = read(&text);
            prop_assert!(document.faults.iter().all(|fault| fault.line >= 1 && fault.column >= 1));
            prop_assert!(document.sound().is_none() || !text.is_empty());
        }

        /// A line that goes somewhere else spoils the document or leaves the total alone.
        #[test]
        fn a_document_with_a_line_changed_never_declares_more(line in 0_usize..17,
            new in "[ a-z0-9:{}*&-]{0,20}") {
            let mut lines: Vec<&str> = WHOLE.lines().collect();
            let at = line % lines.len();
            lines[at] = &new;
            let document = read(&(lines.join("\n") + "\n"));
            prop_assert!(document.sound().is_none_or(|total| total <= 3 ));
        }
    }
}
