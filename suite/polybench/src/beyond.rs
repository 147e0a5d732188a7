//! Nests beside the suite, as a scientist or the author of a network writes them. `scripts/compare_torch.py` times what
//! was found for them beside PyTorch.

use nitro_nest::{Array2, Array3, Array4, nest};

/// Convolution of images with channels before rows, where all neighbours exist
#[nest(reassoc)]
pub fn convolution_nchw(
    n: usize,
    c: usize,
    k: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h + 2, w + 2)] input: &Array4<f32>,
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
                                    input[[image, from, y + u, x + v]] * weights[[to, from, u, v]];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Convolution of images with channels last, where all neighbours exist
#[nest(reassoc)]
pub fn convolution_nhwc(
    n: usize,
    h: usize,
    w: usize,
    c: usize,
    k: usize,
    #[shape(n, h + 2, w + 2, c)] input: &Array4<f32>,
    #[shape(3, 3, c, k)] weights: &Array4<f32>,
    #[shape(n, h, w, k)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for y in 0..h {
            for x in 0..w {
                for to in 0..k {
                    output[[image, y, x, to]] = 0.0;
                    for u in 0..3 {
                        for v in 0..3 {
                            for from in 0..c {
                                output[[image, y, x, to]] +=
                                    input[[image, y + u, x + v, from]] * weights[[u, v, from, to]];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Convolution with one weight for each pair of channels
#[nest(reassoc)]
pub fn convolution_1x1(
    n: usize,
    c: usize,
    k: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h, w)] input: &Array4<f32>,
    #[shape(k, c)] weights: &Array2<f32>,
    #[shape(n, k, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for to in 0..k {
            for y in 0..h {
                for x in 0..w {
                    output[[image, to, y, x]] = 0.0;
                    for from in 0..c {
                        output[[image, to, y, x]] += input[[image, from, y, x]] * weights[[to, from]];
                    }
                }
            }
        }
    }
}

/// Convolution of each channel by itself
#[nest(reassoc)]
pub fn depthwise_5x5(
    n: usize,
    c: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h + 4, w + 4)] input: &Array4<f32>,
    #[shape(c, 5, 5)] weights: &Array3<f32>,
    #[shape(n, c, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for channel in 0..c {
            for y in 0..h {
                for x in 0..w {
                    output[[image, channel, y, x]] = 0.0;
                    for u in 0..5 {
                        for v in 0..5 {
                            output[[image, channel, y, x]] +=
                                input[[image, channel, y + u, x + v]] * weights[[channel, u, v]];
                        }
                    }
                }
            }
        }
    }
}

/// Scores of attention: queries times keys, transposed
#[nest(reassoc)]
pub fn attention_scores(
    batch: usize,
    n: usize,
    m: usize,
    d: usize,
    #[shape(batch, n, d)] queries: &Array3<f32>,
    #[shape(batch, m, d)] keys: &Array3<f32>,
    #[shape(batch, n, m)] scores: &mut Array3<f32>,
) {
    for item in 0..batch {
        for i in 0..n {
            for j in 0..m {
                scores[[item, i, j]] = 0.0;
                for l in 0..d {
                    scores[[item, i, j]] += queries[[item, i, l]] * keys[[item, j, l]];
                }
            }
        }
    }
}

/// A contraction of two tensors over two of their modes
#[nest(reassoc)]
pub fn contraction(
    na: usize,
    nb: usize,
    ni: usize,
    nj: usize,
    ne: usize,
    nf: usize,
    #[shape(na, ne, ni, nf)] x: &Array4<f32>,
    #[shape(ne, nb, nf, nj)] y: &Array4<f32>,
    #[shape(na, nb, ni, nj)] c: &mut Array4<f32>,
) {
    for a in 0..na {
        for b in 0..nb {
            for i in 0..ni {
                for j in 0..nj {
                    c[[a, b, i, j]] = 0.0;
                    for e in 0..ne {
                        for f in 0..nf {
                            c[[a, b, i, j]] += x[[a, e, i, f]] * y[[e, b, f, j]];
                        }
                    }
                }
            }
        }
    }
}

