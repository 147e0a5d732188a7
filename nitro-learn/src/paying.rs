//! The input features that pay: of those that take time, which save more than they cost.
//!
//! One after the other is left out, the dearest first (backward elimination: Guyon and Elisseeff, "An introduction to
//! variable and feature selection", 2003). The selector is trained anew without it, and judged as strategies are: on
//! sources and inputs that were left out, with the time for choosing counted. Where that is certainly better without
//! the feature, it stays out, and so it does where a small tree stands for the selector and never asks for it.
//! Otherwise it stays: inputs that are rare in training may hang on it, and be common in use.
//!
//! A call computes the features of its model and no others, so one that is left out costs nothing any more.

use std::collections::BTreeSet;
use std::fmt;

use nitro_stats::statistics::{mean, median_high};
use serde::Serialize;

use super::comparison::{Comparison, compare};
use super::strategy::Strategy;
use super::study::{FittedModel, Study};

/// A feature that takes a smaller part of a call's time than this is free: whether it pays is not worth the question.
const FREE: f64 = 1e-3;
/// The standard errors over the inputs by which a selector without a feature has to be better.
const CERTAIN: f64 = 2.0;
/// Scores that differ by no more are the same but for rounding.
const SAME: f64 = 1e-9;
/// However few strategies are compared, so many features are asked about at most.
const LEAST_TRIED: usize = 2;

/// What an input feature costs, and what is gained by it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureWorth {
    /// The feature.
    pub feature: String,
    /// Its time, in nanoseconds, mean over the training inputs and sources.
    pub time_ns: f64,
    /// Its time as a part of that of the best choice, in the same mean: 0.1 where calls take a tenth longer.
    pub part: f64,
    /// The score of the strategy with the feature, with the time for choosing counted.
    pub with: f64,
    /// The score without it, as far as dearer ones that do not pay are left out too.
    pub without: f64,
    /// True where it does not pay, so that the model does without.
    pub is_left_out: bool,
}

impl fmt::Display for FeatureWorth {
    /// One sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { feature, time_ns, part, with, without, is_left_out } = self;
        let (time_us, [part, with, without]) =
            (time_ns / 1e3, [part, with, without].map(|share| 100.0 * share));
        let verdict = match is_left_out {
            true => "does not pay, and is left out",
            false if without < with => "pays",
            false => "may not pay, and stays, as that is not certain",
        };
        write!(
            f,
            "`{feature}` takes {time_us:.2} us a call, {part:.1} % of the best choice's time, and {verdict}: with the \
             time for choosing counted, choices reach {with:.1} % of exhaustive search with it and {without:.1} without"
        )
    }
}

/// What is shipped of a study once its features had to pay.
pub struct Shipped<'a> {
    /// The strategy.
    pub strategy: Strategy,
    /// What was found out about each feature that takes time, the dearest first.
    pub worths: Vec<FeatureWorth>,
    /// The features that pay, and what is achieved with them, where others do not.
    pub narrowed: Narrowed<'a>,
}

impl<'a> Shipped<'a> {
    /// Leaves out the features that do not pay in this strategy, which was chosen by a comparison. Where that asks for
    /// no feature, the best one that does is tried with fewer: it may be better then.
    ///
    /// No more trainings are judged than the comparison and the search for what is far from the training judge, so that
    /// a fit takes about twice as long at most.
    pub fn of(study: &Study<'a>, comparison: &Comparison, chosen: Strategy) -> Self {
        let as_chosen = Self { strategy: chosen, worths: Vec::new(), narrowed: None };
        let asking =
            comparison.choice_among(|own| own.uses_features() && (own == chosen || !chosen.uses_features()));
        let Some(strategy) = asking.filter(|_| comparison.counts_features) else { return as_chosen };
        let (worths, narrowed) = eliminate(study, comparison, strategy);
        let Some(fewer) = narrowed.as_ref().map(|(_, narrowed)| narrowed) else {
            return if strategy == chosen { Self { strategy, worths, narrowed } } else { as_chosen };
        };
        let is_better = |other| comparison.mean_of(other).is_none_or(|score| fewer.mean(0) > score + SAME);
        // Without what does not pay, all that is left may be one choice for everything, which asks for nothing.
        let constant = comparison.choice_among(|own| !own.uses_features());
        let constant = constant.filter(|&own| {
            !is_better(own) && comparison.lost_by(own).is_some_and(|lost| lost <= fewer.lost(0) + SAME)
        });
        match constant {
            Some(strategy) => Self { strategy, worths, narrowed: None },
            None if strategy == chosen || is_better(chosen) => Self { strategy, worths, narrowed },
            None => as_chosen,
        }
    }

