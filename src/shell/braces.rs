//! Braces in a word, as bash expands them: `{a,b}` and `{1..9}`, before anything else.
//!
//! What is quoted decides, so the pieces of a word are read here and not its text. Where
//! this reader and a shell could differ, the word is [`Braces::Unread`], never guessed.

/// Most words that one word becomes before it counts as unread.
const WORDS: usize = 64;
/// Most pairs of braces that are looked for.
const PAIRS: usize = 40;

/// A piece of a word: a character, or what expands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A character outside quotes.
    Plain(char),
    /// One in quotes, or behind a backslash.
    Quoted(char),
    /// Where quotes begin: even empty ones make a word.
    Empty,
    /// An expansion as written, with its dollar sign.
    Hole { raw: String, quoted: bool },
}

/// What becomes of the braces in a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Braces {
    /// There are none that expand.
    None,
    /// These words, in order; an empty word without quotes is gone.
    Words(Vec<Vec<Item>>),
    /// A long run of numbers, with plain text before it.
    Numbers,
    /// The text does not say.
    Unread,
}

/// Expands the braces of a word.
pub(super) fn expanded(items: &[Item]) -> Braces {
    let opens = items.iter().filter(|item| **item == Item::Plain('{')).count();
    if opens == 0 || !items.contains(&Item::Plain('}')) {
        return Braces::None;
    }
    if opens > PAIRS {
        return Braces::Unread;
    }
    match words(items) {
        Ok(words) if words.len() == 1 && words[0] == items => Braces::None,
        // An expansion may take up what comes to stand behind it, and its own end may hang
        // on the braces.
        Ok(_) if !items.iter().all(is_sure) || joins(items) => Braces::Unread,
        Ok(words) => Braces::Words(words.into_iter().filter(|word| !word.is_empty()).collect()),
        Err(found) => found,
    }
}

/// An expansion whose end hangs on nothing around it.
fn is_sure(item: &Item) -> bool {
    match item {
        Item::Plain('$' | '`' | '\\' | '"' | '\'') => false,
        Item::Hole { raw, .. } => !raw
            .trim_start_matches("${")
            .trim_end_matches('}')
            .contains(['{', '}', ',', '"', '\'', '\\', '`']),
        _ => true,
    }
}

/// `$x{a,b}` is `$xa` and `$xb`, and `{$x,y}z` is `$xz`.
fn joins(items: &[Item]) -> bool {
    let bare = |item: &Item| {
        matches!(item, Item::Hole { raw, quoted: false }
            if raw.starts_with('$') && !raw.starts_with("${") && !raw.starts_with("$("))
    };
    let parts = |item: &Item| matches!(item, Item::Plain('{' | '}' | ','));
    items.windows(2).any(|pair| bare(&pair[0]) && parts(&pair[1]))
}

fn words(items: &[Item]) -> Result<Vec<Vec<Item>>, Braces> {
    // Behind a blank, bash passes over `{}`, and a blank in a word is a quoted one.
    let blank = |item: &Item| matches!(item, Item::Quoted(char) if char.is_ascii_whitespace());
    if items.windows(3).any(|at| blank(&at[0]) && at[1..] == [Item::Plain('{'), Item::Plain('}')]) {
        return Err(Braces::Unread);
    }
    let Some((open, close)) = first_pair(items) else { return Ok(vec![items.to_vec()]) };
    let (before, inside) = (&items[..open], &items[open + 1..close]);
    let middle = if inside.contains(&Item::Plain(',')) {
        let mut middle = Vec::new();
        for part in alternatives(inside) {
            middle.extend(words(part)?);
        }
        middle
    } else {
        match sequence(inside) {
            // Bash takes a quoted comma for one here, and drops the braces.
            Sequence::No if inside.iter().any(hides_comma) => return Err(Braces::Unread),
            // It stays as it is, braces and all.
            Sequence::No => vec![items[open..=close].to_vec()],
            Sequence::Words(words) => words,
            Sequence::Long if before.iter().chain(inside).next().is_some_and(is_letter) => {
                return Err(Braces::Numbers);
            }
            Sequence::Long | Sequence::Unread => return Err(Braces::Unread),
        }
    };
    let rest = words(&items[close + 1..])?;
    if middle.len().saturating_mul(rest.len()) > WORDS {
        return Err(Braces::Unread);
    }
    let joined = |middle: &Vec<Item>, rest: &Vec<Item>| [before, middle, rest].concat();
    Ok(middle.iter().flat_map(|middle| rest.iter().map(|rest| joined(middle, rest))).collect())
}

/// The first `{` that a `}` closes, and where.
fn first_pair(items: &[Item]) -> Option<(usize, usize)> {
    let is = |at: usize, char: char| items.get(at) == Some(&Item::Plain(char));
    let opens = |&at: &usize| is(at, '{') && !(at == 0 && is(1, '}'));
    (0..items.len()).filter(opens).find_map(|open| Some((open, closing(items, open)?)))
}

fn hides_comma(item: &Item) -> bool {
    match item {
        Item::Quoted(char) => *char == ',',
        Item::Hole { raw, .. } => raw.contains(','),
        Item::Plain(_) | Item::Empty => false,
    }
}

fn is_letter(item: &Item) -> bool {
    let (Item::Plain(char) | Item::Quoted(char)) = item else { return false };
    char.is_ascii_alphanumeric() || *char == '/'
}

