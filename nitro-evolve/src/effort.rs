//! The effort of running a program.

use serde::{Deserialize, Serialize};

/// The numbers of runs of a program, and the error that it may have.
///
/// ```
/// use nitro_evolve::Effort;
///
/// let effort = Effort::new(7, 1).within(0.01);
/// assert_eq!((effort.runs, effort.checks, effort.most_error), (7, 1, Some(0.01)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Timed runs of each case; the median of their times counts. A runner may make fewer of a program that is
    /// clearly slower than the original. Without any, times are 0: only results are compared.
    pub runs: u32,
    /// Runs whose results are compared, at least 1. A difference in any of them is an error.
    pub checks: u32,
    /// The error above which a program fails at once and is not timed. None if its time is wanted all the same.
    pub most_error: Option<f64>,
}

impl Effort {
    /// Creates an effort of so many timed runs and so many compared ones, without a limit to the error.
    #[must_use]
    pub const fn new(runs: u32, checks: u32) -> Self {
        Self { runs, checks, most_error: None }
    }

    /// Returns the same effort for programs with at most this error.
    #[must_use]
    pub const fn within(self, most_error: f64) -> Self {
        Self { most_error: Some(most_error), ..self }
    }

    /// Returns the reason to stop at a result of this error, if there is one.
    pub(crate) fn objection(&self, error: f64) -> Option<String> {
        let most = self.most_error.filter(|most| error > *most || error.is_nan())?;
        Some(format!("a result has an error of {error:.1e}, more than {most:.1e}"))
    }
}

/// The effort of each stage that runs candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efforts {
    /// The effort of first runs, in which [loops end](nitro_ptx::Module::with_deadline) and [stray
    /// accesses](nitro_ptx::Module::with_bounds) end the thread. Without them a wrong candidate ends its process,
    /// which costs a device half a second. None where that costs nothing.
    pub first: Option<Effort>,
    /// The effort with the inputs of the search.
    pub search: Effort,
    /// The effort with the inputs of the validation, and while a patch is minimised.
    pub validation: Effort,
    /// The effort with the inputs of the test.
    pub test: Effort,
}

impl Efforts {
    /// The efforts for times that vary from run to run.
    pub const MEASURED: Self = Self {
        first: Some(Effort::new(0, 1)),
        search: Effort::new(7, 1),
        validation: Effort::new(15, 3),
        test: Effort::new(31, 1000),
    };
    /// The efforts for counted times, which are the same in every run.
    pub const COUNTED: Self = Self {
        first: None,
        search: Effort::new(1, 1),
        validation: Effort::new(1, 2),
        test: Effort::new(1, 5),
    };
}
