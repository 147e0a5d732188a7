//! What a decided kernel takes on a device that does everything at its best rate, with all instances and addresses counted one by one. It knows no formula of the bound.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::{Kernel, Nesting, Operation, Partial, Statement};
use super::super::Rates;

/// A thread: its block, and its place in it.
type Thread = (u64, u64);

#[derive(Default)]
struct Counted {
    /// Instances of each thread.
    operations: BTreeMap<Thread, f64>,
    /// Elements that each thread reads or writes, each once, in that order, by access.
    touched: BTreeMap<(Thread, usize), Vec<u64>>,
    /// The longest sum of a thread.
    sums: BTreeMap<(Thread, u64), f64>,
    /// Elements of an instruction of global memory.
    width: f64,
}

struct Loop {
    dimension: usize,
    size: u64,
    kind: usize,
    step: u64,
}

fn loops(nesting: &Nesting, leaf: &Partial, statement: &Statement) -> Vec<Loop> {
    let problem = leaf.problem();
    let of = |dimension: &usize| {
        let dimension = *dimension;
        let own = nesting.loops.iter().filter(move |own| own.dimension == dimension);
        let number = |choice| problem.number(choice, leaf.values(choice).only().unwrap()).unwrap();
        let all: Vec<(u64, usize)> =
            own.map(|own| (number(own.size), leaf.values(own.kind).only().unwrap())).collect();
        let step = |at: usize| all[at + 1..].iter().map(|inner| inner.0).product();
        (0..all.len())
            .map(|at| Loop { dimension, size: all[at].0, kind: all[at].1, step: step(at) })
            .collect::<Vec<_>>()
    };
    statement.dimensions.iter().flat_map(of).collect()
}

fn count(kernel: &Kernel, nesting: &Nesting, leaf: &Partial, statement: &Statement) -> Counted {
    let loops = loops(nesting, leaf, statement);
    let vectors = loops.iter().filter(|own| own.kind == 2).map(|own| own.size as f64);
    let mut counted = Counted { width: vectors.product(), ..Counted::default() };
    for point in 0..loops.iter().map(|own| own.size).product() {
        let (mut left, mut thread, mut parallel) = (point, (0, 0), 0);
        let mut index = BTreeMap::new();
        for own in &loops {
            let at = left % own.size;
            left /= own.size;
            *index.entry(own.dimension).or_insert(0) += at * own.step;
            match own.kind {
                3 => thread.0 = thread.0 * own.size + at,
                4 => thread.1 = thread.1 * own.size + at,
                _ if kernel.dimensions[own.dimension].parallel => parallel = parallel * own.size + at,
                _ => {}
            }
        }
        *counted.operations.entry(thread).or_default() += 1.0;
        *counted.sums.entry((thread, parallel)).or_default() += 1.0;
        for (at, access) in statement.accesses.iter().enumerate() {
            let strides = statement.dimensions.iter().zip(&access.strides);
            let address: u64 = strides.map(|(dimension, stride)| index[dimension] * stride).sum();
            let touched = counted.touched.entry((thread, at)).or_default();
            if !touched.contains(&address) {
                touched.push(address);
            }
        }
    }
    counted
}

/// Sectors of 32 bytes that a block touches with one access: each warp with all its threads at once, wherever each of them is in what it does.
fn sectors(counted: &Counted, block: u64, threads: u64, access: usize) -> f64 {
    let of = |thread: u64| counted.touched.get(&((block, thread), access)).map_or(&[][..], |own| own);
    let warp = |first: u64| {
        let lanes = || (first..threads.min(first + 32)).map(of);
        let longest = lanes().map(<[u64]>::len).max().unwrap_or(0);
        let at = |at: usize| {
            lanes()
                .filter_map(move |own| own.get(at))
                .map(|address| address / 8)
                .collect::<BTreeSet<_>>()
                .len()
        };
        (0..longest).step_by(counted.width as usize).map(at).sum::<usize>() as f64
    };
    (0..threads).step_by(32).map(warp).sum()
}

