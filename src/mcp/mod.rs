//! `git seed mcp`: the functions of `git seed claim`, or the phases, over the Model Context
//! Protocol.
//!
//! The official SDK speaks the protocol; [`lines`] stands between it and the pipes, so
//! that no line a client sends can end the session. Each call opens the repository
//! afresh, away from the loop that reads: another client may be at work, and a ping or
//! a cancellation is answered meanwhile. Nothing is printed but answers.

mod answers;
mod id_scan;
mod lines;
mod phases;
mod tools;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::engine::repo::{EngineError, Repo};
use crate::hosts::servers::NAME;
use crate::voice::{Notice, tell};
use lines::Lines;

/// Calls that may run at the same time; others wait for their turn.
const AT_ONCE: usize = 4;

const ABOUT: &str = "Before you say that something is fixed, tested or done, put the claim to \
     verify_claim: it compares what you say with what git shows and with the runs that were \
     seen. A directive other than pass or damp says in revision_reasons what to do before you \
     say it.";

/// Serves clients on `input` and `output` until one of them is closed: the functions for claims, or
/// the phases.
pub(crate) fn serve(
    cwd: &Path,
    phases: bool,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(AT_ONCE)
        .build()?;
    let lines = Lines::over(input, output)?;
    let desk = phases.then(|| Arc::new(phases::Desk::of(cwd.to_owned())));
    if let Some(desk) = &desk {
        desk.begins();
    }
    let server = Server { cwd: cwd.to_owned(), desk: desk.clone() };
    runtime.block_on(async {
        loop {
            match rmcp::serve_server(server.clone(), lines.clone()).await {
                // It ends where a pipe is closed, or the SDK gives up; either way nobody listens.
                Ok(running) => return drop(running.waiting().await),
                // A client that begins with anything else may still begin properly.
                Err(
                    ServerInitializeError::ExpectedInitializeRequest(_)
                    | ServerInitializeError::InitializeFailed(_)
                    | ServerInitializeError::UnexpectedInitializeResponse(_),
                ) => {}
                Err(_) => return,
            }
        }
    });
    // A call that nobody waits for any more must not hold up the end.
    runtime.shutdown_background();
    if let Some(desk) = desk {
        desk.ends();
    }
    Ok(())
}

/// What answers requests.
#[derive(Clone, Debug)]
struct Server {
    cwd: PathBuf,
    /// Where the phases are led, and not claims judged.
    desk: Option<Arc<phases::Desk>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(NAME, env!("CARGO_PKG_VERSION")))
            .with_instructions(if self.desk.is_some() { phases::ABOUT } else { ABOUT })
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = if self.desk.is_some() { phases::listed() } else { tools::listed() };
        Ok(ListToolsResult::with_all_items(listed))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        if self.desk.is_some() {
            return phases::named(name).map(phases::described);
        }
        tools::named(name).map(tools::McpToolRow::described)
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(desk) = &self.desk {
            return phases::answer(desk.clone(), asked).await.map(Into::into);
        }
        let unknown = || tools::unknown(&asked.name, &tools::names());
        let row = tools::named(&asked.name).ok_or_else(unknown)?;
        let given = row.read(asked.arguments.unwrap_or_default())?;
        let (steps, mut told) = tokio::sync::mpsc::unbounded_channel();
        let cwd = self.cwd.clone();
        let mut work = tokio::task::spawn_blocking(move || {
            let tell = |step: u32, what: Notice| {
                // Whoever waited may have gone.
                let _ = steps.send((step, what));
            };
            open(&cwd).and_then(|repo| (row.call)(&repo, &given, &tell))
        });
        let token = context.meta.get_progress_token();
        let answer = loop {
            tokio::select! {
                biased;
                Some((step, what)) = told.recv() => {
                    let Some(token) = token.clone() else { continue };
                    let news = ProgressNotificationParam::new(token, f64::from(step))
                        .with_message(tell(what, &[]));
                    // Who is gone hears nothing; the reading side notices.
                    drop(context.peer.notify_progress(news).await);
                }
                done = &mut work => break done,
            }
        };
        let answer = answer.map_err(|_| broke())?;
        Ok(result(answer).into())
    }
}

fn broke() -> ErrorData {
    ErrorData::internal_error("git seed broke while it worked on this", None)
}

/// The repository around `cwd`, as it is now.
fn open(cwd: &Path) -> Result<Repo, EngineError> {
    let mut repo = Repo::open_for_command(cwd)?;
    // One call asks for the job, its texts and the records several times.
    repo.store.remember_objects(16 << 20);
    repo.require_seeded()?;
    Ok(repo)
}

/// Structured content, and as text what an agent has to know of it; what failed says why, and
/// counts as no answer.
fn result(answer: Result<serde_json::Value, EngineError>) -> CallToolResult {
    match answer {
        Ok(answer) => {
            let text = ContentBlock::text(answers::said(&answer));
            let mut result = CallToolResult::success(vec![text]);
            result.structured_content = Some(answer);
            result
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &EngineError) -> CallToolResult {
    let mut text = format!("error: {error}");
    if let Some(hint) = error.hint() {
        text.push_str(&format!("\nhint: {hint}"));
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}
