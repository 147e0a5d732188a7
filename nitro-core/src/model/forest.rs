//! Prediction with a forest of regression trees: the share of the best variant's speed that each variant is expected to lose.
//!
//! A tree compares one feature a node with a threshold; its leaf holds, for every variant, the mean of 1 − best time / time over the
//! training samples that ended there. A forest ranks variants by the mean over its trees, lowest first (Geurts, Ernst and Wehenkel,
//! "Extremely randomized trees", 2006, section 2: averages of trees whose splits are drawn at random).

use serde::{Deserialize, Serialize};

use crate::{MAX_FEATURES, MAX_VARIANTS};

/// The most trees of a forest: sums of one byte a tree then fit 16 bits.
pub const MAX_TREES: usize = 256;
/// The most comparisons from the root of a tree to a leaf.
pub const MAX_DEPTH: usize = 32;

/// The most nodes of a forest: the place of a node and a column share 32 bits at run time.
const MAX_NODES: usize = 1 << 26;

/// A forest for several variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// Number of input features; columns from this one on are device features.
    pub inputs: usize,
    /// Number of variants, each with one value a leaf.
    pub variants: usize,
    /// The trees one after the other, each in preorder: a split, all nodes of its lower side, all nodes of its upper side. The
    /// order alone says where a child lies, so no number in a file can lead back.
    pub nodes: Vec<Node>,
    /// One row of `variants` values a leaf, in the order of the leaves: 0 where nothing is lost, 255 where everything is.
    pub values: Vec<u8>,
}

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// Where the raw feature, rounded to single precision, is above the threshold, the upper side applies.
    Split {
        /// Input features first, then device features.
        column: u16,
        /// Compared with the raw value.
        threshold: f32,
    },
    /// An end, with the next row of values.
    Leaf,
}

impl Forest {
    /// Number of trees.
    #[must_use]
    pub fn trees(&self) -> usize {
        Shape::of(&self.nodes).map_or(0, |shape| shape.trees)
    }

    /// Whether all lengths and numbers fit together, for `variants` variants and these numbers of columns; what does not is
    /// named.
    pub(crate) fn check(&self, variants: usize, inputs: usize, columns: usize) -> Result<(), &'static str> {
        let shape = Shape::of(&self.nodes)?;
        let is_sound = |node: &Node| match node {
            Node::Split { column, threshold } => usize::from(*column) < columns && threshold.is_finite(),
            Node::Leaf => true,
        };
        match () {
            () if self.variants != variants => Err("number of variants of the forest"),
            () if self.inputs != inputs => Err("number of input features of the forest"),
            () if shape.trees == 0 || shape.trees > MAX_TREES => Err("number of trees"),
            () if shape.leaves.checked_mul(variants) != Some(self.values.len()) => {
                Err("number of leaf values")
            }
            () if !self.nodes.iter().all(is_sound) => Err("split of a tree"),
            () if self.nodes.len() >= MAX_NODES => Err("number of nodes"),
            () => Ok(()),
        }
    }

    /// The forest as it is on one device: splits on device features are decided once, so that only the reachable part of
    /// each tree and only comparisons of input features are left.
    pub(crate) fn on_device(&self, device_features: &[f64]) -> DeviceForest {
        let mut pruning =
            Pruning { forest: self, device_features, node: 0, leaf: 0, out: DeviceForest::empty(self) };
        let mut roots: Vec<(usize, u32)> = Vec::new();
        while pruning.node < self.nodes.len() {
            let root = pruning.out.push(1);
            roots.push((pruning.place(root), root));
        }
        roots.sort_by_key(|&(depth, _)| depth); // stable; trees of one group end together
        pruning.out.group(&roots);
        pruning.out
    }
}

/// What a walk over the nodes tells.
struct Shape {
    trees: usize,
    leaves: usize,
}

