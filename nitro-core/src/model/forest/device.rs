//! A forest on one device, ready for many inputs.

use super::super::scores::Points;
use super::{CheckedForest, DeviceSplit, Forest, MAX_NODES, Node};
use crate::{MAX_CHOICES, MAX_FEATURES, order};

/// Copies what a device can reach, in one pass over the nodes.
struct Pruning<'a> {
    forest: &'a Forest,
    device_features: &'a [f64],
    /// The node and the leaf that come next.
    node: usize,
    leaf: usize,
    out: DeviceForest,
}

impl Pruning<'_> {
    /// Puts the subtree that comes next into a slot; returns how many comparisons it needs. At most `MAX_DEPTH` deep.
    fn place(&mut self, slot: usize) -> usize {
        let node = self.forest.nodes[self.node];
        self.node += 1;
        match node {
            Node::Leaf => {
                let width = self.forest.choices;
                self.out.set_leaf(slot, &self.forest.values[self.leaf * width..(self.leaf + 1) * width]);
                self.leaf += 1;
                0
            }
            Node::Split { column, threshold } => {
                match self.forest.on_device(column, threshold, self.device_features) {
                    DeviceSplit::Input { column, threshold } => {
                        let child = self.out.push(2);
                        self.out.nodes[slot] = FlatNode::new(threshold, column.into(), child);
                        let lower = self.place(child);
                        1 + lower.max(self.place(child + 1))
                    }
                    DeviceSplit::Decided { is_upper: true } => {
                        self.skip();
                        self.place(slot)
                    }
                    DeviceSplit::Decided { is_upper: false } => {
                        let depth = self.place(slot);
                        self.skip();
                        depth
                    }
                }
            }
        }
    }

    /// Passes over the subtree that comes next.
    fn skip(&mut self) {
        (self.node, self.leaf) = self.forest.behind((self.node, self.leaf));
    }
}

/// A [`Forest`] resolved for one device.
#[derive(Debug)]
pub(crate) struct DeviceForest {
    choices: usize,
    /// Number of trees, at most [`MAX_TREES`](super::MAX_TREES).
    trees: u16,
    nodes: Vec<FlatNode>,
    /// A row of values for each node, as wide as the choices need in multiples of [`LANES`]. Those of splits are
    /// never read: that is less than a table of where the leaves' rows are would cost.
    values: Vec<[u8; LANES]>,
    groups: Vec<Group>,
    /// The number that is subtracted from each input feature; none where that is 0 for all.
    origins: Option<Box<[f64; MAX_FEATURES]>>,
}

/// Values that are added side by side.
const LANES: usize = 8;
/// The number of trees that are walked side by side. One walk waits for memory most of the time, several overlap.
const WALKS: usize = 16;

/// The next step of a walk, in one number. From the lowest bits: the column, the lower child, behind which the upper
/// one lies, and the threshold. A leaf is its own lower child and nothing is above its threshold, so that a walk
/// that has ended stays where it is.
#[derive(Clone, Copy, Debug)]
struct FlatNode(u64);

/// The bits of the column: a byte, which takes no instruction to mask.
const COLUMN_BITS: u32 = u8::BITS;
/// The bits of the column and the child.
const LINK_BITS: u32 = u32::BITS;
const _: () = assert!(MAX_NODES < 1 << (LINK_BITS - COLUMN_BITS), "a child fits");

impl FlatNode {
    fn new(threshold: f32, column: usize, child: usize) -> Self {
        Self::with_key(key(threshold), column, child)
    }

    /// A leaf, or a node that is still to be filled.
    fn end(index: usize) -> Self {
        Self::with_key(u32::MAX, 0, index)
    }

    fn with_key(threshold: u32, column: usize, child: usize) -> Self {
        Self(u64::from(threshold) << LINK_BITS | (child as u64) << COLUMN_BITS | column as u64)
    }

    /// The node at which the walk goes on for an input.
    ///
    /// # Safety
    /// The node's column is one of the input's.
    #[inline(always)]
    unsafe fn next(self, row: &Keys) -> usize {
        let (column, child) = (self.0 as u8, self.0 as u32 >> COLUMN_BITS);
        // SAFETY: as the caller says.
        let value = unsafe { *row.get_unchecked(usize::from(column)) };
        // What is in the lower bits makes no number greater whose upper bits are equal.
        child as usize + usize::from(self.0 < value)
    }
}

/// The features of an input, each as [`key`] in the upper half.
type Keys = [u64; MAX_FEATURES];

/// An integer that is greater where the number is, since integers are compared faster. NaN is least: it is above no
/// threshold.
fn key(number: f32) -> u32 {
    const SIGN: u32 = 1 << 31;
    let bits = (number + 0.0).to_bits(); // -0 becomes 0
    match (number.is_nan(), bits & SIGN) {
        (true, _) => 0,
        (false, 0) => bits | SIGN,
        (false, _) => !bits,
    }
}

/// Trees that are walked together, and how long.
#[derive(Clone, Copy, Debug)]
struct Group {
    roots: [usize; WALKS],
    depth: usize,
}

