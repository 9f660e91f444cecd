//! The lock on footers: what an edit would take from a page that is not archived yet.
//!
//! Words are counted as a multiset, so that moving them is free and putting others in
//! their place is not; what a session log holds may go. Notes are counted by kind: one
//! may change how it stands, but not vanish before the log shows how it ended, and a
//! carried one not even then, except by being resolved.

use super::archive::{self, Capture, Footer, Multiset};
use super::condense::points;
use super::footers::layout;
use super::notes::{self, Kinds, Note, Standing};
use crate::verdict::{Case, Refusal, Wants};

/// What would be lost, or is not held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its line in the page that has it, from 1.
    pub line: usize,
    /// The note's line, or the words of this line that have no other place.
    pub what: String,
    /// It is a note.
    pub note: bool,
}

/// The most words that a loss names.
const NAMED: usize = 8;

/// The footer of a page, as the lock sees it.
struct Said<'a> {
    /// The words that count, with their lines.
    words: Vec<(usize, &'a str)>,
    notes: Vec<(Note, &'a str)>,
}

impl<'a> Said<'a> {
    fn read(page: &'a str, anchors: &[&str], kinds: &Kinds) -> Self {
        let layout = layout(page, anchors);
        let notes = kinds.in_footer(page, anchors);
        let mut starts = notes.iter().map(|note| (note.range.start, note.span.clone())).peekable();
        let mut words = Vec::new();
        for anchor in layout.found() {
            let range = layout.range_below(anchor);
            let mut at = range.start;
            for (line, n) in page[range].split_inclusive('\n').zip(anchor.line + 1..) {
                while starts.next_if(|(start, _)| *start < at).is_some() {}
                // Before a note and behind it stands prose.
                let prose = match starts.peek() {
                    Some((start, span)) if *start == at => {
                        [notes::before(line, span.start - at), notes::behind(line, span.end - at)]
                    }
                    _ if points(line) => ["", ""],
                    _ => [line, ""],
                };
                let prose = prose.into_iter().flat_map(str::split_whitespace);
                words.extend(prose.map(|word| (n, word)));
                at += line.len();
            }
        }
        let notes = notes.into_iter().map(|note| {
            let line = page[note.range.clone()].trim();
            (note, line)
        });
        Self { words, notes: notes.collect() }
    }

    /// The lines of the resolved notes of `kind`.
    fn ends(&self, kind: &str) -> impl Iterator<Item = &'a str> {
        let ends = self
            .notes
            .iter()
            .filter(move |(note, _)| note.kind == kind && note.standing == Standing::Resolved);
        ends.map(|(_, line)| *line)
    }

    fn tally(&self) -> Multiset<'a> {
        archive::tally(self.words.iter().map(|(_, word)| *word))
    }
}

/// What the captures of a log hold of one page.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The captured footers, each below an anchor, so that it reads as it did.
    footers: Vec<String>,
}

impl Held {
    /// Reads what `captures` hold of `page`.
    pub(crate) fn of(captures: &[Capture], page: &str, anchors: &[&str]) -> Self {
        let own = captures.iter().flatten().filter(|footer| footer.page == page);
        Self { footers: own.map(|footer| as_page(footer, anchors)).collect() }
    }

    fn read<'a>(&'a self, anchors: &[&str], kinds: &Kinds) -> (Multiset<'a>, Multiset<'a>) {
        let (mut words, mut notes) = (Multiset::new(), Multiset::new());
        for footer in &self.footers {
            let said = Said::read(footer, anchors, kinds);
            most(&mut words, said.tally());
            most(&mut notes, archive::tally(said.notes.iter().map(|(_, line)| *line)));
        }
        (words, notes)
    }
}

/// A captured footer as a page without a body.
pub(crate) fn as_page(footer: &Footer, anchors: &[&str]) -> String {
    format!("{}\n{}", anchors.first().copied().unwrap_or_default(), footer.text)
}

