//! Recording through ordinary calls. While a recording runs, calls of one function on this thread run a given choice
//! and are timed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::choose::Question;
use crate::device::Stopwatch;
use crate::error_text::error_text;
pub use crate::escape::message;
use crate::feature::Features;
use crate::{Choice, Device, Function, epoch, feature, host};

/// The observation of a recorded function's calls.
///
/// A call that a variant makes of its own function, directly or through others, on the same thread, is part of the call
/// that it is made in: nothing here counts it a second time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Time of all calls together, in nanoseconds, by the stopwatch of the calls' device.
    pub time_ns: f64,
    /// Number of calls.
    pub calls: usize,
    /// Number of calls that returned `Err`, panicked, or whose work failed on the device afterwards.
    pub failures: usize,
    /// Number of these failures that are no answer: the call panicked, or its work failed on the device.
    pub faults: usize,
    /// The reason of the first fault, where the device's stopwatch knows one ([`Stopwatch::failure`]).
    pub fault: Option<String>,
    /// All features of the first call, in the order of [`Function::features`].
    pub features: Vec<f64>,
    /// The first call, counted from 1, whose features differ from those of the first, and its features.
    pub other_features: Option<(usize, Vec<f64>)>,
    /// The time that each feature took to compute, of all calls together, in nanoseconds by the host's clock.
    pub feature_times_ns: Vec<f64>,
    /// True, for each choice that was asked about, where every call's constraint admits it.
    pub admissible: Vec<bool>,
    /// Identity of the device of the calls.
    pub device: Option<String>,
    /// The times of parts of the calls, in the order in which they were noted. Empty unless [`record_parts`] asked
    /// for them.
    pub parts: Vec<PartTime>,
}

/// The time of a part of a call, such as one of its kernels, all launches together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartTime {
    /// The name of the part.
    pub name: String,
    /// Its time in nanoseconds.
    pub time_ns: f64,
    /// Further metrics from 0 to 1, where 1 is the device's peak: occupancy, throughput, hit rates.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    /// The panic's message.
    pub message: String,
}

impl std::error::Error for Panicked {}

error_text!(Panicked: Self { message } => "panicked: {message}");

impl Panicked {
    /// The panic of which [`catch_unwind`] returned this payload.
    #[must_use]
    pub fn of(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self { message: message(text.unwrap_or("with a value that is no text")) }
    }
}

struct Recording {
    function: &'static Function,
    choice: Choice,
    /// The choices whose constraints are asked; where there are none, features are not computed either.
    described: Arc<[Choice]>,
    wants_parts: bool,
    /// How many calls of the function are under way on this thread, one inside the other.
    depth: usize,
    /// The call whose future is under way, by its number.
    pending: Option<(u64, Box<TimedCall>)>,
    observation: Observation,
}

impl Recording {
    fn new(function: &'static Function, choice: Choice, described: &[Choice], wants_parts: bool) -> Self {
        let described = described.into();
        let (depth, pending, observation) = (0, None, Observation::default());
        Self { function, choice, described, wants_parts, depth, pending, observation }
    }
}

/// Begins a call that a recording may measure.
type Begin = fn(&Question<'_>, &dyn Device) -> Option<RecordedCall>;

/// Is set by the first recording: a linker leaves out what records of a program that never does.
static BEGIN: once_cell::race::OnceRef<'static, Begin> = once_cell::race::OnceRef::new();

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs `body`; every call of `function` that it makes on this thread runs this choice and is timed.
///
/// Where there are choices to be described, the features of the calls are found out too, what each of them takes,
/// and what constraints say of these choices. That is outside of the timed part. What runs is not asked whether it
/// may: that is the caller's part, who knows it from such a recording.
///
/// A call of `function` inside such a call, also one that a feature or a constraint makes, is chosen as if nothing
/// were recorded: by pins, model and constraints. Its time is part of the call that it is made in. A `record` inside
/// of another measures for itself.
///
/// A trainer's session does this for each run. A program of its own can measure so too:
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
    observed(Recording::new(function, choice, described, false), body)
}

/// Records as [`record`], without descriptions, and finds out what the parts of a call take where the variant can tell
/// ([`wants_parts`]). Such a run is slower than others: its time as a whole says nothing.
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
    observed(Recording::new(function, choice, &[], true), body)
}

