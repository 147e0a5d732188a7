//! The learner as a whole: from measurements to what the run time chooses.

use nitro_core::model::Selector;
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

use super::leaf::Leaf;
use super::line::Method;
use super::pieces::{Piece, pieces};
use super::questions::Row;
use super::space::Space;
use crate::performance::PerformanceTable;
use crate::task::Task;
use crate::{FitOptions, fit};

const BLOCKS: [u32; 4] = [64, 128, 256, 512];

/// One device; of each input the block that is best, all others a factor per step away slower, and `plain`, which
/// is slower still.
fn recordings(features: &[&str], inputs: &[(Vec<f64>, u32)]) -> Recordings {
    let row = |input: usize, variant: usize, configuration: String, time_ns: f64| Measurement {
        device: 0,
        input,
        variant,
        configuration,
        outcome: Outcome::Time(time_ns),
        spread_ns: 0.0,
        repeats: 1,
        load: None,
        reason: String::new(),
    };
    let of_input = |(input, (_, best)): (usize, &(Vec<f64>, u32))| {
        let steps = |block: u32| (f64::from(block).log2() - f64::from(*best).log2()).abs();
        let blocks =
            BLOCKS.map(|block| row(input, 0, format!("block={block}"), 1e6 * (1.0 + 0.3 * steps(block))));
        blocks.into_iter().chain([row(input, 1, String::new(), 9e6)]).collect::<Vec<_>>()
    };
    let named = |(at, (features, _)): (usize, &(Vec<f64>, u32))| Input {
        name: format!("train/{at}"),
        features: features.clone(),
    };
    Recordings {
        function: "f".into(),
        variants: vec!["tiled".into(), "plain".into()],
        features: features.iter().map(|&name| name.to_owned()).collect(),
        inputs: inputs.iter().enumerate().map(named).collect(),
        devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
        measurements: inputs.iter().enumerate().flat_map(of_input).collect(),
        ..Recordings::default()
    }
}

fn fitted(recordings: &Recordings, strategy: &str) -> nitro_core::model::Model {
    let strategies = vec![strategy.parse().unwrap()];
    fit(recordings, &FitOptions { strategies, ..FitOptions::default() }).unwrap().model
}

/// Sizes from 2^10 on, of each two, whose best block doubles every four.
fn staircase() -> Vec<(Vec<f64>, u32)> {
    (0..16).map(|n| (vec![1024.0 * 2f64.powi(n)], BLOCKS[n as usize / 4])).collect()
}

#[test]
fn what_is_best_is_learned_and_read_by_the_run_time() {
    let recordings = recordings(&["size"], &staircase());
    for strategy in ["tree-none", "tree-lms-none"] {
        let model = fitted(&recordings, strategy);
        assert_eq!(model.provenance.strategy, strategy);
        let Selector::Forest(forest) = &model.selector else { panic!("{:?}", model.selector) };
        assert_eq!(forest.trees(), 1);
        let model = nitro_core::model::Model::from_bytes(&model.to_bytes()).unwrap();
        for (features, best) in staircase() {
            let chosen = &model.choices[model.rank(&features, &[])[0]];
            assert_eq!(*chosen, format!("tiled{{block={best}}}"), "{features:?} by {strategy}");
        }
        // Beyond the training inputs as at their ends.
        let far = |size: f64| model.choices[model.rank(&[size], &[])[0]].clone();
        assert_eq!((far(1.0), far(1e12)), ("tiled{block=64}".into(), "tiled{block=512}".into()));
    }
}

#[test]
fn nothing_is_chosen_that_was_best_nowhere() {
    let inputs: Vec<_> =
        staircase().into_iter().map(|(size, block)| (size, if block < 256 { 64 } else { 512 })).collect();
    let model = fitted(&recordings(&["size"], &inputs), "tree-none");
    for exponent in 0..400 {
        let ranked = model.rank(&[1.1f64.powi(exponent)], &[]);
        let chosen = &model.choices[ranked[0]];
        assert!(["tiled{block=64}", "tiled{block=512}"].contains(&chosen.as_str()), "{chosen}");
        assert_eq!(ranked.len(), model.choices.len(), "the others follow, for what is not admissible");
    }
}

