//! `git seed show`

use super::report::{Report, Tint};
use super::width::{padded, shortened, width};
use super::{Context, Outcome};
use crate::claims::{Part, Ran};
use crate::engine::repo::text::{count, rfc3339};
use crate::engine::repo::{EngineError, Repo};
use crate::engine::report::InteractionShown;
use crate::engine::{claims, judge, memory, record, report};
use crate::format::trailers::StepTrailers;
use crate::format::{evidence, notes as lines, shown};
use crate::jobs::{BadJobId, JobId};
use crate::memory::raw::RawFile;
use crate::store::LinesChanged;
use crate::voice::{self, Notice};

/// Show a job, a session log or another file of a run, a receipt or a phase commit
///
/// A job is shown as a card: what it is for, the head of what was said to it (`git seed job show`
/// has all of it), what its run changed in each file, and its session logs, compaction files and
/// ledgers. Each of these files is shown by `<job>/run-<n>/<name>`, or by its path in the work
/// tree, wherever the rule `memory.raw` keeps it.
///
/// A receipt records one command that the hooks saw run: the command line, how it ended, and the
/// work tree before and after it. `status` is missing when the host does not say how the command
/// ended, or when something in the line hides it.
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// Id of a job, file of a run, id of a receipt, or a commit; without one the job in focus, else
    /// HEAD where it is a phase commit, else the newest job
    object: Option<String>,
}

/// What is meant where no job is in focus.
fn most_recent(repo: &Repo) -> Result<String, EngineError> {
    let head = repo.store.head()?.commit;
    let message = head.map(|head| repo.store.commit_message(&head)).transpose()?;
    let is_step = message.is_some_and(|message| StepTrailers::read(&message).is_some());
    let job = if is_step { None } else { report::back::meant(repo)? };
    Ok(job.map_or_else(|| "HEAD".to_owned(), |job| job.state.job.id.to_string()))
}

pub(super) fn run(
    args: &ShowArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    let object = match (&args.object, repo.focused()?) {
        (Some(object), _) => object.clone(),
        (None, Some(focused)) => focused.state.job.id.to_string(),
        (None, None) => most_recent(&repo)?,
    };
    if let Ok(id) = object.parse::<JobId>()
        && record::archive::knows(&repo, &id)?
    {
        return show_job(&repo, &id, out);
    }
    if let Some(file) = RawFile::read(&object) {
        return show_raw(&repo, &file, out);
    }
    if evidence::is_id(&object)
        && let Some(ran) = claims::receipts::find_receipt(&repo, &object)?
    {
        print_receipt(&object, &ran, out);
        return Ok(Outcome::Yes);
    }
    let commit = repo.store.resolve_commit(&object)?;
    let Some(commit) = commit else {
        let what = voice::tell(Notice::ShowUnknown, &[("object", &object)]);
        return Err(EngineError::Usage(what).into());
    };
    let message = repo.store.commit_message(&commit)?;
    let Some(step) = StepTrailers::read(&message) else {
        let what = voice::tell(Notice::ShowNoStep, &[("commit", &commit.to_string())]);
        return Err(EngineError::Usage(what).into());
    };
    let notes = repo.store.note_lines(&commit)?;
    let (records, words): (Vec<&String>, Vec<&String>) =
        notes.iter().partition(|line| lines::is_record(line));
    out.json(&serde_json::json!({
        "commit": commit.to_string(), "job": step.job, "run": step.run, "cycle": step.cycle,
        "phase": step.phase, "step": step.step, "id": step.id, "notes": records,
    }));
    out.pair("commit", &commit);
    out.pair("step", format_args!("{}   cycle {}   run {}", step.step, step.cycle, step.run));
    out.pair("job", &step.job);
    for note in words {
        out.pair("note", lines::words_of(note).unwrap_or(note));
    }
    if !records.is_empty() {
        let n = count(records.len(), "record");
        out.pair("", voice::tell(Notice::ShowRecords, &[("n", &n)]));
    }
    out.line("");
    out.line(message.trim_end());
    Ok(Outcome::Yes)
}

/// A job, and the files of its runs.
fn show_job(repo: &Repo, id: &JobId, out: &mut Report) -> crate::cli::Result<Outcome> {
    let job = repo.job(id)?;
    let (shown, files) = (report::show_job(repo, &job)?, memory::raw::files(repo, &job)?);
    let changed = judge::card::files_changed(repo, &job)?;
    if out.is_json() {
        let mut value = serde_json::to_value(&shown)?;
        value["raw"] = serde_json::json!(files);
        value["changed"] = changed.as_deref().map_or(serde_json::Value::Null, |files| {
            let row = |one: &LinesChanged| {
                let (path, added) = (one.path.to_string(), one.added);
                serde_json::json!({ "path": path, "added": added, "removed": one.removed })
            };
            files.iter().map(row).collect()
        });
        out.json(&value);
        return Ok(Outcome::Yes);
    }
    super::job::print_head(&shown, out);
    for interaction in &shown.interactions {
        let said = words_of(interaction);
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        out.pair(interaction.kind, shortened(first, SAID));
    }
    print_changed(changed.as_deref(), out);
    for file in files {
        out.pair("file", format_args!("{id}/{file}"));
    }
    Ok(Outcome::Yes)
}

