//! Subagents that act on notes. Each is given one live note word for word, and its run ends
//! only when that note has changed: one that did nothing cannot say that it is done.

use super::pages::Marked;
use super::{Focused, Result, Seed, pacing};
use crate::event::Event;
use crate::format::journal::{Flight, What};
use crate::format::short_hash;
use crate::hosts::Answer;
use crate::memory::notes::{Kind, Note, Standing};
use crate::rules::Consumption;
use crate::verdict::{Refusal, Wants};
use crate::{hosts, voice};

/// How often the end of one run is refused; after that the note's own gate is what holds.
const ENDS: u32 = 3;
/// The most letters of a note that are shown.
const SHOWN: usize = 120;

/// The note that a run is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// What the note says, as a hash.
    pub note: String,
    /// How many live notes say just that.
    pub times: u32,
}

impl Seed {
    /// The note that a launch of `agent` with `prompt` is for; `None` where the subagent is
    /// no consumer of notes, or the phase settles none.
    pub(super) fn dispatch(
        &self,
        focused: &Focused,
        agent: &str,
        prompt: &str,
    ) -> Result<std::result::Result<Option<Bound>, Refusal>> {
        let kinds = self.kinds(&focused.state);
        let Some(kind) = kinds.of_consumer(agent).filter(|_| self.row(Some(focused)).measures) else {
            return Ok(Ok(None));
        };
        let no = |case: &str| {
            let refusal = Refusal::new("dispatch", Wants::Delegation).with("case", case);
            Ok(Err(refusal.with("kind", kind.name.as_str()).with("agent", agent)))
        };
        let notes = self.notes(focused)?;
        let live: Vec<&Marked> = notes.iter().filter(|one| one.note.standing.is_live()).collect();
        let pages = self.texts_of(&live);
        let quoted: Vec<&(&Marked, String)> =
            pages.iter().filter(|(_, text)| prompt.contains(text.as_str())).collect();
        // A note that was handed back holds the text of the one it was.
        let whole = |one: &&&(&Marked, String)| {
            !quoted.iter().any(|other| other.1.len() > one.1.len() && other.1.contains(one.1.as_str()))
        };
        let mut texts: Vec<&(&Marked, String)> = quoted.iter().filter(whole).copied().collect();
        texts.dedup_by(|one, other| one.1 == other.1);
        if texts.is_empty() && !live.iter().any(|one| one.note.kind == kind.name) {
            // An end that was written by hand may be looked over by who would have written it;
            // absorbing takes it from its page, and the session log has it.
            return if self.quotes_an_end(focused, &notes, kind, prompt)? {
                Ok(Ok(None))
            } else {
                no("quote-none")
            };
        }
        let [(marked, _)] = texts.as_slice() else {
            return no(if texts.is_empty() { "quote" } else { "quote-one" });
        };
        if marked.note.kind != kind.name {
            return no("quote-kind");
        }
        let bound = Bound { note: said(&marked.note), times: times(&live, &said(&marked.note)) };
        let flights = focused.since.as_ref().map(|counts| counts.flights.as_slice()).unwrap_or_default();
        if flights.iter().any(|flight| flight.note == bound.note) {
            return no("quote-taken");
        }
        let waits = |flight: &&Flight| flight.agent == agent && flight.id.is_empty() && self.is_up(flight);
        if flights.iter().any(|flight| waits(&flight)) {
            return no("quote-waits");
        }
        Ok(Ok(Some(bound)))
    }

    /// Whether `prompt` quotes the end of one note of `kind`, or of several that ended alike.
    fn quotes_an_end(&self, focused: &Focused, notes: &[Marked], kind: &Kind, prompt: &str) -> Result<bool> {
        let on_pages: Vec<&Marked> = notes.iter().filter(|one| one.note.kind == kind.name).collect();
        let mut texts: Vec<String> = self.texts_of(&on_pages).into_iter().map(|(_, text)| text).collect();
        let kinds = self.kinds(&focused.state);
        for footer in self.session_log(focused)?.iter().flatten() {
            let ended = kinds.read(&footer.text).into_iter().filter(|note| note.kind == kind.name);
            texts.extend(ended.filter_map(|note| Some(footer.text.get(note.span)?.to_owned())));
        }
        texts.retain(|text| prompt.contains(text.as_str()));
        texts.sort_unstable();
        texts.dedup();
        Ok(texts.len() == 1)
    }

