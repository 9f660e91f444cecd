//! Trailers: the durable link between a commit and the step that made it.
//!
//! They survive rebases, clones and forges; notes and chains can be re-derived from them.

use std::fmt::Write as _;

use super::texts;

/// What a step says of its rules where they are those of the program.
pub(crate) const SHIPPED: &str = "shipped";

/// The trailers of a step, in the order they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepTrailers {
    pub job: String,
    pub run: u32,
    pub cycle: u32,
    pub phase: String,
    pub step: String,
    pub id: String,
    /// The phase commit that the step made; only in the chain, never on the branch.
    pub commit: Option<String>,
    /// The Seed-Id that stands in that commit, where it is another one: the commit was made, then
    /// waited for a person, and their word was a step of its own. Only in the chain.
    pub carries: Option<String>,
    /// Who took the step; only in the chain.
    pub by: Option<String>,
    /// The step whose state an undo or a redo restored; only in the chain.
    pub back: Option<String>,
    /// The clone that took the step, which its id hashes; only in the chain.
    pub clone: Option<String>,
    /// The blob of the rules that it was judged by, or [`SHIPPED`]; only in the chain. Older steps
    /// do not say it.
    pub rules: Option<String>,
    /// Keys of texts that the step takes away; only in the chain.
    pub redacts: Vec<String>,
}

impl StepTrailers {
    /// The last paragraph of a commit message.
    pub(crate) fn write(&self) -> String {
        let mut text = format!(
            "Seed-Job: {}\nSeed-Run: {}\nSeed-Cycle: {}\nSeed-Phase: {}\nSeed-Step: {}\n\
             Seed-Id: {}\n",
            self.job, self.run, self.cycle, self.phase, self.step, self.id
        );
        let kept = [
            ("Seed-Commit", &self.commit),
            ("Seed-Commit-Id", &self.carries),
            ("Seed-By", &self.by),
            ("Seed-Back", &self.back),
            ("Seed-Clone", &self.clone),
            ("Seed-Rules", &self.rules),
        ];
        for (key, value) in kept {
            if let Some(value) = value {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{key}: {value}");
            }
        }
        text.push_str(&texts::redacts(&self.redacts));
        text
    }

    /// Reads the trailers of `message`; `None` unless all six that every step has are there.
    pub(crate) fn read(message: &str) -> Option<Self> {
        let trailers = Trailers::of(message);
        Some(Self {
            job: trailers.get("Seed-Job")?.to_owned(),
            run: trailers.get("Seed-Run")?.parse().ok()?,
            cycle: trailers.get("Seed-Cycle")?.parse().ok()?,
            phase: trailers.get("Seed-Phase")?.to_owned(),
            step: trailers.get("Seed-Step")?.to_owned(),
            id: trailers.get("Seed-Id")?.to_owned(),
            commit: trailers.get("Seed-Commit").map(str::to_owned),
            carries: trailers.get("Seed-Commit-Id").map(str::to_owned),
            by: trailers.get("Seed-By").map(str::to_owned),
            back: trailers.get("Seed-Back").map(str::to_owned),
            clone: trailers.get("Seed-Clone").map(str::to_owned),
            rules: trailers.get("Seed-Rules").map(str::to_owned),
            redacts: texts::redacted_by(message).map(str::to_owned).collect(),
        })
    }
}

/// How `git cherry-pick -x` begins the line that it puts below the trailers.
const PICKED: &str = "(cherry picked from commit ";
/// Lines that make a paragraph the tail where words of other kinds stand among the trailers.
const WRITTEN_BY_GIT: [&str; 2] = ["Signed-off-by: ", PICKED];

