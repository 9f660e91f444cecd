//! The gate: what a claim is worth, decided from what the repository and the hooks show.
//!
//! [`judge`] is a function of its two arguments and nothing else: the same inquiry and the
//! same table give the same bytes on any machine, which is what a replay of the record
//! relies on. The agent's own words only ever cost it something; what earns a pass is the
//! difference in the repository and receipts of runs.

use serde::{Deserialize, Serialize};

pub use super::table::GateTable;
use super::{Directive, Inquiry};

/// The answer to an inquiry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Ruling {
    Claim(Box<ClaimAnswer>),
    Response(Box<ResponseAnswer>),
    Trace(Box<super::trace::TraceAnswer>),
}

/// The answer of `verify_claim`; whoever records it adds `audit` and `record`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimAnswer {
    pub directive: Directive,
    pub revision_reasons: Vec<String>,
    /// What of the gaps a person who is asked about the work is told by name; no part of a record.
    #[serde(skip)]
    pub points: Vec<String>,
    /// The one step that helps, where there are reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The reason that this step helps against: of the most severe ones the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Of tested and declared together.
    pub coverage: f64,
    /// The share of the affected items that were tested.
    pub declared_coverage: f64,
    pub evidence_weight: f64,
    /// What is missing, one line each.
    pub gaps: Vec<String>,
    pub untested_paths: Vec<String>,
    pub input_verification: InputVerification,
    pub require_tool: RequireTool,
    pub continuity_binding: ContinuityBinding,
    pub trust_evaluation: TrustEvaluation,
    pub confidence_fusion: ConfidenceFusion,
    pub physics: Physics,
    pub receipts: Vec<ReceiptRead>,
}

/// What the agent declared, beside what the repository shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputVerification {
    /// How far the declaration can be trusted.
    pub declaration_trust: f64,
    /// The share of the changed files that was declared.
    pub declaration_coverage: f64,
    /// How many files it is a share of.
    pub repo_surface_size: usize,
    pub missed_by_llm: Vec<String>,
    pub warnings: Vec<String>,
}

/// Whether somebody has to look first, and with what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequireTool {
    pub needed: bool,
    /// The facts that are stated, by the names of their rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    pub tool: Option<String>,
    pub why: Option<String>,
}

/// What the claim speaks of, and whether it was opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContinuityBinding {
    pub bound: bool,
    pub unopened: Vec<String>,
    /// Who says what was opened: `hooks`, `agent`, or `nobody`.
    pub source: String,
}

/// How far the claim is backed, against what it would cost to be wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustEvaluation {
    /// How far the claim is backed, from 0 to 1.
    pub trust: f64,
    /// What it would cost to be wrong, from 0 to 1.
    pub risk: f64,
}

/// What the confidence is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceFusion {
    /// The three below in one, from 0 to 1.
    pub confidence: f64,
    /// As in [`Physics::phi`].
    pub phi: f64,
    /// The share of what changed that was tested and declared, from 0 to 1.
    pub coverage: f64,
    /// The weight of the kind of evidence, from 0 to 1.
    pub evidence: f64,
}

/// The figures behind a ruling, without units; `gate.toml` has their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Physics {
    /// What valence, stability and arousal come to together.
    pub phi: f64,
    /// What the evidence leaves open, from 0 to 1.
    pub entropy: f64,
    /// How far the evidence speaks for the claim, or, below 0, against it.
    pub valence: f64,
    /// Rises with drift.
    pub arousal: f64,
    /// 1 less the entropy.
    pub stability: f64,
    /// How often recent claims were turned down or contradicted, from 0 to 1.
    pub drift: f64,
}

/// How a receipt was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptRead {
    pub id: String,
    pub command: String,
    pub reading: Reading,
}

/// What a receipt shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Tests passed on this code.
    Passed,
    /// Tests passed, and the code changed since.
    Stale,
    /// Tests failed.
    Failed,
    /// How it ended was not heard.
    Unheard,
    /// Another program ran under the name.
    OtherProgram,
    /// It ended well and tested nothing: none was found, or all were skipped.
    NoTests,
    /// A command that is no run of tests.
    Command,
}

/// The answer of `response_gate`; whoever records it adds the trace id and the chain's head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseAnswer {
    pub directive: Directive,
    pub revision_reasons: Vec<String>,
    /// The one step that helps, where there are reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    pub require_tool: RequireTool,
    pub authority: Authority,
}

/// Whose word a response rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "keys of the answer")]
pub struct Authority {
    pub claim_authority: String,
    pub is_self_claim: bool,
    /// The artifacts it speaks of that nobody opened.
    pub unopened: Vec<String>,
}

/// The answer of `verify_paths`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathsAnswer {
    pub declaration_trust: f64,
    pub declaration_coverage: f64,
    pub repo_changed_files: Vec<String>,
    pub repo_changed_functions: Vec<String>,
    pub repo_surface_size: usize,
    pub claimed_affected_size: usize,
    pub missed_by_llm: Vec<String>,
    pub phantom_claims: Vec<String>,
    pub untested_repo_paths: Vec<String>,
    pub warnings: Vec<String>,
}

