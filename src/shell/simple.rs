//! Whether a line is one command whose end is the line's own.
//!
//! A receipt of a run says something only if the exit status that a host hears is that of
//! the run: nothing before it that could end the line, nothing behind it, not turned
//! round, not in a pipe, not in the background.

use brush_parser::ast;

use super::line::{Line, Simple};
use super::prelude;
use super::streams;
use super::syntax;
use super::words::{self, Inner};

/// How deep a shell may stand in a shell, and brackets in brackets.
const DEEPEST: u8 = 4;
/// How a line tells the status of the command before it.
const STATUS: [&str; 4] = ["$?", "${PIPESTATUS[0]}", "$PIPESTATUS", "${PIPESTATUS}"];
/// Shells that read a line from a word.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// Reads `line`; `None` where it is not understood.
pub(crate) fn simple(line: &str) -> Option<Line> {
    read(line, false)
}

/// The same where commands that only set variables are no commands: what they set is set for each
/// of those behind them.
pub(crate) fn behind_settings(line: &str) -> Option<Line> {
    read(line, true)
}

fn read(line: &str, settings: bool) -> Option<Line> {
    let mut found =
        Line { whole: true, chained: true, shown: true, heard: Some(0), ..Line::default() };
    let read = syntax::parse(line)?;
    if let Some(logged) = line.contains('>').then(|| logged(&read)).flatten() {
        return Some(logged);
    }
    parsed(&read, &mut found, 0);
    if settings {
        prelude::taken_out(&mut found);
    }
    found.whole &= found.commands.len() == 1;
    let mut stays = true;
    let last = found.commands.len().saturating_sub(1);
    for (nth, one) in found.commands.iter().enumerate() {
        match one.words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            // `CDPATH=/x cd tests` goes where no word of the line says.
            ["cd", dir] if one.literal && *dir != "-" && !one.sets.iter().any(|set| leads(set)) => {
                found.later.push((*dir).to_owned());
            }
            ["cd" | "pushd" | "popd", ..] => stays = false,
            // The line ends as the run in the pipe did, which its closing lines say.
            ["exit", code] if nth == last && nth > 0 && STATUS.contains(code) => {}
            words => {
                let known =
                    one.literal || words.first().is_some_and(|name| !name.contains(['$', '`']));
                // `$((x = 1))` and `${x:=1}` set what the words behind them may rest on.
                // A substitution runs in a shell of its own, which keeps what it sets to itself.
                let sets = |word: &&str| {
                    word.contains("$((") || word.contains("$[") || word.contains(":=")
                };
                let sets = !one.literal && words.iter().any(sets);
                stays &= known && !sets && !shapes(&one.words);
            }
        }
    }
    let some = stays && !found.commands.is_empty();
    (found.chained, found.shown) = (found.chained && some, found.shown && some);
    let heard = |from: &usize| some && !found.opaque && *from < found.commands.len();
    found.heard = found.heard.filter(heard);
    found.ends &= found.heard.is_some();
    Some(found)
}

/// `make test > log 2>&1; echo "exit=$?"; tail -20 log`: a command whose output goes into a
/// file, and what prints the end of that file. Nothing else on the line may print a number.
fn logged(program: &ast::Program) -> Option<Line> {
    let [list] = program.complete_commands.as_slice() else { return None };
    let mut pipelines: Vec<&ast::Pipeline> = Vec::new();
    let mut dirs = Vec::new();
    for ast::CompoundListItem(chain, separator) in &list.0 {
        if !matches!(separator, ast::SeparatorOperator::Sequence) {
            return None;
        }
        // `cd dir && make test > log`: the log is one of that place.
        let goes = cd(&chain.first).filter(|(_, shown)| *shown && pipelines.is_empty());
        match (goes, chain.additional.as_slice()) {
            (Some((dir, _)), [ast::AndOr::And(_), ..]) => dirs.push(Some(dir)),
            _ => pipelines.push(&chain.first),
        }
        for ast::AndOr::And(next) | ast::AndOr::Or(next) in &chain.additional {
            pipelines.push(next);
        }
    }
    let mut found = Line { shown: true, dirs, ..Line::default() };
    let mut log = None;
    for pipeline in pipelines {
        let [ast::Command::Simple(command)] = pipeline.seq.as_slice() else { return None };
        let mut line = Line::default();
        let plain = simple_command(command, &mut line) && !pipeline.bang;
        let mut one = line.commands.pop().filter(|_| plain)?;
        let Some((file, both)) = &log else {
            // What a shell of its own runs stands in no open word.
            let name = one.words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
            let opaque = name.is_none_or(|name| SHELLS.contains(&name) && one.words.len() > 2);
            log = Some(written_to(command).filter(|_| one.literal && !opaque)?);
            // What it holds is shown.
            one.thrown = false;
            found.commands.push(one);
            continue;
        };
        if redirects(command) {
            return None;
        }
        if one.words.first().is_some_and(|word| word == "echo") {
            if !says_nothing(&one) {
                return None;
            }
        } else {
            // The file is the last word; without it the rest is what hands on the end.
            let named = one.words.pop();
            // What went elsewhere than into the file may be what its head tells.
            let whole = *both || one.words == ["cat"];
            if named.as_ref() != Some(file) || !whole || !hands_on(&mut one) {
                return None;
            }
        }
        one.filters = true;
        found.commands.push(one);
    }
    let prints = |one: &Simple| one.words.first().is_some_and(|word| word != "echo");
    (found.commands.iter().skip(1).any(prints)).then_some(found)
}

