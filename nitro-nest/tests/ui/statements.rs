use nitro_nest::nest;

#[nest]
fn statements(n: usize, mut_less: f32, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        break;
    }
    return;
    println!("{n}");
    fn inner() {}
    let (a, b) = (1.0, 2.0, 3.0);
    let later;
    mut_less = 1.0;
    x[0] = 1.0;
    y[0] %= 2.0;
    y.fill(0.0);
    {
        y[0] = 1.0;
    }
}

#[nest]
fn conditions(n: usize, alpha: f32, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        if i != 0 && i != 2 && i != 4 && i != 6 && i != 8 && i != 10 && i != 12 && n != i + i {
            y[i] = 1.0;
        }
        if i > 0 {
            y[i] = 1.0;
        } else if alpha > 0.0 {
            y[i + 1] = 2.0;
        }
        if true {
            y[i] = 1.0;
        }
        if 2 * i < n || n > 9 || i > 4 && n < 99 {
            for j in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22] {
                y[j] = 1.0;
            }
        }
        if i == 0 {
            y[i] = 1.0;
            continue;
        }
        if i > 0 {
            if i > 2 {
                continue;
            }
        }
    }
    if n > 3 {
        continue;
    }
}

#[nest]
fn variables(n: usize, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    let mut count = 0;
    let mut sum = 0.0;
    let mut later;
    let kept = 1.0;
    for i in 0..n {
        let before = sum;
        sum += x[i];
        y[i] = before;
        kept += x[i];
        sum = i;
        sum[i] = 1.0;
        x[sum] = 1.0;
        let sum = 2.0;
    }
}

fn main() {}
