//! PTX on the CPU.

mod arithmetic;
mod faults;
mod kernels;
mod programs;
mod speed;
mod support;
