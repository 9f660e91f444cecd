//! Which of the agent's questions may go out now.

use crate::claims::hooks::Spoken;
use crate::engine::judge::words::Judged;
use crate::engine::repo::{self, LoadedJob, Repo};
use crate::engine::{boundary, fence, jobs, judge, landing, memory, person};
use crate::hosts::Host;
use crate::jobs::questions::{self, Admitted, Ahead, AsksAbout, Grant, Moment};
use crate::memory::condense::Stage;
use crate::phases::Phase;
use crate::phases::message::{self, Message};
use crate::rules::ClaimMode;
use crate::verdict::Refusal;

/// Checks the questions of one call; those that are let through, where any of them counts.
pub(crate) fn ask<'q>(
    repo: &Repo,
    questions: &'q [crate::event::Question],
    phase: &Phase,
    focused: Option<&LoadedJob>,
) -> Result<Vec<Admitted<'q>>, Refusal> {
    let about = AsksAbout::of(questions);
    let mut moment = moment(repo, phase, focused, about);
    let completes = questions.iter().find(|one| questions::text_of_completion(&one.text).is_some());
    if let (Some(focused), Some(question)) = (focused, completes) {
        let ahead = boundary::ahead::ahead(repo, focused, &question.text);
        moment.ahead = ahead.map_err(|error| Refusal::broken("state", &error))?;
        moment.ready |= matches!(moment.ahead, Ahead::Met);
    }
    // Nobody else needs it, and git counts lines for it.
    if let Some(focused) = focused.filter(|_| about.completion && moment.ready) {
        let card = judge::card::line(repo, focused);
        moment.card = card.map_err(|error| Refusal::broken("state", &error))?;
    }
    if about.landing {
        let offered = landing::offer::offered(repo);
        let offered = offered.map_err(|error| Refusal::broken("state", &error))?;
        moment.lands = offered.is_some();
        moment.card = offered.map_or_else(String::new, |offered| offered.card());
    }
    let admitted = questions::admit(questions, &moment)?;
    if let ([one], Some(focused)) = (admitted.as_slice(), focused) {
        fence::surfaces::lock_may_open(repo, one.row.grants, one.name, focused)?;
    }
    if let (Some(one), Some(focused)) = (admitted.first(), focused)
        && one.row.grants == Grant::Criterion
    {
        person::claimed::quoted(repo, focused, one.text)?;
    }
    Ok(admitted)
}

/// What keeps the questions of one call from going out.
pub(crate) fn unfit(
    repo: &Repo,
    host: &Host,
    questions: &[crate::event::Question],
    (phase, focused): (&Phase, Option<&LoadedJob>),
) -> Option<Refusal> {
    is_offered(repo, host, questions)
        .and_then(|()| ask(repo, questions, phase, focused))
        .and_then(|admitted| holds(repo, &admitted, focused))
        .err()
}

/// The question for completion can be put at all: where the host has no tool for it as it is set,
/// no other words let it through.
fn is_offered(
    repo: &Repo,
    host: &Host,
    questions: &[crate::event::Question],
) -> Result<(), Refusal> {
    let completes = AsksAbout::of(questions).completion;
    if completes && !host.offers_questions(|file| repo.host_file(file)) {
        return Err(questions::not_offered());
    }
    Ok(())
}

/// What the question for completion says is shown, where hooks rule by themselves.
fn holds(
    repo: &Repo,
    admitted: &[Admitted<'_>],
    focused: Option<&LoadedJob>,
) -> Result<(), Refusal> {
    let (Some(focused), [one]) = (focused, admitted) else { return Ok(()) };
    let ruled = ruled(repo, one, focused).map_err(|error| Refusal::broken("state", &error))?;
    // Beside a card that says that nothing was changed a question has to say so, too.
    // What an earlier cycle committed is told again in a further one, and is there.
    let first = focused.state.stand.cycle <= 1;
    let goes_back =
        |judged: &Judged| judged.sends_back() || first && judged.tells_what_is_not_there();
    match ruled.filter(goes_back) {
        Some(judged) => {
            let leads = if judged.wants_a_run() {
                boundary::review::way_to_a_run(repo, focused)
            } else {
                Ok(None)
            };
            Err(match leads.map_err(|error| Refusal::broken("state", &error))? {
                Some(next) => judged.refusal_until(Spoken::Question, &next),
                None => judged.refusal(Spoken::Question),
            })
        }
        None => Ok(()),
    }
}

/// The ruling on the question for completion, where hooks rule by themselves.
pub(crate) fn ruled(
    repo: &Repo,
    one: &Admitted<'_>,
    focused: &LoadedJob,
) -> repo::Result<Option<Judged>> {
    if repo.rules.claims != ClaimMode::Judge || one.row.grants != Grant::Complete {
        return Ok(None);
    }
    let said = person::claimed::claimed(repo, one.text, focused);
    judge::words::rule_on(repo, Some(focused), &said).map(Some)
}

/// What decides whether `focused` could be completed now.
pub(crate) fn completion_moment<'a>(repo: &'a Repo, focused: &'a LoadedJob) -> Moment<'a> {
    let finished = jobs::ending::a_person_may_end(repo, focused);
    let moment = moment(repo, repo.row(Some(focused)), Some(focused), AsksAbout::COMPLETION);
    Moment { finished, ..moment }
}

fn moment<'a>(
    repo: &'a Repo,
    phase: &'a Phase,
    focused: Option<&'a LoadedJob>,
    asks: AsksAbout,
) -> Moment<'a> {
    let lane = focused.and_then(|focused| repo.map(&focused.state.stand).lane.as_ref());
    // Read from disk, and only where it is asked about.
    let worked = focused.filter(|_| asks.work);
    let stage = worked.map(|focused| memory::condense::condense_stage(repo, focused));
    Moment {
        job: focused.map(|focused| &focused.state.job),
        admits: &phase.questions,
        stage: stage.map_or("", Stage::word),
        ready: stage == Some(Stage::Ready),
        ahead: Ahead::No,
        eligible: worked.is_some_and(|focused| jobs::completion::eligible(repo, focused)),
        finished: worked.is_some_and(|focused| jobs::ending::is_finished(repo, focused)),
        prepared: focused.is_some_and(|focused| person::answers::is_prepared(repo, focused)),
        fewest: lane.map(|lane| lane.question),
        waits: focused
            .filter(|_| asks.completion)
            .and_then(|focused| jobs::dependencies::held_up(repo, &focused.state)),
        lands: false,
        card: String::new(),
        unseen: if asks.completion { jobs::dependencies::unseen_jobs(repo) } else { Vec::new() },
        section: |text, title| Message::new(text).section(title),
        settled: message::is_settled,
    }
}
