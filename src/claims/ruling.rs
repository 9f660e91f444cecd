//! How the gate comes to its answers: what it finds, then the arithmetic, then the most
//! severe of both.

use std::collections::BTreeSet;

use super::arithmetic as sums;
use super::gate::{
    Authority, ClaimAnswer, ConfidenceFusion, ContinuityBinding, InputVerification, PathsAnswer,
    Physics, ReceiptRead, RequireTool, ResponseAnswer, TrustEvaluation,
};
use super::items::{self, Index, each_once};
use super::phrases::{Text, led};
use super::receipts::Runs;
use super::said;
use super::surface::Surface;
use super::table::{Backing, Finding, GateTable, Thresholds};
use super::{ActionType, Claim, ClaimCase, Directive, EvidenceType, How, ResponseCase, Truth};

/// The most names that one reason lists.
const NAMED: usize = 8;

/// Reasons as they are found, and the most severe answer that they leave.
pub(super) struct Reasons<'t> {
    pub table: &'t GateTable,
    /// The claim says that something is fixed or that tests pass.
    fixed: bool,
    pub directive: Directive,
    pub said: Vec<String>,
    /// What of it a person who is asked about the work is told by name.
    pub points: Vec<String>,
    /// The step that helps against the most severe finding, and what that finding says.
    step: Option<Help>,
}

/// What helps against a finding.
struct Help {
    against: Directive,
    step: String,
    why: String,
}

impl<'t> Reasons<'t> {
    pub(super) fn new(table: &'t GateTable, fixed: bool) -> Self {
        Self {
            table,
            fixed,
            directive: Directive::Pass,
            said: Vec::new(),
            points: Vec::new(),
            step: None,
        }
    }

    fn add(&mut self, directive: Directive, say: &str) {
        self.directive = self.directive.max(directive);
        if !self.said.iter().any(|said| said == say) {
            self.said.push(say.to_owned());
        }
    }

    /// The claim says that something is fixed or that tests pass.
    pub(super) fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Not milder than `directive`, whatever was found.
    pub(super) fn at_least(&mut self, directive: Directive) {
        self.directive = self.directive.max(directive);
    }

    /// A finding without names.
    pub(super) fn found(&mut self, finding: Finding) {
        self.names(finding, &[""]);
    }

    /// A finding of `names`, if there are any.
    pub(super) fn names<S: AsRef<str>>(&mut self, finding: Finding, names: &[S]) {
        self.with_tool(finding, names, "");
    }

    /// Something is said that `tool` shows, and it was not run: the step names the tool of just
    /// this reason.
    pub(super) fn requires(&mut self, tool: &str, why: &str) {
        self.with_tool(Finding::RequireTool, &[why], tool);
    }

    fn with_tool<S: AsRef<str>>(&mut self, finding: Finding, names: &[S], tool: &str) {
        if names.is_empty() {
            return;
        }
        let Some(row) = self.table.finding(finding) else {
            // `GateTable::check` wants every row; a table without one must not be a milder gate.
            self.add(Directive::Reject, &super::table::word(finding));
            return;
        };
        let least = row.fixed.filter(|_| self.fixed).unwrap_or(row.least);
        let say = row.say.replace("{names}", &listed(names));
        self.add(least, &say);
        if row.card {
            self.points.push(say.clone());
        }
        self.helps(least, &row.step.replace("{tool}", tool), say);
    }

    /// Tells the person of some names of a finding that is too common to be told as a whole.
    pub(super) fn point(&mut self, finding: Finding, names: &[String]) {
        if let Some(row) = self.table.finding(finding).filter(|_| !names.is_empty()) {
            self.points.push(row.say.replace("{names}", &listed(names)));
        }
    }

    /// The first of the most severe steps is kept.
    fn helps(&mut self, against: Directive, step: &str, why: String) {
        if self.step.as_ref().is_none_or(|known| known.against < against) {
            self.step = Some(Help { against, step: step.to_owned(), why });
        }
    }

    /// The one step that helps, if anything is in the way.
    pub(super) fn next(&self) -> Option<String> {
        self.step.as_ref().map(|known| known.step.clone())
    }

    /// The reason that this step helps against.
    pub(super) fn why(&self) -> Option<String> {
        self.step.as_ref().map(|known| known.why.clone())
    }

    fn tool(&mut self, required: &RequireTool) {
        if let Some(why) = required.why.as_ref().filter(|_| required.needed) {
            self.requires(required.tool.as_deref().unwrap_or_default(), why);
        }
    }
}

/// Names in one line; of many the first, and how many more.
fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// What the arithmetic compares.
struct State {
    entropy: f64,
    phi: f64,
    confidence: f64,
    drift: f64,
    response: bool,
}

