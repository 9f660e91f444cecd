//! Judges a boundary: may this step be taken now?
//!
//! A gate is a row of a name and a pure function over a [`Crossing`]; the phase's row
//! names the gates that it asks, in order. A failing gate changes nothing and says
//! what kind of work is missing.

use super::criteria::{self, Ground, Lack as CriteriaLack};
use super::message::Message;
use super::pacing::{Demand, Lack, Stay, said};
use super::review::Ending;
use super::{Multiplier, Phase, PhaseKind, PhaseName, Write};
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// Words of a boundary message: up to so many files and pages that the stay changed, so many.
const MESSAGE_WORDS: [(usize, u32); 3] = [(1, 30), (5, 60), (usize::MAX, 100)];
/// Words of the objective.
pub(crate) const OBJECTIVE_WORDS: u32 = 60;
/// Words of a checkpoint's message, where no row says otherwise.
const CHECKPOINT_WORDS: u32 = 20;

/// The gates of a phase that is closed for a person who looked at the work and wants more.
pub(crate) const OF_REVIEW: [&str; 5] = ["notes", "consumption", "archive", "deflation", "clean"];

/// One gate: a name and a pure function.
pub(crate) struct Gate {
    pub name: &'static str,
    /// It judges the boundary's message, which is not there before the step is asked for.
    of_message: bool,
    check: fn(&Crossing<'_>) -> Result<(), Refusal>,
}

/// Every gate there is.
pub(crate) const GATES: &[Gate] = &[
    Gate { name: "summary", of_message: false, check: the_instruction_is_summed_up },
    Gate { name: "dial", of_message: false, check: the_dial_is_set },
    Gate { name: "name", of_message: false, check: the_job_has_a_name },
    Gate { name: "objective", of_message: false, check: the_objective_is_told },
    Gate { name: "shape", of_message: false, check: the_objective_has_its_shape },
    Gate { name: "page", of_message: false, check: a_page_was_updated },
    Gate { name: "decision", of_message: false, check: the_plan_is_decided },
    Gate { name: "document", of_message: false, check: the_plan_document_exists },
    Gate { name: "read-back", of_message: false, check: the_plan_document_was_read },
    Gate { name: "plan-unedited", of_message: false, check: the_plan_document_stands },
    Gate { name: "notes", of_message: false, check: no_note_is_live },
    Gate { name: "consumption", of_message: false, check: the_notes_were_given_on },
    Gate { name: "archive", of_message: false, check: the_footers_are_archived },
    Gate { name: "deflation", of_message: false, check: the_footers_shrank },
    Gate { name: "sealed", of_message: false, check: the_last_words_are_sealed },
    Gate { name: "declared", of_message: false, check: a_directory_is_declared },
    Gate { name: "pace", of_message: false, check: enough_was_done },
    Gate { name: "reflection", of_message: false, check: it_was_looked_at_again },
    Gate { name: "proof", of_message: false, check: it_ran_since_the_last_change },
    Gate { name: "failed-run", of_message: false, check: a_test_run_failed },
    Gate { name: "asked", of_message: false, check: the_person_was_asked },
    Gate { name: "message", of_message: true, check: the_message_is_whole },
    Gate { name: "criteria", of_message: true, check: what_is_met_was_seen_to_run },
    Gate { name: "audit", of_message: true, check: somebody_else_looked },
    Gate { name: "clean", of_message: false, check: the_tree_is_clean },
];

/// True for the name of a gate.
pub(crate) fn is_known(name: &str) -> bool {
    GATES.iter().any(|gate| gate.name == name)
}

/// The names of all gates, for error messages.
pub(crate) fn names() -> String {
    GATES.iter().map(|gate| gate.name).collect::<Vec<_>>().join(", ")
}

/// All that a gate may look at.
#[derive(Clone, Debug)]
pub struct Crossing<'a> {
    pub phase: &'a Phase,
    pub to: &'a PhaseName,
    pub message: &'a Message,
    pub cycle: u32,
    pub multiplier: Option<Multiplier>,
    /// Files and pages that the stay changed.
    pub changed: usize,
    /// Page edits since the phase was entered.
    pub page_edits: u32,
    /// Edits of the plan document since the phase was entered.
    pub plan_edits: u32,
    /// The name was given, not taken from the prompt.
    pub named: bool,
    /// Words of the objective.
    pub objective_words: u32,
    /// A title of the job's own shape that its objective lacks, and all of them.
    pub shapeless: Option<(String, String)>,
    /// Where the plan pointer stands.
    pub plan: PlanStanding,
    /// Where the plan document lies, and what is wrong with it, with line and column.
    pub plan_path: &'a str,
    pub plan_fault: Option<String>,
    /// The plan document, which stands by now, was not read in this stay.
    pub unread: bool,
    /// Live notes in the footers, `page:line`.
    pub live_notes: &'a [String],
    /// A kind of note that was not given to its subagent, and that subagent.
    pub unconsumed: Option<(String, String)>,
    /// What no session log shows of the footers; a refusal that names it.
    pub unarchived: Option<&'a Refusal>,
    /// Whether the person is to be asked before the cycle closes.
    pub ending: Ending,
    /// A compaction file that is open when the job ends.
    pub unsealed: Option<&'a str>,
    /// Footer words now, and the most that may remain.
    pub deflation: Option<(usize, usize)>,
    /// Paths that the agent changed outside the fence.
    pub strays: &'a [String],
    /// A directory is declared, before this step or with it.
    pub declared: bool,
    /// The stay so far, as pacing sees it.
    pub stay: &'a Stay,
    /// Commits in between, in this stay.
    pub checkpoints: u32,
    /// There is something that a checkpoint would commit.
    pub uncommitted: bool,
    /// Code ran well after the last change of a project file.
    pub proved: bool,
    /// The last run of tests of this stay, where it failed and nothing ran well since.
    pub broke: Option<String>,
    /// What stands for a run where there is none; asked only where a row wants to see one.
    pub instead: Option<Instead>,
    /// A declared file of the project that no commit holds as it is, and whose change no call
    /// claims; asked only where a row wants to see runs.
    pub uncommitted_by_nobody: Option<String>,
    /// The last run of tests in this stay failed; asked only where a row wants that.
    pub failed: bool,
    /// Prompts and answers are to be summed up first.
    pub unsummed: bool,
    /// What the message answers, and what stands behind it; asked only where a row has criteria.
    pub criteria: Ground<'a>,
    /// Lines of the work that the cycle changed; asked only where a row has an audit.
    pub lines: usize,
    /// How many notes stand in messages and on no page, and what was misjudged among them; asked
    /// only where memory is worked through.
    pub waiting: usize,
    /// A subagent of the phase was launched in this stay and came back.
    pub audited: bool,
    /// The subagent that the row names for it, where the host finds it.
    pub auditor: Option<&'a str>,
}

