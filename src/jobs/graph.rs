//! Who waits for whom: jobs, and the edges from each to those it depends on.
//!
//! A job waits for every job that it names. No job may wait for itself, over any number of
//! edges; what would close such a circle is asked before an edge is added. Everything here
//! looks at each job and each edge once.

use std::collections::{HashMap, HashSet};

use super::{JobId, Status};
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// A job, as far as the graph needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub id: JobId,
    pub name: String,
    pub status: Status,
    pub depends_on: Vec<JobId>,
}

/// Jobs and what they wait for. An edge may lead to a job that is nowhere.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    at: HashMap<JobId, usize>,
}

/// One line of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    pub id: JobId,
    /// How many edges below the first one of its tree.
    pub depth: usize,
    /// It was drawn before, with all that it waits for.
    pub again: bool,
}

/// The jobs from `from` to `to` along what each waits for, both included; `None` if none
/// leads there. `edges` is asked once for each job that is met.
pub(crate) fn way<E>(
    from: &JobId,
    to: &JobId,
    mut edges: impl FnMut(&JobId) -> Result<Vec<JobId>, E>,
) -> Result<Option<Vec<JobId>>, E> {
    let mut came: HashMap<JobId, Option<JobId>> = HashMap::from([(from.clone(), None)]);
    let mut ahead = vec![from.clone()];
    while let Some(id) = ahead.pop() {
        if id == *to {
            let mut way = vec![id];
            while let Some(before) = way.last().and_then(|id| came.get(id)).cloned().flatten() {
                way.push(before);
            }
            way.reverse();
            return Ok(Some(way));
        }
        for next in edges(&id)? {
            if !came.contains_key(&next) {
                came.insert(next.clone(), Some(id.clone()));
                ahead.push(next);
            }
        }
    }
    Ok(None)
}

impl Graph {
    /// The graph of these jobs; of two with one id the later counts.
    pub fn new(nodes: impl IntoIterator<Item = Node>) -> Self {
        let mut graph = Self::default();
        for node in nodes {
            if let Some(&at) = graph.at.get(&node.id) {
                graph.nodes[at] = node;
            } else {
                graph.at.insert(node.id.clone(), graph.nodes.len());
                graph.nodes.push(node);
            }
        }
        graph
    }

    pub(crate) fn get(&self, id: &JobId) -> Option<&Node> {
        self.at.get(id).map(|&at| &self.nodes[at])
    }

    fn edges(&self, id: &JobId) -> Vec<JobId> {
        self.get(id).map(|node| node.depends_on.clone()).unwrap_or_default()
    }

    /// The jobs from `from` to `to` along what each waits for.
    pub fn way(&self, from: &JobId, to: &JobId) -> Option<Vec<JobId>> {
        let found: Result<_, std::convert::Infallible> = way(from, to, |id| Ok(self.edges(id)));
        found.unwrap_or_default()
    }

    /// Makes `from` wait for `to`, unless `to` waits for `from`: then the circle is given that
    /// it would close, from `from` over `to` and back.
    #[cfg(test)]
    pub(crate) fn add(&mut self, from: &JobId, to: &JobId) -> Result<(), Vec<JobId>> {
        if let Some(back) = self.way(to, from) {
            return Err([from.clone()].into_iter().chain(back).collect());
        }
        if let Some(&at) = self.at.get(from) {
            let known = &mut self.nodes[at].depends_on;
            if !known.contains(to) {
                known.push(to.clone());
            }
        }
        Ok(())
    }

    /// `from` no longer waits for `to`.
    #[cfg(test)]
    pub(crate) fn remove(&mut self, from: &JobId, to: &JobId) {
        if let Some(&at) = self.at.get(from) {
            self.nodes[at].depends_on.retain(|known| known != to);
        }
    }

