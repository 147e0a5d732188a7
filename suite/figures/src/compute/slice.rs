//! What the shipped model gains by choosing otherwise on a part of a GPU.

use nitro_learn::evaluate::Chooser;
use nitro_store::recordings::Recordings;
use nitro_train::model::Model;

use super::geometric_mean;
use crate::Error;
use crate::figures::{Slice, rounded};
use crate::recordings::{models, shipped, with_vendor};

const FUNCTION: &str = "cuda_spmv";
const WHOLE: &str = "cuda:0@nvidia-h200-140gb";
const SLICE: &str = "cuda:0/16sm@nvidia-h200-140gb";

/// What the model chooses for a test matrix on one device, and the recorded time of every variant there.
struct Chosen {
    variant: usize,
    times_ns: Vec<Option<f64>>,
}

/// The test matrices for which the model's choices on the whole H200 and on 16 of its multiprocessors differ.
///
/// # Errors
/// When model and recordings do not belong together.
pub fn slice() -> Result<Slice, Error> {
    // The model may know the variants of libraries, which a program without the feature `vendor` passes over.
    let (recordings, own) = (with_vendor(FUNCTION)?, shipped(FUNCTION)?.variants);
    let model = Model::read(&models().join(FUNCTION).with_added_extension("model"))?;
    let (whole, slice) =
        (chosen(&recordings, &own, &model, WHOLE)?, chosen(&recordings, &own, &model, SLICE)?);
    let (mut on_whole, mut on_slice) = (Vec::new(), Vec::new());
    for (whole, slice) in whole.iter().zip(&slice).filter(|(whole, slice)| whole.variant != slice.variant) {
        on_whole.extend(ratio(&whole.times_ns, slice.variant, whole.variant));
        on_slice.extend(ratio(&slice.times_ns, whole.variant, slice.variant));
    }
    let differ = whole.iter().zip(&slice).filter(|(whole, slice)| whole.variant != slice.variant).count();
    Ok(Slice {
        matrices: whole.len(),
        differ,
        whole: rounded(geometric_mean(&on_whole)),
        slice: rounded(geometric_mean(&on_slice)),
    })
}

fn ratio(times_ns: &[Option<f64>], other: usize, own: usize) -> Option<f64> {
    Some(times_ns[other]? / times_ns[own]?)
}

fn chosen(
    recordings: &Recordings,
    variants: &[String],
    model: &Model,
    device: &str,
) -> Result<Vec<Chosen>, Error> {
    let device = recordings.device_index(device).ok_or("the device is not in the recordings")?;
    let chooser = Chooser::new(recordings, model, device)?;
    let mut times_ns = vec![vec![None; recordings.variants.len()]; recordings.inputs.len()];
    let is_own = |variant: usize| variants.contains(&recordings.variants[variant]);
    for one in recordings.measurements.iter().filter(|one| one.device == device && is_own(one.variant)) {
        times_ns[one.input][one.variant] = one.outcome.time_ns();
    }
    let choose = |(input, times_ns): (usize, Vec<Option<f64>>)| {
        let variant = chooser.choose(input, |variant| times_ns[variant].is_some())?;
        Some(Chosen { variant, times_ns })
    };
    let tests = times_ns.into_iter().enumerate();
    let tests = tests.filter(|(input, _)| recordings.inputs[*input].name.starts_with("test/"));
    Ok(tests.filter_map(choose).collect())
}
