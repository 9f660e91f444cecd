//! The moment that `--since` names.
//!
//! Git reads it, and takes words that it does not know for now. Here they are wrong usage: a list
//! that is empty because of a typing error looks like one in which nothing happened.

use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::engine::repo::{EngineError, Repo};
use crate::event::UnixSeconds;
use crate::voice::{Notice, tell};

/// Words that are a moment by themselves.
const MOMENTS: [&str; 6] = ["now", "today", "yesterday", "noon", "midnight", "tea"];
/// Numbers that git knows as words; `last` is one of something.
const NUMBERS: [&str; 12] =
    ["last", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const UNITS: [&str; 7] = ["second", "minute", "hour", "day", "week", "month", "year"];
/// Months and days of the week, by three letters or more.
const NAMES: [&str; 19] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Words that stand between the others: they say nothing by themselves.
const BETWEEN: [&str; 16] = [
    "ago", "at", "on", "of", "the", "and", "in", "from", "since", "am", "pm", "st", "nd", "rd",
    "th", "t",
];
/// Time zones as git names them.
const ZONES: [&str; 22] = [
    "utc", "gmt", "z", "wet", "bst", "cet", "met", "cest", "mest", "eet", "eest", "est", "edt",
    "cst", "cdt", "mst", "mdt", "pst", "pdt", "jst", "nzst", "hst",
];

/// The moment that a person means by `said`, in a day from its beginning where `days` says so.
pub(super) fn moment(repo: &Repo, said: &str, days: bool) -> Result<UnixSeconds, EngineError> {
    if days && let Some(at) = exact(said) {
        return Ok(at);
    }
    if is_date(said) {
        return Ok(repo.store.moment_said(said)?);
    }
    Err(EngineError::Usage(tell(Notice::NoDate, &[("said", said)])))
}

/// A day, from its beginning (UTC), or a moment.
fn exact(text: &str) -> Option<UnixSeconds> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]"));
    let day =
        day.map(|day| OffsetDateTime::new_in_offset(day, time::Time::MIDNIGHT, UtcOffset::UTC));
    let moment = day.or_else(|_| OffsetDateTime::parse(text, &Rfc3339));
    moment.ok().map(OffsetDateTime::unix_timestamp)
}

/// Git knows each word of it, and together they say a time.
fn is_date(said: &str) -> bool {
    let said = said.to_lowercase();
    let (mut says, mut counted) = (false, false);
    for piece in said.split(|c: char| c.is_whitespace() || c == ',').filter(|one| !one.is_empty()) {
        if piece.starts_with(|c: char| c.is_ascii_digit()) && !are_in_range(piece) {
            return false;
        }
        for word in words(piece) {
            let unit = word.strip_suffix('s').unwrap_or(word);
            let named = |name: &&str| word.len() >= 3 && name.starts_with(word);
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                (says, counted) = (true, true);
            } else if NUMBERS.contains(&word) {
                counted = true;
            } else if UNITS.contains(&unit) {
                // Without a number git takes it for none of them.
                if !counted {
                    return false;
                }
                says = true;
            } else if MOMENTS.contains(&word) || word == "never" || NAMES.iter().any(named) {
                says = true;
            } else if !(BETWEEN.contains(&word) || ZONES.contains(&word)) {
                return false;
            }
        }
    }
    says
}

/// The runs of letters and of digits in `piece`.
fn words(piece: &str) -> impl Iterator<Item = &str> {
    let mut rest = piece;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| "-+/.:@".contains(c));
        let first = rest.chars().next()?;
        let same = |c: char| {
            if first.is_ascii_digit() { c.is_ascii_digit() } else { c.is_alphabetic() }
        };
        let end = rest.find(|c| !same(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

/// The numbers of a day or of a time of the day are such: git makes some day of others, too.
fn are_in_range(piece: &str) -> bool {
    let (day, clock) = match piece.split_once('t') {
        Some((day, clock)) if clock.starts_with(|c: char| c.is_ascii_digit()) => (day, clock),
        _ if piece.contains(':') => ("", piece),
        _ => (piece, ""),
    };
    let numbers = |text: &str| -> Option<Vec<u32>> {
        let parts = text.split(['-', '/', '.']);
        parts.map(|part| part.parse().ok()).collect()
    };
    let day = match numbers(day).as_deref() {
        // The year stands first or last, and months and days in either order.
        Some([a, b, c]) => {
            let (month, day) = if *a > 31 { (*b, *c) } else { (*a, *b) };
            let fits = |month: u32, day: u32| (1..=12).contains(&month) && (1..=31).contains(&day);
            fits(month, day) || fits(day, month) || fits(*b, *c)
        }
        _ => true,
    };
    let mut parts = clock.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let hour = parts.next().is_none_or(|hour| hour.is_ok_and(|hour| hour <= 24));
    let minute = parts.next().is_none_or(|minute| minute.is_ok_and(|minute| minute < 60));
    day && (clock.is_empty() || hour && minute)
}

#[cfg(test)]
mod tests {
    use super::{exact, is_date};

    #[test]
    fn a_day_begins_at_midnight_and_a_moment_is_one() {
        assert_eq!(exact("1970-01-02"), Some(86_400));
        assert_eq!(exact("1970-01-02T00:00:07Z"), Some(86_407));
        assert_eq!(exact("1970-01-02T01:00:00+01:00"), Some(86_400));
        for text in ["yesterday", "2026-13-01", "", "1970-01-02 "] {
            assert_eq!(exact(text), None, "{text}");
        }
    }

    #[test]
    fn what_git_reads_as_a_time_is_one() {
        for said in [
            "yesterday",
            "2 weeks ago",
            "2.weeks.ago",
            "last friday",
            "last week",
            "noon",
            "friday noon",
            "tea",
            "now",
            "today",
            "never",
            "2026-11-01",
            "2026/11/01",
            "01.11.2026",
            "11/23/2026",
            "23/11/2026",
            "Nov 3",
            "3rd of november 2026",
            "Thu, 07 Apr 2005 22:13:13 +0200",
            "2026-11-21T20:56:12Z",
            "2026-11-21 20:56:12 CET",
            "2026-11-21T20:56:12.5+02:00",
            "one year ago",
            "3 days 2 hours ago",
            "10:30",
            "5pm yesterday",
            "@1700000000",
            "1700000000",
            "sept",
            "since yesterday",
            "1970-01-01T00:00:00Z",
        ] {
            assert!(is_date(said), "{said}");
        }
    }

    #[test]
    fn what_git_would_take_for_now_is_no_time() {
        for said in [
            "",
            " ",
            "abc",
            "yesterdya",
            "2 weks ago",
            "7 dogs",
            "1 banana ago",
            "a year ago",
            "an hour ago",
            "days",
            "last",
            "ago",
            "hello world",
            "novx",
            "no",
            "2026-13-45",
            "45.13.2026",
            "25:00",
            "10:77",
            "2026-11-21T25:00:00Z",
            "gestern",
            "UTC",
            "--",
        ] {
            assert!(!is_date(said), "{said}");
        }
    }
}
