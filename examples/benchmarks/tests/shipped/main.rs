//! The recordings and profiles that the repository ships. One program, since each would be linked with the whole suite.

#[path = "../trainer/mod.rs"]
mod trainer;

mod profiles;
mod replay;
