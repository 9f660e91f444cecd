//! The ruling on a message as it was said: the last words of a turn, the question whether a job
//! is complete.
//!
//! Nothing is declared, so nothing has to be declared well. What the difference and the receipts
//! do not show is named, whatever the wording and the language: that is what no list of phrases
//! stands before. Phrases only make it worse: what is told as a result without a run, or as done
//! without a change, has to be said differently.

use super::gate::{ClaimAnswer, ContinuityBinding, InputVerification, ReceiptRead, RequireTool};
use super::items::{self, Index};
use super::named;
use super::phrases::{Text, ticked};
use super::receipts::Runs;
use super::results::Results;
use super::ruling::{
    self, ClaimFigures, Reasons, Seen, Shares, action_claimed, says_that_it_ran, sentences,
};
use super::sure;
use super::surface::Surface;
use super::table::{Backing, Finding, GateTable, SaidRows};
use super::{ActionType, ClaimCase, Directive, Truth};

/// What a message says of itself.
struct Spoken {
    text: Text,
    raw: String,
    /// That not everything was run.
    not_run: bool,
    /// That nothing was changed.
    unchanged: bool,
    /// That something failed.
    failed: bool,
    /// That it is about layout or comments.
    layout: bool,
    /// In a sentence of its own, that something could not be done or is not so.
    hindered: bool,
}

impl Spoken {
    fn of(raw: &str, table: &GateTable) -> Self {
        let hindered = sentences(raw).any(|sentence| {
            let (text, rows) = (Text::of(sentence), &table.said);
            let ticked = rows.signs.iter().any(|sign| sentence.contains(sign.as_str()));
            let told = sentence.contains(['❌', '✗', '✘', '✖']) || text.holds(&rows.hindered);
            told && !ticked
                && !text.says(&rows.deeds, &table.words)
                && text.all_said(&rows.results, &table.words).is_empty()
        });
        let (raw, open) = ticked(raw);
        let (text, open, rows) = (Text::of(&raw), Text::of(&open), &table.said);
        Self {
            // A run whose box is open is said not to have been made.
            not_run: text.holds(&rows.not_run)
                || open.holds(&rows.tests)
                || says_that_it_ran(&[&open], table),
            unchanged: text.holds(&rows.unchanged),
            failed: still_fails(&raw, table),
            layout: text.holds(&rows.layout),
            hindered,
            text,
            raw,
        }
    }

    /// Runs failed, and it says so, or says that they came to no test.
    fn admits_failure(&self, runs: &Runs<'_>) -> bool {
        let admits = self.failed || (self.not_run && !runs.any_failed_counted());
        admits && !runs.failing().is_empty()
    }

    /// It names a command by its words.
    fn names_command(&self, line: &str, table: &GateTable) -> bool {
        let named = super::acts::named(line, &table.said.tools);
        named.iter().any(|words| words.iter().all(|word| self.text.has(word)))
    }

    /// A sentence says of its own that something failed or did not run to its end, and of no work
    /// that it was done.
    fn tells_of_failure(&self, table: &GateTable) -> bool {
        sentences(&self.raw).map(Text::of).any(|text| {
            let fails =
                text.says_some(&table.said.failed, &table.words) || text.holds(&table.said.not_run);
            fails && !text.says(&table.said.deeds, &table.words)
        })
    }

