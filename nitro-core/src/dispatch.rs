//! The way of a call: features, model, constraints, choice. Nothing here locks or fails, and nothing but a watched call allocates.

use std::cell::RefCell;

use crate::capture::Sample;
use crate::device::Stopwatch;
use crate::feature::{self, Features, Row};
use crate::resolve::DeviceSelector;
use crate::selection::Assessment;
use crate::state::FunctionState;
use crate::{
    CodeVariant, Device, FeatureVector, Function, Reason, Selection, capture, memo, recording, stats, watch,
};

/// Chooses the variant for an input: `feature` computes the feature of an index, `admissible` evaluates a constraint.
pub fn select<V: CodeVariant>(
    function: &'static Function,
    device: &dyn Device,
    feature: &dyn Fn(usize) -> f64,
    admissible: &dyn Fn(V) -> bool,
) -> Selection<V> {
    let features = RefCell::new(FeatureVector::empty(function.features()));
    let compute = |indices: &[usize], row: &mut Row| {
        row.fill(indices, feature);
        indices.iter().zip(row.values()).for_each(|(&index, &value)| features.borrow_mut().set(index, value));
    };
    let (index, reason, assessment) =
        choose(function, function.state(), device, &compute, &|index| admissible(V::ALL[index]), assess);
    let far = assessment.and_then(|assessment| assessment.far());
    let reason = match (reason, far) {
        (Reason::Predicted, Some(far)) => Reason::PredictedFar { far },
        (reason, _) => reason,
    };
    Selection { variant: V::ALL[index], reason, features: features.into_inner(), assessment }
}

/// What a call of a function is to run: the selection, or what a recording on this thread wants to measure.
#[inline]
pub fn decide<V: CodeVariant>(
    function: &'static Function,
    device: &dyn Device,
    feature: &impl Fn(usize) -> f64,
    admissible: &impl Fn(V) -> bool,
) -> Decision<V> {
    let compute = |indices: &[usize], row: &mut Row| row.fill(indices, feature);
    let (index, watch) = decide_index(function, device, &compute, &|index| admissible(V::ALL[index]));
    Decision { variant: V::ALL[index], watch }
}

/// As [`decide`], the same code for all functions.
fn decide_index(
    function: &'static Function,
    device: &dyn Device,
    compute: &Features<'_>,
    admissible: &dyn Fn(usize) -> bool,
) -> (usize, Option<Watch>) {
    if watch::anybody()
        && let Some((index, watch)) = watched(function, device, compute, admissible)
    {
        return (index, Some(watch));
    }
    (choose_and_count(function, device, compute, admissible).0, None)
}

/// Who wants to know about a call.
enum Watch {
    /// A recording on this thread that measures the function.
    Recording(Box<dyn Stopwatch>),
    /// The file of captured calls.
    Capture(Box<Sample>),
}

/// What a call is to run that a recording measures or that is captured. Out of the way of all other calls.
#[cold]
#[inline(never)]
fn watched(
    function: &'static Function,
    device: &dyn Device,
    compute: &Features<'_>,
    admissible: &dyn Fn(usize) -> bool,
) -> Option<(usize, Watch)> {
    if let Some((index, stopwatch)) = recording::intercept(function, device, compute, admissible) {
        return Some((index, Watch::Recording(stopwatch)));
    }
    let calls = capture::draw()?;
    // All of them are noted, and none may be computed twice.
    let features = feature::all(function, compute);
    let known = |indices: &[usize], row: &mut Row| row.fill(indices, |index| features[index]);
    let (index, reason) = choose_and_count(function, device, &known, admissible);
    Some((index, Watch::Capture(capture::sample(function, device, &features, index, &reason, calls))))
}

fn choose_and_count(
    function: &'static Function,
    device: &dyn Device,
    compute: &Features<'_>,
    admissible: &dyn Fn(usize) -> bool,
) -> (usize, Reason) {
    let state = function.state();
    let (index, reason, _) = choose(function, state, device, compute, admissible, |_| ());
    stats::count(state.number, function.variants().len(), index, reason.kind());
    (index, reason)
}

/// The variant that a call runs now.
pub struct Decision<V> {
    variant: V,
    /// Who wants to know about the call, if anybody does.
    watch: Option<Watch>,
}

impl<V: CodeVariant> Decision<V> {
    /// The variant to run.
    pub fn variant(&self) -> V {
        self.variant
    }

    /// Runs the variant. `failed` tells from the result whether it failed; a recording wants to know.
    #[inline]
    pub fn run<R>(self, body: impl FnOnce() -> R, failed: impl FnOnce(&R) -> bool) -> R {
        let mut stopwatch = match self.watch {
            None => return body(),
            Some(Watch::Capture(sample)) => return sample.run(body),
            Some(Watch::Recording(stopwatch)) => stopwatch,
        };
        stopwatch.start();
        let result = body();
        let time_ns = stopwatch.stop();
        recording::observe(time_ns, failed(&result));
        result
    }
}

