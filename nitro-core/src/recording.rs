//! Recording through ordinary calls: while a recording runs, calls of one function on this thread run a given choice
//! and are timed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crate::choose::Question;
use crate::device::Stopwatch;
use crate::feature::Features;
use crate::{Choice, Device, Function, epoch, feature, host};

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
    /// What each feature took to compute, in nanoseconds by the host's clock, of all calls together; in the same order.
    pub feature_times_ns: Vec<f64>,
    /// For each choice that was asked about whether every call's constraint admits it.
    pub admissible: Vec<bool>,
    /// Identity of the device of the calls.
    pub device: Option<String>,
    /// What parts of the calls took, in the order in which they were noted; empty unless [`record_parts`] asked for them.
    pub parts: Vec<PartTime>,
}

/// What a part of a call took, such as one of its kernels, all launches together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartTime {
    /// What the part is called.
    pub name: String,
    /// Its time in nanoseconds.
    pub time_ns: f64,
    /// What is known of it besides, from 0 to 1, where 1 is the device's peak: occupancy, throughput, hit rates.
    pub metrics: Vec<(String, f64)>,
}

/// A panic inside a recorded closure, as text.
///
/// ```
/// use nitro_core::{Function, VariantInfo, recording::record};
///
/// # static VARIANTS: [VariantInfo; 1] = [VariantInfo::new("only")];
/// # static WORK: Function = Function::new("work", &VARIANTS);
/// let index = 7;
/// let outcome = record(&WORK, WORK.default_choice(), &[], || [0, 1, 2][index]);
/// assert_eq!(outcome.unwrap_err().message, "index out of bounds: the len is 3 but the index is 7");
/// ```
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
    choice: Choice,
    /// The choices whose constraints are asked; where there are none, features are not computed either.
    described: Arc<[Choice]>,
    wants_parts: bool,
    observation: Observation,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs `body`; every call of `function` that it makes on this thread runs this choice and is timed.
///
/// Where there are choices to be described, the features of the calls, what each of them takes, and what constraints say of these choices are
/// found out too, outside of the timed part. What runs is not asked whether it may: that is the caller's part, who knows it from such a recording.
///
/// What a trainer's session does for each run; a program of its own can measure so too:
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::recording::record;
///
/// let (function, mut keys) = (sort::function(), [3, 1, 2]);
/// let radix = function.choice("radix")?;
/// let ((), seen) = record(function, radix, &[radix], || sort(&mut keys))?;
/// assert_eq!((keys, seen.calls, seen.features), ([1, 2, 3], 1, vec![3.0]));
/// assert!(seen.time_ns > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When `body` panics.
pub fn record<R>(
    function: &'static Function,
    choice: Choice,
    described: &[Choice],
    body: impl FnOnce() -> R,
) -> Result<(R, Observation), Panicked> {
    let (wants_parts, observation) = Default::default();
    observed(Recording { function, choice, described: described.into(), wants_parts, observation }, body)
}

/// As [`record`], without descriptions, and finds out what the parts of a call take where the variant can tell ([`wants_parts`]). Such a run is slower than
/// others: its time as a whole says nothing.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::recording::{PartTime, note_part, record_parts, wants_parts};
///
/// let observation = record_parts(sort::function(), sort::function().default_choice(), || {
///     // What a variant of several kernels does, while it runs:
///     if wants_parts() {
///         note_part(PartTime { name: "merge".into(), time_ns: 120.0, metrics: vec![("occupancy".into(), 0.5)] });
///     }
/// });
/// assert_eq!(observation?.1.parts[0].name, "merge");
/// assert!(!wants_parts());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When `body` panics.
pub fn record_parts<R>(
    function: &'static Function,
    choice: Choice,
    body: impl FnOnce() -> R,
) -> Result<(R, Observation), Panicked> {
    let (described, observation) = (Arc::new([]), Observation::default());
    observed(Recording { function, choice, described, wants_parts: true, observation }, body)
}

/// Whether what runs on this thread is to tell what its parts take: each of them timed by itself, after the one before has ended.
#[must_use]
pub fn wants_parts() -> bool {
    RECORDING.with_borrow(|slot| slot.as_ref().is_some_and(|recording| recording.wants_parts))
}

/// Tells what a part of this call took, where that is [wanted](wants_parts).
pub fn note_part(part: PartTime) {
    with_observation(|observation| observation.parts.push(part));
}

fn observed<R>(recording: Recording, body: impl FnOnce() -> R) -> Result<(R, Observation), Panicked> {
    let outer = RECORDING.with_borrow_mut(|slot| slot.replace(recording));
    epoch::observe();
    let result = catch_unwind(AssertUnwindSafe(body));
    epoch::unobserve();
    let recording = RECORDING.with_borrow_mut(|slot| std::mem::replace(slot, outer));
    let observation = recording.map(|recording| recording.observation).unwrap_or_default();
    result.map(|value| (value, observation)).map_err(|payload| Panicked::of(&*payload))
}

/// The choice and the stopwatch for a call, if a recording on this thread measures the function.
pub(crate) fn intercept(
    question: &Question<'_>,
    device: &dyn Device,
) -> Option<(Choice, Box<dyn Stopwatch>)> {
    let function = question.function;
    let (choice, described, first) = RECORDING.with_borrow(|slot| {
        let recording = slot.as_ref().filter(|recording| std::ptr::eq(recording.function, function))?;
        let is_first = recording.observation.admissible.is_empty();
        Some((recording.choice, recording.described.clone(), is_first))
    })?;
    if !described.is_empty() {
        // Evaluated outside the borrow: a feature may call a function with variants of its own.
        let (features, times_ns) = timed_features(function, question.compute);
        let admitted: Vec<bool> = described.iter().map(|&choice| (question.admissible)(choice)).collect();
        with_observation(|observation| {
            if first {
                observation.features = features;
                observation.feature_times_ns = vec![0.0; times_ns.len()];
            }
            observation.feature_times_ns.iter_mut().zip(times_ns).for_each(|(sum, time_ns)| *sum += time_ns);
            observation.admissible = match observation.admissible.is_empty() {
                true => admitted,
                false => observation.admissible.iter().zip(admitted).map(|(&a, b)| a && b).collect(),
            };
            observation.device = Some(question.device.id().to_owned());
        });
    }
    Some((choice, device.stopwatch()))
}

/// All features of a call, and what each took in nanoseconds.
fn timed_features(function: &Function, compute: &Features<'_>) -> (Vec<f64>, Vec<f64>) {
    let mut values = vec![0.0; function.features().len()];
    let timed = |index: usize, values: &mut [f64]| {
        let begun = Instant::now();
        compute(feature::bits([index]), values);
        (begun.elapsed().as_nanos() as f64 - host::clock_ns()).max(0.0)
    };
    compute(0, &mut values); // so that the first feature is not timed with the way to it
    let times_ns = (0..function.features().len()).map(|index| timed(index, &mut values)).collect();
    (values, times_ns)
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