impl Shape {
    /// Counts trees and leaves, unless the last tree is not whole or one is too deep.
    fn of(nodes: &[Node]) -> Result<Self, &'static str> {
        let mut shape = Self { trees: 0, leaves: 0 };
        let mut depths: Vec<usize> = Vec::new(); // of the subtrees that are still to come
        for node in nodes {
            let depth = depths.pop().unwrap_or(0);
            match node {
                Node::Split { .. } if depth >= MAX_DEPTH => return Err("depth of a tree"),
                Node::Split { .. } => depths.extend([depth + 1; 2]),
                Node::Leaf => shape.leaves += 1,
            }
            shape.trees += usize::from(depths.is_empty());
        }
        if depths.is_empty() { Ok(shape) } else { Err("last tree") }
    }
}

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
    /// Puts the subtree that comes next into a place; returns how many comparisons it needs. At most [`MAX_DEPTH`] deep.
    fn place(&mut self, slot: u32) -> usize {
        let node = self.forest.nodes[self.node];
        self.node += 1;
        match node {
            Node::Leaf => {
                let width = self.forest.variants;
                self.out.set_leaf(slot, &self.forest.values[self.leaf * width..(self.leaf + 1) * width]);
                self.leaf += 1;
                0
            }
            Node::Split { column, threshold } if usize::from(column) < self.forest.inputs => {
                let child = self.out.push(2);
                self.out.nodes[slot as usize] = FlatNode::new(threshold, column, child);
                let lower = self.place(child);
                1 + lower.max(self.place(child + 1))
            }
            Node::Split { column, threshold } => {
                let value = self.device_features[usize::from(column) - self.forest.inputs] as f32;
                if value > threshold {
                    self.skip();
                    self.place(slot)
                } else {
                    let depth = self.place(slot);
                    self.skip();
                    depth
                }
            }
        }
    }

    /// Passes over the subtree that comes next.
    fn skip(&mut self) {
        let mut open = 1;
        while open > 0 {
            match self.forest.nodes[self.node] {
                Node::Split { .. } => open += 1,
                Node::Leaf => {
                    open -= 1;
                    self.leaf += 1;
                }
            }
            self.node += 1;
        }
    }
}

/// A [`Forest`] resolved for one device.
#[derive(Debug)]
pub(crate) struct DeviceForest {
    variants: usize,
    /// What a sum of 1 over all trees stands for.
    step: f32,
    nodes: Vec<FlatNode>,
    /// For each node a row of values, as wide as the variants need in multiples of [`LANES`]. Those of splits are never read: that is less
    /// than a table of where the leaves' rows are would cost.
    values: Vec<[u8; LANES]>,
    groups: Vec<Group>,
}

/// How many trees are walked side by side: one walk waits for memory most of the time, several overlap.
const LANES: usize = 8;

/// Where a walk goes on. A leaf is its own lower child and nothing is above its threshold, so that a walk that has ended stays
/// where it is.
#[derive(Clone, Copy, Debug)]
struct FlatNode {
    /// As [`key`] of the threshold.
    threshold: u32,
    /// The lower child, behind which the upper one lies, and in the lowest bits the column: eight bytes a node keep a forest in
    /// the cache.
    link: u32,
}

const COLUMN_BITS: u32 = MAX_FEATURES.ilog2();
const _: () = assert!(MAX_FEATURES == 1 << COLUMN_BITS);

impl FlatNode {
    fn new(threshold: f32, column: u16, child: u32) -> Self {
        Self { threshold: key(threshold), link: child << COLUMN_BITS | u32::from(column) }
    }

    /// A leaf, or a place that is still to be filled.
    fn end(place: u32) -> Self {
        Self { threshold: u32::MAX, link: place << COLUMN_BITS }
    }

    #[inline]
    fn next(self, row: &[u32; MAX_FEATURES]) -> u32 {
        let value = row[self.link as usize % MAX_FEATURES];
        (self.link >> COLUMN_BITS) + u32::from(value > self.threshold)
    }
}

