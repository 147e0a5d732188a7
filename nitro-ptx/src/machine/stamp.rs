//! Accesses of memory, as they are remembered.

/// An access: the thread, counted through the grid, its time, and the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) thread: u32,
    pub(crate) time: u32,
    /// Its highest bit is a flag: of a write, that it changed something, of a read, that it is strong.
    pub(crate) pc: u32,
}

pub(crate) const FLAG: u32 = 1 << 31;

impl Stamp {
    pub(crate) const NONE: Self = Self { thread: u32::MAX, time: 0, pc: 0 };

    pub(crate) fn is_some(self) -> bool {
        self.thread != u32::MAX
    }

    pub(crate) fn flag(self) -> bool {
        self.pc & FLAG != 0
    }

    pub(crate) fn at(self) -> usize {
        (self.pc & !FLAG) as usize
    }
}
