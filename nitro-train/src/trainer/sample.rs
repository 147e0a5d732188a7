//! A sample of what is recorded, measured again.
//!
//! It shows what no digest does: a variant whose body has changed, and a new compiler, driver or clock.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nitro_core::provide::OpenDevice;
use nitro_store::printable::{printable, sentence};
use nitro_store::recordings::{Meanings, Outcome, Recordings};
use nitro_store::store::{self, Store};

use super::builder::Trainer;
use super::doubtful::pattern;
use super::error::TrainError;
use super::record_request::RecordRequest;
use super::recorder::Recorder;
use super::sample_choice::{Sample, Times};
use super::sample_result::{DeviceSample, Remeasured, VariantName};
use super::tunable::Tunable;
use crate::measure::{Candidate, Clock, FailedInputs, Plan, RecordError, RecordedInputs, Share, SystemClock};
use crate::worker::{self, EndedSample};

/// The time beyond what it may take after which the rest of a sample is left out.
///
/// A body may have become slower than was expected.
const GRACE: Duration = Duration::from_secs(10);
/// A sample that is expected to take longer is announced.
const LONG_NS: f64 = 5e9;

/// The samples of the functions that were recorded on one device.
pub(super) struct DeviceSamples<'t> {
    /// The device as the request names it.
    device: String,
    samples: Vec<(&'t Tunable, Sample)>,
}

impl<'t> DeviceSamples<'t> {
    /// Creates the samples of a device, none yet.
    pub(super) fn new(device: &str) -> Self {
        Self { device: device.to_owned(), samples: Vec::new() }
    }

    /// Adds the sample of a function that was recorded, if it has one.
    pub(super) fn add(&mut self, tunable: &'t Tunable, sample: Option<Sample>) {
        self.samples.extend(sample.map(|sample| (tunable, sample)));
    }
}

/// Chooses what of a function to measure again on a device, before it is recorded.
///
/// It is chosen of what the store has by then, and will not be measured anyway. None where there is nothing.
pub(super) fn choose(
    request: &RecordRequest,
    tunable: &Tunable,
    device: &dyn OpenDevice,
    plan: &Plan<'_>,
    store: &mut dyn Store,
) -> Result<Option<Sample>, TrainError> {
    let (function, id) = (tunable.function, device.entry().id());
    if request.sample.inputs == 0 || !worker::takes_samples() || request.feature_times_only {
        return Ok(None);
    }
    if !store.functions()?.iter().any(|one| one == function.name()) {
        return Ok(None);
    }
    let mut candidates = plan.candidates.clone().unwrap_or_else(|| Candidate::all(function));
    let names: Vec<_> = candidates.iter().map(Candidate::name).collect();
    let mut inputs = store.recorded(function.name(), id, &names)?;
    keep_offered(&mut inputs, &plan.inputs.names());
    if inputs.is_empty() {
        return Ok(None);
    }
    let recordings = store.load(function.name())?;
    // Variants that are declared otherwise are measured again anyway, and a feature that is says nothing of its input.
    let (declared, known) = (Meanings::of(function), &recordings.meanings);
    let variants: BTreeSet<&str> = declared.changed_variants(known).collect();
    candidates.retain(|own| !variants.contains(own.variant));
    let features: Vec<&str> = declared.changed_features(known).collect();
    let times =
        Times { function, candidates: &candidates, recordings: &recordings, device: id, inputs: &inputs };
    let sample = Sample::choose(&times, &request.sample, &request.repeats, request.max_inputs);
    Ok(sample.map(|sample| sample.without_features(&features)))
}

/// Leaves the inputs that the closure is offered. Where it is offered none of them, it makes its own.
fn keep_offered(inputs: &mut BTreeSet<String>, offered: &[String]) {
    let offered: BTreeSet<String> = offered.iter().filter(|name| inputs.contains(*name)).cloned().collect();
    if !offered.is_empty() {
        *inputs = offered;
    }
}

