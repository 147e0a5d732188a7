//! What comes to shared memory several elements at once, and which points of a thread are neighbours.

use nitro_nest::{Access, Array2, Instruction, Mapping, Nest, Program, RunError, Tiling, WIDE, nest};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};

#[nest]
fn product(
    n: usize,
    m: usize,
    l: usize,
    factor: f32,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
    #[shape(m, l)] bt: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..l {
                c[[i, j]] += factor * a[[i, k]] * b[[k, j]] - bt[[j, k]];
            }
        }
    }
}

/// Begins one element off: at no multiple.
#[nest]
fn shifted(n: usize, #[shape(n + 1)] x: &[f32], #[shape(n, n)] c: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += x[k + 1];
            }
        }
    }
}

fn tilings() -> Vec<Tiling> {
    let of = |block, points, neighbours, inner, buffers, unroll, transposes| Tiling {
        block,
        thread_tile: points,
        vector_width: neighbours,
        tile_k: inner,
        stages: buffers,
        unroll,
        transposes,
        promotes: true,
        ..Tiling::default()
    };
    vec![
        of([2, 2, 1], [4, 2, 1], 4, 4, 1, 0, false),
        of([2, 2, 1], [4, 2, 1], 2, 8, 2, 0, false),
        of([3, 1, 1], [4, 4, 1], 4, 4, 2, 1, false),
        of([2, 3, 1], [8, 1, 1], 4, 4, 1, 2, false),
        of([2, 2, 1], [4, 4, 1], 4, 4, 1, 0, true),
        of([2, 2, 1], [4, 4, 1], 4, 4, 3, 2, true),
        of([2, 1, 1], [4, 4, 1], 1, 8, 4, 0, true),
    ]
}

fn program(nest: &Nest, tiling: &Tiling) -> Program {
    let usual = [tiling.clone(), tiling.clone(), tiling.clone()];
    nest.map(&nest.dependences().unwrap(), &Mapping::naive().with_usual_tilings(usual))
}

/// Calls `change` with the first element that each instruction reads which copies several.
fn wide(all: &mut [Instruction], change: &mut dyn FnMut(&mut Access)) {
    for one in all {
        match one {
            Instruction::Loop(_, _, body) => wide(body, change),
            Instruction::If(_, body, otherwise) => {
                wide(body, change);
                wide(otherwise, change);
            }
            Instruction::Copy { source, .. } | Instruction::Fetch { source, width: WIDE, .. } => {
                change(source);
            }
            _ => {}
        }
    }
}

#[test]
fn products_are_right_whether_rows_begin_at_multiples_or_not() {
    let nest = product::nest();
    for (seed, tiling) in (0..).zip(tilings()) {
        let program = program(&nest, &tiling);
        for sizes in [[8, 16, 8], [8, 16, 12], [7, 18, 8], [8, 16, 9], [9, 19, 11], [12, 8, 16]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 6, seed), seed);
        }
    }
}

#[test]
fn only_where_rows_begin_at_multiples_do_several_elements_come_at_once() {
    let nest = product::nest();
    let mut program = program(&nest, &tilings()[0]);
    let mut found = 0;
    for kernel in &mut program.kernels {
        wide(&mut kernel.body, &mut |source| {
            found += 1;
            let last = source.subscripts.last_mut().unwrap();
            *last = last.clone() + 1;
        });
    }
    assert!(found >= 3, "each operand comes so:\n{program}");
    let run = |sizes: &[i64]| {
        let mut random = Random::new(1);
        program.run(&mut data(&nest, sizes, 6, 1), |threads| random.below(threads as u64) as usize)
    };
    // What was made wrong is found where it is done.
    let error = run(&[4, 8, 8]).unwrap_err();
    assert!(matches!(error, RunError::Misaligned { .. }), "{error}");
    run(&[4, 9, 9]).unwrap();
}

