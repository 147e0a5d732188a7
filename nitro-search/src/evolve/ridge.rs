//! Ridge regression of times on edits, with the uncertainty of each effect.

use crate::random::Random;

/// Strengths of the shrinkage that are tried: the variance of the rest over that of effects.
const STRENGTHS: [f64; 7] = [0.004, 0.02, 0.1, 0.5, 2.0, 10.0, 50.0];
/// The strength that is expected before anything speaks for another: effects twice as large as the noise.
const EXPECTED: f64 = 0.25;
/// The smallest deviation of the rest; counted times have none.
const LEAST_DEVIATION: f64 = 1e-6;

/// A fit of y by sums of effects, of which each is normally distributed around 0.
pub(super) struct Ridge {
    pub(super) effects: Vec<f64>,
    /// The standard deviation of what the sums do not say.
    pub(super) deviation: f64,
    /// The Cholesky factor of X'X + strength, row by row.
    factor: Vec<Vec<f64>>,
}

impl Ridge {
    /// Fits effects of so many columns. A row lists the columns whose effects it has, each once.
    ///
    /// The strength of the shrinkage is the one under which the values are likeliest (empirical Bayes), with a weak
    /// preference for effects that are twice the noise: as long as each effect was seen once, the values alone
    /// cannot tell effects from noise. None where there is nothing to fit.
    pub(super) fn fit(rows: &[Vec<usize>], values: &[f64], columns: usize) -> Option<Self> {
        if rows.is_empty() || columns == 0 {
            return None;
        }
        let mut products = vec![vec![0.0; columns]; columns];
        let mut targets = vec![0.0; columns];
        for (row, value) in rows.iter().zip(values) {
            for &one in row {
                targets[one] += value;
                for &other in row {
                    products[one][other] += 1.0;
                }
            }
        }
        let squares: f64 = values.iter().map(|value| value * value).sum();
        let mut best: Option<(f64, Self)> = None;
        for strength in STRENGTHS {
            let factor = factor(&products, strength)?;
            let effects = solve(&factor, &targets);
            let explained: f64 = effects.iter().zip(&targets).map(|(effect, target)| effect * target).sum();
            let count = rows.len() as f64;
            let deviation = ((squares - explained).max(0.0) / count).sqrt().max(LEAST_DEVIATION);
            // The marginal likelihood with the best deviation put in (MacKay 1992, "Bayesian interpolation").
            let mut likelihood = -count * deviation.ln() + 0.5 * columns as f64 * strength.ln();
            for (at, row) in factor.iter().enumerate() {
                likelihood -= row[at].ln();
            }
            likelihood -= 0.5 * ((strength / EXPECTED).ln() / 10f64.ln()).powi(2);
            if best.as_ref().is_none_or(|(most, _)| likelihood > *most) {
                best = Some((likelihood, Self { effects, deviation, factor }));
            }
        }
        best.map(|(_, ridge)| ridge)
    }

    /// Draws effects as they may be, given what was seen.
    pub(super) fn draw(&self, random: &mut Random) -> Vec<f64> {
        let normal = (0..self.effects.len()).map(|_| self.deviation * random.normal()).collect();
        let apart = solve_transposed(&self.factor, normal);
        self.effects.iter().zip(apart).map(|(effect, apart)| effect + apart).collect()
    }

    /// Returns the sum of the effects of a row.
    pub(super) fn sum(&self, row: &[usize]) -> f64 {
        row.iter().map(|&column| self.effects[column]).sum()
    }
}

/// Returns the Cholesky factor of a matrix with something added to its diagonal; none where it has none.
fn factor(matrix: &[Vec<f64>], added: f64) -> Option<Vec<Vec<f64>>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (at, of) in matrix.iter().enumerate() {
        let mut row = Vec::with_capacity(at + 1);
        for (column, value) in of.iter().enumerate().take(at) {
            let above = &factor[column];
            let known: f64 = above.iter().zip(&row).map(|(one, other): (&f64, &f64)| one * other).sum();
            row.push((value - known) / above[column]);
        }
        let known: f64 = row.iter().map(|value| value * value).sum();
        let rest = of[at] + added - known;
        if rest.is_nan() || rest <= 0.0 {
            return None;
        }
        row.push(rest.sqrt());
        factor.push(row);
    }
    Some(factor)
}

