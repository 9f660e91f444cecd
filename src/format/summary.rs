//! `summaries/<nnnn>.md`: what was said to a job, summed up.

use crate::secrets::Masked;

/// One summary, as it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Kept {
    pub n: u32,
    /// The first and the last interaction that it covers.
    pub covers: [u32; 2],
    /// RFC 3339, UTC.
    pub at: String,
    pub text: Masked,
}

impl Kept {
    pub(crate) fn write(&self) -> String {
        let [first, last] = self.covers;
        format!("---\ncovers: {first}-{last}\nat: {}\n---\n{}\n", self.at, self.text)
    }

    /// Reads the `n`th; `None` for a file that git seed did not write.
    pub(crate) fn read(n: u32, file: &str) -> Option<Self> {
        let (head, text) = super::headed(file)?;
        let (first, last) = head.value("covers")?.split_once('-')?;
        let covers = [first.parse().ok()?, last.parse().ok()?];
        Some(Self { n, covers, at: head.value("at")?.to_owned(), text: Masked::new(text) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(text in any::<String>(), covers in any::<[u32; 2]>()) {
            let (at, text) = ("2026-11-21T20:56:12Z".to_owned(), Masked::new(&text));
            let kept = Kept { n: 3, covers, at, text };
            prop_assert_eq!(Kept::read(3, &kept.write()), Some(kept));
        }

        #[test]
        fn any_file_reads_or_does_not(text in any::<String>()) {
            let _ = Kept::read(1, &text);
        }
    }
}
