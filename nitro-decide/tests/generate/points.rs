//! What is in a space, and why.

use nitro_decide::{Candidate, DecidedSpace, Limits, LowerBound, OpenChoices, TileSizes, TimeBound};
use nitro_nest::{Integers, LaunchPlan, Space};
use nitro_search::{Ask, Budget, Engine, Generator, Paths, RandomPaths, complete};
use nitro_test_support::random::Random;

use super::bounds::{h200, h200_feature};
use super::{agrees, drawn};

/// So few sizes that every point can be run.
pub fn tiny() -> TileSizes {
    TileSizes {
        threads: vec![2, 4],
        rows: vec![2],
        strips: vec![1, 2],
        neighbours: vec![1, 4],
        sum: vec![4],
        loading_threads: vec![1, 2, 4],
        loaded: vec![1, 2, 4],
        open: OpenChoices::default(),
    }
}

/// All points of a state.
pub fn all(root: &Candidate) -> Vec<Vec<usize>> {
    root.points().filter_map(|point| point.solution()).collect()
}

#[test]
fn every_point_of_a_tiny_space_agrees_with_its_plain_loops() {
    let space = DecidedSpace::sgemm([8, 16, 8], &tiny(), &Limits::default()).unwrap();
    let points = all(space.root());
    assert!(points.len() > 500, "{} points", points.len());
    let mut random = Random::new(3);
    points.iter().for_each(|values| agrees(&space, values, &mut random));
}

#[test]
fn the_reduced_space_of_products_can_be_measured_and_the_full_one_cannot() {
    let reduced = DecidedSpace::sgemm([1024; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    let count = reduced.root().count(20_000).expect("there are no more than 20,000");
    assert!(count >= 5000, "{count} points");
    let full = DecidedSpace::sgemm([1024; 3], &TileSizes::full(), &Limits::default()).unwrap();
    let estimate = full.root().estimate(3000, 11);
    assert!(estimate.interval().0 > 1e8, "{estimate:?}");
}

#[test]
fn no_two_points_of_a_reduced_space_are_one_program() {
    let space = DecidedSpace::sgemm([8, 16, 8], &tiny(), &Limits::default()).unwrap();
    let points = all(space.root());
    let mut texts: Vec<String> =
        points.iter().map(|values| space.program(values).cuda(Integers::Bits32)).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), points.len());
}

#[test]
fn what_is_shown_can_be_read_again_and_says_what_the_program_is() {
    let space = DecidedSpace::sgemm([64; 3], &TileSizes::full(), &Limits::default()).unwrap();
    let (root, mut random) = (space.root(), Random::new(5));
    for _ in 0..20 {
        let values = drawn(root, &mut random);
        let text = space.show(&values);
        assert_eq!(space.parse(&text), Ok(values.clone()), "{text}");
        let program = space.program(&values);
        let shared = program.kernels[0].locals.iter().filter(|local| local.space == Space::Shared).count();
        assert_eq!(shared, text.matches("memory of").count() - text.matches("= global").count(), "{text}");
        let [threads_i, threads_j] = ["size of i1 = ", "size of j2 = "].map(|size| {
            let rest = text.split(size).nth(1).unwrap();
            rest.lines().next().unwrap().parse::<u32>().unwrap()
        });
        assert_eq!(program.kernels[0].block, [threads_i * threads_j, 1, 1]);
    }
}

#[test]
fn sizes_that_no_tiles_divide_are_named_with_the_nearest_that_some_do() {
    let limits = Limits::default();
    let error =
        |sizes, tiles: &TileSizes| DecidedSpace::sgemm(sizes, tiles, &limits).unwrap_err().to_string();
    let nearest = "no tiles divide the size 1000 of i; the nearest sizes that some divide are 992 and 1024";
    assert_eq!(error([1000; 3], &TileSizes::reduced()), nearest);
    let smallest = "no tiles divide the size 20 of j; the smallest size that some divide is 32";
    assert_eq!(error([32, 20, 8], &TileSizes::reduced()), smallest);
    let apart = TileSizes { loaded: vec![3], ..TileSizes::reduced() };
    assert!(error([64; 3], &apart).contains("none divide any size"), "{}", error([64; 3], &apart));
    for size in [992, 1024] {
        assert!(DecidedSpace::sgemm([size, 1024, 1024], &TileSizes::reduced(), &limits).is_ok(), "{size}");
    }
    assert!(DecidedSpace::sgemm([1000; 3], &TileSizes::full(), &limits).is_ok());
    let vectors = DecidedSpace::axpy(1000, &TileSizes { threads: vec![64], ..TileSizes::full() }, &limits);
    assert!(vectors.unwrap_err().to_string().ends_with("are 960 and 1024"));
}

