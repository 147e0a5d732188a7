//! The subjects as plain functions, from the definitions of their algorithms.

mod clusters;
mod filter;
mod flow;
mod graphs;
mod matrices;
mod network;
mod ours;
mod particles;
mod stencils;
mod svm;
mod tables;

use crate::case::Case;
use crate::expected::Results;

/// The reference of a subject.
pub fn reference(name: &str) -> fn(&Case) -> Results {
    match name {
        "backprop" => network::backprop,
        "bfs" => graphs::bfs,
        "cfd" => flow::cfd,
        "gaussian" => matrices::gaussian,
        "hotspot" => stencils::hotspot,
        "kmeans" => clusters::kmeans,
        "lavamd" => particles::lavamd,
        "lud" => matrices::lud,
        "nn" => clusters::nn,
        "nw" => tables::nw,
        "particlefilter" => filter::particlefilter,
        "pathfinder" => tables::pathfinder,
        "srad" => stencils::srad,
        "streamcluster" => clusters::streamcluster,
        "svm" => svm::svm,
        "gemm_tiled" => ours::gemm_tiled,
        "histogram" => ours::histogram,
        "mv_mul" => ours::mv_mul,
        "sort" => ours::sort,
        "spmv" => ours::spmv,
        "transpose" => ours::transpose,
        "planted" => tables::planted,
        "trap" => tables::trap,
        _ => panic!("{name} has no reference"),
    }
}
