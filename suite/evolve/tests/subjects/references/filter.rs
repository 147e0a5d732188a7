use crate::case::Case;
use crate::expected::{Expected, Results};

/// The next number of a sequence, from 0 to below 1.
fn uniform(state: &mut u32) -> f32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) as f32 / 16_777_216.0
}

fn normal(state: &mut u32) -> f32 {
    let radius = (-2.0 * (1.0 - uniform(state)).ln()).sqrt();
    radius * (std::f32::consts::TAU * uniform(state)).cos()
}

struct Guess {
    x: f32,
    y: f32,
    state: u32,
}

pub fn particlefilter(case: &Case) -> Results {
    let (size, frames, particles) = (case.size("size"), case.size("frames"), case.size("particles"));
    let seed = (case.number("first_random") as u32).wrapping_mul(65_537);
    let (x, y) = (size as f32 * 0.75, size as f32 * 0.5);
    let state = |number: u32| seed.wrapping_add(number).wrapping_mul(2_654_435_761);
    let mut guesses: Vec<Guess> =
        (0..particles as u32).map(|number| Guess { x, y, state: state(number) }).collect();
    let mut path = Vec::new();
    for frame in case.bytes("film").chunks(size * size).take(frames) {
        for guess in &mut guesses {
            guess.x += 2.0 * normal(&mut guess.state);
            guess.y += 2.0 * normal(&mut guess.state);
        }
        let weights: Vec<f64> =
            guesses.iter().map(|guess| f64::from(likelihood(frame, size, guess).exp())).collect();
        let total: f64 = weights.iter().sum();
        let mean = |of: fn(&Guess) -> f32| {
            guesses.iter().zip(&weights).map(|(guess, weight)| f64::from(of(guess)) * weight).sum::<f64>()
                / total
        };
        path.extend([mean(|guess| guess.x) as f32, mean(|guess| guess.y) as f32]);
        guesses = draw(guesses, &weights, total);
    }
    vec![("path", Expected::Near { values: path, relative: 0.0, absolute: 0.25 })]
}

/// The mean over the pixels of the disc.
fn likelihood(frame: &[u8], size: usize, guess: &Guess) -> f32 {
    let inside = |at: i32| at.clamp(0, size as i32 - 1) as usize;
    let around = (-5i32..=5).flat_map(|dy| (-5i32..=5).map(move |dx| (dx, dy)));
    let of = around.filter(|(dx, dy)| dx * dx + dy * dy <= 25).map(|(dx, dy)| {
        let row = inside(guess.y.round() as i32 + dy);
        let pixel = f32::from(frame[row * size + inside(guess.x.round() as i32 + dx)]);
        ((pixel - 100.0).powi(2) - (pixel - 228.0).powi(2)) / 800.0
    });
    let of: Vec<f32> = of.collect();
    of.iter().sum::<f32>() / of.len() as f32
}

/// One guess of each part of the whole weight.
fn draw(guesses: Vec<Guess>, weights: &[f64], total: f64) -> Vec<Guess> {
    let mut sum = 0.0;
    let cumulated: Vec<f64> = weights
        .iter()
        .map(|weight| {
            sum += weight / total;
            sum
        })
        .collect();
    let drawn = guesses.iter().enumerate().map(|(at, guess)| {
        let mut state = guess.state;
        let wanted = (at as f64 + f64::from(uniform(&mut state))) / guesses.len() as f64;
        let chosen = cumulated.iter().position(|&sum| sum >= wanted).unwrap_or(guesses.len() - 1);
        Guess { x: guesses[chosen].x, y: guesses[chosen].y, state }
    });
    drawn.collect()
}
