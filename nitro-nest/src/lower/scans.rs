//! Scans: loops that add up, and tell of each part what it comes to.

use super::groups::Planner;
use super::row_kernels::shared_reduction;
use crate::dependence::reduction;
use crate::nest::affine::Affine;
use crate::nest::{Assignment, Node, Range};

/// A loop whose first statement reduces to an element that the others read in each iteration: a *scan*.
pub(crate) struct Scan<'n> {
    pub(crate) reduces: &'n Assignment,
    /// What is done with each part of the result.
    pub(crate) others: Vec<&'n Assignment>,
}

/// Returns the scan that a node is, if it is one.
pub(crate) fn scan(node: &Node) -> Option<Scan<'_>> {
    let Node::Loop(range, body) = node else { return None };
    let is_plain = body.iter().all(|node| matches!(node, Node::Assign(_)));
    let assignments = node.assignments();
    let (reduces, others) = assignments.split_first()?;
    let is_seen = others.iter().any(|other| other.value.reads().contains(&&reduces.target));
    let is_scan = is_plain && is_seen && !reduces.target.depends_on(&[range.iterator]);
    (is_scan && reduction(reduces).is_some()).then(|| Scan { reduces, others: others.to_vec() })
}

impl Planner<'_> {
    /// Returns `true` if threads may share out a scan: nothing but its element goes from one iteration to another.
    pub(super) fn may_scan(&self, among: &[usize], range: &Range, scan: &Scan<'_>, inside: usize) -> bool {
        let (own, target) = ([range.iterator], &scan.reduces.target);
        let is_of_sizes = range.lower.iter().chain(&range.upper).all(Affine::is_of_sizes);
        let is_plain = is_of_sizes && range.step == 1 && !range.is_reversed;
        let mut found = self.dependences.within(among, inside);
        is_plain
            && shared_reduction(self.nest, scan.reduces).is_some()
            && found.all(|found| found.array == target.array || found.distances[inside].is_zero())
            && scan.others.iter().all(|other| {
                let mut accesses = other.accesses().into_iter();
                other.target.depends_on(&own)
                    && accesses.all(|access| access.array != target.array || access == target)
            })
    }
}
