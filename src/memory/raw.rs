//! Raw memory: session logs, compaction files and ledgers of a run, and where they lie.
//!
//! A job's own tree always holds them. Where the rule `memory.raw` is `tree`, they lie in the work
//! tree as well, and travel with the branch; where it is `ref`, they lie in the job alone, which is
//! below `refs/seed`. Pages, knowledge and plan documents are not raw.

use serde::Deserialize;

use super::condense::{POINTER, POINTER_OF_REF, points};
use super::footers::layout;

/// The directory of all jobs in a work tree.
pub(crate) const HOME: &str = ".claude/jobs/";

/// Where raw memory lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Raw {
    /// In the work tree, and committed with the cycle.
    #[default]
    Tree,
    /// In the job alone.
    Ref,
}

impl Raw {
    /// The word as rules spell it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Ref => "ref",
        }
    }

    /// The line that a condensed footer keeps, which leads to raw memory.
    pub(crate) fn pointer(self) -> &'static str {
        match self {
            Self::Tree => POINTER,
            Self::Ref => POINTER_OF_REF,
        }
    }

    /// `page` with that line in its footer, where another one leads to earlier cycles.
    pub(crate) fn led(self, page: &str, anchors: &[&str]) -> String {
        let (body, footer) = page.split_at(layout(page, anchors).body().len());
        let mut led = body.to_owned();
        for line in footer.split_inclusive('\n') {
            if points(line) {
                led.push_str(&line.replace(line.trim(), self.pointer()));
            } else {
                led.push_str(line);
            }
        }
        led
    }

    /// How a file of a run is named to whoever is to find it: its path, or what `git seed show`
    /// takes.
    pub(crate) fn named(self, job: &str, file: &str) -> String {
        match self {
            Self::Tree => format!("{HOME}{job}/{file}"),
            Self::Ref => format!("{job}/{file}"),
        }
    }
}

/// What a repository is like that session logs are to lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crowd {
    /// Files that git tracks.
    pub files: usize,
    /// People who made the newest commits.
    pub people: usize,
}

impl Crowd {
    /// So many files, or people, that raw memory is better kept out of the work tree.
    pub(crate) fn wants_ref(self) -> bool {
        self.files >= 20_000 || self.people >= 10
    }
}

/// A file of a run as somebody names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawFile {
    /// Its id, as it was written.
    pub job: String,
    /// Below the job, such as `run-1/session-log-2.md`.
    pub file: String,
}

impl RawFile {
    /// Reads `<job>/run-<n>/<name>`, also as a path of the work tree.
    pub(crate) fn read(named: &str) -> Option<Self> {
        let below = named.strip_prefix("./").unwrap_or(named);
        let (job, file) = below.strip_prefix(HOME).unwrap_or(below).split_once('/')?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let sound = !job.is_empty() && job.bytes().all(plain) && is_raw(file);
        sound.then(|| Self { job: job.to_owned(), file: file.to_owned() })
    }
}

/// Whether a file below a job's directory is raw memory.
pub(crate) fn is_raw(file: &str) -> bool {
    let Some((run, name)) = file.split_once('/') else { return false };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let of = |head: &str| {
        name.strip_prefix(head).and_then(|rest| rest.strip_suffix(".md")).is_some_and(number)
    };
    run.strip_prefix("run-").is_some_and(number)
        && (of("session-log-") || of("compaction-") || name == "sessions.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = "20261121t205612-7f3a";

    #[test]
    fn a_footer_leads_to_where_raw_memory_lies() {
        let page = |pointer: &str| {
            format!("# Root\n{POINTER}\n\n---Ob---\r\n\r\n{pointer}\r\n\n---Pl---\nkept\n")
        };
        for (raw, other) in [(Raw::Tree, Raw::Ref), (Raw::Ref, Raw::Tree)] {
            let (wanted, was) = (page(raw.pointer()), page(other.pointer()));
            assert_eq!(raw.led(&was, &["---Ob---", "---Pl---"]), wanted, "the body stays");
            assert_eq!(raw.led(&wanted, &["---Ob---", "---Pl---"]), wanted);
            assert!(points(raw.pointer()), "both count as nothing said");
        }
        assert_eq!(Raw::Ref.led("# Root\n", &["---Ob---"]), "# Root\n");
    }

    #[test]
    fn many_files_or_many_people_want_a_ref() {
        for (files, people, wants) in [
            (0, 0, false),
            (19_999, 9, false),
            (20_000, 1, true),
            (3, 10, true),
            (200_000, 40, true),
        ] {
            assert_eq!(Crowd { files, people }.wants_ref(), wants, "{files} {people}");
        }
    }

    #[test]
    fn raw_memory_is_told_from_all_else_of_a_job() {
        for (file, raw) in [
            ("run-1/session-log-1.md", true),
            ("run-12/compaction-3.md", true),
            ("run-2/sessions.jsonl", true),
            ("plan.md", false),
            ("seed.toml", false),
            ("run-1/notes.md", false),
            ("run-1/session-log-.md", false),
            ("run-1/session-log-1.md/x", false),
            ("run-x/session-log-1.md", false),
            ("run-1/compaction-1.txt", false),
            ("trace/1-plan-3.jsonl", false),
            ("run-1/../job.toml", false),
        ] {
            assert_eq!(is_raw(file), raw, "{file}");
            for named in [format!("{JOB}/{file}"), format!(".claude/jobs/{JOB}/{file}")] {
                assert_eq!(RawFile::read(&named).is_some(), raw, "{named}");
            }
        }
        let file = "run-1/compaction-1.md";
        for raw in [Raw::Tree, Raw::Ref] {
            let read = RawFile::read(&raw.named(JOB, file)).expect("it is named so");
            assert_eq!(read, RawFile { job: JOB.to_owned(), file: file.to_owned() });
        }
        assert_eq!(RawFile::read("run-1/session-log-1.md"), None);
        assert_eq!(RawFile::read(JOB), None);
    }
}
