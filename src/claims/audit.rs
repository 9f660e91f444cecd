//! What a chain of records is worth: three answers, and the first bad record by name.
//!
//! A record is verified when it is whole, fits between its neighbours, repeats to the same
//! ruling, backs what it says, and something outside of it vouches for it: a good signature
//! at or after it, or a head that was written down elsewhere. Where nothing vouches, it is
//! not measured, which is never counted as verified.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::again::Rerun;
use super::record::{Record, RecordKind, Signed};
use crate::verdict::{Case, Refusal, Wants};

/// What was found of one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    #[default]
    Verified,
    /// Another commit stands for the one that was vouched for, with the same content.
    Followed {
        why: String,
        by: Content,
    },
    NotMeasured(String),
    Broken(String),
}

/// What of a commit is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    Tree,
    /// What it changes, by `git patch-id --stable`.
    PatchId,
}

/// One record as it was read, and what was found of it so far.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub id: String,
    pub parents: Vec<String>,
    /// The record; else why it cannot be had.
    pub record: Result<Record, String>,
    /// Its commit carries a signature.
    pub signed: bool,
    /// It joins two chains and is no record.
    pub joins: bool,
    pub standing: Standing,
}

impl Standing {
    /// The worst that was found stands, and of two alike the first.
    pub(crate) fn worsen(&mut self, found: Self) {
        let worth = |standing: &Self| match standing {
            Self::Verified | Self::Followed { .. } => 0,
            Self::NotMeasured(_) => 1,
            Self::Broken(_) => 2,
        };
        if worth(&found) > worth(self) {
            *self = found;
        }
    }

    /// True where it counts among the verified.
    pub(crate) fn counts(&self) -> bool {
        matches!(self, Self::Verified | Self::Followed { .. })
    }
}

impl Link {
    pub(crate) fn found(&mut self, found: Standing) {
        self.standing.worsen(found);
    }

    fn breaks(&mut self, why: impl Into<String>) {
        self.found(Standing::Broken(why.into()));
    }

    /// True where it is what it should be, as far as was looked.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.standing, Standing::Broken(_))
    }
}

/// One line of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Id of a record; of a commit or a job where that is what was looked at.
    pub record: String,
    pub reason: String,
    /// The commit that was followed, and by what of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Content>,
}

/// A commit that a person takes as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Accepted {
    pub commit: String,
    pub by: String,
    pub why: String,
    pub at: String,
    /// Something vouches for the record that says so.
    pub vouched: bool,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    pub verified: u64,
    /// Commits that have to do with no job; none where commits were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<usize>,
    /// Those among them that were rewritten since, with the same content.
    pub followed: Vec<Finding>,
    /// Which steps of which job content says that a commit stands for.
    #[serde(skip)]
    pub follows: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// Commits that were followed but for white space, which is no proof.
    #[serde(skip)]
    pub loose: BTreeSet<String>,
    /// Memory in commits that are followed by what they change in the product, where nothing shows
    /// that it is the job's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Beside>,
    /// Commits whose steps a person undid since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<String>,
    /// The first bad one first.
    pub broken: Vec<Finding>,
    pub not_measured: Vec<Finding>,
    /// Commits that would stand among those, and that a person takes as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Accepted>,
    /// Texts that a person took away, and those that another clone keeps. Neither is a finding.
    pub redacted: usize,
    pub withheld: usize,
    #[serde(skip)]
    pub gone: Vec<GoneText>,
    /// How often a person went past the rules, by kind, in what was looked at. None is a finding.
    pub bypasses: BTreeMap<String, u32>,
    /// Recorded commands that were run again; none where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun: Option<Vec<Rerun>>,
    /// False where anything is broken; true where all was vouched for; else something was not
    /// measured, and is named.
    pub ok: Option<bool>,
}

/// Paths in a commit that nobody judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Beside {
    pub commit: String,
    pub paths: Vec<String>,
}

/// A text that a chain names and that is not here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoneText {
    pub job: String,
    /// Where its stub stands in the job's tree.
    pub path: String,
    pub redacted: bool,
}

