//! What memory has to say to the work at hand: open notes, and the pages and knowledge
//! nearest to it.
//!
//! Asked at boundaries and when a session begins; one child process for the list of files,
//! and none for each of them. What cannot be read is not told. What a file says it is
//! counts only as HEAD has it: who wrote anything else is not known.

use std::collections::BTreeSet;

use crate::engine::memory;
use crate::engine::repo::{self, LoadedJob, Repo, Result, trust};
use crate::memory::notes::{Note, Standing};
use crate::memory::{footers, knowledge, recall};
use crate::phases::PhaseKind;
use crate::store::{RepoPath, TreeId};

/// The most pages and knowledge files that are told.
const MOST: usize = 5;

/// The most that are looked into, the likeliest ones.
const PAGES: usize = 2_000;

const KNOWLEDGE: usize = 300;

/// The most lines of one file of knowledge that are told.
const LINES: usize = 2;

/// What is told of memory to work of this kind in `dirs`, given as lines of the scope.
/// `prompts` are all that the person said.
pub(crate) fn recall(
    repo: &Repo,
    focused: &LoadedJob,
    kind: PhaseKind,
    dirs: &[String],
    prompts: &[String],
) -> Recall {
    // A hint: what cannot be read is not told, and nothing decides by it.
    recalled(repo, focused, kind, dirs, prompts).unwrap_or_default()
}

fn recalled(
    repo: &Repo,
    focused: &LoadedJob,
    kind: PhaseKind,
    dirs: &[String],
    prompts: &[String],
) -> Result<Recall> {
    let job = &focused.state.job;
    let said = [job.name.as_str(), job.objective.as_str()];
    let names = recall::topics(said.into_iter().chain(dirs.iter().map(String::as_str)));
    let about = About { all: recall::topics(prompts.iter().map(String::as_str)), names }.whole();
    let topics = &about.all;
    let dirs: Vec<&str> = dirs.iter().map(String::as_str).collect();
    let paths = memory::lint::paths_of_work_tree(repo)?;
    let shares = |path: &str| recall::shared(&recall::topics([path]), topics);
    // Before anything is declared, the words of a path say whether it is near.
    let place = |path: &&String| match recall::distance(path, &dirs) {
        Some(near) => (near, 0),
        None => ((u8::MAX, 0), usize::MAX - shares(path)),
    };
    let pages: Vec<&String> = paths.iter().filter(|path| repo.is_page(path)).collect();
    let pages = recall::nearest(&pages, PAGES, |path| Some((place(path), *path)));
    let texts: Vec<(&str, String)> = pages
        .into_iter()
        .filter_map(|path| Some((path.as_str(), memory_text(repo, path)?)))
        .collect();
    // Without it each text is quoted as nobody's.
    let head = repo.store.head()?.commit.and_then(|head| repo.store.tree_of_commit(&head).ok());
    Ok(Recall {
        notes: open_notes(repo, focused, kind, &texts),
        pages: near_pages(repo, &texts, topics, &dirs, head.as_ref()),
        knowledge: near_knowledge(repo, &paths, &about, head.as_ref()),
    })
}

/// What the work is about.
struct About {
    /// Words of its name, its objective and its directories.
    names: BTreeSet<String>,
    /// These and the words of all prompts, of which one alone says little.
    all: BTreeSet<String>,
}

impl About {
    fn whole(mut self) -> Self {
        self.all.extend(self.names.iter().cloned());
        self
    }

    /// How much something with these words has to do with it; nothing where one word of a prompt
    /// is all.
    fn shares(&self, words: &BTreeSet<String>) -> Option<usize> {
        let shares = recall::shared(words, &self.all);
        (shares > 1 || recall::shared(words, &self.names) > 0).then_some(shares)
    }
}

/// The text of a file of memory; a link is no file of its own.
fn memory_text(repo: &Repo, path: &str) -> Option<String> {
    let at = repo.store.work_tree().join(path);
    // A page of the person's that does not read is not recalled.
    at.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    // As above.
    Some(String::from_utf8_lossy(&repo::paths::bytes_of(at).ok()?).into_owned())
}

/// Carried notes, the oldest first, then live ones, the nearest page first. Where memory
/// is settled, the live ones are named by their lines already.
fn open_notes(
    repo: &Repo,
    focused: &LoadedJob,
    kind: PhaseKind,
    pages: &[(&str, String)],
) -> Vec<String> {
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(&focused.state));
    let notes = |(page, text): &(&str, String)| {
        let page = (*page).to_owned();
        kinds.in_footer(text, &anchors).into_iter().map(move |note| (page.clone(), note))
    };
    let all: Vec<(String, Note)> =
        pages.iter().flat_map(|page| notes(page).collect::<Vec<_>>()).collect();
    let live =
        all.iter().filter(|(_, note)| note.standing.is_live() && kind != PhaseKind::Consolidation);
    let mut carried: Vec<_> =
        all.iter().filter(|(_, note)| note.standing == Standing::Carried).collect();
    carried.sort_by_key(|(_, note)| std::cmp::Reverse(note.carries));
    carried.into_iter().chain(live).map(|(page, note)| told(page, note)).collect()
}

