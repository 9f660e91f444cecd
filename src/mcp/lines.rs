//! The pipes: one message a line, read by a thread of its own.
//!
//! What the SDK would give up on, or pass over, is answered here: lines that are no JSON
//! or no message, and lines that are too long to be kept. An answer of the client's to
//! such an error is a message and gets none, so that two peers do not echo each other.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::id_scan::IdScan;
use super::tools::whole;

/// The most bytes of a line. What a claim says fits many times over, and what JSON makes of
/// a line in memory is a good deal more than its bytes.
const LONGEST: u64 = 1024 * 1024;

/// How long answers are waited for after the client's last word.
const LAST: Duration = Duration::from_mins(1);

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
    asked: Mutex<Asked>,
    /// Nothing is asked that has no answer yet.
    answered: Notify,
}

/// What the client has asked of the SDK.
#[derive(Default)]
struct Asked {
    /// Ids without an answer, as JSON writes them.
    open: HashSet<String>,
    /// The id of a request to begin.
    begins: Option<String>,
    /// A request to begin was answered well.
    begun: bool,
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

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client asks something of the SDK.
    fn opens(&self, id: &Value, method: &str) {
        let mut asked = self.asked();
        if method == "initialize" {
            asked.begins = Some(id.to_string());
        }
        asked.open.insert(id.to_string());
    }

    /// An answer is about to go out: whoever reads it may ask at once.
    fn answering(&self, item: &Value) {
        let mut asked = self.asked();
        let id = item.get("id").map(Value::to_string);
        asked.begun |= id.is_some() && item.get("result").is_some() && asked.begins == id;
    }

    /// The request to begin was answered well. Where the answer is still to come it is waited for:
    /// a client may send its next lines at once.
    fn begins(&self) -> bool {
        const STEP: Duration = Duration::from_millis(1);
        for _ in 0..5_000 {
            let asked = self.asked();
            let is_open = asked.begins.as_ref().is_some_and(|id| asked.open.contains(id));
            if asked.begun || !is_open {
                return asked.begun;
            }
            drop(asked);
            std::thread::sleep(STEP);
        }
        false
    }

    /// An answer went out.
    fn went(&self, item: &Value) {
        if let Some(id) = item.get("id").filter(|_| item.get("method").is_none()) {
            self.closes(id);
        }
    }

    /// Nobody waits for the answer to `id` any more.
    fn closes(&self, id: &Value) {
        let mut asked = self.asked();
        asked.open.remove(&id.to_string());
        if asked.open.is_empty() {
            self.answered.notify_one();
        }
    }

    /// Waits until all that was asked is answered.
    async fn settled(&self) {
        while !self.asked().open.is_empty() {
            self.answered.notified().await;
        }
    }

    /// The client said its last word, and still waits for answers.
    async fn last_answers(&self) {
        tokio::select! {
            () = self.closed.notified() => {}
            () = self.settled() => {}
            () = tokio::time::sleep(LAST) => {}
        }
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
        let out = Arc::new(Out {
            pipe: Mutex::new(Box::new(output)),
            closed: Notify::new(),
            asked: Mutex::default(),
            answered: Notify::new(),
        });
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
            let item = serde_json::to_value(&item)?;
            out.answering(&item);
            let done = out.put(format!("{item}\n").as_bytes());
            out.went(&item);
            done
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
            message = inbox.recv() => {
                if message.is_none() {
                    self.out.last_answers().await;
                }
                message
            }
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
                    let mut id = IdScan::default();
                    id.feed(&line);
                    if skip_line(&mut input, &mut id).is_err() {
                        return;
                    }
                    let most = format!("a message may have {LONGEST} bytes at most");
                    self.out.refuse(&id.found(), ErrorCode::INVALID_REQUEST, &most);
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
                let mut id = IdScan::default();
                id.feed(line);
                let why = format!("no JSON: {error}");
                self.out.refuse(&id.found(), ErrorCode::PARSE_ERROR, &why);
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

    fn message(&self, mut value: Value) -> bool {
        without_point(&mut value);
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
        if id.is_some() && method != "ping" && method != "initialize" && !self.out.begins() {
            return invalid("begin with `initialize`: nothing is answered before");
        }
        let params = value.get("params").is_none_or(Value::is_object);
        let cancels = value.pointer("/params/requestId").cloned();
        let cancels = cancels.filter(|_| method == "notifications/cancelled");
        let message = serde_json::from_value::<ClientJsonRpcMessage>(value);
        match (message, id) {
            (Ok(message), Some(id)) if !params || is_misread(&message, &method) => {
                let why = format!("the params of {method} do not read");
                self.out.refuse(&id, ErrorCode::INVALID_PARAMS, &why);
                true
            }
            (Ok(message), id) => {
                if let Some(id) = cancels {
                    self.out.closes(&id);
                }
                if let Some(id) = id {
                    self.out.opens(&id, &method);
                }
                self.messages.blocking_send(message).is_ok()
            }
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

/// A whole number may come with a point as an id; the SDK reads it without.
fn without_point(message: &mut Value) {
    if let Some(id) = message.get_mut("id")
        && let Some(whole) = id.as_f64().and_then(|_| whole(id))
    {
        *id = json!(whole);
    }
}

/// The SDK takes a request whose params do not fit its method for one that it does not know.
fn is_misread(message: &ClientJsonRpcMessage, method: &str) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::CustomRequest(_))
        && ["initialize", "ping", "tools/list", "tools/call"].contains(&method)
}

/// Reads on to the end of a line, keeping nothing but its id.
fn skip_line(input: &mut impl BufRead, id: &mut IdScan) -> io::Result<()> {
    loop {
        let piece = input.fill_buf()?;
        if piece.is_empty() {
            return Ok(());
        }
        let (taken, ended) = piece
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or((piece.len(), false), |at| (at + 1, true));
        id.feed(&piece[..taken]);
        input.consume(taken);
        if ended {
            return Ok(());
        }
    }
}