/// What stands for a run that proves the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Only words changed, and they were looked at since.
    Seen,
    /// Only words changed, and nothing looked at this file of them since; or at where it was, if
    /// all that changed is gone.
    Look { path: String, gone: bool },
    /// The tests cannot run here; whether the message says that nothing was tested.
    Word { why: String, said: bool },
}

impl Crossing<'_> {
    /// The work that the phase demands, as far as it is done.
    pub(crate) fn met(&self) -> Vec<Demand> {
        let told = self.cycle > 1 || self.objective_words >= OBJECTIVE_WORDS;
        let shrunk = self.deflation.is_none_or(|(now, most)| now <= most);
        let all = [
            (Demand::Objective, self.named && told),
            (Demand::Decision, self.plan != PlanStanding::Undecided),
            (Demand::Checkpoint, self.checkpoints > 0),
            (Demand::Proof, self.unproved().is_ok()),
            (Demand::Archive, self.unarchived.is_none()),
            (Demand::Deflation, shrunk),
        ];
        all.into_iter().filter(|(_, done)| *done).map(|(demand, _)| demand).collect()
    }

    /// Something ran since the last change, or stands for it where nothing can run.
    fn unproved(&self) -> Result<(), Refusal> {
        match &self.instead {
            _ if self.proved => Ok(()),
            Some(Instead::Seen | Instead::Word { said: true, .. }) => Ok(()),
            Some(Instead::Look { path, gone }) => Err(unlooked(path, *gone)),
            Some(Instead::Word { why, .. }) => Err(depth(Case::Untested).with("why", why)),
            None => Err(self.without_proof()),
        }
    }

    /// Nothing ran well: where the last run of tests failed, to run them again is no help.
    fn without_proof(&self) -> Refusal {
        let Some(command) = &self.broke else { return depth(Case::Proof) };
        let mends = self.phase.write.iter().any(|write| matches!(write, Write::Scope | Write::All));
        depth(if mends { Case::Broke } else { Case::BrokeBack }).with("command", command)
    }
}

/// What gates ask about the plan pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStanding {
    Undecided,
    /// No document, or one that is there and reads.
    Settled,
    /// Decided on a document that is not there yet, or does not read.
    Missing,
}

/// Asks the gates of a forward step.
///
/// # Errors
///
/// The refusal of the first gate of the row that objects.
pub fn forward(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    ask(&crossing.phase.exit, crossing)
}

/// All that stands between here and the step forward, but for its message.
pub fn missing(crossing: &Crossing<'_>) -> Vec<Refusal> {
    let own =
        crossing.phase.exit.iter().filter_map(|name| GATES.iter().find(|gate| gate.name == name));
    let open = own.filter(|gate| !gate.of_message).filter_map(|gate| {
        let refusal = (gate.check)(crossing).err()?;
        Some(crossing.phase.names.put_in(Refusal { by: gate.name, ..refusal }))
    });
    open.collect()
}

/// What of `missing`, the gates of a phase further on, is missing before the way there as well.
/// What was changed will be committed by then, what somebody else changed will be named by the step
/// there, and the question is what is about to be asked.
pub fn missing_ahead(missing: Vec<Refusal>) -> impl Iterator<Item = Refusal> {
    let with_other = Some(Case::RanWithOther.word());
    let stays = move |no: &Refusal| {
        !["clean", "asked"].contains(&no.by) && no.facts.get("case") != with_other
    };
    missing.into_iter().filter(stays)
}

/// What `no`, a gate of the phase `row` further on, says before the way there: memory is settled
/// there and nowhere else, so that the way there comes next.
pub(crate) fn settled_there(no: Refusal, row: &Phase) -> Refusal {
    if no.by == "clean" || !OF_REVIEW.contains(&no.by) {
        return no;
    }
    Refusal::new(no.by, Wants::Question).case(Case::MemoryFirst).with("to", row.name.as_str())
}

/// It is missed that something ran, or looked at the work, since it changed: that may be done where
/// the work is done.
pub(crate) fn wants_a_look(no: &Refusal) -> bool {
    let cases = [Case::Proof, Case::Broke, Case::BrokeBack, Case::Unlooked, Case::Untested];
    no.by == "proof" && cases.iter().any(|case| no.facts.get("case") == Some(case.word()))
}

/// Asks the gates of a backward step.
///
/// # Errors
///
/// The refusal of the first gate of the row that objects.
pub fn backward(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    ask(&crossing.phase.back_gates, crossing)
}

/// Asks the gates of a step that leaves a lane for a larger track: what was done is whole
/// and told, and nothing else.
///
/// # Errors
///
/// Refuses an unclean tree, and a message that is missing or not whole.
pub fn upward(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    ask(&["clean".to_owned()], crossing)?;
    if crossing.message.text().is_empty() {
        return Err(Refusal { by: "message", ..no(Wants::Message, Case::LineUp) });
    }
    ask(&["message".to_owned()], crossing)
}

