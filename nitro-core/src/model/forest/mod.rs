//! Prediction with a forest of regression trees. It estimates the share of the best choice's speed that each choice
//! loses.
//!
//! A tree compares one feature a node with a threshold; its leaf holds, for every choice, the mean of 1 − best time
//! / time over the training samples that ended there. A forest ranks choices by the mean over its trees, lowest
//! first (Geurts, Ernst and Wehenkel, "Extremely randomized trees", 2006, section 2: averages of trees whose splits
//! are drawn at random).

mod device;

use super::format::wire::{Wire, list, wire_structs};
use crate::{MAX_CHOICES, MAX_FEATURES};
pub(crate) use device::DeviceForest;

/// The most trees of a forest: sums of one byte a tree then fit 16 bits.
pub const MAX_TREES: usize = 256;
/// The most ratios of a forest: of every input feature with as many device features as are learned from.
pub const MAX_RATIOS: usize = MAX_FEATURES * MAX_FEATURES;
/// The most comparisons from the root of a tree to a leaf.
pub const MAX_DEPTH: usize = 32;

/// The most nodes of a forest: at run time the index of a node has 24 bits.
const MAX_NODES: usize = (1 << 24) - 1;

/// A forest for several choices.
///
/// ```
/// use nitro_core::model::{Forest, Node, Selector};
///
/// // One tree: choice 0 loses nothing up to 1000, choice 1 above.
/// let split = Node::Split { column: 0, threshold: 1000.0 };
/// let nodes = vec![split, Node::Leaf, Node::Leaf];
/// let forest = Forest { inputs: 1, choices: 2, nodes, values: vec![0, 128, 204, 0], origins: vec![], ratios: vec![] };
/// assert_eq!(forest.trees(), 1);
/// let selector = Selector::Forest(forest).on_device(&[]);
/// assert_eq!((selector.first(&[10.0]), selector.first(&[1e6])), (Some(0), Some(1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// Number of input features; columns from this one on are device features, then ratios.
    pub inputs: usize,
    /// Number of choices, each with one value a leaf.
    pub choices: usize,
    /// The trees one after the other, each in preorder: a split, all nodes of its lower side, all nodes of its
    /// upper side. The order alone says where a child lies, so no number in a file can lead back.
    pub nodes: Vec<Node>,
    /// One row of `choices` values a leaf, in the order of the leaves. 0 is where nothing is lost, 255 where
    /// everything is.
    pub values: Vec<u8>,
    /// The number of each column that is subtracted from raw values, in double precision, before they are rounded.
    /// Empty where all are 0. A column whose values differ by less than single precision resolves has one among
    /// them.
    pub origins: Vec<f64>,
    /// The columns behind the device features, at most [`MAX_RATIOS`]: input features over device features.
    pub ratios: Vec<Ratio>,
}

/// An input feature over a device feature of its unit: the seconds that a device needs, or the share of what it has.
/// On one device it compares as the input feature does, with other thresholds, so it costs nothing there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The input feature's column.
    pub input: u16,
    /// The device feature's position among them.
    pub device: u16,
}

impl Ratio {
    /// Returns true where a device's raw value is one to divide by. On a device where it is not, a ratio is above no
    /// threshold.
    #[must_use]
    pub fn is_defined(device: f64) -> bool {
        device > 0.0 && device.is_finite()
    }
}

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// Where the raw feature less its [origin](Forest::origins), rounded to single precision, is above the
    /// threshold, the upper side applies.
    Split {
        /// Input features first, then device features, then [ratios](Forest::ratios).
        column: u16,
        /// Compared with the raw value less its origin.
        threshold: f32,
    },
    /// An end, with the next row of values.
    Leaf,
}

wire_structs! { Ratio { input, device } }

/// Without origins and ratios, which the format writes beside a forest, where there are any.
impl Wire for Forest {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.inputs.write(bytes);
        self.choices.write(bytes);
        self.nodes.write(bytes);
        self.values.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self {
            inputs: usize::read(bytes)?,
            choices: usize::read(bytes)?,
            nodes: list(bytes, MAX_NODES)?,
            values: Vec::read(bytes)?,
            origins: Vec::new(),
            ratios: Vec::new(),
        })
    }
}

impl Wire for Node {
    fn write(&self, bytes: &mut Vec<u8>) {
        match *self {
            Self::Split { column, threshold } => {
                0_u32.write(bytes);
                column.write(bytes);
                threshold.write(bytes);
            }
            Self::Leaf => 1_u32.write(bytes),
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u32::read(bytes)? {
            0 => Some(Self::Split { column: u16::read(bytes)?, threshold: f32::read(bytes)? }),
            1 => Some(Self::Leaf),
            _ => None,
        }
    }
}

impl Node {
    /// Returns true for a leaf, and for a split that compares one of so many columns with a number.
    fn is_sound(&self, columns: usize) -> bool {
        match self {
            Self::Split { column, threshold } => usize::from(*column) < columns && threshold.is_finite(),
            Self::Leaf => true,
        }
    }
}

impl Forest {
    /// Returns a raw value of a column as the thresholds are compared with it.
    #[must_use]
    pub fn compared(&self, column: usize, value: f64) -> f32 {
        (value - self.origin(column)) as f32
    }

