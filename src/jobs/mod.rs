//! Jobs: what a piece of work is, how it is born, when it ends.
//!
//! Everything an agent does belongs to one job. This folder holds the record, its
//! status machine and the routing of prompts; where a job stands on its map is
//! [`crate::phases`]' business. Pure: times and ids are brought by the caller.

pub(crate) mod carrying;
pub(crate) mod code;
pub(crate) mod demands;
pub(crate) mod due;
pub(crate) mod ending;
pub mod graph;
pub(crate) mod landing;
pub(crate) mod merging;
pub mod mode;
mod naming;
pub mod questions;
pub mod routing;
pub mod shortword;
pub(crate) mod summary;
pub(crate) mod syncing;
pub(crate) mod undoing;
pub(crate) mod wording;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::verdict::{Case, Refusal, Verdict, Wants};

pub(crate) use crate::event::UnixSeconds;
pub(crate) use naming::Naming;

/// A job's id: creation time in UTC and four hex digits, such as `20261121t205612-7f3a`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(String);

/// A text that is no job id.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a job id; ids look like 20261121t205612-7f3a (git seed job list shows them)")]
pub struct BadJobId(String);

impl FromStr for JobId {
    type Err = BadJobId;

    fn from_str(text: &str) -> Result<Self, BadJobId> {
        let letters =
            text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let ends = !text.starts_with('-') && !text.ends_with('-');
        if letters && ends && (1..=40).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadJobId(text.to_owned()))
        }
    }
}

impl TryFrom<String> for JobId {
    type Error = BadJobId;

    fn try_from(text: String) -> Result<Self, BadJobId> {
        text.parse()
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.0
    }
}

impl JobId {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What a job is called where the prompt that names it is not.
    pub(crate) fn stand_in(&self) -> String {
        format!("job {}", self.0.rsplit('-').next().unwrap_or(&self.0))
    }

    /// The six digits behind the day, where that is the day of `other`.
    pub(crate) fn number_on(&self, other: &Self) -> Option<u32> {
        let (day, rest) = self.0.split_once('t')?;
        let (digits, _) = rest.split_once('-')?;
        let same = other.0.split_once('t').is_some_and(|(its, _)| its == day);
        digits.parse().ok().filter(|_| same && digits.len() == 6)
    }

    /// It has the shape of the ids that git seed makes: a day, a time in UTC or a number, and four
    /// hex digits.
    pub(crate) fn is_stamped(&self) -> bool {
        let digits = |text: &str, n: usize| {
            text.len() == n && text.bytes().all(|letter| letter.is_ascii_digit())
        };
        self.0.split_once('-').is_some_and(|(at, end)| {
            let stamp =
                at.split_once('t').is_some_and(|(day, time)| digits(day, 8) && digits(time, 6));
            stamp && end.len() == 4 && end.bytes().all(|letter| letter.is_ascii_hexdigit())
        })
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a job is in its life. "Blocked" is never stored: it is computed from dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pending,
    Active,
    Completed,
    /// Finished, its cycle closed; a person's approval ends it.
    Awaiting,
    /// Parked for good; never counted again.
    Voided,
}

impl Status {
    /// The word as state, JSON and tables spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Awaiting => "awaiting you",
            Self::Voided => "voided",
        }
    }

    /// True while there is work left in it.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Active)
    }
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub name: String,
    /// The name was taken from the prompt; observe must give a real one.
    #[serde(default)]
    pub provisional: bool,
    pub objective: String,
    pub status: Status,
    /// 1 for the first run; reactivation opens the next.
    pub run: u32,
    /// How many interactions are kept beside the record.
    pub interactions: u32,
    #[serde(default)]
    pub depends_on: Vec<JobId>,
    #[serde(default)]
    pub user_approval: bool,
    #[serde(default)]
    pub plugin_lock_approval: bool,
    /// Hours; 0 for a job that does not repeat.
    #[serde(default)]
    pub repeating_interval: u32,
    /// Its next run begins active, where nothing is in the way, instead of pending.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats_active: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_completed_at: Option<UnixSeconds>,
    pub created_at: UnixSeconds,
    pub updated_at: UnixSeconds,
    /// Titles that the objective has, and the question for completion, besides their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<String>,
    /// A prompt came while it was closing: it bears the next job once idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_prompt: Option<u32>,
    /// It was created, taken up or opened again by its name, and not born of a prompt: it is work
    /// before its first step, and no session's end takes it away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queued: bool,
}

