#![expect(clippy::disallowed_macros, reason = "that is how a build script speaks")]
//! Turns the shipped tables into the form that the binary carries, which a hook reads in a
//! tenth of the time (`src/shipped.rs`).
//!
//! The TOML files stay the source: for people, with comments. What a table *says* is
//! checked where it is read and by the tests; here it only has to be TOML.
//!
//! It also tells the linker what to lay side by side (`link/README.md`).

#[path = "link/script.rs"]
mod link;
#[path = "src/shipped/write.rs"]
mod write;

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

/// Tables that are read as a whole.
const TABLES: &[&str] = &[
    "src/rules.toml",
    "src/jobs/questions.toml",
    "src/phases/opevc.toml",
    "src/phases/quick.toml",
    "src/phases/fence.toml",
    "src/memory/notes.toml",
    "src/claims/languages.toml",
    "src/phases/companions.toml",
    "src/phases/git_acts.toml",
    "src/phases/mcp.toml",
    "src/claims/hooks.toml",
    "src/claims/gate.toml",
    "src/claims/runs.toml",
    "src/claims/bad_ends.toml",
    "src/claims/empty_runs.toml",
    "src/claims/untested.toml",
    "src/claims/closings.toml",
    "src/shell/taints.toml",
    "src/hosts/claude.toml",
    "src/hosts/codex.toml",
    "src/hosts/gemini.toml",
    "src/hosts/opencode.toml",
    "src/hosts/cursor.toml",
    "src/hosts/copilot.toml",
    "src/hosts/vscode.toml",
    "src/hosts/droid.toml",
    "src/hosts/clients/mcp_client.toml",
];

/// A table of which one row is wanted at a time.
struct Rows {
    table: &'static str,
    /// Each list in it, and the keys whose words lead to a row. Words of several keys are joined
    /// by a dot; of `a|b` the words of both lead there.
    lists: &'static [(&'static str, &'static [&'static str])],
}

const ROWS: &[Rows] = &[
    Rows { table: "src/phases/opevc.toml", lists: &[("phase", &["name"])] },
    Rows { table: "src/phases/quick.toml", lists: &[("phase", &["name"])] },
    Rows { table: "src/shell/programs.toml", lists: &[("program", &["names"])] },
    Rows { table: "src/shell/git.toml", lists: &[("program", &["names"])] },
    Rows { table: "src/shell/seed.toml", lists: &[("command", &["name"])] },
    Rows {
        table: "src/hosts/plugin/plugins.toml",
        lists: &[("plugin", &["host"]), ("grant", &["host"])],
    },
    Rows { table: "src/claims/runs.toml", lists: &[("run", &["runs"])] },
    Rows {
        table: "src/claims/languages.toml",
        lists: &[("language", &["endings|files|name"]), ("runner", &["files"])],
    },
    Rows { table: "src/shell/calls.toml", lists: &[("call", &["names"])] },
    Rows {
        table: "src/secrets/secrets.toml",
        lists: &[
            ("token", &["heads"]),
            ("inside", &["heads"]),
            ("name", &["words"]),
            ("option", &["programs"]),
            ("none", &["how"]),
        ],
    },
    Rows {
        table: "src/voice.toml",
        lists: &[
            ("say", &["wants", "case"]),
            ("open", &["key"]),
            ("tell", &["key"]),
            ("find", &["key"]),
        ],
    },
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/shipped/write.rs");
    for table in TABLES {
        let form = write::written(&read(table)).unwrap_or_else(|bad| panic!("{table}: {bad}"));
        keep(&format!("{}.table", stem(table)), form);
    }
    for Rows { table, lists } in ROWS {
        let value = read(table);
        for key in value.as_object().into_iter().flat_map(|keys| keys.keys()) {
            let read = TABLES.contains(table) || lists.iter().any(|(list, _)| list == key);
            assert!(read, "{table}: nobody reads `{key}`");
        }
        for (list, keys) in *lists {
            let rows = value[list].as_array().unwrap_or_else(|| panic!("{table}: no [[{list}]]"));
            let name = format!("{}.{list}", stem(table));
            keep_rows(&name, rows, keys).unwrap_or_else(|bad| panic!("{table}: [[{list}]] {bad}"));
        }
    }
    println!("cargo::rerun-if-changed={HOT}");
    println!("cargo::rerun-if-changed=link/script.rs");
    println!("cargo::rustc-check-cfg=cfg(side_by_side)");
    if reads_scripts() {
        println!("cargo::rustc-cfg=side_by_side");
        let list = fs::read_to_string(HOT).expect("the list is in the tree");
        let script = link::script(&list).unwrap_or_else(|bad| panic!("{HOT}: {bad}"));
        let path = keep("hot.ld", script);
        println!("cargo::rustc-link-arg-bins=-T{}", path.display());
    }
}

