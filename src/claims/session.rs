//! A session's rulings taken together: counts, drift, coverage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::arithmetic::rounded;
use super::table::{GateTable, word};
use super::{Directive, EvidenceType, Inquiry};
use crate::claims::gate::Ruling;

/// How often recent claims were turned down or contradicted: an exponential mean over the
/// last verdicts, oldest first in `past`; `contradicted` says that something seen later
/// spoke against a claim that stood.
pub(crate) fn drift(past: &[(Directive, bool)], table: &GateTable) -> f64 {
    let figures = &table.figures;
    let recent = &past[past.len().saturating_sub(figures.drift_window)..];
    let mean = recent.iter().fold(0.0, |mean, &(directive, contradicted)| {
        let against = match directive {
            _ if contradicted => 1.0,
            Directive::Reject => 1.0,
            _ => 0.0,
        };
        mean + figures.drift_weight * (against - mean)
    });
    rounded(mean)
}

/// One ruling of the past, as its record has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Past<'r> {
    pub id: String,
    pub at: i64,
    pub inquiry: &'r Inquiry,
    pub ruling: &'r Ruling,
    pub contradicted: bool,
}

/// The answer of `session_report`, without `chain`, which whoever reads the records adds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionReport {
    pub total: usize,
    /// How many opened the way.
    pub opened: usize,
    pub required_tool: usize,
    pub contradicted: usize,
    pub directives: BTreeMap<String, usize>,
    pub evidence_types_used: BTreeMap<String, usize>,
    pub drift: f64,
    /// Means over the rulings of `verify_claim`; absent without one.
    pub mean_coverage: Option<f64>,
    pub mean_trust: Option<f64>,
    /// How far what was declared is what the repository showed.
    pub mean_integrity: Option<f64>,
    pub last_claims: Vec<PastClaim>,
}

/// A claim in the list of the last ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PastClaim {
    pub id: String,
    pub at: i64,
    /// The claim, the action of a response, or the symptom of a chain.
    pub claim: String,
    pub directive: Directive,
    pub opens: bool,
}

/// How many claims the list has.
const LISTED: usize = 10;

