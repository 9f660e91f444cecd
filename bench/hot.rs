//! `--hot`: prints `link/hot.txt`, the list of what a hook runs through, and of a step last, for
//! the linker to lay side by side. `link/README.md` says why, and when to make it again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::{FILE, Ground, said, tool};

/// What the list begins with.
const HEAD: &str = "# What hooks run, function by function, for `script.rs`. Printed by \
                    `cargo bench --bench whole -- --hot`: see README.md.";

/// A disambiguator of a crate in a mangled name is that long, or one or two shorter.
const DISAMBIGUATOR: std::ops::RangeInclusive<usize> = 8..=12;

/// Plays what hooks are asked most, and prints what ran, a line for each function.
pub(super) fn hot() -> Result<()> {
    let ground = Ground::in_execute(10)?;
    let libc = Archive::of_libc()?;
    let mut ran = Vec::new();
    for payload in played(&ground)? {
        ran.extend(functions(&ground, &payload)?);
    }
    let named = ran.iter().filter(|name| name.contains("git_seed")).count();
    ensure!(named > 100, "the binary has no symbols: set CARGO_PROFILE_BENCH_STRIP=none");
    println!("{HEAD}");
    let mut told = HashSet::new();
    for line in ran.iter().flat_map(|name| lines(name, &libc)) {
        if told.insert(line.clone()) {
            println!("{line}");
        }
    }
    Ok(())
}

/// The events, from what comes most often to what comes least.
fn played(ground: &Ground) -> Result<Vec<PathBuf>> {
    let at = |path: &str| ground.top.join(path);
    let read = json!({ "file_path": at(FILE) });
    let line = |command: &str| json!({ "command": command });
    let events = [
        tool("PreToolUse", "Read", read.clone()),
        ground.edit("PreToolUse", FILE, "y()"),
        tool("PreToolUse", "Bash", line("git log --oneline -5 -- src/a && grep -rn lex src")),
        ground.edit("PreToolUse", "src/other.rs", "y()"),
        tool("PostToolUse", "Read", read),
        ground.edit("PostToolUse", FILE, "y()"),
        tool("PreToolUse", "Bash", line("cargo test")),
        tool("PostToolUse", "Bash", line("cargo test")),
        // A step of the job.
        json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Keep the quotes, too" }),
    ];
    events
        .iter()
        .enumerate()
        .map(|(n, event)| ground.payload(&format!("hot{n}.json"), event))
        .collect()
}

/// The mangled names of all functions that one hook ran, as callgrind saw them.
fn functions(ground: &Ground, payload: &Path) -> Result<Vec<String>> {
    let profile = ground.dir.path().join("profile");
    let mut valgrind = ground.command("valgrind");
    valgrind.args(["-q", "--tool=callgrind", "--demangle=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", profile.display()));
    valgrind.arg(&ground.binary).args(["hook", "claude"]).stdin(File::open(payload)?);
    said(&mut valgrind).context("valgrind has to be there")?;
    let text = String::from_utf8_lossy(&fs::read(&profile)?).into_owned();
    // A name stands where it comes first, `fn=(12) name`, and later as its number alone. `'2` is
    // a function that called itself.
    let name = |line: &str| {
        let (_, name) = line.strip_prefix("fn=").or(line.strip_prefix("cfn="))?.split_once(") ")?;
        Some(name.split('\'').next().unwrap_or(name).to_owned())
    };
    Ok(text.lines().filter_map(name).collect())
}

/// What the list has of a function: its own section, or the member of libc that holds it.
fn lines(name: &str, libc: &Archive) -> Vec<String> {
    if name.starts_with("_R") {
        return vec![any_crate(name.split(".llvm.").next().unwrap_or(name))];
    }
    libc.members.get(name).into_iter().flatten().map(|member| format!("libc.a:{member}")).collect()
}

/// A mangled name, as it is whatever the disambiguators of its crates are: they change with
/// each compiler and each version of a crate.
fn any_crate(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(at) = rest.find("Cs") {
        let (before, behind) = rest.split_at(at + 2);
        out.push_str(before);
        let length = behind.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let ends = behind.as_bytes().get(length) == Some(&b'_')
            && behind.as_bytes().get(length + 1).is_some_and(u8::is_ascii_digit);
        rest = if ends && DISAMBIGUATOR.contains(&length) {
            out.push_str(&"?".repeat(length));
            &behind[length..]
        } else {
            behind
        };
    }
    out + rest
}

/// Which member of the C library has which function.
struct Archive {
    members: BTreeMap<String, BTreeSet<String>>,
}

impl Archive {
    fn of_libc() -> Result<Self> {
        let path = said(Command::new("cc").arg("-print-file-name=libc.a"))?;
        let listed = said(Command::new("nm").args(["-A", "--defined-only", path.trim()]))?;
        let mut members: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        // `/usr/lib/libc.a:malloc.o:0000000000002f20 T malloc`
        for line in listed.lines() {
            let Some((place, symbol)) = line.rsplit_once(' ') else { continue };
            let Some((place, kind)) = place.rsplit_once(' ') else { continue };
            let Some(member) = place.rsplit(':').nth(1) else { continue };
            if matches!(kind, "t" | "T" | "w" | "W" | "i") {
                members.entry(symbol.to_owned()).or_default().insert(any_processor(member));
            }
        }
        ensure!(members.contains_key("malloc"), "nm tells no members of {path}");
        Ok(Self { members })
    }
}

/// `memmove-avx2.o` as `memmove-*.o`: which of them runs, the processor decides.
fn any_processor(member: &str) -> String {
    match member.split_once('-') {
        Some((function, kind))
            if ["sse", "ssse", "avx", "evex"].iter().any(|set| kind.starts_with(set)) =>
        {
            format!("{function}-*.o")
        }
        _ => member.to_owned(),
    }
}
