//! The words of a line that is one program with its arguments, and nothing that only a shell does.
//!
//! No variable, no substitution, no wildcard, no redirection, no setting before it, no other
//! command beside it: what comes out is what a shell would start the program with. Anything else
//! gives nothing.

use brush_parser::ast;

use super::{syntax, words};

/// Those words, the program first.
pub(crate) fn argv(line: &str) -> Option<Vec<String>> {
    use ast::CommandPrefixOrSuffixItem as Item;
    let program = syntax::parse(line)?;
    let [list] = program.complete_commands.as_slice() else { return None };
    let [ast::CompoundListItem(chain, separator)] = list.0.as_slice() else { return None };
    let first = &chain.first;
    let alone = chain.additional.is_empty() && !first.bang && first.timed.is_none();
    if !alone || !matches!(separator, ast::SeparatorOperator::Sequence) {
        return None;
    }
    let [ast::Command::Simple(command)] = first.seq.as_slice() else { return None };
    if command.prefix.as_ref().is_some_and(|prefix| !prefix.0.is_empty()) {
        return None;
    }
    let mut found = vec![literal(&command.word_or_name.as_ref()?.value)?];
    for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
        let (Item::Word(word) | Item::AssignmentWord(_, word)) = item else { return None };
        found.push(literal(&word.value)?);
    }
    Some(found)
}

/// A word that a shell leaves as it stands, but for its quotes.
fn literal(raw: &str) -> Option<String> {
    let mut inner = Vec::new();
    let mut terms = words::terms(raw, &mut inner);
    let term = terms.pop().filter(|term| terms.is_empty() && term.is_literal())?;
    let home = term.text.starts_with('~') && !term.quoted;
    (inner.is_empty() && !home && !term.text.contains('\0')).then_some(term.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_its_arguments_is_taken_apart() {
        for (line, words) in [
            ("cargo test", vec!["cargo", "test"]),
            ("  make   test FOO=1 # all", vec!["make", "test", "FOO=1"]),
            ("pytest -k 'a and b' \"c d\"", vec!["pytest", "-k", "a and b", "c d"]),
            ("pytest 'a|b;c' '$x' '*'", vec!["pytest", "a|b;c", "$x", "*"]),
            ("./run a\\ b ''", vec!["./run", "a b", ""]),
            ("'my tests' x", vec!["my tests", "x"]),
        ] {
            assert_eq!(argv(line), Some(words.into_iter().map(str::to_owned).collect()), "{line}");
        }
    }

    #[test]
    fn what_only_a_shell_does_is_no_such_line() {
        for line in [
            "",
            "cargo test | tail -5",
            "cargo test 2>&1",
            "cargo test > log",
            "cargo test < in",
            "cargo test <<'E'\nx\nE",
            "cd a && cargo test",
            "cargo test; true",
            "cargo test &",
            "! cargo test",
            "time cargo test",
            "FOO=1 cargo test",
            "cargo test $X",
            "cargo test \"$X\"",
            "cargo test $(id)",
            "cargo test `id`",
            "cargo test src/*.rs",
            "cargo test {a,b}",
            "cargo test ~/x",
            "(cargo test)",
            "if true; then cargo test; fi",
            "cargo test <(id)",
            "cargo test 'open",
            "a\nb",
        ] {
            assert_eq!(argv(line), None, "{line}");
        }
    }
}
