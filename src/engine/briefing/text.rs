//! The text that opens a phase, from what was gathered: most important first.
//!
//! git seed's own lines come from `voice.toml` and the phase's row and are never cut;
//! what others wrote stands between them as quotations and gives way first. Pure.

use crate::engine::memory::compaction::Woken;
use crate::engine::memory::recall::{Near, Recall};
use crate::engine::quote::{COUNT, List, Part, Quote, brief, compose};
use crate::engine::repo::plan_file::FromPlan;
use crate::format::state::State;
use crate::phases::{Phase, PhaseKind, Write, gates, guard};
use crate::plans::Found;
use crate::plans::document::Mode;
use crate::verdict::{Facts, NAMES};
use crate::voice::Line;
use crate::voice::own::OwnVoices;

/// The most characters of an entry text; hosts show a little more.
pub(crate) const MOST: usize = 9_000;

/// The most characters of what the job began with.
const PROMPTS: usize = 600;

/// The most characters of the person's last words, of the summary in force, and of what was
/// forbidden or demanded.
const LAST: usize = 1_500;

const SUMMARY: usize = 1_500;

const DEMANDS: usize = 1_500;

/// The most characters of what waits in messages.
const WAITING: usize = 1_500;

/// The most characters of an objective.
const OBJECTIVE: usize = 600;

/// The most characters of what sent a job back, or of why it is where it is.
const REASON: usize = 1_500;

/// The most characters of the contract, over all pages, and the least that a page gets of it.
const CONTRACT: (usize, usize) = (5_000, 600);

/// The most characters of what the sessions before the last one came to, and of what the
/// last one left.
const PRIOR: usize = 1_200;

const COMPACTED: usize = 3_500;

/// The most characters of what earlier runs left to do.
const LEARNED: usize = 3_000;

/// The most characters of the plan document's words for a phase.
const FROM_PLAN: usize = 2_500;

/// The most characters of a list of paths.
const LIST: usize = 400;

/// The most characters of the open notes, of the pages and of the knowledge near the work.
const NOTES: usize = 2_500;

const NEAR: usize = 900;

/// The most prompts between the first and the last that are told, the newest.
const BETWEEN: usize = 8;

/// The most characters that say what one of them is.
const ABOUT: usize = 160;

/// The most characters of what the last session left.
const HANDED_ON: usize = 600;

/// What is known when a phase opens.
#[derive(Clone, Debug)]
pub(crate) struct Opening<'a> {
    pub row: &'a Phase,
    pub state: &'a State,
    /// Subagents for the phase.
    pub subagents: Vec<String>,
    /// Declared directories.
    pub dirs: Vec<String>,
    /// Files that the person opened.
    pub files: Vec<String>,
    /// What is declared here may mean the directories below as well.
    pub deep: bool,
    pub back: Option<Back>,
    pub said: Said,
    pub asked: Asked,
    /// Why cycles were added in earlier runs, newest first.
    pub learned: Vec<String>,
    /// Session logs of earlier runs, newest first.
    pub logs: Vec<String>,
    pub contract: Vec<Clause>,
    /// The plan document's words for this phase.
    pub from_plan: Option<FromPlan>,
    /// What the cycle found of the plan document, where it was not what was accepted.
    pub plan_found: Option<Found>,
    /// The plan document, where there is one.
    pub document: Option<String>,
    /// It counts already, and this stay has not read it.
    pub unread: bool,
    /// What compaction files say, where a session begins.
    pub woken: Option<Woken>,
    /// Live notes, as `page:line`.
    pub live: Vec<String>,
    pub recall: Recall,
    /// What the last session left.
    pub handed_on: String,
    /// Faults of knowledge files, as `file:line`.
    pub faults: Vec<String>,
    /// The job may end in this cycle.
    pub last: bool,
    /// A finished job rests instead of asking.
    pub rests: bool,
    /// The line that the question whether the job is complete holds; empty where none is asked.
    pub card: String,
    /// What the agent was refused most often in the cycle.
    pub held_up: Option<String>,
    /// What messages hold for memory: notes of small jobs, and what was misjudged.
    pub waiting: Vec<String>,
    /// Words that this question has at least.
    pub question: usize,
    /// The step before ended another phase with the same command.
    pub again: bool,
    /// Sentences that the repository words itself.
    pub voices: OwnVoices,
    /// File name of pages.
    pub page: String,
}

