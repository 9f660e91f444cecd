//! The records of the gate: kept, shown, exported, and every edit of them found.

#![expect(clippy::disallowed_macros, reason = "the figures are shown")]

use git_seed::engine::{export, records, verify};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use git_seed::claims::audit::Findings;
use git_seed::claims::gate::{self, GateTable};
use git_seed::claims::{Inquiry, TraceCase};
use git_seed::engine::Repo;
use git_seed::engine::records::{ReviewDraft, VerdictDraft};
use git_seed::engine::verify::Asked;
use git_seed::store::CommitId;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::sample::Extent;
use super::world::ground;

// ---- a repository with signed records

/// A repository of its own, with keys beside it. Ids are of the longer kind, so that objects
/// can be written here by hand.
struct Ground {
    _dir: TempDir,
    root: PathBuf,
    repo: PathBuf,
}

fn has_ssh_keygen() -> bool {
    // Without arguments it would make a key.
    Command::new("ssh-keygen").arg("-?").output().is_ok()
}

fn git(repo: &Path, line: &str) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(line.split_whitespace())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", repo)
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
}

impl Ground {
    fn new() -> Self {
        let dir = ground("git-seed-audit-");
        let root = dir.path().canonicalize().expect("it is there");
        let repo = root.join("repo");
        fs::create_dir(&repo).expect("it is ours");
        git(&repo, "init -q -b main --template= --object-format=sha256 .");
        for setting in [
            "user.name Ada",
            "user.email ada@example.org",
            "core.fsync none",
            "gc.auto 0",
            "core.looseCompression 0",
            "commit.gpgsign false",
        ] {
            git(&repo, &format!("config {setting}"));
        }
        Self { _dir: dir, root, repo }
    }

    /// Makes a key and lets git sign with it here.
    fn signs(&self) {
        for name in ["mine", "other"] {
            let file = self.root.join(name);
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"])
                .arg(&file)
                .status()
                .expect("it runs");
            assert!(made.success());
        }
        let public = fs::read_to_string(self.root.join("mine.pub")).expect("a key");
        fs::write(self.keys(), format!("ada@example.org {public}")).expect("writes");
        git(&self.repo, "config gpg.format ssh");
        git(
            &self.repo,
            &format!("config user.signingkey {}", self.root.join("mine.pub").display()),
        );
        git(&self.repo, &format!("config gpg.ssh.allowedSignersFile {}", self.keys().display()));
    }

    fn keys(&self) -> PathBuf {
        self.root.join("allowed")
    }

    fn seed(&self) -> Repo {
        Repo::open(&self.repo).expect("it opens")
    }

    fn commits(&self, n: usize) -> CommitId {
        fs::write(self.repo.join("file"), n.to_string()).expect("writes");
        git(&self.repo, "add file");
        git(&self.repo, &format!("commit -qm {n}"));
        git(&self.repo, "rev-parse HEAD").parse().expect("full")
    }

    fn judges(&self, n: usize) -> CommitId {
        let seed = self.seed();
        let head = seed.store.head().expect("reads").commit.expect("a commit");
        let tree = seed.store.tree_of_commit(&head).expect("reads");
        records::record_verdict(&seed, verdict(n, tree)).expect("records")
    }

    /// Twelve records: rulings, reviews, and commits that landed, with their notes.
    fn filled(&self) -> Vec<CommitId> {
        let mut ids = Vec::new();
        for n in 0..4 {
            let commit = self.commits(n);
            ids.push(self.judges(n));
            let review = ReviewDraft {
                agent: "diff-reviewer".to_owned(),
                commit: commit.clone(),
                words: format!("looks right {n}"),
                verdict: "approve".to_owned(),
                session: "s".to_owned(),
                trace: "t".to_owned(),
            };
            ids.push(records::record_review(&self.seed(), review).expect("records"));
            ids.push(
                records::attest_commit(&self.seed(), &commit)
                    .expect("attests")
                    .expect("there are records"),
            );
        }
        ids
    }
}

fn verdict(n: usize, tree: git_seed::store::TreeId) -> VerdictDraft {
    let inquiry = Inquiry::CausalTrace(TraceCase {
        symptom: format!("the lexer hangs on line {n}"),
        links: vec!["lex.rs reads a quote".to_owned(), "the loop never ends".to_owned()],
        known_paths: vec!["lex.rs".to_owned()],
    });
    let table = GateTable::shipped().expect("it reads");
    let ruling = gate::judge(&inquiry, &table);
    VerdictDraft {
        tree,
        inquiry,
        ruling: serde_json::to_value(&ruling).expect("writes"),
        directive: ruling.directive().expect("it says"),
        reasons: ruling.reasons().to_vec(),
        table: serde_json::to_vec(&table).expect("writes"),
        session: "s".to_owned(),
        trace: "t".to_owned(),
    }
}

