//! What the commits of a job hold, as far as it is known, and which steps a commit stands for that
//! holds the same.
//!
//! A tree alone vouches for nothing: a commit that takes a whole repository back to an old one has
//! it too, and undoes what came since. It counts where the commit stands on a tree that the job's
//! commits stand on, no later than this one, or where its change is one of the job's.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::Content;
use crate::store::{ChangeId, TreeId};

/// Steps that one content stands for.
pub(crate) type Ids = BTreeSet<String>;

/// What a commit changes: without memory, and with it; empty where that is nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub product: ChangeId,
    pub whole: ChangeId,
}

/// What a job's commits hold.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// The place of each step in the chain.
    places: BTreeMap<String, usize>,
    trees: BTreeMap<String, Held>,
    /// Trees on which commits of the job stand, each with the place of the first that does; a
    /// commit that is not here by its own name.
    bases: BTreeMap<String, usize>,
    /// With memory left out.
    changes: BTreeMap<String, Vec<Same>>,
    /// With memory; of single commits.
    whole: BTreeMap<String, Vec<Same>>,
    /// By the commits that landings made.
    landed: BTreeMap<String, Ids>,
}

/// Steps that change one thing, by git's measure.
#[derive(Debug)]
struct Same {
    /// To the letter; empty where that was not written down, and their commits are not here.
    verbatim: String,
    ids: Ids,
}

/// What a commit stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match<'a> {
    pub by: Content,
    pub ids: &'a Ids,
    /// White space may differ: nobody could compare it.
    pub loose: bool,
}

impl<'a> Match<'a> {
    fn by_tree(ids: &'a Ids) -> Self {
        Self { by: Content::Tree, ids, loose: false }
    }
}

/// A tree that commits of the job have.
#[derive(Debug, Default)]
struct Held {
    ids: Ids,
    /// The place of the last step that has it.
    place: Option<usize>,
}

impl Contents {
    /// Nothing yet, of a job whose steps have these places in its chain.
    pub(crate) fn new(places: BTreeMap<String, usize>) -> Self {
        Self { places, ..Self::default() }
    }

    /// Steps that have a tree.
    pub(crate) fn add_tree<'a>(&mut self, tree: &str, ids: impl IntoIterator<Item = &'a str>) {
        if tree.is_empty() {
            return;
        }
        let held = self.trees.entry(tree.to_owned()).or_default();
        for id in ids {
            held.place = held.place.max(self.places.get(id).copied());
            held.ids.insert(id.to_owned());
        }
    }

    /// The tree on which the commit of a step stands, or the first of several.
    pub(crate) fn add_base<'a>(&mut self, tree: &str, ids: impl IntoIterator<Item = &'a str>) {
        let place = ids.into_iter().filter_map(|id| self.places.get(id)).min().copied();
        if let Some(place) = place.filter(|_| !tree.is_empty()) {
            let known = self.bases.entry(tree.to_owned()).or_insert(place);
            *known = place.min(*known);
        }
    }

    /// Steps that change this, memory left out.
    pub(crate) fn add_change<'a>(
        &mut self,
        change: &ChangeId,
        ids: impl IntoIterator<Item = &'a str>,
    ) {
        add_same(&mut self.changes, change, ids);
    }

    /// Steps that change this in all.
    pub(crate) fn add_whole<'a>(
        &mut self,
        change: &ChangeId,
        ids: impl IntoIterator<Item = &'a str>,
    ) {
        add_same(&mut self.whole, change, ids);
    }

    /// A commit that a landing made for these steps.
    pub(crate) fn add_landed<'a>(&mut self, commit: &str, ids: impl IntoIterator<Item = &'a str>) {
        let known = self.landed.entry(commit.to_owned()).or_default();
        known.extend(ids.into_iter().map(str::to_owned));
    }

    /// Of a step that a person undid only what no other holds is taken in.
    pub(crate) fn lacks_tree(&self, tree: &str) -> bool {
        !self.trees.contains_key(tree)
    }

    pub(crate) fn lacks_change(&self, change: &ChangeId) -> bool {
        !self.changes.contains_key(&change.by_git)
    }

    pub(crate) fn lacks_whole(&self, change: &ChangeId) -> bool {
        !self.whole.contains_key(&change.by_git)
    }

    /// The steps that a landing made this commit for; its tree has all of the job until then.
    pub(crate) fn by_landing(&self, commit: &str) -> Option<Match<'_>> {
        self.landed.get(commit).map(Match::by_tree)
    }

    /// The steps that have this tree, where a commit that stands on `before` made it as they did.
    pub(crate) fn by_tree(&self, tree: &TreeId, before: Option<&str>) -> Option<Match<'_>> {
        let held = self.trees.get(tree.as_str())?;
        let first = *self.bases.get(before?)?;
        held.place.is_some_and(|place| first <= place).then_some(Match::by_tree(&held.ids))
    }

    /// The job makes this very change, memory included.
    pub(crate) fn has_whole(&self, change: &ChangeId) -> bool {
        same(&self.whole, change).is_some_and(|found| !found.loose)
    }

    /// The trees that the job's commits lead to from any of these, and the commits that landed.
    pub(crate) fn reached(&self, from: &BTreeSet<String>) -> BTreeSet<String> {
        let Some(first) = from.iter().filter_map(|tree| self.bases.get(tree)).min() else {
            return BTreeSet::new();
        };
        let later = |held: &Held| held.place.is_some_and(|place| *first <= place);
        let trees = self.trees.iter().filter(|(_, held)| later(held)).map(|(tree, _)| tree);
        let place = |ids: &Ids| ids.iter().filter_map(|id| self.places.get(id)).max();
        let landed = self.landed.iter().filter(|(_, ids)| place(ids).is_some_and(|at| first <= at));
        trees.chain(landed.map(|(commit, _)| commit)).cloned().collect()
    }

    /// The steps that change the same; of a tree that steps have, those.
    pub(crate) fn by_change(&self, changes: &Changes, tree: &TreeId) -> Option<Match<'_>> {
        let Some(held) = self.trees.get(tree.as_str()) else {
            let found = same(&self.changes, &changes.product);
            return found.or_else(|| same(&self.whole, &changes.whole));
        };
        // Nothing came since but memory, or this is what brought the job there.
        let fits = changes.product.is_empty()
            || self.changes.contains_key(&changes.product.by_git)
            || self.whole.contains_key(&changes.whole.by_git);
        fits.then_some(Match::by_tree(&held.ids))
    }
}

