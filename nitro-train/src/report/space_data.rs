//! The data of tuning parameters: names and numbers. Shares are of exhaustive search over the configurations, 1.0 = the
//! best of all.

/// The measurements of the configurations of one variant. Figures are means over the pairs of a device and an input on
/// which nearly all of them were measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpaceReport {
    /// The variant.
    pub variant: String,
    /// Number of configurations.
    pub configurations: usize,
    /// Number of configurations in the code, where these are a sample of them.
    pub sampled_of: Option<u64>,
    /// Number of those pairs.
    pub pairs: usize,
    /// The parameters with more than one value, the one that matters most first.
    pub parameters: Vec<ParameterImportance>,
    /// The devices, with the [share with the others](ParameterImportance::with_others) of each of `parameters`.
    pub by_device: Vec<(String, Vec<f64>)>,
    /// The map of the fast configurations.
    pub map: Option<SpaceMap>,
    /// The progress of searches, where that was asked for.
    pub searches: Option<SearchCurves>,
}

/// The importance of a parameter, as shares of the variance of the logarithm of the time.
///
/// The variance is over all configurations that have a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParameterImportance {
    /// The parameter.
    pub parameter: String,
    /// Number of its values.
    pub values: usize,
    /// The share that the means of its values explain (first-order effect).
    pub alone: f64,
    /// The share left to explain when all other parameters are known (total effect). Not a number where a sample does
    /// not tell.
    pub with_others: f64,
}

/// The best share that is reached with each pair of values of two parameters, whatever the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpaceMap {
    /// The parameter of the columns and what its values are called.
    pub columns: (String, Vec<String>),
    /// The parameter of the rows; none where only one parameter has several values.
    pub rows: Option<(String, Vec<String>)>,
    /// The cells row by row; `None` where no configuration has those values.
    pub cells: Vec<Vec<Option<f64>>>,
}

/// The best share found, by number of evaluations.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchCurves {
    /// Number of searches of each strategy on each pair, each with a seed of its own.
    pub seeds: usize,
    /// Number of pairs that were searched.
    pub pairs: usize,
    /// Numbers of evaluations, ascending; failed ones count.
    pub evaluations: Vec<usize>,
    /// The strategies.
    pub strategies: Vec<SearchCurve>,
}

/// The results of the searches of one strategy.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchCurve {
    /// The strategy.
    pub strategy: String,
    /// The mean over pairs and seeds at each of [`SearchCurves::evaluations`].
    pub mean: Vec<f64>,
    /// The mean over the pairs of the worst seed, at the same numbers.
    pub least: Vec<f64>,
    /// The mean over the pairs of the best seed, at the same numbers.
    pub most: Vec<f64>,
    /// The median number of evaluations until 95 % of the best speed; none if half of the searches never reached it.
    pub to_95: Option<f64>,
}

/// The choices, variants with configurations, among which `fit` lets a model choose.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmittedChoices {
    /// The choices, those that are most often the best of them first.
    pub choices: Vec<EmittedChoice>,
    /// Number of all choices.
    pub of: usize,
    /// Number of pairs of a device and an input that were measured completely.
    pub pairs: usize,
    /// The mean share of the best of `choices`, for each kind of inputs.
    pub reached: Vec<(String, f64)>,
    /// The share of the best of the first, of the first two, … choices taken greedily, for the same kinds.
    pub greedy: Vec<(String, Vec<f64>)>,
}

/// A choice of [`EmittedChoices`].
#[derive(Clone, Debug, Default)]
pub(crate) struct EmittedChoice {
    /// The choice, such as `tiled{block=64}`.
    pub choice: String,
    /// Number of pairs on which it is the best of those emitted; among equals the first counts.
    pub wins: usize,
    /// Number of different inputs among the wins.
    pub inputs: usize,
    /// Number of different devices among the wins.
    pub devices: usize,
    /// The mean share where it may run.
    pub alone: f64,
}
