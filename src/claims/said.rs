//! The ruling on a message as it was said: the last words of a turn, the question whether a job
//! is complete.
//!
//! Nothing is declared, so nothing has to be declared well. What the difference and the receipts
//! do not show is named, whatever the wording and the language: that is what no list of phrases
//! stands before. Phrases only make it worse: what is told as a result without a run, or as done
//! without a change, has to be said differently.

use super::gate::{ClaimAnswer, ContinuityBinding, InputVerification, ReceiptRead, RequireTool};
use super::items::{self, Index};
use super::phrases::Text;
use super::receipts::Runs;
use super::ruling::{
    self, ClaimFigures, Reasons, Seen, Shares, action_claimed, invented, says_that_it_ran,
    sentences,
};
use super::surface::Surface;
use super::table::{Backing, Finding, GateTable, SaidRows};
use super::{ActionType, ClaimCase, Directive, Truth};

/// What a message says of itself.
struct Spoken<'c> {
    text: Text,
    raw: &'c str,
    /// That not everything was run.
    not_run: bool,
    /// That nothing was changed.
    unchanged: bool,
    /// That something failed.
    failed: bool,
    /// That it is about layout or comments.
    layout: bool,
}

impl<'c> Spoken<'c> {
    fn of(raw: &'c str, table: &GateTable) -> Self {
        let (text, rows) = (Text::of(raw), &table.said);
        Self {
            not_run: text.holds(&rows.not_run),
            unchanged: text.holds(&rows.unchanged),
            failed: text.says_some(&rows.failed, &table.words),
            layout: text.holds(&rows.layout),
            text,
            raw,
        }
    }

    /// What is told as a result. A sign alone is none where it is said that nothing ran.
    fn results(&self, table: &GateTable) -> Vec<String> {
        let mut found: Vec<String> = self.text.pairs().map(str::to_owned).collect();
        found.extend(self.text.all_said(&table.said.results, &table.words));
        if !self.not_run {
            found.extend(self.text.all_said(&table.said.vague, &table.words));
            let signs = table.said.signs.iter().filter(|sign| self.raw.contains(sign.as_str()));
            found.extend(signs.cloned());
        }
        found.dedup();
        found
    }
}

/// Code and data of the difference that no run on them covers.
pub(super) fn uncovered(
    truth: &Truth,
    surface: &Surface,
    runs: &Runs<'_>,
    table: &GateTable,
) -> Vec<String> {
    let bare = |&at: &usize| {
        let file = &truth.files[at];
        !surface.is_prose(at) && !file.layout && !runs.covers(at, truth, surface, table)
    };
    (0..truth.files.len()).filter(bare).map(|at| truth.files[at].path.clone()).collect()
}

