//! Tables and paragraphs of figures, by the names that documents call them.

mod calibration;
mod captured;
mod device_features;
mod evaluation;
mod foreign;
mod interval;
mod means;
mod measured;
mod shipped;
mod summary;
mod table;
mod trust;

use crate::Error;
use crate::figures::Figures;
use crate::pictures;

pub use interval::Interval;
pub use table::paragraph;

/// What makes a block.
type Block = fn(&Figures) -> Result<String, Error>;

/// Every block.
const BLOCKS: [(&str, Block); 33] = [
    ("readme.table", summary::short),
    ("readme.device-features", device_features::short),
    ("readme.foreign", foreign::short),
    ("results.summary", summary::table),
    ("results.least", summary::least),
    ("results.device-features.mean", device_features::means),
    ("results.host", evaluation::host),
    ("results.gpu", evaluation::gpu),
    ("results.worst", evaluation::worst),
    ("results.near", evaluation::near),
    ("results.sensitivity", evaluation::sensitivity),
    ("results.h100", evaluation::h100),
    ("results.device-features", device_features::tables),
    ("results.profile-devices", device_features::profile_devices),
    ("results.calibration", calibration::table),
    ("results.calibration.pairs", calibration::pairs),
    ("results.captured", captured::table),
    ("results.ginkgo", evaluation::ginkgo),
    ("results.ginkgo.splits", trust::splits),
    ("results.ginkgo.lost", trust::lost),
    ("results.slice", shipped::slice),
    ("results.vendor", shipped::vendor),
    ("results.main-job", measured::main_job),
    ("results.sklearn", measured::sklearn),
    ("learning.margins", trust::margins),
    ("transfer.convolutions", foreign::convolutions),
    ("transfer.gain", foreign::gain),
    ("transfer.training", foreign::training),
    ("transfer.sources", foreign::sources),
    ("transfer.sorts", foreign::sorts),
    ("models.profiles", shipped::profiles),
    ("models.spread", shipped::spread),
    ("measured.sources", measured::sources),
];

/// The block of a name.
///
/// # Errors
/// When there is none, or it lacks a figure.
pub fn block(name: &str, figures: &Figures) -> Result<String, Error> {
    match BLOCKS.iter().find(|(own, _)| *own == name) {
        Some((_, make)) => make(figures).map_err(|error| format!("{name}: {error}").into()),
        None => match pictures::shown(name, figures)? {
            Some(shown) => Ok(shown),
            None => Err(format!("there is no block `{name}`").into()),
        },
    }
}

/// The names of all blocks, those of pictures among them.
pub fn names() -> impl Iterator<Item = &'static str> {
    BLOCKS.iter().map(|(name, _)| *name).chain(pictures::names())
}
