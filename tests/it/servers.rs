//! Servers of git for tests: `git daemon`, smart HTTP over `git http-backend`, and one that never
//! answers. Each listens on this machine alone and ends with its value.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// `git daemon` over the repositories of a directory.
pub struct Daemon {
    child: Child,
    port: u16,
}

impl Daemon {
    pub fn over(dir: &Path) -> Self {
        let port = free_port();
        let child = Command::new("git")
            .args(["daemon", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"])
            .args([format!("--port={port}"), format!("--base-path={}", dir.display())])
            .arg(dir)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("git daemon starts");
        let patience = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < patience, "git daemon does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        Self { child, port }
    }

    pub fn url(&self, name: &str) -> String {
        format!("git://127.0.0.1:{}/{name}", self.port)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The daemon itself is a child of the `git` that was started.
        let _ = Command::new("pkill").args(["-P", &self.child.id().to_string()]).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A server that answers each connection with a function of it.
pub struct Server {
    port: u16,
    ends: Arc<AtomicBool>,
    listens: Option<JoinHandle<()>>,
}

impl Server {
    fn new(answers: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let ends = Arc::new(AtomicBool::new(false));
        let (told, answers) = (ends.clone(), Arc::new(answers));
        let listens = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if told.load(Ordering::SeqCst) {
                    return;
                }
                let answers = answers.clone();
                thread::spawn(move || answers(stream));
            }
        });
        Self { port, ends, listens: Some(listens) }
    }

    /// It takes connections and never says a word.
    pub fn silent() -> Self {
        Self::new(|stream| {
            let mut stream = stream;
            // Whatever comes is read, so that the other side waits for an answer alone.
            let mut bytes = [0; 1024];
            while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
        })
    }

    /// Smart HTTP over the repositories of `dir`.
    pub fn http(dir: &Path) -> Self {
        let dir = dir.to_owned();
        Self::new(move |stream| {
            // A client that went away is answered no more.
            let _ = cgi(&dir, stream);
        })
    }

    pub fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://127.0.0.1:{}/{path}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // One connection wakes the listener, which looks and ends.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(listens) = self.listens.take() {
            let _ = listens.join();
        }
    }
}

/// One request, given to `git http-backend`.
fn cgi(dir: &Path, stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or("GET"), words.next().unwrap_or("/"));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let header =
        |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, v)| v.clone());
    if header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = match header("content-length").and_then(|length| length.parse::<usize>().ok()) {
        Some(length) => {
            let mut body = vec![0; length];
            reader.read_exact(&mut body)?;
            body
        }
        None if header("transfer-encoding").is_some() => chunks(&mut reader)?,
        None => Vec::new(),
    };
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", dir)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REMOTE_USER", "ada")
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("CONTENT_TYPE", header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding").unwrap_or_default())
        .env("GIT_PROTOCOL", header("git-protocol").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().expect("a pipe");
    let writes = thread::spawn(move || stdin.write_all(&body));
    let output = child.wait_with_output()?;
    // It may answer before it has read all of it.
    let _ = writes.join();
    let end = output.stdout.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_default();
    let (head, body) = output.stdout.split_at(end);
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n")?;
    for line in head.lines().filter(|line| !line.starts_with("Status: ")) {
        write!(stream, "{line}\r\n")?;
    }
    stream.write_all(if body.is_empty() { b"\r\n" } else { &body[2..] })?;
    stream.flush()
}

fn chunks(reader: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or_default();
        let mut chunk = vec![0; length + 2];
        reader.read_exact(&mut chunk)?;
        if length == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&chunk[..length]);
    }
}

/// A bare repository in `dir`, called `name`.
pub fn bare(dir: &Path, name: &str) -> PathBuf {
    let path = dir.join(name);
    let made = Command::new("git")
        .args(["init", "-q", "--bare", "-b", "main"])
        .arg(&path)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .status();
    assert!(made.is_ok_and(|made| made.success()), "a bare repository");
    path
}
