//! Dependences as people look at them: those of one pair of statements, array and loop together.

use super::Stage;
use crate::dependence::{Dependence, DependenceKind, Distance};
use crate::nest::statement::Statement;

/// All dependences from one statement to another.
#[derive(Clone, Debug)]
pub struct Edge<'a> {
    pub source: usize,
    pub sink: usize,
    pub parts: Vec<Part<'a>>,
}

/// Those by one array that one loop carries.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    pub array: &'a str,
    /// The name of the loop that carries them; none: within an iteration.
    carried_by: Option<&'a str>,
    /// Of each kind its distances.
    kinds: Vec<(DependenceKind, String)>,
}

/// All of them, in the order of their sources and sinks.
pub fn edges(stage: &Stage) -> Vec<Edge<'_>> {
    let mut all: Vec<&Dependence> = stage.dependences.all().iter().collect();
    all.sort_by_key(|one| (one.source, one.sink, one.array, one.level));
    let ends = |one: &Dependence| (one.source, one.sink);
    all.chunk_by(|one, other| ends(one) == ends(other)).map(|group| edge(stage, group)).collect()
}

fn edge<'a>(stage: &'a Stage, group: &[&Dependence]) -> Edge<'a> {
    let key = |one: &Dependence| (one.array, one.level);
    let parts =
        group.chunk_by(|one, other| key(one) == key(other)).map(|part| self::part(stage, part)).collect();
    Edge { source: group[0].source, sink: group[0].sink, parts }
}

fn part<'a>(stage: &'a Stage, group: &[&Dependence]) -> Part<'a> {
    let (nest, first) = (&stage.nest, group[0]);
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

/// What a kind is called.
fn kind(kind: DependenceKind) -> &'static str {
    match kind {
        DependenceKind::Flow => "flow",
        DependenceKind::Anti => "anti",
        DependenceKind::Output => "output",
    }
}

impl Part<'_> {
    /// The kinds, those of the same distances together.
    pub fn kinds(&self) -> String {
        let mut parts: Vec<(String, &str)> = Vec::new();
        for (one, distances) in &self.kinds {
            match parts.iter_mut().find(|(_, others)| others == distances) {
                Some((kinds, _)) => *kinds += &format!(", {}", kind(*one)),
                None => parts.push((kind(*one).to_owned(), distances)),
            }
        }
        let shown = |(kinds, distances): &(String, &str)| match *distances {
            "()" => kinds.clone(),
            distances => format!("{kinds} {distances}"),
        };
        parts.iter().map(shown).collect::<Vec<_>>().join(" · ")
    }

    /// The loop that carries it.
    pub fn carrier(&self) -> String {
        self.carried_by.map_or("within an iteration".to_owned(), |name| format!("carried by {name}"))
    }
}

impl Edge<'_> {
    /// Whether a value flows along it.
    pub fn has_flow(&self) -> bool {
        self.parts.iter().flat_map(|part| &part.kinds).any(|(kind, _)| *kind == DependenceKind::Flow)
    }
}

/// A loop, and whether its iterations may run at the same time where those around it run in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freedom<'a> {
    pub name: &'a str,
    /// As `S0, S1`.
    pub statements: String,
    pub is_parallel: bool,
}

/// Of all loops, in the order in which they are written.
pub fn freedoms(stage: &Stage) -> Vec<Freedom<'_>> {
    let iterators = stage.nest.iterators().iter().enumerate();
    iterators.filter_map(|(iterator, name)| freedom(stage, iterator, name)).collect()
}

fn freedom<'a>(stage: &Stage, iterator: usize, name: &'a str) -> Option<Freedom<'a>> {
    let statements = stage.nest.statements();
    let depth_in = |one: &Statement<'_>| one.loops.iter().position(|range| range.iterator == iterator);
    let within: Vec<usize> =
        statements.iter().filter(|one| depth_in(one).is_some()).map(|one| one.index).collect();
    let depth = depth_in(&statements[*within.first()?])?;
    let names: Vec<String> = within.iter().map(|index| format!("S{index}")).collect();
    let is_parallel = stage.dependences.is_parallel(&within, depth);
    Some(Freedom { name, statements: names.join(", "), is_parallel })
}
