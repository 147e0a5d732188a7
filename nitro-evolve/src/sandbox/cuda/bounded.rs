//! Modules whose threads end where loops do not, or before a stray access.

use nitro_cuda::{Module, Stream, Variable};
use nitro_ptx::{Module as Ptx, Violation};
use nitro_search::Failure;

use super::case::Case;
use super::stop::Stop;

/// A module that is told its bounds and deadline, and tells whether it broke them.
#[derive(Clone, Copy)]
pub(super) struct BoundedModule<'m> {
    module: &'m Module,
    /// The table of bounds; none where it may access anything.
    table: Option<Variable<'m>>,
    violation: Variable<'m>,
    /// The deadline; none where loops may last.
    end: Option<Variable<'m>>,
}

impl<'m> BoundedModule<'m> {
    /// Takes a module that has bounds or a deadline.
    pub(super) fn of(module: &'m Module) -> Option<Self> {
        let violation = module.variable(Violation::VARIABLE).ok()?;
        let (table, end) = (module.variable(Ptx::BOUNDS_VARIABLE), module.variable(Ptx::DEADLINE_VARIABLE));
        Some(Self { module, violation, table: table.ok(), end: end.ok() })
    }

    /// Prepares it for a run, with the buffers where they are now.
    pub(super) fn allow(&self, stream: Stream, case: &Case) -> Result<(), Stop> {
        if let Some(end) = self.end {
            end.copy_from_slice(stream, &0_u64.to_ne_bytes())?;
        }
        let Some(variable) = self.table else { return Ok(()) };
        let lengths = case.buffers.iter().map(|buffer| buffer.work.len() as u64);
        let ranges: Vec<(u64, u64)> = case.addresses(self.module).into_iter().zip(lengths).collect();
        let table = Ptx::bounds_table(&ranges).ok_or_else(|| {
            Stop::Failed(Failure::Launch, format!("{} buffers are too many for bounds", ranges.len()))
        })?;
        Ok(variable.copy_from_slice(stream, &table)?)
    }

    /// Fails if it broke its bounds or deadline in some run so far. Waits for them.
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
