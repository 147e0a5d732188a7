//! What a decided kernel takes on a device that does everything at its best rate, with all instances and addresses
//! counted one by one. It knows no formula of the bound.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Rates;
use crate::{Array, Candidate, Kernel, Nesting, Operation, PADDING, Passing, Statement};

/// A thread: its block, and its place in it.
type Thread = (u64, u64);

#[derive(Default)]
struct Counted {
    /// Instances of each thread.
    operations: BTreeMap<Thread, f64>,
    /// Elements that each thread reads or writes, each once (of a load once in each iteration of the plain loops
    /// around all), in that order, by access.
    touched: BTreeMap<(Thread, usize), Vec<u64>>,
    /// Where these are in a staged tile.
    words: BTreeMap<(Thread, usize), Vec<u64>>,
    /// What the first thread does in turn: which iteration of the plain loops around all, of all plain loops, and
    /// which sum it adds to.
    trace: Vec<[u64; 3]>,
    /// Sectors that the first block touches in each iteration of the plain loops around all, by access.
    sectors: BTreeMap<u64, BTreeSet<(usize, u64)>>,
    /// The longest sum of a thread.
    sums: BTreeMap<(Thread, u64), f64>,
    /// Elements of an instruction of global memory.
    width: f64,
}

struct Loop {
    /// Of which of the statement's dimensions; of none where it only does all again.
    place: Option<usize>,
    size: u64,
    kind: usize,
    /// How many iterations of the dimension one is from the next.
    step: u64,
    /// Whether a tile that is staged has all its iterations.
    of_tile: bool,
}

/// From the outside in, so that the innermost threads are neighbours.
fn loops(nesting: &Nesting, leaf: &Candidate, statement: &Statement) -> Vec<Loop> {
    let number = |at: usize| {
        let size = nesting.loops[at].size;
        leaf.problem().number(size, leaf.values(size).only().unwrap()).unwrap()
    };
    let lies_outside = |one: usize, other: usize| {
        let outer = nesting.order(one, other, &["outer"]).unwrap();
        leaf.values(outer.choice).within(outer.values)
    };
    let own = nesting.own(statement);
    let mut around = own.clone();
    around.sort_by_key(|&at| own.iter().filter(|&&other| other != at && lies_outside(other, at)).count());
    let one = |at: usize| {
        let place = statement.dimensions.iter().position(|&of| nesting.level(of, at).is_some());
        let step = place.map_or(0, |place| {
            let all = nesting.loops_of(statement.dimensions[place]);
            let from = all.iter().position(|&own| own == at).unwrap();
            all[from + 1..].iter().map(|&inner| number(inner)).product()
        });
        let kind = leaf.values(nesting.loops[at].kind).only().unwrap();
        Loop { place, size: number(at), kind, step, of_tile: nesting.loops[at].level > 0 }
    };
    around.into_iter().map(one).collect()
}

fn count(kernel: &Kernel, nesting: &Nesting, leaf: &Candidate, statement: &Statement) -> Counted {
    let loops = loops(nesting, leaf, statement);
    let vectors = loops.iter().filter(|own| own.kind == 2).map(|own| own.size as f64);
    let mut counted = Counted { width: vectors.product(), ..Counted::default() };
    let mut seen = BTreeSet::new();
    for point in 0..loops.iter().map(|own| own.size).product() {
        let (mut left, mut digits) = (point, Vec::new());
        for own in loops.iter().rev() {
            digits.push(left % own.size);
            left /= own.size;
        }
        digits.reverse();
        let (mut thread, mut parallel, mut around, mut plain) = ((0, 0), 0, 0, 0);
        let mut index = vec![0; statement.dimensions.len()];
        let mut in_tile = index.clone();
        for (own, at) in loops.iter().zip(digits) {
            if let Some(place) = own.place {
                index[place] += at * own.step;
                in_tile[place] += if own.of_tile { at * own.step } else { 0 };
            }
            if own.kind == 0 {
                plain = plain * own.size + at;
                around = if own.of_tile { around } else { around * own.size + at };
            }
            match own.kind {
                3 => thread.0 = thread.0 * own.size + at,
                4 => thread.1 = thread.1 * own.size + at,
                _ if own
                    .place
                    .is_none_or(|place| kernel.dimensions[statement.dimensions[place]].parallel) =>
                {
                    parallel = parallel * own.size + at;
                }
                _ => {}
            }
        }
        if thread == (0, 0) {
            counted.trace.push([around, plain, parallel]);
        }
        *counted.operations.entry(thread).or_default() += 1.0;
        *counted.sums.entry((thread, parallel)).or_default() += 1.0;
        for (at, access) in statement.accesses.iter().enumerate() {
            let address: u64 = index.iter().zip(&access.strides).map(|(index, stride)| index * stride).sum();
            if thread.0 == 0 {
                counted.sectors.entry(around).or_default().insert((at, address / 8));
            }
            // what is needed again is in a register, but a tile is loaded again for each iteration around it
            let again = if statement.operation == Operation::Load { around } else { 0 };
            if seen.insert((thread, at, again, address)) {
                counted.touched.entry((thread, at)).or_default().push(address);
                let word = tile_word(kernel, nesting, leaf, statement, &access.array, &in_tile);
                counted.words.entry((thread, at)).or_default().push(word);
            }
        }
    }
    counted
}

