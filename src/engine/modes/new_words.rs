//! Of a host that hands over all words since the prompt at each stop: those that are new. What was
//! said before a stop that was refused was judged there, and stands at the head of the next ones.

use crate::engine::record;
use crate::engine::repo::Repo;
use crate::engine::said_file::JudgedWords;
use crate::event::{Actor, Event, EventKind};
use crate::format::short_hash;
use crate::hosts::{Answer, Host};

/// Digits of a mark.
const MARK: usize = 16;

/// `event` with the new words alone; none where all of them are new.
pub(super) fn of(repo: &Repo, host: &Host, event: &Event) -> Option<Event> {
    let (between, said) = (host.joins_words()?, whole(event)?);
    // What does not read knows of no words: all of them are judged.
    let judged = record::said::of(repo, &event.session).ok()?.judged?;
    let new = behind(said, &judged, between)?.to_owned();
    Some(Event { said: Some(new), ..event.clone() })
}

/// Keeps which words a refused stop judged, until the next prompt; `event` has all of them.
pub(super) fn keep(repo: &Repo, host: &Host, event: &Event, answer: &Answer) {
    if host.joins_words().is_none() {
        return;
    }
    // What cannot be kept is judged once more with what is said next.
    let _ = match &event.kind {
        EventKind::Prompt { text, .. } if !host.echoes(text) => put(repo, event, None),
        EventKind::SessionEnd { .. } => put(repo, event, None),
        EventKind::Stop { .. } if answer.refuse.is_some() => match whole(event) {
            // Nobody else's stop says what this session was heard to say.
            Some(said) if repo.is_own_session(event).unwrap_or(false) => {
                put(repo, event, Some(mark(said)))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    };
}

/// All that the host hands over at the end of a turn of the session itself.
fn whole(event: &Event) -> Option<&str> {
    let ends = matches!(event.kind, EventKind::Stop { .. }) && event.by == Actor::Main;
    event.said.as_deref().filter(|said| ends && !said.trim().is_empty())
}

fn put(repo: &Repo, event: &Event, judged: Option<JudgedWords>) -> crate::engine::repo::Result<()> {
    if record::said::of(repo, &event.session)?.judged == judged {
        return Ok(());
    }
    record::said::change(repo, &event.session, |said| said.judged = judged)
}

fn mark(said: &str) -> JudgedWords {
    JudgedWords { length: said.len(), hash: short_hash(said.as_bytes(), MARK) }
}

/// What stands behind the words that were judged. Where nothing does, and where others stand in
/// their place, all is as good as new.
fn behind<'t>(said: &'t str, judged: &JudgedWords, between: &str) -> Option<&'t str> {
    let (head, rest) = said.split_at_checked(judged.length)?;
    let new = rest.strip_prefix(between)?;
    (mark(head) == *judged && !new.trim().is_empty()).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_behind_the_judged_words_is_new() {
        let judged = mark("Fixed. Ä");
        for (said, new) in [
            ("Fixed. Ä\nIt fails.", Some("It fails.")),
            ("Fixed. Ä\n\nIt fails.", Some("\nIt fails.")),
            ("Fixed. Ä", None),
            ("Fixed. Ä\n ", None),
            ("Fixed. Ä It fails.", None),
            ("Fixed. Ö\nIt fails.", None),
            ("Fixed. \nIt fails.", None),
            ("It fails.", None),
            ("", None),
        ] {
            assert_eq!(behind(said, &judged, "\n"), new, "{said:?}");
        }
    }
}
