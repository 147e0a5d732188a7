//! Errors of plans, and of requests to run them.

use crate::Element;
use crate::format::FORMAT_ELEMENTS;

/// A reason why a plan cannot be read, or cannot be run for some sizes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text is no plan at all.
    #[error("this is no launch plan: {0}")]
    Text(String),
    /// The text is of another version.
    #[error(
        "this launch plan is of format {found}, and this version reads formats up to {FORMAT_ELEMENTS}: make it \
         anew, or use the version that it was made with"
    )]
    Format {
        /// The format's number.
        found: u64,
    },
    /// The plan contradicts itself, or is beyond what a device takes.
    #[error("the launch plan of `{plan}` is refused: {what}")]
    Wrong {
        /// The name of the nest.
        plan: String,
        /// The mistake.
        what: String,
    },
    /// Another number of values than the plan takes.
    #[error("`{plan}` takes {expected} {what} and was given {given}")]
    Count {
        /// The name of the nest.
        plan: String,
        /// Sizes, scalars, arrays, or elements of which array.
        what: String,
        /// The number that it takes.
        expected: usize,
        /// The number that there is.
        given: usize,
    },
    /// A size is negative, or an array would have more elements than memory has room for.
    #[error("the array `{array}` cannot have the shape {shape:?}")]
    Shape {
        /// The name of the array.
        array: String,
        /// The extents.
        shape: Vec<i64>,
    },
    /// The plan is of other numbers than it was given.
    #[error("`{plan}` computes in `{}` and was given `{}`: give it scalars and arrays of `{}`",
        expected.name(), given.name(), expected.name())]
    Element {
        /// The name of the nest.
        plan: String,
        /// The numbers that it computes with.
        expected: Element,
        /// The numbers that there are.
        given: Element,
    },
    /// An array is of numbers where it has subscripts, or of another type of numbers.
    #[error(
        "`{array}` of `{plan}` is an array of {expected}: arrays of numbers come first, and then those of subscripts"
    )]
    Kind {
        /// The name of the nest.
        plan: String,
        /// The name of the array.
        array: String,
        /// The elements that it has.
        expected: &'static str,
    },
    /// A subscript is of no element.
    #[error(
        "element {at} of `{array}` is {found}, and `{plan}` reads with it where there are {extent} elements: write \
         numbers below {extent}"
    )]
    Index {
        /// The name of the nest.
        plan: String,
        /// The name of the array of subscripts.
        array: String,
        /// The place of the subscript in it.
        at: usize,
        /// The subscript.
        found: u32,
        /// The elements that there are.
        extent: i64,
    },
    /// A kernel would have more blocks than a device launches.
    #[error(
        "kernel `{kernel}` takes {grid:?} blocks along x, y and z, and a device launches at most 2147483647 along one \
         of them and 65535 along the others: give its blocks more threads or points along that axis"
    )]
    Grid {
        /// The name of the kernel.
        kernel: String,
        /// The blocks.
        grid: [i64; 3],
    },
    /// The PTX of the plan counts in integers that these sizes are too large for.
    #[error(
        "the PTX of `{plan}` counts in 32 bits, and these sizes take 64: use it for smaller ones, or make it anew \
         from a plan in CUDA C++ with such sizes"
    )]
    Integers {
        /// The name of the nest.
        plan: String,
    },
    /// The kernels of the plan are for other devices.
    #[error(
        "the code of `{plan}` is for sm_{target}, and this device is sm_{found}: take another variant there, or make \
         it anew for that"
    )]
    Target {
        /// The name of the nest.
        plan: String,
        /// The architecture that it is for, as in `90` or `90a`.
        target: String,
        /// The compute capability of the device, as in `80`.
        found: u32,
    },
    /// The host would launch kernels without an end in sight.
    #[error("`{plan}` takes more than {most} launches for these sizes: map its outer loops to the grid")]
    Launches {
        /// The name of the nest.
        plan: String,
        /// The most launches and iterations of the host that there may be.
        most: u64,
    },
}