/// The steps that make a change; where any of them says it to the letter, those that do.
fn same<'a>(known: &'a BTreeMap<String, Vec<Same>>, change: &ChangeId) -> Option<Match<'a>> {
    let some = known.get(&change.by_git)?;
    let found = |one: &'a Same, loose| Match { by: Content::PatchId, ids: &one.ids, loose };
    if let Some(one) = some.iter().find(|one| one.verbatim == change.verbatim) {
        return Some(found(one, one.verbatim.is_empty()));
    }
    // What is known of the same steps to the letter says that they change something else.
    let (bare, told): (Vec<&Same>, Vec<&Same>) =
        some.iter().partition(|one| one.verbatim.is_empty());
    let told: BTreeSet<&String> = told.iter().flat_map(|one| &one.ids).collect();
    let open = |one: &&&Same| one.ids.iter().any(|id| !told.contains(id));
    bare.iter().find(open).map(|one| found(one, true))
}

/// An empty change is none: half of all commits would make it.
fn add_same<'a>(
    to: &mut BTreeMap<String, Vec<Same>>,
    change: &ChangeId,
    ids: impl IntoIterator<Item = &'a str>,
) {
    if change.is_empty() {
        return;
    }
    let ids: Ids = ids.into_iter().map(str::to_owned).collect();
    let some = to.entry(change.by_git.clone()).or_default();
    match some.iter_mut().find(|one| one.verbatim == change.verbatim) {
        Some(one) => one.ids.extend(ids),
        None => some.push(Same { verbatim: change.verbatim.clone(), ids }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_counts_on_what_came_before_it_and_nowhere_else() {
        let tree = |digit: char| -> TreeId { digit.to_string().repeat(40).parse().expect("an id") };
        let places = [("1", 1), ("2", 2), ("3", 3)].map(|(id, at)| (id.to_owned(), at));
        let mut contents = Contents::new(places.into());
        for (id, before, after) in [("1", 'a', 'b'), ("2", 'b', 'c'), ("3", 'd', 'e')] {
            contents.add_tree(tree(after).as_str(), [id]);
            contents.add_base(tree(before).as_str(), [id]);
        }
        let change = |by_git: &str, verbatim: &str| ChangeId {
            by_git: by_git.to_owned(),
            verbatim: verbatim.to_owned(),
        };
        contents.add_change(&change("change", "v"), ["1"]);
        contents.add_change(&change("change", ""), ["1"]);
        contents.add_change(&change("old", ""), ["2"]);
        let stands =
            |after, before| contents.by_tree(&tree(after), Some(tree(before).as_str())).is_some();
        assert!(stands('b', 'a') && stands('c', 'b') && stands('c', 'a') && stands('e', 'a'));
        // Later work is taken back: the job's own, and that of others.
        assert!(!stands('b', 'd') && !stands('b', 'f') && !stands('f', 'a'));
        assert!(contents.by_tree(&tree('b'), None).is_none(), "it may stand on anything");
        let reached = contents.reached(&[tree('d').to_string()].into());
        assert_eq!(reached, [tree('e').to_string()].into());
        // What another job stands on may be here by its name alone.
        contents.add_landed("one", ["1"]);
        contents.add_landed("three", ["3"]);
        let reached = contents.reached(&[tree('d').to_string()].into());
        assert_eq!(reached, [tree('e').to_string(), "three".to_owned()].into());
        assert!(contents.reached(&[tree('a').to_string()].into()).contains("one"));
        let by = |by_git, verbatim, after| {
            let changes = Changes { product: change(by_git, verbatim), whole: change("", "") };
            contents.by_change(&changes, &tree(after)).map(|it| (it.by, it.loose))
        };
        assert_eq!(by("change", "v", 'b'), Some((Content::Tree, false)));
        assert_eq!(by("change", "v", 'f'), Some((Content::PatchId, false)));
        assert_eq!(by("change", "w", 'f'), None, "white space differs");
        assert_eq!(by("old", "w", 'f'), Some((Content::PatchId, true)), "nobody can know");
        assert_eq!(by("", "", 'b'), Some((Content::Tree, false)), "memory alone is between");
        assert_eq!((by("other", "v", 'b'), by("", "", 'f')), (None, None));
    }
}
