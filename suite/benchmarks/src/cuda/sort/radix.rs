//! Radix sort.

use nitro_cuda::{Buffer, CudaError, Grid, Kernel, Program};

use super::{Keys, Word, key_count};
use crate::cuda::launch::{Scratch, resident_blocks};

pub(super) static KERNELS: Program = Program::new("sort/radix.cu", include_str!("radix.cu"));

// The kernels say the same.
const DIGITS: usize = 256;
const DIGIT_BITS: u32 = 8;
const MOVE_THREADS: u32 = 384;
const COUNT_THREADS: u32 = 256;
const CLEAR_THREADS: u32 = 256;
/// Bytes that a thread clears at once.
const VECTOR_BYTES: usize = 16;
/// Keys that a thread counts at least: fewer would not pay for the tables that a block clears and adds up.
const MIN_COUNTED_KEYS: usize = 16;

/// Sorts by one byte after the other from the least significant on, in one pass over the keys each.
///
/// # Errors
/// [`CudaError::Length`] if the result has another length, and when the device fails.
pub fn radix<W: Word>(from: &Keys<W>, to: &mut Buffer<W>) -> Result<(), CudaError> {
    let keys = key_count(from, to)?;
    if keys == 0 {
        return Ok(());
    }
    let passes = W::BITS / DIGIT_BITS;
    let tiles = keys.div_ceil(MOVE_THREADS * W::RADIX_ITEMS);
    // Counts of all passes, their tickets, and what tiles publish, all cleared at once.
    let table_bytes = DIGITS * size_of::<u32>();
    let published_bytes = tiles as usize * table_bytes;
    let words_bytes = (passes as usize + 1) * table_bytes + passes as usize * published_bytes;
    let scratch = Scratch::new([words_bytes, to.len() * size_of::<W>()])?;
    let [counts, spare] = scratch.pointers();
    let tickets = counts + u64::from(passes) * table_bytes as u64;
    let published = tickets + table_bytes as u64;

    let kernel =
        |name: &str| -> Result<Kernel<'static>, CudaError> { KERNELS.kernel(&format!("{name}_{}", W::NAME)) };
    let (clear, count_digits, move_keys) =
        (KERNELS.kernel("clear")?, kernel("count_digits")?, kernel("move_keys")?);
    let vectors = words_bytes / VECTOR_BYTES;
    let clearing = resident_blocks(clear, CLEAR_THREADS, 0, vectors.div_ceil(CLEAR_THREADS as usize));
    let counted = to.len().div_ceil(COUNT_THREADS as usize * MIN_COUNTED_KEYS);
    let counting = resident_blocks(count_digits, COUNT_THREADS, 0, counted);
    // SAFETY: the arguments are those of the kernels; there is a table of counts a pass, and all of `words_bytes`
    // is there to be cleared.
    unsafe {
        clear.launch(Grid::linear(clearing, CLEAR_THREADS), &[counts.into(), (vectors as u32).into()])?;
        count_digits.launch(
            Grid::linear(counting, COUNT_THREADS),
            &[from.words().into(), keys.into(), counts.into()],
        )?;
        KERNELS.kernel("find_starts")?.launch(Grid::linear(passes, DIGITS as u32), &[counts.into()])?;
    }
    let mut source = from.words().pointer();
    for pass in 0..passes {
        // There are 4 or 8 passes, so the last one writes the result.
        let target = if pass % 2 == 0 { spare } else { to.pointer() };
        let ticket = tickets + u64::from(pass) * size_of::<u32>() as u64;
        let arguments = [
            source.into(),
            target.into(),
            keys.into(),
            (pass * DIGIT_BITS).into(),
            (counts + u64::from(pass) * table_bytes as u64).into(),
            ticket.into(),
            (published + u64::from(pass) * published_bytes as u64).into(),
        ];
        // SAFETY: the arguments are those of the kernel; both buffers have room for the keys, and every tile has
        // its own words to publish in.
        unsafe { move_keys.launch(Grid::linear(tiles, MOVE_THREADS), &arguments)? };
        source = target;
    }
    Ok(())
}
