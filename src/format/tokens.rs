//! What models read and wrote for jobs, as their hosts tell it: sums by the day, for this clone.
//!
//! [`TokenBook`] is the file `.git/seed/tokens`: a row for each job and day, and for each
//! transcript how far it was read. Memory and no truth: what does not read begins anew, and what is
//! oldest goes. No chain holds any of it. Pure: it is kept elsewhere.

use serde::{Deserialize, Serialize};

use super::days::day;
use crate::event::UnixSeconds;

/// The most rows, and the most transcripts, that are remembered.
const ROWS: usize = 2_000;
const TRANSCRIPTS: usize = 64;
/// The most messages of a transcript that another line may still speak of.
const RECENT: usize = 8;

/// Tokens as a host counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens {
    /// All that the model was given, with each call anew.
    pub input: u64,
    /// How many of these came from the host's cache.
    pub cached: u64,
    /// What the model wrote.
    pub output: u64,
}

impl Tokens {
    fn with(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: of(self.input, other.input),
            cached: of(self.cached, other.cached),
            output: of(self.output, other.output),
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        *self = self.with(other, u64::saturating_add);
    }

    /// What these are more than `before`.
    fn beyond(self, before: Self) -> Self {
        self.with(before, u64::saturating_sub)
    }
}

/// How far a transcript was read, and what the next line is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// In bytes.
    pub at: u64,
    /// That is inside of a line, whose rest is passed over.
    #[serde(default)]
    pub inside: bool,
    /// The last messages that were counted, the newest at the end.
    #[serde(default)]
    recent: Vec<Counted>,
    /// The last sum that a line told, where lines tell sums; absent where it is not known.
    #[serde(default)]
    sum: Option<Tokens>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    message: String,
    tokens: Tokens,
}

impl Reading {
    /// From the beginning of a file, or of the part of it that is looked at.
    pub(crate) fn from(at: u64) -> Self {
        let sum = (at == 0).then(Tokens::default);
        Self { at, inside: at > 0, recent: Vec::new(), sum }
    }

    /// What a line adds that tells the tokens of `message`, of which other lines may have told
    /// before.
    pub(crate) fn message(&mut self, message: String, tokens: Tokens) -> Tokens {
        let known = self.recent.iter_mut().find(|one| one.message == message);
        if let Some(known) = known {
            let more = tokens.beyond(known.tokens);
            known.tokens.add(more);
            return more;
        }
        if self.recent.len() >= RECENT {
            self.recent.remove(0);
        }
        self.recent.push(Counted { message, tokens });
        tokens
    }

    /// What a line adds that tells the sum of its transcript.
    pub(crate) fn sum(&mut self, sum: Tokens) -> Tokens {
        match self.sum.replace(sum) {
            Some(before) if sum.input >= before.input => sum.beyond(before),
            // The host counts anew.
            Some(_) => sum,
            None => Tokens::default(),
        }
    }
}

/// A transcript that a host named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Transcript {
    pub path: String,
    pub host: String,
    pub session: String,
    pub reading: Reading,
}

/// What was told for a job on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    job: String,
    day: UnixSeconds,
    #[serde(flatten)]
    tokens: Tokens,
}

/// All of it, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenBook {
    #[serde(default)]
    transcripts: Vec<Transcript>,
    #[serde(default)]
    rows: Vec<Row>,
}

impl TokenBook {
    /// Adds to the row of `job` for the day of `at`. Nothing makes no row.
    pub(crate) fn add(&mut self, job: &str, at: UnixSeconds, tokens: Tokens) {
        if tokens == Tokens::default() {
            return;
        }
        let of = |row: &&mut Row| row.job == job && row.day == day(at);
        if let Some(row) = self.rows.iter_mut().rev().find(of) {
            row.tokens.add(tokens);
            return;
        }
        if self.rows.len() >= ROWS {
            self.rows.remove(0);
        }
        self.rows.push(Row { job: job.to_owned(), day: day(at), tokens });
    }

