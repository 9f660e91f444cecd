//! What joins two chains of one job: its message, and what a step of the one side makes of a state
//! that the other side left.
//!
//! Pure, and of the two tips alone: no clock, no rules, nothing that one clone knows. So whoever
//! has both makes the same commit. A state is compared key by key, as it is written: a key that the
//! step left alone is as the other side has it.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::seed_id;
use super::state::{BadState, State, read_lines, write_lines};
use super::trailers::{self, StepTrailers, Trailers};
use crate::jobs::merging::{JOIN, Kind, Why};
use crate::jobs::{JobId, Status};

/// The trailer of a step that fell: its Seed-Id, and why.
const REJECTED: &str = "Seed-Rejected";
/// The trailer of a word of the published side that another one took the place of.
const OVER: &str = "Seed-Over";

/// What joins two chains of records, two histories of notes, two archives: the same words in every
/// clone and every version, for the commit is named by them.
pub(crate) const RECORDS: &str = "merge: records of two clones\n\nSeed-Step: merge\n";
pub(crate) const NOTES: &str = "Notes joined by 'git seed'\n\nSeed-Step: merge\n";
pub(crate) const ARCHIVES: &str = "archive: merge\n\nSeed-Step: merge\n";

/// The commit joins two chains.
pub(crate) fn is_join(message: &str) -> bool {
    Trailers::of(message).get("Seed-Step") == Some(JOIN)
}

/// The steps that a commit says fell, each with the word that says why.
pub(crate) fn rejected(message: &str) -> impl Iterator<Item = (&str, &str)> {
    let all: Vec<_> = Trailers::of(message).iter().collect();
    all.into_iter().filter(|(key, _)| *key == REJECTED).filter_map(|(_, said)| said.split_once(' '))
}

/// The Seed-Id of a step.
pub(crate) fn id_of(message: &str) -> Option<&str> {
    Trailers::of(message).get("Seed-Id")
}

/// The clone that took a step, where it says so.
pub(crate) fn clone_of(message: &str) -> Option<&str> {
    Trailers::of(message).get("Seed-Clone")
}

/// The Seed-Id of what joins the chains whose last steps have these ids. It names no clone: all of
/// them join alike.
pub(crate) fn join_id(job: &JobId, published: &str, local: &str) -> String {
    seed_id(job.as_str(), Some(&format!("{published} {local}")), JOIN, None)
}

/// What joining came to, besides the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// Steps that fell, in the order of the line.
    pub rejected: Vec<(String, Why)>,
    /// Words of the published side that others took the place of, each with what it says.
    pub over: Vec<(&'static str, String)>,
}

/// Closes the state with the step that joins, and gives its message.
pub(crate) fn seal(state: &mut State, (published, local): (&str, &str), told: &Told) -> String {
    let id = join_id(&state.job.id, published, local);
    state.step.clone_from(&id);
    state.steps += 1;
    state.yielded = false;
    let said = StepTrailers {
        job: state.job.id.to_string(),
        run: state.job.run,
        cycle: state.stand.cycle,
        phase: state.stand.phase.to_string(),
        step: JOIN.to_owned(),
        id,
        ..StepTrailers::default()
    };
    let mut message = trailers::append("merge: two clones went on with it", &said);
    for (id, why) in &told.rejected {
        message.push_str(&format!("{REJECTED}: {id} {}\n", why.word()));
    }
    for (what, text) in &told.over {
        message.push_str(&format!("{OVER}: {what} {text}\n"));
    }
    message
}

/// Where a job stands, as far as a step of a phase depends on it.
pub(crate) fn stands_alike(one: &State, other: &State) -> bool {
    let at = |state: &State| {
        let over = matches!(state.job.status, Status::Completed | Status::Voided);
        let stand = &state.stand;
        (state.job.run, stand.cycle, stand.phase.clone(), stand.track.clone(), over)
    };
    at(one) == at(other)
}

/// New numbers of words, by those that they had on their side.
pub(crate) type Numbers = BTreeMap<u32, u32>;

/// What a step changes in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken<'a> {
    pub kind: Kind,
    pub before: &'a State,
    pub after: &'a State,
}