/// The step that sent the job back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Back {
    pub from: String,
    pub why: String,
    /// The commit of the job's chain that tells it.
    pub commit: String,
}

/// What the person said of the job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub objective: String,
    /// The last prompt.
    pub last: String,
    /// It is the only one.
    pub alone: bool,
    /// The summary in force.
    pub summary: String,
    /// Sentences that forbid or demand something, oldest first.
    pub demands: Vec<String>,
    /// All prompts, for recall.
    pub prompts: Vec<String>,
}

/// Where the job came from, for the phase that begins a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The note that it was made of, with what stood around it.
    pub origin: String,
    /// Why this cycle was added.
    pub why: String,
    /// The first prompt.
    pub first: String,
}

/// The part of the contract that one page holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clause {
    pub file: String,
    pub anchor: String,
    pub text: String,
    /// Who committed the page last.
    pub author: Option<String>,
}

impl<'a> Opening<'a> {
    /// An opening that tells only what the job's record holds.
    pub(crate) fn new(row: &'a Phase, state: &'a State) -> Self {
        Self {
            row,
            state,
            subagents: Vec::new(),
            dirs: Vec::new(),
            files: Vec::new(),
            deep: false,
            back: None,
            said: Said::default(),
            asked: Asked::default(),
            learned: Vec::new(),
            logs: Vec::new(),
            contract: Vec::new(),
            from_plan: None,
            plan_found: None,
            document: None,
            unread: false,
            woken: None,
            live: Vec::new(),
            recall: Recall::default(),
            handed_on: String::new(),
            faults: Vec::new(),
            last: false,
            rests: false,
            card: String::new(),
            held_up: None,
            waiting: Vec::new(),
            question: 0,
            again: false,
            voices: OwnVoices::default(),
            page: "page".to_owned(),
        }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        compose(&self.parts(), MOST)
    }

    /// The text for a stay that goes on: where it is, and how it ends.
    pub(crate) fn short(&self) -> String {
        let mut parts = vec![self.head()];
        parts.extend(self.open());
        parts.extend(self.ending());
        compose(&parts, MOST)
    }

    /// The text for a subagent: where the work stands, what it may change, and the contract.
    pub(crate) fn for_subagent(&self) -> String {
        let (cycle, job) = (self.state.stand.cycle.to_string(), brief(&self.state.job.name, ABOUT));
        let head = self.told(Line::Head, &[("cycle", &cycle), ("job", &job)]);
        let lead = [head, self.told(Line::Subagent, &[])];
        let scope = self.open().into_iter().chain(self.clauses()).collect::<Vec<_>>();
        let whole = [&lead[..], &self.purpose_without_steps(), &scope].concat();
        let text = compose(&whole, SUBAGENT);
        // What the phase is for gives way to the names of many directories.
        if text.chars().count() <= SUBAGENT {
            return text;
        }
        compose(&[&lead[..], &scope].concat(), SUBAGENT)
    }

    fn parts(&self) -> Vec<Part> {
        let mut parts = vec![self.head()];
        parts.extend(self.purpose());
        if !self.subagents.is_empty() {
            parts.push(self.told(Line::Subagents, &[("agents", &listed(&self.subagents))]));
        }
        if self.row.dial && self.state.stand.entry.multiplier.is_none() {
            let line = if self.again { Line::DialAgain } else { Line::Dial };
            parts.push(self.told(line, &[]));
        }
        parts.extend(self.reasons());
        parts.extend(self.what_was_said());
        parts.extend(self.left_by_the_last());
        parts.extend(self.open());
        let rest = self.line(Line::RestOfLearned, &[]);
        parts.push(quoted(
            self.line(Line::Learned, &[]),
            &self.learned.join("\n\n"),
            LEARNED,
            rest,
        ));
        if !self.logs.is_empty() {
            parts.push(self.told(Line::EarlierLogs, &[("files", &listed(&self.logs))]));
        }
        parts.extend(self.clauses());
        parts.push(self.notes());
        parts.extend(self.words_of_the_job());
        parts.extend(self.near());
        parts.push(quoted(
            self.line(Line::HandedOn, &[]),
            &self.handed_on,
            HANDED_ON,
            String::new(),
        ));
        if !self.live.is_empty() {
            parts.push(self.told(Line::Notes, &[("notes", &listed(&self.live))]));
        }
        if !self.waiting.is_empty() {
            parts.push(Part::Listed(List {
                lead: self.line(Line::Waiting, &[]),
                items: self.waiting.clone(),
                most: WAITING,
                more: self.line(Line::WaitingMore, &[("count", COUNT)]),
            }));
        }
        if !self.faults.is_empty() {
            parts.push(self.told(Line::Faults, &[("files", &listed(&self.faults))]));
        }
        parts.extend(self.ending());
        parts
    }

