//! CV-DFS: device features selected by cross-validation over source devices.

use std::collections::{BTreeMap, BTreeSet};

use crate::learners::transfer::Transfer;

impl Transfer {
    /// CV-DFS: the subset that does best on a temporary target wins there (ties: the smaller, then the
    /// alphabetically first); the features of the `keep` most frequent winners are selected, in alphabetical order.
    /// (The paper keeps the k most frequent features of all winners; see the guide, `guide/src/paper.md`.) Winners
    /// that are equally frequent are taken in the order of their mean over all temporary targets: with many subsets
    /// and few devices most winners win once.
    ///
    /// Nothing is selected when there were too few sources or no candidates.
    pub fn selected(&self, keep: usize) -> Vec<String> {
        self.selected_by(&(0..self.scores.len()).collect::<Vec<_>>(), keep)
    }

    /// Selects as [`Transfer::selected`] does, with no say for one temporary target: what CV-DFS selects for a device
    /// that took no part in it.
    pub fn selected_without(&self, target: usize, keep: usize) -> Vec<String> {
        self.selected_by(&(0..self.scores.len()).filter(|&other| other != target).collect::<Vec<_>>(), keep)
    }

    fn selected_by(&self, targets: &[usize], keep: usize) -> Vec<String> {
        let winners = self.frequent_winners(targets);
        let features: BTreeSet<usize> =
            winners.into_iter().take(keep).flat_map(|subset| self.subsets[subset].iter().copied()).collect();
        features.into_iter().map(|feature| self.candidates[feature].clone()).collect()
    }

    /// Winning subsets on some temporary targets, most frequent first.
    fn frequent_winners(&self, targets: &[usize]) -> Vec<usize> {
        let mut frequency: BTreeMap<usize, usize> = BTreeMap::new();
        for winner in targets.iter().filter_map(|&target| self.winner(target)) {
            *frequency.entry(winner).or_default() += 1;
        }
        let mut order: Vec<(usize, usize)> = frequency.into_iter().collect();
        // Of subsets that win as often, the one with the best mean. The sort is stable, and subsets are numbered by
        // size and alphabetically.
        order.sort_by(|a, b| {
            b.1.cmp(&a.1).then_with(|| self.sum(targets, b.0).total_cmp(&self.sum(targets, a.0)))
        });
        order.into_iter().map(|(subset, _)| subset).collect()
    }

    /// Sums the scores of a subset on some temporary targets.
    fn sum(&self, targets: &[usize], subset: usize) -> f64 {
        targets.iter().map(|&target| self.scores[target][subset]).sum()
    }

    /// The best subset that is not empty. Calling small differences a tie was tried (half a percent of exhaustive
    /// search): smaller subsets won, and did worse on held-out devices where there were few sources.
    fn winner(&self, target: usize) -> Option<usize> {
        let scores = &self.scores[target];
        (1..self.subsets.len())
            .reduce(|best, subset| if scores[subset] > scores[best] { subset } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(scores: &[&[f64]]) -> Transfer {
        Transfer {
            candidates: vec!["a".into(), "b".into()],
            subsets: vec![vec![], vec![0], vec![1], vec![0, 1]],
            scores: scores.iter().map(|row| row.to_vec()).collect(),
        }
    }

    #[test]
    fn the_most_frequent_winner_is_selected() {
        let table = table(&[&[0.9, 0.2, 0.5, 0.4], &[0.9, 0.2, 0.5, 0.4], &[0.9, 1.0, 0.5, 0.4]]);
        assert_eq!(table.selected(1), ["b"]);
        assert_eq!(table.selected(2), ["a", "b"]);
        assert_eq!(table.selected(9), ["a", "b"]);
    }

    #[test]
    fn a_tie_on_a_target_goes_to_the_smaller_and_first_subset() {
        let table = table(&[&[0.0, 0.7, 0.7, 0.7]]);
        assert_eq!(table.selected(1), ["a"]);
    }

    #[test]
    fn equally_frequent_winners_are_ordered_by_their_mean() {
        let table = table(&[&[0.0, 0.9, 0.8, 0.1], &[0.0, 0.1, 0.8, 0.1], &[0.0, 0.1, 0.8, 0.9]]);
        assert_eq!(table.selected(1), ["b"]);
    }

    #[test]
    fn a_target_has_no_say_in_its_own_estimate() {
        let table = table(&[&[0.0, 0.9, 0.2, 0.1], &[0.0, 0.3, 0.8, 0.1], &[0.0, 0.3, 0.8, 0.1]]);
        assert_eq!(table.selected_without(0, 1), ["b"], "the other two select b");
        assert_eq!(table.selected_without(2, 1), ["a"], "equally frequent, and better on average");
    }
}
