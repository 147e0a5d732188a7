//! Nests made in a program.

use nitro_launch::{Element, Storage};

use super::affine::{Affine, Variable};
use super::expression::{Access, Expression};
use super::gather::{Gather, IndexAccess, IndexDeclaration, Subscript};
use super::{ArrayDeclaration, Assignment, Condition, Nest, Node, Range, validate};

/// A nest that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the nest `{nest}` is wrong: {what}")]
pub struct NestError {
    /// The name of the nest.
    pub nest: String,
    /// The mistake, and its place.
    pub what: String,
}

/// Makes a [`Nest`]. It is what `#[nest]` writes, for programs that make nests of something else.
///
/// ```
/// use nitro_nest::{Bounds, Builder};
///
/// let mut builder = Builder::new("axpy");
/// let n = builder.parameter("n");
/// let alpha = builder.scalar("alpha");
/// let x = builder.input("x", [n.into()]);
/// let y = builder.in_out("y", [n.into()]);
/// builder.repeat("i", Bounds::new(0, n), |builder, i| {
///     builder.assign(y.at([i]), y.at([i]) + alpha.clone() * x.at([i]));
/// });
/// let nest = builder.finish()?;
/// assert_eq!(nest.statements().len(), 1);
/// # Ok::<(), nitro_nest::NestError>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    nest: Nest,
    /// The arrays that are no arguments.
    temporaries: Vec<usize>,
    /// The nodes of the loops and conditions that are open, so far.
    open: Vec<Vec<Node>>,
}

/// An array of a nest that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayName(usize);

impl ArrayName {
    /// Returns the element with these subscripts, the slowest first.
    pub fn at<T: Into<Affine>>(self, subscripts: impl IntoIterator<Item = T>) -> Access {
        Access { array: self.0, subscripts: subscripts.into_iter().map(Into::into).collect() }
    }
}

impl ArrayName {
    /// Returns the element at a place that arrays of integers say. No statement may write the array.
    ///
    /// [`Gather`] has an example.
    pub fn gather<T: Into<Subscript>>(self, subscripts: impl IntoIterator<Item = T>) -> Expression {
        Gather { array: self.0, subscripts: subscripts.into_iter().map(Into::into).collect() }.into()
    }
}

/// An array of integers of a nest that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndicesName(usize);

impl IndicesName {
    /// Returns the integer with these subscripts, the slowest first, as a subscript of a gather.
    pub fn at<T: Into<Affine>>(self, subscripts: impl IntoIterator<Item = T>) -> Subscript {
        let subscripts = subscripts.into_iter().map(Into::into).collect();
        Subscript::Index(IndexAccess { indices: self.0, subscripts })
    }
}

/// The values that an iterator takes, without its name.
///
/// ```
/// use nitro_nest::{Bounds, Variable};
///
/// let (n, i) = (Variable::Parameter(0), Variable::Iterator(0));
/// let triangle = Bounds::new(i + 1, n).and_below(100).reversed(); // (i + 1..n.min(100)).rev()
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    lower: Vec<Affine>,
    upper: Vec<Affine>,
    step: i64,
    is_reversed: bool,
}

impl Bounds {
    /// Goes from `lower` to below `upper`.
    pub fn new(lower: impl Into<Affine>, upper: impl Into<Affine>) -> Self {
        Self { lower: vec![lower.into()], upper: vec![upper.into()], step: 1, is_reversed: false }
    }

    /// Begins not below `lower` either: `a.max(b)` as a lower bound.
    #[must_use]
    pub fn and_from(mut self, lower: impl Into<Affine>) -> Self {
        self.lower.push(lower.into());
        self
    }

    /// Ends below `upper` too: `a.min(b)` as an upper bound.
    #[must_use]
    pub fn and_below(mut self, upper: impl Into<Affine>) -> Self {
        self.upper.push(upper.into());
        self
    }

    /// Takes each `step`-th value, from the first.
    #[must_use]
    pub fn step_by(self, step: i64) -> Self {
        Self { step, ..self }
    }

    /// Takes the largest value first.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { is_reversed: true, ..self }
    }
}

