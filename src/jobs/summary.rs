//! Summaries of a job's standing instruction: when one is due, and what it has to say.
//!
//! Prompts and answers are never shortened; the summaries stand beside them, each over
//! the ones that came after the last. They keep a long instruction readable, so one is
//! due before the words since the last become too many to keep in mind.

use serde::{Deserialize, Serialize};

use crate::verdict::{Case, Refusal, Verdict, Wants};

/// The sections of a summary, in order.
pub(crate) const SECTIONS: [&str; 5] = [
    "User Requests",
    "Questions & Decisions",
    "Design Choices",
    "Corrections & Feedback",
    "Current State",
];
/// The fewest and the most tokens of a summary.
const WHOLE: (usize, usize) = (200, 1_000);
/// The fewest tokens of a section.
const SECTION: usize = 50;

/// How far a job's interactions are summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// The last interaction that a summary covers.
    pub through: u32,
    /// Summaries that were accepted.
    #[serde(default)]
    pub summaries: u32,
    /// Words of the interactions after it.
    #[serde(default)]
    pub words: usize,
    /// The interaction through which the next summary is due; 0 while none is.
    #[serde(default)]
    pub due: u32,
}

impl Covered {
    /// Nothing was said that counts.
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Interaction `n` of so many words was kept; a summary is due from `most` tokens on.
    pub(crate) fn heard(&mut self, n: u32, words: usize, most: usize) {
        self.words = self.words.saturating_add(words);
        self.ask(n, most);
    }

    /// A summary through interaction `through` was accepted; `rest` are the words of those after
    /// it.
    pub(crate) fn summed_up(&mut self, through: u32, last: u32, rest: usize, most: usize) {
        (self.through, self.words, self.due) = (through, rest, 0);
        self.summaries += 1;
        self.ask(last, most);
    }

    /// A due one stays as it was: what is said after that belongs to the next.
    fn ask(&mut self, last: u32, most: usize) {
        if self.due == 0 && last > self.through && tokens(self.words) >= most {
            self.due = last;
        }
    }
}

