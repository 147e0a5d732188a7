//! Launches with all that they need, and what the host does between them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use nitro_cuda::{CudaError, Grid, Kernel, Stream, Variable};
use nitro_search::Failure;

use super::case::{Case, CaseBuffer};
use super::kernels;
use super::loaded::LoadedCode;
use super::stop::Stop;
use crate::workload::{HostCopy, HostStep, Launch};

/// A launch with all that it needs.
pub(super) struct PreparedLaunch<'m> {
    pub(super) kernel: Kernel<'m>,
    pub(super) grid: Grid,
    /// The bytes of each argument.
    pub(super) arguments: Vec<Vec<u8>>,
}

/// Work for a stream.
pub(super) enum Work<'m> {
    Launch(PreparedLaunch<'m>),
    /// To copy to a variable, of whichever modules have it, from an address. A kernel may not write constants.
    Set {
        variables: Vec<Variable<'m>>,
        source: u64,
    },
}

impl<'m> Work<'m> {
    /// Returns the launch that it is.
    pub(super) fn launch(&self) -> Option<&PreparedLaunch<'m>> {
        match self {
            Self::Launch(prepared) => Some(prepared),
            Self::Set { .. } => None,
        }
    }
}

/// Prepares launches with the buffers where they are now.
pub(super) fn prepare<'m>(
    program: &'m LoadedCode,
    launches: &[Launch],
    case: &Case,
) -> Result<Vec<PreparedLaunch<'m>>, Stop> {
    let mut kernels = BTreeMap::new();
    for name in launches.iter().map(|launch| launch.kernel.as_str()) {
        if let Entry::Vacant(kernel) = kernels.entry(name) {
            let (own, module) = program.kernel(name).map_err(Stop::of(Failure::Compile))?;
            kernel.insert((own, case.addresses(module)));
        }
    }
    let prepared = launches.iter().map(|launch| {
        let ([bx, by, bz], [tx, ty, tz]) = (launch.grid, launch.block);
        let grid = Grid { blocks: (bx, by, bz), threads: (tx, ty, tz), shared_bytes: launch.shared_bytes };
        let (kernel, addresses) = &kernels[launch.kernel.as_str()];
        PreparedLaunch { kernel: *kernel, grid, arguments: launch.parameters(addresses) }
    });
    Ok(prepared.collect())
}

/// Returns what the host did in the last run, for which it does not have to look at any flag.
///
/// So the host's time, which varies, is not in the time of a loop.
pub(super) fn done<'m>(
    prepared: Vec<PreparedLaunch<'m>>,
    case: &Case,
    program: &'m LoadedCode,
    stream: Stream,
) -> Result<Vec<Work<'m>>, Stop> {
    let mut prepared: Vec<_> = prepared.into_iter().map(Some).collect();
    let mut all = Vec::with_capacity(case.done.len());
    for &step in &case.done {
        match step {
            HostStep::Launch(number) => all.extend(prepared[number].take().map(Work::Launch)),
            HostStep::Clear(buffer) => all.push(Work::Launch(clear(case, program, buffer, stream)?)),
            HostStep::Copy(step) => all.push(copy(case, program, step, stream)?),
            HostStep::Leave { .. } => {}
        }
    }
    Ok(all)
}

/// Returns what a program has left in a buffer so far.
pub(super) fn left(buffer: &CaseBuffer, program: &LoadedCode, stream: Stream) -> Result<Vec<u8>, CudaError> {
    match variable(buffer, program) {
        Some(variable) => variable.to_vec(stream),
        None => buffer.work.to_vec(),
    }
}

/// Returns where a program finds a buffer.
fn address(buffer: &CaseBuffer, program: &LoadedCode) -> u64 {
    variable(buffer, program).map_or(buffer.work.pointer(), |variable| variable.pointer())
}

/// Returns the variable of a program that a buffer is, that of the first module that has it.
fn variable<'m>(buffer: &CaseBuffer, program: &'m LoadedCode) -> Option<Variable<'m>> {
    program.modules().find_map(|module| buffer.variable(module))
}

/// Returns the launch that clears a buffer of a program, in order with its own launches.
pub(super) fn clear(
    case: &Case,
    program: &LoadedCode,
    buffer: usize,
    stream: Stream,
) -> Result<PreparedLaunch<'static>, Stop> {
    let buffer = &case.buffers[buffer];
    on_bytes("clear", &[address(buffer, program)], buffer.work.len(), stream)
}

/// Returns the work of a copy from one buffer of a program to another one.
pub(super) fn copy<'m>(
    case: &Case,
    program: &'m LoadedCode,
    step: HostCopy,
    stream: Stream,
) -> Result<Work<'m>, Stop> {
    let place = |(buffer, at): (usize, usize)| address(&case.buffers[buffer], program) + at as u64;
    let (target, source) = (&case.buffers[step.to.0], place(step.from));
    let variables: Vec<Variable<'m>> =
        program.modules().filter_map(|module| target.variable(module)).collect();
    match variables.is_empty() {
        true => on_bytes("copy", &[place(step.to), source], step.bytes, stream).map(Work::Launch),
        false => Ok(Work::Set { variables, source }),
    }
}

/// Returns the launch of a kernel that takes addresses and how many bytes there are.
fn on_bytes(
    kernel: &str,
    addresses: &[u64],
    bytes: usize,
    stream: Stream,
) -> Result<PreparedLaunch<'static>, Stop> {
    let numbers = addresses.iter().copied().chain([bytes as u64]);
    Ok(PreparedLaunch {
        kernel: kernels::on_bytes(stream.device(), kernel)?,
        grid: kernels::grid(stream, bytes.div_ceil(kernels::BYTES_AT_ONCE)),
        arguments: numbers.map(|number| number.to_le_bytes().to_vec()).collect(),
    })
}
