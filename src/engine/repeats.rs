//! Storms: the same refusal again and again, with nothing accepted in between.
//!
//! The agent gets a worked example with each refusal from the fifth on, the person one
//! line per storm. The journal's running counts carry it: an accepted act calms it, and
//! so does a step, which begins the journal anew.

use crate::engine::quote::count_words;
use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Act, ToolCall};
use crate::format::journal::{Counts, Linked, Refused, What};
use crate::store::Tail;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::{shell, voice};

/// Refusals of one kind in a row that make a storm.
const STORM: u32 = 5;

/// What a refusal that is one of many brings with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RepeatedRefusal {
    /// A worked example for the agent.
    pub example: Option<String>,
    /// The person has not heard of it yet.
    pub is_news: bool,
}

/// Counts one more refusal, said in `phase`.
pub(crate) fn refused(counts: &mut Counts, refusal: &Refusal, phase: &str) -> RepeatedRefusal {
    let kind = format!("{} {}", refusal.by, refusal.wants.word());
    if counts.kind != kind {
        calm(counts);
        counts.kind = kind;
    }
    counts.repeats += 1;
    let example = (counts.repeats >= STORM).then(|| voice::example(refusal, phase)).flatten();
    counts.tell(example.as_deref().map(count_words).unwrap_or_default());
    RepeatedRefusal { example, is_news: false }
}

/// An act was accepted.
pub(crate) fn calm(counts: &mut Counts) {
    counts.repeats = 0;
    counts.kind.clear();
    counts.told = false;
}

/// True once per storm, for the one line to the person.
pub(crate) fn is_news(counts: &mut Counts) -> bool {
    let news = counts.repeats >= STORM && !counts.told;
    counts.told |= news;
    news
}

/// The line to the person.
pub(crate) fn line(refusal: &Refusal, phase: &str) -> String {
    let why = voice::say(refusal, phase).why;
    tell(Notice::Repeated, &[("why", &why)])
}

/// A command to git seed: its own refusal is noted while it runs, so that it ended is no
/// sign that it was accepted. One that was took a step.
pub(crate) fn speaks_to_seed(call: &ToolCall) -> bool {
    match &call.act {
        Act::Shell { command, .. } => shell::read(command).found.iter().any(|found| found.seed),
        _ => false,
    }
}

/// The line to the person about the newest refusal since the last step.
pub(crate) fn storm_line(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let since = repo.read_since(focused)?;
    let newest =
        since.lines.iter().rev().find_map(|linked| {
            linked.line.own_refusal().filter(|_| linked.line.what == What::Refused)
        });
    Ok(newest.map(|refused| {
        let refusal = Refusal { by: "guard", wants: refused.wants, facts: refused.facts.clone() };
        line(&refusal, &refused.phase)
    }))
}

/// Acts without a job leave no line, unless one is due to end a row of refusals.
pub(crate) fn calm_without_focus(repo: &Repo) -> Result<()> {
    // No row of refusals can be seen, so none is ended; the next line that is due says more.
    let Ok(Tail::Line(bytes)) = repo.store.journal().tail() else { return Ok(()) };
    if !Linked::read(&bytes)
        .is_ok_and(|last| last.line.base.is_empty() && last.line.counts.repeats > 0)
    {
        return Ok(());
    }
    record::journal_line::note(repo, None, |line| {
        line.what = What::Looked;
        calm(&mut line.counts);
    })
}

/// Keeps a refusal of a command for `why`. Gives an example where the same one came
/// again and again; the person hears of it at the next event.
pub(crate) fn remember_refusal(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    refusal: &Refusal,
) -> Result<Option<String>> {
    let phase = repo.row(focused).name.to_string();
    let words = count_words(&repo.say(focused, refusal, &phase));
    let mut storm = RepeatedRefusal::default();
    // What a person tries is none of what the agent cost.
    let is_persons = repo.is_person().is_ok();
    record::journal_line::note(repo, focused, |line| {
        line.what = What::Refused;
        line.refusal = Some(Refused::of(refusal, &phase));
        if !is_persons {
            line.counts.refusals += 1;
            line.counts.tell(words);
            storm = refused(&mut line.counts, refusal, &phase);
        }
    })?;
    Ok(storm.example)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Case, Wants};

    #[test]
    fn the_fifth_of_a_kind_brings_an_example_and_one_line_to_the_person() {
        let mut counts = Counts::default();
        let place = Refusal::new("place", Wants::Notes).case(Case::File).with("path", "a.rs");
        let gate = Refusal::new("message", Wants::Message);
        let mut heard = |refusal: &Refusal| {
            let storm = refused(&mut counts, refusal, "observe");
            (storm.example.is_some(), is_news(&mut counts))
        };
        for _ in 0..4 {
            assert_eq!(heard(&place), (false, false));
        }
        assert_eq!(heard(&place), (true, true));
        assert_eq!(heard(&place), (true, false), "the person hears once");
        assert_eq!(heard(&gate), (false, false), "another kind begins anew");
        assert_eq!(heard(&place), (false, false));
        for _ in 0..3 {
            heard(&place);
        }
        calm(&mut counts);
        assert_eq!((counts.repeats, counts.kind.as_str(), counts.told), (0, "", false));
    }
}
