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
        let regret = |shares: &Vec<f64>| mean(shares.iter().map(|share| 1.0 - share));
        let recordings = study.task().recordings;
        Self {
            function: recordings.function.clone(),
            sources: study.sources().iter().map(|&source| recordings.devices[source].clone()).collect(),
            regrets: index
                .map_or_else(Vec::new, |index| comparison.shares[index].iter().map(regret).collect()),
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
        let (sources, slope) = (self.sources.len(), self.slope(&distances));
        let nearest = |device: usize| {
            let others = (0..sources).filter(|&source| source != device);
            others.reduce(|a, b| if distances[device][b] < distances[device][a] { b } else { a })
        };
        let gain = |candidate: usize| {
            let closer = |device: usize| {
                let before = distances[device][nearest(device)?];
                Some((before - distances[device][candidate]).max(0.0))
            };
            let sum: f64 = (sources..all.len()).filter_map(closer).sum();
            slope * sum / apart.len().max(1) as f64
        };
        let worth = |candidate: &DeviceRecord| {
            let index = sources + apart.iter().position(|other| other.id == candidate.id)?;
            let nearest = nearest(index)?;
            let (gain, distance) = (gain(index), distances[index][nearest]);
            Some(Worth {
                id: candidate.id.clone(),
                gain,
                distance,
                nearest: self.sources[nearest].id.clone(),
                functions: if gain > 0.0 { vec![(self.function.clone(), gain)] } else { Vec::new() },
            })
        };
        candidates.iter().map(worth).collect()
    }

    /// Returns the growth of regret with distance, by the sources left out in turn; 0 where it does not grow, or where
    /// there are fewer than three.
    fn slope(&self, distances: &[Vec<f64>]) -> f64 {
        let nearest = |source: usize| {
            let others = (0..self.sources.len()).filter(|&other| other != source);
            others.map(|other| distances[source][other]).reduce(f64::min)
        };
        let points: Vec<(f64, f64)> = self
            .regrets
            .iter()
            .enumerate()
            .filter_map(|(at, regret)| Some((nearest(at)?, (*regret)?)))
            .collect();
        if points.len() < MIN_SOURCES { 0.0 } else { slope(&points).max(0.0) }
    }
}

/// Ranks candidates by what measuring them is worth. Where nothing is to be gained, the one farthest from all sources
/// comes first. Candidates on which every function was recorded are left out.
pub fn rank(experiences: &[Experience], candidates: &[DeviceRecord]) -> Vec<Worth> {
    let gains: Vec<Vec<Option<Worth>>> =
        experiences.iter().map(|experience| experience.gains(candidates)).collect();
    let join = |at: usize| {
        let worths: Vec<&Worth> = gains.iter().filter_map(|gains| gains[at].as_ref()).collect();
        let first = (*worths.first()?).clone();
        Some(Worth {
            gain: worths.iter().map(|worth| worth.gain).sum(),
            distance: mean(worths.iter().map(|worth| worth.distance))?,
            functions: worths.iter().flat_map(|worth| worth.functions.clone()).collect(),
            ..first
        })
    };
    let mut ranked: Vec<Worth> = (0..candidates.len()).filter_map(join).collect();
    ranked.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(b.distance.total_cmp(&a.distance))); // stable
    ranked
}

/// Points between every two sources, and beyond each by half its distance from the middle of them all: candidates
/// where no device can be named. Midpoints and extrapolations are of scaled features.
pub fn between_and_beyond(sources: &[DeviceRecord]) -> Vec<DeviceRecord> {
    let names = common_features(&sources.iter().collect::<Vec<_>>());
    let point = |id: String, scaled: &dyn Fn(&[f64]) -> f64| {
        let feature = |name: &String| {
            let values: Vec<f64> = sources.iter().map(|source| source.features[name]).collect();
            let transform = scale_of(&values).transform;
            let transformed: Vec<f64> = values.iter().map(|&value| transform.apply(value)).collect();
            (name.clone(), transform.undo(scaled(&transformed)))
        };
        DeviceRecord { id, features: names.iter().map(feature).collect() }
    };
    let mut points = Vec::new();
    for (a, one) in sources.iter().enumerate() {
        for (b, other) in sources.iter().enumerate().skip(a + 1) {
            let id = format!("between {} and {}", one.id, other.id);
            points.push(point(id, &|values| 0.5 * (values[a] + values[b])));
        }
        let middle = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        points.push(point(format!("beyond {}", one.id), &|values| 1.5 * values[a] - 0.5 * middle(values)));
    }
    points
}

/// Device features that all devices know.
fn common_features(devices: &[&DeviceRecord]) -> Vec<String> {
    let is_known = |name: &&String| {
        devices.iter().all(|device| device.features.get(*name).is_some_and(|value| value.is_finite()))
    };
    devices.first().map_or_else(Vec::new, |first| first.features.keys().filter(is_known).cloned().collect())
}

/// Root mean square difference between every two devices.
pub fn distances(devices: &[&DeviceRecord]) -> Vec<Vec<f64>> {
    let column = |name: &String| devices.iter().map(|device| device.features[name]).collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = common_features(devices)
        .iter()
        .map(column)
        .filter(|values| !is_constant(&scale_of(values)))
        .collect();
    let rows: Vec<Vec<f64>> =
        (0..devices.len()).map(|device| columns.iter().map(|column| column[device]).collect()).collect();
    let space = DeviceSpace::new(&rows);
    let count = columns.len().max(1) as f64;
    let distance = |a: usize, b: usize| {
        let squares = space.row(a).iter().zip(space.row(b)).map(|(x, y)| (x - y) * (x - y));
        (squares.sum::<f64>() / count).sqrt()
    };
    (0..devices.len()).map(|a| (0..devices.len()).map(|b| distance(a, b)).collect()).collect()
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