fn skipped(what: &str) {
    super::skip::not_here(&format!("ssh-keygen, so {what} is not tried"));
}

// ---- objects by hand: stored, not packed

fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    b << 16 | a
}

fn place(repo: &Path, id: &str) -> PathBuf {
    repo.join(".git/objects").join(&id[..2]).join(&id[2..])
}

fn put(repo: &Path, kind: &str, bytes: &[u8]) -> String {
    let whole = [format!("{kind} {}\0", bytes.len()).as_bytes(), bytes].concat();
    let id: String = Sha256::digest(&whole).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut file = vec![0x78, 0x01];
    let mut parts = whole.chunks(65535).peekable();
    while let Some(part) = parts.next() {
        let length = u16::try_from(part.len()).expect("it fits");
        file.push(u8::from(parts.peek().is_none()));
        file.extend(length.to_le_bytes());
        file.extend((!length).to_le_bytes());
        file.extend(part);
    }
    file.extend(adler(&whole).to_be_bytes());
    let path = place(repo, &id);
    fs::create_dir_all(path.parent().expect("below")).expect("creates");
    if !path.exists() {
        fs::write(path, file).expect("writes");
    }
    id
}

fn get(repo: &Path, id: &str) -> Vec<u8> {
    let file = fs::read(place(repo, id)).expect("a loose object");
    let (mut at, mut whole) = (2, Vec::new());
    loop {
        let length = usize::from(u16::from_le_bytes([file[at + 1], file[at + 2]]));
        whole.extend(&file[at + 5..at + 5 + length]);
        let last = file[at] & 1 == 1;
        at += 5 + length;
        if last {
            break;
        }
    }
    let head = whole.iter().position(|byte| *byte == 0).expect("a head");
    whole.split_off(head + 1)
}

/// Entries of a tree: name and id, files and directories alike.
fn entries(repo: &Path, tree: &str) -> BTreeMap<String, String> {
    let (bytes, mut at) = (get(repo, tree), 0);
    let mut found = BTreeMap::new();
    while at < bytes.len() {
        let end = at + bytes[at..].iter().position(|byte| *byte == 0).expect("an end");
        let (_, name) =
            std::str::from_utf8(&bytes[at..end]).expect("plain").split_once(' ').expect("a mode");
        let id = bytes[end + 1..end + 33].iter().map(|byte| format!("{byte:02x}")).collect();
        found.insert(name.to_owned(), id);
        at = end + 33;
    }
    found
}

fn put_tree(repo: &Path, entries: &BTreeMap<String, String>) -> String {
    let mut bytes = Vec::new();
    for (name, id) in entries {
        bytes.extend(format!("100644 {name}\0").bytes());
        bytes.extend(
            (0..32).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).expect("hex")),
        );
    }
    put(repo, "tree", &bytes)
}

/// A commit in parts.
#[derive(Clone, Debug)]
struct Commit {
    tree: String,
    parent: Option<String>,
    people: String,
    signature: Option<String>,
    message: String,
}

impl Commit {
    fn read(repo: &Path, id: &str) -> Self {
        let text = String::from_utf8(get(repo, id)).expect("UTF-8");
        let (head, message) = text.split_once("\n\n").expect("a message");
        let value =
            |key: &str| head.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned);
        let people: Vec<&str> = head
            .lines()
            .filter(|line| line.starts_with("author ") || line.starts_with("committer "))
            .collect();
        let signature = head.split_once("\ngpgsig-sha256 ").map(|(_, text)| text.to_owned());
        Self {
            tree: value("tree ").expect("a tree"),
            parent: value("parent "),
            people: people.join("\n"),
            signature,
            message: message.to_owned(),
        }
    }

    fn text(&self) -> String {
        let parent =
            self.parent.as_ref().map_or(String::new(), |parent| format!("parent {parent}\n"));
        let signature =
            self.signature.as_ref().map_or(String::new(), |text| format!("gpgsig-sha256 {text}\n"));
        format!("tree {}\n{parent}{}\n{signature}\n{}", self.tree, self.people, self.message)
    }

    /// Signs it with another key than the allowed one.
    fn sign(&mut self, key: &Path, scratch: &Path) {
        self.signature = None;
        fs::write(scratch, self.text()).expect("writes");
        let signed = scratch.with_extension("sig");
        let _ = fs::remove_file(&signed);
        let done = Command::new("ssh-keygen")
            .args(["-q", "-Y", "sign", "-n", "git", "-f"])
            .args([key, scratch])
            .output()
            .expect("it runs");
        assert!(done.status.success());
        let text = fs::read_to_string(signed).expect("a signature");
        self.signature = Some(text.trim_end().replace('\n', "\n "));
    }
}