/// Asks the gates of a person's step down to the small lane: what was done is whole. Whoever works
/// there owes no sections, so none are asked of the stay that ends.
///
/// # Errors
///
/// Refuses an unclean tree.
pub(crate) fn downward(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    ask(&["clean".to_owned()], crossing)
}

/// Asks the gates of a step that closes the cycle for a person who looked and wants more: what
/// the question was asked on still stands. What was said in the question is the message.
///
/// # Errors
///
/// The refusal of the first of these gates of the row that objects.
pub fn reviewed(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    let own = crossing.phase.exit.iter().filter(|name| OF_REVIEW.contains(&name.as_str()));
    ask(&own.cloned().collect::<Vec<_>>(), crossing)
}

/// Asks whether a checkpoint may be made: the tree must be the agent's own.
///
/// # Errors
///
/// Refuses while the tree holds what the agent may not commit.
pub fn checkpoint(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    ask(&["clean".to_owned()], crossing)
}

// ---- what a step is asked whatever the row

/// Another cycle is added where memory is settled, and while the job is `open`; `phase` is
/// where it stands.
///
/// # Errors
///
/// Refuses before memory is settled, and once the job is no longer open.
pub fn adds_cycle(row: &Phase, phase: &PhaseName, open: bool) -> Verdict {
    let case = match (row.kind == PhaseKind::Consolidation, open) {
        (true, true) => return Ok(()),
        (true, false) => Case::CycleLate,
        (false, _) => Case::CycleEarly,
    };
    let no = Refusal::new("cycle", Wants::Edge).case(case).with("phase", phase.as_str());
    Err(row.names.put_in(no))
}

/// Commits in between are made where the row has them.
///
/// # Errors
///
/// Refuses in a row without them.
pub fn has_checkpoints(row: &Phase) -> Verdict {
    if row.checkpoints {
        return Ok(());
    }
    Err(row.names.put_in(Refusal::new("edge", Wants::Edge).case(Case::NoCheckpoint)))
}

/// What is said with a step that is none forward: why it is taken, and in a commit in between
/// what was done, in as many words as the row asks for.
///
/// # Errors
///
/// Refuses an empty message, and one with fewer words.
pub fn says_enough(row: &Phase, in_between: bool, message: &Message) -> Verdict {
    let refusal = |case: Case| Refusal::new("message", Wants::Message).case(case);
    if message.text().is_empty() {
        return Err(refusal(Case::Back));
    }
    let floor = row.words.unwrap_or(CHECKPOINT_WORDS);
    if in_between && message.words() < floor {
        return Err(refusal(Case::Checkpoint).with("words", floor.to_string()));
    }
    Ok(())
}

/// The message at the end of this row may name the job and say what it is for.
pub(crate) fn names_the_job(row: &Phase, cycle: u32) -> bool {
    let asks = |gate: &str| row.exit.iter().any(|name| name == gate);
    cycle <= 1 && asks("name") && asks("objective")
}

/// Directories are declared in the row that has that; `dir` is the first one of the step.
///
/// # Errors
///
/// Refuses a directory in a row that declares none.
pub fn declares(row: &Phase, dir: Option<&str>) -> Verdict {
    match dir {
        Some(dir) if !row.declares => {
            let case = if row.leaves_memory_alone() { Case::ScopeLater } else { Case::ScopeTime };
            Err(row.names.put_in(undeclared(case, dir)))
        }
        _ => Ok(()),
    }
}

/// A line that declares a directory, or a kind of note, and does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadLine {
    Scope,
    Kind,
}

/// The refusal of a step that would declare such a line; `what` says where it is and why.
pub(crate) fn misdeclared(line: BadLine, what: &str) -> Refusal {
    undeclared(if line == BadLine::Scope { Case::ScopeLine } else { Case::KindLine }, what)
}

/// The refusal of a step whose `--scope` names `what`, which from the top is `dir`.
pub(crate) fn named_elsewhere(what: &str, dir: &str) -> Refusal {
    undeclared(Case::ScopeHere, what).with("dir", dir)
}

fn undeclared(case: Case, what: &str) -> Refusal {
    Refusal::new("scope", Wants::Declaration).case(case).with("what", what)
}

/// What holds the fence up is as it was: settings of hosts, hooks, the binary. `first` is one
/// that the agent changed, `stuck` one of those that only a person can put back.
pub(crate) fn prints_hold(first: Option<&str>, stuck: Option<&str>) -> Verdict {
    let (case, path) = match (stuck, first) {
        (Some(stuck), _) => (Case::PrintPerson, stuck),
        (None, Some(first)) => (Case::Print, first),
        (None, None) => return Ok(()),
    };
    Err(Refusal::new("prints", Wants::Clean).case(case).with("path", path))
}

/// The tree changed, so hooks must have been `heard`: else they do not fire. A stray was seen
/// by one, and says so for itself.
///
/// # Errors
///
/// Refuses where no hook of the session was heard.
pub fn hooks_fire(changed: bool, heard: bool, strays: bool) -> Verdict {
    if !changed || heard || strays {
        return Ok(());
    }
    Err(Refusal::new("hooks", Wants::Repair).case(Case::SilentHooks))
}

/// What no call claims may be a background command's or a subagent's while one `runs`; once
/// none does, it is somebody else's and waits for the person alone. `new` is a path that
/// changed so since the last boundary.
pub(crate) fn nobody_writes_now(new: Option<&str>, runs: bool) -> Verdict {
    match new {
        Some(path) if runs => Err(changed(Case::Running, path)),
        _ => Ok(()),
    }
}

/// A path that changed outside the fence, as the agent is told of it: by whom says `case`.
pub(crate) fn changed(case: Case, path: &str) -> Refusal {
    Refusal::new("fence", Wants::Clean).case(case).with("path", path)
}