/// Every criterion, each with its reason.
fn criteria(reasons: &mut Reasons<'_>, limits: &Thresholds, state: &State) {
    let say = &reasons.table.criterion;
    let (entropy, confidence) = if state.response {
        (&say.entropy_response, &say.confidence_response)
    } else {
        (&say.entropy, &say.confidence)
    };
    let steps = [
        (state.entropy >= limits.entropy.reject, Directive::Reject, entropy),
        (state.entropy >= limits.entropy.rewrite, Directive::Rewrite, entropy),
        (state.entropy >= limits.entropy.damp, Directive::Damp, entropy),
        (state.phi < limits.phi, Directive::Regenerate, &say.phi),
        (state.confidence <= limits.confidence.regenerate, Directive::Regenerate, confidence),
        (state.confidence <= limits.confidence.rewrite, Directive::Rewrite, confidence),
        (state.drift >= limits.drift, Directive::Rewrite, &say.drift),
    ];
    let step = if state.response { &say.step_response } else { &say.step };
    for (applies, directive, why) in steps {
        if applies {
            reasons.add(directive, why);
            // The least of all, so that any finding comes before it.
            reasons.helps(Directive::Pass, step, why.clone());
        }
    }
}

/// The criteria of `action`; an action without a row does not pass.
fn criteria_of(reasons: &mut Reasons<'_>, action: ActionType, state: &State) {
    match reasons.table.thresholds(action) {
        Some(limits) => criteria(reasons, limits, state),
        None => reasons.add(Directive::Reject, "threshold"),
    }
}

// ---- verify_claim

/// What the agent's items are, beside the difference.
struct Declared {
    affected: Vec<(String, Vec<usize>)>,
    /// Which files were tested, by index, and which items name nothing changed.
    tested_files: Vec<bool>,
    tested_text: Vec<String>,
    phantoms: Vec<String>,
    untouched: Vec<String>,
    phantom_tests: Vec<String>,
    named_files: Vec<bool>,
}

impl Declared {
    fn of(
        affected: &[String],
        tested: &[String],
        index: &Index<'_>,
        truth: &Truth,
        table: &GateTable,
    ) -> Self {
        let count = truth.files.len();
        let held: BTreeSet<&str> = truth.held.iter().map(String::as_str).collect();
        let mut declared = Self {
            affected: Vec::new(),
            tested_files: vec![false; count],
            tested_text: Vec::new(),
            phantoms: Vec::new(),
            untouched: Vec::new(),
            phantom_tests: Vec::new(),
            named_files: vec![false; count],
        };
        for item in each_once(affected) {
            let files = index.find(item);
            for &at in &files {
                declared.named_files[at] = true;
            }
            if files.is_empty() {
                let list = if held.contains(item) {
                    &mut declared.untouched
                } else {
                    &mut declared.phantoms
                };
                list.push(item.to_owned());
            }
            declared.affected.push((item.to_owned(), files));
        }
        declared.take_tests(tested, &held, index, truth, table);
        declared
    }

    /// What was said to be tested, by file, by directory or by the name of a test.
    fn take_tests(
        &mut self,
        tested: &[String],
        held: &BTreeSet<&str>,
        index: &Index<'_>,
        truth: &Truth,
        table: &GateTable,
    ) {
        let mut stems = BTreeSet::new();
        for item in each_once(tested) {
            let mut files = index.find(item);
            // A run is named by its directory, too.
            if files.is_empty() {
                files = index.below(item);
            }
            for &at in &files {
                self.tested_files[at] = true;
            }
            // A test that is not part of the change tests what its name says.
            if files.is_empty() && !held.contains(item) {
                self.phantom_tests.push(item.to_owned());
            } else {
                stems.extend(items::tested_by_name(
                    item.split("::").next().unwrap_or(item),
                    &table.files,
                ));
            }
            self.tested_text.push(item.to_owned());
        }
        for (at, file) in truth.files.iter().enumerate() {
            if !file.test && stems.contains(items::stem(&file.path)) {
                self.tested_files[at] = true;
            }
            // Saying that a test was run says that it is part of the work.
            self.named_files[at] |= file.test && self.tested_files[at];
        }
    }

    /// What was declared beside what the repository shows.
    fn verified(
        &self,
        share: f64,
        surface: &Surface,
        missed: Vec<String>,
        truth: &Truth,
    ) -> InputVerification {
        InputVerification {
            declaration_trust: sums::rounded(share * self.honest()),
            declaration_coverage: sums::rounded(share),
            repo_surface_size: surface.size(),
            missed_by_llm: missed,
            warnings: surface.warnings(&self.named_files, truth),
        }
    }

