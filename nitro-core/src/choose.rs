//! Chooses what runs: the best admissible choice by the model. Nothing here allocates, locks or fails. It is the
//! only place that decides: calls, selections and captured calls all ask here.

use std::cell::Cell;

use crate::feature::{Features, Row};
use crate::function::resolve::DeviceSelector;
use crate::function::state::FunctionState;
use crate::selection::Assessment;
use crate::{Choice, DeviceEntry, Function, Reason, first_admissible};

/// A question: what to run of a function, on a device, for an input.
pub(crate) struct Question<'a> {
    pub(crate) function: &'static Function,
    pub(crate) device: &'static DeviceEntry,
    pub(crate) compute: &'a Features<'a>,
    /// Returns true where the constraint of a choice's variant admits the input.
    pub(crate) admissible: &'a dyn Fn(Choice) -> bool,
    /// Bit by bit the choices, as indices in the choice table, that may not run for the input, as far as that is known.
    pub(crate) refused: Cell<u64>,
    /// The largest relative error that the call accepts: part of constraints, asked here to say why.
    pub(crate) tolerance: &'a dyn Fn() -> f64,
}

/// The choice that runs, and the reason.
pub(crate) struct Answer {
    /// Index in the choice table.
    pub(crate) index: usize,
    pub(crate) reason: Reason,
    /// Bit by bit the features that it depends on.
    pub(crate) needs: u32,
    /// True where every input with these features gets it for this reason, as long as its constraint admits the
    /// input.
    pub(crate) repeats: bool,
    /// Absent when no model decided.
    pub(crate) prediction: Option<Prediction>,
}

/// A model's part in an answer.
pub(crate) struct Prediction {
    pub(crate) selector: &'static DeviceSelector,
    /// The class that was chosen.
    best: usize,
}

/// The choice that a model's gate decides for.
pub(crate) struct GateDecision {
    /// The class of the selector.
    best: usize,
    /// Index in the choice table.
    pub(crate) index: usize,
    pub(crate) reason: Reason,
}

/// Returns the bit of a choice, by its index in the choice table; none of one that is too far behind.
pub(crate) fn bit(index: usize) -> u64 {
    u32::try_from(index).ok().and_then(|index| 1_u64.checked_shl(index)).unwrap_or(0)
}

impl Answer {
    /// Makes an answer in which the features have no say.
    fn of(index: usize, reason: Reason) -> Self {
        Self { index, reason, needs: 0, repeats: true, prediction: None }
    }
}

