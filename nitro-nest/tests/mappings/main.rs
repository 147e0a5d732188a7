//! Whatever a nest is mapped to computes what the nest computes.

mod agreement;
#[cfg(feature = "search")]
mod batches;
#[cfg(feature = "search")]
mod domains;
mod double;
mod drawn;
mod drawn_rows;
mod extremes;
#[cfg(feature = "search")]
mod factors;
mod few_threads;
mod forces;
mod forms;
mod gathers;
mod guards;
#[cfg(feature = "half")]
mod half;
mod in_time;
mod kernels;
mod many_loops;
mod matrix_units;
mod partials;
mod passes;
mod pipelines;
mod products;
mod quotients;
mod recurrences;
mod reused;
mod rows;
mod rows_of_loops;
mod same_rows;
mod scans;
#[cfg(feature = "search")]
mod searches;
mod slices;
#[cfg(feature = "search")]
mod space;
mod sums;
mod temporal;
mod temporaries;
mod tilings;
mod warp_groups;
mod wavefronts;
mod wide;
