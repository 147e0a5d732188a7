//! The strategies by which a selector for unseen devices is made: a learner and what it is told of devices.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::error::LearnError;
use super::learners::{LEARNERS, Learner};

/// Which device features a selector uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceFeatures {
    /// None: input features alone.
    None,
    /// Those that P-DFS finds relevant by hardware counters.
    Profile,
    /// Those that CV-DFS selects, where there are profiles from those that P-DFS finds relevant.
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
}

/// How a selector is made from the measurements of source devices. Simpler strategies are less: those without device features come first,
/// then by learner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strategy {
    /// What the learner is told of devices.
    pub device_features: DeviceFeatures,
    /// Position in [`LEARNERS`].
    learner: usize,
}

/// Every strategy with its name, simpler ones first.
static STRATEGIES: LazyLock<Vec<(Strategy, String)>> = LazyLock::new(|| {
    let of_learner = |device_features: DeviceFeatures, (at, learner): (usize, &&dyn Learner)| {
        let applies = learner.uses_features() || device_features == DeviceFeatures::None;
        let name = match learner.uses_features() {
            true => format!("{}-{}", learner.name(), device_features.name()),
            false => learner.name().to_owned(),
        };
        applies.then_some((Strategy { device_features, learner: at }, name))
    };
    let of_features =
        |features| LEARNERS.iter().enumerate().filter_map(move |learner| of_learner(features, learner));
    DeviceFeatures::ALL.into_iter().flat_map(of_features).collect()
});

impl Strategy {
    /// The one variant that is best on average on the source devices.
    pub const STATIC: Self = Self { device_features: DeviceFeatures::None, learner: 0 };
    /// A support-vector machine over input features alone.
    pub const SVM_NONE: Self = Self { learner: 1, ..Self::STATIC };
    /// A support-vector machine over input features and those device features that CV-DFS selects.
    pub const SVM_CROSS_VALIDATION: Self =
        Self { device_features: DeviceFeatures::CrossValidation, ..Self::SVM_NONE };
    /// A support-vector machine over input features and all device features.
    pub const SVM_ALL: Self = Self { device_features: DeviceFeatures::All, ..Self::SVM_NONE };

    /// A forest over input features alone.
    pub const FOREST_NONE: Self = Self { learner: 3, ..Self::STATIC };

    /// All of them, simpler ones first: the order in which ties are settled.
    pub fn all() -> impl Iterator<Item = Self> {
        STRATEGIES.iter().map(|&(strategy, _)| strategy)
    }

    /// Its name in tables, models and JSON, e.g. `svm-cross-validation`.
    ///
    /// # Panics
    ///
    /// Never: every strategy that can be had is in the list.
    pub fn name(self) -> &'static str {
        let own = STRATEGIES.iter().find(|(strategy, _)| *strategy == self);
        own.map(|(_, name)| name.as_str()).expect("every strategy is listed")
    }

    /// What trains its selectors.
    pub fn learner(self) -> &'static dyn Learner {
        LEARNERS[self.learner]
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
        let found = Self::all().find(|strategy| strategy.name() == name);
        let known = || Self::all().map(Self::name).collect();
        found.ok_or_else(|| LearnError::UnknownStrategy { found: name.into(), known: known() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        assert!(Strategy::all().count() >= 10);
        for strategy in Strategy::all() {
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
        let named = [Strategy::STATIC, Strategy::SVM_NONE, Strategy::SVM_CROSS_VALIDATION, Strategy::SVM_ALL];
        assert_eq!(named.map(Strategy::name), ["static", "svm-none", "svm-cross-validation", "svm-all"]);
    }

    #[test]
    fn simpler_strategies_come_first() {
        assert!(Strategy::all().is_sorted());
        assert_eq!(Strategy::all().next(), Some(Strategy::STATIC));
    }
}
