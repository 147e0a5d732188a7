//! Mean, 5th percentile and worst of a selector's shares.

use std::collections::BTreeMap;

use nitro_stats::statistics::{mean, quantile};
use serde::{Deserialize, Serialize};

use crate::Strategy;

/// Shares of the best variant's speed over test inputs.
///
/// ```
/// use nitro_learn::evaluate::Figures;
///
/// let figures = Figures::new(vec![1.0, 0.5, 0.75]).expect("there are shares");
/// assert_eq!((figures.mean, figures.worst), (0.75, 0.5));
/// assert_eq!(Figures::new(vec![]), None);
/// ```
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
        let mean = mean(shares.iter().copied())?;
        Some(Self { mean, p05: quantile(&shares, 0.05), worst })
    }
}

/// Figures by selector; one that does not apply is absent.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
///
/// let evaluation = evaluate(&recordings, &Split::by_name(&recordings), &EvaluateOptions::default())?;
/// let selectors = &evaluation.devices[0].selectors;
/// for (name, figures) in selectors.by_name() {
///     println!("{name}: {}", figures.map_or("does not apply".to_owned(), |figures| format!("{:.3}", figures.mean)));
/// }
/// assert!(selectors.get("auto").map(|auto| auto.worst) > selectors.get("random").map(|random| random.worst));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Selectors(BTreeMap<&'static str, Figures>);

impl Selectors {
    /// The figures of some shares.
    pub(super) fn of(shares: &BTreeMap<&'static str, Vec<f64>>) -> Self {
        let figures = shares.iter().map(|(&name, shares)| (name, Figures::new(shares.clone())));
        Self(figures.filter_map(|(name, figures)| Some((name, figures?))).collect())
    }

    /// Returns true if there is no selector.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The figures of one selector, where it applies.
    pub fn get(&self, name: &str) -> Option<Figures> {
        self.0.get(name).copied()
    }

    /// Every selector that there is, with its figures where it applies, in the order of [`selector_names`].
    pub fn by_name(&self) -> Vec<(&'static str, Option<Figures>)> {
        selector_names().map(|name| (name, self.get(name))).collect()
    }
}

/// The selectors of an evaluation in the order of its table: `random` (mean over the admissible variants), the
/// strategies (of which `static` is the first admissible of an order of the variants by mean share), `majority` (one
/// model a source, majority of their predictions), `auto` (what `fit` would ship), and
/// three that know the held-out device and are never shipped: `best-single-feature` (oracle choice of one device
/// feature), `nitro-2014` (an SVM over input features alone, trained on the held-out device itself: the bar called
/// Nitro in the paper's figures, after Muralidharan et al., IPDPS 2014), and `target-trained` (what `fit` would
/// ship of the held-out device's own measurements).
///
/// ```
/// use nitro_learn::evaluate::selector_names;
/// use nitro_learn::Strategy;
///
/// let names: Vec<_> = selector_names().collect();
/// assert_eq!((names.first(), names.last()), (Some(&"random"), Some(&"target-trained")));
/// assert!(Strategy::all().all(|strategy| names.contains(&strategy.name())));
/// ```
pub fn selector_names() -> impl Iterator<Item = &'static str> {
    let strategies = Strategy::all().map(Strategy::name);
    ["random"].into_iter().chain(strategies).chain([
        "majority",
        "auto",
        "best-single-feature",
        "nitro-2014",
        "target-trained",
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_summarise() {
        let figures = Figures::new(vec![1.0, 0.0, 0.5]).unwrap();
        assert_eq!((figures.mean, figures.p05, figures.worst), (0.5, 0.05, 0.0));
        assert_eq!(Figures::new(vec![]), None);
    }
}
