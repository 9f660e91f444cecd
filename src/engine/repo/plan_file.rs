//! The plan document of a job: as it lies in the work tree, and as it was accepted.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::quote::{Part, Quote, compose};
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::format::state::{BadState, State};
use crate::format::{names, short_hash};
use crate::phases::gates::PlanStanding;
use crate::plans::document::{Document, Expected, MOST_BYTES, Mode, Voice, Voices};
use crate::plans::{Pointer, yaml};
use crate::verdict::{Facts, Refusal, Wants};
use crate::voice::{self, Line};

/// The text that opens a phase, and the one that answers the end of a turn.
pub(crate) const ENTRY: &str = "entry";

const STOP: &str = "stop";

/// The most characters of a document's words beside a refusal.
const BESIDE: usize = 800;

/// The most characters of git seed's own words and the document's together.
const MOST: usize = 9_000;

/// The words of a document for one phase of one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Injection {
    /// Where the document lies.
    pub(crate) file: String,
    #[serde(default)]
    pub(crate) text: Vec<Injected>,
}

/// The words of a document for one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Injected {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) mode: Mode,
    pub(crate) text: String,
}

/// Words of the plan document, with the line that says whose they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct FromPlan {
    pub mode: Mode,
    pub lead: String,
    pub text: String,
    pub rest: String,
}

impl FromPlan {
    pub(crate) fn quoted(&self, most: usize) -> Part {
        let Self { lead, text, rest, .. } = self;
        Part::Quoted(Quote { lead: lead.clone(), text: text.clone(), most, rest: rest.clone() })
    }
}

/// What a document comes to, for those who ask.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    pub path: String,
    /// It is there, as a plain file.
    pub there: bool,
    pub document: Document,
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    short_hash(bytes, 32)
}

/// The bytes of a plain file, as many as a document may have and one more; `None` where no
/// plain file lies.
pub(crate) fn read_plain(file: &Path) -> Result<Option<Vec<u8>>> {
    match plain_bytes(file) {
        Ok(bytes) => Ok(bytes),
        Err(error) if repo::paths::is_nothing(&error) => Ok(None),
        Err(error) => Err(EngineError::WorkFile(own_state::unread(file, &error))),
    }
}

