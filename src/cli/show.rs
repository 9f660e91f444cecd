//! `git seed show`

use super::{Context, Outcome, report::Report};
use crate::claims::{Part, Ran};
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, Repo};
use crate::engine::{claims, memory, record, report};
use crate::format::trailers::StepTrailers;
use crate::format::{evidence, notes as lines};
use crate::jobs::{BadJobId, JobId};
use crate::memory::raw::RawFile;
use crate::voice::{self, Notice};

/// Show a job, a session log or another file of a run, a receipt or a phase commit
///
/// A job is shown with the session logs, compaction files and ledgers that it has; each of them is
/// shown by `<job>/run-<n>/<name>`, or by its path in the work tree, wherever the rule `memory.raw`
/// keeps them.
///
/// A receipt records one command that the hooks saw run: the command line, how it ended, and the
/// work tree before and after it. `status` is missing when the host does not say how the command
/// ended, or when something in the line hides it.
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// Id of a job, file of a run, id of a receipt, or a commit
    object: String,
}

pub(super) fn run(
    args: &ShowArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    if let Ok(id) = args.object.parse::<JobId>()
        && record::archive::knows(&repo, &id)?
    {
        return show_job(&repo, &id, out);
    }
    if let Some(file) = RawFile::read(&args.object) {
        return show_raw(&repo, &file, out);
    }
    if evidence::is_id(&args.object)
        && let Some(ran) = claims::receipts::find_receipt(&repo, &args.object)?
    {
        print_receipt(&args.object, &ran, out);
        return Ok(Outcome::Yes);
    }
    let commit = repo.store.resolve_commit(&args.object)?;
    let Some(commit) = commit else {
        let what = voice::tell(Notice::ShowUnknown, &[("object", &args.object)]);
        return Err(EngineError::Usage(what).into());
    };
    let message = repo.store.commit_message(&commit)?;
    let Some(step) = StepTrailers::read(&message) else {
        return Err(EngineError::Usage(format!("{commit} is not a phase commit")).into());
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
    for note in words.iter().chain(&records) {
        out.pair("note", note);
    }
    out.line("");
    out.line(message.trim_end());
    Ok(Outcome::Yes)
}

/// A job, and the files of its runs.
fn show_job(repo: &Repo, id: &JobId, out: &mut Report) -> crate::cli::Result<Outcome> {
    let job = repo.job(id)?;
    let (shown, files) = (report::show_job(repo, &job)?, memory::raw::files(repo, &job)?);
    if out.is_json() {
        let mut value = serde_json::to_value(&shown)?;
        value["raw"] = serde_json::json!(files);
        out.json(&value);
        return Ok(Outcome::Yes);
    }
    super::job::print(&shown, out);
    if !files.is_empty() {
        out.line("");
    }
    for file in files {
        out.pair("file", format_args!("{id}/{file}"));
    }
    Ok(Outcome::Yes)
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
        out.pair("program", format_args!("{}   {}", program.path, program.hash));
    }
    for (name, tree) in [("before", &ran.tree_before), ("after", &ran.tree_after)] {
        if let Some(tree) = tree {
            out.pair(name, format_args!("tree {tree}"));
        }
    }
}
