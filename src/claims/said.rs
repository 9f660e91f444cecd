//! The ruling on a message as it was said: the last words of a turn, the question whether a job
//! is complete.
//!
//! Nothing is declared, so nothing has to be declared well. What the difference and the receipts
//! do not show is named, whatever the wording and the language: that is what no list of phrases
//! stands before. Phrases only make it worse: what is told as a result without a run, or as done
//! without a change, has to be said differently.

use super::gate::{ClaimAnswer, ContinuityBinding, InputVerification, ReceiptRead, RequireTool};
use super::items::{self, Index};
use super::phrases::{Text, ticked};
use super::receipts::Runs;
use super::ruling::{
    self, ClaimFigures, Reasons, Seen, Shares, action_claimed, invented, says_that_it_ran,
    sentences,
};
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
}

impl Spoken {
    fn of(raw: &str, table: &GateTable) -> Self {
        let (raw, open) = ticked(raw);
        let (text, open, rows) = (Text::of(&raw), Text::of(&open), &table.said);
        Self {
            // A run whose box is open is said not to have been made.
            not_run: text.holds(&rows.not_run)
                || open.holds(&rows.tests)
                || says_that_it_ran(&[&open], table),
            unchanged: text.holds(&rows.unchanged),
            failed: text.says_some(&rows.failed, &table.words),
            layout: text.holds(&rows.layout),
            text,
            raw,
        }
    }

