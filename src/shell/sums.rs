//! Which variables end up in arithmetic, and whether they could run something there.
//!
//! A shell evaluates a name in `$((…))`, in a subscript or beside `-eq` again and again:
//! `x='a[$(id)]'; echo $((x))` runs `id`. So a name that counts must hold a number, as
//! far as the line shows; a name that the line never sets is the environment's and is
//! trusted. The question is put once the whole line is read: loops and functions run
//! what stands further up.

use std::collections::{HashMap, HashSet};

use super::words::Term;

#[derive(Debug, Default)]
pub(super) struct Sums {
    /// Names that are evaluated, each with the piece of the line that does so.
    counted: Vec<(String, String)>,
    /// Names that the value of a name brings in.
    leads: HashMap<String, HashSet<String>>,
    /// Names whose value could run something, or is not in the line.
    loaded: HashSet<String>,
}

impl Sums {
    /// `name` is set to `value`, maybe beside other values.
    pub(crate) fn set(&mut self, name: &str, value: &Term) {
        let plain = value.with_numbers();
        let number = value.is_number();
        let open = value.composed || value.globs || plain.contains(['[', '`']);
        if !number && (open || plain.contains("$(")) {
            self.loaded.insert(name.to_owned());
        }
        let leads = self.leads.entry(name.to_owned()).or_default();
        leads.extend(names(&plain).map(str::to_owned));
        leads.extend(value.uses.iter().cloned());
    }

    /// `name` gets a value that nobody sees.
    pub(crate) fn set_unseen(&mut self, name: &str) {
        self.loaded.insert(name.to_owned());
    }

    /// `part` evaluates `name`.
    pub(crate) fn count(&mut self, name: &str, part: &str) {
        self.counted.push((name.to_owned(), part.to_owned()));
    }

    /// The pieces that could run something by evaluating a name.
    pub(crate) fn loaded_parts(&self) -> Vec<&str> {
        let loaded = |(name, _): &&(String, String)| self.reaches_loaded(name);
        let mut parts: Vec<&str> =
            self.counted.iter().filter(loaded).map(|(_, part)| part.as_str()).collect();
        parts.dedup();
        parts
    }

    fn reaches_loaded(&self, name: &str) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            // An assignment in arithmetic changes what later words of the line mean.
            let bends = super::git::taint(name, &Term::arriving(true), false).is_some();
            if name == "@" || bends || self.loaded.contains(name) {
                return true;
            }
            if seen.insert(name) {
                open.extend(self.leads.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        false
    }
}

/// The names of variables in an arithmetic text.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_')
        .filter(|word| word.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_'))
}

/// Whether the output of `command` is nothing but numbers: `… | wc -l`, `date +%s`.
pub(super) fn prints_numbers(command: &str) -> bool {
    let last = command.rsplit('|').next().unwrap_or_default();
    if last.contains(['\'', '"', '`', '$', ';', '&', '(', ')', '\n', '\\', '>']) {
        return false;
    }
    let (words, _) = last.split_once('<').unwrap_or((last, ""));
    let words: Vec<&str> = words.split_whitespace().collect();
    match words.as_slice() {
        ["wc", flags @ ..] => {
            flags.iter().all(|flag| flag.starts_with('-') && !flag.starts_with("--"))
        }
        ["date", "+%s" | "+%s%N" | "+%Y" | "+%m" | "+%d" | "+%H"]
        | ["nproc"]
        | ["grep", "-c", _] => true,
        ["seq", bounds @ ..] => {
            bounds.iter().all(|bound| bound.bytes().all(|byte| byte.is_ascii_digit()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counting_programs_print_numbers() {
        let cases = [
            ("wc -l < f", true),
            ("git ls-files 'a b' | wc -l", true),
            ("date +%s", true),
            ("seq 1 10", true),
            ("git log | grep -c x", true),
            ("wc -l f", false),
            ("cat f", false),
            ("wc -l < f; cat g", false),
            ("wc --files0-from=x", false),
            ("date +a[0]", false),
            ("grep -c x f g", false),
        ];
        for (command, numbers) in cases {
            assert_eq!(prints_numbers(command), numbers, "{command}");
        }
    }

    #[test]
    fn a_name_is_followed_to_what_it_stands_for() {
        let mut sums = Sums::default();
        sums.set("x", &Term::literal("y + 1"));
        sums.set("y", &Term::literal("a[$(id)]"));
        sums.set("n", &Term::literal("0x1f"));
        sums.count("x", "$((x))");
        sums.count("n", "$((n))");
        sums.count("outside", "$((outside))");
        assert_eq!(sums.loaded_parts(), ["$((x))"]);
    }
}
