//! Filters of git between the work tree and what is stored, as the fence uses them.
//!
//! What the fence stores has gone through the filter that git would use for it now, or it is not
//! stored at all: a filter may encrypt, and what it hides must be no object. So a filter runs as it
//! was when the cycle began where it still is that one; where it came or changed since, or does not
//! work, the file is known by its path alone. To tell whether a file changed, which stores nothing,
//! it is read unfiltered there.

use std::collections::{BTreeMap, BTreeSet};

use super::RepoPath;

/// What a filter is made of; of two programs git runs the second one.
pub(super) const KEYS: [&str; 3] = ["clean", "process", "required"];

/// The programs of one filter; empty where it has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Driver {
    clean: String,
    process: String,
}

impl Driver {
    fn acts(&self) -> bool {
        !(self.clean.is_empty() && self.process.is_empty())
    }

    /// The program that git runs.
    fn runs(&self) -> &str {
        if self.process.is_empty() { &self.clean } else { &self.process }
    }

    fn take(&mut self, key: &str, value: &str) {
        match key {
            "clean" => value.clone_into(&mut self.clean),
            "process" => value.clone_into(&mut self.process),
            _ => {}
        }
    }
}

/// The filters of a lens, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Filters {
    /// Those that do something by the configuration of now.
    pub(super) now: BTreeSet<String>,
    /// Those that the lens runs.
    pub(super) run: BTreeSet<String>,
    /// Those that it runs as git would now.
    pub(super) same: BTreeSet<String>,
}

impl Filters {
    /// The filters that `pinned` settings and those of now define, and the settings that have git
    /// run the pinned ones. None is required: what does not work is told apart where it matters.
    pub(super) fn of(pinned: &[String], now: &[(String, [String; 2])]) -> (Self, Vec<String>) {
        let mut drivers: BTreeMap<&str, [Driver; 2]> = BTreeMap::new();
        for setting in pinned {
            let named = setting.strip_prefix("filter.").and_then(|rest| rest.split_once('='));
            if let Some((name, value)) = named
                && let Some((name, key)) = name.rsplit_once('.')
            {
                drivers.entry(name).or_default()[0].take(key, value);
            }
        }
        for (name, [clean, process]) in now {
            let driver = Driver { clean: clean.clone(), process: process.clone() };
            drivers.entry(name).or_default()[1] = driver;
        }
        let (mut filters, mut settings) = (Self::default(), Vec::new());
        for (name, [was, is]) in drivers {
            // An empty program does nothing, and takes the place of the one of now; an empty
            // `process` would also take the place of a `clean`.
            for (key, was, is) in
                [("clean", &was.clean, &is.clean), ("process", &was.process, &is.process)]
            {
                if !(was.is_empty() && is.is_empty()) {
                    settings.push(format!("filter.{name}.{key}={was}"));
                }
            }
            settings.push(format!("filter.{name}.required=false"));
            let hidden = was.process.is_empty() && !is.process.is_empty();
            filters.now.extend(is.acts().then(|| name.to_owned()));
            if was.acts() && !hidden {
                filters.run.insert(name.to_owned());
                filters.same.extend((was.runs() == is.runs()).then(|| name.to_owned()));
            }
        }
        (filters, settings)
    }

    /// The settings by which a filter that does not work stores nothing.
    pub(super) fn strict(&self) -> impl Iterator<Item = String> + '_ {
        self.run.iter().map(|name| format!("filter.{name}.required=true"))
    }
}

/// Paths, by what the fence may store of them.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// What no filter has to do with.
    pub(super) plain: Vec<RepoPath>,
    /// What goes through one.
    pub(super) filtered: Vec<RepoPath>,
    /// What would have to go through one that the lens does not run.
    pub(super) left: Vec<RepoPath>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pinned: &[&str], now: [&str; 2]) -> (Filters, Vec<String>) {
        let pinned: Vec<String> = pinned.iter().map(|it| format!("filter.x.{it}")).collect();
        let now = ("x".to_owned(), now.map(str::to_owned));
        let (filters, settings) = Filters::of(&pinned, &[now]);
        let short = settings.iter().map(|it| it.replace("filter.x.", "")).collect();
        (filters, short)
    }

    #[test]
    fn a_program_that_was_not_there_is_not_pinned_over_one_that_was() {
        for (pinned, now, said, same) in [
            // As it was.
            (&["clean=a", "process=", "required=true"][..], ["a", ""], "clean=a", true),
            (&["clean=a", "process=b"][..], ["a", "b"], "clean=a process=b", true),
            (&["process=b"][..], ["", "b"], "process=b", true),
            // What git runs is as it was.
            (&["clean=a", "process=b"][..], ["c", "b"], "clean=a process=b", true),
            // Another one, one more, a later one.
            (&["clean=a"][..], ["b", ""], "clean=a", false),
            (&["clean=a"][..], ["a", "b"], "clean=a process=", false),
            (&[][..], ["a", ""], "clean=", false),
            (&["clean=", "process=", "required="][..], ["", "b"], "process=", false),
            // One that is gone runs as it did.
            (&["clean=a"][..], ["", ""], "clean=a", false),
        ] {
            let (filters, told) = settings(pinned, now);
            let told: Vec<String> = told.into_iter().filter(|it| it != "required=false").collect();
            assert_eq!(told.join(" "), said, "{pinned:?} {now:?}");
            assert_eq!(filters.same.contains("x"), same, "{pinned:?} {now:?}");
            assert_eq!(filters.now.contains("x"), now != ["", ""], "{pinned:?} {now:?}");
        }
    }
}
