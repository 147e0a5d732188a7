//! Arithmetic that several families need.

pub(super) mod integers;
pub(super) mod minimum;
pub(super) mod round;
pub(super) mod soft;
