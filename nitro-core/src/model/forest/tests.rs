use super::*;

const fn split(column: u16, threshold: f32) -> Node {
    Node::Split { column, threshold }
}

/// One input feature, one device feature, two choices; the first tree asks the device first, the second only the input.
fn forest() -> Forest {
    Forest {
        inputs: 1,
        choices: 2,
        nodes: vec![
            split(1, 10.0),
            split(0, 5.0),
            Node::Leaf,
            Node::Leaf,
            Node::Leaf,
            split(0, 7.0),
            Node::Leaf,
            Node::Leaf,
        ],
        values: vec![0, 100, 100, 0, 50, 60, 0, 20, 20, 0],
        origins: vec![],
        ratios: vec![],
    }
}

fn on_device(forest: &Forest, device_features: &[f64]) -> DeviceForest {
    let checked = forest.check(forest.choices, forest.inputs, forest.inputs + device_features.len());
    DeviceForest::new(checked.unwrap(), device_features)
}

fn shares(forest: &DeviceForest, features: &[f64]) -> Vec<f64> {
    let mut points = [0; MAX_CHOICES];
    let unit = forest.estimate(features, &mut points);
    points[..forest.classes()].iter().map(|&points| f64::from(points) * unit).collect()
}

/// What is lost, in steps of 1/255.
fn losses(forest: &Forest, input: f64, device: f64) -> Vec<f64> {
    let shares = shares(&on_device(forest, &[device]), &[input]);
    shares.iter().map(|share| (255.0 * (1.0 - share)).round()).collect()
}

#[test]
fn the_mean_over_the_trees_is_what_their_leaves_say() {
    let forest = forest();
    assert!(forest.check(2, 1, 2).is_ok());
    assert_eq!(losses(&forest, 4.0, 0.0), [0.0, 60.0]);
    assert_eq!(losses(&forest, 6.0, 0.0), [50.0, 10.0]);
    assert_eq!(losses(&forest, 8.0, 0.0), [60.0, 0.0]);
    assert_eq!(losses(&forest, 4.0, 11.0), [25.0, 40.0], "the device's side of the first tree");
}

#[test]
fn a_value_at_the_threshold_is_on_the_lower_side() {
    assert_eq!(losses(&forest(), 5.0, 10.0), [0.0, 60.0]);
}

#[test]
fn a_device_keeps_only_what_it_can_reach() {
    let (below, above) = (on_device(&forest(), &[0.0]), on_device(&forest(), &[99.0]));
    // The leaf of zeros, then a split and two leaves a tree, or one leaf for the whole first tree.
    assert_eq!((below.nodes(), above.nodes()), (1 + 3 + 3, 1 + 1 + 3));
}

/// As many trees and choices as there may be: sums stay exact and every group is walked.
#[test]
fn the_largest_forest_adds_up() {
    let trees = MAX_TREES;
    let forest = Forest {
        inputs: 0,
        choices: MAX_CHOICES,
        nodes: vec![Node::Leaf; trees],
        values: (0..trees).flat_map(|_| (0..MAX_CHOICES).map(|choice| 255 - choice as u8)).collect(),
        origins: vec![],
        ratios: vec![],
    };
    let shares = shares(&on_device(&forest, &[]), &[]);
    for (choice, share) in shares.iter().enumerate() {
        assert!((share - choice as f64 / 255.0).abs() < 1e-9, "{choice}: {share}");
    }
}

#[test]
fn a_tree_as_deep_as_allowed_is_walked_to_its_end() {
    // Each lower side is a leaf; the last upper side is reached by the largest value alone.
    let mut nodes: Vec<Node> =
        (0..MAX_DEPTH).flat_map(|depth| [split(0, depth as f32), Node::Leaf]).collect();
    nodes.push(Node::Leaf);
    let values = (0..=MAX_DEPTH as u8).collect();
    let forest = Forest { inputs: 1, choices: 1, nodes, values, origins: vec![], ratios: vec![] };
    let on_device = on_device(&forest, &[]);
    for depth in 0..=MAX_DEPTH {
        let loss = 1.0 - shares(&on_device, &[depth as f64])[0];
        assert_eq!((255.0 * loss).round(), depth as f64);
    }
    let deeper = Forest { nodes: [&[split(0, -1.0), Node::Leaf][..], &forest.nodes].concat(), ..forest };
    assert_eq!(deeper.check(1, 1, 1).err(), Some("depth of a tree"));
}

