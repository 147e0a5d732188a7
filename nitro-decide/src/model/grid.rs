//! Grids, and the time that each resource takes of one.

use super::phases::Phases;
use super::rates::Rates;
use super::terms::{TimeTerm, TimeTerms};
use super::usage::Use;

/// The shape of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Blocks, if that is known; else the most there may be.
    pub(super) blocks: f64,
    pub(super) blocks_known: bool,
    /// Threads of the main statement in a block, if they are known; else 0.
    pub(super) threads: f64,
    /// Bytes of shared memory of a block, at least.
    pub(super) shared_bytes: f64,
    /// Registers of a thread, at least; 0 where nothing is known.
    pub(super) registers: f64,
    /// The work that one thread does one after the other.
    pub(super) chain_clocks: f64,
    pub(super) barriers: f64,
    pub(super) phases: Phases,
}

/// Nanoseconds of each term.
pub(super) type Times = [f64; 15];

impl Grid {
    /// Returns the busiest multiprocessor's share of all blocks.
    pub(super) fn share(&self, rates: &Rates, terms: TimeTerms) -> f64 {
        let multiprocessors = rates.multiprocessors as f64;
        if !terms.whole_blocks || self.blocks < 1.0 {
            1.0 / multiprocessors
        } else if self.blocks_known {
            (self.blocks / multiprocessors).ceil() / self.blocks // blocks are not divided
        } else {
            (1.0 / multiprocessors).max(1.0 / self.blocks) // at least one block runs somewhere
        }
    }

    /// Returns how many blocks some place for a block runs one after the other.
    pub(super) fn waves(&self, rates: &Rates) -> f64 {
        // Of an unknown number of blocks all may run at once.
        if !self.blocks_known {
            return 1.0;
        }
        // The blocks that a multiprocessor has at once, by whichever resource leaves the fewest.
        let by_threads = rates.threads_per_multiprocessor as f64 / self.warps_threads().max(1.0);
        let by_shared = rates.shared_bytes_per_multiprocessor as f64 / self.shared_bytes.max(1.0);
        let registers = self.registers.max(1.0) * self.warps_threads().max(1.0);
        let by_registers = rates.registers_per_multiprocessor as f64 / registers;
        let most = rates.blocks_per_multiprocessor as f64;
        let resident = by_threads.min(by_shared).min(by_registers).min(most).floor().max(1.0);
        (self.blocks / (rates.multiprocessors as f64 * resident)).ceil()
    }

    fn warps_threads(&self) -> f64 {
        32.0 * (self.threads / 32.0).ceil()
    }

    pub(super) fn waste(&self, terms: TimeTerms) -> f64 {
        if terms.whole_warps && self.threads > 0.0 { self.warps_threads() / self.threads } else { 1.0 }
    }

    /// Returns the time of each term, where `main` is spread over the grid's threads and `others` in whatever way.
    pub(super) fn times(&self, main: &Use, others: &Use, rates: &Rates, terms: TimeTerms) -> Times {
        let all = main.plus(*others);
        // What is of a multiprocessor counts for the busiest one; chains and barriers count once a wave of blocks.
        let (share, waves, waste) = (self.share(rates, terms), self.waves(rates), self.waste(terms));
        // Lanes without a thread take an instruction's slot, too; of the other statements nothing is known of warps.
        let arithmetic = main.arithmetic_lanes * waste + others.arithmetic_lanes;
        let memory = main.memory_lanes * waste + others.memory_lanes + all.copying_lanes;
        let rate = Rate { rates, share };
        TimeTerm::ALL.map(|term| match term {
            _ if !terms.has(term) => 0.0,
            TimeTerm::Issue => rate.ns((arithmetic + memory) / 32.0, rates.warp_instructions_per_clock),
            TimeTerm::Arithmetic => rate.ns(arithmetic, rates.arithmetic_lanes_per_clock),
            TimeTerm::MemoryInstructions => rate.ns(memory, rates.memory_lanes_per_clock),
            TimeTerm::LoadedBytes => rate.ns(all.loaded_bytes, rates.loaded_bytes_per_clock),
            TimeTerm::Sectors => rate.ns(all.sectors, rates.sectors_per_clock),
            TimeTerm::Wavefronts => rate.ns(all.wavefronts, rates.wavefronts_per_clock),
            TimeTerm::Requests => rate.ns(all.requests, rates.requests_per_clock),
            TimeTerm::BlockBytes => rates.ns(all.block_bytes / rates.port_bytes_per_clock),
            TimeTerm::L2Reads => all.l2_read_bytes / rates.l2_read_gbps,
            TimeTerm::L2Writes => all.l2_written_bytes / rates.l2_write_gbps,
            TimeTerm::Dram => all.dram_bytes(rates.l2_bytes) / rates.dram_gbps,
            TimeTerm::Latency => rates.ns(self.chain_clocks * waves),
            TimeTerm::Barriers => rates.ns(self.barriers * rates.barrier_clocks * waves),
            TimeTerm::Phases => rates.ns(self.phases.clocks() * waves),
            TimeTerm::Launch => rates.launch_ns,
        })
    }
}

/// The time of the busiest multiprocessor, which has a share of the grid.
struct Rate<'a> {
    rates: &'a Rates,
    share: f64,
}

impl Rate<'_> {
    fn ns(&self, amount: f64, per_clock: f64) -> f64 {
        self.rates.ns(amount * self.share / per_clock)
    }
}
