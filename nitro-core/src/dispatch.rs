//! The way of a call: what was chosen for such an input before, or else is now; then it runs. Nothing here locks or
//! fails, and nothing but an observed call allocates.

use std::sync::atomic::AtomicU64;

use crate::capture::Sample;
use crate::choose::{AtGate, Chosen, Question};
use crate::inline_cache::{Call, Remembered};
use crate::inline_gate::CachedChoice;
use crate::recording::{InnerCall, RecordedCall, TimedCall};
use crate::state::FunctionState;
use crate::{
    Choice, CodeChoice, Device, FeatureVector, Function, Reason, Selection, capture, epoch, recording, stats,
};

/// What a call of a function is to run that its thread does not remember for certain: what it remembers under a
/// condition, what is chosen now, or what a recording on this thread wants to measure.
///
/// `features` computes the features whose bits are set, each into its place; `admissible` evaluates a constraint,
/// of which `tolerance`, the error that the call accepts, is a part.
#[inline]
pub fn decide<C: CodeChoice, const N: usize>(
    remembered: Remembered<C, N>,
    function: &'static Function,
    device: &impl Device,
    features: &impl Fn(u32, &mut [f64; N]),
    admissible: &impl Fn(C) -> bool,
    tolerance: &impl Fn() -> f64,
) -> Decision<C> {
    match remembered.choice_if(admissible) {
        Some(choice) => Decision::again(choice),
        None => decide_anew(remembered.call, function, device, features, admissible, tolerance),
    }
}

#[inline(never)]
fn decide_anew<C: CodeChoice, const N: usize>(
    call: Call<C, N>,
    function: &'static Function,
    device: &dyn Device,
    features: &dyn Fn(u32, &mut [f64; N]),
    admissible: &dyn Fn(C) -> bool,
    tolerance: &dyn Fn() -> f64,
) -> Decision<C> {
    let (compute, mut row) = (|needs: u32, row: &mut [f64]| features(needs, all_of(row)), [0.0; N]);
    let admissible = |choice: Choice| admissible(C::of(choice));
    let entry = call.device;
    let question =
        Question { function, device: entry, compute: &compute, admissible: &admissible, tolerance };
    if epoch::is_observed()
        && let Some((choice, observer)) = observed(&question, device, &mut row)
    {
        return Decision { choice: C::of(choice), observer: Some(observer) };
    }
    let state = function.state();
    let (chosen, calls) = choose_and_count(&question, state, &mut row);
    let untyped = state.choice(chosen.index);
    let choice = C::of(untyped);
    if epoch::is_observed() && !is_unseen() {
        return Decision { choice, observer: None };
    }
    let is_conditional = |choice: Choice| function.variants()[choice.variant].constraint().is_some();
    keep_gate(&call, &question, state, &chosen, is_conditional);
    if let Some(calls) = calls
        && chosen.repeats
    {
        call.remember(
            chosen.needs,
            &row,
            CachedChoice { choice, is_conditional: is_conditional(untyped), calls },
        );
    }
    Decision { choice, observer: None }
}

/// Lets the thread decide by itself what the model's gate would, if it has one and nothing is pinned.
fn keep_gate<C: CodeChoice, const N: usize>(
    call: &Call<C, N>,
    question: &Question<'_>,
    state: &'static FunctionState,
    chosen: &Chosen,
    is_conditional: impl Fn(Choice) -> bool,
) {
    let prediction = chosen.prediction.as_ref().filter(|_| state.forced.is_none());
    let Some(selector) = prediction.map(|prediction| prediction.selector) else { return };
    let Some((gate, needs)) = selector.selector.gate().zip(selector.gate_needs) else { return };
    let Some(slot) = call.new_gate(needs) else { return };
    let choices = state.choices.choices().len();
    let meaning = |choice: usize| {
        let AtGate { index, reason, .. } = question.meaning_at_gate(selector, state, choice)?;
        let calls = stats::counter(state.number, choices, index, reason.kind())?;
        let choice = state.choice(index);
        Some(CachedChoice { choice: C::of(choice), is_conditional: is_conditional(choice), calls })
    };
    slot.set(gate.steps(), |column| selector.features[column], meaning);
}

