//! Where the two outputs of a command go: to whoever reads what its line printed, or away.

use brush_parser::ast;

/// Both outputs, where a redirection is of both.
const BOTH: ast::IoFd = -1;

/// Whether redirections, one after the other, send an output away: into a file, or nowhere.
pub(super) fn throw_away<'r>(redirects: impl Iterator<Item = &'r ast::IoRedirect>) -> bool {
    let (mut out, mut err) = (true, true);
    for (of, to) in redirects.filter_map(sent) {
        let kept = match to {
            "1" | "/dev/stdout" | "/dev/fd/1" => out,
            "2" | "/dev/stderr" | "/dev/fd/2" => err,
            _ => false,
        };
        match of {
            1 => out = kept,
            2 => err = kept,
            BOTH => (out, err) = (kept, kept),
            _ => {}
        }
    }
    !(out && err)
}

/// Which output a redirection sends elsewhere, and where to.
fn sent(redirect: &ast::IoRedirect) -> Option<(ast::IoFd, &str)> {
    use ast::IoFileRedirectKind as Kind;
    use ast::IoFileRedirectTarget as Target;
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    match redirect {
        ast::IoRedirect::OutputAndError(word, _) => Some((BOTH, file(&word.value))),
        ast::IoRedirect::File(
            of,
            Kind::Write | Kind::Append | Kind::Clobber,
            Target::Filename(word),
        ) => Some((of.unwrap_or(1), file(&word.value))),
        ast::IoRedirect::File(of, Kind::DuplicateOutput, Target::Fd(to)) => {
            let to = match to {
                1 => "1",
                2 => "2",
                _ => "",
            };
            Some((of.unwrap_or(1), to))
        }
        ast::IoRedirect::File(of, Kind::DuplicateOutput, Target::Duplicate(word)) => {
            let to = word.value.as_str();
            let both = of.is_none() && to != "-" && !number(to);
            Some((if both { BOTH } else { of.unwrap_or(1) }, if both { file(to) } else { to }))
        }
        _ => None,
    }
}

/// A file by its name: one that is called `1` is no descriptor.
fn file(name: &str) -> &str {
    if matches!(name, "1" | "2") { "" } else { name }
}

#[cfg(test)]
mod tests {
    use crate::shell::simple;

    #[test]
    fn what_a_line_throws_away_is_known() {
        for (line, thrown) in [
            ("make test", false),
            ("make test 2>&1", false),
            ("make test 1>&2", false),
            ("make test > /dev/stderr", false),
            ("make test < /dev/null", false),
            ("make test | tail -3", false),
            ("make test 2>&1 | tee log", false),
            ("make test > log; cat log", false),
            ("make test > log 2>&1; tail -20 log", false),
            ("make test 2>/dev/null", true),
            ("make test 2>&-", true),
            ("make test >/dev/null", true),
            ("make test > 1", true),
            ("make test &> /dev/null", true),
            ("make test >& /dev/null", true),
            ("make test > log 2>&1", true),
            ("make test 2>&1 >/dev/null", true),
            ("make test >> log", true),
            ("2>/dev/null make test", true),
            ("(make test) > /dev/null", true),
            ("{ make test; } 2> /dev/null", true),
            ("bash -c 'make test' > /dev/null", true),
            ("make test | cat > /dev/null", true),
            ("make test | tee log > /dev/null", true),
        ] {
            let read = simple(line).expect(line);
            assert_eq!(read.commands[0].thrown, thrown, "{line}");
        }
    }
}