fn near_pages(
    repo: &Repo,
    pages: &[(&str, String)],
    topics: &BTreeSet<String>,
    dirs: &[&str],
    head: Option<&TreeId>,
) -> Vec<Near> {
    let anchors = repo.rules.maps.anchors();
    let title =
        |text: &str| recall::title(footers::layout(text, &anchors).body()).map(str::to_owned);
    let key = |(path, text): &(&str, String)| {
        if let Some(near) = recall::distance(path, dirs) {
            return Some((near, 0, (*path).to_owned()));
        }
        // Without a declared directory, pages go by what they are about.
        let about = recall::topics([*path, title(text).unwrap_or_default().as_str()]);
        let shares =
            Some(recall::shared(&about, topics)).filter(|shares| *shares > 0 && dirs.is_empty())?;
        Some(((u8::MAX, 0), usize::MAX - shares, (*path).to_owned()))
    };
    let near = recall::nearest(pages, MOST, key);
    let trusted = trust::trusted(repo, near.iter().map(|(path, _)| *path));
    near.into_iter()
        .map(|(path, text)| {
            let known = trusted.contains(path) && is_of_head(repo, head, path, text);
            let about = title(text).filter(|_| known);
            Near { path: (*path).to_owned(), about, lines: Vec::new() }
        })
        .collect()
}

fn near_knowledge(
    repo: &Repo,
    paths: &[String],
    about: &About,
    head: Option<&TreeId>,
) -> Vec<Near> {
    let topics = &about.all;
    let files: Vec<&String> = paths.iter().filter(|path| knowledge::is_knowledge(path)).collect();
    let shares = |path: &str| recall::shared(&recall::topics([path]), topics);
    let likely =
        recall::nearest(&files, KNOWLEDGE, |path| Some((usize::MAX - shares(path), *path)));
    let read = |path: &&String| Some(((*path).clone(), memory_text(repo, path)?));
    let texts: Vec<(String, String)> = likely.into_iter().filter_map(read).collect();
    let key = |(path, text): &(String, String)| {
        let front = knowledge::front(text);
        let name = knowledge::name_of(path);
        let description = front.description.as_ref().map_or("", |said| said.text);
        let said = [name.as_str(), description].into_iter().chain(recall::headings(front.body));
        let lines = key_lines(about, front.body);
        let shares = about.shares(&recall::topics(said.chain(lines)))?;
        Some((usize::MAX - shares, path.clone()))
    };
    let near = recall::nearest(&texts, MOST, key);
    let known = trust::trusted(repo, near.iter().map(|(path, _)| path.as_str()));
    near.into_iter()
        .map(|(path, text)| {
            let trusted = known.contains(path.as_str()) && is_of_head(repo, head, path, text);
            let front = knowledge::front(text);
            let lines = key_lines(about, front.body).filter(|_| trusted).map(str::to_owned);
            Near {
                path: path.clone(),
                lines: lines.collect(),
                about: front.description.map(|said| said.text.to_owned()).filter(|_| trusted),
            }
        })
        .collect()
}

/// The lines of a file of knowledge that have most to do with the work, in their order.
fn key_lines<'t>(about: &About, body: &'t str) -> impl Iterator<Item = &'t str> + use<'t> {
    let lines: Vec<&str> = recall::lines(body).collect();
    let shares = |n: &usize| Some((usize::MAX - about.shares(&recall::topics([lines[*n]]))?, *n));
    let numbers: Vec<usize> = (0..lines.len()).collect();
    let mut best: Vec<usize> =
        recall::nearest(&numbers, LINES, shares).into_iter().copied().collect();
    best.sort_unstable();
    best.into_iter().map(move |n| lines[n])
}

/// The file says what HEAD has, line ends left aside.
fn is_of_head(repo: &Repo, head: Option<&TreeId>, path: &str, text: &str) -> bool {
    let (Some(head), Ok(path)) = (head, RepoPath::try_from(path)) else { return false };
    // What cannot be compared is not taken for committed.
    let blob = repo.store.blob_at(head, &path).ok().flatten();
    blob.is_some_and(|blob| String::from_utf8_lossy(&blob).lines().eq(text.lines()))
}

/// The newest of what sessions left when their turn ended with the work open.
pub(crate) fn handed_on(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    let number =
        |name: &String| name.strip_prefix("hand-off-")?.strip_suffix(".md")?.parse::<u32>().ok();
    // Told where a session begins; what cannot be read is not told, as everywhere there.
    let left = repo.store.names(&focused.tip, "summaries").ok()?;
    let newest = left.into_iter().filter(|name| number(name).is_some()).max_by_key(number)?;
    // As above.
    let text = repo.words(focused.texts(), &format!("summaries/{newest}")).ok()??;
    Some(text.strip_prefix("# Hand-off").unwrap_or(&text).trim().to_owned())
}

/// One note as a line of git seed's list.
fn told(page: &str, note: &Note) -> String {
    let content = if note.content.is_empty() { note.kind.clone() } else { note.content.clone() };
    match note.standing {
        Standing::Carried => {
            let cycles = if note.carries == 1 { "cycle" } else { "cycles" };
            format!("carried {} {cycles}: {content} ({page})", note.carries)
        }
        _ => format!("{}: {content} ({page}:{})", note.kind, note.line),
    }
}

/// What memory has to say to the work at hand, nearest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recall {
    /// Open and carried notes, a line each.
    pub notes: Vec<String>,
    pub pages: Vec<Near>,
    pub knowledge: Vec<Near>,
}

/// A file of memory near the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Near {
    pub path: String,
    /// The lines of it that have most to do with the work, where it is as HEAD has it.
    pub lines: Vec<String>,
    /// What it says it is, where it is as HEAD has it.
    pub about: Option<String>,
}
