//! `git seed mcp`

use super::{Context, Outcome};

/// Serve the functions of `git seed claim` over the Model Context Protocol
///
/// It speaks on standard input and output, until one of them is closed; `git seed init
/// --mcp` registers it with the hosts. The tools are `verify_claim`, `verify_paths`,
/// `causal_trace`, `response_gate`, `checkpoint` and `session_report`. A host starts it:
/// it is no command to give by hand.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {}

pub(super) fn run(_: &McpArgs, context: &Context) -> crate::cli::Result<Outcome> {
    let input = std::io::BufReader::with_capacity(64 * 1024, std::io::stdin());
    crate::mcp::serve(&context.cwd, input, std::io::stdout())?;
    Ok(Outcome::Yes)
}