    /// The share of the items that name something changed.
    fn honest(&self) -> f64 {
        let matched = self.affected.iter().filter(|(_, files)| !files.is_empty()).count();
        sums::share(matched, self.affected.len(), 0.0)
    }
}

/// The answer of `verify_claim`.
pub(super) fn claim(case: &ClaimCase, table: &GateTable) -> ClaimAnswer {
    if case.claim.as_said {
        return said::message(case, table);
    }
    let (claim, truth) = (&case.claim, &case.truth);
    let (text, evidence) = (Text::of(&claim.text), Text::of(&claim.evidence));
    let action = action_claimed(&text, table);
    let index = Index::of(truth);
    let surface = Surface::of(truth, table);
    let runs = Runs::of(&case.receipts, &index, table);
    let declared =
        Declared::of(&claim.code_paths_affected, &claim.code_paths_tested, &index, truth, table);
    let passes = says_that_it_ran(&[&text, &evidence], table);
    let mut reasons = Reasons::new(table, action != ActionType::Other || passes);

    substance(&mut reasons, case, &text);
    let seen = Seen::of(claim, &surface, &runs, table);
    let unrun = Unrun::of(case, &surface, &runs, table);
    let required =
        evidence_shown(&mut reasons, &[&text, &evidence], &seen, &runs, unrun.is_admitted);
    let required = runs_wanted(&mut reasons, case, &runs, (required, &unrun.bare));
    tests_gone(&mut reasons, case, &index);
    let weaker = weakened(&mut reasons, truth, &surface, action);
    let missed = surface.missed(&declared.named_files, truth);
    declarations(&mut reasons, case, (&declared, &missed), &index);
    let share = surface.declared(&declared.named_files);
    let (declared_coverage, untested) = coverage_of_tests(&declared, &surface, &runs, &seen, truth);
    if !unrun.is_admitted {
        reasons.names(Finding::Untested, &untested);
    }
    let binding = binding(case);
    reasons.names(Finding::Unopened, &binding.unopened);
    let shares = Shares { tested: declared_coverage, named: share };
    let figures = ClaimFigures::of(case, table, &shares, seen.weight);
    unrun.weigh(&mut reasons, action, &figures);

    let mut gaps = runs.gaps(seen.kind, seen.blank, surface.only_prose, table);
    gaps.extend(unrun.told(&untested));
    gaps.extend(missed.iter().map(|path| format!("not declared: {path}")));
    gaps.extend(weaker);
    ClaimAnswer {
        directive: reasons.directive,
        next: reasons.next(),
        because: reasons.why(),
        revision_reasons: reasons.said,
        points: reasons.points,
        coverage: sums::rounded(figures.coverage),
        declared_coverage: sums::rounded(declared_coverage),
        evidence_weight: sums::rounded(seen.weight),
        gaps,
        untested_paths: untested,
        input_verification: declared.verified(share, &surface, missed, truth),
        require_tool: required,
        continuity_binding: binding,
        trust_evaluation: figures.trust,
        confidence_fusion: figures.fusion,
        physics: figures.physics,
        receipts: runs.read(&case.receipts).collect::<Vec<ReceiptRead>>(),
    }
}

/// What a text says is done.
pub(super) fn action_claimed(text: &Text, table: &GateTable) -> ActionType {
    let said = table.says.iter().find(|row| text.says(&row.phrases, &table.words));
    said.map_or(ActionType::Other, |row| row.action)
}

/// One of `texts` states a fact that only a run shows.
pub(super) fn says_that_it_ran(texts: &[&Text], table: &GateTable) -> bool {
    let says = |phrases: &[String]| texts.iter().any(|text| text.says(phrases, &table.words));
    table.fact.iter().any(|row| row.backing == Backing::Run && says(&row.phrases))
}

/// The evidence that a claim brings.
pub(super) struct Seen {
    kind: EvidenceType,
    /// There is none.
    blank: bool,
    pub weight: f64,
}

impl Seen {
    pub(super) fn of(claim: &Claim, surface: &Surface, runs: &Runs<'_>, table: &GateTable) -> Self {
        let kind = claim.evidence_type;
        let blank = claim.evidence.trim().is_empty() || kind == EvidenceType::None;
        let weight = if blank { 0.0 } else { runs.weight(kind, surface.only_prose, table) };
        Self { kind, blank, weight }
    }
}