/// Returns the share of the places of a grid where the pieces choose as the lines do.
fn agreement(leaf: &Leaf, space: &Space, columns: usize) -> f64 {
    let Leaf::Lines(lines) = leaf else { panic!("the rows do not agree") };
    let piece = pieces(lines, space, &vec![(-1.0, 1.0); columns]);
    let steps = 61usize;
    let places: Vec<Vec<f64>> = (0..steps.pow(columns as u32))
        .map(|n| (0..columns).map(|c| (n / steps.pow(c as u32) % steps) as f64 / 30.03 - 0.999).collect())
        .collect();
    let same = places.iter().filter(|place| leaf.choice(space, place) == chosen(&piece, place)).count();
    same as f64 / places.len() as f64
}

fn chosen(piece: &Piece, place: &[f64]) -> usize {
    match piece {
        Piece::Choice(class) => *class,
        Piece::Cut { column, at, lower, upper } => {
            chosen(if place[*column] > *at { upper } else { lower }, place)
        }
    }
}

/// A leaf of places whose best choice goes up with the sum of the features, the first weighing twice as much.
fn leaf(columns: usize) -> (Leaf, Space) {
    let recordings = recordings(&["x"], &staircase());
    let performance = PerformanceTable::new(&recordings).unwrap();
    let task = Task::new(&recordings, &performance, &(0..16).collect::<Vec<_>>(), 0);
    let space = Space::new(&task);
    let label = |block: usize| {
        task.performance.classes().index(&format!("tiled{{block={}}}", BLOCKS[block])).unwrap()
    };
    let row = |n: usize| {
        let features: Vec<f64> = (0..columns).map(|c| ((n * (c * 6 + 1)) % 17) as f64 / 8.0 - 1.0).collect();
        let sum: f64 = features.iter().enumerate().map(|(c, x)| x * if c == 0 { 2.0 } else { 1.0 }).sum();
        let share = (sum / (columns as f64 + 1.0) + 1.0) / 2.0;
        let raw = features.iter().map(|&value| value as f32).collect();
        Row {
            features,
            raw,
            label: label((share * 3.0).round().clamp(0.0, 3.0) as usize),
            losses: vec![Some(0.0); 5],
        }
    };
    let rows: Vec<Row> = (0..17).map(row).collect();
    let candidates: Vec<usize> = (0..4).map(label).collect();
    (Leaf::new(Method::ClosedForm, &space, &rows.iter().collect::<Vec<_>>(), &candidates), space)
}

#[test]
fn pieces_along_one_feature_are_what_the_lines_choose() {
    let (leaf, space) = leaf(1);
    assert_eq!(agreement(&leaf, &space, 1), 1.0);
}

#[test]
fn pieces_of_two_features_are_nearly_what_the_lines_choose() {
    let (leaf, space) = leaf(2);
    let share = agreement(&leaf, &space, 2);
    assert!(share > 0.95 && share < 1.0, "{share}");
}

#[test]
fn few_rows_are_decided_by_majority() {
    let inputs =
        vec![(vec![1.0, 5.0], 64), (vec![1.0, 5.0], 64), (vec![1.0, 5.0], 512), (vec![1e6, 5.0], 512)];
    let model = fitted(&recordings(&["size", "same"], &inputs), "tree-none");
    assert_eq!(model.choices[model.rank(&[1.0], &[])[0]], "tiled{block=64}");
    assert_eq!(model.choices[model.rank(&[1e6], &[])[0]], "tiled{block=512}");
}

#[test]
fn it_is_asked_for_by_name_and_auto_does_not_try_it() {
    use crate::Strategy;
    assert!(Strategy::all().all(|strategy| !strategy.name().starts_with("tree")));
    let on_request: Vec<_> =
        Strategy::known().filter(|own| own.learner_name() == "tree").map(Strategy::name).collect();
    assert_eq!(on_request, ["tree-none", "tree-profile", "tree-cross-validation", "tree-all"]);
    let fitted = fit(&recordings(&["size"], &staircase()), &FitOptions::default()).unwrap();
    assert!(fitted.scores.iter().all(|(strategy, _)| !strategy.name().starts_with("tree")));
}

#[test]
fn choices_that_are_as_good_get_one_label() {
    let row = |losses: [f64; 3], label| Row {
        features: vec![],
        raw: vec![],
        label,
        losses: losses.map(Some).to_vec(),
    };
    let mut rows = [row([0.0, 0.005, 0.5], 0), row([0.3, 0.0, 0.5], 1), row([0.3, 0.4, 0.0], 2)];
    super::relabel(&mut rows);
    assert_eq!(
        rows.map(|row| row.label),
        [1, 1, 2],
        "the second is as good as the first there, and loses less in all"
    );
}
