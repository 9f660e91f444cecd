//! What a person's prompt says of paths: which may not be changed, and which alone may be. And
//! whether a path lies within all that was said.
//!
//! Pure reading of English words; where a path lies, and whether it is there, the caller says.
//! A sentence that makes a condition ("unless", "without", "if") closes nothing: whether it is
//! met cannot be told here. A question closes nothing, nor does a quotation or code.

use serde::{Deserialize, Serialize};

/// What one sentence, or one short word, says of paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SaidOfPaths {
    pub kind: Said,
    /// Paths from the top of the work tree; each means all below it, too. An empty one is all.
    pub paths: Vec<String>,
    /// The sentence, on one line.
    pub words: String,
}

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Said {
    /// They may be changed, whatever was said before: `[ALLOW <path>]`.
    Allow,
    /// They may be changed again, as far as rules and phases let them.
    Again,
    /// They may not be changed.
    Never,
    /// Nothing else may be changed.
    Only,
}

/// Why a path may not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shut {
    /// The person said so, in these words.
    Said(String),
    /// The person named what may be changed, in these words, and it is not among it.
    Beside(String),
    /// The rules name what may be changed, and it is not among it.
    Rule(String),
}

/// The most characters of a sentence that are kept.
const LONGEST: usize = 200;

/// Words that turn what stands behind them.
const NOT: &[&str] =
    &["not", "never", "don't", "dont", "mustn't", "shouldn't", "without", "avoid", "no", "nothing"];

/// What may stand before such a word where somebody is told what to do. Behind any other word the
/// sentence tells of something: "the build does not write out/a.js".
const LEADS: &[&str] =
    &["and", "or", "but", "also", "please", "so", "then", "you", "we", "ever", "again", "better"];

/// The same for `not` alone.
const MODALS: &[&str] = &["must", "should", "shall", "may", "to", "please", "do", "ought"];

/// Behind one of these a sentence says something else.
const ENDS: &[&str] = &["but", "instead", "however", "though", "although", "because", "since"];

/// They make a condition that cannot be judged here.
const CONDITIONS: &[&str] = &["unless", "until", "before", "if", "when", "without", "while", "yet"];

/// What is changed is said by one of these, in any of their forms.
const CHANGES: &[&str] = &[
    "touch", "chang", "edit", "modif", "writ", "delet", "remov", "renam", "mov", "alter", "updat",
    "rewrit", "reformat", "refactor", "overwrit", "mess", "add", "creat",
];

/// Pairs of words that keep an agent away from what follows, or stands before them.
const AWAY: &[(&str, &str)] = &[
    ("hands", "off"),
    ("keep", "away"),
    ("stay", "away"),
    ("stay", "out"),
    ("keep", "out"),
    ("off", "limits"),
    ("off-limits", ""),
    ("untouchable", ""),
    ("read-only", ""),
];

/// How something stays that nobody changes.
const STAYS: &[&str] = &["alone", "untouched", "unchanged", "as", "intact", "frozen"];

/// What a person bounds who says where to work.
const BOUNDED: &[&str] =
    &["yourself", "your", "changes", "change", "edits", "work", "working", "this", "the", "all"];

/// Words for all else than what follows.
const OUTSIDE: &[&str] = &["outside", "except", "besides", "beyond", "other", "but", "beside"];

/// What `prompt` says of paths. `path_of` gives the path from the top of the work tree that a word
/// means, where it means one.
pub(crate) fn read(prompt: &str, path_of: &dyn Fn(&str) -> Option<String>) -> Vec<SaidOfPaths> {
    let mut found = Vec::new();
    let mut code = false;
    for line in prompt.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            code = !code;
        } else if !code && !line.starts_with('>') {
            found.extend(sentences(line).iter().filter_map(|sentence| one(sentence, path_of)));
        }
    }
    found
}

