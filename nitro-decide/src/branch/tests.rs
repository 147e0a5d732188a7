use std::sync::Arc;

use nitro_search::{Ask, Budget, Engine, Evaluation, Failure, Observation, TellError};
use nitro_stats::random::Random;

use super::*;
use crate::candidate::tests::{drawn_problem, solutions};
use crate::candidate::{Problem, Values};

/// A time of a solution is a sum of what each value costs and of something that no bound knows; the bound takes the
/// cheapest of what is open, and a part of it.
struct Costs {
    costs: Vec<Vec<f64>>,
    part: f64,
}

impl Costs {
    fn drawn(problem: &Problem, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let costs =
            problem.choices().map(|choice| problem.all(choice).iter().map(|_| random.unit()).collect());
        Self { costs: costs.collect(), part: 0.7 + 0.3 * random.unit() }
    }

    fn time_ns(&self, row: &[usize]) -> f64 {
        let known: f64 = row.iter().zip(&self.costs).map(|(&value, costs)| costs[value]).sum();
        let hidden = Random::new(row.iter().fold(1, |seed, &value| seed * 7 + value as u64)).unit();
        known + 0.1 * hidden
    }
}

impl LowerBound for Costs {
    fn bound_ns(&self, candidate: &Candidate) -> f64 {
        let least = |choice: ChoiceId| {
            let open = candidate.values(choice).iter().map(|value| self.costs[choice.position()][value]);
            open.fold(f64::INFINITY, f64::min)
        };
        self.part * candidate.problem().choices().map(least).sum::<f64>()
    }

    fn explain(&self, _: &Candidate) -> String {
        "the cheapest of each".to_owned()
    }
}

fn space(seed: u64) -> Option<(Candidate, Costs)> {
    let problem = drawn_problem(seed);
    let costs = Costs::drawn(&problem, seed);
    Some((Candidate::new(Arc::new(problem)).ok()?, costs))
}

type Search = Engine<BranchAndBound<Costs>>;

fn begin(root: Candidate, costs: Costs, plan: BranchPlan) -> Search {
    Engine::new(BranchAndBound::new(root, costs, plan), Budget::default())
}

fn run(search: &mut Search, batch: usize) {
    while let Ok(Ask::Evaluate(leaves)) = search.ask(batch) {
        for values in leaves.into_iter().rev() {
            let time_ns = time(search, &values);
            search.tell(&values, Evaluation::TimeNs(time_ns)).unwrap();
        }
    }
}

fn time(search: &Search, row: &[usize]) -> f64 {
    search.proposer().bound().time_ns(row)
}

fn best_ns(search: &Search) -> Option<f64> {
    search.best()?.report.time_ns()
}

/// The bound of a leaf that is under way.
fn bound_ns(search: &Search, values: &[usize]) -> f64 {
    search.proposer().waiting[values].bound_ns
}

#[test]
fn branch_and_bound_finds_what_exhaustive_search_finds_with_fewer_evaluations() {
    let (mut evaluated, mut all) = (0, 0);
    for seed in 0..200 {
        let Some((root, costs)) = space(seed) else { continue };
        let rows = solutions(root.problem());
        let least = rows.iter().map(|row| costs.time_ns(row)).fold(f64::INFINITY, f64::min);
        let plan = BranchPlan { seed, dive_every: (seed % 3) as usize, ..BranchPlan::default() };
        let mut search = begin(root, costs, plan);
        run(&mut search, 1 + (seed % 4) as usize);
        assert_eq!(best_ns(&search).unwrap_or(f64::INFINITY), least, "seed {seed}");
        assert_eq!(search.proposer().proved_ns(), least);
        assert!(search.proposer().statistics().evaluated <= rows.len() as u64);
        assert_eq!(search.proposer().statistics().total().leaves, search.proposer().statistics().evaluated);
        evaluated += search.proposer().statistics().evaluated;
        all += rows.len() as u64;
    }
    assert!(all > 1000 && evaluated * 4 < all, "{evaluated} of {all}");
}

