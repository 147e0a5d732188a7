//! Tiles are on their way while others are worked on, through all loops of a sum.

use nitro_nest::{Array2, Array3, Mapping, Nest, Program, Tiling, nest};

use crate::agreement::{assert_agrees, data};

#[nest]
fn contraction(
    n: usize,
    m: usize,
    ne: usize,
    nf: usize,
    #[shape(ne, n, nf)] x: &Array3<f32>,
    #[shape(nf, ne + 1, m)] y: &Array3<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] = 1.0;
            for e in 1..ne {
                for f in 0..nf {
                    c[[i, j]] += x[[e, i, f]] * y[[f, e + 1, j]];
                }
            }
        }
    }
}

/// Its inner loop is another one for each iteration of the outer one.
#[nest]
fn triangle(
    n: usize,
    ne: usize,
    #[shape(ne, n, ne)] x: &Array3<f32>,
    #[shape(ne, n)] y: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            c[[i, j]] = 1.0;
            for e in 0..ne {
                for f in 0..e {
                    c[[i, j]] += x[[e, i, f]] * y[[f, j]];
                }
            }
        }
    }
}

fn program(nest: &Nest, vector_width: u32, tile_k: u32, stages: u32) -> Program {
    let tiling = Tiling {
        block: [2, 2, 1],
        thread_tile: [4, 4, 1],
        vector_width,
        tile_k,
        stages,
        transposes: vector_width > 1,
        promotes: true,
        ..Tiling::default()
    };
    let usual = [tiling.clone(), tiling.clone(), tiling];
    nest.map(&nest.dependences().unwrap(), &Mapping::naive().with_usual_tilings(usual))
}

#[test]
fn a_pipeline_goes_through_all_loops_of_a_sum() {
    let sizes = [[8, 8, 4, 8], [9, 7, 5, 3], [8, 12, 3, 9], [3, 5, 2, 1], [4, 4, 0, 4], [4, 4, 3, 0]];
    for (vector_width, tile_k, stages) in [(1, 4, 2), (4, 4, 2), (4, 8, 3), (4, 2, 4)] {
        let nest = contraction::nest();
        let program = program(&nest, vector_width, tile_k, stages);
        for (seed, sizes) in sizes.iter().enumerate() {
            assert_agrees(&nest, &program, &data(&nest, sizes, 0, seed as u64), seed as u64);
        }
        // All stages but one are filled before both loops.
        let text = program.to_string();
        assert!(text.find("fetch") < text.find("for e in"), "{text}");
    }
}

#[test]
fn a_pipeline_ends_with_a_loop_that_is_another_one_each_time() {
    let nest = triangle::nest();
    let program = program(&nest, 4, 4, 2);
    for (seed, sizes) in [[8, 8], [5, 9], [7, 1]].iter().enumerate() {
        assert_agrees(&nest, &program, &data(&nest, sizes, 0, seed as u64), seed as u64);
    }
    let text = program.to_string();
    assert!(text.find("for e in") < text.find("fetch"), "{text}");
}