fn most<'a>(all: &mut Multiset<'a>, more: Multiset<'a>) {
    for (piece, times) in more {
        let known = all.entry(piece).or_default();
        *known = times.max(*known);
    }
}

/// The first thing that the footers of `old` would lose for good if the page became `new`.
pub(crate) fn lost(
    old: &str,
    new: &str,
    anchors: &[&str],
    kinds: &Kinds,
    held: &Held,
) -> Option<Loss> {
    let (before, after) = (Said::read(old, anchors, kinds), Said::read(new, anchors, kinds));
    let (words, notes) = held.read(anchors, kinds);
    let note = lost_note(&before, &after, &notes, |_| 0);
    note.or_else(|| lost_words(&before, &after.tally(), &words))
}

/// The same for what a page said some time ago: a note may have ended, been archived, and
/// gone since then.
pub(crate) fn gone(
    old: &str,
    new: &str,
    anchors: &[&str],
    kinds: &Kinds,
    held: &Held,
) -> Option<Loss> {
    let (before, after) = (Said::read(old, anchors, kinds), Said::read(new, anchors, kinds));
    let (words, notes) = held.read(anchors, kinds);
    // A capture of `old` itself, taken afterwards, shows no way from it.
    let between = held.footers.iter().filter(|footer| *footer != old);
    let between: Vec<Said<'_>> = between.map(|footer| Said::read(footer, anchors, kinds)).collect();
    let ended = |kind: &str| {
        let mut then = &before;
        let mut ends = 0;
        for next in between.iter().chain([&after]) {
            ends += new_ends(then, next, kind);
            then = next;
        }
        ends.saturating_sub(new_ends(&before, &after, kind))
    };
    let note = lost_note(&before, &after, &notes, ended);
    note.or_else(|| lost_words(&before, &after.tally(), &words))
}

/// The first thing in the footers of `page` that the log does not hold.
pub(crate) fn unheld(page: &str, anchors: &[&str], kinds: &Kinds, held: &Held) -> Option<Loss> {
    let now = Said::read(page, anchors, kinds);
    let (words, mut notes) = held.read(anchors, kinds);
    let note = now.notes.iter().find(|(_, line)| !takes_one(&mut notes, line));
    let note =
        note.map(|(note, line)| Loss { line: note.line, what: (*line).to_owned(), note: true });
    note.or_else(|| lost_words(&now, &Multiset::new(), &words))
}

/// Says whether the footers of `page` hold anything that may go one day.
pub(crate) fn says_something(page: &str, anchors: &[&str], kinds: &Kinds) -> bool {
    let said = Said::read(page, anchors, kinds);
    !said.words.is_empty() || said.notes.iter().any(|(note, _)| note.standing != Standing::Carried)
}

fn takes_one(pieces: &mut Multiset<'_>, piece: &str) -> bool {
    match pieces.get_mut(piece) {
        Some(times) if *times > 0 => {
            *times -= 1;
            true
        }
        _ => false,
    }
}

/// How many notes of `kind` came to their end from `then` to `next`.
fn new_ends(then: &Said<'_>, next: &Said<'_>, kind: &str) -> usize {
    let mut known = archive::tally(then.ends(kind));
    next.ends(kind).filter(|line| !takes_one(&mut known, line)).count()
}

