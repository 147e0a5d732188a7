//! Few points that stand for many.

/// Chooses at most `most` of the points such that none is far from all of them: those of `taken`, or the first, then
/// again and again the one that is farthest from all taken so far (Gonzalez, "Clustering to minimize the maximum
/// intercluster distance", 1985). Points that repeat one are not taken.
pub(super) fn spread(points: &[Vec<f64>], taken: &[usize], most: usize) -> Vec<usize> {
    let mut nearest = vec![f64::INFINITY; points.len()];
    let mut spread = Vec::new();
    let mut next = taken.first().copied().or((!points.is_empty()).then_some(0));
    while let Some(at) = next.filter(|_| spread.len() < most) {
        spread.push(at);
        for (nearest, point) in nearest.iter_mut().zip(points) {
            *nearest = nearest.min(point.iter().zip(&points[at]).map(|(a, b)| (a - b) * (a - b)).sum());
        }
        let farthest = (0..points.len()).reduce(|a, b| if nearest[b] > nearest[a] { b } else { a });
        let farthest = farthest.filter(|&farthest| nearest[farthest] > 0.0);
        next = taken.get(spread.len()).copied().or(farthest);
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn points_are_spread_and_bounded() {
        let line: Vec<Vec<f64>> = (0..1000).map(|n| vec![f64::from(n)]).collect();
        let taken = spread(&line, &[], 64);
        assert_eq!(taken.len(), 64);
        for point in 0..1000_usize {
            let nearest = taken.iter().map(|taken| taken.abs_diff(point)).min();
            assert!(nearest <= Some(16), "{point} is {nearest:?} from its nearest");
        }
        assert_eq!(spread(&vec![vec![7.0]; 5], &[], 64), [0], "equal points are one");
        assert!(spread(&[], &[], 64).is_empty());
    }

    #[test]
    fn those_that_are_given_come_first() {
        let line: Vec<Vec<f64>> = (0..10).map(|n| vec![f64::from(n)]).collect();
        assert_eq!(spread(&line, &[4, 5], 4), [4, 5, 0, 9]);
        assert_eq!(spread(&line, &[4, 5, 6], 2), [4, 5]);
    }
}