#[test]
fn what_begins_at_no_multiple_comes_element_by_element() {
    let nest = shifted::nest();
    for tiling in tilings() {
        let mut program = program(&nest, &tiling);
        assert!(program.to_string().contains("shared x_tile"), "{program}");
        wide(&mut program.kernels[0].body, &mut |source| {
            assert_ne!(source.array, 0, "it is one element off")
        });
        assert_agrees(&nest, &program, &data(&nest, &[8], 6, 1), 1);
    }
}

#[test]
fn neighbours_of_a_thread_are_as_many_as_its_tiling_says_and_come_out_even() {
    for (neighbours, points, value) in [
        (0, 4, "j_0 + 2 * j_g + threadIdx.x"),
        (1, 4, "j_0 + 2 * j_g + threadIdx.x"),
        (4, 4, "j_0 + j_p + 4 * threadIdx.x"),
        (4, 8, "j_0 + 8 * j_g + j_p + 4 * threadIdx.x"),
        (4, 6, "j_0 + 6 * j_g + j_p + 3 * threadIdx.x"),
        (3, 4, "j_0 + 4 * j_g + j_p + 2 * threadIdx.x"),
    ] {
        let tiling = Tiling {
            block: [2, 1, 1],
            thread_tile: [points, 1, 1],
            vector_width: neighbours,
            tile_k: 2,
            ..Tiling::default()
        };
        let text = |inner| program(&product::nest(), &Tiling { tile_k: inner, ..tiling.clone() }).to_string();
        assert!(text(2).contains(&format!("let j = {value};")), "{value}: {}", text(2));
        // Where nothing is staged, neighbouring threads touch neighbouring elements.
        assert!(text(0).contains("let j = j_0 + 2 * j_g + threadIdx.x;"), "{}", text(0));
    }
}

#[test]
fn what_neighbouring_points_come_to_is_stored_at_once_in_whole_blocks_alone() {
    let nest = product::nest();
    let stores = |neighbours| {
        let tiling = Tiling { vector_width: neighbours, ..tilings()[0].clone() };
        let program = program(&nest, &tiling);
        let text = program.to_string();
        assert!(text.contains("c[i, j] = own_0"), "where a block is not whole: {text}");
        text.contains("copy c[i, j] = own_0")
    };
    assert_eq!([1, 2, 4].map(stores), [false, true, true]);
}

#[nest]
fn mean(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n, n)] d: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            c[[i, j]] = 0.5;
            d[[i, j]] += 1.0;
            for k in 0..m {
                c[[i, j]] += a[[i, k]] * a[[j, k]];
                d[[i, j]] += a[[i, k]];
            }
            c[[i, j]] *= 0.25;
        }
    }
}

#[test]
fn what_is_set_before_a_loop_and_changed_after_it_is_in_a_register_all_the_while() {
    let nest = mean::nest();
    for tiling in
        tilings().into_iter().chain([Tiling { promotes: true, block: [4, 1, 1], ..Tiling::default() }])
    {
        let program = program(&nest, &tiling);
        let text = program.to_string();
        assert!(!text.contains("= c[i, j]") && text.contains("= d[i, j]"), "only d is read: {text}");
        assert!(!text.contains("c[i, j] = 0.5") && !text.contains("c[i, j] = c[i, j]"), "{text}");
        for sizes in [[0, 3], [3, 0], [5, 9], [8, 8], [16, 4]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 6, 1), 1);
        }
    }
}

#[test]
fn as_many_iterations_are_written_out_as_compilers_can_take() {
    let unrolls = |points| {
        let tiling =
            Tiling { block: [2, 2, 1], thread_tile: points, tile_k: 32, promotes: true, ..Tiling::default() };
        let cuda = program(&product::nest(), &tiling).cuda(nitro_nest::Integers::Bits32);
        let at = cuda.find("for (int k = k_0; k < k_0 + 32; ++k)").unwrap_or_else(|| panic!("{cuda}"));
        cuda[..at].trim_end().lines().last().unwrap().trim().to_owned()
    };
    assert_eq!([[4, 8, 1], [8, 8, 1]].map(unrolls), ["#pragma unroll", "#pragma unroll 16"]);
}