/// A tensor times a matrix in two of its modes, as in Tucker's decomposition
#[nest(reassoc)]
pub fn tucker(
    ni: usize,
    nj: usize,
    nk: usize,
    na: usize,
    nb: usize,
    #[shape(ni, nj, nk)] t: &Array3<f32>,
    #[shape(na, ni)] u: &Array2<f32>,
    #[shape(nb, nj)] v: &Array2<f32>,
    #[shape(na, nj, nk)] half: &mut Array3<f32>,
    #[shape(na, nb, nk)] core: &mut Array3<f32>,
) {
    for a in 0..na {
        for j in 0..nj {
            for k in 0..nk {
                half[[a, j, k]] = 0.0;
                for i in 0..ni {
                    half[[a, j, k]] += t[[i, j, k]] * u[[a, i]];
                }
            }
        }
    }
    for a in 0..na {
        for b in 0..nb {
            for k in 0..nk {
                core[[a, b, k]] = 0.0;
                for j in 0..nj {
                    core[[a, b, k]] += half[[a, j, k]] * v[[b, j]];
                }
            }
        }
    }
}

/// Each row as shares of 1
#[nest(reassoc)]
pub fn softmax(
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
            y[[i, j]] = (x[[i, j]] - most[i]).exp();
            total[i] += y[[i, j]];
        }
        for j in 0..m {
            y[[i, j]] /= total[i];
        }
    }
}

/// Each row with the mean 0 and the variance 1, then scaled and shifted
#[nest(reassoc)]
pub fn layer_norm(
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
        for j in 0..m {
            mean[i] += x[[i, j]];
        }
        mean[i] /= m as f32;
        variance[i] = 0.0;
        for j in 0..m {
            variance[i] += (x[[i, j]] - mean[i]).powi(2);
        }
        variance[i] /= m as f32;
        for j in 0..m {
            y[[i, j]] = (x[[i, j]] - mean[i]) / (variance[i] + epsilon).sqrt() * gamma[j] + beta[j];
        }
    }
}

/// The squared distances of points
#[nest(reassoc)]
pub fn squared_distances(
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
                distances[[i, j]] += (x[[i, k]] - y[[j, k]]).powi(2);
            }
        }
    }
}

/// The largest of each four points
#[nest(reassoc)]
pub fn max_pool(
    n: usize,
    c: usize,
    h: usize,
    w: usize,
    #[shape(n, c, 2 * h, 2 * w)] input: &Array4<f32>,
    #[shape(n, c, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for channel in 0..c {
            for y in 0..h {
                for x in 0..w {
                    output[[image, channel, y, x]] = f32::NEG_INFINITY;
                    for u in 0..2 {
                        for v in 0..2 {
                            output[[image, channel, y, x]] = output[[image, channel, y, x]]
                                .max(input[[image, channel, 2 * y + u, 2 * x + v]]);
                        }
                    }
                }
            }
        }
    }
}

/// The means over 3 × 3 points, where all neighbours exist
#[nest(reassoc)]
pub fn average_pool(
    n: usize,
    c: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h + 2, w + 2)] input: &Array4<f32>,
    #[shape(n, c, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for channel in 0..c {
            for y in 0..h {
                for x in 0..w {
                    output[[image, channel, y, x]] = 0.0;
                    for u in 0..3 {
                        for v in 0..3 {
                            output[[image, channel, y, x]] += input[[image, channel, y + u, x + v]];
                        }
                    }
                    output[[image, channel, y, x]] /= 9.0;
                }
            }
        }
    }
}

/// b ← aᵀ + alpha·x·yᵀ
#[nest(reassoc)]
pub fn transposed_update(
    n: usize,
    m: usize,
    alpha: f32,
    #[shape(m, n)] a: &Array2<f32>,
    #[shape(n)] x: &[f32],
    #[shape(m)] y: &[f32],
    #[shape(n, m)] b: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            b[[i, j]] = a[[j, i]] + alpha * x[i] * y[j];
        }
    }
}

