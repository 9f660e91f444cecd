//! Walks a parsed command line down to its simple commands.
//!
//! Lists, pipelines, loops and functions are flattened; substitutions, `sh -c` texts and
//! here-documents that feed a shell are parsed again, up to [`DEEPEST`]. Redirections and
//! assignments are judged here, programs in `call.rs`.

use std::collections::{HashMap, HashSet};

use brush_parser::ast;

use super::around::{Around, Flow, Input};
use super::flow;
use super::programs::{self, runs_inside};
use super::stand::{Here, Values};
use super::sums::{self, Sums};
use super::words::{self, Inner, Target, Term};
use super::{Effect, Found, GitFlag, Named, Reading, Tag, documents, git, own, syntax};

/// How many texts may be nested in each other.
pub(super) const DEEPEST: u8 = 8;
/// How many variables one line may set before it counts as unreadable.
const VARIABLES: usize = 64;
/// How many words with expansions, and how many texts, one line may have before it counts
/// as unreadable: both are parsed again.
const EXPANDING: usize = 400;
const TEXTS: usize = 200;
/// How many links one line may make that are followed.
const LINKS: usize = 16;
/// How many ways of leaving words out are read.
const VANISHING: usize = 5;
/// How many pieces one line may have before it counts as unreadable.
pub(super) const MOST: usize = 2_000;

/// Reads `command`.
pub(super) fn read(command: &str) -> Reading {
    let mut walker = Walker::default();
    walker.text(command);
    walker.settle();
    walker.through_links();
    Reading { found: walker.found }
}

/// What stands behind the expansions of a word.
#[derive(Clone, Copy, Debug, Default)]
struct Arrived {
    /// It may begin with a dash.
    flaggy: bool,
    /// A word of it may, once it is split.
    loose: bool,
    /// It may be more than numbers.
    worded: bool,
}

impl Arrived {
    const ANYTHING: Self = Self { flaggy: true, loose: true, worded: true };

    fn and(self, other: Self) -> Self {
        Self {
            flaggy: self.flaggy || other.flaggy,
            loose: self.loose || other.loose,
            worded: self.worded || other.worded,
        }
    }
}

impl From<Flow> for Arrived {
    fn from(flow: Flow) -> Self {
        Self { flaggy: flow.is_open(), loose: flow.is_open(), worded: flow > Flow::Numbers }
    }
}

/// Variables that a shell fills with words of the line, or of what it read.
const FILLED: [&str; 8] = [
    "-",
    "_",
    "BASH_EXECUTION_STRING",
    "BASH_COMMAND",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_REMATCH",
    "OPTARG",
];

#[derive(Default)]
pub(super) struct Walker {
    pub found: Vec<Found>,
    pub depth: u8,
    /// Functions of this line, and whether they go to another directory.
    pub functions: HashMap<String, bool>,
    /// Variables whose value could turn into a flag.
    pub flaggy: HashSet<String>,
    /// Those of which a word could, once the value is split.
    pub loose: HashSet<String>,
    /// Those that may hold more than a number.
    pub worded: HashSet<String>,
    /// Functions around what is read: their words come from somewhere else.
    pub in_function: u8,
    /// Loops around what is read: it may run more than once.
    in_loop: u8,
    /// What `exec < file` opened for the commands behind it.
    stdin: Flow,
    /// The text that the last command hands on as it came.
    passed: Option<String>,
    /// What the last command read names git seed's state.
    mentions: bool,
    /// Where `pushd` came from.
    pushed: Vec<Here>,
    /// Git's variables or settings were bent further up the line.
    pub git_bent: bool,
    /// The raw values of variables, for paths that are put together.
    pub texts: HashMap<String, String>,
    /// The values of variables, where all of them stand in the line.
    pub values: Values,
    /// The directory that the next command runs in.
    pub here: Here,
    /// What arithmetic evaluates.
    pub sums: Sums,
    /// The output of the last command may hold names of git seed's state.
    pub lists_state: bool,
    /// The files that the output of the last command names.
    pub files: Option<Vec<String>>,
    /// Words with expansions, and texts, that were parsed so far.
    parsed: (usize, usize),
    /// Variables that hold names of files, and where those lie.
    pub held: HashMap<String, Vec<String>>,
    /// Symbolic links that the line makes: what they lead to, and their names.
    links: Vec<(String, String)>,
    /// A shell reads the text that knows less than bash: `sh -c`.
    pub plain_shell: bool,
    /// A pattern that fits no file is no word at all: `shopt -s nullglob`.
    pub nullglob: bool,
    /// Every variable that the line sets is given to programs: `set -a`.
    pub exports_all: bool,
    /// Variables of loops, which never hold nothing.
    looped: HashSet<String>,
    /// What pieces would do if words of theirs came out as nothing.
    doubts: Vec<(Effect, String)>,
    /// This reading leaves out words that may come out as nothing.
    pub without: bool,
    /// Where `found` says that a variable no row names was given to programs.
    given: Vec<usize>,
    /// Something runs that may read such a variable.
    pub moved: bool,
}

impl Walker {
    pub(super) fn push(&mut self, effect: Effect, part: &str) {
        self.found.push(Found::new(effect, part));
    }

    /// A text that a shell reads: the line itself, `sh -c`, `eval`, a substitution.
    /// Says what its output is made of.
    pub(super) fn text(&mut self, text: &str) -> Flow {
        self.parsed.1 += 1;
        if self.depth >= DEEPEST || self.found.len() > MOST || self.parsed.1 > TEXTS {
            self.push(Effect::Unknown, &excerpt(text));
            return Flow::Text;
        }
        let Some(program) = syntax::parse(text) else {
            self.push(Effect::Unknown, &excerpt(text));
            return Flow::Text;
        };
        self.depth += 1;
        let mut flow = Flow::Numbers;
        for list in &program.complete_commands {
            flow = flow.max(self.list(list, &Input::default()));
        }
        self.depth -= 1;
        flow
    }