fn redirects(command: &ast::SimpleCommand) -> bool {
    redirections(command).next().is_some()
}

fn redirections(command: &ast::SimpleCommand) -> impl Iterator<Item = &ast::IoRedirect> {
    let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let items = prefix.chain(command.suffix.iter().flat_map(|suffix| &suffix.0));
    items.filter_map(|item| match item {
        ast::CommandPrefixOrSuffixItem::IoRedirect(one) => Some(one),
        _ => None,
    })
}

/// The file that the output of a command goes into, anew, and whether its errors go there, too.
fn written_to(command: &ast::SimpleCommand) -> Option<(String, bool)> {
    use ast::CommandPrefixOrSuffixItem as Item;
    use ast::IoFileRedirectTarget as Target;
    let mut file = None;
    let mut both = false;
    for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            Item::IoRedirect(ast::IoRedirect::OutputAndError(word, false)) => {
                (file, both) = (Some(word), true);
            }
            Item::IoRedirect(ast::IoRedirect::File(
                None | Some(1),
                ast::IoFileRedirectKind::Write,
                Target::Filename(word),
            )) => file = Some(word),
            Item::IoRedirect(ast::IoRedirect::File(
                Some(2),
                ast::IoFileRedirectKind::DuplicateOutput,
                _,
            )) => both = file.is_some(),
            Item::IoRedirect(_) => return None,
            _ => {}
        }
    }
    let term = words::term(&file?.value, &mut Vec::new());
    (!term.expands && !term.globs).then_some((term.text, both))
}

/// The text that `word` comes to, where it is `$(cat <<'END' …)` and nothing else.
pub(crate) fn printed_by_cat(word: &str) -> Option<String> {
    let inner = word.strip_prefix("$(")?.strip_suffix(')')?;
    let line = simple(inner)?;
    let [cat] = line.commands.as_slice() else { return None };
    if line.opaque {
        return None;
    }
    cat.input.clone().filter(|_| cat.words == ["cat"])
}

fn program(text: &str, found: &mut Line, depth: u8) -> Option<()> {
    let read = syntax::parse(text)?;
    parsed(&read, found, depth);
    Some(())
}

fn parsed(program: &ast::Program, found: &mut Line, depth: u8) {
    let items = program.complete_commands.iter().flat_map(|list| &list.0);
    listed(&items.collect::<Vec<_>>(), found, depth);
}

/// Commands one behind the other. What stands before the last chain may end as it likes: the end
/// of the line says nothing of it.
fn listed(items: &[&ast::CompoundListItem], found: &mut Line, depth: u8) {
    let lead = items.iter().take_while(|item| is_set(item)).count();
    let one = items.len() - lead <= 1;
    // Where it is strict from its head on, the end may be that of any of them.
    let alone = found.whole && (lead == 0 || one);
    found.whole &= items.len() == 1;
    found.chained &= one;
    let Some((last, before)) = items.split_last() else { return found.holds(false) };
    for item in before {
        let heard = found.heard;
        and_or(&item.0, found, depth);
        found.heard = heard;
        let ast::CompoundListItem(_, separator) = item;
        let waits = matches!(separator, ast::SeparatorOperator::Sequence);
        (found.chained, found.shown) = (found.chained && waits, found.shown && waits);
        found.detached |= !waits;
    }
    let start = if one { 0 } else { found.commands.len() };
    found.heard = found.heard.map(|from| from.max(start));
    let ast::CompoundListItem(chain, separator) = last;
    found.holds(matches!(separator, ast::SeparatorOperator::Sequence));
    let whole = std::mem::replace(&mut found.whole, alone);
    found.ends = false;
    and_or(chain, found, depth);
    // A shell that is the whole line ends as what it reads does.
    found.ends |= found.whole;
    found.whole &= whole;
}

