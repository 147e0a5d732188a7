//! The reach of training: the inputs and devices that a model was trained on, in a few hundred bytes. By it a
//! selection can tell whether it is about something like them.
//!
//! A point (the features of an input, or of a device) is scaled as the training data was, to [-1, 1] a column, and
//! compared in two ways:
//! - its *gap* is the distance to the nearest of at most [`MAX_CENTERS`] training points: √(mean over the columns of
//!   (difference)²), where what lies outside of [-1, 1] is taken for its end. The centres are chosen so that no
//!   training point is far from all of them (Gonzalez, "Clustering to minimize the maximum intercluster distance",
//!   1985).
//! - its *excess* is how far the column that lies farthest outside of [-1, 1] lies outside. A gap alone would hide
//!   it: one column of many has little weight in a mean.
//!
//! Both have a limit that the trainer found on held-out inputs and devices. The distance is max(gap / gap limit,
//! excess / excess limit); above 1 is *far*.

use super::Scale;
use super::format::wire::{MANY, wire_structs};

/// The most training points that a region keeps.
pub const MAX_CENTERS: usize = 64;
/// The most columns of a region.
pub const MAX_COLUMNS: usize = 64;
/// The integer that stands for 1 in [`Region::centers`].
const ONE: f64 = 127.0;

/// The inputs and devices that a model was trained on; what is absent is not known.
///
/// ```
/// use nitro_core::model::{Coverage, Offset, Region, Scale, Transform};
///
/// assert!(Coverage::default().is_empty());
/// let scale = Scale { transform: Transform::Identity, min: 0.0, max: 10.0 };
/// let inputs = Region::new(vec![scale], [&[0.0][..]], Offset { gap: 0.5, excess: 0.2 });
/// assert!(!Coverage { inputs: Some(inputs), devices: None }.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The training inputs, one column an input feature of the model; absent where the selector asks for no feature.
    pub inputs: Option<Region>,
    /// The source devices; absent where nothing tells them apart.
    pub devices: Option<DeviceRegion>,
}

/// The region of the source devices.
///
/// ```
/// use nitro_core::model::{DeviceRegion, Offset, Region, Scale, Transform};
///
/// // Trained on devices of 4 and 16 threads.
/// let scale = Scale { transform: Transform::Identity, min: 4.0, max: 16.0 };
/// let region = Region::new(vec![scale], [&[-1.0][..], &[1.0]], Offset { gap: 1.0, excess: 0.5 });
/// let devices = DeviceRegion { features: vec!["threads".into()], region };
/// let with_threads = |count| devices.distance(|name| (name == "threads").then_some(count));
/// assert_eq!(with_threads(16.0), Some(0.0));
/// assert!(with_threads(64.0) > Some(1.0), "far");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceRegion {
    /// Names of the columns. They are all device features that are known of every source and differ between them,
    /// whether the selector uses them or not.
    pub features: Vec<String>,
    /// The sources.
    pub region: Region,
}

/// The region of some training points.
///
/// ```
/// use nitro_core::model::{Offset, Region, Scale, Transform};
///
/// // Trained on the inputs 0, 50 and 100 of one feature; a tenth of the range from them is near.
/// let scale = Scale { transform: Transform::Identity, min: 0.0, max: 100.0 };
/// let centers = [&[-1.0][..], &[0.0], &[1.0]];
/// let region = Region::new(vec![scale], centers, Offset { gap: 0.2, excess: 0.2 });
/// assert_eq!(region.distance(&[50.0]), Some(0.0));
/// assert!(region.distance(&[75.0]) > Some(1.0), "between the inputs");
/// assert!(region.distance(&[120.0]) > Some(1.0), "beyond them");
/// assert_eq!(region.distance(&[f64::NAN]), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// One a column; the training points span [-1, 1].
    pub scaling: Vec<Scale>,
    /// Scaled training points, one row each, in steps of 1/127.
    pub centers: Vec<i8>,
    /// The gap at which distance 1 begins.
    pub gap_limit: f64,
    /// The excess at which distance 1 begins.
    pub excess_limit: f64,
}

