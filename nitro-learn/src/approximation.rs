//! Known errors of approximate variants.

use std::fmt;

use nitro_core::{Choice, Contract, Function};
use serde::Serialize;

/// The largest error of an approximate variant. It runs only in calls whose `tolerance` accepts that. `Display` says it
/// in words.
///
/// ```
/// let own = nitro_learn::Approximation { max_error: 0.003, over: Some("lengths to 4096") };
/// assert_eq!(own.to_string(), "approximate, relative error up to 0.003 over lengths to 4096");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Approximation {
    /// The largest relative error that was seen, above 0.
    pub max_error: f64,
    /// Over what inputs it was found, if that was said.
    pub over: Option<&'static str>,
}

impl Approximation {
    /// Returns the error of a choice that is approximate.
    pub fn of(function: &Function, choice: Choice) -> Option<Self> {
        match function.contract(choice) {
            Contract::Approx { max_error, over } => Some(Self { max_error, over }),
            Contract::Exact | Contract::Equivalent => None,
        }
    }
}

impl fmt::Display for Approximation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max_error, over } = *self;
        Contract::Approx { max_error, over }.fmt(formatter)
    }
}
