//! Nests for which a careless mapping has few threads, idle ones, or threads that read apart from each other.

use nitro_nest::{Array2, Array3, Array4, Instruction, Kernel, Mapping, Nest, Program, Space, Tiling, nest};

use crate::agreement::{assert_agrees, data};

/// Weighted sums of windows whose length is a size
#[nest(reassoc)]
fn windows(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, m + k)] x: &Array2<f32>,
    #[shape(k)] weights: &[f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            y[[i, j]] = 0.0;
            for l in 0..k {
                y[[i, j]] += weights[l] * x[[i, j + l]];
            }
        }
    }
}

/// The largest difference of each pair of points
#[nest(reassoc)]
fn largest_differences(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, k)] x: &Array2<f32>,
    #[shape(m, k)] y: &Array2<f32>,
    #[shape(n, m)] most: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            most[[i, j]] = 0.0;
            for l in 0..k {
                most[[i, j]] = most[[i, j]].max((x[[i, l]] - y[[j, l]]).abs());
            }
        }
    }
}

/// Each point of an image makes four of a larger one
#[nest(reassoc)]
fn enlarged(
    c: usize,
    k: usize,
    n: usize,
    #[shape(c, n, n)] x: &Array3<f32>,
    #[shape(c, k, 2, 2)] weights: &Array4<f32>,
    #[shape(k, 2 * n, 2 * n)] y: &mut Array3<f32>,
) {
    for to in 0..k {
        for row in 0..n {
            for column in 0..n {
                for u in 0..2 {
                    for v in 0..2 {
                        y[[to, 2 * row + u, 2 * column + v]] = 0.0;
                        for from in 0..c {
                            y[[to, 2 * row + u, 2 * column + v]] +=
                                x[[from, row, column]] * weights[[from, to, u, v]];
                        }
                    }
                }
            }
        }
    }
}

/// A transposed convolution as it is often written: each point adds to nine of a larger image
#[nest(reassoc)]
fn scattered(
    c: usize,
    k: usize,
    n: usize,
    #[shape(c, n, n)] x: &Array3<f32>,
    #[shape(c, k, 3, 3)] weights: &Array4<f32>,
    #[shape(k, 2 * n + 1, 2 * n + 1)] y: &mut Array3<f32>,
) {
    for from in 0..c {
        for to in 0..k {
            for row in 0..n {
                for column in 0..n {
                    for u in 0..3 {
                        for v in 0..3 {
                            y[[to, 2 * row + u, 2 * column + v]] +=
                                x[[from, row, column]] * weights[[from, to, u, v]];
                        }
                    }
                }
            }
        }
    }
}

/// Products of polynomials
#[nest(reassoc)]
fn polynomials(
    c: usize,
    k: usize,
    n: usize,
    #[shape(c, n)] x: &Array2<f32>,
    #[shape(k)] y: &[f32],
    #[shape(c, n + k)] z: &mut Array2<f32>,
) {
    for i in 0..c {
        for j in 0..n {
            for l in 0..k {
                z[[i, j + l]] += x[[i, j]] * y[l];
            }
        }
    }
}

/// A product of polynomials whose sums keep their order
#[nest]
fn in_order(k: usize, n: usize, #[shape(n)] x: &[f32], #[shape(k)] y: &[f32], #[shape(n + k)] z: &mut [f32]) {
    for i in 0..n {
        for j in 0..k {
            z[i + j] += x[i] * y[j];
        }
    }
}