/// Solves (factor factor') x = targets.
fn solve(factor: &[Vec<f64>], targets: &[f64]) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(targets.len());
    for (row, target) in factor.iter().zip(targets) {
        let known: f64 = row.iter().zip(&solved).map(|(one, other)| one * other).sum();
        solved.push((target - known) / row[solved.len()]);
    }
    solve_transposed(factor, solved)
}

/// Solves factor' x = targets.
fn solve_transposed(factor: &[Vec<f64>], mut targets: Vec<f64>) -> Vec<f64> {
    for at in (0..targets.len()).rev() {
        let solved = targets[at] / factor[at][at];
        targets[at] = solved;
        for (target, value) in targets.iter_mut().zip(&factor[at]).take(at) {
            *target -= value * solved;
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of up to four of twelve columns, with their values: noise of 0.5 %.
    fn seen(effects: &[f64], rows: usize, random: &mut Random) -> (Vec<Vec<usize>>, Vec<f64>) {
        let (mut all, mut values) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let row: Vec<usize> = (0..effects.len()).filter(|_| random.below(3) == 0).collect();
            let sum: f64 = row.iter().map(|&column| effects[column]).sum();
            values.push(sum + 0.005 * random.normal());
            all.push(row);
        }
        (all, values)
    }

    #[test]
    fn effects_below_the_noise_are_found_and_draws_lie_around_them() {
        let mut random = Random::new(1);
        let effects = [-0.03, 0.002, -0.004, 0.0, 0.01, -0.002, 0.0, -0.006, 0.003, 0.0, 0.0, -0.001];
        let (rows, values) = seen(&effects, 200, &mut random);
        let ridge = Ridge::fit(&rows, &values, effects.len()).unwrap();
        assert!((0.004..0.006).contains(&ridge.deviation), "{}", ridge.deviation);
        for (found, effect) in ridge.effects.iter().zip(effects) {
            assert!((found - effect).abs() < 0.003, "{found} for {effect}");
        }
        let draws: Vec<Vec<f64>> = (0..400).map(|_| ridge.draw(&mut random)).collect();
        for column in 0..effects.len() {
            let of_column: Vec<f64> = draws.iter().map(|draw| draw[column]).collect();
            let (mean, error) = nitro_stats::statistics::mean_and_standard_error(&of_column);
            assert!((mean - ridge.effects[column]).abs() < 4.0 * error, "{mean}");
            let deviation = error * 20.0;
            assert!((0.0002..0.002).contains(&deviation), "{deviation}");
        }
    }

    #[test]
    fn what_was_seen_once_is_shrunk_and_what_was_never_seen_is_nothing() {
        let rows: Vec<Vec<usize>> = (0..20).map(|column| vec![column]).collect();
        let values: Vec<f64> = (0..20).map(|at| if at == 0 { -0.1 } else { 0.001 }).collect();
        let ridge = Ridge::fit(&rows, &values, 21).unwrap();
        assert!(ridge.effects[0] > -0.1 && ridge.effects[0] < -0.05, "{}", ridge.effects[0]);
        assert_eq!(ridge.effects[20], 0.0);
        assert!(Ridge::fit(&[], &[], 3).is_none() && Ridge::fit(&rows, &values, 0).is_none());
    }

    #[test]
    fn times_without_noise_are_explained_to_the_last_digit() {
        let rows = [vec![0], vec![1], vec![0, 1], vec![], vec![0, 1, 2]];
        let ridge = Ridge::fit(&rows, &[-0.1, 0.2, 0.1, 0.0, 0.4], 3).unwrap();
        for (row, value) in rows.iter().zip([-0.1, 0.2, 0.1, 0.0, 0.4]) {
            assert!((ridge.sum(row) - value).abs() < 0.005, "{}", ridge.sum(row));
        }
    }
}