/// A text that is no summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadSummary {
    /// This section is not there.
    Lacks(&'static str),
    /// This title is not one of the five, or not in its place.
    Stranger(String),
    /// This section says too little; the words that it has at least.
    Thin(&'static str, usize),
    /// All together say too little.
    Short(usize),
    /// All together are too long; the words that it has at most.
    Long(usize),
}

/// Tokens of so many words, as they are estimated.
pub(crate) fn tokens(words: usize) -> usize {
    words.saturating_mul(13) / 10
}

/// The fewest words that come to `least` tokens.
fn words_for(least: usize) -> usize {
    (least * 10).div_ceil(13)
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// What parts an answer from its question, in the text that keeps both.
pub(crate) const ANSWER: &str = "\n\nAnswer: ";

/// The words of an interaction that count: a prompt whole, and of the agent's own question the
/// answer. Its questions have to be long, and must not wear a person's words out.
pub(crate) fn words_said(text: &str) -> usize {
    words(text.rsplit_once(ANSWER).map_or(text, |(_, answer)| answer))
}

/// Says whether `text` has the five sections, in order and nothing else, and their length.
pub(crate) fn check(text: &str) -> Result<(), BadSummary> {
    let mut sections: Vec<(&'static str, usize)> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let title = line.strip_prefix("## ").map(str::trim);
        match title {
            Some(title) => {
                let next = SECTIONS.get(sections.len()).copied();
                let known = SECTIONS.iter().position(|section| section.eq_ignore_ascii_case(title));
                match (next, known) {
                    (Some(next), Some(_)) if next.eq_ignore_ascii_case(title) => {
                        sections.push((next, 0));
                    }
                    (Some(next), Some(at)) if at >= sections.len() => {
                        return Err(BadSummary::Lacks(next));
                    }
                    _ => return Err(BadSummary::Stranger(title.to_owned())),
                }
            }
            None => match sections.last_mut() {
                Some((_, said)) => *said += words(line),
                None if line.is_empty() => {}
                None => return Err(BadSummary::Lacks(SECTIONS[0])),
            },
        }
    }
    if let Some(missing) = SECTIONS.get(sections.len()) {
        return Err(BadSummary::Lacks(missing));
    }
    if let Some((thin, _)) = sections.iter().find(|(_, said)| tokens(*said) < SECTION) {
        return Err(BadSummary::Thin(thin, words_for(SECTION)));
    }
    let whole = sections.iter().map(|(_, said)| said).sum();
    match tokens(whole) {
        tokens if tokens < WHOLE.0 => Err(BadSummary::Short(words_for(WHOLE.0))),
        tokens if tokens > WHOLE.1 => Err(BadSummary::Long(words_for(WHOLE.1 + 1) - 1)),
        _ => Ok(()),
    }
}

fn no(case: Case) -> Refusal {
    Refusal::new("summary", Wants::Summary).case(case)
}

impl BadSummary {
    /// The refusal of the command that was to take it.
    pub(crate) fn refusal(&self) -> Refusal {
        let counted = |case: Case, words: usize| no(case).with("words", words.to_string());
        match self {
            Self::Lacks(section) => no(Case::Lacks).with("section", *section),
            Self::Stranger(title) => no(Case::Stranger).with("section", title.as_str()),
            Self::Thin(section, words) => counted(Case::Thin, *words).with("section", *section),
            Self::Short(words) => counted(Case::Brief, *words),
            Self::Long(words) => counted(Case::Lengthy, *words),
        }
    }
}

impl Covered {
    /// Something up to interaction `through` is not summed up yet.
    pub(crate) fn lacks(&self, through: u32) -> Verdict {
        if through > self.through { Ok(()) } else { Err(no(Case::Settled)) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A summary with so many words in each section.
    fn summary(words: [usize; 5]) -> String {
        let section =
            |(title, n): (&&str, usize)| format!("## {title}\n\n{}\n\n", "word ".repeat(n).trim());
        SECTIONS.iter().zip(words).map(section).collect()
    }

    #[test]
    fn a_summary_has_five_sections_that_say_something() {
        for (text, expected) in [
            (summary([39; 5]), Ok(())),
            (summary([39, 39, 39, 39, 613]), Ok(())),
            (summary([39, 39, 39, 39, 614]), Err(BadSummary::Long(769))),
            (summary([39, 38, 39, 39, 39]), Err(BadSummary::Thin("Questions & Decisions", 39))),
            (String::new(), Err(BadSummary::Lacks("User Requests"))),
            (
                "words first\n".to_owned() + &summary([50; 5]),
                Err(BadSummary::Lacks("User Requests")),
            ),
            (
                summary([50; 5]).replace("## Design Choices", "## Choices"),
                Err(BadSummary::Stranger("Choices".to_owned())),
            ),
            (
                summary([50; 5]).replace("## Design Choices\n", ""),
                Err(BadSummary::Lacks("Design Choices")),
            ),
            (summary([50; 5]) + "## More\n", Err(BadSummary::Stranger("More".to_owned()))),
            (
                summary([50; 5]) + "## Current State\nagain\n",
                Err(BadSummary::Stranger("Current State".to_owned())),
            ),
            (summary([50; 5]).replace("## User Requests", "## user requests"), Ok(())),
        ] {
            assert_eq!(check(&text), expected, "{text}");
        }
    }

    #[test]
    fn each_fault_of_a_summary_has_its_case_and_its_facts() {
        for (bad, facts) in [
            (
                BadSummary::Lacks("Current State"),
                [("case", "lacks"), ("section", "Current State"), ("words", "")],
            ),
            (
                BadSummary::Stranger("More".to_owned()),
                [("case", "stranger"), ("section", "More"), ("words", "")],
            ),
            (
                BadSummary::Thin("Current State", 39),
                [("case", "thin"), ("section", "Current State"), ("words", "39")],
            ),
            (BadSummary::Short(192), [("case", "brief"), ("section", ""), ("words", "192")]),
            (BadSummary::Long(769), [("case", "lengthy"), ("section", ""), ("words", "769")]),
        ] {
            let no = bad.refusal();
            assert_eq!((no.by, no.wants), ("summary", Wants::Summary), "{bad:?}");
            for (fact, said) in facts {
                assert_eq!(no.facts.get(fact).unwrap_or_default(), said, "{bad:?}: {fact}");
            }
        }
    }

    #[test]
    fn a_summary_is_due_where_the_estimate_says_so_and_covers_what_was_said_then() {
        let mut covered = Covered::default();
        covered.heard(1, 384, 500);
        assert_eq!(covered.due, 0);
        covered.heard(2, words_said("a long question\n\nAnswer: w"), 500);
        assert_eq!(covered.due, 2);
        covered.heard(3, 1, 500);
        assert_eq!((covered.due, covered.words), (2, 386), "what comes later is the next one's");
        covered.summed_up(2, 3, 1, 500);
        assert_eq!(covered, Covered { through: 2, summaries: 1, words: 1, due: 0 });
        covered.summed_up(3, 4, 385, 500);
        assert_eq!(covered.due, 4, "the rest is long enough for one of its own");
    }

    proptest! {
        #[test]
        fn summaries_cover_each_interaction_once(texts in proptest::collection::vec(0_usize..700,
            1..30)) {
            let mut covered = Covered::default();
            let (mut slices, mut last) = (Vec::new(), 0);
            for (n, words) in (1..).zip(&texts) {
                covered.heard(n, *words, 500);
                while covered.due > 0 {
                    slices.push(covered.through + 1..=covered.due);
                    let through = covered.due;
                    let rest: usize = texts[through as usize..n as usize].iter().sum();
                    covered.summed_up(through, n, rest, 500);
                }
                last = n;
            }
            let mut next = 1;
            for slice in slices {
                prop_assert_eq!(*slice.start(), next);
                next = *slice.end() + 1;
            }
            let open: usize = texts[next as usize - 1..last as usize].iter().sum();
            prop_assert_eq!(open, covered.words);
            prop_assert!(tokens(open) < 500);
        }

        #[test]
        fn any_text_is_checked(text in any::<String>()) {
            let _ = check(&text);
        }
    }
}
