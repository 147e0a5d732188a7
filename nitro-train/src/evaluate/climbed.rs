//! What G-ADAPT's hill climb takes and finds, input by input, replayed on what was measured exhaustively.

use std::sync::Arc;

use nitro_search::{Replay, Sources, Strategy};
use serde::Serialize;

use crate::recordings::Recordings;
use crate::search::{Measured, answers};

/// A climb from the least value of every parameter to the largest, of each variant in turn, on each input (Liu, Zhang and Shen, IPDPS 2009, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Climbed {
    /// Choices that it runs on an input, in the mean.
    pub evaluations: f64,
    /// Share of the best choice's speed that the best of those has, mean over the inputs.
    pub mean: f64,
    /// The same on the worst input.
    pub worst: f64,
}

/// The climbs on these inputs of one device; none where no variant has parameters, or one has a space that cannot be searched.
pub fn climbed(recordings: &Recordings, device: usize, inputs: &[usize]) -> Option<Climbed> {
    let variants = Measured::of(recordings, None).ok()?;
    let (mut evaluations, mut shares) = (0, Vec::new());
    for &input in inputs {
        let (mut best_ns, mut found_ns) = (f64::INFINITY, f64::INFINITY);
        for measured in &variants {
            let Some(own) = measured.answers(input).remove(&device) else { continue };
            let own = answers(&own);
            let fastest_ns = own.iter().filter_map(|answer| answer.time_ns()).fold(f64::INFINITY, f64::min);
            let replay = Replay::new(Arc::clone(&measured.space), own);
            let curve = replay.curve(Strategy::Climb, &Arc::new(Sources::default()), usize::MAX, 0);
            evaluations += curve.len();
            best_ns = best_ns.min(fastest_ns);
            found_ns = found_ns.min(fastest_ns / curve.last().copied().unwrap_or(0.0));
        }
        shares.push(if found_ns.is_finite() { best_ns / found_ns } else { 0.0 });
    }
    let count = shares.len().max(1) as f64;
    Some(Climbed {
        evaluations: evaluations as f64 / count,
        mean: shares.iter().sum::<f64>() / count,
        worst: shares.iter().copied().reduce(f64::min)?,
    })
}
