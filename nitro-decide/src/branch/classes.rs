//! Classes of points: those that differ only in choices that seldom matter. One point stands for the others of its
//! class, and samples say how far they differ.

use std::collections::{BinaryHeap, HashMap};

use nitro_search::ClassCounts;
use nitro_stats::random::Random;

use super::node::Node;
use super::{BranchAndBound, LowerBound};
use crate::candidate::{Candidate, ChoiceId, Values};

/// So many ways into a class are tried for each member that is drawn: some end where nothing is left.
const TRIES: usize = 8;
/// The most states of a class that are looked at for the point with the least bound.
const MOST_EXPANDED: usize = 64;

/// How classes are closed ([`BranchPlan::classes`](super::BranchPlan::classes)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassPlan {
    /// Of one in so many classes further members are timed, at least of one in one.
    pub every: u64,
    /// The number of these members.
    pub members: usize,
}

impl Default for ClassPlan {
    fn default() -> Self {
        Self { every: 16, members: 4 }
    }
}

/// A class of which one point was handed out or known.
struct Class {
    node: Node,
    representative: Vec<usize>,
    /// The time of the representative; none as long as it has not run, and where it failed.
    time_ns: Option<f64>,
    /// The fastest of the further members that were drawn.
    least_ns: f64,
    /// The number of these.
    drawn: u64,
    /// The number of its points that were known when it was closed; the others of these were handed out.
    known: u64,
    /// The number of points that are not handed out, where they are counted.
    points: u64,
}

/// The classes of a search.
#[derive(Default)]
pub(super) struct Classes {
    closed: Vec<Class>,
    /// The class of each point that stands for one, or was drawn of it.
    of: HashMap<Vec<usize>, usize>,
    /// Members that were drawn and are not handed out yet.
    drawn: Vec<Node>,
    opened: u64,
}

impl Classes {
    /// Returns the largest share by which a drawn member is faster than the point that stands for its class.
    fn spread(&self) -> f64 {
        let share = |class: &Class| class.time_ns.map_or(0.0, |time_ns| 1.0 - class.least_ns / time_ns);
        self.closed.iter().map(share).fold(0.0, f64::max)
    }

    /// Takes the next member that was drawn.
    pub(super) fn next_drawn(&mut self) -> Option<Node> {
        self.drawn.pop()
    }

    /// Notes the time of a point that stands for a class, or was drawn of it.
    pub(super) fn learn(&mut self, values: &[usize], time_ns: Option<f64>) {
        let Some(class) = self.of.get(values).map(|&at| &mut self.closed[at]) else { return };
        match class.representative == values {
            true => class.time_ns = time_ns,
            false => class.least_ns = time_ns.map_or(class.least_ns, |time_ns| class.least_ns.min(time_ns)),
        }
    }

    /// Returns what the points of classes that are closed take at least, as far as the samples tell, of all that are
    /// not slower than a limit.
    pub(super) fn least_ns(&self, limit_ns: f64) -> f64 {
        let spread = self.spread();
        let open = self.closed.iter().filter(|class| !class.stays_closed(spread, limit_ns));
        open.map(|class| class.node.bound_ns).fold(f64::INFINITY, f64::min)
    }

    /// Counts the classes; none where there are none.
    pub(super) fn counts(&self) -> Option<ClassCounts> {
        let sampled = self.closed.iter().filter(|class| class.drawn > 0);
        (!self.of.is_empty()).then(|| ClassCounts {
            closed: self.closed.iter().filter(|class| !class.node.is_open).count() as u64,
            opened: self.opened,
            sampled: sampled.clone().count() as u64,
            members: sampled.map(|class| class.drawn).sum(),
            spread: self.spread(),
        })
    }
}

impl Class {
    /// Returns `true` if no member is faster than the limit, as far as samples tell.
    fn stays_closed(&self, spread: f64, limit_ns: f64) -> bool {
        self.node.is_open || self.time_ns.is_some_and(|time_ns| time_ns * (1.0 - spread) >= limit_ns)
    }
}

