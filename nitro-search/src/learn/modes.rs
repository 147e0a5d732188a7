//! Peaks of other devices: configurations that no neighbour beats there.
//!
//! Devices agree on where the peaks are more than on which of them is the highest: what makes a peak is mostly the
//! program. So where the sources mislead, the lower peaks of the source that the device is most like are worth an
//! evaluation each.

use super::Features;
use crate::{Candidate, Space};

/// Most peaks that a search asks for.
const MOST: usize = 8;
/// A configuration that is slower than the best of a source by more than this share of the speed is no peak worth a
/// visit.
const FAR: f32 = 0.5;

/// The peaks of all sources that were not asked for.
pub(crate) struct Modes {
    peaks: Vec<Peak>,
    /// The number that may still be asked for.
    left: usize,
}

struct Peak {
    candidate: Candidate,
    source: usize,
    /// The speed on its source, of the best there.
    share: f64,
}

impl Modes {
    pub(crate) fn new(space: &Space, features: &Features) -> Self {
        let mut all = Vec::new();
        for (source, losses) in features.sources.iter().enumerate() {
            let peak = |row: usize| {
                let share = 1.0 - f64::from(losses[row]);
                Peak { candidate: features.candidates[row], source, share }
            };
            all.extend(peaks(space, features, losses).into_iter().map(peak));
        }
        Self { peaks: all, left: MOST }
    }

    /// Up to `count` peaks that are still there: those that are high on a source that counts for much.
    pub(crate) fn propose(
        &mut self,
        count: usize,
        weights: &[f64],
        is_there: impl Fn(Candidate) -> bool,
    ) -> Vec<Candidate> {
        self.peaks.retain(|peak| is_there(peak.candidate));
        self.peaks.sort_by(|one, other| {
            let promise = |peak: &Peak| weights[peak.source] * peak.share;
            promise(other).total_cmp(&promise(one))
        });
        let mut proposals: Vec<Candidate> = Vec::new();
        for peak in &self.peaks {
            if proposals.len() < count.min(self.left) && !proposals.contains(&peak.candidate) {
                proposals.push(peak.candidate);
            }
        }
        self.left -= proposals.len();
        proposals
    }
}

/// The rows of a source that no neighbour beats, the best first; of several that are equal and neighbours, one.
fn peaks(space: &Space, features: &Features, losses: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..losses.len()).filter(|&row| losses[row] < FAR).collect();
    order.sort_by(|&one, &other| losses[one].total_cmp(&losses[other]));
    let mut found: Vec<usize> = Vec::new();
    for row in order {
        if found.len() == MOST {
            break;
        }
        let neighbours = space.neighbours(features.candidates[row]);
        let beaten = |&candidate: &Candidate| {
            features.row(candidate).is_some_and(|other| losses[other] < losses[row] || found.contains(&other))
        };
        if !neighbours.iter().any(beaten) {
            found.push(row);
        }
    }
    found
}
