mod simulation;

use std::sync::Arc;

use nitro_search::{Ask, Budget, Engine, Evaluation};
use nitro_stats::random::Random;

use self::simulation::simulate_ns;
use super::*;
use crate::{
    Access, Array, BranchAndBound, BranchPlan, Candidate, Dependence, Dimension, Kernel, Limits, LowerBound,
    Nesting, Operation, Outer, Passing, Statement, Values,
};

/// The features of a device so small that kernels which can be simulated have several waves of blocks.
fn feature(name: &str) -> Option<f64> {
    match name {
        "sm_count" => Some(3.0),
        "clock_rate_mhz" => Some(1000.0),
        "l2_cache_kib" => Some(0.25),
        "cuda_cores" => Some(96.0),
        "peak_gbps" => Some(40.0),
        "load_clocks" => Some(30.0),
        "shared_load_clocks" => Some(20.0),
        "l2_load_clocks" => Some(60.0),
        "barrier_clocks" => Some(10.0),
        "launch_ns" => Some(5.0),
        _ => None,
    }
}

fn small() -> Rates {
    Rates {
        threads_per_multiprocessor: 64,
        registers_per_multiprocessor: 4096,
        requests_per_clock: 1.0,
        ..Rates::from_features(feature).unwrap()
    }
}

/// Else a kernel of a graph, which the host does not launch, could be faster than its floor.
#[test]
fn times_in_graphs_are_bounded_without_a_launch() {
    let in_graph = |name: &str| if name == "regime_graph" { Some(1.0) } else { feature(name) };
    assert!(small().launch_ns > 4.0);
    assert_eq!(Rates::from_features(in_graph).unwrap().launch_ns, 0.0);
}

fn dimension(name: &str, size: u64, tiles: &[&[u64]], parallel: bool) -> Dimension {
    let tiles = tiles.iter().map(|sizes| sizes.to_vec()).collect();
    Dimension { name: name.into(), size, tiles, parallel, ..Dimension::default() }
}

fn statement(
    name: &str,
    operation: Operation,
    dimensions: &[usize],
    accesses: &[(&str, &[u64])],
) -> Statement {
    let access = |&(array, strides): &(&str, &[u64])| Access {
        array: array.into(),
        strides: strides.to_vec(),
        element_bytes: 4,
    };
    let accesses = accesses.iter().map(access).collect();
    Statement {
        name: name.into(),
        operation,
        dimensions: dimensions.to_vec(),
        accesses,
        ..Statement::default()
    }
}

fn axpy() -> Kernel {
    let reads: &[(&str, &[u64])] = &[("x", &[1]), ("y", &[1])];
    Kernel {
        dimensions: vec![dimension("i", 512, &[&[1, 2, 8, 64], &[1, 4]], true)],
        statements: vec![
            statement("axpy", Operation::Fma, &[0], reads),
            statement("store", Operation::Store, &[0], &[("z", &[1])]),
        ],
        ..Kernel::default()
    }
}

fn matrix_vector() -> Kernel {
    let reads: &[(&str, &[u64])] = &[("A", &[24, 1]), ("x", &[0, 1])];
    Kernel {
        dimensions: vec![
            dimension("i", 96, &[&[1, 2, 3, 32], &[1, 4]], true),
            dimension("k", 24, &[&[1, 4]], false),
        ],
        statements: vec![statement("sum", Operation::Fma, &[0, 1], reads)],
        ..Kernel::default()
    }
}

fn product() -> Kernel {
    let reads: &[(&str, &[u64])] = &[("A", &[16, 0, 1]), ("B", &[0, 1, 24])];
    let array = |name: &str, dimensions: &[usize]| Array {
        name: name.into(),
        element_bytes: 4,
        dimensions: dimensions.to_vec(),
    };
    Kernel {
        dimensions: vec![
            dimension("i", 16, &[&[1, 2, 4], &[1, 2]], true),
            dimension("j", 24, &[&[1, 3, 8], &[1, 2]], true),
            dimension("k", 16, &[&[1, 4]], false),
        ],
        statements: vec![statement("sum", Operation::Fma, &[0, 1, 2], reads)],
        arrays: vec![array("A", &[0, 2]), array("B", &[2, 1])],
        ..Kernel::default()
    }
}

