//! The recordings and profiles that the repository ships. One program, since each would be linked with the whole suite.

mod profiles;
mod replay;