/// The sentences of a line. A dot ends one only before a blank: paths have dots.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let ends = match letter {
            ';' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            let end = at + letter.len_utf8();
            found.extend(line.get(start..end));
            start = end;
        }
    }
    found.extend(line.get(start..));
    found
}

/// A word of a sentence, in small letters, and the path that it means.
struct Word {
    small: String,
    path: Option<String>,
    /// A comma or a colon stands behind it.
    ends: bool,
}

impl Word {
    /// It means no path, and is one of these.
    fn is(&self, list: &[&str]) -> bool {
        self.path.is_none() && list.contains(&&*self.small)
    }

    /// How it ends, where it says a change.
    fn change(&self) -> Option<&str> {
        const ENDINGS: [&str; 12] =
            ["", "e", "es", "s", "ed", "ing", "y", "ies", "ied", "ying", "ten", "ting"];
        let stem = CHANGES.iter().filter(|_| self.path.is_none());
        let mut ends = stem.filter_map(|stem| self.small.strip_prefix(stem));
        ends.find(|end| ENDINGS.contains(end))
    }

    /// It says a change that somebody is told to make.
    fn orders(&self) -> bool {
        self.change().is_some_and(|end| ["", "e", "y"].contains(&end))
    }
}

fn words(sentence: &str, path_of: &dyn Fn(&str) -> Option<String>) -> Vec<Word> {
    let bare = |word: &str| {
        let word = word.trim_matches(|c: char| "\"'`()<>*,:;!?".contains(c));
        let word = word.strip_suffix("'s").unwrap_or(word);
        word.trim_end_matches('.').trim_matches(|c: char| "\"'`*,".contains(c)).to_owned()
    };
    let word = |word: &str| {
        // A bare word is a path where it stands as one: "docs/", `docs`.
        let marked = word.contains(['/', '.', '`', '"', '\'']);
        let ends = word.ends_with([',', ':', ')']);
        let bare = bare(word);
        let small = bare.to_lowercase().replace('\u{2019}', "'");
        let path = if marked && !bare.is_empty() { path_of(&bare) } else { None };
        Word { small, path, ends }
    };
    let words = sentence.split_whitespace().map(word).filter(|word| !word.small.is_empty());
    let mut words: Vec<Word> = words.collect();
    for at in 1..words.len() {
        if stands_for_a_place(&words, at) {
            words[at].path = path_of(&words[at].small);
        }
    }
    words
}

/// Whether a bare word with its article is what is spoken of: `leave the tests alone`. Whether
/// there is such a place, whoever asks says.
fn stands_for_a_place(words: &[Word], at: usize) -> bool {
    const ARTICLES: &[&str] = &["the", "our", "my", "any", "existing", "these", "those", "all"];
    const BEHIND: &[&str] = &[
        "alone",
        "untouched",
        "unchanged",
        "as",
        "intact",
        "at",
        "either",
        "and",
        "or",
        "again",
        "now",
        "just",
        "so",
        "for",
        "here",
        "please",
    ];
    // `do not edit the tests to make it pass`
    const ENDS_OF: &[&str] = &["make", "get", "pass", "fit", "match", "suit", "silence", "hide"];
    let word = &words[at];
    let articles = words[..at].iter().rev().take_while(|word| word.is(ARTICLES)).count();
    let head = &words[..at - articles];
    // `any of the tests`
    let head = match head {
        [head @ .., some, of] if of.is(&["of"]) && some.is(&["any", "all", "none"]) => head,
        all => all,
    };
    let behind = words.get(at + 1);
    let turned =
        |word: &Word| word.change().is_some() || word.is(&["leave", "keep", "off", "from"]);
    // `leave docs alone`
    let stays = head.last().is_some_and(|word| word.is(&["leave", "keep"]))
        && behind.is_some_and(|behind| behind.is(STAYS) && !behind.is(&["as"]));
    word.path.is_none()
        && word.small.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || c == '-')
        && (articles > 0 || stays)
        && head.last().is_some_and(turned)
        && (word.ends
            || behind.is_none_or(|behind| behind.is(BEHIND))
            || behind.is_some_and(|to| to.is(&["to"]))
                && words.get(at + 2).is_some_and(|word| word.is(ENDS_OF)))
}

