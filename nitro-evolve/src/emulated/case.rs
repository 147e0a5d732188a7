//! One case on the emulator.

use std::sync::Arc;

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Fault, Guards, Launch as Emulated, Memory, Options};

use crate::compare;
use crate::workload::{InputBuffer, Inputs, Launch, Role};

/// What a run of a case left.
pub(crate) struct Left {
    /// For each buffer that is compared, or nobody may change, what it holds; empty for others.
    pub buffers: Vec<Vec<u8>>,
    /// Modelled time of what counts.
    pub cycles: u64,
    /// Instructions of what counts.
    pub instructions: u64,
}

/// A text of which these kernels can be run.
pub(super) fn emulator(ptx: &str, kernels: &[&str]) -> Result<Emulator, String> {
    emulator_of(&Module::parse(ptx).map_err(|error| error.to_string())?, kernels)
}

/// Returns a module of which these kernels can be run.
pub(super) fn emulator_of(module: &Module, kernels: &[&str]) -> Result<Emulator, String> {
    Emulator::for_kernels(module, kernels).map_err(|error| error.to_string())
}

/// Runs a case: what counts by `program`, what judges by the original.
pub(crate) fn run(
    program: &Emulator,
    original: &Arc<Emulator>,
    inputs: &Inputs,
    options: Options,
) -> Result<Left, Fault> {
    run_guarded(program, original, inputs, options, None)
}

/// Runs a case as [`run`] does, and notes what the guards of what counts come to.
pub(super) fn run_guarded(
    program: &Emulator,
    original: &Arc<Emulator>,
    inputs: &Inputs,
    options: Options,
    mut guards: Option<&mut Guards>,
) -> Result<Left, Fault> {
    let mut memory = Memory::new();
    let addresses: Vec<u64> = inputs.buffers.iter().map(|buffer| allocate(&mut memory, buffer)).collect();
    let mut left = Left { buffers: Vec::new(), cycles: 0, instructions: 0 };
    for launch in &inputs.launches {
        let most = options.max_instructions.saturating_sub(left.instructions);
        let options = Options { max_instructions: most, ..options };
        let guards = guards.as_deref_mut();
        let launched = self::launch(program, launch, &addresses, (&mut memory, guards), &options)?;
        left.cycles += launched.cycles;
        left.instructions += launched.instructions;
    }
    for launch in &inputs.judge {
        let unlimited = Options { max_instructions: Options::default().max_instructions, ..options };
        self::launch(original, launch, &addresses, (&mut memory, None), &unlimited)?;
    }
    let kept = inputs.buffers.iter().zip(addresses);
    left.buffers = kept
        .map(|(buffer, address)| match buffer.role {
            Role::Scratch => Vec::new(),
            _ => memory.bytes(address).to_vec(),
        })
        .collect();
    Ok(left)
}

pub(crate) fn allocate(memory: &mut Memory, buffer: &InputBuffer) -> u64 {
    match buffer.role {
        Role::In | Role::InOut => memory.allocate(buffer.bytes.clone()),
        Role::Out | Role::Scratch => memory.allocate_uninitialised(buffer.bytes.len()),
    }
}

fn launch(
    program: &Emulator,
    launch: &Launch,
    addresses: &[u64],
    (memory, guards): (&mut Memory, Option<&mut Guards>),
    options: &Options,
) -> Result<nitro_ptx::emulate::Launched, Fault> {
    let parameters: Vec<Vec<u8>> =
        launch.arguments.iter().map(|argument| argument.bytes(addresses)).collect();
    let Launch { kernel, grid, block, shared_bytes, .. } = launch;
    let emulated =
        Emulated { kernel, grid: *grid, block: *block, shared_bytes: *shared_bytes, parameters: &parameters };
    match guards {
        Some(guards) => program.launch_guarded(&emulated, memory, options, guards),
        None => program.launch(&emulated, memory, options),
    }
}

/// How far what is left is from what the original left, the worst of all buffers; infinite where an input was changed.
pub(super) fn error(inputs: &Inputs, left: &Left, original: &Left) -> f64 {
    let pairs = left.buffers.iter().zip(&original.buffers);
    inputs
        .buffers
        .iter()
        .zip(pairs)
        .map(|(buffer, (found, expected))| match buffer.role {
            Role::In if *found != buffer.bytes => f64::INFINITY,
            Role::In | Role::Scratch => 0.0,
            Role::Out | Role::InOut => compare::error(buffer.element, buffer.comparison, found, expected),
        })
        .fold(0.0, f64::max)
}