fn and_or(chain: &ast::AndOrList, found: &mut Line, depth: u8) {
    let behind = matches!(chain.additional.as_slice(), [ast::AndOr::And(_)])
        .then(|| cd(&chain.first))
        .flatten();
    let (shown, so_far) = (found.shown, found.commands.len());
    found.holds(chain.additional.iter().all(|next| matches!(next, ast::AndOr::And(_))));
    found.whole &= chain.additional.is_empty() || behind.is_some();
    found.shown = shown;
    match behind {
        // What ran before it ran elsewhere.
        Some((dir, true)) if !found.commands.is_empty() => found.later.push(dir),
        Some((dir, shown)) => found.dirs.push(Some(dir).filter(|_| shown)),
        None => pipeline(&chain.first, found, depth),
    }
    for next in &chain.additional {
        let start = found.commands.len().max(so_far);
        let (ast::AndOr::And(then) | ast::AndOr::Or(then)) = next;
        pipeline(then, found, depth);
        // What runs where a run failed is not to print what a run that passed would.
        let or = matches!(next, ast::AndOr::Or(_));
        found.shown &= !or || found.commands[start..].iter().all(|one| one.filters);
    }
}

/// `set -euo pipefail`, which makes a line stricter and does nothing else.
fn is_set(item: &ast::CompoundListItem) -> bool {
    let ast::CompoundListItem(chain, separator) = item;
    let [ast::Command::Simple(command)] = chain.first.seq.as_slice() else { return false };
    let mut line = Line::default();
    let plain = !chain.first.bang && simple_command(command, &mut line);
    let [one] = line.commands.as_slice() else { return false };
    plain
        && is_strict(&one.words)
        && chain.additional.is_empty()
        && matches!(separator, ast::SeparatorOperator::Sequence)
        && one.literal
}

/// `set` with options that only make a line stricter.
fn is_strict(words: &[String]) -> bool {
    let strict = |word: &String| {
        word == "pipefail"
            || word.strip_prefix('-').is_some_and(|flags| {
                !flags.is_empty() && flags.chars().all(|flag| matches!(flag, 'e' | 'u' | 'x' | 'o'))
            })
    };
    words.split_first().is_some_and(|(set, rest)| set == "set" && rest.iter().all(strict))
}

/// Commands that change what the words behind them mean, or whether they run at all.
const SHAPING: [&str; 28] = [
    "export",
    "set",
    "unset",
    "alias",
    "unalias",
    "eval",
    "exec",
    "source",
    ".",
    "trap",
    "shopt",
    "enable",
    "hash",
    "declare",
    "typeset",
    "readonly",
    "local",
    "builtin",
    "exit",
    "return",
    "ulimit",
    "logout",
    "suspend",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
];

/// Whether a command of a line may make its others mean something else. A virtual environment that
/// is entered as it was made does not.
fn shapes(words: &[String]) -> bool {
    // `command` runs what stands behind it, and `printf -v` sets a variable.
    let bare = words.iter().take_while(|word| *word == "command").count();
    let Some((name, rest)) = words[bare..].split_first() else { return true };
    let sets = name == "printf" && rest.iter().any(|word| word.starts_with("-v"));
    let enters = matches!(name.as_str(), "source" | ".")
        && matches!(rest, [file] if prelude::is_entered(file));
    sets || SHAPING.contains(&name.as_str()) && !enters && !is_strict(words)
}

/// Variables by which a shell finds where `cd` goes.
const WAYS: [&str; 4] = ["CDPATH", "HOME", "OLDPWD", "PWD"];

/// Whether `NAME=value` may have `cd` go elsewhere than its word says.
fn leads(set: &str) -> bool {
    let name = set.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+'));
    WAYS.contains(&name)
}