/// One record of a chain, in parts.
#[derive(Clone, Debug)]
struct Rec {
    id: String,
    commit: Commit,
    record: Value,
    table: Option<String>,
}

/// A copy of a repository whose chain somebody edits, again and again.
struct Forged {
    _dir: TempDir,
    repo: PathBuf,
    seed: Repo,
    chain: Vec<Rec>,
    /// Files as they were before an edit.
    before: Vec<(PathBuf, Vec<u8>)>,
}

fn chain_of(repo: &Path) -> Vec<Rec> {
    let mut next = Some(git(repo, "rev-parse refs/seed/claims"));
    let mut chain = Vec::new();
    while let Some(id) = next.take() {
        let commit = Commit::read(repo, &id);
        let files = entries(repo, &commit.tree);
        let record = serde_json::from_slice(&get(repo, &files["record.json"])).expect("a record");
        next.clone_from(&commit.parent);
        chain.push(Rec { id, commit, record, table: files.get("gate.json").cloned() });
    }
    chain.reverse();
    chain
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("creates");
    for entry in fs::read_dir(from).expect("reads").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).expect("copies");
        }
    }
}

impl Forged {
    fn of(base: &Path, chain: &[Rec]) -> Self {
        let dir = ground("git-seed-forged-");
        let repo = dir.path().join("repo");
        copy(&base.join(".git"), &repo.join(".git"));
        let seed = Repo::open(&repo).expect("it opens");
        let refs = ["claims", "notes"].map(|name| match name {
            "claims" => repo.join(".git/refs/seed/claims"),
            _ => repo.join(".git/refs/notes/seed"),
        });
        let before = refs.map(|file| (file.clone(), fs::read(file).expect("a ref"))).to_vec();
        Self { _dir: dir, repo, seed, chain: chain.to_vec(), before }
    }

    /// A copy of a repository without notes.
    fn bare(base: &Path) -> Self {
        git(base, "update-ref refs/notes/seed refs/seed/claims");
        let forged = Self::of(base, &chain_of(base));
        git(&forged.repo, "update-ref -d refs/notes/seed");
        forged
    }

    /// Undoes an edit; objects that nobody names may stay.
    fn as_before(&mut self, chain: &[Rec]) {
        for (file, bytes) in &self.before {
            let _ = fs::remove_file(file);
            fs::write(file, bytes).expect("writes");
        }
        self.before.truncate(2);
        self.chain = chain.to_vec();
    }

    /// Flips bits of one byte of an object that say something.
    fn flip(&mut self, id: &str, dice: &mut Dice) {
        let file = place(&self.repo, id);
        let whole = fs::read(&file).expect("an object");
        let mut bytes = whole.clone();
        loop {
            let at = dice.roll(bytes.len());
            // The third byte heads the block: five of its bits say nothing.
            let bits = if at == 2 { 1 + dice.roll(7) } else { 1 + dice.roll(255) };
            bytes[at] ^= u8::try_from(bits).expect("a byte");
            // So does the second, where it is another of the marks for how hard was packed.
            if ![0x5e, 0x9c, 0xda].contains(&bytes[1]) {
                break;
            }
            bytes.clone_from(&whole);
        }
        // Objects are written without the right to write.
        fs::remove_file(&file).expect("ours");
        fs::write(&file, bytes).expect("writes");
        self.before.push((file, whole));
    }

    fn stands(&self, id: &str) {
        fs::write(self.repo.join(".git/refs/seed/claims"), format!("{id}\n")).expect("writes");
    }

