//! The regression tree of G-ADAPT: Liu, Zhang and Shen, "A cross-input adaptive framework for GPU program
//! optimizations", IPDPS 2009, section IV.C.
//!
//! Questions by entropy part the training inputs until those of a leaf agree about the best choice; where they do
//! not, a line by least mean squares says for each numeric parameter how its best value moves with the features.
//! What the lines say is snapped to the nearest choice that is best on some training input: nothing is ever
//! predicted that was not measured.
//!
//! Where several choices are within a hundredth of the best of an input, which is as exactly as medians are known,
//! the label is the one of them that is best on average: which of them was the fastest says nothing of the input,
//! and questions would be asked about it.
//!
//! In a model file it is a forest of one tree, since what a leaf chooses is the same all over some region
//! ([`pieces`]). Beyond the range of the training inputs a leaf chooses as at its end.

mod leaf;
mod line;
mod pieces;
mod questions;
mod space;
#[cfg(test)]
mod tests;

use nitro_core::model::{Forest, Node, Scale, Selector, forest_ns};
use nitro_stats::statistics::mean;

use self::leaf::Leaf;
use self::line::Method;
use self::pieces::{Piece, Region, pieces};
use self::questions::{Row, best_question};
use self::space::Space;
use super::{Hyperparameters, Learner, TrainingResult, TrainingSet};
use crate::scaling::{origin_of, scale_of, unless_zero};

/// Shares of the best speed that measuring again might reverse.
const SAME: f64 = 0.99;

/// The tree with lines by the normal equations.
pub const TREE: Tree = Tree { name: "tree", method: Method::ClosedForm };
/// The tree with lines by the iterative rule.
pub const TREE_LMS: Tree = Tree { name: "tree-lms", method: Method::Iterative };

/// The learner.
pub struct Tree {
    name: &'static str,
    method: Method,
}

impl Learner for Tree {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        match self.method {
            Method::ClosedForm => "regression tree whose leaves are lines for the parameters",
            Method::Iterative => {
                "regression tree whose leaves are lines for the parameters, fitted sample by sample"
            }
        }
    }

    fn selection_ns(&self) -> f64 {
        forest_ns(1)
    }

    fn train(&self, set: &TrainingSet<'_>, _: &Hyperparameters) -> TrainingResult {
        let space = Space::new(set.task);
        let Table { rows, scales, origins } = table(set);
        let mut candidates: Vec<usize> = rows.iter().map(|row| row.label).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let choices = set.task.performance.classes().count();
        let mut grower = Grower {
            method: self.method,
            space,
            scales,
            origins,
            candidates,
            choices,
            grown: TreeNodes::default(),
        };
        let region = vec![(-1.0, 1.0); grower.scales.len()];
        grower.subtree(&rows.iter().collect::<Vec<_>>(), &region, 0);
        let (TreeNodes { nodes, values }, origins) = (grower.grown, grower.origins);
        let forest = Forest {
            inputs: set.task.columns.len(),
            choices,
            nodes,
            values,
            origins: unless_zero(origins),
            ratios: Vec::new(),
        };
        TrainingResult { selector: Selector::Forest(forest), converged: true }
    }
}

/// The training data of a tree.
struct Table {
    /// One row for each training input and source on which a choice succeeded.
    rows: Vec<Row>,
    /// The scale of each column.
    scales: Vec<Scale>,
    /// The [origin](Forest::origins) of each column.
    origins: Vec<f64>,
}

/// Returns what a tree is grown from.
fn table(set: &TrainingSet<'_>) -> Table {
    let (task, names) = (set.task, set.device_features);
    let mut rows = Vec::new();
    for sample in task.samples(set.sources, set.inputs) {
        let source = set.sources[sample.device];
        let features = [task.input_row(sample.input), task.device_row(source, names)].concat();
        let shares = task.performance.shares(source, task.inputs[sample.input]).unwrap_or_default();
        let losses = shares.iter().map(|share| share.map(|share| 1.0 - share)).collect();
        rows.push(Row { features, raw: Vec::new(), label: sample.class, losses });
    }
    relabel(&mut rows);
    let (mut scales, mut origins) = (Vec::new(), Vec::new());
    for column in 0..task.columns.len() + names.len() {
        let values: Vec<f64> = rows.iter().map(|row| row.features[column]).collect();
        scales.push(scale_of(&values));
        origins.push(origin_of(&values));
    }
    for row in &mut rows {
        row.raw = row.features.iter().zip(&origins).map(|(value, origin)| (value - origin) as f32).collect();
        row.features.iter_mut().zip(&scales).for_each(|(value, scale)| *value = scale.apply(*value));
    }
    Table { rows, scales, origins }
}

