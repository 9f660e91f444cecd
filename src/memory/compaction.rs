//! Compaction files: what one session knows of its job, for the session that comes after.
//!
//! A file is front matter and six sections under headings of their own. It grows by
//! [`File::append`] and is closed by [`File::seal`], which folds what stands there twice and
//! shrinks the list of commits; all that goes is counted in [`Sealed`]. A line of a text that
//! reads like a heading of the file is kept with a backslash before it, so that a text comes
//! back as it was given, whatever it holds. Pure.

use std::collections::BTreeSet;

use strum::VariantArray as _;

use crate::front_matter;
use crate::memory::seen;
use crate::verdict::{Case, Refusal, Wants};

/// A section of the file, in the order in which they stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::VariantArray)]
pub(crate) enum Section {
    /// What comes next, and how it will be known to be done.
    ForwardState,
    OpenThreads,
    AssumptionsAndRisks,
    ProcessInsight,
    /// Written by git seed alone.
    GitCommitMessages,
    /// What the sessions before this one came to.
    PriorSummary,
}

impl Section {
    /// As its heading says it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ForwardState => "Forward State",
            Self::OpenThreads => "Open Threads",
            Self::AssumptionsAndRisks => "Assumptions & Risks",
            Self::ProcessInsight => "Process Insight",
            Self::GitCommitMessages => "Git Commit Messages",
            Self::PriorSummary => "Prior Summary",
        }
    }

    /// As a command line says it.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::ForwardState => "forward-state",
            Self::OpenThreads => "open-threads",
            Self::AssumptionsAndRisks => "assumptions",
            Self::ProcessInsight => "process-insight",
            Self::GitCommitMessages => "git-commit-messages",
            Self::PriorSummary => "prior-summary",
        }
    }

    /// The section that is called `name`, by slug or title, whatever its case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let is = |section: &Self| {
            name.eq_ignore_ascii_case(section.slug()) || name.eq_ignore_ascii_case(section.title())
        };
        Self::VARIANTS.iter().copied().find(is)
    }

    /// The section whose heading `line` is.
    fn of_heading(line: &str) -> Option<Self> {
        let title = line.strip_prefix("## ")?.trim_end();
        Self::VARIANTS.iter().copied().find(|section| section.title() == title)
    }
}

/// What stands above the sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Front {
    /// How often it was sealed.
    pub version: u32,
    /// When it was sealed last, RFC 3339 in UTC; empty before that.
    pub last_finalized: String,
    /// The phase that it was sealed in; empty while it is open.
    pub phase_at_seal: String,
    /// The side lane was prepared, or open, when the file was written last.
    pub gmode_prepped: bool,
    /// Lines of other keys, as they are.
    pub others: Vec<String>,
}

/// A compaction file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct File {
    pub front: Front,
    /// What stands between the front matter and the first section.
    above: String,
    texts: [String; 6],
}

/// What sealing took away, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// Sections in which paragraphs or items stood more than once, with how many went.
    pub folded: Vec<(Section, usize)>,
    /// Lines of commits that became one line which counts them.
    pub commits: usize,
    /// Words of the file as it is now.
    pub words: usize,
}

/// Why a file cannot be sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unsealed {
    /// These sections say nothing.
    Empty(Vec<Section>),
    /// The file is still too long when all has been folded.
    Long { words: usize, ceiling: usize },
}

/// The stamp of a seal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp<'a> {
    /// RFC 3339 in UTC.
    pub at: &'a str,
    pub phase: &'a str,
    /// The most words that a file should have.
    pub ceiling: usize,
}

/// How far a file fills its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fill {
    Free,
    /// From 70 percent on.
    Filling,
    /// From 85 percent on: too long to be sealed.
    Long,
    /// The ceiling is reached.
    Full,
}

impl Fill {
    /// Of `words` below `ceiling`.
    pub(crate) fn of(words: usize, ceiling: usize) -> Self {
        let percent = words.saturating_mul(100);
        match () {
            () if percent >= ceiling.saturating_mul(100) => Self::Full,
            () if percent >= ceiling.saturating_mul(85) => Self::Long,
            () if percent >= ceiling.saturating_mul(70) => Self::Filling,
            () => Self::Free,
        }
    }
}