impl Trainer {
    /// Measures the samples, after everything else, and tells the observer what does not hold any more.
    ///
    /// What they break, by a variant that ends the process, costs nothing that was to be recorded.
    pub(super) fn measure_samples(
        &self,
        request: &RecordRequest,
        all: Vec<DeviceSamples<'_>>,
    ) -> Vec<DeviceSample> {
        let mut results = Vec::new();
        for samples in all.iter().filter(|own| !own.samples.is_empty()) {
            match self.measure_on(request, samples) {
                Ok((result, is_device_lost)) => {
                    self.tell_of_sample(request, &result);
                    results.push(result);
                    if is_device_lost {
                        break; // this process has no devices any more
                    }
                }
                Err(error) => {
                    let (device, why) = (&samples.device, printable(&sentence(&error)).into_owned());
                    self.tell(format!("what is recorded on {device} could not be measured again: {why}"));
                }
            }
        }
        results
    }

    /// Measures the samples of one device; also returns whether the device was lost.
    fn measure_on(
        &self,
        request: &RecordRequest,
        DeviceSamples { device: name, samples }: &DeviceSamples<'_>,
    ) -> Result<(DeviceSample, bool), TrainError> {
        let device = self.open_device(name)?;
        let (mut remeasured, mut failed_inputs, mut is_lost) = (Vec::new(), BTreeMap::new(), false);
        for (tunable, sample) in samples {
            let measured = measure(&self.recorder(tunable, name, &*device), request, sample)?;
            remeasured.extend(measured.remeasured);
            if !measured.failed.is_empty() {
                failed_inputs.insert(tunable.name().to_owned(), measured.failed);
            }
            is_lost = measured.is_device_lost;
            if is_lost {
                break;
            }
        }
        Ok((DeviceSample::new(name, &remeasured, failed_inputs), is_lost))
    }

    /// Says what does not hold any more, and what to do.
    fn tell_of_sample(&self, request: &RecordRequest, sample: &DeviceSample) {
        let device = &sample.device;
        if let Some(shift) = &sample.shift {
            let mut command = "record --again".to_owned();
            request.data.functions.iter().for_each(|function| command += &format!(" --function {function}"));
            command += &device_option(request, device);
            self.tell(format!("on {device} {shift}: compiler, driver, clock or load changed: `{command}`"));
        }
        for changed in &sample.changed {
            let VariantName { function, variant } = &changed.name;
            let mut command = "record --again".to_owned();
            if self.functions().filter(|own| own.variant_named(variant).is_some()).count() > 1 {
                command += &format!(" --function {function}");
            }
            command += &format!(" --variant {variant}{}", device_option(request, device));
            self.tell(format!("{function} on {device}: {}: `{command}`", printable(&changed.to_string())));
        }
        for (function, failed) in &sample.failed_inputs {
            for (input, why) in failed {
                let (input, why) = (printable(input), printable(why));
                self.tell(format!(
                    "{function} on {device}: input `{input}`, which is recorded, cannot be measured any more: {why}"
                ));
            }
        }
    }
}

/// Returns the option that names the device again, where the request has named one or a regime.
fn device_option(request: &RecordRequest, device: &str) -> String {
    if request.devices.is_empty() && request.regime.is_none() {
        String::new()
    } else {
        format!(" --device {device}")
    }
}

/// The measurements of the sample of one function.
struct MeasuredSample {
    remeasured: Vec<Remeasured>,
    failed: FailedInputs,
    is_device_lost: bool,
}

