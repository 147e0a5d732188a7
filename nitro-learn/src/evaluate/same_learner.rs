//! The benefit of device features: selectors that differ in nothing but what they are told of devices.

use std::fmt;

use super::evaluation::{DeviceEvaluation, Evaluation};
use crate::plain_table::Table;
use crate::{DeviceFeatures, Strategy};

/// One learner with each set of device features, all over the same held-out devices, so that its figures can be
/// compared.
#[derive(Clone, Debug, PartialEq)]
pub struct SameLearner {
    /// The learner, e.g. `forest`.
    pub learner: &'static str,
    /// The results with each set that applies to some device, in the order of [`DeviceFeatures::ALL`].
    pub sets: Vec<OfSet>,
}

/// The results of a learner with one set of device features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfSet {
    /// The set.
    pub device_features: DeviceFeatures,
    /// Mean share of exhaustive search over all held-out devices. Where the set does not apply (P-DFS without a
    /// profile of a source, all device features where one source tells none apart), the learner without device
    /// features stands in.
    pub mean: f64,
    /// The number of devices to which the set applies.
    pub applies_to: usize,
}

impl Evaluation {
    /// Returns the results of each learner that can use device features, without and with each set of them. Empty where
    /// no device could be judged with all device features.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    /// use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
    ///
    /// let evaluation = evaluate(&recordings, &Split::by_name(&recordings), &EvaluateOptions::default())?;
    /// for one in evaluation.by_device_features() {
    ///     for set in one.sets {
    ///         println!("{} {}: {:.1} %", one.learner, set.device_features.name(), 100.0 * set.mean);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by_device_features(&self) -> Vec<SameLearner> {
        let mut compared = Vec::new();
        for learner in Strategy::learner_names() {
            let sets = self.sets_of(learner);
            let has_all = sets.iter().any(|set| set.device_features == DeviceFeatures::All);
            if has_all && sets[0].device_features == DeviceFeatures::None {
                compared.push(SameLearner { learner, sets });
            }
        }
        compared
    }

    fn sets_of(&self, learner: &str) -> Vec<OfSet> {
        let Some(none) = strategy_of(learner, DeviceFeatures::None) else { return Vec::new() };
        let mut sets = Vec::new();
        for device_features in DeviceFeatures::ALL {
            let Some(strategy) = strategy_of(learner, device_features) else { continue };
            let (mut applies_to, mut sum) = (0, 0.0);
            for device in &self.devices {
                let own = mean(device, strategy);
                applies_to += usize::from(own.is_some());
                // Where the set does not apply, the learner goes without device features.
                sum += own.or_else(|| mean(device, none)).unwrap_or_default();
            }
            if applies_to > 0 {
                sets.push(OfSet { device_features, mean: sum / self.devices.len() as f64, applies_to });
            }
        }
        sets
    }
}

fn mean(device: &DeviceEvaluation, strategy: Strategy) -> Option<f64> {
    Some(device.selectors.get(strategy.name())?.mean)
}

/// The comparisons, as they stand below the table of an evaluation.
pub(super) fn write(f: &mut fmt::Formatter<'_>, evaluation: &Evaluation) -> fmt::Result {
    let (compared, devices) = (evaluation.by_device_features(), evaluation.devices.len());
    let Some(first) = compared.first() else { return Ok(()) };
    writeln!(f, "What device features bring (mean of the same learner with each set of them):")?;
    let names = first.sets.iter().map(|set| set.device_features.name());
    let mut table = Table::new(std::iter::once("").chain(names));
    for one in &compared {
        let cells = one.sets.iter().map(|set| format!("{:.1}", 100.0 * set.mean));
        table.row(std::iter::once(one.learner.to_owned()).chain(cells));
    }
    fmt::Display::fmt(&table, f)?;
    for set in first.sets.iter().filter(|set| set.applies_to < devices) {
        let (name, count) = (set.device_features.name(), set.applies_to);
        writeln!(
            f,
            "{name} applies to {count} of {devices} held-out devices; on the others `none` stands in"
        )?;
    }
    Ok(())
}

/// The strategy of a learner with a set of device features.
fn strategy_of(learner: &str, set: DeviceFeatures) -> Option<Strategy> {
    Strategy::all().find(|own| own.learner_name() == learner && own.device_features == set)
}
