//! What the crate promises to who searches with it.

mod budgets;
mod climbs;
mod colonies;
mod evolution;
mod fake;
mod kernels;
mod paths;
mod seeds;
mod strategies;
mod transfers;
