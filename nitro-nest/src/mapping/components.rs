//! Strongly connected components of statements: what cannot be torn apart.

use crate::dependence::Dependences;

/// The statements of `among` in groups that depend on each other in a circle, by what loops outside of `depth` do
/// not carry. Each group comes after those that it depends on; otherwise the order is that of the statements.
pub fn components(dependences: &Dependences, among: &[usize], depth: usize) -> Vec<Vec<usize>> {
    let reaches = reachable(dependences, among, depth);
    let place = |statement: usize| among.iter().position(|one| *one == statement).unwrap_or(0);
    let at = |from: usize, to: usize| reaches[place(from)][place(to)];
    let mut left = among.to_vec();
    let mut found = Vec::new();
    while !left.is_empty() {
        let is_free = |statement: &&usize| {
            left.iter()
                .all(|other| !at(*other, **statement) || at(**statement, *other) || other == *statement)
        };
        let first = *left.iter().find(is_free).expect("a graph of components has no circle");
        let is_with_it = |other: &usize| *other == first || (at(first, *other) && at(*other, first));
        let (component, others) = left.into_iter().partition(is_with_it);
        found.push(component);
        left = others;
    }
    found
}

/// Which statement can be reached from which, by Warshall's algorithm: nests have few statements.
fn reachable(dependences: &Dependences, among: &[usize], depth: usize) -> Vec<Vec<bool>> {
    let place = |statement: usize| among.iter().position(|one| *one == statement);
    let mut reaches = vec![vec![false; among.len()]; among.len()];
    for dependence in dependences.within(among, depth) {
        if let (Some(source), Some(sink)) = (place(dependence.source), place(dependence.sink)) {
            reaches[source][sink] = true;
        }
    }
    for through in 0..among.len() {
        let onwards = reaches[through].clone();
        for from in reaches.iter_mut().filter(|from| from[through]) {
            from.iter_mut().zip(&onwards).for_each(|(reached, onward)| *reached |= onward);
        }
    }
    reaches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependence::{Dependence, DependenceKind};
    use crate::nest::builder::Builder;

    fn graph(edges: &[(usize, usize)]) -> Dependences {
        let mut builder = Builder::new("graph");
        builder.in_out("x", []);
        let nest = builder.finish().unwrap();
        let one = |&(source, sink): &(usize, usize)| Dependence {
            kind: DependenceKind::Flow,
            source,
            sink,
            array: 0,
            level: None,
            distances: Vec::new(),
        };
        Dependences::new(&nest, edges.iter().map(one).collect())
    }

    #[test]
    fn circles_stay_together_and_sources_come_first() {
        let all = [0, 1, 2, 3, 4];
        let found = components(&graph(&[(3, 1), (1, 2), (2, 1), (4, 0)]), &all, 0);
        assert_eq!(found, [vec![3], vec![1, 2], vec![4], vec![0]]);
        assert_eq!(components(&graph(&[]), &all, 0), all.map(|statement| vec![statement]));
        assert_eq!(components(&graph(&[(0, 1), (1, 2), (2, 0), (9, 9)]), &[0, 1, 2], 0), [vec![0, 1, 2]]);
    }
}