/// Takes rulings together, oldest first.
pub(crate) fn report(past: &[Past<'_>], table: &GateTable) -> SessionReport {
    let mut report = SessionReport { total: past.len(), ..SessionReport::default() };
    let mut verdicts = Vec::with_capacity(past.len());
    let mut means = Means::default();
    for one in past {
        let directive = one.ruling.directive().unwrap_or(Directive::Reject);
        verdicts.push((directive, one.contradicted));
        *report.directives.entry(word(directive)).or_default() += 1;
        if let Some(kind) = evidence(one.inquiry) {
            *report.evidence_types_used.entry(word(kind)).or_default() += 1;
        }
        report.opened += usize::from(one.ruling.opens());
        report.required_tool += usize::from(one.ruling.requires_tool());
        report.contradicted += usize::from(one.contradicted);
        means.add(one.ruling);
    }
    report.drift = drift(&verdicts, table);
    (report.mean_coverage, report.mean_trust, report.mean_integrity) = means.taken();
    report.last_claims = past.iter().skip(past.len().saturating_sub(LISTED)).map(listed).collect();
    report
}

fn listed(past: &Past<'_>) -> PastClaim {
    let claim = match past.inquiry {
        Inquiry::VerifyClaim(case) => case.claim.text.clone(),
        Inquiry::ResponseGate(case) => word(case.action_type),
        Inquiry::CausalTrace(case) => case.symptom.clone(),
    };
    PastClaim {
        id: past.id.clone(),
        at: past.at,
        claim,
        directive: past.ruling.directive().unwrap_or(Directive::Reject),
        opens: past.ruling.opens(),
    }
}

fn evidence(inquiry: &Inquiry) -> Option<EvidenceType> {
    match inquiry {
        Inquiry::VerifyClaim(case) => Some(case.claim.evidence_type),
        Inquiry::ResponseGate(case) => Some(case.evidence_type),
        Inquiry::CausalTrace(_) => None,
    }
}

#[derive(Default)]
struct Means {
    count: usize,
    coverage: f64,
    trust: f64,
    integrity: f64,
}

impl Means {
    fn add(&mut self, ruling: &Ruling) {
        if let Ruling::Claim(answer) = ruling {
            self.count += 1;
            self.coverage += answer.coverage;
            self.trust += answer.trust_evaluation.trust;
            self.integrity += answer.input_verification.declaration_trust;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of rulings")]
    fn taken(&self) -> (Option<f64>, Option<f64>, Option<f64>) {
        let mean = |sum: f64| (self.count > 0).then(|| rounded(sum / self.count as f64));
        (mean(self.coverage), mean(self.trust), mean(self.integrity))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::judge;
    use super::super::{ActionType, ChangedFile, ResponseCase, Truth};
    use super::*;

    fn table() -> GateTable {
        GateTable::shipped().expect("rows")
    }

    fn is(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-6, "{value} is not {wanted}");
    }

    #[test]
    fn drift_remembers_and_forgets() {
        let table = table();
        let (pass, reject) = ((Directive::Pass, false), (Directive::Reject, false));
        is(drift(&[], &table), 0.0);
        is(drift(&[pass; 30], &table), 0.0);
        // One of weight a quarter, then three quarters of that.
        is(drift(&[reject], &table), 0.25);
        is(drift(&[reject, pass], &table), 0.1875);
        is(drift(&[pass, reject], &table), 0.25);
        is(drift(&[(Directive::Pass, true)], &table), 0.25);
        is(drift(&[(Directive::Damp, false), (Directive::Rewrite, false)], &table), 0.0);
        // Two: 1 - .75^2.
        is(drift(&[reject, reject], &table), 0.4375);
        // What lies more than twenty back is gone.
        let mut long = vec![reject; 5];
        long.extend([pass; 20]);
        is(drift(&long, &table), 0.0);
    }

    #[test]
    fn a_session_is_counted_and_its_last_claims_are_listed() {
        let table = table();
        let case = |confidence: f64, count: u32| {
            Inquiry::ResponseGate(ResponseCase {
                action_type: ActionType::ClaimFixed,
                confidence,
                evidence_count: count,
                evidence_type: EvidenceType::CodeReview,
                affects_user_facing: false,
                artifact_references: None,
                artifact_paths_read: None,
                claim_authority: None,
                truth: Truth {
                    files: vec![ChangedFile { prose: true, ..ChangedFile::default() }],
                    ..Truth::default()
                },
                receipts: Vec::new(),
                opened: None,
                drift: 0.0,
            })
        };
        // 1 - .9 * .9 passes; without evidence a fix is rejected.
        let (good, bad) = (case(0.9, 3), case(0.9, 0));
        let rulings = (judge(&good, &table), judge(&bad, &table));
        let past: Vec<Past<'_>> = (0..12)
            .map(|n| {
                let last = n == 11;
                let (inquiry, ruling) = if last { (&bad, &rulings.1) } else { (&good, &rulings.0) };
                Past { id: format!("c{n}"), at: n, inquiry, ruling, contradicted: false }
            })
            .collect();
        let counted = report(&past, &table);
        assert_eq!(
            (
                counted.total,
                counted.opened,
                counted.directives["pass"],
                counted.directives["reject"]
            ),
            (12, 11, 11, 1)
        );
        assert_eq!(counted.evidence_types_used["code_review"], 12);
        assert_eq!((counted.last_claims.len(), counted.last_claims[0].id.as_str()), (10, "c2"));
        is(counted.drift, 0.25);
        assert_eq!(counted.mean_coverage, None, "no claim was verified");
        assert_eq!(report(&[], &table).total, 0);
    }
}
