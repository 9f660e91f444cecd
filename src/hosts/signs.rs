//! Signs that a host changes on their way to the model.
//!
//! Codex and Gemini turn `<` and `>` of some texts into `&lt;` and `&gt;`: `--scope <dir>` would
//! reach the model as `--scope &lt;dir&gt;`. There a placeholder is said in capitals, as `DIR`.

use std::borrow::Cow;

/// Placeholders of one word. Another word between such signs may be somebody's markup or type,
/// which says more as the host writes it.
const WORDS: [&str; 26] = [
    "base",
    "code",
    "command",
    "commit",
    "content",
    "dir",
    "directory",
    "file",
    "head",
    "id",
    "job",
    "kind",
    "message",
    "n",
    "name",
    "path",
    "phase",
    "reason",
    "remote",
    "section",
    "topic",
    "url",
    "value",
    "what",
    "why",
    "words",
];

/// `text` with its placeholders in capitals and without the signs around them; all else in it
/// stays.
pub(super) fn in_capitals(text: &str) -> Cow<'_, str> {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        said.push_str(before);
        let inside = after.split_once('>').filter(|(inner, _)| is_placeholder(inner));
        if let Some((inner, behind)) = inside {
            said.push_str(&capitals(inner));
            rest = behind;
        } else {
            said.push('<');
            rest = after;
        }
    }
    if said.is_empty() {
        return Cow::Borrowed(rest);
    }
    said.push_str(rest);
    Cow::Owned(said)
}

/// What a text is known again by, whether a host gives it back as it was said, with placeholders in
/// capitals, or with signs in the place of others.
pub(crate) fn given_back(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    in_capitals(&text).into_owned()
}

fn is_placeholder(inner: &str) -> bool {
    let all = |fits: fn(u8) -> bool| !inner.is_empty() && inner.bytes().all(fits);
    let is_range = all(|byte| byte.is_ascii_digit() || b".|-".contains(&byte));
    let is_choice = inner.contains('|')
        && all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"|-".contains(&byte));
    WORDS.contains(&inner) || is_range || is_choice || is_phrase(inner)
}

/// Several words of ours; attributes of markup have quotes or `=`.
fn is_phrase(inner: &str) -> bool {
    inner.starts_with(|letter: char| letter.is_ascii_lowercase())
        && inner.contains(' ')
        && !inner.contains(['<', '=', '"', '\'', '\n', '&'])
        && !inner.ends_with([' ', '/'])
}

/// A range and the words of a path stay as they are.
fn capitals(inner: &str) -> String {
    let said = |word: &str| {
        let is_name = word.contains(['/', '_']) || word.trim_end_matches('.').contains('.');
        if is_name { word.to_owned() } else { word.to_uppercase() }
    };
    inner.split(' ').map(said).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn placeholders_are_said_in_capitals_and_what_others_wrote_stays() {
        for (text, said) in [
            ("--scope <dir> -m \"<what will change>\"", "--scope DIR -m \"WHAT WILL CHANGE\""),
            ("--multiplier <0.5|1|3>, prep <0-100>", "--multiplier 0.5|1|3, prep 0-100"),
            ("-m \"<why src/a_b.rs is part of it>\"", "-m \"WHY src/a_b.rs IS PART OF IT\""),
            ("[KNOWLEDGE]{<topic>} [ALLOW git <words>]", "[KNOWLEDGE]{TOPIC} [ALLOW git WORDS]"),
            ("git seed reflect <edges|second-reader>", "git seed reflect EDGES|SECOND-READER"),
            ("<base>..<head>", "BASE..HEAD"),
            ("idle -> observe <<'E'\nE", "idle -> observe <<'E'\nE"),
            ("Vec<String> a < b <T> <div>", "Vec<String> a < b <T> <div>"),
            ("<a href=\"x\"> <br />", "<a href=\"x\"> <br />"),
            ("<dir", "<dir"),
            ("", ""),
        ] {
            assert_eq!(in_capitals(text), said, "{text}");
        }
    }

    #[test]
    fn a_text_is_known_again_however_a_host_gives_it_back() {
        let said = "git seed phase back <phase> -m \"<what was missed>\" & verify -> plan";
        let escaped = said.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let all = [said.to_owned(), in_capitals(said).into_owned(), escaped];
        let known = all.map(|text| given_back(&text));
        assert!(known.iter().all(|text| *text == known[0]), "{known:?}");
        assert_ne!(given_back("verify -> plan"), given_back("verify -> execute"));
    }

    /// What git seed says, as it stands in its tables, with facts in their places.
    #[test]
    fn no_placeholder_of_ours_is_left() {
        let shortwords =
            ["[ALLOW <path>] [ALLOW git <words>]", "[OK <command> <code>] [DROP] <id>"];
        let lines = include_str!("../voice.toml").lines().filter(|line| !line.starts_with('#'));
        let mut found = 0;
        for line in lines.chain(shortwords) {
            let mut filled = String::new();
            let mut rest = line;
            while let Some((before, after)) = rest.split_once('{') {
                let is_fact = |(name, _): &(&str, &str)| {
                    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                };
                let fact = after.split_once('}').filter(is_fact);
                let said = if fact.is_some() { "edges|src/a.rs here" } else { "{" };
                filled += &[before, said].concat();
                rest = fact.map_or(after, |(_, behind)| behind);
            }
            filled += rest;
            let said = in_capitals(&filled);
            found += usize::from(said != filled.as_str());
            let left: Vec<&str> =
                said.split('<').skip(1).filter(|rest| rest.contains('>')).collect();
            assert_eq!(left, Vec::<&str>::new(), "{line}");
        }
        assert!(found > 50, "{found} lines with placeholders");
    }
}