/// `ended` says how many notes of a kind ended and went where neither page shows it.
fn lost_note(
    before: &Said<'_>,
    after: &Said<'_>,
    archived: &Multiset<'_>,
    ended: impl Fn(&str) -> usize,
) -> Option<Loss> {
    let count = |said: &Said<'_>, kind: &str| {
        said.notes.iter().filter(|(note, _)| note.kind == kind).count()
    };
    // An end that the log holds may go, and speaks for no other note while it stays.
    let missing = |kind: &str| {
        let (mut free, mut still) = (archived.clone(), archive::tally(after.ends(kind)));
        let free = before.ends(kind).filter(|line| takes_one(&mut free, line));
        let (staying, going): (Vec<&str>, Vec<&str>) =
            free.partition(|line| takes_one(&mut still, line));
        let bound = count(before, kind) - staying.len() - going.len();
        count(after, kind) - staying.len() + ended(kind) < bound
    };
    let stands = archive::tally(after.notes.iter().map(|(_, line)| *line));
    for (note, line) in &before.notes {
        let loss = || Some(Loss { line: note.line, what: (*line).to_owned(), note: true });
        let free = note.standing == Standing::Resolved && archived.contains_key(line);
        if !free && !stands.contains_key(line) && missing(&note.kind) {
            return loss();
        }
        if note.standing == Standing::Carried
            && dropped_carried(before, after, &note.kind) > ended(&note.kind)
            && !goes_on(note, after)
        {
            return loss();
        }
    }
    None
}

/// A carried note stands on with its content, and was carried no fewer times.
fn goes_on(note: &Note, after: &Said<'_>) -> bool {
    after.notes.iter().any(|(new, _)| follows(note, new))
}

fn follows(old: &Note, new: &Note) -> bool {
    new.standing == Standing::Carried
        && new.kind == old.kind
        && new.content == old.content
        && new.carries >= old.carries
}

/// How many more carried notes of `kind` do not go on than were resolved.
fn dropped_carried(before: &Said<'_>, after: &Said<'_>, kind: &str) -> usize {
    let mut open: Vec<&Note> = after.notes.iter().map(|(note, _)| note).collect();
    let mut gone = 0_usize;
    for (note, _) in before
        .notes
        .iter()
        .filter(|(note, _)| note.kind == kind && note.standing == Standing::Carried)
    {
        match open.iter().position(|new| follows(note, new)) {
            Some(at) => drop(open.swap_remove(at)),
            None => gone += 1,
        }
    }
    gone.saturating_sub(new_ends(before, after, kind))
}

fn lost_words(before: &Said<'_>, after: &Multiset<'_>, archived: &Multiset<'_>) -> Option<Loss> {
    let times = |of: &Multiset<'_>, word: &str| of.get(word).copied().unwrap_or_default();
    let old = before.tally();
    // A word that the log holds as often as it stands may go altogether.
    let bound = |word: &str| times(&old, word).saturating_sub(times(archived, word));
    let is_lost = |word: &str| times(after, word) < bound(word);
    let (line, _) = *before.words.iter().find(|(_, word)| is_lost(word))?;
    let here = before.words.iter().filter(|(n, word)| *n == line && is_lost(word));
    let words: Vec<&str> = here.map(|(_, word)| *word).take(NAMED).collect();
    Some(Loss { line, what: words.join(" "), note: false })
}

/// What the session log does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unarchived {
    /// The log is not on disk as it was written.
    Log { path: String },
    /// A footer says what the log does not.
    Words { page: String, loss: Loss },
    /// A footer said it when condense began; now neither page nor log does. The fence can put
    /// back what the agent did to a page, and nothing that somebody else did.
    Gone { page: String, loss: Loss, by_fence: bool },
}

