//! Products on matrix units: the points of a warp's threads are fragments of sums, and operands become fragments.
//!
//! Points of threads lie as PTX wants the sums of a fragment: a warp is 4 × 8 threads, each of which has two
//! neighbours along x and rows along y that are a block's threads apart. So all else of a kernel (loads, stores and
//! what else is done to sums) is written as ever, with other points for each thread. Which rows and columns make a
//! fragment does not matter, nor does the order of terms, as long as the operands agree on both.

use super::accumulate::own_register;
use super::body::value;
use super::context::{Context, Lanes, SumOrder};
use super::tiles::{Tiles, divide};
use crate::kernel::matrix::{left_place, right_place};
use crate::kernel::{FragmentLoad, FragmentProduct, Instruction, Space, Unroll};
use crate::limits::LANES;
use crate::lower::bounds::{count_to, iterator};
use crate::lower::draft::Axis;
use crate::lower::grid::OwnIterators;
use crate::mapping::MatrixArithmetic;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Node, Range};

/// Threads of a warp along x and y.
const WARP: [i64; 2] = [4, 8];

/// Spreads the threads of a block over fragments, if its tiling asks for matrix units: the code by which they begin.
pub(super) fn spread_lanes(context: &mut Context<'_>) -> Vec<Instruction> {
    if !context.tiling.has_fragments() || context.axes.len() < 2 {
        return Vec::new();
    }
    let [warp, lane, row, column, warp_y, warp_x] =
        ["warp", "lane", "lane_y", "lane_x", "warp_y", "warp_x"].map(|name| context.iterator(name));
    let [matrix, of_matrix, matrix_y, matrix_x] =
        ["matrix", "row_of_matrix", "matrix_y", "matrix_x"].map(|name| context.iterator(name));
    let [x, _, _] = context.block.map(i64::from);
    for axis in &mut context.axes {
        match axis.dimension {
            0 => axis.thread = iterator(warp_x) * WARP[0] + iterator(column),
            1 => axis.thread = iterator(warp_y) * WARP[1] + iterator(row),
            _ => {}
        }
    }
    context.lanes = Some(Lanes { row, column, named: [of_matrix, matrix_x, matrix_y] });
    let thread = Affine::from(Variable::Thread(0)) + Variable::Thread(1) * x;
    vec![
        divide([warp, lane], thread, LANES.into()),
        divide([row, column], iterator(lane), WARP[0]),
        divide([warp_y, warp_x], iterator(warp), x / WARP[0]),
        divide([matrix, of_matrix], iterator(lane), 8),
        divide([matrix_y, matrix_x], iterator(matrix), 2),
    ]
}

/// The operands of a product, and the registers of its sums.
pub(super) struct Operands {
    /// The one that depends on y.
    pub(super) left: Access,
    /// The one that depends on x.
    pub(super) right: Access,
    pub(super) sums: Access,
    /// What each product is multiplied with: the left operand is.
    pub(super) scales: Vec<Expression>,
}

/// Where the elements of a product's operands and sums are for a thread.
pub(super) struct Fragments {
    pub(super) arithmetic: MatrixArithmetic,
    lanes: Lanes,
    /// The iterator of the sum.
    terms: usize,
    y: (Axis, OwnIterators),
    x: (Axis, OwnIterators),
    /// Counts fragments along y and x.
    pub(super) at: [usize; 2],
}

/// Writes the work on a tile that is all there by matrix units. None: it is none for them.
pub(super) fn write_products(context: &mut Context<'_>, tiles: &Tiles, body: &[Node]) -> Option<Instruction> {
    let (arithmetic, [Node::Assign(assignment)]) = (arithmetic(context)?, body) else { return None };
    let (terms, depth) = (tiles.whole(), i64::from(arithmetic.depth()));
    if tiles.own_depth() % depth != 0 {
        return None;
    }
    let operands = operands(context, assignment, is_shared)?;
    let fragments = Fragments::new(context, terms.iterator)?;
    let at = fragments.at;
    let (first, terms) = (iterator(terms.iterator), Range { step: depth, ..terms });
    let [rows, columns] = fragments.counts();
    let along_terms = fragments.stored_along_terms(context, &operands);
    let storage = along_terms.and(arithmetic.storage()).unwrap_or_default();
    let left = context.stored_local("left", Space::Register, vec![rows, depth / 2], storage);
    let right = context.stored_local("right", Space::Register, vec![columns, depth / 4], storage);
    let product = FragmentProduct {
        arithmetic,
        sums: fragments.sums(&operands.sums),
        left: register(left, at[0], 0),
        right: register(right, at[1], 0),
    };
    let [of_row, mut of_column] = match along_terms {
        Some([of_left, of_right]) => [
            vec![fragments.load_stored_left(&operands.left, of_left, &first, left, 0)],
            vec![fragments.load_stored_right(&operands.right, of_right, right)],
        ],
        None => {
            [fragments.load_left(&operands, &first, left, 0), fragments.load_right(&operands.right, right)]
        }
    };
    // Left fragments stay in registers, right ones come one after the other: all of both would not fit.
    of_column.push(written_out(at[0], rows, vec![Instruction::Multiply(product)]));
    let body = vec![written_out(at[0], rows, of_row), written_out(at[1], columns, of_column)];
    Some(Instruction::Loop(terms, Unroll::All, body))
}

