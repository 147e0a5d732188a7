//! Kernels of whole rows: normalisations and what is like them.

use nitro_nest::{
    Array, Array2, Array3, Array4, Assignment, Bounds, Builder, Instruction, Kernel, Mapping, Nest, Program,
    Schedule, Tiling, nest,
};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, bits, data};

/// As softmax, with a square in the place of the exponential.
#[nest(reassoc)]
fn softmax(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] largest: &mut [f32],
    #[shape(n)] sum: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        largest[i] = -1000.0;
        for j in 0..m {
            largest[i] = largest[i].max(x[[i, j]]);
        }
        sum[i] = 0.0;
        for j in 0..m {
            y[[i, j]] = (x[[i, j]] - largest[i]) * (x[[i, j]] - largest[i]);
            sum[i] += y[[i, j]];
        }
        for j in 0..m {
            y[[i, j]] *= sum[i];
        }
    }
}

/// A layer's normalisation, with the row itself overwritten, by two outer loops.
#[nest(reassoc)]
fn layer(
    b: usize,
    h: usize,
    m: usize,
    #[shape(b, h, m)] x: &mut Array3<f32>,
    #[shape(b, h)] mean: &mut Array2<f32>,
    #[shape(b, h)] square: &mut Array2<f32>,
    #[shape(m)] scale: &[f32],
    #[shape(m)] shift: &[f32],
) {
    for i in 0..b {
        for k in 0..h {
            mean[[i, k]] = 0.0;
            square[[i, k]] = 0.0;
            for j in 0..m {
                mean[[i, k]] += x[[i, k, j]];
                square[[i, k]] += x[[i, k, j]] * x[[i, k, j]];
            }
            mean[[i, k]] *= 0.5;
            for j in 0..m {
                x[[i, k, j]] = (x[[i, k, j]] - mean[[i, k]]) * scale[j] + (shift[j] - square[[i, k]]);
            }
        }
    }
}

/// As the logarithm of a sum of exponentials: of a row there is one value in the end.
#[nest(reassoc)]
fn one_value(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] largest: &mut [f32],
    #[shape(n)] result: &mut [f32],
) {
    for i in 0..n {
        largest[i] = -8.0;
        for j in 0..m {
            largest[i] = x[[i, j]].max(largest[i]);
        }
        result[i] = 0.0;
        for j in 0..m {
            result[i] += (x[[i, j]] - largest[i]) * (x[[i, j]] - largest[i]);
        }
        result[i] = largest[i] - result[i];
    }
}

/// Rows of four loops, more than a grid has dimensions.
#[nest(reassoc)]
fn many_loops(
    n: usize,
    m: usize,
    #[shape(2, n, 3, n, m)] x: &mut Array<f32, 5>,
    #[shape(2, n, 3, n)] sum: &mut Array4<f32>,
) {
    for a in 0..2 {
        for b in 0..n {
            for c in 0..3 {
                for d in 0..=b {
                    sum[[a, b, c, d]] = 0.0;
                    for j in 0..m {
                        sum[[a, b, c, d]] += x[[a, b, c, d, j]];
                    }
                    for j in 0..m {
                        x[[a, b, c, d, j]] -= sum[[a, b, c, d]];
                    }
                }
            }
        }
    }
}

/// Only minima and maxima: they are the same in any order.
#[nest]
fn range(
    n: usize,
    m: usize,
    #[shape(n)] least: &mut [f32],
    #[shape(n)] largest: &mut [f32],
    #[shape(n, m)] x: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            least[i] = x[[i, j]].min(least[i]);
            largest[i] = largest[i].max(x[[i, j]].abs());
        }
        for j in 0..m {
            x[[i, j]] = x[[i, j]] - least[i] + largest[i];
        }
    }
}

