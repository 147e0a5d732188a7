use nitro_nest::{Array2, nest};

#[nest]
fn divisors(n: usize, m: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        x[i] = a[[i / m, 0]];
        x[i] = a[[i % m, 0]];
        x[i] = a[[i / (i + 1), 0]];
        x[i] = a[[i / 0, 0]];
        x[i] = a[[i % 0, 0]];
        x[i] = a[[(i as isize / -2) as usize, 0]];
        x[i] = a[[((i as isize - 1) / 2) as usize, 0]];
        x[i] = a[[(i + n + 1) % n, 0]];
        x[i] = a[[((i + 1) % n) / 2, 0]];
    }
}

#[nest]
fn places(n: usize, m: usize, #[shape(n)] ids: &[u32], #[shape(n, m)] y: &mut [f32], #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            y[i / 2 * m + j] = 1.0;
            y[(i + 1) % n * m + j] = 1.0;
            y[i * m + j] = y[i / 2 * m + j];
            y[i * m + j] = y[i * m + (j + i) / 2];
            y[i * m + j] = y[ids[i / 2] as usize * m + j];
        }
    }
    for i in 0..n / 2 {
        x[i] = 0.0;
    }
}

#[nest]
fn conditions(n: usize, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        if i % 2 == 0 {
            for j in 0..n {
                x[j] += 1.0;
            }
        }
        if i % 2 == 0 {
            continue;
        }
        x[i] = 1.0;
        for j in 0..n {
            x[j] = 1.0;
        }
    }
}

#[nest]
fn extents(n: usize, #[shape(n / 2)] x: &mut [f32]) {
    for i in 0..n {
        x[i] = 0.0;
    }
}

fn main() {}