impl Fragments {
    /// Finds where they are. None: there are no matrix units for them.
    pub(super) fn new(context: &mut Context<'_>, terms: usize) -> Option<Self> {
        let (arithmetic, lanes) = (arithmetic(context)?, context.lanes?);
        let [y, x] = [1, 0].map(|dimension| axis(context, dimension));
        let at = ["fragment_y", "fragment_x"].map(|name| context.iterator(name));
        Some(Self { arithmetic, lanes, terms, y, x, at })
    }

    /// Counts a warp's fragments along y and x.
    pub(super) fn counts(&self) -> [i64; 2] {
        [&self.y, &self.x].map(|(axis, _)| axis.points / 2)
    }

    /// Loads a fragment of the left operand, from a term on, to registers from `own` on.
    ///
    /// Its rows are those of the thread's own points.
    pub(super) fn load_left(
        &self,
        operands: &Operands,
        first: &Affine,
        array: usize,
        own: i64,
    ) -> Vec<Instruction> {
        let (y, points) = &self.y;
        let mut loads = Vec::new();
        for at in 0..self.arithmetic.depth() as usize / 2 {
            let [row, term] = left_place(self.arithmetic, 0, at);
            let group = iterator(self.at[0]) * 2 + (row / 8) as i64;
            let value = y.value(points).substitute(Variable::Iterator(points.group), &group);
            let source = operands.left.with(y.iterator, &value).with(self.terms, &self.term(first, term));
            let value = scaled(Expression::Load(source), &operands.scales);
            loads.push(Instruction::assign(register(array, self.at[0], own + at as i64), value));
        }
        loads
    }

    /// Loads a fragment of the right operand: eight columns, of which a thread has another one than of sums.
    fn load_right(&self, operand: &Access, array: usize) -> Vec<Instruction> {
        let (x, own) = &self.x;
        let mut value = x.value(own).substitute(Variable::Iterator(own.group), &iterator(self.at[1]));
        value = value.substitute(Variable::Iterator(own.neighbour), &Affine::from(0));
        value = value + (iterator(self.lanes.row) - iterator(self.lanes.column) * 2) * x.range.step;
        let mut loads = Vec::new();
        for at in 0..self.arithmetic.depth() as usize / 4 {
            let [term, _] = right_place(self.arithmetic, 0, at);
            let source =
                operand.with(x.iterator, &value).with(self.terms, &self.term(&iterator(self.terms), term));
            loads.push(Instruction::assign(register(array, self.at[1], at as i64), Expression::Load(source)));
        }
        loads
    }

    /// Loads a fragment of a left operand that is stored as parts are, from a term on, to registers from `own` on.
    ///
    /// A thread names a row of four matrices.
    pub(super) fn load_stored_left(
        &self,
        operand: &Access,
        is_along_terms: bool,
        first: &Affine,
        array: usize,
        own: i64,
    ) -> Instruction {
        let ((y, points), [of_matrix, matrix_x, matrix_y]) = (&self.y, self.lanes.named);
        let [row, term] = named(of_matrix, is_along_terms);
        let group = iterator(self.at[0]) * 2 + iterator(matrix_x);
        let value = y.value(points).substitute(Variable::Iterator(points.group), &group);
        let value = value.substitute(Variable::Iterator(self.lanes.row), &row);
        let term = first.clone() + iterator(matrix_y) * 8 + term;
        let row = operand.with(y.iterator, &value).with(self.terms, &term);
        let target = register(array, self.at[0], own);
        Instruction::LoadFragment(FragmentLoad { target, row, matrices: 4, is_transposed: !is_along_terms })
    }

