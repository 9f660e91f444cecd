//! Last words that went back, where the host has let the turn end and ended with it.
//!
//! A host that cannot hold a turn sends the reason as a prompt of its own, which nobody waits for
//! where it runs without a screen. The first prompt of the session that goes on there says so once.

use crate::engine::repo::Repo;
use crate::event::{Actor, Event};
use crate::format::journal::{Linked, Refused, What};
use crate::hosts;
use crate::verdict::{Case, Refusal};
use crate::voice::{self, Notice, tell};

/// What the agent of `event`, a prompt, is told of it.
pub(crate) fn told(repo: &Repo, event: &Event) -> Option<String> {
    let lets_go = hosts::row(event.host).is_ok_and(hosts::Host::asks_again);
    if !lets_go || event.by != Actor::Main {
        return None;
    }
    // A session that does not read is one of which nothing is known.
    let began = repo.session(&event.session).ok().flatten()?.started;
    // What does not read tells of no words; `doctor` tells of it.
    let lines = repo.store.journal().all().unwrap_or_default();
    // As above, of one line.
    let read = lines.iter().rev().filter_map(|line| Some(Linked::read(line).ok()?.line));
    for line in read {
        match line.what {
            // While its process runs, the reason reaches the agent as a prompt.
            What::Kept if line.at < began => {
                let is_words = |said: &Refused| said.facts.case() == Some(Case::LastWords.word());
                let said = line.refusal.filter(is_words)?;
                let refusal = Refusal { by: "claims", wants: said.wants, facts: said.facts };
                let why = voice::say(&refusal, &said.phase).why;
                return Some(tell(Notice::WordsUnheard, &[("why", &why)]));
            }
            What::After if line.tool == "session" => {}
            What::After
            | What::Looked
            | What::Refused
            | What::Asked
            | What::Prompt
            | What::Kept => return None,
            _ => {}
        }
    }
    None
}