impl<B: LowerBound> BranchAndBound<B> {
    /// Returns `true` if all points of a state that is not decided are one class.
    pub(super) fn is_class(&self, node: &Node) -> bool {
        let mut open =
            node.candidate.open().filter(|&choice| node.candidate.values(choice).len() > 1).peekable();
        self.plan.classes.is_some()
            && !node.is_open
            && open.peek().is_some()
            && open.all(|choice| !self.matters(&node.candidate, choice))
    }

    /// Returns `true` if a proof has to decide a choice; all of them where each point stands for itself.
    pub(super) fn matters(&self, candidate: &Candidate, choice: ChoiceId) -> bool {
        self.plan.classes.is_none() || self.bound.parts(candidate, choice).len() > 1
    }

    /// Closes a class by one point. Returns that point if it has to be evaluated; a class of which none is found on the
    /// way of least bounds is opened.
    pub(super) fn close(&mut self, node: Node) -> Option<Node> {
        let Some((leaf, values)) = self.representative(&node) else {
            self.heap.push(Node { is_open: true, ..node });
            return None;
        };
        let known = self.known.get(&values).copied();
        let class = self.classes.closed.len();
        let (bound_ns, level, by) = (node.bound_ns, node.level, node.by);
        self.classes.of.insert(values.clone(), class);
        let drawn = self.draw_members(&node, &values);
        let points = self.points_inside(&node.candidate).saturating_sub(1 + drawn.len() as u64);
        self.classes.closed.push(Class {
            node,
            representative: values,
            time_ns: known.flatten(),
            least_ns: f64::INFINITY,
            drawn: drawn.len() as u64,
            known: u64::from(known.is_some()),
            points,
        });
        for (candidate, values) in drawn {
            self.classes.of.insert(values.clone(), class);
            match self.known.get(&values).copied() {
                Some(time_ns) => {
                    self.classes.learn(&values, time_ns);
                    self.classes.closed[class].known += 1;
                }
                None => {
                    let member = self.point(candidate, bound_ns, level, by);
                    self.classes.drawn.push(member);
                }
            }
        }
        let known_points = self.classes.closed[class].known;
        self.statistics.note(level, by, |counts| {
            counts.closed += 1;
            counts.closed_points += points;
            counts.known += known_points;
        });
        known.is_none().then(|| self.point(leaf, bound_ns, level, by))
    }

    /// Makes a leaf of a class with so small a bound.
    fn point(&mut self, candidate: Candidate, class_ns: f64, level: usize, by: Option<ChoiceId>) -> Node {
        let bound_ns = self.bound.bound_ns(&candidate).max(class_ns);
        self.node(candidate, bound_ns, level, by)
    }

    /// Opens the classes that may hold something faster than the limit.
    pub(super) fn open_classes(&mut self) {
        let (spread, limit_ns) = (self.classes.spread(), self.limit_ns());
        let classes = &mut self.classes;
        for class in &mut classes.closed {
            if !class.stays_closed(spread, limit_ns) {
                class.node.is_open = true;
                classes.opened += 1;
                // Its points are looked at again, and those that were handed out are known then.
                self.statistics.note(class.node.level, class.node.by, |counts| {
                    counts.closed -= 1;
                    counts.closed_points -= class.points;
                    counts.leaves -= 1 + class.drawn - class.known;
                    counts.known -= class.known;
                });
                self.heap.push(class.node.clone());
            }
        }
    }

    /// Returns the point of the class with the least bound, the first of equals, by a search best first; where that
    /// takes too long one on the way. It depends on nothing but the class.
    fn representative(&mut self, class: &Node) -> Option<(Candidate, Vec<usize>)> {
        let mut states = BinaryHeap::from([Node { level: 0, number: 0, ..class.clone() }]);
        let mut expanded = 0;
        while let Some(state) = states.pop() {
            let Some(&choice) = self.bound.order(&state.candidate, 1).first() else {
                let values = state.candidate.solution()?;
                return Some((state.candidate, values));
            };
            expanded += 1;
            if expanded > MOST_EXPANDED {
                states.clear();
            }
            for (_, candidate) in state.candidate.children(choice) {
                let Some(candidate) = candidate else { continue };
                let bound_ns = self.bound.bound_ns(&candidate);
                let number = state.number + 1;
                states.push(Node { candidate, bound_ns, level: state.level + 1, number, ..*class });
            }
        }
        None
    }

