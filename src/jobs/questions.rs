//! The questions that are put before a person, and the answers that count.
//!
//! What a question must say is checked before the person ever sees it; only the literal
//! answer to a question of the literal shape does anything. The shapes are rows of
//! `questions.toml`; where each may be asked stands in the rows of the phases.

use std::sync::OnceLock;

use serde::Deserialize;

use super::{Job, JobId, Status};
use crate::event::Question;
use crate::shipped;
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// The answer that approves.
pub const APPROVE: &str = "Approve completion";
/// The answer that asks for more.
pub const REVIEW: &str = "Review";
/// The answer that leaves an approved job as it is.
pub(crate) const LEAVE: &str = "Leave it";
/// The word of a phase's row where any words may be asked.
pub(crate) const ANY: &str = "*";
/// The section in which nothing may be left.
pub(crate) const OUTSTANDING: &str = "Outstanding Items";

/// How sure the agent is, of a hundred, before it asks for the side lane.
const SURE: u8 = 80;
/// Words that say what the side lane is for, at least.
const PREP_WORDS: usize = 20;

/// What a literal answer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// Approves and completes the job.
    Complete,
    /// Opens the side lane.
    SideLane,
    /// Unlocks one protected surface.
    Surface,
    /// Unlocks one test of the unlocked surface.
    SurfaceTest,
    /// Creates a pending job that may unlock surfaces.
    Job,
    /// Lets the job unlock surfaces.
    Access,
    /// Lets the job repeat.
    Repeat,
    /// Ends the job unfinished.
    Drop,
    /// Lands the approved job, as the question says.
    Land,
    /// Counts a criterion of the contract as met.
    Criterion,
    /// It is kept with the job, and that is all.
    Nothing,
}

/// One registered question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registered {
    pub tag: String,
    /// Words that the question has at least.
    pub words: usize,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub exact: bool,
    #[serde(default)]
    pub sections: Vec<String>,
    #[serde(default)]
    pub empty: Vec<String>,
    /// Titles that are told and not demanded.
    #[serde(default)]
    pub advice: Vec<String>,
    pub grants: Grant,
    /// Options that grant.
    #[serde(default)]
    pub yes: Vec<String>,
    /// It may be asked in every phase, whatever its row admits.
    #[serde(default)]
    pub anywhere: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionTable {
    question: Vec<Registered>,
}

/// What is wrong with the table.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadQuestions {
    #[error("the question table does not read: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("question `{0}` is no tag: a tag is capital letters and dashes in brackets")]
    Tag(String),
    #[error("question `{0}` stands twice")]
    Twice(String),
    #[error("question `{tag}` names `{name}` in `{key}`, which is none of its {of}: {known}")]
    Unknown { tag: String, key: &'static str, name: String, of: &'static str, known: String },
    #[error(
        "question `{0}` grants something, so `yes` names the options that do it; otherwise it \
         names none"
    )]
    Yes(String),
}

/// All rows. The table is part of the binary; a test checks it.
pub(crate) fn rows() -> &'static [Registered] {
    static ROWS: OnceLock<Vec<Registered>> = OnceLock::new();
    ROWS.get_or_init(|| {
        shipped::read::<QuestionTable>(shipped::shipped!("questions"))
            .map(|table| table.question)
            .unwrap_or_default()
    })
}

/// True for a bare tag word such as `WAITING`, and for `*`.
pub(crate) fn is_known(word: &str) -> bool {
    word == ANY || rows().iter().any(|row| row.word() == word)
}

/// Words that the question whether a job is complete has at least: `lane` of them on the small
/// lane.
pub(crate) fn completion_words(lane: Option<usize>) -> usize {
    let row = || rows().iter().find(|row| row.grants == Grant::Complete).map(|row| row.words);
    lane.or_else(row).unwrap_or_default()
}

/// The bare tag words, for error messages.
pub(crate) fn names() -> String {
    rows().iter().map(Registered::word).chain([ANY]).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
fn check(rows: &[Registered]) -> Result<(), BadQuestions> {
    for (n, row) in rows.iter().enumerate() {
        let tag = || row.tag.clone();
        let letters = |c: char| c.is_ascii_uppercase() || c == '-';
        if row.word().is_empty() || row.word() == row.tag || !row.word().chars().all(letters) {
            return Err(BadQuestions::Tag(tag()));
        }
        if rows[..n].iter().any(|earlier| earlier.tag == row.tag) {
            return Err(BadQuestions::Twice(tag()));
        }
        for (key, names, of, known) in [
            ("yes", &row.yes, "options", &row.options),
            ("empty", &row.empty, "sections", &row.sections),
        ] {
            if let Some(name) = names.iter().find(|name| !known.contains(name)) {
                let (name, known) = (name.clone(), known.join(", "));
                return Err(BadQuestions::Unknown { tag: tag(), key, name, of, known });
            }
        }
        if (row.grants == Grant::Nothing) != row.yes.is_empty() {
            return Err(BadQuestions::Yes(tag()));
        }
    }
    Ok(())
}

impl Registered {
    /// Reads and checks a table.
    ///
    /// # Errors
    ///
    /// Says which row is wrong and which names are known.
    #[cfg(test)]
    pub(crate) fn read(table: &str) -> Result<Vec<Self>, BadQuestions> {
        let rows = toml::from_str::<QuestionTable>(table)?.question;
        check(&rows)?;
        Ok(rows)
    }

    /// The registered question that `text` begins as, if any.
    pub(crate) fn of(text: &str) -> Option<&'static Self> {
        let text = text.trim_start();
        rows().iter().find(|row| text.starts_with(&row.tag))
    }

    /// The row that `answer` would grant something of, had its question begun with the tag. Words
    /// that people say of other things, too, are left out: those of one word.
    pub(crate) fn meant_by(answer: &str) -> Option<&'static Self> {
        let whole = |row: &&Self| row.exact && row.granted(answer).is_some();
        rows().iter().filter(|_| answer.trim().contains(' ')).find(whole)
    }

    /// The row of a tag.
    #[cfg(test)]
    pub(crate) fn tagged(tag: &str) -> Option<&'static Self> {
        rows().iter().find(|row| row.tag == tag)
    }

    /// The tag without its brackets.
    pub(crate) fn word(&self) -> &str {
        self.tag.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&self.tag)
    }

    /// True if something hangs on the answer.
    pub(crate) fn decides(&self) -> bool {
        self.grants != Grant::Nothing
    }

    /// What `answer` names where a granting option has a place for a name (empty where it
    /// has none); `None` for an answer that grants nothing.
    pub(crate) fn granted<'a>(&self, answer: &'a str) -> Option<&'a str> {
        self.yes.iter().find_map(|yes| fits(yes, answer.trim()))
    }

    /// True if `options` are the ones that it must offer.
    fn offers(&self, options: &[String]) -> bool {
        let there =
            |want: &String| options.iter().filter(|have| fits(want, have).is_some()).count() == 1;
        let count = match (self.options.len(), self.exact) {
            (0, _) => return true,
            (n, true) => n,
            (n, false) => n + 1,
        };
        options.len() == count && self.options.iter().all(there)
    }

    /// What stands behind the tag on its line: the name of a thing to be made.
    pub(crate) fn subject<'a>(&self, text: &'a str) -> &'a str {
        let text = text.trim_start();
        let rest = text.strip_prefix(self.tag.as_str()).unwrap_or_default();
        rest.lines().next().unwrap_or_default().trim()
    }
}

