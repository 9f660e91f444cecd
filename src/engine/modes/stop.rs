//! The turn wants to end, where no job is kept: only its last words are judged.

use crate::claims::hooks::Spoken;
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::{Repo, Result};
use crate::engine::{judge, record};
use crate::event::{Actor, Event};
use crate::format::journal::Refused;
use crate::format::watched::{Happened, Watched};
use crate::hosts::Answer;
use crate::rules::ClaimMode;
use crate::verdict::Refusal;
use crate::voice::{self, Notice, tell};

pub(crate) fn stop(repo: &Repo, event: &Event, waiting: u32) -> Result<Answer> {
    let said = event.said.as_deref().unwrap_or_default().trim();
    let is_on = matches!(repo.rules.claims, ClaimMode::Judge | ClaimMode::Enforce);
    if waiting > 0 || !is_on || event.by != Actor::Main || said.is_empty() {
        return Ok(Answer::silence());
    }
    let judged = judge::words::rule_on_session(repo, &event.session, said)?;
    let watches = repo.rules.mode < crate::jobs::mode::Mode::Fence;
    if !judged.sends_back() {
        let told = judged.points().filter(|_| !watches);
        let told = told.map(|points| tell(Notice::JudgedOpen, &[("points", &points)]));
        return Ok(told.map_or_else(Answer::silence, Answer::to_person));
    }
    let refusal = judged.refusal(Spoken::Last);
    // Once a turn: the second time they pass, and the person is told what nothing shows.
    if was_sent_back(&record::watched::all(repo)?, &event.session, &refusal) {
        let fact = |key: &str| refusal.facts.get(key).unwrap_or_default();
        let facts = [("said", fact("said")), ("why", fact("why"))];
        let told = || Answer::to_person(tell(Notice::JudgedTold, &facts));
        return Ok(if watches { Answer::silence() } else { told() });
    }
    let text = voice::say(&refusal, "fence").text();
    record::watched::keep(repo, Happened::Words, |line| {
        line.session.clone_from(&event.session);
        line.call = text_hash(&text);
        line.refusal = Some(Refused::of(&refusal, "fence"));
    })?;
    Ok(Answer::refuse(text))
}

/// The turn, which began with the session's last prompt, was sent back for such words already.
fn was_sent_back(lines: &[Watched], session: &str, refusal: &Refusal) -> bool {
    let own = lines.iter().rev().filter(|line| line.session == session);
    let turn = own.take_while(|line| line.what != Happened::Prompt);
    turn.filter(|line| line.what == Happened::Words)
        .filter_map(|line| line.refusal.as_ref())
        .any(|known| known.by == refusal.by && known.facts.case() == refusal.facts.case())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Case, Wants};

    #[test]
    fn words_go_back_once_a_turn_and_each_session_has_turns_of_its_own() {
        let no = |case: Case| Refusal::new("claims", Wants::Claim).case(case);
        let (own, other) = (no(Case::LastWords), no(Case::Push));
        let line = |what, session: &str, refusal: Option<&Refusal>| Watched {
            what,
            session: session.to_owned(),
            refusal: refusal.map(|refusal| Refused::of(refusal, "fence")),
            ..Watched::default()
        };
        let words = line(Happened::Words, "a", Some(&own));
        let (prompt, tests) = (line(Happened::Prompt, "a", None), line(Happened::Tests, "a", None));
        for (lines, sent_back) in [
            (vec![], false),
            (vec![words.clone()], true),
            (vec![words.clone(), tests], true),
            (vec![words.clone(), prompt.clone()], false),
            (vec![words.clone(), line(Happened::Prompt, "b", None)], true),
            (vec![line(Happened::Words, "b", Some(&own))], false),
            (vec![line(Happened::Words, "a", Some(&other))], false),
            (vec![prompt, line(Happened::Refused, "a", Some(&own))], false),
        ] {
            assert_eq!(was_sent_back(&lines, "a", &own), sent_back, "{lines:?}");
        }
    }
}
