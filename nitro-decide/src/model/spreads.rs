//! The ways in which a state may still spread a statement over blocks and threads, and the best of them.

use std::sync::Arc;

use super::arrays::Waits;
use super::combinations::{MOST_FINE, in_order, next};
use super::dimensions::{Split, Splits};
use super::grid::{Grid, Times};
use super::lanes::Request;
use super::phases::Phases;
use super::terms::TimeTerm;
use super::time_bound::TimeBound;
use super::usage::{ArrayState, Place, Shape, Use};
use super::work::{ArrayAccess, Work};
use crate::candidate::Candidate;

/// So many ways to spread a statement are looked at without the loops of their threads; of more only the least of
/// each dimension by itself.
const MOST_COARSE: usize = 4096;

/// The least time of all ways to spread one statement, and the way.
#[derive(Clone, Debug)]
pub(super) struct Least {
    pub(super) work: usize,
    pub(super) times: Times,
    /// The split of each of its dimensions; none where only the least of each was looked at.
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
    candidate: &'a Candidate,
    /// By work and dimension.
    splits: Vec<Vec<Arc<Splits>>>,
    seen: Vec<Vec<ArrayState>>,
    least: Vec<Use>,
    shared_bytes: f64,
    waits: Waits,
}

impl<'a> State<'a> {
    pub(super) fn new(bound: &'a TimeBound, candidate: &'a Candidate) -> Self {
        let (mut all_splits, mut all_seen, mut least) = (Vec::new(), Vec::new(), Vec::new());
        for work in bound.works() {
            let (mut splits, mut shapes) = (Vec::new(), Vec::new());
            for own in &work.dimensions {
                let ways = bound.splits(own.position, candidate);
                shapes.push(Shape::least(own.size, &ways));
                splits.push(ways);
            }
            let touched = work.reads.iter().chain(&work.writes);
            let seen: Vec<ArrayState> = touched.map(|own| bound.seen(own, candidate)).collect();
            least.push(Use::of(work, &seen, &shapes));
            all_splits.push(splits);
            all_seen.push(seen);
        }
        let (shared_bytes, waits) = (bound.shared_bytes(candidate), bound.waits(candidate));
        Self { bound, candidate, splits: all_splits, seen: all_seen, least, shared_bytes, waits }
    }

    /// Returns the least time with one statement spread in all ways, and the others at their least.
    ///
    /// The more ways there are, the less is looked at of each: it has to cost microseconds.
    pub(super) fn least_of(&self, main: usize) -> Least {
        // The other statements use resources too, in whatever way takes least.
        let others = self.least.iter().enumerate().filter(|(at, _)| *at != main);
        let others = others.fold(Use::default(), |sum, (_, own)| sum.plus(*own));
        let splits = &self.splits[main];
        if splits.iter().map(|own| own.fine.len()).product::<usize>() <= MOST_FINE {
            self.of_all(main, &others, |own| &own.fine, true)
        } else if splits.iter().map(|own| own.coarse.len()).product::<usize>() <= MOST_COARSE {
            self.of_all(main, &others, |own| &own.coarse, false)
        } else {
            self.loose(main, &others)
        }
    }

    /// Returns the least of each figure by itself, whatever goes together.
    fn loose(&self, main: usize, others: &Use) -> Least {
        let work = &self.bound.works()[main];
        let splits = &self.splits[main];
        let (mut blocks, mut chain) = (1.0, 1.0);
        for (own, splits) in work.dimensions.iter().zip(splits) {
            // The most blocks and the shortest chain, though no way to spread may have both.
            blocks *= splits.coarse.iter().map(|split| split.blocks as f64).fold(1.0, f64::max);
            if own.carried {
                chain *=
                    splits.coarse.iter().map(|split| split.inside as f64).reduce(f64::min).unwrap_or(1.0);
            }
        }
        let mut grid = Grid {
            blocks,
            blocks_known: false,
            threads: 0.0,
            shared_bytes: self.shared_bytes,
            registers: 0.0,
            chain_clocks: self.chain_clocks(main, chain, [0.0; 2], self.bound.rates().load_clocks),
            barriers: self.waits.barriers,
            phases: Phases::default(),
        };
        let used = self.least[main];
        grid.phases = self.phases(main, &used, &grid, self.bound.rates().load_clocks);
        let times = grid.times(&used, others, self.bound.rates(), self.bound.terms());
        Least { work: main, times, splits: Vec::new(), grid, used: used.plus(*others) }
    }

