//! The tree of a search that proves, counted level by level.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Counts of states of one level, that is, with so many decisions above, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLevel {
    /// Replaced by their children.
    pub expanded: u64,
    /// Cut off, with everything inside: their bound is not under what is known.
    pub pruned: u64,
    /// Points inside of what was cut off, where they are counted.
    pub pruned_points: u64,
    /// Nothing is left of them.
    pub dead_ends: u64,
    /// Classes of points of which one was evaluated for all.
    #[serde(default)]
    pub closed: u64,
    /// Points of these that were not evaluated, where they are counted.
    #[serde(default)]
    pub closed_points: u64,
    /// Decided, and handed out to be evaluated.
    pub leaves: u64,
    /// Decided, and known before.
    pub known: u64,
}

impl TreeLevel {
    /// Returns the sum of two.
    #[must_use]
    pub fn with(self, other: &Self) -> Self {
        Self {
            expanded: self.expanded + other.expanded,
            pruned: self.pruned + other.pruned,
            pruned_points: self.pruned_points + other.pruned_points,
            closed: self.closed + other.closed,
            closed_points: self.closed_points + other.closed_points,
            dead_ends: self.dead_ends + other.dead_ends,
            leaves: self.leaves + other.leaves,
            known: self.known + other.known,
        }
    }
}

/// A tree of a search that proves.
///
/// ```
/// use nitro_search::{Tree, TreeLevel};
///
/// let root = TreeLevel { expanded: 1, ..TreeLevel::default() };
/// let under = TreeLevel { pruned: 1, pruned_points: 77, leaves: 23, ..TreeLevel::default() };
/// let tree = Tree { levels: vec![root, under], points: Some(100), classes: None };
/// assert!(tree.is_complete());
/// assert_eq!(tree.pruned_up_to(1), Some(0.77));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// From the root, which is level 0.
    pub levels: Vec<TreeLevel>,
    /// The number of all points by a count of its own; none where there are too many to count.
    pub points: Option<u64>,
    /// The classes of points up to which the search proves; none where each point stands for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassCounts>,
}

/// Classes of points that differ only in what seldom matters. One point stands for the others of its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// The number of classes that stayed closed.
    pub closed: u64,
    /// The number of those whose points were looked at one by one, since one might be faster.
    pub opened: u64,
    /// The number of classes of which further members were evaluated.
    pub sampled: u64,
    /// The number of these members.
    pub members: u64,
    /// The largest share by which such a member was faster than the point that stands for its class.
    pub spread: f64,
}

impl fmt::Display for ClassCounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "up to orders of unrolled loops and of threads, and to paddings: {} classes stand closed by one point each, \
             {} were opened; of {} sampled ones {} more points were timed, the best {:.1} % faster",
            self.closed,
            self.opened,
            self.sampled,
            self.members,
            100.0 * self.spread
        )
    }
}

impl Tree {
    /// Returns `true` if every point was pruned, closed, handed out or known, as far as they are counted.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let total = self.levels.iter().fold(TreeLevel::default(), |sum, level| sum.with(level));
        self.points.is_none_or(|points| {
            total.pruned_points + total.closed_points + total.leaves + total.known == points
        })
    }

    /// Returns the share of all points that was pruned up to a level; none where they are not counted.
    #[must_use]
    pub fn pruned_up_to(&self, level: usize) -> Option<f64> {
        let pruned: u64 = self.levels.iter().take(level + 1).map(|own| own.pruned_points).sum();
        Some(pruned as f64 / self.points? as f64)
    }
}