    /// What is told as a result. A sign alone is none where it is said that nothing ran, and
    /// what a command shows that is named beside it is shown.
    fn results(&self, runs: &Runs<'_>, index: &Index<'_>, table: &GateTable) -> Results {
        let shown = runs.well(table);
        let mut all = Results::default();
        let mut signs: Vec<String> = Vec::new();
        let mut is_shown = false;
        let raw = unshown(&self.raw, runs, table);
        for sentence in sentences(&raw).flat_map(|one| one.split(';')) {
            // A sign that stands alone belongs to the sentence before it.
            if is_shown && !sentence.chars().any(char::is_alphanumeric) {
                continue;
            }
            let whole = Text::of(sentence);
            let text = Text::of(&without(sentence, &shown, table));
            let by_command = |words: &Vec<String>| words.iter().all(|word| whole.has(word));
            let of_tests = text.holds(&table.said.tests) || says_that_it_ran(&[&text], table);
            let makes = |words: &Vec<String>| makes(words, &table.said.made);
            let by_make = || shown.iter().any(makes) && whole.holds(&table.said.made);
            is_shown = (shown.iter().any(by_command) || by_make()) && !of_tests;
            if is_shown {
                continue;
            }
            let found = if of_tests { &mut all.of_tests } else { &mut all.others };
            // A fraction of something else is no result where it is said that nothing ran.
            if !self.not_run || text.holds(&table.said.tests) {
                found.extend(text.pairs().map(str::to_owned));
            }
            // A sign at what the difference shows is of the change, not of a run.
            let files = items::paths_named(sentence, &table.files, &table.said.no_files);
            if files.iter().all(|file| index.find(file).is_empty()) {
                let here = table.said.signs.iter().filter(|sign| sentence.contains(sign.as_str()));
                signs.extend(here.cloned());
            }
            found.extend(text.all_said(&table.said.results, &table.words));
            if !self.not_run {
                found.extend(text.all_said(&table.said.vague, &table.words));
            }
        }
        if !self.not_run {
            all.others.extend(signs);
        }
        all.of_tests.dedup();
        all.others.dedup();
        all
    }
}

/// Whether a text says of something that it fails, and not only of what failed that it is mended
/// (`fixed the one test that failed`).
fn still_fails(raw: &str, table: &GateTable) -> bool {
    let (rows, words) = (&table.said, &table.words);
    let fails = |text: &Text| text.says_some(&rows.failed, words);
    if fewer(raw, table) {
        return true;
    }
    let clauses = sentences(raw).flat_map(|sentence| table.clauses.all(sentence)).map(Text::of);
    let (over, rest): (Vec<Text>, Vec<Text>) = clauses.partition(|text| text.holds(&rows.over));
    // A phrase may stand over the end of a clause, too.
    let mended = over.iter().any(fails);
    if mended { rest.iter().any(fails) } else { fails(&Text::of(raw)) }
}

/// Whether a text says that some of a number of tests passed, and not all.
fn fewer(raw: &str, table: &GateTable) -> bool {
    let spelled = super::figures::spelled_out(raw).to_lowercase();
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let words: Vec<String> = spelled.split_whitespace().map(plain).collect();
    let number = |word: &String| word.parse::<u64>().ok();
    (0..words.len()).any(|at| {
        let Some(some) = number(&words[at]) else { return false };
        let rest: Vec<&String> = words[at + 1..]
            .iter()
            .filter(|word| !matches!(word.as_str(), "out" | "the" | "all" | "our"))
            .take(5)
            .collect();
        let [of, all, behind @ ..] = rest.as_slice() else { return false };
        let passes = behind.iter().any(|word| word.starts_with("pass") || *word == "green");
        let of_tests = behind.iter().any(|word| Text::of(word).holds(&table.said.tests));
        *of == "of" && passes && of_tests && number(all).is_some_and(|all| some < all)
    })
}

/// A text without the clauses that tell of a run before the last change as of one, and without
/// those that say of a build, and of no test, what a command that builds has shown.
fn unshown(raw: &str, runs: &Runs<'_>, table: &GateTable) -> String {
    let (older, built) = (runs.any_older(), runs.well(table));
    // What ran on one part may be told beside a word that the other did not.
    let left = older && Text::of(raw).holds(&table.said.not_run);
    let built = built.iter().any(|words| makes(words, &table.said.made));
    if !(older || built) {
        return raw.to_owned();
    }
    let kept = |clause: &&str| {
        let text = Text::of(clause);
        let is_older = older && text.holds(&table.said.older)
            || left && text.holds(&table.said.partly) && !text.holds(&table.said.not_run);
        let of_build = built && text.holds(&table.said.made) && !text.holds(&table.said.tests);
        !(is_older || of_build)
    };
    raw.split_inclusive([';', ',', '\n', '—', '，', '。', '；', '!', '?'])
        .flat_map(|clause| clause.split_inclusive(". "))
        .filter(kept)
        .collect()
}

