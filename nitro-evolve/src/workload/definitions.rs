//! Numbers that follow from others, in the order in which they can be found.

use super::expression::Expression;

/// Returns the positions of definitions, each behind those that it needs; `first` is the position of the first one's
/// value.
///
/// # Errors
/// Some that need each other, each the next one, when there are any.
pub(super) fn sorted(definitions: &[Expression], first: usize) -> Result<Vec<usize>, Vec<usize>> {
    let mut needs = Vec::with_capacity(definitions.len());
    let mut needed_by = vec![Vec::new(); definitions.len()];
    for (at, definition) in definitions.iter().enumerate() {
        let mut others: Vec<usize> =
            definition.positions().into_iter().filter_map(|position| position.checked_sub(first)).collect();
        others.sort_unstable();
        others.dedup();
        others.iter().for_each(|&other| needed_by[other].push(at));
        needs.push(others);
    }
    let mut left: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..left.len()).filter(|&at| left[at] == 0).collect();
    let mut next = 0;
    while let Some(&found) = order.get(next) {
        next += 1;
        for &other in &needed_by[found] {
            left[other] -= 1;
            if left[other] == 0 {
                order.push(other);
            }
        }
    }
    match left.iter().position(|&left| left > 0) {
        None => Ok(order),
        Some(one) => Err(circle(&needs, &left, one)),
    }
}

/// Returns those of a circle that one leads into: whatever has something left needs another one that has.
fn circle(needs: &[Vec<usize>], left: &[usize], one: usize) -> Vec<usize> {
    let mut seen = vec![None; needs.len()];
    let (mut way, mut at) = (Vec::new(), one);
    loop {
        if let Some(begin) = seen[at] {
            return way.split_off(begin);
        }
        seen[at] = Some(way.len());
        way.push(at);
        let Some(&next) = needs[at].iter().find(|&&other| left[other] > 0) else { return way };
        at = next;
    }
}
