//! [`calibrate_in_background`]: in short windows calls run other admissible choices too, their times are compared, and
//! the model's forest is corrected by them for the device, as the trainer's `calibrate` does it.

mod comparisons;
mod window;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use once_cell::race::OnceRef;

use self::comparisons::{Compared, Comparisons};
use crate::chain::Chain;
use crate::choose::Question;
use crate::device::Stopwatch;
use crate::function::resolve::{DeviceSelector, ModelInCode};
use crate::function::state::FunctionState;
use crate::model::{Calibration, Forest, MeasuredInput, Model, Node, Selector};
use crate::own_thread::OwnThread;
use crate::{Choice, Device, DeviceEntry, Function, ReasonKind, Regime, feature, stats};

/// The length of a window.
const WINDOW: Duration = Duration::from_millis(2);
/// The most choices that are compared for an input: those that the model ranks first.
const MOST_CANDIDATES: usize = 4;
/// The numbers of compared inputs after which a model is corrected. Each new model stays in memory.
const CORRECTED_AFTER: [usize; 4] = [10, 30, 100, 300];

/// Chooses for a call in a window; none where it is not compared.
type Begin = fn(&Question<'_>, &dyn Device) -> Option<(Choice, Box<ComparedCall>)>;

/// Is set once something is calibrated: a linker leaves out what compares of a program that never asks for it.
static BEGIN: OnceRef<'static, Begin> = OnceRef::new();
/// Bits of the share of time; 0 while nothing is calibrated.
static SHARE_OF_TIME: AtomicU64 = AtomicU64::new(0);
/// The thread that opens windows.
static CALIBRATOR: OwnThread = OwnThread::new();
/// The time that compared calls took since the thread last asked, in nanoseconds.
static SPENT_NS: AtomicU64 = AtomicU64::new(0);
/// What is compared, by function and device.
static SUBJECTS: Chain<Subject> = Chain::new();

thread_local! {
    /// True while a compared call is under way on the thread: calls inside it are a part of its time.
    static IS_COMPARING: Cell<bool> = const { Cell::new(false) };
}

/// Lets the running program calibrate its models for the devices that it calls on, in at most this share of the time;
/// 0 ends it. At first it is off.
///
/// In short windows, calls run other choices than the model's first: those that it ranks next, if the call admits them.
/// Choices are compared on inputs with equal features, so nothing is learned from inputs that never come again. After
/// 10, 30, 100 and 300 compared inputs, the model's choices on the device are corrected by them, as `train calibrate`
/// would, where they then choose better on inputs that are left out. Between windows a call costs what it always does.
/// A window is followed by a pause, so that the compared calls of all threads, and the correction, take no more than
/// the share. On a GPU a compared call waits for its work to end.
///
/// Contracts of results stay what they are. A compared choice is one that the call's constraint and tolerance admit,
/// with [`set_exact`](crate::set_exact) one of the default's exact group. Nothing is compared while choices are pinned
/// or deterministic ([`set_deterministic`](crate::set_deterministic)), in CUDA graphs, of an `async fn`, or without a
/// model. A choice that returns `Err` or panics when it is compared is not compared again.
///
/// What was learned is the process's own: another one begins anew, and a [`reload`](crate::reload()) that brings
/// another model drops it. [`stats`](crate::stats()) counts compared calls as [`ReasonKind::Compared`].
///
/// ```
/// # use nitro_core as nitro;
/// fn main() {
///     nitro::calibrate_in_background(0.01);
///     // The program does its work. After some seconds its choices are those for this machine.
///     nitro::calibrate_in_background(0.0); // what was learned stays
/// }
/// ```
///
/// # Panics
/// When the share is not between 0 and 1.
pub fn calibrate_in_background(share_of_time: f64) {
    assert!(
        (0.0..=1.0).contains(&share_of_time),
        "a share of time is between 0 and 1, but this one is {share_of_time}"
    );
    let _ = BEGIN.set(&(begin_in_window as Begin));
    SHARE_OF_TIME.store(share_of_time.to_bits(), Ordering::SeqCst);
    if share_of_time > 0.0
        && let Err(error) = CALIBRATOR.begin("nitro-calibrate", run)
    {
        tracing::warn!(%error, "nothing is calibrated in the background: no thread can be started");
    }
}

fn share_of_time() -> f64 {
    f64::from_bits(SHARE_OF_TIME.load(Ordering::SeqCst))
}

/// Opens windows until the share is 0, and learns after each.
fn run() {
    let mut idle_windows = 0;
    loop {
        let share = share_of_time();
        if share == 0.0 {
            match CALIBRATOR.goes_on(|| share_of_time() > 0.0) {
                true => continue,
                false => return,
            }
        }
        window::open(WINDOW);
        thread::sleep(WINDOW);
        window::close();
        let begun = Instant::now();
        SUBJECTS.iter().for_each(Subject::learn);
        let in_calls = Duration::from_nanos(SPENT_NS.swap(0, Ordering::Relaxed));
        idle_windows = if in_calls.is_zero() { idle_windows + 1 } else { 0 };
        thread::sleep(window::pause(WINDOW.max(in_calls) + begun.elapsed(), share, idle_windows));
    }
}

/// A function on a device.
struct Subject {
    function: &'static Function,
    device: &'static DeviceEntry,
    /// Calls never wait for it: where another thread has it, they are not compared.
    progress: Mutex<Progress>,
}

/// What was compared so far.
struct Progress {
    /// The state whose model is corrected.
    base: &'static FunctionState,
    /// True once the choices are prepared, so that no compared call waits for a compiler.
    is_prepared: bool,
    comparisons: Comparisons,
    /// The number of compared inputs when the model was last corrected.
    corrected_after: usize,
}

impl Progress {
    fn new(base: &'static FunctionState) -> Self {
        Self { base, is_prepared: false, comparisons: Comparisons::default(), corrected_after: 0 }
    }
}

/// Chooses for a call in a window; none where it is not compared.
pub(crate) fn begin(question: &Question<'_>, device: &dyn Device) -> Option<(Choice, Box<ComparedCall>)> {
    BEGIN.get()?(question, device)
}

fn begin_in_window(question: &Question<'_>, device: &dyn Device) -> Option<(Choice, Box<ComparedCall>)> {
    let is_free = window::is_open() && !IS_COMPARING.try_with(Cell::get).unwrap_or(true);
    // The device is asked too: a call's entry tells its regime only where some model knows one.
    if !is_free || question.device.regime() != Regime::Eager || device.regime() != Regime::Eager {
        return None;
    }
    let state = question.function.state();
    let selector = state.resolved(question.function, question.device).as_ref().ok()?;
    if !state.may_compare() {
        return None;
    }
    let features = feature::all(question.function.features().len(), question.compute);
    if features.iter().any(|feature| !feature.is_finite()) {
        return None;
    }
    let subject = subject(question.function, question.device, state);
    let mut progress = subject.progress.try_lock().ok()?;
    if !state.is_like(progress.base) {
        *progress = Progress::new(state);
    }
    if !progress.is_prepared {
        return None; // the background thread does it
    }
    let choice = progress.comparisons.next(
        &features,
        || candidates(question, state, selector, &features),
        |choice| state.is_exact_enough(choice) && state.may_run(choice, question.admissible),
    )?;
    drop(progress);
    stats::count(state.number, state.choices.choices().len(), choice, ReasonKind::Compared);
    let call = ComparedCall {
        subject,
        features,
        choice,
        stopwatch: device.stopwatch(),
        has_begun: false,
        time_ns: None,
    };
    Some((state.choice(choice), Box::new(call)))
}

fn subject(
    function: &'static Function,
    device: &'static DeviceEntry,
    state: &'static FunctionState,
) -> &'static Subject {
    SUBJECTS.find_or_insert(
        |own| std::ptr::eq(own.function, function) && own.device == device,
        || Subject { function, device, progress: Mutex::new(Progress::new(state)) },
    )
}

