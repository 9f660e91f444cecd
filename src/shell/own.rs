//! Which words name what the agent must leave alone: git seed's state, git's hooks,
//! the settings that make a host call us, and the places that are no files at all.
//!
//! Judges spelling only; what links and directories make of a path is for the joint.
//! A word with whitespace is prose, not a path.

use super::words::Term;

/// How far a word reaches into what is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Nothing of it.
    Outside,
    /// A host's hook settings: reading them is fine.
    Settings,
    /// Git's hooks: reading them is fine, too.
    Hooks,
    /// The git directory as a whole, or a file in it that is git's.
    GitDir,
    /// State of git seed.
    State,
}

/// Whether a word of that reach matters to a program.
pub(super) fn touches(reach: Reach, changes: bool, descends: bool) -> bool {
    match reach {
        Reach::Outside => false,
        Reach::Settings | Reach::Hooks => changes,
        Reach::GitDir => changes || descends,
        Reach::State => true,
    }
}

/// Whether code that is handed a word of that reach may do as it likes with what is ours.
pub(super) fn is_ours(reach: Reach) -> bool {
    matches!(reach, Reach::State | Reach::Hooks)
}

/// How far `term` reaches; with `revisions`, `seed/x` is a ref too, as git reads it.
pub(super) fn reach(term: &Term, revisions: bool) -> Reach {
    if term.text.contains(char::is_whitespace) && !term.expands {
        return Reach::Outside;
    }
    let written = spelled(&term.text, term.expands, revisions);
    if !term.expands {
        return written;
    }
    // What expands there may be any name, and what the line gives its variables is known.
    let open = spelled(&term.with_holes(HOLE), false, revisions);
    let told = if term.told.is_empty() { open } else { spelled(&term.told, true, revisions) };
    // What a variable was given before counts as well: an assignment may not have run.
    let values = term.values.iter().map(|value| spelled(value, false, revisions)).max();
    let known = values.unwrap_or(Reach::Outside);
    written.max(open).max(told).max(known).max(printed(&term.text))
}

fn spelled(text: &str, expands: bool, revisions: bool) -> Reach {
    let text = braces_as_globs(&text.to_ascii_lowercase());
    if names_ref(&text, revisions) || (revisions && is_state_file(&text)) {
        return Reach::State;
    }
    let tail = if expands { behind_git_dir(&text) } else { None };
    let values = text.split(['=', ':', '@', ',']).map(path_reach);
    values.chain(tail).max().unwrap_or(Reach::Outside)
}

/// `$(echo .git/seed/x)`: a word of a command whose output is a word here.
fn printed(text: &str) -> Reach {
    if !text.contains("$(") && !text.contains('`') {
        return Reach::Outside;
    }
    let words = text.split(|char: char| char.is_whitespace() || "()`'\"".contains(char));
    let state = words
        .into_iter()
        .map(str::to_ascii_lowercase)
        .any(|word| path_reach(&word) == Reach::State || names_ref(&word, false));
    if state { Reach::State } else { Reach::Outside }
}

/// Whether `cd` to there is a way into the git directory: from within, no later word of the
/// line shows whose file it names.
pub(super) fn leads_in(term: &Term) -> bool {
    let mentions = |text: &str| {
        text.split(|char: char| !(char.is_ascii_alphanumeric() || "._-".contains(char)))
            .any(|part| part == ".git")
    };
    reach(term, false) >= Reach::Hooks
        || (term.expands && (mentions(&term.text) || mentions(&term.told)))
}

/// Whether code in another language mentions our state; prose cannot be told from paths.
pub(super) fn code_mentions(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    let signs = [
        ".git/seed",
        ".git/hooks",
        "refs/seed",
        "refs/notes/seed",
        "refs/worktree/seed",
        "git-seed",
        "git seed",
    ];
    signs.iter().any(|sign| code.contains(sign))
}

/// Whether writing to `path` leaves nothing behind.
pub(super) fn is_sink(path: &str) -> bool {
    let sinks = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"];
    let descriptor = path
        .strip_prefix("/dev/fd/")
        .is_some_and(|fd| fd.bytes().all(|byte| byte.is_ascii_digit()));
    descriptor || sinks.contains(&path)
}

/// Whether one of the words in `text`, which a program takes for names, is ours.
pub(super) fn lists_state(text: &str, revisions: bool) -> bool {
    let words = text.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    words.into_iter().any(|word| reach(&Term::literal(word), revisions) == Reach::State)
}

/// What stands for an expansion in a path: it may be any text.
const HOLE: char = '\u{1}';

