//! Sums that several threads add up.

use nitro_nest::{
    Array2, Array3, Array4, Instruction, Integers, Mapping, Nest, Program, Schedule, Tiling, nest,
};

use crate::agreement::{assert_agrees, data};

#[nest(reassoc)]
fn columns(n: usize, m: usize, #[shape(n, n, n, m)] a: &Array4<f32>, #[shape(m)] sums: &mut [f32]) {
    for h in 0..n {
        for i in 0..n {
            for j in 0..n {
                for k in 0..m {
                    sums[k] += a[[h, i, j, k]];
                }
            }
        }
    }
}

#[nest(reassoc)]
fn diagonals(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(2 * n)] sums: &mut [f32]) {
    for i in 0..n {
        for j in 0..n {
            sums[i + j] += a[[i, j]];
        }
    }
}

#[nest(reassoc)]
fn triangles(n: usize, #[shape(n, n, n)] a: &Array3<f32>, #[shape(n)] sums: &mut [f32]) {
    for i in 0..n {
        for j in 0..i + 1 {
            for k in j..n {
                sums[i] += a[[i, j, k]];
            }
        }
    }
}

fn in_parallel(nest: &Nest, block: [u32; 3], points: [u32; 3]) -> Program {
    let schedule = Schedule { fuses: true, sums_in_parallel: true, coalesces: false, ..Schedule::default() };
    let tiling = Tiling { block, thread_tile: points, promotes: true, ..Tiling::default() };
    let usual = [tiling.clone(), tiling.clone(), tiling];
    nest.map(
        &nest.dependences().unwrap(),
        &Mapping::naive().with_schedule(schedule).with_usual_tilings(usual),
    )
}

fn adds(all: &[Instruction]) -> usize {
    let of = |one: &Instruction| match one {
        Instruction::Loop(_, _, body) => adds(body),
        Instruction::If(_, body, otherwise) => adds(body) + adds(otherwise),
        other => usize::from(matches!(other, Instruction::Add { .. })),
    };
    all.iter().map(of).sum()
}

fn assert_right(nest: &Nest, block: [u32; 3], points: [u32; 3], sizes: &[i64]) -> usize {
    let program = in_parallel(nest, block, points);
    assert_agrees(nest, &program, &data(nest, sizes, 0, 1), 1);
    program.kernels.iter().map(|kernel| adds(&kernel.body)).sum()
}

#[test]
fn lanes_that_leave_a_loop_one_by_one_do_not_wait_for_each_other_in_it() {
    for (n, m) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        assert!(assert_right(&columns::nest(), [32, 1, 1], [2, 2, 1], &[n, m]) > 0);
    }
}

#[test]
fn sums_along_diagonals_are_added_atomically() {
    for n in [0, 1, 5] {
        assert!(assert_right(&diagonals::nest(), [4, 2, 1], [1, 2, 1], &[n]) > 0);
    }
}

#[test]
fn sums_over_a_triangle_add_what_is_in_it() {
    for n in [0, 1, 2, 7] {
        for block in [[32, 1, 1], [4, 2, 1], [2, 2, 2]] {
            assert!(assert_right(&triangles::nest(), block, [4, 2, 1], &[n]) > 0);
        }
    }
}

#[nest(reassoc)]
fn two_products(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n)] x: &[f32],
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += a[[i, k]] * x[j] - (a[[j, k]] * x[i] + 1.0) + (a[[k, j]] * 2.0 - 3.0);
            }
        }
    }
}

#[test]
fn what_a_sum_gets_is_added_term_by_term_where_the_order_is_free() {
    let nest = two_products::nest();
    let text = |mapping: &Mapping| {
        let program = nest.map(&nest.dependences().unwrap(), mapping);
        assert_agrees(&nest, &program, &data(&nest, &[5], 0, 1), 1);
        program.to_string()
    };
    let of = |sums_in_parallel| {
        let schedule = Schedule { fuses: false, sums_in_parallel, coalesces: false, ..Schedule::default() };
        text(&Mapping::naive().with_schedule(schedule))
    };
    assert!(
        of(true).contains(
            "c[i, j] = (((c[i, j] + (a[i, k] * x[j])) - (a[j, k] * x[i])) - 1.0) + ((a[k, j] * 2.0) - 3.0);"
        ),
        "{}",
        of(true)
    );
    assert!(
        of(false).contains(
            "c[i, j] = c[i, j] + (((a[i, k] * x[j]) - ((a[j, k] * x[i]) + 1.0)) + ((a[k, j] * 2.0) - 3.0));"
        ),
        "{}",
        of(false)
    );
}

