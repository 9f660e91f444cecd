//! The arithmetic of the gate, one function a formula, all constants from the table.
//!
//! Only sums, products and comparisons, so that every machine gets the same bits; what an
//! answer shows is rounded to six places, and compared after that.

use super::table::Figures;

/// Six places: what is shown, recorded and compared.
pub(super) fn rounded(value: f64) -> f64 {
    // A sum with 0 turns -0 into 0, which would be written with its sign.
    (value * 1e6).round() / 1e6 + 0.0
}

/// What an agent sent as a share: what is no number is the worst that it could mean.
pub(super) fn share_or(value: f64, worst: f64) -> f64 {
    if value.is_finite() { rounded(value.clamp(0.0, 1.0)) } else { worst }
}

/// Part of a whole; of nothing, `none`.
#[expect(clippy::cast_precision_loss, reason = "counts of files")]
pub(super) fn share(part: usize, whole: usize, none: f64) -> f64 {
    if whole == 0 { none } else { part as f64 / whole as f64 }
}

/// C = D·(½ + ½T).
pub(super) fn coverage(f: &Figures, tested: f64, declared: f64) -> f64 {
    tested * (f.tested_floor + f.declared_share * declared)
}

/// H = 1 − C, kept off both ends.
pub(super) fn entropy(f: &Figures, coverage: f64) -> f64 {
    (1.0 - coverage).clamp(f.entropy[0], f.entropy[1])
}

/// H of a response: what it is sure of, so far as its evidence carries that.
pub(super) fn entropy_of_response(f: &Figures, asked: &Response) -> f64 {
    match (asked.claims_fixed, asked.count) {
        (true, 0) => f.entropy_fixed_without,
        (true, _) => f.entropy[0]
            .max(1.0 - asked.confidence * (f64::from(asked.count) * asked.weight).min(1.0)),
        (false, 0) if asked.faces_users => f.entropy_facing_without,
        (false, _) => f.entropy[0].max(1.0 - asked.confidence),
    }
}

/// What the entropy of a response depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    pub claims_fixed: bool,
    pub faces_users: bool,
    pub count: u32,
    pub weight: f64,
    pub confidence: f64,
}

/// V = (C − ½)·w·2, at most what is left without evidence.
pub(super) fn valence(f: &Figures, coverage: f64, weight: f64) -> f64 {
    let value = ((coverage - 0.5) * weight * 2.0).clamp(-f.valence, f.valence);
    if weight > 0.0 { value } else { value.min(f.valence_without) }
}

/// A = ½ + ½·drift, kept in its bounds.
pub(super) fn arousal(f: &Figures, drift: f64) -> f64 {
    (f.arousal_rest + f.arousal_drift * drift).clamp(f.arousal[0], f.arousal[1])
}

/// The penalty of entropy: straight up to the bend, then steeper.
fn penalty(f: &Figures, entropy: f64) -> f64 {
    let [straight, bend, steep] = f.penalty;
    let over = entropy - f.penalty_from;
    if over <= 0.0 { straight * entropy } else { bend + steep * (over * over) }
}

/// phi of a state.
pub(super) fn phi(f: &Figures, entropy: f64, valence: f64, arousal: f64) -> f64 {
    let worth = f.worth[0] + f.worth[1] * valence.abs();
    let stability = 1.0 - entropy;
    let inner = f.phi_floor.max(worth * stability * (1.0 - penalty(f, entropy)).clamp(0.0, 1.0));
    let gain = f.phi_gain + f.phi_slope * (arousal - 0.5);
    f.phi_inner * inner + f.phi_arousal * arousal * gain * f.phi_decay
}

/// The confidence of a claim, from what the state and the evidence say.
pub(super) fn fused(f: &Figures, phi: f64, coverage: f64, weight: f64) -> f64 {
    f.fused.phi * phi.clamp(0.0, 1.0) + f.fused.coverage * coverage + f.fused.evidence * weight
}

/// Trust = .6·T + .3·(1 − risk) + .1·(1 − H).
pub(super) fn trust(f: &Figures, declared: f64, risk: f64, entropy: f64) -> f64 {
    f.trust.declared * declared + f.trust.risk * (1.0 - risk) + f.trust.certainty * (1.0 - entropy)
}

#[cfg(test)]
mod tests {
    use super::super::table::GateTable;
    use super::*;

