//! The emulator: candidates run on the CPU where no GPU is, and races and stray accesses are found.

pub(crate) mod case;
mod check;
mod check_case;
mod explore;
mod judgement;
mod piece;
mod proof;
mod proved;
mod runner;
mod shown;
#[cfg(test)]
mod tests;

pub use self::check::EmulatorCheck;
pub use self::runner::EmulatorRunner;
