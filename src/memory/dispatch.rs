//! Subagents that act on notes: which note a launch is for, and when a run may end.
//!
//! A subagent that consumes notes is given one live note word for word, and its run ends only when
//! that note has changed: one that did nothing cannot say that it is done. What a note says is
//! known by a mark that the caller takes of [`says`].

use std::collections::BTreeMap;

use super::notes::{Kinds, Note, NoteKind, Standing};
use crate::verdict::{Case, Refusal, Wants};

/// How often the end of one run is refused; after that the note's own gate is what holds.
const ENDS: u32 = 3;
/// The most letters of a note that are shown.
const SHOWN: usize = 120;

/// The note that a run is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The mark of what the note says.
    pub note: String,
    /// How many live notes say just that.
    pub times: u32,
}

/// A live note of the cycle's pages.
#[derive(Clone, Debug)]
pub struct Live<'a> {
    pub note: &'a Note,
    /// The mark of what it says.
    pub mark: String,
    /// How it stands on its page, from its bracket to its last brace; none where that does not
    /// read.
    pub text: Option<String>,
}

/// A subagent that is under way.
#[derive(Clone, Copy, Debug)]
pub struct UnderWay<'a> {
    pub agent: &'a str,
    /// The mark of the note that it is bound to, or nothing.
    pub note: &'a str,
    /// It was launched not long ago, and has not begun.
    pub waits: bool,
}

/// What a note says, however its line is laid out.
pub(crate) fn says(note: &Note) -> String {
    format!("{}\n{}\n{}\n{}", note.kind, note.content, note.extra.join("\n"), note.crumb)
}

fn times(live: &[Live<'_>], mark: &str) -> u32 {
    u32::try_from(live.iter().filter(|one| one.mark == mark).count()).unwrap_or(u32::MAX)
}

/// The note that a launch of `agent`, which consumes notes of `kind`, with `prompt` is for; none
/// where the prompt quotes one that has ended.
///
/// `ended` gives the texts of notes of that kind, whatever their end, on pages and in the session
/// log; it is asked only where no live one is left.
///
/// # Errors
///
/// The outer error is that of `ended`. The inner one refuses a launch that quotes no note, more
/// than one, one of another kind, or one that an agent works on; and a second launch of an agent
/// that waits.
pub fn bind<E>(
    (agent, prompt, kind): (&str, &str, &NoteKind),
    live: &[Live<'_>],
    flights: &[UnderWay<'_>],
    ended: impl FnOnce() -> Result<Vec<String>, E>,
) -> Result<Result<Option<Bound>, Refusal>, E> {
    let no = |case: Case| {
        let refusal = Refusal::new("dispatch", Wants::Delegation).case(case);
        Ok(Err(refusal.with("kind", kind.name.as_str()).with("agent", agent)))
    };
    let quoted = quoted(live, prompt);
    if quoted.is_empty() && !live.iter().any(|one| one.note.kind == kind.name) {
        // An end that was written by hand may be looked over by who would have written it;
        // absorbing takes it from its page, and the session log has it.
        return if quotes_one(ended()?, prompt) { Ok(Ok(None)) } else { no(Case::QuoteNone) };
    }
    let [one] = quoted.as_slice() else {
        return no(if quoted.is_empty() { Case::Quote } else { Case::QuoteOne });
    };
    if one.note.kind != kind.name {
        return no(Case::QuoteKind);
    }
    if flights.iter().any(|flight| flight.note == one.mark) {
        return no(Case::QuoteTaken);
    }
    if flights.iter().any(|flight| flight.agent == agent && flight.waits) {
        return no(Case::QuoteWaits);
    }
    Ok(Ok(Some(Bound { note: one.mark.clone(), times: times(live, &one.mark) })))
}

/// The notes whose text stands in `prompt`; of those that say the same in a row, the first.
fn quoted<'l, 'n>(live: &'l [Live<'n>], prompt: &str) -> Vec<&'l Live<'n>> {
    let text = |one: &Live<'_>| one.text.clone().unwrap_or_default();
    let stands =
        |one: &&Live<'_>| one.text.as_ref().is_some_and(|text| prompt.contains(text.as_str()));
    let found: Vec<&Live<'_>> = live.iter().filter(stands).collect();
    // A note that was handed back holds the text of the one it was.
    let whole = |one: &&&Live<'_>| {
        let own = text(one);
        !found.iter().any(|other| text(other).len() > own.len() && text(other).contains(&own))
    };
    let mut whole: Vec<&Live<'_>> = found.iter().filter(whole).copied().collect();
    whole.dedup_by(|one, other| one.text == other.text);
    whole
}

/// Whether `prompt` quotes one of these texts, or several that are alike.
fn quotes_one(mut texts: Vec<String>, prompt: &str) -> bool {
    texts.retain(|text| prompt.contains(text.as_str()));
    texts.sort_unstable();
    texts.dedup();
    texts.len() == 1
}

/// The note that a run is bound to, where as many live ones say the same as when it was launched.
pub(crate) fn unchanged<'l, 'n>(live: &'l [Live<'n>], bound: &Bound) -> Option<&'l Live<'n>> {
    let left = times(live, &bound.note) >= bound.times.max(1);
    live.iter().find(|one| one.mark == bound.note).filter(|_| left)
}