    /// What reads or deletes whatever a search comes up with.
    pub(super) fn push_state(&mut self, part: &str) {
        let mut found = Found::new(Effect::Read, part);
        found.own_state = true;
        self.found.push(found);
    }

    /// Judges what only the whole line can tell.
    fn settle(&mut self) {
        // Code that runs anyway may read any variable: setting one adds nothing to that.
        let others = self.found.iter().enumerate().filter(|(at, _)| !self.given.contains(at));
        if others.map(|(_, found)| found.effect).max() >= Some(Effect::RunsCode) {
            for &at in &self.given {
                self.found[at].effect = Effect::RunsCode;
            }
        }
        // What looks at files alone, and is known to read no such variable, does as it always does.
        if !self.moved
            && self
                .found
                .iter()
                .enumerate()
                .all(|(at, found)| found.effect == Effect::Read || self.given.contains(&at))
        {
            for &at in &self.given {
                self.found[at].effect = Effect::Read;
                self.found[at].tag = None;
            }
        }
        // A piece that only looks may do more than that then.
        for (_, part) in std::mem::take(&mut self.doubts) {
            let looks = |found: &Found| found.part != part || found.effect == Effect::Read;
            if self.found.iter().all(looks) {
                self.push(Effect::Unknown, &part);
            }
        }
        let parts: Vec<String> = self.sums.loaded_parts().into_iter().map(str::to_owned).collect();
        for part in parts {
            self.push(Effect::Unknown, &part);
        }
    }

    /// `name` gets a value that is not in the line.
    pub(super) fn hide(&mut self, name: &str) {
        self.held.remove(name);
        self.values.hide(name);
        self.sums.set_unseen(name);
    }

