//! Short words: what a person may put at the head of a prompt to step in.
//!
//! Pure reading. Whether a prompt is a person's, and what a word does, is for the joint.
//! A word stands in brackets and capitals at the very beginning, with a space, a sign that parts
//! words, another bracket or the end after it; everything else is ordinary words.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::JobId;
use super::mode::Mode;

/// How large a person said that a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SaidLane {
    /// They left it to the rules, and the agent.
    #[default]
    Unsaid,
    /// `[QUICK]`: the small lane, whatever its size.
    Quick,
    /// `[FULL]`: all phases, however small.
    Full,
}

impl SaidLane {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks it by reference")]
    pub(crate) fn is_unsaid(&self) -> bool {
        *self == Self::Unsaid
    }

    /// What the words of a prompt say of it.
    pub(crate) fn of(prompt: &str) -> Self {
        match read(prompt) {
            Some((ShortWord::Quick, _)) => Self::Quick,
            Some((ShortWord::Full, _)) => Self::Full,
            _ => Self::Unsaid,
        }
    }
}

/// A word that acts before the agent reads the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShortWord {
    /// The prompt goes the small lane.
    Quick,
    /// It goes through all phases.
    Full,
    /// It goes the track of this name, one of the repository's own.
    Track(String),
    /// Opens these paths for the cycle.
    Allow(Vec<String>),
    /// Opens one call of git with exactly these words, as they are written, or of a tool that
    /// publishes.
    AllowGit(String),
    /// Several of these words, one behind the other: paths, and calls of git.
    Allows { paths: Vec<String>, lines: Vec<String> },
    /// The focused job rests.
    Pause,
    /// The job that rests here goes on, or the one that is named.
    Resume(Option<String>),
    /// The focused job is not to be finished, or the one that is named.
    Drop(Option<JobId>),
    /// Discipline is off in this worktree.
    Off,
    /// It is on again.
    On,
    /// The clone is in this mode from now on.
    Mode(Mode),
    /// The focused job is done, or the one that is named. The name is not checked here:
    /// one that is no id must not pass for the focused job.
    Approve(Option<String>),
    /// This session drives the job from now on.
    Join,
    /// A command at a terminal is this person's: its last word, and the code that it shows.
    Ok { command: String, code: String },
}

impl ShortWord {
    /// The word as it is written.
    pub(crate) fn tag(&self) -> &'static str {
        match self {
            Self::Quick => "[QUICK]",
            Self::Full => "[FULL]",
            Self::Track(_) => "[<TRACK>]",
            Self::Allow(_) | Self::Allows { .. } => "[ALLOW]",
            Self::AllowGit(_) => "[ALLOW git]",
            Self::Pause => "[PAUSE]",
            Self::Resume(_) => "[RESUME]",
            Self::Drop(_) => "[DROP]",
            Self::Off => "[OFF]",
            Self::On => "[ON]",
            Self::Mode(mode) => mode.tag(),
            Self::Approve(_) => "[APPROVE]",
            Self::Join => "[JOIN]",
            Self::Ok { .. } => "[OK]",
        }
    }

    /// What stands behind it says why, to git seed; behind the others it is what the person wants
    /// of the job.
    pub(crate) fn takes_a_reason(&self) -> bool {
        matches!(self, Self::Pause | Self::Off | Self::Drop(_) | Self::Approve(_) | Self::Ok { .. })
    }
}

impl fmt::Display for ShortWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Track(name) => f.write_str(&word_of(name)),
            other => f.write_str(other.tag()),
        }
    }
}

/// The word by which a person chooses the track of that name.
pub(crate) fn word_of(track: &str) -> String {
    format!("[{}]", track.to_ascii_uppercase())
}

/// What stands behind `word` at the head of `prompt`.
pub(crate) fn after<'p>(prompt: &'p str, word: &str) -> Option<&'p str> {
    behind(prompt.trim_start().strip_prefix(word)?)
}

/// What stands behind the bracket that closes a word, without the signs that part them; none where
/// it is glued to other letters, as in `[ON](link)` or `[OFF]-by-one`.
fn behind(after: &str) -> Option<&str> {
    let rest = after.trim_start_matches([':', ',', ';', '!', '.', '-', '–', '—', '…']);
    let signs = &after[..after.len() - rest.len()];
    let parted = rest.is_empty()
        || rest.starts_with(char::is_whitespace)
        || rest.starts_with('[') && signs.is_empty()
        || signs.ends_with([':', ',', ';', '!']);
    parted.then(|| rest.trim())
}

