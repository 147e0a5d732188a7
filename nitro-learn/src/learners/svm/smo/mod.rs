//! Two-class C-SVC by sequential minimal optimisation.
//!
//! The dual of the C-SVC is: minimise `½ Σ αᵢ αⱼ yᵢ yⱼ K(i,j) − Σ αᵢ` with `0 ≤ αᵢ ≤ C` and `Σ yᵢ αᵢ = 0`. Each step
//! moves two variables along the equality constraint; which two is decided with second-order information (Fan, Chen
//! and Lin 2005, "Working set selection using second order information for training support vector machines").
//!
//! The state kept a sample is its *violation* `vᵢ = yᵢ − Σ αⱼ yⱼ K(i,j)`, the negative gradient with the label
//! multiplied in. In these terms a step is `v −= δ (K(i,·) − K(j,·))` whatever the labels are, and the
//! Karush-Kuhn-Tucker conditions read: no sample that may move up has a larger `v` than one that may move down.
//!
//! Samples may have weights, which scale their C. No shrinking: the problems here have at most a few thousand
//! samples, whose kernel rows all fit the cache, and a search for C goes on from one C to the next, which would
//! have to undo it.

mod rows;
mod state;

use rows::RowCache;
use state::State;

/// A kernel function over a fixed set of samples, asked for whole rows.
pub trait Kernel: Sync {
    /// Returns the number of samples.
    fn len(&self) -> usize;

    /// Returns true if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes `K(sample, t)` for every `t`.
    fn row(&self, sample: usize, out: &mut [f32]);

    /// Coordinates in which `K(a, b) = exp(−‖a − b‖²)`, for solvers that want points instead of kernel values.
    fn point(&self, _sample: usize) -> Option<Vec<f64>> {
        None
    }

    /// `K(sample, sample)`; 1 for every RBF kernel.
    fn diagonal(&self, _sample: usize) -> f64 {
        1.0
    }
}

/// A problem of two classes: a kernel, one label a sample and how exact the answer has to be.
#[derive(Clone, Copy)]
pub struct BinaryProblem<'a> {
    /// Kernel over the samples.
    pub kernel: &'a dyn Kernel,
    /// True for a sample of the positive class; both classes must occur.
    pub positive: &'a [bool],
    /// The cost of an error on each sample, as a factor of C; none where all cost the same.
    pub weights: Option<&'a [f64]>,
    /// The end of the iterations.
    pub stop: Stop,
}

/// The tolerance and the bound on steps at which a solver may stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Largest violation of the optimality conditions that is left; LIBSVM's `-e`.
    pub tolerance: f64,
    /// Steps after which the solver gives up and says so; 0 for a bound that only a broken kernel reaches.
    pub max_steps: usize,
}

impl Default for Stop {
    fn default() -> Self {
        Self { tolerance: 1e-3, max_steps: 0 }
    }
}

impl Stop {
    /// A search's machine may be left unfinished: an estimate does not need the last digits, and a cell of the grid
    /// that needs so many steps is not one to choose.
    pub fn of_search(samples: usize) -> Self {
        Self { tolerance: 1e-2, max_steps: 40 * samples.max(250) }
    }

    fn steps(self, samples: usize) -> usize {
        if self.max_steps > 0 { self.max_steps } else { (100 * samples).max(10_000_000) }
    }
}

/// The optimum of one [`BinaryProblem`] for one C.
#[derive(Clone, Debug, PartialEq)]
pub struct BinarySolution {
    /// One dual variable a sample, between 0 and C times the sample's weight.
    pub alpha: Vec<f64>,
    /// The decision value of a point is `Σ yᵢ αᵢ K(i, point) − rho`; positive class above 0.
    pub rho: f64,
    /// Steps taken.
    pub steps: usize,
    /// True if the tolerance was reached before the bound on steps.
    pub converged: bool,
}

/// Something that solves the C-SVC dual; [`Smo`] by default.
pub trait BinarySolver: Sync {
    /// Solves the same problem for every C of an ascending list.
    ///
    /// A list, because the solution for one C is a good start for the next.
    fn solve_path(&self, problem: BinaryProblem<'_>, costs: &[f64]) -> Vec<BinarySolution>;

    /// Solves the problem for one C.
    fn solve(&self, problem: BinaryProblem<'_>, cost: f64) -> BinarySolution {
        self.solve_path(problem, &[cost]).pop().expect("one solution a cost")
    }
}

/// Our own solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smo;

impl BinarySolver for Smo {
    fn solve_path(&self, problem: BinaryProblem<'_>, costs: &[f64]) -> Vec<BinarySolution> {
        let mut rows = RowCache::new(problem.kernel);
        let mut state = State::new(problem);
        costs.iter().map(|&cost| solve_from(&mut state, &mut rows, problem, cost)).collect()
    }
}

/// Carries the state from the C it was solved for to this one, then steps until it is optimal.
fn solve_from(
    state: &mut State,
    rows: &mut RowCache<'_>,
    problem: BinaryProblem<'_>,
    cost: f64,
) -> BinarySolution {
    let stop = problem.stop;
    state.rescale(cost, problem.weights);
    let limit = stop.steps(state.len());
    let mut steps = 0;
    let converged = loop {
        let Some(first) = state.most_violating(stop.tolerance) else { break true };
        if steps == limit {
            break false;
        }
        let second = state.partner(first, rows.get(first));
        state.step(first, second, rows.pair(first, second));
        steps += 1;
    };
    BinarySolution { alpha: state.alpha().to_vec(), rho: state.rho(), steps, converged }
}

#[cfg(test)]
mod tests;