    /// What the phase is for; the plan document may add to it, or say it instead. Where the
    /// job stands, what may be written and how the phase ends stay git seed's to say.
    fn purpose(&self) -> Vec<Part> {
        let purpose = self.row.purpose.replace("{page}", &self.page);
        let own = (!purpose.is_empty()).then_some(Part::Told(purpose));
        let Some(words) = &self.from_plan else { return own.into_iter().collect() };
        let (quote, gap) = (words.quoted(FROM_PLAN), || Part::Told(String::new()));
        match words.mode {
            Mode::Append => own.into_iter().chain([gap(), quote, gap()]).collect(),
            Mode::Prepend => [quote, gap()].into_iter().chain(own).collect(),
            Mode::Replace => vec![quote],
        }
    }

    /// The same for who takes no steps: without the sentences that name one.
    fn purpose_without_steps(&self) -> Vec<Part> {
        let names_a_step = |one: &&str| guard::names_a_step(one);
        let bare = |told: String| -> String {
            let kept: Vec<&str> =
                told.split_inclusive(". ").filter(|one| !names_a_step(one)).collect();
            kept.concat().trim_end().to_owned()
        };
        let parts = self.purpose().into_iter().map(|part| match part {
            Part::Told(told) => Part::Told(bare(told)),
            other => other,
        });
        parts.collect()
    }

    fn head(&self) -> Part {
        let cycle = self.state.stand.cycle.to_string();
        self.told(Line::Head, &[("cycle", &cycle), ("job", &self.state.job.name)])
    }

    /// Why the job is here: what sent it back, or why the side lane is open.
    fn reasons(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if let Some(reason) =
            self.state.side_reason.as_ref().filter(|_| self.row.kind == PhaseKind::Side)
        {
            parts.push(quoted(self.line(Line::Reason, &[]), reason, REASON, String::new()));
        }
        if let Some(back) = &self.back {
            let lead = self.line(Line::Back, &[("from", &back.from)]);
            let rest = self.line(Line::RestOfStep, &[("commit", &back.commit)]);
            parts.push(quoted(lead, &back.why, REASON, rest));
        }
        parts
    }

    /// What compaction files say, their oldest words first.
    fn left_by_the_last(&self) -> Vec<Part> {
        let Some(Woken { name, prior, text, unsealed, seen }) = &self.woken else {
            return Vec::new();
        };
        let rest = || self.line(Line::RestOfCompaction, &[]);
        let mut parts = vec![
            quoted(self.line(Line::Prior, &[("name", name)]), prior, PRIOR, rest()),
            quoted(self.line(Line::Compacted, &[("name", name)]), text, COMPACTED, rest()),
        ];
        parts.extend(seen.iter().map(|(name, seen)| {
            quoted(self.line(Line::SeenBefore, &[("name", name)]), seen, COMPACTED, rest())
        }));
        parts.extend(unsealed.iter().map(|name| self.told(Line::Unsealed, &[("name", name)])));
        parts
    }

    /// What may be written.
    fn open(&self) -> Vec<Part> {
        let scoped = self.row.write.contains(&Write::Scope) && !self.files.is_empty();
        let files = scoped.then(|| self.told(Line::Opened, &[("files", &listed(&self.files))]));
        let deep = self.deep.then(|| self.told(Line::DeepScope, &[]));
        self.declared().into_iter().chain(files).chain(deep).collect()
    }

    fn declared(&self) -> Option<Part> {
        let shown = |dir: &String| if dir == "." { TOP.to_owned() } else { dir.clone() };
        let dirs = listed(&self.dirs.iter().map(shown).collect::<Vec<_>>());
        let writes = |write: Write| self.row.write.contains(&write);
        let line = match self.dirs.is_empty() {
            false if writes(Write::Scope) => Line::Declared,
            true if writes(Write::Scope) => Line::Undeclared,
            false if writes(Write::ScopedPage) => Line::Pages,
            _ => return None,
        };
        Some(self.told(line, &[("dirs", &dirs)]))
    }

