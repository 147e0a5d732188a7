//! Measurements under load, which are doubtful.

use std::collections::BTreeSet;

use super::{Measurement, Recordings};

/// The load above which a time is doubtful. Below it lies what the ticks of the system and its daemons come to.
pub const DOUBTFUL_LOAD: f64 = 0.1;

impl Measurement {
    /// Returns true for a time that was taken under load. Where the load is not known, nothing speaks against it.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    /// let mut one = recordings.measurements[0].clone();
    /// assert!(one.load.is_none() && !one.is_doubtful());
    /// one.load = Some(0.5); // half of what it needed was taken by others
    /// assert!(one.is_doubtful());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.doubtful_load().is_some()
    }

    /// Returns the load under which a doubtful time was taken.
    pub fn doubtful_load(&self) -> Option<f64> {
        self.load.filter(|load| *load > DOUBTFUL_LOAD && self.outcome.time_ns().is_some())
    }

    /// Returns the standard error of a time, in nanoseconds, 0 where it is not known: that of the median of so many
    /// repeats that are normally distributed, of which half lie within the spread.
    pub fn error_ns(&self) -> f64 {
        /// The standard deviation over the distance of the quartiles, times that of a median over that of a mean.
        const OF_SPREAD: f64 = 0.7413 * 1.2533;
        match self.repeats {
            0 => 0.0,
            repeats => OF_SPREAD * self.spread_ns / f64::from(repeats).sqrt(),
        }
    }
}

impl Recordings {
    /// Returns the devices and inputs, by position, with a doubtful time: there variants cannot be compared for
    /// certain.
    pub fn doubtful(&self) -> BTreeSet<(usize, usize)> {
        let doubtful = self.measurements.iter().filter(|one| one.is_doubtful());
        doubtful.map(|one| (one.device, one.input)).collect()
    }
}
