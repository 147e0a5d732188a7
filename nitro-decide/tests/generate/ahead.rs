//! Tiles that are loaded while those before are used.

use nitro_decide::{
    Candidate, DecidedSpace, LOADINGS, Limits, LowerBound, OpenChoices, TileSizes, TimeBound, TimeTerm,
    TimeTerms, Values,
};
use nitro_nest::{Instruction, Program, Space};
use nitro_test_support::random::Random;

use super::bounds::h200;
use super::points::{all, tiny};
use super::{agrees, drawn, reference};

/// What is left of a space where tiles are loaded in one of these ways.
fn loaded(space: &DecidedSpace, ways: &[usize]) -> Candidate {
    let loading = space.nesting().loading.expect("tiles follow one another");
    let mut candidate = space.root().clone();
    candidate.restrict(loading.choice, Values::of(ways.iter().copied())).unwrap();
    candidate
}

fn few(threads: u64) -> Limits {
    Limits { threads, ..Limits::default() }
}

/// Every kernel with a sum, of sizes that the interpreter is done with soon.
fn spaces(open: OpenChoices) -> Vec<DecidedSpace> {
    let tiles = TileSizes { open, ..TileSizes::full() };
    vec![
        DecidedSpace::sgemm([32; 3], &tiles, &few(256)).unwrap(),
        DecidedSpace::batched_sgemm(3, [16, 32, 24], &tiles, &few(64)).unwrap(),
        DecidedSpace::matvec([64, 96], &tiles, &few(256)).unwrap(),
        DecidedSpace::gesummv(96, &tiles, &few(256)).unwrap(),
    ]
}

#[test]
fn drawn_points_agree_with_their_plain_loops_with_threads_in_any_order() {
    for (seed, space) in (20..).zip(spaces(OpenChoices::ALL)) {
        let mut random = Random::new(seed);
        for way in [1, 2] {
            let root = loaded(&space, &[way]);
            (0..20).for_each(|_| agrees(&space, &drawn(&root, &mut random), &mut random));
        }
    }
}

#[test]
fn every_point_of_tiny_spaces_agrees_and_is_a_program_of_its_own() {
    let tiles =
        TileSizes { open: OpenChoices { ahead: true, ..OpenChoices::default() }, threads: vec![2], ..tiny() };
    let spaces = [
        DecidedSpace::sgemm([4, 8, 12], &tiles, &Limits::default()).unwrap(),
        DecidedSpace::matvec([8, 12], &tiles, &Limits::default()).unwrap(),
    ];
    let mut random = Random::new(30);
    for space in spaces {
        let ahead = all(&loaded(&space, &[1, 2]));
        assert!(ahead.len() > 100, "{} has {} points", space.nest().name(), ahead.len());
        ahead.iter().for_each(|values| agrees(&space, values, &mut random));
        let text = |values: &Vec<usize>| space.program(values).cuda(nitro_nest::Integers::Bits32);
        let mut texts: Vec<String> = all(space.root()).iter().map(text).collect();
        let points = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), points);
    }
}

const STAGED: &str =
    "size of i1 = 4; size of i2 = 2; size of j1 = 1; size of j2 = 4; size of j3 = 4; size of k1 = 8;
    memory of a = shared; layout of a = as it lies; memory of b = shared; layout of b = as it lies;
        kind of k1 = unrolled";

fn product() -> DecidedSpace {
    DecidedSpace::sgemm([64; 3], &TileSizes::full(), &Limits::default()).unwrap()
}

fn point(space: &DecidedSpace, way: usize) -> Vec<usize> {
    space.parse(&format!("{STAGED}; loading of tiles = {}", LOADINGS[way])).unwrap()
}

fn shared_elements(program: &Program) -> i64 {
    let shared = program.kernels[0].locals.iter().filter(|local| local.space == Space::Shared);
    shared.map(|local| local.shape.iter().product::<i64>()).sum()
}

/// Barriers as they stand in the text.
fn barriers(instructions: &[Instruction]) -> usize {
    let of = |instruction: &Instruction| match instruction {
        Instruction::Barrier => 1,
        Instruction::Loop(_, _, body) | Instruction::If(_, body, _) => barriers(body),
        _ => 0,
    };
    instructions.iter().map(of).sum()
}

#[test]
fn what_says_nothing_of_loading_is_loaded_as_needed_and_two_tiles_take_twice_the_memory_and_one_barrier() {
    let space = product();
    assert_eq!(space.parse(STAGED), Ok(point(&space, 0)));
    let programs = [0, 1, 2].map(|way| space.program(&point(&space, way)));
    let tiles = 8 * 8 + 8 * 16;
    assert_eq!([0, 1, 2].map(|way| shared_elements(&programs[way])), [tiles, tiles, 2 * tiles]);
    assert_eq!([0, 1, 2].map(|way| barriers(&programs[way].kernels[0].body)), [2, 2, 1]);
    let told = programs[2].to_string();
    assert!(told.contains("a_next") && told.contains("k0 + 1 < 8"), "{told}");
}

/// All but one of the barriers, counted as they stand in the text.
fn without_barrier(instructions: &mut Vec<Instruction>, left: &mut usize) {
    instructions.retain_mut(|instruction| match instruction {
        Instruction::Barrier => {
            *left = left.wrapping_sub(1);
            *left != usize::MAX
        }
        Instruction::Loop(_, _, body) | Instruction::If(_, body, _) => {
            without_barrier(body, left);
            true
        }
        _ => true,
    });
}