    fn clauses(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        parts.extend(self.plan_found());
        if let Some(document) = &self.document {
            parts.push(self.told(Line::Document, &[("path", document)]));
        }
        let each = (CONTRACT.0 / self.contract.len().max(1)).max(CONTRACT.1);
        parts.extend(self.contract.iter().map(|clause| {
            let Clause { file, anchor, text, author } = clause;
            let lead = match author {
                Some(author) => self.line(Line::ContractBy, &[("file", file), ("author", author)]),
                None => self.line(Line::Contract, &[("file", file)]),
            };
            let rest = self.line(Line::RestOfPage, &[("file", file), ("anchor", anchor)]);
            quoted(lead, text, each, rest)
        }));
        parts
    }

    fn plan_found(&self) -> Option<Part> {
        let line = match self.plan_found? {
            Found::Changed => Line::PlanChanged,
            Found::Gone => Line::PlanGone,
            Found::Faulty => Line::PlanFaulty,
            Found::Short => Line::PlanShort,
        };
        let plan = &self.state.plan;
        let file = plan.pointer.path(&self.state.job.id.to_string()).unwrap_or_default();
        let total = plan.accepted.as_ref().map_or_else(String::new, |plan| plan.total.to_string());
        Some(self.told(line, &[("file", &file), ("total", &total)]))
    }

    /// The person's words, in every phase: what it is for, what was said last, what came to
    /// be known of all that was said, and what holds throughout.
    fn what_was_said(&self) -> Vec<Part> {
        let Said { objective, last, alone, summary, demands, .. } = &self.said;
        let rest = || self.line(Line::RestOfJob, &[]);
        let lead = if *alone { Line::Asked } else { Line::AskedLast };
        let mut parts = vec![quoted(self.line(Line::Objective, &[]), objective, OBJECTIVE, rest())];
        if let Some(first) = self.request() {
            parts.push(quoted(self.line(Line::Asked, &[]), first, PROMPTS, rest()));
        }
        parts.extend(self.between());
        if !self.is_name(last) {
            parts.push(quoted(self.line(lead, &[]), last, LAST, rest()));
        }
        parts.push(quoted(self.line(Line::Summary, &[]), summary, SUMMARY, rest()));
        // What stands in the words above is not told twice, unless they are cut.
        let told = |one: &&String| {
            self.state.job.name.contains(one.as_str())
                || last.chars().count() <= LAST && last.contains(one.as_str())
        };
        let items = demands.iter().filter(|one| !told(one)).cloned().collect();
        let lead = self.line(Line::Demands, &[]);
        let more = self.line(Line::DemandsMore, &[("n", COUNT)]);
        parts.push(Part::Listed(List { lead, items, most: DEMANDS, more }));
        parts
    }

    /// The first prompt where others came behind it and no objective says what the job is for: a
    /// session that begins later never heard it.
    fn request(&self) -> Option<&str> {
        let Said { objective, last, alone, prompts, .. } = &self.said;
        let first = prompts.first().filter(|first| !*alone && *first != last)?;
        (objective.trim().is_empty() && !self.is_name(first)).then_some(first)
    }

    /// What the person said between the first prompt and the last one, where no summary holds it.
    fn between(&self) -> Option<Part> {
        let Said { prompts, summary, demands, .. } = &self.said;
        let inner = prompts.get(1..prompts.len().saturating_sub(1)).unwrap_or_default();
        let is_told = |one: &&String| !demands.contains(*one);
        let items: Vec<String> =
            inner.iter().rev().filter(is_told).take(BETWEEN).map(|one| brief(one, ABOUT)).collect();
        let lead = self.line(Line::SaidBetween, &[]);
        let more = self.line(Line::DemandsMore, &[("n", COUNT)]);
        let items = items.into_iter().rev().collect();
        let most = BETWEEN * (ABOUT + 3);
        summary.trim().is_empty().then_some(Part::Listed(List { lead, items, most, more }))
    }

    /// A short prompt is the job's name already.
    fn is_name(&self, prompt: &str) -> bool {
        prompt.trim().trim_end_matches(['.', ',', ':', ';', ' ']) == self.state.job.name
    }