    fn origin(&self, column: usize) -> f64 {
        self.origins.get(column).copied().unwrap_or(0.0)
    }

    /// Decides a split where this is the device, or leaves it to an input feature, by its column and the threshold
    /// for that.
    ///
    /// # Panics
    /// When there are fewer values than device features.
    #[must_use]
    pub fn on_device(&self, column: u16, threshold: f32, device_features: &[f64]) -> DeviceSplit {
        let at = usize::from(column);
        if at < self.inputs {
            return DeviceSplit::Input { column, threshold };
        }
        if let Some(&value) = device_features.get(at - self.inputs) {
            return DeviceSplit::Decided { is_upper: self.compared(at, value) > threshold };
        }
        let Ratio { input, device } = self.ratios[at - self.inputs - device_features.len()];
        let device = device_features[usize::from(device)];
        if !Ratio::is_defined(device) {
            return DeviceSplit::Decided { is_upper: false };
        }
        // input / device > threshold, of a device above 0
        let raw = (f64::from(threshold) + self.origin(at)) * device;
        let threshold = self.compared(input.into(), raw).clamp(f32::MIN, f32::MAX);
        DeviceSplit::Input { column: input, threshold }
    }

    /// Returns the node and the leaf behind the subtree that begins with these. Trees and their leaves lie one after
    /// the other, in preorder.
    #[must_use]
    pub fn behind(&self, (mut node, mut leaf): (usize, usize)) -> (usize, usize) {
        let mut open = 1;
        while open > 0 {
            match self.nodes[node] {
                Node::Split { .. } => open += 1,
                Node::Leaf => (open, leaf) = (open - 1, leaf + 1),
            }
            node += 1;
        }
        (node, leaf)
    }

    /// Returns the origins of all input features, which are at most [`MAX_FEATURES`]; none where all are 0.
    fn input_origins(&self) -> Option<Box<[f64; MAX_FEATURES]>> {
        let own = self.origins.get(..self.inputs).filter(|own| own.iter().any(|&origin| origin != 0.0))?;
        let mut origins = Box::new([0.0; MAX_FEATURES]);
        origins[..own.len()].copy_from_slice(own);
        Some(origins)
    }

    /// Number of trees.
    #[must_use]
    pub fn trees(&self) -> usize {
        Shape::of(&self.nodes).map_or(0, |shape| shape.trees)
    }

    /// Checks that all lengths and numbers in the forest fit together, for `choices` choices and these numbers of
    /// input features and of columns without ratios. The error names what does not.
    pub(crate) fn check(
        &self,
        choices: usize,
        inputs: usize,
        columns: usize,
    ) -> Result<CheckedForest<'_>, &'static str> {
        let shape = Shape::of(&self.nodes)?;
        let is_known =
            |ratio: &Ratio| usize::from(ratio.input) < inputs && inputs + usize::from(ratio.device) < columns;
        if self.ratios.len() > MAX_RATIOS || !self.ratios.iter().all(is_known) {
            return Err("ratios of the forest");
        }
        let columns = columns + self.ratios.len();
        match () {
            () if self.choices != choices || choices > MAX_CHOICES => Err("number of choices of the forest"),
            () if self.inputs != inputs || inputs > MAX_FEATURES => {
                Err("number of input features of the forest")
            }
            () if shape.trees == 0 || shape.trees > MAX_TREES => Err("number of trees"),
            () if shape.leaves.checked_mul(choices) != Some(self.values.len()) => {
                Err("number of leaf values")
            }
            () if !self.nodes.iter().all(|node| node.is_sound(columns)) => Err("split of a tree"),
            () if !self.origins.is_empty() && self.origins.len() != columns => Err("number of origins"),
            () if !self.origins.iter().all(|origin| origin.is_finite()) => Err("origin of a column"),
            () if self.nodes.len() >= MAX_NODES => Err("number of nodes"),
            () => Ok(CheckedForest(self)),
        }
    }
}

/// A split of a forest on one device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DeviceSplit {
    /// The device alone decides.
    Decided {
        /// True where the upper side applies.
        is_upper: bool,
    },
    /// The input feature of this column decides, by this threshold.
    Input {
        /// The column.
        column: u16,
        /// Compared with the raw value less its origin.
        threshold: f32,
    },
}

/// A forest whose lengths and numbers fit together, as [`Forest::check`] alone finds out: walking it reaches
/// nothing outside of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedForest<'a>(&'a Forest);

/// The shape of a forest: what a walk over its nodes tells.
pub(super) struct Shape {
    trees: usize,
    leaves: usize,
}

impl Shape {
    /// Counts trees and leaves, unless the last tree is not whole or one is too deep.
    pub(super) fn of(nodes: &[Node]) -> Result<Self, &'static str> {
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

    pub(super) fn is_one_tree(&self) -> bool {
        self.trees == 1
    }

    pub(super) fn has_leaves(&self, count: usize) -> bool {
        self.leaves == count
    }
}

#[cfg(test)]
mod tests;
