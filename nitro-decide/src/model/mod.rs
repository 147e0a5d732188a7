//! The performance model: a time that nothing inside a state of a [`Nesting`](super::Nesting) takes less than.
//!
//! Each term is a resource whose use is counted at its least over everything that is open, divided by the most that
//! a device does of it. What a compiler or a cache may save is taken as saved: a thread loads an element once
//! whatever its loops say, and memory serves what the second-level cache cannot hold.

mod arrays;
mod combinations;
mod dimensions;
mod floor;
mod grid;
mod lanes;
mod lower_bound;
mod phases;
mod rates;
mod reasons;
mod spreads;
mod staging;
mod terms;
#[cfg(test)]
mod tests;
mod tile;
mod time_bound;
mod usage;
mod work;

pub use self::rates::Rates;
pub use self::reasons::Reasons;
pub use self::terms::{TimeTerm, TimeTerms};
pub use self::time_bound::TimeBound;
