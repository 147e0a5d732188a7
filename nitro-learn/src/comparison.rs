//! The choice of the strategy to ship: `auto`, decided by what each achieves on temporary targets
//! ([`validation`](super::validation)).

use std::sync::Arc;

use nitro_core::model::{Caution, Gate, Model, TrainingInputs};
use nitro_stats::statistics::{mean, mean_and_standard_error};

use super::caution::hardly_ahead;
use super::gate::{Asked, GateSearch, Net};
use super::learners::{ASSUMED, Learner};
use super::objective::Weights;
use super::strategy::{DeviceFeatures, Strategy};
use super::study::{FittedModel, Study};
use super::task::MIN_SOURCES;
use super::training_inputs::training_inputs;
use super::validation::{Validation, validate};

/// The standard errors over the inputs by which a learner has to beat [`ASSUMED`].
const CERTAIN: f64 = 3.0;
/// The number of parts that inputs are cut into for that error.
const PARTS: usize = 20;

/// The results of some strategies on temporary targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The strategies, simpler ones first.
    pub strategies: Vec<Strategy>,
    /// By strategy and temporary target the share of the best variant's speed on each input, with the time for
    /// choosing counted where that of the features is known; the inputs of a target are the same for all
    /// strategies.
    pub shares: Vec<Vec<Vec<f64>>>,
    /// The weight of each of these inputs, by temporary target.
    pub weights: Vec<Vec<f64>>,
    /// The time of the best choice on each of these inputs, by temporary target, in nanoseconds.
    pub best_ns: Vec<Vec<f64>>,
    /// The order among strategies.
    pub objective: Arc<Weights>,
    /// True if the time of features is known, and counted.
    pub counts_features: bool,
    /// The gate before the selector of each strategy, where one pays.
    pub gates: Vec<Option<Gate>>,
    /// The caution of each strategy whose selector does better with it than when it is always followed.
    pub cautions: Vec<Option<Caution>>,
    /// True for each strategy whose selector is better asked as a small tree.
    pub distilled: Vec<bool>,
    /// The training inputs that its model keeps.
    pub training_inputs: TrainingInputs,
}

/// Tries the strategies that apply to the study's sources.
///
/// With one source only inputs are held out. With two, one is left to learn from, which says nothing about device
/// features, so only the strategies without them compete. CV-DFS needs one source more than it takes to select at
/// all: what is judged on a temporary target is a selection by the others. (It was tried with three sources, and on
/// one of five splits of Ginkgo's data chose a single feature that reached 78 % on the TITAN V, where all features
/// reach 97.)
pub fn compare(study: &Study<'_>, strategies: &[Strategy]) -> Comparison {
    let mut strategies = strategies.to_vec();
    strategies.retain(|&strategy| competes(study, strategy));
    strategies.sort_unstable();
    let validation = validate(study, &strategies);
    let task = study.task();
    let weights = of_judged(study, &validation, |target, input| task.weight(target, input));
    let best_ns =
        of_judged(study, &validation, |target, input| task.performance.best_ns(target, task.inputs[input]));
    let objective = study.task().weights.clone();
    let mut cautions = cautions(study, &validation, &weights);
    let counts_features = study.task().costs.is_some();
    let (mut shares, mut gates, mut distilled) = (Vec::new(), Vec::new(), Vec::new());
    for (at, &strategy) in strategies.iter().enumerate() {
        let whole = asked_whole(study, strategy, &validation.shares[at]);
        let tree = counts_features.then_some(&validation.distilled[at][..]);
        let counted = counted(study, strategy, (&whole, tree), (&weights, &validation.folds));
        if counted.is_distilled {
            cautions[at] = None; // what decides is the tree
        }
        shares.push(counted.shares);
        gates.push(counted.gate);
        distilled.push(counted.is_distilled);
    }
    Comparison {
        strategies,
        shares,
        weights,
        best_ns,
        objective,
        counts_features,
        gates,
        cautions,
        distilled,
        training_inputs: training_inputs(task, study.sources(), &task.all_inputs()),
    }
}

/// Returns true if temporary targets can judge a strategy.
fn competes(study: &Study<'_>, strategy: Strategy) -> bool {
    let tells_apart = match strategy.device_features {
        DeviceFeatures::None => true,
        DeviceFeatures::CrossValidation => study.has_transfer() && study.sources().len() > MIN_SOURCES,
        DeviceFeatures::All | DeviceFeatures::Profile => study.has_transfer(),
    };
    tells_apart && study.applies(strategy)
}

