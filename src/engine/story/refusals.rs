//! What was refused, what became of it, and how long it held the work up.

use serde::Serialize;

use crate::engine::repo::text::rfc3339;
use crate::engine::story::past::Deed;
use crate::event::UnixSeconds;
use crate::format::journal::{Line, Refused, What};
use crate::verdict::{Refusal, Wants};
use crate::voice;

/// What became of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fate {
    /// A later try of the same was let through.
    Passed,
    /// The work went on with something else.
    OtherWay,
    /// Nothing is recorded after it.
    Open,
}

/// One refusal, in the words that its agent was told.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RefusalShown {
    pub at: String,
    /// `tool`, `boundary` or `stop`.
    pub event: &'static str,
    #[serde(serialize_with = "crate::engine::report::or_null")]
    pub tool: String,
    pub paths: Vec<String>,
    pub by: String,
    pub wants: &'static str,
    pub why: String,
    #[serde(rename = "do")]
    pub do_: String,
    pub fate: Fate,
    /// Seconds until the work went on; absent where nothing came after it.
    pub held_up: Option<i64>,
    /// The same was refused before, and nothing else was done between.
    pub again: bool,
}

/// The refusal that the deed at `n` is, if it is one.
pub(crate) fn shown(deeds: &[Deed<'_>], n: usize) -> Option<RefusalShown> {
    let Deed::Line(line) = deeds.get(n)? else { return None };
    let refused = line.own_refusal()?;
    let (fate, until) = fate(&deeds[n + 1..], line, refused);
    let by: &'static str = if line.what == What::Kept { "stop" } else { "guard" };
    let refusal = Refusal { by, wants: refused.wants, facts: refused.facts.clone() };
    let said = voice::say(&refusal, &refused.phase);
    Some(RefusalShown {
        at: rfc3339(line.at),
        event: event(line),
        tool: line.tool.clone(),
        paths: line.paths.clone(),
        by: refused.by.clone(),
        wants: refused.wants.word(),
        why: said.why,
        do_: said.do_,
        fate,
        held_up: until.map(|until| until.saturating_sub(line.at).max(0)),
        again: is_again(&deeds[..n], line, refused),
    })
}

fn event(line: &Line) -> &'static str {
    match line.what {
        What::Kept => "stop",
        _ if line.tool.is_empty() => "boundary",
        _ => "tool",
    }
}