/// Labels each row with the choice that loses least on all rows, of those that are as good as the best of the row.
fn relabel(rows: &mut [Row]) {
    let choices = rows.first().map_or(0, |row| row.losses.len());
    let lost: Vec<f64> =
        (0..choices).map(|class| rows.iter().map(|row| row.losses[class].unwrap_or(1.0)).sum()).collect();
    // Labels of inputs where several choices are as good agree as far as they can: fewer questions are needed then.
    for row in rows {
        let shares: Vec<f64> = row.losses.iter().map(|loss| loss.map_or(0.0, |loss| 1.0 - loss)).collect();
        let as_good = (0..choices).filter(|&class| shares[class] >= SAME * shares[row.label]);
        row.label = as_good.min_by(|&a, &b| lost[a].total_cmp(&lost[b])).unwrap_or(row.label);
    }
}

/// Nodes in preorder and a row of losses a leaf, as the run time reads them.
#[derive(Default)]
struct TreeNodes {
    nodes: Vec<Node>,
    values: Vec<u8>,
}

struct Grower {
    method: Method,
    space: Space,
    scales: Vec<Scale>,
    origins: Vec<f64>,
    candidates: Vec<usize>,
    choices: usize,
    grown: TreeNodes,
}

impl Grower {
    /// Adds the subtree of these rows, which lie in a region of the scaled features.
    fn subtree(&mut self, rows: &[&Row], region: &Region, depth: usize) {
        if rows.is_empty() {
            return self.end(rows, 0); // nothing was measured
        }
        let Some(question) = best_question(rows, depth, |column, scaled| self.compared(column, scaled))
        else {
            return self.leaf(rows, region);
        };
        let (upper, lower): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| question.is_upper(row));
        let column = question.column;
        self.grown.nodes.push(Node::Split { column: column as u16, threshold: question.threshold });
        let mut part = region.clone();
        part[column].1 = question.scaled;
        self.subtree(&lower, &part, depth + 1);
        part[column] = (question.scaled, region[column].1);
        self.subtree(&upper, &part, depth + 1);
    }

    /// Returns a scaled value of a column as thresholds are compared with it.
    fn compared(&self, column: usize, scaled: f64) -> f64 {
        self.scales[column].undo(scaled) - self.origins[column]
    }

    fn leaf(&mut self, rows: &[&Row], region: &Region) {
        match Leaf::new(self.method, &self.space, rows, &self.candidates) {
            Leaf::Majority(class) => self.end(rows, class),
            Leaf::Lines(lines) => {
                let piece = pieces(&lines, &self.space, region);
                self.piece(&piece, rows);
            }
        }
    }

    fn piece(&mut self, piece: &Piece, rows: &[&Row]) {
        match piece {
            Piece::Choice(class) => self.end(rows, *class),
            Piece::Cut { column, at, lower, upper } => {
                let threshold = self.compared(*column, *at) as f32;
                self.grown.nodes.push(Node::Split { column: *column as u16, threshold });
                self.piece(lower, rows);
                self.piece(upper, rows);
            }
        }
    }

    /// Ends a branch with a choice. The others follow by what they lose on the inputs of the leaf, for calls that the
    /// choice does not admit.
    fn end(&mut self, rows: &[&Row], class: usize) {
        let own = mean_loss(rows, class).min(254);
        self.grown.nodes.push(Node::Leaf);
        for other in 0..self.choices {
            let is_own = other == class;
            self.grown.values.push(if is_own { own } else { mean_loss(rows, other).max(own + 1) });
        }
    }
}

/// The mean loss of a choice in bytes, 255 where it may run on no row.
fn mean_loss(rows: &[&Row], choice: usize) -> u8 {
    let losses = rows.iter().filter_map(|row| row.losses[choice]);
    mean(losses).map_or(255, |mean| (255.0 * mean).round().clamp(0.0, 255.0) as u8)
}