/// What the receipts say of the evidence, and what would have to be run for it.
fn evidence_shown(
    reasons: &mut Reasons<'_>,
    texts: &[&Text],
    seen: &Seen,
    runs: &Runs<'_>,
    unrun: bool,
) -> RequireTool {
    let table = reasons.table;
    if seen.blank && !unrun {
        reasons.found(Finding::NoEvidence);
    }
    runs.say(&mut |finding, names| reasons.names(finding, names), texts, table);
    let required = required(texts, (!seen.blank).then_some(seen.kind), runs, table);
    reasons.tool(&required);
    required
}

/// Code that no run covers.
struct Unrun {
    bare: Vec<String>,
    /// The claim says so itself, and lists nothing as tested: that is never worse than to list
    /// what was not run.
    is_admitted: bool,
}

impl Unrun {
    fn of(case: &ClaimCase, surface: &Surface, runs: &Runs<'_>, table: &GateTable) -> Self {
        let mut bare = said::uncovered(&case.truth, surface, runs, table);
        if !surface.has_code() {
            bare.clear();
        }
        let claim = &case.claim;
        let words = matches!(claim.evidence_type, EvidenceType::None | EvidenceType::CodeReview);
        let both = format!("{}\n{}", claim.text, claim.evidence);
        let unrun = words
            && !bare.is_empty()
            && claim.code_paths_tested.is_empty()
            && said::admits_no_run(&both, table);
        let is_admitted = unrun || is_nothing_claimed(case, table);
        Self { bare, is_admitted }
    }

    /// The sums of what was tested would say once more what was admitted. Whatever the rows
    /// say: code that no run covers is never passed.
    fn weigh(&self, reasons: &mut Reasons<'_>, action: ActionType, figures: &ClaimFigures) {
        if !self.is_admitted {
            criteria_of(reasons, action, &figures.state());
        }
        if !self.bare.is_empty() {
            reasons.at_least(Directive::Damp);
        }
    }

    /// For the person, each path once: what the claim says is tested first.
    fn told<'u>(&'u self, untested: &'u [String]) -> impl Iterator<Item = String> + 'u {
        let bare = self.bare.iter().filter(|path| !untested.contains(path));
        let untested = untested.iter().map(|path| format!("untested: {path}"));
        untested.chain(bare.map(|path| format!("not run: {path}")))
    }
}

/// Code that no run covers wants one, whatever the words are; a result that is told of it goes
/// back, unless a command stands behind evidence that is no run of tests.
fn runs_wanted(
    reasons: &mut Reasons<'_>,
    case: &ClaimCase,
    runs: &Runs<'_>,
    (mut required, bare): (RequireTool, &[String]),
) -> RequireTool {
    let table = reasons.table;
    if bare.is_empty() {
        return required;
    }
    reasons.names(Finding::NotRun, bare);
    needs_run(&mut required, table, reasons.said.last());
    if !runs.any_fresh() && !runs.is_commanded_for(case.claim.evidence_type, table) {
        let mut results = said::results(&case.claim.text, table);
        results.extend(said::results(&case.claim.evidence, table));
        reasons.names(Finding::Unshown, &results);
    }
    required
}

/// The share of the change that was tested, and what was not.
fn coverage_of_tests(
    declared: &Declared,
    surface: &Surface,
    runs: &Runs<'_>,
    seen: &Seen,
    truth: &Truth,
) -> (f64, Vec<String>) {
    let covered = |at: usize| {
        declared.tested_files[at]
            || (surface.only_prose && !seen.blank)
            || (runs.any_fresh()
                && (truth.files[at].test
                    || surface.is_quiet(at)
                    || truth.files[at].how == How::Deleted))
    };
    tested(declared, surface, &covered, truth)
}

/// How much of the change a claim declares.
pub(super) struct Shares {
    pub tested: f64,
    pub named: f64,
}

/// The arithmetic of a claim.
pub(super) struct ClaimFigures {
    pub coverage: f64,
    confidence: f64,
    pub physics: Physics,
    pub trust: TrustEvaluation,
    pub fusion: ConfidenceFusion,
}

impl ClaimFigures {
    pub(super) fn of(case: &ClaimCase, table: &GateTable, shares: &Shares, weight: f64) -> Self {
        let figures = &table.figures;
        let drift = sums::share_or(case.drift, 1.0);
        let coverage = sums::coverage(figures, shares.tested, shares.named);
        let entropy = sums::entropy(figures, coverage);
        let valence = sums::valence(figures, coverage, weight);
        let arousal = sums::arousal(figures, drift);
        let phi = sums::phi(figures, entropy, valence, arousal);
        let confidence = sums::rounded(sums::fused(figures, phi, coverage, weight));
        Self {
            coverage,
            confidence,
            physics: Physics {
                phi: sums::rounded(phi),
                entropy: sums::rounded(entropy),
                valence: sums::rounded(valence),
                arousal: sums::rounded(arousal),
                stability: sums::rounded(1.0 - entropy),
                drift,
            },
            trust: TrustEvaluation {
                trust: sums::rounded(sums::trust(figures, shares.named, drift, entropy)),
                risk: drift,
            },
            fusion: ConfidenceFusion {
                confidence,
                phi: sums::rounded(figures.fused.phi * phi.clamp(0.0, 1.0)),
                coverage: sums::rounded(figures.fused.coverage * coverage),
                evidence: sums::rounded(figures.fused.evidence * weight),
            },
        }
    }