/// What is not checked is not walked: a column that is none would lead outside.
#[test]
fn what_does_not_fit_together_cannot_be_asked() {
    let forest = Forest { inputs: 40, nodes: vec![split(33, 1.0), Node::Leaf, Node::Leaf], ..forest() };
    assert_eq!(forest.check(2, 40, 40).err(), Some("number of input features of the forest"));
    let forest = Forest { inputs: 1, ..forest };
    assert_eq!(forest.check(2, 1, 1).err(), Some("number of leaf values"));
    let forest = Forest { values: vec![0; 4], ..forest };
    assert_eq!(forest.check(2, 1, 1).err(), Some("split of a tree"));
    let shifted = |origins: &[f64]| Forest { origins: origins.to_vec(), ..super::tests::forest() };
    assert_eq!(shifted(&[1.0]).check(2, 1, 2).err(), Some("number of origins"));
    assert_eq!(shifted(&[1.0, f64::NAN]).check(2, 1, 2).err(), Some("origin of a column"));
}

/// Thresholds lie between values that single precision alone cannot tell apart, of input and device features alike.
#[test]
fn an_origin_is_subtracted_before_values_are_rounded() {
    let forest = Forest { origins: vec![1.7e9, 1e15], ..forest() };
    for (input, device) in [(4.0, 0.0), (6.0, 0.0), (8.0, 0.0), (4.0, 11.0), (5.0, 10.0)] {
        let expected = losses(&super::tests::forest(), input, device);
        assert_eq!(losses(&forest, 1.7e9 + input, 1e15 + device), expected, "{input}, {device}");
    }
}

/// A split on an input feature over a device feature is one on the input feature, wherever the device lies.
#[test]
fn a_ratio_is_compared_as_the_input_feature_over_that_of_the_device() {
    let over = |threshold: f32, origins: &[f64]| Forest {
        nodes: vec![split(2, threshold), Node::Leaf, Node::Leaf],
        values: vec![0, 100, 100, 0],
        ratios: vec![Ratio { input: 0, device: 0 }],
        origins: origins.to_vec(),
        ..forest()
    };
    for threshold in [-3.0, 0.0, 0.25, 1.0, 700.0] {
        for device in [0.125, 1.0, 16.0, 3.0e9] {
            for input in [-1e12, -4.0, 0.0, 0.03, 4.5, 12.0, 1e4, 1e12, 1e300] {
                let expected =
                    if input / device > f64::from(threshold) { [100.0, 0.0] } else { [0.0, 100.0] };
                assert_eq!(losses(&over(threshold, &[]), input, device), expected, "{input} / {device}");
            }
        }
    }
    // Origins of the ratio and of the input feature.
    let shifted = over(4.0, &[1e9, 0.0, 2e9]);
    assert_eq!(losses(&shifted, 1e9 + 2.0, 0.5), [0.0, 100.0], "(1e9 + 2) / 0.5 is 4 above 2e9");
    assert_eq!(losses(&shifted, 1e9 + 3.0, 0.5), [100.0, 0.0]);
    // What no device is divided by is above nothing, and needs no comparison.
    for device in [0.0, -0.0, -2.0, f64::INFINITY, f64::NAN] {
        assert_eq!(losses(&over(-3.0, &[]), 12.0, device), [0.0, 100.0], "{device}");
    }
    assert_eq!(on_device(&over(1.0, &[]), &[0.0]).nodes(), 2, "a leaf of zeros and a leaf");
    // A threshold that is too large for single precision is still a number.
    let DeviceSplit::Input { threshold, .. } = over(f32::MAX, &[]).on_device(2, f32::MAX, &[1e300]) else {
        panic!("the device alone does not decide");
    };
    assert_eq!(threshold, f32::MAX);
}