fn one(sentence: &str, path_of: &dyn Fn(&str) -> Option<String>) -> Option<SaidOfPaths> {
    if sentence.trim_end().ends_with('?') {
        return None;
    }
    let words = words(sentence, path_of);
    if words.iter().all(|word| word.path.is_none()) {
        return None;
    }
    let (kind, from) = (0..words.len()).find_map(|at| kind_at(&words, at))?;
    let end = words[from..].iter().position(|word| word.is(ENDS));
    let end = end.map_or(words.len(), |end| from + end);
    if words[from..end].iter().any(|word| word.is(CONDITIONS)) {
        return None;
    }
    // What is said stands behind it; in the passive, before it.
    let of = |words: &[Word]| words.iter().filter_map(|word| word.path.clone()).collect();
    let behind: Vec<String> = of(&words[from..end]);
    let paths: Vec<String> = if behind.is_empty() { of(&words[..from]) } else { behind };
    let said = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = said.trim_end_matches(['.', '!', ';']).chars().take(LONGEST).collect();
    (!paths.is_empty()).then_some(SaidOfPaths { kind, paths, words: said })
}

/// What the word at `at` makes the sentence say, and from which place on.
fn kind_at(words: &[Word], at: usize) -> Option<(Said, usize)> {
    let rest = words.get(at..)?;
    let is = |n: usize, list: &[&str]| rest.get(n).is_some_and(|word| word.is(list));
    let pair = |(one, two): &&(&str, &str)| is(0, &[one]) && (two.is_empty() || is(1, &[two]));
    if let Some((_, two)) = AWAY.iter().find(pair) {
        return Some((Said::Never, at + if two.is_empty() { 1 } else { 2 }));
    }
    if let Some(verb) = opens(words, at) {
        return Some((Said::Again, verb + 1));
    }
    if is(0, &["leave", "keep"]) {
        // leave src/b alone; leave src/b as it is; keep to src/b
        let end = rest.iter().position(|word| word.is(STAYS));
        if end.is_some_and(|end| rest[..end].iter().any(|word| word.path.is_some())) {
            return Some((Said::Never, at));
        }
        let keeps = is(1, &["to"]) && rest.get(2).is_some_and(|word| word.path.is_some());
        return keeps.then_some((Said::Only, at));
    }
    if is(0, &["stay", "remain"]) && is(1, &["in", "inside", "within"]) {
        return Some((Said::Only, at + 2));
    }
    if is(0, &["stay", "remain", "stays", "be", "is"]) && is(1, STAYS) {
        // src/b must stay as it is
        let told = is(0, &["stays"]) || at > 0 && words[at - 1].is(MODALS);
        let told = told && (!is(1, &["as"]) || is(2, &["it", "they", "is", "before"]));
        let place = words[..at].iter().any(|word| word.path.is_some());
        return (told && place).then_some((Said::Never, at));
    }
    if is(0, &["limit", "restrict", "confine"]) && leads(words, at, MODALS) {
        // limit your changes to src/b
        let bounded = rest[1..].iter().take_while(|word| word.is(BOUNDED)).count();
        let to = is(bounded + 1, &["to"]) && bounded > 0;
        let place = rest.get(bounded + 2).is_some_and(|word| word.path.is_some());
        return (to && place).then_some((Said::Only, at));
    }
    if is(0, &["only"])
        && let Some(verb) = alone_may_change(words, at)
    {
        return Some((Said::Only, verb));
    }
    if is(0, &["only"]) {
        let verb = match rest.get(1) {
            Some(next) if next.orders() => Some(at),
            _ => at.checked_sub(1).filter(|before| words[*before].orders()),
        };
        return verb.filter(|verb| leads(words, *verb, MODALS)).map(|_| (Said::Only, at + 1));
    }
    if is(0, NOT) { turned(words, at) } else { None }
}

