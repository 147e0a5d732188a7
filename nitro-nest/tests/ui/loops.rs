use nitro_nest::nest;

#[nest]
fn kinds(n: usize, #[shape(n)] x: &mut [f32]) {
    while n > 0 {}
    loop {}
    for (i, j) in 0..n {}
    for i in x {}
    for i in 0.. {}
    for s in [1, n] {}
    for s in [0.5, 1.5] {}
    for s in [1, 2] {
        x[s] = 1;
    }
    for s in [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4,
        5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4,
    ] {}
}

#[nest]
fn bounds(n: usize, m: usize, alpha: f32, #[shape(n)] x: &mut [f32]) {
    for i in 0..n * m {}
    for i in 0..n / 2 {}
    for i in 0..alpha {}
    for i in 0..x {}
    for i in 0..x[0] {}
    for i in 0..n.max(m) {}
    for i in n.min(m)..n {}
    for i in 0..=n.saturating_sub(1) {}
}

#[nest]
fn steps(n: usize, m: usize) {
    for i in (0..n).step_by(m) {}
    for i in (0..n).step_by(0) {}
    for i in (0..n).step_by(2).rev() {}
    for i in (0..n).skip(1) {}
    for i in (n.max(m)..9).step_by(2) {}
}

#[nest]
fn begins(n: usize, m: usize, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in n as isize - m as isize..3 {
        let mut most = 0.0;
        for j in 0..n {
            most = most.max(x[j]);
        }
        y[0] += most;
    }
}

fn main() {}
