//! Own variants beside those of CUB and cuSPARSE.

use std::collections::BTreeMap;

use nitro_train::evaluate::LeaveOut;
use nitro_train::recordings::Recordings;

use super::evaluation::evaluate;
use super::{geometric_mean, mean};
use crate::Error;
use crate::figures::{Vendor, percent, rounded};
use crate::recordings::{shipped, with_vendor};

/// The functions that a library has too, each with the feature that says how large an input is.
pub const FUNCTIONS: [(&str, &str); 3] =
    [("cuda_histogram", "pixel_count"), ("cuda_sort", "length"), ("cuda_spmv", "nonzeros")];
const DEVICE: &str = "cuda:0@nvidia-h200-140gb";
/// Inputs that are compared.
const LARGEST: usize = 20;

/// One function beside the library.
///
/// # Errors
/// When there are no recordings of it.
pub fn vendor(function: &str, size: &str) -> Result<Vendor, Error> {
    let (all, own) = (with_vendor(function)?, shipped(function)?.variants);
    let evaluation = evaluate(&all, LeaveOut::Device)?;
    let auto = |device: &nitro_train::evaluate::DeviceEvaluation| Some(device.selectors.get("auto")?.mean);
    let auto: Vec<f64> = evaluation.devices.iter().filter_map(auto).collect();
    let ratios = ratios(&all, &own, size)?;
    let mut by_kind: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (kind, ratio) in &ratios {
        by_kind.entry(kind.clone()).or_default().push(*ratio);
    }
    let joined = |(kind, ratios): (String, Vec<f64>)| (kind, rounded(geometric_mean(&ratios)));
    Ok(Vendor {
        auto: percent(mean(&auto)),
        time_ratio: rounded(geometric_mean(&ratios.iter().map(|(_, ratio)| *ratio).collect::<Vec<_>>())),
        by_kind: by_kind.into_iter().map(joined).collect(),
    })
}

/// Of the largest inputs the kind, and the time of the best own variant over that of the best of the library.
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
    Ok(inputs.iter().take(LARGEST).map(of_input).collect())
}

/// `random` of `train/random-n1000-s1`.
fn kind(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('-').next().unwrap_or(name)
}
