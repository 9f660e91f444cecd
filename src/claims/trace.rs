//! Causal chains: whether each step from a cause to a symptom can be followed.
//!
//! A chain is solid when its links are many enough, each says something of its own, and
//! half of them name a place in the code. Whether the cause is the right one no gate can tell.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::arithmetic::{rounded, share};
use super::table::{GateTable, TraceRows};
use super::{Directive, TraceCase};

/// What a chain is worth. To whoever asks for a [`Directive`], solid passes, weak is damped,
/// and incomplete has to be said anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    Solid,
    Weak,
    Incomplete,
}

impl Worth {
    pub(crate) fn as_directive(self) -> Directive {
        match self {
            Self::Solid => Directive::Pass,
            Self::Weak => Directive::Damp,
            Self::Incomplete => Directive::Rewrite,
        }
    }
}

/// The answer of `causal_trace`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceAnswer {
    pub directive: Worth,
    pub chain_length: usize,
    /// The share of links that name a known path, a function or an identifier.
    pub code_specificity: f64,
    pub issues: Vec<String>,
    pub suggestions: Vec<String>,
    pub links_parsed: Vec<String>,
}

/// The links of a chain that was written as text: joined by arrows, else one a line.
pub(crate) fn links(chain: &str) -> Vec<String> {
    let arrows = chain.replace("=>", "→").replace("->", "→").replace(['⇒', '⟶'], "→");
    let parted: Vec<&str> = if arrows.contains('→') {
        arrows.split('→').collect()
    } else {
        arrows.lines().collect()
    };
    parted.into_iter().map(tidy).filter(|link| !link.is_empty()).collect()
}

/// A link without its bullet or number.
fn tidy(link: &str) -> String {
    let link = link.trim().trim_start_matches(['-', '*', '•']).trim_start();
    let digits = link.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &link[digits..];
    let bare = if digits > 0 { rest.strip_prefix(['.', ')']).unwrap_or(link) } else { link };
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Decides what a chain is worth.
pub(crate) fn judge(case: &TraceCase, table: &GateTable) -> TraceAnswer {
    let rows = &table.trace;
    let parsed: Vec<String> = case.links.iter().flat_map(|link| links(link)).collect();
    let specific = specific_links(case, &parsed);
    let specificity = rounded(share(specific.iter().filter(|is| **is).count(), parsed.len(), 0.0));
    let mut answer = TraceAnswer {
        directive: Worth::Solid,
        chain_length: parsed.len(),
        code_specificity: specificity,
        issues: Vec::new(),
        suggestions: Vec::new(),
        links_parsed: Vec::new(),
    };
    let symptom = case.symptom.trim();
    if symptom.is_empty() {
        answer.say(Worth::Incomplete, &rows.no_symptom, &rows.suggest_end, "the symptom");
    }
    if parsed.len() < rows.links {
        answer.say(Worth::Incomplete, &rows.few, &rows.suggest_few, "");
    }
    if parsed.len() > rows.long {
        answer.say(Worth::Weak, &rows.many, &rows.suggest_many, "");
    }
    judge_links(&mut answer, rows, &parsed, &specific);
    if !parsed.is_empty() && specificity < rows.specific {
        let first = specific.iter().position(|is| !is).map_or(1, |at| at + 1).to_string();
        answer.say(Worth::Weak, &rows.unspecific, &rows.suggest_name, &first);
    }
    let leads = parsed.last().is_some_and(|last| shares_a_word(last, symptom));
    if !symptom.is_empty() && !parsed.is_empty() && !leads {
        answer.say(Worth::Weak, &rows.no_end, &rows.suggest_end, symptom);
    }
    answer.links_parsed = parsed;
    answer
}

impl TraceAnswer {
    /// Adds an issue; advice that was given before is not repeated.
    fn say(&mut self, worth: Worth, issue: &str, advice: &str, names: &str) {
        self.directive = self.directive.max(worth);
        self.issues.push(issue.replace("{names}", names));
        let advice = advice.replace("{names}", names);
        if !self.suggestions.contains(&advice) {
            self.suggestions.push(advice);
        }
    }
}

/// For each link, whether it names a place in the code.
fn specific_links(case: &TraceCase, parsed: &[String]) -> Vec<bool> {
    let known: BTreeSet<&str> = case.known_paths.iter().map(String::as_str).collect();
    let names = known.iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
    parsed.iter().map(|link| is_specific(link, &known, &names)).collect()
}

/// What each link says by itself: too little, something vague, or the same as one before.
fn judge_links(answer: &mut TraceAnswer, rows: &TraceRows, parsed: &[String], specific: &[bool]) {
    let mut seen: Vec<BTreeSet<String>> = Vec::new();
    for (at, link) in parsed.iter().enumerate() {
        let number = (at + 1).to_string();
        let words = words(link);
        if words.len() < 2 && !specific[at] {
            answer.say(Worth::Weak, &rows.short_link, &rows.suggest_guess, &number);
        } else if !specific[at] && words.iter().any(|word| rows.vague.contains(word)) {
            answer.say(Worth::Weak, &rows.vague_link, &rows.suggest_guess, &number);
        }
        let same: BTreeSet<String> = words.into_iter().collect();
        if seen.contains(&same) {
            answer.say(Worth::Incomplete, &rows.repeated, &rows.suggest_name, &number);
        }
        seen.push(same);
    }
}

/// The words of a link in small letters.
fn words(link: &str) -> Vec<String> {
    let split = link.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'')));
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether two texts share a word that says something.
fn shares_a_word(one: &str, other: &str) -> bool {
    let telling = |text: &str| {
        words(text).into_iter().filter(|word| word.chars().count() > 3).collect::<Vec<_>>()
    };
    let others = telling(other);
    // Forms of a word share their beginning.
    let start = |word: &str| word.chars().take(4).collect::<String>();
    telling(one).iter().any(|word| others.iter().any(|other| start(word) == start(other)))
}