    fn state(&self) -> State {
        let Physics { entropy, phi, drift, .. } = self.physics;
        State { entropy, phi, confidence: self.confidence, drift, response: false }
    }
}

/// Whether anything is claimed at all.
fn substance(reasons: &mut Reasons<'_>, case: &ClaimCase, text: &Text) {
    let words = &reasons.table.words;
    if case.claim.text.trim().chars().count() < reasons.table.figures.characters {
        reasons.found(Finding::TooShort);
    }
    let changes = text.does(&words.changes, &words.forms);
    if !changes && !text.does(&words.looks, &[]) && !is_nothing_claimed(case, reasons.table) {
        reasons.found(Finding::NoDeed);
    }
    let claims = changes || !case.claim.code_paths_affected.is_empty();
    if case.truth.files.is_empty() && claims && !is_nothing_claimed(case, reasons.table) {
        reasons.found(Finding::NothingChanged);
    }
}

/// Nothing changed, and the claim says just that: "No code changed, nothing to fix".
fn is_nothing_claimed(case: &ClaimCase, table: &GateTable) -> bool {
    case.truth.files.is_empty()
        && case.claim.code_paths_affected.is_empty()
        && said::admits_no_change(&case.claim.text, table)
}

/// Tests that check less, and a fix that changes nothing but comments and white space; what of
/// it is told to the person.
fn weakened(
    reasons: &mut Reasons<'_>,
    truth: &Truth,
    surface: &Surface,
    action: ActionType,
) -> Vec<String> {
    reasons.names(Finding::TestsWeaker, &truth.tests_weaker);
    let code = || (0..truth.files.len()).filter(|&at| !surface.is_prose(at));
    if action == ActionType::ClaimFixed && code().all(|at| truth.files[at].layout) {
        let paths: Vec<&str> = code().map(|at| truth.files[at].path.as_str()).collect();
        reasons.names(Finding::OnlyLayout, &paths);
    }
    truth.tests_weaker.iter().map(|line| format!("weaker test: {line}")).collect()
}

/// What was declared and is not there.
fn declarations(
    reasons: &mut Reasons<'_>,
    case: &ClaimCase,
    (declared, missed): (&Declared, &[String]),
    index: &Index<'_>,
) {
    reasons.names(Finding::Phantom, &declared.phantoms);
    reasons.names(Finding::Untouched, &declared.untouched);
    let mut tests = declared.phantom_tests.clone();
    tests.extend(invented(case, index));
    tests.sort();
    tests.dedup();
    reasons.names(Finding::PhantomTest, &tests);
    let named = items::files_named(&case.claim.text, &reasons.table.files);
    if named.iter().all(|name| index.find(name).is_empty()) {
        reasons.names(Finding::NamedUntouched, &named);
    }
    reasons.names(Finding::Missed, missed);
}

/// D, the share of what was declared that was tested, and what of the change was not. What
/// a run covers without being named is no part of what has to be named.
fn tested(
    declared: &Declared,
    surface: &Surface,
    covered: &dyn Fn(usize) -> bool,
    truth: &Truth,
) -> (f64, Vec<String>) {
    let counts = |files: &[usize]| files.is_empty() || files.iter().any(|&at| surface.holds(at));
    let mut all: Vec<&(String, Vec<usize>)> =
        declared.affected.iter().filter(|(_, files)| counts(files)).collect();
    if all.is_empty() {
        all = declared.affected.iter().collect();
    }
    let (tested, not): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, files)| files.iter().any(|&at| covered(at)));
    let mut untested: Vec<String> = not.iter().map(|(item, _)| item.clone()).collect();
    // A file that an untested item names is said with it.
    let said: BTreeSet<usize> = not.iter().flat_map(|(_, files)| files.iter().copied()).collect();
    untested.extend(surface.untested(&|at| covered(at) || said.contains(&at), truth));
    (sums::share(tested.len(), tested.len() + not.len(), 0.0), untested)
}

