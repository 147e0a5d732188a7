//! Correcting a forest by what few measurements on a device show beside what it expected.
//!
//! The trees stay as they are, since the sources know which inputs are alike. What was measured walks down every tree,
//! and each node draws from it what classes lose there beside what was expected, the more the more was measured.

use nitro_core::model::{DeviceSplit, Forest, Node};

/// Number of times that levels of inputs and corrections of classes are fitted to each other.
const SWEEPS: usize = 8;

/// An input that was measured on the device.
pub(super) struct Residual {
    /// Its raw features.
    pub(super) features: Vec<f64>,
    /// The share of the speed of the best class; none of a class that was not admissible, or not measured.
    pub(super) shares: Vec<Option<f64>>,
    /// The share of speed that each class lost beside what was expected; not a number where it has no share.
    pub(super) beside: Vec<f64>,
}

/// Returns the part of a forest that a device with these features reaches, with corrected leaves. A leaf says what is
/// lost beside its best class. In each node what the node above says counts as so many measured inputs: `shrinkage`.
pub(super) fn corrected(
    forest: &Forest,
    device_features: &[f64],
    measured: &[&Residual],
    shrinkage: f64,
) -> Forest {
    let out = Forest {
        nodes: Vec::new(),
        values: Vec::new(),
        origins: forest.origins.clone(),
        ratios: Vec::new(),
        ..*forest
    };
    let mut correction = Correction { forest, device_features, measured, shrinkage, node: 0, leaf: 0, out };
    correction.out.origins.truncate(forest.inputs);
    let mut all: Vec<usize> = (0..measured.len()).collect();
    while correction.node < forest.nodes.len() {
        correction.subtree(&mut all, &vec![0.0; forest.choices]);
    }
    correction.out
}

/// One pass over the nodes.
struct Correction<'a> {
    forest: &'a Forest,
    device_features: &'a [f64],
    measured: &'a [&'a Residual],
    shrinkage: f64,
    /// The node and the leaf that come next.
    node: usize,
    leaf: usize,
    out: Forest,
}

