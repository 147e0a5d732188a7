//! Splits: the iterations of one dimension are spread over blocks, threads and the work of a thread.

use crate::candidate::{Candidate, Values};
use crate::space::{NestLoop, Nesting};

const PLAIN: usize = 0;
pub(super) const VECTOR: usize = 2;
pub(super) const BLOCK: usize = 3;
pub(super) const THREAD: usize = 4;

/// One way to spread a dimension: `blocks * threads * inside` is its size.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Split {
    pub(super) blocks: u64,
    pub(super) threads: u64,
    /// Iterations of a thread.
    pub(super) inside: u64,
    /// Neighbouring iterations that a thread has at once: those of the innermost loops, up to one of threads, or a
    /// plain one, whose iterations are apart in the code. `u64::MAX` where a thread has all of a tile's.
    pub(super) run: u64,
    pub(super) axes: Vec<ThreadLoop>,
}

/// A loop of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ThreadLoop {
    /// Its position among the loops.
    pub(super) at: usize,
    pub(super) threads: u64,
    /// The distance from one iteration to the next, in iterations of the dimension.
    pub(super) step: u64,
}

/// All ways that a state leaves open for a dimension.
#[derive(Debug, Default)]
pub(super) struct Splits {
    /// Without regard to which loops the threads are of: `axes` is empty.
    pub(super) coarse: Vec<Split>,
    /// With their loops.
    pub(super) fine: Vec<Split>,
}

/// Returns the key that [`splits`] depends on.
pub(super) fn key(nesting: &Nesting, dimension: usize, candidate: &Candidate) -> Vec<Values> {
    let mut key = Vec::new();
    for at in nesting.loops_of(dimension) {
        let NestLoop { size, kind, .. } = nesting.loops[at];
        key.extend([candidate.values(size), candidate.values(kind)]);
    }
    key
}

/// Returns all ways that a state leaves open for a dimension.
pub(super) fn splits(nesting: &Nesting, dimension: usize, size: u64, candidate: &Candidate) -> Splits {
    let loops = nesting.loops_of(dimension);
    let mut fine = Vec::new();
    let start = Split { blocks: 1, threads: 1, inside: 1, run: 1, axes: Vec::new() };
    spread(nesting, &loops, size, &start, candidate, &mut fine);
    fine.sort_unstable();
    fine.dedup();
    let mut coarse: Vec<Split> =
        fine.iter().map(|split| Split { axes: Vec::new(), ..split.clone() }).collect();
    coarse.dedup(); // sorted by all else, so that equal ones are neighbours
    Splits { coarse, fine }
}

/// Goes on from the innermost loop outwards; `left` is what the loops that are left have to make up.
fn spread(
    nesting: &Nesting,
    loops: &[usize],
    left: u64,
    split: &Split,
    candidate: &Candidate,
    found: &mut Vec<Split>,
) {
    let Some((&at, outer)) = loops.split_last() else {
        if left == 1 {
            found.push(split.clone());
        }
        return;
    };
    let (problem, own) = (candidate.problem(), nesting.loops[at]);
    // Sizes of the loops multiply to that of the dimension.
    let sizes = candidate.values(own.size).iter().filter_map(|value| problem.number(own.size, value));
    for size in sizes.filter(|&size| size > 0 && left.is_multiple_of(size)) {
        let kinds = candidate.values(own.kind);
        for mut next in kinds.iter().filter_map(|kind| split.with(at, size, kind)) {
            if outer.is_empty() && split.is_one_run() {
                // A thread has whole rows of tiles, and what lies behind them is its own, too.
                next.run = u64::MAX;
            }
            spread(nesting, outer, left / size, &next, candidate, found);
            if size == 1 {
                break; // one iteration is the same whatever it is
            }
        }
    }
}

impl Split {
    /// Returns true if a thread has all of it at once.
    fn is_one_run(&self) -> bool {
        self.run == self.inside && self.blocks * self.threads == 1
    }

    /// Puts a loop of this size and kind around; none where that overflows.
    fn with(&self, at: usize, size: u64, kind: usize) -> Option<Self> {
        let mut next = self.clone();
        match kind {
            BLOCK => next.blocks = next.blocks.checked_mul(size)?,
            THREAD => {
                if size > 1 {
                    // One iteration steps over all that the loops within do, whoever does it.
                    let step = self.blocks * self.threads * self.inside;
                    next.axes.push(ThreadLoop { at, threads: size, step });
                }
                next.threads = next.threads.checked_mul(size)?;
            }
            _ => {
                if self.is_one_run() && (kind != PLAIN || size == 1) {
                    next.run = next.run.checked_mul(size)?;
                }
                next.inside = next.inside.checked_mul(size)?;
            }
        }
        Some(next)
    }
}

/// Returns the most elements that one instruction may take of a dimension: those of its widest vector loop.
pub(super) fn vector(nesting: &Nesting, dimension: usize, candidate: &Candidate) -> u64 {
    let problem = candidate.problem();
    let loops = nesting.loops_of(dimension).into_iter().map(|at| nesting.loops[at]);
    let wide = loops.filter(|own| candidate.values(own.kind).has(VECTOR));
    let sizes = wide.flat_map(|own| {
        candidate.values(own.size).iter().filter_map(move |value| problem.number(own.size, value))
    });
    sizes.max().unwrap_or(1).max(1)
}