/// Returns the caution that pays, by strategy.
fn cautions(study: &Study<'_>, validation: &Validation, weights: &[Vec<f64>]) -> Vec<Option<Caution>> {
    let caution = hardly_ahead(&study.task().performance);
    let both = validation.shares.iter().zip(&validation.careful);
    both.map(|(always, careful)| {
        caution.filter(|_| mean_score(study, careful, weights) > mean_score(study, always, weights))
    })
    .collect()
}

/// The mean of the objective over temporary targets, from the inputs that were judged on each.
fn mean_score(study: &Study<'_>, judged: &[Vec<(usize, f64)>], weights: &[Vec<f64>]) -> f64 {
    let shares: Vec<Vec<f64>> =
        judged.iter().map(|judged| judged.iter().map(|(_, share)| *share).collect()).collect();
    study.task().weights.mean_score(&shares, weights)
}

/// Returns a number for each of the judged inputs, by temporary target.
fn of_judged(
    study: &Study<'_>,
    validation: &Validation,
    number: impl Fn(usize, usize) -> f64,
) -> Vec<Vec<f64>> {
    let mut numbers = Vec::new();
    for (&target, judged) in study.sources().iter().zip(validation.shares.first().into_iter().flatten()) {
        numbers.push(judged.iter().map(|&(input, _)| number(target, input)).collect());
    }
    numbers
}

/// What a strategy achieves with the time for choosing counted, and with what it does.
struct Counted {
    shares: Vec<Vec<f64>>,
    gate: Option<Gate>,
    is_distilled: bool,
}

/// What is achieved on each of the judged inputs, by temporary target.
type Judged = [Vec<Asked>];

/// Counts the time for choosing of a strategy, behind a gate where one pays. Its selector, or the small tree in its
/// place, whichever is better then.
fn counted(
    study: &Study<'_>,
    strategy: Strategy,
    (whole, tree): (&Judged, Option<&Judged>),
    (weights, folds): (&[Vec<f64>], &[Vec<usize>]),
) -> Counted {
    let (task, learner, device_features) =
        (study.task(), strategy.learner(), study.device_features(strategy));
    let counted = |judged: &Judged, is_distilled| {
        let asked = GateSearch {
            task,
            targets: study.sources(),
            judged,
            weights,
            folds,
            device_features: &device_features,
            uses_features: learner.uses_features(),
        };
        let Net { shares, gate } = asked.net();
        Counted { shares, gate: gate.and_then(|features| asked.gate(&features)), is_distilled }
    };
    let whole = counted(whole, false);
    let Some(tree) = tree.filter(|_| learner.uses_features()) else { return whole };
    let tree = counted(tree, true);
    let score = |counted: &Counted| task.weights.mean_score(&counted.shares, weights);
    if score(&tree) > score(&whole) { tree } else { whole }
}

/// Returns what the selector of a strategy achieves, from judged inputs with a share each, with the time for it and for
/// all of its features.
fn asked_whole(study: &Study<'_>, strategy: Strategy, judged: &[Vec<(usize, f64)>]) -> Vec<Vec<Asked>> {
    let (task, learner) = (study.task(), strategy.learner());
    let features_ns =
        |target, input| if learner.uses_features() { task.way_ns(target, input, None) } else { 0.0 };
    let mut asked = Vec::with_capacity(judged.len());
    for (&target, judged) in study.sources().iter().zip(judged) {
        let of_target = judged.iter().map(|&(input, share)| Asked {
            input,
            share,
            choosing_ns: learner.selection_ns() + features_ns(target, input),
        });
        asked.push(of_target.collect());
    }
    asked
}

/// Tries every strategy that applies.
pub fn compare_all(study: &Study<'_>) -> Comparison {
    compare(study, &Strategy::all().collect::<Vec<_>>())
}

impl Comparison {
    /// Returns what a strategy (a position in [`Comparison::strategies`]) achieves, mean over the temporary targets:
    /// its mean share of speed, or what another objective has in its place.
    pub fn mean(&self, strategy: usize) -> f64 {
        self.objective.mean_score(&self.shares[strategy], &self.weights)
    }

    /// Returns the [`mean`](Self::mean) of a strategy, if it was compared.
    pub fn mean_of(&self, strategy: Strategy) -> Option<f64> {
        self.position(strategy).map(|at| self.mean(at))
    }

    /// Returns what a strategy [loses](Self::lost), if it was compared.
    pub fn lost_by(&self, strategy: Strategy) -> Option<f64> {
        self.position(strategy).map(|at| self.lost(at))
    }

