//! Looks over all of memory at once: what leads nowhere, what stands twice, what nobody
//! would find, what has grown too long.
//!
//! Exact comparisons only; what is compared stands with each rule. Pure: files come in as
//! paths and texts, and whether a path exists is asked of the caller.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::footers::{Cover, Layout, heading, hiding_blocks, layout};
use super::knowledge::{self, Finding, Level, LintRule};
use super::notes::{Kinds, Note};
use super::pointers::{self, PointerKind};
use super::{heal, pages, words};

/// The least words of a paragraph that counts as one that stands twice.
const PARAGRAPH: usize = 12;
/// The most words before the colon of a line that says `key: value`.
const KEY_WORDS: usize = 4;

/// Words that a file may have before lint advises to move some; 0 for any number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// The page at the top of the work tree.
    pub root: usize,
    /// Any other page.
    pub page: usize,
    /// A plan document.
    pub plan: usize,
    /// A knowledge file, without its front matter.
    pub knowledge: usize,
}

/// A file of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub path: String,
    pub text: String,
}

/// Memory as it is looked over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory<'a> {
    /// By their paths, each once.
    pub files: &'a [File],
    /// File names of pages.
    pub pages: &'a [&'a str],
    /// In rank order.
    pub anchors: &'a [&'a str],
    pub kinds: &'a Kinds,
    pub budgets: Budgets,
}

/// One thing that lint found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Found {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub rule: LintRule,
    pub level: Level,
    pub detail: String,
    /// What mends it.
    pub fix: &'static str,
}

/// What a file is to lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Page,
    Knowledge,
    Index,
    Plan,
}

/// Says whether lint looks at the file at `path`.
pub(crate) fn is_memory(path: &str, pages: &[&str]) -> bool {
    what(path, pages).is_some()
}

fn what(path: &str, page_names: &[&str]) -> Option<What> {
    let name = pages::name_of(path);
    if pages::is_page(name, page_names) {
        return Some(What::Page);
    }
    if knowledge::is_knowledge(path) {
        return Some(What::Knowledge);
    }
    if path.starts_with(knowledge::HOME) && knowledge::is_index(path) {
        return Some(What::Index);
    }
    let of_job =
        path.strip_prefix(".claude/jobs/").is_some_and(|rest| rest.matches('/').count() == 1);
    (of_job && name.strip_suffix(".md").is_some()).then_some(What::Plan)
}

/// Everything that is to be said of `memory`, by file and line.
pub(crate) fn lint(memory: &Memory<'_>, exists: &mut dyn FnMut(&str) -> bool) -> Vec<Found> {
    let mut all =
        Lint { memory, found: Vec::new(), linked: BTreeSet::new(), names: BTreeMap::new() };
    let known = all.names_of_knowledge();
    let mut paragraphs = HashMap::new();
    let mut keys = HashMap::new();
    for file in memory.files {
        let Some(what) = what(&file.path, memory.pages) else { continue };
        let body = all.file(file, what, &known);
        all.pointers(file, what, &known, exists);
        if what != What::Plan {
            all.paragraphs(file, &body, &mut paragraphs);
            all.keys(file, &body, &mut keys);
        }
    }
    all.descriptions();
    all.orphans();
    all.found.sort_by(|a, b| {
        (&a.file, a.line, a.rule, &a.detail).cmp(&(&b.file, b.line, b.rule, &b.detail))
    });
    all.found
}

/// What a file says for good: not its front matter, not its footer.
#[derive(Clone, Copy, Debug, Default)]
struct Body<'a> {
    text: &'a str,
    /// Lines of the file above it.
    above: usize,
}

/// A place in memory.
type Place<'a> = (&'a str, usize);

struct Lint<'a> {
    memory: &'a Memory<'a>,
    found: Vec<Found>,
    /// Paths of knowledge files that another file leads to.
    linked: BTreeSet<String>,
    /// The first file of each knowledge name.
    names: BTreeMap<String, &'a str>,
}

