//! What receipts of runs show of the code as it is now.

use std::collections::BTreeMap;

use super::acts;
use super::gate::{Reading, ReceiptRead};
use super::items::{Index, ends};
use super::phrases::Text;
use super::sent::Sent;
use super::sure;
use super::table::{ActRow, Backing, FactRow, Finding, GateTable};
use super::{Counts, EvidenceType, MOST_RECEIPTS, Part, Receipt};

/// Receipts, oldest first, each read.
#[derive(Debug)]
pub(super) struct Runs<'c> {
    /// With what it backs, and what of its code changed since.
    read: Vec<Read<'c>>,
}

#[derive(Debug)]
struct Read<'c> {
    receipt: &'c Receipt,
    reading: Reading,
    backs: &'c [EvidenceType],
    changed: Vec<&'c str>,
    /// Its place in the list that it came from.
    nth: usize,
}

impl Read<'_> {
    /// A run whose end was not heard, and that may have shown it all the same.
    fn may_have_passed(&self) -> bool {
        self.reading == Reading::Unheard && !self.receipt.hidden
    }

    /// The day, and on one day the place in the list: the times of other clones are days, and a
    /// record's are when its ruling is made again.
    fn order(&self) -> (i64, usize) {
        const DAY: i64 = 86_400;
        (self.receipt.at.div_euclid(DAY), self.nth)
    }
}

impl<'c> Runs<'c> {
    pub(crate) fn of(receipts: &'c [Receipt], index: &Index<'_>, table: &'c GateTable) -> Self {
        let mut read: Vec<Read<'c>> = receipts
            .iter()
            .enumerate()
            .map(|(nth, receipt)| {
                let changed: Vec<&str> = receipt
                    .changed_since
                    .iter()
                    .map(String::as_str)
                    .filter(|path| matters(path, index, table))
                    .collect();
                let backs =
                    receipt.run.as_ref().and_then(|run| table.backs.get(run)).map(Vec::as_slice);
                // What the runner says of itself speaks where the line hides its end.
                let status = receipt.status.or_else(|| {
                    let counts = receipt.counts?;
                    let good = receipt.shown && counts.are_all_good();
                    (counts.failed > 0).then_some(1).or_else(|| good.then_some(0))
                });
                let reading = match (backs, status) {
                    (None, _) => Reading::Command,
                    (Some(_), _) if receipt.absent => Reading::NoTests,
                    (Some(_), None) => Reading::Unheard,
                    // A shell says with these that nothing ran.
                    (Some(_), Some(126 | 127)) => Reading::NoTests,
                    (Some(_), Some(status)) if status != 0 => Reading::Failed,
                    (Some(_), Some(_)) if receipt.counts.is_some_and(Counts::is_nothing) => {
                        Reading::NoTests
                    }
                    (Some(_), Some(_)) if receipt.other_program => Reading::OtherProgram,
                    (Some(_), Some(_)) if receipt.stale || !changed.is_empty() => Reading::Stale,
                    (Some(_), Some(_)) => Reading::Passed,
                };
                Read { receipt, reading, backs: backs.unwrap_or_default(), changed, nth }
            })
            .collect();
        read.sort_by_key(Read::order);
        Self { read }
    }

    /// Whether tests passed on this code.
    pub(crate) fn any_fresh(&self) -> bool {
        self.read.iter().any(|read| read.reading == Reading::Passed)
    }

