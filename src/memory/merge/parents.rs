//! What each unit belongs to: the title above it, the list item that it is indented below, the
//! table whose row it is. In a joined text that is what it was on its side.

use super::hunks::{At, Group, Side, What};
use super::units::{Shape, Unit};
use super::{Placed, Versions, added, alike, placed};

/// A unit, whichever version has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Id {
    Base(usize),
    Ours(usize),
    Theirs(usize),
}

/// What a unit belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parent {
    /// The place of another one, or the text itself.
    Known(Option<usize>),
    /// Both versions of a part stand above it: whoever decides sees it.
    Open,
}

/// A step to the joined text.
#[derive(Debug)]
pub(super) enum Step<'u, 'a> {
    Put(Placed<'u, 'a>),
    /// Both changed these units.
    Both(At<std::ops::Range<usize>>),
}

/// One unit of the joined text, or a part that both changed, which has no shape.
struct Cell {
    group: usize,
    shape: Option<Shape>,
    id: Option<Id>,
    /// Where each version has it.
    base: Option<usize>,
    ours: Option<usize>,
    theirs: Option<usize>,
}

/// The steps from the parts `groups`; where a unit would belong to another one than on its side,
/// what lies between is a part that both changed.
pub(super) fn steps<'u, 'a>(
    mut groups: Vec<Group>,
    units: Versions<&'u [Unit<'a>]>,
) -> Vec<Step<'u, 'a>> {
    loop {
        let mut plan = Plan::new(&groups, units);
        for (n, group) in groups.iter().enumerate() {
            plan.take(n, group);
        }
        let Some((from, to)) = plan.strays(&groups) else { return plan.steps };
        let fused = Group::fused(&groups[from..=to]);
        groups.splice(from..=to, fused);
    }
}

struct Plan<'u, 'a> {
    units: Versions<&'u [Unit<'a>]>,
    /// What each unit of the two sides is.
    ours: Vec<Id>,
    theirs: Vec<Id>,
    cells: Vec<Cell>,
    steps: Vec<Step<'u, 'a>>,
}

