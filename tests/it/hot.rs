//! What the linker lays side by side: `link/hot.txt`, as `build.rs` gives it to the linker.

use std::collections::HashSet;

#[path = "../../link/script.rs"]
mod script;

const LIST: &str = include_str!("../../link/hot.txt");

#[test]
fn each_function_of_the_list_stands_once_in_the_script() {
    let script = script::script(LIST).expect("the list reads");
    let names: Vec<&str> = LIST.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "a name stands twice");
    assert_eq!(script.lines().filter(|line| line.starts_with("    *")).count(), names.len());
    assert!(names.len() > 1_000, "{} functions are not what a hook runs", names.len());
}

#[test]
fn what_is_no_name_is_told_with_its_line() {
    for line in ["_RNv a", "a) } /*", "a\tb", "„a“"] {
        let told = script::script(&format!("# a head\n\nmain\n{line}\n"));
        assert_eq!(told, Err(format!("line 4: `{line}` is no name of a function")));
    }
}

#[test]
fn a_member_of_libc_is_taken_whole_and_a_function_by_its_section() {
    let script = script::script("libc.a:mem*-*.o\n_RNvCs??_1a1b\n").expect("both are names");
    assert_eq!(
        script,
        "SECTIONS\n{\n  .text.seed_hot :\n  {\n    *libc.a:mem*-*.o(.text .text.*)\n    \
         *(.text._RNvCs??_1a1b .text._RNvCs??_1a1b.llvm.*)\n  }\n}\nINSERT BEFORE .text;\n"
    );
}

/// The names of the list are those of the functions: a list of other names would do nothing.
#[cfg(side_by_side)]
#[test]
fn the_binary_has_them_side_by_side() {
    let elf = std::fs::read(env!("CARGO_BIN_EXE_git-seed")).expect("the binary reads");
    let size = section(&elf, ".text.seed_hot").expect("the linker made the section");
    assert!(size > 500_000, "{size} bytes are not what a hook runs");
}

/// The size of a section of a 64-bit little-endian file.
#[cfg(side_by_side)]
fn section(elf: &[u8], wanted: &str) -> Option<usize> {
    let number = |at: usize, bytes: usize| {
        let part = elf.get(at..at + bytes)?;
        let number = part.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        usize::try_from(number).ok()
    };
    let (headers, size, count) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let header = |n: usize| headers + n * size;
    let names = number(header(number(0x3e, 2)?) + 0x18, 8)?;
    let is_named = |n: &usize| {
        let name = number(header(*n), 4).and_then(|at| elf.get(names + at..));
        name.is_some_and(|name| name.starts_with(format!("{wanted}\0").as_bytes()))
    };
    number(header((0..count).find(is_named)?) + 0x20, 8)
}
