//! `git seed statusline`

use super::report::Report;
use super::{Context, Outcome};
use crate::engine::glance::{Glance, glance};
use crate::engine::repo::EngineError;
use crate::voice::{self, Notice};

/// Print where the work stands in one line, for a shell prompt or the status line of a host
///
/// Outside a repository with git seed, and without a job, it prints nothing and ends with 0. It
/// changes nothing, starts no process and reads no input.
#[derive(Debug, clap::Args)]
pub(super) struct StatuslineArgs {
    /// The line, with these in it: {phase} {cycle} {job} {track} {calls} {refusals} {commits} {off}
    #[arg(long, value_name = "format", default_value = "{phase} · {job}{off}")]
    format: String,
}

/// A piece of a format.
enum Piece<'f> {
    Text(&'f str),
    Fact(&'static str),
}

/// What a format may name.
const FACTS: [&str; 8] = ["phase", "cycle", "job", "track", "calls", "refusals", "commits", "off"];

pub(super) fn run(
    args: &StatuslineArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let pieces = pieces(&args.format)?;
    let glance = glance(&context.cwd)?;
    out.json(&glance);
    if let Some(glance) = &glance {
        let line: String = pieces.iter().map(|piece| told(piece, glance)).collect();
        out.line(line.trim_end());
    }
    Ok(Outcome::Yes)
}

fn told(piece: &Piece<'_>, glance: &Glance) -> String {
    let fact = match piece {
        Piece::Text(text) => return (*text).to_owned(),
        Piece::Fact(fact) => *fact,
    };
    match fact {
        "phase" => glance.phase.clone(),
        "cycle" => glance.cycle.to_string(),
        "job" => glance.job.clone(),
        "track" => glance.track.clone().unwrap_or_default(),
        "calls" => glance.cost.calls.to_string(),
        "refusals" => glance.cost.refusals.to_string(),
        "commits" => glance.cost.commits.to_string(),
        _ if glance.enabled => String::new(),
        _ => voice::tell(Notice::StatuslineOff, &[]),
    }
}

/// The format, cut at what it names; a brace that closes nothing is text.
fn pieces(format: &str) -> Result<Vec<Piece<'_>>, EngineError> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else { break };
        let fact = FACTS.into_iter().find(|known| *known == name).ok_or_else(|| {
            let known = FACTS.join(", ");
            let facts = [("name", name), ("known", known.as_str())];
            EngineError::Usage(voice::tell(Notice::StatuslineUnknown, &facts))
        })?;
        pieces.extend([Piece::Text(before), Piece::Fact(fact)]);
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}
