//! The ways to measure one function on one device: recorded, evaluated, surveyed, or shown to a profiler.

use std::collections::BTreeSet;

use nitro_core::provide::Profiled;
use nitro_core::{Choice, Device, Function};
use nitro_store::recordings::Input;
use nitro_store::store::SharedStore;

use super::claims::{Claims, LockedStore};
use super::clock::LostTime;
use super::error::{BoxError, FailedInputs, RecordError};
use super::inputs::Inputs;
use super::panics::Panics;
use super::plan::Plan;
use super::profiling::{Extent, Profiling};
use super::progress::Progress;
use super::proposer::Proposer;
use super::recording::{Evaluations, Recording, Shared};
use super::session::{Session, Work};
use super::subject::Subject;
use super::survey::Survey;
use super::ticker::Ticker;
use crate::profile::Section;

/// Records one function on the device that the calling thread works on.
///
/// What the store holds already is skipped. Inputs that other recorders have claimed are waited for, and measured here
/// after all if their claim expires: `record` is then called again. An input that costs `record` an error or a panic
/// of its own is left out, and the others are recorded.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use nitro_train::measure::{Inputs, Plan, Repeats, Share, Silent, record_inputs};
///
/// let names = ["10", "many", "20"].map(str::to_owned);
/// let plan = Plan::new(Inputs::Generated(&names), Repeats { most: 10, ..Repeats::default() }, Share::default());
/// let mut store = nitro_train::store::memory()?;
/// let recorded = record_inputs(sort::function(), &Desk, &plan, &mut *store, &Silent, |session| {
///     for name in session.inputs("") {
///         let keys: Vec<u32> = (0..name.parse()?).rev().collect();
///         session.input(name, || sort(&mut keys.clone()))?;
///     }
///     Ok(())
/// })?;
/// assert_eq!((recorded.measured, &*recorded.failed["many"]), (2, "invalid digit found in string"));
/// assert_eq!(store.load("sort")?.measurements.len(), 4); // two variants on two inputs
/// # let _ = keys;
/// # Ok::<(), BoxError>(())
/// ```
///
/// # Errors
/// What `record` returns beside inputs, and when the store or the folder of inputs cannot be used.
/// [`RecordError::DeviceLost`] when a variant took the device away from this process, whatever `record` returns:
/// the variant is recorded as failed on that input, and a fresh process goes on after it. What was measured until
/// then is kept.
pub fn record_inputs(
    function: &'static Function,
    device: &dyn Device,
    plan: &Plan<'_>,
    store: &mut dyn SharedStore,
    progress: &dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<RecordedInputs, RecordError> {
    measure_inputs(Subject { function, device }, plan, None, store, progress, record)
}

/// Evaluates, on each input, the candidates that a proposer asks for, and tells it what came of them.
///
/// What the store has of them is told and not evaluated. Everything else is as with [`record_inputs`], except that
/// evaluations are no measurements: nothing learns from them. Several recorders that share a store work together,
/// first on inputs of their own, then on what is left of those of others; each of them sees every input to its end.
/// [`Plan::candidates`] says nothing here.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use nitro_train::measure::{Candidate, Inputs, Plan, Proposer, Repeats, Share, Silent, evaluate_inputs};
/// use nitro_train::store::Evaluated;
///
/// /// Asks for one candidate after the other and keeps their times.
/// struct InTurn { listed: Vec<Candidate>, left: Vec<Candidate>, times_ns: Vec<f64> }
///
/// impl Proposer for InTurn {
///     fn listed(&self) -> &[Candidate] { &self.listed }
///
///     fn begin(&mut self, _: &str, admitted: Vec<Candidate>) -> Result<(), BoxError> {
///         self.left = admitted;
///         Ok(())
///     }
///
///     fn open(&mut self) -> Result<Vec<Candidate>, BoxError> { Ok(self.left.last().cloned().into_iter().collect()) }
///
///     fn tell(&mut self, known: Vec<Option<Evaluated>>) {
///         let known = known.into_iter().flatten();
///         self.times_ns.extend(known.filter_map(|one| one.outcome.time_ns()));
///         self.left.pop();
///     }
///
///     fn finish(&mut self) {}
/// }
///
/// let names = ["10", "20"].map(str::to_owned);
/// let plan = Plan::new(Inputs::Generated(&names), Repeats { most: 10, ..Repeats::default() }, Share::default());
/// let mut proposer = InTurn { listed: Candidate::all(sort::function()), left: Vec::new(), times_ns: Vec::new() };
/// let mut store = nitro_train::store::memory()?;
/// evaluate_inputs(sort::function(), &Desk, &plan, &mut proposer, &mut *store, &Silent, keys)?;
/// assert_eq!(proposer.times_ns.len(), 4); // two variants on two inputs
/// # Ok::<(), BoxError>(())
/// ```
///
/// # Errors
/// As [`record_inputs`], and [`RecordError::Proposer`] when the proposer fails.
pub fn evaluate_inputs(
    function: &'static Function,
    device: &dyn Device,
    plan: &Plan<'_>,
    proposer: &mut dyn Proposer,
    store: &mut dyn SharedStore,
    progress: &dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<RecordedInputs, RecordError> {
    measure_inputs(Subject { function, device }, plan, Some(proposer), store, progress, record)
}

/// Measures in passes, until every input is done, or is waited for in vain.
fn measure_inputs(
    subject: Subject<'_>,
    plan: &Plan<'_>,
    proposer: Option<&mut dyn Proposer>,
    store: &mut dyn SharedStore,
    progress: &dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<RecordedInputs, RecordError> {
    let (store, lost_time) = (LockedStore::new(store), LostTime::new(plan.clock));
    let claims = Claims::new(subject, &plan.share, &store);
    let panics = Panics::new(plan.left_out_before.is_some());
    let mut evaluations = None;
    if let Some(proposer) = proposer {
        evaluations = Some(Evaluations::new(proposer)); // `map` would not shorten its lifetime
    }
    let evaluations = evaluations.as_ref();
    std::thread::scope(|scope| {
        let _heartbeat = Ticker::start(scope, plan.share.period(), || claims.renew());
        let _looks = Ticker::start(scope, LostTime::PERIOD, || {
            lost_time.look();
        });
        let shared =
            Shared { store: &store, claims: &claims, lost_time: &lost_time, panics: &panics, evaluations };
        let failed = plan.left_out_before.clone().unwrap_or_default();
        let mut recorded = RecordedInputs { failed, ..RecordedInputs::default() };
        let ended = loop {
            match one_pass(subject, plan, shared, progress, &mut recorded, &record) {
                Ok(true) => {}
                Ok(false) => break Ok(recorded),
                Err(error) => break Err(error),
            }
        };
        // Whoever records next need not wait for what was claimed and is measured by nobody.
        claims.release();
        ended
    })
}

/// The result of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedInputs {
    /// Number of inputs that were measured.
    pub measured: usize,
    /// Those of them on which the default variant returns `Err`: there that is the answer.
    pub errors: BTreeSet<String>,
    /// The inputs that were left out.
    pub failed: FailedInputs,
}

/// The result of a survey.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurveyedInputs {
    /// The inputs, in the order in which they were met.
    pub inputs: Vec<Input>,
    /// The inputs that were left out.
    pub failed: FailedInputs,
}

/// Notes the inputs that could not be worked on; returns true if the closure ended at one.
///
/// # Errors
/// What ended the closure, where it is more than one input.
fn leave_out(
    failed: &mut FailedInputs,
    session: &Session<'_>,
    ended: Result<(), RecordError>,
) -> Result<bool, RecordError> {
    let left_out = session.left_out();
    let goes_on = match ended {
        Ok(()) => false,
        // Once is enough: what is left out is not handed out any more.
        Err(ref error @ RecordError::Input { ref input, .. }) if !left_out.contains_key(input) => {
            failed.insert(input.clone(), error.without_input());
            true
        }
        Err(error) => {
            failed.extend(left_out);
            return Err(session.panicked().unwrap_or(error));
        }
    };
    failed.extend(left_out);
    match session.panicked() {
        Some(RecordError::Panicked { function, device, what, .. }) => {
            Err(RecordError::Panicked { function, device, what, left_out: failed.clone() })
        }
        _ => Ok(goes_on),
    }
}

/// Records the inputs that nobody else has claimed, and adds up what comes of them.
///
/// Returns true if there are more now.
fn one_pass<'a>(
    subject: Subject<'a>,
    plan: &'a Plan<'a>,
    shared: Shared<'a>,
    progress: &'a dyn Progress,
    recorded: &mut RecordedInputs,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<bool, RecordError> {
    let recording = Recording::new(subject, plan, shared, progress)?;
    let session = Session::new(plan.inputs, Work::Record(Box::new(recording)), shared.panics)?;
    let mut session = session.without(&recorded.failed);
    let ended = session.run(record);
    let recording = session.recording().expect("it was made of one");
    recorded.measured += recording.measured();
    recorded.errors.extend(recording.errors());
    if let Some(error) = recording.ended_by() {
        return Err(error);
    }
    let ended = ended.inspect_err(|_| shared.claims.release());
    if leave_out(&mut recorded.failed, &session, ended)? {
        recording.leave_rest();
        return Ok(true);
    }
    Ok(recording.wait_for_others()?)
}

/// Surveys the features of inputs, on the device that the calling thread works on.
///
/// The default variant runs once on each. Inputs that cost `record` an error or a panic of its own are left out.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use nitro_train::measure::{Inputs, Plan, Repeats, Share, Silent, survey_inputs};
///
/// // `keys` sorts as many keys as the name of an input says.
/// let names = ["10", "20"].map(str::to_owned);
/// let plan = Plan::new(Inputs::Generated(&names), Repeats::default(), Share::default());
/// let surveyed = survey_inputs(sort::function(), &Desk, &plan, &Silent, keys)?;
/// assert_eq!(surveyed.inputs[1].features, [20.0]);
/// # Ok::<(), BoxError>(())
/// ```
///
/// # Errors
/// What `record` returns beside inputs, and when the folder of inputs cannot be used.
pub fn survey_inputs(
    function: &'static Function,
    device: &dyn Device,
    plan: &Plan<'_>,
    progress: &dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<SurveyedInputs, RecordError> {
    let panics = Panics::new(plan.left_out_before.is_some());
    let failed = plan.left_out_before.clone().unwrap_or_default();
    let mut surveyed = SurveyedInputs { inputs: Vec::new(), failed };
    loop {
        let subject = Subject { function, device };
        let survey = Survey::new(subject, progress, std::mem::take(&mut surveyed.inputs));
        let session = Session::new(plan.inputs, Work::Survey(survey), &panics)?;
        let mut session = session.without(&surveyed.failed);
        let ended = session.run(&record);
        surveyed.inputs = session.take_found();
        if !leave_out(&mut surveyed.failed, &session, ended)? {
            return Ok(surveyed);
        }
    }
}

/// Shows calls of one function to a profiler that watches this process.
///
/// They run on the device that the calling thread works on. `announce` takes each section before it begins; the profile
/// ends early once `out_of_time` says so.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// # use nitro_train::provide::Profiled;
/// # struct OneLaunch;
/// # impl Profiled for OneLaunch {
/// #     fn count_launches(&self, work: &mut dyn FnMut()) -> usize { work(); 1 }
/// #     fn show(&self, _: u32, _: &[usize], work: &mut dyn FnMut()) -> Result<(), BoxError> { work(); Ok(()) }
/// #     fn proxies(&self) -> &'static [&'static str] { &[] }
/// #     fn show_proxy(&self, _: u32, _: &str, _: u32) -> Result<(), BoxError> { Ok(()) }
/// # }
/// use std::cell::RefCell;
/// use nitro_train::measure::{Extent, Inputs, profile_inputs};
///
/// let (names, sections) = (["10", "20"].map(str::to_owned), RefCell::new(Vec::new()));
/// let announce = |section: &nitro_train::profile::Section| Ok(sections.borrow_mut().push(section.clone()));
/// let extent = Extent { inputs: 1, launches: 8 };
/// let device = (&Desk as &dyn nitro::Device, &OneLaunch as &dyn Profiled); // whose every call launches one kernel
/// profile_inputs(sort::function(), device, Inputs::Generated(&names), extent, &|| false, &announce, keys)?;
/// assert_eq!(sections.borrow().len(), 2, "each variant on one of the inputs");
/// # Ok::<(), BoxError>(())
/// ```
///
/// # Errors
/// What `record` returns except [`RecordError::OutOfTime`], and when the folder of inputs cannot be used.
pub fn profile_inputs(
    function: &'static Function,
    (device, profiled): (&dyn Device, &dyn Profiled),
    inputs: Inputs<'_>,
    extent: Extent,
    out_of_time: &dyn Fn() -> bool,
    announce: &dyn Fn(&Section) -> std::io::Result<()>,
    record: impl FnOnce(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), RecordError> {
    profile(function, (device, profiled), inputs, extent, None, out_of_time, announce, record)
}

/// Shows one choice on one input to a profiler, as [`profile_inputs`] does.
pub(crate) fn profile_choice(
    function: &'static Function,
    devices: (&dyn Device, &dyn Profiled),
    inputs: Inputs<'_>,
    launches: usize,
    only: (String, Choice),
    announce: &dyn Fn(&Section) -> std::io::Result<()>,
    record: impl FnOnce(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), RecordError> {
    let extent = Extent { inputs: 1, launches };
    profile(function, devices, inputs, extent, Some(only), &|| false, announce, record)
}

/// Shows calls of every variant, or of one choice, to a profiler.
#[allow(clippy::too_many_arguments, reason = "two functions that people call share it")]
fn profile(
    function: &'static Function,
    (device, profiled): (&dyn Device, &dyn Profiled),
    inputs: Inputs<'_>,
    extent: Extent,
    only: Option<(String, Choice)>,
    out_of_time: &dyn Fn() -> bool,
    announce: &dyn Fn(&Section) -> std::io::Result<()>,
    record: impl FnOnce(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), RecordError> {
    let (subject, (sections, sampled, own_inputs)) = (Subject { function, device }, Default::default());
    let profiling =
        Profiling { subject, profiled, extent, only, out_of_time, announce, sections, sampled, own_inputs };
    let panics = Panics::new(false);
    let mut session = Session::new(inputs, Work::Profile(profiling), &panics)?;
    let ended = session.run(record);
    for (input, why) in session.left_out() {
        tracing::warn!(function = function.name(), input, why, "the input is not profiled");
    }
    match ended {
        Err(RecordError::OutOfTime { .. }) => Ok(()),
        ended => ended,
    }
}
