//! Judges one program with its words: finds its row, unwraps wrappers, and reads the
//! code that shells and interpreters are given.
//!
//! What no row names is unknown. A program by its path is code, whatever it is called.

use super::around::{Around, Flow, Input};
use super::programs::{self, Args, ProgramRow, Special, Writes, runs_inside};
use super::shown::{self, Shown};
use super::stand::Here;
use super::walk::{DEEPEST, MOST, Walker};
use super::words::Term;
use super::{Effect, Found, Tag, git, own, scripts, search, seed};

/// How many lines of a text are read for commands of git.
const LINES: usize = 20;

/// Verbs by which a command is git's, whatever its program is called.
const GITS: [&str; 8] =
    ["push", "send-pack", "commit", "update-ref", "rebase", "reset", "replace", "cherry-pick"];

/// Whether a program that is not in the text may be git.
fn may_be_git(program: &Term, words: &[Term]) -> bool {
    let word = |text: &str| {
        // A directory of that name is none, but what a command prints may be.
        let whole = text.contains("$(") || text.contains('`');
        let text = if whole { text } else { text.rsplit('/').next().unwrap_or(text) };
        text.split(|char: char| !(char.is_ascii_alphanumeric() || "_.-".contains(char)))
            .any(|part| part == "git" || part.starts_with("git-"))
    };
    let verb = words.iter().find(|word| !word.text.starts_with('-'));
    word(&program.text)
        || word(&program.told)
        || verb.is_some_and(|verb| GITS.contains(&verb.text.as_str()))
}

impl Walker {
    /// One program with its words.
    pub(super) fn argv(&mut self, argv: &[Term], around: &Around) {
        let Some((program, words)) = argv.split_first() else { return };
        if self.depth >= DEEPEST || self.found.len() > MOST {
            return self.push(Effect::Unknown, &around.part);
        }
        self.depth += 1;
        self.program(program, words, around);
        self.depth -= 1;
    }

    fn program(&mut self, program: &Term, words: &[Term], around: &Around) {
        let home = program.text.starts_with("~/")
            && program.text.find(['$', '`', '*', '?', '[', '{']).is_none();
        // What the line gives the name for a value is not all that it can be, but it is shown.
        for value in &program.values {
            self.argv(
                &std::iter::once(Term::literal(value))
                    .chain(words.iter().cloned())
                    .collect::<Vec<_>>(),
                around,
            );
        }
        if self.without && program.text.starts_with('-') {
            return;
        }
        if (!program.is_literal() && !home) || program.text.contains('=') {
            self.moved = true;
            let git = program.values.is_empty() && may_be_git(program, words);
            return self.push_git(git, &around.part);
        }
        if let Some(&moves) = self.functions.get(&program.text) {
            if moves {
                self.here = Here::unknown();
            }
            return self.call(words, around);
        }
        let (directory, name) = program.text.rsplit_once('/').unwrap_or(("", &program.text));
        let ours = name == "git-seed" && super::is_own(&program.text);
        let by_path = !directory.is_empty() && !is_system(directory) && !ours;
        self.moved |= by_path || !git::is_unmoved(name);
        if by_path {
            self.own_code(program, words, around);
        }
        self.sets(name, words, around);
        // `git-push` is `git push`, wherever it lies.
        let verb = name.strip_prefix("git-").filter(|verb| programs::git_verb(verb).is_some());
        if let Some(verb) = verb {
            let command = std::iter::once(Term::literal(verb)).chain(words.iter().cloned());
            self.git(&command.collect::<Vec<_>>(), around);
        }
        let start = self.found.len();
        match programs::program(name) {
            Some(row) => self.row(row, words, around),
            None if by_path || verb.is_some() => {}
            None => self.nameless(words, around),
        }
        if by_path {
            // Whatever bears the name there: it is nobody's command of ours, and confines nothing.
            for found in &mut self.found[start..] {
                (found.seed, found.confined) = (false, false);
            }
        }
    }

    /// Builtins that give variables a value nobody sees, or evaluate names.
    fn sets(&mut self, program: &str, words: &[Term], around: &Around) {
        let names = match program {
            "read" | "mapfile" | "readarray" | "getopts" => {
                self.arrives(around);
                for name in ["REPLY", "MAPFILE", "OPTARG"] {
                    self.hide(name);
                }
                words
            }
            "printf" => return self.prints_into(words, around),
            "unset" => {
                for name in words {
                    self.bends(name, &Term::literal(git::GONE), around);
                }
                return self.evaluated(words, around);
            }
            "test" | "[" => {
                let tested = words
                    .windows(2)
                    .filter(|pair| pair[0].text == "-v")
                    .map(|pair| pair[1].clone());
                return self.evaluated(&tested.collect::<Vec<_>>(), around);
            }
            "let" => return words.iter().for_each(|word| self.sum(&word.text)),
            _ => return,
        };
        self.evaluated(names, around);
        self.read_into(program, words, around);
        for name in names {
            self.hide(&name.text);
            if let Some(files) = around.input.files.as_ref().filter(|_| program == "read") {
                self.held.insert(name.text.clone(), files.clone());
            }
            if runs_inside(&name.text) && !name.expands {
                self.push(Effect::Unknown, &around.part);
            }
            self.bends(name, &Term::arriving(true), around);
        }
    }