impl File {
    /// Reads a file. Whatever stands there has a place: unknown headings are text of the
    /// section above them, and a section that stands twice is read as one.
    pub(crate) fn read(text: &str) -> Self {
        let mut file = Self::default();
        let rest = match front_matter::find(text) {
            Ok(found) => {
                text[found.lines].lines().map(unbroken).for_each(|line| file.front.read_line(line));
                &text[found.end..]
            }
            Err(_) => text.strip_prefix('\u{feff}').unwrap_or(text),
        };
        let mut parts: [Vec<String>; 6] = Default::default();
        let (mut above, mut at) = (Vec::new(), None);
        for line in rest.split('\n').map(unbroken) {
            match (Section::of_heading(line), at) {
                (Some(section), _) => at = Some(section),
                (None, None) => above.push(line.to_owned()),
                (None, Some(section)) => parts[section as usize].push(bare(line).to_owned()),
            }
        }
        file.above = trimmed(&above.join("\n"));
        file.texts = parts.map(|lines| trimmed(&lines.join("\n")));
        file
    }

    /// The file's text.
    pub(crate) fn write(&self) -> String {
        let mut text = self.front.write();
        if !self.above.is_empty() {
            text = format!("{text}\n{}\n", self.above);
        }
        for section in Section::VARIANTS.iter().copied() {
            text = format!("{text}\n## {}\n", section.title());
            let said = self.text(section);
            if !said.is_empty() {
                let lines: Vec<String> = said.split('\n').map(guarded).collect();
                text = format!("{text}\n{}\n", lines.join("\n"));
            }
        }
        text
    }

    /// What `section` says.
    pub(crate) fn text(&self, section: Section) -> &str {
        &self.texts[section as usize]
    }

    /// Puts `text` in the place of all that `section` says.
    pub(crate) fn put(&mut self, section: Section, text: &str) {
        self.texts[section as usize] = trimmed(&text.replace("\r\n", "\n"));
        self.front.phase_at_seal.clear();
    }

    /// Adds `text` to the end of `section`, as a paragraph of its own. One that ends with it
    /// already stays as it is: a command whose answer was lost is given again.
    pub(crate) fn append(&mut self, section: Section, text: &str) {
        let (said, more) = (self.text(section), trimmed(&text.replace("\r\n", "\n")));
        let ends = said.strip_suffix(more.as_str()).filter(|_| !more.is_empty());
        if ends.is_some_and(|before| before.is_empty() || before.ends_with("\n\n")) {
            return;
        }
        let gap = if said.is_empty() || more.is_empty() { "" } else { "\n\n" };
        let all = format!("{said}{gap}{more}");
        self.put(section, &all);
    }

    /// Lists `commits`, oldest first; those that were folded before stay folded.
    pub(crate) fn list_commits(&mut self, commits: &[String]) {
        let folded = self.folded_commits().min(commits.len());
        self.keep_commits(&listed(commits, folded));
    }

    /// Notes what was seen of a stay that ended, and its commit. A file that was sealed stays
    /// sealed: nobody's words were added.
    pub(crate) fn record(&mut self, commit: Option<&str>, line: &str, ceiling: usize) {
        let (commits, seen) = seen::parts(self.text(Section::GitCommitMessages));
        let more = commit.map(|commit| format!("- {}", commit.trim()));
        let known = commits.lines().map(str::to_owned);
        let commits: Vec<String> = known.chain(more).collect();
        let text = seen::joined(&commits.join("\n"), &seen::with(seen, line, ceiling));
        self.texts[Section::GitCommitMessages as usize] = text;
    }

    /// What was seen of its stays.
    pub(crate) fn seen(&self) -> &str {
        seen::parts(self.text(Section::GitCommitMessages)).1
    }

    /// Puts another list of commits above what was seen.
    fn keep_commits(&mut self, commits: &str) {
        let text = seen::joined(commits, self.seen());
        self.texts[Section::GitCommitMessages as usize] = text;
    }

