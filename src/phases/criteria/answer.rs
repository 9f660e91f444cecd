//! What a message answers to each criterion: met, not met, not shown.

use super::Criterion;
use super::contract::{Item, items, named};
use crate::phases::message::Message;

/// What is said of a criterion, mildest first; of two answers the later one here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    Met,
    NotShown,
    NotMet,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// Which criterion of the contract it is about.
    pub of: Option<usize>,
    pub answer: Answer,
    /// The criterion's words; those of the answer where no contract has it.
    pub text: String,
    /// What the answer names in backticks or brackets.
    pub named: Vec<String>,
}

/// What an answer begins with, whatever follows.
const BEGINS: [(Answer, &[&str]); 3] = [
    (
        Answer::NotShown,
        &[
            "not shown",
            "not run",
            "not tested",
            "not tried",
            "not verified",
            "not checked",
            "not proven",
            "cannot be shown",
            "could not be shown",
            "unshown",
            "untested",
            "unverified",
            "unchecked",
            "unproven",
            "skipped",
            "deferred",
            "cannot be verified",
            "could not be verified",
        ],
    ),
    (
        Answer::NotMet,
        &[
            "not met",
            "not yet",
            "not ok",
            "not done",
            "not fulfilled",
            "not satisfied",
            "unmet",
            "fail",
            "fails",
            "failed",
            "failing",
            "failure",
            "blocked",
            "partly",
            "partial",
            "partially",
        ],
    ),
    (
        Answer::Met,
        &[
            "met",
            "pass",
            "passes",
            "passed",
            "passing",
            "ok",
            "okay",
            "succeeds",
            "succeeded",
            "fulfilled",
            "satisfied",
        ],
    ),
];

/// Words that are an answer where a comma, a full stop or nothing follows: `no overflow` is none.
const ALONE: [(Answer, &[&str]); 3] = [
    (Answer::NotShown, &["unknown", "pending"]),
    (
        Answer::NotMet,
        &["not", "no", "broken", "wrong", "red", "open", "missing", "cannot", "false"],
    ),
    (Answer::Met, &["yes", "holds", "works", "green", "done", "shown", "true"]),
];

/// Signs that say the same.
const TICKS: [char; 5] = ['✓', '✔', '✅', '☑', '🟢'];
const CROSSES: [char; 6] = ['✗', '✘', '❌', '✖', '☒', '🔴'];

/// All answers of `message`: to each criterion of `contract` the worst one that it gives, and below
/// `section` those about what no contract names.
pub(crate) fn answers(message: &Message, section: &str, contract: &[Criterion]) -> Vec<Answered> {
    let mut all: Vec<Answered> = Vec::new();
    for item in items(message.text()) {
        let Some((n, rest)) = which_item(&item, contract) else { continue };
        let Some(answer) = said(&item.text, rest, true) else { continue };
        let text = contract[n].text.clone();
        keep(&mut all, Answered { of: Some(n), answer, text, named: named(&item.text) });
    }
    let below = message.section(section).unwrap_or_default();
    for item in items(&below).into_iter().filter(|item| item.listed || ticked(&item.text).is_some())
    {
        if which_item(&item, contract).is_some() {
            continue;
        }
        if let Some(answer) = said(&item.text, unticked(&item.text), false) {
            let text = unticked(&item.text).to_owned();
            keep(&mut all, Answered { of: None, answer, text, named: named(&item.text) });
        }
    }
    all
}

/// Of two answers to one criterion the worse counts; what both name is looked at.
fn keep(all: &mut Vec<Answered>, new: Answered) {
    match all.iter_mut().find(|known| new.of.is_some() && known.of == new.of) {
        Some(known) => {
            known.answer = known.answer.max(new.answer);
            known.named.extend(new.named);
        }
        None => all.push(new),
    }
}

