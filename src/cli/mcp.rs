//! `git seed mcp`

use super::{Context, Outcome};

/// Serve git seed over the Model Context Protocol: claims, or the phases
///
/// The server uses standard input and output, and ends when one of them is closed. Its tools are
/// `verify_claim`, `verify_paths`, `causal_trace`, `response_gate`, `checkpoint` and
/// `session_report`. `git seed init --mcp` registers the server with the hosts. A host starts
/// it; you do not run it by hand.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// Serve the phases instead, for a client that runs no hooks
    ///
    /// Its tools are `start`, `look`, `declare`, `checkpoint`, `advance`, `ask` and `complete`.
    /// What is said there is work and approves nothing; the job rests until a person approves it.
    #[arg(long)]
    phases: bool,
}

pub(super) fn run(args: &McpArgs, context: &Context) -> crate::cli::Result<Outcome> {
    let input = std::io::BufReader::with_capacity(64 * 1024, std::io::stdin());
    crate::mcp::serve(&context.cwd, args.phases, input, std::io::stdout())?;
    Ok(Outcome::Yes)
}