#[test]
fn no_barrier_can_be_left_out() {
    let space = product();
    let mut random = Random::new(31);
    for (way, count) in [(0, 2), (1, 2), (2, 1)] {
        for one in 0..count {
            let mut program = space.program(&point(&space, way));
            without_barrier(&mut program.kernels[0].body, &mut { one });
            let (mut data, _) = reference(&space, &mut random);
            let run = program.run(&mut data, |threads| random.below(threads as u64) as usize);
            assert!(run.is_err(), "{} without barrier {one} has no race", LOADINGS[way]);
        }
    }
}

#[test]
fn reduced_spaces_have_the_points_that_they_had_before_there_was_a_choice() {
    let space = DecidedSpace::sgemm([1024; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    assert_eq!(space.root().count(20_000), Some(10_640));
    let loading = space.nesting().loading.unwrap();
    assert_eq!(space.root().values(loading.choice), Values::of([0]));
    let full = DecidedSpace::axpy(1 << 20, &TileSizes::full(), &Limits::default()).unwrap();
    assert!(full.nesting().loading.is_none(), "there are no tiles");
}

#[test]
fn the_bound_of_what_is_loaded_ahead_waits_once_and_has_its_registers_and_memory() {
    let space = DecidedSpace::sgemm([1024; 3], &TileSizes::full(), &Limits::default()).unwrap();
    let bound = TimeBound::new(space.kernel(), space.nesting(), h200());
    let state = |way: usize| {
        let text = "size of i1 = 16; size of i2 = 8; size of j1 = 2; size of j2 = 16; size of j3 = 4; size of k1 = 8;
            kind of k1 = unrolled; memory of a = shared; memory of b = shared; kind of a_k2 = vector;
        kind of b_j3 = vector;
            order of i1 and j2 = outer; size of a_i1 = 128; size of a_k1 = 2; kind of a_k1 = thread;
        order of a_i1 and a_k1 = outer;
            size of b_k1 = 8; kind of b_k1 = thread; size of b_j2 = 32; order of b_k1 and b_j2 = outer";
        let values = space.parse(&format!("{text}; loading of tiles = {}", LOADINGS[way])).unwrap();
        space.root().decide(&values).unwrap()
    };
    let term = |bound: &TimeBound, way: usize, term: TimeTerm| {
        bound.reasons(&state(way)).times_ns.into_iter().find(|own| own.0 == term).unwrap().1
    };
    let latencies = [0, 1, 2].map(|way| term(&bound, way, TimeTerm::Latency));
    // 64 blocks are one wave; of 128 tiles all but one are there when they are needed
    let clock_ghz = 1.98;
    let spared_ns = 127.0 * 284.0 / 1.02 / clock_ghz;
    assert!((latencies[0] - latencies[1] - spared_ns).abs() < 1.0, "{latencies:?}, {spared_ns}");
    let spared_ns = 128.0 * 14.0 / 1.02 / clock_ghz;
    assert!((latencies[1] - latencies[2] - spared_ns).abs() < 1.0, "{latencies:?}, {spared_ns}");
    let barriers = [0, 1, 2].map(|way| term(&bound, way, TimeTerm::Barriers));
    assert!(barriers[0] == barriers[1] && barriers[1] == 2.0 * barriers[2], "{barriers:?}");
    // a block does all that it computes, an instruction in 17 a load of shared memory, with a multiprocessor for
    // itself, and waits as a thread does
    let phases = [0, 1, 2].map(|way| term(&bound, way, TimeTerm::Phases));
    let working_ns = 128.0 * 128.0 * 1024.0 / 128.0 * (17.0 / 16.0) / clock_ghz;
    for (phases_ns, loads, barriers) in
        [(phases[0], 128.0, 256.0), (phases[1], 1.0, 256.0), (phases[2], 1.0, 128.0)]
    {
        let waiting_ns = (loads * 284.0 + barriers * 14.0) / 1.02 / clock_ghz;
        assert!((phases_ns - working_ns - waiting_ns).abs() < 1.0, "{phases:?}, {working_ns}, {waiting_ns}");
    }
    assert_eq!(bound.bound_ns(&state(0)), phases[0]); // more than anything else
    // what is open is bounded by the least
    let least = [0, 1, 2].map(|way| bound.bound_ns(&state(way))).into_iter().fold(f64::INFINITY, f64::min);
    assert!(bound.bound_ns(space.root()) <= least);
}

#[test]
fn sums_that_are_in_registers_leave_room_for_fewer_blocks() {
    let space = DecidedSpace::sgemm([4096; 3], &TileSizes::full(), &Limits::default()).unwrap();
    let text =
        "size of i1 = 8; size of i2 = 8; size of j1 = 2; size of j2 = 8; size of j3 = 4; size of k1 = 8;
        kind of k1 = unrolled;
        memory of a = shared; memory of b = shared; kind of a_k2 = vector; kind of b_j3 = vector;
        loading of tiles = ahead";
    let point = space.root().decide(&space.parse(text).unwrap()).unwrap();
    let mut terms = TimeTerms::default();
    terms.kept_sums = false;
    let bounds = [TimeTerms::default(), terms]
        .map(|terms| TimeBound::new(space.kernel(), space.nesting(), h200()).with_terms(terms));
    let latencies = bounds.map(|bound| {
        bound.reasons(&point).times_ns.into_iter().find(|own| own.0 == TimeTerm::Latency).unwrap().1
    });
    // 4096 blocks of 64 threads: 32 at once on each of 132 multiprocessors, but with 64 sums and 16 elements of
    // each thread no more than 12
    assert!((latencies[0] / latencies[1] - 3.0).abs() < 1e-9, "{latencies:?}");
}