impl<'u, 'a> Plan<'u, 'a> {
    fn new(groups: &[Group], units: Versions<&'u [Unit<'a>]>) -> Self {
        let mut ours: Vec<Id> = (0..units.ours.len()).map(Id::Ours).collect();
        let mut theirs: Vec<Id> = (0..units.theirs.len()).map(Id::Theirs).collect();
        for Group { what, at } in groups {
            let pairs = at.ours.clone().zip(at.theirs.clone());
            let stays = stays(*what, at, &units);
            for (n, base) in at.base.clone().enumerate() {
                if stays || *what == What::One(Side::Theirs) {
                    ours[at.ours.start + n] = Id::Base(base);
                }
                if stays || *what == What::One(Side::Ours) {
                    theirs[at.theirs.start + n] = Id::Base(base);
                }
            }
            if *what == What::Same && !stays {
                for (own, other) in pairs {
                    theirs[other] = Id::Ours(own);
                }
            }
        }
        Self { units, ours, theirs, cells: Vec::new(), steps: Vec::new() }
    }

    /// Adds what becomes of one part.
    fn take(&mut self, n: usize, group: &Group) {
        let Group { what, at } = group;
        let stays = stays(*what, at, &self.units);
        let base = stays.then_some(at.base.start);
        match what {
            What::Kept => self.kept(n, at),
            What::One(Side::Ours) | What::Same => {
                for (k, own) in placed(self.units.ours, at.ours.clone()).into_iter().enumerate() {
                    let same = stays || *what == What::Same;
                    let theirs = same.then_some(at.theirs.start + k);
                    self.put(n, own, (base, Some(at.ours.start + k), theirs));
                }
            }
            What::One(Side::Theirs) => {
                let all = placed(self.units.theirs, at.theirs.clone());
                for (k, other) in all.into_iter().enumerate() {
                    let ours = stays.then_some(at.ours.start);
                    self.put(n, other, (base, ours, Some(at.theirs.start + k)));
                }
            }
            What::Added => {
                let ours = placed(self.units.ours, at.ours.clone());
                let theirs = placed(self.units.theirs, at.theirs.clone());
                for (own, other) in added::joined(&ours, &theirs) {
                    let own_at = own.map(|own| at.ours.start + own);
                    let other_at = other.map(|other| at.theirs.start + other);
                    if let (Some(own), Some(other)) = (own_at, other_at) {
                        self.theirs[other] = Id::Ours(own);
                    }
                    let unit = own.map(|own| ours[own]).or(other.map(|other| theirs[other]));
                    if let Some(unit) = unit {
                        self.put(n, unit, (None, own_at, other_at));
                    }
                }
            }
            What::Both => self.both(n, at, stays),
        }
    }

    fn kept(&mut self, n: usize, at: &At<std::ops::Range<usize>>) {
        let of = Versions {
            base: &self.units.base[at.base.start],
            ours: &self.units.ours[at.ours.start],
            theirs: &self.units.theirs[at.theirs.start],
        };
        let Some(mut unit) = placed(self.units.ours, at.ours.clone()).pop() else { return };
        unit.gap = of.map(|unit| unit.gap).settled();
        unit.goes_on = of.map(|unit| unit.shape.goes_on).settled();
        self.put(n, unit, (Some(at.base.start), Some(at.ours.start), Some(at.theirs.start)));
    }

    fn both(&mut self, n: usize, at: &At<std::ops::Range<usize>>, stays: bool) {
        let shape = stays.then(|| {
            let of = Versions {
                base: self.units.base[at.base.start].shape,
                ours: self.units.ours[at.ours.start].shape,
                theirs: self.units.theirs[at.theirs.start].shape,
            };
            of.settled()
        });
        self.cells.push(Cell {
            group: n,
            shape,
            id: stays.then_some(Id::Base(at.base.start)),
            base: stays.then_some(at.base.start),
            ours: stays.then_some(at.ours.start),
            theirs: stays.then_some(at.theirs.start),
        });
        self.steps.push(Step::Both(at.clone()));
    }

    fn put(
        &mut self,
        group: usize,
        unit: Placed<'u, 'a>,
        (base, ours, theirs): (Option<usize>, Option<usize>, Option<usize>),
    ) {
        let id = base.map(Id::Base).or(ours.map(Id::Ours)).or(theirs.map(Id::Theirs));
        let shape = Some(Shape { goes_on: unit.goes_on, ..unit.unit.shape });
        self.cells.push(Cell { group, shape, id, base, ours, theirs });
        self.steps.push(Step::Put(unit));
    }

    /// The parts from what the first stray unit belonged to up to it.
    fn strays(&self, groups: &[Group]) -> Option<(usize, usize)> {
        let shapes = |units: &[Unit<'_>]| units.iter().map(|unit| Some(unit.shape)).collect();
        let of = self.units.map(|units| parents(shapes(units)));
        let id_of = |parent: Parent, ids: &dyn Fn(usize) -> Id| match parent {
            Parent::Known(at) => at.map(ids),
            Parent::Open => None,
        };
        let now = parents(self.cells.iter().map(|cell| cell.shape).collect());
        for (n, cell) in self.cells.iter().enumerate() {
            let Parent::Known(parent) = now[n] else { continue };
            let base = cell.base.map(|at| id_of(of.base[at], &Id::Base));
            let ours = cell.ours.map(|at| id_of(of.ours[at], &|at| self.ours[at]));
            let theirs = cell.theirs.map(|at| id_of(of.theirs[at], &|at| self.theirs[at]));
            let wanted = match (base, ours, theirs) {
                (Some(base), Some(ours), Some(theirs)) => Versions { base, ours, theirs }.agreed(),
                (_, Some(ours), Some(theirs)) => (ours == theirs).then_some(ours),
                (_, Some(one), None) | (_, None, Some(one)) => Some(one),
                (_, None, None) => continue,
            };
            let has = parent.and_then(|at| self.cells[at].id);
            if wanted == Some(has) {
                // What is above its parent has to be the same as well for what is new.
                let side = match (cell.base, cell.ours, cell.theirs) {
                    (None, Some(at), _) => above(&of.ours, at, &|at| Some(self.ours[at])),
                    (None, None, Some(at)) => above(&of.theirs, at, &|at| Some(self.theirs[at])),
                    _ => continue,
                };
                let (Some(side), Some(here)) = (side, above(&now, n, &|at| self.cells[at].id))
                else {
                    continue;
                };
                let Some(lost) = side.iter().find(|id| !here.contains(id)) else { continue };
                let lies = lost.and_then(|id| self.group_of(id, groups));
                return Some(span(lies, None, cell.group, groups));
            }
            let lies = wanted.flatten().and_then(|id| self.group_of(id, groups));
            let above = parent.map(|at| self.cells[at].group);
            return Some(span(lies, above, cell.group, groups));
        }
        let in_both = |id: Option<Id>| {
            let Some(Id::Base(at)) = id else { return false };
            groups.iter().any(|group| group.what == What::Both && group.at.base.contains(&at))
        };
        // What one side deleted, and the other put below something else.
        groups
            .iter()
            .position(|Group { what, at }| {
                let What::One(by) = *what else { return false };
                let (other, ids, from) = match by {
                    Side::Ours => (&of.theirs, &self.theirs, at.theirs.start),
                    Side::Theirs => (&of.ours, &self.ours, at.ours.start),
                };
                !stays(*what, at, &self.units)
                    && at.base.clone().enumerate().any(|(n, base)| {
                        let was = id_of(of.base[base], &Id::Base);
                        !in_both(was) && was != id_of(other[from + n], &|at| ids[at])
                    })
            })
            .map(|at| (at, at))
    }

    /// The part in which a unit lies, or lay.
    fn group_of(&self, id: Id, groups: &[Group]) -> Option<usize> {
        let there = self.cells.iter().find(|cell| cell.id == Some(id)).map(|cell| cell.group);
        there.or_else(|| {
            groups.iter().position(|group| match id {
                Id::Base(at) => group.at.base.contains(&at),
                Id::Ours(at) => group.at.ours.contains(&at),
                Id::Theirs(at) => group.at.theirs.contains(&at),
            })
        })
    }
}

