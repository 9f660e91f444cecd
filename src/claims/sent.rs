//! What a push sent, by what git printed of it: the words of the line say what was asked for.

use serde::{Deserialize, Serialize};

use super::sure;
use super::table::GateTable;

/// What became of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sent {
    /// Every ref was as the remote has it, or was turned down.
    Nothing,
    /// Refs moved forward, came or went.
    Plain,
    /// A ref was put where the remote's history did not lead.
    Forced,
}

impl Sent {
    /// What `printed` says of the push in `line`; nothing where it says none, or where the line
    /// has no push.
    pub fn of(line: &str, printed: &str) -> Option<Self> {
        if !is_push(line) {
            return None;
        }
        let lines = || printed.lines().map(str::trim_start);
        let moved = lines().filter_map(moved).max();
        let nothing = || {
            lines().any(|line| {
                line.eq_ignore_ascii_case("everything up-to-date")
                    || line.starts_with("! [")
                    || line.starts_with("= [up to date]")
                    || line.starts_with("=\trefs/")
            })
        };
        moved.or_else(|| nothing().then_some(Self::Nothing))
    }
}

/// Whether a line has a push among its commands.
pub(crate) fn is_push(line: &str) -> bool {
    // A test reads the rows: in a binary that passed it, they are there.
    line.contains("push")
        && GateTable::shipped().is_ok_and(|table| {
            sure::may_be_act(table.act.iter().filter(|row| row.act == "push"), line)
        })
}

/// A line about one ref that moved: a sign or two commits, and `from -> to`.
fn moved(line: &str) -> Option<Sent> {
    // `--porcelain`: `*`, `+`, `-` or a blank, and `from:to` behind a tab.
    let refs = line.contains(" -> ") || line.contains("\trefs/") || line.starts_with("- [deleted]");
    let first = line.split_whitespace().next()?;
    let hex = |part: &str| part.len() >= 4 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commits = |dots: &str| first.split_once(dots).is_some_and(|(a, b)| hex(a) && hex(b));
    match first {
        _ if !refs => None,
        "+" => Some(Sent::Forced),
        "*" | "-" | "t" => Some(Sent::Plain),
        _ if commits("...") => Some(Sent::Forced),
        _ if commits("..") => Some(Sent::Plain),
        _ => first.starts_with("refs/").then_some(Sent::Plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_told_by_what_git_printed() {
        use Sent::{Forced, Nothing, Plain};
        let to = "To ../origin.git\n";
        for (line, printed, wanted) in [
            ("git push", "Everything up-to-date\n", Some(Nothing)),
            ("git push origin HEAD", "   50ed36f..206e44c  main -> main\n", Some(Plain)),
            ("git push -u origin x", " * [new branch]      x -> x\n", Some(Plain)),
            ("git push origin v1", " * [new tag]         v1 -> v1\n", Some(Plain)),
            ("git push origin :x", " - [deleted]         x\n", Some(Plain)),
            (
                "git push --force",
                " + 50ed36f...206e44c main -> main (forced update)\n",
                Some(Forced),
            ),
            // A force that had nothing to force.
            ("git push --force", "   50ed36f..206e44c  main -> main\n", Some(Plain)),
            (
                "git push",
                " ! [rejected]        main -> main (fetch first)\nerror: failed to push\n",
                Some(Nothing),
            ),
            (
                "git push --all",
                " ! [rejected]  a -> a (fetch first)\n   50ed36f..206e44c  main -> main\n",
                Some(Plain),
            ),
            (
                "git push -v",
                " = [up to date]      main -> main\nEverything up-to-date",
                Some(Nothing),
            ),
            (
                "git push --porcelain",
                "*\trefs/heads/x:refs/heads/x\t[new branch]\nDone",
                Some(Plain),
            ),
            ("git push -q", "", None),
            ("git push", "remote: hello\n", None),
            ("git add -A && git commit -qm x && git push", "Everything up-to-date", Some(Nothing)),
            ("git push 2>&1 | tail -1", "Everything up-to-date", Some(Nothing)),
            ("git fetch", "   50ed36f..206e44c  main -> origin/main", None),
            ("echo git push", "Everything up-to-date", None),
            ("git stash push", "Everything up-to-date", None),
        ] {
            assert_eq!(Sent::of(line, &format!("{to}{printed}")), wanted, "{line}: {printed}");
        }
    }
}