/// What `option` has in the place of `{name}` in `literal`; an empty text where it has no such
/// place.
fn fits<'a>(literal: &str, option: &'a str) -> Option<&'a str> {
    let Some((before, rest)) = literal.split_once('{') else {
        return (literal == option).then_some("");
    };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    let name = option.strip_prefix(before)?.strip_suffix(after)?;
    (!name.is_empty() && name.trim() == name && !name.contains('\n')).then_some(name)
}

/// Whether the question for completion may be asked before the phase that admits it.
#[derive(Clone, Debug, Default)]
pub enum Ahead {
    /// Not in this phase.
    #[default]
    No,
    /// All that lies between is met: the answer takes the steps.
    Met,
    /// This is missing first.
    Lacks(Refusal),
}

/// What the joint knows about the moment of the question.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    pub job: Option<&'a Job>,
    /// Tag words that the phase admits.
    pub admits: &'a [String],
    /// The stage of condense, by its word; empty where nobody asks for the job's end.
    pub stage: &'a str,
    /// That stage leaves nothing ahead.
    pub ready: bool,
    /// The phase before admits the question as well, on a small lane.
    pub ahead: Ahead,
    /// The plan lets the job end in this cycle.
    pub eligible: bool,
    /// Its last cycle was closed without an answer: the question may still be asked.
    pub finished: bool,
    /// The side lane may be asked for: it was prepared, or need not be.
    pub prepared: bool,
    /// Words that the question for completion has at least, where the track says it.
    pub fewest: Option<usize>,
    /// Why the jobs that it waits for forbid its completion.
    pub waits: Option<Refusal>,
    /// Ids of jobs that the agent made and no person has seen.
    pub unseen: Vec<String>,
    /// A job was approved, and whether it lands is open.
    pub lands: bool,
    /// What git seed knows and the question holds in one line: of the work for completion, branch
    /// and subject for a landing. Empty where neither is asked.
    pub card: String,
    /// The text below a title of a question.
    pub section: fn(&str, &str) -> Option<String>,
    /// Whether a section that must stay empty is: nothing stands there, or `none`.
    pub settled: fn(&str) -> bool,
}

impl Moment<'_> {
    /// The phase admits it, or every phase does, or it is what is left of a finished job.
    fn admits(&self, row: &Registered) -> bool {
        let beside = self.finished || matches!(self.ahead, Ahead::Met);
        let completes = beside && row.grants == Grant::Complete;
        row.anywhere || completes || self.admits.iter().any(|word| word == row.word())
    }

    fn words_of(&self, row: &Registered) -> usize {
        self.fewest.filter(|_| row.grants == Grant::Complete).unwrap_or(row.words)
    }
}

/// Why the job cannot be completed at this moment, whoever would say so.
pub(crate) fn too_soon(moment: &Moment<'_>) -> Option<Refusal> {
    let row = rows().iter().find(|row| row.grants == Grant::Complete)?;
    let refusal = in_time(row, moment).err()?;
    let early = refusal.facts.case() == Some("too-early");
    Some(if early { refusal.case(Case::ApprovedEarly) } else { refusal })
}

/// What stands against the question whether a job is complete where nobody can be asked.
pub(crate) fn not_offered() -> Refusal {
    Refusal::new("question", Wants::Question).case(Case::Unoffered)
}

/// `tag` is that of the question whether a job is complete.
pub(crate) fn asks_for_completion(tag: &str) -> bool {
    rows().iter().any(|row| row.grants == Grant::Complete && row.tag == tag)
}

/// What the question whether a job is complete says behind its tag; `None` for any other text.
pub(crate) fn text_of_completion(question: &str) -> Option<&str> {
    let row = Registered::of(question).filter(|row| row.grants == Grant::Complete)?;
    Some(question.trim_start().strip_prefix(row.tag.as_str())?.trim())
}

/// The question whether the job `name` is complete as the text of a commit: without its tag, the
/// name that it begins with, and what comes next. `prompt` bore the job.
pub(crate) fn as_text(question: &str, name: &str, prompt: &str) -> String {
    let (body, _) = with_next(question);
    let begins = |text: &str| text.find(char::is_alphanumeric).unwrap_or(text.len());
    let said = text_of_completion(body).unwrap_or(body);
    let said = &said[begins(said)..];
    let ends = |rest: &&str| !rest.starts_with(char::is_alphanumeric);
    let Some(rest) = said.strip_prefix(name).filter(ends) else { return said.to_owned() };
    // A name is the head of its prompt, and whoever names the job may say more of that.
    let rest = &said[shared(said, prompt).max(said.len() - rest.len())..];
    // What goes on without a sign in between speaks of the job.
    let goes_on = rest.strip_prefix(' ').is_some_and(|on| on.starts_with(char::is_alphanumeric));
    if goes_on { said.to_owned() } else { rest[begins(rest)..].to_owned() }
}

/// How much of its beginning `said` has in common with `prompt`, in whole words.
fn shared(said: &str, prompt: &str) -> usize {
    let same = said.char_indices().zip(prompt.chars()).take_while(|((_, a), b)| a == b);
    let same = same.last().map_or(0, |((at, last), _)| at + last.len_utf8());
    let ends = |text: &str| !text[same..].starts_with(char::is_alphanumeric);
    if ends(said) && ends(prompt) {
        return same;
    }
    let words = said[..same].trim_end_matches(char::is_alphanumeric);
    words.trim_end_matches(' ').len()
}

/// What the question whether the job `name` is complete says of the work: without its tag, the
/// name, what comes next, and `counted`, the line that git seed counted.
pub(crate) fn said_of_work(question: &str, name: &str, counted: &str) -> String {
    let (body, _) = with_next(question);
    let said = text_of_completion(body).unwrap_or(body);
    let said = without_line(said, counted);
    // In quotes of its own it goes with them, and with the word for what it names.
    let said = ["Job \"", "job \"", "\""]
        .iter()
        .fold(said, |said, head| said.replace(&format!("{head}{name}\""), ""));
    let said = said.replace(name, "");
    // A heading that is advised claims nothing: what stands below it does.
    let row = rows().iter().find(|row| row.grants == Grant::Complete);
    let titles = || row.into_iter().flat_map(|row| &row.advice);
    let is_title = |line: &&str| {
        let bare = line.trim_start_matches(['#', '*', ' ']).trim_end_matches(['*', ':', ' ']);
        line.trim_start().starts_with('#') && titles().any(|title| title.eq_ignore_ascii_case(bare))
    };
    let said: Vec<&str> = said.lines().filter(|line| !is_title(line)).collect();
    let said = said.join("\n");
    said.trim_start_matches(|first: char| !first.is_alphanumeric()).to_owned()
}

/// A question that may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted<'a> {
    pub row: &'static Registered,
    pub text: &'a str,
    /// What its granting option names, where that has a place for a name.
    pub name: &'a str,
}