/// The verb of `only src/a and src/b may be changed`, `only src/a should change`, where `only` is
/// the word at `at`; behind `work only in src/a` there is none, and the word itself is given.
fn alone_may_change(words: &[Word], at: usize) -> Option<usize> {
    let rest = &words[at + 1..];
    let joins = ["and", "or", "the", "in", "inside", "within", "files", "below", "under"];
    let named = rest.iter().take_while(|word| word.path.is_some() || word.is(&joins)).count();
    if rest[..named].iter().all(|word| word.path.is_none()) {
        return None;
    }
    let limits = at.checked_sub(1).is_some_and(|before| words[before].is(&["work", "changes"]));
    if limits && rest[0].is(&["in", "inside", "within", "below", "under"]) {
        return (leads(words, at - 1, MODALS)).then_some(at);
    }
    let modal = rest.get(named)?.is(&["must", "should", "shall", "may", "can"]);
    let verb = named + if rest.get(named + 1)?.is(&["be"]) { 2 } else { 1 };
    let changes = rest.get(verb)?.change().is_some_and(|end| end != "ing");
    (modal && changes && leads(words, at, &[])).then_some(at)
}

/// The verb of a sentence that lets somebody change something, where the word at `at` begins that:
/// `you may touch src/b`, `feel free to edit src/b`, `src/b may be changed`.
fn opens(words: &[Word], at: usize) -> Option<usize> {
    const NEAR: usize = 4;
    let word = &words[at];
    let before = |list: &[&str]| at.checked_sub(1).is_some_and(|before| words[before].is(list));
    let may = word.is(&["may", "can"]);
    let free = word.is(&["free", "fine", "ok", "okay", "ahead", "allowed"]);
    let passive = may && words.get(at + 1).is_some_and(|next| next.is(&["be"]));
    if !(free || may && (passive || before(&["you"]))) {
        return None;
    }
    let near = at + 1..words.len().min(at + NEAR);
    let verb = near.clone().find(|n| words[*n].change().is_some())?;
    let turned = near.take_while(|n| *n < verb).any(|n| words[n].is(NOT) || words[n].is(&["only"]));
    let told = if passive { words[verb].change() == Some("ed") } else { words[verb].orders() };
    let place = if passive {
        words[..at].iter().any(|word| word.path.is_some())
    } else {
        words[verb..].iter().any(|word| word.path.is_some())
    };
    (told && place && !turned).then_some(verb)
}

/// What stands before the word at `at` lets it be the beginning of what somebody is told.
fn leads(words: &[Word], at: usize, more: &[&str]) -> bool {
    at.checked_sub(1).is_none_or(|before| {
        let before = &words[before];
        before.ends || before.is(LEADS) || before.is(more)
    })
}

/// What a sentence says that is turned at `at`.
fn turned(words: &[Word], at: usize) -> Option<(Said, usize)> {
    const NEAR: usize = 5;
    let turning = words[at].small.as_str();
    let told = match turning {
        "not" => {
            // src/b is not to be changed
            let to_be = matches!(words.get(at + 1..at + 3), Some([to, be])
                if to.is(&["to"]) && be.is(&["be"]));
            let before = at.checked_sub(1)?;
            let modal = words[before].is(MODALS);
            // they do not; the tests do not
            to_be || modal && (!words[before].is(&["do"]) || leads(words, before, &[]))
        }
        "without" => at > 0,
        "mustn't" | "shouldn't" | "nothing" => true,
        _ => leads(words, at, MODALS),
    };
    // do not forget to change it: said the other way round
    let twice = ["forget", "hesitate", "only", "just", "stop"];
    if !told || words.get(at + 1).is_some_and(|word| word.is(&twice)) {
        return None;
    }
    let near = at.saturating_sub(1)..words.len().min(at + NEAR);
    let verb = near.clone().find(|n| words[*n].change().is_some())?;
    // never creates: the sentence tells of something
    let third = ["s", "es", "ies"].contains(&words[verb].change().unwrap_or_default());
    if third && !matches!(turning, "no" | "avoid" | "without") {
        return None;
    }
    let path_behind = |from: usize| words[from..].iter().any(|word| word.path.is_some());
    let outside = (at..words.len()).find(|n| words[*n].is(OUTSIDE));
    match outside {
        Some(outside)
            if path_behind(outside)
                && words[at..outside].iter().all(|word| word.path.is_none()) =>
        {
            Some((Said::Only, outside + 1))
        }
        _ if turning == "nothing" => None,
        _ if path_behind(verb) => Some((Said::Never, verb + 1)),
        // src/b must not be changed
        _ => words[..at].iter().any(|word| word.path.is_some()).then_some((Said::Never, verb + 1)),
    }
}

