#![expect(clippy::disallowed_macros, reason = "that is how a build script speaks")]
//! Turns the shipped tables into JSON, which a hook reads in a fifth of the time.
//!
//! The TOML files stay the source: for people, with comments. What a table *says* is
//! checked where it is read and by the tests; here it only has to be TOML.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Tables that are read as TOML; here it is only made sure that they can be.
const READ_AS_TOML: [&str; 1] = ["src/shell/seed.toml"];

const TABLES: &[&str] = &[
    "src/rules.toml",
    "src/jobs/questions.toml",
    "src/voice.toml",
    "src/phases/opevc.toml",
    "src/phases/quick.toml",
    "src/memory/notes.toml",
    "src/claims/languages.toml",
    "src/phases/companions.toml",
    "src/phases/git_acts.toml",
    "src/phases/mcp.toml",
    "src/claims/hooks.toml",
    "src/claims/gate.toml",
    "src/claims/runs.toml",
    "src/claims/closings.toml",
    "src/shell/git.toml",
    "src/shell/programs.toml",
    "src/shell/taints.toml",
    "src/hosts/claude.toml",
    "src/hosts/codex.toml",
    "src/hosts/gemini.toml",
];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    for table in READ_AS_TOML {
        println!("cargo::rerun-if-changed={table}");
        let text = fs::read_to_string(table).expect("a table in the list is in the tree");
        text.parse::<toml::Table>().unwrap_or_else(|bad| panic!("{table}: {bad}"));
    }
    for table in TABLES.iter().map(Path::new) {
        println!("cargo::rerun-if-changed={}", table.display());
        let text = fs::read_to_string(table).expect("a table in the list is in the tree");
        let value: serde_json::Value =
            toml::from_str(&text).unwrap_or_else(|bad| panic!("{}: {bad}", table.display()));
        let name = table.with_extension("json");
        let name = name.file_name().expect("it has a name");
        fs::write(out.join(name), value.to_string()).expect("the build directory takes a file");
    }
}
