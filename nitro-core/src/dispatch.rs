//! The way of a call: chooses what the inline cache does not settle, and runs it. Nothing here locks or fails, and
//! nothing but an observed call allocates.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use crate::capture::Sample;
use crate::choose::{Answer, GateDecision, Question, bit};
use crate::function::state::FunctionState;
use crate::inline_cache::{CacheLookup, Call};
use crate::inline_gate::CachedChoice;
use crate::recording::{InnerCall, PendingCall, RecordedCall, TimedCall};
use crate::self_calibration::ComparedCall;
use crate::{
    Choice, CodeChoice, Device, FeatureVector, Function, Reason, Selection, capture, epoch, recording,
    regime, self_calibration, stats,
};

/// Chooses the variant for a call that the inline cache does not settle. Tries, in order: a remembered choice with a
/// constraint, a recording on this thread, the model.
///
/// `features` computes the features whose bits are set, each into its place; `admissible` evaluates a constraint,
/// of which `tolerance`, the error that the call accepts, is a part.
#[inline]
pub fn decide<C: CodeChoice, const N: usize>(
    remembered: CacheLookup<C, N>,
    function: &'static Function,
    device: &impl Device,
    features: &impl Fn(u32, &mut [f64; N]),
    admissible: &impl Fn(C) -> bool,
    tolerance: &impl Fn() -> f64,
) -> Decision<C> {
    match remembered.choice_if(admissible) {
        Ok(choice) => Decision::again(choice),
        Err(refused) => {
            decide_anew((remembered.call, refused), function, device, features, admissible, tolerance)
        }
    }
}

/// Chooses for a call of which nothing usable is remembered; what is known not to run comes along, bit by bit.
#[inline(never)]
fn decide_anew<C: CodeChoice, const N: usize>(
    (call, refused): (Call<C, N>, u64),
    function: &'static Function,
    device: &dyn Device,
    features: &dyn Fn(u32, &mut [f64; N]),
    admissible: &dyn Fn(C) -> bool,
    tolerance: &dyn Fn() -> f64,
) -> Decision<C> {
    let mut row = [0.0; N];
    let question = Question {
        function,
        device: call.device,
        compute: &|needs, row| features(needs, all_of(row)),
        admissible: &|choice| admissible(C::of(choice)),
        refused: Cell::new(refused),
        tolerance,
    };
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
    let (bit, is_conditional) = (bit(chosen.index), is_conditional(function, untyped));
    let known = calls.filter(|_| chosen.repeats);
    let known = known.map(|calls| CachedChoice { choice, bit, is_conditional, calls });
    if let Some(held) = known.filter(|own| !own.is_conditional && call.holds()) {
        call.remember(0, &row, held);
        return Decision { choice, observer: None };
    }
    keep_gate(&call, &question, state, &chosen);
    if let Some(known) = known {
        call.remember(chosen.needs, &row, known);
    }
    Decision { choice, observer: None }
}

/// Returns true where the constraint of a choice has to be asked for each input.
fn is_conditional(function: &Function, choice: Choice) -> bool {
    function.variants()[choice.variant].constraint().is_some()
}

/// Lets the thread decide by itself what the model's gate would, if it has one and nothing is pinned.
fn keep_gate<C: CodeChoice, const N: usize>(
    call: &Call<C, N>,
    question: &Question<'_>,
    state: &'static FunctionState,
    chosen: &Answer,
) {
    let prediction = chosen.prediction.as_ref().filter(|_| state.forced.is_none());
    let Some(selector) = prediction.map(|prediction| prediction.selector) else { return };
    let Some((gate, needs)) = selector.selector.gate().zip(selector.gate_needs) else { return };
    let choices = state.choices.choices().len();
    let meaning = |first, choice| {
        let GateDecision { index, reason, .. } =
            question.meaning_at_gate(selector, state, (first, choice))?;
        let calls = stats::counter(state.number, choices, index, reason.kind())?;
        let choice = state.choice(index);
        let is_conditional = is_conditional(question.function, choice);
        Some(CachedChoice { choice: C::of(choice), bit: bit(index), is_conditional, calls })
    };
    call.keep_gate(needs, |kept| {
        let decision = |step, choice| {
            let second = gate.second_at(step).and_then(|second| meaning(choice, second));
            Some((meaning(choice, choice)?, second))
        };
        kept.set(gate.steps(), |column| selector.features[column], decision);
    });
}