impl Findings {
    /// Takes in one thing that was looked at.
    pub(crate) fn add(&mut self, what: &str, standing: &Standing) {
        let finding = |reason: &String| Finding {
            record: what.to_owned(),
            reason: reason.clone(),
            commit: None,
            by: None,
        };
        match standing {
            Standing::Verified => self.verified += 1,
            Standing::Followed { why, by } => {
                self.verified += 1;
                let commit = Some(what.to_owned());
                self.followed.push(Finding { commit, by: Some(*by), ..finding(why) });
            }
            Standing::NotMeasured(reason) => self.not_measured.push(finding(reason)),
            Standing::Broken(reason) => self.broken.push(finding(reason)),
        }
    }

    /// The same, where nothing was said of it yet.
    pub(crate) fn once(&mut self, what: &str, standing: &Standing) {
        let known = self.broken.iter().chain(&self.not_measured).any(|one| one.record == what);
        if !known {
            self.add(what, standing);
        }
    }

    /// Takes in paths of a commit that nobody judged.
    pub(crate) fn beside(&mut self, commit: &str, paths: &[String]) {
        if !paths.is_empty() {
            self.differs.push(Beside { commit: commit.to_owned(), paths: paths.to_vec() });
        }
    }

    /// Of what was not measured, from the `from`-th on, commits that a person takes as they are
    /// stand by themselves. What is broken stays broken.
    pub(crate) fn accept(&mut self, known: Vec<Accepted>, from: usize) {
        for one in known {
            let is_it = |finding: &Finding| finding.record == one.commit;
            let open = self.not_measured.iter().skip(from).any(is_it);
            if open && !self.broken.iter().any(is_it) {
                let mut at = 0;
                self.not_measured.retain(|finding| {
                    at += 1;
                    at <= from || !is_it(finding)
                });
                self.accepted.push(one);
            }
        }
    }

    /// Draws the sum. Where nothing at all was there to look at, `nothing` says so: no history is
    /// never a good one.
    #[must_use]
    pub(crate) fn summed(mut self, nothing: &str) -> Self {
        let none = self.broken.is_empty() && self.not_measured.is_empty();
        if self.verified == 0 && none && self.accepted.is_empty() {
            self.add("HEAD", &Standing::NotMeasured(nothing.to_owned()));
        }
        self.ok = match (self.broken.is_empty(), self.not_measured.is_empty()) {
            (false, _) => Some(false),
            (true, true) => Some(true),
            (true, false) => None,
        };
        self
    }
}

/// No word makes good what is broken.
pub(crate) fn accepts_nothing_broken(commit: &str, why: &str) -> Refusal {
    Refusal::new("verify", Wants::Edge)
        .case(Case::AcceptBroken)
        .with("commit", short(commit))
        .with("why", why)
}

/// The commit is vouched for, is of no job, or was accepted before.
pub(crate) fn nothing_to_accept(commit: &str) -> Refusal {
    Refusal::new("verify", Wants::Edge).case(Case::AcceptNothing).with("commit", short(commit))
}

fn short(commit: &str) -> String {
    commit.chars().take(12).collect()
}

/// Whether each record fits the one before, oldest first. `whole` where the oldest one is
/// the first of the chain, not only the oldest that could be read.
pub(crate) fn links(chain: &mut [Link], whole: bool) {
    let several = chain.iter().any(|link| link.joins);
    let mut numbers: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for (at, link) in chain.iter_mut().enumerate() {
        let number = |id: &String| Some((id.clone(), *numbers.get(id)?));
        if link.joins {
            let sides: Vec<_> = link.parents.iter().filter_map(number).collect();
            let newest = sides.iter().map(|(_, n)| *n).max().flatten();
            if whole && sides.len() < 2 {
                link.breaks("a chain that it joins is not here".to_owned());
            }
            numbers.insert(link.id.clone(), newest);
            continue;
        }
        let before = link.parents.first().and_then(number);
        let fits = match &link.record {
            Err(why) => Err(why.clone()),
            Ok(record) => {
                // Where chains were joined more than one record is the first of its side.
                let begins = several && link.parents.is_empty();
                let known = (at > 0 && !begins) || whole;
                fits(record, link.signed, &link.parents, before.as_ref(), known)
            }
        };
        let n = link.record.as_ref().ok().map(|record| record.n);
        // A neighbour that cannot be read still has a number: the next one fits after it.
        let n = n.or_else(|| before.as_ref().and_then(|(_, n)| n.map(|n| n + 1)));
        numbers.insert(link.id.clone(), n);
        if let Err(why) = fits {
            link.breaks(why);
        }
    }
}