/// Where `cd` goes, without a command in its words, and whether the text shows it.
fn cd(pipeline: &ast::Pipeline) -> Option<(String, bool)> {
    let [ast::Command::Simple(command)] = pipeline.seq.as_slice() else { return None };
    let mut line = Line::default();
    let plain = !pipeline.bang && simple_command(command, &mut line);
    let [cd] = line.commands.as_slice() else { return None };
    let [name, dir] = cd.words.as_slice() else { return None };
    let fits = plain && cd.sets.is_empty() && name == "cd";
    fits.then(|| (dir.clone(), cd.literal && dir != "-"))
}

fn pipeline(pipeline: &ast::Pipeline, found: &mut Line, depth: u8) {
    found.holds(!pipeline.bang);
    found.whole &= pipeline.seq.len() == 1;
    found.chained &= pipeline.seq.len() == 1;
    found.heard = found.heard.filter(|_| pipeline.seq.len() == 1);
    let start = found.commands.len();
    for (nth, command) in pipeline.seq.iter().enumerate() {
        match command {
            ast::Command::Simple(command) => {
                let alone = simple_command(command, found);
                found.holds(alone);
                if nth > 0 {
                    if found.commands.last().is_some_and(|one| one.thrown) {
                        found.throw_from(start);
                    }
                    let reads = reads_only_the_pipe(command);
                    found.shown &= found.commands.last_mut().is_some_and(hands_on) && reads;
                    continue;
                }
                in_a_shell(found, depth);
                if let Some(one) = found.commands.last_mut().filter(|one| says_nothing(one)) {
                    one.filters = true;
                }
            }
            ast::Command::Compound(compound, redirects) => {
                found.holds(redirects.as_ref().is_none_or(|all| all.0.iter().all(keeps_end)));
                found.shown &= pipeline.seq.len() == 1;
                match compound {
                    ast::CompoundCommand::Subshell(inner) if depth < DEEPEST => {
                        listed(&inner.list.0.iter().collect::<Vec<_>>(), found, depth + 1);
                    }
                    ast::CompoundCommand::BraceGroup(inner) if depth < DEEPEST => {
                        listed(&inner.list.0.iter().collect::<Vec<_>>(), found, depth + 1);
                    }
                    _ => found.is_opaque(),
                }
                if streams::throw_away(redirects.iter().flat_map(|all| &all.0)) {
                    found.throw_from(start);
                }
            }
            _ => found.is_opaque(),
        }
    }
}

/// Whether a command prints nothing that a runner of tests could have printed: no number but an
/// exit status, and then no word that could make a count of it.
fn says_nothing(command: &Simple) -> bool {
    let Some((name, rest)) = command.words.split_first() else { return false };
    if !command.sets.is_empty() {
        return false;
    }
    match name.as_str() {
        "true" | ":" => true,
        "exit" => matches!(rest, [code] if STATUS.contains(&code.as_str())),
        "echo" => {
            let said = rest.join(" ").to_lowercase();
            let bare = ["$?", "${pipestatus[0]}", "${pipestatus[1]}"]
                .iter()
                .fold(said.clone(), |said, status| said.replace(status, ""));
            let other = |c: char| c.is_ascii_digit() || matches!(c, '$' | '`' | '(' | '\\');
            let good = ["pass", "succe", "ok"].iter().any(|word| bare.contains(word));
            let counts = ["fail", "test", "run", "example", "total", "skip"];
            // `test exit code: $?` says what the number is.
            let statuses = ["$?", "${pipestatus"].map(|status| said.matches(status).count());
            let one = statuses.iter().sum::<usize>() == 1 && said.trim_end().ends_with(['?', '}']);
            let last = bare.trim_matches(|c: char| !c.is_alphanumeric()).rsplit([' ', '_', '-']);
            let status = last.take(1).any(|word| matches!(word, "exit" | "code" | "status" | "rc"));
            let counts =
                bare != said && !(one && status) && counts.iter().any(|word| bare.contains(word));
            !bare.contains(other) && !good && !counts
        }
        _ => false,
    }
}

/// Words of closing lines that say what passed and what failed alike.
const CLOSING: [&str; 7] =
    ["test result", "tests:", "summary", "executed", "tests run", "examples", "total"];

/// A search whose pattern is of lines that say what passed, and of those that say what failed.
fn matches_both(rest: &[String]) -> bool {
    let flags = rest.iter().take_while(|word| word.starts_with('-')).count();
    let plain = |flag: &String| flag[1..].chars().all(|one| matches!(one, 'E' | 'i' | 'e' | 'P'));
    let [pattern] = &rest[flags..] else { return false };
    let pattern = pattern.to_lowercase();
    let both = pattern.contains("pass") && pattern.contains("fail");
    let closing = CLOSING.iter().any(|line| pattern.contains(line));
    rest[..flags].iter().all(plain) && (both || closing)
}

