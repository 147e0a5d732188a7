//! The lower bound of the spaces that there are: no child of a state has a smaller one, and the reasons say what it is.

use nitro_decide::{
    Candidate, DecidedSpace, Limits, LowerBound, OpenChoices, Rates, TileSizes, TimeBound, TimeTerm, Values,
};
use nitro_test_support::random::Random;

/// By the data sheet, with latencies as they were measured.
pub fn h200_feature(name: &str) -> Option<f64> {
    match name {
        "sm_count" => Some(132.0),
        "clock_rate_mhz" => Some(1980.0),
        "l2_cache_kib" => Some(61440.0),
        "cuda_cores" => Some(16896.0),
        "peak_gbps" => Some(4814.0),
        "load_clocks" => Some(32.0),
        "l2_load_clocks" => Some(284.0),
        "shared_load_clocks" => Some(23.0),
        "barrier_clocks" => Some(14.0),
        _ => None,
    }
}

pub fn h200() -> Rates {
    Rates::from_features(h200_feature).unwrap()
}

fn spaces() -> [DecidedSpace; 5] {
    let (tiles, limits) = (TileSizes::full(), Limits::default());
    [
        DecidedSpace::sgemm([1024; 3], &tiles, &limits).unwrap(),
        DecidedSpace::batched_sgemm(64, [128; 3], &tiles, &limits).unwrap(),
        DecidedSpace::matvec([4096; 2], &tiles, &limits).unwrap(),
        DecidedSpace::gesummv(4096, &tiles, &limits).unwrap(),
        DecidedSpace::axpy(1 << 24, &tiles, &limits).unwrap(),
    ]
}

#[test]
fn children_are_bounded_by_no_less_than_their_parents_and_reasons_say_by_what() {
    for (seed, space) in (0..).zip(spaces()) {
        let rates = Rates { requests_per_clock: 1.0, ..h200() };
        let bound = TimeBound::new(space.kernel(), space.nesting(), rates);
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let mut state = space.root().clone();
            let mut bound_ns = bound.bound_ns(&state);
            assert!(bound_ns > 0.0, "{}", space.nest());
            while let Some(choice) = bound.order(&state, 1).pop() {
                let open: Vec<usize> = state.values(choice).iter().collect();
                let one = Values::of([open[random.below(open.len() as u64) as usize]]);
                let mut child = state.clone();
                if child.restrict(choice, one).is_err() {
                    break;
                }
                let child_ns = bound.bound_ns(&child);
                assert!(child_ns >= bound_ns * (1.0 - 1e-9), "{bound_ns} ns, but {}", bound.explain(&child));
                (state, bound_ns) = (child, child_ns);
            }
            let reasons = bound.reasons(&state);
            assert_eq!(reasons.ns, bound_ns);
            assert!(reasons.to_string().contains(&reasons.term.unwrap().to_string()));
        }
    }
}

/// 256 threads with 4 x 4 sums each, tiles of 64 x 16 and 16 x 64.
const PRODUCT: &str = "size of i1 = 16; size of i2 = 4; size of j1 = 1; size of j2 = 16; size of k1 = 16;
        kind of k1 = unrolled;
    memory of a = shared; layout of a = as it lies; memory of b = shared; layout of b = as it lies;
    size of a_i1 = 64; size of a_k1 = 4; kind of a_k1 = thread; size of a_k2 = 4; kind of a_k2 = vector;
    size of b_k1 = 16; kind of b_k1 = thread; size of b_j2 = 16; size of b_j3 = 4; kind of b_j3 = vector";

