//! One job as a part of the page: what it is, its footers and notes, and its phases.

use super::page::{Limits, lasted, time, within, words};
use super::plot;
use crate::engine::repo::text::count;
use crate::engine::story::changes::{CommitShown, FileChanged};
use crate::engine::story::footers::NoteShown;
use crate::engine::story::job::{Cost, Event, JobStory, Stay, StepShown};
use crate::engine::story::refusals::{Fate, RefusalShown};
use crate::engine::story::rulings::{RulingShown, TestsShown};
use crate::engine::story::said::SaidShown;
use crate::html::Escaped;
use crate::voice::{Notice, tell};

/// The headings of a job: of itself, of its parts, of a stay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks([(&'static str, &'static str); 3]);

impl Ranks {
    /// Where the page is about one job.
    pub(super) const ALONE: Self = Self([("<h1>", "</h1>"), ("<h2>", "</h2>"), ("<h3>", "</h3>")]);
    /// Where it is one of many.
    pub(super) const AMONG: Self = Self([("<h2>", "</h2>"), ("<h3>", "</h3>"), ("<h4>", "</h4>")]);

    fn part(self, page: &mut Escaped, name: &str) {
        let (open, close) = self.0[1];
        page.element(open, name, close);
    }
}

/// Draws a job.
pub(super) fn draw(page: &mut Escaped, story: &JobStory, limits: Limits, ranks: Ranks) {
    page.raw("<section id=\"job-").text(&story.id).raw("\">");
    let (open, close) = ranks.0[0];
    page.element(open, &story.name, close);
    head(page, story, limits);
    contents(page, story);
    if !story.footers.pages.is_empty() {
        ranks.part(page, "Footers");
        plot::footers(page, &story.footers, limits);
    }
    ranks.part(page, "Notes");
    notes(page, &story.notes, limits);
    let mut of = (0, u32::MAX);
    for (n, stay) in story.stays.iter().enumerate() {
        if of != (stay.run, stay.cycle) {
            of = (stay.run, stay.cycle);
            ranks.part(page, &cycle(stay));
        }
        draw_stay(page, story, n, (limits, ranks));
    }
    page.raw("</section>\n");
}

/// Which cycle of which run a stay is in.
fn cycle(stay: &Stay) -> String {
    match stay.cycle {
        0 => format!("Run {}, before the cycles", stay.run),
        cycle => format!("Run {}, cycle {cycle}", stay.run),
    }
}

fn head(page: &mut Escaped, story: &JobStory, limits: Limits) {
    for missing in &story.missing {
        page.element("<p class=\"missing\">", missing, "</p>");
    }
    page.raw("<dl class=\"facts\">");
    let track = story.track.as_deref().unwrap_or("none yet");
    let run = story.run.to_string();
    let stands = format!("{}, cycle {}", story.phase, story.cycle);
    let cost = if story.cost.is_nothing() { String::new() } else { cost(&story.cost) };
    let facts = [
        ("job", story.id.as_str()),
        ("status", story.status),
        ("stands in", stands.as_str()),
        ("run", run.as_str()),
        ("track", track),
        ("cost", cost.as_str()),
    ];
    for (key, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        page.element("<dt>", key, "</dt>");
        page.element("<dd>", value, "</dd>");
    }
    page.raw("<dt>created</dt><dd>");
    time(page, &story.created_at);
    page.raw("</dd><dt>changed</dt><dd>");
    time(page, &story.updated_at);
    page.raw("</dd>");
    if !story.depends_on.is_empty() {
        page.element("<dt>waits for</dt><dd>", &story.depends_on.join(", "), "</dd>");
    }
    for landing in &story.landings {
        let commits = landing.commits.len().to_string();
        let short = short(&landing.tip);
        let facts = [("branch", &*landing.branch), ("tip", short), ("commits", &*commits)];
        page.element("<dt>landed</dt><dd>", &tell(Notice::StoryLanded, &facts), "</dd>");
    }
    page.raw("</dl>");
    if !story.objective.is_empty() {
        page.raw("<details open><summary>Objective</summary>");
        words(page, &story.objective, limits);
        page.raw("</details>");
    }
}

/// What something took, in one line.
pub(super) fn cost(cost: &Cost) -> String {
    let many = |n: u32, what: &str| count(n as usize, what);
    let (calls, words) = (many(cost.calls, "call"), many(cost.words, "word"));
    let (refusals, commits) = (many(cost.refusals, "refusal"), many(cost.commits, "commit"));
    let facts = [
        ("time", &*lasted(cost.seconds)),
        ("calls", &*calls),
        ("words", &*words),
        ("refusals", &*refusals),
        ("commits", &*commits),
    ];
    tell(Notice::StoryCost, &facts)
}

