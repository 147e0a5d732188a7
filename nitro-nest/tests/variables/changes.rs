//! Nests in which values change while they are in use, and integers that may be negative.

use nitro_nest::nest;

/// Values that are used after what they were read from has changed.
#[nest]
pub fn turned(
    n: usize,
    m: usize,
    _l: usize,
    #[shape(n, m)] a: &mut [f32],
    #[shape(n, m)] b: &mut [f32],
    #[shape(n, 2)] c: &mut [f32],
) {
    for i in 0..n {
        for j in 0..m {
            let turned = 0.8 * a[i * m + j] - 0.6 * b[i * m + j];
            b[i * m + j] = 0.6 * a[i * m + j] + 0.8 * b[i * m + j];
            a[i * m + j] = turned;
        }
        let mut total = 0.0;
        for j in 0..m {
            let before = total;
            total += a[i * m + j];
            a[i * m + j] = before;
        }
    }
    let first = c[0];
    for i in 0..n {
        c[2 * i] += first;
        let half = 0.5 * c[2 * i];
        let mut even = 0.0;
        let mut odd = 1.0;
        for j in 0..m {
            even += half * a[i * m + j];
            odd *= half;
        }
        c[2 * i] = even;
        c[2 * i + 1] = odd;
    }
}

/// Differences that may be negative, as padding has them.
#[nest]
pub fn padded(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, m)] x: &[f32],
    #[shape(3, 5)] k: &[f32],
    #[shape(n, m)] y: &mut [f32],
) {
    for _ in 0..l.min(3) {
        for r in 0..n {
            for s in 0..m {
                let mut sum = 0.0;
                for u in 0..3 {
                    let row = r as isize + u as isize - 1;
                    if row < 0 || row >= n as isize {
                        continue;
                    }
                    for v in -2..=2 {
                        let column = s as isize + v;
                        if column >= 0 && (column as usize) < m {
                            sum += k[u * 5 + (v + 2) as usize] * x[row as usize * m + column as usize];
                        }
                    }
                }
                y[r * m + s] += sum;
            }
        }
    }
    for r in 0..n {
        for d in -1..3_isize {
            let mut most = x[r * m];
            let mut least = most;
            for s in 0..m {
                most = most.max(x[r * m + s]);
                least = least.min(x[r * m + s] * (d - 1) as f32);
            }
            y[r * m] += most * least;
        }
    }
}

/// The number of an element as one counts it, with those beside it.
#[nest]
pub fn star(n: usize, m: usize, l: usize, #[shape(n, m, l)] x: &[f32], #[shape(n, m, l)] y: &mut [f32]) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            for k in 1..l - 1 {
                let at = (i * m + j) * l + k;
                y[at] = x[at - 1] + x[at + 1] + x[at - l] + x[at + l] + x[at - m * l] + x[at + m * l]
                    - 6.0 * x[at];
            }
        }
    }
}

/// The nearest of some points, and by how much.
#[nest]
pub fn nearest(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] x: &[f32],
    #[shape(m, l)] c: &[f32],
    #[shape(n, 2)] y: &mut [f32],
) {
    for i in 0..n {
        let mut best = f32::MAX;
        let mut label = -1.0;
        let mut changes = 0.0;
        for j in 0..m {
            let mut distance = 0.0;
            for e in 0..l {
                let difference = x[i * l + e] - c[j * l + e];
                distance += difference * difference;
            }
            if distance < best {
                changes += 1.0;
                best = distance;
                label = j as f32 + 0.0 * changes;
            }
        }
        y[2 * i] = label;
        y[2 * i + 1] = best + changes;
    }
}
