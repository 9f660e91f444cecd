//! The linker script that puts what `hot.txt` lists side by side: `README.md` says why.

use std::fmt::Write as _;

/// What a member of the C library is named by in the list.
const MEMBER: &str = "libc.a:";

/// A script for GNU ld and for lld. Each line of `list` is the name of a function, `?` for one
/// character and `*` for any of them, or `libc.a:` and a member of the C library. Empty lines and those
/// that begin with `#` say nothing.
pub fn script(list: &str) -> Result<String, String> {
    let mut out = String::from("SECTIONS\n{\n  .text.seed_hot :\n  {\n");
    for (n, line) in list.lines().enumerate().filter(|(_, line)| !silent(line)) {
        let known = |c: char| c.is_ascii_alphanumeric() || "_.$?*:-".contains(c);
        if !line.chars().all(known) {
            return Err(format!("line {}: `{line}` is no name of a function", n + 1));
        }
        let _ = match line.strip_prefix(MEMBER) {
            Some(_) => writeln!(out, "    *{line}(.text .text.*)"),
            // What LLVM had to rename in one unit has its number behind a dot.
            None => writeln!(out, "    *(.text.{line} .text.{line}.llvm.*)"),
        };
    }
    out.push_str("  }\n}\nINSERT BEFORE .text;\n");
    Ok(out)
}

fn silent(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}