impl Job {
    /// A job born by a person's prompt: active at once, named after its first words.
    pub(crate) fn from_prompt(id: JobId, prompt: &str, at: UnixSeconds) -> Self {
        let name = Self::named_by(prompt);
        Self {
            status: Status::Active,
            provisional: true,
            interactions: 1,
            queued: false,
            ..Self::created(id, &name, at)
        }
    }

    /// What a job is called that a prompt bears.
    pub(crate) fn named_by(prompt: &str) -> String {
        routing::provisional_name(prompt)
    }

    /// The name as chains hold it: never the head of a prompt.
    pub(crate) fn kept_name(&self) -> String {
        if self.provisional { self.id.stand_in() } else { self.name.clone() }
    }

    /// A text of an agent's that a chain or a commit is to hold: a question names the job, and
    /// where that is the head of a prompt it stays out.
    pub(crate) fn without_prompt(&self, text: &str) -> String {
        if self.provisional && !self.name.is_empty() {
            text.replace(&self.name, &self.id.stand_in())
        } else {
            text.to_owned()
        }
    }

    /// A job created on purpose: pending, without a focus.
    pub fn created(id: JobId, name: &str, at: UnixSeconds) -> Self {
        Self {
            id,
            name: name.to_owned(),
            provisional: false,
            objective: String::new(),
            status: Status::Pending,
            run: 1,
            interactions: 0,
            depends_on: Vec::new(),
            user_approval: false,
            plugin_lock_approval: false,
            repeating_interval: 0,
            repeats_active: false,
            last_completed_at: None,
            created_at: at,
            updated_at: at,
            shape: Vec::new(),
            kept_prompt: None,
            queued: true,
        }
    }

    /// Opens the next run of a job that is over, completed or dropped. What it is and what was
    /// said to it stays; an approval was for the run that is over.
    pub(crate) fn begin_again(&mut self, at: UnixSeconds) -> Result<(), BadStatus> {
        let over = matches!(self.status, Status::Completed | Status::Voided);
        let next = self.run.checked_add(1).filter(|_| over);
        let Some(run) = next else {
            let (from, to) = (self.status.word(), Status::Pending.word());
            return Err(BadStatus { job: self.id.clone(), from, to });
        };
        self.run = run;
        self.status = Status::Pending;
        self.user_approval = false;
        self.kept_prompt = None;
        self.updated_at = at;
        Ok(())
    }

    /// The next run may begin: this one is over. `closing` is whether its last cycle is open.
    pub(crate) fn may_begin_again(&self, closing: bool) -> Verdict {
        let case = match self.status {
            Status::Awaiting => Case::ReactivateAwaiting,
            Status::Pending | Status::Active => Case::ReactivateOpen,
            Status::Completed if closing => Case::ReactivateClosing,
            Status::Completed | Status::Voided => return Ok(()),
        };
        Err(self.is_under_way().case(case))
    }

    /// A person may drop it: it is not over. `closing` is whether its last cycle is open.
    pub(crate) fn may_be_dropped(&self, closing: bool) -> Verdict {
        let case = match self.status {
            Status::Voided => Case::DroppedAlready,
            Status::Completed if !closing => Case::DropClosed,
            _ => return Ok(()),
        };
        Err(Refusal::new("drop", Wants::Edge)
            .case(case)
            .with("id", self.id.as_str())
            .with("job", self.name.as_str()))
    }

    /// The refusal of dropping a job that `worktree` has in focus.
    pub(crate) fn is_held_by(&self, worktree: &str) -> Refusal {
        Refusal::new("drop", Wants::Edge)
            .case(Case::DropElsewhere)
            .with("id", self.id.as_str())
            .with("job", self.name.as_str())
            .with("worktree", worktree)
    }

    /// The refusal of a next run while this one is open.
    pub(crate) fn is_under_way(&self) -> Refusal {
        Refusal::new("reactivate", Wants::Edge)
            .case(Case::ReactivateOpen)
            .with("id", self.id.as_str())
            .with("status", self.status.word())
    }

    /// It can be taken up: it is not parked, and not over with its last cycle closed.
    pub(crate) fn may_be_active(&self, closing: bool) -> Verdict {
        let case = match self.status {
            Status::Voided => Case::Parked,
            Status::Completed if !closing => Case::Closed,
            _ => return Ok(()),
        };
        Err(Refusal::new("focus", Wants::Edge).case(case).with("id", self.id.as_str()))
    }

