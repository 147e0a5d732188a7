use nitro_train::exchange::import_kernel_tuner;

use crate::{recordings, scratch};

/// A file of Kernel Tuner.
pub fn kernel_tuner(data: &[u8]) {
    let file = scratch("cache.json");
    std::fs::write(&file, data).expect("temporary files can be written");
    if let Ok(found) = import_kernel_tuner("fuzzed", &[file]) {
        recordings::check(&found);
    }
}
