//! `interactions/<nnnn>.md`: one prompt, or one question with its answer.

use crate::jobs::UnixSeconds;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword;
use crate::secrets::Masked;

/// One entry of a job's standing instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interaction {
    pub kind: InteractionKind,
    pub at: UnixSeconds,
    /// `attended`, `unattended` or `unknown`: whether a person sat there.
    pub provenance: String,
    pub text: Masked,
}

/// What stands for the words of a prompt that are not kept.
const UNWORDED: &str = "Its words are not kept: [privacy] prompts = \"hash\".";

/// Hash and length of a prompt in place of its words. A short word at its head stays: it is
/// none of them. What stands for words already is left as it is.
pub(crate) fn unworded(text: &str) -> String {
    let whole = text.trim_end();
    let words = shortword::read(whole).map_or(whole, |(_, rest)| rest);
    if words.trim().is_empty() || is_unworded(words) {
        return text.to_owned();
    }
    let head = whole.strip_suffix(words).unwrap_or_default().trim();
    let gap = if head.is_empty() { "" } else { " " };
    let (hash, length) = (super::short_hash(text.trim().as_bytes(), 16), text.chars().count());
    format!("{head}{gap}Prompt {hash}, {length} characters.\n{UNWORDED}")
}

pub(crate) fn is_unworded(words: &str) -> bool {
    let read = || {
        let (hash, rest) = words.strip_prefix("Prompt ")?.split_once(", ")?;
        let (length, rest) = rest.split_once(" characters.\n")?;
        let digits =
            |text: &str, all: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|c| all(&c));
        let hashed = hash.len() == 16 && digits(hash, u8::is_ascii_hexdigit);
        Some(hashed && digits(length, u8::is_ascii_digit) && rest == UNWORDED)
    };
    read().unwrap_or_default()
}

impl Interaction {
    pub(crate) fn write(&self) -> String {
        format!(
            "---\nkind: {}\nat: {}\nprovenance: {}\n---\n{}\n",
            self.kind.word(),
            self.at,
            self.provenance,
            self.text
        )
    }

    /// Reads an entry; `None` for a file that git seed did not write.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (head, text) = super::headed(text)?;
        let kind = match head.value("kind")? {
            "prompt" => InteractionKind::Prompt,
            "question" => InteractionKind::Question,
            "automation" => InteractionKind::Automation,
            _ => return None,
        };
        Some(Self {
            kind,
            at: head.value("at")?.parse().ok()?,
            provenance: head.value("provenance").unwrap_or("unknown").to_owned(),
            text: Masked::new(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_give_way_to_hash_and_length() {
        let stands = |text: &str| unworded(text);
        let cases = [
            ("fix the lexer", "Prompt ", ", 13 characters.\nIts words are not kept"),
            ("[QUICK] fix the lexer", "[QUICK] Prompt ", ", 21 characters.\n"),
            ("[ALLOW a/b.rs] go on ", "[ALLOW a/b.rs] Prompt ", ", 21 characters.\n"),
            ("[PAUSE]", "[PAUSE]", ""),
        ];
        for (text, head, inside) in cases {
            let kept = stands(text);
            assert!(
                kept.starts_with(head) && kept.contains(inside) && !kept.contains("fix"),
                "{kept}"
            );
            assert_eq!(stands(&kept), kept, "it stands for words already");
        }
    }

    proptest! {
        #[test]
        fn words_are_hashed_once(text in any::<String>()) {
            let kept = unworded(&text);
            prop_assert_eq!(unworded(&kept), kept.clone());
        }

        #[test]
        fn what_is_written_is_read(text in any::<String>(), at in any::<i64>()) {
            let (kind, text) = (InteractionKind::Prompt, Masked::new(&text));
            let interaction = Interaction { kind, at, provenance: "attended".into(), text };
            prop_assert_eq!(Interaction::read(&interaction.write()), Some(interaction));
        }

        #[test]
        fn any_file_reads_or_does_not(text in any::<String>()) {
            let _ = Interaction::read(&text);
        }
    }
}
