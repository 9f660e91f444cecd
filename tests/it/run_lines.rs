//! What command lines prove that agents type to run tests: all of them, a part, or nothing.
//!
//! The table was written by somebody who attacked the rows and had not written them.

use std::fs;
use std::path::Path;

use git_seed::claims::runs::{Recognised, Runs};

/// What a line proves: `full`, `part`, `none`; `counted` where only its closing lines say so.
fn proves(runs: &Runs, line: &str) -> &'static str {
    match runs.recognise(line) {
        _ if runs.part(line).is_some() => "part",
        Recognised::Run(_) | Recognised::Chained { .. } => "full",
        Recognised::Shown(_) => "counted",
        _ => "none",
    }
}

#[test]
fn a_line_proves_what_it_ran() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claims/lines.txt");
    let text = fs::read_to_string(&file).expect("the table");
    let runs = Runs::shipped();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in text.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (wanted, line) = row.split_once('\t').expect("a word, a tab and a line");
        let found = proves(&runs, line);
        seen += 1;
        // One that proves less costs an honest word, and one that proves more lets a lie pass.
        if !wanted.split('|').any(|wanted| wanted == found) {
            wrong.push(format!("{wanted}, not {found}: {line}"));
        }
    }
    assert!(seen > 200, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen}\n{}", wrong.len(), wrong.join("\n"));
}
