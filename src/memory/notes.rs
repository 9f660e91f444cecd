//! Notes: lines in a footer that wait for somebody to act on them.
//!
//! A live note is `[KIND]` at the start of its line, with or without `{content}`; an
//! indent, a list bullet or a backtick may stand before it. `[RESOLVED:…` and
//! `[CARRIED:…` are ends, and are not live as long as they say something.

/// The kinds of notes that somebody has to act on.
pub const KINDS: [&str; 5] = ["PENDING-JOB", "VOICE-UPDATE", "AGENT-UPDATE", "KNOWLEDGE", "DRAFT-TERM"];

/// The numbers (from 1) of the lines of `text` that hold a live note.
pub fn live(text: &str) -> Vec<usize> {
    let numbered = text.lines().enumerate();
    numbered.filter(|(_, line)| is_live(line)).map(|(n, _)| n + 1).collect()
}

/// How many open notes of `kind` in `text` say something between their braces.
pub fn open(text: &str, kind: &str) -> usize {
    let says = |line: &&str| tag(line).is_some_and(|(tag, rest)| tag == kind && !is_empty(rest));
    text.lines().filter(says).count()
}

fn is_live(line: &str) -> bool {
    let Some((tag, rest)) = tag(line) else { return false };
    match tag.split_once(':') {
        // An end that shows nothing is as good as dropped.
        Some(("RESOLVED", kind)) => KINDS.contains(&kind) && is_empty(rest),
        Some(_) => false,
        None => KINDS.contains(&tag),
    }
}

/// The word in brackets that a line begins with, and what follows it.
fn tag(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let line =
        ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line).trim_start();
    let line = line.strip_prefix('`').unwrap_or(line);
    line.strip_prefix('[')?.split_once(']')
}

fn is_empty(braces: &str) -> bool {
    let inner = braces.trim_start().strip_prefix('{').and_then(|rest| rest.split_once('}'));
    inner.is_none_or(|(inner, _)| inner.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_note_is_live_until_its_end_shows_something() {
        for (line, live) in [
            ("[KNOWLEDGE]{lexers}", true),
            ("[PENDING-JOB]", true),
            ("  - [DRAFT-TERM]{x}", true),
            ("`[VOICE-UPDATE]{a | b | c}`", true),
            ("[KNOWLEDGE]{lexers}{came back: duplicate}", true),
            ("[RESOLVED:KNOWLEDGE]{.claude/knowledge/lexers.md}", false),
            ("[RESOLVED:KNOWLEDGE]{}", true),
            ("[RESOLVED:KNOWLEDGE]", true),
            ("[CARRIED:KNOWLEDGE:1]{x}{later}", false),
            ("[DURABLE]", false),
            ("[EPHEMERAL]", false),
            ("see [KNOWLEDGE]{x}", false),
            ("[ ] task", false),
            ("", false),
        ] {
            assert_eq!(is_live(line), live, "{line}");
        }
    }

    #[test]
    fn an_open_note_of_a_kind_says_something() {
        let text = "[PENDING-JOB]{the cache lies}\n- [PENDING-JOB]{b}\n[PENDING-JOB]\n[PENDING-JOB]{ }\n\
                    [KNOWLEDGE]{x}\n[RESOLVED:PENDING-JOB]{done}\nsee [PENDING-JOB]{y}\n";
        assert_eq!((open(text, "PENDING-JOB"), open(text, "KNOWLEDGE"), open("", "KNOWLEDGE")), (2, 1, 0));
    }

    proptest! {
        #[test]
        fn any_text_has_notes_or_has_none(text in any::<String>()) {
            let lines = text.lines().count();
            prop_assert!(live(&text).iter().all(|n| (1..=lines).contains(n)));
        }
    }
}
