//! What stands for a measured device feature where choices are to be the same on every device of one kind.

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
    /// The source that is nearest by the device features that are the same on every device of the kind: by the sum
    /// of the squared differences of the scaled values, of equals the first. None where the model does not know its
    /// sources, or nothing can be compared.
    pub(crate) fn of(model: &'a Model, device: &DeviceEntry) -> Option<Self> {
        let devices = model.coverage.devices.as_ref()?;
        let (names, scaling) = (&devices.features[..], &devices.region.scaling[..]);
        let own = |(name, scale): (&String, &Scale)| Some(scale.apply_within(device.of_kind(name)?));
        let own: Vec<Option<f64>> = names.iter().zip(scaling).map(own).collect();
        own.iter().any(Option::is_some).then_some(())?;
        let difference =
            |(own, &source): (&Option<f64>, &i8)| own.map_or(0.0, |own| own - coordinate(source));
        let distance = |source: &[i8]| own.iter().zip(source).map(difference).map(|d| d * d).sum::<f64>();
        let sources = devices.region.centers.chunks_exact(names.len());
        let source = sources.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(Self { names, scaling, source })
    }

    /// The device feature of this name, if the model knows it of its sources.
    pub(crate) fn feature(&self, name: &str) -> Option<f64> {
        let column = self.names.iter().position(|own| own == name)?;
        let Scale { transform, min, max } = self.scaling[column];
        Some(transform.undo(min + (coordinate(self.source[column]) + 1.0) / 2.0 * (max - min)))
    }
}