/// The refusal of a boundary at which the check of `surface` failed and `said` so.
pub fn surface_check_failed(surface: &str, said: &str) -> Refusal {
    let said = if said.trim().is_empty() { "it said nothing" } else { said.trim() };
    Refusal::new("surface", Wants::Settled)
        .case(Case::SurfaceCheck)
        .with("surface", surface)
        .with("said", said)
}

/// The name under which a refusal of the person's own hooks stands in the journal.
pub(crate) const VETO: &str = "veto";

/// What a hook of the person's refused, or git itself where there was none, in its own first words.
pub(crate) fn vetoed(hook: Option<&str>, output: &str) -> Refusal {
    const MOST: usize = 160;
    let said = output.lines().map(str::trim).find(|line| line.chars().any(char::is_alphabetic));
    let said = crate::secrets::mask(said.unwrap_or("it said nothing"));
    let said: String = said.chars().take(MOST).collect();
    let case = match hook {
        None => Case::VetoGit,
        Some("commit-msg" | "prepare-commit-msg") => Case::VetoMessage,
        Some(_) => Case::Veto,
    };
    let refusal = Refusal::new(VETO, Wants::Message).case(case).with("said", said);
    match hook {
        Some(hook) => refusal.with("hook", hook),
        None => refusal,
    }
}

/// A commit that an answer waits for took longer than the host waits for the answer.
pub(crate) fn late() -> Refusal {
    Refusal::new(VETO, Wants::Message).case(Case::VetoLate)
}

/// A commit is to be signed, and there is no signature without a hand.
pub(crate) fn unsigned(why: &str) -> Refusal {
    Refusal::new(VETO, Wants::Message).case(Case::Unsigned).with("why", why)
}

/// A hook put `paths` into a commit that may not hold them; the commit is gone again.
pub(crate) fn added(hook: &str, paths: &[String]) -> Refusal {
    held(Case::HookAdded, paths).with("hook", hook)
}

/// The page of a declared directory is gone, and its footers are in HEAD alone.
pub(crate) fn page_is_gone(page: &str) -> Refusal {
    Refusal::new("gate", Wants::Anchors).case(Case::PageIsGone).with("path", page)
}

/// A commit holds `paths` that it may not hold, and others build on it.
pub(crate) fn waits(commit: &str, paths: &[String]) -> Refusal {
    let short: String = commit.chars().take(7).collect();
    held(Case::CommitWaits, paths).with("commit", short)
}

fn held(case: Case, paths: &[String]) -> Refusal {
    const MOST: usize = 3;
    let first = paths.first().map(String::as_str).unwrap_or_default();
    let mut shown = paths.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if let Some(more) = paths.len().checked_sub(MOST).filter(|more| *more > 0) {
        shown = format!("{shown} and {more} more");
    }
    let all = paths.join("\n");
    let refusal = Refusal::new(VETO, Wants::Clean).case(case).with("paths", shown);
    refusal.with("path", first).with("all", all)
}

/// The first title of a job's `shape` below which its `objective` says nothing, and all titles.
pub fn shapeless(shape: &[String], objective: &str) -> Option<(String, String)> {
    let objective = Message::new(objective).titled(shape.iter().map(String::as_str));
    let lacks = |title: &&String| objective.section(title).is_none_or(|below| below.is_empty());
    let title = shape.iter().find(lacks)?.clone();
    let all: Vec<String> = shape.iter().map(|title| format!("## {title}")).collect();
    Some((title, all.join(", ")))
}

/// Words that the message must have at the end of a stay that changed so many files and pages.
pub(crate) fn message_floor(changed: usize) -> u32 {
    let floor = MESSAGE_WORDS.iter().find(|(most, _)| changed <= *most);
    floor.map_or(0, |(_, words)| *words)
}

/// The floors of a message as a person reads them.
pub(crate) fn message_floors() -> String {
    let [(one, few), (several, more), (_, most)] = MESSAGE_WORDS;
    format!("{few} words ({more} from {} files, {most} from {})", one + 1, several + 1)
}

fn ask(names: &[String], crossing: &Crossing<'_>) -> Result<(), Refusal> {
    for gate in names.iter().filter_map(|name| GATES.iter().find(|gate| gate.name == name)) {
        (gate.check)(crossing)
            .map_err(|refusal| crossing.phase.names.put_in(Refusal { by: gate.name, ..refusal }))?;
    }
    Ok(())
}

fn no(wants: Wants, case: Case) -> Refusal {
    Refusal::new("gate", wants).case(case)
}

fn the_instruction_is_summed_up(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.unsummed { Err(no(Wants::Summary, Case::Instruction)) } else { Ok(()) }
}

fn the_dial_is_set(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.phase.dial && crossing.multiplier.is_none() {
        Err(no(Wants::Dial, Case::Gate))
    } else {
        Ok(())
    }
}

fn the_job_has_a_name(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.named { Ok(()) } else { Err(objective(Case::Name)) }
}

fn the_objective_is_told(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.cycle > 1 || crossing.objective_words >= OBJECTIVE_WORDS {
        return Ok(());
    }
    Err(objective(Case::Objective))
}

fn the_objective_has_its_shape(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.shapeless.as_ref().filter(|_| crossing.cycle <= 1) {
        Some((title, all)) => Err(no(Wants::Objective, Case::Shape)
            .with("title", title.as_str())
            .with("sections", all.as_str())),
        None => Ok(()),
    }
}

fn objective(case: Case) -> Refusal {
    no(Wants::Objective, case).with("words", OBJECTIVE_WORDS.to_string())
}

fn a_page_was_updated(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.page_edits > 0 {
        return Ok(());
    }
    let anchor = crossing.phase.anchor.as_deref().unwrap_or("the anchors");
    Err(no(Wants::Page, if crossing.phase.anchor.is_some() { Case::Section } else { Case::Memory })
        .with("anchor", anchor))
}

