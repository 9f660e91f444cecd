//! The words of plain commands as the reader claims to know them, for the test that compares
//! them with what bash makes of the same text. Nothing else uses it.

use brush_parser::ast;

use super::words::{self, Inner};
use super::{documents, syntax};

/// The commands of `text` in order, each with its words; a word is `None` where the reader
/// does not say what it is, and so are those behind it.
///
/// `None` for a text that is not understood, or that holds more than plain commands.
pub fn known_commands(text: &str) -> Option<Vec<Vec<Option<String>>>> {
    let program = syntax::parse(text)?;
    let mut commands = Vec::new();
    for list in &program.complete_commands {
        for ast::CompoundListItem(and_or, _) in &list.0 {
            for (_, pipeline) in and_or {
                let [ast::Command::Simple(simple)] = pipeline.seq.as_slice() else { return None };
                commands.push(words_of(simple)?);
            }
        }
    }
    Some(commands)
}

fn words_of(command: &ast::SimpleCommand) -> Option<Vec<Option<String>>> {
    use ast::CommandPrefixOrSuffixItem as Item;
    let mut known = Vec::new();
    let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
    for item in prefix {
        push(item, &mut known)?;
    }
    if let Some(word) = &command.word_or_name {
        push(&Item::Word(word.clone()), &mut known)?;
    }
    for item in suffix {
        push(item, &mut known)?;
    }
    Some(known)
}

fn push(item: &ast::CommandPrefixOrSuffixItem, known: &mut Vec<Option<String>>) -> Option<()> {
    use ast::CommandPrefixOrSuffixItem as Item;
    match item {
        Item::Word(word) | Item::AssignmentWord(_, word) => {
            let mut inner = Vec::new();
            let terms = words::terms(&word.value, &mut inner);
            if inner.contains(&Inner::Opaque) {
                known.push(None);
            }
            known.extend(terms.into_iter().map(|term| (!term.expands).then_some(term.text)));
            Some(())
        }
        Item::IoRedirect(ast::IoRedirect::HereDocument(_, document)) => {
            let mut inner = Vec::new();
            if document.requires_expansion {
                words::heredoc(&document.doc.value, &mut inner);
            }
            // A body that cannot be expanded takes its command with it.
            (documents::is_sure(document) && !inner.contains(&Inner::Opaque)).then_some(())
        }
        Item::IoRedirect(_) | Item::ProcessSubstitution(..) => None,
    }
}