impl<'a> Lint<'a> {
    fn say(&mut self, (file, line): Place<'_>, rule: LintRule, level: Level, detail: String) {
        self.found.push(Found { file: file.to_owned(), line, rule, level, detail, fix: fix(rule) });
    }

    /// The names that `[[name]]` may say. Two files of one name: nobody knows which is meant.
    fn names_of_knowledge(&mut self) -> BTreeSet<String> {
        for file in self.memory.files.iter().filter(|file| knowledge::is_knowledge(&file.path)) {
            let name = knowledge::name_of(&file.path);
            match self.names.get(&name) {
                Some(first) => {
                    let detail = format!("`{name}` is also the name of {first}");
                    self.say((&file.path, 1), LintRule::Twice, Level::Error, detail);
                }
                None => drop(self.names.insert(name, &file.path)),
            }
        }
        self.names.keys().cloned().collect()
    }

    /// What is to be said of a file by itself; gives its body.
    fn file(&mut self, file: &'a File, what: What, known: &BTreeSet<String>) -> Body<'a> {
        let File { path, text } = file;
        match what {
            What::Page => {
                let layout = layout(text, self.memory.anchors);
                self.anchors(file, &layout);
                self.notes(file, &layout);
                let root = pages::dir_of(path).is_empty();
                let most = if root { self.memory.budgets.root } else { self.memory.budgets.page };
                self.size(path, words::count(text), most);
                Body { text: layout.body(), above: 0 }
            }
            What::Knowledge => {
                for Finding { line, rule, level, detail } in knowledge::check(path, text, known) {
                    self.say((path, line), rule, level, detail);
                }
                self.size(path, knowledge::body_words(text), self.memory.budgets.knowledge);
                let body = knowledge::front(text).body;
                Body { text: body, above: text[..text.len() - body.len()].lines().count() }
            }
            What::Plan => {
                self.size(path, words::count(text), self.memory.budgets.plan);
                Body::default()
            }
            What::Index => Body::default(),
        }
    }

    fn anchors(&mut self, file: &File, layout: &Layout<'_>) {
        let missing = layout.missing();
        // Asking for the anchors is dear, and tells more only where some are hidden.
        let hidden = missing.iter().any(|rank| layout.hidden_by(*rank).is_some());
        let disorder = layout
            .disorder()
            .or_else(|| heal::heal(&file.text, self.memory.anchors).err().filter(|_| hidden));
        if let Some(disorder) = disorder {
            return self.say(
                (&file.path, disorder.line()),
                LintRule::Order,
                Level::Error,
                disorder.to_string(),
            );
        }
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(|rank| layout.name(*rank)).collect();
            let which = if layout.found().is_empty() {
                "it has no anchors".to_owned()
            } else {
                names.join(", ")
            };
            let detail =
                if layout.found().is_empty() { which } else { format!("it lacks {which}") };
            self.say((&file.path, 1), LintRule::Anchors, Level::Advice, detail);
        }
    }

    /// Notes in the body, where nobody looks for them, and ends that say nothing. Notes that
    /// code or HTML only shows are left alone in a body; a footer hides none.
    fn notes(&mut self, file: &File, layout: &Layout<'_>) {
        let (body, kinds) = (layout.body(), self.memory.kinds);
        let shown = if body.contains('[') { kinds.read(body) } else { Vec::new() };
        if !shown.is_empty() {
            let blocks = hiding_blocks(body);
            let mut blocks = Cover::new(&blocks);
            for note in shown.iter().filter(|note| blocks.over(note.range.start).is_none()) {
                let detail = format!("a note of kind {} stands above the anchors", note.kind);
                self.say((&file.path, note.line), LintRule::Notes, Level::Advice, detail);
            }
        }
        let ends = |note: &Note| {
            let said = &file.text[note.span.clone()];
            note.standing.is_live()
                && ["[RESOLVED:", "[CARRIED:"].iter().any(|end| said.starts_with(end))
        };
        for note in kinds.below(&file.text, layout).iter().filter(|note| ends(note)) {
            let detail =
                format!("this end of a {} says nothing that counts; the note is live", note.kind);
            self.say((&file.path, note.line), LintRule::Notes, Level::Error, detail);
        }
    }

