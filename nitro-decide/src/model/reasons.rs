//! Reasons of a bound, as people read them.

use std::fmt;

use super::spreads::Least;
use super::terms::TimeTerm;
use super::time_bound::TimeBound;
use super::usage::Place;
use crate::candidate::{Candidate, ChoiceId, Within};

/// The reasons for which nothing inside a state takes less: the term that says most, what it counts, and the decisions
/// that this goes back to. As text, one reason a line. [`TimeBound::reasons`] gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reasons {
    /// The bound; 0 where nothing can be said.
    pub ns: f64,
    /// The term that says most.
    pub term: Option<TimeTerm>,
    /// The time of each term, for the same way to spread the statement.
    pub times_ns: Vec<(TimeTerm, f64)>,
    /// The decisions that leave no more open, in the order in which they were made.
    pub decisions: Vec<Within>,
    lines: Vec<String>,
}

impl Reasons {
    pub(super) fn of(bound: &TimeBound, candidate: &Candidate, least: Option<&Least>) -> Self {
        let Some(least) = least else {
            return Self { lines: vec!["no statement costs time".to_owned()], ..Self::default() };
        };
        let times_ns: Vec<_> = TimeTerm::ALL.into_iter().zip(least.times).collect();
        let most = times_ns.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1));
        let (term, ns) = most.unwrap_or((TimeTerm::Launch, 0.0));
        let decisions = decisions(bound, candidate, least);
        let mut lines = vec![format!("at least {}: {term}", time(ns)), formula(bound, least, term)];
        lines.push(spread(bound, least));
        lines.extend(arrays(bound, candidate, least));
        lines.push(others(&times_ns, term));
        let names: Vec<String> = decisions.iter().map(|&own| candidate.problem().show_within(own)).collect();
        lines.push(if names.is_empty() {
            "no decision is needed for that".into()
        } else {
            format!("decided: {}", names.join("; "))
        });
        Self { ns, term: Some(term), times_ns, decisions, lines }
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines.join("\n  "))
    }
}

/// Writes what a term counts, and by which rate.
fn formula(bound: &TimeBound, least: &Least, term: TimeTerm) -> String {
    let (rates, grid, used) = (bound.rates(), &least.grid, &least.used);
    let share = format!(
        "the busiest of {} multiprocessors at {} GHz has 1/{:.4} of it",
        rates.multiprocessors,
        rates.clock_ghz,
        1.0 / grid.share(rates, bound.terms())
    );
    let warps = (used.arithmetic_lanes + used.memory_lanes + used.copying_lanes) / 32.0;
    // Terms that are counted a clock of each multiprocessor.
    let a_clock = match term {
        TimeTerm::Issue => Some((warps, "instructions of warps", rates.warp_instructions_per_clock)),
        TimeTerm::Arithmetic => {
            Some((used.arithmetic_lanes, "operations of threads", rates.arithmetic_lanes_per_clock))
        }
        TimeTerm::MemoryInstructions => {
            Some((used.memory_lanes, "loads and stores of threads", rates.memory_lanes_per_clock))
        }
        TimeTerm::LoadedBytes => Some((used.loaded_bytes, "bytes", rates.loaded_bytes_per_clock)),
        TimeTerm::Sectors => Some((used.sectors, "sectors of 32 bytes", rates.sectors_per_clock)),
        TimeTerm::Wavefronts => {
            Some((used.wavefronts, "answers of shared memory", rates.wavefronts_per_clock))
        }
        TimeTerm::Requests => Some((used.requests, "requests of loads", rates.requests_per_clock)),
        _ => None,
    };
    match a_clock {
        Some((amount, name, rate)) => format!("{amount:.4e} {name}, {rate:.4} a clock; {share}"),
        None => formula_of_all(bound, least, term),
    }
}

