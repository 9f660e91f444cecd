//! What the commits of a job hold, as far as it is known, and which steps a commit stands for that
//! holds the same.
//!
//! A tree alone vouches for nothing: a commit that takes a whole repository back to an old one has
//! it too, and undoes what came since. It counts where the commit stands on a tree that the job's
//! commits stand on, no later than this one, or where its change is one of the job's.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::Content;
use crate::store::TreeId;

/// Steps that one content stands for.
pub(crate) type Ids = BTreeSet<String>;

/// What a commit changes: without memory, and with it; empty where that is nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub product: String,
    pub whole: String,
}

/// What a job's commits hold.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// The place of each step in the chain.
    places: BTreeMap<String, usize>,
    trees: BTreeMap<String, Held>,
    /// Trees on which commits of the job stand, each with the place of the first that does.
    bases: BTreeMap<String, usize>,
    /// With memory left out.
    changes: BTreeMap<String, Ids>,
    /// With memory; of single commits.
    whole: BTreeMap<String, Ids>,
    /// By the commits that landings made.
    landed: BTreeMap<String, Ids>,
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
    pub(crate) fn add_change<'a>(&mut self, change: &str, ids: impl IntoIterator<Item = &'a str>) {
        add(&mut self.changes, change, ids);
    }

    /// Steps that change this in all.
    pub(crate) fn add_whole<'a>(&mut self, change: &str, ids: impl IntoIterator<Item = &'a str>) {
        add(&mut self.whole, change, ids);
    }

    /// A commit that a landing made for these steps.
    pub(crate) fn add_landed<'a>(&mut self, commit: &str, ids: impl IntoIterator<Item = &'a str>) {
        add(&mut self.landed, commit, ids);
    }

    /// Of a step that a person undid only what no other holds is taken in.
    pub(crate) fn lacks_tree(&self, tree: &str) -> bool {
        !self.trees.contains_key(tree)
    }

    pub(crate) fn lacks_change(&self, change: &str) -> bool {
        !self.changes.contains_key(change)
    }

    pub(crate) fn lacks_whole(&self, change: &str) -> bool {
        !self.whole.contains_key(change)
    }

    /// The steps that a landing made this commit for; its tree has all of the job until then.
    pub(crate) fn by_landing(&self, commit: &str) -> Option<(Content, &Ids)> {
        self.landed.get(commit).map(|ids| (Content::Tree, ids))
    }

    /// The steps that have this tree, where a commit that stands on `before` made it as they did.
    pub(crate) fn by_tree(&self, tree: &TreeId, before: Option<&str>) -> Option<(Content, &Ids)> {
        let held = self.trees.get(tree.as_str())?;
        let first = *self.bases.get(before?)?;
        held.place.is_some_and(|place| first <= place).then_some((Content::Tree, &held.ids))
    }

    /// The trees that the job's commits lead to from any of these.
    pub(crate) fn reached(&self, from: &BTreeSet<String>) -> BTreeSet<String> {
        let Some(first) = from.iter().filter_map(|tree| self.bases.get(tree)).min() else {
            return BTreeSet::new();
        };
        let later = |held: &Held| held.place.is_some_and(|place| *first <= place);
        self.trees.iter().filter(|(_, held)| later(held)).map(|(tree, _)| tree.clone()).collect()
    }

    /// The steps that change the same; of a tree that steps have, those.
    pub(crate) fn by_change(&self, changes: &Changes, tree: &TreeId) -> Option<(Content, &Ids)> {
        let held = self.trees.get(tree.as_str()).map(|held| (Content::Tree, &held.ids));
        if changes.product.is_empty() && held.is_some() {
            // All that came since is in it, but for memory.
            return held;
        }
        let found = self.changes.get(&changes.product).or_else(|| self.whole.get(&changes.whole));
        found.map(|ids| held.unwrap_or((Content::PatchId, ids)))
    }
}

/// An empty change is none: half of all commits would make it.
fn add<'a>(to: &mut BTreeMap<String, Ids>, key: &str, ids: impl IntoIterator<Item = &'a str>) {
    if !key.is_empty() {
        to.entry(key.to_owned()).or_default().extend(ids.into_iter().map(str::to_owned));
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
        contents.add_change("change", ["1"]);
        let stands =
            |after, before| contents.by_tree(&tree(after), Some(tree(before).as_str())).is_some();
        assert!(stands('b', 'a') && stands('c', 'b') && stands('c', 'a') && stands('e', 'a'));
        // Later work is taken back: the job's own, and that of others.
        assert!(!stands('b', 'd') && !stands('b', 'f') && !stands('f', 'a'));
        assert!(contents.by_tree(&tree('b'), None).is_none(), "it may stand on anything");
        let reached = contents.reached(&[tree('d').to_string()].into());
        assert_eq!(reached, [tree('e').to_string()].into());
        let changes = |product: &str| Changes { product: product.to_owned(), whole: String::new() };
        let by =
            |product, after| contents.by_change(&changes(product), &tree(after)).map(|it| it.0);
        assert_eq!(by("change", 'b'), Some(Content::Tree));
        assert_eq!(by("change", 'f'), Some(Content::PatchId));
        assert_eq!(by("", 'b'), Some(Content::Tree), "memory alone is between");
        assert_eq!((by("other", 'b'), by("", 'f')), (None, None));
    }
}