/// The most columns of what was said, of a path, and of a bar.
const SAID: usize = 160;
const PATH: usize = 72;
const BAR: usize = 30;

/// The most files that are told one by one.
const FILES: usize = 50;

/// What a job changed, as `git diff --stat` draws it.
fn print_changed(files: Option<&[LinesChanged]>, out: &mut Report) {
    let Some(files) = files else {
        out.pair("changed", voice::tell(Notice::CardUncounted, &[]));
        return;
    };
    if files.is_empty() {
        out.pair("changed", voice::tell(Notice::CardNothing, &[]));
        return;
    }
    let (added, removed) =
        files.iter().fold((0, 0), |sum, one| (sum.0 + one.added, sum.1 + one.removed));
    let (n, plus, minus) = (count(files.len(), "file"), added.to_string(), removed.to_string());
    let facts = [("files", &*n), ("added", &*plus), ("removed", &*minus)];
    out.pair("changed", voice::tell(Notice::CardChanged, &facts));
    let name = |one: &LinesChanged| shown::on_one_line(&one.path.to_string()).into_owned();
    let named = files.iter().take(FILES).map(|one| width(&name(one)));
    let column = named.max().unwrap_or_default().min(PATH);
    let most = files.iter().map(|one| one.added + one.removed).max().unwrap_or_default();
    for one in files.iter().take(FILES) {
        let lines = one.added + one.removed;
        // Each side that has a line has a sign.
        let signs = |n: usize| if most <= BAR { n } else { (n * BAR).div_ceil(most) };
        let plus = out.tint(Tint::Good, "+".repeat(signs(one.added)));
        let minus = out.tint(Tint::Bad, "-".repeat(signs(one.removed)));
        let path = padded(&name(one), column);
        out.pair("", format_args!("{path} | {lines:>4} {plus}{minus}"));
    }
    if files.len() > FILES {
        out.pair("", format_args!("\u{2026} {}", count(files.len() - FILES, "more file")));
    }
}

/// What was said, or why it is not shown.
pub(super) fn words_of(interaction: &InteractionShown) -> String {
    match &interaction.text {
        Some(text) => text.clone(),
        None if interaction.redacted => voice::tell(Notice::TextRedacted, &[]),
        None => voice::tell(Notice::TextWithheld, &[]),
    }
}

/// A file of a run, as the job has it.
fn show_raw(repo: &Repo, file: &RawFile, out: &mut Report) -> crate::cli::Result<Outcome> {
    let id: JobId =
        file.job.parse().map_err(|bad: BadJobId| EngineError::Usage(bad.to_string()))?;
    let job = repo.job(&id)?;
    let Some(bytes) = repo.store.file(&job.tip, &file.file)? else {
        let facts = [("job", id.as_str()), ("file", file.file.as_str())];
        return Err(EngineError::Usage(voice::tell(Notice::ShowNoFile, &facts)).into());
    };
    let text = String::from_utf8_lossy(&bytes);
    out.json(&serde_json::json!({ "job": id, "file": file.file, "text": text }));
    out.line(text.trim_end());
    Ok(Outcome::Yes)
}

/// How many tests it was, as its runner said.
fn counts_told(ran: &Ran) -> String {
    ran.counts.map_or_else(|| voice::tell(Notice::CountsUnknown, &[]), |counts| counts.to_string())
}

fn print_receipt(id: &str, ran: &Ran, out: &mut Report) {
    out.json(&serde_json::json!({
        "receipt": id, "at": rfc3339(ran.at), "session": ran.session, "call": ran.call,
        "command": ran.command, "dir": ran.dir, "run": ran.run, "status": ran.status,
        "failed": ran.failed, "output": ran.output, "tree_before": ran.tree_before,
        "tree_after": ran.tree_after, "program": ran.program, "counts": ran.counts,
        "part": ran.part, "reproduced": ran.reproduced, "unheld": ran.unheld,
    }));
    out.pair("receipt", id);
    out.pair("ran", &ran.command);
    if !ran.dir.is_empty() {
        out.pair("in", &ran.dir);
    }
    out.pair("at", rfc3339(ran.at));
    let told = match ran.status {
        Some(status) => format!("exit status {status}"),
        None if ran.failed => voice::tell(Notice::RunFailedUntold, &[]),
        None => voice::tell(Notice::RunUntold, &[]),
    };
    out.pair("ended", told);
    if let Some(run) = &ran.run {
        out.pair("known", run);
        out.pair("tests", counts_told(ran));
        if ran.reproduced {
            let unheld = [("unheld", ran.unheld.join(", "))];
            let key =
                if ran.unheld.is_empty() { Notice::Reproduced } else { Notice::ReproducedFree };
            out.pair("proves", voice::tell(key, &unheld.each_ref().map(|(k, v)| (*k, v.as_str()))));
        }
        out.pair("part", ran.part.as_ref().map_or_else(|| "all".to_owned(), Part::told));
    }
    if let Some(program) = &ran.program {
        out.pair(
            "program",
            format_args!("{}   {}", shown::on_one_line(&program.path), program.hash),
        );
    }
    for (name, tree) in [("before", &ran.tree_before), ("after", &ran.tree_after)] {
        if let Some(tree) = tree {
            out.pair(name, format_args!("tree {tree}"));
        }
    }
}
