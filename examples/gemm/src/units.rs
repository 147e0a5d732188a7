//! Products on matrix units: kernels that were made of the nest `gemm` of `suite/polybench`, as launch plans.
//!
//! `gemm-units plans examples/gemm/src` writes them again.

use std::sync::LazyLock;

use nitro::Artifact;
use nitro_cuda::Stream;

/// The largest inner size for which the errors are stated.
pub const MOST_INNER: u32 = 16_384;

/// The largest error of an element by TF32 operands, relative to |α|·Σ|a·b| + |β·c|.
///
/// It is `MatrixArithmetic::worst_error` of the largest inner size; a test holds that.
pub const TF32_ERROR: f64 = 6e-3;

/// The largest error of an element by three BF16 parts of each operand, relative to |α|·Σ|a·b| + |β·c|.
///
/// Sums of single precision of this length may be off by ten times as much.
pub const BF16X6_ERROR: f64 = 7e-5;

/// The tolerance that admits products which are as good as those of single precision.
pub const AS_SINGLE: f64 = BF16X6_ERROR;

/// The least inner size for which the worst case of three BF16 parts is none above that of single precision.
pub const LEAST_INNER: u32 = 64;

/// A plan that comes with the program.
pub(crate) type Shipped = LazyLock<Artifact>;

/// The plan of TF32 operands.
pub(crate) static TF32: Shipped = LazyLock::new(|| Artifact::keep(include_str!("tf32.json")));

/// The plan of TF32 operands by groups of four warps.
pub(crate) static TF32_GROUPS: Shipped = LazyLock::new(|| Artifact::keep(include_str!("tf32-groups.json")));

/// The plan of three BF16 parts of each operand.
pub(crate) static BF16X6: Shipped = LazyLock::new(|| Artifact::keep(include_str!("bf16x6.json")));

/// The plan of three BF16 parts of each operand by groups of four warps.
pub(crate) static BF16X6_GROUPS: Shipped =
    LazyLock::new(|| Artifact::keep(include_str!("bf16x6-groups.json")));

/// Returns `true` if the stream's device has the matrix units.
pub(crate) fn are_there(stream: Stream) -> bool {
    stream.device().architecture() >= 80
}

/// Returns `true` if four warps of the stream's device multiply together.
pub(crate) fn has_groups(stream: Stream) -> bool {
    stream.device().architecture() == 90
}
