//! The decomposition for few columns or few rows: blocks of whole rows.
//!
//! A block of whole rows of a narrow grid fits the cache, where it is transposed on its own. What remains is to
//! bring the pieces of each long row together, a shuffle of contiguous segments that moves at the speed of copying.

use rayon::prelude::*;

use super::check_length;

/// Columns, or rows, up to which a shape counts as skinny.
pub const SKINNY_COLUMNS: usize = 64;

/// Elements of a block: half of it and its copy stay in the second-level cache of all current processors.
const BLOCK_ELEMENTS: usize = 8 * 1024;
/// Blocks below which waking other threads does not pay.
const MIN_PARALLEL_BLOCKS: usize = 4;

/// Columns to rows for few columns: blocks of whole rows are transposed, then their segments shuffled.
///
/// # Panics
/// If there are not rows times columns values.
pub fn c2r_skinny(values: &mut [f64], rows: usize, columns: usize) {
    check_length(values, rows, columns);
    if rows <= 1 || columns <= 1 {
        return;
    }
    let Blocks { count, rows: block_rows, covered } = Blocks::of(rows, columns);
    let (blocked, rest) = values.split_at_mut(covered * columns);
    let rest = rest.to_vec();
    for_each_block(blocked, block_rows * columns, |block, copy| {
        transpose_block(block, copy, block_rows, columns)
    });
    shuffle_segments(blocked, block_rows, count, columns);
    // Rows are now as long as the blocks cover: move them apart, the last first, to make room for the rest.
    for column in (0..columns).rev() {
        values.copy_within(column * covered..(column + 1) * covered, column * rows);
        for (row, value) in (covered..rows).zip(rest.iter().skip(column).step_by(columns)) {
            values[column * rows + row] = *value;
        }
    }
}

/// Rows to columns for few rows: the segments of each row are shuffled to blocks, which are then transposed.
///
/// # Panics
/// If there are not rows times columns values.
pub fn r2c_skinny(values: &mut [f64], rows: usize, columns: usize) {
    check_length(values, rows, columns);
    if rows <= 1 || columns <= 1 {
        return;
    }
    let Blocks { count, rows: block_columns, covered } = Blocks::of(columns, rows);
    // Take the columns that no block covers out of each row and move the rows together.
    let mut rest = vec![0.0; (columns - covered) * rows];
    for row in 0..rows {
        for (column, value) in values[row * columns + covered..(row + 1) * columns].iter().enumerate() {
            rest[column * rows + row] = *value;
        }
        values.copy_within(row * columns..row * columns + covered, row * covered);
    }
    let (blocked, tail) = values.split_at_mut(covered * rows);
    shuffle_segments(blocked, block_columns, rows, count);
    for_each_block(blocked, block_columns * rows, |block, copy| {
        transpose_block(block, copy, rows, block_columns)
    });
    tail.copy_from_slice(&rest);
}

/// How a grid's rows are cut into blocks of equally many.
struct Blocks {
    /// Number of blocks.
    count: usize,
    /// Rows of each.
    rows: usize,
    /// Rows of all blocks; fewer rows than there are blocks are left over.
    covered: usize,
}

impl Blocks {
    /// Cuts a grid of at least one row and one column.
    fn of(rows: usize, columns: usize) -> Blocks {
        let count = (rows * columns).div_ceil(BLOCK_ELEMENTS).min(rows);
        Blocks { count, rows: rows / count, covered: rows / count * count }
    }
}

/// Changes each block, given room for a copy, on all threads of the pool.
fn for_each_block(blocked: &mut [f64], block: usize, change: impl Fn(&mut [f64], &mut Vec<f64>) + Sync) {
    if blocked.len() < MIN_PARALLEL_BLOCKS * block || rayon::current_num_threads() == 1 {
        let mut copy = Vec::new();
        return blocked.chunks_exact_mut(block).for_each(|block| change(block, &mut copy));
    }
    blocked.par_chunks_exact_mut(block).for_each_init(Vec::new, |copy, block| change(block, copy));
}

/// Transposes a block that fits the cache, by way of a copy.
fn transpose_block(block: &mut [f64], copy: &mut Vec<f64>, rows: usize, columns: usize) {
    copy.clear();
    copy.extend_from_slice(block);
    // The long side is walked in the inner loop, whichever it is.
    if rows >= columns {
        for (column, out) in block.chunks_exact_mut(rows).enumerate() {
            out.iter_mut().zip(copy[column..].iter().step_by(columns)).for_each(|(out, value)| *out = *value);
        }
    } else {
        for (row, values) in copy.chunks_exact(columns).enumerate() {
            block[row..].iter_mut().step_by(rows).zip(values).for_each(|(out, value)| *out = *value);
        }
    }
}

/// Transposes a grid of rows times columns segments, each of `segment` elements, cycle by cycle.
fn shuffle_segments(values: &mut [f64], segment: usize, rows: usize, columns: usize) {
    let mut moved = vec![false; rows * columns];
    let mut aside = vec![0.0; segment];
    for start in 0..rows * columns {
        if moved[start] {
            continue;
        }
        aside.copy_from_slice(&values[start * segment..(start + 1) * segment]);
        let mut place = start;
        loop {
            moved[place] = true;
            let source = place % rows * columns + place / rows;
            if source == start {
                break;
            }
            values.copy_within(source * segment..(source + 1) * segment, place * segment);
            place = source;
        }
        values[place * segment..(place + 1) * segment].copy_from_slice(&aside);
    }
}
