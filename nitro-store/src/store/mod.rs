//! Stores of measurements: one SQLite file, a Redis server, or memory.
//!
//! A [`Store`] holds the recordings of any number of functions and devices. Everything in it is keyed by *name*, so
//! that programs built from other versions of a function, or with other Cargo features, can share one: a variant
//! that was added since is added to the store, one that is gone keeps its measurements.
//!
//! ```
//! use nitro_store::recordings::{DeviceRecord, Input, Outcome};
//! use nitro_store::store::{self, ChoiceName, FunctionSchema, Row};
//!
//! let mut store = store::memory()?;
//! store.register(&FunctionSchema {
//!     function: "sort",
//!     variants: &["merge", "radix"],
//!     default_variant: Some("merge"),
//!     default_configuration: "",
//!     features: &["length"],
//! })?;
//! store.put_device(&DeviceRecord { id: "host:4".into(), features: [("threads".into(), 4.0)].into() })?;
//! let input = Input { name: "train/uniform".into(), features: vec![1e6] };
//! store.put("sort", "host:4", &input, &[
//!     Row::new("merge", Outcome::Time(61_000_000.0)),
//!     Row::new("radix", Outcome::Time(9_000_000.0)),
//! ])?;
//! assert!(store.recorded("sort", "host:4", &["merge", "radix"].map(ChoiceName::variant))?.contains("train/uniform"));
//! assert_eq!(store.load("sort")?.measurements.len(), 2);
//! # Ok::<(), store::StoreError>(())
//! ```

mod address;
mod check;
mod copied;
mod error;
mod interface;
mod leases;
mod merge;
mod open;
mod parts;
#[cfg(feature = "redis")]
mod redis;
mod row;
mod searches;
mod selected;
mod sqlite;
mod sync;
mod sync_at;
mod times;

pub use self::address::shown;
pub use self::check::{is_same_feature, parts as check_parts};
pub use self::copied::CopyCounts;
pub use self::error::StoreError;
pub use self::interface::Store;
pub use self::leases::{Leases, MAX_LEASE, SharedStore};
pub use self::open::{exists, memory, open, open_to_read};
pub use self::row::{ChoiceName, Evaluated, FunctionSchema, Row};
pub use self::searches::{EvaluationKey, Searches};
pub use self::selected::{Forgotten, Selected};
pub use self::sync::{SyncReport, sync};
pub use self::sync_at::sync_at;
