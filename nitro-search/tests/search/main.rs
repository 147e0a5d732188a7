//! What the crate promises to who searches with it.

mod budgets;
mod climbs;
mod fake;
mod strategies;
mod transfers;
