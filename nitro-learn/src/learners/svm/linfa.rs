//! linfa-svm behind the trait of our own solver.
//!
//! Compared on the Ginkgo recordings (802 training inputs, three source devices, 2,406 samples, 6 to 9 classes, two
//! cores; the example `learn_dump` built with the Cargo feature `linfa` repeats it): given the same pairs of
//! classes, C and γ, its machines choose the same variant on 12,463 of 12,464 test points, so as a two-class solver
//! it is as right as ours and as LIBSVM. Ours is the default for what stands around the solver:
//!
//! - Time: 0.13 to 0.37 s a model against 0.01 to 0.02 s (LIBSVM on one core: 0.07 to 0.10 s). linfa computes the
//!   kernel matrix of every pair of classes anew from points; its solver takes no precomputed one, so the product
//!   of input and device kernels, and what subsets of device features share, cannot be used.
//! - No warm start from one C to the next, and no bound on steps, both of which a grid search lives by.
//! - Several classes only one against all, which is not LIBSVM's vote; here one against one is built around it.

use std::num::NonZeroUsize;

use linfa::Dataset;
use linfa::traits::Fit;
use linfa_svm::Svm;
use ndarray::{Array1, Array2};

use super::smo::{BinaryProblem, BinarySolution, BinarySolver};

/// The solver of linfa-svm. It takes points, not kernel values, and starts every C from nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinfaSvm;

impl BinarySolver for LinfaSvm {
    /// # Panics
    ///
    /// If the kernel has no points, if samples are weighted, which linfa-svm cannot do, or for a C or tolerance
    /// that is not positive.
    fn solve_path(&self, problem: BinaryProblem<'_>, costs: &[f64]) -> Vec<BinarySolution> {
        assert!(problem.weights.is_none(), "linfa-svm has one C for all samples of a class");
        let rows: Vec<Vec<f64>> = (0..problem.kernel.len())
            .map(|sample| problem.kernel.point(sample).expect("linfa computes the kernel from points"))
            .collect();
        // A machine without any feature still needs a column; all its points coincide.
        let columns = rows.first().and_then(|row| NonZeroUsize::new(row.len())).map_or(1, NonZeroUsize::get);
        let records = Array2::from_shape_fn((rows.len(), columns), |(row, column)| {
            rows[row].get(column).copied().unwrap_or(0.0)
        });
        let dataset = Dataset::new(records, Array1::from(problem.positive.to_vec()));
        costs.iter().map(|&cost| solve(&dataset, problem, cost)).collect()
    }
}

fn solve(
    dataset: &Dataset<f64, bool, ndarray::Ix1>,
    problem: BinaryProblem<'_>,
    cost: f64,
) -> BinarySolution {
    let parameters = Svm::<f64, bool>::params()
        .pos_neg_weights(cost, cost)
        .gaussian_kernel(1.0)
        .eps(problem.stop.tolerance)
        .shrinking(false);
    let svm = parameters.fit(dataset).expect("C and tolerance are positive");
    // linfa keeps the label in the variable's sign.
    let alpha = svm.alpha.iter().map(|alpha| alpha.abs()).collect();
    BinarySolution { alpha, rho: svm.rho, steps: 0, converged: true }
}