/// Tests that the texts name and nobody has.
pub(super) fn invented(case: &ClaimCase, index: &Index<'_>) -> Vec<String> {
    let (claim, truth) = (&case.claim, &case.truth);
    let stems: BTreeSet<&str> = truth.files.iter().map(|file| items::stem(&file.path)).collect();
    let known = |name: &str| {
        !index.find(name).is_empty()
            || truth.held.iter().any(|held| held == name)
            || truth.tests_gone.iter().any(|gone| gone.name == name)
            // Part of a path or an item that is known.
            || stems.contains(name)
            || truth.held.iter().any(|held| held.contains(name))
    };
    let named =
        items::tests_named(&claim.text).into_iter().chain(items::tests_named(&claim.evidence));
    named.filter(|name| !known(name)).map(str::to_owned).collect()
}

/// Tests that went, said or not. To say that a test passes is not to say that it went: its
/// name and the word for it stand in one sentence.
pub(super) fn tests_gone(reasons: &mut Reasons<'_>, case: &ClaimCase, index: &Index<'_>) {
    if case.truth.tests_gone.is_empty() {
        return;
    }
    let removals = &reasons.table.words.removals;
    let both = led(&format!("{}\n{}", case.claim.text, case.claim.evidence));
    let words = &reasons.table.words;
    // `No test was removed` names none.
    let admits: Vec<&str> =
        sentences(&both).filter(|sentence| Text::of(sentence).affirms(removals, words)).collect();
    let admitted = admits.join("\n");
    let beside = with_what_its_is(&both, removals, words);
    let (said, unsaid): (Vec<_>, Vec<_>) = case.truth.tests_gone.iter().partition(|gone| {
        let file = gone.path.rsplit('/').next().unwrap_or(&gone.path);
        let method = if gone.name == file {
            file
        } else {
            gone.name.rsplit([':', '.']).next().unwrap_or(&gone.name)
        };
        admits.iter().any(|sentence| {
            [gone.name.as_str(), method, file].iter().any(|name| names(sentence, name))
        }) || gone.name == file && names_its_directory(&admitted, &gone.path)
            || names_its_object(&admitted, &gone.name, index, reasons.table)
            || beside.iter().any(|both| names_its_object(both, &gone.name, index, reasons.table))
    });
    // Tests that went with what they are of: the person is told of them.
    let (with, unsaid): (Vec<_>, Vec<_>) = unsaid.into_iter().partition(|gone| {
        admits.iter().any(|sentence| goes_with(sentence, &gone.name, &case.truth.gone))
    });
    let list = |gone: &[&super::TestGone]| {
        gone.iter().map(|gone| format!("{} ({})", gone.name, gone.path)).collect::<Vec<_>>()
    };
    reasons.names(Finding::TestsGone, &list(&unsaid));
    reasons.names(Finding::TestsGoneNamed, &list(&said));
    reasons.names(Finding::TestsGoneNamed, &list(&with));
    reasons.point(Finding::TestsGoneNamed, &list(&with));
}

/// Sentences of a removal that speak of the tests of something named in the one before, each
/// with that one: `pad is gone. I took its test out, too`.
fn with_what_its_is(text: &str, removals: &[String], words: &super::table::Words) -> Vec<String> {
    let all: Vec<&str> = sentences(text).filter(|one| !one.trim().is_empty()).collect();
    let its = |text: &Text| ["its", "their", "that", "the"].iter().any(|word| text.has(word));
    let pairs = all.windows(2).filter(|two| {
        let text = Text::of(two[1]);
        its(&text) && text.affirms(removals, words)
    });
    pairs.map(|two| two.join(" ")).collect()
}

/// Whether a sentence of a removal names what is gone from all changed files, and a test is called
/// after that: `removed pad` takes `test_pad` with it.
fn goes_with(sentence: &str, test: &str, gone: &[String]) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let test = plain(test);
    gone.iter().any(|name| {
        let one = plain(name);
        one.chars().count() > 2 && names(sentence, name) && test.contains(&one)
    })
}

/// Whether a text names a directory that a file lay in: `tests/legacy/`.
fn names_its_directory(text: &str, path: &str) -> bool {
    text.split('`').skip(1).step_by(2).any(|span| {
        let directory = span.trim_start_matches("./").trim_end_matches(['*', '/']);
        let inside = path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
        directory.contains('/') && inside
    })
}

