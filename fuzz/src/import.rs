use nitro_store::exchange::read_bytes;

use crate::{parts, recordings};

/// Imports three tables, separated by bytes 0, or refuses them.
pub fn import(data: &[u8]) {
    let [measurements, inputs, devices] = parts(data);
    if let Ok(found) = read_bytes("fuzzed", measurements, inputs, devices) {
        recordings::check(&found);
    }
}
