//! A selector resolved for one device: what is left open are the input features.

use super::choosing::Way;
use super::distilled::distilled;
use super::forest::DeviceForest;
use super::gate::{Comparison, DeviceGate};
use super::points::{Point, asked};
use super::scores::Scores;
use super::second_choice::second_choices;
use super::svm::DeviceSvm;
use super::{Caution, Model, Ranked, Region, Selector, TrainingInputs};
use crate::MAX_CHOICES;

/// A [`Selector`] on one device, ready to rank choices for many inputs.
///
/// ```
/// use nitro_core::model::{Forest, Node, Selector};
///
/// // A tree that asks for a device feature: its column follows that of the only input feature.
/// let nodes = vec![Node::Split { column: 1, threshold: 8.0 }, Node::Leaf, Node::Leaf];
/// let forest = Forest { inputs: 1, choices: 2, nodes, values: vec![0, 51, 204, 0], origins: vec![], ratios: vec![] };
/// let on_16_threads = Selector::Forest(forest).on_device(&[16.0]); // the device is asked once
/// let ranked = on_16_threads.rank(&[1e6]);
/// assert_eq!((ranked[0].choice, ranked[1].choice), (1, 0));
/// assert_eq!(ranked[1].expected_slowdown.map(f64::round), Some(5.0)); // a speed of 1 - 204/255
/// ```
#[derive(Debug)]
pub struct OnDevice {
    rule: Rule,
    /// True where the selector compares nothing.
    is_constant: bool,
    /// The time that it takes without features, in nanoseconds.
    selection_ns: f64,
    gate: Option<DeviceGate>,
    /// The selector as a small tree, which is asked in its place.
    tree: Option<DeviceGate>,
    /// The gate with the tree behind it, where there are both.
    gate_and_tree: Option<DeviceGate>,
    caution: Option<Caution>,
    /// The training inputs, where those far from them call for caution.
    inputs: Option<Region>,
}

#[derive(Debug)]
enum Rule {
    Constant(usize),
    Svm(DeviceSvm),
    Forest(DeviceForest),
}

impl Selector {
    /// Resolves what depends on the device alone. `device_features` are raw values in the order of the model's names.
    ///
    /// # Panics
    /// When the selector's numbers contradict each other, as those of a [`Model`] that was read do
    /// not, or when there are fewer values than it has device features.
    #[must_use]
    pub fn on_device(&self, device_features: &[f64]) -> OnDevice {
        let rule = match self {
            Self::Constant { choice } => Rule::Constant(*choice),
            Self::Svm(svm) => Rule::Svm(DeviceSvm::new(svm, device_features)),
            Self::Forest(forest) => {
                let columns = forest.inputs + device_features.len();
                let checked = forest.check(forest.choices, forest.inputs, columns);
                Rule::Forest(DeviceForest::new(checked.expect("a sound forest"), device_features))
            }
        };
        OnDevice {
            rule,
            is_constant: self.is_constant(),
            selection_ns: self.selection_ns(),
            gate: None,
            tree: None,
            gate_and_tree: None,
            caution: None,
            inputs: None,
        }
    }
}

impl Model {
    /// Resolves the model for a device, by its identity and its device features (raw values in the order of the
    /// names).
    ///
    /// # Panics
    /// As [`Selector::on_device`].
    #[must_use]
    pub fn on_device(&self, device: &str, device_features: &[f64]) -> OnDevice {
        let needed = self.needed_on(device);
        self.resolved_on(Some(device), if needed.is_empty() { &[] } else { device_features })
    }

    /// Resolves the model where the needed device features have these values. No device stands for any that is not
    /// calibrated.
    pub(crate) fn resolved_on(&self, device: Option<&str>, device_features: &[f64]) -> OnDevice {
        let selector = match device.and_then(|device| self.calibration(device)) {
            Some(calibration) => calibration.selector.on_device(&[]),
            None => self.selector.on_device(device_features),
        };
        let gate = self.gate.as_ref().map(|gate| gate.on_device(self.features.len(), device_features));
        let far = self.caution.filter(|caution| caution.far).and(self.coverage.inputs.clone());
        // Its answers for training inputs make the tree, and second choices where something decides before it is asked.
        let points = asked(&selector, &self.training_inputs);
        let tree = if self.is_distilled { distilled(&selector, &points) } else { None };
        let selector = OnDevice { tree, ..selector }.behind(gate).with_second_choices(&points);
        selector.with_caution(self.caution, far)
    }

