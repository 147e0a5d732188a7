//! The order of individuals: non-dominated sorting and crowding of NSGA-II (Deb and others, 2002), with a margin
//! for times.

use std::cmp::Ordering;

use super::Fitness;

/// Compares times; those within `margin` of each other are the same.
pub(super) fn compare_times(one: f64, other: f64, margin: f64) -> Ordering {
    if (one - other).abs() <= margin * one.min(other) { Ordering::Equal } else { one.total_cmp(&other) }
}

/// Returns true if one is no worse in anything, and better in something.
pub(super) fn dominates(one: Fitness, other: Fitness, margin: f64) -> bool {
    let time = compare_times(one.time_ns, other.time_ns, margin);
    let error = one.error.total_cmp(&other.error);
    time.is_le() && error.is_le() && (time.is_lt() || error.is_lt())
}

/// Rank and crowding distance of an individual: the lower the rank, then the larger the distance, the better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Standing {
    pub(super) rank: usize,
    pub(super) crowding: f64,
}

impl Standing {
    /// Less is better.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank).then(other.crowding.total_cmp(&self.crowding))
    }
}

/// Returns the standing of each.
pub(super) fn standings(all: &[Fitness], margin: f64) -> Vec<Standing> {
    let mut standings = vec![Standing { rank: 0, crowding: 0.0 }; all.len()];
    // Fronts are taken off one by one: a member of the next one has nobody left who is better.
    let mut better = Vec::with_capacity(all.len());
    for own in all {
        better.push(all.iter().filter(|other| dominates(**other, *own, margin)).count());
    }
    let mut front: Vec<usize> = (0..all.len()).filter(|&at| better[at] == 0).collect();
    for rank in 0.. {
        if front.is_empty() {
            break;
        }
        let crowding = crowding(&front.iter().map(|&at| all[at]).collect::<Vec<_>>());
        front.iter().zip(crowding).for_each(|(&at, crowding)| standings[at] = Standing { rank, crowding });
        let mut next = Vec::new();
        for &at in &front {
            for other in (0..all.len()).filter(|&other| dominates(all[at], all[other], margin)) {
                better[other] -= 1;
                if better[other] == 0 {
                    next.push(other);
                }
            }
        }
        next.sort_unstable();
        front = next;
    }
    standings
}

/// Returns the crowding distance of each: how far its neighbours are apart, as a share of the front's range.
///
/// It is infinite at the ends.
fn crowding(front: &[Fitness]) -> Vec<f64> {
    let mut room = vec![0.0; front.len()];
    for value in [|fitness: &Fitness| fitness.time_ns, |fitness: &Fitness| fitness.error] {
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&one, &other| value(&front[one]).total_cmp(&value(&front[other])));
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else { continue };
        let range = value(&front[last]) - value(&front[first]);
        room[first] = f64::INFINITY;
        room[last] = f64::INFINITY;
        if range > 0.0 {
            for three in order.windows(3) {
                room[three[1]] += (value(&front[three[2]]) - value(&front[three[0]])) / range;
            }
        }
    }
    room
}

/// Returns the positions of the front: by ascending error each that is faster, by more than the margin, than all
/// with less error.
pub(super) fn front(all: &[Fitness], margin: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&one, &other| {
        let (one, other) = (all[one], all[other]);
        one.error.total_cmp(&other.error).then(one.time_ns.total_cmp(&other.time_ns))
    });
    let mut best = f64::INFINITY;
    order.retain(|&at| {
        let is_faster = best.is_infinite() || compare_times(all[at].time_ns, best, margin).is_lt();
        best = if is_faster { all[at].time_ns } else { best };
        is_faster
    });
    order
}
