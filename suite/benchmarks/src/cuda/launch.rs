//! What the launches of several functions have in common.

use nitro_cuda::{Buffer, CudaError, Kernel};

/// What parts of a [`Scratch`] begin at a multiple of: enough for every vector load, and a cache line.
const ALIGNMENT_BYTES: usize = 256;

/// Device memory for the intermediate results of one call, in parts. One allocation, whose cost is the same
/// whatever the parts.
pub(super) struct Scratch<const N: usize> {
    /// Freed in the stream's order once the kernels that use it are done.
    _memory: Buffer<u8>,
    pointers: [u64; N],
}

impl<const N: usize> Scratch<N> {
    /// Memory of whatever content, in parts of so many bytes.
    pub fn new(bytes: [usize; N]) -> Result<Self, CudaError> {
        let sizes = bytes.map(|bytes| bytes.next_multiple_of(ALIGNMENT_BYTES));
        let memory = Buffer::uninit(sizes.iter().sum())?;
        let mut next = memory.pointer();
        let pointers = sizes.map(|size| {
            let pointer = next;
            next += size as u64;
            pointer
        });
        Ok(Self { _memory: memory, pointers })
    }

    /// Where each part begins.
    pub fn pointers(&self) -> [u64; N] {
        self.pointers
    }
}

/// Blocks for so many pieces of work: one each, but no more than the device, or this partition of it, holds at once.
pub(super) fn resident_blocks(kernel: Kernel<'_>, threads: u32, shared_bytes: u32, pieces: usize) -> u32 {
    let resident = kernel.max_resident_blocks(threads, shared_bytes).max(1);
    u32::try_from(pieces.clamp(1, resident)).unwrap_or(u32::MAX)
}