    /// Walks what runs in a shell of its own: where it goes, and what it sets, ends there.
    pub(super) fn apart<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let (here, values) = (self.here.clone(), self.values.clone());
        let result = walk(self);
        self.here = here;
        self.values.back_to(&values);
        result
    }

    fn list(&mut self, list: &ast::CompoundList, input: &Input) -> Flow {
        let mut flow = Flow::Numbers;
        let mut lists_state = false;
        for ast::CompoundListItem(and_or, end) in &list.0 {
            let before = self.here.clone();
            flow = flow.max(self.and_or(and_or, input));
            lists_state |= self.lists_state;
            if matches!(end, ast::SeparatorOperator::Async) {
                self.here = before;
            }
        }
        self.lists_state = lists_state;
        flow
    }

    /// `a && b || c`. Behind it, a `cd` may have failed, if no `|| exit` says otherwise.
    fn and_or(&mut self, and_or: &ast::AndOrList, input: &Input) -> Flow {
        let before = self.here.clone();
        let (mut flow, mut lists_state, mut sure) = (Flow::Numbers, false, false);
        let mut gone = Vec::new();
        for (operator, pipeline) in and_or {
            let start = self.found.len();
            let at = self.here.clone();
            let otherwise = matches!(operator, ast::PipelineOperator::Or);
            if otherwise && at != before {
                self.here = before.clone().or(at.clone());
            }
            flow = flow.max(self.pipeline(pipeline, input));
            lists_state |= self.lists_state;
            gone = gone_before(&mut self.found[start..], gone, pipeline, otherwise);
            if otherwise {
                sure = leaves(pipeline);
                self.here = if sure { at } else { at.or(self.here.clone()) };
            }
        }
        if self.here != before && !sure {
            self.here = before.or(self.here.clone());
        }
        self.lists_state = lists_state;
        flow
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, input: &Input) -> Flow {
        if let [command] = pipeline.seq.as_slice() {
            self.lists_state = false;
            return self.command(command, input);
        }
        let mut input = input.clone();
        let mut flow = Flow::Numbers;
        for command in &pipeline.seq {
            self.lists_state = false;
            self.files = None;
            self.passed = None;
            flow = self.apart(|walker| walker.command(command, &input));
            self.lists_state |= input.lists_state && passes_names_on(command);
            input = Input {
                piped: true,
                flow,
                printed: printed(command),
                lists_state: self.lists_state || std::mem::take(&mut self.mentions),
                text: self.passed.take(),
                exact: false,
                files: self.files.take(),
            };
        }
        flow
    }

    fn command(&mut self, command: &ast::Command, input: &Input) -> Flow {
        match command {
            ast::Command::Simple(simple) => self.simple(simple, input),
            ast::Command::Compound(compound, redirects) => {
                let input = self.redirects(redirects.as_ref(), input.clone());
                let (before, start) = (self.here.clone(), self.found.len());
                let flow = self.compound(compound, &input);
                if self.here != before && !matches!(compound, ast::CompoundCommand::BraceGroup(_)) {
                    // Another round of a loop would begin where this one ended.
                    for found in &mut self.found[start..] {
                        found.dynamic |= is_loop(compound) && !found.paths.is_empty();
                    }
                    self.here = before.or(self.here.clone());
                }
                flow
            }
            ast::Command::Function(function) => {
                self.function(function);
                Flow::Numbers
            }
            ast::Command::ExtendedTest(test, redirects) => {
                if self.plain_shell {
                    // `[[ a > b ]]` is a program with a redirection there.
                    self.push(Effect::Unknown, "[[");
                }
                self.redirects(redirects.as_ref(), input.clone());
                self.test(&test.expr);
                Flow::Numbers
            }
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand, input: &Input) -> Flow {
        use ast::CompoundCommand as C;
        match compound {
            // Another shell than bash runs what stands in the brackets.
            C::Arithmetic(sum) if self.plain_shell || !words::is_sum(&sum.expr.value) => {
                self.push(Effect::Unknown, &excerpt(&sum.expr.value));
            }
            C::Arithmetic(sum) => self.sum(&sum.expr.value),
            C::ArithmeticForClause(each) => {
                for sum in [&each.initializer, &each.condition, &each.updater].into_iter().flatten()
                {
                    self.sum(&sum.value);
                }
                return self.again(&each.body.list, input);
            }
            C::BraceGroup(group) => return self.list(&group.list, input),
            C::Subshell(group) => return self.apart(|walker| walker.list(&group.list, input)),
            C::ForClause(each) => return self.for_clause(each, input),
            C::CaseClause(case) => return self.case_clause(case, input),
            C::IfClause(choice) => return self.if_clause(choice, input),
            C::WhileClause(again) | C::UntilClause(again) => {
                let condition = self.again(&again.0, input);
                return self.again(&again.1.list, input).max(condition);
            }
            C::Coprocess(process) => {
                if let Some(name) = &process.name {
                    self.taints(&name.value, &Term::arriving(true), &excerpt(&name.value), None);
                }
                return self.command(&process.body, input);
            }
        }
        Flow::Numbers
    }

    fn for_clause(&mut self, each: &ast::ForClauseCommand, input: &Input) -> Flow {
        if each.values.is_none() {
            let name = &each.variable_name;
            self.hide(name);
            self.arrived(name, self.of_variable("@"));
            self.taints(name, &Term::arriving(true), name, None);
        } else {
            self.values.restart(&each.variable_name);
        }
        for value in each.values.iter().flatten() {
            for term in self.terms(&value.value) {
                self.assign(&each.variable_name, &term, &value.value, None);
                if let (Target::Below(below), [_]) =
                    (term.target(), each.values.as_deref().unwrap_or_default())
                {
                    self.held.insert(each.variable_name.clone(), below);
                }
            }
        }
        if each.values.is_some() {
            self.looped.insert(each.variable_name.clone());
        }
        self.again(&each.body.list, input)
    }

    /// A list that may run more than once.
    fn again(&mut self, list: &ast::CompoundList, input: &Input) -> Flow {
        self.in_loop = self.in_loop.saturating_add(1);
        let flow = self.list(list, input);
        self.in_loop -= 1;
        flow
    }

    fn case_clause(&mut self, case: &ast::CaseClauseCommand, input: &Input) -> Flow {
        self.term(&case.value.value);
        let mut flow = Flow::Numbers;
        for item in &case.cases {
            for pattern in &item.patterns {
                self.term(&pattern.value);
            }
            let one = item.cmd.as_ref().map(|list| self.list(list, input));
            flow = flow.max(one.unwrap_or_default());
        }
        flow
    }

    fn if_clause(&mut self, choice: &ast::IfClauseCommand, input: &Input) -> Flow {
        let condition = self.list(&choice.condition, input);
        let mut flow = condition.max(self.list(&choice.then, input));
        for other in choice.elses.iter().flatten() {
            let condition = other.condition.as_ref().map(|list| self.list(list, input));
            flow = flow.max(condition.unwrap_or_default()).max(self.list(&other.body, input));
        }
        flow
    }

    /// A function's body counts when it is defined; a name that already means something
    /// else changes what later words say.
    fn function(&mut self, function: &ast::FunctionDefinition) {
        let name = &function.fname.value;
        if programs::program(name).is_some() {
            self.push(Effect::Unknown, &format!("{name}()"));
        }
        self.functions.insert(name.clone(), false);
        self.redirects(function.body.1.as_ref(), Input::default());
        let before = self.here.clone();
        self.in_function = self.in_function.saturating_add(1);
        self.compound(&function.body.0, &Input::default());
        self.in_function -= 1;
        self.functions.insert(name.clone(), self.here != before);
        self.here = before;
    }

    fn test(&mut self, test: &ast::ExtendedTestExpr) {
        use ast::ExtendedTestExpr as T;
        match test {
            T::And(left, right) | T::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            T::Not(inner) | T::Parenthesized(inner) => self.test(inner),
            T::UnaryTest(ast::UnaryPredicate::ShellVariableIsSetAndAssigned, word)
                if word.value.contains(['[', '$']) =>
            {
                self.counted(word);
            }
            T::UnaryTest(_, word) => self.tested(word),
            T::BinaryTest(operator, left, right) if is_arithmetic(operator) => {
                self.counted(left);
                self.counted(right);
            }
            T::BinaryTest(_, left, right) => {
                self.tested(left);
                self.tested(right);
            }
        }
    }

    /// `[[ 'a[$(x)]' -eq 0 ]]` runs x, quotes or not.
    fn tested(&mut self, word: &ast::Word) {
        let term = self.term(&word.value);
        if term.quoted && !term.expands && runs_inside(&term.text) {
            self.push(Effect::Unknown, &word.value);
        }
    }

    fn counted(&mut self, word: &ast::Word) {
        let bare = words::term(&word.value, &mut Vec::new());
        if bare.quoted && !bare.expands && runs_inside(&bare.text) {
            self.push(Effect::Unknown, &word.value);
        }
        self.sum(&word.value);
    }

    /// An arithmetic text: every name in it is evaluated, and so is what commands print.
    pub(super) fn sum(&mut self, text: &str) {
        let mut inner = Vec::new();
        let term = words::expression(text, &mut inner);
        let part = excerpt(text);
        for name in sums::names(&term.with_numbers()) {
            self.sums.count(name, &part);
        }
        let mut hidden = runs_inside(text) && text.contains(['\'', '\\']);
        for piece in &inner {
            match piece {
                Inner::Variable(name) if name != "-" => self.sums.count(name, &part),
                Inner::Command(command) => hidden |= !sums::prints_numbers(command),
                _ => {}
            }
        }
        if hidden {
            self.push(Effect::Unknown, &part);
        }
        self.inner(inner, text);
    }

    /// One word that stays one, with everything in it that runs: an assigned value, a test.
    pub(super) fn term(&mut self, word: &str) -> Term {
        let mut terms = self.read_word(word, |word, inner| vec![words::term(word, inner)]);
        terms.pop().unwrap_or_else(|| Term::arriving(true))
    }

    /// An argument, and what its braces make of it.
    fn terms(&mut self, word: &str) -> Vec<Term> {
        let terms = self.read_word(word, words::terms);
        if self.plain_shell && (terms.len() != 1 || word.contains("$'")) {
            // Another shell than bash sees one word there.
            self.push(Effect::Unknown, &excerpt(word));
        }
        terms
    }

    /// The file of a redirection, which is one word or an error.
    fn file(&mut self, word: &str) -> Term {
        let mut terms = self.terms(word);
        match (terms.pop(), terms.is_empty()) {
            (Some(term), true) => term,
            _ => Term::arriving(true),
        }
    }

    fn read_word(
        &mut self,
        word: &str,
        read: impl FnOnce(&str, &mut Vec<Inner>) -> Vec<Term>,
    ) -> Vec<Term> {
        self.files = None;
        // `~+` is where the command runs.
        let at_hand = word.strip_prefix("~+/").map(|rest| format!("./{rest}"));
        let word = at_hand.as_deref().unwrap_or(word);
        let expands = word.contains(['$', '`']);
        self.parsed.0 += usize::from(expands);
        if expands && self.parsed.0 > EXPANDING {
            // One word more that nobody reads says all there is to say.
            if self.parsed.0 == EXPANDING + 1 {
                self.push(Effect::Unknown, &excerpt(word));
            }
            return vec![Term::arriving(true)];
        }
        let mut inner = Vec::new();
        let mut terms = read(word, &mut inner);
        let open =
            word.starts_with(['$', '`']) || word.starts_with("\"$") || word.starts_with("\"`");
        let splits = !word.contains('"');
        let mut uses = Vec::new();
        let mut opaque = false;
        for piece in &inner {
            match piece {
                Inner::Variable(name) => uses.push(name.clone()),
                Inner::Command(command) => opaque |= !sums::prints_numbers(command),
                Inner::Opaque => opaque = true,
                Inner::Sum(_) | Inner::Sets(..) | Inner::Altered(_) => {}
            }
        }
        let arrived = self.inner(inner, word);
        let nullglob = self.nullglob;
        for term in &mut terms {
            term.vanishes |= term.globs && nullglob;
        }
        let files = self.files.take();
        for term in terms.iter_mut().filter(|term| term.expands) {
            term.composed |= opaque;
            term.uses.clone_from(&uses);
            let apart = splits || term.splits;
            term.flaggy |= (arrived.flaggy && (open || apart)) || (arrived.loose && apart);
            term.loose |= arrived.loose;
            term.digits = !arrived.worded;
            term.values = self.known(term, word);
            term.told = self.told(&term.text);
            let filled = !term.values.is_empty() && !term.values.contains(&String::new());
            let looped = |name: &String| self.looped.contains(name);
            term.vanishes &= !filled && (uses.is_empty() || !uses.iter().all(looped));
            term.below = self.lies_below(term, word, files.clone());
        }
        terms
    }

    /// What a word with variables can be, if the line says so.
    fn known(&self, term: &Term, word: &str) -> Vec<String> {
        let whole = word.len() > 1 && word.starts_with('"') && word.ends_with('"');
        let splits = |value: &String| {
            !whole
                && value
                    .contains(|char: char| char.is_whitespace() || matches!(char, '*' | '?' | '['))
        };
        let here = [".".to_owned()];
        let unset = |name: &str| name == "PWD" && !self.values.knows(name);
        let values =
            term.filled(|name| if unset(name) { Some(&here) } else { self.values.get(name) });
        if values.iter().any(splits) { Vec::new() } else { values }
    }

    /// Where the files lie that a word stands for which is one variable or one command.
    fn lies_below(&self, term: &Term, word: &str, files: Option<Vec<String>>) -> Vec<String> {
        let bare = word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word);
        if let ([name], false) = (term.uses.as_slice(), self.held.is_empty()) {
            let whole = bare.strip_prefix('$') == Some(name) || bare == format!("${{{name}}}");
            return self.held.get(name).filter(|_| whole).cloned().unwrap_or_default();
        }
        let command =
            word.starts_with("$(") && word.ends_with(')') && word.matches("$(").count() == 1;
        files.filter(|_| command).unwrap_or_default()
    }

    /// Looks into what expands; says what could come of it.
    fn inner(&mut self, inner: Vec<Inner>, word: &str) -> Arrived {
        let mut arrived = Arrived::default();
        for piece in inner {
            arrived = arrived.and(match piece {
                Inner::Command(text) => {
                    self.lists_state = false;
                    let flow = self.apart(|walker| walker.text(&text));
                    if std::mem::take(&mut self.lists_state) {
                        self.push_state(&excerpt(word));
                    }
                    if sums::prints_numbers(&text) { Arrived::default() } else { flow.into() }
                }
                Inner::Variable(name) => self.of_variable(&name),
                Inner::Altered(name) => self.of_altered(&name),
                Inner::Sets(name, value) => {
                    let term = self.term(&value);
                    self.assign(&name, &term, &excerpt(word), None);
                    Arrived::default()
                }
                Inner::Sum(text) => {
                    self.sum(&text);
                    Arrived::default()
                }
                Inner::Opaque => {
                    self.push(Effect::Unknown, &excerpt(word));
                    Arrived::ANYTHING
                }
            });
        }
        arrived
    }

    /// What the line gives a variable; one of the environment is trusted.
    fn of_variable(&self, name: &str) -> Arrived {
        if FILLED.contains(&name) {
            return Arrived::ANYTHING;
        }
        let flaggy = self.flaggy.contains(name);
        Arrived {
            flaggy,
            loose: flaggy || self.loose.contains(name),
            worded: self.worded.contains(name) || (name == "@" && self.in_function > 0),
        }
    }

    /// A part of its value, where a dash in the middle may come first.
    fn of_altered(&self, name: &str) -> Arrived {
        let plain = |values: &[String]| values.iter().all(|value| !value.contains('-'));
        let known = match self.values.get(name) {
            Some(values) => plain(values),
            None => !self.values.knows(name),
        };
        let open = !known;
        Arrived { flaggy: open, loose: open, worded: false }.and(self.of_variable(name))
    }

    /// A variable gets a value that is not in the line.
    pub(super) fn arrived_by(&mut self, name: &str, flow: Flow) {
        self.arrived(name, flow.into());
    }

    fn arrived(&mut self, name: &str, arrived: Arrived) {
        for (is, set) in [
            (arrived.flaggy, &mut self.flaggy),
            (arrived.loose, &mut self.loose),
            (arrived.worded, &mut self.worded),
        ] {
            if is {
                set.insert(name.to_owned());
            }
        }
    }

    fn remember(&mut self, name: &str, value: &Term) {
        self.looped.remove(name);
        self.held.remove(name);
        // What stands in a substitution is no flag; what it prints is judged as `flaggy`.
        let written = value.with_numbers();
        // Unquoted, it is split wherever whitespace stands.
        let dashed = written.split(char::is_whitespace).any(|word| word.starts_with('-'));
        let flaggy = value.flaggy || dashed;
        let arrived = Arrived { flaggy, loose: flaggy || value.loose, worded: !value.is_number() };
        self.arrived(name, arrived);
        self.values.set(name, value);
        self.sums.set(name, value);
        if self.texts.len() < VARIABLES || self.texts.contains_key(name) {
            // With what the variables in it hold by now: later each may hold something else.
            let told = if value.told.is_empty() { &value.text } else { &value.told };
            self.texts.insert(name.to_owned(), told.clone());
        } else {
            self.push(Effect::Unknown, name);
        }
    }

    fn simple(&mut self, command: &ast::SimpleCommand, input: &Input) -> Flow {
        use ast::CommandPrefixOrSuffixItem as Item;
        let mut around = Around {
            part: part_of(command),
            input: input.clone(),
            here: self.here.clone(),
            ..Around::default()
        };
        let reads = command
            .word_or_name
            .as_ref()
            .is_some_and(|word| matches!(word.value.as_str(), "read" | "mapfile" | "readarray"));
        let mut argv = Vec::new();
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                // `IFS=, read` splits what is read, and no other word.
                Item::AssignmentWord(assignment, word)
                    if reads && name_of(&assignment.name) == "IFS" =>
                {
                    self.term(&word.value);
                }
                Item::AssignmentWord(assignment, word) => {
                    around.given = command.word_or_name.is_some();
                    self.assignment(assignment, word, &mut around);
                    // `f=x cmd $f` gives f to the command, not to its words.
                    if command.word_or_name.is_some() {
                        self.values.hide(name_of(&assignment.name));
                    }
                }
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut around.input),
                Item::Word(word) => argv.extend(self.terms(&word.value)),
                Item::ProcessSubstitution(_, inner) => argv.push(self.process(inner)),
            }
        }
        argv.extend(command.word_or_name.iter().flat_map(|word| self.terms(&word.value)));
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    argv.extend(self.terms(&word.value));
                }
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut around.input),
                Item::ProcessSubstitution(_, inner) => argv.push(self.process(inner)),
            }
        }
        self.numbered(&argv, &around.part);
        if !around.input.arrives() {
            around.input.flow = self.stdin;
        } else if matches!(argv.as_slice(), [exec] if exec.text == "exec") {
            self.stdin = self.stdin.max(around.input.flow);
        }
        self.resolve(&argv);
        self.without_vanishing(&argv, &around);
        self.argv(&argv, &around);
        self.links(&argv);
        self.files = printed_files(&argv, input);
        self.moves(&argv);
        self.hands_on(&argv, &around.input);
        flow::of(&argv, &around.input)
    }

    /// What of its input a command hands on as it came.
    fn hands_on(&mut self, argv: &[Term], input: &Input) {
        let whole = matches!(argv, [cat] if cat.text == "cat");
        let mut read = input.text.iter().chain(input.printed.iter());
        self.mentions = read.any(|text| own::lists_state(text, false));
        self.passed = input.text.clone().filter(|_| whole);
    }

    /// `{x}<file` gives x a number.
    fn numbered(&mut self, argv: &[Term], part: &str) {
        for word in argv.iter().filter(|word| !word.quoted) {
            let named = word.text.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            if let Some(name) = named {
                self.taints(name, &Term::arriving(true), part, None);
            }
        }
    }

    /// Reads the words once more without those that may come out as nothing: where `$x` is
    /// empty, the value of an option is the word behind it.
    fn without_vanishing(&mut self, argv: &[Term], around: &Around) {
        let gone: Vec<usize> = (1..argv.len()).filter(|&at| argv[at].vanishes).collect();
        let each = gone.iter().map(|&at| vec![at]).filter(|_| gone.len() > 1);
        let ways: Vec<Vec<usize>> = each.chain([gone.clone()]).take(VANISHING).collect();
        for way in ways.iter().filter(|way| !way.is_empty()) {
            let left = argv.iter().enumerate().filter(|(at, _)| !way.contains(at));
            let left: Vec<Term> = left.map(|(_, term)| term.clone()).collect();
            let (start, outer) = (self.found.len(), std::mem::replace(&mut self.without, true));
            let here = self.here.clone();
            self.argv(&left, around);
            (self.without, self.here) = (outer, here);
            // What it says beside that is said of the words as they stand.
            let new = self.found.split_off(start);
            let more = new.iter().map(|found| found.effect).max();
            if let Some(effect) = more.filter(|effect| *effect > Effect::Read) {
                self.doubts.push((effect, around.part.clone()));
            }
        }
    }

    /// `ln -s a b`: what the line writes to b lands in a.
    fn links(&mut self, argv: &[Term]) {
        let symbolic = |word: &Term| {
            word.text == "--symbolic"
                || (word.text.starts_with('-')
                    && !word.text.starts_with("--")
                    && word.text.contains('s'))
        };
        let Some((program, words)) = argv.split_first() else { return };
        if program.text.rsplit('/').next() != Some("ln") || !words.iter().any(symbolic) {
            return;
        }
        let operands: Vec<&Term> =
            words.iter().filter(|word| !word.text.starts_with('-')).collect();
        let [target, name] = operands.as_slice() else { return };
        let (Target::Files(targets), Target::Files(names)) = (target.target(), name.target())
        else {
            return;
        };
        for name in names.iter().flat_map(|name| self.here.paths(name.trim_end_matches('/'))) {
            let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
            for target in targets.iter().map(|target| target.trim_end_matches('/')) {
                let target = match directory {
                    _ if target.starts_with('/') => target.to_owned(),
                    "" => target.to_owned(),
                    directory => format!("{directory}/{target}"),
                };
                if self.links.len() < LINKS {
                    self.links.push((target, name.clone()));
                }
            }
        }
    }

    /// Adds where writes land that go through links of this line.
    fn through_links(&mut self) {
        for (target, name) in &self.links {
            for found in &mut self.found {
                let through = |path: &String| {
                    let rest = path.strip_prefix(name.as_str())?;
                    let made =
                        rest.is_empty() && found.part.split_whitespace().any(|word| word == "ln");
                    // A link that goes leaves alone what it leads to.
                    let taken = rest.is_empty() && found.takes_name(path, true);
                    (!made && !taken && (rest.is_empty() || rest.starts_with('/')))
                        .then(|| format!("{target}{rest}"))
                };
                let new: Vec<String> = found.paths.iter().filter_map(through).collect();
                found.paths.extend(new);
            }
        }
    }

    /// `cd` and its like take the rest of the line somewhere else.
    fn moves(&mut self, argv: &[Term]) {
        let mut words =
            argv.iter().skip_while(|word| matches!(word.text.as_str(), "command" | "builtin"));
        let program = words.next().map_or("", |word| word.text.as_str());
        let mut targets = words.filter(|word| word.text == "-" || !word.text.starts_with('-'));
        match (program, targets.next(), targets.next()) {
            ("cd" | "chdir" | "pushd", Some(target), _) if own::leads_in(target) => {
                self.push_state(&target.text);
                self.here = Here::unknown();
            }
            ("cd" | "chdir" | "pushd", Some(target), None) => {
                if program == "pushd" {
                    self.pushed.push(self.here.clone());
                }
                self.here = self.here.moved(target);
            }
            ("popd", None, _) if !self.pushed.is_empty() => {
                self.here = self.pushed.pop().unwrap_or_else(Here::unknown);
            }
            ("cd" | "chdir" | "pushd" | "popd", ..) => self.here = Here::unknown(),
            _ => {}
        }
    }

    /// The text with what the line gives its variables; empty where it gives them nothing.
    fn told(&self, text: &str) -> String {
        if self.texts.is_empty() || !text.contains('$') {
            return String::new();
        }
        let mut told = text.to_owned();
        for (name, value) in &self.texts {
            told = told.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        }
        if told.len() < 4096 && told != text { told } else { String::new() }
    }

    /// Puts known values behind words such as `$D/seed`, only to see whose path it is.
    fn resolve(&mut self, argv: &[Term]) {
        if self.texts.is_empty() {
            return;
        }
        for word in argv.iter().filter(|word| word.expands && word.text.contains('$')) {
            let mut known = Term::literal(&word.told);
            known.expands = true;
            let reach = own::reach(&known, false);
            if matches!(reach, own::Reach::State | own::Reach::Hooks) {
                let mut found = Found::new(Effect::Read, &known.text);
                found.own_state = true;
                if !known.text.contains(['$', '`']) {
                    found.paths.push(known.text.trim_end_matches('/').to_owned());
                }
                self.found.push(found);
            }
        }
    }

    /// A file name that stands for a running command.
    fn process(&mut self, inner: &ast::SubshellCommand) -> Term {
        let input = Input { piped: true, flow: Flow::Text, ..Input::default() };
        self.apart(|walker| walker.list(&inner.list, &input));
        if std::mem::take(&mut self.lists_state) {
            self.push_state("<(…)");
        }
        let mut term = Term::literal("<(…)");
        term.hide();
        term.composed = true;
        term
    }

    fn assignment(&mut self, assignment: &ast::Assignment, word: &ast::Word, around: &mut Around) {
        let name = match &assignment.name {
            ast::AssignmentName::VariableName(name) => name.clone(),
            ast::AssignmentName::ArrayElementName(name, index) => {
                self.sum(index);
                name.clone()
            }
        };
        let plain = matches!(assignment.name, ast::AssignmentName::VariableName(_));
        match &assignment.value {
            ast::AssignmentValue::Scalar(value) => {
                let appends = assignment.append && plain && self.texts.contains_key(&name);
                // It becomes what it was and this behind it.
                let value = if appends {
                    self.term(&format!("${{{name}}}{}", value.value))
                } else {
                    self.term(&value.value)
                };
                // Each time round it is longer.
                let again = self.in_loop > 0 || self.in_function > 0;
                let grows = again && value.uses.contains(&name);
                self.assign(&name, &value, &word.value, Some(around));
                if (assignment.append && (!appends || value.is_number())) || !plain || grows {
                    self.values.hide(&name);
                }
                if !plain {
                    self.taints_members(&name, &word.value);
                }
            }
            ast::AssignmentValue::Array(values) => {
                self.values.hide(&name);
                self.taints_members(&name, &word.value);
                for (key, value) in values {
                    if let Some(key) = key {
                        self.sum(&key.value);
                    }
                    let value = self.term(&value.value);
                    self.assign(&name, &value, &word.value, None);
                }
            }
        }
    }

    pub(super) fn assign(
        &mut self,
        name: &str,
        value: &Term,
        part: &str,
        around: Option<&mut Around>,
    ) {
        self.remember(name, value);
        self.taints(name, value, part, around);
    }

    /// The same of a list or a member of one, an empty list among them.
    fn taints_members(&mut self, name: &str, part: &str) {
        self.taints(name, &Term::arriving(true), part, None);
        self.taints(&format!("{name}[]"), &Term::arriving(true), part, None);
    }

    /// What a variable of that name does to the commands after it.
    pub(super) fn taints(
        &mut self,
        name: &str,
        value: &Term,
        part: &str,
        around: Option<&mut Around>,
    ) {
        let given = self.exports_all || around.as_ref().is_some_and(|around| around.given);
        let Some(effect) = git::taint(name, value, given) else { return };
        if !git::is_named(name) {
            self.given.push(self.found.len());
        }
        let mut found = Found::new(effect, part);
        found.tag = Some(Tag::Taint);
        if effect == Effect::Write && name.starts_with("GIT_") {
            programs::writes(&[value], &self.here, &mut found);
        }
        self.found.push(found);
        self.git_bent |= git::bends_git(name) && value.text != git::GONE;
        if let Some(around) = around.filter(|_| name.starts_with("GIT_")) {
            around.taints.push(GitFlag::Taint);
        }
    }

    fn redirects(&mut self, list: Option<&ast::RedirectList>, mut input: Input) -> Input {
        for redirect in list.iter().flat_map(|list| &list.0) {
            self.redirect(redirect, &mut input);
        }
        input
    }

    fn redirect(&mut self, redirect: &ast::IoRedirect, input: &mut Input) {
        use ast::IoFileRedirectKind as Kind;
        use ast::IoFileRedirectTarget as Target;
        match redirect {
            ast::IoRedirect::File(_, Kind::Read, Target::Filename(word)) => {
                *input = Input { flow: Flow::Text, ..Input::default() };
                self.reads_from(word);
            }
            ast::IoRedirect::File(_, _, Target::ProcessSubstitution(_, inner)) => {
                let piped = Input { piped: true, flow: Flow::Text, ..Input::default() };
                let flow = self.apart(|walker| walker.list(&inner.list, &piped));
                let lists_state = std::mem::take(&mut self.lists_state);
                *input = Input { piped: true, flow, lists_state, ..Input::default() };
            }
            // What another descriptor was opened for is not known here.
            ast::IoRedirect::File(
                _,
                Kind::Read | Kind::DuplicateInput,
                Target::Duplicate(_) | Target::Fd(_),
            ) => {
                *input = Input { flow: Flow::Text, ..Input::default() };
            }
            ast::IoRedirect::File(_, _, Target::Fd(_)) => {}
            ast::IoRedirect::File(_, _, Target::Duplicate(word)) if is_descriptor(&word.value) => {}
            ast::IoRedirect::File(_, _, Target::Filename(word) | Target::Duplicate(word))
            | ast::IoRedirect::OutputAndError(word, _) => self.writes_to(word),
            ast::IoRedirect::HereString(at, word) => {
                let text = self.term(&word.value);
                let flow = flow::of_words(std::slice::from_ref(&text));
                let shown = (!text.expands).then_some(text.text);
                let (piped, exact) = (shown.is_none(), shown.is_some());
                let given = Input { piped, flow, text: shown, exact, ..Input::default() };
                arrives(*at, given, input);
            }
            ast::IoRedirect::HereDocument(at, document) => {
                let given = self.here_document(document);
                arrives(*at, given, input);
            }
        }
    }

    fn here_document(&mut self, document: &ast::IoHereDocument) -> Input {
        if !documents::is_sure(document) {
            self.push(Effect::Unknown, &format!("<<{}", excerpt(&document.here_end.value)));
        }
        if document.requires_expansion {
            let mut inner = Vec::new();
            words::heredoc(&document.doc.value, &mut inner);
            self.inner(inner, &document.here_end.value);
        }
        let body = &document.doc.value;
        let shown = !document.requires_expansion || !body.contains(['$', '`', '\\']);
        let flow = flow::of_words(&[Term::literal(body)]);
        let flow = if shown { flow } else { Flow::Text };
        Input { flow, text: Some(body.clone()), exact: shown, ..Input::default() }
    }

    fn reads_from(&mut self, word: &ast::Word) {
        let term = self.file(&word.value);
        if is_socket(&term) {
            self.push(Effect::Network, &word.value);
        }
        let state = own::reach(&term, false) == own::Reach::State;
        self.resolve(std::slice::from_ref(&term));
        if state {
            let mut found = Found::new(Effect::Read, &word.value);
            found.name_state(&[&term]);
            self.found.push(found);
        }
    }

    fn writes_to(&mut self, word: &ast::Word) {
        let term = self.file(&word.value);
        let mut found = Found::new(Effect::Write, &format!("> {}", word.value));
        if !programs::writes(&[&term], &self.here, &mut found) {
            return;
        }
        if is_socket(&term) {
            found.effect = Effect::Network;
        }
        found.own_state = own::touches(own::reach(&term, false), true, false);
        self.found.push(found);
        self.resolve(std::slice::from_ref(&term));
    }
}

