//! The ways in which a state may still spread a statement over blocks and threads, and the best of them.

use std::sync::Arc;

use super::super::state::Partial;
use super::candidate::{Grid, Place, Seen, Shape, Times, Use};
use super::dimensions::{Split, Splits};
use super::time_bound::TimeBound;
use super::work::WorkDimension;

/// So many ways to spread a statement are looked at with the loops of their threads, and without them; of more only what is least of each dimension by itself.
const MOST_FINE: usize = 128;
const MOST_COARSE: usize = 4096;
/// The least time of all ways to spread one statement, and the way.
#[derive(Clone, Debug)]
pub(super) struct Least {
    pub(super) work: usize,
    pub(super) times: Times,
    /// How each of its dimensions is spread; none where only what is least of each was looked at.
    pub(super) splits: Vec<Split>,
    pub(super) grid: Grid,
    pub(super) used: Use,
}

impl Least {
    pub(super) fn ns(&self) -> f64 {
        longest(&self.times)
    }
}

fn longest(times: &Times) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

/// A state as the bound sees it.
pub(super) struct State<'a> {
    bound: &'a TimeBound,
    /// By work and dimension.
    splits: Vec<Vec<Arc<Splits>>>,
    seen: Vec<Vec<Seen>>,
    least: Vec<Use>,
    shared_bytes: f64,
    barriers: f64,
}

impl<'a> State<'a> {
    pub(super) fn new(bound: &'a TimeBound, partial: &Partial) -> Self {
        let works = &bound.works();
        let splits: Vec<Vec<Arc<Splits>>> = works
            .iter()
            .map(|work| work.dimensions.iter().map(|own| bound.splits(own.position, partial)).collect())
            .collect();
        let seen: Vec<Vec<Seen>> = works
            .iter()
            .map(|work| work.reads.iter().chain(&work.writes).map(|own| bound.seen(own, partial)).collect())
            .collect();
        let least = works.iter().zip(&seen).zip(&splits).map(|((work, seen), splits)| {
            let sizes = work.dimensions.iter().map(|own| own.size);
            let shapes: Vec<Shape> =
                sizes.zip(splits).map(|(size, splits)| Shape::least(size, splits)).collect();
            Use::of(work, seen, &shapes)
        });
        let least = least.collect();
        let (shared_bytes, barriers) = (bound.shared_bytes(partial), bound.barriers(partial));
        Self { bound, splits, seen, least, shared_bytes, barriers }
    }

    pub(super) fn least_of(&self, main: usize) -> Least {
        let others = self.least.iter().enumerate().filter(|(at, _)| *at != main);
        let others = others.fold(Use::default(), |sum, (_, own)| sum.plus(*own));
        let splits = &self.splits[main];
        let count = |of: fn(&Splits) -> usize| splits.iter().map(|own| of(own)).product::<usize>();
        if count(|own| own.fine.len()) <= MOST_FINE {
            self.of_all(main, &others, |own| &own.fine, true)
        } else if count(|own| own.coarse.len()) <= MOST_COARSE {
            self.of_all(main, &others, |own| &own.coarse, false)
        } else {
            self.loose(main, &others)
        }
    }

    fn loose(&self, main: usize, others: &Use) -> Least {
        let work = &self.bound.works()[main];
        let splits = &self.splits[main];
        let most = |own: &Arc<Splits>| own.coarse.iter().map(|split| split.blocks as f64).fold(1.0, f64::max);
        let carried = work.dimensions.iter().zip(splits).filter(|(own, _)| own.carried);
        let least = |own: &Arc<Splits>| own.coarse.iter().map(|split| split.inside as f64).reduce(f64::min);
        let chain: f64 = carried.map(|(_, own)| least(own).unwrap_or(1.0)).product();
        let grid = Grid {
            blocks: splits.iter().map(most).product(),
            blocks_known: false,
            threads: 0.0,
            shared_bytes: self.shared_bytes,
            chain_clocks: self.chain_clocks(main, chain, 0.0),
            barriers: self.barriers,
        };
        let used = self.least[main];
        let times = grid.times(&used, others, self.bound.rates(), self.bound.terms());
        Least { work: main, times, splits: Vec::new(), grid, used: used.plus(*others) }
    }

