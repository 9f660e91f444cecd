//! What real runners print at their end, against what the rows of closings.toml and runs.toml
//! read of it. Whoever recorded the outputs counted the tests in the sources, and had not seen
//! the rows.

#![expect(clippy::disallowed_macros, reason = "it prints its table")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_seed::claims::counts::counts;
use git_seed::claims::runs::Runs;
use serde::Deserialize;

#[derive(Deserialize)]
struct Index {
    output: Vec<Output>,
}

/// One output, and what was so; a count is absent where the runner does not say it.
#[derive(Deserialize)]
struct Output {
    file: String,
    command: String,
    exit: i32,
    passed: Option<u64>,
    failed: Option<u64>,
    #[serde(default)]
    errors: u64,
    selects: String,
    none: bool,
}

/// A file that runs its own tests is taken for any program: a `[[run]]` row can name it.
const NO_RUNS: [&str; 2] = ["ruby test/", "node test/"];

/// Lines that count as a part though they ran all: what they proved is too little, never too
/// much. The first lists, the next is one of two variants, the last is all where the tree says so.
const TOO_LITTLE: [&str; 4] = [
    "cargo test --lib -- --list",
    "./gradlew testDebugUnitTest",
    "rake test TESTOPTS=-v",
    "python3 -m unittest discover -s tests",
];

#[derive(Default)]
struct Score {
    outputs: usize,
    unknown: Vec<String>,
    wrong: Vec<String>,
}

/// Why what was read of `output` is not so.
fn fault(output: &Output, run: &str, text: &str) -> Result<bool, String> {
    let Some(read) = counts(run, text) else { return Ok(false) };
    let told = |what: &str| Err(format!("{}: {what}: {read}", output.file));
    let is_more = |read: u64, so: Option<u64>| so.is_some_and(|so| read > so);
    // A run that tested nothing must not look like one that did: that is how a lie passes.
    if output.none && read.passed > 0 {
        return told("nothing ran");
    }
    if is_more(read.passed, output.passed) {
        return told("more passed than did");
    }
    let failed = output.failed.map(|failed| failed + output.errors);
    if failed.is_some_and(|failed| failed > 0) && read.failed == 0 {
        return told("something failed");
    }
    if !read.at_least {
        if output.passed.is_some_and(|passed| passed != read.passed) && !output.none {
            return told("other tests passed");
        }
        if failed == Some(0) && read.failed > 0 {
            return told("nothing failed");
        }
    }
    Ok(true)
}

#[test]
fn what_runners_print_is_read_as_it_was() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/closings");
    let text = fs::read_to_string(dir.join("index.toml")).expect("it is there");
    let Index { output: all } = toml::from_str(&text).expect("it reads");
    let runs = Runs::shipped();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let (mut strangers, mut selected) = (Vec::new(), Vec::new());
    for output in &all {
        let runner = output.file.split('/').next().unwrap_or_default().to_owned();
        let score = scores.entry(runner).or_default();
        score.outputs += 1;
        let read = runs.recognise(&output.command);
        let Some(run) = read.run() else {
            if NO_RUNS.iter().any(|program| output.command.starts_with(program)) {
                continue;
            }
            strangers.push(format!("{} ({})", output.command, output.file));
            continue;
        };
        let printed = fs::read_to_string(dir.join(&output.file)).expect("it is there");
        match fault(output, run, &printed) {
            Ok(false) => score.unknown.push(output.file.clone()),
            Err(why) if output.exit == 0 || !why.contains("nothing ran") => score.wrong.push(why),
            Ok(true) | Err(_) => {}
        }
        let is_part = runs.part(&output.command).is_some();
        let is_too_little = is_part && TOO_LITTLE.contains(&output.command.as_str());
        if is_part != (output.selects != "all") && !is_too_little {
            selected.push(format!("{} selects {}", output.command, output.selects));
        }
    }
    for (runner, score) in &scores {
        println!(
            "{runner}: {} outputs, {} unknown, {} wrong",
            score.outputs,
            score.unknown.len(),
            score.wrong.len()
        );
        for fault in score.wrong.iter().chain(&score.unknown) {
            println!("    {fault}");
        }
    }
    println!("\nno run of tests: {strangers:#?}\n\nselected otherwise: {selected:#?}");
    assert!(scores.values().all(|score| score.wrong.is_empty()));
    assert!(strangers.is_empty() && selected.is_empty());
}
