//! The recording of this machine's devices into the store.

use nitro_core::Function;
use nitro_store::printable::sentence;
use nitro_store::store::SharedStore;
use serde::Serialize;

use super::active_record::record_within;
use super::builder::Trainer;
use super::devices::all_in_regime;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::record_request::RecordRequest;
use super::recorder::{FailedRecording, Recorded, Recorder};
use super::sample::{self, DeviceSamples};
use super::sample_choice::Sample;
use super::sample_result::DeviceSample;
use super::tunable::Tunable;
use crate::measure::{Candidate, MAX_CONFIGURATIONS, Plan, is_sampled};

/// The result of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RecordSummary {
    /// The recorded functions, in their order.
    pub recorded: Vec<Recorded>,
    /// The functions whose recording ended early, each with its device.
    pub failed: Vec<FailedRecording>,
    /// The samples of what was recorded before, one for each device that had any.
    pub samples: Vec<DeviceSample>,
}

impl RecordSummary {
    /// Takes what came of one function on one device. Where that failed, the first such error is kept.
    ///
    /// # Errors
    /// When nothing more can be recorded by this process.
    pub(super) fn take(
        &mut self,
        recorder: &Recorder<'_>,
        ended: Result<Recorded, TrainError>,
        first_error: &mut Option<TrainError>,
    ) -> Result<(), TrainError> {
        match ended {
            Ok(recorded) => self.recorded.push(recorded),
            Err(error) if error.ends_the_process() => return Err(error),
            Err(error) => {
                self.failed.push(recorder.failed(&error, "recorded"));
                first_error.get_or_insert(error);
            }
        }
        Ok(())
    }

    /// Returns the summary, unless nothing succeeded: then the first error.
    pub(super) fn or_first(self, error: Option<TrainError>) -> Result<Self, TrainError> {
        match error {
            Some(error) if self.recorded.is_empty() => Err(error),
            _ => Ok(self),
        }
    }
}