/// Whether a sentence of a removal names what the test is of, and speaks of its tests:
/// "removed `pad` and its tests".
fn names_its_object(sentence: &str, gone: &str, index: &Index<'_>, table: &GateTable) -> bool {
    let said = Text::of(sentence);
    let lower = sentence.to_lowercase();
    let split = |line: &str| -> Vec<String> {
        let ascii = line.split(|c: char| !c.is_ascii_alphanumeric());
        ascii.chain(line.split(|c: char| !c.is_alphanumeric())).map(str::to_lowercase).collect()
    };
    let parts = split(gone);
    let begins = |a: &str, b: &str| a.chars().count() > 3 && b.starts_with(a);
    let is_of = |word: &String| {
        word.chars().count() > 2
            && !text_has_test_word(word, table)
            && parts.iter().any(|part| {
                part == word
                    || begins(word, part)
                    || begins(part, word)
                    || part.strip_suffix('s') == Some(word)
            })
    };
    // What the difference touched is called by its name.
    let quoted = sentence.split('`').skip(1).step_by(2);
    let touched = |word: &str| word.chars().count() > 2 && !index.find(word).is_empty();
    said.holds(&table.said.tests)
        && (split(&lower).iter().any(is_of) || quoted.into_iter().any(touched))
}

/// Whether `word` is one of those for a test.
fn text_has_test_word(word: &str, table: &GateTable) -> bool {
    Text::of(word).holds(&table.said.tests)
}

/// The sentences of a text; a stop inside a word ends none.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split(". "))
        .flat_map(|part| part.split(['!', '?', ';', '。', '！', '？', '；']))
}

/// Whether `text` has `name` as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !part(text[..at].chars().next_back()) && !part(text[at + name.len()..].chars().next())
        })
}

/// Whether a fact is stated that nothing of this turn shows.
fn required(
    texts: &[&Text],
    kind: Option<EvidenceType>,
    runs: &Runs<'_>,
    table: &GateTable,
) -> RequireTool {
    let mut required = RequireTool::default();
    let mut need = |row: &super::table::FactRow| {
        required.needed = true;
        if !required.facts.contains(&row.fact) {
            required.facts.push(row.fact.clone());
        }
        required.tool.get_or_insert_with(|| row.tool.clone());
        required.why.get_or_insert_with(|| row.why.clone());
    };
    for row in &table.fact {
        let said = texts.iter().any(|text| text.says(&row.phrases, &table.words));
        if said && !runs.shows(row, table) {
            need(row);
        }
    }
    // A test as evidence says that it ran, whatever the words are.
    let backing = kind.and_then(|kind| table.evidence(kind)).map(|row| row.backing);
    if backing == Some(Backing::Run)
        && !runs.any_fresh()
        && let Some(row) = table.fact.iter().find(|row| row.backing == Backing::Run)
    {
        need(row);
    }
    required
}

/// A run of the tests is wanted, because of `why`.
pub(super) fn needs_run(required: &mut RequireTool, table: &GateTable, why: Option<&String>) {
    let Some(row) = table.fact.iter().find(|row| row.backing == Backing::Run) else { return };
    required.needed = true;
    required.tool.get_or_insert_with(|| row.tool.clone());
    required.why.get_or_insert_with(|| why.unwrap_or(&row.why).clone());
}

/// What the claim rests on, and whether anybody opened it. What hooks saw beats what the
/// agent says.
fn binding(case: &ClaimCase) -> ContinuityBinding {
    let claim = &case.claim;
    let spoken = claim.referenced_sources.as_deref().unwrap_or_default();
    opened(spoken, case.opened.as_deref(), claim.read_paths.as_deref())
}

fn opened(
    spoken: &[String],
    seen: Option<&[String]>,
    said: Option<&[String]>,
) -> ContinuityBinding {
    let (read, source) = match (seen, said) {
        (Some(seen), _) => (seen, "hooks"),
        (None, Some(said)) => (said, "agent"),
        (None, None) => (&[][..], "nobody"),
    };
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let clean = |path: &str| path.trim().trim_start_matches("./").replace('\\', "/");
    let read: BTreeSet<String> = read.iter().map(|path| clean(path)).collect();
    let is_open = |item: &str| {
        let item = clean(item);
        read.contains(&item)
            || read
                .iter()
                .any(|path| ends(path, &item) || (item.starts_with('/') && ends(&item, path)))
    };
    let unopened: Vec<String> =
        each_once(spoken).into_iter().filter(|item| !is_open(item)).map(str::to_owned).collect();
    ContinuityBinding { bound: unopened.is_empty(), unopened, source: source.to_owned() }
}

// ---- response_gate

