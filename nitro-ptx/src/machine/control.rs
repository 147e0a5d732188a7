//! Execution of what changes where threads go on: branches, calls, ends ("Control Flow Instructions").

use std::sync::Arc;

use super::block::Block;
use super::clock::WARP;
use super::error::Fault;
use super::source::{FUNCTION_BYTES, FUNCTIONS, Place, Source, fit};
use super::state::{After, Execute, FENCE_CYCLES, Here, Machine};
use super::warp::{MAX_THREAD_BYTES, MAX_THREAD_REGISTERS, Return, Warp, lanes};
use crate::machine::symbolic::{Frame, Handed, Operand, Trace};

/// The value of registers that nobody has written, in frames of functions that are called.
const REGISTER_FILLER: u64 = 0x0bad_0bad_0bad_0bad;
/// The value of their memory.
const FRAME_FILLER: u8 = 0xcd;

/// An instruction that has no effect on what is emulated, such as prefetching.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nothing;

impl Execute for Nothing {
    fn execute(&self, _: &mut Machine, _: &mut Here) -> Result<After, Fault> {
        Ok(After::Next)
    }

    fn trace(&self, _: &mut Trace) -> Result<(), String> {
        Ok(())
    }
}

/// A fence ("membar, fence").
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence;

impl Execute for Fence {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        machine.launched.cycles += FENCE_CYCLES;
        lanes(here.active).for_each(|lane| machine.fence(here.warp, here.block, lane));
        Ok(After::Next)
    }

    fn trace(&self, _: &mut Trace) -> Result<(), String> {
        Ok(())
    }
}

/// The threads that are active (`activemask`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveMask(pub(crate) u32);

impl Execute for ActiveMask {
    fn execute(&self, _: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        here.write(self.0, &[here.active.into(); WARP]);
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        // Those that are here together are so by chance.
        lanes(trace.here.active).for_each(|lane| trace.write(self.0, lane, Operand::UNKNOWN));
        Ok(())
    }
}

/// A branch to one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch(pub(crate) u32);

impl Execute for Branch {
    fn execute(&self, _: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        if here.active == here.set {
            return Ok(After::Jump(self.0));
        }
        here.warp.set_pc(here.active, self.0);
        here.part();
        Ok(After::Parted)
    }

    fn trace(&self, _: &mut Trace) -> Result<(), String> {
        Ok(())
    }
}

/// A branch to one of several places, by an index (`brx.idx`).
#[derive(Clone, Debug)]
pub(crate) struct Choose {
    pub(crate) index: Source,
    pub(crate) targets: Box<[u32]>,
}

impl Execute for Choose {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let index = here.values(machine, self.index);
        here.part();
        for lane in lanes(here.active) {
            let Some(&to) = self.targets.get(index[lane] as u32 as usize) else {
                let why = "the index of a branch is beyond its labels".to_owned();
                return Err(Fault::Call { at: here.at(machine, lane), why });
            };
            here.warp.pc[lane] = to;
        }
        Ok(After::Parted)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        trace.require_known(self.index, "control")
    }
}

/// The end of a thread (`exit`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit;

impl Execute for Exit {
    fn execute(&self, _: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        here.part();
        here.end(here.active);
        Ok(After::Parted)
    }

    fn trace(&self, _: &mut Trace) -> Result<(), String> {
        Ok(())
    }
}

/// The end of the launch (`trap`), and whatever the emulator does not know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trap;

impl Execute for Trap {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        Err(Fault::Trap { at: here.at(machine, here.active.trailing_zeros() as usize) })
    }
}

/// A call of the function that prints. What is printed goes nowhere, and the results are 0.
#[derive(Clone, Debug)]
pub(crate) struct Print {
    pub(crate) results: Box<[Place]>,
}

impl Execute for Print {
    fn execute(&self, _: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        for lane in lanes(here.active) {
            self.results.iter().for_each(|place| take(here.warp, lane, *place, &[0; 8]));
        }
        Ok(After::Next)
    }
}

/// The function that a call names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Function(u32),
    Pointer(Source),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: Target,
    pub(crate) arguments: Box<[Place]>,
    pub(crate) results: Arc<[Place]>,
}