    /// Writes the chain anew from `from` on; `fits` mends numbers and names of neighbours.
    /// Gives the id that now stands there.
    fn relink(&mut self, from: usize, fits: bool, mut change: impl FnMut(&mut Rec)) -> String {
        for at in from..self.chain.len() {
            let before = at.checked_sub(1).map(|at| self.chain[at].id.clone());
            let rec = &mut self.chain[at];
            if fits {
                rec.record["n"] = json!(at + 1);
                rec.record["prev"] = json!(before);
            }
            rec.commit.parent = before;
            let blob = put(&self.repo, "blob", &serde_json::to_vec(&rec.record).expect("writes"));
            let mut files = BTreeMap::from([("record.json".to_owned(), blob)]);
            files.extend(rec.table.clone().map(|table| ("gate.json".to_owned(), table)));
            rec.commit.tree = put_tree(&self.repo, &files);
            change(rec);
            rec.id = put(&self.repo, "commit", rec.commit.text().as_bytes());
        }
        let last = self.chain.last().map_or(String::new(), |rec| rec.id.clone());
        self.stands(&last);
        self.chain[from.min(self.chain.len() - 1)].id.clone()
    }

    // ---- notes

    fn notes(&self) -> BTreeMap<String, String> {
        let tip = fs::read_to_string(self.repo.join(".git/refs/notes/seed")).expect("notes");
        entries(&self.repo, &Commit::read(&self.repo, tip.trim()).tree)
    }

    fn put_notes(&self, notes: &BTreeMap<String, String>) {
        let file = self.repo.join(".git/refs/notes/seed");
        let tip = fs::read_to_string(&file).expect("notes").trim().to_owned();
        let mut commit = Commit::read(&self.repo, &tip);
        commit.tree = put_tree(&self.repo, notes);
        commit.parent = Some(tip);
        let id = put(&self.repo, "commit", commit.text().as_bytes());
        fs::write(file, format!("{id}\n")).expect("writes");
    }

    /// The record that attests `commit`.
    fn attesting(&self, commit: &str) -> String {
        let attests = |rec: &&Rec| rec.record["attest"]["commit"] == commit;
        self.chain.iter().find(attests).expect("it is attested").id.clone()
    }
}

// ---- a thousand edits

const EDITS: usize = 1000;

/// A generator that needs no more than to differ: splitmix64.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ z >> 31) % sides as u64).expect("it is small")
    }
}

const KINDS: [&str; 14] = [
    "a byte of a record's commit is flipped",
    "a byte of a record's tree is flipped",
    "a byte of a record is flipped",
    "a byte of the gate's table is flipped",
    "a byte of a note is flipped",
    "a record is dropped, commits relinked",
    "a record is dropped, all made to fit",
    "two records change places",
    "the chain is cut",
    "records are signed anew with another key",
    "a record is forged between, all made to fit",
    "a record is forged at the end, with an old signature",
    "a note's line is changed, dropped or moved",
    "a note's line is forged",
];