/// Checks all questions of one call: one that fails sends them all back. Where the phase
/// admits any words nothing is asked of them and no answer to them counts, but for the tags
/// that it names beside; whether a job is complete is asked of none that has not begun.
///
/// # Errors
///
/// Refuses all of them for the first that is no question of this moment, or lacks its shape.
pub fn admit<'a>(
    questions: &'a [Question],
    moment: &Moment<'_>,
) -> Result<Vec<Admitted<'a>>, Refusal> {
    let admitted = |row: &Registered| moment.admits(row);
    let named =
        questions.iter().filter_map(|question| Registered::of(&question.text)).any(admitted);
    let known = |question: &'a Question| Registered::of(&question.text).map(|row| (question, row));
    if moment.admits.iter().any(|word| word == ANY) && !named {
        // Its answer would count for nothing: nobody is asked in vain.
        let completes = |row: &&Registered| row.grants == Grant::Complete;
        let in_vain = questions.iter().filter_map(known).map(|(_, row)| row).find(completes);
        return match in_vain.filter(|_| moment.job.is_some()) {
            Some(row) => Err(no(row, moment, Case::NotBegun)),
            None => Ok(Vec::new()),
        };
    }
    // What decides something is asked alone; said first, as the other question may be a good one.
    if let Some((_, row)) = questions.iter().filter_map(known).find(|(_, row)| row.decides()) {
        in_time(row, moment)?;
        if questions.len() != 1 {
            return Err(no(row, moment, Case::Alone));
        }
    }
    let unregistered = || Refusal::new("question", Wants::Question).case(Case::Unregistered);
    if questions.is_empty() {
        return Err(unregistered());
    }
    let each = questions.iter().map(|question| match known(question) {
        Some((question, row)) => one(question, row, moment),
        None => Err(unregistered()),
    });
    each.collect()
}

fn no(row: &Registered, moment: &Moment<'_>, case: Case) -> Refusal {
    let tags: Vec<String> = moment.admits.iter().map(|word| format!("[{word}]")).collect();
    let titles = if row.sections.is_empty() { &row.advice } else { &row.sections };
    let titles: Vec<String> =
        titles.iter().chain(shape(row, moment)).map(|title| format!("## {title}")).collect();
    let advice: Vec<String> = row.advice.iter().map(|title| format!("## {title}")).collect();
    Refusal::new("question", Wants::Question)
        .case(case)
        .with("tag", row.tag.as_str())
        .with("options", row.options.join("` and `"))
        .with("words", moment.words_of(row).to_string())
        .with("sections", titles.join(", "))
        .with("advice", advice.join(", "))
        .with("admitted", tags.join(", "))
        .with("stage", moment.stage)
        .with("next", moment.unseen.join(", "))
        .with("card", moment.card.as_str())
        .with("job", moment.job.map_or("", |job| job.name.as_str()))
}

/// A question without its last line where that says what comes next, and that line's words.
pub(crate) fn with_next(text: &str) -> (&str, &str) {
    let bare = text.trim_end();
    let start = bare.rfind('\n').map_or(0, |at| at + 1);
    match bare[start..].trim_start().strip_prefix("Next:") {
        Some(next) => (&text[..start], next),
        None => (text, ""),
    }
}

/// Titles that the job itself wants in the question for its completion.
fn shape<'a>(row: &Registered, moment: &Moment<'a>) -> &'a [String] {
    match moment.job {
        Some(job) if row.grants == Grant::Complete => &job.shape,
        _ => &[],
    }
}

/// Is this the time for it?
fn in_time(row: &Registered, moment: &Moment<'_>) -> Result<(), Refusal> {
    let no = |case: Case| Err(no(row, moment, case));
    // Its job may be closed, and in no focus.
    if row.grants == Grant::Land {
        return if moment.lands { Ok(()) } else { no(Case::LandUnasked) };
    }
    let Some(job) = moment.job else { return no(Case::NoJob) };
    let here = moment.admits(row);
    match row.grants {
        Grant::Complete if !here => match &moment.ahead {
            Ahead::Lacks(refusal) => Err(refusal.clone()),
            Ahead::No | Ahead::Met => no(Case::TooEarly),
        },
        _ if !here => no(Case::Elsewhere),
        Grant::Complete if job.status == Status::Completed => no(Case::DoneAlready),
        Grant::Complete if !moment.ready => no(Case::NotReady),
        Grant::Complete if moment.waits.is_some() => moment.waits.clone().map_or(Ok(()), Err),
        Grant::Complete | Grant::Repeat if !moment.eligible => no(Case::CyclesLeft),
        Grant::Access if job.plugin_lock_approval => no(Case::GrantedAlready),
        Grant::SideLane if !moment.prepared => no(Case::Unready),
        _ => Ok(()),
    }
}

fn one<'a>(
    question: &'a Question,
    row: &'static Registered,
    moment: &Moment<'_>,
) -> Result<Admitted<'a>, Refusal> {
    in_time(row, moment)?;
    let no = |case: Case| Err(no(row, moment, case));
    if question.answered || (row.decides() && question.multiple) {
        return no(Case::Alone);
    }
    let text = question.text.as_str();
    match lacks(question, row, moment).as_slice() {
        [] => {}
        [case] => return no(*case),
        cases => {
            // That line stands in the sentence itself, whole.
            let (cards, parts): (Vec<_>, Vec<_>) =
                cases.iter().copied().partition(|case| matches!(case, Case::Card | Case::LandCard));
            let case = if cards.is_empty() { Case::Parts } else { Case::PartsAndCard };
            let refusal = self::no(row, moment, case);
            let parts: Vec<String> = parts.iter().map(|case| part(*case, &refusal)).collect();
            return Err(refusal.with("parts", parts.join("; ")));
        }
    }
    let name = question.options.iter().find_map(|option| row.granted(option)).unwrap_or_default();
    Ok(Admitted { row, text, name })
}