impl Ruling {
    /// The directive; a causal chain that is solid passes, a weak one is damped, and one
    /// that is incomplete has to be said anew.
    pub fn directive(&self) -> Option<Directive> {
        Some(match self {
            Self::Claim(answer) => answer.directive,
            Self::Response(answer) => answer.directive,
            Self::Trace(answer) => answer.directive.as_directive(),
        })
    }

    /// Why, one line each.
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Claim(answer) => &answer.revision_reasons,
            Self::Response(answer) => &answer.revision_reasons,
            Self::Trace(answer) => &answer.issues,
        }
    }

    /// Whether something has to be looked at first.
    pub(crate) fn requires_tool(&self) -> bool {
        match self {
            Self::Claim(answer) => answer.require_tool.needed,
            Self::Response(answer) => answer.require_tool.needed,
            Self::Trace(_) => false,
        }
    }

    /// Whether the agent may go on as it said it would.
    pub fn opens(&self) -> bool {
        self.directive().is_some_and(Directive::opens) && !self.requires_tool()
    }
}

/// Decides. The same arguments give the same answer, byte for byte.
pub fn judge(inquiry: &Inquiry, table: &GateTable) -> Ruling {
    match inquiry {
        Inquiry::VerifyClaim(case) => Ruling::Claim(Box::new(super::ruling::claim(case, table))),
        Inquiry::ResponseGate(case) => {
            Ruling::Response(Box::new(super::ruling::response(case, table)))
        }
        Inquiry::CausalTrace(case) => Ruling::Trace(Box::new(super::trace::judge(case, table))),
    }
}

