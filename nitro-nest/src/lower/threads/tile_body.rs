//! The body of a loop that is staged.

use super::context::Tile;
use crate::nest::{Assignment, Node, Range};

/// The most iterations of the loops in one that is staged: all of them are written out.
const MOST_INNER_ITERATIONS: i64 = 64;

/// The body of a loop that is staged: statements, maybe in short loops whose bounds are numbers.
pub(super) struct TileBody<'a> {
    pub(super) assignments: Vec<&'a Assignment>,
    loops: Vec<ShortLoop>,
}

/// A loop whose bounds are numbers.
struct ShortLoop {
    iterator: usize,
    first: i64,
    end: i64,
}

impl<'a> TileBody<'a> {
    /// Gathers statements and loops. None: another loop is among them, or they have too many iterations.
    pub(super) fn new(nodes: &'a [Node]) -> Option<Self> {
        let mut body = Self { assignments: Vec::new(), loops: Vec::new() };
        body.gather(nodes)?;
        (body.iterations() <= MOST_INNER_ITERATIONS).then_some(body)
    }

    fn gather(&mut self, nodes: &'a [Node]) -> Option<()> {
        for node in nodes {
            match node {
                Node::Assign(assignment) => self.assignments.push(assignment),
                Node::If(..) => {}
                Node::Loop(range, _) => self.loops.push(ShortLoop::new(range)?),
            }
            self.gather(node.body())?;
        }
        Some(())
    }

    /// Returns the iterators of the loops.
    pub(super) fn iterators(&self) -> Vec<usize> {
        self.loops.iter().map(|one| one.iterator).collect()
    }

    /// Returns the values that the iterators of the loops have.
    pub(super) fn values(&self) -> Tile {
        self.loops.iter().map(|one| (one.iterator, one.first.into(), (one.end - 1).into())).collect()
    }

    /// Returns the iterations of all loops together, as if each were in the one before.
    pub(super) fn iterations(&self) -> i64 {
        self.loops.iter().fold(1, |all, one| all.saturating_mul(one.end - one.first))
    }
}

impl ShortLoop {
    fn new(range: &Range) -> Option<Self> {
        let ([lower], [upper]) = (&range.lower[..], &range.upper[..]) else { return None };
        let is_short =
            lower.terms().is_empty() && upper.terms().is_empty() && range.step == 1 && !range.is_reversed;
        let (first, end) = (lower.constant(), upper.constant());
        (is_short && first < end).then_some(Self { iterator: range.iterator, first, end })
    }
}
