//! The strategies by which a selector for unseen devices is made.

use std::fmt;
use std::str::FromStr;

use super::error::LearnError;

/// How a selector is made from the measurements of source devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// One variant for everything: the best on average on the source devices.
    Static,
    /// An SVM over input features alone.
    SvmNone,
    /// An SVM over input features and those device features that CV-DFS selects.
    SvmCrossValidation,
    /// An SVM over input features and all device features.
    SvmAll,
}

impl Strategy {
    /// All of them, simpler ones first: the order in which ties are settled.
    pub const ALL: [Self; 4] = [Self::Static, Self::SvmNone, Self::SvmCrossValidation, Self::SvmAll];

    /// Its name in tables, models and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::SvmNone => "svm-none",
            Self::SvmCrossValidation => "svm-cross-validation",
            Self::SvmAll => "svm-all",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = LearnError;

    fn from_str(name: &str) -> Result<Self, LearnError> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or_else(|| LearnError::UnknownStrategy { found: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
        assert!("svm".parse::<Strategy>().is_err());
    }
}
