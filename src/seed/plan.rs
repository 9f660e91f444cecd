//! The plan document: where it lies, whether it counts, and its words for the phase at hand.
//!
//! In the first cycle of a run the document in the work tree counts. When that cycle ends,
//! its bytes go into the job's tree, and from then on they count, whatever happens to the
//! file: only what lies there when a further cycle begins can take their place. Hooks read
//! the words for the phase from one small file of the job's tree, and only where they
//! compose a text; what the document says reaches the agent as a quotation.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::quotes::{Part, Quote, compose};
use super::steps::{By, Draft, Fold};
use super::{Focused, Result, Seed, SeedError};
use crate::format::names;
use crate::format::short_hash;
use crate::format::state::State;
use crate::phases::gates::PlanStanding;
use crate::plans::document::{Document, Expected, MOST_BYTES, Mode, Voice, Voices};
use crate::plans::{Lies, Pointer, yaml};
use crate::rules::Rules;
use crate::store::TreeEdit;
use crate::verdict::{Facts, Refusal, Wants};
use crate::voice::{self, Line};
use crate::world;

/// The text that opens a phase, and the one that answers the end of a turn.
pub(super) const ENTRY: &str = "entry";
const STOP: &str = "stop";
/// The most characters of a document's words beside a refusal.
const BESIDE: usize = 800;
/// The most characters of git seed's own words and the document's together.
const MOST: usize = 9_000;

/// The words of a document for one phase of one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Injection {
    /// Where the document lies.
    file: String,
    #[serde(default)]
    text: Vec<Injected>,
}

/// The words of a document for one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Injected {
    id: String,
    #[serde(default)]
    mode: Mode,
    text: String,
}

/// Words of the plan document, with the line that says whose they are.
#[derive(Clone, Debug, Default)]
pub(super) struct FromPlan {
    pub mode: Mode,
    pub lead: String,
    pub text: String,
    pub rest: String,
}

impl FromPlan {
    pub fn quoted(&self, most: usize) -> Part {
        let Self { lead, text, rest, .. } = self;
        Part::Quoted(Quote { lead: lead.clone(), text: text.clone(), most, rest: rest.clone() })
    }
}

/// What a document comes to, for those who ask.
#[derive(Clone, Debug)]
pub struct Checked {
    pub path: String,
    /// It is there, as a plain file.
    pub there: bool,
    pub document: Document,
}

impl Seed {
    /// The document as it lies in the work tree: its path, and its bytes where it is a plain file.
    fn document_on_disk(&self, state: &State) -> Option<(String, Option<Vec<u8>>)> {
        let own = state.plan.pointer.path(&state.job.id.to_string())?;
        let lies = |path: &str| self.store.work_tree().join(path).symlink_metadata().is_ok();
        let old = state.plan.pointer.old_path().filter(|old| !lies(&own) && lies(old));
        let path = old.unwrap_or(own);
        let bytes = read_plain(&self.store.work_tree().join(&path));
        Some((path, bytes))
    }

    /// What the document in the work tree says; `None` where the job has none.
    pub fn document_now(&self, state: &State) -> Option<Checked> {
        let (path, bytes) = self.document_on_disk(state)?;
        let document = bytes.as_deref().map(|bytes| self.read_document(state, bytes)).unwrap_or_default();
        Some(Checked { path, there: bytes.is_some(), document })
    }

    pub(super) fn read_document(&self, state: &State, bytes: &[u8]) -> Document {
        let (job, voices) = (state.job.id.to_string(), self.voices(state));
        Document::read(&state.plan.pointer, bytes, Expected { job: &job, voices: &voices })
    }

    /// The texts that a document may add to, phase by phase of the job's map.
    pub fn voices(&self, state: &State) -> Voices {
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let own = |id: &str, variables: &[&str]| Voice {
            id: id.to_owned(),
            variables: named(variables),
            replaceable: true,
        };
        let phases = self.map(&state.stand).phases().filter(|phase| phase.is_in_cycle());
        let texts = |phase: &str| {
            let mut all = vec![
                own(ENTRY, &["cycle", "dirs", "job", "phase", "run", "total"]),
                own(STOP, &["cycle", "job", "phase", "work"]),
            ];
            let refusals = voice::ids(phase).into_iter();
            all.extend(refusals.map(|(id, variables)| Voice {
                id,
                variables: variables.into_iter().collect(),
                replaceable: false,
            }));
            all
        };
        Voices { phases: phases.map(|row| (row.name.to_string(), texts(row.name.as_str()))).collect() }
    }

    /// The number of cycles that the plan document declares, if it is there and reads.
    pub fn plan_total(&self, focused: &Focused) -> Option<u32> {
        let state = &focused.state;
        match state.plan.frozen(state.stand.cycle) {
            Some(accepted) => Some(accepted.total),
            None => self.document_now(state)?.document.sound(),
        }
    }

