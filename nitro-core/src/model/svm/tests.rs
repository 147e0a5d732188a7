use super::*;
use crate::model::Selector;

#[test]
fn pairs_are_numbered_in_order() {
    let mut expected = 0;
    for first in 0..7 {
        for second in first + 1..7 {
            assert_eq!(pair(first, second, 7), expected);
            expected += 1;
        }
    }
}

#[test]
fn a_column_that_never_varied_scales_to_zero() {
    let scale = Scale { transform: Transform::Identity, min: 3.0, max: 3.0 };
    assert_eq!(scale.apply(3.0), 0.0);
    assert_eq!(scale.apply(1e9), 0.0);
}

#[test]
fn a_transform_is_undone() {
    for transform in [Transform::Identity, Transform::Log] {
        for value in [-1e9, -2.5, 0.0, 1e-3, 7.0, 1e12] {
            let back = transform.undo(transform.apply(value));
            assert!(
                (back - value).abs() <= 1e-12 * value.abs(),
                "{transform:?}: {value} came back as {back}"
            );
        }
    }
}

#[test]
fn log_scaling_maps_the_ends_onto_the_unit_interval() {
    let scale = Scale { transform: Transform::Log, min: 10f64.ln_1p(), max: 1e6f64.ln_1p() };
    assert!((scale.apply(10.0) + 1.0).abs() < 1e-12);
    assert!((scale.apply(1e6) - 1.0).abs() < 1e-12);
}

/// Three classes on a line, one support vector each, at -1, 0 and 1: the nearest one wins.
#[test]
fn the_nearest_of_three_classes_wins() {
    let svm = Svm {
        gamma: 1.0,
        scaling: vec![Scale { transform: Transform::Identity, min: -1.0, max: 1.0 }],
        classes: (0..3).map(|choice| Class { choice, support: 1 }).collect(),
        vectors: vec![-1.0, 0.0, 1.0],
        coefficients: vec![1.0, -1.0, -1.0, 1.0, 1.0, -1.0],
        rho: vec![0.0; 3],
    };
    assert_eq!(svm.check(3, 1), Ok(()));
    let machine = Selector::Svm(svm).on_device(&[]);
    for (value, choice) in [(-0.9, 0), (0.1, 1), (0.8, 2)] {
        assert_eq!(machine.rank(&[value])[0].choice, choice, "at {value}");
    }
}

/// Folding the device's distance into the coefficients is the kernel over all columns.
#[test]
fn a_device_decides_as_the_joined_vector_does() {
    let scale = Scale { transform: Transform::Identity, min: -1.0, max: 1.0 };
    let joined = Svm {
        gamma: 0.7,
        scaling: vec![scale; 2],
        classes: (0..2).map(|choice| Class { choice, support: 1 }).collect(),
        vectors: vec![0.0, -1.0, 0.0, 1.0],
        coefficients: vec![1.0, -1.0],
        rho: vec![0.0],
    };
    let joined = Selector::Svm(joined);
    assert_eq!(joined.on_device(&[-0.5]).rank(&[0.0])[0].choice, 0);
    assert_eq!(joined.on_device(&[0.5]).rank(&[0.0])[0].choice, 1);
}

/// A device beyond all sources decides as the outermost source does, however far away it is.
#[test]
fn device_features_are_taken_within_the_range_of_the_sources() {
    let scale = Scale { transform: Transform::Identity, min: 0.0, max: 10.0 };
    assert_eq!([-5.0, 0.0, 5.0, 1e9].map(|value| scale.apply_within(value)), [-1.0, -1.0, 0.0, 1.0]);
    let svm = Svm {
        gamma: 1.0,
        scaling: vec![scale; 2],
        classes: (0..2).map(|choice| Class { choice, support: 1 }).collect(),
        vectors: vec![0.0, -1.0, 0.0, 1.0],
        coefficients: vec![1.0, -1.0],
        rho: vec![0.0],
    };
    let machine = Selector::Svm(svm);
    let ranking = |device: f64| [0.0, 3.0, 10.0].map(|input| machine.on_device(&[device]).rank(&[input]));
    assert_eq!(ranking(1e6), ranking(10.0));
    assert_eq!(ranking(-1e6), ranking(0.0));
}