/// Which words on its size would do something to a job that is at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeWords {
    /// `[QUICK]` leads down to the small lane, or takes the bounds of that lane away.
    pub quick: bool,
    /// `[FULL]` leads out of the small lane, or out of the paths of a track.
    pub full: bool,
}

/// Where a person's short word would act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Discipline is off in this worktree.
    Off,
    /// No job is focused; `rests` for one that a person paused here, `waits` for one that waits
    /// here, `awaits` for one to be approved.
    NoJob { rests: bool, waits: bool, awaits: bool },
    /// Only words were said of the focused job; `awaits` where one other is to be approved.
    Talk { awaits: bool },
    /// It is at work; `ends` where a person may approve it now, and what a word on its size does.
    Work { ends: bool, size: SizeWords },
    /// It is approved, and its last cycle is open.
    Closing,
    /// No job is kept in this mode.
    Mode(Mode),
}

/// The short words that would act now, as a prompt begins with them.
pub fn acting(moment: Moment) -> Vec<&'static str> {
    let mut words = match moment {
        Moment::Off => return vec!["[ON]"],
        Moment::NoJob { rests, waits, awaits } => {
            let mut words = vec!["[QUICK]", "[FULL]"];
            words.extend(rests.then_some("[RESUME]"));
            words.extend(awaits.then_some("[APPROVE]"));
            words.extend((rests || awaits).then_some("[DROP]"));
            words.extend(waits.then_some("[DROP] <id>"));
            words.push("[ALLOW git <words>]");
            words
        }
        Moment::Talk { awaits } => {
            let lanes = ["[QUICK]", "[FULL]"];
            let others = ["[ALLOW <path>]", "[ALLOW git <words>]", "[PAUSE]", "[DROP]"];
            lanes.into_iter().chain(awaits.then_some("[APPROVE]")).chain(others).collect()
        }
        Moment::Work { ends, size } => {
            let mut words = Vec::new();
            words.extend(ends.then_some("[APPROVE]"));
            words.extend(size.quick.then_some("[QUICK]"));
            words.extend(size.full.then_some("[FULL]"));
            words.extend(["[ALLOW <path>]", "[ALLOW git <words>]", "[PAUSE]", "[DROP]"]);
            words
        }
        Moment::Closing => vec!["[ALLOW git <words>]", "[DROP]"],
        Moment::Mode(Mode::Fence) => vec!["[ALLOW <path>]", "[ALLOW git <words>]"],
        Moment::Mode(_) => Vec::new(),
    };
    if let Moment::Mode(mode) = moment {
        words.extend(mode.others());
        words.push("[OFF]");
    } else {
        // The last one begins a question, which is no job and frees its turn.
        words.extend(["[OFF]", "?"]);
    }
    words
}

/// The short word at the head of `prompt`, and the words after it.
pub(crate) fn read(prompt: &str) -> Option<(ShortWord, &str)> {
    let (word, rest) = head(prompt)?;
    let word = match word {
        "QUICK" => ShortWord::Quick,
        "FULL" => ShortWord::Full,
        "PAUSE" => ShortWord::Pause,
        "OFF" => ShortWord::Off,
        "ON" => return Some(on_of(rest)),
        "RESUME" => return Some(resume_of(rest)),
        "JOIN" => ShortWord::Join,
        "APPROVE" => return Some(approval(rest)),
        "DROP" => return Some(drop_of(rest)),
        _ => match confirmed(word).or_else(|| mode_of(word)) {
            Some(known) => known,
            None => return Some(allows(allow(allowed(word)?), rest)),
        },
    };
    Some((word, rest))
}

/// What stands in brackets at the head of `prompt`, and the words after it.
fn head(prompt: &str) -> Option<(&str, &str)> {
    let inside = prompt.trim_start().strip_prefix('[')?;
    let close = closing(inside)?;
    Some((&inside[..close], behind(&inside[close + 1..])?))
}

/// `first`, and what of its kind stands right behind it: all of them act.
fn allows(first: ShortWord, mut rest: &str) -> (ShortWord, &str) {
    let (mut paths, mut lines) = (Vec::new(), Vec::new());
    let mut next = Some(first);
    while let Some(word) = next {
        match word {
            ShortWord::Allow(more) => paths.extend(more),
            ShortWord::AllowGit(line) => lines.push(line),
            _ => {}
        }
        next = head(rest).and_then(|(word, after)| {
            let word = allow(allowed(word)?);
            rest = after;
            Some(word)
        });
    }
    let word = match (lines.len(), paths.is_empty()) {
        (0, _) => ShortWord::Allow(paths),
        (1, true) => ShortWord::AllowGit(lines.swap_remove(0)),
        _ => ShortWord::Allows { paths, lines },
    };
    (word, rest)
}