/// Nothing is put in the place of what the command before it prints.
fn reads_only_the_pipe(command: &ast::SimpleCommand) -> bool {
    use ast::CommandPrefixOrSuffixItem as Item;
    let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let items = prefix.chain(command.suffix.iter().flat_map(|suffix| &suffix.0));
    items.into_iter().all(|item| match item {
        Item::IoRedirect(ast::IoRedirect::File(_, kind, _)) => matches!(
            kind,
            ast::IoFileRedirectKind::Write
                | ast::IoFileRedirectKind::Append
                | ast::IoFileRedirectKind::Clobber
                | ast::IoFileRedirectKind::DuplicateOutput
        ),
        Item::IoRedirect(ast::IoRedirect::OutputAndError(..)) => true,
        Item::IoRedirect(_) => false,
        _ => true,
    })
}

/// Marks a command that prints the end of what it reads, as it reads it.
fn hands_on(command: &mut Simple) -> bool {
    let Some((name, rest)) = command.words.split_first() else { return false };
    let number = |word: &str| {
        let digits = word.trim_start_matches(['-', '+']);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let fits = match name.as_str() {
        // What it prints of a file is not what went before it.
        "cat" => rest.is_empty(),
        "tee" => true,
        // What passed and what failed goes through alike.
        "grep" | "egrep" | "rg" => matches_both(rest),
        "tail" => rest.iter().all(|word| {
            let joined = ["-n", "-c", "--lines=", "--bytes="];
            number(word)
                || matches!(word.as_str(), "-n" | "-c")
                || joined.iter().any(|flag| word.strip_prefix(flag).is_some_and(number))
        }),
        _ => false,
    };
    command.filters = fits && command.literal && command.sets.is_empty();
    command.filters
}

/// Looks into `sh -c '…'`, which ends as its line ends.
fn in_a_shell(found: &mut Line, depth: u8) {
    let Some(command) = found.commands.last().filter(|command| command.literal && depth < DEEPEST)
    else {
        return;
    };
    let [shell, flags @ .., text] = command.words.as_slice() else { return };
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let reads = SHELLS.contains(&name) && prelude::reads_a_word(flags);
    if !reads || !command.sets.is_empty() {
        return;
    }
    let text = text.clone();
    let outer = found.commands.pop();
    let start = found.commands.len();
    if program(&text, found, depth + 1).is_none() {
        found.commands.extend(outer);
        found.holds(false);
    } else if outer.is_some_and(|outer| outer.thrown) {
        found.throw_from(start);
    }
}

/// Adds the command; says whether nothing in it runs beside it.
fn simple_command(command: &ast::SimpleCommand, found: &mut Line) -> bool {
    use ast::CommandPrefixOrSuffixItem as Item;
    let mut simple = Simple { literal: true, ..Simple::default() };
    let mut alone = true;
    for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
        match item {
            Item::AssignmentWord(assignment, whole) => {
                if !matches!(assignment.name, ast::AssignmentName::VariableName(_)) {
                    alone = false;
                    continue;
                }
                simple.sets.push(whole.value.clone());
                alone &= nothing_runs(&whole.value);
            }
            Item::IoRedirect(one) => alone &= redirect(one, &mut simple),
            _ => alone = false,
        }
    }
    if let Some(name) = &command.word_or_name {
        alone &= word(&name.value, &mut simple);
    }
    for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            Item::Word(one) | Item::AssignmentWord(_, one) => {
                alone &= word(&one.value, &mut simple);
            }
            Item::IoRedirect(one) => alone &= redirect(one, &mut simple),
            Item::ProcessSubstitution(..) => alone = false,
        }
    }
    alone &= !simple.words.is_empty();
    simple.thrown = streams::throw_away(redirections(command));
    found.commands.push(simple);
    alone
}

fn word(raw: &str, simple: &mut Simple) -> bool {
    let mut inner = Vec::new();
    let terms = words::terms(raw, &mut inner);
    // How many processors there are makes no other run, and a text no run at all.
    let counted = prelude::PROCESSORS.contains(&raw);
    let quoted = raw.contains("<<'") || raw.contains("<<-'");
    let as_written = quoted || !raw.contains('`') && raw.matches("$(").count() == 1;
    let text = || as_written && printed_by_cat(raw.trim_matches('"')).is_some();
    // What braces make of one word is exact, but it is not how anybody writes a run.
    simple.literal &= terms.len() == 1;
    for term in terms {
        // What `--filter=*` stands for begins so, too.
        let is_value = term.text.find(['*', '?', '[']) > term.text.find('=');
        let is_value = is_value && term.text.contains('=');
        let expands = term.expands && !counted;
        let wild = term.globs && !is_value && term.text.starts_with(['*', '?', '[', '-']);
        simple.literal &= !expands && !wild;
        simple.words.push(term.text);
    }
    !runs(&inner) || counted || text()
}