/// Makes one edit of a kind; gives the record that is the first bad one then.
#[expect(clippy::too_many_lines, reason = "one arm per kind of edit")]
fn edit(kind: usize, ground: &Ground, forged: &mut Forged, dice: &mut Dice) -> String {
    let count = forged.chain.len();
    let at = dice.roll(count);
    match kind {
        0..=3 => {
            let with_table = |rec: &&Rec| rec.table.is_some();
            let first = forged.chain.iter().find(with_table).expect("one has").clone();
            let rec = if kind == 3 { first } else { forged.chain[at].clone() };
            let id = match kind {
                0 => rec.id.clone(),
                1 => rec.commit.tree.clone(),
                2 => entries(&forged.repo, &rec.commit.tree)["record.json"].clone(),
                _ => rec.table.clone().expect("it has one"),
            };
            forged.flip(&id, dice);
            rec.id
        }
        4 => {
            let notes = forged.notes();
            let (commit, blob) = notes.iter().nth(dice.roll(notes.len())).expect("a note");
            forged.flip(blob, dice);
            forged.attesting(commit)
        }
        5 | 6 => {
            let gone = forged.chain.remove(at).id;
            if at == forged.chain.len() {
                let last = forged.chain[at - 1].id.clone();
                forged.stands(&last);
                return gone;
            }
            let strip = kind == 6 && dice.roll(2) == 0;
            forged.relink(at, kind == 6, |rec| {
                if strip {
                    // Made to look as if it had never been signed.
                    rec.commit.signature = None;
                }
            })
        }
        7 => {
            let at = dice.roll(count - 1);
            forged.chain.swap(at, at + 1);
            let fits = dice.roll(2) == 0;
            forged.relink(at, fits, |_| {})
        }
        8 => {
            let at = 1 + dice.roll(count - 1);
            let gone = forged.chain[at].id.clone();
            let last = forged.chain[at - 1].id.clone();
            forged.chain.truncate(at);
            forged.stands(&last);
            gone
        }
        9 => {
            let at = count - 1 - dice.roll(4);
            let (key, scratch) = (ground.root.join("other"), forged.repo.join("commit"));
            // The last of them alone, or what its author wrote is changed too.
            forged.chain[at].record["at"] = json!(7);
            forged.relink(at, true, |rec| rec.commit.sign(&key, &scratch))
        }
        10 => {
            let mut new = forged.chain[at].clone();
            new.record["reasons"] = json!(["all is well"]);
            let unsigned = dice.roll(2) == 0;
            forged.chain.insert(at, new);
            forged.relink(at, true, |rec| {
                rec.commit.signature = None;
                if unsigned {
                    rec.record["signed"] = json!("unsigned");
                }
            })
        }
        11 => {
            let mut new = forged.chain[at].clone();
            new.record["reasons"] = json!(["all is well"]);
            forged.chain.push(new);
            forged.relink(count, true, |_| {})
        }
        12 => {
            let mut notes = forged.notes();
            let names: Vec<String> = notes.keys().cloned().collect();
            let one = dice.roll(names.len());
            let commit = names[one].clone();
            match dice.roll(3) {
                0 => {
                    let mut text = get(&forged.repo, &notes[&commit]);
                    let at = dice.roll(text.len() - 1);
                    text[at] = if text[at] == b'0' { b'1' } else { b'0' };
                    notes.insert(commit.clone(), put(&forged.repo, "blob", &text));
                    forged.put_notes(&notes);
                    forged.attesting(&commit)
                }
                1 => {
                    notes.remove(&commit);
                    forged.put_notes(&notes);
                    forged.attesting(&commit)
                }
                _ => {
                    let other = names[(one + 1) % names.len()].clone();
                    let (a, b) = (notes[&commit].clone(), notes[&other].clone());
                    notes.extend([(commit.clone(), b), (other.clone(), a)]);
                    forged.put_notes(&notes);
                    let places = [&commit, &other].map(|commit| forged.attesting(commit));
                    let first = forged.chain.iter().find(|rec| places.contains(&rec.id));
                    first.expect("one of them").id.clone()
                }
            }
        }
        _ => {
            let mut notes = forged.notes();
            let commit = notes.keys().nth(dice.roll(notes.len())).expect("a note").clone();
            let mut text = String::from_utf8(get(&forged.repo, &notes[&commit])).expect("UTF-8");
            // A record that was never made, or one of the chain for another tree.
            let id =
                if dice.roll(2) == 0 { format!("{:064x}", 7) } else { forged.attesting(&commit) };
            let said = json!({ "n": 1, "commit": commit, "tree": "7".repeat(64), "backed": id });
            text.push_str(&format!("{id} claim {said}\n"));
            notes.insert(commit, put(&forged.repo, "blob", text.as_bytes()));
            forged.put_notes(&notes);
            id
        }
    }
}

fn verify(seed: &Repo, keys: &Path, pin: &str) -> Findings {
    let keys = Some(keys.to_owned());
    let asked = Asked { expect: pin.parse().ok(), keys, ..Asked::default() };
    verify::verify(seed, &asked).expect("it answers")
}

#[test]
fn edits_are_found_and_the_first_bad_record_is_named() {
    edits(Extent::Part);
}

#[test]
#[ignore = "a minute"]
fn a_thousand_edits_are_found_and_the_first_bad_record_is_named() {
    edits(Extent::Whole);
}

