use std::sync::Arc;

use super::features::Features;
use super::kernel::{Kernel, Rows};
use super::modes::Modes;
use super::posterior::Posterior;
use crate::random::Random;
use crate::{Candidate, Evaluation, Parameter, Source, Sources, Space};

fn space() -> Arc<Space> {
    let size = |name: &str, count: i32| Parameter::linear(name, (0..count).map(f64::from));
    Arc::new(
        Space::constrained(vec![size("a", 8), size("b", 9), Parameter::categories("c", ["x", "y"])], vec![])
            .unwrap(),
    )
}

fn time_ns(space: &Space, candidate: Candidate, device: f64) -> f64 {
    let row: Vec<f64> = space.configuration(candidate).iter().map(|&value| f64::from(value)).collect();
    100.0 + 10.0 * (row[0] - device).powi(2) + 5.0 * row[1] + 40.0 * row[2]
}

fn sources(space: &Space, measured: impl Fn(usize, usize) -> bool) -> Sources {
    let source = |device: usize| Source {
        device: device.to_string(),
        evaluations: space
            .candidates()
            .map(|own| {
                measured(device, own.index()).then(|| Evaluation::TimeNs(time_ns(space, own, device as f64)))
            })
            .collect(),
        features: vec![device as f64, 7.0],
    };
    Sources { devices: (1..4).map(source).collect(), features: vec![2.8, 7.0] }
}

#[test]
fn what_a_source_did_not_measure_is_estimated() {
    let space = space();
    let complete = Features::new(&space, &sources(&space, |_, _| true), &mut Random::new(1));
    let partial = sources(&space, |device, at| device != 2 || at * 7919 % 101 < 40);
    let partial = Features::new(&space, &partial, &mut Random::new(1));
    assert_eq!(partial.sources[0], complete.sources[0]);
    let error = |guess: &dyn Fn(usize) -> f32| -> f32 {
        (0..space.len()).map(|row| (guess(row) - complete.sources[1][row]).abs()).sum()
    };
    let mean = complete.sources[1].iter().sum::<f32>() / space.len() as f32;
    let (estimated, naive) = (error(&|row| partial.sources[1][row]), error(&|_| mean));
    assert!(estimated < 0.4 * naive, "{estimated} off, where the mean is {naive} off");
    assert!(partial.sources[1] != complete.sources[1]);
}

