//! The choice: what the model ranks first of what may run. Nothing here allocates, locks or fails, and it is the only place that decides:
//! calls, selections and captured calls all ask here.

use crate::feature::{Features, Row};
use crate::resolve::DeviceSelector;
use crate::selection::Assessment;
use crate::state::FunctionState;
use crate::{DeviceEntry, Function, Reason};

/// What is asked: a function, on a device, for an input.
pub(crate) struct Question<'a> {
    pub(crate) function: &'static Function,
    pub(crate) device: &'static DeviceEntry,
    pub(crate) compute: &'a Features<'a>,
    /// Whether a variant's constraint admits the input.
    pub(crate) admissible: &'a dyn Fn(usize) -> bool,
}

/// What runs, and why.
pub(crate) struct Choice {
    /// Index of the variant.
    pub(crate) variant: usize,
    pub(crate) reason: Reason,
    /// Bit by bit the features that it depends on.
    pub(crate) needs: u32,
    /// Whether every input with these features gets it for this reason, as long as the variant's constraint admits the input.
    pub(crate) repeats: bool,
    /// Absent when no model decided.
    pub(crate) prediction: Option<Prediction>,
}

/// What a model said.
pub(crate) struct Prediction {
    selector: &'static DeviceSelector,
    /// The class that was chosen.
    best: usize,
}

impl Choice {
    /// A choice in which the features have no say.
    fn of(variant: usize, reason: Reason) -> Self {
        Self { variant, reason, needs: 0, repeats: true, prediction: None }
    }
}

impl Question<'_> {
    /// The choice; the features that it depends on are put into `features`, which has a place for each that the function has.
    pub(crate) fn choose(&self, state: &'static FunctionState, features: &mut [f64]) -> Choice {
        if let Some(forced) = state.forced
            && state.may_run(forced, self.admissible)
        {
            return Choice::of(forced, Reason::Forced);
        }
        let choice = match state.resolved(self.function, self.device) {
            Ok(selector) => self.predict(selector, state, features),
            Err(reason) => Choice::of(self.function.default_variant(), *reason),
        };
        // Another input may admit the pinned variant.
        Choice { repeats: choice.repeats && state.forced.is_none(), ..choice }
    }

    /// The best admissible variant by the model, and why it and not another.
    fn predict(
        &self,
        selector: &'static DeviceSelector,
        state: &FunctionState,
        features: &mut [f64],
    ) -> Choice {
        (self.compute)(selector.needs, features);
        let row = Row::gather(&selector.features, features);
        let by_default = |reason| Choice {
            needs: selector.needs,
            repeats: false,
            ..Choice::of(self.function.default_variant(), reason)
        };
        if let Some(column) = row.values().iter().position(|value| !value.is_finite()) {
            let feature = self.function.features()[selector.features[column]];
            return by_default(Reason::FeatureNotFinite { feature });
        }
        let scores = selector.selector.scores(row.values());
        let mut ranked = scores.ranked().map(|class| (class, selector.variant(class)));
        let mut first = None;
        let mut passed_over = 0;
        let best = ranked.find_map(|(class, variant)| {
            first.get_or_insert(variant);
            let variant = variant.filter(|&variant| state.is_exact_enough(variant))?;
            let may_run = state.may_run(variant, self.admissible);
            passed_over += usize::from(!may_run);
            may_run.then_some((class, variant))
        });
        let first = first.flatten();
        let Some((best, variant)) = best else {
            // A constant selector has one wish only, so what became of it is the whole story.
            let gone = || self.reason(selector, state, first, self.function.default_variant());
            return by_default(if selector.selector.is_constant() { gone() } else { Reason::NoneAdmissible });
        };
        Choice {
            variant,
            reason: self.reason(selector, state, first, variant),
            needs: selector.needs,
            repeats: passed_over == 0, // for another input, the constraint of a better one may hold
            prediction: Some(Prediction { selector, best }),
        }
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
                let is_exact = state.is_exact_enough(first);
                let first = self.function.variants()[first].name;
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

    /// How sure a prediction is, and how near to what the model was trained on. Only a selection asks: a call has no use for it.
    pub(crate) fn assess(
        &self,
        state: &FunctionState,
        prediction: &Prediction,
        features: &[f64],
    ) -> Assessment {
        let Prediction { selector, best } = *prediction;
        let row = Row::gather(&selector.features, features);
        let scores = selector.selector.scores(row.values());
        let may_run = |variant| state.may_run(variant, self.admissible);
        let is_other = |&class: &usize| class != best && selector.variant(class).is_some_and(may_run);
        let confidence = scores.confidence(best);
        Assessment {
            confidence,
            margin: scores.ranked().find(is_other).map(|next| confidence - scores.confidence(next)),
            input_distance: selector.inputs.as_ref().and_then(|inputs| inputs.distance(row.values())),
            device_distance: selector.device_distance,
        }
    }
}
