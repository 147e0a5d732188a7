use nitro_core::model::{Coverage, Forest, Model, Provenance, Selector};

use super::*;

/// Two features over a square, the second one constant; the first variant loses nothing where x < 0.5 and half
/// otherwise, the second the other way round, the third is admissible only where x < 0.25 and loses everything
/// there.
fn samples(count: usize) -> (Samples, Vec<f64>) {
    let mut random = Random::new(3);
    let x: Vec<f64> = (0..count).map(|_| random.unit()).collect();
    let mut samples = Samples::new(3);
    for &x in &x {
        let third = (x < 0.25).then_some(1.0);
        let (first, second) = if x < 0.5 { (0.0, 0.5) } else { (0.5, 0.0) };
        samples.push_targets([Some(first), Some(second), third].into_iter(), 1.0);
    }
    samples.push_column(&x, Transform::Identity);
    samples.push_column(&vec![7.0; count], Transform::Identity);
    (samples, x)
}

/// The tree as a model, whose reader checks its form.
fn model(tree: Tree) -> Model {
    let values = tree.values.iter().map(|value| (value * 255.0).round() as u8).collect();
    let forest = Forest { inputs: 2, choices: 3, nodes: tree.nodes, values, origins: vec![], ratios: vec![] };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let model = Model {
        function: "f".into(),
        choices: names(&["a", "b", "c"]),
        features: names(&["x", "same"]),
        device_features: Vec::new(),
        selector: Selector::Forest(forest),
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    Model::from_bytes(&model.to_bytes()).expect("a grown tree is a valid one")
}

#[test]
fn a_tree_fits_what_it_has_seen() {
    let (samples, x) = samples(200);
    let model = model(grow(&samples, 0..2, 1, 1));
    for &x in &x {
        let ranking = model.rank(&[x, 7.0], &[]);
        assert_eq!(ranking[0], usize::from(x >= 0.5), "at {x}");
        assert_eq!(ranking[2], 2, "a variant that loses everything is last, at {x}");
    }
}

#[test]
fn a_feature_that_does_not_vary_is_never_split() {
    let tree = grow(&samples(200).0, 0..2, 1, 1);
    assert!(tree.nodes.iter().all(|node| !matches!(node, Node::Split { column: 1, .. })));
}

#[test]
fn leaves_have_at_least_the_wanted_number_of_samples() {
    let (samples, x) = samples(300);
    let counts: Vec<Vec<usize>> = (0..8).map(|seed| in_leaves(&grow(&samples, 0..2, 20, seed), &x)).collect();
    assert!(counts.iter().flatten().all(|&count| count >= 20), "{counts:?}");
    assert!(counts.iter().any(|leaves| leaves.len() >= 3), "{counts:?}");
}

/// Returns how many of these values each leaf gets.
fn in_leaves(tree: &Tree, x: &[f64]) -> Vec<usize> {
    let mut count = vec![0; tree.values.len() / 3];
    for &x in x {
        let (mut node, mut leaf) = (0, 0);
        while let Node::Split { threshold, .. } = tree.nodes[node] {
            node += 1;
            if x as f32 > threshold {
                let mut open = 1;
                while open > 0 {
                    let is_leaf = tree.nodes[node] == Node::Leaf;
                    (open, leaf) = if is_leaf { (open - 1, leaf + 1) } else { (open + 1, leaf) };
                    node += 1;
                }
            }
        }
        count[leaf] += 1;
    }
    count
}

/// An absent variant is as far behind the others as in the next node above where it was seen.
#[test]
fn an_absent_variant_inherits_from_above() {
    let mut samples = Samples::new(2);
    for x in 0..200 {
        let first = if x % 2 == 0 { 0.0 } else { 0.1 };
        samples.push_targets([Some(first), (x < 100).then_some(first + 0.25)].into_iter(), 1.0);
    }
    samples.push_column(&(0..200).map(f64::from).collect::<Vec<_>>(), Transform::Identity);
    let tree = grow(&samples, 0..1, 2, 2);
    assert!(
        tree.values.chunks(2).all(|leaf| leaf[0] == 0.0 && (leaf[1] - 0.25).abs() < 0.02),
        "{:?}",
        tree.values
    );
}

#[test]
fn samples_that_are_all_alike_make_one_leaf() {
    let mut samples = Samples::new(1);
    (0..50).for_each(|_| samples.push_targets([Some(0.3)].into_iter(), 1.0));
    samples.push_column(&(0..50).map(f64::from).collect::<Vec<_>>(), Transform::Identity);
    assert_eq!(grow(&samples, 0..1, 1, 9).nodes, [Node::Leaf]);
}

/// Sixty classes of which three occur make the tree of these three.
#[test]
fn classes_that_occur_nowhere_change_nothing() {
    let few = grow(&samples(200).0, 0..2, 2, 4);
    let (rows, x) = samples(200);
    let mut many = Samples::new(60);
    for sample in 0..200 {
        let mut row = [None; 60];
        for (class, place) in [(0, 5), (1, 17), (2, 40)] {
            let mut own = [[0.0; 2]; 3];
            rows.add(&rows.targets, &mut own, &[sample]);
            row[place] = (own[class][1] > 0.0).then_some(own[class][0]);
        }
        many.push_targets(row.into_iter(), 1.0);
    }
    many.push_column(&x, Transform::Identity);
    many.push_column(&[7.0; 200], Transform::Identity);
    let many = grow(&many, 0..2, 2, 4);
    assert_eq!((&many.nodes, &many.gains), (&few.nodes, &few.gains));
    let of_three: Vec<f32> = many.values.chunks(60).flat_map(|leaf| [leaf[5], leaf[17], leaf[40]]).collect();
    assert_eq!(of_three, few.values);
}

/// Which classes a row lists says something itself: `b` is listed where everything loses much, `c` where little is
/// lost. `a` beats both wherever they meet, and a mean over what is listed would put `c` before it.
#[test]
fn classes_are_compared_within_rows() {
    let mut samples = Samples::new(3);
    for row in 0..40 {
        let listed = match row % 2 {
            0 => [Some(0.4), Some(0.45), None],
            _ => [Some(0.0), None, Some(0.1)],
        };
        samples.push_targets(listed.into_iter(), 1.0);
    }
    samples.push_column(&[7.0; 40], Transform::Identity);
    let tree = grow(&samples, 0..1, 2, 3);
    let [a, b, c] = tree.values[..] else { panic!("one leaf: {:?}", tree.values) };
    assert!(a < b && a < c, "{:?}", tree.values);
    assert_eq!(a, 0.0, "what is lost is lost beside the best");
}

#[test]
fn a_tree_asks_for_no_other_columns() {
    let (mut samples, x) = samples(200);
    samples.push_column(&x, Transform::Identity);
    let tree = grow(&samples, 0..1, 1, 1);
    assert!(tree.nodes.len() > 1);
    assert!(tree.nodes.iter().all(|node| matches!(node, Node::Leaf | Node::Split { column: 0, .. })));
}