/// The trailers of a message, in order, repeats kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trailers<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Trailers<'a> {
    /// Reads the trailers of `message`; a message without any gives none.
    ///
    /// The tail is the last paragraph, if git takes it for one: each line of it is a trailer, goes
    /// on with the one above it, or was written by `git cherry-pick -x`. Where git itself wrote one
    /// of them, there may be three lines of other words to each trailer.
    pub(crate) fn of(message: &'a str) -> Self {
        let tail = message.trim_end().rsplit_once("\n\n").map_or("", |(_, tail)| tail);
        let (mut found, mut others, mut gits, mut goes_on) = (Vec::new(), 0, false, false);
        for line in tail.lines() {
            if goes_on && line.starts_with([' ', '\t']) {
                continue;
            }
            gits |= WRITTEN_BY_GIT.iter().any(|begin| line.starts_with(begin));
            let trailer = split(line);
            goes_on = trailer.is_some();
            match trailer {
                Some(trailer) => found.push(trailer),
                None if line.starts_with(PICKED) => {}
                None => others += 1,
            }
        }
        let is_tail = others == 0 || gits && found.len() * 3 >= others;
        if is_tail { Self(found) } else { Self::default() }
    }

    /// The value of `key`, whatever its case; the last one wins.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.0
            .iter()
            .rev()
            .find(|(found, _)| found.eq_ignore_ascii_case(key))
            .map(|(_, value)| *value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().copied()
    }
}

fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let token = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    token.then_some((key, value.trim()))
}

/// `text` with these trailers at its end, without those that it has.
pub(crate) fn with_own(text: &str, rows: &[String]) -> String {
    let text = text.trim_end();
    let missing = |row: &&String| !text.lines().any(|line| line.trim() == row.as_str());
    let rows: Vec<&str> = rows.iter().filter(missing).map(String::as_str).collect();
    if rows.is_empty() {
        return text.to_owned();
    }
    let gap = if Trailers::of(text).is_empty() { "\n\n" } else { "\n" };
    format!("{text}{gap}{}", rows.join("\n"))
}

/// Puts `step`'s trailers last: beside trailers that the text ends with, or in a paragraph of their
/// own.
pub(crate) fn append(text: &str, step: &StepTrailers) -> String {
    let text = text.trim_end();
    let gap = if Trailers::of(text).is_empty() { "\n\n" } else { "\n" };
    format!("{text}{gap}{}", step.write())
}

/// The message with a step's trailers in its last paragraph again, beside those that stand there,
/// where a hook of the person's put something behind them: git reads the last paragraph alone.
/// `None` where they stand there, or are not in it.
pub(crate) fn put_last(message: &str) -> Option<String> {
    const FIRST: &str = "Seed-Job";
    if Trailers::of(message).get(FIRST).is_some() {
        return None;
    }
    let lines: Vec<&str> = message.trim_end().lines().collect();
    let ours = lines.iter().rposition(|line| split(line).is_some_and(|(key, _)| key == FIRST))?;
    let is_ours = |line: &&&str| line.starts_with("Seed-");
    let end = ours + lines[ours..].iter().take_while(is_ours).count();
    // What stood beside them goes along.
    let beside = lines[..ours].iter().rev().take_while(|line| split(line).is_some()).count();
    let above = ours - beside;
    let alone = above == 0 || lines[above - 1].is_empty();
    let begin = if alone { above } else { ours };
    let rest = [&lines[..begin], &lines[end..]].map(|part| part.join("\n"));
    let rest = rest.map(|part| part.trim_matches('\n').to_owned());
    let rest: Vec<String> = rest.into_iter().filter(|part| !part.is_empty()).collect();
    let rest = rest.join("\n\n");
    let gap = if Trailers::of(&rest).is_empty() { "\n\n" } else { "\n" };
    Some(format!("{rest}{gap}{}\n", lines[begin..end].join("\n")))
}

/// What a step's message says between its first line and its trailers; the first line
/// without the step's name where it says no more.
pub(crate) fn body(message: &str) -> &str {
    let text = message.rfind("\nSeed-Job: ").map_or(message, |at| &message[..at]).trim_end();
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let body = body.trim();
    if body.is_empty() { first.split_once(": ").map_or(first, |(_, said)| said) } else { body }
}

