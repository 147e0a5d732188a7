//! Nests of kinds that are elsewhere here, written in another manner: borders left out by conditions, steps of rows as
//! loops of their own, colours as the last dimension.

use nitro_nest::{Array2, Array4, nest};

/// Convolution of images with channels before rows, where neighbours that there are not count as zero
#[nest(reassoc)]
pub fn padded_convolution(
    n: usize,
    c: usize,
    k: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h, w)] input: &Array4<f32>,
    #[shape(k, c, 3, 3)] weights: &Array4<f32>,
    #[shape(n, k, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for to in 0..k {
            for y in 0..h {
                for x in 0..w {
                    output[[image, to, y, x]] = 0.0;
                    for from in 0..c {
                        for u in 0..3 {
                            for v in 0..3 {
                                if y + u >= 1 && y + u < h + 1 && x + v >= 1 && x + v < w + 1 {
                                    output[[image, to, y, x]] += input[[image, from, y + u - 1, x + v - 1]]
                                        * weights[[to, from, u, v]];
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Layer normalisation, each of its steps for all rows before the next one
#[nest(reassoc)]
pub fn layer_norm_in_loops(
    n: usize,
    m: usize,
    epsilon: f32,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m)] gamma: &[f32],
    #[shape(m)] beta: &[f32],
    #[shape(n)] mean: &mut [f32],
    #[shape(n)] variance: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        mean[i] = 0.0;
        variance[i] = 0.0;
    }
    for i in 0..n {
        for j in 0..m {
            mean[i] += x[[i, j]] / m as f32;
        }
    }
    for i in 0..n {
        for j in 0..m {
            variance[i] += (x[[i, j]] - mean[i]) * (x[[i, j]] - mean[i]) / m as f32;
        }
    }
    for i in 0..n {
        for j in 0..m {
            y[[i, j]] = (x[[i, j]] - mean[i]) / (variance[i] + epsilon).sqrt() * gamma[j] + beta[j];
        }
    }
}

/// Pictures whose colours are blurred, each by itself
#[nest(reassoc)]
pub fn blurred_colours(
    n: usize,
    h: usize,
    w: usize,
    #[shape(n, h + 4, w + 4, 3)] input: &Array4<f32>,
    #[shape(5, 5)] weights: &Array2<f32>,
    #[shape(n, h, w, 3)] output: &mut Array4<f32>,
) {
    for picture in 0..n {
        for y in 0..h {
            for x in 0..w {
                for colour in 0..3 {
                    output[[picture, y, x, colour]] = 0.0;
                    for u in 0..5 {
                        for v in 0..5 {
                            output[[picture, y, x, colour]] +=
                                input[[picture, y + u, x + v, colour]] * weights[[u, v]];
                        }
                    }
                }
            }
        }
    }
}
