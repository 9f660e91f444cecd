//! The criteria of a contract: items of a list, rows of a table, else paragraphs.

use super::Criterion;
use super::answer::{label, words};
use crate::phases::message::outside_code;

/// The most criteria of one contract.
const MOST: usize = 64;

/// One item of a text, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub text: String,
    /// Its number, in a numbered list.
    pub number: Option<String>,
    /// It is an item of a list or a row of a table, and no line of prose.
    pub listed: bool,
}

/// The criteria that `texts` list; one that stands twice counts once. `tested` says how they are
/// tested: what an item there names that begins like a criterion belongs to it.
pub(crate) fn contract(texts: &[String], tested: &[String]) -> Vec<Criterion> {
    let mut all: Vec<Criterion> = Vec::new();
    for item in texts.iter().flat_map(|text| criteria_of(text)) {
        let (new, name) = (words(&item.text), label(&item.text));
        if new.is_empty() {
            continue;
        }
        let known = all
            .iter()
            .any(|one| words(&one.text) == new || (name.is_some() && label(&one.text) == name));
        if !known {
            let named = named(&item.text);
            all.push(Criterion { text: item.text, number: item.number, named });
        }
    }
    all.truncate(MOST);
    let says: Vec<Item> = tested.iter().flat_map(|text| items(text)).collect();
    for item in says {
        if let Some((n, _)) = super::answer::which(&item.text, &all) {
            all[n].named.extend(named(&item.text));
        }
    }
    all
}

/// Items of lists where there are any; else each paragraph is one.
fn criteria_of(text: &str) -> Vec<Item> {
    let all = items(text);
    if all.iter().any(|item| item.listed) {
        return all.into_iter().filter(|item| item.listed).collect();
    }
    let mut paragraphs: Vec<Item> = Vec::new();
    let mut open = false;
    for (line, code) in outside_code(text) {
        let line = line.trim();
        if line.is_empty() || code {
            open = false;
        } else if let Some(last) = paragraphs.last_mut().filter(|_| open) {
            last.text = format!("{} {line}", last.text);
        } else {
            paragraphs.push(Item { text: line.to_owned(), number: None, listed: false });
            open = true;
        }
    }
    paragraphs
}

/// Items of lists with the lines that go on below them, rows of tables, and other lines one by
/// one. Code says nothing.
pub(super) fn items(text: &str) -> Vec<Item> {
    let lines: Vec<(&str, bool)> = outside_code(text).collect();
    let mut all: Vec<Item> = Vec::new();
    // How far the item in hand is indented, while lines may go on below it.
    let mut open: Option<usize> = None;
    for (at, (line, code)) in lines.iter().enumerate() {
        let bare = line.trim_start_matches([' ', '\t', '>']);
        let indent = line.len() - bare.len();
        if *code || bare.is_empty() {
            open = open.filter(|_| *code);
            continue;
        }
        let below = open.is_some_and(|item| indent > item);
        if bare.starts_with('|') {
            open = None;
            let is_rule = |line: &str| {
                line.contains('-')
                    && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
            };
            let head = lines.get(at + 1).is_some_and(|(next, _)| is_rule(next.trim()));
            if !is_rule(bare.trim()) && !head {
                let text = bare.trim().trim_matches('|').trim().to_owned();
                all.push(Item { text, number: None, listed: true });
            }
        } else if let (Some((number, rest)), false) = (marked(bare), below) {
            open = Some(indent);
            all.push(Item { text: rest.trim().to_owned(), number, listed: true });
        } else if let Some(last) = all.last_mut().filter(|_| open.is_some()) {
            let more = marked(bare).map_or(bare, |(_, rest)| rest);
            last.text = format!("{} {}", last.text, more.trim());
        } else {
            all.push(Item { text: bare.trim().to_owned(), number: None, listed: false });
        }
    }
    all
}

/// The number of an item, where it has one, and what follows the sign of the list.
fn marked(line: &str) -> Option<(Option<String>, &str)> {
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•']) {
        return rest.starts_with([' ', '\t']).then(|| (None, rest.trim_start()));
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line[digits..].strip_prefix(['.', ')']).filter(|_| (1..=3).contains(&digits))?;
    rest.starts_with([' ', '\t']).then(|| (Some(line[..digits].to_owned()), rest.trim_start()))
}

/// What a text has in backticks or round brackets.
pub(super) fn named(text: &str) -> Vec<String> {
    let ticked = text.split('`').skip(1).step_by(2);
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let bracketed: Vec<&str> =
        plain.split('(').skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)).collect();
    let all = ticked.chain(bracketed).map(str::trim).filter(|text| !text.is_empty());
    all.map(str::to_owned).collect()
}

/// What stands below each heading `title` of a document, of any rank, up to the next of its rank.
pub(crate) fn wholly_below(document: &str, title: &str) -> Vec<String> {
    let rank = |line: &str| line.len() - line.trim_start_matches('#').len();
    let heading = |line: &str| (1..=6).contains(&rank(line)) && line[rank(line)..].starts_with(' ');
    let mut found: Vec<String> = Vec::new();
    let mut within: Option<usize> = None;
    for (line, code) in outside_code(document) {
        if !code && heading(line) {
            if within.is_some_and(|open| rank(line) <= open) {
                within = None;
            }
            let named = line.trim_start_matches('#').trim().trim_end_matches(':');
            if within.is_none() && named.eq_ignore_ascii_case(title) {
                within = Some(rank(line));
                found.push(String::new());
                continue;
            }
        }
        if let (Some(_), Some(last)) = (within, found.last_mut()) {
            last.push_str(line);
            last.push('\n');
        }
    }
    found
}

/// The criterion that a question quotes: all of its words stand in it, one behind the other, or
/// its label does.
pub(crate) fn quoted_by<'c>(question: &str, contract: &'c [Criterion]) -> Option<&'c Criterion> {
    let said = words(question);
    let holds =
        |part: &[String]| !part.is_empty() && said.windows(part.len()).any(|window| window == part);
    contract.iter().filter(|one| holds(&words(&one.text))).max_by_key(|one| words(&one.text).len())
}
