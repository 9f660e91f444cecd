//! `interactions/<nnnn>.md`: one prompt, or one question with its answer.

use crate::jobs::UnixSeconds;
use crate::jobs::routing::InteractionKind;

/// One entry of a job's standing instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interaction {
    pub kind: InteractionKind,
    pub at: UnixSeconds,
    /// `attended`, `unattended` or `unknown`: whether a person sat there.
    pub provenance: String,
    pub text: String,
}

impl Interaction {
    pub fn write(&self) -> String {
        format!(
            "---\nkind: {}\nat: {}\nprovenance: {}\n---\n{}\n",
            self.kind.word(),
            self.at,
            self.provenance,
            self.text
        )
    }

    /// Reads an entry; `None` for a file that git seed did not write.
    pub fn read(text: &str) -> Option<Self> {
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
            text: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(text in any::<String>(), at in any::<i64>()) {
            let kind = InteractionKind::Prompt;
            let interaction = Interaction { kind, at, provenance: "attended".into(), text };
            prop_assert_eq!(Interaction::read(&interaction.write()), Some(interaction));
        }

        #[test]
        fn any_file_reads_or_does_not(text in any::<String>()) {
            let _ = Interaction::read(&text);
        }
    }
}
