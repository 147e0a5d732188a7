use nitro_store::exchange::import_kernel_tuner;

use crate::{recordings, scratch_file};

/// Imports a file of Kernel Tuner, or refuses it.
pub fn kernel_tuner(data: &[u8]) {
    if let Ok(found) = import_kernel_tuner("fuzzed", &[scratch_file("cache.json", data)]) {
        recordings::check(&found);
    }
}
