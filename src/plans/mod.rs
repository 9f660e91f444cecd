//! Plans: the pointer, the Stage that follows from it, and the counting rule.
//!
//! The pointer is set once, in the first cycle's plan phase; the Stage is computed
//! from it. How many cycles a job has is read from the plan document's front matter.

use serde::{Deserialize, Serialize};

/// What was decided about a plan document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    #[serde(default)]
    pub pointer: Pointer,
    /// Cycles added in this run.
    #[serde(default)]
    pub extension_cycles_added: u32,
    /// How many reasons for added cycles are kept beside the record, over all runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contexts: u32,
    /// The reasons themselves, in older records alone: the next step moves them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_contexts: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The pointer to a plan document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pointer {
    /// Nothing decided; the first plan phase does it.
    #[default]
    Undecided,
    /// One cycle, no document.
    No,
    /// A Markdown document of this name.
    Markdown(String),
}

/// A plan document's name that is none.
#[derive(Debug, thiserror::Error)]
pub enum BadPointer {
    #[error("`{0}` names no plan document; give `false` or a name that ends in .md, without a folder")]
    Name(String),
    #[error("plan documents in YAML are not read yet; give `false` or a name that ends in .md")]
    Yaml,
    #[error("the plan document was decided already: {0}; the decision holds for the whole job")]
    Decided(String),
}

impl Pointer {
    /// Reads the argument of `set-plan-file`.
    pub fn read(argument: &str) -> Result<Self, BadPointer> {
        let ending = |ending: &str| {
            argument.strip_suffix(ending).is_some_and(|stem| !stem.is_empty() && !stem.contains(['/', '\\']))
        };
        match argument {
            "false" => Ok(Self::No),
            _ if ending(".md") => Ok(Self::Markdown(argument.to_owned())),
            _ if ending(".yaml") => Err(BadPointer::Yaml),
            _ => Err(BadPointer::Name(argument.to_owned())),
        }
    }

    /// The pointer as it was given; `None` while undecided.
    pub fn given(&self) -> Option<&str> {
        match self {
            Self::Undecided => None,
            Self::No => Some("false"),
            Self::Markdown(name) => Some(name),
        }
    }

    /// 0 undecided, 1 single cycle, 2 Markdown.
    pub fn stage(&self) -> u32 {
        match self {
            Self::Undecided => 0,
            Self::No => 1,
            Self::Markdown(_) => 2,
        }
    }

    /// The document's path in the work tree.
    pub fn path(&self, job: &str) -> Option<String> {
        match self {
            Self::Markdown(_) => Some(format!(".claude/jobs/{job}/plan.md")),
            Self::Undecided | Self::No => None,
        }
    }
}

/// What a plan document's front matter says.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadDocument {
    #[error("the plan document has no front matter; begin it with `---`, `total_cycles: <n>`, `---`")]
    NoFrontMatter,
    #[error("the plan document's front matter has no `total_cycles: <n>`")]
    NoTotal,
    #[error("line {line}: `total_cycles: {value}` is no positive whole number")]
    BadTotal { line: usize, value: String },
}

/// The number of cycles that a Markdown plan document declares.
pub fn total_cycles(document: &str) -> Result<u32, BadDocument> {
    let mut lines = document.trim_start_matches('\u{feff}').lines().enumerate();
    if !matches!(lines.next(), Some((_, line)) if line.trim_end() == "---") {
        return Err(BadDocument::NoFrontMatter);
    }
    for (n, line) in lines {
        if line.trim_end() == "---" {
            return Err(BadDocument::NoTotal);
        }
        let Some(value) = line.strip_prefix("total_cycles:") else { continue };
        let value = value.trim();
        return match value.parse() {
            Ok(total) if total > 0 => Ok(total),
            _ => Err(BadDocument::BadTotal { line: n + 1, value: value.to_owned() }),
        };
    }
    Err(BadDocument::NoFrontMatter)
}

impl Plan {
    /// The last cycle of the run, given what the document declares.
    pub fn effective_last_cycle(&self, total: Option<u32>) -> Option<u32> {
        let base = match &self.pointer {
            Pointer::Undecided => return None,
            Pointer::No => 1,
            Pointer::Markdown(_) => total?,
        };
        Some(base + self.extension_cycles_added)
    }

    /// Says whether the job may end in `cycle`. Without a document it always may.
    pub fn eligible(&self, cycle: u32, total: Option<u32>) -> bool {
        match &self.pointer {
            Pointer::No => true,
            _ => self.effective_last_cycle(total).is_some_and(|last| cycle >= last),
        }
    }

    /// Decides the pointer; the same decision again is fine.
    pub fn decide(&mut self, pointer: Pointer) -> Result<(), BadPointer> {
        if self.pointer != Pointer::Undecided && self.pointer != pointer {
            return Err(BadPointer::Decided(self.pointer.given().unwrap_or_default().to_owned()));
        }
        self.pointer = pointer;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counting_rule() {
        let plan =
            |pointer: Pointer, added| Plan { pointer, extension_cycles_added: added, ..Plan::default() };
        let md = || Pointer::Markdown("plan_x.md".to_owned());
        // plan, total, cycle, last, eligible
        let cases = [
            (plan(Pointer::Undecided, 0), None, 1, None, false),
            (plan(Pointer::No, 0), None, 1, Some(1), true),
            (plan(Pointer::No, 2), None, 1, Some(3), true),
            (plan(md(), 0), Some(3), 2, Some(3), false),
            (plan(md(), 0), Some(3), 3, Some(3), true),
            (plan(md(), 1), Some(3), 3, Some(4), false),
            (plan(md(), 0), None, 3, None, false),
        ];
        for (plan, total, cycle, last, eligible) in cases {
            assert_eq!(plan.effective_last_cycle(total), last, "{plan:?}");
            assert_eq!(plan.eligible(cycle, total), eligible, "{plan:?} in cycle {cycle}");
        }
    }

    #[test]
    fn the_total_is_read_from_the_front_matter() {
        for (text, total) in [
            ("---\njob: x\ntotal_cycles: 3\n---\nbody", Ok(3)),
            ("\u{feff}---\r\ntotal_cycles: 12\r\n---\r\n", Ok(12)),
            ("total_cycles: 3", Err(BadDocument::NoFrontMatter)),
            ("---\njob: x\n---\ntotal_cycles: 3", Err(BadDocument::NoTotal)),
            ("---\ntotal_cycles: 0\n---\n", Err(BadDocument::BadTotal { line: 2, value: "0".into() })),
            ("---\ntotal_cycles: 1.5\n---\n", Err(BadDocument::BadTotal { line: 2, value: "1.5".into() })),
            ("", Err(BadDocument::NoFrontMatter)),
        ] {
            assert_eq!(total_cycles(text), total, "{text:?}");
        }
    }

    #[test]
    fn the_pointer_is_set_once() {
        let mut plan = Plan::default();
        plan.decide(Pointer::No).expect("the first decision");
        plan.decide(Pointer::No).expect("the same again");
        assert!(plan.decide(Pointer::Markdown("plan_x.md".into())).is_err());
        for bad in ["", ".md", "a/b.md", "plan.txt", "true", "plan.yaml"] {
            assert!(Pointer::read(bad).is_err(), "{bad}");
        }
    }
}
