//! Errors of spaces.

/// Most configurations that a space may have: every one of them is kept.
pub(super) const MOST: usize = 1 << 24;

/// The reason for which there is no such space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A parameter has no value, or more than a search can number.
    #[error("parameter `{0}` needs between 1 and 65536 values")]
    Values(String),
    /// Two parameters are called the same.
    #[error("two parameters are called `{0}`; rename one")]
    Repeated(String),
    /// A constraint names something else.
    #[error("a constraint is about `{0}`, which is no parameter of this space")]
    Unknown(String),
    /// A row of a list has other values.
    #[error("configuration {0} of the list has not one value for each parameter")]
    Row(usize),
    /// A row is there twice.
    #[error("configuration `{0}` is in the list twice")]
    Twice(String),
    /// Nothing is left.
    #[error("no configuration fulfils all constraints")]
    Empty,
    /// It would not fit into memory.
    #[error("the space has more than {MOST} configurations; constrain it, or give parameters fewer values")]
    TooLarge,
}