/// The answer to a message.
pub(super) fn message(case: &ClaimCase, table: &GateTable) -> ClaimAnswer {
    let (claim, truth) = (&case.claim, &case.truth);
    let index = Index::of(truth);
    let surface = Surface::of(truth, table);
    let runs = Runs::of(&case.receipts, &index, table);
    let spoken = Spoken::of(&claim.text, table);
    let fixed = action_claimed(&spoken.text, table) != ActionType::Other
        || says_that_it_ran(&[&spoken.text], table);
    let mut reasons = Reasons::new(table, fixed);
    let bare = uncovered(truth, &surface, &runs, table);

    changes(&mut reasons, &spoken, truth, &surface);
    let mut required = ran(&mut reasons, &spoken, &runs, &bare);
    ruling::tests_gone(&mut reasons, case);
    names(&mut reasons, case, &index, surface.only_prose);
    facts(&mut reasons, &spoken, &runs, &mut required);
    if !bare.is_empty() {
        // Whatever the rows say: code that no run covers is never passed.
        reasons.at_least(Directive::Damp);
    }

    let seen = Seen::of(claim, &surface, &runs, table);
    let all = truth.files.len();
    let tested = super::arithmetic::share(all - bare.len(), all, 1.0);
    let shares = Shares { tested, named: 1.0 };
    let figures = ClaimFigures::of(case, table, &shares, seen.weight);
    ClaimAnswer {
        directive: reasons.directive,
        next: reasons.next(&required),
        // What is not shown is told to the person, whatever it costs the agent.
        gaps: reasons.said.clone(),
        revision_reasons: reasons.said,
        coverage: super::arithmetic::rounded(figures.coverage),
        declared_coverage: super::arithmetic::rounded(tested),
        evidence_weight: super::arithmetic::rounded(seen.weight),
        untested_paths: bare,
        input_verification: InputVerification {
            declaration_trust: 1.0,
            declaration_coverage: 1.0,
            repo_surface_size: surface.size(),
            missed_by_llm: Vec::new(),
            warnings: Vec::new(),
        },
        require_tool: required,
        continuity_binding: ContinuityBinding {
            bound: true,
            unopened: Vec::new(),
            source: "nobody".to_owned(),
        },
        trust_evaluation: figures.trust,
        confidence_fusion: figures.fusion,
        physics: figures.physics,
        receipts: runs.read(&case.receipts).collect::<Vec<ReceiptRead>>(),
    }
}

/// Work that is told and not there, or only in comments and white space.
fn changes(reasons: &mut Reasons<'_>, spoken: &Spoken<'_>, truth: &Truth, surface: &Surface) {
    let table = reasons.table;
    let done = spoken.text.says(&table.said.deeds, &table.words);
    if truth.files.is_empty() {
        match (spoken.unchanged, done) {
            (true, false) => {}
            (false, true) => reasons.found(Finding::NothingChanged),
            _ => reasons.found(Finding::NothingChangedNamed),
        }
        return;
    }
    let code = (0..truth.files.len()).filter(|&at| !surface.is_prose(at));
    let (layout, rest): (Vec<usize>, Vec<usize>) = code.partition(|&at| truth.files[at].layout);
    let named: Vec<&str> = layout.iter().map(|&at| truth.files[at].path.as_str()).collect();
    let fixes = |sentence: &&str| {
        let text = Text::of(sentence);
        let fixed = action_claimed(&text, table) == ActionType::ClaimFixed;
        fixed && !text.holds(&table.said.layout)
    };
    let fixed = sentences(spoken.raw).any(|sentence| fixes(&sentence));
    if rest.is_empty() && (fixed || !spoken.layout) {
        reasons.names(Finding::OnlyLayout, &named);
    } else {
        reasons.names(Finding::LayoutNamed, &named);
    }
    reasons.names(Finding::TestsWeaker, &truth.tests_weaker);
}

/// What ran, against what is told of it.
fn ran(
    reasons: &mut Reasons<'_>,
    spoken: &Spoken<'_>,
    runs: &Runs<'_>,
    bare: &[String],
) -> RequireTool {
    let table = reasons.table;
    let results = spoken.results(table);
    let failing = runs.failing();
    let admitted = spoken.failed && !failing.is_empty();
    let texts = [&spoken.text];
    if admitted {
        reasons.names(Finding::FailedAsSaid, &failing);
    } else {
        runs.say_failed(&mut |finding, names| reasons.names(finding, names), &texts, table);
    }
    runs.say_quiet(&mut |finding, names| reasons.names(finding, names));
    let commands = runs.failed_commands(table);
    let met = !results.is_empty() || spoken.text.says(&table.said.met, &table.words);
    if met && !spoken.failed {
        reasons.names(Finding::FailedCommand, &commands);
    } else {
        reasons.names(Finding::FailedCommandNamed, &commands);
    }
    if runs.any_fresh() && !runs.any_whole() {
        let parts: Vec<String> = runs.parts().flatten().map(super::Part::told).collect();
        reasons.names(Finding::PartOnly, &parts);
    }
    if !admitted {
        runs.say_counts(&mut |finding, names| reasons.names(finding, names), &texts, table);
    }
    let mut required = RequireTool::default();
    if !bare.is_empty() {
        reasons.names(Finding::NotRun, bare);
        if !admitted && !runs.any_fresh() {
            reasons.names(Finding::Unshown, &results);
        }
        ruling::needs_run(&mut required, table, reasons.said.last());
    }
    required
}

