//! `git seed undo` and `git seed redo`

use super::{
    Context, Outcome, refuse,
    report::{self, Report},
};
use crate::engine::ops::meant::BranchTurn;
use crate::engine::ops::plan::{self, Asked, Undone};
use crate::voice::{self, Notice};

/// Take back the last operation of this worktree°
///
/// An operation is a command, or an event of the agent's session, that changed a job, the focus,
/// the rules or a landed branch. `git seed op log` lists them. A job goes back to its state before
/// the operation: its phase, its prompts, its approval. A job that began with it is withdrawn. The
/// agent is told with its next event.
///
/// Your files, branch, index and remotes do not change. Commits that an undone step made stay on
/// the branch as commits of yours; the printed `git revert` takes them back as well.
///
/// Words that `git seed job redact` took away stay away: undo steps over it to the operation before
/// it, and says so.
#[derive(Debug, clap::Args)]
pub(super) struct UndoArgs {
    /// How many operations to take back
    #[arg(short = 'n', value_name = "number", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..))]
    number: u16,
    /// Go to right after this operation, also if it was undone
    #[arg(long, value_name = "op", conflicts_with = "number")]
    to: Option<String>,
}

/// Do again what was undone last in this worktree°
///
/// A new operation after an undo ends this; `git seed undo --to <op>` still reaches what was
/// undone before.
#[derive(Debug, clap::Args)]
pub(super) struct RedoArgs {
    /// How many operations to do again
    #[arg(short = 'n', value_name = "number", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..))]
    number: u16,
    /// Do all operations again up to this one
    #[arg(long, value_name = "op", conflicts_with = "number")]
    to: Option<String>,
}

pub(super) fn undo(
    args: &UndoArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let asked = Asked { undoes: true, count: usize::from(args.number), to: args.to.clone() };
    run(&asked, context, out)
}

pub(super) fn redo(
    args: &RedoArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let asked = Asked { undoes: false, count: usize::from(args.number), to: args.to.clone() };
    run(&asked, context, out)
}

fn run(asked: &Asked, context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    match plan::undo(&repo, asked)? {
        Ok(undone) => {
            tell(asked, &undone, out);
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(&repo, &refusal, out)),
    }
}

fn tell(asked: &Asked, undone: &Undone, out: &mut Report) {
    let ids: Vec<&str> = undone.ops.iter().map(|op| op.id.as_str()).collect();
    out.json(&serde_json::json!({
        "ops": ids, "jobs": undone.jobs, "branches": undone.branches, "left": undone.left,
    }));
    let (word, next) = if asked.undoes {
        ("undone", Notice::UndoRedoNext)
    } else {
        ("redone", Notice::UndoUndoNext)
    };
    for op in &undone.ops {
        let (id, at) = (super::op::short(&op.id), report::clock(op.at));
        out.pair(word, format_args!("{id}  {at}  {}", op.command));
    }
    match &undone.focused {
        Some(job) => {
            let (name, stand) = (&job.state.job.name, &job.state.stand);
            out.pair("job", format_args!("{name}   {}, cycle {}", stand.phase, stand.cycle));
        }
        None => out.pair("job", "none"),
    }
    for turn in &undone.branches {
        out.pair("branch", branch(turn));
    }
    for left in &undone.left {
        out.pair("left", left);
    }
    out.pair("next", voice::tell(next, &[]));
}

/// What became of a branch.
fn branch(turn: &BranchTurn) -> String {
    let short = |at: &Option<String>| super::op::short(at.as_deref().unwrap_or_default());
    let (from, to) = (short(&turn.from), short(&turn.to));
    let what = match (&turn.from, &turn.to) {
        (None, _) => Notice::UndoBranchMade,
        (_, None) => Notice::UndoBranchRemoved,
        _ => Notice::UndoBranchTurned,
    };
    voice::tell(what, &[("branch", &turn.branch), ("from", &from), ("to", &to)])
}