    /// Runs failed, and it says so, or says that they came to no test.
    fn admits_failure(&self, runs: &Runs<'_>) -> bool {
        let admits = self.failed || (self.not_run && !runs.any_failed_counted());
        admits && !runs.failing().is_empty()
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
    fn results(&self, runs: &Runs<'_>, index: &Index<'_>, table: &GateTable) -> Vec<String> {
        let shown = runs.well(table);
        let mut found: Vec<String> = Vec::new();
        let mut signs: Vec<String> = Vec::new();
        let mut is_shown = false;
        for sentence in sentences(&self.raw) {
            // A sign that stands alone belongs to the sentence before it.
            if is_shown && !sentence.chars().any(char::is_alphanumeric) {
                continue;
            }
            let whole = Text::of(sentence);
            let text = Text::of(&without(sentence, &shown, table));
            let by_command = |words: &Vec<String>| words.iter().all(|word| whole.has(word));
            let of_tests = || text.holds(&table.said.tests) || says_that_it_ran(&[&text], table);
            let makes = |words: &Vec<String>| makes(words, &table.said.made);
            let by_make = || shown.iter().any(makes) && whole.holds(&table.said.made);
            is_shown = (shown.iter().any(by_command) || by_make()) && !of_tests();
            if is_shown {
                continue;
            }
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
            found.extend(signs);
        }
        found.dedup();
        found
    }
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
    let index = Index::of(truth);
    let surface = Surface::of(truth, table);
    let runs = Runs::of(&case.receipts, &index, table);
    let spoken = Spoken::of(&claim.text, table);
    let fixed = action_claimed(&spoken.text, table) != ActionType::Other
        || says_that_it_ran(&[&spoken.text], table);
    let mut reasons = Reasons::new(table, fixed);
    let bare = uncovered(truth, &surface, &runs, table);

    let formatted = runs.formatted(table);
    changes(&mut reasons, (&spoken, formatted), truth, &surface);
    let code = surface.has_code();
    let mut required = ran(&mut reasons, &spoken, (&runs, &index), (&bare, code));
    ruling::tests_gone(&mut reasons, case, &index);
    names(&mut reasons, case, &index, (&spoken.raw, surface.only_prose));
    // Settings and data are tried by commands that are no runs of tests.
    let tried = !code && !truth.files.is_empty() && runs.commanded();
    facts(&mut reasons, (&spoken, truth), (&runs, tried), &mut required);
    if code && !bare.is_empty() {
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
        because: reasons.why(),
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
fn changes(
    reasons: &mut Reasons<'_>,
    (spoken, formatted): (&Spoken, bool),
    truth: &Truth,
    surface: &Surface,
) {
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
    let fixed = sentences(&spoken.raw).map(Text::of).any(|text| {
        let claims = action_claimed(&text, table) == ActionType::ClaimFixed;
        claims && !text.holds(&table.said.layout)
    });
    if rest.is_empty() && !formatted && (fixed || !spoken.layout) {
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
) -> RequireTool {
    let table = reasons.table;
    let results = spoken.results(runs, index, table);
    let failing = runs.failing();
    let admitted = spoken.admits_failure(runs);
    let texts = [&spoken.text];
    if admitted {
        reasons.names(Finding::FailedAsSaid, &failing);
    } else {
        // That a run did not come to an end, or failed, is said, and nothing is made of it.
        let told = spoken.tells_of_failure(table);
        let as_said = |finding| match finding {
            Finding::FailedUnrepeated if told => Finding::FailedAsSaid,
            other => other,
        };
        runs.say_failed(
            &mut |finding, names| reasons.names(as_said(finding), names),
            &texts,
            table,
        );
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
        // Data and settings run nowhere by themselves; what is told of runs of them is asked for.
        if code {
            reasons.names(Finding::NotRun, bare);
            ruling::needs_run(&mut required, table, reasons.said.last());
        }
        if !admitted && !runs.any_fresh() {
            let found =
                if code || !runs.commanded() { Finding::Unshown } else { Finding::UnshownNamed };
            reasons.names(found, &results);
        }
    }
    required
}

/// Each thing that is named, for itself.
fn names(
    reasons: &mut Reasons<'_>,
    case: &ClaimCase,
    index: &Index<'_>,
    (raw, only_prose): (&str, bool),
) {
    let (truth, table) = (&case.truth, reasons.table);
    if truth.files.is_empty() {
        return;
    }
    let ran = |name: &str| case.receipts.iter().any(|receipt| receipt.command.contains(name));
    let (mut untouched, mut beside) = (Vec::new(), Vec::new());
    let (mut tests, mut things): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let unknown = invented(case, index);
    for (sentence, quoted) in items::quoted_apart(raw) {
        let named = Named::of(sentence, index, (truth, table));
        for file in named.other.iter().filter(|file| !ran(file)) {
            // A block of output names what it likes.
            let done = !quoted && named.is_done(file, only_prose, table);
            (if done { &mut untouched } else { &mut beside }).push(*file);
        }
        let known = |name: &&str| !unknown.iter().any(|other| other == name) || ran(name);
        tests.extend(named.tests(table).filter(|name| !known(name)));
        things.extend(things_missing(sentence, truth, table));
    }
    let there = |name: &&str| truth.held.iter().any(|held| held == name);
    let calls = items::calls_named(&case.claim.text);
    let calls = calls.into_iter().filter(|call| index.find(call).is_empty());
    let (there, gone): (Vec<&str>, Vec<&str>) = calls.partition(there);
    beside.extend(there);
    let one = |a: &str, b: &str| !index.find(a).is_empty() && index.find(b).is_empty();
    for (a, b) in items::listed_together(&case.claim.text) {
        beside.extend(one(a, b).then_some(b).or_else(|| one(b, a).then_some(a)));
    }
    beside.retain(|name| !ran(name) && !untouched.contains(name));
    for list in [&mut untouched, &mut beside, &mut tests] {
        list.sort_unstable();
        list.dedup();
    }
    reasons.names(Finding::NamedUntouched, &untouched);
    things.extend(beside.into_iter().map(str::to_owned));
    reasons.names(Finding::NamedBeside, &things);
    reasons.names(Finding::PhantomTest, &tests);
    reasons.names(Finding::NotThere, &gone);
    if text_met(case, table) {
        let criteria = Text::of(&case.claim.text).all_said(&table.said.criteria, &table.words);
        reasons.names(Finding::CriteriaNamed, &criteria);
    }
}

/// What one sentence names.
struct Named<'c> {
    sentence: &'c str,
    /// Files that changed are among what it names.
    touched: bool,
    /// Files that did not change and that it does not only mention.
    other: Vec<&'c str>,
    files: Vec<&'c str>,
}

impl<'c> Named<'c> {
    fn of(sentence: &'c str, index: &Index<'_>, (truth, table): (&Truth, &GateTable)) -> Self {
        let files = items::paths_named(sentence, &table.files, &table.said.no_files);
        let changed = |file: &&str| !index.find(file).is_empty();
        let other = files.iter().copied().filter(|file| !changed(file));
        let other = other.filter(|file| !is_mentioned(sentence, file, table));
        // What a dependency did to its own files is no work of this turn.
        let other = other.filter(|file| {
            !is_of_dependency(sentence, truth, table) && !is_dependency(file, truth)
        });
        let other = other.collect();
        Self { sentence, touched: files.iter().any(changed), other, files }
    }

    /// Whether it says of `file` that it was changed. Pages speak of files that they are about.
    fn is_done(&self, file: &str, only_prose: bool, table: &GateTable) -> bool {
        if !only_prose {
            return is_done(self.sentence, file, table);
        }
        if self.touched {
            return false;
        }
        if items::ends(file, &table.files.prose) {
            return is_done(self.sentence, file, table);
        }
        action_claimed(&Text::of(self.sentence), table) == ActionType::ClaimFixed
    }

    /// Tests that it names for themselves, and not as the file that they lie in.
    fn tests<'t>(&'t self, table: &'t GateTable) -> impl Iterator<Item = &'c str> + 't {
        items::tests_named(self.sentence).into_iter().filter(move |name| {
            !self.files.iter().any(|file| file.contains(name))
                && !is_mentioned(self.sentence, name, table)
        })
    }
}

/// Whether something is said to be met.
fn text_met(case: &ClaimCase, table: &GateTable) -> bool {
    let signs = &table.said.signs;
    Text::of(&case.claim.text).says(&table.said.met, &table.words)
        || signs.iter().any(|sign| case.claim.text.contains(sign.as_str()))
}

/// Whether a sentence says of a file that work was done: it has a word for that, or the file
/// stands first, as in a list of what changed.
fn is_done(sentence: &str, file: &str, table: &GateTable) -> bool {
    let plain = |c: char| c.is_whitespace() || "`*-+•|#_>[]()x✅✔☑✓\u{fe0f}".contains(c);
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let first = sentence.trim_start_matches(plain).trim_start_matches(number);
    let in_list = sentence
        .trim_start()
        .starts_with(|c: char| "-*+•|#✅✔☑✓".contains(c) || c.is_ascii_digit());
    // `file:72` is a place that something is said of.
    let placed = file.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok());
    let leads = in_list && !placed && first.trim_start_matches(plain).starts_with(file);
    let text = Text::of(sentence);
    let label = sentence.find(file).is_some_and(|at| {
        // **Client** (`client/conn.go`)
        let before = sentence[..at].trim_start();
        let bold = before.strip_prefix("**").and_then(|rest| rest.split_once("**"));
        let behind = bold.map_or(before.trim_start_matches(['*', '#', '|']), |(_, rest)| rest);
        before.starts_with(['*', '#', '|'])
            && (bold.is_none() || !behind.contains(char::is_alphanumeric))
    });
    // What the file's own clause leaves open is not done.
    let clause = sentence.split(['，', '；', ',', ';']).find(|clause| clause.contains(file));
    let is_open = clause.is_some_and(|clause| Text::of(clause).holds(&table.said.open));
    (leads || label || text.says(&table.said.deeds, &table.words))
        && !is_open
        && !text.holds(&table.said.passing)
        && !text.holds(&table.said.unchanged)
}

/// Whether a name that ends as files do is a dependency's (`classlist.js`).
fn is_dependency(name: &str, truth: &Truth) -> bool {
    let name = name.to_lowercase();
    truth.brought.iter().any(|one| one.split_once(' ').is_some_and(|(known, _)| known == name))
}

/// Whether a dependency that came with the difference is what a sentence speaks of: its name and a
/// number stand at the head (`fmt 11 also split …`), and nobody says that it was its own act.
fn is_of_dependency(sentence: &str, truth: &Truth, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    let words: Vec<&str> = text.words().take(6).collect();
    let name = |word: &str| {
        truth.brought.iter().any(|one| one.split_once(' ').is_some_and(|(name, _)| name == word))
    };
    let number =
        |word: &str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    words.windows(2).any(|two| name(two[0]) && number(two[1])) && !text.holds(&table.said.own)
}

/// Whether a sentence names something that it says nothing of, or says to be as it was.
fn is_mentioned(sentence: &str, file: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    let quoted = sentence.split('`').skip(1).step_by(2);
    // A command to run names what it runs on.
    let in_command = |span: &str| span.contains(file) && span.trim().contains(' ');
    let at_fault =
        text.holds(&table.said.faults) && action_claimed(&text, table) != ActionType::ClaimFixed;
    quoted.into_iter().any(in_command)
        || at_fault
        || text.holds(&table.said.unchanged) && !text.says(&table.said.deeds, &table.words)
        || text.is_negated(&file.to_lowercase(), &table.words)
}

/// Facts of the world, and acts beyond this work tree.
fn facts(
    reasons: &mut Reasons<'_>,
    (spoken, truth): (&Spoken, &Truth),
    (runs, tried): (&Runs<'_>, bool),
    required: &mut RequireTool,
) {
    let table = reasons.table;
    let admitted = spoken.admits_failure(runs);
    let rest = Text::of(&without(&spoken.raw, &runs.well(table), table));
    let mut acted = false;
    let mut open: Vec<String> = Vec::new();
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
        // What is asked for or still to be done is no act of this turn.
        let command = row.backing == Backing::Command || row.backing == Backing::Run && tried;
        if command || row.backing == Backing::Act && !is_stated(&spoken.raw, row, truth, table) {
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

/// Whether a sentence states the fact, and does not leave it open or tell it of others: beside an
/// advisory, or by a version that the difference brings in.
fn is_stated(raw: &str, row: &super::table::FactRow, truth: &Truth, table: &GateTable) -> bool {
    let states = |clause: &str, others: bool| {
        let text = Text::of(clause);
        let mut versions = truth.brought.iter().filter_map(|one| one.split_once(' '));
        let others = others || versions.any(|(_, version)| clause.contains(version));
        let own = !others || text.holds(&table.said.own);
        own && text.says(&row.phrases, &table.words) && !text.holds(&table.said.open)
    };
    raw.lines().any(|line| {
        let others = Text::of(line).holds(&table.said.advisories);
        let mut clauses =
            sentences(line).flat_map(|one| one.split([',', ';', '，', '、', '；', '—', '–']));
        clauses.any(|clause| states(clause, others))
    })
}

/// What a sentence says was made, by the word for its kind, where no file of that kind changed.
fn things_missing(sentence: &str, truth: &Truth, table: &GateTable) -> Vec<String> {
    let text = Text::of(sentence);
    let listed = sentence.trim_start().starts_with(['-', '*', '+', '•', '|']);
    if text.holds(&table.said.open) || text.holds(&table.said.unchanged) {
        return Vec::new();
    }
    let is_done = text.says(&table.said.deeds, &table.words);
    let first = text.words().next().map(Text::of);
    let changed = |row: &super::table::ThingRow| {
        let like = |path: &str| row.paths.iter().any(|one| super::runs::like(one, path));
        truth.files.iter().any(|file| like(&file.path.to_lowercase()))
    };
    let missing = table.said.things.iter().filter(|row| !changed(row));
    let said = missing.filter_map(|row| {
        let leads = listed && first.as_ref().is_some_and(|word| word.holds(&row.words));
        (leads || is_done).then(|| text.all_said(&row.words, &table.words).into_iter().next())?
    });
    said.collect()
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
