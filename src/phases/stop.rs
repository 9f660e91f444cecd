//! The end of a turn: work that is open keeps it.

use super::{Phase, PhaseKind};
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// A job in focus, at the end of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The row where it stands.
    pub row: &'a Phase,
    /// Its name.
    pub job: &'a str,
    /// Only words were said so far.
    pub talk: bool,
    /// Its status leaves work to do.
    pub open: bool,
    /// It is completed, and its last cycle is open.
    pub closing: bool,
    /// The person was asked whether the job is complete, and looks at the work.
    pub looking: bool,
    /// The person's last prompt only asks something, or wants the work to rest.
    pub asked: bool,
    /// The person's last words, where they call the work off.
    pub called_off: Option<&'a str>,
    /// Why nobody is asked whether it is complete, where that is so.
    pub unasked: Option<&'a str>,
    /// A command that the agent started goes on in the background.
    pub running: bool,
    /// What `status` says comes next.
    pub next: &'a str,
    /// That says all there is to do: what the row says of its work may be done by now.
    pub whole: bool,
}

/// A turn ends where there is only talk, where the person asked something and no more, or wants the
/// work to rest, while they look at finished work, and between cycles of a job that is over.
///
/// # Errors
///
/// Refuses while a job is open in the middle of a cycle, or has to be closed.
pub fn may_end(turn: &Turn<'_>) -> Verdict {
    let at_rest = !turn.row.is_in_cycle() && turn.row.kind != PhaseKind::Side;
    if turn.talk || turn.asked || turn.looking || (at_rest && !turn.open && !turn.closing) {
        return Ok(());
    }
    let work = turn.row.work.as_str();
    // What comes next may be just that.
    let said = turn.whole || work == turn.next;
    let work = if said { String::new() } else { format!(": {work}") };
    let refusal = Refusal::new("stop", Wants::Work)
        .with("job", turn.job)
        .with("work", work)
        .with("next", turn.next);
    let refusal = turn.row.names.put_in(refusal);
    Err(if turn.closing {
        refusal.case(Case::Closing)
    } else if let Some(said) = turn.called_off {
        refusal.case(Case::CalledOff).with("said", said).with("phase", turn.row.name.as_str())
    } else if let Some(why) = turn.unasked.filter(|_| turn.row.kind == PhaseKind::Consolidation) {
        // Its row says to ask: the cycle closes without.
        refusal.case(Case::Unasked).with("phase", turn.row.name.as_str()).with("unasked", why)
    } else if turn.running {
        // It frees no turn, since it need never end. What comes next may have to wait for it.
        refusal.case(Case::Running).with("phase", turn.row.name.as_str())
    } else {
        refusal.in_row(turn.row.name.as_str())
    })
}

/// Clauses that end a job.
const ENDS: [&str; 22] = [
    "stop",
    "stop it",
    "stop that",
    "never mind",
    "nevermind",
    "forget it",
    "forget that",
    "forget about it",
    "forget about that",
    "cancel",
    "cancel it",
    "cancel that",
    "drop it",
    "drop that",
    "drop the job",
    "abort",
    "abort it",
    "leave it",
    "leave it as it is",
    "scrap it",
    "scrap that",
    "let's not do it",
];

/// Clauses that take back what was done.
const TAKES_BACK: [&str; 25] = [
    "undo it",
    "undo that",
    "undo this",
    "undo the change",
    "undo the changes",
    "undo everything",
    "revert it",
    "revert that",
    "revert this",
    "revert the change",
    "revert the changes",
    "revert everything",
    "roll it back",
    "put it back",
    "take it back",
    "take that back",
    "discard it",
    "discard that",
    "leave it as it was",
    "leave it like it was",
    "leave things as they were",
    "leave everything as it was",
    "it was fine as it was",
    "i changed my mind",
    "i've changed my mind",
];

/// They lead to one, follow it, or say thanks.
const BESIDE: [&str; 19] = [
    "please", "ok", "okay", "no", "nope", "actually", "oh", "well", "sorry", "just", "and", "so",
    "then", "now", "thanks", "thank", "you", "hmm", "wait",
];