    /// Reckoned by hand, to six places.
    fn is(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-6, "{value} is not {wanted}");
    }

    fn figures() -> Figures {
        GateTable::shipped().expect("the shipped rows").figures
    }

    #[test]
    fn the_decay_is_what_it_says() {
        is(figures().phi_decay, (-0.15_f64 * 0.001).exp());
    }

    #[test]
    fn coverage_needs_both_tests_and_declaration() {
        let f = figures();
        is(coverage(&f, 1.0, 1.0), 1.0);
        is(coverage(&f, 1.0, 0.0), 0.5);
        is(coverage(&f, 0.0, 1.0), 0.0);
        // 0.5 * (0.5 + 0.5 * 0.25)
        is(coverage(&f, 0.5, 0.25), 0.3125);
    }

    #[test]
    fn entropy_stays_off_both_ends() {
        let f = figures();
        is(entropy(&f, 1.0), 0.01);
        is(entropy(&f, 0.0), 0.99);
        is(entropy(&f, 0.3125), 0.6875);
    }

    #[test]
    fn valence_follows_evidence() {
        let f = figures();
        // (1 - 0.5) * 0.4 * 2
        is(valence(&f, 1.0, 0.4), 0.4);
        // (1 - 0.5) * 0.9 * 2 is above the bound
        is(valence(&f, 1.0, 0.9), 0.8);
        is(valence(&f, 0.0, 0.9), -0.8);
        is(valence(&f, 1.0, 0.0), -0.3);
        is(valence(&f, 0.25, 0.4), -0.2);
    }

    #[test]
    fn arousal_rises_with_drift() {
        let f = figures();
        is(arousal(&f, 0.0), 0.5);
        is(arousal(&f, 0.4), 0.7);
        is(arousal(&f, 1.0), 0.8);
    }

    #[test]
    fn phi_of_worked_examples() {
        let f = figures();
        // v .46, S .99, penalty .00575: phi_c .452781; A .5, gain 5.
        is(phi(&f, 0.01, 0.4, 0.5), 0.75 * 0.452_781_45 + 0.25 * 0.5 * 5.0 * 0.999_850_011);
        // H .75: v .28, S .25, penalty .2875 + 1.15 * .0625 = .359375: phi_c .04484 is below the
        // floor.
        is(phi(&f, 0.75, -0.2, 0.5), 0.75 * 0.05 + 0.625 * 0.999_850_011);
        // H .6: v .64, S .4, penalty .2875 + 1.15 * .01 = .299: phi_c .179456; A .7: gain 5.4.
        is(phi(&f, 0.6, 0.6, 0.7), 0.75 * 0.179_456 + 0.25 * 0.7 * 5.4 * 0.999_850_011);
    }

    #[test]
    fn the_penalty_has_no_step_at_its_bend() {
        let f = figures();
        is(penalty(&f, 0.5), 0.2875);
        is(penalty(&f, 0.500_000_1), 0.2875);
        is(penalty(&f, 0.2), 0.115);
    }

    #[test]
    fn confidence_and_trust() {
        let f = figures();
        // .4 * .96 + .35 * 1 + .25 * .4
        is(fused(&f, 0.96, 1.0, 0.4), 0.834);
        is(fused(&f, 1.4, 0.5, 0.0), 0.575);
        // .6 * .5 + .3 * .8 + .1 * .4
        is(trust(&f, 0.5, 0.2, 0.6), 0.58);
    }

    #[test]
    fn responses_are_uncertain_as_far_as_their_evidence_is_thin() {
        let f = figures();
        let asked = Response {
            claims_fixed: true,
            faces_users: true,
            count: 0,
            weight: 0.7,
            confidence: 0.9,
        };
        is(entropy_of_response(&f, &asked), 0.96);
        // f = min(1, 1 * .7); 1 - .9 * .7
        is(entropy_of_response(&f, &Response { count: 1, ..asked }), 0.37);
        // Two of them carry all of it: 1 - .9.
        is(entropy_of_response(&f, &Response { count: 2, ..asked }), 0.1);
        let other = Response { claims_fixed: false, ..asked };
        is(entropy_of_response(&f, &other), 0.88);
        is(entropy_of_response(&f, &Response { count: 1, ..other }), 0.1);
        is(
            entropy_of_response(&f, &Response { faces_users: false, confidence: 1.0, ..other }),
            0.01,
        );
    }

    #[test]
    fn what_is_no_number_is_the_worst() {
        is(share_or(f64::NAN, 1.0), 1.0);
        is(share_or(7.0, 0.0), 1.0);
        is(share_or(0.123_456_78, 0.0), 0.123_457);
        assert_eq!(rounded(-1e-9).to_string(), "0");
    }
}