fn edits(extent: Extent) {
    if !has_ssh_keygen() {
        return skipped("a thousand edits of signed records");
    }
    let ground = Ground::new();
    ground.signs();
    ground.filled();
    // Loose and stored, so that they can be read and written by hand; no commit is looked at
    // for its steps.
    git(&ground.repo, "repack -adq");
    loosen(&ground.repo);
    git(&ground.repo, "symbolic-ref HEAD refs/heads/none");
    let chain = chain_of(&ground.repo);
    assert!(chain.iter().all(|rec| rec.commit.signature.is_some()), "all are signed");
    let pin = chain.last().expect("records").id.clone();
    let untouched = verify(&ground.seed(), &ground.keys(), &pin);
    assert_eq!((untouched.ok, &untouched.broken[..]), (Some(true), &[][..]), "{untouched:?}");

    let begun = Instant::now();
    let threads = 2;
    let results: Vec<(usize, bool, String)> = std::thread::scope(|scope| {
        let work = |thread: usize| {
            let (mut found, mut forged) = (Vec::new(), Forged::of(&ground.repo, &chain));
            for number in (thread..EDITS).step_by(threads).filter(|&one| extent.takes(one)) {
                let (kind, mut dice) = (number % KINDS.len(), Dice(number as u64));
                let first = edit(kind, &ground, &mut forged, &mut dice);
                let findings = verify(&forged.seed, &ground.keys(), &pin);
                forged.as_before(&chain);
                let named = findings.broken.first().is_some_and(|bad| bad.record == first);
                let good = findings.ok == Some(false) && named;
                let told = if good {
                    String::new()
                } else {
                    format!("edit {number}, {}: first bad {first}\n{findings:#?}", KINDS[kind])
                };
                found.push((kind, good, told));
            }
            found
        };
        let running: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        running.into_iter().flat_map(|one| one.join().expect("it ran")).collect()
    });
    println!("{:<55}{:>6}{:>7}", "edit", "made", "found");
    for (kind, name) in KINDS.iter().enumerate() {
        let of_kind = |(found, ..): &&(usize, bool, String)| *found == kind;
        let made = results.iter().filter(of_kind).count();
        let found = results.iter().filter(of_kind).filter(|(_, good, _)| *good).count();
        println!("{name:<55}{made:>6}{found:>7}");
    }
    let missed: Vec<&String> =
        results.iter().filter(|(_, good, _)| !good).map(|(.., told)| told).collect();
    println!(
        "{} of {} found, the first bad record named, {:?}",
        results.len() - missed.len(),
        results.len(),
        begun.elapsed()
    );
    assert!(missed.is_empty(), "{} missed, such as {}", missed.len(), missed[0]);
}

/// Takes every object out of its pack.
fn loosen(repo: &Path) {
    let packs = repo.join(".git/objects/pack");
    let aside = repo.join("packs");
    fs::rename(&packs, &aside).expect("moves");
    fs::create_dir(&packs).expect("creates");
    for pack in fs::read_dir(&aside).expect("reads").flatten().map(|entry| entry.path()) {
        if pack.extension().is_some_and(|ending| ending == "pack") {
            let input = fs::File::open(&pack).expect("a pack");
            let done = Command::new("git")
                .arg("-C")
                .arg(repo)
                .args(["unpack-objects", "-q"])
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .stdin(input)
                .status()
                .expect("git is installed");
            assert!(done.success());
        }
    }
    fs::remove_dir_all(aside).expect("ours");
}

// ---- many records

/// Without optimisation it takes ten times as long to make and to read them.
const RECORDS: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };

#[test]
fn ten_thousand_records_are_verified() {
    if !has_ssh_keygen() {
        return skipped("the time of ten thousand records");
    }
    let ground = Ground::new();
    ground.signs();
    ground.commits(0);
    ground.judges(0);
    git(&ground.repo, "repack -adq");
    loosen(&ground.repo);
    let mut forged = Forged::bare(&ground.repo);
    let mut first = forged.chain.remove(0);
    first.commit.signature = None;
    first.record["signed"] = json!("unsigned");
    forged.chain = vec![first; RECORDS];
    forged.relink(0, true, |_| {});
    git(&forged.repo, "symbolic-ref HEAD refs/heads/none");
    let sealed = records::seal_records(&forged.seed).expect("seals").id.to_string();
    for state in ["loose", "packed"] {
        if state == "packed" {
            git(&forged.repo, "repack -adq");
        }
        let begun = Instant::now();
        let findings = verify(&forged.seed, &ground.keys(), &sealed);
        let took = begun.elapsed();
        println!("verify of {} records, {state}: {took:?}", findings.verified);
        assert_eq!(
            (findings.ok, findings.verified),
            (Some(true), RECORDS as u64 + 1),
            "{:?}",
            findings.broken
        );
    }
}

// ---- what other tools read

