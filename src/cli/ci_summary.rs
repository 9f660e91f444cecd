//! What `verify --ci` says in Markdown, for a merge request: at most twenty lines, with the card of
//! each job. All words that stand in a job or a commit are others' words.

use std::collections::BTreeSet;

use super::markdown::{code, plain, sentence};
use super::report::Report;
use super::verify::{accepted, bypasses, run_again};
use crate::claims::audit::{Finding, Findings};
use crate::engine::judge::ci_cards::JobCard;
use crate::engine::judge::judged_by::Looser;
use crate::engine::repo::text::count;
use crate::voice::{self, Notice};

/// As many lines as it has at most.
const LINES: usize = 20;

/// What is required and missing.
pub(super) struct Lacking<'a> {
    /// Commits without evidence.
    pub commits: &'a BTreeSet<String>,
    /// Jobs without a signed approval.
    pub unapproved: &'a [Finding],
}

impl Lacking<'_> {
    pub(super) fn is_none(&self) -> bool {
        self.commits.is_empty() && self.unapproved.is_empty()
    }

    /// Evidence that is missing, by the commits that lack it.
    fn told(&self) -> Option<String> {
        /// As many as a person reads.
        const SHOWN: usize = 3;
        if self.is_none() {
            return None;
        }
        let mut line = voice::tell(Notice::CiRequired, &[]);
        let mut commits: Vec<String> =
            self.commits.iter().take(SHOWN).map(|one| short(one)).collect();
        if self.commits.len() > SHOWN {
            commits.push(format!("and {} more", self.commits.len() - SHOWN));
        }
        if !commits.is_empty() {
            line = format!("{line}: {}", commits.join(", "));
        }
        Some(line)
    }
}

/// What a merge request can carry.
pub(super) fn summary(
    findings: &Findings,
    (cards, looser): (&[JobCard], &[Looser]),
    lacks: &Lacking<'_>,
    out: &mut Report,
) {
    let mut lines = vec![head(findings), String::new()];
    lines.extend(lacks.told().map(|told| format!("- {told}")));
    lines.extend(run_again(findings).map(|told| format!("- {}", sentence(&told))));
    lines.extend(bypasses(findings).map(|told| format!("- {}", sentence(&told))));
    lines.extend(found("broken", &findings.broken));
    for one in lacks.unapproved {
        let what = voice::tell(Notice::CiUnapproved, &[]);
        lines.push(format!("- {what}: job {}: {}", code(&one.record), sentence(&one.reason)));
    }
    lines.extend(looser.iter().map(|one| format!("- {}", told_of_rules(one))));
    lines.extend(cards.iter().map(card));
    lines.extend(found("not measured", &findings.not_measured));
    lines.extend(
        accepted(findings)
            .map(|(id, told)| format!("- accepted {}: {}", short(id), sentence(&told))),
    );
    lines.extend(found("followed", &findings.followed));
    let more = lines.len().saturating_sub(LINES);
    if more > 0 {
        lines.truncate(LINES - 1);
        lines.push(format!("- and {} more", more + 1));
    }
    for line in lines {
        out.markdown(&line);
    }
}

fn head(findings: &Findings) -> String {
    let numbers = [
        ("verified", usize::try_from(findings.verified).unwrap_or(usize::MAX)),
        ("followed", findings.followed.len()),
        ("broken", findings.broken.len()),
        ("open", findings.not_measured.len()),
        ("plain", findings.plain.unwrap_or_default()),
    ];
    let numbers = numbers.map(|(key, n)| (key, n.to_string()));
    let facts: Vec<(&str, &str)> = numbers.iter().map(|(key, n)| (*key, n.as_str())).collect();
    voice::tell(Notice::CiSummary, &facts)
}

fn short(id: &str) -> String {
    code(&id.chars().take(12).collect::<String>())
}

/// Neighbours for which the same is said stand on one line.
fn found(what: &'static str, some: &[Finding]) -> Vec<String> {
    let alike = some.chunk_by(|one, next| one.reason == next.reason);
    let line = |group: &[Finding]| {
        let (first, more) = (&group[0], group.len() - 1);
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        format!("- {what} {}: {}{more}", short(&first.record), sentence(&first.reason))
    };
    alike.map(line).collect()
}

/// The card of a job, in one line.
fn card(card: &JobCard) -> String {
    let name = card.name.as_deref().unwrap_or("?");
    let status = card.status.unwrap_or("?");
    let approved = if card.approved { ", approved by a person" } else { "" };
    let mut parts = vec![count(card.commits, "commit")];
    parts.extend(
        card.shared
            .map(|shared| voice::tell(Notice::CiShared, &[("commits", &shared.to_string())])),
    );
    parts.extend(card.lines.map(|lines| format!("lines +{} −{}", lines.added, lines.removed)));
    parts.extend(card.runs.map(|runs| count(runs, "test run")));
    parts.extend(card.criteria.map(|of| {
        let (met, unmet, unshown) =
            (of.met.to_string(), of.not_met.to_string(), of.not_shown.to_string());
        let facts = [("met", &*met), ("unmet", &*unmet), ("unshown", &*unshown)];
        voice::tell(Notice::CiCriteria, &facts)
    }));
    let id = code(&card.id);
    format!("- job \"{}\" {id}: {status}{approved} · {}", plain(name), parts.join(" · "))
}

/// Steps that were judged by looser rules, or by rules that are not known.
fn told_of_rules(one: &Looser) -> String {
    let first = one.steps.first().map_or("?", String::as_str);
    let (steps, keys) = (count(one.steps.len(), "step"), plain(&one.keys.join(", ")));
    let why = plain(one.untold.as_deref().unwrap_or_default());
    let job = one.job.replace('`', "'");
    let facts = [
        ("steps", steps.as_str()),
        ("job", job.as_str()),
        ("first", first),
        ("keys", &keys),
        ("why", &why),
    ];
    let notice = if one.untold.is_some() { Notice::CiRulesUntold } else { Notice::CiLooser };
    voice::tell(notice, &facts)
}