    /// Changes the status, if the machine has the step.
    ///
    /// # Errors
    ///
    /// [`BadStatus`] where the machine has no such step; the job stays as it is.
    pub fn become_(&mut self, to: Status, at: UnixSeconds) -> Result<(), BadStatus> {
        use Status::{Active, Awaiting, Completed, Pending, Voided};
        let legal = matches!(
            (self.status, to),
            (Pending, Active)
                | (Active, Pending | Completed | Awaiting)
                | (Awaiting, Active | Completed)
                | (Pending | Active | Awaiting | Completed, Voided)
        );
        if !legal {
            return Err(BadStatus {
                job: self.id.clone(),
                from: self.status.word(),
                to: to.word(),
            });
        }
        self.status = to;
        self.updated_at = at;
        if to == Completed {
            self.last_completed_at = Some(at);
        }
        Ok(())
    }
}

/// A change of status that the machine does not have.
#[derive(Debug, thiserror::Error)]
#[error("job {job} is {from}; it cannot become {to}")]
pub struct BadStatus {
    pub job: JobId,
    pub from: &'static str,
    pub to: &'static str,
}

/// The most words an objective may have.
pub(crate) const OBJECTIVE_WORDS_MOST: usize = 500;
/// The most bytes an objective may have.
pub(crate) const OBJECTIVE_BYTES_MOST: usize = 4096;
/// Words of a name: fewest and most.
pub(crate) const NAME_WORDS: std::ops::RangeInclusive<usize> = 1..=20;

/// A name or an objective that is out of bounds.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadText {
    #[error("a job's name has 1 to 20 words on one line; this one has {0}")]
    Name(usize),
    #[error("a job's name stands on one line; this one has a line end")]
    Lines,
    #[error("a job's name has at most {NAME_BYTES_MOST} bytes; this one has {0}")]
    LongName(usize),
    #[error("a job's name is plain text; this one has a control character")]
    Control,
    #[error("an objective has at most 500 words; this one has {0}")]
    Objective(usize),
    #[error("an objective has at most 4096 bytes; this one has {0}")]
    Long(usize),
    #[error(
        "`{0}` is no title of a shape; titles are words on one line, at most 40 bytes, with \
         commas between"
    )]
    Title(String),
    #[error("a shape has at most 5 titles, each once; this one has {0}")]
    Shape(usize),
}

/// The most bytes of a job's name. It stands in each step, each question and many sentences.
pub(crate) const NAME_BYTES_MOST: usize = 400;

/// Checks a job's name: one line, at most twenty words.
pub(crate) fn check_name(name: &str) -> Result<&str, BadText> {
    let name = name.trim();
    let words = name.split_whitespace().count();
    match NAME_WORDS.contains(&words) {
        false => Err(BadText::Name(words)),
        true if name.contains('\n') => Err(BadText::Lines),
        true if name.len() > NAME_BYTES_MOST => Err(BadText::LongName(name.len())),
        true if name.chars().any(char::is_control) => Err(BadText::Control),
        true => Ok(name),
    }
}

/// Checks an objective: at most five hundred words.
pub(crate) fn check_objective(objective: &str) -> Result<&str, BadText> {
    let words = objective.split_whitespace().count();
    if objective.trim().len() > OBJECTIVE_BYTES_MOST {
        return Err(BadText::Long(objective.trim().len()));
    }
    if words <= OBJECTIVE_WORDS_MOST {
        Ok(objective.trim())
    } else {
        Err(BadText::Objective(words))
    }
}