/// As `product`, but tiles are loaded by statements of their own.
fn staged_product() -> Kernel {
    let part = |of: usize, name: &str, size: u64, tiles: &[&[u64]]| Dimension {
        outer: Some(Outer { dimension: of, levels: 1 }),
        ..parallel(name, size, tiles)
    };
    let array = |name: &str, dimensions: &[usize]| Array {
        name: name.into(),
        element_bytes: 4,
        dimensions: dimensions.to_vec(),
    };
    let repeats = |dimension: usize| vec![Outer { dimension, levels: 1 }];
    let load = |name: &str, dimensions: &[usize], strides: &[u64], around: usize| Statement {
        around: repeats(around),
        ..statement(&format!("load {name}"), Operation::Load, dimensions, &[(name, strides)])
    };
    let passes = |from: usize, array: usize, along: [(usize, usize); 2]| Dependence {
        from,
        to: 2,
        along: along.to_vec(),
        passing: Passing::Array(array),
    };
    Kernel {
        dimensions: vec![
            dimension("k", 16, &[&[2, 8]], false),
            parallel("i", 16, &[&[2, 4], &[1, 2]]),
            parallel("j", 32, &[&[4, 8], &[1, 4]]),
            part(1, "a_i", 16, &[&[1, 2, 4, 8], &[1, 2]]),
            part(0, "a_k", 16, &[&[1, 2, 4], &[1, 4]]),
            part(0, "b_k", 16, &[&[1, 2, 4, 8]]),
            part(2, "b_j", 32, &[&[1, 4, 8], &[1, 4]]),
        ],
        statements: vec![
            load("A", &[3, 4], &[16, 1], 2),
            load("B", &[5, 6], &[32, 1], 1),
            statement("sum", Operation::Fma, &[1, 2, 0], &[("A", &[16, 0, 1]), ("B", &[0, 1, 32])]),
        ],
        dependences: vec![passes(0, 0, [(3, 1), (4, 0)]), passes(1, 1, [(5, 0), (6, 2)])],
        arrays: vec![array("A", &[1, 0]), array("B", &[0, 2])],
    }
}

fn parallel(name: &str, size: u64, tiles: &[&[u64]]) -> Dimension {
    Dimension { interchanges: true, ..dimension(name, size, tiles, true) }
}

struct Case {
    kernel: Kernel,
    nesting: Nesting,
    bound: TimeBound,
    root: Candidate,
}

fn case(kernel: Kernel) -> Case {
    let nesting = kernel.nesting(&Limits::default()).unwrap();
    let bound = TimeBound::new(&kernel, &nesting, small());
    let root = Candidate::new(Arc::new(nesting.problem.clone())).unwrap();
    Case { kernel, nesting, bound, root }
}

impl Case {
    fn simulate_ns(&self, leaf: &Candidate) -> f64 {
        simulate_ns(&self.kernel, &self.nesting, leaf, &small())
    }

    /// A walk down to a leaf, with everything that was come by.
    fn walk(&self, random: &mut Random) -> Vec<Candidate> {
        let mut walk = vec![self.root.clone()];
        loop {
            let at = walk.last().unwrap();
            let open: Vec<_> = at.problem().choices().filter(|&own| at.values(own).len() > 1).collect();
            if open.is_empty() {
                return walk;
            }
            let choice = open[random.below(open.len())];
            let values: Vec<usize> = at.values(choice).iter().collect();
            let mut child = at.clone();
            match child.restrict(choice, Values::of([values[random.below(values.len())]])) {
                Ok(()) => walk.push(child),
                Err(_) => walk.truncate(1),
            }
        }
    }
}

#[test]
fn no_leaf_below_takes_less_by_a_simulation_that_counts_everything() {
    for (kernel, seed) in [(axpy(), 1), (matrix_vector(), 2), (product(), 3), (staged_product(), 8)] {
        let case = case(kernel);
        let mut random = Random::new(seed);
        let mut tightest: f64 = 0.0;
        for _ in 0..60 {
            let walk = case.walk(&mut random);
            let ns = case.simulate_ns(walk.last().unwrap());
            for state in &walk {
                let bound_ns = case.bound.bound_ns(state);
                assert!(bound_ns <= ns * (1.0 + 1e-9), "{ns} ns, but {}", case.bound.explain(state));
            }
            tightest = tightest.max(case.bound.bound_ns(walk.last().unwrap()) / ns);
        }
        assert!(tightest > 0.5, "{tightest}");
    }
}