    /// What arrives in the variables of `read` and its like.
    fn read_into(&mut self, program: &str, words: &[Term], around: &Around) {
        // Another descriptor was opened for nobody knows what.
        let elsewhere = words.iter().any(|word| word.text.starts_with("-u"));
        let flow = if elsewhere { Flow::Text } else { around.input.flow };
        let implied = match program {
            "read" => "REPLY",
            "getopts" => "OPTARG",
            _ => "MAPFILE",
        };
        self.arrived_by(implied, if program == "getopts" { Flow::Text } else { flow });
        let mut names = words.iter().filter(|word| !word.text.starts_with('-')).peekable();
        let many = names.clone().count() > 1;
        // The first word of a line may be known where the rest is anything.
        let splits = many && program == "read" && !around.part.contains("IFS=");
        let first = if splits { flow.heads(' ') } else { flow };
        if let Some(name) = names.next() {
            self.arrived_by(bare_name(&name.text), first);
        }
        for name in names {
            self.arrived_by(bare_name(&name.text), flow);
        }
    }

    /// The variable that `name` stands for is set: where the text does not show which, it may
    /// be any.
    fn bends(&mut self, name: &Term, value: &Term, around: &Around) {
        if name.text.starts_with('-') {
            return;
        }
        if !bare_name(&name.text).contains(['$', '`']) {
            return self.taints(bare_name(&name.text), value, &around.part, None);
        }
        for shown in &name.values {
            self.taints(bare_name(shown), value, &around.part, None);
        }
        if name.values.is_empty() {
            self.push(Effect::Unknown, &around.part);
        }
    }

    /// `printf -v x …`: what x holds then may be a flag.
    fn prints_into(&mut self, words: &[Term], around: &Around) {
        // `%n` puts a number into the variable that a word names.
        let counts = |text: &str| {
            let mut pieces = text.split('%').skip(1);
            let plain = |char: char| "0123456789.*#+- 'lhjzt".contains(char);
            pieces.any(|piece| piece.trim_start_matches(plain).starts_with('n'))
        };
        let formats = words.iter().take(3);
        if formats.into_iter().any(|word| counts(&word.text) || counts(&word.told)) {
            self.push(Effect::Unknown, &around.part);
        }
        let Some(first) = words.first().filter(|first| first.text.starts_with("-v")) else {
            return;
        };
        let name = match first.text.len() {
            2 => words.get(1).cloned(),
            _ => Some(first.behind(2)),
        };
        let Some(name) = name else { return };
        self.evaluated(std::slice::from_ref(&name), around);
        if !name.is_literal() || runs_inside(&name.text) {
            self.push(Effect::Unknown, &around.part);
        }
        let bare = bare_name(&name.text);
        self.hide(bare);
        self.arrived_by(bare, Flow::Text);
        self.taints(bare, &Term::arriving(true), &around.part, None);
    }

    /// Words that are taken for names, with whatever subscript stands in them.
    fn evaluated(&mut self, words: &[Term], around: &Around) {
        for word in words.iter().filter(|word| word.expands) {
            if word.composed {
                self.push(Effect::Unknown, &around.part);
            }
            for name in &word.uses {
                self.sums.count(name, &around.part);
            }
        }
    }

    /// Names that a command takes from its input may be those of our state.
    fn arrives(&mut self, around: &Around) {
        let texts = around.input.text.iter().chain(around.input.printed.iter());
        if around.input.lists_state || texts.into_iter().any(|text| own::lists_state(text, false)) {
            self.push_state(&around.part);
        }
    }

    /// A script or binary by its path.
    fn own_code(&mut self, program: &Term, words: &[Term], around: &Around) {
        self.code(Effect::RunsCode, std::iter::once(program).chain(words), around);
    }

    fn nameless(&mut self, words: &[Term], around: &Around) {
        let effect = if around.foreign { Effect::RunsCode } else { Effect::Unknown };
        self.code(effect, words, around);
    }

