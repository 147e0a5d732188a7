//! Sums that warps add up.

use nitro_decide::{DecidedSpace, Limits, LowerBound, OpenChoices, TileSizes, TimeBound, Values};
use nitro_nest::Integers;
use nitro_test_support::random::Random;

use super::bounds::h200;
use super::{drawn, reference};

fn everything() -> TileSizes {
    TileSizes { open: OpenChoices::ALL, ..TileSizes::full() }
}

/// Runs drawn points with threads in any order, which finds races and what is out of bounds; results are as far off
/// as another order of a sum may be.
fn agree(space: &DecidedSpace, points: usize, seed: u64) {
    let mut random = Random::new(seed);
    let nest = space.nest();
    for _ in 0..points {
        let values = drawn(space.root(), &mut random);
        let program = space.program(&values);
        let (mut data, _) = reference(space, &mut random);
        let mut expected = data.clone();
        let bounds = nest.run_with_bounds(&mut expected).unwrap();
        let told = || format!("{}\n{program}", space.show(&values));
        let run = program.run(&mut data, |threads| random.below(threads as u64) as usize);
        run.unwrap_or_else(|error| panic!("{error}\n{}", told()));
        for ((found, expected), bounds) in data.arrays.iter().zip(&expected.arrays).zip(&bounds) {
            for ((found, expected), bound) in found.iter().zip(expected).zip(bounds) {
                let off = f64::from(*found) - f64::from(*expected);
                assert!(off.abs() <= *bound, "{found} is none of {expected} by {bound}\n{}", told());
            }
        }
    }
}

#[test]
fn drawn_points_of_matrices_by_vectors_agree_with_their_plain_loops() {
    let few = Limits { threads: 256, ..Limits::default() };
    for sizes in [[8, 32], [16, 96], [6, 256], [1, 64]] {
        agree(&DecidedSpace::matvec_by_warps(sizes, &everything(), &few).unwrap(), 25, sizes[1]);
    }
}

#[test]
fn drawn_points_of_sums_of_matrices_by_vectors_agree_with_their_plain_loops() {
    let few = Limits { threads: 256, ..Limits::default() };
    for n in [32, 64, 96] {
        agree(&DecidedSpace::gesummv_by_warps(n, &everything(), &few).unwrap(), 15, n);
    }
}

#[test]
fn a_warp_adds_up_by_shuffles() {
    let space = DecidedSpace::matvec_by_warps([4096, 16384], &everything(), &Limits::default()).unwrap();
    let mut random = Random::new(40);
    for _ in 0..20 {
        let values = drawn(space.root(), &mut random);
        let program = space.program(&values);
        assert_eq!(program.kernels[0].threads() % 32, 0);
        let text = program.cuda(Integers::Bits32);
        assert!(text.contains("__shfl_down_sync"), "{text}");
    }
    let error = DecidedSpace::matvec_by_warps([64, 100], &everything(), &Limits::default()).unwrap_err();
    let expected = "size 100 of k; the nearest sizes that some divide are 96 and 128";
    assert!(error.to_string().ends_with(expected), "{error}");
}

#[test]
fn children_are_bounded_by_no_less_than_their_parents_and_all_by_what_memory_delivers() {
    let space = DecidedSpace::matvec_by_warps([16384; 2], &TileSizes::full(), &Limits::default()).unwrap();
    let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
    let least_ns = f64::from((1 << 30) - (60 << 20)) / 4814.0;
    let mut random = Random::new(41);
    for _ in 0..10 {
        let values = drawn(space.root(), &mut random);
        let mut state = space.root().clone();
        let mut before_ns = bound.bound_ns(&state);
        assert!(before_ns >= least_ns, "{}", bound.explain(&state));
        for (choice, value) in state.problem().clone().choices().zip(values) {
            state.restrict(choice, Values::of([value])).unwrap();
            let bound_ns = bound.bound_ns(&state);
            assert!(bound_ns >= before_ns * (1.0 - 1e-9), "{before_ns} ns, but {}", bound.explain(&state));
            before_ns = bound_ns;
        }
    }
}