#[test]
fn the_nearest_device_counts_most_and_without_features_all_count_alike() {
    let space = space();
    let mut sources = sources(&space, |_, _| true);
    let weights = Features::new(&space, &sources, &mut Random::new(1)).weights;
    assert!(weights[2] > weights[1] && weights[1] > weights[0], "{weights:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9 && weights[2] < 3.0 / 4.0);
    sources.features.clear();
    let weights = Features::new(&space, &sources, &mut Random::new(1)).weights;
    assert!(weights.iter().all(|&weight| weight == 1.0 / 3.0), "{weights:?}");
}

#[test]
fn of_what_the_sources_like_no_two_are_neighbours() {
    let space = space();
    let features = Features::new(&space, &sources(&space, |_, _| true), &mut Random::new(1));
    let chosen = features.unlike(5);
    assert_eq!(chosen.len(), 5);
    assert_eq!(space.text(chosen[0]), "a=2,b=0,c=x"); // best in the mean of devices about 2
    for (at, &one) in chosen.iter().enumerate() {
        assert!(space.neighbours(one).iter().all(|neighbour| !chosen[at..].contains(neighbour)));
    }
}

/// Solves a symmetric system by Gauss's elimination.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    for at in 0..right.len() {
        for below in at + 1..right.len() {
            let factor = matrix[below][at] / matrix[at][at];
            let above = matrix[at].clone();
            matrix[below].iter_mut().zip(above).for_each(|(value, above)| *value -= factor * above);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..right.len()).rev() {
        let known: f64 = (at + 1..right.len()).map(|other| matrix[at][other] * right[other]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[test]
fn a_posterior_is_what_the_formula_says_and_goes_back_to_what_it_was() {
    let space = space();
    for sources in [Sources::default(), sources(&space, |_, _| true)] {
        let features = Features::new(&space, &sources, &mut Random::new(1));
        let kernel = Kernel { noise: 0.01, ..Kernel::new(&features) };
        let (rows, residuals) = ([3, 77, 20, 130, 64], [0.3, -0.1, 0.5, 0.2, 0.0]);
        let mut posterior = Posterior::new(&features, &kernel);
        rows.iter().for_each(|&row| posterior.add(&features, &kernel, row));
        let covariances = |row: usize| -> Vec<f64> {
            kernel.covariances(&features, row, Rows::These(&rows)).into_iter().map(f64::from).collect()
        };
        let mut matrix: Vec<Vec<f64>> = rows.iter().map(|&row| covariances(row)).collect();
        (0..rows.len()).for_each(|at| matrix[at][at] += kernel.noise);
        let (means, variances) = (posterior.means(&residuals), kernel.variances(&features));
        for row in [0, 3, 50, 99, 143] {
            let own = covariances(row);
            let dot = |other: &[f64]| own.iter().zip(other).map(|(own, other)| own * other).sum::<f64>();
            let mean = dot(&solved(matrix.clone(), residuals.to_vec()));
            assert!((f64::from(means[row]) - mean).abs() < 1e-3, "{} is not {mean}", means[row]);
            let variance = f64::from(variances[row]) - dot(&solved(matrix.clone(), own.clone()));
            let found = f64::from(posterior.variances()[row]);
            assert!((found - variance).abs() < 1e-3, "{found} is not {variance}");
        }
        let (before, checkpoint) = (posterior.variances().to_vec(), posterior.checkpoint());
        posterior.add(&features, &kernel, 11);
        assert_ne!(posterior.variances(), before);
        posterior.back_to(checkpoint);
        assert_eq!((posterior.variances(), posterior.means(&residuals)), (before.as_slice(), means));
    }
}

#[test]
fn peaks_are_those_of_the_source_that_counts_and_each_is_proposed_once() {
    let size = |name: &str| Parameter::linear(name, (0..9).map(f64::from));
    let space = Space::constrained(vec![size("a"), size("b")], vec![]).unwrap();
    // Peaks on the diagonal, that of the source the highest, and all around equally slow.
    let source = |highest: usize| Source {
        device: highest.to_string(),
        evaluations: (0..81)
            .map(|at| {
                let peak = [(1, 1), (3, 3), (5, 5), (7, 7)].iter().position(|&(a, b)| at == a * 9 + b);
                Some(Evaluation::TimeNs(match peak {
                    Some(peak) if peak == highest => 10.0,
                    Some(peak) => 11.0 + peak as f64,
                    None => 15.0,
                }))
            })
            .collect(),
        features: vec![],
    };
    let sources = Sources { devices: vec![source(1), source(2)], features: vec![] };
    let features = Features::new(&space, &sources, &mut Random::new(1));
    let mut modes = Modes::new(&space, &features);
    let mut proposed: Vec<Candidate> = Vec::new();
    for weights in [[0.9, 0.1], [0.1, 0.9], [0.1, 0.9]] {
        let step = modes.propose(1, &weights, |candidate| !proposed.contains(&candidate));
        proposed.extend(step);
    }
    let texts: Vec<String> = proposed.iter().map(|&own| space.text(own)).collect();
    assert_eq!(texts, ["a=3,b=3", "a=5,b=5", "a=1,b=1"]);
    let rest = modes.propose(20, &[0.5, 0.5], |candidate| !proposed.contains(&candidate));
    assert_eq!(rest.len(), 5, "no more than eight in all: {rest:?}");
    assert!(rest.iter().all(|own| !proposed.contains(own)));
    assert!(modes.propose(20, &[0.5, 0.5], |_| true).is_empty());
}
