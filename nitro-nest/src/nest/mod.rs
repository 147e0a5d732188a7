//! Loop nests: what is computed, in the order in which it was written.

/// Integers that are linear in parameters and iterators: bounds, subscripts, conditions.
pub mod affine {
    pub use nitro_launch::{Affine, Variable};
}
pub mod builder;
pub mod display;
pub mod expression;
pub mod gather;
pub mod quasi;
pub mod statement;
mod validate;

pub use nitro_launch::Range;
use nitro_launch::{Element, SizeProduct, Storage};
use serde::{Deserialize, Serialize};

use affine::Affine;
use expression::{Access, Binary, Expression, Relation};
use gather::IndexDeclaration;

/// A loop nest: parameters, scalars and arrays, and loops with affine bounds around assignments to elements.
///
/// `#[nest]` makes it of a function, [`Builder`](crate::Builder) in a program. It is valid: every array has as many
/// subscripts as dimensions, every iterator is that of a loop around its use, no array is written that is an input.
/// Printed, it reads like the function.
///
/// ```
/// use nitro_nest::{Array2, nest};
///
/// #[nest]
/// fn scale(n: usize, m: usize, factor: f32, #[shape(n, m)] a: &mut Array2<f32>) {
///     for i in 0..n {
///         for j in 0..m {
///             a[[i, j]] *= factor;
///         }
///     }
/// }
///
/// let text = scale::nest().to_string();
/// assert!(text.contains("for i in 0..n {") && text.contains("a[i, j] = a[i, j] * factor;"), "{text}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Nest {
    pub(crate) name: String,
    pub(crate) parameters: Vec<String>,
    /// The last parameters: no arguments, but products of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) products: Vec<SizeProduct>,
    pub(crate) scalars: Vec<String>,
    #[serde(default, skip_serializing_if = "Element::is_single")]
    pub(crate) element: Element,
    pub(crate) arrays: Vec<ArrayDeclaration>,
    /// The number of the last arrays that are no arguments.
    #[serde(default)]
    pub(crate) temporaries: usize,
    /// The arrays of integers, arguments that come after the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) indices: Vec<IndexDeclaration>,
    /// The names of the iterators, one a loop.
    pub(crate) iterators: Vec<String>,
    pub(crate) body: Vec<Node>,
    pub(crate) reassociates: bool,
}

/// An array of the nest: numbers of its type, row-major.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArrayDeclaration {
    /// Its name.
    pub name: String,
    /// The extent of each dimension, the slowest first: affine in the parameters.
    pub shape: Vec<Affine>,
    /// Statements may write it.
    pub is_written: bool,
    /// The form of its elements in memory.
    #[serde(default, skip_serializing_if = "Storage::is_number")]
    pub storage: Storage,
}

/// A part of a nest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// A loop and what is in it.
    Loop(Range, Vec<Node>),
    /// Nodes that run where all conditions hold.
    If(Vec<Condition>, Vec<Node>),
    /// A statement.
    Assign(Assignment),
}

/// A comparison of two integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Condition {
    /// The comparison.
    pub relation: Relation,
    /// The left side.
    pub left: Affine,
    /// The right side.
    pub right: Affine,
}

/// A statement: an element becomes a value. `x += e` is `x = x + e`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Assignment {
    /// The element that is written.
    pub target: Access,
    /// Its new value.
    pub value: Expression,
}

impl Nest {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of its sizes.
    #[must_use]
    pub fn parameters(&self) -> &[String] {
        &self.parameters[..self.parameters.len() - self.products.len()]
    }

    /// Returns the values of all parameters: of these sizes, and of the products of them.
    pub(crate) fn values(&self, sizes: &[i64]) -> Vec<i64> {
        SizeProduct::with_all(&self.products, sizes)
    }

    /// Returns the parameter that is the product of these two, a new one if there is none yet.
    pub(crate) fn product(&mut self, [one, other]: [usize; 2]) -> usize {
        let sizes = self.parameters().len();
        let is_known = |known: &SizeProduct| known.factors == [one, other] || known.factors == [other, one];
        if let Some(at) = self.products.iter().position(is_known) {
            return sizes + at;
        }
        let name = self.free(&format!("{}_{}", self.parameters[one], self.parameters[other]));
        self.products.push(SizeProduct { name: name.clone(), factors: [one, other] });
        self.parameters.push(name);
        self.parameters.len() - 1
    }