/// Returns whether what runs on this thread is to tell what its parts take. Each of them is timed by itself then,
/// after the one before has ended. The parts of a call are told, not those of calls of the same function inside it.
#[must_use]
pub fn wants_parts() -> bool {
    of_recording(|recording| recording.wants_parts && recording.depth <= 1).unwrap_or(false)
}

/// Tells what a part of this call took, where that is [wanted](wants_parts).
pub fn note_part(part: PartTime) {
    if wants_parts() {
        of_recording(|recording| recording.observation.parts.push(part));
    }
}

fn observed<R>(recording: Recording, body: impl FnOnce() -> R) -> Result<(R, Observation), Panicked> {
    let _ = BEGIN.set(&(begin_recorded as Begin));
    let outer = RECORDING.with_borrow_mut(|slot| slot.replace(recording));
    epoch::observe();
    let result = catch_unwind(AssertUnwindSafe(body));
    let unfinished = of_recording(|recording| {
        let (_, call) = recording.pending.take()?;
        recording.observation.fault.get_or_insert_with(|| UNFINISHED.to_owned());
        Some(call)
    });
    drop(unfinished); // it looks at the recording
    epoch::unobserve();
    let recording = RECORDING.with_borrow_mut(|slot| std::mem::replace(slot, outer));
    let observation = recording.map(|recording| recording.observation).unwrap_or_default();
    result.map(|value| (value, observation)).map_err(|payload| Panicked::of(&*payload))
}

/// The fault of a call whose end the recording did not see. It goes on a sentence about the variant.
const UNFINISHED: &str = "did not finish its future on the thread that records: run it on a runtime of one thread, to \
    its end";

/// Looks at this thread's recording, if there is one; a thread that ends has none any more.
fn of_recording<T>(look: impl FnOnce(&mut Recording) -> T) -> Option<T> {
    RECORDING.try_with(|slot| slot.try_borrow_mut().ok()?.as_mut().map(look)).ok().flatten()
}

/// Returns true inside a timed call: what its calls choose may be remembered until that ends.
pub(crate) fn is_inside_timed_call() -> bool {
    of_recording(|recording| recording.depth > 0 && !recording.wants_parts).unwrap_or(false)
}

/// A call that begins, as a recording on its thread sees it.
pub(crate) enum RecordedCall {
    /// The recording runs this choice and times it.
    Outermost(Choice, Box<TimedCall>),
    /// It is inside of such a call and tells no parts.
    Inner(InnerCall),
}

/// Begins a call, if a recording on this thread measures the function and has to know of it.
pub(crate) fn begin(question: &Question<'_>, device: &dyn Device) -> Option<RecordedCall> {
    BEGIN.get()?(question, device)
}

fn begin_recorded(question: &Question<'_>, device: &dyn Device) -> Option<RecordedCall> {
    let entered = of_recording(|recording| {
        let is_own = std::ptr::eq(recording.function, question.function);
        // An inner call counts for parts alone: all else takes it for what the outer call does.
        if !is_own || recording.depth > 0 && !recording.wants_parts {
            return None;
        }
        recording.depth += 1;
        Some((InnerCall(()), recording.depth, recording.choice, recording.described.clone()))
    });
    let (inner, depth, choice, described) = entered.flatten()?;
    if depth > 1 {
        return Some(RecordedCall::Inner(inner));
    }
    // From here on the call is under way: a feature or a constraint may call the function itself.
    let mut call = Box::new(TimedCall { stopwatch: None, has_ended: false, _depth: inner });
    if !described.is_empty() {
        describe(question, &described);
    }
    call.stopwatch = Some(device.stopwatch());
    Some(RecordedCall::Outermost(choice, call))
}

/// Notes features of a call and which of these choices its constraints admit.
fn describe(question: &Question<'_>, described: &[Choice]) {
    let (features, times_ns) = timed_features(question.function, question.compute);
    let admitted: Vec<bool> = described.iter().map(|&choice| (question.admissible)(choice)).collect();
    of_recording(|Recording { observation, .. }| {
        if observation.admissible.is_empty() {
            observation.features = features;
            observation.feature_times_ns = vec![0.0; times_ns.len()];
            observation.admissible = vec![true; admitted.len()];
        } else if observation.other_features.is_none()
            && features
                .iter()
                .map(|own| own.to_bits())
                .ne(observation.features.iter().map(|own| own.to_bits()))
        {
            observation.other_features = Some((observation.calls + 1, features));
        }
        observation.feature_times_ns.iter_mut().zip(times_ns).for_each(|(sum, time_ns)| *sum += time_ns);
        observation.admissible.iter_mut().zip(admitted).for_each(|(all, this)| *all &= this);
        observation.device = Some(question.device.id().to_owned());
    });
}

