//! The nests of PolyBench, and those beside the suite, as functions: plain loops, or kernels that a search finds.

use nitro::code_variant;
use nitro_cuda::LaunchError;
use nitro_decide::Rates;
use nitro_nest::{MappingSpace, Nest};
use nitro_train::Tunable;

use super::later::Later;
use super::work::{Work, prepare, record};
use crate::floors::floor;
use crate::gpu::reference;
use crate::{beyond, blas, manners, reductions, sizes, solvers, statistics, stencils, strangers};

macro_rules! nests {
    ($($module:ident: $($name:ident $text:literal)+;)+) => {
        $($(mod $name {
            use super::*;

            /// The nest, on data of its own.
            #[code_variant(
                name = $text,
                device = nitro_cuda::current(),
                features(elements = work.elements()),
                variants(plain, found { kernel in artifacts }),
                default = plain,
            )]
            pub fn $name(work: &mut Work<'_>) -> Result<(), LaunchError>;

            fn plain(work: &mut Work<'_>) -> Result<(), LaunchError> {
                work.run_plain()
            }

            fn found(p: $name::Found, work: &mut Work<'_>) -> Result<(), LaunchError> {
                work.run(p.kernel)
            }

            pub(super) fn tunable() -> Tunable {
                let tunable = Tunable::new($name::function(), |session| {
                    let nest = $module::$name::nest();
                    let plain = MappingSpace::new(&nest)?.map(&reference());
                    let sizes = |input: &str| sizes(nest.name(), input.rsplit('/').next()?);
                    record(session, &nest, &plain, sizes, $name)
                });
                let space = || space(&$module::$name::nest());
                let ahead = |choice, device: &str| if let $name::Choice::Found(p) = choice {
                    prepare(p.kernel, device);
                };
                let floor = |input: &str, feature: &dyn Fn(&str) -> Option<f64>| {
                    let rates = Rates::from_features(feature).ok()?;
                    floor(&$module::$name::nest(), input.rsplit('/').next()?, &rates)
                };
                tunable.generated("found", Later::new(space)).prepare(ahead).floor(floor)
            }
        })+)+

        /// Returns a function for each nest, with sizes that a cache holds and with those that none does as inputs.
        pub(super) fn tunables() -> Vec<Tunable> {
            let all = [$($($name::tunable(),)+)+].into_iter();
            all.map(|own| own.generated_inputs(["train/large", "train/huge"]).runs_on("cuda")).collect()
        }
    };
}

/// Returns the mappings of a nest, with the sizes of its inputs.
fn space(nest: &Nest) -> MappingSpace {
    let name = nest.name().to_owned();
    let space = MappingSpace::new(nest).expect("isl has operations enough");
    space.with_sizes(move |input| sizes(&name, input.rsplit('/').next()?))
}

nests! {
    blas: gemm "gemm" two_mm "two_mm" three_mm "three_mm" syrk "syrk" syr2k "syr2k" trmm "trmm"
        gesummv "gesummv" gemver "gemver";
    solvers: doitgen "doitgen" atax "atax" bicg "bicg" mvt "mvt";
    statistics: covariance "covariance" correlation "correlation";
    stencils: jacobi_2d "jacobi_2d" fdtd_2d "fdtd_2d" heat_3d "heat_3d";
    beyond: convolution_nchw "convolution_nchw" convolution_nhwc "convolution_nhwc" convolution_1x1 "convolution_1x1"
        depthwise_5x5 "depthwise_5x5" attention_scores "attention_scores" contraction "contraction" tucker "tucker"
        softmax "softmax" layer_norm "layer_norm" squared_distances "squared_distances" max_pool "max_pool"
        average_pool "average_pool" transposed_update "transposed_update"
        row_and_column_sums "row_and_column_sums" star_2d_r1 "star_2d_r1" star_2d_r2 "star_2d_r2"
        star_3d_r1 "star_3d_r1" star_3d_r4 "star_3d_r4";
    strangers: strided_convolution "strided_convolution" grouped_convolution "grouped_convolution"
        convolution_1d "convolution_1d" depthwise_nhwc "depthwise_nhwc" rms_norm "rms_norm"
        column_softmax "column_softmax" batch_statistics "batch_statistics" bilinear "bilinear" mttkrp "mttkrp"
        manhattan "manhattan" column_products "column_products" overlapping_pool "overlapping_pool"
        linear_tanh "linear_tanh" total "total" log_softmax "log_softmax" two_layers "two_layers";
    reductions: cumulative_sums "cumulative_sums" group_norm "group_norm" largest_magnitude "largest_magnitude"
        log_sum_exp "log_sum_exp";
    manners: padded_convolution "padded_convolution" layer_norm_in_loops "layer_norm_in_loops"
        blurred_colours "blurred_colours";
}
