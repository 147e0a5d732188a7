use nitro_store::store;

use crate::{recordings, scratch_file};

/// Opens and reads the bytes of an embedded store, or refuses them.
pub fn store(data: &[u8]) {
    let path = scratch_file("fuzzed.db", data);
    drop(read(path.to_str().expect("temporary folders have plain names")));
    // What SQLite left behind belongs to this input and not to the next.
    for extension in ["db-wal", "db-shm", "db-journal"] {
        drop(std::fs::remove_file(path.with_extension(extension)));
    }
}

/// Reads all there is in a store.
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