fn the_plan_is_decided(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.plan {
        PlanStanding::Undecided => Err(no(Wants::Decision, Case::Undecided)),
        PlanStanding::Settled | PlanStanding::Missing => Ok(()),
    }
}

fn the_plan_document_exists(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.plan {
        PlanStanding::Missing => Err(match &crossing.plan_fault {
            Some(fault) => no(Wants::Decision, Case::Faulty).with("fault", fault.as_str()),
            None => no(Wants::Decision, Case::Missing),
        }
        .with("path", crossing.plan_path)),
        PlanStanding::Undecided | PlanStanding::Settled => Ok(()),
    }
}

fn the_plan_document_was_read(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.unread { Err(no(Wants::Decision, Case::Unread)) } else { Ok(()) }
}

fn the_plan_document_stands(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.plan_edits == 0 { Ok(()) } else { Err(no(Wants::Decision, Case::Edited)) }
}

fn no_note_is_live(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.live_notes {
        [] => Ok(()),
        [first, ..] => Err(no(Wants::Settled, Case::Notes).with("where", first.as_str())),
    }
}

fn the_notes_were_given_on(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match &crossing.unconsumed {
        Some((kind, agent)) => Err(no(Wants::Delegation, Case::Unconsumed)
            .with("kind", kind.as_str())
            .with("agent", agent.as_str())),
        None => Ok(()),
    }
}

fn the_footers_are_archived(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    crossing.unarchived.map_or(Ok(()), |lacks| Err(lacks.clone()))
}

fn the_person_was_asked(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    crossing.ending.may_close()
}

fn the_last_words_are_sealed(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    crossing
        .unsealed
        .map_or(Ok(()), |name| Err(no(Wants::Summary, Case::Unsealed).with("name", name)))
}

fn the_footers_shrank(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.deflation {
        Some((now, most)) if now > most => Err(no(Wants::Shrinking, Case::Footers)
            .with("words", now.to_string())
            .with("most", most.to_string())),
        _ => Ok(()),
    }
}

fn a_directory_is_declared(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.declared { Ok(()) } else { Err(no(Wants::Declaration, Case::Nothing)) }
}

fn enough_was_done(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    let met = crossing.met();
    let idle: &[Demand] = if crossing.uncommitted { &[] } else { &[Demand::Checkpoint] };
    let refusal = match crossing.phase.lack(crossing.stay, &met, idle) {
        Some(Lack::Demand(Demand::Proof)) => {
            crossing.unproved().err().unwrap_or_else(|| crossing.without_proof())
        }
        Some(Lack::Demand(demand)) => depth(demand.case()),
        // Where nothing can run, or only words changed, more runs are not to be had.
        Some(_) if crossing.instead.is_some() && crossing.phase.criteria.is_some() => {
            depth(Case::WorkLook)
        }
        Some(_) => depth(Case::Work),
        None => return Ok(()),
    };
    // For a person who asks why: what was done, never what it is worth.
    let words: Vec<&str> = met.iter().map(|demand| demand.word()).collect();
    Err(refusal.with("acts", said(&crossing.stay.acts)).with("met", words.join(" ")).with(
        "multiplier",
        crossing.stay.multiplier.map_or_else(String::new, |multiplier| multiplier.to_string()),
    ))
}

fn it_was_looked_at_again(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.phase.lack_of_reflection(crossing.stay) {
        Some(Lack::Lens(lens)) => Err(depth(Case::Lens).with("lens", lens)),
        Some(Lack::Reflector(agent)) => Err(depth(Case::Reflector).with("agent", agent)),
        Some(_) => {
            let lenses = crossing.phase.pace.as_ref().map(|pace| pace.lenses.join("|"));
            Err(depth(Case::Lenses).with("lens", lenses.unwrap_or_default()))
        }
        None => Ok(()),
    }
}

fn it_ran_since_the_last_change(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    crossing.unproved()?;
    ran_as_committed(crossing)
}

/// What ran, ran with the files as commits hold them.
fn ran_as_committed(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match &crossing.uncommitted_by_nobody {
        Some(path) => Err(depth(Case::RanWithOther).with("path", path)),
        None => Ok(()),
    }
}

/// A fix begins with a test that shows the fault: it fails while the fault is there.
fn a_test_run_failed(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    if crossing.failed { Ok(()) } else { Err(depth(Case::FailedRun)) }
}

fn unlooked(path: &str, gone: bool) -> Refusal {
    let look = if gone { "git status".to_owned() } else { format!("cat {path}") };
    depth(Case::Unlooked).with("path", path).with("look", look)
}

fn depth(case: Case) -> Refusal {
    no(Wants::Depth, case)
}

/// The section that answers for a multiplier which called for far less work than there was.
pub(crate) const MISJUDGED: &str = "What I Misjudged";

/// Words that it has at least.
const ANSWER_WORDS: usize = 20;

fn the_message_is_whole(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    let titles = crossing.phase.sections_towards(crossing.to);
    let floor = crossing.phase.words.unwrap_or_else(|| message_floor(crossing.changed));
    let named = crossing.phase.sections_towards(crossing.to).map(|title| format!("## {title}"));
    let sections = named.collect::<Vec<_>>().join(", ");
    let shape = |case: Case| {
        no(Wants::Message, case)
            .with("words", floor.to_string())
            .with("sections", sections.as_str())
    };
    if crossing.message.forges_trailers() {
        return Err(shape(Case::Trailers));
    }
    if crossing.message.text().is_empty() {
        return Err(shape(if sections.is_empty() { Case::Line } else { Case::None }));
    }
    let faults = crossing.message.faults(titles);
    if !faults.is_none() {
        let mut refusal = shape(Case::Sections);
        faults.name(&mut refusal.facts);
        return Err(refusal);
    }
    if crossing.message.words() < floor {
        return Err(shape(Case::Short));
    }
    let answer = crossing.message.section(MISJUDGED);
    let answered = answer.is_some_and(|text| text.split_whitespace().count() >= ANSWER_WORDS);
    if crossing.phase.is_misjudged(crossing.stay) && !answered {
        return Err(shape(Case::Misjudged).with("section", MISJUDGED));
    }
    let routed = crossing.message.section(ROUTED).map_or(0, |section| answers_in(&section));
    let asks = crossing.phase.sections.iter().any(|title| title == ROUTED);
    if asks && routed < crossing.waiting {
        return Err(shape(Case::Waiting)
            .with("section", ROUTED)
            .with("count", crossing.waiting.to_string()));
    }
    Ok(())
}

