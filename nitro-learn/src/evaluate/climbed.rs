//! Replays of G-ADAPT's hill climb on exhaustive measurements, input by input.

use std::sync::Arc;

use nitro_search::{Replay, Sources, Strategy};
use nitro_stats::statistics::mean;
use nitro_store::recordings::{Outcome, Recordings};
use serde::Serialize;

use crate::configurations::{ByInput, Measured, answers};
use crate::performance::PerformanceTable;

/// A climb from the least value of every parameter to the largest, of each variant in turn, on each input (Liu,
/// Zhang and Shen, IPDPS 2009, section 3). A variant without parameters is run once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClimbFigures {
    /// At most so many choices are run on an input: 1 + K Σ (values − 1) of each variant with K parameters.
    pub bound: usize,
    /// Choices that it runs on an input, in the mean.
    pub evaluations: f64,
    /// Share of the best choice's speed that the best of those has, mean over the inputs.
    pub mean: f64,
    /// The same on the worst input.
    pub worst: f64,
}

/// The climbs on one input.
#[derive(Clone, Copy)]
struct Walk {
    evaluations: usize,
    fastest_ns: f64,
}

/// The spaces of a function that can be climbed.
pub struct Climbs<'r> {
    recordings: &'r Recordings,
    spaces: Vec<Measured<'r>>,
    by_input: ByInput,
}

impl<'r> Climbs<'r> {
    /// None where no variant has parameters, or one has a space that cannot be searched.
    pub fn of(recordings: &'r Recordings) -> Option<Self> {
        let spaces = Measured::of(recordings, None).ok()?;
        Some(Self { recordings, spaces, by_input: ByInput::new(recordings) })
    }

    /// The climbs on these inputs of one device; none without inputs.
    pub fn on(
        &self,
        performance: &PerformanceTable,
        device: usize,
        inputs: &[usize],
    ) -> Option<ClimbFigures> {
        let (mut shares, mut evaluations) = (Vec::with_capacity(inputs.len()), 0_usize);
        for &input in inputs {
            let climbs = self.spaces.iter().filter_map(|space| climb(space, device, input));
            let mut fastest_ns = f64::INFINITY;
            for walk in self.plain(device, input).chain(climbs) {
                fastest_ns = f64::min(fastest_ns, walk.fastest_ns);
                evaluations += walk.evaluations;
            }
            shares.push(performance.best_ns(device, input) / fastest_ns);
        }
        let plain_variants = self.recordings.variants.len() - self.spaces.len();
        Some(ClimbFigures {
            bound: plain_variants + self.spaces.iter().map(bound).sum::<usize>(),
            evaluations: evaluations as f64 / shares.len() as f64,
            mean: mean(shares.iter().copied())?,
            worst: shares.iter().copied().reduce(f64::min)?,
        })
    }

    /// The variants without parameters that were run.
    fn plain(&self, device: usize, input: usize) -> impl Iterator<Item = Walk> {
        let variants = 0..self.recordings.variants.len();
        let of_input = variants.flat_map(move |variant| self.by_input.of(self.recordings, input, variant));
        let here = of_input.filter(move |one| one.device == device);
        let run = here.filter(|one| one.configuration.is_empty() && one.outcome != Outcome::Inadmissible);
        run.map(|one| Walk { evaluations: 1, fastest_ns: one.outcome.time_ns().unwrap_or(f64::INFINITY) })
    }
}

fn bound(measured: &Measured<'_>) -> usize {
    let parameters = measured.space.parameters();
    1 + parameters.len() * parameters.iter().map(|parameter| parameter.len() - 1).sum::<usize>()
}

fn climb(measured: &Measured<'_>, device: usize, input: usize) -> Option<Walk> {
    let answers = answers(&measured.answers_on(device, input)?);
    let best_ns = answers.iter().filter_map(|answer| answer.time_ns()).fold(f64::INFINITY, f64::min);
    let replay = Replay::new(Arc::clone(&measured.space), answers);
    let curve = replay.curve(Strategy::Climb, &Arc::new(Sources::default()), usize::MAX, 0);
    let share = curve.last().copied().unwrap_or(0.0);
    Some(Walk {
        evaluations: curve.len(),
        fastest_ns: if share > 0.0 { best_ns / share } else { f64::INFINITY },
    })
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::{DeviceRecord, Input, Measurement};

    use super::*;

    #[test]
    fn a_variant_without_parameters_is_run_once_and_can_be_what_is_found() {
        // On input 0 the plain variant is the fastest, on input 1 it fails.
        let row = |input: usize, variant: usize, configuration: &str, outcome| Measurement {
            device: 0,
            input,
            variant,
            configuration: configuration.to_owned(),
            outcome,
            spread_ns: 0.0,
            repeats: 1,
            load: None,
            reason: String::new(),
        };
        let tiled =
            |input, tile: u32| row(input, 1, &format!("tile={tile}"), Outcome::Time(100.0 + f64::from(tile)));
        let tiles = (0..2).flat_map(|input| [1, 2, 4].map(|tile| tiled(input, tile)));
        let plain = [row(0, 0, "", Outcome::Time(50.0)), row(1, 0, "", Outcome::Failed)];
        let recordings = Recordings {
            variants: vec!["plain".into(), "tiled".into()],
            inputs: (0..2).map(|n| Input { name: format!("i/{n}"), features: vec![] }).collect(),
            devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
            measurements: tiles.chain(plain).collect(),
            ..Recordings::default()
        };
        let performance = PerformanceTable::new(&recordings).unwrap();
        let found = Climbs::of(&recordings).unwrap().on(&performance, 0, &[0, 1]).unwrap();
        assert_eq!(found, ClimbFigures { bound: 1 + 3, evaluations: 4.0, mean: 1.0, worst: 1.0 });
    }
}
