//! What runs: what the model ranks first of what may run. Nothing here allocates, locks or fails, and it is the
//! only place that decides: calls, selections and captured calls all ask here.

use crate::feature::{Features, Row};
use crate::resolve::DeviceSelector;
use crate::selection::Assessment;
use crate::state::FunctionState;
use crate::{Choice, DeviceEntry, Function, Reason, first_admissible};

/// What is asked: a function, on a device, for an input.
pub(crate) struct Question<'a> {
    pub(crate) function: &'static Function,
    pub(crate) device: &'static DeviceEntry,
    pub(crate) compute: &'a Features<'a>,
    /// Whether the constraint of a choice's variant admits the input.
    pub(crate) admissible: &'a dyn Fn(Choice) -> bool,
    /// The largest relative error that the call accepts: part of constraints, asked here to say why.
    pub(crate) tolerance: &'a dyn Fn() -> f64,
}

/// What runs, and why.
pub(crate) struct Chosen {
    /// Index in the choice table.
    pub(crate) index: usize,
    pub(crate) reason: Reason,
    /// Bit by bit the features that it depends on.
    pub(crate) needs: u32,
    /// Whether every input with these features gets it for this reason, as long as its constraint admits the input.
    pub(crate) repeats: bool,
    /// Absent when no model decided.
    pub(crate) prediction: Option<Prediction>,
}

/// What a model said.
pub(crate) struct Prediction {
    pub(crate) selector: &'static DeviceSelector,
    /// The class that was chosen.
    best: usize,
}

/// What runs where a model's gate decides.
pub(crate) struct AtGate {
    /// The class of the selector.
    best: usize,
    /// Index in the choice table.
    pub(crate) index: usize,
    pub(crate) reason: Reason,
}

impl Chosen {
    /// One in which the features have no say.
    fn of(index: usize, reason: Reason) -> Self {
        Self { index, reason, needs: 0, repeats: true, prediction: None }
    }
}

