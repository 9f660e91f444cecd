//! A story as it may be handed on: by the day, without refusals and pauses, and without what things
//! took. Whoever says `sync.detail = "full"` hands on all of it.

use crate::engine::repo::Repo;
use crate::engine::story::all::AllStories;
use crate::engine::story::job::{Cost, Event, JobStory};
use crate::jobs::merging::{KEEP, SEEN};
use crate::voice::{Notice, tell};

/// Whom a story is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The person of this clone, to whom it tells all that the clone knows.
    Person,
    /// Whoever it may be handed on to.
    Anyone,
}

/// Steps that tell only when somebody worked.
const PAUSES: [&str; 7] = ["activate", KEEP, "on", "pause", "reactivate", "rest", SEEN];

impl Reader {
    fn told(self) -> String {
        let told = match self {
            Self::Person => Notice::StoryForPerson,
            Self::Anyone => Notice::StoryByDay,
        };
        tell(told, &[])
    }
}

/// The story of a job.
pub(crate) fn of_job(repo: &Repo, reader: Reader, mut story: JobStory) -> JobStory {
    if repo.rules.detail.is_day() {
        match reader {
            Reader::Anyone => cut(&mut story),
            Reader::Person => each_time(&mut story, known),
        }
        story.missing.push(reader.told());
    }
    story
}

/// Those of all jobs.
pub(crate) fn of_all(repo: &Repo, reader: Reader, mut all: AllStories) -> AllStories {
    if repo.rules.detail.is_day() {
        let of_index = if reader == Reader::Anyone { day } else { known };
        all.index.iter_mut().for_each(|row| of_index(&mut row.updated_at));
        match reader {
            Reader::Anyone => {
                all.jobs.iter_mut().for_each(cut);
                all.stats = None;
            }
            Reader::Person => all.jobs.iter_mut().for_each(|job| each_time(job, known)),
        }
        all.missing.push(reader.told());
    }
    all
}

fn cut(story: &mut JobStory) {
    story.cost = Cost::default();
    for stay in &mut story.stays {
        stay.cost = Cost::default();
        stay.events.retain(|event| match event {
            Event::Refusal(_) => false,
            Event::Step(step) => !PAUSES.contains(&step.step.as_str()),
            Event::Said(_) | Event::Tests(_) | Event::Ruling(_) => true,
        });
    }
    each_time(story, day);
}

fn each_time(story: &mut JobStory, change: fn(&mut String)) {
    [&mut story.created_at, &mut story.updated_at].into_iter().for_each(change);
    story.notes.iter_mut().for_each(|note| change(&mut note.at));
    for stay in &mut story.stays {
        change(&mut stay.began);
        stay.ended.iter_mut().for_each(change);
        for event in &mut stay.events {
            change(match event {
                Event::Said(said) => &mut said.at,
                Event::Tests(tests) => &mut tests.at,
                Event::Ruling(ruling) => &mut ruling.at,
                Event::Step(step) => &mut step.at,
                Event::Refusal(refusal) => &mut refusal.at,
            });
        }
    }
}

/// What is known of a moment: of those that another clone wrote down, the day.
fn known(at: &mut String) {
    if at.ends_with("T00:00:00Z") {
        day(at);
    }
}

/// The day of a moment (RFC 3339).
fn day(at: &mut String) {
    if let Some(end) = at.find('T') {
        at.truncate(end);
    }
}