/// The criterion that an item is about, and what it says behind its words.
fn which_item<'t>(item: &'t Item, contract: &[Criterion]) -> Option<(usize, &'t str)> {
    if let Some(found) = which(&item.text, contract) {
        return Some(found);
    }
    let rest = unticked(&item.text);
    // `2. met` answers the second of a list, and so does `AC2: met` where the list has no labels.
    if let Some(number) = &item.number {
        return leading(rest).and_then(|_| Some((nth(contract, number)?, rest)));
    }
    let name = label(rest).filter(|_| contract.iter().all(|one| label(&one.text).is_none()))?;
    let digits = name.trim_start_matches(char::is_alphabetic);
    let behind = rest.find(digits).map(|at| &rest[at + digits.len()..])?;
    Some((nth(contract, digits)?, behind))
}

/// The criterion of this number: by its list's own, else by its place.
fn nth(contract: &[Criterion], number: &str) -> Option<usize> {
    if contract.iter().any(|one| one.number.is_some()) {
        return contract.iter().position(|one| one.number.as_deref() == Some(number));
    }
    let place: usize = number.parse().ok()?;
    place.checked_sub(1).filter(|place| *place < contract.len())
}

/// The criterion whose label or first words `text` begins with, and what follows them. Words that
/// fit two criteria alike are about neither.
pub(super) fn which<'t>(text: &'t str, contract: &[Criterion]) -> Option<(usize, &'t str)> {
    let body = unticked(text);
    if let Some(name) = label(body) {
        let mut fits =
            (0..contract.len()).filter(|n| label(&contract[*n].text).as_ref() == Some(&name));
        if let (Some(n), None) = (fits.next(), fits.next()) {
            let (common, rest) = common(body, &contract[n].text);
            return Some((n, if common > 0 { rest } else { body }));
        }
    }
    let mut best: Option<(usize, usize, &str)> = None;
    let mut twice = false;
    for (n, one) in contract.iter().enumerate() {
        let (common, rest) = common(body, &one.text);
        let whole = common == words(&one.text).len();
        if common == 0 || !(whole || common >= 4 || ends_here(rest)) {
            continue;
        }
        match best {
            Some((_, most, _)) if most > common => {}
            Some((_, most, _)) if most == common => twice = true,
            _ => (best, twice) = (Some((n, common, rest)), false),
        }
    }
    best.filter(|_| !twice).map(|(n, _, rest)| (n, rest))
}

/// The name of a criterion: `AC1`, `R-2`, `Kriterium 3`, as letters and digits.
pub(super) fn label(text: &str) -> Option<String> {
    let text = unticked(text);
    let text = text.trim_start_matches(['*', '_', '`', '[', '(']);
    if !text.starts_with(char::is_uppercase) {
        return None;
    }
    let letters = text.len() - text.trim_start_matches(char::is_alphabetic).len();
    let rest = &text[letters..];
    let gap = rest.len() - rest.trim_start_matches(['-', '.', '#', ' ', '_']).len();
    let digits =
        rest[gap..].len() - rest[gap..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = rest[gap + digits..].chars().next();
    let ends = after.is_none_or(|c| !c.is_alphanumeric());
    // `Print 3 lines` is no label, `Criterion 3: lines` is.
    let spaced =
        rest[..gap].contains(' ') && !after.is_none_or(|c| matches!(c, ':' | '.' | ')' | '*'));
    if letters == 0 || digits == 0 || letters > 12 || !ends || spaced {
        return None;
    }
    Some(format!("{}{}", text[..letters].to_lowercase(), &rest[gap..gap + digits]))
}

/// How many words `text` and `other` begin with alike, and what follows them in `text`.
fn common<'t>(text: &'t str, other: &str) -> (usize, &'t str) {
    let other = words(other);
    let mut rest = text;
    let mut n = 0;
    for (word, end) in spans(text) {
        if other.get(n) != Some(&word) {
            break;
        }
        n += 1;
        rest = &text[end..];
    }
    (n, rest)
}

/// The words of a text in small letters; each sign of a script without spaces is one.
pub(super) fn words(text: &str) -> Vec<String> {
    spans(unticked(text)).into_iter().map(|(word, _)| word).collect()
}

