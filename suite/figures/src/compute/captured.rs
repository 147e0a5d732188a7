//! What captured calls bring a calibration, as far as recordings tell: programs that each call one kind of input
//! only, on a device that was left out. A program's calls are the fifth of the test inputs that is nearest to a
//! drawn one; of those, the features are known when the inputs to measure are chosen, as a captured file tells
//! them, and the times when the choices are judged.
//!
//! The model is the forest with all device features, or with none where there are none: what is compared are inputs
//! to measure.

use std::collections::{BTreeMap, BTreeSet};

use nitro_learn::StudyOptions;
use nitro_learn::calibration::Calibrator;
use nitro_learn::evaluate::{Chooser, LeaveOut, Split};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::space::InputSpace;
use nitro_learn::study::Study;
use nitro_learn::task::Task;
use nitro_stats::random::Random;
use nitro_store::recordings::Recordings;
use nitro_train::model::Model;
use nitro_train::traffic::CapturedCall;
use nitro_train::traffic::calls_among;

use super::{mean, share};
use crate::Error;
use crate::figures::{Captured, OfCaptured, percent};
use crate::recordings::shipped;

/// Training inputs that are measured.
pub const COUNTS: [usize; 2] = [10, 30];
/// Programs a device.
const PROGRAMS: usize = 6;
/// A program calls one test input in so many.
const PART: usize = 5;

/// One function.
///
/// # Errors
/// When its recordings cannot be read or learned from.
pub fn captured(function: &str) -> Result<OfCaptured, Error> {
    let recordings = shipped(function)?;
    let has_machines = recordings.devices.iter().any(|device| device.id.contains('@'));
    let machine = has_machines.then(|| left_out(&recordings, LeaveOut::Machine)).transpose()?;
    Ok(OfCaptured { device: left_out(&recordings, LeaveOut::Device)?, machine })
}

fn left_out(recordings: &Recordings, leave_out: LeaveOut) -> Result<Captured, Error> {
    let split = Split::by_name(recordings);
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, 0);
    let mut shares = Shares::default();
    for device in 0..recordings.devices.len() {
        let sources = leave_out.sources(&recordings.devices, device);
        eprintln!("  {}: {} left out", recordings.function, recordings.devices[device].id);
        let known: BTreeSet<String> = recordings.devices[device].features.keys().cloned().collect();
        let options = StudyOptions::default();
        let study = Study::new(&task, sources, Some(&known), &options);
        let strategy = if study.candidates().usable.is_empty() { "forest-none" } else { "forest-all" };
        let model = study.fit(strategy.parse()?).model;
        let judge = Judge { recordings, performance: &performance, model: &model, device };
        shares.add(&judge, &Calibrator::new(&study, &model, device), &split.test)?;
    }
    Ok(shares.means())
}

/// Judges the choices on a device.
struct Judge<'a> {
    recordings: &'a Recordings,
    performance: &'a PerformanceTable,
    model: &'a Model,
    device: usize,
}

impl Judge<'_> {
    fn mean(&self, model: &Model, test: &[usize]) -> Result<f64, Error> {
        let chooser = Chooser::new(self.recordings, model, self.device)?;
        let share = |&input: &usize| share(self.performance, &chooser, self.device, input);
        Ok(mean(&test.iter().filter_map(share).collect::<Vec<_>>()))
    }

    /// The model once these training inputs were measured.
    fn calibrated(&self, calibrator: &Calibrator<'_>, measured: &[usize]) -> Model {
        let calibrations = calibrator.fit(measured, self.model).into_iter().collect();
        Model { calibrations, ..self.model.clone() }
    }

    /// Programs that call test inputs of one kind each.
    fn programs(&self, test: &[usize]) -> Vec<Vec<usize>> {
        let is_measured = |input: &usize| self.performance.shares(self.device, *input).is_some();
        let test: Vec<usize> = test.iter().copied().filter(is_measured).collect();
        let rows: Vec<&[f64]> = test.iter().map(|&input| &*self.recordings.inputs[input].features).collect();
        let space = InputSpace::new(&rows);
        let mut random = Random::new(self.device as u64);
        let program = |_| {
            let center = space.row(random.below(test.len()));
            let distance =
                |at: usize| -> f64 { space.row(at).iter().zip(center).map(|(a, b)| (a - b) * (a - b)).sum() };
            let mut nearest: Vec<usize> = (0..test.len()).collect();
            nearest.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            nearest.iter().take(test.len().div_ceil(PART)).map(|&at| test[at]).collect()
        };
        (0..PROGRAMS).map(program).collect()
    }

    fn call(&self, input: usize) -> CapturedCall {
        let Recordings { function, features, inputs, .. } = self.recordings;
        let values =
            inputs[input].features.iter().map(|&value| Some(value).filter(|value| value.is_finite()));
        let [device, variant, configuration, reason] = <[String; 4]>::default();
        let features = features.iter().cloned().zip(values).collect();
        let function = function.clone();
        CapturedCall { function, device, variant, configuration, reason, calls: 1, features, time_ns: None }
    }
}

/// Of every program on every device.
#[derive(Default)]
struct Shares {
    before: Vec<f64>,
    /// By number of measured inputs those of [`Captured`] in its order.
    calibrated: BTreeMap<usize, [Vec<f64>; 4]>,
}

impl Shares {
    fn add(&mut self, judge: &Judge<'_>, calibrator: &Calibrator<'_>, test: &[usize]) -> Result<(), Error> {
        let choose = |calls: &[f64], count: usize| {
            let measured = calibrator.inputs(count, calibrator.measured(), calls);
            judge.calibrated(calibrator, &measured)
        };
        let without = COUNTS.map(|count| choose(&[], count));
        for program in judge.programs(test) {
            self.before.push(judge.mean(judge.model, &program)?);
            let calls: Vec<CapturedCall> = program.iter().map(|&input| judge.call(input)).collect();
            let calls = calls_among(judge.recordings, calibrator.recorded_inputs(), &calls);
            for (count, without) in COUNTS.iter().zip(&without) {
                let with = choose(&calls, *count);
                let cases = [(without, &*program), (&with, &*program), (without, test), (&with, test)];
                for (shares, (model, test)) in
                    self.calibrated.entry(*count).or_default().iter_mut().zip(cases)
                {
                    shares.push(judge.mean(model, test)?);
                }
            }
        }
        Ok(())
    }

    fn means(&self) -> Captured {
        let case = |case: usize| -> BTreeMap<usize, f64> {
            self.calibrated.iter().map(|(&count, shares)| (count, percent(mean(&shares[case])))).collect()
        };
        Captured {
            before: percent(mean(&self.before)),
            without: case(0),
            with: case(1),
            all_without: case(2),
            all_with: case(3),
        }
    }
}