/// The sums of all rows and of all columns
#[nest(reassoc)]
pub fn row_and_column_sums(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(n)] rows: &mut [f32],
    #[shape(m)] columns: &mut [f32],
) {
    for i in 0..n {
        rows[i] = 0.0;
    }
    for j in 0..m {
        columns[j] = 0.0;
    }
    for i in 0..n {
        for j in 0..m {
            rows[i] += a[[i, j]];
            columns[j] += a[[i, j]];
        }
    }
}

/// A star of 5 points in the plane, from `a` to `b` and back
#[nest(reassoc)]
pub fn star_2d_r1(
    steps: usize,
    n: usize,
    #[shape(5)] c: &[f32],
    #[shape(n, n)] a: &mut Array2<f32>,
    #[shape(n, n)] b: &mut Array2<f32>,
) {
    for _t in 0..steps {
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                b[[i, j]] = c[0] * a[[i, j]]
                    + c[1] * a[[i - 1, j]]
                    + c[2] * a[[i + 1, j]]
                    + c[3] * a[[i, j - 1]]
                    + c[4] * a[[i, j + 1]];
            }
        }
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                a[[i, j]] = c[0] * b[[i, j]]
                    + c[1] * b[[i - 1, j]]
                    + c[2] * b[[i + 1, j]]
                    + c[3] * b[[i, j - 1]]
                    + c[4] * b[[i, j + 1]];
            }
        }
    }
}

/// A star of 9 points in the plane, from `a` to `b` and back
#[nest(reassoc)]
pub fn star_2d_r2(
    steps: usize,
    n: usize,
    #[shape(9)] c: &[f32],
    #[shape(n, n)] a: &mut Array2<f32>,
    #[shape(n, n)] b: &mut Array2<f32>,
) {
    for _t in 0..steps {
        for i in 2..n.saturating_sub(2) {
            for j in 2..n.saturating_sub(2) {
                b[[i, j]] = c[0] * a[[i, j]]
                    + c[1] * a[[i - 1, j]]
                    + c[2] * a[[i + 1, j]]
                    + c[3] * a[[i - 2, j]]
                    + c[4] * a[[i + 2, j]]
                    + c[5] * a[[i, j - 1]]
                    + c[6] * a[[i, j + 1]]
                    + c[7] * a[[i, j - 2]]
                    + c[8] * a[[i, j + 2]];
            }
        }
        for i in 2..n.saturating_sub(2) {
            for j in 2..n.saturating_sub(2) {
                a[[i, j]] = c[0] * b[[i, j]]
                    + c[1] * b[[i - 1, j]]
                    + c[2] * b[[i + 1, j]]
                    + c[3] * b[[i - 2, j]]
                    + c[4] * b[[i + 2, j]]
                    + c[5] * b[[i, j - 1]]
                    + c[6] * b[[i, j + 1]]
                    + c[7] * b[[i, j - 2]]
                    + c[8] * b[[i, j + 2]];
            }
        }
    }
}

/// A star of 7 points in space, from `a` to `b` and back
#[nest(reassoc)]
pub fn star_3d_r1(
    steps: usize,
    n: usize,
    #[shape(7)] c: &[f32],
    #[shape(n, n, n)] a: &mut Array3<f32>,
    #[shape(n, n, n)] b: &mut Array3<f32>,
) {
    for _t in 0..steps {
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                for k in 1..n.saturating_sub(1) {
                    b[[i, j, k]] = c[0] * a[[i, j, k]]
                        + c[1] * a[[i - 1, j, k]]
                        + c[2] * a[[i + 1, j, k]]
                        + c[3] * a[[i, j - 1, k]]
                        + c[4] * a[[i, j + 1, k]]
                        + c[5] * a[[i, j, k - 1]]
                        + c[6] * a[[i, j, k + 1]];
                }
            }
        }
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                for k in 1..n.saturating_sub(1) {
                    a[[i, j, k]] = c[0] * b[[i, j, k]]
                        + c[1] * b[[i - 1, j, k]]
                        + c[2] * b[[i + 1, j, k]]
                        + c[3] * b[[i, j - 1, k]]
                        + c[4] * b[[i, j + 1, k]]
                        + c[5] * b[[i, j, k - 1]]
                        + c[6] * b[[i, j, k + 1]];
                }
            }
        }
    }
}

