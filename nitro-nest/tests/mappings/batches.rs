//! Batches of products of small matrices: a block has several of them.

use nitro_nest::{Array2, Array3, LaunchPlan, MappingSpace, Nest, Tiling, nest};
use nitro_search::{Ask, Budget, Engine, Generator, Paths, RandomPaths};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, bits, data};

#[nest(reassoc)]
fn products(
    batch: usize,
    n: usize,
    m: usize,
    k: usize,
    #[shape(batch, n, k)] a: &Array3<f32>,
    #[shape(batch, k, m)] b: &Array3<f32>,
    #[shape(batch, n, m)] c: &mut Array3<f32>,
) {
    for q in 0..batch {
        for i in 0..n {
            for j in 0..m {
                let mut sum = 0.0;
                for l in 0..k {
                    sum += a[[q, i, l]] * b[[q, l, j]];
                }
                c[[q, i, j]] = sum;
            }
        }
    }
}

/// The second operand the other way round, and something that is the same for all products.
#[nest(reassoc)]
fn transposed(
    batch: usize,
    n: usize,
    m: usize,
    k: usize,
    #[shape(batch, n, k)] a: &Array3<f32>,
    #[shape(batch, m, k)] b: &Array3<f32>,
    #[shape(m)] bias: &[f32],
    #[shape(batch, n, m)] c: &mut Array3<f32>,
) {
    for q in 0..batch {
        for i in 0..n {
            for j in 0..m {
                let mut sum = 0.0;
                for l in 0..k {
                    sum += a[[q, i, l]] * b[[q, j, l]];
                }
                c[[q, i, j]] = (sum + bias[j]).max(0.0);
            }
        }
    }
}

/// Products of matrices and vectors: short rows.
#[nest(reassoc)]
fn vectors(
    batch: usize,
    n: usize,
    m: usize,
    #[shape(batch, n, m)] a: &Array3<f32>,
    #[shape(batch, m)] x: &Array2<f32>,
    #[shape(batch, n)] y: &mut Array2<f32>,
) {
    for q in 0..batch {
        for i in 0..n {
            let mut sum = 0.0;
            for j in 0..m {
                sum += a[[q, i, j]] * x[[q, j]];
            }
            y[[q, i]] = sum;
        }
    }
}

/// The plan of the first guess for these sizes.
fn first(nest: &Nest, sizes: &[i64]) -> LaunchPlan {
    let own = sizes.to_vec();
    let space = MappingSpace::new(nest).unwrap().with_sizes(move |_| Some(own.clone()));
    let texts = space.guesses("any", &|feature| (feature == "sm_count").then_some(132.0));
    LaunchPlan::from_json(&texts[0]).unwrap()
}

/// The threads that a plan launches.
fn threads(plan: &LaunchPlan, sizes: &[i64]) -> i64 {
    let mut all = 0;
    plan.launches(sizes, |launch| {
        let block = plan.kernels[launch.kernel].block.iter().product::<u32>();
        all += launch.grid.iter().product::<i64>() * i64::from(block);
        Ok::<(), nitro_nest::PlanError>(())
    })
    .unwrap();
    all
}

#[test]
fn small_products_have_no_more_threads_than_elements_and_share_blocks() {
    for nest in [products::nest(), transposed::nest()] {
        for extent in [4, 8, 16, 32] {
            let sizes = [20_000, extent, extent, extent];
            let plan = first(&nest, &sizes);
            let elements = sizes[..3].iter().product::<i64>();
            assert!(threads(&plan, &sizes) <= elements, "{extent}: {}", plan.cuda);
            assert!(plan.kernels.len() == 1 && plan.kernels[0].block[2] > 1, "{extent}: {}", plan.cuda);
        }
        // Of large ones a block has a part of one.
        let plan = first(&nest, &[64, 512, 512, 512]);
        assert_eq!(plan.kernels[0].block[2], 1, "{}", plan.cuda);
    }
}

#[test]
fn short_rows_share_a_warp() {
    for extent in [8, 16, 32] {
        let sizes = [20_000, extent, extent];
        let plan = first(&vectors::nest(), &sizes);
        assert!(threads(&plan, &sizes) * 2 <= sizes.iter().product(), "{extent}: {}", plan.cuda);
    }
}

#[test]
fn blocks_of_several_products_give_what_the_nest_gives() {
    let tiling = |block, thread_tile: [u32; 3], tile_k, stages| Tiling {
        block,
        thread_tile,
        tile_k,
        stages,
        vector_width: if thread_tile[0].is_multiple_of(4) { 4 } else { 1 },
        transposes: true,
        promotes: true,
        ..Tiling::default()
    };
    let tilings = [
        tiling([4, 2, 4], [1, 2, 1], 0, 1),
        tiling([4, 2, 8], [2, 4, 1], 8, 1),
        tiling([4, 4, 2], [4, 4, 1], 8, 2),
        tiling([8, 4, 3], [1, 1, 1], 16, 1),
    ];
    for nest in [products::nest(), transposed::nest()] {
        let space = MappingSpace::new(&nest).unwrap();
        let sane = space.map(&nitro_nest::Mapping::sane());
        assert_eq!(sane.kernels.len(), 1, "{sane}");
        for tiling in &tilings {
            let own = nitro_nest::Mapping::sane().with_tiling(&sane.kernels[0].statements, tiling.clone());
            let program = space.map(&own);
            for sizes in [[5, 4, 4, 4], [9, 8, 8, 8], [3, 7, 5, 9], [2, 17, 18, 1], [0, 4, 4, 4]] {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 2);
            }
        }
    }
}

#[test]
fn drawn_blocks_of_products_give_what_the_nest_gives() {
    for nest in [products::nest(), transposed::nest(), vectors::nest()] {
        let space = MappingSpace::new(&nest).unwrap();
        let mut search = Engine::new(Paths::new(&space, RandomPaths::new(14)), Budget::evaluations(10));
        let Ask::Evaluate(paths) = search.ask(10).unwrap() else { panic!() };
        for path in paths {
            let program = space.program(&path);
            let sizes = &[5, 6, 9, 7][..nest.parameters().len()];
            let data = data(&nest, sizes, 0, 5);
            let (mut result, mut expected) = (data.clone(), data);
            let mut random = Random::new(6);
            program.run(&mut result, |threads| random.below(threads as u64) as usize).unwrap();
            nest.run(&mut expected).unwrap();
            assert_eq!(bits(&result), bits(&expected), "{program}");
        }
    }
}
