//! Numbers that are alike on all devices that kernels are made for: compute capability 8.0 and later.

/// Threads of a warp.
pub(crate) const LANES: u32 = 32;

/// The most threads of a block.
pub(crate) const MOST_THREADS: u32 = 1024;

/// Bytes of shared memory that a kernel may declare; a launch asks for more.
pub(crate) const STATIC_SHARED_BYTES: i64 = 48 << 10;

/// Bytes of shared memory that a block has if it asks.
pub(crate) const MOST_SHARED_BYTES: i64 = 99 << 10;

/// Bytes that it has if it asks, of devices of compute capability 9.0.
pub(crate) const GROUP_SHARED_BYTES: i64 = 227 << 10;

/// Parts of a multiprocessor, each of which has warps and registers of its own.
const PARTITIONS: i64 = 4;

/// Registers of such a part.
const PARTITION_REGISTERS: i64 = 1 << 14;

/// Registers of a multiprocessor.
#[cfg(feature = "search")]
pub(crate) const REGISTERS: i64 = PARTITIONS * PARTITION_REGISTERS;

/// Returns how many warps a multiprocessor has registers for at a time, where a thread takes so many.
pub(crate) fn resident_warps(registers: i64) -> i64 {
    PARTITIONS * (PARTITION_REGISTERS / (registers * i64::from(LANES)))
}
