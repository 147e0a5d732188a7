//! Slices of a block share out sums, and what is set before them and made of them stays in the kernel.

use nitro_nest::{Array2, Mapping, Nest, Program, Schedule, Tiling, nest};

use crate::agreement::{assert_agrees, data};

#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
    #[shape(n, m)] d: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] *= 2.0;
            for k in 0..l {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
            d[[i, j]] += c[[i, j]] + 1.0;
        }
    }
}

/// Two sums, in a triangle, over a part of the sizes.
#[nest(reassoc)]
fn triangle(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n, n)] d: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..=i {
            for k in i + 1..n {
                c[[i, j]] += a[[i, k]] * a[[k, j]];
                d[[i, j]] -= a[[k, i]] * 2.0;
            }
        }
    }
}

#[nest]
fn in_order(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n, n)] c: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += a[[i, k]] * a[[k, j]];
            }
        }
    }
}

/// What is set in the loop is no sum; two loops; or a grid of three dimensions.
#[nest(reassoc)]
fn others(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n, n)] d: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] = c[[i, j]] * a[[i, k]] - a[[k, j]];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                d[[i, j]] += a[[i, k]] * a[[k, j]];
            }
            for k in 0..n {
                d[[i, j]] += a[[k, i]] * a[[j, k]];
            }
        }
    }
}

fn program(nest: &Nest, tiling: Tiling) -> Program {
    let schedule = Schedule { fuses: true, sums_in_parallel: true, ..Schedule::default() };
    let usual = [(); 3].map(|()| tiling.clone());
    nest.map(
        &nest.dependences().unwrap(),
        &Mapping::naive().with_schedule(schedule).with_usual_tilings(usual),
    )
}

fn tilings() -> Vec<Tiling> {
    let usual =
        Tiling { block: [4, 2, 1], thread_tile: [4, 2, 1], tile_k: 4, promotes: true, ..Tiling::default() };
    vec![
        Tiling { sliced_k: 2, ..usual.clone() },
        Tiling { sliced_k: 4, vector_width: 4, stages: 2, transposes: true, ..usual.clone() },
        Tiling { sliced_k: 4, vector_width: 4, tile_k: 1, unroll: 2, ..usual.clone() },
        Tiling { sliced_k: 8, thread_tile: [1, 1, 1], tile_k: 2, stages: 3, ..usual },
    ]
}

#[test]
fn slices_give_what_one_thread_gives_in_one_kernel() {
    for (seed, tiling) in tilings().into_iter().enumerate() {
        let (seed, slices) = (seed as u64, tiling.sliced_k);
        let nest = product::nest();
        let program = program(&nest, tiling.clone());
        let [kernel] = &program.kernels[..] else { panic!("{program}") };
        assert_eq!((kernel.block, kernel.grid.len()), ([4, 2, slices], 2), "{program}");
        // Tiles have 16, 8, 4 or 2 rows and columns, and 8, 16, 4 or 16 terms.
        for sizes in [
            [0, 3, 2],
            [3, 0, 2],
            [3, 2, 0],
            [1, 1, 1],
            [2, 2, 2],
            [4, 16, 8],
            [5, 17, 9],
            [3, 15, 31],
            [8, 8, 33],
        ] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed);
        }
        let nest = triangle::nest();
        let program = self::program(&nest, tiling);
        assert!(program.kernels.iter().all(|kernel| kernel.block[2] == slices), "{program}");
        for n in [0, 1, 2, 7, 17] {
            assert_agrees(&nest, &program, &data(&nest, &[n], 0, 1), seed);
        }
    }
}

#[test]
fn what_slices_add_up_is_the_same_every_time() {
    let nest = product::nest();
    let program = program(&nest, tilings().remove(1));
    let input = data(&nest, &[5, 9, 40], 12, 1);
    let results: Vec<Vec<f32>> = (0..4)
        .map(|seed| {
            let (mut data, mut random) = (input.clone(), nitro_test_support::random::Random::new(seed));
            program.run(&mut data, |threads| random.below(threads as u64) as usize).unwrap();
            data.arrays.remove(2)
        })
        .collect();
    assert!(results.iter().all(|result| *result == results[0]));
}

#[test]
fn there_are_no_slices_where_order_counts_or_nothing_is_shared_out() {
    for tiling in tilings() {
        let not_promoted = Tiling { promotes: false, ..tiling.clone() };
        let not_staged = Tiling { tile_k: 0, ..tiling.clone() };
        for (nest, tiling) in [
            (in_order::nest(), &tiling),
            (others::nest(), &tiling),
            (product::nest(), &not_promoted),
            (product::nest(), &not_staged),
        ] {
            let program = program(&nest, tiling.clone());
            assert!(program.kernels.iter().all(|kernel| kernel.block[2] == 1), "{program}");
            let sizes = vec![5; nest.parameters().len()];
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
        }
    }
}

#[test]
#[should_panic(expected = "3 slices")]
fn slices_are_a_power_of_two() {
    let _ = Mapping::sane().with_tiling(&[0], Tiling { sliced_k: 3, ..Tiling::default() });
}

#[cfg(feature = "search")]
#[test]
fn the_preset_sliced_takes_a_kernel_for_a_product_and_what_is_set_before_it() {
    let nest = product::nest();
    let space = nitro_nest::MappingSpace::new(&nest).unwrap();
    let program = space.map(&Mapping::sliced());
    assert_eq!(program.kernels.len(), 1, "{program}");
    assert_eq!(program.kernels[0].block, [8, 8, 4], "{program}");
    assert_agrees(&nest, &program, &data(&nest, &[5, 7, 33], 0, 1), 1);
}
