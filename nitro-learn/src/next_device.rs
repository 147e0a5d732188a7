//! The choice of the unmeasured device to measure next.
//!
//! Each source of a function, left out in turn, gives one point: its distance to the nearest other source, and the
//! regret there of the strategy that `auto` ships. A line through these points (least squares, slope at least 0)
//! says how much regret a device has that lies at some distance. Were a candidate measured, each candidate would
//! lie no farther than it does from that one; the regret that the line takes away for this, mean over the
//! candidates, summed over the functions, is what measuring it is expected to be worth. This is one greedy step of
//! the k-median problem over the candidates, who stand for the devices that have to be served.
//!
//! Distances are root mean square differences over all device features that are known of every source and candidate
//! and differ between them, scaled to [-1, 1] over them all.

use std::collections::BTreeMap;

use nitro_stats::statistics::mean;
use nitro_store::recordings::{DeviceRecord, Recordings};
use serde::Serialize;

use super::comparison::compare_all;
use super::error::LearnError;
use super::performance::PerformanceTable;
use super::scaling::{is_constant, scale_of};
use super::space::DeviceSpace;
use super::study::{Study, StudyOptions};
use super::task::{MIN_SOURCES, Task};

/// The experience of one function's recordings with devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Experience {
    /// The function.
    pub function: String,
    /// The devices that it was recorded on.
    pub sources: Vec<DeviceRecord>,
    /// The regret on each where it was left out; none where nothing was judged.
    pub regrets: Vec<Option<f64>>,
}

/// The worth of measuring a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// The device.
    pub id: String,
    /// Regret that it is expected to take away, mean over the candidates, summed over the functions; 1 is a whole
    /// best variant's speed.
    pub gain: f64,
    /// Mean of its distances to the nearest source, over the functions that it takes part in.
    pub distance: f64,
    /// The source that lies nearest, for the first of those functions.
    pub nearest: String,
    /// The functions that gain from it, and how much.
    pub functions: Vec<(String, f64)>,
}

impl Experience {
    /// Leaves each recorded device out in turn, as `auto` does to choose; learns from these inputs (positions in
    /// the recordings).
    ///
    /// # Errors
    ///
    /// When there is nothing to learn from, or more than can be learned from.
    pub fn new(recordings: &Recordings, inputs: &[usize], seed: u64) -> Result<Self, LearnError> {
        let performance = PerformanceTable::new(recordings)?;
        let task = Task::new(recordings, &performance, inputs, seed);
        let sources: Vec<usize> = (0..recordings.devices.len()).collect();
        task.check_samples(&sources)?;
        Ok(Self::of(&Study::new(&task, sources, None, &StudyOptions::default())))
    }

    fn of(study: &Study<'_>) -> Self {
        let comparison = compare_all(study);
        let choice = comparison.choice();
        let index = comparison.strategies.iter().position(|&strategy| strategy == choice);
        let shares = index.map_or(&[][..], |index| comparison.shares[index].as_slice());
        let recordings = study.task().recordings;
        Self {
            function: recordings.function.clone(),
            sources: study.sources().iter().map(|&source| recordings.devices[source].clone()).collect(),
            regrets: shares.iter().map(|shares| mean(shares.iter().map(|share| 1.0 - share))).collect(),
        }
    }

    /// Returns true if the function was recorded on the device.
    pub fn knows(&self, id: &str) -> bool {
        self.sources.iter().any(|source| source.id == id)
    }

