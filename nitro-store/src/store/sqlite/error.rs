//! Results of the back end, whose errors do not know the store's name.

use crate::store::error::Fault;

pub(super) type Result<T, E = Fault<rusqlite::Error>> = std::result::Result<T, E>;

impl From<rusqlite::Error> for Fault<rusqlite::Error> {
    fn from(error: rusqlite::Error) -> Self {
        Self::Backend(error)
    }
}