/// Walks through what is loaded ahead alone, of which few are come by among all.
#[test]
fn nothing_that_is_loaded_ahead_takes_less_by_a_simulation_that_counts_its_waits_and_registers() {
    let mut case = case(staged_product());
    let loading = case.nesting.loading.unwrap();
    let mut without = TimeTerms::default();
    without.kept_sums = false;
    let without = TimeBound::new(&case.kernel, &case.nesting, small()).with_terms(without);
    let (mut random, mut by_registers) = (Random::new(10), 0);
    for way in [1, 2] {
        case.root = Candidate::new(Arc::new(case.nesting.problem.clone())).unwrap();
        case.root.restrict(loading.choice, Values::of([way])).unwrap();
        let mut tightest: f64 = 0.0;
        for _ in 0..60 {
            let walk = case.walk(&mut random);
            let leaf = walk.last().unwrap();
            let ns = case.simulate_ns(leaf);
            let bounds: Vec<f64> = walk.iter().map(|state| case.bound.bound_ns(state)).collect();
            assert!(bounds.is_sorted_by(|parent, child| *child >= parent * (1.0 - 1e-9)), "{bounds:?}");
            assert!(
                bounds.iter().all(|bound_ns| *bound_ns <= ns * (1.0 + 1e-9)),
                "{ns} ns, but {bounds:?}: {}",
                case.bound.explain(leaf)
            );
            tightest = tightest.max(case.bound.bound_ns(leaf) / ns);
            by_registers += usize::from(without.bound_ns(leaf) < case.bound.bound_ns(leaf));
        }
        assert!(tightest > 0.5, "{tightest}");
    }
    assert!(by_registers > 0, "registers decided for none");
}

#[test]
fn children_are_never_bounded_by_less_than_their_parents() {
    for (kernel, seed) in [(axpy(), 4), (matrix_vector(), 5), (product(), 6), (staged_product(), 9)] {
        let case = case(kernel);
        let mut random = Random::new(seed);
        for _ in 0..40 {
            let walk = case.walk(&mut random);
            let bounds: Vec<f64> = walk.iter().map(|state| case.bound.bound_ns(state)).collect();
            assert!(bounds.is_sorted_by(|parent, child| *child >= parent * (1.0 - 1e-9)), "{bounds:?}");
        }
    }
}

#[test]
fn terms_that_are_off_only_lower_the_bound() {
    let case = case(product());
    let mut random = Random::new(7);
    let states: Vec<Candidate> = (0..10).flat_map(|_| case.walk(&mut random)).collect();
    let mut lowered = 0;
    for off in TimeTerm::ALL {
        let terms = TimeTerms::default().without(off);
        let without = TimeBound::new(&case.kernel, &case.nesting, small()).with_terms(terms);
        for state in &states {
            let (less, all) = (without.bound_ns(state), case.bound.bound_ns(state));
            assert!(less <= all, "{off}");
            lowered += usize::from(less < all);
        }
    }
    assert!(lowered > 0);
}

/// Every leaf, with what it takes: what the bound says of it at least, and something that no bound knows.
fn time_ns(case: &Case, leaf: &Candidate) -> f64 {
    let row = leaf.solution().unwrap();
    let hidden = Random::new(row.iter().fold(1, |seed, &value| seed.wrapping_mul(7) + value as u64)).unit();
    case.simulate_ns(leaf) * (1.0 + 0.3 * hidden)
}

#[test]
fn branch_and_bound_finds_what_exhaustive_search_finds_and_evaluates_little() {
    for kernel in [axpy(), matrix_vector()] {
        let case = case(kernel);
        let all: Vec<Candidate> = case.root.points().collect();
        let best_ns = all.iter().map(|leaf| time_ns(&case, leaf)).fold(f64::INFINITY, f64::min);
        let bound = TimeBound::new(&case.kernel, &case.nesting, small());
        let strategy = BranchAndBound::new(case.root.clone(), bound, BranchPlan::default());
        let mut search = Engine::new(strategy, Budget::default());
        while let Ok(Ask::Evaluate(asked)) = search.ask(1) {
            for values in asked {
                let ns = time_ns(&case, &case.root.decide(&values).unwrap());
                search.tell(&values, Evaluation::TimeNs(ns)).unwrap();
            }
        }
        assert_eq!(search.best().unwrap().report, Evaluation::TimeNs(best_ns));
        let statistics = search.proposer().statistics();
        assert_eq!(statistics.pruned.values().sum::<u64>(), statistics.total().pruned);
        let evaluated = statistics.evaluated as usize;
        assert!(evaluated < all.len() / 2, "{evaluated} of {}", all.len());
    }
}