    /// Looks at all combinations of splits, and returns the one of the least time.
    fn of_all(&self, main: usize, others: &Use, list: fn(&Splits) -> &Vec<Split>, fine: bool) -> Least {
        let lists: Vec<&Vec<Split>> = self.splits[main].iter().map(|own| list(own)).collect();
        // The best so far is the limit of the others: a way that comes to more is given up.
        let mut best: Option<Least> = None;
        let mut at = vec![0; lists.len()];
        if lists.iter().all(|list| !list.is_empty()) {
            loop {
                let splits: Vec<&Split> = at.iter().zip(&lists).map(|(&at, list)| &list[at]).collect();
                let limit = best.as_ref().map_or(f64::INFINITY, Least::ns);
                best = self.one_way(main, others, &splits, fine, limit).or(best);
                if !next(&mut at, &lists) {
                    break;
                }
            }
        }
        best.unwrap_or_else(|| self.loose(main, others))
    }

    /// Returns the time of one way, if it is less than the limit.
    fn one_way(&self, main: usize, others: &Use, splits: &[&Split], fine: bool, limit: f64) -> Option<Least> {
        let bound = self.bound;
        let work = &bound.works()[main];
        // No block has more threads than the device allows.
        let threads: f64 = splits.iter().map(|split| split.threads as f64).product();
        if threads > bound.rates().threads_per_block as f64 {
            return None;
        }
        let dimensions = work.dimensions.iter().zip(splits);
        let shapes: Vec<Shape> = dimensions.map(|(own, split)| Shape::of(own.size, split)).collect();
        let mut used = Use::of(work, &self.seen[main], &shapes);
        let blocks: f64 = splits.iter().map(|split| split.blocks as f64).product();
        let carried = work.dimensions.iter().zip(splits).filter(|(own, _)| own.carried);
        let chain: f64 = carried.map(|(_, split)| split.inside as f64).product();
        // What one thread starts, and how much of a sum it adds up one after the other.
        let arithmetic = used.arithmetic_lanes / (blocks * threads);
        let instructions = arithmetic + used.memory_lanes / (blocks * threads);
        let load_clocks = self.load_clocks(main, splits, blocks);
        let mut grid = Grid {
            blocks,
            blocks_known: true,
            threads,
            shared_bytes: self.shared_bytes,
            registers: bound.registers(self.candidate, work, splits),
            chain_clocks: self.chain_clocks(main, chain, [arithmetic, instructions], load_clocks),
            barriers: self.waits.barriers,
            phases: Phases::default(),
        };
        if fine {
            // Only with the loops of threads it is known what a warp touches together.
            self.add_touches(&mut used, main, splits, &shapes, blocks);
        }
        grid.phases = self.phases(main, &used, &grid, load_clocks);
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

    /// Returns the least clocks of a thread, whatever others do.
    ///
    /// A warp starts one instruction a clock, a sum waits for what is added before, and each iteration of a plain
    /// loop for what it loads. What is loaded ahead is awaited once, and then while the iteration before does what
    /// it does, or that of the one before: a compiler may begin a load earlier in its iteration, and in no other.
    fn chain_clocks(
        &self,
        main: usize,
        carried: f64,
        [arithmetic, instructions]: [f64; 2],
        load: f64,
    ) -> f64 {
        let (work, rates) = (&self.bound.works()[main], self.bound.rates());
        let each = if work.computes { rates.arithmetic_clocks } else { 0.0 };
        let loads = if work.reads.is_empty() { 0.0 } else { rates.load_clocks.min(rates.shared_load_clocks) };
        let sums = (carried * each + loads).max(instructions);
        if !self.bound.terms().whole_iterations {
            return sums;
        }
        let waits = &self.waits;
        // Loads of one iteration are in flight together, so each iteration waits for one.
        let loads = waits.loads.max(waits.loads_ahead.min(1.0)) * load;
        let waited =
            loads + waits.shared_loads * rates.shared_load_clocks + waits.barriers * rates.barrier_clocks;
        // An addition may go on while the last load of its iteration is under way, the others may not.
        let iterations = waits.loads.max(waits.loads_ahead).max(waits.shared_loads);
        let again = (carried - iterations).max(0.0) * each;
        let ahead = (waits.loads_ahead.min(1.0) + (waits.loads_ahead - 1.0).max(0.0) / 2.0) * load;
        sums.max(waited + again.max(arithmetic)).max(ahead)
    }

    /// Returns the phases of a block that come in turn, if those of a thread do.
    ///
    /// Of blocks that are spread in whatever way, some one has no less than its share of most blocks.
    fn phases(&self, main: usize, used: &Use, grid: &Grid, load_clocks: f64) -> Phases {
        let (bound, terms) = (self.bound, self.bound.terms());
        if !terms.whole_iterations || !terms.has(TimeTerm::Phases) {
            return Phases::default();
        }
        let rounds = bound.rounds(self.candidate, &bound.works()[main]);
        let reads = bound.works()[main].reads.iter().zip(&self.seen[main]);
        let is_apart = reads.filter(|(own, _)| own.staging.is_some()).all(|(_, seen)| seen.copied.is_apart);
        let last_clocks = if is_apart { load_clocks } else { bound.rates().load_clocks };
        Phases::of(rounds, [load_clocks, last_clocks], used, grid.waste(terms), grid.blocks, bound.rates())
    }

    /// Returns the least time of a load: where a multiprocessor has two blocks at most, these differ in one of the
    /// arrays, of which each has to bring its own sectors from the second-level cache.
    fn load_clocks(&self, main: usize, splits: &[&Split], blocks: f64) -> f64 {
        let (work, rates) = (&self.bound.works()[main], self.bound.rates());
        let differ = splits.iter().enumerate().all(|(at, split)| {
            split.blocks == 1 || work.reads.iter().any(|own| own.staging.is_some() && own.apart[at])
        });
        let few = blocks <= 2.0 * rates.multiprocessors as f64;
        let mut staged = work.reads.iter().filter(|own| own.staging.is_some());
        let all_new = staged.all(|own| self.is_new(own, work));
        if few && differ && all_new && self.bound.terms().whole_blocks {
            rates.l2_load_clocks
        } else {
            rates.load_clocks
        }
    }

    /// Returns true if each tile of an array has other sectors than the one before.
    fn is_new(&self, own: &ArrayAccess, work: &Work) -> bool {
        let elements = self.bound.step(own, work, self.candidate);
        elements.is_some_and(|elements| elements * own.element_bytes >= 32)
    }

    /// Adds what the threads of warps touch together, of what is read.
    fn add_touches(&self, used: &mut Use, main: usize, splits: &[&Split], shapes: &[Shape], blocks: f64) {
        let work = &self.bound.works()[main];
        for (own, seen) in work.reads.iter().zip(&self.seen[main]) {
            match seen.place {
                Place::Global => {
                    // Neighbours share sectors of 32 bytes; what is not coalesced touches more of them.
                    let (axes, ordered) = in_order(self.bound, self.candidate, own.axes(splits));
                    let sectors = self.bound.touches(Request::Sectors, axes.clone(), ordered);
                    used.sectors += sectors * own.loads(splits, seen.width) * blocks;
                    let words = (seen.width * own.element_bytes.div_ceil(4) as f64) as u64;
                    let halves = self.bound.touches(Request::Requests(words), axes, ordered);
                    used.requests += halves / 2.0 * own.loads(splits, seen.width) * blocks;
                }
                Place::Shared => {
                    // Each bank answers one word at a time.
                    let words = (own.element_bytes.div_ceil(4)) as f64;
                    let width = seen.shared_width(shapes, (16 / own.element_bytes.max(1)).max(1) as f64);
                    let tile = own.tile.as_ref();
                    let axes = tile
                        .and_then(|tile| tile.axes(self.bound, self.candidate, own.element_bytes, splits));
                    let Some(axes) = axes else { continue };
                    let (axes, ordered) = in_order(self.bound, self.candidate, axes);
                    let (words, loads) = ((words * width) as u64, own.loads(splits, width) * blocks);
                    let halves = self.bound.touches(Request::Requests(words), axes.clone(), ordered);
                    used.requests += halves / 2.0 * loads;
                    used.shared_requests += halves / 2.0 * loads;
                    used.wavefronts += self.bound.touches(Request::Words(words), axes, ordered) * loads;
                }
                Place::Open => {}
            }
        }
    }
}
