//! Lines in `refs/notes/seed`: what a phase commit meant.
//!
//! A line is `<key> <number> <text>`: the key of its record, two digits, and words for people or,
//! with the number 99, one JSON object that holds all that a program needs. So a note survives
//! being sorted, doubled and joined (`cat_sort_uniq`): the lines of a record stay together and in
//! their order, its JSON below its words.
//!
//! Earlier versions wrote `git seed: <words>`, four spaces and the lines of a message, and
//! `<key> <kind> {json}`. Such lines are read for good and never written.

use std::iter::once;

use serde_json::Value;

use super::state::Unclaimed;
use super::trailers::StepTrailers;
use crate::jobs::UnixSeconds;

/// How many digits of a record's id begin its lines.
const KEY: usize = 12;

/// The number of the words of an undo, below those of the step itself.
const UNDONE: usize = 98;

/// The number of the line for programs.
const MACHINE: usize = 99;

/// A record as its line holds it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) key: String,
    /// Such as `step`.
    pub(crate) kind: String,
    /// The JSON object without its `kind`.
    pub(crate) said: Value,
}

impl Record {
    /// A record of this kind; a longer id is named in full by `said` where that matters.
    pub(crate) fn new(id: &str, kind: &str, said: Value) -> Record {
        Record { key: key(id).to_owned(), kind: kind.to_owned(), said }
    }

    /// The line that holds it.
    pub(crate) fn line(&self) -> String {
        let mut json = serde_json::json!({ "kind": self.kind });
        if let (Value::Object(json), Value::Object(said)) = (&mut json, &self.said) {
            json.extend(said.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        numbered(&self.key, MACHINE, &json.to_string())
    }

    /// The record of a line, also of one that an earlier version wrote.
    pub(crate) fn read(line: &str) -> Option<Record> {
        let mut words = line.splitn(3, ' ');
        let (id, second, text) = (words.next()?, words.next()?, words.next()?);
        let is_plain = |word: &str, allowed: fn(&u8) -> bool| {
            !word.is_empty() && word.as_bytes().iter().all(allowed)
        };
        if !is_plain(id, u8::is_ascii_alphanumeric) || !text.starts_with('{') {
            return None;
        }
        let Ok(Value::Object(mut said)) = serde_json::from_str(text) else { return None };
        let kind = if second == MACHINE.to_string() {
            said.shift_remove("kind")?.as_str()?.to_owned()
        } else if is_plain(second, u8::is_ascii_lowercase) {
            if id.len() > KEY {
                said.insert("record".to_owned(), Value::from(id));
            }
            second.to_owned()
        } else {
            return None;
        };
        Some(Record::new(id, &kind, Value::Object(said)))
    }

    /// A value of the record that is a word.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.said[name].as_str()
    }
}

fn key(id: &str) -> &str {
    id.get(..KEY).unwrap_or(id)
}

fn numbered(key: &str, number: usize, text: &str) -> String {
    format!("{key} {number:02} {text}")
}

/// The record of a step on its phase commit. A message that says that nothing is outstanding
/// does so here; in the commit the section is left out. What nobody claims stands in it by path and
/// blob, as it lay in the tree then.
pub(crate) fn step_record(
    step: &StepTrailers,
    nothing_left: bool,
    unclaimed: &[Unclaimed],
    at: UnixSeconds,
) -> Record {
    let mut said = serde_json::json!({
        "at": at, "job": step.job, "run": step.run, "cycle": step.cycle, "phase": step.phase,
        "step": step.step,
    });
    if nothing_left {
        said["outstanding"] = serde_json::json!("none");
    }
    if !unclaimed.is_empty() {
        said["unclaimed"] = serde_json::json!(unclaimed);
    }
    Record::new(&step.id, STEP, said)
}

const STEP: &str = "step";
const LAND: &str = "land";
const ATTEST: &str = "attest";

/// A step in words, one line each: what it was, and the `message` of a step that made no commit,
/// which stands nowhere else on the branch.
pub(crate) fn told(
    step: &StepTrailers,
    nothing_left: bool,
    unclaimed: &[Unclaimed],
    message: Option<&str>,
) -> Vec<String> {
    let run = if step.run > 1 { format!(", run {}", step.run) } else { String::new() };
    let mut said = format!("{}, cycle {}{run}.", step.step, step.cycle);
    if nothing_left {
        said.push_str(" Nothing is outstanding.");
    }
    if !unclaimed.is_empty() {
        let paths: Vec<&str> = unclaimed.iter().map(|one| one.path.as_str()).collect();
        said.push_str(&format!(" No call accounts for: {}.", paths.join(", ")));
    }
    let lines = message.into_iter().flat_map(str::lines).filter(|line| !line.trim().is_empty());
    // A path may hold anything; a line of a note is one line.
    let plain = |line: String| line.replace(['\n', '\r', '\0'], "?");
    once(said).chain(lines.map(|line| line.trim_end().to_owned())).map(plain).collect()
}

/// The lines of a step's words. There are numbers for 97 of them: the last one takes the rest.
pub(crate) fn words(id: &str, told: &[String]) -> Vec<String> {
    let most = UNDONE - 1;
    let (each, rest) = told.split_at(told.len().min(most - 1));
    let rest = (!rest.is_empty()).then(|| rest.join(" "));
    let all = each.iter().cloned().chain(rest);
    (1..).zip(all).map(|(number, text)| numbered(key(id), number, &text)).collect()
}

/// How lines of people began in earlier versions; those of a message followed, indented.
const SAID: &str = "git seed: ";
const INDENT: &str = "    ";

/// The words of a line that is git seed's to write.
pub(crate) fn words_of(line: &str) -> Option<&str> {
    if let Some(earlier) = line.strip_prefix(SAID).or_else(|| line.strip_prefix(INDENT)) {
        return Some(earlier);
    }
    let mut words = line.splitn(3, ' ');
    let (id, number) = (words.next()?, words.next()?);
    let is_number = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_key(id) && is_number && number != MACHINE.to_string()).then(|| words.next().unwrap_or(""))
}

