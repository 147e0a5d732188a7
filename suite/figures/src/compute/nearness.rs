//! Test inputs that are almost training inputs.

use std::collections::BTreeSet;

use nitro_core::model::Scale;
use nitro_learn::evaluate::{Evaluation, Split};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::scaling::scale_of;
use nitro_store::recordings::Recordings;

use super::mean;
use crate::Error;

/// A hundredth of the range that the training inputs span, which is 2 long once it is scaled.
const NEAR: f64 = 0.02;

/// Returns the test inputs that differ from some training input by a hundredth of the training range at most, in every
/// feature, on the scale on which a selector sees it.
pub fn near(recordings: &Recordings) -> BTreeSet<usize> {
    let split = Split::by_name(recordings);
    let raw = |input: usize| &recordings.inputs[input].features;
    let column = |feature: usize| split.train.iter().map(|&input| raw(input)[feature]).collect::<Vec<_>>();
    let scales: Vec<Scale> =
        (0..recordings.features.len()).map(|feature| scale_of(&column(feature))).collect();
    let scaled = |input: usize| -> Vec<f64> {
        scales.iter().zip(raw(input)).map(|(scale, &value)| scale.apply(value)).collect()
    };
    let training: Vec<Vec<f64>> = split.train.iter().map(|&input| scaled(input)).collect();
    let is_near = |input: &usize| {
        let own = scaled(*input);
        training.iter().any(|other| own.iter().zip(other).all(|(a, b)| (a - b).abs() <= NEAR))
    };
    split.test.into_iter().filter(is_near).collect()
}

/// Returns the mean share of `auto` on the other test inputs, over the held-out devices.
///
/// # Errors
/// When the recordings have no device that was held out, or `auto` no shares there.
pub fn auto_without(
    recordings: &Recordings,
    evaluation: &Evaluation,
    near: &BTreeSet<usize>,
) -> Result<f64, Error> {
    let performance = PerformanceTable::new(recordings)?;
    let test = Split::by_name(recordings).test;
    let mut means = Vec::new();
    for held_out in &evaluation.devices {
        let device = recordings.device_index(&held_out.held_out).ok_or("no such device")?;
        let shares = held_out.shares.get("auto").ok_or("no shares of auto")?;
        // Shares stand in the order of the inputs, without those on which nothing succeeds.
        let judged = test.iter().filter(|&&input| performance.shares(device, input).is_some());
        let others = judged.zip(shares).filter(|(input, _)| !near.contains(input));
        means.push(mean(&others.map(|(_, &share)| share).collect::<Vec<_>>()));
    }
    Ok(mean(&means))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recordings::shipped;

    #[test]
    fn a_graph_of_another_seed_is_near_and_others_of_its_kind_are_not() {
        let recordings = shipped("cuda_spmv").unwrap();
        let near = near(&recordings);
        let names: Vec<&str> = near.iter().map(|&input| recordings.inputs[input].name.as_str()).collect();
        assert_eq!(names, ["test/rmat-n16-k20-s2", "test/rmat-n19-k20-s2", "test/rmat-n20-k8-s2"]);
    }

    #[test]
    fn an_input_that_is_the_same_but_for_one_feature_is_not_near() {
        let mut recordings = shipped("cuda_spmv").unwrap();
        let input = recordings.input_index("test/rmat-n16-k20-s2").unwrap();
        let nonzeros = recordings.feature_index("nonzeros").unwrap();
        recordings.inputs[input].features[nonzeros] *= 2.0;
        assert!(!near(&recordings).contains(&input));
    }
}
