//! Chains of format 1, made anew: the same steps with the same ids and dates, and a stub in the
//! place of each text. Nothing moves here; see [`super::carry`].

use std::collections::{BTreeMap, HashMap};

use crate::engine::repo::archive_index::unread;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::{aside, record};
use crate::format::archive;
use crate::format::state::{self, State};
use crate::format::{FORMAT, names, texts};
use crate::jobs::JobId;
use crate::store::{CommitId, Held, OldCommit, Recast, Tip, TreeEdit, TreeId};

/// The directories of a job's tree that hold texts.
const OF_TEXTS: [&str; 4] = ["interactions", "summaries", "contexts", names::TRACE];

/// What was made anew so far.
pub(crate) struct Anew<'r> {
    repo: &'r Repo,
    made: Recast<'r>,
    /// New commits and their trees by the old ones.
    steps: HashMap<CommitId, (CommitId, TreeId)>,
    /// What an archived job is called, by its old tip.
    called: HashMap<CommitId, String>,
    /// New directories by job and old directory.
    dirs: HashMap<(JobId, TreeId), TreeId>,
    /// All texts that a stub of the new chains names.
    pub texts: Held,
    /// Those of them that are here already, of an attempt that was stopped.
    known: Held,
}

impl<'r> Anew<'r> {
    pub(crate) fn new(repo: &'r Repo) -> Result<Self> {
        let known = match repo.store.stands_at(names::TEXTS)? {
            Some(tip) => repo.store.texts_of(&tip)?,
            None => Held::new(),
        };
        Ok(Self {
            repo,
            made: Recast::new(&repo.store),
            steps: HashMap::new(),
            called: HashMap::new(),
            dirs: HashMap::new(),
            texts: Held::new(),
            known,
        })
    }

    /// How many steps were made anew.
    pub(crate) fn count(&self) -> usize {
        self.steps.iter().filter(|(old, (new, _))| *old != new).count()
    }

    /// Everything that was made is on the disk; the texts are all that stubs name.
    pub(crate) fn finish(self) -> Result<Held> {
        self.made.finish()?;
        Ok(self.texts)
    }

    /// The chain of a job, up to `tip`.
    pub(crate) fn chain(&mut self, id: &JobId, tip: &CommitId) -> Result<CommitId> {
        if let Some((new, _)) = self.steps.get(tip) {
            return Ok(new.clone());
        }
        let mut last = tip.clone();
        for old in self.repo.store.commits_of_ours(tip)? {
            if !self.steps.contains_key(&old.commit) {
                let made = self.step(id, &old)?;
                self.steps.insert(old.commit.clone(), made);
            }
            if let Some((new, _)) = self.steps.get(&old.commit) {
                last = new.clone();
            }
        }
        Ok(last)
    }

    fn step(&mut self, id: &JobId, old: &OldCommit) -> Result<(CommitId, TreeId)> {
        let mut edits = Vec::new();
        let mut message = old.message.clone();
        let tip = Tip { commit: old.commit.clone(), tree: old.tree.clone() };
        for dir in OF_TEXTS {
            edits.extend(self.directory(id, old, dir)?);
        }
        if self.repo.store.file(&tip, names::STATE)?.is_some() {
            let mut state = self.repo.state_as_stored(&names::job_chain(id), &tip)?;
            message = without_name(&state, &message);
            self.called.insert(old.commit.clone(), state.job.kept_name());
            if state.format < FORMAT {
                edits.extend(self.of_state(&mut state, old.at)?);
            }
        }
        let tree = self.made.tree(&old.tree, &edits)?;
        let commit = self.made.commit_of(old, &tree, &self.mapped(&old.parents), &message)?;
        Ok((commit, tree))
    }

