//! Own variants beside those of CUB and cuSPARSE.

use std::collections::BTreeMap;

use nitro_learn::evaluate::LeaveOut;
use nitro_store::recordings::Recordings;

use super::evaluation::evaluate;
use super::{geometric_mean, mean};
use crate::Error;
use crate::figures::{Vendor, percent, rounded};
use crate::recordings::{shipped, with_vendor};

/// The functions that a library has too, each with the feature that tells the size of an input.
pub const FUNCTIONS: [(&str, &str); 3] =
    [("cuda_histogram", "pixel_count"), ("cuda_sort", "length"), ("cuda_spmv", "nonzeros")];
const DEVICE: &str = "cuda:0@nvidia-h200-140gb";
/// The largest inputs, of which a mean of their own is given.
const LARGEST: usize = 20;

/// What matrices that a collection has under a name of their own are as a kind.
const COLLECTION: &str = "of a collection";

/// One function beside the library.
///
/// # Errors
/// When there are no recordings of it.
pub fn vendor(function: &str, size: &str) -> Result<Vendor, Error> {
    let evaluation = evaluate(&with_vendor(function)?, LeaveOut::Device)?;
    let auto = |device: &nitro_learn::evaluate::DeviceEvaluation| Some(device.selectors.get("auto")?.mean);
    let auto: Vec<f64> = evaluation.devices.iter().filter_map(auto).collect();
    Ok(Vendor { auto: percent(mean(&auto)), ..times(function, size)? })
}

/// The times of one function beside the library's, without what a selector reaches.
///
/// # Errors
/// When there are no recordings of it.
pub fn times(function: &str, size: &str) -> Result<Vendor, Error> {
    let (all, own) = (with_vendor(function)?, shipped(function)?.variants);
    let ratios = ratios(&all, &own, size)?;
    let mut by_kind: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (kind, ratio) in &ratios {
        by_kind.entry(kind).or_default().push(*ratio);
    }
    let (kinds, single): (BTreeMap<_, _>, BTreeMap<_, _>) =
        by_kind.into_iter().partition(|(_, ratios)| ratios.len() > 1);
    let single: Vec<f64> = single.into_values().flatten().collect();
    let collection = (!single.is_empty()).then_some((COLLECTION, single));
    let joined = |(kind, ratios): (&str, Vec<f64>)| (kind.to_owned(), rounded(geometric_mean(&ratios)));
    let of_all: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    Ok(Vendor {
        auto: 0.0,
        inputs: of_all.len(),
        time_ratio: rounded(geometric_mean(&of_all)),
        largest: rounded(geometric_mean(&of_all[..LARGEST.min(of_all.len())])),
        by_kind: kinds.into_iter().chain(collection).map(joined).collect(),
    })
}

/// Of each input, the largest first, the kind, and the time of the best own variant over that of the best of the
/// library.
fn ratios(recordings: &Recordings, own: &[String], size: &str) -> Result<Vec<(String, f64)>, Error> {
    let device = recordings.device_index(DEVICE).ok_or("the H200 is not in the recordings")?;
    let size = recordings.feature_index(size).ok_or("the recordings lack the feature of size")?;
    let mut best = vec![[f64::INFINITY; 2]; recordings.inputs.len()];
    for one in recordings.measurements.iter().filter(|one| one.device == device) {
        let side = usize::from(!own.contains(&recordings.variants[one.variant]));
        let time_ns = one.outcome.time_ns().unwrap_or(f64::INFINITY);
        best[one.input][side] = best[one.input][side].min(time_ns);
    }
    let mut inputs: Vec<usize> = (0..best.len()).filter(|&input| best[input][1].is_finite()).collect();
    inputs.sort_by(|&a, &b| {
        recordings.inputs[b].features[size].total_cmp(&recordings.inputs[a].features[size])
    });
    let of_input = |&input: &usize| {
        let [own, library] = best[input];
        (kind(&recordings.inputs[input].name).to_owned(), own / library)
    };
    Ok(inputs.iter().map(of_input).collect())
}

/// `random` of `train/random-n1000-s1`.
fn kind(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('-').next().unwrap_or(name)
}
