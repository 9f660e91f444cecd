//! The pipes: one message a line, read by a thread of its own.
//!
//! What the SDK would give up on, or pass over, is answered here: lines that are no JSON
//! or no message, and lines that are too long to be kept. An answer of the client's to
//! such an error is a message and gets none, so that two peers do not echo each other.

use std::borrow::Cow;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// The most bytes of a line. What a claim says fits many times over, and what JSON makes of
/// a line in memory is a good deal more than its bytes.
const LONGEST: u64 = 1024 * 1024;

/// Messages that wait for the SDK; then the thread does.
const WAITING: usize = 64;

/// Both pipes, for one session after another.
#[derive(Clone)]
pub(super) struct Lines {
    inbox: Arc<tokio::sync::Mutex<mpsc::Receiver<ClientJsonRpcMessage>>>,
    out: Arc<Out>,
}

struct Out {
    pipe: Mutex<Box<dyn Write + Send>>,
    /// Nobody reads any more.
    closed: Notify,
}

impl Out {
    fn put(&self, line: &[u8]) -> io::Result<()> {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let done = pipe.write_all(line).and_then(|()| pipe.flush());
        if done.is_err() {
            self.closed.notify_one();
        }
        done
    }

    fn refuse(&self, id: &Value, code: ErrorCode, message: &str) {
        let answer =
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}});
        // Whether anybody reads it shows with the next answer.
        drop(self.put(format!("{answer}\n").as_bytes()));
    }
}

impl Lines {
    pub(super) fn over(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (messages, inbox) = mpsc::channel(WAITING);
        let out = Arc::new(Out { pipe: Mutex::new(Box::new(output)), closed: Notify::new() });
        let reader = Reader { messages, out: Arc::clone(&out) };
        // It waits in a read that nothing ends but the client: nobody joins it.
        std::thread::Builder::new().name("lines".to_owned()).spawn(move || reader.read(input))?;
        Ok(Self { inbox: Arc::new(tokio::sync::Mutex::new(inbox)), out })
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "lines".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = Arc::clone(&self.out);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            out.put(&line)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut inbox = self.inbox.lock().await;
        tokio::select! {
            biased;
            () = self.out.closed.notified() => {
                inbox.close();
                None
            }
            message = inbox.recv() => message,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The thread that reads.
struct Reader {
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    out: Arc<Out>,
}

impl Reader {
    fn read(&self, mut input: impl BufRead) {
        let mut line = Vec::new();
        loop {
            line.clear();
            line.shrink_to(64 * 1024);
            match input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                Err(_) | Ok(0) => return,
                Ok(_) if line.len() as u64 == LONGEST && !line.ends_with(b"\n") => {
                    if skip_line(&mut input).is_err() {
                        return;
                    }
                    let most = format!("a message may have {LONGEST} bytes at most");
                    self.out.refuse(&Value::Null, ErrorCode::INVALID_REQUEST, &most);
                }
                Ok(_) => {
                    if !self.take(&line) {
                        return;
                    }
                }
            }
        }
    }

    /// Passes on what a line holds; false where nobody takes it any more.
    fn take(&self, line: &[u8]) -> bool {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return true;
        }
        match serde_json::from_slice(line) {
            Err(error) => {
                self.out.refuse(&Value::Null, ErrorCode::PARSE_ERROR, &format!("no JSON: {error}"));
                true
            }
            Ok(Value::Array(batch)) if batch.is_empty() => {
                self.out.refuse(&Value::Null, ErrorCode::INVALID_REQUEST, "an empty batch");
                true
            }
            // Each gets an answer of its own; by their ids they find home.
            Ok(Value::Array(batch)) => batch.into_iter().all(|one| self.message(one)),
            Ok(one) => self.message(one),
        }
    }

    fn message(&self, value: Value) -> bool {
        let given = value.get("id").cloned();
        let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
        let answers = value.get("result").is_some() || value.get("error").is_some();
        let id = given.clone().filter(|id| id.is_string() || id.is_i64() || id.is_u64());
        let invalid = |why: &str| {
            let id = id.clone().unwrap_or(Value::Null);
            self.out.refuse(&id, ErrorCode::INVALID_REQUEST, why);
            true
        };
        if method.is_none() && answers {
            // Nothing was asked of the client, so nothing waits for it.
            return true;
        }
        let Some(method) = method else {
            return invalid("no JSON-RPC message: it has no `method`");
        };
        if given.is_some() && id.is_none() {
            return invalid("`id` is a text or a whole number");
        }
        if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return invalid("`jsonrpc` is \"2.0\"");
        }
        let params = value.get("params").is_none_or(Value::is_object);
        let message = serde_json::from_value::<ClientJsonRpcMessage>(value);
        match (message, id) {
            (Ok(message), Some(id)) if !params || is_misread(&message, &method) => {
                let why = format!("the params of {method} do not read");
                self.out.refuse(&id, ErrorCode::INVALID_PARAMS, &why);
                true
            }
            (Ok(message), _) => self.messages.blocking_send(message).is_ok(),
            (Err(_), Some(id)) => {
                let why = format!("the params of {method} do not read");
                self.out.refuse(&id, ErrorCode::INVALID_PARAMS, &why);
                true
            }
            // A notification gets no answer, whatever it is.
            (Err(_), None) => true,
        }
    }
}

/// The SDK takes a request whose params do not fit its method for one that it does not know.
fn is_misread(message: &ClientJsonRpcMessage, method: &str) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::CustomRequest(_))
        && ["initialize", "ping", "tools/list", "tools/call"].contains(&method)
}

/// Reads on to the end of a line, keeping nothing.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let piece = input.fill_buf()?;
        if piece.is_empty() {
            return Ok(());
        }
        let (taken, ended) = piece
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or((piece.len(), false), |at| (at + 1, true));
        input.consume(taken);
        if ended {
            return Ok(());
        }
    }
}
