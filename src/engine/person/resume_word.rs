//! `[RESUME]`, and `[ON]` after a pause: a job that a person let rest goes on.

use crate::engine::person::spoken::{Spoken, Told, hand_on};
use crate::engine::record::draft::By;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{briefing, jobs, record};
use crate::hosts::Answer;
use crate::jobs::JobId;
use crate::voice::{self, Notice, tell};

/// Goes on with the job `named`, or with the one that rests here.
pub(crate) fn resume_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    named: Option<&str>,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let said = |told: Told, focused: Option<&LoadedJob>| {
        hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer))
    };
    let job = match (named, focused) {
        (None, Some(focused)) => {
            let told = tell(Notice::ResumeAtWork, &[("job", &focused.state.job.name)]);
            return said(Told::person(told), Some(focused));
        }
        // One that does not read is answered as one that is not there: nothing goes on.
        (Some(id), _) => id.parse::<JobId>().ok().and_then(|id| repo.job(&id).ok()),
        (None, None) => match jobs::birth::paused_here(repo)?.as_slice() {
            [] => jobs::birth::waiting_here(repo)?,
            [one] => Some(one.clone()),
            several => {
                return Ok(Told::person(which_one(several)).alone());
            }
        },
    };
    let Some(job) = job else {
        let told = match named {
            Some(id) => tell(Notice::ResumeUnknown, &[("id", id)]),
            None => tell(Notice::ResumeNothing, &[]),
        };
        return Ok(Told::person(told).alone());
    };
    let resumed = match jobs::resume::resume_job(repo, &job.state.job.id, By::Person) {
        Ok(Ok(resumed)) => resumed.focused,
        Ok(Err(refusal)) => {
            let why = voice::say(&refusal, "idle").why;
            return Ok(Told::person(tell(Notice::ResumeNot, &[("why", &why)])).alone());
        }
        Err(error) => {
            let why = error.to_string();
            return Ok(Told::person(tell(Notice::ResumeNot, &[("why", &why)])).alone());
        }
    };
    jobs::birth::take_over(repo, &resumed.chain, &spoken.driver())?;
    let state = &resumed.state;
    let facts = [("job", state.job.name.as_str()), ("phase", state.stand.phase.as_str())];
    let person = tell(Notice::Resumed, &facts);
    let entry = briefing::gather::where_it_stands(repo, &resumed);
    let agent = format!("{}\n{entry}", tell(Notice::ResumedToAgent, &facts));
    record::journal_line::count_injected(repo, &resumed, &agent)?;
    said(Told::both(person, agent), Some(&resumed))
}

/// Several jobs could be meant: each with the words that go on with it.
fn which_one(several: &[LoadedJob]) -> String {
    let line = |job: &LoadedJob| {
        let job = &job.state.job;
        format!("\"{}\": [RESUME] {}", job.name, job.id)
    };
    let jobs: Vec<String> = several.iter().map(line).collect();
    tell(Notice::ResumeSeveral, &[("jobs", &jobs.join(", "))])
}