    /// Loads a fragment of a right operand that is stored as parts are; half of a warp names a row of two matrices.
    fn load_stored_right(&self, operand: &Access, is_along_terms: bool, array: usize) -> Instruction {
        let ((x, own), [of_matrix, matrix_x, _]) = (&self.x, self.lanes.named);
        let [column, term] = named(of_matrix, is_along_terms);
        let value = x.value(own).substitute(Variable::Iterator(own.group), &iterator(self.at[1]));
        let value = value.substitute(Variable::Iterator(own.neighbour), &Affine::from(0));
        let value = value.substitute(Variable::Iterator(self.lanes.column), &Affine::from(0)) + column;
        let term = iterator(self.terms) + iterator(matrix_x) * 8 + term;
        let row = operand.with(x.iterator, &value).with(self.terms, &term);
        let target = register(array, self.at[1], 0);
        Instruction::LoadFragment(FragmentLoad { target, row, matrices: 2, is_transposed: !is_along_terms })
    }

    /// Returns for each operand whether its neighbours are along terms, if both are stored as parts are.
    fn stored_along_terms(&self, context: &Context<'_>, operands: &Operands) -> Option<[bool; 2]> {
        let left = self.left_along_terms(context, operands)?;
        let right = stored_along_terms(context, &operands.right, &self.x.0, self.terms)?;
        Some([left, right])
    }

    /// Returns whether neighbours of the left operand are along terms, if it is stored as parts are.
    pub(super) fn left_along_terms(&self, context: &Context<'_>, operands: &Operands) -> Option<bool> {
        let along = stored_along_terms(context, &operands.left, &self.y.0, self.terms)?;
        operands.scales.is_empty().then_some(along)
    }

    /// Returns the term that a thread has where the first thread of a warp has this one of a fragment.
    fn term(&self, first: &Affine, of_warp: usize) -> Affine {
        let of_thread = iterator(self.lanes.column) * neighbours(self.arithmetic);
        first.clone() + of_thread + of_warp as i64
    }

    /// Returns a thread's sums of a fragment.
    pub(super) fn sums(&self, sums: &Access) -> [Access; 4] {
        let [(_, y), (_, x)] = [&self.y, &self.x];
        std::array::from_fn(|at| {
            let row = iterator(self.at[0]) * 2 + (at / 2) as i64;
            let of_row = sums.with(y.group, &row).with(x.group, &iterator(self.at[1]));
            of_row.with(x.neighbour, &Affine::from((at % 2) as i64))
        })
    }
}

/// Returns the arithmetic of matrix units, if tiling and nest allow one.
pub(super) fn arithmetic(context: &Context<'_>) -> Option<MatrixArithmetic> {
    let is_open = context.sums == SumOrder::TermByTerm && context.nest.element.is_single();
    context.tiling.matrix_units.filter(|_| is_open && context.lanes.is_some())
}

