//! Compressed rows, shared out by rows.

use rayon::prelude::*;

use super::{Matrix, check_lengths};

/// Entries of a task on average, below which handing it to another thread costs more than it saves.
const TASK_ENTRIES: usize = 16 * 1024;
/// Tasks a thread, so that a thread with short rows can take over work of one with long rows.
const TASKS_PER_THREAD: usize = 4;

/// Multiplies blocks of equally many rows on all threads of the pool.
///
/// Best for matrices of evenly long rows, and for small ones.
///
/// # Panics
/// If a vector's length is not that of the matrix.
pub fn csr_rows(a: &Matrix, x: &[f64], y: &mut [f64]) {
    check_lengths(a, x, y);
    let block = block_rows(a.rows(), a.nonzeros());
    if a.rows() <= block {
        return multiply(a, 0, x, y);
    }
    y.par_chunks_mut(block).enumerate().for_each(|(index, y)| multiply(a, index * block, x, y));
}

/// Rows of a task: as many tasks as threads can share out, none of them too small to pay; all rows if one does all.
pub(super) fn block_rows(rows: usize, work: usize) -> usize {
    let threads = rayon::current_num_threads();
    let tasks = if threads == 1 { 1 } else { (work / TASK_ENTRIES).clamp(1, TASKS_PER_THREAD * threads) };
    rows.div_ceil(tasks).max(1)
}

/// Multiplies the rows from `first` on.
pub(super) fn multiply(a: &Matrix, first: usize, x: &[f64], y: &mut [f64]) {
    let rows = a.csr();
    for (y, range) in y.iter_mut().zip(rows.offsets[first..].windows(2)) {
        *y = rows.dot(range[0] as usize, range[1] as usize, x);
    }
}