fn names_ref(text: &str, revisions: bool) -> bool {
    let ours = ["refs/seed", "refs/notes/seed", "refs/worktree/seed"];
    let bare = ["seed/", "notes/seed", "worktree/seed"];
    text.split(['=', ':', '+', '^', ',', '~', '@']).flat_map(|part| part.split("..")).any(|part| {
        let part = of_this_worktree(part);
        ours.iter()
            .any(|name| within(part, name) || (part.starts_with("refs/") && covers(part, name)))
            || (revisions && bare.iter().any(|name| part.starts_with(name)))
    })
}

/// `main-worktree/refs/x` and `worktrees/a/refs/x` are refs of one work tree, seen from another.
fn of_this_worktree(name: &str) -> &str {
    let other = || name.strip_prefix("worktrees/")?.split_once('/').map(|(_, rest)| rest);
    name.strip_prefix("main-worktree/").or_else(other).unwrap_or(name)
}

/// `:/text` is the youngest commit whose message says so, of any ref there is.
pub(super) fn searches_every_ref(term: &Term) -> bool {
    term.text.strip_prefix(":/").is_some_and(|rest| !rest.is_empty())
}

/// `0123abc:job.toml`: a file of a job's tree, by the id of a commit or of something not shown.
fn is_state_file(text: &str) -> bool {
    let Some((revision, path)) = text.split_once(':') else { return false };
    let revision = revision.split(['^', '~', '@']).next().unwrap_or_default();
    let id = revision.len() >= 4 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !id && !revision.contains(['$', '`', HOLE]) {
        return false;
    }
    let parts = components(path);
    let last = parts.last().copied().unwrap_or_default();
    let folder = |name: &&str| {
        matches!(*name, "interactions" | "summaries" | "trace" | "evidence" | "journal")
    };
    let kind = [".md", ".jsonl", ".toml"].iter().any(|end| last.ends_with(end));
    matches!(last, "job.toml" | "meta.toml") || (kind && parts.iter().any(folder))
}

/// `part` is `name` or lies below it.
fn within(part: &str, name: &str) -> bool {
    part.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '*', '.']))
}

/// The pattern `part` matches `name` or something below it.
fn covers(part: &str, name: &str) -> bool {
    part.contains(['*', '?', '[', HOLE])
        && (matches(part, name) || matches(part, &format!("{name}/x")))
}

fn path_reach(path: &str) -> Reach {
    let parts = components(path);
    let mut reach = Reach::Outside;
    for (at, part) in parts.iter().enumerate() {
        let rest = &parts[at + 1..];
        if part.trim_start_matches(HOLE).starts_with('.') && matches(part, ".git") {
            reach = reach.max(inside_git_dir(rest));
        }
        if is_settings(part, rest) {
            reach = reach.max(Reach::Settings);
        }
    }
    reach
}

fn inside_git_dir(rest: &[&str]) -> Reach {
    let state: &[&[&str]] = &[
        &["seed"],
        &["refs", "seed"],
        &["refs", "notes", "seed"],
        &["refs", "worktree", "seed"],
        &["logs", "refs", "seed"],
        &["worktrees", "*", "seed"],
        &["worktrees", "*", "refs", "worktree", "seed"],
    ];
    let fits = |names: &&[&str]| {
        rest.len() >= names.len()
            && names.iter().zip(rest).all(|(name, part)| *name == "*" || matches(part, name))
    };
    match rest.first() {
        _ if state.iter().any(fits) => Reach::State,
        Some(&"hooks") => Reach::Hooks,
        _ => Reach::GitDir,
    }
}

/// Files by which hosts call our hooks.
fn is_settings(part: &str, rest: &[&str]) -> bool {
    let file = |at: usize| rest.get(at).copied().unwrap_or("");
    match part {
        ".claude" => {
            matches!(file(0), "settings.json" | "settings.local.json") || file(0).contains('*')
        }
        ".codex" => matches!(file(0), "hooks.json" | "config.toml"),
        ".cursor" => file(0) == "hooks.json",
        ".gemini" => file(0) == "settings.json",
        ".github" => file(0) == "hooks",
        ".opencode" => matches!(file(0), "plugins" | "plugin"),
        _ => false,
    }
}

/// `$(git rev-parse --git-dir)/seed`, `$GIT_DIR/hooks`: the directory is not in the text.
fn behind_git_dir(text: &str) -> Option<Reach> {
    let signs = ASKS.iter().chain(&["git_dir", "gitdir"]);
    let behind =
        signs.flat_map(|sign| text.match_indices(sign).map(|(at, _)| &text[at + sign.len()..]));
    behind
        .map(|tail| {
            let tail = tail.trim_start_matches([')', '"', '}', '`', '\'', ' ']);
            let end = tail.find(|char: char| char.is_whitespace() || "\"')`".contains(char));
            let tail = tail[..end.unwrap_or(tail.len())].trim_start_matches('/');
            let part =
                |part: &str| if part.contains('$') { "*".to_owned() } else { part.to_owned() };
            let parts: Vec<String> = tail.split('/').map(part).collect();
            // The git directory of a submodule or a work tree lies in another one.
            let down: Vec<&str> =
                parts.iter().map(String::as_str).skip_while(|part| *part == "..").collect();
            let up = path_reach(&format!(".git/{}", down.join("/")));
            path_reach(&format!(".git/{}", parts.join("/"))).max(up)
        })
        .max()
}