    fn of_all(&self, main: usize, others: &Use, list: fn(&Splits) -> &Vec<Split>, fine: bool) -> Least {
        let lists: Vec<&Vec<Split>> = self.splits[main].iter().map(|own| list(own)).collect();
        let mut best: Option<Least> = None;
        let mut at = vec![0; lists.len()];
        if lists.iter().all(|list| !list.is_empty()) {
            loop {
                let splits: Vec<&Split> = at.iter().zip(&lists).map(|(&at, list)| &list[at]).collect();
                let limit = best.as_ref().map_or(f64::INFINITY, Least::ns);
                best = self.candidate(main, others, &splits, fine, limit).or(best);
                if !next(&mut at, &lists) {
                    break;
                }
            }
        }
        best.unwrap_or_else(|| self.loose(main, others))
    }

    /// One way, if it takes less than the limit.
    fn candidate(
        &self,
        main: usize,
        others: &Use,
        splits: &[&Split],
        fine: bool,
        limit: f64,
    ) -> Option<Least> {
        let bound = self.bound;
        let work = &bound.works()[main];
        let threads: f64 = splits.iter().map(|split| split.threads as f64).product();
        if threads > bound.rates().threads_per_block as f64 {
            return None;
        }
        let shape = |(own, split): (&WorkDimension, &&Split)| Shape::of(own.size, split);
        let shapes: Vec<Shape> = work.dimensions.iter().zip(splits).map(shape).collect();
        let mut used = Use::of(work, &self.seen[main], &shapes);
        let blocks: f64 = splits.iter().map(|split| split.blocks as f64).product();
        let carried = work.dimensions.iter().zip(splits).filter(|(own, _)| own.carried);
        let chain: f64 = carried.map(|(_, split)| split.inside as f64).product();
        let instructions = (used.arithmetic_lanes + used.memory_lanes) / (blocks * threads);
        let mut grid = Grid {
            blocks,
            blocks_known: true,
            threads,
            shared_bytes: self.shared_bytes,
            chain_clocks: self.chain_clocks(main, chain, instructions),
            barriers: self.barriers,
        };
        if fine {
            used.sectors += self.uncoalesced(main, splits, blocks);
        }
        if !bound.terms().whole_blocks {
            grid.blocks_known = false;
        }
        let times = grid.times(&used, others, bound.rates(), bound.terms());
        if longest(&times) >= limit {
            return None;
        }
        let splits = splits.iter().map(|&split| split.clone()).collect();
        Some(Least { work: main, times, splits, grid, used: used.plus(*others) })
    }

    /// A thread waits for its first operands, then adds up one after the other; a warp starts one instruction a clock.
    fn chain_clocks(&self, main: usize, carried: f64, instructions: f64) -> f64 {
        let (work, rates) = (&self.bound.works()[main], self.bound.rates());
        let sums = if work.computes { carried * rates.arithmetic_clocks } else { 0.0 };
        let loads = if work.reads.is_empty() { 0.0 } else { rates.load_clocks.min(rates.shared_load_clocks) };
        (sums + loads).max(instructions)
    }

    /// Sectors beyond those that the bytes have, of what is read directly.
    fn uncoalesced(&self, main: usize, splits: &[&Split], blocks: f64) -> f64 {
        let work = &self.bound.works()[main];
        let direct = work.reads.iter().zip(&self.seen[main]).filter(|(_, seen)| seen.place == Place::Global);
        direct
            .map(|(own, seen)| self.bound.sectors(own.axes(splits)) * own.loads(splits, seen.width) * blocks)
            .sum()
    }
}

/// Counts up through all combinations.
fn next(at: &mut [usize], lists: &[&Vec<Split>]) -> bool {
    for (at, list) in at.iter_mut().zip(lists) {
        *at += 1;
        if *at < list.len() {
            return true;
        }
        *at = 0;
    }
    false
}