    /// All that the selector learned to choose, best first, as indices into [`Model::choices`].
    ///
    /// `features` and `device_features` are raw values in the order of the names.
    ///
    /// # Panics
    /// When a slice is not as long as its list of names.
    #[must_use]
    pub fn rank(&self, features: &[f64], device_features: &[f64]) -> Vec<usize> {
        self.explain(features, device_features).into_iter().map(|ranked| ranked.choice).collect()
    }

    /// Ranks as [`Model::rank`], each choice with what the selector thinks of it.
    ///
    /// # Panics
    /// When a slice is not as long as its list of names.
    #[must_use]
    pub fn explain(&self, features: &[f64], device_features: &[f64]) -> Vec<Ranked> {
        assert_eq!(features.len(), self.features.len(), "one value for each input feature");
        assert_eq!(device_features.len(), self.device_features.len(), "one value for each device feature");
        self.resolved_on(None, device_features).rank(features)
    }
}

impl OnDevice {
    /// The same, as a small tree made for training inputs. The selector itself is asked where the tree does not decide,
    /// and for its estimates.
    #[must_use]
    pub fn distilled(self, inputs: &TrainingInputs) -> Self {
        let tree = distilled(&self, &asked(&self, inputs));
        Self { tree, ..self }
    }

    /// Returns the comparisons of the gate and the small tree, where one of them decides.
    #[must_use]
    pub fn comparisons(&self, features: &[f64]) -> Option<Vec<Comparison>> {
        let at_gate = self.gate().and_then(|gate| gate.comparisons(features));
        at_gate.or_else(|| self.tree.as_ref()?.comparisons(features))
    }

    /// Returns the walk through them.
    #[must_use]
    pub fn way(&self, features: &[f64]) -> Option<Way> {
        let comparisons = self.comparisons(features)?;
        Some(comparisons.iter().fold(Way::default(), |way, own| way.behind(own.feature)))
    }

    /// The same, asked where the gate does not decide.
    pub(super) fn behind(self, gate: Option<DeviceGate>) -> Self {
        let gate_and_tree = gate.as_ref().zip(self.tree.as_ref()).map(|(gate, tree)| gate.followed_by(tree));
        Self { gate, gate_and_tree, ..self }
    }

    /// The same, with a second choice where what decides first names one that a constraint may refuse, from what the
    /// selector says of many inputs.
    fn with_second_choices(mut self, points: &[Point]) -> Self {
        let Some(gate) = self.gate() else { return self };
        let second = second_choices(gate, &self, points);
        let gate =
            [&mut self.gate_and_tree, &mut self.gate, &mut self.tree].into_iter().find(|own| own.is_some());
        if let Some(gate) = gate {
            *gate = gate.take().map(|gate| gate.with_second(second));
        }
        self
    }

    /// The same, followed only where it is sure. `inputs` are those of the training, where what is far from them
    /// calls for caution.
    pub(super) fn with_caution(self, caution: Option<Caution>, inputs: Option<Region>) -> Self {
        Self { caution, inputs, ..self }
    }

    /// What decides before the selector is asked: the gate, the tree that is asked in the selector's place, or both.
    pub(crate) fn gate(&self) -> Option<&DeviceGate> {
        self.gate_and_tree.as_ref().or(self.gate.as_ref()).or(self.tree.as_ref())
    }

    /// The choice of the tree that is asked in the selector's place, if there is one.
    pub(crate) fn chosen_by_tree(&self, features: &[f64]) -> Option<usize> {
        self.tree.as_ref()?.decide(features)
    }

    /// Returns true where a gate decides for these features, so that most of them are not needed.
    #[must_use]
    pub fn is_decided_early(&self, features: &[f64]) -> bool {
        let decided = self.gate.as_ref().and_then(|gate| gate.decide(features));
        decided.is_some_and(|choice| self.class_of(choice).is_some())
    }

    /// The class that the gate or the tree decides for. None where the selector is to be asked, or does not know the
    /// choice.
    fn decided(&self, features: &[f64]) -> Option<usize> {
        let at_gate = self.gate.as_ref().and_then(|gate| self.class_of(gate.decide(features)?));
        at_gate.or_else(|| self.class_of(self.chosen_by_tree(features)?))
    }