/// Each thing that is named, for itself.
fn names(reasons: &mut Reasons<'_>, case: &ClaimCase, index: &Index<'_>, only_prose: bool) {
    let (truth, table) = (&case.truth, reasons.table);
    if truth.files.is_empty() {
        return;
    }
    let ran = |name: &str| case.receipts.iter().any(|receipt| receipt.command.contains(name));
    let there = |name: &&str| truth.held.iter().any(|held| held == name);
    let (mut untouched, mut beside) = (Vec::new(), Vec::new());
    for sentence in sentences(&case.claim.text) {
        let files = items::paths_named(sentence, &table.files, &table.said.no_files);
        let other = files.into_iter().filter(|file| index.find(file).is_empty() && !ran(file));
        for file in other.filter(|file| !is_mentioned(sentence, file, table)) {
            let prose = items::ends(file, &table.files.prose);
            let fixes = || action_claimed(&Text::of(sentence), table) == ActionType::ClaimFixed;
            let done = if only_prose && !prose { fixes() } else { is_done(sentence, file, table) };
            (if done { &mut untouched } else { &mut beside }).push(file);
        }
    }
    let calls = items::calls_named(&case.claim.text);
    let (there, gone): (Vec<&str>, Vec<&str>) =
        calls.into_iter().filter(|call| index.find(call).is_empty()).partition(there);
    beside.extend(there);
    for list in [&mut untouched, &mut beside] {
        list.sort_unstable();
        list.dedup();
    }
    reasons.names(Finding::NamedUntouched, &untouched);
    reasons.names(Finding::NamedBeside, &beside);
    let unknown = invented(case, index);
    let mut tests: Vec<&str> = Vec::new();
    for sentence in sentences(&case.claim.text) {
        let files = items::paths_named(sentence, &table.files, &table.said.no_files);
        tests.extend(items::tests_named(sentence).into_iter().filter(|name| {
            unknown.iter().any(|other| other == name)
                && !ran(name)
                && !files.iter().any(|file| file.contains(name))
                && !is_mentioned(sentence, name, table)
        }));
    }
    tests.sort_unstable();
    tests.dedup();
    reasons.names(Finding::PhantomTest, &tests);
    reasons.names(Finding::NotThere, &gone);
}

/// Whether a sentence says of a file that work was done: it has a word for that, or the file
/// stands first, as in a list of what changed.
fn is_done(sentence: &str, file: &str, table: &GateTable) -> bool {
    let plain = |c: char| c.is_whitespace() || "`*-+•|#_>[]()x✅✔☑✓\u{fe0f}".contains(c);
    let first = sentence.trim_start_matches(plain);
    let first = first
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
        .trim_start_matches(plain);
    let text = Text::of(sentence);
    let label = sentence.find(file).is_some_and(|at| {
        // **Client** (`client/conn.go`)
        sentence[..at].trim_start().starts_with(['*', '#', '|'])
    });
    first.starts_with(file)
        || label
        || text.says(&table.said.deeds, &table.words)
        || text.does(&table.words.changes, &table.words.forms)
}

/// Whether a sentence names a file without saying that it changed.
fn is_mentioned(sentence: &str, file: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    let quoted = sentence.split('`').skip(1).step_by(2);
    // A command to run names what it runs on.
    let in_command = |span: &str| span.contains(file) && span.trim().contains(' ');
    quoted.into_iter().any(in_command)
        || text.holds(&table.said.passing)
        || text.holds(&table.said.unchanged)
        || text.is_negated(&file.to_lowercase(), &table.words)
}

