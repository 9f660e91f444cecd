//! Plans: the pointer, the Stage that follows from it, and the counting rule.
//!
//! The pointer is set once, in the first cycle's plan phase; the Stage is computed
//! from it. How many cycles a job has is read from the plan document, which lives in the
//! work tree during the first cycle and is frozen from the second one on: what was
//! accepted then is what counts, whatever lies in the work tree later.

pub(crate) mod document;
pub(crate) mod yaml;

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
    /// The document that counts from the second cycle on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Accepted>,
    /// The document has words for the phase where the job stands.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub injects: bool,
}

/// A plan document as it was accepted; its bytes stand in a file of the job's tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// What its bytes are known by.
    pub hash: String,
    /// The cycles that it declares.
    pub total: u32,
    /// What the cycle found instead of it when it began, where it found something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// Why a plan document in the work tree does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// It was changed between two cycles, and counts from this one on.
    Changed,
    /// It is not there, or is no plain file.
    Gone,
    /// It has faults.
    Faulty,
    /// It declares fewer cycles than the one that began.
    Short,
}

/// What lies where the plan document should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    Gone,
    Faulty,
    Sound { hash: String, total: u32 },
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
    /// A document in YAML of this name, with words for phases.
    Yaml(String),
}

/// The most bytes of a document's name.
const MOST_NAME: usize = 100;

/// A plan document's name that is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadPointer {
    #[error(
        "`{0}` names no plan document; give `false` or a short name that ends in .md or .yaml, \
         without a folder"
    )]
    Name(String),
    #[error("the plan document was decided already: {0}; the decision holds for the whole job")]
    Decided(String),
}

impl Pointer {
    /// Reads the argument of `set-plan-file`.
    pub(crate) fn read(argument: &str) -> Result<Self, BadPointer> {
        let odd = |c: char| c.is_control() || matches!(c, '/' | '\\');
        let sound =
            argument.len() <= MOST_NAME && argument.trim() == argument && !argument.contains(odd);
        let ending = |ending: &str| {
            sound && argument.strip_suffix(ending).is_some_and(|stem| !stem.trim().is_empty())
        };
        match argument {
            "false" => Ok(Self::No),
            _ if ending(".md") => Ok(Self::Markdown(argument.to_owned())),
            _ if ending(".yaml") => Ok(Self::Yaml(argument.to_owned())),
            _ => Err(BadPointer::Name(argument.to_owned())),
        }
    }

    /// The pointer as it was given; `None` while undecided.
    pub(crate) fn given(&self) -> Option<&str> {
        match self {
            Self::Undecided => None,
            Self::No => Some("false"),
            Self::Markdown(name) | Self::Yaml(name) => Some(name),
        }
    }

    /// 0 undecided, 1 single cycle, 2 Markdown, 3 YAML.
    pub(crate) fn stage(&self) -> u32 {
        match self {
            Self::Undecided => 0,
            Self::No => 1,
            Self::Markdown(_) => 2,
            Self::Yaml(_) => 3,
        }
    }

    /// The document's path in the work tree.
    pub(crate) fn path(&self, job: &str) -> Option<String> {
        match self {
            Self::Markdown(_) => Some(format!(".claude/jobs/{job}/plan.md")),
            Self::Yaml(_) => Some(format!(".claude/jobs/{job}/plan.yaml")),
            Self::Undecided | Self::No => None,
        }
    }

    /// Where a document of earlier days may lie instead.
    pub(crate) fn old_path(&self) -> Option<String> {
        match self {
            Self::Markdown(name) | Self::Yaml(name) => {
                Some(format!(".claude/knowledge/plans/{name}"))
            }
            Self::Undecided | Self::No => None,
        }
    }
}

impl Plan {
    /// The last cycle of the run, given what the document declares.
    pub(crate) fn effective_last_cycle(&self, total: Option<u32>) -> Option<u32> {
        let base = match &self.pointer {
            Pointer::Undecided => return None,
            Pointer::No => 1,
            Pointer::Markdown(_) | Pointer::Yaml(_) => total?,
        };
        Some(base.saturating_add(self.extension_cycles_added))
    }

    /// Says whether the job may end in `cycle`. Without a document it always may.
    pub fn eligible(&self, cycle: u32, total: Option<u32>) -> bool {
        match &self.pointer {
            Pointer::No => true,
            _ => self.effective_last_cycle(total).is_some_and(|last| cycle >= last),
        }
    }

    /// The first cycle ends with this document: it is the one that counts from now on. Says
    /// whether it was taken.
    pub(crate) fn accept(&mut self, cycle: u32, hash: String, total: u32) -> bool {
        let first = cycle <= 1 || self.accepted.is_none();
        if first {
            self.accepted = Some(Accepted { hash, total, found: None });
        }
        first
    }

