//! The way of a call: what was chosen for such an input before, or else a choice; then the variant. Nothing here locks or fails, and nothing but
//! a watched call allocates.

use std::sync::atomic::AtomicU64;

use crate::capture::Sample;
use crate::choose::{Choice, Question};
use crate::device::Stopwatch;
use crate::inline_cache::{CachedChoice, Call, Remembered};
use crate::selection::Assessment;
use crate::{
    CodeVariant, Device, FeatureVector, Function, Reason, Selection, capture, epoch, recording, stats,
};

/// What a call of a function is to run that its thread does not remember for certain: what it remembers under a condition, what is chosen
/// now, or what a recording on this thread wants to measure.
///
/// `features` computes the features whose bits are set, each into its place; `admissible` evaluates a constraint.
#[inline]
pub fn decide<V: CodeVariant, const N: usize>(
    remembered: Remembered<V, N>,
    function: &'static Function,
    device: &impl Device,
    features: &impl Fn(u32, &mut [f64; N]),
    admissible: &impl Fn(V) -> bool,
) -> Decision<V> {
    match remembered.choice_if(admissible) {
        Some(variant) => Decision::again(variant),
        None => decide_anew(remembered.call, function, device, features, admissible),
    }
}

#[inline(never)]
fn decide_anew<V: CodeVariant, const N: usize>(
    call: Call<V, N>,
    function: &'static Function,
    device: &dyn Device,
    features: &dyn Fn(u32, &mut [f64; N]),
    admissible: &dyn Fn(V) -> bool,
) -> Decision<V> {
    let (compute, mut row) = (|needs: u32, row: &mut [f64]| features(needs, all_of(row)), [0.0; N]);
    let admissible = |variant: usize| admissible(V::ALL[variant]);
    let question = Question { function, device: call.device, compute: &compute, admissible: &admissible };
    if epoch::is_watched()
        && let Some((variant, watch)) = watched(&question, device, &mut row)
    {
        return Decision { variant: V::ALL[variant], watch: Some(watch) };
    }
    let (choice, calls) = choose_and_count(&question, &mut row);
    let variant = V::ALL[choice.variant];
    if let Some(calls) = calls
        && choice.repeats
        && !epoch::is_watched()
    {
        let is_conditional = function.variants()[choice.variant].constraint.is_some();
        call.remember(choice.needs, &row, CachedChoice { variant, is_conditional, calls });
    }
    Decision { variant, watch: None }
}

/// Chooses the variant for an input, as a call does. Nothing is run, and nothing that was remembered is used.
pub fn select<V: CodeVariant, const N: usize>(
    function: &'static Function,
    device: &impl Device,
    features: &impl Fn(u32, &mut [f64; N]),
    admissible: &impl Fn(V) -> bool,
) -> Selection<V> {
    let (compute, mut row) = (|needs: u32, row: &mut [f64]| features(needs, all_of(row)), [0.0; N]);
    let admissible = |variant: usize| admissible(V::ALL[variant]);
    let question = Question { function, device: device.entry(), compute: &compute, admissible: &admissible };
    let (choice, assessment) = assessed(&question, &mut row);
    let far = assessment.and_then(|assessment| assessment.far());
    let reason = match (choice.reason, far) {
        (Reason::Predicted, Some(far)) => Reason::PredictedFar { far },
        (reason, _) => reason,
    };
    let features = FeatureVector::new(function.features(), &row, choice.needs);
    Selection { variant: V::ALL[choice.variant], reason, features, assessment }
}

/// A row that has a place for each of the function's features.
fn all_of<const N: usize>(row: &mut [f64]) -> &mut [f64; N] {
    row.try_into().expect("as many places as features")
}

/// The choice, and what the model thinks of it.
fn assessed(question: &Question<'_>, row: &mut [f64]) -> (Choice, Option<Assessment>) {
    let state = question.function.state();
    let choice = question.choose(state, row);
    let assess = |prediction| question.assess(state, prediction, row);
    let assessment = choice.prediction.as_ref().map(assess);
    (choice, assessment)
}

/// The choice, counted, and where the thread counts such choices.
fn choose_and_count(question: &Question<'_>, row: &mut [f64]) -> (Choice, Option<&'static AtomicU64>) {
    let (function, state) = (question.function, question.function.state());
    let choice = question.choose(state, row);
    let calls = stats::count(state.number, function.variants().len(), choice.variant, choice.reason.kind());
    (choice, calls)
}

/// Who wants to know about a call.
enum Watch {
    /// A recording on this thread that measures the function.
    Recording(Box<dyn Stopwatch>),
    /// The file of captured calls.
    Capture(Box<Sample>),
}

/// What a call is to run that a recording measures or that is captured.
#[cold]
fn watched(question: &Question<'_>, device: &dyn Device, row: &mut [f64]) -> Option<(usize, Watch)> {
    if let Some((variant, stopwatch)) = recording::intercept(question, device) {
        return Some((variant, Watch::Recording(stopwatch)));
    }
    let calls = capture::draw()?;
    let (choice, _) = choose_and_count(question, row);
    Some((choice.variant, Watch::Capture(capture::sample(question, &choice, calls))))
}

/// The variant that a call runs now.
pub struct Decision<V> {
    variant: V,
    /// Who wants to know about the call, if anybody does.
    watch: Option<Watch>,
}

impl<V: CodeVariant> Decision<V> {
    /// The variant that ran last time.
    #[inline]
    pub fn again(variant: V) -> Self {
        Self { variant, watch: None }
    }

    /// The variant to run.
    #[inline]
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