/// The words at the head of `prompt` that are nearly a short word, and the word as it is written:
/// in small letters, with blanks, or without the bracket that closes it. They are part of the
/// prompt, and whoever wrote them believes that they act.
pub(crate) fn nearly(prompt: &str) -> Option<(String, &'static str)> {
    let text = prompt.trim_start();
    let inside = text.strip_prefix('[')?;
    if read(prompt).is_some() {
        return None;
    }
    let line = inside.lines().next().unwrap_or_default();
    let closed = closing(inside);
    let within = closed.map_or(line, |close| &inside[..close]);
    let mut words = within.split_whitespace();
    let first = words.next()?;
    let (_, written) = WRITTEN.into_iter().find(|(word, _)| word.eq_ignore_ascii_case(first))?;
    // Behind a word in small letters that others write so, too, more words are a remark.
    let alone = words.next().is_none();
    let shouted = first.chars().all(|letter| letter.is_ascii_uppercase());
    let said = match closed {
        // With the letters that are glued to it: they are why it does nothing.
        Some(close) => {
            let end = text[close + 2..].find(char::is_whitespace);
            end.map_or(text, |end| &text[..close + 2 + end])
        }
        None => text.get(..=first.len())?,
    };
    let meant = if closed.is_some() {
        alone || shouted || first.eq_ignore_ascii_case("ALLOW")
    } else {
        shouted
    };
    (meant && said.len() <= MOST_NEARLY).then(|| (said.to_owned(), written))
}

/// Words with which people approve, where no word of ours does.
const APPROVING: [&str; 12] = [
    "approve",
    "approved",
    "approve it",
    "approve this",
    "approve that",
    "approve the job",
    "approve completion",
    "i approve",
    "i approve it",
    "looks good",
    "looks good to me",
    "lgtm",
];

/// Whether a prompt says nothing but that its person approves, in words that approve nothing.
pub(crate) fn only_approves(prompt: &str) -> bool {
    let parts = |c: char| !c.is_alphanumeric();
    let words: Vec<String> =
        prompt.split(parts).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    read(prompt).is_none() && APPROVING.contains(&words.join(" ").as_str())
}

/// The most bytes of what is nearly a word, which is said again.
const MOST_NEARLY: usize = 80;

/// The short words, and how each is written.
const WRITTEN: [(&str, &str); 10] = [
    ("QUICK", "[QUICK]"),
    ("FULL", "[FULL]"),
    ("PAUSE", "[PAUSE]"),
    ("RESUME", "[RESUME]"),
    ("DROP", "[DROP]"),
    ("OFF", "[OFF]"),
    ("ON", "[ON] or [ON watch], [ON fence], [ON full]"),
    ("APPROVE", "[APPROVE]"),
    ("JOIN", "[JOIN]"),
    ("ALLOW", "[ALLOW <path>] or [ALLOW git <words>]"),
];

/// Where the bracket closes that is open before `text`, on the same line. Brackets inside
/// come in pairs, as in `app/[id]`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '\n' | '\r' => return None,
            '[' => open += 1,
            ']' if open == 0 => return Some(at),
            ']' => open -= 1,
            _ => {}
        }
    }
    None
}

/// `OK`, the last word of a command's name, and a code.
fn confirmed(word: &str) -> Option<ShortWord> {
    let mut words = word.split([' ', '\t']).filter(|word| !word.is_empty());
    let (ok, command, code) = (words.next()?, words.next()?, words.next()?);
    let whole = ok == "OK" && words.next().is_none();
    whole.then(|| ShortWord::Ok { command: command.to_owned(), code: code.to_owned() })
}

/// `ON`, and the name of a mode.
fn mode_of(word: &str) -> Option<ShortWord> {
    let name = word.strip_prefix("ON")?;
    let name = name.strip_prefix([' ', '\t'])?.trim().to_ascii_lowercase();
    Mode::named(&name).map(ShortWord::Mode)
}