    fn code<'t>(
        &mut self,
        effect: Effect,
        words: impl IntoIterator<Item = &'t Term>,
        around: &Around,
    ) {
        let mut found = Found::new(effect, &around.part);
        let words: Vec<&Term> = words.into_iter().collect();
        let named: Vec<&Term> =
            words.iter().copied().filter(|word| own::is_ours(own::reach(word, false))).collect();
        found.name_state(&named);
        self.found.push(found);
        let words: Vec<Term> = words.into_iter().cloned().collect();
        self.hands_on_git(&words, around);
    }

    /// A command of git that stands among the words, or in the text, which a program is given to
    /// run: `strace git push`, `script -c 'git push'`.
    fn hands_on_git(&mut self, words: &[Term], around: &Around) {
        let is_git = |text: &str| text == "git" || text.ends_with("/git");
        let start = self.found.len();
        if let Some(at) = words.iter().position(|word| is_git(&word.text)) {
            self.argv(&words[at..], around);
        }
        let lines = words.iter().filter(|word| word.is_literal()).map(|word| word.text.clone());
        let lines: Vec<String> = lines
            .chain(around.input.text.clone())
            .flat_map(|text| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>())
            .filter(|line| line.split_once(' ').is_some_and(|(first, _)| is_git(first)))
            .take(LINES)
            .collect();
        for line in &lines {
            self.also(line);
        }
        // What else it says is said of the words as they stand.
        let new = self.found.split_off(start);
        let acts = |found: &Found| {
            found.bends_git
                || (found.git.is_some()
                    && matches!(found.effect, Effect::GitWrite | Effect::Outward))
        };
        self.found.extend(new.into_iter().filter(acts));
    }

    /// Something that nobody can foresee, `git` if it may be a command of git.
    fn push_git(&mut self, git: bool, part: &str) {
        let mut found = Found::new(Effect::Unknown, part);
        found.bends_git = git;
        self.found.push(found);
    }

    /// A function defined on this line; its body was read with other words.
    fn call(&mut self, words: &[Term], around: &Around) {
        let effect = if words.iter().any(could_be_flag) { Effect::Unknown } else { Effect::Read };
        self.push(effect, &around.part);
    }

    fn row(&mut self, row: &ProgramRow, words: &[Term], around: &Around) {
        if !row.sub.is_empty() && self.sub(row, words, around) {
            return;
        }
        match row.special {
            None => {
                let found = self.judge(row, words, around);
                self.found.extend(found);
                if matches!(row.effect, Effect::Unknown | Effect::RunsCode) {
                    self.hands_on_git(words, around);
                }
            }
            Some(Special::Wrap) => self.wrap(row, words, around),
            Some(Special::Trap) => self.trap(row, words, around),
            Some(Special::Shell) => self.in_shell(false, row, words, around),
            Some(Special::PlainShell) => self.in_shell(true, row, words, around),
            Some(Special::Interpreter) => self.interpreter(row, words, around),
            Some(Special::Eval) => self.joined(words, around),
            Some(Special::Git) => self.git(words, around),
            Some(Special::GitSeed) => self.git_seed(words, Effect::Read, around),
            Some(Special::Alias) => self.alias(words, around),
            Some(Special::Assign) => self.declare(false, words, around),
            Some(Special::Export) => self.declare(true, words, around),
            Some(Special::Set) => self.set(words, around),
            Some(Special::Shopt) => self.shopt(words, around),
            Some(Special::Sed | Special::Awk | Special::Tar) => self.script(row, words, around),
            Some(Special::Patch) => self.patch(words, around),
        }
    }

    /// `apply_patch`, as models give it to a shell: the patch names the files that it writes.
    fn patch(&mut self, words: &[Term], around: &Around) {
        let text = match words {
            [] if around.input.exact => around.input.text.as_deref(),
            [word] if word.is_literal() => Some(word.text.as_str()),
            _ => None,
        };
        let files = text.map(patched).unwrap_or_default();
        if files.is_empty() || files.iter().any(|file| file.text.contains(['$', '`'])) {
            return self.nameless(words, around);
        }
        let files: Vec<&Term> = files.iter().collect();
        let state: Vec<&Term> =
            files.iter().copied().filter(|file| own::is_ours(own::reach(file, false))).collect();
        let mut found = Found::new(Effect::Write, &around.part);
        found.name_state(&state);
        programs::writes(&files, &around.here, &mut found);
        self.found.push(found);
    }

    /// Judges a row and walks the commands that its flags hold.
    fn judge(&mut self, row: &ProgramRow, words: &[Term], around: &Around) -> Vec<Found> {
        let args = Args::of(row, words, false);
        let mut found = row.judge(&args, around);
        if row.searches && search::finds_state(words) {
            self.lists_state = true;
            let uses = !args.commands.is_empty()
                || found.iter().any(|found| found.effect == Effect::Write);
            found[0].own_state |= uses;
        }
        for command in &args.commands {
            let here = if command.elsewhere { Here::unknown() } else { around.here.clone() };
            self.argv(&command.words, &Around { input: Input::default(), here, ..around.clone() });
        }
        found
    }

    /// A first operand with a row of its own takes over.
    fn sub(&mut self, row: &ProgramRow, words: &[Term], around: &Around) -> bool {
        // `cargo +nightly test`: the toolchain is no verb.
        let toolchain = words.first().filter(|word| word.text.starts_with('+'));
        if toolchain.is_some_and(|word| !word.is_literal() || word.text.contains('/')) {
            self.push(Effect::Unknown, &around.part);
        }
        let skipped = usize::from(toolchain.is_some());
        let words = &words[skipped..];
        let leading = Args::of(row, words, true);
        let Some(&(at, verb)) = leading.operands.first() else { return false };
        let Some(sub) = row.sub(&verb.text).filter(|_| verb.is_literal()) else { return false };
        let flags = Args { operands: Vec::new(), ..leading };
        // What the program does beside its verbs, another verb of it does not do.
        let beside = |found: &Found| row.also.contains(&found.effect) && found.tag.is_none();
        let before = row.judge(&flags, around);
        self.found.extend(before.into_iter().skip(1).filter(|found| !beside(found)));
        self.row(sub, &words[at + 1..], around);
        true
    }

    fn wrap(&mut self, row: &ProgramRow, words: &[Term], around: &Around) {
        let mut leading = Args::of(row, words, true);
        let scripts: Vec<Term> = leading
            .flags
            .iter()
            .filter(|flag| row.code.contains(&flag.name))
            .filter_map(|flag| flag.value.clone())
            .collect();
        let start = leading.operands.first().map_or(words.len(), |(at, _)| *at);
        leading.operands.retain(|(_, term)| row.writes != Writes::None && !term.is_number());
        let own = row.judge(&leading, around);
        let skipped = words.get(start..start + row.skip).unwrap_or_default();
        if skipped.iter().any(|word| word.is_many() && !word.digits) {
            self.push(Effect::Unknown, &around.part);
        }
        if row.appends {
            self.arrives(around);
        }
        let asks =
            |name: &String| row.reads.as_ref().is_some_and(|reads| reads.with.contains(name));
        let only_reads = leading.flags.iter().any(|flag| asks(&flag.name));
        let from_file = row.appends && (leading.has("-a") || leading.has("--arg-file"));
        let mut around = Around { foreign: around.foreign || row.foreign, ..around.clone() };
        if from_file {
            around.input = Input { flow: Flow::Text, ..Input::default() };
        }
        for flag in leading.flags.iter().filter(|flag| row.chdir.contains(&flag.name)) {
            around.here =
                flag.value.as_ref().map_or_else(Here::unknown, |to| around.here.moved(to));
        }
        self.found.extend(
            own.into_iter()
                .filter(|own| own.effect > Effect::Read || own.tag.is_some() || own.own_state),
        );
        for script in &scripts {
            self.joined(std::slice::from_ref(script), &around);
        }
        if only_reads {
            return self.push(Effect::Read, &around.part);
        }
        let start = self.wrapped_assignments(row, words, start, &mut around);
        let command = words.get(start + row.skip..).unwrap_or_default();
        let command = match command.split_first() {
            Some((dashes, rest)) if dashes.text == "--" => rest,
            _ => command,
        };
        if !scripts.is_empty() {
            return;
        }
        let replaced = leading
            .flags
            .iter()
            .find(|flag| matches!(flag.name.as_str(), "-I" | "-i" | "--replace"));
        let replaced =
            replaced.and_then(|flag| flag.value.as_ref()).map_or("{}", |value| value.text.as_str());
        self.wrapped(row, command, replaced, &around);
    }

    fn wrapped_assignments(
        &mut self,
        row: &ProgramRow,
        words: &[Term],
        start: usize,
        around: &mut Around,
    ) -> usize {
        if !row.assignments {
            return start;
        }
        let mut at = start;
        while let Some((name, _)) = words.get(at).and_then(|word| word.text.split_once('=')) {
            let value = words[at].behind(name.len() + 1);
            around.given = true;
            self.assign(name, &value, &words[at].text, Some(around));
            at += 1;
        }
        at
    }

    fn wrapped(&mut self, row: &ProgramRow, command: &[Term], replaced: &str, around: &Around) {
        if command.is_empty() {
            return self.push(row.effect, &around.part);
        }
        let end =
            command.iter().position(|word| word.text.starts_with(":::")).unwrap_or(command.len());
        let mut command = command[..if row.appends { end } else { command.len() }].to_vec();
        if row.appends {
            let given = |word: &&mut Term| !replaced.is_empty() && word.text.contains(replaced);
            for word in command.iter_mut().filter(given) {
                if word.text == replaced { *word = self.arriving(around) } else { word.hide() }
            }
            command.push(self.arriving(around));
        }
        if row.joins { self.joined(&command, around) } else { self.argv(&command, around) }
    }

    /// The words that `xargs` adds: names of files, where a search prints them.
    fn arriving(&self, around: &Around) -> Term {
        match &around.input.files {
            Some(files) => {
                let mut term = Term::found_below(files.clone());
                (term.flaggy, term.composed) = (around.input.flow.is_open(), true);
                (term.loose, term.splits) = (term.flaggy, true);
                term
            }
            None => Term::arriving(around.input.flow.is_open()),
        }
    }

    /// Words that a shell joins and reads once more.
    fn joined(&mut self, words: &[Term], around: &Around) {
        // What arrives from a pipe may stand behind a command, but not be one.
        let arrives = |at: usize, word: &Term| at > 0 && word.text.is_empty();
        let shown = words.iter().enumerate().all(|(at, word)| !word.expands || arrives(at, word));
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if shown {
            self.text(&text);
        } else {
            for code in words.iter().filter_map(|word| self.held(word)).collect::<Vec<_>>() {
                self.also(&code);
            }
            self.push(Effect::Unknown, &around.part);
        }
    }

    /// The value of a word that is one variable, as the line gives it.
    fn held(&self, word: &Term) -> Option<String> {
        let [name] = word.uses.as_slice() else { return None };
        let bare = word.text.trim_start_matches("${").trim_start_matches('$').trim_end_matches('}');
        self.texts.get(name).filter(|_| bare == name).cloned()
    }

    fn in_shell(&mut self, plain: bool, row: &ProgramRow, words: &[Term], around: &Around) {
        let outer = std::mem::replace(&mut self.plain_shell, plain);
        self.shell(row, words, around);
        self.plain_shell = outer;
    }

    fn shell(&mut self, row: &ProgramRow, words: &[Term], around: &Around) {
        let (mut is_code, mut only_checks) =
            (false, words.first().is_some_and(|word| word.text == "-n"));
        let mut at = 0;
        while let Some(word) =
            words.get(at).filter(|word| word.text.starts_with(['-', '+']) && word.text.len() > 1)
        {
            at += 1;
            if word.text == "--version" || word.text == "--help" {
                return self.push(Effect::Read, &around.part);
            }
            let option = words.get(at).map_or("", |option| option.text.as_str());
            if word.expands || !is_shell_flag(&word.text, option) {
                return self.push(Effect::Unknown, &around.part);
            }
            if word.text == "--" {
                break;
            }
            // It reads a script and runs none of it.
            only_checks &= word.text == "-n";
            let letters = if word.text.starts_with("--") { "" } else { &word.text[1..] };
            is_code |= letters.contains('c') && word.text.starts_with('-');
            at += usize::from(letters.ends_with(['o', 'O']));
        }
        match words.get(at) {
            Some(script) if only_checks && !script.expands => {
                let mut found = Found::new(Effect::Read, &around.part);
                if own::reach(script, false) == own::Reach::State {
                    found.name_state(&[script]);
                }
                self.found.push(found);
            }
            Some(code) if is_code => self.shell_code(code, &words[at + 1..], around),
            Some(script) if script.text.starts_with("<(") => {
                self.push(Effect::Unknown, &around.part);
            }
            Some(_) => {
                let found = self.judge(row, &words[at..], around);
                self.found.extend(found);
            }
            None => self.shell_input(around),
        }
    }

    fn shell_code(&mut self, code: &Term, words: &[Term], around: &Around) {
        if !words.is_empty() {
            let flaggy = words.iter().any(could_be_flag);
            self.arrived_by("@", if flaggy { Flow::Text } else { Flow::Names });
        }
        let code = std::slice::from_ref(code);
        self.apart(|walker| walker.joined(code, around));
    }

    fn shell_input(&mut self, around: &Around) {
        match &around.input.text {
            Some(text) => {
                self.apart(|walker| walker.text(text));
            }
            None if around.input.piped => {
                if let Some(text) = &around.input.printed {
                    self.also(&unquoted(text));
                }
                self.push(Effect::Unknown, &around.part);
            }
            None => self.push(Effect::RunsCode, &around.part),
        }
    }

    fn interpreter(&mut self, row: &ProgramRow, words: &[Term], around: &Around) {
        let args = Args::of(row, words, true);
        let at = args.operands.first().map_or(words.len(), |(at, _)| *at);
        let module =
            args.flags.iter().find(|flag| flag.name == "-m").and_then(|flag| flag.value.clone());
        let inline: Vec<&Term> = args
            .flags
            .iter()
            .filter(|flag| row.code.contains(&flag.name))
            .filter_map(|flag| flag.value.as_ref())
            .collect();
        let mentions = inline
            .iter()
            .map(|code| code.text.as_str())
            .chain(around.input.text.as_deref())
            .any(own::code_mentions);
        let mut found = self.judge(row, words, around);
        if let Some(first) = found.first_mut() {
            first.own_state |= mentions;
        }
        let only_asks = found.iter().all(|found| found.effect == Effect::Read);
        self.found.extend(found);
        if !only_asks {
            let codes: Vec<String> = inline
                .iter()
                .map(|code| code.text.clone())
                .chain(around.input.text.clone())
                .chain(around.input.printed.as_deref().map(unquoted))
                .collect();
            for code in codes {
                self.shows(shown::in_code(&code), around);
            }
        }
        if let Some(module) = module {
            // The module's own words begin behind `-m name`, wherever its operands are.
            let behind =
                args.flags.iter().find(|flag| flag.name == "-m").map_or(at, |flag| flag.at + 1);
            let behind = behind
                + usize::from(words.get(behind).is_some_and(|word| word.text == module.text));
            let mut command = vec![module];
            command.extend(words[behind.min(words.len())..].iter().cloned());
            self.argv(&command, &Around { foreign: true, ..around.clone() });
        }
    }

    fn git(&mut self, words: &[Term], around: &Around) {
        let call = match git::Call::of(words) {
            git::Parsed::Call(call) => call,
            git::Parsed::Asks => return self.push(Effect::Read, &around.part),
            // Git says so and ends.
            git::Parsed::Unclear if self.without => return,
            git::Parsed::Unclear => return self.unclear_git(words, around),
        };
        if call.verb == "seed" {
            return self.git_seed(call.words, call.effect, around);
        }
        for code in &call.runs {
            self.also(code);
        }
        self.git_reads(&call, around);
        let here = call.directories.iter().fold(around.here.clone(), |here, to| here.moved(to));
        // Another index, or another work tree, is no change of these files.
        let plain = around.taints.is_empty() && !self.git_bent;
        let files = call.as_program().filter(|_| plain);
        let mut around = around.clone();
        if files.is_some() {
            let words = call.words.iter().map(|word| word.text.as_str());
            let words = std::iter::once(call.verb.as_str()).chain(words);
            around.part = words.collect::<Vec<_>>().join(" ");
        }
        let around = &around;
        let mut found = match files.or_else(|| programs::git_verb(&call.verb)) {
            Some(row) => {
                let (start, outer) = (self.found.len(), self.here.clone());
                if call.verb == "submodule" {
                    self.here = Here::unknown();
                }
                self.row(row, call.words, &Around { here, ..around.clone() });
                self.here = outer;
                self.found.split_off(start)
            }
            None => vec![Found::new(Effect::Unknown, &around.part)],
        };
        // What it hands on to a shell was described as what it is.
        if found.first().is_none_or(|first| first.git.is_some()) {
            found.insert(0, Found::new(Effect::Read, &around.part));
        }
        call.describe(&around.taints, &mut found);
        if call.effect > Effect::Read || self.git_bent {
            let mut bent = Found::new(call.effect.max(Effect::RunsCode), &around.part);
            bent.bends_git = self.git_bent || call.sets;
            found.push(bent);
        }
        self.found.extend(found);
    }

    /// What a command of git reads from its input, and whether it comes by our state.
    fn git_reads(&mut self, call: &git::Call<'_>, around: &Around) {
        let reads_names = call
            .words
            .iter()
            .any(|word| word.text.starts_with("--batch") || word.text.starts_with("--stdin"));
        let mut texts = around.input.text.iter().chain(around.input.printed.iter());
        if reads_names
            && (around.input.lists_state || texts.any(|text| own::lists_state(text, true)))
        {
            self.push_state(&around.part);
        }
        if let Some(row) = programs::git_verb(&call.verb) {
            // What is read there may be options: `--output`, `--all`.
            let reads = call.words.iter().any(|word| word.text == "--stdin");
            if reads && row.revisions && !row.flags.is_empty() && around.input.flow.is_open() {
                self.push(Effect::Unknown, &around.part);
            }
            let lists = row.lists_state(&Args::of(row, call.words, false));
            self.lists_state |= lists;
            // Every object with its content, and those of git seed among them.
            let whole = |word: &Term| {
                word.text.starts_with("--batch") && !word.text.starts_with("--batch-")
            };
            if lists
                && (call.words.iter().any(whole)
                    || call.words.iter().any(|word| word.text == "--batch-command"))
            {
                self.push_state(&around.part);
            }
        }
    }

    /// A command of git whose verb is not in the text, or stands there as a variable's value.
    fn unclear_git(&mut self, words: &[Term], around: &Around) {
        let at = words.iter().position(|word| !word.text.starts_with('-')).unwrap_or_default();
        let values = words.get(at).map(|word| word.values.clone()).unwrap_or_default();
        for value in &values {
            let mut words = words.to_vec();
            words[at] = Term::literal(value);
            self.git(&words, around);
        }
        self.push_git(values.is_empty(), &around.part);
    }

    /// `git seed …`. What stands behind `git seed exec` is judged like any command, and
    /// every effect of it is confined; redirections beside it are not its own.
    fn git_seed(&mut self, words: &[Term], bent: Effect, around: &Around) {
        let mut found = seed::judge(words, &around.part);
        found.effect = found.effect.max(bent);
        // Bent, git may run another program of that name.
        found.seed &= bent == Effect::Read;
        self.found.push(found);
        let Some(command) = seed::wrapped(words) else { return };
        let start = self.found.len();
        self.argv(command, around);
        self.found[start..].iter_mut().for_each(|found| found.confined = bent == Effect::Read);
    }

    /// Reads text that something here may run, beside what is said of it elsewhere.
    fn also(&mut self, code: &str) {
        self.apart(|walker| walker.text(code));
    }

    /// `trap 'rm x' EXIT`: run some time.
    fn trap(&mut self, row: &ProgramRow, words: &[Term], around: &Around) {
        if let Some(code) =
            words.first().filter(|word| word.is_literal() && !word.text.starts_with('-'))
        {
            self.also(&code.text);
        }
        let found = self.judge(row, words, around);
        self.found.extend(found);
    }

    /// Adds what code shows of its writes, in its own class: what else it does is unseen.
    fn shows(&mut self, shown: Shown, around: &Around) {
        if !shown.files.is_empty() {
            let mut found = Found::new(Effect::RunsCode, &around.part);
            let files: Vec<Term> = shown.files.iter().map(|file| Term::literal(file)).collect();
            let files: Vec<&Term> = files.iter().collect();
            let writes = programs::writes(&files, &around.here, &mut found);
            found.own_state =
                files.iter().any(|file| own::touches(own::reach(file, false), true, false));
            self.found.extend(Some(found).filter(|found| writes || found.own_state));
        }
        for command in &shown.commands {
            self.also(command);
        }
    }

    fn alias(&mut self, words: &[Term], around: &Around) {
        for (_, code) in
            words.iter().filter(|word| !word.expands).filter_map(|word| word.text.split_once('='))
        {
            self.also(code);
        }
        let defines = words.iter().any(|word| word.expands || word.text.contains('='));
        let mut found =
            Found::new(if defines { Effect::Unknown } else { Effect::Read }, &around.part);
        found.tag = defines.then_some(Tag::Taint);
        self.found.push(found);
    }

    /// `export A=b`, `declare -r A=b`.
    fn declare(&mut self, exports: bool, words: &[Term], around: &Around) {
        let flags: String = words
            .iter()
            .filter(|word| word.text.starts_with('-'))
            .map(|word| word.text.as_str())
            .collect();
        // A reference (`-n`) gives one variable the name of another.
        let known = |flag: char| "-+aAfFgilprtux".contains(flag);
        if !flags.chars().all(known) || words.iter().any(could_become_a_flag) {
            self.push(Effect::Unknown, &around.part);
        }
        let given = exports || flags.contains('x');
        let mut around = Around { given, ..around.clone() };
        let part = around.part.clone();
        for word in words.iter().filter(|word| !word.text.starts_with(['-', '+'])) {
            let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
            let appends = name.ends_with('+');
            let name = bare_name(name.trim_end_matches('+'));
            if name.contains(['$', '`']) {
                self.push(Effect::Unknown, &part);
            } else if word.text.contains('=') {
                let value = word.behind(word.text.len() - value.len());
                self.assign(name, &value, &part, Some(&mut around));
            } else if word.expands {
                self.push(Effect::Unknown, &part);
            } else if self.in_function > 0 && !exports && !flags.contains(['f', 'p', 'g']) {
                // It holds nothing there.
                self.taints(name, &Term::literal(git::GONE), &part, None);
            } else if given && !flags.contains(['f', 'p']) {
                // What the variable holds was said elsewhere.
                self.taints(name, &Term::arriving(true), &part, Some(&mut around));
            }
            // An integer or a reference is evaluated whenever it is set or read.
            if flags.contains(['i', 'n']) {
                self.sums.count(name, &part);
            }
            if appends || flags.contains(['i', 'n', 'l', 'u', 'c', 'a', 'A']) {
                self.values.hide(name);
            }
        }
        let nested =
            words.iter().any(|word| word.quoted && !word.expands && runs_inside(&word.text));
        self.push(if nested { Effect::Unknown } else { Effect::Read }, &around.part);
    }

    /// `set -- -x` gives later `$1` and `$@` their value; other letters change how the rest
    /// of the line is read, or what it gives to programs.
    fn set(&mut self, words: &[Term], around: &Around) {
        let options = words.iter().take_while(|word| word.text != "--");
        for word in options.filter(|word| word.text.starts_with(['-', '+']) && word.is_literal()) {
            let letters = word.text.trim_start_matches(['-', '+']);
            self.exports_all |= letters.contains('a');
            if !letters.chars().all(|letter| "CETPabefhmnouvx".contains(letter)) {
                self.push(Effect::Unknown, &around.part);
            }
        }
        for pair in words
            .windows(2)
            .filter(|pair| pair[0].text.starts_with(['-', '+']) && pair[0].text.ends_with('o'))
        {
            self.exports_all |= pair[1].text == "allexport";
            if !is_shell_option(&pair[1].text) {
                self.push(Effect::Unknown, &around.part);
            }
        }
        let behind = words.iter().skip_while(|word| word.text != "--").skip(1);
        let flaggy = behind.chain(words.iter().filter(|word| word.expands)).any(could_be_flag);
        if !words.iter().all(Term::is_number) {
            self.arrived_by("@", if flaggy { Flow::Text } else { Flow::Names });
        }
        self.push(Effect::Read, &around.part);
    }

    /// `shopt -s x`: some options change how the rest of the line is read.
    fn shopt(&mut self, words: &[Term], around: &Around) {
        let plain = |word: &Term| {
            let shown =
                matches!(word.text.as_str(), "-s" | "-u" | "-p" | "-q" | "-o" | "-sq" | "-qs");
            word.is_literal() && (shown || is_shell_option(&word.text))
        };
        let known = words.iter().all(plain);
        self.nullglob |= words.iter().any(|word| word.text == "nullglob");
        self.push(if known { Effect::Read } else { Effect::Unknown }, &around.part);
    }

    fn script(&mut self, row: &ProgramRow, words: &[Term], around: &Around) {
        let args = Args::of(row, words, false);
        let mut found = row.judge(&args, around);
        found.extend(scripts::judge(row, &args, words, around));
        if row.special == Some(Special::Awk) {
            let programs = scripts::awk_programs(&args);
            if programs.iter().any(|code| self.is_sharp(code)) {
                found.push(Found::new(Effect::Unknown, &around.part));
            }
            for code in programs {
                self.shows(shown::in_awk(&code.text), around);
            }
        }
        self.found.extend(found);
    }

    /// A word of a script with a variable in it whose value, set on this line, is more
    /// than a name or a number.
    fn is_sharp(&self, word: &Term) -> bool {
        let plain = |char: char| {
            char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | ',' | '-' | '*')
        };
        let uses = |name: &str| {
            word.text.contains(&format!("${name}")) || word.text.contains(&format!("${{{name}"))
        };
        let code = word.quoted && word.expands;
        code && !word.digits
            && self.texts.iter().any(|(name, value)| !value.chars().all(plain) && uses(name))
    }
}