    /// The last run that passed on this code.
    pub(crate) fn freshest(&self) -> Option<&'c Receipt> {
        self.fresh().last().map(|read| read.receipt)
    }

    /// What the runs on this code selected, each; none where it was all tests.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Option<&'c Part>> {
        self.fresh().map(|read| read.receipt.part.as_ref())
    }

    /// What runs selected on this code in which tests failed, each, as above.
    pub(crate) fn failed_parts(&self) -> impl Iterator<Item = Option<&'c Part>> {
        let failed = self.read.iter().filter(|read| {
            read.reading == Reading::Failed
                && self.failed_on_this_code(read)
                && read.receipt.counts.is_some_and(|counts| !counts.is_nothing())
        });
        failed.map(|read| read.receipt.part.as_ref())
    }

    /// The runs and how they ended, oldest first, one line each.
    pub(crate) fn seen(&self) -> Vec<String> {
        let runs = self.read.iter().filter(|read| read.receipt.run.is_some());
        let seen = runs.map(|read| {
            let receipt = read.receipt;
            let status = receipt.status.map_or_else(|| "?".to_owned(), |status| status.to_string());
            let counts = receipt.counts.map(|counts| format!(", {counts}")).unwrap_or_default();
            format!("{}: {status}{counts}", receipt.command)
        });
        seen.collect()
    }

    fn fresh(&self) -> impl Iterator<Item = &Read<'c>> {
        self.read.iter().filter(|read| read.reading == Reading::Passed)
    }

    /// Whether all tests passed on this code in one run.
    pub(crate) fn any_whole(&self) -> bool {
        self.fresh().any(|read| read.receipt.part.is_none())
    }

    /// Numbers of passed tests that `texts` state and that the runs on this code do not reach;
    /// none where a runner's count is not known to the last test.
    fn miscounted(&self, texts: &[&Text], table: &GateTable) -> Vec<String> {
        let counts: Option<Vec<u64>> = self
            .fresh()
            .map(|read| read.receipt.counts.filter(|counts| !counts.at_least))
            .map(|counts| counts.map(|counts| counts.passed))
            .collect();
        let Some(counts) = counts.filter(|counts| !counts.is_empty()) else { return Vec::new() };
        // A sum is one where the text says of how many runs.
        let summed = texts.iter().any(|text| text.holds(&table.words.over_runs));
        let all = || counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
        let most = if summed { all() } else { self.tests_at_most() };
        let mut said: Vec<u64> =
            texts.iter().flat_map(|text| text.numbers(&table.words.counted)).collect();
        // What ran before the work is told beside what ran on it, or not at all.
        let told = |number: u64| texts.iter().any(|text| text.has(&number.to_string()));
        if told(most) || counts.iter().any(|count| told(*count)) {
            let before = |text: &&Text| text.numbers(&table.words.counted_before);
            let before: Vec<u64> = texts.iter().flat_map(before).collect();
            said.retain(|number| !before.contains(number));
        }
        let names = |number: &u64| {
            texts.iter().any(|text| text.numbers(&table.words.numbered).contains(number))
        };
        said.retain(|number| !names(number));
        said.sort_unstable();
        said.dedup();
        let ran = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(" + ");
        let beyond = said.into_iter().filter(|number| *number > most);
        beyond.map(|number| format!("{number} (the runs: {ran})")).collect()
    }

    /// The most tests that the runs on this code can have been: a command that ran again ran the
    /// same ones.
    fn tests_at_most(&self) -> u64 {
        let mut most: BTreeMap<&str, u64> = BTreeMap::new();
        for read in self.fresh() {
            let passed = read.receipt.counts.map_or(0, |counts| counts.passed);
            let known = most.entry(read.receipt.command.trim()).or_default();
            *known = passed.max(*known);
        }
        most.into_values().fold(0, u64::saturating_add)
    }

    /// Whether a run on this code carries evidence of this kind.
    pub(crate) fn back(&self, kind: EvidenceType) -> bool {
        self.read.iter().any(|read| read.reading == Reading::Passed && read.backs.contains(&kind))
    }

    /// Whether any command ended well since the last change.
    pub(crate) fn commanded(&self) -> bool {
        self.read.iter().any(|read| {
            !read.receipt.stale
                && read.changed.is_empty()
                && read.receipt.status.is_none_or(|status| status == 0)
        })
    }

    /// Whether a command since the last change stands behind evidence of this kind.
    pub(crate) fn is_commanded_for(&self, kind: EvidenceType, table: &GateTable) -> bool {
        table.evidence(kind).is_some_and(|row| row.backing == Backing::Command) && self.commanded()
    }

    /// What evidence of this kind weighs with these receipts.
    pub(crate) fn weight(&self, kind: EvidenceType, only_prose: bool, table: &GateTable) -> f64 {
        let full = table.weight(kind);
        let backed = match table.evidence(kind).map(|row| row.backing) {
            Some(Backing::Run | Backing::Whole) => self.back(kind),
            Some(Backing::Command) => only_prose || self.commanded(),
            Some(Backing::Words | Backing::Act) | None => true,
        };
        if backed { full } else { full.min(table.weight(table.figures.unbacked)) }
    }

    /// Whether something of this turn shows a fact.
    pub(crate) fn shows(&self, row: &FactRow, table: &GateTable) -> bool {
        match row.backing {
            Backing::Run => self.any_fresh(),
            // Where nothing passed, other facts and findings say so.
            Backing::Whole => !self.any_fresh() || self.any_whole(),
            Backing::Command => self.read.iter().any(|read| {
                let well = read.receipt.status == Some(0);
                well && (row.commands.is_empty()
                    || holds_word(&read.receipt.command, &row.commands))
            }),
            Backing::Act => self.acted(&row.acts, table).next().is_some(),
            Backing::Words => false,
        }
    }

    /// Whether a command ran that lays out text.
    pub(crate) fn formatted(&self, table: &GateTable) -> bool {
        let looks = |read: &&Read<'_>| acts::begins_as(&table.said.looks, &read.receipt.command);
        self.read.iter().filter(|read| !looks(read)).any(|read| {
            let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_lowercase();
            let mut words = read.receipt.command.split_whitespace().map(name);
            words.any(|word| table.said.formatters.iter().any(|one| super::runs::like(one, &word)))
        })
    }

    /// Pushes that put a ref where the remote's history did not lead.
    pub(crate) fn forced(&self) -> Vec<String> {
        commands(self.read.iter().filter(|read| read.receipt.sent == Some(Sent::Forced)))
    }

    /// Commands that ended well and are one of `acts`.
    pub(crate) fn acted<'s>(
        &'s self,
        acts: &'s [String],
        table: &'s GateTable,
    ) -> impl Iterator<Item = &'c str> + 's {
        let well = self.read.iter().filter(|read| read.receipt.status == Some(0));
        // A push that had nothing to send is none.
        let well = well.filter(|read| read.receipt.sent != Some(Sent::Nothing));
        well.filter(|read| {
            let rows = || table.act.iter().filter(|row| acts.contains(&row.act));
            acts::is_one_of(rows(), &read.receipt.command) || rows().any(|row| self.ends(read, row))
        })
        .map(|read| read.receipt.command.as_str())
    }

    /// Whether `read` ends an act of `row` that began before it and could not end by itself: the
    /// commit of a merge whose conflicts were resolved.
    fn ends(&self, read: &Read<'_>, row: &ActRow) -> bool {
        if !acts::holds_one(&row.ends, &read.receipt.command) {
            return false;
        }
        let before = self.read.iter().filter(|one| one.order() < read.order());
        let mut before: Vec<&Read<'_>> = before.collect();
        before.sort_by_key(|one| std::cmp::Reverse(one.order()));
        // Nothing gave it up or ended it in between.
        let is_over = |one: &Read<'_>| {
            let line = one.receipt.command.as_str();
            let ended = || one.receipt.status == Some(0) && acts::holds_one(&row.ends, line);
            gives_up(line) || line.contains("git reset") || ended()
        };
        let open = before.into_iter().take_while(|one| !is_over(one));
        open.filter(|one| one.receipt.status.is_some_and(|status| status != 0))
            .any(|one| acts::is_one_of(std::iter::once(row), &one.receipt.command))
    }

    /// Commands that are no runs of tests, failed last on this code, and did more than look.
    pub(crate) fn failed_commands(&self, table: &GateTable) -> Vec<String> {
        let failed = self.read.iter().filter(|read| {
            let last = self.read.iter().rev().find(|other| {
                other.receipt.command == read.receipt.command && other.receipt.status.is_some()
            });
            read.reading == Reading::Command
                && read.receipt.status.is_some_and(|status| status != 0)
                && !read.receipt.stale
                && read.changed.is_empty()
                && last.is_some_and(|last| std::ptr::eq(last, *read))
                && !self.after(read).any(|later| is_same_program(later, read, &table.said.tools))
                && !acts::begins_as(&table.said.looks, &read.receipt.command)
        });
        commands(failed)
    }

    /// Commands that were only tried, and whose program did not run otherwise later.
    pub(crate) fn only_tried(&self, table: &GateTable) -> Vec<String> {
        let is_trial = |read: &Read<'_>| {
            let mut words = read.receipt.command.split_whitespace();
            words.any(|word| table.said.trials.iter().any(|row| super::runs::like(row, word)))
        };
        let tried = self.read.iter().filter(|read| {
            is_trial(read)
                && !self.after(read).any(|later| {
                    is_same_program(later, read, &table.said.tools) && !is_trial(later)
                })
        });
        commands(tried)
    }

    /// Whether a command put something back.
    pub(crate) fn put_back(&self, table: &GateTable) -> bool {
        self.read.iter().any(|read| {
            read.receipt.status == Some(0)
                && !gives_up(&read.receipt.command)
                && acts::begins_as(&table.said.put_back, &read.receipt.command)
        })
    }

    /// Commands that ended well on this code and did more than look, each by the words that a
    /// text names it with.
    pub(crate) fn well(&self, table: &GateTable) -> Vec<Vec<String>> {
        let well = self.read.iter().filter(|read| {
            read.reading == Reading::Command
                && read.receipt.status == Some(0)
                && !read.receipt.stale
                && read.changed.is_empty()
                && !acts::begins_as(&table.said.looks, &read.receipt.command)
        });
        well.flat_map(|read| acts::named(&read.receipt.command, &table.said.tools)).collect()
    }

    /// Whether tests passed on the code as it was before the last change.
    pub(crate) fn any_older(&self) -> bool {
        self.read.iter().any(|read| read.reading == Reading::Stale)
    }

    /// How many runs were seen, of tests or of what may be some.
    pub(crate) fn made(&self) -> usize {
        let runs = self.read.iter();
        runs.filter(|read| read.receipt.run.is_some() || read.receipt.tells_tests).count()
    }

    /// Whether a run of tests failed on other code than this, or one was put away by `git stash`.
    pub(crate) fn any_failed_before(&self) -> bool {
        self.read.iter().any(|read| {
            let failed = read.receipt.status.is_some_and(|status| status != 0)
                || read.receipt.counts.is_some_and(|counts| counts.failed > 0);
            failed && (read.receipt.stale || !read.changed.is_empty())
                || ["stash", "checkout", "worktree"]
                    .iter()
                    .any(|word| read.receipt.command.contains(word))
        })
    }

    /// Whether nothing ran in this turn.
    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty()
    }

    /// What ran on this code and is not known to have failed.
    fn here(&self) -> impl Iterator<Item = &Read<'c>> {
        self.read.iter().filter(|read| {
            // What failed on a line that hides its run is the run's as much as anything's.
            let failed = read.receipt.failed && read.receipt.run.is_some();
            let well = read.receipt.status.map_or(!failed, |status| status == 0);
            well && !read.receipt.stale && read.changed.is_empty()
        })
    }

    /// Whether something on this code may have been a run of tests that ended well: one whose end
    /// was not heard, or a command that no row knows and that printed what runners print.
    pub(crate) fn may_be_tests(&self, table: &GateTable) -> bool {
        self.here().any(|read| match read.reading {
            Reading::Passed => true,
            Reading::Unheard => read.may_have_passed(),
            Reading::Command => {
                read.receipt.tells_tests && sure::may_be_tests(&read.receipt.command, table)
            }
            _ => false,
        })
    }

    /// Whether something ran on this code that does more than look.
    pub(crate) fn did(&self, table: &GateTable) -> bool {
        self.here().any(|read| match read.reading {
            Reading::Passed => true,
            Reading::Unheard => read.may_have_passed(),
            Reading::Command => sure::does(&read.receipt.command, table),
            _ => false,
        })
    }

    /// Whether a command that is no run of tests, and does more than look, may have ended well.
    pub(crate) fn did_beside_tests(&self, table: &GateTable) -> bool {
        self.here().any(|read| {
            read.receipt.run.is_none() && !sure::only_looks(&read.receipt.command, table)
        })
    }

    /// Whether a command may have run another program that no line names: a script, a hook of a
    /// commit, a target of `make`. A runner of tests that is called as itself runs none.
    pub(crate) fn may_have_run(&self, table: &GateTable) -> bool {
        let rows = &table.said;
        let starts = |line: &str| {
            let named = acts::named(line, &rows.tools);
            let program =
                |words: &Vec<String>| words.iter().any(|word| rows.scripts.contains(word));
            named.is_empty() || named.iter().any(program)
        };
        self.are_cut()
            || self.read.iter().any(|read| {
                let line = &read.receipt.command;
                let alone = read.receipt.run.is_some() && !starts(line);
                !alone && !sure::only_looks(line, table)
            })
    }

    /// Runs of tests whose end nobody saw, and that cannot have shown it.
    pub(crate) fn hidden(&self) -> Vec<String> {
        let unheard = self.read.iter().filter(|read| read.reading == Reading::Unheard);
        commands(unheard.filter(|read| !read.may_have_passed()))
    }

    /// Whether a run on this code was not read to its last test.
    pub(crate) fn any_unread(&self) -> bool {
        self.here().any(Read::may_have_passed)
    }

    /// Commands on this code that ended well, as far as is known, and printed words of failure.
    pub(crate) fn complaining(&self, table: &GateTable) -> Vec<String> {
        let uncounted = |read: &&Read<'_>| {
            let good = read.receipt.counts.is_some_and(Counts::are_all_good);
            read.receipt.complains
                && !read.receipt.failed
                && !good
                && !sure::only_looks(&read.receipt.command, table)
        };
        commands(self.here().filter(uncounted))
    }

    /// The numbers that commands of this turn printed or were given.
    pub(crate) fn figures(&self) -> impl Iterator<Item = &'c str> {
        let digits = |c: char| !(c.is_ascii_digit() || c == '.');
        self.read.iter().flat_map(move |read| {
            let printed = read.receipt.figures.iter().map(String::as_str);
            printed.chain(read.receipt.command.split(digits).filter(|one| !one.is_empty()))
        })
    }

    /// What runs and commands on this code counted beside what is well, each with its command: not
    /// what was so before the change.
    pub(crate) fn beside(&self, table: &GateTable) -> Vec<(&'c Receipt, Vec<&'c str>)> {
        let older = |count: &str| {
            let old =
                self.read.iter().filter(|read| read.receipt.stale || !read.changed.is_empty());
            old.flat_map(|read| &read.receipt.beside).any(|known| known == count)
        };
        let here = self.here().filter(|read| !sure::only_looks(&read.receipt.command, table));
        here.map(|read| {
            let counts = read.receipt.beside.iter().map(String::as_str);
            (read.receipt, counts.filter(|count| !older(count)).collect())
        })
        .collect()
    }

    /// Whether older ones were left out: what is not here may have run all the same.
    pub(crate) fn are_cut(&self) -> bool {
        self.read.len() >= MOST_RECEIPTS
    }

    /// Whether a command of this turn holds a word, in small letters.
    pub(crate) fn name(&self, word: &str) -> bool {
        self.read.iter().any(|read| read.receipt.command.to_lowercase().contains(word))
    }

    /// Whether a command has each of these words as a word of its own.
    pub(crate) fn have_words(&self, words: &str) -> bool {
        self.read.iter().any(|read| {
            let line = read.receipt.command.to_lowercase();
            let has = |word: &str| {
                line.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
                    .any(|one| one == word)
            };
            words.split(' ').all(has)
        })
    }

    /// Whether one of `acts` may have been made, in a line that does not tell how it ended.
    pub(crate) fn may_have_acted(&self, acts: &[String], table: &GateTable) -> bool {
        let rows = table.act.iter().filter(|row| acts.contains(&row.act));
        let well = |read: &&Read<'_>| {
            read.receipt.status.is_none_or(|status| status == 0)
                && read.receipt.sent != Some(Sent::Nothing)
        };
        let mut lines = self.read.iter().filter(well).map(|read| read.receipt.command.as_str());
        lines.any(|line| sure::may_be_act(rows.clone(), line))
    }

    /// A run that failed says how many tests it was.
    pub(crate) fn any_failed_counted(&self) -> bool {
        let failed = self.read.iter().filter(|read| read.reading == Reading::Failed);
        failed.into_iter().any(|read| read.receipt.counts.is_some_and(|it| !it.is_nothing()))
    }

    /// Runs of tests that failed and stand: nothing ran well since in their place.
    pub(crate) fn failing(&self) -> Vec<String> {
        let failed = self.read.iter().filter(|read| {
            read.reading == Reading::Failed
                && self.is_last_of_its_kind(read)
                && !self.is_superseded(read)
        });
        commands(failed)
    }

    /// What speaks against the claim.
    pub(crate) fn say(
        &self,
        found: &mut dyn FnMut(Finding, &[String]),
        texts: &[&Text],
        table: &GateTable,
    ) {
        self.say_failed(found, texts, table);
        self.say_counts(found, texts, table);
        self.say_quiet(found);
    }

    /// Runs that failed, or that another program was.
    pub(crate) fn say_failed(
        &self,
        found: &mut dyn FnMut(Finding, &[String]),
        texts: &[&Text],
        table: &GateTable,
    ) {
        let failed: Vec<&Read<'_>> =
            self.read.iter().filter(|read| read.reading == Reading::Failed).collect();
        let (last, earlier): (Vec<_>, Vec<_>) =
            failed.into_iter().partition(|read| self.is_last_of_its_kind(read));
        found(
            Finding::FailingRun,
            &commands(last.into_iter().filter(|read| !self.is_superseded(read))),
        );
        found(
            Finding::FailedUnrepeated,
            &commands(earlier.into_iter().filter(|read| self.is_unrepeated(read))),
        );
        let others: Vec<&Read<'_>> = self
            .read
            .iter()
            .filter(|read| read.receipt.other_program && !read.backs.is_empty())
            .collect();
        let (named, unnamed): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|read| is_named(read, texts, table));
        found(Finding::OtherProgram, &commands(unnamed.into_iter()));
        found(Finding::OtherProgramNamed, &commands(named.into_iter()));
    }

    /// Why no run shows this code, where none does.
    pub(crate) fn say_quiet(&self, found: &mut dyn FnMut(Finding, &[String])) {
        if self.any_fresh() {
            return;
        }
        let empty = self.read.iter().filter(|read| read.reading == Reading::NoTests);
        found(Finding::EmptyRun, &commands(empty));
        let stale = self.read.iter().rev().find(|read| read.reading == Reading::Stale);
        if let Some(last) = stale {
            if last.receipt.stale {
                found(Finding::UnknownTree, std::slice::from_ref(&last.receipt.command));
            } else {
                let changed: Vec<String> =
                    last.changed.iter().map(|path| (*path).to_owned()).collect();
                found(Finding::StaleRun, &changed);
            }
        }
        found(
            Finding::UnheardRun,
            &commands(self.read.iter().filter(|read| read.reading == Reading::Unheard)),
        );
    }

    /// What is said of numbers, and was not so.
    pub(crate) fn say_counts(
        &self,
        found: &mut dyn FnMut(Finding, &[String]),
        texts: &[&Text],
        table: &GateTable,
    ) {
        found(Finding::Miscounted, &self.miscounted(texts, table));
    }

    /// One that fails still is told as the last run.
    fn is_unrepeated(&self, failed: &Read<'_>) -> bool {
        self.failed_on_this_code(failed) && !self.is_repeated(failed) && !self.fails_still(failed)
    }

    fn is_last_of_its_kind(&self, read: &Read<'_>) -> bool {
        let same = |other: &&Read<'_>| other.receipt.run == read.receipt.run && is_heard(other);
        self.read.iter().rev().find(same).is_some_and(|last| std::ptr::eq(last, read))
    }

    /// The last run of the same kind failed as well, and stands.
    fn fails_still(&self, failed: &Read<'_>) -> bool {
        let stands = |read: &&Read<'_>| {
            read.reading == Reading::Failed
                && read.receipt.run == failed.receipt.run
                && self.is_last_of_its_kind(read)
                && !self.is_superseded(read)
        };
        self.after(failed).any(|read| stands(&read))
    }

    /// It failed on other code, and what it backs has passed on this code since.
    fn is_superseded(&self, failed: &Read<'_>) -> bool {
        let on_other_code = !failed.receipt.stale && !failed.changed.is_empty();
        on_other_code
            && self.after(failed).any(|read| {
                read.reading == Reading::Passed
                    && failed.backs.iter().all(|kind| read.backs.contains(kind))
            })
    }

    fn failed_on_this_code(&self, failed: &Read<'_>) -> bool {
        // A shell says with these that nothing ran.
        let ran = !matches!(failed.receipt.status, Some(126 | 127));
        ran && !failed.receipt.stale && failed.changed.is_empty()
    }

    /// It ran again and passed, perhaps behind other commands, or all tests of its runner did, of
    /// which it was a part.
    fn is_repeated(&self, failed: &Read<'_>) -> bool {
        let mut after = self.after(failed);
        let (failed, part) = (failed.receipt, failed.receipt.part.is_some());
        after.any(|read| {
            let later = read.receipt;
            let all = part && later.part.is_none() && later.run == failed.run;
            let again = later.command.split("&&").any(|one| one.trim() == failed.command.trim());
            read.reading == Reading::Passed && (all || again || later.command == failed.command)
        })
    }

    fn after(&self, read: &Read<'c>) -> impl Iterator<Item = &Read<'c>> {
        let key = read.order();
        self.read.iter().filter(move |other| other.order() > key)
    }

    /// What is missing for the evidence to count as what it is called.
    pub(crate) fn gaps(
        &self,
        kind: EvidenceType,
        blank: bool,
        only_prose: bool,
        table: &GateTable,
    ) -> Vec<String> {
        let name = super::table::word(kind);
        let gap = match table.evidence(kind).map(|row| row.backing) {
            _ if blank => Some("no evidence".to_owned()),
            Some(Backing::Run | Backing::Whole) if !only_prose && !self.back(kind) => {
                Some(format!("no passing run since the last change that shows a {name}"))
            }
            Some(Backing::Command) if !only_prose && !self.commanded() => {
                Some(format!("no command since the last change that shows a {name}"))
            }
            _ => None,
        };
        gap.into_iter().collect()
    }

    /// How each receipt was read, as they came.
    pub(crate) fn read(&self, receipts: &[Receipt]) -> impl Iterator<Item = ReceiptRead> {
        let mut readings = vec![Reading::Command; receipts.len()];
        for read in &self.read {
            readings[read.nth] = read.reading;
        }
        let read = receipts.iter().zip(readings).map(|(receipt, reading)| ReceiptRead {
            id: receipt.id.clone(),
            command: receipt.command.clone(),
            reading,
        });
        read.collect::<Vec<_>>().into_iter()
    }
}

