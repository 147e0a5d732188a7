//! What is staged and what is in registers, in kernels whose order of sums is kept.

use nitro_nest::{Array2, Instruction, Mapping, Nest, Program, Space, Tiling, nest};

use crate::agreement::{assert_agrees, data};

#[nest]
fn triangle(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] b: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in i + 1..n {
                c[[i, j]] += a[[k, i]] * b[[k, j]];
            }
        }
    }
}

#[nest]
fn in_steps(n: usize, #[shape(n)] weights: &[f32], #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        for k in (0..n).step_by(3) {
            x[i] = 0.5 * x[i] + weights[k];
        }
    }
}

#[nest]
fn in_steps_from_the_diagonal(n: usize, #[shape(n)] weights: &[f32], #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        for k in (i..n).step_by(2) {
            x[i] = 0.5 * x[i] + weights[k];
        }
    }
}

#[nest]
fn backwards(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n)] weights: &[f32],
    #[shape(n)] x: &mut [f32],
) {
    for i in 0..n {
        for k in (0..n - i).rev() {
            x[i] = 0.5 * x[i] + a[[i, k]] * weights[k];
        }
    }
}

/// Each element is read by some neighbours, with offsets on both sides.
#[nest]
fn convolution(
    n: usize,
    m: usize,
    factor: f32,
    #[shape(n + m + 2)] signal: &[f32],
    #[shape(n + m, m)] image: &Array2<f32>,
    #[shape(n, n)] out: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..m {
                out[[i, j]] += (signal[i + k] + signal[i + k + 2] * factor) * image[[j + m - k, k]];
            }
        }
    }
}

/// The condition leaves one `j` for each `i`: the loop over `j` is parallel, but `x[i]` is not an element of each
/// of its points.
#[nest]
fn one_of_a_row(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        for j in 0..n {
            if i + j == 3 {
                for k in 0..n {
                    x[i] = 0.5 * x[i] + a[[j, k]];
                }
            }
        }
    }
}

fn tilings() -> Vec<Tiling> {
    let of = |block, points, inner, buffers, unroll| Tiling {
        block,
        thread_tile: points,
        vector_width: 1,
        tile_k: inner,
        stages: buffers,
        unroll,
        promotes: true,
        ..Tiling::default()
    };
    vec![
        of([4, 2, 1], [1, 1, 1], 0, 1, 0),
        of([4, 2, 1], [1, 1, 1], 4, 1, 0),
        of([4, 2, 1], [2, 2, 1], 3, 2, 2),
        of([3, 1, 1], [1, 3, 1], 2, 2, 0),
        of([5, 3, 1], [2, 1, 1], 4, 1, 3),
    ]
}

fn program(nest: &Nest, tiling: &Tiling) -> Program {
    let usual = [tiling.clone(), tiling.clone(), tiling.clone()];
    nest.map(&nest.dependences().unwrap(), &Mapping::naive().with_usual_tilings(usual))
}

fn is_staged(program: &Program) -> bool {
    program.kernels.iter().flat_map(|kernel| &kernel.locals).any(|local| local.space == Space::Shared)
}

/// Runs with all tilings: whether the second and the third of them, which want it, stage something.
fn stages(nest: &Nest) -> [bool; 2] {
    let parameters = nest.parameters().len();
    for (seed, tiling) in (0..).zip(tilings()) {
        let program = program(nest, &tiling);
        assert!(tiling.tile_k > 0 || !is_staged(&program));
        for n in [0, 1, 4, 9] {
            let sizes: Vec<i64> = [n, 7].into_iter().take(parameters).collect();
            assert_agrees(nest, &program, &data(nest, &sizes, 6, seed), seed);
        }
    }
    [1, 2].map(|at: usize| is_staged(&program(nest, &tilings()[at])))
}

#[test]
fn a_loop_from_the_diagonal_on_is_staged() {
    assert_eq!(stages(&triangle::nest()), [true; 2]);
}

#[test]
fn loops_in_steps_and_backwards_are_not_staged_and_right() {
    for nest in [in_steps::nest(), in_steps_from_the_diagonal::nest(), backwards::nest()] {
        assert_eq!(stages(&nest), [false; 2], "{nest}");
    }
}

#[test]
fn what_neighbours_read_is_staged_with_its_margins() {
    let nest = convolution::nest();
    assert_eq!(stages(&nest), [true; 2]);
    let shared = |program: &Program| -> Vec<Vec<i64>> {
        let locals = program.kernels[0].locals.iter();
        locals.filter(|local| local.space == Space::Shared).map(|local| local.shape.clone()).collect()
    };
    let [single, double] = [1, 2].map(|at: usize| shared(&program(&nest, &tilings()[at])));
    // What is multiplied by a factor is kept apart from what is not.
    assert_eq!((single.len(), double.len()), (3, 3), "{single:?} {double:?}");
    // Tiles of four points along `i` and three values of `k`, twice.
    assert!(double.contains(&vec![2, 4 + 3 - 1]), "{double:?}");
}

#[test]
fn what_a_condition_leaves_to_one_point_is_in_no_register_of_others() {
    let nest = one_of_a_row::nest();
    stages(&nest);
    let program = program(&nest, &tilings()[2]);
    assert!(program.kernels[0].grid.len() == 2 && !program.to_string().contains("register own"), "{program}");
}

#[test]
fn buffers_are_fetched_ahead_only_where_there_are_two() {
    fn fetches(all: &[Instruction]) -> bool {
        all.iter().any(|one| match one {
            Instruction::Loop(_, _, body) => fetches(body),
            Instruction::If(_, body, otherwise) => fetches(body) || fetches(otherwise),
            other => matches!(other, Instruction::Fetch { .. }),
        })
    }
    let found = [1, 2].map(|at: usize| fetches(&program(&triangle::nest(), &tilings()[at]).kernels[0].body));
    assert_eq!(found, [false, true]);
}