    /// Gives products of sizes other names where something that was declared later has theirs.
    fn rename_products(&mut self) {
        let sizes = self.parameters().len();
        for at in 0..self.products.len() {
            let name = std::mem::take(&mut self.parameters[sizes + at]);
            let name = self.free(&name);
            self.parameters[sizes + at].clone_from(&name);
            self.products[at].name = name;
        }
    }

    /// Returns the names of its scalar arguments.
    #[must_use]
    pub fn scalars(&self) -> &[String] {
        &self.scalars
    }

    /// Returns the type of all its numbers: scalars, elements of arrays, constants.
    #[must_use]
    pub fn element(&self) -> Element {
        self.element
    }

    /// Returns its arrays: the arguments, and then temporaries (`Nest::with_temporaries`).
    #[must_use]
    pub fn arrays(&self) -> &[ArrayDeclaration] {
        &self.arrays
    }

    /// Counts the arrays that are arguments.
    #[must_use]
    pub fn arguments(&self) -> usize {
        self.arrays.len() - self.temporaries
    }

    /// Returns its arrays of integers, which kernels take after all other arrays.
    #[must_use]
    pub fn indices(&self) -> &[IndexDeclaration] {
        &self.indices
    }

    /// Returns the names of its iterators, one a loop, in the order of the loops.
    #[must_use]
    pub fn iterators(&self) -> &[String] {
        &self.iterators
    }

    /// Returns its loops, conditions and statements, in order.
    #[must_use]
    pub fn body(&self) -> &[Node] {
        &self.body
    }

    /// Returns the names of all arguments and iterators.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let arrays = self.arrays.iter().map(|array| &array.name);
        let indices = self.indices.iter().map(|array| &array.name);
        self.parameters.iter().chain(&self.scalars).chain(arrays).chain(indices).chain(&self.iterators)
    }

    /// Returns the name, or one like it that nothing has yet.
    pub(crate) fn free(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.names().any(|taken| *taken == name) {
            name.push('_');
        }
        name
    }

    /// Adds an iterator of that name, or one like it.
    pub(crate) fn new_iterator(&mut self, name: &str) -> usize {
        self.iterators.push(self.free(name));
        self.iterators.len() - 1
    }

    /// Adds an array of that name, or one like it, that is no argument.
    pub(crate) fn new_temporary(&mut self, name: &str, shape: Vec<Affine>) -> usize {
        let name = self.free(name);
        let storage = nitro_launch::Storage::Number;
        self.arrays.push(ArrayDeclaration { name, shape, is_written: true, storage });
        self.temporaries += 1;
        self.arrays.len() - 1
    }

    /// Returns `true` if sums may be added up in another order, and products multiplied up: `#[nest(reassoc)]`.
    ///
    /// Results then differ by rounding.
    #[must_use]
    pub fn reassociates(&self) -> bool {
        self.reassociates
    }

    /// Returns `true` if it calls functions such as `exp`, whose last bits differ between libraries.
    ///
    /// What a GPU gives is then as near as [`run_with_bounds`](Self::run_with_bounds) says, and not the same bits.
    ///
    /// ```
    /// use nitro_nest::nest;
    ///
    /// #[nest]
    /// fn softplus(n: usize, #[shape(n)] x: &mut [f32]) {
    ///     for i in 0..n {
    ///         x[i] = (1.0 + x[i].exp()).ln();
    ///     }
    /// }
    ///
    /// assert!(softplus::nest().calls_library());
    /// ```
    #[must_use]
    pub fn calls_library(&self) -> bool {
        let mut calls = false;
        for statement in self.statements() {
            statement.assignment.value.visit(&mut |part| {
                calls |= matches!(part, Expression::Unary(operator, _) if operator.is_of_library());
            });
        }
        calls
    }
}

impl Node {
    /// Returns what is in a loop or under conditions; nothing is in a statement.
    pub(crate) fn body(&self) -> &[Node] {
        match self {
            Node::Loop(_, body) | Node::If(_, body) => body,
            Node::Assign(_) => &[],
        }
    }

    /// Returns the statement that it is, if it is one.
    pub(crate) fn assignment(&self) -> Option<&Assignment> {
        if let Node::Assign(assignment) = self { Some(assignment) } else { None }
    }

