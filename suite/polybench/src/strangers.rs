//! Nests that were written after the rules of the generator. Kinds of defects that they showed were mended in general:
//! of these kinds they are no blind test.

use nitro_nest::{Array2, Array3, Array4, Array5, nest};

/// Convolution that keeps every second row and column
#[nest(reassoc)]
pub fn strided_convolution(
    n: usize,
    c: usize,
    k: usize,
    h: usize,
    w: usize,
    #[shape(n, c, 2 * h + 1, 2 * w + 1)] input: &Array4<f32>,
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
                                output[[image, to, y, x]] +=
                                    input[[image, from, 2 * y + u, 2 * x + v]] * weights[[to, from, u, v]];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Convolution of groups of channels, each by itself
#[nest(reassoc)]
pub fn grouped_convolution(
    n: usize,
    g: usize,
    c: usize,
    k: usize,
    h: usize,
    w: usize,
    #[shape(n, g, c, h + 2, w + 2)] input: &Array5<f32>,
    #[shape(g, k, c, 3, 3)] weights: &Array5<f32>,
    #[shape(n, g, k, h, w)] output: &mut Array5<f32>,
) {
    for image in 0..n {
        for group in 0..g {
            for to in 0..k {
                for y in 0..h {
                    for x in 0..w {
                        output[[image, group, to, y, x]] = 0.0;
                        for from in 0..c {
                            for u in 0..3 {
                                for v in 0..3 {
                                    output[[image, group, to, y, x]] += input
                                        [[image, group, from, y + u, x + v]]
                                        * weights[[group, to, from, u, v]];
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Convolution of signals with five weights for each pair of channels
#[nest(reassoc)]
pub fn convolution_1d(
    n: usize,
    c: usize,
    k: usize,
    w: usize,
    #[shape(n, c, w + 4)] input: &Array3<f32>,
    #[shape(k, c, 5)] weights: &Array3<f32>,
    #[shape(n, k, w)] output: &mut Array3<f32>,
) {
    for signal in 0..n {
        for to in 0..k {
            for x in 0..w {
                output[[signal, to, x]] = 0.0;
                for from in 0..c {
                    for v in 0..5 {
                        output[[signal, to, x]] += input[[signal, from, x + v]] * weights[[to, from, v]];
                    }
                }
            }
        }
    }
}

/// Convolution of each channel by itself, with channels last
#[nest(reassoc)]
pub fn depthwise_nhwc(
    n: usize,
    h: usize,
    w: usize,
    c: usize,
    #[shape(n, h + 2, w + 2, c)] input: &Array4<f32>,
    #[shape(3, 3, c)] weights: &Array3<f32>,
    #[shape(n, h, w, c)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for y in 0..h {
            for x in 0..w {
                for channel in 0..c {
                    output[[image, y, x, channel]] = 0.0;
                    for u in 0..3 {
                        for v in 0..3 {
                            output[[image, y, x, channel]] +=
                                input[[image, y + u, x + v, channel]] * weights[[u, v, channel]];
                        }
                    }
                }
            }
        }
    }
}

/// Each row divided by the root of the mean of its squares, then scaled
#[nest(reassoc)]
pub fn rms_norm(
    n: usize,
    m: usize,
    epsilon: f32,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m)] gamma: &[f32],
    #[shape(n)] square: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        square[i] = 0.0;
        for j in 0..m {
            square[i] += x[[i, j]] * x[[i, j]];
        }
        for j in 0..m {
            y[[i, j]] = x[[i, j]] / (square[i] / m as f32 + epsilon).sqrt() * gamma[j];
        }
    }
}

/// Each column as shares of 1
#[nest(reassoc)]
pub fn column_softmax(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m)] most: &mut [f32],
    #[shape(m)] total: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for j in 0..m {
        most[j] = x[[0, j]];
        for i in 0..n {
            most[j] = most[j].max(x[[i, j]]);
        }
        total[j] = 0.0;
        for i in 0..n {
            total[j] += (x[[i, j]] - most[j]).exp();
        }
        for i in 0..n {
            y[[i, j]] = (x[[i, j]] - most[j]).exp() / total[j];
        }
    }
}

/// The mean and the variance of each channel
#[nest(reassoc)]
pub fn batch_statistics(
    n: usize,
    c: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h, w)] x: &Array4<f32>,
    #[shape(c)] mean: &mut [f32],
    #[shape(c)] variance: &mut [f32],
) {
    for channel in 0..c {
        mean[channel] = 0.0;
        for image in 0..n {
            for i in 0..h {
                for j in 0..w {
                    mean[channel] += x[[image, channel, i, j]];
                }
            }
        }
        mean[channel] /= n as f32 * h as f32 * w as f32;
        variance[channel] = 0.0;
        for image in 0..n {
            for i in 0..h {
                for j in 0..w {
                    variance[channel] += (x[[image, channel, i, j]] - mean[channel]).powi(2);
                }
            }
        }
        variance[channel] /= n as f32 * h as f32 * w as f32;
    }
}