/// A star of 25 points in space, from `a` to `b` and back
#[nest(reassoc)]
pub fn star_3d_r4(
    steps: usize,
    n: usize,
    #[shape(25)] c: &[f32],
    #[shape(n, n, n)] a: &mut Array3<f32>,
    #[shape(n, n, n)] b: &mut Array3<f32>,
) {
    for _t in 0..steps {
        for i in 4..n.saturating_sub(4) {
            for j in 4..n.saturating_sub(4) {
                for k in 4..n.saturating_sub(4) {
                    b[[i, j, k]] = c[0] * a[[i, j, k]]
                        + c[1] * a[[i - 1, j, k]]
                        + c[2] * a[[i + 1, j, k]]
                        + c[3] * a[[i - 2, j, k]]
                        + c[4] * a[[i + 2, j, k]]
                        + c[5] * a[[i - 3, j, k]]
                        + c[6] * a[[i + 3, j, k]]
                        + c[7] * a[[i - 4, j, k]]
                        + c[8] * a[[i + 4, j, k]]
                        + c[9] * a[[i, j - 1, k]]
                        + c[10] * a[[i, j + 1, k]]
                        + c[11] * a[[i, j - 2, k]]
                        + c[12] * a[[i, j + 2, k]]
                        + c[13] * a[[i, j - 3, k]]
                        + c[14] * a[[i, j + 3, k]]
                        + c[15] * a[[i, j - 4, k]]
                        + c[16] * a[[i, j + 4, k]]
                        + c[17] * a[[i, j, k - 1]]
                        + c[18] * a[[i, j, k + 1]]
                        + c[19] * a[[i, j, k - 2]]
                        + c[20] * a[[i, j, k + 2]]
                        + c[21] * a[[i, j, k - 3]]
                        + c[22] * a[[i, j, k + 3]]
                        + c[23] * a[[i, j, k - 4]]
                        + c[24] * a[[i, j, k + 4]];
                }
            }
        }
        for i in 4..n.saturating_sub(4) {
            for j in 4..n.saturating_sub(4) {
                for k in 4..n.saturating_sub(4) {
                    a[[i, j, k]] = c[0] * b[[i, j, k]]
                        + c[1] * b[[i - 1, j, k]]
                        + c[2] * b[[i + 1, j, k]]
                        + c[3] * b[[i - 2, j, k]]
                        + c[4] * b[[i + 2, j, k]]
                        + c[5] * b[[i - 3, j, k]]
                        + c[6] * b[[i + 3, j, k]]
                        + c[7] * b[[i - 4, j, k]]
                        + c[8] * b[[i + 4, j, k]]
                        + c[9] * b[[i, j - 1, k]]
                        + c[10] * b[[i, j + 1, k]]
                        + c[11] * b[[i, j - 2, k]]
                        + c[12] * b[[i, j + 2, k]]
                        + c[13] * b[[i, j - 3, k]]
                        + c[14] * b[[i, j + 3, k]]
                        + c[15] * b[[i, j - 4, k]]
                        + c[16] * b[[i, j + 4, k]]
                        + c[17] * b[[i, j, k - 1]]
                        + c[18] * b[[i, j, k + 1]]
                        + c[19] * b[[i, j, k - 2]]
                        + c[20] * b[[i, j, k + 2]]
                        + c[21] * b[[i, j, k - 3]]
                        + c[22] * b[[i, j, k + 3]]
                        + c[23] * b[[i, j, k - 4]]
                        + c[24] * b[[i, j, k + 4]];
                }
            }
        }
    }
}
