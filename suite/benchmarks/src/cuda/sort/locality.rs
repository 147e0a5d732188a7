//! Locality sort: a merge sort that moves only what is out of order.

use nitro_cuda::{Argument, Buffer, CudaError, Grid, Kernel, Program};

use super::{Keys, TILE_THREADS, Tiles, Word, key_count, with_tile};
use crate::cuda::launch::{Scratch, resident_blocks};

pub(super) static KERNELS: Program = Program::new("sort/locality.cu", with_tile!("locality.cu"));

/// Threads of a block that looks for tiles to merge.
const TASK_THREADS: u32 = 128;
/// Size of the kernels' `Task`.
const TASK_BYTES: usize = 12;
/// Words of a queue: number of tasks, and how many are taken.
const QUEUE_WORDS: u32 = 2;

/// Exploits existing order: tiles that ascend or descend are not sorted, and of two runs only the tiles where they
/// overlap are merged, which blocks take from a queue.
///
/// # Errors
/// [`CudaError::Length`] if the result has another length, and when the device fails.
pub fn locality<W: Word>(from: &Keys<W>, to: &mut Buffer<W>) -> Result<(), CudaError> {
    let keys = key_count(from, to)?;
    if keys == 0 {
        return Ok(());
    }
    let tiles = Tiles::of::<W>(keys);
    let (count, queue_words) = (tiles.count as usize, QUEUE_WORDS * tiles.passes);
    let spare_keys = if tiles.passes == 0 { 0 } else { to.len() };
    let scratch = Scratch::new([
        spare_keys * size_of::<W>(),
        count * size_of::<u32>(),
        count * size_of::<u32>(),
        count * TASK_BYTES,
        queue_words as usize * size_of::<u32>(),
    ])?;
    let [spare, mut flags, mut flags_after, tasks, mut queue] = scratch.pointers();
    let kernel =
        |name: &str| -> Result<Kernel<'static>, CudaError> { KERNELS.kernel(&format!("{name}_{}", W::NAME)) };
    let each_tile = Grid::linear(tiles.count, TILE_THREADS);
    let to: Argument<'_> = to.into();
    let ordering = [from.words().into(), to, keys.into(), flags.into(), queue.into(), queue_words.into()];
    // SAFETY: the arguments are those of the kernel; the result has room for the keys, and there is a flag a tile.
    unsafe { kernel("order_tiles")?.launch(each_tile, &ordering)? };
    if tiles.passes == 0 {
        return Ok(());
    }
    let (find_tasks, merge_tasks) = (kernel("find_tasks")?, kernel("merge_tasks")?);
    let workers = Grid::linear(resident_blocks(merge_tasks, TILE_THREADS, 0, count), TILE_THREADS);
    for run in tiles.runs() {
        let finding: [Argument<'_>; 9] = [
            to,
            spare.into(),
            flags.into(),
            flags_after.into(),
            keys.into(),
            run.into(),
            tiles.count.into(),
            tasks.into(),
            queue.into(),
        ];
        let merging: [Argument<'_>; 7] =
            [to, spare.into(), flags.into(), keys.into(), run.into(), tasks.into(), queue.into()];
        // SAFETY: the arguments are those of the kernels; both buffers have room for the keys, and there is a flag
        // and room for a task a tile, and a queue a pass.
        unsafe {
            find_tasks.launch(Grid::covering(count, TASK_THREADS), &finding)?;
            merge_tasks.launch(workers, &merging)?;
        }
        (flags, flags_after) = (flags_after, flags);
        queue += u64::from(QUEUE_WORDS) * size_of::<u32>() as u64;
    }
    // SAFETY: the arguments are those of the kernel, as above.
    unsafe { kernel("collect_tiles")?.launch(each_tile, &[to, spare.into(), flags.into(), keys.into()]) }
}