/// A form of each pair of rows: xᵀ·a·y
#[nest(reassoc)]
pub fn bilinear(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m, k)] a: &Array2<f32>,
    #[shape(n, k)] y: &Array2<f32>,
    #[shape(n)] form: &mut [f32],
) {
    for i in 0..n {
        form[i] = 0.0;
        for j in 0..m {
            for l in 0..k {
                form[i] += x[[i, j]] * a[[j, l]] * y[[i, l]];
            }
        }
    }
}

/// A tensor times the products of the rows of two matrices, as in CP decompositions
#[nest(reassoc)]
pub fn mttkrp(
    ni: usize,
    nj: usize,
    nk: usize,
    r: usize,
    #[shape(ni, nj, nk)] t: &Array3<f32>,
    #[shape(nj, r)] b: &Array2<f32>,
    #[shape(nk, r)] c: &Array2<f32>,
    #[shape(ni, r)] m: &mut Array2<f32>,
) {
    for i in 0..ni {
        for l in 0..r {
            m[[i, l]] = 0.0;
            for j in 0..nj {
                for k in 0..nk {
                    m[[i, l]] += t[[i, j, k]] * b[[j, l]] * c[[k, l]];
                }
            }
        }
    }
}

/// The sums of the differences of points
#[nest(reassoc)]
pub fn manhattan(
    n: usize,
    m: usize,
    d: usize,
    #[shape(n, d)] x: &Array2<f32>,
    #[shape(m, d)] y: &Array2<f32>,
    #[shape(n, m)] distances: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            distances[[i, j]] = 0.0;
            for k in 0..d {
                distances[[i, j]] += (x[[i, k]] - y[[j, k]]).abs();
            }
        }
    }
}

/// Products of the columns of pairs of matrices: aᵀ·b
#[nest(reassoc)]
pub fn column_products(
    batch: usize,
    n: usize,
    m: usize,
    k: usize,
    #[shape(batch, k, n)] a: &Array3<f32>,
    #[shape(batch, k, m)] b: &Array3<f32>,
    #[shape(batch, n, m)] c: &mut Array3<f32>,
) {
    for item in 0..batch {
        for i in 0..n {
            for j in 0..m {
                c[[item, i, j]] = 0.0;
                for l in 0..k {
                    c[[item, i, j]] += a[[item, l, i]] * b[[item, l, j]];
                }
            }
        }
    }
}

/// The means over 3 × 3 points, at every second row and column
#[nest(reassoc)]
pub fn overlapping_pool(
    n: usize,
    c: usize,
    h: usize,
    w: usize,
    #[shape(n, c, 2 * h + 1, 2 * w + 1)] input: &Array4<f32>,
    #[shape(n, c, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for channel in 0..c {
            for y in 0..h {
                for x in 0..w {
                    output[[image, channel, y, x]] = 0.0;
                    for u in 0..3 {
                        for v in 0..3 {
                            output[[image, channel, y, x]] += input[[image, channel, 2 * y + u, 2 * x + v]];
                        }
                    }
                    output[[image, channel, y, x]] /= 9.0;
                }
            }
        }
    }
}

/// A layer of a network, with its bias and what bends it
#[nest(reassoc)]
pub fn linear_tanh(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, k)] x: &Array2<f32>,
    #[shape(m, k)] weights: &Array2<f32>,
    #[shape(m)] bias: &[f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            y[[i, j]] = bias[j];
            for l in 0..k {
                y[[i, j]] += x[[i, l]] * weights[[j, l]] / 1024.0;
            }
            y[[i, j]] = y[[i, j]].tanh();
        }
    }
}

/// The sum of all
#[nest(reassoc)]
pub fn total(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    sum[0] = 0.0;
    for i in 0..n {
        for j in 0..m {
            sum[0] += x[[i, j]];
        }
    }
}

/// The logarithms of softmax
#[nest(reassoc)]
pub fn log_softmax(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] most: &mut [f32],
    #[shape(n)] total: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        most[i] = f32::NEG_INFINITY;
        for j in 0..m {
            most[i] = most[i].max(x[[i, j]]);
        }
        total[i] = 0.0;
        for j in 0..m {
            total[i] += (x[[i, j]] - most[i]).exp();
        }
        for j in 0..m {
            y[[i, j]] = x[[i, j]] - most[i] - total[i].ln();
        }
    }
}

/// Two products of matrices, one after the other
#[nest(reassoc)]
pub fn two_layers(
    n: usize,
    m: usize,
    k: usize,
    p: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m, k)] a: &Array2<f32>,
    #[shape(k, p)] b: &Array2<f32>,
    #[shape(n, k)] hidden: &mut Array2<f32>,
    #[shape(n, p)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for l in 0..k {
            hidden[[i, l]] = 0.0;
            for j in 0..m {
                hidden[[i, l]] += x[[i, j]] * a[[j, l]];
            }
            hidden[[i, l]] = hidden[[i, l]].max(0.0);
        }
        for o in 0..p {
            y[[i, o]] = 0.0;
            for l in 0..k {
                y[[i, o]] += hidden[[i, l]] * b[[l, o]];
            }
        }
    }
}
