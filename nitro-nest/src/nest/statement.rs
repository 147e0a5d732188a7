//! The statements of a nest one by one, each with the loops and conditions around it: the polyhedral view.

use super::affine::Variable;
use super::expression::Access;
use super::{Assignment, Condition, Nest, Node, Range};

/// A statement with its domain: the iteration vectors at which it has an instance.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// Its index, in the order in which statements are written.
    pub index: usize,
    /// The loops around it, outermost first.
    pub loops: Vec<&'a Range>,
    /// All conditions around it.
    pub conditions: Vec<&'a Condition>,
    /// The place of each loop around it, and then its own, among what is in the same body.
    ///
    /// With the iterators in between it is the position of an instance in the order of execution (2d + 1 form).
    pub places: Vec<usize>,
    /// The assignment.
    pub assignment: &'a Assignment,
}

impl Statement<'_> {
    /// Returns its iterators, outermost first.
    pub fn iterators(&self) -> impl Iterator<Item = Variable> + '_ {
        self.loops.iter().map(|range| Variable::Iterator(range.iterator))
    }

    /// Returns the elements that it reads, from left to right.
    #[must_use]
    pub fn reads(&self) -> Vec<&Access> {
        self.assignment.value.reads()
    }

    /// Counts the loops around both statements.
    #[must_use]
    pub fn common_loops(&self, other: &Statement<'_>) -> usize {
        let pairs = self.loops.iter().zip(&other.loops);
        pairs.take_while(|(left, right)| left.iterator == right.iterator).count()
    }
}

impl Nest {
    /// Returns its statements, in the order in which they are written.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder};
    ///
    /// let mut builder = Builder::new("clear");
    /// let n = builder.parameter("n");
    /// let x = builder.in_out("x", [n.into()]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(x.at([i]), 0.0));
    /// let nest = builder.finish()?;
    /// assert_eq!(nest.statements()[0].places, [0, 0]); // the first thing in the nest, the first thing in its loop
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    #[must_use]
    pub fn statements(&self) -> Vec<Statement<'_>> {
        let mut found = Vec::new();
        let mut around = Around { loops: Vec::new(), conditions: Vec::new(), places: Vec::new() };
        around.gather(&self.body, &mut 0, &mut found);
        found
    }
}

/// The loops and conditions around the nodes that are looked at.
struct Around<'a> {
    loops: Vec<&'a Range>,
    conditions: Vec<&'a Condition>,
    places: Vec<usize>,
}

impl<'a> Around<'a> {
    /// Gathers statements. `place` counts nodes of the innermost loop; conditions are no places of their own.
    fn gather(&mut self, nodes: &'a [Node], place: &mut usize, found: &mut Vec<Statement<'a>>) {
        for node in nodes {
            match node {
                Node::If(conditions, body) => {
                    let before = self.conditions.len();
                    self.conditions.extend(conditions);
                    self.gather(body, place, found);
                    self.conditions.truncate(before);
                    continue;
                }
                Node::Loop(range, body) => {
                    self.loops.push(range);
                    self.places.push(*place);
                    self.gather(body, &mut 0, found);
                    self.places.pop();
                    self.loops.pop();
                }
                Node::Assign(assignment) => found.push(self.statement(*place, found.len(), assignment)),
            }
            *place += 1;
        }
    }

    fn statement(&self, place: usize, index: usize, assignment: &'a Assignment) -> Statement<'a> {
        let mut places = self.places.clone();
        places.push(place);
        let (loops, conditions) = (self.loops.clone(), self.conditions.clone());
        Statement { index, loops, conditions, places, assignment }
    }
}