/// Rows of different lengths, as a causal mask makes them.
#[nest(reassoc)]
fn causal(
    n: usize,
    #[shape(n, n)] x: &Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, n)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..=i {
            sum[i] += x[[i, j]];
        }
        for j in 0..=i {
            y[[i, j]] = x[[i, j]] - sum[i];
        }
        for j in i + 1..n {
            y[[i, j]] = 0.0;
        }
    }
}

/// Elements go from thread to thread: each of them reads what others wrote before.
#[nest(reassoc)]
fn reversed(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n, m)] t: &mut Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            t[[i, j]] = x[[i, j]] * 2.0;
            sum[i] += x[[i, j]];
        }
        for j in 0..m {
            y[[i, j]] = t[[i, m - 1 - j]] - sum[i];
        }
        for j in 1..m {
            t[[i, j]] = y[[i, j]] + x[[i, j]];
        }
    }
}

/// Two loops over what is a row, conditions of all kinds, and a sum that goes on from what it was.
#[nest(reassoc)]
fn planes(
    n: usize,
    h: usize,
    w: usize,
    #[shape(n, h, w)] x: &mut Array3<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n)] others: &mut [f32],
) {
    for i in 0..n {
        if i > 0 {
            for k in 0..h {
                for j in 0..w {
                    sum[i] -= x[[i, k, j]];
                }
            }
        }
        others[i] = 1.0;
        for k in 0..h {
            for j in 0..w {
                if j > 1 && k < 2 {
                    others[i] += x[[i, k, j]];
                }
                x[[i, k, j]] = if x[[i, k, j]] > 0.0 { x[[i, k, j]] + sum[i] } else { sum[i] };
            }
        }
        for k in 0..h {
            for j in 0..w {
                x[[i, k, j]] -= others[i];
            }
        }
    }
}

/// The sum is one over columns, whose neighbours are those of neighbouring threads.
#[nest(reassoc)]
fn columns(n: usize, m: usize, #[shape(m)] sum: &mut [f32], #[shape(n, m)] x: &mut Array2<f32>) {
    for j in 0..m {
        sum[j] = 0.0;
        for i in 0..n {
            sum[j] += x[[i, j]];
        }
        for i in 0..n {
            x[[i, j]] -= sum[j];
        }
    }
}

/// Sums that have to be in order, and what is read of other rows.
#[nest]
fn in_order(n: usize, m: usize, #[shape(n)] sum: &mut [f32], #[shape(n, m)] x: &mut Array2<f32>) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..m {
            sum[i] += x[[i, j]];
        }
        for j in 0..m {
            x[[i, j]] -= sum[i];
        }
    }
}

/// A row waits for the one before.
#[nest(reassoc)]
fn waiting(n: usize, m: usize, #[shape(n)] sum: &mut [f32], #[shape(n, m)] x: &mut Array2<f32>) {
    for i in 1..n {
        for j in 0..m {
            sum[i] += x[[i, j]];
        }
        for j in 0..m {
            x[[i, j]] -= sum[i - 1];
        }
    }
}

/// A row begins with its first element, which is read beside all of them.
#[nest]
fn from_first(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] largest: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        largest[i] = x[[i, 0]];
        for j in 0..m {
            largest[i] = largest[i].max(x[[i, j]]);
        }
        for j in 0..m {
            y[[i, j]] = if x[[i, j]] < largest[i] { x[[i, j]] } else { 0.0 };
        }
    }
}

/// Rows of fewer elements than a warp has threads.
#[nest(reassoc)]
fn vectors(n: usize, #[shape(n)] length: &mut [f32], #[shape(n, 3)] x: &mut Array2<f32>) {
    for i in 0..n {
        length[i] = 0.0;
        for j in 0..3 {
            length[i] += x[[i, j]] * x[[i, j]];
        }
        for j in 0..3 {
            x[[i, j]] -= length[i];
        }
    }
}

