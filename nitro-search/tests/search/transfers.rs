//! What other devices measured helps where it is right, and does little harm where it is wrong.

use std::sync::Arc;

use nitro_search::{
    Candidate, Evaluation, Failure, Figures, Parameter, Replay, Source, Sources, Space, Strategy,
};

/// A family of devices: where the optimum is moves with the device, and how much each parameter matters is the same
/// for all.
fn time_ns(space: &Space, candidate: Candidate, device: f64) -> Evaluation {
    let row: Vec<f64> = space.configuration(candidate).iter().map(|&value| f64::from(value)).collect();
    if row[0] + row[1] > 12.0 + device {
        return Evaluation::Failed(Failure::Launch);
    }
    let far =
        (row[0] - 4.0 - device).powi(2) + 0.3 * (row[1] - 5.0 + device).powi(2) + 2.0 * (row[2] - 1.0).abs();
    Evaluation::TimeNs(100.0 * (1.0 + 0.2 * far + 0.05 * (candidate.index() * 7919 % 97) as f64 / 97.0))
}

fn space() -> Arc<Space> {
    let size = |name: &str, count: i32| Parameter::linear(name, (0..count).map(f64::from));
    Arc::new(
        Space::constrained(vec![size("a", 10), size("b", 10), size("c", 4), size("d", 3)], vec![]).unwrap(),
    )
}

fn source(space: &Space, device: f64, measured: impl Fn(usize) -> bool) -> Source {
    let evaluation =
        |candidate: Candidate| measured(candidate.index()).then(|| time_ns(space, candidate, device));
    Source {
        device: device.to_string(),
        evaluations: space.candidates().map(evaluation).collect(),
        features: vec![device],
    }
}

fn figures(strategy: Strategy, device: f64, sources: Vec<Source>) -> Figures {
    let space = space();
    let replay =
        Replay::new(space.clone(), space.candidates().map(|own| time_ns(&space, own, device)).collect());
    let sources = Sources { devices: sources, features: vec![device] };
    replay.figures(strategy, &Arc::new(sources), 50, 4)
}

#[test]
fn the_first_candidates_are_those_that_others_found_fast() {
    let space = space();
    let devices = || [0.0, 1.0, 3.0].map(|device| source(&space, device, |_| true)).to_vec();
    let (random, model) = (figures(Strategy::Random, 2.0, vec![]), figures(Strategy::Model, 2.0, vec![]));
    let transfer = figures(Strategy::Transfer, 2.0, devices());
    assert!(transfer.best_after[&5] > 0.9, "{transfer:?}");
    assert!(transfer.best_after[&5] > random.best_after[&20], "{transfer:?} {random:?}");
    assert!(transfer.best_after[&10] > model.best_after[&10], "{transfer:?} {model:?}");
    assert!(model.best_after[&50] > random.best_after[&50] + 0.05, "{model:?} {random:?}");
}

#[test]
fn it_serves_with_one_source_with_parts_of_sources_and_with_none() {
    let space = space();
    let random = figures(Strategy::Random, 2.0, vec![]);
    let one = figures(Strategy::Transfer, 2.0, vec![source(&space, 1.5, |_| true)]);
    assert!(one.best_after[&10] > random.best_after[&20], "{one:?} {random:?}");
    let parts = [(1.0, 0), (1.5, 1), (3.0, 2)];
    let parts =
        parts.map(|(device, rest)| source(&space, device, move |at| at * 7919 % 101 % 5 == rest)).to_vec();
    let partial = figures(Strategy::Transfer, 2.0, parts);
    assert!(partial.best_after[&10] > random.best_after[&20], "{partial:?} {random:?}");
    let (none, model) = (figures(Strategy::Transfer, 2.0, vec![]), figures(Strategy::Model, 2.0, vec![]));
    assert_eq!((none.best_after, none.evaluations_to_95), (model.best_after, model.evaluations_to_95));
    let unlike = Source { device: "other".into(), evaluations: vec![None; 3], features: vec![] };
    assert_eq!(figures(Strategy::Transfer, 2.0, vec![unlike]).evaluations_to_95, model.evaluations_to_95);
}

#[test]
fn where_sources_mislead_it_falls_back() {
    let space = space();
    // On the sources what is fast here is slow, and the reverse.
    let reversed = |device: f64| {
        let mut source = source(&space, device, |_| true);
        for evaluation in source.evaluations.iter_mut().flatten() {
            if let Evaluation::TimeNs(time_ns) = evaluation {
                *time_ns = 1e5 / *time_ns;
            }
        }
        source
    };
    let misled = figures(Strategy::Transfer, 2.0, [1.5, 2.0, 2.5].map(reversed).to_vec());
    let random = figures(Strategy::Random, 2.0, vec![]);
    let model = figures(Strategy::Model, 2.0, vec![]);
    assert!(misled.best_after[&50] > random.best_after[&50], "{misled:?} {random:?}");
    assert!(misled.best_after[&50] > model.best_after[&50] - 0.05, "{misled:?} {model:?}");
}

#[test]
fn a_peak_that_is_a_lower_one_elsewhere_is_looked_at() {
    let size = |name: &str| Parameter::linear(name, (0..16).map(f64::from));
    let space = Arc::new(
        Space::constrained(vec![size("a"), size("b"), size("c"), Parameter::bool("d")], vec![]).unwrap(),
    );
    // A wide peak, and narrow ones: on the sources the wide one is the highest, here one of the others.
    let times = |narrow_ns: [f64; 3]| -> Vec<f64> {
        let time_ns = |candidate: Candidate| {
            let row: Vec<f64> =
                space.configuration(candidate).iter().map(|&value| f64::from(value)).collect();
            let far = |at: f64, d: f64| {
                row[..3].iter().map(|own| (own - at).powi(2)).sum::<f64>() + 9.0 * (row[3] - d).abs()
            };
            let narrow = [(7.0, 1.0), (10.0, 0.0), (13.0, 1.0)].iter().zip(narrow_ns);
            let narrow = narrow.map(|(&(at, d), time_ns)| time_ns * (1.0 + far(at, d)));
            narrow.fold(100.0 * (1.0 + 0.02 * far(3.0, 0.0)), f64::min)
        };
        space.candidates().map(time_ns).collect()
    };
    let source = |narrow_ns: [f64; 3]| Source {
        device: format!("{narrow_ns:?}"),
        evaluations: times(narrow_ns).into_iter().map(|time| Some(Evaluation::TimeNs(time))).collect(),
        features: vec![],
    };
    let devices = vec![source([130.0, 140.0, 160.0]), source([120.0, 130.0, 170.0])];
    let sources = Arc::new(Sources { devices, features: vec![] });
    let replay =
        Replay::new(space.clone(), times([110.0, 120.0, 50.0]).into_iter().map(Evaluation::TimeNs).collect());
    let transfer = replay.figures(Strategy::Transfer, &sources, 20, 4);
    assert_eq!(transfer.best_after[&20], 1.0, "{transfer:?}");
}
