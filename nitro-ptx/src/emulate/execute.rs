//! Threads of a warp that are at the same instruction execute it and what comes after it, together.

use super::arithmetic::bits::lop3;
use super::block::Block;
use super::clock::WARP;
use super::decode::{FUNCTIONS, SHARED, fit};
use super::engine::Engine;
use super::error::Fault;
use super::op::{Call, Compute, Logic, Op, Place, Source, Special, Target, Two, What};
use super::warp::{MAX_THREAD_BYTES, MAX_THREAD_REGISTERS, Return, Warp, lanes};

/// What an instruction does to the set of threads that executes it.
pub(super) enum After {
    /// All go on with the next one.
    Next,
    /// All go on there.
    Jump(u32),
    /// They are no longer at one place, or some of them wait: where each is has been noted.
    Parted,
}

/// What a barrier and a fence cost.
pub(super) const FENCE: u64 = 8;

impl<'a> Engine<'a> {
    /// Executes up to `turn` instructions, as long as the set stays together and does not come to `limit`; how many.
    pub(super) fn execute(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        lane: usize,
        set: u32,
        limit: u32,
        turn: u32,
    ) -> Result<u32, Fault> {
        let program = self.program;
        let (mut pc, mut ran) = (warp.pc[lane], 0);
        while ran < turn {
            let op = &program.code[pc as usize];
            ran += 1;
            self.launched.instructions += 1;
            self.launched.cycles += 1;
            if self.launched.instructions > self.options.max_instructions {
                let at = self.at(warp, block, lane, pc);
                return Err(Fault::Endless { at, most: self.options.max_instructions });
            }
            let active = guarded(warp, op, warp.base[lane], set);
            self.launched.thread_instructions += u64::from(active.count_ones());
            if let Some(observer) = self.observer.as_deref_mut() {
                observer.before(pc, warp, set, active);
            }
            if let Some(guards) = self.guards.as_deref_mut() {
                guards.before(pc, set, active);
            }
            match self.one(warp, block, op, (pc, set, active))? {
                After::Next => {
                    if let Some(observer) = self.observer.as_deref_mut() {
                        observer.after(pc, warp, active);
                    }
                    if let Some(guards) = self.guards.as_deref_mut() {
                        guards.after(pc, warp, active);
                    }
                    pc += 1;
                }
                After::Jump(to) => pc = to,
                After::Parted => return Ok(ran),
            }
            if pc >= limit {
                break;
            }
        }
        warp.set_pc(set, pc);
        Ok(ran)
    }