/// Elements of a row that are sums themselves, before the row is summed up.
#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n)] largest: &mut [f32],
) {
    for i in 0..n {
        for j in 0..n {
            c[[i, j]] = 0.0;
            for k in 0..m {
                c[[i, j]] += a[[i, k]] * a[[j, k]];
            }
        }
        largest[i] = -1.0;
        for j in 0..n {
            largest[i] = largest[i].max(c[[i, j]]);
        }
        for j in 0..n {
            c[[i, j]] -= largest[i];
        }
    }
}

fn tilings() -> Vec<Tiling> {
    let of =
        |block, points, unroll| Tiling { block, thread_tile: [points, 1, 1], unroll, ..Tiling::default() };
    let narrow = [of([2, 32, 1], 4, 0), of([8, 1, 1], 2, 2), of([4, 2, 8], 1, 0)];
    let wide = [of([32, 1, 1], 1, 0), of([32, 3, 1], 2, 2), of([64, 1, 1], 4, 0), of([96, 2, 1], 2, 4)];
    [wide.to_vec(), narrow.to_vec()].concat()
}

/// The program of a nest in rows, the first kernel of which has this tiling.
fn in_rows(nest: &Nest, tiling: &Tiling) -> Program {
    let mapping = Mapping::naive().with_schedule(Schedule { rows: true, ..Schedule::default() });
    let dependences = nest.dependences().unwrap();
    let mut tiled = mapping.clone();
    for kernel in nest.map(&dependences, &mapping).kernels {
        tiled = tiled.with_tiling(&kernel.statements, tiling.clone());
    }
    nest.map(&dependences, &tiled)
}

fn count(all: &[Instruction], is_such: &impl Fn(&Instruction) -> bool) -> usize {
    let of = |one: &Instruction| match one {
        Instruction::Loop(_, _, body) => count(body, is_such),
        Instruction::If(_, body, otherwise) => count(body, is_such).max(count(otherwise, is_such)),
        other => usize::from(is_such(other)),
    };
    all.iter().map(of).sum()
}

fn barriers(program: &Program) -> usize {
    count(&program.kernels[0].body, &|one| matches!(one, Instruction::Barrier))
}

fn is_of_rows(program: &Program) -> bool {
    program.kernels.len() == 1 && count(&program.kernels[0].body, &is_combination) > 0
}

fn is_combination(one: &Instruction) -> bool {
    matches!(one, Instruction::Combine { .. })
}

#[test]
fn rows_are_one_kernel_and_give_what_the_nest_gives() {
    for (seed, tiling) in tilings().iter().enumerate() {
        let nest = many_loops::nest();
        let program = in_rows(&nest, tiling);
        assert!(is_of_rows(&program), "{program}");
        for sizes in [[0, 2], [1, 1], [3, 40]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
        }
        for nest in [softmax::nest(), one_value::nest(), range::nest(), reversed::nest()] {
            let program = in_rows(&nest, tiling);
            assert!(is_of_rows(&program), "{program}");
            for sizes in [[0, 3], [2, 0], [1, 1], [4, 31], [3, 33], [2, 64], [7, 130], [1, 1000]] {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
            }
        }
    }
}

#[test]
fn rows_of_several_loops_and_of_different_lengths_give_what_the_nest_gives() {
    for (seed, tiling) in tilings().iter().enumerate() {
        for (nest, sizes) in [
            (layer::nest(), &[[0, 2, 3], [2, 0, 3], [2, 3, 0], [1, 1, 1], [3, 2, 33], [2, 2, 200]][..]),
            (planes::nest(), &[[0, 2, 3], [3, 0, 3], [3, 2, 0], [1, 1, 1], [5, 3, 33], [4, 2, 70]]),
        ] {
            let program = in_rows(&nest, tiling);
            assert!(is_of_rows(&program), "{program}");
            for sizes in sizes {
                assert_agrees(&nest, &program, &data(&nest, sizes, 0, 1), seed as u64);
            }
        }
        let nest = causal::nest();
        let program = in_rows(&nest, tiling);
        assert!(is_of_rows(&program), "{program}");
        for n in [0, 1, 2, 33, 70] {
            assert_agrees(&nest, &program, &data(&nest, &[n], 0, 1), seed as u64);
        }
    }
}

