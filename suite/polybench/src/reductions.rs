//! More nests that were written after the rules of the generator: reductions of other shapes, and a scan.

use nitro_nest::{Array2, Array3, Array4, nest};

/// The sums of each row up to each of its elements
#[nest(reassoc)]
pub fn cumulative_sums(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..m {
            sum[i] += x[[i, j]];
            y[[i, j]] = sum[i];
        }
    }
}

/// Groups of channels, each less its mean and divided by its deviation, then scaled and shifted by channel
#[nest(reassoc)]
pub fn group_norm(
    n: usize,
    g: usize,
    c: usize,
    h: usize,
    epsilon: f32,
    #[shape(n, g, c, h)] x: &Array4<f32>,
    #[shape(g, c)] gamma: &Array2<f32>,
    #[shape(g, c)] beta: &Array2<f32>,
    #[shape(n, g)] mean: &mut Array2<f32>,
    #[shape(n, g)] variance: &mut Array2<f32>,
    #[shape(n, g, c, h)] y: &mut Array4<f32>,
) {
    for image in 0..n {
        for group in 0..g {
            mean[[image, group]] = 0.0;
            for l in 0..c {
                for p in 0..h {
                    mean[[image, group]] += x[[image, group, l, p]];
                }
            }
            mean[[image, group]] /= c as f32 * h as f32;
            variance[[image, group]] = 0.0;
            for l in 0..c {
                for p in 0..h {
                    variance[[image, group]] += (x[[image, group, l, p]] - mean[[image, group]])
                        * (x[[image, group, l, p]] - mean[[image, group]]);
                }
            }
            variance[[image, group]] /= c as f32 * h as f32;
            for l in 0..c {
                for p in 0..h {
                    y[[image, group, l, p]] = (x[[image, group, l, p]] - mean[[image, group]])
                        / (variance[[image, group]] + epsilon).sqrt()
                        * gamma[[group, l]]
                        + beta[[group, l]];
                }
            }
        }
    }
}

/// The largest magnitude of all
#[nest(reassoc)]
pub fn largest_magnitude(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(1)] most: &mut [f32]) {
    most[0] = 0.0;
    for i in 0..n {
        for j in 0..m {
            most[0] = most[0].max(x[[i, j]].abs());
        }
    }
}

/// The logarithms of the sums of exponentials along the axis in the middle
#[nest(reassoc)]
pub fn log_sum_exp(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, m, k)] x: &Array3<f32>,
    #[shape(n, k)] most: &mut Array2<f32>,
    #[shape(n, k)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for l in 0..k {
            most[[i, l]] = f32::NEG_INFINITY;
            for j in 0..m {
                most[[i, l]] = most[[i, l]].max(x[[i, j, l]]);
            }
            y[[i, l]] = 0.0;
            for j in 0..m {
                y[[i, l]] += (x[[i, j, l]] - most[[i, l]]).exp();
            }
            y[[i, l]] = y[[i, l]].ln() + most[[i, l]];
        }
    }
}