/// An integer that is greater where the number is, since integers are compared faster. NaN is least: it is above no threshold.
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
    roots: [u32; LANES],
    depth: usize,
}

impl DeviceForest {
    fn empty(forest: &Forest) -> Self {
        let mut empty = Self {
            variants: forest.variants,
            step: 1.0 / (255.0 * forest.trees().max(1) as f32),
            nodes: Vec::new(),
            values: Vec::new(),
            groups: Vec::new(),
        };
        empty.push(1); // a leaf of zeros, which fills up the last group
        empty
    }

    /// Makes room for nodes and returns the place of the first.
    fn push(&mut self, count: u32) -> u32 {
        let first = self.nodes.len() as u32;
        for child in first..first + count {
            self.nodes.push(FlatNode::end(child));
        }
        self.values.resize(self.nodes.len() * self.width(), [0; LANES]);
        first
    }

    /// Number of chunks in a row of values.
    fn width(&self) -> usize {
        self.variants.div_ceil(LANES)
    }

    fn set_leaf(&mut self, slot: u32, values: &[u8]) {
        let start = slot as usize * self.width();
        for (row, values) in self.values[start..].iter_mut().zip(values.chunks(LANES)) {
            row[..values.len()].copy_from_slice(values);
        }
    }

    fn group(&mut self, roots: &[(usize, u32)]) {
        let group = |trees: &[(usize, u32)]| {
            let mut roots = [0; LANES];
            roots.iter_mut().zip(trees).for_each(|(root, &(_, tree))| *root = tree);
            Group { roots, depth: trees.iter().map(|&(depth, _)| depth).max().unwrap_or(0) }
        };
        self.groups = roots.chunks(LANES).map(group).collect();
    }

    /// The share of the best variant's speed that is expected of each variant, from raw input features.
    pub(crate) fn shares(&self, features: &[f64]) -> [f32; MAX_VARIANTS] {
        let mut row = [0_u32; MAX_FEATURES];
        row.iter_mut().zip(features).for_each(|(own, &value)| *own = key(value as f32));
        let mut shares = [0.0; MAX_VARIANTS];
        // Nearly every function has few variants: their sums fit a register.
        match self.width() {
            1 => self.fill_shares(&mut shares, self.sums::<1>(&row).as_flattened()),
            _ => self.fill_shares(&mut shares, self.sums::<{ MAX_VARIANTS / LANES }>(&row).as_flattened()),
        }
        shares
    }

    fn fill_shares(&self, shares: &mut [f32; MAX_VARIANTS], sums: &[u16]) {
        for (share, &sum) in shares.iter_mut().zip(sums) {
            *share = 1.0 - self.step * f32::from(sum);
        }
    }

    /// The leaves' values, added up over all trees; `WIDTH` is at least that of a row.
    #[inline]
    fn sums<const WIDTH: usize>(&self, row: &[u32; MAX_FEATURES]) -> [[u16; LANES]; WIDTH] {
        let width = if WIDTH == 1 { 1 } else { self.width() };
        let mut sums = [[0_u16; LANES]; WIDTH];
        for group in &self.groups {
            for leaf in self.leaves(group, row) {
                let start = leaf as usize * width;
                for (sums, values) in sums.iter_mut().zip(&self.values[start..start + width]) {
                    sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += u16::from(value));
                }
            }
        }
        sums
    }

    /// Where the walks of one group end.
    #[inline]
    fn leaves(&self, group: &Group, row: &[u32; MAX_FEATURES]) -> [u32; LANES] {
        let mut places = group.roots;
        for _ in 0..group.depth {
            for place in &mut places {
                // SAFETY: roots and links are places that `push` has made room for.
                *place = unsafe { self.nodes.get_unchecked(*place as usize) }.next(row);
            }
        }
        places
    }

    /// Number of variants.
    pub(crate) fn variants(&self) -> usize {
        self.variants
    }
}

#[cfg(test)]
mod tests;