#[test]
fn a_product_keeps_its_tiles_before_rows_are_shared() {
    let nest = product::nest();
    let program = in_rows(&nest, &tilings()[0]);
    let has_rows = |kernel: &Kernel| count(&kernel.body, &is_combination) > 0;
    let found: Vec<_> =
        program.kernels.iter().map(|kernel| (&kernel.statements[..], has_rows(kernel))).collect();
    assert_eq!(found, [(&[0][..], false), (&[1][..], false), (&[2, 3, 4][..], true)], "{program}");
    for sizes in [[0, 1], [5, 3], [40, 2]] {
        assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
    }
}

#[test]
fn no_threads_share_sums_in_order_or_rows_that_wait_or_are_narrow() {
    for nest in [in_order::nest(), waiting::nest(), vectors::nest()] {
        let sizes = vec![5; nest.parameters().len()];
        let program = in_rows(&nest, &tilings()[0]);
        let combines = |kernel: &Kernel| count(&kernel.body, &is_combination) > 0;
        assert!(!program.kernels.iter().any(combines), "{program}");
        assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
    }
}

/// The largest of each column, which nothing reads again.
#[nest]
fn largest_of_columns(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(m)] most: &mut [f32]) {
    for j in 0..m {
        most[j] = x[[0, j]];
        for i in 0..n {
            most[j] = most[j].max(x[[i, j]]);
        }
    }
}

#[test]
fn threads_share_columns_and_their_neighbours_have_neighbouring_ones() {
    for nest in [columns::nest(), largest_of_columns::nest()] {
        for (seed, block) in [[32, 1, 1], [32, 8, 1], [64, 5, 1], [32, 32, 1]].into_iter().enumerate() {
            let tiling = Tiling { block, thread_tile: [4, 1, 1], ..Tiling::default() };
            let program = in_rows(&nest, &tiling);
            assert_eq!(program.kernels.len(), 1, "{program}");
            // Parts meet in shared memory, since the threads of a warp have different columns.
            let has_exchange =
                count(&program.kernels[0].body, &|one| matches!(one, Instruction::Barrier)) > 0;
            assert!(has_exchange && count(&program.kernels[0].body, &is_combination) == 0, "{program}");
            for sizes in [[1, 1], [3, 40], [33, 7], [130, 9], [300, 33]] {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
            }
        }
    }
}

#[test]
fn neighbouring_values_of_a_thread_come_and_go_at_once_where_rows_begin_at_multiples() {
    let tiling = Tiling { block: [32, 2, 1], thread_tile: [8, 1, 1], vector_width: 4, ..Tiling::default() };
    for nest in [softmax::nest(), range::nest()] {
        let program = in_rows(&nest, &tiling);
        let is_copy = |one: &Instruction| matches!(one, Instruction::Copy { .. });
        let copies = count(&program.kernels[0].body, &is_copy);
        assert!(copies > 1, "{program}");
        for sizes in [[2, 4], [3, 7], [1, 64], [2, 252], [3, 256], [2, 260]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
        }
    }
}

#[test]
fn only_what_depends_on_other_threads_waits_for_them() {
    // The one warp of a row combines by shuffles; several meet once for all sums of a step.
    let [warp, _, warps, ..] = &tilings()[..] else { unreachable!() };
    for (nest, steps) in [(softmax::nest(), 2), (layer::nest(), 1)] {
        assert_eq!([warp, warps].map(|tiling| barriers(&in_rows(&nest, tiling))), [0, steps]);
    }
    // What is written of `t` is read by other threads, and then overwritten.
    assert_eq!(barriers(&in_rows(&reversed::nest(), warp)), 2);
}

