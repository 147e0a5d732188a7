//! The floor of an input: what no time is under, and where a search may stop.

use std::fmt;

use nitro_core::DeviceEntry;
use nitro_search::{Floor, UnderFloor, Until};
use nitro_store::recordings::Outcome;
use nitro_store::store::Evaluated;

use super::error::SearchError;
use crate::measure::Candidate;

/// A function that says what no code takes less than for an input, on a device with these features.
pub(crate) type InputFloor = dyn Fn(&str, &dyn Fn(&str) -> Option<f64>) -> Option<Floor> + Send + Sync;

/// The floors of a function's inputs; none are known where nothing says them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Floors<'a>(pub(crate) Option<&'a InputFloor>);

impl fmt::Debug for Floors<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Floors").field(&self.0.is_some()).finish()
    }
}

impl Floors<'_> {
    /// Returns the floor of an input on a device with these features, where it is known.
    pub(crate) fn of(&self, input: &str, feature: &dyn Fn(&str) -> Option<f64>) -> Option<Floor> {
        self.0.and_then(|floor| floor(input, feature)).filter(|floor| floor.ns > 0.0)
    }

    /// Returns the floor of an input, and the time at which a search is over by a rule.
    ///
    /// # Errors
    /// When there is a rule and no floor.
    pub(crate) fn target(
        &self,
        until: Option<Until>,
        (function, device, input): (&str, &str, &str),
        feature: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<(Option<Floor>, Option<f64>), SearchError> {
        let floor = self.of(input, feature);
        let Some(until) = until else { return Ok((floor, None)) };
        let target_ns = floor.as_ref().and_then(|floor| until.target_ns(floor));
        let [function, device, input] = [function, device, input].map(str::to_owned);
        match target_ns {
            Some(target_ns) => Ok((floor, Some(target_ns))),
            None => Err(SearchError::NoFloor { function, device, input }),
        }
    }
}

/// The state of the searches of an input with respect to its floor.
#[derive(Default)]
pub(super) struct Limit {
    floor: Option<Floor>,
    target_ns: Option<f64>,
    /// The fastest of the search that is under way.
    best_ns: Option<f64>,
    /// The candidates that were asked for and are not told yet.
    open: Vec<Candidate>,
    violated: Option<UnderFloor>,
}

impl Limit {
    /// Creates the limit of an input.
    ///
    /// # Errors
    /// When a rule is to stop its searches and no floor is known.
    pub(super) fn new(
        (floors, until): (Floors<'_>, Option<Until>),
        function: &str,
        device: &DeviceEntry,
        input: &str,
    ) -> Result<Self, SearchError> {
        let names = (function, device.id(), input);
        let (floor, target_ns) = floors.target(until, names, &|feature| device.feature(feature))?;
        Ok(Self { floor, target_ns, ..Self::default() })
    }

    pub(super) fn floor(&self) -> Option<&Floor> {
        self.floor.as_ref()
    }

    /// Begins with the next search of the input.
    pub(super) fn begin(&mut self) {
        (self.best_ns, self.open) = (None, Vec::new());
    }

    /// Returns `true` if what was found is good enough, whatever of its step is still open: a step may be a whole
    /// space.
    pub(super) fn is_reached(&self) -> bool {
        self.best_ns.zip(self.target_ns).is_some_and(|(best_ns, target_ns)| best_ns <= target_ns)
    }

    /// Takes notice of what is asked for.
    ///
    /// # Errors
    /// When something took less than the floor.
    pub(super) fn ask(&mut self, open: &[Candidate]) -> Result<(), SearchError> {
        open.clone_into(&mut self.open);
        self.violated.clone().map_or(Ok(()), |violated| Err(violated.into()))
    }

    /// Takes notice of what is known of what was asked for.
    pub(super) fn tell(&mut self, known: &[Option<Evaluated>], device: &str, input: &str) {
        for (candidate, evaluated) in std::mem::take(&mut self.open).into_iter().zip(known) {
            match evaluated {
                None => self.open.push(candidate),
                Some(evaluated) => self.note(&candidate, evaluated, device, input),
            }
        }
    }

    fn note(&mut self, candidate: &Candidate, evaluated: &Evaluated, device: &str, input: &str) {
        let Outcome::Time(time_ns) = evaluated.outcome else { return };
        self.best_ns = Some(self.best_ns.map_or(time_ns, |best_ns| best_ns.min(time_ns)));
        let Evaluated { repeats, spread_ns, .. } = evaluated;
        let measured = || {
            format!(
                "{} on {device}, input {input}, the median of {repeats} repeats, half of them within {spread_ns:.1} ns",
                candidate.text()
            )
        };
        if let Some(Err(violated)) = self.floor.as_ref().map(|floor| floor.check(time_ns, measured)) {
            self.violated.get_or_insert(violated);
        }
    }
}
