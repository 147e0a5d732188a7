use nitro_stats::random::Random;

use super::*;

/// RBF kernel over points, with the width folded in.
struct Rbf(Vec<Vec<f64>>);

impl Rbf {
    fn value(&self, a: usize, b: usize) -> f64 {
        let distance: f64 = self.0[a].iter().zip(&self.0[b]).map(|(x, y)| (x - y) * (x - y)).sum();
        (-distance).exp()
    }
}

impl Kernel for Rbf {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn row(&self, sample: usize, out: &mut [f32]) {
        out.iter_mut().enumerate().for_each(|(other, value)| *value = self.value(sample, other) as f32);
    }
}

fn random_problem(seed: u64, samples: usize) -> (Rbf, Vec<bool>) {
    let mut random = Random::new(seed);
    let points: Vec<Vec<f64>> =
        (0..samples).map(|_| (0..3).map(|_| 4.0 * random.unit() - 2.0).collect()).collect();
    let noisy = |point: &Vec<f64>| point[0] + point[1] * point[2] + random.unit() > 0.5;
    let mut positive: Vec<bool> = points.iter().map(noisy).collect();
    (positive[0], positive[1]) = (true, false);
    (Rbf(points), positive)
}

fn solve(kernel: &Rbf, positive: &[bool], cost: f64, tolerance: f64) -> BinarySolution {
    let stop = Stop { tolerance, max_steps: 0 };
    Smo.solve(BinaryProblem { kernel, positive, weights: None, stop }, cost)
}

/// Two points with kernel value k between them: both variables are 1 / (1 − k), or C if that is less, and the
/// boundary is in the middle.
#[test]
fn two_points_are_solved_exactly() {
    let kernel = Rbf(vec![vec![0.0], vec![1.0]]);
    let exact = 1.0 / (1.0 - f64::from((-1.0_f64).exp() as f32));
    for (cost, expected) in [(10.0, exact), (1.0, 1.0)] {
        let solution = solve(&kernel, &[true, false], cost, 1e-9);
        assert!(solution.converged);
        assert!((solution.alpha[0] - expected).abs() < 1e-12, "{solution:?}");
        assert!((solution.alpha[1] - expected).abs() < 1e-12, "{solution:?}");
        assert!(solution.rho.abs() < 1e-12, "{solution:?}");
    }
}

/// One positive point between two negative ones at distance 1: by symmetry the outer variables are equal and half
/// the inner one; the gradient of what remains vanishes at `α = 2 / (1.5 − 2 k₁ + k₂ / 2)` for kernel values k₁, k₂
/// at distance 1, 2.
#[test]
fn three_points_are_solved_exactly() {
    let kernel = Rbf(vec![vec![-1.0], vec![0.0], vec![1.0]]);
    let (near, far) = ((-1.0_f64).exp(), (-4.0_f64).exp());
    let inner = 2.0 / (1.5 - 2.0 * near + far / 2.0);
    let solution = solve(&kernel, &[false, true, false], 100.0, 1e-9);
    for (alpha, expected) in solution.alpha.iter().zip([inner / 2.0, inner, inner / 2.0]) {
        assert!((alpha - expected).abs() < 1e-5, "{solution:?}");
    }
}

/// Checks the solution from scratch, in double precision: feasible, and no pair of samples violates the
/// Karush-Kuhn-Tucker conditions by more than the tolerance.
fn check_optimal(kernel: &Rbf, positive: &[bool], cost: f64, solution: &BinarySolution, tolerance: f64) {
    check_optimal_within(kernel, positive, &vec![cost; positive.len()], solution, tolerance);
}

/// Checks as [`check_optimal`] does, with a bound of its own for each sample.
fn check_optimal_within(
    kernel: &Rbf,
    positive: &[bool],
    bounds: &[f64],
    solution: &BinarySolution,
    tolerance: f64,
) {
    assert!(solution.converged);
    let cost = bounds.iter().copied().fold(0.0, f64::max);
    let label = |sample: usize| if positive[sample] { 1.0 } else { -1.0 };
    let balance: f64 = solution.alpha.iter().enumerate().map(|(sample, alpha)| label(sample) * alpha).sum();
    assert!(balance.abs() < 1e-9 * cost * positive.len() as f64, "Σ y α = {balance}");
    assert!(solution.alpha.iter().zip(bounds).all(|(alpha, bound)| (0.0..=*bound).contains(alpha)));
    let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
    for sample in 0..positive.len() {
        let decision: f64 = (0..positive.len())
            .map(|other| label(other) * solution.alpha[other] * kernel.value(sample, other))
            .sum();
        let violation = label(sample) - decision;
        let (above, below) = (solution.alpha[sample] > 0.0, solution.alpha[sample] < bounds[sample]);
        if if positive[sample] { below } else { above } {
            highest = highest.max(violation);
        }
        if if positive[sample] { above } else { below } {
            lowest = lowest.min(violation);
        }
        if above && below {
            assert!(
                (decision - solution.rho - label(sample)).abs() < tolerance,
                "a free sample is on the margin"
            );
        }
    }
    assert!(highest - lowest < tolerance, "violated by {}", highest - lowest);
}