/// All that is wrong with a question whose time it is; the line that git seed counted is last: it
/// is the one thing that the agent cannot know better.
fn lacks(question: &Question, row: &Registered, moment: &Moment<'_>) -> Vec<Case> {
    let text = question.text.as_str();
    let behind_tag = text.trim_start().strip_prefix(row.tag.as_str()).unwrap_or_default();
    let mut cases = Vec::new();
    if text.split_whitespace().count() < moment.words_of(row) {
        let titles = !row.sections.is_empty() || !row.advice.is_empty();
        cases.push(match row.grants {
            Grant::Complete => Case::Short,
            _ if titles => Case::ShortSections,
            _ => Case::ShortBare,
        });
    } else if behind_tag.trim().is_empty() {
        cases.push(Case::Silent);
    }
    if !row.offers(&question.options) {
        cases.push(if row.exact { Case::Options } else { Case::Option });
    }
    match (row.grants, moment.job) {
        (Grant::Complete, Some(job)) if !text.contains(&job.name) => cases.push(Case::Name),
        (Grant::Job, _) if super::check_name(row.subject(text)).is_err() => {
            cases.push(Case::Subject);
        }
        _ => {}
    }
    let (body, next) = with_next(text);
    if row.grants == Grant::Complete && moment.unseen.iter().any(|id| !next.contains(id.as_str())) {
        cases.push(Case::Next);
    }
    for case in lack_sections(row, body, moment) {
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    let unsaid =
        |title: &String| (moment.section)(body, title).is_none_or(|below| below.trim().is_empty());
    if shape(row, moment).iter().any(unsaid) {
        cases.push(Case::Shape);
    }
    // The longer sentence names them.
    if cases.contains(&Case::ShortSections) || cases.contains(&Case::Shape) {
        cases.retain(|case| *case != Case::Sections);
    }
    cases.extend(lacks_card(row, body, &moment.card));
    cases
}

/// One part of several that a question lacks, as what it is to be asked with.
fn part(case: Case, refusal: &Refusal) -> String {
    let fact = |key: &str| refusal.facts.get(key).unwrap_or_default();
    match case {
        Case::Short | Case::ShortBare => format!("at least {} words", fact("words")),
        Case::ShortSections => format!("{}, in at least {} words", fact("sections"), fact("words")),
        Case::Options => format!("exactly the options `{}`", fact("options")),
        Case::Option => format!("the option `{}` and one that declines", fact("options")),
        Case::Name => format!("the name of the job: {}", fact("job")),
        Case::Subject => format!("the name of the new job behind {}", fact("tag")),
        Case::Next => format!("a last line `Next: {}`", fact("next")),
        Case::Outstanding => format!("nothing below `## {OUTSTANDING}`, once that is finished"),
        Case::OutstandingMissing => format!("an empty section `## {OUTSTANDING}`"),
        _ => fact("sections").to_owned(),
    }
}

/// What is wrong with the sections that every question of this kind has.
fn lack_sections(row: &Registered, body: &str, moment: &Moment<'_>) -> Vec<Case> {
    let lacks = |title: &String| match (moment.section)(body, title) {
        None if title == OUTSTANDING => Some(Case::OutstandingMissing),
        None => Some(Case::Sections),
        Some(below) => {
            let is_free = || (moment.settled)(&beside_card(&below, &moment.card));
            (row.empty.contains(title) && !is_free()).then_some(Case::Outstanding)
        }
    };
    row.sections.iter().filter_map(lacks).collect()
}

/// `text` without lines that begin as `card` does: wherever that line stands in a question, it is
/// git seed's own, and whether it is still true is judged by itself.
fn beside_card(text: &str, card: &str) -> String {
    let head = plain(card.split(':').next().unwrap_or_default()).text;
    let is_card = |line: &&str| !head.is_empty() && plain(line).text.starts_with(&head);
    text.lines().filter(|line| !is_card(line)).collect::<Vec<_>>().join("\n")
}

/// What is wrong with a question that has to hold the line `card` and does not.
fn lacks_card(row: &Registered, text: &str, card: &str) -> Option<Case> {
    let case = match row.grants {
        Grant::Complete => Case::Card,
        Grant::Land => Case::LandCard,
        _ => return None,
    };
    (!shows(text, card)).then_some(case)
}

/// `text` holds the line `card`. Marks of Markdown and line ends do not count.
pub(crate) fn shows(text: &str, card: &str) -> bool {
    plain(text).text.contains(&plain(card).text)
}

/// `text` without the line `card`, each time that it holds it whole, in the sense of [`shows`].
pub(crate) fn without_line(text: &str, card: &str) -> String {
    let (all, line) = (plain(text), plain(card));
    let mut kept = String::new();
    let mut from = 0;
    if !line.text.is_empty() {
        for (at, _) in all.text.match_indices(&line.text) {
            let last = at + line.text.len() - 1;
            kept.push_str(&text[from..all.begins[at]]);
            kept.push(' ');
            from = all.ends[last];
        }
    }
    kept.push_str(&text[from..]);
    kept
}

/// A text without marks of Markdown, its blanks as one each.
#[derive(Default)]
struct Plain {
    text: String,
    /// Where the letter that each byte is of begins and ends in the text it was taken from.
    begins: Vec<usize>,
    ends: Vec<usize>,
}

fn plain(text: &str) -> Plain {
    let mut plain = Plain::default();
    let mut gap = None;
    for (at, letter) in text.char_indices() {
        if letter.is_whitespace() {
            gap.get_or_insert(at);
        } else if !"*_`>".contains(letter) {
            if let Some(gap) = gap.take().filter(|_| !plain.text.is_empty()) {
                plain.push(' ', gap, at);
            }
            plain.push(letter, at, at + letter.len_utf8());
        }
    }
    plain
}

impl Plain {
    fn push(&mut self, letter: char, begin: usize, end: usize) {
        self.text.push(letter);
        self.begins.resize(self.text.len(), begin);
        self.ends.resize(self.text.len(), end);
    }
}

/// Hours between two runs: what the answer says, times the `every <n>` of the question.
pub(crate) fn repeat_hours(question: &str, answer: &str) -> u32 {
    const MOST: u32 = 9999;
    let unit = match answer.trim() {
        "Hourly" => 1,
        "Daily" => 24,
        "Weekly" => 168,
        _ => 0,
    };
    let words: Vec<&str> = question.split_whitespace().collect();
    let number = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).parse::<u32>().ok();
    let every = words
        .windows(2)
        .find(|pair| pair[0].eq_ignore_ascii_case("every") && number(pair[1]).is_some());
    let times = every.and_then(|pair| number(pair[1])).unwrap_or(1).max(1);
    unit.min(MOST) * times.min(MOST / unit.max(1))
}

/// What a dependency is whose record was not found.
pub(crate) const NOWHERE: &str = "found nowhere";

/// Whether the next run begins active: the question says `target active`.
pub(crate) fn repeats_active(question: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = question.split_whitespace().map(bare).collect();
    words.windows(2).any(|pair| pair[0] == "target" && pair[1] == "active")
}

/// The dependencies that still stand in the way, from what is known about each.
pub(crate) fn unmet<'a>(
    job: &Job,
    status_of: impl Fn(&JobId) -> Option<(&'a str, Status)>,
) -> Vec<(JobId, String, &'static str)> {
    job.depends_on
        .iter()
        .filter_map(|id| match status_of(id) {
            Some((_, Status::Completed | Status::Voided)) => None,
            Some((name, status)) => Some((id.clone(), name.to_owned(), status.word())),
            None => Some((id.clone(), String::new(), NOWHERE)),
        })
        .collect()
}

/// What decides whether a protected surface, or a test of one, may be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Locks<'a> {
    /// Names of all protected surfaces.
    pub known: &'a [&'a str],
    /// The job may ask for surfaces: a person lets it, or it stands in the side lane.
    pub access: bool,
    pub open: Option<Opened<'a>>,
}

/// The protected surface that is unlocked.
#[derive(Clone, Copy, Debug)]
pub struct Opened<'a> {
    pub surface: &'a str,
    /// Its test that is unlocked, too.
    pub test: Option<&'a str>,
    /// The test that is asked for is one of its tests.
    pub has: bool,
}

