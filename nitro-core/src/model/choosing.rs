//! The time for choosing, and what it leaves of a choice's speed.

/// Time of a call whose gate ends at the first comparison, in nanoseconds. This and the following were measured on one
/// core of a server processor (`cargo bench --bench dispatch`); they count where a call takes a few microseconds, and
/// there they need not be exact.
const FIRST_NS: f64 = 2.0;
/// Time of each further comparison, in nanoseconds. On inputs that nobody repeats every second one is predicted
/// wrongly.
pub const COMPARISON_NS: f64 = 6.0;
/// The least time of a call that the time for choosing counts against. A call of ten nanoseconds that ten more are
/// spent on is half as fast, and in the mean over the inputs that would outweigh one of a second that runs ten times
/// too long. So where a program makes such calls among others they wait some nanoseconds for the gate. (With a quarter
/// of a microsecond `sort` of `examples/everyday` would run one variant for every input, and all mixes of calls there
/// take 1.43 times as long as with the best choices, instead of 1.1.)
const LEAST_CALL_NS: f64 = 100.0;

/// Time of a selector before it has looked at anything.
const SELECTOR_NS: f64 = 60.0;
/// Time for each support vector.
const SUPPORT_VECTOR_NS: f64 = 1.1;
/// Time for each tree of a forest. It is 7 in a loop that does nothing else; a call that goes through some hundred
/// kilobytes puts the forest out of the caches, and the next choice takes two to three microseconds of 64 trees.
const FOREST_TREE_NS: f64 = 35.0;

/// Returns the time that a machine with so many support vectors takes for an input that a call does not remember, in
/// nanoseconds, without features.
#[must_use]
pub fn svm_ns(support_vectors: usize) -> f64 {
    SELECTOR_NS + SUPPORT_VECTOR_NS * support_vectors as f64
}

/// Returns the time that a forest with so many trees takes, as [`svm_ns`].
#[must_use]
pub fn forest_ns(trees: usize) -> f64 {
    SELECTOR_NS + FOREST_TREE_NS * trees as f64
}

/// Returns the time of a walk with so many comparisons, in nanoseconds.
#[must_use]
pub fn walk_ns(comparisons: usize) -> f64 {
    if comparisons == 0 { 0.0 } else { FIRST_NS + COMPARISON_NS * (comparisons - 1) as f64 }
}

/// Returns the time of the best choice, in nanoseconds, as it counts against the time for choosing.
#[must_use]
pub fn counted_ns(best_ns: f64) -> f64 {
    best_ns.max(LEAST_CALL_NS)
}

/// Returns the share of speed that is left of `share` where choosing takes so long: time of the best choice, as
/// [`counted_ns`] has it, over the time for choosing and running.
///
/// ```
/// // 100 ns at best, 125 chosen, 125 to choose.
/// assert_eq!(nitro_core::model::net_share(0.8, 100.0, 125.0), 0.4);
/// ```
#[must_use]
pub fn net_share(share: f64, best_ns: f64, choosing_ns: f64) -> f64 {
    share / (1.0 + share * choosing_ns / best_ns)
}

/// A walk from the root to some node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// Bit by bit the input features that were computed.
    pub seen: u32,
    /// The comparisons.
    pub comparisons: usize,
}

impl Way {
    /// Returns the way to either side of a comparison of a feature.
    #[must_use]
    pub fn behind(self, feature: usize) -> Self {
        Self { seen: self.seen | 1 << feature, comparisons: self.comparisons + 1 }
    }

    /// Returns `true` if a feature was computed.
    #[must_use]
    pub fn has_seen(self, feature: usize) -> bool {
        self.seen >> feature & 1 == 1
    }

    /// Returns the time of the walk with the features, whose times are given.
    #[must_use]
    pub fn choosing_ns(self, features_ns: &[f64]) -> f64 {
        let seen = features_ns.iter().enumerate().filter(|(feature, _)| self.has_seen(*feature));
        walk_ns(self.comparisons) + seen.map(|(_, time_ns)| time_ns).sum::<f64>()
    }
}
