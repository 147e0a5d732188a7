//! Results of the back end, whose errors do not know the store's name.

use redis::RedisError;

use crate::store::error::Fault;

pub(super) type Result<T, E = Fault<RedisError>> = std::result::Result<T, E>;

impl From<RedisError> for Fault<RedisError> {
    fn from(error: RedisError) -> Self {
        Self::Backend(error)
    }
}
