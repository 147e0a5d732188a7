//! Tools that the tests of several packages need, and none of the packages itself.

pub mod allocations;
pub mod pages;
pub mod random;
pub mod redis_server;
pub mod tools;