/// Checks `value` against the words of JSON Schema that the fixtures use; any other word in
/// them is a failure, so nothing is passed over.
#[expect(clippy::too_many_lines, reason = "one arm per word of a schema")]
pub(super) fn fits(schema: &Value, root: &Value, value: &Value, at: &str) {
    for (word, wanted) in schema.as_object().expect("a schema is an object") {
        let texts = |list: &Value| -> Vec<String> {
            list.as_array()
                .expect("a list")
                .iter()
                .map(|one| one.as_str().expect("text").to_owned())
                .collect()
        };
        match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let place = wanted
                    .as_str()
                    .and_then(|text| text.strip_prefix('#'))
                    .expect("a place in here");
                fits(root.pointer(place).expect("it is there"), root, value, at);
            }
            "type" => {
                let is = match wanted.as_str().expect("one type") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_u64(),
                    "number" => value.is_number(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("type {other}"),
                };
                assert!(is, "{at}: {value} is no {wanted}");
            }
            "required" => {
                for name in texts(wanted) {
                    assert!(value.get(&name).is_some(), "{at}: {name} is missing");
                }
            }
            "properties" => {
                for (name, schema) in wanted.as_object().expect("names") {
                    if let Some(value) = value.get(name) {
                        fits(schema, root, value, &format!("{at}/{name}"));
                    }
                }
            }
            "additionalProperties" => {
                for (name, value) in value.as_object().expect("an object") {
                    fits(wanted, root, value, &format!("{at}/{name}"));
                }
            }
            "minProperties" => assert!(
                value.as_object().expect("an object").len() as u64
                    >= wanted.as_u64().expect("a number")
            ),
            "items" => {
                for (n, value) in value.as_array().expect("a list").iter().enumerate() {
                    fits(wanted, root, value, &format!("{at}/{n}"));
                }
            }
            "minItems" => {
                assert!(
                    value.as_array().expect("a list").len() as u64
                        >= wanted.as_u64().expect("a number")
                );
            }
            "enum" => assert!(wanted.as_array().expect("a list").contains(value), "{at}: {value}"),
            "const" => assert_eq!(value, wanted, "{at}"),
            "minimum" => assert!(value.as_f64() >= wanted.as_f64(), "{at}: {value}"),
            "maximum" => assert!(value.as_f64() <= wanted.as_f64(), "{at}: {value}"),
            // Of two one is `null`.
            "anyOf" => {
                let [one, other] = wanted.as_array().expect("a list").as_slice() else {
                    panic!("{wanted} are not two");
                };
                fits(if value.is_null() { other } else { one }, root, value, at);
            }
            "maxLength" => {
                assert!(
                    value.as_str().expect("text").len() as u64
                        <= wanted.as_u64().expect("a number")
                );
            }
            "pattern" | "format" => {
                let text = value.as_str().expect("text");
                let hex =
                    |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
                let good = match wanted.as_str().expect("text") {
                    "^[0-9]+\\.[0-9]+\\.[0-9]+$" => {
                        text.split('.').filter(|n| n.parse::<u32>().is_ok()).count() == 3
                    }
                    "^[0-9a-f]+$" => hex(text),
                    "uuid" => {
                        let parts: Vec<&str> = text.split('-').collect();
                        parts.iter().all(|part| hex(part))
                            && parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
                    }
                    "date-time" => text.len() == 20 && text.ends_with('Z') && &text[10..11] == "T",
                    "uri" => text
                        .split_once("://")
                        .is_some_and(|(scheme, rest)| scheme == "https" && !rest.contains(' ')),
                    other => panic!("pattern {other}"),
                };
                assert!(good, "{at}: {text} does not fit {wanted}");
            }
            other => panic!("{other} is not checked here"),
        }
    }
}

#[test]
fn exported_records_fit_their_schemas() {
    use git_seed::engine::export::Format;
    let ground = Ground::new();
    ground.filled();
    let seed = ground.seed();
    let all = export::named_records(&seed, None).expect("reads");
    assert_eq!(all.len(), 12);
    for (format, schema) in [
        (Format::InToto, include_str!("../../fixtures/schemas/in-toto-statement-v1.json")),
        (Format::AgentTrace, include_str!("../../fixtures/schemas/agent-trace-record-0.1.0.json")),
    ] {
        let schema: Value = serde_json::from_str(schema).expect("it reads");
        for one in &all {
            fits(&schema, &schema, &export::export(&seed, one, format).expect("exports"), "");
        }
    }
    let landed = export::named_record(&seed, "3").expect("the third");
    let statement = export::export(&seed, &landed, Format::InToto).expect("exports");
    let attest = landed.record.attest.clone().expect("it attests");
    assert_eq!(statement["subject"][0]["digest"]["gitCommit"], attest.commit);
    let trace = export::export(&seed, &landed, Format::AgentTrace).expect("exports");
    assert_eq!(trace["vcs"]["revision"], attest.commit);
    assert_eq!(trace["files"][0]["path"], "file");
    assert_eq!(
        trace["files"][0]["conversations"][0]["ranges"][0],
        json!({ "start_line": 1, "end_line": 1 })
    );
    assert_eq!(export::named_records(&seed, Some("2..4")).expect("reads").len(), 2);
    for name in ["0", "13", "zz", &"e".repeat(64)] {
        assert!(export::named_record(&seed, name).is_err(), "{name}");
    }
}

