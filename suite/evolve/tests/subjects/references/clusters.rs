use crate::case::Case;
use crate::expected::{Expected, Results};

pub fn nn(case: &Case) -> Results {
    let (places, targets) = (case.f32s("places"), case.f32s("targets"));
    let pairs = targets.chunks(2).flat_map(|target| places.chunks(2).map(move |place| (place, target)));
    let distance = |(place, target): (&[f32], &[f32])| {
        f64::from(place[0] - target[0]).hypot(f64::from(place[1] - target[1]))
    };
    let values = pairs.map(|pair| distance(pair) as f32).collect();
    vec![("distances", Expected::Near { values, relative: 1e-6, absolute: 0.0 })]
}

/// One candidate after the other, as streaming k-median clustering has it.
pub fn streamcluster(case: &Case) -> Results {
    let (points, dimensions, candidates) =
        (case.size("points"), case.size("dimensions"), case.size("candidates"));
    let (coordinates, weights) = (case.f32s("coordinates"), case.f32s("weights"));
    let price = case.number("price");
    let cost = |point: usize, center: usize| {
        let squares = (0..dimensions).map(|d| {
            let of = &coordinates[d * points..(d + 1) * points];
            f64::from(of[point] - of[center]).powi(2)
        });
        f64::from(weights[point]) * squares.sum::<f64>()
    };
    let mut costs: Vec<f64> = (0..points).map(|point| cost(point, 0)).collect();
    let mut centers = vec![0; points];
    let mut open = vec![true];
    for candidate in 0..candidates {
        let there: Vec<f64> = (0..points).map(|point| cost(point, 11 * (candidate + 1) % points)).collect();
        let mut gain = -price;
        let mut closing = vec![price; open.len()];
        for point in 0..points {
            let difference = there[point] - costs[point];
            gain -= difference.min(0.0);
            closing[centers[point]] -= difference.max(0.0);
        }
        let closed: Vec<bool> =
            open.iter().zip(&closing).map(|(&open, &saved)| open && saved > 0.0).collect();
        gain +=
            closing.iter().zip(&closed).filter(|(_, closed)| **closed).map(|(saved, _)| saved).sum::<f64>();
        open.push(gain > 0.0);
        if gain <= 0.0 {
            continue;
        }
        for point in 0..points {
            if there[point] < costs[point] || closed[centers[point]] {
                (costs[point], centers[point]) = (there[point], open.len() - 1);
            }
        }
        open.iter_mut().zip(closed).for_each(|(open, closed)| *open &= !closed);
    }
    let most = costs.iter().copied().fold(0.0, f64::max) as f32;
    let values = costs.into_iter().map(|cost| cost as f32).collect();
    let centers = centers.into_iter().map(|center| center as i32).collect();
    vec![
        ("costs", Expected::Near { values, relative: 1e-3, absolute: 1e-4 * most }),
        ("centers", Expected::Mostly(centers, 0.001)),
    ]
}

/// Points go to the nearest centre, then centres to the mean of their points.
pub fn kmeans(case: &Case) -> Results {
    let (clusters, dimensions) = (case.size("clusters"), case.size("dimensions"));
    let points = case.f32s("points");
    let mut centers: Vec<f64> = case.f32s("centers").into_iter().map(f64::from).collect();
    let mut membership = vec![0; case.size("count")];
    for _ in 0..case.size("steps") {
        let distance = |point: &[f32], center: &[f64]| -> f64 {
            point.iter().zip(center).map(|(&own, other)| (f64::from(own) - other).powi(2)).sum()
        };
        for (nearest, point) in membership.iter_mut().zip(points.chunks(dimensions)) {
            let distances = centers.chunks(dimensions).map(|center| distance(point, center));
            let best = distances.enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other));
            *nearest = best.map_or(0, |(cluster, _)| cluster);
        }
        for cluster in 0..clusters {
            let members = points.chunks(dimensions).zip(&membership).filter(|(_, of)| **of == cluster);
            let mut sums = vec![0.0; dimensions];
            let mut count = 0.0;
            for (point, _) in members {
                count += 1.0;
                sums.iter_mut().zip(point).for_each(|(sum, &feature)| *sum += f64::from(feature));
            }
            if count > 0.0 {
                let center = &mut centers[cluster * dimensions..(cluster + 1) * dimensions];
                center.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = sum / count);
            }
        }
    }
    let values = centers.into_iter().map(|mean| mean as f32).collect();
    let membership = membership.into_iter().map(|cluster| cluster as i32).collect();
    vec![
        ("centers", Expected::Near { values, relative: 1e-4, absolute: 1e-4 }),
        ("membership", Expected::Mostly(membership, 0.001)),
    ]
}