    fn folded_commits(&self) -> usize {
        let first = self.text(Section::GitCommitMessages).lines().next().unwrap_or_default();
        let count = first.strip_prefix("- ").and_then(|rest| rest.strip_suffix(EARLIER));
        count.and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    /// Nothing was added since it was sealed.
    pub(crate) fn is_sealed(&self) -> bool {
        self.front.version > 0 && !self.front.phase_at_seal.is_empty()
    }

    /// Words of all that is said in it.
    pub(crate) fn words(&self) -> usize {
        self.texts.iter().chain([&self.above]).map(|text| text.split_whitespace().count()).sum()
    }

    /// Closes the file: what stands twice is folded, the oldest commits become one line
    /// where the file is long, and the front matter is stamped.
    pub(crate) fn seal(&self, stamp: Stamp<'_>) -> Result<(Self, Sealed), Unsealed> {
        let (mut file, mut sealed) = (self.clone(), Sealed::default());
        let mut empty = Vec::new();
        for section in Section::VARIANTS
            .iter()
            .copied()
            .filter(|section| *section != Section::GitCommitMessages)
        {
            let (text, gone) = folded(self.text(section));
            if text.is_empty() {
                empty.push(section);
            }
            file.texts[section as usize] = text;
            if gone > 0 {
                sealed.folded.push((section, gone));
            }
        }
        if !empty.is_empty() {
            return Err(Unsealed::Empty(empty));
        }
        sealed.commits = file.shrink(stamp.ceiling);
        sealed.words = file.words();
        if Fill::of(sealed.words, stamp.ceiling) >= Fill::Long {
            return Err(Unsealed::Long { words: sealed.words, ceiling: stamp.ceiling });
        }
        file.front.version = file.front.version.saturating_add(1);
        stamp.at.clone_into(&mut file.front.last_finalized);
        stamp.phase.clone_into(&mut file.front.phase_at_seal);
        Ok((file, sealed))
    }

    /// Folds the oldest commits until 80 percent of `ceiling` are left free of excess, or
    /// none is left to fold; gives how many more were folded.
    fn shrink(&mut self, ceiling: usize) -> usize {
        const AIM: usize = 80;
        let before = self.folded_commits();
        let text = seen::parts(self.text(Section::GitCommitMessages)).0.to_owned();
        let mut lines = text.split('\n').filter(|line| !line.is_empty());
        if before > 0 {
            lines.next();
        }
        let shown: Vec<&str> = lines.collect();
        let own = text.split_whitespace().count();
        let others = self.words() - own;
        let costs: Vec<usize> = shown.iter().map(|line| line.split_whitespace().count()).collect();
        let words = |gone: usize| {
            let line = if before + gone > 0 {
                earlier(before + gone).split_whitespace().count()
            } else {
                0
            };
            others + line + costs[gone..].iter().sum::<usize>()
        };
        // One line for one line shrinks nothing.
        let gone = (0..=shown.len()).find(|gone| words(*gone) * 100 <= ceiling.saturating_mul(AIM));
        let gone = gone.unwrap_or(shown.len());
        if gone == 0 || words(gone) >= words(0) {
            return 0;
        }
        let mut left = vec![earlier(before + gone)];
        left.extend(shown[gone..].iter().map(|line| (*line).to_owned()));
        self.keep_commits(&left.join("\n"));
        gone
    }
}

impl Front {
    fn read_line(&mut self, line: &str) {
        let (key, value) =
            line.split_once(':').map_or((line, ""), |(key, value)| (key, value.trim()));
        match key {
            "version" if value.parse::<u32>().is_ok() => {
                self.version = value.parse().unwrap_or_default();
            }
            "last_finalized" => value.clone_into(&mut self.last_finalized),
            "phase_at_seal" => value.clone_into(&mut self.phase_at_seal),
            "gmode_prepped" if matches!(value, "true" | "false") => {
                self.gmode_prepped = value == "true";
            }
            _ => self.others.push(line.to_owned()),
        }
    }