    /// The class of a choice, if the selector has learned to make it.
    pub(crate) fn class_of(&self, choice: usize) -> Option<usize> {
        (0..self.classes()).find(|&class| self.choice(class) == choice)
    }

    /// The class that runs because the selector is not sure enough of the one that it ranks first.
    pub(crate) fn unsure(&self, features: &[f64], scores: &Scores) -> Option<usize> {
        let caution = self.caution?;
        let (class, best) = (self.class_of(caution.choice.into())?, scores.ranked().next()?);
        if class == best {
            return None;
        }
        if caution.is_hardly_ahead(scores.confidence(best), scores.confidence(class)) {
            return Some(class);
        }
        // A distance takes longer than a comparison, so it comes last.
        let distance = self.inputs.as_ref()?.distance(features)?;
        (distance > 1.0).then_some(class)
    }

    /// All that the selector learned to choose, best first. What the gate decides for, or what runs because the
    /// selector is unsure, comes before that. `features` are raw values in the order of the model's names.
    #[must_use]
    pub fn rank(&self, features: &[f64]) -> Vec<Ranked> {
        let scores = self.scores(features);
        let decided = self.decided(features).or_else(|| self.unsure(features, &scores));
        let second = self.gate().and_then(|gate| self.class_of(gate.second(features)?));
        let second = second.filter(|class| decided.is_some() && decided != Some(*class));
        let others = scores.ranked().filter(|&class| decided != Some(class) && second != Some(class));
        let ranked = decided.into_iter().chain(second).chain(others).map(|class| Ranked {
            choice: self.choice(class),
            confidence: scores.confidence(class),
            expected_slowdown: scores.expected_slowdown(class),
        });
        ranked.collect()
    }

    /// Returns the share of the best choice's speed that each choice is expected to lose, as far as the selector
    /// estimates speeds; at least as many as it has classes.
    #[must_use]
    pub fn expected_losses(&self, features: &[f64]) -> Vec<f64> {
        self.confidences(features).map(|confidence| 1.0 - confidence).collect()
    }

    /// The confidence in each class.
    pub(super) fn confidences(&self, features: &[f64]) -> impl Iterator<Item = f64> {
        let scores = self.scores(features);
        (0..self.classes()).map(move |class| scores.confidence(class))
    }

    /// The first of the ranking, as dispatch finds it where every choice is admissible; allocates nothing.
    #[must_use]
    pub fn first(&self, features: &[f64]) -> Option<usize> {
        let class = self.decided(features).or_else(|| {
            let scores = self.scores(features);
            self.unsure(features, &scores).or_else(|| scores.ranked().next())
        });
        class.map(|class| self.choice(class))
    }

    /// Number of classes: of choices that the selector learned to make.
    pub(crate) fn classes(&self) -> usize {
        match &self.rule {
            Rule::Constant(_) => 1,
            Rule::Svm(svm) => svm.classes(),
            Rule::Forest(forest) => forest.classes(),
        }
    }

    /// Returns the time that the selector itself takes, in nanoseconds, without features.
    pub(super) fn selection_ns(&self) -> f64 {
        self.selection_ns
    }

    /// Returns true where the input has no say. It may have one in a gate before an order.
    pub(crate) fn is_constant(&self) -> bool {
        self.is_constant && (self.gate.is_none() || matches!(self.rule, Rule::Constant(_)))
    }

    /// Scores each of the selector's classes for an input.
    pub(crate) fn scores(&self, features: &[f64]) -> Scores {
        let mut points = [0; MAX_CHOICES];
        let (unit, estimates_speed) = match &self.rule {
            Rule::Constant(_) => {
                points[0] = 1;
                (1.0, false)
            }
            Rule::Svm(svm) => (svm.vote(features, &mut points), false),
            Rule::Forest(forest) => (forest.estimate(features, &mut points), true),
        };
        Scores::new(points, self.classes(), unit, estimates_speed)
    }

    /// The choice (index into `Model::choices`) of a class.
    pub(crate) fn choice(&self, class: usize) -> usize {
        match &self.rule {
            Rule::Constant(choice) => *choice,
            Rule::Svm(svm) => svm.choice(class),
            Rule::Forest(_) => class,
        }
    }
}
