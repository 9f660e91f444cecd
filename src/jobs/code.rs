//! Codes that a person says for a command whose terminal does not tell who types.
//!
//! Pure: what a code looks like, and what a said one means for those that wait. The randomness,
//! the waiting and the files are the joint's.

/// The signs of a code, five bits each: no letter that is easily taken for another sign.
const SIGNS: [u8; 32] = *b"0123456789abcdefghjkmnpqrstvwxyz";
/// Signs of a code.
const LENGTH: usize = 6;
/// Wrong codes that end one.
const WRONG: u32 = 3;

/// The code of these 30 bits.
pub(crate) fn code(bits: u32) -> String {
    let sign = |at: usize| char::from(SIGNS[(bits >> (5 * at)) as usize & 31]);
    (0..LENGTH).map(sign).collect()
}

/// A code as it is compared: what was typed for a sign that looks alike is that sign.
pub(crate) fn as_meant(typed: &str) -> String {
    let meant = |sign: char| match sign.to_ascii_lowercase() {
        'o' => '0',
        'i' | 'l' => '1',
        sign => sign,
    };
    typed.chars().map(meant).collect()
}

/// True where `text` holds the code, in whatever case.
pub(crate) fn stands_in(text: &[u8], code: &str) -> bool {
    text.windows(code.len()).any(|window| window.eq_ignore_ascii_case(code.as_bytes()))
}

/// A command that waits for its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting<'a> {
    /// The last word of its name.
    pub word: &'a str,
    pub code: &'a str,
    /// Wrong codes so far.
    pub wrong: u32,
    /// The agent has seen the code.
    pub burnt: bool,
}

/// What a said word means for one that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It is meant.
    Meant,
    /// It is meant, and the agent could have said it.
    Burnt,
    /// Another one is meant.
    Other,
    /// None is, and this may be said so often yet.
    Wrong { left: u32 },
}

/// What the word `[OK <word> <code>]` means for each of those that wait.
pub(crate) fn heard(word: &str, code: &str, waiting: &[Waiting<'_>]) -> Vec<Heard> {
    let code = as_meant(code);
    let is_meant = |one: &Waiting<'_>| one.word == word && one.code == code;
    let one_is_meant = waiting.iter().any(is_meant);
    let means = |one: &Waiting<'_>| match (is_meant(one), one_is_meant) {
        (true, _) if one.burnt => Heard::Burnt,
        (true, _) => Heard::Meant,
        (false, true) => Heard::Other,
        (false, false) => Heard::Wrong { left: WRONG.saturating_sub(one.wrong + 1) },
    };
    waiting.iter().map(means).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_six_signs_of_its_own() {
        assert_eq!(code(0), "000000");
        assert_eq!(code(u32::MAX >> 2), "zzzzzz");
        assert_eq!(code(1), "100000");
        let all: std::collections::BTreeSet<String> =
            (0..30).map(|bit| code(1 << bit)).chain((0..1000).map(code)).collect();
        assert_eq!(all.len(), 1000 + 30 - 10);
        assert!(all.iter().all(|code| as_meant(code) == *code && code.len() == LENGTH));
    }

    #[test]
    fn a_word_means_one_command_or_is_wrong_for_all() {
        let one = |word, code| Waiting { word, code, wrong: 0, burnt: false };
        let approve = one("approve", "k7m2qx");
        let off = one("off", "ab1d0f");
        let burnt = Waiting { burnt: true, ..approve };
        let tried = Waiting { wrong: 2, ..off };
        let wrong = |left| Heard::Wrong { left };
        for (word, code, waiting, means) in [
            ("approve", "k7m2qx", vec![approve], vec![Heard::Meant]),
            ("approve", "K7M2QX", vec![approve, off], vec![Heard::Meant, Heard::Other]),
            ("off", "ablDof", vec![approve, off], vec![Heard::Other, Heard::Meant]),
            // The code of another command, another code, and one that was seen.
            ("off", "k7m2qx", vec![approve, off], vec![wrong(2), wrong(2)]),
            ("approve", "k7m2q", vec![approve, tried], vec![wrong(2), wrong(0)]),
            ("approve", "k7m2qx", vec![burnt], vec![Heard::Burnt]),
            ("off", "k7m2qx", vec![burnt], vec![wrong(2)]),
            ("approve", "k7m2qx", vec![], vec![]),
        ] {
            assert_eq!(heard(word, code, &waiting), means, "[OK {word} {code}]");
        }
    }

    #[test]
    fn a_code_is_found_wherever_it_stands() {
        for (text, found) in [
            ("say [OK approve k7m2qx] please", true),
            ("xK7M2QXy", true),
            ("k7m2q x", false),
            ("k7m2", false),
            ("", false),
        ] {
            assert_eq!(stands_in(text.as_bytes(), "k7m2qx"), found, "{text}");
        }
    }
}