fn anchor(page: &mut Escaped, story: &JobStory, n: usize) {
    page.text(&story.id).raw("-").text(&n.to_string());
}

fn contents(page: &mut Escaped, story: &JobStory) {
    page.raw("<nav aria-label=\"Phases of ").text(&story.id);
    page.raw("\"><details><summary>Phases</summary><ol>");
    for (n, stay) in story.stays.iter().enumerate() {
        page.raw("<li><a href=\"#");
        anchor(page, story, n);
        page.raw("\">").text(&stay.phase).raw("</a> <small>").text(&cycle(stay));
        page.raw("</small></li>");
    }
    page.raw("</ol></details></nav>");
}

fn notes(page: &mut Escaped, notes: &[NoteShown], limits: Limits) {
    if notes.is_empty() {
        page.element("<p class=\"dim\">", &tell(Notice::StoryNoNotes, &[]), "</p>");
        return;
    }
    page.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Notes\"><table>");
    page.raw("<thead><tr><th>kind</th><th>note</th><th>page</th><th>since</th><th>went</th></tr>");
    page.raw("</thead><tbody>");
    for note in notes.iter().take(limits.rows) {
        page.element("<tr><td>", &note.kind, "</td>");
        page.element("<td class=\"wide\">", within(&note.content, limits.words).0, "</td>");
        page.element("<td>", &note.page, "</td>");
        page.raw("<td>").text(&note.since).raw("<br>");
        time(page, &note.at);
        page.raw("</td><td class=\"wide\">").text(note.state);
        if !note.leads.is_empty() {
            page.raw(": ").text(within(&note.leads, limits.words).0);
        }
        page.raw("</td></tr>");
    }
    page.raw("</tbody></table></div>");
}

fn draw_stay(page: &mut Escaped, story: &JobStory, n: usize, (limits, ranks): (Limits, Ranks)) {
    let Some(stay) = story.stays.get(n) else { return };
    page.raw("<section class=\"stay\" tabindex=\"-1\" id=\"");
    anchor(page, story, n);
    let (open, close) = ranks.0[2];
    page.raw("\">").raw(open).text(&stay.phase);
    if !stay.cost.is_nothing() {
        page.raw(" <small>").text(&cost(&stay.cost)).raw("</small>");
    }
    page.raw(close).raw("<p class=\"dim\">");
    time(page, &stay.began);
    match &stay.ended {
        Some(ended) => {
            page.raw(" – ");
            time(page, ended);
        }
        None => drop(page.raw(" – open")),
    }
    page.raw("</p><ol class=\"events\">");
    for event in stay.events.iter().take(limits.events) {
        draw_event(page, event, limits);
    }
    let more = stay.events.len().saturating_sub(limits.events);
    if more > 0 {
        let told = tell(Notice::StoryEvents, &[("n", &more.to_string())]);
        page.element("<li class=\"dim\">", &told, "</li>");
    }
    page.raw("</ol></section>\n");
}

fn draw_event(page: &mut Escaped, event: &Event, limits: Limits) {
    match event {
        Event::Said(said) => draw_said(page, said, limits),
        Event::Refusal(refusal) => draw_refusal(page, refusal, limits),
        Event::Tests(tests) => draw_tests(page, tests, limits),
        Event::Ruling(ruling) => draw_ruling(page, ruling, limits),
        Event::Step(step) => draw_step(page, step, limits),
    }
    page.raw("</li>\n");
}

fn draw_said(page: &mut Escaped, said: &SaidShown, limits: Limits) {
    page.element("<li><p><span class=\"tag\">", said.kind, "</span> ");
    time(page, &said.at);
    page.raw(" <small>").text(&said.provenance).raw("</small></p>");
    words(page, &said.text, limits);
}

fn draw_refusal(page: &mut Escaped, refusal: &RefusalShown, limits: Limits) {
    page.raw("<li class=\"bad\"><p><span class=\"tag\">refused</span> ");
    time(page, &refusal.at);
    page.raw(" <small>by ").text(&refusal.by).raw(", wants ").text(refusal.wants).raw("</small>");
    page.raw("</p><p>");
    let what = match refusal.event {
        "tool" => &*refusal.tool,
        event => event,
    };
    page.element("<code>", what, "</code>");
    for path in refusal.paths.iter().take(8) {
        page.element(" <code>", path, "</code>");
    }
    page.raw("</p><p>").text(within(&refusal.why, limits.words).0);
    page.raw("</p><p>Do: ").text(within(&refusal.do_, limits.words).0).raw("</p><p class=\"dim\">");
    page.text(&fate(refusal)).raw("</p>");
}

fn fate(refusal: &RefusalShown) -> String {
    let time = lasted(refusal.held_up.unwrap_or_default());
    let key = match refusal.fate {
        Fate::Passed => Notice::FatePassed,
        Fate::OtherWay => Notice::FateOther,
        Fate::Open => Notice::FateOpen,
    };
    tell(key, &[("time", &time)])
}