/// Finds the operands of a statement that adds a product of one of x and one of y to a register.
pub(super) fn operands(
    context: &Context<'_>,
    assignment: &Assignment,
    is_operand: fn(&Context<'_>, &Access) -> bool,
) -> Option<Operands> {
    let sums = own_register(context, &assignment.target)?.register.clone();
    let Expression::Binary(Binary::Add, own, term) = value(context, assignment) else { return None };
    let mut factors = Factors::default();
    factors.gather(context, &term, is_operand)?;
    let [one, other] = <[Access; 2]>::try_from(factors.elements).ok()?;
    if *own != Expression::Load(sums.clone()) {
        return None;
    }
    let [y, x] = [1, 0].map(|dimension| axis(context, dimension).0.iterator);
    let is_along =
        |access: &Access, by: usize, not: usize| access.depends_on(&[by]) && !access.depends_on(&[not]);
    let (left, right) = match () {
        () if is_along(&one, y, x) && is_along(&other, x, y) => (one, other),
        () if is_along(&one, x, y) && is_along(&other, y, x) => (other, one),
        () => return None,
    };
    Some(Operands { left, right, sums, scales: factors.scales })
}

/// Returns a value, multiplied with these.
pub(super) fn scaled(value: Expression, scales: &[Expression]) -> Expression {
    scales.iter().cloned().fold(value, |value, scale| value * scale)
}

/// The factors of a product.
#[derive(Default)]
struct Factors {
    /// Elements that may be operands.
    elements: Vec<Access>,
    /// Scalars and numbers.
    scales: Vec<Expression>,
}

impl Factors {
    /// Gathers factors. None: there is something else.
    fn gather(
        &mut self,
        context: &Context<'_>,
        value: &Expression,
        is_operand: fn(&Context<'_>, &Access) -> bool,
    ) -> Option<()> {
        match value {
            Expression::Binary(Binary::Multiply, left, right) => {
                self.gather(context, left, is_operand)?;
                self.gather(context, right, is_operand)?;
            }
            Expression::Load(access) if is_operand(context, access) => self.elements.push(access.clone()),
            Expression::Scalar(_) | Expression::Constant(_) => self.scales.push(value.clone()),
            _ => return None,
        }
        Some(())
    }
}

/// Returns `true` if neighbours of a stored operand are along terms, and `false` if along an axis. None: neither.
fn stored_along_terms(context: &Context<'_>, operand: &Access, axis: &Axis, terms: usize) -> Option<bool> {
    let local = &context.symbols.locals[operand.array.checked_sub(context.nest.arrays.len())?];
    if local.storage.is_number() { None } else { along_terms(operand, axis, terms) }
}

/// Returns `true` if neighbours of an operand are along terms, and `false` if along an axis. None: neither.
pub(super) fn along_terms(operand: &Access, axis: &Axis, terms: usize) -> Option<bool> {
    let (last, rows) = operand.subscripts.split_last()?;
    let is_along = |by: usize, not: usize| {
        let (by, not) = (Variable::Iterator(by), Variable::Iterator(not));
        last.coefficient(by) == 1 && !last.mentions(not) && !rows.iter().any(|row| row.mentions(by))
    };
    match () {
        () if is_along(terms, axis.iterator) => Some(true),
        () if is_along(axis.iterator, terms) && axis.range.step == 1 => Some(false),
        () => None,
    }
}

/// Returns the place of the row that a thread names of a matrix: along an axis, and among terms.
fn named(of_matrix: usize, is_along_terms: bool) -> [Affine; 2] {
    if is_along_terms {
        [iterator(of_matrix), Affine::from(0)]
    } else {
        [Affine::from(0), iterator(of_matrix)]
    }
}

pub(super) fn is_shared(context: &Context<'_>, access: &Access) -> bool {
    let local = access.array.checked_sub(context.nest.arrays.len());
    local.is_some_and(|local| context.symbols.locals[local].space == Space::Shared)
}

/// Returns an axis of the grid along which a tile has fragments.
pub(super) fn axis(context: &Context<'_>, dimension: usize) -> (Axis, OwnIterators) {
    let at = context.axes.iter().position(|axis| axis.dimension == dimension);
    let at = at.expect("lanes are spread over grids of two dimensions and more");
    (context.axes[at].clone(), context.own[at])
}

pub(super) fn register(array: usize, fragment: usize, at: i64) -> Access {
    Access { array, subscripts: vec![iterator(fragment), Affine::from(at)] }
}

pub(super) fn written_out(counter: usize, extent: i64, body: Vec<Instruction>) -> Instruction {
    Instruction::Loop(count_to(counter, extent), Unroll::All, body)
}

/// Returns how many neighbouring terms a thread has in a register: they are as wide as a number together.
fn neighbours(arithmetic: MatrixArithmetic) -> i64 {
    i64::from(arithmetic.depth()) / 8
}

/// Returns how many columns a row has more in shared memory, so that a warp loads fragments from all banks.
///
/// Four threads are along terms and eight along the other dimension of an operand. Where terms are neighbours, rows
/// begin at odd multiples of what four threads load; else those of neighbouring threads at odd multiples of 8.
pub(super) fn padding(arithmetic: MatrixArithmetic, row: i64, is_along_terms: bool) -> i64 {
    const BANKS: i64 = 32;
    let neighbours = neighbours(arithmetic);
    let (begins, odd) = if is_along_terms { (1, 4 * neighbours) } else { (neighbours, 8) };
    let lies_well = |more: &i64| (row + more) * begins % (2 * odd) == odd;
    (0..BANKS).step_by(4).find(lies_well).unwrap_or(0)
}

/// Returns how many columns a row of 16-bit numbers has more, so that eight rows begin in different banks.
pub(super) fn stored_padding(row: i64) -> i64 {
    (0..16).step_by(8).find(|more| (row + more) % 16 == 8).unwrap_or(0)
}