    fn write(&self) -> String {
        let Self { version, last_finalized, phase_at_seal, gmode_prepped, others } = self;
        let blank =
            |value: &str| if value.is_empty() { String::new() } else { format!(" {value}") };
        let (at, phase) = (blank(last_finalized), blank(phase_at_seal));
        let mut text = format!(
            "---\nversion: {version}\nlast_finalized:{at}\nphase_at_seal:{phase}\n\
             gmode_prepped: {gmode_prepped}\n"
        );
        for line in others {
            text = format!("{text}{line}\n");
        }
        text + "---\n"
    }
}

/// What the line of the folded commits ends with.
const EARLIER: &str = " earlier commits; git seed log shows them";

fn earlier(folded: usize) -> String {
    format!("- {folded}{EARLIER}")
}

fn listed(commits: &[String], folded: usize) -> String {
    let first = (folded > 0).then(|| earlier(folded));
    let shown = commits[folded..].iter().map(|commit| format!("- {}", commit.trim()));
    first.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}

/// All of the end of a line: what is written again ends each line with a line feed alone.
fn unbroken(line: &str) -> &str {
    line.trim_end_matches('\r')
}

/// Without empty lines around it; blanks that begin a line may mean something.
fn trimmed(text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    lines[first..].join("\n")
}

/// A line as it stands in the file: one that reads like a heading of the file, with any
/// number of backslashes before it, gets one more.
fn guarded(line: &str) -> String {
    let is_heading = Section::of_heading(line.trim_start_matches('\\')).is_some();
    if is_heading { format!("\\{line}") } else { line.to_owned() }
}

/// The line that [`guarded`] was given.
fn bare(line: &str) -> &str {
    let is_heading = Section::of_heading(line.trim_start_matches('\\')).is_some();
    line.strip_prefix('\\').filter(|_| is_heading).unwrap_or(line)
}

/// `text` with each paragraph and each item of a list once, the first time; and how many went.
///
/// What leads something (a line before a list, a paragraph that ends with a colon) stands or
/// goes with it, and what stands below another heading is no repetition.
///
/// What is folded can leave a list where a paragraph led one: so until nothing stands twice.
fn folded(text: &str) -> (String, usize) {
    let (mut text, mut gone) = folded_once(text);
    let mut more = gone;
    while more > 0 {
        (text, more) = folded_once(&text);
        gone += more;
    }
    (text, gone)
}

fn folded_once(text: &str) -> (String, usize) {
    let (mut seen, mut seen_items) = (BTreeSet::new(), BTreeSet::new());
    let (mut kept, mut gone) = (Vec::new(), 0);
    for mut unit in units(text) {
        if unit.kind == UnitKind::Paragraph {
            gone += unit.fold_items();
        }
        let repeated = match unit.kind {
            UnitKind::Heading => {
                seen.clear();
                seen_items.clear();
                false
            }
            UnitKind::Item => !seen_items.insert(unit.text.trim_end().to_owned()),
            UnitKind::Paragraph => {
                seen_items.clear();
                !seen.insert(unit.text.trim_end().to_owned())
            }
        };
        if repeated {
            gone += 1;
        } else {
            kept.push(unit);
        }
    }
    if gone == 0 {
        return (trimmed(text), 0);
    }
    let mut out = String::new();
    for unit in kept {
        let gap = if out.is_empty() {
            ""
        } else if unit.apart {
            "\n\n"
        } else {
            "\n"
        };
        out = format!("{out}{gap}{}", unit.text);
    }
    (trimmed(&out), gone)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitKind {
    Heading,
    /// An item of a list that nothing leads, with what is indented below it.
    Item,
    /// Anything else, with the list or the block that it leads.
    Paragraph,
}

#[derive(Clone, Debug)]
struct Unit {
    kind: UnitKind,
    text: String,
    /// An empty line stands before it.
    apart: bool,
}

impl Unit {
    /// Items that stand twice in a list that a line leads; gives how many went.
    fn fold_items(&mut self) -> usize {
        let lines: Vec<&str> = self.text.split('\n').collect();
        if lines.iter().any(|line| fence_mark(line).is_some()) {
            return 0;
        }
        let mut pieces: Vec<Vec<&str>> = vec![Vec::new()];
        for line in lines {
            if is_item(line) {
                pieces.push(Vec::new());
            }
            pieces.last_mut().into_iter().for_each(|piece| piece.push(line));
        }
        let (mut seen, before) = (BTreeSet::new(), pieces.len());
        pieces.retain(|piece| {
            let said = piece.join("\n").trim_end().to_owned();
            !piece.first().is_some_and(|line| is_item(line)) || seen.insert(said)
        });
        let gone = before - pieces.len();
        if gone > 0 {
            pieces.concat().join("\n").trim_end().clone_into(&mut self.text);
        }
        gone
    }
}

/// The pieces of a Markdown text that are kept or folded as a whole, in order.
fn units(text: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let (mut fence, mut apart): (Option<&str>, bool) = (None, true);
    for line in text.split('\n') {
        if fence.is_none() && line.trim().is_empty() {
            apart = true;
            continue;
        }
        let inside = fence.is_some();
        fence = match (fence, fence_mark(line)) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => None,
            (open, _) => open,
        };
        let joins = inside || units.last().is_some_and(|last| belongs(last, line, apart));
        match units.last_mut().filter(|_| joins) {
            Some(last) => {
                let gap = if apart && !inside { "\n\n" } else { "\n" };
                last.text = format!("{}{gap}{line}", last.text);
            }
            None => units.push(Unit { kind: kind_of(line), text: line.to_owned(), apart }),
        }
        apart = false;
    }
    units
}

fn kind_of(line: &str) -> UnitKind {
    match line {
        _ if line.starts_with('#') => UnitKind::Heading,
        _ if is_item(line) => UnitKind::Item,
        _ => UnitKind::Paragraph,
    }
}

/// True where `line` goes on with `last`.
fn belongs(last: &Unit, line: &str, apart: bool) -> bool {
    let indented = line.starts_with([' ', '\t']);
    let leads = || last.text.lines().last().is_some_and(|line| line.trim_end().ends_with(':'));
    match last.kind {
        UnitKind::Heading => false,
        _ if indented => true,
        _ if line.starts_with('#') && !last.text.starts_with("```") => false,
        UnitKind::Item => !apart && !is_item(line),
        // A block of code leads nothing.
        UnitKind::Paragraph if last.text.lines().last().and_then(fence_mark).is_some() => false,
        // The list below a paragraph is its own, to the end.
        UnitKind::Paragraph if is_item(line) => !apart || leads() || has_list(last),
        UnitKind::Paragraph => !apart || leads(),
    }
}

fn has_list(unit: &Unit) -> bool {
    unit.text.lines().any(is_item)
}

fn is_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && digits.starts_with([')', '.']);
    let rest = if numbered {
        &digits[1..]
    } else {
        line.strip_prefix(['-', '*', '+']).unwrap_or_default()
    };
    rest.starts_with([' ', '\t'])
}