    /// `job.toml` as it is written now, with what an older record kept in it.
    fn of_state(&mut self, state: &mut State, at: i64) -> Result<Vec<TreeEdit>> {
        let id = state.job.id.clone();
        let mut edits = record::kept::move_contexts(state);
        for text in aside::take_out(&self.repo.store, &id, &mut edits, at)? {
            let held = self.made.text(&text.file)?;
            self.texts.insert(texts::place(&id, &text.key), held);
        }
        (state.format, state.job.name) = (FORMAT, state.job.kept_name());
        // The times of this step that are known here are kept anew, not the days that stand there.
        if self.repo.store.dates_by_the_day() {
            self.repo.store.put_exact(state);
        }
        self.repo.store.keep_exact(state)?;
        let bad = |bad| EngineError::State { chain: names::job_chain(&id), bad };
        let (text, spilled) = state::write_short(state).map_err(bad)?;
        let put = |path: &str, text: String| TreeEdit::Put {
            path: path.to_owned(),
            bytes: text.into_bytes(),
        };
        edits.extend(spilled.map(|text| put(names::FENCE, text)));
        edits.push(put(names::STATE, text));
        Ok(edits)
    }

    /// A directory of texts, with stubs in it. What the step before had is taken from there.
    fn directory(&mut self, id: &JobId, old: &OldCommit, dir: &str) -> Result<Option<TreeEdit>> {
        let of = |tree: &TreeId| -> Result<Option<TreeId>> {
            let tip = Tip { commit: old.commit.clone(), tree: tree.clone() };
            Ok(self.repo.store.subtree(&tip, dir)?)
        };
        let Some(here) = of(&old.tree)? else { return Ok(None) };
        let path = dir.to_owned();
        if let Some(known) = self.dirs.get(&(id.clone(), here.clone())) {
            return Ok(Some(TreeEdit::Graft { path, tree: known.clone() }));
        }
        let mut before = None;
        if let Some(parent) = old.parents.first().filter(|one| self.steps.contains_key(*one)) {
            let tree = self.repo.store.tree_of_commit(parent)?;
            let new = of(&tree)?.and_then(|had| self.dirs.get(&(id.clone(), had)).cloned());
            before = new.map(|new| (tree, new));
        }
        let now = self.repo.store.files_in(&old.tree, dir)?;
        let (had, base) = match before {
            Some((tree, new)) => (self.repo.store.files_in(&tree, dir)?, new),
            None => (BTreeMap::new(), self.repo.store.no_tree()),
        };
        let mut edits = Vec::new();
        for name in had.keys().filter(|name| !now.contains_key(*name)) {
            edits.push(TreeEdit::Remove { path: name.clone() });
        }
        for (name, held) in now.iter().filter(|(name, held)| had.get(*name) != Some(*held)) {
            let file = self.repo.store.bytes_of(held)?;
            let bytes = self.stub(id, &format!("{dir}/{name}"), file, old.at)?;
            edits.push(TreeEdit::Put { path: name.clone(), bytes });
        }
        let tree = self.made.tree(&base, &edits)?;
        self.dirs.insert((id.clone(), here), tree.clone());
        Ok(Some(TreeEdit::Graft { path, tree }))
    }

    /// The stub of a text; one that is there stays.
    fn stub(&mut self, id: &JobId, path: &str, file: Vec<u8>, at: i64) -> Result<Vec<u8>> {
        if let Some(stub) = texts::Stub::read(&file) {
            let place = texts::place(id, &stub.key);
            if let Some(held) = self.known.get(&place) {
                self.texts.insert(place, held.clone());
            }
            return Ok(file);
        }
        let (stub, text) = aside::taken_out(&self.repo.store, id, path, &file, at)?;
        let held = self.made.text(&text.file)?;
        self.texts.insert(texts::place(id, &text.key), held);
        Ok(stub)
    }

    fn mapped(&self, parents: &[CommitId]) -> Vec<CommitId> {
        let new =
            |old: &CommitId| self.steps.get(old).map_or_else(|| old.clone(), |one| one.0.clone());
        parents.iter().map(new).collect()
    }

