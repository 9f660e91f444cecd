//! What a job is called, and what it is for, as the head of a boundary message says it.
//!
//! `name: <one line>` and `objective: <text up to an empty line or a heading>`, in any order,
//! before anything else. What stands below them is the message.

use super::{BadText, Job, check_name, check_objective};

/// A name, an objective, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Naming {
    pub name: Option<String>,
    pub objective: Option<String>,
}

impl Naming {
    /// What the head of `text` says, and the text below it.
    ///
    /// # Errors
    ///
    /// A name or an objective that no job may have.
    pub(crate) fn at_head(text: &str) -> Result<(Self, &str), BadText> {
        let mut naming = Self::default();
        let mut rest = text;
        loop {
            let below = rest.trim_start();
            if let Some(said) = behind(below, "name") {
                let (line, after) = said.split_once('\n').unwrap_or((said, ""));
                naming.name = Some(check_name(line)?.to_owned());
                rest = after;
            } else if let Some(said) = behind(below, "objective") {
                let (said, after) = said.split_at(end_of_paragraph(said));
                naming.objective = Some(check_objective(said)?.to_owned());
                rest = after;
            } else if naming == Self::default() {
                return Ok((naming, text));
            } else {
                return Ok((naming, below));
            }
        }
    }

    /// Gives them to `job`; what was not said stays as it is.
    pub(crate) fn give(self, job: &mut Job) {
        if let Some(name) = self.name {
            job.name = name;
            job.provisional = false;
        }
        if let Some(objective) = self.objective {
            job.objective = objective;
        }
    }
}

/// What stands behind `key:` at the beginning of `text`.
fn behind<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(key.len())?;
    rest.strip_prefix(':').filter(|_| head.eq_ignore_ascii_case(key))
}

/// Where the paragraph ends that `text` begins with; its first line may be empty.
fn end_of_paragraph(text: &str) -> usize {
    let mut at = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let named = behind(line, "name").is_some();
        let ends = line.trim().is_empty() || line.starts_with('#') || named;
        if n > 0 && ends {
            break;
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_message_names_the_job() {
        for (text, name, objective, rest) in [
            ("seen\n\n## What", None, None, "seen\n\n## What"),
            ("name: keep escapes\nseen", Some("keep escapes"), None, "seen"),
            ("Name: a b\nObjective: one\ntwo\n\nseen", Some("a b"), Some("one\ntwo"), "seen"),
            ("objective:\nall\nname: a b\n\n## What", Some("a b"), Some("all"), "## What"),
            ("objective: x\n## What I Observed", None, Some("x"), "## What I Observed"),
            ("\n\nname: a\n\n\nobjective: b", Some("a"), Some("b"), ""),
            ("names: none\nobjectively so", None, None, "names: none\nobjectively so"),
        ] {
            let (naming, below) = Naming::at_head(text).expect(text);
            let found = (naming.name.as_deref(), naming.objective.as_deref(), below);
            assert_eq!(found, (name, objective, rest), "{text:?}");
        }
        assert!(Naming::at_head("name:\nseen").is_err(), "a name has words");
        assert!(Naming::at_head(&format!("objective: {}", "word ".repeat(501))).is_err());
    }
}