/// Writes a term that is of all multiprocessors together, or of one block after the other.
fn formula_of_all(bound: &TimeBound, least: &Least, term: TimeTerm) -> String {
    let (rates, grid, used) = (bound.rates(), &least.grid, &least.used);
    let waves = grid.waves(rates);
    match term {
        TimeTerm::BlockBytes => format!(
            "{:.4e} bytes, {} a clock at {} GHz",
            used.block_bytes, rates.port_bytes_per_clock, rates.clock_ghz
        ),
        TimeTerm::L2Reads => format!("{:.4e} bytes, {:.0} GB/s", used.l2_read_bytes, rates.l2_read_gbps),
        TimeTerm::L2Writes => format!("{:.4e} bytes, {:.0} GB/s", used.l2_written_bytes, rates.l2_write_gbps),
        TimeTerm::Dram => format!(
            "{:.4e} bytes read and {:.4e} written, {:.4e} of each less, which the second-level cache may have; \
             {:.0} GB/s",
            used.l2_read_bytes, used.l2_written_bytes, rates.l2_bytes, rates.dram_gbps
        ),
        TimeTerm::Latency => format!(
            "{:.0} clocks of a thread at {} GHz, {waves:.0} waves of blocks",
            grid.chain_clocks, rates.clock_ghz
        ),
        TimeTerm::Barriers => format!(
            "{:.0} barriers of {} clocks at {} GHz, {waves:.0} waves of blocks",
            grid.barriers, rates.barrier_clocks, rates.clock_ghz
        ),
        TimeTerm::Phases => format!(
            "{:.0} rounds of a block, which waits {:.0} clocks of {:.0} at {} GHz, {waves:.0} waves of blocks",
            grid.phases.rounds,
            grid.phases.waiting,
            grid.phases.clocks(),
            rates.clock_ghz
        ),
        _ => "a kernel that does nothing takes so long".to_owned(),
    }
}

fn spread(bound: &TimeBound, least: &Least) -> String {
    let work = bound.work(least.work);
    if least.splits.is_empty() {
        return format!("{} is spread in whatever way: there are too many to look at each", work.name);
    }
    let mut dimensions = Vec::new();
    for (own, split) in work.dimensions.iter().zip(&least.splits) {
        let name = &bound.kernel().dimensions[own.position].name;
        let [blocks, threads, inside] = [split.blocks, split.threads, split.inside];
        dimensions.push(format!("{name} = {blocks} blocks * {threads} threads * {inside} of a thread"));
    }
    format!("{} is spread at best as {}", work.name, dimensions.join(", "))
}

/// Writes where the things are that it reads, and how wide.
fn arrays(bound: &TimeBound, candidate: &Candidate, least: &Least) -> Vec<String> {
    let work = bound.work(least.work);
    let mut lines = Vec::new();
    for touched in &work.reads {
        let place = match bound.seen(touched, candidate).place {
            Place::Global => "in global memory",
            Place::Shared => "staged in shared memory",
            Place::Open => "in global or shared memory",
        };
        let array = &touched.array;
        lines.push(format!("{array} is {place}, and each thread loads each of its elements at least once"));
    }
    lines
}

fn others(times_ns: &[(TimeTerm, f64)], but: TimeTerm) -> String {
    let mut rest: Vec<_> = times_ns.iter().filter(|own| own.0 != but && own.1 > 0.0).collect();
    rest.sort_by(|one, other| other.1.total_cmp(&one.1));
    let rest: Vec<String> = rest.iter().map(|(term, ns)| format!("{term} {}", time(*ns))).collect();
    if rest.is_empty() {
        "nothing else is known to take time".into()
    } else {
        format!("less: {}", rest.join(", "))
    }
}

fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e6 => format!("{:.4} ms", ns / 1e6),
        ns if ns >= 1e3 => format!("{:.4} us", ns / 1e3),
        ns => format!("{ns:.1} ns"),
    }
}

/// Returns the decisions that took values of what the bound looked at.
fn decisions(bound: &TimeBound, candidate: &Candidate, least: &Least) -> Vec<Within> {
    let work = bound.work(least.work);
    let nesting = bound.nesting();
    let around = work.dimensions.iter().flat_map(|own| nesting.loops_of(own.position));
    let loops = around.flat_map(|at| [nesting.loops[at].size, nesting.loops[at].kind]);
    let choices: Vec<ChoiceId> = loops.chain(work.reads.iter().filter_map(|own| own.memory)).collect();
    let mut found: Vec<Within> = Vec::new();
    for choice in choices {
        // Each value that is gone has decisions that took it, maybe by way of rules.
        let gone = candidate.problem().all(choice).without(candidate.values(choice));
        for value in gone.iter() {
            let decisions = candidate
                .explain(choice, value)
                .into_iter()
                .flat_map(|why| why.decisions().collect::<Vec<_>>());
            found.extend(decisions);
        }
    }
    let made = candidate.decisions().iter().copied();
    made.filter(|own| found.contains(own)).collect()
}
