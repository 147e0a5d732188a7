//! The user's wish that the program ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register_usize;

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// The signal that asked this process to end, if one did.
#[derive(Clone, Default)]
pub(super) struct Interruption(Arc<AtomicUsize>);

impl Interruption {
    /// Listens from now on: a signal is noted, and ends nothing.
    pub(super) fn listen() -> io::Result<Self> {
        let own = Self::default();
        for signal in SIGNALS {
            register_usize(signal, Arc::clone(&own.0), signal.unsigned_abs() as usize)?;
        }
        Ok(own)
    }

    /// Returns the exit code by which a shell says that the signal has ended a program.
    pub(super) fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(u8::try_from(128 + signal).unwrap_or(u8::MAX)),
        }
    }
}