fn draw_tests(page: &mut Escaped, tests: &TestsShown, limits: Limits) {
    page.raw(if tests.failed { "<li class=\"bad\">" } else { "<li class=\"good\">" });
    page.raw("<p><span class=\"tag\">tests</span> ");
    time(page, &tests.at);
    page.raw("</p><p>").element("<code>", within(&tests.command, limits.words).0, "</code> ");
    let ended = match tests.status {
        Some(status) => format!("exit status {status}"),
        None if tests.failed => tell(Notice::RunFailedUntold, &[]),
        None => tell(Notice::RunUntold, &[]),
    };
    let counts = tests.counts.clone().unwrap_or_else(|| tell(Notice::CountsUnknown, &[]));
    let part = tests.part.as_deref().unwrap_or("all");
    let receipt = &tests.receipt;
    page.raw("</p><p class=\"dim\">").text(&format!("{ended} · {counts} · {part} · {receipt}"));
    page.raw("</p>");
}

fn draw_ruling(page: &mut Escaped, ruling: &RulingShown, limits: Limits) {
    page.raw(if ruling.opens { "<li class=\"good\">" } else { "<li class=\"bad\">" });
    page.raw("<p><span class=\"tag\">claim</span> ");
    time(page, &ruling.at);
    page.raw(" <b>").text(ruling.directive).raw("</b> <small>").text(ruling.kind);
    page.raw("</small></p>");
    words(page, &ruling.claim, limits);
    if !ruling.evidence.is_empty() {
        page.raw("<p class=\"dim\">Evidence it named: ");
        page.text(within(&ruling.evidence, limits.words).0).raw("</p>");
    }
    if !ruling.reasons.is_empty() {
        page.raw("<ul>");
        for reason in ruling.reasons.iter().take(limits.rows) {
            page.element("<li>", within(reason, limits.words).0, "</li>");
        }
        page.raw("</ul>");
    }
    let receipts = match &*ruling.receipts {
        [] => tell(Notice::StoryNoReceipt, &[]),
        all => format!("receipts: {}", all[..all.len().min(20)].join(", ")),
    };
    page.element("<p class=\"dim\">", &receipts, "</p>");
}

fn draw_step(page: &mut Escaped, step: &StepShown, limits: Limits) {
    page.element("<li><p><span class=\"tag\">", &step.step, "</span> ");
    time(page, &step.at);
    page.raw(" <small>").text(step.by.as_deref().unwrap_or_default());
    if let Some(commit) = &step.commit {
        page.raw(" commit ").text(short(&commit.id));
    }
    page.raw("</small></p><p>").text(within(&step.subject, limits.words).0).raw("</p>");
    if !step.message.is_empty() {
        page.raw("<details><summary>Message</summary>");
        words(page, &step.message, limits);
        page.raw("</details>");
    }
    if let Some(commit) = &step.commit {
        draw_commit(page, commit, limits);
    }
}

fn draw_commit(page: &mut Escaped, commit: &CommitShown, limits: Limits) {
    if !commit.here {
        page.element("<p class=\"dim\">", &tell(Notice::StoryNotHere, &[]), "</p>");
        return;
    }
    page.raw("<ul class=\"files\">");
    for file in &commit.files {
        draw_file(page, file, limits);
    }
    if commit.more {
        page.element("<li class=\"dim\">", &tell(Notice::StoryFiles, &[]), "</li>");
    }
    page.raw("</ul>");
}

fn draw_file(page: &mut Escaped, file: &FileChanged, limits: Limits) {
    let (diff, more) = within(file.diff.as_deref().unwrap_or_default(), limits.hunks);
    let told = |page: &mut Escaped| {
        page.element("<code>", &file.path, "</code> <small>");
        page.text(file.kind).text(&format!(" +{} −{}", file.added, file.removed));
        page.raw("</small>");
    };
    page.raw("<li>");
    if diff.is_empty() {
        told(page);
    } else {
        page.raw("<details><summary>");
        told(page);
        page.raw("</summary><pre class=\"d\">");
        for line in diff.split_inclusive('\n') {
            let (open, close) = match line.as_bytes().first() {
                Some(b'+') => ("<i>", "</i>"),
                Some(b'-') => ("<b>", "</b>"),
                Some(b'@') => ("<u>", "</u>"),
                _ => ("", ""),
            };
            // A block ends its line by itself.
            let line = if open.is_empty() { line } else { line.trim_end_matches('\n') };
            page.element(open, line, close);
        }
        page.raw("</pre></details>");
    }
    if more || file.cut {
        page.element("<p class=\"dim\">", &tell(Notice::StoryMore, &[]), "</p>");
    }
    page.raw("</li>");
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
