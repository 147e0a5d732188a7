use crate::case::Case;
use crate::expected::{Expected, Results};

/// Distances by a queue, up to as many edges as there are levels.
pub fn bfs(case: &Case) -> Results {
    let (first_edge, targets) = (case.i32s("first_edge"), case.i32s("targets"));
    let (source, levels) = (case.size("source"), case.number("levels") as i32);
    let mut distances = vec![-1; case.size("nodes")];
    distances[source] = 0;
    let mut queue = std::collections::VecDeque::from([source]);
    while let Some(node) = queue.pop_front().filter(|&node| distances[node] < levels) {
        for edge in first_edge[node]..first_edge[node + 1] {
            let target = targets[edge as usize] as usize;
            if distances[target] < 0 {
                distances[target] = distances[node] + 1;
                queue.push_back(target);
            }
        }
    }
    vec![("distances", Expected::Exactly(distances))]
}
