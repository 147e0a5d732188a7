//! Stores, and tables that come from elsewhere. One program, since each would be linked with the whole trainer.

mod backends;
mod exchange_errors;
mod exchange_parameters;
mod exchange_round_trip;
mod files;
mod foreign_files;
mod hostile;
mod kernel_tuner;
#[cfg(feature = "redis")]
mod redis_hostile;
#[cfg(feature = "redis")]
mod redis_server;
mod sync;