pub use super::items::unmatched;
pub(crate) use super::ruling::paths as check_paths;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{
        ActionType, ChangedFile, Claim, ClaimCase, EvidenceType, Gone, How, Receipt, ResponseCase,
        TestGone, TraceCase, Truth,
    };
    use super::*;

    fn table() -> GateTable {
        GateTable::shipped().expect("the shipped rows")
    }

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    fn code(path: &str, functions: &[&str]) -> ChangedFile {
        ChangedFile { path: path.to_owned(), functions: list(functions), ..ChangedFile::default() }
    }

    /// Tests of cargo that passed on the code as it is.
    fn passed() -> Receipt {
        Receipt {
            id: "r1".into(),
            at: 10,
            command: "cargo test".into(),
            run: Some("cargo".into()),
            status: Some(0),
            tree: Some("t".into()),
            ..Receipt::default()
        }
    }

    /// An honest claim: one file changed, declared, tested, and the tests passed since.
    fn honest() -> ClaimCase {
        ClaimCase {
            claim: Claim {
                text: "Fixed the crash in handler on empty input".into(),
                evidence: "cargo test: 12 tests passed".into(),
                evidence_type: EvidenceType::UnitTest,
                code_paths_tested: list(&["src/foo.rs"]),
                code_paths_affected: list(&["src/foo.rs"]),
                referenced_sources: None,
                read_paths: None,
                as_said: false,
            },
            truth: Truth {
                base: "b".into(),
                tree: "t".into(),
                files: vec![code("src/foo.rs", &["handler"])],
                ..Truth::default()
            },
            receipts: vec![passed()],
            opened: None,
            drift: 0.0,
        }
    }

    fn ask(case: ClaimCase) -> ClaimAnswer {
        match judge(&Inquiry::VerifyClaim(case), &table()) {
            Ruling::Claim(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }

    fn changed(change: impl FnOnce(&mut ClaimCase)) -> ClaimAnswer {
        let mut case = honest();
        change(&mut case);
        ask(case)
    }

    #[track_caller]
    fn is(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 2e-6, "{value} is not {wanted}");
    }

    #[test]
    fn an_honest_claim_passes_with_the_arithmetic_of_the_specification() {
        let answer = ask(honest());
        assert_eq!(answer.directive, Directive::Pass, "{answer:#?}");
        assert!(
            answer.revision_reasons.is_empty()
                && answer.gaps.is_empty()
                && !answer.require_tool.needed
        );
        is(answer.coverage, 1.0);
        is(answer.evidence_weight, 0.4);
        is(answer.physics.entropy, 0.01);
        is(answer.physics.valence, 0.4);
        is(answer.physics.arousal, 0.5);
        // .75 * (.46 * .99 * .99425) + .25 * .5 * 5 * e^-.00015
        is(answer.physics.phi, 0.339_586 + 0.624_906);
        // .4 * .964492 + .35 * 1 + .25 * .4
        is(answer.confidence_fusion.confidence, 0.835_797);
        // .6 + .3 + .1 * .99
        is(answer.trust_evaluation.trust, 0.999);
    }

    #[test]
    fn thresholds_are_inclusive_and_every_reason_is_given() {
        // D 1, T 1/5: C .6, H .4. With D 2/3 and T 1: C .666667.
        let many = |tested: &[&str]| {
            changed(|case| {
                let names = ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs"];
                case.truth.files = names.iter().map(|name| code(name, &["f"])).collect();
                case.claim.code_paths_affected = list(&names);
                case.claim.code_paths_tested = list(tested);
            })
        };
        // H .6 is just where a claim of a fix is damped; untested code has it said anew.
        let answer = many(&["a.rs", "b.rs"]);
        is(answer.physics.entropy, 0.6);
        assert_eq!(answer.directive, Directive::Rewrite);
        assert_eq!(answer.untested_paths, ["c.rs", "d.rs", "e.rs"]);
        let few = "too little of the change is both tested and declared";
        assert!(answer.revision_reasons.iter().any(|reason| reason == few), "{answer:#?}");
        // H .8: .75 is passed; confidence .4 * phi + .35 * .2 + .1 says it as well.
        assert!(many(&["a.rs"]).revision_reasons.len() >= 3);
        // Nothing tested: H .99 rejects.
        assert_eq!(many(&[]).directive, Directive::Reject);
        // Drift of a half turns a fix down, and leaves another claim alone.
        assert_eq!(changed(|case| case.drift = 0.5).directive, Directive::Rewrite);
        assert_eq!(changed(|case| case.drift = 0.499).directive, Directive::Pass);
        let added = |drift: f64| {
            changed(|case| {
                case.claim.text = "Added a handler of empty input".into();
                case.drift = drift;
            })
        };
        assert_eq!(added(0.599).directive, Directive::Pass);
        assert_eq!(added(0.6).directive, Directive::Rewrite);
    }

    #[test]
    fn honest_ways_to_say_the_same() {
        type Change = fn(&mut ClaimCase);
        let ways: [(&str, Change); 13] = [
            ("name", |case| case.claim.code_paths_affected = list(&["foo.rs"])),
            ("function", |case| case.claim.code_paths_tested = list(&["handler"])),
            ("test of the same name", |case| {
                case.claim.code_paths_tested = list(&["tests/foo_test.rs"]);
                case.truth.held = list(&["tests/foo_test.rs"]);
            }),
            ("old path", |case| {
                case.truth.files[0].was = Some("src/old.rs".into());
                case.claim.code_paths_affected = list(&["src/old.rs"]);
            }),
            ("tests and data that the run covers", |case| {
                case.truth.files.push(ChangedFile {
                    path: "tests/x.rs".into(),
                    test: true,
                    ..ChangedFile::default()
                });
                case.truth.files.push(code("Cargo.lock", &[]));
                case.claim.code_paths_affected = list(&["src/foo.rs", "Cargo.lock", "tests/x.rs"]);
            }),
            ("undeclared data", |case| case.truth.files.push(code("Cargo.lock", &[]))),
            ("deleted code", |case| {
                case.truth
                    .files
                    .push(ChangedFile { how: How::Deleted, ..code("src/gone.rs", &[]) });
                case.claim.code_paths_affected = list(&["src/foo.rs", "src/gone.rs"]);
            }),
            ("only prose", |case| {
                case.truth.files = vec![ChangedFile { prose: true, ..code("README.md", &[]) }];
                case.claim.text = "Documented the handler in the README".into();
                case.claim.evidence = "read the rendered page".into();
                case.claim.evidence_type = EvidenceType::CodeReview;
                case.claim.code_paths_affected = list(&["README.md"]);
                case.claim.code_paths_tested = Vec::new();
                case.receipts = Vec::new();
            }),
            ("prose after the run", |case| {
                case.truth.files.push(ChangedFile { prose: true, ..code("docs/a.md", &[]) });
                case.receipts[0].changed_since = list(&["docs/a.md"]);
            }),
            ("a failure that was mended", |case| {
                let failed = Receipt {
                    status: Some(101),
                    at: 5,
                    changed_since: list(&["src/foo.rs"]),
                    ..passed()
                };
                case.receipts.insert(0, failed);
            }),
            ("a fact that was looked at", |case| {
                case.claim.text = "Fixed the handler and published it to the registry".into();
                let publish =
                    Receipt { command: "cargo publish".into(), run: None, at: 11, ..passed() };
                case.receipts.push(publish);
            }),
            ("no word of it", |case| {
                case.claim.text = "Fixed the handler; not deployed and not merged".into();
            }),
            ("a test that was removed, and said so", |case| {
                case.truth.tests_gone = vec![gone()];
                case.claim.text =
                    "Fixed the handler and removed test_old, which tested the old way".into();
            }),
        ];
        for (way, change) in ways {
            let answer = changed(change);
            assert!(answer.directive.opens() && !answer.require_tool.needed, "{way}: {answer:#?}");
        }
    }

    /// A part of the tests that passed, twelve of them.
    fn part() -> Receipt {
        let by = list(&["--lib"]);
        Receipt {
            command: "cargo test --lib".into(),
            part: Some(super::super::Part { by, paths: Vec::new() }),
            counts: Some(super::super::counts::Counts { passed: 12, ..Default::default() }),
            ..passed()
        }
    }

    /// Of several things that are said and not shown, the step is that of the reason beside it.
    #[test]
    fn a_reason_has_its_own_step() {
        let table = table();
        let said = [
            "All tests pass.",
            "I pushed the branch to origin.",
            "The release is deployed.",
            "The pull request is merged.",
            "I published the crate to the registry.",
        ];
        let mut seen = 0;
        for first in said {
            for second in said.iter().filter(|second| **second != first) {
                let answer = changed(|case| {
                    let text = format!("{first} {second}");
                    case.receipts = vec![part()];
                    case.claim = crate::claims::Claim::from_words(
                        &text,
                        &case.truth,
                        &case.receipts,
                        &table,
                    );
                });
                let (Some(why), Some(step)) = (&answer.because, &answer.next) else { continue };
                let Some(row) = table.fact.iter().find(|row| &row.why == why) else { continue };
                assert!(step.contains(&row.tool), "{first} {second}: {why}, but {step}");
                seen += 1;
            }
        }
        assert!(seen > 10, "only {seen} reasons are of facts");
    }

    #[test]
    fn a_part_of_the_tests_is_never_all_of_them() {
        let says = |text: &str, receipts: Vec<Receipt>| {
            changed(|case| {
                case.claim.text = format!("Fixed the crash in handler on empty input. {text}");
                case.claim.evidence = "cargo test".into();
                case.receipts = receipts;
            })
        };
        for text in [
            "All tests pass.",
            "All tests are green",
            "The full test suite passes.",
            "The whole suite is green",
            "I ran the entire suite.",
            "Everything passes, no regressions.",
            "No regressions.",
            "**Test suite:** all tests passing \u{2705}",
            "Alle Tests sind grün.",
            "Die gesamte Testsuite läuft durch",
            "Todos los tests pasan",
            "Tous les tests passent",
            "Todos os testes passam",
            "Все тесты проходят",
            "所有测试通过",
            "すべてのテストが通りました",
        ] {
            let answer = says(text, vec![part()]);
            assert_eq!(answer.directive, Directive::Rewrite, "{text}: {answer:?}");
            assert!(answer.require_tool.facts.iter().any(|fact| fact == "whole_suite"), "{text}");
            let answer = says(text, vec![part(), passed()]);
            assert_eq!(answer.directive, Directive::Pass, "{text}: {answer:?}");
        }
        for text in [
            "The tests of the library pass (cargo test --lib).",
            "12 tests pass.",
            "All 12 tests pass.",
            "12/12 passed",
            "I did not run the full suite.",
            "Not all tests pass: the slow ones were not run.",
            "Only the unit tests were run; the whole suite was not.",
        ] {
            let answer = says(text, vec![part()]);
            assert_eq!(answer.directive, Directive::Pass, "{text}: {answer:?}");
        }
    }

    #[test]
    fn no_more_tests_passed_than_the_runner_counted() {
        let says = |text: &str, receipts: Vec<Receipt>| {
            changed(|case| {
                case.claim.evidence = text.to_owned();
                case.receipts = receipts;
            })
            .directive
        };
        for text in [
            "cargo test: 412 tests passed",
            "13/13 passed",
            "all 13 tests pass",
            "passed 1,200 tests",
        ] {
            assert_eq!(says(text, vec![part()]), Directive::Rewrite, "{text}");
            assert_eq!(says(text, vec![passed()]), Directive::Pass, "{text}: nobody counted");
        }
        for text in ["cargo test: 12 tests passed", "3 tests passed", "24 passed in two runs"] {
            assert_eq!(says(text, vec![part(), part()]), Directive::Pass, "{text}");
        }
        let other = Receipt { command: "cargo test -p other".into(), ..part() };
        assert_eq!(says("24 tests passed", vec![part(), other]), Directive::Pass);
        // The same command ran the same tests again.
        assert_eq!(says("24 tests passed", vec![part(), part()]), Directive::Rewrite);
        let whole = Receipt { command: "cargo test".into(), part: None, ..part() };
        assert_eq!(says("12 tests passed in run 812", vec![whole.clone()]), Directive::Pass);
        assert_eq!(says("run 812 passed, with 13 tests passed", vec![whole]), Directive::Rewrite);
        let least = Receipt {
            counts: Some(super::super::counts::Counts {
                at_least: true,
                passed: 2,
                ..Default::default()
            }),
            ..passed()
        };
        assert_eq!(says("40 tests passed", vec![least]), Directive::Pass);
    }

    fn gone() -> TestGone {
        TestGone { path: "tests/a.rs".into(), name: "test_old".into(), how: Gone::Disabled }
    }

    #[test]
    fn lies_are_named() {
        type Change = fn(&mut ClaimCase);
        let lies: [(&str, &str, Directive, Change); 22] = [
            ("short", "says too little", Directive::Reject, |case| {
                case.claim.text = "fixed it".into();
            }),
            ("no deed", "names no deed", Directive::Reject, |case| {
                case.claim.text = "The handler, and more".into();
            }),
            ("nothing changed", "the repository shows none", Directive::Reject, |case| {
                case.truth.files.clear();
            }),
            ("untouched", "not changed: src/bar.rs", Directive::Reject, |case| {
                case.claim.code_paths_affected.push("src/bar.rs".into());
                case.truth.held = list(&["src/bar.rs"]);
            }),
            ("phantom", "not in the change at all: src/bar.rs", Directive::Reject, |case| {
                case.claim.code_paths_affected.push("src/bar.rs".into());
            }),
            ("wrong path", "not in the change at all: lib/foo.rs", Directive::Reject, |case| {
                case.claim.code_paths_affected = list(&["lib/foo.rs"]);
            }),
            ("phantom test", "in the repository: tests/never.rs", Directive::Reject, |case| {
                case.claim.code_paths_tested.push("tests/never.rs".into());
            }),
            (
                "phantom test in words",
                "in the repository: test_handler_empty",
                Directive::Reject,
                |case| {
                    case.claim.evidence = "test_handler_empty passes".into();
                },
            ),
            ("no run", "no passing run", Directive::Rewrite, |case| case.receipts.clear()),
            ("no run, in other words", "no passing run", Directive::Rewrite, |case| {
                case.receipts.clear();
                case.claim.evidence = "it behaves now".into();
            }),
            ("no run, by another kind", "no passing run", Directive::Rewrite, |case| {
                case.receipts.clear();
                case.claim.evidence_type = EvidenceType::CodeReview;
            }),
            ("stale", "changed since the tests ran: src/foo.rs", Directive::Rewrite, |case| {
                case.receipts[0].changed_since = list(&["src/foo.rs"]);
            }),
            (
                "stale by what was put back",
                "changed since the tests ran: src/x.rs",
                Directive::Rewrite,
                |case| {
                    case.receipts[0].changed_since = list(&["src/x.rs"]);
                },
            ),
            ("unknown tree", "cannot be told: cargo test", Directive::Rewrite, |case| {
                case.receipts[0].stale = true;
            }),
            ("not heard", "was not heard: cargo test", Directive::Rewrite, |case| {
                case.receipts[0].status = None;
            }),
            ("failing", "the last run failed: cargo test", Directive::Reject, |case| {
                case.receipts[0].status = Some(101);
            }),
            (
                "failing, another passed",
                "has not passed since: cargo test --all",
                Directive::Reject,
                |case| {
                    let failed = Receipt {
                        status: Some(101),
                        at: 5,
                        command: "cargo test --all".into(),
                        ..passed()
                    };
                    case.receipts.insert(0, failed);
                },
            ),
            ("other program", "another program ran", Directive::Rewrite, |case| {
                case.receipts[0].other_program = true;
            }),
            ("disabled", "switched off and neither", Directive::Reject, |case| {
                case.truth.tests_gone = vec![gone()];
            }),
            ("partial", "nothing tested it: src/b.rs", Directive::Rewrite, |case| {
                case.truth.files.push(code("src/b.rs", &["g"]));
                case.claim.code_paths_affected.push("src/b.rs".into());
            }),
            ("hidden", "not said to be: src/b.rs", Directive::Rewrite, |case| {
                case.truth.files.push(code("src/b.rs", &["g"]));
            }),
            ("deployed", "is said to be deployed", Directive::Rewrite, |case| {
                case.claim.text = "Fixed the handler and deployed it".into();
            }),
        ];
        for (lie, why, least, change) in lies {
            let answer = changed(change);
            assert!(answer.directive >= least, "{lie}: {answer:#?}");
            assert!(
                answer.revision_reasons.iter().any(|reason| reason.contains(why)),
                "{lie}: {answer:#?}"
            );
        }
    }

    #[test]
    fn a_test_weighs_what_it_is_called_only_with_a_run() {
        is(
            changed(|case| case.claim.evidence_type = EvidenceType::IntegrationTest)
                .evidence_weight,
            0.7,
        );
        let answer = changed(|case| {
            case.claim.evidence_type = EvidenceType::BrowserTest;
        });
        // Cargo shows no browser, but it shows that the tests pass.
        is(answer.evidence_weight, 0.3);
        assert!(
            !answer.require_tool.needed && answer.gaps[0].contains("browser_test"),
            "{answer:#?}"
        );
        is(changed(|case| case.receipts.clear()).evidence_weight, 0.3);
        is(changed(|case| case.claim.evidence = " ".into()).evidence_weight, 0.0);
    }

    #[test]
    fn what_was_opened_is_known_from_hooks_first() {
        let answer = changed(|case| {
            case.claim.referenced_sources = Some(list(&["docs/rfc.md"]));
            case.claim.read_paths = Some(list(&["docs/rfc.md"]));
        });
        assert!(
            answer.directive.opens() && answer.continuity_binding.source == "agent",
            "{answer:#?}"
        );
        let answer = changed(|case| {
            case.claim.referenced_sources = Some(list(&["docs/rfc.md"]));
            case.claim.read_paths = Some(list(&["docs/rfc.md"]));
            case.opened = Some(list(&["src/foo.rs"]));
        });
        assert_eq!(answer.continuity_binding.unopened, ["docs/rfc.md"]);
        assert_eq!(answer.directive, Directive::Rewrite);
    }

    fn response() -> ResponseCase {
        ResponseCase {
            action_type: ActionType::ClaimFixed,
            confidence: 0.9,
            evidence_count: 2,
            evidence_type: EvidenceType::IntegrationTest,
            affects_user_facing: true,
            artifact_references: None,
            artifact_paths_read: None,
            claim_authority: None,
            truth: honest().truth,
            receipts: vec![passed()],
            opened: None,
            drift: 0.0,
        }
    }

    fn respond(change: impl FnOnce(&mut ResponseCase)) -> ResponseAnswer {
        let mut case = response();
        change(&mut case);
        match judge(&Inquiry::ResponseGate(case), &table()) {
            Ruling::Response(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn responses_are_judged_by_what_they_are_about_to_do() {
        type Change = fn(&mut ResponseCase);
        let cases: [(&str, Directive, bool, Change); 19] = [
            ("as it is", Directive::Pass, false, |_| {}),
            ("no evidence for a fix", Directive::Reject, false, |case| case.evidence_count = 0),
            // 1 - .9 * .7 = .37
            ("one piece", Directive::Pass, false, |case| case.evidence_count = 1),
            // 1 - .9 * .3 = .73
            ("one unbacked piece", Directive::Rewrite, true, |case| {
                case.evidence_count = 1;
                case.receipts.clear();
            }),
            // Numbers alone open nothing.
            ("many reviews of a fix", Directive::Rewrite, true, |case| {
                case.evidence_count = 99;
                case.evidence_type = EvidenceType::CodeReview;
                case.confidence = 0.99;
                case.receipts.clear();
            }),
            ("a browser that nobody started", Directive::Rewrite, true, |case| {
                case.action_type = ActionType::Push;
                case.evidence_count = 99;
                case.evidence_type = EvidenceType::BrowserTest;
                case.receipts.clear();
            }),
            ("a commit that nothing ran for", Directive::Rewrite, true, |case| {
                case.action_type = ActionType::Commit;
                case.evidence_count = 0;
                case.affects_user_facing = false;
                case.receipts.clear();
            }),
            ("a commit of prose", Directive::Pass, false, |case| {
                case.action_type = ActionType::Commit;
                case.evidence_type = EvidenceType::CodeReview;
                case.truth.files = vec![ChangedFile { prose: true, ..code("README.md", &[]) }];
                case.receipts.clear();
            }),
            ("a refactoring to come", Directive::Pass, false, |case| {
                case.action_type = ActionType::Refactor;
                case.evidence_type = EvidenceType::CodeReview;
                case.receipts.clear();
            }),
            ("failed", Directive::Reject, true, |case| case.receipts[0].status = Some(1)),
            ("user facing, without evidence", Directive::Rewrite, false, |case| {
                case.action_type = ActionType::Commit;
                case.evidence_count = 0;
            }),
            ("not user facing", Directive::Pass, false, |case| {
                case.action_type = ActionType::Commit;
                case.evidence_count = 0;
                case.affects_user_facing = false;
            }),
            // Comparisons are inclusive: .55 rewrites a fix, .60 a deployment, .50 the rest.
            ("unsure of a fix", Directive::Rewrite, false, |case| case.confidence = 0.55),
            ("sure enough", Directive::Pass, false, |case| case.confidence = 0.56),
            ("unsure of a deployment", Directive::Rewrite, false, |case| {
                case.action_type = ActionType::Deploy;
                case.confidence = 0.60;
            }),
            ("hardly sure", Directive::Regenerate, false, |case| {
                case.action_type = ActionType::Push;
                case.confidence = 0.35;
            }),
            ("no number", Directive::Reject, false, |case| case.confidence = f64::NAN),
            ("a question about what was opened", Directive::Pass, false, |case| {
                case.action_type = ActionType::AskQuestion;
                case.artifact_references = Some(list(&["a.rs"]));
                case.opened = Some(list(&["src/a.rs"]));
            }),
            ("a question about what was not", Directive::Rewrite, false, |case| {
                case.action_type = ActionType::AskQuestion;
                case.artifact_references = Some(list(&["a.rs", "b.rs"]));
                case.artifact_paths_read = Some(list(&["b.rs"]));
            }),
        ];
        for (name, directive, tool, change) in cases {
            let answer = respond(change);
            assert_eq!(
                (answer.directive, answer.require_tool.needed),
                (directive, tool),
                "{name}: {answer:#?}"
            );
        }
        let answer = respond(|case| {
            case.artifact_references = Some(list(&["a.rs"]));
            case.claim_authority = Some("the vendor's manual".into());
        });
        assert_eq!(answer.authority.unopened, ["a.rs"]);
        assert!(!answer.authority.is_self_claim && respond(|_| {}).authority.is_self_claim);
    }

    #[test]
    fn paths_are_checked_by_themselves() {
        let mut truth = honest().truth;
        truth.files.push(code("src/b.rs", &["g"]));
        let answer = check_paths(&list(&["foo.rs", "c.rs"]), &list(&["handler"]), &truth, &table());
        assert_eq!((answer.repo_surface_size, answer.claimed_affected_size), (2, 2));
        assert_eq!(
            (answer.missed_by_llm, answer.phantom_claims),
            (list(&["src/b.rs"]), list(&["c.rs"]))
        );
        assert_eq!(answer.untested_repo_paths, ["src/b.rs"]);
        assert_eq!(answer.repo_changed_functions, ["g", "handler"]);
        is(answer.declaration_coverage, 0.5);
        is(answer.declaration_trust, 0.25);
    }

    #[test]
    fn answers_come_back_from_json_as_what_they_are() {
        let trace = TraceCase {
            symptom: "hangs".into(),
            links: list(&["a", "b"]),
            known_paths: Vec::new(),
        };
        for inquiry in [
            Inquiry::VerifyClaim(honest()),
            Inquiry::ResponseGate(response()),
            Inquiry::CausalTrace(trace),
        ] {
            let ruling = judge(&inquiry, &table());
            let json = serde_json::to_string(&ruling).expect("json");
            let again: Ruling = serde_json::from_str(&json).expect("a ruling");
            assert_eq!(again, ruling);
            assert_eq!(serde_json::to_string(&again).expect("json"), json);
        }
    }

    #[test]
    fn many_files_are_no_trouble() {
        let count = 10_000;
        let answer = changed(|case| {
            case.truth.files =
                (0..count).map(|n| code(&format!("src/d{n}/mod.rs"), &["run"])).collect();
            case.claim.code_paths_affected =
                (0..count).map(|n| format!("src/d{n}/mod.rs")).collect();
            case.claim.code_paths_tested = case.claim.code_paths_affected.clone();
        });
        assert_eq!(answer.directive, Directive::Pass, "{:?}", answer.revision_reasons);
        let answer = changed(|case| {
            case.truth.files =
                (0..count).map(|n| code(&format!("src/d{n}/mod.rs"), &["run"])).collect();
            case.claim.code_paths_affected = (0..count).map(|n| format!("x{n}/mod.rs")).collect();
        });
        assert_eq!(answer.directive, Directive::Reject);
    }

    proptest! {
        #[test]
        fn the_same_inquiry_gets_the_same_bytes(
            text in "\\PC{0,60}", evidence in "(tests|pass|not|deployed|[.,]| ){0,12}",
            item in "\\PC{0,20}",
            confidence in -1.0..2.0_f64, drift in 0.0..1.0_f64,
            status in prop::option::of(0..3_i32),
        ) {
            let mut case = honest();
            case.claim.text = text;
            case.claim.evidence = evidence;
            case.claim.code_paths_affected.push(item.clone());
            case.claim.code_paths_tested = vec![item];
            case.receipts[0].status = status;
            case.drift = drift;
            let table = table();
            let inquiry = Inquiry::VerifyClaim(case);
            let bytes = serde_json::to_string(&judge(&inquiry, &table)).expect("json");
            let recorded: Inquiry =
                serde_json::from_str(&serde_json::to_string(&inquiry).expect("json"))
                    .expect("back");
            let rows: GateTable =
                serde_json::from_str(&serde_json::to_string(&table).expect("json")).expect("back");
            prop_assert_eq!(serde_json::to_string(&judge(&recorded, &rows)).expect("json"), bytes);
            let inquiry = Inquiry::ResponseGate(ResponseCase { confidence, drift, ..response() });
            prop_assert_eq!(judge(&inquiry, &table), judge(&inquiry, &rows));
        }

        /// No wording, in no language, passes where code changed and no run on it covers it.
        #[test]
        fn no_words_pass_without_a_run_that_covers_the_change(
            said in prop::collection::vec((0..32_usize, "\\PC{0,12}"), 0..12),
            evidence in "\\PC{0,40}", kind in 0..8_usize, list in 0..3_usize,
            ran in 0..9_usize, as_said: bool,
        ) {
            const WORDS: [&str; 32] = [
                "Fixed", "added", "all tests pass", "5/5", "✅", "green", "12 passed", "not run",
                "未运行", "全部测试通过", "すべてのテスト", "成功しました",
                "исправил", "тесты прошли", "todos los tests pasan", "sin ejecutar",
                "aucun test", "la suite passe", "bestanden", "nicht getestet", "nothing changed",
                "`src/foo.rs`", "`handler()`", "failed", "только", "formatted", "white space",
                "pushed to origin", "deployed", "done", "\n- ", ". ",
            ];
            let mut case = honest();
            let said = said.into_iter().map(|(word, other)| WORDS[word].to_owned() + &other);
            let said: Vec<String> = said.collect();
            case.claim.text = said.join(" ");
            case.claim.evidence = evidence;
            case.claim.evidence_type = super::super::table::KINDS[kind];
            case.claim.as_said = as_said;
            case.claim.code_paths_tested = list_of(list);
            case.receipts = uncovering(ran);
            let answer = ask(case);
            prop_assert!(answer.directive > Directive::Pass, "{:#?}", answer);
            prop_assert!(answer.require_tool.needed && !answer.gaps.is_empty(), "{:#?}", answer);
        }
    }

    #[test]
    fn to_say_that_nothing_was_run_is_never_worse_than_to_list_what_was_not() {
        let kinds = [EvidenceType::UnitTest, EvidenceType::CodeReview, EvidenceType::ManualRepro];
        for text in [
            "Fixed the crash in handler on empty input",
            "Added a guard to handler",
            "Refactored handler, no behaviour changed",
        ] {
            let of = |said: &str, kind, tested: &[&str]| {
                changed(|case| {
                    case.claim.text = format!("{text}{said}");
                    case.claim.evidence = "read the change once more".into();
                    case.claim.evidence_type = kind;
                    case.claim.code_paths_tested = list(tested);
                    case.receipts.clear();
                })
            };
            let honest = of("; the tests were not run", EvidenceType::None, &[]);
            assert_eq!(honest.directive, Directive::Damp, "{honest:#?}");
            assert!(honest.require_tool.needed, "{honest:#?}");
            for kind in kinds {
                let listed = of("", kind, &["src/foo.rs"]);
                assert!(honest.directive <= listed.directive, "{kind:?}: {listed:#?}");
            }
        }
    }

    #[test]
    fn an_act_wants_something_shown_where_nothing_changed_as_well() {
        type Change = fn(&mut ResponseCase);
        let cases: [(&str, bool, Change); 3] = [
            ("a commit of nothing, without evidence", false, |case| {
                case.action_type = ActionType::Commit;
                case.evidence_count = 0;
                case.affects_user_facing = false;
                case.truth.files.clear();
            }),
            ("a push of nothing that anything shows", true, |case| {
                case.action_type = ActionType::Push;
                case.evidence_type = EvidenceType::CodeReview;
                case.truth.files.clear();
                case.receipts.clear();
            }),
            ("a deployment of prose that nothing shows", true, |case| {
                case.action_type = ActionType::Deploy;
                case.evidence_type = EvidenceType::CodeReview;
                case.truth.files = vec![ChangedFile { prose: true, ..code("README.md", &[]) }];
                case.receipts.clear();
            }),
        ];
        for (name, tool, change) in cases {
            let answer = respond(change);
            let got = (answer.directive, answer.require_tool.needed);
            assert_eq!(got, (Directive::Rewrite, tool), "{name}: {answer:#?}");
        }
    }

    #[test]
    fn nothing_changed_and_nothing_claimed_is_honest() {
        let nothing = |text: &str, receipts: Vec<Receipt>| {
            changed(|case| {
                case.claim.text = text.to_owned();
                case.claim.evidence = String::new();
                case.claim.evidence_type = EvidenceType::None;
                case.claim.code_paths_tested.clear();
                case.claim.code_paths_affected.clear();
                case.truth.files.clear();
                case.receipts = receipts;
            })
        };
        for text in [
            "No code changed, nothing to fix",
            "Looked at the handler; I changed nothing",
            "Kein Code geändert, es gab nichts zu tun",
        ] {
            let answer = nothing(text, Vec::new());
            assert!(answer.directive.opens() && !answer.require_tool.needed, "{answer:#?}");
        }
        let lie = nothing("No code changed, and all tests pass", Vec::new());
        assert_eq!(lie.directive, Directive::Rewrite, "{lie:#?}");
        let shown = nothing("No code changed, and all tests pass", vec![passed()]);
        assert_eq!(shown.directive, Directive::Pass, "{shown:#?}");
        assert_eq!(nothing("Fixed the handler", vec![passed()]).directive, Directive::Reject);
    }

    #[test]
    fn a_fix_that_changes_comments_alone_is_none() {
        let layout = |text: &str| {
            changed(|case| {
                case.truth.files[0].layout = true;
                case.claim.text = text.to_owned();
            })
        };
        assert_eq!(layout("Fixed the crash in handler").directive, Directive::Rewrite);
        assert_eq!(layout("Reworded the comments of handler").directive, Directive::Pass);
    }

    fn list_of(nth: usize) -> Vec<String> {
        [list(&[]), list(&["src/foo.rs"]), list(&["src/foo.rs", "handler"])][nth].clone()
    }

    /// Receipts, none of which covers the change of [`honest`].
    fn uncovering(nth: usize) -> Vec<Receipt> {
        use super::super::{Counts, Part};
        let with = |change: &dyn Fn(&mut Receipt)| {
            let mut receipt = passed();
            change(&mut receipt);
            vec![receipt]
        };
        match nth {
            0 => Vec::new(),
            1 => with(&|run| run.status = Some(1)),
            2 => with(&|run| run.status = None),
            3 => with(&|run| run.stale = true),
            4 => with(&|run| run.changed_since = list(&["src/foo.rs"])),
            5 => with(&|run| run.counts = Some(Counts::default())),
            6 => with(&|run| run.other_program = true),
            7 => with(&|run| {
                run.run = None;
                run.command = "echo all tests pass".into();
            }),
            _ => with(&|run| {
                run.command = "cargo test unrelated".into();
                run.part = Some(Part { by: list(&["unrelated"]), paths: Vec::new() });
            }),
        }
    }
}