/// The choices that the model ranks first for an input, then others that it knows.
fn candidates(
    question: &Question<'_>,
    state: &FunctionState,
    selector: &DeviceSelector,
    features: &[f64],
) -> Vec<usize> {
    let row = feature::Row::gather(&selector.features, features);
    let ranked = selector.selector.scores(row.values());
    let ranked = ranked.ranked().filter_map(|class| selector.choice(class)).collect::<Vec<_>>();
    let others = state.of_model().filter(|other| !ranked.contains(other));
    let all = ranked.iter().copied().chain(others);
    let runnable = all.filter(|&own| state.is_exact_enough(own) && state.may_run(own, question.admissible));
    runnable.take(MOST_CANDIDATES).collect()
}

/// A call that is timed beside others. Its time is noted when this is dropped, on whatever way the call ends.
pub(crate) struct ComparedCall {
    subject: &'static Subject,
    features: Vec<f64>,
    choice: usize,
    stopwatch: Box<dyn Stopwatch>,
    has_begun: bool,
    /// The time of the call; none of one that failed.
    time_ns: Option<f64>,
}

impl ComparedCall {
    /// Runs the call; `failed` tells from its result whether that is an error.
    pub(crate) fn run<R>(mut self, body: impl FnOnce() -> R, failed: impl FnOnce(&R) -> bool) -> R {
        let _ = IS_COMPARING.try_with(|comparing| comparing.set(true));
        self.has_begun = true;
        self.stopwatch.start();
        let result = body();
        let time_ns = self.stopwatch.stop();
        self.time_ns = (time_ns.is_finite() && !failed(&result)).then_some(time_ns);
        result
    }
}

