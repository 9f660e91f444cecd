//! Footers over the phase commits of a job, how they grow and shrink; and the notes in them, with
//! where each of them went.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::story::changes;
use crate::engine::story::past::{Past, PastStep};
use crate::format::names;
use crate::memory::archive::{self, Capture};
use crate::memory::notes::{Kinds, Standing};
use crate::memory::words::footer_words;
use crate::store::TreeId;

/// The name of the step that brings a note to rest.
const NOTE: &str = "note";

/// How many words the footers of the job's pages had after each of its commits.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Footers {
    pub pages: Vec<String>,
    pub steps: Vec<FooterPoint>,
}

/// The footers at one commit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FooterPoint {
    pub step: String,
    pub cycle: u32,
    pub commit: String,
    /// Of each page.
    pub words: Vec<usize>,
}

/// A note, and what became of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NoteShown {
    pub page: String,
    pub kind: String,
    pub content: String,
    /// The step whose commit has it first.
    pub since: String,
    pub at: String,
    pub cycle: u32,
    /// `live`, `handed-back`, `resolved`, `carried`, or `gone`: its page does not have it any more,
    /// and nothing tells where it went.
    pub state: &'static str,
    /// What shows that it was acted on, or why it waits.
    pub leads: String,
}

/// What is known while the commits go by.
struct Walk<'r> {
    repo: &'r Repo,
    kinds: Kinds,
    /// Words of the footer of each page that the job touched.
    words: BTreeMap<String, usize>,
    points: Vec<(FooterPoint, BTreeMap<String, usize>)>,
    notes: Vec<NoteShown>,
}

/// What the commits of `job` say of pages: footers, and notes.
pub(crate) fn of(repo: &Repo, job: &LoadedJob, past: &Past) -> Result<(Footers, Vec<NoteShown>)> {
    let mut walk = Walk {
        repo,
        kinds: repo.kinds(&job.state),
        words: BTreeMap::new(),
        points: Vec::new(),
        notes: Vec::new(),
    };
    for step in &past.steps {
        if step.said.step == NOTE {
            walk.note_ends(step);
        }
        if let Some(commit) = &step.said.commit
            && let Some(trees) = repo.store.trees_around(commit)?
        {
            walk.commit(step, commit, &trees)?;
        }
    }
    Ok(walk.ends())
}