fn fits(
    record: &Record,
    signed: bool,
    parents: &[String],
    before: Option<&(String, Option<u64>)>,
    known: bool,
) -> Result<(), String> {
    let prev = before.map(|(id, _)| id.as_str());
    if parents.len() > 1 {
        return Err("its commit has more than one parent".to_owned());
    }
    if record.prev.as_deref() != parents.first().map(String::as_str) {
        return Err("the record before it is not the one that it names".to_owned());
    }
    if known && record.prev.as_deref() != prev {
        return Err("it does not follow the record before it".to_owned());
    }
    let wanted = before.map_or(Some(1), |(_, n)| n.map(|n| n + 1));
    if let Some(wanted) = wanted.filter(|wanted| known && record.n != *wanted) {
        return Err(format!("it is number {}, where {wanted} should stand", record.n));
    }
    match (record.signed, signed) {
        (Signed::Unsigned, true) => {
            Err("it says that it is not signed, and its commit is".to_owned())
        }
        (Signed::Unsigned, false) | (_, true) => Ok(()),
        (_, false) => Err("it says that it is signed, and its commit is not".to_owned()),
    }
}

/// Whether what an attest record names as its backing backs it.
pub(crate) fn backings(chain: &mut [Link]) {
    let places = places(chain);
    let found: Vec<Option<String>> =
        chain.iter().enumerate().map(|(at, link)| unbacked(link, at, chain, &places)).collect();
    for (link, why) in chain.iter_mut().zip(found) {
        if let Some(why) = why {
            link.breaks(why);
        }
    }
}

/// Where each record stands.
fn places(chain: &[Link]) -> BTreeMap<String, usize> {
    chain.iter().enumerate().map(|(at, link)| (link.id.clone(), at)).collect()
}

fn unbacked(
    link: &Link,
    at: usize,
    chain: &[Link],
    places: &BTreeMap<String, usize>,
) -> Option<String> {
    let record = link.record.as_ref().ok()?;
    let attest = match (record.kind, &record.attest) {
        (RecordKind::Attest, Some(attest)) => attest,
        (RecordKind::Attest, None) => return Some("it attests no commit".to_owned()),
        (_, Some(_)) => return Some("it is no attest record, and attests a commit".to_owned()),
        (_, None) => return None,
    };
    if attest.tree != record.tree {
        return Some("it is bound to another tree than its commit's".to_owned());
    }
    let named = attest.record.as_ref()?;
    let backing = places.get(named).filter(|place| **place < at).map(|place| &chain[*place].record);
    match backing {
        None => Some(format!("it is backed by {named}, which is no earlier record")),
        Some(Ok(backing)) if backing.tree != attest.tree => {
            Some(format!("it is backed by {named}, which is bound to another tree"))
        }
        Some(Ok(backing)) if !backing.passes() => {
            Some(format!("it is backed by {named}, which did not pass"))
        }
        // What cannot be read is broken by itself.
        Some(Ok(_) | Err(_)) => None,
    }
}

/// A head that was written down elsewhere, compared with the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pinned {
    /// It is this link, so this one and all before it are as they were.
    Holds(usize),
    /// Up to here, if anywhere, the chain is the one that was pinned; this record is not.
    Parts { upto: Option<usize>, first: String, why: String },
}

