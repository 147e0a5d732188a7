//! What a nest has to do at least.

use nitro_nest::{Assignment, Binary, Data, Expression, Nest, Node, Range, Variable};

/// Operations and memory traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Operations on numbers, as they are written but for products with scalar arguments, which can be made once
    /// for many.
    pub operations: f64,
    /// Bytes: every array is read once, and written once if it is written at all; in each step where the nest goes
    /// through time.
    pub bytes: f64,
}

impl Work {
    /// Of a nest with these sizes.
    ///
    /// # Panics
    /// When the sizes are none of the nest.
    #[must_use]
    pub fn of(nest: &Nest, sizes: &[i64]) -> Self {
        let mut counter = Counter { sizes, iterators: vec![0; nest.iterators().len()] };
        let shapes = Data::shapes_of(nest, sizes).expect("the sizes are those of the nest");
        let passes = |is_written: bool| if is_written { 2.0 } else { 1.0 };
        let of = |(shape, is_written): (&Vec<i64>, bool)| {
            4.0 * passes(is_written) * shape.iter().product::<i64>() as f64
        };
        let written = nest.arrays().iter().map(|array| array.is_written);
        let once: f64 = shapes.iter().zip(written).map(of).sum();
        Self { operations: counter.nodes(nest.body()), bytes: once * counter.steps(nest.body()) }
    }
}

struct Counter<'a> {
    sizes: &'a [i64],
    iterators: Vec<i64>,
}

impl Counter<'_> {
    fn nodes(&mut self, nodes: &[Node]) -> f64 {
        nodes.iter().map(|node| self.node(node)).sum()
    }

    /// Conditions are taken to hold.
    fn node(&mut self, node: &Node) -> f64 {
        match node {
            Node::Assign(assignment) => operations(&assignment.value),
            Node::If(_, body) => self.nodes(body),
            Node::Loop(range, body) => {
                let values: Vec<i64> = self.values(range);
                if body.iter().any(|node| bounds_mention(node, range.iterator)) {
                    let at = |value: &i64| {
                        self.iterators[range.iterator] = *value;
                        self.nodes(body)
                    };
                    values.iter().map(at).sum()
                } else {
                    values.len() as f64 * self.nodes(body)
                }
            }
        }
    }

    /// The steps of a loop through time, on whose iterator no element that is written depends; 1 where there is
    /// none around everything.
    fn steps(&self, body: &[Node]) -> f64 {
        let [Node::Loop(range, inner)] = body else { return 1.0 };
        let depends = |assignment: &Assignment| {
            let mut subscripts = assignment.target.subscripts.iter();
            subscripts.any(|subscript| subscript.mentions(Variable::Iterator(range.iterator)))
        };
        if assignments(inner).into_iter().any(depends) { 1.0 } else { self.values(range).len() as f64 }
    }

    fn values(&self, range: &Range) -> Vec<i64> {
        let value = |variable| match variable {
            Variable::Parameter(index) => self.sizes[index],
            Variable::Iterator(index) => self.iterators[index],
            Variable::Block(_) | Variable::Thread(_) => 0,
        };
        range.values(&value).collect()
    }
}

fn assignments(nodes: &[Node]) -> Vec<&Assignment> {
    let mut found = Vec::new();
    for node in nodes {
        match node {
            Node::Assign(assignment) => found.push(assignment),
            Node::Loop(_, body) | Node::If(_, body) => found.extend(assignments(body)),
        }
    }
    found
}

/// Whether the bounds of a loop in it depend on an iterator.
fn bounds_mention(node: &Node, iterator: usize) -> bool {
    match node {
        Node::Assign(_) => false,
        Node::If(_, body) => body.iter().any(|node| bounds_mention(node, iterator)),
        Node::Loop(range, body) => {
            let mut bounds = range.lower.iter().chain(&range.upper);
            bounds.any(|bound| bound.mentions(Variable::Iterator(iterator)))
                || body.iter().any(|node| bounds_mention(node, iterator))
        }
    }
}

fn operations(value: &Expression) -> f64 {
    match value {
        Expression::Unary(_, operand) => 1.0 + operations(operand),
        Expression::Binary(Binary::Multiply, left, right) if is_scalar(left) => operations(right),
        Expression::Binary(_, left, right) => 1.0 + operations(left) + operations(right),
        Expression::Fused(parts) => 2.0 + parts.iter().map(operations).sum::<f64>(),
        Expression::Select(select) => {
            operations(&select.left) + operations(&select.right) + operations(&select.then)
        }
        Expression::Constant(_) | Expression::Scalar(_) | Expression::Integer(_) => 0.0,
        Expression::Quasi(_) | Expression::Load(_) | Expression::Gather(_) => 0.0,
    }
}

fn is_scalar(value: &Expression) -> bool {
    matches!(value, Expression::Scalar(_))
}