/// What stands after `ALLOW`.
fn allowed(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("ALLOW")?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

/// The programs that publish beside git itself; two words at least make a command.
const OF_GIT: [&str; 5] = ["git", "gh", "glab", "hub", "tea"];

/// How the name of a tool of an MCP server begins.
pub(crate) const OF_TOOLS: &str = "mcp__";

fn allow(written: &str) -> ShortWord {
    let (first, rest) = written.split_once(char::is_whitespace).unwrap_or((written, ""));
    let tool = written.starts_with(OF_TOOLS) && rest.is_empty();
    if tool || OF_GIT.contains(&first) && !rest.trim().is_empty() {
        ShortWord::AllowGit(written.to_owned())
    } else {
        ShortWord::Allow(paths(written))
    }
}

/// Paths are parted by blanks, commas and `and`; one that has a blank or a comma stands in quotes
/// or backticks.
fn paths(text: &str) -> Vec<String> {
    let parts = |letter: char| letter.is_whitespace() || letter == ',';
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(parts);
    while let Some(first) = rest.chars().next() {
        let quoted =
            matches!(first, '"' | '\'' | '`').then(|| rest[1..].split_once(first)).flatten();
        let (path, after) = match quoted {
            Some(pair) => pair,
            None => rest.split_once(parts).unwrap_or((rest, "")),
        };
        let after = after.trim_start_matches(parts);
        let joins = path == "and" && quoted.is_none() && !found.is_empty() && !after.is_empty();
        if !path.is_empty() && !joins {
            found.push(path.to_owned());
        }
        rest = after;
    }
    found
}

/// A first word that begins with a digit names a job: ids do, and a mistyped one must not
/// approve another job.
fn approval(rest: &str) -> (ShortWord, &str) {
    let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        (ShortWord::Approve(Some(first.to_owned())), after.trim())
    } else {
        (ShortWord::Approve(None), rest)
    }
}

/// As for an approval: a first word that begins with a digit names a job.
fn resume_of(rest: &str) -> (ShortWord, &str) {
    match approval(rest) {
        (ShortWord::Approve(named), rest) => (ShortWord::Resume(named), rest),
        other => other,
    }
}

/// Behind `[ON]` an id goes on with that job; whatever else stands there are words.
fn on_of(rest: &str) -> (ShortWord, &str) {
    match drop_of(rest) {
        (ShortWord::Drop(Some(id)), rest) => (ShortWord::Resume(Some(id.to_string())), rest),
        _ => (ShortWord::On, rest),
    }
}

