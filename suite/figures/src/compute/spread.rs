//! How far the repeats of a measurement on the host lie apart.

use nitro_stats::statistics::quantile;

use crate::Error;
use crate::figures::{Spread, percent};
use crate::recordings::{ON_HOST, shipped};

/// Over all measurements of the functions on the host.
///
/// # Errors
/// When recordings cannot be read.
pub fn spread() -> Result<Spread, Error> {
    let mut spreads = Vec::new();
    for function in ON_HOST {
        let recordings = shipped(function)?;
        let spread =
            recordings.measurements.iter().filter_map(|one| Some(one.spread_ns / one.outcome.time_ns()?));
        spreads.extend(spread);
    }
    spreads.sort_by(f64::total_cmp);
    Ok(Spread { median: percent(quantile(&spreads, 0.5)), p90: percent(quantile(&spreads, 0.9)) })
}