    pub(super) fn plan_standing(&self, focused: &Focused) -> PlanStanding {
        match focused.state.plan.pointer {
            Pointer::Undecided => PlanStanding::Undecided,
            Pointer::No => PlanStanding::Settled,
            _ if self.plan_total(focused).is_some() => PlanStanding::Settled,
            Pointer::Markdown(_) | Pointer::Yaml(_) => PlanStanding::Missing,
        }
    }

    /// Where the document lies, and the first thing that is wrong with it.
    pub(super) fn plan_fault(&self, state: &State) -> (String, Option<String>) {
        let Some(Checked { path, document, .. }) = self.document_now(state) else {
            return (String::new(), None);
        };
        let file = path.rsplit('/').next().unwrap_or_default();
        (path.clone(), document.faults.first().map(|fault| format!("{file}:{fault}")))
    }

    /// The document counts already, and this stay has not read it.
    pub(super) fn unread_plan(&self, focused: &Focused) -> bool {
        let stand = &focused.state.stand;
        let reads = stand.entry.plan_reads + focused.since.as_ref().map_or(0, |counts| counts.plan_reads);
        focused.state.plan.frozen(stand.cycle).is_some() && reads == 0
    }

    /// True for bytes of the plan document that are those which were accepted: they may come
    /// back wherever the job stands.
    pub(super) fn is_accepted(&self, state: &State, bytes: &[u8]) -> bool {
        state.plan.frozen(state.stand.cycle).is_some_and(|accepted| accepted.hash == hash(bytes))
    }

    /// May the document still be written anew? Not once it was accepted.
    pub(super) fn plan_missed(&self, state: &State, old: Option<&[u8]>) -> bool {
        state.plan.pointer.stage() > 1
            && state.plan.frozen(state.stand.cycle).is_none()
            && old.is_none_or(|old| self.read_document(state, old).sound().is_none())
    }

    /// The document that counts.
    pub fn plan_that_counts(&self, focused: &Focused) -> Result<Option<Vec<u8>>> {
        match focused.state.plan.frozen(focused.state.stand.cycle) {
            Some(_) => Ok(self.store.file(&focused.tip, names::PLAN)?),
            None => Ok(self.document_on_disk(&focused.state).and_then(|(_, bytes)| bytes)),
        }
    }