/// The word of a tile that an iteration touches; 0 where there is no tile.
fn tile_word(
    kernel: &Kernel,
    nesting: &Nesting,
    leaf: &Candidate,
    statement: &Statement,
    array: &str,
    in_tile: &[u64],
) -> u64 {
    let Some(at) = kernel.arrays.iter().position(|own| own.name == array) else { return 0 };
    let Some(layout) = nesting.layouts.get(at).copied().flatten() else { return 0 };
    let Some(passed) = kernel.dependences.iter().find(|one| one.passing == Passing::Array(at)) else {
        return 0;
    };
    let layout = leaf.values(layout).only().unwrap();
    let number = |size| leaf.problem().number(size, leaf.values(size).only().unwrap()).unwrap();
    let mut rows: Vec<(u64, u64)> = Vec::new();
    for &dimension in &kernel.arrays[at].dimensions {
        let along = passed.along.iter().find(|along| along.1 == dimension).unwrap();
        let place = statement.dimensions.iter().position(|own| [along.0, along.1].contains(own)).unwrap();
        let tiles = nesting.loops_of(dimension).into_iter().filter(|&own| nesting.loops[own].level > 0);
        rows.push((in_tile[place], tiles.map(|own| number(nesting.loops[own].size)).product()));
    }
    if layout >= 2 {
        rows.reverse();
    }
    let padding = if layout % 2 == 1 { PADDING } else { 0 };
    rows[0].0 * (rows[1].1 + padding) + rows[1].0
}

