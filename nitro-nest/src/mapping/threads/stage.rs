//! Shared staging: what an inner loop reads of an array, tile by tile, comes to shared memory first. Here is what
//! of it, and where it is then.

use super::walk::Walk;
use super::{Axis, Tile, extreme};
use crate::kernel::{Space, WIDE};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Node, Range};

/// Bytes of shared memory that every device grants without being asked.
const MOST_BYTES: i64 = 48 << 10;

/// The part of an array that a tile reads.
#[derive(Clone, Debug)]
pub struct Staged {
    pub array: usize,
    /// The subscripts without their constants: accesses that differ in nothing else share a part.
    linear: Vec<Affine>,
    /// The first element along each dimension, and how many there are.
    pub origin: Vec<Affine>,
    pub extents: Vec<i64>,
    /// The dimension whose elements are neighbours in shared memory.
    last: usize,
    /// Its index once it is an array of the kernel.
    local: usize,
    /// What of an element is kept, which stands there as [`STAGED`]: the element, or what a statement makes of it
    /// and nothing else.
    pub value: Expression,
    /// Where there are several of them: which one.
    pub buffer: Option<Affine>,
    /// Where it may come several elements at once: the conditions for that.
    pub wide: Option<Vec<Condition>>,
}

impl Staged {
    /// Where a value is, if it is here.
    pub fn access(&self, value: &Expression) -> Option<Access> {
        let (value, access) = of_one_element(value)?;
        let is_here = access.array == self.array && linear(access) == self.linear && value == self.value;
        let place = |(subscript, origin): (&Affine, &Affine)| subscript.clone() - origin.clone();
        let within = access.subscripts.iter().zip(&self.origin).map(place);
        is_here.then(|| self.element(within.collect()))
    }

    /// An element of the kernel's array.
    pub fn element(&self, mut within: Vec<Affine>) -> Access {
        let last = within.remove(self.last);
        within.push(last);
        Access { array: self.local, subscripts: self.buffer.iter().cloned().chain(within).collect() }
    }

    /// Whether other elements are neighbours in shared memory than in the array.
    pub fn is_transposed(&self) -> bool {
        self.last + 1 < self.extents.len()
    }

    fn elements(&self) -> i64 {
        self.extents.iter().product()
    }
}

fn linear(access: &Access) -> Vec<Affine> {
    access.subscripts.iter().map(|subscript| subscript.clone() - subscript.constant()).collect()
}

impl Walk<'_> {
    /// What of the arrays a loop stages, if it does: a loop in steps of one without another one in it, in a kernel
    /// in which no thread goes on by itself.
    pub fn staging(&mut self, range: &Range, body: &[Node]) -> Option<Vec<Staged>> {
        let mut assignments = Vec::new();
        let is_simple = range.step == 1 && !range.is_reversed && statements(body, &mut assignments);
        if self.tiling.inner == 0
            || self.has_serial_axis()
            || !is_simple
            || self.own.is_empty()
            || self.is_at_point
        {
            return None;
        }
        let mut tile = self.tile();
        let start = Affine::from(Variable::Iterator(range.iterator));
        tile.push((range.iterator, start.clone(), start + (self.staged_iterations() - 1)));
        let mut groups: Vec<Staged> = Vec::new();
        for assignment in assignments {
            for (value, access) in of_elements(&assignment.value) {
                if self.is_reused(access) && !self.is_written(access.array) {
                    join(&mut groups, value, access, &tile);
                }
            }
        }
        groups.iter_mut().for_each(|group| group.last = self.last(group));
        groups.sort_by_key(Staged::elements);
        let bytes_of = |group: &Staged| 4 * self.shape(group).iter().product::<i64>();
        let all: i64 = groups.iter().map(bytes_of).sum();
        let most = MOST_BYTES - if self.slices > 1 { self.exchanged_bytes() } else { 0 };
        let buffers = (most / all.max(1)).clamp(1, i64::from(self.tiling.buffers.max(1)));
        let mut bytes = 0;
        groups.retain(|group| {
            bytes += bytes_of(group);
            bytes * buffers <= most
        });
        self.buffers = buffers;
        (!groups.is_empty()).then(|| groups.into_iter().map(|group| self.place(group)).collect())
    }

    /// Whether several points of a block read the same element: there is an axis that it does not depend on.
    fn is_reused(&self, access: &Access) -> bool {
        self.axes.iter().any(|axis| axis.tile() > 1 && !access.depends_on(&[axis.iterator]))
    }

    /// Whether the nest's array is written at all: then it is not what it was when a tile began.
    fn is_written(&self, array: usize) -> bool {
        let of = self.nest.statements();
        self.kernel.statements.iter().any(|index| of[*index].assignment.target.array == array)
    }

    /// An array of the kernel for the part.
    fn place(&mut self, group: Staged) -> Staged {
        let mut shape = self.shape(&group);
        let is_even = |extent: &i64| extent % i64::from(WIDE) == 0;
        let lies_well = !group.is_transposed() && shape.last().is_some_and(is_even);
        // What comes to other places than neighbours goes through registers, if it is not on its way meanwhile.
        let comes_wide = lies_well || group.is_transposed() && self.buffers == 1;
        let wide = (comes_wide && group.extents.last().is_some_and(is_even)).then(Vec::new);
        if self.buffers > 1 {
            shape.insert(0, self.buffers);
        }
        let name = format!("{}_tile", self.nest.arrays[group.array].name);
        let local = self.local(&name, Space::Shared, shape);
        Staged { local, wide, ..group }
    }

    /// Its extents in shared memory, with columns more where neighbouring threads would read from the same bank.
    fn shape(&self, group: &Staged) -> Vec<i64> {
        let mut shape = group.extents.clone();
        let mut last = shape.remove(group.last);
        let x = self.axes.iter().find(|axis| axis.dimension == 0);
        let mentions_x =
            |subscript: &Affine| x.is_some_and(|x| subscript.mentions(Variable::Iterator(x.iterator)));
        let reads_across =
            (0..group.linear.len()).any(|at| at != group.last && mentions_x(&group.linear[at]));
        if group.is_transposed() || reads_across {
            last += self.padding(last, group.is_transposed());
        }
        shape.push(last);
        shape
    }

    /// The dimension whose elements are to be neighbours: the array's last or, where tiles are transposed, one
    /// along which points of a thread are neighbours.
    fn last(&self, group: &Staged) -> usize {
        let last = group.linear.len() - 1;
        let is_of_neighbours = |at: &usize| {
            let of =
                |axis: &Axis| group.linear[*at].coefficient(Variable::Iterator(axis.iterator)).abs() == 1;
            self.axes.iter().any(|axis| axis.neighbours % i64::from(WIDE) == 0 && of(axis))
        };
        if !self.tiling.transposes || is_of_neighbours(&last) {
            last
        } else {
            (0..last).find(is_of_neighbours).unwrap_or(last)
        }
    }

    /// Columns more in a row, so that rows begin in different banks. Where threads read several elements at once,
    /// as along neighbouring points or several iterations that are written out, rows that begin at odd multiples of
    /// as many have them for eight threads from all banks.
    fn padding(&self, row: i64, is_transposed: bool) -> i64 {
        let (wide, unroll) = (i64::from(WIDE), self.tiling.unroll);
        let written_out = if unroll == 0 { self.tiling.inner } else { unroll };
        let reads_wide = row % wide == 0 && (is_transposed || i64::from(written_out) % wide == 0);
        match (reads_wide, row % (2 * wide) == 0, row % 2 == 0) {
            (true, true, _) => wide,
            (true, false, _) | (false, _, false) => 0,
            (false, _, true) => 1,
        }
    }

    /// A value with what is near in the place of elements: shared memory and registers.
    pub fn near(&self, value: &Expression) -> Expression {
        if let Some(access) = self.staged.iter().find_map(|staged| staged.access(value)) {
            return Expression::Load(access);
        }
        let mut value = value.clone();
        match &mut value {
            Expression::Load(access) => *access = self.register(access.clone()),
            other => other.parts_mut().into_iter().for_each(|part| *part = self.near(part)),
        }
        value
    }
}