/// Reads the titles of an extended objective, with commas between them.
pub(crate) fn check_shape(shape: &str) -> Result<Vec<String>, BadText> {
    const MOST: (usize, usize) = (5, 40);
    let titles: Vec<&str> =
        shape.split(',').map(str::trim).filter(|title| !title.is_empty()).collect();
    for (n, title) in titles.iter().enumerate() {
        let odd = |c: char| c.is_control() || matches!(c, '#' | '`' | '"' | '{' | '}');
        let taken = title.eq_ignore_ascii_case(questions::OUTSTANDING);
        if title.len() > MOST.1 || title.contains(odd) || taken {
            return Err(BadText::Title((*title).to_owned()));
        }
        if n >= MOST.0 || titles[..n].contains(title) {
            return Err(BadText::Shape(titles.len()));
        }
    }
    Ok(titles.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_a_few_short_titles() {
        let read = |shape: &str| check_shape(shape).ok();
        assert_eq!(
            read("Users, Rollback plan,"),
            Some(vec!["Users".into(), "Rollback plan".into()])
        );
        assert_eq!(read(" , "), Some(Vec::new()));
        let long = "x".repeat(41);
        for bad in ["a,b,c,d,e,f", "a,b,a", "## Users", "a\nb", "outstanding items", "a {b}", &long]
        {
            assert!(check_shape(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_name_is_plain_words_on_one_line() {
        assert_eq!(check_name("  fix the lexer ").ok(), Some("fix the lexer"));
        for bad in ["", "a\nb", "red \u{1b}[31m words", &"w ".repeat(21)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_status_machine_has_ten_steps_and_no_other() {
        use Status::{Active, Awaiting, Completed, Pending, Voided};
        let legal = [
            (Pending, Active),
            (Active, Pending),
            (Active, Completed),
            (Active, Awaiting),
            (Awaiting, Active),
            (Awaiting, Completed),
            (Pending, Voided),
            (Active, Voided),
            (Awaiting, Voided),
            (Completed, Voided),
        ];
        let every = [Pending, Active, Completed, Awaiting, Voided];
        for from in every {
            for to in every {
                let mut job = Job::created("j".parse().expect("an id"), "name", 0);
                job.status = from;
                assert_eq!(
                    job.become_(to, 9).is_ok(),
                    legal.contains(&(from, to)),
                    "{from:?} -> {to:?}"
                );
                let completed = to == Completed && legal.contains(&(from, to));
                assert_eq!(job.last_completed_at.is_some(), completed);
            }
        }
    }

    #[test]
    fn only_a_job_that_is_over_begins_again_and_keeps_what_it_is() {
        for status in [Status::Pending, Status::Active, Status::Awaiting] {
            let mut job = Job { status, ..Job::created("j".parse().expect("an id"), "name", 0) };
            assert!(job.begin_again(9).is_err() && job.run == 1, "{status:?}");
        }
        let mut job = Job {
            status: Status::Completed,
            user_approval: true,
            plugin_lock_approval: true,
            repeating_interval: 24,
            last_completed_at: Some(5),
            kept_prompt: Some(3),
            interactions: 3,
            ..Job::created("j".parse().expect("an id"), "name", 0)
        };
        let before = job.clone();
        job.begin_again(9).expect("it was completed");
        let changed = Job {
            run: 2,
            status: Status::Pending,
            user_approval: false,
            kept_prompt: None,
            updated_at: 9,
            ..before
        };
        assert_eq!(job, changed);
    }

    #[test]
    fn ids_are_lower_case_and_short() {
        for (text, sound) in [
            ("20261121t205612-7f3a", true),
            ("j", true),
            ("", false),
            ("-a", false),
            ("a-", false),
            ("A", false),
            ("a/b", false),
            ("a.b", false),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(text.parse::<JobId>().is_ok(), sound, "{text}");
        }
    }

    #[test]
    fn what_is_over_begins_again_and_what_is_open_is_taken_up() {
        let case = |verdict: Verdict| {
            verdict.map_or_else(
                |no| no.facts.get("case").unwrap_or("-").to_owned(),
                |()| "yes".to_owned(),
            )
        };
        for (status, closing, again, active, drops) in [
            (Status::Pending, false, "reactivate-open", "yes", "yes"),
            (Status::Active, false, "reactivate-open", "yes", "yes"),
            (Status::Awaiting, false, "reactivate-awaiting", "yes", "yes"),
            (Status::Completed, true, "reactivate-closing", "yes", "yes"),
            (Status::Completed, false, "yes", "closed", "drop-closed"),
            (Status::Voided, false, "yes", "parked", "dropped-already"),
        ] {
            let mut job = Job::created("j".parse().expect("an id"), "fix the lexer", 0);
            job.status = status;
            assert_eq!(case(job.may_begin_again(closing)), again, "{status:?}");
            assert_eq!(case(job.may_be_active(closing)), active, "{status:?}");
            assert_eq!(case(job.may_be_dropped(closing)), drops, "{status:?}");
        }
    }
}