fn plain_bytes(file: &Path) -> std::io::Result<Option<Vec<u8>>> {
    use std::io::Read as _;
    if !file.symlink_metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    std::fs::File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

impl Repo {
    /// The document as it lies in the work tree: its path, and its bytes where it is a plain file.
    pub(crate) fn document_on_disk(
        &self,
        state: &State,
    ) -> Result<Option<(String, Option<Vec<u8>>)>> {
        let Some(own) = state.plan.pointer.path(&state.job.id.to_string()) else {
            return Ok(None);
        };
        let lies = |path: &str| self.store.work_tree().join(path).symlink_metadata().is_ok();
        let old = state.plan.pointer.old_path().filter(|old| !lies(&own) && lies(old));
        let path = old.unwrap_or(own);
        let bytes = read_plain(&self.store.work_tree().join(&path))?;
        Ok(Some((path, bytes)))
    }

    /// What the document in the work tree says; `None` where the job has none.
    pub(crate) fn document_now(&self, state: &State) -> Result<Option<Checked>> {
        let Some((path, bytes)) = self.document_on_disk(state)? else { return Ok(None) };
        let document =
            bytes.as_deref().map(|bytes| self.read_document(state, bytes)).unwrap_or_default();
        Ok(Some(Checked { path, there: bytes.is_some(), document }))
    }

    pub(crate) fn read_document(&self, state: &State, bytes: &[u8]) -> Document {
        let (job, voices) = (state.job.id.to_string(), self.voices(state));
        Document::read(&state.plan.pointer, bytes, Expected { job: &job, voices: &voices })
    }

    /// The texts that a document may add to, phase by phase of the job's map.
    pub(crate) fn voices(&self, state: &State) -> Voices {
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
        Voices {
            phases: phases.map(|row| (row.name.to_string(), texts(row.name.as_str()))).collect(),
        }
    }

    /// The number of cycles that the plan document declares, if it is there and reads.
    pub(crate) fn plan_total(&self, focused: &LoadedJob) -> Result<Option<u32>> {
        let state = &focused.state;
        match state.plan.frozen(state.stand.cycle) {
            Some(accepted) => Ok(Some(accepted.total)),
            None => Ok(self.document_now(state)?.and_then(|checked| checked.document.sound())),
        }
    }

    pub(crate) fn plan_standing(&self, focused: &LoadedJob) -> Result<PlanStanding> {
        Ok(match focused.state.plan.pointer {
            Pointer::Undecided => PlanStanding::Undecided,
            Pointer::No => PlanStanding::Settled,
            _ if self.plan_total(focused)?.is_some() => PlanStanding::Settled,
            Pointer::Markdown(_) | Pointer::Yaml(_) => PlanStanding::Missing,
        })
    }

    /// Where the document lies, and the first thing that is wrong with it.
    pub(crate) fn plan_fault(&self, state: &State) -> Result<(String, Option<String>)> {
        let Some(Checked { path, document, .. }) = self.document_now(state)? else {
            return Ok((String::new(), None));
        };
        let file = path.rsplit('/').next().unwrap_or_default();
        Ok((path.clone(), document.faults.first().map(|fault| format!("{file}:{fault}"))))
    }

    /// The document counts already, and this stay has not read it.
    pub(crate) fn unread_plan(&self, focused: &LoadedJob) -> bool {
        let stand = &focused.state.stand;
        let reads = stand.entry.plan_reads
            + focused.activity.as_ref().map_or(0, |counts| counts.plan_reads);
        focused.state.plan.frozen(stand.cycle).is_some() && reads == 0
    }

    /// True for bytes of the plan document that are those which were accepted: they may come
    /// back wherever the job stands.
    pub(crate) fn is_accepted(&self, state: &State, bytes: &[u8]) -> bool {
        state.plan.frozen(state.stand.cycle).is_some_and(|accepted| accepted.hash == hash(bytes))
    }

    /// May the document still be written anew? Not once it was accepted.
    pub(crate) fn plan_missed(&self, state: &State, old: Option<&[u8]>) -> bool {
        state.plan.pointer.stage() > 1
            && state.plan.frozen(state.stand.cycle).is_none()
            && old.is_none_or(|old| self.read_document(state, old).sound().is_none())
    }

    /// The document that counts.
    pub(crate) fn plan_that_counts(&self, focused: &LoadedJob) -> Result<Option<Vec<u8>>> {
        match focused.state.plan.frozen(focused.state.stand.cycle) {
            Some(_) => Ok(self.store.file(&focused.tip, names::PLAN)?),
            None => Ok(self.document_on_disk(&focused.state)?.and_then(|(_, bytes)| bytes)),
        }
    }

    // ---- words

    /// The document's words for one of `ids`, the first of them that has some.
    pub(crate) fn words_of_plan(
        &self,
        focused: &LoadedJob,
        ids: &[String],
        value: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<FromPlan>> {
        if !focused.state.plan.injects {
            return Ok(None);
        }
        let Some(bytes) = self.store.file(&focused.tip, names::INJECTION)? else { return Ok(None) };
        let Injection { file, text } =
            toml::from_slice(&bytes).map_err(|bad| EngineError::State {
                chain: focused.chain.clone(),
                bad: BadState::Index(format!("{} does not read: {bad}", names::INJECTION)),
            })?;
        let own = ids.iter().find_map(|id| text.iter().find(|words| words.id == *id));
        let Some(own) = own else { return Ok(None) };
        let phase = focused.state.stand.phase.as_str();
        let mut facts = Facts::default();
        facts.set("file", file);
        Ok(Some(FromPlan {
            mode: own.mode,
            lead: voice::open(Line::Injected, phase, &facts),
            text: yaml::fill(&own.text, value),
            rest: voice::open(Line::RestOfPlan, phase, &Facts::default()),
        }))
    }

    /// A refusal as the agent hears it, with what the plan document has to say to it.
    pub(crate) fn say(
        &self,
        focused: Option<&LoadedJob>,
        refusal: &Refusal,
        phase: &str,
    ) -> String {
        let said = voice::say(refusal, phase);
        let case = refusal.facts.case();
        let stops = refusal.wants == Wants::Work;
        let ids = match case {
            _ if stops => vec![STOP.to_owned()],
            Some(case) => {
                vec![voice::id(refusal.wants, Some(case)), voice::id(refusal.wants, None)]
            }
            None => vec![voice::id(refusal.wants, None)],
        };
        let value = |name: &str| match name {
            "phase" => Some(phase.to_owned()),
            "cycle" if stops => focused.map(|focused| focused.state.stand.cycle.to_string()),
            _ => refusal.facts.get(name).map(str::to_owned),
        };
        // A refusal stands without the document's words; where those do not read, the text that
        // opens the phase says so.
        let words =
            focused.and_then(|focused| self.words_of_plan(focused, &ids, value).ok().flatten());
        let Some(words) = words else {
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
}
