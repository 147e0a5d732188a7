//! Running on the CPU, where no GPU is: times are counted, races and stray accesses are found.

mod bench;
pub(crate) mod case;
mod check;
mod explore;
#[cfg(test)]
mod tests;

pub use self::bench::EmulatorBench;
pub use self::check::EmulatorCheck;
