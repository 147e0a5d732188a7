//! The problem of two classes that a solver is handed, and its solution.

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

    /// Returns the bound on steps for so many samples.
    pub(super) fn steps(self, samples: usize) -> usize {
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

/// A solver of the C-SVC dual; [`Smo`](super::Smo) by default.
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
