//! Analyses of functions: control flow, definite assignment, and barriers in divergent code.

pub(crate) mod assigned;
mod bits;
mod derived;
pub(crate) mod flow;
pub(crate) mod pointed;
pub(crate) mod ranges;
pub(crate) mod same;
pub(crate) mod uniform;