    fn one(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        op: &'a Op,
        (pc, set, active): (u32, u32, u32),
    ) -> Result<After, Fault> {
        let Some(first) = lanes(active).next() else { return Ok(After::Next) };
        match &op.what {
            What::Compute(compute) => {
                self.launched.cycles += u64::from(compute.cost) - 1;
                self.compute(warp, block, compute, active);
            }
            What::Two(two) => self.compute_two(warp, block, two, active),
            What::Logic(logic) => self.logic(warp, block, logic, active),
            What::Load(load) => self.load(warp, block, load, (pc, active))?,
            What::Store(store) => self.store(warp, block, store, (pc, active))?,
            What::Branch(to) => return Ok(branch(warp, pc, set, active, *to)),
            What::Atomic(atomic) => self.atomic(warp, block, atomic, (pc, active))?,
            What::Copy(copy) => self.copy(warp, block, copy, (pc, active))?,
            What::Unpack(from, to, bits) => {
                let values = self.values(warp, block, *from, active);
                for (at, &to) in to.iter().enumerate() {
                    let part = values.map(|value| value >> (at as u32 * bits) & (u64::MAX >> (64 - bits)));
                    write(warp, to, active, &part);
                }
            }
            What::Pack(from, to, bits) => {
                let mut all = [0; WARP];
                for (at, &from) in from.iter().enumerate() {
                    let values = self.values(warp, block, from, active);
                    for (all, value) in all.iter_mut().zip(values) {
                        *all |= (value & u64::MAX >> (64 - bits)) << (at as u32 * bits);
                    }
                }
                write(warp, *to, active, &all);
            }
            What::Move(moves) => {
                let read: Vec<_> =
                    moves.iter().map(|(from, _)| self.values(warp, block, *from, active)).collect();
                for ((_, to), values) in moves.iter().zip(read) {
                    write(warp, *to, active, &values);
                }
            }
            What::ActiveMask(to) => write(warp, *to, active, &[active.into(); WARP]),
            What::Nothing => {}
            What::Fence => {
                self.launched.cycles += FENCE;
                lanes(active).for_each(|lane| self.fence(warp, block, lane));
            }
            What::Choose(index, targets) => {
                let index = self.values(warp, block, *index, active);
                warp.set_pc(set & !active, pc + 1);
                for lane in lanes(active) {
                    let Some(&to) = targets.get(index[lane] as u32 as usize) else {
                        let why = "the index of a branch is beyond its labels".to_owned();
                        return Err(Fault::Call { at: self.at(warp, block, lane, pc), why });
                    };
                    warp.pc[lane] = to;
                }
                return Ok(After::Parted);
            }
            What::Call(call) => return self.call(warp, block, call, (pc, set, active)),
            What::Return => {
                self.returns(warp, block, pc, set, active);
                return Ok(After::Parted);
            }
            What::Exit => {
                warp.set_pc(set & !active, pc + 1);
                end(warp, block, active);
                return Ok(After::Parted);
            }
            What::Trap => return Err(Fault::Trap { at: self.at(warp, block, first, pc) }),
            What::Barrier(barrier) => {
                self.barrier(warp, block, barrier, (pc, set, active))?;
                return Ok(After::Parted);
            }
            What::Collective(collective) => {
                return self.collective(warp, block, collective, (pc, set, active));
            }
        }
        Ok(After::Next)
    }

    /// A value of each of these threads.
    #[inline]
    pub(super) fn values(&self, warp: &Warp, block: &Block, source: Source, active: u32) -> [u64; WARP] {
        match source {
            Source::Register(register) => {
                let mut values = [0; WARP];
                let lane = active.trailing_zeros() as usize & (WARP - 1);
                let from = (warp.base[lane] + register) as usize * WARP;
                values.copy_from_slice(&warp.registers[from..from + WARP]);
                values
            }
            Source::Constant(value) => [value; WARP],
            Source::Frame(offset) => warp.frame.map(|frame| u64::from(frame.wrapping_add(offset))),
            Source::Special(special) => self.special(warp, block, special),
        }
    }

    fn special(&self, warp: &Warp, block: &Block, special: Special) -> [u64; WARP] {
        let lane = |of: &dyn Fn(u32) -> u64| std::array::from_fn(|lane| of(lane as u32));
        match special {
            Special::Thread(axis) => warp.thread.map(|thread| thread[axis as usize].into()),
            Special::Threads(axis) => [self.geometry.block[axis as usize].into(); WARP],
            Special::Block(axis) => [block.at[axis as usize].into(); WARP],
            Special::Blocks(axis) => [self.geometry.grid[axis as usize].into(); WARP],
            Special::Lane => lane(&|lane| lane.into()),
            Special::Warp => [(warp.first / WARP) as u64; WARP],
            Special::Warps => [self.geometry.warps.into(); WARP],
            Special::Mask(kind) => lane(&|lane| {
                let (own, below) = (1_u32 << lane, (1_u32 << lane) - 1);
                u64::from(match kind {
                    0 => own,
                    1 => below,
                    2 => below | own,
                    3 => !(below | own),
                    _ => !below,
                })
            }),
            Special::Clock => [self.launched.cycles; WARP],
            Special::DynamicShared => [self.geometry.shared_bytes.into(); WARP],
            Special::TotalShared => [self.shared_bytes(); WARP],
        }
    }