/// Compares the chain with a pinned head; `line` is the chain below the pin as far as it is
/// still here, newest first, the pin itself included.
pub(crate) fn pinned(chain: &[Link], pin: &str, line: &[String]) -> Pinned {
    let places = places(chain);
    let place = |id: &str| places.get(id).copied();
    if let Some(at) = place(pin) {
        return Pinned::Holds(at);
    }
    let common = line.iter().position(|id| place(id).is_some());
    let upto = common.and_then(|at| place(&line[at]));
    let next = upto.map_or(0, |at| at + 1);
    match (chain.get(next), common) {
        // The pinned chain goes on where this one ends.
        (None, Some(at)) if at > 0 => Pinned::Parts {
            upto,
            first: line[at - 1].clone(),
            why: format!(
                "the chain was cut: {at} pinned after its end {} gone",
                if at == 1 { "record is" } else { "records are" }
            ),
        },
        (Some(other), _) if !line.is_empty() => Pinned::Parts {
            upto,
            first: other.id.clone(),
            why: format!(
                "another record stands here than in the chain that ends in the pinned {pin}"
            ),
        },
        _ => Pinned::Parts {
            upto,
            first: pin.to_owned(),
            why: "this pinned record is not in the chain, nor is it here to compare".to_owned(),
        },
    }
}

/// The last of `candidates` that `is_good`, found by asking for few of them: the newest
/// first, then halves. Whoever changes a record changes every id after it, so good ones do
/// not come after a bad one.
pub(crate) fn last_good<E>(
    candidates: &[usize],
    mut is_good: impl FnMut(usize) -> Result<bool, E>,
) -> Result<Option<usize>, E> {
    let Some((newest, _)) = candidates.split_last() else { return Ok(None) };
    if is_good(*newest)? {
        return Ok(Some(*newest));
    }
    let (mut good, mut bad) = (0, candidates.len() - 1);
    // Those before `good` are good; `bad` is not.
    while good < bad {
        let middle = good.midpoint(bad);
        if is_good(candidates[middle])? {
            good = middle + 1;
        } else {
            bad = middle;
        }
    }
    Ok(good.checked_sub(1).map(|at| candidates[at]))
}

/// Nothing vouches for what comes after `upto`; and what follows a broken record is not
/// verified by fitting to it.
pub(crate) fn vouched(chain: &mut [Link], upto: Option<usize>, why: &str) {
    let first_broken = chain.iter().position(Link::is_broken).unwrap_or(usize::MAX);
    let below = upto.map(|upto| below(chain, upto)).unwrap_or_default();
    for (at, link) in chain.iter_mut().enumerate().filter(|(at, _)| !below.contains(at)) {
        let why = if at > first_broken { "it follows a broken record" } else { why };
        link.found(Standing::NotMeasured(why.to_owned()));
    }
}

