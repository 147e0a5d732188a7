use nitro_nest::nest;

#[nest]
fn statements(n: usize, mut_less: f32, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        break;
    }
    return;
    println!("{n}");
    fn inner() {}
    let mut sum = 0.0;
    let (a, b) = (1.0, 2.0);
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
        if i != 0 {
            y[i] = 1.0;
        }
        if i == 0 || i == 3 {
            y[i] = 1.0;
        }
        if i > 0 {
            y[i] = 1.0;
        } else if alpha > 0.0 {
            y[i] = 2.0;
        }
        if i == 1 {
            y[i] = 1.0;
        } else if i == 2 {
            y[i] = 2.0;
        } else if i == 3 {
            y[i] = 3.0;
        } else if i == 4 {
            y[i] = 4.0;
        } else if i == 5 {
            y[i] = 5.0;
        } else if i == 6 {
            y[i] = 6.0;
        } else if i == 7 {
            y[i] = 7.0;
        }
        if alpha < 1.0 {
            y[i] = 1.0;
        }
        if true {
            y[i] = 1.0;
        }
    }
}

fn main() {}