/// Measures the sample of one function, into a store of its own.
fn measure(
    recorder: &Recorder<'_>,
    request: &RecordRequest,
    sample: &Sample,
) -> Result<MeasuredSample, TrainError> {
    let function = recorder.tunable.function;
    let (mut sample, mut remeasured) = (sample.clone(), Vec::new());
    let default = Candidate::of(function, function.default_choice()).variant;
    for EndedSample { variant, input, why } in
        worker::ended_samples(function.name(), recorder.device.entry().id())
    {
        // Without the default variant nothing of the function can be measured.
        sample.candidates.retain(|own| variant != default && own.variant != variant);
        let name = VariantName { function: function.name().to_owned(), variant };
        remeasured.push(Remeasured { name, input, now: Err(why) });
    }
    // What ended a worker before this one is not tried again.
    let nothing = MeasuredSample { remeasured, failed: FailedInputs::new(), is_device_lost: false };
    if sample.candidates.is_empty() {
        return Ok(nothing);
    }
    if sample.expected_ns > LONG_NS {
        let (inputs, seconds) = (sample.inputs.len(), (sample.expected_ns / 1e9).ceil());
        recorder.say(&format!(
            "measuring {inputs} recorded inputs again, about {seconds} s, to see whether their times still hold"
        ));
    }
    let plan =
        Plan::new(recorder.tunable.inputs(request.inputs.as_deref()), sample.repeats, Share::default());
    let plan = Plan {
        only: Some(sample.inputs.clone()),
        candidates: Some(sample.candidates.clone()),
        until: Some(SystemClock.now() + Duration::from_nanos(sample.most_ns as u64) + GRACE),
        ..plan
    };
    let mut own = store::memory()?;
    let (failed, is_device_lost) = match recorder.measure_sample(&plan, &mut *own) {
        Ok(RecordedInputs { failed, .. }) => (failed, false),
        Err(RecordError::DeviceLost { .. }) => (FailedInputs::new(), true),
        Err(error) => {
            let why = printable(&sentence(&error)).into_owned();
            recorder.say(&format!("what is recorded could not be measured again: {why}"));
            (FailedInputs::new(), false)
        }
    };
    let mut failed: FailedInputs =
        failed.into_iter().filter(|(input, _)| sample.inputs.contains(input)).collect();
    let mut remeasured = nothing.remeasured;
    if own.functions()?.iter().any(|name| name == function.name()) {
        let now = own.load(function.name())?;
        let others = other_inputs(function.name(), &sample, &now);
        remeasured.extend(compared(function.name(), &sample, &now));
        // Times of two inputs tell nothing of variants.
        remeasured.retain(|one| !others.contains_key(&one.input));
        failed.extend(others);
    }
    Ok(MeasuredSample { remeasured, failed, is_device_lost })
}

/// Returns the inputs that have other features than those that are recorded under their names, and what to do.
fn other_inputs(function: &str, sample: &Sample, now: &Recordings) -> FailedInputs {
    let changed = (0..now.inputs.len()).filter_map(|at| {
        let (feature, then, value) = sample.changed_feature(now, at)?;
        let name = now.inputs[at].name.clone();
        let input = pattern(&[&name]).map(|pattern| format!(" --input '{pattern}'")).unwrap_or_default();
        let why = format!(
            "it is another input now, whose feature `{feature}` is {value} and not {then}; \
             name it otherwise, or `forget --function {function}{input}` and record it"
        );
        Some((name, why))
    });
    changed.collect()
}

/// Returns the new measurements, each beside what was recorded.
fn compared(function: &str, sample: &Sample, now: &Recordings) -> Vec<Remeasured> {
    let mut all = Vec::new();
    for row in &now.measurements {
        let (variant, input) = (&now.variants[row.variant], &now.inputs[row.input].name);
        let Some(then) = sample.recorded(variant, input) else { continue };
        let now = match row.outcome {
            // Times under the load of others say nothing of the code.
            _ if row.is_doubtful() => continue,
            // When the time for the sample is over what was begun is not repeated, and tells little.
            Outcome::Time(time_ns) if !sample.is_settled(time_ns, row.repeats) => continue,
            Outcome::Time(time_ns) => Ok(then.change_to(time_ns, row.spread_ns)),
            Outcome::Inadmissible => Err("is not admitted by its constraint".to_owned()),
            Outcome::Failed | Outcome::Wrong => Err(row.reason.clone()),
        };
        let name = VariantName { function: function.to_owned(), variant: variant.clone() };
        all.push(Remeasured { name, input: input.clone(), now });
    }
    all
}
