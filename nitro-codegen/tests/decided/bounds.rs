//! The lower bound of the spaces that there are: no child of a state has a smaller one, and the reasons say what it is.

use nitro_codegen::{DecidedSpace, TileSizes};
use nitro_search::partial::{Limits, LowerBound, Rates, TimeBound, Values};
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
        let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let mut state = space.root().clone();
            let mut bound_ns = bound.bound_ns(&state);
            assert!(bound_ns > 0.0, "{}", space.nest());
            while let Some(choice) = bound.branch(&state) {
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
