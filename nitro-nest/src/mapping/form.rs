//! Which form of a nest is mapped.

use serde::{Deserialize, Serialize};

/// What is done to a nest before it is mapped, besides temporaries and wavefronts; by default, nothing.
///
/// [`MappingSpace`](crate::MappingSpace) and [`NestView`](crate::NestView) map a nest in the form that a
/// [`Mapping`](crate::Mapping) names; [`Nest::map`](crate::Nest::map) takes the nest as it is.
#[cfg_attr(not(all(feature = "search", feature = "show")), allow(rustdoc::broken_intra_doc_links))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Form {
    /// What sets or scales elements is in the loops that sum into them after that (`Nest::with_joined_sums`), and
    /// so in their kernel.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joins_sums: bool,
    /// Two loops that go over the rows of arrays with several dimensions are one (`Nest::with_joined_rows`), so
    /// that tiles span both.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joins_rows: bool,
}

impl Form {
    /// Whether nothing is done.
    pub(super) fn is_as_written(&self) -> bool {
        *self == Self::default()
    }
}