/// Keys whose numbers count: what a side adds to them is added.
const COUNTS: [&str; 5] = [
    "cost.",
    "job.interactions",
    "plan.contexts",
    "plan.extension_cycles_added",
    "summed.summaries",
];
/// Keys that hold the number of somebody's words.
const NUMBERS: [&str; 4] = ["home.asked", "job.kept_prompt", "summed.due", "summed.through"];
/// Keys that joining itself sets, or that no step sets.
const OF_THE_CHAIN: [&str; 5] = ["folded", "format", "step", "steps", "job.updated_at"];
/// What a step that only adds changes wherever the job stands.
const ANYWHERE: [&str; 13] = [
    "answered",
    "claims",
    "cost.",
    "job.depends_on",
    "job.interactions",
    "job.kept_prompt",
    "job.name",
    "job.objective",
    "job.provisional",
    "job.shape",
    "own_taken",
    "scheduled",
    "summed.",
];

/// Stands for a dot in a key.
const DOT: &str = "\u{1}";

fn is_of(keys: &[&str], key: &str) -> bool {
    keys.iter().any(|one| *one == key || (one.ends_with('.') && key.starts_with(one)))
}

/// Every value of a table by its path; lists are values.
fn flat(table: Table, below: &str, all: &mut BTreeMap<String, Value>) {
    for (key, value) in table {
        // A name of a kind of act may have a dot of its own.
        let path = format!("{below}{}", key.replace('.', DOT));
        match value {
            Value::Table(table) => flat(table, &format!("{path}."), all),
            value => drop(all.insert(path, value)),
        }
    }
}

fn values(state: &State) -> Result<BTreeMap<String, Value>, BadState> {
    let mut all = BTreeMap::new();
    flat(Table::try_from(state)?, "", &mut all);
    Ok(all)
}

fn deep(all: BTreeMap<String, Value>) -> Result<Table, BadState> {
    let mut root = Table::new();
    for (path, value) in all {
        let mut names = path.split('.').peekable();
        let mut table = &mut root;
        while let Some(name) = names.next() {
            let name = name.replace(DOT, ".");
            if names.peek().is_none() {
                table.insert(name, value);
                break;
            }
            let below = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(below) = below else {
                return Err(BadState::Index(format!("two values cannot both stand: {path}")));
            };
            table = below;
        }
    }
    Ok(root)
}

