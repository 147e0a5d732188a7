//! Times that features take to compute.

/// The times that the features of one input took on one device, before a call could be made.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTimes {
    /// Position in [`Recordings::devices`](super::Recordings::devices).
    pub device: usize,
    /// Position in [`Recordings::inputs`](super::Recordings::inputs).
    pub input: usize,
    /// Nanoseconds, in the order of [`Recordings::features`](super::Recordings::features); none where that was not
    /// measured.
    pub times_ns: Vec<Option<f64>>,
}
