//! The strategies by which a selector for unseen devices is made: a learner and what it is told of devices.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::error::LearnError;
use super::learners::{INCREMENTAL, LEARNERS, Learner, ON_REQUEST, REFERENCE};

/// The device features that a selector uses.
///
/// ```
/// use nitro_learn::{DeviceFeatures, Strategy};
///
/// // The strategies that need no device feature, so that their models are the same for every device.
/// let alone: Vec<_> = Strategy::all().filter(|own| own.device_features == DeviceFeatures::None).collect();
/// assert!(alone.contains(&Strategy::reference()));
/// assert_eq!(DeviceFeatures::CrossValidation.name(), "cross-validation");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceFeatures {
    /// None: input features alone.
    None,
    /// The features that P-DFS finds relevant by hardware counters.
    Profile,
    /// The features that CV-DFS selects, where there are profiles from those that P-DFS finds relevant.
    CrossValidation,
    /// All.
    All,
}

impl DeviceFeatures {
    /// All of them, simpler ones first.
    pub const ALL: [Self; 4] = [Self::None, Self::Profile, Self::CrossValidation, Self::All];

    /// Its name, the last part of a strategy's.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Profile => "profile",
            Self::CrossValidation => "cross-validation",
            Self::All => "all",
        }
    }

    /// Its name at the head of a column.
    fn short_name(self) -> &'static str {
        if self == Self::CrossValidation { "cv" } else { self.name() }
    }

    /// Returns their name in the words of a report.
    fn description(self) -> &'static str {
        match self {
            Self::None => "input features alone",
            Self::Profile => "with device features by hardware counters",
            Self::CrossValidation => "with device features that carried over best between the other devices",
            Self::All => "with all device features",
        }
    }
}

/// A way to make a selector from the measurements of source devices. Simpler strategies are less: those without device
/// features come first, then by learner.
///
/// ```
/// use nitro_learn::{FitOptions, Strategy};
///
/// let strategy: Strategy = "svm-cross-validation".parse()?;
/// assert_eq!((strategy.learner_name(), strategy.device_features.name()), ("svm", "cross-validation"));
/// // Other strategies are not tried then.
/// let options = FitOptions { strategies: vec![strategy], ..FitOptions::default() };
/// assert!("svm-some".parse::<Strategy>().is_err());
/// # let _ = options;
/// # Ok::<(), nitro_learn::LearnError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strategy {
    /// The set of device features that the learner is told.
    pub device_features: DeviceFeatures,
    /// Position in [`LEARNERS`], and behind those in [`ON_REQUEST`].
    learner: usize,
}

/// A strategy and what it is called.
struct StrategyName {
    strategy: Strategy,
    name: String,
    short_name: String,
}

/// Every learner, those that nobody tries unasked last.
fn learners() -> impl Iterator<Item = &'static &'static dyn Learner> {
    LEARNERS.iter().chain(ON_REQUEST)
}

/// Every strategy, simpler ones first.
static STRATEGIES: LazyLock<Vec<StrategyName>> = LazyLock::new(|| {
    let of_learner = |device_features: DeviceFeatures, (index, learner): (usize, &&dyn Learner)| {
        let strategy = Strategy { device_features, learner: index };
        let named = |name, short_name| StrategyName { strategy, name, short_name };
        match learner.uses_features() {
            true => Some(named(
                format!("{}-{}", learner.name(), device_features.name()),
                format!("{}-{}", learner.short_name(), device_features.short_name()),
            )),
            false if device_features == DeviceFeatures::None => {
                Some(named(learner.name().to_owned(), learner.short_name().to_owned()))
            }
            false => None,
        }
    };
    let of_features =
        |features| learners().enumerate().filter_map(move |learner| of_learner(features, learner));
    DeviceFeatures::ALL.into_iter().flat_map(of_features).collect()
});