/// The offset of a point from a region, before limits. Units are scaled: the range of the training points is 2 long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// Root mean square difference to the nearest centre.
    pub gap: f64,
    /// The distance by which the farthest column lies outside of the training range; 0 inside.
    pub excess: f64,
}

wire_structs! {
    Coverage { inputs, devices }
    DeviceRegion { features: MANY, region }
    Region { scaling: MANY, centers, gap_limit, excess_limit }
}

impl Coverage {
    /// Returns true where nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that all lengths and numbers fit together for a model with this many input features. The error names
    /// what does not.
    pub(crate) fn check(&self, features: usize) -> Result<(), &'static str> {
        let inputs = self.inputs.iter().map(|region| (region, features));
        let devices = self.devices.iter().map(|devices| (&devices.region, devices.features.len()));
        inputs.chain(devices).try_for_each(|(region, columns)| region.check(columns))
    }
}

impl DeviceRegion {
    /// The distance of the device with these features from the sources, as [`Region::distance`].
    #[must_use]
    pub fn distance(&self, value: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.features.iter().map(|name| value(name).unwrap_or(f64::NAN)).collect();
        self.region.distance(&values)
    }
}

impl Region {
    /// The region around some scaled training points, one row each; at most the first [`MAX_CENTERS`] are kept.
    #[must_use]
    pub fn new<'a>(
        scaling: Vec<Scale>,
        centers: impl IntoIterator<Item = &'a [f64]>,
        limits: Offset,
    ) -> Self {
        let values = centers.into_iter().take(MAX_CENTERS).flatten();
        let centers = values.map(|value| (value.clamp(-1.0, 1.0) * ONE).round() as i8).collect();
        Self { scaling, centers, gap_limit: limits.gap, excess_limit: limits.excess }
    }

    /// The distance of a point of raw values from the training points, in units of the limit. Above 1 is far. Values
    /// that are not finite are not known and take no part; absent where no value is known. Allocates nothing.
    #[must_use]
    pub fn distance(&self, values: &[f64]) -> Option<f64> {
        let Offset { gap, excess } = self.offset(values)?;
        Some((gap / self.gap_limit).max(excess / self.excess_limit))
    }

    /// The offset of a point of raw values from the training points: as [`Region::distance`], without limits.
    #[must_use]
    pub fn offset(&self, values: &[f64]) -> Option<Offset> {
        let mut scaled = [f64::NAN; MAX_COLUMNS];
        let columns = self.scaling.len().min(MAX_COLUMNS);
        for ((scaled, scale), value) in scaled.iter_mut().zip(&self.scaling).zip(values) {
            *scaled = scale.apply(*value);
        }
        offset(&scaled[..columns], self.centers.chunks_exact(columns.max(1)))
    }

    fn check(&self, columns: usize) -> Result<(), &'static str> {
        let limits = [self.gap_limit, self.excess_limit];
        match () {
            () if columns == 0 || columns > MAX_COLUMNS || self.scaling.len() != columns => {
                Err("number of columns of a region")
            }
            () if self.centers.is_empty()
                || !self.centers.len().is_multiple_of(columns)
                || self.centers.len() / columns > MAX_CENTERS =>
            {
                Err("number of centers of a region")
            }
            () if self.scaling.iter().any(|own| !own.min.is_finite() || !(own.max - own.min).is_finite()) => {
                Err("scaling of a region")
            }
            () if !limits.iter().all(|limit| limit.is_finite() && *limit > 0.0) => Err("limits of a region"),
            () => Ok(()),
        }
    }
}

/// The scaled value, between -1 and 1, that a column of a centre stands for.
pub(crate) fn coordinate(center: i8) -> f64 {
    f64::from(center) / ONE
}