/// A multiprocessor has two of 256 blocks, and the eight warps of each ask for themselves, whatever other warps
/// asked for.
#[test]
fn shared_memory_answers_every_warp_of_a_block() {
    let space = DecidedSpace::sgemm([1024; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    let point = space.root().decide(&space.parse(PRODUCT).unwrap()).unwrap();
    let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
    // four elements at once: two rows that begin in one bank; and 64 neighbours, of which each bank has two
    let read = 8.0 * 1024.0 * (2.0 + 2.0);
    let written = 1024.0 / 16.0 * 8.0 * (4.0 + 4.0); // warps bring 512 bytes of each tile
    let answers_ns = term(&bound, &point, TimeTerm::Wavefronts);
    assert!((answers_ns - 2.0 * (read + written) / 1.98).abs() < 1.0, "{answers_ns}");
}

fn term(bound: &TimeBound, point: &Candidate, term: TimeTerm) -> f64 {
    bound.reasons(point).times_ns.into_iter().find(|own| own.0 == term).unwrap().1
}

/// Half a warp has a row of one tile in common, and 16 of its lanes share no four neighbours of the other; nothing
/// follows where nobody measured requests.
#[test]
fn lanes_that_share_nothing_get_one_register_at_a_time() {
    let space = DecidedSpace::sgemm([1024; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    let point = space.root().decide(&space.parse(PRODUCT).unwrap()).unwrap();
    let with = |rates: Rates| space.time_bound(rates);
    assert_eq!(term(&with(h200()), &point, TimeTerm::Requests), 0.0);
    let read = 8.0 * 1024.0 * (2.0 + 4.0);
    let written = 1024.0 / 16.0 * 8.0 * (4.0 + 4.0);
    // tiles come through the first-level cache: two rows of one to a warp, which are in the same banks, and of the
    // other eight rows, which are, too
    let loaded = 1024.0 / 16.0 * 8.0 * (8.0 + 4.0);
    let requests_ns = term(&with(Rates { requests_per_clock: 1.0, ..h200() }), &point, TimeTerm::Requests);
    assert!((requests_ns - 2.0 * (read + written + loaded) / 1.98).abs() < 1.0, "{requests_ns}");
}

/// Loads past the first-level cache are not what requests were measured of.
#[test]
fn where_caches_are_open_requests_do_not_count() {
    let tiles =
        TileSizes { open: OpenChoices { caches: true, ..OpenChoices::default() }, ..TileSizes::reduced() };
    let space = DecidedSpace::sgemm([1024; 3], &tiles, &Limits::default()).unwrap();
    let point = space.root().decide(&space.parse(PRODUCT).unwrap()).unwrap();
    let bound = space.time_bound(Rates { requests_per_clock: 1.0, ..h200() });
    assert_eq!(term(&bound, &point, TimeTerm::Requests), 0.0);
}

/// While it is open whether four elements are loaded at once, no warp is known to have sectors of a tile for
/// itself: loaded one by one, warps share them.
#[test]
fn what_vectors_would_keep_apart_is_not_apart_while_they_are_open() {
    let space = DecidedSpace::batched_sgemm(64, [128; 3], &TileSizes::full(), &Limits::default()).unwrap();
    let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
    let problem = &space.nesting().problem;
    let restrict = |state: &mut Candidate, name: &str, value: &str| {
        let choice = problem.choices().find(|&choice| problem.name(choice) == name).unwrap();
        let decided = problem.named(choice, &[value]).unwrap();
        state.restrict(choice, decided.values).unwrap();
    };
    let mut parent = space.root().clone();
    let decided = "size of i0 = 1; size of i1 = 16; order of i2 and j3 = inner; size of store_j2 = 16;
        size of j0 = 1; size of j1 = 8;
        size of k0 = 16; kind of b_j3 = vector; kind of k1 = plain; loading of tiles = ahead; size of a_i1 = 128;
        order of i2 and j1 = outer";
    for (name, value) in decided.split(';').filter_map(|one| one.trim().split_once(" = ")) {
        restrict(&mut parent, name, value);
    }
    let mut child = parent.clone();
    restrict(&mut child, "kind of a_k2", "unrolled");
    assert!(bound.bound_ns(&child) >= bound.bound_ns(&parent), "{}", bound.explain(&parent));
}

#[test]
fn what_is_loaded_and_then_stored_to_is_read_from_memory_and_written_to_it() {
    let n = 1 << 26;
    let space = DecidedSpace::axpy(n, &TileSizes::full(), &Limits::default()).unwrap();
    let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
    let (vector_bytes, cache_bytes) = (4.0 * n as f64, 61440.0 * 1024.0);
    let bytes = (2.0 * vector_bytes - cache_bytes) + (vector_bytes - cache_bytes);
    let memory_ns = term(&bound, space.root(), TimeTerm::Dram);
    assert!((memory_ns - bytes / 4814.0).abs() < 1.0, "{memory_ns} ns");
}
