//! Rows over several loops, whose iterations the threads of a row share out together.

use nitro_nest::{Array2, Array3, Array4, Instruction, Mapping, Nest, Program, Schedule, Tiling, nest};

use crate::agreement::{assert_agrees, data};

/// A normalisation of groups of channels, with weights of channels and squares in the place of roots.
#[nest(reassoc)]
fn groups(
    n: usize,
    g: usize,
    c: usize,
    h: usize,
    #[shape(n, g, c, h)] x: &Array4<f32>,
    #[shape(g, c)] scale: &Array2<f32>,
    #[shape(n, g)] sum: &mut Array2<f32>,
    #[shape(n, g)] square: &mut Array2<f32>,
    #[shape(n, g, c, h)] y: &mut Array4<f32>,
) {
    for image in 0..n {
        for group in 0..g {
            sum[[image, group]] = 0.0;
            for l in 0..c {
                for p in 0..h {
                    sum[[image, group]] += x[[image, group, l, p]];
                }
            }
            square[[image, group]] = 0.0;
            for l in 0..c {
                for p in 0..h {
                    square[[image, group]] += x[[image, group, l, p]] * x[[image, group, l, p]];
                }
            }
            for l in 0..c {
                for p in 0..h {
                    y[[image, group, l, p]] = (x[[image, group, l, p]] - sum[[image, group]])
                        * scale[[group, l]]
                        + square[[image, group]];
                }
            }
        }
    }
}

/// Images normalised in place, with the channel as the last loop and weights that depend on two of three loops.
#[nest(reassoc)]
fn images(
    n: usize,
    h: usize,
    w: usize,
    c: usize,
    #[shape(h, c)] scale: &Array2<f32>,
    #[shape(n)] largest: &mut [f32],
    #[shape(n, h, w, c)] x: &mut Array4<f32>,
) {
    for image in 0..n {
        largest[image] = -100.0;
        for i in 0..h {
            for j in 0..w {
                for l in 0..c {
                    largest[image] = largest[image].max(x[[image, i, j, l]]);
                }
            }
        }
        for i in 0..h {
            for j in 0..w {
                for l in 0..c {
                    x[[image, i, j, l]] = (x[[image, i, j, l]] - largest[image]) * scale[[i, l]];
                }
            }
        }
    }
}

/// Sums of the channels of a group beside that of the group: no two threads may add to one of a channel.
#[nest(reassoc)]
fn channels(
    n: usize,
    c: usize,
    h: usize,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, c)] of_channel: &mut Array2<f32>,
    #[shape(n, c, h)] x: &mut Array3<f32>,
) {
    for image in 0..n {
        sum[image] = 0.0;
        for l in 0..c {
            for p in 0..h {
                sum[image] += x[[image, l, p]];
                of_channel[[image, l]] += x[[image, l, p]];
            }
        }
        for l in 0..c {
            for p in 0..h {
                x[[image, l, p]] = x[[image, l, p]] * sum[image] + of_channel[[image, l]];
            }
        }
    }
}

fn in_rows(nest: &Nest, tiling: &Tiling) -> Program {
    let mapping = Mapping::naive().with_schedule(Schedule { rows: true, ..Schedule::default() });
    let dependences = nest.dependences().unwrap();
    let kernels = nest.map(&dependences, &mapping).kernels;
    let tiled =
        kernels.iter().fold(mapping, |tiled, kernel| tiled.with_tiling(&kernel.statements, tiling.clone()));
    nest.map(&dependences, &tiled)
}

fn tilings() -> impl Iterator<Item = Tiling> {
    let all = [([32, 1, 1], 4, 4), ([32, 3, 1], 2, 1), ([64, 2, 1], 8, 4), ([96, 1, 1], 3, 4)];
    all.into_iter().map(|(block, points, vector_width)| Tiling {
        block,
        thread_tile: [points, 1, 1],
        vector_width,
        ..Tiling::default()
    })
}

fn count(all: &[Instruction], is_such: &impl Fn(&Instruction) -> bool) -> usize {
    let of = |one: &Instruction| match one {
        Instruction::Loop(_, _, body) => count(body, is_such),
        Instruction::If(_, body, otherwise) => count(body, is_such).max(count(otherwise, is_such)),
        other => usize::from(is_such(other)),
    };
    all.iter().map(of).sum()
}

#[test]
fn rows_of_several_loops_give_what_the_nest_gives_whether_they_fit_registers_or_not() {
    for (seed, tiling) in tilings().enumerate() {
        let nest = groups::nest();
        let program = in_rows(&nest, &tiling);
        assert_eq!(program.kernels.len(), 1, "{program}");
        // Groups of fewer channels than threads, of pixels that are no multiple, of none, and those that do not fit.
        for sizes in [[2, 3, 4, 16], [1, 2, 3, 7], [2, 1, 33, 4], [1, 2, 0, 5], [2, 1, 5, 0], [1, 1, 9, 100]]
        {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
        }
        let nest = images::nest();
        let program = in_rows(&nest, &tiling);
        assert_eq!(program.kernels.len(), 1, "{program}");
        for sizes in [[2, 3, 4, 8], [1, 2, 3, 5], [3, 1, 1, 64], [2, 0, 2, 4], [2, 2, 0, 3], [1, 5, 6, 40]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
        }
    }
}

#[test]
fn a_row_of_several_loops_is_read_once_where_it_fits_registers() {
    let tiling = Tiling { block: [64, 1, 1], thread_tile: [8, 1, 1], vector_width: 4, ..Tiling::default() };
    let program = in_rows(&groups::nest(), &tiling);
    let text = program.to_string();
    // Of four neighbours at once, one by one, and through the caches: a read for each step.
    assert_eq!(text.matches("= x[").count(), 2, "{text}");
    let copies = |one: &Instruction| matches!(one, Instruction::Copy { .. });
    assert_eq!(count(&program.kernels[0].body, &copies), 2, "one read and one write: {text}");
}

#[test]
fn loops_are_not_shared_out_together_where_two_threads_would_add_to_one_element() {
    let nest = channels::nest();
    for (seed, tiling) in tilings().enumerate() {
        let program = in_rows(&nest, &tiling);
        for sizes in [[2, 3, 40], [1, 70, 2], [2, 1, 5]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
        }
    }
}