/// Words by which a line asks git for its directory.
const ASKS: [&str; 4] = ["--git-dir", "--git-common-dir", "--absolute-git-dir", "--git-path"];

/// Programs that take what others print as names, or keep it for later on the line.
const HANDS_ON: [&str; 7] = ["xargs", "gxargs", "parallel", "read", "mapfile", "readarray", "tee"];

/// Whether a line has git print its directory and hands that on: no word of it spells the path
/// then, and a word behind it says what below the directory is meant
/// (`git rev-parse --git-dir | xargs -I{} cat {}/seed/…`).
pub(super) fn hands_on_state(line: &str) -> bool {
    if !line.contains("git-dir") && !line.contains("git-common-dir") && !line.contains("git-path") {
        return false;
    }
    let ends = |char: char| char.is_whitespace() || "\"'`,;()|&<>{}$".contains(char);
    let line = braces_as_globs(&line.to_ascii_lowercase());
    let hands = line.contains('>') || line.split(ends).any(|word| HANDS_ON.contains(&word));
    let behind = ASKS.iter().filter_map(|sign| line.split_once(sign)).map(|(_, tail)| tail);
    let below = behind.flat_map(|tail| tail.split(ends)).filter_map(|word| word.split_once('/'));
    hands
        && below.map(|(_, below)| path_reach(&format!(".git/{below}"))).max() == Some(Reach::State)
}

fn components(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts
}

/// `{a,b}` as `*`, so that a list of alternatives matches like a glob.
fn braces_as_globs(text: &str) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for char in text.chars() {
        match char {
            '{' => {
                depth += 1;
                plain.push('*');
            }
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(char),
            _ => {}
        }
    }
    plain
}

/// Whether the glob `pattern` could match `name`; a `[…]` counts as any character.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut chars = pattern.chars();
    match (chars.next(), name.chars().next()) {
        (None, None) => true,
        (Some('*' | HOLE), Some(next)) => {
            matches(chars.as_str().trim_start_matches(['*', HOLE]), name)
                || matches(pattern, &name[next.len_utf8()..])
        }
        (Some('*' | HOLE), None) => matches(chars.as_str().trim_start_matches(['*', HOLE]), name),
        (Some('?'), Some(next)) => matches(chars.as_str(), &name[next.len_utf8()..]),
        (Some('['), Some(next)) => {
            let rest = chars.as_str();
            let after = rest.find(']').map_or("", |close| &rest[close + 1..]);
            matches(after, &name[next.len_utf8()..])
        }
        (Some(char), Some(next)) if char == next => {
            matches(chars.as_str(), &name[next.len_utf8()..])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_our_state_are_known_in_any_spelling() {
        let cases = [
            (".git/seed", Reach::State),
            ("./.git/seed/x", Reach::State),
            ("/home/me/repo/.git/seed", Reach::State),
            (".git//seed", Reach::State),
            (".git/x/../seed", Reach::State),
            (".GIT/Seed", Reach::State),
            (".git/se*d", Reach::State),
            (".gi[t]/seed", Reach::State),
            (".git/{seed,x}/y", Reach::State),
            ("of=.git/seed/x", Reach::State),
            ("refs/seed/jobs/a", Reach::State),
            ("+refs/*:refs/*", Reach::State),
            ("HEAD..refs/seed/x", Reach::State),
            ("refs/notes/seed", Reach::State),
            (".git/hooks/pre-commit", Reach::Hooks),
            (".git", Reach::GitDir),
            (".git/config", Reach::GitDir),
            (".claude/settings.json", Reach::Settings),
            ("src/seed.rs", Reach::Outside),
            ("refs/seedling", Reach::Outside),
            ("refs/heads/*", Reach::Outside),
            ("*/*", Reach::Outside),
            ("about .git/seed and refs/seed", Reach::Outside),
            (".gitignore", Reach::Outside),
            (".github/workflows/seed.yml", Reach::Outside),
        ];
        for (word, expected) in cases {
            let mut term = Term::literal(word);
            term.globs = word.contains('*');
            assert_eq!(reach(&term, false), expected, "{word}");
        }
        assert_eq!(reach(&Term::literal("seed/jobs/a"), true), Reach::State);
    }
}