    /// Returns what measuring each candidate would gain for this function, where it is not a source already.
    fn gains(&self, candidates: &[DeviceRecord]) -> Vec<Option<Worth>> {
        let apart: Vec<&DeviceRecord> =
            candidates.iter().filter(|candidate| !self.knows(&candidate.id)).collect();
        let all: Vec<&DeviceRecord> = self.sources.iter().chain(apart.iter().copied()).collect();
        let distances = distances(&all);
        let slope = self.slope(&distances);
        let mut worths = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let position = apart.iter().position(|other| other.id == candidate.id);
            worths.push(
                position.and_then(|at| self.worth(candidate, self.sources.len() + at, &distances, slope)),
            );
        }
        worths
    }

    /// Returns what measuring the device at `index` would gain. Of all unmeasured devices it brings some closer to a
    /// source; regret is taken to fall with that distance.
    fn worth(
        &self,
        candidate: &DeviceRecord,
        index: usize,
        distances: &[Vec<f64>],
        slope: f64,
    ) -> Option<Worth> {
        let sources = self.sources.len();
        let mut closer = 0.0; // over all unmeasured devices, the candidate too
        for (device, row) in distances.iter().enumerate().skip(sources) {
            if let Some(nearest) = nearest(row, sources, device) {
                closer += (row[nearest] - row[index]).max(0.0);
            }
        }
        let gain = slope * closer / (distances.len() - sources).max(1) as f64;
        let nearest = nearest(&distances[index], sources, index)?;
        Some(Worth {
            id: candidate.id.clone(),
            gain,
            distance: distances[index][nearest],
            nearest: self.sources[nearest].id.clone(),
            functions: if gain > 0.0 { vec![(self.function.clone(), gain)] } else { Vec::new() },
        })
    }

    /// Returns the growth of regret with distance, by the sources left out in turn; 0 where it does not grow, or where
    /// there are fewer than three.
    fn slope(&self, distances: &[Vec<f64>]) -> f64 {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (source, (row, regret)) in distances.iter().zip(&self.regrets).enumerate() {
            let distance = nearest(row, self.sources.len(), source).map(|nearest| row[nearest]);
            points.extend(distance.zip(*regret));
        }
        if points.len() < MIN_SOURCES { 0.0 } else { slope(&points).max(0.0) }
    }
}

/// Ranks candidates by what measuring them is worth. Where nothing is to be gained, the one farthest from all sources
/// comes first. Candidates on which every function was recorded are left out.
pub fn rank(experiences: &[Experience], candidates: &[DeviceRecord]) -> Vec<Worth> {
    let gains: Vec<Vec<Option<Worth>>> =
        experiences.iter().map(|experience| experience.gains(candidates)).collect();
    let mut ranked = Vec::new();
    for at in 0..candidates.len() {
        let worths: Vec<&Worth> = gains.iter().filter_map(|gains| gains[at].as_ref()).collect();
        let Some(&first) = worths.first() else { continue };
        ranked.push(Worth {
            gain: worths.iter().map(|worth| worth.gain).sum(),
            distance: mean(worths.iter().map(|worth| worth.distance)).unwrap_or(first.distance),
            functions: worths.iter().flat_map(|worth| worth.functions.clone()).collect(),
            ..first.clone()
        });
    }
    ranked.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(b.distance.total_cmp(&a.distance))); // stable
    ranked
}

/// Points between every two sources, and beyond each by half its distance from the middle of them all: candidates
/// where no device can be named. Midpoints and extrapolations are of scaled features.
pub fn between_and_beyond(sources: &[DeviceRecord]) -> Vec<DeviceRecord> {
    let names = common_features(&sources.iter().collect::<Vec<_>>());
    let mut points = Vec::new();
    for (a, one) in sources.iter().enumerate() {
        for (b, other) in sources.iter().enumerate().skip(a + 1) {
            let id = format!("between {} and {}", one.id, other.id);
            points.push(point(sources, &names, id, |values| 0.5 * (values[a] + values[b])));
        }
        points.push(point(sources, &names, format!("beyond {}", one.id), |values| {
            let middle = values.iter().sum::<f64>() / values.len() as f64;
            1.5 * values[a] - 0.5 * middle
        }));
    }
    points
}

/// A device whose features follow from those of the sources, each transformed as learning does.
fn point(
    sources: &[DeviceRecord],
    names: &[String],
    id: String,
    feature: impl Fn(&[f64]) -> f64,
) -> DeviceRecord {
    let mut features = BTreeMap::new();
    for name in names {
        let values: Vec<f64> = sources.iter().map(|source| source.features[name]).collect();
        let transform = scale_of(&values).transform;
        let transformed: Vec<f64> = values.iter().map(|&value| transform.apply(value)).collect();
        features.insert(name.clone(), transform.undo(feature(&transformed)));
    }
    DeviceRecord { id, features }
}

/// The source that is nearest to a device, by the distances of all sources from it; of equals the first.
fn nearest(distances: &[f64], sources: usize, device: usize) -> Option<usize> {
    let others = (0..sources).filter(|&source| source != device);
    others.reduce(|a, b| if distances[b] < distances[a] { b } else { a })
}

