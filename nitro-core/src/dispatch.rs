//! The way of a call: features, model, constraints, choice. Nothing here allocates, locks or fails.

use crate::model::Scores;
use crate::resolve::DeviceSelector;
use crate::selection::Assessment;
use crate::watch::{self, Watch};
use crate::{CodeVariant, Device, FeatureVector, Function, Reason, Selection, capture, recording};

/// Chooses the variant for an input: `feature` computes the feature of an index, `admissible` evaluates a constraint.
pub fn select<V: CodeVariant>(
    function: &'static Function,
    device: &dyn Device,
    feature: &dyn Fn(usize) -> f64,
    admissible: &dyn Fn(V) -> bool,
) -> Selection<V> {
    let (index, reason, features, assessment) =
        choose(function, device, feature, &|index| admissible(V::ALL[index]), assess);
    let far = assessment.and_then(|assessment| assessment.far());
    let reason = match (reason, far) {
        (Reason::Predicted, Some(far)) => Reason::PredictedFar { far },
        (reason, _) => reason,
    };
    Selection { variant: V::ALL[index], reason, features, assessment }
}

/// What a call of a function is to run: the selection, or what a recording on this thread wants to measure.
pub fn decide<V: CodeVariant>(
    function: &'static Function,
    device: &dyn Device,
    feature: &dyn Fn(usize) -> f64,
    admissible: &dyn Fn(V) -> bool,
) -> Decision<V> {
    let admissible_index = |index: usize| admissible(V::ALL[index]);
    if watch::anybody()
        && let Some((index, watch)) = watched(function, device, feature, &admissible_index)
    {
        return Decision { variant: V::ALL[index], watch: Some(watch) };
    }
    let (index, ..) = choose(function, device, feature, &admissible_index, |_| ());
    Decision { variant: V::ALL[index], watch: None }
}

/// What a call is to run that a recording measures or that is captured. Out of the way of all other calls.
#[cold]
#[inline(never)]
fn watched(
    function: &'static Function,
    device: &dyn Device,
    feature: &dyn Fn(usize) -> f64,
    admissible: &dyn Fn(usize) -> bool,
) -> Option<(usize, Watch)> {
    if let Some((index, stopwatch)) = recording::intercept(function, device, feature, admissible) {
        return Some((index, Watch::Recording(stopwatch)));
    }
    let calls = capture::draw()?;
    let (index, reason, ..) = choose(function, device, feature, admissible, |_| ());
    Some((index, Watch::Capture(capture::sample(function, device, feature, index, &reason, calls))))
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
    scores: &'a Scores,
    /// The class that was chosen.
    best: usize,
    admissible: &'a dyn Fn(usize) -> bool,
}

/// Variant, why, the features that were needed, and what `assess` made of the prediction, if a model decided.
type Choice<A> = (usize, Reason, FeatureVector, Option<A>);

fn choose<A>(
    function: &'static Function,
    device: &dyn Device,
    feature: &dyn Fn(usize) -> f64,
    admissible: &dyn Fn(usize) -> bool,
    assess: impl Fn(&Prediction<'_>) -> A,
) -> Choice<A> {
    let mut features = FeatureVector::empty(function.features());
    if let Some(forced) = function.state().forced
        && admissible(forced)
    {
        return (forced, Reason::Forced, features, None);
    }
    let predicted = match function.resolved(device.entry()) {
        Ok(selector) => predict(selector, function, feature, admissible, &mut features, assess),
        Err(reason) => Err(*reason),
    };
    match predicted {
        Ok((variant, reason, assessment)) => (variant, reason, features, Some(assessment)),
        Err(reason) => (function.default_variant(), reason, features, None),
    }
}

/// The best admissible variant by the model, why it and not another, and what `assess` makes of that.
fn predict<A>(
    selector: &DeviceSelector,
    function: &'static Function,
    feature: &dyn Fn(usize) -> f64,
    admissible: &dyn Fn(usize) -> bool,
    features: &mut FeatureVector,
    assess: impl Fn(&Prediction<'_>) -> A,
) -> Result<(usize, Reason, A), Reason> {
    let mut row = [0.0; crate::MAX_FEATURES];
    let needed = if selector.selector.is_constant() { &[][..] } else { &selector.features };
    for (value, &index) in row.iter_mut().zip(needed) {
        *value = feature(index);
        features.set(index, *value);
        if !value.is_finite() {
            return Err(Reason::FeatureNotFinite { feature: function.features()[index] });
        }
    }
    let row = &row[..needed.len()];
    let scores = selector.selector.scores(row);
    let place = |class: usize| selector.place(class);
    let first = scores.best(|_| true).and_then(place);
    let Some(best) = scores.best(|class| place(class).is_some_and(admissible)) else {
        // A constant selector has one wish only, so what became of it is the whole story.
        let gone = || reason(selector, function, first, function.default_variant());
        return Err(if selector.selector.is_constant() { gone() } else { Reason::NoneAdmissible });
    };
    let index = place(best).expect("only variants of the code are admissible");
    let prediction = Prediction { selector, row, scores: &scores, best, admissible };
    Ok((index, reason(selector, function, first, index), assess(&prediction)))
}

/// How sure a prediction is, and how near to what the model was trained on. Only a selection asks: a call has no use for it.
fn assess(prediction: &Prediction<'_>) -> Assessment {
    let Prediction { selector, row, scores, best, admissible } = *prediction;
    let is_other = |class: usize| class != best && selector.place(class).is_some_and(admissible);
    let confidence = scores.confidence(best);
    Assessment {
        confidence,
        margin: scores.best(is_other).map(|next| confidence - scores.confidence(next)),
        input_distance: selector.inputs.as_ref().and_then(|inputs| inputs.distance(row)),
        device_distance: selector.device_distance,
    }
}

/// Why `chosen` runs when the model ranks `first` first (absent: it is no longer in the code).
fn reason(
    selector: &DeviceSelector,
    function: &'static Function,
    first: Option<usize>,
    chosen: usize,
) -> Reason {
    match (first, selector.unknown) {
        (None, _) => Reason::FirstChoiceMissing,
        (Some(first), _) if first != chosen => {
            Reason::FirstChoiceInadmissible { first: function.variants()[first].name }
        }
        (Some(_), Some(unknown)) => Reason::PredictedWithout { unknown },
        (Some(_), None) => Reason::Predicted,
    }
}