impl DeviceForest {
    /// The part of the forest that the device can reach. Splits on device features are decided once, and those on
    /// ratios become splits on their input features, so only comparisons of input features are left.
    ///
    /// # Panics
    /// When there are fewer values than device features.
    pub(crate) fn new(forest: CheckedForest<'_>, device_features: &[f64]) -> Self {
        let CheckedForest(forest) = forest;
        let mut pruning =
            Pruning { forest, device_features, node: 0, leaf: 0, out: DeviceForest::empty(forest) };
        let mut roots: Vec<(usize, usize)> = Vec::new(); // depth and place
        while pruning.node < forest.nodes.len() {
            let root = pruning.out.push(1);
            roots.push((pruning.place(root), root));
        }
        // Trees of one group end together.
        let order = order::order(roots.len(), &|one, other| roots[one].0.cmp(&roots[other].0));
        let roots: Vec<(usize, usize)> = order.into_iter().map(|tree| roots[tree]).collect();
        pruning.out.group(&roots);
        pruning.out
    }

    fn empty(forest: &Forest) -> Self {
        let mut empty = Self {
            choices: forest.choices,
            trees: forest.trees() as u16,
            nodes: Vec::new(),
            values: Vec::new(),
            groups: Vec::new(),
            origins: forest.input_origins(),
        };
        empty.push(1); // a leaf of zeros, which fills up the last group
        empty
    }

    /// Makes room for nodes and returns the index of the first.
    fn push(&mut self, count: usize) -> usize {
        let first = self.nodes.len();
        for child in first..first + count {
            self.nodes.push(FlatNode::end(child));
        }
        self.values.resize(self.nodes.len() * self.width(), [0; LANES]);
        first
    }

    /// Number of chunks in a row of values.
    fn width(&self) -> usize {
        self.choices.div_ceil(LANES)
    }

    fn set_leaf(&mut self, slot: usize, values: &[u8]) {
        let start = slot * self.width();
        for (row, values) in self.values[start..].iter_mut().zip(values.chunks(LANES)) {
            row[..values.len()].copy_from_slice(values);
        }
    }

    /// Puts the trees into groups, in this order.
    fn group(&mut self, roots: &[(usize, usize)]) {
        for trees in roots.chunks(WALKS) {
            let mut group = Group { roots: [0; WALKS], depth: 0 };
            for (root, &(depth, tree)) in group.roots.iter_mut().zip(trees) {
                *root = tree;
                group.depth = group.depth.max(depth);
            }
            self.groups.push(group);
        }
    }

    /// Estimates of each choice the share of the best choice's speed, in points, from raw input features. Returns
    /// the worth of a point.
    pub(crate) fn estimate(&self, features: &[f64], points: &mut Points) -> f64 {
        let row = self.keys(features);
        let most = u16::from(u8::MAX) * self.trees;
        // Nearly every function has few choices: their sums fit a register.
        match self.width() {
            1 => fill(points, most, self.sums::<1>(&row).as_flattened()),
            _ => fill(points, most, self.sums::<{ MAX_CHOICES / LANES }>(&row).as_flattened()),
        }
        1.0 / f64::from(most)
    }

    /// Returns the features as thresholds are compared with them.
    #[inline]
    fn keys(&self, features: &[f64]) -> Keys {
        let mut row: Keys = [0; MAX_FEATURES];
        for (column, (own, &value)) in row.iter_mut().zip(features).enumerate() {
            let value = self.origins.as_ref().map_or(value, |origins| value - origins[column]);
            *own = u64::from(key(value as f32)) << LINK_BITS;
        }
        row
    }

    /// The leaves' values, added up over all trees; `WIDTH` is at least that of a row.
    #[inline]
    fn sums<const WIDTH: usize>(&self, row: &Keys) -> [[u16; LANES]; WIDTH] {
        let width = if WIDTH == 1 { 1 } else { self.width() };
        let mut sums = [[0_u16; LANES]; WIDTH];
        for group in &self.groups {
            for leaf in self.leaves(group, row) {
                let start = leaf * width;
                for (sums, values) in sums.iter_mut().zip(&self.values[start..start + width]) {
                    sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += u16::from(value));
                }
            }
        }
        sums
    }

    /// The leaves at which the walks of one group end.
    #[inline]
    fn leaves(&self, group: &Group, row: &Keys) -> [usize; WALKS] {
        let mut nodes = group.roots;
        for _ in 0..group.depth {
            for node in &mut nodes {
                // SAFETY: of a forest that was checked; roots and children are indices that `push` has made room
                // for, and columns are input features, of which there are no more than a row holds.
                *node = unsafe { self.nodes.get_unchecked(*node).next(row) };
            }
        }
        nodes
    }

    /// Number of nodes that are left, and one.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of classes: of choices.
    pub(crate) fn classes(&self) -> usize {
        self.choices
    }
}

/// Turns the sums of what choices lose into points.
#[inline]
fn fill(points: &mut Points, most: u16, sums: &[u16]) {
    points.iter_mut().zip(sums).for_each(|(own, &sum)| *own = most - sum);
}