/// Whether a person calls the work off with these words: one of their clauses says so, and nothing
/// besides. What takes back a change says it only where no other clause asks for something.
pub(crate) fn calls_off(said: &str) -> bool {
    let clauses = said.split([',', '.', ';', '!', ':', '\n', '–', '—']);
    let bare = |clause: &str| {
        let clause = clause.to_lowercase().replace('\u{2019}', "'");
        let mut words: Vec<&str> = clause.split_whitespace().collect();
        let lead = words.iter().take_while(|word| BESIDE.contains(word)).count();
        words.drain(..lead);
        let rest = words.iter().rev().take_while(|word| BESIDE.contains(word)).count();
        words.truncate(words.len() - rest);
        words.join(" ")
    };
    let clauses: Vec<String> = clauses.map(bare).filter(|clause| !clause.is_empty()).collect();
    let ends = |clause: &String| ENDS.contains(&&**clause);
    let takes_back = |clause: &String| TAKES_BACK.contains(&&**clause);
    clauses.iter().any(ends)
        || !clauses.is_empty() && clauses.iter().all(|clause| ends(clause) || takes_back(clause))
}

/// What keeps a turn where the job `id` rests in this worktree and waits.
pub fn waits(job: &str, id: &str) -> Refusal {
    Refusal::new("stop", Wants::Work).case(Case::Pending).with("job", job).with("id", id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{Map, OPEVC};

    #[test]
    fn only_talk_and_what_is_over_let_a_turn_end() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        for (phase, talk, open, closing, looking, alone, expected) in [
            ("talk", true, true, false, false, false, "yes"),
            ("idle", false, true, false, false, false, "idle"),
            ("idle", false, false, false, false, false, "yes"),
            ("execute", false, true, false, false, false, "execute"),
            ("execute", false, true, false, false, true, "execute"),
            ("condense", false, true, false, false, false, "condense"),
            ("condense", false, true, false, false, true, "unasked"),
            ("condense", false, true, false, true, true, "yes"),
            ("condense", false, false, true, false, true, "closing"),
            ("gmode", false, false, false, false, true, "gmode"),
        ] {
            let row = map.phase(&phase.into()).expect("a row of the map");
            let (job, next) = ("fix the lexer", "git seed status");
            let (asked, unasked) = (false, alone.then_some("nobody is asked"));
            let called_off = None;
            let whole = false;
            let turn = Turn {
                row,
                job,
                talk,
                open,
                closing,
                looking,
                asked,
                called_off,
                unasked,
                running: false,
                next,
                whole,
            };
            let said = may_end(&turn).map_or_else(
                |no| no.facts.get("case").unwrap_or_default().to_owned(),
                |()| "yes".to_owned(),
            );
            assert_eq!(said, expected, "{turn:?}");
            assert_eq!(may_end(&Turn { asked: true, ..turn }), Ok(()), "{turn:?}");
            // A command in the background frees no turn, and what matters more is told first.
            let runs = may_end(&Turn { running: true, ..turn });
            let told = runs.map_or_else(|no| no.facts.case().map(str::to_owned), |()| None);
            let running = || (said == phase).then(|| "running".to_owned());
            let none = || (said != "yes").then(|| said.clone());
            assert_eq!(told, running().or_else(none), "{turn:?}");
        }
    }

    #[test]
    fn work_is_called_off_by_words_that_say_nothing_else() {
        for (said, expected) in [
            ("stop, never mind, forget it", true),
            ("Never mind.", true),
            ("ok, cancel it, thanks", true),
            ("ok, never mind the tests, finish it", false),
            ("the cancel button stops too late", false),
            ("stop the server, then go on", false),
            ("No, undo that, I changed my mind. Leave it as it was.", true),
            ("please revert the changes", true),
            ("Actually, never mind", true),
            ("undo that, and use a list instead", false),
            ("undo the change in core.py", false),
            ("thanks!", false),
            ("", false),
        ] {
            assert_eq!(calls_off(said), expected, "{said}");
        }
    }

    #[test]
    fn what_comes_next_is_said_once() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let row = map.phase(&"execute".into()).expect("a row of the map");
        for (next, whole, work) in [
            ("git seed status", false, format!(": {}", row.work)),
            ("git seed status", true, String::new()),
            (&row.work, false, String::new()),
        ] {
            let turn = Turn {
                row,
                job: "fix the lexer",
                talk: false,
                open: true,
                closing: false,
                looking: false,
                asked: false,
                called_off: None,
                unasked: None,
                running: false,
                next,
                whole,
            };
            let refusal = may_end(&turn).expect_err("work is open");
            assert_eq!(refusal.facts.get("work"), Some(&*work), "{next}");
        }
    }
}
