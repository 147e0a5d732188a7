use nitro_nest::nest;

#[nest]
fn beyond(n: usize, m: usize, p: usize, #[shape(n, m)] a: &mut [f32], #[shape(n, m, p)] b: &[f32]) {
    for i in 0..n {
        for j in 0..m {
            a[i * m + j] = 1.0;
            a[i * m + j + 1] = 1.0;
            a[i * m + j - 1] = 1.0;
            a[i * p + j] = 1.0;
            a[i + j] = 1.0;
            a[(i * m + j) * 2] = 1.0;
            a[(i * m + j) * p] = 1.0;
            a[j * m + i] = 1.0;
            a[i * m + j] = b[(i * m + j + 2) * p];
            if j >= 1 || i == 0 {
                a[i * m + j - 1] = 1.0;
            } else {
                a[i * m + j] = if j + 1 <= m { 0.0 } else { b[(i * m + j + 1) * p] };
            }
        }
        for j in 0..p {
            a[i * m + j] = 1.0;
        }
    }
}

#[nest]
fn shapes(
    n: usize,
    m: usize,
    #[shape(n * m)] a: &[f32],
    #[shape((n + 2) * (m + 2), 3)] b: &[f32],
    #[shape(n * m + 1)] c: &[f32],
    #[shape()] d: &[f32],
) {
}

#[nest]
fn subscripts(
    n: usize,
    m: usize,
    #[shape(n)] x: &mut [f32],
    #[shape(n, m)] a: &mut [f32],
    #[shape(n, 2, m + 1)] b: &mut [f32],
    #[shape(n)] ids: &[u32],
) {
    for i in 0..n {
        for j in 0..m {
            x[i * m + j] = 1.0;
            a[[i, j]] = 1.0;
            a[i][j] = 1.0;
            b[[i, 1, j]] = 1.0;
            a[i / m] = 1.0;
            a[i * k + j] = 1.0;
            a[..m] = 1.0;
            a[ids[i] as usize * m + j] = 1.0;
            x[i] = a[(ids[i] as usize + 1) * m + j];
            x[i] = a[i * 4611686018427387904 * 4 + j];
            x[i] = a[i * i * i * i * i * j * j * j * j + j];
        }
    }
}

#[nest]
fn lets(n: usize, m: usize, #[shape(n)] x: &mut [f32], #[shape(n, m)] a: &mut [f32], #[shape(n)] ids: &[u32]) {
    for i in 0..n {
        let row = i * m;
        let typo = i * mm + 1;
        let half = i / m;
        let first = ids[i] as usize * m;
        x[row] = 1.0;
        x[i] = row;
        x[i] = row as f32;
        x[first] = 1.0;
        x[typo] = 1.0;
        x[half] = 1.0;
        for j in 0..row {
            a[i * m + j] = 1.0;
        }
    }
}

fn main() {}
