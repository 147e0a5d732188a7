//! What a model of the measurements expects most of. (First form.)

use std::sync::Arc;

use super::Steps;
use super::fresh::Fresh;
use crate::learn::forest::{Forest, Sample};
use crate::random::Random;
use crate::{Candidate, Outcome, Plan, Space};

const STEP: usize = 5;

pub(super) struct Model {
    random: Random,
    fresh: Fresh,
    columns: Vec<Vec<u16>>,
    first: Vec<Candidate>,
    outcomes: Vec<Outcome>,
}

impl Model {
    pub(super) fn new(space: Arc<Space>, plan: &Plan, transfer: bool) -> Self {
        let mut random = Random::new(plan.seed);
        let fresh = Fresh::new(&space, &mut random);
        let mut columns: Vec<Vec<u16>> = (0..space.parameters().len())
            .map(|at| space.candidates().map(|candidate| space.configuration(candidate)[at]).collect())
            .collect();
        let mut first = Vec::new();
        if transfer {
            let mut total = vec![0.0; space.len()];
            for source in plan.sources.useful(&space) {
                let costs: Vec<f64> = source
                    .evaluations
                    .iter()
                    .map(|evaluation| evaluation.map_or(f64::INFINITY, |e| e.cost()))
                    .collect();
                let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
                let logs: Vec<f64> = costs.iter().map(|cost| (cost / best).ln().min(5.0)).collect();
                logs.iter().zip(&mut total).for_each(|(log, total)| *total += log);
                columns.push(logs.iter().map(|log| (log / 5.0 * 65535.0) as u16).collect());
            }
            if total.iter().any(|&total| total > 0.0) {
                first = space.candidates().collect();
                first.sort_by(|a, b| total[a.index()].total_cmp(&total[b.index()]));
                first.truncate(5);
            }
        }
        Self { random, fresh, columns, first, outcomes: Vec::new() }
    }
}

impl Steps for Model {
    fn ask(&mut self) -> Vec<Candidate> {
        if self.outcomes.is_empty() {
            let mut first = std::mem::take(&mut self.first);
            first.retain(|&candidate| self.fresh.take(candidate));
            if first.is_empty() {
                first = std::iter::from_fn(|| self.fresh.any()).take(2 * STEP).collect();
            }
            return first;
        }
        let worst = self
            .outcomes
            .iter()
            .filter_map(|outcome| outcome.evaluation.time_ns())
            .fold(0.0, f64::max)
            .max(1e-9);
        let samples: Vec<Sample> = self
            .outcomes
            .iter()
            .map(|outcome| Sample {
                row: outcome.candidate.index() as u32,
                target: outcome.evaluation.time_ns().unwrap_or(worst).ln() as f32,
            })
            .collect();
        let columns: Vec<&[u16]> = self.columns.iter().map(Vec::as_slice).collect();
        let prediction = Forest { trees: 64, min_leaf: 1 }.predict(&columns, &samples, &mut self.random);
        let mut ranked: Vec<usize> =
            (0..prediction.mean.len()).filter(|&at| self.fresh.has(Candidate::new(at))).collect();
        let score = |at: usize| prediction.mean[at] - prediction.deviation[at];
        ranked.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
        let step: Vec<_> = ranked.into_iter().take(STEP).map(Candidate::new).collect();
        step.iter().for_each(|&candidate| _ = self.fresh.take(candidate));
        step
    }

    fn tell(&mut self, outcomes: &[Outcome]) {
        self.outcomes.extend(outcomes);
    }
}
