//! Correcting a forest by what few measurements on a device show beside what it expected.
//!
//! The trees stay as they are, since the sources know which inputs are alike. What was measured walks down every tree,
//! and each node draws from it what classes lose there beside what was expected, the more the more was measured.

use super::{DeviceSplit, Forest, Node, OnDevice, Selector};

/// Number of times that levels of inputs and corrections of classes are fitted to each other.
const SWEEPS: usize = 8;

/// A correction that is judged leaves out each measured input in turn, or parts of them where there are more than
/// these.
const MAX_FOLDS: usize = 20;
/// The numbers of measured inputs for which what is known without them may count. The first is right on devices unlike
/// the sources, the second on most others.
const SHRINKAGES: [f64; 2] = [3.0, 10.0];

/// An input that was measured on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredInput {
    /// Its raw features, in the order of the model's names.
    pub features: Vec<f64>,
    /// For each choice the best time over its own; none where it is not admissible, or was not measured.
    pub shares: Vec<Option<f64>>,
}

impl Forest {
    /// Returns the forest that a device with these features reaches, its leaves corrected by what was measured there;
    /// none where that chooses worse than `shipped` on the measured inputs, each judged by a correction without it. How
    /// far a measurement counts is decided by the same inputs.
    ///
    /// ```
    /// use nitro_core::model::{Forest, MeasuredInput, Node, Selector};
    ///
    /// // Choice 0 is expected to be best, of any input, and takes twice as long here.
    /// let forest = Forest {
    ///     inputs: 1,
    ///     choices: 2,
    ///     nodes: vec![Node::Leaf],
    ///     values: vec![0, 64],
    ///     origins: vec![],
    ///     ratios: vec![],
    /// };
    /// let expected = Selector::Forest(forest.clone()).on_device(&[]);
    /// let measured: Vec<_> = (0..10)
    ///     .map(|n| MeasuredInput { features: vec![f64::from(n)], shares: vec![Some(0.5), Some(1.0)] })
    ///     .collect();
    /// let corrected = forest.corrected(&[], measured, &expected).expect("it chooses better");
    /// assert_eq!(Selector::Forest(corrected).on_device(&[]).first(&[3.0]), Some(1));
    /// assert!(forest.corrected(&[], vec![], &expected).is_none(), "nothing was measured");
    /// ```
    ///
    /// # Panics
    /// When there are fewer device features than the forest asks for, or when an input has not a feature for each input
    /// feature and a share for each choice.
    #[must_use]
    pub fn corrected(
        &self,
        device_features: &[f64],
        measured: Vec<MeasuredInput>,
        shipped: &OnDevice,
    ) -> Option<Self> {
        let expecting = Selector::Forest(self.clone()).on_device(device_features);
        let residuals: Vec<Residual> =
            measured.into_iter().map(|one| Residual::of(one, &expecting)).collect();
        let corrector = Corrector { forest: self, device_features, expecting };
        let judged = SHRINKAGES.map(|shrinkage| (shrinkage, corrector.judge(&residuals, shrinkage, shipped)));
        let (shrinkage, best) =
            judged.into_iter().min_by(|(_, one), (_, other)| one.error.total_cmp(&other.error))?;
        let all: Vec<&Residual> = residuals.iter().collect();
        best.is_as_good().then(|| corrected(self, device_features, &all, shrinkage))
    }
}

/// A measured input beside what a forest expects of it.
struct Residual {
    measured: MeasuredInput,
    /// The share of speed that each class lost beside what was expected; not a number where it has no share.
    beside: Vec<f64>,
}

impl Residual {
    fn of(measured: MeasuredInput, expecting: &OnDevice) -> Self {
        let expected = expecting.expected_losses(&measured.features);
        let known = measured.shares.iter().zip(expected);
        let beside = known.map(|(share, expected)| share.map_or(f64::NAN, |share| 1.0 - share - expected));
        Self { beside: beside.collect(), measured }
    }

    /// Returns the share of exhaustive search that the choice of a selector achieves.
    fn share_of(&self, selector: &OnDevice) -> f64 {
        let mut ranking = selector.rank(&self.measured.features).into_iter();
        ranking.find_map(|ranked| self.measured.shares[ranked.choice]).unwrap_or(0.0)
    }

    /// Returns the squared error of what is expected after a correction, without the level that all classes share.
    fn error(&self, expecting: &OnDevice, corrected: &OnDevice) -> f64 {
        let [before, after] =
            [expecting, corrected].map(|selector| selector.expected_losses(&self.measured.features));
        let left = self
            .beside
            .iter()
            .zip(before.iter().zip(after))
            .map(|(beside, (before, after))| beside - (after - before));
        let left: Vec<f64> = left.filter(|left| !left.is_nan()).collect();
        let level = left.iter().sum::<f64>() / left.len().max(1) as f64;
        left.iter().map(|left| (left - level).powi(2)).sum()
    }
}

/// A forest that is to be corrected for a device.
struct Corrector<'a> {
    forest: &'a Forest,
    device_features: &'a [f64],
    /// The forest on the device, before the correction.
    expecting: OnDevice,
}

impl Corrector<'_> {
    /// Judges what measured inputs correct on those of them that are left out in turn, beside `shipped`.
    fn judge(&self, residuals: &[Residual], shrinkage: f64, shipped: &OnDevice) -> Judgement {
        let mut judgement = Judgement { gains: Vec::new(), error: 0.0 };
        let folds = residuals.len().min(MAX_FOLDS);
        for fold in 0..folds {
            let (judged, others): (Vec<_>, Vec<_>) =
                residuals.iter().enumerate().partition(|(at, _)| at % folds == fold);
            let others: Vec<&Residual> = others.into_iter().map(|(_, one)| one).collect();
            let corrected = corrected(self.forest, self.device_features, &others, shrinkage);
            let corrected = Selector::Forest(corrected).on_device(&[]);
            for (_, one) in judged {
                judgement.gains.push(one.share_of(&corrected) - one.share_of(shipped));
                judgement.error += one.error(&self.expecting, &corrected);
            }
        }
        judgement
    }
}

/// The result of corrections on inputs that had no part in them.
struct Judgement {
    /// The share of exhaustive search that each choice gains.
    gains: Vec<f64>,
    /// The sum of the squared errors of what was expected.
    error: f64,
}

impl Judgement {
    /// Returns true if the choices stand beside those of the shipped model. They may be worse by less than one standard
    /// error of the difference: the inputs to measure were taken far from each other, so each is told by the others
    /// worse than what was not taken. A tie is none: what nothing speaks against stays.
    fn is_as_good(&self) -> bool {
        let count = self.gains.len() as f64;
        let mean = self.gains.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = self.gains.iter().map(|gain| (gain - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt();
        mean > -standard_error
    }
}

/// Returns the part of a forest that a device with these features reaches, with corrected leaves. A leaf says what is
/// lost beside its best class. In each node what the node above says counts as so many measured inputs: `shrinkage`.
fn corrected(forest: &Forest, device_features: &[f64], measured: &[&Residual], shrinkage: f64) -> Forest {
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
        let is_upper =
            |input: &usize| forest.compared(column, measured[*input].measured.features[column]) > threshold;
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
    use super::*;
    use crate::model::Ratio;

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
        let measured = |x| MeasuredInput { features: vec![x], shares: vec![] };
        inputs.map(|x| Residual { measured: measured(x), beside: of(x).to_vec() }).collect()
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