impl Question<'_> {
    /// What runs; the features that this depends on are put into `features`, which has a place for each that the
    /// function has.
    pub(crate) fn choose(&self, state: &'static FunctionState, features: &mut [f64]) -> Chosen {
        if let Some(forced) = state.forced
            && state.may_run(forced, self.admissible)
        {
            return Chosen::of(forced, Reason::Forced);
        }
        let chosen = match state.resolved(self.function, self.device) {
            Ok(selector) => self.predict(selector, state, features),
            Err(reason) => Chosen {
                // Until the device is measured: to remember that would keep it.
                repeats: !matches!(reason, Reason::DeviceFeaturesPending),
                ..Chosen::of(self.function.default_variant(), *reason)
            },
        };
        let Some(forced) = state.forced else { return chosen };
        let pinned = self.function.variants()[state.choice(forced).variant].name();
        // Another input may admit the pinned choice.
        Chosen { reason: Reason::ForcedInadmissible { pinned }, repeats: false, ..chosen }
    }

    /// The best admissible choice by the model, and why it and not another.
    fn predict(
        &self,
        selector: &'static DeviceSelector,
        state: &FunctionState,
        features: &mut [f64],
    ) -> Chosen {
        if let Some(decided) = self.decide_at_gate(selector, state, features) {
            return decided;
        }
        (self.compute)(selector.needs, features);
        let row = Row::gather(&selector.features, features);
        let default = self.function.default_variant(); // the table begins with the variants
        let by_default =
            |reason| Chosen { needs: selector.needs, repeats: false, ..Chosen::of(default, reason) };
        if let Some(column) = row.values().iter().position(|value| !value.is_finite()) {
            let feature = self.function.features()[selector.features[column]];
            return by_default(Reason::FeatureNotFinite { feature });
        }
        let scores = selector.selector.scores(row.values());
        let unsure = selector.selector.unsure(row.values(), &scores);
        let ranked = || unsure.into_iter().chain(scores.ranked().filter(|&class| unsure != Some(class)));
        let first = ranked().next().and_then(|class| selector.choice(class));
        let mut passed_over = 0;
        let best = first_admissible(ranked(), |class| {
            let index = selector.choice(class).filter(|&index| state.is_exact_enough(index))?;
            let may_run = state.may_run(index, self.admissible);
            passed_over += usize::from(!may_run);
            may_run.then_some((class, index))
        });
        let Some((best, index)) = best else {
            // A constant selector has one wish only, so what became of it is the whole story.
            let gone = || self.reason(selector, state, first, default);
            return by_default(if selector.selector.is_constant() { gone() } else { Reason::NoneAdmissible });
        };
        Chosen {
            index,
            reason: match unsure == Some(best) {
                true => Reason::Unsure,
                false => self.reason(selector, state, first, index),
            },
            needs: selector.needs,
            // For another input, the constraint of a better one may hold. And what a gate has let through is asked
            // again rather than remembered: to compare, a call would compute the very features that most inputs are
            // spared.
            repeats: passed_over == 0 && selector.gate_needs.is_none_or(|needs| needs == selector.needs),
            prediction: Some(Prediction { selector, best }),
        }
    }

    /// What the gate decides, if it does and that may run; from its features alone.
    fn decide_at_gate(
        &self,
        selector: &'static DeviceSelector,
        state: &FunctionState,
        features: &mut [f64],
    ) -> Option<Chosen> {
        let needs = selector.gate_needs?;
        (self.compute)(needs, features);
        let gate = selector.selector.gate()?;
        let choice = gate.decide(Row::gather(&selector.features, features).values())?;
        let AtGate { best, index, reason } = self.meaning_at_gate(selector, state, choice)?;
        state.may_run(index, self.admissible).then_some(Chosen {
            index,
            reason,
            needs,
            repeats: true,
            prediction: Some(Prediction { selector, best }),
        })
    }

    /// What a choice of the model means at its gate; none where a call that it would decide is left to the selector.
    pub(crate) fn meaning_at_gate(
        &self,
        selector: &DeviceSelector,
        state: &FunctionState,
        choice: usize,
    ) -> Option<AtGate> {
        let best = selector.selector.class_of(choice)?;
        let index = selector.choice(best).filter(|&index| state.is_exact_enough(index))?;
        Some(AtGate { best, index, reason: self.reason(selector, state, Some(index), index) })
    }

    /// Why `chosen` runs when the model ranks `first` first (absent: it is no longer in the code).
    fn reason(
        &self,
        selector: &DeviceSelector,
        state: &FunctionState,
        first: Option<usize>,
        chosen: usize,
    ) -> Reason {
        match (first, selector.unknown) {
            (None, _) => Reason::FirstChoiceMissing,
            (Some(first), _) if first != chosen => {
                let variant = &self.function.variants()[state.choice(first).variant];
                let (is_exact, first) = (state.is_exact_enough(first), variant.name());
                let is_tolerated =
                    || variant.approximation().is_none_or(|(error, _)| (self.tolerance)() >= error);
                match is_exact {
                    false => Reason::FirstChoiceInexact { first },
                    true if is_tolerated() => Reason::FirstChoiceInadmissible { first },
                    true => Reason::FirstChoiceNotTolerated { first },
                }
            }
            (Some(_), Some(unknown)) => Reason::PredictedWithout { unknown },
            (Some(_), None) => Reason::Predicted,
        }
    }

    /// How sure a prediction is, and how near to what the model was trained on. Only a selection asks: a call has
    /// no use for it.
    pub(crate) fn assess(
        &self,
        state: &FunctionState,
        prediction: &Prediction,
        features: &mut [f64],
    ) -> Assessment {
        let Prediction { selector, best } = *prediction;
        (self.compute)(selector.needs, features); // a gate may have decided without most of them
        let row = Row::gather(&selector.features, features);
        let scores = selector.selector.scores(row.values());
        let may_run = |index| state.may_run(index, self.admissible);
        let next = first_admissible(scores.ranked().filter(|&class| class != best), |class| {
            selector.choice(class).is_some_and(may_run).then_some(class)
        });
        let confidence = scores.confidence(best);
        Assessment {
            confidence,
            margin: next.map(|next| confidence - scores.confidence(next)),
            input_distance: selector.inputs.as_ref().and_then(|inputs| inputs.distance(row.values())),
            device_distance: selector.device_distance,
        }
    }
}
