//! The page about how good the choices are.

use super::builder::Trainer;
use super::error::TrainError;
use super::evaluate::judged;
use super::layered_store::LayeredStore;
use super::request::{DataRequest, InputLists};
use crate::evaluate::{EvaluateError, EvaluateOptions, evaluate_with};
use crate::measure::{describe_device, whole_host};
use crate::recordings::Recordings;
use crate::report::ReportData;
use crate::report::assemble::{assemble, device_tables, facts, left_out};

const ABOUT: &str = "How close selectors come to exhaustive search on devices that they were not trained on: each \
                     recorded device is left out in turn.";

/// What to report on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportRequest {
    /// Which functions, from which recordings.
    pub data: DataRequest,
    /// Which inputs are trained on, and which are tests.
    pub inputs: InputLists,
    /// Numbers of measured training inputs with which the selector that would be shipped is calibrated for the device left out, for a curve
    /// on the page; without any there is none, as it takes long.
    pub calibration: Vec<usize>,
    /// Seed of everything random.
    pub seed: u64,
}

impl Trainer {
    /// Evaluates every function as [`evaluate`](Self::evaluate) does, for a page with figures: [`ReportData::write`] writes it.
    ///
    /// Where there are several functions, one with too few devices is shown without evaluation.
    ///
    /// ```
    #[doc = include_str!("../example_recordings.md")]
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, ReportRequest, Trainer};
    ///
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// let report = Trainer::new().report(&ReportRequest { data, ..ReportRequest::default() })?;
    /// assert_eq!(report.functions[0].test_inputs, 10);
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
            self.tell(format!("  {name}: one more device removed from each, and what learning takes"));
            functions.push(match evaluation {
                // The others are worth a page all the same.
                Err(error @ EvaluateError::TooFewDevices { .. }) if of > 1 => {
                    self.tell(error.to_string());
                    facts(&recordings, &split)?
                }
                evaluation => left_out(&recordings, &split, &evaluation?, request.seed)?,
            });
            // Of the measurements of earlier functions nothing is needed any more.
            recorded.push(Recordings { devices: recordings.devices, ..Recordings::default() });
        }
        let here = describe_device(&*self.open_device(&whole_host())?);
        Ok(assemble(ABOUT, &here, functions, device_tables(&recorded)))
    }
}
