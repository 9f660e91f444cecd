//! What a person answered for once, in files below `.git/seed/consent`: tests that ran in a work
//! tree, and MCP servers that were called in a session. Memories: where one is lost or cannot be
//! written, the person is asked once more.

use std::path::{Path, PathBuf};

use crate::engine::repo::Repo;
use crate::format::short_hash;

/// Answers about servers that are kept.
const SERVERS: usize = 64;

/// Tests have run in this work tree.
pub(crate) fn has_run(repo: &Repo) -> bool {
    file(repo, "ran").is_file()
}

/// Tests ran: nobody is asked about the next ones.
pub(crate) fn keep_run(repo: &Repo) {
    if !has_run(repo) {
        keep(&file(repo, "ran"), "");
    }
}

/// A server was called in this session.
pub(crate) fn has_server(repo: &Repo, session: &str, server: &str) -> bool {
    servers(repo).contains(&line_of(session, server))
}

/// A server was called: nobody is asked about its next calls in this session.
pub(crate) fn keep_server(repo: &Repo, session: &str, server: &str) {
    let mut known = servers(repo);
    let line = line_of(session, server);
    if !known.contains(&line) {
        known.push(line);
        let from = known.len().saturating_sub(SERVERS);
        keep(&file(repo, "servers"), &known[from..].join("\n"));
    }
}

fn line_of(session: &str, server: &str) -> String {
    format!("{} {}", short_hash(session.as_bytes(), 16), short_hash(server.as_bytes(), 16))
}

fn servers(repo: &Repo) -> Vec<String> {
    // A memory, as above.
    let bytes = crate::world::read_plain(&file(repo, "servers")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

fn file(repo: &Repo, kind: &str) -> PathBuf {
    let name = format!("{}.{kind}", repo.store.worktree_name());
    repo.store.seed_dir().join("consent").join(name)
}

fn keep(file: &Path, text: &str) {
    if let Some(dir) = file.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    let _ = crate::world::write_whole(file, text.as_bytes());
}