/// The code of rows that fit registers: how often it reads and writes an array.
fn accesses(program: &Program, array: usize) -> [usize; 2] {
    let [kernel] = &program.kernels[..] else { panic!("{program}") };
    let fits = kernel.body.iter().find_map(|one| match one {
        Instruction::If(_, fits, otherwise) if !otherwise.is_empty() => Some(&fits[..]),
        _ => None,
    });
    let assignments = |is_such: &dyn Fn(&Assignment) -> bool| {
        let of = |one: &Instruction| matches!(one, Instruction::Assign(assignment) if is_such(assignment));
        count(fits.unwrap_or(&kernel.body), &of)
    };
    let reads = assignments(&|one| one.value.reads().iter().any(|read| read.array == array));
    [reads, assignments(&|one| one.target.array == array)]
}

#[test]
fn what_a_row_reads_again_is_in_registers_and_stored_once() {
    let of = |points| {
        let tiling = Tiling { block: [64, 1, 1], thread_tile: [points, 1, 1], ..Tiling::default() };
        let program = in_rows(&softmax::nest(), &tiling);
        [accesses(&program, 0), accesses(&program, 3)]
    };
    assert_eq!(of(1), [[2, 0], [2, 2]]);
    assert_eq!(of(4), [[1, 0], [0, 1]]);
    // The row's first element is read where it is, before its values come to registers.
    let tiling = Tiling { block: [32, 1, 1], thread_tile: [2, 1, 1], ..Tiling::default() };
    let program = in_rows(&from_first::nest(), &tiling);
    assert_eq!(accesses(&program, 0), [2, 0], "{program}");
    for sizes in [[3, 1], [2, 40], [1, 70]] {
        assert_agrees(&from_first::nest(), &program, &data(&from_first::nest(), &sizes, 0, 1), 1);
    }
}

#[test]
fn what_nobody_else_needs_is_not_in_memory() {
    let mut builder = Builder::new("centre");
    let [n, m] = ["n", "m"].map(|name| builder.parameter(name));
    let x = builder.in_out("x", [n.into(), m.into()]);
    let squares = builder.temporary("squares", [n.into(), m.into()]);
    let sum = builder.temporary("sum", [n.into()]);
    builder.reassociate();
    builder.repeat("i", Bounds::new(0, n), |builder, i| {
        builder.assign(sum.at([i]), 0.0);
        builder.repeat("j", Bounds::new(0, m), |builder, j| {
            builder.assign(squares.at([i, j]), x.at([i, j]) * x.at([i, j]));
            builder.assign(sum.at([i]), sum.at([i]) + squares.at([i, j]));
        });
        builder.repeat("k", Bounds::new(0, m), |builder, k| {
            builder.assign(x.at([i, k]), squares.at([i, k]) - sum.at([i]));
        });
    });
    let nest = builder.finish().unwrap();
    let tiling = Tiling { block: [32, 2, 1], thread_tile: [2, 1, 1], ..Tiling::default() };
    let program = in_rows(&nest, &tiling);
    assert_eq!([accesses(&program, 1), accesses(&program, 2)], [[0, 0], [0, 0]], "{program}");
    assert!(!program.to_string().contains("sum[i] ="), "{program}");
    for sizes in [[3, 5], [1, 64], [4, 65]] {
        assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
    }
}