/// Each word, and where it ends.
fn spans(text: &str) -> Vec<(String, usize)> {
    let is_sign =
        |c: char| ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7a3}').contains(&c);
    let mut all: Vec<(String, usize)> = Vec::new();
    let mut word = String::new();
    for (at, char) in text.char_indices() {
        if char.is_alphanumeric() && !is_sign(char) {
            word.extend(char.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            all.push((std::mem::take(&mut word), at));
        }
        if is_sign(char) {
            all.push((char.to_string(), at + char.len_utf8()));
        }
    }
    if !word.is_empty() {
        all.push((word, text.len()));
    }
    all
}

/// The box or the sign that an item begins with.
fn ticked(text: &str) -> Option<Answer> {
    let text = text.trim_start();
    let lower = text.get(..3).map(str::to_lowercase);
    match lower.as_deref() {
        Some("[x]") => return Some(Answer::Met),
        Some("[ ]") => return Some(Answer::NotMet),
        _ => {}
    }
    sign(text)
}

fn sign(text: &str) -> Option<Answer> {
    if text.starts_with(TICKS) {
        return Some(Answer::Met);
    }
    text.starts_with(CROSSES).then_some(Answer::NotMet)
}

/// What follows the box or sign.
fn unticked(text: &str) -> &str {
    let text = text.trim_start();
    match text.get(..3).map(str::to_lowercase).as_deref() {
        Some("[x]" | "[ ]") => text[3..].trim_start(),
        _ => text
            .trim_start_matches(TICKS)
            .trim_start_matches(CROSSES)
            .trim_start_matches('\u{fe0f}')
            .trim_start(),
    }
}

/// Signs between a criterion and what is said of it.
fn is_break(char: char) -> bool {
    matches!(char, ':' | ';' | '|' | '=' | '→' | '—' | '–' | '(' | '⇒' | '>' | '：')
}

/// Nothing follows, or a sign that ends the criterion's own words.
fn ends_here(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', '`', '"', '”', '.', ')', ' ', '…']);
    rest.is_empty()
        || rest.starts_with(is_break)
        || rest.starts_with("- ")
        || leading(rest).is_some()
}

/// What is said in `rest`, which follows the criterion's words in `item`. Where no criterion is
/// known, its first piece is what the item is about.
fn said(item: &str, rest: &str, known: bool) -> Option<Answer> {
    let pieces = rest.split(is_break).flat_map(|piece| piece.split(" - "));
    let told = pieces.skip(usize::from(!known)).find_map(leading);
    let shouts = shouts(rest).then_some(Answer::NotMet);
    let word = told.max(shouts);
    match (ticked(item), word) {
        (Some(Answer::NotMet), Some(Answer::NotShown)) => Some(Answer::NotShown),
        (box_, word) => box_.max(word),
    }
}

/// The answer that a piece begins with.
fn leading(piece: &str) -> Option<Answer> {
    let piece = piece.trim_start_matches(['*', '_', '`', ' ', ',', '"', '[', '-']);
    if let Some(answer) = sign(piece) {
        return Some(answer);
    }
    let said = words(piece);
    let alone = words(piece.split([',', '.', '!']).next().unwrap_or_default()).join(" ");
    let begins = |text: &str| {
        let mut own = said.iter();
        text.split(' ').all(|word| own.next().is_some_and(|said| said == word))
    };
    let known = BEGINS.iter().find(|(_, texts)| texts.iter().any(|text| begins(text)));
    let known = known.or_else(|| ALONE.iter().find(|(_, texts)| texts.contains(&alone.as_str())));
    known.map(|(answer, _)| *answer)
}

/// `FAIL` in capitals says so wherever it stands, but for `0 FAILED`.
fn shouts(rest: &str) -> bool {
    let tokens: Vec<&str> =
        rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    tokens.iter().enumerate().any(|(at, word)| {
        let none = at.checked_sub(1).map(|before| tokens[before].to_lowercase());
        let none = none.is_some_and(|word| matches!(word.as_str(), "0" | "no" | "none" | "never"));
        matches!(*word, "FAIL" | "FAILS" | "FAILED" | "FAILURE") && !none
    })
}
