//! What is learned from outcomes.

pub(crate) mod forest;
