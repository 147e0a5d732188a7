//! The pass that joins what sets or scales elements with the loops that sum them up after that.
//!
//! So an element is touched once, and is in a register meanwhile.

use super::fusion::{Chain, permutations};
use super::{AnalysedNest, chosen, extremes, factors, recurrences, rewritten, scales, turned};
use crate::dependence::{DependenceError, is_sum};
use crate::nest::affine::Variable;
use crate::nest::{Nest, Node, nested};

/// Makes maxima of choices, puts sums under the conditions of their terms, brings loops to the order of scans, makes
/// sums of recurrences, takes factors out of sums, joins these with what sets their elements, and takes scales out of
/// them.
pub(super) fn with_factors(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut changed = None;
    for pass in [extremes::run, chosen::run, turned::run, recurrences::run, factors::run, run, scales::run] {
        changed = pass(changed.as_ref().unwrap_or(input))?.or(changed);
    }
    Ok(changed)
}

/// Joins sums of a nest with what sets their elements, as long as any can be.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    for place in places(&input.nest.body) {
        if let Some(joined) = join_at(input, &place)? {
            // Places have moved: the search for the next one begins anew.
            let further = run(&joined)?;
            return Ok(further.or(Some(joined)));
        }
    }
    Ok(None)
}

impl Nest {
    /// Puts what sets or scales elements in the loops that sum into them after that, where these are neighbours.
    ///
    /// isl has to find nothing that forbids it. The loops of such a sum are interchanged for that where this is
    /// legal. Each sum keeps its order.
    ///
    /// ```
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn product(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n, n)] c: &mut Array2<f32>) {
    ///     for i in 0..n {
    ///         for j in 0..n {
    ///             c[[i, j]] *= 2.0;
    ///         }
    ///         for k in 0..n {
    ///             for j in 0..n {
    ///                 c[[i, j]] += a[[i, k]] * a[[k, j]];
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let joined = product::nest().with_joined_sums()?;
    /// assert_eq!(joined.to_string().matches("for ").count(), 3, "{joined}"); // over i, j and k
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`dependences`](Self::dependences).
    pub fn with_joined_sums(&self) -> Result<Nest, DependenceError> {
        rewritten(self, run)
    }
}

/// Joins the node at this place and the next one, if they can be.
fn join_at(input: &AnalysedNest, place: &Place) -> Result<Option<AnalysedNest>, DependenceError> {
    let body = body(&input.nest.body, &place.path);
    let (set, sum) = (place.statement, place.statement + 1);
    let (Some(first), Some(second)) = (Chain::new(&body[place.at]), Chain::new(&body[place.at + 1])) else {
        return Ok(None);
    };
    let depth = place.path.len();
    for order in orders_that_begin_as(&second, &first) {
        // Loops outside of the two stay where they are.
        let of_all: Vec<usize> = (0..depth).chain(order.iter().map(|at| depth + at)).collect();
        let is_in_order = of_all.iter().copied().eq(0..of_all.len());
        if !is_in_order && !input.dependences.permits(&input.nest.statements()[sum], &of_all) {
            continue;
        }
        let Some(node) = begin(&first, &second, &order) else { continue };
        let mut joined = input.nest.clone();
        body_mut(&mut joined.body, &place.path).splice(place.at..place.at + 2, [node]);
        let joined = AnalysedNest::new(joined)?;
        // The sum may not have to run before what sets its element. What the loops outside carry was so before.
        let mut found = joined.dependences.all().iter();
        if !found.any(|one| one.source == sum && one.sink == set && one.level >= Some(depth)) {
            return Ok(Some(joined));
        }
    }
    Ok(None)
}

/// Two neighbouring nodes, where the first one has a single statement.
struct Place {
    /// The loops around them, each by its index in its body.
    path: Vec<usize>,
    /// The index of the first.
    at: usize,
    /// The index of its statement.
    statement: usize,
}

fn places(nodes: &[Node]) -> Vec<Place> {
    let mut found = Vec::new();
    gather(nodes, &mut Vec::new(), &mut 0, &mut found);
    found
}

fn gather(nodes: &[Node], path: &mut Vec<usize>, statement: &mut usize, found: &mut Vec<Place>) {
    for (at, node) in nodes.iter().enumerate() {
        if at + 1 < nodes.len() && node.statements() == 1 {
            found.push(Place { path: path.clone(), at, statement: *statement });
        }
        match node {
            Node::Loop(_, body) => {
                path.push(at);
                gather(body, path, statement, found);
                path.pop();
            }
            // What is done under a condition stays as it is.
            Node::If(..) | Node::Assign(_) => *statement += node.statements(),
        }
    }
}

fn body<'a>(nodes: &'a [Node], path: &[usize]) -> &'a [Node] {
    path.iter().fold(nodes, |nodes, at| nodes[*at].body())
}

fn body_mut<'a>(mut nodes: &'a mut Vec<Node>, path: &[usize]) -> &'a mut Vec<Node> {
    for at in path {
        let Node::Loop(_, body) = &mut nodes[*at] else { unreachable!("a path leads through loops") };
        nodes = body;
    }
    nodes
}

/// Returns the orders of the sum's loops in which it begins with loops like those of `first`.
///
/// They go over the same values. The loops of the sum are more; the others stay in order.
fn orders_that_begin_as(sum: &Chain<'_>, first: &Chain<'_>) -> Vec<Vec<usize>> {
    let own: Vec<Variable> = sum.loops.iter().map(|range| Variable::Iterator(range.iterator)).collect();
    let mut bounds = sum.loops.iter().flat_map(|range| range.lower.iter().chain(&range.upper));
    let is_alone = matches!(sum.body, [Node::Assign(_)]);
    if !is_alone
        || sum.loops.len() <= first.loops.len()
        || bounds.any(|bound| own.iter().any(|one| bound.mentions(*one)))
    {
        return Vec::new();
    }
    // With bounds that mention no other loop of the sum, all orders can be written.
    let in_order: Vec<usize> = (0..sum.loops.len()).collect();
    let mut orders = permutations(&in_order);
    orders.retain(|order| {
        let (begin, others) = order.split_at(first.loops.len());
        others.is_sorted() && sum.is_alike(first, begin)
    });
    orders
}

/// Puts the loops of `first` around its statement and then what is left of the sum's loops.
///
/// None: the sum is not of the very elements that the statement sets.
fn begin(first: &Chain<'_>, sum: &Chain<'_>, order: &[usize]) -> Option<Node> {
    let renamed = sum.renamed(first, order);
    let mut body = sum.body.to_vec();
    body.iter_mut().for_each(|node| node.map_integers(&renamed));
    let ([Node::Assign(set)], [Node::Assign(adds)]) = (first.body, &body[..]) else { return None };
    if set.target != adds.target || !is_sum(adds) {
        return None;
    }
    let others = order[first.loops.len()..].iter().map(|at| sum.loops[*at].clone());
    let sum = nested(others, body);
    Some(first.around([first.body, &sum].concat()))
}
