//! Lines in `refs/notes/seed`: what a phase commit meant.
//!
//! One self-contained line per record, the sortable key first, so that merging by
//! `cat_sort_uniq` and joining by concatenation do no harm.

use super::state::Unclaimed;
use super::trailers::StepTrailers;
use crate::jobs::UnixSeconds;

/// The record of a step on its phase commit. A message that says that nothing is outstanding
/// does so here; in the commit the section is left out. What nobody claims stands in it by path and
/// blob, as it lay in the tree then.
pub(crate) fn step_line(
    step: &StepTrailers,
    nothing_left: bool,
    unclaimed: &[Unclaimed],
    at: UnixSeconds,
) -> String {
    let mut record = serde_json::json!({
        "at": at, "job": step.job, "run": step.run, "cycle": step.cycle, "phase": step.phase,
        "step": step.step,
    });
    if nothing_left {
        record["outstanding"] = serde_json::json!("none");
    }
    if !unclaimed.is_empty() {
        record["unclaimed"] = serde_json::json!(unclaimed);
    }
    format!("{} step {record}", step.id)
}

/// How lines begin that say a step in words; those of its message follow, indented.
const SAID: &str = "git seed: ";

const INDENT: &str = "    ";

/// A step in words, for who reads `git log --notes=seed`. The `message` of a step that made no
/// commit stands nowhere else on the branch.
pub(crate) fn words(
    step: &StepTrailers,
    nothing_left: bool,
    unclaimed: &[Unclaimed],
    message: Option<&str>,
) -> Vec<String> {
    let run = if step.run > 1 { format!(", run {}", step.run) } else { String::new() };
    let mut said = format!("{SAID}{}, cycle {}{run}.", step.step, step.cycle);
    if nothing_left {
        said.push_str(" Nothing is outstanding.");
    }
    if !unclaimed.is_empty() {
        let paths: Vec<&str> = unclaimed.iter().map(|one| one.path.as_str()).collect();
        said.push_str(&format!(" No call accounts for: {}.", paths.join(", ")));
    }
    let lines = message.into_iter().flat_map(str::lines).filter(|line| !line.trim().is_empty());
    let lines = lines.map(|line| format!("{INDENT}{}", line.trim_end()));
    // A path may hold anything; a line of a note is one line.
    std::iter::once(said).chain(lines).map(|line| line.replace(['\n', '\r', '\0'], "?")).collect()
}

/// The line is git seed's to write: words of a step or of its message.
pub(crate) fn is_words(line: &str) -> bool {
    line.starts_with(SAID) || line.starts_with(INDENT)
}

/// The line is a record for machines, which stand below all words.
pub(crate) fn is_record(line: &str) -> bool {
    let mut words = line.splitn(3, ' ');
    let id = words.next().is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let plain = |kind: &str| !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase());
    let kind = words.next().is_some_and(plain);
    id && kind && words.next().is_some_and(|record| record.starts_with('{'))
}

/// The Seed-Id and the job of a step's line.
pub(crate) fn step_of(line: &str) -> Option<(&str, String)> {
    let (id, record) = line.split_once(" step ")?;
    let record: serde_json::Value = serde_json::from_str(record).ok()?;
    Some((id, record["job"].as_str()?.to_owned()))
}

/// The record that a commit stands for those of steps; `id` is the step of the landing.
pub(crate) fn land_line(id: &str, job: &str, steps: &[&str], at: UnixSeconds) -> String {
    format!("{id} land {}", serde_json::json!({ "at": at, "job": job, "steps": steps }))
}

/// The same in words.
pub(crate) fn land_words(job: &str, commits: usize) -> String {
    let plural = if commits == 1 { "" } else { "s" };
    format!("{SAID}landed: stands for {commits} commit{plural} of job {job}.")
}

/// The line in words that says that a person undid the step of a commit, or did it again.
pub(crate) fn undone_words(undone: bool) -> String {
    let word = if undone { "undone" } else { "done again" };
    format!("{SAID}{word} by a person; the commit stays.")
}

/// The same with its record.
pub(crate) fn undone(id: &str, job: &str, undone: bool, at: UnixSeconds) -> Vec<String> {
    let word = if undone { "undone" } else { "redone" };
    let record = format!("{id} {word} {}", serde_json::json!({ "at": at, "job": job }));
    vec![undone_words(undone), record]
}

/// The job that a line of a note leads to, where it is a step's or a landing's.
pub(crate) fn job_of(line: &str) -> Option<String> {
    let kinds = [" step ", " land "];
    let (_, record) = kinds.iter().find_map(|kind| line.split_once(kind))?;
    let record: serde_json::Value = serde_json::from_str(record).ok()?;
    Some(record["job"].as_str()?.to_owned())
}

/// The record that a commit went through our hook.
pub(crate) fn attest_line(id: &str, commit: &str) -> String {
    format!("{id} attest {}", serde_json::json!({ "commit": commit }))
}

/// The line is such a record.
pub(crate) fn is_attest(line: &str) -> bool {
    is_record(line) && line.split(' ').nth(1) == Some("attest")
}

/// The record that the step's commit is another one now.
pub(crate) fn rewritten_line(id: &str, from: &str, commit: &str) -> String {
    format!("{id} rewritten {}", serde_json::json!({ "from": from, "commit": commit }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_line_each_and_no_records() {
        let step = StepTrailers {
            step: "observe -> plan".to_owned(),
            run: 2,
            cycle: 1,
            id: "4f".to_owned(),
            ..StepTrailers::default()
        };
        let odd = Unclaimed { path: "a\nb step {".to_owned(), ..Unclaimed::default() };
        let said = words(&step, true, &[odd], Some("What I saw\n\n4f step {\"x\":1}\n"));
        assert_eq!(
            said,
            [
                "git seed: observe -> plan, cycle 1, run 2. Nothing is outstanding. No call \
                 accounts for: a?b step {.",
                "    What I saw",
                "    4f step {\"x\":1}",
            ]
        );
        assert!(said.iter().all(|line| is_words(line) && !is_record(line)), "{said:?}");
        let landed = land_line("4f", "j", &["1", "2"], 7);
        assert!(is_record(&landed) && is_words(&land_words("j", 2)), "{landed}");
        assert_eq!(job_of(&landed).as_deref(), Some("j"));
        assert_eq!(job_of(&land_words("j", 2)), None);
        let record = step_line(&step, true, &[], 7);
        assert!(is_record(&record) && !is_words(&record), "{record}");
        assert!(is_record(&attest_line("4f", "aa")) && is_record(&rewritten_line("4f", "a", "b")));
        assert!(!is_record("by hand") && !is_record("k1 one") && !is_record(""));
    }
}
