//! Nests with more parallel loops than a device has dimensions, and several loops in each sum.

use nitro_nest::{Array2, Array3, Array4, Integers, Mapping, Nest, Program, Schedule, Space, Tiling, nest};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};

#[nest]
fn convolution(
    images: usize,
    channels: usize,
    n: usize,
    #[shape(images, channels, n + 2, n + 1)] input: &Array4<f32>,
    #[shape(n, channels, 3, 2)] weights: &Array4<f32>,
    #[shape(images, n, n, n)] output: &mut Array4<f32>,
) {
    for image in 0..images {
        for filter in 0..n {
            for row in 0..n {
                for column in 0..n {
                    output[[image, filter, row, column]] = 0.5;
                    for channel in 0..channels {
                        for u in 0..3 {
                            for v in 0..2 {
                                output[[image, filter, row, column]] += input
                                    [[image, channel, row + u, column + v]]
                                    * weights[[filter, channel, u, v]];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Filters are the loop along which elements are neighbours, and the longest loop is the innermost.
#[nest]
fn channels_last(
    images: usize,
    channels: usize,
    n: usize,
    #[shape(images, n + 2, n + 2, channels)] input: &Array4<f32>,
    #[shape(3, 3, channels, n)] weights: &Array4<f32>,
    #[shape(images, n, n, n)] output: &mut Array4<f32>,
) {
    for image in 0..images {
        for row in 0..n {
            for column in 0..n {
                for filter in 0..n {
                    for u in 0..3 {
                        for v in 0..3 {
                            for channel in 0..channels {
                                output[[image, row, column, filter]] += input
                                    [[image, row + u, column + v, channel]]
                                    * weights[[u, v, channel, filter]];
                            }
                        }
                    }
                }
            }
        }
    }
}

#[nest]
fn contraction(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, k, m, k)] x: &Array4<f32>,
    #[shape(k, m, k, n)] y: &Array4<f32>,
    #[shape(n, m, m, n)] c: &mut Array4<f32>,
) {
    for a in 0..n {
        for b in 0..m {
            for i in 0..m {
                for j in 0..n {
                    for e in 0..k {
                        for f in 0..k {
                            c[[a, b, i, j]] += x[[a, e, i, f]] * y[[e, b, f, j]];
                        }
                    }
                }
            }
        }
    }
}

/// What is summed depends on a condition in the window, and the window of each channel is its own.
#[nest]
fn windows(
    images: usize,
    channels: usize,
    n: usize,
    #[shape(images, channels, 2 * n + 1, n + 2)] input: &Array4<f32>,
    #[shape(channels, 3, 3)] weights: &Array3<f32>,
    #[shape(images, channels, n, n)] output: &mut Array4<f32>,
) {
    for image in 0..images {
        for channel in 0..channels {
            for row in 0..n {
                for column in 0..n {
                    for u in 0..3 {
                        for v in 0..3 {
                            if u + v <= 3 {
                                output[[image, channel, row, column]] += input
                                    [[image, channel, 2 * row + u, column + v]]
                                    * weights[[channel, u, v]];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Bounds depend on other loops of the grid, and steps are not one.
#[nest]
fn triangles(n: usize, m: usize, k: usize, #[shape(k)] w: &[f32], #[shape(n, n, m, k)] x: &mut Array4<f32>) {
    for a in 0..n {
        for b in 0..=a {
            for c in (0..m).step_by(2) {
                for d in c..k {
                    x[[a, b, c, d]] += w[d];
                }
            }
        }
    }
}

#[nest]
fn six(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, m, k)] x: &Array3<f32>,
    #[shape(n, m, k, n * 2, m, 3)] y: &mut nitro_nest::Array<f32, 6>,
) {
    for a in 0..n {
        for b in 0..m {
            for c in 0..k {
                for d in 0..n * 2 {
                    for e in 0..m {
                        for f in 0..3 {
                            y[[a, b, c, d, e, f]] = x[[a, b, c]] + x[[a, e, c]];
                        }
                    }
                }
            }
        }
    }
}

fn nests() -> [Nest; 6] {
    [
        convolution::nest(),
        channels_last::nest(),
        contraction::nest(),
        windows::nest(),
        triangles::nest(),
        six::nest(),
    ]
}

fn tiling(random: &mut Random) -> Tiling {
    let mut below = |end: u64| random.below(end) as u32;
    Tiling {
        block: [1 + below(4), 1 + below(2), 1 + below(2)],
        thread_tile: [1 + below(4), 1 + below(3), 1 + below(2)],
        vector_width: below(5),
        tile_k: [0, 1, 4, 6, 9, 13][below(6) as usize],
        stages: below(4),
        transposes: below(2) == 0,
        unroll: below(3),
        promotes: below(3) > 0,
        ..Tiling::default()
    }
}

fn shared(program: &Program) -> Vec<&[i64]> {
    let locals = program.kernels.iter().flat_map(|kernel| &kernel.locals);
    locals.filter(|local| local.space == Space::Shared).map(|local| &local.shape[..]).collect()
}

#[test]
fn drawn_tilings_give_what_nests_with_many_loops_give() {
    let mut staged = 0;
    for (seed, nest) in (0..).zip(nests()) {
        let dependences = nest.dependences().unwrap();
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let schedule = Schedule { fuses: true, coalesces: random.below(3) > 0, ..Schedule::default() };
            let usual = [(); 3].map(|()| tiling(&mut random));
            let mapping = Mapping::naive().with_schedule(schedule).with_usual_tilings(usual);
            let program = nest.map(&dependences, &mapping);
            assert!(program.kernels.iter().all(|kernel| kernel.grid.len() > 3), "{program}");
            let sizes = [(); 3].map(|()| random.below(5) as i64);
            assert_agrees(&nest, &program, &data(&nest, &sizes, 6, seed), seed);
            staged += shared(&program).len();
        }
    }
    assert!(staged > 50, "{staged}");
}

#[test]
fn loops_that_share_operands_are_tiled_together() {
    let sane = |nest: Nest| nest.map(&nest.dependences().unwrap(), &Mapping::sane());
    let over = |program: &Program| {
        program.to_string().split("over ").nth(1).unwrap().split(" in").next().unwrap().to_owned()
    };
    // x, y and z come first: columns and rows of an image with the filters between.
    let program = sane(convolution::nest());
    assert_eq!(over(&program), "0..n × 0..n × 0..n × 0..images");
    assert!(program.to_string().contains("let filter_0 = 128 * blockIdx.y;"), "{program}");
    // Two channels of a window of 3 × 2 are as near as the tiling says to 16 iterations, in two stages.
    let [input, weights] = shared(&program)[..] else { panic!("{program}") };
    assert_eq!((input, weights), (&[2, 1, 2, 6, 33][..], &[2, 2, 3, 2, 132][..]), "{program}");
    // Where filters are neighbours, rows and columns go together.
    let program = sane(channels_last::nest());
    assert!(program.to_string().contains("let filter_0 = 128 * blockIdx.x;"), "{program}");
    assert_eq!(program.kernels[0].points, [8, 4, 2], "{program}");
    let program = sane(contraction::nest());
    assert_eq!((program.kernels[0].points, shared(&program).len()), ([4, 8, 2], 2), "{program}");
}

/// Two loops that no operand shares stay in their order.
#[test]
fn a_batch_of_products_has_tiles_of_each_alone() {
    #[nest]
    fn scores(
        b: usize,
        n: usize,
        d: usize,
        #[shape(b, n, d)] q: &Array3<f32>,
        #[shape(b, n, d)] k: &Array3<f32>,
        #[shape(b, n, n)] s: &mut Array3<f32>,
    ) {
        for t in 0..b {
            for i in 0..n {
                for j in 0..n {
                    for l in 0..d {
                        s[[t, i, j]] += q[[t, i, l]] * k[[t, j, l]];
                    }
                }
            }
        }
    }
    let nest = scores::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::sane());
    assert_eq!((program.kernels[0].block, program.kernels[0].points), ([16, 16, 1], [8, 8, 1]), "{program}");
}

#[test]
fn blocks_of_many_dimensions_are_numbered_along_x() {
    let nest = convolution::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::sane());
    let mut grids = Vec::new();
    // More images than blocks along z may be.
    program
        .launches(&[100_000, 8, 56], |launch| {
            grids.push(launch.grid);
            Ok::<(), ()>(())
        })
        .unwrap();
    assert_eq!(grids, [[2 * 14 * 100_000, 1, 1]]);
    let text = program.cuda(Integers::Bits32);
    let number =
        "block_u = (int)blockIdx.x / ((n + 31) / 32) / ((n + 127) / 128) / ((n + 3) / 4) % (images);";
    assert!(text.contains(number), "{text}");
}

/// A product of matrices is found also where its loops are in another order.
#[test]
fn y_is_the_loop_that_shares_operands_with_x() {
    #[nest]
    fn mixed(
        n: usize,
        m: usize,
        k: usize,
        #[shape(n, k)] w: &Array2<f32>,
        #[shape(m, k, m)] x: &Array3<f32>,
        #[shape(m, n, m)] y: &mut Array3<f32>,
    ) {
        for filter in 0..n {
            for image in 0..m {
                for pixel in 0..m {
                    for l in 0..k {
                        y[[image, filter, pixel]] += w[[filter, l]] * x[[image, l, pixel]];
                    }
                }
            }
        }
    }
    let nest = mixed::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::sane());
    let text = program.to_string();
    assert!(
        text.contains("filter_0 = 128 * blockIdx.y") && text.contains("pixel_0 = 32 * blockIdx.x"),
        "{text}"
    );
}

/// What threads would read across rows comes by shared memory, also where it is read in windows or under conditions.
#[test]
fn what_is_read_across_rows_comes_by_shared_memory() {
    #[nest]
    fn transposed(
        n: usize,
        m: usize,
        k: usize,
        alpha: f32,
        #[shape(m + 1, k, n + 2)] a: &Array3<f32>,
        #[shape(n)] x: &[f32],
        #[shape(k, n, m)] b: &mut Array3<f32>,
    ) {
        for t in 0..k {
            for i in 0..n {
                for j in 0..m {
                    b[[t, i, j]] = 2.0 * a[[j + 1, t, i]] - alpha * x[i];
                    for u in 0..2 {
                        if i > 2 {
                            b[[t, i, j]] += a[[j, t, i + u]];
                        }
                    }
                }
            }
        }
    }
    let nest = transposed::nest();
    let dependences = nest.dependences().unwrap();
    let program = nest.map(&dependences, &Mapping::sane());
    let [one] = shared(&program)[..] else { panic!("{program}") };
    assert_eq!(one.len(), 3);
    let (mut random, mut staged) = (Random::new(7), 0);
    for seed in 0..30 {
        let usual = [(); 3].map(|()| tiling(&mut random));
        let schedule = Schedule { fuses: true, coalesces: true, ..Schedule::default() };
        let program =
            nest.map(&dependences, &Mapping::naive().with_schedule(schedule).with_usual_tilings(usual));
        let sizes = [(); 3].map(|()| random.below(7) as i64);
        assert_agrees(&nest, &program, &data(&nest, &sizes, 6, seed), seed);
        staged += shared(&program).len();
    }
    assert!(staged > 10, "{staged}");
}

/// Each element four times, by loops that no size makes longer.
#[nest]
fn doubled(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(2 * n, 2 * m)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..m {
            for u in 0..2 {
                for v in 0..2 {
                    y[[2 * i + u, 2 * j + v]] = x[[i, j]];
                }
            }
        }
    }
}

#[test]
fn short_loops_are_in_a_thread_where_nothing_else_is() {
    let nest = doubled::nest();
    let dependences = nest.dependences().unwrap();
    for mapping in [Mapping::naive(), Mapping::sane()] {
        let program = nest.map(&dependences, &mapping);
        assert_eq!(program.kernels[0].grid.len(), 2, "{program}");
        assert_agrees(&nest, &program, &data(&nest, &[5, 40], 0, 1), 2);
    }
}