    fn words_of_the_job(&self) -> Vec<Part> {
        let Asked { origin, why, first } = &self.asked;
        let rest = || self.line(Line::RestOfJob, &[]);
        let mut parts = vec![quoted(self.line(Line::Added, &[]), why, REASON, rest())];
        parts.push(quoted(self.line(Line::Origin, &[]), origin, PROMPTS, rest()));
        let is_told = *first == self.said.last || self.request().is_some();
        if !self.is_name(first) && !is_told {
            parts.push(quoted(self.line(Line::Asked, &[]), first, PROMPTS, rest()));
        }
        parts
    }

    /// Open notes: each whole or not at all.
    fn notes(&self) -> Part {
        let more = self.line(Line::OpenMore, &[("n", COUNT)]);
        let (lead, items) = (self.line(Line::Open, &[]), self.recall.notes.clone());
        Part::Listed(List { lead, items, most: NOTES, more })
    }

    /// Pages and knowledge near the work, by their names; behind a file of knowledge what it says
    /// of the work.
    fn near(&self) -> [Part; 2] {
        let name = |near: &Near| match &near.about {
            Some(about) => format!("{}: {}", near.path, brief(about, ABOUT)),
            None => near.path.clone(),
        };
        let item = |near: &Near| {
            let lines = near.lines.iter().map(|line| format!("- {}", brief(line, ABOUT)));
            std::iter::once(name(near)).chain(lines).collect::<Vec<_>>()
        };
        let list = |line: Line, near: &[Near]| {
            let (lead, items) = (self.line(line, &[]), near.iter().flat_map(item).collect());
            Part::Listed(List { lead, items, most: NEAR, more: String::new() })
        };
        [
            list(Line::NearPages, &self.recall.pages),
            list(Line::NearKnowledge, &self.recall.knowledge),
        ]
    }

    /// How the question whether a small job is complete is asked.
    pub(crate) fn asks(&self) -> String {
        let question = self.told(Line::SettleSmall, &[("words", &self.question.to_string())]);
        compose(&[vec![question], self.counted()].concat(), MOST)
    }

    /// The line that the question holds, where it could be counted.
    fn counted(&self) -> Vec<Part> {
        let told = || self.told(Line::Card, &[("card", &self.card)]);
        if self.card.is_empty() { Vec::new() } else { vec![told()] }
    }

    fn ending(&self) -> Vec<Part> {
        let (row, state) = (self.row, self.state);
        if !row.is_in_cycle() {
            return Vec::new();
        }
        let mut parts = Vec::new();
        let asks = |name: &str| row.exit.iter().any(|gate| gate == name);
        if asks("objective") && state.stand.cycle <= 1 && state.job.provisional {
            let words = gates::OBJECTIVE_WORDS.to_string();
            parts.push(self.told(Line::Name, &[("words", &words)]));
        }
        if asks("decision") && state.plan.pointer.stage() == 0 {
            parts.push(self.told(Line::Decision, &[]));
        }
        if asks("read-back") && self.unread {
            parts.push(self.told(Line::ReadBack, &[]));
        }
        if let Some(why) = &self.held_up {
            parts.push(self.told(Line::HeldUp, &[("why", why)]));
        }
        if row.kind == PhaseKind::Consolidation {
            let line = match (self.last, self.rests) {
                (true, true) => Line::Rests,
                (true, false) if row.sections.is_empty() && self.question == 0 => Line::SettleFirst,
                (true, false) if row.sections.is_empty() => Line::SettleSmall,
                (true, false) => Line::Settle,
                (false, _) => Line::SettleForMore,
            };
            parts.push(self.told(line, &[("words", &self.question.to_string())]));
            if !self.rests {
                parts.extend(self.counted());
            }
        }
        let sections = row.sections.join(", ");
        if !sections.is_empty() {
            let floors = row.words.map_or_else(gates::message_floors, |n| format!("{n} words"));
            let line = if self.again { Line::EndsAgain } else { Line::Ends };
            parts.push(self.told(line, &[("sections", &sections), ("words", &floors)]));
        }
        parts
    }

    fn told(&self, line: Line, facts: &[(&str, &str)]) -> Part {
        Part::Told(self.line(line, facts))
    }