// ---- the commands

#[test]
fn what_is_not_vouched_for_is_not_measured_and_a_pin_tells_more() {
    let ground = Ground::new();
    let ids = ground.filled();
    let seed = ground.seed();
    let asked = |expect: Option<&CommitId>| Asked { expect: expect.cloned(), ..Asked::default() };
    let open = verify::verify(&seed, &asked(None)).expect("answers");
    assert_eq!((open.ok, open.verified, open.not_measured.len()), (None, 0, 12));
    let half = verify::verify(&seed, &asked(Some(&ids[5]))).expect("answers");
    assert_eq!((half.ok, half.verified, half.not_measured.len()), (None, 6, 6));
    let whole = verify::verify(&seed, &asked(ids.last())).expect("answers");
    assert_eq!((whole.ok, whole.verified), (Some(true), 12), "{whole:?}");
    // Every ruling comes out again, byte for byte.
    let replayed = records::replay(&seed, None).expect("answers");
    assert_eq!((replayed.ok, replayed.verified), (Some(true), 4), "{replayed:?}");
    // A fetched copy is a pin as well.
    git(&ground.repo, &format!("update-ref refs/remotes/origin/seed/claims {}", ids[11]));
    git(&ground.repo, &format!("update-ref refs/seed/claims {}", ids[8]));
    let cut = verify::verify(&ground.seed(), &asked(None)).expect("answers");
    assert_eq!((cut.ok, cut.broken[0].record.as_str()), (Some(false), ids[9].as_str()), "{cut:?}");
}

#[test]
fn a_session_shows_its_records_and_a_commit_carries_its_note() {
    let world = super::world::World::prompted();
    assert!(world.seed("audit show").succeeds().contains("No records yet"));
    let seed = Repo::open(world.repo()).expect("it opens");
    let head = seed.store.head().expect("reads").commit.expect("a commit");
    let tree = seed.store.tree_of_commit(&head).expect("reads");
    let id = records::record_verdict(&seed, verdict(1, tree)).expect("records").to_string();
    assert!(world.seed("audit show").succeeds().contains(&id[..12]));
    assert!(world.seed(&format!("audit show {}", &id[..12])).succeeds().contains("causal_trace"));
    assert!(world.seed("audit replay").succeeds().contains("1 verified"));
    assert_eq!(world.agents_shell("git seed verify", "").code, 3, "not verified: no signature");
    assert_eq!(world.agents_shell(&format!("git seed verify --expect {id}"), "").code, 0);
    // Every phase commit from here on is attested, and legal.
    world.to("execute");
    let verified = world.agents_shell("git seed verify --json", "");
    let told: Value = serde_json::from_str(&verified.out).expect("JSON");
    assert_eq!(told["broken"], json!([]), "{told}");
    let commit = world.git("rev-parse HEAD");
    let note = world.git("notes --ref=seed show HEAD");
    assert!(
        note.lines().any(|line| line.contains("\"kind\":\"claim\"") && line.contains(&commit)),
        "{note}"
    );
    // A step that no job took is named.
    world.git("commit -q --allow-empty -m forged --trailer Seed-Job=x");
    let forged = world.git("log -1 --format=%B HEAD~1").replace("Seed-Id: ", "Seed-Id: 0");
    std::fs::write(world.path(".git/forged"), forged).expect("writes");
    world.git("commit -q --amend --no-verify --allow-empty -F .git/forged");
    let told = world.agents_shell("git seed verify --json HEAD~1..HEAD", "");
    assert_eq!(told.code, 2, "{told:?}");
    assert!(told.out.contains(&world.git("rev-parse HEAD")), "{told:?}");
}
