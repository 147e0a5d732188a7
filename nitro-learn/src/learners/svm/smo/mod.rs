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

mod problem;
mod rows;
mod state;

pub use problem::{BinaryProblem, BinarySolution, BinarySolver, Kernel, Stop};
use rows::RowCache;
use state::State;

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
    // The solution for a smaller C, scaled, is near that for this one: a warm start saves most steps.
    state.rescale(cost, problem.weights);
    let limit = stop.steps(state.len());
    let mut steps = 0;
    let converged = loop {
        let Some(first) = state.most_violating(stop.tolerance) else { break true };
        if steps == limit {
            break false;
        }
        let second = state.partner(first, rows.get(first));
        // The row of `first` is in the cache by now. That of `second` may push out others, but not this one.
        state.step(first, second, rows.pair(first, second));
        steps += 1;
    };
    BinarySolution { alpha: state.alpha().to_vec(), rho: state.rho(), steps, converged }
}

#[cfg(test)]
mod tests;