impl Correction<'_> {
    /// Copies the subtree that comes next, in which these measured inputs end.
    fn subtree(&mut self, inputs: &mut [usize], above: &[f64]) {
        let node = self.forest.nodes[self.node];
        self.node += 1;
        match node {
            Node::Leaf => {
                let own = self.own(inputs, above);
                self.leaf(&own);
            }
            Node::Split { column, threshold } => {
                match self.forest.on_device(column, threshold, self.device_features) {
                    DeviceSplit::Input { column, threshold } => {
                        self.both_sides(inputs, above, (column, threshold));
                    }
                    // The device decides: one side is all that is left.
                    DeviceSplit::Decided { is_upper: true } => {
                        self.skip();
                        self.subtree(inputs, above);
                    }
                    DeviceSplit::Decided { is_upper: false } => {
                        self.subtree(inputs, above);
                        self.skip();
                    }
                }
            }
        }
    }

    /// Copies a split on an input feature and both subtrees below it.
    fn both_sides(&mut self, inputs: &mut [usize], above: &[f64], (column, threshold): (u16, f32)) {
        let own = self.own(inputs, above);
        self.out.nodes.push(Node::Split { column, threshold });
        let (forest, measured, column) = (self.forest, self.measured, usize::from(column));
        let is_upper = |input: &usize| forest.compared(column, measured[*input].features[column]) > threshold;
        inputs.sort_by_key(is_upper); // stable
        let (lower, upper) = inputs.split_at_mut(inputs.partition_point(|input| !is_upper(input)));
        self.subtree(lower, &own);
        self.subtree(upper, &own);
    }

    /// Passes over the subtree that comes next.
    fn skip(&mut self) {
        (self.node, self.leaf) = self.forest.behind((self.node, self.leaf));
    }

    /// Writes the leaf that comes next.
    fn leaf(&mut self, correction: &[f64]) {
        let classes = self.forest.choices;
        let values = &self.forest.values[self.leaf * classes..(self.leaf + 1) * classes];
        let lost: Vec<f64> =
            values.iter().zip(correction).map(|(&value, own)| f64::from(value) + 255.0 * own).collect();
        // Levels of inputs were taken out, so only differences say anything.
        let best = lost.iter().copied().fold(f64::INFINITY, f64::min);
        self.out.values.extend(lost.iter().map(|lost| (lost - best).round().clamp(0.0, 255.0) as u8));
        self.out.nodes.push(Node::Leaf);
        self.leaf += 1;
    }

    /// Fits `beside = level of the input + correction of the class` to the inputs of a node by least squares, where
    /// corrections are drawn to those of the node above.
    fn own(&self, inputs: &[usize], above: &[f64]) -> Vec<f64> {
        let mut own = above.to_vec();
        if inputs.is_empty() {
            return own;
        }
        for _ in 0..SWEEPS {
            let mut sums = vec![(0.0, 0.0); own.len()];
            for &input in inputs {
                let beside = &self.measured[input].beside;
                let known = || beside.iter().zip(&own).filter(|(beside, _)| !beside.is_nan());
                let level =
                    known().map(|(beside, own)| beside - own).sum::<f64>() / known().count().max(1) as f64;
                for (sum, beside) in sums.iter_mut().zip(beside).filter(|(_, beside)| !beside.is_nan()) {
                    *sum = (sum.0 + beside - level, sum.1 + 1.0);
                }
            }
            for ((own, above), (sum, count)) in own.iter_mut().zip(above).zip(sums) {
                *own = (sum + self.shrinkage * above) / (count + self.shrinkage);
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use nitro_core::model::{Ratio, Selector};

    use super::*;

    /// A forest of one tree: a device of at least 8 threads loses nothing by class 0, whatever the input.
    fn forest() -> Forest {
        let by_device = Node::Split { column: 1, threshold: 7.0 };
        let by_input = Node::Split { column: 0, threshold: 0.5 };
        let nodes = vec![by_device, Node::Leaf, by_input, Node::Leaf, Node::Leaf];
        Forest {
            inputs: 1,
            choices: 2,
            nodes,
            values: vec![128, 0, 0, 128, 0, 128],
            origins: vec![],
            ratios: vec![],
        }
    }

    fn residuals(of: impl Fn(f64) -> [f64; 2]) -> Vec<Residual> {
        let inputs = (0..20).map(|n| f64::from(n) / 20.0 + 0.025);
        inputs.map(|x| Residual { features: vec![x], shares: vec![], beside: of(x).to_vec() }).collect()
    }

    fn corrected_by(threads: f64, measured: &[Residual]) -> Forest {
        corrected(&forest(), &[threads], &measured.iter().collect::<Vec<_>>(), 3.0)
    }

    fn chosen(forest: Forest) -> [Option<usize>; 2] {
        let selector = Selector::Forest(forest).on_device(&[]);
        [0.1, 0.9].map(|x| selector.first(&[x]))
    }

    #[test]
    fn without_measurements_it_is_what_the_device_reaches() {
        let on = |threads: f64| corrected_by(threads, &[]);
        assert_eq!((on(4.0).nodes, on(4.0).values), (vec![Node::Leaf], vec![128, 0]));
        assert_eq!((chosen(on(4.0)), chosen(on(16.0))), ([Some(1); 2], [Some(0); 2]));
    }

    #[test]
    fn a_split_on_a_ratio_becomes_one_on_its_input_feature() {
        let nodes = vec![Node::Split { column: 2, threshold: 0.25 }, Node::Leaf, Node::Leaf];
        let ratios = vec![Ratio { input: 0, device: 0 }];
        let over_threads = Forest { nodes, values: vec![0, 128, 128, 0], ratios, ..forest() };
        let slow_above = residuals(|x| if x > 0.5 { [-0.5, 0.9] } else { [0.0, 0.0] });
        let on = |threads, measured: &[Residual]| {
            let measured: Vec<_> = measured.iter().collect();
            chosen(corrected(&over_threads, &[threads], &measured, 3.0))
        };
        assert_eq!((on(2.0, &[]), on(8.0, &[])), ([Some(0), Some(1)], [Some(0); 2]));
        assert_eq!(on(2.0, &slow_above), [Some(0); 2], "measured above 0.25 * 2");
    }

    #[test]
    fn what_is_measured_on_inputs_like_it_changes_the_choice_for_them() {
        let slow_below = residuals(|x| if x < 0.5 { [0.9, -0.5] } else { [0.0, 0.0] });
        assert_eq!(chosen(corrected_by(16.0, &slow_below)), [Some(1), Some(0)]);
    }

    #[test]
    fn a_level_of_an_input_that_all_classes_share_changes_nothing() {
        let level = residuals(|x| [x, x]);
        assert_eq!(corrected_by(16.0, &level).values, [0, 128, 0, 128]);
    }

    #[test]
    fn a_class_that_was_measured_nowhere_stays_as_expected() {
        let known = residuals(|_| [0.3, f64::NAN]);
        assert_eq!(chosen(corrected_by(16.0, &known)), [Some(0); 2]);
    }
}