/// Tells what is in flight in an order by chance, and holds what is proved at each moment against all that it may hold.
fn proved_at_each_moment(mut search: Search, rows: &[Vec<usize>], seed: u64) {
    let mut random = Random::new(seed);
    let least = rows.iter().map(|row| time(&search, row)).fold(f64::INFINITY, f64::min);
    let (mut in_flight, mut before) = (Vec::<Vec<usize>>::new(), 0.0);
    loop {
        let proved_ns = search.proposer().proved_ns();
        assert!(proved_ns <= least, "seed {seed}: {proved_ns} is said to be proved, and {least} is inside");
        assert!(proved_ns >= before, "seed {seed}: what was proved stays so");
        let open = in_flight.iter().map(|leaf| bound_ns(&search, leaf)).fold(f64::INFINITY, f64::min);
        assert!(proved_ns <= open, "seed {seed}: a leaf that nobody has told may take {open}");
        before = proved_ns;
        let mut is_waiting = false;
        if random.below(3) > 0 {
            let Ok(asked) = search.ask(1 + random.below(4));
            match asked {
                Ask::Evaluate(leaves) => in_flight.extend(leaves),
                Ask::Wait => is_waiting = true,
                Ask::Done(_) => break,
            }
        }
        if !in_flight.is_empty() && (is_waiting || random.below(3) == 0) {
            let leaf = in_flight.swap_remove(random.below(in_flight.len()));
            let time_ns = time(&search, &leaf);
            let is_lost = random.below(8) == 0 && time_ns > least;
            let evaluation =
                if is_lost { Evaluation::Failed(Failure::Timeout) } else { Evaluation::TimeNs(time_ns) };
            search.tell(&leaf, evaluation).unwrap();
        }
    }
    assert!(in_flight.is_empty());
    assert_eq!(search.proposer().proved_ns(), least, "seed {seed}");
}

#[test]
fn what_is_proved_holds_for_leaves_in_flight() {
    for seed in 0..200 {
        let Some((root, costs)) = space(seed) else { continue };
        let rows = solutions(root.problem());
        if rows.is_empty() {
            continue;
        }
        let plan = BranchPlan { seed, dive_every: (seed % 3) as usize, ..BranchPlan::default() };
        proved_at_each_moment(begin(root, costs, plan), &rows, seed);
    }
}

#[test]
fn a_leaf_in_flight_keeps_its_bound_open_when_a_slower_one_is_told() {
    let (root, costs) = (0..).filter_map(space).find(|(root, _)| root.count(10).is_some()).unwrap();
    let mut search = begin(root, costs, BranchPlan { dive_every: 0, ..BranchPlan::default() });
    let Ok(Ask::Evaluate(leaves)) = search.ask(2) else { panic!("there is a leaf") };
    let [first_ns, second_ns] = [&leaves[0], &leaves[1]].map(|leaf| bound_ns(&search, leaf));
    // All else is pruned by it.
    search.tell(&leaves[1], Evaluation::TimeNs(second_ns)).unwrap();
    assert_eq!(search.ask(9), Ok(Ask::Wait));
    assert_eq!(search.proposer().proved_ns(), first_ns.min(second_ns));
    search.tell(&leaves[0], Evaluation::Failed(Failure::Wrong)).unwrap();
    assert_eq!(search.proposer().proved_ns(), second_ns);
}

#[test]
fn within_percent_costs_at_most_that() {
    for seed in 0..100 {
        let Some((root, costs)) = space(seed) else { continue };
        let times = solutions(root.problem()).into_iter().map(|row| costs.time_ns(&row));
        let least = times.fold(f64::INFINITY, f64::min);
        let mut search = begin(root, costs, BranchPlan { percent: 20.0, seed, ..BranchPlan::default() });
        run(&mut search, 2);
        assert!(best_ns(&search).is_none_or(|time_ns| 0.8 * time_ns <= least), "seed {seed}");
    }
}

