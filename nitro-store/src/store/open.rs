//! Opening stores by their names.

use super::address::Address;
use super::error::StoreError;
use super::leases::SharedStore;
use super::sqlite::Sqlite;

/// Opens the store that `url` names.
///
/// A path is an SQLite file, made when absent (an empty file counts as absent); `redis://host:port/db` is a Redis
/// server, in builds with the Cargo feature `redis`. Names that SQLite would read as more than a path, such as
/// `:memory:` and `file:my.db`, are refused: a file that is called so is written `./:memory:`.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_store::store;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("my.db").display().to_string();
/// store::open(&path)?.import(&recordings)?;
/// assert_eq!(store::open(&path)?.functions()?, ["sort"]);
/// assert!(store::open("ftp://host/my.db").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the scheme is another one, when the server does not answer, and when the path is anything but a whole store
/// of this or an older format version that may be written. Such a file is left as it is.
pub fn open(url: &str) -> Result<Box<dyn SharedStore>, StoreError> {
    match Address::of(url)? {
        Address::File(path) => Ok(Box::new(Sqlite::open(path)?)),
        Address::Redis(url) => open_redis(url),
    }
}

/// Opens a store as [`open`] does, to read alone. The file, and its folder, need not be writable. Nothing is made; what
/// would write to such a store fails.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_store::store;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("my.db").display().to_string();
/// store::open(&path)?.import(&recordings)?;
/// let mut store = store::open_to_read(&path)?; // also where the file may not be written
/// assert_eq!(store.load("sort")?.devices.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`open`], and when there is no such file.
pub fn open_to_read(url: &str) -> Result<Box<dyn SharedStore>, StoreError> {
    match Address::of(url)? {
        Address::File(path) => Ok(Box::new(Sqlite::open_to_read(path)?)),
        Address::Redis(url) => open_redis(url),
    }
}

/// Returns true if [`open`] would find a store, or an error, rather than make one. Only the name is looked at: a server
/// is taken to have one.
pub fn exists(url: &str) -> bool {
    match Address::of(url) {
        Ok(Address::File(path)) => path.exists(),
        Ok(Address::Redis(_)) | Err(_) => true,
    }
}

#[cfg(feature = "redis")]
fn open_redis(url: &str) -> Result<Box<dyn SharedStore>, StoreError> {
    Ok(Box::new(super::redis::Redis::open(url)?))
}

#[cfg(not(feature = "redis"))]
fn open_redis(url: &str) -> Result<Box<dyn SharedStore>, StoreError> {
    Err(StoreError::RedisNotBuilt { url: super::address::shown(url) })
}

/// A store in memory that ends with the value.
///
/// # Errors
///
/// When SQLite cannot allocate it.
pub fn memory() -> Result<Box<dyn SharedStore>, StoreError> {
    Ok(Box::new(Sqlite::memory()?))
}
