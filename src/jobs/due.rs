//! Repeating jobs: when the next run of one is due, and whether it takes the focus. Pure.

use super::{Job, Status, UnixSeconds};

/// Seconds of an hour.
const HOUR: i64 = 3600;

/// True when the next run of `job` is due at `now`. One that is still closing is not, and a
/// clock that jumped back, or an interval beyond all time, makes nothing due.
pub(crate) fn is_due(job: &Job, idle: bool, now: UnixSeconds) -> bool {
    let completed = job.last_completed_at.filter(|at| *at > 0);
    let span = i64::from(job.repeating_interval).checked_mul(HOUR).filter(|span| *span > 0);
    let due = completed.zip(span).and_then(|(at, span)| at.checked_add(span));
    job.status == Status::Completed && idle && due.is_some_and(|due| due < now)
}

/// Which of the `due` jobs may take the focus, if one may: several wait for a choice.
pub(crate) fn takes_focus<'a>(due: &[&'a Job]) -> Option<&'a Job> {
    match due {
        [only] if only.repeats_active => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeating(hours: u32, completed: Option<UnixSeconds>) -> Job {
        let mut job = Job::created("j".parse().expect("an id"), "look again", 0);
        (job.status, job.repeating_interval, job.last_completed_at) =
            (Status::Completed, hours, completed);
        job
    }

    #[test]
    fn a_run_is_due_when_its_interval_has_passed() {
        const AT: UnixSeconds = 1_795_294_572;
        // hours, completed at, now, due
        for (hours, completed, now, due) in [
            (1, Some(AT), AT + HOUR + 1, true),
            (1, Some(AT), AT + HOUR, false),
            (1, Some(AT), AT - 5 * HOUR, false),
            (0, Some(AT), AT + 9 * HOUR, false),
            (1, None, AT, false),
            (1, Some(0), AT, false),
            (1, Some(-AT), AT, false),
            (u32::MAX, Some(AT), AT + HOUR, false),
            (u32::MAX, Some(AT), i64::MAX, true),
            (1, Some(i64::MAX), i64::MAX, false),
            (1, Some(AT), i64::MIN, false),
        ] {
            let job = repeating(hours, completed);
            assert_eq!(is_due(&job, true, now), due, "{hours} h after {completed:?} at {now}");
            assert!(!is_due(&job, false, now), "its last cycle is open");
            for status in [Status::Pending, Status::Active, Status::Awaiting, Status::Voided] {
                assert!(!is_due(&Job { status, ..job.clone() }, true, now), "{status:?}");
            }
        }
    }

    #[test]
    fn one_that_is_due_alone_may_take_the_focus() {
        let quiet = repeating(1, Some(1));
        let eager = Job { repeats_active: true, ..quiet.clone() };
        assert_eq!(takes_focus(&[&eager]), Some(&eager));
        for due in [&[][..], &[&quiet], &[&eager, &quiet], &[&eager, &eager]] {
            assert_eq!(takes_focus(due), None);
        }
    }
}
