use std::collections::HashMap;

use super::graph::Graph;
use super::metrics::{OptionMetrics, desirability};
use super::{AntColony, Ants};
use crate::paths::{Crossing, Decision, Decisions, NodeKey, Path, PathStrategy, Report, Step};
use crate::random::Random;
use crate::{Failure, Metrics, Observation};

/// Nodes of 2, 5, 30 and 1 options, the last but one of which is crossed twice.
struct Few;

impl Decisions for Few {
    fn next(&self, path: &[Crossing]) -> Step {
        match [2, 5, 30, 30, 1].get(path.len()) {
            Some(&count) => Step::Choose(Decision::new(NodeKey::new("of").statements([count as u32]), count)),
            None => Step::Complete,
        }
    }
}

fn keys() -> [NodeKey; 4] {
    [2, 5, 30, 1].map(|count| NodeKey::new("of").statements([count]))
}

/// Runs so many iterations of random times, a third of which fail, and looks at the pheromone of every node after each.
fn iterations(ants: Ants, count: usize, mut look: impl FnMut(&NodeKey, &[f64])) {
    let (mut colony, mut random) = (AntColony::with(ants, 3), Random::new(4));
    for _ in 0..count {
        let observe = |proposal: Path| {
            let report = match random.below(3) {
                0 => Report::failed(Failure::Crash),
                _ => Report::time_ns(1.0 + random.unit()),
            };
            Observation { proposal, report }
        };
        let step: Vec<_> = colony.propose(&Few).unwrap().into_iter().map(observe).collect();
        colony.learn(&Few, &step);
        keys().iter().for_each(|key| look(key, colony.pheromone(key).unwrap()));
    }
}

#[test]
fn pheromone_stays_within_its_bounds_and_reaches_them() {
    let mut extremes = (1.0_f64, 0.0_f64);
    iterations(Ants::default(), 40, |key, pheromone| {
        for &own in pheromone {
            assert!((0.05..=0.95).contains(&own), "{own} at {key}");
            extremes = (extremes.0.min(own), extremes.1.max(own));
        }
    });
    assert_eq!(extremes, (0.05, 0.95));
}

#[test]
fn without_bounds_it_stays_in_the_hyper_cube_spanned_by_solutions() {
    let cube = Ants { bounds: (0.0, 1.0), ..Ants::base() };
    iterations(cube, 40, |key, pheromone| {
        assert!(pheromone.iter().all(|own| (0.0..=1.0).contains(own)));
        let sum: f64 = pheromone.iter().sum();
        // A convex combination of solutions, each of which takes one option of a node that it crosses once, and at
        // most two of the other.
        let most = if *key == NodeKey::new("of").statements([30]) { 2.0 } else { 1.0 };
        assert!(sum >= 1.0 - 1e-9 && sum <= most + 1e-9, "{sum} at {key}");
    });
}

#[test]
fn an_update_is_the_formula() {
    let ants = Ants::base();
    let mut graph = Graph::default();
    let decision = Decision::new(NodeKey::new("one"), 4);
    graph.come_to(&decision, &ants).unwrap();
    let crossing = Crossing { node: decision.key.clone(), part: None, option: 2 };
    graph.evaporate(&ants);
    graph.deposit([&crossing, &crossing], ants.evaporation, &ants);
    let expected = [0.25 * 0.9, 0.25 * 0.9, 0.25 * 0.9 + 0.1, 0.25 * 0.9];
    let pheromone = &graph.get(&decision.key).unwrap().pheromone;
    let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-12;
    assert!(pheromone.iter().zip(&expected).all(near), "{pheromone:?}, what was crossed twice counts once");
}

#[test]
fn desirability_is_equation_6() {
    let metrics = |occupancy: f64, hits: f64| -> Metrics {
        [("occupancy".to_owned(), occupancy), ("hits".to_owned(), hits)].into()
    };
    let mut seen = [OptionMetrics::default(), OptionMetrics::default(), OptionMetrics::default()];
    [(0.2, 0.4), (0.4, 0.4), (0.6, 0.4)].iter().for_each(|&(one, other)| seen[0].add(&metrics(one, other)));
    [(0.9, 0.8), (0.9, 0.8), (0.9, 0.8)].iter().for_each(|&(one, other)| seen[1].add(&metrics(one, other)));
    [(0.0, 0.0), (0.0, 0.0)].iter().for_each(|&(one, other)| seen[2].add(&metrics(one, other)));
    let found = desirability(seen.iter(), &metrics(0.7, 0.5));
    let deviation = (0.08_f64 / 3.0).sqrt();
    let low = ((0.4 - 0.7) / (deviation + 1.0) + (0.4 - 0.5)) / 2.0;
    let high = ((0.9 - 0.7) + (0.8 - 0.5)) / 2.0;
    let expected = [1.0 + low / high, 2.0, 1.0];
    for (one, other) in found.iter().zip(expected) {
        assert!(
            (one - other).abs() < 1e-12,
            "{found:?}, not {expected:?}; with two samples nothing is known"
        );
    }
    let worst = desirability(seen[..1].iter(), &metrics(0.7, 0.5));
    assert_eq!(worst, [0.01], "nothing is impossible");
}

#[test]
fn the_first_ants_choose_evenly_among_what_is_allowed() {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for seed in 0..300 {
        let paths = AntColony::new(seed).propose(&Few).unwrap();
        *counts.entry(paths[0][1].option).or_default() += 1;
    }
    assert!(counts.len() == 5 && counts.values().all(|&count| (35..=85).contains(&count)), "{counts:?}");
}
