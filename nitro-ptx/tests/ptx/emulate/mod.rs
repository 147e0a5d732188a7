//! PTX on the CPU.

mod arithmetic;
mod faults;
mod hostile;
mod kernels;
mod programs;
mod speed;
mod support;
mod symbolic;
mod texts;
