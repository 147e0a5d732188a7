//! The trait of who hears how an evolution goes on.

/// Hears how an evolution goes on.
pub trait Observer {
    /// Takes a line for people.
    fn message(&self, line: &str);

    /// Takes the state after a generation.
    fn progress(&self, state: &Progress);
}

/// The state of an evolution after a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The number of complete generations.
    pub generation: usize,
    /// The number of evaluated candidates.
    pub trials: usize,
    /// The share of its time, its trials or its generations that is over, the largest of the three.
    pub share: f64,
    /// The time of the original with the inputs of the search.
    pub original_ns: Option<f64>,
    /// The fastest time among candidates that are as exact as the original.
    pub best_exact_ns: Option<f64>,
    /// The fastest time of all.
    pub best_ns: Option<f64>,
}