#[test]
fn what_is_made_of_one_element_alone_is_staged_as_a_whole_and_stays_so() {
    let nest = two_products::nest();
    let schedule = Schedule { fuses: false, sums_in_parallel: true, coalesces: false, ..Schedule::default() };
    for (buffers, transposes) in [(1, false), (1, true), (3, true)] {
        let tiling = Tiling {
            block: [2, 2, 1],
            thread_tile: [4, 2, 1],
            vector_width: 4,
            tile_k: 4,
            stages: buffers,
            transposes,
            promotes: true,
            ..Tiling::default()
        };
        let mapping = Mapping::naive().with_schedule(schedule);
        let mapping = mapping.with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
        let program = nest.map(&nest.dependences().unwrap(), &mapping);
        for n in [0, 5, 8, 17] {
            assert_agrees(&nest, &program, &data(&nest, &[n], 0, 1), 1);
        }
    }
}

#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(m, n)] b: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            c[[i, j]] *= 2.0;
            for k in 0..m {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
}

#[nest(reassoc)]
fn triangular(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n, n)] c: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..i {
                c[[i, j]] += a[[i, k]] * a[[k, j]];
            }
        }
    }
}

#[test]
fn split_sums_are_added_up_by_blocks_along_z_and_what_is_done_once_is_done_by_another_kernel() {
    let nest = product::nest();
    let schedule = Schedule { fuses: true, splits_sums: true, ..Schedule::default() };
    for (terms, inner, buffers, points) in [(4, 0, 1, 1), (8, 4, 1, 2), (12, 4, 3, 4), (3, 4, 2, 4)] {
        let tiling = Tiling {
            block: [4, 2, 1],
            thread_tile: [points, 2, 1],
            vector_width: 4,
            tile_k: inner,
            stages: buffers,
            split_k: terms,
            promotes: true,
            ..Tiling::default()
        };
        let mapping = Mapping::naive().with_schedule(schedule);
        let mapping = mapping.with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
        let program = nest.map(&nest.dependences().unwrap(), &mapping);
        let [scaled, summed] = &program.kernels[..] else { panic!("{program}") };
        assert_eq!((scaled.grid.len(), adds(&scaled.body)), (2, 0), "{program}");
        assert_eq!((summed.grid.len(), summed.grid[2].step), (3, i64::from(terms)), "{program}");
        // Points beyond the edges sum up too, since nobody adds what they come to: a block at an edge is as fast as
        // another one.
        let text = program.to_string();
        assert_eq!(
            text.matches("if k_part < m && i < n && j < n").count(),
            usize::from(inner == 0),
            "{text}"
        );
        for (n, m) in [(0, 3), (3, 0), (1, 1), (5, 8), (16, 12), (9, 25)] {
            assert_agrees(&nest, &program, &data(&nest, &[n, m], 0, 1), 1);
        }
    }
}

#[test]
fn four_neighbours_are_added_to_split_sums_at_once_where_rows_begin_at_multiples() {
    let nest = product::nest();
    let schedule = Schedule { fuses: true, splits_sums: true, ..Schedule::default() };
    for (points, neighbours, is_wide) in [(4, 4, true), (8, 4, true), (4, 1, false), (2, 4, false)] {
        let tiling = Tiling {
            block: [2, 2, 1],
            thread_tile: [points, 2, 1],
            vector_width: neighbours,
            tile_k: 4,
            split_k: 8,
            adds_wide: true,
            promotes: true,
            ..Tiling::default()
        };
        let mapping = Mapping::naive().with_schedule(schedule);
        let mapping = mapping.with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
        let program = nest.map(&nest.dependences().unwrap(), &mapping);
        let text = program.to_string();
        let adds = |line: &str| line.contains("atomic c[") && line.contains("and neighbours, 4 in all;");
        assert_eq!(text.lines().any(adds), is_wide, "{text}");
        assert_eq!(program.cuda(Integers::Bits32).contains("add_wide(&c["), is_wide, "{text}");
        for (n, m) in [(0, 3), (3, 0), (1, 1), (5, 8), (16, 12), (9, 25), (8, 17)] {
            assert_agrees(&nest, &program, &data(&nest, &[n, m], 0, 1), 1);
        }
    }
}

#[test]
fn a_loop_over_a_part_of_the_sizes_is_not_split() {
    let nest = triangular::nest();
    let schedule = Schedule { fuses: true, splits_sums: true, ..Schedule::default() };
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::naive().with_schedule(schedule));
    assert_eq!(program.kernels[0].grid.len(), 2, "{program}");
    assert_agrees(&nest, &program, &data(&nest, &[7], 0, 1), 1);
}

#[test]
fn a_loop_around_one_of_unknown_length_is_not_written_out() {
    let tiling = Tiling { block: [32, 1, 1], unroll: 8, promotes: true, ..Tiling::default() };
    let mapping = Mapping::sane().with_blocks([[32, 1, 1]; 3]);
    let schedule = Schedule { sums_in_parallel: false, ..mapping.schedule() };
    let mapping = mapping.with_schedule(schedule).with_tiling(&[0], tiling);
    let text = columns::nest().map(&columns::nest().dependences().unwrap(), &mapping).plan().cuda;
    // The outermost of three loops of a sum has the others in it.
    assert_eq!(text.matches("#pragma unroll 8").count(), 1, "{text}");
}
