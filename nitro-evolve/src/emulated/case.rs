//! One case on the emulator.

use std::borrow::Cow;
use std::sync::Arc;

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Fault, Guards, Launch as EmulatedLaunch, Launched, Memory, Options};

use crate::compare;
use crate::workload::{HostCopy, HostStep, InputBuffer, Inputs, Launch, Role};

/// The result of a run of a case.
pub(crate) struct RunResult {
    /// The content of each buffer that is compared; empty for others.
    pub buffers: Vec<Vec<u8>>,
    /// Set if an input was changed.
    pub changes_input: bool,
    /// The modelled time of the launches that count.
    pub cycles: u64,
    /// The instructions of the launches that count.
    pub instructions: u64,
}

/// Reads a text, of which these kernels can be run.
pub(super) fn emulator(ptx: &str, kernels: &[&str]) -> Result<Emulator, String> {
    program(ptx, kernels).map(|(_, emulator)| emulator)
}

/// Reads a text as [`emulator`] does, and returns its module too.
pub(super) fn program(ptx: &str, kernels: &[&str]) -> Result<(Module, Emulator), String> {
    let module = Module::parse(ptx).map_err(|error| error.to_string())?;
    let emulator = Emulator::for_kernels(&module, kernels).map_err(|error| error.to_string())?;
    Ok((module, emulator))
}

/// Runs a case: the launches that count by `program`, those that judge by the original.
pub(crate) fn run(
    program: &Emulator,
    original: &Arc<Emulator>,
    inputs: &Inputs,
    options: Options,
) -> Result<RunResult, Fault> {
    run_guarded(program, original, inputs, options, None)
}

/// Runs a case as [`run`] does, and notes the outcomes of the guards of launches that count.
pub(super) fn run_guarded(
    program: &Emulator,
    original: &Arc<Emulator>,
    inputs: &Inputs,
    options: Options,
    mut guards: Option<&mut Guards>,
) -> Result<RunResult, Fault> {
    let mut memory = Memory::new();
    let addresses = allocate_all(&mut memory, inputs);
    let mut result = RunResult { buffers: Vec::new(), changes_input: false, cycles: 0, instructions: 0 };
    let mut course = Course::default();
    while let Some(launch) = course.next_launch(inputs, &addresses, &mut memory) {
        let most = options.max_instructions.saturating_sub(result.instructions);
        let options = Options { max_instructions: most, ..options };
        let guards = guards.as_deref_mut();
        let launched = self::launch(program, launch, &addresses, (&mut memory, guards), &options)?;
        result.cycles += launched.cycles;
        result.instructions += launched.instructions;
    }
    for launch in &inputs.judge {
        let unlimited = Options { max_instructions: Options::default().max_instructions, ..options };
        self::launch(original, launch, &addresses, (&mut memory, None), &unlimited)?;
    }
    for (buffer, &address) in inputs.buffers.iter().zip(&addresses) {
        let left = memory.bytes(address);
        result.changes_input |= buffer.role == Role::In && *left != *buffer.placed(&addresses);
        let is_kept = matches!(buffer.role, Role::Out | Role::InOut);
        result.buffers.push(if is_kept { left.to_vec() } else { Vec::new() });
    }
    Ok(result)
}

/// A host that goes through the steps of a case.
#[derive(Default)]
pub(crate) struct Course {
    at: usize,
}

impl Course {
    /// Does what stands before the next launch, and returns that.
    pub(crate) fn next_launch<'a>(
        &mut self,
        inputs: &'a Inputs,
        addresses: &[u64],
        memory: &mut Memory,
    ) -> Option<&'a Launch> {
        loop {
            let step = *inputs.host.get(self.at)?;
            self.at += 1;
            match step {
                HostStep::Launch(number) => return inputs.launches.get(number),
                HostStep::Clear(buffer) => memory.clear(addresses[buffer]),
                HostStep::Copy(step) => copy(memory, addresses, step),
                HostStep::Leave { flag, to } => {
                    let is_left = memory.bytes(addresses[flag]).iter().all(|&byte| byte == 0);
                    self.at = if is_left { to } else { self.at };
                }
            }
        }
    }
}

/// Copies from one buffer to another one.
pub(super) fn copy(memory: &mut Memory, addresses: &[u64], step: HostCopy) {
    let HostCopy { from: (from, begin), to: (to, to_begin), bytes } = step;
    let copied = memory.bytes(addresses[from])[begin..begin + bytes].to_vec();
    memory.write(addresses[to], to_begin, &copied);
}

/// Puts the buffers of a case into memory, and returns their addresses.
pub(crate) fn allocate_all(memory: &mut Memory, inputs: &Inputs) -> Vec<u64> {
    let addresses: Vec<u64> = inputs.buffers.iter().map(|buffer| allocate(memory, buffer)).collect();
    for (buffer, &address) in inputs.buffers.iter().zip(&addresses) {
        if let Cow::Owned(bytes) = buffer.placed(&addresses) {
            memory.write(address, 0, &bytes);
        }
    }
    addresses
}

/// Puts a buffer into memory, without its content where that is only written.
fn allocate(memory: &mut Memory, buffer: &InputBuffer) -> u64 {
    let address = match buffer.role {
        Role::In | Role::InOut => memory.allocate(buffer.bytes.clone()),
        Role::Out | Role::Scratch => memory.allocate_uninitialised(buffer.bytes.len()),
    };
    if let Some(variable) = &buffer.variable {
        memory.bind(variable, address);
    }
    address
}

/// Launches a kernel with buffers at these addresses.
fn launch(
    program: &Emulator,
    launch: &Launch,
    addresses: &[u64],
    (memory, guards): (&mut Memory, Option<&mut Guards>),
    options: &Options,
) -> Result<Launched, Fault> {
    let parameters = launch.parameters(addresses);
    let emulated = emulated(launch, &parameters);
    match guards {
        Some(guards) => program.launch_guarded(&emulated, memory, options, guards),
        None => program.launch(&emulated, memory, options),
    }
}

/// Returns a launch as the emulator takes it.
pub(crate) fn emulated<'a>(launch: &'a Launch, parameters: &'a [Vec<u8>]) -> EmulatedLaunch<'a> {
    let Launch { kernel, grid, block, shared_bytes, .. } = launch;
    EmulatedLaunch { kernel, grid: *grid, block: *block, shared_bytes: *shared_bytes, parameters }
}

/// Returns the distance of a result from the original's, the worst of all buffers; infinite where an input changed.
pub(super) fn error(inputs: &Inputs, result: &RunResult, original: &RunResult) -> f64 {
    if result.changes_input {
        return f64::INFINITY;
    }
    let mut worst = 0.0f64;
    let results = result.buffers.iter().zip(&original.buffers);
    for (buffer, (found, expected)) in inputs.buffers.iter().zip(results) {
        worst = worst.max(match buffer.role {
            Role::In | Role::Scratch => 0.0,
            Role::Out | Role::InOut => compare::error(&buffer.layout, found, expected),
        });
    }
    worst
}