impl Staged {
    /// The part for a tile that begins at `start` instead of where an iterator is.
    pub fn at(self, iterator: usize, start: &Affine) -> Self {
        let variable = Variable::Iterator(iterator);
        let origin = self.origin.iter().map(|origin| origin.substitute(variable, start)).collect();
        Self { origin, ..self }
    }

    /// Whether what is kept of an element is the element.
    pub fn is_element(&self) -> bool {
        matches!(self.value, Expression::Load(_))
    }

    /// What is kept of this element.
    pub fn value_of(&self, element: &Access) -> Expression {
        let mut value = self.value.clone();
        value.map_loads(&|_| element.clone());
        value
    }

    /// The part in one of several buffers.
    pub fn in_buffer(self, buffer: Affine) -> Self {
        Self { buffer: Some(buffer), ..self }
    }
}

/// Stands for the element in what is kept of it.
const STAGED: Access = Access { array: usize::MAX, subscripts: Vec::new() };

/// A value that reads one element, and otherwise scalars and numbers alone: what is made of the element, and the
/// element.
fn of_one_element(value: &Expression) -> Option<(Expression, &Access)> {
    let [access] = value.reads()[..] else { return None };
    let mut is_plain = true;
    value.visit(&mut |part| is_plain &= !matches!(part, Expression::Integer(_) | Expression::Select(_)));
    let mut kept = value.clone();
    kept.map_loads(&|_| STAGED);
    is_plain.then_some((kept, access))
}

/// The largest parts of a value that read one element.
fn of_elements(value: &Expression) -> Vec<(Expression, &Access)> {
    match of_one_element(value) {
        Some(found) => vec![found],
        None => value.parts().into_iter().flat_map(of_elements).collect(),
    }
}

/// Puts an access to those of its group.
fn join(groups: &mut Vec<Staged>, value: Expression, access: &Access, tile: &Tile) {
    let linear = linear(access);
    let least: Vec<Affine> =
        access.subscripts.iter().map(|subscript| extreme(subscript, tile, true)).collect();
    let largest = access.subscripts.iter().map(|subscript| extreme(subscript, tile, false));
    let extents: Vec<i64> =
        least.iter().zip(largest).map(|(least, largest)| (largest - least.clone()).constant() + 1).collect();
    let is_of =
        |group: &&mut Staged| group.array == access.array && group.linear == linear && group.value == value;
    let Some(group) = groups.iter_mut().find(is_of) else {
        groups.push(Staged {
            array: access.array,
            linear,
            origin: least,
            extents,
            last: 0,
            local: 0,
            value,
            buffer: None,
            wide: None,
        });
        return;
    };
    for ((origin, extent), (least, other)) in
        group.origin.iter_mut().zip(&mut group.extents).zip(least.iter().zip(extents))
    {
        // They differ by a constant.
        let offset = (least.clone() - origin.clone()).constant();
        let end = (*extent).max(offset + other);
        *origin = origin.clone() + offset.min(0);
        *extent = end - offset.min(0);
    }
}

/// The statements, if no loop is around one of them.
pub fn statements<'a>(nodes: &'a [Node], found: &mut Vec<&'a Assignment>) -> bool {
    nodes.iter().all(|node| match node {
        Node::Assign(assignment) => {
            found.push(assignment);
            true
        }
        Node::If(_, body) => statements(body, found),
        Node::Loop(..) => false,
    })
}