/// The link at `at` and those that it goes on from: what it vouches for. Where chains were joined
/// not every link before it is one of them.
fn below(chain: &[Link], at: usize) -> BTreeSet<usize> {
    let places = places(chain);
    let (mut found, mut ahead) = (BTreeSet::new(), vec![at]);
    while let Some(at) = ahead.pop() {
        if found.insert(at) {
            ahead.extend(chain[at].parents.iter().filter_map(|id| places.get(id)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::record::Attest;
    use super::*;

    fn chain(n: u64) -> Vec<Link> {
        (1..=n)
            .map(|n| {
                let mut record = Record::new(RecordKind::VerifyClaim, 7, "t".to_owned());
                record.n = n;
                record.prev = (n > 1).then(|| format!("r{}", n - 1));
                record.opens = true;
                let parents = record.prev.clone().into_iter().collect();
                Link {
                    id: format!("r{n}"),
                    parents,
                    record: Ok(record),
                    signed: false,
                    joins: false,
                    standing: Standing::Verified,
                }
            })
            .collect()
    }

    fn first_broken(chain: &mut [Link]) -> Option<String> {
        links(chain, true);
        backings(chain);
        chain.iter().find(|link| link.is_broken()).map(|link| link.id.clone())
    }

    fn record(link: &mut Link) -> &mut Record {
        link.record.as_mut().expect("it reads")
    }

    #[test]
    fn the_first_record_that_does_not_fit_is_named() {
        type Edit = fn(&mut Vec<Link>);
        let edits: [(Edit, Option<&str>); 9] = [
            (|_| {}, None),
            (|chain| drop(chain.remove(2)), Some("r4")),
            (|chain| chain.swap(1, 2), Some("r3")),
            (|chain| drop(chain.drain(..2)), Some("r3")),
            (|chain| record(&mut chain[3]).n = 9, Some("r4")),
            (|chain| record(&mut chain[3]).signed = Signed::Ssh, Some("r4")),
            (|chain| chain[3].signed = true, Some("r4")),
            (|chain| chain[3].parents.push("other".to_owned()), Some("r4")),
            (|chain| chain[1].record = Err("object x was changed".to_owned()), Some("r2")),
        ];
        for (at, (edit, first)) in edits.into_iter().enumerate() {
            let mut chain = chain(5);
            edit(&mut chain);
            assert_eq!(first_broken(&mut chain).as_deref(), first, "edit {at}");
        }
    }

    #[test]
    fn an_attested_commit_is_backed_by_an_earlier_pass_for_its_tree() {
        let attests = |backing: &str, tree: &str| {
            let mut chain = chain(3);
            let attest = Attest {
                commit: "c".to_owned(),
                tree: tree.to_owned(),
                record: Some(backing.to_owned()),
            };
            let last = record(&mut chain[2]);
            (last.kind, last.tree, last.attest) =
                (RecordKind::Attest, tree.to_owned(), Some(attest));
            record(&mut chain[0]).opens = false;
            first_broken(&mut chain)
        };
        assert_eq!(attests("r2", "t"), None);
        for (backing, tree) in [("r1", "t"), ("r2", "other"), ("r3", "t"), ("r9", "t")] {
            assert_eq!(attests(backing, tree).as_deref(), Some("r3"), "{backing} {tree}");
        }
    }

    #[test]
    fn a_pin_shows_what_was_cut_and_what_was_put_in_its_place() {
        let whole = chain(5);
        let line: Vec<String> = (1..=5).rev().map(|n| format!("r{n}")).collect();
        assert_eq!(pinned(&whole, "r3", &line[2..]), Pinned::Holds(2));
        let parts = |chain: &[Link], line: &[String]| match pinned(chain, "r5", line) {
            Pinned::Parts { upto, first, .. } => (upto, first),
            Pinned::Holds(_) => panic!("it does not hold"),
        };
        assert_eq!(parts(&whole[..3], &line), (Some(2), "r4".to_owned()));
        let mut other = chain(5);
        for link in &mut other[2..] {
            link.id.insert(0, 'x');
        }
        assert_eq!(parts(&other, &line), (Some(1), "xr3".to_owned()));
        assert_eq!(parts(&other, &[]), (None, "r5".to_owned()), "the pinned record itself is gone");
        assert_eq!(parts(&[], &line), (None, "r5".to_owned()));
    }

    #[test]
    fn the_last_good_signature_is_found_with_few_questions() {
        for count in [0_usize, 1, 2, 7, 1000] {
            let candidates: Vec<usize> = (0..count).collect();
            for good in [0, 1, count / 2, count.saturating_sub(1), count] {
                let good = good.min(count);
                let mut asked = 0_u32;
                let found: Result<_, ()> = last_good(&candidates, |at| {
                    asked += 1;
                    Ok(at < good)
                });
                assert_eq!(found, Ok(good.checked_sub(1)), "{good} of {count}");
                assert!(asked <= 2 + usize::BITS - count.leading_zeros(), "{asked} for {count}");
            }
        }
    }

    #[test]
    fn what_nothing_vouches_for_is_not_verified() {
        let mut chain = chain(4);
        links(&mut chain, true);
        vouched(&mut chain, Some(1), "no key");
        let mut findings = Findings::default();
        for link in &chain {
            findings.add(&link.id, &link.standing);
        }
        assert_eq!((findings.verified, findings.not_measured.len()), (2, 2));
        assert_eq!(findings.summed("nothing").ok, None);
        let mut all = Findings::default();
        all.add("r1", &Standing::Verified);
        all.add("c1", &Standing::Followed { why: "why".to_owned(), by: Content::PatchId });
        assert_eq!(all.summed("nothing").ok, Some(true));
        let none = Findings::default().summed("nothing");
        assert_eq!((none.ok, none.not_measured.len()), (None, 1), "nothing is never a plain yes");
        let mut broken = Findings::default();
        broken.add("r1", &Standing::Broken("why".to_owned()));
        assert_eq!(broken.summed("nothing").ok, Some(false));
    }
}
