//! Learning from outcomes: a Gaussian process over the space, whose kernel joins the parameters with what
//! other devices measured.

pub(crate) mod expert;
mod features;
mod fit;
mod forest;
mod kernel;
pub(crate) mod modes;
mod posterior;
mod pretrain;

pub(crate) use self::features::Features;

use crate::Evaluation;

/// The share of the best speed that something loses: 0 is as fast as the best, 1 is what failed. It is what
/// searches are judged by; a logarithm would mind the difference between four and eight times too slow as much as
/// that between right and half as fast.
pub(crate) fn loss(evaluation: Evaluation, best_ns: f64) -> f64 {
    match evaluation.time_ns() {
        Some(time_ns) if time_ns > best_ns => 1.0 - best_ns / time_ns,
        Some(_) => 0.0,
        None => 1.0,
    }
}

/// The fastest of what ran.
pub(crate) fn best_ns(evaluations: impl Iterator<Item = Evaluation>) -> f64 {
    evaluations.map(Evaluation::cost).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests;
