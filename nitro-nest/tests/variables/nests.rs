//! Nests as one writes them without thinking of nests.

use nitro_nest::nest;

#[nest]
pub fn product(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &[f32],
    #[shape(l, m)] b: &[f32],
    #[shape(n, m)] c: &mut [f32],
) {
    assert_eq!(a.len(), n * l);
    debug_assert!(b.len() == l * m && c.len() == n * m, "a matrix is of another size");
    for i in 0..n {
        for j in 0..m {
            let mut sum = 0.0;
            for k in 0..l {
                sum += a[i * l + k] * b[k * m + j];
            }
            c[i * m + j] = sum;
        }
    }
}

#[nest]
pub fn scaled(
    n: usize,
    m: usize,
    _l: usize,
    #[shape(n, m)] a: &[f32],
    #[shape(m)] x: &[f32],
    #[shape(n)] y: &mut [f32],
) {
    const ALPHA: f32 = 1.5;
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..m {
            sum += a[i * m + j] * x[j];
        }
        y[i] = ALPHA * sum + 0.5 * y[i];
    }
}

#[nest]
pub fn convolution(
    c: usize,
    h: usize,
    w: usize,
    #[shape(c, h, w)] x: &[f32],
    #[shape(c, 3, 3)] k: &[f32],
    #[shape(h, w)] y: &mut [f32],
) {
    const K: usize = 3;
    for r in 0..h {
        for s in 0..w {
            let mut sum: f32 = 0.0;
            for d in 0..c {
                for u in 0..K {
                    if r + u < 1 || r + u > h {
                        continue;
                    }
                    for v in 0..K {
                        if s + v < 1 || s + v > w {
                            continue;
                        }
                        let weight = k[(d * K + u) * K + v];
                        sum += weight * x[d * h * w + (r + u - 1) * w + s + v - 1];
                    }
                }
            }
            y[r * w + s] = sum.max(0.0);
        }
    }
}

#[nest]
pub fn softmax(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &[f32], #[shape(n, m)] y: &mut [f32]) {
    for i in 0..n {
        let mut largest = f32::NEG_INFINITY;
        for j in 0..m {
            if x[i * m + j] > largest {
                largest = x[i * m + j];
            }
        }
        let mut sum = 0.0;
        for j in 0..m {
            y[i * m + j] = (x[i * m + j] - largest).exp();
            sum += y[i * m + j];
        }
        for j in 0..m {
            y[i * m + j] /= sum;
        }
    }
}

#[nest]
pub fn normalised(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &mut [f32]) {
    for i in 0..n {
        let mut mean = 0.0;
        for j in 0..m {
            mean += x[i * m + j];
        }
        mean /= m as f32;
        let mut variance = 0.0;
        for j in 0..m {
            let difference = x[i * m + j] - mean;
            variance += difference * difference;
        }
        let scale = 1.0 / (variance / m as f32 + 1e-5).sqrt();
        for j in 0..m {
            x[i * m + j] = (x[i * m + j] - mean) * scale;
        }
    }
}

#[nest]
pub fn borders(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &[f32], #[shape(n, m)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            if i == 0 || i == n - 1 || j == 0 || j == m - 1 {
                y[i * m + j] = x[i * m + j];
            } else {
                let middle = x[i * m + j];
                y[i * m + j] = 0.25
                    * (x[(i - 1) * m + j] + x[(i + 1) * m + j] + x[i * m + j - 1] + x[i * m + j + 1])
                    - middle;
            }
            if i != j && i + 1 >= j {
                y[i * m + j] += 1.0;
            }
        }
    }
}

#[nest]
pub fn pooled(n: usize, m: usize, _l: usize, #[shape(2 * n, 2 * m)] x: &[f32], #[shape(n, m)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            let mut best = x[2 * i * 2 * m + 2 * j];
            for u in 0..2 {
                for v in 0..2 {
                    let own = x[(2 * i + u) * 2 * m + 2 * j + v];
                    if own > best {
                        best = own;
                    }
                }
            }
            if best < 0.25 {
                y[i * m + j] = 0.0;
            } else {
                y[i * m + j] += best;
            }
        }
    }
}

#[nest]
pub fn polynomials(n: usize, m: usize, l: usize, #[shape(n, m)] x: &mut [f32], #[shape(l + 1)] c: &[f32]) {
    for i in 0..n {
        for j in (0..m).rev() {
            let mut p = c[l];
            for k in (0..l).rev() {
                p = p * x[i * m + j] + c[k];
            }
            x[i * m + j] = p;
        }
    }
}

#[nest]
pub fn running(
    n: usize,
    m: usize,
    _l: usize,
    #[shape(n, m)] x: &[f32],
    #[shape(n, m)] y: &mut [f32],
    #[shape(1)] z: &mut [f32],
) {
    let mut most = z[0];
    for i in 0..n {
        let mut total = 0.0;
        for j in 0..m {
            total += x[i * m + j];
            y[i * m + j] = total;
        }
        most = most.max(total);
    }
    z[0] = most;
}

#[nest]
pub fn solved(n: usize, m: usize, _l: usize, #[shape(n, n)] a: &[f32], #[shape(n, m)] b: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            let mut sum = b[i * m + j];
            for k in 0..i {
                let mut part = a[i * n + k];
                part *= b[k * m + j];
                sum -= part;
            }
            b[i * m + j] = sum / (a[i * n + i] + 4.0);
        }
    }
}

#[nest]
pub fn triangle(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &[f32], #[shape(n, n)] c: &mut [f32]) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = 0.0;
            let mut squares = 0.0;
            for k in 0..m {
                let d = x[i * m + k] - x[j * m + k];
                sum += d;
                squares += d * d;
            }
            c[i * n + j] = squares.sqrt() - sum;
            c[j * n + i] = c[i * n + j];
        }
    }
}

/// Constants of the library, and functions that are no methods.
#[nest]
pub fn waves(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            let angle =
                2.0 * std::f32::consts::PI * (i as f32) / (n as f32) + core::f32::consts::FRAC_1_SQRT_2;
            x[i * m + j] = f32::max(x[i * m + j], f32::sqrt(angle)).clamp(0.5, angle);
        }
    }
}

/// Variables of one name, in loops that go up to sums of iterators.
#[nest]
pub fn named_alike(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..i.min(m) {
            let mut own = 0.0;
            for s in j..m {
                own += x[i * m + s];
            }
            y[i] += own * y[i];
        }
        for own in 0..2 {
            y[i] += own as f32;
        }
    }
    for i in 0..n {
        for j in 0..=2 * i + 1 {
            let mut s = 0.0;
            let mut t = 1.0;
            for k in 0..m {
                s += x[i * m + k];
                t *= 0.5;
            }
            y[i] = y[i] * s + t * (j as f32);
        }
    }
}

/// What cannot be in a loop is no statement of it.
#[nest]
pub fn cases(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            if i == 0 || j == 0 || i == n - 1 || j == m - 1 {
                x[i * m + j] = 1.0;
            } else if i == 1 {
                x[i * m + j] = 2.0;
            } else if i == 2 || j != 2 {
                x[i * m + j] = 3.0;
            }
        }
    }
}
