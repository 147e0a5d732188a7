//! Recurrences: loops whose iterations need what others before them made.

use nitro_nest::{Array2, Array3, Mapping, MappingSpace, Nest, Program, Space, Tiling, nest};

use crate::agreement::{assert_agrees, data};

/// Down the columns, with a weight for each row
#[nest]
fn columns(
    n: usize,
    m: usize,
    #[shape(n)] weights: &[f32],
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n + 1, m)] y: &mut Array2<f32>,
) {
    for t in 0..n {
        for j in 0..m {
            y[[t + 1, j]] = weights[t] * y[[t, j]] + x[[t, j]];
        }
    }
}

/// Two elements before, and two arrays that go on together
#[nest]
fn two(n: usize, m: usize, #[shape(n + 2, m)] x: &mut Array2<f32>, #[shape(n + 2, m)] y: &mut Array2<f32>) {
    for j in 0..m {
        for t in 2..n + 2 {
            y[[t, j]] = y[[t - 1, j]] - 0.5 * y[[t - 2, j]] + x[[t, j]];
            x[[t, j]] = x[[t - 1, j]] + y[[t, j]] - y[[t - 1, j]];
        }
    }
}

/// Along the rows, with a weight for each column
#[nest]
fn rows(
    n: usize,
    m: usize,
    #[shape(m)] weights: &[f32],
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n, m + 1)] y: &mut Array2<f32>,
) {
    for r in 0..n {
        y[[r, 0]] = 1.0;
        for t in 0..m {
            y[[r, t + 1]] = weights[t] * y[[r, t]] + x[[r, t]];
        }
    }
}

/// Backwards along the rows, in place
#[nest]
fn backwards(n: usize, m: usize, #[shape(n, m + 1)] y: &mut Array2<f32>) {
    for r in 0..n {
        for t in (0..m).rev() {
            y[[r, t]] += 0.5 * y[[r, t + 1]];
        }
    }
}

/// Rows of a batch whose state is an element of its own
#[nest]
fn state(
    b: usize,
    n: usize,
    m: usize,
    #[shape(n)] a: &[f32],
    #[shape(b, n, m)] x: &Array3<f32>,
    #[shape(b, n)] h: &mut Array2<f32>,
    #[shape(b, n, m)] y: &mut Array3<f32>,
) {
    for i in 0..b {
        for r in 0..n {
            for t in 0..m {
                h[[i, r]] = a[r] * h[[i, r]] + x[[i, r, t]];
                y[[i, r, t]] += h[[i, r]];
            }
        }
    }
}

fn mapped(nest: &Nest, threads: u32) -> Program {
    let tiling = Tiling { block: [threads, 1, 1], promotes: true, ..Tiling::default() };
    MappingSpace::new(nest)
        .unwrap()
        .map(&Mapping::sane().with_usual_tilings([(); 3].map(|()| tiling.clone())))
}

/// The kernels of a program that have shared memory.
fn staged(program: &Program) -> usize {
    program.kernels.iter().filter(|one| one.locals.iter().any(|local| local.space == Space::Shared)).count()
}

#[test]
fn what_was_made_before_is_in_registers() {
    for nest in [columns::nest(), two::nest()] {
        let program = mapped(&nest, 32);
        let text = program.plan().cuda;
        let (_, inside) = text.rsplit_once("#pragma unroll 16").unwrap();
        let (_, read) = inside.split_once("y_before = ").unwrap();
        assert!(!read.lines().next().unwrap().contains("y["), "{text}");
        for sizes in [[0, 3], [1, 3], [2, 40], [35, 33]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
        }
    }
}

#[test]
fn rows_go_through_shared_memory_in_chunks() {
    for nest in [rows::nest(), backwards::nest(), state::nest()] {
        for threads in [32, 64, 256] {
            let program = mapped(&nest, threads);
            assert_eq!(staged(&program), 1, "{program}");
            for sizes in [[2, 3, 0], [1, 1, 1], [2, 40, 33], [1, 33, 70], [3, 5, 64]] {
                let sizes = &sizes[3 - nest.parameters().len()..];
                assert_agrees(&nest, &program, &data(&nest, sizes, 0, 1), 1);
            }
        }
    }
}

/// Columns are neighbours already, and sums of rows have mappings of their own.
#[test]
fn what_neighbouring_threads_have_together_stays_where_it_is() {
    assert_eq!([columns::nest(), two::nest()].each_ref().map(|nest| staged(&mapped(nest, 32))), [0, 0]);
}