/// A later command of the same program ended well, and did not give up what the other began.
/// Programs that do many things are told by what they do.
fn is_same_program(later: &Read<'_>, failed: &Read<'_>, tools: &[String]) -> bool {
    let programs = |line: &str| {
        let named = acts::named(line, tools);
        let first = || line.split_whitespace().next().map(|word| vec![word.to_lowercase()]);
        if named.is_empty() { first().into_iter().collect() } else { named }
    };
    let [later, failed] = [later, failed].map(|read| read.receipt);
    let known = programs(&failed.command);
    later.status == Some(0)
        && programs(&later.command).iter().any(|program| known.contains(program))
        && !gives_up(&later.command)
}

/// A command that leaves undone what another one began.
fn gives_up(command: &str) -> bool {
    command.split_whitespace().any(|word| matches!(word, "--abort" | "--quit" | "--skip"))
}

/// How the run ended is known.
fn is_heard(read: &Read<'_>) -> bool {
    read.receipt.status.is_some() || !matches!(read.reading, Reading::Unheard | Reading::Command)
}

fn commands<'r, 'c: 'r>(reads: impl Iterator<Item = &'r Read<'c>>) -> Vec<String> {
    let mut said: Vec<String> = reads.map(|read| read.receipt.command.clone()).collect();
    said.dedup();
    said
}