    /// `cycle` began and found this. A sound document takes the place of the accepted one,
    /// unless it has fewer cycles than have begun; says whether it did.
    pub(crate) fn find(&mut self, cycle: u32, lies: Lies) -> bool {
        let last = |total: u32| total.saturating_add(self.extension_cycles_added);
        let Some(accepted) = self.frozen(cycle) else { return false };
        let (found, new) = match lies {
            Lies::Gone => (Some(Found::Gone), None),
            Lies::Sound { hash, .. } if hash == accepted.hash => (None, None),
            Lies::Faulty => (Some(Found::Faulty), None),
            Lies::Sound { total, .. } if last(total) < cycle => (Some(Found::Short), None),
            Lies::Sound { hash, total } => (Some(Found::Changed), Some((hash, total))),
        };
        let taken = new.is_some();
        let (hash, total) = new.unwrap_or_else(|| (accepted.hash.clone(), accepted.total));
        self.accepted = Some(Accepted { hash, total, found });
        taken
    }

    /// The accepted document, where it counts: the first cycle of a run writes and proves
    /// its own.
    pub(crate) fn frozen(&self, cycle: u32) -> Option<&Accepted> {
        self.accepted.as_ref().filter(|_| cycle > 1)
    }

    /// Decides the pointer; the same decision again is fine.
    pub(crate) fn decide(&mut self, pointer: Pointer) -> Result<(), BadPointer> {
        if self.pointer != Pointer::Undecided && self.pointer != pointer {
            return Err(BadPointer::Decided(self.pointer.given().unwrap_or_default().to_owned()));
        }
        self.pointer = pointer;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_counting_rule() {
        let plan = |pointer: Pointer, added| Plan {
            pointer,
            extension_cycles_added: added,
            ..Plan::default()
        };
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

    /// What happens to a plan in a run, as far as counting goes.
    #[derive(Clone, Debug)]
    enum Happens {
        Decides(u8),
        /// The document says so; `None` where it is gone or does not read.
        Says(Option<u32>),
        Adds,
        /// The cycle ends, and the next one begins.
        Ends,
        /// The job is taken up again: a new run.
        Again,
    }

    fn happens() -> impl Strategy<Value = Happens> {
        prop_oneof![
            (0_u8..3).prop_map(Happens::Decides),
            proptest::option::of(1_u32..6).prop_map(Happens::Says),
            Just(Happens::Adds),
            Just(Happens::Ends),
            Just(Happens::Ends),
            Just(Happens::Again),
        ]
    }

    proptest! {
        /// The rule, told a second time with nothing but numbers, over random lives: what was
        /// accepted when the first cycle ended counts on whatever the file says, a run begins
        /// its added cycles anew, and a job without a document may always end.
        #[test]
        fn the_counting_rule_holds_over_whole_lives(life in proptest::collection::vec(happens(),
            0..40)) {
            let mut plan = Plan::default();
            let (mut cycle, mut disk) = (1_u32, None);
            let (mut kind, mut counts, mut added) = (None, None, 0_u32);
            for one in life {
                match one {
                    Happens::Decides(n) => {
                        let name = ["false", "p.md", "p.yaml"][usize::from(n)];
                        let done = plan.decide(Pointer::read(name).expect("a name"));
                        prop_assert_eq!(done.is_ok(), kind.is_none() || kind == Some(n));
                        kind = kind.or(Some(n));
                    }
                    Happens::Says(total) => disk = total,
                    Happens::Adds => {
                        plan.extension_cycles_added += 1;
                        added += 1;
                    }
                    Happens::Ends => {
                        let lies = |total: Option<u32>| total
                            .map_or(Lies::Gone, |total| Lies::Sound {
                            hash: total.to_string(),
                            total,
                        });
                        if let Some(total) = disk.filter(|_| kind > Some(0)) {
                            plan.accept(cycle, total.to_string(), total);
                        }
                        plan.find(cycle + 1, lies(disk));
                        // The plain telling: the first one that was there, then the newest that
                        // reaches this far.
                        if kind > Some(0) && (cycle == 1 || counts.is_none()) {
                            counts = disk.or(counts);
                        }
                        cycle += 1;
                        if let (Some(total), Some(_)) = (disk, counts)
                            && total + added >= cycle
                        {
                            counts = Some(total);
                        }
                    }
                    Happens::Again => {
                        plan.extension_cycles_added = 0;
                        (cycle, added) = (1, 0);
                    }
                }
                let total = plan.frozen(cycle).map(|accepted| accepted.total).or(disk);
                let plain = if cycle > 1 && counts.is_some() { counts } else { disk };
                let last = match kind {
                    None => None,
                    Some(0) => Some(1 + added),
                    Some(_) => plain.map(|total| total + added),
                };
                prop_assert_eq!(plan.effective_last_cycle(total), last);
                let may = kind == Some(0) || last.is_some_and(|last| cycle >= last);
                prop_assert_eq!(plan.eligible(cycle, total), may);
            }
        }
    }

    #[test]
    fn the_pointer_is_set_once() {
        let mut plan = Plan::default();
        plan.decide(Pointer::No).expect("the first decision");
        plan.decide(Pointer::No).expect("the same again");
        assert!(plan.decide(Pointer::Markdown("plan_x.md".into())).is_err());
        for bad in [
            "", ".md", "a/b.md", "plan.txt", "true", "plan.yml", ".yaml", " .md", "a\nb.md",
            " a.md",
        ] {
            assert!(Pointer::read(bad).is_err(), "{bad}");
        }
        let long = |stem: usize| Pointer::read(&format!("{}.md", "a".repeat(stem)));
        assert!(long(97).is_ok() && long(98).is_err());
    }
}