    fn position(&self, strategy: Strategy) -> Option<usize> {
        self.strategies.iter().position(|own| *own == strategy)
    }

    fn score(&self, strategy: usize, target: usize) -> f64 {
        let shares = self.shares[strategy][target].iter().copied();
        self.objective.score(shares.zip(self.weights[target].iter().copied()))
    }

    /// The strategy to ship: a forest that is told all of devices, unless measurements speak clearly for another.
    ///
    /// Of the strategies with the same set of device features that is the forest, unless the one with the best mean
    /// beats it by more than three standard errors over the inputs. (One choice for everything takes no features:
    /// where their time is counted, it has to be as good in the mean only, unless it loses more time in all. Choices
    /// that are a hundredth better on most short calls else outweigh long ones that take half as long again: all calls
    /// of products of big integers took 1.15 times the oracle's time by one choice and take 1.02 by a small tree, in
    /// the geometric mean of four mixes.) Another set has to beat all device features, or what was taken so far, by
    /// more than one standard error of that difference *over the temporary targets* (or three, where it is one choice
    /// for everything that loses more time in all): that is the rule of Breiman, Friedman, Olshen and Stone (1984), and
    /// what is uncertain about device features is whether they help on the next device, of which the sources are few
    /// samples, however many inputs each was measured on. Differences are taken target by target, so that what makes a
    /// target hard for all strategies cancels out. CV-DFS comes last, because it has searched the same sources for the
    /// features that do best on them.
    ///
    /// Before, the best mean of a set was taken, and a larger set had to beat a smaller one. That reached 98.58 %
    /// with a device left out and 97.36 with its machine (mean over the ten functions), 92.8 on G-ADAPT's
    /// functions, of five to twelve training inputs, and 96.06 on Ginkgo's data; this 98.71, 97.79, 95.7 and 96.10.
    /// A forest with all device features whatever was measured would reach 98.80, 97.78, 95.7 and 96.10, but where
    /// a feature of devices decides and others mislead, it is wrong.
    pub fn choice(&self) -> Strategy {
        self.choice_among(|_| true).expect("a comparison has strategies")
    }

    /// Chooses as [`choice`](Self::choice) does, among the strategies of one learner.
    pub fn choice_of_learner(&self, learner: &dyn Learner) -> Option<Strategy> {
        self.choice_among(|strategy| strategy.learner_name() == learner.name())
    }

    /// Chooses as [`choice`](Self::choice) does, among the strategies that compete.
    pub fn choice_among(&self, competes: impl Fn(Strategy) -> bool) -> Option<Strategy> {
        const SETS: [DeviceFeatures; 4] = [
            DeviceFeatures::All,
            DeviceFeatures::None,
            DeviceFeatures::Profile,
            DeviceFeatures::CrossValidation,
        ];
        let best = SETS.into_iter().filter_map(|set| self.best_of(set, &competes)).reduce(|chosen, other| {
            let (gain, error) = self.gain(other, chosen);
            let errors = if self.loses_no_more(other, chosen) { 1.0 } else { CERTAIN };
            if gain > errors * error { other } else { chosen }
        });
        best.map(|best| self.strategies[best])
    }

    /// A strategy fitted on all sources of the study that was compared, with what pays around its selector.
    pub fn fit(&self, study: &Study<'_>, strategy: Strategy) -> FittedModel {
        let FittedModel { model, hyperparameters, converged } = study.fit(strategy);
        FittedModel { model: self.equipped(strategy, model), hyperparameters, converged }
    }

    /// A strategy's model with what pays around its selector: a gate, caution, a small tree in its place.
    pub fn equipped(&self, strategy: Strategy, model: Model) -> Model {
        let Some(at) = self.position(strategy) else { return model };
        let (gate, caution) = (self.gates[at].clone(), self.cautions[at]);
        let is_distilled = self.distilled[at];
        let is_decided_early = gate.is_some() || is_distilled;
        let training_inputs =
            if is_decided_early { self.training_inputs.clone() } else { TrainingInputs::default() };
        Model { gate, caution, is_distilled, training_inputs, ..model }
    }

