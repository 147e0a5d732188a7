//! What a strategy is told of other devices.

use nitro_search::{Sources, Strategy};

/// The names of the devices that a search learns from: one strategy looks at them.
pub(crate) fn told(strategy: Strategy, sources: &Sources) -> Vec<String> {
    let told = sources.devices.iter().filter(|_| strategy == Strategy::Transfer);
    told.map(|source| source.device.clone()).collect()
}
