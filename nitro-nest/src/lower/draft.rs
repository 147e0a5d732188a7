//! A program in the making: what passes read and fill in.

use std::fmt;

use super::AnalysedNest;
use super::temporal::Temporal;
use crate::kernel::{Extent, Host, Kernel, Program};
use crate::mapping::{Mapping, Tiling};
use crate::nest::affine::Affine;
use crate::nest::display;
use crate::nest::{Nest, Node, Range};

/// A program in the making. Before statements are grouped there is no kernel.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'m> {
    pub(crate) input: AnalysedNest,
    pub(crate) mapping: &'m Mapping,
    /// The order of launches, with the loops that the host repeats.
    pub(crate) host: Vec<Host>,
    pub(crate) kernels: Vec<KernelDraft>,
}

/// A kernel in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelDraft {
    pub(crate) group: KernelGroup,
    /// The kernel runs several iterations of a stencil; then it has no axes, and nothing is left of the nest.
    pub(crate) temporal: Option<Temporal>,
    /// The iterators of the host's loops around its launch.
    pub(crate) host_iterators: Vec<usize>,
    /// The threads and their tiles, once they are decided.
    pub(super) tiling: Option<Tiling>,
    /// The loops of the grid, z or y first and x last.
    pub(crate) axes: Vec<Axis>,
    /// The nest without the loops of host and grid: what a thread does at each point.
    pub(crate) rest: Vec<Node>,
    /// The code.
    pub(crate) code: Option<Kernel>,
}

/// Statements that make a kernel, and what becomes of the loops around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelGroup {
    pub(crate) statements: Vec<usize>,
    /// The iterators of the grid, outermost first: z or y first and x last.
    pub(crate) grid: Vec<usize>,
    /// Those of the grid that are parallel since sums may be added up in any order.
    pub(crate) summed: Vec<usize>,
    /// Those of the grid along which elements move to which several instances add.
    pub(crate) scattered: Vec<usize>,
    /// The loop of a thread whose terms are split over blocks along one more dimension (split-K).
    pub(crate) split: Option<usize>,
    /// The threads of a block share a row, which the grid numbers.
    pub(crate) row: Option<RowKernel>,
}

/// The kernel of whole rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowKernel {
    /// For each step of the row that is a loop, the iterator of the loop that threads share out.
    pub(crate) shared: Vec<usize>,
    /// The outermost loops of the steps whose iterations, those of all loops together, may be any thread's.
    pub(crate) together: Vec<usize>,
    /// Neighbouring threads are those of neighbouring rows: rows are the columns of an array.
    pub(crate) is_across: bool,
}

/// A loop of the grid.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// Its iterator.
    pub(crate) iterator: usize,
    pub(crate) range: Range,
    /// The box around its values.
    pub(crate) extent: Extent,
    /// 0 for x, 1 for y, 2 for z.
    pub(crate) dimension: usize,
    /// Threads of a block along it.
    pub(crate) threads: i64,
    /// The number of a thread among them: its index, unless threads of a warp share fragments.
    pub(crate) thread: Affine,
    /// Values that each thread covers.
    pub(crate) points: i64,
    /// Neighbouring values of a thread; groups of so many are a block's threads apart.
    pub(crate) neighbours: i64,
    /// A thread goes through its points in a loop, as sums want it; else it has all at hand.
    pub(crate) is_serial: bool,
    /// A statement sums up along it.
    pub(crate) is_summed: bool,
    /// Elements move along it, and instances elsewhere add to the same ones.
    pub(crate) is_scattered: bool,
}

impl KernelGroup {
    /// Returns the name of the first term of a block, where sums are split.
    pub(crate) fn split_name(&self, nest: &Nest) -> Option<String> {
        self.split.map(|split| nest.free(&format!("{}_part", nest.iterators[split])))
    }
}

impl<'m> Draft<'m> {
    /// Begins a program.
    pub(crate) fn new(input: AnalysedNest, mapping: &'m Mapping) -> Self {
        Self { input, mapping, host: Vec::new(), kernels: Vec::new() }
    }

    /// Returns the program, once all passes were run.
    pub(crate) fn into_program(self) -> Program {
        let kernels = self.kernels.into_iter().map(|kernel| kernel.code.expect("the last pass writes code"));
        Program { nest: self.input.nest, kernels: kernels.collect(), host: self.host }
    }
}

impl KernelDraft {
    /// Returns the tiling.
    ///
    /// # Panics
    /// When it is not decided yet.
    pub(crate) fn tiling(&self) -> &Tiling {
        self.tiling.as_ref().expect("tilings are decided before what needs them")
    }

    /// Decides the tiling.
    pub(crate) fn decide(&mut self, tiling: Tiling) {
        self.tiling = Some(tiling);
    }
}

/// Prints what there is so far: the nest, the kernels and what is decided about them, or the program.
impl fmt::Display for Draft<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kernels.is_empty() {
            return writeln!(formatter, "{}", self.input.nest);
        }
        if self.kernels.iter().all(|kernel| kernel.code.is_some()) {
            return write!(formatter, "{}", self.clone().into_program());
        }
        for (index, kernel) in self.kernels.iter().enumerate() {
            let mut nest = self.input.nest.clone();
            nest.iterators.extend(kernel.group.split_name(&nest));
            write_kernel(&nest, index, kernel, formatter)?;
        }
        Ok(())
    }
}

fn write_kernel(
    nest: &Nest,
    index: usize,
    kernel: &KernelDraft,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let KernelGroup { statements, grid, summed, scattered, split, row } = &kernel.group;
    writeln!(formatter, "kernel {}_{index}: statements {statements:?}", nest.name)?;
    let split: Vec<usize> = split.iter().copied().collect();
    let shared = row.as_ref().map_or_else(Vec::new, |row| row.shared.clone());
    let roles = [
        ("host", &kernel.host_iterators),
        ("grid", grid),
        ("sums along", summed),
        ("scatters along", scattered),
        ("split", &split),
        ("shared out", &shared),
    ];
    for (role, iterators) in roles.into_iter().filter(|(_, iterators)| !iterators.is_empty()) {
        let names: Vec<&str> = iterators.iter().map(|iterator| nest.iterators[*iterator].as_str()).collect();
        writeln!(formatter, "    {role}: {}", names.join(", "))?;
    }
    if let Some(tiling) = &kernel.tiling {
        writeln!(formatter, "    {tiling:?}")?;
    }
    if let Some(temporal) = &kernel.temporal {
        let cells = temporal.geometry.written;
        writeln!(
            formatter,
            "    tiles in time: {} sweeps of {cells:?} cells",
            temporal.pipeline.stages.len()
        )?;
    }
    for axis in &kernel.axes {
        write_axis(nest, axis, formatter)?;
    }
    let mut text = String::new();
    display::nodes(nest, &kernel.rest, 1, &mut text)?;
    formatter.write_str(&text)
}

fn write_axis(nest: &Nest, axis: &Axis, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Axis { threads, points, neighbours, .. } = axis;
    let letter = display::DIMENSIONS[axis.dimension];
    let name = &nest.iterators[axis.iterator];
    let serial = if axis.is_serial { ", one after the other" } else { "" };
    let summed = match (axis.is_summed, axis.is_scattered) {
        (true, _) => ", summed",
        (false, true) => ", scattered",
        (false, false) => "",
    };
    writeln!(
        formatter,
        "    {letter}: {name}, {threads} threads × {points} points ({neighbours} neighbours){serial}{summed}"
    )
}
