//! `git seed condense …`

use crate::engine::{Repo, briefing, jobs, judge, memory};
use crate::voice::{self, Notice};
use clap::Subcommand;

use super::report::{Report, unified_diff};
use super::{Context, Outcome};
use crate::engine::memory::condense::PageAbsorbed;
use crate::engine::record::draft::By;
use crate::engine::repo::text::count;
use crate::memory::absorb::{Stays, Why};
use crate::phases::commands;

#[derive(Debug, Subcommand)]
pub(super) enum CondenseCommand {
    /// Show what is left to do before the cycle can close
    Status,
    /// Copy the footers of the cycle's pages into its session log
    ///
    /// After that you may shorten the footers. If you add text below an anchor later, run the
    /// command again to archive it.
    Archive,
    /// Move [DURABLE] paragraphs into page bodies; drop [EPHEMERAL] ones and resolved notes
    ///
    /// Paragraphs without a tag are left to you. Carried notes stay.
    Absorb {
        /// Show the changes without making them
        #[arg(long)]
        dry_run: bool,
    },
    /// Check that the session log contains the whole text of the footers
    Verify,
}

pub(super) fn run(
    command: &CondenseCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    match command {
        CondenseCommand::Status => status(context, out),
        CondenseCommand::Archive => archive(context, out),
        CondenseCommand::Absorb { dry_run } => absorb(*dry_run, context, out),
        CondenseCommand::Verify => verify(context, out),
    }
}

fn status(context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let focused = repo.require_focused()?;
    let live = memory::pages::live_notes(&repo, &focused)?;
    let deflation = memory::condense::deflation(&repo, &focused)?;
    let stage = memory::condense::condense_stage(&repo, &focused).word();
    let (baseline, now, most) = deflation.map_or((0, 0, 0), |deflation| {
        (deflation.baseline, deflation.remaining, deflation.max_words())
    });
    let archived = memory::condense::is_archived(&repo, &focused);
    let begun = memory::condense::has_begun(&repo, &focused);
    // Before, what the work changed is not committed yet, and the card counts commits.
    let ahead = repo.map(&focused.state.stand).asks_ahead(repo.row(Some(&focused)));
    let asks = (begun || ahead) && jobs::completion::eligible(&repo, &focused);
    let card = if asks { Some(judge::card::line(&repo, &focused)?) } else { None };
    let small = repo.map(&focused.state.stand).lane.is_some();
    // Its first line; the other one is the card.
    let shape =
        || briefing::gather::question_text(&repo, &focused).lines().next().map(str::to_owned);
    let asked = !jobs::unattended::defers(&repo, &focused.state);
    let ask = if asks && asked && small { shape() } else { None };
    out.json(&serde_json::json!({
        "stage": stage, "live": live.len(), "archived": archived, "baseline_words": baseline,
        "footer_words": now, "max_words": most, "card": card, "ask": ask,
    }));
    if begun {
        out.pair("stage", stage);
    } else {
        let phase = focused.state.stand.phase.as_str();
        out.pair("stage", voice::tell(Notice::CondenseLater, &[("phase", phase)]));
    }
    for note in &live {
        out.pair("note", format_args!("{note} is live"));
    }
    let log = match (archived, repo.row(Some(&focused)).measures) {
        (true, _) => Notice::LogHolds,
        (false, true) => Notice::LogHoldsNot,
        // There the command is refused.
        (false, false) => Notice::LogHoldsLater,
    };
    // A small job has no notes to settle.
    if !small || now > 0 {
        out.pair("log", voice::tell(log, &[]));
        let [now, most, baseline] = [now, most, baseline].map(|n| n.to_string());
        let facts = [("now", now.as_str()), ("most", &most), ("baseline", &baseline)];
        out.pair("footers", voice::tell(Notice::FootersHave, &facts));
    }
    if let Some(ask) = ask {
        out.pair("ask", ask);
    }
    if let Some(card) = card {
        out.pair("card", card);
    }
    Ok(Outcome::Yes)
}

fn archive(context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let archived = match memory::condense::archive(&repo, By::Agent)? {
        Ok(archived) => archived,
        Err(refusal) => return Ok(super::refuse(&repo, &refusal, out)),
    };
    out.json(&serde_json::json!({
        "path": archived.path, "pages": archived.pages, "captures": archived.captures,
        "added": archived.added,
    }));
    match (archived.captures, archived.added) {
        (0, _) => out.line(voice::tell(Notice::NothingToArchive, &[])),
        (_, false) => out.line(voice::tell(Notice::ArchivedAlready, &[("path", &archived.path)])),
        (n, true) => {
            let (pages, n) = (count(archived.pages.len(), "page"), n.to_string());
            let facts = [("path", archived.path.as_str()), ("pages", &pages), ("n", &n)];
            out.line(voice::tell(Notice::ArchivedFooters, &facts));
            if is_absorbable(&repo) {
                out.line(voice::tell(Notice::MayAbsorb, &[]));
            }
        }
    }
    Ok(Outcome::Yes)
}

