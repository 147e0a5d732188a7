//! Dependences as people look at them: those of one pair of statements, array and loop together.

use crate::dependence::{Dependence, DependenceKind, Distance};
use crate::lower::AnalysedNest;
use crate::nest::statement::Statement;

/// All dependences from one statement to another.
#[derive(Clone, Debug)]
pub(super) struct Edge<'a> {
    pub(super) source: usize,
    pub(super) sink: usize,
    pub(super) parts: Vec<Part<'a>>,
}

/// Those by one array that one loop carries.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) array: &'a str,
    /// The name of the loop that carries them; none: within an iteration.
    carried_by: Option<&'a str>,
    /// The kinds, each with its distances.
    kinds: Vec<(DependenceKind, String)>,
}

/// Returns all edges, in the order of their sources and sinks.
pub(super) fn edges(input: &AnalysedNest) -> Vec<Edge<'_>> {
    let mut all: Vec<&Dependence> = input.dependences.all().iter().collect();
    all.sort_by_key(|one| (one.source, one.sink, one.array, one.level));
    let mut edges: Vec<Edge<'_>> = Vec::new();
    for group in all
        .chunk_by(|one, other| (one.array, one.level) == (other.array, other.level) && is_along(one, other))
    {
        let (source, sink) = (group[0].source, group[0].sink);
        let part = part(input, group);
        match edges.last_mut() {
            Some(edge) if (edge.source, edge.sink) == (source, sink) => edge.parts.push(part),
            _ => edges.push(Edge { source, sink, parts: vec![part] }),
        }
    }
    edges
}

/// Returns `true` if two dependences are between the same statements.
fn is_along(one: &Dependence, other: &Dependence) -> bool {
    (one.source, one.sink) == (other.source, other.sink)
}

fn part<'a>(input: &'a AnalysedNest, group: &[&Dependence]) -> Part<'a> {
    let (nest, first) = (&input.nest, group[0]);
    let carried_by = first.level.map(|level| {
        let iterator = nest.statements()[first.source].loops[level].iterator;
        nest.iterators()[iterator].as_str()
    });
    let kinds = group.iter().map(|one| (one.kind, distances(&one.distances))).collect();
    Part { array: &nest.arrays()[first.array].name, carried_by, kinds }
}

fn distances(all: &[Distance]) -> String {
    let all: Vec<_> = all.iter().map(Distance::to_string).collect();
    format!("({})", all.join(", "))
}

/// Returns the short name of a kind.
fn kind(kind: DependenceKind) -> &'static str {
    match kind {
        DependenceKind::Flow => "flow",
        DependenceKind::Anti => "anti",
        DependenceKind::Output => "output",
    }
}

impl Part<'_> {
    /// Returns the kinds, those of the same distances together.
    pub(super) fn kinds(&self) -> String {
        let mut parts: Vec<(String, &str)> = Vec::new();
        for (one, distances) in &self.kinds {
            match parts.iter_mut().find(|(_, others)| others == distances) {
                Some((kinds, _)) => *kinds += &format!(", {}", kind(*one)),
                None => parts.push((kind(*one).to_owned(), distances)),
            }
        }
        for (kinds, distances) in &mut parts {
            if *distances != "()" {
                *kinds += &format!(" {distances}");
            }
        }
        parts.into_iter().map(|(kinds, _)| kinds).collect::<Vec<_>>().join(" · ")
    }

    /// Returns the loop that carries it.
    pub(super) fn carrier(&self) -> String {
        self.carried_by.map_or("within an iteration".to_owned(), |name| format!("carried by {name}"))
    }
}

impl Edge<'_> {
    /// Returns `true` if a value flows along it.
    pub(super) fn has_flow(&self) -> bool {
        self.parts.iter().flat_map(|part| &part.kinds).any(|(kind, _)| *kind == DependenceKind::Flow)
    }
}

/// A loop, and the order in which its iterations may run where those around it run in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoopOrder<'a> {
    pub(super) name: &'a str,
    /// The statements in it, as `S0, S1`.
    pub(super) statements: String,
    pub(super) is_parallel: bool,
}

/// Returns the orders of all loops, as they are written.
pub(super) fn loop_orders(input: &AnalysedNest) -> Vec<LoopOrder<'_>> {
    let iterators = input.nest.iterators().iter().enumerate();
    iterators.filter_map(|(iterator, name)| loop_order(input, iterator, name)).collect()
}

fn loop_order<'a>(input: &AnalysedNest, iterator: usize, name: &'a str) -> Option<LoopOrder<'a>> {
    let statements = input.nest.statements();
    let within: Vec<&Statement<'_>> =
        statements.iter().filter(|one| one.loops.iter().any(|range| range.iterator == iterator)).collect();
    let depth = within.first()?.loops.iter().position(|range| range.iterator == iterator)?;
    let names: Vec<String> = within.iter().map(|one| format!("S{}", one.index)).collect();
    let within: Vec<usize> = within.iter().map(|one| one.index).collect();
    let is_parallel = input.dependences.is_parallel(&within, depth);
    Some(LoopOrder { name, statements: names.join(", "), is_parallel })
}
