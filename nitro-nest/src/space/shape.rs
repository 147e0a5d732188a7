//! The shapes of kernels: what a search has to know of them to decide about them.

use crate::lower::{
    AnalysedNest, KernelDraft, Stencil, grouped, has_slices, operands, reads_across, rest, splits_many, sums,
    tiles,
};
use crate::mapping::{KernelKind, Mapping, Schedule, Sums, Tiles};
use crate::nest::{Nest, has_loop};

/// The shape of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) statements: Vec<usize>,
    /// Dimensions of the grid; 0 is a single thread.
    pub(super) dimensions: usize,
    pub(super) sums: Option<Sums>,
    /// A thread has loops besides those that sums make.
    pub(super) has_loop: bool,
    /// Its sums are split over blocks.
    pub(super) is_split: bool,
    /// The loop that is split has long loops in it: few of its iterations are many terms.
    pub(super) splits_many: bool,
    /// The number of operands that a product has in shared memory. 0: it is none.
    pub(super) operands: usize,
    /// The axes along which a product reuses them.
    pub(super) tiles: Tiles,
    /// Several slices of a block may share out its sums.
    pub(super) has_slices: bool,
    /// The threads of a block share a row.
    pub(super) is_row: bool,
    /// Then neighbouring threads have neighbouring rows.
    pub(super) is_across: bool,
    /// Several steps go over the values of a row.
    pub(super) has_steps: bool,
    /// It runs so many iterations of a stencil.
    pub(super) stencil: Option<(Stencil, i64)>,
    /// Neighbouring threads read elements that are a row apart, and others of a block the neighbours of these.
    pub(super) reads_across: bool,
    /// Words of four bytes that a number takes, and as many registers.
    pub(super) words: u32,
}

/// Returns the shapes of the kernels that a schedule gives, in order.
pub(super) fn shapes(input: &AnalysedNest, schedule: Schedule) -> Vec<Shape> {
    let mapping = Mapping::naive().with_schedule(schedule);
    let reassociates = schedule.reassociates(&input.nest);
    let draft = grouped(input, &mapping);
    // A stencil has two kernels for its tiles in time, there and back, about which there is one decision.
    let is_decided = |kernel: &&KernelDraft| kernel.temporal.as_ref().is_none_or(|one| one.begins_after == 0);
    draft
        .kernels
        .iter()
        .filter(is_decided)
        .map(|kernel| shape(&draft.input.nest, kernel, reassociates))
        .collect()
}

fn shape(nest: &Nest, kernel: &KernelDraft, reassociates: bool) -> Shape {
    if let Some(temporal) = &kernel.temporal {
        return Shape {
            statements: kernel.group.statements.clone(),
            dimensions: temporal.stencil.dimensions,
            sums: None,
            has_loop: false,
            is_split: false,
            splits_many: false,
            operands: 0,
            tiles: Tiles::Plane,
            has_slices: false,
            is_row: false,
            is_across: false,
            has_steps: false,
            reads_across: false,
            words: nest.element.bytes() as u32 / 4,
            stencil: Some((temporal.stencil.clone(), temporal.steps)),
        };
    }
    let sums = sums(nest, kernel);
    let is_row = kernel.group.row.is_some();
    let operands = if sums.is_none() && !is_row { operands(nest, kernel) } else { 0 };
    Shape {
        statements: kernel.group.statements.clone(),
        dimensions: kernel.group.grid.len().min(3),
        sums,
        has_loop: has_loop(&rest(nest, kernel)),
        is_split: kernel.group.split.is_some(),
        splits_many: splits_many(nest, kernel),
        operands,
        tiles: tiles(nest, kernel),
        has_slices: operands > 0 && reassociates && has_slices(nest, kernel),
        is_row,
        is_across: kernel.group.row.as_ref().is_some_and(|row| row.is_across),
        has_steps: kernel.group.row.as_ref().is_some_and(|row| row.shared.len() > 1),
        stencil: None,
        reads_across: sums.is_none() && !is_row && operands == 0 && reads_across(nest, kernel),
        words: nest.element.bytes() as u32 / 4,
    }
}

impl Shape {
    /// Returns `true` if it is a batch of products, each with all of its sums.
    pub(super) fn is_batch(&self) -> bool {
        self.operands > 0 && self.tiles == Tiles::Batch && !self.is_split
    }

    /// Returns `true` if a single thread runs its loops.
    pub(super) fn is_one_thread(&self) -> bool {
        self.dimensions == 0 && self.has_loop && !self.is_row && self.stencil.is_none()
    }

    /// Returns `true` if each thread runs a loop by itself, which shares nothing with others.
    pub(super) fn is_serial(&self) -> bool {
        let has_others = self.sums.is_some() || self.operands > 0 || self.is_row || self.stencil.is_some();
        self.has_loop && !has_others
    }

    /// Returns the kind by which a mapping has a tiling for it.
    pub(super) fn kind(&self) -> KernelKind {
        match self.sums {
            _ if self.is_across => KernelKind::Columns,
            _ if self.is_row => KernelKind::Row,
            Some(sums) => KernelKind::Sums(sums),
            None if self.operands > 0 => KernelKind::Product(self.tiles),
            None => KernelKind::Other,
        }
    }
}
