//! The connection to the server: made again, for a while, when the server goes away, restarts or is slow.

use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisError, RetryMethod, ServerErrorKind};

use super::error::Result;
use super::keys;
use super::wire::Wire;
use crate::printable::printable;
use crate::store::error::Fault;
use crate::store::{StoreError, shown};

/// The longest that a server that was there may stay away.
const PATIENCE: Duration = Duration::from_secs(60);
/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

pub(super) struct Link {
    url: String,
    /// The address without the password.
    pub(super) location: String,
    /// None after an error: an answer that came too late would be taken for that to the next question.
    connection: Option<Wire>,
}

impl Link {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let mut link = Self { url: url.to_owned(), location: shown(url), connection: None };
        // A server that is not there is told at once; one that reads its data is there.
        link.retry(is_starting, |connection, _| {
            Ok(redis::cmd("EXISTS").arg(keys::FORMAT).exec(connection)?)
        })?;
        Ok(link)
    }

    /// Runs `action`, again after errors that pass. It has to be one that may be done twice: whether the server has
    /// carried out what it did not answer, nobody knows.
    pub(super) fn with<T>(
        &mut self,
        action: impl FnMut(&mut Wire, &str) -> Result<T>,
    ) -> Result<T, StoreError> {
        self.retry(passes, action)
    }

    fn retry<T>(
        &mut self,
        passes: impl Fn(&RedisError) -> bool,
        mut action: impl FnMut(&mut Wire, &str) -> Result<T>,
    ) -> Result<T, StoreError> {
        let (end, mut pause) = (Instant::now() + PATIENCE, PAUSES.0);
        loop {
            let error = match self.attempt(&mut action) {
                Ok(value) => return Ok(value),
                Err(Fault::Refused(error)) => return Err(error),
                Err(Fault::Backend(error)) => error,
            };
            self.connection = None;
            if !passes(&error) || Instant::now() >= end {
                return Err(self.failed(error));
            }
            if pause == PAUSES.0 {
                let said = printable(&error.to_string()).into_owned();
                tracing::warn!("the Redis server at {} is away, waiting for it ({said})", self.location);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(PAUSES.1);
        }
    }

    fn attempt<T>(&mut self, action: &mut impl FnMut(&mut Wire, &str) -> Result<T>) -> Result<T> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => self.connection.insert(Wire::connect(&self.url)?),
        };
        action(connection, &self.location)
    }

    /// Tells the kinds of errors apart that a user can do something about.
    fn failed(&self, error: RedisError) -> StoreError {
        use ErrorKind::{AuthenticationFailed, Extension, Io, Parse, Server, UnexpectedReturnType};
        let (location, said) = (self.location.clone(), printable(&error.to_string()).into_owned());
        match error.kind() {
            AuthenticationFailed | Server(ServerErrorKind::NoPerm) => {
                StoreError::Denied { location, source: error.into() }
            }
            _ if says(&error, &["NOAUTH", "WRONGPASS", "Authentication required"]) => {
                StoreError::Denied { location, source: error.into() }
            }
            _ if says(&error, &["DB index is out of range"]) => StoreError::NoSuchDatabase { location },
            _ if says(&error, &["OOM"]) => StoreError::OutOfMemory { location },
            Io if error.is_timeout() => StoreError::Slow { location, source: error.into() },
            Io => StoreError::Unreachable { location, source: error.into() },
            Parse | UnexpectedReturnType => StoreError::NoRedis { location, said },
            Server(_) | Extension => StoreError::ServerRefuses { location, said },
            _ => StoreError::Backend { location, source: error.into() },
        }
    }
}

/// Returns true if the same may succeed later: the server was lost, or says so itself.
fn passes(error: &RedisError) -> bool {
    is_starting(error) || error.is_io_error() && !matches!(error.retry_method(), RetryMethod::NoRetry)
}

/// Returns true if the server says that it is not ready yet.
fn is_starting(error: &RedisError) -> bool {
    use ServerErrorKind::{BusyLoading, MasterDown, TryAgain};
    matches!(error.kind(), ErrorKind::Server(BusyLoading | MasterDown | TryAgain))
}

/// Returns true if the server used these words. The client has no kinds for these errors, and quotes them inside
/// others.
fn says(error: &RedisError, words: &[&str]) -> bool {
    let text = error.to_string();
    words.iter().any(|word| text.contains(word))
}