    /// The strategy to take of those with a set of device features.
    fn best_of(&self, set: DeviceFeatures, competes: impl Fn(Strategy) -> bool) -> Option<usize> {
        let mut of_set: Vec<usize> = (0..self.strategies.len()).collect();
        of_set.retain(|&at| self.strategies[at].device_features == set && competes(self.strategies[at]));
        let best = of_set
            .iter()
            .copied()
            .reduce(|best, other| if self.mean(other) > self.mean(best) { other } else { best })?;
        let assumed = of_set.into_iter().find(|&at| self.strategies[at].learner_name() == ASSUMED.name());
        let Some(assumed) = assumed else { return Some(best) };
        let (gain, error) = self.gain_over(best, (self, assumed));
        let saves_features = self.counts_features && !self.strategies[best].uses_features();
        let is_better = match saves_features && self.loses_no_more(best, assumed) {
            true => gain >= 0.0,
            false => gain > CERTAIN * error,
        };
        Some(if is_better { best } else { assumed })
    }

    /// Returns true unless a strategy is one choice for everything that loses more time than another one.
    fn loses_no_more(&self, one: usize, other: usize) -> bool {
        let is_constant = self.counts_features && !self.strategies[one].uses_features();
        !is_constant || self.lost(one) <= self.lost(other)
    }

    /// Returns the time that a strategy loses against the best choices, as a part of theirs, in the mean over the
    /// temporary targets.
    pub fn lost(&self, strategy: usize) -> f64 {
        let of_target = |(shares, best_ns): (&Vec<f64>, &Vec<f64>)| {
            let lost_ns: f64 =
                shares.iter().zip(best_ns).map(|(share, best_ns)| best_ns * (1.0 / share - 1.0)).sum();
            lost_ns / best_ns.iter().sum::<f64>()
        };
        mean(self.shares[strategy].iter().zip(&self.best_ns).map(of_target)).unwrap_or(0.0)
    }

    /// Returns the lead of a strategy over one of this or another comparison of the same inputs, and its standard
    /// error over them: by the jackknife, as not every objective is a mean (Efron, "The Jackknife, the Bootstrap and
    /// Other Resampling Plans", 1982).
    pub fn gain_over(&self, one: usize, (others, other): (&Self, usize)) -> (f64, f64) {
        let parts = self.weights.iter().map(Vec::len).max().unwrap_or(0).min(PARTS);
        let gains = (0..parts)
            .map(|part| self.mean_without(one, part, parts) - others.mean_without(other, part, parts));
        let (_, error) = mean_and_standard_error(&gains.collect::<Vec<_>>());
        (self.mean(one) - others.mean(other), error * parts.saturating_sub(1) as f64)
    }

    /// Returns the [`mean`](Self::mean) without one of several parts of the inputs of each target.
    fn mean_without(&self, strategy: usize, part: usize, parts: usize) -> f64 {
        let mut scores = Vec::new();
        for (shares, weights) in self.shares[strategy].iter().zip(&self.weights) {
            let judged = shares.iter().copied().zip(weights.iter().copied()).enumerate();
            let left = judged.filter(|(at, _)| at % parts != part).map(|(_, judged)| judged);
            scores.push(self.objective.score(left));
        }
        mean(scores).unwrap_or(0.0)
    }

    /// Returns the lead of one strategy over another, mean over the temporary targets, and the standard error of
    /// that mean.
    fn gain(&self, one: usize, other: usize) -> (f64, f64) {
        let gains: Vec<f64> = (0..self.shares[one].len())
            .map(|target| self.score(one, target) - self.score(other, target))
            .collect();
        mean_and_standard_error(&gains)
    }