/// How often shared memory has to answer when all threads of a block touch their elements in turn, one word each.
fn answers(counted: &Counted, block: u64, threads: u64, access: usize) -> f64 {
    let of = |thread: u64| counted.words.get(&((block, thread), access)).map_or(&[][..], |own| own);
    let warp = |first: u64| {
        let lanes = || (first..threads.min(first + 32)).map(of);
        let longest = lanes().map(<[u64]>::len).max().unwrap_or(0);
        let at = |at: usize| {
            let words: BTreeSet<u64> = lanes().filter_map(|own| own.get(at)).copied().collect();
            (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max().unwrap_or(0)
        };
        (0..longest).map(at).sum::<usize>() as f64
    };
    (0..threads).step_by(32).map(warp).sum()
}

/// What shared memory answers the first block, for all that it stages and reads.
fn answers_of_block(kernel: &Kernel, nesting: &Nesting, leaf: &Candidate, all: &[Counted]) -> f64 {
    let of = |(statement, counted): (&Statement, &Counted)| {
        let threads = 1 + counted.operations.keys().map(|thread| thread.1).max().unwrap_or(0);
        let staged = |at: &usize| {
            let array = &statement.accesses[*at].array;
            let is_passed =
                |one: &Passing| matches!(one, Passing::Array(at) if kernel.arrays[*at].name == *array);
            is_staged(kernel, nesting, leaf, array)
                && kernel.dependences.iter().any(|one| is_passed(&one.passing))
        };
        (0..statement.accesses.len()).filter(staged).map(|at| answers(counted, 0, threads, at)).sum::<f64>()
    };
    kernel.statements.iter().zip(all).map(of).sum()
}

/// Sectors of 32 bytes that a block touches with one access: each warp with all its threads at once, wherever each
/// of them is in what it does.
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

/// Requests of the first-level cache for what a block touches with one access: of each load as many as its busiest
/// bank has words, or one for each register that it brings to the lanes of a whole warp, of which it brings two
/// where all lanes share with a neighbour, or with the one behind that.
fn requests(counted: &Counted, block: u64, threads: u64, access: usize) -> f64 {
    let of = |thread: u64| counted.touched.get(&((block, thread), access)).map_or(&[][..], |own| own);
    let width = counted.width as usize;
    let warp = |first: u64| {
        let lanes: Vec<&[u64]> = (first..threads.min(first + 32)).map(of).collect();
        let longest = lanes.iter().map(|own| own.len()).max().unwrap_or(0);
        let at = |at: usize| {
            let asked = lanes.iter().filter_map(|own| own.get(at..at + width)).flatten();
            let words: BTreeSet<u64> = asked.copied().collect();
            let busiest = (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max();
            let shares = |by: usize| {
                (0..lanes.len())
                    .all(|lane| lanes.get(lane ^ by).is_none_or(|own| own.get(at) == lanes[lane].get(at)))
            };
            let together = if lanes.len() < 32 {
                4.0
            } else if shares(1) || shares(2) {
                2.0
            } else {
                1.0
            };
            (width as f64 / together).max(1.0).max(busiest.unwrap_or(0) as f64)
        };
        (0..longest).step_by(width).map(at).sum::<f64>()
    };
    (0..threads).step_by(32).map(warp).sum()
}

/// Blocks go round; a multiprocessor has so much to do as its blocks together, and at once as many as fit.
pub(super) fn simulate_ns(kernel: &Kernel, nesting: &Nesting, leaf: &Candidate, rates: &Rates) -> f64 {
    let mut ns: f64 = rates.launch_ns;
    let mut memory_bytes = [0.0; 2]; // read, and written
    let mut busy: BTreeMap<(u64, &str), f64> = BTreeMap::new();
    let all: Vec<Counted> =
        kernel.statements.iter().map(|statement| count(kernel, nesting, leaf, statement)).collect();
    let answers_of_block = answers_of_block(kernel, nesting, leaf, &all);
    for (statement, counted) in kernel.statements.iter().zip(&all) {
        let blocks = 1 + counted.operations.keys().map(|thread| thread.0).max().unwrap_or(0);
        let threads = 1 + counted.operations.keys().map(|thread| thread.1).max().unwrap_or(0);
        let computes = statement.operation == Operation::Fma;
        let passed = |array: &str| {
            let at = kernel.arrays.iter().position(|own| own.name == array);
            at.is_some_and(|at| kernel.dependences.iter().any(|one| one.passing == Passing::Array(at)))
        };
        let loads = statement.operation == Operation::Load;
        if loads && !is_staged(kernel, nesting, leaf, &statement.accesses[0].array)
            || statement.operation == Operation::Init
        {
            continue; // who needs it loads it
        }
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
                let is_passed = passed(&statement.accesses[at].array);
                if staged && is_passed {
                    // one word at a time, as the text says
                    let answers = answers(counted, block, threads, at);
                    add("answers", answers / rates.wavefronts_per_clock);
                    add("requests", answers / rates.requests_per_clock);
                    instructions += elements * 0.75;
                }
                if staged && !is_passed {
                    // four at once only into shared memory, where the compiler knows how things lie
                    let copies = all / counted.width + all / 4.0;
                    add("sectors", 4.0 * all / 32.0 / rates.sectors_per_clock);
                    add("memory", copies / rates.memory_lanes_per_clock);
                    add("issue", copies / 32.0 / rates.warp_instructions_per_clock);
                    add("loaded", 4.0 * all / rates.loaded_bytes_per_clock);
                }
                if (!staged && computes) || loads {
                    add("requests", requests(counted, block, threads, at) / rates.requests_per_clock);
                }
                if !staged || loads {
                    add("sectors", sectors(counted, block, threads, at) / rates.sectors_per_clock);
                }
                if loads {
                    instructions += elements / counted.width;
                }
                if computes || loads {
                    add("loaded", elements * threads as f64 * 4.0 / rates.loaded_bytes_per_clock);
                }
            }
            add("arithmetic", operations * 32.0 * warps / rates.arithmetic_lanes_per_clock);
            add("issue", instructions * warps / rates.warp_instructions_per_clock);
            add("memory", (instructions - operations) * 32.0 * warps / rates.memory_lanes_per_clock);
            let sum = counted.sums.values().copied().fold(0.0, f64::max);
            let chain = if computes { sum * rates.arithmetic_clocks + rates.shared_load_clocks } else { 0.0 };
            let is_staged = staged.iter().any(|staged| *staged);
            let passes = statement.accesses.iter().any(|access| passed(&access.array));
            let passed_on = [is_staged, staged.iter().all(|staged| *staged)];
            let chain = if computes && passes {
                let block = Block {
                    blocks,
                    warps: threads.div_ceil(32) as usize,
                    shared_clocks: (answers_of_block / rates.wavefronts_per_clock)
                        .max(instructions * warps - operations * warps),
                    staged: passed_on,
                    loading: loading(nesting, leaf),
                };
                in_turn(counted, block, rates)
            } else {
                chain
            };
            let of_warps = 32 * threads.div_ceil(32);
            let registers =
                if computes { registers(kernel, nesting, leaf, counted, threads, rates) } else { 1 };
            let resident = (rates.threads_per_multiprocessor / of_warps)
                .min(rates.registers_per_multiprocessor / (of_warps * registers))
                .clamp(1, 32);
            let waves = blocks.div_ceil(rates.multiprocessors * resident) as f64;
            ns = ns.max(waves * rates.ns(chain.max(instructions)));
            ns = ns.max(rates.ns(bytes_of_block / rates.port_bytes_per_clock));
        }
        for at in (0..statement.accesses.len()).filter(|_| !loads) {
            let all: BTreeSet<u64> =
                counted.touched.iter().filter(|own| own.0.1 == at).flat_map(|own| own.1.clone()).collect();
            let bytes = 4.0 * all.len() as f64;
            memory_bytes[usize::from(!computes)] += bytes;
            ns = ns.max(bytes / if computes { rates.l2_read_gbps } else { rates.l2_write_gbps });
        }
    }
    let busiest = busy.values().copied().fold(0.0, f64::max);
    let memory_bytes: f64 = memory_bytes.iter().map(|bytes| (bytes - rates.l2_bytes).max(0.0)).sum();
    ns.max(rates.ns(busiest)).max(memory_bytes / rates.dram_gbps)
}

