//! Compressed rows, shared out by work.

use rayon::prelude::*;

use super::{Matrix, Rows, check_lengths, csr_rows};

/// Rows and entries of a task, below which handing it to another thread costs more than it saves.
const TASK_WORK: usize = 8 * 1024;
/// Tasks a thread: all are equally long, so more than a few would only add carries.
const TASKS_PER_THREAD: usize = 2;

/// Gives all threads of the pool equally many entries, wherever rows begin and end.
///
/// Each task writes the rows that begin in its share. What it finds of a row that began in an earlier share is
/// carried, and added when all tasks are done. Best when a few rows hold much of the matrix.
///
/// # Panics
/// If a vector's length is not that of the matrix.
pub fn csr_balanced(a: &Matrix, x: &[f64], y: &mut [f64]) {
    check_lengths(a, x, y);
    let (threads, work) = (rayon::current_num_threads(), a.rows() + a.nonzeros());
    let tasks = (work / TASK_WORK).min(TASKS_PER_THREAD * threads);
    if threads == 1 || tasks <= 1 {
        return csr_rows::multiply(a, 0, x, y);
    }
    let rows = a.csr();
    let shares = split(rows, work.div_ceil(tasks), work, y);
    let carries: Vec<_> =
        shares.into_par_iter().with_max_len(1).map(|share| (share.first, share.multiply(rows, x))).collect();
    // The first share begins with a row, so there is a row before every carry that is not zero.
    for (first, carry) in carries {
        if first > 0 {
            y[first - 1] += carry;
        }
    }
}

/// The part of the product that one task computes.
struct Share<'y> {
    /// The first row that begins here.
    first: usize,
    /// The first entry; it belongs to the row before `first` unless that row ends just here.
    from: usize,
    /// The end of the entries.
    to: usize,
    /// The results of the rows that begin here.
    y: &'y mut [f64],
}

/// Cuts the walk over all rows and entries, row by row, into shares of `length` steps.
///
/// Rows count like entries, so that a matrix of mostly empty rows is shared out evenly as well.
fn split<'y>(rows: Rows<'_>, length: usize, work: usize, mut y: &'y mut [f64]) -> Vec<Share<'y>> {
    let mut shares = Vec::with_capacity(work.div_ceil(length));
    let (mut first, mut from) = (0, 0);
    for end in (1..=work.div_ceil(length)).map(|share| (share * length).min(work)) {
        let (next, to) = position(rows.offsets, end);
        let (here, rest) = y.split_at_mut(next - first);
        shares.push(Share { first, from, to, y: here });
        (first, from, y) = (next, to, rest);
    }
    shares
}

/// How many rows have begun and how many entries have passed after `steps` steps.
fn position(offsets: &[u32], steps: usize) -> (usize, usize) {
    // `offsets[row] + row` steps have been taken before a row begins; it ascends, so halving finds the place.
    let (mut low, mut high) = (0, offsets.len() - 1);
    while low < high {
        let middle = (low + high) / 2;
        if offsets[middle] as usize + middle < steps { low = middle + 1 } else { high = middle }
    }
    (low, steps - low)
}

impl Share<'_> {
    /// Writes the rows that begin here and returns the sum for the row that began before.
    fn multiply(self, rows: Rows<'_>, x: &[f64]) -> f64 {
        let begin = |row: usize| (rows.offsets[row] as usize).min(self.to);
        let carry = rows.dot(self.from, begin(self.first), x);
        let mut from = begin(self.first);
        for (y, row) in self.y.iter_mut().zip(self.first..) {
            let to = begin(row + 1);
            *y = rows.dot(from, to, x);
            from = to;
        }
        carry
    }
}
