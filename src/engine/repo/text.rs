//! Small words about texts: counts, hashes, times, two texts that become one.

use crate::jobs::UnixSeconds;

/// `1 path`, `2 paths`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// What the agent is told of both.
pub(crate) fn merged(one: Option<String>, other: Option<String>) -> Option<String> {
    one.into_iter().chain(other).reduce(|one, other| format!("{one}\n{other}"))
}

/// A time as RFC 3339 in UTC.
pub(crate) fn rfc3339(at: UnixSeconds) -> String {
    let time =
        time::OffsetDateTime::from_unix_timestamp(at).unwrap_or(time::OffsetDateTime::UNIX_EPOCH);
    time.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
}