    /// The archive up to `tip`, with the jobs in it.
    pub(crate) fn archive(&mut self, tip: &CommitId) -> Result<CommitId> {
        let mut last = tip.clone();
        for old in self.chain_of_archive(tip)? {
            for closed in old.parents.iter().skip(1) {
                let of = self.repo.store.tip_of(closed)?;
                let id = self.repo.state_as_stored(names::ARCHIVE, &of)?.job.id;
                self.chain(&id, closed)?;
            }
            let made = self.archived(&old)?;
            last = made.0.clone();
            self.steps.insert(old.commit.clone(), made);
        }
        Ok(last)
    }

    /// The commits of the archive alone, oldest first.
    fn chain_of_archive(&self, tip: &CommitId) -> Result<Vec<OldCommit>> {
        let all = self.repo.store.commits_of_ours(tip)?;
        let mut by_id: HashMap<CommitId, OldCommit> =
            all.into_iter().map(|old| (old.commit.clone(), old)).collect();
        let (mut chain, mut next) = (Vec::new(), Some(tip.clone()));
        while let Some(old) = next.and_then(|id| by_id.remove(&id)) {
            next = old.parents.first().cloned();
            chain.push(old);
        }
        chain.reverse();
        Ok(chain)
    }

    fn archived(&mut self, old: &OldCommit) -> Result<(CommitId, TreeId)> {
        let (mut base, mut had) = (old.tree.clone(), BTreeMap::new());
        if let Some(parent) = old.parents.first()
            && let Some((_, new)) = self.steps.get(parent)
        {
            base = new.clone();
            had = self
                .repo
                .store
                .files_in(&self.repo.store.tree_of_commit(parent)?, archive::INDEX)?;
        }
        let mut edits = Vec::new();
        let mut message = old.message.clone();
        for closed in old.parents.iter().skip(1) {
            let of = self.repo.store.tip_of(closed)?;
            let state = self.repo.state_as_stored(names::ARCHIVE, &of)?;
            message = without_name(&state, &message);
            if let Some((_, tree)) = self.steps.get(closed) {
                let path = archive::place(&state.job.id);
                edits.push(TreeEdit::Graft { path, tree: tree.clone() });
            }
        }
        let now = self.repo.store.files_in(&old.tree, archive::INDEX)?;
        for name in had.keys().filter(|name| !now.contains_key(*name)) {
            edits.push(TreeEdit::Remove { path: format!("{}/{name}", archive::INDEX) });
        }
        for (name, held) in now.iter().filter(|(name, held)| had.get(*name) != Some(*held)) {
            let path = format!("{}/{name}", archive::INDEX);
            let bytes = self.index(&path, self.repo.store.bytes_of(held)?)?;
            edits.push(TreeEdit::Put { path, bytes });
        }
        let tree = self.made.tree(&base, &edits)?;
        let commit = self.made.commit_of(old, &tree, &self.mapped(&old.parents), &message)?;
        Ok((commit, tree))
    }

    /// A file of the index, with the new tips and no prompt's words.
    fn index(&self, path: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
        if [archive::COUNT, archive::SCHEDULED].contains(&path) {
            return Ok(bytes);
        }
        let mut text = String::new();
        for mut row in archive::rows(&bytes).map_err(|bad| unread(path, &bad))? {
            if let Ok(old) = row.tip.parse::<CommitId>() {
                if let Some((new, _)) = self.steps.get(&old) {
                    row.tip = new.to_string();
                }
                if let Some(name) = self.called.get(&old) {
                    row.name.clone_from(name);
                }
            }
            text.push_str(&row.write()?);
        }
        Ok(text.into_bytes())
    }
}

/// A message without the head of a prompt that named the job.
fn without_name(state: &State, message: &str) -> String {
    let (name, kept) = (&state.job.name, state.job.kept_name());
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    if *name == kept || name.is_empty() || !first.contains(name.as_str()) {
        return message.to_owned();
    }
    let first = first.replace(&format!("\"{name}\""), &kept).replace(name.as_str(), &kept);
    format!("{first}\n{rest}")
}