impl Drop for ComparedCall {
    fn drop(&mut self) {
        /// What it takes to choose and to note, about.
        const OWN_NS: f64 = 2000.0;
        if !self.has_begun {
            return;
        }
        let _ = IS_COMPARING.try_with(|comparing| comparing.set(false));
        SPENT_NS.fetch_add((self.time_ns.unwrap_or(0.0) + OWN_NS) as u64, Ordering::Relaxed);
        // Where another thread is about to note a time, this one is lost.
        if let Ok(mut progress) = self.subject.progress.try_lock() {
            progress.comparisons.note(&self.features, self.choice, self.time_ns);
        }
    }
}

impl Subject {
    /// Prepares the choices before the first comparison, and corrects the model once enough is compared.
    fn learn(&'static self) {
        if !self.lock().is_prepared {
            // What cannot be prepared shows when it is called, as without a calibration.
            let _ = catch_unwind(AssertUnwindSafe(|| self.function.prepare()));
            self.lock().is_prepared = true;
        }
        let Some((base, compared)) = self.enough_compared() else { return };
        let measured_inputs = compared.len();
        let Some(calibration) = self.calibration(base, compared) else { return };
        if base.calibrate(self.function, &calibration) {
            let (function, device) = (self.function.name(), self.device.id());
            tracing::info!(function, device, measured_inputs, "the model was calibrated in the background");
        }
    }

    /// Takes the lock, which a call holds for some microseconds at most.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what was compared, if that is enough for another correction.
    fn enough_compared(&self) -> Option<(&'static FunctionState, Vec<Compared>)> {
        let mut progress = self.lock();
        let next = CORRECTED_AFTER.into_iter().find(|&count| count > progress.corrected_after)?;
        let compared = progress.comparisons.compared();
        if compared.len() < next {
            return None;
        }
        progress.corrected_after = next;
        Some((progress.base, compared))
    }

    /// Returns a calibration of the model from compared inputs; none where it would choose worse.
    fn calibration(&self, base: &FunctionState, compared: Vec<Compared>) -> Option<Calibration> {
        let ModelInCode { model, choices, .. } = base.model()?;
        let columns: Option<Vec<usize>> = model.features.iter().map(|name| self.column(name)).collect();
        let columns = columns?;
        let measured: Vec<MeasuredInput> = compared
            .into_iter()
            .map(|Compared { features, medians_ns }| MeasuredInput {
                features: columns.iter().map(|&column| features[column]).collect(),
                shares: shares(choices, &medians_ns),
            })
            .collect();
        let needed = model.needed_on(self.device.id());
        let values = needed.iter().map(|name| self.device.look_up(name).finite());
        let values = values.collect::<Option<Vec<f64>>>()?;
        let shipped = model.on_device(self.device.id(), &values);
        let measured_inputs = measured.len();
        let selector = model.calibration(self.device.id()).map_or(&model.selector, |own| &own.selector);
        let corrected = match selector {
            Selector::Forest(forest) => forest.corrected(&values, measured, &shipped)?,
            Selector::Constant { .. } | Selector::Svm(_) => {
                order_of_measured(model, &measured).corrected(&[], measured, &shipped)?
            }
        };
        let device = self.device.id().to_owned();
        Some(Calibration { device, measured_inputs, selector: Selector::Forest(corrected) })
    }

    /// The position of a feature in the code.
    fn column(&self, name: &str) -> Option<usize> {
        self.function.features().iter().position(|own| *own == name)
    }
}

/// The best time over each choice's own, for every choice of a model; `choices` are their indices in the choice table.
fn shares(choices: &[Option<usize>], medians_ns: &[(usize, f64)]) -> Vec<Option<f64>> {
    let best_ns = medians_ns.iter().map(|&(_, time_ns)| time_ns).fold(f64::INFINITY, f64::min);
    let share = |time_ns: f64| if time_ns > best_ns { best_ns / time_ns } else { 1.0 };
    let time_ns =
        |choice: usize| medians_ns.iter().find(|(own, _)| *own == choice).map(|&(_, time_ns)| time_ns);
    choices.iter().map(|choice| choice.and_then(time_ns).map(share)).collect()
}

/// A forest to be corrected where the model has none: of the measured choices it expects that they lose nothing, of
/// others everything.
fn order_of_measured(model: &Model, measured: &[MeasuredInput]) -> Forest {
    let is_measured = |choice: usize| measured.iter().any(|input| input.shares[choice].is_some());
    let choices = model.choices.len();
    Forest {
        inputs: model.features.len(),
        choices,
        nodes: vec![Node::Leaf],
        values: (0..choices).map(|choice| if is_measured(choice) { 0 } else { u8::MAX }).collect(),
        origins: vec![],
        ratios: vec![],
    }
}
