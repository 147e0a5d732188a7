//! The dual variables and their violations, and one step of the optimisation.

use super::problem::BinaryProblem;

/// Stands in for a curvature that rounding made zero or negative.
const MIN_CURVATURE: f64 = 1e-12;

pub(super) struct State {
    cost: f64,
    /// The upper bound of each variable: C times the sample's weight.
    bounds: Vec<f64>,
    /// +1 or −1 a sample.
    labels: Vec<f64>,
    diagonal: Vec<f64>,
    alpha: Vec<f64>,
    /// `yᵢ − Σ αⱼ yⱼ K(i,j)`.
    violation: Vec<f64>,
    /// 0 where `yᵢ αᵢ` may still grow, −∞ where it may not; added to a violation it takes the sample out of a maximum.
    up_bar: Vec<f64>,
    /// 0 where `yᵢ αᵢ` may still shrink, +∞ where it may not.
    down_bar: Vec<f64>,
    /// Room for what a step with each sample would gain.
    gains: Vec<f64>,
}

impl State {
    pub(super) fn new(problem: BinaryProblem<'_>) -> Self {
        let labels: Vec<f64> =
            problem.positive.iter().map(|&positive| if positive { 1.0 } else { -1.0 }).collect();
        let samples = labels.len();
        Self {
            cost: 0.0,
            bounds: vec![0.0; samples],
            violation: labels.clone(),
            diagonal: (0..samples).map(|sample| problem.kernel.diagonal(sample)).collect(),
            alpha: vec![0.0; samples],
            up_bar: vec![0.0; samples],
            down_bar: vec![0.0; samples],
            gains: vec![0.0; samples],
            labels,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// Makes the variables feasible for another C. Multiplying all of them keeps the equality constraint, and what was
    /// at its bound stays there, which is where it mostly belongs.
    pub(super) fn rescale(&mut self, cost: f64, weights: Option<&[f64]>) {
        let bounds = match weights {
            Some(weights) => weights.iter().map(|weight| cost * weight).collect(),
            None => vec![cost; self.len()],
        };
        let old_bounds = std::mem::replace(&mut self.bounds, bounds);
        // A violation is linear in all variables, so that it scales with them and needs no kernel value.
        if self.cost > 0.0 {
            let ratio = cost / self.cost;
            for (sample, old_bound) in old_bounds.into_iter().enumerate() {
                let (alpha, bound) = (self.alpha[sample], self.bounds[sample]);
                self.alpha[sample] = if alpha >= old_bound { bound } else { (alpha * ratio).min(bound) };
                let label = self.labels[sample];
                self.violation[sample] = label - ratio * (label - self.violation[sample]);
            }
        }
        self.cost = cost;
        (0..self.len()).for_each(|sample| self.update_bars(sample));
    }

    /// The sample whose growth promises most, unless all conditions hold within the tolerance.
    pub(super) fn most_violating(&self, tolerance: f64) -> Option<usize> {
        // The pair that violates the Karush-Kuhn-Tucker conditions most: stopping at its gap is LIBSVM's rule (Chang
        // and Lin, "LIBSVM: a library for support vector machines", 2011, section 4.1.2).
        let highest = max_of_sums(&self.violation, &self.up_bar);
        let lowest = -max_of_differences(&self.down_bar, &self.violation);
        // Also ends where one side is empty (infinite) or a kernel value was not a number.
        if !(highest - lowest > tolerance && highest.is_finite() && lowest.is_finite()) {
            return None;
        }
        self.violation.iter().zip(&self.up_bar).position(|(violation, bar)| violation + bar == highest)
    }

    /// The sample to move against `first`: the one for which a step without bounds would gain most.
    pub(super) fn partner(&mut self, first: usize, row: &[f32]) -> usize {
        // WSS 2 of Fan, Chen and Lin (2005): the dual along the pair is a parabola with this slope and bend, whose
        // optimum gains slope² / (2 bend). Bounds are ignored here, and kept when the step is made.
        let (top, curvature) = (self.violation[first], self.diagonal[first]);
        let samples = self.violation.iter().zip(&self.down_bar).zip(&self.diagonal).zip(row);
        for (gain, (((violation, bar), diagonal), &kernel)) in self.gains.iter_mut().zip(samples) {
            let slope = top - violation - bar;
            let bend = (curvature + diagonal - 2.0 * f64::from(kernel)).max(MIN_CURVATURE);
            let own = slope * slope / bend;
            // Chosen, not branched on, so that the compiler can use vector instructions.
            *gain = if slope > 0.0 { own } else { 0.0 };
        }
        let most = max_in_lanes(&self.gains, &self.gains, |gain, _| gain);
        if most > 0.0 { self.gains.iter().position(|&gain| gain == most).unwrap_or(first) } else { first }
    }

    /// Grows `y α` of `first` and shrinks that of `second` by the same amount, as far as the optimum on that line
    /// or the bounds allow.
    pub(super) fn step(&mut self, first: usize, second: usize, (row, other): (&[f32], &[f32])) {
        let bend = self.diagonal[first] + self.diagonal[second] - 2.0 * f64::from(row[second]);
        let wanted = (self.violation[first] - self.violation[second]) / bend.max(MIN_CURVATURE);
        let delta = wanted.min(self.room_up(first)).min(self.room_down(second));
        self.shift(first, delta);
        self.shift(second, -delta);
        // The one pass over all samples of a step; both rows come from the cache.
        for ((violation, &a), &b) in self.violation.iter_mut().zip(row).zip(other) {
            *violation -= delta * (f64::from(a) - f64::from(b));
        }
    }

    /// The offset of the decision function: the mean over free samples, for which it is determined, or the middle of
    /// what the bounded ones leave open.
    pub(super) fn rho(&self) -> f64 {
        // A free sample lies on the margin, where the decision value is its label.
        let (mut count, mut sum) = (0_u32, 0.0);
        for sample in 0..self.len() {
            if self.up_bar[sample] == 0.0 && self.down_bar[sample] == 0.0 {
                count += 1;
                sum += self.violation[sample];
            }
        }
        if count > 0 {
            return -sum / f64::from(count);
        }
        let highest = max_of_sums(&self.violation, &self.up_bar);
        let lowest = -max_of_differences(&self.down_bar, &self.violation);
        -(highest + lowest) / 2.0
    }

    fn room_up(&self, sample: usize) -> f64 {
        if self.labels[sample] > 0.0 { self.bounds[sample] - self.alpha[sample] } else { self.alpha[sample] }
    }

    fn room_down(&self, sample: usize) -> f64 {
        if self.labels[sample] > 0.0 { self.alpha[sample] } else { self.bounds[sample] - self.alpha[sample] }
    }

    /// Adds to `y α`; rounding may not carry the variable past a bound nor leave it a hair short of one.
    fn shift(&mut self, sample: usize, delta: f64) {
        let alpha = self.alpha[sample] + self.labels[sample] * delta;
        let bound = self.bounds[sample];
        let snap = bound * 1e-14;
        self.alpha[sample] = if alpha <= snap {
            0.0
        } else if alpha >= bound - snap {
            bound
        } else {
            alpha
        };
        self.update_bars(sample);
    }

    fn update_bars(&mut self, sample: usize) {
        self.up_bar[sample] = if self.room_up(sample) > 0.0 { 0.0 } else { f64::NEG_INFINITY };
        self.down_bar[sample] = if self.room_down(sample) > 0.0 { 0.0 } else { f64::INFINITY };
    }
}

/// `max(aᵢ + bᵢ)`, in four lanes so that the compiler can use vector instructions; a maximum has no rounding, so
/// the order does not matter.
fn max_of_sums(a: &[f64], b: &[f64]) -> f64 {
    max_in_lanes(a, b, |a, b| a + b)
}

/// `max(−aᵢ − bᵢ)`.
fn max_of_differences(a: &[f64], b: &[f64]) -> f64 {
    max_in_lanes(a, b, |a, b| -a - b)
}

#[inline(always)]
fn max_in_lanes(a: &[f64], b: &[f64], combine: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 4];
    let (a_chunks, a_rest) = a.as_chunks::<4>();
    let (b_chunks, b_rest) = b.as_chunks::<4>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..4 {
            lanes[lane] = larger(lanes[lane], combine(a[lane], b[lane]));
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| combine(a, b));
    lanes.into_iter().chain(rest).fold(f64::NEG_INFINITY, larger)
}

/// Returns the larger of two numbers. Unlike [`f64::max`] it is one instruction, since it need not skip NaN.
#[inline(always)]
fn larger(old: f64, new: f64) -> f64 {
    if new > old { new } else { old }
}
