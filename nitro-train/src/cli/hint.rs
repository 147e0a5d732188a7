//! The hints after errors: the option or command that helps, which the library does not know.

use crate::measure::RecordError;
use crate::trainer::TrainError;

/// Returns the option or commands that an error is about; empty where there are none.
pub(super) fn of(error: &anyhow::Error) -> &'static str {
    use TrainError as E;
    match error.downcast_ref() {
        Some(
            E::OtherKind { .. } | E::NoGpu { .. } | E::DeviceFeatureMissing { .. } | E::NoCounters { .. },
        ) => " (--device)",
        Some(E::SeveralGenerated { .. }) => " (--function, --variant)",
        Some(E::UnknownGenerated { .. }) => " (--store, --models)",
        Some(E::UncheckedBound { .. }) => " (--max-regret)",
        Some(E::NoModel { .. }) => " (--models)",
        Some(E::NoRecordings { .. }) => " (type `train record`, then `train fit`)",
        Some(E::Record { source, .. } | E::Survey { source, .. })
            if matches!(**source, RecordError::NoInputs { .. }) =>
        {
            " (--inputs)"
        }
        _ => "",
    }
}