/// Whether a call failed, seen from its result alone: `Err` did, anything else did not.
///
/// `(&Outcome(&result)).failed()` finds [`OutcomeOfResult`] for a `Result` and [`OutcomeOfAny`] otherwise, because method
/// lookup tries fewer references first.
pub struct Outcome<'a, R>(pub &'a R);

/// [`Outcome`] of a `Result`.
pub trait OutcomeOfResult {
    /// Whether it is an error.
    fn failed(&self) -> bool;
}

impl<T, E> OutcomeOfResult for Outcome<'_, Result<T, E>> {
    fn failed(&self) -> bool {
        self.0.is_err()
    }
}

/// [`Outcome`] of anything else.
pub trait OutcomeOfAny {
    /// Never.
    fn failed(&self) -> bool;
}

impl<R> OutcomeOfAny for &Outcome<'_, R> {
    fn failed(&self) -> bool {
        false
    }
}

/// What a model said, for whoever asks how sure it is.
struct Prediction<'a> {
    selector: &'a DeviceSelector,
    /// Values of the model's features.
    row: &'a [f64],
    /// The class that was chosen.
    best: usize,
    /// Whether the variant at a place may run for the input.
    may_run: &'a dyn Fn(usize) -> bool,
}

/// Variant, why, and what `assess` made of the prediction, if a model decided.
type Choice<A> = (usize, Reason, Option<A>);

fn choose<A>(
    function: &'static Function,
    state: &'static FunctionState,
    device: &dyn Device,
    compute: &Features<'_>,
    admissible: &dyn Fn(usize) -> bool,
    assess: impl Fn(&Prediction<'_>) -> A,
) -> Choice<A> {
    if let Some(forced) = state.forced
        && state.may_run(forced, admissible)
    {
        return (forced, Reason::Forced, None);
    }
    let predicted = match state.resolved(function, device.entry()) {
        Ok(selector) => predict(selector, function, state, compute, admissible, assess),
        Err(reason) => Err(*reason),
    };
    match predicted {
        Ok((variant, reason, assessment)) => (variant, reason, Some(assessment)),
        Err(reason) => (function.default_variant(), reason, None),
    }
}

/// The best admissible variant by the model, why it and not another, and what `assess` makes of that.
fn predict<A>(
    selector: &DeviceSelector,
    function: &'static Function,
    state: &FunctionState,
    compute: &Features<'_>,
    admissible: &dyn Fn(usize) -> bool,
    assess: impl Fn(&Prediction<'_>) -> A,
) -> Result<(usize, Reason, A), Reason> {
    let columns = if selector.selector.is_constant() { &[][..] } else { &selector.features };
    let mut row = Row::empty();
    compute(columns, &mut row);
    if let Some(index) = row.not_finite() {
        return Err(Reason::FeatureNotFinite { feature: function.features()[columns[index]] });
    }
    let place = |class: usize| selector.place(class);
    let may_run = |index: usize| state.may_run(index, admissible);
    let (first, best) = memo::with_order(selector, &row, |order| {
        (order.iter().next(), order.iter().find(|&class| place(class).is_some_and(may_run)))
    });
    let first = first.and_then(place);
    let Some(best) = best else {
        // A constant selector has one wish only, so what became of it is the whole story.
        let gone = || reason(selector, function, state, first, function.default_variant());
        return Err(if selector.selector.is_constant() { gone() } else { Reason::NoneAdmissible });
    };
    let index = place(best).expect("only variants of the code are admissible");
    let prediction = Prediction { selector, row: row.values(), best, may_run: &may_run };
    Ok((index, reason(selector, function, state, first, index), assess(&prediction)))
}

/// How sure a prediction is, and how near to what the model was trained on. Only a selection asks: a call has no use for it.
fn assess(prediction: &Prediction<'_>) -> Assessment {
    let Prediction { selector, row, best, may_run } = *prediction;
    let scores = selector.selector.scores(row);
    let is_other = |&class: &usize| class != best && selector.place(class).is_some_and(may_run);
    let confidence = scores.confidence(best);
    Assessment {
        confidence,
        margin: scores.order().iter().find(is_other).map(|next| confidence - scores.confidence(next)),
        input_distance: selector.inputs.as_ref().and_then(|inputs| inputs.distance(row)),
        device_distance: selector.device_distance,
    }
}

/// Why `chosen` runs when the model ranks `first` first (absent: it is no longer in the code).
fn reason(
    selector: &DeviceSelector,
    function: &'static Function,
    state: &FunctionState,
    first: Option<usize>,
    chosen: usize,
) -> Reason {
    match (first, selector.unknown) {
        (None, _) => Reason::FirstChoiceMissing,
        (Some(first), _) if first != chosen => {
            let is_exact = state.is_exact_enough(first);
            let first = function.variants()[first].name;
            if is_exact {
                Reason::FirstChoiceInadmissible { first }
            } else {
                Reason::FirstChoiceInexact { first }
            }
        }
        (Some(_), Some(unknown)) => Reason::PredictedWithout { unknown },
        (Some(_), None) => Reason::Predicted,
    }
}
