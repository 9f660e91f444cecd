//! A story as it may be handed on: by the day, without refusals and pauses, and without what things
//! took. Whoever says `sync.detail = "full"` hands on all of it.

use crate::engine::repo::Repo;
use crate::engine::story::all::AllStories;
use crate::engine::story::job::{Cost, Event, JobStory, Stay};
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
const PAUSES: [&str; 6] = ["activate", "keep", "on", "pause", "reactivate", "rest"];

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
        if reader == Reader::Anyone {
            cut(&mut story);
        }
        story.missing.push(reader.told());
    }
    story
}

/// Those of all jobs.
pub(crate) fn of_all(repo: &Repo, reader: Reader, mut all: AllStories) -> AllStories {
    if repo.rules.detail.is_day() {
        if reader == Reader::Anyone {
            all.index.iter_mut().for_each(|row| day(&mut row.updated_at));
            all.jobs.iter_mut().for_each(cut);
            all.stats = None;
        }
        all.missing.push(reader.told());
    }
    all
}

fn cut(story: &mut JobStory) {
    story.cost = Cost::default();
    [&mut story.created_at, &mut story.updated_at].into_iter().for_each(day);
    story.notes.iter_mut().for_each(|note| day(&mut note.at));
    story.stays.iter_mut().for_each(cut_stay);
}

fn cut_stay(stay: &mut Stay) {
    stay.cost = Cost::default();
    day(&mut stay.began);
    stay.ended.iter_mut().for_each(day);
    stay.events.retain(|event| match event {
        Event::Refusal(_) => false,
        Event::Step(step) => !PAUSES.contains(&step.step.as_str()),
        Event::Said(_) | Event::Tests(_) | Event::Ruling(_) => true,
    });
    for event in &mut stay.events {
        match event {
            Event::Said(said) => day(&mut said.at),
            Event::Tests(tests) => day(&mut tests.at),
            Event::Ruling(ruling) => day(&mut ruling.at),
            Event::Step(step) => day(&mut step.at),
            Event::Refusal(_) => {}
        }
    }
}

/// The day of a moment (RFC 3339).
fn day(at: &mut String) {
    if let Some(end) = at.find('T') {
        at.truncate(end);
    }
}