    /// Some job that waits for itself, if there is one.
    pub fn circle(&self) -> Option<&JobId> {
        // Takes away jobs that nobody left waits for, until none is left or a circle is.
        let mut waited = vec![0_u32; self.nodes.len()];
        let places = |node: &Node| -> Vec<usize> {
            node.depends_on.iter().filter_map(|id| self.at.get(id).copied()).collect()
        };
        for to in self.nodes.iter().flat_map(places) {
            waited[to] += 1;
        }
        let mut free: Vec<usize> = (0..self.nodes.len()).filter(|&at| waited[at] == 0).collect();
        while let Some(at) = free.pop() {
            for to in places(&self.nodes[at]) {
                waited[to] -= 1;
                if waited[to] == 0 {
                    free.push(to);
                }
            }
        }
        // What is left lies on a circle or is waited for by one; every one of them is waited
        // for, so going back from any comes round.
        let mut at = waited.iter().position(|&n| n > 0)?;
        let mut back: HashMap<usize, usize> = HashMap::new();
        for (from, node) in self.nodes.iter().enumerate().filter(|(from, _)| waited[*from] > 0) {
            back.extend(places(node).into_iter().map(|to| (to, from)));
        }
        let mut met = HashSet::new();
        while met.insert(at) {
            at = *back.get(&at)?;
        }
        Some(&self.nodes[at].id)
    }

    /// Those that `id` still waits for: everything that is neither completed nor parked.
    #[cfg(test)]
    pub(crate) fn waits_for(&self, id: &JobId) -> Vec<JobId> {
        let open = |id: &JobId| {
            !matches!(
                self.get(id).map(|node| node.status),
                Some(Status::Completed | Status::Voided)
            )
        };
        self.edges(id).into_iter().filter(open).collect()
    }

    /// The open jobs as trees, each above what it waits for. A job is drawn once with what
    /// hangs on it; where it comes again it only points there.
    pub fn draw(&self) -> Vec<Drawn> {
        let waited: HashSet<&JobId> = self
            .nodes
            .iter()
            .filter(|node| is_drawn(node))
            .flat_map(|node| node.depends_on.iter())
            .collect();
        let open: Vec<&JobId> =
            self.nodes.iter().filter(|node| is_drawn(node)).map(|node| &node.id).collect();
        let (first, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|id| !waited.contains(id));
        let mut lines = Vec::new();
        let mut met = HashSet::new();
        // What stands only on a circle hangs below no other, and is drawn for itself.
        for top in first.into_iter().chain(rest) {
            if !met.contains(top) {
                self.draw_from(top, &mut met, &mut lines);
            }
        }
        lines
    }

    fn draw_from<'a>(
        &'a self,
        top: &'a JobId,
        met: &mut HashSet<&'a JobId>,
        lines: &mut Vec<Drawn>,
    ) {
        let mut ahead = vec![(top, 0)];
        while let Some((id, depth)) = ahead.pop() {
            let again = !met.insert(id);
            lines.push(Drawn { id: id.clone(), depth, again });
            let below =
                self.get(id).filter(|_| !again).map_or(&[][..], |node| node.depends_on.as_slice());
            ahead.extend(below.iter().rev().map(|next| (next, depth + 1)));
        }
    }
}

/// Completed and parked jobs are drawn only where an open one names them.
fn is_drawn(node: &Node) -> bool {
    !matches!(node.status, Status::Completed | Status::Voided)
}

fn no(id: &JobId, case: Case) -> Refusal {
    Refusal::new("graph", Wants::Edge).case(case).with("id", id.to_string())
}

/// Job `from` may wait for `id`, of this `status`. `back` is the way from `id` to `from`, if there
/// is one: the new edge would close a circle.
pub(crate) fn may_wait(
    from: &JobId,
    id: &JobId,
    back: Option<&[JobId]>,
    status: Status,
) -> Verdict {
    if let Some(back) = back {
        let round: Vec<String> = [from].into_iter().chain(back).map(ToString::to_string).collect();
        return Err(no(id, Case::Circle).with("where", round.join(" > ")));
    }
    if status == Status::Voided { Err(no(id, Case::EdgeToVoided)) } else { Ok(()) }
}

