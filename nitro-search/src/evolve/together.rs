//! Which edits live together: pairs that have lived, and the blame that failures leave on those that have not.

/// The highest risk: what failed once for certain may have failed for another reason.
const MOST_RISK: f64 = 0.95;
/// The number of pairs that are taken to have lived before any has, for half a failure.
const EXPECTED_PAIRS: f64 = 50.0;

/// What is known about edits, by their columns, that are made together.
///
/// A pair that has lived is trusted. A set that failed has failed for one of the pairs that never lived, each as
/// likely. A column stands in a pair with itself for the stages to which only what looks faster comes.
pub(super) struct Together {
    columns: usize,
    has_lived: Vec<bool>,
    blame: Vec<f64>,
    /// The risk of a pair of which nothing is known.
    unknown: f64,
}

impl Together {
    /// Learns from sets of columns that lived, with whether each looked faster, and from those that failed.
    pub(super) fn new(columns: usize, lived: &[(Vec<usize>, bool)], failed: &[Vec<usize>]) -> Self {
        let pairs = columns * columns;
        let mut own = Self { columns, has_lived: vec![false; pairs], blame: vec![0.0; pairs], unknown: 0.0 };
        for (set, looked_faster) in lived {
            for (at, &one) in set.iter().enumerate() {
                for &other in &set[at + usize::from(!looked_faster)..] {
                    let pair = own.pair(one, other);
                    own.has_lived[pair] = true;
                }
            }
        }
        let mut failures = 0.5;
        for set in failed {
            let mut suspects = Vec::new();
            for (at, &one) in set.iter().enumerate() {
                suspects.extend(set[at..].iter().map(|&other| own.pair(one, other)));
            }
            suspects.retain(|&pair| !own.has_lived[pair]);
            for &pair in &suspects {
                own.blame[pair] += 1.0 / suspects.len() as f64;
            }
            failures += f64::from(u8::from(!suspects.is_empty()));
        }
        let trusted = own.has_lived.iter().filter(|has_lived| **has_lived).count();
        own.unknown = failures / (EXPECTED_PAIRS + failures + trusted as f64);
        own
    }

    /// Returns the place of a pair, whichever comes first.
    fn pair(&self, one: usize, other: usize) -> usize {
        one.min(other) * self.columns + one.max(other)
    }

    /// Returns the risk that two edits fail together, or an edit by itself in what looks faster.
    pub(super) fn risk(&self, one: usize, other: usize) -> f64 {
        let pair = self.pair(one, other);
        if self.has_lived[pair] { 0.0 } else { (self.unknown + self.blame[pair]).min(MOST_RISK) }
    }

    /// Returns the chance that a set goes on living with another edit.
    pub(super) fn chance(&self, set: &[usize], added: usize) -> f64 {
        let mut chance = 1.0 - self.risk(added, added);
        for &other in set.iter().filter(|other| **other != added) {
            chance *= 1.0 - self.risk(added, other);
        }
        chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blame_falls_on_pairs_that_never_lived_and_on_one_that_is_left_alone() {
        let lived = [(vec![0, 1, 2], true), (vec![2, 3], true), (vec![4], false)];
        let together = Together::new(6, &lived, &[vec![0, 1, 3], vec![1, 2, 3]]);
        assert_eq!(together.risk(1, 0), 0.0);
        assert_eq!(together.risk(3, 1), 0.95, "the second failed for nothing else");
        assert!(together.risk(0, 3) < 0.6 && together.risk(0, 3) > 0.5);
        assert_eq!((together.risk(3, 3), together.risk(4, 4) > 0.0), (0.0, true));
        assert!(together.chance(&[0, 1], 2) == 1.0 && together.chance(&[0, 1], 3) < 0.05);
        assert!(together.risk(4, 5) < 0.2, "nothing is known: {}", together.risk(4, 5));
    }
}