    fn size(&mut self, path: &str, words: usize, most: usize) {
        if most > 0 && words > most {
            self.say(
                (path, 1),
                LintRule::Size,
                Level::Advice,
                format!("it has {words} words, {most} are plenty"),
            );
        }
    }

    /// Links, paths in code spans and `[[names]]` that lead nowhere.
    fn pointers(
        &mut self,
        file: &'a File,
        what: What,
        known: &BTreeSet<String>,
        exists: &mut dyn FnMut(&str) -> bool,
    ) {
        let File { path, text } = file;
        let front = match what {
            What::Knowledge => {
                let front = knowledge::front(text);
                let linked: Vec<&str> = front.linked.iter().map(|link| link.text).collect();
                for name in linked {
                    self.link(path, name);
                }
                text[..text.len() - front.body.len()].lines().count()
            }
            _ => 0,
        };
        for pointer in pointers::pointers(text) {
            let (at, target) = ((path.as_str(), pointer.line), pointer.target);
            match pointer.kind {
                // The list of the front matter was judged with it.
                PointerKind::Name if pointer.line <= front => {}
                PointerKind::Name if known.contains(target) => self.link(path, target),
                PointerKind::Name => {
                    self.say(
                        at,
                        LintRule::Name,
                        Level::Error,
                        format!("[[{target}]] is no knowledge file"),
                    );
                }
                PointerKind::Link => {
                    let Some(to) = pointers::resolve(path, target) else { continue };
                    if !exists(&to) {
                        self.say(
                            at,
                            LintRule::Link,
                            Level::Error,
                            format!("`{target}` is not there"),
                        );
                    } else if to != *path {
                        self.linked.insert(to);
                    }
                }
                PointerKind::Path => {
                    let places = pointers::candidates(path, target);
                    if !places.is_empty() && !places.iter().any(|place| exists(place)) {
                        self.say(
                            at,
                            LintRule::Path,
                            Level::Advice,
                            format!("`{target}` is not there"),
                        );
                    }
                }
            }
        }
    }

    fn link(&mut self, from: &str, name: &str) {
        if let Some(to) = self.names.get(name).filter(|to| **to != from) {
            self.linked.insert((*to).to_owned());
        }
    }

    /// The same words, white space folded, in two bodies: paragraphs of [`PARAGRAPH`] words
    /// or more, between blank lines or headings.
    fn paragraphs(
        &mut self,
        file: &'a File,
        body: &Body<'a>,
        seen: &mut HashMap<String, Place<'a>>,
    ) {
        for (line, paragraph) in paragraphs(body.text) {
            let folded = paragraph.join(" ");
            let at = (file.path.as_str(), body.above + line);
            match seen.get(&folded) {
                Some((first, _)) if *first == file.path => {}
                Some((first, line)) => {
                    self.say(
                        at,
                        LintRule::Paragraph,
                        Level::Advice,
                        format!("the same stands in {first}:{line}"),
                    );
                }
                None => drop(seen.insert(folded, at)),
            }
        }
    }