/// The offset of a scaled point from some centres; a value that is not a number takes no part.
fn offset<'a>(point: &[f64], centers: impl Iterator<Item = &'a [i8]>) -> Option<Offset> {
    let (mut count, mut excess) = (0_u32, 0.0);
    for value in point.iter().filter(|value| !value.is_nan()) {
        count += 1;
        excess = f64::max(excess, value.abs() - 1.0);
    }
    let nearest = centers.map(|center| squared_difference(point, center)).reduce(f64::min)?;
    (count > 0).then(|| Offset { gap: (nearest / f64::from(count)).sqrt(), excess })
}

/// Adds the squares of the differences, within the training range: the excess tells of what lies outside.
fn squared_difference(point: &[f64], center: &[i8]) -> f64 {
    let mut sum = 0.0;
    for (value, &center) in point.iter().zip(center) {
        let difference = value.clamp(-1.0, 1.0) - coordinate(center);
        sum += if difference.is_nan() { 0.0 } else { difference * difference };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Transform;

    /// Two columns from 0 to 10, points in two corners and the middle.
    fn region() -> Region {
        let scale = Scale { transform: Transform::Identity, min: 0.0, max: 10.0 };
        let points: [&[f64]; 3] = [&[-1.0, -1.0], &[0.0, 0.0], &[1.0, 1.0]];
        Region::new(vec![scale; 2], points, Offset { gap: 0.5, excess: 0.2 })
    }

    fn check(values: &[f64], gap: f64, excess: f64) {
        let offset = region().offset(values).unwrap();
        assert!((offset.gap - gap).abs() < 1e-9 && (offset.excess - excess).abs() < 1e-9, "{offset:?}");
    }

    #[test]
    fn a_training_point_has_no_distance() {
        for point in [[0.0, 0.0], [5.0, 5.0], [10.0, 10.0]] {
            assert_eq!(region().distance(&point), Some(0.0));
        }
    }

    #[test]
    fn a_gap_is_the_root_mean_square_difference_to_the_nearest_point() {
        check(&[5.0, 7.0], (0.4_f64 * 0.4 / 2.0).sqrt(), 0.0);
        check(&[0.0, 10.0], 1.0, 0.0);
        assert_eq!(region().distance(&[0.0, 10.0]), Some(2.0), "in the limit's units");
    }

    #[test]
    fn an_excess_is_what_the_farthest_column_lies_outside() {
        check(&[11.0, 12.0], 0.0, 0.4);
        check(&[-1.0, 0.0], 0.0, 0.2);
        assert_eq!(region().distance(&[12.0, 10.0]).map(f64::round), Some(2.0));
        assert_eq!(region().distance(&[f64::MAX, 0.0]).map(|distance| distance > 1e300), Some(true));
    }

    #[test]
    fn what_is_not_known_takes_no_part() {
        check(&[5.0, f64::NAN], 0.0, 0.0);
        check(&[7.0, f64::NAN], 0.4, 0.0);
        check(&[7.0], 0.4, 0.0);
        assert_eq!(region().distance(&[f64::NAN; 2]), None);
        assert_eq!(region().distance(&[]), None);
    }

    #[test]
    fn contradicting_numbers_are_named() {
        type Damage = fn(&mut Region);
        let damages: [(&str, Damage); 6] = [
            ("number of columns of a region", |region| region.scaling.clear()),
            ("number of centers of a region", |region| region.centers.truncate(3)),
            ("number of centers of a region", |region| region.centers = vec![0; 2 * MAX_CENTERS + 2]),
            ("scaling of a region", |region| region.scaling[1].max = f64::NAN),
            ("limits of a region", |region| region.gap_limit = 0.0),
            ("limits of a region", |region| region.excess_limit = f64::INFINITY),
        ];
        let check = |region: Region| Coverage { inputs: Some(region), devices: None }.check(2);
        assert_eq!(check(region()), Ok(()));
        for (what, damage) in damages {
            let mut region = region();
            damage(&mut region);
            assert_eq!(check(region), Err(what));
        }
    }
}
