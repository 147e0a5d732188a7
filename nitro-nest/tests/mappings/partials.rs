//! Reductions in two stages, by partial results.

use nitro_nest::{Array2, Array3, Form, Mapping, MappingSpace, Nest, Program, nest};
use nitro_search::Generator;
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};

#[nest(reassoc)]
fn statistics(
    n: usize,
    c: usize,
    h: usize,
    #[shape(n, c, h)] x: &Array3<f32>,
    #[shape(c)] mean: &mut [f32],
    #[shape(c)] variance: &mut [f32],
) {
    for channel in 0..c {
        mean[channel] = 0.0;
        for image in 0..n {
            for p in 0..h {
                mean[channel] += x[[image, channel, p]];
            }
        }
        mean[channel] /= n as f32 * h as f32;
        variance[channel] = 0.0;
        for image in 0..n {
            for p in 0..h {
                variance[channel] += (x[[image, channel, p]] - mean[channel]).powi(2) / (n as f32 * h as f32);
            }
        }
    }
}

/// What is subtracted need not be a mean, and may be subtracted from.
#[nest(reassoc)]
fn from_the_first(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(1)] first: &mut [f32],
    #[shape(1)] sum: &mut [f32],
) {
    first[0] = x[[0, 0]] * 2.0;
    sum[0] = 1.0;
    for i in 0..n {
        for j in 0..m {
            sum[0] += 0.5 * ((first[0] - x[[i, j]]) * (first[0] - x[[i, j]]));
        }
    }
}

#[nest]
fn extremes(
    n: usize,
    m: usize,
    k: usize,
    #[shape(k, n, m)] x: &Array3<f32>,
    #[shape(k)] least: &mut [f32],
    #[shape(k)] most: &mut [f32],
) {
    for l in 0..k {
        most[l] = -100.0;
        for i in 0..n {
            for j in 0..m {
                most[l] = most[l].max(x[[l, i, j]].abs());
            }
        }
        for i in 0..n {
            for j in 0..m {
                least[l] = least[l].min(x[[l, i, j]]);
            }
        }
    }
}

/// Of what the nest writes itself, nothing is known before it begins.
#[nest(reassoc)]
fn of_its_own(n: usize, m: usize, #[shape(n, m)] x: &mut Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            x[[i, j]] *= 2.0;
        }
    }
    for i in 0..n {
        for j in 0..m {
            sum[0] += x[[i, j]];
        }
    }
}

/// Each element is read again and again: tiles are for that.
#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    #[shape(n, m, m)] x: &Array3<f32>,
    #[shape(n, m, m)] y: &Array3<f32>,
    #[shape(n, n)] z: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..m {
                for l in 0..m {
                    z[[i, j]] += x[[i, k, l]] * y[[j, k, l]];
                }
            }
        }
    }
}

fn parted(nest: &Nest) -> Program {
    let form = Form { parts_reductions: true, ..Mapping::sane().form() };
    nest.lower_with(&Mapping::sane().with_form(form), &mut |_, _| {}).unwrap()
}

#[test]
fn statistics_read_their_operand_once_in_many_rows() {
    let program = parted(&statistics::nest());
    assert_eq!(program.kernels.len(), 2, "{program}");
    let text = program.to_string();
    let mut reads = text.match_indices("= x[").map(|(at, _)| at);
    assert!(reads.next() > text.find("register x_kept"), "{program}");
    assert!(reads.all(|at| Some(at) < text.find("kernel statistics_1")), "{program}");
}

#[test]
fn extremes_of_two_stages_give_what_the_nest_gives() {
    let nest = extremes::nest();
    let program = parted(&nest);
    assert!(program.to_string().contains("most_part"), "{program}");
    for (seed, sizes) in [[0, 3, 2], [3, 0, 2], [1, 1, 1], [3, 40, 2], [4, 5, 0]].into_iter().enumerate() {
        assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), seed as u64);
    }
}

#[test]
fn two_stages_stay_within_the_bounds_of_rounding() {
    for (nest, all) in [
        (statistics::nest(), [vec![3, 2, 50], vec![1, 1, 1], vec![4, 3, 7]]),
        (from_the_first::nest(), [vec![3, 50], vec![1, 1], vec![40, 2]]),
    ] {
        let program = parted(&nest);
        assert!(program.to_string().contains("_part"), "{program}");
        for (seed, sizes) in all.iter().enumerate() {
            let input = data(&nest, sizes, 7, seed as u64);
            let (mut expected, mut result) = (input.clone(), input);
            let bounds = nest.run_with_bounds(&mut expected).unwrap();
            let mut random = Random::new(seed as u64);
            program.run(&mut result, |threads| random.below(threads as u64) as usize).unwrap();
            let of_all = result.arrays.iter().flatten().zip(expected.arrays.iter().flatten());
            for ((one, other), bound) in of_all.zip(bounds.iter().flatten()) {
                assert!(f64::from((one - other).abs()) <= *bound, "{one}, {other}, {bound}\n{program}");
            }
        }
    }
}

#[test]
fn what_is_written_before_or_reused_is_not_parted() {
    for nest in [of_its_own::nest(), product::nest()] {
        let program = parted(&nest);
        assert!(!program.to_string().contains("_part["), "{program}");
    }
}

/// One extreme of all.
#[nest]
fn of_all(n: usize, #[shape(n)] x: &[f32], #[shape(1)] least: &mut [f32], #[shape(1)] most: &mut [f32]) {
    least[0] = 3.0;
    for i in 0..n {
        least[0] = least[0].min(x[i]);
    }
    for i in 0..n {
        most[0] = most[0].max(x[i].abs());
    }
}

#[test]
fn an_extreme_of_one_long_array_is_found_by_many_blocks() {
    let nest = of_all::nest();
    let program = parted(&nest);
    let text = program.to_string();
    assert!(
        text.contains("least_part[chunk_part] = ") && text.contains("most_part[chunk_part] = "),
        "{text}"
    );
    for (seed, n) in (0..).zip([0, 1, 4095, 4096, 4097, 12_000]) {
        assert_agrees(&nest, &program, &data(&nest, &[n], 4, seed), seed);
    }
    let space = MappingSpace::new(&nest).unwrap().with_sizes(|_| Some(vec![1 << 26]));
    let guesses = space.guesses("any", &|feature| (feature == "sm_count").then_some(132.0));
    assert!(guesses[0].contains("most_part"), "a search begins with it: {}", guesses[0]);
}