fn name_of(name: &ast::AssignmentName) -> &str {
    match name {
        ast::AssignmentName::VariableName(name)
        | ast::AssignmentName::ArrayElementName(name, _) => name,
    }
}

fn is_arithmetic(operator: &ast::BinaryPredicate) -> bool {
    use ast::BinaryPredicate as B;
    matches!(
        operator,
        B::ArithmeticEqualTo
            | B::ArithmeticNotEqualTo
            | B::ArithmeticLessThan
            | B::ArithmeticLessThanOrEqualTo
            | B::ArithmeticGreaterThan
            | B::ArithmeticGreaterThanOrEqualTo
    )
}

fn is_loop(compound: &ast::CompoundCommand) -> bool {
    use ast::CompoundCommand as C;
    matches!(
        compound,
        C::ForClause(_) | C::ArithmeticForClause(_) | C::WhileClause(_) | C::UntilClause(_)
    )
}

/// The words of a simple command; empty for any other.
fn words_of(command: &ast::Command) -> Vec<String> {
    let ast::Command::Simple(simple) = command else { return Vec::new() };
    part_of(simple).split_whitespace().map(str::to_owned).collect()
}

/// Names that the plain command at hand, which runs where the one before it ended well, takes away.
/// What that one took away is no directory any more, so what this one puts there takes the name.
fn gone_before(
    found: &mut [Found],
    gone: Vec<String>,
    pipeline: &ast::Pipeline,
    otherwise: bool,
) -> Vec<String> {
    const TAKES: [&str; 4] = ["rm", "trash", "trash-put", "unlink"];
    let plain = matches!(pipeline.seq.as_slice(), [ast::Command::Simple(_)]) && !pipeline.bang;
    let [one] = found else { return Vec::new() };
    if !plain {
        return Vec::new();
    }
    for (path, how) in one.named.iter_mut().filter(|_| !otherwise) {
        if gone.contains(path) {
            *how = Named::Always;
        }
    }
    let takes = TAKES.contains(&one.part.split(' ').next().unwrap_or_default());
    let names = one.named.iter().filter(|_| takes && !otherwise).map(|(path, _)| path.clone());
    names.collect()
}