/// Which of the ways to load tiles it is; as they are needed where there is no choice.
fn loading(nesting: &Nesting, leaf: &Candidate) -> usize {
    nesting.loading.map_or(0, |loading| leaf.values(loading.choice).only().unwrap())
}

/// Registers of a thread for sums that go on with the next tile, and for what it loads ahead, as far as there are any.
fn registers(
    kernel: &Kernel,
    nesting: &Nesting,
    leaf: &Candidate,
    counted: &Counted,
    threads: u64,
    rates: &Rates,
) -> u64 {
    let Some(own) = nesting.loading else { return 1 };
    let number = |at: usize| {
        let size = nesting.loops[at].size;
        leaf.problem().number(size, leaf.values(size).only().unwrap()).unwrap()
    };
    let kind = |at: usize| leaf.values(nesting.loops[at].kind).only().unwrap();
    let is_outermost = |at: usize| at != own.along && nesting.is_shared(kernel, at);
    let is_once = |at: usize| is_outermost(at) && kind(at) < 3;
    if kind(own.along) != 0 || number(own.along) == 1 || (0..nesting.loops.len()).any(is_once) {
        return 1;
    }
    let sums = counted.sums.keys().filter(|(thread, _)| *thread == (0, 0)).count() as u64;
    let room = (rates.registers_per_multiprocessor / (32 * threads.div_ceil(32))).min(255).saturating_sub(32);
    let tile = |array: &Array| {
        let tiles = (0..nesting.loops.len()).filter(|&at| {
            nesting.loops[at].level > 0 && array.dimensions.contains(&nesting.loops[at].dimension)
        });
        tiles.map(number).product::<u64>()
    };
    let staged = kernel.arrays.iter().filter(|array| is_staged(kernel, nesting, leaf, &array.name));
    let ahead = if loading(nesting, leaf) > 0 { staged.map(tile).sum::<u64>().div_ceil(threads) } else { 0 };
    if sums > room { 1 } else { (sums + ahead).min(room).max(1) }
}

