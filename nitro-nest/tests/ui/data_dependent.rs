use nitro_nest::nest;

#[nest]
fn comparisons(n: usize, alpha: f32, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32], #[shape(n)] z: &mut [f32]) {
    for i in 0..n {
        if y[i] > z[i] {
            y[i] = x[i];
            z[i] = x[i];
        }
        if y[i] > 0.0 {
            y[i] = x[i];
            z[i] = y[i];
        }
        if i > 0 && x[i].abs() <= alpha {
            y[i - 1] = x[i];
        }
        if 1.0 < alpha {
            for j in 0..n {
                y[j] = 1.0;
            }
        }
        if x[i] != 0.0 {
            y[i] = x[i];
        } else {
            z[i] = x[i];
        }
        if x[i] < 0.0 || i == 0 {
            y[i + 1] = x[i];
        }
        if x[i] > unknown {
            y[i] = x[i];
        }
        if x[i].is_nan() {
            y[i] = 0.0;
        }
        if x[i] < 0.0 {
            continue;
        }
        y[i] = 1.0;
    }
}

#[nest]
fn others(n: usize, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        match x[i] {
            _ => y[i] = 1.0,
        }
        while x[i] > 0.0 {}
        for j in 0..x[i] as usize {}
        y[i] = if i < x[i] { 1.0 } else { 2.0 };
        y[i] = if x[i] > 0.0 && i > 0.0 { 1.0 } else { 2.0 };
    }
}

fn main() {}
