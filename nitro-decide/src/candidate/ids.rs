//! Names of choices and rules by number.

/// A choice of a [`Problem`](super::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChoiceId(pub(super) usize);

impl ChoiceId {
    /// Returns its position among the choices of its problem.
    #[must_use]
    pub fn position(self) -> usize {
        self.0
    }
}

/// A rule of a [`Problem`](super::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub(super) usize);
