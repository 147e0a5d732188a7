//! The steps of a workload: launches, and their repetitions.

use std::collections::BTreeSet;

use super::element::Element;
use super::expression::Expression;

/// A launch, steps that are repeated, or what the host does between launches.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Launch(Box<PlannedLaunch>),
    /// All bytes of this buffer become 0.
    Clear(usize),
    /// A buffer gets as many elements of another one as it has, from one on.
    Copy {
        from: usize,
        to: usize,
        at: Expression,
    },
    Repeat {
        times: Expression,
        /// The buffer that ends it, where it is still 0 after a round.
        flag: Option<usize>,
        /// The position of its index among the names.
        index: usize,
        steps: Vec<Step>,
    },
}

/// A launch, with formulas for what depends on the case.
#[derive(Clone, Debug)]
pub(super) struct PlannedLaunch {
    pub kernel: String,
    pub grid: Vec<Expression>,
    pub block: Vec<Expression>,
    pub shared_bytes: Option<Expression>,
    pub arguments: Vec<PlannedArgument>,
}

/// An argument of a launch, by the position of a buffer or with a formula.
#[derive(Clone, Debug)]
pub(super) enum PlannedArgument {
    /// With the bytes of an element, and the elements before that to which a pointer points.
    Buffer(usize, Option<(usize, Expression)>),
    Scalar(Element, Expression),
    Struct(Vec<PlannedArgument>),
}

impl Step {
    /// Adds the whole numbers that grids are computed with.
    pub(super) fn add_numbers(&self, numbers: &mut BTreeSet<u64>) {
        match self {
            Self::Launch(launch) => launch.grid.iter().for_each(|blocks| blocks.add_numbers(numbers)),
            Self::Clear(_) | Self::Copy { .. } => {}
            Self::Repeat { times, steps, .. } => {
                times.add_numbers(numbers);
                steps.iter().for_each(|step| step.add_numbers(numbers));
            }
        }
    }

    /// Returns `true` if it is a launch, or repeats such alone as often as its size says.
    pub(super) fn launches_alone(&self) -> bool {
        match self {
            Self::Launch(_) => true,
            Self::Clear(_) | Self::Copy { .. } => false,
            Self::Repeat { flag, steps, .. } => flag.is_none() && steps.iter().all(Self::launches_alone),
        }
    }

    /// Adds the kernels that are not among these yet.
    pub(super) fn kernels<'a>(&'a self, kernels: &mut Vec<&'a str>) {
        match self {
            Self::Launch(launch) if !kernels.contains(&launch.kernel.as_str()) => {
                kernels.push(&launch.kernel)
            }
            Self::Launch(_) | Self::Clear(_) | Self::Copy { .. } => {}
            Self::Repeat { steps, .. } => steps.iter().for_each(|step| step.kernels(kernels)),
        }
    }
}
