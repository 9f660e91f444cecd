//! `contexts/<nnnn>.md`: why a cycle was added, kept whole and over all runs.

use crate::secrets::Masked;

/// Why a cycle was added to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub run: u32,
    /// The cycle that left work over; 0 where an older record did not say.
    pub cycle: u32,
    pub text: Masked,
}

impl Context {
    pub(crate) fn write(&self) -> String {
        format!("---\nrun: {}\ncycle: {}\n---\n{}\n", self.run, self.cycle, self.text)
    }

    /// Reads one; `None` for a file that git seed did not write.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (head, text) = super::headed(text)?;
        Some(Self {
            run: head.value("run")?.parse().ok()?,
            cycle: head.value("cycle")?.parse().ok()?,
            text: Masked::new(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(text in any::<String>(), run in any::<u32>(),
            cycle in any::<u32>()) {
            let context = Context { run, cycle, text: Masked::new(&text) };
            prop_assert_eq!(Context::read(&context.write()), Some(context));
        }

        #[test]
        fn any_file_reads_or_does_not(text in any::<String>()) {
            let _ = Context::read(&text);
        }
    }
}