/// Chooses for an input, as a call does. Nothing is run, and nothing that was remembered is used.
pub fn select<C: CodeChoice, const N: usize>(
    function: &'static Function,
    device: &impl Device,
    features: &impl Fn(u32, &mut [f64; N]),
    admissible: &impl Fn(C) -> bool,
    tolerance: &impl Fn() -> f64,
) -> Selection<C::Variant> {
    let mut row = [0.0; N];
    let question = Question {
        function,
        device: regime::device_of_selection(device),
        compute: &|needs, row| features(needs, all_of(row)),
        admissible: &|choice| admissible(C::of(choice)),
        refused: Cell::default(),
        tolerance,
    };
    let state = function.state();
    let chosen = question.choose(state, &mut row);
    let features = FeatureVector::new(function.features(), &row, chosen.needs);
    let assessment =
        chosen.prediction.as_ref().map(|prediction| question.assess(state, prediction, &mut row));
    let far = assessment.and_then(|assessment| assessment.far());
    let regime = question.device.regime();
    let reason = match (chosen.reason, far) {
        (Reason::Predicted, _) if !state.knows(regime) => Reason::PredictedForEager { regime },
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

/// Chooses and counts the call. Returns the thread's counter of such calls too.
fn choose_and_count(
    question: &Question<'_>,
    state: &'static FunctionState,
    row: &mut [f64],
) -> (Answer, Option<&'static AtomicU64>) {
    let chosen = question.choose(state, row);
    let choices = state.choices.choices().len();
    let calls = stats::count(state.number, choices, chosen.index, chosen.reason.kind());
    (chosen, calls)
}

/// Returns whether nobody who observes calls asks for this one again. It is inside of one that is timed as a whole.
#[cold]
fn is_unseen() -> bool {
    recording::is_inside_timed_call() && !capture::is_active()
}

/// The observer of a call.
enum Observer {
    /// A recording on this thread that measures the function.
    Recording(Box<TimedCall>),
    /// A recording in one of whose calls this one is made.
    OuterRecording(InnerCall),
    /// The comparison of choices in the background.
    Compared(Box<ComparedCall>),
    /// The file of captured calls.
    Capture(Box<Sample>),
}

/// Chooses for a call that a recording measures, that is compared with others, or that is captured.
#[cold]
fn observed(question: &Question<'_>, device: &dyn Device, row: &mut [f64]) -> Option<(Choice, Observer)> {
    match recording::begin(question, device) {
        Some(RecordedCall::Outermost(choice, call)) => return Some((choice, Observer::Recording(call))),
        Some(RecordedCall::Inner(call)) => {
            return Some((choose_now(question, row).0, Observer::OuterRecording(call)));
        }
        None => {}
    }
    if let Some((choice, call)) = self_calibration::begin(question, device) {
        return Some((choice, Observer::Compared(call)));
    }
    let calls = capture::draw()?;
    let (choice, reason) = choose_now(question, row);
    Some((choice, Observer::Capture(capture::sample(question, choice, reason, calls))))
}

/// Chooses and counts as for a call that nobody observes.
fn choose_now(question: &Question<'_>, row: &mut [f64]) -> (Choice, Reason) {
    let state = question.function.state();
    let (chosen, _) = choose_and_count(question, state, row);
    (state.choice(chosen.index), chosen.reason)
}

/// The choice that a call runs now, with the call's observer.
pub struct Decision<C> {
    choice: C,
    /// The observer, if there is one.
    observer: Option<Observer>,
}

impl<C: Copy> Decision<C> {
    /// The choice that ran last time.
    #[inline]
    pub fn again(choice: C) -> Self {
        Self { choice, observer: None }
    }

    /// The choice to run.
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
            Some(Observer::Compared(call)) => (*call).run(body, failed),
            Some(Observer::Recording(call)) => (*call).run(body, failed),
            Some(Observer::OuterRecording(_call)) => body(),
        }
    }
}

impl<C> Decision<C> {
    /// Begins a call that ends when its future does, on whatever thread that is.
    #[inline]
    pub fn begin_future(self) -> Pending {
        Pending(self.observer.and_then(Observer::begin_future))
    }
}

impl Observer {
    #[cold]
    fn begin_future(self) -> Option<PendingObserver> {
        match self {
            Self::Recording(call) => Some(PendingObserver::Recording(call.begin_future())),
            Self::OuterRecording(call) => Some(PendingObserver::OuterRecording(call)),
            Self::Capture(sample) => Some(PendingObserver::Capture(sample, Instant::now())),
            // Others run on the thread while it waits, so its time would say little.
            Self::Compared(_) => None,
        }
    }
}

/// The observer of a call whose future is under way, if there is one. It may go to another thread.
pub struct Pending(Option<PendingObserver>);

enum PendingObserver {
    Recording(PendingCall),
    OuterRecording(InnerCall),
    Capture(Box<Sample>, Instant),
}

impl Pending {
    /// Tells the observer that the future has ended, and by `failed` if that was an error.
    #[inline]
    pub fn end(self, failed: impl FnOnce() -> bool) {
        match self.0 {
            None | Some(PendingObserver::OuterRecording(_)) => {}
            Some(PendingObserver::Recording(call)) => call.end(failed),
            Some(PendingObserver::Capture(sample, begun)) => sample.end(begun.elapsed().as_nanos()),
        }
    }
}

/// The outcome of a call, seen from its result alone: `Err` has failed, anything else has not.
///
/// `(&Outcome(&result)).__nitro_failed()` finds [`OutcomeOfResult`] for a `Result` and [`OutcomeOfAny`] otherwise,
/// because method lookup tries fewer references first.
pub struct Outcome<'a, R>(pub &'a R);

/// [`Outcome`] of a `Result`.
pub trait OutcomeOfResult {
    /// Returns true for an error.
    fn __nitro_failed(&self) -> bool;
}

impl<T, E> OutcomeOfResult for Outcome<'_, Result<T, E>> {
    fn __nitro_failed(&self) -> bool {
        self.0.is_err()
    }
}

/// [`Outcome`] of anything else.
pub trait OutcomeOfAny {
    /// Returns false.
    fn __nitro_failed(&self) -> bool;
}

impl<R> OutcomeOfAny for &Outcome<'_, R> {
    fn __nitro_failed(&self) -> bool {
        false
    }
}