#[test]
fn seeded_searches_stay_the_same() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for seed in 0..200 {
        let Some((root, costs)) = space(seed) else { continue };
        let plan = BranchPlan {
            seed,
            dive_every: (seed % 3) as usize,
            percent: (seed % 5) as f64,
            ..BranchPlan::default()
        };
        let mut search = begin(root, costs, plan);
        run(&mut search, 1 + (seed % 4) as usize);
        let values = search.observations().iter().flat_map(|own| &own.proposal).map(|value| *value as u64);
        let total = search.proposer().statistics().total();
        for number in values.chain([total.expanded, total.pruned, total.dead_ends, total.leaves]) {
            hash = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(hash, 0x67e5_b414_0161_6f96, "published figures rest on what seeds draw");
}

#[test]
fn what_failed_prunes_nothing() {
    let (root, costs) = (0..).find_map(space).unwrap();
    let rows = solutions(root.problem()).len() as u64;
    let mut search = begin(root, costs, BranchPlan::default());
    while let Ok(Ask::Evaluate(leaves)) = search.ask(3) {
        for leaf in leaves {
            search.tell(&leaf, Evaluation::Failed(Failure::Wrong)).unwrap();
        }
    }
    assert_eq!((search.proposer().statistics().evaluated, search.best()), (rows, None));
    assert_eq!(search.proposer().statistics().total().pruned, 0);
}

#[test]
fn a_time_under_its_bound_is_an_error_with_the_reasons() {
    let (root, costs) = (0..).find_map(space).unwrap();
    let mut search = begin(root, costs, BranchPlan::default());
    let Ok(Ask::Evaluate(leaves)) = search.ask(1) else { panic!("there is a leaf") };
    let (values, bound_ns) = (&leaves[0], bound_ns(&search, &leaves[0]));
    let time_ns = bound_ns / 2.0;
    let error = search.tell(values, Evaluation::TimeNs(time_ns)).unwrap_err();
    let (proposal, explanation) = (format!("{values:?}"), "the cheapest of each".to_owned());
    assert_eq!(error, TellError::Unsound { proposal, time_ns, bound_ns, explanation });
    assert_eq!(search.best(), None);
    let error = search.tell(values, Evaluation::TimeNs(f64::NAN)).unwrap_err();
    assert!(matches!(error, TellError::Time(..)));
    search.tell(values, Evaluation::TimeNs(2.0 * bound_ns)).unwrap();
    let error = search.tell(values, Evaluation::TimeNs(2.0 * bound_ns)).unwrap_err();
    assert_eq!(error, TellError::NotAsked(format!("{values:?}")));
}

#[test]
fn a_restored_search_asks_for_nothing_again_and_finds_the_same() {
    for seed in 0..60 {
        let (Some((root, costs)), Some((same, again))) = (space(seed), space(seed)) else { continue };
        let mut search = begin(root, costs, BranchPlan::default());
        run(&mut search, 2);
        let first = &search.observations()[..search.observations().len() / 2];
        let mut restored = begin(same, again, BranchPlan::default());
        restored.restore(first).unwrap();
        run(&mut restored, 2);
        let rest = &restored.observations()[first.len()..];
        assert!(rest.iter().all(|new| first.iter().all(|own| own.proposal != new.proposal)), "seed {seed}");
        assert_eq!(best_ns(&restored), best_ns(&search), "seed {seed}");
    }
}

#[test]
fn outcomes_of_another_space_are_not_restored() {
    let choices = drawn_problem(0).choices().count();
    for proposal in [vec![0], vec![Values::MOST; choices], vec![0; choices + 1]] {
        let (root, costs) = space(0).unwrap();
        let foreign = Observation { proposal: proposal.clone(), report: Evaluation::TimeNs(1.0) };
        let refused = begin(root, costs, BranchPlan::default()).restore(&[foreign]);
        assert!(matches!(refused, Err(TellError::Foreign(_))), "{proposal:?}");
    }
}

#[test]
fn counting_is_exact_and_knuths_interval_covers_it() {
    let (mut covered, mut spaces) = (0, 0);
    for seed in 0..300 {
        let problem = drawn_problem(seed);
        let exact = solutions(&problem).len() as u64;
        let Ok(root) = Candidate::new(Arc::new(problem)) else {
            assert_eq!(exact, 0);
            continue;
        };
        assert_eq!(root.count(1000), Some(exact), "seed {seed}");
        let estimate = root.estimate(400, seed);
        let (low, high) = estimate.interval();
        covered += usize::from((low - 1e-9..=high + 1e-9).contains(&(exact as f64)));
        spaces += 1;
    }
    assert!(covered * 100 >= spaces * 90, "{covered} of {spaces}");
}

#[test]
fn every_node_is_expanded_or_pruned_or_a_dead_end_or_a_leaf() {
    for seed in 0..100 {
        let Some((root, costs)) = space(seed) else { continue };
        let mut search = begin(root, costs, BranchPlan { seed, ..BranchPlan::default() });
        run(&mut search, 2);
        let total = search.proposer().statistics().total();
        let seen = |counts: &Counts| counts.expanded + counts.pruned + counts.dead_ends + counts.leaves;
        let by_choice: u64 = search.proposer().statistics().choices.values().map(seen).sum();
        assert_eq!(by_choice + 1, seen(&total), "seed {seed}"); // the root is made by no choice
        assert_eq!(seen(&search.proposer().statistics().levels[0]), 1);
        // whoever is expanded has two children or more
        assert!(seen(&total) > 2 * total.expanded, "seed {seed}");
    }
}

#[test]
fn choices_that_are_compared_change_the_tree_and_nothing_that_is_found() {
    let (mut expanded, mut evaluated) = ([0, 0], [0, 0]);
    for seed in 0..200 {
        let Some((root, costs)) = space(seed) else { continue };
        let times = solutions(root.problem()).into_iter().map(|row| costs.time_ns(&row));
        let least = times.fold(f64::INFINITY, f64::min);
        for (at, compared) in [0, usize::MAX].into_iter().enumerate() {
            let plan = BranchPlan { seed, dive_every: 0, compared, ..BranchPlan::default() };
            let (root, costs) = space(seed).unwrap();
            let mut search = begin(root, costs, plan);
            run(&mut search, 1);
            assert_eq!(best_ns(&search).unwrap_or(f64::INFINITY), least, "seed {seed}");
            assert_eq!(search.proposer().proved_ns(), least);
            expanded[at] += search.proposer().statistics().total().expanded;
            evaluated[at] += search.proposer().statistics().evaluated;
        }
    }
    assert!(expanded[1] < expanded[0], "{expanded:?} expanded, {evaluated:?} evaluated");
}

#[test]
fn every_point_is_pruned_evaluated_or_known() {
    for seed in 0..200 {
        let Some((root, costs)) = space(seed) else { continue };
        let rows = solutions(root.problem());
        let known: Vec<_> = rows.iter().step_by(3).cloned().collect();
        let plan = BranchPlan { seed, compared: 4, counted_points: 10_000, ..BranchPlan::default() };
        let mut search = begin(root, costs, plan);
        for proposal in known {
            let report = Evaluation::TimeNs(time(&search, &proposal));
            search.restore(&[Observation { proposal, report }]).unwrap();
        }
        assert!(rows.is_empty() || !search.proposer().tree().unwrap().is_complete(), "nothing is done");
        run(&mut search, 3);
        let tree = search.proposer().tree().unwrap();
        assert_eq!(
            (tree.points, tree.is_complete()),
            (Some(rows.len() as u64), true),
            "seed {seed}: {tree:?}"
        );
    }
}

#[test]
fn of_a_space_with_more_points_than_are_counted_nothing_is_said() {
    let (root, costs) = (0..).filter_map(space).find(|(root, _)| root.count(4).is_none()).unwrap();
    let mut search = begin(root, costs, BranchPlan { counted_points: 4, ..BranchPlan::default() });
    run(&mut search, 1);
    let tree = search.proposer().tree().unwrap();
    assert_eq!((tree.points, tree.pruned_up_to(3)), (None, None));
}
