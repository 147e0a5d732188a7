//! The nodes of a gate on one device.

/// A node of a gate on one device, whose features are the model's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Where the feature is above the threshold, the step of this index is next, else the one behind.
    Split { column: usize, threshold: f32, upper: usize },
    /// The decision.
    Leaf(Option<usize>),
}

impl Step {
    /// The feature that is compared, if one is.
    pub(super) fn column(&self) -> Option<usize> {
        match *self {
            Self::Split { column, .. } => Some(column),
            Self::Leaf(_) => None,
        }
    }
}
