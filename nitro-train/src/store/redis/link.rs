//! The connection to the server: made again, for a while, when the server goes away, restarts or is slow.

use std::time::{Duration, Instant};

use redis::{Connection, ErrorKind, RedisError, RetryMethod, ServerErrorKind};

use super::Result;
use crate::store::error::Fault;
use crate::store::{StoreError, shown};

/// How long a server may take to accept a connection or to answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How long a server that was there may stay away.
const PATIENCE: Duration = Duration::from_secs(60);
/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

pub(super) struct Link {
    url: String,
    /// The address without the password.
    pub(super) location: String,
    /// None after an error: an answer that came too late would be taken for that to the next question.
    connection: Option<Connection>,
}

impl Link {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let location = shown(url);
        match connect(url) {
            Ok(connection) => Ok(Self { url: url.to_owned(), location, connection: Some(connection) }),
            Err(error) if is_denied(&error) => Err(StoreError::Denied { location, source: error.into() }),
            Err(error) if says(&error, &["DB index is out of range"]) => {
                Err(StoreError::NoSuchDatabase { location })
            }
            Err(error) => Err(StoreError::Unreachable { location, source: error.into() }),
        }
    }

    /// What `action` gives, which is tried again after errors that pass. It has to be one that may be done twice: whether the
    /// server has carried out what it did not answer, nobody knows.
    pub(super) fn with<T>(
        &mut self,
        mut action: impl FnMut(&mut Connection, &str) -> Result<T>,
    ) -> Result<T, StoreError> {
        let (end, mut pause) = (Instant::now() + PATIENCE, PAUSES.0);
        loop {
            let error = match self.attempt(&mut action) {
                Ok(value) => return Ok(value),
                Err(Fault::Refused(error)) => return Err(error),
                Err(Fault::Backend(error)) => error,
            };
            if !passes(&error) || Instant::now() >= end {
                return Err(self.failed(error));
            }
            if pause == PAUSES.0 {
                tracing::warn!("the Redis server at {} is away, waiting for it ({error})", self.location);
            }
            self.connection = None;
            std::thread::sleep(pause);
            pause = (2 * pause).min(PAUSES.1);
        }
    }

    fn attempt<T>(&mut self, action: &mut impl FnMut(&mut Connection, &str) -> Result<T>) -> Result<T> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => self.connection.insert(connect(&self.url)?),
        };
        action(connection, &self.location)
    }

    /// Tells the kinds of errors apart that a user can do something about.
    fn failed(&self, error: RedisError) -> StoreError {
        let location = self.location.clone();
        if is_denied(&error) {
            StoreError::Denied { location, source: error.into() }
        } else if says(&error, &["OOM"]) {
            StoreError::OutOfMemory { location }
        } else if passes(&error) {
            StoreError::Unreachable { location, source: error.into() }
        } else {
            StoreError::Backend { location, source: error.into() }
        }
    }
}

/// Whether the same may succeed later.
fn passes(error: &RedisError) -> bool {
    use RetryMethod::{Reconnect, RetryImmediately, WaitAndRetry};
    error.kind() != ErrorKind::AuthenticationFailed
        && matches!(error.retry_method(), Reconnect | WaitAndRetry | RetryImmediately)
}

fn is_denied(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm))
        || says(error, &["NOAUTH", "WRONGPASS", "Authentication required"])
}

/// Whether the server said so. The client has no kinds for these, and quotes them inside errors of other kinds.
fn says(error: &RedisError, words: &[&str]) -> bool {
    let text = error.to_string();
    words.iter().any(|word| text.contains(word))
}

fn connect(url: &str) -> redis::RedisResult<Connection> {
    let connection = redis::Client::open(url)?.get_connection_with_timeout(TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    Ok(connection)
}
