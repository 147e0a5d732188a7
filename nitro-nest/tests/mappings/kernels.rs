//! Kernels of drawn nests with drawn tilings.

use nitro_nest::{Instruction, Mapping, Program, Schedule, Space, Tiling, WIDE};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};
use crate::drawn::drawn;

/// Blocks of few threads, with everything else drawn. In every third, tiles are of multiples of what is copied at once.
fn tiling(random: &mut Random) -> Tiling {
    let mut below = |end: u64| random.below(end) as u32;
    let drawn = Tiling {
        block: [1 + below(4), 1 + below(3), 1 + below(2)],
        thread_tile: [1 + below(4), 1 + below(3), 1 + below(2)],
        vector_width: below(5),
        tile_k: [0, 1, 2, 3, 4, 4, 8][below(7) as usize],
        stages: below(5),
        transposes: below(2) == 0,
        split_k: 1 + below(6),
        unroll: below(3),
        promotes: below(3) > 0,
        ..Tiling::default()
    };
    match below(3) {
        0 => Tiling { block: [2, 2, 1], thread_tile: [4, 2, 1], tile_k: 4 + 4 * below(2), ..drawn },
        _ => drawn,
    }
}

fn mapping(random: &mut Random, sums_in_parallel: bool) -> Mapping {
    let mut coin = || random.below(2) == 0;
    let schedule = Schedule {
        fuses: coin(),
        sums_in_parallel,
        coalesces: coin(),
        splits_sums: sums_in_parallel && coin(),
        ..Schedule::default()
    };
    let usual = [tiling(random), tiling(random), tiling(random)];
    Mapping::naive().with_schedule(schedule).with_usual_tilings(usual)
}

fn count(program: &Program, is_counted: &dyn Fn(&Instruction) -> bool) -> usize {
    fn of(all: &[Instruction], is_counted: &dyn Fn(&Instruction) -> bool) -> usize {
        let inside = |one: &Instruction| match one {
            Instruction::Loop(_, _, body) => of(body, is_counted),
            Instruction::If(_, body, otherwise) => of(body, is_counted) + of(otherwise, is_counted),
            _ => 0,
        };
        all.iter().map(|one| usize::from(is_counted(one)) + inside(one)).sum()
    }
    program.kernels.iter().map(|kernel| of(&kernel.body, is_counted)).sum()
}

fn locals(program: &Program, space: Space) -> usize {
    program.kernels.iter().flat_map(|kernel| &kernel.locals).filter(|local| local.space == space).count()
}

/// Sizes from none to more than a tile.
fn sizes(random: &mut Random) -> [i64; 3] {
    [0; 3].map(|_: i64| random.below(8) as i64)
}

#[test]
fn where_the_order_of_sums_is_kept_drawn_tilings_of_drawn_nests_give_what_the_nests_give() {
    let (mut staged, mut fetched, mut wide, mut promoted) = (0, 0, 0, 0);
    for seed in 0..40 {
        let nest = drawn(seed);
        let dependences = nest.dependences().unwrap();
        let mut random = Random::new(seed ^ 0x711e);
        for _ in 0..3 {
            let program = nest.map(&dependences, &mapping(&mut random, false));
            for _ in 0..2 {
                assert_agrees(&nest, &program, &data(&nest, &sizes(&mut random), 6, seed), seed);
            }
            staged += locals(&program, Space::Shared);
            promoted += locals(&program, Space::Register);
            fetched += count(&program, &|one| matches!(one, Instruction::Fetch { .. }));
            let is_wide = |one: &Instruction| {
                matches!(one, Instruction::Copy { .. } | Instruction::Fetch { width: WIDE, .. })
            };
            wide += count(&program, &is_wide);
        }
    }
    let counts = (staged, fetched, wide, promoted);
    assert!(staged > 10 && fetched > 10 && wide > 5 && promoted > 50, "all of it is drawn: {counts:?}");
}

#[test]
fn sums_of_drawn_nests_that_several_threads_add_up_are_right() {
    let (mut alone, mut in_warps) = (0, 0);
    for seed in 0..60 {
        let nest = drawn(seed);
        let dependences = nest.dependences().unwrap();
        let mut random = Random::new(seed ^ 0x5a5a);
        let mut mapping = mapping(&mut random, true);
        if seed % 2 == 0 {
            let wide = Tiling { block: [32, 1 + (seed / 2 % 2) as u32, 1], ..tiling(&mut random) };
            mapping = mapping.with_usual_tilings([(); 3].map(|()| wide.clone()));
        }
        let program = nest.map(&dependences, &mapping);
        for _ in 0..2 {
            assert_agrees(&nest, &program, &data(&nest, &sizes(&mut random), 0, seed), seed);
        }
        let adds =
            |least| count(&program, &|one| matches!(one, Instruction::Add { lanes, .. } if *lanes >= least));
        alone += adds(1) - adds(2);
        in_warps += adds(2);
    }
    assert!(alone > 5 && in_warps > 2, "sums are drawn: {alone} by threads, {in_warps} by warps");
}