/// Where the braces close that open at `open`: at a `}` of their depth behind a comma or a `..`
/// of their depth, and nowhere else. A `}` before these is a letter.
fn closing(items: &[Item], open: usize) -> Option<usize> {
    let is = |at: usize, char: char| items.get(at) == Some(&Item::Plain(char));
    let (mut depth, mut parts) = (0_usize, false);
    for (at, item) in items.iter().enumerate().skip(open + 1) {
        match item {
            Item::Plain('}') if depth == 0 && parts => return Some(at),
            Item::Plain('{') => depth += 1,
            Item::Plain('}') => depth = depth.saturating_sub(1),
            Item::Plain(',') if depth == 0 => parts = true,
            Item::Plain('.') if depth == 0 => parts |= is(at + 1, '.') && !is(at + 2, '}'),
            _ => {}
        }
    }
    None
}

/// What stands between the commas of this depth.
fn alternatives(inside: &[Item]) -> Vec<&[Item]> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, item) in inside.iter().enumerate() {
        match item {
            Item::Plain('{') => depth += 1,
            Item::Plain('}') => depth = depth.saturating_sub(1),
            Item::Plain(',') if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    parts
}

enum Sequence {
    No,
    Words(Vec<Vec<Item>>),
    Long,
    Unread,
}

/// `1..9`, `a..e`, with a step.
fn sequence(inside: &[Item]) -> Sequence {
    let text: Option<String> = inside
        .iter()
        .map(|item| if let Item::Plain(char) = item { Some(*char) } else { None })
        .collect();
    let Some(text) = text.filter(|text| text.contains("..")) else { return Sequence::No };
    let parts: Vec<&str> = text.split("..").collect();
    let numbers: Option<Vec<i64>> = parts.iter().map(|part| part.parse().ok()).collect();
    let padded =
        |part: &&str| part.len() > 1 && part.trim_start_matches(['-', '+']).starts_with('0');
    match (numbers.as_deref(), parts.as_slice()) {
        (Some(_), parts)
            if parts.iter().any(padded) || parts.iter().any(|part| part.starts_with('+')) =>
        {
            Sequence::Unread
        }
        (Some(&[from, to]), _) => numbered(from, to),
        (None, [from, to]) => lettered(from, to),
        _ => Sequence::Unread,
    }
}

fn numbered(from: i64, to: i64) -> Sequence {
    let length = from.abs_diff(to);
    if length >= WORDS as u64 {
        return if from >= 0 && to >= 0 { Sequence::Long } else { Sequence::Unread };
    }
    let mut numbers: Vec<i64> = (from.min(to)..=from.max(to)).collect();
    if from > to {
        numbers.reverse();
    }
    Sequence::Words(numbers.iter().map(|number| plain(&number.to_string())).collect())
}

/// Letters of one case, as every shell counts them.
fn lettered(from: &str, to: &str) -> Sequence {
    let (Ok(from), Ok(to)) = (from.parse::<char>(), to.parse::<char>()) else {
        return Sequence::Unread;
    };
    let fits = |test: fn(&char) -> bool| test(&from) && test(&to);
    if !fits(char::is_ascii_lowercase) && !fits(char::is_ascii_uppercase) {
        return Sequence::Unread;
    }
    let mut letters: Vec<char> = (from.min(to)..=from.max(to)).collect();
    if from > to {
        letters.reverse();
    }
    Sequence::Words(letters.iter().map(|letter| vec![Item::Plain(*letter)]).collect())
}

fn plain(text: &str) -> Vec<Item> {
    text.chars().map(Item::Plain).collect()
}

#[cfg(test)]
mod tests {
    use crate::shell::words;

    #[test]
    fn braces_expand_as_in_bash() {
        let cases: &[(&str, &[&str])] = &[
            ("a{b,c}d", &["abd", "acd"]),
            (r#""-"{delete,print}"#, &["-delete", "-print"]),
            ("{a,b}{1..2}", &["a1", "a2", "b1", "b2"]),
            ("{a,{b,c}}", &["a", "b", "c"]),
            ("{a,{b,c}", &["{a,b", "{a,c"]),
            ("x{,y}", &["x", "xy"]),
            ("{,}", &[]),
            ("''{,}", &["", ""]),
            ("{}", &["{}"]),
            ("{a}", &["{a}"]),
            ("x{b},c}", &["xb}", "xc"]),
            ("{'a,b'}", &["{a,b}"]),
            (r"{a\,b}", &["{a,b}"]),
            ("{c..a}", &["c", "b", "a"]),
            ("'{a,b}'", &["{a,b}"]),
        ];
        for (word, expected) in cases {
            let texts = words::terms(word, &mut Vec::new());
            let texts: Vec<&str> = texts.iter().map(|term| term.text.as_str()).collect();
            assert_eq!(texts, *expected, "{word}");
        }
    }

    #[test]
    fn what_a_shell_could_take_otherwise_is_not_read() {
        for word in ["$x{a,b}", "{01..3}", "{a..3}", r#"{.."a,b"}"#, "{$(echo a,b),c}", "{-9..999}"]
        {
            let known = words::terms(word, &mut Vec::new());
            assert!(known.iter().all(|term| term.expands && term.flaggy), "{word}");
        }
    }
}
