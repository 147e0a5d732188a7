//! Recording through ordinary calls: while a recording runs, calls of one function on this thread run a given variant
//! and are timed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::choose::Question;
use crate::device::Stopwatch;
use crate::{Device, Function, epoch, feature};

/// What the calls of the recorded function amounted to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Time of all calls together, in nanoseconds, by the stopwatch of the calls' device.
    pub time_ns: f64,
    /// Number of calls.
    pub calls: usize,
    /// Number of calls that returned `Err`, or whose work failed on the device afterwards.
    pub failures: usize,
    /// All features of the first call, in the order of [`Function::features`].
    pub features: Vec<f64>,
    /// For each variant whether every call's constraint admits it.
    pub admissible: Vec<bool>,
    /// Identity of the device of the calls.
    pub device: Option<String>,
}

/// A panic inside a recorded closure, as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("panicked: {message}")]
pub struct Panicked {
    /// The panic's message.
    pub message: String,
}

impl Panicked {
    /// The panic that [`catch_unwind`] gave this of.
    #[must_use]
    pub fn of(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self { message: message.unwrap_or_else(|| "with a value that is no text".to_owned()) }
    }
}

struct Recording {
    function: &'static Function,
    variant: usize,
    describe: bool,
    observation: Observation,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs `body`; every call of `function` that it makes on this thread runs the variant of this index and is timed.
///
/// With `describe`, features and constraints of the calls are evaluated too (outside the timed part). The constraint of
/// the variant itself is not asked: that is the caller's part, who knows it from a described recording.
///
/// # Errors
/// When `body` panics.
pub fn record<R>(
    function: &'static Function,
    variant: usize,
    describe: bool,
    body: impl FnOnce() -> R,
) -> Result<(R, Observation), Panicked> {
    let recording = Recording { function, variant, describe, observation: Observation::default() };
    let outer = RECORDING.with_borrow_mut(|slot| slot.replace(recording));
    epoch::watch();
    let result = catch_unwind(AssertUnwindSafe(body));
    epoch::unwatch();
    let recording = RECORDING.with_borrow_mut(|slot| std::mem::replace(slot, outer));
    let observation = recording.map(|recording| recording.observation).unwrap_or_default();
    result.map(|value| (value, observation)).map_err(|payload| Panicked::of(&*payload))
}

/// The variant and the stopwatch for a call, if a recording on this thread measures the function.
pub(crate) fn intercept(question: &Question<'_>, device: &dyn Device) -> Option<(usize, Box<dyn Stopwatch>)> {
    let function = question.function;
    let (variant, describe, first) = RECORDING.with_borrow(|slot| {
        let recording = slot.as_ref().filter(|recording| std::ptr::eq(recording.function, function))?;
        Some((recording.variant, recording.describe, recording.observation.features.is_empty()))
    })?;
    if describe {
        // Evaluated outside the borrow: a feature may call a function with variants of its own.
        let features = if first { feature::all(function, question.compute) } else { Vec::new() };
        let admitted: Vec<bool> = (0..function.variants().len()).map(question.admissible).collect();
        with_observation(|observation| {
            observation.features.extend(features);
            observation.admissible = match observation.admissible.is_empty() {
                true => admitted,
                false => observation.admissible.iter().zip(admitted).map(|(&a, b)| a && b).collect(),
            };
            observation.device = Some(question.device.id().to_owned());
        });
    }
    Some((variant, device.stopwatch()))
}

/// A recorded call has ended.
pub(crate) fn observe(time_ns: f64, failed: bool) {
    with_observation(|observation| {
        // A stopwatch that has no time to give says that the work failed on the device.
        let failed = failed || !time_ns.is_finite();
        observation.time_ns += if time_ns.is_finite() { time_ns } else { 0.0 };
        observation.calls += 1;
        observation.failures += usize::from(failed);
    });
}

fn with_observation(update: impl FnOnce(&mut Observation)) {
    RECORDING.with_borrow_mut(|slot| {
        if let Some(recording) = slot {
            update(&mut recording.observation);
        }
    });
}
