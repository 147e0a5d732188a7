//! The ant colony.

use nitro_search::{
    AntColony, Ants, Budget, Crossing, Decision, Decisions, Engine, Failure, NodeKey, PartReport, Path,
    Paths, Report, Step,
};

use crate::kernels::{Kernels, Search, Walker, answer, begin, finish, mean_found, proposals};

fn colony() -> Walker {
    Walker::Colony(Ants::default())
}

/// A colony on the kernels whose nodes can be looked at.
fn open_colony(ants: Ants, seed: u64, evaluations: usize) -> Search<Kernels, AntColony> {
    let paths = Paths::new(Kernels::default(), AntColony::with(ants, seed));
    Engine::new(paths, Budget::evaluations(evaluations))
}

/// The colony with one extension turned off, and pheromone alone with the same one turned on.
fn ablations() -> [(&'static str, Ants, Ants); 5] {
    let (all, base) = (Ants::default(), Ants::base());
    [
        (
            "part updates",
            Ants { part_updates: false, ..all.clone() },
            Ants { part_updates: true, ..base.clone() },
        ),
        ("metrics", Ants { metrics: false, ..all.clone() }, Ants { metrics: true, ..base.clone() }),
        ("tree", Ants { tree: false, ..all.clone() }, Ants { tree: true, ..base.clone() }),
        (
            "recombination",
            Ants { recombination: false, ..all.clone() },
            Ants { recombination: true, ..base.clone() },
        ),
        ("local search", Ants { local_search: false, ..all }, Ants { local_search: true, ..base }),
    ]
}

#[test]
fn it_finds_better_than_chance_with_as_many_evaluations_in_the_mean_and_so_does_a_genetic_algorithm() {
    let kernels = Kernels::default();
    for evaluations in [50, 100] {
        let random = mean_found(kernels, &Walker::Random, evaluations);
        for strategy in [colony(), Walker::Genetic] {
            let found = mean_found(kernels, &strategy, evaluations);
            assert!(found > random + 0.1, "{found} against {random} by chance, {strategy:?}");
        }
    }
}

#[test]
fn each_extension_changes_what_is_proposed_and_only_after_something_was_learned() {
    for (name, without, with) in ablations() {
        for (one, other) in [(Ants::default(), without), (Ants::base(), with)] {
            let (one, other) = (proposals(&Walker::Colony(one), 4), proposals(&Walker::Colony(other), 4));
            assert_eq!(one[..10], other[..10], "{name}: nothing is known in the first iteration");
            assert_ne!(one, other, "{name}");
        }
    }
}

#[test]
fn what_is_learned_of_a_kernel_in_one_order_serves_the_others() {
    let shared = mean_found(Kernels::default(), &colony(), 100);
    let unshared = mean_found(Kernels { unshared: true }, &colony(), 100);
    assert!(shared > unshared + 0.02, "{shared} with shared nodes, {unshared} without");

    let mut search = open_colony(Ants::default(), 1, 100);
    let proposed = finish(&mut search, 10, answer);
    let tile = NodeKey::new("tile").statements([0]);
    let place = |path: &Path| path.iter().position(|crossing| crossing.node == tile);
    let places: std::collections::BTreeSet<_> = proposed.iter().map(place).collect();
    assert_eq!(
        places.len(),
        3,
        "ants come to kernel 0 first, second and last, always at the same node: {places:?}"
    );
    let pheromone = search.proposer().strategy().pheromone(&tile).unwrap();
    let best = (0..6).max_by(|&one, &other| pheromone[one].total_cmp(&pheromone[other]));
    assert!(best.is_some_and(|best| best.abs_diff(4) <= 1), "{pheromone:?}");
}

#[test]
fn the_best_of_all_parts_are_joined_in_the_next_iteration() {
    let (mut some, mut none) = (0, 0);
    for seed in 0..20 {
        let joins = |ants: Ants| {
            let proposed = proposals(&Walker::Colony(ants), seed);
            let parts = |path: &Path| answer(path).parts;
            // The fastest of each kernel in the first iteration, and the first path of the second.
            let best = |kernel: usize| {
                let times =
                    proposed[..10].iter().filter_map(|proposal| Some(parts(proposal).get(kernel)?.time_ns));
                times.fold(f64::INFINITY, f64::min)
            };
            let joined = |proposal: &Path| {
                let parts = parts(proposal);
                parts.len() == 3 && (0..3).all(|kernel| parts[kernel].time_ns <= best(kernel))
            };
            proposed[..11].iter().any(joined) // an ant of the first iteration may have found all of them
        };
        some += usize::from(joins(Ants::default()));
        none += usize::from(joins(Ants { recombination: false, ..Ants::default() }));
    }
    assert!(some == 20 && none <= 5, "joined in {some} of 20 searches, and in {none} without recombination");
}

#[test]
fn where_everything_fails_nothing_is_deposited_and_the_search_ends_without_a_best() {
    let mut search = open_colony(Ants::default(), 2, 50);
    let failed = |_: &[Crossing]| Report::failed(Failure::Wrong);
    assert_eq!(finish(&mut search, 3, failed).len(), 50);
    assert_eq!(search.best(), None);
    let pheromone =
        search.proposer().strategy().pheromone(&NodeKey::new("next").statements([0, 1, 2])).unwrap();
    assert!(pheromone.iter().all(|&own| own < 1.0 / 3.0 && own == pheromone[0]), "{pheromone:?}");
}

#[test]
fn filters_that_leave_nothing_are_dropped_and_counted() {
    let count = |ants: Ants| {
        let mut search = open_colony(ants, 3, 200);
        finish(&mut search, 10, answer);
        search.proposer().strategy().dropped_filters()
    };
    assert!(
        count(Ants::default()) > 0,
        "blocks are bounded by tiles, so some leaf of the tree cannot be reached"
    );
    assert_eq!(count(Ants { tree: false, ..Ants::default() }), 0);
}

/// Two parts of four nodes each, with five options; some paths are known to be sane.
struct Parts(Vec<[usize; 8]>);

fn crossing(at: usize, option: usize) -> Crossing {
    let node = NodeKey::new("node").statements([at as u32]);
    Crossing { node, part: Some(part(at)), option }
}

fn part(at: usize) -> nitro_search::Part {
    format!("part {}", at / 4).into()
}

impl Decisions for Parts {
    fn next(&self, path: &[Crossing]) -> Step {
        match path.len() {
            8 => Step::Complete,
            at => Step::Choose(Decision::new(crossing(at, 0).node, 5).part(part(at))),
        }
    }

    fn initial_paths(&self) -> Vec<Vec<Crossing>> {
        let path =
            |options: &[usize; 8]| options.iter().enumerate().map(|(at, own)| crossing(at, *own)).collect();
        self.0.iter().map(path).collect()
    }
}

/// Options that are further from 2 take longer.
fn time_of(path: &[Crossing]) -> Report {
    let time_ns = |own: &[Crossing]| {
        own.iter().zip(1..).map(|(one, weight)| (weight * one.option.abs_diff(2) + 10) as f64).sum()
    };
    let times_ns: [f64; 2] = [time_ns(&path[..4]), time_ns(&path[4..])];
    let mut report = Report::time_ns(times_ns.iter().sum());
    report.parts = [0, 4]
        .into_iter()
        .zip(times_ns)
        .map(|(at, time_ns)| PartReport { part: part(at), time_ns, metrics: Default::default() })
        .collect();
    report
}

fn options(path: &[Crossing]) -> Vec<usize> {
    path.iter().map(|crossing| crossing.option).collect()
}

#[test]
fn colonies_and_genetic_algorithms_begin_with_what_is_sane_and_chance_does_not() {
    // Of an option that there is not, the nearest is taken.
    let sane = || Parts(vec![[1; 8], [3, 3, 3, 3, 0, 0, 0, 9]]);
    let expected = [vec![1; 8], vec![3, 3, 3, 3, 0, 0, 0, 4]];
    let first = |strategy| {
        let proposed = finish(&mut begin(sane(), &strategy, 5, 20), 20, time_of);
        assert_eq!(proposed.len(), 20);
        proposed.iter().take(2).map(|one| options(one)).collect::<Vec<_>>()
    };
    for strategy in [colony(), Walker::Genetic] {
        assert_eq!(first(strategy), expected);
    }
    assert_ne!(first(Walker::Random), expected);
    let many = || {
        Parts(
            (0..5)
                .flat_map(|one| (0..5).map(move |other| [one, one, one, one, other, other, other, other]))
                .collect(),
        )
    };
    let mut search = begin(many(), &colony(), 5, 30);
    let proposed = finish(&mut search, 30, time_of);
    assert_eq!(proposed.len(), 30, "more than an iteration has ants are left out");
}

#[test]
fn two_ants_of_three_change_one_choice_of_each_part_of_the_best() {
    let ants = Ants { recombination: false, ..Ants::default() };
    let proposed = finish(&mut begin(Parts(Vec::new()), &Walker::Colony(ants), 3, 20), 20, time_of);
    let fastest = |part: usize| {
        let time_ns = |one: &&Path| time_of(one).parts[part].time_ns;
        let best =
            proposed[..10].iter().min_by(|one, other| time_ns(one).total_cmp(&time_ns(other))).unwrap();
        options(best)[4 * part..4 * part + 4].to_vec()
    };
    let best = [fastest(0), fastest(1)].concat();
    let changes = |one: &Path, part: usize| {
        let own = options(one);
        (4 * part..4 * part + 4).filter(|at| own[*at] != best[*at]).count()
    };
    for one in &proposed[14..] {
        assert_eq!([changes(one, 0), changes(one, 1)], [1, 1], "{:?}", options(one));
    }
}
