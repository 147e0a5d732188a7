//! Code whose threads end where loops do not, or before they access what is no buffer's.

use nitro_cuda::{Module, Stream, Variable};
use nitro_ptx::{Module as Ptx, Violation};
use nitro_search::Failure;

use super::case::Case;
use super::stop::Stop;

/// What such code is told, and tells.
#[derive(Clone, Copy)]
pub(super) struct Bounded<'m> {
    /// None where it may access anything.
    table: Option<Variable<'m>>,
    violation: Variable<'m>,
    /// None where loops may last.
    end: Option<Variable<'m>>,
}

impl<'m> Bounded<'m> {
    /// Of a module that has bounds or a deadline.
    pub(super) fn of(module: &'m Module) -> Option<Self> {
        let variable = |name| module.variable(name).ok();
        let (table, end) = (variable(Ptx::BOUNDS_VARIABLE), variable(Ptx::DEADLINE_VARIABLE));
        Some(Self { violation: variable(Violation::VARIABLE)?, table, end })
    }

    /// Lets it begin with a run, and access the buffers where they are now.
    pub(super) fn allow(&self, stream: Stream, case: &Case) -> Result<(), Stop> {
        if let Some(end) = self.end {
            end.copy_from_slice(stream, &0_u64.to_ne_bytes())?;
        }
        let Some(variable) = self.table else { return Ok(()) };
        let ranges: Vec<(u64, u64)> =
            case.buffers.iter().map(|buffer| (buffer.work.pointer(), buffer.work.len() as u64)).collect();
        let table = Ptx::bounds_table(&ranges).ok_or_else(|| {
            Stop::Failed(Failure::Launch, format!("{} buffers are too many for bounds", ranges.len()))
        })?;
        Ok(variable.copy_from_slice(stream, &table)?)
    }

    /// Whether it did nothing else, in all runs so far. Waits for them.
    pub(super) fn judge(&self, stream: Stream) -> Result<(), Stop> {
        let value = self.violation.to_vec(stream)?.try_into().map_or(0, u32::from_ne_bytes);
        match Violation::of(value) {
            Some(violation @ Violation::Deadline) => {
                Err(Stop::Failed(Failure::Timeout, violation.to_string()))
            }
            Some(violation) => Err(Stop::Failed(Failure::Crash, violation.to_string())),
            None => Ok(()),
        }
    }
}