fn nothing_runs(raw: &str) -> bool {
    let mut inner = Vec::new();
    words::term(raw, &mut inner);
    !runs(&inner)
}

fn runs(inner: &[Inner]) -> bool {
    inner.iter().any(|one| matches!(one, Inner::Command(_) | Inner::Opaque))
}

/// Keeps what the redirection gives the command to read; says whether nothing runs beside it.
fn redirect(one: &ast::IoRedirect, simple: &mut Simple) -> bool {
    match one {
        ast::IoRedirect::HereDocument(None | Some(0), document) => {
            simple.input = Some(document.doc.value.clone());
        }
        ast::IoRedirect::HereString(None | Some(0), word) => {
            simple.input = Some(words::term(&word.value, &mut Vec::new()).text);
        }
        _ => {}
    }
    keeps_end(one)
}

/// Whether a redirection leaves the end of the command what it is.
fn keeps_end(redirect: &ast::IoRedirect) -> bool {
    use ast::IoFileRedirectTarget as Target;
    match redirect {
        ast::IoRedirect::File(_, _, Target::Filename(word) | Target::Duplicate(word))
        | ast::IoRedirect::OutputAndError(word, _)
        | ast::IoRedirect::HereString(_, word) => nothing_runs(&word.value),
        ast::IoRedirect::File(_, _, Target::Fd(_)) => true,
        ast::IoRedirect::File(_, _, Target::ProcessSubstitution(..))
        | ast::IoRedirect::HereDocument(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leaves_its_place_only_by_its_head() {
        for (line, dirs, later) in [
            ("cd a && make", 1, 0),
            ("cat seed/x && cd /tmp", 0, 1),
            ("cat seed/x; cd /tmp && ls", 0, 1),
            ("cat seed/x\ncd /tmp && ls", 0, 1),
            ("cat seed/x && cd /tmp && ls", 0, 1),
            ("make && cd b && ctest", 0, 1),
        ] {
            let read = simple(line).expect(line);
            assert_eq!((read.dirs.len(), read.later.len()), (dirs, later), "{line}");
        }
    }

    #[test]
    fn a_line_is_whole_when_it_ends_as_its_command_ends() {
        for (line, words) in [
            ("cargo test", Some("cargo test")),
            ("X=1 cargo test -- 'a b' 2>&1", Some("cargo test -- a b")),
            ("cd a/b && cargo test > log", Some("cargo test")),
            ("cd \"$HOME/x\" && make", Some("make")),
            ("(cd a && make)", Some("make")),
            ("bash -lc 'cd a && make'", Some("make")),
            ("time make", Some("make")),
            ("make;", Some("make")),
            ("cd $(make) && make", None),
            ("cd a; make", None),
            ("cd a || make", None),
            ("cd a && cd b && make", None),
            ("make && make", None),
            ("make | tee x", None),
            ("! make", None),
            ("make &", None),
            ("make > >(cat)", None),
            ("x=$(make) true", None),
            ("bash -c 'make; true'", None),
            ("for x in a; do make; done", None),
            ("make\ntrue", None),
            ("make <<X\nX", None),
        ] {
            let read = simple(line).filter(|line| line.whole);
            let found = read.map(|line| line.commands[0].words.join(" "));
            assert_eq!(found.as_deref(), words, "{line}");
        }
    }

    #[test]
    fn what_the_text_does_not_show_is_not_literal() {
        for (line, literal) in [
            ("pytest tests/*.py", true),
            ("pytest $ARGS", false),
            ("pytest *", false),
            ("pytest -*", false),
            ("pytest --fil*=x", false),
            ("turbo run test --filter=...[HEAD^1]", true),
            ("pytest ~/x", false),
            ("pytest '$x'", true),
            ("pytest {a,--co}", false),
        ] {
            let read = simple(line).expect(line);
            assert_eq!((read.whole, read.commands[0].literal), (true, literal), "{line}");
        }
    }
}
