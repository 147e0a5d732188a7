//! Scans: what each element adds up of those before it.

use nitro_nest::{Array2, Instruction, Kernel, Mapping, Nest, Program, Tiling, nest};

use crate::agreement::{assert_agrees, data};

#[nest(reassoc)]
fn sums(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
    #[shape(n, m)] z: &mut Array2<f32>,
) {
    for i in 0..n {
        sum[i] = 3.0;
        for j in 0..m {
            sum[i] += x[[i, j]] * 2.0;
            y[[i, j]] = sum[i];
            z[[i, j]] = x[[i, j]] - sum[i];
        }
        for j in 0..m {
            z[[i, j]] += sum[i];
        }
    }
}

/// An order of additions is no question of a maximum.
#[nest]
fn maxima(n: usize, m: usize, #[shape(n, m + 1)] x: &Array2<f32>, #[shape(n, m + 1)] y: &mut Array2<f32>) {
    for i in 0..n {
        y[[i, 0]] = x[[i, 0]];
        for j in 1..m + 1 {
            y[[i, j]] = x[[i, j]].max(y[[i, j - 1]]);
        }
    }
}

#[nest(reassoc)]
fn in_place(n: usize, m: usize, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in 1..m {
            y[[i, j]] += y[[i, j - 1]];
        }
    }
}

#[nest(reassoc)]
fn of_a_vector(n: usize, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for j in 1..n {
        y[j] = y[j - 1] + x[j];
    }
}

/// What is seen is that before.
#[nest(reassoc)]
fn exclusive(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..m {
            y[[i, j]] = sum[i];
            sum[i] += x[[i, j]];
        }
    }
}

/// From the last element to the first one
#[nest(reassoc)]
fn backwards(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        sum[i] = 1.0;
        for j in (0..m).rev() {
            sum[i] += x[[i, j]];
            y[[i, j]] = sum[i];
        }
    }
}

/// Maxima of what follows, each without its own element
#[nest]
fn exclusive_backwards(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] most: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        most[i] = -9.0;
        for j in (0..m).rev() {
            y[[i, j]] = most[i];
            most[i] = most[i].max(x[[i, j]]);
        }
    }
}

#[nest(reassoc)]
fn from_the_end(n: usize, m: usize, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in (0..m.saturating_sub(1)).rev() {
            y[[i, j]] += y[[i, j + 1]];
        }
    }
}

#[nest(reassoc)]
fn differences(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n, m + 1)] y: &mut Array2<f32>) {
    for i in 0..n {
        y[[i, 0]] = 5.0;
        for j in 1..m + 1 {
            y[[i, j]] = y[[i, j - 1]] - x[[i, j - 1]];
        }
    }
}

/// Products of powers of two, which are exact in any order
#[nest(reassoc)]
fn products(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n, m + 1)] y: &mut Array2<f32>) {
    for i in 0..n {
        y[[i, 0]] = 2.0;
        for j in 1..m + 1 {
            y[[i, j]] = y[[i, j - 1]] * (if x[[i, j - 1]] < 0.0 { -2.0 } else { 0.5 });
        }
    }
}

#[nest(reassoc)]
fn weighted(n: usize, m: usize, a: f32, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in 1..m {
            y[[i, j]] = a * y[[i, j - 1]] - y[[i, j]];
        }
    }
}

#[nest]
fn in_order(n: usize, m: usize, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in 1..m {
            y[[i, j]] += y[[i, j - 1]];
        }
    }
}

/// Rows are columns: neighbouring threads have neighbouring ones.
#[nest(reassoc)]
fn down(n: usize, m: usize, #[shape(n, m)] y: &mut Array2<f32>) {
    for j in 0..m {
        for i in 1..n {
            y[[i, j]] += y[[i - 1, j]];
        }
    }
}

fn mapped(nest: &Nest, mapping: &Mapping) -> Program {
    nest.lower_with(mapping, &mut |_, _| {}).unwrap()
}

fn scans(all: &[Instruction]) -> usize {
    let of = |one: &Instruction| match one {
        Instruction::Loop(_, _, body) => scans(body),
        Instruction::If(_, body, otherwise) => scans(body) + scans(otherwise),
        other => usize::from(matches!(other, Instruction::Scan { .. })),
    };
    all.iter().map(of).sum()
}

fn has_scan(kernel: &Kernel) -> bool {
    scans(&kernel.body) > 0
}

#[test]
fn rows_are_scanned_by_blocks_and_give_what_the_nest_gives() {
    let sums = [sums::nest(), maxima::nest(), in_place::nest(), of_a_vector::nest(), differences::nest()];
    let turned = [exclusive::nest(), backwards::nest(), exclusive_backwards::nest(), from_the_end::nest()];
    for nest in [&sums[..], &turned, &[products::nest()]].concat() {
        let sane = mapped(&nest, &Mapping::sane());
        let scanning: Vec<&Kernel> = sane.kernels.iter().filter(|kernel| has_scan(kernel)).collect();
        let [kernel] = scanning[..] else { panic!("{sane}") };
        for (seed, block) in [[32, 1, 1], [32, 4, 1], [64, 2, 1], [128, 1, 1]].into_iter().enumerate() {
            let tiling = Tiling { block, thread_tile: [4, 1, 1], ..Tiling::default() };
            let program = mapped(&nest, &Mapping::sane().with_tiling(&kernel.statements, tiling));
            for sizes in [[0, 3], [1, 0], [2, 1], [3, 31], [2, 33], [1, 150]] {
                let sizes = if nest.parameters().len() == 1 { vec![sizes[1]] } else { sizes.to_vec() };
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
            }
        }
    }
}

#[test]
fn what_is_no_scan_has_a_thread_for_each_row() {
    for nest in [weighted::nest(), in_order::nest(), down::nest()] {
        let program = mapped(&nest, &Mapping::sane());
        assert!(!program.kernels.iter().any(has_scan), "{program}");
        for sizes in [[1, 3], [4, 5]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
        }
    }
}