impl Execute for Call {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let pointers = match self.function {
            Target::Function(index) => [u64::from(index) * FUNCTION_BYTES + FUNCTIONS; WARP],
            Target::Pointer(source) => here.values(machine, source),
        };
        here.part();
        // Through a pointer each thread may call another function.
        for lane in lanes(here.active) {
            self.enter(machine, here, lane, pointers[lane]).map_err(|why| {
                let at = here.at(machine, lane);
                Fault::Call { at, why: why.to_owned() }
            })?;
        }
        Ok(After::Parted)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let pointers = match self.function {
            Target::Function(index) => [u64::from(index) * FUNCTION_BYTES + FUNCTIONS; WARP],
            Target::Pointer(source) => {
                trace.require_known(source, "what it calls")?;
                trace.here.values(trace.machine, source)
            }
        };
        let own = trace.machine.image.function_at(trace.here.pc).registers;
        for lane in lanes(trace.here.active) {
            let called = trace.machine.image.function_of(pointers[lane]);
            // Whoever executes it says what is wrong.
            let Some(callee) = called.filter(|callee| fit(&self.arguments, &callee.arguments)) else {
                continue;
            };
            let handed: Vec<Handed> = self.arguments.iter().map(|place| trace.handed(lane, *place)).collect();
            let warp = &trace.here.warp;
            let to = Frame { registers: warp.base[lane] + own, bytes: warp.local[lane].data.len() as u32 };
            if to.registers + callee.registers <= MAX_THREAD_REGISTERS
                && to.bytes + callee.frame_bytes <= MAX_THREAD_BYTES
            {
                trace.begin(lane, to, callee);
                callee
                    .arguments
                    .iter()
                    .zip(&handed)
                    .for_each(|(place, own)| trace.take(lane, to, *place, own));
            }
        }
        Ok(())
    }
}

impl Call {
    /// Gives a thread a frame of the function behind its own, and goes to its first instruction.
    fn enter(
        &self,
        machine: &Machine,
        here: &mut Here,
        lane: usize,
        pointer: u64,
    ) -> Result<(), &'static str> {
        let callee = machine.image.function_of(pointer).ok_or("there is no function at that address")?;
        if callee.is_kernel
            || !fit(&self.arguments, &callee.arguments)
            || !fit(&self.results, &callee.results)
        {
            return Err("the function takes or gives something else");
        }
        // Arguments are read in the caller's frame before the callee's takes its place.
        let arguments: Vec<Vec<u8>> =
            self.arguments.iter().map(|place| handed(machine, here.warp, here.block, lane, *place)).collect();
        let warp = &mut *here.warp;
        let base = warp.base[lane] + machine.image.function_at(here.pc).registers;
        let frame = warp.local[lane].data.len() as u32;
        if base + callee.registers > MAX_THREAD_REGISTERS || frame + callee.frame_bytes > MAX_THREAD_BYTES {
            return Err("too many functions are called inside of each other");
        }
        warp.returns[lane].push(Return {
            pc: here.pc,
            registers: warp.base[lane],
            frame: warp.frame[lane],
            local_bytes: frame,
            callee: ((pointer - FUNCTIONS) / FUNCTION_BYTES) as u32,
            results: Arc::clone(&self.results),
        });
        // Frames of registers grow for all lanes of the warp at once.
        let needed = (base + callee.registers) as usize * WARP;
        if warp.registers.len() < needed {
            warp.registers.resize(needed, REGISTER_FILLER);
        }
        (warp.base[lane], warp.frame[lane], warp.pc[lane]) = (base, frame, callee.entry);
        warp.local[lane].resize((frame + callee.frame_bytes) as usize, FRAME_FILLER);
        for (place, bytes) in callee.arguments.iter().zip(arguments) {
            take(warp, lane, *place, &bytes);
        }
        Ok(())
    }
}

/// The end of a function, or of a kernel's thread (`ret`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ret;

impl Execute for Ret {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        here.part();
        for lane in lanes(here.active) {
            let Some(back) = here.warp.returns[lane].pop() else {
                here.end(1 << lane);
                continue;
            };
            // Results are read in the callee's frame, and written in the caller's.
            let given = &machine.image.functions[back.callee as usize].results;
            let given: Vec<Vec<u8>> =
                given.iter().map(|place| handed(machine, here.warp, here.block, lane, *place)).collect();
            let warp = &mut *here.warp;
            (warp.base[lane], warp.frame[lane], warp.pc[lane]) = (back.registers, back.frame, back.pc + 1);
            warp.local[lane].resize(back.local_bytes as usize, FRAME_FILLER);
            for (place, bytes) in back.results.iter().zip(given) {
                take(warp, lane, *place, &bytes);
            }
        }
        Ok(After::Parted)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        for lane in lanes(trace.here.active) {
            let Some(back) = trace.here.warp.returns[lane].last().cloned() else { continue };
            let given = &trace.machine.image.functions[back.callee as usize].results;
            let handed: Vec<Handed> = given.iter().map(|place| trace.handed(lane, *place)).collect();
            let to = Frame { registers: back.registers, bytes: back.frame };
            back.results.iter().zip(&handed).for_each(|(place, own)| trace.take(lane, to, *place, own));
        }
        Ok(())
    }
}

/// Returns the bytes of what a thread hands over.
fn handed(machine: &Machine, warp: &Warp, block: &Block, lane: usize, place: Place) -> Vec<u8> {
    match place {
        Place::Value(source) => machine.values(warp, block, source, 1 << lane)[lane].to_le_bytes().to_vec(),
        Place::Bytes { offset, bytes } => {
            let from = (warp.frame[lane] + offset) as usize;
            warp.local[lane].data[from..from + bytes as usize].to_vec()
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
            warp.write(register, 1 << lane, &[u64::from_le_bytes(value); WARP]);
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
