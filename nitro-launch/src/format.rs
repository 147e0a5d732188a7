//! The formats of the text of a plan.

/// The format of a plan in CUDA C++.
pub(crate) const FORMAT: u64 = 1;
/// The format of a plan in PTX, by which a version that knows no such plans refuses it.
pub(crate) const FORMAT_PTX: u64 = 2;
/// The format of a plan of other numbers than `float`, or with arrays of subscripts or of 16 bits, in CUDA C++ or PTX.
pub(crate) const FORMAT_ELEMENTS: u64 = 3;