/// What came of it, and when the work went on.
fn fate(after: &[Deed<'_>], line: &Line, refused: &Refused) -> (Fate, Option<UnixSeconds>) {
    let mut other = None;
    for deed in after {
        if is_same_try(deed, line, refused) {
            return (Fate::Passed, Some(deed.at()));
        }
        if is_act(deed) {
            other = other.or(Some(deed.at()));
        }
        // Whoever left the phase had no more use for it.
        if matches!(deed, Deed::Step(step) if step.way().is_some()) {
            break;
        }
    }
    match other {
        Some(at) => (Fate::OtherWay, Some(at)),
        None => (Fate::Open, None),
    }
}

/// What was refused is done now.
fn is_same_try(deed: &Deed<'_>, line: &Line, refused: &Refused) -> bool {
    match deed {
        Deed::Line(later) => {
            let ran = matches!(later.what, What::After | What::Looked | What::Asked);
            ran && later.refusal.is_none()
                && !line.tool.is_empty()
                && later.tool == line.tool
                && meets(later, line, refused)
        }
        // A boundary that was refused, and is crossed from the same phase. What wanted another
        // place to stand, such as a step back to nowhere, is no try of the step that was taken.
        Deed::Step(step) => {
            event(line) == "boundary"
                && refused.wants != Wants::Edge
                && (step.way().is_some_and(|(from, _)| from == refused.phase)
                    || step.said.commit.is_some())
        }
    }
}

/// The later call of the same tool is about what the refused one was about.
fn meets(later: &Line, line: &Line, refused: &Refused) -> bool {
    // A shell runs anything: the journal knows what changed, and the words of a run of tests.
    let part = ["what", "command"].iter().find_map(|key| refused.facts.get(key));
    if let Some(part) = part {
        let ran = later.ran.as_ref().is_some_and(|ran| ran.command.contains(part));
        let changed = line.paths.iter().any(|path| later.paths.contains(path));
        return ran || (changed && later.what == What::After);
    }
    if line.paths.is_empty() {
        return line.source.is_empty() || line.source == later.source;
    }
    line.paths.iter().any(|path| later.paths.contains(path) || later.opened.contains(path))
}

/// Something that the agent did, and that was let through.
fn is_act(deed: &Deed<'_>) -> bool {
    match deed {
        Deed::Line(line) => {
            let ran =
                matches!(line.what, What::After | What::Looked | What::Asked | What::Launched);
            ran && line.refusal.is_none() && line.tool != "session"
        }
        Deed::Step(step) => step.said.by.as_deref() != Some("hook"),
    }
}

/// Right before it the same was wanted, with nothing done between.
fn is_again(before: &[Deed<'_>], line: &Line, refused: &Refused) -> bool {
    for deed in before.iter().rev() {
        if let Deed::Line(earlier) = deed
            && let Some(known) = &earlier.refusal
        {
            return known.by == refused.by
                && known.wants == refused.wants
                && earlier.tool == line.tool;
        }
        if is_act(deed) {
            return false;
        }
    }
    false
}

/// Words of the agent were sent back.
pub(crate) fn is_of_words(refusal: &RefusalShown) -> bool {
    refusal.wants == Wants::Claim.word()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Ran;
    use crate::engine::story::past::PastStep;
    use crate::format::trailers::StepTrailers;
    use crate::verdict::Facts;

    fn line(at: i64, tool: &str, path: &str, what: What) -> Line {
        let paths = if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
        Line { at, tool: tool.to_owned(), paths, what, ..Line::default() }
    }

    fn no(at: i64, tool: &str, path: &str) -> Line {
        let (by, phase) = ("place".to_owned(), "observe".to_owned());
        let refusal = Refused { by, wants: Wants::Notes, phase, facts: Facts::default() };
        Line { refusal: Some(refusal), ..line(at, tool, path, What::Refused) }
    }

    fn step(at: i64, step: &str) -> PastStep {
        let said = StepTrailers {
            step: step.to_owned(),
            by: Some("agent".to_owned()),
            ..StepTrailers::default()
        };
        let commit = "a".repeat(40).parse().expect("an id");
        let (subject, body, lines) = (String::new(), String::new(), Vec::new());
        PastStep { commit, at, said, subject, body, lines }
    }

    /// What became of the first one, and after how many seconds.
    fn first(deeds: &[Deed<'_>]) -> (Fate, Option<i64>) {
        let shown = shown(deeds, 0).expect("it is one");
        (shown.fate, shown.held_up)
    }

    #[test]
    fn a_refusal_ends_with_the_next_try_or_with_another_act() {
        use Deed::{Line as L, Step as S};
        let (edit, other) = (no(10, "Edit", "a"), no(10, "", ""));
        let same = line(40, "Edit", "a", What::After);
        let elsewhere = line(30, "Edit", "b", What::After);
        let read = line(20, "Read", "b", What::Looked);
        let (leaves, stays) = (step(50, "observe -> plan"), step(20, "multiplier"));
        for (deeds, fate, held_up) in [
            (vec![L(&edit)], Fate::Open, None),
            (vec![L(&edit), L(&same)], Fate::Passed, Some(30)),
            (vec![L(&edit), L(&read), L(&elsewhere)], Fate::OtherWay, Some(10)),
            (vec![L(&edit), L(&read), L(&elsewhere), L(&same)], Fate::Passed, Some(30)),
            (vec![L(&edit), S(&leaves), L(&same)], Fate::OtherWay, Some(40)),
            (vec![L(&other), S(&stays), S(&leaves)], Fate::Passed, Some(40)),
            (vec![L(&other), S(&stays)], Fate::OtherWay, Some(10)),
        ] {
            assert_eq!(first(&deeds), (fate, held_up), "{deeds:?}");
        }
    }

    #[test]
    fn a_line_of_the_shell_passed_only_where_it_is_the_same() {
        use Deed::{Line as L, Step as S};
        let shell = |part: &str, path: &str| {
            let mut line = no(10, "Bash", path);
            let refused = line.refusal.as_mut().expect("it was refused");
            refused.facts.set("what", part);
            line
        };
        let (publish, removal) = (shell("npm publish", ""), shell("rm calc.py", "calc.py"));
        let look = line(20, "Bash", "", What::Looked);
        let reads = line(30, "Bash", "calc.py", What::Looked);
        let removes = line(40, "Bash", "calc.py", What::After);
        let mut tested = line(50, "Bash", "", What::After);
        tested.ran = Some(Ran { command: "npm test".to_owned(), ..Ran::default() });
        let (tests, leaves) = (shell("npm test", ""), step(60, "observe -> plan"));
        let back = {
            let mut line = no(10, "", "");
            line.refusal.as_mut().expect("it was refused").wants = Wants::Edge;
            line
        };
        for (deeds, fate) in [
            (vec![L(&publish), L(&look), L(&removes)], Fate::OtherWay),
            (vec![L(&removal), L(&reads)], Fate::OtherWay),
            (vec![L(&removal), L(&reads), L(&removes)], Fate::Passed),
            (vec![L(&tests), L(&look), L(&tested)], Fate::Passed),
            (vec![L(&back), S(&leaves)], Fate::OtherWay),
        ] {
            assert_eq!(first(&deeds).0, fate, "{deeds:?}");
        }
    }

    #[test]
    fn the_same_once_more_is_told_from_a_new_one() {
        use Deed::Line as L;
        let (one, two, three) = (no(1, "Edit", "a"), no(2, "Edit", "a"), no(9, "Edit", "a"));
        let (read, same) = (line(5, "Read", "b", What::Looked), line(11, "Edit", "a", What::After));
        let deeds = [L(&one), L(&two), L(&read), L(&three), L(&same)];
        let again = |n: usize| shown(&deeds, n).expect("it is one").again;
        assert_eq!((again(0), again(1), again(3)), (false, true, false));
        assert!(shown(&deeds, 2).is_none(), "an act is no refusal");
    }
}