/// The line should be a record for programs, and does not read.
pub(crate) fn is_torn(line: &str) -> bool {
    let torn = |(id, text): (&str, &str)| is_key(id) && text.starts_with(&MACHINE.to_string());
    line.split_once(' ').is_some_and(torn) && !is_record(line)
}

fn is_key(id: &str) -> bool {
    id.len() == KEY && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The line is a record for programs.
pub(crate) fn is_record(line: &str) -> bool {
    Record::read(line).is_some()
}

/// The Seed-Id and the job of a step's line.
pub(crate) fn step_of(line: &str) -> Option<(String, String)> {
    let record = Record::read(line).filter(|record| record.kind == STEP)?;
    let job = record.word("job")?.to_owned();
    Some((record.key, job))
}

/// That a commit stands for those of steps, in words and as a record; `id` is the last of them.
pub(crate) fn landed(id: &str, job: &str, steps: &[&str], at: UnixSeconds) -> Vec<String> {
    let said = serde_json::json!({ "at": at, "job": job, "steps": steps });
    vec![numbered(key(id), 1, &landed_words(job, steps.len())), Record::new(id, LAND, said).line()]
}

fn landed_words(job: &str, commits: usize) -> String {
    let plural = if commits == 1 { "" } else { "s" };
    format!("landed: stands for {commits} commit{plural} of job {job}.")
}

/// The words that a person undid the step of a commit, or did it again.
pub(crate) fn undone_words(undone: bool) -> String {
    let word = if undone { "undone" } else { "done again" };
    format!("{word} by a person; the commit stays.")
}

/// The same with its record.
pub(crate) fn undone(id: &str, job: &str, undone: bool, at: UnixSeconds) -> Vec<String> {
    let word = if undone { "undone" } else { "redone" };
    let record = Record::new(id, word, serde_json::json!({ "at": at, "job": job }));
    vec![numbered(key(id), UNDONE, &undone_words(undone)), record.line()]
}

/// The job that a line of a note leads to, where it is a step's or a landing's.
pub(crate) fn job_of(line: &str) -> Option<String> {
    let record = Record::read(line)?;
    [STEP, LAND].contains(&record.kind.as_str()).then(|| record.word("job").map(str::to_owned))?
}

/// The record that a commit went through our hook.
pub(crate) fn attest_line(id: &str, commit: &str) -> String {
    Record::new(id, ATTEST, serde_json::json!({ "commit": commit })).line()
}

/// The line is such a record.
pub(crate) fn is_attest(line: &str) -> bool {
    Record::read(line).is_some_and(|record| record.kind == ATTEST)
}

/// The record that the step's commit is another one now.
pub(crate) fn rewritten_line(id: &str, from: &str, commit: &str) -> String {
    Record::new(id, "rewritten", serde_json::json!({ "from": from, "commit": commit })).line()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step() -> StepTrailers {
        StepTrailers {
            step: "observe -> plan".to_owned(),
            job: "j".to_owned(),
            run: 2,
            cycle: 1,
            id: "4f0000000001".to_owned(),
            ..StepTrailers::default()
        }
    }

    #[test]
    fn words_are_one_line_each_and_no_records() {
        let odd = Unclaimed { path: "a\nb step {".to_owned(), ..Unclaimed::default() };
        let message = Some("What I saw\n\n4f0000000001 99 {\"kind\":\"step\"}\n");
        let told = told(&step(), true, &[odd], message);
        let said = words("4f0000000001", &told);
        assert_eq!(
            said,
            [
                "4f0000000001 01 observe -> plan, cycle 1, run 2. Nothing is outstanding. No call \
                 accounts for: a?b step {.",
                "4f0000000001 02 What I saw",
                "4f0000000001 03 4f0000000001 99 {\"kind\":\"step\"}",
            ]
        );
        assert!(said.iter().all(|line| !is_record(line)), "{said:?}");
        let texts: Vec<&str> = said.iter().filter_map(|line| words_of(line)).collect();
        assert_eq!(texts, told, "a reader finds the words again");
    }

    #[test]
    fn lines_of_a_record_sort_into_their_order() {
        let id = "4f0000000001";
        let long: String = (0..200).map(|n| format!("line {n}\n")).collect();
        let mut lines = words(id, &told(&step(), false, &[], Some(&long)));
        assert_eq!(lines.len(), 97);
        assert!(lines.iter().all(|line| words_of(line).is_some()), "{lines:?}");
        assert!(lines[96].contains("line 95 line 96 ") && lines[96].ends_with("line 199"));
        lines.extend(undone(id, "j", true, 7));
        lines.push(step_record(&step(), true, &[], 7).line());
        let mut sorted = lines.clone();
        sorted.sort();
        assert_eq!(sorted[..98], lines[..98]);
        assert!(sorted[98..].iter().all(|line| is_record(line)), "{sorted:?}");
    }

    #[test]
    fn records_read_as_they_were_written() {
        let step = step_record(&step(), true, &[], 7);
        assert_eq!(Record::read(&step.line()), Some(step.clone()));
        assert_eq!(step_of(&step.line()), Some(("4f0000000001".to_owned(), "j".to_owned())));
        let [said, record] = &landed("4f0000000001", "j", &["1", "2"], 7)[..] else { panic!() };
        assert_eq!(words_of(said), Some("landed: stands for 2 commits of job j."));
        assert_eq!((job_of(record).as_deref(), job_of(said)), (Some("j"), None));
        assert!(is_attest(&attest_line("4f", "aa")) && !is_attest(&step.line()));
        assert!(is_record(&rewritten_line("4f", "a", "b")));
        for torn in ["4f0000000001 99 {", "4f0000000001 99", "4f0000000001 99 {}"] {
            assert!(is_torn(torn) && words_of(torn).is_none(), "{torn}");
        }
        assert!(!is_torn(&step.line()) && !is_torn("by hand") && !is_torn(said));
        for other in ["by hand", "k1 one", "", "4f 99 {", "4f 99 {}", "4f 98 {\"kind\":\"a\"}"] {
            assert!(!is_record(other), "{other}");
        }
    }

    #[test]
    fn lines_of_earlier_versions_are_read() {
        let long = "f339f3f02bb820641360536914b609f43330b27d";
        let earlier = [
            "4f0000000001 step {\"at\":7,\"job\":\"j\"}".to_owned(),
            format!("{long} claim {{\"n\":3}}"),
        ];
        let now = earlier.map(|line| Record::read(&line).expect("a record"));
        assert_eq!(
            now.each_ref().map(Record::line),
            [
                "4f0000000001 99 {\"kind\":\"step\",\"at\":7,\"job\":\"j\"}".to_owned(),
                format!("{} 99 {{\"kind\":\"claim\",\"n\":3,\"record\":\"{long}\"}}", &long[..12]),
            ]
        );
        assert_eq!(words_of("git seed: landed."), Some("landed."));
        assert_eq!(words_of("    What I saw"), Some("What I saw"));
        assert_eq!(words_of("by hand"), None);
        assert_eq!(words_of("somebody's 01 list"), None);
    }
}