    /// What was told for `job` from the day of `from` on; `None` where nothing was.
    pub(crate) fn of(&self, job: &str, from: UnixSeconds) -> Option<Tokens> {
        let mut rows = self.rows.iter().filter(|row| row.job == job && row.day >= day(from));
        let mut sum = rows.next()?.tokens;
        rows.for_each(|row| sum.add(row.tokens));
        Some(sum)
    }

    pub(crate) fn known(&self, path: &str) -> Option<&Transcript> {
        self.transcripts.iter().find(|one| one.path == path)
    }

    pub(crate) fn of_session<'b>(
        &'b self,
        session: &'b str,
    ) -> impl Iterator<Item = &'b Transcript> {
        self.transcripts.iter().filter(move |one| one.session == session)
    }

    /// Remembers how far `transcript` was read, as the newest.
    pub(crate) fn keep(&mut self, transcript: Transcript) {
        self.transcripts.retain(|one| one.path != transcript.path);
        if self.transcripts.len() >= TRANSCRIPTS {
            self.transcripts.remove(0);
        }
        self.transcripts.push(transcript);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
        Tokens { input, cached, output }
    }

    #[test]
    fn a_message_counts_once_with_its_highest_numbers() {
        let mut reading = Reading::from(0);
        let mut told =
            |message: &str, output| reading.message(message.into(), tokens(10, 4, output));
        assert_eq!(told("a", 1), tokens(10, 4, 1));
        assert_eq!(told("a", 1), tokens(0, 0, 0), "another block of the same");
        assert_eq!(told("b", 2), tokens(10, 4, 2));
        assert_eq!(told("a", 7), tokens(0, 0, 6), "its last line has all that it wrote");
        assert_eq!(told("a", 3), tokens(0, 0, 0));
        for n in 0..100 {
            told(&n.to_string(), 1);
        }
        assert_eq!(reading.recent.len(), RECENT);
    }

    #[test]
    fn sums_count_what_they_are_more_than_the_one_before() {
        let mut reading = Reading::from(0);
        assert_eq!(reading.sum(tokens(100, 0, 5)), tokens(100, 0, 5));
        assert_eq!(reading.sum(tokens(100, 0, 5)), tokens(0, 0, 0), "told twice");
        assert_eq!(reading.sum(tokens(250, 90, 9)), tokens(150, 90, 4));
        assert_eq!(reading.sum(tokens(30, 0, 1)), tokens(30, 0, 1), "it counts anew");
        let mut late = Reading::from(7);
        assert_eq!(late.sum(tokens(900, 0, 9)), tokens(0, 0, 0), "what was before is not known");
        assert_eq!(late.sum(tokens(910, 0, 9)), tokens(10, 0, 0));
    }

    #[test]
    fn rows_are_by_job_and_day_and_stay_bounded() {
        let mut book = TokenBook::default();
        book.add("j", 5, tokens(1, 0, 1));
        book.add("j", 7, tokens(1, 0, 1));
        book.add("k", 7, Tokens::default());
        book.add("j", DAY + 7, tokens(u64::MAX, 0, 1));
        assert_eq!(book.rows.len(), 2);
        assert_eq!(book.of("j", 0), Some(tokens(u64::MAX, 0, 3)), "no number is too large");
        assert_eq!(book.of("j", DAY + 9), Some(tokens(u64::MAX, 0, 1)), "from its day on");
        assert_eq!((book.of("j", 2 * DAY), book.of("k", 0)), (None, None));
        for n in 0..3_000_u32 {
            book.add(&n.to_string(), 0, tokens(1, 1, 1));
            book.keep(Transcript { path: n.to_string(), ..Transcript::default() });
        }
        assert_eq!((book.rows.len(), book.transcripts.len()), (ROWS, TRANSCRIPTS));
        assert!(book.known("2999").is_some() && book.known("1").is_none());
        let text = serde_json::to_vec(&book).expect("it is JSON");
        assert_eq!(serde_json::from_slice::<TokenBook>(&text).expect("it reads"), book);
    }
}
