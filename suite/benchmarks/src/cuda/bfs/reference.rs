//! What a search should find.

use crate::cuda::spmv::Pattern;

use super::Search;

/// A search made on the host.
#[derive(Debug)]
pub struct Reference {
    /// The distance of every vertex.
    pub distances: Vec<u32>,
}

impl Reference {
    /// Searches with a queue, one vertex after the other.
    #[must_use]
    pub fn new(graph: &Pattern, source: u32) -> Reference {
        let mut distances = vec![Search::UNREACHED; graph.rows()];
        distances[source as usize] = 0;
        let mut queue = vec![source];
        let mut next = 0;
        while let Some(&vertex) = queue.get(next) {
            next += 1;
            for &target in graph.row(vertex as usize) {
                if distances[target as usize] == Search::UNREACHED {
                    distances[target as usize] = distances[vertex as usize] + 1;
                    queue.push(target);
                }
            }
        }
        Reference { distances }
    }

    /// Edges that leave the vertices reached.
    #[must_use]
    pub fn traversed_edges(&self, graph: &Pattern) -> u64 {
        let reached =
            self.distances.iter().enumerate().filter(|(_, distance)| **distance != Search::UNREACHED);
        reached.map(|(vertex, _)| graph.range(vertex).len() as u64).sum()
    }
}

/// The metric of a search: edges that leave the vertices reached, a second.
#[must_use]
pub fn traversed_edges_per_second(edges: u64, time_ns: f64) -> f64 {
    edges as f64 / (time_ns * 1e-9)
}

/// A number that tells distances apart: a sum over the vertices, so that their order does not matter on the device.
#[must_use]
pub fn checksum(distances: &[u32]) -> u64 {
    let of = |(vertex, distance): (usize, &u32)| {
        let mixed = ((vertex as u64) << 32 | u64::from(*distance)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    distances.iter().enumerate().map(of).fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_on_a_ring_with_a_vertex_apart() {
        let ring = Pattern::from_rows(6, 6, |row, targets| {
            targets.extend((row < 5).then_some((row as i64 + 1) % 5))
        });
        let found = Reference::new(&ring, 3);
        assert_eq!(found.distances, [2, 3, 4, 0, 1, Search::UNREACHED]);
        assert_eq!(found.traversed_edges(&ring), 5);
    }

    #[test]
    fn a_checksum_sees_one_changed_distance() {
        assert_ne!(checksum(&[0, 1, 2]), checksum(&[0, 1, 3]));
        assert_ne!(checksum(&[0, 1, 2]), checksum(&[0, 2, 1]));
    }

    #[test]
    fn the_metric_counts_edges_a_second() {
        assert_eq!(traversed_edges_per_second(3_000_000, 1e6), 3e9);
    }
}
