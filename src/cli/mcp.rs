//! `git seed mcp`

use super::{Context, Outcome};

/// Serve the functions of `git seed claim` over the Model Context Protocol
///
/// The server uses standard input and output, and ends when one of them is closed. Its tools are
/// `verify_claim`, `verify_paths`, `causal_trace`, `response_gate`, `checkpoint` and
/// `session_report`. `git seed init --mcp` registers the server with the hosts. A host starts
/// it; you do not run it by hand.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {}

pub(super) fn run(_: &McpArgs, context: &Context) -> crate::cli::Result<Outcome> {
    let input = std::io::BufReader::with_capacity(64 * 1024, std::io::stdin());
    crate::mcp::serve(&context.cwd, input, std::io::stdout())?;
    Ok(Outcome::Yes)
}
