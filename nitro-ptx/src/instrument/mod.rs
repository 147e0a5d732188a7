//! Code that is added to kernels, so that they end before they do harm.

pub(crate) mod bounds;
pub(crate) mod deadline;
pub(crate) mod violation;