impl Walk<'_> {
    fn commit(&mut self, step: &PastStep, commit: &str, trees: &(TreeId, TreeId)) -> Result<()> {
        let (paths, _) = changes::paths(self.repo, trees)?;
        let log = format!("/run-{}/{}", step.said.run, names::session_log(step.said.cycle));
        for path in paths.iter().filter(|path| path.ends_with(&log)) {
            let log = changes::bytes(self.repo, &trees.1, path)?.unwrap_or_default();
            // A log that a hand cut off tells nothing; `git seed verify` names it.
            let captures = archive::read(&String::from_utf8_lossy(&log)).unwrap_or_default();
            self.captured(&captures);
        }
        for page in paths.iter().filter(|path| self.repo.is_page(path)) {
            let text = changes::bytes(self.repo, &trees.1, page)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let anchors = self.repo.rules.maps.anchors();
            self.words.insert(page.clone(), footer_words(&text, &anchors));
            self.page(step, page, &text, &anchors);
        }
        let (step, cycle) = (step.said.step.clone(), step.said.cycle);
        let point = FooterPoint { step, cycle, commit: commit.to_owned(), words: Vec::new() };
        self.points.push((point, self.words.clone()));
        Ok(())
    }

    /// The notes that stand in a page now.
    fn page(&mut self, step: &PastStep, page: &str, text: &str, anchors: &[&str]) {
        let found = self.kinds.in_footer(text, anchors);
        for note in self.notes.iter_mut().filter(|note| note.page == page) {
            let stands =
                found.iter().any(|one| one.kind == note.kind && one.content == note.content);
            if !stands && ["live", "handed-back"].contains(&note.state) {
                note.state = "gone";
            }
        }
        for one in found.iter().filter(|one| !one.content.is_empty()) {
            let leads = one.extra.join(" ");
            let state = one.standing.word();
            let known = self.notes.iter_mut().find(|note| {
                (&*note.page, &note.kind, &note.content) == (page, &one.kind, &one.content)
            });
            match known {
                Some(note) => (note.state, note.leads) = (state, leads),
                None => self.notes.push(NoteShown {
                    page: page.to_owned(),
                    kind: one.kind.clone(),
                    content: one.content.clone(),
                    since: step.said.step.clone(),
                    at: rfc3339(step.at),
                    cycle: step.said.cycle,
                    state,
                    leads,
                }),
            }
        }
    }

    /// Notes that came to rest in a page before condense took its footer out: no commit has that
    /// page, and the session log has its last words.
    fn captured(&mut self, captures: &[Capture]) {
        let mut last: BTreeMap<&str, &str> = BTreeMap::new();
        for footer in captures.iter().flatten() {
            last.insert(&footer.page, &footer.text);
        }
        for (page, text) in last {
            let (told, bare): (Vec<_>, Vec<_>) =
                self.kinds.read(text).into_iter().partition(|one| !one.content.is_empty());
            let mut left: Vec<&mut NoteShown> = self
                .notes
                .iter_mut()
                .filter(|note| note.page == page && ["live", "handed-back"].contains(&note.state))
                .collect();
            for one in told {
                let is =
                    |note: &NoteShown| (&note.kind, &note.content) == (&one.kind, &one.content);
                let Some(at) = left.iter().position(|note| is(note)) else { continue };
                let note = left.remove(at);
                (note.state, note.leads) = (one.standing.word(), one.extra.join(" "));
            }
            // A resolved line stands in the place of its note and does not repeat it.
            for one in bare.into_iter().filter(|one| one.standing == Standing::Resolved) {
                let Some(at) = left.iter().position(|note| note.kind == one.kind) else { continue };
                let note = left.remove(at);
                (note.state, note.leads) = (one.standing.word(), one.crumb);
            }
        }
    }

    /// A command brought a note to rest: the step has the line that stands in its place, and the
    /// one that stood there.
    fn note_ends(&mut self, step: &PastStep) {
        let Some((page, old)) = step.body.split_once(": ") else { return };
        let Some(old) = self.kinds.read(old).pop() else { return };
        let end = self.kinds.read(&step.subject).pop();
        let (state, leads) = match end {
            Some(end) if end.standing == Standing::Resolved => (end.standing.word(), end.crumb),
            Some(end) => (end.standing.word(), end.extra.join(" ")),
            // The subject of a step is cut.
            None if step.subject.starts_with("[RESOLVED") => {
                (Standing::Resolved.word(), step.subject.clone())
            }
            None => (Standing::Carried.word(), step.subject.clone()),
        };
        let known = self.notes.iter_mut().find(|note| {
            (&*note.page, &note.kind, &note.content) == (page, &old.kind, &old.content)
        });
        match known {
            Some(note) => (note.state, note.leads) = (state, leads),
            None => self.notes.push(NoteShown {
                page: page.to_owned(),
                kind: old.kind,
                content: old.content,
                since: step.said.step.clone(),
                at: rfc3339(step.at),
                cycle: step.said.cycle,
                state,
                leads,
            }),
        }
    }

    fn ends(self) -> (Footers, Vec<NoteShown>) {
        let pages: Vec<String> = self.words.into_keys().collect();
        let points = self.points.into_iter().map(|(point, words)| FooterPoint {
            words: pages.iter().map(|page| words.get(page).copied().unwrap_or_default()).collect(),
            ..point
        });
        (Footers { steps: points.collect(), pages }, self.notes)
    }
}