/// The edge to `id` may go, and the job behind it may be parked where `void` says so. `status` is
/// none where its record is nowhere: that can only be let go of. `held` is another worktree that
/// has it in focus, and `phase` where the command is given.
pub(crate) fn may_unlink(
    id: &JobId,
    status: Option<Status>,
    void: bool,
    held: Option<&str>,
    phase: &str,
) -> Verdict {
    let no = |case: Case| Err(no(id, case).with("phase", phase));
    match (status, held) {
        (None, _) if void => no(Case::VoidNowhere),
        (Some(status @ (Status::Completed | Status::Voided)), _) => {
            no(Case::SettledAlready).map_err(|refusal| refusal.with("status", status.word()))
        }
        (Some(_), Some(worktree)) if void => {
            no(Case::VoidFocused).map_err(|refusal| refusal.with("worktree", worktree))
        }
        (Some(Status::Awaiting), _) if void => no(Case::VoidAwaiting),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(n: usize) -> JobId {
        format!("j{n}").parse().expect("an id")
    }

    fn node(n: usize, status: Status, depends_on: &[usize]) -> Node {
        let depends_on = depends_on.iter().map(|&n| id(n)).collect();
        Node { id: id(n), name: format!("job {n}"), status, depends_on }
    }

    fn drawn(graph: &Graph) -> Vec<String> {
        let line = |line: Drawn| {
            let mark = if line.again { " again" } else { "" };
            format!("{}{}{mark}", "  ".repeat(line.depth), line.id)
        };
        graph.draw().into_iter().map(line).collect()
    }

    #[test]
    fn shared_jobs_are_drawn_once() {
        let graph = Graph::new([
            node(0, Status::Active, &[1, 2]),
            node(1, Status::Pending, &[3, 9]),
            node(2, Status::Pending, &[1]),
            node(3, Status::Completed, &[4]),
            node(4, Status::Voided, &[]),
            node(5, Status::Completed, &[4]),
            node(6, Status::Awaiting, &[]),
        ]);
        assert_eq!(
            drawn(&graph),
            ["j0", "  j1", "    j3", "      j4", "    j9", "  j2", "    j1 again", "j6"]
        );
        assert_eq!(graph.circle(), None);
        assert_eq!(graph.waits_for(&id(1)), [id(9)], "what is nowhere is waited for");
    }

    #[test]
    fn a_circle_is_found_and_still_drawn() {
        let graph = Graph::new([
            node(0, Status::Active, &[1]),
            node(1, Status::Active, &[2]),
            node(2, Status::Active, &[1, 3]),
            node(3, Status::Active, &[]),
        ]);
        assert!(graph.circle().is_some_and(|found| [id(1), id(2)].contains(found)));
        assert_eq!(drawn(&graph), ["j0", "  j1", "    j2", "      j1 again", "      j3"]);
        let round = Graph::new([node(0, Status::Active, &[1]), node(1, Status::Active, &[0])]);
        assert_eq!(drawn(&round), ["j0", "  j1", "    j0 again"]);
        let alone = Graph::new([node(0, Status::Active, &[0])]);
        assert_eq!(alone.circle(), Some(&id(0)));
    }

    #[test]
    fn a_long_line_needs_no_stack() {
        const MANY: usize = 100_000;
        let graph = Graph::new((0..MANY).map(|n| node(n, Status::Pending, &[n + 1])));
        assert_eq!(graph.circle(), None);
        assert_eq!(graph.way(&id(0), &id(MANY)).map(|way| way.len()), Some(MANY + 1));
    }

    const JOBS: usize = 7;

    #[derive(Clone, Debug)]
    enum Turn {
        Add(usize, usize),
        Remove(usize, usize),
        Void(usize, usize),
    }

    /// Who can be reached from whom, by trying every pair again until nothing is new.
    fn naive(edges: &[[bool; JOBS]; JOBS]) -> [[bool; JOBS]; JOBS] {
        let mut reach = *edges;
        for _ in 0..JOBS {
            for from in 0..JOBS {
                for over in 0..JOBS {
                    for to in 0..JOBS {
                        reach[from][to] |= reach[from][over] && reach[over][to];
                    }
                }
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn it_does_what_a_plain_table_of_edges_does(turns in proptest::collection::vec(
            (0..3_u8, 0..JOBS, 0..JOBS).prop_map(|(turn, from, to)| match turn {
                0 => Turn::Remove(from, to),
                1 => Turn::Void(from, to),
                _ => Turn::Add(from, to),
            }),
            0..60,
        )) {
            let mut graph = Graph::new((0..JOBS).map(|n| node(n, Status::Pending, &[])));
            let mut edges = [[false; JOBS]; JOBS];
            let mut voided = [false; JOBS];
            for turn in turns {
                match turn {
                    Turn::Add(from, to) => {
                        let closes = from == to || naive(&edges)[to][from];
                        let added = graph.add(&id(from), &id(to));
                        prop_assert_eq!(added.is_err(), closes);
                        match added {
                            Ok(()) => edges[from][to] = true,
                            Err(circle) => {
                                prop_assert_eq!((circle.first(), circle.last()),
                                    (Some(&id(from)), Some(&id(from))));
                                for pair in circle[1..].windows(2) {
                                    prop_assert!(graph.get(&pair[0])
                                        .is_some_and(|node| node.depends_on.contains(&pair[1])));
                                }
                            }
                        }
                    }
                    Turn::Remove(from, to) => {
                        graph.remove(&id(from), &id(to));
                        edges[from][to] = false;
                    }
                    Turn::Void(from, to) => {
                        graph.remove(&id(from), &id(to));
                        edges[from][to] = false;
                        let at = graph.at[&id(to)];
                        graph.nodes[at].status = Status::Voided;
                        voided[to] = true;
                    }
                }
                prop_assert_eq!(graph.circle(), None);
                let reach = naive(&edges);
                for from in 0..JOBS {
                    let waits: Vec<JobId> = graph.waits_for(&id(from));
                    for to in 0..JOBS {
                        let there = from == to || reach[from][to];
                        prop_assert_eq!(graph.way(&id(from), &id(to)).is_some(), there);
                        prop_assert_eq!(waits.contains(&id(to)), edges[from][to] && !voided[to]);
                    }
                }
                let mut seen: Vec<JobId> = graph.draw().into_iter().filter(|line| !line.again)
                    .map(|line| line.id).collect();
                let count = seen.len();
                seen.sort();
                seen.dedup();
                prop_assert_eq!(seen.len(), count, "each job is drawn once");
                for (n, voided) in voided.iter().enumerate() {
                    prop_assert!(*voided || seen.contains(&id(n)), "every open job is drawn");
                }
            }
        }

        #[test]
        fn a_circle_is_told_as_a_plain_table_tells_it(
            pairs in proptest::collection::vec((0..JOBS, 0..JOBS), 0..12)) {
            let mut edges = [[false; JOBS]; JOBS];
            for (from, to) in pairs {
                edges[from][to] = true;
            }
            let graph = Graph::new((0..JOBS).map(|n| {
                let below: Vec<usize> = (0..JOBS).filter(|&to| edges[n][to]).collect();
                node(n, Status::Pending, &below)
            }));
            let reach = naive(&edges);
            let on: Vec<JobId> = (0..JOBS).filter(|&n| reach[n][n]).map(id).collect();
            match graph.circle() {
                Some(found) => prop_assert!(on.contains(found), "{} is on no circle", found),
                None => prop_assert!(on.is_empty()),
            }
        }
    }

    #[test]
    fn edges_come_and_go_by_what_the_other_job_is() {
        let case = |verdict: Verdict| {
            verdict.map_or_else(
                |no| no.facts.get("case").unwrap_or("-").to_owned(),
                |()| "yes".to_owned(),
            )
        };
        let id = |text: &str| text.parse::<JobId>().expect("an id");
        let (a, b) = (id("a"), id("b"));
        let back = [b.clone(), a.clone()];
        assert_eq!(case(may_wait(&a, &b, None, Status::Pending)), "yes");
        assert_eq!(case(may_wait(&a, &b, None, Status::Voided)), "edge-to-voided");
        let circle = may_wait(&a, &b, Some(&back), Status::Pending).expect_err("a circle");
        assert_eq!(circle.facts.get("where"), Some("a > b > a"));
        for (status, void, held, expected) in [
            (None, false, None, "yes"),
            (None, true, None, "void-nowhere"),
            (Some(Status::Pending), false, None, "yes"),
            (Some(Status::Pending), true, None, "yes"),
            (Some(Status::Pending), true, Some("/w"), "void-focused"),
            (Some(Status::Completed), false, None, "settled-already"),
            (Some(Status::Voided), true, None, "settled-already"),
            (Some(Status::Awaiting), false, None, "yes"),
            (Some(Status::Awaiting), true, None, "void-awaiting"),
        ] {
            assert_eq!(
                case(may_unlink(&b, status, void, held, "verify")),
                expected,
                "{status:?} {void}"
            );
        }
    }
}