impl Question<'_> {
    /// Chooses what runs. Puts the features that this depends on into `features`, which has a place for each that
    /// the function has.
    pub(crate) fn choose(&self, state: &'static FunctionState, features: &mut [f64]) -> Answer {
        if let Some(forced) = state.forced
            && self.may_run(state, forced)
        {
            return Answer::of(forced, Reason::Forced);
        }
        let chosen = match state.resolved(self.function, self.device) {
            Ok(selector) => self.predict(selector, state, features),
            Err(reason) => {
                let preferred = self.preferred(state, features);
                // Until the device is measured: to remember that would keep it.
                let is_final = !matches!(reason, Reason::DeviceFeaturesPending);
                Answer { reason: *reason, repeats: preferred.repeats && is_final, ..preferred }
            }
        };
        let Some(forced) = state.forced else { return chosen };
        let pinned = self.function.variants()[state.choice(forced).variant].name();
        // Another input may admit the pinned choice.
        Answer { reason: Reason::ForcedInadmissible { pinned }, repeats: false, ..chosen }
    }

    /// Returns true where a choice may run for the input. A constraint may look at all of the input, so one that has
    /// refused it is not asked again: a gate, a small tree and a selector often name the same choice.
    fn may_run(&self, state: &FunctionState, index: usize) -> bool {
        let bit = bit(index);
        let may_run = self.refused.get() & bit == 0 && state.may_run(index, self.admissible);
        self.refused.update(|refused| if may_run { refused } else { refused | bit });
        may_run
    }

    /// The best admissible choice by the model, and why it and not another.
    fn predict(
        &self,
        selector: &'static DeviceSelector,
        state: &FunctionState,
        features: &mut [f64],
    ) -> Answer {
        if let Some(decided) = self.decide_at_gate(selector, state, features) {
            return decided;
        }
        (self.compute)(selector.needs, features);
        let row = Row::gather(&selector.features, features);
        if let Some(column) = row.values().iter().position(|value| !value.is_finite()) {
            let feature = self.function.features()[selector.features[column]];
            return self.by_default((selector, state), features, Reason::FeatureNotFinite { feature });
        }
        if let Some(decided) = self.decide_in_tree(selector, state, &row) {
            return decided;
        }
        let scores = selector.selector.scores(row.values());
        // What runs where the selector is unsure goes before its ranking.
        let unsure = selector.selector.unsure(row.values(), &scores);
        let first = unsure.or_else(|| scores.ranked().next()).and_then(|class| selector.choice(class));
        let ranking = unsure.into_iter().chain(scores.ranked().filter(|&class| unsure != Some(class)));
        if unsure.is_some() && self.function.hints() != 0 {
            let hinted = self.by_default((selector, state), features, Reason::Unsure);
            if hinted.index != self.function.default_variant() {
                return hinted;
            }
        }
        let mut passed_over = 0;
        let best = first_admissible(ranking, |class| {
            let index = selector.choice(class).filter(|&index| state.is_exact_enough(index))?;
            let may_run = self.may_run(state, index);
            passed_over += usize::from(!may_run);
            may_run.then_some((class, index))
        });
        let Some((best, index)) = best else {
            // Of a constant selector, what became of its first wish is the whole story.
            let reason = match selector.selector.is_constant() {
                true => self.reason(selector, state, first, self.function.default_variant()),
                false => Reason::NoneAdmissible,
            };
            return self.by_default((selector, state), features, reason);
        };
        Answer {
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

    /// Answers as without a model, which another input with these features need not get.
    fn by_default(
        &self,
        (selector, state): (&DeviceSelector, &FunctionState),
        features: &mut [f64],
        reason: Reason,
    ) -> Answer {
        let preferred = self.preferred(state, features);
        Answer { needs: selector.needs | preferred.needs, repeats: false, reason, ..preferred }
    }

    /// Answers with what runs where nothing was learned: the first admissible variant whose hint holds, or else the
    /// default.
    fn preferred(&self, state: &FunctionState, features: &mut [f64]) -> Answer {
        let needs = self.function.hints();
        (self.compute)(needs, features);
        let (mut repeats, mut preferred) = (true, self.function.default_variant());
        for (index, variant) in self.function.variants().iter().enumerate() {
            if variant.hint().is_none_or(|hint| features[hint] == 0.0) {
                continue;
            }
            // The choice table begins with the variants.
            if self.may_run(state, index) {
                preferred = index;
                break;
            }
            repeats = false; // the constraint may admit another input
        }
        Answer { needs, repeats, ..Answer::of(preferred, Reason::NoModel) }
    }

    /// Asks the model's gate, which looks at few features. None where it leaves the call to the selector, or where
    /// its choice may not run.
    fn decide_at_gate(
        &self,
        selector: &'static DeviceSelector,
        state: &FunctionState,
        features: &mut [f64],
    ) -> Option<Answer> {
        let needs = selector.gate_needs?;
        (self.compute)(needs, features);
        let (gate, row) = (selector.selector.gate()?, Row::gather(&selector.features, features));
        let first = gate.decide(row.values())?;
        self.decided((selector, state), (first, first), (needs, true)).or_else(|| {
            // For another input with these features the constraint of the first may hold.
            self.decided((selector, state), (first, gate.second(row.values())?), (needs, false))
        })
    }

    /// Asks the small tree that stands for the selector, behind a gate that let the call through. What a gate has let
    /// through is asked again rather than remembered.
    fn decide_in_tree(
        &self,
        selector: &'static DeviceSelector,
        state: &FunctionState,
        row: &Row,
    ) -> Option<Answer> {
        let choice = selector.selector.chosen_by_tree(row.values())?;
        self.decided((selector, state), (choice, choice), (selector.needs, false))
    }

    /// Answers with a choice that a gate or a tree decides for, or with its second one, from these features; none where
    /// it may not run.
    fn decided(
        &self,
        (selector, state): (&'static DeviceSelector, &FunctionState),
        (first, choice): (usize, usize),
        (needs, repeats): (u32, bool),
    ) -> Option<Answer> {
        let GateDecision { best, index, reason } = self.meaning_at_gate(selector, state, (first, choice))?;
        let prediction = Some(Prediction { selector, best });
        self.may_run(state, index).then_some(Answer { index, reason, needs, repeats, prediction })
    }

    /// Resolves a choice that the gate decides for, or another where a constraint refuses that `first` one. None where
    /// a call that it would decide is left to the selector.
    pub(crate) fn meaning_at_gate(
        &self,
        selector: &DeviceSelector,
        state: &FunctionState,
        (first, choice): (usize, usize),
    ) -> Option<GateDecision> {
        let (first, best) = (selector.selector.class_of(first)?, selector.selector.class_of(choice)?);
        let index = selector.choice(best).filter(|&index| state.is_exact_enough(index))?;
        Some(GateDecision {
            best,
            index,
            reason: self.reason(selector, state, selector.choice(first), index),
        })
    }

    /// The reason why `chosen` runs when the model ranks `first` first (absent: it is no longer in the code).
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
                let name = variant.name();
                if !variant.runs_here() {
                    Reason::FirstChoiceInadmissible { first: name }
                } else if !state.is_exact_enough(first) {
                    Reason::FirstChoiceInexact { first: name }
                } else if variant.approximation().is_none_or(|(error, _)| (self.tolerance)() >= error) {
                    Reason::FirstChoiceInadmissible { first: name }
                } else {
                    Reason::FirstChoiceNotTolerated { first: name }
                }
            }
            (Some(_), Some(unknown)) => Reason::PredictedWithout { unknown },
            (Some(_), None) => Reason::Predicted,
        }
    }

    /// Assesses how sure a prediction is, and how near the question is to what the model was trained on. Only a
    /// selection asks: a call has no use for it.
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
        let next = first_admissible(scores.ranked().filter(|&class| class != best), |class| {
            let index = selector.choice(class)?;
            self.may_run(state, index).then_some(class)
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