/// What an `echo` prints when all its words stand in one pair of quotes.
fn unquoted(printed: &str) -> String {
    let inside =
        ['\'', '"'].iter().find_map(|&quote| printed.strip_prefix(quote)?.strip_suffix(quote));
    inside.unwrap_or(printed).to_owned()
}

/// The name in `name[index]`.
fn bare_name(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// A flag of a shell that leaves the words of its text as they are; `next` is the word behind it.
fn is_shell_flag(flag: &str, next: &str) -> bool {
    if flag.starts_with("--") {
        return matches!(flag, "--" | "--login" | "--norc" | "--noprofile" | "--verbose");
    }
    let letters = flag.trim_start_matches(['-', '+']);
    letters.chars().all(|letter| "cefhilmnosuvxEOTC".contains(letter))
        && (!letters.contains(['o', 'O']) || is_shell_option(next) && next != "nullglob")
}

/// Options of `set -o` and `shopt` that leave the words of the line as they are.
fn is_shell_option(name: &str) -> bool {
    matches!(
        name,
        "allexport"
            | "errexit"
            | "errtrace"
            | "functrace"
            | "monitor"
            | "noclobber"
            | "noexec"
            | "noglob"
            | "nounset"
            | "physical"
            | "pipefail"
            | "verbose"
            | "xtrace"
            | "checkwinsize"
            | "dotglob"
            | "failglob"
            | "globstar"
            | "histappend"
            | "inherit_errexit"
            | "lastpipe"
            | "nocaseglob"
            | "nocasematch"
            | "nullglob"
    )
}

/// A word that starts as no flag and could still become one.
fn could_become_a_flag(word: &Term) -> bool {
    word.flaggy && !word.text.starts_with('-')
}

fn could_be_flag(word: &Term) -> bool {
    word.flaggy || word.text.starts_with('-')
}

/// The files that a patch names; what is cut off somewhere is named all the same.
fn patched(text: &str) -> Vec<Term> {
    let heads = ["Add File:", "Update File:", "Delete File:", "Move to:"];
    let named = |line: &str| {
        let rest = line.trim().strip_prefix("***")?.trim_start();
        heads.iter().find_map(|head| rest.strip_prefix(head)).map(str::trim).map(Term::literal)
    };
    text.lines().filter_map(named).collect()
}

fn is_system(directory: &str) -> bool {
    matches!(
        directory,
        "/bin"
            | "/sbin"
            | "/usr/bin"
            | "/usr/sbin"
            | "/usr/local/bin"
            | "/usr/local/sbin"
            | "/opt/homebrew/bin"
    )
}