impl Builder {
    /// Begins a nest of this name, with nothing in it.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let nest = Nest {
            temporaries: 0,
            name: name.to_owned(),
            parameters: Vec::new(),
            products: Vec::new(),
            scalars: Vec::new(),
            element: Element::F32,
            arrays: Vec::new(),
            indices: Vec::new(),
            iterators: Vec::new(),
            body: Vec::new(),
            reassociates: false,
        };
        Self { nest, temporaries: Vec::new(), open: vec![Vec::new()] }
    }

    /// Makes all numbers those of a type, instead of single precision.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder, Data, Element, Expression};
    ///
    /// let mut builder = Builder::new("tenths");
    /// builder.element(Element::F64);
    /// let n = builder.parameter("n");
    /// let x = builder.in_out("x", [n.into()]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(x.at([i]), Expression::double(0.1)));
    /// let nest = builder.finish()?;
    ///
    /// let mut data = Data::in_double(&nest, &[2], &[])?;
    /// nest.run(&mut data)?;
    /// assert_eq!(data.arrays[0], [0.1, 0.1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn element(&mut self, element: Element) {
        self.nest.element = element;
    }

    /// Declares a size.
    ///
    /// # Panics
    /// When there is a [product](Self::product) already.
    pub fn parameter(&mut self, name: &str) -> Variable {
        assert!(self.nest.products.is_empty(), "sizes are declared before their products");
        self.nest.parameters.push(name.to_owned());
        Variable::Parameter(self.nest.parameters.len() - 1)
    }

    /// Returns the product of sizes. All sizes are declared before.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder, Expression};
    ///
    /// let mut builder = Builder::new("mean");
    /// let (n, m) = (builder.parameter("n"), builder.parameter("m"));
    /// let x = builder.in_out("x", [n.into()]);
    /// let count = builder.product([n, m]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| {
    ///     builder.assign(x.at([i]), Expression::from(x.at([i])) / count);
    /// });
    /// assert!(builder.finish()?.to_string().contains("x[i] = x[i] / (n_m) as f32;"));
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    ///
    /// # Panics
    /// When there are no factors, or one is no size.
    pub fn product(&mut self, factors: impl IntoIterator<Item = Variable>) -> Affine {
        let sizes = factors.into_iter().map(|factor| match factor {
            Variable::Parameter(size) => size,
            other => panic!("{other:?} is no size"),
        });
        let product = sizes.reduce(|all, size| self.nest.product([all, size]));
        Variable::Parameter(product.expect("a product has factors")).into()
    }

    /// Declares a scalar argument.
    pub fn scalar(&mut self, name: &str) -> Expression {
        self.nest.scalars.push(name.to_owned());
        Expression::Scalar(self.nest.scalars.len() - 1)
    }

    /// Declares an array that is only read, with the extent of each of its dimensions.
    pub fn input(&mut self, name: &str, shape: impl IntoIterator<Item = Affine>) -> ArrayName {
        self.array(name, shape, false)
    }

    /// Stores the elements of an array in another form than they are computed with.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder, Expression, Storage};
    ///
    /// let mut builder = Builder::new("double");
    /// let n = builder.parameter("n");
    /// let x = builder.in_out("x", [n.into()]);
    /// builder.store_as(x, Storage::F16);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| {
    ///     builder.assign(x.at([i]), (Expression::from(x.at([i])) * 2.0).round_f16());
    /// });
    /// assert!(builder.finish()?.to_string().contains("x: &mut f16[n]"));
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    pub fn store_as(&mut self, array: ArrayName, storage: Storage) {
        self.nest.arrays[array.0].storage = storage;
    }

    /// Declares an array of integers that say places in other arrays, with the extent of each of its dimensions.
    pub fn indices(&mut self, name: &str, shape: impl IntoIterator<Item = Affine>) -> IndicesName {
        let shape = shape.into_iter().collect();
        self.nest.indices.push(IndexDeclaration { name: name.to_owned(), shape });
        IndicesName(self.nest.indices.len() - 1)
    }

    /// Declares an array that is read and written, with the extent of each of its dimensions.
    pub fn in_out(&mut self, name: &str, shape: impl IntoIterator<Item = Affine>) -> ArrayName {
        self.array(name, shape, true)
    }

    /// Declares an array that is no argument: each run has one of its own.
    ///
    /// Temporaries are declared after all arguments.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder};
    ///
    /// let mut builder = Builder::new("swap");
    /// let n = builder.parameter("n");
    /// let x = builder.in_out("x", [n.into()]);
    /// let y = builder.in_out("y", [n.into()]);
    /// let kept = builder.temporary("kept", [n.into()]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| {
    ///     builder.assign(kept.at([i]), x.at([i]));
    ///     builder.assign(x.at([i]), y.at([i]));
    ///     builder.assign(y.at([i]), kept.at([i]));
    /// });
    /// let nest = builder.finish()?;
    /// assert_eq!((nest.arrays().len(), nest.arguments()), (3, 2));
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    pub fn temporary(&mut self, name: &str, shape: impl IntoIterator<Item = Affine>) -> ArrayName {
        let array = self.array(name, shape, true);
        self.temporaries.push(array.0);
        array
    }

    fn array(&mut self, name: &str, shape: impl IntoIterator<Item = Affine>, is_written: bool) -> ArrayName {
        let shape = shape.into_iter().collect();
        self.nest.arrays.push(ArrayDeclaration {
            name: name.to_owned(),
            shape,
            is_written,
            storage: Storage::Number,
        });
        ArrayName(self.nest.arrays.len() - 1)
    }

    /// Adds a loop; `body` fills it and gets its iterator.
    pub fn repeat(&mut self, iterator: &str, bounds: Bounds, body: impl FnOnce(&mut Self, Variable)) {
        let index = self.nest.iterators.len();
        self.nest.iterators.push(iterator.to_owned());
        let nodes = self.gather(|builder| body(builder, Variable::Iterator(index)));
        let Bounds { lower, upper, step, is_reversed } = bounds;
        let range = Range { iterator: index, lower, upper, step, is_reversed };
        self.push(Node::Loop(range, nodes));
    }

    /// Adds nodes that run where all conditions hold; `body` fills them in.
    ///
    /// ```
    /// use nitro_nest::{Affine, Bounds, Builder, Condition, Relation};
    ///
    /// let mut builder = Builder::new("all_but_the_first");
    /// let n = builder.parameter("n");
    /// let x = builder.in_out("x", [n.into()]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| {
    ///     let behind = Condition { relation: Relation::Greater, left: i.into(), right: Affine::from(0) };
    ///     builder.only_if([behind], |builder| builder.assign(x.at([i]), 0.0));
    /// });
    /// assert!(builder.finish()?.to_string().contains("if i > 0 {"));
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    pub fn only_if(&mut self, conditions: impl IntoIterator<Item = Condition>, body: impl FnOnce(&mut Self)) {
        let conditions: Vec<Condition> = conditions.into_iter().collect();
        let nodes = self.gather(body);
        if conditions.is_empty() {
            nodes.into_iter().for_each(|node| self.push(node));
        } else {
            self.push(Node::If(conditions, nodes));
        }
    }

    /// Adds a statement: an element becomes a value.
    pub fn assign(&mut self, target: Access, value: impl Into<Expression>) {
        self.push(Node::Assign(Assignment { target, value: value.into() }));
    }

    /// Lets sums be added up, and products be multiplied up, in another order.
    pub fn reassociate(&mut self) {
        self.nest.reassociates = true;
    }

    fn gather(&mut self, fill: impl FnOnce(&mut Self)) -> Vec<Node> {
        self.open.push(Vec::new());
        fill(self);
        self.open.pop().unwrap_or_default()
    }

    fn push(&mut self, node: Node) {
        if let Some(innermost) = self.open.last_mut() {
            innermost.push(node);
        }
    }

    /// Returns the nest.
    ///
    /// # Errors
    /// When a name is taken twice or is none, or an array has another number of subscripts than dimensions. When an
    /// iterator is used outside of its loop, an input is written, a number is beyond the nest's precision, or an extent
    /// is not of parameters alone. When bounds are missing or do not go with their step, or an argument is declared
    /// after a temporary.
    pub fn finish(mut self) -> Result<Nest, NestError> {
        self.nest.body = self.open.pop().unwrap_or_default();
        self.nest.temporaries = self.temporaries.len();
        self.nest.rename_products();
        temporaries_are_last(&self.nest, &self.temporaries)
            .and_then(|()| validate::check(&self.nest))
            .map_err(|what| NestError { nest: self.nest.name.clone(), what })?;
        Ok(self.nest)
    }
}

/// Checks that no argument comes after a temporary: a nest tells them apart by their place.
fn temporaries_are_last(nest: &Nest, temporaries: &[usize]) -> Result<(), String> {
    let arguments = nest.arguments();
    let Some(&early) = temporaries.iter().find(|&&array| array < arguments) else { return Ok(()) };
    let name = &nest.arrays[early].name;
    Err(format!("the temporary `{name}` is declared before an argument: declare temporaries last"))
}
