//! The kernels. Without a GPU, that they compile in every configuration; with one, that each gives what its
//! definition says.

mod compile;
mod results;
