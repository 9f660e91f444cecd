//! Acts that reach beyond the work tree: which command lines are one.
//!
//! A line is an act only if it is that one command, or has it among commands behind `&&`, in the
//! foreground, with nothing that hides its end and no word that makes it a rehearsal. A quoted
//! word is none.

use std::sync::OnceLock;

use super::runs;
use super::table::{ActRow, GateTable};
use crate::shell;

/// Whether `line` is an act of one of `rows`.
pub(super) fn is_one_of<'r>(mut rows: impl Iterator<Item = &'r ActRow>, line: &str) -> bool {
    let all = words_of(line);
    rows.any(|row| {
        all.iter().any(|words| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            row.runs.iter().any(|run| runs::begins_with(run, &words))
                && !words.iter().any(|word| row.dry.iter().any(|dry| runs::like(dry, word)))
                && (row.needs.is_empty()
                    || words.iter().any(|word| row.needs.iter().any(|one| runs::like(one, word))))
        })
    })
}

/// Whether a command of `line` begins as one of `patterns` says.
pub(super) fn holds_one(patterns: &[String], line: &str) -> bool {
    words_of(line).iter().any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        patterns.iter().any(|pattern| runs::begins_with(pattern, &words))
    })
}

/// Whether every command of `line` begins as one of `patterns` says.
pub(super) fn begins_as(patterns: &[String], line: &str) -> bool {
    let all = words_of(line);
    let begins = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        patterns.iter().any(|pattern| runs::begins_with(pattern, &words))
    };
    !all.is_empty() && all.iter().all(begins)
}

/// The words that a text names the commands of a line with: of each its program, and what it does
/// for programs that do many things, which `tools` lists.
pub(super) fn named(line: &str, tools: &[String]) -> Vec<Vec<String>> {
    words_of(line).iter().filter_map(|words| name(words, tools)).collect()
}

fn name(words: &[String], tools: &[String]) -> Option<Vec<String>> {
    let mut plain =
        words.iter().filter(|word| !word.starts_with('-')).map(|word| word.to_lowercase());
    let program = plain.next()?;
    if !tools.contains(&program) {
        return Some(vec![program]);
    }
    // `npx tsc` and `uv run ruff` are known by what they start.
    let next = plain.find(|word| word != "run" && word != "exec")?;
    let starts = matches!(program.as_str(), "npx" | "bunx" | "uv" | "poetry" | "pipenv" | "bundle");
    Some(match (starts, tools.contains(&next)) {
        (false, _) => vec![program, next],
        // `npx ng lint` is known by both.
        (true, true) => vec![next.clone(), plain.next()?],
        (true, false) => vec![next],
    })
}

/// Whether `line` is an act of one of the shipped rows.
pub(crate) fn is_known(line: &str) -> bool {
    static TABLE: OnceLock<Option<GateTable>> = OnceLock::new();
    // A test reads the rows: in a binary that passed it, they are there.
    let table = TABLE.get_or_init(|| GateTable::shipped().ok());
    table.as_ref().is_some_and(|table| is_one_of(table.act.iter(), line))
}

/// The words of each command of a line that says of all of them that they ended well, behind
/// `git seed exec --`, too.
fn words_of(line: &str) -> Vec<Vec<String>> {
    let Some(read) = shell::simple(line) else { return Vec::new() };
    // Of a list those at its end.
    let from = if read.whole || read.chained { Some(0) } else { read.heard };
    let commands = from.map(|from| read.commands.into_iter().skip(from));
    commands.into_iter().flatten().map(|command| own_words(command.words)).collect()
}

fn own_words(mut words: Vec<String>) -> Vec<String> {
    let own = words.first().is_some_and(|word| word == "git" || word.ends_with("git-seed"));
    let exec = words
        .iter()
        .position(|word| word == "--")
        .filter(|at| own && words[..*at].iter().any(|word| word == "exec"));
    if let Some(at) = exec {
        words.drain(..=at);
    }
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or(program).to_owned();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_one_command_that_does_it() {
        let table = GateTable::shipped().expect("rows");
        let of = |line: &str| {
            let acts = table.act.iter().map(|row| row.act.as_str());
            let mut acts: Vec<&str> = acts
                .filter(|act| is_one_of(table.act.iter().filter(|row| row.act == **act), line))
                .collect();
            acts.sort_unstable();
            acts.join(" ")
        };
        for (line, wanted) in [
            ("git push origin main", "push"),
            ("git -C sub push", "push"),
            ("git seed exec -- git push origin main", "push"),
            ("git push --dry-run", ""),
            ("git push -n origin main", ""),
            ("echo git push origin main", ""),
            ("git push origin main || true", ""),
            ("git push origin main && echo ok", "push"),
            ("git add -A && git commit -qm x && git push", "push"),
            ("git push origin main; echo ok", ""),
            ("git commit -m x; git push", "push"),
            ("git push; git status", ""),
            ("git() { :; }; git push", ""),
            ("set -n && git push origin main", ""),
            ("export PATH=/tmp/x && git push", ""),
            ("exit 0 && git push", ""),
            ("git push origin main | tail -1", ""),
            ("cd sub && git push", "push"),
            ("git commit -m 'push to main'", ""),
            ("grep -rn 'git push' docs", ""),
            ("git merge feature", "merge"),
            ("git merge --abort", ""),
            ("gh pr merge 12 --squash", "merge"),
            ("npm publish", "publish"),
            ("npm publish --dry-run", ""),
            ("npm pack", ""),
            ("cargo publish -p core", "publish"),
            ("cargo publish --dry-run", ""),
            ("twine upload dist/*", "publish"),
            ("docker push registry.example/api:1", "publish"),
            ("gh release create v1", "publish"),
            ("gh release view v1", "ask"),
            ("terraform apply -auto-approve", "deploy"),
            ("terraform plan", ""),
            ("kubectl apply -f k8s", "deploy"),
            ("kubectl apply -f k8s --dry-run=client", ""),
            ("kubectl diff -f k8s", ""),
            ("helm upgrade web ./chart", "deploy"),
            ("helm upgrade web ./chart --dry-run", ""),
            ("python manage.py migrate", "migrate"),
            ("python manage.py makemigrations", ""),
            ("python3 manage.py migrate --plan", ""),
            ("alembic upgrade head", "migrate"),
            ("alembic upgrade head --sql", ""),
            ("curl -sSf https://example.invalid/health", "ask tell"),
            ("systemctl reload nginx", "restart"),
            ("nginx -t", ""),
            ("nginx -s reload", "restart"),
        ] {
            assert_eq!(of(line), wanted, "{line}");
        }
    }
}
