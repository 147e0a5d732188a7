//! The observer of a trainer's work.

use crate::measure::{Progress, Silent};

/// Hears what a trainer does while one of its calls goes on, which may take hours.
///
/// ```
/// # let recordings = nitro_store::example();
#[doc = include_str!("example_store.md")]
/// use std::sync::{Arc, Mutex};
/// use nitro_train::{DataRequest, EvaluateRequest, Observer, Trainer};
///
/// #[derive(Clone, Default)]
/// struct Log(Arc<Mutex<Vec<String>>>);
///
/// impl Observer for Log {
///     fn message(&self, line: &str) {
///         self.0.lock().unwrap().push(line.to_owned());
///     }
/// }
///
/// let log = Log::default();
/// let trainer = Trainer::new().observer(log.clone());
/// let data = DataRequest { store: Some(store), ..DataRequest::default() };
/// trainer.evaluate(&EvaluateRequest { data, ..EvaluateRequest::default() })?.try_for_each(|one| one.map(|_| ()))?;
/// assert_eq!(log.0.lock().unwrap()[0], "sort: leaving out each of 2 devices in turn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Send + Sync {
    /// Takes a line for whoever waits.
    fn message(&self, _line: &str) {}

    /// Returns the progress of a function that is about to be recorded on a device.
    fn recording(&self, _function: &str, _device: &str) -> Box<dyn Progress> {
        Box::new(Silent)
    }

    /// Returns the progress of a sample: a few recorded inputs of a function that are about to be measured again.
    ///
    /// The sample shows whether they still hold ([`RecordRequest::sample`](crate::RecordRequest::sample)).
    fn sampling(&self, _function: &str, _device: &str) -> Box<dyn Progress> {
        Box::new(Silent)
    }
}

/// An observer that ignores everything.
pub(super) struct Nobody;

impl Observer for Nobody {}