/// Blocks go round; a multiprocessor has so much to do as its blocks together, and at once as many as fit.
pub(super) fn simulate_ns(kernel: &Kernel, nesting: &Nesting, leaf: &Partial, rates: &Rates) -> f64 {
    let mut ns: f64 = rates.launch_ns;
    let mut memory_bytes = 0.0;
    let mut busy: BTreeMap<(u64, &str), f64> = BTreeMap::new();
    for statement in &kernel.statements {
        let counted = count(kernel, nesting, leaf, statement);
        let blocks = 1 + counted.operations.keys().map(|thread| thread.0).max().unwrap_or(0);
        let threads = 1 + counted.operations.keys().map(|thread| thread.1).max().unwrap_or(0);
        let computes = statement.operation == Operation::Fma;
        let staged: Vec<bool> =
            statement.accesses.iter().map(|access| is_staged(kernel, nesting, leaf, &access.array)).collect();
        for block in 0..blocks {
            let mut add =
                |what, clocks: f64| *busy.entry((block % rates.multiprocessors, what)).or_default() += clocks;
            let warps = threads.div_ceil(32) as f64; // whole ones issue, whatever lanes are idle
            let operations = if computes { counted.operations[&(block, 0)] } else { 0.0 };
            let mut instructions = operations;
            let mut bytes_of_block = 0.0;
            for (at, &staged) in staged.iter().enumerate() {
                let elements = counted.touched[&((block, 0), at)].len() as f64;
                let all: BTreeSet<u64> = counted
                    .touched
                    .iter()
                    .filter(|own| own.0.0.0 == block && own.0.1 == at)
                    .flat_map(|own| own.1.clone())
                    .collect();
                let all = all.len() as f64;
                bytes_of_block += if computes { 4.0 * all } else { 0.0 };
                instructions += elements / if staged { 4.0 } else { counted.width };
                if staged {
                    // four at once only into shared memory, where the compiler knows how things lie
                    let copies = all / counted.width + all / 4.0;
                    add("sectors", 4.0 * all / 32.0 / rates.sectors_per_clock);
                    add("memory", copies / rates.memory_lanes_per_clock);
                    add("issue", copies / 32.0 / rates.warp_instructions_per_clock);
                    add("loaded", 4.0 * all / rates.loaded_bytes_per_clock);
                } else {
                    add("sectors", sectors(&counted, block, threads, at) / rates.sectors_per_clock);
                }
                if computes {
                    add("loaded", elements * threads as f64 * 4.0 / rates.loaded_bytes_per_clock);
                }
            }
            add("arithmetic", operations * 32.0 * warps / rates.arithmetic_lanes_per_clock);
            add("issue", instructions * warps / rates.warp_instructions_per_clock);
            add("memory", (instructions - operations) * 32.0 * warps / rates.memory_lanes_per_clock);
            let sum = counted.sums.values().copied().fold(0.0, f64::max);
            let chain = if computes { sum * rates.arithmetic_clocks + rates.shared_load_clocks } else { 0.0 };
            let resident = (rates.threads_per_multiprocessor / (32 * threads.div_ceil(32))).clamp(1, 32);
            let waves = blocks.div_ceil(rates.multiprocessors * resident) as f64;
            ns = ns.max(waves * rates.ns(chain.max(instructions)));
            ns = ns.max(rates.ns(bytes_of_block / rates.port_bytes_per_clock));
        }
        for at in 0..statement.accesses.len() {
            let all: BTreeSet<u64> =
                counted.touched.iter().filter(|own| own.0.1 == at).flat_map(|own| own.1.clone()).collect();
            let bytes = 4.0 * all.len() as f64;
            memory_bytes += bytes;
            ns = ns.max(bytes / if computes { rates.l2_read_gbps } else { rates.l2_write_gbps });
        }
    }
    let busiest = busy.values().copied().fold(0.0, f64::max);
    ns.max(rates.ns(busiest)).max((memory_bytes - rates.l2_bytes).max(0.0) / rates.dram_gbps)
}

fn is_staged(kernel: &Kernel, nesting: &Nesting, leaf: &Partial, array: &str) -> bool {
    let at = kernel.arrays.iter().position(|own| own.name == array);
    at.is_some_and(|at| leaf.values(nesting.memory[at]).only() == Some(1))
}
