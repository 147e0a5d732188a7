//! Whatever a nest is mapped to computes what the nest computes.

mod agreement;
mod drawn;
mod forms;
mod kernels;
mod reused;
mod slices;
#[cfg(feature = "search")]
mod space;
mod sums;
mod temporaries;
mod tilings;
mod wavefronts;
mod wide;
