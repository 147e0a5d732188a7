//! Combinations of ways to spread dimensions, and the order of the threads that they make up.

use super::dimensions::Split;
use super::lanes::Axis;
use super::time_bound::TimeBound;
use crate::candidate::Candidate;

/// So many ways to spread a statement are looked at with the loops of their threads.
pub(super) const MOST_FINE: usize = 128;

/// Sorts axes so that the loop comes first whose neighbouring iterations are neighbouring threads.
///
/// The second result is false where that is not decided yet.
pub(super) fn in_order(bound: &TimeBound, candidate: &Candidate, mut axes: Vec<Axis>) -> (Vec<Axis>, bool) {
    axes.retain(|axis| axis.threads > 1);
    for (at, one) in axes.iter().enumerate() {
        if axes[at + 1..].iter().any(|other| bound.is_inside(one.at, other.at, candidate).is_none()) {
            return (axes, false);
        }
    }
    // An axis comes the later, the more loops of threads lie within its own.
    let mut order = Vec::with_capacity(axes.len());
    for axis in &axes {
        let others = axes.iter().filter(|other| other.at != axis.at);
        let depth =
            others.filter(|other| bound.is_inside(other.at, axis.at, candidate) == Some(true)).count();
        order.push((depth, *axis));
    }
    order.sort_unstable();
    (order.into_iter().map(|(_, axis)| axis).collect(), true)
}

/// Shows each combination of one of each list, if they are few enough to look at what threads touch together.
pub(super) fn combinations(lists: &[&Vec<Split>], mut see: impl FnMut(&[&Split])) {
    let count = lists.iter().map(|list| list.len()).product::<usize>();
    let mut at = vec![0; lists.len()];
    while (1..=MOST_FINE).contains(&count) {
        let splits: Vec<&Split> = at.iter().zip(lists).map(|(&at, list)| &list[at]).collect();
        see(&splits);
        if !next(&mut at, lists) {
            break;
        }
    }
}

/// Counts up through all combinations, and returns false after the last one.
pub(super) fn next(at: &mut [usize], lists: &[&Vec<Split>]) -> bool {
    for (at, list) in at.iter_mut().zip(lists) {
        *at += 1;
        if *at < list.len() {
            return true;
        }
        *at = 0;
    }
    false
}