/// Every line that would be read as a trailer of git seed's, wherever it stands, however it is
/// indented and written.
pub(crate) fn seed_lines(message: &str) -> impl Iterator<Item = &str> {
    message.lines().map(str::trim).filter(|line| {
        let key = line.split_once(':').map_or("", |(key, _)| key.trim_end());
        key.get(..5).is_some_and(|begin| begin.eq_ignore_ascii_case("Seed-"))
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

/// The lines of a message that are trailers which git seed writes, however they are indented.
pub(crate) fn own_lines(message: &str) -> impl Iterator<Item = &str> {
    const OURS: [&str; 7] = ["job", "run", "cycle", "phase", "step", "id", "mixed"];
    seed_lines(message).filter(|line| {
        let key = line.split_once(':').map_or("", |(key, _)| key.trim_end());
        key.get(5..).is_some_and(|name| OURS.contains(&name.to_ascii_lowercase().as_str()))
    })
}

/// Every Seed-Id that a message claims, wherever it stands and however it is indented.
pub(crate) fn claimed_ids(message: &str) -> impl Iterator<Item = &str> {
    message.lines().filter_map(|line| line.trim().strip_prefix("Seed-Id: ")).map(str::trim)
}

/// Every job that a message names, wherever it stands and however it is indented.
pub(crate) fn claimed_jobs(message: &str) -> impl Iterator<Item = &str> {
    message.lines().filter_map(|line| line.trim().strip_prefix("Seed-Job: ")).map(str::trim)
}

/// The message has some of the trailers of one step and not all of them: somebody cut them. One
/// that several steps went into, or that landed, has none of its own: a landed one has just the two
/// that lead back, and one of them alone is half of that.
pub(crate) fn is_cut(message: &str) -> bool {
    const OF_A_STEP: [&str; 4] = ["Seed-Run: ", "Seed-Cycle: ", "Seed-Phase: ", "Seed-Step: "];
    let has = |key: &&&str| message.lines().any(|line| line.starts_with(**key));
    let one =
        claimed_ids(message).count() == 1 && message.lines().any(|l| l.starts_with("Seed-Id"));
    let some = OF_A_STEP.iter().filter(has).count();
    let stands = |key: &str| message.lines().any(|line| line.starts_with(key));
    let half = stands("Seed-Job: ") != stands("Seed-Id: ");
    (half || one && some > 0) && StepTrailers::read(message).is_none()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> StepTrailers {
        StepTrailers {
            job: "20261121t205612-7f3a".into(),
            run: 1,
            cycle: 2,
            phase: "observe".into(),
            step: "observe -> plan".into(),
            id: "0123456789ab".into(),
            commit: None,
            carries: None,
            by: None,
            back: None,
            clone: None,
            rules: None,
            redacts: Vec::new(),
        }
    }

    #[test]
    fn own_trailers_stand_once_and_before_those_of_the_step() {
        let rows = ["Signed-off-by: A <a@b>".to_owned(), "Team: x".to_owned()];
        assert_eq!(with_own("a: b\n", &[]), "a: b");
        let text = with_own("a: b\n\nmore words\n", &rows);
        assert_eq!(text, "a: b\n\nmore words\n\nSigned-off-by: A <a@b>\nTeam: x");
        assert_eq!(with_own(&text, &rows), text);
        let begun = "a: b\n\nTeam: x";
        assert_eq!(with_own(begun, &rows), "a: b\n\nTeam: x\nSigned-off-by: A <a@b>");
        let whole = append(&text, &sample());
        assert_eq!(StepTrailers::read(&whole), Some(sample()));
        assert!(whole.contains("\n\nSigned-off-by: A <a@b>\nTeam: x\nSeed-Job: "), "{whole}");
    }

    #[test]
    fn what_is_written_is_read() {
        let message = append("observe: look\n\nbody: not a trailer\nline", &sample());
        assert_eq!(StepTrailers::read(&message), Some(sample()));
    }

    #[test]
    fn trailers_join_the_ones_that_are_there() {
        let message = append("plan: x\n\nCo-authored-by: A <a@b>", &sample());
        assert!(message.contains("Co-authored-by: A <a@b>\nSeed-Job: "), "{message}");
        assert_eq!(StepTrailers::read(&message), Some(sample()));
    }

    #[test]
    fn a_body_stands_between_the_first_line_and_the_trailers() {
        for (text, said) in [
            ("verify -> execute: it fails", "it fails"),
            ("verify -> execute: it fails\n\nit fails\nin two places", "it fails\nin two places"),
            // A message that reads like trailers shares their paragraph.
            ("verify -> execute: note: it fails\n\nnote: it fails", "note: it fails"),
            ("verify -> execute: x\n\nSeed-Job: forged\nmore", "Seed-Job: forged\nmore"),
        ] {
            assert_eq!(body(&append(text, &sample())), said, "{text:?}");
        }
        assert_eq!(body("checkpoint"), "checkpoint");
    }

    #[test]
    fn lines_that_claim_to_be_ours_are_found_however_written() {
        let text = "Seed-Job: j\n  seed-by: me\n\tSEED-X : y\nSeed-Id\nA Seed-Id: 1\nseeds: z";
        let found: Vec<&str> = seed_lines(text).collect();
        assert_eq!(found, ["Seed-Job: j", "seed-by: me", "SEED-X : y"]);
    }

    #[test]
    fn trailers_that_were_cut_are_told_from_those_of_a_landing() {
        let whole = append("observe: look", &sample());
        let squashed = whole.replace('\n', "\n    ");
        let landed = "Look\n\nSeed-Job: 20261121t205612-7f3a\nSeed-Id: 0123456789ab\n";
        for (message, cut) in [
            (whole.as_str(), false),
            (squashed.as_str(), false),
            (landed, false),
            (&format!("{whole}\n\n{whole}more"), false),
            (&whole.replace("Seed-Cycle: 2\n", ""), true),
            (&format!("{whole}\nwords behind them"), true),
        ] {
            assert_eq!(is_cut(message), cut, "{message}");
        }
        let jobs: Vec<&str> = claimed_jobs(&squashed).collect();
        assert_eq!(jobs, ["20261121t205612-7f3a"]);
    }

    #[test]
    fn what_git_takes_for_a_tail_is_one() {
        let ours = "Seed-Job: j\nSeed-Id: 1";
        let picked = "(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)";
        for (tail, is) in [
            (format!("{ours}\n{picked}"), true),
            (format!("{ours}\n{picked}\n{picked}\nSigned-off-by: A <a@b>"), true),
            (format!("{ours}\n[a: mended a comment]\nSigned-off-by: A <a@b>"), true),
            (format!("Reviewed-by: A\n  and B\n{ours}"), true),
            (format!("  indented\n{ours}"), false),
            (format!("{ours}\nmore words"), false),
            (format!("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n{ours}\n{picked}"), false),
        ] {
            let read = Trailers::of(&format!("x: y\n\n{tail}\n")).get("Seed-Id") == Some("1");
            assert_eq!(read, is, "{tail}");
        }
    }

    #[test]
    fn a_paragraph_with_one_other_line_is_no_tail() {
        for message in ["a\n\nSeed-Id: 1\nprose", "Seed-Id: 1", "", "a\n\nSeed-Id:1"] {
            assert!(Trailers::of(message).is_empty(), "{message:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_reads(text in any::<String>()) {
            let _ = (StepTrailers::read(&text), claimed_ids(&text).count());
        }

        #[test]
        fn any_body_keeps_the_trailers_readable(body in "[ -~\n]{1,200}") {
            let message = append(&format!("observe: s\n\n{body}"), &sample());
            prop_assert_eq!(StepTrailers::read(&message).map(|read| read.id), Some(sample().id));
        }
    }

    #[test]
    fn what_a_hook_puts_behind_the_trailers_goes_before_them() {
        let ours = "Seed-Job: j\nSeed-Id: 1";
        for (text, told) in [
            (format!("x: y\n\nbody\n\n{ours}\n"), None),
            (format!("x: y\n\n{ours}\nSigned-off-by: A <a@b>\n"), None),
            ("x: y\n\nbody\n\nTicket: 1\n".to_owned(), None),
            (
                format!("x: y\n\n{ours}\n\nTicket: 1\n"),
                Some(format!("x: y\n\nTicket: 1\n{ours}\n")),
            ),
            (
                format!("x: y\n\nbody\n\nBy: A\n{ours}\n\nTicket: 1\n\n"),
                Some(format!("x: y\n\nbody\n\nTicket: 1\nBy: A\n{ours}\n")),
            ),
            (
                format!("x: y\n\n{ours}\n\n[ticket-1] and more words\n"),
                Some(format!("x: y\n\n[ticket-1] and more words\n\n{ours}\n")),
            ),
            (
                format!("x: y\n\n{ours}\nwords right below\n"),
                Some(format!("x: y\n\nwords right below\n\n{ours}\n")),
            ),
        ] {
            let put = put_last(&text);
            assert_eq!(put, told, "{text}");
            let trailers = put.unwrap_or(text);
            let trailers = Trailers::of(&trailers);
            assert!(trailers.get("Ticket").is_some() || trailers.get("Seed-Id").is_some());
        }
    }
}