#[test]
fn minima_and_maxima_do_not_count_what_is_no_number() {
    let nest = range::nest();
    for (seed, tiling) in tilings().iter().enumerate() {
        let program = in_rows(&nest, tiling);
        let mut input = data(&nest, &[4, 70], 3, 1);
        let mut random = Random::new(seed as u64);
        // A row with some, one of nothing else, and one that begins with it.
        for j in 0..70 {
            input.arrays[2][70 + j] = f32::NAN;
            if random.below(2) == 0 {
                input.arrays[2][j] = f32::NAN;
            }
        }
        input.arrays[0][2] = f32::NAN;
        (input.arrays[0][1], input.arrays[1][1]) = (f32::NAN, f32::NAN);
        let (mut expected, mut result) = (input.clone(), input);
        nest.run(&mut expected).unwrap();
        program.run(&mut result, |threads| random.below(threads as u64) as usize).unwrap();
        let is_nan = |data: &nitro_nest::Data| -> Vec<Vec<bool>> {
            data.arrays.iter().map(|array| array.iter().map(|value| value.is_nan()).collect()).collect()
        };
        assert_eq!(is_nan(&result), is_nan(&expected));
        let numbers = |mut data: nitro_nest::Data| {
            data.arrays.iter_mut().flatten().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
            bits(&data)
        };
        assert_eq!(numbers(result), numbers(expected), "{program}");
    }
}

#[cfg(feature = "search")]
mod search {
    use nitro_nest::MappingSpace;
    use nitro_search::{Ask, Budget, Decisions, Engine, Generator, Paths, RandomPaths};

    use super::*;

    #[nest(reassoc)]
    fn row_sums(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n)] sum: &mut [f32]) {
        for i in 0..n {
            for j in 0..m {
                sum[i] += x[[i, j]];
            }
        }
    }

    #[nest(reassoc)]
    fn set_and_summed(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n)] sum: &mut [f32]) {
        for i in 0..n {
            sum[i] = 0.5;
            for j in 0..m {
                sum[i] += x[[i, j]];
            }
        }
    }

    /// The text of the preset `sane`.
    fn sane(space: &MappingSpace) -> String {
        space.presets().into_iter().find(|(name, _)| name == "sane").unwrap().1
    }

    #[test]
    fn what_goes_once_over_its_rows_is_mapped_as_before_and_its_plan_does_not_speak_of_rows() {
        let space = MappingSpace::new(&row_sums::nest()).unwrap();
        let schedule = Mapping::sane();
        let before = Schedule { fuses: true, sums_in_parallel: true, coalesces: true, ..Schedule::default() };
        assert_eq!(space.map(&schedule.clone().with_schedule(before)), space.map(&schedule));
        assert!(!sane(&space).contains("rows\\\":"));
    }

    #[test]
    fn what_sets_a_sum_of_a_row_is_no_kernel_of_its_own() {
        let nest = set_and_summed::nest();
        let program = MappingSpace::new(&nest).unwrap().map(&Mapping::sane());
        assert!(is_of_rows(&program), "{program}");
        for sizes in [[3, 70], [1, 1], [5, 0], [2, 1000]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
        }
    }

    #[test]
    fn searches_begin_with_rows_where_these_pay_and_try_others() {
        let space = MappingSpace::new(&softmax::nest()).unwrap();
        let first = space.program(&space.initial_paths()[0]);
        assert_eq!(first, space.map(&Mapping::sane()), "{first}");
        assert!(is_of_rows(&first) && first.kernels[0].block == [256, 1, 1], "{first}");
        let sane = sane(&space);
        assert!(sane.contains("rows\\\":true"), "{sane}");
        let drawn = (0..60).map(|seed| {
            let mut search = Engine::new(Paths::new(&space, RandomPaths::new(seed)), Budget::evaluations(1));
            let Ask::Evaluate(paths) = search.ask(1).unwrap() else { panic!("nothing was proposed") };
            space.program(&paths[0])
        });
        let (rows, others): (Vec<Program>, Vec<Program>) = drawn.partition(is_of_rows);
        assert!(rows.len() > 5 && others.len() > 5, "{} and {}", rows.len(), others.len());
        for program in &rows {
            let threads = program.kernels[0].threads();
            assert!((32..=1024).contains(&threads) && threads % 32 == 0, "{program}");
            assert_agrees(&softmax::nest(), program, &data(&softmax::nest(), &[3, 70], 0, 1), 1);
        }
    }
}
