//! Measurements of a space on other devices.

use crate::space::digest::Digest;
use crate::{Evaluation, Space};

/// The measurements of other devices, and features of the device that is searched on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// The other devices.
    pub devices: Vec<Source>,
    /// Features of the device that is searched on, in the order of [`Source::features`]; may be empty.
    pub features: Vec<f64>,
}

/// The measurements of one other device.
///
/// ```
/// use nitro_search::{Evaluation, Failure, Source};
///
/// // Of a space of four configurations the third was never measured, and the last failed.
/// let evaluations = vec![
///     Some(Evaluation::TimeNs(20.0)), Some(Evaluation::TimeNs(10.0)), None, Some(Evaluation::Failed(Failure::Launch)),
/// ];
/// let source = Source { device: "A4000".into(), evaluations, features: vec![] };
/// assert_eq!(source.measured(), 3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its name.
    pub device: String,
    /// The evaluation of each candidate, in the order of the space; none where it was not measured.
    pub evaluations: Vec<Option<Evaluation>>,
    /// Its features, the same for all devices; may be empty.
    pub features: Vec<f64>,
}

impl Source {
    /// Returns the number of candidates of which something is known.
    #[must_use]
    pub fn measured(&self) -> usize {
        self.evaluations.iter().flatten().count()
    }
}

impl Sources {
    /// Returns a digest that tells these sources from others.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut digest = Digest::new();
        self.features.iter().for_each(|feature| digest.add(&feature.to_le_bytes()));
        for source in &self.devices {
            digest.add_text(&source.device);
            source.features.iter().for_each(|feature| digest.add(&feature.to_le_bytes()));
            for evaluation in &source.evaluations {
                let number = evaluation.map_or(-1.0, Evaluation::cost);
                digest.add(&number.to_le_bytes());
            }
        }
        digest.text()
    }

    /// Returns the devices that measured anything of this space, in it.
    pub(crate) fn useful(&self, space: &Space) -> impl Iterator<Item = &Source> {
        let own = self.devices.iter().filter(|source| source.evaluations.len() == space.len());
        own.filter(|source| source.measured() > 0)
    }
}
