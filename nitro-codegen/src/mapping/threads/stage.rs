//! Shared staging: what an inner loop reads of an array, tile by tile, comes to shared memory first. Here is what of it, and where it is then.

use super::walk::Walk;
use super::{Tile, extreme};
use crate::kernel::Space;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Node, Range};

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
    /// Its index once it is an array of the kernel.
    local: usize,
    /// What of an element is kept, which stands there as [`STAGED`]: the element, or what a statement makes of it and nothing else.
    pub value: Expression,
    /// Where there are two of them: which one.
    pub buffer: Option<Affine>,
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
    pub fn element(&self, within: Vec<Affine>) -> Access {
        Access { array: self.local, subscripts: self.buffer.iter().cloned().chain(within).collect() }
    }

    /// With a column more in each row.
    fn bytes(&self) -> i64 {
        4 * (self.elements() + self.elements() / self.extents.last().copied().unwrap_or(1))
    }

    fn elements(&self) -> i64 {
        self.extents.iter().product()
    }
}

fn linear(access: &Access) -> Vec<Affine> {
    access.subscripts.iter().map(|subscript| subscript.clone() - subscript.constant()).collect()
}

impl Walk<'_> {
    /// What of the arrays a loop stages, if it does: a loop in steps of one without another one in it, in a kernel in which no thread goes on by itself.
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
        tile.push((range.iterator, start.clone(), start + (i64::from(self.tiling.inner) - 1)));
        let mut groups: Vec<Staged> = Vec::new();
        // What is on its way cannot be changed underway.
        let may_change = self.tiling.buffers < 2;
        for assignment in assignments {
            for (value, access) in of_elements(&assignment.value, may_change) {
                if self.is_reused(access) && !self.is_written(access.array) {
                    join(&mut groups, value, access, &tile);
                }
            }
        }
        groups.sort_by_key(Staged::elements);
        let all: i64 = groups.iter().map(Staged::bytes).sum();
        self.buffers = if self.tiling.buffers > 1 && 2 * all <= MOST_BYTES { 2 } else { 1 };
        let mut bytes = 0;
        groups.retain(|group| {
            bytes += group.bytes();
            bytes * self.buffers <= MOST_BYTES
        });
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

    /// An array of the kernel for the part, with a column more where neighbouring threads would read from the same bank.
    fn place(&mut self, group: Staged) -> Staged {
        let x =
            self.axes.iter().find(|axis| axis.dimension == 0).map(|axis| Variable::Iterator(axis.iterator));
        let last = group.linear.len() - 1;
        let reads_across =
            group.linear[..last].iter().any(|subscript| x.is_some_and(|x| subscript.mentions(x)));
        let is_padded = reads_across && group.extents[last] % 2 == 0;
        let mut shape = group.extents.clone();
        shape[last] += i64::from(is_padded);
        if self.buffers > 1 {
            shape.insert(0, self.buffers);
        }
        let name = format!("{}_tile", self.nest.arrays[group.array].name);
        let local = self.local(&name, Space::Shared, shape);
        Staged { local, ..group }
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

    /// The part in one of two buffers.
    pub fn in_buffer(self, buffer: Affine) -> Self {
        Self { buffer: Some(buffer), ..self }
    }
}

/// Stands for the element in what is kept of it.
const STAGED: Access = Access { array: usize::MAX, subscripts: Vec::new() };

/// A value that reads one element, and otherwise scalars and numbers alone: what is made of the element, and the element.
fn of_one_element(value: &Expression) -> Option<(Expression, &Access)> {
    let [access] = value.reads()[..] else { return None };
    let mut is_plain = true;
    value.visit(&mut |part| is_plain &= !matches!(part, Expression::Integer(_) | Expression::Select(_)));
    let mut kept = value.clone();
    kept.map_loads(&|_| STAGED);
    is_plain.then_some((kept, access))
}

/// The largest parts of a value that read one element; the elements alone where they may not be changed.
fn of_elements(value: &Expression, may_change: bool) -> Vec<(Expression, &Access)> {
    if let Some(found) = of_one_element(value).filter(|(kept, _)| may_change || is_element(kept)) {
        return vec![found];
    }
    value.parts().into_iter().flat_map(|part| of_elements(part, may_change)).collect()
}

fn is_element(value: &Expression) -> bool {
    matches!(value, Expression::Load(_))
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
            local: 0,
            value,
            buffer: None,
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
