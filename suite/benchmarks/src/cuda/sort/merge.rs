//! Merge sort.

use nitro_cuda::{Argument, Buffer, CudaError, Grid, Kernel, Program};

use super::{Keys, TILE_THREADS, Tiles, Word, key_count, with_tile};
use crate::cuda::launch::Scratch;

pub(super) static KERNELS: Program = Program::new("sort/merge.cu", with_tile!("merge.cu"));

/// Threads of a block that looks for splits.
const SPLIT_THREADS: u32 = 128;

/// Sorts tiles in shared memory, then merges pairs of runs, pass by pass.
///
/// # Errors
/// [`CudaError::Length`] if the result has another length, and when the device fails.
pub fn merge<W: Word>(from: &Keys<W>, to: &mut Buffer<W>) -> Result<(), CudaError> {
    let keys = key_count(from, to)?;
    if keys == 0 {
        return Ok(());
    }
    let tiles = Tiles::of::<W>(keys);
    // Keys that fit one tile need no memory aside.
    let spare_keys = if tiles.passes == 0 { 0 } else { to.len() };
    let scratch = Scratch::new([spare_keys * size_of::<W>(), tiles.count as usize * size_of::<u32>()])?;
    let [spare, splits] = scratch.pointers();
    // Every pass changes the buffer, and the last one has to write the result.
    let (mut source, mut target) = (spare, to.pointer());
    if tiles.passes % 2 == 1 {
        (source, target) = (target, source);
    }
    let kernel =
        |name: &str| -> Result<Kernel<'static>, CudaError> { KERNELS.kernel(&format!("{name}_{}", W::NAME)) };
    let each_tile = Grid::linear(tiles.count, TILE_THREADS);
    // SAFETY: the arguments are those of the kernel; both buffers have room for the keys.
    unsafe { kernel("sort_tiles")?.launch(each_tile, &[from.words().into(), target.into(), keys.into()])? };
    let (find_splits, merge_runs) = (kernel("find_splits")?, kernel("merge_runs")?);
    for run in tiles.runs() {
        (source, target) = (target, source);
        let splitting: [Argument<'_>; 5] =
            [source.into(), keys.into(), run.into(), splits.into(), tiles.count.into()];
        let merging: [Argument<'_>; 5] =
            [source.into(), target.into(), keys.into(), run.into(), splits.into()];
        // SAFETY: the arguments are those of the kernels; there is a split a tile, and both buffers have room for
        // the keys.
        unsafe {
            find_splits.launch(Grid::covering(tiles.count as usize, SPLIT_THREADS), &splitting)?;
            merge_runs.launch(each_tile, &merging)?;
        }
    }
    Ok(())
}
