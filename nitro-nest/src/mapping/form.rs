//! The form of a nest that is mapped.

use serde::{Deserialize, Serialize};

/// The optional passes over a nest before it is mapped; by default, none.
///
/// Temporaries and wavefronts are always there where they help.
/// [`MappingSpace`](crate::MappingSpace) and [`NestView`](crate::NestView) map a nest in the form that a
/// [`Mapping`](crate::Mapping) names; [`Nest::map`](crate::Nest::map) takes the nest as it is.
#[cfg_attr(not(all(feature = "search", feature = "show")), allow(rustdoc::broken_intra_doc_links))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Form {
    /// Statements that set or scale elements are in the loops that sum into them.
    ///
    /// So they are in their kernel: that is `Nest::with_joined_sums`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joins_sums: bool,
    /// Two loops that go over the rows of arrays with several dimensions are one, so that tiles span both.
    ///
    /// That is `Nest::with_joined_rows`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joins_rows: bool,
    /// What is reduced over several loops has partial results, one for each iteration of the outermost of these.
    ///
    /// They are computed first, by as many more threads, and read their operands once where the nest reads them twice
    /// for a mean and what differs from it. It takes a nest that permits another order of additions. One extreme of a
    /// long array has one for each 4,096 of its elements.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub parts_reductions: bool,
}

impl Form {
    /// Returns `true` if no optional pass is run.
    pub(super) fn is_as_written(&self) -> bool {
        *self == Self::default()
    }
}