/// Chooses for an input, as a call does. Nothing is run, and nothing that was remembered is used.
pub fn select<C: CodeChoice, const N: usize>(
    function: &'static Function,
    device: &impl Device,
    features: &impl Fn(u32, &mut [f64; N]),
    admissible: &impl Fn(C) -> bool,
    tolerance: &impl Fn() -> f64,
) -> Selection<C::Variant> {
    let (compute, mut row) = (|needs: u32, row: &mut [f64]| features(needs, all_of(row)), [0.0; N]);
    let admissible = |choice: Choice| admissible(C::of(choice));
    let entry = device.entry();
    let question =
        Question { function, device: entry, compute: &compute, admissible: &admissible, tolerance };
    let state = function.state();
    let chosen = question.choose(state, &mut row);
    let features = FeatureVector::new(function.features(), &row, chosen.needs);
    let mut assess = |prediction| question.assess(state, prediction, &mut row);
    let assessment = chosen.prediction.as_ref().map(&mut assess);
    let far = assessment.and_then(|assessment| assessment.far());
    let reason = match (chosen.reason, far) {
        (Reason::Predicted, Some(far)) => Reason::PredictedFar { far },
        (reason, _) => reason,
    };
    let untyped = state.choice(chosen.index);
    let contract = function.contract(untyped);
    Selection { choice: C::of(untyped), contract, reason, features, assessment }
}

/// A row that has a place for each of the function's features.
fn all_of<const N: usize>(row: &mut [f64]) -> &mut [f64; N] {
    row.try_into().expect("as many places as features")
}

/// What runs, counted, and where the thread counts it.
fn choose_and_count(
    question: &Question<'_>,
    state: &'static FunctionState,
    row: &mut [f64],
) -> (Chosen, Option<&'static AtomicU64>) {
    let chosen = question.choose(state, row);
    let choices = state.choices.choices().len();
    let calls = stats::count(state.number, choices, chosen.index, chosen.reason.kind());
    (chosen, calls)
}

/// Returns whether nobody who observes calls asks for this one again: it is inside of one that is timed as a whole.
#[cold]
fn is_unseen() -> bool {
    recording::is_inside_timed_call() && !capture::is_active()
}

/// Who observes a call.
enum Observer {
    /// A recording on this thread that measures the function.
    Recording(Box<TimedCall>),
    /// A recording in one of whose calls this one is made.
    OuterRecording(InnerCall),
    /// The file of captured calls.
    Capture(Box<Sample>),
}

/// What a call is to run that a recording measures or that is captured.
#[cold]
fn observed(question: &Question<'_>, device: &dyn Device, row: &mut [f64]) -> Option<(Choice, Observer)> {
    let mut chosen_now = || {
        let state = question.function.state();
        let (chosen, _) = choose_and_count(question, state, row);
        (state.choice(chosen.index), chosen.reason)
    };
    match recording::begin(question, device) {
        Some(RecordedCall::Outermost(choice, call)) => return Some((choice, Observer::Recording(call))),
        Some(RecordedCall::Inner(call)) => return Some((chosen_now().0, Observer::OuterRecording(call))),
        None => {}
    }
    let calls = capture::draw()?;
    let (choice, reason) = chosen_now();
    Some((choice, Observer::Capture(capture::sample(question, choice, reason, calls))))
}

/// What a call runs now.
pub struct Decision<C> {
    choice: C,
    /// Who observes the call, if anybody does.
    observer: Option<Observer>,
}

impl<C: Copy> Decision<C> {
    /// What ran last time.
    #[inline]
    pub fn again(choice: C) -> Self {
        Self { choice, observer: None }
    }

    /// What to run.
    #[inline]
    pub fn choice(&self) -> C {
        self.choice
    }

    /// Runs it. `failed` tells from the result whether it failed; a recording wants to know.
    #[inline]
    pub fn run<R>(self, body: impl FnOnce() -> R, failed: impl FnOnce(&R) -> bool) -> R {
        match self.observer {
            None => body(),
            Some(Observer::Capture(sample)) => sample.run(body),
            Some(Observer::Recording(call)) => (*call).run(body, failed),
            Some(Observer::OuterRecording(_call)) => body(),
        }
    }
}

/// Whether a call failed, seen from its result alone: `Err` did, anything else did not.
///
/// `(&Outcome(&result)).__nitro_failed()` finds [`OutcomeOfResult`] for a `Result` and [`OutcomeOfAny`] otherwise,
/// because method lookup tries fewer references first.
pub struct Outcome<'a, R>(pub &'a R);

/// [`Outcome`] of a `Result`.
pub trait OutcomeOfResult {
    /// Whether it is an error.
    fn __nitro_failed(&self) -> bool;
}

impl<T, E> OutcomeOfResult for Outcome<'_, Result<T, E>> {
    fn __nitro_failed(&self) -> bool {
        self.0.is_err()
    }
}

/// [`Outcome`] of anything else.
pub trait OutcomeOfAny {
    /// Never.
    fn __nitro_failed(&self) -> bool;
}

impl<R> OutcomeOfAny for &Outcome<'_, R> {
    fn __nitro_failed(&self) -> bool {
        false
    }
}
