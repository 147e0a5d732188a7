//! The page about how good the choices are.

use clap::Args;
use nitro_learn::evaluate::{EvaluateOptions, evaluate_with};
use nitro_store::recordings::Recordings;

use super::builder::Trainer;
use super::error::TrainError;
use super::evaluate::judged;
use super::layered_store::LayeredStore;
use super::request::{DataRequest, InputLists, at_least_one};
use crate::measure::{describe_device, whole_host};
use crate::report::assemble::{
    MeasuredSpace, assemble, device_floors, device_tables, emitted_choices, facts, left_out, searches,
    space_report,
};
use crate::report::{FunctionReport, ReportData, SpaceReport};

const ABOUT: &str = "How close selectors come to exhaustive search on devices that they were not trained on: each \
                     recorded device is left out in turn.";

/// The settings of a report.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct ReportRequest {
    /// The functions, and the recordings.
    #[command(flatten)]
    pub data: DataRequest,
    /// The inputs to train on, and those to test on.
    #[command(flatten)]
    pub inputs: InputLists,
    /// Show also what auto achieves after measuring so many training inputs on the device that is left out. Takes
    /// several times as long
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = at_least_one())]
    pub calibration: Vec<usize>,
    /// Show also how soon search strategies find the best configuration, by so many replayed searches of each; 5 show
    /// enough. They are of at most 12 pairs of a device and an input, and of at most 100 evaluations; takes longer
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    pub searches: usize,
    /// Seed of everything random
    #[arg(long, default_value_t = crate::DEFAULT_SEED)]
    pub seed: u64,
}

impl Trainer {
    /// Evaluates every function as [`evaluate`](Self::evaluate) does, for a page with figures:
    /// [`ReportData::write`] writes it.
    ///
    /// Where there are several functions, one that cannot be evaluated is shown without evaluation: there are too few
    /// devices or inputs, or nothing succeeded. So is, even alone, one whose variants have configurations, which the
    /// page shows too.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, ReportRequest, Trainer};
    ///
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// let report = Trainer::new().report(&ReportRequest { data, ..ReportRequest::default() })?;
    /// assert!(nitro_train::report::page(&report).contains("10 test inputs"));
    /// report.write(&folder.path().join("report.html"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings, or nothing to learn from or to test on.
    pub fn report(&self, request: &ReportRequest) -> Result<ReportData, TrainError> {
        let mut store = LayeredStore::open(self, &request.data)?;
        let names = store.functions(&request.data.functions)?;
        let (mut functions, mut recorded) = (Vec::new(), Vec::new());
        for (nth, name) in (1..).zip(&names) {
            let recordings = store.load(name)?;
            let split = request.inputs.split(&recordings)?;
            let (of, devices) = (names.len(), recordings.devices.len());
            self.tell(format!("{name} ({nth} of {of}): leaving out each of {devices} devices in turn"));
            let calibration = request.calibration.clone();
            let options = EvaluateOptions { calibration, seed: request.seed, ..EvaluateOptions::default() };
            let evaluation = evaluate_with(&recordings, &split, &options, |device| self.tell(judged(device)));
            let spaces = self.spaces(&recordings, request);
            let report = match evaluation {
                // The others are worth a page all the same, and so are configurations.
                Err(error) if of > 1 || !spaces.is_empty() => {
                    self.tell(error.to_string());
                    facts(&recordings, &split)?
                }
                evaluation => {
                    let evaluation = evaluation?;
                    self.tell(format!(
                        "  {name}: one more device removed from each, and what learning takes"
                    ));
                    left_out(&recordings, &split, &evaluation, request.seed)?
                }
            };
            let emitted = emitted_choices(&recordings, &split)?;
            let tunable = self.find(name);
            let function = tunable.map(|tunable| tunable.function);
            let floors = tunable.map(|tunable| tunable.floors()).unwrap_or_default();
            let floors = device_floors(&recordings, floors);
            let doubtful_times = recordings.measurements.iter().filter(|one| one.is_doubtful()).count();
            let report = FunctionReport { spaces, emitted, doubtful_times, floors, ..report };
            functions.push(report.with_approximate(function));
            // Of the measurements of earlier functions nothing is needed any more.
            recorded.push(Recordings { devices: recordings.devices, ..Recordings::default() });
        }
        let here = describe_device(&*self.open_device(&whole_host())?);
        Ok(assemble(ABOUT, &here, functions, device_tables(&recorded)))
    }

    /// Returns the measurements of the configurations of parameterised variants, with searches of them if asked for.
    fn spaces(&self, recordings: &Recordings, request: &ReportRequest) -> Vec<SpaceReport> {
        let function = self.find(&recordings.function).map(|tunable| tunable.function);
        let spaces = MeasuredSpace::of(recordings, function).unwrap_or_else(|error| {
            self.tell(error.to_string());
            Vec::new()
        });
        let mut reports = Vec::new();
        for own in &spaces {
            let mut report = space_report(recordings, own);
            if request.searches > 0 {
                report.searches = searches(own, request.searches, request.seed, |strategy| {
                    let (name, count) = (&recordings.function, request.searches);
                    self.tell(format!("  {name}: {count} searches by {strategy}"));
                });
            }
            reports.push(report);
        }
        reports
    }
}
