//! Mean, 5th percentile and worst of a selector's shares.

use serde::{Deserialize, Serialize};

use super::Shares;

/// Shares of the best variant's speed over test inputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Arithmetic mean.
    pub mean: f64,
    /// 5th percentile; see [`quantile`].
    pub p05: f64,
    /// Minimum.
    pub worst: f64,
}

impl Figures {
    /// Summarises some shares; none of none.
    pub fn new(mut shares: Vec<f64>) -> Option<Self> {
        shares.sort_unstable_by(f64::total_cmp);
        let worst = *shares.first()?;
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        Some(Self { mean, p05: quantile(&shares, 0.05), worst })
    }
}

/// The quantile of a sorted list, interpolated between the two values beside position `fraction · (n − 1)`: type 7 of
/// Hyndman and Fan, what numpy and R do by default.
///
/// # Panics
///
/// If the list is empty.
pub fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let position = fraction * (sorted.len() - 1) as f64;
    let (below, above) = (position.floor() as usize, position.ceil() as usize);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// Figures by selector; one that does not apply is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Selectors {
    /// The one variant best on average on the source devices.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    pub constant: Option<Figures>,
    /// A variant drawn from the admissible ones, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<Figures>,
    /// One model a source device, majority of their predictions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub majority: Option<Figures>,
    /// No device features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svm_none: Option<Figures>,
    /// All device features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svm_all: Option<Figures>,
    /// Device features selected by CV-DFS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svm_cross_validation: Option<Figures>,
    /// What `fit` would ship.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto: Option<Figures>,
    /// Trained on the held-out device itself: the ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_trained: Option<Figures>,
    /// Oracle choice of one device feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_single_feature: Option<Figures>,
}

impl Selectors {
    /// The figures of some shares.
    pub(super) fn of(shares: &Shares) -> Self {
        let figures = |name| shares.get(name).cloned().and_then(Figures::new);
        Self {
            constant: figures("static"),
            random: figures("random"),
            majority: figures("majority"),
            svm_none: figures("svm-none"),
            svm_all: figures("svm-all"),
            svm_cross_validation: figures("svm-cross-validation"),
            auto: figures("auto"),
            target_trained: figures("target-trained"),
            best_single_feature: figures("best-single-feature"),
        }
    }

    /// All selectors by name, in the order of the table.
    pub fn by_name(&self) -> [(&'static str, Option<Figures>); 9] {
        [
            ("random", self.random),
            ("static", self.constant),
            ("majority", self.majority),
            ("svm-none", self.svm_none),
            ("svm-all", self.svm_all),
            ("svm-cross-validation", self.svm_cross_validation),
            ("auto", self.auto),
            ("best-single-feature", self.best_single_feature),
            ("target-trained", self.target_trained),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_numpys() {
        let sorted = [0.1, 0.2, 0.4, 0.8, 1.0];
        // numpy.quantile(sorted, q)
        for (fraction, expected) in [(0.0, 0.1), (0.05, 0.12), (0.5, 0.4), (0.9, 0.92), (1.0, 1.0)] {
            assert!((quantile(&sorted, fraction) - expected).abs() < 1e-12, "at {fraction}");
        }
        assert_eq!(quantile(&[0.7], 0.05), 0.7);
    }

    #[test]
    fn figures_summarise() {
        let figures = Figures::new(vec![1.0, 0.0, 0.5]).unwrap();
        assert_eq!((figures.mean, figures.p05, figures.worst), (0.5, 0.05, 0.0));
        assert_eq!(Figures::new(vec![]), None);
    }
}