/// `exit` and `return` leave nothing behind them to run.
fn leaves(pipeline: &ast::Pipeline) -> bool {
    let [command] = pipeline.seq.as_slice() else { return false };
    matches!(words_of(command).first().map(String::as_str), Some("exit" | "return"))
}

/// What an `echo` prints, as far as it stands there.
fn printed(command: &ast::Command) -> Option<String> {
    let words = words_of(command);
    let prints = matches!(words.first().map(String::as_str), Some("echo" | "printf"));
    prints.then(|| words[1..].join(" ").replace("\\n", " "))
}

/// Whether the names in a command's input come out again: not behind `wc`, and not
/// those below `.git` behind `grep -v .git`.
fn passes_names_on(command: &ast::Command) -> bool {
    let words = words_of(command);
    let Some(program) = words.first() else { return true };
    let spares = matches!(program.as_str(), "grep" | "rg")
        && words.iter().any(|word| word.starts_with('-') && word.contains('v'))
        && words.iter().any(|word| word.contains(".git"));
    !spares && program != "wc"
}

/// The files that a command's output names; a filter passes them on.
fn printed_files(argv: &[Term], input: &Input) -> Option<Vec<String>> {
    let (program, words) = argv.split_first()?;
    let name = program.text.rsplit('/').next().unwrap_or_default();
    if let ("git", git::Parsed::Call(call)) = (name, git::Call::of(words)) {
        let row = programs::git_verb(&call.verb).filter(|_| call.directories.is_empty())?;
        return row.printed_files(call.words);
    }
    if input.files.is_some()
        && matches!(
            name,
            "head" | "tail" | "sort" | "uniq" | "grep" | "rg" | "tac" | "shuf" | "tr" | "cat"
        )
    {
        return input.files.clone();
    }
    programs::program(name)?.printed_files(words)
}