    /// The document that counts, read by whoever works here.
    pub fn read_plan(&self) -> Result<Option<String>> {
        let focused = self.require_focused()?;
        let Some(bytes) = self.plan_that_counts(&focused)? else { return Ok(None) };
        self.note(Some(&focused), |line| {
            line.what = crate::format::journal::What::After;
            // A command of ours is no sign that hooks fire.
            "session".clone_into(&mut line.tool);
            line.counts.plan_reads += 1;
        })?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Puts the accepted document back where it lay. Gives its path.
    pub fn restore_plan(&self) -> Result<String> {
        let focused = self.require_focused()?;
        let state = &focused.state;
        let frozen = state.plan.frozen(state.stand.cycle);
        let path = frozen.and_then(|_| state.plan.pointer.path(&state.job.id.to_string()));
        let bytes = self.store.file(&focused.tip, names::PLAN)?;
        let (Some(path), Some(bytes)) = (path, bytes) else {
            let why = "no plan document was accepted yet; that happens when the first cycle ends";
            return Err(SeedError::Usage(why.to_owned()));
        };
        let file = self.store.work_tree().join(&path);
        let drafts = self.store.seed_dir();
        // A link in its place goes; what it leads to stays.
        world::Whole::new().over_links().drafted_in(&drafts).write(&file, &bytes)?;
        Ok(path)
    }

    /// Declares the titles that the objective of the focused job has, in its first cycle.
    pub fn shape_job(&self, shape: &str) -> Result<std::result::Result<Focused, Refusal>> {
        let shape = crate::jobs::check_shape(shape).map_err(|bad| SeedError::Usage(bad.to_string()))?;
        let focused = self.require_focused()?;
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            if let Err(refusal) = crate::phases::commands::shape(state.stand.cycle) {
                return Ok(Err(refusal));
            }
            state.job.shape.clone_from(&shape);
            let subject = if shape.is_empty() { "none".to_owned() } else { shape.join(", ") };
            Ok(Ok(Draft::new(state, "shape", format!("shape of the objective: {subject}"), By::Agent)))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    // ---- rules of a job

    /// The rules of a job's own, as a person approved them.
    pub fn job_rules(&self, job: &Focused) -> Result<Option<String>> {
        super::rules_of(&self.store, &job.tip)
    }

    /// What the directory of a job proposes as rules of its own: the file, and its text.
    pub fn proposed_job_rules(&self, job: &Focused) -> Result<(String, String)> {
        let path = format!("{}{}", names::job_dir(&job.state.job.id), names::PROPOSED_RULES);
        let bytes = read_plain(&self.store.work_tree().join(&path));
        let bytes = bytes.ok_or_else(|| SeedError::Proposal(format!("there is no file {path}")))?;
        Ok((path, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Checks rules that a job proposes for itself; the phase where it stands has to stay.
    pub fn check_job_rules(&self, job: &Focused, file: &str, text: &str) -> Result<()> {
        let sound = Rules::for_job(self.applied_rules()?.as_deref(), text);
        let rules = sound.map_err(|bad| SeedError::Proposal(bad.told(file, text)))?;
        let (stand, map) = (&job.state.stand, rules.maps.get(&job.state.stand.track));
        let here = [Some(&stand.phase), stand.side_from.as_ref()];
        match here.into_iter().flatten().find(|name| !map.phases().any(|row| row.name == **name)) {
            Some(gone) => {
                let what = format!("{file}: the job stands in `{gone}`, which these rules do not have");
                Err(SeedError::Proposal(what))
            }
            None => Ok(()),
        }
    }

    /// Puts rules into force for one job.
    pub fn apply_job_rules(&self, job: &Focused, file: &str, text: &str) -> Result<()> {
        self.check_job_rules(job, file, text)?;
        let fold = self.fold_for(&job.chain)?;
        let text = format!("{}\n{text}", super::resume::approved_in(&self.clone_id()?));
        let step = self.step(&job.chain, fold, |state, _| {
            let put = TreeEdit::Put { path: names::JOB_RULES.to_owned(), bytes: text.as_bytes().to_vec() };
            Ok(Ok(Draft::new(state, "rules", "rules of this job", By::Person).with(put)))
        })?;
        debug_assert!(step.is_ok(), "rules were checked before");
        Ok(())
    }

    // ---- steps

    /// The end of a first cycle: the document that was proved is the one that counts.
    pub(super) fn accept_plan(&self, state: &mut State, draft: &mut Draft) {
        if let (Lies::Sound { hash, total }, Some(bytes)) = self.plan_lies(state)
            && state.plan.accept(state.stand.cycle, hash, total)
        {
            draft.edits.push(TreeEdit::Put { path: names::PLAN.to_owned(), bytes });
        }
    }

    /// A further cycle has begun: what lies there now was changed by a person, or not at all.
    pub(super) fn look_at_plan(&self, state: &mut State, draft: &mut Draft) {
        let (lies, bytes) = self.plan_lies(state);
        if let (true, Some(bytes)) = (state.plan.find(state.stand.cycle, lies), bytes) {
            draft.edits.push(TreeEdit::Put { path: names::PLAN.to_owned(), bytes });
        }
    }

    fn plan_lies(&self, state: &State) -> (Lies, Option<Vec<u8>>) {
        let Some((_, Some(bytes))) = self.document_on_disk(state) else { return (Lies::Gone, None) };
        let lies = match self.read_document(state, &bytes).sound() {
            Some(total) => Lies::Sound { hash: hash(&bytes), total },
            None => Lies::Faulty,
        };
        (lies, Some(bytes))
    }

    /// Writes the words for the place where the job stands now into its tree. A job whose
    /// document has none there has no such file to read.
    pub(super) fn inject(&self, chain: &str, state: &mut State, draft: &mut Draft) -> Result<()> {
        let had = std::mem::take(&mut state.plan.injects);
        let injection = self.injection_for(chain, state, draft)?;
        let bytes = match &injection {
            Some(injection) => {
                toml::to_string(injection).map_err(|error| SeedError::Usage(error.to_string()))?.into_bytes()
            }
            None if had => Vec::new(),
            None => return Ok(()),
        };
        state.plan.injects = injection.is_some();
        draft.edits.push(TreeEdit::Put { path: names::INJECTION.to_owned(), bytes });
        Ok(())
    }

    fn injection_for(&self, chain: &str, state: &State, draft: &Draft) -> Result<Option<Injection>> {
        let row = self.row_of(state);
        if !matches!(state.plan.pointer, Pointer::Yaml(_)) || !row.is_in_cycle() {
            return Ok(None);
        }
        let bytes = match state.plan.frozen(state.stand.cycle) {
            Some(_) => {
                let new = draft.edits.iter().rev().find_map(|edit| match edit {
                    TreeEdit::Put { path, bytes } if path == names::PLAN => Some(bytes.clone()),
                    _ => None,
                });
                match (new, self.store.tip(chain)?) {
                    (Some(bytes), _) => Some(bytes),
                    (None, Some(tip)) => self.store.file(&tip, names::PLAN)?,
                    (None, None) => None,
                }
            }
            None => self.document_on_disk(state).and_then(|(_, bytes)| bytes),
        };
        let document = bytes.map(|bytes| self.read_document(state, &bytes)).unwrap_or_default();
        // Nothing of a document that does not read as a whole.
        if document.sound().is_none() {
            return Ok(None);
        }
        let own = |(id, words): (&str, &crate::plans::document::Words)| Injected {
            id: id.to_owned(),
            mode: words.mode,
            text: words.text.clone(),
        };
        let text: Vec<_> = document.words_for(state.stand.cycle, row.name.as_str()).map(own).collect();
        let file = state.plan.pointer.path(&state.job.id.to_string()).unwrap_or_default();
        Ok((!text.is_empty()).then_some(Injection { file, text }))
    }

    // ---- words

    /// The document's words for one of `ids`, the first of them that has some.
    fn words_of_plan(
        &self,
        focused: &Focused,
        ids: &[String],
        value: impl Fn(&str) -> Option<String>,
    ) -> Option<FromPlan> {
        if !focused.state.plan.injects {
            return None;
        }
        let bytes = self.store.file(&focused.tip, names::INJECTION).ok()??;
        let Injection { file, text } = toml::from_slice(&bytes).ok()?;
        let own = ids.iter().find_map(|id| text.iter().find(|words| words.id == *id))?;
        let phase = focused.state.stand.phase.as_str();
        let mut facts = Facts::default();
        facts.set("file", file);
        Some(FromPlan {
            mode: own.mode,
            lead: voice::open(Line::Injected, phase, &facts),
            text: yaml::fill(&own.text, value),
            rest: voice::open(Line::RestOfPlan, phase, &Facts::default()),
        })
    }

    /// The document's words for the text that opens the phase.
    pub(super) fn entry_from_plan(&self, focused: &Focused, dirs: &[String]) -> Option<FromPlan> {
        let state = &focused.state;
        self.words_of_plan(focused, &[ENTRY.to_owned()], |name| {
            Some(match name {
                "cycle" => state.stand.cycle.to_string(),
                "dirs" => dirs.join(", "),
                "job" => state.job.name.clone(),
                "phase" => state.stand.phase.to_string(),
                "run" => state.job.run.to_string(),
                "total" => self.plan_total(focused).map_or_else(String::new, |total| total.to_string()),
                _ => return None,
            })
        })
    }

    /// A refusal as the agent hears it, with what the plan document has to say to it.
    pub fn say(&self, focused: Option<&Focused>, refusal: &Refusal, phase: &str) -> String {
        let said = voice::say(refusal, phase);
        let case = refusal.facts.get("case");
        let stops = refusal.wants == Wants::Work;
        let ids = match case {
            _ if stops => vec![STOP.to_owned()],
            Some(case) => vec![voice::id(refusal.wants, Some(case)), voice::id(refusal.wants, None)],
            None => vec![voice::id(refusal.wants, None)],
        };
        let value = |name: &str| match name {
            "phase" => Some(phase.to_owned()),
            "cycle" if stops => focused.map(|focused| focused.state.stand.cycle.to_string()),
            _ => refusal.facts.get(name).map(str::to_owned),
        };
        let Some(words) = focused.and_then(|focused| self.words_of_plan(focused, &ids, value)) else {
            return said.text();
        };
        let (own, quote) = (Part::Told(said.text()), words.quoted(BESIDE));
        let parts = match words.mode {
            Mode::Append => vec![own, Part::Told(String::new()), quote],
            Mode::Prepend => vec![quote, Part::Told(String::new()), own],
            // The way on stays git seed's: whoever is refused has to know it.
            Mode::Replace => {
                let head = format!("[{}] BLOCKED:", said.tag);
                let way = format!("Do: {}\nThen: {}", said.do_, said.then);
                vec![Part::Told(head), quote, Part::Told(way)]
            }
        };
        compose(&parts, MOST).trim_end().to_owned()
    }

    /// The first fault of a plan document that was just written, for whoever wrote it.
    pub(super) fn word_on_plan(&self, focused: &Focused) -> Option<String> {
        let Checked { path, document, .. } = self.document_now(&focused.state)?;
        let fault = document.faults.into_iter().next()?;
        let mut facts = Facts::default();
        facts.set("file", path);
        facts.set("line", fault.line.to_string());
        facts.set("column", fault.column.to_string());
        facts.set("what", fault.what);
        Some(voice::open(Line::PlanFault, self.row(Some(focused)).name.as_str(), &facts))
    }
}

fn hash(bytes: &[u8]) -> String {
    short_hash(bytes, 32)
}

/// The bytes of a plain file, as many as a document may have and one more.
fn read_plain(file: &Path) -> Option<Vec<u8>> {
    use std::io::Read as _;
    if !file.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    std::fs::File::open(file).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
