//! Phases, which barriers keep apart: the threads of a block bring tiles to shared memory, wait for each other,
//! compute, and wait again before the next tiles.
//!
//! As in Telamon, a block takes at least as long as it would with a multiprocessor for itself. Where it stages
//! tiles, that is a sum. A thread that computes has read the tile, so it has waited for all threads that load it;
//! and it loads the next one only when it has started all that it computes with this one, since an iteration of a
//! plain loop begins when the one before has started all its instructions. So the last thread to compute begins to
//! load after all that the block computes, and nobody computes before that load has arrived: the two never overlap.
//! Other blocks do overlap, as many as there are at once: hence waves.
//!
//! Compilers do move arithmetic, though no access of memory, behind the barrier that ends a round (NVRTC 13.0 up to
//! three eighths of a round). Then other warps load meanwhile, and the last thread may find in the first-level
//! cache what shares a sector with what they load: where warps may share sectors, that takes the shorter latency.

use super::arrays::{AS_NEEDED, TWO_TILES};
use super::rates::Rates;
use super::time_bound::TimeBound;
use super::usage::Use;
use super::work::Work;
use crate::candidate::Candidate;
use crate::space::{Dependence, Passing};

/// The least number of times that a block waits for tiles that are surely staged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// Tiles that are computed with, one after the other; 0 where nothing is surely staged.
    pub(super) count: f64,
    /// Those that every thread begins to load when it has computed with the one before.
    pub(super) loads: f64,
    pub(super) barriers: f64,
}

/// The phases of a block that come in turn, in clocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phases {
    pub(super) rounds: f64,
    /// For what is loaded, for barriers, and where that counts for shared memory.
    pub(super) waiting: f64,
    /// With a multiprocessor for itself.
    pub(super) working: f64,
}

impl TimeBound {
    /// Returns the rounds of one statement: of each figure the most that it waits for one array.
    pub(super) fn rounds(&self, candidate: &Candidate, work: &Work) -> Rounds {
        let mut most = Rounds::default();
        for passed in self.kernel().dependences.iter().filter(|passed| passed.to == work.statement) {
            let Passing::Array(array) = passed.passing else { continue };
            if candidate.values(self.nesting().memory[array]).only() == Some(1) {
                most = most.max(self.rounds_of(passed, array, candidate));
            }
        }
        most
    }

    /// Returns the rounds in which a staged array is passed on.
    fn rounds_of(&self, passed: &Dependence, array: usize, candidate: &Candidate) -> Rounds {
        let loadings = self.loadings(candidate);
        let name = &self.kernel().arrays[array].name;
        let [both, _] = self.iterations(candidate, passed.from, passed.to, name);
        let count = both.unwrap_or(1.0);
        // A tile of one dimension may be loaded by some threads, while the others still compute.
        let by_all = passed.along.len() > 1;
        let is_ahead = loadings.only() != Some(AS_NEEDED);
        let loads = match (by_all, is_ahead) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => count,
        };
        let each = if loadings.has(TWO_TILES) { 1.0 } else { 2.0 };
        Rounds { count, loads, barriers: both.map_or(1.0, |both| each * both) }
    }
}

impl Rounds {
    /// Joins the rounds of two arrays, which a block waits for at the same barriers.
    fn max(self, other: Self) -> Self {
        Self {
            count: self.count.max(other.count),
            loads: self.loads.max(other.loads),
            barriers: self.barriers.max(other.barriers),
        }
    }
}

impl Phases {
    /// Returns the phases of one of so many blocks, whose use together is `used`.
    ///
    /// `waste` is for lanes without a thread. The first thread to load a sector of a tile waits for the first latency,
    /// the last one to load any for the second, and each for that of the first-level cache.
    pub(super) fn of(
        rounds: Rounds,
        [first_clocks, last_clocks]: [f64; 2],
        used: &Use,
        waste: f64,
        blocks: f64,
        rates: &Rates,
    ) -> Self {
        if rounds.count < 1.0 {
            return Self::default();
        }
        // Lanes without a thread take as long as the others.
        let arithmetic = used.arithmetic_lanes * waste / blocks;
        let loading = used.shared_lanes * waste / blocks;
        let issue = (used.arithmetic_lanes * waste + used.shared_lanes * waste) / 32.0 / blocks;
        // No access of shared memory crosses a barrier, and nothing is written there before it has been loaded.
        let read_wavefronts = (used.wavefronts - used.stored_wavefronts) / blocks;
        let read_requests = (used.shared_requests - used.stored_wavefronts) / blocks;
        let read = (loading / rates.memory_lanes_per_clock)
            .max(used.shared_bytes / blocks / rates.loaded_bytes_per_clock)
            .max(read_wavefronts / rates.wavefronts_per_clock)
            .max(read_requests / rates.requests_per_clock);
        let shared = (used.wavefronts / blocks / rates.wavefronts_per_clock)
            .max(used.shared_requests / blocks / rates.requests_per_clock);
        // Nothing is computed before the first answer of shared memory in each round.
        let first_answers = rounds.count * rates.shared_load_clocks;
        // Of each resource what a block waits for before it, and how long it is used then; the longest counts.
        let [first, last, cached] = [first_clocks, last_clocks, rates.load_clocks]
            .map(|load| rounds.loads * load + rounds.barriers * rates.barrier_clocks);
        let mut longest = Self::default();
        for (waiting, working) in [
            (last + first_answers, arithmetic / rates.arithmetic_lanes_per_clock),
            (last, issue / rates.warp_instructions_per_clock),
            (first, read),
            (cached, shared),
        ] {
            let own = Self { rounds: rounds.count, waiting, working };
            if own.clocks().total_cmp(&longest.clocks()).is_ge() {
                longest = own;
            }
        }
        longest
    }

    pub(super) fn clocks(&self) -> f64 {
        self.waiting + self.working
    }
}