    #[inline]
    fn compute(&self, warp: &mut Warp, block: &Block, compute: &Compute, active: u32) {
        let [a, b, c, d] = compute.from;
        let function = compute.function;
        let (a, b) = (self.values(warp, block, a, active), self.values(warp, block, b, active));
        let base = warp.base[active.trailing_zeros() as usize] + compute.to;
        let to = base as usize * WARP;
        if let (Source::Constant(c), Source::Constant(d)) = (c, d) {
            let to = &mut warp.registers[to..to + WARP];
            if active == u32::MAX {
                for lane in 0..WARP {
                    to[lane] = function(a[lane], b[lane], c, d);
                }
            } else {
                lanes(active).for_each(|lane| to[lane] = function(a[lane], b[lane], c, d));
            }
            return;
        }
        let (c, d) = (self.values(warp, block, c, active), self.values(warp, block, d, active));
        let to = &mut warp.registers[to..to + WARP];
        lanes(active).for_each(|lane| to[lane] = function(a[lane], b[lane], c[lane], d[lane]));
    }

    fn compute_two(&self, warp: &mut Warp, block: &Block, two: &Two, active: u32) {
        let [a, b, c, d] = two.from.map(|source| self.values(warp, block, source, active));
        let (mut first, mut second) = ([0; WARP], [0; WARP]);
        for lane in lanes(active) {
            (first[lane], second[lane]) = (two.function)(a[lane], b[lane], c[lane], d[lane]);
        }
        // Where both are one register the first is meant.
        write(warp, two.to[1], active, &second);
        write(warp, two.to[0], active, &first);
    }

    fn logic(&self, warp: &mut Warp, block: &Block, logic: &Logic, active: u32) {
        let [a, b, c] = logic.from.map(|source| self.values(warp, block, source, active));
        let with = self.values(warp, block, logic.with, active);
        let (mut words, mut holds) = ([0; WARP], [0; WARP]);
        for lane in lanes(active) {
            words[lane] = lop3(a[lane], b[lane], c[lane], logic.table.into());
            let with = with[lane] & 1 != u64::from(logic.is_negated);
            let is_any = words[lane] != 0;
            holds[lane] = u64::from(if logic.is_and { is_any && with } else { is_any || with });
        }
        write(warp, logic.to[0], active, &words);
        write(warp, logic.to[1], active, &holds);
    }

    fn call(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        call: &Call,
        (pc, set, active): (u32, u32, u32),
    ) -> Result<After, Fault> {
        let pointers = match call.function {
            Target::Function(index) => [u64::from(index) * 16 + FUNCTIONS; WARP],
            Target::Pointer(source) => self.values(warp, block, source, active),
        };
        warp.set_pc(set & !active, pc + 1);
        for lane in lanes(active) {
            let refused = |why: &str| Fault::Call { at: self.at(warp, block, lane, pc), why: why.to_owned() };
            let index = pointers[lane].wrapping_sub(FUNCTIONS);
            let callee = self.program.functions.get((index / 16) as usize).filter(|_| index % 16 == 0);
            let Some(callee) = callee else { return Err(refused("there is no function at that address")) };
            if callee.is_kernel
                || !fit(&call.arguments, &callee.arguments)
                || !fit(&call.results, &callee.results)
            {
                return Err(refused("the function takes or gives something else"));
            }
            let arguments: Vec<Vec<u8>> =
                call.arguments.iter().map(|place| self.handed(warp, block, lane, *place)).collect();
            let caller_registers = self.function_at(pc).registers;
            let base = warp.base[lane] + caller_registers;
            let frame = warp.local[lane].data.len() as u32;
            if base + callee.registers > MAX_THREAD_REGISTERS || frame + callee.frame_bytes > MAX_THREAD_BYTES
            {
                return Err(refused("too many functions are called inside of each other"));
            }
            let back = Return {
                pc,
                registers: warp.base[lane],
                frame: warp.frame[lane],
                local_bytes: frame,
                callee: (index / 16) as u32,
            };
            warp.returns[lane].push(back);
            let needed = (base + callee.registers) as usize * WARP;
            if warp.registers.len() < needed {
                warp.registers.resize(needed, 0x0bad_0bad_0bad_0bad);
            }
            (warp.base[lane], warp.frame[lane], warp.pc[lane]) = (base, frame, callee.entry);
            warp.local[lane].resize((frame + callee.frame_bytes) as usize, 0xcd);
            for (place, bytes) in callee.arguments.iter().zip(arguments) {
                take(warp, lane, *place, &bytes);
            }
        }
        Ok(After::Parted)
    }