/// On a GPU a block of one thread, which staged a row of eight elements for itself, took less than a bound that did
/// not know that it may load four of them at once.
#[test]
fn who_has_all_of_a_tile_loads_neighbours_of_the_next_row_too() {
    let case = case(staged_product());
    let mut state = case.root.clone();
    for &at in &case.nesting.loops_of(2)[1..] {
        let own = case.nesting.loops[at];
        let unrolled = case.nesting.problem.named(own.kind, &["unrolled"]).unwrap();
        state.restrict(unrolled.choice, unrolled.values).unwrap();
        state.restrict(own.size, Values::of([0])).unwrap();
    }
    let all = dimensions::splits(&case.nesting, 2, 32, &state).fine;
    assert!(!all.is_empty() && all.iter().all(|split| split.run == u64::MAX));
    let some = dimensions::splits(&case.nesting, 2, 32, &case.root).fine;
    assert!(some.iter().any(|split| split.run == 1));
}

/// A load is of neighbours in one iteration of a plain loop; what an unrolled loop inside of it has is still one run.
#[test]
fn plain_loops_end_a_run_and_unrolled_ones_go_on_with_it() {
    let kernel = Kernel {
        dimensions: vec![dimension("k", 64, &[&[2], &[4]], false)],
        statements: vec![statement("sum", Operation::Fma, &[0], &[("x", &[1])])],
        ..Kernel::default()
    };
    let case = case(kernel);
    let runs = |kinds: [&str; 2]| {
        let mut state = case.root.clone();
        for (at, kind) in (1..).zip(kinds) {
            let kind = case.nesting.problem.named(case.nesting.loops[at].kind, &[kind]).unwrap();
            state.restrict(kind.choice, kind.values).unwrap();
        }
        let all = dimensions::splits(&case.nesting, 0, 64, &state).coarse;
        all.iter().map(|split| split.run).collect::<Vec<u64>>()
    };
    assert_eq!(runs(["plain", "plain"]), [1]);
    assert_eq!(runs(["plain", "unrolled"]), [4]);
    assert_eq!(runs(["unrolled", "unrolled"]), [u64::MAX]);
}

#[test]
fn reasons_name_the_term_the_numbers_and_the_decisions() {
    let case = case(product());
    let alone = case.nesting.problem.named(case.nesting.loops[0].kind, &["plain"]).unwrap();
    let mut state = case.root.clone();
    state.restrict(alone.choice, alone.values).unwrap();
    let reasons = case.bound.reasons(&state);
    assert_eq!(reasons.decisions, [alone]);
    assert_eq!(reasons.ns, case.bound.bound_ns(&state));
    let text = reasons.to_string();
    assert!(
        text.contains(&reasons.term.unwrap().to_string()) && text.contains("kind of i0 is plain"),
        "{text}"
    );
    assert!(case.bound.reasons(&case.root).to_string().ends_with("no decision is needed for that"));
}

#[test]
fn what_nobody_knows_is_an_error_or_nothing() {
    let error = Rates::from_features(|name| (name != "cuda_cores").then_some(8.0)).unwrap_err();
    assert!(error.to_string().contains("cuda_cores"));
    let empty = Kernel { dimensions: vec![dimension("i", 0, &[], true)], ..axpy() };
    let bound = case(empty);
    assert_eq!(bound.bound.bound_ns(&bound.root), 0.0); // is not launched
}

#[test]
fn features_that_are_not_above_0_are_not_known() {
    let all = |name: &str| Some(if name.starts_with("l2_") { 0.0 } else { 8.0 });
    let error = Rates::from_features(all).unwrap_err();
    assert!(error.to_string().contains("l2_cache_kib"), "{error}");
    let most = |name: &str| if name == "l2_cache_kib" { Some(8.0) } else { all(name) };
    let rates = Rates::from_features(most).unwrap();
    assert_eq!(rates.l2_read_gbps, 64.0 * 8.0 * 0.008); // of a rate of 0 any read would take for ever
}