/// The gradient of a convolution by its weights
#[nest(reassoc)]
fn of_weights(
    c: usize,
    k: usize,
    n: usize,
    #[shape(n, c, n + 2, n + 2)] x: &Array4<f32>,
    #[shape(n, k, n, n)] y: &Array4<f32>,
    #[shape(k, c, 3, 3)] weights: &mut Array4<f32>,
) {
    for to in 0..k {
        for from in 0..c {
            for u in 0..3 {
                for v in 0..3 {
                    weights[[to, from, u, v]] = 0.0;
                    for image in 0..n {
                        for row in 0..n {
                            for column in 0..n {
                                weights[[to, from, u, v]] +=
                                    x[[image, from, row + u, column + v]] * y[[image, to, row, column]];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Axes in the opposite order
#[nest]
fn reversed_axes(
    c: usize,
    k: usize,
    n: usize,
    #[shape(c, k, n)] x: &Array3<f32>,
    #[shape(n, k, c)] y: &mut Array3<f32>,
) {
    for i in 0..n {
        for j in 0..k {
            for l in 0..c {
                y[[i, j, l]] = x[[l, j, i]];
            }
        }
    }
}

/// The roots of the sums of squares of rows
#[nest(reassoc)]
fn norms(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        y[i] = 0.0;
        for j in 0..m {
            y[i] += x[[i, j]] * x[[i, j]];
        }
        y[i] = y[i].sqrt();
    }
}

/// The products of rows of powers of two, which are exact in any order
#[nest(reassoc)]
fn products_of_rows(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        y[i] = 3.0;
        for j in 0..m {
            y[i] *= if x[[i, j]] < 0.0 { -2.0 } else { 0.5 };
        }
    }
}

/// The mean of all, and the sum of what differs from it
#[nest(reassoc)]
fn deviations(n: usize, #[shape(n)] x: &[f32], #[shape(1)] mean: &mut [f32], #[shape(1)] sum: &mut [f32]) {
    mean[0] = 0.0;
    for i in 0..n {
        mean[0] += x[i];
    }
    mean[0] *= 0.5;
    sum[0] = 1.0;
    for i in 0..n {
        sum[0] += x[i] - mean[0];
    }
}

fn mapped(nest: &Nest, mapping: &Mapping) -> Program {
    nest.lower_with(mapping, &mut |_, _| {}).unwrap()
}

/// The last kernel of `sane`: the one that does the work.
fn last(nest: &Nest, mapping: &Mapping) -> Kernel {
    mapped(nest, mapping).kernels.pop().unwrap()
}

fn stages(kernel: &Kernel) -> bool {
    kernel.locals.iter().any(|local| local.space == Space::Shared)
}

fn adds(all: &[Instruction]) -> bool {
    all.iter().any(|one| match one {
        Instruction::Loop(_, _, body) => adds(body),
        Instruction::If(_, body, otherwise) => adds(body) || adds(otherwise),
        other => matches!(other, Instruction::Add { .. } | Instruction::AddWide { .. }),
    })
}

/// The extents of a kernel's grid as text, x first.
fn extents(kernel: &Kernel, program: &Program) -> Vec<String> {
    let text = program.to_string();
    let line = text.lines().find(|line| line.starts_with(&format!("kernel {} ", kernel.name))).unwrap();
    let all = line.split(" over ").nth(1).unwrap().split(" in blocks").next().unwrap();
    all.split(" × ").map(str::to_owned).collect()
}

#[test]
fn what_has_few_threads_gives_what_the_nest_gives() {
    let nests = [
        windows::nest(),
        largest_differences::nest(),
        enlarged::nest(),
        scattered::nest(),
        polynomials::nest(),
        of_weights::nest(),
        reversed_axes::nest(),
    ];
    for nest in nests {
        for mapping in [Mapping::sane(), Mapping::split(), Mapping::small()] {
            let program = mapped(&nest, &mapping.with_blocks([[32, 1, 1], [4, 2, 1], [2, 2, 2]]));
            for (seed, sizes) in [[1, 3, 2], [2, 1, 3], [3, 5, 4], [0, 2, 2]].into_iter().enumerate() {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
            }
        }
    }
}

#[test]
fn windows_that_overlap_have_a_thread_for_each_and_not_a_warp() {
    let (nest, sane) = (windows::nest(), Mapping::sane());
    let program = mapped(&nest, &sane);
    assert!(!program.to_string().contains("shuffle"), "{program}");
    assert_eq!(extents(&last(&nest, &sane), &program), ["0..m", "0..n"]);
}

#[test]
fn extremes_of_pairs_reuse_operands_as_products_do() {
    let kernel = last(&largest_differences::nest(), &Mapping::sane());
    assert!(stages(&kernel), "{:?}", kernel.locals);
}

#[test]
fn loops_of_few_iterations_have_no_tiles() {
    let (nest, sane) = (enlarged::nest(), Mapping::sane());
    assert_eq!(extents(&last(&nest, &sane), &mapped(&nest, &sane)), ["0..n", "0..k", "0..n", "0..2", "0..2"]);
}

#[test]
fn sums_to_elements_that_move_have_a_thread_for_each_that_adds() {
    for nest in [scattered::nest(), polynomials::nest()] {
        let program = mapped(&nest, &Mapping::sane());
        let [kernel] = &program.kernels[..] else { panic!("{program}") };
        assert!(adds(&kernel.body), "{program}");
        assert!(!program.to_string().contains("for row in"), "{program}");
    }
}

#[test]
fn sums_to_elements_that_move_stay_in_order_where_no_other_is_permitted() {
    let nest = in_order::nest();
    let program = mapped(&nest, &Mapping::sane());
    assert!(!program.kernels.iter().any(|kernel| adds(&kernel.body)), "{program}");
    assert_agrees(&nest, &program, &data(&nest, &[5, 4], 8, 1), 1);
}

#[test]
fn sums_are_split_beside_loops_of_few_iterations() {
    let program = mapped(&of_weights::nest(), &Mapping::split());
    assert_eq!(program.kernels.len(), 2, "{program}");
    assert!(adds(&program.kernels[1].body), "{program}");
}

#[test]
fn axes_in_another_order_go_through_shared_memory() {
    let kernel = last(&reversed_axes::nest(), &Mapping::sane());
    assert!(stages(&kernel), "{:?}", kernel.locals);
}

#[test]
fn rows_that_are_reduced_and_used_are_one_kernel_and_come_several_values_at_once() {
    for nest in [norms::nest(), products_of_rows::nest()] {
        let sane = mapped(&nest, &Mapping::sane());
        let [kernel] = &sane.kernels[..] else { panic!("{sane}") };
        let tiling =
            Tiling { block: [32, 2, 1], thread_tile: [4, 1, 1], vector_width: 4, ..Tiling::default() };
        let wide = mapped(&nest, &Mapping::sane().with_tiling(&kernel.statements, tiling));
        assert!(wide.to_string().contains("and neighbours, 4 in all"), "{wide}");
        // Rows that come wide, that do not, and that have no room.
        for (seed, sizes) in
            [[3, 8], [2, 7], [1, 128], [2, 132], [1, 131], [0, 4], [2, 0]].into_iter().enumerate()
        {
            for program in [&sane, &wide] {
                assert_agrees(&nest, program, &data(&nest, &sizes, 0, 1), seed as u64);
            }
        }
    }
}

#[test]
fn statements_outside_of_loops_that_follow_each_other_share_a_kernel() {
    let nest = deviations::nest();
    let program = mapped(&nest, &Mapping::sane());
    assert_eq!(program.kernels.len(), 4, "{program}");
    for size in [0, 1, 5, 40] {
        assert_agrees(&nest, &program, &data(&nest, &[size], 0, 1), 1);
    }
}
