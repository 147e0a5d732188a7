use nitro_train::store;

use crate::{recordings, scratch};

/// The bytes of an embedded store: opened and read, or refused.
pub fn store(data: &[u8]) {
    let path = scratch("fuzzed.db");
    std::fs::write(&path, data).expect("temporary files can be written");
    drop(read(path.to_str().expect("temporary folders have plain names")));
    for suffix in ["-wal", "-shm", "-journal"] {
        drop(std::fs::remove_file(scratch(&format!("fuzzed.db{suffix}"))));
    }
}

fn read(path: &str) -> Result<(), store::StoreError> {
    let mut store = store::open(path)?;
    drop(store.devices());
    for function in store.functions()? {
        if let Ok(found) = store.load(&function) {
            recordings::check(&found);
        }
    }
    Ok(())
}