/// May a question for the lock of `name` be put to the person, and its answer count? One
/// surface is open at a time, and one test of it.
///
/// # Errors
///
/// Refuses an unknown surface, a job without access, a second lock beside an open one, and a
/// test where no surface is open or the open one has none.
pub fn lock_may_open(grants: Grant, name: &str, locks: &Locks<'_>) -> Verdict {
    let no = |case: Case| Refusal::new("question", Wants::Question).case(case).with("name", name);
    match (grants, locks.open) {
        (Grant::Surface, _) if !locks.known.contains(&name) => {
            Err(no(Case::SurfaceUnknown).with("known", locks.known.join(", ")))
        }
        (Grant::Surface, _) if !locks.access => Err(no(Case::SurfaceAccess)),
        (Grant::Surface, Some(open)) => Err(no(Case::SurfaceBusy).with("open", open.surface)),
        (Grant::SurfaceTest, None) => Err(no(Case::SurfaceNone)),
        (Grant::SurfaceTest, Some(open)) if !open.has => {
            Err(no(Case::SurfaceNoTest).with("open", open.surface))
        }
        (Grant::SurfaceTest, Some(Opened { test: Some(test), .. })) => {
            Err(no(Case::SurfaceBusy).with("open", test))
        }
        _ => Ok(()),
    }
}

/// A question whether a criterion counts quotes one of the contract; `first` is one of those.
pub(crate) fn quotes_no_criterion(first: &str) -> Refusal {
    Refusal::new("question", Wants::Question).case(Case::CriterionQuoted).with("criterion", first)
}

/// A person approves where memory is settled, and the question would have come there.
/// `settles` says that the job stands in such a row, and `asks` that nothing but the question is
/// left of the work.
pub(crate) fn may_be_approved(settles: bool, asks: bool) -> Verdict {
    match (settles, asks) {
        (true, _) => Ok(()),
        (false, true) => Err(asked_first()),
        (false, false) => Err(Refusal::new("question", Wants::Question).case(Case::ApprovedEarly)),
    }
}

/// What a person hears who approves work that only the question is missing of: it may have been
/// asked, and not answered.
pub(crate) fn asked_first() -> Refusal {
    Refusal::new("question", Wants::Question).case(Case::ApprovedUnasked)
}

/// The side lane may be asked for: the rules do not want it prepared, or it is `ready` and that
/// was the last thing that happened.
pub fn is_prepared(wanted: bool, ready: bool, acted: bool) -> bool {
    !wanted || (ready && !acted)
}

/// A cycle may be the job's last: nothing on its map `decides` about a plan document, or that
/// `lets` the job end.
pub fn may_be_last(decides: bool, lets: impl FnOnce() -> bool) -> bool {
    !decides || lets()
}

/// What the questions of one call make somebody look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AsksAbout {
    /// Where notes, footers and the plan stand: one of them decides something.
    pub work: bool,
    /// Other jobs, and the card: one of them would complete the job.
    pub completion: bool,
    /// What a landing would be.
    pub landing: bool,
}

impl AsksAbout {
    pub(crate) fn of(questions: &[Question]) -> Self {
        let any = |is: fn(&Registered) -> bool| {
            questions.iter().filter_map(|question| Registered::of(&question.text)).any(is)
        };
        Self {
            work: any(Registered::decides),
            completion: any(|row| row.grants == Grant::Complete),
            landing: any(|row| row.grants == Grant::Land),
        }
    }

    /// All that completion depends on.
    pub(crate) const COMPLETION: Self = Self { work: true, completion: true, landing: false };
}

/// The agent is `sure`, of a hundred, that it needs the side lane, and says `what` for.
///
/// # Errors
///
/// Refuses where it is not sure enough, or says too little.
pub fn prepares(sure: u8, what: &str) -> Verdict {
    let case = match (sure >= SURE, what.split_whitespace().count() >= PREP_WORDS) {
        (false, _) => Case::PrepUnsure,
        (true, false) => Case::PrepShort,
        (true, true) => return Ok(()),
    };
    Err(Refusal::new("prep", Wants::Question).case(case).with("words", PREP_WORDS.to_string()))
}

