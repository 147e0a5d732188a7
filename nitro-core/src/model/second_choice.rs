//! What runs where a constraint refuses the choice of a gate.
//!
//! To ask the selector anew takes a tenth of a microsecond and more: short Fourier transforms, of which one variant
//! takes powers of two alone, took up to twice as long as that. So a leaf has a second choice, where the selector says
//! that one choice is about the best of all others on the inputs of the leaf.

use super::OnDevice;
use super::gate::DeviceGate;
use super::points::Point;

/// The share of speed that the second choice of a leaf may lose against the best of the others, in the mean.
const TOLERATED: f64 = 0.1;

/// The inputs that end in one leaf, whose choice is refused.
#[derive(Clone, Default)]
struct Refused {
    /// The sum of what is expected, by class; nothing of the refused one.
    expected: Vec<f64>,
    /// The sum of the best of it.
    reachable: f64,
}

/// Returns the second choice of each step of a gate, from what the selector says of many inputs.
pub(super) fn second_choices(gate: &DeviceGate, selector: &OnDevice, points: &[Point]) -> Vec<Option<usize>> {
    let mut leaves = vec![Refused::default(); gate.steps().len()];
    for Point { input, expected } in points {
        let Some(end) = gate.end(&input.features) else { continue };
        let Some(refused) = gate.decision(end).and_then(|choice| selector.class_of(choice)) else { continue };
        leaves[end].add(expected, refused);
    }
    leaves.iter().map(|leaf| Some(selector.choice(leaf.second()?))).collect()
}

impl Refused {
    fn add(&mut self, expected: &[f64], refused: usize) {
        self.expected.resize(expected.len(), 0.0);
        let mut best = 0.0_f64;
        for (class, (sum, &own)) in self.expected.iter_mut().zip(expected).enumerate() {
            if class != refused {
                *sum += own;
                best = best.max(own);
            }
        }
        self.reachable += best;
    }

    /// Returns the class that is best in the mean, if it is good enough.
    fn second(&self) -> Option<usize> {
        let (class, &sum) = self.expected.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1))?;
        (sum > 0.0 && sum >= (1.0 - TOLERATED) * self.reachable).then_some(class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Step;
    use crate::model::training_inputs::TrainingInput;
    use crate::model::{Forest, Node, Selector};

    fn second(expected: &[[f64; 3]]) -> Vec<Option<usize>> {
        let forest = Forest {
            inputs: 1,
            choices: 3,
            nodes: vec![Node::Leaf],
            values: vec![0; 3],
            origins: vec![],
            ratios: vec![],
        };
        let split = Step::Split { column: 0, threshold: 10.0, upper: 2 };
        let gate = DeviceGate::new(vec![0], vec![split, Step::Leaf(Some(2)), Step::Leaf(None)]);
        let points: Vec<Point> = expected
            .iter()
            .enumerate()
            .map(|(at, expected)| {
                let input = TrainingInput { features: vec![at as f64], best_ns: 1.0, features_ns: vec![0.0] };
                Point { input, expected: expected.to_vec() }
            })
            .collect();
        second_choices(&gate, &Selector::Forest(forest).on_device(&[]), &points)
    }

    #[test]
    fn the_best_of_the_others_is_the_second() {
        assert_eq!(second(&[[0.5, 0.8, 1.0], [0.7, 0.7, 1.0]]), [None, Some(1), None]);
        assert_eq!(second(&[]), [None; 3], "of inputs that nobody knows nothing is said");
    }

    #[test]
    fn where_the_others_differ_from_input_to_input_there_is_none() {
        assert_eq!(second(&[[0.2, 0.8, 1.0], [0.8, 0.2, 1.0]]), [None; 3]);
    }
}