/// A block that has a multiprocessor for itself.
struct Block {
    blocks: u64,
    warps: usize,
    /// How long shared memory answers its threads, in all.
    shared_clocks: f64,
    /// Whether some and whether all arrays are staged.
    staged: [bool; 2],
    loading: usize,
}

/// Clocks of a block whose warps all do what the first thread does: each starts one instruction after the other,
/// waits for what it needs, and begins no iteration of a plain loop before it has started the one before; the
/// multiprocessor adds for as many lanes at once as it has, and shared memory has answered before all go on to the
/// next tile.
fn in_turn(counted: &Counted, block: Block, rates: &Rates) -> f64 {
    let [some_staged, all_staged] = block.staged;
    let barrier = if some_staged { rates.barrier_clocks } else { 0.0 };
    let shared = if some_staged { rates.shared_load_clocks } else { 0.0 };
    let mut known: BTreeSet<(usize, u64)> = BTreeSet::new();
    let mut load = |around: u64| {
        let Some(sectors) = counted.sectors.get(&around) else { return 0.0 };
        let is_new = block.blocks <= 2 * rates.multiprocessors && !sectors.is_subset(&known);
        known.extend(sectors);
        if is_new { rates.l2_load_clocks } else { rates.load_clocks }
    };
    let rounds: Vec<&[[u64; 3]]> = counted.trace.chunk_by(|one, other| one[0] == other[0]).collect();
    let answering = if some_staged { block.shared_clocks / rounds.len() as f64 } else { 0.0 };
    let mut warps = Warps::new(block.warps, 32.0 / rates.arithmetic_lanes_per_clock, rates.arithmetic_clocks);
    let (mut now, mut arrives) = (0.0_f64, 0.0_f64);
    for (at, &round) in rounds.iter().enumerate() {
        let around = round[0][0];
        now += if at > 0 && block.loading != 2 { barrier } else { 0.0 };
        if block.loading == 0 {
            now += barrier + load(around);
        } else {
            arrives = if at == 0 { now + load(around) } else { arrives };
            now = now.max(arrives) + barrier;
            arrives = now + load(around + 1);
            now += if all_staged { 0.0 } else { rates.load_clocks };
        }
        now = warps.compute(round, now, shared).max(now + answering);
    }
    warps.done().max(now + barrier)
}

/// Warps that take turns.
struct Warps {
    /// When each has each of its sums.
    ready: Vec<BTreeMap<u64, f64>>,
    /// How long one instruction keeps the multiprocessor, and until when one does.
    each: f64,
    busy: f64,
    latency: f64,
}

impl Warps {
    fn new(count: usize, each: f64, latency: f64) -> Self {
        Self { ready: vec![BTreeMap::new(); count], each, busy: 0.0, latency }
    }

    /// When the last one has started all of a round that begins now; `shared` is waited for in each iteration of a
    /// plain loop.
    fn compute(&mut self, round: &[[u64; 3]], now: f64, shared: f64) -> f64 {
        let mut at = vec![(now, 0); self.ready.len()];
        let starts = |own: &Self, warp: usize, (now, next): (f64, usize)| {
            let [_, plain, sum] = round[next];
            let waits = next == 0 || round[next - 1][1] != plain;
            let now = now + if waits { shared } else { 0.0 };
            own.ready[warp].get(&sum).copied().unwrap_or(0.0).max(now).max(own.busy)
        };
        loop {
            let open = (0..at.len()).filter(|&warp| at[warp].1 < round.len());
            let first = open
                .map(|warp| (starts(self, warp, at[warp]), warp))
                .min_by(|one, other| one.0.total_cmp(&other.0));
            let Some((start, warp)) = first else { break };
            self.ready[warp].insert(round[at[warp].1][2], start + self.latency);
            self.busy = start + self.each;
            at[warp] = (start + 1.0, at[warp].1 + 1);
        }
        at.iter().map(|own| own.0).fold(now, f64::max)
    }

    fn done(&self) -> f64 {
        self.ready.iter().flat_map(BTreeMap::values).copied().fold(0.0, f64::max)
    }
}

fn is_staged(kernel: &Kernel, nesting: &Nesting, leaf: &Candidate, array: &str) -> bool {
    let at = kernel.arrays.iter().position(|own| own.name == array);
    at.is_some_and(|at| leaf.values(nesting.memory[at]).only() == Some(1))
}