/// Every job that one waits for is completed or parked; `unmet` are the others.
///
/// # Errors
///
/// Refuses while one is unmet, and lists them.
pub fn dependencies_hold(unmet: &[(JobId, String, &'static str)]) -> Verdict {
    let Some((first, ..)) = unmet.first() else { return Ok(()) };
    let said = |(id, name, status): &(JobId, String, &'static str)| match name.as_str() {
        "" => format!("{id} ({status})"),
        name => format!("{id} {name} ({status})"),
    };
    let list: Vec<String> = unmet.iter().map(said).collect();
    let nowhere = unmet.iter().find(|(_, _, status)| *status == NOWHERE);
    let case = if nowhere.is_some() { Case::DependencyNowhere } else { Case::Dependencies };
    let id = nowhere.map_or(first, |(id, ..)| id);
    Err(Refusal::new("dependencies", Wants::Settled)
        .case(case)
        .with("id", id.to_string())
        .with("where", list.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, options: &[&str]) -> Question {
        Question {
            text: text.to_owned(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            multiple: false,
            answered: false,
        }
    }

    /// The text below a heading, plainly.
    fn section(text: &str, title: &str) -> Option<String> {
        let mut lines = text.lines().skip_while(|line| line.strip_prefix("## ") != Some(title));
        lines.next()?;
        Some(
            lines
                .take_while(|line| !line.starts_with("## "))
                .flat_map(|line| [line, "\n"])
                .collect(),
        )
    }

    fn moment<'a>(job: Option<&'a Job>, admits: &'a [String]) -> Moment<'a> {
        Moment {
            job,
            admits,
            stage: "ready",
            ready: true,
            ahead: Ahead::No,
            eligible: true,
            finished: false,
            prepared: true,
            fewest: None,
            waits: None,
            unseen: Vec::new(),
            lands: false,
            card: "Seen: 1 file, +1 -1; 2 runs, last `cargo_test` exit 0.".to_owned(),
            section,
            settled: |below| below.trim().is_empty(),
        }
    }

    fn everywhere() -> Vec<String> {
        rows().iter().map(|row| row.word().to_owned()).collect()
    }

    fn job() -> Job {
        let mut job = Job::created("j".parse().expect("an id"), "fix the lexer", 0);
        job.status = Status::Active;
        job
    }

    /// The word that was said: a case, or the tags that were let through.
    fn said(questions: &[Question], moment: &Moment<'_>) -> String {
        match admit(questions, moment) {
            Err(refusal) => refusal.facts.get("case").unwrap_or_default().to_owned(),
            Ok(admitted) => {
                admitted.iter().map(|one| one.row.tag.as_str()).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn a_question_is_the_text_of_a_commit_without_what_is_no_part_of_it() {
        for (question, text) in [
            ("[JOB-COMPLETE] fix: it is done.\n\nNext: j", "it is done."),
            ("[JOB-COMPLETE] `fix`: a fix for the lexer", "a fix for the lexer"),
            (
                "[JOB-COMPLETE] fixes the lexer, and the fix holds",
                "fixes the lexer, and the fix holds",
            ),
            ("[JOB-COMPLETE] The fix is done", "The fix is done"),
            ("[JOB-COMPLETE] fix", ""),
        ] {
            assert_eq!(as_text(question, "fix", "").trim(), text, "{question}");
        }
        let prompt = "fix the lexer that drops escapes, with a test for it";
        for (question, text) in [
            ("[JOB-COMPLETE] fix the lexer: it is done.", "it is done."),
            ("[JOB-COMPLETE] fix the lexer that drops escapes: it is done.", "it is done."),
            (
                "[JOB-COMPLETE] fix the lexer that drops escapes, with a test for it: it is done.",
                "it is done.",
            ),
            ("[JOB-COMPLETE] fix the lexer is done.", "fix the lexer is done."),
            ("[JOB-COMPLETE] fix the lexer", ""),
        ] {
            assert_eq!(as_text(question, "fix the lexer", prompt), text, "{question}");
        }
    }

    #[test]
    fn the_side_lane_is_prepared_and_a_cycle_is_the_last_by_table() {
        for (wanted, ready, acted, is) in [
            (false, false, true, true),
            (true, false, false, false),
            (true, true, false, true),
            (true, true, true, false),
        ] {
            assert_eq!(is_prepared(wanted, ready, acted), is, "{wanted} {ready} {acted}");
        }
        for (decides, lets, may) in
            [(false, false, true), (false, true, true), (true, false, false), (true, true, true)]
        {
            assert_eq!(may_be_last(decides, || lets), may, "{decides} {lets}");
        }
    }

    #[test]
    fn questions_make_one_look_up_what_they_are_about() {
        for (texts, work, completion) in [
            (&[][..], false, false),
            (&["Which colour?"], false, false),
            (&["[WAITING] the key is missing"], false, false),
            (&["[JOB-COMPLETE] it"], true, true),
            (&["Which colour?", "[JOB-COMPLETE] it"], true, true),
        ] {
            let ask = |text: &&str| Question {
                text: (*text).to_owned(),
                options: Vec::new(),
                multiple: false,
                answered: false,
            };
            let questions: Vec<Question> = texts.iter().map(ask).collect();
            let about = AsksAbout { work, completion, landing: false };
            assert_eq!(AsksAbout::of(&questions), about, "{texts:?}");
        }
    }

    #[test]
    fn the_table_has_twelve_sound_rows_in_both_forms() {
        let read = Registered::read(include_str!("questions.toml")).expect("it is sound");
        assert_eq!(read, rows());
        let mut words = everywhere();
        words.sort();
        assert_eq!(
            words,
            [
                "CRITERION",
                "GMODE",
                "JOB-APPROVE-CREATION",
                "JOB-APPROVE-PLUGIN",
                "JOB-COMPLETE",
                "JOB-DROP",
                "LAND",
                "PLUGIN-LOCK",
                "REPEAT-JOB",
                "REPORT-TO-UPSTREAM",
                "TEST-LOCK",
                "WAITING",
            ]
        );
        let complete = Registered::of("[JOB-COMPLETE] x").expect("a row");
        assert_eq!(complete.options, [REVIEW, APPROVE]);
        assert_eq!(complete.granted(APPROVE), Some(""));
    }

    #[test]
    fn a_broken_row_is_named_with_what_is_known() {
        let table = include_str!("questions.toml");
        for (sound, broken, says) in [
            ("tag = \"[WAITING]\"", "tag = \"[GMODE]\"", "question `[GMODE]` stands twice"),
            ("tag = \"[WAITING]\"", "tag = \"WAITING\"", "question `WAITING` is no tag"),
            (
                "yes = [\"Enter gmode\"]",
                "yes = [\"Enter\"]",
                "none of its options: Enter gmode, Stay",
            ),
            (
                "empty = [\"Outstanding Items\"]",
                "empty = [\"Risks\"]",
                "none of its sections: Outstanding",
            ),
            ("yes = [\"Enter gmode\"]", "", "`[GMODE]` grants something"),
            ("grants = \"access\"", "grants = \"acess\"", "unknown variant `acess`"),
            ("exact = true", "exakt = true", "unknown field `exakt`"),
        ] {
            let changed = table.replacen(sound, broken, 1);
            assert_ne!(changed, table, "{sound}");
            let heard =
                Registered::read(&changed).err().map(|bad| bad.to_string()).unwrap_or_default();
            assert!(heard.contains(says), "{broken}: {heard}");
        }
    }

    #[test]
    fn the_name_goes_out_of_a_claim_with_its_quotes() {
        for (question, said) in [
            ("[JOB-COMPLETE] Job \"fix it\": the lexer keeps escapes.", "the lexer keeps escapes."),
            ("[JOB-COMPLETE] fix it: the lexer keeps escapes.", "the lexer keeps escapes."),
            ("[JOB-COMPLETE] \"fix it\" is done.", "is done."),
            (
                "[JOB-COMPLETE] fix it:\n## Objective Met\nIt keeps them.\n## Other\nb",
                "It keeps them.\n## Other\nb",
            ),
        ] {
            assert_eq!(said_of_work(question, "fix it", ""), said, "{question}");
        }
    }

    #[test]
    fn the_completion_question_is_admitted_only_in_its_shape_and_its_time() {
        let (job, all) = (job(), everywhere());
        let ready = moment(Some(&job), &all);
        let elsewhere = ["WAITING".to_owned()];
        let body =
            format!("[JOB-COMPLETE] fix the lexer {}\n## Outstanding Items\n", "word ".repeat(100));
        let body = body.replace("\n##", &format!("\n{}\n##", ready.card));
        let good = question(&body, &[REVIEW, APPROVE]);
        let with = |change: fn(&mut Moment<'_>)| {
            let mut moment = ready.clone();
            change(&mut moment);
            moment
        };
        assert_eq!(said(std::slice::from_ref(&good), &ready), "[JOB-COMPLETE]");
        let done = Job { status: Status::Completed, ..job.clone() };
        let refused = [
            ("too-early", good.clone(), moment(Some(&job), &elsewhere)),
            ("done-already", good.clone(), moment(Some(&done), &all)),
            ("not-ready", good.clone(), with(|m| (m.stage, m.ready) = ("deflate", false))),
            ("cycles-left", good.clone(), with(|m| m.eligible = false)),
            ("no-job", good.clone(), with(|m| m.job = None)),
            ("outstanding", question(&format!("{body}- one\n"), &[REVIEW, APPROVE]), ready.clone()),
            // Git seed's own line is no work that is left, wherever it stands.
            (
                "[JOB-COMPLETE]",
                question(
                    &format!("{}\n{}\n", body.replace(&ready.card, ""), ready.card),
                    &[REVIEW, APPROVE],
                ),
                ready.clone(),
            ),
            (
                "outstanding",
                question(&format!("{body}\n{}\n- one\n", ready.card), &[REVIEW, APPROVE]),
                ready.clone(),
            ),
            ("next", good.clone(), with(|m| m.unseen = vec!["j-2".to_owned()])),
            (
                "[JOB-COMPLETE]",
                question(&format!("{body}\nNext: j-2, j-3\n"), &[REVIEW, APPROVE]),
                with(|m| m.unseen = vec!["j-2".to_owned()]),
            ),
            (
                "outstanding-missing",
                question(&body.replace("## Outstanding Items", ""), &[REVIEW, APPROVE]),
                ready.clone(),
            ),
            (
                "card",
                question(&body.replace("1 file", "9 files"), &[REVIEW, APPROVE]),
                ready.clone(),
            ),
            ("card", question(&body.replace(&ready.card, ""), &[REVIEW, APPROVE]), ready.clone()),
            (
                "[JOB-COMPLETE]",
                question(
                    &body.replace("Seen: 1 file,", "> **Seen:**\n> 1 file,"),
                    &[REVIEW, APPROVE],
                ),
                ready.clone(),
            ),
            ("options", question(&body, &[APPROVE]), ready.clone()),
            ("options", question(&body, &[REVIEW, "approve completion"]), ready.clone()),
            ("options", question(&body, &[REVIEW, APPROVE, "Later"]), ready.clone()),
            ("options", question(&body, &[APPROVE, APPROVE]), ready.clone()),
            (
                "parts-and-card",
                question("[JOB-COMPLETE] fix the lexer", &[REVIEW, APPROVE]),
                ready.clone(),
            ),
            ("parts-and-card", question("[JOB-COMPLETE] fix the lexer", &["Yes"]), ready.clone()),
            ("short", question(&body.replace("word ", ""), &[REVIEW, APPROVE]), ready.clone()),
            (
                "name",
                question(&body.replace("fix the lexer", "it"), &[REVIEW, APPROVE]),
                ready.clone(),
            ),
            ("alone", Question { answered: true, ..good.clone() }, ready.clone()),
            ("alone", Question { multiple: true, ..good.clone() }, ready.clone()),
        ];
        for (expected, question, moment) in refused {
            assert_eq!(said(&[question], &moment), expected);
        }
        assert_eq!(said(&[good.clone(), good], &ready), "alone", "two at once");
    }

    #[test]
    fn all_that_a_question_lacks_is_said_at_once() {
        let (job, all) = (job(), everywhere());
        let shaped = Job { shape: vec!["Where".to_owned()], ..job.clone() };
        let ready = moment(Some(&job), &all);
        let parts = |question: Question, moment: &Moment<'_>| {
            let refusal = admit(&[question], moment).expect_err("it lacks something");
            refusal.facts.get("parts").unwrap_or_default().to_owned()
        };
        let said = parts(question("[JOB-COMPLETE] done", &["Yes"]), &ready);
        let wanted = [
            "at least 100 words",
            "exactly the options `Review` and `Approve completion`",
            "the name of the job: fix the lexer",
            "an empty section `## Outstanding Items`",
        ];
        for part in wanted {
            assert!(said.contains(part), "lacks {part:?}: {said}");
        }
        let words = "word ".repeat(100);
        let two = format!("[JOB-COMPLETE] {words}\n{}\n## Outstanding Items\n- one\n", ready.card);
        let said = parts(question(&two, &[REVIEW, APPROVE]), &ready);
        assert_eq!(
            said,
            "the name of the job: fix the lexer; nothing below `## Outstanding Items`, once that \
             is finished"
        );
        let moment = Moment { unseen: vec!["j-2".to_owned()], ..moment(Some(&shaped), &all) };
        let said = parts(
            question(
                &format!("[JOB-COMPLETE] fix the lexer {words}\n## Outstanding Items\n"),
                &[REVIEW, APPROVE],
            ),
            &moment,
        );
        assert!(
            said.starts_with("a last line `Next: j-2`; ") && said.contains("## Where"),
            "{said}"
        );
        // Each kind of question is told so.
        let said = parts(question("[PLUGIN-LOCK] hooks", &["Yes"]), &moment);
        assert!(said.contains("## Why") && said.contains("one that declines"), "{said}");
        let said = parts(question("[GMODE] x", &["Yes"]), &Moment { prepared: true, ..moment });
        assert!(said.contains("at least") && said.contains("exactly the options"), "{said}");
    }

    #[test]
    fn every_question_of_a_call_is_registered_or_none_goes_out() {
        let (job, all) = (job(), everywhere());
        let moment = moment(Some(&job), &all);
        let waiting =
            || question("[WAITING] the key for the staging host is missing", &["It is there now"]);
        let upstream =
            || question("[REPORT-TO-UPSTREAM] cargo fmt loops on this file", &["Report", "Not"]);
        let plain = || question("Which colour?", &["red", "blue"]);
        for (expected, questions) in [
            ("[WAITING]", vec![waiting()]),
            ("[WAITING] [REPORT-TO-UPSTREAM]", vec![waiting(), upstream()]),
            ("unregistered", vec![]),
            ("unregistered", vec![plain()]),
            ("unregistered", vec![waiting(), plain()]),
            ("unregistered", vec![question("[waiting] for it", &["a", "b"])]),
            ("unregistered", vec![question("see [WAITING] there", &["a", "b"])]),
            ("silent", vec![question("[WAITING]", &["a", "b"])]),
            ("silent", vec![waiting(), question("[WAITING]  ", &["a", "b"])]),
            ("alone", vec![Question { answered: true, ..waiting() }]),
        ] {
            assert_eq!(said(&questions, &moment), expected, "{questions:?}");
        }
        let anything = [ANY.to_owned()];
        let open = Moment { admits: &anything, ..moment };
        for questions in [vec![], vec![plain()], vec![question("[GMODE]", &["a"])]] {
            assert_eq!(said(&questions, &open), "", "any words, and none of them counts");
        }
    }

    #[test]
    fn each_question_has_its_options_and_its_sections() {
        let (job, all) = (job(), everywhere());
        let moment = moment(Some(&job), &all);
        let words = "word ".repeat(100);
        let of = |tag: &str, titles: &[&str]| {
            let sections: String =
                titles.iter().map(|title| format!("\n## {title}\nx\n")).collect();
            format!("{tag} {words}{sections}")
        };
        let lock = of("[PLUGIN-LOCK]", &["Plugin", "Specific Changes", "Why", "Tests Will Run"]);
        let test = of("[TEST-LOCK]", &["Why This Test", "How", "Before vs After"]);
        let make = "[JOB-APPROVE-CREATION] mend the hooks\n## Proposed Objective\nx\n\
            ## Plugins to Touch\nx\n## Why Now\nx\n## Risk Surface\nx\n";
        let gmode = format!("[GMODE] {words}");
        let approvals = ["Approve job creation", "Redirect", "Reject"];
        for (expected, text, options) in [
            ("[PLUGIN-LOCK]", lock.as_str(), &["Unlock plugin hooks", "Leave it locked"][..]),
            ("option", &lock, &["Unlock plugin hooks"]),
            ("option", &lock, &["unlock plugin hooks", "No"]),
            ("option", &lock, &["Unlock plugin ", "No"]),
            ("option", &lock, &["Unlock plugin hooks", "Unlock plugin data"]),
            ("option", &lock, &["Unlock plugin hooks", "No", "Later"]),
            (
                "sections",
                &lock.replace("## Why\n", "## Wherefore\n"),
                &["Unlock plugin hooks", "No"],
            ),
            ("short-sections", "[PLUGIN-LOCK] please", &["Unlock plugin hooks", "No"]),
            ("parts", "[PLUGIN-LOCK] please", &["Yes"]),
            ("[TEST-LOCK]", &test, &["Unlock test hooks/tests/a.sh", "No"]),
            ("[GMODE]", &gmode, &["Stay in phase", "Enter gmode"]),
            ("options", &gmode, &["Enter gmode", "stay in phase"]),
            ("[JOB-APPROVE-CREATION]", make, &approvals),
            ("options", make, &approvals[..2]),
            ("sections", "[JOB-APPROVE-CREATION] mend it\n## Why Now\nx", &approvals),
            ("subject", &make.replace(" mend the hooks", "\nmend"), &approvals),
            (
                "[JOB-APPROVE-PLUGIN]",
                "[JOB-APPROVE-PLUGIN] the hooks",
                &["Approve plugin access", "Decline"],
            ),
            ("options", "[JOB-APPROVE-PLUGIN] the hooks", &["Approve plugin access", "decline"]),
            ("silent", "[REPEAT-JOB]", &["Hourly", "Daily", "Weekly", "Keep one-shot"]),
            (
                "[REPEAT-JOB]",
                "[REPEAT-JOB] every 2",
                &["Hourly", "Daily", "Weekly", "Keep one-shot"],
            ),
        ] {
            assert_eq!(said(&[question(text, options)], &moment), expected, "{text} {options:?}");
        }
        let locked = [question(&lock, &["No", "Unlock plugin my hooks"])];
        let admitted = admit(&locked, &moment).expect("it goes out");
        assert_eq!(admitted[0].name, "my hooks");
        let unprepared = Moment { prepared: false, ..moment.clone() };
        assert_eq!(
            said(&[question(&gmode, &["Enter gmode", "Stay in phase"])], &unprepared),
            "unready"
        );
        let has = Job { plugin_lock_approval: true, ..job.clone() };
        let again = Moment { job: Some(&has), ..moment };
        let access = question("[JOB-APPROVE-PLUGIN] it", &["Approve plugin access", "Decline"]);
        assert_eq!(said(&[access], &again), "granted-already");
    }

    #[test]
    fn only_the_literal_answer_grants() {
        for (tag, answer, granted) in [
            ("[GMODE]", "Enter gmode", Some("")),
            ("[GMODE]", " Enter gmode\n", Some("")),
            ("[GMODE]", "enter gmode", None),
            ("[GMODE]", "Stay in phase", None),
            ("[PLUGIN-LOCK]", "Unlock plugin hooks", Some("hooks")),
            ("[PLUGIN-LOCK]", "Unlock plugin", None),
            ("[PLUGIN-LOCK]", "Unlock plugin {name}", Some("{name}")),
            ("[REPEAT-JOB]", "Daily", Some("")),
            ("[REPEAT-JOB]", "Keep one-shot", None),
            ("[WAITING]", "yes", None),
        ] {
            assert_eq!(
                Registered::tagged(tag).and_then(|row| row.granted(answer)),
                granted,
                "{tag} {answer}"
            );
        }
    }

    #[test]
    fn an_interval_is_the_unit_times_the_number() {
        for (text, answer, hours) in [
            ("[REPEAT-JOB] look again", "Hourly", 1),
            ("[REPEAT-JOB] look again, every 2.", "Daily", 48),
            ("[REPEAT-JOB] Every 3 weeks", "Weekly", 504),
            ("[REPEAT-JOB] every day, every 0", "Daily", 24),
            ("[REPEAT-JOB] every 99999", "Hourly", 9999),
            ("[REPEAT-JOB] every 2", "Keep one-shot", 0),
        ] {
            assert_eq!(repeat_hours(text, answer), hours, "{text} {answer}");
        }
    }

    #[test]
    fn a_target_is_named_or_pending() {
        for (text, active) in [
            ("[REPEAT-JOB] every 2. Target: active.", true),
            ("[REPEAT-JOB] every 2, target **active**", true),
            ("[REPEAT-JOB] every 2, target pending", false),
            ("[REPEAT-JOB] an active one", false),
        ] {
            assert_eq!(repeats_active(text), active, "{text}");
        }
    }

    #[test]
    fn open_dependencies_are_listed_with_their_status() {
        let mut job = Job::created("j".parse().expect("an id"), "n", 0);
        job.depends_on = ["a", "b", "c", "d"].iter().map(|id| id.parse().expect("an id")).collect();
        let unmet = unmet(&job, |id| match id.to_string().as_str() {
            "a" => Some(("first", Status::Completed)),
            "b" => Some(("second", Status::Active)),
            "c" => Some(("third", Status::Voided)),
            _ => None,
        });
        let said: Vec<_> =
            unmet.iter().map(|(id, name, status)| format!("{id} {name} {status}")).collect();
        assert_eq!(said, ["b second active", "d  found nowhere"]);
    }

    fn case(verdict: Verdict) -> String {
        verdict
            .map_or_else(|no| no.facts.get("case").unwrap_or("-").to_owned(), |()| "yes".to_owned())
    }

    #[test]
    fn one_surface_is_open_at_a_time_and_one_test_of_it() {
        let hooks = Opened { surface: "hooks", test: None, has: true };
        let tested = Opened { test: Some("a.sh"), ..hooks };
        let foreign = Opened { has: false, ..hooks };
        for (grants, name, access, open, expected) in [
            (Grant::Surface, "hooks", true, None, "yes"),
            (Grant::Surface, "nothing", true, None, "surface-unknown"),
            (Grant::Surface, "hooks", false, None, "surface-access"),
            (Grant::Surface, "hooks", true, Some(hooks), "surface-busy"),
            (Grant::SurfaceTest, "b.sh", true, None, "surface-none"),
            (Grant::SurfaceTest, "b.sh", false, Some(hooks), "yes"),
            (Grant::SurfaceTest, "b.sh", true, Some(tested), "surface-busy"),
            (Grant::SurfaceTest, "b.sh", true, Some(foreign), "surface-no-test"),
            (Grant::Complete, "", false, None, "yes"),
        ] {
            let locks = Locks { known: &["hooks"], access, open };
            assert_eq!(case(lock_may_open(grants, name, &locks)), expected, "{grants:?} {locks:?}");
        }
    }

    #[test]
    fn who_asks_for_the_side_lane_is_sure_and_says_why() {
        let why = "word ".repeat(20);
        for (sure, what, expected) in [
            (80, why.as_str(), "yes"),
            (79, why.as_str(), "prep-unsure"),
            (100, "too short", "prep-short"),
            (0, "", "prep-unsure"),
        ] {
            assert_eq!(case(prepares(sure, what)), expected, "{sure} {what}");
        }
        for (settles, asks, expected) in [
            (true, false, "yes"),
            (false, true, "approved-unasked"),
            (false, false, "approved-early"),
        ] {
            assert_eq!(case(may_be_approved(settles, asks)), expected, "{settles} {asks}");
        }
    }

    #[test]
    fn what_is_nowhere_is_named_before_what_is_open() {
        let row =
            |id: &str, name: &str, status| (id.parse().expect("an id"), name.to_owned(), status);
        let open = row("a", "fix", "pending");
        let lost = row("b", "", NOWHERE);
        for (unmet, expected, id) in [
            (vec![], "yes", ""),
            (vec![open.clone()], "dependencies", "a"),
            (vec![open, lost], "dependency-nowhere", "b"),
        ] {
            let verdict = dependencies_hold(&unmet);
            assert_eq!(case(verdict.clone()), expected);
            assert_eq!(verdict.err().as_ref().and_then(|no| no.facts.get("id")).unwrap_or(""), id);
        }
    }
}