    /// Every strategy with its mean share, best first.
    pub fn scores(&self) -> Vec<(Strategy, f64)> {
        let mut scores: Vec<(Strategy, f64)> =
            self.strategies.iter().enumerate().map(|(at, &strategy)| (strategy, self.mean(at))).collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable: ties go to the simpler
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares by strategy and temporary target, the same on every input.
    fn comparison(rows: &[(&str, [f64; 3])]) -> Comparison {
        Comparison {
            strategies: rows.iter().map(|(name, _)| name.parse().unwrap()).collect(),
            shares: rows.iter().map(|(_, means)| means.map(|mean| vec![mean; 4]).to_vec()).collect(),
            weights: vec![vec![1.0; 4]; 3],
            best_ns: vec![vec![1.0; 4]; 3],
            objective: Arc::new(Weights::alike()),
            counts_features: false,
            gates: vec![None; rows.len()],
            cautions: vec![None; rows.len()],
            distilled: vec![false; rows.len()],
            training_inputs: TrainingInputs::default(),
        }
    }

    fn check(rows: &[(&str, [f64; 3])], expected: &str) {
        assert_eq!(comparison(rows).choice().name(), expected, "{rows:?}");
    }

    #[test]
    fn without_device_features_the_best_mean_wins_and_a_tie_goes_to_the_forest() {
        check(
            &[("static", [0.8; 3]), ("svm-none", [0.9; 3]), ("forest-none", [0.95, 0.95, 0.7])],
            "svm-none",
        );
        check(&[("svm-none", [0.9; 3]), ("forest-none", [0.9; 3])], "forest-none");
        check(&[("static", [0.9; 3]), ("svm-none", [0.9; 3])], "static");
    }

    /// A comparison on so many inputs: an SVM is much better on one in three, and a little worse on the others.
    fn with_inputs(count: usize) -> Comparison {
        let mut comparison = comparison(&[("svm-none", [0.0; 3]), ("forest-none", [0.0; 3])]);
        let of = |better: f64, worse: f64| -> Vec<f64> {
            (0..count).map(|input| if input % 3 == 0 { better } else { worse }).collect()
        };
        comparison.shares = vec![vec![of(1.0, 0.9); 3], vec![of(0.8, 0.91); 3]];
        comparison.weights = vec![vec![1.0; count]; 3];
        comparison.best_ns = vec![vec![1.0; count]; 3];
        comparison
    }

    #[test]
    fn few_inputs_do_not_speak_against_a_forest() {
        assert_eq!(with_inputs(8).choice().name(), "forest-none");
        assert_eq!(with_inputs(400).choice().name(), "svm-none");
    }

    #[test]
    fn one_choice_for_everything_needs_no_certainty_where_features_take_time() {
        let mut comparison = with_inputs(8);
        comparison.strategies[0] = "static".parse().unwrap();
        assert_eq!(comparison.choice().name(), "forest-none");
        comparison.counts_features = true;
        assert_eq!(comparison.choice().name(), "static");
    }

    #[test]
    fn one_choice_for_everything_that_loses_more_time_in_all_needs_certainty() {
        let mut comparison = with_inputs(8);
        comparison.strategies[0] = "static".parse().unwrap();
        comparison.counts_features = true;
        for best_ns in &mut comparison.best_ns {
            best_ns[1] = 1e6; // there the forest is better
        }
        assert_eq!(comparison.choice().name(), "forest-none");
    }

    #[test]
    fn the_jackknife_of_a_mean_is_its_standard_error() {
        let comparison = with_inputs(12);
        let gains: Vec<f64> =
            (0..12).map(|at| comparison.shares[0][0][at] - comparison.shares[1][0][at]).collect();
        let (gain, error) = comparison.gain_over(0, (&comparison, 1));
        let (mean, expected) = mean_and_standard_error(&gains);
        assert!((gain - mean).abs() < 1e-12 && (error - expected).abs() < 1e-12, "{gain} {error}");
    }

    #[test]
    fn device_features_are_left_out_where_they_clearly_harm() {
        let none = ("forest-none", [0.90, 0.90, 0.90]);
        check(&[none, ("forest-all", [0.93, 0.94, 0.92])], "forest-all");
        check(&[none, ("forest-all", [0.93, 0.94, 0.80])], "forest-all");
        check(&[none, ("forest-all", [0.85, 0.86, 0.84])], "forest-none");
        check(&[none], "forest-none");
    }

    #[test]
    fn selected_device_features_have_to_beat_all_of_them() {
        let (none, all) = (("forest-none", [0.8; 3]), ("forest-all", [0.9; 3]));
        check(&[none, ("svm-cross-validation", [0.91, 0.89, 0.91]), all], "forest-all");
        check(&[none, ("svm-cross-validation", [0.92, 0.93, 0.94]), all], "svm-cross-validation");
    }

    #[test]
    fn device_features_of_a_profile_compete_and_may_be_all_there_are() {
        let (none, all) = (("forest-none", [0.8; 3]), ("forest-all", [0.9; 3]));
        check(&[none, ("forest-profile", [0.9, 0.89, 0.91]), all], "forest-all");
        check(&[none, ("forest-profile", [0.92, 0.91, 0.92]), all], "forest-profile");
        check(&[("svm-profile", [0.8; 3]), ("forest-profile", [0.7; 3])], "svm-profile");
    }

    #[test]
    fn scores_are_sorted_and_of_equals_the_simpler_is_first() {
        let scores =
            comparison(&[("static", [0.5; 3]), ("svm-none", [0.7; 3]), ("svm-all", [0.7; 3])]).scores();
        let names: Vec<&str> = scores.iter().map(|(strategy, _)| strategy.name()).collect();
        assert_eq!(names, ["svm-none", "svm-all", "static"]);
    }
}