/// What the linker lays side by side.
const HOT: &str = "link/hot.txt";

/// Whether the linker is the compiler's own choice for Linux, or lld: each of those reads scripts.
fn reads_scripts() -> bool {
    let is = |name: &str, value: &str| env::var_os(name).is_some_and(|own| own == value);
    let flags = env::var_os("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = flags.to_string_lossy();
    let another = |flag: &str| {
        let chosen = flag.trim_start_matches("-C").trim_start();
        match chosen.strip_prefix("linker=") {
            Some(linker) => linker != "rust-lld",
            None => chosen.starts_with("linker-flavor") || chosen.contains("-fuse-ld"),
        }
    };
    is("CARGO_CFG_TARGET_OS", "linux")
        && ["gnu", "musl"].iter().any(|libc| is("CARGO_CFG_TARGET_ENV", libc))
        && env::var_os("RUSTC_LINKER").is_none()
        && !flags.split('\x1f').any(another)
}

fn read(table: &str) -> Value {
    println!("cargo::rerun-if-changed={table}");
    let text = fs::read_to_string(table).expect("a table in the list is in the tree");
    toml::from_str(&text).unwrap_or_else(|bad| panic!("{table}: {bad}"))
}

/// The rows one behind the other, and the index that finds them.
fn keep_rows(name: &str, rows: &[Value], keys: &[&str]) -> Result<(), String> {
    let (mut form, mut at, mut names) = (String::new(), Vec::new(), Vec::new());
    for (row, value) in rows.iter().enumerate() {
        at.push(form.len());
        form.push_str(&write::written(value).map_err(|bad| format!("row {}: {bad}", row + 1))?);
        let words = words(value, keys);
        if words.is_empty() {
            return Err(format!(
                "row {}: nothing in it leads to it ({})",
                row + 1,
                keys.join(", ")
            ));
        }
        names.extend(words.into_iter().map(|word| (word, row)));
    }
    names.sort();
    let index = format!("crate::shipped::Index {{ at: &{at:?}, names: &{names:?} }}");
    keep(&format!("{name}.rows"), form);
    keep(&format!("{name}.index"), index);
    Ok(())
}

/// The words that lead to a row.
fn words(row: &Value, keys: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let said = |key: &str| -> Vec<&str> {
        match row.get(key) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            one => one.and_then(Value::as_str).into_iter().collect(),
        }
    };
    for key in keys.iter().filter(|key| key.split('|').any(|key| row.get(key).is_some())) {
        let own: Vec<&str> = key.split('|').flat_map(said).collect();
        words = match words.as_slice() {
            [] => own.into_iter().map(str::to_owned).collect(),
            words => words
                .iter()
                .flat_map(|word| own.iter().map(move |more| format!("{word}.{more}")))
                .collect(),
        };
    }
    words
}

fn stem(table: &str) -> &str {
    Path::new(table).file_stem().and_then(|name| name.to_str()).expect("a table has a name")
}

fn keep(name: &str, text: String) -> PathBuf {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(&path, text).expect("the build directory takes a file");
    path
}
