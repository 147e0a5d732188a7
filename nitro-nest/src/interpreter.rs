//! Nests run in the order in which they are written: the reference for all that is made of them.

use crate::data::{Data, Indices, RunError, index_shapes, offset, temporaries};
use crate::nest::affine::Variable;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Nest, Node, display};
use crate::number::Number;

impl Nest {
    /// Runs the nest, statement instance by statement instance in the order in which it is written.
    ///
    /// It gives what the function under `#[nest]` gives, bit for bit.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder, Data};
    ///
    /// let mut builder = Builder::new("sum");
    /// let n = builder.parameter("n");
    /// let x = builder.input("x", [n.into()]);
    /// let sum = builder.in_out("sum", []);
    /// let all = || sum.at::<i64>([]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(all(), all() + x.at([i])));
    /// let nest = builder.finish()?;
    ///
    /// let mut data = Data::new(&nest, &[3], &[])?;
    /// data.arrays[0] = vec![1.0, 2.0, 3.0];
    /// nest.run(&mut data)?;
    /// assert_eq!(data.arrays[1], [6.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the data are not of this nest, or a statement touches what is no element; the data are then half done.
    pub fn run<T: Number>(&self, data: &mut Data<T>) -> Result<(), RunError> {
        let shapes = data.shapes(self)?;
        data.arrays.extend(temporaries(self, &shapes));
        let done = self.run_on(data, &shapes);
        data.arrays.truncate(self.arguments());
        done
    }

    fn run_on<T: Number>(&self, data: &mut Data<T>, shapes: &[Vec<i64>]) -> Result<(), RunError> {
        let parameters = self.values(&data.parameters);
        let index_shapes = index_shapes(self, &data.parameters)?;
        let Data { scalars, arrays, indices, .. } = data;
        let indices = Indices::new(self, &index_shapes, indices);
        let elements = Elements { nest: self, parameters: &parameters, shapes };
        self.walk(&parameters, &mut |_, assignment, iterators| {
            let mut source =
                AtInstance { elements: &elements, assignment, iterators, scalars, arrays, indices };
            let result = evaluate(&assignment.value, &mut source)?;
            let target = elements.offset(assignment, &assignment.target, iterators)?;
            arrays[assignment.target.array][target] = result;
            Ok(())
        })
    }

    /// Calls `visit` with each instance of each statement, in order.
    ///
    /// It gets the statement's index, and the values of all iterators of the nest, of which those around the
    /// statement count. Errors of `visit` end the walk.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder};
    ///
    /// let mut builder = Builder::new("triangle");
    /// let n = builder.parameter("n");
    /// let a = builder.in_out("a", [n.into(), n.into()]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| {
    ///     builder.repeat("j", Bounds::new(0, i + 1), |builder, j| builder.assign(a.at([i, j]), 1.0));
    /// });
    /// let mut instances = Vec::new();
    /// builder.finish()?.instances(&[2], |_, iterators| instances.push(iterators.to_vec()));
    /// assert_eq!(instances, [[0, 0], [1, 0], [1, 1]]);
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    pub fn instances(&self, parameters: &[i64], mut visit: impl FnMut(usize, &[i64])) {
        let walked: Result<(), std::convert::Infallible> =
            self.walk(&self.values(parameters), &mut |statement, _, iterators| {
                visit(statement, iterators);
                Ok(())
            });
        walked.unwrap_or_else(|never| match never {});
    }

    pub(crate) fn walk<E>(&self, parameters: &[i64], visit: &mut Visit<'_, E>) -> Result<(), E> {
        let iterators = vec![0; self.iterators.len()];
        Walk { parameters, iterators, visit }.nodes(&self.body, 0).map(drop)
    }
}

/// The places of the elements of a nest's arrays.
pub(crate) struct Elements<'a> {
    pub(crate) nest: &'a Nest,
    pub(crate) parameters: &'a [i64],
    pub(crate) shapes: &'a [Vec<i64>],
}

impl Elements<'_> {
    /// Returns the place of an element among all of its array, at these values of the iterators.
    pub(crate) fn offset(
        &self,
        assignment: &Assignment,
        access: &Access,
        iterators: &[i64],
    ) -> Result<usize, RunError> {
        let subscripts: Vec<i64> = access
            .subscripts
            .iter()
            .map(|subscript| subscript.evaluate(&|variable| value(self.parameters, iterators, variable)))
            .collect();
        let shape = &self.shapes[access.array];
        offset(shape, &subscripts).ok_or_else(|| RunError::OutOfBounds {
            statement: display::assignment(self.nest, assignment),
            array: self.nest.arrays[access.array].name.clone(),
            subscripts,
            shape: shape.clone(),
        })
    }
}