/// The run of backticks or tildes that opens or closes a block of code.
fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = |sign: char| {
        let rest = line.trim_start_matches(sign);
        let mark = &line[..line.len() - rest.len()];
        (mark.len() >= 3).then_some(mark)
    };
    mark('`').or_else(|| mark('~'))
}

impl Unsealed {
    /// The refusal of the command that was to seal `file`.
    pub(crate) fn refusal(self, file: &File) -> Refusal {
        /// The share of its ceiling that a file may fill when all has been folded.
        const SHARE: usize = 85;
        let no = |case: Case| Refusal::new("compact", Wants::Summary).case(case);
        match self {
            Self::Empty(sections) => {
                let names = |name: fn(Section) -> &'static str| {
                    sections.iter().copied().map(name).collect::<Vec<_>>().join(", ")
                };
                no(Case::Empty)
                    .with("section", names(Section::title))
                    .with("slug", names(Section::slug))
            }
            Self::Long { words, ceiling } => {
                let own = Section::VARIANTS
                    .iter()
                    .copied()
                    .filter(|one| *one != Section::GitCommitMessages);
                let longest =
                    own.max_by_key(|section| file.text(*section).split_whitespace().count());
                no(Case::Long)
                    .with("words", words.to_string())
                    .with("most", (ceiling * SHARE / 100).to_string())
                    .with("slug", longest.map_or("open-threads", Section::slug))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STAMP: Stamp<'_> = Stamp { at: "2026-11-21T20:56:12Z", phase: "execute", ceiling: 2000 };

    fn whole() -> File {
        let mut file = File::default();
        for section in
            Section::VARIANTS.iter().copied().filter(|one| *one != Section::GitCommitMessages)
        {
            file.put(section, &format!("What {} says.", section.slug()));
        }
        file
    }

    fn commits(n: usize) -> Vec<String> {
        (0..n).map(|n| format!("{n:07x} observe: looked at part {n}")).collect()
    }

    #[test]
    fn a_file_that_cannot_be_sealed_is_said_what_it_lacks_or_where_it_is_long() {
        let mut long = whole();
        long.put(Section::ForwardState, &"word ".repeat(50));
        // Lines of commits are git seed's own: nobody is told to shorten them.
        long.list_commits(&commits(60));
        let forward = Section::ForwardState;
        for (unsealed, file, facts) in [
            (
                Unsealed::Empty(vec![forward, Section::OpenThreads]),
                &whole(),
                [
                    ("case", "empty"),
                    ("section", "Forward State, Open Threads"),
                    ("slug", "forward-state, open-threads"),
                    ("most", ""),
                ],
            ),
            (
                Unsealed::Long { words: 2400, ceiling: 2000 },
                &long,
                [("case", "long"), ("words", "2400"), ("slug", forward.slug()), ("most", "1700")],
            ),
        ] {
            let no = unsealed.clone().refusal(file);
            assert_eq!((no.by, no.wants), ("compact", Wants::Summary), "{unsealed:?}");
            for (fact, said) in facts {
                assert_eq!(no.facts.get(fact).unwrap_or_default(), said, "{unsealed:?}: {fact}");
            }
        }
    }

    #[test]
    fn a_section_has_two_names() {
        for section in Section::VARIANTS.iter().copied() {
            assert_eq!(Section::named(section.slug()), Some(section));
            assert_eq!(Section::named(&section.title().to_lowercase()), Some(section));
        }
        assert_eq!(Section::named("lessons"), None);
    }

    #[test]
    fn a_file_reads_as_it_was_written() {
        let mut file = whole();
        file.list_commits(&commits(2));
        let (sealed, told) = file.seal(STAMP).expect("every section says something");
        let text = sealed.write();
        assert!(
            text.starts_with(
                "---\nversion: 1\nlast_finalized: 2026-11-21T20:56:12Z\nphase_at_seal: execute\n\
                 gmode_prepped: false\n---\n\n## Forward State\n\nWhat forward-state says.\n"
            ),
            "{text}"
        );
        assert_eq!(File::read(&text), sealed);
        assert_eq!(
            File::read(&text.replace('\n', "\r\n")),
            sealed,
            "on a disk that keeps other line ends"
        );
        assert_eq!((told.words, told.commits), (sealed.words(), 0));
        assert!(sealed.is_sealed());
        let mut open = sealed;
        open.append(Section::OpenThreads, "One more.");
        assert!(!open.is_sealed(), "what was added since is not sealed");
        assert_eq!(open.front.version, 1);
        let once = open.text(Section::OpenThreads).to_owned();
        open.append(Section::OpenThreads, "One more.\n");
        assert_eq!(open.text(Section::OpenThreads), once, "it stands there already");
        open.append(Section::OpenThreads, "more.");
        assert_eq!(open.text(Section::OpenThreads), format!("{once}\n\nmore."));
    }

    #[test]
    fn what_a_person_wrote_into_it_has_a_place() {
        let text = "---\nversion: 3\nowner: ada\nversion: many\n---\nA word above.\n\
            ## Open Threads\na\n## Mine\nb\n\n## Forward State\nc\n## Open Threads\nd\n";
        let file = File::read(text);
        assert_eq!(file.text(Section::OpenThreads), "a\n## Mine\nb\n\nd");
        assert_eq!(file.text(Section::ForwardState), "c");
        let again = file.write();
        for kept in ["owner: ada", "version: many", "A word above.", "## Mine"] {
            assert!(again.contains(kept), "{kept}: {again}");
        }
        assert_eq!(File::read(&again), file);
        assert_eq!(
            File::read("---\nno end").text(Section::ForwardState),
            "",
            "no front matter, no section"
        );
    }

    #[test]
    fn all_empty_sections_are_named_at_once() {
        let sealed = File::default().seal(STAMP);
        let Err(Unsealed::Empty(sections)) = sealed else { panic!("{sealed:?}") };
        let expected: Vec<Section> = Section::VARIANTS
            .iter()
            .copied()
            .filter(|section| *section != Section::GitCommitMessages)
            .collect();
        assert_eq!(sections, expected);
    }

    #[test]
    fn an_empty_section_refuses_by_its_name() {
        for section in Section::VARIANTS.iter().copied() {
            let mut file = whole();
            file.put(section, " \n");
            let sealed = file.seal(STAMP).map(|_| ());
            match section {
                Section::GitCommitMessages => assert_eq!(sealed, Ok(())),
                _ => assert_eq!(sealed, Err(Unsealed::Empty(vec![section]))),
            }
        }
    }

    #[test]
    fn what_folding_makes_stand_twice_is_folded_too() {
        let text = "---\n1. one\n- item\n- item\nLeads:\n- item\n\n\\## Prior Summary\n1. one\n";
        let (once, gone) = folded(text);
        assert!(gone > 0, "{once}");
        assert_eq!(folded(&once), (once.clone(), 0));
    }

    #[test]
    fn what_stands_twice_is_folded_and_what_it_leads_stays() {
        let cases = [
            ("a\n\nb\n\na", "a\n\nb", 1),
            ("- a\n- b\n- a", "- a\n- b", 1),
            ("- a\n\n- b\n\n- a\n  more", "- a\n\n- b\n\n- a\n  more", 0),
            ("1. a\n2. a", "1. a\n2. a", 0),
            ("Todo:\n- a\n\nDone:\n- a", "Todo:\n- a\n\nDone:\n- a", 0),
            ("Todo:\n- a\n- b\n- a\n\nDone:\n- a", "Todo:\n- a\n- b\n\nDone:\n- a", 1),
            ("```\n- x\n- x\n```\n- a\n- a", "```\n- x\n- x\n```\n- a", 1),
            ("Todo:\n\n- a\n\nTodo:\n\n- a", "Todo:\n\n- a", 1),
            ("### A\n\nsame\n\n### B\n\nsame", "### A\n\nsame\n\n### B\n\nsame", 0),
            ("```\na\n\na\n```\n\n```\na\n\na\n```", "```\na\n\na\n```", 1),
            (
                "Run:\n\n```\nx\n```\n\nThen:\n\n```\nx\n```",
                "Run:\n\n```\nx\n```\n\nThen:\n\n```\nx\n```",
                0,
            ),
            ("text\n# heading\n\ntext", "text\n# heading\n\ntext", 0),
        ];
        for (text, left, gone) in cases {
            assert_eq!(folded(text), (left.to_owned(), gone), "{text}");
        }
    }

    #[test]
    fn a_long_list_of_commits_is_shortened_from_its_old_end_and_says_so() {
        let mut file = whole();
        file.list_commits(&commits(40));
        let ceiling = 200;
        let (sealed, told) = file.seal(Stamp { ceiling, ..STAMP }).expect("commits give way");
        let text = sealed.text(Section::GitCommitMessages);
        assert!(told.commits > 0 && told.words <= 160, "{told:?}");
        assert!(text.starts_with(&earlier(told.commits)), "{text}");
        assert!(
            text.ends_with("looked at part 39") && !text.contains("looked at part 0\n"),
            "{text}"
        );
        // More commits come, and the folded ones stay folded.
        let mut next = sealed.clone();
        next.list_commits(&commits(41));
        assert!(next.text(Section::GitCommitMessages).starts_with(&earlier(told.commits)));
        let (_, again) = next.seal(Stamp { ceiling, ..STAMP }).expect("it is sealed again");
        assert!(again.commits <= 2, "{again:?}");
    }

    #[test]
    fn words_of_ones_own_are_never_cut() {
        let mut file = whole();
        let many = (0..1800).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        file.append(Section::OpenThreads, &many);
        file.list_commits(&commits(3));
        assert!(matches!(file.seal(STAMP), Err(Unsealed::Long { ceiling: 2000, .. })));
    }

    #[test]
    fn a_file_fills_in_four_steps() {
        for (words, fill) in [
            (0, Fill::Free),
            (1399, Fill::Free),
            (1400, Fill::Filling),
            (1700, Fill::Long),
            (2000, Fill::Full),
        ] {
            assert_eq!(Fill::of(words, 2000), fill, "{words}");
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            Just("## Forward State"),
            Just("\\## Prior Summary"),
            Just("## Prior Summary  "),
            Just("```"),
            Just("---"),
            Just("- item"),
            Just("  below"),
            Just(""),
            Just("Leads:"),
            Just("A sentence."),
            Just("1. one"),
        ];
        let lines = prop::collection::vec(line, 0..24).prop_map(|lines| lines.join("\n"));
        prop_oneof![lines, any::<String>()]
    }

    #[test]
    fn a_line_with_two_ends_is_one_line() {
        let text =
            "---\nversion: 1\nowner: a\r\r\n---\nabove\r\r\n\n## Forward State\nnext\r\r\r\n";
        let file = File::read(text);
        assert_eq!((&*file.above, file.text(Section::ForwardState)), ("above", "next"));
        assert_eq!(File::read(&file.write()), file);
    }

    proptest! {
        #[test]
        fn any_bytes_read_and_what_was_read_is_written_again(
            bytes in prop::collection::vec(any::<u8>(), 0..400), text in texts()) {
            for text in [String::from_utf8_lossy(&bytes).into_owned(), text] {
                let file = File::read(&text);
                prop_assert_eq!(File::read(&file.write()), file);
            }
        }

        #[test]
        fn a_text_comes_back_as_it_was_given(at in 0_usize..6, text in texts(),
            first in "[a-z ]{0,9}") {
            let (section, mut file) = (Section::VARIANTS[at], whole());
            file.put(section, &first);
            let (before, others) = (file.text(section).to_owned(), file.clone());
            file.append(section, &text);
            let read = File::read(&file.write());
            let given = trimmed(&text.replace("\r\n", "\n"));
            prop_assert!(read.text(section).starts_with(&before));
            // A lone CR before the end of a line is taken for a part of it.
            prop_assert!(read.text(section).replace('\r', "").ends_with(&given.replace('\r', "")));
            for other in Section::VARIANTS.iter().copied().filter(|other| *other != section) {
                prop_assert_eq!(read.text(other), others.text(other));
            }
        }

        #[test]
        fn sealing_again_changes_no_words_and_loses_no_line(text in texts(), n in 0_usize..60,
            ceiling in 60_usize..400) {
            let mut file = whole();
            file.append(Section::ProcessInsight, &text);
            file.list_commits(&commits(n));
            let stamp = Stamp { ceiling, ..STAMP };
            if let Ok((once, told)) = file.seal(stamp) {
                let (twice, again) = once.seal(stamp).expect("it was sealed before");
                prop_assert_eq!(&once.texts, &twice.texts);
                prop_assert_eq!((again.folded.len(), again.commits), (0, 0));
                prop_assert_eq!(twice.front.version, 2);
                let kept = once.text(Section::ProcessInsight);
                for line in file.text(Section::ProcessInsight).lines()
                    .filter(|line| !line.trim().is_empty()) {
                    prop_assert!(kept.lines().any(|other| other == line), "{:?} is lost", line);
                }
                let shown = once.text(Section::GitCommitMessages).lines()
                    .count() - usize::from(told.commits > 0);
                prop_assert_eq!(shown + told.commits, n);
            }
        }
    }
}