#[test]
fn what_cannot_be_is_explained_in_words() {
    let space = DecidedSpace::sgemm([64; 3], &TileSizes::full(), &Limits::default()).unwrap();
    let mut candidate = space.root().clone();
    let problem = candidate.problem().clone();
    let choice = |name: &str| problem.choices().find(|&choice| problem.name(choice) == name).unwrap();
    let plain = problem.named(choice("kind of k1"), &["plain"]).unwrap();
    candidate.restrict(plain.choice, plain.values).unwrap();
    let why = candidate.explain(choice("memory of a"), 0).unwrap().to_string();
    assert!(why.contains("a value in registers stays with its thread"), "{why}");
    assert!(space.parse("kind of k1 = plain; memory of a = global").is_err());
    assert!(space.parse("kind of k9 = plain").unwrap_err().contains("there is no choice"));
}

#[test]
fn a_trainer_searches_it_as_it_does_nests() {
    let space = DecidedSpace::sgemm([64; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    let strategy = Paths::new(space.decisions(), RandomPaths::new(0));
    let mut search = Engine::new(strategy, Budget::default());
    let Ask::Evaluate(paths) = search.ask(5).unwrap() else { panic!("it begins with something") };
    for path in paths {
        let plan = LaunchPlan::from_json(&space.artifact(&path).unwrap()).unwrap();
        let values = space.parse(&plan.origin).unwrap();
        assert_eq!(space.program(&values).plan().cuda, plan.cuda);
    }
}

#[test]
fn a_path_is_bounded_as_its_point_is_where_the_device_is_known() {
    let space = DecidedSpace::sgemm([64; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    let path = complete(&space, |_, _, open| open[0]).unwrap();
    let values = LaunchPlan::from_json(&space.artifact(&path).unwrap()).unwrap().origin;
    let point = space.root().decide(&space.parse(&values).unwrap()).unwrap();
    let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
    let path_bound = space.path_bound(&h200_feature).unwrap();
    assert_eq!(path_bound(&path), Some(bound.bound_ns(&point)));
    assert!(path_bound(&path[..3]).unwrap() <= bound.bound_ns(&point));
    assert!(space.path_bound(&|_| None).is_none());
}

#[test]
fn caches_that_are_asked_for_are_in_the_text() {
    let tiles = TileSizes { open: OpenChoices::ALL, ..TileSizes::full() };
    let space = DecidedSpace::sgemm([64; 3], &tiles, &Limits::default()).unwrap();
    let wide = "kind of a_k2 = vector; caches of load a = the device's alone; caches of load b = evicted first;
        memory of a = shared; layout of a = as it lies; caches of store = evicted first; kind of store_j3 = unrolled";
    let program = space.program(&space.parse(wide).unwrap());
    let text = program.cuda(Integers::Bits32);
    for expected in ["= __ldcg((const float4*)&a[", "= __ldcs(", "__stcs(&c["] {
        assert!(text.contains(expected), "there is no {expected} in\n{text}");
    }
    let usual = space.program(&space.parse("").unwrap());
    assert!(usual.kernels[0].caching.is_empty() && !usual.cuda(Integers::Bits32).contains("__ld"));
    let told = program.to_string();
    assert!(told.contains("c is read as usual, written as a stream"), "{told}");
}

#[test]
fn a_point_of_a_space_with_fewer_tiles_is_the_same_program_in_one_with_more_and_has_the_same_blocks_at_other_sizes()
 {
    let of = |size, tiles: &TileSizes| DecidedSpace::sgemm([size; 3], tiles, &Limits::default()).unwrap();
    let few =
        TileSizes { open: OpenChoices { ahead: true, ..OpenChoices::default() }, ..TileSizes::reduced() };
    let (few, more, larger) = (of(1024, &few), of(1024, &TileSizes::full()), of(2048, &TileSizes::full()));
    let mut random = Random::new(5);
    for _ in 0..40 {
        let values = drawn(few.root(), &mut random);
        let program = few.program(&values);
        assert_eq!(more.program(&more.as_in(&few, &values).unwrap()), program, "{}", few.show(&values));
        let larger = larger.program(&larger.as_in(&few, &values).unwrap());
        assert_eq!(larger.kernels[0].block, program.kernels[0].block);
    }
    let values = more.parse("size of k1 = 64; kind of k1 = unrolled").unwrap();
    assert_eq!(few.as_in(&more, &values), None, "its tiles have 16 terms at most");
}