/// Takes a step over to what the other side left. Words of the published side that it takes the
/// place of are added to `over`.
///
/// # Errors
///
/// A state that cannot be written or read as one.
pub(crate) fn carry(
    taken: Taken<'_>,
    numbers: &Numbers,
    onto: &mut State,
    over: &mut Vec<(&'static str, String)>,
) -> Result<(), BadState> {
    let Taken { kind, before, after } = taken;
    let alike = stands_alike(before, onto);
    let moved = before.job.interactions != onto.job.interactions;
    let tree_moved = before.fence.tree != onto.fence.tree;
    let (was, is) = (values(before)?, values(after)?);
    let mut now = values(onto)?;
    let keys: std::collections::BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    for key in keys {
        let (was, is) = (was.get(key), is.get(key));
        let adds = matches!(kind, Kind::Adds | Kind::Says);
        let stays = was == is
            || is_of(&OF_THE_CHAIN, key)
            || (adds && !alike && !is_of(&ANYWHERE, key))
            // A summary covers what its side had: what the other one said is still open.
            || (moved && key == "summed.through");
        if stays {
            continue;
        }
        let value = value_of(kind, key, (was, is, now.get(key)), numbers);
        match value {
            Some(value) => drop(now.insert(key.clone(), value)),
            None => drop(now.remove(key)),
        }
    }
    overridden(before, after, onto, over);
    let (steps, at) = (onto.steps, onto.job.updated_at);
    *onto = deep(now)?.try_into()?;
    onto.steps = steps + 1;
    onto.job.updated_at = at.max(after.job.updated_at);
    if moved && onto.summed.through > before.summed.through {
        onto.summed.through = before.summed.through;
    }
    // It ran on the files of its own side.
    onto.proved &= !tree_moved;
    Ok(())
}

/// What a key says after a step that changed it, where it says `there` on the other side.
fn value_of(
    kind: Kind,
    key: &str,
    (was, is, there): (Option<&Value>, Option<&Value>, Option<&Value>),
    numbers: &Numbers,
) -> Option<Value> {
    match (is, there) {
        (Some(Value::Integer(n)), Some(Value::Integer(t))) if is_of(&COUNTS, key) => {
            let from = was.and_then(Value::as_integer).unwrap_or(0);
            Some(Value::Integer(if *n >= from { t + (n - from) } else { *n }))
        }
        (Some(Value::Integer(n)), None) if is_of(&COUNTS, key) => {
            Some(Value::Integer(n - was.and_then(Value::as_integer).unwrap_or(0)))
        }
        (Some(Value::Integer(n)), _) if is_of(&NUMBERS, key) => {
            let new = u32::try_from(*n).ok().and_then(|n| numbers.get(&n));
            Some(Value::Integer(new.map_or(*n, |new| i64::from(*new))))
        }
        (_, Some(Value::Array(list))) if was != there => Some(Value::Array(listed(was, is, list))),
        // What a step that only adds says beside its own matter yields.
        _ if kind == Kind::Adds && was != there => there.cloned(),
        _ => is.cloned(),
    }
}

/// A list with what a side put into it and without what it took out.
fn listed(was: Option<&Value>, is: Option<&Value>, there: &[Value]) -> Vec<Value> {
    let of = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (was, is) = (of(was), of(is));
    let mut all: Vec<Value> =
        there.iter().filter(|one| is.contains(one) || !was.contains(one)).cloned().collect();
    for one in is {
        if !was.contains(&one) && !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

fn overridden(before: &State, after: &State, onto: &State, over: &mut Vec<(&'static str, String)>) {
    let words = |state: &State| [state.job.name.clone(), state.job.objective.clone()];
    let each = ["name", "objective"].into_iter().zip(words(before));
    for (((what, was), is), there) in each.zip(words(after)).zip(words(onto)) {
        if was != is && there != was && there != is {
            let line: String = there.split_whitespace().collect::<Vec<_>>().join(" ");
            over.push((what, line.chars().take(200).collect()));
        }
    }
}

/// What kind of file a path of a job's tree is, where two sides wrote there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The state, which is no file of its own.
    State,
    /// One of a row: a new one takes the next number.
    Numbered { dir: String, n: u32, ending: String },
    /// The journal of one step.
    Trace { head: String },
    /// Sorted lines: what each side added and took away.
    Lines,
    /// Lines as they came.
    Log,
    /// It is one thing.
    Whole,
}

/// The kind of the file at `path`.
pub(crate) fn place(path: &str) -> Place {
    use super::names;
    let (top, rest) = path.split_once('/').unwrap_or((path, ""));
    match (top, rest) {
        (names::STATE | names::FENCE, "") => Place::State,
        (names::SCOPE | names::ALLOWED | names::PERSONS | names::ACCEPTED | names::TOUCHED, "") => {
            Place::Lines
        }
        ("interactions" | "summaries" | "contexts" | names::LANDED, _) => numbered(top, rest),
        (names::TRACE, _) => match rest.rsplit_once('-') {
            Some((head, _)) => Place::Trace { head: format!("{top}/{head}") },
            None => Place::Whole,
        },
        _ if path.ends_with("/sessions.jsonl") => Place::Log,
        _ => Place::Whole,
    }
}

fn numbered(dir: &str, rest: &str) -> Place {
    let parts = rest.split_once('.').and_then(|(n, ending)| Some((n.parse().ok()?, ending)));
    match parts {
        Some((n, ending)) => Place::Numbered { dir: dir.to_owned(), n, ending: ending.to_owned() },
        None => Place::Whole,
    }
}

/// Sorted lines of which one side added some and took some away.
pub(crate) fn lines(was: &[u8], is: &[u8], there: &[u8]) -> Vec<u8> {
    let [was, is, there] = [was, is, there].map(read_lines);
    let kept = there.iter().filter(|line| is.contains(line) || !was.contains(line));
    let all = kept.chain(is.iter().filter(|line| !was.contains(line)));
    write_lines(all.map(String::as_str)).into_bytes()
}

/// Lines as they came, with those that one side added behind them.
pub(crate) fn log(was: &[u8], is: &[u8], there: &[u8]) -> Vec<u8> {
    let [was, is, mut there] = [was, is, there].map(read_lines);
    let new: Vec<String> =
        is.into_iter().filter(|line| !was.contains(line) && !there.contains(line)).collect();
    there.extend(new);
    there.into_iter().fold(String::new(), |all, line| all + &line + "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Job;

    fn state() -> State {
        let job = Job::created("j".parse().expect("an id"), "fix the lexer", 7);
        State::new(job, "opevc", "main")
    }

    /// What `change` makes of a state, taken over to what `there` made of it.
    fn carried(
        kind: Kind,
        change: impl Fn(&mut State),
        there: impl Fn(&mut State),
    ) -> (State, Vec<(&'static str, String)>) {
        let (before, mut after, mut onto) = (state(), state(), state());
        change(&mut after);
        there(&mut onto);
        let mut over = Vec::new();
        let taken = Taken { kind, before: &before, after: &after };
        carry(taken, &Numbers::from([(1, 3)]), &mut onto, &mut over).expect("it is one state");
        (onto, over)
    }

    #[test]
    fn counts_add_up_and_lists_have_what_both_put_there() {
        let says = |state: &mut State| {
            state.job.interactions = 1;
            state.job.kept_prompt = Some(1);
            state.cost.words = 5;
            state.job.depends_on.push("a".parse().expect("an id"));
        };
        let there = |state: &mut State| {
            state.job.interactions = 2;
            state.cost.words = 7;
            state.job.depends_on.push("b".parse().expect("an id"));
        };
        let (state, _) = carried(Kind::Adds, says, there);
        let told = (state.job.interactions, state.job.kept_prompt, state.cost.words, state.steps);
        assert_eq!(told, (3, Some(3), 12, 1));
        assert_eq!(state.job.depends_on.len(), 2);
    }

    #[test]
    fn what_belongs_to_another_phase_stays_there() {
        let says = |state: &mut State| {
            state.proved = true;
            state.stand.entry.page_edits = 2;
            state.job.interactions = 1;
        };
        let there = |state: &mut State| state.stand.cycle = 1;
        let (state, _) = carried(Kind::Adds, says, there);
        assert_eq!(
            (state.proved, state.stand.entry.page_edits, state.job.interactions),
            (false, 0, 1)
        );
    }

    #[test]
    fn the_last_word_counts_and_the_other_one_is_named() {
        let named =
            |name: &'static str| move |state: &mut State| name.clone_into(&mut state.job.name);
        let (state, over) = carried(Kind::Says, named("mine"), named("theirs"));
        assert_eq!(state.job.name, "mine");
        assert_eq!(over, [("name", "theirs".to_owned())]);
        assert_eq!(carried(Kind::Says, named("mine"), |_| {}).1, []);
    }

    #[test]
    fn a_key_with_a_dot_in_it_is_one_key() {
        let acts = |state: &mut State| {
            state.stand.entry.launches.insert("a.b".to_owned(), 1);
        };
        let (state, _) = carried(Kind::OfPhase, acts, |_| {});
        assert_eq!(state.stand.entry.launches.get("a.b"), Some(&1));
    }

    #[test]
    fn the_message_says_what_fell_and_reads_again() {
        let told = Told {
            rejected: vec![("0123456789ab".to_owned(), Why::Phase)],
            over: vec![("name", "Seed-Id: x".to_owned())],
        };
        let mut state = state();
        let message = seal(&mut state, ("aa", "bb"), &told);
        assert!(is_join(&message));
        assert_eq!(rejected(&message).collect::<Vec<_>>(), [("0123456789ab", "phase")]);
        assert_eq!(id_of(&message), Some(state.step.as_str()));
        assert_ne!(join_id(&state.job.id, "aa", "bb"), join_id(&state.job.id, "bb", "aa"));
    }

    #[test]
    fn lines_have_what_both_sides_added_and_not_what_one_took_away() {
        assert_eq!(lines(b"a\nb\n", b"a\nc\n", b"a\nb\nd\n"), b"a\nc\nd\n");
        assert_eq!(log(b"a\n", b"a\nc\n", b"a\nb\n"), b"a\nb\nc\n");
    }
}