/// The section that says what became of notes.
const ROUTED: &str = "Markers Consumed";

/// Items of a list that say something, three words at least.
fn answers_in(section: &str) -> usize {
    let item = |line: &str| {
        let line = line.trim_start();
        let numbered = line.trim_start_matches(|first: char| first.is_ascii_digit());
        let bare = line.strip_prefix(['-', '*', '+']);
        let said = bare.or_else(|| numbered.strip_prefix(['.', ')']).filter(|_| numbered != line));
        said.is_some_and(|said| said.split_whitespace().count() >= 3)
    };
    section.lines().filter(|line| item(line)).count()
}

fn what_is_met_was_seen_to_run(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    let Some(section) = crossing.phase.criteria.as_deref() else { return Ok(()) };
    ran_as_committed(crossing)?;
    criteria::check(crossing.message, section, &crossing.criteria)
        .map_err(|lack| criteria_lack(lack, section))
}

fn criteria_lack(lack: CriteriaLack, section: &str) -> Refusal {
    let claim = |case: Case| no(Wants::Claim, case).with("section", section);
    match lack {
        CriteriaLack::Unanswered { criterion } => {
            claim(Case::CriterionUnanswered).with("criterion", criterion)
        }
        CriteriaLack::Unmet { criterion } => {
            claim(Case::CriterionUnmet).with("criterion", criterion)
        }
        CriteriaLack::NoneMet => claim(Case::CriterionNone),
        CriteriaLack::Nothing { criterion } => claim(Case::Criterion).with("criterion", criterion),
        CriteriaLack::Part { criterion } => claim(Case::CriterionPart).with("criterion", criterion),
        CriteriaLack::Command { criterion, command } => {
            claim(Case::CriterionCommand).with("criterion", criterion).with("command", command)
        }
        CriteriaLack::Failing { command } => claim(Case::CriterionFailing).with("command", command),
        CriteriaLack::Untried { criterion, command } => {
            claim(Case::CriterionUntried).with("criterion", criterion).with("command", command)
        }
        CriteriaLack::Unlooked { path, gone } => unlooked(&path, gone),
        CriteriaLack::Untestable { criterion, why } => {
            claim(Case::CriterionUntestable).with("criterion", criterion).with("why", why)
        }
    }
}

/// Large work is looked at by somebody else, or its author answers what they would ask.
fn somebody_else_looked(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    let Some(audit) = &crossing.phase.audit else { return Ok(()) };
    let answers = crossing.message.section(&audit.section);
    let answered = answers.is_some_and(|section| audit.is_answered(&section));
    if crossing.lines < audit.lines || crossing.audited || answered {
        return Ok(());
    }
    let refusal = match crossing.auditor {
        Some(agent) => no(Wants::Claim, Case::AuditNamed).with("agent", agent),
        None => no(Wants::Claim, Case::Audit),
    };
    Err(refusal
        .with("section", audit.section.as_str())
        .with("questions", audit.questions.join("; ")))
}