    /// Draws members of a class beside the one that stands for it. What is drawn depends on nothing but that one.
    fn draw_members(&self, node: &Node, representative: &[usize]) -> Vec<(Candidate, Vec<usize>)> {
        let plan = self.plan.classes.unwrap_or_default();
        let seed = representative.iter().fold(self.plan.seed, |seed, &value| {
            (seed ^ value as u64).wrapping_mul(0x100_0000_01b3) // FNV-1a
        });
        let mut random = Random::new(seed);
        let mut drawn: Vec<(Candidate, Vec<usize>)> = Vec::new();
        if random.below(plan.every.max(1) as usize) > 0 {
            return drawn;
        }
        for _ in 0..TRIES * plan.members {
            let Some((candidate, values)) = draw_member(&node.candidate, &mut random) else { continue };
            if drawn.len() < plan.members
                && values != representative
                && drawn.iter().all(|own| own.1 != values)
            {
                drawn.push((candidate, values));
            }
        }
        drawn
    }
}

/// Decides what is open by chance; none where that leads nowhere.
fn draw_member(class: &Candidate, random: &mut Random) -> Option<(Candidate, Vec<usize>)> {
    let mut candidate = class.clone();
    while let Some(choice) = candidate.first_open() {
        let values: Vec<usize> = candidate.values(choice).iter().collect();
        let value = values[random.below(values.len())];
        candidate.restrict(choice, Values::of([value])).ok()?;
    }
    let values = candidate.solution()?;
    Some((candidate, values))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nitro_search::{Ask, Budget, Engine, Evaluation, Proposer as _};

    use super::super::BranchPlan;
    use super::*;
    use crate::candidate::Problem;

    /// A time is that of threads and tile, less a share by the order and the padding, of which the bound knows nothing.
    struct Model {
        order: ChoiceId,
        padding: ChoiceId,
        /// The share that the last order saves.
        saved: f64,
    }

    impl Model {
        fn known_ns(threads: usize, tile: usize) -> f64 {
            100.0 + 10.0 * threads as f64 + tile as f64
        }

        fn time_ns(&self, values: &[usize]) -> f64 {
            let is_last = values[self.order.position()] == ORDERS.len() - 1;
            Self::known_ns(values[0], values[1]) * if is_last { 1.2 * (1.0 - self.saved) } else { 1.2 }
        }
    }

    const ORDERS: [&str; 5] = ["ij", "ji", "ik", "ki", "kj"];

    impl LowerBound for Model {
        fn bound_ns(&self, candidate: &Candidate) -> f64 {
            let least = |choice| candidate.values(choice).iter().next().unwrap_or(0);
            let mut choices = candidate.problem().choices();
            let [threads, tile] = [choices.next(), choices.next()].map(|choice| least(choice.unwrap()));
            Self::known_ns(threads, tile)
        }

        fn parts(&self, candidate: &Candidate, choice: ChoiceId) -> Vec<Values> {
            let open = candidate.values(choice);
            match choice == self.order || choice == self.padding {
                true => vec![open],
                false => open.each().collect(),
            }
        }
    }

    /// Searches 6 x 30 classes of ten points, with one plan for classes or none.
    fn searched(saved: f64, percent: f64, classes: Option<ClassPlan>) -> Engine<BranchAndBound<Model>> {
        let mut problem = Problem::default();
        problem.numbers("threads", 0..6).unwrap();
        problem.numbers("tile", 0..30).unwrap();
        let order = problem.labels("order", ORDERS).unwrap();
        let padding = problem.labels("padding", ["none", "one"]).unwrap();
        let root = Candidate::new(Arc::new(problem)).unwrap();
        let plan = BranchPlan { percent, classes, counted_points: 10_000, ..BranchPlan::default() };
        let search = BranchAndBound::new(root, Model { order, padding, saved }, plan);
        let mut search = Engine::new(search, Budget::default());
        while let Ok(Ask::Evaluate(points)) = search.ask(7) {
            for values in points {
                let time_ns = search.proposer().bound().time_ns(&values);
                search.tell(&values, Evaluation::TimeNs(time_ns)).unwrap();
            }
        }
        search
    }

    /// Counts of a search, its best time and what it proved.
    fn found(search: &Engine<BranchAndBound<Model>>) -> (u64, f64, f64) {
        let best_ns = search.best().unwrap().report.time_ns().unwrap();
        let tree = search.proposer().tree().unwrap();
        assert!(tree.is_complete(), "{tree:?}");
        (search.proposer().statistics().evaluated, best_ns, search.proposer().proved_ns())
    }

    #[test]
    fn one_point_stands_for_a_class_whose_points_do_not_differ() {
        let (all, best_ns, proved_ns) = found(&searched(0.0, 0.0, None));
        assert_eq!((best_ns, proved_ns), (120.0, 120.0));
        let search = searched(0.0, 0.0, Some(ClassPlan { every: 4, members: 2 }));
        let (evaluated, best_ns, proved_ns) = found(&search);
        assert_eq!((best_ns, proved_ns), (120.0, 120.0));
        let classes = search.proposer().tree().unwrap().classes.unwrap();
        assert_eq!((classes.opened, classes.spread), (0, 0.0), "{classes:?}");
        assert!(classes.sampled > 0 && classes.members == 2 * classes.sampled, "{classes:?}");
        assert_eq!(evaluated, classes.closed + classes.members);
        assert!(5 * evaluated < all, "{evaluated} of {all}");
    }

    #[test]
    fn classes_that_may_hold_something_faster_are_opened() {
        let search = searched(0.1, 0.0, Some(ClassPlan { every: 1, members: 9 }));
        let (_, best_ns, proved_ns) = found(&search);
        assert!((best_ns - 108.0).abs() < 1e-9 && proved_ns == best_ns, "{best_ns} {proved_ns}");
        let classes = search.proposer().tree().unwrap().classes.unwrap();
        assert!((classes.spread - 0.1).abs() < 1e-9, "{classes:?}");

        // Few samples find the spread too, and the point in a class where nobody had drawn it.
        let search = searched(0.1, 0.0, Some(ClassPlan { every: 8, members: 4 }));
        let (_, best_ns, _) = found(&search);
        let classes = search.proposer().tree().unwrap().classes.unwrap();
        assert!((best_ns - 108.0).abs() < 1e-9 && classes.opened > 0, "{classes:?}");
    }

    #[test]
    fn what_may_be_lost_keeps_classes_closed() {
        let search = searched(0.1, 15.0, Some(ClassPlan { every: 1, members: 9 }));
        let (_, best_ns, proved_ns) = found(&search);
        let classes = search.proposer().tree().unwrap().classes.unwrap();
        assert_eq!(classes.opened, 0, "{classes:?}");
        assert!(proved_ns >= 0.85 * best_ns && best_ns < 108.0 / 0.85, "{best_ns} {proved_ns}");
    }

    /// A certificate is proved again with the best known from the beginning: it may ask for nothing else.
    #[test]
    fn what_is_asked_for_does_not_depend_on_when_the_best_was_found() {
        let plan = Some(ClassPlan { every: 2, members: 3 });
        let first = searched(0.05, 2.0, plan);
        let asked: Vec<_> = first.observations().iter().map(|own| own.proposal.clone()).collect();
        let best = first.best().unwrap().clone();
        let mut again = BranchAndBound::new(
            first.proposer().root.clone(),
            Model { saved: 0.05, ..*first.proposer().bound() },
            BranchPlan { seed: 0, ..first.proposer().plan },
        );
        again.recall(&best).unwrap();
        let mut again = Engine::new(again, Budget::default());
        while let Ok(Ask::Evaluate(points)) = again.ask(1) {
            for values in points {
                assert!(asked.contains(&values), "{values:?}");
                let time_ns = again.proposer().bound().time_ns(&values);
                again.tell(&values, Evaluation::TimeNs(time_ns)).unwrap();
            }
        }
        assert!(again.proposer().proved_ns() >= first.proposer().proved_ns());
    }
}
