//! Acts that ask for a ruling of the gate first, and what the agent hears where there is none.
//!
//! What counts of the last ruling stands in the journal's last line, and in the job once a
//! step has folded it: a hook reads nothing else. In advise mode an act goes on and is counted.

use std::path::Path;

use crate::claims::hooks;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{quote, record};
use crate::event::{Act, Change, ToolCall};
use crate::format::journal::{Counts, Ruled, What};
use crate::phases::guard::FileChange;
use crate::phases::place::Place;
use crate::rules::ClaimMode;
use crate::store::{RepoPath, TreeId};
use crate::verdict::Refusal;
use crate::voice;

/// The longest file whose changed lines are counted, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// The gate's last ruling on work of `focused`, and what has happened since.
pub(crate) fn ruled(focused: &LoadedJob) -> Ruled {
    // Over a journal that does not hold no act goes ahead; the job's own ruling is told.
    let new = focused.activity.as_ref().ok().and_then(|counts| counts.gate.clone());
    new.unwrap_or_else(|| focused.state.gate.clone())
}

/// What is said of `call` where it asks for a ruling and the last one will not do.
pub(crate) fn lacks_ruling(
    repo: &Repo,
    call: &ToolCall,
    changes: &[FileChange],
    focused: &LoadedJob,
) -> Option<Refusal> {
    let lines = changes.iter().map(|change| change.lines).fold(0, u32::saturating_add);
    let standing = ruled(focused).standing();
    if let Some(leaving) = repo.rules.outward(call) {
        return hooks::stands_behind_outward(&leaving.name, &standing, repo.now).err();
    }
    hooks::stands_behind(&call.act, lines, &standing, repo.now).err()
}

/// What is said of `call` where the rules only advise of it.
pub(crate) fn advised(
    repo: &Repo,
    call: &ToolCall,
    changes: &[FileChange],
    focused: &LoadedJob,
) -> Option<Refusal> {
    let lacks = || lacks_ruling(repo, call, changes, focused);
    match repo.rules.claims {
        ClaimMode::Advise => lacks(),
        // What lets work out was ruled on, and no line of a shell is a large edit or a launch.
        ClaimMode::Judge if matches!(call.act, Act::Shell { .. }) => None,
        ClaimMode::Judge => lacks().filter(hooks::stays_inside),
        ClaimMode::Off | ClaimMode::Enforce => None,
    }
}

/// What the agent is told of an act that goes on without a ruling: once for each kind in
/// a session. The act is counted each time.
pub(crate) fn advise(
    repo: &Repo,
    session: &str,
    focused: &LoadedJob,
    refusal: &Refusal,
) -> Result<Option<String>> {
    let kind = refusal.facts.case().unwrap_or_default().to_owned();
    let known = ruled(focused);
    let mut text = None;
    record::journal_line::note(repo, Some(focused), |line| {
        line.what = What::Advised;
        session.clone_into(&mut line.session);
        let mut gate = line.counts.gate.take().unwrap_or(known);
        if gate.session != session {
            session.clone_into(&mut gate.session);
            gate.told.clear();
        }
        if !gate.told.contains(&kind) {
            gate.told.push(kind.clone());
            let said = voice::say(refusal, focused.state.stand.phase.as_str()).advice();
            line.counts.tell(quote::count_words(&said));
            text = Some(said);
        }
        gate.without += 1;
        line.counts.gate = Some(gate);
    })?;
    Ok(text)
}

/// Lines of the work that an edit has changed, where it is one; of a whole file they are
/// measured from the last boundary.
pub(crate) fn lines_of_work(
    repo: &Repo,
    call: &ToolCall,
    places: &[(String, Place)],
    focused: &LoadedJob,
) -> Option<u32> {
    let Act::Edit(files) = &call.act else { return None };
    let work = files.iter().zip(places).filter(|(_, (path, place))| place.is_direct(path));
    let mut lines = work.map(|(file, (path, _))| lines_since(repo, &file.change, path, focused));
    let first = lines.next()?;
    Some(lines.fold(first, u32::saturating_add))
}

fn lines_since(repo: &Repo, change: &Change, path: &str, focused: &LoadedJob) -> u32 {
    let needs = matches!(change, Change::Whole(_) | Change::Delete);
    // Lines only weigh an act: what cannot be compared counts as new as a whole.
    let before = focused.state.fence.tree.parse::<TreeId>().ok().filter(|_| needs);
    let place = RepoPath::try_from(path).ok();
    // As above.
    let old =
        before.zip(place).and_then(|(tree, path)| repo.store.blob_at(&tree, &path).ok().flatten());
    let old = old.filter(|bytes| bytes.len() as u64 <= LONGEST);
    hooks::changed_lines(change, old.and_then(|old| String::from_utf8(old).ok()).as_deref())
}

/// Lines that a change of the file at `place` would take or give.
pub(crate) fn lines_of(change: &Change, place: &Path) -> u32 {
    let needs = matches!(change, Change::Whole(_) | Change::Delete);
    let short = needs && place.metadata().is_ok_and(|data| data.is_file() && data.len() <= LONGEST);
    // As above: a file that is no text counts as new as a whole.
    let current = short.then(|| std::fs::read_to_string(place).ok()).flatten();
    hooks::changed_lines(change, current.as_deref())
}

/// Adds what a call changed to what has happened since the last ruling.
pub(crate) fn count(counts: &mut Counts, known: &Ruled, touched: bool, lines: Option<u32>) {
    counts.moved_on(known, touched, lines);
}