/// Some page holds what `absorb` would move or delete. What does not read is for `absorb` to say.
fn is_absorbable(repo: &Repo) -> bool {
    let Ok(Ok(pages)) = memory::condense::absorb(repo, true) else { return true };
    pages.iter().any(|page| page.absorbed.text != page.before)
}

fn verify(context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let focused = repo.require_focused()?;
    match memory::condense::unarchived(&repo, &focused)? {
        None => {
            out.json(&serde_json::json!({ "archived": true }));
            out.line(voice::tell(Notice::LogIsWhole, &[]));
            Ok(Outcome::Yes)
        }
        Some(lacks) => {
            let later = commands::condenses(repo.row(Some(&focused)), None, "verify").err();
            super::refuse(&repo, &later.unwrap_or_else(|| lacks.refusal("verify")), out);
            Ok(Outcome::Failed)
        }
    }
}

fn absorb(dry: bool, context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let pages = match memory::condense::absorb(&repo, dry)? {
        Ok(pages) => pages,
        Err(refusal) => return Ok(super::refuse(&repo, &refusal, out)),
    };
    let rows: Vec<_> = pages.iter().map(as_json).collect();
    out.json(&serde_json::json!({ "dry_run": dry, "pages": rows }));
    for page in &pages {
        summary(page, dry, out);
    }
    for page in pages.iter().filter(|page| page.absorbed.text != page.before) {
        diff(page, out);
    }
    let alone = pages.iter().any(|page| page.left_alone);
    Ok(if alone { Outcome::Failed } else { Outcome::Yes })
}

fn as_json(page: &PageAbsorbed) -> serde_json::Value {
    let absorbed = &page.absorbed;
    let moved: Vec<_> = absorbed
        .moved
        .iter()
        .map(|moved| serde_json::json!({ "line": moved.line, "heading": moved.heading }))
        .collect();
    let dropped: Vec<_> = absorbed
        .dropped
        .iter()
        .map(|dropped| serde_json::json!({ "line": dropped.line, "why": why(dropped.why) }))
        .collect();
    let left: Vec<_> = absorbed
        .left
        .iter()
        .map(|left| serde_json::json!({ "line": left.line, "why": stays(left.why) }))
        .collect();
    serde_json::json!({
        "page": page.page, "moved": moved, "dropped": dropped, "left": left,
        "changed": absorbed.text != page.before && !page.left_alone, "left_alone": page.left_alone,
    })
}

fn why(why: Why) -> &'static str {
    match why {
        Why::Ephemeral => "ephemeral",
        Why::Resolved => "resolved",
        Why::Doubled => "doubled",
    }
}

fn stays(why: Stays) -> &'static str {
    match why {
        Stays::Untagged => "untagged",
        Stays::Notes => "note",
        Stays::Unclosed => "unclosed",
    }
}

fn diff(page: &PageAbsorbed, out: &mut Report) {
    let (old, new) = (format!("a/{}", page.page), format!("b/{}", page.page));
    out.diff(&unified_diff(&page.before, &page.absorbed.text, (&old, &new)));
}

fn summary(page: &PageAbsorbed, dry: bool, out: &mut Report) {
    let name = &page.page;
    if page.left_alone {
        out.line(voice::tell(Notice::PageChangedMeanwhile, &[("page", name)]));
        return;
    }
    let absorbed = &page.absorbed;
    let gone = |why: Why| absorbed.dropped.iter().filter(|dropped| dropped.why == why).count();
    let parts = [
        (absorbed.moved.len(), "into the body"),
        (gone(Why::Doubled), "in the body already"),
        (gone(Why::Ephemeral), "ephemeral dropped"),
        (gone(Why::Resolved), "resolved dropped"),
        (absorbed.left.len(), "left to you"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if parts.is_empty() {
        return;
    }
    let would = if dry { " (nothing written)" } else { "" };
    out.line(format_args!("{name}: {}{would}", parts.join(", ")));
    for left in &absorbed.left {
        let what = match left.why {
            Stays::Untagged => Notice::StaysUntagged,
            Stays::Notes => Notice::StaysNote,
            Stays::Unclosed => Notice::StaysUnclosed,
        };
        out.line(format_args!("  {name}:{} {}", left.line, voice::tell(what, &[])));
    }
}
