//! PTX on the CPU.

mod faults;
mod kernels;
mod programs;
mod support;