    /// Counts the statements in it.
    pub(crate) fn statements(&self) -> usize {
        self.assignments().len()
    }

    /// Returns the statements in it, in the order in which they are written.
    pub(crate) fn assignments(&self) -> Vec<&Assignment> {
        match self {
            Node::Assign(assignment) => vec![assignment],
            Node::Loop(_, body) | Node::If(_, body) => body.iter().flat_map(Node::assignments).collect(),
        }
    }
}

/// Returns `true` if there is a loop among nodes.
pub(crate) fn has_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| matches!(node, Node::Loop(..)) || has_loop(node.body()))
}

/// Returns loops around nodes, the first of them outermost.
pub(crate) fn nested(loops: impl DoubleEndedIterator<Item = Range>, mut body: Vec<Node>) -> Vec<Node> {
    for range in loops.rev() {
        body = vec![Node::Loop(range, body)];
    }
    body
}

impl Assignment {
    /// Returns the element that is written, and then those that are read.
    pub(crate) fn accesses(&self) -> Vec<&Access> {
        let mut accesses = self.value.reads();
        accesses.insert(0, &self.target);
        accesses
    }

    /// Returns `true` if it writes or reads elements of this array.
    pub(crate) fn touches(&self, array: usize) -> bool {
        self.accesses().iter().any(|access| access.array == array)
    }

    /// Sets an element to what any operand of a reduction stays as it is with: a minimum or maximum ignores what is no
    /// number.
    pub(crate) fn begin(target: Access, operator: Binary) -> Self {
        let value = match operator {
            Binary::Multiply => 1.0,
            Binary::Minimum | Binary::Maximum => f32::NAN,
            _ => 0.0,
        };
        Self { target, value: value.into() }
    }

    /// Reduces one more value to an element.
    pub(crate) fn reduce(target: Access, operator: Binary, value: Expression) -> Self {
        let own = Expression::Load(target.clone());
        Self { target, value: Expression::Binary(operator, Box::new(own), Box::new(value)) }
    }
}

#[cfg(feature = "polyhedral")]
impl Node {
    /// Changes all integers in it: bounds, conditions, subscripts and values.
    pub(crate) fn map_integers(&mut self, by: &dyn Fn(&Affine) -> Affine) {
        match self {
            Node::Loop(range, body) => {
                range.lower.iter_mut().chain(&mut range.upper).for_each(|bound| *bound = by(bound));
                body.iter_mut().for_each(|node| node.map_integers(by));
            }
            Node::If(conditions, body) => {
                for condition in conditions {
                    condition.left = by(&condition.left);
                    condition.right = by(&condition.right);
                }
                body.iter_mut().for_each(|node| node.map_integers(by));
            }
            Node::Assign(assignment) => {
                assignment.target.subscripts.iter_mut().for_each(|subscript| *subscript = by(subscript));
                assignment.value.map_integers(by);
            }
        }
    }

    /// Changes all statements in it, in the order in which they are written.
    pub(crate) fn for_each_statement(&mut self, change: &mut dyn FnMut(&mut Assignment)) {
        match self {
            Node::Loop(_, body) | Node::If(_, body) => {
                body.iter_mut().for_each(|node| node.for_each_statement(change));
            }
            Node::Assign(assignment) => change(assignment),
        }
    }

    /// Changes all elements that statements in it read and write.
    pub(crate) fn map_accesses(&mut self, by: &dyn Fn(&Access) -> Access) {
        self.for_each_statement(&mut |assignment| {
            assignment.target = by(&assignment.target);
            assignment.value.map_loads(&|access| by(&access));
        });
    }
}

impl Condition {
    /// Returns the condition `left < right`.
    pub(crate) fn less(left: Affine, right: Affine) -> Self {
        Self { relation: Relation::Less, left, right }
    }

    /// Returns the condition `left >= right`.
    pub(crate) fn at_least(left: Affine, right: Affine) -> Self {
        Self { relation: Relation::GreaterOrEqual, left, right }
    }

    /// Returns `true` if it holds for these values of the variables.
    #[must_use]
    pub fn holds(&self, value: &dyn Fn(affine::Variable) -> i64) -> bool {
        self.relation.holds(&self.left.evaluate(value), &self.right.evaluate(value))
    }
}
