//! Strongly connected components of statements: what cannot be torn apart.

use crate::dependence::Dependences;

/// Groups the statements of `among` that depend on each other in a circle.
///
/// Dependences that loops outside of `depth` carry do not count. Each group comes after those that it depends on;
/// otherwise the order is that of the statements.
pub(super) fn components(dependences: &Dependences, among: &[usize], depth: usize) -> Vec<Vec<usize>> {
    let reaches = reachable(dependences, among, depth);
    // Statements by their places in `among`, in its order.
    let mut left: Vec<usize> = (0..among.len()).collect();
    let mut found = Vec::new();
    while !left.is_empty() {
        // The first one that only its own circle reaches.
        let first = *left
            .iter()
            .find(|one| left.iter().all(|other| !reaches[*other][**one] || reaches[**one][*other]))
            .expect("a graph of components has no circle");
        let (component, others): (Vec<usize>, Vec<usize>) = left
            .into_iter()
            .partition(|other| *other == first || reaches[first][*other] && reaches[*other][first]);
        found.push(component.into_iter().map(|place| among[place]).collect());
        left = others;
    }
    found
}

/// Finds out which statement can be reached from which, by Warshall's algorithm: nests have few statements.
fn reachable(dependences: &Dependences, among: &[usize], depth: usize) -> Vec<Vec<bool>> {
    let mut reaches = vec![vec![false; among.len()]; among.len()];
    for dependence in dependences.within(among, depth) {
        let [source, sink] = [dependence.source, dependence.sink]
            .map(|statement| among.iter().position(|one| *one == statement).expect("it is among them"));
        reaches[source][sink] = true;
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