/// All features of a call, and what each took in nanoseconds. One that is there anyway takes nothing: the clock would
/// show its own resolution, and a call that no compiler sees through.
fn timed_features(function: &Function, compute: &Features<'_>) -> (Vec<f64>, Vec<f64>) {
    let mut values = vec![0.0; function.features().len()];
    let mut times_ns = Vec::with_capacity(values.len());
    compute(0, &mut values); // so that the first feature is not timed with the way to it
    for index in 0..values.len() {
        let begun = Instant::now();
        compute(feature::bits([index]), &mut values);
        let time_ns = (begun.elapsed().as_nanos() as f64 - host::clock_ns()).max(0.0);
        times_ns.push(if function.is_free(index) { 0.0 } else { time_ns });
    }
    (values, times_ns)
}

/// A call that is timed. One that does not come to its end has panicked.
pub(crate) struct TimedCall {
    /// There is one as soon as the call may run.
    stopwatch: Option<Box<dyn Stopwatch>>,
    has_ended: bool,
    _depth: InnerCall,
}

impl TimedCall {
    /// Runs the call; `failed` tells from its result whether that is an error.
    pub(crate) fn run<R>(mut self, body: impl FnOnce() -> R, failed: impl FnOnce(&R) -> bool) -> R {
        self.start();
        let result = body();
        self.end(|| failed(&result));
        result
    }

    fn start(&mut self) {
        self.stopwatch.iter_mut().for_each(|stopwatch| stopwatch.start());
    }

    /// Notes that the call has ended; `failed` tells if that was an error, outside of its time.
    fn end(mut self, failed: impl FnOnce() -> bool) {
        let Some(mut stopwatch) = self.stopwatch.take() else { return };
        let time_ns = stopwatch.stop();
        let is_error = failed();
        self.has_ended = true;
        of_recording(|Recording { observation, .. }| {
            // A stopwatch that has no time to give says that the work failed on the device.
            let is_fault = !time_ns.is_finite();
            if is_fault && observation.fault.is_none() {
                observation.fault = stopwatch.failure().map(str::to_owned);
            }
            observation.time_ns += if is_fault { 0.0 } else { time_ns };
            observation.calls += 1;
            observation.failures += usize::from(is_error || is_fault);
            observation.faults += usize::from(is_fault);
        });
    }

    /// Begins the call and leaves it to this thread's recording until its future has ended. A stopwatch stays on its
    /// thread, a future need not.
    pub(crate) fn begin_future(mut self: Box<Self>) -> PendingCall {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.start();
        of_recording(|recording| recording.pending = Some((number, self)));
        PendingCall(number)
    }
}

/// A timed call whose future is under way. One that is dropped before its end has panicked, or was given up.
pub(crate) struct PendingCall(u64);

impl PendingCall {
    /// Notes that the future has ended, where the recording is this thread's.
    pub(crate) fn end(self, failed: impl FnOnce() -> bool) {
        if let Some(call) = self.take() {
            call.end(failed);
        }
    }

    fn take(&self) -> Option<Box<TimedCall>> {
        let call = of_recording(|recording| recording.pending.take_if(|(number, _)| *number == self.0));
        call.flatten().map(|(_, call)| call)
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl Drop for TimedCall {
    fn drop(&mut self) {
        if !self.has_ended {
            of_recording(|Recording { observation, .. }| {
                observation.calls += 1;
                observation.failures += 1;
                observation.faults += 1;
            });
        }
        // What inner calls remember is no choice for the next call that is timed.
        epoch::advance();
    }
}

/// A call that is under way, until this is dropped, on whatever way it ends.
pub(crate) struct InnerCall(());

impl Drop for InnerCall {
    fn drop(&mut self) {
        of_recording(|recording| recording.depth = recording.depth.saturating_sub(1));
    }
}