    fn returns(&mut self, warp: &mut Warp, block: &mut Block, pc: u32, set: u32, active: u32) {
        warp.set_pc(set & !active, pc + 1);
        for lane in lanes(active) {
            let Some(back) = warp.returns[lane].pop() else {
                end(warp, block, 1 << lane);
                continue;
            };
            let What::Call(call) = &self.program.code[back.pc as usize].what else { continue };
            let callee = &self.program.functions[back.callee as usize];
            let results: Vec<Vec<u8>> =
                callee.results.iter().map(|place| self.handed(warp, block, lane, *place)).collect();
            (warp.base[lane], warp.frame[lane], warp.pc[lane]) = (back.registers, back.frame, back.pc + 1);
            warp.local[lane].resize(back.local_bytes as usize, 0xcd);
            for (place, bytes) in call.results.iter().zip(results) {
                take(warp, lane, *place, &bytes);
            }
        }
    }

    /// The function that an instruction is in.
    fn function_at(&self, pc: u32) -> &super::decode::Function {
        let after = self.program.functions.partition_point(|function| function.entry <= pc);
        &self.program.functions[after.saturating_sub(1)]
    }

    /// The bytes of what a thread hands over.
    fn handed(&self, warp: &Warp, block: &Block, lane: usize, place: Place) -> Vec<u8> {
        match place {
            Place::Value(source) => self.values(warp, block, source, 1 << lane)[lane].to_le_bytes().to_vec(),
            Place::Bytes { offset, bytes } => {
                let from = (warp.frame[lane] + offset) as usize;
                warp.local[lane].data[from..from + bytes as usize].to_vec()
            }
        }
    }
}

/// Puts what is handed over where it belongs.
fn take(warp: &mut Warp, lane: usize, place: Place, bytes: &[u8]) {
    match place {
        Place::Value(Source::Register(register)) => {
            let mut value = [0; 8];
            let length = bytes.len().min(8);
            value[..length].copy_from_slice(&bytes[..length]);
            warp.registers[(warp.base[lane] + register) as usize * WARP + lane] = u64::from_le_bytes(value);
        }
        Place::Value(_) => {}
        Place::Bytes { offset, bytes: length } => {
            let to = (warp.frame[lane] + offset) as usize;
            let length = (length as usize).min(bytes.len());
            warp.local[lane].data[to..to + length].copy_from_slice(&bytes[..length]);
            warp.local[lane].note_written(to, length);
        }
    }
}

/// Threads come to their ends.
pub(super) fn end(warp: &mut Warp, block: &mut Block, set: u32) {
    warp.alive &= !set;
    block.alive -= set.count_ones();
    lanes(set).for_each(|lane| block.clock.ends(warp.first + lane));
}

fn branch(warp: &mut Warp, pc: u32, set: u32, active: u32, to: u32) -> After {
    if active == set {
        return After::Jump(to);
    }
    warp.set_pc(active, to);
    warp.set_pc(set & !active, pc + 1);
    After::Parted
}

/// Those of a set whose guard holds.
#[inline]
fn guarded(warp: &Warp, op: &Op, base: u32, set: u32) -> u32 {
    let Some(guard) = op.guard else { return set };
    let from = (base + guard.register) as usize * WARP;
    let mut holds = 0;
    for (lane, value) in warp.registers[from..from + WARP].iter().enumerate() {
        holds |= ((value & 1) as u32) << lane;
    }
    set & if guard.negated { !holds } else { holds }
}

#[inline]
pub(super) fn write(warp: &mut Warp, register: u32, active: u32, values: &[u64; WARP]) {
    let to = (warp.base[active.trailing_zeros() as usize & (WARP - 1)] + register) as usize * WARP;
    let to = &mut warp.registers[to..to + WARP];
    if active == u32::MAX {
        to.copy_from_slice(values);
    } else {
        lanes(active).for_each(|lane| to[lane] = values[lane]);
    }
}

const _: () = assert!(SHARED > FUNCTIONS);