impl Unarchived {
    /// The refusal of a rule that asks for the archive.
    pub fn refusal(&self, by: &'static str) -> Refusal {
        let no = |case: Case| Refusal::new(by, Wants::Archive).case(case);
        match self {
            Self::Log { path } => no(Case::Log).with("path", path.as_str()),
            Self::Words { page, loss } => no(Case::Words)
                .with("path", page.as_str())
                .with("line", loss.line.to_string())
                .with("what", &*loss.what),
            Self::Gone { page, loss, by_fence } => {
                let case = match (by_fence, loss.note) {
                    (true, _) => Case::Gone,
                    (false, true) => Case::GoneNote,
                    (false, false) => Case::GoneWords,
                };
                no(case).with("path", page.as_str()).with("what", &*loss.what)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::condense::POINTER;
    use crate::memory::samples::{ANCHORS, page_like};

    fn kinds() -> Kinds {
        Kinds::shipped().expect("the shipped kinds read")
    }

    fn page(footer: &str) -> String {
        format!("# T\nbody\n---Ob---\n{footer}---Pl---\n")
    }

    #[test]
    fn what_the_log_does_not_show_is_said_by_its_case() {
        let loss = |note| Loss { line: 5, what: "the lexer".to_owned(), note };
        let page = || "src/CLAUDE.md".to_owned();
        let gone = |note, by_fence| Unarchived::Gone { page: page(), loss: loss(note), by_fence };
        for (unarchived, case, path, line, what) in [
            (Unarchived::Log { path: "log.md".to_owned() }, "log", "log.md", "", ""),
            (
                Unarchived::Words { page: page(), loss: loss(false) },
                "words",
                "src/CLAUDE.md",
                "5",
                "the lexer",
            ),
            (gone(false, true), "gone", "src/CLAUDE.md", "", "the lexer"),
            (gone(true, true), "gone", "src/CLAUDE.md", "", "the lexer"),
            (gone(true, false), "gone-note", "src/CLAUDE.md", "", "the lexer"),
            (gone(false, false), "gone-words", "src/CLAUDE.md", "", "the lexer"),
        ] {
            let no = unarchived.refusal("gate");
            assert_eq!((no.by, no.wants), ("gate", Wants::Archive), "{case}");
            for (fact, said) in [("case", case), ("path", path), ("line", line), ("what", what)] {
                assert_eq!(no.facts.get(fact).unwrap_or_default(), said, "{unarchived:?}: {fact}");
            }
        }
    }

    fn said(loss: Option<Loss>) -> Option<String> {
        loss.map(|loss| format!("{}: {}", loss.line, loss.what))
    }

    #[test]
    fn an_edit_loses_what_stands_nowhere_below_the_anchors_any_more() {
        let cases = [
            ("a b\n", "a b\n", None),
            ("a b\nc\n", "c\nnew\nb a\n", None),
            ("a b\n", "a\n", Some("4: b")),
            ("a a\n", "a\n", Some("4: a a")),
            ("long words here\n", "filler words of equal count\n", Some("4: long here")),
            ("a\n", "```\na\n```\n", None),
            ("[KNOWLEDGE]{x}\n", "", Some("4: [KNOWLEDGE]{x}")),
            ("[KNOWLEDGE]{x}\n", "[RESOLVED:KNOWLEDGE]{a.md}\n", None),
            ("[KNOWLEDGE]{x}\n", "- [CARRIED:KNOWLEDGE:1]{x}{later}\n", None),
            ("[KNOWLEDGE]{x}\n", "[RESOLVED:VOICE-UPDATE]{abc}\n", Some("4: [KNOWLEDGE]{x}")),
            ("w\n[RESOLVED:KNOWLEDGE]{a}\n", "w\n", Some("5: [RESOLVED:KNOWLEDGE]{a}")),
            ("[CARRIED:KNOWLEDGE:2]{x}{y}\n", "[CARRIED:KNOWLEDGE:3]{x}{z}\n", None),
            ("[CARRIED:KNOWLEDGE:2]{x}{y}\n", "[RESOLVED:KNOWLEDGE]{a}\n", None),
            (
                "[CARRIED:KNOWLEDGE:2]{x}{y}\n",
                "[CARRIED:KNOWLEDGE:1]{x}{y}\n",
                Some("4: [CARRIED:KNOWLEDGE:2]{x}{y}"),
            ),
            (
                "[CARRIED:KNOWLEDGE:2]{x}{y}\n",
                "[CARRIED:KNOWLEDGE:2]{w}{y}\n",
                Some("4: [CARRIED:KNOWLEDGE:2]{x}{y}"),
            ),
            ("[KNOWLEDGE]{x} word\n", "[RESOLVED:KNOWLEDGE]{a}\n", Some("4: word")),
            ("- `[KNOWLEDGE]{x}` word\n", "[RESOLVED:KNOWLEDGE]{a}\nword\n", None),
        ];
        for (old, new, loss) in cases {
            let found = said(lost(&page(old), &page(new), &ANCHORS, &kinds(), &Held::default()));
            assert_eq!(found.as_deref(), loss, "{old:?} -> {new:?}");
        }
        let pointed = page(&format!("{POINTER}\nx\n"));
        assert_eq!(lost(&pointed, &page("x\n"), &ANCHORS, &kinds(), &Held::default()), None);
        let unanchored = lost(&page("x\n"), "# T\nx\n", &ANCHORS, &kinds(), &Held::default());
        assert_eq!(said(unanchored).as_deref(), Some("4: x"), "the body is no footer");
    }

    #[test]
    fn a_note_that_came_to_rest_may_stand_in_the_log_alone() {
        let (live, rests) = ("[KNOWLEDGE]{x}\n", "[RESOLVED:KNOWLEDGE]{a}\n");
        let carried = "[CARRIED:KNOWLEDGE:2]{y}{z}\n";
        let both = format!("{live}{carried}");
        let twice = format!("{rests}{rests}");
        for (entry, log, now, loss) in [
            (live, rests, "", None),
            (live, rests, rests, None),
            (live, "", rests, None),
            (live, "", "", Some("4: [KNOWLEDGE]{x}")),
            (live, live, "", Some("4: [KNOWLEDGE]{x}")),
            (carried, rests, "", None),
            (carried, carried, "", Some("4: [CARRIED:KNOWLEDGE:2]{y}{z}")),
            (&both, &twice, "", None),
            (&both, rests, "", Some("4: [KNOWLEDGE]{x}")),
            (&both, rests, rests, Some("4: [KNOWLEDGE]{x}")),
            (&both, rests, carried, None),
        ] {
            let text = format!("{log}---Pl---\n");
            let captures = vec![vec![Footer { page: "CLAUDE.md".to_owned(), text }]];
            let held = Held::of(&captures, "CLAUDE.md", &ANCHORS);
            let found = said(gone(&page(entry), &page(now), &ANCHORS, &kinds(), &held));
            assert_eq!(found.as_deref(), loss, "{entry:?}, log {log:?}, now {now:?}");
        }
        // A second note may end in the place of the first, after the log was written.
        let captures = vec![vec![Footer { page: "CLAUDE.md".to_owned(), text: rests.to_owned() }]];
        let held = Held::of(&captures, "CLAUDE.md", &ANCHORS);
        assert_eq!(lost(&page(live), &page(rests), &ANCHORS, &kinds(), &held), None);
        assert_eq!(lost(&page(rests), &page(""), &ANCHORS, &kinds(), &held), None);
        assert!(
            lost(&page(&format!("{live}{rests}")), &page(rests), &ANCHORS, &kinds(), &held)
                .is_some()
        );
    }

    #[test]
    fn what_the_log_holds_may_go_and_what_came_later_may_not() {
        let footer_then = "one two\n[RESOLVED:KNOWLEDGE]{a}\n[CARRIED:KNOWLEDGE:1]{x}{y}\n";
        let text = format!("{footer_then}---Pl---\n");
        let captures = vec![vec![Footer { page: "CLAUDE.md".to_owned(), text }]];
        let held = Held::of(&captures, "CLAUDE.md", &ANCHORS);
        let now = page(&format!("{footer_then}three one\n"));
        let carried = "[CARRIED:KNOWLEDGE:1]{x}{y}\n";
        for (new, loss) in [
            (format!("{carried}three one\n"), None),
            (format!("{carried}three\n"), Some("4: one")),
            (format!("{carried}one\n"), Some("7: three")),
            ("three one\n".to_owned(), Some("6: [CARRIED:KNOWLEDGE:1]{x}{y}")),
        ] {
            let loss_now = said(lost(&now, &page(&new), &ANCHORS, &kinds(), &held));
            assert_eq!(loss_now.as_deref(), loss, "{new:?}");
        }
        assert_eq!(unheld(&page(footer_then), &ANCHORS, &kinds(), &held), None);
        assert_eq!(said(unheld(&now, &ANCHORS, &kinds(), &held)).as_deref(), Some("4: one"));
        let other = Held::of(&captures, "src/CLAUDE.md", &ANCHORS);
        assert_eq!(
            said(unheld(&page("one\n"), &ANCHORS, &kinds(), &other)).as_deref(),
            Some("4: one")
        );
    }

    #[test]
    fn a_note_that_ended_and_went_is_not_gone() {
        let log = |footers: &[&str]| -> Vec<Capture> {
            let capture = |text: &&str| {
                vec![Footer { page: "CLAUDE.md".to_owned(), text: format!("{text}---Pl---\n") }]
            };
            footers.iter().map(capture).collect()
        };
        let (a, b, f) = ("[KNOWLEDGE]{a}\n", "[KNOWLEDGE]{b}\n", "[RESOLVED:KNOWLEDGE]{f}\n");
        let waits = "[CARRIED:KNOWLEDGE:1]{x}{y}\n";
        let two = (a.to_owned() + b, f.repeat(2));
        let mixed = waits.to_owned() + a;
        for (entry, captures, now, loss) in [
            (a, &[f][..], f, None),
            (a, &[f], "", None),
            (a, &["w\n"], "", Some("4: [KNOWLEDGE]{a}")),
            (&two.0, &[&two.1], &two.1, None),
            (&two.0, &[&two.1], "", None),
            (&two.0, &[f], "", Some("4: [KNOWLEDGE]{a}")),
            // One ended, went, and then the other ended likewise.
            (&two.0, &[f, "w\n", f], "", None),
            (&two.0, &[f, f], "", Some("4: [KNOWLEDGE]{a}")),
            (waits, &[f], "", None),
            (&mixed, &[f], "", Some("4: [CARRIED:KNOWLEDGE:1]{x}{y}")),
        ] {
            let held = Held::of(&log(captures), "CLAUDE.md", &ANCHORS);
            let (entry, now) = (page(entry), page(now));
            let found = said(gone(&entry, &now, &ANCHORS, &kinds(), &held));
            assert_eq!(found.as_deref(), loss, "{entry:?} {captures:?} {now:?}");
            // An edit is no ending: what the log holds of other notes lets none go.
            if entry.contains("[KNOWLEDGE]") && !now.contains("RESOLVED") {
                assert!(
                    lost(&entry, &now, &ANCHORS, &kinds(), &held).is_some(),
                    "{entry:?} {now:?}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn a_page_holds_itself_and_its_capture_holds_it(page in page_like(), more in page_like()) {
            let kinds = kinds();
            let none = Held::default();
            prop_assert_eq!(lost(&page, &page, &ANCHORS, &kinds, &none), None);
            let here = layout(&page, &ANCHORS);
            let text = here.footer().to_owned();
            // A list that is open above the first anchor changes what a fence below it hides.
            let alone = layout(&text, &ANCHORS).found().len();
            let reads_alike = here.found().len().saturating_sub(1) == alone;
            let captures = vec![vec![Footer { page: "p".to_owned(), text }]];
            let held = Held::of(&captures, "p", &ANCHORS);
            if reads_alike && here.disorder().is_none() {
                prop_assert_eq!(unheld(&page, &ANCHORS, &kinds, &held), None);
            }
            let longer = format!("{page}\n{more}");
            if layout(&page, &ANCHORS).found() == layout(&longer, &ANCHORS).found() {
                prop_assert_eq!(lost(&page, &longer, &ANCHORS, &kinds, &none), None,
                    "adding is free");
            }
        }
    }
}
