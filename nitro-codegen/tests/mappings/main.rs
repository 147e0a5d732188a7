//! Whatever a nest is mapped to computes what the nest computes.

mod agreement;
mod drawn;
mod kernels;
mod sums;
mod tilings;