/// The source of the values of an expression.
pub(crate) trait Source<T> {
    /// Returns the value of a variable.
    fn variable(&self, variable: Variable) -> i64;
    /// Returns the value of a scalar.
    fn scalar(&self, index: usize) -> T;
    /// Reads an element.
    fn load(&mut self, access: &Access) -> Result<T, RunError>;
    /// Reads an integer of an array of such.
    fn index(&self, indices: usize, subscripts: &[i64]) -> Result<u32, RunError>;
}

/// An instance of a statement.
struct AtInstance<'a, T> {
    elements: &'a Elements<'a>,
    assignment: &'a Assignment,
    iterators: &'a [i64],
    scalars: &'a [T],
    arrays: &'a [Vec<T>],
    indices: Indices<'a>,
}

impl<T: Number> Source<T> for AtInstance<'_, T> {
    fn variable(&self, variable: Variable) -> i64 {
        value(self.elements.parameters, self.iterators, variable)
    }

    fn scalar(&self, index: usize) -> T {
        self.scalars[index]
    }

    fn load(&mut self, access: &Access) -> Result<T, RunError> {
        Ok(self.arrays[access.array][self.elements.offset(self.assignment, access, self.iterators)?])
    }

    fn index(&self, indices: usize, subscripts: &[i64]) -> Result<u32, RunError> {
        self.indices.get(indices, subscripts, || display::assignment(self.elements.nest, self.assignment))
    }
}

/// Returns the value of a variable of a nest at a point of its execution.
pub(crate) fn value(parameters: &[i64], iterators: &[i64], variable: Variable) -> i64 {
    match variable {
        Variable::Parameter(index) => parameters[index],
        Variable::Iterator(index) => iterators[index],
        Variable::Block(_) | Variable::Thread(_) => 0, // in no valid nest
    }
}

/// A visitor of instances: gets the statement's index, the statement, and the values of all iterators.
type Visit<'a, E> = dyn FnMut(usize, &Assignment, &[i64]) -> Result<(), E> + 'a;

struct Walk<'a, 'v, E> {
    parameters: &'a [i64],
    iterators: Vec<i64>,
    visit: &'a mut Visit<'v, E>,
}

impl<E> Walk<'_, '_, E> {
    /// Walks nodes, of which this is the index of the first statement; returns that of the one after the last.
    fn nodes(&mut self, nodes: &[Node], first: usize) -> Result<usize, E> {
        nodes.iter().try_fold(first, |first, node| self.node(node, first))
    }

    fn node(&mut self, node: &Node, first: usize) -> Result<usize, E> {
        match node {
            Node::Assign(assignment) => {
                (self.visit)(first, assignment, &self.iterators)?;
                Ok(first + 1)
            }
            Node::Loop(range, body) => {
                let (parameters, iterators) = (self.parameters, self.iterators.clone());
                for step in range.values(&|variable| value(parameters, &iterators, variable)) {
                    self.iterators[range.iterator] = step;
                    self.nodes(body, first)?;
                }
                Ok(first + node.statements())
            }
            Node::If(conditions, body) => {
                let holds = conditions.iter().all(|condition| {
                    condition.holds(&|variable| value(self.parameters, &self.iterators, variable))
                });
                if holds {
                    self.nodes(body, first)?;
                }
                Ok(first + node.statements())
            }
        }
    }
}

/// Evaluates an expression. Each operation is rounded by itself.
pub(crate) fn evaluate<T: Number>(
    expression: &Expression,
    source: &mut dyn Source<T>,
) -> Result<T, RunError> {
    let mut of = |expression: &Expression| evaluate(expression, source);
    Ok(match expression {
        Expression::Constant(bits) => T::constant(*bits),
        Expression::Scalar(index) => source.scalar(*index),
        Expression::Integer(affine) => T::integer(affine.evaluate(&|variable| source.variable(variable))),
        Expression::Quasi(quasi) => T::integer(quasi.evaluate(&|variable| source.variable(variable))),
        Expression::Load(access) => source.load(access)?,
        Expression::Gather(gather) => {
            let element = gather
                .element(&|variable| source.variable(variable), |indices, at| source.index(indices, at))?;
            source.load(&element)?
        }
        Expression::Unary(operator, operand) => T::unary(*operator, of(operand)?),
        Expression::Binary(operator, left, right) => T::binary(*operator, of(left)?, of(right)?),
        Expression::Fused(parts) => {
            let [left, right, summand] = &**parts;
            of(left)?.fused(of(right)?, of(summand)?)
        }
        Expression::Select(select) => {
            let holds = select.relation.holds(&of(&select.left)?, &of(&select.right)?);
            of(if holds { &select.then } else { &select.otherwise })?
        }
    })
}