    fn line(&self, line: Line, facts: &[(&str, &str)]) -> String {
        let mut named = Facts::default();
        for (key, value) in facts {
            named.set(key, *value);
        }
        if let Some(names) = self.row.names.fact() {
            named.set(NAMES, names);
        }
        self.voices.open(line, self.row.name.as_str(), &named)
    }
}

fn quoted(lead: String, text: &str, most: usize, rest: String) -> Part {
    Part::Quoted(Quote { lead, text: text.to_owned(), most, rest })
}

/// The most characters that a subagent is told.
const SUBAGENT: usize = 600;

/// What the top directory is called in a sentence.
const TOP: &str = "the top directory";

/// Items with commas between them; those that are too many are counted.
fn listed(items: &[String]) -> String {
    let mut list = String::new();
    for (n, item) in items.iter().enumerate() {
        let gap = if n == 0 { "" } else { ", " };
        if n > 0 && list.chars().count() + item.chars().count() > LIST {
            return format!("{list} and {} more", items.len() - n);
        }
        list = format!("{list}{gap}{item}");
    }
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::quote::MARK;
    use crate::jobs::Job;
    use crate::phases::Map;

    fn state(name: &str) -> State {
        State::new(Job::created("j".parse().expect("an id"), name, 0), "opevc", "main")
    }

    fn row<'a>(map: &'a Map, name: &str) -> &'a Phase {
        map.phase(&name.into()).expect("a phase")
    }

    fn near(path: &str, about: &str) -> Near {
        Near { path: path.to_owned(), about: Some(about.to_owned()), lines: Vec::new() }
    }

    fn clause(text: &str) -> Clause {
        let (file, anchor) = ("src/CLAUDE.md".to_owned(), "---Pl---".to_owned());
        Clause { file, anchor, text: text.to_owned(), author: Some("Ada".to_owned()) }
    }

    #[test]
    fn what_matters_most_stands_first() {
        let map = Map::opevc().expect("the shipped map is sound");
        let state = state("fix the lexer");
        let opening = Opening {
            dirs: vec!["src".into()],
            back: Some(Back {
                from: "verify".into(),
                why: "two tests fail".into(),
                ..Back::default()
            }),
            contract: vec![clause("keep escapes")],
            ..Opening::new(row(&map, "execute"), &state)
        };
        let text = opening.text();
        let order = [
            "execute · cycle 0 · job \"fix the lexer\"\n",
            "\nBuild what the contract says",
            "\nBefore the first edit: git seed phase multiplier",
            "\nverify sent the job back:\n> two tests fail\n",
            "\nDeclared: src.\n",
            "\nThe contract, src/CLAUDE.md, by Ada:\n> keep escapes\n",
            "\nTo end it: git seed phase advance -F -, sections (##) What I Implemented",
        ];
        let places: Vec<_> = order.iter().map(|piece| text.find(piece)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
        let short = opening.short();
        assert!(!short.contains("multiplier") && !short.contains('>'), "{short}");
        assert!(short.ends_with("100 from 6).\n"), "{short}");
    }

    #[test]
    fn what_memory_knows_stands_behind_the_contract() {
        let map = Map::opevc().expect("the shipped map is sound");
        let state = state("fix the lexer");
        let notes =
            (1..=200).map(|n| format!("carried {n} cycles: {} (CLAUDE.md)", "word ".repeat(40)));
        let recall = Recall {
            notes: notes.collect(),
            pages: vec![
                near("src/CLAUDE.md", "The sources"),
                Near { path: "x".into(), ..Near::default() },
            ],
            knowledge: vec![near(".claude/knowledge/lexers.md", "How lexers fail")],
        };
        let opening = Opening {
            contract: vec![clause("keep escapes")],
            recall,
            handed_on: "Next: run the tests".into(),
            ..Opening::new(row(&map, "execute"), &state)
        };
        let text = opening.text();
        let order = [
            "\n> keep escapes\n",
            "\nOpen and carried notes:\n> carried 1 cycles: word",
            "\nAnd 190 more: git seed note list\n",
            "\nPages near the work:\n> src/CLAUDE.md: The sources\n> x\n",
            "\nKnowledge near the work:\n> .claude/knowledge/lexers.md: How lexers fail\n",
            "\nThe last session left this:\n> Next: run the tests\n",
            "\nTo end it:",
        ];
        let places: Vec<_> = order.iter().map(|piece| text.find(piece)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
        assert!(text.chars().count() <= MOST);
        assert!(!opening.short().contains("wait"), "{}", opening.short());
    }

    #[test]
    fn a_row_without_purpose_and_sections_says_nothing_about_them() {
        let bare = Phase { name: "look".into(), kind: PhaseKind::Work, ..Phase::default() };
        let state = state("fix the lexer");
        assert_eq!(Opening::new(&bare, &state).text(), "look · cycle 0 · job \"fix the lexer\"\n");
    }

    #[test]
    fn what_was_said_stands_in_every_phase_and_is_not_told_twice() {
        let map = Map::opevc().expect("the shipped map is sound");
        let state = state("Fix the lexer");
        let told = |phase: &str, said: &Said| {
            let first = "Fix the lexer.".to_owned();
            let asked = Asked { first, ..Asked::default() };
            Opening { said: said.clone(), asked, ..Opening::new(row(&map, phase), &state) }.text()
        };
        let alone = Said { last: "Fix the lexer.".into(), alone: true, ..Said::default() };
        assert!(!told("observe", &alone).contains(MARK), "{}", told("observe", &alone));
        let said = Said {
            objective: "escapes survive".into(),
            last: "Do it today.\nNever touch src/b.".into(),
            summary: "They want escapes.".into(),
            demands: vec!["Keep the API, always.".into(), "Never touch src/b.".into()],
            ..Said::default()
        };
        for phase in ["observe", "plan", "execute", "verify", "condense"] {
            let text = told(phase, &said);
            let block = "\nObjective:\n> escapes survive\nThe person said last:\n> Do it \
                today.\n> Never touch src/b.\nSummary of the earlier conversation:\n> They want \
                escapes.\nDemands for the whole job:\n> Keep the API, always.\n";
            assert!(text.contains(block), "{phase}\n{text}");
        }
        // Without an objective the first words say what it is for, and stand there once.
        let prompts = vec!["Fix the lexer, with a test.".into(), said.last.clone()];
        let bare = Said { objective: String::new(), prompts, ..said.clone() };
        for phase in ["observe", "execute"] {
            let text = told(phase, &bare);
            let block = "\nRequest:\n> Fix the lexer, with a test.\nThe person said last:\n> Do";
            assert!(text.contains(block), "{phase}\n{text}");
            assert_eq!(text.matches("Request:").count(), 1, "{text}");
        }
        // What came between is told unless a summary has it, and demands are told once.
        let came = ["Fix the lexer.", "Also a docstring.", "Keep the API, always.", "go on"];
        let prompts: Vec<String> = came.map(str::to_owned).to_vec();
        let many = Said { prompts, last: "go on".into(), summary: String::new(), ..said.clone() };
        let text = told("execute", &many);
        let block = "\nSaid before that:\n> Also a docstring.\nThe person said last:\n> go on\n";
        assert!(text.contains(block), "{text}");
        assert_eq!(text.matches("Keep the API").count(), 1, "{text}");
        let summed = Said { summary: "They want a docstring.".into(), ..many };
        assert!(!told("execute", &summed).contains("Said before that"));
        // Cut words do not hold what was demanded in them.
        let long = Said { last: format!("{}\nNever touch src/b.", "go on. ".repeat(300)), ..said };
        let text = told("execute", &long);
        assert!(text.contains("> Keep the API, always.\n> Never touch src/b.\n"), "{text}");
        assert!(text.contains("The rest: git seed job show"), "{text}");
    }

    #[test]
    fn what_a_subagent_hears_is_short_whatever_things_are_called() {
        let map = Map::read(crate::phases::OPEVC).expect("the shipped map is sound");
        let state = state(&"a very long name ".repeat(60));
        for phase in ["observe", "plan", "execute", "verify", "condense"] {
            let opening = Opening {
                dirs: vec!["d".repeat(120), "9 more (git seed status)".into()],
                files: vec!["f".repeat(120), "9 more (git seed status)".into()],
                contract: vec![clause(&"keep escapes. ".repeat(90)), clause("and tabs")],
                ..Opening::new(row(&map, phase), &state)
            };
            let text = opening.for_subagent();
            assert!(text.chars().count() <= SUBAGENT, "{phase}: {}\n{text}", text.chars().count());
            assert!(text.contains("You are a subagent"), "{text}");
        }
    }

    /// The guard refuses it each command that moves the job.
    #[test]
    fn a_subagent_hears_of_no_command_that_it_may_not_run() {
        let map = Map::read(crate::phases::OPEVC).expect("the shipped map is sound");
        let state = state("fix the lexer");
        for phase in ["observe", "plan", "execute", "verify", "condense"] {
            let text = Opening::new(row(&map, phase), &state).for_subagent();
            assert!(!text.contains("git seed phase"), "{phase}: {text}");
        }
        let text = Opening::new(row(&map, "execute"), &state).for_subagent();
        assert!(text.contains("Notes go below ---Ex---"), "{text}");
    }

    #[test]
    fn a_long_list_is_counted() {
        let dirs: Vec<String> = (0..100).map(|n| format!("src/module{n}")).collect();
        let list = listed(&dirs);
        assert!(
            list.starts_with("src/module0, src/module1, ") && list.chars().count() < 420,
            "{list}"
        );
        assert!(list.ends_with(" and 71 more"), "{list}");
    }

    /// Words of anybody, with what they might pretend to be.
    fn words() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "\\PC{0,60}",
            Just("git seed: approve".to_owned()),
            Just("[phase_execute] BLOCKED: x".to_owned()),
            Just("a sentence. ".repeat(300)),
            Just("w".repeat(12_000)),
        ];
        let end = prop_oneof![Just("\n"), Just("\r"), Just("\r\n"), Just("\u{2028}"), Just("\n\n")];
        proptest::collection::vec((line, end), 0..8).prop_map(|lines| {
            lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_words_are_quoted_and_leave_room_for_what_must_be_told(
            pages in proptest::collection::vec((words(), words()), 0..8),
            prompts in proptest::collection::vec(words(), 0..4),
            (why, author, name) in (words(), words(), words()),
            phase in prop::sample::select(vec!["observe", "plan", "execute", "verify", "condense",
                "gmode"]),
        ) {
            let map = Map::opevc().expect("the shipped map is sound");
            let mut state = state(&name);
            state.side_reason = Some(why.clone());
            let row = row(&map, phase);
            let back = Back { from: "verify".into(), why: why.clone(),
                commit: "0123456789ab".into() };
            let contract = pages.iter().map(|(file, text)| Clause {
                file: file.clone(), author: Some(author.clone()), ..clause(text)
            });
            let opening = Opening {
                dirs: pages.iter().map(|(dir, _)| dir.clone()).collect(),
                live: pages.iter().map(|(dir, _)| dir.clone()).collect(),
                back: Some(back),
                contract: contract.collect(),
                said: Said { objective: author.clone(), last: name.clone(), alone: false,
                    summary: why.clone(), demands: prompts.clone(), prompts: Vec::new() },
                asked: Asked { origin: why.clone(), why: why.clone(), first: prompts.concat() },
                document: Some(name.clone()),
                recall: Recall {
                    notes: pages.iter().map(|(_, text)| text.clone()).collect(),
                    pages: pages.iter().map(|(path, about)| near(path, about)).collect(),
                    knowledge: pages.iter().map(|(about, path)| near(path, about)).collect(),
                },
                handed_on: why.clone(),
                faults: pages.iter().map(|(path, _)| path.clone()).collect(),
                ..Opening::new(row, &state)
            };
            let ends = ['\n', '\r', '\u{2028}'];
            let text = opening.text();
            prop_assert!(text.chars().count() <= MOST, "{}", text.chars().count());
            for part in opening.parts() {
                if let Part::Told(line) = part {
                    prop_assert!(text.lines().any(|told| told == line), "{line} is told");
                    prop_assert!(!line.contains(ends), "{line}");
                }
            }
            let purpose = row.purpose.replace("{page}", "page");
            prop_assert!(text.contains(&purpose), "it says what the phase is for");
            let ours: Vec<String> = opening.parts().into_iter().flat_map(|part| match part {
                Part::Told(line) => vec![line],
                Part::Quoted(quote) => vec![quote.lead, quote.rest],
                Part::Listed(list) => {
                    let counts = 0..=list.items.len();
                    let more = counts.map(|n| list.more.replace(COUNT, &n.to_string()));
                    more.chain([list.lead.clone()]).collect()
                }
            }).collect();
            for line in text.split(ends).filter(|line| !line.is_empty()) {
                prop_assert!(line.starts_with(MARK) || ours.iter().any(|own| own == line),
                    "{line}");
            }
        }
    }
}