fn is_descriptor(word: &str) -> bool {
    let digits = word.strip_suffix('-').unwrap_or(word);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a document or a string on the descriptor `at` gives a command: its standard input, where
/// none is named. On another one it is nothing that a program reads by itself.
fn arrives(at: Option<ast::IoFd>, given: Input, input: &mut Input) {
    if at.unwrap_or(0) == 0 {
        *input = given;
    }
}

fn is_socket(term: &Term) -> bool {
    term.text.starts_with("/dev/tcp/") || term.text.starts_with("/dev/udp/")
}

fn part_of(command: &ast::SimpleCommand) -> String {
    use ast::CommandPrefixOrSuffixItem as Item;
    let items = |items: &Vec<Item>| -> Vec<String> {
        items
            .iter()
            .filter_map(|item| match item {
                Item::Word(word) | Item::AssignmentWord(_, word) => Some(word.value.clone()),
                _ => None,
            })
            .collect()
    };
    let mut words = command.prefix.as_ref().map(|prefix| items(&prefix.0)).unwrap_or_default();
    words.extend(command.word_or_name.as_ref().map(|word| word.value.clone()));
    words.extend(command.suffix.as_ref().map(|suffix| items(&suffix.0)).unwrap_or_default());
    excerpt(&words.join(" "))
}

/// The first 200 characters, enough to recognise a piece.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
