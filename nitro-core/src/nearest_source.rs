//! Values for measured device features where choices are to be the same on every device of one kind.

use crate::DeviceEntry;
use crate::model::{Model, Scale, coordinate};

/// The source device of a model that is most like a device.
pub(crate) struct NearestSource<'a> {
    /// Names of its device features, and what scaled them.
    names: &'a [String],
    scaling: &'a [Scale],
    /// Its device features, scaled, in steps of 1/127.
    source: &'a [i8],
}

impl<'a> NearestSource<'a> {
    /// The source that is nearest by the device features that are the same on every device of the kind. The distance
    /// is the sum of the squared differences of the scaled values; of equals the first is taken. None where the
    /// model does not know its sources, or nothing can be compared.
    pub(crate) fn of(model: &'a Model, device: &DeviceEntry) -> Option<Self> {
        let devices = model.coverage.devices.as_ref()?;
        let (names, scaling) = (&devices.features[..], &devices.region.scaling[..]);
        let mut own = Vec::with_capacity(names.len());
        for (name, scale) in names.iter().zip(scaling) {
            own.push(device.of_kind(name).map(|value| scale.apply_within(value)));
        }
        if own.iter().all(Option::is_none) {
            return None;
        }
        let sources = devices.region.centers.chunks_exact(names.len());
        let source =
            sources.min_by(|a, b| squared_distance(&own, a).total_cmp(&squared_distance(&own, b)))?;
        Some(Self { names, scaling, source })
    }

    /// The device feature of this name, if the model knows it of its sources.
    pub(crate) fn feature(&self, name: &str) -> Option<f64> {
        let column = self.names.iter().position(|own| own == name)?;
        Some(self.scaling[column].undo(coordinate(self.source[column])))
    }
}

/// Adds the squared differences of the scaled values that are known.
fn squared_distance(own: &[Option<f64>], source: &[i8]) -> f64 {
    let pairs = own.iter().zip(source);
    pairs.map(|(own, &source)| own.map_or(0.0, |own| own - coordinate(source))).map(|d| d * d).sum()
}