/// Facts of the world, and acts beyond this work tree.
fn facts(
    reasons: &mut Reasons<'_>,
    spoken: &Spoken<'_>,
    runs: &Runs<'_>,
    required: &mut RequireTool,
) {
    let table = reasons.table;
    let admitted = spoken.failed && !runs.failing().is_empty();
    let mut acted = false;
    let mut open: Vec<String> = Vec::new();
    for row in &table.fact {
        let of_runs = matches!(row.backing, Backing::Run | Backing::Whole);
        // What is said not to have run is named where code changed.
        if of_runs && (admitted || spoken.not_run && !runs.any_fresh())
            || !spoken.text.says(&row.phrases, &table.words)
        {
            continue;
        }
        if runs.shows(row, table) {
            acted |= row.backing == Backing::Act;
            let other = other_target(spoken.raw, row, runs, table);
            reasons.names(Finding::OtherTarget, &other);
            continue;
        }
        // What is asked for or still to be done is no act of this turn.
        if row.backing == Backing::Act && !is_stated(spoken.raw, row, table) {
            open.push(row.fact.replace('_', " "));
            continue;
        }
        acted |= row.backing == Backing::Act;
        required.needed = true;
        required.facts.push(row.fact.clone());
        required.tool = Some(row.tool.clone());
        required.why = Some(row.why.clone());
        reasons.names(Finding::RequireTool, &[&row.why]);
    }
    if !acted {
        open.extend(spoken.text.all_said(&table.said.outside, &table.words));
        reasons.names(Finding::OutsideNamed, &open);
    }
}

/// Whether a sentence states the fact, and does not leave it open.
fn is_stated(raw: &str, row: &super::table::FactRow, table: &GateTable) -> bool {
    let clauses = sentences(raw).flat_map(|sentence| sentence.split([',', '，', '、', '—', '–']));
    let mut texts = clauses.map(Text::of);
    texts.any(|text| text.says(&row.phrases, &table.words) && !text.holds(&table.said.open))
}

/// Targets that a sentence of the act names, where the acts that ran name others.
fn other_target(
    raw: &str,
    row: &super::table::FactRow,
    runs: &Runs<'_>,
    table: &GateTable,
) -> Vec<String> {
    let said: Vec<Text> =
        sentences(raw).map(Text::of).filter(|text| text.says(&row.phrases, &table.words)).collect();
    let commands: Vec<&str> = runs.acted(&row.acts, table).collect();
    let named = |group: &str, is: &dyn Fn(&str) -> bool| group.split('|').any(is);
    let of_command =
        |group: &str| named(group, &|word| commands.iter().any(|line| has_part(line, word)));
    let of_text = |group: &str| named(group, &|word| said.iter().any(|text| text.has(word)));
    let groups = || table.said.targets.iter().map(String::as_str);
    let some = groups().any(of_command);
    let other = groups().filter(|group| some && of_text(group) && !of_command(group));
    other.map(|group| group.split('|').next().unwrap_or(group).to_owned()).collect()
}

/// Whether a line has `word` as a word of its own.
fn has_part(line: &str, word: &str) -> bool {
    line.split(|sign: char| !(sign.is_alphanumeric() || sign == '.')).any(|part| part == word)
}

/// Whether a text admits that nothing was run, and tells no result.
pub(super) fn admits_no_run(raw: &str, table: &GateTable) -> bool {
    let spoken = Spoken::of(raw, table);
    spoken.not_run && spoken.results(table).is_empty()
}

/// What a text tells as a result.
pub(super) fn results(raw: &str, table: &GateTable) -> Vec<String> {
    let SaidRows { results, .. } = &table.said;
    let text = Text::of(raw);
    let pairs = text.pairs().map(str::to_owned);
    pairs.chain(text.all_said(results, &table.words)).collect()
}
