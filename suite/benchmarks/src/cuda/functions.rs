//! The functions on CUDA devices, each with its variants, the features that tell its inputs apart, and its constraints.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError};

#[cfg(feature = "vendor")]
use super::vendor;
use super::{bfs, histogram, solver, sort, spmv, transpose};
use crate::variants::transpose::is_coprime;

/// Multiplies a sparse matrix by a vector in double precision, y ← A·x.
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
#[code_variant(
    name = "cuda_spmv",
    device = nitro_cuda::current(),
    features(
        nonzeros = a.nonzeros(),
        mean_row_length = a.row_lengths().mean,
        row_length_sd = a.row_lengths().sd,
        max_row_deviation = a.row_lengths().max_deviation(),
        ell_fill = a.ell_fill(),
        dia_fill = a.dia_fill(),
    ),
    variants(
        spmv::csr_scalar,
        spmv::csr_vector,
        spmv::csr_merge,
        spmv::ell if ell_fill <= spmv::ELL_FILL_CUTOFF,
        spmv::dia if dia_fill <= spmv::DIA_FILL_CUTOFF,
        #[cfg(feature = "vendor")]
        vendor::cusparse::cusparse if a.cusparse().is_some(),
    ),
    default = csr_vector,
)]
pub fn cuda_spmv(a: &spmv::Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError>;

/// Searches a graph breadth first from a vertex; the distances are in `search`.
///
/// # Errors
/// When the search was made for another graph, or the device fails.
#[code_variant(
    name = "cuda_bfs",
    device = nitro_cuda::current(),
    features(
        mean_out_degree = graph.out_degrees().mean,
        out_degree_sd = graph.out_degrees().sd,
        max_out_degree_deviation = graph.out_degrees().max_deviation(),
        vertices = graph.vertices(),
        edges = graph.edges(),
    ),
    variants(
        bfs::expand_contract_fused,
        bfs::expand_contract_iterative,
        bfs::contract_expand_fused,
        bfs::contract_expand_iterative,
        bfs::two_phase_fused,
        bfs::two_phase_iterative,
    ),
    default = two_phase_iterative,
)]
pub fn cuda_bfs(graph: &bfs::Graph, source: u32, search: &mut bfs::Search) -> Result<(), CudaError>;

/// Solves the linear system A·x = b to [`solver::TOLERANCE`].
///
/// # Errors
/// When the iteration does not converge within [`solver::ITERATION_LIMIT`] or breaks down, when the vectors have
/// not the system's length, or when the device fails.
#[code_variant(
    name = "cuda_solver",
    device = nitro_cuda::current(),
    features(
        nonzeros = system.nonzeros(),
        rows = system.rows(),
        trace = system.numbers().trace,
        diagonal_mean = system.numbers().diagonal_mean,
        diagonal_variance = system.numbers().diagonal_variance,
        diagonal_dominance = system.numbers().diagonal_dominance,
        left_bandwidth = system.numbers().left_bandwidth,
        norm_1 = system.numbers().norm_1,
    ),
    variants(
        solver::cg_jacobi if system.is_symmetric_positive_definite(),
        solver::cg_block_jacobi if system.is_symmetric_positive_definite(),
        solver::cg_approximate_inverse if system.is_symmetric_positive_definite(),
        solver::bicgstab_jacobi,
        solver::bicgstab_block_jacobi,
        solver::bicgstab_approximate_inverse,
    ),
    default = bicgstab_approximate_inverse,
)]
pub fn cuda_solver(
    system: &solver::System,
    b: &Buffer<f64>,
    x: &mut Buffer<f64>,
    workspace: &mut solver::Workspace,
) -> Result<solver::Solved, solver::SolveError>;

/// Counts the pixels of an 8-bit image by value; what the 256 bins held before is replaced.
///
/// # Errors
/// When there are not 256 bins, or the device fails.
#[code_variant(
    name = "cuda_histogram",
    device = nitro_cuda::current(),
    features(
        pixel_count = image.len(),
        pixels_per_bin = image.len() as f64 / bins.len().max(1) as f64,
        sample_sd = image.sample_sd,
        sample_distinct_log2 = image.sample_distinct_log2,
        sample_step_log2 = image.sample_step_log2,
    ),
    variants(
        histogram::sort_even_share,
        histogram::sort_dynamic,
        histogram::global_atomic_even_share,
        histogram::global_atomic_dynamic,
        histogram::shared_atomic_even_share,
        histogram::shared_atomic_dynamic,
        #[cfg(feature = "vendor")]
        vendor::cub::cub_histogram,
    ),
    default = shared_atomic_even_share,
)]
pub fn cuda_histogram(image: &histogram::Image, bins: &mut Buffer<u32>) -> Result<(), CudaError>;

/// Sorts keys of 32 or 64 bits from one buffer to another.
///
/// # Errors
/// When the result has another length, or the device fails.
#[code_variant(
    name = "cuda_sort",
    device = nitro_cuda::current(),
    features(
        length = from.len(),
        bits = <W as sort::Word>::BITS,
        sample_runs_log2 = from.sample_runs_log2,
        sample_descents_log2 = from.sample_descents_log2,
        sample_distinct = from.sample_distinct,
    ),
    variants(
        sort::merge,
        sort::locality,
        sort::radix,
        #[cfg(feature = "vendor")]
        vendor::cub::cub_radix,
        #[cfg(feature = "vendor")]
        vendor::cub::cub_merge,
    ),
    default = radix,
)]
pub fn cuda_sort<W: sort::Word>(from: &sort::Keys<W>, to: &mut Buffer<W>) -> Result<(), CudaError>;

/// Transposes a matrix in place: rows times columns elements, row by row, become columns times rows.
///
/// # Errors
/// When there are not rows times columns elements, or the device fails.
#[code_variant(
    name = "cuda_transpose",
    device = nitro_cuda::current(),
    features(
        m = rows,
        n = columns,
        skinny = transpose::is_skinny(rows, columns),
        coprime = is_coprime(rows, columns),
    ),
    variants(
        transpose::c2r,
        transpose::r2c,
        transpose::c2r_skinny if columns <= transpose::SKINNY_COLUMNS,
        transpose::r2c_skinny if rows <= transpose::SKINNY_COLUMNS,
    ),
    default = r2c,
)]
pub fn cuda_transpose(values: &mut Buffer<f64>, rows: usize, columns: usize) -> Result<(), CudaError>;
