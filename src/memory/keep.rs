//! Which raw memory is old: the rule `memory.keep`, and the closed jobs that it lets go.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// How much raw memory of closed jobs stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// What closed in the last so many days.
    Days(u32),
    /// The newest so many closed jobs.
    Jobs(u32),
}

/// What `memory.keep` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a number and its unit, such as `90 days` or `50 jobs`")]
pub struct BadKeep;

impl FromStr for Keep {
    type Err = BadKeep;

    fn from_str(text: &str) -> Result<Self, BadKeep> {
        let (number, unit) = text.trim().split_once(' ').ok_or(BadKeep)?;
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BadKeep);
        }
        let number = number.parse().map_err(|_| BadKeep)?;
        match unit.trim_start() {
            "day" | "days" => Ok(Self::Days(number)),
            "job" | "jobs" => Ok(Self::Jobs(number)),
            _ => Err(BadKeep),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = match self {
            Self::Days(number) => (number, "day"),
            Self::Jobs(number) => (number, "job"),
        };
        write!(f, "{number} {unit}{}", if *number == 1 { "" } else { "s" })
    }
}

/// A closed job, and when its state changed last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    pub job: String,
    pub at: i64,
}

impl Keep {
    /// The jobs whose raw memory is old enough to go, at the time `now`.
    pub(crate) fn goes(self, closed: &[Closed], now: i64) -> BTreeSet<String> {
        let mut newest: Vec<&Closed> = closed.iter().collect();
        newest.sort_by(|a, b| (b.at, &b.job).cmp(&(a.at, &a.job)));
        let old: Vec<&Closed> = match self {
            Self::Days(days) => {
                let since = now.saturating_sub(i64::from(days) * DAY);
                newest.into_iter().filter(|one| one.at < since).collect()
            }
            // A number that does not fit is more jobs than there are.
            Self::Jobs(jobs) => {
                newest.into_iter().skip(usize::try_from(jobs).unwrap_or(usize::MAX)).collect()
            }
        };
        old.into_iter().map(|one| one.job.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(n: u32) -> String {
        format!("20261121t2056{n:02}-7f3a")
    }

    #[test]
    fn a_number_needs_its_unit() {
        for (text, keep) in [
            ("90 days", Some(Keep::Days(90))),
            ("1 day", Some(Keep::Days(1))),
            ("50  jobs", Some(Keep::Jobs(50))),
            ("0 jobs", Some(Keep::Jobs(0))),
            ("90", None),
            ("days", None),
            ("-1 days", None),
            ("+1 days", None),
            ("3 weeks", None),
            ("99999999999 days", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), keep, "{text}");
        }
        for text in ["90 days", "1 day", "1 job", "0 jobs"] {
            assert_eq!(text.parse::<Keep>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_newer_stays() {
        let closed: Vec<Closed> =
            (0..4).map(|n| Closed { job: job(n), at: i64::from(n) * DAY }).collect();
        let now = 4 * DAY;
        for (keep, gone) in [
            (Keep::Days(0), 4),
            (Keep::Days(1), 3),
            (Keep::Days(2), 2),
            (Keep::Days(4), 0),
            (Keep::Days(u32::MAX), 0),
            (Keep::Jobs(0), 4),
            (Keep::Jobs(3), 1),
            (Keep::Jobs(4), 0),
            (Keep::Jobs(u32::MAX), 0),
        ] {
            let goes = keep.goes(&closed, now);
            let oldest: BTreeSet<String> = (0..gone).map(job).collect();
            assert_eq!(goes, oldest, "{keep}");
        }
    }
}
