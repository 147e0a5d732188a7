//! Constraints that configurations have to meet.

use std::fmt;
use std::sync::Arc;

/// A predicate over the values of some parameters.
///
/// ```
/// use nitro_search::Constraint;
///
/// let threads = Constraint::new(["block_x", "block_y"], |values| values[0] * values[1] <= 1024.0);
/// assert!(threads.admits(&[32.0, 32.0]));
/// ```
#[derive(Clone)]
pub struct Constraint {
    names: Vec<String>,
    admits: Arc<Admits>,
}

type Admits = dyn Fn(&[f64]) -> bool + Send + Sync;

impl Constraint {
    /// A predicate over the values of these parameters, in this order, as
    /// [`Parameter::number`](crate::Parameter::number) gives them. The fewer it names, the sooner it rules out what
    /// cannot be completed. It has to answer the same for the same values.
    #[must_use]
    pub fn new<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
        admits: impl Fn(&[f64]) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), admits: Arc::new(admits) }
    }

    /// The parameters that it is about.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns true if it admits these values, one for each of its parameters.
    #[must_use]
    pub fn admits(&self, values: &[f64]) -> bool {
        (self.admits)(values)
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Constraint").field("names", &self.names).finish_non_exhaustive()
    }
}