impl Strategy {
    /// Returns the strategy that others are compared with: the learner of Muralidharan et al. over input features
    /// alone.
    #[must_use]
    pub fn reference() -> Self {
        Self::without_device_features(REFERENCE)
    }

    /// Returns the strategy that is trained anew after every few measurements of one device.
    #[must_use]
    pub fn incremental() -> Self {
        Self::without_device_features(INCREMENTAL)
    }

    fn without_device_features(learner: &dyn Learner) -> Self {
        let index = learners().position(|own| own.name() == learner.name());
        Self { device_features: DeviceFeatures::None, learner: index.expect("every learner is listed") }
    }

    /// All that `auto` chooses among, simpler ones first: the order in which ties are settled.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::known().filter(|strategy| strategy.learner < LEARNERS.len())
    }

    /// All that can be asked for by name, also those that `auto` does not try.
    ///
    /// ```
    /// use nitro_learn::Strategy;
    ///
    /// let tree: Strategy = "tree-none".parse()?; // the regression tree of G-ADAPT
    /// assert!(Strategy::known().any(|own| own == tree) && Strategy::all().all(|own| own != tree));
    /// # Ok::<(), nitro_learn::LearnError>(())
    /// ```
    pub fn known() -> impl Iterator<Item = Self> {
        STRATEGIES.iter().map(|named| named.strategy)
    }

    /// The names of the learners that `auto` chooses among, simpler ones first.
    pub fn learner_names() -> impl Iterator<Item = &'static str> {
        LEARNERS.iter().map(|learner| learner.name())
    }

    /// The names of all learners that can be asked for.
    pub fn known_learner_names() -> impl Iterator<Item = &'static str> {
        learners().map(|learner| learner.name())
    }

    /// Its name in tables, models and JSON, e.g. `svm-cross-validation`.
    pub fn name(self) -> &'static str {
        &self.named().name
    }

    /// Its name at the head of a column, e.g. `svm-cv`.
    pub fn short_name(self) -> &'static str {
        &self.named().short_name
    }

    /// Returns its name in the words of a report.
    pub fn description(self) -> String {
        match self.learner().uses_features() {
            true => format!("{}, {}", self.learner().description(), self.device_features.description()),
            false => self.learner().description().to_owned(),
        }
    }

    /// The name of what trains its selectors, e.g. `svm`.
    pub fn learner_name(self) -> &'static str {
        self.learner().name()
    }

    /// Returns true if features make a difference to it.
    pub fn uses_features(self) -> bool {
        self.learner().uses_features()
    }

    /// Returns the learner that trains its selectors.
    pub fn learner(self) -> &'static dyn Learner {
        match self.learner.checked_sub(LEARNERS.len()) {
            Some(on_request) => ON_REQUEST[on_request],
            None => LEARNERS[self.learner],
        }
    }

    fn named(self) -> &'static StrategyName {
        let own = STRATEGIES.iter().find(|named| named.strategy == self);
        own.expect("every strategy that can be had is listed")
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = LearnError;

    fn from_str(name: &str) -> Result<Self, LearnError> {
        Self::known().find(|strategy| strategy.name() == name).ok_or_else(|| LearnError::UnknownStrategy {
            found: name.into(),
            known: Self::known().map(Self::name).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        assert!(Strategy::all().count() >= 10);
        for strategy in Strategy::known() {
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
        assert!("svm".parse::<Strategy>().is_err());
    }

    #[test]
    fn the_names_of_the_contract_are_kept() {
        for name in [
            "static",
            "svm-none",
            "svm-all",
            "svm-profile",
            "svm-cross-validation",
            "forest-none",
            "forest-all",
        ] {
            assert_eq!(name.parse::<Strategy>().unwrap().name(), name);
        }
    }

    #[test]
    fn simpler_strategies_come_first() {
        assert!(Strategy::known().is_sorted());
        assert_eq!(Strategy::all().next().map(Strategy::name), Some("static"));
    }
}
