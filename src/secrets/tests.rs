//! The cases of `fixtures/secrets`: `kind: text`, with `⟦…⟧` around the secret, `¶` for a line
//! end, and `{alnum:36}` for letters that chance made. Half of them tuned the table.

use proptest::prelude::*;

use super::*;

const TUNED: &str = include_str!("../../fixtures/secrets/tuned.txt");
const HELD: &str = include_str!("../../fixtures/secrets/held.txt");

/// The alphabets that a case names.
fn alphabet(name: &str) -> Option<&'static str> {
    Some(match name {
        "alnum" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "letters" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "hex" => "0123456789abcdef",
        "upperhex" => "0123456789ABCDEF",
        "digit" => "0123456789",
        "upperdigit" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "lower36" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "base32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "bech32" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "base64" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "base64url" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        "azure" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~.-",
        _ => return None,
    })
}

/// `text` with letters of chance in it, the same for the same seed.
fn filled(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).expect("32 bits") % below
    };
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let word = behind.split_once('}').and_then(|(word, rest)| {
            let (name, count) = word.split_once(':')?;
            Some((alphabet(name)?.as_bytes(), count.parse::<usize>().ok()?, rest))
        });
        if let Some((letters, count, behind)) = word {
            out.extend((0..count).map(|_| char::from(letters[next(letters.len())])));
            // Of 20 such letters one in thirty has no digit, and only some of those are found.
            if letters.len() >= 62 && count >= 20 {
                out.replace_range(out.len() - 12..out.len() - 11, "7");
            }
            rest = behind;
        } else {
            out.push('{');
            rest = behind;
        }
    }
    out.push_str(rest);
    out.replace('¶', "\n")
}

/// Which cases of a set are not as they say, each with what was made of it.
fn wrong(set: &str) -> (usize, Vec<String>) {
    let lines: Vec<&str> = set.lines().filter(|line| !line.is_empty()).collect();
    let cases = lines.iter().enumerate().flat_map(|(n, line)| {
        let seeds = if line.contains(':') && line.contains('{') { 8 } else { 1 };
        (0..seeds).map(move |seed| (*line, u64::try_from(n * 100 + seed + 7).expect("few")))
    });
    let mut bad = Vec::new();
    for (line, seed) in cases {
        let (kind, text) = line.split_once(": ").expect("a kind and a text");
        let text = filled(text, seed);
        let plain = text.replace(['⟦', '⟧'], "");
        let wanted = match (text.split_once('⟦'), text.rsplit_once('⟧')) {
            (Some((before, _)), Some((_, behind))) => {
                let kind = kind.replace("password url", "password");
                format!("{before}<secret: {kind}>{behind}")
            }
            _ => plain.clone(),
        };
        let masked = mask(&plain);
        // Which service a token is of may be told more exactly than the case does.
        let same = |a: &str| {
            let of = |text: &str| {
                text.split("<secret: ")
                    .map(|part| part.split_once('>').map_or(part, |(_, rest)| rest).to_owned())
                    .collect::<Vec<_>>()
            };
            of(a) == of(&wanted) && a.contains(HEAD)
        };
        if masked != wanted && !(kind == "token" && same(&masked)) {
            bad.push(format!("{kind}: {plain}\n   -> {masked}"));
        }
    }
    (lines.len(), bad)
}

#[test]
fn the_tuned_cases_are_masked_and_nothing_else() {
    let (all, bad) = wrong(TUNED);
    assert!(all > 90 && bad.is_empty(), "{} of {all}\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn the_held_cases_are_masked_and_nothing_else() {
    let (all, bad) = wrong(HELD);
    assert!(all > 90 && bad.is_empty(), "{} of {all}\n{}", bad.len(), bad.join("\n"));
}

/// `docs/privacy.md` has a row for each kind.
#[test]
fn each_kind_is_told_to_people() {
    let page = include_str!("../../docs/privacy.md");
    for kind in tokens::kinds().into_iter().chain(named::kinds()) {
        assert!(page.contains(&format!("`{kind}`")), "{kind}");
    }
}

#[test]
fn every_row_reads() {
    tokens::every_row_reads();
    named::every_row_reads();
    strength::every_row_reads();
}

#[test]
fn a_masked_line_reads_as_a_line() {
    let line = "TOKEN=<secret: github token> cargo test -- <secret: jwt>";
    assert_eq!(as_line(line), "TOKEN=secret cargo test -- secret");
    assert_eq!(as_line("cargo test"), "cargo test");
}

#[test]
fn only_added_lines_are_judged_and_named_by_number() {
    let secret = filled("ghp_{alnum:36}", 3);
    let line =
        |old: &str, new: &str| added(old, new, |_| true).map(|line| (line.number, line.kind));
    let with = format!("one\nkey {secret}\n");
    assert_eq!(line("one\n", &with), Some((2, "github token")));
    assert_eq!(line(&with, &with), None);
    assert_eq!(line(&with, &format!("zero\n{with}")), None, "it stood there before");
    assert_eq!(line("", "nothing\n"), None);
    let key = |edge: &str| format!("-----{edge} PRIVATE KEY-----\n");
    let body = filled("{alnum:32}\n", 5);
    let block = format!("a\n{}{body}{}", key("BEGIN"), key("END"));
    assert_eq!(line("a\n", &block), Some((2, "private key")));
}

proptest! {
    #[test]
    fn what_is_masked_stays_as_it_is(text in any::<String>()) {
        let once = mask(&text).into_owned();
        prop_assert_eq!(mask(&once), once.as_str());
    }

    #[test]
    fn words_about_secrets_are_masked_once(
        parts in prop::collection::vec(prop_oneof![
            Just("password"), Just("token"), Just("="), Just(": "), Just(" is "), Just("\""),
            Just("-----BEGIN PRIVATE KEY-----"), Just("-----END PRIVATE KEY-----"), Just("\n"),
            Just("\\n"), Just("ghp_"), Just("aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"), Just("://u:"),
            Just("@h"), Just("mysql -p"), Just("kk91aB3x"), Just("Authorization: Bearer "),
            Just("eyJ"), Just("."), Just("ä"), Just("'"), Just("\\"), Just("<"), Just(":AA"),
            Just("Q~"),
        ], 0..14)
    ) {
        let text = parts.concat();
        let once = mask(&text).into_owned();
        prop_assert_eq!(mask(&once), once.as_str(), "{}", text);
        let _ = added(&once, &text, |_| true);
    }
}