/// What comes of a subagent's wish to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It may.
    Free,
    /// It was kept often enough; it may, and the person is told.
    Untouched,
    /// It goes on: its note stands as it stood.
    Kept(Refusal),
}

/// Judges the end of a run whose note at `place` is `unchanged`, or that has none, and that was
/// `kept` so often already.
pub(crate) fn end(unchanged: Option<(&str, Option<&str>)>, kept: u32) -> End {
    match unchanged {
        None => End::Free,
        Some(_) if kept >= ENDS => End::Untouched,
        Some((place, text)) => {
            let shown: String = text.unwrap_or_default().chars().take(SHOWN).collect();
            End::Kept(
                Refusal::new("dispatch", Wants::Settled)
                    .case(Case::Untouched)
                    .with("where", place)
                    .with("note", shown),
            )
        }
    }
}

/// A note as condense found it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    pub kind: &'a str,
    pub content: &'a str,
    /// 0 for a live one.
    pub carries: u32,
}

/// A kind of note that was not given to the subagent that acts on it, and that subagent: as many
/// launches are wanted as there were notes of it, when condense began or now. Nobody is asked to
/// launch what the repository does not define.
pub(crate) fn unconsumed(
    kinds: &Kinds,
    notes: &[&Note],
    found: &[Found<'_>],
    launches: &BTreeMap<String, u32>,
    is_defined: impl Fn(&str) -> bool,
) -> Option<(String, String)> {
    // One that was carried before and waits again was acted on in its own cycle.
    let waits = |note: &Note| {
        let same = |one: &Found<'_>| {
            one.carries > 0 && one.kind == note.kind && one.content == note.content
        };
        note.standing == Standing::Carried && found.iter().any(same)
    };
    kinds.all().iter().find_map(|kind| {
        let consumer = kind.consumer.as_ref().filter(|name| is_defined(name))?;
        let then = found.iter().filter(|one| one.kind == kind.name && one.carries == 0).count();
        let now = notes.iter().filter(|note| note.kind == kind.name && !waits(note)).count();
        let done = launches.get(consumer).copied().unwrap_or(0);
        ((done as usize) < then.max(now)).then(|| (kind.name.clone(), consumer.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "knowledge-extractor";

    fn kinds() -> Kinds {
        Kinds::shipped().expect("the shipped rows are sound")
    }

    fn live<'a>(page: &str, notes: &'a [Note]) -> Vec<Live<'a>> {
        let one = |note: &'a Note| Live {
            note,
            mark: says(note),
            text: page.get(note.span.clone()).map(str::to_owned),
        };
        notes.iter().filter(|note| note.standing.is_live()).map(one).collect()
    }

    fn bound(page: &str, prompt: &str, flights: &[UnderWay<'_>], ended: &[&str]) -> String {
        let kinds = kinds();
        let notes = kinds.read(page);
        let kind = kinds.of_consumer(AGENT).expect("it consumes notes");
        let ended = || Ok::<_, ()>(ended.iter().map(|text| (*text).to_owned()).collect());
        match bind((AGENT, prompt, kind), &live(page, &notes), flights, ended).expect("it reads") {
            Ok(Some(bound)) => format!("bound {}", bound.times),
            Ok(None) => "free".to_owned(),
            Err(no) => no.facts.get("case").unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn a_launch_is_for_one_live_note_word_for_word() {
        let two = "[KNOWLEDGE]{the lexer keeps spans}\n[KNOWLEDGE]{tests are slow}\n";
        let twice = "[KNOWLEDGE]{tests are slow}\n[KNOWLEDGE]{tests are slow}\n";
        let other = "[PENDING-JOB]{split the parser}\n[KNOWLEDGE]{tests are slow}\n";
        let slow = "Act on [KNOWLEDGE]{tests are slow} now.";
        let mark = says(&kinds().read("[KNOWLEDGE]{tests are slow}")[0]);
        let taken = [UnderWay { agent: "x", note: &mark, waits: false }];
        let waits = [UnderWay { agent: AGENT, note: "another", waits: true }];
        let began = [UnderWay { agent: AGENT, note: "another", waits: false }];
        for (page, prompt, flights, ended, expected) in [
            (two, slow, &[][..], &[][..], "bound 1"),
            (twice, slow, &[], &[], "bound 2"),
            (two, "Act on what is slow.", &[], &[], "quote"),
            (two, two, &[], &[], "quote-one"),
            (other, "Act on [PENDING-JOB]{split the parser}.", &[], &[], "quote-kind"),
            (two, slow, &taken, &[], "quote-taken"),
            (two, slow, &waits, &[], "quote-waits"),
            (two, slow, &began, &[], "bound 1"),
            ("", slow, &[], &[], "quote-none"),
            ("", slow, &[], &["[KNOWLEDGE]{tests are slow}"], "free"),
            (
                "",
                slow,
                &[],
                &["[KNOWLEDGE]{tests are slow}", "[KNOWLEDGE]{tests are slow}"],
                "free",
            ),
            ("", slow, &[], &["[KNOWLEDGE]{gone}"], "quote-none"),
        ] {
            assert_eq!(bound(page, prompt, flights, ended), expected, "{page} {prompt}");
        }
    }

    #[test]
    fn a_run_ends_when_its_note_has_changed() {
        let page = "[KNOWLEDGE]{a}\n[KNOWLEDGE]{a}\n";
        let kinds = kinds();
        let notes = kinds.read(page);
        let live = live(page, &notes);
        let bound = |times| Bound { note: live[0].mark.clone(), times };
        assert!(unchanged(&live, &bound(2)).is_some());
        assert!(
            unchanged(&live[..1], &bound(2)).is_none(),
            "one of two that said the same has changed"
        );
        assert!(unchanged(&live[..1], &bound(0)).is_some());
        assert!(unchanged(&[], &bound(1)).is_none());
        let stands = Some(("CLAUDE.md:9", Some("[KNOWLEDGE]{a}")));
        assert_eq!(end(None, 9), End::Free);
        assert_eq!(end(stands, 3), End::Untouched);
        let End::Kept(refusal) = end(stands, 2) else { panic!("it goes on") };
        assert_eq!(refusal.facts.get("note"), Some("[KNOWLEDGE]{a}"));
    }

    #[test]
    fn as_many_launches_are_wanted_as_there_were_notes() {
        let kinds = kinds();
        let live = Found { kind: "KNOWLEDGE", content: "a", carries: 0 };
        let carried = Found { carries: 2, ..live };
        let waiting = kinds.read("[CARRIED:KNOWLEDGE:3]{a}{not yet}");
        let fresh = kinds.read("[KNOWLEDGE]{a}\n[KNOWLEDGE]{b}");
        for (notes, found, done, defined, wanted) in [
            (&fresh, &[][..], 1, true, true),
            (&fresh, &[], 2, true, false),
            (&fresh, &[], 0, false, false),
            (&waiting, &[live], 0, true, true),
            (&waiting, &[carried], 0, true, false),
        ] {
            let notes: Vec<&Note> = notes.iter().collect();
            let launches = BTreeMap::from([(AGENT.to_owned(), done)]);
            let lacks =
                unconsumed(&kinds, &notes, found, &launches, |name| defined && name == AGENT);
            assert_eq!(lacks.is_some(), wanted, "{notes:?} {found:?} {done}");
        }
    }
}