    /// Each note as it stands on its page, from its bracket to its last brace.
    fn texts_of<'m>(&self, notes: &[&'m Marked]) -> Vec<(&'m Marked, String)> {
        let text = |one: &&'m Marked| {
            let page = super::paths::text_of(self.store.work_tree().join(&one.page)).ok()?;
            Some((*one, page.get(one.note.span.clone())?.to_owned()))
        };
        notes.iter().filter_map(text).collect()
    }

    /// A subagent wants to end. One that was given a note goes on while the note stands as it
    /// stood.
    pub(super) fn subagent_ends(&self, event: &Event, id: &str, agent: &str) -> Result<Answer> {
        let Some(focused) = self.focused()? else { return Ok(Answer::silence()) };
        let flights = focused.since.as_ref().map(|counts| counts.flights.clone()).unwrap_or_default();
        let bound =
            flights.iter().find(|flight| pacing::is_run(flight, id, agent) && !flight.note.is_empty());
        let stands = match bound {
            Some(flight) if self.row(Some(&focused)).measures => self.stands_unchanged(&focused, flight)?,
            _ => None,
        };
        let Some((marked, kept)) = stands.zip(bound.map(|flight| flight.kept)) else {
            self.note(Some(&focused), |line| {
                line.what = What::Launched;
                pacing::ended(&mut line.counts, id);
            })?;
            return Ok(Answer::silence());
        };
        let place = marked.place();
        if kept >= ENDS {
            self.note(Some(&focused), |line| {
                line.what = What::Launched;
                pacing::ended(&mut line.counts, id);
            })?;
            let text =
                format!("git seed: {agent} ended without touching its note at {place}; it is still live.");
            return Ok(Answer::to_person(text));
        }
        self.note(Some(&focused), |line| {
            line.what = What::Kept;
            line.session.clone_from(&event.session);
            for flight in &mut line.counts.flights {
                flight.kept += u32::from(pacing::is_run(flight, id, agent) && !flight.note.is_empty());
            }
        })?;
        let shown: String =
            self.texts_of(&[&marked]).first().map(|(_, text)| text.clone()).unwrap_or_default();
        let shown: String = shown.chars().take(SHOWN).collect();
        let refusal = Refusal::new("dispatch", Wants::Settled)
            .with("case", "untouched")
            .with("where", place)
            .with("note", shown);
        Ok(Answer::refuse(voice::say(&refusal, self.row(Some(&focused)).name.as_str()).text()))
    }

    /// The note of `flight` where as many live ones say the same as when it was launched.
    fn stands_unchanged(&self, focused: &Focused, flight: &Flight) -> Result<Option<Marked>> {
        let notes = self.notes(focused)?;
        let live: Vec<&Marked> = notes.iter().filter(|one| one.note.standing.is_live()).collect();
        let same = live.iter().find(|one| said(&one.note) == flight.note);
        let left = times(&live, &flight.note) >= flight.times.max(1);
        Ok(same.filter(|_| left).map(|one| (*one).clone()))
    }

    /// A kind whose notes were not given to the subagent that acts on them, and that subagent.
    pub(super) fn unconsumed(&self, focused: &Focused) -> Result<Option<(String, String)>> {
        if !self.row(Some(focused)).measures || !self.asks_launches(focused) {
            return Ok(None);
        }
        let (notes, seen) = (self.notes(focused)?, self.notes_at_entry(focused)?);
        let stay = self.stay(focused);
        let kinds = self.kinds(&focused.state);
        for kind in kinds.all() {
            let Some(consumer) = kind.consumer.as_ref().filter(|name| self.is_defined(name)) else {
                continue;
            };
            let found = seen.iter().filter(|one| one.kind == kind.name && one.carries == 0).count();
            // One that was carried before and waits again was acted on in its own cycle.
            let waits = |note: &Note| {
                note.standing == Standing::Carried
                    && seen
                        .iter()
                        .any(|one| one.carries > 0 && one.kind == note.kind && one.content == note.content)
            };
            let now = notes.iter().filter(|one| one.note.kind == kind.name && !waits(&one.note)).count();
            let launches = stay.launches.get(consumer).copied().unwrap_or(0);
            if (launches as usize) < found.max(now) {
                return Ok(Some((kind.name.clone(), consumer.clone())));
            }
        }
        Ok(None)
    }

    /// Whether launches have to show that notes were acted on; else their breadcrumbs do.
    fn asks_launches(&self, focused: &Focused) -> bool {
        let delegates = || hosts::row(&focused.state.driver.host).is_ok_and(hosts::Host::delegates);
        match self.rules.consumption {
            Consumption::Launch => true,
            Consumption::Breadcrumb => false,
            Consumption::Auto => delegates(),
        }
    }

    /// The repository defines this subagent. Nobody is asked to launch what is not there.
    fn is_defined(&self, agent: &str) -> bool {
        self.store.work_tree().join(format!(".claude/agents/{agent}.md")).is_file()
    }
}

/// What a note says, however its line is laid out.
fn said(note: &Note) -> String {
    let text = format!("{}\n{}\n{}\n{}", note.kind, note.content, note.extra.join("\n"), note.crumb);
    short_hash(text.as_bytes(), 16)
}

fn times(live: &[&Marked], note: &str) -> u32 {
    u32::try_from(live.iter().filter(|one| said(&one.note) == note).count()).unwrap_or(u32::MAX)
}