/// Whether a path that changed since a run takes its word from it. Paths that are not part
/// of the change count unless they are prose: code that was put back was still tested as
/// something else.
fn matters(path: &str, index: &Index<'_>, table: &GateTable) -> bool {
    match index.at(path) {
        Some(file) => !file.prose,
        None => !ends(path, &table.files.prose),
    }
}

/// Whether the program of a run is said to be another one.
fn is_named(read: &Read<'_>, texts: &[&Text], table: &GateTable) -> bool {
    let first = read.receipt.command.split_whitespace().next().unwrap_or_default();
    let program = first.rsplit('/').next().unwrap_or(first).to_lowercase();
    texts.iter().any(|text| text.has(&program))
        && texts.iter().any(|text| text.has_any(&table.words.replaced))
}

/// Whether a command holds one of `words` as a word of its own, or as a part of one.
fn holds_word(command: &str, words: &[String]) -> bool {
    let mut parts = command.split(|c: char| !(c.is_alphanumeric()));
    parts.any(|part| words.iter().any(|word| word == part))
        || words.iter().any(|word| word.contains('-') && command.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::Truth;
    use super::*;

    #[test]
    fn a_merge_ends_with_the_commit_of_what_was_resolved() {
        let table = GateTable::shipped().expect("rows");
        let merged = table.fact.iter().find(|row| row.fact == "merged").expect("its row");
        let (failed, well) = (Some(1), Some(0));
        for (lines, wanted) in [
            (vec![("git merge little", well)], true),
            (vec![("git merge little", failed)], false),
            (vec![("git merge little", failed), ("git commit -qm x", well)], true),
            (vec![("git merge little", failed), ("git add -A && git commit -qm x", well)], true),
            (vec![("git cherry-pick abc", failed), ("git commit -qm x", well)], true),
            (vec![("git merge little", failed), ("git commit -qm x", failed)], false),
            (vec![("git commit -qm x", well), ("git merge little", failed)], false),
            (vec![("git commit -qm x", well)], false),
            (
                vec![
                    ("git merge little", failed),
                    ("git merge --abort", well),
                    ("git commit -qm x", well),
                ],
                false,
            ),
            (
                vec![
                    ("git merge little", failed),
                    ("git reset --hard", well),
                    ("git commit -qm x", well),
                ],
                false,
            ),
        ] {
            let receipts: Vec<Receipt> = lines
                .iter()
                .map(|(command, status)| Receipt {
                    command: (*command).to_owned(),
                    status: *status,
                    ..Receipt::default()
                })
                .collect();
            let truth = Truth::default();
            let runs = Runs::of(&receipts, &Index::of(&truth), &table);
            assert_eq!(runs.shows(merged, &table), wanted, "{lines:?}");
        }
    }
}