fn the_tree_is_clean(crossing: &Crossing<'_>) -> Result<(), Refusal> {
    match crossing.strays {
        [] => Ok(()),
        [first, rest @ ..] => {
            Err(no(Wants::Clean, if rest.is_empty() { Case::One } else { Case::Many })
                .with("path", first.as_str())
                .with("more", rest.len().to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{Map, OPEVC, Write};

    const STORY: &str = "settle it\n\n## What I Observed\na\n## Sources Consulted\nb\n\
        ## Questions Resolved\nc\n## Outstanding Items\n";

    /// A crossing out of observe that every gate lets through.
    fn ready<'a>(map: &'a Map, message: &'a Message, to: &'a PhaseName) -> Crossing<'a> {
        static WORKED: std::sync::OnceLock<Stay> = std::sync::OnceLock::new();
        let stay = WORKED.get_or_init(|| Stay {
            acts: [("page".to_owned(), 9)].into(),
            multiplier: "3".parse().ok(),
            ..Stay::default()
        });
        Crossing {
            failed: true,
            unsummed: false,
            phase: map.phase(&"observe".into()).expect("a phase"),
            to,
            message,
            cycle: 1,
            multiplier: "3".parse().ok(),
            changed: 1,
            page_edits: 1,
            plan_edits: 0,
            named: true,
            objective_words: 100,
            shapeless: None,
            plan: PlanStanding::Undecided,
            plan_path: ".claude/jobs/j/plan.md",
            plan_fault: None,
            unread: false,
            live_notes: &[],
            unconsumed: None,
            unarchived: None,
            unsealed: None,
            ending: Ending::Free,
            deflation: None,
            strays: &[],
            declared: true,
            stay,
            checkpoints: 1,
            uncommitted: true,
            uncommitted_by_nobody: None,
            proved: true,
            broke: None,
            instead: None,
            criteria: Ground::default(),
            lines: 0,
            waiting: 0,
            audited: false,
            auditor: None,
        }
    }

    fn story() -> Message {
        Message::new(&STORY.replace("\na\n", &format!("\n{}\n", "word ".repeat(40))))
    }

    fn said(verdict: Result<(), Refusal>) -> String {
        verdict.map_or_else(
            |no| {
                format!(
                    "{} {} {}",
                    no.by,
                    no.wants.word(),
                    no.facts.get("case").unwrap_or_default()
                )
            },
            |()| "passes".to_owned(),
        )
    }

    #[test]
    fn each_gate_of_observe_asks_for_its_work() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let (message, to) = (story(), PhaseName::from("plan"));
        let strays = vec!["src/a".to_owned()];
        let (short, none) = (Message::new(STORY), Message::new(""));
        let forged = Message::new(&format!("{}\nSeed-Id: 1", story().text()));
        let base = || ready(&map, &message, &to);
        let cases: Vec<(Crossing<'_>, &str)> = vec![
            (base(), "passes"),
            (Crossing { multiplier: None, ..base() }, "dial dial gate"),
            (Crossing { named: false, ..base() }, "name objective name"),
            (Crossing { objective_words: 59, ..base() }, "objective objective objective"),
            (Crossing { objective_words: 0, cycle: 2, ..base() }, "passes"),
            (
                Crossing { shapeless: Some(("Users".into(), "## Users".into())), ..base() },
                "shape objective shape",
            ),
            (
                Crossing {
                    shapeless: Some(("Users".into(), "## Users".into())),
                    cycle: 2,
                    ..base()
                },
                "passes",
            ),
            (Crossing { page_edits: 0, ..base() }, "page page section"),
            (Crossing { message: &none, ..base() }, "message message none"),
            (Crossing { message: &short, ..base() }, "message message short"),
            (Crossing { changed: 2, ..base() }, "message message short"),
            (Crossing { message: &forged, ..base() }, "message message trailers"),
            (Crossing { strays: &strays, ..base() }, "clean clean one"),
        ];
        for (crossing, expected) in cases {
            assert_eq!(said(forward(&crossing)), expected);
        }
    }

    #[test]
    fn the_other_phases_ask_for_theirs() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let (message, to) = (Message::new(""), PhaseName::from("verify"));
        let notes = vec!["CLAUDE.md:9".to_owned()];
        let lacks = Refusal::new("gate", Wants::Archive).case(Case::Words);
        let at = |phase: &str| Crossing {
            phase: map.phase(&phase.into()).expect("a phase"),
            ..ready(&map, &message, &to)
        };
        for (crossing, expected) in [
            (at("plan"), "decision decision undecided"),
            (Crossing { plan: PlanStanding::Settled, ..at("plan") }, "message message none"),
            (
                Crossing { plan: PlanStanding::Settled, unread: true, ..at("plan") },
                "read-back decision unread",
            ),
            (
                Crossing { plan: PlanStanding::Missing, ..at("execute") },
                "document decision missing",
            ),
            (
                Crossing {
                    plan: PlanStanding::Missing,
                    plan_fault: Some("2:1: no".into()),
                    ..at("execute")
                },
                "document decision faulty",
            ),
            (Crossing { plan_edits: 1, ..at("verify") }, "plan-unedited decision edited"),
            (Crossing { live_notes: &notes, ..at("condense") }, "notes settled notes"),
            (Crossing { unarchived: Some(&lacks), ..at("condense") }, "archive archive words"),
            (
                Crossing { deflation: Some((365, 364)), ..at("condense") },
                "deflation shrinking footers",
            ),
            (
                Crossing { unsealed: Some("compaction-1.md"), ..at("condense") },
                "sealed summary unsealed",
            ),
            (Crossing { deflation: Some((364, 364)), ..at("condense") }, "message message none"),
            (Crossing { page_edits: 0, ..at("condense") }, "page page memory"),
        ] {
            assert_eq!(said(forward(&crossing)), expected, "{}", crossing.phase.name);
        }
    }

    #[test]
    fn the_way_back_asks_for_a_clean_tree_and_nothing_else() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let (message, to) = (Message::new("why"), PhaseName::from("plan"));
        let strays = vec!["a".to_owned(), "b".to_owned()];
        let bare = Crossing {
            phase: map.phase(&"execute".into()).expect("a phase"),
            multiplier: None,
            page_edits: 0,
            ..ready(&map, &message, &to)
        };
        assert_eq!(said(backward(&bare)), "passes");
        assert_eq!(said(backward(&Crossing { strays: &strays, ..bare })), "clean clean many");
    }

    fn case(verdict: Verdict) -> String {
        verdict
            .map_or_else(|no| no.facts.get("case").unwrap_or("-").to_owned(), |()| "yes".to_owned())
    }

    /// The rows are renamed: a rule that asked for a name would answer otherwise.
    #[test]
    fn cycles_checkpoints_and_directories_go_by_what_the_row_is() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        for (name, cycle, checkpoint, scope) in [
            ("idle", "cycle-early", "no-checkpoint", "scope-time"),
            ("observe", "cycle-early", "no-checkpoint", "yes"),
            ("plan", "cycle-early", "no-checkpoint", "yes"),
            ("execute", "cycle-early", "yes", "scope-time"),
            ("verify", "cycle-early", "no-checkpoint", "scope-time"),
            ("condense", "yes", "no-checkpoint", "scope-time"),
        ] {
            let row = map.phase(&name.into()).expect("a phase").clone();
            let row = Phase { name: "renamed".into(), ..row };
            assert_eq!(case(adds_cycle(&row, &row.name, true)), cycle, "{name}");
            assert_eq!(case(has_checkpoints(&row)), checkpoint, "{name}");
            assert_eq!(case(declares(&row, Some("src"))), scope, "{name}");
            assert_eq!(case(declares(&row, None)), "yes", "{name}");
        }
        let execute = map.phase(&"execute".into()).expect("a phase").clone();
        let quiet = Phase { write: vec![Write::Scope], ..execute };
        assert_eq!(case(declares(&quiet, Some("src"))), "scope-later");
        let condense = map.phase(&"condense".into()).expect("a phase");
        assert_eq!(case(adds_cycle(condense, &condense.name, false)), "cycle-late");
    }

    #[test]
    fn what_waits_in_messages_is_answered_item_by_item() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let (condense, idle) = (map.phase(&"condense".into()).expect("a phase"), "idle".into());
        let message = |items: &str| {
            Message::new(&format!(
                "settle it\n\n## Waterfall Steps Completed\n{}\n## Knowledge Routed\nnone of \
                 it\n## Markers Consumed\n{items}\n## Outstanding Items\n",
                "word ".repeat(40)
            ))
        };
        for (waiting, items, expected) in [
            (0, "none", None),
            (1, "none", Some("waiting")),
            (1, "- abc1234: kept in .claude/knowledge/lexer.md", None),
            (2, "- abc1234: kept in lexer.md", Some("waiting")),
            (2, "- kept\n- kept too", Some("waiting")),
            (2, "1. the lexer's note: kept\n  2) the other one: no use", None),
            (2, "* the lexer's note: kept\n\n+ the other one: no use", None),
            (2, "the lexer's note and the other one are kept", Some("waiting")),
        ] {
            let message = message(items);
            let crossing = Crossing { phase: condense, waiting, ..ready(&map, &message, &idle) };
            let said = the_message_is_whole(&crossing).err();
            let case = said.as_ref().and_then(|no| no.facts.get("case"));
            assert_eq!(case, expected, "{waiting}: {items}");
        }
        // A row without the section asks for nothing.
        let small = Map::read(include_str!("quick.toml")).expect("the shipped map is sound");
        let row = small.phase(&"condense".into()).expect("a phase");
        let message = Message::new("settle it");
        let crossing = Crossing { phase: row, waiting: 3, ..ready(&map, &message, &idle) };
        assert!(the_message_is_whole(&crossing).is_ok());
    }

    fn said_with(map: &str, in_between: bool, text: &str) -> Verdict {
        let map = Map::read(map).expect("a shipped map");
        let row = map.phase(&"execute".into()).expect("a phase");
        says_enough(row, in_between, &Message::new(text))
    }

    #[test]
    fn a_multiplier_that_was_far_off_is_answered_for() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let plan = "plan".into();
        let long = STORY.replace("Observed\na", &format!("Observed\n{}", "word ".repeat(40)));
        let answer = |words: usize| {
            Message::new(&format!("{long}## What I Misjudged\n{}", "size ".repeat(words)))
        };
        for (reads, multiplier, message, expected) in [
            (33, "3", Message::new(&long), None),
            (34, "3", Message::new(&long), Some("misjudged")),
            (35, "3", answer(19), Some("misjudged")),
            (35, "3", answer(20), None),
            (35, "2.5", Message::new(&long), None),
            (99, "1", Message::new(&long), None),
            (101, "1", Message::new(&long), Some("misjudged")),
        ] {
            let stay = Stay {
                acts: [("read".to_owned(), reads)].into(),
                multiplier: multiplier.parse().ok(),
                ..Stay::default()
            };
            let crossing = Crossing { stay: &stay, ..ready(&map, &message, &plan) };
            let said = the_message_is_whole(&crossing).err();
            let case = said.as_ref().and_then(|no| no.facts.get("case"));
            assert_eq!(case, expected, "{reads} reads at {multiplier}");
        }
    }

    #[test]
    fn a_message_is_as_long_as_its_stay_changed_files() {
        for (changed, words) in [(0, 30), (1, 30), (2, 60), (5, 60), (6, 100), (400, 100)] {
            assert_eq!(message_floor(changed), words, "{changed}");
        }
    }

    #[test]
    fn what_every_step_is_asked() {
        for (verdict, expected) in [
            (said_with(OPEVC, false, " \n"), "back"),
            (said_with(OPEVC, true, " \n"), "back"),
            (said_with(OPEVC, false, "it does not hold"), "yes"),
            (said_with(OPEVC, true, "lexer: keep the escapes"), "checkpoint"),
            (said_with(OPEVC, true, &"word ".repeat(20)), "yes"),
            (said_with(include_str!("quick.toml"), true, "lexer: keep the escapes"), "yes"),
            (prints_hold(None, None), "yes"),
            (prints_hold(Some("a"), None), "print"),
            (prints_hold(Some("a"), Some("b")), "print-person"),
            (hooks_fire(true, false, false), "silent-hooks"),
            (hooks_fire(false, false, false), "yes"),
            (hooks_fire(true, true, false), "yes"),
            (hooks_fire(true, false, true), "yes"),
            (nobody_writes_now(Some("a"), true), "running"),
            (nobody_writes_now(Some("a"), false), "yes"),
            (nobody_writes_now(None, true), "yes"),
        ] {
            assert_eq!(case(verdict), expected);
        }
        assert_eq!(surface_check_failed("hooks", " \n").facts.get("said"), Some("it said nothing"));
    }

    #[test]
    fn an_objective_lacks_the_first_title_that_says_nothing() {
        let shape = ["Users".to_owned(), "Limits".to_owned()];
        for (objective, lacks) in [
            ("", Some("Users")),
            ("## Users\nall\n", Some("Limits")),
            ("## Users\n\n## Limits\nnone\n", Some("Users")),
            ("## Users\nall\n## Limits\nnone\n", None),
        ] {
            let found = shapeless(&shape, objective);
            assert_eq!(found.as_ref().map(|(title, _)| title.as_str()), lacks, "{objective}");
            assert!(found.is_none_or(|(_, all)| all == "## Users, ## Limits"));
        }
        assert_eq!(shapeless(&[], ""), None);
    }

    #[test]
    fn plan_to_verify_says_why_nothing_is_built() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let plan = map.phase(&"plan".into()).expect("a phase");
        let titles =
            |to: &str| plan.sections_towards(&to.into()).map(str::to_owned).collect::<Vec<_>>();
        assert!(titles("verify").contains(&"Why No Execute".to_owned()));
        assert!(!titles("execute").contains(&"Why No Execute".to_owned()));
    }
}