/// The words behind it are the reason, which may well begin with a number: only a first word of
/// the shape that git seed gives its ids names a job.
fn drop_of(rest: &str) -> (ShortWord, &str) {
    let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match first.parse::<JobId>() {
        Ok(id) if id.is_stamped() => (ShortWord::Drop(Some(id)), after.trim()),
        _ => (ShortWord::Drop(None), rest),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_words_that_act_are_words_that_read() {
        let moments = [
            Moment::Off,
            Moment::NoJob { rests: true, waits: true, awaits: true },
            Moment::NoJob { rests: false, waits: false, awaits: false },
            Moment::Talk { awaits: true },
            Moment::Talk { awaits: false },
            Moment::Work { ends: true, size: SizeWords::default() },
            Moment::Work { ends: false, size: SizeWords { quick: false, full: true } },
            Moment::Work { ends: false, size: SizeWords { quick: true, full: true } },
            Moment::Closing,
            Moment::Mode(Mode::Watch),
            Moment::Mode(Mode::Fence),
        ];
        for moment in moments {
            let words = acting(moment);
            for word in &words {
                let said = word
                    .replace("<path>", "src/a.rs")
                    .replace("<words>", "push")
                    .replace("<id>", "20261121t205612-7f3a");
                let acts = read(&said).is_some() || said == "?";
                assert!(acts, "{moment:?}: {word}");
            }
            assert_eq!(words.contains(&"[ON]"), moment == Moment::Off);
        }
    }

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn some_words_only_approve() {
        for (said, expected) in [
            ("approve", true),
            ("I approve.", true),
            ("Approve completion", true),
            ("Looks good to me!", true),
            ("[APPROVE]", false),
            ("looks good, now add a test", false),
            ("approve the pull request", false),
            ("", false),
        ] {
            assert_eq!(only_approves(said), expected, "{said}");
        }
    }

    #[test]
    fn a_short_word_stands_at_the_head() {
        use ShortWord::{Allow, Approve, Drop, Join, Off, On, Pause, Quick};
        let allow = |paths: &[&str]| Allow(paths.iter().map(|&path| path.to_owned()).collect());
        let git = |line: &str| ShortWord::AllowGit(line.to_owned());
        let cases = [
            ("[QUICK] fix the typo", Some((Quick, "fix the typo"))),
            ("[FULL] fix the typo", Some((ShortWord::Full, "fix the typo"))),
            ("[FULLY] fix it", None),
            ("[ON full]", Some((ShortWord::Mode(Mode::Full), ""))),
            ("[ON  FENCE] fix it", Some((ShortWord::Mode(Mode::Fence), "fix it"))),
            ("[ON watch]\nfix it", Some((ShortWord::Mode(Mode::Watch), "fix it"))),
            ("[ON fast] fix it", None),
            ("[ONfull]", None),
            ("[ON full house]", None),
            ("  [PAUSE]", Some((Pause, ""))),
            ("[OFF] by hand for a while\nthanks", Some((Off, "by hand for a while\nthanks"))),
            ("[ON]\ngo on", Some((On, "go on"))),
            ("[JOIN]", Some((Join, ""))),
            ("[RESUME]", Some((ShortWord::Resume(None), ""))),
            ("[RESUME] with the parser", Some((ShortWord::Resume(None), "with the parser"))),
            (
                "[RESUME] 20261121t205612-7f3a go",
                Some((ShortWord::Resume(Some("20261121t205612-7f3a".to_owned())), "go")),
            ),
            (
                "[ON] 20261121t205612-7f3a",
                Some((ShortWord::Resume(Some("20261121t205612-7f3a".to_owned())), "")),
            ),
            ("[ON] 2 more tests", Some((On, "2 more tests"))),
            ("[ALLOW]", Some((allow(&[]), ""))),
            ("[ALLOW src/a.rs  b/ ] and go on", Some((allow(&["src/a.rs", "b/"]), "and go on"))),
            ("[ALLOW app/[id]/page.tsx]", Some((allow(&["app/[id]/page.tsx"]), ""))),
            ("[ALLOW \"my dir/a b.rs\" `c`]", Some((allow(&["my dir/a b.rs", "c"]), ""))),
            ("[ALLOW \"open]", Some((allow(&["\"open"]), ""))),
            ("[ALLOW git push origin HEAD] now", Some((git("git push origin HEAD"), "now"))),
            ("[ALLOW git]", Some((allow(&["git"]), ""))),
            ("[ALLOW mcp__github__push_files] go", Some((git("mcp__github__push_files"), "go"))),
            ("[ALLOW mcp__a b]", Some((allow(&["mcp__a", "b"]), ""))),
            ("[ALLOW gitlab/ci.yml a]", Some((allow(&["gitlab/ci.yml", "a"]), ""))),
            ("[ALLOW a] [ALLOW b c] go on", Some((allow(&["a", "b", "c"]), "go on"))),
            ("[ALLOW a]\n[ALLOW b]\n\ngo", Some((allow(&["a", "b"]), "go"))),
            ("[ALLOW a][ALLOW] [QUICK] go", Some((allow(&["a"]), "[QUICK] go"))),
            ("[ALLOW a] then [ALLOW b]", Some((allow(&["a"]), "then [ALLOW b]"))),
            (
                "[ALLOW git push] [ALLOW a] [ALLOW git tag v1] go",
                Some((
                    ShortWord::Allows {
                        paths: vec!["a".to_owned()],
                        lines: vec!["git push".to_owned(), "git tag v1".to_owned()],
                    },
                    "go",
                )),
            ),
            ("[DROP]", Some((Drop(None), ""))),
            ("[DROP] 2 days are enough", Some((Drop(None), "2 days are enough"))),
            (
                "[DROP] 20261121t205612-7f3a it is fixed upstream",
                Some((Drop("20261121t205612-7f3a".parse().ok()), "it is fixed upstream")),
            ),
            ("[DROPPED] it", None),
            ("[DROP]: not needed", Some((Drop(None), "not needed"))),
            ("[PAUSE], I have to go", Some((Pause, "I have to go"))),
            ("[PAUSE][QUICK] x", Some((Pause, "[QUICK] x"))),
            ("[OFF].", Some((Off, ""))),
            ("[QUICK] - fix it", Some((Quick, "- fix it"))),
            ("[QUICK] : fix it", Some((Quick, ": fix it"))),
            ("[APPROVE]!", Some((Approve(None), ""))),
            ("[OFF]-by-one in the loop", None),
            ("[ON].env", None),
            ("[ALLOW docs/, README.md] go", Some((allow(&["docs/", "README.md"]), "go"))),
            ("[ALLOW a,b and c] go", Some((allow(&["a", "b", "c"]), "go"))),
            ("[ALLOW and]", Some((allow(&["and"]), ""))),
            ("[ALLOW \"a, b.rs\", c]", Some((allow(&["a, b.rs", "c"]), ""))),
        ];
        for (prompt, read_as) in cases {
            assert_eq!(read(prompt), read_as, "{prompt:?}");
        }
    }

    #[test]
    fn a_short_word_is_read_whole_or_not_at_all() {
        use ShortWord::Approve;
        let job = |id: &str| Approve(Some(id.to_owned()));
        let ok = |command: &str, code: &str, rest| {
            Some((ShortWord::Ok { command: command.to_owned(), code: code.to_owned() }, rest))
        };
        let cases = [
            ("[APPROVE]", Some((Approve(None), ""))),
            ("[APPROVE] well done", Some((Approve(None), "well done"))),
            ("[APPROVE] 20261121t205612-7f3a", Some((job("20261121t205612-7f3a"), ""))),
            ("[APPROVE] 20261121t20 thanks", Some((job("20261121t20"), "thanks"))),
            ("[OK approve k7m2qx]", ok("approve", "k7m2qx", "")),
            ("[OK  approve  k7m2qx ] thanks", ok("approve", "k7m2qx", "thanks")),
            ("[OK]", None),
            ("[OK approve]", None),
            ("[OK job approve k7m2qx]", None),
            ("[OKAY approve k7m2qx]", None),
            ("please [OFF]", None),
            ("[off]", None),
            ("[OFFER] a hand", None),
            ("[OFF]x", None),
            ("[ON](https://example.org)", None),
            ("[OFF", None),
            ("[OFF\n]", None),
            ("[ALLOWED a]", None),
            ("[ALLOW\na]", None),
            ("[ OFF ]", None),
            ("OFF", None),
            ("<task-notification>[OFF]", None),
            ("", None),
        ];
        for (prompt, read_as) in cases {
            assert_eq!(read(prompt), read_as, "{prompt:?}");
        }
    }

    proptest! {
        #[test]
        fn any_prompt_reads_or_is_ordinary(prompt in any::<String>()) {
            if let Some((word, rest)) = read(&prompt) {
                prop_assert!(prompt.trim_start().starts_with(word.tag().trim_end_matches(']')));
                prop_assert!(prompt.contains(rest));
            }
        }

        #[test]
        fn any_words_in_brackets_read_or_are_ordinary(
            word in "(ALLOW|APPROVE|OFF|ON)[ a-z0-9./\"`\\[\\]\n]{0,20}",
            after in "[ a-z0-9\n]{0,12}",
        ) {
            let prompt = format!("[{word}]{after}");
            if let Some((ShortWord::Allow(paths), _)) = read(&prompt) {
                prop_assert!(paths.iter()
                    .all(|path| !path.is_empty() && prompt.contains(path.as_str())));
            }
        }

        #[test]
        fn a_word_behind_other_words_is_ordinary(before in "[a-z<!.]{1,8}", rest in "\\PC{0,20}") {
            let prompt = format!("{before} [OFF] {rest}");
            prop_assert_eq!(read(&prompt), None);
        }
    }

    #[test]
    fn what_is_nearly_a_word_is_named() {
        for (prompt, said) in [
            ("[quick] fix it", Some(("[quick]", "[QUICK]"))),
            ("[ OFF ]", Some(("[ OFF ]", "[OFF]"))),
            ("[off]", Some(("[off]", "[OFF]"))),
            (
                "[Allow calc.py] go on",
                Some(("[Allow calc.py]", "[ALLOW <path>] or [ALLOW git <words>]")),
            ),
            ("[ON nope] x", Some(("[ON nope]", "[ON] or [ON watch], [ON fence], [ON full]"))),
            ("[OFF", Some(("[OFF", "[OFF]"))),
            ("[QUICK fix mul", Some(("[QUICK", "[QUICK]"))),
            ("[QUICK]: fix", None),
            ("[QUICK]fix it", Some(("[QUICK]fix", "[QUICK]"))),
            ("[DROP the table] x", Some(("[DROP the table]", "[DROP]"))),
            ("[QUICK] fix it", None),
            ("[OFF]", None),
            ("[BUG] it fails", None),
            ("[on hold] it fails", None),
            ("[off by one] it fails", None),
            ("[Quick question] why", None),
            ("[]", None),
            ("[ä]", None),
            ("off", None),
            ("[on", None),
        ] {
            let found = nearly(prompt);
            assert_eq!(found.as_ref().map(|(said, word)| (&**said, *word)), said, "{prompt}");
        }
    }
}