/// Why `path` may not be changed, by what was said, oldest first, and by the scope that the rules
/// name; an empty one is no bound. What was said last of a path decides.
pub(crate) fn shut(path: &str, said: &[SaidOfPaths], scope: &[String]) -> Option<Shut> {
    // All below a directory that goes goes with it.
    let path = path.trim_end_matches("/*");
    let holds = |one: &SaidOfPaths| one.paths.iter().any(|held| lies_in(path, held));
    let takes = |one: &SaidOfPaths| one.paths.iter().any(|held| lies_in(held, path));
    let mut only = None;
    for one in said.iter().rev() {
        match one.kind {
            Said::Allow if holds(one) => return None,
            // What was said before it is over.
            Said::Again if holds(one) => break,
            Said::Never if holds(one) || takes(one) => return Some(Shut::Said(one.words.clone())),
            // The newest one is meant: an older one was for other work.
            Said::Only if only.is_none() => only = Some((holds(one), one)),
            Said::Allow | Said::Again | Said::Never | Said::Only => {}
        }
    }
    if let Some((false, one)) = only {
        return Some(Shut::Beside(one.words.clone()));
    }
    let within = scope.is_empty() || scope.iter().any(|dir| lies_in(path, dir));
    (!within).then(|| Shut::Rule(scope.join(", ")))
}

/// What stays open and what is closed to code that the kernel confines, by the same words: nothing
/// for the whole work tree, and the paths that are closed in it.
pub(crate) fn bounds(said: &[SaidOfPaths], scope: &[String]) -> (Option<Vec<String>>, Vec<String>) {
    let is_open = |path: &String| shut(path, said, scope).is_none();
    let of = |kind: Said| said.iter().filter(move |one| one.kind == kind);
    let paths = |kind: Said| of(kind).flat_map(|one| one.paths.iter().cloned());
    let closed = paths(Said::Never).filter(|path| !is_open(path)).collect();
    let only = of(Said::Only).next_back().map(|one| one.paths.clone());
    let named = only.or_else(|| (!scope.is_empty()).then(|| scope.to_vec()));
    let open = named.map(|named| {
        named.into_iter().chain(paths(Said::Allow)).filter(is_open).collect::<Vec<_>>()
    });
    (open, closed)
}