/// A command that makes something of the code, by its words.
fn makes(words: &[String], made: &[String]) -> bool {
    let stems = || made.iter().flat_map(|row| row.split('|')).map(|one| one.trim_matches('*'));
    words.iter().any(|word| stems().any(|stem| word.contains(stem)))
}

/// A text without the commands that it quotes and that ended well: what is said of them is shown.
fn without(text: &str, shown: &[Vec<String>], table: &GateTable) -> String {
    let is_shown = |span: &str| {
        let named = super::acts::named(span, &table.said.tools);
        !named.is_empty() && named.iter().all(|words| shown.contains(words))
    };
    // A flag that is quoted says nothing: `--test` is no test.
    let flag = |span: &str| span.starts_with('-') && !span.contains(' ');
    let spans = text.split('`').enumerate();
    let kept = spans.filter(|(nth, span)| nth % 2 == 0 || !(is_shown(span) || flag(span)));
    kept.map(|(_, span)| span).collect::<Vec<_>>().join("`")
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
    let (index, surface) = (Index::of(truth), Surface::of(truth, table));
    let runs = Runs::of(&case.receipts, &index, table);
    let spoken = Spoken::of(&claim.text, table);
    let fixed = action_claimed(&spoken.text, table) != ActionType::Other
        || says_that_it_ran(&[&spoken.text], table);
    let mut reasons = Reasons::new(table, fixed);
    let (bare, code) = (uncovered(truth, &surface, &runs, table), surface.has_code());
    let did = (runs.formatted(table), runs.did_beside_tests(table), !runs.is_empty());
    changes(&mut reasons, &spoken, did, (truth, &surface));
    let mut required = ran(&mut reasons, &spoken, (&runs, &index), (&bare, code), truth);
    ruling::tests_gone(&mut reasons, case, &index);
    named::names(&mut reasons, case, &index, (&spoken.raw, surface.only_prose));
    // Settings and data are tried by commands that are no runs of tests.
    let tried = !code && !truth.files.is_empty() && runs.commanded();
    facts(&mut reasons, (&spoken, truth, &index), (&runs, tried), &mut required);
    for beside in [super::untold::add, super::told::add] {
        beside(&mut reasons, &spoken.raw, truth, &runs);
    }
    if code && !bare.is_empty() {
        // Whatever the rows say: code that no run covers is never passed.
        reasons.at_least(Directive::Damp);
    }

    let seen = Seen::of(claim, &surface, &runs, table);
    let all = truth.files.len();
    let tested = super::arithmetic::share(all - bare.len(), all, 1.0);
    let figures = ClaimFigures::of(case, table, &Shares { tested, named: 1.0 }, seen.weight);
    ClaimAnswer {
        directive: reasons.directive,
        next: reasons.next(),
        because: reasons.why(),
        // What is not shown is told to the person, whatever it costs the agent.
        gaps: reasons.said.clone(),
        revision_reasons: reasons.said,
        points: reasons.points,
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
fn changes(
    reasons: &mut Reasons<'_>,
    spoken: &Spoken,
    (formatted, acted, read): (bool, bool, bool),
    (truth, surface): (&Truth, &Surface),
) {
    let table = reasons.table;
    let mut done = spoken.text.says(&table.said.deeds, &table.words);
    if truth.files.is_empty() {
        // That a job is dropped or paused is told of what a person said, and of no file.
        let work = |text: Text| {
            text.says(&table.said.deeds, &table.words) && !text.holds(&table.said.of_jobs)
        };
        done = done && sentences(&spoken.raw).map(Text::of).any(work);
        match (spoken.unchanged, done) {
            (true, false) => {}
            // What a command did elsewhere shows in no difference, and who only read tells of
            // what others did.
            (false, true) if !acted && (!read || reasons.is_fixed()) => {
                reasons.found(Finding::NothingChanged);
            }
            // What is told as so since now is told as changed.
            (false, _) if done || spoken.text.says(&table.said.since_now, &table.words) => {
                reasons.found(Finding::NothingChangedNamed);
                reasons.point(Finding::NothingChangedNamed, &[String::new()]);
            }
            _ => reasons.found(Finding::NothingChangedNamed),
        }
        return;
    }
    let code = (0..truth.files.len()).filter(|&at| !surface.is_prose(at));
    let (layout, rest): (Vec<usize>, Vec<usize>) = code.partition(|&at| truth.files[at].layout);
    let named: Vec<&str> = layout.iter().map(|&at| truth.files[at].path.as_str()).collect();
    let fixed = sentences(&spoken.raw).map(Text::of).any(|text| {
        let claims = action_claimed(&text, table) == ActionType::ClaimFixed;
        claims && !text.holds(&table.said.layout)
    });
    if rest.is_empty() && !formatted && (fixed || done && !spoken.layout) {
        reasons.names(Finding::OnlyLayout, &named);
    } else {
        reasons.names(Finding::LayoutNamed, &named);
    }
    reasons.names(Finding::TestsWeaker, &truth.tests_weaker);
}

/// What ran, against what is told of it.
fn ran(
    reasons: &mut Reasons<'_>,
    spoken: &Spoken,
    (runs, index): (&Runs<'_>, &Index<'_>),
    (bare, code): (&[String], bool),
    truth: &Truth,
) -> RequireTool {
    let table = reasons.table;
    let results = spoken.results(runs, index, table);
    let admitted = spoken.admits_failure(runs);
    failed(reasons, spoken, runs, (!results.is_empty(), admitted));
    runs.say_quiet(&mut |finding, names| reasons.names(finding, names));
    if runs.any_fresh() && !runs.any_whole() {
        let parts: Vec<String> = runs.parts().flatten().map(super::Part::told).collect();
        reasons.names(Finding::PartOnly, &parts);
        if !admitted {
            let others = super::history::other_kinds(&spoken.raw, &parts, table);
            reasons.names(Finding::Unshown, &others);
            let others = super::history::other_tests(&spoken.raw, truth, (runs, index), table);
            reasons.names(Finding::Unshown, &others);
            let all = Text::of(&spoken.raw).all_said(&table.said.all_tested, &table.words);
            if !bare.is_empty() && !spoken.not_run {
                reasons.names(Finding::UnshownNamed, &all);
            }
        }
    }
    if !admitted {
        // Another run on this code may have counted them.
        let sure = !runs.any_unread();
        let as_known = |finding| if sure { finding } else { Finding::MiscountedNamed };
        runs.say_counts(
            &mut |finding, names| reasons.names(as_known(finding), names),
            &[&spoken.text],
            table,
        );
    }
    let mut required = RequireTool::default();
    if bare.is_empty() && !admitted && runs.is_empty() {
        // Nothing ran at all, and a page does not show what it says.
        reasons.names(Finding::UnshownNamed, &results.all());
    } else if !bare.is_empty() {
        // Data and settings run nowhere by themselves; what is told of runs of them is asked for.
        if code {
            unrun(reasons, (runs, index), bare, &mut required);
        }
        if !admitted && !runs.any_fresh() {
            let (mut not, mut perhaps) = results.apart(runs, table);
            if !code && runs.commanded() {
                perhaps.append(&mut not);
            }
            if !not.is_empty() {
                reasons.names(Finding::HiddenRun, &runs.hidden());
            }
            reasons.names(Finding::Unshown, &not);
            reasons.names(Finding::UnshownNamed, &perhaps);
        }
    }
    required
}

/// Code that no run covers wants one. Tests that failed on it ran, and are told as that.
fn unrun(
    reasons: &mut Reasons<'_>,
    (runs, index): (&Runs<'_>, &Index<'_>),
    bare: &[String],
    required: &mut RequireTool,
) {
    let table = reasons.table;
    let failed = |path: &&String| index.at(path).is_some_and(|file| runs.failed_on(file, table));
    let unrun: Vec<&String> = bare.iter().filter(|path| !failed(path)).collect();
    reasons.names(Finding::NotRun, &unrun);
    let why = reasons.said.last().filter(|_| !unrun.is_empty());
    ruling::needs_run(required, table, why);
}

/// What failed. It contradicts a message that claims success; beside another it is listed.
fn failed(
    reasons: &mut Reasons<'_>,
    spoken: &Spoken,
    runs: &Runs<'_>,
    (results, admitted): (bool, bool),
) {
    let table = reasons.table;
    let met = results || spoken.text.says(&table.said.met, &table.words);
    let told = spoken.tells_of_failure(table) || spoken.hindered;
    let claims = met || says_that_it_ran(&[&spoken.text], table) || reasons.is_fixed();
    if admitted {
        reasons.names(Finding::FailedAsSaid, &runs.failing());
    } else {
        // That a run did not come to an end, or failed, is said, and nothing is made of it.
        let repeated = runs.any_whole();
        let as_known = |finding| match finding {
            Finding::FailedUnrepeated if told => Finding::FailedAsSaid,
            // All tests passed on this code in another run.
            Finding::FailedUnrepeated if repeated => Finding::FailedCommandNamed,
            Finding::FailingRun if !claims => Finding::FailingRunNamed,
            other => other,
        };
        let texts = [&spoken.text];
        runs.say_failed(
            &mut |finding, names| reasons.names(as_known(finding), names),
            &texts,
            table,
        );
    }
    let (said, other): (Vec<String>, Vec<String>) = runs
        .failed_commands(table)
        .into_iter()
        .partition(|line| met && !(spoken.failed || told) && spoken.names_command(line, table));
    if !spoken.failed {
        reasons.names(Finding::Complained, &runs.complaining(table));
    }
    reasons.names(Finding::FailedCommand, &said);
    reasons.names(Finding::FailedCommandNamed, &other);
}

/// Facts of the world, and acts beyond this work tree.
fn facts(
    reasons: &mut Reasons<'_>,
    (spoken, truth, index): (&Spoken, &Truth, &Index<'_>),
    (runs, tried): (&Runs<'_>, bool),
    required: &mut RequireTool,
) {
    let table = reasons.table;
    let admitted = spoken.admits_failure(runs);
    let rest = Text::of(&without(&unshown(&spoken.raw, runs, table), &runs.well(table), table));
    let mut acted = false;
    let (mut open, mut points): (Vec<String>, Vec<String>) = Default::default();
    for row in &table.fact {
        let of_runs = matches!(row.backing, Backing::Run | Backing::Whole);
        // What is said not to have run is named where code changed.
        if of_runs && (admitted || spoken.not_run && !runs.any_fresh())
            || !(if of_runs { &rest } else { &spoken.text }).says(&row.phrases, &table.words)
        {
            continue;
        }
        if runs.shows(row, table) {
            acted |= row.backing == Backing::Act;
            let other = other_target(&spoken.raw, row, runs, table);
            reasons.names(Finding::OtherTarget, &other);
            continue;
        }
        if is_unsure(row, spoken, truth, (runs, tried), table) {
            let fact = row.fact.replace('_', " ");
            if row.backing != Backing::Whole {
                points.push(fact.clone());
            }
            open.push(fact);
            continue;
        }
        acted |= row.backing == Backing::Act;
        required.needed = true;
        required.facts.push(row.fact.clone());
        required.tool = Some(row.tool.clone());
        required.why = Some(row.why.clone());
        reasons.requires(&row.tool, &row.why);
    }
    forced(reasons, spoken, runs);
    if !acted {
        open.extend(spoken.text.all_said(&table.said.outside, &table.words));
    }
    open.extend(beyond(&spoken.raw, (truth, index), (runs, &mut points), table));
    if !spoken.text.holds(&table.said.trial) {
        reasons.names(Finding::OnlyTried, &runs.only_tried(table));
    }
    reasons.names(Finding::OutsideNamed, &open);
    reasons.point(Finding::OutsideNamed, &points);
}

/// A push that was forced, told as a plain one or not at all.
fn forced(reasons: &mut Reasons<'_>, spoken: &Spoken, runs: &Runs<'_>) {
    let (rows, forced) = (&reasons.table.said, runs.forced());
    if forced.is_empty() || spoken.text.says(&rows.forced, &reasons.table.words) {
        return;
    }
    if spoken.text.holds(&rows.unforced) {
        reasons.names(Finding::ForcedPush, &forced);
    } else {
        reasons.names(Finding::ForcedUntold, &forced);
    }
}

/// Whether a fact that nothing shows may be so all the same, or is of a kind that is only listed.
fn is_unsure(
    row: &super::table::FactRow,
    spoken: &Spoken,
    truth: &Truth,
    (runs, tried): (&Runs<'_>, bool),
    table: &GateTable,
) -> bool {
    match row.backing {
        // Something ran that may have shown it, or only supposed words say so.
        Backing::Command => {
            let named = |word: &&String| table.said.programs.contains(word);
            let named = row.commands.iter().filter(named).any(|word| spoken.text.has(word));
            !(row.sure && named)
                || runs.may_have_run(table)
                || !is_stated(&spoken.raw, row, truth, table)
        }
        Backing::Words => true,
        // A command that no row knows may have been the tests.
        Backing::Run => {
            // Something was tried, and no result of tests is told.
            let no_tests = || results(&spoken.raw, table).is_empty();
            // Tests passed on what was put back since, and nothing more is said of the work.
            let put_back = truth.files.is_empty() && spoken.unchanged && runs.any_older();
            tried
                || put_back
                || runs.may_be_tests(table)
                || no_tests() && runs.did_beside_tests(table)
        }
        Backing::Whole => spoken.not_run || tells_the_part(&spoken.raw, row, runs, table),
        // What is asked for or still to be done is no act of this turn, and what a line ran
        // may have been one.
        Backing::Act => {
            row.named
                || !is_stated(&spoken.raw, row, truth, table)
                || runs.may_have_acted(&row.acts, table)
        }
    }
}

/// What a message tells that no row knows how to show: figures that nothing printed, and programs
/// that did not run. Those and quoted commands are `points` for the person.
fn beyond(
    raw: &str,
    (truth, index): (&Truth, &Index<'_>),
    (runs, points): (&Runs<'_>, &mut Vec<String>),
    table: &GateTable,
) -> Vec<String> {
    let seen: std::collections::BTreeSet<&str> =
        truth.figures.iter().map(String::as_str).chain(runs.figures()).collect();
    let mut found = super::figures::unseen(raw, &seen);
    // Numbers of tests are compared with what the runs counted.
    points.extend(found.iter().filter(|one| !super::figures::counts_tests(one)).cloned());
    let tests = truth.files.iter().filter(|file| file.test).map(|file| file.functions.len());
    let uncounted = super::figures::uncounted(
        raw,
        &super::figures::Counted {
            seen: &seen,
            files: truth.files.len(),
            tests: tests.sum(),
            of_files: &|word| Text::of(word).holds(&table.said.of_files),
            of_tests: &|word| Text::of(word).holds(&table.said.tests),
        },
    );
    points.extend(uncounted.iter().cloned());
    found.extend(uncounted);
    let rows = &table.said;
    if !truth.files.is_empty() {
        let text = Text::of(raw);
        found.extend(text.all_said(&rows.kept, &table.words));
        if !runs.put_back(table) {
            found.extend(text.all_said(&rows.back, &table.words));
        }
        let name = |path: &str| path.rsplit('/').next().is_some_and(|name| raw.contains(name));
        // Notes and logs that the way asks for are no work that a message has to name.
        if !truth.files.iter().filter(|file| !file.prose).all(|file| name(&file.path)) {
            found.extend(text.all_said(&rows.alone, &table.words));
            found.extend(text.all_said(&rows.unchanged, &table.words));
        }
    }
    found.extend(untried(raw, truth, (runs, points), table));
    if !(truth.files.is_empty() && runs.is_empty()) {
        let known = |number: &String| {
            let number = number.split(' ').next().unwrap_or_default();
            found.iter().any(|known| known.split(' ').next() == Some(number))
        };
        let mut more = super::untold::numbers(raw, &seen, (truth, index), table);
        more.retain(|number| !known(number));
        found.extend(more);
        let mut often = super::history::often(raw, runs, table);
        often.extend(super::history::runners(raw, runs, table));
        often.retain(|one| !points.contains(one));
        points.extend(often.iter().cloned());
        found.extend(often);
        let quoted = super::untold::commands(raw, truth, runs, table);
        points.extend(quoted.iter().cloned());
        found.extend(quoted);
    }
    found.sort();
    found.dedup();
    found
}

/// What a message says was tried, and the programs that it names, where no command did that.
fn untried(
    raw: &str,
    truth: &Truth,
    (runs, points): (&Runs<'_>, &mut Vec<String>),
    table: &GateTable,
) -> Vec<String> {
    let rows = &table.said;
    let mut found: Vec<String> = Vec::new();
    let own = |word: &str| truth.files.iter().any(|file| file.path.to_lowercase().contains(word));
    let well = runs.well(table);
    for text in sentences(raw).map(Text::of).filter(|text| !sure::leaves_open(text, table)) {
        // What is neither of tests nor of a command that ran was tried by nobody.
        let by_command = well.iter().any(|words| words.iter().all(|word| text.has(word)));
        if !by_command && !text.holds(&rows.tests) {
            found.extend(text.all_said(&rows.tried, &table.words));
        }
        let here = rows.programs.iter().filter(|word| text.has(word));
        let not = here.filter(|word| !runs.name(word) && !own(word));
        let not: Vec<String> = not.filter(|_| !text.holds(&rows.not_run)).cloned().collect();
        points
            .extend(not.iter().filter(|name| !points.contains(name)).cloned().collect::<Vec<_>>());
        found.extend(not);
    }
    found
}

/// Whether a sentence states the fact, and does not leave it open or tell it of others: beside an
/// advisory, or by a version that the difference brings in.
fn is_stated(raw: &str, row: &super::table::FactRow, truth: &Truth, table: &GateTable) -> bool {
    let states = |clause: &str, others: bool| {
        let text = Text::of(clause);
        let mut versions = truth.brought.iter().filter_map(|one| one.split_once(' '));
        let others = others || versions.any(|(_, version)| clause.contains(version));
        let own = !others || text.holds(&table.said.own);
        own && text.says(&row.phrases, &table.words) && !sure::leaves_open(&text, table)
    };
    let denied = |sentence: &&str| !sure::denies(sentence, table);
    raw.lines().any(|line| {
        let others = Text::of(line).holds(&table.said.advisories);
        let mut clauses = sentences(line)
            .filter(denied)
            .flat_map(|one| one.split([',', ';', '，', '、', '；', '—', '–']));
        clauses.any(|clause| states(clause, others))
    })
}

/// Whether each sentence that speaks of the whole says which part it is of.
fn tells_the_part(
    raw: &str,
    row: &super::table::FactRow,
    runs: &Runs<'_>,
    table: &GateTable,
) -> bool {
    let parts: Vec<String> = runs.parts().flatten().map(super::Part::told).collect();
    let is_of_whole = |text: &str| Text::of(text).says(&row.phrases, &table.words);
    let mut of_whole = sentences(raw).filter(|one| is_of_whole(one)).peekable();
    of_whole.peek().is_some()
        && of_whole.all(|one| sure::names_part(one, &is_of_whole, &parts, table))
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
    spoken.not_run && results(raw, table).is_empty()
}

/// Whether a text says that nothing was changed, and of no work that it was done.
pub(super) fn admits_no_change(raw: &str, table: &GateTable) -> bool {
    let spoken = Spoken::of(raw, table);
    let done = |text: Text| {
        text.says(&table.said.deeds, &table.words) && !text.holds(&table.said.unchanged)
    };
    spoken.unchanged && !sentences(raw).map(Text::of).any(done)
}

/// What a text tells as a result.
pub(super) fn results(raw: &str, table: &GateTable) -> Vec<String> {
    let SaidRows { results, .. } = &table.said;
    let text = Text::of(raw);
    let pairs = text.pairs().map(str::to_owned);
    pairs.chain(text.all_said(results, &table.words)).collect()
}