#[test]
fn random_problems_satisfy_the_optimality_conditions() {
    for seed in 0..60 {
        let (kernel, positive) = random_problem(seed, 5 + 2 * seed as usize);
        for cost in [0.1, 1.0, 30.0, 1000.0] {
            let solution = solve(&kernel, &positive, cost, 1e-3);
            check_optimal(&kernel, &positive, cost, &solution, 1.5e-3);
        }
    }
}

#[test]
fn a_path_ends_where_a_cold_start_does() {
    let costs = [0.5, 2.0, 8.0, 100.0];
    for seed in 0..10 {
        let (kernel, positive) = random_problem(seed, 80);
        let stop = Stop { tolerance: 1e-3, max_steps: 0 };
        let path = Smo
            .solve_path(BinaryProblem { kernel: &kernel, positive: &positive, weights: None, stop }, &costs);
        for (&cost, solution) in costs.iter().zip(&path) {
            check_optimal(&kernel, &positive, cost, solution, 1.5e-3);
        }
    }
}

#[test]
fn the_bound_on_steps_is_kept_and_reported() {
    let (kernel, positive) = random_problem(3, 100);
    let stop = Stop { tolerance: 1e-6, max_steps: 7 };
    let solution =
        Smo.solve(BinaryProblem { kernel: &kernel, positive: &positive, weights: None, stop }, 100.0);
    assert_eq!((solution.steps, solution.converged), (7, false));
}

#[test]
fn identical_points_with_both_labels_do_not_stop_the_solver() {
    let kernel = Rbf(vec![vec![1.0]; 10]);
    let positive: Vec<bool> = (0..10).map(|sample| sample % 2 == 0).collect();
    let solution = solve(&kernel, &positive, 5.0, 1e-3);
    check_optimal(&kernel, &positive, 5.0, &solution, 1.5e-3);
}

#[test]
fn weighted_problems_satisfy_the_optimality_conditions() {
    for seed in 0..20 {
        let (kernel, positive) = random_problem(seed, 60);
        let mut random = Random::new(100 + seed);
        let weights: Vec<f64> =
            (0..60).map(|sample| if sample % 7 == 2 { 0.0 } else { 3.0 * random.unit() }).collect();
        let stop = Stop { tolerance: 1e-3, max_steps: 0 };
        let problem = BinaryProblem { kernel: &kernel, positive: &positive, weights: Some(&weights), stop };
        let costs = [0.5, 4.0, 50.0];
        for (cost, solution) in costs.iter().zip(Smo.solve_path(problem, &costs)) {
            let bounds: Vec<f64> = weights.iter().map(|weight| cost * weight).collect();
            check_optimal_within(&kernel, &positive, &bounds, &solution, 1.5e-3);
        }
    }
}

/// A whole weight is as many copies of the sample.
#[test]
fn a_weight_of_two_counts_as_two_samples() {
    let (kernel, positive) = random_problem(5, 40);
    let twice = |sample: usize| sample.is_multiple_of(3);
    let copies: Vec<usize> = (0..40).chain((0..40).filter(|&sample| twice(sample))).collect();
    let copied = Rbf(copies.iter().map(|&sample| kernel.0[sample].clone()).collect());
    let copied_labels: Vec<bool> = copies.iter().map(|&sample| positive[sample]).collect();
    let weights: Vec<f64> = (0..40).map(|sample| if twice(sample) { 2.0 } else { 1.0 }).collect();
    let stop = Stop { tolerance: 1e-6, max_steps: 0 };
    let weighted =
        Smo.solve(BinaryProblem { kernel: &kernel, positive: &positive, weights: Some(&weights), stop }, 3.0);
    let repeated = solve(&copied, &copied_labels, 3.0, 1e-6);
    assert!((weighted.rho - repeated.rho).abs() < 1e-4, "{} and {}", weighted.rho, repeated.rho);
}
