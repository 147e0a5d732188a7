//! Nests that are not among the 17.

use nitro_nest::{Array2, Array3, nest};

/// Three-dimensional convolution with 3 × 3 × 3 weights, where all neighbours exist
#[nest(reassoc)]
pub fn convolution_3d(
    nx: usize,
    ny: usize,
    nz: usize,
    #[shape(3, 3, 3)] weights: &Array3<f32>,
    #[shape(nx + 2, ny + 2, nz + 2)] input: &Array3<f32>,
    #[shape(nx, ny, nz)] output: &mut Array3<f32>,
) {
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                output[[x, y, z]] = 0.0;
                for u in 0..3 {
                    for v in 0..3 {
                        for w in 0..3 {
                            output[[x, y, z]] += weights[[u, v, w]] * input[[x + u, y + v, z + w]];
                        }
                    }
                }
            }
        }
    }
}

/// Many products of small matrices
#[nest(reassoc)]
pub fn batched_product(
    batch: usize,
    n: usize,
    m: usize,
    k: usize,
    #[shape(batch, n, k)] a: &Array3<f32>,
    #[shape(batch, k, m)] b: &Array3<f32>,
    #[shape(batch, n, m)] c: &mut Array3<f32>,
) {
    for item in 0..batch {
        for i in 0..n {
            for j in 0..m {
                c[[item, i, j]] = 0.0;
                for l in 0..k {
                    c[[item, i, j]] += a[[item, i, l]] * b[[item, l, j]];
                }
            }
        }
    }
}

/// A filter that keeps edges: the mean over 5 × 5 points, those of another brightness count less
#[nest(reassoc)]
pub fn bilateral(
    height: usize,
    width: usize,
    sharpness: f32,
    #[shape(5, 5)] spatial: &Array2<f32>,
    #[shape(height, width)] image: &Array2<f32>,
    #[shape(height, width)] weight: &mut Array2<f32>,
    #[shape(height, width)] result: &mut Array2<f32>,
) {
    for i in 0..height {
        for j in 0..width {
            weight[[i, j]] = 0.0;
            result[[i, j]] = 0.0;
            for u in 0..5 {
                for v in 0..5 {
                    if i + u >= 2 && i + u < height + 2 && j + v >= 2 && j + v < width + 2 {
                        let neighbour = image[[i + u - 2, j + v - 2]];
                        let difference = neighbour - image[[i, j]];
                        let share = spatial[[u, v]] / (1.0 + sharpness * difference * difference);
                        weight[[i, j]] += share;
                        result[[i, j]] += share * neighbour;
                    }
                }
            }
            result[[i, j]] /= weight[[i, j]];
        }
    }
}

/// The scores of the best alignments of two sequences (Needleman and Wunsch): no loop is parallel, the diagonals are
#[nest]
pub fn alignment(
    n: usize,
    m: usize,
    penalty: f32,
    #[shape(n, m)] similarity: &Array2<f32>,
    #[shape(n + 1, m + 1)] score: &mut Array2<f32>,
) {
    for i in 1..n + 1 {
        for j in 1..m + 1 {
            let gap = score[[i - 1, j]].max(score[[i, j - 1]]) - penalty;
            score[[i, j]] = (score[[i - 1, j - 1]] + similarity[[i - 1, j - 1]]).max(gap);
        }
    }
}

/// The stencil of Gauss and Seidel over nine points, in place: PolyBench's seidel-2d
#[nest]
pub fn seidel_2d(steps: usize, n: usize, #[shape(n + 2, n + 2)] a: &mut Array2<f32>) {
    for _t in 0..steps {
        for i in 1..n + 1 {
            for j in 1..n + 1 {
                a[[i, j]] = (a[[i - 1, j - 1]]
                    + a[[i - 1, j]]
                    + a[[i - 1, j + 1]]
                    + a[[i, j - 1]]
                    + a[[i, j]]
                    + a[[i, j + 1]]
                    + a[[i + 1, j - 1]]
                    + a[[i + 1, j]]
                    + a[[i + 1, j + 1]])
                    / 9.0;
            }
        }
    }
}