/// Whether `path` is `held`, or lies below it.
pub(crate) fn lies_in(path: &str, held: &str) -> bool {
    let held = held.trim_end_matches('/');
    match path.strip_prefix(held) {
        Some(rest) => held.is_empty() || held == "." || rest.is_empty() || rest.starts_with('/'),
        None => held == ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with a slash, and these.
    fn path(word: &str) -> Option<String> {
        let known = ["README.md", "Cargo.toml", "tests"];
        let bare = word.trim_end_matches('/');
        let is = bare.contains('/') && !bare.contains("://") || known.contains(&bare);
        is.then(|| bare.to_owned())
    }

    fn told(prompt: &str) -> String {
        let all = read(prompt, &path);
        let one = |one: &SaidOfPaths| format!("{:?} {}", one.kind, one.paths.join(" "));
        all.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_sentence_closes_the_paths_that_it_forbids() {
        for (prompt, says) in [
            ("Never touch src/b", "Never src/b"),
            ("never touch src/b.", "Never src/b"),
            ("Fix the lexer. Do not change `src/b/` or Cargo.toml!", "Never src/b Cargo.toml"),
            ("Don\u{2019}t edit README.md", "Never README.md"),
            ("You must not modify src/gen/a.rs", "Never src/gen/a.rs"),
            ("src/b must not be changed", "Never src/b"),
            ("src/b is off limits", "Never src/b"),
            ("Fix it without touching src/b", "Never src/b"),
            ("avoid changes in src/b", "Never src/b"),
            ("Leave src/b alone", "Never src/b"),
            ("keep src/b unchanged", "Never src/b"),
            ("Hands off src/b!", "Never src/b"),
            ("Stay out of src/b", "Never src/b"),
            ("never touch src/b, but change src/c", "Never src/b"),
            ("Only change src/a", "Only src/a"),
            ("please change only src/a and `tests`", "Only src/a tests"),
            ("Do not touch anything outside src/a", "Only src/a"),
            ("don't change anything but src/a", "Only src/a"),
            ("Change nothing except src/a/x.rs", "Only src/a/x.rs"),
            ("Stay within src/a", "Only src/a"),
            ("never touch src/b\nonly edit src/a", "Never src/b, Only src/a"),
            ("Fix the lexer, and please do not change src/b", "Never src/b"),
            ("Important: don't touch src/b", "Never src/b"),
            ("We never edit src/gen by hand", "Never src/gen"),
            ("You should not be editing tests/", "Never tests"),
            ("no changes to src/b", "Never src/b"),
            ("Leave the tests alone", "Never tests"),
            ("Leave tests alone", "Never tests"),
            ("Please do not touch the tests!", "Never tests"),
            ("Don't change any of the existing tests", "Never tests"),
            ("You may touch src/b now", "Again src/b"),
            ("ok, you can edit src/b/x.rs again", "Again src/b/x.rs"),
            ("Feel free to change src/b", "Again src/b"),
            ("src/b may be changed after all", "Again src/b"),
            ("go ahead and modify src/b", "Again src/b"),
            ("You may not touch src/b", "Never src/b"),
            ("You may only edit src/a", "Only src/a"),
            ("Only src/a should change", "Only src/a"),
            ("Fix it. Only src/a and src/c may be changed.", "Only src/a src/c"),
            ("only the files in src/a must be touched", "Only src/a"),
            ("Please work only in src/a", "Only src/a"),
            ("Changes only in src/a, please", "Only src/a"),
            ("Limit your changes to src/a", "Only src/a"),
            ("please restrict yourself to src/a and src/c", "Only src/a src/c"),
            ("src/b is not to be changed", "Never src/b"),
            ("src/b must stay as it is", "Never src/b"),
            ("src/b and src/c should remain untouched", "Never src/b src/c"),
            ("README.md stays unchanged", "Never README.md"),
            ("treat src/b as read-only", "Never src/b"),
            ("Don't edit the tests to make it pass", "Never tests"),
            ("do not touch the tests just to get it green", "Never tests"),
            ("Don't change the tests for this", "Never tests"),
            ("The link only to src/a is broken", ""),
            ("only src/a is slow", ""),
            ("src/a should be as fast as src/b", ""),
            ("src/a should stay as fast as it is", ""),
            ("It seems that only src/a should change here", ""),
            ("limit the output to src/a", ""),
            ("do not add the tests to the build", ""),
            ("May I touch src/b?", ""),
            ("you can find it in src/b", ""),
            ("src/b can be slow", ""),
            ("fix it so that the tests pass", ""),
            ("don't change how the tests run", ""),
            ("do not change the behaviour of the tests", ""),
        ] {
            assert_eq!(told(prompt), says, "{prompt}");
        }
    }

    #[test]
    fn what_forbids_nothing_closes_nothing() {
        for prompt in [
            "Fix src/b",
            "Why did you not touch src/b?",
            "Do not forget to update README.md",
            "don't hesitate to change src/b",
            "Not only change src/a",
            "Do not change src/b unless the tests fail",
            "Don't edit src/a without updating README.md",
            "never push",
            "There is no test for src/b",
            "The parser does not read src/b.toml",
            "> never touch src/b",
            "```\nnever touch src/b\n```",
            "see https://example.org/never/touch, do not change it",
            "The build does not write out/a.js",
            "it never creates dist/app.js",
            "The lexer doesn't update src/b.lock",
            "The tests do not touch src/b",
            "We cannot write to out/x",
            "Fix it without breaking src/b",
            "The script only changes src/a",
            "I only changed src/a",
            "The fix would change only src/a",
            "src/b is not changed by this",
            "just update README.md",
            "there are no changes in src/b",
            "never change tests",
            "",
        ] {
            assert_eq!(told(prompt), "", "{prompt}");
        }
    }

    #[test]
    fn what_was_said_last_of_a_path_decides() {
        type Row<'a> = (&'a [SaidOfPaths], &'a [String], &'a str, Option<Shut>);
        let say = |kind, path: &str| SaidOfPaths {
            kind,
            paths: vec![path.to_owned()],
            words: format!("{kind:?} {path}"),
        };
        let never = say(Said::Never, "src/b");
        let allow = say(Said::Allow, "src/b/x.rs");
        let only = say(Said::Only, "src");
        let said = |words: &str| Some(Shut::Said(words.to_owned()));
        let beside = |words: &str| Some(Shut::Beside(words.to_owned()));
        let rule = |words: &str| Some(Shut::Rule(words.to_owned()));
        let src = vec!["src/".to_owned()];
        let cases: [Row<'_>; 15] = [
            (&[], &[], "a.rs", None),
            (&[], &src, "src/a.rs", None),
            (&[], &src, "srcs/a.rs", rule("src/")),
            (&[], &["a.rs".to_owned()], "a.rs", None),
            (&[], &[".".to_owned()], "docs/a.md", None),
            (std::slice::from_ref(&never), &[], "src/b", said("Never src/b")),
            (std::slice::from_ref(&never), &[], "src/bb", None),
            (std::slice::from_ref(&never), &[], "src", said("Never src/b")),
            (std::slice::from_ref(&never), &[], "src/b/*", said("Never src/b")),
            (&[never.clone(), allow.clone()], &[], "src/b/x.rs", None),
            (&[never.clone(), allow.clone()], &[], "src/b/y.rs", said("Never src/b")),
            (&[allow.clone(), never.clone()], &[], "src/b/x.rs", said("Never src/b")),
            (&[never.clone(), only.clone()], &[], "src/b/y.rs", said("Never src/b")),
            (std::slice::from_ref(&only), &[], "docs/a.md", beside("Only src")),
            (&[only.clone(), say(Said::Only, "docs")], &[], "docs/a.md", None),
        ];
        for (all, scope, path, why) in cases {
            assert_eq!(shut(path, all, scope), why, "{path} {all:?} {scope:?}");
        }
        assert_eq!(shut("x", &[say(Said::Allow, "x")], &src), None, "a word opens beyond rules");
        let open = |paths: &[&str]| Some(paths.iter().map(|&path| path.to_owned()).collect());
        assert_eq!(bounds(&[], &[]), (None, vec![]));
        assert_eq!(bounds(&[], &src), (open(&["src/"]), vec![]));
        let never = vec!["src/b".to_owned()];
        let all = [say(Said::Never, "src/b"), say(Said::Never, "c"), say(Said::Allow, "c")];
        assert_eq!(bounds(&all, &[]), (None, never));
        let all = [say(Said::Only, "src"), say(Said::Allow, "c")];
        assert_eq!(bounds(&all, &[]), (open(&["src", "c"]), vec![]));
    }
}