impl Trainer {
    /// Measures every admissible variant on every input, and keeps that in the store. What the store holds already
    /// is skipped, so a stopped recording goes on where it was. In the end [a sample](RecordRequest::sample) of
    /// what it held is measured again, into no store, to see whether that still holds.
    ///
    /// Everything runs in this process. A variant that ends it, or never ends, does so to the caller. What a panic
    /// leaves behind, such as a poisoned lock, may fail what is measured after it. [`main`](Self::main) measures in
    /// processes of their own, and goes on in a fresh one after a panic.
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = keys.len()),
    /// #         variants(stable, unstable), default = stable, crate = nitro)]
    /// #     pub fn sort(keys: &mut [u32]);
    /// #     fn stable(keys: &mut [u32]) { keys.sort() }
    /// #     fn unstable(keys: &mut [u32]) { keys.sort_unstable() }
    /// # }
    /// # use app::sort;
    /// use nitro_train::measure::Repeats;
    /// use nitro_train::{DataRequest, RecordRequest, Trainer};
    ///
    /// let trainer = Trainer::new().function(sort::function(), |session| {
    ///     for length in [10, 100] {
    ///         session.input(&format!("reversed-{length}"), || sort(&mut (0..length).rev().collect::<Vec<_>>()))?;
    ///     }
    ///     Ok(())
    /// });
    /// let folder = tempfile::tempdir()?;
    /// let store = folder.path().join("my.db").display().to_string();
    /// let summary = trainer.record(&RecordRequest {
    ///     data: DataRequest { store: Some(store), ..DataRequest::default() },
    ///     devices: vec!["host:1".into()],
    ///     repeats: Repeats { budget_ns: 1e6, ..Repeats::default() },
    ///     ..RecordRequest::default()
    /// })?;
    /// assert_eq!(summary.recorded[0].inputs, 2);
    /// assert!(summary.recorded[0].faults.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a name is that of no function or device, two functions have one name, a function does not run on a device
    /// that was named with it, or the store cannot be written. Where one function fails, since its closure does beside
    /// its inputs or these cannot be read, the others are recorded, and it is among [`RecordSummary::failed`]; where
    /// all do, the first failure is the error. [`TrainError::is_device_loss`] when a variant took the device away from
    /// this process: a fresh one goes on.
    pub fn record(&self, request: &RecordRequest) -> Result<RecordSummary, TrainError> {
        let mut store = LayeredStore::open(self, &request.data)?;
        let (mut summary, mut samples) = (RecordSummary::default(), Vec::new());
        let (mut unmatched, mut first_error) = (None, None);
        for name in all_in_regime(&request.devices, request.regime)? {
            let device = self.open_device(&name)?;
            let mut own_samples = DeviceSamples::new(&name);
            for tunable in self.wanted_on(&request.data.functions, &name)? {
                let recorder = self.recorder(tunable, &name, &*device);
                let (recorded, sample) = match self.record_one(request, &recorder, &mut store) {
                    Ok(None) => continue,
                    // A folder need not have inputs for functions that nobody named.
                    Err(error) if request.data.functions.is_empty() && error.is_of_no_match() => {
                        self.tell(format!("passed over: {}", sentence(&error)));
                        unmatched.get_or_insert(error);
                        continue;
                    }
                    Ok(Some((recorded, sample))) => (Ok(recorded), sample),
                    Err(error) => (Err(error), None),
                };
                own_samples.add(tunable, sample);
                summary.take(&recorder, recorded, &mut first_error)?;
            }
            samples.push(own_samples);
        }
        summary.samples = self.measure_samples(request, samples);
        match unmatched {
            Some(error) if summary.recorded.is_empty() && summary.failed.is_empty() => Err(error),
            _ => summary.or_first(first_error),
        }
    }

    /// Records one function on one device, and chooses what to measure again of what was recorded before. None where
    /// nothing of the function is asked for.
    fn record_one(
        &self,
        request: &RecordRequest,
        recorder: &Recorder<'_>,
        store: &mut LayeredStore<'_>,
    ) -> Result<Option<(Recorded, Option<Sample>)>, TrainError> {
        let tunable = recorder.tunable;
        self.tell_of_samples(tunable);
        let plan =
            Plan::new(tunable.inputs(request.inputs.as_deref()), request.repeats, request.share.clone());
        let candidates = store.candidates(tunable.function)?;
        let plan = Plan { feature_times_only: request.feature_times_only, candidates, ..plan };
        let store = store.writable()?;
        // Before it is recorded: afterwards nothing tells what was there.
        let sample = sample::choose(request, tunable, recorder.device, &plan, store)?;
        let Some(plan) = again(request, tunable.function, plan, store)? else { return Ok(None) };
        let inputs = match request.max_inputs {
            None => recorder.record(&plan, store),
            Some(most) => record_within(recorder, &plan, store, most),
        };
        Ok(Some((recorder.summary(inputs?, store)?, sample)))
    }

    /// Says of which variants not all configurations are tried.
    fn tell_of_samples(&self, tunable: &Tunable) {
        for variant in tunable.function.variants().iter().filter(|variant| is_sampled(variant)) {
            let (function, name) = (tunable.name(), variant.name());
            let all = variant.parameters().configurations();
            self.tell(format!(
                "{function}: of the {all} configurations of `{name}` the default and others drawn at random are \
                 measured, {MAX_CONFIGURATIONS} in all"
            ));
        }
    }
}

/// Returns the plan for what was recorded before alone, if that is asked for. None where the function has nothing of
/// it.
fn again<'p>(
    request: &RecordRequest,
    function: &'static Function,
    plan: Plan<'p>,
    store: &mut dyn SharedStore,
) -> Result<Option<Plan<'p>>, TrainError> {
    let Some(which) = &request.again else { return Ok(Some(plan)) };
    if !store.functions()?.iter().any(|name| name == function.name()) {
        return Ok(None);
    }
    let (recorded, selected) = (store.load(function.name())?, which.on(None)?);
    let names = recorded.inputs.iter().map(|input| &input.name);
    let only = names.filter(|name| selected.matches_input("", name)).cloned().collect();
    let mut candidates = plan.candidates.clone().unwrap_or_else(|| Candidate::all(function));
    candidates.retain(|one| which.variant.as_ref().is_none_or(|variant| one.variant == variant));
    Ok((!candidates.is_empty()).then_some(Plan { only: Some(only), candidates: Some(candidates), ..plan }))
}