/// All that a unit is below; nothing where a part that both changed hides it.
fn above(
    parents: &[Parent],
    mut at: usize,
    ids: &dyn Fn(usize) -> Option<Id>,
) -> Option<Vec<Option<Id>>> {
    let mut found = Vec::new();
    loop {
        match parents[at] {
            Parent::Known(Some(next)) => {
                found.push(ids(next));
                at = next;
            }
            Parent::Known(None) => return Some(found),
            Parent::Open => return None,
        }
    }
}

/// From where a unit belonged, or else from what it would belong to, up to it.
fn span(lies: Option<usize>, above: Option<usize>, own: usize, groups: &[Group]) -> (usize, usize) {
    let from = lies.or(above).unwrap_or(0);
    let found = (from.min(own), from.max(own));
    if found.0 < found.1 || groups[own].what == What::Added {
        return found;
    }
    // Nothing else says what it is: the whole text is for a person.
    (0, groups.len() - 1)
}

/// One unit that is still the same after it was changed.
fn stays(what: What, at: &At<std::ops::Range<usize>>, units: &Versions<&[Unit<'_>]>) -> bool {
    let ranges = [&at.base, &at.ours, &at.theirs];
    if ranges.iter().any(|range| range.len() != 1) {
        return false;
    }
    let base = &units.base[at.base.start];
    let (ours, theirs) = (&units.ours[at.ours.start], &units.theirs[at.theirs.start]);
    match what {
        What::Kept => true,
        What::Added => false,
        What::Both => [ours.kind, theirs.kind] == [base.kind; 2],
        What::One(_) | What::Same => [ours, theirs].iter().all(|unit| {
            unit.lines == base.lines
                || (unit.kind == base.kind
                    && [unit.shape.level, Some(unit.shape.indent)]
                        == [base.shape.level, Some(base.shape.indent)]
                    && alike(&unit.lines, &base.lines, true))
        }),
    }
}

/// What each unit belongs to, in the order of a text; a part without a shape may hold anything.
fn parents(shapes: Vec<Option<Shape>>) -> Vec<Parent> {
    let mut titles: Vec<(usize, usize)> = Vec::new();
    let mut items: Vec<(usize, usize)> = Vec::new();
    let mut table: Option<usize> = None;
    // A part that both changed stands above, and hides what is above it.
    let (mut open, mut open_items) = (false, false);
    let mut found = Vec::with_capacity(shapes.len());
    for (at, shape) in shapes.into_iter().enumerate() {
        let Some(shape) = shape else {
            titles.clear();
            items.clear();
            (table, open, open_items) = (None, true, true);
            found.push(Parent::Open);
            continue;
        };
        let below = |titles: &[(usize, usize)], open: bool| match titles.last() {
            Some((_, title)) => Parent::Known(Some(*title)),
            None if open => Parent::Open,
            None => Parent::Known(None),
        };
        if let Some(level) = shape.level {
            open &= level > 0;
            titles.retain(|(above, _)| *above < level);
            found.push(below(&titles, open));
            titles.push((level, at));
            items.clear();
            (table, open_items) = (None, false);
            continue;
        }
        items.retain(|(indent, _)| *indent < shape.indent);
        let parent = match (items.last(), table) {
            (_, Some(head)) if shape.goes_on => Parent::Known(Some(head)),
            (None, None) if open_items && (shape.goes_on || shape.indent > 0) => Parent::Open,
            (Some((_, item)), _) => Parent::Known(Some(*item)),
            (None, _) => below(&titles, open),
        };
        found.push(parent);
        open_items &= shape.indent > 0;
        if !(shape.is_row && shape.goes_on) {
            table = shape.is_row.then_some(at);
        }
        if shape.is_item {
            items.push((shape.indent, at));
        }
    }
    found
}