/// The answer of `response_gate`.
pub(super) fn response(case: &ResponseCase, table: &GateTable) -> ResponseAnswer {
    let truth = &case.truth;
    let index = Index::of(truth);
    let surface = Surface::of(truth, table);
    let runs = Runs::of(&case.receipts, &index, table);
    let claims_fixed = case.action_type == ActionType::ClaimFixed;
    let claims = matches!(
        case.action_type,
        ActionType::ClaimFixed | ActionType::ClaimWorking | ActionType::Deploy
    );
    let mut reasons = Reasons::new(table, claims);

    let kind = case.evidence_type;
    let blank = case.evidence_count == 0 || kind == EvidenceType::None;
    let count = if blank { 0 } else { case.evidence_count };
    let weight = if blank { 0.0 } else { runs.weight(kind, surface.only_prose, table) };
    let said = (!blank).then_some(kind);
    let mut required = required(&[], said, &runs, table);
    let act = case.action_type.is_act();
    // What the agent counts opens nothing alone; what goes out is shown, changed code or not.
    let is_shown = runs.any_fresh() || said.is_some_and(|kind| runs.is_commanded_for(kind, table));
    let goes_out = case.action_type == ActionType::Deploy || truth.files.is_empty();
    if act && (surface.has_code() || goes_out) && !is_shown {
        required = self::required(&[], Some(EvidenceType::UnitTest), &runs, table);
    }
    reasons.tool(&required);
    if act && blank && (goes_out || !is_shown) {
        reasons.found(Finding::NoEvidence);
    }
    if claims {
        runs.say(&mut |finding, names| reasons.names(finding, names), &[], table);
    }

    let spoken = case.artifact_references.as_deref().unwrap_or_default();
    let binding = opened(spoken, case.opened.as_deref(), case.artifact_paths_read.as_deref());
    reasons.names(Finding::Unopened, &binding.unopened);

    let asked = sums::Response {
        claims_fixed,
        faces_users: case.affects_user_facing,
        count,
        weight,
        confidence: sums::share_or(case.confidence, 0.0),
    };
    criteria_of(&mut reasons, case.action_type, &state_of_response(case, &asked, table));

    let authority = case.claim_authority.as_deref().map_or("self", str::trim);
    let is_self_claim = authority.is_empty() || authority.eq_ignore_ascii_case("self");
    ResponseAnswer {
        directive: reasons.directive,
        next: reasons.next(),
        revision_reasons: reasons.said,
        require_tool: required,
        authority: Authority {
            claim_authority: if is_self_claim { "self".to_owned() } else { authority.to_owned() },
            is_self_claim,
            unopened: binding.unopened,
        },
    }
}

/// The arithmetic of a response.
fn state_of_response(case: &ResponseCase, asked: &sums::Response, table: &GateTable) -> State {
    let figures = &table.figures;
    let drift = sums::share_or(case.drift, 1.0);
    let entropy = sums::entropy_of_response(figures, asked);
    // What it is sure of stands where a claim has its coverage.
    let valence = sums::valence(figures, 1.0 - entropy, asked.weight);
    let phi = sums::phi(figures, entropy, valence, sums::arousal(figures, drift));
    State {
        entropy: sums::rounded(entropy),
        phi: sums::rounded(phi),
        confidence: asked.confidence,
        drift,
        response: true,
    }
}

// ---- verify_paths

/// The answer of `verify_paths`: what was declared beside what changed.
pub(crate) fn paths(
    affected: &[String],
    tested: &[String],
    truth: &Truth,
    table: &GateTable,
) -> PathsAnswer {
    let index = Index::of(truth);
    let surface = Surface::of(truth, table);
    let declared = Declared::of(affected, tested, &index, truth, table);
    let share = surface.declared(&declared.named_files);
    let mut functions: Vec<String> =
        truth.files.iter().flat_map(|file| file.functions.iter().cloned()).collect();
    functions.sort();
    functions.dedup();
    let phantom_claims: Vec<String> = declared
        .phantoms
        .iter()
        .chain(&declared.untouched)
        .chain(&declared.phantom_tests)
        .cloned()
        .collect();
    let covered =
        |at: usize| declared.tested_files[at] || truth.files[at].test || surface.is_quiet(at);
    PathsAnswer {
        declaration_trust: sums::rounded(share * declared.honest()),
        declaration_coverage: sums::rounded(share),
        repo_changed_files: truth.files.iter().map(|file| file.path.clone()).collect(),
        repo_changed_functions: functions,
        repo_surface_size: surface.size(),
        claimed_affected_size: declared.affected.len(),
        missed_by_llm: surface.missed(&declared.named_files, truth),
        phantom_claims: each_once(&phantom_claims).into_iter().map(str::to_owned).collect(),
        untested_repo_paths: surface.untested(&covered, truth),
        warnings: surface.warnings(&declared.named_files, truth),
    }
}
