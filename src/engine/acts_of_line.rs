//! The acts in a shell line, as phases know them: the class of each of its pieces, and which of
//! them is shown. Pure, but for the question whether the kernel can confine.

use crate::phases::guard::{Call, FileChange};
use crate::phases::place::Place;
use crate::phases::{Class, Phase};
use crate::shell::{self, Effect, Tag};

/// What a line sets for a program is spoken of only where the program itself is open; where it
/// stands before a run of tests, the line is shown as a whole.
pub(crate) fn programs_first(
    command: &str,
    reading: &shell::Reading,
    classes: Vec<(Class, String)>,
) -> Vec<(Class, String)> {
    // What a pipe ends in shows a part of what git seed says.
    let is_seed = |(class, _): &(Class, String)| *class == Class::Seed;
    if classes.iter().any(is_seed) && shell::seed_line(command).is_some() {
        return classes.into_iter().filter(is_seed).collect();
    }
    let sets = |(shown, found): &((Class, String), &shell::Found)| {
        found.tag == Some(Tag::Taint) && shown.1 == found.part
    };
    let (set, programs): (Vec<_>, Vec<_>) = classes.into_iter().zip(&reading.found).partition(sets);
    programs.into_iter().chain(set).map(|(shown, _)| shown).collect()
}

/// The class of a part of a line: as an act of git's, or as what stands before a run of tests,
/// where it is one.
pub(crate) fn class_in(
    phase: &Phase,
    found: &shell::Found,
    of_git: bool,
    stands_before: bool,
) -> Class {
    match class_of(found) {
        _ if of_git => Class::ShellGit,
        _ if stands_before => Class::ShellCode,
        // Where lines may change the world outside, they may look at it.
        Class::Web if !phase.opens(Class::Web) && phase.opens(Class::ShellNetwork) => {
            Class::ShellNetwork
        }
        class => class,
    }
}

/// Of each kind that guards ask for, the first piece of the line that shows it.
pub(crate) fn show(found: &shell::Found, out: &mut Call<'_>) {
    if found.persons && out.persons.is_none() {
        out.persons = Some(found.part.clone());
        out.no_command = found.no_command;
    }
    if found.seed && !found.looks && out.moves.is_none() {
        out.moves = Some(found.part.clone());
    }
    if found.own_state && out.own_state.is_none() {
        out.own_state = Some(found.part.clone());
    }
}

/// Scratch is nobody's, for the shell as for the tools that edit.
pub(crate) fn is_scratch(found: &shell::Found, written: &[FileChange]) -> bool {
    let scratch = |change: &FileChange| change.place == Place::Scratch;
    found.writes_plain_files() && !written.is_empty() && written.iter().all(scratch)
}

/// The first piece of a line that shows an act of this class.
pub(crate) fn shown(classes: &[(Class, String)], class: Class) -> Option<&(Class, String)> {
    classes.iter().find(|(of, _)| *of == class)
}

/// Whether these acts would all be open if the kernel confined them, and are not now.
pub(crate) fn is_confinable(
    phase: &Phase,
    classes: &[(Class, String)],
    tests: &dyn Fn() -> bool,
) -> bool {
    let mut closed =
        classes.iter().map(|(class, _)| *class).filter(|class| !phase.opens(*class)).peekable();
    let reproduced = |class| class == Class::ShellCode && phase.reproduces && tests();
    closed.peek().is_some()
        && closed.all(|class| phase.confined.contains(&class) || reproduced(class))
        && crate::confine::check().is_ok()
}

pub(crate) fn class_of(found: &shell::Found) -> Class {
    match found.effect {
        _ if found.seed && !found.persons => Class::Seed,
        Effect::Read => Class::ShellRead,
        Effect::RunsCode => Class::ShellCode,
        Effect::Write => Class::ShellWrite,
        Effect::GitWrite => Class::ShellGit,
        // Looking something up is open wherever the web is.
        Effect::Network if found.tag == Some(Tag::Lookup) => Class::Web,
        Effect::Network => Class::ShellNetwork,
        Effect::Outward => Class::ShellOutward,
        Effect::Unknown => Class::ShellUnknown,
    }
}