    /// The study of the features that pay, of `whole`, that of all.
    pub fn study<'s>(&'s self, whole: &'s Study<'a>) -> &'s Study<'a> {
        self.narrowed.as_ref().map_or(whole, |(study, _)| study)
    }

    /// Every compared strategy with its score, best first; this one with the features that pay.
    pub fn scores(&self, comparison: &Comparison) -> Vec<(Strategy, f64)> {
        let mut scores = comparison.scores();
        if let Some((_, narrowed)) = &self.narrowed {
            let own = scores.iter_mut().filter(|(strategy, _)| *strategy == self.strategy);
            own.for_each(|(_, score)| *score = narrowed.mean(0));
            scores.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable
        }
        scores
    }

    /// The strategy fitted with the features that pay, with what pays around its selector.
    pub fn fit(&self, whole: &Study<'_>, comparison: &Comparison) -> FittedModel {
        match &self.narrowed {
            Some((study, narrowed)) => narrowed.fit(study, self.strategy),
            None => comparison.fit(whole, self.strategy),
        }
    }
}

/// The features that pay and what they achieve, where others do not.
type Narrowed<'a> = Option<(Study<'a>, Comparison)>;

/// Leaves out one dear feature after the other, where choices are certainly better without it.
fn eliminate<'a>(
    study: &Study<'a>,
    comparison: &Comparison,
    strategy: Strategy,
) -> (Vec<FeatureWorth>, Narrowed<'a>) {
    let mut dear = dear_features(study);
    dear.truncate(comparison.strategies.len().max(LEAST_TRIED));
    let (mut worths, mut narrowed): (_, Narrowed<'_>) = (Vec::new(), None);
    if dear.is_empty() {
        return (worths, narrowed);
    }
    let with_all = match comparison.strategies[..] {
        [_] => comparison.clone(),
        // Of many inputs a comparison of several draws fewer.
        _ => compare(study, &[strategy]),
    };
    let mut left: Vec<usize> = (0..study.task().columns.len()).collect();
    for DearFeature { column, time_ns, part } in dear {
        let fewer: Vec<usize> = left.iter().copied().filter(|own| *own != column).collect();
        if fewer.is_empty() {
            break; // a choice without any feature competes by itself
        }
        let study_of_fewer = study.with_columns(&fewer);
        let comparison = compare(&study_of_fewer, &[strategy]);
        let held = narrowed.as_ref().map_or(&with_all, |(_, held)| held);
        let (gain, error) = comparison.gain_over(0, (held, 0));
        let held_study = narrowed.as_ref().map_or(study, |(study, _)| study);
        let is_asked = asked(held_study, held, strategy).contains(&study.task().columns[column]);
        let is_left_out = !is_asked || gain > CERTAIN * error;
        let (with, without) = (held.mean(0), comparison.mean(0));
        let feature = study.task().features().swap_remove(column);
        worths.push(FeatureWorth { feature, time_ns, part, with, without, is_left_out });
        if is_left_out {
            (left, narrowed) = (fewer, Some((study_of_fewer, comparison)));
        }
    }
    (worths, narrowed)
}

/// The features (positions in the recordings) that the fitted strategy computes for some training input.
fn asked(study: &Study<'_>, comparison: &Comparison, strategy: Strategy) -> BTreeSet<usize> {
    let (task, model) = (study.task(), comparison.fit(study, strategy).model);
    let mut seen = 0;
    for &source in study.sources() {
        let device_row = task.device_row(source, &model.device_features);
        let on_device = model.on_device(&task.recordings.devices[source].id, &device_row);
        let ways = task.all_inputs().into_iter().map(|input| on_device.way(&task.input_row(input)));
        seen |= ways.fold(0, |seen, way| seen | way.map_or(u32::MAX, |way| way.seen));
    }
    task.columns.iter().enumerate().filter(|(at, _)| seen >> at & 1 == 1).map(|(_, &column)| column).collect()
}

/// A feature that takes time.
struct DearFeature {
    /// Position in `Task::columns`.
    column: usize,
    /// Its time, in nanoseconds, and as a part of the best choice's.
    time_ns: f64,
    part: f64,
}

/// The features that take a part of a call's time, the dearest first.
fn dear_features(study: &Study<'_>) -> Vec<DearFeature> {
    let task = study.task();
    let mut dear = Vec::new();
    for column in 0..task.columns.len() {
        let (mut times_ns, mut parts) = (Vec::new(), Vec::new());
        for &source in study.sources() {
            for input in task.all_inputs() {
                let time_ns = task.features_ns(source, input, &[column]);
                times_ns.push(time_ns);
                parts.push(time_ns / task.counted_ns(source, input));
            }
        }
        // What takes no time on most inputs is a length or a field that the clock was slow on a few times.
        let is_timed = median_high(&mut times_ns.clone()).is_some_and(|usual_ns| usual_ns > 0.0);
        let Some((time_ns, part)) = mean(times_ns).zip(mean(parts)) else { continue };
        if is_timed && part > FREE {
            dear.push(DearFeature { column, time_ns, part });
        }
    }
    dear.sort_by(|a, b| b.part.total_cmp(&a.part)); // stable
    dear
}