/// Device features that all devices know.
fn common_features(devices: &[&DeviceRecord]) -> Vec<String> {
    let mut names: Vec<String> =
        devices.first().map_or_else(Vec::new, |first| first.features.keys().cloned().collect());
    names.retain(|name| {
        devices.iter().all(|device| device.features.get(name).is_some_and(|value| value.is_finite()))
    });
    names
}

/// Root mean square difference between every two devices.
pub fn distances(devices: &[&DeviceRecord]) -> Vec<Vec<f64>> {
    let mut rows = vec![Vec::new(); devices.len()];
    for name in common_features(devices) {
        let values: Vec<f64> = devices.iter().map(|device| device.features[&name]).collect();
        if !is_constant(&scale_of(&values)) {
            rows.iter_mut().zip(values).for_each(|(row, value)| row.push(value));
        }
    }
    let count = rows.first().map_or(0, Vec::len).max(1) as f64;
    let space = DeviceSpace::new(&rows);
    let mut distances = vec![vec![0.0; devices.len()]; devices.len()];
    for (a, row) in distances.iter_mut().enumerate() {
        for (b, distance) in row.iter_mut().enumerate() {
            let squares = space.row(a).iter().zip(space.row(b)).map(|(x, y)| (x - y) * (x - y));
            *distance = (squares.sum::<f64>() / count).sqrt();
        }
    }
    distances
}

/// Slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (cross, squares) = points.iter().fold((0.0, 0.0), |(cross, squares), point| {
        (cross + (point.0 - x) * (point.1 - y), squares + (point.0 - x).powi(2))
    });
    if squares > 0.0 { cross / squares } else { 0.0 }
}

/// Devices by id, those of several functions once.
pub fn distinct(devices: impl IntoIterator<Item = DeviceRecord>) -> Vec<DeviceRecord> {
    let by_id: BTreeMap<String, DeviceRecord> =
        devices.into_iter().map(|device| (device.id.clone(), device)).collect();
    by_id.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(id: &str, width: f64) -> DeviceRecord {
        DeviceRecord { id: id.into(), features: [("width".to_owned(), width)].into() }
    }

    fn experience(widths: &[(f64, f64)]) -> Experience {
        Experience {
            function: "f".into(),
            sources: widths.iter().map(|(width, _)| device(&format!("s{width}"), *width)).collect(),
            regrets: widths.iter().map(|(_, regret)| Some(*regret)).collect(),
        }
    }

    #[test]
    fn the_device_that_brings_most_candidates_nearer_is_first() {
        // Left out, the lonely source at 10 has most regret.
        let experience = experience(&[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (10.0, 0.2)]);
        let candidates =
            [device("near", 2.5), device("gap", 6.0), device("middle", 6.5), device("other", 7.0)];
        let ranked = rank(&[experience], &candidates);
        assert_eq!(ranked[0].id, "middle");
        assert_eq!(ranked[3].id, "near");
        assert!(ranked[0].gain > 0.0 && ranked[0].functions.len() == 1);
    }

    #[test]
    fn where_regret_does_not_grow_with_distance_the_farthest_is_first_and_gains_nothing() {
        let experience = experience(&[(1.0, 0.1), (2.0, 0.1), (3.0, 0.1), (10.0, 0.1)]);
        let ranked = rank(&[experience], &[device("near", 2.5), device("far", 40.0)]);
        assert_eq!((ranked[0].id.as_str(), ranked[0].gain), ("far", 0.0));
        assert_eq!(ranked[0].nearest, "s10");
    }

    #[test]
    fn a_device_that_was_measured_is_no_candidate() {
        let experience = experience(&[(1.0, 0.1), (2.0, 0.1), (3.0, 0.2)]);
        assert!(rank(&[experience], &[device("s1", 1.0)]).is_empty());
    }

    #[test]
    fn without_names_candidates_lie_between_and_beyond_the_sources() {
        let points = between_and_beyond(&[device("a", 2.0), device("b", 4.0)]);
        let found: Vec<(&str, f64)> =
            points.iter().map(|point| (point.id.as_str(), point.features["width"])).collect();
        assert_eq!(found, [("between a and b", 3.0), ("beyond a", 1.5), ("beyond b", 4.5)]);
    }
}