/// Whether a link names a place in the code: a known file, a call, an identifier, code in
/// backquotes, or a value.
fn is_specific(link: &str, known: &BTreeSet<&str>, names: &BTreeSet<&str>) -> bool {
    if link.matches('`').count() >= 2 {
        return true;
    }
    link.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| {
            matches!(c, ',' | ';' | '.' | '"' | '\'' | '[' | ']') || c == '!' || c == '?'
        });
        let path = word.split(':').next().unwrap_or(word);
        known.contains(path) || names.contains(path) || is_identifier(word)
    })
}

fn is_identifier(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| matches!(c, '(' | ')' | ':'));
    let plain =
        bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '(' | ')'));
    let call = word.ends_with("()")
        || (word.contains('(') && word.ends_with(')') && !word.starts_with('('));
    let snake = bare.trim_matches('_').contains('_');
    let scoped = bare.contains("::");
    let mut letters = bare.chars();
    let first = letters.next();
    let hump = bare
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let dotted = bare.split('.').count() > 1
        && bare.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
    first.is_some_and(|c| c.is_alphabetic() || c == '_')
        && plain
        && (call || snake || scoped || hump || dotted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table() -> GateTable {
        GateTable::shipped().expect("rows")
    }

    fn case(symptom: &str, chain: &str) -> TraceCase {
        TraceCase {
            symptom: symptom.into(),
            links: vec![chain.into()],
            known_paths: vec!["src/parser/lex.rs".into()],
        }
    }

    #[test]
    fn a_chain_is_parted_at_its_arrows() {
        for (chain, wanted) in [
            ("a → b → c", vec!["a", "b", "c"]),
            ("a -> b->c", vec!["a", "b", "c"]),
            ("1. a\n2) b\n- c", vec!["a", "b", "c"]),
            ("a => → b", vec!["a", "b"]),
            ("", vec![]),
            ("404 status", vec!["404 status"]),
        ] {
            assert_eq!(links(chain), wanted, "{chain}");
        }
    }

    #[test]
    fn chains_are_weighed() {
        for (symptom, chain, wanted) in [
            (
                "request hangs",
                "lex.rs:12 drops the last token → `next()` waits for more input → read_all loops \
                 → the request hangs",
                Worth::Solid,
            ),
            (
                "request hangs",
                "src/parser/lex.rs drops a token → next() waits → the server is hanging",
                Worth::Solid,
            ),
            (
                "request hangs",
                "something is wrong → it waits somewhere → the request hangs",
                Worth::Weak,
            ),
            (
                "request hangs",
                "lex.rs drops a token → next() waits → read_all returns early",
                Worth::Weak,
            ),
            ("request hangs", "lex.rs is wrong → request hangs", Worth::Incomplete),
            (
                "request hangs",
                "next() waits → the lock is held → next() waits → request hangs",
                Worth::Incomplete,
            ),
            ("", "lex.rs drops a token → next() waits → read_all loops", Worth::Incomplete),
            ("request hangs", "", Worth::Incomplete),
        ] {
            let answer = judge(&case(symptom, chain), &table());
            assert_eq!(answer.directive, wanted, "{chain}: {answer:?}");
            assert_eq!(answer.issues.is_empty(), wanted == Worth::Solid, "{chain}: {answer:?}");
        }
    }

    #[test]
    fn specificity_is_a_share_of_links() {
        let answer = judge(&case("hangs", "lex.rs drops it → it waits → it hangs"), &table());
        assert!((answer.code_specificity - 0.333_333).abs() < 1e-9, "{answer:?}");
        assert_eq!(answer.chain_length, 3);
    }

    proptest! {
        #[test]
        fn no_chain_panics(symptom in "\\PC{0,20}", chain in "\\PC{0,80}") {
            judge(&case(&symptom, &chain), &table());
        }
    }
}