    /// Lines `key: value` with one key below the same headings, the top one included, in two
    /// bodies, that say different values.
    fn keys(
        &mut self,
        file: &'a File,
        body: &Body<'a>,
        seen: &mut HashMap<String, (String, Place<'a>)>,
    ) {
        let mut here = BTreeSet::new();
        for (line, trail, key, value) in key_lines(body.text) {
            let (place, value) = (format!("{trail}\n{key}"), folded(value));
            // A key that stands twice in one place is a list, and says nothing else.
            if !here.insert(place.clone()) {
                continue;
            }
            let at = (file.path.as_str(), body.above + line);
            match seen.get(&place) {
                Some((first, (path, number))) if *first != value => {
                    let detail = format!("`{key}` says something else in {path}:{number}");
                    self.say(at, LintRule::Contradiction, Level::Advice, detail);
                }
                Some(_) => {}
                None => drop(seen.insert(place, (value, at))),
            }
        }
    }

    /// Two knowledge files with one description and different bodies.
    fn descriptions(&mut self) {
        let mut seen: BTreeMap<String, (&str, String)> = BTreeMap::new();
        for file in self.memory.files.iter().filter(|file| knowledge::is_knowledge(&file.path)) {
            let front = knowledge::front(&file.text);
            let Some(description) = &front.description else { continue };
            let body = folded(front.body);
            match seen.get(description.text) {
                Some((first, other)) if *other != body => {
                    let detail = format!("{first} has the same description and another body");
                    self.say(
                        (&file.path, description.line),
                        LintRule::Contradiction,
                        Level::Advice,
                        detail,
                    );
                }
                Some(_) => {}
                None => drop(seen.insert(description.text.to_owned(), (&file.path, body))),
            }
        }
    }

    fn orphans(&mut self) {
        for file in self.memory.files.iter().filter(|file| knowledge::is_knowledge(&file.path)) {
            if !self.linked.contains(&file.path) {
                let detail =
                    format!("no index, page or knowledge file leads to it: {}", knowledge::INDEX);
                self.say((&file.path, 1), LintRule::Orphan, Level::Error, detail);
            }
        }
    }
}

/// What is wrong with a row of the repository's own sentences.
pub(crate) fn of_voice(file: &str, detail: String) -> Found {
    let (rule, level) = (LintRule::Voice, Level::Error);
    Found { file: file.to_owned(), line: 1, rule, level, detail, fix: fix(rule) }
}

/// What mends the findings of a rule.
fn fix(rule: LintRule) -> &'static str {
    match rule {
        LintRule::FrontMatter | LintRule::Body => "mend the file: man 7 git-seed-memory shows one",
        LintRule::Name => "name a knowledge file that is there, or take the brackets off",
        LintRule::Twice => "give one of the two another name, or make them one file",
        LintRule::Link | LintRule::Path => "point to where it lies now, or drop the pointer",
        LintRule::Paragraph => "keep it in one place and point there from the other",
        LintRule::Contradiction => "keep what is true in one place and point there from the other",
        LintRule::Orphan => "add its line to .claude/knowledge/INDEX.md",
        LintRule::Anchors => "nothing to do: they come when a job works on the page",
        LintRule::Order => "put each anchor on one line of its own, in their order",
        LintRule::Notes => {
            "move it below an anchor, or write its end as man 7 git-seed-memory shows"
        }
        LintRule::Voice => "word the row as man 7 git-seed-memory says, or delete it",
        LintRule::Size => {
            "move what lasts into a file of its own in .claude/knowledge, with a line in its \
             INDEX.md"
        }
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Paragraphs that are long enough, as their words, with the line where each begins.
fn paragraphs(body: &str) -> Vec<(usize, Vec<&str>)> {
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let mut first = 1;
    for (line, number) in body.lines().chain([""]).zip(1..) {
        let blank = line.trim().is_empty() || heading(line).is_some();
        if !blank {
            if words.is_empty() {
                first = number;
            }
            words.extend(line.split_whitespace());
        } else if !words.is_empty() {
            let paragraph = std::mem::take(&mut words);
            if paragraph.len() >= PARAGRAPH {
                found.push((first, paragraph));
            }
        }
    }
    found
}

/// Lines `key: value` outside code, with their headings.
fn key_lines(body: &str) -> Vec<(usize, String, &str, &str)> {
    let mut found = Vec::new();
    let mut trail: Vec<(usize, &str)> = Vec::new();
    let mut code = false;
    for (line, number) in body.lines().zip(1..) {
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            code = !code;
        }
        if code {
            continue;
        }
        if let Some((level, title)) = heading(line) {
            trail.retain(|(above, _)| *above < level);
            trail.push((level, title));
        } else if let Some((key, value)) = key_line(bare).filter(|_| !trail.is_empty()) {
            let titles: Vec<&str> = trail.iter().map(|(_, title)| *title).collect();
            found.push((number, titles.join("\n"), key, value));
        }
    }
    found
}

fn key_line(line: &str) -> Option<(&str, &str)> {
    let line =
        ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line);
    let (key, value) = line.split_once(": ")?;
    let key = key.trim_matches(['*', '`', '_', ' ']);
    let plain = key.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.'));
    let words = key.split_whitespace().count();
    (plain && (1..=KEY_WORDS).contains(&words) && !value.trim().is_empty())
        .then(|| (key, value.trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::samples::ANCHORS;

    fn kinds() -> Kinds {
        Kinds::shipped().expect("they read")
    }

    const BUDGETS: Budgets = Budgets { root: 60, page: 40, plan: 30, knowledge: 30 };
    const WHOLE: &str = "\n---Ob---\n---Pl---\n---Ex---\n---Ve---\n";
    const LONG: &str = "one two three four five six seven eight nine ten eleven twelve";

    fn knowledge(name: &str, description: &str, body: &str) -> (String, String) {
        let text = format!(
            "---\nname: {name}\ndescription: {description}\ntype: user\n---\n\n1\n2\n3\n4\n5\n\n\
             {body}\n"
        );
        (format!("{}{name}.md", knowledge::HOME), text)
    }

    /// What is found in pages with all anchors, and in other files as they are.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| (pages::name_of(path) == "CLAUDE.md", path, text))
            .map(|(page, path, text)| {
                let whole = if page && !text.contains("---Ob---") { WHOLE } else { "" };
                File { path: (*path).to_owned(), text: format!("{text}{whole}") }
            })
            .collect();
        let memory = Memory {
            files: &files,
            pages: &["CLAUDE.md"],
            anchors: &ANCHORS,
            kinds: &kinds(),
            budgets: BUDGETS,
        };
        let mut exists =
            |path: &str| path == "src/lex.rs" || files.iter().any(|file| file.path == path);
        let one =
            |one: Found| format!("{}:{} {} {}", one.file, one.line, one.rule.word(), one.detail);
        lint(&memory, &mut exists).into_iter().map(one).collect()
    }

    #[test]
    fn pointers_that_lead_nowhere_are_named() {
        let text =
            "# P\n\n[a](../src/lex.rs) [b](gone.md#x) `src/lex.rs:3` `src/gone.rs` [[gone]]\n";
        assert_eq!(
            found(&[("src/CLAUDE.md", text)]),
            [
                "src/CLAUDE.md:3 link `gone.md#x` is not there",
                "src/CLAUDE.md:3 name [[gone]] is no knowledge file",
                "src/CLAUDE.md:3 path `src/gone.rs` is not there",
            ]
        );
    }

    #[test]
    fn knowledge_that_nothing_leads_to_is_an_orphan() {
        let (path, text) = knowledge("lexers", "x", "");
        let orphan = [format!(
            "{path}:1 orphan no index, page or knowledge file leads to it: {}",
            knowledge::INDEX
        )];
        assert_eq!(found(&[(&path, &text)]), orphan);
        assert_eq!(
            found(&[(&path, &format!("{text}[[lexers]]"))]),
            orphan,
            "it does not lead to itself"
        );
        for (other, leads) in [
            (knowledge::INDEX, "- [lexers](lexers.md): x"),
            ("CLAUDE.md", "[[lexers]]"),
            ("src/CLAUDE.md", "[it](../.claude/knowledge/lexers.md)"),
        ] {
            assert_eq!(found(&[(&path, &text), (other, leads)]), Vec::<String>::new(), "{other}");
        }
        let (second, linked) = knowledge("quotes", "y\nlinked: [[[lexers]]]", "");
        let only: Vec<String> = found(&[(&path, &text), (&second, &linked)]);
        assert!(
            only.len() == 1 && only[0].starts_with(".claude/knowledge/quotes.md:1 orphan"),
            "{only:?}"
        );
    }

    #[test]
    fn what_stands_twice_is_named_with_both_places() {
        let shifted = LONG.replace(' ', "\n  ");
        let said = found(&[
            ("CLAUDE.md", &format!("# A\n\n{LONG}\n")),
            ("src/CLAUDE.md", &format!("# B\n{shifted}\n\n{LONG} more\n")),
        ]);
        assert_eq!(said, ["src/CLAUDE.md:2 paragraph the same stands in CLAUDE.md:3"]);
        let footer = format!("{LONG}\n---Ob---\n\n{LONG}\n---Pl---\n---Ex---\n---Ve---\n");
        assert_eq!(
            found(&[("CLAUDE.md", &footer), ("src/CLAUDE.md", "# x")]),
            Vec::<String>::new()
        );
        let (path, text) = knowledge("lexers", "x", "[[lexers]]");
        let said = found(&[
            (&path, &text),
            (".claude/knowledge/old/lexers.md", &text),
            ("CLAUDE.md", "[[lexers]] [x](.claude/knowledge/old/lexers.md)"),
        ]);
        assert_eq!(
            said,
            [".claude/knowledge/old/lexers.md:1 twice `lexers` is also the name of \
                 .claude/knowledge/lexers.md"]
        );
    }

    #[test]
    fn only_the_same_key_below_the_same_headings_can_contradict() {
        let one = "# Build\n\n## Tests\n\n- runner: cargo test\n- **edition**: 2024\n";
        // the other page, and whether it contradicts
        for (other, contradicts) in [
            ("# Build\n## Tests\nrunner: make test\n", true),
            ("# Build\n## Tests\n* `edition`: 2021\n", true),
            ("# Build\n## Tests\nrunner:  cargo  test\n", false),
            ("# Parser\n## Tests\nrunner: make test\n", false),
            ("# Build\nrunner: make test\n", false),
            ("# Build\n## Tests\n```\nrunner: make test\n```\n", false),
            ("runner: make test\n", false),
        ] {
            let said = found(&[("CLAUDE.md", one), ("src/CLAUDE.md", other)]);
            assert_eq!(
                said.iter().any(|one| one.contains("contradiction")),
                contradicts,
                "{other}: {said:?}"
            );
        }
        let (first, text) = knowledge("a", "the same", "x");
        let (second, other) = knowledge("b", "the same", "y");
        let said = found(&[(&first, &text), (&second, &other), ("CLAUDE.md", "[[a]] [[b]]")]);
        let expected =
            format!("{second}:3 contradiction {first} has the same description and another body");
        assert_eq!(said, [expected]);
    }

    #[test]
    fn notes_out_of_place_and_ends_that_say_nothing_are_named() {
        let body = "[KNOWLEDGE]{above}\n\n```\n[KNOWLEDGE]{shown}\n```\n";
        let footer = "[KNOWLEDGE]{live}\n[RESOLVED:KNOWLEDGE]{}\n- [CARRIED:DRAFT-TERM:1]{x}\n\
            [RESOLVED:KNOWLEDGE]{a.md}\n[CARRIED:KNOWLEDGE:2]{x}{y}\n[RESOLVED:OTHER]{}\n";
        let page = format!("{body}---Ob---\n{footer}---Pl---\n---Ex---\n---Ve---\n");
        assert_eq!(
            found(&[("CLAUDE.md", &page)]),
            [
                "CLAUDE.md:1 notes a note of kind KNOWLEDGE stands above the anchors",
                "CLAUDE.md:8 notes this end of a KNOWLEDGE says nothing that counts; the note is \
                 live",
                "CLAUDE.md:9 notes this end of a DRAFT-TERM says nothing that counts; the note is \
                 live",
            ]
        );
    }

    #[test]
    fn anchors_and_sizes_are_looked_at() {
        let long = "w ".repeat(70);
        for (path, text, expected) in [
            (
                "src/CLAUDE.md",
                "x\n---Ob---\n---Ex---\n",
                "src/CLAUDE.md:1 anchors it lacks ---Pl---, ---Ve---",
            ),
            ("src/CLAUDE.md", "---Pl---\n---Ob---\n", "src/CLAUDE.md:2 order `---Ob---`"),
            ("src/CLAUDE.md", "```\n---Ob---\n", "src/CLAUDE.md:1 order `---Ob---` has no place"),
            ("CLAUDE.md", &long, "CLAUDE.md:1 size it has 74 words, 60 are plenty"),
            (
                ".claude/jobs/x/plan.md",
                &long,
                ".claude/jobs/x/plan.md:1 size it has 70 words, 30 are plenty",
            ),
            (".claude/jobs/x/run-1/session-log-1.md", &long, ""),
        ] {
            let said = found(&[(path, text)]);
            let held = said.iter().any(|one| one.starts_with(expected))
                || (expected.is_empty() && said.is_empty());
            assert!(held, "{path}: {said:?}");
        }
        let none = lint(
            &Memory {
                files: &[File { path: "CLAUDE.md".into(), text: long }],
                pages: &["CLAUDE.md"],
                anchors: &ANCHORS,
                kinds: &kinds(),
                budgets: Budgets::default(),
            },
            &mut |_| true,
        );
        assert_eq!(none.len(), 1, "{none:?}");
        assert_eq!(
            (none[0].rule, none[0].level, none[0].detail.as_str()),
            (LintRule::Anchors, Level::Advice, "it has no anchors")
        );
    }

    #[test]
    fn rules_stand_in_the_order_of_their_words() {
        let all = [
            LintRule::Anchors,
            LintRule::Body,
            LintRule::Contradiction,
            LintRule::FrontMatter,
            LintRule::Link,
            LintRule::Name,
            LintRule::Notes,
            LintRule::Order,
            LintRule::Orphan,
            LintRule::Paragraph,
            LintRule::Path,
            LintRule::Size,
            LintRule::Twice,
        ];
        assert!(all.windows(2).all(|two| two[0] < two[1] && two[0].word() < two[1].word()));
        assert_eq!(serde_json::to_value(LintRule::FrontMatter).expect("a word"), "front-matter");
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_over(
            texts in proptest::collection::vec("\\PC{0,80}|(---Ob---\n|# a\n|k: v\n\
                |\\[\\[a\\]\\]|[`\n -]|\\]\\(b\\)|a b c d e f g h i j k l ){0,20}", 3),
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let paths = ["CLAUDE.md", ".claude/knowledge/a.md", ".claude/knowledge/b.md",
                "x/CLAUDE.md"];
            let texts = texts.into_iter().chain([String::from_utf8_lossy(&bytes).into_owned()]);
            let files: Vec<File> =
                paths.into_iter().zip(texts).map(|(path, text)| File { path: path.into(), text })
                    .collect();
            let memory = Memory { files: &files, pages: &["CLAUDE.md"], anchors: &ANCHORS,
                kinds: &kinds(), budgets: BUDGETS };
            let found = lint(&memory, &mut |_| false);
            prop_assert_eq!(&found, &lint(&memory, &mut |_| false));
            for one in found {
                let file = files.iter().find(|file| file.path == one.file).expect("one of them");
                prop_assert!((1..=file.text.lines().count().max(1)).contains(&one.line), "{:?}",
                    one);
                prop_assert!(!one.fix.is_empty());
            }
        }
    }
}
