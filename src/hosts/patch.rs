//! The text of an `apply_patch` call to the files it changes.
//!
//! Never refuses: a part that cannot be followed keeps its path, so that no path goes
//! missing from judgement. Paths stay as written; `read` joins them to a directory.

use std::iter::Peekable;
use std::str::Lines;

use crate::event::{Change, Hunk};

/// A line that opens the part of a patch about one file.
enum Section<'t> {
    Add(&'t str),
    Delete(&'t str),
    Update(&'t str),
}

impl<'t> Section<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let line = line.trim();
        let after = |marker| line.strip_prefix(marker).map(str::trim);
        after("*** Add File:")
            .map(Self::Add)
            .or_else(|| after("*** Delete File:").map(Self::Delete))
            .or_else(|| after("*** Update File:").map(Self::Update))
    }
}

/// The files of an `apply_patch` text, in order, with their paths as written.
///
/// Lenient where the tool is: markers may be indented, text around the patch is skipped.
/// A part that cannot be followed keeps its path and becomes [`Change::Opaque`]: a path
/// must never go missing. A moved file is deleted here and opaque there, since its new
/// text depends on a file at another path.
pub(super) fn patched_files(whole: &str) -> Vec<(&str, Change)> {
    let mut lines = whole.lines().peekable();
    let mut files = Vec::new();
    while let Some(line) = lines.next() {
        match Section::of(line) {
            Some(Section::Add(path)) => files.push((path, Change::Whole(added_lines(&mut lines)))),
            Some(Section::Delete(path)) => files.push((path, Change::Delete)),
            Some(Section::Update(path)) => {
                let moved = lines.next_if(|line| line.trim().starts_with(MOVE)).map(str::trim);
                let change = hunks(&mut lines).map_or(Change::Opaque, Change::Hunks);
                match moved.and_then(|line| line.strip_prefix(MOVE)) {
                    Some(to) => files.extend([(path, Change::Delete), (to.trim(), Change::Opaque)]),
                    None => files.push((path, change)),
                }
            }
            None => {}
        }
    }
    files
}

const MOVE: &str = "*** Move to:";

fn added_lines(lines: &mut Peekable<Lines<'_>>) -> String {
    let mut text = String::new();
    while let Some(line) = lines.next_if(|line| line.starts_with('+')) {
        text.push_str(&line[1..]);
        text.push('\n');
    }
    text
}

/// The hunks up to the next marker; `None` if a line among them is neither context nor change.
fn hunks(lines: &mut Peekable<Lines<'_>>) -> Option<Vec<Hunk>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut sound = true;
    while let Some(line) = lines.next_if(|line| !ends_hunks(line)) {
        if let Some(at) = line.strip_prefix("@@") {
            hunks.push(Hunk { at: at.trim().to_owned(), old: Vec::new(), new: Vec::new() });
        } else if !line.starts_with("*** End of File") {
            sound &= add_line(&mut hunks, line);
        }
    }
    hunks.retain(|hunk| !(hunk.old.is_empty() && hunk.new.is_empty()));
    sound.then_some(hunks)
}

fn ends_hunks(line: &str) -> bool {
    let marker = line.starts_with("***") && !line.starts_with("*** End of File");
    marker || (!line.starts_with([' ', '+', '-']) && Section::of(line).is_some())
}

/// Adds a line to the last hunk, opening the first; false if it is no line of a hunk.
fn add_line(hunks: &mut Vec<Hunk>, line: &str) -> bool {
    let (old, new, text) = match line.split_at_checked(1) {
        None => (true, true, line),
        Some((" ", text)) => (true, true, text),
        Some(("-", text)) => (true, false, text),
        Some(("+", text)) => (false, true, text),
        Some(_) => return false,
    };
    if hunks.is_empty() {
        hunks.push(Hunk { at: String::new(), old: Vec::new(), new: Vec::new() });
    }
    if let Some(hunk) = hunks.last_mut() {
        hunk.old.extend(old.then(|| text.to_owned()));
        hunk.new.extend(new.then(|| text.to_owned()));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hunk_keeps_its_context_on_both_sides() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let files = patched_files("*** Update File: a\n@@ fn f\n a\n-b\n+c\n d");
        let hunk = Hunk { at: "fn f".to_owned(), old: lines("a b d"), new: lines("a c d") };
        assert_eq!(files, [("a", Change::Hunks(vec![hunk]))]);
    }

    proptest! {
        #[test]
        fn any_patch_gets_an_answer(patch in "(\\*\\*\\* (Add File: |Update File: |Delete File: \
            |Move to: |End Patch)?|@@ ?|[-+ ]?[a-zé]{0,3}|\r?\n){0,24}") {
            let marked = patch.lines().any(|line| line.starts_with("*** Delete File:"));
            let files = patched_files(&patch);
            prop_assert!(!marked || !files.is_empty());
        }
    }
}
